#!/usr/bin/env bash
# mbopt sweep, multistart, status, resume, merge by worker processes: results, files, failures, messages, interruption.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"

# ---- a grid, by one worker and by two: the same to the bit but for the times
grid_file grid 0.2 4 3 <<'INI'
vary.case.swing.integrator = newmark, generalized_alpha
INI
"$MBOPT" sweep "$dir/grid.ini" --jobs 1 --output "$dir/one" >"$dir/one.out" 2>"$dir/one.err"
check exit [ $? -eq 0 ]
"$MBOPT" sweep "$dir/grid.ini" --jobs 2 --output "$dir/two" --quiet
check one_is_two same_tables "$dir/one" "$dir/two"
check told grep -q "24 runs: 24 done, 0 failed, 0 left" "$dir/one.out"
check best grep -q "^least objective: [0-9.e-]*, of run [0-9]*$" "$dir/one.out"
check progress grep -q "24 of 24 runs" "$dir/one.err"
check head [ "$(head -1 "$dir/one/table.csv")" = "run,status,Ls1,Ls2,case.swing.integrator,objective,psi1,d psi1/d Ls1,d psi1/d Ls2,warnings,seconds,error" ]
check last_key_fastest [ "$(cut -d, -f1-5 "$dir/one/table.csv" | sed -n '2,4p' | tr '\n' ' ')" = "0,OK,1,1,newmark 1,OK,1,1,generalized_alpha 2,OK,1,2,newmark " ]
check a_file_per_worker [ "$(find "$dir/one/runs" -type f)" = "$dir/one/runs/0-23.0.jsonl" ]
check a_line_per_run [ "$(lines_of_runs "$dir/one" | wc -l)" -eq 24 ]
check no_leftovers [ -z "$(find "$dir/one" -name '*.tmp*')" ]
check status grep -q '"done":24,"failed":0,"left":0,"running":false' <<<"$(json_of "$dir/one")"
# a run of it is what the same values give by hand
"$MBOPT" gradient "$dir/grid.ini" --set design.Ls1.start=3 --set design.Ls2.start=2 --set case.swing.integrator=newmark --json >"$dir/hand.json"
check as_by_hand [ "$(awk -F, '$3 == 3 && $4 == 2 && $5 == "newmark" { print $7 }' "$dir/one/table.csv")" = "$(number value "$dir/hand.json")" ]
if command -v sqlite3 >/dev/null && [ -e "$dir/one/study.sqlite" ]; then
  check query [ "$(sqlite3 "$dir/one/study.sqlite" 'select count(*), min("Ls1"), max("d psi1/d Ls1") is not null from runs')" = "24|1.0|1" ]
  check study_keys [ "$(sqlite3 "$dir/one/study.sqlite" 'select key from study order by rowid' | tr '\n' ,)" = "kind,task,run file,mbopt," ]
  check study_values [ "$(sqlite3 "$dir/one/study.sqlite" 'select value from study order by rowid' | tr '\n' ,)" = "sweep,gradient,$dir/grid.ini,$("$MBOPT" --version | sed -n 's/^mbopt //p')," ]
fi

# ---- which keys matter, and where the best lies, without simulations: y = 10 + 3 a + b + a b, a in {-1, 1}, b in {-1, 0, 1}, has variances 9, 2/3 and 2/3
cat >"$dir/keys.ini" <<INI
schema = 1
[model]
file = $PWD/problems/pendulum/pendulum.ini
[design stiffness]
lower = 0
upper = 100
[objective y]
value = 10 + 3*(stiffness - 10) + damping - 1 + (stiffness - 10)*(damping - 1)
[sweep]
task = gradient
vary.stiffness = 9, 11
vary.damping = 0, 1, 2
INI
"$MBOPT" sweep "$dir/keys.ini" --jobs 1 --output "$dir/keys" >"$dir/keys.out" 2>/dev/null
check keys_told grep -qF "y varies with stiffness (87.1 %), damping (6.45 %), and several together (6.45 %)" "$dir/keys.out"
check edge_told grep -qF "so a wider range may have a better one: stiffness = 9, the lower end of 9 to 11; damping = 0, the lower end of 0 to 2" "$dir/keys.out"
"$MBOPT" sweep "$dir/keys.ini" --jobs 1 --output "$dir/keys" --json >"$dir/keys.json" 2>/dev/null
# 16/pi^2 (29/3)/V is the bound by the mean square of 3 + b
check keys_json grep -qE '"best":0,.*"method":"grid",.*"name":"stiffness","first":0.8709677[0-9]*,.*"total":0.9354838[0-9]*,.*"bound":1.516549' <(tr -d ' \n' <"$dir/keys.json")
check edges_json grep -q '"edges": "stiffness = 9, the lower end of 9 to 11; damping' "$dir/keys.json"
"$MBOPT" report "$dir/keys" --quiet
check keys_page grep -q '<td>y</td><td>stiffness</td><td class="number bar"[^>]*>87.1</td><td class="number bar"[^>]*>93.5</td><td[^>]*>152</td>' <(tr -d '\n' <"$dir/keys/report.html")

