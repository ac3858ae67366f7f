#!/usr/bin/env bash
# Warnings of a simulation on their way to the user: the terminal, result.json, answers in JSON, the records of a study.
. tests/cli/common.sh
coarse=(--set case.step.step=2e-2 --set case.step.duration=2.5)
file=configs/step_descent.ini
# ---- one run
"$MBOPT" simulate "$file" "${coarse[@]}" --output "$dir/coarse" >"$dir/out" 2>"$dir/err"
check exit_code [ $? -eq 0 ]
check said contains "$(cat "$dir/err")" "mbopt: warning: case 'step': in the step to t = "
check one_line_a_kind [ "$(grep -c "warning: case" "$dir/err")" -eq 2 ]
check written [ "$(grep -c '"kind": "kink"' "$dir/coarse/result.json")" -eq 1 ]
check with_time less 0 "$(number time "$dir/coarse/result.json")"
"$MBOPT" simulate "$file" "${coarse[@]}" --output "$dir/coarse" --quiet >"$dir/out" 2>"$dir/err"
check quiet [ ! -s "$dir/err" ]
"$MBOPT" simulate "$file" --set case.step.duration=1 --output "$dir/fine" >"$dir/out" 2>"$dir/err"
check nothing_wrong [ ! -s "$dir/err" ]
check nothing_written contains "$(cat "$dir/fine/result.json")" '"warnings": []'
# ---- a start that is not the one that is meant: the springs hardly carry the car
"$MBOPT" simulate configs/sweep_suspension.ini --set scalars.k_f=12000 --set case.step.duration=0.01 --output "$dir/folded" >"$dir/out" 2>"$dir/err"
check far contains "$(cat "$dir/err")" "is far from where the search began: 'chassis-front_"
check far_written [ "$(grep -c '"kind": "far"' "$dir/folded/result.json")" -eq 1 ]
# ---- a run that fails tells its warnings, too: a beam between two hinges, which cannot bend without stretching
cat >"$dir/held_model.ini" <<'INI'
schema = 1
[model]
gravity = 0, 0, -9.81
joints = named
[beam rod]
from = A
to = B
up = up
height = 0.02
width = 0.01
E = 7e10
density = 2700
shapes = 4, 0, 0
[point A]
at = 0, 0, 0
bodies = ground, rod
[point B]
at = 1, 0, 0
bodies = ground, rod.tip
[vector up]
along = 0, 0, 1
bodies = rod
[vector across]
along = 0, 1, 0
bodies = ground, rod, rod.tip
[joint left]
type = revolute
bodies = ground, rod
point = A
axis = across
[joint right]
type = revolute
bodies = ground, rod.tip
point = B
axis = across
INI
printf 'schema = 1\n[model]\nfile = held_model.ini\n[case rests]\nanalysis = static\nduration = 1\nstep = 1\n[objective a]\nof = rod.elastic.energy\nform = terminal\n' >"$dir/held.ini"
"$MBOPT" simulate "$dir/held.ini" --output "$dir/held" >"$dir/out" 2>"$dir/err"
check held_fails [ $? -ne 0 ]
check held_said contains "$(cat "$dir/err")" "Beam 'rod', held so that its ends cannot come closer"
# ---- a steady motion that is unstable: the car with more grip in front
printf 'schema = 1\n[model]\nfile = %s/problems/planar_car/planar_car.ini\n[scalars]\nC_front = 3e5\n[case on]\nstart = steady\nduration = 0.1\nstep = 0.05\nsteady.speed = 30\nsteady.find = drive\n[objective a]\nof = side_slip\nform = terminal\n' "$PWD" >"$dir/over.ini"
"$MBOPT" simulate "$dir/over.ini" --output "$dir/over" >"$dir/out" 2>"$dir/err"
check over_said contains "$(cat "$dir/err")" "warning: case 'on': the steady motion at t = 0 s is unstable: with its inputs as they are, a small push along 'place.y' grows"
check over_written grep -q '"kind": "unstable"' "$dir/over/result.json"
"$MBOPT" report "$dir/over" --quiet
check over_page grep -q "the steady motion at t = 0 s is unstable" "$dir/over/report.html"
# ---- a design variable on which nothing depends, beside one that is the objective's alone
cat - <(mass_on_slide) >"$dir/idle_model.ini" <<'INI'
schema = 1
[model]
name = idle
[scalars]
spare = 1
aim = 2
height = 0.3
[point P]
at = 0, 0, height
bodies = mass
INI
cat >"$dir/idle.ini" <<'INI'
schema = 1
[model]
file = idle_model.ini
[design spare]
lower = 0
upper = 2
[design aim]
lower = 0
upper = 3
[design height]
lower = 0
upper = 1
[case c]
duration = 0.1
step = 0.05
[objective z]
of = P.position.z
form = terminal
[objective value]
value = (aim - 1)^2
INI
for command in optimize check gradient; do
  "$MBOPT" $command "$dir/idle.ini" --output "$dir/idle" >"$dir/out" 2>"$dir/err"
  check "idle $command" [ $? -eq 0 ]
  check "idle_said $command" [ "$(grep -c "warning: design variable 'spare' changes nothing at this design" "$dir/err")" -eq 1 ]
  check "idle_alone $command" [ "$(grep -c "design variable" "$dir/err")" -eq 1 ]
