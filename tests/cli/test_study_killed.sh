#!/usr/bin/env bash
# 100 runs whose workers and parent are killed 6 times, at random: afterwards every run is there once, as in a study that nobody
# disturbed. With MBOPT_LONG 500 kills: studies of 200 optimizations and comparisons of all optimizers from many starts in turn, as many
# as it takes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
kills=6 least=4 parent_kills=1 runs=100 of_Ls1=10
[ -z "${MBOPT_LONG:-}" ] || kills=500 least=500 parent_kills=100 runs=200 of_Ls1=20
duration=1
[ -z "${MBOPT_SLOW:-}" ] || duration=0.5 # as many runs and deaths, shorter motions

study_file sweep "$duration" <<INI
[sweep]
task = optimize
vary.Ls1 = 1 to 3 in $of_Ls1
vary.Ls2 = 1 to 3 in 10
[study]
jobs = 2
attempts = 100
INI
study_file compare "$duration" <<INI
[gradient]
method = direct
[study]
jobs = 2
attempts = 100
INI
sed -i 's/^hessian = .*/hessian = limited_memory/; s/^max_evaluations = .*//; s/^\[optimizer\]/&\nmax_evaluations = 40/' "$dir/compare.ini"
backends=""
for name in ipopt ipopt:gauss_newton ipopt:exact nlopt:LD_SLSQP nlopt:LD_MMA nlopt:LD_CCSAQ nlopt:LN_BOBYQA nlopt:LN_COBYLA \
  nlopt:GN_CRS2_LM lbfgsb; do
  if built_in "${name%%:*}"; then backends+="${backends:+,}$name"; fi
done
compare=(compare "$dir/compare.ini" --backends "$backends" --starts 20)
sweep=(sweep "$dir/sweep.ini")

# the records themselves, but for their times (of an evaluation the last of three numbers, null where it comes from a journal)
records() { lines_of_runs "$1" | sed -E 's/"attempt":[^"]*//; s/"written":[^"]*//; s/,"seconds":[^}]*//; s/"simulation_seconds":[^,}]*//; s/(\[[0-9]+,[0-9]+),([0-9]+|null)\]/\1]/g' | sort; }
RANDOM=7 # the same victims each time; the moments differ
parents=0 workers=0 studies=0

# disturbed MOST COMMAND...: a study in $dir/study that is killed until it is done, at most MOST times, and then left to end
disturbed() {
  local most="$1" parent children k
  shift
  "$MBOPT" "$@" --output "$dir/study" --quiet 2>/dev/null &
  parent=$!
  until [ -e "$dir/study/study.json" ]; do sleep 0.02; done # before that there is nothing to go on with
  for ((k = 0; k < most; k++)); do
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
    kill -0 "$parent" 2>/dev/null || break
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
  "$MBOPT" resume "$dir/study" --quiet
  check resume [ $? -eq 0 ]
  studies=$((studies + 1))
}

# same_as_calm CALM RUNS: whole, once, to the bit
same_as_calm() {
  check every_run_once [ "$(cut -d, -f1 "$dir/study/table.csv" | tail -n +2 | sort -n | uniq | wc -l)" -eq "$2" ]
  check no_other_runs [ "$(wc -l <"$dir/study/table.csv")" -eq $(($2 + 1)) ]
  check as_undisturbed same_tables "$dir/study" "$1"
  check no_failures [ "$(failures "$dir/study")" -eq 0 ]
  check no_leftovers [ -z "$(find "$dir/study" -name '*.tmp*' -o -name '*journal*')" ]
  records "$dir/study" >"$dir/study.records"
  records "$1" >"$dir/calm.records"
  check same_records same "$dir/study.records" "$dir/calm.records"
  rm -rf "$dir/study"
}

kind=sweep
while ((parents + workers < kills)); do
  declare -n command="$kind"
  if [ ! -e "$dir/calm_$kind" ]; then
    "$MBOPT" "${command[@]}" --output "$dir/calm_$kind" --quiet
    check "calm_$kind" [ $? -eq 0 ]
    ((failed == 0)) || exit 1
  fi
  before=$((parents + workers))
  disturbed $((kills - before)) "${command[@]}"
  same_as_calm "$dir/calm_$kind" "$(($(wc -l <"$dir/calm_$kind/table.csv") - 1))"
  [ -n "${MBOPT_LONG:-}" ] || break
  ((failed == 0)) || break
  [ "$kind" = sweep ] && kind=compare || kind=sweep
done
check runs [ "$(wc -l <"$dir/calm_sweep/table.csv")" -eq $((runs + 1)) ]
check killed [ $((parents + workers)) -ge "$least" ]
check parents_too [ "$parents" -ge "$parent_kills" ]

echo "$passed passed, $failed failed ($workers workers and $parents parents killed in $studies studies)"
[ "$failed" -eq 0 ]
