#!/usr/bin/env bash
# The main jobs from the command line: answers, exit codes, result files, interruption, resumption, a full disk.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Nearly everything below runs IPOPT or SLSQP.
for backend in ipopt nlopt; do
  built_in "$backend" || { echo "skipped: $backend is not built in"; exit 77; }
done

# ---- the known optimum, by three ways
"$MBOPT" configs/five_bar.ini --output "$dir/gn" >"$dir/gn.out" 2>"$dir/gn.err"
check gauss_newton_converges [ $? -eq 0 ]
check gauss_newton_psi less "$(number objective "$dir/gn/result.json")" 1e-10
check gauss_newton_iterations [ "$(number iterations "$dir/gn/result.json")" -le 10 ]
check iterations_on_stderr grep -q "objective" "$dir/gn.err"
check result_on_stdout grep -q "converged (ipopt" "$dir/gn.out"
"$MBOPT" configs/five_bar.ini --output "$dir/lm" --quiet --set optimizer.hessian=limited_memory
check limited_memory_converges [ $? -eq 0 ]
check limited_memory_psi less "$(number objective "$dir/lm/result.json")" 1e-10
slsqp=(--set optimizer.backend=nlopt --set optimizer.algorithm=LD_SLSQP --set optimizer.hessian=limited_memory
  --set gradient.method=direct)
"$MBOPT" configs/five_bar.ini --output "$dir/slsqp" --quiet "${slsqp[@]}"
check slsqp_converges [ $? -eq 0 ]
check slsqp_psi less "$(number objective "$dir/slsqp/result.json")" 1e-10

# ---- catalogue values: of 49 pairs of a spring and a hole the one that is best with the hook where it is best for them
lamp=configs/desk_lamp_catalogue.ini
"$MBOPT" "$lamp" --output "$dir/lamp" >"$dir/lamp.out" 2>/dev/null
check catalogue_converges [ $? -eq 0 ]
check catalogue_said grep -q "^catalogue values: objective 0.01242265.* with any value, 0.019329.* with values of the catalogues; 7 " "$dir/lamp.out"
check catalogue_values [ "$(sed -n '/"design"/,/}/p' "$dir/lamp/result.json" | grep -cE '"stiffness": 1250.0|"anchor": 0.0(3|29999999999999999),?$')" -eq 2 ]
check catalogue_continuous grep -q '"stiffness": 1092.41' "$dir/lamp/result.json"
best=1 pairs=0
for stiffness in 1000 1250 1600; do
  for anchor in 0.03 0.035 0.04; do
    "$MBOPT" configs/desk_lamp.ini --output "$dir/pair" --quiet --set "design.stiffness.lower=$stiffness" --set "design.stiffness.upper=$stiffness" \
      --set "design.stiffness.start=$stiffness" --set "design.anchor.lower=$anchor" --set "design.anchor.upper=$anchor" --set "design.anchor.start=$anchor"
    pair="$(number objective "$dir/pair/result.json")"
    less "$pair" "$best" && best="$pair"
    pairs=$((pairs + 1))
  done
done
found="$(number objective "$dir/lamp/result.json")"
check "no pair around it is better: $best of $pairs, found $found" awk -v a="$best" -v b="$found" 'BEGIN { exit !(b <= a * (1 + 1e-6)) }'
"$MBOPT" "$lamp" --output "$dir/lamp_resumed" --quiet --max-evaluations 30 2>"$dir/lamp.err"
check catalogue_limit [ $? -eq 7 ]
check catalogue_limit_said grep -q "the search among catalogue values is not done" "$dir/lamp.err"
"$MBOPT" "$lamp" --output "$dir/lamp_resumed" --quiet --resume
check catalogue_resumes [ "$(number objective "$dir/lamp_resumed/result.json")" = "$found" ]
check catalogue_replays [ "$(number replayed "$dir/lamp_resumed/result.json")" -eq 30 ]
text="$("$MBOPT" "$lamp" --check-config --set design.stiffness.values=800,800 2>&1)"
check catalogue_twice contains "$text" "[design stiffness] values = 800,800: 800 is there twice, expected it once"
text="$("$MBOPT" "$lamp" --check-config --set design.stiffness.lower=500 2>&1)"
check catalogue_outside contains "$text" "[design stiffness] values = 400, 500, 630, 800, 1000, 1250, 1600: 400 is outside of the bounds 500 and inf"

