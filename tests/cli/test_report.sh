#!/usr/bin/env bash
# mbopt report and mbopt plot: what the page of every kind of folder holds, what is told where something is missing.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v gnuplot >/dev/null || { echo "skipped: gnuplot is missing, install the package gnuplot-nox"; exit 77; }
built_in ipopt || { echo "skipped: ipopt is not built in"; exit 77; }
short=(--set case.swing.duration=0.5 --quiet)
has() { check "$1 has $3" grep -qF -- "$3" "$2"; }
hasnt() { check "$1 has no $3" [ "$(grep -cF -- "$3" "$2")" -eq 0 ]; }
figures() { grep -o '<div class="plot-data"><script' "$1" | wc -l; } # figures from data; curves over time are none of them where the program has dygraphs

# ---- an optimization; one variable ends at a bound
"$MBOPT" configs/five_bar.ini "${short[@]}" --set design.Ls1.upper=2.3 --output "$dir/five"
out="$("$MBOPT" report "$dir/five")"
check exit [ $? -eq 0 ]
check tells_name [ "$out" = "$dir/five/report.html" ]
page="$dir/five/report.html"
for part in "five_bar.ini: optimization" "five-bar linkage" "configs/five_bar.ini" "<dd>problems/five_bar/five_bar.ini</dd>" "mbopt 0.1" \
  "converged (" "Gauss-Newton matrix" "direct differentiation" "<td>swing</td>" "<td>Ls2</td>" \
  "Active bounds: Ls1 (upper bound)" '<span class="mark">upper bound</span> 2.' "<td>psi1</td>" "integral_square" \
  'id="convergence"' 'id="time-histories"' "P2.position.y" "P2.position.z does not move in case swing: 0 m" \
  "eigenvalue" "at a bound" '<div id="scene">' 'json" id="first">{' 'json" id="second">{' ".mbs-views" "file = " "@media print" "</html>"; do
  has five "$page" "$part"
done
curves="$(grep -c 'json" id="curves">{' "$page")"
[ "$curves" -eq 1 ] || has pictures "$page" "install the package libjs-dygraphs"
has mechanism "$page" "4 bodies, 4 coordinates, 5 constraint equations of rank 2 at the start: 2 degrees of freedom."
has mechanism "$page" "Redundant equations, which follow from the others: JB."
has mechanism "$page" "<td>cut, 5 equations: "
has objective "$page" '<th scope="col"><button type="button">target</button></th>'
has objective "$page" "<td>0.5, -2, 0</td>"
has objective "$page" '<td class="number" data-value="1">1</td>' # its weight
flagged() { grep -o '<tr><td>[A-Za-z0-9_.]*</td>.*' "$1" | grep -oE '^<tr><td>[^<]*</td><td[^>]*>[^<]*</td><td[^>]*><span class="mark">[a-z]* bound' | sed 's/<tr><td>\([^<]*\).*/\1/' | tr '\n' ' '; }
check bounds_as_in_json [ "$(flagged "$page")" = "$(sed -n '/"at_bound"/,/\]/p' "$dir/five/result.json" | tr -d ' \n' | sed 's/.*\[//; s/\].*//; s/[",]\+/ /g; s/^ //')" ]
hasnt five "$page" "Failed designs"
hasnt five "$page" "does not come out again"
check figures [ "$(figures "$page")" -eq $((5 - 3 * curves)) ]
# what looks like an address: the names of the languages of pictures, and where the licence of dygraphs is
check nothing_to_load [ -z "$(grep -oE '(https?:)?//[a-z]+\.[^ "<>)]*' "$page" | grep -vE '^http://www.w3.org/(1999/xlink|2000/svg)|^https://github.com/danvk/dygraphs/blob/v[0-9.]*/LICENSE.txt$')" ]
check licence [ "$(grep -c 'Permission is hereby granted, free of charge' "$page")" -eq "$curves" ]
check size [ "$(wc -c <"$page")" -lt 1500000 ]
check no_files_to_load [ "$(grep -cE '<(link|img|iframe|object|embed)|<script[^>]* src|@import|url\([^#]' "$page")" -eq 0 ]
check ids_once [ -z "$(grep -oE ' id=.[^"'"'"' ]*' "$page" | sort | uniq -d)" ]
check no_leftovers [ -z "$(find "$dir/five" -name '*.tmp*')" ]

