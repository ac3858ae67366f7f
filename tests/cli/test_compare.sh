#!/usr/bin/env bash
# mbopt compare: the table, its files, messages before anything is simulated, interruption.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for backend in ipopt nlopt lbfgsb; do
  built_in "$backend" || { echo "skipped: $backend is not built in"; exit 77; }
done
short=(configs/five_bar.ini --set case.swing.duration=0.5)

# ---- the table and its files
"$MBOPT" compare "${short[@]}" --output "$dir/all" >"$dir/all.out" 2>"$dir/all.err"
check exit [ $? -eq 0 ]
out="$(cat "$dir/all.out")"
for part in "ipopt:gauss_newton" "nlopt:LN_BOBYQA" Ls1 Ls2 objective violation iterations simulations failures "time [s]" \
  CONVERGED "spread" "best objective: " "after " "results in $dir/all"; do
  check "table has $part" contains "$out" "$part"
done
check told_on_the_way grep -q "^lbfgsb: converged, objective" "$dir/all.err"
check header [ "$(head -1 "$dir/all/compare.csv")" = "backend,Ls1,Ls2,objective,violation,iterations,simulations,failures,seconds,status,simulations_to_best,message,warnings" ]
check lines [ "$(wc -l <"$dir/all/compare.csv")" -eq 6 ]
check all_digits grep -qE '^lbfgsb,[0-9]\.[0-9]{14,},' "$dir/all/compare.csv"
check no_leftovers [ -z "$(find "$dir/all" -name '*.tmp*')" ]
check history_header [ "$(head -1 "$dir/all/history.csv")" = "backend,evaluation,objective,best,violation" ]
check a_line_per_simulation [ "$(wc -l <"$dir/all/history.csv")" -eq "$(($(awk -F, 'NR > 1 { n += $7 } END { print n }' "$dir/all/compare.csv") + 1))" ]
check best_falls awk -F, 'NR > 1 { if ($1 == last && $4 > best) exit 1; last = $1; best = $4 }' "$dir/all/history.csv"
check resolved [ -s "$dir/all/resolved.ini" ]

# ---- a budget in simulations, the same for all
"$MBOPT" compare "${short[@]}" --backends nlopt:LN_BOBYQA,ipopt --max-evaluations 4 --output "$dir/few" --quiet
check few_exit [ $? -eq 0 ]
check few_each [ "$(awk -F, 'NR > 1 { print $7 }' "$dir/few/compare.csv" | tr '\n' ' ')" = "4 4 " ]
check few_status [ "$(grep -c STOPPED_LIMIT "$dir/few/compare.csv")" -eq 2 ]
check few_history [ "$(grep -c '^ipopt,' "$dir/few/history.csv")" -eq 4 ]

# ---- JSON
"$MBOPT" compare "${short[@]}" --backends lbfgsb,ipopt:gauss_newton,ipopt:exact --output "$dir/json" --json 2>/dev/null >"$dir/json.out"
check json grep -q '"simulations_to_best": [0-9]' "$dir/json.out"
check json_spread grep -q '"spread": {' "$dir/json.out"
check json_exact grep -q '"ipopt:exact"' "$dir/json.out"

# ---- constraints: who cannot take them is left out, and said so; asked for by name, it is an error
out="$("$MBOPT" compare configs/pendulum.ini --set case.drop.duration=0.5 --max-evaluations 5 --output "$dir/pendulum" 2>&1)"
check left_out contains "$out" "left out: lbfgsb: backend 'lbfgsb' takes no nonlinear constraints"
refused() { # NAME CODE PART ARGUMENTS...
  local name="$1" code="$2" part="$3" text got
  shift 3
  text="$("$MBOPT" compare "$@" --output "$dir/none" 2>&1)"
  got=$?
  check "$name code" [ "$got" -eq "$code" ]
  check "$name text" contains "$text" "$part"
  check "$name nothing done" [ ! -e "$dir/none" ]
}
refused constraints 3 "'lbfgsb' cannot be compared: backend 'lbfgsb' takes no nonlinear constraints" configs/pendulum.ini --backends ipopt,lbfgsb
refused unknown 3 "backend 'lbfgs' is not known, did you mean 'lbfgsb'?" "${short[@]}" --backends ipopt,lbfgs
refused unknown_algorithm 3 "did you mean 'LD_SLSQP'?" "${short[@]}" --backends nlopt:LD_SLQSP
refused empty 3 "name 2 of the list is empty" "${short[@]}" --backends ipopt,,lbfgsb
refused budget 3 "[optimizer] max_evaluations = 0" "${short[@]}" --max-evaluations 0
text="$("$MBOPT" optimize "${short[@]}" --backends ipopt 2>&1)"
check other_command [ $? -eq 2 ]
check other_command_text contains "$text" "belongs to the command compare"

# ---- a start that cannot be simulated: every backend says so
"$MBOPT" compare "${short[@]}" --set scalars.LA1=50 --output "$dir/start" >"$dir/start.out" 2>&1
check start_exit [ $? -ne 0 ]

# ---- interrupted: what is there is written
"$MBOPT" compare configs/five_bar.ini --set case.swing.step=1e-3 --output "$dir/stop" >"$dir/stop.out" 2>"$dir/stop.err" &
pid=$!
for _ in $(seq 2400); do
  [ -f "$dir/stop/compare.csv" ] && break
  sleep 0.05
done
kill -INT "$pid"
wait "$pid"
check stop_exit [ $? -eq 75 ]
check stop_said grep -q "interrupted; the comparison is not complete" "$dir/stop.err"
check stop_table grep -q "NOT_RUN" "$dir/stop.out"
check stop_file grep -q "^ipopt,2" "$dir/stop/compare.csv"
check stop_not_run grep -q "NOT_RUN" "$dir/stop/compare.csv"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 40 ]
