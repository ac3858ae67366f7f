#!/usr/bin/env bash
# Verdicts of `mbopt check` on results that are wrong: exit code 6 and the word WRONG where a number is none, and where the
# continuous adjoint does not come closer to the exact gradient with the steps. BROKEN: mbopt with an evaluation broken on purpose.
. "$(dirname "$0")/common.sh"

run=(check configs/pendulum.ini --set case.drop.step=0.02 --set case.drop.duration=1 --set gradient.method=direct)

# How the broken program judges, and the whole of what it says.
#   broken WHAT CODE "PART OF THE OUTPUT" [ARGUMENTS ...]
broken() {
  local what="$1" code="$2" part="$3" out got
  shift 3
  out="$(MBOPT_BREAK="$what" "$BROKEN" "${run[@]}" "$@" 2>&1)"
  got=$?
  check "$what code $got" [ "$got" -eq "$code" ]
  check "$what says $part" contains "$out" "$part"
}

broken nothing 0 "all right"
broken value 6 "Taylor test: order nan, expected 2: WRONG"
broken value 6 '"taylor_verdict": "WRONG"' --json
broken gradient 6 "verdicts WRONG"
broken gradient 6 '"gradient": null' --json
broken gradient 6 "verdicts WRONG" --set check.variables=1 --set check.directions=2
broken continuous 6 "WRONG: 148 % off; 148 % at half the steps"
broken few_percent 6 "WRONG: 3" # within continuous_tolerance, and stays
broken continuous 6 "verdicts WRONG" --set gradient.method=continuous_adjoint
broken nothing 0 "at half the steps" --set gradient.method=continuous_adjoint
broken nothing 0 '"deviation_at_half_steps": ' --json

# In use with steps too long for it, it is no gradient: told by how much.
long=("${run[@]}" --set case.drop.step=0.25 --set gradient.method=continuous_adjoint)
out="$("$MBOPT" "${long[@]}")"
check too_long_code [ $? -eq 6 ]
check too_long_text grep -qE 'WRONG: [0-9.]+ % off; [0-9.]+ % at half the steps' <<<"$out"
check bound "$MBOPT" "${long[@]}" --set check.continuous_tolerance=1 >/dev/null

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