# names that differ in their case alone are the same to SQLite
study_file upper 0.2 <<'INI'
[objective SECONDS]
of = P2.position.x
form = terminal
[sweep]
vary.Ls1 = 1, 2
INI
"$MBOPT" sweep "$dir/upper.ini" --output "$dir/upper" --quiet
check upper_exit [ $? -eq 0 ]

# numbers of a run file by scalars of a model beside it, as the copy of the run file reads them too
mkdir "$dir/beside"
cp problems/pendulum/pendulum.ini "$dir/beside/model.ini"
cat >"$dir/beside/run.ini" <<'INI'
schema = 1
[model]
file = model.ini
[design stiffness]
lower = 0
upper = 100*length
[case drop]
duration = 0.2
step = 5e-3
[objective settle]
of = ground-bar.angle
form = integral_square
[sweep]
vary.damping = 1, 2
INI
"$MBOPT" sweep "$dir/beside/run.ini" --output "$dir/beside/out" --quiet
check by_scalars_exit [ $? -eq 0 ]
check by_scalars grep -q '"done":2,"failed":0' <<<"$(json_of "$dir/beside/out")"

check json grep -q '"done": 24' <<<"$("$MBOPT" sweep "$dir/grid.ini" --output "$dir/two" --json 2>/dev/null)"

# ---- what is there is not done again, what is gone is
before="$(record "$dir/one" 3)"
forget "$dir/one" 7
truncate -s -20 "$dir/one/runs/0-23.0.jsonl" # the line of run 23
check missing_is_left grep -q '"left":2' <<<"$(json_of "$dir/one")"
"$MBOPT" resume "$dir/one" --quiet
check resume_exit [ $? -eq 0 ]
check resumed same_tables "$dir/one" "$dir/two"
check not_again [ "$(record "$dir/one" 3)" = "$before" ]
"$MBOPT" sweep "$dir/grid.ini" --output "$dir/one" --quiet
check same_command_goes_on [ $? -eq 0 ]
# a line that has changed is told with file and number, and its run alone is done again; so is a segment of another study
line="$(grep -n '^{"run":5,' "$dir/one/runs/0-23.0.jsonl" | cut -d: -f1)"
sed -i "${line}s/newmark/Newmark/; ${line}s/generalized/Generalized/" "$dir/one/runs/0-23.0.jsonl"
out="$("$MBOPT" status "$dir/one" 2>&1)"
check damage_left contains "$out" "24 runs: 23 done, 0 failed, 1 left"
check damage_told contains "$out" "mbopt: warning: $dir/one/runs/0-23.0.jsonl:$line: the hash at its end is not that of the line"
head -n 1 "$dir/keys/runs/0-5.0.jsonl" >"$dir/one/runs/0-23.9.jsonl"
lines="$(lines_of_runs "$dir/one" | wc -l)"
out="$("$MBOPT" resume "$dir/one" 2>&1)"
check damage_resume contains "$out" "mbopt: warning: $dir/one/runs/0-23.0.jsonl:$line: the hash at its end"
check damage_count contains "$out" "it and 1 more are left out"
check damage_once [ "$(lines_of_runs "$dir/one" | wc -l)" -eq $((lines + 1)) ]
check damage_mended same_tables "$dir/one" "$dir/two"
# single runs: the record, and a run file that gives the same by itself
"$MBOPT" status "$dir/one" --runs 5,6 >"$dir/records.json"
check records [ "$(grep -c '"psi1": ' "$dir/records.json")" -eq 2 ]
"$MBOPT" status "$dir/one" --runs 5 --print-config >"$dir/five.ini"
"$MBOPT" gradient "$dir/five.ini" --json >"$dir/five.json"
check by_itself [ "$(awk -F, '$1 == 5 { print $7 }' "$dir/one/table.csv")" = "$(number value "$dir/five.json")" ]
out="$("$MBOPT" status "$dir/one" --runs 24 2>&1)"
check no_such_run contains "$out" "$dir/one has no run 24: expected 0 to 23"
for runs in all '' 3, 5x; do
  out="$("$MBOPT" status "$dir/one" --runs "$runs" 2>&1)"
  check "no_number_exit '$runs'" [ $? -eq 3 ]
  check "no_number '$runs'" contains "$out" "runs '$runs', expected numbers with commas between them, as 3,17"
  check "no_words '$runs'" [ "${out%, as 3,17}" != "$out" ]
