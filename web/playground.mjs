// The playground as one page, which needs no server: node web/playground.mjs FOLDER puts index.html beside the engine there. The program, its WebAssembly, the
// pictures of reports and all run and model files with the tables that they read are in it, packed by gzip in base64.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const root = path.join(path.dirname(process.argv[1]), "..");
const folder = process.argv[2];
const read = (name) => fs.readFileSync(path.join(root, name), "utf8");
const built = (name) => fs.readFileSync(path.join(folder, name));
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
  STYLE: read("web/playground/playground.css"),
  SCRIPT: read("web/playground/playground.js"),
  PROGRAM: packed(Buffer.concat([built("engine.js"), Buffer.from("\n"), built("mbopt.js")])),
  WASM: packed(built("engine.wasm")),
  FILES: packed(JSON.stringify(files)),
  PICTURE: packed(picture),
});
fs.writeFileSync(path.join(folder, "index.html"), page);
