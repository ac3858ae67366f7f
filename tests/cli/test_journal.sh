#!/usr/bin/env bash
# Journals and results that are there already: what is no journal is refused and stays as it is, damaged lines are told and kept,
# and no run takes away without a word what another has left.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
built_in nlopt || { echo "skipped: nlopt is not built in"; exit 77; }
settings=(--set case.swing.duration=0.1 --set optimizer.backend=nlopt --set optimizer.algorithm=LN_BOBYQA
  --set optimizer.hessian=limited_memory --set optimizer.max_evaluations=12 --set gradient.method=direct)
run=(configs/five_bar.ini "${settings[@]}")
values() { grep -vE '"(seconds|evaluations|replayed|gradients|bytes_stored)":' "$1/result.json"; }
sum() { cksum <"$1"; }

"$MBOPT" "${run[@]}" --output "$dir/whole" --quiet 2>/dev/null
check whole [ $? -eq 7 ]
check whole_ends grep -q '^{"end":"STOPPED_LIMIT","hash":"[0-9a-f]*"}$' "$dir/whole/journal.jsonl"
journal="$dir/run/journal.jsonl"
reset() { rm -rf "$dir/run" && cp -r "$dir/whole" "$dir/run"; }

# ---- what a killed process left half written goes, what another machine's or a living one has begun stays
reset
(exit 0) &
wait $!
dead="$dir/run/result.json.tmp-$(hostname)-$!-0"
others=("$dir/run/result.json.tmp-elsewhere-$!-0" "$dir/run/result.json.tmp-$(hostname)-$$-0")
touch "$dead" "${others[@]}"
"$MBOPT" "${run[@]}" --output "$dir/run" --quiet 2>/dev/null
check leftover_goes [ ! -e "$dead" ]
check others_stay [ -e "${others[0]}" -a -e "${others[1]}" ]

# ---- --resume on what is no journal
for text in 'my thesis\n' 'my thesis, without an end' '{"mine":1}\n'; do
  reset
  printf '%b' "$text" >"$journal"
  cp "$dir/run/resolved.ini" "$dir/resolved"
  before="$(sum "$journal")"
  "$MBOPT" "${run[@]}" --set design.Ls1.upper=3.5 --output "$dir/run" --resume >"$dir/out" 2>"$dir/err"
  check "refused $text" [ $? -eq 3 ]
  check "refused_says $text" grep -q "journal.jsonl is not a journal of this program (.*); remove it, or choose another folder with --output" "$dir/err"
  check "refused_file $text" [ "$(sum "$journal")" = "$before" ]
  check "refused_configuration $text" same "$dir/run/resolved.ini" "$dir/resolved"
done

# ---- damaged lines in the middle: told, kept, and simulated again; the result is that of the run that nobody disturbed
reset
sed -i '5s/"x"/"y"/; 7s/1/2/; 9s/^/#/' "$journal"
before="$(sum "$journal")"
"$MBOPT" "${run[@]}" --output "$dir/run" --resume >"$dir/out" 2>"$dir/err"
check damaged_exit [ $? -eq 7 ]
check damaged_says grep -q "mbopt: warning: $journal: 3 of 14 lines are damaged, the first is line 5: its hash is not that of the line; the file is kept as $journal.damaged, and the run continues from the 9 evaluations that are whole" "$dir/err"
check damaged_kept [ "$(sum "$journal.damaged")" = "$before" ]
check damaged_result same <(values "$dir/run") <(values "$dir/whole")
check damaged_again [ "$(number evaluations "$dir/run/result.json")" -eq 3 ]
check damaged_replayed [ "$(number replayed "$dir/run/result.json")" -eq 9 ]
"$MBOPT" "${run[@]}" --output "$dir/run" --resume >"$dir/out" 2>"$dir/err"
check damaged_once [ "$(grep -c warning "$dir/err")" -eq 0 ]
check damaged_all_there [ "$(number replayed "$dir/run/result.json")" -eq 12 ]
# a code that no design has is no success
reset
sed -i '5s/"code":0/"code":-2/' "$journal"
"$MBOPT" "${run[@]}" --output "$dir/run" --resume >"$dir/out" 2>"$dir/err"
check code_told grep -q "1 of 14 lines is damaged, the first is line 5" "$dir/err"
check code_result same <(values "$dir/run") <(values "$dir/whole")
# of a run of a study that was told to stop: in its record, in the table, and on the page
study_file grid "$([ -n "${MBOPT_SLOW:-}" ] && echo 1 || echo 10)" <<'INI'
[sweep]
task = optimize
vary.k1 = 10
[study]
jobs = 1
INI
grid=("${settings[@]:2}" --set optimizer.tol_f=1e-30 --set case.swing.step=2e-3)
first="$dir/grid/runs/000/000000.journal.jsonl"
has_lines() { [ -f "$first" ] && [ "$(wc -l <"$first")" -ge "$1" ]; }
for ((try = 0; try < 10; try++)); do # it may be done before it is told
  rm -rf "$dir/grid"
  "$MBOPT" sweep "$dir/grid.ini" "${grid[@]}" --output "$dir/grid" --quiet 2>/dev/null &
  pid=$!
  until has_lines 4 || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
  kill -TERM "$pid" 2>/dev/null
  wait "$pid"
  code=$?
  [ ! -e "$first" ] || break
