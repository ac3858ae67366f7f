/* The program in a Worker, for the playground and the lessons: mbopt_worker({ paths, textOf, failed }) -> { shipped, unpack, begin, ask, anew, write, changed }.
 *   shipped               the files of mbopt by their paths, once the promise unpack() is kept
 *   begin()               a promise of { version, keys: keys.js for the schema, templates }, after that one
 *   ask, anew             those of mbopt_engine_of (opt/report/assets/engine.js), with the acts below
 *   changed(path), write() before the next act the engine gets the text textOf(path) of a file, or loses the file where that is undefined; after a start it gets
 *                         those of shipped and of paths()
 * failed(text) hears what no act is told. mbopt_packed(id) is the text that the page holds in its element, unpacked. */
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
      write: ({ files }) => Object.entries(files).forEach(([name, text]) => (text === undefined ? clear(name) : engine.write(name, text))),
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
      place({ path, files = {} }) {
        acts.write({ files });
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
        const path = main.replace(/[^/]*$/, "turned_by_hand_run.ini");
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
      command({ words, folder }, each) {
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
    return acts;
  }

  const packed = (id) => document.getElementById(id).textContent;
  window.mbopt_packed = async (id) => new TextDecoder().decode(await window.mbopt_unpacked(packed(id)));

  window.mbopt_worker = function ({ paths, textOf, failed }) {
    const shipped = new Map();
    let dirty = new Set(); /* files that the engine does not have as they are */
    const opening = () => {
      dirty = new Set([...shipped.keys(), ...paths()]);
      return {};
    };
    const { begin, ask, anew } = window.mbopt_engine_of({ program: packed("program"), wasm: packed("wasm"), work, opening, failed });

    async function unpack() {
      Object.entries(JSON.parse(await window.mbopt_packed("files"))).forEach(([path, text]) => shipped.set(path, text));
    }
    async function first() {
      const { schema, ...about } = await begin();
      return { ...about, keys: window.mbopt_keys(schema) };
    }
    function write() {
      if (!dirty.size) return;
      ask("write", { files: Object.fromEntries([...dirty].map((path) => [path, textOf(path)])) }).catch((e) => e.ended || failed(e.message));
      dirty = new Set();
    }
    return { shipped, unpack, begin: first, ask, anew, write, changed: (path) => dirty.add(path) };
  };
})();
