#!/usr/bin/env bash
# Verdicts of `mbopt check` on results that are wrong: exit code 6 and the word WRONG where a number is none, and where the
# continuous adjoint does not come closer to the exact gradient with the steps. BROKEN: mbopt with an evaluation broken on purpose.
. "$(dirname "$0")/common.sh"

run=(check configs/pendulum.ini --set case.drop.step=0.02 --set case.drop.duration=1 --set gradient.method=direct)

# How the broken program judges, and the whole of what it says.
#   broken WHAT CODE "PART OF THE OUTPUT" [ARGUMENTS ...]
broken() {
  local what="$1" code="$2" part="$3" out got
  shift 3
  out="$(MBOPT_BREAK="$what" "$BROKEN" "${run[@]}" "$@" 2>&1)"
  got=$?
  check "$what code $got" [ "$got" -eq "$code" ]
  check "$what says $part" contains "$out" "$part"
}

broken nothing 0 "all right"
broken value 6 "Taylor test: order nan, expected 2: WRONG"
broken value 6 '"taylor_verdict": "WRONG"' --json
broken by_1e-4 6 "Taylor test: order 1.0"
broken by_1e-4 6 "; 1.0e-04 of the derivative unexplained"
broken nothing 0 "Taylor test: order 2.0"
broken gradient 6 "verdicts WRONG"
broken gradient 6 '"gradient": null' --json
broken gradient 6 "verdicts WRONG" --set check.variables=1 --set check.directions=2
broken continuous 6 "WRONG: 148 % off; 148 % at half the steps"
broken few_percent 6 "WRONG: 3" # within continuous_tolerance, and stays
broken continuous 6 "verdicts WRONG" --set gradient.method=continuous_adjoint
broken nothing 0 "at half the steps" --set gradient.method=continuous_adjoint
broken nothing 0 '"deviation_at_half_steps": ' --json
# Half the steps are those of the continuous adjoint alone, once for each of the two objectives.
check half_steps_of_one [ "$("$MBOPT" "${run[@]}" --json | grep -c '"deviation_at_half_steps"')" -eq 2 ]

# The distance of the tip from the hinge less the length of the bar is zero, and so is its derivative: what rounding leaves of both is not wrong.
cat >"$dir/zero.ini" <<END
schema = 1
[model]
file = $PWD/problems/pendulum/pendulum.ini
[design length]
lower = 0.5
upper = 2
[quantity gap]
value = sqrt(tip.position.x^2 + tip.position.z^2) - length
unit = m
[case drop]
duration = 1
step = 0.01
[objective sum]
of = gap
form = integral
[output]
outputs = tip.position
END
out="$("$MBOPT" check "$dir/zero.ini")"
check zero_is_right [ $? -eq 0 ]
check zero_is_tiny grep -qE '^  length .* tiny$' <<<"$out"
check zero_is_not_judged contains "$out" "Taylor test: not judged"

# In use with steps too long for it, it is no gradient: told by how much.
long=("${run[@]}" --set case.drop.step=0.25 --set gradient.method=continuous_adjoint)
out="$("$MBOPT" "${long[@]}")"
check too_long_code [ $? -eq 6 ]
check too_long_text grep -qE 'WRONG: [0-9.]+ % off; [0-9.]+ % at half the steps' <<<"$out"
check bound "$MBOPT" "${long[@]}" --set check.continuous_tolerance=1 >/dev/null

# A derivative that is no more than the rounding of its quantity: a speed when a mass has fallen 0.2 m hardly depends on when the motion
# ends. Ways to compute it need not agree; those to the derivative of another quantity must.
cat - <(mass_on_slide) >"$dir/fall_model.ini" <<'INI'
schema = 1
[scalars]
T = 0.4
[model]
gravity = 0, 0, -10
[point P]
at = 0, 0, 0
bodies = mass
[point O]
at = 0, 0, 1
bodies = ground
[force spring]
type = spring
points = O, P
stiffness = 2
INI
cat >"$dir/fall.ini" <<INI
schema = 1
[model]
file = fall_model.ini
[design T]
[case fall]
duration = T
step = T/80
formulation = matrix_r
integrator = runge_kutta_4
[objective speed]
of = slide.distance.rate
form = value_at
at = slide.distance falls below -0.2
[objective end]
of = slide.distance
form = terminal
INI
for steps in 8 80 800; do
  out="$("$MBOPT" check "$dir/fall.ini" --set "case.fall.step=T/$steps")"
  check "tiny_code $steps" [ $? -eq 0 ]
  check "tiny_text $steps: $out" grep -qE 'central differences +[0-9.e+-]+ +tiny' <<<"$out"
  check "beside_tiny $steps" [ "$(grep -cE 'central differences +[0-9.e+-]+ +right' <<<"$out")" -eq 1 ]
