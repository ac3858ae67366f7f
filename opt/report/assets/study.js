/* Figures of many runs: mbopt_study(container, data) draws what opt/report/study_view.h describes. Parallel coordinates have a brush on every
 * axis; runs outside of the brushes are pale in all figures. The mouse reads runs, a click picks one: its values and its page. Lines and
 * points are drawn on a <canvas>, axes as <svg> over it. */
(function () {
  "use strict";

  const { element, svgElement, short, ticksOf, logTicks, shortened, save, quoted, paletteOf } = window.mbopt_drawing;

  /* ---- data ---- */

  function bytesOf(text) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes.buffer;
  }

  const ints = (text) => new Int32Array(bytesOf(text));

  function columnsOf(data) {
    return data.columns.map((c, k) => {
      const v = new Float64Array(bytesOf(data.v[k]));
      const unit = c.unit && c.unit !== "-" && c.unit !== "1" ? c.unit : "";
      let low = Infinity;
      let high = -Infinity;
      v.forEach((x) => {
        if (x < low) low = x;
        if (x > high) high = x;
      });
      /* Objectives of optima that are rounding beside those of the start are on one level. */
      const floor = data.same > 0 && k === data.first && low >= 0 && low < data.same ? data.same : undefined;
      if (floor) low = Math.min(floor, high);
      const title = unit ? `${c.label} [${unit}]` : c.label;
      const text = (x) => (c.words ? c.words[Math.round(x)] || "–" : short(x));
      return { ...c, k, v, unit, low, high, floor, title, text, withUnit: (x) => (unit && Number.isFinite(x) ? `${text(x)} ${unit}` : text(x)) };
    });
  }

  /* ---- scales ---- */

  const same = (v) => v;
  const raise = (v) => Math.pow(10, v);

  /* From the values of an axis to 0 .. 1 and back; floor: values below it lie on it. */
  function scaleOf(range, log, floor) {
    const f = log ? Math.log10 : same;
    const g = log ? raise : same;
    const [a, b] = range.map(f);
    const width = b - a || 1;
    const at = (v) => (f(floor !== undefined && v < floor ? floor : v) - a) / width;
    return { range, log, at, back: (u) => g(a + u * width) };
  }

  const isLog = (c) => Boolean(c.low > 0 && (c.log || (c.floor && c.high >= 100 * c.low)));

  /* The least and the largest value, with a margin where there is none between the two. */
  function rangeOfColumn(c) {
    if (!(c.low <= c.high)) return [0, 1];
    if (c.words) return [-0.4, c.words.length - 0.6];
    if (c.low < c.high) return [c.low, c.high];
    const room = 0.5 * Math.abs(c.low) || 1;
    return [c.low - room, c.low + room];
  }

  function widened(range, log) {
    if (log) {
      const by = Math.pow(range[1] / range[0], 0.03);
      return [range[0] / by, range[1] * by];
    }
    const margin = 0.04 * (range[1] - range[0]);
    return [range[0] - margin, range[1] + margin];
  }

  function ticksOfAxis(c, scale, pixels, each) {
    if (c.words) return c.words.map((label, v) => ({ v, label }));
    const t = scale.log ? logTicks(scale.range[0], scale.range[1], pixels / each) : ticksOf(scale.range[0], scale.range[1], pixels / each);
    t.list.from = t.from;
    return t.list;
  }

  /* ---- colours ---- */

  const SHADES = {
    light: ["#440154", "#472c7a", "#3b518b", "#2c718e", "#21908d", "#27ad81", "#5cc863", "#94cb35"],
    dark: ["#fde725", "#aadc32", "#5cc863", "#2fb47c", "#26a197", "#3f88b0", "#6b74b8", "#8a63b0"],
  };
  const mixed = (a, b, s) => [1, 3, 5].map((k) => Math.round((1 - s) * parseInt(a.slice(k, k + 2), 16) + s * parseInt(b.slice(k, k + 2), 16)));

  function tableOfShades(dark) {
    const stops = SHADES[dark ? "dark" : "light"];
    return Array.from({ length: 64 }, (_, i) => {
      const at = (i / 63) * (stops.length - 1);
      const k = Math.min(Math.floor(at), stops.length - 2);
      return mixed(stops[k], stops[k + 1], at - k);
    });
  }

  /* Ends of the colours: a few values far from all others would leave these one colour. Far is more than three times the width of the middle
   * half from it [Tukey 1977, outer fences], if without them less than half of the range is left. */
  function fences(values, log) {
    const v = values.filter((x) => Number.isFinite(x) && (!log || x > 0)).sort((a, b) => a - b);
    const n = v.length;
    if (!n) return [0, 1];
    const f = log ? Math.log10 : same;
    const [a, q1, q3, b] = [v[0], v[n >> 2], v[n - 1 - (n >> 2)], v[n - 1]].map(f);
    const low = Math.max(a, q1 - 3 * (q3 - q1));
    const high = Math.min(b, q3 + 3 * (q3 - q1));
    const cut = high > low && high - low < 0.5 * (b - a);
    const g = log ? raise : same;
    const ends = [cut && low > a ? g(low) : v[0], cut && high < b ? g(high) : v[n - 1]];
    return ends[1] - ends[0] > 1e-6 * Math.max(Math.abs(ends[0]), Math.abs(ends[1])) ? ends : [v[0], v[n - 1]];
  }

  function colouring(section, c) {
    const values = Array.from(c.v, (v) => (c.floor && v < c.floor ? c.floor : v));
    const log = isLog(c);
    const ends = c.words ? [0, Math.max(1, c.words.length - 1)] : fences(values, log);
    const scale = scaleOf(ends, log, c.floor);
    const of = (v) => section.shades[Math.max(0, Math.min(63, Math.round(63 * scale.at(v))))];
    return { c, scale, of, cut: [ends[0] > c.low, ends[1] < c.high] };
  }

  const css = (rgb) => `rgb(${rgb[0]},${rgb[1]},${rgb[2]})`;

  /* ---- a canvas with an <svg> over it ---- */

  function stage(section, label) {
    const canvas = element("canvas");
    const svg = svgElement("svg", { "font-family": "system-ui, sans-serif", "font-size": 12 });
    const over = svgElement("svg", { "font-family": "system-ui, sans-serif", "font-size": 12 });
    over.style.pointerEvents = "none";
    const box = element("div", { className: "study-chart", tabIndex: 0 }, [canvas, svg, over]);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", label);
    const size = (width, height) => {
      const sharp = Math.min(2, window.devicePixelRatio || 1);
      Object.assign(box.style, { width: `${width}px`, height: `${height}px` });
      Object.assign(canvas, { width: width * sharp, height: height * sharp });
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
      [svg, over].forEach((s) => {
        s.setAttribute("viewBox", `0 0 ${width} ${height}`);
        s.setAttribute("width", width);
        s.setAttribute("height", height);
        s.replaceChildren();
      });
      const context = canvas.getContext("2d");
      context.setTransform(sharp, 0, 0, sharp, 0, 0);
      context.clearRect(0, 0, width, height);
      return context;
    };
    const place = (e) => {
      const at = box.getBoundingClientRect();
      return { x: e.clientX - at.left, y: e.clientY - at.top };
    };
    return { box, canvas, svg, over, size, place };
  }

  function selectOf(label, options, value, act) {
    const select = element("select", {}, options.map(([v, text]) => new Option(text, v)));
    select.value = value;
    select.setAttribute("aria-label", label);
    select.addEventListener("change", () => act(Number(select.value)));
    return select;
  }

  function button(text, act) {
    const b = element("button", { type: "button", textContent: text });
    b.addEventListener("click", act);
    return b;
  }

  /* The figure as a file: what the canvas has as an image, in the order in which they lie over each other. */
  function fileOf({ canvas, svg, over }, paper) {
    const [width, height] = ["width", "height"].map((k) => svg.getAttribute(k));
    const root = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "system-ui, sans-serif", "font-size": 12 });
    const image = svgElement("image", { href: canvas.toDataURL("image/png"), width, height });
    const drawn = Array.from(svg.cloneNode(true).childNodes);
    const above = Number(svg.style.zIndex) >= Number(canvas.style.zIndex);
    root.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    root.append(svgElement("rect", { width, height, fill: paper }), ...(above ? [image, ...drawn] : [...drawn, image]), ...over.cloneNode(true).childNodes);
    return new XMLSerializer().serializeToString(root);
  }

  /* What figures have in common: head, chart, reading, caption, the runs under the mouse and the one that is picked. */
  function frame(section, title, caption) {
    const stageOf = stage(section, `${title}. Arrow keys read runs, Enter picks one.`);
    const head = element("div", { className: "curve-head" }, [element("strong", { textContent: title })]);
    const reading = element("output", { className: "curve-read" });
    const scroll = element("div", { className: "wide" }, [stageOf.box]);
    const svgText = () => fileOf(stageOf, section.theme.paper);
    const download = button("SVG", () => save(`${title.replace(/[^A-Za-z0-9._-]+/g, "_")}.svg`, "image/svg+xml", svgText()));
    const tools = element("div", { className: "curve-tools" }, [download]);
    const figure = element("figure", { className: "plot curve" }, [head, scroll, reading, tools, element("figcaption", { textContent: caption })]);
    reading.textContent = "Point at a run to read it; a click shows its values and its page.";
    const paper = element("div", { className: "curve-paper" });
    scroll.after(paper);
    return { ...stageOf, head, reading, scroll, tools, figure, title, svgText, paper };
  }

  /* The words of a reading: run, then the columns that the figure shows. */
  function wordsOf(section, row, columns, more) {
    const parts = [element("span", { textContent: `run ${section.run[row]}` })];
    if (more) parts.push(element("span", { textContent: more }));
    columns.forEach((c) => parts.push(element("span", {}, [`${c.label} `, element("strong", { textContent: c.text(c.v[row]) }), c.unit && Number.isFinite(c.v[row]) ? ` ${c.unit}` : ""])));
    return parts;
  }

  /* A bar of the colours at the right side of a figure. */
  function colourBar(section, svg, colour, x, top, bottom, theme) {
    const steps = 32;
    const h = (bottom - top) / steps;
    for (let i = 0; i < steps; i++) {
      const shade = section.shades[Math.round((63 * (i + 0.5)) / steps)];
      svg.append(svgElement("rect", { x, y: bottom - (i + 1) * h, width: 12, height: h + 0.5, fill: css(shade) }));
    }
    const ticks = ticksOfAxis(colour.c, colour.scale, bottom - top, 34);
    ticks.forEach((t) => {
      const y = bottom - colour.scale.at(t.v) * (bottom - top);
      if (y < top - 1 || y > bottom + 1) return;
      svg.append(svgElement("text", { x: x + 17, y: y + 4, fill: theme.quiet }, shortened(t.label, 62)));
    });
    const [low, high] = colour.cut;
    if (low) svg.append(svgElement("text", { x, y: bottom + 14, fill: theme.quiet }, "and less"));
    if (high) svg.append(svgElement("text", { x, y: top - 6, fill: theme.quiet }, "and more"));
  }

  /* ---- parallel coordinates ---- */

  const CHUNK = 1500; /* lines at once */

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
      const height = 330;
      const context = f.size(width, height);
      const theme = section.theme;
      const top = 52;
      const bottom = height - 30;
      const side = Math.min(70, width / (2 * shown.length));
      places = shown.map((_, i) => (shown.length > 1 ? side + (i * (width - 2 * side)) / (shown.length - 1) : width / 2));
      scales = shown.map((c) => scaleOf(rangeOf(c), isLog(c), c.floor));
      shape = { top, bottom, width, height };
      zoomIn.disabled = !shown.some(zoomable);
      zoomOut.disabled = !zooms.size;
      clipTo(context);
      lines(context);
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

    /* The last are drawn over the others: those within the brushes, and of them those with the least colour. Of very many lines some are drawn
     * at once and the others while the page is read. */
    let drawing = 0;
    function lines(context) {
      const { order } = section.ordered(colour.c);
      const inside = order.filter((row) => section.mask[row]);
      const outside = inside.length < order.length ? order.filter((row) => !section.mask[row]) : [];
      const all = outside.concat(inside);
      const many = order.length > 1500;
      const heights = shown.map((c, i) => c.v.map((v) => yOf(i, v)));
      const draw = (row) => {
        context.beginPath();
        let down = false;
        heights.forEach((h, i) => {
          const y = h[row];
          if (!(y === y)) down = false;
          else if (down) context.lineTo(places[i], y);
          else context.moveTo(places[i], y), (down = true);
        });
        context.stroke();
      };
      const from = (k) => {
        context.lineWidth = many ? 0.7 : 1;
        context.lineJoin = "bevel";
        const end = Math.min(all.length, k + CHUNK);
        for (let i = k; i < end; i++) {
          const pale = i < outside.length;
          context.globalAlpha = pale ? (many ? 0.04 : 0.12) : many ? 0.35 : 0.85;
          context.strokeStyle = pale ? section.theme.quiet : css(colour.of(colour.c.v[all[i]]));
          draw(all[i]);
        }
        context.globalAlpha = 1;
        drawing = end < all.length ? window.setTimeout(() => from(end), 0) : 0;
      };
      window.clearTimeout(drawing);
      from(0);
    }

    function axis(c, i, between, theme) {
      const x = places[i];
      const { top, bottom } = shape;
      const g = svgElement("g", { class: "study-axis", tabindex: 0, role: "group" });
      const brush = section.brushes.get(c.k);
      g.setAttribute("aria-label", `${c.title}: ${brush ? `only ${c.text(brush[0])} to ${c.text(brush[1])}` : "all"}. Up and down move the upper end of the filter, with Shift the lower end, Delete removes it; plus zooms to it, minus shows all${zooms.has(c.k) ? " (a part is shown)" : ""}.`);
      g.append(svgElement("path", { d: `M${x} ${top}V${bottom}`, stroke: zooms.has(c.k) ? theme.accent : theme.ink, "stroke-width": zooms.has(c.k) ? 2.5 : 1, fill: "none" }));
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
      const height = q.grid ? 420 : 320;
      const context = f.size(width, height);
      f.svg.style.zIndex = q.grid ? 1 : 0; /* lines are over fields, and under points */
      f.canvas.style.zIndex = q.grid ? 0 : 1;
      f.over.style.zIndex = 2;
      const theme = section.theme;
      const colour = q.colour ? colouring(section, q.colour) : null;
      const box = { left: 74, right: width - (colour ? 96 : 16), top: 36, bottom: height - 46 };
      const rangeOf = (c) => c.range || (q.grid ? rangeOfColumn(c) : widened(rangeOfColumn(c), isLog(c)));
      const sx = scaleOf(view ? view.x : rangeOf(q.x), isLog(q.x));
      const sy = scaleOf(view ? view.y : rangeOf(q.y), isLog(q.y), q.y.floor);
      const px = (v) => box.left + sx.at(v) * (box.right - box.left);
      const py = (v) => box.bottom - sy.at(v) * (box.bottom - box.top);
      const back = { x: (p) => sx.back((p - box.left) / (box.right - box.left)), y: (p) => sy.back((box.bottom - p) / (box.bottom - box.top)) };
      at = { q, px, py, box, colour, back };
      f.svg.append(svgElement("rect", { x: 0, y: 0, width, height, fill: "none" }));
      axes(f.svg, q, sx, sy, at, theme);
      const inside = view ? clipped(context, f.svg, box) : f.svg;
      if (q.grid) field(context, inside, q, at, theme);
      else points(context, q, at);
      if (view) context.restore();
      if (q.bands) bands(f.svg, q, at, theme);
      if (colour) {
        colourBar(section, f.svg, colour, box.right + 16, box.top, box.bottom, theme);
        const name = svgElement("text", { x: width - 4, y: 14, "text-anchor": "end", fill: theme.ink }, shortened(`colour: ${q.colour.title}`, width / 2));
        name.append(svgElement("title", {}, q.colour.title));
        f.svg.append(name);
      }
      overlay();
    }

    /* From here on the canvas draws within the axes; the group of the <svg> that does so too. */
    function clipped(context, svg, { left, right, top, bottom }) {
      const id = `within${(plane.count = (plane.count || 0) + 1)}`;
      const clip = svgElement("clipPath", { id });
      const inside = svgElement("g", { "clip-path": `url(#${id})` });
      clip.append(svgElement("rect", { x: left, y: top, width: right - left, height: bottom - top }));
      svg.append(clip, inside);
      context.save();
      context.beginPath();
      context.rect(left, top, right - left, bottom - top);
      context.clip();
      return inside;
    }

    function axes(svg, q, sx, sy, { px, py, box }, theme) {
      const ticks = [ticksOfAxis(q.x, sx, box.right - box.left, 80), ticksOfAxis(q.y, sy, box.bottom - box.top, 40)];
      let free = 0; /* where the next label may begin */
      ticks[0].forEach((t) => {
        const x = px(t.v);
        if (x < box.left - 1 || x > box.right + 1) return;
        if (!q.grid) svg.append(svgElement("path", { d: `M${x} ${box.top}V${box.bottom}`, stroke: theme.line }));
        const label = q.x.words ? shortened(t.label, Math.max(50, (box.right - box.left) / ticks[0].length)) : t.label;
        const half = label.length * 3.5;
        if (x - half < free) return;
        free = x + half + 6;
        svg.append(svgElement("text", { x, y: box.bottom + 16, "text-anchor": "middle", fill: theme.quiet }, label));
      });
      ticks[1].forEach((t) => {
        const y = py(t.v);
        if (y < box.top - 1 || y > box.bottom + 1) return;
        if (!q.grid) svg.append(svgElement("path", { d: `M${box.left} ${y}H${box.right}`, stroke: theme.line }));
        svg.append(svgElement("text", { x: box.left - 6, y: y + 4, "text-anchor": "end", fill: theme.quiet }, shortened(t.label, box.left)));
      });
      svg.append(svgElement("path", { d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`, stroke: theme.quiet, fill: "none" }));
      const from = (t) => (t.from === null || t.from === undefined ? "" : `, ticks from ${short(t.from)}`);
      const wide = box.right - box.left;
      const xName = svgElement("text", { x: (box.left + box.right) / 2, y: box.bottom + 36, "text-anchor": "middle", fill: theme.ink }, shortened(q.x.title + from(ticks[0]), wide + 80));
      const yName = svgElement("text", { x: 6, y: q.colour ? 30 : 22, fill: theme.ink }, shortened(q.y.title + from(ticks[1]), wide));
      [[xName, q.x], [yName, q.y]].forEach(([e, c]) => e.append(svgElement("title", {}, c.title)));
      svg.append(xName, yName);
    }

    /* Runs outside of the brushes are pale, and lie under the others. */
    function points(context, q, { px, py, colour }) {
      const many = q.rows.length > 2000;
      const size = many ? 1 : 3;
      if (q.join) joined(context, q, px, py);
      [0, 1].forEach((inside) => {
        q.rows.forEach((row) => {
          if (section.mask[row] !== inside) return;
          const x = px(q.x.v[row]);
          const y = py(q.y.v[row]);
          if (!Number.isFinite(x) || !Number.isFinite(y)) return;
          const list = section.theme.list;
          const own = colour ? css(colour.of(colour.c.v[row])) : list[(q.group ? Math.max(0, q.group(row)) : 0) % list.length];
          context.globalAlpha = inside ? (many ? 0.7 : 1) : 0.15;
          context.fillStyle = inside ? own : section.theme.quiet;
          if (many) {
            context.fillRect(x - size, y - size, 2 * size, 2 * size);
            return;
          }
          context.beginPath();
          context.arc(x, y, size, 0, 6.2832);
          context.fill();
        });
      });
      context.globalAlpha = 1;
    }

    function joined(context, q, px, py) {
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

    /* Which optimum the runs from one rank to another ended at. */
    function bands(svg, q, { px, py, box }, theme) {
      q.bands.forEach((b) => {
        const [x0, x1] = [Math.max(box.left, px(b.from - 0.5)), Math.min(box.right, px(b.to + 0.5))];
        const y = Math.max(box.top + 12, Math.min(box.bottom - 6, py(b.y)));
        if (x1 - x0 < 18 || b.end < 0) return;
        const words = x1 - x0 < 84 ? String(b.end + 1) : b.text; /* one run: the number of its end alone */
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
      levelsOf(q, 9).forEach((level) => svg.append(svgElement("path", { d: levelLine(xs.length, ys.length, value, X, Y, level), stroke: theme.contour, "stroke-width": 0.9, "stroke-opacity": 0.6, fill: "none" })));
      row.forEach((r, k) => {
        if (r < 0 || row.length > 1600) return;
        context.fillStyle = section.mask[r] ? "#ffffff" : theme.quiet;
        context.fillRect(X[k % xs.length] - 0.7, Y[Math.floor(k / xs.length)] - 0.7, 1.4, 1.4);
      });
      const best = row.findIndex((r) => r >= 0 && section.run[r] === section.data.best);
      if (best >= 0) {
        const [x, y] = [X[best % xs.length], Y[Math.floor(best / xs.length)]];
        svg.append(svgElement("circle", { cx: x, cy: y, r: 7, fill: "none", stroke: "#ffffff", "stroke-width": 4 }), svgElement("circle", { cx: x, cy: y, r: 7, fill: "none", stroke: "#d55e00", "stroke-width": 2.2 }));
        const right = x < (box.left + box.right) / 2;
        svg.append(svgElement("text", { x: right ? x + 12 : x - 12, y: y < box.top + 20 ? y + 18 : y + 4, "text-anchor": right ? "start" : "end", fill: "#1d2430", stroke: "#ffffff", "stroke-width": 3, "paint-order": "stroke" }, "best"));
      }
    }

    /* Of a zoomed figure a run may lie elsewhere. */
    function within(row) {
      const { q, px, py, box } = at;
      const [x, y] = [px(q.x.v[row]), py(q.y.v[row])];
      return x > box.left - 1 && x < box.right + 1 && y > box.top - 1 && y < box.bottom + 1;
    }

    /* The run at a place: of a grid the nearest of its points, of others within a finger's width. */
    function nearest(e) {
      if (!at) return -1;
      const { q, px, py, box } = at;
      let best = q.grid ? Infinity : 30;
      let found = -1;
      if (e.x < box.left - 12 || e.x > box.right + 12 || e.y < box.top - 12 || e.y > box.bottom + 12) return -1;
      (q.grid ? q.grid.row : q.rows).forEach((row) => {
        if (row < 0 || (!q.grid && !section.mask[row]) || (view && !within(row))) return;
        const d = Math.hypot(px(q.x.v[row]) - e.x, py(q.y.v[row]) - e.y);
        if (d < best) [best, found] = [d, row];
      });
      return found;
    }

    function overlay() {
      f.over.replaceChildren();
      if (!at) return;
      const { q, px, py } = at;
      [[section.picked, section.theme.bound], [section.hover, section.theme.ink]].forEach(([row, stroke]) => {
        if (row < 0 || (view && !within(row))) return;
        const [x, y] = [px(q.x.v[row]), py(q.y.v[row])];
        if (!Number.isFinite(x) || !Number.isFinite(y)) return;
        f.over.append(svgElement("circle", { cx: x, cy: y, r: 6, fill: "none", stroke: section.theme.paper, "stroke-width": 4.5 }), svgElement("circle", { cx: x, cy: y, r: 6, fill: "none", stroke, "stroke-width": 2 }));
      });
      if (section.hover < 0) return;
      const columns = [...new Set([q.x, q.y, q.colour].filter((c) => c && c.withUnit))];
      f.reading.replaceChildren(...wordsOf(section, section.hover, columns, section.endOf(section.hover)));
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

  /* ---- which figures ---- */

  /* Grid of the runs over two columns within a combination of words; extremes between its levels are not on it. */
  function gridOf(section, x, y, category) {
    const rows = section.all.filter((row) => row < section.data.regular && section.category[row] === category);
    const levels = (c) => [...new Set(rows.map((row) => c.v[row]))].sort((a, b) => a - b);
    const [xs, ys] = [levels(x), levels(y)];
    const row = new Array(xs.length * ys.length).fill(-1);
    const place = (list) => new Map(list.map((v, i) => [v, i]));
    const [ix, iy] = [place(xs), place(ys)];
    rows.forEach((r) => (row[iy.get(y.v[r]) * xs.length + ix.get(x.v[r])] = r));
    return { xs, ys, row };
  }

  function contours(section, x, y) {
    let z = section.first;
    let category = 0;
    const quantities = section.columns.filter((c) => c.kind === "quantity");
    const head = (again) => {
      const parts = [selectOf("Quantity", quantities.map((c) => [c.k, c.title]), z.k, (k) => {
        z = section.columns[k];
        again();
      })];
      const { categories } = section.data;
      if (categories.length > 1) {
        parts.push(selectOf("Words", categories.map((t, i) => [i, t]), category, (k) => {
          category = k;
          again();
        }));
      }
      return parts;
    };
    const spec = () => ({ x, y, rows: [], colour: z, grid: gridOf(section, x, y, category) });
    return plane(section, "Contours", `A quantity over ${x.label} and ${y.label}: colours between the runs (white dots), lines between equally many runs each.`, spec, head);
  }

  /* Any column over any other. */
  function scatter(section, x, y, colour, join) {
    let [a, b, c] = [x, y, colour];
    const options = section.columns.map((q) => [q.k, q.title]);
    const head = (again) => {
      const pick = (label, value, set) => selectOf(label, label === "Colour" ? [[-1, "no colour"], ...options] : options, value, (k) => {
        set(k < 0 ? null : section.columns[k]);
        again();
      });
      return [
        pick("Quantity", b.k, (q) => (b = q)),
        "over",
        pick("Over", a.k, (q) => (a = q)),
        element("label", {}, ["colour", pick("Colour", c ? c.k : -1, (q) => (c = q))]),
      ];
    };
    const group = (row) => section.category[row];
    const spec = () => ({ x: a, y: b, rows: section.all, colour: c, join: join && a === x && !c, group });
    const words = section.data.categories.length > 1 && join ? `, a colour for each of ${section.data.categories.join("; ")}` : "";
    const f = plane(section, "Runs", `Every run as a point${words}.`, spec, head);
    f.figure.classList.add("study-scatter");
    return f;
  }

  /* Objectives of all ends in their order, those of one optimum together; what agrees but for rounding is on one level. */
  function sorted(section) {
    const f = section.columns[section.data.first];
    const rows = section.all.filter((row) => Number.isFinite(f.v[row]));
    const end = (row) => (section.end[row] < 0 ? Infinity : section.end[row]);
    const order = rows.slice().sort((p, q) => (end(p) === end(q) ? f.v[p] - f.v[q] : end(p) - end(q)));
    const rank = new Float64Array(section.n).fill(NaN);
    order.forEach((row, i) => (rank[row] = i + 1));
    const tolerance = section.data.same || 0;
    const small = Number(tolerance.toPrecision(2));
    const least = 20 * tolerance; /* of the axis: differences that are rounding make no step */
    const middle = (f.low + f.high) / 2;
    const room = (least || 1) / 2;
    const range = isLog(f) || f.high - f.low > least ? widened([f.low, f.high], isLog(f)) : [middle - room, middle + room];
    const title = f.title + (isLog(f) && f.floor ? ` (less than ${small} is rounding)` : "");
    const bands = [];
    order.forEach((row, i) => {
      const last = bands[bands.length - 1];
      if (last && last.end === section.end[row]) last.to = i + 1;
      else bands.push({ end: section.end[row], from: i + 1, to: i + 1, y: f.v[row] });
    });
    bands.forEach((b) => (b.text = `${b.end < 0 ? "no end" : `end ${b.end + 1}`}: ${b.to - b.from + 1} run${b.to > b.from ? "s" : ""}`));
    const x = { v: rank, label: "runs", title: "runs, best end first", low: 1, high: order.length, log: false, text: short, range: [0.5, order.length + 0.5] };
    const y = { ...f, title, range };
    const spec = () => ({ x, y, rows: order, colour: null, group: (row) => section.end[row], bands });
    return plane(section, "Where the runs ended", `Objectives of all runs. Runs that ended at one optimum stand together in one colour; objectives that differ by less than ${small} are equal but for rounding.`, spec, null);
  }

  function figuresOf(section) {
    const { data, columns, first } = section;
    const keys = columns.filter((c) => c.kind === "key");
    const quantities = columns.filter((c) => c.kind === "quantity");
    const list = [];
    if (data.kind === "multistart") {
      if (first) list.push(sorted(section));
      const of = (data.pairs || []).flat().filter((k) => k >= 0).slice(0, 12).map((k) => columns[k]);
      const axes = of.concat(first ? [first] : []);
      if (axes.length > 1) list.push(parallel(section, axes, first || axes[0], "From where to where", "A line for each run from its start to its end. A drag on an axis keeps the runs within it, in all figures; zooming shows these at full height."));
      return list;
    }
    const axes = columns.filter((c) => c.kind !== "quantity").concat(quantities.slice(0, Math.max(3, 9 - keys.length)));
    if (axes.length > 2 && first) list.push(parallel(section, axes, first, "All runs", "A line for each run through its values, the least on top. A drag on an axis keeps the runs within it, in all figures; a click on it shows all again. Zooming shows what is kept at full height."));
    if (data.shape === "contours") list.push(contours(section, keys[0], keys[1]));
    if (data.shape === "curves") quantities.slice(0, 6).forEach((q) => list.push(scatter(section, keys[0], q, null, true)));
    else if (data.shape === "scatter" && first) quantities.slice(0, 6).forEach((q) => list.push(scatter(section, keys[0], keys[1], q, false)));
    else if (first) keys.slice(0, 6).forEach((k) => list.push(scatter(section, k, first, data.shape === "contours" ? keys.find((q) => q !== k) : first, false)));
    return list;
  }

  /* ---- the section ---- */

  function makeStudy(root, data) {
    const columns = columnsOf(data);
    const run = ints(data.run);
    const n = run.length;
    const section = { data, columns, run, n, all: Array.from({ length: n }, (_, i) => i), category: ints(data.category), end: data.end ? ints(data.end) : null, mask: new Uint8Array(n).fill(1), brushes: new Map(), hover: -1, picked: -1, first: data.first < 0 ? null : columns[data.first] };
    section.endOf = (row) => (!section.end ? "" : section.end[row] < 0 ? "no end" : `end ${section.end[row] + 1}`);
    const pages = new Set(data.pages.run);
    const themed = () => {
      const dark = window.mbopt_dark();
      section.theme = { ...paletteOf(root), accent: getComputedStyle(root).getPropertyValue("--accent").trim(), contour: "#ffffff" };
      section.shades = tableOfShades(dark);
    };
    themed();

    /* Rows by the values of a column, the largest first: the least are drawn over them. */
    const orders = new Map();
    section.ordered = (c) => {
      if (!orders.has(c.k)) {
        const order = section.all.slice().sort((a, b) => {
          const [p, q] = [c.v[a], c.v[b]];
          return Number.isNaN(p) || Number.isNaN(q) ? Number.isNaN(q) - Number.isNaN(p) : q - p;
        });
        orders.set(c.k, { order });
      }
      return orders.get(c.k);
    };

    /* ---- runs under the mouse, picked, within brushes ---- */
    section.point = (row) => {
      if (row === section.hover) return;
      section.hover = row;
      section.figures.forEach((f) => f.overlay());
    };
    section.pick = (row) => {
      section.picked = row;
      section.figures.forEach((f) => f.overlay());
      card();
    };
    let waiting = 0;
    section.brush = (c, ends) => {
      if (ends) section.brushes.set(c.k, ends);
      else section.brushes.delete(c.k);
      section.mask.fill(1);
      section.brushes.forEach(([low, high], k) => {
        const { v } = columns[k];
        for (let row = 0; row < n; row++) if (!(v[row] >= low && v[row] <= high)) section.mask[row] = 0;
      });
      section.figures.forEach((f) => f.listFilters && f.listFilters());
      tell();
      if (!waiting) {
        waiting = window.setTimeout(() => {
          waiting = 0;
          section.redraw();
        }, 15);
      }
    };
    /* Figures that have been near the screen. */
    section.redraw = () => {
      const axis = document.activeElement && document.activeElement.closest ? document.activeElement.closest(".study-axis") : null;
      const place = axis ? Array.from(axis.parentNode.children).indexOf(axis) : -1;
      const svg = axis && axis.parentNode;
      section.figures.forEach((f) => f.seen && f.redraw());
      if (svg && svg.children[place]) svg.children[place].focus({ preventScroll: true });
    };
    section.inside = () => section.mask.reduce((sum, m) => sum + m, 0);

    /* The keys that all figures have: from run to run, and Enter. */
    section.walk = (e, order, reading) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest(".study-axis")) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (e.key === "Enter" && section.hover >= 0) section.pick(section.hover);
      else if (by && order.length) {
        const list = order.filter((row) => section.mask[row]);
        const k = list.indexOf(section.hover);
        section.point(list[k < 0 ? 0 : Math.max(0, Math.min(list.length - 1, k + by))]);
      } else return;
      e.preventDefault();
      reading.setAttribute("aria-live", "polite");
    };

    /* ---- words around the figures ---- */
    const count = element("output");
    const bar = element("div", { className: "study-bar" }, [
      count,
      button("All runs", () => {
        section.brushes.clear();
        if (columns.length) section.brush(columns[0], null);
      }),
      button("CSV", () => save("runs.csv", "text/csv", section.csv())),
    ]);
    section.csv = () => {
      const head = ["run", ...columns.map((c) => c.title)];
      const rows = section.all.filter((row) => section.mask[row]).map((row) => [run[row], ...columns.map((c) => (c.words ? quoted(c.text(c.v[row])) : Number.isFinite(c.v[row]) ? String(c.v[row]) : ""))].join(","));
      return `${[head.map(quoted).join(","), ...rows].join("\n")}\n`;
    };
    const picked = element("div", { className: "study-picked", hidden: true });
    const best = element("div");

    function nameOf(row) {
      const number = run[row];
      if (!pages.has(number)) return String(number);
      return element("a", { href: encodeURIComponent(`${data.pages.prefix}${number}.html`), textContent: String(number) });
    }
    function card() {
      const row = section.picked;
      picked.hidden = row < 0;
      if (row < 0) return;
      const facts = columns.map((c) => element("div", {}, [element("dt", { textContent: c.label }), element("dd", { textContent: c.withUnit(c.v[row]) })]));
      const page = pages.has(run[row])
        ? element("p", {}, [element("a", { href: encodeURIComponent(`${data.pages.prefix}${run[row]}.html`), textContent: `Page of run ${run[row]}` }), ": its motion, curves and values"])
        : element("p", {}, ["Run ", String(run[row]), " has no page yet; this makes one: ", element("code", { textContent: `mbopt report ${data.folder} --runs ${run[row]}` })]);
      const end = section.endOf(row);
      picked.replaceChildren(element("h3", { textContent: `Run ${run[row]}${end ? `, ${end}` : ""}` }), element("dl", {}, facts), page);
    }
    /* The best of those within the brushes. */
    function tell() {
      const inside = section.inside();
      const drawn = n < data.done ? ` of those drawn (${n} of ${data.done})` : "";
      count.textContent = section.brushes.size ? `${inside} of ${n} runs${drawn} are within the filters.` : `${n} runs${drawn}.`;
      best.replaceChildren();
      if (!section.first || !section.brushes.size) return;
      const { order } = section.ordered(section.first);
      const rows = [];
      for (let i = order.length - 1; i >= 0 && rows.length < 5; i--) if (section.mask[order[i]] && Number.isFinite(section.first.v[order[i]])) rows.push(order[i]);
      if (!rows.length) return;
      const shown = columns.slice(0, 12);
      const head = element("tr", {}, [element("th", { scope: "col", textContent: "run" }),
        ...shown.map((c) => element("th", { scope: "col", className: c.words ? "" : "number", textContent: c.title }))]);
      const body = rows.map((row) => {
        const cell = element("td", {}, [button("show", () => section.pick(row)), " ", nameOf(row)]);
        return element("tr", {}, [cell, ...shown.map((c) => element("td", { className: c.words ? "" : "number", textContent: c.text(c.v[row]) }))]);
      });
      best.append(element("h3", { textContent: `Least ${section.first.label} within the filters` }), element("div", { className: "table" }, [element("table", {}, [element("thead", {}, [head]), element("tbody", {}, body)])]));
      if (window.mbopt_hints) window.mbopt_hints();
    }

    root.classList.add("curves", "study");
    themed();
    section.figures = figuresOf(section);
    const wide = section.figures.filter((f) => !f.figure.classList.contains("study-scatter"));
    const side = section.figures.filter((f) => f.figure.classList.contains("study-scatter"));
    root.replaceChildren(bar, ...wide.map((f) => f.figure), best, picked, element("div", { className: "figures" }, side.map((f) => f.figure)));
    tell();

    const again = () => {
      themed();
      section.figures.forEach((f) => f.recolour());
      section.redraw();
    };
    window.addEventListener("mbopt-look", () => {
      const printed = window.mbopt_on_paper();
      if (printed) section.figures.forEach((f) => (f.seen = true));
      again();
      section.figures.forEach((f) => f.paper.replaceChildren(...(printed ? [new DOMParser().parseFromString(f.svgText(), "image/svg+xml").documentElement] : [])));
    });
    let width = 0;
    new ResizeObserver(() => {
      if (root.clientWidth === width) return;
      width = root.clientWidth;
      section.redraw();
    }).observe(root);
    section.makeAll = () => {
      section.figures.forEach((f) => (f.seen = true));
      section.redraw();
    };
    const observer = new IntersectionObserver(
      (entries) => entries.forEach((e) => {
        const f = section.figures.find((g) => g.figure === e.target);
        if (!e.isIntersecting || f.seen) return;
        f.seen = true;
        f.redraw();
      }),
      { rootMargin: "300px" }
    );
    section.figures.forEach((f) => {
      f.seen = f.figure.getBoundingClientRect().top < 1.5 * window.innerHeight;
      observer.observe(f.figure);
    });
    section.redraw();
    window.dispatchEvent(new Event("resize")); /* what is wider than its box says so (page.js) */
    return section;
  }

  window.mbopt_study = makeStudy;
})();
