#!/usr/bin/env bash
# Files from others (docs/files_from_others.md): libraries that this user has not built are not loaded, files of the user are not overwritten
# without a word, and what cannot be written says why.
. "$(dirname "$0")/common.sh"

# ---- a library whose code shows that it runs
cp problems/own_force/air_spring.ini problems/own_force/air_ride.ini "$dir"
cat - problems/own_force/air_spring.c >"$dir/air_spring.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void begins(void) {
  FILE *out = getenv("RAN") ? fopen(getenv("RAN"), "a") : NULL;
  if (out) { fputs("runs\n", out), fputs("its code runs\n", stderr), fclose(out); }
}
END
run="$dir/air_ride.ini"
check built "$MBOPT" plugin "$dir/air_spring.c" --derivatives complex_step >"$dir/log" 2>&1
export RAN="$dir/ran"
silent() { # NAME: no code of the library has run
  check "$1 runs no code" [ ! -e "$RAN" ]
  rm -f "$RAN"
}
printf '[study]\njobs = 1\n[sweep]\ntask = simulate\nplan = grid\nvary.design.area.start = 6e-3, 9e-3\n' | cat "$run" - >"$dir/sweep.ini"

# the user who built it: loaded where forces are computed, after its path is printed
says 0 "no errors" "$MBOPT" "$run" --check-config
silent "--check-config of one's own"
says 0 "its code runs" "$MBOPT" simulate "$run" --output "$dir/run"
check "path before code: $out" contains "$out" $'air_spring.so, derivatives: complex step\nits code runs'
rm -f "$RAN"
says 0 "2 done" "$MBOPT" sweep "$dir/sweep.ini" --output "$dir/sweep"
rm -f "$RAN"
for command in merge status "resume --dry-run"; do
  # shellcheck disable=SC2086
  says 0 "" "$MBOPT" $command "$dir/sweep"
  silent "$command of one's own"
done
mkdir "$dir/elsewhere"
cp "$dir/air_spring.so" "$dir/elsewhere/moved.so"
says 0 "its code runs" "$MBOPT" gradient "$run" --set plugin.air_spring.file=elsewhere/moved.so
rm -f "$RAN"

# another user, to whom the same files come
own="$XDG_CONFIG_HOME"
export XDG_CONFIG_HOME="$dir/other"
says 3 "[plugin air_spring] file = $(realpath "$dir")/air_spring.so: the library is not loaded" "$MBOPT" gradient "$run"
check how_to_allow contains "$out" "--allow-plugins"
for command in simulate optimize check model linearize; do
  says 3 "is not loaded" "$MBOPT" "$command" "$run" --output "$dir/none"
  silent "$command"
done
check nothing_written [ ! -e "$dir/none" ]
says 0 "no errors" "$MBOPT" "$run" --check-config
silent "--check-config"
says 0 "report.html" "$MBOPT" report "$dir/run"
check page_says_why grep -q "is not loaded" "$dir/run/report.html"
silent report
command -v gnuplot >/dev/null && says 0 "" "$MBOPT" plot "$dir/run"
silent plot
rm "$dir/sweep/table.csv"
for command in merge status "resume --dry-run" report; do
  # shellcheck disable=SC2086
  says 0 "" "$MBOPT" $command "$dir/sweep"
  silent "$command of a study"
done
check merged grep -q "^1,OK" "$dir/sweep/table.csv"
says 3 "is not loaded" "$MBOPT" resume "$dir/sweep"
says 3 "is not loaded" "$MBOPT" work "$dir/sweep"
says 3 "is not loaded" "$MBOPT" sweep "$dir/sweep.ini" --output "$dir/others"
silent "runs of a study"
says 0 "its code runs" "$MBOPT" gradient "$run" --allow-plugins
says 0 "2 done" "$MBOPT" resume "$dir/sweep" --allow-plugins
rm -f "$RAN"

# what this user has built is known by all its bytes, in a folder that nobody else writes to
says 3 "neither XDG_CONFIG_HOME nor HOME" env -u XDG_CONFIG_HOME -u HOME "$MBOPT" gradient "$run"
says 0 "run files that name the library need --allow-plugins" env -u XDG_CONFIG_HOME -u HOME -u RAN \
  "$MBOPT" plugin "$dir/air_spring.c" --derivatives complex_step --output "$dir/homeless.so"