exact=(--set optimizer.hessian=exact --set gradient.method=direct) # measured, two runs from the beginning may choose differently
"$MBOPT" configs/five_bar.ini --output "$dir/exact" --quiet "${exact[@]}"
check exact_converges [ $? -eq 0 ]
check exact_psi less "$(number objective "$dir/exact/result.json")" 1e-10
check exact_iterations [ "$(number iterations "$dir/exact/result.json")" -le 10 ]
check exact_hessians [ "$(number hessians "$dir/exact/result.json")" -ge "$(number iterations "$dir/exact/result.json")" ]
"$MBOPT" configs/five_bar.ini --output "$dir/exact2" --quiet "${exact[@]}" --max-evaluations 3
cp -r "$dir/exact2" "$dir/exact3"
"$MBOPT" configs/five_bar.ini --output "$dir/exact3" --quiet "${exact[@]}" --resume
check exact_resumes [ "$(number objective "$dir/exact3/result.json")" = "$(number objective "$dir/exact/result.json")" ]
check exact_replays [ "$(number replayed "$dir/exact3/result.json")" -eq 3 ]
exact_pendulum=(configs/pendulum.ini --set optimizer.hessian=exact --set case.drop.duration=0.5 --set design.length.lower=0.5)
"$MBOPT" check "${exact_pendulum[@]}" >"$dir/exact.out"
check exact_is_right [ $? -eq 0 ]
check exact_is_checked grep -qE '^second derivatives +symmetry +verdict' "$dir/exact.out"
check exact_constraint grep -qE '^  tip_speed +[0-9.]+e-[0-9]+ +right +[0-9.]+e-[0-9]+ +right' "$dir/exact.out"
"$MBOPT" check "${exact_pendulum[@]}" --set check.difference_tolerance=0 >"$dir/exact.out"
check exact_judged [ $? -eq 6 ]
"$MBOPT" check "${exact_pendulum[@]}" --json | grep -q '"symmetry_verdict": "right"'
check exact_json [ $? -eq 0 ]
"$MBOPT" configs/pendulum.ini --output "$dir/refused" --set optimizer.hessian=exact --set gradient.method=continuous_adjoint 2>"$dir/refused.err"
check exact_refused [ $? -eq 3 ]
check exact_refusal grep -q "hessian = exact needs method = auto, direct or discrete_adjoint" "$dir/refused.err"
check exact_in_list grep -q "exact Hessian: yes" <("$MBOPT" backends)

# ---- result files
for file in result.json history.csv trajectory.csv journal.jsonl resolved.ini; do
  check "file $file" [ -s "$dir/gn/$file" ]
done
check no_leftovers [ -z "$(find "$dir/gn" -name '*.tmp*')" ]
check units_in_header grep -q '^t \[s\],JA.angle \[rad\],' "$dir/gn/trajectory.csv"
check trajectory_length [ "$(wc -l <"$dir/gn/trajectory.csv")" -eq 502 ]
# a column per quantity, each with its unit, whatever is asked for twice
"$MBOPT" simulate configs/five_bar_gradient_found.ini --output "$dir/columns" --quiet --set case.swing.duration=0.01 \
  --set "output.outputs=P2.position.x,ground-A1.angle.rate,B12-B23.coincident.multiplier.x,B12-B23.coincident.multiplier,P2.position"
