#!/usr/bin/env bash
# mbopt report and mbopt plot of studies, in a real browser: what the page of each kind holds, texts and numbers of its figures.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
source "$(dirname "${BASH_SOURCE[0]}")/browser.sh"
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is missing, install the package gnuplot-nox"; exit 77; }
for backend in ipopt nlopt; do
  built_in "$backend" || { echo "skipped: $backend is not built in"; exit 77; }
done

# A run file with this [sweep] on the five-bar linkage.
five() { # NAME; the section on standard input
  { sed "s|^file = .*|file = $PWD/problems/five_bar/five_bar.ini|; s/^duration = .*/duration = 0.2/" configs/five_bar.ini; cat; } >"$dir/$1.ini"
}
# report_of FOLDER [SCRIPT]: its page in the browser, which finds nothing to complain about and nothing to load; what a script in it returns
# is in got[], by its bars
report_of() {
  "$MBOPT" report "$dir/$1" --quiet
  check "$1 report" [ $? -eq 0 ]
  IFS='|' read -r -a got <<<"$(with_test "$dir/$1/report.html" "${2:-return document.title}")"
  check "$1 no complaint" no_complaint
  check "$1 loads nothing" [ -z "$(grep -oE '(https?:)?//[a-z]+\.[^ "<>)]*' "$dir/$1/report.html" | grep -vE 'http://www.w3.org/|/dygraphs/blob/v[0-9.]*/LICENSE.txt')" ]
}
hasnt() { check "has no $1" [ "$(grep -cF -- "$1" "$dir/dom")" -eq 0 ]; }
# Of runs; those of the best run over time and the bounds of its design do not count.
figures() { sed -n '/<main>/,/<\/main>/p' "$dir/dom" | tr '\n' ' ' | sed 's/<div id="time-curves".*<\/main>//' | grep -o '<figure class="plot curve[^"]*">' | wc -l; }
canvases() { sed -n 's/.*<div id="scene"//p' "$dir/dom" | grep -o '<canvas' | wc -l; }
# of TABLE RUN COLUMN: a number of table.csv, as pages write it
of() {
  awk -F, -v run="$2" -v column="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) k = i; next } $1 == run { printf "%.7g", $k }' "$dir/$1/table.csv"
}
# What scripts of this file share: the mouse at a place of a figure, the words of a reading, an axis of parallel coordinates by its number.
tools='var s = window.mbopt_runs, seen = [];
  s.makeAll();
  function mouse(type, target, x, y) { target.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: y, bubbles: true, pointerId: 1})); }
  function at(f, x, y) { var b = f.box.getBoundingClientRect(); return [b.left + x, b.top + y]; }
  function words(f) { return Array.from(f.reading.querySelectorAll("strong")).map(function (e) { return e.textContent; }).join(" "); }
  function axis(f, i) { return f.svg.querySelectorAll(".study-axis")[i]; }
  function key(target, name, shift) { target.dispatchEvent(new KeyboardEvent("keydown", {key: name, shiftKey: shift, bubbles: true})); }
  function drag(f, i, from, to) { var b = f.box.getBoundingClientRect(), x = b.left + f.place(s.columns.indexOf(f.axes()[i]));
    mouse("pointerdown", axis(f, i).querySelector(".study-hit"), x, b.top + from); mouse("pointermove", window, x, b.top + to); mouse("pointerup", window, x, b.top + to); }
  function over(f, row) { var q = f.at(), p = at(f, q.px(q.q.x.v[row]), q.py(q.q.y.v[row])); mouse("pointermove", f.box, p[0], p[1]); }
'

# ---- a grid of three keys and a word, with gradients; some runs fail
five grid <<'INI'
[sweep]
task = gradient
vary.Ls1 = 1 to 3 in 4
vary.Ls2 = 0.5 to 4 in 4 log
vary.scalars.LA1 = 1, 50, 60
vary.case.swing.integrator = newmark, generalized_alpha
INI
"$MBOPT" sweep "$dir/grid.ini" --jobs 2 --quiet --set optimizer.max_iterations=7 --output "$dir/grid" 2>/dev/null
# a drag on the axis of Ls2 keeps the runs from 0.9 to 2.2, in the other figures too; keys do the same; inputs below the figure
report_of grid "$tools"'
  var f = s.figures[0], names = f.axes().map(function (c) { return c.name; }), i = names.indexOf("Ls2"), look = s.figures[1].canvas.toDataURL();
  seen.push(s.n, names.join(" "), s.figures.length);
  drag(f, i, f.yOf(s.columns.indexOf(f.axes()[i]), 2.2), f.yOf(s.columns.indexOf(f.axes()[i]), 0.9));
  s.redraw(); seen.push(s.inside(), document.querySelector(".study-bar output").textContent, s.figures[1].canvas.toDataURL() !== look);
  seen.push(s.csv().split("\n").length - 2, f.figure.querySelectorAll(".study-filters input").length);
  var input = f.figure.querySelectorAll(".study-filters input")[1]; input.value = "1.5"; input.dispatchEvent(new Event("change"));
  seen.push(s.inside());
  key(axis(f, i), "Delete"); s.redraw(); seen.push(s.inside(), s.figures[1].canvas.toDataURL() === look);
  for (var k = 0; k < 11; k++) { key(axis(f, names.indexOf("Ls1")), "ArrowDown"); s.redraw(); } seen.push(s.inside());
  var w = names.indexOf("case.swing.integrator"); key(axis(f, w), "ArrowDown"); s.redraw(); seen.push(s.inside());
  s.brushes.clear(); var column = f.axes()[i], k2 = s.columns.indexOf(column), b = f.tools.querySelectorAll("button"); s.brush(column, null); s.redraw();
  function ends() { return f.rangeOf(column).map(function (v) { return Number(v.toPrecision(4)); }).join(" "); }
  function ticks() { return Array.from(axis(f, i).querySelectorAll("text")).map(function (t) { return t.textContent; }).join(" "); }
  seen.push(b[0].textContent + b[0].disabled + b[1].textContent + b[1].disabled, ends());
  s.brush(column, [0.9, 2.2]); s.redraw(); var all = ticks(), high = f.yOf(k2, 2.2); b[0].click();
  seen.push(ends(), ticks() !== all, f.yOf(k2, 2.2) < high && Math.abs(f.yOf(k2, 2.2) - 52) < 1 && Math.abs(f.yOf(k2, 0.9) - 300) < 1, b[1].disabled);
  drag(f, i, 100, 200); s.redraw(); var part = s.brushes.get(column.k); seen.push(part[0] > 0.9 && part[1] < 2.2, ends()); key(axis(f, i), "+"); seen.push(f.rangeOf(column).join() === part.join());
  key(axis(f, i), "-"); seen.push(ends()); key(axis(f, i), "+"); key(f.box, "Home"); seen.push(ends()); key(axis(f, i), "+"); b[1].click(); seen.push(ends()); key(axis(f, i), "+"); mouse("dblclick", f.box, 0, 0); seen.push(ends());
  return seen.join("|");'
