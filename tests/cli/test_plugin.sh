#!/usr/bin/env bash
# Forces of one's own: `mbopt plugin`, [plugin NAME] in run files, type = user in models; and all that can be wrong with them.
. "$(dirname "$0")/common.sh"

own=problems/own_force
cp "$own"/*.ini "$own"/*.[ch] "$dir"
run="$dir/air_ride.ini"
out='' cxx=''
command -v "${CXX:-c++}" >/dev/null && cxx=yes

# says CODE TEXT ARGUMENTS...: mbopt ends with that code and has the text in its output, which is left in $out
says() {
  local want="$1" part="$2" got
  shift 2
  out="$("$MBOPT" "$@" 2>&1)"
  got=$?
  check "code $got of $*" [ "$got" -eq "$want" ]
  check "'$part' in: $out" contains "$out" "$part"
}
# Names of quantities with their values, gradients and outputs, without what was measured.
numbers() { "$MBOPT" gradient "$@" --json 2>/dev/null | awk '/"quantities"/ { inside = 1 } /"warnings"/ { inside = 0 } inside'; }
# largest FILE FILE: largest difference of their numbers, relative to 1e-30 + the number
apart() {
  paste <(grep -oE -- '-?[0-9]+\.?[0-9]*(e[-+]?[0-9]+)?' "$1") <(grep -oE -- '-?[0-9]+\.?[0-9]*(e[-+]?[0-9]+)?' "$2") |
    awk '{ d = $1 - $2; if (d < 0) d = -d; s = $1 < 0 ? -$1 : $1; if (d > most * (s + 1e-30)) most = d / (s + 1e-30); n++ }
      END { if (n < 4) most = 1; print most + 0 }'
}

# ---- before it is there
says 3 "the library cannot be loaded" gradient "$run"
says 3 "[plugin air_spring] file = " gradient "$run"

says 3 "mbopt plugin FILE.c" gradient "$run"

# ---- a function that is not static is there once for each scalar
{ cat "$dir/air_spring.c" && echo 'int helper(void) { return 1; }'; } >"$dir/twice.c"
out="$("$MBOPT" plugin "$dir/twice.c" 2>&1)"
check linker_refused contains "$out" "is not accepted by the linker"
check linker_says_why contains "$out" "helper"

# ---- an argument of every kind, values of expressions among them
says 0 "${cxx:+derivatives: dual numbers}" plugin tests/own_force.c --output "$dir/general.so"
check "every kind is right" contains "$out" "tried at 20 random states: right at 20"
check "bodies, expression" contains "$out" "command              1 expression: an expression"

# ---- the three ways of its derivatives. Compilers are slow: each library is made once, and all that follows uses these.
if [ -n "$cxx" ]; then
  says 0 "derivatives: dual numbers" plugin "$dir/air_spring.c"
else
  says 0 "derivatives: complex step, no second derivatives" plugin "$dir/air_spring.c"
fi
check "right at random states" contains "$out" "tried at 20 random states: right at 20"
cp "$dir/air_spring.so" "$dir/auto.so"
says 0 "derivatives: complex step, no second derivatives" plugin "$dir/air_spring.c" --derivatives complex_step --output "$dir/step.so"
says 3 "no derivatives of its own" plugin "$dir/air_spring.c" --derivatives own --output "$dir/none.so"
check nothing_made [ ! -e "$dir/none.so" ]
says 0 "derivatives: own" plugin "$dir/air_spring_own.c" --output "$dir/own.so"
check "own are right" contains "$out" "right at 20"
numbers "$run" >"$dir/auto.txt"
for way in step own; do
  numbers "$run" --set plugin.air_spring.file="$dir/$way.so" >"$dir/$way.txt"
  check "$way like the first" less "$(apart "$dir/auto.txt" "$dir/$way.txt")" 1e-11
done
for formulation in penalty matrix_r semi_recursive fully_recursive; do
  says 0 "all right" check "$run" --set plugin.air_spring.file="$dir/step.so" --set case.release.formulation=$formulation \
    --set case.release.duration=0.3
done
says 0 "force 'air' (air_spring" check "$run"
says 0 "continuous adjoint" check "$run" --set gradient.method=discrete_adjoint

# ---- the built-in Magic Formula tyre and the same formulas as a force of one's own: motion to 1e-12, gradient to 1e-11 of its
# largest scaled component, with derivatives of its own; by complex step and by dual numbers, which take the compiler longest, with
# MBOPT_LONG. By direct differentiation: the adjoint of this rig is 5e-12 off the complex step by rounding.
cp -r problems/buggy problems/tyre_rig "$dir"
sed 's/^type = tyre_magic_formula$/type = user\nplugin = magic_tyre/' problems/tyre_rig/tyre_rig.ini >"$dir/tyre_rig/own.ini"
sed 's#\.\./problems/##' configs/tyre_rig.ini >"$dir/built_in.ini"
sed 's#tyre_rig/tyre_rig.ini#tyre_rig/own.ini#; s#^\[design load\]#[plugin magic_tyre]\nfile = tyre.so\n\n&#' "$dir/built_in.ini" >"$dir/tyre.ini"
most_apart() { # FILE FILE: largest difference of the numbers of two lists, relative to the largest number
  paste "$1" "$2" | awk '{ d = $1 - $2; d = d < 0 ? -d : d; s = $1 < 0 ? -$1 : $1; if (d > most) most = d; if (s > size) size = s; n++ }
    END { print (n > 1 ? most / size : 1) }'
}
# columns FILE FILE: of each column, its name and the largest difference, relative to its largest number
columns() {
  awk -F, 'FNR == 1 { file++; for (i = 1; i <= NF; i++) name[i] = $i; next }
    file == 1 { for (i = 1; i <= NF; i++) { v[FNR, i] = $i; s = $i < 0 ? -$i : $i; if (s > size[i]) size[i] = s } next }
    { for (i = 1; i <= NF; i++) { d = $i - v[FNR, i]; d = d < 0 ? -d : d; if (d > most[i]) most[i] = d }; n++ }
    END { for (i in name) print name[i], (n > 1 && size[i] > 0 ? most[i] / size[i] : 1) }' "$1" "$2"
}
like_built_in() { # NAME ARGUMENTS...: motion and gradient of the run with these arguments
  local name="$1" apart
  shift
  "$MBOPT" simulate "$@" --set case.sweep.duration=1.5 --output "$dir/$name" >/dev/null 2>&1
  "$MBOPT" gradient "$@" --set case.sweep.duration=1.5 --set gradient.method=direct --json 2>/dev/null |
    awk '/"gradient": \[$/ { inside = 1; k = 0 } inside && $1 + 0 != 0 { printf "%.17g\n", ($1 + 0) * (++k == 1 ? 4000 : 15) }' >"$dir/$name.gradient"
  [ "$name" != built_in ] || return
  columns "$dir/built_in/trajectory.csv" "$dir/$name/trajectory.csv" >"$dir/columns"
  for column in ram.distance fork-wheel.angle fork-wheel.angle.rate tyre.lateral tyre.load tyre.aligning tyre.slip_angle; do
    apart="$(awk -v name="$column" '$1 == name { print $NF }' "$dir/columns")"
    check "$name, motion: $column $apart" less "$apart" 1e-12
  done
  apart="$(most_apart "$dir/built_in.gradient" "$dir/$name.gradient")"
  check "$name, gradient: $apart" less "$apart" 1e-11
}
like_built_in built_in "$dir/built_in.ini"
if [ -n "${MBOPT_LONG:-}" ]; then
  says 0 "derivatives: complex step" plugin "$dir/tyre.c" --derivatives complex_step
  like_built_in step "$dir/tyre.ini"
fi
says 0 "derivatives: own" plugin "$dir/tyre_own.c"
like_built_in own "$dir/tyre.ini" --set plugin.magic_tyre.file=tyre_own.so
says 0 "force 'tyre' (magic_tyre, derivatives: own): right" check "$dir/tyre.ini" --set case.sweep.duration=0.5 --set plugin.magic_tyre.file=tyre_own.so
if [ -n "${MBOPT_LONG:-}" ] && [ -n "$cxx" ]; then
  says 0 "derivatives: dual numbers" plugin "$dir/tyre.c"
  like_built_in dual "$dir/tyre.ini"
  says 0 "force 'tyre' (magic_tyre, derivatives: dual numbers): right" check "$dir/tyre.ini"
  # Its own derivatives at random states, with no coefficient that is zero, as most defaults are.
  sed 's/"-", 0)/"-", 0.17)/; s/"-", NAN)/"-", 0.8)/; s/"m", NAN)/"m", 0.6)/; s/"N", 1e300/"N", 0.4/; s/"N s\/m", 0)/"N s\/m", 0.3)/
    s/"m", 1e-3)/"m", 0.4)/; s/"m\/s", 16.7)/"m\/s", 1.5)/' "$own/tyre_law.h" >"$dir/tyre_law.h"
  check other_defaults [ "$(grep -c '0.17)' "$dir/tyre_law.h")" -gt 80 ]
  says 0 "right at 20" plugin "$dir/tyre_own.c" --output "$dir/all.so"
  cp "$own/tyre_law.h" "$dir"
fi

# ---- second derivatives
says 0 "second derivatives" check "$run" --set optimizer.hessian=exact --set plugin.air_spring.file="$dir/own.so"
command=optimize
[ -z "${MBOPT_SLOW:-}" ] || command=check # IPOPT throws an exception there, which sanitizers do not take from a library that was opened late
out="$("$MBOPT" "$command" "$run" --set optimizer.hessian=exact --set plugin.air_spring.file="$dir/step.so" --output "$dir/no" 2>&1)"
check refused [ $? -ne 0 ]
check refused_by_name contains "$out" "'air_spring' has no second derivatives"

# ---- said, and part of what a result is of
"$MBOPT" simulate "$run" --output "$dir/said" >/dev/null 2>"$dir/log"
check log grep -q "^plugin air_spring: force 'air_spring' of .*air_spring.so" "$dir/log"
check result grep -q '"force": "air_spring"' "$dir/said/result.json"
check resolved grep -q "^file = $(realpath "$dir")/air_spring.so" "$dir/said/resolved.ini"
"$MBOPT" "$run" --set optimizer.max_evaluations=3 --output "$dir/journal" --quiet >/dev/null 2>&1
cp "$dir/step.so" "$dir/air_spring.so"
says 3 "another problem" "$run" --set optimizer.max_evaluations=6 --output "$dir/journal" --resume
cp "$dir/auto.so" "$dir/air_spring.so"
printf '[sweep]\ntask = gradient\nplan = grid\nvary.design.area.start = 6e-3, 9e-3\n' | cat "$run" - >"$dir/sweep.ini"
says 0 "2 " sweep "$dir/sweep.ini" --output "$dir/sweep"
cp "$dir/step.so" "$dir/air_spring.so"
says 3 "has changed since this study began" resume "$dir/sweep"
cp "$dir/auto.so" "$dir/air_spring.so"

# ---- a model file alone loads nothing
sed '/^\[plugin/,/^file/d' "$run" >"$dir/alone.ini"
says 3 "the run file names no plugin 'air_spring', and a model file alone loads none" gradient "$dir/alone.ini"
sed 's/^\[plugin air_spring\]/[plugin air_sprink]/' "$run" >"$dir/near.ini"
says 3 "did you mean 'air_sprink'" gradient "$dir/near.ini"
sed -i.orig 's/^plugin = air_spring$//' "$dir/air_spring.ini"
says 3 "'plugin' is missing" gradient "$run"
mv "$dir/air_spring.ini.orig" "$dir/air_spring.ini"
sed -i.orig 's/^volume = volume$/volumen = volume/' "$dir/air_spring.ini"
says 3 "'volume' is missing" gradient "$run"
mv "$dir/air_spring.ini.orig" "$dir/air_spring.ini"

# ---- a plugin that no force refers to is not loaded, and its library need not be there
sed 's/^\[plugin air_spring\]/[plugin unused]\nfile = unused.so\n\n&/' "$run" >"$dir/unused.ini"
says 0 "plugin unused: no force of the model refers to it, so it is not loaded" simulate "$dir/unused.ini" --output "$dir/unused"
check used_is_told grep -q '"force": "air_spring"' "$dir/unused/result.json"
check unused_is_not_told [ "$(grep -c unused.so "$dir/unused/result.json")" -eq 0 ]

# ---- libraries that are none, or not of this program
printf 'int nothing;\n' >"$dir/other.c"
"${CC:-cc}" -shared -fPIC -o "$dir/other.so" "$dir/other.c"
says 3 "does not end with the description of a force" gradient "$run" --set plugin.air_spring.file=other.so
LC_ALL=C sed 's/"abi":1,/"abi":7,/' "$dir/step.so" >"$dir/later.so"
says 3 "compiled for version 7 of the interface of forces, expected 1" gradient "$run" --set plugin.air_spring.file=later.so
LC_ALL=C sed 's/"size":[0-9][0-9][0-9],/"size":999,/' "$dir/step.so" >"$dir/wide.so"
says 3 "its description has 999 bytes" gradient "$run" --set plugin.air_spring.file=wide.so
LC_ALL=C sed 's/"volume V0/"volume V1/' "$dir/step.so" >"$dir/changed.so"
says 3 "of this user has not built it" gradient "$run" --set plugin.air_spring.file=changed.so
LC_ALL=C sed 's/"air_spring",/"air_sprink",/' "$dir/step.so" >"$dir/tables.so"
says 3 "differ from the description at its end" gradient "$run" --set plugin.air_spring.file=tables.so --allow-plugins
size=$((16#$(tail -c 9 "$dir/step.so") + 23))
{ cat "$dir/other.so" && tail -c "$size" "$dir/step.so"; } >"$dir/empty.so"
says 3 "has no 'mbd_plugin'" gradient "$run" --set plugin.air_spring.file=empty.so --allow-plugins

# ---- sources that are not accepted: NAME, SED EXPRESSION, CODE, TEXT
broken() {
  sed "$2" "$dir/air_spring.c" >"$dir/$1.c"
  says "$3" "$4" plugin "$dir/$1.c" --derivatives complex_step
}
broken syntax 's/const scalar s = /const scalar s == /' 3 "is not accepted as C"
broken compares 's/if (output)/if (s > 0)/' 3 "is not accepted as C with complex numbers"
broken reference 's/{MBD_ARG_POINT, 1, 0}/{MBD_ARG_POINT, 2, 0}/' 3 "argument 0 is made of references 2 and 0"
broken size 's/{"area", 1,/{"area", 2,/' 3 "coefficient 'area' has size 2"
if [ -n "${MBOPT_LONG:-}" ]; then # other lines of the tables
  broken kind 's/{MBD_ARG_POINT, 1, 0}/{MBD_ARG_VECTOR, 1, 0}/' 3 "of another kind"
  broken twice 's/{"volume", 1,/{"area", 1,/' 3 "has the key 'area' twice"
  broken taken 's/{"area", 1,/{"plugin", 1,/' 3 "which all forces of type user have"
fi
broken beyond 's/output\[2\] = force;/output[3] = force;/' 6 "the function writes result 6, but its tables have 6 results"
broken real 's/s_sqrt(d\[0\]/sqrt(s_re(d[0]/; s/d\[2\] \* d\[2\]);/d[2] * d[2]));/' 6 "its derivative by the value of argument 0"
broken never 's/const scalar force = /const scalar force = s_log(-1 - s * s) + /' 6 \
  "expected a finite number; no random state of size 1 gives one"
says 3 "cannot read $dir/missing.c" plugin "$dir/missing.c"
out="$(CC="$dir/no_compiler" "$MBOPT" plugin "$dir/air_spring.c" 2>&1)"
check compiler_code [ $? -eq 9 ]
check compiler_package contains "$out" "(Debian: gcc)"
out="$(CXX="$dir/no_compiler" "$MBOPT" plugin "$dir/air_spring.c" --derivatives dual 2>&1)"
check cxx_code [ $? -eq 9 ]
check cxx_package contains "$out" "(Debian: g++)"
out="$(CXX="$dir/no_compiler" "$MBOPT" plugin "$dir/air_spring.c" --output "$dir/plain.so" 2>&1)"
check without_cxx [ $? -eq 0 ]
check without_cxx_says contains "$out" "no dual numbers, so derivatives are by complex step"

# ---- what a motion shows: numbers that are none, jumps
sed 's/const scalar force = /const scalar force = s_re(s) > 0.3 \&\& s_re(s) < 0.5 ? s_log(-s) : /' "$dir/air_spring.c" >"$dir/nan.c"
says 0 "right at" plugin "$dir/nan.c" --derivatives complex_step
says 5 "user force 'air' (air_spring) is not a finite number" simulate "$run" --set plugin.air_spring.file=nan.so --output "$dir/nan"
if [ -n "${MBOPT_LONG:-}" ]; then
  sed 's/const scalar force = /const scalar force = (s_re(s) > 0.3 ? 50 : 0) + /' "$dir/air_spring.c" >"$dir/jump.c"
  says 0 "right at" plugin "$dir/jump.c" --derivatives complex_step
  says 6 "jumps from" check "$run" --set plugin.air_spring.file=jump.so
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