head -1 "$dir/columns/trajectory.csv" | tr , '\n' >"$dir/columns/names"
check columns_once [ -z "$(sort "$dir/columns/names" | uniq -d)" ]
check columns_one_rate [ "$(grep -c '^ground-A1.angle.rate \[rad/s\]$' "$dir/columns/names")" -eq 1 ]
check columns_one_multiplier [ "$(grep -c 'B12-B23.coincident.*x \[N\]$' "$dir/columns/names")" -eq 1 ]
check columns_multipliers grep -qx 'lam B12-B23.perpendicular.PxCz \[N m\]' "$dir/columns/names"
check columns_units [ "$(grep -c '\[-\]' "$dir/columns/names")" -eq 0 ]
# chosen ones alone, in their order, with the numbers of the whole table; one that nothing else asks for is computed
"$MBOPT" simulate configs/five_bar_gradient_found.ini --output "$dir/chosen" --quiet --set case.swing.duration=0.01 --set "output.columns=P2.position.y, P2.position.x, P1.velocity, *.coincident.x"
check columns_chosen [ "$(head -1 "$dir/chosen/trajectory.csv" | cut -d, -f1-6)" = "t [s],P2.position.y [m],P2.position.x [m],P1.velocity.x [m/s],P1.velocity.y [m/s],P1.velocity.z [m/s]" ]
check columns_chosen_pattern [ "$(head -1 "$dir/chosen/trajectory.csv" | cut -d, -f7- | tr , '\n' | grep -c 'coincident.x')" -eq "$(grep -c 'coincident.*x \[N\]$' "$dir/columns/names")" ]
check columns_chosen_numbers [ "$(tail -1 "$dir/chosen/trajectory.csv" | cut -d, -f3)" = \
  "$(tail -1 "$dir/columns/trajectory.csv" | cut -d, -f"$(grep -n '^P2.position.x' "$dir/columns/names" | cut -d: -f1)")" ]
check columns_of_numbers awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' "$dir/columns/trajectory.csv"
check history_length [ "$(wc -l <"$dir/gn/history.csv")" -ge 4 ]
# the violation of an iteration is that of the constraints at its design: -0.7 <= elbow_... <= 0.7, -50 deg <= arm_... <= 70 deg, aside <= 0.45
largest_violation() { # FOLDER: by the constraint values of its result.json
  awk -F'[:,]' 'function over(v) { if (v > most) most = v }
    /"name"/ { name = $2 } /"kind"/ { kind = $2 } /"value"/ && kind ~ /constraint/ {
      if (name ~ /elbow/) { over($2 - 0.7); over(-0.7 - $2) }
      if (name ~ /arm/) { over($2 - 70 * 3.14159265358979312 / 180); over(-50 * 3.14159265358979312 / 180 - $2) }
      if (name ~ /aside/) over($2 - 0.45) }
    END { printf "%.17g", most }' "$1/result.json"
}
for run in "ipopt 0" "ipopt 1" "nlopt 1"; do
  optimizer=(--set "optimizer.backend=${run% *}" --set "optimizer.max_iterations=${run#* }")
  [ "${run% *}" = nlopt ] && optimizer+=(--set optimizer.algorithm=LD_SLSQP)
  # with these scales the first step leads to a design that violates constraints
  optimizer+=(--set design.arm.scale=0.524 --set design.rod.scale=1.244 --set design.base.scale=0.164 --set design.top.scale=0.85)
  "$MBOPT" configs/delta_robot.ini --output "$dir/delta" --quiet "${optimizer[@]}" 2>/dev/null
  told="$(tail -1 "$dir/delta/history.csv" | cut -d, -f4)" there="$(largest_violation "$dir/delta")"
  check "violation of $run: $told, constraints $there" awk -v a="$told" -v b="$there" 'BEGIN { exit !(b > 1e-3 && (a - b)^2 < 1e-30) }'
done
"$MBOPT" "$dir/gn/resolved.ini" --output "$dir/again" --quiet
check resolved_gives_the_same [ "$(number objective "$dir/again/result.json")" = "$(number objective "$dir/gn/result.json")" ]