check grid_runs [ "${got[0]} ${got[2]}" = "96 4" ]
check grid_axes [ "${got[1]}" = "Ls1 Ls2 scalars.LA1 case.swing.integrator outcome psi1 gradient of psi1" ]
inside() { awk -F, -v low="$1" -v high="$2" 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "Ls2") k = i; } next } $k >= low && $k <= high { n++ } END { print n + 0 }' "$dir/grid/table.csv"; }
check brush [ "${got[3]}" = "$(inside 0.9 2.2)" ]
check brush_told [ "${got[4]}" = "${got[3]} of 96 runs are within the filters. Of 96 runs 64 failed." ]
check brush_elsewhere [ "${got[5]}" = true ]
check brush_csv [ "${got[6]} ${got[7]}" = "${got[3]} 2" ]
check brush_input [ "${got[8]}" = "$(inside 0.9 1.5)" ]
check brush_removed [ "${got[9]} ${got[10]}" = "96 true" ]
check brush_keys [ "${got[11]} ${got[12]}" = "48 24" ]
check axis_all [ "${got[13]} ${got[14]}" = "Zoom to filterstrueReset zoomtrue 0.5 4" ]
check axis_zoomed [ "${got[15]} ${got[16]} ${got[17]} ${got[18]}" = "0.9 2.2 true true false" ]
check axis_zoomed_again [ "${got[19]} ${got[20]} ${got[21]}" = "true 0.9 2.2 true" ]
check axis_back [ "${got[22]}, ${got[23]}, ${got[24]}, ${got[25]}" = "0.5 4, 0.5 4, 0.5 4, 0.5 4" ]
for part in "<h1>grid.ini: sweep</h1>" "sweep; each run evaluates the gradient" "96: 32 done, 64 failed, 0 left" "five-bar linkage" \
  "optimizer.max_iterations=7" "newmark, generalized_alpha" "0.5, 1, 2, 4" "Best and worst runs" "Failed runs" \
  "the mechanism cannot be assembled" "Ls1 = 1, Ls2 = 0.5, scalars.LA1 = 50, case.swing.integrator = newmark" \
  "A line for each run through its values, the least on top." ">psi1 [m^2 s]<" \
  ">Ls1 [m]<" ">scalars.LA1" "best run" '<button type="button">Ls2 [m]</button>' '<button type="button">psi1 [m^2 s]</button>' "run file" "P2.position.x over time" '<span class="mark">worst</span>'; do
  has "$part"
done
hasnt "is not finished"
hasnt "study.jobs"
has "<td class=\"number\" data-value=\"64\">64</td><td>case 'swing'" # of two designs, one reason with other numbers
check canvases [ "$(canvases)" -eq 2 ]
check figures [ "$(figures)" -eq 4 ] # one of all, and the objective over each number

