/* Figures as <svg>: what curves.js draws a column over another with, and figures that stand in a page as data (opt/report/page.h,
 * page_plot): each <div class="plot-data"> has its JSON and becomes a figure that answers the mouse.
 *   title, caption   texts
 *   x, y             { label, unit, log, names: [of 0, 1, ...], range: [least, largest], whole: it counts, ticks: [{ v, label }] in place of those found }
 *   series           [{ name, kind: "line", "steps", "points", "both" or "band", x: [], y: [], upper: [] of a band, text: [] what a reading
 *                    adds, colour: number in the palette or "before", "after", "target", "bound", "quiet"; shades: [] from 0 to 1; mute: not
 *                    read, dashed; unlisted: not in the CSV; href: a file that a click opens }]
 *   across           a reading has the values of all series at one x: of steps those of the last point before it
 *   window           [[least, largest] of x, of y] that is shown at first; quiet: no boxes to hide series
 *   levels           [{ x or y, kind: "target" or "bound", text }] straight lines
 * What is null has no place. */
(function () {
  "use strict";

  const { SVG, element, svgElement, saveText: save } = window.mbopt_common;

  /* ---- numbers as texts ---- */

  function short(v) {
    if (!Number.isFinite(v)) return "–";
    const text = String(Number(v.toPrecision(7)));
    return v !== 0 && Math.abs(v) < 1e-4 && !text.includes("e") ? Number(v.toPrecision(7)).toExponential() : text;
  }
  const labelOf = (c) => (c.unit ? `${c.name} [${c.unit}]` : c.name);

  /* Ticks between two values, as many as there is room for, with as many digits as tell them apart. Where those would be too many, the
   * labels are differences from the value that `from` names. */
  function ticksOf(low, high, room) {
    const rough = (high - low) / Math.max(1, room);
    if (!(rough > 0) || !Number.isFinite(rough)) return { list: [{ v: low, label: short(low) }], from: null };
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = power * [1, 2, 5, 10].find((k) => k * power >= 0.999999 * rough);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const largest = Math.max(Math.abs(low), Math.abs(high));
    const many = largest >= 1e6 || digits > 5;
    const apart = Math.ceil(Math.log10(largest / step) + 1e-9);
    const from = many && apart > 5 ? Math.round(low / (10 * step)) * 10 * step : null;
    const write = (v) => {
      const d = from === null ? v : v - from;
      const text = many ? d.toExponential(Math.max(0, Math.min(8, exponent(d) - exponent(step)))) : d.toFixed(digits);
      const neat = Math.abs(d) < 1e-9 * step ? "0" : text.replace(/(\.\d*?)0+e/, "$1e").replace(".e", "e").replace("e+", "e");
      return from === null || neat === "0" ? neat : (d > 0 ? "+" : "") + neat;
    };
    const list = [];
    for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++) list.push({ v: k * step, label: write(k * step) });
    return { list, from };
  }

  const exponent = (v) => (v === 0 ? 0 : Math.floor(Math.log10(Math.abs(v)) + 1e-9));

  function logTicks(low, high, room) {
    const decades = Math.log10(high / low);
    const digits = decades > 4 ? [1] : decades > 1.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
    const every = Math.max(1, Math.ceil(decades / Math.min(8, room || 8)));
    const list = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
      if (e % every) continue;
      digits.forEach((d) => {
        const v = Number(`${d}e${e}`);
        if (v >= low * 0.999999 && v <= high * 1.000001) list.push({ v, label: e < -3 || e > 5 ? `${d}e${e}` : String(Number(v.toPrecision(3))) });
      });
    }
    return list.length > 1 ? { list, from: null } : ticksOf(low, high, 4);
  }

  /* The least and the largest of the numbers, with a margin. Levels far away would leave the curves a line: they are named instead. */
  function rangeOf(values, levels, log) {
    let low = Infinity;
    let high = -Infinity;
    values.forEach((v) => {
      if (!Number.isFinite(v) || (log && v <= 0)) return;
      low = Math.min(low, v);
      high = Math.max(high, v);
    });
    if (low > high) return [0, 1];
    const size = high - low || Math.abs(high) || 1;
    levels.forEach((v) => {
      if (!Number.isFinite(v) || (log ? v <= 0 : v < low - 4 * size || v > high + 4 * size)) return;
      low = Math.min(low, v);
      high = Math.max(high, v);
    });
    if (log) {
      const by = Math.max(1.2, Math.pow(high / low, 0.04));
      return [low / by, high * by];
    }
    const margin = high > low ? 0.06 * (high - low) : 0.05 * (Math.abs(high) || 1);
    return [low - margin, high + margin];
  }

  /* ---- a figure as <svg> ---- */

  /* plot: { width, height, x, y: { label, range, log, names }, series: [{ name, colour, points, kind, shades }], shapes, equal, legend: names of
   * series and shapes above, which make it higher }. An axis with
   * names has one for each of 0, 1, ..., and the first of y is on top. Kinds: "line", the default; "steps"; "points"; "both"; "band" from y to the
   * point's `upper`. Returns the element with the maps from values to its places. */
  function draw(plot, theme) {
    const { width } = plot;
    const keys = plot.legend ? placed(legendOf(plot, theme), width) : [];
    const above = keys.length ? 17 * (keys[keys.length - 1].row + 1) : 0;
    const height = plot.height + above;
    const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "system-ui, sans-serif", "font-size": 12 });
    const box = { left: plot.y.names ? namesWidth(plot.y.names, width) : 76, top: 26 + above, right: width - 14, bottom: height - 42 };
    const [xr, yr] = plot.equal ? equalRanges(plot, box) : [plot.x.range, plot.y.range];
    const map = (r, a, b, log) => {
      const f = log ? Math.log10 : (v) => v;
      return (v) => a + ((f(v) - f(r[0])) / (f(r[1]) - f(r[0]) || 1)) * (b - a);
    };
    const px = map(xr, box.left, box.right, plot.x.log);
    const py = map(yr, box.bottom, box.top, plot.y.log);
    const add = (name, attributes, text) => svg.append(svgElement(name, attributes, text));
    const xt = axisTicks(plot.x, xr, box.right - box.left, 90);
    const yt = axisTicks(plot.y, yr, box.bottom - box.top, plot.y.names ? 15 : 40);
    add("rect", { width, height, fill: theme.paper });
    keys.forEach((k) => {
      const y = 12 + 17 * k.row;
      add("path", { d: k.dot ? `M${k.x + 9} ${y}h0` : `M${k.x} ${y}h18`, stroke: k.colour, fill: "none", "stroke-linecap": k.dot ? "round" : "butt", "stroke-width": k.wide || 1.8, "stroke-dasharray": k.dashed ? "6 4" : "none" });
      add("text", { x: k.x + 24, y: y + 4, fill: theme.ink }, k.name);
    });
    let free = 0; /* where the next label may begin */
    xt.list.forEach((k) => {
      const half = (k.label.length * LETTER) / 2;
      add("path", { d: `M${px(k.v)} ${box.top}V${box.bottom}`, stroke: theme.line, fill: "none" });
      if (px(k.v) - half < free) return;
      free = px(k.v) + half + 6;
      add("text", { x: px(k.v), y: box.bottom + 16, "text-anchor": "middle", fill: theme.quiet }, k.label);
    });
    yt.list.forEach((k) => {
      add("path", { d: `M${box.left} ${py(k.v)}H${box.right}`, stroke: theme.line, fill: "none" });
      add("text", { x: box.left - 6, y: py(k.v) + 4, "text-anchor": "end", fill: theme.quiet }, plot.y.names ? shortened(k.label, box.left) : k.label);
    });
    const from = (t) => (t.from === null ? "" : `, ticks from ${t.from}`);
    add("text", { x: (box.left + box.right) / 2, y: height - 8, "text-anchor": "middle", fill: theme.ink }, plot.x.label + from(xt));
    add("text", { x: 8, y: 16 + above, fill: theme.ink }, plot.y.label + from(yt));
    const id = `clip${(draw.count = (draw.count || 0) + 1)}`;
    const clip = svgElement("clipPath", { id });
    clip.append(svgElement("rect", { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top }));
    svg.append(clip);
    const inside = svgElement("g", { "clip-path": `url(#${id})`, fill: "none", "stroke-linejoin": "round" });
    const pathOf = (points) => {
      let d = "";
      let down = false;
      points.forEach(([x, y]) => {
        const ok = Number.isFinite(x) && Number.isFinite(y) && !(plot.y.log && y <= 0) && !(plot.x.log && x <= 0);
        if (ok) d += `${down ? "L" : "M"}${px(x).toFixed(2)} ${py(y).toFixed(2)}`;
        down = ok;
      });
      return d;
    };
    plot.shapes.forEach((s) => shapeOf(s, inside, pathOf, { px, py, box }, theme));
    plot.series.forEach((s) => seriesOf(s, inside, pathOf, { px, py }));
    svg.append(inside);
    add("path", { d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`, stroke: theme.quiet, fill: "none" });
    const inverse = (r, a, b, log) => {
      const f = log ? Math.log10 : (v) => v;
      const g = log ? (v) => Math.pow(10, v) : (v) => v;
      return (p) => g(f(r[0]) + ((p - a) / (b - a)) * (f(r[1]) - f(r[0])));
    };
    const back = { x: inverse(xr, box.left, box.right, plot.x.log), y: inverse(yr, box.bottom, box.top, plot.y.log) };
    return { svg, px, py, box, xr, yr, back };
  }

  /* What a figure without controls says of its series and shapes; of a single series nothing. */
  function legendOf(plot, theme) {
    const list = plot.series.map((s) => ({ name: s.name, colour: s.colour, dashed: s.dashed, dot: s.kind === "points", wide: s.kind === "points" ? 6 : s.kind === "band" ? 10 : 0 }));
    const words = { target: "target", bound: "limit", window: "counts here", band: "allowed" };
    const shapes = new Map(plot.shapes.map((s) => [s.named ? s.text : words[s.kind], s.kind]));
    const all = list.concat([...shapes].map(([name, k]) => ({ name, colour: theme[k], dashed: !/window|band/.test(k), wide: /window|band/.test(k) ? 10 : 0 })));
    return all.length > 1 ? all : [];
  }

  /* In rows, each as long as there is room. */
  function placed(keys, width) {
    let x = 8;
    let row = 0;
    return keys.map((k) => {
      const wide = 40 + k.name.length * LETTER;
      if (x > 8 && x + wide > width) [x, row] = [8, row + 1];
      x += wide;
      return { ...k, x: x - wide, row };
    });
  }

  /* On paper a figure is a picture of its own in place of what answers the mouse. */
  function onPaper(chart, picture) {
    const box = element("div", { className: "curve-paper" });
    chart.after(box);
    window.addEventListener("mbopt-look", () => box.replaceChildren(...(window.mbopt_on_paper() ? [picture(chart.closest(".figures") ? 420 : 700)] : [])));
  }

  const LETTER = 6.6; /* pixels, about */
  const namesWidth = (names, width) => Math.min(Math.max(...names.map((n) => n.length * LETTER)) + 16, 0.42 * width);
  const shortened = (text, room) => (text.length * LETTER > room - 8 ? `${text.slice(0, Math.max(1, Math.floor((room - 8) / LETTER) - 1))}…` : text);

  function axisTicks(axis, range, pixels, each) {
    if (axis.ticks) return { list: axis.ticks.filter((k) => k.v >= range[0] && k.v <= range[1]), from: null };
    if (!axis.names) {
      const room = axis.whole ? Math.min(pixels / each, range[1] - range[0]) : pixels / each; /* no fractions of what is counted */
      return axis.log ? logTicks(range[0], range[1], room) : ticksOf(range[0], range[1], room);
    }
    const [low, high] = [Math.min(...range), Math.max(...range)];
    const seen = axis.names.map((label, v) => ({ v, label })).filter((k) => k.v >= low && k.v <= high);
    const every = Math.max(1, Math.ceil((seen.length * each) / pixels));
    return { list: seen.filter((_, i) => i % every === 0), from: null };
  }

  /* Points are strokes without length: one path for all of one colour. */
  function seriesOf(s, inside, pathOf, { px, py }) {
    const kind = s.kind || "line";
    const add = (attributes) => {
      const path = svgElement("path", attributes);
      path.append(svgElement("title", {}, s.name));
      inside.append(path);
    };
    const places = kind === "steps" ? stepsOf(s.points) : s.points.map((p) => [p.x, p.y]);
    if (kind === "band") {
      const edge = s.points.map((p) => [p.x, p.upper]).reverse();
      const all = places.concat(edge).filter((q) => q.every(Number.isFinite));
      const d = all.map((q, i) => `${i ? "L" : "M"}${px(q[0]).toFixed(2)} ${py(q[1]).toFixed(2)}`).join("");
      add({ d: all.length ? `${d}Z` : "", fill: s.colour, "fill-opacity": 0.18 });
      return;
    }
    if (kind !== "points") add({ d: pathOf(places), stroke: s.colour, "stroke-width": 1.8, ...(s.dashed ? { "stroke-dasharray": "6 4" } : {}) });
    if (kind === "line" || kind === "steps") return;
    const dot = (p) => pathOf([p]) && `${pathOf([p])}h0`;
    const size = s.size || (s.points.length > 300 ? 3 : 6);
    if (s.shades) places.forEach((p, i) => add({ d: dot(p), stroke: s.shades[i], "stroke-width": size, "stroke-linecap": "round" }));
    else add({ d: places.map(dot).join(""), stroke: s.colour, "stroke-width": size, "stroke-linecap": "round" });
  }

  /* Constant from each point to the next. */
  const stepsOf = (points) => points.flatMap((p, i) => (i + 1 < points.length ? [[p.x, p.y], [points[i + 1].x, p.y]] : [[p.x, p.y]]));

  /* The same length for a unit of both. */
  function equalRanges(plot, box) {
    const sizes = [plot.x.range, plot.y.range].map((r) => r[1] - r[0]);
    const pixels = [box.right - box.left, box.bottom - box.top];
    const scale = Math.max(sizes[0] / pixels[0], sizes[1] / pixels[1]);
    return [plot.x.range, plot.y.range].map((r, i) => {
      const middle = (r[0] + r[1]) / 2;
      const half = (scale * pixels[i]) / 2;
      return [middle - half, middle + half];
    });
  }

  function shapeOf(s, inside, pathOf, { px, box }, theme) {
    const title = svgElement("title", {}, s.text);
    let e;
    if (s.kind === "window") {
      const [a, b] = s.points.map((p) => px(p[0]));
      e = svgElement("rect", { x: a, y: box.top, width: Math.max(0, b - a), height: box.bottom - box.top, fill: theme.window });
    } else if (s.kind === "band") {
      e = svgElement("path", { d: `${pathOf(s.points)}Z`, fill: theme.band });
    } else if (s.points.length === 1) {
      const [x, y] = s.points[0];
      const d = pathOf([[x, y]]);
      e = svgElement("path", { d: d && `${d}m-6 -6l12 12m0 -12l-12 12`, stroke: theme[s.kind], "stroke-width": 1.6 });
    } else {
      e = svgElement("path", { d: pathOf(s.points), stroke: theme[s.kind], "stroke-width": 1.4, "stroke-dasharray": "6 4" });
    }
    e.append(title);
    inside.append(e);
  }

  /* ---- files ---- */

  function textOf(svg) {
    svg.setAttribute("xmlns", SVG);
    return new XMLSerializer().serializeToString(svg);
  }

  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

  /* ---- a figure from data ---- */

  const PALETTE = {
    light: ["#0072b2", "#c24e00", "#00795a", "#a8487f", "#8a6a00", "#6a3fa0", "#555555"],
    dark: ["#5bb5e8", "#f0a060", "#4fc79f", "#e29bc4", "#d9bf55", "#b79df0", "#b0b0b0"],
  };

  function paletteOf(root) {
    const style = getComputedStyle(root);
    const get = (name) => style.getPropertyValue(name).trim();
    const dark = window.mbopt_dark();
    const theme = { ink: get("--ink"), quiet: get("--quiet"), line: get("--line"), paper: get("--paper"), target: get("--curve-target"), bound: get("--curve-bound"), before: get("--curve-before"), after: get("--curve-after") };
    theme.list = dark ? PALETTE.dark : PALETTE.light;
    return theme;
  }

  /* From grey to the accent: where a swept value is small and where it is large. */
  function shadeOf(theme, s) {
    const [a, b] = [theme.before, theme.list[0]].map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
    return `#${a.map((v, k) => Math.round(v + s * (b[k] - v)).toString(16).padStart(2, "0")).join("")}`;
  }

  const axisLabel = (a) => (a.unit && a.unit !== "-" ? `${a.label} [${a.unit}]` : a.label);
  const withUnit = (a, v) => (a.names ? a.names[Math.round(v)] : `${short(v)}${a.unit && a.unit !== "-" ? ` ${a.unit}` : ""}`);

  function pointsOfSeries(s) {
    return s.x.map((x, i) => ({ x: x === null ? NaN : x, y: s.y[i] === null ? NaN : s.y[i], upper: s.upper && s.upper[i] !== null ? s.upper[i] : NaN, i }));
  }

  /* Fills the container and returns { spec, read(series, point), pick: called with series and point after a click, place(series, point)
   * on the screen, chart: the element that the mouse reads, text(): what it read, csv(), svg(), reset() }. */
  window.mbopt_plot = function (container, spec) {
    const plot = { spec, pick: null, visible: spec.series.map(() => true), window: spec.window || null, at: null };
    const points = spec.series.map(pointsOfSeries);
    const chart = element("div", { className: "curve-chart", tabIndex: 0 });
    const picture = element("div", { className: "curve-plot" });
    const dot = element("b", { className: "curve-dot", hidden: true });
    const frame = element("b", { className: "curve-frame", hidden: true });
    const line = element("i", { className: "curve-at", hidden: true });
    const dots = spec.across ? spec.series.map(() => element("b", { className: "curve-dot", hidden: true })) : [];
    const over = element("div", { className: "curve-over" }, [frame, line, dot, ...dots]);
    const reading = element("output", { className: "curve-read" });
    let theme = paletteOf(container);
    let drawn = null;
    const colourOf = (s, k) => (typeof s.colour === "string" ? theme[s.colour] : theme.list[(s.colour === undefined ? k : s.colour) % theme.list.length]);
    const height = spec.y.names ? 80 + 24 * spec.y.names.length : spec.height || 300;

    function ranges() {
      const seen = points.filter((_, k) => plot.visible[k]).flat();
      const own = (axis, pick) => {
        if (axis.names) return [-0.5, axis.names.length - 0.5];
        const levels = (spec.levels || []).map((l) => l[pick]).filter((v) => v !== undefined);
        const values = seen.map((p) => p[pick]).concat(pick === "y" ? seen.map((p) => p.upper) : []);
        return axis.range || rangeOf(values, levels, axis.log);
      };
      const y = own(spec.y, "y");
      return [own(spec.x, "x"), spec.y.names ? [y[1], y[0]] : y];
    }
    function described(width) {
      const [xr, yr] = plot.window || ranges();
      const series = spec.series.map((s, k) => ({ name: s.name, kind: s.kind, dashed: s.mute, colour: colourOf(s, k), shades: s.shades && s.shades.map((v) => shadeOf(theme, v)), points: points[k] }));
      const level = (l) => ({ kind: l.kind, text: l.text, named: true, points: l.y === undefined ? [[l.x, yr[0]], [l.x, yr[1]]] : [[xr[0], l.y], [xr[1], l.y]] });
      return {
        width,
        height,
        x: { ...spec.x, label: axisLabel(spec.x), range: xr },
        y: { ...spec.y, label: spec.y.names ? "" : axisLabel(spec.y), range: yr },
        series: series.filter((_, k) => plot.visible[k]).sort((a, b) => Number(Boolean(b.dashed)) - Number(Boolean(a.dashed))),
        shapes: (spec.levels || []).map(level),
        equal: false,
      };
    }
    function redraw() {
      const width = chart.clientWidth;
      if (!width) return;
      drawn = draw(described(width), theme);
      drawn.svg.setAttribute("aria-hidden", "true");
      picture.replaceChildren(drawn.svg);
      show();
    }
    function show() {
      const q = plot.at;
      dot.hidden = true;
      if (!q || !drawn) return;
      if (spec.across) {
        showAcross(q);
        return;
      }
      const s = spec.series[q.series];
      const p = points[q.series][q.point];
      const { box } = drawn;
      const [x, y] = [drawn.px(p.x), drawn.py(p.y)];
      dot.hidden = x < box.left - 1 || x > box.right + 1 || y < box.top - 1 || y > box.bottom + 1;
      Object.assign(dot.style, { left: `${x}px`, top: `${y}px`, background: s.shades ? shadeOf(theme, s.shades[q.point]) : colourOf(s, q.series) });
      const chip = element("i");
      chip.style.background = dot.style.background;
      const [from, to] = spec.y.names ? [withUnit(spec.y, p.y), withUnit(spec.x, p.x)] : [withUnit(spec.x, p.x), withUnit(spec.y, p.y)];
      const value = element("strong", { textContent: s.kind === "band" ? `${short(p.y)} to ${withUnit(spec.y, p.upper)}` : to });
      const parts = [element("span", {}, [chip, `${s.name}: ${from} → `, value])];
      if (s.text && s.text[q.point]) parts.push(element("span", { textContent: s.text[q.point] }));
      reading.replaceChildren(...parts);
    }
    /* The last point that is not behind x by more than a pixel: browsers tell whole ones of a mouse, so that the right end of a plot could not be
       reached otherwise; of points without one before x there is no value. */
    function pointBefore(k, x) {
      const reach = drawn.px(x) + 1;
      let found = -1;
      points[k].forEach((p, i) => {
        if (drawn.px(p.x) <= reach) found = i;
      });
      return found >= 0 && Number.isFinite(points[k][found].y) ? found : null;
    }
    function showAcross(q) {
      const x = q.x === undefined ? points[q.series][q.point].x : q.x;
      const { box } = drawn;
      const parts = [element("span", { textContent: `${spec.x.label}: ${withUnit(spec.x, x)}` })];
      line.hidden = drawn.px(x) < box.left - 1 || drawn.px(x) > box.right + 1;
      Object.assign(line.style, { left: `${drawn.px(x)}px`, top: `${box.top}px`, height: `${box.bottom - box.top}px` });
      spec.series.forEach((s, k) => {
        const i = readable(k) ? pointBefore(k, x) : null;
        dots[k].hidden = true;
        if (i === null) return;
        const p = points[k][i];
        const [px, py] = [drawn.px(x), drawn.py(p.y)];
        dots[k].hidden = line.hidden || py < box.top - 1 || py > box.bottom + 1;
        Object.assign(dots[k].style, { left: `${px}px`, top: `${py}px`, background: colourOf(s, k) });
        const chip = element("i");
        chip.style.background = colourOf(s, k);
        const words = s.text && s.text[i] ? ` (${s.text[i]})` : "";
        parts.push(element("span", {}, [chip, `${s.name}: `, element("strong", { textContent: withUnit(spec.y, p.y) }), words]));
      });
      reading.replaceChildren(...parts);
    }
    /* The series whose value at the mouse is nearest to it, whole numbers of an axis that counts. */
    function across(e) {
      const area = picture.getBoundingClientRect();
      const at = drawn.back.x(e.clientX - area.left);
      const x = Math.min(Math.max(at, drawn.xr[0]), drawn.xr[1]);
      let best = Infinity;
      let found = null;
      points.forEach((_, k) => {
        const i = readable(k) ? pointBefore(k, x) : null;
        if (i === null) return;
        const d = Math.abs(drawn.py(points[k][i].y) - (e.clientY - area.top));
        if (d < best) [best, found] = [d, { series: k, point: i, x }];
      });
      return found;
    }
    const readable = (k) => plot.visible[k] && !spec.series[k].mute && spec.series[k].kind !== "band";
    function nearestTo(e) {
      const area = picture.getBoundingClientRect();
      let best = Infinity;
      let found = null;
      points.forEach((list, k) => {
        if (!readable(k)) return;
        list.forEach((p, i) => {
          const d = Math.hypot(drawn.px(p.x) - (e.clientX - area.left), drawn.py(p.y) - (e.clientY - area.top));
          if (d < best) [best, found] = [d, { series: k, point: i }];
        });
      });
      return found;
    }
    plot.read = (series, point) => {
      plot.at = { series, point };
      show();
    };
    plot.reset = () => {
      plot.window = null;
      redraw();
    };
    plot.redraw = redraw;
    plot.place = (series, point) => {
      const area = picture.getBoundingClientRect();
      const p = points[series][point];
      return { x: area.left + drawn.px(p.x), y: area.top + drawn.py(p.y) };
    };
    plot.csv = () => {
      const bands = spec.series.some((s) => s.upper);
      const worded = spec.series.some((s) => s.text);
      const head = ["series", axisLabel(spec.x), axisLabel(spec.y), ...(bands ? ["to"] : []), ...(worded ? ["remark"] : [])];
      const cell = (axis, v) => (axis.names && Number.isInteger(v) ? quoted(axis.names[v]) : Number.isFinite(v) ? String(Number(v.toPrecision(9))) : "");
      const remark = (s, p) => quoted((s.text && s.text[p.i]) || "");
      const row = (s, p) => [quoted(s.name), cell(spec.x, p.x), cell(spec.y, p.y), ...(bands ? [cell({}, p.upper)] : []), ...(worded ? [remark(s, p)] : [])].join(",");
      const rows = spec.series.flatMap((s, k) => (s.unlisted ? [] : points[k].map((p) => row(s, p))));
      return `${[head.map(quoted).join(","), ...rows].join("\n")}\n`;
    };
    plot.picture = (width) => draw({ ...described(width), legend: !spec.quiet }, theme).svg;
    plot.svg = () => textOf(plot.picture(720));

    /* ---- mouse and keyboard ---- */
    function picked() {
      const { href } = spec.series[plot.at.series];
      if (plot.pick) plot.pick(plot.at.series, plot.at.point);
      else if (href) window.location.href = encodeURIComponent(href);
    }
    let from = null;
    const place = (e) => {
      const area = picture.getBoundingClientRect();
      return { x: e.clientX - area.left, y: e.clientY - area.top };
    };
    chart.addEventListener("pointermove", (e) => {
      if (!drawn) return;
      const to = place(e);
      frame.hidden = !from || Math.hypot(to.x - from.x, to.y - from.y) < 8;
      if (from) Object.assign(frame.style, { left: `${Math.min(from.x, to.x)}px`, top: `${Math.min(from.y, to.y)}px`, width: `${Math.abs(to.x - from.x)}px`, height: `${Math.abs(to.y - from.y)}px` });
      plot.at = (spec.across ? across(e) : nearestTo(e)) || plot.at;
      show();
    });
    chart.addEventListener("pointerdown", (e) => (from = e.button === 0 && e.pointerType !== "touch" ? place(e) : null));
    chart.addEventListener("pointerup", (e) => {
      const to = place(e);
      frame.hidden = true;
      if (from && drawn && Math.abs(to.x - from.x) > 8 && Math.abs(to.y - from.y) > 8) {
        const sorted = (a, b) => (a < b ? [a, b] : [b, a]);
        const ys = sorted(drawn.back.y(from.y), drawn.back.y(to.y));
        plot.window = [sorted(drawn.back.x(from.x), drawn.back.x(to.x)), spec.y.names ? [ys[1], ys[0]] : ys];
        redraw();
      } else if (from && plot.at) {
        picked();
      }
      from = null;
    });
    chart.addEventListener("pointerleave", () => (frame.hidden = true));
    chart.addEventListener("dblclick", plot.reset);
    function step(by, series) {
      const all = spec.series.map((_, k) => k).filter(readable);
      const here = plot.at || { series: all[0], point: 0 };
      const k = all[(all.indexOf(here.series) + series + all.length) % all.length];
      plot.read(k, Math.max(0, Math.min(points[k].length - 1, here.point + (plot.at ? by : 0))));
    }
    chart.addEventListener("keydown", (e) => {
      const act = { ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1), Home: plot.reset, Enter: () => plot.at && picked() }[e.key];
      if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      reading.setAttribute("aria-live", "polite");
      act();
    });

    /* ---- the element ---- */
    const toggles = () =>
      spec.series.map((s, k) => {
        const box = element("input", { type: "checkbox", checked: plot.visible[k] });
        const chip = element("i");
        chip.style.background = colourOf(s, k);
        box.addEventListener("change", () => {
          plot.visible[k] = box.checked;
          redraw();
        });
        return element("label", {}, [box, chip, s.name]);
      });
    const button = (text, act) => {
      const b = element("button", { type: "button", textContent: text });
      b.addEventListener("click", act);
      return b;
    };
    const name = (ending) => `${spec.title.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 100)}.${ending}`;
    const bar = element("div", { className: "curve-bar" }, spec.series.length > 1 && !spec.quiet ? toggles() : []);
    const tools = element("div", { className: "curve-tools" }, [
      button(spec.window ? "Show all" : "Reset zoom", plot.reset),
      button("CSV", () => save(name("csv"), "text/csv", plot.csv())),
      button("SVG", () => save(name("svg"), "image/svg+xml", plot.svg())),
    ]);
    chart.setAttribute("role", "group");
    chart.setAttribute("aria-label", `${spec.title}. Arrow keys read values, Home shows all.`);
    reading.replaceChildren("Point at the figure to read it; drag across to zoom.");
    plot.chart = chart;
    plot.text = () => reading.textContent;
    chart.append(picture, over);
    chart.style.minHeight = `${height}px`;
    container.classList.add("curves");
    container.append(
      element("figure", { className: "plot curve" }, [
        element("div", { className: "curve-head" }, [element("strong", { textContent: spec.title })]),
        bar,
        chart,
        reading,
        tools,
        element("figcaption", { textContent: spec.caption || "", hidden: !spec.caption }),
      ])
    );
    theme = paletteOf(container);
    bar.replaceChildren(...(spec.series.length > 1 && !spec.quiet ? toggles() : []));
    window.addEventListener("mbopt-look", () => {
      theme = paletteOf(container);
      bar.replaceChildren(...(spec.series.length > 1 && !spec.quiet ? toggles() : []));
      redraw();
    });
    onPaper(chart, plot.picture);
    let wide = 0;
    new ResizeObserver(() => {
      if (chart.clientWidth === wide) return;
      wide = chart.clientWidth;
      redraw();
    }).observe(chart);
    redraw();
    return plot;
  };

  window.mbopt_drawing = { element, svgElement, short, labelOf, ticksOf, logTicks, rangeOf, draw, onPaper, textOf, save, quoted, shortened, paletteOf };
  window.mbopt_plots = Array.from(document.querySelectorAll(".plot-data"), (box) => window.mbopt_plot(box, JSON.parse(box.querySelector("script").textContent)));
})();