# ---- the data of the page; nothing is written
listed="$(ls -l --time-style=full-iso "$dir/five")"
"$MBOPT" report "$dir/five" --json >"$dir/view.json"
check data_exit [ $? -eq 0 ]
for part in '"kind": "optimization"' '"mechanism": "five-bar linkage' '"at_bound": "upper bound"' '"degrees_of_freedom": 2' '"first": {' \
  '"second": {' '"moving": [' '"still": [' '"directions": [' '"unit": "m^2 s"'; do
  has data "$dir/view.json" "$part"
done
check data_value [ "$(sed -n 's/^ *"after": \([0-9].*\),$/\1/p' "$dir/view.json")" = "$(number value "$dir/five/result.json")" ]
check data_alone [ "$(ls -l --time-style=full-iso "$dir/five")" = "$listed" ]

# ---- elsewhere, with failed designs; texts are no markup
"$MBOPT" report "$dir/five" --quiet --output "$dir/five.html" >"$dir/quiet"
check quiet [ ! -s "$dir/quiet" ]
sed -i 's|"failures": \[\]|"failures": [{"evaluation": 3, "status": "MBD_NO_ASSEMBLY", "error": "loop <b>", "design": {"Ls1": 1.25, "Ls2": 2}}]|' "$dir/five/result.json"
cp "$dir/five/history.csv" "$dir/history.csv" # whose second iteration violates a limit, from now on
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "violation") k = i } NR == 3 { $k = 0.5 } { print }' "$dir/history.csv" >"$dir/five/history.csv"
"$MBOPT" report "$dir/five" --output "$dir/five.html" >/dev/null
for part in "Failed designs" "MBD_NO_ASSEMBLY" "loop &lt;b&gt;" "Ls1 = 1.25, Ls2 = 2" \
  '"levels":[{"x":3.0,"kind":"bound","text":"failed design"}]' \
  "{\"name\":\"violates a limit\",\"kind\":\"points\",\"colour\":\"bound\",\"x\":[$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "evaluations") k = i } NR == 3 { print $k }' "$dir/history.csv").0]"; do
  has failed "$dir/five.html" "$part"
done
cp "$dir/history.csv" "$dir/five/history.csv"

# ---- figures as files
for format in svg png pdf; do
  out="$("$MBOPT" plot "$dir/five" --format "$format" --output "$dir/papers")"
  check "plot $format" [ $? -eq 0 ]
  check "plot $format names" [ "$out" = "$(printf "$dir/papers/%s.$format\n" convergence bounds directions history_swing_P2.position.x history_swing_P2.position.y_over_P2.position.x history_swing_P2.position.y)" ]
done
check png [ "$(head -c 4 "$dir/papers/bounds.png" | tail -c 3)" = PNG ]
check pdf [ "$(head -c 4 "$dir/papers/bounds.pdf")" = %PDF ]
check svg grep -q "P2.position.x \[m\]" "$dir/papers/history_swing_P2.position.x.svg"
for part in "P2.position.x \[m\]" "P2.position.y \[m\]" "target of psi1"; do check "svg of a path: $part" grep -q "$part" "$dir/papers/history_swing_P2.position.y_over_P2.position.x.svg"; done
# the window of a constraint, its band and the cross of a value at a time are drawn as the page draws them
"$MBOPT" simulate configs/five_bar.ini --quiet --output "$dir/marks" --set case.swing.duration=1 --set objective.psi1.from=0.25 --set objective.psi1.until="P2.position.x crosses 0.6" \
  --set constraint.high.of=P2.position.y --set constraint.high.form=peak_abs --set constraint.high.target=-2.5 --set constraint.high.upper=0.3 \
  --set constraint.last.of=P2.position.y --set constraint.last.form=terminal --set constraint.last.upper=-2