# ---- derivatives over time: the last row is the gradient of the terminal objective
swing=(configs/double_pendulum.ini --set case.swing.duration=1 --set case.swing.step=1e-2)
"$MBOPT" gradient "${swing[@]}" --over-time --output "$dir/swing" --json --quiet >"$dir/swing.json"
check over_time [ $? -eq 0 ]
table="$dir/swing/sensitivities.csv"
check over_time_header grep -q '^t \[s\],energy.kinetic \[J\],d energy.kinetic/d L1,d energy.kinetic/d L2,' "$table"
check over_time_length [ "$(wc -l <"$table")" -eq 22 ] # every fifth step
last_L1="$(tail -1 "$table" | cut -d, -f3)"
first_of_gradient="$(grep -A1 '"gradient": \[' "$dir/swing.json" | tail -1 | tr -d ' ,')"
check over_time_is_the_gradient less "$(awk -v a="$last_L1" -v b="$first_of_gradient" 'BEGIN { d = a - b; print d < 0 ? -d : d }')" 1e-9
check over_time_is_not_zero less 0.1 "$(awk -v a="$last_L1" 'BEGIN { print a < 0 ? -a : a }')"
# By a duration T that is free, rows are at fixed t/T: of z = -g t^2/2 with g = 10 at t = T = 0.4, -g T = -4; by g, -T^2/2.
{
  printf 'schema = 1\n[scalars]\nT = 0.4\ng = 10\n[model]\ngravity = 0, 0, -g\n'
  mass_on_slide
} >"$dir/free_model.ini"
cat >"$dir/free.ini" <<'END'
schema = 1
[model]
file = free_model.ini
[case fall]
duration = T
step = T/8
[design T]
[design g]
[objective end]
of = slide.distance
form = terminal
[output]
every = 1
outputs = slide.distance
END
"$MBOPT" gradient "$dir/free.ini" --over-time --output "$dir/free" --quiet >"$dir/free.out" 2>&1
table="$dir/free/sensitivities.csv"
check over_time_names grep -q ',d slide.distance/d T at fixed t/T,d slide.distance/d g,\|,d slide.distance/d T at fixed t/T,d slide.distance/d g$' "$table"
check over_time_of_duration awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^d slide.distance.d T/) at = i }
  END { exit !(at && ($at + 4)^2 < 1e-20 && ($(at + 1) + 0.08)^2 < 1e-20) }' "$table"
"$MBOPT" simulate "${swing[@]}" --over-time 2>"$dir/swing.err"
check over_time_of_gradient [ $? -eq 2 ]
check over_time_message grep -q "'--over-time' belongs to the command gradient" "$dir/swing.err"

# ---- drawn by plot and report: these derivatives, and an objective up to the time
drawn=("${swing[@]}" --set objective.kinetic_energy.form=integral --set output.objectives=yes --set output.outputs=energy.kinetic --output "$dir/drawn" --quiet)
"$MBOPT" simulate "${drawn[@]}" && "$MBOPT" gradient "${drawn[@]}" --over-time >"$dir/said" && "$MBOPT" plot "$dir/drawn" >"$dir/figures" &&
  "$MBOPT" report "$dir/drawn" --quiet
check drawn [ $? -eq 0 ]
for variable in L1 L2 M_P M_Q; do
  check "drawn_$variable" grep -qx "$dir/drawn/derivative_swing_energy.kinetic_d_$variable.svg" "$dir/figures"
done
check drawn_objective grep -qx "$dir/drawn/so_far_swing_objective_kinetic_energy.svg" "$dir/figures"
check drawn_is_a_curve grep -q '<path' "$dir/drawn/so_far_swing_objective_kinetic_energy.svg"
check page_derivatives grep -q '>Derivatives over time<' "$dir/drawn/report.html"
check page_objective grep -qE '"first":\[\[[0-9]+,-1\],(\[[0-9]+,[0-9]+\],)+\[[0-9]+,-1\]\]' "$dir/drawn/report.html" # the output, phase portraits, the objective

# ---- JSON: names, all digits
"$MBOPT" gradient configs/five_bar.ini --json >"$dir/g.json"
check json_names grep -q '"Ls2"' "$dir/g.json"
check json_digits grep -qE '"value": 0\.7268724714[0-9]{5,}' "$dir/g.json"
check json_quiet_else [ "$(head -c1 "$dir/g.json")" = "{" ]