done
# a folder of an earlier version, with a file for each run, goes on
cp -r "$dir/two" "$dir/files"
mkdir "$dir/files/runs/000"
for run in 0 1 2 3 4 5 6 7 8 9; do
  record "$dir/two" $run | sed 's/^{\("run":[0-9]*\),.*"row":\("[0-9a-f]*"\),\(.*\),"hash":"[0-9a-f]*"}$/{"hash":\2,\1,\3}/' >"$dir/files/runs/000/00000$run.json"
done
rm "$dir/files/runs"/*.jsonl "$dir/files/table.csv"
check files_read grep -q '"done":10,"failed":0,"left":14' <<<"$(json_of "$dir/files")"
"$MBOPT" resume "$dir/files" --quiet
check files_go_on same_tables "$dir/files" "$dir/two"
check files_once [ "$(lines_of_runs "$dir/files" | wc -l)" -eq 14 ]
out="$("$MBOPT" sweep "$dir/grid.ini" --set case.swing.duration=0.3 --output "$dir/one" 2>&1)"
check other_study_exit [ $? -eq 3 ]
check other_study contains "$out" "$dir/one holds another study"

# ---- in parts: by hand, and as the ranks of an MPI launcher
rm -rf "$dir/two/runs" "$dir/two/table.csv"
"$MBOPT" work "$dir/two" --chunk 0/3
check a_third grep -q '"done":8,"failed":0,"left":16' <<<"$(json_of "$dir/two")"
for rank in 1 2; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 "$MBOPT" work "$dir/two" --quiet; done
"$MBOPT" merge "$dir/two" --quiet
check parts_are_whole same_tables "$dir/one" "$dir/two"

# a part that is being done is told of as the whole is
"$MBOPT" sweep "$dir/grid.ini" --set case.swing.duration=300 --output "$dir/part" --dry-run >/dev/null
"$MBOPT" work "$dir/part" --chunk 1/2 --jobs 1 --quiet 2>/dev/null &
pid=$!
until pgrep -P "$pid" >/dev/null; do sleep 0.02; done
check part_is_told grep -q '"running":true' <<<"$(json_of "$dir/part")"
echo '{"job": 5}' >"$dir/part/slurm.json" # of a queue that is not here
check part_is_told_without_queue grep -q '"running":true' <<<"$(PATH="/nonexistent" "$MBOPT" status "$dir/part" --json | tr -d ' \n')"
kill -TERM "$pid"
wait "$pid"

# ---- a queue that does not answer may be doing the runs: nobody begins them once more
out="$(PATH="/nonexistent" "$MBOPT" status "$dir/part" 2>&1)"
check silent_status contains "$out" "whether somebody is doing them cannot be told, for the queue does not answer"
check silent_status_json grep -q '"running": null' <<<"$(PATH="/nonexistent" "$MBOPT" status "$dir/part" --json)"
out="$(PATH="/nonexistent" "$MBOPT" resume "$dir/part" --engine local 2>&1)"
check silent_resume_exit [ $? -eq 3 ]
check silent_resume contains "$out" "Slurm job 5: the queue does not answer: "
check silent_resume_advice contains "$out" "or remove $dir/part/slurm.json if the job is over"

# ---- the folder of the model may move
mkdir "$dir/moved"
cp problems/five_bar/five_bar.ini "$dir/moved/"
sed "s|^file = .*|file = $dir/moved/five_bar.ini|" "$dir/grid.ini" >"$dir/grid_moved.ini"
"$MBOPT" sweep "$dir/grid_moved.ini" --output "$dir/two" --quiet
check moved_model [ $? -eq 0 ]

# ---- models as swept values, and as an assignment, are found beside the run file from any working directory
cp problems/five_bar/five_bar.ini "$dir/moved/light.ini"
sed '0,/^mass = /s/^mass = .*/mass = 17/' "$dir/moved/light.ini" >"$dir/moved/heavy.ini"
study_file models 0.2 <<'INI'
[sweep]
vary.model.file = light.ini, heavy.ini
INI
mv "$dir/models.ini" "$dir/moved/"
(cd "$dir" && "$MBOPT" sweep moved/models.ini --output models --quiet)
check models_differ [ "$(tail -n +2 "$dir/models/table.csv" | cut -d, -f5 | sort -u | wc -l)" -eq 2 ]
forget "$dir/models" 1
without_times "$dir/models" >"$dir/models.table"
"$MBOPT" resume "$dir/models" --quiet
check models_resume [ $? -eq 0 ]
check models_from_elsewhere [ "$(without_times "$dir/models")" = "$(cat "$dir/models.table")" ]

