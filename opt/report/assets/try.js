/* A page that computes: mbopt_try(container, data, view, shown) lets the reader move the design, and shows what the program says of it.
 *   data   { program: JavaScript, wasm: WebAssembly, both packed by gzip in base64; files: { path: bytes as characters }, run: the path of the run file }
 *   design, quantities   those of opt/results/run_view.h
 *   shown  { scene, curves }: the motion and the figures, whose last run is the design that is moved
 * All is computed in a Worker: the last design that was asked for is the next one. */
(function () {
  "use strict";

  /* ---- in the Worker ---- */

  function work() {
    let engine = null;
    let run = null;
    let file = "";
    const tell = (id, more) => self.postMessage({ id, ...more });
    const about = () => ({ variables: run.variables, start: run.start, lower: run.lower, upper: run.upper, scale: run.scale });
    const timed = (act) => {
      const from = performance.now();
      const done = act();
      return { ...done, ms: performance.now() - from };
    };
    const look = (x) => {
      const view = run.view(x);
      let slope = null;
      let why = "";
      try {
        slope = run.gradient(x);
      } catch (e) {
        why = e.message;
      }
      return { view, slope, why, warnings: run.warnings() };
    };
    const acts = {
      async open({ wasm, files, path }) {
        engine = await self.mbopt.load(self.mbopt_live, new Uint8Array(wasm));
        Object.entries(files).forEach(([name, text]) => engine.write(name, Uint8Array.from(text, (c) => c.charCodeAt(0))));
        run = engine.open((file = path));
        return about();
      },
      look: ({ x }) => timed(() => look(x)),
      values: ({ x }) => timed(() => run.values(x)),
      runFile: ({ x }) => self.mbopt.startAt(engine.read(file), run.variables, x),
      set({ settings }) {
        run.change(settings);
        return about();
      },
      optimize({ x, id }) {
        run.begin(x);
        const result = run.optimize((it) => tell(id, { iteration: it }));
        return { result, ...timed(() => look(result.design)) };
      },
    };
    self.onmessage = async ({ data }) => {
      try {
        tell(data.id, { done: await acts[data.act](data) });
      } catch (e) {
        tell(data.id, { failed: e.message || String(e) });
      }
    };
  }

  /* ---- in the page ---- */

  function element(name, properties, children) {
    const e = document.createElement(name);
    Object.assign(e, properties);
    e.append(...(children || []));
    return e;
  }

  const PATIENCE = 200; /* [ms] for a look at a design, */
  const AS_LONG = 10; /* which takes up to so many times as long as its values */
  const drawing = window.mbopt_drawing; /* plot.js */
  const short = (v) => (Number.isFinite(v) ? String(Number(v.toPrecision(6))) : "");
  const unitOf = (u) => (u && u !== "-" ? ` [${u}]` : "");

  async function unpacked(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }

  /* A Worker that answers in promises; `stop` ends what it does and begins anew. */
  function engineOf(data) {
    let worker, waiting, source, wasm, settings = [];
    const ask = (act, more, each) =>
      new Promise((resolve, reject) => {
        const id = ask.count++;
        waiting.set(id, { resolve, reject, each });
        worker.postMessage({ id, act, ...more });
      });
    ask.count = 0;
    async function open() {
      waiting = new Map();
      source = source || URL.createObjectURL(new Blob([await unpacked(data.program), "\n(", String(work), ")();\n"], { type: "text/javascript" }));
      worker = new Worker(source);
      worker.onmessage = ({ data: { id, done, failed, iteration } }) => {
        const w = waiting.get(id);
        if (!w) return;
        if (iteration) return w.each(iteration);
        waiting.delete(id);
        if (failed === undefined) w.resolve(done);
        else w.reject(new Error(failed));
      };
      worker.onerror = (e) => waiting.forEach((w) => w.reject(new Error(`the engine has stopped: ${e.message}`)));
      wasm = wasm || (await unpacked(data.wasm));
      const about = await ask("open", { wasm, files: data.files, path: data.run });
      return settings.length ? ask("set", { settings }) : about;
    }
    return {
      open,
      look: (x) => ask("look", { x }),
      values: (x) => ask("values", { x }),
      runFile: (x) => ask("runFile", { x }),
      optimize: (x, each) => ask("optimize", { x }, each),
      set: async (more) => {
        const about = await ask("set", { settings: more });
        settings = settings.concat(more);
        return about;
      },
      stop: () => {
        worker.terminate();
        waiting.forEach((w) => w.reject(new Error("stopped")));
        return open();
      },
    };
  }

  function save(name, type, text) {
    const link = element("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  window.mbopt_try = function (container, data, given, shown) {
    const engine = engineOf(data);
    const names = given.design.map((v) => v.name);
    const first = given.design.map((v) => (Number.isFinite(v.result) ? v.result : v.start));
    let x = first.slice();
    let about = null;
    let asked = null; /* the design that waits for the engine */
    let busy = false;
    let held = false; /* a slider, or a key on it */
    let slow = false; /* a whole look takes longer than one waits while dragging */
    let partial = false; /* values alone are of the design */
    let idle = null;
    const past = [];
    const variants = [];

    /* -- what stands in the section -- */
    const status = element("output", { className: "try-status", textContent: "The engine is being unpacked ..." });
    const rows = given.design.map((v, i) => {
      const slider = element("input", { type: "range", disabled: true });
      const number = element("input", { type: "number", step: "any", value: short(x[i]), disabled: true });
      const arrow = element("span", { className: "try-arrow" });
      slider.setAttribute("aria-label", v.name);
      number.setAttribute("aria-label", `${v.name}, as a number`);
      const keep = () => past.push(x.slice());
      const hold = () => {
        held = true;
        keep();
      };
      slider.addEventListener("pointerdown", hold);
      slider.addEventListener("keydown", (e) => /^(Arrow|Page|Home|End)/.test(e.key) && !e.repeat && hold());
      ["pointerup", "pointercancel", "keyup", "blur"].forEach((type) => slider.addEventListener(type, release));
      slider.addEventListener("input", () => move(i, valueAt(i)));
      number.addEventListener("change", () => {
        if (!Number.isFinite(number.valueAsNumber)) return;
        keep();
        move(i, number.valueAsNumber);
      });
      return { slider, number, arrow, row: element("tr", {}, [element("th", { textContent: v.name + unitOf(v.unit) }), ...[slider, number, arrow].map((e) => element("td", {}, [e]))]) };
    });
    const button = (text, title, act) => {
      const b = element("button", { type: "button", textContent: text, title, disabled: true });
      b.addEventListener("click", act);
      return b;
    };
    const buttons = {
      undo: button("Undo", "The design before the last move", () => past.length && go(past.pop())),
      back: button("Back", "The design with which the page began", () => (past.push(x.slice()), go(first.slice()))),
      optimize: button("Optimize from here", "With the optimizer of the run file, or what stands in for it", optimize),
      stop: button("Stop", "Ends the optimization; the design stays as it is", () => stop()),
      keep: button("Keep", "Puts this design into the table below", keepVariant),
      file: button("Save run file", "The run file with this design as its start", async () => {
        const made = await engine.runFile(x);
        save("run.ini", "text/plain", made.text);
        if (made.left.length) say(`The saved file keeps the start of ${made.left.join(", ")}: control points of curves stand in the model.`);
      }),
      table: button("Save table", "Kept designs as CSV", () => {
        const quantities = given.quantities.map((q) => q.name);
        const quoted = (s) => (/[",\n]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s);
        const lines = [["variant", ...names, ...quantities], ...variants.map((v) => [v.name, ...v.x, ...v.values])];
        save("designs.csv", "text/csv", `${lines.map((l) => l.map((c) => quoted(String(c))).join(",")).join("\n")}\n`);
      }),
    };
    const settings = element("input", { type: "text", placeholder: "scalars.NAME=1.5; case.NAME.duration=2", disabled: true });
    settings.setAttribute("aria-label", "Other keys of the run file, as --set takes them");
    settings.addEventListener("change", () => apply(settings.value.split(";").map((s) => s.trim()).filter(Boolean)));
    const values = given.quantities.map((q) => {
      const cell = element("td", { className: "number" });
      const verdict = element("td");
      const bounds = [q.lower, q.upper].map((v) => (Number.isFinite(v) ? short(v) : ""));
      const limit = bounds.every(Boolean) ? bounds.join(" to ") : bounds[0] ? `at least ${bounds[0]}` : bounds[1] ? `at most ${bounds[1]}` : "";
      const was = Number.isFinite(q.after) ? q.after : q.before;
      return { q, cell, verdict, row: element("tr", {}, [element("td", { textContent: q.name + unitOf(q.unit) }), element("td", { className: "number", textContent: short(was) }), cell, element("td", { textContent: limit }), verdict]) };
    });
    const iterations = element("div", { className: "try-iterations" });
    iterations.setAttribute("role", "img");
    iterations.setAttribute("aria-label", "Iterations of the optimization");
    const kept = element("table", { hidden: true });
    const head = (list) => element("thead", {}, [element("tr", {}, list.map((t) => element("th", { textContent: t })))]);
    container.replaceChildren(
      element("p", { textContent: "Move a variable: this page simulates the design itself. Arrows show in which direction the objective falls, and how fast beside the others." }),
      element("div", { className: "try" }, [
        element("table", { className: "try-design" }, rows.map((r) => r.row)),
        element("table", {}, [head(["", "before", "now", "limits", ""]), element("tbody", {}, values.map((v) => v.row))]),
      ]),
      element("p", { className: "try-buttons" }, [...Object.values(buttons), element("label", {}, ["also set ", settings])]),
      status,
      iterations,
      element("div", { className: "try-kept" }, [kept]),
    );
    const say = (text) => (status.textContent = text);
    function enable(on) {
      [...rows.flatMap((r) => [r.slider, r.number]), ...Object.values(buttons), settings].forEach((e) => (e.disabled = !on));
      buttons.stop.disabled = true;
    }

    /* -- the range of a slider: the bounds, else half of the size to both sides -- */
    function rangeOf(i) {
      const around = 0.5 * Math.max(Math.abs(first[i]), about.scale[i]);
      return [Number.isFinite(about.lower[i]) ? about.lower[i] : first[i] - around, Number.isFinite(about.upper[i]) ? about.upper[i] : first[i] + around];
    }
    const STEPS = 1000;
    const valueAt = (i) => {
      const [low, high] = rangeOf(i);
      return low + ((high - low) * Number(rows[i].slider.value)) / STEPS;
    };
    function place() {
      rows.forEach((r, i) => {
        const [low, high] = rangeOf(i);
        Object.assign(r.slider, { min: 0, max: STEPS, step: 1, value: Math.round((STEPS * (x[i] - low)) / (high - low)) });
        r.number.value = short(x[i]);
      });
    }

    /* -- designs -- */
    function move(i, value) {
      x[i] = value;
      rows[i].number.value = short(value);
      want();
    }
    function go(to) {
      x = to;
      place();
      want();
    }
    function want() {
      asked = x.slice();
      if (!busy) next();
    }
    function release() {
      held = false;
      if (partial) want();
    }
    /* The engine begins the next design before this one is drawn. Long motions are not simulated while one drags, more than their values ask. */
    async function next() {
      const at = asked;
      asked = null;
      busy = true;
      partial = held && slow;
      let show;
      try {
        const done = await (partial ? engine.values(at) : engine.look(at));
        show = done.psi ? () => showValues(done.psi, at) : () => showAll(done, at);
        slow = (done.psi ? AS_LONG : 1) * done.ms > PATIENCE; /* also the first look of all, in which the browser compiles */
      } catch (e) {
        show = () => say(`This design cannot be computed: ${e.message}`);
      }
      busy = false;
      if (asked) next();
      show();
    }
    const improved = (k, value) => {
      const { q } = values[k];
      return q.kind === "objective" && value < (Number.isFinite(q.after) ? q.after : q.before) ? "lower" : "";
    };
    function put(k, value, verdict) {
      values[k].value = value;
      values[k].cell.textContent = short(value);
      values[k].verdict.textContent = verdict;
    }
    const told = (at, list) => container.dispatchEvent(new CustomEvent("mbopt-design", { detail: { x: at, values: list }, bubbles: true }));
    function showValues(psi, at) {
      psi.forEach((v, k) => put(k, v, improved(k, v)));
      rows.forEach((r) => (r.arrow.textContent = ""));
      say("While you drag, this page computes values alone: motion and curves are of the design before, until you let go.");
      told(at, psi);
    }
    function showAll({ view, slope, why, warnings, ms }, at) {
      if (view.not_simulated.length) {
        say(view.not_simulated[0].replace(/^The now /, "This design "));
        return;
      }
      view.quantities.forEach((q, k) => put(k, q.before, q.verdict || improved(k, q.before)));
      if (slope) {
        const part = slope.g.map((g, i) => -g * about.scale[i]);
        const most = Math.max(...part.map(Math.abs), 1e-300);
        rows.forEach((r, i) => {
          const n = Math.round((5 * Math.abs(part[i])) / most);
          r.arrow.textContent = n ? (part[i] > 0 ? "→" : "←").repeat(n) : "·";
          r.arrow.title = `the objective changes by ${short(slope.g[i])} per unit`;
        });
      } else {
        rows.forEach((r) => (r.arrow.textContent = ""));
      }
      const notes = [...warnings, why && `No gradient: ${why}`].filter(Boolean);
      say(`Computed in ${Math.round(ms)} ms.${notes.length ? ` ${notes.join(" ")}` : ""}`);
      if (shown.scene) shown.scene.replace(view.first);
      if (shown.curves) shown.curves.replace(view.curves, false);
      clearTimeout(idle);
      idle = setTimeout(() => shown.curves && shown.curves.replace(view.curves, true), 300); /* figures out of sight, once it is quiet */
      told(at, view.quantities.map((q) => q.before));
    }

    /* -- optimization, other settings, variants -- */
    /* Objective and violation after each iteration, over designs that were simulated. */
    function draw(way) {
      const theme = drawing.paletteOf(container);
      const line = (name, key, colour) => ({ name, colour, kind: "both", points: way.map((it) => ({ x: it.evaluations, y: it[key] })) });
      const plot = (label, key, colour) => {
        const f = way.map((it) => it[key]).filter(Number.isFinite);
        const log = Math.min(...f) > 0 && Math.max(...f) > 100 * Math.min(...f);
        return drawing.draw({ width: 380, height: 200, x: { label: "designs", range: drawing.rangeOf(way.map((it) => it.evaluations), [], false) }, y: { label, log, range: drawing.rangeOf(f, [], log) }, series: [line(label, key, colour)], shapes: [] }, theme).svg;
      };
      iterations.replaceChildren(plot("objective", "f", theme.list[0]), ...(way.some((it) => it.violation > 0) ? [plot("violation", "violation", theme.list[1])] : []));
    }
    async function optimize() {
      past.push(x.slice());
      enable(false);
      buttons.stop.disabled = false;
      const way = [];
      say("The optimization begins ...");
      try {
        const done = await engine.optimize(x, (it) => {
          way.push(it);
          draw(way);
          say(`Iteration ${it.iteration}: objective ${short(it.f)}${it.violation > 0 ? `, violation ${short(it.violation)}` : ""}, ${it.evaluations} designs.`);
        });
        x = done.result.design.slice();
        enable(true);
        place();
        showAll(done, x);
        const { result } = done;
        say(`${result.status}: ${result.text}; objective ${short(result.objective)} after ${result.evaluations} designs${result.stands_in ? `. ${result.stands_in} is not in this page; another optimizer stood in.` : "."}`);
      } catch (e) {
        enable(true);
        say(e.message === "stopped" ? "Stopped; the design is as before." : `The optimization has failed: ${e.message}`);
      }
    }
    async function stop() {
      about = await engine.stop();
    }
    async function apply(list) {
      if (!list.length) return;
      try {
        about = await engine.set(list);
        place();
        want();
      } catch (e) {
        say(`Not set: ${e.message}`);
      }
    }
    function keepVariant() {
      variants.push({ name: `variant ${variants.length + 1}`, x: x.slice(), values: values.map((v) => v.value) });
      kept.hidden = false;
      kept.replaceChildren(head(["", ...names, ...given.quantities.map((q) => q.name), ""]), element("tbody", {}, variants.map((v) => {
        const name = element("input", { type: "text", value: v.name });
        name.setAttribute("aria-label", "Name of the design");
        name.addEventListener("change", () => (v.name = name.value));
        const again = element("button", { type: "button", textContent: "Show" });
        again.addEventListener("click", () => (past.push(x.slice()), go(v.x.slice())));
        return element("tr", {}, [element("td", {}, [name]), ...[...v.x, ...v.values].map((n) => element("td", { className: "number", textContent: short(n) })), element("td", {}, [again])]);
      })));
    }

    if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined" || typeof Worker === "undefined") {
      say("This browser has no WebAssembly, or cannot unpack it: the page shows the design of the run alone.");
      return;
    }
    engine.open().then(
      (a) => {
        about = a;
        enable(true);
        place();
        want();
      },
      (e) => say(`The engine cannot begin: ${e.message}`),
    );
  };
})();
