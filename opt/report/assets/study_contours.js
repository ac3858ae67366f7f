/* Contour lines through the runs of a grid: their levels, the lines, and a number on each of them. */
(function () {
  "use strict";

  const { svgElement } = window.mbopt_drawing;

  /* Values between about equally many runs each: they show the plain as well as the peak. Each has as few digits as keep it within a quarter of the
   * distance to its neighbours. */
  function levelsOf(values, n) {
    const v = values.filter(Number.isFinite).sort((a, b) => a - b);
    const cuts = Array.from({ length: n }, (_, i) => v[Math.floor(((i + 1) * v.length) / (n + 1))]).filter((x, i, all) => x > v[0] && (i === 0 || x > all[i - 1]));
    const levels = cuts.map((x, i) => {
      const distance = Math.min(x - (i ? cuts[i - 1] : v[0]), (i + 1 < cuts.length ? cuts[i + 1] : v[v.length - 1]) - x);
      const step = distance > 0 ? Math.pow(10, Math.floor(Math.log10(distance / 2))) : 0;
      return step > 0 ? Number((Math.round(x / step) * step).toPrecision(12)) : x;
    });
    return [...new Set(levels)];
  }

  /* The lines of a level through the fields of a grid, straight in each [marching squares]: lists of places [x, y]. Ends of pieces in
   * neighbouring fields lie on one edge, by whose name they are joined. */
  function linesAt(nx, ny, value, X, Y, level) {
    const pieces = [];
    for (let j = 0; j + 1 < ny; j++) {
      for (let i = 0; i + 1 < nx; i++) {
        const corner = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
        const v = corner.map(([k, l]) => value(k, l));
        if (!v.every(Number.isFinite)) continue;
        const cuts = [];
        for (let k = 0; k < 4; k++) {
          const [a, b] = [v[k], v[(k + 1) % 4]];
          if (a < level === b < level) continue;
          const s = (level - a) / (b - a);
          const [p, r] = [corner[k], corner[(k + 1) % 4]];
          const edge = `${k % 2 ? "y" : "x"}${Math.min(p[0], r[0])} ${Math.min(p[1], r[1])}`;
          cuts.push({ edge, at: [X[p[0]] + s * (X[r[0]] - X[p[0]]), Y[p[1]] + s * (Y[r[1]] - Y[p[1]])] });
        }
        for (let k = 0; k + 1 < cuts.length; k += 2) pieces.push({ ends: [cuts[k], cuts[k + 1]], used: false });
      }
    }
    const ofEdge = new Map();
    pieces.forEach((p) => p.ends.forEach((e) => ofEdge.set(e.edge, [...(ofEdge.get(e.edge) || []), p])));
    const follow = (line, edge) => {
      for (let next; (next = (ofEdge.get(edge) || []).find((p) => !p.used)); ) {
        next.used = true;
        const other = next.ends[0].edge === edge ? next.ends[1] : next.ends[0];
        line.push(other.at);
        edge = other.edge;
      }
    };
    return pieces.flatMap((p) => {
      if (p.used) return [];
      p.used = true;
      const [ahead, behind] = [[p.ends[1].at], [p.ends[0].at]];
      follow(ahead, p.ends[1].edge);
      follow(behind, p.ends[0].edge);
      return [behind.reverse().concat(ahead)];
    });
  }

  const pathOf = (line) => `M${line.map((p) => p.map((v) => v.toFixed(1)).join(" ")).join("L")}`;

  /* ---- numbers on the lines ---- */

  const LETTER = 6.2; /* pixels, about */
  const DARK = "#1d2430";

  /* Where a label of a width may stand on a line: the places that lie so far apart along it, the straightest first, and of those alike the one in the middle. */
  function placesOn(line, width) {
    const along = [0];
    for (let k = 1; k < line.length; k++) along.push(along[k - 1] + Math.hypot(line[k][0] - line[k - 1][0], line[k][1] - line[k - 1][1]));
    const length = along[along.length - 1];
    const at = (s) => {
      let k = 1;
      while (k + 1 < along.length && along[k] < s) k++;
      const t = (s - along[k - 1]) / (along[k] - along[k - 1] || 1);
      return [0, 1].map((i) => line[k - 1][i] + t * (line[k][i] - line[k - 1][i]));
    };
    const places = [];
    for (let s = 0.75 * width; s <= length - 0.75 * width; s += 0.5 * width) {
      const [a, b] = [at(s - width / 2), at(s + width / 2)];
      const straight = Math.hypot(b[0] - a[0], b[1] - a[1]) / width;
      const turn = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
      const upright = turn > 90 ? turn - 180 : turn <= -90 ? turn + 180 : turn;
      places.push({ x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, turn: upright, cost: 1 - straight + 0.05 * Math.abs(s / length - 0.5) });
    }
    return places.sort((a, b) => a.cost - b.cost);
  }

  /* Lines of all levels, each with its number where that fits into the box and on no other number; the lines of most places first. */
  function contourLines(grid, levels, textOf, box, colour) {
    const { nx, ny, value, X, Y } = grid;
    const taken = [];
    const lines = levels.flatMap((level) => linesAt(nx, ny, value, X, Y, level).map((line) => ({ level, line })));
    /* with dark edges, for fields that a filter makes pale */
    const stroke = ({ line }, of, width, opacity) => svgElement("path", { d: pathOf(line), stroke: of, "stroke-width": width, "stroke-opacity": opacity, fill: "none" });
    const paths = [...lines.map((l) => stroke(l, DARK, 2, 0.3)), ...lines.map((l) => stroke(l, colour, 0.9, 0.75))];
    const labels = lines.sort((a, b) => b.line.length - a.line.length).flatMap(({ level, line }) => {
      const text = textOf(level);
      const width = text.length * LETTER + 6;
      const free = ({ x, y }) => x > box.left + width / 2 && x < box.right - width / 2 && y > box.top + 8 && y < box.bottom - 8 && taken.every((t) => Math.hypot(t.x - x, t.y - y) > (t.width + width) / 2 + 4);
      const place = placesOn(line, width).find((p) => p.cost < 0.12 && free(p));
      if (!place) return [];
      taken.push({ ...place, width });
      return [svgElement("text", { class: "study-level", x: place.x.toFixed(1), y: (place.y + 3.5).toFixed(1), transform: `rotate(${place.turn.toFixed(1)} ${place.x.toFixed(1)} ${place.y.toFixed(1)})`, "text-anchor": "middle", "font-size": 11, fill: colour, stroke: DARK, "stroke-width": 2.5, "stroke-linejoin": "round", "paint-order": "stroke" }, text)];
    });
    return [...paths, ...labels];
  }

  Object.assign(window.mbopt_study_parts, { levelsOf, linesAt, contourLines });
})();