# ---- two keys: contours, of the norm of the gradient too, for each word; unfinished
five two <<'INI'
[sweep]
task = gradient
vary.Ls1 = 1 to 3 in 4
vary.Ls2 = 0.5 to 4 in 4 log
vary.case.swing.integrator = newmark, generalized_alpha
INI
"$MBOPT" sweep "$dir/two.ini" --jobs 1 --quiet --output "$dir/two"
forget "$dir/two" 3
# the mouse over the contours reads what table.csv has; a click shows the run and leads to its page; arrows go to its neighbours
report_of two "$tools$clipped"'
  var cut = clipped(), same = alike();
  var f = s.figures[1], best = s.all.find(function (r) { return s.run[r] === s.data.best; });
  var select = f.figure.querySelectorAll("select"); select[1].value = s.category[best]; select[1].dispatchEvent(new Event("change"));
  seen.push(f.title, s.run[best]); over(f, best); seen.push(words(f), f.reading.textContent.includes("m^2 s")); mouse("click", f.box, 0, 0);
  var card = document.querySelector(".study-picked"); seen.push(card.hidden, card.querySelector("a").getAttribute("href"), card.textContent.includes("Run " + s.run[best]));
  select[0].value = s.columns.findIndex(function (c) { return c.name === "gradient of psi1"; }); select[0].dispatchEvent(new Event("change"));
  key(f.box, "ArrowLeft"); seen.push(s.run[s.hover]);
  s.pick(s.all.find(function (r) { return s.run[r] === 9; })); seen.push(card.querySelector("code") ? card.querySelector("code").textContent : card.querySelector("a").textContent);
  seen.push(f.svg.textContent.includes("Ls1 [m]"), f.svg.textContent.includes("best"), f.svg.querySelectorAll("path[stroke-opacity]").length > 3);
  var q = f.at(), b = q.box, mid = at(f, (b.left + b.right) / 2, (b.top + b.bottom) / 2), end = at(f, b.right, b.bottom), all = f.svg.querySelectorAll("text").length, run = s.picked;
  mouse("pointerdown", f.box, mid[0], mid[1]); mouse("pointermove", f.box, end[0], end[1]); mouse("pointerup", f.box, end[0], end[1]); mouse("click", f.box, end[0], end[1]); q = f.at();
  seen.push([q.back.x(b.left), q.back.x(b.right), q.back.y(b.bottom), q.back.y(b.top)].map(function (v) { return v.toPrecision(4); }).join(" "), s.picked === run);
  var row = s.all.find(function (r) { return q.q.grid.row.includes(r) && q.q.x.v[r] === 3 && q.q.y.v[r] === 1; }); over(f, row); seen.push(s.run[s.hover] === s.run[row]);
  var file = new DOMParser().parseFromString(f.svgText(), "image/svg+xml"), image = file.querySelector("image"); seen.push(file.documentElement.tagName, image && image.getAttribute("href").length > 1000);
  mouse("dblclick", f.box, 0, 0); seen.push(f.at().back.x(b.left).toPrecision(4));
  var harm = "<img src=x onerror=nothing()>", box = document.createElement("div"), data = JSON.parse(document.getElementById("study").textContent);
  data.columns.forEach(function (c) { c.name = c.label = c.unit = harm; if (c.words) { c.words = [harm, harm]; } });
  data.folder = data.kind = data.pages.prefix = harm; data.categories = [harm, harm]; document.body.append(box);
  var t = mbopt_study(box, data); t.point(0); t.pick(0); t.brush(t.columns[0], [0, 3]); t.redraw();
  seen.push(document.querySelectorAll("img").length, box.textContent.includes(harm), cut, same, "");
  return seen.join("|");'
check "paper" grep -qE '^700\|rgb\(255, 255, 255\)\|[4-9]\|0\|0\|true\|\|$' <<<"$(with_test "$dir/two/report.html" "$paper")"
best="${got[1]}"
edges="" # which values of the best run are the first or last that were varied
for key in "Ls1 1 3" "Ls2 0.5 4"; do
  read -r name low high <<<"$key"
  value="$(of two "$best" "$name")"
  if [ "$value" = "$low" ]; then edges+="${edges:+; }$name = $value, the lower end of $low to $high"; fi
  if [ "$value" = "$high" ]; then edges+="${edges:+; }$name = $value, the upper end of $low to $high"; fi
done
check "edges: $edges" [ "$(grep -o 'may have a better one: [^<]*' "$dir/two/report.html" | sed 's/.*one: //; s/\.$//')" = "$edges" ]
check contours_read [ "${got[2]}" = "$(of two "$best" Ls1) $(of two "$best" Ls2) $(of two "$best" psi1)" ]
check contours_unit [ "${got[0]} ${got[3]}" = "Contours true" ]
check click_shows [ "${got[4]} ${got[5]} ${got[6]}" = "false report_run_$best.html true" ]
check its_page [ -s "$dir/two/report_run_$best.html" ]
check neighbour [ "${got[7]}" -ne "$best" ]
check no_page_yet [ "${got[8]}" = "mbopt report $dir/two --runs 9" ]
check contours_drawn [ "${got[9]} ${got[10]} ${got[11]}" = "true true true" ]
check zoomed [ "${got[12]} ${got[13]} ${got[14]}" = "2.000 3.000 0.5000 1.414 true true" ]
check as_a_file [ "${got[15]} ${got[16]}" = "svg true" ]
check zoomed_out [ "${got[17]}" = 1.000 ]
check harmless [ "${got[18]} ${got[19]}" = "0 true" ]
check labels_whole [ "${got[20]}" = "" ]
check ticks_differ [ "${got[21]}" = "" ]
for part in "32: 31 done, 0 failed, 1 left" "This study is not finished: 1 of 32 runs is left" "mbopt resume $dir/two" "A quantity over Ls1 and Ls2" \
  "norm of the gradient of psi1, variables divided by their scale [m^2 s]" ">best<" ">0.5<" ">1.5<" "0.5, 1, 2, 4"; do
  has "$part"