sed "s/^vary.*/vary.Ls1 = 1, 2/" "$dir/moved/models.ini" >"$dir/moved/set.ini"
"$MBOPT" sweep "$dir/moved/set.ini" --set model.file=heavy.ini --output "$dir/set" --quiet
check model_by_set [ "$(grep -c ',OK,' "$dir/set/table.csv")" -eq 2 ]

# ---- runs that fail are recorded with their reason, and can be tried again
study_file fail 0.2 <<'INI'
[sweep]
vary.x1 = -1, 50
INI
"$MBOPT" sweep "$dir/fail.ini" --output "$dir/fail" --quiet
check fail_exit [ $? -eq 0 ]
check fail_row grep -qE '^1,FAILED,50,.*cannot be assembled' "$dir/fail/table.csv"
check fail_status grep -q '"done":1,"failed":1,"left":0' <<<"$(json_of "$dir/fail")"
rm "$dir/fail/table.csv"
"$MBOPT" merge "$dir/fail" --quiet
check merged_again grep -q '^0,OK,-1' "$dir/fail/table.csv"
old="$(record "$dir/fail" 1)"
"$MBOPT" resume "$dir/fail" --quiet
check failed_stays [ "$(record "$dir/fail" 1)" = "$old" ]
"$MBOPT" resume "$dir/fail" --retry-failed --quiet
check tried_again grep -q '"attempt":1,"state":"failed"' <<<"$(record "$dir/fail" 1)"

# ---- a run that takes too long
study_file slow 0.2 <<'INI'
[sweep]
vary.case.swing.duration = 0.1, 3000
[study]
run_limit = 1
INI
"$MBOPT" sweep "$dir/slow.ini" --output "$dir/slow" --quiet
check slow_row grep -q '^1,FAILED,3000,.*took longer than run_limit = 1 s' "$dir/slow/table.csv"
check slow_other grep -q '^0,OK,0.1' "$dir/slow/table.csv"

# ---- interruption: finish, save, 75; then on
study_file term 0.2 <<'INI'
[sweep]
vary.case.swing.duration = 5 to 6 in 200
INI
"$MBOPT" sweep "$dir/term.ini" --output "$dir/term" --quiet 2>"$dir/term.err" &
pid=$!
until [ -n "$(record "$dir/term" 2)" ]; do sleep 0.05; done
kill -USR1 "$pid"
wait "$pid"
check term_exit [ $? -eq 75 ]
check term_says grep -q "'mbopt resume $dir/term' goes on" "$dir/term.err"
check term_left grep -qE '"left":[1-9]' <<<"$(json_of "$dir/term")"

# ---- a worker that is told to stop and not its parent: the study does not end as if all were done
"$MBOPT" resume "$dir/term" --jobs 1 --quiet 2>"$dir/term.err" &
pid=$!
until worker="$(pgrep -P "$pid")"; do sleep 0.02; done
kill -TERM "$worker"
wait "$pid"
check worker_term_exit [ $? -eq 75 ]
check worker_term_says grep -q "a worker process was told to stop; 'mbopt resume $dir/term' goes on" "$dir/term.err"

