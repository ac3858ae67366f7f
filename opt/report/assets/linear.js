/* Small motions: mbopt_modes(roots, modes, data) draws eigenvalues into the element `roots` and, into `modes`, the mode that a click chooses,
 * in the canvas of scene.js. data: { varied, unit, entries } as opt/report/linear_page.h says. */
(function () {
  "use strict";

  const { element, short } = window.mbopt_drawing; /* plot.js */

  /* ---- branches: roots of neighbouring entries that belong together ---- */

  const size = (z) => Math.hypot(z[0], z[1]);

  /* Each root of `to` for the one of `from` that is nearest, the closest pairs first; null where there are fewer. Far from the origin
   * roots move farther. */
  function follow(from, to) {
    const pairs = [];
    from.forEach((a, i) => a && to.forEach((b, j) => pairs.push([Math.hypot(a[0] - b[0], a[1] - b[1]) / (size(a) + size(b) + 1e-9), i, j])));
    pairs.sort((p, q) => p[0] - q[0]);
    const next = from.map(() => -1);
    const taken = new Set();
    pairs.forEach(([, i, j]) => {
      if (next[i] >= 0 || taken.has(j)) return;
      next[i] = j;
      taken.add(j);
    });
    return next;
  }

  /* [branch][entry] number of the root; -1: none */
  function branchesOf(entries) {
    const most = Math.max(0, ...entries.map((e) => e.roots.length));
    const branches = Array.from({ length: most }, () => []);
    let last = Array.from({ length: most }, () => null);
    entries.forEach((e, k) => {
      const next = k === 0 ? last.map((_, i) => (i < e.roots.length ? i : -1)) : follow(last, e.roots);
      const free = e.roots.map((_, j) => j).filter((j) => !next.includes(j));
      next.forEach((j, i) => branches[i].push(j < 0 && !last[i] && free.length ? free.shift() : j));
      last = branches.map((b, i) => (b[k] < 0 ? last[i] : e.roots[b[k]]));
    });
    return branches;
  }

  /* ---- texts ---- */

  const labelOf = (data, e) => [data.entries.some((o) => o.case !== e.case) ? `case ${e.case}` : "", e.value === null ? "" : `${data.varied} = ${typeof e.value === "number" ? short(e.value) : e.value}`].filter(Boolean).join(", ") || `case ${e.case}`;

  /* Rounding cannot tell it from zero. */
  const isZero = (e, root) => size(root) <= e.zero;
  /* Nor its real part, as lambda^2 has the error e.zero^2. */
  const realIsZero = (e, root) => 2 * size(root) * Math.abs(root[0]) <= e.zero * e.zero;

  const dampingOf = (e, root) => (realIsZero(e, root) ? "0" : short4(-root[0] / size(root)));

  function aboutRoot(e, root) {
    const [re, im] = root;
    if (isZero(e, root)) return "zero: a rigid motion, free";
    if (Math.abs(im) > 0) return `${short4(Math.abs(im) / (2 * Math.PI))} Hz, damping ${dampingOf(e, root)}`;
    return re > 0 ? `doubles in ${short4(Math.LN2 / re)} s` : `halves in ${short4(-Math.LN2 / re)} s`;
  }
  const short4 = (v) => String(Number(v.toPrecision(4)));

  /* ---- figures ---- */

  /* Roots that are fast beside all others would leave these a point: the largest size to show at first. */
  function usualSize(entries) {
    const list = entries.flatMap((e) => e.roots.filter((z) => !isZero(e, z)).map(size)).sort((a, b) => a - b);
    for (let i = Math.floor(list.length / 2) + 1; i < list.length; i++) {
      if (list[i] > 20 * list[i - 1]) return list[i - 1];
    }
    return Infinity;
  }

  function figuresOf(data, entries) {
    const branches = branchesOf(entries);
    const names = entries.map((e) => labelOf(data, e));
    const numeric = entries.every((e) => typeof e.value === "number");
    const many = entries.length > 1;
    const shades = entries.map((_, k) => (many ? k / (entries.length - 1) : 1));
    const usual = usualSize(entries);
    const rootOf = (b, k) => (b[k] < 0 ? null : entries[k].roots[b[k]]);
    const upper = (b, k, part) => {
      const z = rootOf(b, k);
      return z && z[1] >= 0 ? z[part] : null;
    };
    const text = (b) => entries.map((_, k) => (rootOf(b, k) ? `${names[k]}: ${aboutRoot(entries[k], rootOf(b, k))}` : null));
    const seriesOf = (b, i, x, y) => ({ name: `root ${i + 1}`, kind: many ? "both" : "points", x, y, shades, text: text(b), colour: "quiet", branch: b });
    const seen = branches.map((b, i) => ({ b, i })).filter(({ b }) => entries.some((_, k) => upper(b, k, 0) !== null));
    const shown = entries.flatMap((e) => e.roots.filter((z) => size(z) <= usual));
    const span = (part) => shown.map((z) => z[part]);
    const room = (low, high) => [low - 0.06 * (high - low || 1), high + 0.06 * (high - low || 1)];
    const range = { re: room(Math.min(0, ...span(0)), Math.max(0, ...span(0))), im: room(0, Math.max(...span(1), 1e-3)) };
    const cut = usual < Infinity ? ` Roots faster than ${short4(usual)} 1/s lie outside; "Show all" shows them.` : "";
    const over = many ? ` From grey (${names[0]}) to blue (${names[names.length - 1]}).` : "";
    const list = [
      {
        title: many ? "Root locus" : "Eigenvalues",
        caption: `Eigenvalues with an imaginary part of zero and more; right of the dashed line modes grow.${over}${cut} A click shows the mode below.`,
        x: { label: "real part", unit: "1/s", range: usual < Infinity ? undefined : range.re },
        y: { label: "imaginary part", unit: "1/s", range: usual < Infinity ? undefined : range.im },
        window: usual < Infinity ? [range.re, range.im] : null,
        height: 420,
        quiet: true,
        levels: [{ x: 0, kind: "bound", text: "above: unstable" }],
        series: seen.map(({ b, i }) => seriesOf(b, i, entries.map((_, k) => upper(b, k, 0)), entries.map((_, k) => upper(b, k, 1)))),
      },
    ];
    const axis = numeric ? { label: data.varied, unit: data.unit } : { label: data.varied || "case", names };
    const place = entries.map((e, k) => (numeric ? e.value : k));
    const ends = numeric ? [Math.min(...place), Math.max(...place)] : [-0.5, names.length - 0.5];
    const overValue = (title, part, window) => ({
      title,
      caption: part ? "" : "Above the dashed line modes grow.",
      x: axis,
      y: { label: part ? "imaginary part" : "real part", unit: "1/s", range: window && usual === Infinity ? window : undefined },
      window: usual < Infinity ? [room(ends[0], ends[1]), window] : null,
      height: 420,
      quiet: true,
      levels: part ? [] : [{ y: 0, kind: "bound", text: "above: unstable" }],
      series: seen.map(({ b, i }) => seriesOf(b, i, place, entries.map((_, k) => upper(b, k, part)))),
    });
    if (many) list.push(overValue(`Real parts over ${axis.label}`, 0, range.re), overValue(`Imaginary parts over ${axis.label}`, 1, range.im));
    return list;
  }

  /* ---- motion of a mode ---- */

  const FRAMES = 61;

  /* How the size of a mode changes in a time that shows it: { duration, re(s), im(s) } with s from 0 to 1. */
  function courseOf(e, [re, im]) {
    const still = { duration: 2, re: (s) => Math.sin(2 * Math.PI * s), im: () => 0, periodic: true };
    if (isZero(e, [re, im])) return still;
    if (im !== 0) {
      const angle = (s) => 2 * Math.PI * s;
      return { duration: (2 * Math.PI) / Math.abs(im), re: (s) => Math.cos(angle(s)), im: (s) => -Math.sin(angle(s)), periodic: true };
    }
    if (Math.abs(re) < 1e-3) return still;
    const duration = 4 / Math.abs(re);
    return { duration, re: (s) => Math.exp(re > 0 ? 4 * (s - 1) : -4 * s), im: () => 0, periodic: false };
  }

  const { cross, turn: rotate } = window.mbopt_vectors;

  /* Turned by a rotation vector in global axes. */
  function turned(v, e) {
    const angle = Math.hypot(...v);
    const f = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
    const [w, x, y, z] = [Math.cos(angle / 2), f * v[0], f * v[1], f * v[2]];
    return [w * e[0] - x * e[1] - y * e[2] - z * e[3], w * e[1] + x * e[0] + y * e[3] - z * e[2], w * e[2] - x * e[3] + y * e[0] + z * e[1], w * e[3] + x * e[2] - y * e[1] + z * e[0]];
  }

  /* The largest displacement of a place on a body and the largest turn, for a mode as it is; the size of the mechanism. */
  function reachOf(scene, mode) {
    const n = scene.bodies.length;
    let moved = 0;
    let turn = 0;
    const places = [];
    scene.bodies.forEach((b, i) => {
      const at = b.pose.slice(0, 3).map((c) => c * scene.length);
      const e = b.pose.slice(3).map((c) => c * 1e-7);
      const arms = b.points.map((p) => rotate(e, p.at)).concat([[0, 0, 0]]);
      arms.forEach((a) => places.push(a.map((c, k) => c + at[k])));
      [0, 1].forEach((part) => {
        const m = mode.slice(6 * (part * n + i), 6 * (part * n + i) + 6);
        turn = Math.max(turn, Math.hypot(...m.slice(3)));
        arms.forEach((a) => {
          const c = cross(m.slice(3), a);
          moved = Math.max(moved, Math.hypot(...c.map((v, k) => v + m[k])));
        });
      });
    });
    const span = [0, 1, 2].map((k) => Math.max(...places.map((p) => p[k])) - Math.min(...places.map((p) => p[k])));
    return { moved, turn, size: Math.hypot(...span) || 1 };
  }

  /* The description of a load case (opt/report/scene.h) in which the mode moves the bodies. */
  function motionOf(entry, k, louder) {
    const { scene } = entry;
    const mode = entry.modes[k];
    const n = scene.bodies.length;
    const course = courseOf(entry, entry.roots[k]);
    const reach = reachOf(scene, mode);
    const scale = louder * Math.min(reach.moved > 0 ? (0.12 * reach.size) / reach.moved : Infinity, reach.turn > 0 ? 0.4 / reach.turn : Infinity);
    const bodies = scene.bodies.map((b, i) => {
      const e = b.pose.slice(3).map((c) => c * 1e-7);
      const pose = [];
      for (let f = 0; f < FRAMES; f++) {
        const s = f / (FRAMES - 1);
        const part = (j) => scale * (mode[6 * i + j] * course.re(s) + mode[6 * (n + i) + j] * course.im(s));
        [0, 1, 2].forEach((j) => pose.push(b.pose[j] + part(j) / scene.length));
        pose.push(...turned([part(3), part(4), part(5)], e));
      }
      return { ...b, pose };
    });
    const times = Array.from({ length: FRAMES }, (_, f) => (course.duration * f) / (FRAMES - 1));
    return { ...scene, bodies, times, duration: course.duration, periodic: course.periodic };
  }

  /* ---- the section of modes ---- */

  function modesOf(container, data) {
    const { entries } = data;
    const which = element("select", { hidden: entries.length < 2 }, entries.map((e, i) => new Option(labelOf(data, e), i)));
    const louder = element("input", { type: "range", min: -2, max: 2, step: 0.1, value: 0 });
    const words = element("p");
    const note = element("p", { className: "note", hidden: true });
    const canvas = element("div");
    const body = element("tbody");
    const heads = ["mode", "real part [1/s]", "imaginary part [1/s]", "frequency [Hz]", "damping ratio", "moves"];
    const head = element("tr", {}, heads.map((h, i) => element("th", { scope: "col", textContent: h, className: i && i < 5 ? "number" : "" })));
    const table = element("div", { className: "table" }, [element("table", {}, [element("thead", {}, [head]), body])]);
    const state = { entry: -1, mode: -1, motion: null };
    which.setAttribute("aria-label", "Linearization");
    louder.setAttribute("aria-label", "Size of the motion");
    container.classList.add("curves");
    container.append(element("div", { className: "curve-bar" }, [which, element("label", {}, ["size ", louder])]), words, note, canvas, table);

    function rows() {
      const e = entries[state.entry];
      const listed = e.roots.map((_, k) => k).filter((k) => e.roots[k][1] >= 0);
      body.replaceChildren(
        ...listed.map((k) => {
          const z = e.roots[k];
          const cells = isZero(e, z) ? ["0", "–", "rigid motion, free", "–"] : [realIsZero(e, z) ? "0" : short(z[0]), z[1] ? short(z[1]) : "–", z[1] ? short4(z[1] / (2 * Math.PI)) : "–", z[1] ? dampingOf(e, z) : "–"];
          const show = element("button", { type: "button", textContent: `${k + 1}`, disabled: !e.modes[k] });
          show.setAttribute("aria-label", `Show mode ${k + 1}`);
          show.addEventListener("click", () => choose(state.entry, k));
          const row = element("tr", {}, [element("td", {}, [show]), ...cells.map((t) => element("td", { className: "number", textContent: t })), element("td", { textContent: e.moves[k] })]);
          row.setAttribute("aria-selected", String(k === state.mode));
          return row;
        })
      );
      window.dispatchEvent(new Event("resize")); /* hints of tables */
    }
    function choose(entry, mode) {
      const e = entries[entry];
      if (!e.roots.length) return;
      /* of a pair the one that is listed */
      const k = e.roots[mode][1] < 0 ? mode - 1 : mode;
      state.entry = entry;
      state.mode = k;
      which.value = entry;
      rows();
      words.textContent = `${labelOf(data, e)}, mode ${k + 1}: ${aboutRoot(e, e.roots[k])}; moves ${e.moves[k]}.`;
      note.hidden = !e.acceleration && Boolean(e.modes[k]);
      note.textContent = !e.modes[k] ? "The modes of this value have no room in the page; linearize it alone to see them." : e.acceleration ? `No steady motion: at the start ${e.acceleration}; these modes hold for a moment only.` : "";
      if (!e.modes[k]) return;
      const shown = motionOf(e, k, Math.pow(2, Number(louder.value)));
      if (state.motion) state.motion.show(shown);
      else state.motion = window.mbopt_motion = window.mbopt_scene(canvas, { up: e.up, cases: [shown], meshes: e.meshes }, null);
    }
    which.addEventListener("change", () => {
      const e = entries[Number(which.value)];
      choose(Number(which.value), Math.min(Math.max(state.mode, 0), e.roots.length - 1));
    });
    louder.addEventListener("input", () => state.mode >= 0 && choose(state.entry, state.mode));
    /* At first what swings slowest and is damped least. */
    const first = entries.findIndex((e) => e.roots.length);
    if (first >= 0) {
      const { roots } = entries[first];
      const swings = roots.map((_, k) => k).filter((k) => roots[k][1] > 0 && !isZero(entries[first], roots[k]));
      choose(first, swings.length ? swings.reduce((a, b) => (-roots[b][0] / size(roots[b]) < -roots[a][0] / size(roots[a]) ? b : a)) : 0);
    } else {
      words.textContent = "Constraints and motors leave nothing free to move.";
    }
    return { state, choose, motionOf };
  }

  window.mbopt_modes = function (roots, container, data) {
    const modes = modesOf(container, data);
    const cases = [...new Set(data.entries.map((e) => e.case))];
    const plots = [];
    /* Of a sweep each case has figures of its own; cases alone are compared with each other. */
    (data.varied ? cases : [null]).forEach((name) => {
      const own = data.entries.map((e, i) => ({ e, i })).filter(({ e }) => (name === null || e.case === name) && e.roots.length);
      if (!own.length) return;
      const grid = element("div", { className: "figures" });
      if (data.varied && cases.length > 1) roots.append(element("h3", { textContent: `Case ${name}` }));
      roots.append(grid);
      figuresOf(data, own.map(({ e }) => e)).forEach((spec) => {
        const box = element("div");
        grid.append(box);
        const plot = window.mbopt_plot(box, spec);
        plot.pick = (series, point) => {
          modes.choose(own[point].i, spec.series[series].branch[point]);
          container.scrollIntoView({ block: "nearest" });
        };
        plots.push(plot);
      });
    });
    return { plots, modes };
  };
})();
