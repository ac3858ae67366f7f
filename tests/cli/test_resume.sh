#!/usr/bin/env bash
# An optimization that is killed without warning (kill -9) after five lines of its journal, then at every fortieth (MBOPT_LONG: at
# every fifth), and resumed until it ends, leaves the files of one that nobody disturbed. So does one whose journal loses its end besides.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
step=2e-3
[ -z "${MBOPT_SLOW:-}" ] || step=1e-2
run=(configs/five_bar.ini --quiet --set "case.swing.step=$step" --set gradient.method=direct)

every=40 all_kills=0
[ -z "${MBOPT_LONG:-}" ] || every=5

lines() { [ -f "$1" ] && wc -l <"$1" || echo 0; }
# What is left of a result without the counts and times of the last of its runs.
lasting() { grep -vE '"(seconds|evaluations|replayed|gradients|hessians|bytes_stored)":' "$1"; }

# disturbed NAME CUT ARGUMENTS: into the folder NAME; after a kill the last CUT bytes of the journal go too. Counts `kills`.
disturbed() {
  local journal="$dir/$1/journal.jsonl" cut="$2" resume=() pid next
  shift 2
  kills=0
  while :; do
    next=$(($(lines "$journal") + (kills ? every : 5)))
    "$MBOPT" "$@" "${resume[@]}" >/dev/null 2>&1 &
    pid=$!
    while kill -0 "$pid" 2>/dev/null && [ "$(lines "$journal")" -lt "$next" ]; do sleep 0.01; done
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    code=$?
    [ "$code" -ne 137 ] && break
    kills=$((kills + 1))
    truncate -s "-$cut" "$journal"
    resume=(--resume)
  done
}

# compare NAME CUT OPTIONS...
compare() {
  local name="$1" cut="$2" whole="$dir/$1.whole" before
  shift 2
  local settings=()
  for option in "$@"; do settings+=(--set "optimizer.$option"); done
  "$MBOPT" "${run[@]}" "${settings[@]}" --output "$whole"
  check "$name undisturbed" [ $? -eq 0 ]
  disturbed "$name" "$cut" "${run[@]}" "${settings[@]}" --output "$dir/$name"
  check "$name exit" [ "$code" -eq 0 ]
  check "$name killed" [ "$kills" -ge 1 ]
  all_kills=$((all_kills + kills))
  lasting "$whole/result.json" >"$dir/a"
  lasting "$dir/$name/result.json" >"$dir/b"
  check "$name result" same "$dir/a" "$dir/b"
  check "$name objective" [ -n "$(number objective "$dir/b")" ]
  for file in history.csv trajectory.csv resolved.ini; do check "$name $file" same "$whole/$file" "$dir/$name/$file"; done
  check "$name nothing twice" [ "$(lines "$dir/$name/journal.jsonl")" -eq "$(lines "$whole/journal.jsonl")" ]
  before=$(number evaluations "$whole/result.json")
  check "$name designs" [ $(($(number evaluations "$dir/$name/result.json") + $(number replayed "$dir/$name/result.json"))) -eq "$before" ]
}

if built_in ipopt; then
  compare gauss_newton 0 hessian=gauss_newton tolerance=1e-12
  [ -z "${MBOPT_LONG:-}" ] || compare limited_memory 0 hessian=limited_memory # torn is the same, and more
  [ -z "${MBOPT_LONG:-}" ] || compare exact 0 hessian=exact
  compare torn 100 hessian=limited_memory
fi
if built_in nlopt; then
  [ -z "${MBOPT_LONG:-}" ] || compare slsqp 0 backend=nlopt algorithm=LD_SLSQP hessian=limited_memory
  compare bobyqa 7 backend=nlopt algorithm=LN_BOBYQA hessian=limited_memory
fi
if built_in lbfgsb; then compare lbfgsb 0 backend=lbfgsb hessian=limited_memory; fi
# ---- how gradients are computed is measured once, and kept in the journal: a run that begins with the first lines of another one's goes
# the same way to the end
if built_in ipopt; then
  whole="$dir/measured.whole" part="$dir/measured"
  measured=("${run[@]}" --set gradient.method=auto --set optimizer.hessian=limited_memory)
  "$MBOPT" "${measured[@]}" --output "$whole"
  check "measured whole" [ $? -eq 0 ]
  check "measured kept" [ "$(sed -n 2p "$whole/journal.jsonl" | grep -cE '^\{"decided":\[\{"case":"swing","method":"(direct|discrete_adjoint)",.*"simulation_seconds":')" -eq 1 ]
  mkdir "$part" && head -4 "$whole/journal.jsonl" >"$part/journal.jsonl"
  "$MBOPT" "${measured[@]}" --output "$part" --resume
  check "measured exit" [ $? -eq 0 ]
  check "measured replayed" [ "$(number replayed "$part/result.json")" -eq 2 ]
  lasting "$whole/result.json" >"$dir/a"
  lasting "$part/result.json" >"$dir/b"
  check "measured result" same "$dir/a" "$dir/b"
  check "measured reason" grep -q '"reason": "d.*; measured: a simulation takes ' "$dir/b"
  for file in history.csv trajectory.csv; do check "measured $file" same "$whole/$file" "$part/$file"; done
  check "measured once" [ "$(grep -c '"decided"' "$part/journal.jsonl")" -eq 1 ]
fi
[ "$passed" -eq 0 ] && { echo "skipped: no backend is built in"; exit 77; }

echo "$passed passed, $failed failed ($all_kills kills)"
[ "$failed" -eq 0 ]
