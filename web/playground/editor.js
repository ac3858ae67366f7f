/* Files in an editor, which is CodeMirror: mbopt_editor(container, { textOf, offers }) shows one file at a time. `textOf(path)` is the text of a file that the
 * editor does not have yet; `offers(path, text, position)` is what can stand there (keys.js), null where nothing is known. Positions are numbers of characters.
 *   text(path)                   the text as it is now
 *   replace(changes)             { path: [[from, to, text], ...] in the text before }, as one step of undo of all these files
 *   set(path, text)              another text, as one step of undo
 *   undo(again)                  takes the last step of the file that is shown back; again: the last that was taken back is done
 *   onChange(f), onCursor(f)     f(path) after each change of a text, whoever makes it; f() where the cursor has moved
 *   show(path), shown()          the file that is shown
 *   position(), insert(n, text)  of the cursor; text in place of the n characters before it
 *   select(line)                 selects a line of the file that is shown, from 1
 *   mark(messages)               [{ path, line, text, warning }] are all messages that there are: their lines, and in them what the texts name, are marked
 * mbopt_messages(text, warning) are those of a text of the program, which has FILE:LINE: of each; mbopt_places(text) are these, [{ from, to, path, line }]. */
(function () {
  "use strict";

  const { CodeMirror } = window;
  CodeMirror.commands.undo = (cm) => cm.state.mbopt_undo(false);
  CodeMirror.commands.redo = (cm) => cm.state.mbopt_undo(true);

  /* Where two texts differ: [from, to in the first, to in the second]. */
  function difference(a, b) {
    const most = Math.min(a.length, b.length);
    let from = 0;
    while (from < most && a[from] === b[from]) from++;
    let same = 0;
    while (same < most - from && a[a.length - 1 - same] === b[b.length - 1 - same]) same++;
    return [from, a.length - same, b.length - same];
  }

  /* What a message is about in its line: the first name in quotes that stands there, else all of the line. */
  function partOf(line, text) {
    for (const [, name] of text.matchAll(/'([^']+)'/g)) {
      const from = line.search(new RegExp(`(?<![\\w.])${name.replace(/[^\w]/g, "\\$&")}(?![\\w.])`));
      if (from >= 0) return [from, from + name.length];
    }
    return [line.search(/\S|$/), line.length];
  }

  /* They name a model file from the folder of the run file, /configs/../problems/... */
  window.mbopt_places = (text) =>
    [...text.matchAll(/([\w./+-]+\.\w+):(\d+)(?=:)/g)].map((m) => ({ from: m.index, to: m.index + m[0].length, path: new URL(m[1], "file:///").pathname, line: Number(m[2]) }));

  window.mbopt_messages = function (text, warning) {
    const places = window.mbopt_places(text);
    const near = /; line (\d+) has '/.exec(text); /* beside what is missing, that is perhaps what was meant */
    if (near && places.length) places.push({ path: places[0].path, line: Number(near[1]) });
    return places.map((place) => ({ ...place, text, warning }));
  };

  /* Remarks behind values, which the mode of CodeMirror does not know. */
  const remarks = {
    token(stream) {
      if (stream.match(stream.sol() ? /^\s*;/ : /^\s+;/)) {
        stream.skipToEnd();
        return "comment";
      }
      stream.next();
      return null;
    },
  };

  window.mbopt_editor = function (container, { textOf, offers }) {
    const docs = new Map();
    const told = { change: [], cursor: [] };
    let path = "";
    let steps = 0;
    const shared = []; /* steps of several files: { path: generations [before, after] of CodeMirror, which tell the states of a text apart } */
    let messages = [];

    const found = (position) => offers(path, cm.getValue(), position);
    function hint() {
      const cursor = cm.getCursor();
      const { offers: list, part } = found(cm.indexFromPos(cursor)) || { offers: [], part: "" };
      const render = (item, _, { displayText, doc }) => {
        const about = document.createElement("small");
        about.textContent = doc;
        item.append(displayText, about);
      };
      return { list: list.map(({ name, doc, insert }) => ({ text: insert, displayText: name, doc: doc || "", render })), from: { line: cursor.line, ch: cursor.ch - part.length }, to: cursor };
    }
    const annotations = () =>
      messages.filter((m) => m.path === path && m.line >= 1 && m.line <= cm.lineCount()).map((m) => {
        const line = m.line - 1;
        const [from, to] = partOf(cm.getLine(line), m.text);
        return { from: { line, ch: from }, to: { line, ch: to }, message: m.text, severity: m.warning ? "warning" : "error" };
      });

    const cm = CodeMirror(container, {
      lineNumbers: true,
      matchBrackets: true,
      gutters: ["CodeMirror-linenumbers", "CodeMirror-lint-markers"],
      lint: { getAnnotations: annotations, lintOnChange: false, highlightLines: true },
      hintOptions: { hint, completeSingle: false },
      extraKeys: { "Ctrl-Space": () => cm.showHint({ completeSingle: true }), Tab: false, "Shift-Tab": false }, /* Tab leaves the editor */
    });
    const changed = (which) => told.change.forEach((f) => f(which));
    cm.on("changes", () => changed(path));
    cm.on("cursorActivity", () => told.cursor.forEach((f) => f()));
    cm.on("inputRead", (_, { text }) => text.length === 1 && /[\w[.]$/.test(text[0]) && !cm.state.completionActive && cm.showHint());
    /* What a key is, where the mouse is over it. */
    cm.getScrollerElement().addEventListener("mousemove", (e) => {
      const { line, ch } = cm.coordsChar({ left: e.clientX, top: e.clientY }, "window");
      const text = cm.getLine(line) || "";
      const key = /^\s*[\w.]+\s*(?==)/.exec(text);
      const about = key && ch <= key[0].length ? found(cm.indexFromPos({ line, ch: text.length })) : null;
      cm.getScrollerElement().title = about ? about.told.join("\n") : "";
    });

    function docOf(which) {
      if (!docs.has(which)) docs.set(which, CodeMirror.Doc(textOf(which), /\.ini$/.test(which) ? "properties" : null));
      return docs.get(which);
    }
    const generationOf = (which) => docOf(which).changeGeneration(true);
    function replace(changes) {
      const origin = `*${++steps}`; /* which joins the changes of a text */
      const one = {};
      Object.entries(changes).forEach(([which, edits]) => {
        const doc = docOf(which);
        const from_the_end = [...edits].sort((a, b) => b[0] - a[0]);
        const act = () => from_the_end.forEach(([from, to, text]) => doc.replaceRange(text, doc.posFromIndex(from), doc.posFromIndex(to), origin));
        one[which] = [generationOf(which)];
        if (which === path) cm.operation(act);
        else act();
        one[which].push(generationOf(which));
        if (which !== path) changed(which);
      });
      if (Object.keys(one).length > 1) shared.push(one);
    }
    /* The other files of a step go with it, unless they have changed since. */
    function undo(again) {
      const move = (which, back) => docOf(which)[back ? "undo" : "redo"]();
      const [from, to] = again ? [0, 1] : [1, 0];
      const before = generationOf(path);
      move(path, !again);
      const one = shared.find((s) => s[path] && s[path][from] === before && s[path][to] === generationOf(path)) || {};
      Object.keys(one).filter((which) => which !== path && one[which][from] === generationOf(which)).forEach((which) => {
        move(which, !again);
        if (generationOf(which) !== one[which][to]) move(which, again);
        changed(which);
      });
    }
    cm.state.mbopt_undo = undo;
    const text = (which) => (docs.has(which) ? docs.get(which).getValue() : textOf(which));
    return {
      text,
      replace,
      set(which, to) {
        const now = text(which);
        if (!docs.has(which) || now === to) return;
        const [from, end, last] = difference(now, to);
        replace({ [which]: [[from, end, to.slice(from, last)]] });
      },
      undo,
      onChange: (f) => told.change.push(f),
      onCursor: (f) => told.cursor.push(f),
      show(which) {
        if (which === path) return;
        path = which;
        cm.swapDoc(docOf(which));
        cm.removeOverlay(remarks);
        if (/\.ini$/.test(which)) cm.addOverlay(remarks, { opaque: true });
        cm.setOption("screenReaderLabel", which);
        cm.performLint();
      },
      shown: () => path,
      position: () => cm.indexFromPos(cm.getCursor()),
      insert(n, given) {
        const { line, ch } = cm.getCursor();
        cm.replaceRange(given, { line, ch: ch - n }, { line, ch });
        cm.focus();
      },
      select(line) {
        cm.focus();
        cm.setSelection({ line: line - 1, ch: 0 }, { line: line - 1 });
        cm.scrollIntoView({ line: line - 1, ch: 0 }, cm.getScrollInfo().clientHeight / 3);
      },
      mark(list) {
        messages = list;
        cm.performLint();
      },
    };
  };
})();
