#!/usr/bin/env bash
# 100 runs whose workers and parent are killed 6 times, at random (MBOPT_LONG: 200 runs, 20 times): afterwards every run is there once, as
# in a study that nobody disturbed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
kills=6 least=4 parent_kills=1 runs=100 of_Ls1=10
[ -z "${MBOPT_LONG:-}" ] || kills=20 least=15 parent_kills=3 runs=200 of_Ls1=20
duration=2
[ -z "${MBOPT_SLOW:-}" ] || duration=0.5 # as many runs and deaths, shorter motions

study_file run "$duration" <<INI
[sweep]
task = optimize
vary.Ls1 = 1 to 3 in $of_Ls1
vary.Ls2 = 1 to 3 in 10
[study]
jobs = 2
attempts = 100
INI

"$MBOPT" sweep "$dir/run.ini" --output "$dir/calm" --quiet
check calm [ $? -eq 0 ]

"$MBOPT" sweep "$dir/run.ini" --output "$dir/study" --quiet 2>/dev/null &
parent=$!
until [ -e "$dir/study/study.json" ]; do sleep 0.02; done # before that there is nothing to go on with
RANDOM=7 # the same victims each time; the moments differ
parents=0 workers=0
for ((k = 0; k < kills; k++)); do
  sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
  mapfile -t children < <(pgrep -P "$parent")
  if ((RANDOM % 3 == 0 || ${#children[@]} == 0)); then
    kill -KILL "$parent" 2>/dev/null && parents=$((parents + 1))
    wait "$parent" 2>/dev/null
    "$MBOPT" resume "$dir/study" --quiet 2>/dev/null &
    parent=$!
    until pgrep -P "$parent" >/dev/null || ! kill -0 "$parent" 2>/dev/null; do sleep 0.02; done
  else
    kill -KILL "${children[RANDOM % ${#children[@]}]}" 2>/dev/null && workers=$((workers + 1))
  fi
done
kill -KILL "$parent" 2>/dev/null
wait "$parent" 2>/dev/null
done_before="$("$MBOPT" status "$dir/study" --json | grep '"done"' | tr -dc 0-9)"
"$MBOPT" resume "$dir/study" --quiet
check resume [ $? -eq 0 ]

check killed [ $((parents + workers)) -ge "$least" ]
check parents_too [ "$parents" -ge "$parent_kills" ]
check every_run_once [ "$(cut -d, -f1 "$dir/study/table.csv" | tail -n +2 | sort -n | uniq | wc -l)" -eq "$runs" ]
check no_other_runs [ "$(wc -l <"$dir/study/table.csv")" -eq $((runs + 1)) ]
check as_undisturbed same_tables "$dir/study" "$dir/calm"
check no_failures [ -z "$(find "$dir/study/runs" -name '*.failed.json')" ]
check no_leftovers [ -z "$(find "$dir/study" -name '*.tmp*' -o -name '*journal*')" ]
# the records themselves, but for their times
records() { (cd "$1/runs" && find . -name '*.json' | sort | xargs sed 's/,"seconds":[^}]*//'); }
records "$dir/study" >"$dir/study.records"
records "$dir/calm" >"$dir/calm.records"
check same_records same "$dir/study.records" "$dir/calm.records"

echo "$passed passed, $failed failed ($workers workers and $parents parents killed, $done_before runs done before the last resume)"
[ "$failed" -eq 0 ]
