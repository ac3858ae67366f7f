#!/usr/bin/env bash
# What the libraries show to other programs is what their headers declare: the LIBRARIES libmbd and libmbo, and shared ones of the same
# objects. An installation serves a program that has functions of its own with names that the libraries have inside: by pkg-config, by
# CMake. CC, CFLAGS: what the libraries are built with. OPEN_ARCHIVES: 1 where archives show their internal names.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/common.sh"
build="$(dirname "$MBOPT")"
if [ "$OPEN_ARCHIVES" = 1 ]; then
  echo "skipped: here archives show their internal names (the configuration says why)"
  exit 77
fi

# Sanitizers add names that begin with two underscores; the version of the interface is a name of its own (A), and stands behind others.
names() { nm "$@" | awk 'NF == 3 && $2 != "A" && $3 !~ /^__/ { sub(/@.*/, "", $3); print $3 }' | sort -u; }
# Functions that headers declare, but for types of functions and what is inline.
declared() { # PREFIX HEADER...
  local prefix="$1"
  shift
  cat "$@" | "$CC" -std=c11 -E -P -Ilib/include -Iopt/include -I"$build/generated" -xc - | tr '\n' ' ' | sed 's/[;{}]/&\n/g' |
    grep -v 'static\|typedef' | grep -oE "\b${prefix}_[a-z0-9_]+ *\(" | tr -d ' (' | grep -v '^mbd_referee_' | sort -u
}
counted() { # LIBRARY: names that are not its own, which there are to be none of
  echo "lib$1: $(wc -l <"$dir/$1") names, $(grep -vc "^$1_" "$dir/$1") of them not $1_"
  ! grep -v "^$1_" "$dir/$1"
}
# All of mbd/plugin.h is inline, for sources of forces of one's own, and all of base/designs.h, for other libraries.
# shellcheck disable=SC2046
declared mbd $(ls lib/include/{mbd,base}/*.h | grep -v "/plugin.h\|/designs.h") >"$dir/mbd.declared"
declared mbo opt/include/mbo/*.h >"$dir/mbo.declared"
for file in $LIBRARIES; do
  library="${file##*/lib}" library="${library%%.*}"
  case "$file" in
    *.a) names -g --defined-only "$file" ;;
    *) names -D --defined-only "$file" ;;
  esac >"$dir/$library"
  check "$library" counted "$library"
  check "${library}_declared" diff "$dir/$library.declared" "$dir/$library"
  # shellcheck disable=SC2086
  $CC $CFLAGS -shared -o "$dir/lib$library.so" -Wl,--whole-archive "$build/lib${library}_internal.a" -Wl,--no-whole-archive
  names -D --defined-only "$dir/lib$library.so" >"$dir/$library.so.names"
  check "${library}_shared" diff "$dir/$library" "$dir/$library.so.names"
done
versioned() { # LIBRARY NODE: every name of it has this version
  ! nm -D --defined-only "$1" | awk '$2 == "T"' | grep -v "@@$2\$"
}
for file in $LIBRARIES; do
  case "$file" in
    */libmbd.so*) check mbd_versioned versioned "$file" MBD_1 ;;
    */libmbo.so*) check mbo_versioned versioned "$file" MBO_1 ;;
  esac
done
# Nothing is printed and nothing ends the program. All that libmbd knows stands behind pointers of the caller's, so it has no variables of its
# own but those that begin with underscores, which linkers and sanitizers add.
silent() { ! nm -D --undefined-only "$1" | grep -E ' (exit|abort|printf|vprintf|puts|putchar|perror|stdout|stderr)(@|$)'; }
without_variables() { ! objdump -t "$1" | awk '($4 == ".data" || $4 == ".bss") && $NF !~ /^(__|completed)/' | grep .; }
for file in $LIBRARIES; do
  case "$file" in
    */libmb[do].so*) [[ " $CFLAGS " == *-fsanitize* ]] || check "silent_$(basename "$file")" silent "$file" ;;
  esac
  case "$file" in
    */libmbd.so*) [[ " $CFLAGS " == *-fsanitize* ]] || check without_variables without_variables "$file" ;;
  esac
