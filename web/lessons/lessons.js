/* The lessons: each is an article, one of which is shown; its files are in editors, its commands have buttons. What the blocks are, is said in web/lessons.mjs:
 *   data-path   a file, or the next part of it; data-shipped: one of mbopt, whose text is not in the page twice
 *   data-run    { runs: words of each run, tail: only so many of the last lines of each, 0: all }
 *   data-made   { path: text }: files of a command that is not run here; they are there for all commands below it */
(function () {
  "use strict";

  const { element } = window.mbopt_common;
  const at = (id) => document.getElementById(id);
  const parts = new Map(); /* of the files that the lessons give: path -> [a function that gives the text of the part] */
  const made = new Map(); /* by commands that are not run here */
  const editors = []; /* { path, editor, from: a function that gives the number of lines before it } */

  const textOf = (path) => (parts.has(path) ? parts.get(path).map((part) => part()).join("") : made.has(path) ? made.get(path) : shipped.get(path));
  const worker = window.mbopt_worker({ paths: () => [...parts.keys(), ...made.keys()], textOf, failed: (text) => state(text, true) });
  const { shipped } = worker;
  let keys = null; /* keys.js, once the engine has told the schema */

  function state(text, bad) {
    at("state").textContent = at("state").title = text;
    at("state").className = bad ? "bad" : "";
  }

  /* ---- files ---- */

  function makeEditor(box) {
    const { path } = box.dataset;
    const head = box.firstElementChild;
    const before = box.querySelector("pre") ? box.querySelector("pre").textContent : shipped.get(path);
    const others = parts.get(path) || [];
    const from = () => others.slice(0, others.indexOf(text)).reduce((n, part) => n + part().split("\n").length - 1, 0);
    const back = element("button", { textContent: "As before", title: "the text of the lesson", hidden: true, onclick: () => editor.set(path, before) });
    if (box.querySelector("pre")) box.querySelector("pre").remove();
    const editor = window.mbopt_editor(box, { textOf: () => before, offers: (_, now, position) => keys && keys(window.mbopt_is_run(textOf(path)) ? "run" : "model", now, position) });
    const text = () => editor.text(path);
    editor.show(path);
    editor.onChange(() => {
      back.hidden = text() === before;
      worker.changed(path);
      later(path);
    });
    head.append(back);
    /* From now on the part is what stands in the editor. */
    const index = Number(box.dataset.part);
    others[index] = text;
    parts.set(path, others);
    editors.push({ path, editor, from });
  }
  /* Editors have no size as long as their article is hidden: they are made with the first look at it. */
  const makeEditors = (article) =>
    article.querySelectorAll(".file:not(.made)").forEach((box) => {
      const make = () => box.classList.contains("made") || (box.classList.add("made"), makeEditor(box));
      if (box.localName === "details") box.addEventListener("toggle", make);
      else make();
    });

  /* Messages at their lines, in the editors. */
  function mark(messages) {
    editors.forEach(({ path, editor, from }) => editor.mark(messages.map((m) => ({ ...m, line: m.path === path ? m.line - from() : 0 }))));
  }

  /* While one types: is the run file right that this is, or that reads it? */
  let timer = 0;
  function later(path) {
    clearTimeout(timer);
    timer = setTimeout(() => look(path), 400);
  }
  async function look(path) {
    const of = [path, ...parts.keys()].find((p) => window.mbopt_is_run(textOf(p)) && (p === path || textOf(p).includes(path.slice(path.lastIndexOf("/") + 1))));
    if (!of || !keys) return;
    if (busy) return later(path);
    try {
      worker.write();
      const { warnings } = await worker.ask("look", { path: of });
      mark(warnings.flatMap((text) => window.mbopt_messages(text, true)));
      state(warnings[0] || `${of.slice(1)}: nothing wrong`);
    } catch (e) {
      mark(window.mbopt_messages(e.message, false));
      state(e.message, true);
      if (e.broken) await worker.anew(e.message);
    }
    document.dispatchEvent(new CustomEvent("mbopt-looked"));
  }

  /* ---- commands ---- */

  let busy = null; /* the command that runs */
  const buttons = () => document.querySelectorAll(".command > p button");

  /* The files of all commands before this one that are not run here, the last ones where several make the same. */
  function makeFiles(box) {
    for (const other of box.closest("article").querySelectorAll("[data-made]")) {
      if (!(other.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      Object.entries(JSON.parse(other.dataset.made)).forEach(([path, text]) => {
        made.set(path, text);
        worker.changed(path);
      });
    }
  }
  /* The place of the output; what the lesson prints is folded. */
  function outputOf(box) {
    const printed = box.querySelector(":scope > .printed");
    if (printed) {
      const folded = element("details", {}, [element("summary", { textContent: "as printed in the lesson" })]);
      printed.replaceWith(folded);
      folded.append(printed);
    }
    box.querySelectorAll(":scope > .output, :scope > iframe").forEach((e) => e.remove());
    const output = element("pre", { className: "output", tabIndex: 0 });
    box.querySelector(":scope > p").after(output);
    return output;
  }
  async function run(box) {
    const { runs, tail } = JSON.parse(box.dataset.run);
    const output = outputOf(box);
    const lines = [];
    let done = { code: null };
    const begun = performance.now();
    busy = box;
    buttons().forEach((b) => (b.disabled = b.parentElement.parentElement !== box));
    box.querySelector("p button").textContent = "Stop";
    const tell = (line, bad) => {
      lines.push(line);
      output.append(element("p", { textContent: line, className: bad && /(error|warning): /.test(line) ? "bad" : "" }));
      output.scrollTop = output.scrollHeight;
    };
    try {
      makeFiles(box);
      worker.write();
      for (const words of runs) {
        state(`mbopt ${words.join(" ")}`);
        const own = [];
        done = await worker.ask("command", { words, folder: "" }, (line, bad) => (tail ? own.push([line, bad]) : tell(line, bad)));
        own.slice(-tail).forEach(([line, bad]) => tell(line, bad));
      }
      state(`${done.code === 0 ? "done" : `ended with code ${done.code}`} after ${((performance.now() - begun) / 1000).toFixed(1)} s`, done.code !== 0);
      if (done.page) {
        const frame = element("iframe", { title: "report", srcdoc: done.page });
        frame.setAttribute("sandbox", "allow-scripts allow-downloads");
        output.after(frame);
      }
    } catch (e) {
      tell(e.message, true);
      state(e.message, true);
      if (e.broken) await worker.anew(e.message);
    }
    mark(lines.filter((line) => /(error|warning): /.test(line)).flatMap((line) => window.mbopt_messages(line, !line.includes("error: "))));
    box.querySelector("p button").textContent = "Run again";
    buttons().forEach((b) => (b.disabled = false));
    busy = null;
    document.dispatchEvent(new CustomEvent("mbopt-ran", { detail: { code: done.code, text: lines.join("\n") } }));
  }
  function wire() {
    document.querySelectorAll("[data-run]").forEach((box) => {
      box.querySelector("p").append(element("button", { textContent: "Run", disabled: true, onclick: () => (busy ? worker.anew("stopped") : run(box)) }));
    });
    document.querySelectorAll(".file").forEach((box) => {
      const { path } = box.dataset;
      if (box.dataset.shipped) return;
      const text = box.querySelector("pre").textContent;
      if (!parts.has(path)) parts.set(path, []);
      box.dataset.part = parts.get(path).push(() => text) - 1;
    });
    document.querySelectorAll(".file[data-shipped]").forEach((box) => (box.dataset.part = 0));
  }

  /* ---- which article ---- */

  function show() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = at(id);
    const article = target && target.closest("article");
    document.querySelectorAll("main > *").forEach((e) => (e.hidden = e !== (article || at("index"))));
    document.querySelectorAll("#contents li").forEach((li) => li.classList.toggle("here", Boolean(article) && li.firstElementChild.hash === `#${article.id}`));
    at("contents").firstElementChild.open = matchMedia("(min-width: 901px)").matches;
    document.title = article ? `${article.querySelector("h1").textContent}: mbopt lessons` : "mbopt lessons";
    if (article) makeEditors(article);
    if (target && target !== article) target.scrollIntoView();
    else scrollTo(0, 0);
  }

  async function start() {
    wire();
    show();
    addEventListener("hashchange", show);
    await worker.unpack();
    const about = await worker.begin();
    keys = about.keys;
    buttons().forEach((b) => (b.disabled = false));
    state(`mbopt ${about.version}`);
    document.dispatchEvent(new CustomEvent("mbopt-begun"));
  }
  start().catch((e) => state(`the engine does not start: ${e.message}`, true));
})();
