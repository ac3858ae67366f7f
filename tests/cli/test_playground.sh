#!/usr/bin/env bash
# The playground from a disk, where scripts/web has built it: a problem that is chosen and simulated has the numbers of a native run; an error that is typed is
# told with its line, in the editor, which completes keys and takes back; the link holds the files; a template, a robot and a table that are dropped; a link of a stranger does nothing; nothing from elsewhere.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" # dir, passed, failed
web="${MBOPT_WEB:-$PWD/build/web}"
[ -e "$web/index.html" ] || { echo "skipped: $web has no playground (scripts/web builds it)"; exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/browser.sh"

# A page of the playground with a script that waits for it: `await ran("Simulate")`, `await choose("name of a run file")`.
tools='var at = function (id) { return document.getElementById(id); }, seen = [], optimum; function cm() { return document.querySelector(".CodeMirror").CodeMirror; }
  function event(name, act) { return new Promise(function (done) { document.addEventListener(name, function (e) { setTimeout(done, 0, e.detail); }, { once: true }); if (act) { act(); } }); }
  function looked(act) { return event("mbopt-looked", act); }
  function ran(name) { return event("mbopt-ran", function () { Array.from(at("commands").children).find(function (b) { return b.textContent === name; }).click(); }); }
  function choose(name) { return looked(function () { var o = Array.from(at("runs").options).find(function (x) { return x.textContent === name; }); at("runs").value = o.value; at("runs").dispatchEvent(new Event("change")); }); }
  function type(from, to) { return looked(function () { cm().setValue(cm().getValue().replace(from, to)); }); }
  function wrong() { return document.querySelector(".CodeMirror-lint-line-error .CodeMirror-linenumber").textContent; }
  function drop(files) { return looked(function () { var t = new DataTransfer(); files.forEach(function (f) { t.items.add(new File([f[1]], f[0])); }); dispatchEvent(Object.assign(new Event("drop", { cancelable: true }), { dataTransfer: t })); }); }
  function tabs() { return Array.from(at("tabs").children, function (t) { return t.textContent; }).join(" "); }
  function soon() { return new Promise(function (done) { setTimeout(done, 100); }); } /* for what has no event of its own */
  function hung() { return new Promise(function (done, fail) { setTimeout(fail, 300000, new Error("nothing after five minutes: " + seen.join("|"))); }); } /* a hundred times what it takes */
  function text() { return at("text").textContent; }'
playground() { # SCRIPT [HASH]
  local page="$dir/page.html"
  page_with "$web/index.html" "$tools
    window.mbopt_seen = Promise.race([hung(), (async function () { await looked(); $1 })()]).then(function () { document.title = seen.join('|'); }, function (e) { document.title = 'failed: ' + e.stack; });" >"$page"
  open_page "$page${2:-}"
  grep -o '<title>[^<]*' "$dir/dom" | head -1 | sed 's/<title>//'
}


IFS='|' read -r -a got <<<"$(playground '
  await choose("five_bar"); seen.push(tabs(), at("state").textContent);
  var told = await ran("Simulate"); seen.push(told.code, text().match(/psi1 = (\S+?)results/)[1]);
  var frame = document.createElement("iframe"); frame.srcdoc = at("page").srcdoc; await new Promise(function (done) { frame.onload = done; document.body.append(frame); }); seen.push(typeof frame.contentWindow.mbopt_motion.seek); frame.remove();
  await ran("Gradient"); seen.push(text().match(/d\/d Ls1 +(\S+?) *d\/d/)[1]);
  told = await ran("Optimize"); seen.push(told.code, /ipopt is not in this page/.test(text()), /converged/.test(text()));
  var before = cm().getValue(); await looked(function () { at("views").lastChild.click(); }); optimum = cm().getValue().match(/start = \S+\nlower/g).join(" ").replace(/\n/g, " ");
  await looked(function () { cm().setValue(before); });
  told = await ran("Linearize"); seen.push(told.code, /2 degrees of freedom, 4 eigenvalues/.test(text()));
  await type("duration", "duratoin"); seen.push(at("state").textContent, wrong());
  await ran("Simulate"); seen.push(cm().getSelection());
  seen.push(Array.from(document.querySelectorAll(".CodeMirror-lint-mark-error"), function (m) { return m.textContent; }).join(" ")); await looked(function () { cm().execCommand("undo"); }); seen.push(/duration = 5/.test(cm().getValue()), document.querySelectorAll(".CodeMirror-lint-mark-error").length);
  var line = cm().posFromIndex(cm().getValue().indexOf("duration")).line; cm().replaceRange("integ\n", { line: line, ch: 0 }); cm().setCursor({ line: line, ch: 5 }); cm().getOption("extraKeys")["Ctrl-Space"](); seen.push(cm().getLine(line));
  await type("integrator = \nduration = 5", "duration = 0.5");
  cm().setCursor(cm().posFromIndex(cm().getValue().indexOf("form") + 7)); seen.push(at("help").textContent);
  at("share").click(); await soon(); seen.push(location.hash);
  function places(p) { return p.place.case.bodies.map(function (b) { return b.pose[0].toFixed(6); }).join(" "); }
  var first = await looked(function () { at("views").children[2].click(); }); seen.push(first.place.case.bodies.length);
  at("tabs").children[1].click(); var moved = await type("x2 = 0.5", "x2 = 0.6"); seen.push(places(first) !== places(moved));
  moved = await type(/L12 = .*\nL23 = .*/, "L12 = 0.1\nL23 = 0.1"); seen.push(at("state").textContent.replace(/\n/g, " "), moved.place.apart === at("state").textContent);
  await type("L12 = 0.1\nL23 = 0.1", "L12 = hypot(x2 - x1, y2 - y1)\nL23 = hypot(x3 - x2, y3 - y2)");
  told = await ran("Model"); seen.push(told.code, at("page").srcdoc.includes("mbopt_scene"));
  await type("joints = named", "jonts = named"); seen.push(at("state").textContent, wrong());
  at("tabs").children[0].click(); await ran("Gradient"); seen.push(cm().getSelection());
  at("tabs").children[0].click(); document.querySelector("#state .place, #text .place").click(); seen.push(cm().getInputField().getAttribute("aria-label"), optimum);')"
check all [ "${#got[@]}" -eq 31 ]
check editor [ "${got[*]:14:4}" = "[case swing] duratoin true 0 integrator = " ]
got=("${got[@]:0:14}" "${got[@]:18}")
check no_complaint no_complaint
"$MBOPT" simulate configs/five_bar.ini --output "$dir/native" >"$dir/said"
check tabs [ "${got[0]}" = "configs/five_bar.ini five_bar/five_bar.ini" ]
check state [ "${got[1]}" = "five_bar.ini: 2 variables, 1 objective, 0 constraints" ]
check simulate [ "${got[2]} ${got[3]}" = "0 $(sed -n 's/^psi1 = //p' "$dir/said")" ]
check report [ "${got[4]}" = function ] # its scripts run under the policy of the page
check gradient [ "${got[5]}" = "$("$MBOPT" gradient configs/five_bar.ini 2>/dev/null | awk '/Ls1/ { print $3 }')" ]
check optimize [ "${got[*]:6:3}" = "0 true true" ]
check optimum [ "$(grep -o 'start = ' <<<"${got[26]}" | wc -l)" -eq 2 ]
check linearize [ "${got[*]:9:2}" = "0 true" ]
check error grep -q "^/configs/five_bar.ini:17: .* did you mean 'duration'?" <<<"${got[11]}"
check line [ "${got[12]} ${got[13]}" = "17 [case swing]" ]
check picture [ "${got[*]:16:2}" = "4 true" ]
check apart grep -q 'cannot be assembled' <<<"${got[18]}"
check closest [ "${got[19]}" = true ]
check model [ "${got[*]:20:2}" = "0 true" ]
check error_in_model grep -q "^/problems/five_bar/five_bar.ini:${got[23]}: .*'jonts'" <<<"${got[22]}"
check jump [ "${got[24]} ${got[25]}" = "jonts = named /problems/five_bar/five_bar.ini" ]
check help grep -q 'integral_square_above' <<<"${got[14]}"

# The link in a page of its own, and what is made, dropped, refused there.
link="${got[15]}"
IFS='|' read -r -a got <<<"$(playground '
  seen.push(tabs(), cm().getValue().match(/duration = .*/)[0]);
  await ran("Simulate"); seen.push(text().match(/psi1 = (\S+?)results/)[1]);
  var long = cm().getValue().replace("duration = 0.5", "duration = 5e4");
  await choose("four_bar"); seen.push(tabs(), at("state").textContent);
  await drop([["points.csv", "x, y\n1, 2\n"]]); seen.push(text().includes("points.csv is /new/four_bar/points.csv"));
  var robot = "<robot name=\"&lt;img src=x onerror=bad()&gt;\"><link name=\"base\"/><link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>" +
    "<joint name=\"turn\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint></robot>";
  await drop([["arm.urdf", robot]]); seen.push(tabs(), at("state").textContent);
  var told = await ran("Simulate"); seen.push(told.code, at("page").srcdoc.includes("<img src=x"));
  async function hash(data) { var packed = await new Response(new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
    return "#1" + btoa(String.fromCharCode.apply(null, new Uint8Array(packed))).replace(/\+/g, "-").replace(/\//g, "_"); }
  async function visit(h) { at("text").textContent = ""; await looked(function () { location.hash = h; }); seen.push(text()); }
  await visit("#1nonsense");
  await visit(await hash({ main: "/configs/x.ini", files: { "/configs/../../dev/x": "a" } }));
  await visit(await hash({ main: "/configs/five_bar.ini", files: { "/configs/big.ini": "a".repeat(2e7) } }));
  await visit(await hash({ main: "/configs/<b>.ini", files: {} }));
  await visit(await hash({ main: "/configs/x.ini", files: { "/configs/x.ini": "schema = 1\n; <img src=x onerror=bad()>\n[<script>bad()</scr" + "ipt>]\n[case a]\n" } })); seen.push(at("state").textContent);
  seen.push(document.querySelectorAll("img, #text script").length);
  /* an endless run is ended; files stay */
  await visit(await hash({ main: "/configs/five_bar.ini", files: { "/configs/five_bar.ini": long } }));
  setTimeout(function () { at("cancel").click(); }, 300); told = await ran("Simulate"); seen.push(told.code, /stopped$/.test(text()));
  told = await ran("Model"); seen.push(told.code, cm().getValue() === long);
  var t = new DataTransfer(); t.items.add(new File(["a".repeat(17e6)], "big.csv")); dispatchEvent(Object.assign(new Event("drop"), { dataTransfer: t })); await soon(); seen.push(text().includes("big.csv has 16.2 MiB: files of more than 16 MiB are not taken"));
  seen.push(performance.getEntriesByType("resource").filter(function (r) { return !r.name.startsWith("blob:"); }).length);
  var refused = []; document.addEventListener("securitypolicyviolation", function (e) { refused.push(e.effectiveDirective); });
  await fetch("http://127.0.0.1:1/").catch(function () {}); new Image().src = "http://127.0.0.1:1/"; await soon();
  at("about").innerHTML = "<img src=data:, onerror=\"window.bad = 1\">"; at("about").append(Object.assign(document.createElement("script"), { textContent: "window.bad = 1" })); await soon();
  seen.push(refused.join(" "), String(window.bad));' "$link")"
check all_of_link [ "${#got[@]}" -eq 26 ]
sed -i '/http:..127.0.0.1:1/d; /violates the following Content Security Policy directive .script-src/d' "$dir/log" # what the policy has refused
check no_complaint no_complaint
"$MBOPT" simulate configs/five_bar.ini --set case.swing.duration=0.5 --output "$dir/native" >"$dir/said"
check link [ "${got[0]} ${got[1]}" = "configs/five_bar.ini • five_bar/five_bar.ini duration = 0.5" ]
check same [ "${got[2]}" = "$(sed -n 's/^psi1 = //p' "$dir/said")" ]
check new [ "${got[*]:3:2}" = "four_bar.ini • four_bar_model.ini • four_bar.ini: 3 variables, 1 objective, 1 constraint" ]
check table [ "${got[5]}" = true ]
check robot [ "${got[6]}" = "arm.ini • arm_model.ini •" ]
check robot_moves [ "${got[8]} ${got[9]}" = "0 false" ]
check broken grep -q '^the link cannot be read: ' <<<"${got[10]}"
check place grep -q "names a file '/configs/../../dev/x', whose place is not one of this page" <<<"${got[11]}"
check large grep -q 'larger than 16 MiB' <<<"${got[12]}"
check not_there grep -q 'is not in it' <<<"${got[13]}"
check stranger grep -q "^/configs/x.ini:3: section" <<<"${got[15]}"
check nothing_made [ "${got[16]}" = 0 ]
check cancelled [ "${got[*]:18:4}" = " true 0 true" ]
check huge [ "${got[22]}" = true ]
check no_network [ "${got[*]:23}" = "0 connect-src img-src script-src-attr script-src-elem undefined" ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 37 ]