done
out="$("$MBOPT" check "$dir/fall.ini" --set optimizer.hessian=exact)"
check tiny_second_code [ $? -eq 0 ]
check tiny_second_text grep -qE '^  speed .* tiny$' <<<"$out"
out="$(MBOPT_BREAK=slightly "$BROKEN" check "$dir/fall.ini")"
check slightly_wrong [ $? -eq 6 ]
check slightly_wrong_once [ "$(tail -n 1 <<<"$out")" = "verdicts WRONG: 1" ]

# ---- motions past singular positions, which amplify what the tolerance of the steps leaves: the deviation falls with that tolerance, but
# that of a gradient that is too large by a millionth stays
# (MBOPT_LONG without sanitizers, under which this takes half a minute; any check whose tolerance nothing reaches takes the same way)
check tighter_text contains "$("$MBOPT" "${run[@]}" --set check.tolerance=1e-300)" "at a hundredth of the steps' tolerance"
singular=(check configs/linkages.ini --set case.swing.duration=2 --set case.swing.tolerance=1e-9 --set gradient.method=direct)
if [ -z "${MBOPT_SLOW:-}" ] && [ -n "${MBOPT_LONG:-}" ]; then
  out="$("$MBOPT" "${singular[@]}")"
  check "amplified_code: $out" [ $? -eq 0 ]
  check amplified_text grep -qE "complex step +[0-9.]+e-0[78] +right; [0-9.]+e-(09|1[0-9]) at a hundredth of the steps' tolerance\$" <<<"$out"
  out="$(MBOPT_BREAK=slightly "$BROKEN" "${singular[@]}")"
  check amplified_wrong [ $? -eq 6 ]
  check amplified_wrong_text grep -qE "complex step +[0-9.]+e-0[67] +WRONG; [0-9.]+e-0[67] at a hundredth of the steps' tolerance\$" <<<"$out"
fi

# ---- steps that the integrator chooses differ from design to design: the deviation falls with them, that of a wrong gradient stays. A sharp peak
# of an acceleration at the start is resolved by the steps alone, for the continuous adjoint, too
chosen=(check configs/pendulum.ini --set case.drop.duration=1 --set case.drop.formulation=matrix_r --set case.drop.integrator=dormand_prince
  --set case.drop.rtol=1e-6 --set gradient.method=direct)
by_steps="to the accuracy of the steps"
out="$("$MBOPT" "${chosen[@]}")"
check "chosen_code: $out" [ $? -eq 0 ]
check chosen_text grep -qE "Taylor test: .* of the derivative unexplained, known to .*; [0-9.e-]+ at half the steps: $by_steps\$" <<<"$out"
out="$(MBOPT_BREAK=by_1e-4 "$BROKEN" "${chosen[@]}")"
check chosen_wrong [ $? -eq 6 ]
check "chosen_wrong_text: $out" grep -qE 'Taylor test: .*; 1.0e-04 at half the steps: WRONG$' <<<"$out"
sharp=("${chosen[@]}" --set case.drop.rtol=1e-8 --set objective.settle.of=tip.acceleration.norm --set objective.settle.target=0
  --set objective.settle.form=peak --set objective.settle.sharpness=500)
out="$("$MBOPT" "${sharp[@]}")"
check "sharp_code: $out" [ $? -eq 0 ]
check sharp_differences grep -qE "central differences .* $by_steps; [0-9.e-]+ at half the steps\$" <<<"$out"
check sharp_continuous grep -qE "continuous adjoint .* $by_steps; [0-9.e-]+ at half the steps\$" <<<"$out"
out="$(MBOPT_BREAK=few_percent "$BROKEN" "${sharp[@]}")"
check sharp_wrong [ $? -eq 6 ]

