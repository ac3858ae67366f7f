#!/usr/bin/env bash
# Pages of mbopt report in a real browser: no error in its console, tables and figures drawn, headings that sort.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/browser.sh"
for backend in ipopt lbfgsb; do
  built_in "$backend" || { echo "skipped: $backend is not built in"; exit 77; }
done

"$MBOPT" configs/five_bar.ini --quiet --output "$dir/five"
"$MBOPT" report "$dir/five" --quiet
"$MBOPT" compare configs/five_bar.ini --set case.swing.duration=0.5 --backends lbfgsb,ipopt:gauss_newton --quiet --output "$dir/compare"
"$MBOPT" report "$dir/compare" --quiet

open_page "$dir/five/report.html"
check optimization no_complaint
for part in "<h1>five_bar.ini: optimization</h1>" "<td>Ls1</td>" "P2.position.x [m]" "converged (Optimal solution found)" \
  '<th scope="col" class="number">'; do
  has "$part"
done
open_page "$dir/compare/report.html"
check comparison no_complaint
for part in "<h1>five_bar.ini: comparison</h1>" "<td>ipopt:gauss_newton</td>" "2 of 2 reached"; do has "$part"; done

# ---- would a complaint be noticed?
with_test "$dir/five/report.html" 'nothing();' >/dev/null
check noticed grep -q 'CONSOLE.*nothing is not defined' "$dir/log"

# ---- a name that were not escaped would run nothing; without the policy it would
stranger() { # SED: of the page
  sed "s|<main>|<main><img src=\"data:,\" onerror=\"bad('attribute')\"><script>bad('element')</script>|; s|<head>|<head><script>var ran = []; function bad(name) { ran.push(name); }</script>|; ${1:-}" \
    "$dir/five/report.html" >"$dir/stranger.html"
  with_test "$dir/stranger.html" 'window.mbopt_seen = new Promise(function (done) { setTimeout(function () { document.title = "ran: " + ran.join(" "); done(); }, 100); });'
}
check stranger [ "$(stranger)" = "ran: " ]
check stranger_is_one [ "$(stranger '/Content-Security-Policy/d')" = "ran: element attribute" ]

# What scripts need to read a figure of plot.js by the mouse.
point='function over(p, series, k, type) { var q = p.place(series, k); p.chart.dispatchEvent(new PointerEvent(type || "pointermove", {clientX: q.x, clientY: q.y, bubbles: true, button: 0, pointerType: "mouse"})); }
  function value(p) { return p.chart.parentElement.querySelector("output strong").textContent.split(" ")[0]; }'

# ---- every figure has a size, nothing is wider than the window, every entry of the contents leads somewhere
# One look at the page for all of this, the graph and the table that sorts: a body under the mouse in the graph is alone in colour in the
# animation, in which others change; a click sorts, by value (1e-25 is less than 0.7), a second one turns it round.
canvases='return document.querySelectorAll("#scene canvas").length + " " + document.querySelector("#scene").textContent.includes("Pause");'
# Figures: bounds, then convergence. Their numbers are those of result.json and history.csv.
sizes="$point"'var p = mbopt_plots, seen = [], s = document.querySelectorAll(".plot svg"), n = 0; s.forEach(function (x) { var b = x.getBoundingClientRect(); n += b.width > 300 && b.height > 60; });
  seen.push(n === s.length && p.length);
  over(p[0], 2, 0); seen.push(p[0].text()); over(p[1], 0, 2); seen.push(value(p[1]), p[1].text().includes("iteration 2"));
  seen.push(p[0].csv().split("\n").length, p[1].csv().split("\n")[0], p[1].svg().slice(1, 4), p[1].spec.y.log); return seen.join(";");'
links='var n = 0; document.querySelectorAll("nav a").forEach(function (a) { n += !document.getElementById(a.hash.slice(1)); }); return n;'
lights='var seen = [], box = document.querySelector(".graph [data-body=A1]"), light = mbopt_motion.light, c = document.querySelector("#scene canvas");
  function look() { return c.toDataURL(); }
  mbopt_motion.light = function (name) { seen.push(name); light(name); };
  mbopt_motion.pause(); mbopt_motion.seek(0.5);
  var before = look(); box.dispatchEvent(new PointerEvent("pointerenter")); seen.push(look() !== before);
  box.dispatchEvent(new PointerEvent("pointerleave")); seen.push(look() === before);
  return document.querySelectorAll(".graph [data-body]").length + " " + seen.map(String).join(" ");'
sort='var t = document.querySelector("#convergence table"), h = t.querySelectorAll("th")[2], b = h.querySelector("button");
  function column() { return Array.from(t.tBodies[0].rows).map(function (r) { return Number(r.cells[2].dataset.value); }); }
  function rises(v) { return v.every(function (x, i) { return i === 0 || v[i - 1] <= x; }); }
  b.click(); var up = rises(column()) && h.getAttribute("aria-sort") === "ascending";
  b.click(); return up && rises(column().reverse()) && h.getAttribute("aria-sort") === "descending";'
