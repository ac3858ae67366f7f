#!/usr/bin/env bash
# Sweeps whose runs go several at a time in the lanes of one core: results, their independence from workers and interruptions, messages.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"

grid_file grid 0.3 8 8 </dev/null
"$MBOPT" sweep "$dir/grid.ini" --lanes 4 --jobs 1 --output "$dir/four" >"$dir/four.out" 2>"$dir/four.err"
code=$?
if [ $code -eq 9 ]; then
  check told_missing grep -qE "grid.ini: \[study\] lanes: 4 lanes: (the library libmbd_lanes4 is missing|this processor lacks AVX2)" "$dir/four.err"
  "$MBOPT" sweep "$dir/grid.ini" --dry-run --output "$dir/auto" >/dev/null
  check auto_alone grep -q '"lanes": 1' "$dir/auto/study.json"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] || exit 1
  echo "skipped: no library of 4 lanes, which clang builds, or a processor without AVX2"
  exit 77
fi
check exit [ $code -eq 0 ]

# a library of another build, and what is none, are not used
mkdir "$dir/stale"
for library in "${MBOPT%/*}"/libmbd_lanes4.so.[0-9]*; do
  LC_ALL=C sed -E "s/ [0-9a-f]{64}/ $(printf '0%.0s' {1..64})/" "$library" >"$dir/stale/${library##*/}"
done
LD_LIBRARY_PATH="$dir/stale" "$MBOPT" sweep "$dir/grid.ini" --lanes 4 --output "$dir/stale/four" 2>"$dir/stale.err"
check stale_exit [ $? -eq 9 ]
check stale grep -q "\[study\] lanes: 4 lanes: $dir/stale/libmbd_lanes4.so.[0-9]* is of another build than this program; .* the target mbd_lanes4" "$dir/stale.err"
LD_LIBRARY_PATH="$dir/stale" "$MBOPT" sweep "$dir/grid.ini" --dry-run --output "$dir/stale/auto" >/dev/null
check stale_auto grep -q '"lanes": 1' "$dir/stale/auto/study.json"
mkdir "$dir/none"
for library in "$dir"/stale/*.so.*; do : >"$dir/none/${library##*/}"; done
LD_LIBRARY_PATH="$dir/none" "$MBOPT" gradient configs/five_bar.ini --set gradient.lanes=4 --output "$dir/run" 2>"$dir/stale.err"
check no_library grep -q "\[gradient\] lanes: 4 lanes: the library libmbd_lanes4 is missing, .*: file too short" "$dir/stale.err"

check told grep -qx "in lanes: 64 simulations" "$dir/four.out"
"$MBOPT" status "$dir/four" >"$dir/status.out"
check status grep -q ", in 4 lanes$" "$dir/status.out"
check status_json [ "$("$MBOPT" status "$dir/four" --json | grep -c '"lanes": 4')" -eq 1 ]
check record [ "$("$MBOPT" status "$dir/four" --runs 5,6 | grep -c '"together": 1')" -eq 2 ]
"$MBOPT" sweep "$dir/grid.ini" --lanes 1 --jobs 2 --output "$dir/one" --quiet

# agrees TOLERANCE A B: every number of two tables but the times
agrees() {
  paste -d, <(without_times "$2") <(without_times "$3") | awk -F, -v tolerance="$1" '
    NR > 1 { for (i = 3; i <= NF / 2; i++) { d = $i - $(i + NF / 2); s = $i < 0 ? -$i : $i; if (d < 0) d = -d; if (d > tolerance * (s + 1e-3)) bad++ } rows++ }
    END { exit !(rows == 64 && !bad) }'
}
check agrees agrees 1e-10 "$dir/one" "$dir/four" # 2e-12 seen
differ() { ! same_tables "$1" "$2"; }
check not_the_same differ "$dir/one" "$dir/four"

# 64 runs go in lanes by themselves, fewer do not; workers and interruptions change no bit
"$MBOPT" sweep "$dir/grid.ini" --jobs 3 --output "$dir/auto" --quiet
check auto grep -q '"lanes": 4' "$dir/auto/study.json"
check workers same_tables "$dir/four" "$dir/auto"
forget "$dir/auto" 9
forget "$dir/auto" 30
LD_LIBRARY_PATH="$dir/stale" "$MBOPT" resume "$dir/auto" 2>"$dir/stale.err"
check stale_resume grep -q "its runs are done in lanes (--lanes 1 begins a study without): 4 lanes: .* is of another build" "$dir/stale.err"
"$MBOPT" resume "$dir/auto" --quiet
check resumed same_tables "$dir/four" "$dir/auto"
grid_file few 0.3 7 9 </dev/null
"$MBOPT" sweep "$dir/few.ini" --dry-run --output "$dir/few" >/dev/null
check few grep -q '"lanes": 1' "$dir/few/study.json"

