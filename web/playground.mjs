// The playground as one page, which needs no server: node web/playground.mjs FOLDER puts index.html beside the engine there.
import { asset, filled, packed, parts, read, write } from "./pages.mjs";

const picture = filled(read("web/playground/picture.html"), {
  STYLE: `${asset("scene.css")}${read("web/playground/handles.css")}`,
  SCRIPT: ["common.js", "vectors.js", "share.js", "shapes.js", "centres.js", "scene.js"].map(asset).join("\n"),
  HANDLES: read("web/playground/handles.js"),
});
const content = {
  ...parts("playground/playground.css"),
  SCRIPT: [asset("vectors.js"), ...["points.js", "playground.js"].map((name) => read(`web/playground/${name}`))].join("\n"),
  PICTURE: packed(picture),
};
write("index.html", "web/playground/index.html", content, [picture]);
