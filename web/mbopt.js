/* mbopt in JavaScript: `mbopt.load(factory, wasm)` gives an engine, from engine.js or live.js and the bytes of its .wasm. Files are in memory. All calls
 * wait for their result: pages make them in a Worker (worker.js), which is ended where a call is to be cancelled.
 *
 *   engine.write(path, text or bytes), read(path), list(folder)
 *   engine.command(["simulate", "run.ini"], each) -> {code, out, err}      every command of the program (of engine.js alone); each(line, of the errors or not)
 *   engine.open("run.ini", ["case.turn.step=1e-3"]) -> a run file's handle, whose functions are those of mbo/run.h:
 *     names: variables, objectives, constraints, cases; numbers: start, lower, upper, scale
 *     values(x) -> {f, psi}; gradient(x) -> {f, g, c, jac}; gradients(x, method) -> {psi, jac}; check(x, one, other)
 *     simulate(x, i) -> {names, units, rows, values}; view(x, gradient): the data of a report's page (opt/results/run_view.h)
 *     place(): the mechanism at the start with its points and the numbers that say where they are; turn(): the motion of a kinematic case (web/engine.c; of
 *       engine.js alone)
 *     optimize(each) -> {design, status, text, ...}; each({iteration, evaluations, f, violation, optimality, step}) after every iteration. Where the run file
 *       names an optimizer that is not built in, `auto` stands in; the result's `stands_in` says for which one
 *     begin(x), change(settings), warnings(), close(); chooseAs(run): differentiates as another handle of the run file does, without measuring how again
 *   A design x is an array of numbers in the order of `variables`; without it: the start.
 * A failure is a mbopt.Failure: status ("MBD_BAD_INPUT"), and what the text names: file, line, key.
 * `mbopt.startAt(text, names, x, settings)` is a run file with a design as its start, and settings of numbers, {text, left: [names that it has no section for]}.
 * `mbopt.numbersOf(run, model)`: the plain numbers among the scalars of both texts and in the cases of the run file but options of integrators, by the names that
 * settings have: {"scalars.k": 2e4, "case.turn.step": 1e-3}. */
