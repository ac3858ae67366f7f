/* Of thousands of runs figures show how many there are at a place, in place of marks over each other: hexagons that are larger where there are
 * more, and lines of parallel coordinates that are denser. What both show of a value is its mean on the scale of the colours. */
(function () {
  "use strict";

  const parts = window.mbopt_study_parts;

  const DENSE = 1500; /* runs; fewer are drawn one by one */
  const RADIUS = 5; /* [pixels] of a hexagon; few are hidden behind a finger, and many fit into a figure */

  /* Hexagons with a corner above, in rows that are shifted by half of their width. Returns the centre that is nearest to a place. */
  const WIDTH = RADIUS * Math.sqrt(3);
  const HEIGHT = 1.5 * RADIUS;
  function cellAt(x, y) {
    let [best, found] = [Infinity, null];
    const above = Math.floor(y / HEIGHT);
    for (let j = above; j <= above + 1; j++) {
      const shift = j & 1 ? WIDTH / 2 : 0;
      const i = Math.round((x - shift) / WIDTH);
      const [cx, cy] = [i * WIDTH + shift, j * HEIGHT];
      const far = (cx - x) * (cx - x) + (cy - y) * (cy - y);
      if (far < best) [best, found] = [far, { key: 65536 * j + i, x: cx, y: cy }];
    }
    return found;
  }

  /* Counts rows in hexagons; place(row): its [x, y], value(row): what is averaged, group(row): a number, of which the most frequent one counts.
   * Returns { cells, largest, at(x, y): the cell there or undefined }. */
  function hexagons(rows, place, value, group) {
    const cells = new Map();
    let largest = 0;
    rows.forEach((row) => {
      const [x, y] = place(row);
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      const c = cellAt(x, y);
      let cell = cells.get(c.key);
      if (!cell) cells.set(c.key, (cell = { x: c.x, y: c.y, n: 0, sum: 0, valued: 0, groups: new Map() }));
      const v = value(row);
      const g = group(row);
      cell.n++;
      if (Number.isFinite(v)) {
        cell.sum += v;
        cell.valued++;
      }
      cell.groups.set(g, (cell.groups.get(g) || 0) + 1);
      largest = Math.max(largest, cell.n);
    });
    cells.forEach((cell) => {
      cell.mean = cell.valued ? cell.sum / cell.valued : NaN;
      cell.group = [...cell.groups].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    });
    return { cells: [...cells.values()], largest, at: (x, y) => cells.get(cellAt(x, y).key) };
  }

  /* The area grows with the logarithm of the number of runs, from a fifth for one. */
  const radiusOf = (n, largest) => RADIUS * Math.sqrt(0.2 + 0.8 * (largest > 1 ? Math.log(n) / Math.log(largest) : 1));

  const corners = (x, y, r) => [0, 1, 2, 3, 4, 5].map((k) => [x + r * Math.sin((k * Math.PI) / 3), y - r * Math.cos((k * Math.PI) / 3)]);
  const pathOf = (x, y, r) => `M${corners(x, y, r).map((p) => p.map((v) => v.toFixed(1)).join(" ")).join("L")}Z`;

  function drawHexagon(context, x, y, r, hollow) {
    context.beginPath();
    corners(x, y, r).forEach((p, k) => (k ? context.lineTo(p[0], p[1]) : context.moveTo(p[0], p[1])));
    context.closePath();
    if (hollow) context.stroke();
    else context.fill();
  }

  /* Numbers of lines through the pixels of a figure. add(points, value): a line through points [x, y], which is broken where one is not finite;
   * paint(shade): a canvas whose opacity tells how many, in the colour shade(mean of the values) as [r, g, b]. */
  function lineCounts(width, height) {
    const count = new Uint32Array(width * height);
    const sum = new Float64Array(width * height);
    let largest = 0;
    function add(points, value) {
      for (let k = 0; k + 1 < points.length; k++) {
        const [a, b] = [points[k], points[k + 1]];
        if (!Number.isFinite(a[1]) || !Number.isFinite(b[1])) continue;
        const slope = (b[1] - a[1]) / (b[0] - a[0]);
        const end = Math.min(width - 1, Math.floor(b[0]));
        for (let x = Math.max(0, Math.ceil(a[0])); x <= end; x++) {
          const y = a[1] + slope * (x - a[0]);
          const low = Math.max(0, Math.round(Math.min(y, y + slope)));
          const high = Math.min(height - 1, Math.max(low, Math.round(Math.max(y, y + slope)) - 1));
          for (let row = low; row <= high; row++) {
            const at = row * width + x;
            sum[at] += value;
            if (++count[at] > largest) largest = count[at];
          }
        }
      }
    }
    function paint(shade, most) {
      const picture = document.createElement("canvas");
      Object.assign(picture, { width, height });
      const context = picture.getContext("2d");
      const image = context.createImageData(width, height);
      const full = Math.log(1 + largest);
      for (let at = 0; at < count.length; at++) {
        const n = count[at];
        if (!n) continue;
        const [r, g, b] = shade(sum[at] / n);
        image.data[4 * at] = r;
        image.data[4 * at + 1] = g;
        image.data[4 * at + 2] = b;
        image.data[4 * at + 3] = 255 * most * (0.1 + (0.9 * Math.log(1 + n)) / full);
      }
      context.putImageData(image, 0, 0);
      return picture;
    }
    return { add, paint, largest: () => largest };
  }

  Object.assign(parts, { DENSE, RADIUS, hexagons, radiusOf, pathOf, drawHexagon, lineCounts });
})();
