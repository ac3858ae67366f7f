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
  // Lengths of bars, tints and widths that come from numbers: the policy of the page has no hashes for attributes `style`.
  document.querySelectorAll('[data-style]').forEach(function (e) { e.style.cssText = e.dataset.style; });
  // Paper is light, and as wide as A4 and Letter have room for. Figures draw themselves anew at "mbopt-look".
  var night = window.matchMedia('(prefers-color-scheme: dark)');
  function look() { window.dispatchEvent(new Event('mbopt-look')); }
  function paper(on) {
    document.documentElement.classList.toggle('paper', on);
    // A table that is wider than paper becomes smaller: else browsers would make all of the page so.
    document.querySelectorAll('.table table').forEach(function (table) {
      table.style.zoom = on && table.offsetWidth > 698 ? 698 / table.offsetWidth : '';
    });
    look();
  }
  window.addEventListener('beforeprint', function () { paper(true); });
  window.addEventListener('afterprint', function () { paper(false); });
  night.addEventListener('change', look);
  window.mbopt_on_paper = function () { return document.documentElement.classList.contains('paper'); };
  window.mbopt_dark = function () { return night.matches && !window.mbopt_on_paper(); };
  // What is wider than its box says so, and the keyboard reaches it.
  function hints() {
    document.querySelectorAll('.table, .wide').forEach(function (box) {
      var wide = box.scrollWidth > box.clientWidth + 1, hint = box.nextElementSibling;
      var told = hint && hint.classList.contains('hint');
      if (wide && !told) {
        hint = document.createElement('p');
        hint.className = 'hint';
        hint.textContent = '\u2194 scroll sideways to see all';
        box.after(hint);
        box.tabIndex = 0;
        box.setAttribute('role', 'region');
        box.setAttribute('aria-label', box.classList.contains('table') ? 'table, scrolls sideways' : 'figure, scrolls sideways');
      } else if (!wide && told) {
        hint.remove();
        box.removeAttribute('tabindex');
        box.removeAttribute('role');
        box.removeAttribute('aria-label');
      }
    });
  }
  window.addEventListener('resize', hints);
  window.mbopt_hints = hints; // of tables that a figure makes later
  document.querySelectorAll('table').forEach(function (table) {
    table.querySelectorAll('th').forEach(function (heading, column) {
      var first = table.tBodies[0].rows[0];
      if (first && first.cells[column] && first.cells[column].classList.contains('number')) { heading.classList.add('number'); }
      heading.querySelector('button').addEventListener('click', function () { sort(table, heading, column); });
    });
  });
  hints();
  // A section that is folded opens where the contents lead to it; what was hidden has its size then.
  document.querySelectorAll('details').forEach(function (fold) {
    fold.addEventListener('toggle', function () { hints(); fold.querySelectorAll('.graph [data-body=ground]').forEach(centre); });
  });
  function unfold() {
    var section = document.getElementById(location.hash.slice(1)), fold = section && section.querySelector('.fold');
    if (fold) { fold.open = true; }
  }
  window.addEventListener('hashchange', unfold);
  unfold();
  // Where a page that loads itself again (live.js) was, what follows it is.
  var place = (history.state || {}).mbopt;
  if (place) {
    document.querySelectorAll('section > details').forEach(function (fold, i) { if (place.open.length > i) { fold.open = place.open[i]; } });
    window.addEventListener('load', function () {
      window.scrollTo({left: place.scroll[0], top: place.scroll[1], behavior: 'instant'});
      history.replaceState(null, '');
    });
  }
  // A graph that is wider than its box shows at first what everything is on.
  function centre(node) {
    var box = node.closest('.wide'), place = node.getBoundingClientRect();
    box.scrollLeft += place.left + place.width / 2 - box.getBoundingClientRect().left - box.clientWidth / 2;
  }
  document.querySelectorAll('.graph [data-body=ground]').forEach(centre);
  // Bodies of the graph and of tables are shown in the picture, and those under the mouse there are marked here.
  var bodies = Array.from(document.querySelectorAll('.graph [data-body], tr[data-body]'));
  bodies.forEach(function (box) {
    function light(on) { if (window.mbopt_motion) { window.mbopt_motion.light(on ? box.dataset.body : null); } }
    if (box.tagName !== 'TR') {
      box.tabIndex = 0;
      box.setAttribute('role', 'img');
      box.setAttribute('aria-label', 'body ' + box.dataset.body);
    }
    [['pointerenter', true], ['pointerleave', false], ['focus', true], ['blur', false]].forEach(function (e) {
      box.addEventListener(e[0], function () { light(e[1]); });
    });
  });
  document.addEventListener('mbopt-body', function (e) {
    bodies.forEach(function (box) {
      var on = box.dataset.body === e.detail, place = box.getBoundingClientRect(), room = box.closest('.wide');
      box.classList.toggle('pointed', on);
      if (!on || !room) { return; }
      room = room.getBoundingClientRect();
      if (place.left < room.left || place.right > room.right) { centre(box); }
    });
  });
})();