done
check study_stopped [ "$code" -eq 75 ]
sed -i '3s/"x"/"y"/' "$first"
"$MBOPT" resume "$dir/grid" >"$dir/out" 2>"$dir/err"
check study_resumed [ $? -eq 0 ]
check study_says grep -q "warning: the record of 1 run holds warnings; 'mbopt status $dir/grid --runs 0' prints the first" "$dir/err"
check study_table grep -q "^0,.*000000.journal.jsonl: 1 of .* lines is damaged, the first is line 3" "$dir/grid/table.csv"
check study_kept [ -s "$first.damaged" ]
"$MBOPT" report "$dir/grid" --quiet
check study_page grep -q "000000.journal.jsonl: 1 of .* lines is damaged" "$dir/grid/report.html"

# ---- begun anew without --resume: a journal whose run has not come to its end is kept
reset
sed -i '$d' "$journal" # as if it had been killed
before="$(sum "$journal")"
"$MBOPT" "${run[@]}" --output "$dir/run" >"$dir/out" 2>"$dir/err"
check anew_exit [ $? -eq 7 ]
check anew_says grep -q "it is kept in $dir/run/earlier-1, from which '--output $dir/run/earlier-1 --resume' goes on" "$dir/err"
check anew_kept [ "$(sum "$dir/run/earlier-1/journal.jsonl")" = "$before" ]
check anew_result same <(values "$dir/run") <(values "$dir/whole")
"$MBOPT" "${run[@]}" --output "$dir/run/earlier-1" --resume >"$dir/out" 2>"$dir/err"
check anew_goes_on [ "$(number replayed "$dir/run/earlier-1/result.json")" -eq 12 ]
echo thesis >"$journal"
"$MBOPT" "${run[@]}" --output "$dir/run" >"$dir/out" 2>"$dir/err"
check anew_no_journal [ "$(cat "$dir/run/earlier-2/journal.jsonl")" = thesis ]
# one that has is replaced, as its results are
"$MBOPT" "${run[@]}" --output "$dir/run" >"$dir/out" 2>"$dir/err"
check ended_is_replaced [ ! -e "$dir/run/earlier-3" ]
check ended_result same <(values "$dir/run") <(values "$dir/whole")