export XDG_CONFIG_HOME="$own"
copy="$(echo "$own"/mbopt/plugin-*.so)"
cp -p "$copy" "$dir/copy"
printf 'x' >>"$copy"
says 3 "has not built it" "$MBOPT" gradient "$run"
cp -p "$dir/copy" "$copy"
chmod 777 "$own/mbopt"
says 3 "is no folder that this user alone can write to" "$MBOPT" gradient "$run"
chmod 700 "$own/mbopt"
chmod 666 "$copy"
says 3 "has not built it" "$MBOPT" gradient "$run"
chmod 600 "$copy"
silent "a copy that is not the user's own"
says 0 "its code runs" "$MBOPT" gradient "$run"
rm -f "$RAN"

# programs that use the library
python="$(python_with numpy)"
if [ -e "$(dirname "$MBOPT")/libmbo.so.1" ] && [ -n "$python" ]; then
  cat >"$dir/open.py" <<'END'
import os, sys
import mbopt

p = mbopt.open(sys.argv[1])
try:
    p.value()
except mbopt.Error as error:
    print("refused" if "is not loaded" in str(error) and not os.path.exists(os.environ["RAN"]) else error, flush=True)
mbopt.allow_plugins()
print(p.value() > 0)
END
  says 0 $'refused\nits code runs' env XDG_CONFIG_HOME="$dir/other" PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 \
    MBOPT_LIBRARY="$(dirname "$MBOPT")/libmbo.so.1" "$python" "$dir/open.py" "$run"
  check allowed contains "$out" True
fi
unset RAN

# ---- options of IPOPT that name files, and folders elsewhere
printf 'precious\n' >"$dir/victim.txt"
sed "s#\.\./problems#$PWD/problems#" configs/five_bar.ini >"$dir/five_bar.ini"
for key in output_file resto.Output_File option_file_name hsllib pardisolib wsmp_write_matrix_iteration; do
  { cat "$dir/five_bar.ini" && printf '[native]\n%s = %s\n' "$key" "$dir/victim.txt"; } >"$dir/native.ini"
  says 3 "native.ini:$(wc -l <"$dir/native.ini"): [native] $key = " "$MBOPT" "$dir/native.ini" --output "$dir/native"
done
check victim_is_whole [ "$(cat "$dir/victim.txt")" = precious ]
says 0 "no errors" "$MBOPT" "$dir/five_bar.ini" --set native.mu_strategy=adaptive --check-config
mkdir "$dir/away" "$dir/files"
cp "$dir/five_bar.ini" "$dir/files"
short=(simulate "$dir/files/five_bar.ini" --set case.swing.duration=0.05)
says 0 "[output] folder: results go to $dir/away, outside" "$MBOPT" "${short[@]}" --set output.folder="$dir/away"
out="$("$MBOPT" "${short[@]}" --set output.folder="$dir/files/results" 2>&1)$("$MBOPT" "${short[@]}" --output "$dir/away" 2>&1)"
check "no warning: $out" [ "${out/outside/}" = "$out" ]

# ---- paths in two lines, full files
mkdir "$dir/two"$'\n'"lines"
cp "$dir/five_bar.ini" "$dir/two"$'\n'"lines"
for command in simulate gradient optimize check sweep model; do
  says 3 "a line break or a control character (code 10)" "$MBOPT" "$command" "$dir/two"$'\n'"lines/five_bar.ini"
done
says 3 "(code 10)" "$MBOPT" "${short[@]}" --output "$dir/to"$'\n'"here"
says 3 "(code 10)" "$MBOPT" status "$dir/two"$'\n'"lines"
cp problems/five_bar/five_bar.ini "$dir/two"$'\n'"lines/model.ini"
says 3 "(code 10)" env -C "$dir/two"$'\n'"lines" "$MBOPT" gradient five_bar.ini --set model.file=model.ini
says 3 "(code 10)" "$MBOPT" plugin "$dir/a"$'\n'"b.c"
says 3 "cannot be written: File too large" bash -c 'ulimit -f 4; "$@"' limited "$MBOPT" simulate "$dir/files/five_bar.ini" --output "$dir/limited"


# ---- IPOPT where memory is limited: 10 as documented, where its libraries would wait for ever. Sanitizers need all addresses.
limited() { # KIB COMMAND...
  OPENBLAS_NUM_THREADS=1 timeout -s KILL 20 bash -c 'ulimit -v "$0"; exec "$@"' "$@"
}
short=("$dir/files/five_bar.ini" --set case.swing.duration=0.05 --set optimizer.backend=ipopt --threads 1 --output "$dir/memory")
if [ -z "${MBOPT_SLOW:-}" ] && built_in ipopt; then
  for size in 110000 150000 190000; do
    limited $size "$MBOPT" gradient "${short[@]}" >/dev/null 2>&1 || continue
    says 10 "out of memory: IPOPT is not begun without 192 MiB" limited $size "$MBOPT" "${short[@]}"
    break
  done
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
