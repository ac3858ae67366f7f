/* Curves of trajectories: mbopt_curves(container, data, motion) draws what opt/report/curves.h describes. Figures over time are drawn by
 * dygraphs, a column over another by an <svg> of our own, which is also what a figure is saved as. All figures have one reading, the time
 * under the mouse, and one zoom of the time. motion: the animation (scene.js), or null; its time is the reading's while it plays. */
(function () {
  "use strict";

  const { element, short, labelOf, ticksOf, logTicks, rangeOf, draw, onPaper, textOf, save, quoted } = window.mbopt_drawing; /* plot.js */
  const [TIME, SPECTRUM] = [-1, -2]; /* abscissae that are no columns: the second is the frequency */
  const MARK = { target: "--curve-target", bound: "--curve-bound" };

  /* ---- data ---- */

  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;

  /* Column k of a run: { t, y } at the nodes that the page has; null: the run has none. The time itself is column TIME. */
  function columnOf(run, k) {
    if (!run) return null;
    run.decoded = run.decoded || new Map();
    if (!run.decoded.has(k)) run.decoded.set(k, decoded(run, k));
    return run.decoded.get(k);
  }

  function decoded(run, k) {
    if (k === TIME) return { t: timesOf(run), y: timesOf(run) };
    const c = run.y[k];
    if (c === null) return null;
    const all = timesOf(run);
    if (typeof c === "number") return { t: all, y: new Float64Array(all.length).fill(c) };
    let node = 0;
    const steps = c.at ? new Uint16Array(bytesOf(c.at)) : c.at4 ? new Uint32Array(bytesOf(c.at4)) : null;
    const t = steps ? Float64Array.from(steps, (by) => all[(node += by)]) : all;
    return { t, y: Float64Array.from(new Float32Array(bytesOf(c.d)), (d) => c.from + d), thinned: Boolean(steps) };
  }

  function timesOf(run) {
    if (!run.times) {
      const { nodes, t } = run;
      if (typeof t === "string") run.times = new Float64Array(bytesOf(t));
      else run.times = Float64Array.from({ length: nodes }, (_, k) => t.first + ((t.last - t.first) * k) / (nodes - 1));
    }
    return run.times;
  }

  /* The last of the sorted numbers that is at most x; -1: none is. */
  function below(list, x) {
    let a = -1;
    let b = list.length;
    while (b - a > 1) {
      const k = (a + b) >> 1;
      if (list[k] <= x) a = k;
      else b = k;
    }
    return a;
  }

  function nearest(list, x) {
    const k = below(list, x);
    if (k < 0) return 0;
    return k + 1 < list.length && list[k + 1] - x < x - list[k] ? k + 1 : k;
  }

  /* Between nodes straight: thinned columns have nodes of their own. */
  function valueAt(c, t) {
    if (t < c.t[0] || t > c.t[c.t.length - 1]) return NaN;
    const k = below(c.t, t);
    if (k < 0 || c.t[k] === t || k + 1 === c.t.length) return c.y[Math.max(k, 0)];
    const s = (t - c.t[k]) / (c.t[k + 1] - c.t[k]);
    return (1 - s) * c.y[k] + s * c.y[k + 1];
  }

  /* Times of two columns, each once. */
  function united(a, b) {
    if (a === b) return a;
    const list = [];
    for (let i = 0, j = 0; i < a.length || j < b.length; ) {
      const t = Math.min(i < a.length ? a[i] : Infinity, j < b.length ? b[j] : Infinity);
      if (a[i] === t) i++;
      if (b[j] === t) j++;
      list.push(t);
    }
    return list;
  }

  /* Amplitudes a_k = 4/n |sum_i w_i (y_i - mean) exp(-2 pi j i k/n)| with the window of Hann, w_i = (1 - cos(2 pi i/n))/2, at the frequencies
   * k/T up to half of the nodes' rate. null: a thinned column has none. */
  function spectrumOf(c) {
    const n = c.t.length - 1;
    if (c.thinned || n < 4) return null;
    const span = c.t[n] - c.t[0];
    const y = Float64Array.from({ length: n }, (_, i) => valueAt(c, c.t[0] + (span * i) / n));
    const mean = y.reduce((s, v) => s + v, 0) / n;
    const cos = y.map((_, i) => Math.cos((2 * Math.PI * i) / n));
    const sin = y.map((_, i) => Math.sin((2 * Math.PI * i) / n));
    const wave = y.map((v, i) => ((v - mean) * (1 - cos[i])) / 2);
    return Array.from({ length: Math.floor(n / 2) }, (_, m) => {
      let [re, im] = [0, 0];
      wave.forEach((v, i) => {
        const at = (i * (m + 1)) % n;
        re += v * cos[at];
        im += v * sin[at];
      });
      const f = (m + 1) / span;
      return { t: f, x: f, y: (4 * Math.hypot(re, im)) / n };
    });
  }

  /* A curve of a run: [{ t, x, y }]; null: it has none. Of a spectrum t is the frequency, too. */
  function pointsOf(run, x, y) {
    const cy = columnOf(run, y);
    if (!cy) return null;
    if (x === SPECTRUM) return (cy.spectrum = cy.spectrum || spectrumOf(cy));
    if (x === TIME) return Array.from(cy.t, (t, i) => ({ t, x: t, y: cy.y[i] }));
    const cx = columnOf(run, x);
    return cx && Array.from(united(cx.t, cy.t), (t) => ({ t, x: valueAt(cx, t), y: valueAt(cy, t) }));
  }

  /* ---- several runs, or cases, in one ---- */

  /* One case of several: its columns are those of all, by their names; a run is null where there is none. list: [{ of: a case, run: one of its runs }
   * or null]. */
  function joined(list) {
    const columns = [];
    const numbers = new Map();
    const there = list.filter(Boolean);
    there.forEach(({ of }) =>
      of.columns.forEach((c) => {
        if (!numbers.has(c.name)) numbers.set(c.name, columns.push(c) - 1);
      })
    );
    const to = (of, k) => (k < 0 ? k : numbers.get(of.columns[k].name));
    const runs = list.map((q) => {
      if (!q) return null;
      const y = columns.map(() => null);
      q.of.columns.forEach((_, k) => (y[to(q.of, k)] = q.run.y[k]));
      return { ...q.run, y, decoded: new Map() };
    });
    const once = (all, key) => [...new Map(all.map((v) => [key(v), v]).reverse()).values()].reverse();
    const first = there.flatMap(({ of }) => of.first.map((f) => f.map((k) => to(of, k))));
    const marks = there.flatMap(({ of }) => of.marks.map((k) => ({ ...k, y: to(of, k.y), x: to(of, k.x) })));
    return { columns, runs, first: once(first, String), marks: once(marks, (k) => [k.of, k.form, k.y, k.x].join()) };
  }

  const lastOf = (of) => of && { of, run: of.runs[of.runs.length - 1] };

  /* The load cases of a run as one case with a curve for each. */
  const casesTogether = (data) => ({ called: data.cases.map((c) => c.name), together: true, cases: [{ name: "all cases", ...joined(data.cases.map(lastOf)) }] });

  /* Runs [{ name, curves }] as one, case by case of the same name; runs of one case each have the same. */
  window.mbopt_runs_together = function (list) {
    const single = list.every((r) => r.curves.cases.length === 1);
    const names = single ? [list[0].curves.cases[0].name] : [...new Set(list.flatMap((r) => r.curves.cases.map((c) => c.name)))];
    const caseOf = (r, name) => (single ? r.curves.cases[0] : r.curves.cases.find((c) => c.name === name));
    return { called: list.map((r) => r.name), together: true, cases: names.map((name) => ({ name, ...joined(list.map((r) => lastOf(caseOf(r, name)))) })) };
  };

  /* ---- what objectives and constraints ask of the columns of a figure ---- */

  function marksOf(which, x, y) {
    if (x === SPECTRUM) return [];
    const own = which.marks.filter((k) => k.y === y && k.x === x);
    if (x === TIME) return own;
    const column = columnOf(which.runs[which.runs.length - 1], x);
    const path = own.some((k) => Array.isArray(k.target) || k.samples);
    const timed = which.marks.filter((k) => k.y === y && k.x === TIME && !Array.isArray(k.target) && !(path && (k.target !== undefined || k.samples)));
    return own.concat(timed).map((k) => elsewhere(k, x, column)).filter(Boolean);
  }

  /* What is asked at a time, in a window or at all times, over another column: there where this is at these times. A window in which the
   * column turns back has no place there. */
  function elsewhere(k, x, column) {
    const { at, from, until, ...mark } = k;
    if (k.samples && k.x === TIME) mark.samples = column ? k.samples.map(([t, v]) => [valueAt(column, t), v]) : [];
    mark.x = x;
    if (at !== undefined) return column && { ...mark, at: valueAt(column, at) };
    if (from === undefined && until === undefined) return mark;
    if (!column) return null;
    const [a, b] = [from === undefined ? column.t[0] : from, until === undefined ? column.t[column.t.length - 1] : until];
    const inside = Array.from(column.y).filter((_, i) => column.t[i] >= a && column.t[i] <= b);
    const ways = new Set(inside.slice(1).map((v, i) => Math.sign(v - inside[i])).filter(Boolean));
    const [low, high] = [valueAt(column, a), valueAt(column, b)].sort((p, q) => p - q);
    return ways.size > 1 ? null : { ...mark, from: low, until: high };
  }

  const ends = (list) => [list[0], list[list.length - 1]];

  /* Lines and areas to draw: { kind: "target" | "bound" | "window", points, text }, in the units of the axes. */
  function shapesOf(marks, xRange) {
    const shapes = [];
    marks.forEach((k) => {
      const from = k.from === undefined ? xRange[0] : k.from;
      const until = k.until === undefined ? xRange[1] : k.until;
      const level = (kind, v, text) =>
        shapes.push({ kind, text, points: k.at === undefined ? [[from, v], [until, v]] : [[k.at, v]] });
      if (k.from !== undefined || k.until !== undefined) shapes.push({ kind: "window", points: [[from, 0], [until, 0]], text: `${k.of} counts here` });
      if (k.within !== undefined) {
        const middle = Array.isArray(k.target) ? k.target : [[from, k.target || 0], [until, k.target || 0]];
        const shifted = (by) => middle.map((p) => [p[0], p[1] + by]);
        shapes.push({ kind: "band", points: [...shifted(k.within), ...shifted(-k.within).reverse()], text: `${k.of}: within ${short(k.within)}` });
      } else if (k.lower !== undefined && k.upper !== undefined && k.at === undefined) {
        shapes.push({ kind: "band", points: [[from, k.lower], [until, k.lower], [until, k.upper], [from, k.upper]], text: `${k.of}: between the limits` });
      }
      if (Array.isArray(k.target)) shapes.push({ kind: "target", points: k.target, text: `target of ${k.of}` });
      else if (k.target !== undefined) level("target", k.target, `target of ${k.of}: ${short(k.target)}`);
      (k.samples || []).forEach((p) => shapes.push({ kind: "target", points: [p], text: `${k.of}: crosses as measured` }));
      if (k.lower !== undefined) level("bound", k.lower, `${k.of}: at least ${short(k.lower)}`);
      if (k.upper !== undefined) level("bound", k.upper, `${k.of}: at most ${short(k.upper)}`);
    });
    return shapes;
  }

  /* ---- colours ---- */

  function themeOf(root) {
    const style = getComputedStyle(root);
    const get = (name) => style.getPropertyValue(name).trim();
    return {
      runs: [get("--curve-before"), get("--curve-after")],
      list: listOf(window.mbopt_dark()),
      target: get(MARK.target),
      bound: get(MARK.bound),
      window: get("--curve-window"),
      band: get("--curve-band"),
      ink: get("--ink"),
      quiet: get("--quiet"),
      line: get("--line"),
      paper: get("--paper"),
    };
  }

  /* Colours of runs that are shown together. */
  const listOf = (dark) => getComputedStyle(document.documentElement).getPropertyValue(dark ? "--runs-dark" : "--runs").trim().split(" ");

  /* One motion alone has the colour of a result. */
  const colourOf = (theme, data, k) => (data.together ? theme.list[k % theme.list.length] : theme.runs[data.called.length === 1 ? 1 : k]);

  /* ---- files ---- */

  const fileName = (figure, ending) => `${figure.title().replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 100)}.${ending}`;

  /* Nodes of all runs by their times; nothing where a run has none. */
  function csvOf(figure) {
    const { which, x, y, called } = figure;
    const columns = which.columns;
    const runs = figure.curves();
    const names = [x === SPECTRUM ? "f [Hz]" : "t [s]"];
    runs.forEach((points, k) => {
      const before = called.length > 1 ? `${called[k]}: ` : "";
      if (points && x >= 0) names.push(before + labelOf(columns[x]));
      if (points) names.push(before + labelOf(columns[y]));
    });
    const rows = new Map();
    runs.forEach((points, k) => {
      (points || []).forEach((p) => {
        if (!rows.has(p.t)) rows.set(p.t, runs.map(() => null));
        rows.get(p.t)[k] = p;
      });
    });
    const number = (v) => (Number.isFinite(v) ? String(Number(v.toPrecision(9))) : "");
    const cells = (p) => (x < 0 ? [p ? number(p.y) : ""] : p ? [number(p.x), number(p.y)] : ["", ""]);
    const lines = [...rows.keys()].sort((a, b) => a - b).map((t) => {
      const row = rows.get(t);
      return [number(t), ...runs.flatMap((points, k) => (points ? cells(row[k]) : []))].join(",");
    });
    return [names.map(quoted).join(","), ...lines].join("\n") + "\n";
  }

  /* ---- over time, by dygraphs ---- */

  const GAP = NaN; /* dygraphs: no line; null: a line to the next point */

  function timeChart(figure, div, width) {
    const { section } = figure;
    const theme = section.theme;
    const runs = figure.curves();
    const shown = runs.map((points, k) => (section.visible[k] ? points : null));
    const rows = new Map();
    shown.forEach((points, k) =>
      (points || []).forEach((p) => {
        if (!rows.has(p.t)) rows.set(p.t, runs.map(() => null));
        rows.get(p.t)[k] = figure.log && !(p.y > 0) ? GAP : p.y;
      })
    );
    const data = [...rows.keys()].sort((a, b) => a - b).map((t) => [t, ...rows.get(t)]);
    if (data.length === 0) data.push([0, ...runs.map(() => null)]);
    const xr = [data[0][0], data[data.length - 1][0]];
    const shapes = shapesOf(figure.marks(), xr);
    const levels = shapes.filter((s) => s.kind !== "window").flatMap((s) => s.points.map((p) => p[1]));
    const yr = rangeOf(data.flatMap((r) => r.slice(1)).filter((v) => v !== null), levels, figure.log);
    const note = element("p", { className: "curve-from" });
    const ticker = (axis) => (low, high, pixels) => {
      const t = axis === "y" && figure.log && low > 0 ? logTicks(low, high) : ticksOf(low, high, pixels / (axis === "x" ? 90 : 40));
      if (axis === "y") note.textContent = t.from === null ? "" : `ticks from ${t.from}`;
      return t.list;
    };
    div.replaceChildren(element("div", { className: "curve-canvas" }), note);
    const graph = new Dygraph(div.firstChild, data, {
      width,
      height: section.height,
      labels: ["t", ...runs.map((_, k) => String(k))],
      colors: runs.map((_, k) => colourOf(theme, section.data, k)),
      strokeWidth: 1.8,
      connectSeparatedPoints: true,
      legend: "never",
      highlightCircleSize: 0,
      title: escaped(labelOf(figure.which.columns[figure.y])), /* dygraphs takes it as HTML */
      titleHeight: 18,
      xlabel: "t [s]",
      xLabelHeight: 16,
      logscale: figure.log,
      valueRange: yr,
      dateWindow: section.window || xr,
      axisLineColor: theme.quiet,
      gridLineColor: theme.line,
      gridLineWidth: 1,
      axisLabelFontSize: 12,
      xRangePad: 0,
      rightGap: 12,
      axes: { x: { ticker: ticker("x") }, y: { ticker: ticker("y"), axisLabelWidth: 66 } },
      underlayCallback: (context, area, g) => underlay(context, area, g, shapes, theme),
      zoomCallback: (a, b) => section.zoomed(figure, [a, b]),
    });
    const canvas = div.firstChild;
    const timeOf = (e) => graph.toDataXCoord(e.clientX - canvas.getBoundingClientRect().left);
    return {
      graph,
      range: xr,
      timeOf: (e) => timeOf(e),
      place: (t) => {
        const area = graph.getArea();
        const x = graph.toDomXCoord(t);
        return x >= area.x - 0.5 && x <= area.x + area.w + 0.5 ? { x, top: area.y, height: area.h } : null;
      },
      dot: (p) => {
        const area = graph.getArea();
        const [x, y] = graph.toDomCoords(p.x, p.y);
        return y >= area.y - 1 && y <= area.y + area.h + 1 ? { x, y } : null;
      },
      zoom: (window) => graph.updateOptions({ dateWindow: window || xr, valueRange: yr }),
      resize: (w) => graph.resize(w, section.height),
      destroy: () => graph.destroy(),
    };
  }

  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

  function underlay(context, area, g, shapes, theme) {
    context.save();
    context.beginPath();
    context.rect(area.x, area.y, area.w, area.h);
    context.clip();
    shapes.forEach((s) => {
      const at = (p) => g.toDomCoords(p[0], p[1]);
      if (s.kind === "window") {
        const [a, b] = s.points.map((p) => g.toDomXCoord(p[0]));
        context.fillStyle = theme.window;
        context.fillRect(a, area.y, b - a, area.h);
        return;
      }
      if (s.kind === "band") {
        context.fillStyle = theme.band;
        context.beginPath();
        s.points.forEach((p, i) => (i ? context.lineTo(...at(p)) : context.moveTo(...at(p))));
        context.fill();
        return;
      }
      context.strokeStyle = theme[s.kind];
      context.lineWidth = 1.5;
      context.setLineDash(s.points.length > 1 ? [6, 4] : []);
      context.beginPath();
      if (s.points.length === 1) {
        const [x, y] = at(s.points[0]);
        context.moveTo(x - 6, y - 6), context.lineTo(x + 6, y + 6), context.moveTo(x - 6, y + 6), context.lineTo(x + 6, y - 6);
      } else {
        s.points.forEach((p, i) => (i ? context.lineTo(...at(p)) : context.moveTo(...at(p))));
      }
      context.stroke();
    });
    context.restore();
  }

  /* ---- a column over another, as <svg> ---- */

  /* Two components of one unit are a path in a plane. */
  function isPath({ which, x, y }) {
    const [a, b] = [which.columns[x], which.columns[y]];
    return x >= 0 && /\.(x|y|z)$/.test(a.name) && /\.(x|y|z)$/.test(b.name) && a.unit === b.unit;
  }

  /* A path that is long and narrow, as a lane change, would be a line if its axes had one scale. */
  function isLong(figure) {
    const points = figure.curves().flatMap((p) => p || []);
    const [a, b] = ["x", "y"].map((pick) => sizeOf(points, pick));
    return Math.max(a, b) > 5 * Math.min(a, b);
  }

  function sizeOf(points, pick) {
    const [low, high] = points.reduce((r, p) => [Math.min(r[0], p[pick]), Math.max(r[1], p[pick])], [Infinity, -Infinity]);
    return high - low;
  }

  function pairPlot(figure, width, ranges) {
    const { section, which, x, y } = figure;
    const runs = figure.curves();
    const series = [];
    runs.forEach((points, k) => {
      if (points && section.visible[k]) series.push({ name: figure.called[k], colour: colourOf(section.theme, section.data, k), points });
    });
    const all = series.flatMap((s) => s.points);
    const whole = Math.max(...["x", "y"].map((pick) => sizeOf(all, pick)));
    series.forEach((s) => {
      if (["x", "y"].every((pick) => sizeOf(s.points, pick) <= 1e-3 * whole)) Object.assign(s, { kind: "points", size: 9 }); /* a line would not be seen */
    });
    const xs = rangeOf(all.map((p) => p.x), [], false);
    const marks = figure.marks();
    const shapes = shapesOf(marks, xs);
    const levels = shapes.flatMap((s) => s.points.map((p) => p[1]));
    const xAxis = x === TIME ? { name: "t", unit: "s" } : x === SPECTRUM ? { name: "f", unit: "Hz" } : which.columns[x];
    const equal = isPath(figure) && !isLong(figure);
    const overlap = shapes.filter((s) => s.points.length !== 2).flatMap((s) => s.points.map((p) => p[0]));
    return {
      width,
      height: equal ? Math.min(width, 380) : section.height,
      x: { label: labelOf(xAxis), range: ranges ? ranges[0] : rangeOf(all.map((p) => p.x), overlap, false) },
      y: { label: (x === SPECTRUM ? "amplitude of " : "") + labelOf(which.columns[y]), range: ranges ? ranges[1] : rangeOf(all.map((p) => p.y), levels, figure.log), log: figure.log },
      series,
      shapes,
      equal,
    };
  }

  function pairChart(figure, div, width) {
    const { section } = figure;
    let ranges = null;
    let wide = width;
    let drawn;
    const redraw = () => {
      drawn = draw(pairPlot(figure, wide, ranges), section.theme);
      drawn.svg.setAttribute("aria-hidden", "true");
      div.replaceChildren(drawn.svg);
    };
    redraw();
    const place = (e) => {
      const box = drawn.svg.getBoundingClientRect();
      return { x: e.clientX - box.left, y: e.clientY - box.top };
    };
    const back = (v, a, b, r) => r[0] + ((v - a) / (b - a)) * (r[1] - r[0]);
    let from = null;
    const down = (e) => (from = e.button === 0 && e.pointerType !== "touch" ? place(e) : null);
    const up = (e) => {
      const to = place(e);
      if (from && Math.abs(to.x - from.x) > 8 && Math.abs(to.y - from.y) > 8 && !figure.log) {
        const { box, xr, yr } = drawn;
        const xs = [from.x, to.x].map((v) => back(v, box.left, box.right, xr)).sort((a, b) => a - b);
        const ys = [from.y, to.y].map((v) => back(v, box.bottom, box.top, yr)).sort((a, b) => a - b);
        ranges = [xs, ys];
        redraw();
        section.refresh();
      }
      from = null;
    };
    const reset = () => {
      ranges = null;
      redraw();
      section.refresh();
    };
    div.addEventListener("pointerdown", down);
    div.addEventListener("pointerup", up);
    div.addEventListener("dblclick", reset);
    return {
      range: null,
      /* the time of the node that is nearest to the mouse */
      timeOf: (e) => {
        const at = place(e);
        let best = Infinity;
        let time = null;
        figure.curves().forEach((points, k) => {
          if (!section.visible[k]) return;
          (points || []).forEach((p) => {
            const d = Math.hypot(drawn.px(p.x) - at.x, drawn.py(p.y) - at.y);
            if (d < best) [best, time] = [d, p.t];
          });
        });
        return time;
      },
      place: () => null,
      dot: (p) => {
        const [x, y] = [drawn.px(p.x), drawn.py(p.y)];
        const { box } = drawn;
        return x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 1 && y <= box.bottom + 1 ? { x, y } : null;
      },
      zoom: () => {},
      reset,
      resize: (w) => {
        wide = w;
        redraw();
      },
      destroy: () => {
        div.removeEventListener("pointerdown", down);
        div.removeEventListener("pointerup", up);
        div.removeEventListener("dblclick", reset);
      },
    };
  }

  /* ---- a figure with its controls ---- */

  const GROUPS = { output: "Outputs", coordinate: "Coordinates", rate: "Rates", acceleration: "Accelerations", multiplier: "Multipliers", objective: "Objectives so far", projection: "Projections" };

  function columnPicker(which, withTime) {
    const select = element("select");
    if (withTime) select.append(new Option("time [s]", TIME), new Option("frequency [Hz]: spectrum", SPECTRUM));
    const group = (title, list) => list.length && select.append(element("optgroup", { label: title }, list.map((c) => new Option(labelOf(c), which.columns.indexOf(c)))));
    group("Chosen", which.columns.filter((c) => c.chosen).sort((a, b) => a.chosen - b.chosen));
    Object.entries(GROUPS).forEach(([kind, title]) => group(title, which.columns.filter((c) => c.kind === kind && !c.chosen)));
    return select;
  }

  function makeFigure(section, inCase, y, x) {
    const called = section.data.called;
    const figure = { section, called, inCase, x, y, log: false, chart: null, frequency: null };
    const head = element("div", { className: "curve-head" });
    const chart = element("div", { className: "curve-chart", tabIndex: 0 });
    const plot = element("div", { className: "curve-plot" });
    const overlay = element("div", { className: "curve-over" });
    const line = element("i", { className: "curve-at", hidden: true });
    const now = element("i", { className: "curve-now", hidden: true });
    const dots = called.map((_, k) => element("b", { className: "curve-dot", hidden: true }));
    const reading = element("output", { className: "curve-read" });
    const log = element("input", { type: "checkbox" });
    const logLabel = element("label", {}, [log, " log"]);
    const button = (text, title, act) => {
      const b = element("button", { type: "button", textContent: text, title });
      b.addEventListener("click", act);
      return b;
    };
    const tools = element("div", { className: "curve-tools" }, [
      logLabel,
      button("Reset zoom", "Show all (double click)", () => figure.reset()),
      button("CSV", "Save these curves as a table", () => save(fileName(figure, "csv"), "text/csv", csvOf(figure))),
      button("SVG", "Save this figure as a picture", () => save(fileName(figure, "svg"), "image/svg+xml", figure.svg())),
      button("✕", "Remove this figure", () => section.remove(figure)),
    ]);
    tools.lastChild.setAttribute("aria-label", "Remove this figure");
    overlay.append(now, line, ...dots);
    chart.setAttribute("role", "group");
    chart.append(plot, overlay);
    const caption = element("figcaption");
    figure.element = element("figure", { className: "plot curve" }, [head, chart, reading, tools, caption]);

    figure.title = () => {
      const c = figure.which.columns;
      const over = figure.x === TIME ? "time" : figure.x === SPECTRUM ? "frequency" : c[figure.x].name;
      return `${c[figure.y].name} over ${over}${section.data.cases.length > 1 ? ` in case ${figure.which.name}` : ""}`;
    };
    figure.curves = () => figure.which.runs.map((run) => pointsOf(run, figure.x, figure.y));
    figure.marks = () => marksOf(figure.which, figure.x, figure.y);
    figure.csv = () => csvOf(figure);
    figure.picture = (width) => draw({ ...pairPlot(figure, width, null), legend: true }, section.paper).svg;
    figure.svg = () => textOf(figure.picture(720));
    onPaper(chart, figure.picture);

    /* Pickers of the case at hand. */
    function pickers() {
      figure.which = section.data.cases[figure.inCase];
      const ys = columnPicker(figure.which, false);
      const xs = columnPicker(figure.which, true);
      ys.value = figure.y;
      xs.value = figure.x;
      ys.setAttribute("aria-label", "Quantity");
      xs.setAttribute("aria-label", "Over");
      ys.addEventListener("change", () => figure.choose(Number(ys.value), figure.x));
      xs.addEventListener("change", () => figure.choose(figure.y, Number(xs.value)));
      const parts = [ys, element("span", { textContent: "over" }), xs];
      if (section.data.cases.length > 1) {
        const cases = element("select", {}, section.data.cases.map((c, i) => new Option(c.name, i)));
        cases.value = figure.inCase;
        cases.className = "curve-case";
        cases.setAttribute("aria-label", "Load case");
        cases.addEventListener("change", () => figure.move(Number(cases.value)));
        parts.push(element("span", { textContent: "in" }), cases);
      }
      head.replaceChildren(...parts);
    }
    figure.choose = (toY, toX) => {
      figure.y = toY;
      figure.x = toX;
      head.querySelectorAll("select")[0].value = toY;
      head.querySelectorAll("select")[1].value = toX;
      remake();
    };
    /* The same names in another case; its first column where it has none of that name. */
    figure.move = (to) => {
      const names = figure.which.columns;
      const list = section.data.cases[to].columns;
      const same = (k) => (k < 0 ? k : list.findIndex((c) => c.name === names[k].name));
      figure.inCase = to;
      figure.y = Math.max(0, same(figure.y));
      figure.x = same(figure.x);
      pickers();
      remake();
    };
    figure.reset = () => {
      if (figure.chart && figure.chart.reset) figure.chart.reset();
      else section.zoomed(null, null);
    };

    function describe() {
      const c = figure.which.columns;
      const thinned = figure.which.runs.filter((r) => r && [figure.x, figure.y].some((k) => k >= 0 && r.y[k] && (r.y[k].at || r.y[k].at4)));
      const shapes = [...new Set(shapesOf(figure.marks(), [0, 1]).map((s) => s.text))];
      if (figure.x === SPECTRUM) shapes.push(aboutSpectrum());
      if (isPath(figure) && isLong(figure)) shapes.push("the axes have different scales");
      const parts = shapes.concat(thinned.length ? [`thinned for this page with all extremes; the run has ${thinned[0].nodes} nodes`] : []);
      caption.textContent = `${figure.title()}${parts.length ? ` (${parts.join("; ")})` : ""}${extremes()}`;
      chart.setAttribute("aria-label", `${figure.title()}: ${called.join(" and ")}. Left and right arrow read values, plus and minus zoom, Home shows all.`);
      logLabel.hidden = !figure.curves().some((points) => points && points.some((p) => p.y > 0));
      return c;
    }
    /* The least and the largest value of each curve, for readers without a mouse and on paper. */
    function extremes() {
      if (figure.x === SPECTRUM || isPath(figure)) return "";
      const { unit } = figure.which.columns[figure.y];
      const place = (p) => `${short(Number(p.y.toPrecision(5)))} (t = ${short(Number(p.t.toPrecision(4)))} s)`;
      const texts = figure.curves().map((points, k) => {
        const list = (points || []).filter((p) => Number.isFinite(p.y));
        if (!list.length) return "";
        const [low, high] = list.reduce((r, p) => [p.y < r[0].y ? p : r[0], p.y > r[1].y ? p : r[1]], [list[0], list[0]]);
        const name = called.length > 1 ? `${called[k]} ` : "";
        return `${name}from ${place(low)} to ${place(high)}`;
      });
      const told = texts.filter(Boolean);
      return told.length ? `. At the nodes${called.length > 1 ? ":" : ""} ${told.join("; ")}${unit && unit !== "-" ? `, in ${unit}` : ""}` : "";
    }
    function aboutSpectrum() {
      if (!figure.curves().some(Boolean)) return "a thinned curve has no spectrum: trajectory.csv has all nodes";
      const [a, b] = ends(timesOf(figure.which.runs.find(Boolean)));
      return `amplitudes of the curve less its mean, under the window of Hann over ${short(b - a)} s: a line is ${short(4 / (b - a))} Hz wide`;
    }
    function remake() {
      describe();
      if (figure.chart) figure.chart.destroy();
      figure.chart = null;
      figure.make();
      section.refresh();
    }
    figure.make = () => {
      const width = chart.clientWidth;
      if (figure.chart || !width) return;
      figure.width = width;
      figure.chart = figure.x === TIME ? timeChart(figure, plot, width) : pairChart(figure, plot, width);
    };
    figure.again = remake;
    figure.resize = () => {
      const width = chart.clientWidth;
      if (!figure.chart || !width || width === figure.width) return;
      figure.width = width;
      figure.chart.resize(width);
      section.refresh();
    };

    /* ---- reading ---- */
    figure.show = (time, playing) => {
      if (!figure.chart) return;
      if (figure.x === SPECTRUM) [time, playing] = [figure.frequency, null]; /* its own reading */
      const mark = (e, t) => {
        const p = t === null ? null : figure.chart.place(t);
        e.hidden = !p;
        if (p) Object.assign(e.style, { left: `${p.x}px`, top: `${p.top}px`, height: `${p.height}px` });
      };
      mark(now, playing);
      mark(line, time);
      const at = time === null ? playing : time;
      const values = figure.which.runs.map((run) => readingOf(run, at));
      values.forEach((p, k) => {
        const d = p && section.visible[k] && time !== null ? figure.chart.dot(p) : null;
        dots[k].hidden = !d;
        if (d) Object.assign(dots[k].style, { left: `${d.x}px`, top: `${d.y}px`, background: colourOf(section.theme, section.data, k) });
      });
      if (at === null || !values.some(Boolean)) reading.replaceChildren("Point at a curve to read it.");
      else reading.replaceChildren(...wordsOf(values));
    };
    /* At the node that is nearest to the time. */
    function readingOf(run, t) {
      if (figure.x === SPECTRUM) {
        const points = t === null ? null : pointsOf(run, SPECTRUM, figure.y);
        return points && points[nearest(points.map((p) => p.x), t)];
      }
      const c = t === null ? null : columnOf(run, figure.y);
      if (!c || !c.t.length) return null;
      const k = nearest(c.t, t);
      const at = { t: c.t[k], x: c.t[k], y: c.y[k] };
      const cx = columnOf(run, figure.x);
      return cx && { ...at, x: figure.x === TIME ? at.t : valueAt(cx, at.t) };
    }
    function wordsOf(values) {
      const { columns } = figure.which;
      const first = values.find(Boolean);
      const parts = [element("span", { textContent: figure.x === SPECTRUM ? `f = ${short(first.t)} Hz` : `t = ${short(first.t)} s` })];
      values.forEach((p, k) => {
        if (!p) return;
        const chip = element("i");
        chip.style.background = colourOf(section.theme, section.data, k);
        const unit = (c) => (c.unit && c.unit !== "-" ? ` ${c.unit}` : "");
        const over = figure.x < 0 ? "" : `${short(p.x)}${unit(columns[figure.x])} → `;
        const name = called.length > 1 ? `${called[k]} ` : "";
        parts.push(element("span", {}, [chip, `${name}${over}`, element("strong", { textContent: short(p.y) }), unit(columns[figure.y])]));
      });
      return parts;
    }
    const read = (at) => {
      if (figure.x !== SPECTRUM) return section.read(at);
      figure.frequency = at;
      return section.refresh();
    };
    chart.addEventListener("pointermove", (e) => figure.chart && read(figure.chart.timeOf(e)));
    chart.addEventListener("pointerleave", () => read(null));
    chart.addEventListener("click", (e) => figure.chart && figure.x !== SPECTRUM && section.seek(figure.chart.timeOf(e)));
    chart.addEventListener("keydown", (e) => {
      const act = { ArrowLeft: () => section.step(figure, -1), ArrowRight: () => section.step(figure, 1), "+": () => section.scale(0.7), "=": () => section.scale(0.7), "-": () => section.scale(1 / 0.7), Home: () => figure.reset() }[e.key];
      if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      reading.setAttribute("aria-live", "polite"); /* of the keyboard alone: a mouse would talk without end */
      act();
    });
    log.addEventListener("change", () => {
      figure.log = log.checked;
      remake();
    });
    pickers();
    describe();
    return figure;
  }

  /* ---- the section ---- */

  function makeSection(root, data, motion) {
    const section = { data, root, figures: [], window: null, height: 264, visible: [], time: null };
    const grid = element("div", { className: "figures" });
    const whole = () => {
      const made = section.figures.find((f) => f.chart && f.chart.range);
      return made ? made.chart.range : [0, 1];
    };
    section.theme = themeOf(root);
    section.paper = { ...section.theme, list: listOf(false), runs: ["#777777", "#0072b2"], target: "#00795a", bound: "#b34700", window: "rgba(0,114,178,0.08)", band: "rgba(179,71,0,0.08)", ink: "#1d2430", quiet: "#5d6878", line: "#dde2e9", paper: "#ffffff" };
    section.refresh = () => {
      const playing = motion ? motion.time() : null;
      section.figures.forEach((f) => f.show(section.time, playing));
    };
    section.read = (time) => {
      section.time = time;
      if (motion && time !== null && !motion.playing()) motion.seek(time);
      section.refresh();
    };
    section.seek = (time) => {
      if (!motion || time === null) return;
      motion.pause();
      motion.seek(time);
    };
    section.zoomed = (by, window) => {
      const all = whole();
      section.window = window && (window[0] > all[0] || window[1] < all[1]) ? window : null;
      section.figures.forEach((f) => f !== by && f.chart && f.chart.zoom(section.window));
      section.refresh();
    };
    section.scale = (factor) => {
      const [low, high] = section.window || whole();
      const middle = section.time === null ? (low + high) / 2 : section.time;
      const all = whole();
      section.zoomed(null, [Math.max(all[0], middle - (middle - low) * factor), Math.min(all[1], middle + (high - middle) * factor)]);
    };
    /* The next node of a figure's first curve. */
    section.step = (figure, by) => {
      const points = figure.curves().find(Boolean);
      if (!points) return;
      const times = points.map((p) => p.t);
      if (figure.x === SPECTRUM) {
        figure.frequency = times[Math.max(0, Math.min(times.length - 1, figure.frequency === null ? 0 : nearest(times, figure.frequency) + by))];
        section.refresh();
        return;
      }
      const here = section.time === null ? (motion ? motion.time() : times[0]) : section.time;
      section.read(times[Math.max(0, Math.min(times.length - 1, nearest(times, here) + by))]);
    };
    const observer = new IntersectionObserver(
      (entries) => entries.forEach((e) => {
        if (!e.isIntersecting) return;
        const f = section.figures.find((g) => g.element === e.target);
        if (f && !f.chart) {
          f.make();
          section.refresh();
        }
      }),
      { rootMargin: "400px" }
    );
    section.add = (inCase, y, x) => {
      const figure = makeFigure(section, inCase, y, x);
      section.figures.push(figure);
      grid.append(figure.element);
      observer.observe(figure.element);
      return figure;
    };
    section.remove = (figure) => {
      observer.unobserve(figure.element);
      if (figure.chart) figure.chart.destroy();
      section.figures = section.figures.filter((f) => f !== figure);
      figure.element.remove();
    };
    section.makeAll = () => {
      section.figures.forEach((f) => f.make());
      section.refresh();
    };

    /* Which motions are drawn, and over what. */
    function togglesOf() {
      return section.data.called.map((name, k) => {
        const box = element("input", { type: "checkbox", checked: true });
        const chip = element("i");
        chip.style.background = colourOf(section.theme, section.data, k);
        box.addEventListener("change", () => {
          section.visible[k] = box.checked;
          section.figures.forEach((f) => f.chart && f.again());
        });
        return element("label", {}, [box, chip, name]);
      });
    }
    /* All figures over the same; those of cases without such a column stay. */
    function overPicker() {
      const over = columnPicker(section.data.cases[0], true);
      over.prepend(new Option("…", ""));
      over.value = "";
      over.addEventListener("change", () => {
        const x = Number(over.value);
        const name = x < 0 ? null : section.data.cases[0].columns[x].name;
        section.figures.forEach((f) => {
          const k = name === null ? x : f.which.columns.findIndex((c) => c.name === name);
          if (over.value !== "" && (name === null || k >= 0) && k !== f.y) f.choose(f.y, k);
        });
      });
      return over;
    }
    const more = element("button", { type: "button", textContent: "Add a figure" });
    more.addEventListener("click", () => {
      const figure = section.add(0, 0, TIME);
      figure.make();
      section.refresh();
      figure.element.scrollIntoView({ block: "nearest" });
      figure.element.querySelector("select").focus();
    });
    /* Load cases with figures of their own, or all in each figure. */
    const apart = element("select", {}, [new Option("each by itself", ""), new Option("together", "1")]);
    apart.addEventListener("change", () => {
      section.use(apart.value ? casesTogether(data) : data);
      section.makeAll();
    });
    apart.setAttribute("aria-label", "Load cases");
    const cases = element("label", { hidden: data.together || data.cases.length < 2 }, ["load cases ", apart]);
    const bar = element("div", { className: "curve-bar" });
    const hint = element("p", { className: "curve-hint", textContent: "Every figure shows any column of the trajectory over the time or over any other. Drag across to zoom, double click to see all; a click sets the time of the animation." });
    const others = element("button", { type: "button", className: "curve-more" });
    let toggles = [];
    let rest = [];
    section.more = () => {
      rest.splice(0).forEach((f) => section.add(...f));
      others.hidden = true;
    };
    others.addEventListener("click", section.more);
    root.replaceChildren(hint, bar, grid, others);

    /* Shows these data: first what the run file chooses, then what objectives and constraints ask; others than a few wait for a click. */
    section.use = (shown) => {
      section.figures.slice().forEach(section.remove);
      Object.assign(section, { data: shown, visible: shown.called.map(() => true), window: null });
      toggles = togglesOf();
      bar.replaceChildren(...(shown.called.length > 1 ? toggles : []), element("label", {}, ["all over ", overPicker()]), cases, more);
      const all = shown.cases.flatMap((c, i) => c.first.map(([y, x]) => [i, y, x]));
      const choice = ([i, y, x]) => (shown.cases[i].columns[y].chosen ? shown.cases[i].columns[y].chosen + (x < 0 ? 0 : 0.5) : 0); /* paths after curves over time */
      const chosen = all.filter(choice).sort((a, b) => choice(a) - choice(b));
      const asked = chosen.concat(all.filter((f) => !choice(f) && marksOf(shown.cases[f[0]], f[2], f[1]).length > 0));
      const sorted = asked.concat(all.filter((f) => !asked.includes(f)));
      const many = chosen.length || Math.max(6, Math.min(12, asked.length));
      rest = sorted.splice(sorted.length > many + 2 ? many : sorted.length);
      sorted.forEach((f) => section.add(...f));
      others.hidden = !rest.length;
      others.textContent = `Show ${rest.length} more figures`;
    };
    section.use(data);
    /* The last motion of the same cases at another design; all = false: figures that are in sight alone follow. */
    section.replace = ({ cases: list }, all) => {
      section.data.cases.forEach((c, i) => (c.runs[c.runs.length - 1] = list[i].runs[0]));
      section.figures.forEach((f) => {
        const { top, bottom } = f.element.getBoundingClientRect();
        if (f.chart && (all || (bottom > 0 && top < window.innerHeight))) f.again();
      });
    };

    window.addEventListener("mbopt-look", () => {
      section.theme = themeOf(root);
      toggles.forEach((label, k) => (label.querySelector("i").style.background = colourOf(section.theme, section.data, k)));
      section.figures.forEach((f) => f.chart && f.again());
    });
    new ResizeObserver(() => section.figures.forEach((f) => f.resize())).observe(root);
    if (motion) motion.listen(section.refresh);
    section.refresh();
    return section;
  }

  window.mbopt_curves = function (container, data, motion) {
    container.classList.add("curves");
    return makeSection(container, data, motion);
  };
})();