asked=""
for script in "$sizes" "$links" "$canvases" "$lights" "$sort"; do asked+="(function () { $script })(), "; done
IFS='|' read -r -a g <<<"$(with_test "$dir/five/report.html" "return [$asked].join('|');")"
curves="$(grep -c 'json" id="curves">{' "$dir/five/report.html")" # the program has dygraphs
IFS=';' read -r -a f <<<"${g[0]}"
check figures [ "${f[0]}" = "$((5 - 3 * curves))" ]
check figure_of_bounds [ "${f[1]#*text: }" = "result: Ls1 → $(awk -F'[: ,]+' '/"design"/ { on = 1 } on && /"Ls1"/ { printf "%.7g %%Ls1 = %.7g m, bounds 0.5 and 4", 100 * ($3 - 0.5) / 3.5, $3; exit }' "$dir/five/result.json")" ]
check figure_of_convergence [ "${f[2]} ${f[3]}" = "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "objective") k = i } NR == 4 { printf "%.7g", $k }' "$dir/five/history.csv" | sed 's/e-0*/e-/') true" ]
check figure_files [ "${f[4]} ${f[5]} ${f[6]} ${f[7]}" = "6 series,simulated designs,objective [m^2 s],remark svg true" ]
check contents [ "${g[1]}" = 0 ]
check moves [ "${g[2]}" = "2 true" ]
check graph [ "${g[3]}" = "5 A1 true null true" ]
check sorting [ "${g[4]}" = true ]
got="$(with_test "$dir/compare/report.html" 'return document.documentElement.scrollWidth <= window.innerWidth;')"
check width [ "$got" = true ]

# ---- what a reader wants first is first; structure and settings are folded, until the contents lead there
script='var seen = [Array.from(document.querySelectorAll("nav a"), function (a) { return a.textContent; }).join(), document.querySelector(".verdict").textContent],
    fold = document.querySelector("#mechanism .fold");
  seen.push(document.querySelectorAll(".fold[open]").length); location.hash = "#mechanism"; window.dispatchEvent(new Event("hashchange")); seen.push(fold.open);
  seen.push(Array.from(document.querySelectorAll("#result td"), function (c) { return c.textContent; }).join()); return seen.join("|");'
IFS='|' read -r -a g <<<"$(with_test "$dir/five/report.html" "$script")"
check order [ "${g[0]}" = "Result,Time histories,Motion,Design,Convergence,What the objective sees,Objectives and constraints,Mechanism,What was run,Configuration" ]
check "verdict ${g[1]}" grep -qE '^Converged: objective 0\.7269 → [0-9.e-]+ m\^2 s \(-100 %\), 6 simulated designs in [0-9.e-]+ s\. $' <<<"${g[1]}"
check folded [ "${g[2]} ${g[3]}" = "0 true" ]
check "gain ${g[4]}" grep -qE '^psi1,0.726872,[0-9.e-]+,-100,m\^2 s,P2.position at 0.5, -2, 0$' <<<"${g[4]}"

# ---- paper, from a narrow and a wide window, by night: light, as wide as A4, each figure a picture with both axes named and its legend,
# without what only a screen can do; afterwards all is as before. A figure on the screen has both axes named, too.
# One page from each window, with MBOPT_LONG both.
for size in 390 1400; do
  look=("$size" 900 dark)
  [ "$curves" -eq 1 ] && { [ "$size" = 390 ] || [ -n "${MBOPT_LONG:-}" ]; } && check "paper $size" [ "$(with_test "$dir/five/report.html" "$paper")" = "700|rgb(255, 255, 255)|5|4|0|true||" ]
  [ "$size" = 390 ] && [ -z "${MBOPT_LONG:-}" ] || check "paper $size of a comparison" grep -qE '^700\|rgb\(255, 255, 255\)\|[2-9]\|[0-9]\|0\|true\|\|$' <<<"$(with_test "$dir/compare/report.html" "$paper")"
done
look=("${usual[@]}")

# ---- legible: texts of 11 pixels and more, contrast 4.5 and more (WCAG 2.1, AA), by day and by night, on a narrow screen, which is not wider
is_dark() { [ "$1" = dark ] && echo 1 || echo 0; }
for scheme in light dark; do
  got="$(on_a_phone "$dir/five/report.html" "document.querySelectorAll('.curve-bar select, .curve-head select').forEach(function (s) { s.add(new Option('a.long.name.'.repeat(8))); }); $legible" $scheme)"
  check "legible $scheme" [ "$got" = "360 true true true $(is_dark $scheme) " ]
done

# ---- a picture and a poster are as large as is said and not empty; a series has its pictures, in a file that other programs open
script='var m = mbopt_motion, c = document.querySelector("#scene canvas"), seen = []; m.pause(); m.seek(0.5);
  function inked(s) { var t = document.createElement("canvas"), x = t.getContext("2d", {willReadFrequently: true}); t.width = s.width; t.height = s.height; x.drawImage(s, 0, 0);
    var d = x.getImageData(0, 0, s.width, s.height).data, n = 0; for (var i = 0; i < d.length; i += 4) { n += Math.abs(d[i] - d[0]) + Math.abs(d[i + 1] - d[1]) > 20; } return n / (s.width * s.height); }
  var before = c.toDataURL(), one = m.shot(null, 2), poster = m.shot(null, 2, [0, 1, 2, 3, 4]);
  seen.push(one.width === 4 * c.clientWidth && one.height === 2 * c.clientHeight, inked(one) > 0.005, inked(poster) > inked(one), c.toDataURL() === before);
  seen.push(m.share.crcOf(new TextEncoder().encode("123456789")).toString(16));
  seen.push(Array.from(m.share.box.querySelectorAll("button"), function (b) { return b.textContent; }).join(" ")); var zip = m.share.zipOf([{name: "a.txt", bytes: new TextEncoder().encode("one")}, {name: "b.txt", bytes: new TextEncoder().encode("two")}]);
  zip.arrayBuffer().then(function (b) { document.title += btoa(String.fromCharCode.apply(null, new Uint8Array(b))); });
  return seen.join("|") + "|";'
IFS='|' read -r -a g <<<"$(with_test "$dir/five/report.html" "$script")"
check share_quietly no_complaint
check pictures [ "${g[0]} ${g[1]} ${g[2]} ${g[3]} ${g[4]} ${g[5]}" = "true true true true cbf43926 Picture Poster Series Film" ]
echo "${g[6]}" | base64 -d >"$dir/two.zip"
python="$(python_with zipfile)"
[ -z "$python" ] || check zip [ "$("$python" -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), *(n + ":" + z.read(n).decode() for n in z.namelist()))' "$dir/two.zip")" = "None a.txt:one b.txt:two" ]
# a film and a series of the whole motion, recorded in real time (MBOPT_LONG): a film is one of EBML, has the size of the picture, and has a duration
if [ -n "$python" ] && [ -n "${MBOPT_LONG:-}" ]; then
  "$python" tests/cli/browser_promise.py "$browser" "$dir/real" "$dir/five/report.html" '(async () => {
    const m = mbopt_motion, speed = document.querySelector("select[aria-label=Speed]"), v = document.createElement("video");
    const coded = (b) => new Promise((done) => { const r = new FileReader(); r.onload = () => done(r.result.split(",")[1]); r.readAsDataURL(b); });
    const when = (name) => new Promise((done) => v.addEventListener(name, done, { once: true }));
    m.pause(); speed.value = "5"; speed.dispatchEvent(new Event("change"));
    const shot = m.shot(0, 1), film = await m.share.film(), series = await m.share.series();
    v.src = URL.createObjectURL(film); await when("loadedmetadata");
    const size = v.videoWidth === shot.width && v.videoHeight === shot.height;
    v.currentTime = 1e6; await when("seeked");
    return [size, v.currentTime, await coded(film.slice(0, 4)), await coded(series)].join("|"); })()' >"$dir/recorded"
  IFS='|' read -r -a g <"$dir/recorded"
  check "film ${g[*]:0:3}" [ "${g[0]} ${g[2]}" = "true GkXfow==" ]
  check "film_lasts ${g[1]}" awk -v t="${g[1]}" 'BEGIN { exit !(t > 0.1 && t < 100) }'
  echo "${g[3]}" | base64 -d >"$dir/series.zip"
  check series [ "$("$python" -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.namelist()), {z.read(n)[1:4] for n in z.namelist()})' "$dir/series.zip")" = "None 26 {b'PNG'}" ]
