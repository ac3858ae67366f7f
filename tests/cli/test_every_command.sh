#!/usr/bin/env bash
# Every run file of configs/ through every command that takes one or its results, as it is and without its design variables: every
# command ends with a documented exit code. With sanitizers, undefined behaviour ends a command with 1. Without MBOPT_LONG a sample.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

sample=(frame_reaction)
mkdir "$dir/configs" "$dir/bare"
ln -s "$PWD/problems" "$dir/problems"
cp configs/*.ini "$dir/configs"
for file in configs/*.ini; do # the same without variables
  awk '/^\[/ { drop = /^\[design/ } !drop' "$file" >"$dir/bare/$(basename "$file")"
done
# the road of the whole car takes longest: less of it
sed -i 's/^duration = 3$/duration = 0.1/' "$dir/configs/full_car.ini" "$dir/bare/full_car.ini"

run() { # RUN.ini COMMAND ARGUMENTS...
  "$MBOPT" "${@:2:1}" "$1" "${@:3}" --quiet --output "$dir/results" >"$dir/out" 2>&1
  local code=$?
  # An exception of IPOPT, which sanitizers do not take from a library that was opened late.
  ! grep -q real___cxa_throw "$dir/out" || return 0
  check "$* ended with $code: $(grep -m1 -E 'runtime error|Sanitizer' "$dir/out")" ends_as_documented "$code"
  check "$*: $(head -n 1 "$dir/out")" is_set
}

# A command that only refuses what it is told to set tests nothing.
is_set() { ! grep -q 'error: --set' "$dir/out"; }
ends_as_documented() { [[ "$1" =~ ^(0|2|3|4|5|6|7|8|9|11)$ ]]; }

every_command() { # RUN.ini
  rm -rf "$dir/results"
  run "$1" model --format html
  run "$1" simulate
  run "$1" gradient --over-time --set gradient.method=direct
  run "$1" gradient --set gradient.method=discrete_adjoint --set optimizer.hessian=limited_memory # an adjoint gives no Gauss-Newton matrix
  run "$1" linearize --format html
  run "$1" export
  run "$1" check --format html
  run "$1" optimize --max-evaluations 3
  "$MBOPT" report "$dir/results" --quiet >"$dir/out" 2>&1
  check "$1: report" ends_as_documented $?
  "$MBOPT" plot "$dir/results" --quiet >"$dir/out" 2>&1
  check "$1: plot" ends_as_documented $?
  if grep -q '^\[measurement' "$1"; then run "$1" fit --max-evaluations 3; fi
  rm -rf "$dir/results"
  run "$1" compare --max-evaluations 2 --starts 1 --jobs 1
  rm -rf "$dir/results"
  run "$1" multistart --max-evaluations 2 --starts 2 --jobs 1
  if grep -q '^\[pareto' "$1"; then
    rm -rf "$dir/results"
    run "$1" pareto --dry-run
  fi
  if grep -q '^\[sweep' "$1"; then
    rm -rf "$dir/results"
    run "$1" sweep --dry-run
  fi
}

for file in configs/*.ini; do
  name="$(basename "$file" .ini)"
  if [ -n "${MBOPT_LONG:-}" ] || [[ " ${sample[*]} " == *" $name "* ]]; then
    every_command "$dir/configs/$name.ini"
    every_command "$dir/bare/$name.ini"
  fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
