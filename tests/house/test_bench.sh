#!/usr/bin/env bash
# What bench/, examples/ and scripts/ hold can be read by their interpreters, and the sources that bench_tangents compiles as C++ keep their rows
# in the order of the declaration. With MBOPT_LONG the programs of bench/ are built, and each of them runs for a second or as far as a first row
# (tests/house/test_exports.sh runs examples/c; the other parts of scripts/test run scripts/).
source "$(dirname "${BASH_SOURCE[0]}")/../cli/common.sh"

for script in bench/* scripts/* examples/python/*; do
  case "$(head -1 "$script" 2>/dev/null)" in
    '#!'*bash | '# shellcheck shell=bash'*) check "$script" bash -n "$script" ;;
    '#!'*python3) pythons+=("$script") ;;
    '#!'*perl) check "$script" perl -c -Mwarnings=FATAL,all "$script" 2>>"$dir/perl" ;;
  esac
done
pythons+=(examples/python/*.py)
check python python3 -c 'import ast, sys; [ast.parse(open(f).read(), f) for f in sys.argv[1:]]' "${pythons[@]}"

# The tables of elements, outputs, schemes and projections in one C++ source, each file in a name space of its own, since their functions share names. The header of rows is that of
# the build, which only the linker needs.
if command -v g++ >/dev/null; then
  touch "$dir/ad_rows.hpp"
  mapfile -t rows < <(grep -l '_ops mbd_\|output_object output_' lib/{joint,constraint,force,curve,output,integrator}/*.c \
    lib/formulation/projection_{mass,unit,tangent}.c | grep -vx lib/force/user.c)
  {
    printf '#include <%s.h>\n' assert ctype errno float limits math stddef stdint stdio stdlib string
    sed -n 's/^#include "\(.*\/.*\)"/#include "\1"/p' "${rows[@]}" | sort -u
    for i in "${!rows[@]}"; do printf 'namespace file_%d {\n#include "%s"\n}\n' "$i" "$PWD/${rows[i]}"; done
  } >"$dir/rows.cpp"
  check rows_of_tables [ "${#rows[@]}" -gt 30 ]
  check rows_in_order g++ -std=c++20 -fpermissive -w -fsyntax-only -Ilib/include -Ilib -Ibench/ad -I"$dir" -D_GNU_SOURCE -DDUAL_N=1 \
    -Drestrict=__restrict -D_Static_assert=static_assert -DMBD_SCALAR_HEADER='"dual.hpp"' "$dir/rows.cpp"
fi

# started NAME COMMAND...: it ends well, or is still at work after some seconds
started() {
  timeout "$seconds" "${@:2}" >"$dir/$1" 2>&1
  check "$1" grep -qwE '0|124' <<<$?
}
if [ -n "${MBOPT_LONG:-}" ]; then
  build="$(dirname "$(realpath "$MBOPT")")" seconds=1
  export MBOPT_LIBRARY="$build/libmbo.so.1"
  for part in problems chain linkages formulations inverse studies; do started "bench_mbopt_$part" "$build/bench/bench_mbopt" "$part"; done
  seconds=3000
  started built cmake --build "$build" --target bench_tangents bench_boundary
  seconds=300
  started tangents bench/tangents "$build" check
  started designs bench/designs --program "$MBOPT" --only pendulum
  if python3 -c 'import scipy' 2>/dev/null; then
    started boundary bench/boundary "$build"
    started least_squares bench/least_squares configs/five_bar.ini 5
    started newton_cg bench/newton_cg configs/five_bar.ini 5
    started sqp bench/sqp configs/five_bar.ini
  fi
  started peers bench/peers "$build" --only "^five-bar 1$"
  ! command -v valgrind >/dev/null || started natural bench/natural "$build" --only 'five-bar ali3p none' --steps 1
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