fi

# ---- a simulation without outputs, with names that mean harm: one canvas
sed -e '/^\[objective/,/^$/d' -e "s|^file = .*|file = $PWD/problems/five_bar/five_bar.ini|" configs/five_bar.ini >"$dir/alone.ini" # without outputs
harm="<img src=x onerror=nothing()>" # names that mean harm
mv "$dir/alone.ini" "$dir/$harm.ini"
"$MBOPT" simulate "$dir/$harm.ini" --quiet --output "$dir/simulate"
"$MBOPT" report "$dir/simulate" --quiet
check moves_alone [ "$(with_test "$dir/simulate/report.html" "$canvases")" = "1 true" ]
check moves_quietly no_complaint
got="$(with_test "$dir/simulate/report.html" 'var harm = "<img src=x onerror=nothing()>", box = document.createElement("div"), names = document.getElementById("curves"), n = 0;
  if (names) {
    var data = JSON.parse(names.textContent); data.called = [harm]; data.cases.push(data.cases[0]); data.cases[0].name = harm;
    data.cases[0].columns.forEach(function (c) { c.name = c.unit = harm; });
    data.cases[0].marks = [{of: harm, form: harm, y: 0, x: -1, target: 1, upper: 2}];
    document.body.append(box); var s = mbopt_curves(box, data, null); s.makeAll(); s.figures[0].choose(0, 1); s.read(0.1); n = s.figures[0].svg().split("<img").length - 1;
  }
  return document.querySelectorAll("img").length + n + " " + document.body.textContent.includes(harm);')"
check harmless [ "$got" = "0 true" ]
check harmless_quietly no_complaint

# ---- curves: the mouse reads the numbers of trajectory.csv, zooms all figures, chooses columns; files; the animation's time
if [ "$curves" -eq 1 ]; then
  at() { # COLUMN TIME: a number of trajectory.csv
    awk -F, -v column="$1" -v time="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) k = i; next }
      ($1 - time)^2 < 1e-12 { printf "%.7g", $k }' "$dir/five/trajectory.csv"
  }
  script='var s = mbopt_figures, seen = [], f = s.figures[0], m = window.mbopt_motion;
    m.pause(); s.makeAll();
    function point(type, target, x, y) { target.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: y, bubbles: true, pointerId: 1})); }
    function mouse(type, target, x, y) { target.dispatchEvent(new MouseEvent(type, {clientX: x, clientY: y, bubbles: true, view: window})); }
    function canvas(g) { return g.element.querySelector("canvas:last-of-type"); }
    function place(g, t) { var b = g.element.querySelector(".curve-canvas").getBoundingClientRect(); return b.left + g.chart.graph.toDomXCoord(t); }
    function word(g) { return Array.from(g.element.querySelectorAll("output strong")).map(function (e) { return e.textContent; }).join(" "); }
    function over(g, t) { var b = g.element.querySelector(".curve-canvas").getBoundingClientRect(); point("pointermove", canvas(g), place(g, t), b.top + 60); }
    seen.push(s.figures.length);
    over(f, 1.23); seen.push(word(f), word(s.figures[2]), m.time().toFixed(3));
    var b = canvas(f).getBoundingClientRect(), y = b.top + 80;
    mouse("mousedown", canvas(f), place(f, 1), y); mouse("mousemove", document, place(f, 2), y); mouse("mouseup", document, place(f, 2), y);
    seen.push(s.figures[2].chart.graph.xAxisRange().map(function (v) { return v.toFixed(1); }).join("-"));
    f.reset(); seen.push(f.chart.graph.xAxisRange().join("-"));
    var names = s.data.cases[0].columns.map(function (c) { return c.name; });
    var pick = f.element.querySelectorAll("select"); pick[0].value = names.indexOf("J2.angle.rate"); pick[0].dispatchEvent(new Event("change"));
    over(f, 1.23); seen.push(word(f));
    pick[1].value = names.indexOf("J1.angle"); pick[1].dispatchEvent(new Event("change"));
    seen.push(f.element.querySelectorAll(".curve-plot svg path").length > 4, f.element.querySelector("output").textContent.includes("→"));
    var saved = []; window.Blob = function (parts) { saved.push(parts[0]); }; URL.createObjectURL = function () { return "#"; };
    var tools = s.figures[2].element.querySelectorAll(".curve-tools button"); tools[1].click(); tools[2].click();
    seen.push(saved[0].split("\n")[0], saved[0].split("\n")[124].split(",").slice(0, 3).map(function (v) { return Number(v).toPrecision(6); }).join(","), saved[1].slice(1, 4));
    s.figures[2].chart.graph && s.figures[2].element.querySelector(".curve-chart").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
    seen.push(m.time().toFixed(3));
    return seen.join("|");'
  got="$(with_test "$dir/five/report.html" "$script")"
  check curves_quietly no_complaint
  IFS='|' read -r -a g <<<"$got"
  check curves_count [ "${g[0]}" = 3 ] # x, y, and y over x
  check curves_read_result [ "${g[1]##* }" = "$(at "P2.position.x [m]" 1.23)" ]
  check curves_read_y [ "${g[2]##* }" = "$(at "P2.position.y [m]" 1.23)" ]
  check curves_move_animation [ "${g[3]}" = 1.230 ]
  check curves_zoom [ "${g[4]}" = 1.0-2.0 ]
  check curves_reset [ "${g[5]}" = 0-5 ]
  check curves_column [ "${g[6]##* }" = "$(at "J2.angle.rate [rad/s]" 1.23)" ]
  check curves_pair [ "${g[7]} ${g[8]}" = "true true" ]
  check curves_csv [ "${g[9]}" = "t [s],start: P2.position.y [m],result: P2.position.y [m]" ]
  check curves_csv_row [ "${g[10]%%,*}" = 1.23000 ]
  check curves_svg [ "${g[11]}" = svg ]
  check curves_keys [ "${g[12]}" = 1.240 ]
  # targets of both components of a path are a place in it
  check path_target [ "$(with_test "$dir/five/report.html" 'return JSON.stringify(mbopt_figures.figures[1].marks());')" = '[{"of":"psi1","form":"integral_square","y":13,"x":12,"target":[[0.5,-2]]}]' ]
  # a simulation without outputs shows its coordinates
  check curves_alone [ "$(with_test "$dir/simulate/report.html" 'return mbopt_figures.figures.map(function (f) { return f.title(); }).join();')" = \
    "JA.angle over time,J1.angle over time,J2.angle over time,J3.angle over time" ]
