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
check weave_moves contains "$text" "steer.angle 0.89"
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
check not_steady contains "$text" "no steady motion: at the start ground-bar.angle accelerates by 14.7"

# ---- nothing that is free to move
text="$("$MBOPT" linearize configs/four_bar_path.ini --output "$dir/turn" 2>&1)"
check driven_code [ $? -eq 0 ]
check driven contains "$text" "case turn: constraints and motors leave nothing free to move, so there are no eigenvalues"
check no_complaint [ "$(grep -c DGEEVX <<<"$text")" -eq 0 ]

# ---- messages
text="$("$MBOPT" "${run[@]}" --case w5 2>&1)"
check unknown_case_code [ $? -eq 3 ]
check unknown_case contains "$text" "configs/bicycle_weave.ini: --case: case 'w5' is not known, did you mean 'v5'?"
check far_case contains "$("$MBOPT" "${run[@]}" --case nothing_like_it 2>&1)" "case 'nothing_like_it' is not known; the first is 'v"
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
