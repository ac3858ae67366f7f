#!/usr/bin/env bash
# Standard input, output and error that are closed, full or a pipe that nobody reads: results and journals are as always, and an
# answer that does not arrive is an error.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
[ -w /dev/full ] || { echo "skipped: there is no /dev/full"; exit 77; }
short=(--set case.swing.duration=0.1)
bobyqa=(--set optimizer.backend=nlopt --set optimizer.algorithm=LN_BOBYQA --set optimizer.hessian=limited_memory
  --set gradient.method=direct)
built_in nlopt || { echo "skipped: nlopt is not built in"; exit 77; }
run=(configs/five_bar.ini "${short[@]}" "${bobyqa[@]}" --max-evaluations 8)

# ---- closed, each alone and all together: the journal has its lines, and nothing else
lines_of() { sed 's/,"seconds":.*//; s/,"hash":.*//' "$1/journal.jsonl"; }
"$MBOPT" "${run[@]}" --output "$dir/open" >/dev/null 2>&1
check open_exit [ $? -eq 7 ]
lines_of "$dir/open" >"$dir/lines"
check open_lines [ "$(wc -l <"$dir/lines")" -eq 10 ]
for closed in 0 1 2 01 02 12 012; do
  (
    [[ $closed != *0* ]] || exec <&-
    [[ $closed != *1* ]] || exec >&-
    [[ $closed != *2* ]] || exec 2>&-
    exec "$MBOPT" "${run[@]}" --output "$dir/closed$closed"
  ) >/dev/null 2>&1
  check "closed $closed exit" [ $? -eq 7 ]
  check "closed $closed journal" same <(lines_of "$dir/closed$closed") "$dir/lines"
  check "closed $closed files" [ -s "$dir/closed$closed/result.json" -a -s "$dir/closed$closed/trajectory.csv" ]
done
study_file grid 0.1 <<'INI'
[sweep]
task = simulate
vary.Ls1 = 1 to 3 in 4
INI
"$MBOPT" sweep "$dir/grid.ini" --output "$dir/grid" <&- >&- 2>&-
check closed_study_exit [ $? -eq 0 ]
check closed_study [ "$(wc -l <"$dir/grid/table.csv")" -eq 5 ]
if [ -n "${OPENS_A_FILE:-}" ]; then # a library that opens a file before main runs does not take the place of standard output
  LD_PRELOAD="$OPENS_A_FILE" "$MBOPT" sweep "$dir/grid.ini" --output "$dir/library" <&- >&- 2>&-
  check closed_study_library_exit [ $? -eq 0 ]
  check closed_study_library [ "$(wc -l <"$dir/library/table.csv")" -eq 5 ]
fi

# ---- full, or a pipe whose reader is gone: every command that prints
into_full() { "$MBOPT" "$@" >/dev/full 2>"$dir/err"; }
# With SIGPIPE ignored, as init systems start programs.
mkfifo "$dir/fifo"
exec 8<>"$dir/fifo" 9>"$dir/fifo" 8<&- # the reader is gone
into_pipe() { (trap '' PIPE; exec "$MBOPT" "$@" >&9 2>"$dir/err"); }
arguments() { # of every command of the help, so that a new one is missed here
  case "$1" in
    optimize) set -- "${run[@]}" --set optimizer.stop_value=10 --output "$dir/full" ;;
    compare) set -- "${run[@]}" --backends nlopt:LN_BOBYQA --output "$dir/full_compare" ;;
    simulate) set -- configs/five_bar.ini "${short[@]}" --output "$dir/full_simulate" ;;
    fit) set -- configs/measured_bar.ini --output "$dir/full_fit" ;;
    import) set -- problems/robot_arm/robot_arm.urdf "$dir/full_import" ;;
    gradient | check | model | export) set -- configs/five_bar.ini "${short[@]}" --set check.variables=1 --set check.directions=1 ;;
    linearize) set -- configs/double_pendulum.ini --output "$dir/full_linearize" ;;
    sweep) set -- "$dir/grid.ini" --output "$dir/full_sweep" ;;
    multistart) set -- "${run[@]}" --starts 2 --output "$dir/full_starts" ;;
    pareto) set -- configs/pareto_fonseca_fleming.ini --points 3 --output "$dir/full_front" ;;
    resume | status | merge | report | plot) set -- "$dir/grid" ;;
    plugin) set -- problems/own_force/air_spring.c --output "$dir/air_spring.so" ;;
    work) return 1 ;; # it prints nothing
    backends | schema | help | new | parts) set -- ;;
    *) echo "FAILED: the command $1 is not tried here" && exit 1 ;;
  esac
  words=("$@")
}
commands="$("$MBOPT" help --format bash | sed -n 's/.*commands="\([^"]*\)".*/\1/p')"
n=0
for command in $commands; do
  arguments "$command" || continue
  n=$((n + 1))
  into_full "$command" "${words[@]}"
  check "full $command" [ $? -eq 3 ]
  check "full $command says" grep -q "error: standard output cannot be written: No space left on device" "$dir/err"
  rm -rf "$dir/full_import" # it writes over nothing
  into_pipe "$command" "${words[@]}"
  check "pipe $command" [ $? -eq 3 ]
  check "pipe $command says" grep -q "error: standard output cannot be written" "$dir/err"
done
check all_commands [ "$n" -ge 18 ]
for option in --help --version; do
  into_full "$option"
  check "full $option" [ $? -eq 3 ]
done
for option in --print-config --check-config; do
  into_full configs/five_bar.ini "$option"
  check "full $option" [ $? -eq 3 ]
done
# a code that tells more stays
into_full "${run[@]}" --output "$dir/limit"
check full_limit [ $? -eq 7 ]
check full_limit_says grep -q "standard output cannot be written" "$dir/err"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
