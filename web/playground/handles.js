/* The picture of the playground: the mechanism (scene.js) with handles at its points, and a slider that turns it. The page around it sends
 *   { place, points, held }   engine.place() and what points.js says of the points; held: a point is being dragged, and the view stays
 *   { turned }                the motion of a coordinate over its range
 *   { told, bad }             a message
 * and is told what is done here: { grab }, { move: { d [m], grain: m of a pixel } }, { end: "drop" or "cancel" }, { turn }, { go }, { undo }. */
(function () {
  "use strict";

  const { element, svgElement } = window.mbopt_common;
  const { add, sub, scale, dot, length } = window.mbopt_vectors;
  const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const CLOSE = 700; /* ms after the last key at which what was moved by keys is written */
  const NAMED = 12; /* handles; of more the chosen one alone has its name beside it */
  const APART = 1e-6; /* of the size of the mechanism */

  const at = (id) => document.getElementById(id);
  const post = (message) => parent.postMessage(message, "*");
  let motion = null;
  let mechanism = ""; /* that is shown, by its bodies */
  let place = null;
  let points = [];
  let chosen = null; /* key of a point */
  let drag = null; /* { point, from, normal or axis, begun, keys } */
  let turned = null;
  const buttons = new Map();
  const over = element("div", { className: "handles" });
  const lines = svgElement("svg", { "aria-hidden": "true" });
  over.append(lines);

  const pointOf = (key) => points.find((p) => p.key === key);
  const whereIs = (point) => point.parts[0].at;
  const number = (x) => String(Number(x.toPrecision(6)));

  /* ---- space ---- */

  function sizes() {
    const all = points.flatMap((p) => p.parts.map((part) => part.at));
    return [0, 1, 2].map((k) => Math.max(...all.map((x) => x[k])) - Math.min(...all.map((x) => x[k])));
  }
  /* The normal of the plane in which all points are; null: there is none. Of points on a line the plane that is seen best. */
  function planeOf() {
    const extent = sizes();
    const flat = AXES.filter((_, k) => extent[k] < 1e-9 * Math.max(...extent));
    const out = sightOut();
    return flat.sort((a, b) => Math.abs(dot(b, out)) - Math.abs(dot(a, out)))[0] || null;
  }
  function sightOut() {
    const { canvas, ray } = motion.sight();
    return scale(-1, ray(canvas.clientWidth / 2, canvas.clientHeight / 2).along);
  }
  /* Where the sight at a place of the canvas meets a plane through x, or comes closest to an axis through it. */
  function meets({ x, normal, axis }, event) {
    const { canvas, ray } = motion.sight();
    const area = canvas.getBoundingClientRect();
    const { from, along } = ray(event.clientX - area.left, event.clientY - area.top);
    const away = sub(x, from);
    if (!axis) return add(from, scale(dot(away, normal) / dot(along, normal), along));
    const c = dot(axis, along);
    return add(x, scale((c * dot(away, along) - dot(away, axis)) / (1 - c * c), axis));
  }
  /* The axis of the world that a direction on the screen is closest to, and its sign. */
  function axisTowards(x, right, up, axes) {
    const { project } = motion.sight();
    const p = project(x);
    const seen = axes.map((axis) => {
      const q = project(add(x, scale(20 / p.s, axis)));
      return { axis, along: (q.x - p.x) * right - (q.y - p.y) * up };
    });
    const best = seen.sort((a, b) => Math.abs(b.along) - Math.abs(a.along))[0];
    return scale(Math.sign(best.along) || 1, best.axis);
  }
  const axesOf = (normal) => AXES.filter((axis) => !normal || Math.abs(dot(axis, normal)) < 0.5);
  const grainAt = (x) => 1 / motion.sight().project(x).s;

  /* ---- dragging ---- */

  function begin(point, axis) {
    const x = whereIs(point);
    const plane = planeOf();
    const out = sightOut();
    /* a plane that is seen from its edge cannot be dragged in */
    const normal = plane && Math.abs(dot(plane, out)) > 0.1 ? plane : out;
    drag = { point: point.key, x, normal, axis, axes: axesOf(plane), d: [0, 0, 0], grain: grainAt(x) };
    choose(point.key);
    post({ grab: point.key });
  }
  function moveTo(d) {
    drag.d = d;
    post({ move: { d, grain: drag.grain } });
  }
  function finish(how) {
    if (!drag) return;
    clearTimeout(drag.timer);
    drag = null;
    over.classList.remove("held");
    post({ end: how });
    put();
  }
  /* Along the one axis that is closest, with Shift. */
  function alongOne(d) {
    const axis = drag.axes.slice().sort((a, b) => Math.abs(dot(b, d)) - Math.abs(dot(a, d)))[0];
    return scale(dot(axis, d), axis);
  }
  /* Pointers on an element; of(event): what they take there, { point, axis: the arrow of the chosen point }. */
  function draggable(e, of) {
    const mine = (event) => drag && drag.pointer === event.pointerId;
    e.addEventListener("pointerdown", (event) => {
      const taken = of(event);
      if (event.button > 0 || !taken) return;
      event.preventDefault();
      if (!taken.axis) e.focus();
      choose(taken.point.key);
      if (taken.point.why) return;
      finish("drop");
      if (turned) turnTo(turned.start);
      e.setPointerCapture(event.pointerId);
      begin(taken.point, taken.axis);
      drag.pointer = event.pointerId;
      drag.begun = meets(drag, event);
      over.classList.add("held");
    });
    e.addEventListener("pointermove", (event) => {
      if (!mine(event)) return;
      const d = sub(meets(drag, event), drag.begun);
      moveTo(event.shiftKey && !drag.axis ? alongOne(d) : d);
    });
    e.addEventListener("pointerup", (event) => mine(event) && finish("drop"));
    e.addEventListener("pointercancel", (event) => mine(event) && finish("cancel"));
  }
  /* Arrow keys move by some pixels in whole steps, Shift ten times as far; the third axis by PageUp and PageDown. */
  function keys(event) {
    const point = pointOf(event.currentTarget.dataset.key);
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.key === "Escape") return finish("cancel");
    if (event.key === "Enter") return finish("drop");
    const depth = { PageUp: 1, PageDown: -1 }[event.key];
    if ((!ways[event.key] && !depth) || event.ctrlKey || event.altKey || event.metaKey || !point || point.why) return;
    event.preventDefault();
    if (drag && (drag.pointer !== undefined || drag.point !== point.key)) return;
    if (turned) turnTo(turned.start);
    if (!drag) begin(point, null);
    const axes = drag.axes;
    const right = axisTowards(drag.x, 1, 0, axes);
    const up = axisTowards(drag.x, 0, 1, axes.filter((a) => Math.abs(dot(a, right)) < 0.5));
    const third = axes.find((a) => Math.abs(dot(a, right)) < 0.5 && Math.abs(dot(a, up)) < 0.5);
    if (depth && !third) return;
    const way = depth ? scale(depth * (Math.sign(dot(third, sightOut())) || 1), third) : add(scale(ways[event.key][0], right), scale(ways[event.key][1], up));
    const step = 10 ** Math.ceil(Math.log10(drag.grain)) * (event.shiftKey ? 10 : 1);
    moveTo(add(drag.d, scale(step, way)));
    clearTimeout(drag.timer);
    drag.timer = setTimeout(() => finish("drop"), CLOSE);
  }

  /* ---- handles ---- */

  function choose(key) {
    if (key === chosen) return;
    chosen = key;
    tellPoint();
    put();
  }

  function handleOf(point) {
    const button = element("button", { type: "button", className: "handle", onkeydown: keys });
    button.dataset.key = point.key;
    draggable(button, () => ({ point: pointOf(point.key), axis: null }));
    button.addEventListener("pointerenter", () => drag || tellPoint(point.key));
    button.addEventListener("pointerleave", () => drag || tellPoint());
    button.addEventListener("focus", () => choose(point.key));
    button.addEventListener("blur", () => drag && drag.pointer === undefined && finish("drop"));
    return button;
  }

  /* Centres of mass that cannot be dragged are drawn anyway. */
  const hasHandle = (p) => p.kind === "point" || !p.why;

  function makeHandles() {
    const wanted = points.filter(hasHandle);
    const keep = new Set(wanted.map((p) => p.key));
    [...buttons.keys()].forEach((key) => {
      if (keep.has(key)) return;
      buttons.get(key).remove();
      buttons.delete(key);
    });
    wanted.forEach((p) => {
      if (!buttons.has(p.key)) {
        const button = handleOf(p);
        buttons.set(p.key, button);
        over.append(button);
      }
      const button = buttons.get(p.key);
      button.className = `handle ${p.kind}${p.why ? " fixed" : ""}`;
      button.setAttribute("aria-label", `${titleOf(p)} at ${whereIs(p).map(number).join(", ")} m. ${p.why ? `It cannot be dragged: ${p.why}` : "Arrow keys move it."}`);
      button.setAttribute("aria-disabled", Boolean(p.why));
    });
    if (chosen && !keep.has(chosen)) chosen = null;
  }
  const titleOf = (p) => (p.kind === "com" ? `Centre of mass of ${p.name}` : `Point ${p.name}`);

  /* Puts handles, names, gaps and axes where they are seen. */
  function put() {
    const away = turned && turned.at !== turned.start;
    over.hidden = !at("points").checked || Boolean(away);
    if (over.hidden || !motion) return;
    const { project } = motion.sight();
    const all = [];
    const size = Math.max(...sizes());
    points.forEach((p) => {
      const button = buttons.get(p.key);
      const x = project(whereIs(p));
      if (button) {
        button.style.transform = `translate(${x.x}px, ${x.y}px)`;
        button.classList.toggle("chosen", p.key === chosen);
        if (p.kind === "point" && (buttons.size <= NAMED || p.key === chosen)) all.push(p.key === chosen ? textAt(x.x - 12, x.y + 18, p.name, "chosen") : textAt(x.x + 9, x.y - 9, p.name, "name"));
      }
      p.parts.slice(1).forEach((part) => {
        const gap = length(sub(part.at, whereIs(p)));
        if (gap < APART * size) return;
        const y = project(part.at);
        all.push(svgElement("line", { x1: x.x, y1: x.y, x2: y.x, y2: y.y, class: "gap" }), textAt((x.x + y.x) / 2 + 9, (x.y + y.y) / 2 + 4, `${gap.toPrecision(2)} m apart`, "gap"));
      });
    });
    lines.replaceChildren(...all, ...arrows(project));
  }
  const textAt = (x, y, text, kind) => svgElement("text", { x, y, class: kind }, text);

  /* The axes of the chosen point, along which it can be dragged. */
  const LONG = 46;
  function arrows(project) {
    const point = chosen && pointOf(chosen);
    if (!point || point.why || (drag && !drag.axis && drag.pointer !== undefined)) return [];
    const x = whereIs(point);
    const p = project(x);
    return axesOf(planeOf()).flatMap((axis) => {
      const name = "xyz"[axis.indexOf(1)];
      const q = project(add(x, scale(LONG / p.s, axis)));
      const long = Math.hypot(q.x - p.x, q.y - p.y);
      if (long < 12) return []; /* along the sight */
      const u = { x: (q.x - p.x) / long, y: (q.y - p.y) / long };
      const from = { x: p.x + 11 * u.x, y: p.y + 11 * u.y };
      const group = svgElement("g", { class: `axis ${name}` });
      const side = (k) => `${q.x - 9 * u.x - 4.5 * k * u.y},${q.y - 9 * u.y + 4.5 * k * u.x}`;
      group.append(svgElement("line", { x1: from.x, y1: from.y, x2: q.x, y2: q.y, class: "wide" }), svgElement("line", { x1: from.x, y1: from.y, x2: q.x - 6 * u.x, y2: q.y - 6 * u.y }),
        svgElement("polygon", { points: `${q.x},${q.y} ${side(1)} ${side(-1)}` }), textAt(q.x + 9 * u.x - 3, q.y + 9 * u.y + 4, name, "axis"));
      return [group];
    });
  }

  /* ---- what is said ---- */

  function tell(text, bad) {
    at("told").textContent = text;
    at("told").className = bad ? "bad" : "";
  }

  const few = (names) => names.slice(0, 6).join(", ") + (names.length > 6 ? ` and ${names.length - 6} more` : "");

  function freedoms() {
    if (place.apart) return tell(place.apart, true);
    const s = (n, what, more) => `${n} ${what}${n === 1 ? "" : more || "s"}`;
    const kept = [...place.held, ...place.kept_at_guess];
    tell(`${s(place.bodies, "bod", "ies").replace(/^1 bod$/, "1 body")}, ${s(place.coordinates, "coordinate")}, ${s(place.equations, "constraint equation")} of rank ${place.rank}: ` +
      `${s(place.degrees_of_freedom, "degree")} of freedom${kept.length ? `; held at the start: ${few(kept)}` : ""}` +
      `${place.redundant.length ? `; redundant: ${few(place.redundant)}` : ""}${(place.warnings || []).map((w) => `. ${w}`).join("")}`);
  }

  /* The point under the pointer, else the chosen one. */
  function tellPoint(key) {
    const point = pointOf(key || chosen);
    const numbers = (p) => p.numbers.flatMap((n) => [
      element("button", { type: "button", className: "number", title: `${n.path}:${n.line}`, onclick: () => post({ go: n }) }, [`${n.called} = ${n.text}`]), n.note ? ` (${n.note}) ` : " "]);
    at("point").replaceChildren(...(!point ? ["Drag a point; Shift, and the arrows of a chosen one, keep to an axis. Keys: arrows, PageUp, PageDown, with Shift ten times as far; Escape gives up, Ctrl+Z takes back."]
      : [element("b", { textContent: titleOf(point) }), ` on ${point.parts.map((part) => part.on).join(", ")}. `, ...(point.why ? [`It cannot be dragged: ${point.why}.`] : numbers(point))]));
  }

  /* ---- turning ---- */

  const shownAs = (x) => (turned && turned.unit === "m" ? `${Number(x.toPrecision(4))} m` : `${(x * 180 / Math.PI).toFixed(1)}°`);

  function fillCoordinates() {
    const list = at("coordinate");
    const names = place.start.filter((c) => c.unit === "rad" || c.unit === "m").map((c) => c.coordinate); /* parts of a quaternion alone are no turn */
    if (names.join() === [...list.options].slice(1).map((o) => o.value).join()) return;
    list.replaceChildren(new Option("a coordinate …", ""), ...names.map((n) => new Option(n, n)));
  }
  /* Back to the start, which is what the files say. */
  function stopTurning() {
    turned = null;
    motion.show(place.case, true);
    at("wheel").hidden = true;
    at("coordinate").value = "";
  }
  function takeTurned(given) {
    turned = { ...given, at: given.start };
    at("coordinate").value = given.coordinate;
    const wheel = at("angle");
    Object.assign(wheel, { min: given.least, max: given.most, step: (given.most - given.least) / 1000 });
    at("wheel").hidden = false;
    motion.show(given.case, true);
    turnTo(given.start);
    const ends = [given.least, given.most].map((x, i) => given.ends[i] && shownAs(x)).filter(Boolean);
    at("ends").textContent = (ends.length ? `It locks beyond ${ends.join(" and beyond ")}. ` : "") + (given.kept.length ? `${few(given.kept)} stay${given.kept.length === 1 ? "s" : ""}.` : "");
    at("ends").title = given.ends.filter(Boolean).join("\n");
  }
  function turnTo(x) {
    turned.at = x;
    at("angle").value = x;
    at("angle").setAttribute("aria-valuetext", shownAs(x));
    at("value").textContent = shownAs(x);
    motion.seek(x - turned.least);
    put();
  }

  /* ---- the picture ---- */

  function show(data) {
    if (turned) stopTurning();
    place = data.place;
    points = data.points;
    const named = JSON.stringify([place.up, place.case.bodies.map((b) => b.name), place.meshes]);
    if (named === mechanism) motion.show(place.case, data.held);
    else {
      motion = window.mbopt_scene(at("scene"), { up: place.up, cases: [place.case], meshes: place.meshes }, null);
      motion.sight().canvas.after(over);
      motion.listen(put);
      mechanism = named;
      chosen = null;
    }
    makeHandles();
    fillCoordinates();
    freedoms();
    tellPoint(drag && drag.point);
    put();
  }

  addEventListener("message", ({ data }) => {
    if (data.place) show(data);
    if (data.turned && motion) takeTurned(data.turned);
    if (data.told) tell(data.told, data.bad);
  });
  /* The editor has had the focus, to write what was dragged. */
  addEventListener("focus", () => document.activeElement === document.body && buttons.has(chosen) && buttons.get(chosen).focus());
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || !/^[zy]$/i.test(event.key)) return;
    event.preventDefault();
    finish("drop");
    post({ undo: event.shiftKey || event.key.toLowerCase() === "y" ? "again" : "once" });
  });
  draggable(lines, (event) => {
    const arrow = event.target.closest(".axis");
    const point = chosen && pointOf(chosen);
    return arrow && point ? { point, axis: AXES["xyz".indexOf(arrow.classList[1])] } : null;
  });
  at("points").onchange = put;
  at("coordinate").onchange = () => (at("coordinate").value ? post({ turn: at("coordinate").value }) : turned && (stopTurning(), put()));
  at("angle").oninput = () => turned && turnTo(Number(at("angle").value));
  at("back").onclick = () => turned && turnTo(turned.start);
  at("angle").addEventListener("wheel", (event) => {
    event.preventDefault();
    if (turned) turnTo(Math.min(turned.most, Math.max(turned.least, turned.at - Math.sign(event.deltaY) * (turned.most - turned.least) / 180)));
  }, { passive: false });
  post("ready");
})();