done
hasnt "Failed runs"
check two_figures [ "$(figures)" -eq 4 ]
check every_run [ "$(grep -c '^<tr><td class="number" data-value' <(sed -n '/id="runs"/,/<\/table>/p' "$dir/two/report.html"))" -eq 31 ]
# through the study by clicks: to the page of a run and the way back; a run of one's own choice
"$MBOPT" report "$dir/two" --runs 9 --quiet
with_test "$dir/two/report.html" 'var s = window.mbopt_runs; s.pick(s.all.find(function (r) { return s.run[r] === 9; })); document.querySelector(".study-picked a").click();' >/dev/null
check clicked_through no_complaint
for part in "<h1>two.ini: run 9 of the sweep</h1>" '<a href="report.html">All runs of the study</a>' "Ls1 = " "this run"; do has "$part"; done
check run_missing contains "$("$MBOPT" report "$dir/two" --runs 3 2>&1)" "run 3 of $dir/two is not done yet"
check run_beyond contains "$("$MBOPT" report "$dir/two" --runs 32 2>&1)" "has no run 32: expected 0 to 31"
check run_list contains "$("$MBOPT" report "$dir/two" --runs 3-5 2>&1)" "runs '3-5', expected numbers with commas between them"
check run_failed contains "$("$MBOPT" report "$dir/grid" --runs "$(awk -F, '$2 != "OK" && NR > 1 { print $1; exit }' "$dir/grid/table.csv")" 2>&1)" "failed: case 'swing'"
out="$("$MBOPT" plot "$dir/two" --format png --output "$dir/papers")"
check plot_names [ "$out" = "$(printf "$dir/papers/%s.png\n" psi1_newmark psi1_generalized_alpha gradient_of_psi1_newmark gradient_of_psi1_generalized_alpha history_swing_P2.position.x history_swing_P2.position.y_over_P2.position.x history_swing_P2.position.y)" ]
check plot_png [ "$(head -c 4 "$dir/papers/psi1_newmark.png" | tail -c 3)" = PNG ]

