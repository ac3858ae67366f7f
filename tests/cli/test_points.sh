#!/usr/bin/env bash
# Points that are dragged in the playground: what is written into which file, to the byte; the picture is where a native run has it; undo; what cannot be dragged
# says why; a mechanism that cannot be assembled; coordinates that are turned, up to where they lock; the handles of the picture by keys and by pointers.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" # dir, passed, failed
web="${MBOPT_WEB:-$PWD/build/web}"
[ -e "$web/index.html" ] || { echo "skipped: $web has no playground (scripts/web builds it)"; exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/browser.sh"

# Messages that the picture sends are sent in its place here: it has an origin of its own.
tools='var at = function (id) { return document.getElementById(id); }, seen = [], cm = function () { return document.querySelector(".CodeMirror").CodeMirror; },
  area = function () { return { value: cm().getValue() }; };
  function event(name, act) { return new Promise(function (done) { document.addEventListener(name, function (e) { setTimeout(done, 0, e.detail); }, { once: true }); if (act) { act(); } }); }
  function looked(act) { return event("mbopt-looked", act); }
  function choose(name) { return looked(function () { var o = Array.from(at("runs").options).find(function (x) { return x.textContent === name; }); at("runs").value = o.value; at("runs").dispatchEvent(new Event("change")); }); }
  function picture() { return looked(function () { at("views").children[2].click(); }); }
  function ran(name) { return event("mbopt-ran", function () { Array.from(at("commands").children).find(function (b) { return b.textContent === name; }).click(); }); }
  function type(from, to) { return looked(function () { cm().setValue(cm().getValue().replace(from, to)); }); }
  function tell(data) { dispatchEvent(new MessageEvent("message", { source: at("picture").contentWindow, data: data })); }
  function move(key, d) { tell({ grab: key }); return event("mbopt-placed", function () { tell({ move: { d: d, grain: 0.0011 } }); }); }
  function end(how) { return looked(function () { tell({ end: how }); }); }
  function turn(name) { return event("mbopt-turned", function () { tell({ turn: name }); }); }
  function point(p, key) { return p.points.find(function (q) { return q.key === key; }); }
  function off(p, before, key, d) { return Math.max.apply(null, point(p, key).parts[0].at.map(function (x, k) { return Math.abs(x - point(before, key).parts[0].at[k] - d[k]); })); }
  function packed(text) { return btoa(unescape(encodeURIComponent(text))); }
  function hung() { return new Promise(function (done, fail) { setTimeout(fail, 300000, new Error("nothing after five minutes: " + seen.join("|"))); }); } /* a hundred times what it takes */'
shown() { # PAGE SCRIPT: with a script of its own at its end
  page_with "$1" "$2" >"$dir/page.html"
  open_page "$dir/page.html"
  grep -o '<title>[^<]*' "$dir/dom" | head -1 | sed 's/<title>//'
}

IFS='|' read -r -a got <<<"$(shown "$web/index.html" "$tools"'
  window.mbopt_seen = Promise.race([hung(), (async function () { await looked();
    var first = await picture(), p2 = point(first, "point P2"); tell({ grab: "point P2" }); seen.push(p2.why, packed(JSON.stringify(first)));
    /* a point of a four-bar linkage: two scalars */
    await choose("four_bar_path"); first = await picture(); at("tabs").children[1].click(); var before = area().value;
    var moved = await move("point P", [0.05, -0.03, 0]); seen.push(off(moved, first, "point P", [0.05, -0.03, 0]) < 0.001);
    await end("drop"); var text = area().value; seen.push(packed(text), packed(JSON.stringify(moved.place.points)));
    seen.push(text !== before && text.replace(/along = \S+/, "along = 0.3").replace(/across = \S+/, "across = 0.1") === before);
    var told = await ran("Simulate"); seen.push(at("text").textContent.match(/path_x = (\S+?)path/)[1]);
    at("tabs").children[1].click(); await picture(); await looked(function () { cm().undo(); }); seen.push(area().value === before, at("tabs").children[1].textContent);
    /* what cannot be assembled */
    moved = await move("point D", [0.1, 1.2, 0]); seen.push(moved.place.apart, point(moved, "point C").parts.map(function (x) { return x.at.join(); }).filter(function (x, i, all) { return all.indexOf(x) === i; }).length);
    await end("cancel"); seen.push(area().value === before);
    /* a crank that turns round */
    var turned = await turn("J.angle"), coupler = turned.case.bodies.findIndex(function (b) { return b.name === "coupler"; });
    seen.push(turned.case.times.length, turned.ends.join(), turned.case.bodies[coupler].pose.slice(700, 703).map(function (x) { return x * turned.case.length; }).join(" "));
    /* the start of a design variable in the run file */
    at("tabs").children[0].click(); await type("[design along]\n", "[design along]\nstart = 0.3 ; here\n"); moved = await move("point P", [0.05, -0.03, 0]);
    seen.push(point(moved, "point P").numbers[0].note); await end("drop");
    at("tabs").children[1].click(); seen.push(area().value.match(/along = \S+/)[0], area().value.includes("across = 0.1\n")); at("tabs").children[0].click(); seen.push(/\[design along\]\nstart = 0\.3\d+ ; here\n/.test(area().value));
    moved = await move("point D", [3, 0, 0]); seen.push(moved.failed); await end("cancel");
    /* a spatial one, and where it locks */
    await choose("spatial_four_bar"); moved = await move("point C", [0.1, 0.05, 0.2]); await end("drop"); seen.push(packed(area().value), packed(JSON.stringify(moved.place.points)));
    turned = await turn("crank_hinge.angle"); seen.push(turned.ends[0], turned.ends[1], turned.most > turned.start && turned.most < turned.start + 1);
    /* a part in a mirror, whose other side moves too */
    first = await choose("wishbone_corner"); moved = await move("point right.B", [0.01, -0.02, 0.015]); seen.push(off(moved, first, "point right.B", [0.01, -0.02, 0.015]) < 0.001, off(moved, first, "point left.B", [0.01, 0.02, 0.015]) < 0.001);
    await end("cancel");
    turned = await turn("left.rise"); seen.push(turned.unit, turned.ends.filter(Boolean).length);
    await choose("servo"); turned = await turn("motor.angle"); seen.push(turned.kept.join()); /* a mechanism with states, which need no drive */
    /* millimetres, a list in two lines, a comment */
    var model = "schema = 1\n[model]\nunits = mm\n[body bar]\nmass = 1\ncom = 0, 0, -500\ninertia = 1, 1, 1\n[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[point tip]\nat = 0,    ; across\n     0, -1e3 ; down\nbodies = bar\n[vector axis]\nalong = 0, 1, 0\nbodies = ground, bar\n";
    var t = new DataTransfer(); t.items.add(new File(["schema = 1\n[model]\nfile = hanging_model.ini\n[case swing]\nduration = 1\nstep = 0.01\n"], "hanging.ini")); t.items.add(new File([model], "hanging_model.ini"));
    await looked(function () { dispatchEvent(Object.assign(new Event("drop", { cancelable: true }), { dataTransfer: t })); }); await picture();
    moved = await move("point tip", [0.1, 0, 0.25]); await end("drop"); seen.push(area().value === model.replace("at = 0,    ;", "at = 100,    ;").replace("-1e3", "-750"));
    seen.push(document.querySelectorAll("#state.bad").length);
  })()]).then(function () { document.title = seen.join("|"); }, function (e) { document.title = "failed: " + e.stack; });')"
check all [ "${#got[@]}" -eq 32 ]
check no_complaint no_complaint

# The picture is where the native program has what was written: same MODEL.ini RUN.ini TEXT POINTS, both packed.
same() {
  base64 -d <<<"$3" >"$dir/model.ini"
  sed "s|^file = .*|file = model.ini|" "configs/$2.ini" >"$dir/run.ini"
  "$MBOPT" model "$dir/run.ini" --json --output "$dir/out" >"$dir/native.json" && base64 -d <<<"$4" >"$dir/points.json" &&
    python3 - "$dir/native.json" "$dir/points.json" <<<'
import json, sys
native, seen = json.load(open(sys.argv[1]))["points"], json.load(open(sys.argv[2]))
assert len(native) == len(seen) > 8
for a, b in zip(native, seen):
    assert (a["name"], a["body"]) == (b["name"], b["body"])
    assert max(abs(x - y) for x, y in zip(a["at"], b["at"])) < 1e-12, (a, b)
'
}
check expression grep -q 'L12 = hypot(x2 - x1, y2 - y1) is an expression (five_bar.ini:27)' <<<"${got[0]}"
check under_the_pointer [ "${got[2]}" = true ]
check written [ "${got[5]}" = true ]
check where_it_is same four_bar_path four_bar_path "${got[3]}" "${got[4]}"
"$MBOPT" simulate "$dir/run.ini" --output "$dir/native" >"$dir/said"
check simulated [ "${got[6]}" = "$(sed -n 's/^path_x = //p' "$dir/said")" ]
check undo [ "${got[*]:7:2}" = "true four_bar_path/four_bar_path.ini" ]
check apart grep -q "cannot be assembled .* which closes the loop coupler - crank - ground - follower" <<<"${got[9]}"
check gap [ "${got[10]} ${got[11]}" = "2 true" ]
check turns_round [ "${got[12]}${got[13]}" = "181," ]
# 20 degrees from the start, as the model file would have it
sed 's/^coefficients = 0, speed/coefficients = pi\/9, speed/; s/^hold.J.angle = 0/hold.J.angle = pi\/9/' problems/four_bar_path/four_bar_path.ini >"$dir/model.ini"
"$MBOPT" model "$dir/run.ini" --json --output "$dir/out" >"$dir/native.json"
turned_there() {
  python3 - "$dir/native.json" "$1" <<<'
import json, sys
native = next(p["at"] for p in json.load(open(sys.argv[1]))["points"] if p["kind"] == "com" and p["name"] == "coupler")
assert max(abs(x - float(y)) for x, y in zip(native, sys.argv[2].split())) < 1e-6, (native, sys.argv[2])
'
}
check turned turned_there "${got[14]}"
check start_of_run [ "${got[*]:15:4}" = "the start of this design variable in the run file along = 0.3 false true" ]
check bounds grep -q "design base.*outside of the bounds" <<<"${got[19]}"
check spatial same spatial_four_bar spatial_four_bar "${got[20]}" "${got[21]}"
check locks grep -q "singular position\|does not reach" <<<"${got[23]}"
check locks_between [ "${got[22]}${got[24]}" = true ]
check mirrored [ "${got[*]:25:2}" = "true true" ]
check drive_of_a_part [ "${got[*]:27:2}" = "m 2" ]
check states [ "${got[29]}" = arm.angle ]
check millimetres [ "${got[30]}" = true ]

# The handles of the picture, which is a page of its own here and hears what it says.
python3 - "$web/index.html" <<<'
import base64, gzip, re, sys
print(gzip.decompress(base64.b64decode(re.search(r"id=\"drawing\">([^<]*)", open(sys.argv[1]).read()).group(1))).decode())
' >"$dir/picture.html"
IFS='|' read -r -a frame <<<"$(shown "$dir/picture.html" '
  Element.prototype.setPointerCapture = function () {};
  var first = JSON.parse(decodeURIComponent(escape(atob("'"${got[1]}"'")))), said = [], seen = [];
  addEventListener("message", function (e) { if (!e.data.place && !e.data.turned) { said.push(e.data); } });
  function soon() { return new Promise(function (done) { setTimeout(done, 50); }); }
  function handle(name) { return document.querySelector(".handle[data-key=\"" + name + "\"]"); }
  function key(e, name) { e.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true })); }
  function pointer(e, kind, x, y) { e.dispatchEvent(new PointerEvent(kind, { pointerId: 7, clientX: x, clientY: y, bubbles: true, cancelable: true })); }
  window.mbopt_seen = (async function () {
    postMessage(first, "*"); await soon();
    seen.push(document.querySelectorAll(".handle").length, document.querySelectorAll(".handle.fixed").length, handle("point P2").getAttribute("aria-label"), document.getElementById("told").textContent);
    var b = handle("point B"), box = b.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    said = []; pointer(b, "pointerdown", x, y); pointer(b, "pointermove", x + 30, y); pointer(b, "pointerup", x + 30, y); await soon();
    seen.push(said.map(function (m) { return Object.keys(m)[0]; }).join(), said[1].move.d[0] > 0.05 && Math.abs(said[1].move.d[2]) < 1e-12 && said[1].move.grain < 0.02, said[2].end);
    said = []; b.focus(); key(b, "ArrowUp"); key(b, "ArrowUp"); key(b, "Enter"); await soon(); seen.push(said.map(function (m) { return m.move ? m.move.d.map(function (v) { return v.toFixed(3); }).join(" ") : m.grab || m.end; }).join());
    said = []; key(b, "ArrowUp"); key(b, "Escape"); key(handle("point P2"), "ArrowUp"); await soon(); seen.push(said[said.length - 1].end);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true })); await soon(); seen.push(said[said.length - 1].undo);
    seen.push(document.querySelectorAll("g.axis").length, document.getElementById("point").textContent);
    document.querySelector("#point button").click(); await soon(); seen.push(said[said.length - 1].go.line);
    /* a coordinate that is turned a tenth to either side, and locks at one of them */
    var still = first.place.case, by = function (id) { return document.getElementById(id); };
    by("coordinate").value = "JA.angle"; by("coordinate").dispatchEvent(new Event("change")); await soon(); seen.push(said[said.length - 1].turn);
    postMessage({ turned: { case: Object.assign({}, still, { times: [0, 0.1, 0.2], duration: 0.2, bodies: still.bodies.map(function (b) { return Object.assign({}, b, { pose: b.pose.concat(b.pose, b.pose) }); }) }),
      coordinate: "JA.angle", unit: "rad", start: 0, least: -0.1, most: 0.1, ends: [null, "a dead point"], kept: ["J3.angle"] } }, "*"); await soon();
    seen.push(by("ends").textContent); by("angle").value = 0.05; by("angle").dispatchEvent(new Event("input")); seen.push(by("value").textContent, document.querySelector(".handles").hidden);
    by("back").click(); seen.push(by("value").textContent, document.querySelector(".handles").hidden);
  })().then(function () { document.title = seen.join("|"); }, function (e) { document.title = "failed: " + e.stack; });')"
check frame_complaint no_complaint
check handles [ "${frame[*]:0:2}" = "5 3" ]
check reason grep -q '^Point P2 at 0.5, -2, 0 m. It cannot be dragged: L12 = hypot' <<<"${frame[2]}"
check freedoms grep -q 'rank 2: 2 degrees of freedom' <<<"${frame[3]}"
check pointer [ "${frame[*]:4:3}" = "grab,move,end true drop" ]
check keys [ "${frame[7]}" = "point B,0.000 0.010 0.000,0.000 0.020 0.000,drop" ]
check escape [ "${frame[*]:8:2}" = "cancel once" ]
check arrows [ "${frame[10]}" = 2 ]
check numbers grep -q '^Point B on ground, B3. xB = 1 yB = 0' <<<"${frame[11]}"
check to_the_line [ "${frame[12]}" = 17 ]
check turn [ "${frame[*]:13}" = "JA.angle It locks beyond 5.7°. J3.angle stays. 2.9° true 0.0° false" ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 32 ]
