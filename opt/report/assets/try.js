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
    let file = "";
    const opened = {}; /* the run file as it is, and with longer steps: {key, run} */
    const withSettings = (kind, settings) => {
      const had = opened[kind];
      const key = settings.join("\n");
      if (had && had.key === key) return had.run;
      const run = engine.open(file, settings);
      if (had) {
        run.chooseAs(had.run);
        had.run.close();
      }
      opened[kind] = { key, run };
      return run;
    };
    const about = (run) => ({ variables: run.variables, start: run.start, lower: run.lower, upper: run.upper, scale: run.scale });
    const timed = (act) => {
      const from = performance.now();
      const done = act();
      return { ...done, ms: performance.now() - from };
    };
    const look = (run, x, gradient) => ({ view: run.view(x, gradient), warnings: run.warnings() });
    const acts = {
      async open({ wasm, files, path }) {
        engine = await self.mbopt.load(self.mbopt_live, new Uint8Array(wasm));
        Object.entries(files).forEach(([name, text]) => engine.write(name, Uint8Array.from(text, (c) => c.charCodeAt(0))));
        file = path;
        const text = engine.read(file);
        const model = /^\[model\][^[]*?^file *= *([^;\n]*[^;\s])/m.exec(text);
        return self.mbopt.numbersOf(text, model ? engine.read(model[1].startsWith("/") ? model[1] : file.replace(/[^/]*$/, model[1])) : "");
      },
      about: ({ settings }) => about(withSettings("fine", settings)),
      /* The browser's compiler has worked in the first look. */
      warm: ({ x, settings }) => ({ motion: timed(() => look(withSettings("fine", settings), x, false)).ms, whole: timed(() => look(withSettings("fine", settings), x, true)).ms }),
      look: ({ x, settings, gradient }) => timed(() => look(withSettings("fine", settings), x, gradient)),
      /* Where the longer steps fail, the steps of the run file. */
      coarse({ x, settings, longer }) {
        try {
          const done = timed(() => ({ ...look(withSettings("coarse", settings.concat(longer)), x, false), coarse: longer }));
          if (!done.view.not_simulated.length) return done;
        } catch (e) {
          if (!(e instanceof self.mbopt.Failure)) throw e;
        }
        return acts.look({ x, settings, gradient: false });
      },
      runFile: ({ x, settings }) => self.mbopt.startAt(engine.read(file), withSettings("fine", settings).variables, x, settings),
      optimize({ x, settings }, each) {
        const run = withSettings("fine", settings);
        run.begin(x);
        const result = run.optimize(each);
        return { result, ...timed(() => look(run, result.design, true)) };
      },
    };
    return acts;
  }

  /* ---- in the page ---- */

  const FRAME = 33; /* [ms] all of a design follows a slider if it takes so long, */
  const PATIENCE = 150; /* the motion without the gradient if that takes so long; else one of longer steps, */
  const LONGEST = 8; /* up to so many times as long, */
  const WARM = 500; /* [ms] a first look that takes longer has kept the browser's compiler busy for long enough */
  const NODES = 100; /* of which a case keeps so many */
  const STEPS = 1000; /* of a slider */
  const { element, saveText } = window.mbopt_common;
  const { draw: drawPlot, paletteOf, rangeOf: rangeOfPlot, quoted } = window.mbopt_drawing; /* plot.js */
  const short = (v) => (Number.isFinite(v) ? String(Number(v.toPrecision(6))) : "");
  const unitOf = (u) => (u && u !== "-" ? ` [${u}]` : "");

  window.mbopt_try = function (container, data, given, shown) {
    const engine = window.mbopt_engine_of({
      program: data.program, wasm: data.wasm, work,
      opening: () => ({ files: data.files, path: data.run }),
      failed: (text) => say(`The engine cannot begin: ${text}`),
    });
    const names = given.design.map((v) => v.name);
    const first = given.design.map((v) => (Number.isFinite(v.result) ? v.result : v.start));
    let x = first.slice();
    let about = null;
    let asked = null; /* the design that waits for the engine */
    let busy = false;
    let optimizing = false;
    let held = false; /* a slider, or a key on it */
    const cost = { whole: NaN, motion: NaN }; /* [ms] of the last look with the gradient, and without */
    let partial = false; /* not all of the design is shown */
    let whole = false; /* what the table shows is the design of the sliders, with the steps of the run file */
    let idle = null;
    let base = []; /* settings of the line below */
    const others = []; /* numbers of cases and scalars that have a slider: {key, value, slider, number, range} */
    let numbers = {}; /* those that can have one, by their keys */
    let longer = []; /* settings of longer steps */
    const past = [];
    const variants = [];

    /* -- what stands in the section -- */
    const status = element("output", { className: "try-status", textContent: "The engine is being unpacked ..." });
    const hold = () => {
      held = true;
      past.push(here());
    };
    /* A slider and a number; `moved` gets the slider's place between 0 and 1, or the number. */
    function controls(name, moved) {
      const slider = element("input", { type: "range", min: 0, max: STEPS, step: 1 });
      const number = element("input", { type: "number", step: "any" });
      slider.setAttribute("aria-label", name);
      number.setAttribute("aria-label", `${name}, as a number`);
      slider.addEventListener("pointerdown", hold);
      slider.addEventListener("keydown", (e) => /^(Arrow|Page|Home|End)/.test(e.key) && !e.repeat && hold());
      ["pointerup", "pointercancel", "keyup", "blur"].forEach((type) => slider.addEventListener(type, release));
      slider.addEventListener("input", () => moved(Number(slider.value) / STEPS, null));
      number.addEventListener("change", () => {
        if (!Number.isFinite(number.valueAsNumber)) return;
        past.push(here());
        moved(null, number.valueAsNumber);
      });
      return { slider, number };
    }
    const line = (name, cells) => element("tr", {}, [element("th", { textContent: name }), ...cells.map((e) => element("td", {}, [e]))]);
    const rows = given.design.map((v, i) => {
      const { slider, number } = controls(v.name, (part, value) => move(i, value === null ? between(rangeOf(i), part) : value));
      const arrow = element("span", { className: "try-arrow" });
      [slider, number].forEach((e) => (e.disabled = true));
      number.value = short(x[i]);
      return { slider, number, arrow, row: line(v.name + unitOf(v.unit), [slider, number, arrow]) };
    });
    const button = (text, title, act) => {
      const b = element("button", { type: "button", textContent: text, title, disabled: true });
      b.addEventListener("click", act);
      return b;
    };
    const buttons = {
      undo: button("Undo", "The design before the last move", () => past.length && go(past.pop())),
      back: button("Back", "The design with which the page began", () => (past.push(here()), go({ x: first, values: others.map((o) => o.first) }))),
      optimize: button("Optimize from here", "With the optimizer of the run file, or what stands in for it", optimize),
      stop: button("Stop", "Ends what the engine does; the design stays as it is", () => engine.anew("stopped")),
      keep: button("Keep", "Puts this design into the table below", keepVariant),
      file: button("Save run file", "The run file with this design as its start", async () => {
        const made = await engine.ask("runFile", { x, settings: settingsOf() });
        saveText("run.ini", "text/plain", made.text);
        if (made.left.length) say(`The saved file keeps the start of ${made.left.join(", ")}: control points of curves stand in the model.`);
      }),
      table: button("Save table", "Kept designs as CSV", () => {
        const quantities = given.quantities.map((q) => q.name);
        const keys = others.map((o) => o.key);
        const lines = [["variant", ...names, ...keys, ...quantities], ...variants.map((v) => [v.name, ...v.x, ...keys.map((k, i) => (i in v.others ? v.others[i] : others[i].first)), ...v.values])];
        saveText("designs.csv", "text/csv", `${lines.map((l) => l.map((c) => quoted(String(c))).join(",")).join("\n")}\n`);
      }),
    };
    const more = element("select", { className: "try-more", disabled: true });
    more.setAttribute("aria-label", "Another number of the run file or the model, to be moved");
    more.addEventListener("change", () => {
      if (more.value) addNumber(more.value);
      more.value = "";
    });
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
        element("div", {}, [element("table", { className: "try-design" }, rows.map((r) => r.row)), element("table", { className: "try-others" }), more]),
        element("div", {}, [element("table", {}, [head(["", "before", "now", "limits", ""]), element("tbody", {}, values.map((v) => v.row))])]),
      ]),
      element("p", { className: "try-buttons" }, [...Object.values(buttons), element("label", {}, ["also set ", settings])]),
      status,
      iterations,
      element("div", { className: "try-kept" }, [kept]),
    );
    const say = (text) => (status.textContent = text);
    function enable(on) {
      [...rows.concat(others).flatMap((r) => [r.slider, r.number]), ...Object.values(buttons), settings, more].forEach((e) => (e.disabled = !on));
      buttons.stop.disabled = true;
      buttons.keep.disabled = !on || !whole;
    }
    function setWhole(on) {
      whole = on;
      buttons.keep.disabled = !on;
    }

    /* -- the range of a slider: the bounds, else half of the size to both sides -- */
    function rangeOf(i) {
      const around = 0.5 * Math.max(Math.abs(first[i]), about.scale[i]);
      return [Number.isFinite(about.lower[i]) ? about.lower[i] : first[i] - around, Number.isFinite(about.upper[i]) ? about.upper[i] : first[i] + around];
    }
    const between = ([low, high], part) => low + (high - low) * part;
    const slide = (r, [low, high], value) => Object.assign(r.slider, { value: Math.round((STEPS * (value - low)) / (high - low)) });
    function place() {
      rows.forEach((r, i) => {
        slide(r, rangeOf(i), x[i]);
        r.number.value = short(x[i]);
      });
      others.forEach((o) => {
        slide(o, o.ends(), o.value);
        o.number.value = short(o.value);
      });
    }

    /* -- numbers of cases and scalars -- */
    const settingsOf = () => base.concat(others.filter((o) => o.value !== o.first).map((o) => `${o.key}=${o.value}`));
    function addNumber(key) {
      const value = numbers[key];
      more.querySelector(`option[value="${CSS.escape(key)}"]`).disabled = true;
      const ends = [0.5 * value, 2 * value || 1].sort((a, b) => a - b).map((v) => element("input", { type: "number", step: "any", value: short(v) }));
      ends.forEach((e, k) => {
        e.setAttribute("aria-label", `${key}, ${k ? "largest" : "least"} value of its slider`);
        e.addEventListener("change", place);
      });
      const o = { key, value, first: value, ends: () => ends.map((e) => e.valueAsNumber) };
      Object.assign(o, controls(key, (part, to) => {
        o.value = to === null ? between(o.ends(), part) : to;
        o.number.value = short(o.value);
        want();
      }));
      others.push(o);
      container.querySelector(".try-others").append(line(key, [o.slider, o.number, ...ends]));
      place();
    }

    /* -- designs -- */
    const here = () => ({ x: x.slice(), values: others.map((o) => o.value), settings: settingsOf() });
    function move(i, value) {
      x[i] = value;
      rows[i].number.value = short(value);
      want();
    }
    function go(to) {
      x = to.x.slice();
      others.forEach((o, i) => (o.value = i < to.values.length ? to.values[i] : o.first));
      place();
      want();
    }
    function want(seen = false) {
      asked = { x: x.slice(), settings: settingsOf(), seen };
      setWhole(false);
      if (!busy && !optimizing) next();
    }
    function release() {
      held = false;
      if (partial && !busy && !optimizing) want(true);
    }
    /* What of a design is asked for: all where that is quick or nothing moves; else its motion without the gradient; where that takes long, too, first with
     * longer steps, and the whole once the slider is let go. */
    const acts = {
      whole: (at) => engine.ask("look", { ...at, gradient: true }),
      motion: (at) => engine.ask("look", { ...at, gradient: false }),
      coarse: (at) => engine.ask("coarse", { ...at, longer }),
    };
    function actOf(at) {
      if (cost.motion > PATIENCE && !at.seen && longer.length) return "coarse";
      return held && cost.whole > FRAME ? "motion" : "whole";
    }
    /* The engine begins the next design before this one is drawn. */
    async function next(at = asked) {
      const act = actOf(at);
      asked = null;
      busy = true;
      partial = act !== "whole";
      buttons.stop.disabled = false;
      let show;
      try {
        const done = await acts[act](at);
        if (!done.coarse) {
          if (act === "whole") cost.whole = done.ms;
          if (act !== "whole" || !(cost.motion < done.ms)) cost.motion = done.ms;
          setLonger(done.view);
        }
        show = () => showAll(done, at);
      } catch (e) {
        partial = false;
        show = () => showNone(e.ended ? "Stopped: the design has not been computed." : `This design cannot be computed: ${e.message}`);
        if (e.broken) await engine.anew(e.message);
      }
      busy = false;
      buttons.stop.disabled = !optimizing;
      if (!asked && partial && !held) asked = { ...at, seen: true };
      if (asked && !optimizing) next();
      show();
    }
    /* So long that a motion with them takes half of the patience. */
    function setLonger(view) {
      const factor = Math.min(LONGEST, (2 * cost.motion) / PATIENCE);
      longer = view.cases.map((c) => [c, Math.min(factor * c.step, c.duration / NODES)]).filter(([c, step]) => step > 1.5 * c.step).map(([c, step]) => `case.${c.name}.step=${step}`);
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
    const told = (at, list, coarse) => container.dispatchEvent(new CustomEvent("mbopt-design", { detail: { x: at, values: list, coarse }, bubbles: true }));
    function showNone(why) {
      values.forEach((_, k) => put(k, NaN, ""));
      rows.forEach((r) => (r.arrow.textContent = ""));
      if (!optimizing) say(why);
    }
    function showAll({ view, warnings, ms, coarse }, at) {
      if (view.not_simulated.length) return showNone(view.not_simulated[0].replace(/^The now /, "This design "));
      view.quantities.forEach((q, k) => put(k, q.before, q.verdict || improved(k, q.before)));
      const { gradient, no_gradient: why } = view;
      if (gradient) {
        const part = gradient.map((g, i) => -g * about.scale[i]);
        const most = Math.max(...part.map(Math.abs), 1e-300);
        rows.forEach((r, i) => {
          const n = Math.round((5 * Math.abs(part[i])) / most);
          r.arrow.textContent = n ? (part[i] > 0 ? "→" : "←").repeat(n) : "·";
          r.arrow.title = `the objective changes by ${short(gradient[i])} per unit`;
        });
      } else {
        rows.forEach((r) => (r.arrow.textContent = ""));
      }
      const notes = [...warnings, why && `No gradient: ${why}`].filter(Boolean);
      const how = coarse ? "Coarse, with longer steps than in the run file" : gradient || why ? "Computed" : "Motion and values";
      const when = held ? "; the rest follows once you let go" : coarse ? "; the rest follows" : "";
      if (!optimizing) say(`${how} in ${Math.round(ms)} ms${gradient || why ? "" : when}.${notes.length ? ` ${notes.join(" ")}` : ""}`);
      if (shown.scene) shown.scene.replace(view.first);
      if (shown.curves) shown.curves.replace(view.curves, false);
      clearTimeout(idle);
      idle = setTimeout(() => shown.curves && shown.curves.replace(view.curves, true), 300); /* figures out of sight, once it is quiet */
      setWhole(!coarse && at.x.join() === x.join() && at.settings.join() === settingsOf().join());
      told(at.x, view.quantities.map((q) => q.before), coarse || null);
    }

    /* -- optimization, other settings, variants -- */
    /* Objective and violation after each iteration, over designs that were simulated. */
    function draw(way) {
      const theme = paletteOf(container);
      const line = (name, key, colour) => ({ name, colour, kind: "both", points: way.map((it) => ({ x: it.evaluations, y: it[key] })) });
      const plot = (label, key, colour) => {
        const f = way.map((it) => it[key]).filter(Number.isFinite);
        const log = Math.min(...f) > 0 && Math.max(...f) > 100 * Math.min(...f);
        return drawPlot({ width: 380, height: 200, x: { label: "designs", range: rangeOfPlot(way.map((it) => it.evaluations), [], false) }, y: { label, log, range: rangeOfPlot(f, [], log) }, series: [line(label, key, colour)], shapes: [] }, theme).svg;
      };
      iterations.replaceChildren(plot("objective", "f", theme.list[0]), ...(way.some((it) => it.violation > 0) ? [plot("violation", "violation", theme.list[1])] : []));
    }
    async function optimize() {
      past.push(here());
      optimizing = true;
      enable(false);
      buttons.stop.disabled = false;
      const way = [];
      say("The optimization begins ...");
      let told;
      try {
        const done = await engine.ask("optimize", { x, settings: settingsOf() }, (it) => {
          way.push(it);
          draw(way);
          say(`Iteration ${it.iteration}: objective ${short(it.f)}${it.violation > 0 ? `, violation ${short(it.violation)}` : ""}, ${it.evaluations} designs.`);
        });
        x = done.result.design.slice();
        asked = null;
        place();
        showAll(done, here());
        const { result } = done;
        told = `${result.status}: ${result.text}; objective ${short(result.objective)} after ${result.evaluations} designs${result.stands_in ? `. ${result.stands_in} is not in this page; another optimizer stood in.` : "."}`;
      } catch (e) {
        if (e.broken) await engine.anew(e.message);
        told = e.ended ? "Stopped; the design is as before." : `The optimization has failed: ${e.message}`;
      }
      optimizing = false;
      enable(true);
      if (asked) next();
      say(told);
    }
    /* The line is all that is set. A start that it gives moves the design there. */
    async function apply(list) {
      try {
        const to = await engine.ask("about", { settings: list });
        if (to.variables.join() !== names.join()) throw new Error(`the design variables would be ${to.variables.join(", ") || "none"}`);
        to.start.forEach((v, i) => v !== about.start[i] && (x[i] = v));
        about = to;
        base = list;
        place();
        want();
      } catch (e) {
        say(`Not set: ${e.message}`);
        if (e.broken) await engine.anew(e.message);
      }
    }
    function keepVariant() {
      variants.push({ name: `variant ${variants.length + 1}`, x: x.slice(), others: others.map((o) => o.value), values: values.map((v) => v.value) });
      kept.hidden = false;
      kept.replaceChildren(head(["", ...names, ...given.quantities.map((q) => q.name), ""]), element("tbody", {}, variants.map((v) => {
        const name = element("input", { type: "text", value: v.name });
        name.setAttribute("aria-label", "Name of the design");
        name.addEventListener("change", () => (v.name = name.value));
        const again = element("button", { type: "button", textContent: "Show" });
        again.addEventListener("click", () => (past.push(here()), go({ x: v.x, values: v.others })));
        return element("tr", {}, [element("td", {}, [name]), ...[...v.x, ...v.values].map((n) => element("td", { className: "number", textContent: short(n) })), element("td", {}, [again])]);
      })));
    }

    async function begin() {
      numbers = await engine.begin();
      names.forEach((name) => delete numbers[`scalars.${name}`]);
      about = await engine.ask("about", { settings: base });
      more.append(...[["", "Move another number ..."], ...Object.entries(numbers).map(([key, v]) => [key, `${key} = ${short(v)}`])].map(([value, textContent]) => element("option", { value, textContent })));
      enable(true);
      place();
      await next({ x: x.slice(), settings: base });
      if (cost.whole < WARM && !asked) Object.assign(cost, await engine.ask("warm", { x: x.slice(), settings: base }));
    }
    begin().catch((e) => say(`The engine cannot begin: ${e.message}`));
  };
})();