# ---- limits that some runs violate, and some that fail: a mark for each way to end, in contours and points; a run without values has its place, too
limited() { # NAME PLAN VALUES
  five "$1" <<INI
[constraint height]
of = P2.position.y
form = terminal
lower = -2.2
[sweep]
task = simulate
$2
vary.Ls1 = 1 to 3 $3
vary.scalars.LA1 = 0.2 to 3 $3
INI
  "$MBOPT" sweep "$dir/$1.ini" --jobs 2 --quiet --set case.swing.duration=0.02 --output "$dir/$1" 2>/dev/null
}
# ended TABLE: how many runs are done within limits, violate them, failed
ended() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "violation") k = i; next } { n[$2 == "FAILED" ? 2 : $k > 1e-8] += 1 } END { print n[0] + 0, n[1] + 0, n[2] + 0 }' "$dir/$1/table.csv"; }
limited limits "" "in 9"
# numbers of contours: what the colours between the runs have at their place, upright, apart from each other
report_of limits "$tools"'
  function legend(f) { return Array.from(f.svg.querySelectorAll(".study-legend")).map(function (e) { return e.textContent; }).join(", "); }
  s.figures.forEach(function (f) { seen.push(legend(f)); });
  var f = s.figures[1], q = f.at(), g = q.q.grid, bad = [], n = g.xs.length;
  function value(x, y) {
    var i = 0, j = 0; while (i + 2 < n && q.px(g.xs[i + 1]) < x) { i++; } while (j + 2 < g.ys.length && q.py(g.ys[j + 1]) > y) { j++; }
    var a = (x - q.px(g.xs[i])) / (q.px(g.xs[i + 1]) - q.px(g.xs[i])), b = (y - q.py(g.ys[j])) / (q.py(g.ys[j + 1]) - q.py(g.ys[j]));
    function at(k, l) { return q.q.colour.v[g.row[l * n + k]]; }
    return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
  }
  var labels = Array.from(f.svg.querySelectorAll(".study-level")), places = labels.map(function (t) { return [Number(t.getAttribute("x")), Number(t.getAttribute("y")) - 3.5]; });
  var most = Math.max.apply(null, q.q.colour.v.filter(isFinite));
  labels.forEach(function (t, k) {
    var v = Number(t.textContent), turn = Number(/rotate\(([-0-9.]+)/.exec(t.getAttribute("transform"))[1]), here = value(places[k][0], places[k][1]);
    if (!(Math.abs(here - v) < 0.03 * most) || t.textContent.length > 9) { bad.push(v + " where it is " + here); }
    if (!(turn > -90 && turn <= 90)) { bad.push("turned by " + turn); }
    places.slice(k + 1).forEach(function (p) { if (Math.hypot(p[0] - places[k][0], p[1] - places[k][1]) < 20) { bad.push(v + " on another"); } });
  });
  seen.push(labels.length > 4, bad.join("; "));
  var failed = s.all.find(function (r) { return s.outcome[r] === 2; }), p = s.figures[2], c = p.at(), d = p.canvas.getContext("2d"), place = c.place(failed), sharp = p.canvas.width / p.svg.clientWidth;
  seen.push(place[1] > c.box.bottom && place[1] < c.box.foot, d.getImageData(place[0] * sharp, place[1] * sharp, 1, 1).data[3] > 100);
  mouse.apply(null, ["pointermove", p.box].concat(at(p, place[0], place[1]))); seen.push(p.reading.textContent.includes("failed") && s.outcome[s.hover] === 2);
  seen.push(document.querySelector(".study-bar output").textContent, ""); return seen.join("|");'
read -r met beyond lost <<<"$(ended limits)"
check "limits_there $met $beyond $lost" [ $((met > 9 && beyond > 4 && lost > 4)) = 1 ]
check "marks_parallel ${got[0]}" contains "${got[0]}" "$beyond violate limits, $lost failed"
for k in 1 2 3; do check "marks $k ${got[k]}" [ "${got[k]}" = "$met done, $beyond violate limits, $lost failed" ]; done
check "levels ${got[5]}" [ "${got[4]}|${got[5]}" = "true|" ]
check place_without_value [ "${got[6]} ${got[7]} ${got[8]}" = "true true true" ]
check marks_told [ "${got[9]}" = "81 runs. Of 81 runs $beyond violate limits and $lost failed." ]
best="$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "violation") k = i; if ($i == "objective") o = i; } next } $2 == "OK" && $k <= 1e-8 && (n == "" || $o < least) { least = $o; n = $1 } END { print n }' "$dir/limits/table.csv")"
check "best_within_limits $best" contains "$(cat "$dir/limits/report.html")" "runs is run $best:"

# ---- thousands of runs: hexagons and density in place of marks; they are of the runs within the filters, and zooming shows runs again
limited many "plan = sobol
points = 1700" ""
report_of many "$tools"'
  function legend(f) { return Array.from(f.svg.querySelectorAll(".study-legend")).map(function (e) { return e.textContent; }).join(", "); }
  function counted(f) { return f.at().hexagons.cells.reduce(function (sum, c) { return sum + c.n; }, 0); }
  var p = s.figures[0], f = s.figures[1];
  seen.push(legend(p), legend(f), counted(f));
  var full = f.at().hexagons.cells.reduce(function (a, b) { return b.n > a.n ? b : a; }), sharp = f.canvas.width / f.svg.clientWidth;
  seen.push(f.canvas.getContext("2d").getImageData(full.x * sharp, full.y * sharp, 1, 1).data[3] > 200);
  var b = f.box.getBoundingClientRect(); mouse("pointermove", f.box, b.left + full.x, b.top + full.y); seen.push(f.reading.textContent.includes(full.n + " runs in its hexagon"));
  var d = p.canvas.getContext("2d").getImageData(0, 0, p.canvas.width, p.canvas.height).data, faint = 255, dense = 0;
  for (var i = 3; i < d.length; i += 4) { if (d[i]) { faint = Math.min(faint, d[i]); dense = Math.max(dense, d[i]); } } seen.push(faint < 80 && dense > 200);
  s.brush(s.columns[0], [1.2, 1.9]); s.redraw();
  seen.push(counted(f) === s.all.filter(function (r) { return s.mask[r] && !s.outcome[r]; }).length, counted(f) < 900 && counted(f) > 100, counted(f) + counted(f) > 0 && f.at().hexagons.largest > 0);
  s.brush(s.columns[0], null); s.redraw();
  var box = f.at().box, from = at(f, box.left + 40, box.top + 40), to = at(f, box.left + 120, box.top + 90);
  mouse("pointerdown", f.box, from[0], from[1]); mouse("pointermove", f.box, to[0], to[1]); mouse("pointerup", f.box, to[0], to[1]);
  seen.push(f.at().hexagons === null, ""); return seen.join("|");'
read -r met beyond lost <<<"$(ended many)"
check "many_parallel ${got[0]}" contains "${got[0]}" "few to many runs, $beyond violate limits, $lost failed"
check "many_legend ${got[1]}" grep -qE "^$met done, $beyond violate limits, $lost failed, 1, [0-9]+, [0-9]+ runs in a hexagon\$" <<<"${got[1]}"
check many_counted [ "${got[2]}" = "$met" ]
check many_drawn [ "${got[3]} ${got[4]} ${got[5]}" = "true true true" ]
check many_filtered [ "${got[6]} ${got[7]} ${got[8]}" = "true true true" ]
check many_zoomed [ "${got[9]}" = true ]
check many_paper grep -qE '^700\|rgb\(255, 255, 255\)\|[4-9]\|0\|0\|true\|\|$' <<<"$(with_test "$dir/many/report.html" "$paper")"

# ---- one key, each run optimizes
five one <<'INI'
[sweep]
task = optimize
vary.scalars.LA1 = 0.9 to 1.1 in 3
INI
"$MBOPT" sweep "$dir/one.ini" --jobs 1 --quiet --output "$dir/one"
report_of one "$tools"'s.figures.slice(1).forEach(function (f) { seen.push(f.at().q.y.name + " over " + f.at().q.x.name); });
  over(s.figures[2], 1); seen.push(words(s.figures[2])); key(s.figures[2].box, "ArrowRight"); seen.push(s.run[s.hover]); return seen.join("|");'
check one_figures [ "${got[*]:0:3}" = "psi1 over scalars.LA1 result.Ls1 over scalars.LA1 result.Ls2 over scalars.LA1" ]
check one_read [ "${got[3]}" = "$(of one 1 scalars.LA1) $(of one 1 result.Ls1)" ]
check one_next [ "${got[4]}" = 2 ]
for part in "sweep; each run optimizes" 'id="result"'; do has "$part"; done

# ---- a multistart
"$MBOPT" multistart "$dir/one.ini" --set case.swing.duration=0.5 --starts 8 --jobs 2 --quiet --output "$dir/multi"
"$MBOPT" report "$dir/multi" --runs 2 --quiet
# ends that agree but for rounding are one level: their points stand in one line, whatever 1e-20 and 1e-24 look like on a logarithmic axis
report_of multi "$tools"'
  var f = s.figures[0], q = f.at(), level = {};
  q.q.rows.forEach(function (row) { var e = s.end[row]; (level[e] = level[e] || []).push(q.py(q.q.y.v[row])); });
  seen.push(f.title, Object.keys(level).length, Object.values(level).every(function (y) { return Math.max.apply(null, y) - Math.min.apply(null, y) < 1; }));
  seen.push(Object.values(level).map(function (y) { return y.length; }).sort().join(" "), q.box.bottom - Math.max.apply(null, level[0]) < 20);
  over(f, 3); seen.push(s.run[s.hover], words(f), f.reading.textContent.includes("end " + (s.end[3] + 1)));
  seen.push(s.figures[1].axes().map(function (c) { return c.name; }).join(" "));
  return seen.join("|");'
check multi_ends [ "${got[0]} ${got[1]} ${got[2]}" = "Where the runs ended 2 true" ]
check multi_counts [ "${got[3]}" = "$(sed -n '/id="optima"/,/<\/table>/p' "$dir/multi/report.html" | grep '^<tr><td' | awk -F 'data-value="' '{ print $4 + 0 }' | sort | xargs)" ]
check multi_read [ "${got[5]} ${got[6]%% *} ${got[7]}" = "3 ${got[6]%% *} true" ]
check multi_value [ "${got[6]##* }" = "$(of multi 3 psi1)" ]
check multi_axes [ "${got[8]}" = "start.Ls1 result.Ls1 start.Ls2 result.Ls2 psi1" ]
for part in "<h1>one.ini: multistart</h1>" "2 different ends, the best of them found by" "of them converged" "start.Ls1 [m]" "result.Ls2 [m]" "runs, best end first" \
  "found by runs" 'id="result"' "lower bound" "No variable is at a bound." "Gauss-Newton matrix" "1 % worse after" "best run"; do
  has "$part"
done
check multi_figures [ "$(figures)" -eq 2 ] # of all runs
check multi_canvases [ "$(canvases)" -eq 2 ]
for part in "<h1>one.ini: run 2 of the multistart</h1>" "Objective over simulated designs" "best so far" "how it ended" 'href="report.html"' "values"; do
  check "page of a run has $part" grep -qF "$part" "$dir/multi/report_run_2.html"
done
# the two optima of the table are those of the study's own table, best first
sed -n '/id="optima"/,/<\/table>/p' "$dir/multi/report.html" | grep -o '<tr><td.*' >"$dir/optima"
check two_rows [ "$(wc -l <"$dir/optima")" -eq 2 ]
found="$(awk -F 'data-value="' '{ sum += $4 } END { print sum }' "$dir/optima")"
check all_found [ "$found" = 8 ]

# ---- a comparison of two problems
"$MBOPT" compare "$dir/one.ini" configs/pendulum.ini --starts 2 --backends ipopt,nlopt:LD_SLSQP --max-evaluations 40 --jobs 2 \
  --output "$dir/compare" >"$dir/compare.out" 2>/dev/null
# profiles and histories read all optimizers at once: at the right end what the table says, after five designs what the record of the run has
report_of compare 'var p = window.mbopt_plots, seen = [];
  function mouse(type, q, x) { var b = q.place(0, 0), c = document.querySelectorAll(".plot-data .curve-chart")[p.indexOf(q)]; c.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: b.y, bubbles: true, pointerId: 1})); }
  function words(q) { return Array.from(document.querySelectorAll(".plot-data .curve-read")[p.indexOf(q)].querySelectorAll("strong")).map(function (e) { return Number(e.textContent); }).join(" "); }
  seen.push(p.map(function (q) { return q.spec.title; }).join("; "));
  function titled(title) { return p.find(function (q) { return q.spec.title === title; }); }
  function last(q, i) { return q.spec.series[i].x.length - 1; }
  var f = titled("Performance profile, tau = 0.0001"), end = f.spec.series.reduce(function (m, s, i) { return s.x[last(f, i)] > f.spec.series[m].x[last(f, m)] ? i : m; }, 0);
  mouse("pointermove", f, f.place(end, last(f, end)).x); seen.push(words(f), f.spec.x.log);
  f = titled("one from its own start"); mouse("pointermove", f, f.place(0, 4).x + 0.1); seen.push(words(f).split(" ")[0], f.spec.y.log, f.spec.series[0].href);
  function dots(q) { return q.spec.y.names.join(" ") + " " + q.spec.series.map(function (s) { return s.x.length; }).join(" "); }
  seen.push(dots(titled("What every pair of a problem and a start needs")), dots(titled("pendulum: what is reached from every start")));
  f = titled("one from its own start"); seen.push(f.spec.x.label, f.spec.series[0].x[1] - f.spec.series[0].x[0]);
  return seen.join("|");'
