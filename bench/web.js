// WebAssembly beside the native program, command by command, interleaved: node bench/web.js [MBOPT [FOLDER OF ENGINES]]. Least wall times of five, in
// milliseconds, reading and building the model included; the engine's first call is told apart, since the compiler of V8 works in it.
"use strict";
const fs = require("fs");
const path = require("path");
const { spawnSync } = require("child_process");
const root = path.join(__dirname, "..");
const native = path.resolve(process.argv[2] || path.join(root, "build/release/mbopt"));
const folder = path.resolve(process.argv[3] || path.join(root, "build/web"));
const mbopt = require(path.join(folder, "mbopt.js"));
const TIMES = 5;

const rows = [
  ["five_bar, simulation", ["simulate", "configs/five_bar.ini"]],
  ["five_bar, gradient (direct)", ["gradient", "configs/five_bar.ini", "--set", "gradient.method=direct"]],
  ["five_bar, gradient (adjoint)", ["gradient", "configs/five_bar.ini", "--set", "gradient.method=discrete_adjoint", "--set", "optimizer.hessian=limited_memory"]],
  ["buggy over the step, simulation", ["simulate", "configs/step_descent.ini"]],
  ["buggy over the step, gradient (direct)", ["gradient", "configs/step_descent.ini", "--set", "gradient.method=direct"]],
  ["buggy over the step, gradient (adjoint)", ["gradient", "configs/step_descent.ini", "--set", "gradient.method=discrete_adjoint", "--set", "optimizer.hessian=limited_memory"]],
  ["buggy over the step, optimization", ["optimize", "configs/step_descent.ini"]],
];

async function main() {
  const engine = await mbopt.load(require(path.join(folder, "engine.js")), fs.readFileSync(path.join(folder, "engine.wasm")));
  for (const at of ["configs", "problems"]) {
    for (const name of fs.readdirSync(path.join(root, at), { recursive: true })) {
      const file = path.join(root, at, name);
      if (fs.statSync(file).isFile()) engine.write(`/${at}/${name}`, fs.readFileSync(file));
    }
  }
  const output = fs.mkdtempSync("/tmp/mbopt-web-");
  const timed = (act) => {
    const from = process.hrtime.bigint();
    if (act() !== 0) throw new Error("a command has failed");
    return Number(process.hrtime.bigint() - from) / 1e6;
  };
  console.log("| | native | WebAssembly | ratio | first call |\n|---|---|---|---|---|");
  for (const [name, words] of rows) {
    const to = words[0] === "gradient" ? [] : ["--output"];
    const least = { native: Infinity, engine: Infinity };
    let first = null;
    for (let i = 0; i < (words[0] === "optimize" ? 1 : TIMES); i++) {
      least.native = Math.min(least.native, timed(() => spawnSync(native, [...words, ...to, ...to.map(() => output)], { cwd: root }).status));
      const t = timed(() => engine.command([...words, ...to, ...to.map(() => "/out")]).code);
      if (first === null) first = t;
      least.engine = Math.min(least.engine, t);
    }
    const ms = (t) => t.toFixed(0);
    console.log(`| ${name} | ${ms(least.native)} | ${ms(least.engine)} | ${(least.engine / least.native).toFixed(2)} | ${ms(first)} |`);
  }
  fs.rmSync(output, { recursive: true });
}
main();
