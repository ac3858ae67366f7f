/* A quantity of many runs over others: points, curves, contours. */
(function () {
  "use strict";

  const { element, svgElement, short, shortened } = window.mbopt_drawing;
  const parts = window.mbopt_study_parts;
  const { DONE, countsOf, drawMark, legendOf, drawLegend, scaleOf, isLog, rangeOfColumn, widened, ticksOfAxis, colouring, button, frame, wordsOf, colourBar } = parts;
  const { levelsOf, contourLines, legendItems, layersOf, drawPoints, drawJoined, bestMark } = parts;

  const RAIL = 18; /* [pixels] the row below a figure for runs that have no value of y */

  /* ---- a quantity over others: points, curves, contours ---- */

  /* spec(): { x, y: columns; rows; colour: column or null; grid; join: lines between points of one group; group: of a row; bands }. */
  function plane(section, title, caption, spec, head) {
    const f = frame(section, title, caption);
    let at = null;
    let view = null; /* the ranges of x and y that a drag chose; null: all */
    const shown = (v) => {
      view = v;
      redraw();
    };
    if (head) f.head.append(...head(() => shown(null)));
    f.reading.textContent = "Point at a run to read it; a click shows its values and its page; drag across to zoom.";
    f.tools.prepend(button("Reset zoom", () => shown(null)));

    function redraw() {
      const width = f.scroll.clientWidth;
      if (!width) return;
      const q = spec();
      const theme = section.theme;
      const colour = q.colour ? colouring(section, q.colour) : null;
      const rows = q.grid ? q.grid.row.filter((row) => row >= 0) : q.rows;
      const rangeOf = (c) => c.range || (q.grid ? rangeOfColumn(c) : widened(rangeOfColumn(c), isLog(c)));
      const sx = scaleOf(view ? view.x : rangeOf(q.x), isLog(q.x));
      const sy = scaleOf(view ? view.y : rangeOf(q.y), isLog(q.y), q.y.floor);
      const box = { left: 74, right: width - (colour ? 96 : 16), top: q.grid ? 44 : 36 };
      const px = (v) => box.left + sx.at(v) * (box.right - box.left);
      const py = (v) => box.bottom - sy.at(v) * (box.bottom - box.top);
      const onRail = (row) => section.outcome[row] !== DONE && !Number.isFinite(q.y.v[row]);
      const place = (row) => [px(q.x.v[row]), onRail(row) ? box.foot - RAIL / 2 : py(q.y.v[row])];
      const back = { x: (p) => sx.back((p - box.left) / (box.right - box.left)), y: (p) => sy.back((box.bottom - p) / (box.bottom - box.top)) };
      at = { q, px, py, place, box, colour, back };
      /* The legend and the rail need room below the axes, which therefore end above them. */
      const rail = rows.some(onRail) ? RAIL : 0;
      const plain = q.grid ? 420 : 320;
      Object.assign(box, { bottom: plain - 46 - rail, foot: plain - 46 });
      const seen = view ? rows.filter(within) : rows;
      const layers = q.grid ? null : layersOf(section, seen, place, q, colour);
      const legend = legendOf(legendItems(section, countsOf(section, rows), layers && layers[1].hexagons, q.grid), width - 16);
      const height = plain + legend.height;
      const context = f.size(width, height);
      at.hexagons = layers && layers[1].hexagons;
      f.svg.style.zIndex = q.grid ? 1 : 0; /* lines are over fields, and under points */
      f.canvas.style.zIndex = q.grid ? 0 : 1;
      f.over.style.zIndex = 2;
      f.svg.append(svgElement("rect", { x: 0, y: 0, width, height, fill: "none" }));
      axes(f.svg, q, sx, sy, at, theme);
      const inside = view ? clipped(context, f.svg, box) : f.svg;
      if (q.grid) field(context, inside, q, at, theme);
      else {
        if (q.join) drawJoined(section, context, q, px, py);
        drawPoints(section, context, layers, place, q, colour);
      }
      if (view) context.restore();
      if (q.bands) bands(f.svg, q, at, theme);
      drawLegend(f.svg, legend, 8, plain, theme);
      if (colour) {
        colourBar(section, f.svg, colour, box.right + 16, box.top, box.bottom, theme);
        const mean = at.hexagons ? "mean of " : "";
        const name = svgElement("text", { x: width - 4, y: 14, "text-anchor": "end", fill: theme.ink }, shortened(`colour: ${mean}${q.colour.title}`, width - 8));
        name.append(svgElement("title", {}, q.colour.title));
        f.svg.append(name);
      }
      overlay();
    }

    /* From here on the canvas draws within the axes; the group of the <svg> that does so too. */
    function clipped(context, svg, { left, right, top, foot }) {
      const id = `within${(plane.count = (plane.count || 0) + 1)}`;
      const clip = svgElement("clipPath", { id });
      const inside = svgElement("g", { "clip-path": `url(#${id})` });
      clip.append(svgElement("rect", { x: left, y: top, width: right - left, height: foot - top }));
      svg.append(clip, inside);
      context.save();
      context.beginPath();
      context.rect(left, top, right - left, foot - top);
      context.clip();
      return inside;
    }

    function axes(svg, q, sx, sy, { px, py, box }, theme) {
      const ticks = [ticksOfAxis(q.x, sx, box.right - box.left, 80), ticksOfAxis(q.y, sy, box.bottom - box.top, 40)];
      let free = 0; /* where the next label may begin */
      ticks[0].forEach((t) => {
        const x = px(t.v);
        if (x < box.left - 1 || x > box.right + 1) return;
        if (!q.grid) svg.append(svgElement("path", { d: `M${x} ${box.top}V${box.foot}`, stroke: theme.line }));
        const label = q.x.words ? shortened(t.label, Math.max(50, (box.right - box.left) / ticks[0].length)) : t.label;
        const half = label.length * 3.5;
        if (x - half < free) return;
        free = x + half + 6;
        svg.append(svgElement("text", { x, y: box.foot + 16, "text-anchor": "middle", fill: theme.quiet }, label));
      });
      ticks[1].forEach((t) => {
        const y = py(t.v);
        if (y < box.top - 1 || y > box.bottom + 1) return;
        if (!q.grid) svg.append(svgElement("path", { d: `M${box.left} ${y}H${box.right}`, stroke: theme.line }));
        svg.append(svgElement("text", { x: box.left - 6, y: y + 4, "text-anchor": "end", fill: theme.quiet }, shortened(t.label, box.left)));
      });
      svg.append(svgElement("path", { d: `M${box.left} ${box.top}V${box.foot}H${box.right}`, stroke: theme.quiet, fill: "none" }));
      if (box.foot > box.bottom) svg.append(svgElement("path", { d: `M${box.left} ${box.bottom}H${box.right}`, stroke: theme.line }), svgElement("text", { x: box.left - 6, y: box.foot - RAIL / 2 + 4, "text-anchor": "end", fill: theme.quiet }, "no value"));
      const from = (t) => (t.from === null || t.from === undefined ? "" : `, ticks from ${short(t.from)}`);
      const wide = box.right - box.left;
      const xName = svgElement("text", { x: (box.left + box.right) / 2, y: box.foot + 36, "text-anchor": "middle", fill: theme.ink }, shortened(q.x.title + from(ticks[0]), wide + 80));
      const yName = svgElement("text", { x: 6, y: q.colour ? 30 : 22, fill: theme.ink }, shortened(q.y.title + from(ticks[1]), wide));
      [[xName, q.x], [yName, q.y]].forEach(([e, c]) => e.append(svgElement("title", {}, c.title)));
      svg.append(xName, yName);
    }

    /* Which optimum the runs from one rank to another ended at. */
    function bands(svg, q, { px, py, box }, theme) {
      q.bands.forEach((b) => {
        const [x0, x1] = [Math.max(box.left, px(b.from - 0.5)), Math.min(box.right, px(b.to + 0.5))];
        const y = Math.max(box.top + 12, Math.min(box.bottom - 6, py(b.y)));
        if (x1 - x0 < 18) return;
        const words = x1 - x0 < 84 ? String(b.end < 0 ? "–" : b.end + 1) : b.text; /* one run: the number of its end alone */
        const text = svgElement("text", { x: (x0 + x1) / 2, y: y > box.top + 34 ? y - 12 : y + 22, "text-anchor": "middle", fill: theme.ink, stroke: theme.paper, "stroke-width": 3, "paint-order": "stroke" }, words);
        text.append(svgElement("title", {}, b.text));
        svg.append(text);
      });
    }

    /* Colours between the runs of a grid by the values at its corners, and lines between equally many runs each. */
    function field(context, svg, q, { px, py, box, colour }, theme) {
      const { xs, ys, row } = q.grid;
      const value = (i, j) => (row[j * xs.length + i] < 0 ? NaN : q.colour.v[row[j * xs.length + i]]);
      const X = xs.map(px);
      const Y = ys.map(py);
      const [w, h] = [Math.round(box.right - box.left), Math.round(box.bottom - box.top)];
      const picture = element("canvas", { width: w, height: h });
      const image = picture.getContext("2d").createImageData(w, h);
      for (let j = 0; j + 1 < ys.length; j++) {
        for (let i = 0; i + 1 < xs.length; i++) {
          const [a, b, c, d] = [value(i, j), value(i + 1, j), value(i, j + 1), value(i + 1, j + 1)];
          if (![a, b, c, d].every(Number.isFinite)) continue;
          const near = [[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]].some(([k, l]) => section.mask[row[l * xs.length + k]]);
          const [x0, x1] = [Math.round(X[i] - box.left), Math.round(X[i + 1] - box.left)];
          const [y0, y1] = [Math.round(Y[j + 1] - box.top), Math.round(Y[j] - box.top)];
          for (let y = Math.max(0, y0); y < Math.min(h, y1); y++) {
            const t = (Y[j] - box.top - y - 0.5) / (Y[j] - Y[j + 1]);
            for (let x = Math.max(0, x0); x < Math.min(w, x1); x++) {
              const s = (x + 0.5 + box.left - X[i]) / (X[i + 1] - X[i]);
              const shade = colour.of((1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * c + s * d));
              image.data.set([shade[0], shade[1], shade[2], near ? 255 : 40], 4 * (y * w + x));
            }
          }
        }
      }
      picture.getContext("2d").putImageData(image, 0, 0);
      context.drawImage(picture, box.left, box.top, w, h);
      const levels = levelsOf(row.filter((r) => r >= 0).map((r) => q.colour.v[r]), 9);
      svg.append(...contourLines({ nx: xs.length, ny: ys.length, value, X, Y }, levels, q.colour.text, box, theme.contour));
      nodes(context, row, xs.length, X, Y, theme);
      const best = row.findIndex((r) => r >= 0 && section.run[r] === section.data.best);
      if (best >= 0) svg.append(...bestMark(X[best % xs.length], Y[Math.floor(best / xs.length)], box, { ink: "#1d2430", paper: "#ffffff" }));
    }

    /* The runs of a grid, where there is room for them: white dots, and marks with dark edges. */
    function nodes(context, row, nx, X, Y, theme) {
      const few = row.length <= 1600;
      row.forEach((r, k) => {
        if (r < 0) return;
        const [x, y] = [X[k % nx], Y[Math.floor(k / nx)]];
        const outcome = section.outcome[r];
        context.fillStyle = !section.mask[r] ? theme.quiet : outcome === DONE ? "#ffffff" : theme.bound;
        if (outcome === DONE || !few) {
          if (outcome !== DONE || few) context.fillRect(x - 0.7, y - 0.7, 1.4, 1.4);
          return;
        }
        drawMark(context, outcome, x, y, "#1d2430", 3.6);
        drawMark(context, outcome, x, y, section.mask[r] ? "#ffb000" : theme.quiet);
      });
    }

    /* Of a zoomed figure a run may lie elsewhere. */
    function within(row) {
      const { place, box } = at;
      const [x, y] = place(row);
      return x > box.left - 1 && x < box.right + 1 && y > box.top - 1 && y < box.foot + 1;
    }

    /* The run at a place: of a grid the nearest of its points, of others within a finger's width. */
    function nearest(e) {
      if (!at) return -1;
      const { q, place, box } = at;
      let best = q.grid ? Infinity : 30;
      let found = -1;
      if (e.x < box.left - 12 || e.x > box.right + 12 || e.y < box.top - 12 || e.y > box.foot + 12) return -1;
      (q.grid ? q.grid.row : q.rows).forEach((row) => {
        if (row < 0 || (!q.grid && !section.mask[row]) || (view && !within(row))) return;
        const [x, y] = place(row);
        const d = Math.hypot(x - e.x, y - e.y);
        if (d < best) [best, found] = [d, row];
      });
      return found;
    }

    function overlay() {
      f.over.replaceChildren();
      if (!at) return;
      const { q, place } = at;
      const best = q.grid || q.bands ? -1 : q.rows.find((row) => section.run[row] === section.data.best);
      if (best >= 0 && within(best) && place(best).every(Number.isFinite)) f.over.append(...bestMark(...place(best), at.box, section.theme));
      [[section.picked, section.theme.bound], [section.hover, section.theme.ink]].forEach(([row, stroke]) => {
        if (row < 0 || (view && !within(row))) return;
        const [x, y] = place(row);
        if (!Number.isFinite(x) || !Number.isFinite(y)) return;
        f.over.append(svgElement("circle", { cx: x, cy: y, r: 6, fill: "none", stroke: section.theme.paper, "stroke-width": 4.5 }), svgElement("circle", { cx: x, cy: y, r: 6, fill: "none", stroke, "stroke-width": 2 }));
      });
      if (section.hover < 0) return;
      const columns = [...new Set([q.x, q.y, q.colour].filter((c) => c && c.withUnit))];
      const cell = at.hexagons && at.hexagons.at(...place(section.hover));
      const more = [section.endOf(section.hover), cell && cell.n > 1 ? `${cell.n} runs in its hexagon` : ""].filter(Boolean).join(", ");
      f.reading.replaceChildren(...wordsOf(section, section.hover, columns, more));
    }

    /* In a grid the arrows go to its neighbours, else from run to run along x. */
    function keys(e) {
      const { q } = at || {};
      if (!q) return;
      if (e.key === "Home") {
        e.preventDefault();
        shown(null);
        return;
      }
      if (!q.grid) {
        section.walk(e, q.rows.slice().sort((a, b) => q.x.v[a] - q.x.v[b]), f.reading);
        return;
      }
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
      const { xs, ys, row } = q.grid;
      if (!by) {
        section.walk(e, [], f.reading);
        return;
      }
      const k = row.indexOf(section.hover);
      const i = k < 0 ? 0 : Math.max(0, Math.min(xs.length - 1, (k % xs.length) + by[0]));
      const j = k < 0 ? 0 : Math.max(0, Math.min(ys.length - 1, Math.floor(k / xs.length) + by[1]));
      e.preventDefault();
      f.reading.setAttribute("aria-live", "polite");
      section.point(row[j * xs.length + i]);
    }
    /* A drag across chooses what is shown; then the click that ends it picks nothing. */
    const zoom = element("b", { className: "curve-frame", hidden: true });
    let from = null;
    let dragged = false;
    f.box.append(zoom);
    f.box.addEventListener("pointermove", (e) => {
      const to = f.place(e);
      zoom.hidden = !from || Math.hypot(to.x - from.x, to.y - from.y) < 8;
      if (from) Object.assign(zoom.style, { left: `${Math.min(from.x, to.x)}px`, top: `${Math.min(from.y, to.y)}px`, width: `${Math.abs(to.x - from.x)}px`, height: `${Math.abs(to.y - from.y)}px` });
      section.point(nearest(to));
    });
    f.box.addEventListener("pointerdown", (e) => {
      from = e.button === 0 && e.pointerType !== "touch" && at ? f.place(e) : null;
      dragged = false;
    });
    f.box.addEventListener("pointerup", (e) => {
      const to = f.place(e);
      zoom.hidden = true;
      dragged = Boolean(from) && Math.hypot(to.x - from.x, to.y - from.y) > 8;
      if (from && Math.abs(to.x - from.x) > 8 && Math.abs(to.y - from.y) > 8) {
        const ends = (k) => [at.back[k](from[k]), at.back[k](to[k])].sort((a, b) => a - b);
        shown({ x: ends("x"), y: ends("y") });
      }
      from = null;
    });
    f.box.addEventListener("pointerleave", () => {
      zoom.hidden = true;
      section.point(-1);
    });
    f.box.addEventListener("dblclick", () => shown(null));
    f.box.addEventListener("click", () => !dragged && section.hover >= 0 && section.pick(section.hover));
    f.box.addEventListener("keydown", keys);
    return { ...f, redraw, overlay, recolour: () => {}, at: () => at, rowAt: nearest };
  }

  window.mbopt_study_parts.plane = plane;
})();
