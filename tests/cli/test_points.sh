#!/usr/bin/env bash
# Points that are dragged in the playground: what is written into which file, to the byte; the picture is where a native run has it; undo; what cannot be dragged
# says why; a mechanism that cannot be assembled; coordinates that are turned, up to where they lock; the handles of the picture by keys and by pointers.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" # dir, passed, failed
source "$(dirname "${BASH_SOURCE[0]}")/web_page.sh" index.html

# Messages that the picture sends are sent in its place here: it has an origin of its own.
# shellcheck disable=SC2154 # web and got, of web_page.sh
page="$web/index.html" tools='function tell(data) { dispatchEvent(new MessageEvent("message", { source: at("picture").contentWindow, data: data })); }
  function move(key, d) { tell({ grab: key }); return event("mbopt-placed", function () { tell({ move: { d: d, grain: 0.0011 } }); }); }
  function end(how) { return looked(function () { tell({ end: how }); }); }
  function turn(name) { return event("mbopt-turned", function () { tell({ turn: name }); }); }
  function point(p, key) { return p.points.find(function (q) { return q.key === key; }); }
  function off(p, before, key, d) { return Math.max.apply(null, point(p, key).parts[0].at.map(function (x, k) { return Math.abs(x - point(before, key).parts[0].at[k] - d[k]); })); }
  await looked();'
see "$page" "$tools"'
    var first = await picture(), p2 = point(first, "point P2"); tell({ grab: "point P2" }); seen.push(p2.why, JSON.stringify(first));
    /* a point of a four-bar linkage: two scalars */
    await choose("four_bar_path"); first = await picture(); tab(1); var before = cm().getValue();
    var moved = await move("point P", [0.05, -0.03, 0]); seen.push(off(moved, first, "point P", [0.05, -0.03, 0]) < 0.001);
    await end("drop"); var text = cm().getValue(); seen.push(text, JSON.stringify(moved.place.points));
    seen.push(text !== before && text.replace(/along = \S+/, "along = 0.3").replace(/across = \S+/, "across = 0.1") === before);
    var told = await ran("Simulate"); seen.push(at("text").textContent.match(/path_x = (\S+?)path/)[1]);
    tab(1); await picture(); await looked(function () { cm().undo(); }); seen.push(cm().getValue() === before, at("tabs").children[1].textContent);
    /* what cannot be assembled */
    moved = await move("point D", [0.1, 1.2, 0]); seen.push(moved.place.apart, point(moved, "point C").parts.map(function (x) { return x.at.join(); }).filter(function (x, i, all) { return all.indexOf(x) === i; }).length);
    await end("cancel"); seen.push(cm().getValue() === before);
    /* a crank that turns round */
    var turned = await turn("J.angle"), coupler = turned.case.bodies.findIndex(function (b) { return b.name === "coupler"; });
    seen.push(turned.case.times.length, turned.ends.join(), turned.case.bodies[coupler].pose.slice(700, 703).map(function (x) { return x * turned.case.length; }).join(" "));
    /* the start of a design variable in the run file */
    tab(0); await type("[design along]\n", "[design along]\nstart = 0.3 ; here\n"); moved = await move("point P", [0.05, -0.03, 0]);
    seen.push(point(moved, "point P").numbers[0].note); await end("drop");
    tab(1); seen.push(cm().getValue().match(/along = \S+/)[0], cm().getValue().includes("across = 0.1\n")); tab(0); seen.push(/\[design along\]\nstart = 0\.3\d+ ; here\n/.test(cm().getValue()));
    async function both(command) { await looked(function () { cm().execCommand(command); }); tab(1); var model = cm().getValue(); tab(0); seen.push(/across = 0\.1\n/.test(model) + " " + /start = 0\.3 ; here\n/.test(cm().getValue())); }
    await both("undo"); await both("redo"); await type("[design along]\n", "[design along] ; typed\n"); await both("undo"); await both("undo");
    /* what is typed into one of them since stays; the other goes */
    await both("redo"); tab(1); await type("[model]\n", "[model] ; typed\n"); tab(0); await both("undo"); tab(1); await type("[model] ; typed\n", "[model]\n"); await type(/across = 0\.\d+\n/, "across = 0.1\n"); tab(0);
    moved = await move("point D", [3, 0, 0]); seen.push(moved.failed); await end("cancel");
    /* a spatial one, and where it locks */
    await choose("spatial_four_bar"); moved = await move("point C", [0.1, 0.05, 0.2]); await end("drop"); seen.push(cm().getValue(), JSON.stringify(moved.place.points));
    turned = await turn("crank_hinge.angle"); seen.push(turned.ends[0], turned.ends[1], turned.most > turned.start && turned.most < turned.start + 1);
    /* a part in a mirror, whose other side moves too */
    first = await choose("wishbone_corner"); moved = await move("point right.B", [0.01, -0.02, 0.015]); seen.push(off(moved, first, "point right.B", [0.01, -0.02, 0.015]) < 0.001, off(moved, first, "point left.B", [0.01, 0.02, 0.015]) < 0.001);
    await end("cancel");
    turned = await turn("left.rise"); seen.push(turned.unit, turned.ends.filter(Boolean).length);
    await choose("four_bar"); first = await picture(); turned = await turn(first.place.start[0].coordinate); seen.push(turned.case.times.length); /* a template, whose files are in one folder */
    await choose("servo"); turned = await turn("motor.angle"); seen.push(turned.kept.join()); /* a mechanism with states, which need no drive */
    /* millimetres, a list in two lines, a comment */
    var model = "schema = 1\n[model]\nunits = mm\n[body bar]\nmass = 1\ncom = 0, 0, -500\ninertia = 1, 1, 1\n[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[point tip]\nat = 0,    ; across\n     0, -1e3 ; down\nbodies = bar\n[vector axis]\nalong = 0, 1, 0\nbodies = ground, bar\n";
    var run = "schema = 1\n[model]\nfile = hanging_model.ini\n[case swing]\nduration = 1\nstep = 0.01\n";
    await looked(function () { drop([["hanging.ini", run], ["hanging_model.ini", model]]); }); await picture();
    moved = await move("point tip", [0.1, 0, 0.25]); await end("drop"); seen.push(cm().getValue() === model.replace("at = 0,    ;", "at = 100,    ;").replace("-1e3", "-750"));
    /* a scalar that the run file gives, and to a later case another value */
    run = "schema = 1\n[model]\nfile = two_model.ini\n[scalars]\nd = -1\n[case swing]\nduration = 1\nstep = 0.01\n[case later]\nduration = 1\nstep = 0.01\nscalar.d = -2\n";
    await looked(function () { drop([["two.ini", run], ["two_model.ini", model.replace("units = mm\n", "[scalars]\nd = 1\n").replace("-500", "-0.5").replace("-1e3", "d")]]); });
    first = await picture(); moved = await move("point tip", [0, 0, 0.25]); await end("drop"); seen.push(cm().getValue() === run.replace("d = -1\n", "d = -0.75\n"), off(moved, first, "point tip", [0, 0, 0.25]) < 0.001);
    seen.push(document.querySelectorAll("#state.bad").length);'
