// The lessons as one page, which needs no server: node web/lessons.mjs FOLDER puts lessons.html there. They are pages of docs/ and problems/, whose blocks are live:
//   ```ini FILE               a file, or a part of one, in an editor
//   ```console, ```sh         "$ mbopt ...", in blocks without "$ " each line "mbopt ...", has a button; the lines below it are what the page prints
// Files that commands name and the page does not give are editors, too. Commands that only make files, by sed and printf, are run here: the page has their files.
import child from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { parts, read, root, write } from "./pages.mjs";

const { marked } = createRequire(import.meta.url)("/usr/share/nodejs/marked"); // Debian: node-marked
const LESSONS = ["docs/lesson_gradient.md", "docs/lesson_motions.md", "docs/my_own_mechanism.md", "docs/design_a_four_bar.md", "problems/four_bar_path/README.md", "docs/balancing.md",
  "problems/slider_crank/README.md", "docs/quarter_car.md", "docs/tune_a_suspension.md"];
const ELSEWHERE = /^mbopt (sweep|multistart|pareto|compare|resume|work)\b|_sweep\b/; // other processes, which a page cannot have
const nameOf = (source) => (source.endsWith("README.md") ? path.basename(path.dirname(source)) : path.basename(source, ".md"));

const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const json = (data) => escaped(JSON.stringify(data));
const element = (name, attributes, content) => `<${name}${Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`).join("")}>${content}</${name}>`;

// The words of a command, as a shell has them: quotes go, "# ..." is a remark.
const wordsOf = (text) => [...text.replace(/\s+#\s.*$/, "").matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/["']/g, ""));
// { runs: words of each run, tail: only so many last lines of each } or null where it is no command of mbopt that a page can run.
function runsOf(text) {
  const loop = /^for (\w+) in (.*?); do (mbopt .*?)(?: \| tail -n (\d+))?; done$/.exec(text);
  if (loop) return { runs: loop[2].split(" ").map((value) => wordsOf(loop[3].replaceAll(`$${loop[1]}`, value)).slice(1)), tail: Number(loop[4]) };
  return /^mbopt /.test(text) && !ELSEWHERE.test(text) ? { runs: [wordsOf(text).slice(1)], tail: 0 } : null;
}

// A page as { name, title, lead, sections: [[id, title]], commands: how many, html }.
function lessonOf(source) {
  const name = nameOf(source);
  const place = (href) => path.normalize(path.join(path.dirname(source), href));
  const lesson = { name, title: "", lead: "", sections: [], commands: 0 };
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), "lesson-"));
  const texts = new Map(); // of its blocks ```ini FILE
  const given = new Set(); // files that have an editor
  for (const top of ["configs", "problems"]) fs.cpSync(path.join(root, top), path.join(tree, top), { recursive: true });
  const begun = new Set();

  const ini = (file, code) => {
    const first = !begun.has(file);
    begun.add(file);
    return element("div", { class: "file", "data-path": `/${file}` }, `<p>${escaped(file)}${first ? "" : ", further below"}</p><pre>${escaped(code)}\n</pre>`);
  };
  // The run file of a command and its model, where the page does not give them.
  const shipped = (words) => {
    const run = words.find((word) => /\.ini$/.test(word) && !word.includes("="));
    if (!run || !fs.existsSync(path.join(root, run))) return "";
    const model = /^\[model\][^[]*?^file\s*=\s*(\S+)/m.exec(read(run));
    return [run, ...(model ? [path.join(path.dirname(run), model[1])] : [])].filter((file) => !given.has(file)).map((file) => {
      given.add(file);
      return element("details", { class: "file", "data-path": `/${file}`, "data-shipped": true }, `<summary>${escaped(file)}</summary>`);
    }).join("");
  };
  // Files that a command of the shell makes.
  const made = (text) => {
    const file = />>?(\S+)$/.exec(text)[1];
    child.execFileSync("bash", ["-c", text], { cwd: tree });
    return { [`/${file}`]: fs.readFileSync(path.join(tree, file), "utf8") };
  };
  const command = (text, printed) => {
    const run = runsOf(text);
    const shell = !run && /^(sed|printf) .*>\S+$/.test(text);
    lesson.commands += Boolean(run);
    const attributes = { class: "command", ...(run && { "data-run": JSON.stringify(run) }), ...(shell && { "data-made": JSON.stringify(made(text)) }) };
    const note = shell ? "<small>done here: the page has this file as it is made from the text above</small>" : run ? "" : "<small>for an mbopt that is installed: a page has no other processes</small>";
    return (run ? run.runs.map(shipped).join("") : "") + element("div", attributes, `<p><code>${escaped(text)}</code></p>${note}${printed ? `<pre class="printed">${escaped(printed)}</pre>` : ""}`);
  };
  const consoleBlock = (code) => {
    const lines = code.replaceAll("\\\n", "").split("\n");
    const begins = lines.some((line) => line.startsWith("$ ")) ? /^\$ / : /^(?=mbopt )/;
    const commands = [];
    for (const line of lines) {
      if (begins.test(line)) commands.push([line.replace(begins, ""), []]);
      else if (commands.length) commands[commands.length - 1][1].push(line);
    }
    return commands.map(([text, printed]) => command(text, printed.join("\n").trimEnd())).join("");
  };

  const renderer = {
    code(code, info) {
      const [kind, file] = (info || "").split(" ");
      if (kind === "ini" && file) return ini(file, code);
      if (kind === "console" || kind === "sh") return consoleBlock(code);
      return `<pre class="text">${escaped(code)}</pre>`;
    },
    heading(text, level, raw, slugger) {
      const anchor = slugger.slug(raw);
      if (level === 1) {
        lesson.title = text;
        return `<h1>${text}</h1>`;
      }
      if (level === 2) lesson.sections.push([`${name}--${anchor}`, text]);
      return element(`h${level}`, { id: `${name}--${anchor}` }, text);
    },
    paragraph(text) {
      lesson.lead = lesson.lead || text.replace(/<[^>]+>/g, "");
      return `<p>${text}</p>`;
    },
    table: (head, body) => `<div class="table"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`,
    // What is elsewhere in the repository has no link: the page stands alone.
    link(href, _, text) {
      if (/^https?:/.test(href)) return element("a", { href, rel: "noreferrer" }, text);
      const [file, anchor] = href.split("#");
      const other = file ? LESSONS.find((lesson) => lesson === place(file)) && nameOf(place(file)) : name;
      return other ? element("a", { href: `#${other}${anchor ? `--${anchor}` : ""}` }, text) : element("span", { class: "elsewhere", title: `${place(file)} of mbopt` }, text);
    },
    image(href, _, text) {
      const type = { ".svg": "image/svg+xml", ".png": "image/png" }[path.extname(href)];
      return element("img", { alt: text, src: `data:${type};base64,${fs.readFileSync(path.join(root, place(href))).toString("base64")}` }, "").replace("</img>", "");
    },
  };

  const text = read(source);
  const blocks = text.matchAll(/^```ini (\S+)\n([^]*?)^```$/gm); // all are there before the first command
  for (const [, file, part] of blocks) texts.set(file, (texts.get(file) || "") + part);
  texts.forEach((content, file) => {
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    fs.writeFileSync(path.join(tree, file), content);
    given.add(file);
  });
  marked.use({ renderer });
  lesson.html = marked.parse(text);
  fs.rmSync(tree, { recursive: true });
  return lesson;
}

const lessons = LESSONS.map(lessonOf);
const links = lessons.map((l) => `<li>${element("a", { href: `#${l.name}` }, l.title)}<ul>${l.sections.map(([id, text]) => `<li>${element("a", { href: `#${id}` }, text)}</li>`).join("")}</ul></li>`);
const cards = lessons.map((l, i) => `<li>${element("a", { href: `#${l.name}` }, `<strong>${i + 1}. ${l.title}</strong><span>${l.lead}</span><small>${l.commands} commands</small>`)}</li>`);
const around = (i) => [[lessons[i - 1], "← ", ""], [lessons[i + 1], "", " →"]].map(([l, before, after]) => (l ? element("a", { href: `#${l.name}` }, before + l.title + after) : "<span></span>")).join("");
const content = {
  ...parts("lessons/lessons.css"),
  SCRIPT: read("web/lessons/lessons.js"),
  LINKS: links.join("\n"),
  CARDS: cards.join("\n"),
  LESSONS: lessons.map((l, i) => element("article", { id: l.name, hidden: "" }, `${l.html}<nav class="around">${around(i)}</nav>`)).join("\n"),
};
write("lessons.html", "web/lessons/index.html", content);
