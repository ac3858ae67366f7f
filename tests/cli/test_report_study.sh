#!/usr/bin/env bash
# mbopt report and mbopt plot of studies, in a real browser: what the page of each kind holds, texts and numbers of its figures.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/browser.sh"
for backend in ipopt nlopt; do
  built_in "$backend" || { echo "skipped: $backend is not built in"; exit 77; }
done

# A run file with this [sweep] on the five-bar linkage.
five() { # NAME; the section on standard input
  { sed "s|^file = .*|file = $PWD/problems/five_bar/five_bar.ini|; s/^duration = .*/duration = 0.2/" configs/five_bar.ini; cat; } >"$dir/$1.ini"
}
# report_of FOLDER: its page in the browser, which finds nothing to complain about and nothing to load
report_of() {
  "$MBOPT" report "$dir/$1" --quiet
  check "$1 report" [ $? -eq 0 ]
  open_page "$dir/$1/report.html"
  check "$1 no complaint" no_complaint
  check "$1 loads nothing" [ -z "$(grep -oE '(https?:)?//[a-z]+\.[^ "<>)]*' "$dir/$1/report.html" | grep -vE 'http://www.w3.org/|/dygraphs/blob/v[0-9.]*/LICENSE.txt')" ]
}
hasnt() { check "has no $1" [ "$(grep -cF -- "$1" "$dir/dom")" -eq 0 ]; }
# Those of two outputs over time and the way of their point are no pictures where the program has dygraphs.
figures() { echo $(($(grep -o '<figure class="plot">' "$dir/dom" | wc -l) + 2 * $(grep -c 'json" id="curves">{' "$dir/dom"))); }
canvases() { grep -o '<canvas' "$dir/dom" | wc -l; }

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
report_of grid
for part in "<h1>grid.ini: sweep</h1>" "sweep; each run evaluates the gradient" "96: 32 done, 64 failed, 0 left" "five-bar linkage" \
  "optimizer.max_iterations=7" "newmark, generalized_alpha" "0.5, 1, 2, 4" "Best and worst runs" "Failed runs" \
  "the mechanism cannot be assembled" "Ls1 = 1, Ls2 = 0.5, scalars.LA1 = 50, case.swing.integrator = newmark" \
  "A line for each run through its values, in the colour of psi1; the least on top (newmark)" "psi1 of every run over Ls2 (generalized_alpha)" \
  ">Ls1<" ">scalars.LA1<" "best run" "run file" "P2.position.x over time" '<span class="mark">worst</span>'; do
  has "$part"
done
hasnt "is not finished"
hasnt "study.jobs"
has "<td class=\"number\" data-value=\"64\">64</td><td>case 'swing'" # of two designs, one reason with other numbers
check canvases [ "$(canvases)" -eq 2 ]
check figures [ "$(figures)" -eq 10 ] # of each word one of all keys and one over each; two outputs over time

# ---- two keys: contours, of the norm of the gradient too, for each word; unfinished
five two <<'INI'
[sweep]
task = gradient
vary.Ls1 = 1 to 3 in 4
vary.Ls2 = 0.5 to 4 in 4 log
vary.case.swing.integrator = newmark, generalized_alpha
INI
"$MBOPT" sweep "$dir/two.ini" --jobs 1 --quiet --output "$dir/two"
rm "$dir/two/runs/000/000003.json"
report_of two
for part in "32: 31 done, 0 failed, 1 left" "This study is not finished: 1 of 32 runs are left" "mbopt resume $dir/two" "psi1 over Ls1 and Ls2 (generalized_alpha)" \
  "norm of the gradient of psi1, variables divided by their scale over Ls1 and Ls2 (newmark)" ">best<" ">0.5<" ">1.5<" "0.5, 1, 2, 4"; do
  has "$part"
done
hasnt "Failed runs"
check two_figures [ "$(figures)" -eq 6 ]
check every_run [ "$(grep -c '^<tr><td class="number" data-value' <(sed -n '/id="runs"/,/<\/table>/p' "$dir/two/report.html"))" -eq 31 ]
out="$("$MBOPT" plot "$dir/two" --format png --output "$dir/papers")"
check plot_names [ "$out" = "$(printf "$dir/papers/%s.png\n" psi1_newmark psi1_generalized_alpha gradient_of_psi1_newmark gradient_of_psi1_generalized_alpha history_swing_P2.position.x history_swing_P2.position.y)" ]
check plot_png [ "$(head -c 4 "$dir/papers/psi1_newmark.png" | tail -c 3)" = PNG ]

