#!/usr/bin/env bash
# What the tutorials say is what the program says. In fenced blocks ```console of docs/*.md, lines that begin with "$ " are run, in a
# copy of configs/ and problems/. A line `exit code N` below a command is what it must end with, else 0. Every other line must be
# one that the command prints, but for numbers, which depend on the machine and on the versions of libraries; "..." is for
# what is left out. A block "```ini FILE" is that file, or the next part of it where several blocks name it: all of a page are written
# before its commands are run. In the other blocks ```ini of docs/my_own_mechanism.md every line must be one of the files that it describes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if ! built_in ipopt || ! built_in nlopt || ! built_in lbfgsb; then
  echo "skipped: the tutorials have tables with IPOPT, NLopt and L-BFGS-B, and one of them is not built in"
  exit 77
fi
if [ -n "${MBOPT_SLOW:-}" ]; then
  echo "skipped: commands that other tests run as well, for too slow a build"
  exit 77
fi

mkdir "$dir/bin" "$dir/tree"
ln -s "$(realpath "$MBOPT")" "$dir/bin/mbopt"
cp -r configs problems "$dir/tree"
docs="$PWD/docs"
PATH="$dir/bin:$PATH"
cd "$dir/tree" || exit 1

# Numbers and the width of columns do not matter, nor the order of what goes to the two streams.
plain() { sed -E 's/[-+]?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?/#/g; s/[ -]*-[- ]*/-/g; s/[[:space:]]+/ /g; s/^ //; s/ $//'; }

can_run() { # COMMAND: not queries where there is nothing to ask
  [[ "$1" != sqlite3* ]] || { command -v sqlite3 >/dev/null && [ -n "$(find results -name study.sqlite)" ]; }
}

shown_lines() { # PLACE: the lines shown, on standard input, are among those of the output
  local wanted patterns i
  plain <"$dir/output" >"$dir/printed"
  mapfile -t wanted
  mapfile -t patterns < <(printf '%s\n' "${wanted[@]}" | plain | sed 's/[][\.*^$]/\\&/g; s/ *\\\.\\\.\\\./.*/g')
  for i in "${!wanted[@]}"; do
    check "$1 does not print: ${wanted[i]}" grep -xq -e "${patterns[i]}" "$dir/printed"
  done
}

run_command() { # PLACE COMMAND EXIT SHOWN
  can_run "$2" || return 0
  local command="$2"
  [ -n "${MBOPT_LONG:-}" ] || command="${command/--starts 6/--starts 1}" # the one that takes long
  bash -c "$command" >"$dir/output" 2>&1
  check "$1 exit code of: $2" [ $? -eq "$3" ]
  [ -z "$4" ] || shown_lines "$1" <<<"$4"
}

# Lines of the blocks of one kind, with their numbers: "NUMBER:LINE"
blocks() { # KIND FILE
  awk -v kind="$1" '/^ *```$/ { inside = 0 } inside { print NR ":" $0 } $1 == "```" kind { inside = 1 }' "$2"
}

# The files that a page gives: its blocks "```ini FILE".
write_files() { # FILE
  awk '/^```$/ { file = "" }
    file { print >file }
    $1 == "```ini" && NF == 2 { file = folder = $2; if (sub("/[^/]*$", "", folder)) { system("mkdir -p " folder) } }' "$1"
}

run_tutorial() { # FILE
  local entry line place='' command='' code=0 shown=''
  write_files "$1"
  while IFS= read -r entry; do
    line="${entry#*:}"
    case "$line" in
    '$ '*)
      [ -z "$command" ] || run_command "$place" "$command" "$code" "$shown"
      place="$(basename "$1"):${entry%%:*}" command="${line#\$ }" code=0 shown=''
      ;;
    'exit code '*) code="${line#exit code }" ;;
    ... | '') ;;
    *) shown+="${shown:+$'\n'}$line" ;;
    esac
  done < <(blocks console "$1")
  [ -z "$command" ] || run_command "$place" "$command" "$code" "$shown"
}

for tutorial in "$docs"/*.md; do
  # those that take longest; what they run is in golden tests, those of importers, of comparisons, studies and plugins, too
  case "${tutorial##*/}" in
    active_suspension.md | reading_results.md | which_optimizer.md | import_a_robot.md | manoeuvres.md | a_sweep_on_a_cluster.md | lesson_motions.md | \
      my_own_force.md | quarter_car.md | scatter.md) [ -n "${MBOPT_LONG:-}" ] || continue ;;
  esac
  run_tutorial "$tutorial"
done
check commands_were_run [ "$passed" -gt 50 ]

# ---- the files of my_own_mechanism.md
while IFS= read -r entry; do
  read -r line <<<"${entry#*:}" # without the blanks before it
  check "my_own_mechanism.md:${entry%%:*} in a file" grep -Fxq -e "$line" problems/desk_lamp/desk_lamp.ini configs/desk_lamp.ini
done < <(blocks ini "$docs/my_own_mechanism.md")

# ---- elements.md: all its numbers, to nine digits, since signs are what it is about
mbopt simulate signs/signs.ini 2>&1 | sed -n 's/^\([a-z_]* = \)\([-0-9.e+]*\)$/\1 \2/p' >"$dir/signs"
while read -r name _ wanted; do
  got="$(awk -v name="$name" '$1 == name { printf "%.9g", $3 }' "$dir/signs")"
  check "elements.md: $name = $wanted" [ "$got" = "$(printf '%.9g' "$wanted")" ]
done < <(blocks console "$docs/elements.md" | sed -n 's/^[0-9]*:\([a-z_]* = [-0-9.]*\)$/\1/p')

# ---- the fit: what its page and its files say
fit=results/measured_bar
check fit_page grep -q '<h2>Fit' "$fit/report.html"
check fit_contradicted grep -q 'Such residuals contradict sigma' "$fit/report.html"
check fit_result grep -q would_show "$fit/result.json"
check fit_residuals [ "$(wc -l <"$fit/residuals.csv")" -eq 491 ]

# ---- the lamp: what is known of it
value() { sed -n "s/^$1 = //p" "$dir/lamp.out"; }
mbopt simulate configs/desk_lamp.ini --set scalars.free_length=0 --set scalars.stiffness=613.125 >"$dir/lamp.out"
for name in low level high; do check "balanced $name" less "$(value "$name")" 1e-20; done
twin() { # REACH ANCHOR: the sum of all values there, to nine digits
  mbopt gradient configs/desk_lamp.ini --set design.reach.start="$1" --set design.anchor.start="$2" --json |
    awk '$1 == "\"value\":" { sum += $2 } END { printf "%.9g", sum }'
}
check twins [ "$(twin 0.05 0.09)" = "$(twin 0.09 0.05)" ]
check twins_move less 0.1 "$(twin 0.05 0.09)"
mbopt configs/desk_lamp.ini --quiet --output results/lamp >/dev/null
check optimum less "$(number objective results/lamp/result.json)" 0.01268
check optimum_not_below less 0.012679 "$(number objective results/lamp/result.json)"

# ---- manoeuvres.md: what its optimizations end with
if [ -n "${MBOPT_LONG:-}" ]; then
  mbopt car/driver.ini --quiet --output results/driver >/dev/null
  check driver less "$(number objective results/driver/result.json)" 0.0634
  mbopt car/inverse.ini --quiet --output results/inverse >/dev/null
  check inverse_problem less "$(number objective results/inverse/result.json)" 0.0024
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