(function (root) {
  "use strict";

  const NUMBERS = ["objective", "start", "violation", "optimality", "iterations", "evaluations", "gradients", "failures", "stages", "seconds"];

  const STUDIES = ["sweep", "multistart", "pareto", "resume", "work"];
  const OPTIMIZERS = ["levenberg_marquardt", "nlopt:LD_SLSQP", "nlopt:LD_MMA", "nlopt:LD_LBFGS", "nlopt:LN_COBYLA", "nlopt:LN_BOBYQA"]; /* of `compare` */
  const NOT_BUILT_IN = 9; /* exit code */

  /* What a message advises to install, WebAssembly cannot have. */
  const advised = (text) => (/\bDebian\b|install the package/.test(text) ? `${text}; a page cannot have it, only an mbopt that is installed on a machine` : text);

  /* /configs/../problems/x is /problems/x. */
  function whole(path) {
    const kept = [];
    path.split("/").forEach((part) => (part === ".." && kept.length > 1 ? kept.pop() : kept.push(part)));
    return path.startsWith("/") ? kept.join("/") : path;
  }

  const bare = (line) => line.replace(/;.*/, "").trim();

  /* Sets a key in [section]; false: there is no such section. */
  function put(lines, section, key, value) {
    const head = lines.findIndex((line) => bare(line) === `[${section}]`);
    if (head < 0) return false;
    let end = lines.findIndex((line, k) => k > head && /^\s*\[/.test(line));
    if (end < 0) end = lines.length;
    const had = lines.findIndex((line, k) => k > head && k < end && bare(line).split("=")[0].trim() === key);
    if (had >= 0) lines.splice(had, 1);
    lines.splice(head + 1, 0, `${key} = ${value}`);
    return true;
  }

  /* In [design NAME] `start` is set; control points of curves have no section of their own. A setting "a.b.c=v" is of [a b], or of [a], which may be new. Both may
   * give a start: it is that of the design. */
  function startAt(text, names, x, settings = []) {
    const lines = text.split("\n");
    settings.forEach((setting) => {
      const [, section, name, key, value] = /^(\w+)\.(?:([^=]+?)\.)?([^=]+?)\s*=(.*)$/s.exec(setting);
      const [first, rest] = name && section === "case" ? /^([^.]+)\.?(.*)$/.exec(name).slice(1) : [name, ""];
      if (first && put(lines, `${section} ${first}`, rest ? `${rest}.${key}` : key, value.trim())) return;
      const whole = name ? `${name}.${key}` : key;
      if (!put(lines, section, whole, value.trim())) lines.push("", `[${section}]`, `${whole} = ${value.trim()}`);
    });
    const left = names.filter((name, i) => !put(lines, `design ${name}`, "start", x[i]));
    return { text: lines.join("\n"), left };
  }

  function numbersOf(run, model) {
    const found = {};
    const read = (text, kept) => {
      let section = "";
      text.split("\n").map(bare).forEach((line) => {
        const head = /^\[(\w+) *(.*)\]$/.exec(line);
        if (head) section = head[2] ? `${head[1]}.${head[2]}` : head[1];
        const [, key, value] = /^([^=]+?) *= *(.+)$/.exec(line) || [];
        if (head || !key || !kept(section, key)) return;
        if (Number.isFinite(Number(value))) found[`${section}.${key}`] = Number(value);
        else delete found[`${section}.${key}`]; /* an expression takes the place of the model's number */
      });
    };
    read(model, (section) => section === "scalars");
    read(run, (section, key) => section === "scalars" || (/^case\./.test(section) && /^(duration|step|.*\..*)$/.test(key)));
    return found;
  }

  class Failure extends Error {
    constructor(data) {
      super(advised(data.text || data.means));
      this.name = "Failure";
      this.status = data.status;
      this.time = data.time === undefined ? null : data.time;
      const place = /^(.+?):(\d+): (?:\[([^\]]*)\] ?)?(?:([\w.]+)(?: |:))?/.exec(this.message);
      this.file = place ? whole(place[1]) : null;
      this.line = place ? Number(place[2]) : null;
      this.section = (place && place[3]) || null;
      this.key = (place && place[4]) || null;
    }
  }

  class Run {
    constructor(engine, path, settings) {
      this.engine = engine;
      const m = engine.module;
      const slot = m._malloc(4);
      const list = engine.texts(settings);
      try {
        engine.must(m._mbo_run_open(engine.text(path), settings.length, list, slot, m._engine_error()));
        this.handle = m.HEAP32[slot >> 2];
      } finally {
        m._free(slot);
        engine.release();
      }
      this.describe();
    }
    describe() {
      const { module: m } = this.engine;
      const h = this.handle;
      const text = (p) => m.UTF8ToString(p);
      const named = (n, name) => Array.from({ length: n }, (_, i) => text(name(h, i)));
      const n = m._mbo_run_variables(h);
      const [no, nc] = [m._mbo_run_objectives(h), m._mbo_run_constraints(h)];
      this.variables = named(n, m._mbo_run_variable);
      const quantities = named(no + nc, m._mbo_run_quantity);
      this.objectives = quantities.slice(0, no);
      this.constraints = quantities.slice(no);
      this.cases = named(m._mbo_run_cases(h), m._mbo_run_case);
      for (const key of ["start", "lower", "upper", "scale"]) this[key] = this.engine.numbers(m[`_mbo_run_${key}`](h), n);
      this.constraintLower = this.engine.numbers(m._mbo_run_constraint_lower(h), nc);
      this.constraintUpper = this.engine.numbers(m._mbo_run_constraint_upper(h), nc);
    }
    /* Calls f(x, err, ...arrays) with arrays of these sizes, and returns what they hold. */
    ask(x, sizes, f) {
      const { engine } = this;
      const at = engine.design(this, x);
      const arrays = sizes.map((size) => engine.room(size));
      try {
        engine.must(f(at, engine.module._engine_error(), ...arrays));
        return arrays.map((p, i) => engine.numbers(p, sizes[i]));
      } finally {
        engine.release();
      }
    }
    values(x) {
      const [f, psi] = this.ask(x, [1, this.objectives.length + this.constraints.length], (at, err, pf, ppsi) =>
        this.engine.module._mbo_run_values(this.handle, at, pf, ppsi, err));
      return { f: f[0], psi };
    }
    gradient(x) {
      const [n, nc] = [this.variables.length, this.constraints.length];
      const [f, g, c, jac] = this.ask(x, [1, n, nc, nc * n], (at, err, pf, pg, pc, pj) => this.engine.module._mbo_run_gradient(this.handle, at, pf, pg, pc, pj, err));
      return { f: f[0], g, c, jac };
    }
    gradients(x, method) {
      const n = this.objectives.length + this.constraints.length;
      const [psi, jac] = this.ask(x, [n, n * this.variables.length], (at, err, pp, pj) =>
        this.engine.module._mbo_run_gradients(this.handle, at, method ? this.engine.text(method) : 0, pp, pj, err));
      return { psi, jac };
    }
    check(x, one, other) {
      const n = this.objectives.length + this.constraints.length;
      return this.ask(x, [n], (at, err, d) => this.engine.module._mbo_run_check(this.handle, at, this.engine.text(one), this.engine.text(other), d, err))[0];
    }
    simulate(x, i = 0) {
      const { engine } = this;
      const { module: m } = engine;
      const at = engine.design(this, x);
      const slot = engine.room(1);
      try {
        engine.must(m._mbo_run_simulate(this.handle, at, i, slot, m._engine_error()));
        const s = m.HEAP32[slot >> 2];
        const [rows, columns] = [m._mbo_series_rows(s), m._mbo_series_columns(s)];
        const each = (f) => Array.from({ length: columns }, (_, k) => m.UTF8ToString(f(s, k)));
        const series = { names: each(m._mbo_series_name), units: each(m._mbo_series_unit), rows, values: engine.numbers(m._mbo_series_values(s), rows * columns) };
        m._mbo_series_free(s);
        return series;
      } finally {
        engine.release();
      }
    }
    view(x, gradient = false) {
      return this.told((m, at) => m._engine_view(this.handle, at, gradient), x || this.start);
    }
    place() {
      return this.told((m) => m._engine_place(this.handle));
    }
    turn() {
      return this.told((m) => m._engine_turn(this.handle));
    }
    /* What a function of engine.c tells, with a design where it takes one. */
    told(f, x) {
      const { engine } = this;
      const at = engine.design(this, x);
      try {
        const text = f(engine.module, at);
        if (!text) engine.fail();
        return JSON.parse(engine.module.UTF8ToString(text));
      } finally {
        engine.release();
      }
    }
    chooseAs(other) {
      this.engine.module._engine_choose_as(this.handle, other.handle);
    }
    /* From now on x is the start. */
    begin(x) {
      const { engine } = this;
      engine.module._engine_begin(this.handle, engine.design(this, x));
      engine.release();
      this.start = Array.from(x);
    }
    optimize(each) {
      try {
        return this.minimize(each);
      } catch (e) {
        const missing = e.status === "MBD_NOT_BUILT_IN" && /^backend '(\w+)' is not built in/.exec(e.message);
        if (!missing) throw e;
        const from = this.start;
        this.change(["optimizer.backend=auto", "optimizer.hessian=auto"]);
        this.begin(from);
        return { ...this.minimize(each), stands_in: missing[1] };
      }
    }
    minimize(each) {
      const { engine } = this;
      const { module: m } = engine;
      const tell = (_, it) =>
        each({ iteration: m.HEAP32[it >> 2], evaluations: m.HEAP32[(it >> 2) + 1],
          ...Object.fromEntries(["f", "violation", "optimality", "step"].map((key, k) => [key, m.HEAPF64[(it >> 3) + 1 + k]])) });
      const told = each ? m.addFunction(tell, "vii") : 0;
      const slot = engine.room(1);
      try {
        m._mbo_run_on_iteration(this.handle, told, 0);
        engine.must(m._mbo_run_optimize(this.handle, slot, m._engine_error()));
        const o = m.HEAP32[slot >> 2];
        const numbers = Object.fromEntries(NUMBERS.map((name) => [name, m._mbo_optimum_number(o, engine.text(name))]));
        const result = { design: engine.numbers(m._mbo_optimum_design(o), this.variables.length), status: m.UTF8ToString(m._mbo_optimum_status(o)),
          text: m.UTF8ToString(m._mbo_optimum_text(o)), ...numbers };
        m._mbo_optimum_free(o);
        return result;
      } finally {
        m._mbo_run_on_iteration(this.handle, 0, 0);
        if (told) m.removeFunction(told);
        engine.release();
      }
    }
    change(settings) {
      const { engine } = this;
      const list = engine.texts(settings);
      try {
        engine.must(engine.module._mbo_run_change(this.handle, settings.length, list, engine.module._engine_error()));
      } finally {
        engine.release();
      }
      this.describe();
    }
    warnings() {
      const { module: m } = this.engine;
      const all = [];
      for (let i = 0, p; (p = m._mbo_run_warning(this.handle, i)); i++) all.push(m.UTF8ToString(p));
      return all;
    }
    close() {
      this.engine.module._mbo_run_close(this.handle);
      this.handle = 0;
    }
  }

  class Engine {
    constructor(module, said) {
      this.module = module;
      this.said = said;
      this.rooms = []; /* of the call in progress */
    }
    get version() {
      return this.module.UTF8ToString(this.module._mbo_version());
    }
    room(numbers) {
      const p = this.module._malloc(8 * numbers + 8);
      if (!p) throw new Failure({ status: "MBD_NO_MEMORY", text: "the memory of the page is full" });
      this.rooms.push(p);
      return p;
    }
    text(s) {
      const size = this.module.lengthBytesUTF8(s) + 1;
      const p = this.room(Math.ceil(size / 8));
      this.module.stringToUTF8(s, p, size);
      return p;
    }
    texts(list) {
      const p = this.room(list.length);
      list.forEach((s, i) => {
        const at = this.text(s);
        this.module.HEAP32[(p >> 2) + i] = at;
      });
      return p;
    }
    design(run, x) {
      if (!x) return 0;
      if (x.length !== run.variables.length) throw new Failure({ status: "MBD_BAD_INPUT", text: `a design has ${run.variables.length} numbers, not ${x.length}` });
      const p = this.room(x.length);
      this.module.HEAPF64.set(x, p >> 3);
      return p;
    }
    numbers(p, n) {
      return Array.from(this.module.HEAPF64.subarray(p >> 3, (p >> 3) + n));
    }
    release() {
      this.rooms.splice(0).forEach((p) => this.module._free(p));
    }
    fail() {
      throw new Failure(JSON.parse(this.module.UTF8ToString(this.module._engine_failure())));
    }
    must(status) {
      if (status !== 0) this.fail();
    }
    write(path, content) {
      const folder = path.replace(/\/?[^/]*$/, "");
      if (folder) this.module.FS.mkdirTree(folder);
      this.module.FS.writeFile(path, content);
    }
    read(path, bytes = false) {
      return this.module.FS.readFile(path, bytes ? {} : { encoding: "utf8" });
    }
    list(folder) {
      return this.module.FS.readdir(folder).filter((name) => name !== "." && name !== "..");
    }
    open(path, settings = []) {
      return new Run(this, path, settings);
    }
    command(words, each) {
      if (words[0] === "compare") return this.compare(words.slice(1), each);
      const said = (this.said.now = { out: [], err: [], each });
      if (STUDIES.includes(words[0])) {
        this.said.hear("err", `mbopt: error: '${words[0]}' runs other processes, which a page cannot have: take an mbopt that is installed on a machine`);
        return { code: NOT_BUILT_IN, out: "", err: said.err[0] };
      }
      let code;
      try {
        code = this.module.callMain(words);
      } catch (e) {
        if (e.name !== "ExitStatus") throw e;
        code = e.status;
      }
      return { code, out: said.out.join("\n"), err: said.err.join("\n") };
    }
    /* Optimizers that are built in, one after the other from the start of the run file: a line for each as it ends. The program's `compare` runs processes. */
    compare(words, each) {
      const out = [];
      let best = null;
      const tell = (cells) => {
        const line = cells.map((c, i) => (i ? c.padStart(13) : c.padEnd(20))).join(" ");
        out.push(line);
        if (each) each(line, false);
      };
      const short = (v) => (v === null || v === undefined ? "-" : String(Number(v.toPrecision(6))));
      tell(["", "objective", "violation", "iterations", "simulations", "time [s]", "status"]);
      for (const name of OPTIMIZERS) {
        const [backend, algorithm] = name.split(":");
        const set = [`backend=${backend}`, "hessian=auto", ...(algorithm ? [`algorithm=${algorithm}`] : [])].flatMap((s) => ["--set", `optimizer.${s}`]);
        const answer = this.command(["optimize", ...words, ...set, "--quiet", "--json", "--output", "/tmp/compare"]);
        let result = null;
        try {
          result = JSON.parse(answer.out);
        } catch (e) {
          tell([name, answer.err.replace(/^mbopt: error: /, "")]);
          continue;
        }
        tell([name, short(result.objective), short(result.violation), String(result.iterations), String(result.evaluations), result.seconds.toFixed(2), result.status]);
        if (result.status === "CONVERGED" && !(best && best.objective <= result.objective)) best = { name, objective: result.objective };
      }
      const last = best ? `best objective: ${short(best.objective)}, by ${best.name}` : "none has converged";
      tell([last]);
      return { code: best ? 0 : 1, out: out.join("\n"), err: "" };
    }
  }

  async function load(factory, wasm) {
    const said = {
      now: { out: [], err: [] },
      hear(list, line) {
        said.now[list].push(line);
        if (said.now.each) said.now.each(line, list === "err");
      },
    };
    const module = await factory({ wasmBinary: wasm, noInitialRun: true, print: (line) => said.hear("out", line), printErr: (line) => said.hear("err", advised(line)) });
    return new Engine(module, said);
  }

  const mbopt = { load, Failure, startAt, numbersOf };
  if (typeof module !== "undefined" && module.exports) module.exports = mbopt;
  else root.mbopt = mbopt;
})(typeof self !== "undefined" ? self : globalThis);