"$MBOPT" plot "$dir/marks" --quiet --output "$dir/marks"
for part in "psi1 counts here" "high: within 0.3" "limit of last"; do check "plot $part" grep -q "$part" "$dir/marks/history_swing_P2.position.y.svg"; done
# derivatives that are zero but for rounding have no figure
printf 't [s],y [m],d y/d a,d y/d b\n0,1,1e-62,2\n1,1,3e-60,3\n' >"$dir/marks/sensitivities.csv"
check derivatives [ "$("$MBOPT" plot "$dir/marks" --output "$dir/marks" | grep derivative)" = "$dir/marks/derivative_swing_y_d_b.svg" ]
"$MBOPT" plot "$dir/five" --quiet >"$dir/quiet"
check plot_here [ -s "$dir/five/convergence.svg" ]
check plot_quiet [ ! -s "$dir/quiet" ]

# ---- control points of a curve are a curve, with the bounds that they share, in place of a row each
"$MBOPT" configs/five_bar_driven.ini --set optimizer.max_iterations=1 --set scalars.points=8 --quiet --output "$dir/driven" 2>/dev/null
check driven [ "$("$MBOPT" plot "$dir/driven" --output "$dir/driven/papers" | grep -cE '/(control_points_torque|bounds)\.svg$') $?" = "1 0" ]
"$MBOPT" report "$dir/driven" --quiet
points="$(grep -oE '"title":"Control points of torque".*' "$dir/driven/report.html" | head -1)"
for part in '"x":[1,2,3,4,5,6,7,8],"y":[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]' '"levels":[{"y":-200.0,"kind":"bound","text":"bound"},{"y":200.0,"kind":"bound","text":"bound"}]' \
  "\"y\":[$(sed -n 's/^ *"motor.1": \([0-9.e-]*\),$/\1/p' "$dir/driven/result.json" | head -1 | cut -c1-7)"; do
  check "control points: $part" contains "$points" "$part"
done

# ---- a simulation, a comparison
"$MBOPT" simulate configs/five_bar.ini "${short[@]}" --output "$dir/simulate"
"$MBOPT" report "$dir/simulate" --quiet
check simulate [ $? -eq 0 ]
has simulate "$dir/simulate/report.html" "five_bar.ini: simulation"
hasnt simulate "$dir/simulate/report.html" '<button type="button">result</button>' # there is none: of objectives neither
check simulate_figures [ "$(figures "$dir/simulate/report.html")" -eq $((3 - 3 * curves)) ]
hasnt simulate "$dir/simulate/report.html" "Convergence"
has simulate "$dir/simulate/report.html" 'json" id="first">{'
hasnt simulate "$dir/simulate/report.html" 'json" id="second">{'

"$MBOPT" compare configs/five_bar.ini "${short[@]}" --backends ipopt,ipopt:gauss_newton --output "$dir/compare"
"$MBOPT" report "$dir/compare" --quiet
check compare [ $? -eq 0 ]
for part in "five_bar.ini: comparison" "<td>ipopt:gauss_newton</td>" '<span class="mark">best</span>' "2 of 2 reached the best objective" \
  "CONVERGED: Optimal solution found" "Their designs" "Best design" 'json" id="second">{'; do
  has compare "$dir/compare/report.html" "$part"
done
check compare_figures [ "$(figures "$dir/compare/report.html")" -eq $((5 - 3 * curves)) ]
has compare "$dir/compare/report.html" '"title":"Best objective over equivalent simulations"'

