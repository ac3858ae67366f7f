// What pages of scripts/web are made of: files of the project, packed by gzip in base64, the editor, and a policy that names scripts and styles by their hashes.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

export const root = path.join(path.dirname(process.argv[1]), "..");
const folder = process.argv[2]; // of the built pages
export const read = (name) => fs.readFileSync(path.join(root, name), "utf8");
const built = (name) => fs.readFileSync(path.join(folder, name));
export const packed = (data) => zlib.gzipSync(data, { level: 9 }).toString("base64");
export const filled = (template, parts) => template.replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
export const asset = (name) => read(`opt/report/assets/${name}`);
// Debian's libjs-codemirror; what its dialogs have as attributes `style` is in common.css.
const codemirror = (name) => fs.readFileSync(path.join("/usr/share/javascript/codemirror", name), "utf8").replaceAll(/ style="[^"]*"/g, "");

// The program, and all run and model files with the tables that they read.
const files = {};
for (const top of ["configs", "problems"])
  for (const name of fs.readdirSync(path.join(root, top), { recursive: true }).sort())
    if (/\.(ini|csv|tir|urdf|xml)$/.test(name)) files[`/${top}/${name}`] = read(path.join(top, name));

// What all pages have, with the style of one in web/.
export const parts = (style) => ({
  STYLE: [...["lib/codemirror", "addon/dialog/dialog", "addon/hint/show-hint", "addon/lint/lint"].map((name) => codemirror(`${name}.css`)),
    read("web/playground/common.css"), read(`web/${style}`)].join("\n"),
  EDITOR: [read("web/playground/codemirror.txt"), ...["lib/codemirror", "mode/properties/properties", "addon/edit/matchbrackets", "addon/dialog/dialog", "addon/search/searchcursor",
    "addon/search/search", "addon/search/jump-to-line", "addon/hint/show-hint", "addon/lint/lint"].map((name) => codemirror(`${name}.js`))].join("\n"),
  SHARED: [...["common.js", "engine.js"].map(asset), ...["worker.js", "editor.js", "keys.js"].map((name) => read(`web/playground/${name}`))].join("\n"),
  PROGRAM: packed(Buffer.concat([built("engine.js"), Buffer.from("\n"), built("mbopt.js")])),
  WASM: packed(built("engine.wasm")),
  FILES: packed(JSON.stringify(files)),
});

const hashesOf = (page, element) => [...page.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, "g"))].map((m) => crypto.createHash("sha256").update(m[1]).digest("base64"));
// Those of reports, which are shown in frames and have their scripts and styles from the program.
const reports = (kind) => ["assets", "dygraphs"].flatMap((name) => [...read(`build/engine/generated/${name}.c`).matchAll(new RegExp(`_${kind} = {\\w+, "([\\w+/]{43}=)"`, "g"))].map((m) => m[1]));

// Writes the page, which has its own scripts and styles, those of reports and of pages that it shows in frames (`others`), and no more.
export function write(name, template, content, others = []) {
  const page = filled(read(template), { POLICY: "@POLICY@", ...content });
  const allowed = (element, kind) => [page, ...others].flatMap((p) => hashesOf(p, element)).concat(reports(kind)).map((hash) => `'sha256-${hash}'`).join(" ");
  const policy = `default-src 'none'; script-src ${allowed("script", "js")} 'wasm-unsafe-eval'; worker-src blob:; style-src ${allowed("style", "css")}; img-src data: blob:; ` +
    "media-src blob:; font-src data:; base-uri 'none'; form-action 'none'";
  fs.writeFileSync(path.join(folder, name), page.replace("@POLICY@", policy));
}
