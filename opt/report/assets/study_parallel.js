/* Parallel coordinates of many runs: a line for each run, a brush on every axis. */
(function () {
  "use strict";

  const { element, svgElement, short, shortened } = window.mbopt_drawing;
  const { DONE, VIOLATES, FAILED, DENSE, countsOf, legendOf, drawLegend, shadesPicture, lineCounts } = window.mbopt_study_parts;
  const { scaleOf, isLog, rangeOfColumn, ticksOfAxis, colouring, css, selectOf, button, frame, wordsOf } = window.mbopt_study_parts;

  /* ---- parallel coordinates ---- */

  const CHUNK = 1500; /* lines at once */
  const DASHED = { [DONE]: [], [VIOLATES]: [6, 4], [FAILED]: [1.5, 3] };

  function parallel(section, axes, colourBy, title, caption) {
    const f = frame(section, title, caption);
    let colour = colouring(section, colourBy);
    let shown = axes.slice();
    let scales = [];
    let places = [];
    let shape = null;
    const zooms = new Map(); /* of columns: the ranges that their axes show instead of all */
    const filters = element("div", { className: "study-filters" });
    const choice = element("details", { className: "study-axes" }, [element("summary", { textContent: "Axes" })]);
    section.columns.forEach((c) => {
      const box = element("input", { type: "checkbox", checked: shown.includes(c) });
      box.addEventListener("change", () => {
        shown = section.columns.filter((q) => (q === c ? box.checked : shown.includes(q)));
        redraw();
      });
      choice.append(element("label", {}, [box, " ", c.title]));
    });
    f.head.append(
      element("label", {}, ["colour", selectOf("Colour by", section.columns.map((c) => [c.k, c.title]), colourBy.k, (k) => {
        colour = colouring(section, section.columns[k]);
        redraw();
      })])
    );
    f.scroll.after(filters);
    f.figure.lastChild.before(choice);

    /* An axis shows the range of its filter, or all again. */
    const pairOf = (c) => section.data.pairs && section.data.pairs.find((p) => p.includes(c.k) && p.every((k) => k >= 0));
    const zoomable = (c) => !c.words && section.brushes.has(c.k) && section.brushes.get(c.k)[1] > section.brushes.get(c.k)[0];
    function zoom(c, range) {
      (pairOf(c) || [c.k]).forEach((k) => (range ? zooms.set(k, range) : zooms.delete(k)));
    }
    const zoomIn = button("Zoom to filters", () => {
      shown.filter(zoomable).forEach((c) => zoom(c, section.brushes.get(c.k).slice()));
      redraw();
    });
    const zoomOut = button("Reset zoom", () => {
      zooms.clear();
      redraw();
    });
    f.tools.prepend(zoomIn, zoomOut);
    f.box.addEventListener("dblclick", () => zoomOut.click());

    /* Start and result of a variable share their range, or ends that agree would seem to spread. */
    function rangeOf(c) {
      const pair = pairOf(c);
      if (zooms.has(c.k)) return zooms.get(c.k);
      if (!pair) return rangeOfColumn(c);
      const both = pair.map((k) => section.columns[k]);
      return rangeOfColumn({ low: Math.min(...both.map((q) => q.low)), high: Math.max(...both.map((q) => q.high)) });
    }

    function redraw() {
      const room = f.scroll.clientWidth;
      if (!room || !shown.length) return;
      const least = 92;
      const width = Math.max(room, 40 + least * shown.length);
      const plain = 330;
      const legend = legendOf(legendItems(), room - 16);
      const height = plain + legend.height;
      const context = f.size(width, height);
      const theme = section.theme;
      const top = 52;
      const bottom = plain - 30;
      const side = Math.min(70, width / (2 * shown.length));
      places = shown.map((_, i) => (shown.length > 1 ? side + (i * (width - 2 * side)) / (shown.length - 1) : width / 2));
      scales = shown.map((c) => scaleOf(rangeOf(c), isLog(c), c.floor));
      shape = { top, bottom, width, height };
      zoomIn.disabled = !shown.some(zoomable);
      zoomOut.disabled = !zooms.size;
      clipTo(context);
      if (section.n > DENSE) density(context);
      else lines(context);
      drawLegend(f.svg, legend, 8, plain - 4, theme);
      const between = shown.length > 1 ? places[1] - places[0] : width;
      shown.forEach((c, i) => axis(c, i, between, theme));
      overlay();
    }

    /* Lines leave zoomed axes at their ends. */
    const clip = svgElement("clipPath", { id: `axes${(parallel.count = (parallel.count || 0) + 1)}` });
    function clipTo(context) {
      const room = 6;
      const [y, height] = [shape.top - room, shape.bottom - shape.top + 2 * room];
      clip.replaceChildren(svgElement("rect", { x: 0, y, width: shape.width, height }));
      f.svg.append(clip);
      context.beginPath();
      context.rect(0, y, shape.width, height);
      context.clip();
    }

    const yOf = (i, v) => shape.bottom - scales[i].at(v) * (shape.bottom - shape.top);

    /* What colours, dashes and density mean, and how many runs have each. */
    function legendItems() {
      const { theme } = section;
      const counts = countsOf(section, section.all);
      const rough = (v) => colour.c.text(colour.c.words ? v : Number(v.toPrecision(3)));
      const items = [{ text: `${section.n > DENSE ? "mean " : ""}${colour.c.title}, ${colour.scale.range.map(rough).join(" to ")}`, width: 48, picture: shadesPicture(section, 48) }];
      if (section.n > DENSE) {
        const fade = (x, y) => [0.15, 0.35, 0.6, 1].map((opacity, k) => svgElement("path", { d: `M${x + 12 * k} ${y}h12`, stroke: theme.ink, "stroke-width": 8, "stroke-opacity": opacity }));
        items.push({ text: "few to many runs", width: 48, picture: fade });
      }
      const others = [[VIOLATES, counts[VIOLATES] === 1 ? "violates limits" : "violate limits"], [FAILED, "failed"]].filter(([o]) => counts[o]).map(([o, words]) => ({ text: `${counts[o]} ${words}`, dash: DASHED[o] }));
      const told = section.n > DENSE && others.length ? [{ text: others.map((o) => o.text).join(", "), dash: [] }] : others;
      told.forEach(({ text, dash }) => items.push({ text, width: 26, picture: (x, y) => [svgElement("path", { d: `M${x} ${y}h26`, stroke: theme.bound, "stroke-width": 2, "stroke-dasharray": dash.join(" ") || "none" })] }));
      return items;
    }

    const colourOf = (row) => (section.outcome[row] === DONE ? css(colour.of(colour.c.v[row])) : section.theme.bound);

    /* The last are drawn over the others: those within the brushes, and of them those that are done, and of these those with the least colour. */
    function lines(context) {
      const { order } = section.ordered(colour.c);
      const rank = (row) => (section.mask[row] ? (section.outcome[row] === DONE ? 2 : 1) : 0);
      const heights = shown.map((c, i) => c.v.map((v) => yOf(i, v)));
      context.lineJoin = "bevel";
      order.slice().sort((a, b) => rank(a) - rank(b)).forEach((row) => {
        context.globalAlpha = section.mask[row] ? 0.85 : 0.12;
        context.strokeStyle = section.mask[row] ? colourOf(row) : section.theme.quiet;
        context.setLineDash(DASHED[section.outcome[row]]);
        context.beginPath();
        let down = false;
        heights.forEach((h, i) => {
          const y = h[row];
          if (!(y === y)) down = false;
          else if (down) context.lineTo(places[i], y);
          else context.moveTo(places[i], y), (down = true);
        });
        context.stroke();
      });
      context.setLineDash([]);
      context.globalAlpha = 1;
    }

    /* Thousands of lines as their density, in layers from below: runs outside of the brushes, those that violate limits or failed, and the others in
     * the mean of their colours. Some are counted at once and the others while the page is read. */
    let counting = 0;
    function density(context) {
      const { theme } = section;
      const sharp = f.canvas.width / shape.width;
      const [width, height] = [f.canvas.width, Math.ceil((shape.bottom + 6) * sharp)];
      const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
      const [quiet, bound] = [rgb(theme.quiet), rgb(theme.bound)];
      const layers = [[() => quiet, 0.35], [() => bound, 0.7], [colour.shade, 1]].map(([shade, most]) => ({ shade, most, counts: lineCounts(width, height) }));
      const heights = shown.map((c, i) => c.v.map((v) => yOf(i, v) * sharp));
      const from = (k) => {
        const end = Math.min(section.n, k + CHUNK);
        for (let row = k; row < end; row++) {
          const layer = !section.mask[row] ? 0 : section.outcome[row] === DONE ? 2 : 1;
          const u = colour.scale.at(colour.c.v[row]);
          layers[layer].counts.add(heights.map((h, i) => [places[i] * sharp, h[row]]), Number.isFinite(u) ? Math.max(0, Math.min(1, u)) : 0.5);
        }
        if (end < section.n && Date.now() - paused < 60) {
          from(end);
          return;
        }
        context.clearRect(0, 0, shape.width, shape.height);
        layers.forEach(({ shade, most, counts }) => counts.largest() && context.drawImage(counts.paint(shade, most), 0, 0, shape.width, height / sharp));
        paused = Date.now();
        counting = end < section.n ? window.setTimeout(() => from(end), 0) : 0;
      };
      let paused = Date.now();
      window.clearTimeout(counting);
      from(0);
    }

    function axis(c, i, between, theme) {
      const x = places[i];
      const { top, bottom } = shape;
      const g = svgElement("g", { class: "study-axis", tabindex: 0, role: "group" });
      const brush = section.brushes.get(c.k);
      g.setAttribute("aria-label", `${c.title}: ${brush ? `only ${c.text(brush[0])} to ${c.text(brush[1])}` : "all"}. Up and down move the upper end of the filter, with Shift the lower end, Delete removes it; plus zooms to it, minus shows all${zooms.has(c.k) ? " (a part is shown)" : ""}.`);
      g.append(svgElement("path", { d: `M${x} ${top}V${bottom}`, stroke: zooms.has(c.k) ? theme.accent : theme.ink, "stroke-width": zooms.has(c.k) ? 2.5 : 1, fill: "none" }));
      if (c === colour.c) strip(g, i);
      const halo = { stroke: theme.paper, "stroke-width": 3, "paint-order": "stroke" };
      const ticks = ticksOfAxis(c, scales[i], bottom - top, 52);
      const roomOfTick = i + 1 < shown.length ? between - 8 : Math.max(30, shape.width - x - 2);
      const last = i + 1 === shown.length && shown.length > 1;
      ticks.forEach((t) => {
        const y = yOf(i, t.v);
        if (y < top - 1 || y > bottom + 1) return;
        g.append(svgElement("path", { d: `M${x - 3} ${y}H${x + 3}`, stroke: theme.ink }));
        g.append(svgElement("text", { x: last ? x - 6 : x + 6, y: y + 4, "text-anchor": last ? "end" : "start", fill: theme.ink, ...halo }, shortened(t.label, last ? between - 8 : roomOfTick)));
      });
      if (ticks.from !== null && ticks.from !== undefined) g.append(svgElement("text", { x, y: bottom + 18, "text-anchor": "middle", fill: theme.quiet, ...halo }, shortened(`from ${short(ticks.from)}`, between)));
      /* Names in two rows: neighbours may be long. */
      const lower = i % 2 === 1;
      const room = Math.min(2 * between, 2 * Math.min(x, shape.width - x) + (i === 0 || last ? between : 0));
      const anchor = i === 0 ? "start" : last ? "end" : "middle";
      const at = i === 0 ? Math.max(2, x - 60) : last ? Math.min(shape.width - 2, x + 60) : x;
      const name = svgElement("text", { x: at, y: lower ? 34 : 16, "text-anchor": anchor, fill: theme.ink, "font-weight": 600 }, shortened(c.title, Math.max(70, room)));
      name.append(svgElement("title", {}, c.title));
      g.append(name);
      if (brush) {
        const [a, b] = brush.map((v) => Math.max(top, Math.min(bottom, yOf(i, v))));
        g.append(svgElement("rect", { x: x - 7, y: b, width: 14, height: Math.max(2, a - b), fill: theme.accent, "fill-opacity": 0.3, stroke: theme.accent }));
      }
      const hit = svgElement("rect", { class: "study-hit", x: x - 14, y: top - 6, width: 28, height: bottom - top + 12, fill: "transparent", rx: 4 });
      g.append(hit);
      dragging(hit, c, i);
      g.addEventListener("keydown", (e) => keys(e, c, i));
      f.svg.append(g);
    }

    /* The axis of the column that gives the colours has them beside it. */
    function strip(g, i) {
      const steps = 48;
      const h = (shape.bottom - shape.top) / steps;
      for (let k = 0; k < steps; k++) {
        const v = scales[i].back((k + 0.5) / steps);
        g.append(svgElement("rect", { x: places[i] - 2.5, y: shape.bottom - (k + 1) * h, width: 5, height: h + 0.5, fill: css(colour.of(v)) }));
      }
    }

    const valueAt = (i, y) => scales[i].back(Math.max(0, Math.min(1, (shape.bottom - y) / (shape.bottom - shape.top))));

    /* A drag makes a brush, a drag of a brush moves it, a click removes it. */
    function dragging(hit, c, i) {
      hit.addEventListener("pointerdown", (e) => {
        if (e.button) return;
        e.preventDefault();
        e.stopPropagation();
        hit.parentNode.focus({ preventScroll: true });
        const from = f.place(e).y;
        const old = section.brushes.get(c.k);
        const all = old && yOf(i, old[0]) > shape.bottom - 1 && yOf(i, old[1]) < shape.top + 1; /* as after a zoom: nowhere to move it */
        const inside = old && !all && from <= yOf(i, old[0]) + 1 && from >= yOf(i, old[1]) - 1;
        let moved = false;
        const move = (q) => {
          const to = f.place(q).y;
          moved = moved || Math.abs(to - from) > 3;
          if (!moved) return;
          const ends = inside ? old.map((v) => valueAt(i, yOf(i, v) + to - from)) : [valueAt(i, Math.max(from, to)), valueAt(i, Math.min(from, to))];
          section.brush(c, ends);
        };
        const up = () => {
          window.removeEventListener("pointermove", move);
          window.removeEventListener("pointerup", up);
          if (!moved && old) section.brush(c, null);
        };
        window.addEventListener("pointermove", move);
        window.addEventListener("pointerup", up);
      });
      hit.addEventListener("click", (e) => e.stopPropagation());
    }

    function keys(e, c, i) {
      const by = { ArrowUp: 1, ArrowDown: -1 }[e.key];
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (by) {
        const s = scales[i];
        const brush = (section.brushes.get(c.k) || s.range).map((v) => s.at(v));
        const step = by * (c.words ? 1 / Math.max(1, c.words.length) : 0.05);
        const end = e.shiftKey ? 0 : 1;
        brush[end] = Math.max(end ? brush[0] : 0, Math.min(end ? 1 : brush[1], brush[end] + step));
        section.brush(c, brush.map((u) => s.back(u)));
      } else if (e.key === "Delete" || e.key === "Escape" || e.key === "Home") section.brush(c, null);
      else if ((e.key === "+" || e.key === "=") && zoomable(c)) {
        zoom(c, section.brushes.get(c.k).slice());
        redraw();
      } else if (e.key === "-") {
        zoom(c, null);
        redraw();
      } else return;
      e.preventDefault();
      e.stopPropagation();
      const again = f.svg.querySelectorAll(".study-axis")[i];
      if (again) again.focus({ preventScroll: true });
    }

    function listFilters() {
      const chips = [...section.brushes].map(([k, ends]) => {
        const c = section.columns[k];
        const parts = [c.title];
        if (c.words) parts.push(`: ${c.words.filter((_, w) => w >= ends[0] && w <= ends[1]).join(", ") || "none"}`);
        else {
          [0, 1].forEach((end) => {
            const input = element("input", { type: "number", step: "any", value: Number(ends[end].toPrecision(6)) });
            input.setAttribute("aria-label", `${c.title}: ${end ? "at most" : "at least"}`);
            input.addEventListener("change", () => {
              const v = Number(input.value);
              if (input.value === "" || !Number.isFinite(v)) return;
              const now = section.brushes.get(k).slice();
              now[end] = v;
              section.brush(c, now[0] <= now[1] ? now : [now[1], now[0]]);
            });
            parts.push(end ? " to " : " from ", input);
          });
        }
        const away = button("✕", () => section.brush(c, null));
        away.setAttribute("aria-label", `Remove the filter on ${c.label}`);
        return element("span", {}, [...parts, away]);
      });
      filters.replaceChildren(...chips);
    }

    function nearest(at) {
      if (!shape) return -1;
      let i = 0;
      while (i + 2 < places.length && places[i + 1] < at.x) i++;
      const j = Math.min(i + 1, places.length - 1);
      const s = j > i ? Math.max(0, Math.min(1, (at.x - places[i]) / (places[j] - places[i]))) : 0;
      let best = 14;
      let found = -1;
      for (let row = 0; row < section.n; row++) {
        if (!section.mask[row]) continue;
        const y = (1 - s) * yOf(i, shown[i].v[row]) + s * yOf(j, shown[j].v[row]);
        const d = Math.abs(y - at.y);
        if (d < best) [best, found] = [d, row];
      }
      return found;
    }

    function overlay() {
      f.over.replaceChildren();
      if (!shape) return;
      [[section.picked, section.theme.bound], [section.hover, section.theme.ink]].forEach(([row, stroke]) => {
        if (row < 0 || !shape) return;
        let d = "";
        shown.forEach((c, i) => {
          const y = yOf(i, c.v[row]);
          if (Number.isFinite(y)) d += `${d ? "L" : "M"}${places[i]} ${y.toFixed(1)}`;
        });
        const within = { d, fill: "none", "clip-path": `url(#${clip.id})` };
        f.over.append(svgElement("path", { ...within, stroke: section.theme.paper, "stroke-width": 5 }), svgElement("path", { ...within, stroke, "stroke-width": 2.2 }));
      });
      if (section.hover >= 0) f.reading.replaceChildren(...wordsOf(section, section.hover, shown, section.endOf(section.hover)));
    }
    f.box.addEventListener("pointermove", (e) => section.point(nearest(f.place(e))));
    f.box.addEventListener("pointerleave", () => section.point(-1));
    f.box.addEventListener("click", () => section.hover >= 0 && section.pick(section.hover));
    f.box.addEventListener("keydown", (e) => {
      if (e.key === "Home") {
        e.preventDefault();
        zoomOut.click();
      } else section.walk(e, section.ordered(colour.c).order, f.reading);
    });
    return { ...f, redraw, overlay, rangeOf, recolour: () => (colour = colouring(section, colour.c)), listFilters, axes: () => shown, yOf: (k, v) => yOf(shown.indexOf(section.columns[k]), v), place: (k) => places[shown.indexOf(section.columns[k])], rowAt: nearest };
  }

  window.mbopt_study_parts.parallel = parallel;
})();
