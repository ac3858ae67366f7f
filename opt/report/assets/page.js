// Tables are sorted by a click on a heading: numbers by their value, what has none last; a second click turns the order.
(function () {
  'use strict';
  function key(row, column) {
    var cell = row.cells[column];
    if (!cell.classList.contains('number')) { return cell.textContent; }
    return cell.dataset.value === undefined ? NaN : Number(cell.dataset.value);
  }
  function order(a, b) {
    if (typeof a === 'string' || typeof b === 'string') { return String(a).localeCompare(String(b), undefined, {numeric: true}); }
    return a - b;
  }
  function sort(table, heading, column) {
    var down = heading.getAttribute('aria-sort') === 'ascending', body = table.tBodies[0];
    var rows = Array.from(body.rows).map(function (row) { return {row: row, key: key(row, column)}; });
    rows.sort(function (a, b) {
      if (Number.isNaN(a.key) || Number.isNaN(b.key)) { return Number.isNaN(a.key) - Number.isNaN(b.key); }
      return down ? order(b.key, a.key) : order(a.key, b.key);
    });
    rows.forEach(function (r) { body.appendChild(r.row); });
    table.querySelectorAll('th').forEach(function (th) { th.removeAttribute('aria-sort'); });
    heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  }
  document.querySelectorAll('table').forEach(function (table) {
    table.querySelectorAll('th').forEach(function (heading, column) {
      var first = table.tBodies[0].rows[0];
      if (first && first.cells[column] && first.cells[column].classList.contains('number')) { heading.classList.add('number'); }
      heading.querySelector('button').addEventListener('click', function () { sort(table, heading, column); });
    });
  });
})();