# ---- one key, each run optimizes
five one <<'INI'
[sweep]
task = optimize
vary.scalars.LA1 = 0.9 to 1.1 in 3
INI
"$MBOPT" sweep "$dir/one.ini" --jobs 1 --quiet --output "$dir/one"
report_of one
for part in "psi1 over scalars.LA1" "result.Ls1 over scalars.LA1" "result.Ls2 over scalars.LA1" "sweep; each run optimizes" 'id="result"'; do has "$part"; done
hasnt "start.Ls1 over"

# ---- a multistart
"$MBOPT" multistart "$dir/one.ini" --set case.swing.duration=0.5 --starts 8 --jobs 2 --quiet --output "$dir/multi"
report_of multi
for part in "<h1>one.ini: multistart</h1>" "2 different ends, the best of them found by" "of them converged" "Ls1 start" "Ls2 end" "runs, best first" \
  "found by runs" 'id="result"' "lower bound" "No variable is at a bound." "Gauss-Newton matrix" "1 % worse after" "best run"; do
  has "$part"
done
check multi_figures [ "$(figures)" -eq 6 ]
check multi_canvases [ "$(canvases)" -eq 2 ]
# the two optima of the table are those of the study's own table, best first
sed -n '/id="optima"/,/<\/table>/p' "$dir/multi/report.html" | grep -o '<tr><td.*' >"$dir/optima"
check two_rows [ "$(wc -l <"$dir/optima")" -eq 2 ]
found="$(awk -F 'data-value="' '{ sum += $4 } END { print sum }' "$dir/optima")"
check all_found [ "$found" = 8 ]

# ---- a comparison of two problems
"$MBOPT" compare "$dir/one.ini" configs/pendulum.ini --starts 2 --backends ipopt,nlopt:LD_SLSQP --max-evaluations 40 --jobs 2 \
  --output "$dir/compare" >"$dir/compare.out" 2>/dev/null
report_of compare
for part in "one.ini and others: comparison" "4 problems and starts" "solved to 0.0001 [%]" "<td>nlopt:LD_SLSQP</td>" "share of problems solved" \
  "Performance profile, tau = 0.01" "Data profile, tau = 1e-06" "pendulum from its own start" "<summary>configs/pendulum.ini</summary>" "<td>configs/pendulum.ini</td>" \
  "best objective over all starts" '<span class="mark">best</span>'; do
  has "$part"
done
check compare_figures [ "$(figures)" -eq 8 ]
# the table says what the command said
said="$(awk '$1 == "ipopt" { print $2 }' "$dir/compare.out")"
shown="$(grep -m1 -o '<td>ipopt</td><td class="number" data-value="[0-9.]*' "$dir/dom" | sed 's/.*"//')"
check same_share [ "$(printf '%.0f' "$shown")" = "$said" ]

# ---- the model has changed since: the page comes all the same, without motions
cp problems/five_bar/five_bar.ini "$dir/model.ini"
sed "s|^file = .*|file = model.ini|" "$dir/two.ini" >"$dir/mine.ini"
"$MBOPT" sweep "$dir/mine.ini" --jobs 1 --quiet --output "$dir/mine"
sed -i 's|^gravity = .*|gravity = 0, -5, 0|' "$dir/model.ini"
report_of mine
for part in "No motions: $dir/mine: the model file $dir/model.ini" "32: 32 done, 0 failed" "psi1 over Ls1 and Ls2"; do has "$part"; done
check mine_canvases [ "$(canvases)" -eq 0 ]

# ---- without gnuplot: tables and motions
mkdir "$dir/empty"
PATH="$dir/empty" "$MBOPT" report "$dir/multi" --quiet --output "$dir/bare.html"
check bare [ $? -eq 0 ]
check bare_told [ "$(grep -cF 'install the package gnuplot-nox' "$dir/bare.html")" -eq 1 ]
check bare_tables grep -q "found by runs" "$dir/bare.html"
check bare_motion grep -q 'json" id="second">{' "$dir/bare.html"

# ---- a study of which nothing is there yet
"$MBOPT" sweep "$dir/two.ini" --quiet --output "$dir/none" --jobs 1
rm -r "$dir/none/runs"
report_of none
has "32: 0 done, 0 failed, 32 left"
check none_figures [ "$(figures)" -eq 0 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 90 ]
