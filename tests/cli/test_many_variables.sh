#!/usr/bin/env bash
# A thousand control points as design variables, and the methods of gradients: answers, files, and a screen that stays readable.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
run=configs/five_bar_driven.ini
many=("$run" --set scalars.points=1000 --set case.hold.step=1e-2)
without_costs() { sed '/"reason"\|"simulation_seconds"\|"direct": [0-9]\|"discrete_adjoint": [0-9]/d' "$1"; }
few=("$run" --set scalars.points=8 --set case.hold.step=1e-2 --set design.motor.start=2)

# ---- gradient: all of them in JSON, one row on the screen
"$MBOPT" gradient "${many[@]}" >"$dir/gradient.out" 2>"$dir/gradient.err"
check gradient_exit [ $? -eq 0 ]
check gradient_rows [ "$(wc -l <"$dir/gradient.out")" -eq 3 ]
check gradient_row grep -q 'd/d motor.1 ... 1000 .* rms' "$dir/gradient.out"
check gradient_says_why grep -qE 'gradient: discrete adjoint \(1000 variables, 2 objectives; measured: a simulation takes [0-9.e-]+ s, the gradient [0-9.]+ simulations more, by direct differentiation [0-9.]+\)' "$dir/gradient.err"
"$MBOPT" gradient "${many[@]}" --json >"$dir/gradient.json"
check gradient_names [ "$(grep -c '"motor\.[0-9]*",*$' "$dir/gradient.json")" -eq 1000 ]
check gradient_method grep -q '"method": "discrete_adjoint"' "$dir/gradient.json"
check gradient_stored less 1000 "$(number bytes_stored "$dir/gradient.json")"

# ---- the methods agree to the digits printed here
for method in direct discrete_adjoint complex_step auto; do
  "$MBOPT" gradient "${few[@]}" --quiet --set gradient.method=$method 2>/dev/null |
    sed 's/\(\.[0-9]\{6\}\)[0-9]*/\1/g' >"$dir/by_$method"
  check "by_$method" same "$dir/by_$method" "$dir/by_direct"
done
check some_rows [ "$(wc -l <"$dir/by_direct")" -eq 10 ]

# ---- check: some variables one by one, random directions for all
"$MBOPT" check "${many[@]}" --set check.variables=5 --set check.directions=2 >"$dir/check.out"
check check_exit [ $? -eq 0 ]
check check_says_all_right grep -q '^all right' "$dir/check.out"
check check_ends [ "$(grep -cE '^  motor\.(1|250|500|750|1000) ' "$dir/check.out")" -eq 10 ]
check check_sample grep -q 'complex step, 5 of 1000 variables' "$dir/check.out"
check check_directions grep -qE 'complex step, 2 random directions .* right' "$dir/check.out"
check check_direct grep -qE 'direct differentiation .* right' "$dir/check.out"
check check_adjoint grep -qE 'discrete adjoint .* right' "$dir/check.out"
check check_taylor grep -q 'Taylor test: ' "$dir/check.out"
"$MBOPT" check "${few[@]}" --json >"$dir/check.json"
check check_json grep -q '"method": "complex_step"' "$dir/check.json"
check no_directions_for_few [ "$(grep -c random_directions "$dir/check.json")" -eq 0 ]
"$MBOPT" check "${few[@]}" --set check.difference_tolerance=1e-15 >"$dir/check.out"
check too_strict_exit [ $? -eq 6 ]
check too_strict grep -qE 'central differences .* WRONG' "$dir/check.out"

# ---- optimize: files with all variables, a screen with a row; on from the journal
for backend in ipopt lbfgsb; do
  built_in "$backend" || { echo "skipped: $backend is not built in"; continue; }
  "$MBOPT" "${many[@]}" --set optimizer.backend=$backend --output "$dir/$backend" --max-evaluations 6 >"$dir/out" 2>"$dir/err"
  check "${backend}_exit" [ $? -eq 7 ]
  check "${backend}_row" grep -qE 'motor.1 ... 1000 +0 to 0 ' "$dir/out"
  check "${backend}_screen" [ "$(cat "$dir/out" "$dir/err" | wc -l)" -le 30 ]
  check "${backend}_says_why" grep -q 'gradient: discrete adjoint' "$dir/err"
  check "${backend}_better" less "$(number objective "$dir/$backend/result.json")" "$(number objective_at_start "$dir/$backend/result.json")"
  check "${backend}_result" [ "$(grep -c '"motor\.[0-9]*": ' "$dir/$backend/result.json")" -eq 2000 ]
  check "${backend}_reason" grep -q '"reason": "discrete adjoint (1000 variables' "$dir/$backend/result.json"
  check "${backend}_resolved" grep -q '^curve = torque' "$dir/$backend/resolved.ini"
  before="$(grep -c "^{.evaluation" "$dir/$backend/journal.jsonl")"
  "$MBOPT" "${many[@]}" --set optimizer.backend=$backend --output "$dir/$backend" --max-evaluations 9 --resume --quiet
  check "${backend}_resumes" [ "$(number replayed "$dir/$backend/result.json")" -eq "$before" ]
  "$MBOPT" gradient "$dir/$backend/resolved.ini" --json >"$dir/resolved.json"
  check "${backend}_resolved_is_the_same" same <(without_costs "$dir/resolved.json") <(without_costs "$dir/gradient.json")
done

# ---- compare
if built_in lbfgsb && built_in nlopt; then
  "$MBOPT" compare "${many[@]}" --backends lbfgsb,nlopt:LD_LBFGS --max-evaluations 3 --output "$dir/compare" >"$dir/out" 2>/dev/null
  check compare_exit [ $? -eq 0 ]
  check compare_screen [ "$(wc -l <"$dir/out")" -le 25 ]
  check compare_row grep -qE '^motor.1 ... 1000 .* rms$' "$dir/out"
  check compare_csv [ "$(head -1 "$dir/compare/table.csv" | tr , '\n' | grep -c '^result\.motor\.')" -eq 1000 ]
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 20 ]
