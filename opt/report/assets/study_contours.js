/* Contour lines through the runs of a grid. */
(function () {
  "use strict";

  /* Values between equally many runs each: they show the plain as well as the peak. */
  function levelsOf(q, n) {
    const v = q.grid.row.filter((r) => r >= 0).map((r) => q.colour.v[r]).filter(Number.isFinite).sort((a, b) => a - b);
    return Array.from({ length: n }, (_, i) => v[Math.floor(((i + 1) * v.length) / (n + 1))]).filter((x, i, all) => x > v[0] && (i === 0 || x > all[i - 1]));
  }

  /* The line of a level through the fields of a grid, straight in each [marching squares]. */
  function levelLine(nx, ny, value, X, Y, level) {
    let d = "";
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
          cuts.push([X[p[0]] + s * (X[r[0]] - X[p[0]]), Y[p[1]] + s * (Y[r[1]] - Y[p[1]])]);
        }
        for (let k = 0; k + 1 < cuts.length; k += 2) d += `M${cuts[k].map((c) => c.toFixed(1)).join(" ")}L${cuts[k + 1].map((c) => c.toFixed(1)).join(" ")}`;
      }
    }
    return d;
  }

  Object.assign(window.mbopt_study_parts, { levelsOf, levelLine });
})();