fi

# ---- captions have the extremes of the nodes; the points of two measurements are crosses on the path, and over what is driven they stand where it is then
if [ "$curves" -eq 1 ]; then
  "$MBOPT" simulate configs/path_points.ini --quiet --output "$dir/points" && "$MBOPT" report "$dir/points" --quiet
  script='mbopt_figures.more(); mbopt_figures.makeAll(); function found(title) { return mbopt_figures.figures.find(function (f) { return f.title() === title; }); }
    var path = found("P.position.y over P.position.x"), x = found("P.position.x over J.angle"), at = x.marks()[0].samples[4], read = x.curves()[0].find(function (p) { return Math.abs(p.t - 4) < 1e-9; });
    return [path.marks()[0].samples.length, path.marks()[0].samples[2], path.element.textContent.includes("x, y: crosses as measured"), path.svg().split("<path").length > 14, at[1], Math.abs(at[0] - read.x) < 1e-9,
      x.element.querySelector("figcaption").textContent.split("At the nodes ")[1]].join("|");'
  IFS='|' read -r -a g <<<"$(with_test "$dir/points/report.html" "$script")"
  check "points ${g[*]:0:6}" [ "${g[0]}|${g[1]}|${g[2]}|${g[3]}|${g[4]}|${g[5]}" = "14|0.6014,0.1388|true|true|$(sed -n 6p problems/path_points/gait.csv | cut -d, -f2)|true" ]
  check "extremes ${g[6]}" [ "${g[6]}" = "$(python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
low, high = (pick(rows, key=lambda r: float(r["P.position.x [m]"])) for pick in (min, max))
print("from {} to {}, in m".format(*("%.5g (t = %.4g s)" % (float(r["P.position.x [m]"]), float(r["t [s]"])) for r in (low, high))))' "$dir/points/trajectory.csv")" ]
  ! command -v gnuplot >/dev/null || check points_in_files [ "$("$MBOPT" plot "$dir/points" --output "$dir/points" | grep -c "P.position.y_over_P.position.x.svg") $(grep -o "[xy, ]*, measured" "$dir/points/history_points_P.position.y_over_P.position.x.svg")" = "1 x, y, measured" ]
fi

# ---- columns that the run file chooses are the first figures, in its order, and the first in each list; all others are there, too
if [ "$curves" -eq 1 ]; then
  "$MBOPT" simulate configs/five_bar.ini --quiet --output "$dir/chosen" --set case.swing.duration=0.5 --set "output.columns=J2.angle, P2.position.y"
  "$MBOPT" report "$dir/chosen" --quiet
  check chosen_first [ "$(with_test "$dir/chosen/report.html" 'var f = mbopt_figures.figures, s = f[0].element.querySelector("optgroup");
    return f.map(function (g) { return g.title(); }).join() + "|" + s.label + " " + s.textContent;')" = \
    "J2.angle over time,P2.position.y over time,P2.position.y over P2.position.x,P2.position.x over time|Chosen J2.angle [rad]P2.position.y [m]" ]
fi

# ---- several runs in one page: a figure has a curve of each, in its colour, with the numbers of its trajectory.csv; one picture has all mechanisms in these
# colours, at the same time. On a narrow screen all is legible, by night, too; paper has the figures. Load cases of a run likewise, on request.
if [ "$curves" -eq 1 ]; then
  for L in 2 3; do "$MBOPT" simulate configs/double_pendulum.ini --quiet --set case.swing.duration=1 --set case.swing.step=1e-2 --set output.every=1 --set "scalars.L2=$L" --output "$dir/L$L"; done
  check together [ "$("$MBOPT" report "$dir/L2" "$dir/L3" --output "$dir/together.html")" = "$dir/together.html" ]
  colours='function near(canvas, hex) { var t = document.createElement("canvas"), x = t.getContext("2d", {willReadFrequently: true}); t.width = canvas.width; t.height = canvas.height; x.drawImage(canvas, 0, 0);
    var d = x.getImageData(0, 0, t.width, t.height).data, c = [1, 3, 5].map(function (k) { return parseInt(hex.slice(k, k + 2), 16); }), n = 0;
    for (var i = 0; i < d.length; i += 4) { n += c.every(function (v, k) { return Math.abs(v - d[i + k]) < 12; }); } return n; }
    var runs = getComputedStyle(document.documentElement).getPropertyValue("--runs").trim().split(" ");'
  script="$colours"'var s = mbopt_figures, m = mbopt_motion, f = s.figures.find(function (g) { return g.title() === "J2.angle over time"; }), canvas = document.querySelector("#scene canvas"); m.pause(); s.makeAll(); s.read(0.5);
    var seen = [document.querySelectorAll("#scene canvas").length, m.time(), Array.from(f.element.querySelectorAll("output strong"), function (e) { return e.textContent; }).join()];
    seen.push(f.csv().split("\n")[0], Array.from(document.querySelectorAll(".curve-bar i"), function (e) { return e.style.background; }).filter(function (v, i, all) { return all.indexOf(v) === i; }).length);
    seen.push(near(canvas, runs[0]) > 300, near(canvas, runs[1]) > 300, near(canvas, runs[2]) > 300); return seen.join("|");'
  IFS='|' read -r -a g <<<"$(with_test "$dir/together.html" "$script")"
  check together_quietly no_complaint
  angle() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "J2.angle [rad]") k = i; next } ($1 - 0.5)^2 < 1e-12 { printf "%.7g", $k }' "$dir/$1/trajectory.csv"; }
  check together_reads [ "${g[0]} ${g[1]} ${g[2]}" = "1 0.5 $(angle L2),$(angle L3)" ]
  check together_csv [ "${g[3]}" = "t [s],L2: J2.angle [rad],L3: J2.angle [rad]" ]
  check "together_colours ${g[*]:4}" [ "${g[4]} ${g[5]} ${g[6]} ${g[7]}" = "2 true true false" ]
  if [ -n "${MBOPT_LONG:-}" ]; then
    check "together legible" [ "$(on_a_phone "$dir/together.html" "$legible" dark)" = "360 true true false 1 " ]
    check "together on paper" grep -qE '^700\|rgb\(255, 255, 255\)\|[2-9]\|0\|0\|true\|\|$' <<<"$(with_test "$dir/together.html" "$paper")"
  fi
  "$MBOPT" simulate configs/balancing.ini --quiet --set case.leaning.step=0.02 --set case.pushed.step=0.02 --output "$dir/cases"
  "$MBOPT" report "$dir/cases" --quiet
  script="$colours"'function choose(e, v) { e.value = v; e.dispatchEvent(new Event("change")); } var all = Array.from(document.querySelectorAll("#scene select")).find(function (e) { return e.getAttribute("aria-label") === "Load case"; }),
    before = mbopt_figures.figures.length, canvas = document.querySelector("#scene canvas"); mbopt_motion.pause(); mbopt_motion.seek(0.7);
    choose(document.querySelector("[aria-label=\"Load cases\"]"), "1"); var f = mbopt_figures.figures.find(function (g) { return g.title() === "P.position.x over time"; }), seen = [mbopt_figures.figures.length < before, f.csv().split("\n")[0]];
    seen.push(near(canvas, runs[1])); choose(all, "-1"); mbopt_motion.seek(0.7); seen.push(near(canvas, runs[0]) > 100 && near(canvas, runs[1]) > 100);
    choose(document.querySelector("[aria-label=\"Load cases\"]"), ""); seen.push(mbopt_figures.figures.length === before); return seen.join("|");'
  check cases_together [ "$(with_test "$dir/cases/report.html" "$script")" = "true|t [s],leaning: P.position.x [m],pushed: P.position.x [m]|0|true|true" ]
  check cases_quietly no_complaint