check all [ "${#got[@]}" -eq 41 ]
check no_complaint no_complaint

# The picture is where the native program has what was written: same RUN.ini TEXT-OF-MODEL POINTS.
same() {
  printf '%s' "$2" >"$dir/model.ini"
  sed "s|^file = .*|file = model.ini|" "configs/$1.ini" >"$dir/run.ini"
  printf '%s' "$3" >"$dir/points.json"
  "$MBOPT" model "$dir/run.ini" --json --output "$dir/out" >"$dir/native.json" &&
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
check where_it_is same four_bar_path "${got[3]}" "${got[4]}"
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
check two_files_at_once [ "${got[*]:19:6}" = "true true false false false false true true false false false true" ]
check bounds grep -q "design base.*outside of the bounds" <<<"${got[25]}"
check spatial same spatial_four_bar "${got[26]}" "${got[27]}"
check locks grep -q "singular position\|does not reach" <<<"${got[29]}"
check locks_between [ "${got[28]}${got[30]}" = true ]
check mirrored [ "${got[*]:31:2}" = "true true" ]
check drive_of_a_part [ "${got[*]:33:2}" = "m 2" ]
check template [ "${got[35]}" -gt 20 ]
check states [ "${got[36]}" = arm.angle ]
check millimetres [ "${got[37]}" = true ]
check scalar_of_the_first_case [ "${got[*]:38:2}" = "true true" ]

# The handles of the picture, which is a page of its own here and hears what it says.
python3 - "$web/index.html" <<<'
import base64, gzip, re, sys
print(gzip.decompress(base64.b64decode(re.search(r"id=\"drawing\">([^<]*)", open(sys.argv[1]).read()).group(1))).decode())
' >"$dir/picture.html"
first="${got[1]}"
see "$dir/picture.html" '
  Element.prototype.setPointerCapture = function () {};
  var first = '"$first"', said = [];
  addEventListener("message", function (e) { if (!e.data.place && !e.data.turned) { said.push(e.data); } });
  function handle(name) { return document.querySelector(".handle[data-key=\"" + name + "\"]"); }
  function key(e, name) { e.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true })); }
  function pointer(e, kind, x, y) { e.dispatchEvent(new PointerEvent(kind, { pointerId: 7, clientX: x, clientY: y, bubbles: true, cancelable: true })); }
    first.place.start.push({ coordinate: "ball.e0", unit: "-", value: 1 });
    postMessage(first, "*"); await soon(); all("#coordinate option").forEach(function (o) { if (o.value.startsWith("ball")) { seen.push(o.value); } });
    seen.push(document.querySelectorAll(".handle").length, document.querySelectorAll(".handle.fixed").length, handle("point P2").getAttribute("aria-label"), at("told").textContent);
    var b = handle("point B"), box = b.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    said = []; pointer(b, "pointerdown", x, y); pointer(b, "pointermove", x + 30, y); pointer(b, "pointerup", x + 30, y); await soon();
    seen.push(said.map(function (m) { return Object.keys(m)[0]; }).join(), said[1].move.d[0] > 0.05 && Math.abs(said[1].move.d[2]) < 1e-12 && said[1].move.grain < 0.02, said[2].end);
    said = []; b.focus(); key(b, "ArrowUp"); key(b, "ArrowUp"); key(b, "Enter"); await soon(); seen.push(said.map(function (m) { return m.move ? m.move.d.map(function (v) { return v.toFixed(3); }).join(" ") : m.grab || m.end; }).join());
    said = []; key(b, "ArrowUp"); key(b, "Escape"); key(handle("point P2"), "ArrowUp"); await soon(); seen.push(said[said.length - 1].end);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, bubbles: true })); await soon(); seen.push(said[said.length - 1].undo);
    seen.push(document.querySelectorAll("g.axis").length, at("point").textContent);
    document.querySelector("#point button").click(); await soon(); seen.push(said[said.length - 1].go.line);
    /* a coordinate that is turned a tenth to either side, and locks at one of them */
    var still = first.place.case;
    put(at("coordinate"), "JA.angle"); await soon(); seen.push(said[said.length - 1].turn);
    postMessage({ turned: { case: Object.assign({}, still, { times: [0, 0.1, 0.2], duration: 0.2, bodies: still.bodies.map(function (b) { return Object.assign({}, b, { pose: b.pose.concat(b.pose, b.pose) }); }) }),
      coordinate: "JA.angle", unit: "rad", start: 0, least: -0.1, most: 0.1, ends: [null, "a dead point"], kept: ["J3.angle"] } }, "*"); await soon();
    seen.push(at("ends").textContent); at("angle").value = 0.05; at("angle").dispatchEvent(new Event("input")); seen.push(at("value").textContent, document.querySelector(".handles").hidden);
    at("back").click(); seen.push(at("value").textContent, document.querySelector(".handles").hidden);
    HTMLAnchorElement.prototype.click = function () { seen.push(this.download); }; press(".mbs-share", "Picture"); await soon(500); seen.push(document.querySelector(".mbs-share output").textContent);'
check frame_complaint no_complaint
check handles [ "${got[*]:0:2}" = "5 3" ]
check reason grep -q '^Point P2 at 0.5, -2, 0 m. It cannot be dragged: L12 = hypot' <<<"${got[2]}"
check freedoms grep -q 'rank 2: 2 degrees of freedom' <<<"${got[3]}"
check pointer [ "${got[*]:4:3}" = "grab,move,end true drop" ]
check keys [ "${got[7]}" = "point B,0.000 0.010 0.000,0.000 0.020 0.000,drop" ]
check escape [ "${got[*]:8:2}" = "cancel once" ]
check arrows [ "${got[10]}" = 2 ]
check numbers grep -q '^Point B on ground, B3. xB = 1 yB = 0' <<<"${got[11]}"
check to_the_line [ "${got[12]}" = 17 ]
check turn [ "${got[*]:13:6}" = "JA.angle It locks beyond 5.7°. J3.angle stays. 2.9° true 0.0° false" ]
check saved_picture [ "${got[*]:19}" = motion.png ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 36 ]