# another number of lanes is another study
"$MBOPT" sweep "$dir/grid.ini" --lanes 1 --output "$dir/four" --quiet 2>"$dir/another.err"
check another_exit [ $? -eq 3 ]
check another grep -q "holds another study (run file, model, values, lanes or program have changed since)" "$dir/another.err"

# what lanes choose by the design that they are made of, as the basis of natural coordinates, follows from the batch, and not from what was simulated before
{
  printf '%s\n' 'schema = 1' '[model]' 'joints = found' 'gravity = 0, g, 0' '[scalars]' 'phi = 2.9' 'g = -9.81' \
    '[body a]' 'mass = 1' 'com = 0.3, 0.2, 0' 'inertia = 0.2, 0.2, 0.4' '[point O]' 'at = 0, 0, 0' 'bodies = ground, a' \
    '[vector z]' 'along = 0, 0, 1' 'bodies = ground, a, b1, b2, b3' '[start]' 'hold.ground-a.angle = 0'
  printf 'hold.a-b%d.angle = 0.2\n' 1 2 3
  printf '[body b%d]\nmass = 0.3\ncom = 0.5, -0.2, 0\ninertia = 0.02, 0.02, 0.05\n' 1 2 3
  printf '[point P%d]\nat = %s, 0\nbodies = a, b%d\n' 1 '1, 0' 1 2 '0.17, 0.98' 2 3 'cos(phi), sin(phi)' 3
} >"$dir/plate.ini"
printf '%s\n' 'schema = 1' '[model]' 'file = plate.ini' '[design g]' 'lower = -20' 'upper = 0' '[case swing]' 'duration = 1' 'step = 1e-2' \
  'coordinates = natural' '[objective f]' 'of = P1@a.position.y' 'form = integral_square' '[sweep]' 'vary.phi = 1.5, 1.55, 1.6, 1.52' >"$dir/plates.ini"
"$MBOPT" sweep "$dir/plates.ini" --lanes 4 --output "$dir/plates" --quiet
"$MBOPT" sweep "$dir/plates.ini" --set 'sweep.vary.phi=2.7, 2.75, 2.8, 2.9, 1.5, 1.55, 1.6, 1.52' --lanes 4 --jobs 1 --output "$dir/more_plates" --quiet
check from_batch cmp -s <(cut -d, -f2-5 "$dir/plates/table.csv") <(cut -d, -f2-5 "$dir/more_plates/table.csv" | sed 2,5d)
check from_batch_rows [ "$(grep -c ',OK,' "$dir/more_plates/table.csv")" -eq 8 ]

# a batch of different mechanisms, one of which cannot be simulated
study_file mixed 0.3 <<'INI'
[study]
lanes = 4
[sweep]
vary.case.swing.integrator = newmark, generalized_alpha
vary.mB3 = 1, 1e200
INI
"$MBOPT" sweep "$dir/mixed.ini" --jobs 1 --output "$dir/mixed" >"$dir/mixed.out" 2>/dev/null
check mixed_told grep -qx "in lanes: 0 simulations; 4 more were repeated alone" "$dir/mixed.out"
"$MBOPT" sweep "$dir/mixed.ini" --lanes 1 --output "$dir/alone" --quiet 2>/dev/null
check mixed_failures [ "$(failures "$dir/mixed")" -eq 2 ]
check mixed cmp -s <(cut -d, -f1-6 "$dir/alone/table.csv") <(cut -d, -f1-6 "$dir/mixed/table.csv")

# optimizations in lanes: as many ends at the same optimum; without those that cannot be
study_file starts 0.3 <<'INI'
[multistart]
starts = 8
INI
sed -i 's/^backend = .*/backend = nlopt\nalgorithm = LD_SLSQP/; /^hessian/d' "$dir/starts.ini"
for lanes in 1 4; do
  "$MBOPT" multistart "$dir/starts.ini" --lanes $lanes --jobs 1 --output "$dir/starts_$lanes" >"$dir/starts_$lanes.out" 2>/dev/null