# ---- multistart: the start of its own is the first, the others between the bounds
study_file multi 0.2 <<'INI'
INI
"$MBOPT" multistart "$dir/multi.ini" --starts 5 --output "$dir/multi" >"$dir/multi.out" 2>/dev/null
check multi_exit [ $? -eq 0 ]
check multi_ends grep -q "different ends: [0-9]" "$dir/multi.out"
check multi_all_runs [ "$(awk '/different ends/ { on = 1; getline; next } on && $1 ~ /^[0-9]+$/ { n += $1 } END { print n }' "$dir/multi.out")" -eq 5 ]
check multi_rows [ "$(wc -l <"$dir/multi/table.csv")" -eq 6 ]
check multi_first [ "$(awk -F, 'NR == 2 { print $4 }' "$dir/multi/table.csv")" = 2.2360679774997898 ]
check multi_bounds awk -F, 'NR > 1 && ($4 < 0.5 || $4 > 4) { exit 1 }' "$dir/multi/table.csv"
check multi_differ [ "$(awk -F, 'NR > 1 { print $4 }' "$dir/multi/table.csv" | sort -u | wc -l)" -eq 5 ]
check multi_no_journal [ -z "$(find "$dir/multi" -name '*journal*')" ]
out="$("$MBOPT" multistart "$dir/multi.ini" --set design.Ls1.upper=inf --output "$dir/none" 2>&1)"
check multi_bounds_exit [ $? -eq 3 ]
check multi_bounds_message contains "$out" "variable 'Ls1' has no upper bound"

# ---- a comparison over starts and problems
if built_in nlopt && built_in lbfgsb; then
  "$MBOPT" compare "$dir/multi.ini" configs/pendulum.ini --backends nlopt:LD_SLSQP,nlopt:LD_MMA --starts 2 --max-evaluations 20 \
    --output "$dir/compare" >"$dir/compare.out" 2>/dev/null
  check compare_exit [ $? -eq 0 ]
  check compare_rows [ "$(wc -l <"$dir/compare/table.csv")" -eq 9 ]
  check compare_budget awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "simulations") c = i } NR > 1 && $c > 20 { exit 1 }' "$dir/compare/table.csv"
  check compare_says grep -q "4 pairs of a problem and a start" "$dir/compare.out"
  # options in a backend's own names go to that backend alone, which the run file names
  "$MBOPT" compare "$dir/multi.ini" --set optimizer.backend=nlopt --set native.maxeval=7 --backends nlopt:LD_SLSQP,lbfgsb --starts 2 \
    --output "$dir/native" --quiet 2>/dev/null
  check native_lbfgsb [ "$(grep -c ',lbfgsb,' "$dir/native/table.csv")" -eq 2 ]
  check native_lbfgsb_runs [ "$(grep -c 'FAILED.*,lbfgsb,' "$dir/native/table.csv")" -eq 0 ]
  "$MBOPT" compare configs/five_bar.ini --set case.swing.duration=0.2 --backends lbfgsb,nlopt:LN_BOBYQA --starts 2 --max-evaluations 12 \
    --output "$dir/unsolved" >"$dir/unsolved.out" 2>/dev/null
  check unsolved_has_no_middle grep -qE '^nlopt:LN_BOBYQA .* 0 % +-  $' "$dir/unsolved.out"
fi

# ---- the study of the buggy, on a coarser grid
"$MBOPT" sweep configs/sweep_suspension.ini --set "sweep.vary.k_f=15000, 30000" --set "sweep.vary.c_f=225, 1500" --output "$dir/buggy" --quiet
check buggy_exit [ $? -eq 0 ]
check buggy_done [ "$(grep -c ',OK,' "$dir/buggy/table.csv")" -eq 4 ]
check buggy_softer_is_better awk -F, '$3 == 15000 && $4 == 225 { soft = $6 } $3 == 30000 && $4 == 1500 { stiff = $6 } END { exit !(soft > 0.9 && soft < 0.6 * stiff) }' "$dir/buggy/table.csv"

