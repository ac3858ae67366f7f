#!/usr/bin/env bash
# With --quiet, an exit code that is not 0 has its reason on standard error, whatever the command; failed runs of a study tell theirs.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
built_in nlopt || { echo "skipped: nlopt is not built in"; exit 77; }
bobyqa=(--set optimizer.backend=nlopt --set optimizer.algorithm=LN_BOBYQA --set optimizer.hessian=limited_memory)
short=(--set case.swing.duration=0.1)

# says NAME CODE TEXT ARGUMENTS...: nothing on standard output but the text on standard error
says() {
  local name="$1" code="$2" text="$3"
  shift 3
  "$MBOPT" "$@" --quiet >"$dir/out" 2>"$dir/err"
  check "$name code" [ $? -eq "$code" ]
  check "$name says" contains "$(cat "$dir/err")" "$text"
}
run=(configs/five_bar.ini "${short[@]}" "${bobyqa[@]}" --output "$dir/run")
says limit 7 "mbopt: configs/five_bar.ini: stopped at a limit (nlopt: " "${run[@]}" --max-evaluations 3
check limit_alone [ ! -s "$dir/out" ]
says infeasible 8 "mbopt: configs/pendulum.ini: no feasible design found (nlopt: " configs/pendulum.ini --set case.drop.duration=0.1 \
  --set optimizer.backend=nlopt --set optimizer.algorithm=LD_MMA --set optimizer.hessian=limited_memory --output "$dir/no" \
  --set constraint.tip_speed.lower=50 --set constraint.tip_speed.upper=60
says start 4 "mbopt: error: the start cannot be simulated: " "${run[@]}" --set scalars.LA1=50
says configuration 3 "mbopt: error: " "${run[@]}" --set case.swing.step=x
says usage 2 "mbopt: option '--jsn' is not known" "${run[@]}" --jsn
says compare 8 "mbopt: no backend found a design without violation" compare configs/pendulum.ini --set case.drop.duration=0.1 \
  --set optimizer.hessian=limited_memory --output "$dir/compare" --backends nlopt:LD_MMA --max-evaluations 5 \
  --set constraint.tip_speed.lower=50 --set constraint.tip_speed.upper=60
says compare_start 5 "nlopt:LN_BOBYQA: " compare "${run[@]}" --backends nlopt:LN_BOBYQA --set scalars.LA1=50
says check 6 "mbopt: configs/five_bar.ini: the gradient is not right; verdicts WRONG: 1" check configs/five_bar.ini --set case.swing.duration=0.3 \
  --set check.difference_tolerance=0 --set check.variables=1 --set check.directions=1

# ---- a study: all of it, or only starts of a multistart
says study 5 "mbopt: 2 runs failed, the first of them run 0 (LA1 = 50): " sweep configs/five_bar.ini "${short[@]}" \
  --set "sweep.vary.LA1=50, 60" --output "$dir/study"
starts=(multistart configs/five_bar.ini --set case.swing.duration=0.5 "${bobyqa[@]}" --max-evaluations 8 --starts 6
  --set design.Ls1.lower=-4)
"$MBOPT" "${starts[@]}" --output "$dir/starts" >"$dir/out" 2>"$dir/err"
check starts [ $? -eq 0 ]
n="$(cat "$dir"/starts/runs/*.jsonl | grep -c '"state":"failed"')"
check starts_fail [ "$n" -ge 2 ]
check starts_reasons grep -q "mbopt: $n runs failed, the first of them run [0-9]* (start = [0-9]*): the start cannot be simulated: coefficient 'force.s1.free_length' = -[0-9.]*, expected >= 0" "$dir/err"
"$MBOPT" "${starts[@]}" --output "$dir/starts" --quiet >"$dir/out" 2>"$dir/err"
check starts_quiet [ ! -s "$dir/err" -a ! -s "$dir/out" ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
