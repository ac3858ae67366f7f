#!/usr/bin/env bash
# mbopt linearize: table, JSON and eigenvalues.csv; load cases; messages.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run=(linearize configs/bicycle_weave.ini --output "$dir/weave")
text="$("$MBOPT" "${run[@]}" --case v5 2>&1)"
if contains "$text" "need LAPACK"; then
  echo "skipped: $text"
  exit 77
fi

# ---- one case
check one_case contains "$text" "case v5: 9 degrees of freedom, 18 eigenvalues about the start"
check weave contains "$text" "+-    4.464"
check weave_moves contains "$text" "base.y 1.00, base.e1 0.64, base.e3 0.39"
check steady [ "$(grep -c 'no steady motion' <<<"$text")" -eq 0 ]
check header grep -q '^case,real \[1/s\],imaginary \[1/s\],frequency \[Hz\],damping ratio,base.x,' "$dir/weave/eigenvalues.csv"
check lines [ "$(wc -l <"$dir/weave/eigenvalues.csv")" -eq 19 ]

# ---- all cases
"$MBOPT" "${run[@]}" --quiet >"$dir/quiet.out"
check quiet [ ! -s "$dir/quiet.out" ]
check all_cases [ "$(grep -c '^v' "$dir/weave/eigenvalues.csv")" -eq $((11 * 18)) ]
"$MBOPT" "${run[@]}" --case v5 --json >"$dir/json.out"
check json_case grep -q '"case": "v5"' "$dir/json.out"
check json_order [ "$(grep -c '"damping_ratio"' "$dir/json.out")" -eq 18 ]
check json_finite [ "$(grep -c 'null' "$dir/json.out")" -eq 0 ]

# ---- a motion that is not steady says so
text="$("$MBOPT" linearize configs/pendulum.ini --output "$dir/pendulum" 2>&1)"
check one_freedom contains "$text" ": 1 degree of freedom, 2 eigenvalues about the start"
check not_steady contains "$text" "no steady motion: at the start ground-bar.angle accelerates by 14.7"

# ---- a steady turn of a vehicle with beams: what is found, its gradients, small motions about it
cat >"$dir/hovering.ini" <<END
schema = 1
[model]
file = $PWD/tests/conformance/models/hovering.ini
[design thickness]
[design modulus]
scale = 1e9
[case turn]
duration = 1e-3
step = 1e-3
start = steady
steady.speed = speed
steady.curvature = 0.08
steady.find = drive, rudder
[objective bends]
of = mast.tip.deflection_side
form = terminal
END
text="$("$MBOPT" simulate "$dir/hovering.ini" --output "$dir/hovering" 2>&1)"
check beams_found contains "$text" "found: drive = 111.280303, rudder = -261.339307"
check beams_bend contains "$text" "bends = -0.0318573"
check beams_gradient contains "$("$MBOPT" check "$dir/hovering.ini" --output "$dir/hovering" 2>&1)" "all right"
text="$("$MBOPT" linearize "$dir/hovering.ini" --output "$dir/hovering" 2>&1)"
check beams_modes contains "$text" "mast.side1 1.00"
check beams_rigid contains "$text" "0.48  a rigid motion, free"
check beams_steady [ "$(grep -c 'no steady motion' <<<"$text")" -eq 0 ]
text="$("$MBOPT" simulate "$dir/hovering.ini" --output "$dir/hovering" --set case.turn.steady.find=drive 2>&1)"
check beams_fail contains "$text" "expected as many inputs in steady.find as motions are given (1 of 2)"

# ---- nothing that is free to move
text="$("$MBOPT" linearize configs/four_bar_path.ini --output "$dir/turn" 2>&1)"
check driven_code [ $? -eq 0 ]
check driven contains "$text" "case turn: constraints and motors leave nothing free to move, so there are no eigenvalues"
check no_complaint [ "$(grep -c DGEEVX <<<"$text")" -eq 0 ]