done
"$MBOPT" optimize "$dir/idle.ini" --output "$dir/idle" --quiet
check idle_written [ "$(grep -c '"kind": "idle"' "$dir/idle/result.json")" -eq 1 ]
"$MBOPT" report "$dir/idle" --quiet
check idle_page grep -q "design variable &#39;spare&#39; changes nothing" "$dir/idle/report.html"
# ---- answers
"$MBOPT" gradient "$file" "${coarse[@]}" --json >"$dir/out" 2>"$dir/err"
check gradient_says contains "$(cat "$dir/err")" "mbopt: warning: case 'step': "
check gradient_answers contains "$(cat "$dir/out")" '"kind": "unresolved"'
# ---- a study
{
  sed "s|^file = .*|file = $PWD/problems/buggy/buggy.ini|; s/^duration = .*/duration = 2.5/; s/^step = .*/step = 2e-2/" "$file"
  printf '[sweep]\ntask = simulate\nvary.k_f = 20000, 30000\n'
} >"$dir/sweep.ini"
"$MBOPT" sweep "$dir/sweep.ini" --output "$dir/sweep" >"$dir/out" 2>"$dir/err"
check study_says contains "$(cat "$dir/err")" "mbopt: warning: the records of 2 runs hold warnings; 'mbopt status $dir/sweep --runs 0' prints the first"
check study_records contains "$("$MBOPT" status "$dir/sweep" --runs 0)" '"kind"'
# the table, the queries, the page
check table_head contains "$(head -n 1 "$dir/sweep/table.csv")" ",warnings,seconds,error"
check table_rows [ "$(grep -c "^[01],OK,.*case 'step': in the step to t = " "$dir/sweep/table.csv")" -eq 2 ]
"$MBOPT" report "$dir/sweep" --quiet
check study_page grep -q "case &#39;step&#39;: in the step to t = " "$dir/sweep/report.html"
"$MBOPT" report "$dir/coarse" --quiet
check run_page grep -q "case &#39;step&#39;: in the step to t = " "$dir/coarse/report.html"
# ---- a comparison: of every result
if built_in nlopt; then
  "$MBOPT" compare "$file" "${coarse[@]}" --backends nlopt:LN_BOBYQA,nlopt:LD_SLSQP --max-evaluations 2 --output "$dir/both" \
    --set optimizer.hessian=limited_memory >"$dir/out" 2>"$dir/err"
  for name in nlopt:LN_BOBYQA nlopt:LD_SLSQP; do
    check "compare_says $name" grep -q "^mbopt: warning: $name: case 'step': in the step to t = " "$dir/err"
    check "compare_table $name" grep -q ",$name,.*case 'step': in the step to t = " "$dir/both/table.csv"
  done
  "$MBOPT" report "$dir/both" --quiet
  check compare_page grep -q "nlopt:LN_BOBYQA: case &#39;step&#39;: " "$dir/both/report.html"
  "$MBOPT" compare "$file" "${coarse[@]}" --backends nlopt:LN_BOBYQA --max-evaluations 1 --output "$dir/both" --json \
    --set optimizer.hessian=limited_memory >"$dir/out" 2>"$dir/err"
  check compare_json contains "$(cat "$dir/out")" '"kind": "kink"'
fi

# ---- a fit: residuals at the start, which is no fit, are no noise; the time step is too long for the data
"$MBOPT" fit configs/measured_bar.ini --max-evaluations 1 --output "$dir/fit" >"$dir/out" 2>/dev/null
check fit_alike contains "$(cat "$dir/out")" "warning: residuals of measurement free are like their neighbours (correlation 1.00; "
check fit_alike_json grep -q '"residuals_alike": true' "$dir/fit/result.json"
"$MBOPT" fit configs/measured_bar.ini --set case.free.step=0.05 --output "$dir/fit" >"$dir/out" 2>/dev/null
check fit_step contains "$(cat "$dir/out")" "warning: the time step is too long for these data: half of it changes the estimate of "
check fit_step_json grep -q '"step_too_long": true' "$dir/fit/result.json"
"$MBOPT" report "$dir/fit" --quiet
check fit_step_page grep -q "The time step is too long for these data" "$dir/fit/report.html"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 10 ]
