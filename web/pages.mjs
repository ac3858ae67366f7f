// What pages of scripts/web are made of: files of the project, packed by gzip in base64, the editor, and a policy that names scripts by their hashes.
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
export const scripts = (...names) => names.map((name) => read(`web/playground/${name}`)).join("\n");

// The editor: Debian's libjs-codemirror.
const codemirror = (name) => fs.readFileSync(path.join("/usr/share/javascript/codemirror", name), "utf8");
export const editorStyle = ["lib/codemirror", "addon/dialog/dialog", "addon/hint/show-hint", "addon/lint/lint"].map((name) => codemirror(`${name}.css`)).join("\n");
export const editor = [
  read("web/playground/codemirror.txt"),
  ...["lib/codemirror", "mode/properties/properties", "addon/edit/matchbrackets", "addon/dialog/dialog", "addon/search/searchcursor", "addon/search/search",
    "addon/search/jump-to-line", "addon/hint/show-hint", "addon/lint/lint"].map((name) => codemirror(`${name}.js`)),
].join("\n");

// The program, and all run and model files with the tables that they read.
const files = {};
for (const top of ["configs", "problems"])
  for (const name of fs.readdirSync(path.join(root, top), { recursive: true }).sort())
    if (/\.(ini|csv|tir|urdf|xml)$/.test(name)) files[`/${top}/${name}`] = read(path.join(top, name));
export const engine = {
  PROGRAM: packed(Buffer.concat([built("engine.js"), Buffer.from("\n"), built("mbopt.js")])),
  WASM: packed(built("engine.wasm")),
  FILES: packed(JSON.stringify(files)),
};

const hashesOf = (page) => [...page.matchAll(/<script>([^]*?)<\/script>/g)].map((m) => crypto.createHash("sha256").update(m[1]).digest("base64"));
// Those of reports, which are shown in frames and have their scripts from the program.
const reports = ["assets", "dygraphs"].flatMap((name) => [...read(`build/engine/generated/${name}.c`).matchAll(/"([\w+/]{43}=)"/g)].map((m) => m[1]));

// Writes the page, which runs its own scripts, those of reports and of pages that it shows in frames (`others`), and nothing else.
export function write(name, template, parts, others = []) {
  const page = filled(read(template), { POLICY: "@POLICY@", ...parts });
  const allowed = [page, ...others].flatMap(hashesOf).concat(reports).map((hash) => `'sha256-${hash}'`).join(" ");
  const policy = `default-src 'none'; script-src ${allowed} 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; font-src data:; ` +
    "base-uri 'none'; form-action 'none'";
  fs.writeFileSync(path.join(folder, name), page.replace("@POLICY@", policy));
}
