/* The program in a Worker, for pages that hold it packed (web/pages.mjs): mbopt_worker({ paths, textOf, failed }) -> { begin, ask, anew, write, changed }.
 *   begin()               starts it; a promise of { version, schema, templates }
 *   ask(act, more, each)  a promise of what the act below returns; each(line, bad) of the lines that a command prints
 *   anew(why)             ends all that is asked, with this reason, and begins again
 *   changed(path), write() the texts textOf(path) that it does not have are written before the next act; after a start those of paths()
 * failed(text) hears what no act is told. mbopt_packed(id) is what the page holds in its element, unpacked. */
(function () {
  "use strict";

  function work() {
    let engine = null;
    const texts = (folder) => Object.fromEntries(engine.list(folder).map((name) => [`${folder}/${name}`, engine.read(`${folder}/${name}`)]));
    const has = (path) => engine.module.FS.analyzePath(path).exists;
    const clear = (path) => {
      const { FS } = engine.module;
      if (!has(path)) return;
      if (!FS.isDir(FS.stat(path).mode)) return FS.unlink(path);
      engine.list(path).forEach((name) => clear(`${path}/${name}`));
      FS.rmdir(path);
    };
    const acts = {
      async open({ wasm }) {
        engine = await self.mbopt.load(self.mbopt_engine, new Uint8Array(wasm));
        return { version: engine.version, schema: JSON.parse(engine.command(["schema", "--json"]).out), templates: engine.command(["new", "--list"]).out };
      },
      write: ({ files }) => Object.entries(files).forEach(([name, text]) => engine.write(name, text)),
      look({ path }) {
        const run = engine.open(path);
        const about = { variables: run.variables.length, objectives: run.objectives.length, constraints: run.constraints.length, warnings: run.warnings() };
        run.close();
        return about;
      },
      start: ({ text, design }) => self.mbopt.startAt(text, Object.keys(design), Object.values(design)),
      /* A command that writes files into a folder: new, import. */
      make({ words, folder }) {
        clear(folder);
        const answer = engine.command(words);
        return { ...answer, files: answer.code === 0 ? texts(folder) : {} };
      },
      /* The mechanism at its start, with these files; where it cannot be assembled, at the closest position. */
      place({ path, files }) {
        Object.entries(files || {}).forEach(([name, text]) => engine.write(name, text));
        const run = engine.open(path);
        try {
          return { ...run.place(), warnings: run.warnings() };
        } finally {
          run.close();
        }
      },
      /* For each of these files in the place of those `after`: the places of the points on their bodies; null: it cannot be read. */
      places({ path, variants, after }) {
        const all = variants.map((files) => {
          try {
            return acts.place({ path, files: { ...after, ...files } }).points.map((p) => p.x);
          } catch (e) {
            return null;
          }
        });
        acts.write({ files: after });
        return all;
      },
      /* Motions of kinematic cases, written as points.js does; coordinates that they leave free get a drive that keeps their value. */
      turn({ ways, main, values }) {
        const path = main.replace(/[^/]*$/, "turned_by_hand.ini");
        return ways.map((way) => {
          engine.write(way.path, way.model);
          for (let kept = []; ; ) {
            engine.write(path, way.run + kept.map((name) => `drive.${name} = ${values[name]}\n`).join(""));
            const run = engine.open(path);
            try {
              const answer = run.turn();
              if (!answer.free.length) return { ...answer, kept };
              kept = [...kept, ...answer.free];
            } finally {
              run.close();
            }
          }
        });
      },
      /* A command, with the folder of its results or ""; where it leaves results or a page, also that. */
      command({ words, folder, id }) {
        const each = (line, bad) => self.postMessage({ id, line, bad });
        const missing = (text) => /backend '(\w+)' is not built in/.exec(text);
        const all = folder ? [...words, "--output", folder] : words;
        if (folder) clear(folder);
        let answer = engine.command(all, (line, bad) => missing(line) || each(line, bad));
        const other = missing(answer.err);
        if (other) {
          each(`${other[1]} is not in this page; another optimizer stands in: --set optimizer.backend=auto --set optimizer.hessian=auto`, false);
          answer = engine.command([...all, "--set", "optimizer.backend=auto", "--set", "optimizer.hessian=auto"], each);
        }
        const results = folder || (/^results in (\S+)$/m.exec(answer.out) || [])[1];
        const written = [`${folder}/model.html`, (/^(\S+\.html)$/m.exec(answer.out) || [])[1]].find((name) => name && has(name));
        let page = written ? engine.read(written) : null;
        let optimum = null;
        if (results && has(`${results}/result.json`)) {
          if (words[0] !== "simulate") optimum = JSON.parse(engine.read(`${results}/result.json`)).design;
          const told = engine.command(["report", results, "--quiet"]);
          if (told.code === 0) page = engine.read(`${results}/report.html`);
          else each(told.err, true);
        }
        return { code: answer.code, page, optimum };
      },
    };
    const act = async (data) => {
      try {
        self.postMessage({ id: data.id, done: await acts[data.act](data) });
      } catch (e) {
        self.postMessage({ id: data.id, failed: { text: e.message || String(e), file: e.file, line: e.line, broken: !(self.mbopt && e instanceof self.mbopt.Failure) } });
      }
    };
    let last = Promise.resolve(); /* one after the other: `open` takes a while */
    self.onmessage = ({ data }) => (last = last.then(() => act(data)));
  }

  const unpacked = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  };
  window.mbopt_packed = (id) => unpacked(document.getElementById(id).textContent);

  window.mbopt_worker = function ({ paths, textOf, failed }) {
    let worker = null;
    let waiting = new Map();
    let count = 0;
    let source = null;
    let wasm = null;
    let dirty = new Set(); /* files that the engine does not have as they are */

    function ask(act, more, each) {
      return new Promise((resolve, reject) => {
        waiting.set(++count, { resolve, reject, each });
        worker.postMessage({ id: count, act, ...more });
      });
    }
    function end(text) {
      worker.terminate();
      const left = waiting;
      waiting = new Map();
      left.forEach((w) => w.reject(Object.assign(new Error(text), { ended: true })));
    }
    async function begin() {
      source = source || URL.createObjectURL(new Blob([await window.mbopt_packed("program"), "\n(", String(work), ")();\n"], { type: "text/javascript" }));
      wasm = wasm || (await window.mbopt_packed("wasm"));
      worker = new Worker(source);
      worker.onmessage = ({ data: { id, done, failed: why, line, bad } }) => {
        const w = waiting.get(id);
        if (!w) return;
        if (line !== undefined) return w.each(line, bad);
        waiting.delete(id);
        if (why) w.reject(Object.assign(new Error(why.text), why));
        else w.resolve(done);
      };
      worker.onerror = (e) => {
        e.preventDefault();
        anew(`the engine has stopped: ${e.message}`);
      };
      dirty = new Set(paths());
      return ask("open", { wasm });
    }
    function anew(why) {
      end(why);
      return begin().catch((e) => e.ended || failed(e.message));
    }
    function write() {
      if (!dirty.size) return;
      ask("write", { files: Object.fromEntries([...dirty].map((path) => [path, textOf(path)])) }).catch((e) => e.ended || failed(e.message));
      dirty = new Set();
    }
    return { ask, begin, anew, write, changed: (path) => dirty.add(path) };
  };
})();
