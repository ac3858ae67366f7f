#!/usr/bin/env bash
# The sources of a simulation compile with a scalar that holds the numbers of several designs (base/designs.h, by clang's vectors): every decision
# that depends on a scalar has a word of base/real.h. And each design takes its own formulas (designs.c).
source "$(dirname "${BASH_SOURCE[0]}")/../cli/common.sh"
command -v clang >/dev/null || { echo "skipped: no clang, whose vectors are the scalar"; exit 77; }
compile=(clang -std=c11 -D_GNU_SOURCE -Ilib/include -Ilib -DMBD_DESIGNS=4 -ferror-limit=0
  -Wno-psabi -Werror=incompatible-pointer-types -Werror=format -Werror=implicit-function-declaration)

# All but what the libraries of lanes do without (cmake/lanes.cmake).
sources() {
  find lib -name '*.c' ! -path 'lib/sens/referee*' ! -path lib/dynamics/inverse.c ! -path lib/lanes/open.c
}
check several_sources [ "$(sources | wc -l)" -gt 200 ]
# One process for all files, or for every sixth: the compiler's own command of the last one, without that file.
drawn() { if [ -n "${MBOPT_LONG:-}" ]; then cat; else sort | awk 'NR % 6 == 1'; fi; }
command="$("${compile[@]}" -### -fsyntax-only lib/la/dense.c 2>&1 | tail -1)"
sources | drawn | eval "xargs ${command% *}" 2>"$dir/errors"
check decisions [ $? -eq 0 ]
cat "$dir/errors"

# Without its word a decision is an error.
forgotten() { # NAME STATEMENT COMMAND: compiles (command) or does not (not)
  printf '#include <stdio.h>\n#include "base/real.h"\nint f(mbd_real x, double *y);\nint f(mbd_real x, double *y) {\n%s\nreturn 0;\n}\n' "$2" >"$dir/$1.c"
  check "$1" "$3" "${compile[@]}" -Wno-unused-value -fsyntax-only "$dir/$1.c" 2>>"$dir/forgotten"
}
not() { ! "$@"; }
forgotten with_word 'if (mbd_if(mbd_re(x) > 0) && mbd_largest(x) < 1) { y[0] = mbd_first(x); }' command
forgotten branch 'if (mbd_re(x) > 0) { y[0] = 1; }' not
forgotten loop 'while (x != 0) { y[0] = 1; }' not
forgotten choice 'y[0] = mbd_re(x) > 0 ? 1 : 2;' not
forgotten flag 'const int is_less = mbd_re(x) < y[0]; return is_less;' not
forgotten kept 'y[0] = mbd_re(x);' not
forgotten size 'y[0] = fabs(mbd_re(x));' not
forgotten finite 'return isfinite(mbd_re(x));' not
forgotten shown 'printf("%%g", mbd_re(x));' not

designs=(tests/house/designs.c lib/la/{dense,gmres,saddle,saddle_products,near_singular,packed,factors,fill,sparse}.c lib/base/{operator,memory,status}.c -lm)
check built "${compile[@]}" -o "$dir/designs" "${designs[@]}"
check each_by_itself "$dir/designs"

# A word that looks at the first design alone turns this red.
mkdir "$dir/base"
sed 's/isnan(sum) ? sum : a\[0\]/fabs(x[0])/; s/return any != 0;/return c[0] != 0;/' lib/include/base/designs.h >"$dir/base/designs.h"
check built_for_the_first "${compile[@]/-Ilib\/include/-I$dir}" -Ilib/include -o "$dir/first" "${designs[@]}"
seen() { ! "$dir/first" >"$dir/first.said"; }
check for_the_first seen

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
