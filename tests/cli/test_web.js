// The engine beside the native program: node test_web.js FOLDER_OF_ENGINES MBOPT ROOT. Prints a line for each failure.
"use strict";
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const { spawnSync } = require("child_process");
const [folder, native, root] = process.argv.slice(2);
const mbopt = require(path.join(folder, "mbopt.js"));

let passed = 0;
let failed = 0;
function check(name, right, told = "") {
  if (right) passed++;
  else console.log("FAILED", name, told, ++failed);
}

const close = (a, b, tolerance) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
// The largest relative difference of two lists of numbers.
const apart = (a, b) => {
  const size = Math.max(...a.map(Math.abs), 1e-300);
  return a.length === b.length ? Math.max(0, ...a.map((v, i) => Math.abs(v - b[i]) / size)) : Infinity;
};

function files(engine) {
  const walk = (at) => {
    for (const entry of fs.readdirSync(path.join(root, at), { withFileTypes: true })) {
      const name = `${at}/${entry.name}`;
      if (entry.isDirectory()) walk(name);
      else engine.write(`/${name}`, fs.readFileSync(path.join(root, name)));
    }
  };
  ["configs", "problems"].forEach(walk);
}

// The numbers of `mbopt gradient --json` that are not measured times.
function numbers(o, all = []) {
  if (typeof o === "number") all.push(o);
  else if (o && typeof o === "object") Object.keys(o).forEach((key) => key !== "gradient" && !/seconds/.test(key) && numbers(o[key], all));
  return all;
}