# ---- the Taylor test of 1 + x + x^2 - x^3/h0, where the terms of second and third order of the remainder cancel at h0/cos(1)
cat - <(mass_on_slide) >"$dir/cubic_model.ini" <<'INI'
schema = 1
[scalars]
x = 0
h0 = 1
[model]
INI
cat >"$dir/cubic.ini" <<'INI'
schema = 1
[model]
file = cubic_model.ini
[design x]
scale = 1
[case still]
duration = 0.1
step = 0.05
[objective cubic]
value = 1 + x + x^2 - x^3/h0
[gradient]
method = direct
INI
for h0 in 2e-3 1e-3 1e-4 1e-5; do
  out="$("$MBOPT" check "$dir/cubic.ini" --set "scalars.h0=$h0")"
  check "cancels_code $h0: $out" [ $? -eq 0 ]
  check "cancels_right $h0" grep -qE 'Taylor test: .*: right$' <<<"$out"
  out="$(MBOPT_BREAK=by_1e-4 "$BROKEN" check "$dir/cubic.ini" --set "scalars.h0=$h0")"
  check "cancels_wrong $h0: $out" grep -qE 'Taylor test: .* 1.0e-04 of the derivative unexplained.*: WRONG$' <<<"$out"
done

# ---- gradients that watch themselves: by adjoint against a direct sensitivity, in journal and result
watch=(configs/four_bar_motor.ini --quiet --set gradient.method=discrete_adjoint --set gradient.watch=3)
"$MBOPT" "${watch[@]}" --output "$dir/watched" >"$dir/watched.out"
check watch_ends [ $? -eq 0 ]
watched="$(grep -c '"deviation":' "$dir/watched/journal.jsonl")"
gradients="$(number gradients "$dir/watched/result.json")"
check "the first and every third after it: $watched of $gradients" [ "$watched" -eq $(((gradients + 2) / 3)) ]
check watched_are_counted [ "$(number watched_gradients "$dir/watched/result.json")" -eq "$watched" ]
check "$(number gradient_deviation "$dir/watched/result.json")" less "$(number gradient_deviation "$dir/watched/result.json")" 1e-12
check watched_is_not_nothing less 0 "$(number gradient_deviation "$dir/watched/result.json")"
# A run that goes on has the same deviations; what is watched changes no design.
"$MBOPT" "${watch[@]}" --set optimizer.max_iterations=3 --output "$dir/goes_on" >/dev/null 2>&1
check stopped_early [ $? -eq 7 ]
"$MBOPT" "${watch[@]}" --set optimizer.max_iterations=500 --output "$dir/goes_on" --resume >/dev/null 2>&1
designs() { grep -o '"x":.*' "$1/journal.jsonl" | sed 's/,"deviation":[^]]*\][^]]*\]//; s/,"seconds":.*//'; }
deviations() { grep -o '"deviation":.*"size":[^]]*' "$1/journal.jsonl"; }
check same_deviations [ "$(deviations "$dir/watched")" = "$(deviations "$dir/goes_on")" ]
"$MBOPT" "${watch[@]}" --set gradient.watch=0 --output "$dir/unwatched" >/dev/null 2>&1
check same_designs [ "$(designs "$dir/watched")" = "$(designs "$dir/unwatched")" ]
check none_watched [ "$(number watched_gradients "$dir/unwatched/result.json")" -eq 0 ]
# Beyond the limit the run stops, also when it goes on from its journal.
for resume in "" --resume; do
  text="$("$MBOPT" "${watch[@]}" --set gradient.watch_limit=1e-18 --output "$dir/beyond" ${resume:+$resume} 2>&1)"
  check beyond_the_limit [ $? -eq 11 ]
  check "beyond the limit, in words: $text" contains "$text" "from a direct sensitivity along a random direction, expected at most 1.0e-18"
done
check beyond_status grep -q '"status": "WRONG_GRADIENT"' "$dir/beyond/result.json"

# An objective that is zero whatever the design: nothing is divided by it.
out="$("$MBOPT" check "$dir/cubic.ini" --set 'objective.cubic.value=0*x')"
check "zero: $out" [ $? -eq 0 ]
check zero_taylor contains "$out" "Taylor test: nothing changes along the direction, as the gradient says: right"

# ---- a page in the folder of the results, and the Taylor test in the answer
text="$("$MBOPT" check configs/five_bar.ini --format html --output "$dir/page")"
check page_code [ $? -eq 0 ]
check page_says contains "$text" "$dir/page/check.html"
check page_of grep -qF "<h1>five_bar.ini: check of the gradient</h1>" "$dir/page/check.html"
"$MBOPT" check configs/five_bar.ini --json --output "$dir/none" >"$dir/check.json"
check no_page [ ! -e "$dir/none" ]
check taylor_steps [ "$(grep -A11 '"remainder": \[' "$dir/check.json" | grep -c e-)" -ge 8 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
