#!/usr/bin/env bash
# The playground from a disk, where scripts/web has built it: a problem that is chosen and simulated has the numbers of a native run; an error that is typed is
# told with its line, in the editor, which completes keys and takes back; the link holds the files; a template, a robot and a table that are dropped; a link of a stranger does nothing; nothing from elsewhere.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" # dir, passed, failed
source "$(dirname "${BASH_SOURCE[0]}")/web_page.sh" index.html
# shellcheck disable=SC2154 # web and got, of web_page.sh
page="$web/index.html" text='function text() { return at("text").textContent; }
  function places(p) { return p.place.case.bodies.map(function (b) { return b.pose[0].toFixed(6); }).join(" "); }
  await looked();'

see "$page" "$text"'
  await choose("five_bar"); seen.push(tabs(), at("state").textContent);
  var told = await ran("Simulate"); seen.push(told.code, text().match(/psi1 = (\S+?)results/)[1]);
  var frame = document.createElement("iframe"); frame.srcdoc = at("page").srcdoc; await new Promise(function (done) { frame.onload = done; document.body.append(frame); }); seen.push(typeof frame.contentWindow.mbopt_motion.seek); frame.remove();
  await ran("Gradient"); seen.push(text().match(/d\/d Ls1 +(\S+?) *d\/d/)[1]);
  told = await ran("Optimize"); seen.push(told.code, /ipopt is not in this page/.test(text()), /converged/.test(text()));
  var before = cm().getValue(); await looked(function () { press("#views", "Start from optimum"); }); var optimum = cm().getValue().match(/start = \S+\nlower/g).join(" ").replace(/\n/g, " ");
  await looked(function () { cm().setValue(before); });
  told = await ran("Linearize"); seen.push(told.code, /2 degrees of freedom, 4 eigenvalues/.test(text()));
  await type("duration", "duratoin"); seen.push(at("state").textContent, wrong());
  await ran("Simulate"); seen.push(cm().getSelection());
  seen.push(marks()); await looked(function () { cm().execCommand("undo"); }); seen.push(/duration = 5/.test(cm().getValue()), marks().length);
  var line = cm().posFromIndex(cm().getValue().indexOf("duration")).line; cm().replaceRange("integ\n", { line: line, ch: 0 }); cm().setCursor({ line: line, ch: 5 }); cm().getOption("extraKeys")["Ctrl-Space"](); seen.push(cm().getLine(line));
  await type("integrator = \nduration = 5", "duration = 0.5");
  cm().setCursor(cm().posFromIndex(cm().getValue().indexOf("form") + 7)); seen.push(at("help").textContent);
  at("share").click(); await soon(); seen.push(location.hash);
  var first = await picture(); seen.push(first.place.case.bodies.length);
  tab(1); var moved = await type("x2 = 0.5", "x2 = 0.6"); seen.push(places(first) !== places(moved));
  moved = await type(/L12 = .*\nL23 = .*/, "L12 = 0.1\nL23 = 0.1"); seen.push(at("state").textContent, moved.place.apart === at("state").textContent);
  await type("L12 = 0.1\nL23 = 0.1", "L12 = hypot(x2 - x1, y2 - y1)\nL23 = hypot(x3 - x2, y3 - y2)");
  told = await ran("Model"); seen.push(told.code, at("page").srcdoc.includes("mbopt_scene"));
  await type("joints = named", "jonts = named"); seen.push(at("state").textContent, wrong());
  tab(0); await ran("Gradient"); seen.push(cm().getSelection());
  tab(0); document.querySelector("#state .place, #text .place").click(); seen.push(cm().getInputField().getAttribute("aria-label"), optimum);'
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
see "$page" "$text"'
  seen.push(tabs(), cm().getValue().match(/duration = .*/)[0]);
  await ran("Simulate"); seen.push(text().match(/psi1 = (\S+?)results/)[1]);
  var long = cm().getValue().replace("duration = 0.5", "duration = 5e4");
  await choose("four_bar"); seen.push(tabs(), at("state").textContent);
  await looked(function () { drop([["points.csv", "x, y\n1, 2\n"]]); }); seen.push(text().includes("points.csv is /new/four_bar/points.csv"));
  var robot = "<robot name=\"&lt;img src=x onerror=bad()&gt;\"><link name=\"base\"/><link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>" +
    "<joint name=\"turn\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint></robot>";
  await looked(function () { drop([["arm.urdf", robot]]); }); seen.push(tabs(), at("state").textContent);
  var told = await ran("Simulate"); seen.push(told.code, at("page").srcdoc.includes("<img src=x"));
  async function hash(data) { var packed = await new Response(new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
    return "#1" + btoa(String.fromCharCode.apply(null, new Uint8Array(packed))).replace(/\+/g, "-").replace(/\//g, "_"); }
  async function visit(h) { at("text").textContent = ""; location.hash = h; while (!text()) { await soon(); } await soon(500); seen.push(text()); }
  await visit("#1nonsense");
  await visit(await hash({ main: "/configs/x.ini", files: { "/configs/../../dev/x": "a" } }));
  await visit(await hash({ main: "/configs/five_bar.ini", files: { "/configs/big.ini": "a".repeat(2e7) } }));
  await visit(await hash({ main: "/configs/<b>.ini", files: {} }));
  await visit(await hash({ main: "/configs/x.ini", files: { "/configs/x.ini": "schema = 1\n; <img src=x onerror=bad()>\n[<script>bad()</scr" + "ipt>]\n[case a]\n" } })); seen.push(at("state").textContent);
  seen.push(document.querySelectorAll("img, #text script").length);
  /* files of a link are gone with the next one */
  var run = "schema = 1\n[model]\nfile = b.ini\n[case swing]\nduration = 1\nstep = 0.01\n", bar = "mass = 1\ncom = 0, 0, -0.5\ninertia = 1, 1, 1\n";
  async function link(files, state) { location.hash = await hash({ main: "/new/a.ini", files: files }); for (var i = 0; i < 50 && !state.test(at("state").textContent); i++) { await soon(); } seen.push(at("state").textContent); }
  await link({ "/new/a.ini": run, "/new/b.ini": "schema = 1\n[model]\n[body bar]\n" + bar + "[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[vector axis]\nalong = 0, 1, 0\nbodies = ground, bar\n" }, /^a.ini:/);
  await link({ "/new/a.ini": run }, /b.ini/);
  /* an endless run is ended; files stay, and wait */
  await visit(await hash({ main: "/configs/five_bar.ini", files: { "/configs/five_bar.ini": long } }));
  setTimeout(function () { drop([["late.ini", run]]); at("cancel").click(); }, 300); told = await ran("Simulate"); seen.push(told.code, /stopped$/.test(text()), /files are taken when it has ended/.test(text()));
  told = await ran("Model"); seen.push(told.code, cm().getValue() === long);
  drop([["big.csv", "a".repeat(17e6)]]); await soon(); seen.push(text().includes("big.csv has 16.2 MiB: files of more than 16 MiB are not taken"));
  seen.push(foreign());
  var refused = []; document.addEventListener("securitypolicyviolation", function (e) { refused.push(e.effectiveDirective); });
  await fetch("http://127.0.0.1:1/").catch(function () {}); new Image().src = "http://127.0.0.1:1/"; await soon();
  at("about").innerHTML = "<img src=data:, onerror=\"window.bad = 1\">"; at("about").append(Object.assign(document.createElement("script"), { textContent: "window.bad = 1" })); await soon();
  seen.push(refused.join(" "), String(window.bad));' "$link"
check all_of_link [ "${#got[@]}" -eq 29 ]
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
check gone [ "${got[17]}" = "a.ini: 0 variables, 0 objectives, 0 constraints" ]
check gone_is_told grep -q "/new/b.ini" <<<"${got[18]}"
check cancelled [ "${got[*]:20:5}" = " true true 0 true" ]
check huge [ "${got[25]}" = true ]
check no_network [ "${got[*]:26}" = "0 connect-src img-src script-src-attr script-src-elem undefined" ]

# In the background a page goes on: what is typed is read, commands run, the picture follows.
look=("${usual[@]:0:2}" hidden)
see "$page" "$text"'
  seen.push(document.visibilityState); await choose("five_bar"); var first = await picture(); tab(1); var moved = await type("xB = 1", "xB = 1.1"); seen.push(places(first) !== places(moved));
  var told = await ran("Simulate"); seen.push(told.code, at("page").srcdoc.includes("mbopt_scene"));'
look=("${usual[@]}")
check background [ "${got[*]}" = "hidden true 0 true" ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 40 ]
