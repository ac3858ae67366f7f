/* What figures of many runs share: columns, scales, colours, a <canvas> with an <svg> over it, and the frame of a figure. */
(function () {
  "use strict";

  const { element, svgElement, short, ticksOf, logTicks, shortened, save } = window.mbopt_drawing;

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

  /* ---- how runs ended ---- */

  const [DONE, VIOLATES, FAILED] = [0, 1, 2];
  const OUTCOMES = ["done", "violates", "failed"]; /* short, for axes on narrow screens */

  /* The outcome as a column among the others, if there are several: an axis, a filter, a colour. Its words are those that occur. */
  function outcomeColumn(outcome, k) {
    const there = OUTCOMES.map((_, o) => o).filter((o) => outcome.includes(o));
    const words = there.map((o) => OUTCOMES[o]);
    const v = Float64Array.from(outcome, (o) => there.indexOf(o));
    const text = (x) => words[Math.round(x)] || "–";
    return { name: "outcome", label: "outcome", title: "outcome", kind: "words", words, unit: "", log: false, k, v, low: 0, high: words.length - 1, text, withUnit: text };
  }

  /* The mark of a run at a place: a dot, a ring if it violates limits, a cross if it failed. */
  const MARKS = {
    [VIOLATES]: (x, y) => `M${x - 3.5} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`,
    [FAILED]: (x, y) => `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`,
  };
  function drawMark(context, outcome, x, y, colour, width) {
    context.strokeStyle = colour;
    context.lineWidth = width || 1.4;
    context.stroke(new Path2D(MARKS[outcome](x, y)));
  }
  const markElement = (outcome, x, y, colour) => svgElement("path", { d: MARKS[outcome](x, y), stroke: colour, "stroke-width": 1.4, fill: "none" });

  /* How many of the rows ended in each way: [done, violates limits, failed]. */
  function countsOf(section, rows) {
    const counts = [0, 0, 0];
    rows.forEach((row) => counts[section.outcome[row]]++);
    return counts;
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
    const room = Math.max(4, pixels / each);
    const t = scale.log ? logTicks(scale.range[0], scale.range[1], room) : ticksOf(scale.range[0], scale.range[1], room);
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
    const shade = (u) => (Number.isFinite(u) ? section.shades[Math.max(0, Math.min(63, Math.round(63 * u)))] : [128, 128, 128]);
    const of = (v) => shade(scale.at(v));
    return { c, scale, shade, of, cut: [ends[0] > c.low, ends[1] < c.high] };
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
    if (section.outcome[row] !== DONE) parts.push(element("span", { textContent: section.outcome[row] === VIOLATES ? "violates limits" : "failed" }));
    columns.filter((c) => c.name !== "outcome" || !c.words).forEach((c) => parts.push(element("span", {}, [`${c.label} `, element("strong", { textContent: c.text(c.v[row]) }), c.unit && Number.isFinite(c.v[row]) ? ` ${c.unit}` : ""])));
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

  /* ---- legends ---- */

  const LETTER = 6.6; /* pixels, about */
  const LEGEND_ROW = 18;

  /* Items { text, width of the picture before it, picture(x, y): elements about the height y } in rows, each as long as there is room: those with their
   * places, and the height of all. */
  function legendOf(items, width) {
    let [x, row] = [0, 0];
    const placed = items.map((item) => {
      const wide = item.width + 6 + item.text.length * LETTER + 16;
      if (x > 0 && x + wide > width) [x, row] = [0, row + 1];
      x += wide;
      return { ...item, x: x - wide, row };
    });
    return { placed, height: placed.length ? LEGEND_ROW * (row + 1) : 0 };
  }

  function drawLegend(svg, legend, left, top, theme) {
    legend.placed.forEach((item) => {
      const [x, y] = [left + item.x, top + LEGEND_ROW * (item.row + 0.5)];
      svg.append(...item.picture(x, y), svgElement("text", { class: "study-legend", x: x + item.width + 6, y: y + 4, fill: theme.ink }, item.text));
    });
  }

  /* The shades from the first to the last as a picture of a legend. */
  const shadesPicture = (section, width) => (x, y) =>
    Array.from({ length: 16 }, (_, i) => svgElement("rect", { x: x + (i * width) / 16, y: y - 5, width: width / 16 + 0.5, height: 10, fill: css(section.shades[Math.round((63 * (i + 0.5)) / 16)]) }));

  window.mbopt_study_parts = { DONE, VIOLATES, FAILED, ints, columnsOf, outcomeColumn, drawMark, markElement, countsOf, legendOf, drawLegend, shadesPicture, scaleOf, isLog, rangeOfColumn, widened, ticksOfAxis, tableOfShades, colouring, css, selectOf, button, frame, wordsOf, colourBar };
})();