titles="What every pair of a problem and a start needs; Performance profile, tau = 0.01; Performance profile, tau = 0.0001; Performance profile, tau = 1e-06"
titles+="; Data profile, tau = 0.01; Data profile, tau = 0.0001; Data profile, tau = 1e-06"
for name in one pendulum; do titles+="; $name: what every start needs; $name: what is reached from every start; $name from its own start"; done
check compare_titles [ "${got[0]}" = "$titles" ]
# the share that is solved to 0.0001, behind the name, the share to 0.01 and its cost
shares="$(sed -n '/id="who-solves/,/<\/table>/p' "$dir/compare/report.html" | grep '^<tr><td>' | sed 's/<[^>]*>/|/g; s/||*/|/g' | awk -F'|' '{ printf "%s%.3g", (NR > 1 ? " " : ""), $5 / 100 }')"
check profile_read [ "$(for v in ${got[1]}; do printf '%.3g ' "$v"; done | xargs) ${got[2]}" = "$shares true" ]
fifth="$(sed 's/.*"simulations":\[\[//; s/\]\].*//' <(record "$dir/compare" 0) | sed 's/\],\[/\n/g' | awk -F, 'NR <= 5 && (NR == 1 || $1 < best) { best = $1 } END { printf "%.7g", best }')"
check history_read [ "$(printf '%.6g' "${got[3]}")" = "$(printf '%.6g' "$fifth")" ]
check history_log [ "${got[4]} ${got[5]}" = "true report_run_0.html" ]
"$MBOPT" compare "$dir/one.ini" configs/pendulum.ini --starts 2 --backends ipopt,nlopt:LD_SLSQP --max-evaluations 40 --output "$dir/compare" --json >"$dir/compare.json" 2>/dev/null
# the verdict over all, whose class is null, is the last one: a dot for every pair that is solved, and for every result without violation
over_all="$(sed -n '/"class": null/,$p' "$dir/compare.json" | grep -oE '"(backend|solved)": [^,]*' | sed 's/.*: //; s/"//g' | paste -d' ' - - | sort | paste -sd' ')"
check dots_needed [ "$(echo "${got[6]}" | awk '{ print $1, $3, $2, $4 }')" = "$over_all" ]
check dots_reached [ "${got[7]}" = "ipopt nlopt:LD_SLSQP 2 2" ]
cost="$(sed -n 's/^equivalent: .* \([0-9.]*\) with its gradient.*/\1/p' "$dir/compare.out" | head -1)"
check "history_equivalent ${got[9]} $cost" awk -v a="${got[9]}" -v b="$cost" 'BEGIN { exit !((a - b) ^ 2 < (0.005 * b) ^ 2 && b > 1) }'
check history_axis [ "${got[8]}" = "equivalent simulations" ]
verdict="$(grep '^over all' "$dir/compare.out")"
check equivalent_of_runs contains "$(sed -n '/id="runs"/,/<\/table>/p' "$dir/compare/report.html")" ">equivalent</button>"
check verdict_first [ "$(grep -oE '<h2[^>]*>[^<]*' "$dir/dom" | head -1 | sed 's/.*>//')" = Verdict ]
check verdict_same contains "$(sed 's/&gt;/>/g' "$dir/dom")" "$verdict."
check best_alike [ "$(sed -n '/id="problems"/,/<\/table>/p' "$dir/compare/report.html" | grep '^<tr><td>' | head -1 | grep -o 'mark">best' | wc -l)" -eq 2 ] # both are zero but for rounding
for part in "one.ini and others: comparison" "4 pairs of a problem and a start" "solved to 0.0001 [%]" "<td>nlopt:LD_SLSQP</td>" "share of problems solved" \
  "Performance profile, tau = 0.01" "Data profile, tau = 1e-06" "pendulum from its own start" "<h3>configs/pendulum.ini</h3>" "<td>configs/pendulum.ini</td>" \
  "Problem 1: one.ini" "Problem 2: pendulum.ini" "Equivalent simulations: a design counts 1 without derivatives" "Scales: scaling = given" "its best run" "best design" \
  "configs/pendulum.ini: squares, nonlinear constraints, from 2 starts." "best over all starts" "<td>objective [m^2 s]</td>" "<td>objective [rad^2 s]</td>" "best objective [rad^2 s] so far" '<span class="mark">best</span>'; do
  has "$part"
done
check compare_figures [ "$(figures)" -eq 13 ]
# the table says what the command said
said="$(awk '$1 == "ipopt" && $3 == "%" { print $2 }' "$dir/compare.out")"
shown="$(sed -n '/id="who-solves/,/<\/table>/p' "$dir/dom" | grep -m1 -o '<td>ipopt</td><td class="number" data-value="[0-9.]*' | sed 's/.*"//')"
# and legible on a narrow screen, by night and by day, with a filter
check legible_night contains "$(on_a_phone "$dir/two/report.html" "$clipped; var s = window.mbopt_runs; s.makeAll(); window.dispatchEvent(new Event('resize')); s.brush(s.columns[0], [1, 2.5]); s.pick(3); if (clipped()) { return clipped(); } $legible" dark)" "360 true true true 1 "
check same_share [ "$(printf '%.0f' "$shown")" = "$said" ]

# ---- the model has changed since: the page comes all the same, without motions
cp problems/five_bar/five_bar.ini "$dir/model.ini"
sed "s|^file = .*|file = model.ini|" "$dir/two.ini" >"$dir/mine.ini"
"$MBOPT" sweep "$dir/mine.ini" --jobs 1 --quiet --output "$dir/mine"
sed -i 's|^gravity = .*|gravity = 0, -5, 0|' "$dir/model.ini"
report_of mine
for part in "No motions: $dir/mine: the model file $dir/model.ini" "32: 32 done, 0 failed" "A quantity over Ls1 and Ls2"; do has "$part"; done
check mine_canvases [ "$(canvases)" -eq 0 ]

# ---- without gnuplot nothing is missing
mkdir "$dir/empty"
rm "$dir/multi"/report_run_*.html # of runs that were asked for above
"$MBOPT" report "$dir/multi" --quiet
PATH="$dir/empty" "$MBOPT" report "$dir/multi" --quiet --output "$dir/bare.html"
check bare [ $? -eq 0 ]
check bare_same same <(sed "s/bare_run/report_run/g" "$dir/bare.html") "$dir/multi/report.html"
check bare_tables grep -q "found by runs" "$dir/bare.html"
check bare_motion grep -q 'json" id="second">{' "$dir/bare.html"

# ---- a study of which nothing is there yet
"$MBOPT" sweep "$dir/two.ini" --quiet --output "$dir/none" --jobs 1
rm -r "$dir/none/runs"
report_of none
has "32: 0 done, 0 failed, 32 left"
check none_figures [ "$(figures)" -eq 0 ]

# ---- live pages: of a study that others do, until its last run is there; they load themselves again with what is chosen
until_there() { # TEXT FILE
  until grep -qsF "$1" "$2"; do sleep 0.1; done
}
record "$dir/two" 9 >"$dir/kept.jsonl"
forget "$dir/two" 9
"$MBOPT" report "$dir/two" --live --runs none --output "$dir/live.html" >/dev/null 2>"$dir/live.err" &
until_there 'id="live"' "$dir/live.html"
cp "$dir/live.html" "$dir/while.html"
cat "$dir/kept.jsonl" >>"$dir/two/runs/0-31.0.jsonl"
"$MBOPT" sweep "$dir/two.ini" --jobs 1 --quiet --output "$dir/two" # the run that was removed above
wait $!
check live_ends [ $? -eq 0 ]
check live_told contains "$(cat "$dir/live.err")" "live page: $dir/live.html"
check live_last [ "$(grep -c 'id="live"\|is not finished' "$dir/live.html")" -eq 0 ]
check live_words contains "$(cat "$dir/while.html")" "This study goes on: 30 of 32 runs are done. The page is written anew meanwhile"
check live_without_scripts contains "$(cat "$dir/while.html")" '<noscript><meta http-equiv="refresh" content="2">'
got="$(with_test "$dir/while.html" 'var s = window.mbopt_runs, first = !sessionStorage.length;
  if (first) {
    sessionStorage.setItem("begun", "1"); s.brush(s.columns[0], [1.5, 2.5]); s.pick(4);
    document.querySelectorAll("section > details")[1].open = true; window.scrollTo({top: 321, behavior: "instant"}); setTimeout(mbopt_live.again, 0); return "first";
  }
  addEventListener("load", function () { setTimeout(function () {
    document.title = [window.scrollY, s.brushes.get(0), s.run[s.picked], document.querySelectorAll("section > details")[1].open, document.querySelector(".live output").textContent.slice(0, 17), document.querySelector(".live button").textContent, history.state].join("|"); }, 0); });
  return "again";')"
check "live_again $got" [ "$got" = "321|1.5,2.5|5|true|Live: written at |Pause|" ]
# a study of one's own that a signal ends: its page says so
"$MBOPT" sweep "$dir/two.ini" --jobs 1 --quiet --live --set case.swing.duration=100000 --output "$dir/stopped" 2>/dev/null &
until_there 'id="live"' "$dir/stopped/report.html"
kill -INT $!
wait $!
check live_interrupted [ $? -eq 75 ]
check live_stopped [ "$(grep -c 'id="live"' "$dir/stopped/report.html") $(grep -c 'This study is not finished: 32 of 32 runs are left' "$dir/stopped/report.html")" = "0 1" ]
# an optimization: convergence while it goes on, at the end the page of its result; one that is interrupted, too
"$MBOPT" configs/five_bar.ini --quiet --live --set case.swing.duration=100 --set optimizer.tolerance=1e-15 --output "$dir/running" 2>/dev/null &
until_there 'id="live"' "$dir/running/report.html"
check live_optimization contains "$(cat "$dir/running/report.html")" "This optimization goes on."
kill -INT $!
wait $!
check live_optimization_interrupted [ $? -ne 0 ]
check live_optimization_stopped [ "$(grep -c 'id="live"\|This optimization goes on' "$dir/running/report.html")" -eq 0 ]
"$MBOPT" configs/five_bar.ini --quiet --live --set case.swing.duration=0.2 --output "$dir/ended"
cp "$dir/ended/report.html" "$dir/ended.html"
"$MBOPT" report "$dir/ended" --quiet
check live_as_report same "$dir/ended.html" "$dir/ended/report.html"
check live_of_run contains "$(MBOPT_WEB="$dir/none" "$MBOPT" report "$dir/ended" --live 2>&1)" "the engine, which is not in $dir/none: build it by scripts/web, or name its folder in MBOPT_WEB"
check live_of_run_left same "$dir/ended.html" "$dir/ended/report.html"

# an optimizer has one colour in all figures, also where another one does not take the problem
if built_in lbfgsb; then
  "$MBOPT" compare "$dir/one.ini" configs/pendulum.ini --starts 1 --max-evaluations 6 --jobs 2 --quiet \
    --output "$dir/colours" >/dev/null 2>&1
  report_of colours 'return mbopt_plots.map(function (p) {
    var keys = Array.from(p.chart.closest("figure").querySelectorAll("label")).filter(function (l) { return /LD_SLSQP/.test(l.textContent); });
    return keys.map(function (l) { return Array.from(l.querySelectorAll("*")).map(function (e) { return e.style.background; }).join(""); }).join(); }).join("|");'
  check "colours ${got[*]}" [ "$(printf '%s\n' "${got[@]}" | sort -u | wc -l) $((${#got[@]} > 1)) $((${#got[0]} > 0))" = "1 1 1" ]
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 90 ]