# ---- a start that cannot be simulated
"$MBOPT" configs/five_bar.ini "${short[@]}" --set scalars.LA1=50 --output "$dir/start" 2>/dev/null
"$MBOPT" report "$dir/start" --quiet
check start [ $? -eq 0 ]
hasnt start "$dir/start/report.html" 'id="scene"'
has start "$dir/start/report.html" "The start cannot be simulated: case &#39;swing&#39;, t = 0 s: the mechanism cannot be assembled"

check start_no_nan [ "$(grep -cw 'nan' "$dir/start/report.html")" -eq 0 ]
check start_no_value grep -q '"value": null' "$dir/start/result.json"
long="$(printf '%0700d' 7)"
sed -i "s|\"backend_text\": .*|\"backend_text\": \"$long\",|" "$dir/start/result.json"
"$MBOPT" report "$dir/start" --quiet
has start_long "$dir/start/report.html" "$long)</dd>"
"$MBOPT" compare configs/five_bar.ini "${short[@]}" --set scalars.LA1=50 --backends ipopt --output "$dir/lost" 2>/dev/null
"$MBOPT" report "$dir/lost" --quiet
has lost "$dir/lost/report.html" "<td>FAILED: "
has lost "$dir/lost/report.html" "No optimizer found a design without violation."
"$MBOPT" compare configs/pendulum.ini --set case.drop.duration=0.1 --set optimizer.hessian=limited_memory --backends ipopt --max-evaluations 3 \
  --set constraint.tip_speed.lower=50 --set constraint.tip_speed.upper=60 --output "$dir/none" --quiet 2>/dev/null
"$MBOPT" report "$dir/none" --quiet
has none "$dir/none/report.html" "No optimizer found a design without violation"
hasnt none "$dir/none/report.html" "Best objective over simulated designs"
out="$("$MBOPT" plot "$dir/none" 2>&1)"
check none_plot [ $? -eq 0 ]
check none_plot_text contains "$out" "$dir/none/convergence.svg is left out: there is no number to be drawn"

# ---- one variable has one direction; outputs that stand still; directions with equal parts
sed -e '/^\[design Ls2\]/,/^upper/d' -e "s|^file = .*|file = $PWD/problems/five_bar/five_bar.ini|" configs/five_bar.ini >"$dir/one.ini"
"$MBOPT" "$dir/one.ini" "${short[@]}" --output "$dir/one"
"$MBOPT" report "$dir/one" --quiet
has one "$dir/one/report.html" "What the objective sees"
has one "$dir/one/report.html" "<td>+1.000 Ls1</td>"
check one_figures [ "$("$MBOPT" plot "$dir/one" | grep -c directions)" -eq 0 ]
sed -i 's|"Ls1": -\?0\.[0-9]*,|"Ls1": 0.5,|; s|"Ls2": -\?0\.[0-9]*$|"Ls2": -0.5|' "$dir/five/result.json"
"$MBOPT" report "$dir/five" --output "$dir/five.html" >/dev/null
has equal_parts "$dir/five.html" "<td>+0.500 Ls1 -0.500 Ls2</td>"
sed 's|^gravity = .*|gravity = 0, 0, 0|' problems/pendulum/pendulum.ini >"$dir/still.ini"
"$MBOPT" simulate configs/pendulum.ini --quiet --set case.drop.duration=0.1 --set model.file="$dir/still.ini" --output "$dir/still"
"$MBOPT" report "$dir/still" --quiet
has still "$dir/still/report.html" "ground-bar.angle does not move in case drop: 0 rad."

# ---- the model has changed since
mkdir "$dir/mine"
cp problems/five_bar/five_bar.ini "$dir/mine/model.ini"
sed 's|^file = .*|file = model.ini|' configs/five_bar.ini >"$dir/mine/run.ini"
"$MBOPT" "$dir/mine/run.ini" "${short[@]}" --output "$dir/mine/results"
sed -i 's|^gravity = .*|gravity = 0, -5, 0|' "$dir/mine/model.ini"
"$MBOPT" report "$dir/mine/results" --quiet
has changed "$dir/mine/results/report.html" "The result does not come out again: psi1 was"
rm "$dir/mine/model.ini"
out="$("$MBOPT" report "$dir/mine/results" 2>&1)"
check no_model [ $? -ne 0 ]
check no_model_text contains "$out" "$dir/mine/model.ini"

