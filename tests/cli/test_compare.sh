#!/usr/bin/env bash
# mbopt compare of one problem: the table, its files, messages before anything is simulated, interruption, other comparisons in the folder.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"

for backend in ipopt nlopt lbfgsb; do
  built_in "$backend" || { echo "skipped: $backend is not built in"; exit 77; }
done
# which method is cheaper may change from one study to the next
method=(--set gradient.method=direct)
short=(configs/five_bar.ini --set case.swing.duration=0.5 "${method[@]}")
# of BACKEND COLUMN FILE: the values of a column in the lines of a backend; ".": of all
of() { awk -F, -v backend="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } backend == "." || $at["backend"] == backend { print $at[name] }' "$3"; }

# ---- the table and its files
"$MBOPT" compare "${short[@]}" --output "$dir/all" >"$dir/all.out" 2>"$dir/all.err"
check exit [ $? -eq 0 ]
out="$(cat "$dir/all.out")"
for part in "ipopt:gauss_newton" "nlopt:LN_BOBYQA" Ls1 Ls2 objective optimality violation iterations simulations failures "time [s]" \
  CONVERGED "spread" "best objective: " "after " "results in $dir/all"; do
  check "table has $part" contains "$out" "$part"
done
check told_on_the_way grep -q "6 of 6 runs" "$dir/all.err"
check told_gradient grep -q "^gradient: " "$dir/all.err"
check header [ "$(head -1 "$dir/all/table.csv")" = "run,status,problem,start,backend,start.Ls1,start.Ls2,result.Ls1,result.Ls2,objective,psi1,objective_at_start,violation,iterations,simulations,failed_designs,equivalent,warnings,seconds,error" ]
check lines [ "$(wc -l <"$dir/all/table.csv")" -eq 7 ]
check all_digits [ "$(of lbfgsb result.Ls1 "$dir/all/table.csv" | grep -cE '^[0-9]\.[0-9]{14,}$')" -eq 1 ]
check message grep -qF '"message":"' <(record "$dir/all" 0)
check "optimality $(grep '^optimality' "$dir/all.out")" [ "$(grep '^optimality' "$dir/all.out" | grep -oE '[0-9.]+e[-+][0-9]+|-' | wc -l)" -ge 5 ]
check no_optimality_without_gradients grep -qE '^optimality .* -( |$)' <(sed 's/ *$//' "$dir/all.out")
check no_leftovers [ -z "$(find "$dir/all" -name '*.tmp*')" ]
check history_header [ "$(head -1 "$dir/all/history.csv")" = "run,problem,start,backend,evaluation,objective,best,violation,equivalent" ]
check a_line_per_simulation [ "$(wc -l <"$dir/all/history.csv")" -eq "$(($(of . simulations "$dir/all/table.csv" | paste -sd+) + 1))" ]
check best_falls awk -F, 'NR > 1 { if (NR > 2 && $1 == last && $7 > best) exit 1; last = $1; best = $7 }' "$dir/all/history.csv"
check run_file [ -s "$dir/all/run_1.ini" ]

# ---- equivalent simulations: the evaluations of each run by kind (0 without derivatives, 1 with the gradient, 2 with the Gauss-Newton matrix)
# kinds FOLDER RUN: how many evaluations of each kind; evaluations FOLDER RUN: number of the design and kind of each
evaluations() { sed 's/.*"evaluations":\[\[//; s/\]\].*//; s/\],\[/\n/g' <(record "$1" "$2") | cut -d, -f1,2; }
kinds() { evaluations "$1" "$2" | awk -F, '{ n[$2]++ } END { print n[0] + 0, n[1] + 0, n[2] + 0 }'; }
simulated() { sed 's/.*"simulations":\([0-9]*\),.*/\1/' <(record "$1" "$2"); }
check "gradients $(kinds "$dir/all" 3)" [ "$(kinds "$dir/all" 3 | cut -d' ' -f2,3)" = "$(simulated "$dir/all" 3) 0" ]      # nlopt:LD_SLSQP
check "matrices $(kinds "$dir/all" 2)" [ "$(kinds "$dir/all" 2 | cut -d' ' -f2,3)" = "0 $(simulated "$dir/all" 2)" ]       # levenberg_marquardt
check "no derivatives $(kinds "$dir/all" 5)" [ "$(kinds "$dir/all" 5 | cut -d' ' -f2,3)" = "1 0" ]                        # LN_BOBYQA, beside the start
# the table: kinds times the costs that the command prints, to the digits that it prints
cost() { sed -n "s/^equivalent: .* \([0-9.]*\) with $1.*/\1/p" "$dir/all.out"; }
check costs_told [ "$(grep -cE '^equivalent: a design counts 1 without derivatives \(.* s, median of [0-9]+\), [0-9.]+ with its gradient \(of [0-9]+\)' "$dir/all.out")" -eq 1 ]
for run in 0 1 2 3 4 5; do
  check "equivalent of run $run" awk -v kinds="$(kinds "$dir/all" $run)" -v g="$(cost "its gradient")" -v m="$(cost "the Gauss-Newton")" -v found="$(sed -n "$((run + 2))p" "$dir/all/table.csv" | cut -d, -f17)" \
    'BEGIN { split(kinds, n, " "); e = n[1] + g * n[2] + m * n[3]; exit !(found > 1 && (found - e) ^ 2 < (0.005 * e) ^ 2) }'
done
check equivalent_rises awk -F, 'NR > 1 && $1 == 0 { if ($9 <= last) bad = 1; last = $9; n++ } END { exit bad || n < 4 }' "$dir/all/history.csv"
# of a run in stages all evaluations count, and designs that only smooth values allow are not feasible: those of the first stage are 2 % better than the optimum
"$MBOPT" compare configs/desk_lamp.ini --backends ipopt,nlopt:LD_SLSQP --max-evaluations 100 --output "$dir/staged" --quiet
for run in 0 1; do
  check "evaluations of all stages of run $run" [ "$(evaluations "$dir/staged" $run | tail -1 | cut -d, -f1)" = "$(simulated "$dir/staged" $run)" ]
  check "stages of run $run" grep -q '"stages":3' <(record "$dir/staged" $run)
done
check truly_feasible awk -F, 'NR > 1 && $8 != "" && $8 <= 1e-8 { if ($6 < 0.01267) bad = 1; n++ } END { exit bad || n < 5 }' "$dir/staged/history.csv"
check scales_told grep -qE '^scaling = given; scale is left out of the run file and taken as: Ls1 1.75, Ls2 1.75$' "$dir/all.out"

# ---- a budget in simulations, the same for all
"$MBOPT" compare "${short[@]}" --backends nlopt:LN_BOBYQA,ipopt --max-evaluations 4 --output "$dir/few" --quiet
check few_exit [ $? -eq 0 ]
check few_each [ "$(of . simulations "$dir/few/table.csv" | tr '\n' ' ')" = "4 4 " ]
check few_status [ "$(grep -c STOPPED_LIMIT "$dir/few/table.csv")" -eq 2 ]
check few_history [ "$(grep -c ',ipopt,' "$dir/few/history.csv")" -eq 4 ]

# ---- the error of one stays its own: NLopt refuses an option, which no other backend is given
"$MBOPT" compare "${short[@]}" --set optimizer.backend=nlopt --set optimizer.algorithm=LD_SLSQP --set native.no_such_option=x \
  --backends nlopt:LD_SLSQP,lbfgsb --output "$dir/one" >"$dir/one.out" 2>&1
check one_exit [ $? -eq 0 ]
check one_says grep -q "^nlopt:LD_SLSQP: .*no_such_option" "$dir/one.out"
check one_failed [ "$(of nlopt:LD_SLSQP status "$dir/one/table.csv")" = FAILED ]
check other_done [ "$(of lbfgsb status "$dir/one/table.csv")" = CONVERGED ]

# ---- JSON
"$MBOPT" compare "${short[@]}" --backends lbfgsb,ipopt:gauss_newton,ipopt:exact --output "$dir/json" --json 2>/dev/null >"$dir/json.out"
check json grep -q '"simulations_to_best": [0-9]' "$dir/json.out"
check json_spread grep -q '"spread": {' "$dir/json.out"
check json_optimality [ "$(grep -cE '"optimality": [0-9.e+-]+,' "$dir/json.out")" -eq 3 ]
check "same_as_alone $(number optimality "$dir/json.out")" less "$(number optimality "$dir/json.out")" 1e-6
check json_exact grep -q '"ipopt:exact"' "$dir/json.out"
check json_equivalent [ "$(grep -cE '"equivalent(_to_best)?": [0-9.]+,' "$dir/json.out")" -eq 6 ]

# ---- constraints: who cannot take them is left out, and said so, by the default list as by one that is written out
out="$("$MBOPT" compare configs/pendulum.ini --set case.drop.duration=0.5 --max-evaluations 5 --output "$dir/pendulum" 2>&1)"
check left_out contains "$out" "left out: lbfgsb: backend 'lbfgsb' takes no nonlinear constraints"
check free_of_gradients [ "$(cut -d, -f5 "$dir/pendulum/table.csv" | tr '\n' ' ')" = "backend ipopt ipopt:gauss_newton nlopt:LD_SLSQP nlopt:LN_COBYLA " ]
list="ipopt,ipopt:gauss_newton,levenberg_marquardt,nlopt:LD_SLSQP,lbfgsb,nlopt:LN_BOBYQA or nlopt:LN_COBYLA" # as in commands.md
check list_is_told contains "$("$MBOPT" compare --help | tr -s ' \n' ' ')" "${list//,/, }"
out="$("$MBOPT" compare configs/pendulum.ini --set case.drop.duration=0.5 --max-evaluations 5 --backends "$list" --output "$dir/listed" 2>&1)"
check listed_left_out contains "$out" "left out: lbfgsb: backend 'lbfgsb' takes no nonlinear constraints"
check listed_runs cmp -s "$dir/pendulum/points.csv" "$dir/listed/points.csv"
check listed_hash [ "$(grep '"hash"' "$dir/pendulum/study.json")" = "$(grep '"hash"' "$dir/listed/study.json")" ]
refused() { # NAME CODE PART ARGUMENTS...
  local name="$1" code="$2" part="$3" text got
  shift 3
  text="$("$MBOPT" compare "$@" --output "$dir/none" 2>&1)"
  got=$?
  check "$name code" [ "$got" -eq "$code" ]
  check "$name text" contains "$text" "$part"
  check "$name nothing done" [ ! -e "$dir/none" ]
}
refused constraints 3 "no backend can solve this problem: lbfgsb: backend 'lbfgsb' takes no nonlinear constraints" configs/pendulum.ini --backends lbfgsb
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

# ---- interrupted: what is done is recorded, and resume gives what would have come out
long=(configs/five_bar.ini "${method[@]}" --set case.swing.step=2e-3 --backends "ipopt,lbfgsb,nlopt:LN_BOBYQA" --jobs 1)
"$MBOPT" compare "${long[@]}" --output "$dir/stop" >"$dir/stop.out" 2>"$dir/stop.err" &
pid=$!
for _ in $(seq 2400); do
  [ -n "$(record "$dir/stop" 0)" ] && break
  sleep 0.05
done
kill -INT "$pid"
wait "$pid"
check stop_exit [ $? -eq 75 ]
check stop_said grep -q "interrupted; 'mbopt resume $dir/stop' goes on" "$dir/stop.err"
check stop_recorded [ -z "$(record "$dir/stop" 2)" ]
"$MBOPT" merge "$dir/stop" >"$dir/stop.out" 2>/dev/null
check stop_table grep -q "NOT_RUN" "$dir/stop.out"
"$MBOPT" resume "$dir/stop" >"$dir/stop.out" 2>/dev/null
check stop_resumed [ $? -eq 0 ]
check stop_resumed_table grep -qE "^status +CONVERGED +CONVERGED +CONVERGED" "$dir/stop.out"
"$MBOPT" compare "${long[@]}" --output "$dir/whole" --quiet
history() { cut -d, -f1-8 "$1/history.csv"; } # all but the last column, which has measured costs
check stop_same cmp -s <(history "$dir/stop") <(history "$dir/whole")
for run in 0 1 2; do check "stop_evaluations $run" cmp -s <(evaluations "$dir/stop" $run) <(evaluations "$dir/whole" $run); done

# ---- several starts: spread, interval and verdict; the same in JSON
"$MBOPT" compare "${short[@]}" --starts 6 --backends "levenberg_marquardt,nlopt:LN_BOBYQA" --max-evaluations 40 --set multistart.spread=0.1 --output "$dir/starts" >"$dir/starts.out" 2>/dev/null
check starts_exit [ $? -eq 0 ]
check starts_class grep -q '^configs/five_bar.ini: squares, bounds, 6 starts$' "$dir/starts.out"
check starts_spread grep -qE '^levenberg_marquardt +6 of 6   61 to 100 %  ( +[0-9.]+){3} ( +[0-9.e-]+){3}$' "$dir/starts.out"
check starts_verdict grep -qF 'squares, bounds (1 problem, 6 runs of each optimizer): levenberg_marquardt solves 6 of 6 with the fewest equivalent simulations' "$dir/starts.out"
check starts_confidence grep -qF 'it is ahead in 6 of 6 pairs (sign test p = 0.031)' "$dir/starts.out"
"$MBOPT" compare "${short[@]}" --starts 6 --backends "levenberg_marquardt,nlopt:LN_BOBYQA" --max-evaluations 40 --set multistart.spread=0.1 --output "$dir/starts" --json >"$dir/starts.json" 2>/dev/null
for part in '"winner": "levenberg_marquardt"' '"rival": "nlopt:LN_BOBYQA"' '"ahead": 6' '"p": 0.03125' '"class": "squares, bounds"' '"solved": 6' '"scaling": "given"'; do
  check "starts_json $part" grep -qF "$part" "$dir/starts.json"
done

# ---- again: nothing is done twice; another comparison keeps the first one
"$MBOPT" compare "${short[@]}" --output "$dir/all" >"$dir/again.out" 2>"$dir/again.err"
check again_exit [ $? -eq 0 ]
check again_table cmp -s "$dir/all.out" "$dir/again.out" # the records of the runs are read, times too
check again_kept [ ! -e "$dir/all/earlier-1" ]
"$MBOPT" compare "${short[@]}" --backends lbfgsb --output "$dir/all" >/dev/null 2>"$dir/other.err"
check other_exit [ $? -eq 0 ]
check other_said grep -q "mbopt: another study in $dir/all is kept in $dir/all/earlier-1" "$dir/other.err"
check other_lines [ "$(wc -l <"$dir/all/table.csv")" -eq 2 ]
check first_lines [ "$(wc -l <"$dir/all/earlier-1/table.csv")" -eq 7 ]
"$MBOPT" merge "$dir/all/earlier-1" >"$dir/first.out" 2>/dev/null
check first_table cmp -s <(grep -v 'results in' "$dir/all.out") <(grep -v 'results in' "$dir/first.out")

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 40 ]