fi

# ---- pages of check and linearize: the mouse reads the numbers of the answer and of eigenvalues.csv
entry() { # KEY K FILE: number K, from 0, of the first array of that name in a JSON file, to seven digits
  awk -v key="\"$1\": [" -v k="$2" 'index($0, key) { at = NR } at && NR == at + k + 1 { printf "%.7g", $1; exit }' "$3" | sed 's/e-0*/e-/'
}
"$MBOPT" check configs/five_bar.ini --format html --json --output "$dir/check" >"$dir/check.json"
script="$point"'; var p = mbopt_plots, seen = [p.length]; function read(k, s, i) { over(p[k], s, i); seen.push(value(p[k])); }
  read(0, 0, 3); seen.push(p[0].text().includes("slope 2.0")); read(0, 1, 3); read(1, 3, 1); seen.push(p[1].text().includes("Ls2"));
  p[0].redraw(); /* the width may have changed since the first drawing */ var from = p[0].place(0, 5), to = p[0].place(0, 2);
  function mouse(type, q, d) { p[0].chart.dispatchEvent(new PointerEvent(type, {clientX: q.x + d, clientY: q.y + d, bubbles: true, button: 0, pointerType: "mouse"})); }
  mouse("pointerdown", from, -2); mouse("pointermove", to, 2); mouse("pointerup", to, 2); var zoomed = p[0].place(0, 2).x - p[0].place(0, 5).x; p[0].reset();
  seen.push(zoomed > 1.5 * (to.x - from.x), Math.abs(p[0].place(0, 2).x - to.x) < 1, p[0].csv().split("\n").length, p[0].svg().slice(1, 4));
  p[0].chart.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true})); seen.push(value(p[0]));
  seen.push(p[0].chart.textContent.includes("change of the quantity [m^2 s]"));
  return seen.join("|");'
IFS='|' read -r -a g <<<"$(with_test "$dir/check/check.html" "$script")"
check check_unit [ "${g[11]}" = true ]
check check_quietly no_complaint
check check_figures [ "${g[0]}" = 2 ]
check check_remainder [ "${g[1]} ${g[2]}" = "$(entry remainder 3 "$dir/check.json") true" ]
check check_change [ "${g[3]}" = "$(entry change 3 "$dir/check.json")" ]
found="$(grep -A30 '"name": "Ls2"' "$dir/check.json" | grep -m1 '"central_differences": [0-9.]*e-' | sed 's/.*: *//; s/,$//')"
check check_agreement [ "${g[4]} ${g[5]}" = "$(printf '%.7g' "$found" | sed 's/e-0*/e-/') true" ]
check check_zoom [ "${g[6]} ${g[7]} ${g[8]} ${g[9]}" = "true true 42 svg" ]
check check_keys [ "${g[10]}" = "$(entry remainder 3 "$dir/check.json")" ]
"$MBOPT" linearize configs/bicycle_straight.ini --vary "v = 4 to 6 in 3" --format html --quiet --output "$dir/linear"
script="$point"'; var a = mbopt_linear, p = a.plots, m = window.mbopt_motion, seen = [p.length], c = document.querySelector("#modes canvas"), s = p[0].spec.series;
  var k = s.findIndex(function (q) { return q.y[1] > 1 && q.y[1] < 20; }), first = a.modes.state.mode;
  over(p[0], k, 1); seen.push(value(p[0])); over(p[1], k, 1); seen.push(value(p[1])); seen.push(p[0].text().includes("v = 5"));
  over(p[0], k, 1, "pointerdown"); over(p[0], k, 1, "pointerup"); seen.push(a.modes.state.entry, document.querySelector("#modes tr[aria-selected=true]").cells[2].textContent);
  m.pause(); m.seek(0); var one = c.toDataURL(); m.seek(0.3); seen.push(c.toDataURL() !== one);
  document.querySelectorAll("#modes tbody button")[0].click(); seen.push(a.modes.state.mode);
  var e = mbopt_linear.modes, d = JSON.parse(document.getElementById("linear").textContent).entries[1], q = e.motionOf(d, s[k].branch[1], 1);
  seen.push(q.times.length, q.bodies.every(function (b) { return b.pose.slice(0, 3).every(function (v, i) { return Math.abs(v - b.pose[7 * 60 + i]) < 1e-6 * Math.abs(v) + 1e-9; }); }));
  return seen.join("|");'