# ---- limits, constraints, other commands
"$MBOPT" configs/five_bar.ini --output "$dir/limit" --quiet --set optimizer.max_evaluations=3
check limit_exit [ $? -eq 7 ]
one="$("$MBOPT" configs/five_bar.ini --output "$dir/one_design" --max-evaluations 1 2>/dev/null)"
check "one_design: $one" contains "$one" ", 1 design simulated, "
check limit_usable less "$(number objective "$dir/limit/result.json")" 0.1
"$MBOPT" configs/pendulum.ini --output "$dir/pendulum" >"$dir/pendulum.out" 2>/dev/null
check pendulum [ $? -eq 0 ]
if built_in ipopt; then
  check no_hint_of_auto [ "$(grep -c "hessian = " "$dir/pendulum.out")" -eq 0 ]
  "$MBOPT" configs/pendulum.ini --output "$dir/hint" --set optimizer.hessian=gauss_newton >"$dir/hint.out" 2>/dev/null
  check no_hint [ "$(grep -c "hessian = " "$dir/hint.out")" -eq 0 ]
  "$MBOPT" configs/pendulum.ini --output "$dir/hint" --set optimizer.hessian=gauss_newton --max-evaluations 3 >"$dir/hint.out" 2>/dev/null
  check hint_of_auto grep -q "hessian = auto goes on without the matrix where it makes no progress" "$dir/hint.out"
  "$MBOPT" configs/pendulum.ini --output "$dir/hint" --max-evaluations 3 >"$dir/hint.out" 2>/dev/null
  check no_circle [ "$(grep -c "hessian = " "$dir/hint.out")" -eq 0 ]
fi
check pendulum_constraint less "$(number violation "$dir/pendulum/result.json")" 1e-8
"$MBOPT" check configs/pendulum.ini --json --set case.drop.step=0.02 >"$dir/check.json"
check pendulum_check [ $? -eq 0 ]
check check_json grep -q '"taylor_verdict": "right"' "$dir/check.json"
"$MBOPT" check configs/five_bar_gradient.ini --set case.swing.step=1e-2 --set case.swing.duration=1 --set case.swing.beta=0.3025 \
  --set case.swing.gamma=0.6 --set case.swing.reference=com >"$dir/damped.out"
check damped_newmark_check [ $? -eq 0 ]
"$MBOPT" configs/pendulum.ini --output "$dir/no" --quiet --set constraint.tip_speed.lower=50 --set constraint.tip_speed.upper=60 >/dev/null 2>&1
check infeasible_exit [ $? -eq 8 ]
check model_text contains "$("$MBOPT" model configs/five_bar_gradient_found.ini)" "CUT, 5 equations"
check model_one_freedom contains "$("$MBOPT" model configs/pendulum.ini)" \
  "1 body, n = 1 coordinate, m = 0 constraint equations of rank 0 at the start: 1 degree of freedom"
check model_freedoms contains "$("$MBOPT" model configs/five_bar_gradient_found.ini)" "rank 2 at the start: 2 degrees of freedom"
check model_redundant contains "$("$MBOPT" model configs/five_bar_gradient_found.ini)" "B12-B23.coincident.z"
check model_found_in_loops [ "$("$MBOPT" model configs/five_bar_gradient_found.ini | grep -c 'Every pair of bodies')" -eq 0 ]
cat >"$dir/slides.ini" <<'INI'
schema = 1
[model]
file = slides_model.ini
[case c]
duration = 0.01
step = 1e-3
INI
cat >"$dir/slides_model.ini" <<'INI'
schema = 1
[model]
name = slides
[body a]
mass = 1
com = 0, 0, 0
inertia = 1, 1, 1
[body b]
mass = 1
com = 0, 0, 1
inertia = 1, 1, 1
[vector up]
along = 0, 0, 1
bodies = ground, a, b
[vector ahead]
along = 1, 0, 0
bodies = ground, a, b
INI
text="$("$MBOPT" model "$dir/slides.ini")"
check model_slides contains "$text" "m = 5 constraint equations of rank 0"
check model_slides_told contains "$text" "Every pair of bodies that share two vectors and no point has a prismatic joint"
sed -i 's/^name = slides/&\njoints = named/' "$dir/slides_model.ini"
for pair in 'ground, a' 'ground, b'; do
  printf '[joint on_%s]\ntype = prismatic\nbodies = %s\naxis = up\n' "${pair#*, }" "$pair" >>"$dir/slides_model.ini"
