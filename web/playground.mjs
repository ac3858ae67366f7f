// The playground as one page, which needs no server: node web/playground.mjs FOLDER puts index.html beside the engine there. The program, its WebAssembly, the
// pictures of reports and all run and model files with the tables that they read are in it, packed by gzip in base64; beside them the editor, CodeMirror.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const root = path.join(path.dirname(process.argv[1]), "..");
const folder = process.argv[2];
const read = (name) => fs.readFileSync(path.join(root, name), "utf8");
const built = (name) => fs.readFileSync(path.join(folder, name));
const editor = (name) => fs.readFileSync(path.join("/usr/share/javascript/codemirror", name), "utf8"); // Debian: libjs-codemirror
const packed = (data) => zlib.gzipSync(data, { level: 9 }).toString("base64");

const files = {};
for (const top of ["configs", "problems"])
  for (const name of fs.readdirSync(path.join(root, top), { recursive: true }).sort())
    if (/\.(ini|csv|tir|urdf|xml)$/.test(name)) files[`/${top}/${name}`] = read(path.join(top, name));

const filled = (page, parts) => read(page).replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
const asset = (name) => read(`opt/report/assets/${name}`);
const picture = filled("web/playground/picture.html", {
  STYLE: asset("scene.css"),
  SCRIPT: ["vectors.js", "share.js", "shapes.js", "centres.js", "scene.js"].map(asset).join("\n"),
});
const page = filled("web/playground/index.html", {
  STYLE: [...["lib/codemirror", "addon/dialog/dialog", "addon/hint/show-hint", "addon/lint/lint"].map((name) => editor(`${name}.css`)), read("web/playground/playground.css")].join("\n"),
  EDITOR: [read("web/playground/codemirror.txt"), ...["lib/codemirror", "mode/properties/properties", "addon/edit/matchbrackets", "addon/dialog/dialog", "addon/search/searchcursor",
    "addon/search/search", "addon/search/jump-to-line", "addon/hint/show-hint", "addon/lint/lint"].map((name) => editor(`${name}.js`))].join("\n"),
  SCRIPT: ["editor.js", "keys.js", "playground.js"].map((name) => read(`web/playground/${name}`)).join("\n"),
  PROGRAM: packed(Buffer.concat([built("engine.js"), Buffer.from("\n"), built("mbopt.js")])),
  WASM: packed(built("engine.wasm")),
  FILES: packed(JSON.stringify(files)),
  PICTURE: packed(picture),
});
fs.writeFileSync(path.join(folder, "index.html"), page);
