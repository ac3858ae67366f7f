// The playground as one page, which needs no server: node web/playground.mjs FOLDER puts index.html beside the engine there.
import { editor, editorStyle, engine, filled, packed, read, scripts, write } from "./pages.mjs";

const asset = (name) => read(`opt/report/assets/${name}`);
const picture = filled(read("web/playground/picture.html"), {
  STYLE: `${asset("scene.css")}${read("web/playground/handles.css")}`,
  SCRIPT: ["vectors.js", "share.js", "shapes.js", "centres.js", "scene.js"].map(asset).join("\n"),
  HANDLES: read("web/playground/handles.js"),
});
const parts = {
  ...engine,
  STYLE: [editorStyle, read("web/playground/common.css"), read("web/playground/playground.css")].join("\n"),
  EDITOR: editor,
  SCRIPT: scripts("worker.js", "editor.js", "keys.js", "points.js", "playground.js"),
  PICTURE: packed(picture),
};
write("index.html", "web/playground/index.html", parts, [picture]);