done
text="$("$MBOPT" model "$dir/slides.ini")"
check model_slides_named contains "$text" "m = 0 constraint equations"
check model_slides_untold [ "$(grep -c 'Every pair of bodies' <<<"$text")" -eq 0 ]
cat >"$dir/loops.ini" <<INI
schema = 1
[model]
file = $PWD/tests/conformance/models/floating_four_bars.ini
[case c]
duration = 0.01
step = 1e-3
[objective z]
of = chassis.rate
form = terminal
INI
text="$("$MBOPT" model "$dir/loops.ini" --set scalars.N=1)"
check model_open_loops contains "$text" "m = 4 constraint equations of rank 3 at the start: 7 degrees of freedom"
check model_open_redundant contains "$text" "  D1.coincident.x"
check model_open_json [ "$("$MBOPT" model "$dir/loops.ini" --set scalars.N=5 --json | grep -c '"degrees_of_freedom": 11')" -eq 2 ]
check model_natural contains "$("$MBOPT" model configs/five_bar_gradient_found.ini)" "natural coordinates: 21 variables (3 points, 4 vectors, 0 angles, 0 distances), 20 equations of rank 19 at the start: 2 degrees of freedom"
json="$("$MBOPT" model configs/five_bar.ini --json | tr -d ' \n')"
check model_json_masses contains "$json" '"body":"B12","mass":1.5,"centre_of_mass":[0.90138781886599728,0.0,0.0],"inertia":[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.40625]'
check model_json_forces contains "$json" '"forces":[{"name":"s1","type":"spring","bodies":["A1","ground"]},{"name":"s2","type":"spring","bodies":["B12","ground"]}]'
check model_json_start contains "$json" '{"coordinate":"J1.angle","unit":"rad","value":1.76819188'
"$MBOPT" model configs/five_bar.ini --set scalars.LA1=50 --format html --output "$dir/apart" >/dev/null 2>"$dir/apart.txt"
check model_apart [ $? -eq 4 ]
check model_apart_files [ "$(ls "$dir/apart")" = closest.svg ]
check model_natural_accelerations contains "$("$MBOPT" model configs/step_descent.ini)" "  accelerations at the start: equal to those of joint coordinates"
check model_natural_json [ "$("$MBOPT" model configs/step_descent.ini --json | tr -d ' \n' | grep -c '"redundant":\["rear_left.rod.x","rear_right.rod.x","rear_left.rod.z","rear_right.rod.z"\]')" -eq 1 ]
check backends contains "$("$MBOPT" backends)" "LD_SLSQP"
check trust_region contains "$("$MBOPT" backends)" "derivative-free trust-region method with bounds"
check only_what_is_built [ -z "$("$MBOPT" backends | grep 'NOT COMPILED')" ]
check schema_json contains "$("$MBOPT" schema --json)" '"key": "projection_iterations"'
check version_of_libraries contains "$("$MBOPT" --version)" "jansson 2"
check version_of_own_optimizers contains "$("$MBOPT" --version)" "levenberg_marquardt part of mbopt"
check version contains "$("$MBOPT" --version)" "mbopt 0."
check check_config contains "$("$MBOPT" configs/five_bar.ini --check-config)" "no errors"
check help contains "$("$MBOPT" --help)" "exit codes"
for config in configs/*.ini; do check "$config" "$MBOPT" "$config" --check-config; done >"$dir/configs.out"

# ---- load cases side by side: the same bits for any number of threads
two=(configs/suspension_two_cases.ini --set case.step.duration=0.05 --set case.lane_change.duration=0.1)
for n in 1 2; do
  "$MBOPT" gradient "${two[@]}" --json --threads "$n" >"$dir/threads$n.json"
  check "gradient_threads_$n" [ $? -eq 0 ]
  "$MBOPT" simulate "${two[@]}" --quiet --threads "$n" --output "$dir/threads$n"
  check "simulate_threads_$n" [ $? -eq 0 ]
done
check threads_gradient grep -q '"roll"' "$dir/threads1.json"
check threads_same_gradient same "$dir/threads1.json" "$dir/threads2.json"
for file in "$dir"/threads1/*.csv; do check "threads_same $file" same "$file" "$dir/threads2/$(basename "$file")"; done
check threads_trajectories [ "$(find "$dir/threads1" -name '*.csv' | wc -l)" -eq 2 ]

# ---- interrupted, and gone on: the same iterates, nothing simulated twice
step=1e-3
[ -z "${MBOPT_SLOW:-}" ] || step=4e-3 # long enough to be interrupted all the same
slow=(configs/five_bar.ini "${slsqp[@]}" --quiet --set "case.swing.step=$step")
"$MBOPT" "${slow[@]}" --output "$dir/whole" 2>/dev/null
"$MBOPT" "${slow[@]}" --output "$dir/killed" 2>/dev/null &
pid=$!
for _ in $(seq 200); do
  [ -f "$dir/killed/journal.jsonl" ] && [ "$(wc -l <"$dir/killed/journal.jsonl")" -ge 3 ] && break
  sleep 0.05
done
kill -TERM "$pid"
wait "$pid"
check interrupted_exit [ $? -eq 75 ]
before="$(($(wc -l <"$dir/killed/journal.jsonl") - 1))"
"$MBOPT" "${slow[@]}" --output "$dir/killed" --resume 2>/dev/null
check resumed_exit [ $? -eq 0 ]
check replayed [ "$(number replayed "$dir/killed/result.json")" -eq "$before" ]
check nothing_twice [ "$(($(number evaluations "$dir/killed/result.json") + before))" -eq "$(number evaluations "$dir/whole/result.json")" ]
check same_answer [ "$(number objective "$dir/killed/result.json")" = "$(number objective "$dir/whole/result.json")" ]

# ---- a kill without warning: earlier results stay whole, the journal is readable
cp "$dir/whole/result.json" "$dir/kept.json"
"$MBOPT" "${slow[@]}" --output "$dir/whole" 2>/dev/null &
pid=$!
sleep 0.3
kill -KILL "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
check earlier_result_whole same "$dir/whole/result.json" "$dir/kept.json"
"$MBOPT" "${slow[@]}" --output "$dir/whole" --resume 2>/dev/null
check journal_readable [ $? -eq 0 ]

# ---- a full disk (a limit on file sizes): a message, and earlier results whole
cp -r "$dir/gn" "$dir/full"
(ulimit -f 32; trap '' XFSZ; "$MBOPT" simulate configs/five_bar.ini --output "$dir/full" --quiet) 2>"$dir/full.err"
check full_disk_exit [ $? -eq 3 ]
check full_disk_message grep -q "trajectory.csv cannot be written" "$dir/full.err"
check full_disk_kept same "$dir/full/trajectory.csv" "$dir/gn/trajectory.csv"

# ---- the manual is that of this program
MBOPT="$MBOPT" scripts/manual >"$dir/manual.md"
check "manual_up_to_date (else: MBOPT=$MBOPT scripts/manual >docs/manual.md)" same "$dir/manual.md" docs/manual.md

# ---- a file that the model file names has changed since: no going on from that journal
mkdir -p "$dir/rig/configs" "$dir/rig/problems/buggy"
cp -r problems/tyre_rig "$dir/rig/problems" && cp -r problems/buggy/tyres "$dir/rig/problems/buggy"
cp configs/tyre_rig.ini "$dir/rig/configs"
rig=("$dir/rig/configs/tyre_rig.ini" --quiet --output "$dir/rig/out" --max-evaluations 2 --set case.sweep.duration=0.1)
"$MBOPT" "${rig[@]}"
check rig_stops_at_limit [ $? -eq 7 ]
"$MBOPT" "${rig[@]}" --resume
check rig_resumes [ $? -eq 7 ]
sed -i 's/^PDY1 .*/PDY1 = 0.9/' "$dir/rig/problems/buggy/tyres/MagicFormula52_Parameters.tir"
"$MBOPT" "${rig[@]}" --resume 2>"$dir/rig/err"
check other_tyre_is_refused [ $? -eq 3 ]
check other_tyre_message grep -q "another problem" "$dir/rig/err"
# what changes first after the optimum
"$MBOPT" configs/pendulum.ini --set optimizer.first_changes=yes --output "$dir/first" >"$dir/first.out" 2>/dev/null
check first_changes grep -qE "^  length up to [0-9.]+: the upper bound of damping is reached$" "$dir/first.out"
check first_changes_json grep -q '"first_above": {' "$dir/first/result.json"
"$MBOPT" report "$dir/first" --quiet
check first_changes_page grep -q "upper bound of damping is reached" "$dir/first/report.html"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 40 ]
