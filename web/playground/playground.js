/* The playground: run and model files in an editor, the program in a Worker, its answers and its report beside them.
 * Files come from links of strangers and from disks: they are texts, which go to the program and into the page by textContent alone; the report is in a frame
 * with an origin of its own. After every change the address of the page holds the files that differ from those of mbopt. */
(function () {
  "use strict";

  const MOST = 16 << 20; /* bytes of a file, and of the files of a link */

  const at = (id) => document.getElementById(id);
  const { element, saveText } = window.mbopt_common;
  const isRun = window.mbopt_is_run;
  const { shipped, ask, unpack, begin, anew, write: writeFiles, changed: outdated } = window.mbopt_worker({
    paths: () => changed.keys(),
    textOf: (path) => textOf(path),
    failed: (text) => state(text, true),
  });

  /* ---- files ---- */

  const changed = new Map();
  let edits = 0; /* how often a file has changed */
  let main = "/configs/five_bar.ini";

  const textOf = (path) => (changed.has(path) ? changed.get(path) : shipped.get(path));
  const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);
  const folderOf = (path) => path.slice(0, path.lastIndexOf("/"));
  const isPath = (path) => /^\/(configs|problems|new|import)(\/[\w+-][\w.+-]*)+$/.test(path);

  function setText(path, text) {
    if (text === shipped.get(path)) changed.delete(path);
    else changed.set(path, text);
    outdated(path);
    edits++;
    editor.set(path, text);
  }

  function resolve(from, name) {
    const parts = (name.startsWith("/") ? name : `${folderOf(from)}/${name}`).split("/");
    const kept = [];
    parts.forEach((part) => {
      if (part === "..") kept.pop();
      else if (part && part !== ".") kept.push(part);
    });
    return `/${kept.join("/")}`;
  }

  /* The files that are read with the run file, itself first; also those that are named and missing. */
  function filesOf(first) {
    const all = [first];
    const missing = [];
    for (const path of all) {
      if (!/\.ini$/.test(path)) continue;
      for (const line of textOf(path).split("\n")) {
        const value = /^\s*[^;=[]+=([^;]*)/.exec(line);
        for (const name of value ? value[1].split(/[\s,|]+/) : []) {
          if (!/\.(ini|csv|tir|urdf|xml)$/.test(name)) continue;
          const found = resolve(path, name);
          if (textOf(found) === undefined) missing.push(found);
          else if (!all.includes(found)) all.push(found);
        }
      }
    }
    return { all, missing };
  }

  /* ---- the link: files that differ, packed, behind the # of the address ---- */

  async function hashOf() {
    const text = JSON.stringify({ main, files: Object.fromEntries(changed) });
    const bytes = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
    let binary = "";
    for (const b of bytes) binary += String.fromCharCode(b);
    return `#1${btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
  }
  async function readHash(hash) {
    if (!hash.startsWith("#1")) throw new Error("it does not begin with #1");
    const bytes = Uint8Array.from(atob(hash.slice(2).replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    let size = 0;
    for (let part; !(part = await reader.read()).done; parts.push(part.value)) {
      size += part.value.length;
      if (size > MOST) throw new Error(`its files are larger than ${MOST >> 20} MiB`);
    }
    const data = JSON.parse(await new Blob(parts).text());
    const files = Object.entries(data.files);
    for (const [path, text] of files) {
      if (!isPath(path) || typeof text !== "string") throw new Error(`it names a file '${path}', whose place is not one of this page`);
    }
    const known = (path) => shipped.has(path) || Object.hasOwn(data.files, path);
    if (typeof data.main !== "string" || !known(data.main)) throw new Error(`its run file '${data.main}' is not in it`);
    return { main: data.main, files };
  }
  /* Also when the address is changed by hand. What is wrong with a link leaves the files as they are. */
  async function takeHash() {
    if (location.hash.length < 2) return;
    try {
      const link = await readHash(location.hash);
      const before = [...changed.keys()];
      before.forEach((path) => shipped.has(path) && setText(path, shipped.get(path)));
      before.forEach((path) => shipped.has(path) || (changed.delete(path), outdated(path)));
      link.files.forEach(([path, text]) => setText(path, text));
      main = link.main;
      tell(`files of the link: ${link.files.map(([path]) => path).join(", ") || main}`);
    } catch (e) {
      tell(`the link cannot be read: ${e.message}`, true);
    }
  }
  const LONGEST = 1e6; /* that browsers take as an address: 2 MB */
  let kept = "";
  async function keep() {
    kept = await hashOf();
    const hash = kept.length < LONGEST ? kept : "#";
    if (hash !== location.hash) history.replaceState(null, "", hash);
  }

  /* ---- what is said ---- */

  /* A text whose places are buttons. */
  function withPlaces(text) {
    const pieces = [];
    let end = 0;
    for (const { from, to, path, line } of window.mbopt_places(text)) {
      if (textOf(path) === undefined) continue;
      pieces.push(text.slice(end, from), element("button", { className: "place", textContent: `${path}:${line}`, onclick: () => go(path, line) }));
      end = to;
    }
    return [...pieces, text.slice(end)];
  }
  function tell(text, bad) {
    String(text).split("\n").forEach((line) => at("text").append(element("p", { className: bad ? "bad" : "" }, withPlaces(line))));
    at("text").scrollTop = at("text").scrollHeight;
  }
  function state(text, bad) {
    at("state").replaceChildren(...withPlaces(text));
    at("state").className = bad ? "bad" : "";
  }

  /* ---- the editor ---- */

  let keys = null; /* keys.js, once the engine has told the schema */
  const editor = window.mbopt_editor(at("editor"), {
    textOf: (path) => textOf(path),
    offers: (path, text, position) => (keys && /\.ini$/.test(path) ? keys(path === main ? "run" : "model", text, position) : null),
  });
  editor.onChange((path) => {
    setText(path, editor.text(path));
    later();
  });
  editor.onCursor(help);

  function show(path) {
    editor.show(path);
    drawTabs();
    help();
  }

  function drawTabs() {
    const { all: read } = filesOf(main);
    const shown = editor.shown();
    const all = read.includes(shown) ? read : [...read, shown];
    const title = (path) => (all.filter((p) => nameOf(p) === nameOf(path)).length > 1 ? path.split("/").slice(-2).join("/") : nameOf(path));
    const tab = (path) => {
      const t = element("button", { textContent: title(path) + (changed.has(path) ? " •" : ""), title: path, onclick: () => show(path) });
      t.setAttribute("role", "tab");
      t.setAttribute("aria-selected", path === shown);
      return t;
    };
    at("tabs").replaceChildren(...all.map(tab));
  }

  function go(path, line) {
    show(path);
    editor.select(line);
  }

  /* Keys of the section under the cursor, or what its key is. */
  function help() {
    const path = editor.shown();
    const found = keys && /\.ini$/.test(path) ? keys(path === main ? "run" : "model", editor.text(path), editor.position()) : { told: [], offers: [] };
    const offer = ({ name, doc, insert }) => element("button", { textContent: name, title: doc || "", onclick: () => editor.insert(found.part.length, insert) });
    at("help").replaceChildren(...found.told.map((text) => element("p", { textContent: text })), ...found.offers.map(offer));
  }

  /* ---- while typing: is the run file right? ---- */

  let timer = 0;
  function later() {
    clearTimeout(timer);
    timer = setTimeout(look, 400);
  }
  let looking = false;
  async function look() {
    keep();
    drawTabs();
    if (busy || looking || points.busy()) return later();
    looking = true;
    let right = false;
    mayCancel();
    try {
      writeFiles();
      const of = main;
      const about = await ask("look", { path: of });
      editor.mark(about.warnings.flatMap((w) => window.mbopt_messages(w, true)));
      right = true;
      const s = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
      state(`${nameOf(of)}: ${s(about.variables, "variable")}, ${s(about.objectives, "objective")}, ${s(about.constraints, "constraint")}${about.warnings.map((w) => `; ${w}`).join("")}`);
    } catch (e) {
      editor.mark(window.mbopt_messages(e.message, false));
      state(e.message, true);
      if (e.broken) anew(e.message);
    }
    if (right && !at("picture").hidden) await draw();
    looking = false;
    mayCancel();
    document.dispatchEvent(new CustomEvent("mbopt-looked", { detail: picture }));
  }

  /* ---- the picture, in a frame that says when it is ready, and its points ---- */

  let picture = null; /* what it shows, as the last message to it */
  const post = (message) => at("picture").contentWindow.postMessage(message, "*");
  const points = self.mbopt_points({
    text: textOf, resolve, ask, go,
    replace(changes) {
      if (!(editor.shown() in changes)) show(Object.keys(changes)[0]);
      editor.replace(changes);
    },
    main: () => main,
    files: () => filesOf(main).all.filter((path) => /\.ini$/.test(path)),
    busy: () => busy,
    touch: outdated,
    undo: (again) => editor.undo(again),
    look: () => {
      clearTimeout(timer);
      look();
    },
    show(place, described, changes) {
      picture = { place, points: described, held: true };
      state(place.apart || changes.map((c) => `${c.called} = ${c.text}`).join(", ") || "unchanged", Boolean(place.apart));
      post(picture);
      document.dispatchEvent(new CustomEvent("mbopt-placed", { detail: picture }));
    },
    turned(motion) {
      post({ turned: motion });
      document.dispatchEvent(new CustomEvent("mbopt-turned", { detail: motion }));
    },
    failed(e) {
      state(e.message, true);
      post({ told: e.message, bad: true });
      if (e.broken) anew(e.message);
      document.dispatchEvent(new CustomEvent("mbopt-placed", { detail: { failed: e.message } }));
    },
  });
  async function draw() {
    if (!at("picture").srcdoc) at("picture").srcdoc = await window.mbopt_packed("drawing");
    try {
      writeFiles();
      const seen = edits;
      const place = await ask("place", { path: main });
      if (seen !== edits) return later();
      if (place.apart) state(place.apart, true);
      picture = { place, points: points.describe(place), held: false };
      post(picture);
    } catch (e) {
      state(e.message, true);
      post({ told: e.message, bad: true });
      if (e.broken) anew(e.message);
    }
  }

  /* ---- commands ---- */

  const commands = [
    ["Simulate", "simulate", true, "the cases of the run file at its start values, with a report"],
    ["Optimize", "optimize", true, "minimize its objectives, with a report"],
    ["Compare", "compare", false, "optimizers that are built in, one after the other: objective, simulations, time"],
    ["Fit", "fit", true, "optimize, with intervals of the estimates and what the data leave open"],
    ["Gradient", "gradient", false, "objectives, constraints and their gradients"],
    ["Check", "check", false, "the gradient beside the complex step, differences and a Taylor test"],
    ["Linearize", "linearize", false, "eigenvalues of small motions about the start"],
    ["Model", "model", true, "explain the mechanism: joints, tree, constraints, freedoms, with a page"],
  ];
  let busy = false;
  let page = "";
  let optimum = null; /* { path of the run file, design: { name: value } } */

  const mayCancel = () => (at("cancel").disabled = !busy && !looking);
  function setBusy(on) {
    busy = on;
    at("commands").querySelectorAll("button").forEach((b) => (b.disabled = on));
    at("runs").disabled = on;
    mayCancel();
  }

  function view(which) {
    const texts = [["text", "Text"], ["page", "Report"], ["picture", "Picture"]];
    texts.forEach(([id]) => (at(id).hidden = id !== which));
    const tab = ([id, name]) => {
      const t = element("button", { textContent: name, disabled: id === "page" && !page, onclick: () => view(id) });
      t.setAttribute("role", "tab");
      t.setAttribute("aria-selected", id === which);
      return t;
    };
    if (which === "picture") look();
    at("views").replaceChildren(...texts.map(tab), element("button", { textContent: "Save report", disabled: !page, onclick: () => saveText("report.html", "text/html", page) }),
      element("button", { textContent: "Start from optimum", title: "write the optimum as start into the run file", disabled: !optimum, onclick: startFromOptimum }));
  }
  async function startFromOptimum() {
    const { path, design } = optimum;
    if (textOf(path) === undefined) return tell(`${path} is no longer there`, true);
    const made = await ask("start", { text: textOf(path), design }).catch((e) => tell(e.message, true));
    if (!made) return;
    setText(path, made.text);
    show(path);
    if (made.left.length) tell(`the start of ${made.left.join(", ")} stays: control points of curves stand in the model`);
    later();
  }

  async function run(word, writes) {
    const of = main; /* a link may bring another meanwhile */
    setBusy(true);
    at("text").replaceChildren();
    view("text");
    tell(`mbopt ${word} ${of}`);
    at("text").lastChild.className = "said";
    let code = null;
    const begun = performance.now();
    let first = null;
    try {
      writeFiles();
      state(`${word} …`);
      const done = await ask("command", { words: word === "model" ? [word, of, "--format", "html"] : [word, of], folder: writes ? `/out/${word}` : "" }, (line, bad) => {
        tell(line, bad && /(error|warning): /.test(line)); /* progress is also there */
        first = first || (bad && /error: /.test(line) && window.mbopt_places(line)[0]);
      });
      code = done.code;
      if (done.optimum) optimum = { path: of, design: done.optimum };
      state(`${word}: ${code === 0 ? "done" : `ended with code ${code}`} after ${((performance.now() - begun) / 1000).toFixed(1)} s`, code !== 0);
      if (done.page) {
        page = done.page;
        at("page").srcdoc = page;
        view("page");
      }
      if (first && textOf(first.path) !== undefined) go(first.path, first.line);
    } catch (e) {
      tell(e.message, true);
      state(`${word}: ${e.message}`, true);
      if (e.broken) await anew(e.message);
    }
    setBusy(false);
    document.dispatchEvent(new CustomEvent("mbopt-ran", { detail: { word, code } }));
  }

  /* ---- choosing, opening, saving ---- */

  function drawRuns() {
    const option = (path, name, told) => element("option", { value: path, textContent: name, title: told || "", selected: path === main });
    const group = (label, list) => (list.length ? [element("optgroup", { label }, list)] : []);
    const own = [...changed.keys()].filter((path) => !shipped.has(path) && isRun(changed.get(path)));
    const configs = [...shipped.keys()].filter((path) => folderOf(path) === "/configs" && isRun(shipped.get(path)));
    at("runs").replaceChildren(...group("own", own.map((p) => option(p, nameOf(p)))), ...group("problems", configs.map((p) => option(p, nameOf(p).slice(0, -4)))),
      ...group("new", templates.map(([name, told]) => option(`new ${name}`, name, told))));
  }
  let templates = [];

  function choose(path) {
    main = path;
    const comment = /^;.*(\n;.*)*/.exec(textOf(path));
    at("about").textContent = comment ? comment[0].split("\n").map((line) => line.replace(/^;\s*/, "")).filter((line) => !line.startsWith("mbopt ")).join(" ") : "";
    drawRuns();
    show(path);
    look();
  }

  /* Files that `new` or `import` has written. */
  async function make(words, folder) {
    setBusy(true);
    try {
      writeFiles();
      const done = await ask("make", { words, folder });
      tell(`mbopt ${words.join(" ")}`);
      if (done.out) tell(done.out);
      if (done.err) tell(done.err, true);
      view("text");
      const files = Object.entries(done.files);
      files.forEach(([path, text]) => setText(path, text));
      const first = files.find(([, text]) => isRun(text)) || files[0];
      if (first) main = first[0];
    } catch (e) {
      tell(e.message, true);
      if (e.broken) await anew(e.message);
    }
    setBusy(false);
    choose(main);
  }

  const isRobot = (name, text) => /\.(urdf|sdf|mjcf)$/i.test(name) || (/\.xml$/i.test(name) && /<(mujoco|robot|sdf)\b/.test(text));

  async function take(list) {
    if (busy) return tell("a command is running: files are taken when it has ended", true);
    const files = [];
    for (const file of list) {
      if (file.size > MOST) tell(`${file.name} has ${(file.size / 1048576).toFixed(1)} MiB: files of more than ${MOST >> 20} MiB are not taken`, true);
      else files.push([file.name.replace(/[^\w.+-]/g, "_").replace(/^\.+/, "_"), await file.text()]);
    }
    /* The run file first: it names the places of the others. */
    files.sort((a, b) => isRun(b[1]) - isRun(a[1]));
    for (const [name, text] of files) {
      if (isRobot(name, text)) {
        const folder = `/import/${name.replace(/\.\w+$/, "")}`;
        setText(`/import/${name}`, text);
        await make(["import", `/import/${name}`, folder], folder);
        continue;
      }
      const { all, missing } = filesOf(main);
      const path = (/\.ini$/.test(name) && isRun(text) ? null : [...missing, ...all].find((p) => nameOf(p) === name)) || `${folderOf(main)}/${name}`;
      setText(path, text);
      tell(`${name} is ${path}`);
      if (isRun(text) && /\.ini$/.test(name)) choose(path);
      else {
        show(path);
        later();
      }
    }
  }

  async function share() {
    await keep();
    const link = location.href.replace(/#.*/, "") + kept;
    view("text");
    if (kept.length >= LONGEST) return tell(`the files are too large for a link: packed ${(kept.length / 1e6).toFixed(1)} MB, expected at most ${LONGEST / 1e6}; save them and send them instead`, true);
    tell(`the link, ${link.length} characters, with ${changed.size} file${changed.size === 1 ? "" : "s"}${link.length > 8000 ? "; some programs cut such long ones: send the files instead" : ""}:`);
    tell(link);
    if (navigator.clipboard) navigator.clipboard.writeText(link).then(() => state("the link is in the clipboard"), () => {});
  }

  /* ---- start ---- */

  function wire() {
    commands.forEach(([name, word, writes, title]) => at("commands").append(element("button", { textContent: name, title, disabled: true, onclick: () => run(word, writes) }), " "));
    at("cancel").onclick = () => anew("stopped");
    at("runs").onchange = () => {
      const [word, name] = at("runs").value.split(" ");
      if (name) make(["new", name, `/new/${name}`], `/new/${name}`);
      else choose(word);
    };
    at("open").onclick = () => at("chosen").click();
    at("chosen").onchange = () => take(at("chosen").files);
    at("save").onclick = () => saveText(nameOf(editor.shown()), "text/plain", textOf(editor.shown()));
    at("share").onclick = share;
    addEventListener("dragover", (e) => {
      e.preventDefault();
      document.body.classList.add("over");
    });
    addEventListener("dragleave", () => document.body.classList.remove("over"));
    addEventListener("drop", (e) => {
      e.preventDefault();
      document.body.classList.remove("over");
      take(e.dataTransfer.files);
    });
    addEventListener("beforeunload", (e) => kept.length >= LONGEST && e.preventDefault()); /* else the address has the files */
    addEventListener("message", (e) => {
      if (e.source !== at("picture").contentWindow) return;
      if (e.data !== "ready") points.take(e.data);
      else if (picture) post(picture);
    });
    addEventListener("hashchange", async () => {
      if (location.hash === kept) return;
      await takeHash();
      choose(main);
    });
  }

  async function start() {
    view("text");
    await unpack();
    wire();
    await takeHash();
    const about = await begin();
    keys = about.keys;
    templates = about.templates.split("\n").map((line) => /^(\w+) {2,}(.*)/.exec(line)).filter(Boolean).map((m) => [m[1], m[2]]);
    at("cancel").title += `; mbopt ${about.version}`;
    setBusy(false);
    choose(main);
  }
  start().catch((e) => state(`the engine does not start: ${e.message}`, true));
})();