# ---- messages
expect() { # NAME EXIT TEXT COMMAND...
  local name="$1" code="$2" text="$3"
  shift 3
  out="$("$MBOPT" "$@" 2>&1)"
  check "$name exit" [ $? -eq "$code" ]
  check "$name" contains "$out" "$text"
}
expect no_sweep 3 "nothing to sweep; expected vary.KEY = VALUES in [sweep]" sweep configs/five_bar.ini --output "$dir/x"
expect unknown_key 3 "[sweep] vary.Lss1: " sweep configs/five_bar.ini --set sweep.vary.Lss1=1,2 --output "$dir/x"
expect near_name 3 "did you mean 'Ls1'?" sweep configs/five_bar.ini --set sweep.vary.Lss1=1,2 --output "$dir/x"
expect not_a_study 3 "is not a study: it has no study.json" status "$dir"
touch "$dir/journal.jsonl"
expect single_run 3 "goes on by the same command with --resume" resume "$dir"
expect no_folder 3 "is not a study" resume "$dir/nowhere"
expect only_engine 3 "of a study that has begun only [study] and [slurm] can be changed" resume "$dir/two" --set optimizer.seed=3
expect bad_chunk 3 "expected K/N with 0 <= K < N" work "$dir/two" --chunk 4/4
expect many_chunks 3 "and N at most 1000000000" work "$dir/two" --chunk 999999999999999999/1000000000000000000
latin="$dir/$(printf 'l\xe4tin')" # JSON takes UTF-8 only
cp "$dir/grid.ini" "$latin.ini"
expect not_utf8 3 "a path or an assignment of the study is not UTF-8" sweep "$latin.ini" --output "$dir/latin"
check folder_not_utf8 grep -q '"folder": ".*/l?tin"' <<<"$("$MBOPT" sweep "$dir/fail.ini" --output "$latin" --json 2>/dev/null)"
if built_in nlopt; then
  expect many_dimensions 3 "[multistart] plan = sobol: " multistart configs/five_bar_driven.ini --set scalars.points=1200 \
    --set multistart.plan=sobol --set multistart.spread=1 --starts 3 --output "$dir/x"
fi
expect bad_engine 3 "expected one of local" sweep "$dir/grid.ini" --engine pigeons --output "$dir/x"
expect dry 0 "runs 0 to 23 by worker processes of this machine, 3 at once" sweep "$dir/grid.ini" --dry-run --jobs 3 --output "$dir/dry"
"$MBOPT" sweep "$dir/grid.ini" --set "sweep.vary.Ls1=1, 2" --dry-run --output "$dir/dry" --quiet
check dry_again [ $? -eq 0 ] # nothing was begun that could be lost
check dry_new_rows [ "$(wc -l <"$dir/dry/points.csv")" -eq 13 ]
check dry_does_nothing [ ! -e "$dir/dry/runs" ]
check nothing_began [ ! -e "$dir/x/study.json" ]

# ---- a plan that would take minutes to write is given up on a signal, and leaves nothing behind
"$MBOPT" sweep "$dir/grid.ini" --set "sweep.vary.Ls1=1 to 2 in 10000000" --dry-run --output "$dir/huge" >"$dir/huge.out" 2>&1 &
pid=$!
while kill -0 "$pid" 2>/dev/null && [ -z "$(find "$dir/huge" -name 'points.csv*' -size +0 2>/dev/null)" ]; do sleep 0.01; done
kill -TERM "$pid"
wait "$pid"
check huge_interrupted [ $? -eq 75 ]
check huge_told grep -q "interrupted before the study began" "$dir/huge.out"
check huge_nothing [ -z "$(find "$dir/huge" -name 'points.csv*')" ]

# ---- a model that changes under a study
sed "s|^file = .*|file = $dir/model.ini|" "$dir/grid.ini" >"$dir/changed.ini"
cp problems/five_bar/five_bar.ini "$dir/model.ini"
"$MBOPT" sweep "$dir/changed.ini" --output "$dir/changed" --quiet
sed -i 's/^gravity = .*/gravity = 0, 0, -9/' "$dir/model.ini"
sed -i '0,/^mass = /s/^mass = .*/mass = 17/' "$dir/model.ini"
expect changed_model 3 "has changed since this study began" resume "$dir/changed"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