# ---- a folder that was used twice: what was written last
"$MBOPT" compare configs/five_bar.ini "${short[@]}" --backends ipopt,ipopt:gauss_newton --starts 2 --max-evaluations 6 --output "$dir/twice" >/dev/null
"$MBOPT" compare configs/five_bar.ini "${short[@]}" --backends ipopt,ipopt:gauss_newton --output "$dir/twice"
"$MBOPT" report "$dir/twice" --quiet
has last_study "$dir/twice/report.html" "Their designs"
"$MBOPT" report "$dir/twice/earlier-1" --quiet
has first_study "$dir/twice/earlier-1/report.html" "Who solves how much"
sleep 0.02
"$MBOPT" simulate configs/five_bar.ini "${short[@]}" --output "$dir/twice"
"$MBOPT" report "$dir/twice" --quiet
has last_run "$dir/twice/report.html" "five_bar.ini: simulation"
touch "$dir/twice/table.csv"
"$MBOPT" report "$dir/twice" --quiet
has touched_study "$dir/twice/report.html" "Their designs"

# ---- without gnuplot: the page is the same, and says nothing of it; files for papers need it
mkdir "$dir/empty"
"$MBOPT" report "$dir/five" --quiet
cp "$page" "$dir/with.html"
PATH="$dir/empty" "$MBOPT" report "$dir/five" --quiet
check no_gnuplot [ $? -eq 0 ]
check no_gnuplot_same same "$page" "$dir/with.html"
hasnt no_gnuplot "$page" "gnuplot"
out="$(PATH="$dir/empty" "$MBOPT" plot "$dir/five" 2>&1)"
check no_gnuplot_plot [ $? -eq 3 ]
check no_gnuplot_plot_text contains "$out" "install the package gnuplot-nox"

# ---- what is no folder of a run
refused() { # NAME CODE PART ARGUMENTS...
  local name="$1" code="$2" part="$3" text got
  shift 3
  text="$("$MBOPT" "$@" 2>&1)"
  got=$?
  check "$name code" [ "$got" -eq "$code" ]
  check "$name text" contains "$text" "$part"
}
refused nowhere 3 "nowhere is no folder; expected one that optimize, simulate, compare or a study wrote" report "$dir/nowhere"
refused other 3 "looked for study.json, and for resolved.ini with result.json" report "$dir/empty"
refused several 3 "several runs make one page: expected --output FILE" report "$dir/five" "$dir/marks"
refused several_json 3 "expected --output FILE alone" report "$dir/five" "$dir/marks" --output "$dir/x.html" --json
# several runs: in what their run files differ, and no section for what they have not
for angle in 2 2.001; do "$MBOPT" simulate configs/double_pendulum.ini --quiet --set case.swing.duration=0.1 --set scalars.a1="$angle" --output "$dir/swing$angle"; done
"$MBOPT" report "$dir/swing2" "$dir/swing2.001" --output "$dir/swings.html" --quiet
check differs [ "$(grep -A20 'run files differ' "$dir/swings.html" | tr -d '\n' | grep -oE '(scalars|case|design|objective|output)\.[a-zA-Z0-9._]*' | sort -u)" = scalars.a1 ]
has differs "$dir/swings.html" ">2.001<"
mkdir "$dir/study" && echo "{}" >"$dir/study/study.json"
refused several_study 3 "page of its own: mbopt report $dir/study;" report "$dir/five" "$dir/study" --output "$dir/x.html"
refused other_plot 3 "looked for study.json" plot "$dir/empty"
refused none 2 "needs a folder" report
refused format 2 "pgn" plot "$dir/five" --format pgn
refused page 3 "/nowhere/x.html cannot be written" report "$dir/five" --output /nowhere/x.html

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 80 ]