# ---- a double zero, which rounding splits, is a rigid motion; a swing of 1e-3 Hz is not
two_carriages "$dir/rail"
text="$("$MBOPT" linearize "$dir/rail/run.ini" --output "$dir/rail/out")"
check zeros [ "$(grep -cE "^ +0  zero(, twice)?: a rigid motion, free +ja.distance 1.00, jb.distance 1.00$" <<<"$text")" -eq "$(grep -q twice <<<"$text" && echo 1 || echo 2)" ]
check slow contains "$text" "+- 0.00628318531        0.001"
check undamped [ "$(grep -c -e ' -0\.0000 ' <<<"$text") $(grep -c ' 0\.0000  ' <<<"$text")" = "0 2" ]
check no_slower [ "$(grep -c 'e-0[0-9]  *[0-9]' <<<"$text")" -eq 0 ]
"$MBOPT" linearize "$dir/rail/run.ini" --output "$dir/rail/out" --json >"$dir/rail.json"
check json_zeros [ "$(grep -c '"zero": true' "$dir/rail.json") $(grep -c '"zero": false' "$dir/rail.json")" = "2 4" ]
# sqrt(6 eps 25/3), by hand: the carriage of 2 kg on 50/3 N/m
check json_bound less "$(number zero_below "$dir/rail.json")" 1.0538e-7
check json_bound less 1.0536e-7 "$(number zero_below "$dir/rail.json")"
text="$("$MBOPT" linearize configs/bicycle_straight.ini --case straight --vary "v = 5, 6" --output "$dir/rail/out" 2>/dev/null)"
check vary_without_rigid [ "$(grep -cE "straight +5 +-0.03898" <<<"$text")" -eq 1 ]

# ---- values of a key: one table, one header, the eigenvalues of the run file with that value; a page
vary=(linearize configs/bicycle_straight.ini --output "$dir/vary")
text="$("$MBOPT" "${vary[@]}" --vary "v = 3 to 5 in 3" --format html)"
check vary_code [ $? -eq 0 ]
check vary_says contains "$text" "least stable eigenvalue but for rigid motions over v"
check vary_page contains "$text" "$dir/vary/linearize.html"
check vary_header grep -q '^case,v,real \[1/s\],' "$dir/vary/eigenvalues.csv"
check vary_lines [ "$(wc -l <"$dir/vary/eigenvalues.csv")" -eq $((1 + 3 * 18)) ]
"$MBOPT" linearize configs/bicycle_straight.ini --set scalars.v=4 --quiet --output "$dir/alone"
check vary_same same <(grep '^straight,4,' "$dir/vary/eigenvalues.csv" | cut -d, -f3-) <(tail -n +2 "$dir/alone/eigenvalues.csv" | cut -d, -f2-)
check no_page [ ! -e "$dir/alone/linearize.html" ]
"$MBOPT" linearize configs/bicycle_weave.ini --case v5 --vary "case.v5.scalar.v = 4, 6" --json --output "$dir/vary" >"$dir/vary.json"
check vary_json [ "$(grep -A1 '"varied"' "$dir/vary.json" | grep -c '"case.v5.scalar.v": "[46]"')" -eq 2 ]
vary_fails() { # WORDS VALUE
  text="$("$MBOPT" "${vary[@]}" --vary "$2" 2>&1)"
  check "vary '$2'" [ $? -eq 3 ]
  check "vary '$2': $text" contains "$text" "$1"
}
vary_fails "configs/bicycle_straight.ini: --vary: found 'v', expected KEY = VALUES" v
vary_fails "configs/bicycle_straight.ini: --vary: expected two values or more: A, B, C, or FROM to TO in N [log]" "v = 3"
vary_fails "configs/bicycle_straight.ini: --vary: expected a list A, B, C, or FROM to TO in N" "v = 3 to 4 inn 3"
vary_fails "k_steer_rat = 1: " "k_steer_rat = 1, 2"

# ---- messages
text="$("$MBOPT" "${run[@]}" --case w5 2>&1)"
check unknown_case_code [ $? -eq 3 ]
check unknown_case contains "$text" "configs/bicycle_weave.ini: --case: case 'w5' is not known, did you mean 'v5'?"
check far_case contains "$("$MBOPT" "${run[@]}" --case nothing_like_it 2>&1)" "case 'nothing_like_it' is not known (known: v"
text="$("$MBOPT" simulate configs/bicycle_weave.ini --case v5 2>&1)"
check other_command_code [ $? -eq 2 ]
check other_command contains "$text" "option '--case' belongs to the command linearize"
text="$("$MBOPT" linearize configs/bicycle_weave.ini --case 2>&1)"
check case_without_name contains "$text" "option '--case' needs a value"
text="$("$MBOPT" linearize configs/bicycle_weave.ini --output "$dir/none" --set scalars.m_R=-1 2>&1)"
check bad_number_code [ $? -eq 3 ]
check nothing_left [ ! -e "$dir/none/eigenvalues.csv" ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 15 ]
