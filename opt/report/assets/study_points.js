/* Runs as marks in a plane: dots, hexagons where there are thousands, and what tells apart runs that violate limits and runs that failed. Runs
 * outside of the brushes are pale, and lie under the others. */
(function () {
  "use strict";

  const { svgElement } = window.mbopt_drawing;
  const { DONE, VIOLATES, FAILED, DENSE, RADIUS, hexagons, radiusOf, pathOf, drawHexagon, drawMark, markElement, css } = window.mbopt_study_parts;

  /* ---- the legend ---- */

  const dot = (x, y, fill) => svgElement("circle", { cx: x, cy: y, r: 3.5, fill });

  /* What marks mean, and how many runs have each; nothing where all of them are dots. counts: of runs that are done, violate limits, failed. */
  function legendItems(section, counts, layer, grid) {
    const { theme } = section;
    const items = [];
    const hollow = (x, y) => svgElement("path", { d: pathOf(x, y, RADIUS), stroke: theme.bound, "stroke-width": 1.2, fill: "none" });
    const mark = (outcome, words) => counts[outcome] && items.push({ text: `${counts[outcome]} ${words}`, width: 8, picture: (x, y) => [layer && outcome === VIOLATES ? hollow(x + 4, y) : markElement(outcome, x + 4, y, theme.bound)] });
    if (counts[VIOLATES] + counts[FAILED] && counts[DONE]) {
      const picture = (x, y) => (layer ? [svgElement("path", { d: pathOf(x + 4, y, RADIUS), fill: theme.ink })] : grid ? [svgElement("circle", { cx: x + 4, cy: y, r: 2, fill: theme.paper, stroke: theme.ink })] : [dot(x + 4, y, theme.ink)]);
      items.push({ text: `${counts[DONE]} done`, width: 8, picture });
    }
    mark(VIOLATES, counts[VIOLATES] === 1 ? "violates limits" : "violate limits");
    mark(FAILED, "failed");
    if (layer) {
      const sizes = [...new Set([1, Math.round(Math.sqrt(layer.largest)), layer.largest])].filter((n) => n > 0);
      const picture = (x, y) => sizes.map((n, k) => svgElement("path", { d: pathOf(x + 6 + 13 * k, y, radiusOf(n, layer.largest)), fill: theme.ink }));
      items.push({ text: `${sizes.join(", ")} runs in a hexagon`, width: 13 * sizes.length, picture });
    }
    return items;
  }

  /* ---- the marks ---- */

  /* Layers of the runs in a plane, outside of the brushes and within them: { done, others: rows, hexagons of the done ones, around: [hexagons of
   * those that violate limits, of those that failed]; null where runs are drawn one by one }.
   * place(row): [x, y]; q: as plane has it; colour: of its column, or null. */
  function layersOf(section, rows, place, q, colour) {
    const dense = rows.length > DENSE && !q.join;
    const value = (row) => (colour ? colour.scale.at(colour.c.v[row]) : NaN);
    const group = (row) => (q.group ? q.group(row) : 0);
    return [0, 1].map((inside) => {
      const here = rows.filter((row) => section.mask[row] === inside);
      const done = here.filter((row) => section.outcome[row] === DONE);
      const others = here.filter((row) => section.outcome[row] !== DONE);
      return { done, others, hexagons: dense ? hexagons(done, place, value, group) : null, around: dense ? [VIOLATES, FAILED].map((o) => hexagons(others.filter((row) => section.outcome[row] === o), place, () => NaN, () => 0)) : null };
    });
  }

  function drawCross(context, x, y, r) {
    const arm = 0.75 * r;
    context.stroke(new Path2D(`M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x - arm} ${y + arm}L${x + arm} ${y - arm}`));
  }

  function drawPoints(section, context, layers, place, q, colour) {
    const { theme } = section;
    const ofGroup = (g) => (g < 0 ? theme.quiet : theme.list[g % theme.list.length]);
    const ofRow = (row) => (colour ? css(colour.of(colour.c.v[row])) : ofGroup(q.group ? q.group(row) : 0));
    layers.forEach(({ done, others, hexagons: bins, around }, inside) => {
      context.globalAlpha = inside ? 0.9 : 0.25;
      if (around) {
        context.strokeStyle = inside ? theme.bound : theme.quiet;
        context.lineWidth = 1.2;
        around[0].cells.forEach((cell) => drawHexagon(context, cell.x, cell.y, radiusOf(cell.n, around[0].largest), true));
        around[1].cells.forEach((cell) => drawCross(context, cell.x, cell.y, radiusOf(cell.n, around[1].largest)));
      } else {
        others.forEach((row) => {
          const [x, y] = place(row);
          if (Number.isFinite(x) && Number.isFinite(y)) drawMark(context, section.outcome[row], x, y, inside ? theme.bound : theme.quiet);
        });
      }
      context.globalAlpha = inside ? 1 : bins ? 0.3 : 0.15;
      if (bins) {
        bins.cells.forEach((cell) => {
          context.fillStyle = !inside ? theme.quiet : colour ? css(colour.shade(cell.mean)) : ofGroup(cell.group);
          drawHexagon(context, cell.x, cell.y, radiusOf(cell.n, bins.largest));
        });
        return;
      }
      if (q.join && done.length > DENSE) return; /* their line tells */
      done.forEach((row) => {
        const [x, y] = place(row);
        if (!Number.isFinite(x) || !Number.isFinite(y)) return;
        context.fillStyle = inside ? ofRow(row) : theme.quiet;
        context.beginPath();
        context.arc(x, y, 3, 0, 6.2832);
        context.fill();
      });
    });
    context.globalAlpha = 1;
  }

  /* Lines between the runs of a group, in the order of x; they are broken at a run without a value. */
  function drawJoined(section, context, q, px, py) {
    const groups = new Map();
    q.rows.forEach((row) => {
      const g = q.group ? q.group(row) : 0;
      if (!groups.has(g)) groups.set(g, []);
      groups.get(g).push(row);
    });
    groups.forEach((rows, g) => {
      context.strokeStyle = section.theme.list[Math.max(0, g) % section.theme.list.length];
      context.lineWidth = 1.6;
      context.beginPath();
      let down = false;
      rows.sort((a, b) => q.x.v[a] - q.x.v[b]).forEach((row) => {
        const [x, y] = [px(q.x.v[row]), py(q.y.v[row])];
        if (!Number.isFinite(y)) down = false;
        else if (down) context.lineTo(x, y);
        else context.moveTo(x, y), (down = true);
      });
      context.stroke();
    });
  }

  /* A ring about the best run, with its name, in the colours ink and paper. */
  function bestMark(x, y, box, { ink, paper }) {
    const right = x < (box.left + box.right) / 2;
    const ring = (stroke, width) => svgElement("circle", { cx: x, cy: y, r: 7, fill: "none", stroke, "stroke-width": width });
    const name = { x: right ? x + 12 : x - 12, y: y < box.top + 20 ? y + 18 : y + 4, "text-anchor": right ? "start" : "end", fill: ink, stroke: paper, "stroke-width": 3, "paint-order": "stroke" };
    return [ring(paper, 4), ring("#d55e00", 2.2), svgElement("text", name, "best")];
  }

  Object.assign(window.mbopt_study_parts, { legendItems, layersOf, drawPoints, drawJoined, bestMark });
})();