IFS='|' read -r -a g <<<"$(with_test "$dir/linear/linearize.html" "$script")"
check linear_quietly no_complaint
check linear_unit grep -q '"varied":"v","unit":"m/s"' "$dir/linear/linearize.html"
check linear_figures [ "${g[0]} ${g[3]}" = "3 true" ]
root="$(awk -F, -v v=5 -v im="${g[1]}" '$2 == v && ($4 - im)^2 < 1e-10 * im^2 { printf "%.7g %.7g", $4, $3; exit }' "$dir/linear/eigenvalues.csv")"
check linear_root [ "${g[1]} ${g[2]}" = "$root" ]
check linear_click [ "${g[4]} ${g[5]}" = "1 ${g[1]}" ]
check linear_moves [ "${g[6]} ${g[7]} ${g[8]} ${g[9]}" = "true 0 61 true" ]
# zeros that rounding splits are called rigid motions, which are shown as moving in seconds; the slow swing keeps its frequency
two_carriages "$dir/rail"
"$MBOPT" linearize "$dir/rail/run.ini" --format html --quiet --output "$dir/rail"
script="$point"'; var a = mbopt_linear, rows = Array.from(document.querySelectorAll("#modes tbody tr")), p = a.plots[0], seen = [];
  function cells(row) { return Array.from(row.cells).map(function (c) { return c.textContent; }); }
  var free = rows.filter(function (r) { return cells(r)[3] === "rigid motion, free"; });
  seen.push(free.every(function (r) { return cells(r).slice(1).join() === "0,–,rigid motion, free,–,ja.distance 1.00, jb.distance 1.00"; }) && free.length > 0);
  seen.push(rows.filter(function (r) { return cells(r)[3] === "0.001"; }).length, rows.filter(function (r) { return /e-/.test(r.textContent); }).length);
  free[0].cells[0].firstChild.click(); seen.push(document.querySelector("#modes p").textContent, window.mbopt_motion.duration);
  var e = JSON.parse(document.getElementById("linear").textContent).entries[0], s = p.spec.series.findIndex(function (q) { return Math.hypot(q.x[0], q.y[0]) <= e.zero && q.y[0] !== null; });
  over(p, s, 0); seen.push(p.text());
  return seen.join("|");'
IFS='|' read -r -a g <<<"$(with_test "$dir/rail/linearize.html" "$script")"
check rail_quietly no_complaint
check rail_table [ "${g[0]} ${g[1]} ${g[2]}" = "true 1 0" ]
check "rail_words ${g[3]}" contains "${g[3]}" "zero: a rigid motion, free; moves ja.distance 1.00"
check "rail_figure ${g[5]}" contains "${g[5]}" "zero: a rigid motion, free"
# ---- a fit: samples, residuals and correlations
"$MBOPT" fit configs/measured_bar.ini --quiet --output "$dir/fit"
"$MBOPT" report "$dir/fit" --quiet
script="$point"'; var p = mbopt_plots.filter(function (q) { return !/^(Design|Objective)/.test(q.spec.title); }), seen = [p.length, Array.from(document.querySelectorAll("#fit td.plus, #fit td.minus")).filter(function (e) { return getComputedStyle(e).getPropertyValue("--part"); }).length];
  over(p[1], 1, 5); seen.push(value(p[1])); over(p[1], 2, 5); seen.push(value(p[1])); over(p[2], 0, 5); seen.push(value(p[2]));
  over(p[0], 0, 3); seen.push(p[0].text().includes("angle_free") && p[0].text().includes("0.3509, from 0.3486")); return seen.join("|");'
IFS='|' read -r -a g <<<"$(with_test "$dir/fit/report.html" "$script")"
check fit_quietly no_complaint
check fit_figures [ "${g[0]} ${g[1]} ${g[5]}" = "9 9 true" ]
check fit_samples [ "${g[2]} ${g[3]} ${g[4]}" = "$(awk -F, 'NR == 7 { printf "%.7g %.7g %.7g", $3, $4, $5 }' "$dir/fit/residuals.csv")" ]