done
check starts_done [ "$(grep -c ',CONVERGED,' "$dir/starts_4/table.csv")" -eq "$(grep -c ',CONVERGED,' "$dir/starts_1/table.csv")" ]
check starts_no_journals [ "$(ls "$dir/starts_4/runs")" = 0-7.0.jsonl ]
check starts_found grep -q "8 runs: 8 done, 0 failed, 0 left" "$dir/starts_4.out"
"$MBOPT" multistart "$dir/starts.ini" --lanes 4 --jobs 2 --output "$dir/starts_again" --quiet 2>/dev/null
check starts_workers same_tables "$dir/starts_4" "$dir/starts_again"
"$MBOPT" multistart "$dir/starts.ini" --lanes 4 --set optimizer.max_time=10 --output "$dir/timed" 2>"$dir/timed.err"
check timed_exit [ $? -eq 3 ]
check timed grep -q "starts.ini: \[study\] lanes = 4: \[optimizer\] max_time is for single runs; expected lanes = 1" "$dir/timed.err"
for set in study.lanes=1 'study.lanes = 1' 'study. lanes =2'; do
  "$MBOPT" resume "$dir/auto" --set "$set" >/dev/null 2>"$dir/changed.err"
  check "fixed_exit $set" [ $? -eq 3 ]
  check "fixed $set" grep -q "\[study\] lanes = ${set##*[ =]}: the study began with 4" "$dir/changed.err"
done
"$MBOPT" resume "$dir/auto" --set 'study.lanes = 4' --quiet
check same_lanes [ $? -eq 0 ]

# parts of a cluster are of whole batches; a batch that takes too long fails as a whole, which its runs say
"$MBOPT" sweep "$dir/grid.ini" --lanes 4 --engine slurm --set slurm.tasks=10 --dry-run --output "$dir/parts" 2>/dev/null >"$dir/parts.out"
check parts grep -q "^64 runs in 10 of 10 tasks of a job array, each at most 8 runs" "$dir/parts.out"
"$MBOPT" sweep "$dir/grid.ini" --lanes 4 --engine slurm --set slurm.tasks=40 --dry-run --output "$dir/parts" 2>/dev/null >"$dir/parts.out"
check small_parts grep -q "^64 runs in 16 of 16 tasks of a job array, each at most 4 runs" "$dir/parts.out"
"$MBOPT" sweep "$dir/few.ini" --lanes 4 --set sweep.vary.Ls1=1 --set sweep.vary.Ls2=1,2 --set case.swing.duration=3000 --set study.run_limit=0.2 \
  --output "$dir/long" --quiet 2>/dev/null
check long [ "$(grep -c 'FAILED.*of the batch of runs 0 to 1, which go in lanes: took longer than run_limit = 0.2 s for each' "$dir/long/table.csv")" -eq 2 ]
"$MBOPT" sweep "$dir/grid.ini" --lanes 3 --output "$dir/three" 2>"$dir/three.err"
check three grep -q "lanes = 3" "$dir/three.err"
# one run: what goes in lanes of its own is told in the terminal and in JSON, and nothing of it elsewhere
lanes_of() { "$MBOPT" gradient configs/five_bar.ini --set case.swing.duration=0.3 --output "$dir/run" "$@"; }
lanes_of --json --set gradient.method=central_differences --set gradient.lanes=4 >"$dir/run.json" 2>"$dir/run.err"
check run_told grep -qx "in lanes: 4 simulations" "$dir/run.err"
check run_json grep -q '"in_lanes": {' "$dir/run.json"
lanes_of --json >"$dir/run.json" 2>"$dir/run.err"
check run_alone [ "$(cat "$dir/run.json" "$dir/run.err" | grep -c lanes)" -eq 0 ]

# comparisons measure times, and say which command has lanes
"$MBOPT" compare "$dir/starts.ini" --backends ipopt --set study.lanes=4 --output "$dir/compared" 2>"$dir/compared.err"
check compared_exit [ $? -eq 3 ]
check compared grep -q "lanes = 4: a comparison measures the times of single runs, and .mbopt multistart. has lanes; expected lanes = 1" "$dir/compared.err"
sed -i 's/"lanes": 4/"lanes": 8/' "$dir/auto/study.json"
"$MBOPT" resume "$dir/auto" 2>"$dir/eight.err"
check changed_plan [ $? -ne 0 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