done
check complex [ "$(names -D --defined-only "$build/libmbd_complex.so" | grep -vc '^mbd_referee_')" -eq 0 ]

cmake --install "$build" --prefix "$dir/prefix" >"$dir/out" 2>&1
check installs [ $? -eq 0 ]
check base_stays_here [ ! -e "$dir/prefix/include/base" ]

# Each header by itself, in C and, where there is a compiler, in C++.
by_itself() { # LANGUAGE [FLAGS...]
  local language="$1" header
  shift
  for header in $(cd "$dir/prefix/include" && ls mbd/*.h mbo/*.h); do
    printf "#include <%s>\nint nothing;\n" "$header" | "$CC" -x"$language" "$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$dir/prefix/include" - || return 1
  done
}
check headers_c by_itself c -std=c11
if "$CC" -xc++ -fsyntax-only - </dev/null 2>/dev/null; then check headers_cxx by_itself c++ -std=c++17; fi
export PKG_CONFIG_PATH="$dir/prefix/lib/pkgconfig:$(echo "$dir"/prefix/lib/*/pkgconfig)"
lib="$(dirname "$(find "$dir/prefix" -name libmbd_complex.so)")"
model=problems/five_bar/five_bar.ini
# shellcheck disable=SC2046,SC2086
$CC $CFLAGS tests/house/consumer.c $(pkg-config --cflags --libs mbopt) -Wl,-rpath,"$lib" -o "$dir/consumer"
check pkg_config [ $? -eq 0 ]
check pkg_config_runs grep -q "coordinates" <("$dir/consumer" "$model")
mkdir "$dir/consumer.cmake"
cat >"$dir/consumer.cmake/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
find_package(mbopt REQUIRED)
add_executable(consumer $PWD/tests/house/consumer.c)
target_link_libraries(consumer PRIVATE mbopt::mbo)
CMAKE
cmake -S "$dir/consumer.cmake" -B "$dir/consumer.cmake/build" -DCMAKE_PREFIX_PATH="$dir/prefix" -DCMAKE_C_COMPILER="$CC" \
  -DCMAKE_C_FLAGS="$CFLAGS" >"$dir/out" 2>&1 && cmake --build "$dir/consumer.cmake/build" >>"$dir/out" 2>&1
check package [ $? -eq 0 ]
check package_runs grep -q "coordinates" <("$dir/consumer.cmake/build/consumer" "$model")

# The examples: the optimum is known, and the two gradients agree.
examples="$dir/examples"
cmake -S examples/c -B "$examples" -DCMAKE_PREFIX_PATH="$dir/prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" \
  >"$dir/out" 2>&1 && cmake --build "$examples" >>"$dir/out" 2>&1
check examples [ $? -eq 0 ]
"$examples/minimize" configs/five_bar.ini >"$dir/minimize"
check minimizes [ $? -eq 0 ]
check optimum grep -q '^Ls1 = 2\.4319' "$dir/minimize"
check motion grep -qE '^at the end P2.position.y = -(2|1\.9999[0-9]*) m$' "$dir/minimize"
"$examples/gradient" configs/five_bar.ini case.swing.duration=0.1 >"$dir/gradient"
check gradients [ $? -eq 0 ]
agree() { awk '{ if ($6 == 0 || ($6 - $9) ^ 2 > 1e-18 * $6 ^ 2) wrong++ } END { exit NR != 2 || wrong }' "$dir/gradient"; }
check gradients_agree agree
"$examples/build" >"$dir/built"
check builds [ $? -eq 0 ]
"$MBOPT" configs/pendulum.ini --output "$dir/pendulum" --quiet --json >"$dir/pendulum.json"
number_of() { awk -v key="$1" '$1 == key { print $3 }' "$dir/built"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 <= 1e-12 * b ^ 2) }'; }
check built_stiffness near "$(number_of stiffness)" "$(number stiffness "$dir/pendulum.json")"
check built_damping near "$(number_of damping)" "$(number damping "$dir/pendulum.json")"
check example_error grep -q "no_such_file.ini" <("$examples/gradient" no_such_file.ini 2>&1)

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