async function main() {
  const bytes = (name) => fs.readFileSync(path.join(folder, name));
  const whole = await mbopt.load(require(path.join(folder, "engine.js")), bytes("engine.wasm"));
  files(whole);
  check("version", spawnSync(native, ["--version"], { encoding: "utf8" }).stdout.includes(whole.version));

  const short = ["five_bar", "four_bar_path", "desk_lamp", "cam", "delta_robot", "kc_axle", "buggy_turns", "path_points", "dwell", "pareto_tanaka"];
  const all = fs.readdirSync(path.join(root, "configs")).filter((f) => f.endsWith(".ini")).map((f) => f.slice(0, -4));
  let compared = 0;
  for (const name of process.env.MBOPT_LONG ? all : short) {
    const want = spawnSync(native, ["gradient", `configs/${name}.ini`, "--json"], { cwd: root, encoding: "utf8" });
    const got = whole.command(["gradient", `/configs/${name}.ini`, "--json"]);
    if (/built without LAPACK/.test(got.err)) continue; // eigenvalues
    check(`${name}: exit code`, got.code === want.status, `${got.code} ${want.status} ${got.err}`);
    if (want.status !== 0) continue;
    const d = apart(numbers(JSON.parse(want.stdout)), numbers(JSON.parse(got.out)));
    check(`${name}: numbers`, d <= 1e-12, d);
    compared++;
  }
  check("compared", compared >= short.length, compared);

  // one engine does one command after the other
  const told = () => whole.command(["simulate", "/configs/five_bar.ini", "--set", "case.swing.duration=0.1", "--output", "/out", "--json"]);
  const once = told();
  check("command twice", once.code === 0 && JSON.stringify(numbers(JSON.parse(once.out))) === JSON.stringify(numbers(JSON.parse(told().out))));
  check("report", whole.command(["report", "/out"]).code === 0 && whole.read("/out/report.html").includes("mbopt_scene"));
  check("unknown command", whole.command(["optimise", "x"]).err.includes("did you mean 'optimize'?"));

  // the referee is its own library in the engine as everywhere
  let run = whole.open("/configs/five_bar.ini", ["case.swing.duration=0.1"]);
  const deviation = run.check(null, "discrete_adjoint", "complex_step");
  check("complex step", deviation.length === 1 && deviation[0] > 0 && deviation[0] < 1e-9, deviation);
  const difference = 1e-6;
  const f = (h) => run.values([run.start[0] + h, run.start[1]]).f;
  check("gradient", close(run.gradient().g[0], (f(difference) - f(-difference)) / (2 * difference), 1e-7));
  const series = run.simulate();
  check("simulate", series.names[0] === "t" && series.units[0] === "s" && close(series.values[(series.rows - 1) * series.names.length], 0.1, 1e-12));
  run.close();

  // failures are objects
  function failure(act) {
    try {
      act();
    } catch (e) {
      return e;
    }
    return {};
  }
  whole.write("/bad.ini", whole.read("/configs/five_bar.ini").replace("duration", "duratoin").replace("../problems", "/problems"));
  const bad = failure(() => whole.open("/bad.ini"));
  check("failure", bad instanceof mbopt.Failure && bad.status === "MBD_BAD_INPUT" && bad.file === "/bad.ini" && bad.line > 0 && bad.section === "case swing" && /did you mean 'duration'/.test(bad.message), bad.message);
  check("no file", failure(() => whole.open("/none.ini")).status === "MBD_IO_ERROR");
  for (const before of ["", "a"]) check("a text that ends within a letter", /^MBD_/.test(failure(() => whole.open(`/${before}${"é".repeat(600)}.ini`)).status));
  run = whole.open("/configs/five_bar.ini", ["case.swing.duration=0.1"]);
  check("not finite", failure(() => run.values([NaN, 1])).status !== undefined);
  check("length of a design", failure(() => run.values([1])).status === "MBD_BAD_INPUT");
  const far = failure(() => run.values([4, 0.5]));
  check("a design that cannot be", far.status === undefined || /^MBD_/.test(far.status));
  check("as before", Number.isFinite(run.values().f));
  run.close();

  // optimizers beside each other: those for squares, for gradients and without
  const beside = whole.command(["compare", "/configs/five_bar.ini", "--set", "case.swing.duration=0.1"]);
  const rows = Object.fromEntries(beside.out.split("\n").map((line) => line.trim().split(/ +/)).map(([name, ...cells]) => [name, cells]));
  const alone = JSON.parse(whole.command(["optimize", "/configs/five_bar.ini", "--set", "case.swing.duration=0.1", "--set", "optimizer.backend=levenberg_marquardt", "--quiet", "--json", "--output", "/out"]).out);
  check("compare", beside.code === 0 && Object.keys(rows).length === 8 && rows["nlopt:LD_SLSQP"][5] === "CONVERGED" && rows.levenberg_marquardt[3] === String(alone.evaluations), beside.out);
  const limits = whole.command(["compare", "/configs/dwell.ini", "--set", "optimizer.max_iterations=2"]);
  check("compare says who cannot", /levenberg_marquardt +\S.*(squares|constraints|hessian)/.test(limits.out), limits.out);

  // eigenvalues, by LAPACK; of damped motions, as rounding sorts those of undamped ones
  for (const name of ["pendulum", "active_suspension", "bicycle_benchmark"]) {
    const args = ["linearize", `configs/${name}.ini`, "--json", "--output", path.join(process.env.OUT, "linear")];
    const there = JSON.parse(spawnSync(native, args, { cwd: root, encoding: "utf8" }).stdout);
    const here = whole.command(["linearize", `/configs/${name}.ini`, "--json", "--output", "/out"]);
    const values = (cases) => cases.flatMap((c) => c.eigenvalues.flatMap((e) => [e.real, Math.abs(e.imaginary)]));
    const deviation = here.code ? Infinity : apart(values(JSON.parse(here.out)), values(there));
    check(`linearize ${name}`, deviation < 1e-9, here.err || deviation);
  }

  // what a page cannot have
  const refused = whole.command(["pareto", "/configs/pareto_tanaka.ini"]);
  check("study", refused.code === 9 && /^mbopt: error: 'pareto' runs other processes, which a page cannot have/.test(refused.err), refused.err);
  const asked = ["optimize", "/configs/five_bar.ini", "--set", "optimizer.backend=ipopt", "--set", "optimizer.hessian=limited_memory", "--output", "/out"];
  check("advice", /Debian package .*; a page cannot have it/.test(whole.command(asked).err), whole.command(asked).err);
  whole.write("/problems/bad_model.ini", whole.read("/problems/five_bar/five_bar.ini").replace("joints = named", "jonts = named"));
  whole.write("/configs/bad_model.ini", whole.read("/configs/five_bar.ini").replace("five_bar/five_bar.ini", "bad_model.ini"));
  const inModel = failure(() => whole.open("/configs/bad_model.ini"));
  check("place", inModel.file === "/problems/bad_model.ini" && inModel.line > 0, inModel.message);
  const moved = mbopt.startAt("[design a] ; a\nlower = 0\nstart = 1\n[case b]\nstart = 2\n", ["a", "c"], [3, 4]);
  const set = mbopt.startAt("[case b] ; b\nscalar.v = 2\n", [], [], ["case.b.scalar.v=7", "scalars.k = 3", "case.b.step=1"]);
  check("settings in a run file", set.text === "[case b] ; b\nstep = 1\nscalar.v = 7\n\n\n[scalars]\nk = 3", set.text);
  const found = mbopt.numbersOf("[scalars]\nk = 3 ; N/m\nl = 2*k\n[case b]\nstep = 1e-3\nrtol = 1\nscalar.v = 7\nstart = given\n[objective o]\nweight = 2\n", "[scalars]\nk = 1\nl = 2\nm = 4\n[body b]\nmass = 1\n");
  check("numbers of a run file", JSON.stringify(found) === '{"scalars.k":3,"scalars.m":4,"case.b.step":0.001,"case.b.scalar.v":7}', JSON.stringify(found));
  check("start, not that of a setting", mbopt.startAt("[design a]\nstart = 1\n", ["a"], [3], ["design.a.start=5"]).text === "[design a]\nstart = 3\n");
  check("start", moved.text === "[design a] ; a\nstart = 3\nlower = 0\n[case b]\nstart = 2\n" && moved.left.join() === "c", moved.text);

  // the small engine: the same values to the bit, optimization with what stands in for IPOPT
  const live = await mbopt.load(require(path.join(folder, "live.js")), zlib.gunzipSync(bytes("live.wasm.gz")));
  files(live);
  const settings = ["case.swing.duration=0.3"];
  run = live.open("/configs/five_bar.ini", settings);
  const other = whole.open("/configs/five_bar.ini", settings);
  check("same bits", run.values().f === other.values().f && run.gradient().g.join() === other.gradient().g.join());
  check("no referee", failure(() => run.gradients(null, "complex_step")).status === "MBD_NOT_BUILT_IN");
  const x = run.start.map((v) => 1.001 * v);
  const view = run.view(x);
  check("view", view.first.cases.length === 1 && view.first.cases[0].bodies.length > 1 && view.curves.cases[0].columns.length > 3 && close(view.quantities[0].before, run.values(x).f, 1e-12));
  const whole_view = run.view(x, true);
  check("view with the gradient", whole_view.gradient.join() === run.gradient(x).g.join() && whole_view.no_gradient === null && whole_view.first.cases[0].arrows.length === view.first.cases[0].arrows.length);
  check("scene with the gradient", apart(whole_view.first.cases[0].bodies[0].pose, view.first.cases[0].bodies[0].pose) < 1e-6 && !("gradient" in view));
  const again = live.open("/configs/five_bar.ini", settings);
  again.chooseAs(run);
  check("the same way of differentiation", again.gradient(x).g.join() === run.gradient(x).g.join());
  again.close();
  check("view of the start", run.view().quantities[0].before === run.values().f);
  let iterations = 0;
  const optimum = run.optimize((it) => {
    iterations += Number.isFinite(it.f) && it.iteration >= 0;
  });
  check("optimum", optimum.status === "CONVERGED" && optimum.stands_in === "ipopt" && optimum.objective < run.values(run.start).f, optimum.text);
  check("iterations", iterations > 0 && iterations <= optimum.evaluations + 1, iterations);
  const want = JSON.parse(spawnSync(native, ["optimize", "configs/five_bar.ini", "--set", settings[0], "--quiet", "--json", "--output", process.env.OUT], { cwd: root, encoding: "utf8" }).stdout);
  const design = run.variables.map((name) => want.design[name]);
  check("same optimum", apart(design, optimum.design) < 1e-6 && optimum.objective < 1e-20 && want.objective < 1e-20, `${optimum.design} ${design}`);
  run.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}
main().catch((e) => {
  console.log("FAILED", String(e.stack).slice(0, 2000));
  process.exitCode = 1;
});