# ---- a kinematic case over its travel, a static one with the forces of its bushings
if [ "$curves" -eq 1 ]; then
  "$MBOPT" simulate configs/corner.ini --quiet --output "$dir/corner"
  "$MBOPT" report "$dir/corner" --quiet
  script='var s = mbopt_figures, f = s.figures[1], seen = [], bar = document.querySelectorAll(".mbs-bar select"), c = document.querySelector("#scene canvas"), m = mbopt_motion;
    m.pause(); s.more(); s.makeAll();
    var drive = s.figures.find(function (g) { return g.title().indexOf("drive.lower_seat.y.drive_force over rise") === 0; }); seen.push(Boolean(drive));
    s.read(0.2); seen.push(s.figures[0].title(), s.figures[0].element.querySelector("output strong").textContent, drive && drive.element.querySelector("output strong").textContent);
    function choose(select, v) { select.value = v; select.dispatchEvent(new Event("change")); }
    choose(bar[1], 1); m.seek(0.9); seen.push(Array.from(bar[2].options, function (o) { return o.value; }).join());
    var before = c.toDataURL(); choose(bar[2], "bushings"); seen.push(c.toDataURL() !== before);
    choose(s.root.querySelector(".curve-bar select"), -1); seen.push(s.figures.every(function (g) { return g.title().includes(" over time"); }));
    return seen.join("|");'
  IFS='|' read -r -a g <<<"$(with_test "$dir/corner/report.html" "$script")"
  near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !((a - b)^2 < 1e-12 * b^2) }'; } # numbers of pages have seven digits
  from() { awk -F, -v column="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) k = i; next } ($1 - 0.2)^2 < 1e-12 { printf "%.7g", $k }' "$dir/corner/trajectory_stroke.csv"; }
  check travel_quietly no_complaint
  check travel_drives [ "${g[0]}" = true ]
  check travel_drive_force near "${g[3]}" "$(from "drive.lower_seat.y.drive_force [N]")"
  check travel_toe [ "${g[1]}" = "toe over rise in case stroke" ]
  check travel_toe_value near "${g[2]}" "$(from "toe [deg]")"
  check bushings [ "${g[4]} ${g[5]}" = ",reactions,tensions,bushings,applied,all true" ]
  check all_over_time [ "${g[6]}" = true ]
fi
# ---- what is driven together is shown over the first of these coordinates, what has a law of its own over the time; the window of an event, and
# the band about a target, in seconds and metres by hand: ja = 2t - 1 rises above 0 at 0.5 s. A spectrum has the amplitudes of sines.
if [ "$curves" -eq 1 ]; then
  two_carriages "$dir/rail"
  printf '\n[curve %s]\ntype = polynomial\ncoefficients = %s\n' a "-1, 2" b "3, 4" d "0, 0, 1" >>"$dir/rail/rail.ini"
  { cat "$dir/rail/run.ini"; printf 'analysis = kinematic\ndrive.ja.distance = a\ndrive.jb.distance = b\ndrive.jc.distance = 0\n
[case apart]\nduration = 1\nstep = 1e-2\nanalysis = kinematic\ndrive.ja.distance = a\ndrive.jb.distance = d\ndrive.jc.distance = 0\n
[objective late]\ncase = rest\nof = B.position.x\nform = mean_square\nfrom = ja.distance rises above 0\n
[constraint near]\ncase = apart\nof = A.position.x\nform = peak_abs\ntarget = 1\nupper = 0.5\n
[output]\noutputs = B.position.x, A.position.x\n'; } >"$dir/rail/drive.ini"
  "$MBOPT" simulate "$dir/rail/drive.ini" --quiet --output "$dir/rail/out" && "$MBOPT" report "$dir/rail/out" --quiet
  script='var s = mbopt_figures, seen = [], c = s.data.cases; s.more(); s.makeAll();
    function titles(name) { return s.figures.filter(function (f) { return f.which.name === name; }).map(function (f) { return f.title(); }).join(); }
    seen.push(titles("rest"), titles("apart"), JSON.stringify(c[0].marks[0].from.toFixed(9)), c[1].marks[0].within, c[1].marks[0].target);
    var f = s.figures.find(function (g) { return g.title() === "B.position.x over ja.distance in case rest"; }); seen.push(f && f.marks()[0].from.toFixed(6) + " " + f.marks()[0].until);
    function packed(v) { return btoa(String.fromCharCode.apply(null, new Uint8Array(Float32Array.from(v).buffer))); }
    var n = 200, y = Array.from({length: n + 1}, function (_, i) { return 3 * Math.cos(2 * Math.PI * 5 * i / 100) + 0.5 * Math.sin(2 * Math.PI * 20 * i / 100); });
    var box = document.createElement("div"); document.body.append(box);
    var t = mbopt_curves(box, {called: ["run"], cases: [{name: "q", columns: [{name: "y", unit: "m", kind: "output"}], runs: [{nodes: n + 1, t: {first: 0, last: 2}, y: [{from: 7, d: packed(y)}]}], first: [[0, -2]], marks: []}]}, null);
    t.makeAll(); var a = t.figures[0].curves()[0]; seen.push([5, 4.5, 5.5, 20, 12, 50].map(function (f) { return a[2 * f - 1].x + ":" + a[2 * f - 1].y.toFixed(5); }).join(), a.length);
    seen.push(t.figures[0].svg().includes("amplitude of y [m]") && t.figures[0].svg().includes("f [Hz]"), t.figures[0].element.textContent.includes("Hann over 2 s: a line is 2 Hz wide"), t.figures[0].csv().split("\n")[0]);
    return seen.join("|");'
  IFS='|' read -r -a g <<<"$(with_test "$dir/rail/out/report.html" "$script")"
  check together_quietly no_complaint
  check "together ${g[0]}" contains "${g[0]}" "B.position.x over ja.distance in case rest"
  check "apart ${g[1]}" contains "${g[1]}" "A.position.x over time in case apart"
  check event_window [ "${g[2]} ${g[5]}" = '"0.500000000" 0.000000 1' ]
  # figures as files have windows at the same places, of an objective over a column, too: from 0.25 s to 0.75 s ja goes from -0.5 to 0.5
  window_in_files() { "$MBOPT" report "$1" --json | python3 -c 'import json, sys
for f in json.load(sys.stdin)["moving"]:
    if (f["case"], f["name"], f["over"]) == ("rest", "B.position.x", "ja.distance"): print(*(round(f["marks"][0][k], 6) + 0.0 for k in ("from", "until")))'; }
  check event_window_in_files [ "$(window_in_files "$dir/rail/out")" = "0.0 1.0" ]
  "$MBOPT" simulate "$dir/rail/drive.ini" --quiet --output "$dir/rail/over" --set objective.late.over=ja.distance --set objective.late.from=0.25 --set objective.late.until=0.75
  check over_window_in_files [ "$(window_in_files "$dir/rail/over")" = "-0.5 0.5" ]
  check target_band [ "${g[3]} ${g[4]}" = "0.5 1" ]
  check spectrum [ "${g[6]} ${g[7]}" = "5:3.00000,4.5:1.50000,5.5:1.50000,20:0.50000,12:0.00000,50:0.00000 100" ]
  check spectrum_words [ "${g[8]} ${g[9]} ${g[10]}" = "true true f [Hz],y [m]" ]
fi
# ---- the mechanism: a body under the mouse is shown in the picture from graph and table, and marked there from the picture
"$MBOPT" model configs/five_bar.ini --format html --output "$dir/model" >"$dir/model.txt"
check model_path [ "$(tail -1 "$dir/model.txt")" = "$dir/model/model.html" ]
script='var m = mbopt_motion, c = document.querySelector("#scene canvas"), seen = [document.querySelectorAll(".mbs-bar > :not([hidden])").length];
  function marked() { return Array.from(document.querySelectorAll(".pointed"), function (e) { return e.tagName + e.dataset.body; }).join(); }
  function mouse(x, y) { c.dispatchEvent(new PointerEvent("pointermove", {clientX: x, clientY: y, bubbles: true, pointerId: 1, pointerType: "mouse"})); }
  var before = c.toDataURL();
  [".graph [data-body=B12]", "tr[data-body=B3]"].forEach(function (one) {
    var box = document.querySelector(one);
    box.dispatchEvent(new PointerEvent("pointerenter")); seen.push(c.toDataURL() !== before);
    box.dispatchEvent(new PointerEvent("pointerleave")); seen.push(c.toDataURL() === before); });
  ["B23", "A1"].forEach(function (name) { var q = m.place(name); mouse(q.x, q.y); seen.push(marked()); });
  mouse(c.getBoundingClientRect().left + 3, c.getBoundingClientRect().top + 3); seen.push(marked() === "", c.toDataURL() === before);
  return seen.join("|");'
got="$(with_test "$dir/model/model.html" "$script")"
check model_hover [ "$got" = "1|true|true|true|true|gB23,TRB23|gA1,TRA1|true|true" ]
check model_quietly no_complaint
# beams have the colours of their stress, until that is turned off; larger deflections are drawn
"$MBOPT" simulate configs/anti_roll_bar.ini --quiet --output "$dir/bar"
"$MBOPT" report "$dir/bar" --quiet
script='var m = mbopt_motion, c = document.querySelector("#scene canvas"), bar = document.querySelector(".mbs-bar"), seen = [];
  m.pause(); m.seek(1e9);
  var label = Array.from(bar.querySelectorAll("label")).find(function (l) { return /Stress of beams/.test(l.textContent); }), box = label.querySelector("input"), on = c.toDataURL();
  function set(v) { box.checked = v; box.dispatchEvent(new Event("change")); return c.toDataURL(); }
  seen.push(!label.hidden, box.checked, set(false) !== on, set(true) === on);
  var bent = Array.from(bar.querySelectorAll("select")).find(function (e) { return /bending/.test(e.textContent); });
  bent.value = "100"; bent.dispatchEvent(new Event("change")); seen.push(c.toDataURL() !== on);
  return seen.join("|");'
check stress_of_beams [ "$(with_test "$dir/bar/report.html" "$script")" = "true|true|true|true|true" ]
check bar_quietly no_complaint
# axes of the objective say its unit, or how terms without a common one are combined
axes=("delta_robot/objective [N^2 m^2 s]")
[ -z "${MBOPT_LONG:-}" ] || axes+=("slider_crank_balance/objective (weighted sum)")
for robot in "${axes[@]}"; do
  "$MBOPT" "configs/${robot%%/*}.ini" --quiet --set optimizer.max_iterations=2 --output "$dir/axis" >/dev/null 2>&1
  "$MBOPT" report "$dir/axis" --quiet
  got="$(with_test "$dir/axis/report.html" 'return Array.from(mbopt_plots.find(function (p) { return /^Objective over/.test(p.spec.title); }).chart.querySelectorAll("text")).map(function (t) { return t.textContent; }).join("|");')"
  check "axis_of_objective $robot: $got" contains "|$got|" "|${robot#*/}|"
  unit="$([ "${robot%%/*}" = delta_robot ] && echo " N^2 m^2 s")"
  check "facts of $robot" grep -qE "<dt>objective at the start</dt><dd>[0-9.]+${unit//^/\\^}</dd>" "$dir/axis/report.html"
done
# graphs: no word lies on another or on the box of a body, and no name on the line of another element; a wide one is an outline, as wide as a page
covers='function inside(p, b) { return p.x > b.x + 1 && p.x < b.x + b.width - 1 && p.y > b.y + 2 && p.y < b.y + b.height - 2; }
  function meet(a, b) { return a.x + 1 < b.x + b.width && b.x + 1 < a.x + a.width && a.y + 2 < b.y + b.height && b.y + 2 < a.y + a.height; }
  var graph = document.querySelector(".graph svg"), words = Array.from(graph.querySelectorAll("text")), bad = [];
  words.forEach(function (t, i) {
    var b = t.getBBox();
    words.slice(i + 1).forEach(function (o) { if (meet(b, o.getBBox())) { bad.push(t.textContent + " on " + o.textContent); } });
    graph.querySelectorAll("[data-body] rect").forEach(function (r) { if (r.parentNode !== t.parentNode && meet(b, r.getBBox())) { bad.push(t.textContent + " on a box"); } });
    var lines = Array.from(graph.querySelectorAll("path[stroke-dasharray]")).filter(function (path) {
      for (var s = 0; s < path.getTotalLength(); s += 2) { if (inside(path.getPointAtLength(s), b)) { return true; } }
      return false; }).length;
    if (lines > Number(Boolean(t.getAttribute("text-anchor"))) && !t.closest("[data-body]")) { bad.push(t.textContent + " on " + lines + " lines"); }
  });
  /* on white as they are drawn, words have a contrast of 4.5 */
  words.forEach(function (t) {
    var c = getComputedStyle(t).fill.match(/[0-9.]+/g).map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
    if (1.05 / (0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] + 0.05) < 4.5) { bad.push(t.textContent + " is pale"); }
  });
  return words.length + " " + graph.parentNode.clientWidth + " " + Math.sign(graph.getBoundingClientRect().width - graph.parentNode.clientWidth - 1) + " " + bad.join(", ");'
graphs=("coach_lane 124" "bicycle_straight 19") # the widest and the one that a narrow screen holds, with MBOPT_LONG others, too
[ -z "${MBOPT_LONG:-}" ] || graphs+=("delta_robot 27" "corner 33")
for robot in "${graphs[@]}"; do
  "$MBOPT" model "configs/${robot% *}.ini" --format html --quiet --output "$dir/${robot% *}" >/dev/null
  look=(1400 1000 light)
  got="$(with_test "$dir/${robot% *}/model.html" "$covers")"
  look=("${usual[@]}")
  check "graph $robot: $got" grep -qE "^${robot#* } [0-9]+ -1 $" <<<"$got"
  [ "${robot% *}" = bicycle_straight ] || check "graph_scrolls $robot" [ "$(on_a_phone "$dir/${robot% *}/model.html" "$covers" light | cut -d' ' -f1,3-)" = "${robot#* } 1 " ]
done
# all of a vehicle is in a wide picture: no tyre, dark, reaches the edge
"$MBOPT" model configs/step_descent.ini --format html --quiet --output "$dir/vehicle" >/dev/null
look=(1400 1000 light)
got="$(with_test "$dir/vehicle/model.html" 'var c = document.querySelector("#scene canvas"), n = 0;
  c.style.maxHeight = "26rem"; mbopt_motion.seek(0);
  var w = c.width, h = c.height;
  function dark(x, y, a, b) { var d = c.getContext("2d").getImageData(x, y, a, b).data; for (var i = 0; i < d.length; i += 4) { n += d[i] < 120 && d[i + 3] > 200; } }
  dark(0, 0, w, 2), dark(0, h - 2, w, 2), dark(0, 0, 2, h), dark(w - 2, 0, 2, h);
  return (c.clientWidth > 2 * c.clientHeight) + " " + n;')"
look=("${usual[@]}")
check whole_vehicle [ "$got" = "true 0" ]
open_page "$dir/model/model.html"
for part in "five_bar.ini: mechanism" "4 bodies, 4 coordinates, 5 constraint equations of rank 2 at the start: 2 degrees of freedom." \
  "Redundant equations, which follow from the others: JB.coincident.z, JB.perpendicular.PxCz, JB.perpendicular.PyCz." "Held at the start: A1.angle.z" \
  "<td>ground – A1 – B12 – B23 – B3</td>" "cut, 5 equations: asked for by cut = yes" "zero where the frames are parallel" \
  ">1.17600521</td><td>rad</td>" "<td>0.901388, 0, 0</td><td>0, 0, 0.40625</td>" "<td>JB.coincident</td><td>constraint</td><td>coincident</td>" \
  "<td>A1, ground</td>" "21 variables (3 points, 4 vectors"; do has "$part"; done
check singular grep -q "1 body, 1 coordinate, 0 constraint equations of rank 0 at the start: 1 degree of freedom" "$dir/fit/report.html"
pages_on_a_phone=("fit/report light")
[ -z "${MBOPT_LONG:-}" ] || pages_on_a_phone+=("linear/linearize dark" "model/model dark")
for page in "${pages_on_a_phone[@]}"; do
  got="$(on_a_phone "$dir/${page% *}.html" "${legible//n > 100/n > 40}" "${page#* }")"
  check "legible $page: $got" grep -qE "^360 true true (true|false) $(is_dark "${page#* }") \$" <<<"$got"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 23 ]