cp configs/pendulum.ini "$dir/pendulum.ini"
sed -i "s|^file = .*|file = $PWD/problems/pendulum/pendulum.ini|" "$dir/pendulum.ini"
# ---- two processes at once: the second one leaves the journal of the first alone
long=("${run[@]}" --set case.swing.duration=5000 --output "$dir/both")
"$MBOPT" "${long[@]}" --quiet 2>/dev/null &
pid=$!
until [ -s "$dir/both/resolved.ini" ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
for option in --resume --quiet; do
  "$MBOPT" "${long[@]}" "$option" >"$dir/out" 2>"$dir/err"
  check "both $option" [ $? -eq 3 ]
  check "both_says $option" grep -q "another process is writing $dir/both/journal.jsonl; wait for it" "$dir/err"
done
"$MBOPT" simulate "$dir/pendulum.ini" --set case.drop.duration=0.1 --output "$dir/both" >"$dir/out" 2>"$dir/err"
check both_other [ $? -eq 3 ]
check both_nothing [ ! -e "$dir/both/earlier-1" ]
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check both_one_header [ "$(grep -c '^{"journal":' "$dir/both/journal.jsonl")" -eq 1 ]

# ---- results of another run file; of an optimization, where a simulation writes
reset
before="$(sum "$dir/run/result.json")"
"$MBOPT" simulate "$dir/pendulum.ini" --set case.drop.duration=0.1 --output "$dir/run" >"$dir/out" 2>"$dir/err"
check other_exit [ $? -eq 0 ]
check other_says grep -q "mbopt: the results of configs/five_bar.ini in $dir/run are kept in $dir/run/earlier-1" "$dir/err"
check other_kept [ "$(sum "$dir/run/earlier-1/result.json")" = "$before" ]
check other_moved [ ! -e "$journal" -a -s "$dir/run/earlier-1/journal.jsonl" ]
check other_is_whole "$MBOPT" report "$dir/run/earlier-1" --quiet
"$MBOPT" "${run[@]}" --output "$dir/run" --resume >"$dir/out" 2>"$dir/err" # there is no journal any more
check other_resumed grep -q "mbopt: the results of $dir/pendulum.ini in $dir/run are kept in $dir/run/earlier-2" "$dir/err"
# ---- commands whose file stands beside the results of a run: the same for those of another run file
reset
for file in eigenvalues.csv sensitivities.csv; do
  command=(gradient --over-time) && [ $file = eigenvalues.csv ] && command=(linearize)
  "$MBOPT" "${command[@]}" "${run[@]}" --output "$dir/run" >"$dir/out" 2>"$dir/err"
  check "$file adds" [ $? -eq 0 -a -s "$dir/run/$file" ]
  check "$file leaves" [ "$(sum "$dir/run/result.json")" = "$before" -a ! -e "$dir/run/earlier-1" ]
done
before="$(sum "$dir/run/eigenvalues.csv")"
"$MBOPT" linearize "$dir/pendulum.ini" --output "$dir/run" >"$dir/out" 2>"$dir/err"
check linearized_says grep -q "mbopt: the results of configs/five_bar.ini in $dir/run are kept in $dir/run/earlier-1" "$dir/err"
check linearized_kept [ "$(sum "$dir/run/earlier-1/eigenvalues.csv")" = "$before" -a -s "$dir/run/earlier-1/sensitivities.csv" ]
before="$(sum "$dir/run/eigenvalues.csv")"
"$MBOPT" gradient "${run[@]}" --over-time --output "$dir/run" >"$dir/out" 2>"$dir/err"
check over_time_says grep -q "mbopt: the results of $dir/pendulum.ini in $dir/run are kept in $dir/run/earlier-2" "$dir/err"
check over_time_kept [ "$(sum "$dir/run/earlier-2/eigenvalues.csv")" = "$before" -a ! -e "$dir/run/eigenvalues.csv" ]

reset
before="$(sum "$dir/run/result.json")"
"$MBOPT" simulate "${run[@]}" --output "$dir/run" >"$dir/out" 2>"$dir/err"
check simulated_says grep -q "mbopt: the results of the optimization in $dir/run are kept in $dir/run/earlier-1" "$dir/err"
check simulated_kept [ "$(sum "$dir/run/earlier-1/result.json")" = "$before" ]
check simulated_journal [ -s "$journal" ] # --resume goes on as before
"$MBOPT" simulate "${run[@]}" --output "$dir/run" >"$dir/out" 2>"$dir/err"
check simulated_once [ ! -e "$dir/run/earlier-2" ]
"$MBOPT" "${run[@]}" --output "$dir/run" --max-evaluations 3 >"$dir/out" 2>"$dir/err"
check simulated_stays same "$dir/run/earlier-1/journal.jsonl" "$dir/whole/journal.jsonl"
check simulated_result_stays [ "$(sum "$dir/run/earlier-1/result.json")" = "$before" ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
