#!/usr/bin/env bash
# Paths that no text file likes: they work, results and all, or they are refused by name before anything is done.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
built_in nlopt || { echo "skipped: nlopt is not built in"; exit 77; }
settings=(--set case.swing.duration=0.05 --set optimizer.backend=nlopt --set optimizer.algorithm=LN_BOBYQA
  --set optimizer.hessian=limited_memory --max-evaluations 4 --quiet)
sed 's|^file = .*|file = five_bar.ini|' configs/five_bar.ini >"$dir/run.ini"
cp problems/five_bar/five_bar.ini "$dir/five_bar.ini"

# place FOLDER NAME: run file NAME.ini with its model in that folder
place() {
  mkdir -p "$1"
  cp "$dir/five_bar.ini" "$1/five_bar.ini"
  cp "$dir/run.ini" "$1/$2.ini"
}
number_of() { number objective "$1/result.json"; }
(cd "$dir" && "$MBOPT" run.ini "${settings[@]}" 2>/dev/null)
plain="$(number_of "$dir/results/run")"
check plain [ -n "$plain" ]

# ---- what works: run, run again from resolved.ini, page, study
works() { # NAME FOLDER RUN [study]: as a study too
  local folder="$dir/$2"
  place "$folder" "$3"
  (
    cd "$folder" || exit 1
    "$MBOPT" "./$3.ini" "${settings[@]}" 2>err
    [ $? -eq 7 ] || exit 2
    mkdir elsewhere && cd elsewhere || exit 1
    "$MBOPT" "$folder/results/$3/resolved.ini" "${settings[@]}" --output again 2>>err
    [ $? -eq 7 ] || exit 3
    "$MBOPT" report "$folder/results/$3" --quiet || exit 4
    [ "${4:-}" = study ] || exit 0
    "$MBOPT" sweep "$folder/$3.ini" "${settings[@]}" --set "sweep.vary.k1=90, 100" --output study 2>>err || exit 5
    "$MBOPT" resume study --quiet || exit 6
  )
  check "$1 works" [ $? -eq 0 ]
  check "$1 result" [ "$(number_of "$folder/results/$3")" = "$plain" ]
  check "$1 again" [ "$(number_of "$folder/elsewhere/again")" = "$plain" ]
  check "$1 page" grep -qF "$3.ini" <(sed 's/&#39;/'"'"'/g; s/&quot;/"/g; s/&amp;/\&/g' "$folder/results/$3/report.html")
}
works hash "a #1 car" "run #2" study
works semicolon "a ;b" "run ;c"
works escaped 'a \#1 \;2 \\#3' 'run \#'
works comment_alone "#" "; x"
works blanks "a  b" "my run"
works quotes "it's \"a\" \$car" 'run = [x] %d'
works umlaut "größe" "lauf_für_ä"
works backslash 'a\b\' 'run\x41\'
works equals "a=b" "c=d"
# names that are written in several lines, which must not end within a letter
long="$(printf 'ü%.0s' $(seq 100))"
works long "$long/$long" "$(printf 'x%.0s' $(seq 150))" study

# ---- names of which nothing is left without their ending
for name in .ini ..ini ...ini; do
  cp "$dir/run.ini" "$dir/$name"
  (cd "$dir" && "$MBOPT" "$name" "${settings[@]}" 2>/dev/null)
  check "name $name" [ "$(number_of "$dir/results/$name")" = "$plain" ]
  check "name $name alone" [ ! -e "$dir/results/result.json" -a ! -e "$dir/result.json" ]
done

# ---- what a file of results cannot hold is refused before anything is done
refused() { # NAME FOLDER RUN FOUND
  local folder="$dir/$2"
  place "$folder" "$3"
  (cd "$folder" && "$MBOPT" "$3.ini" "${settings[@]}" --output "$dir/refused" >"$dir/out" 2>"$dir/err")
  check "$1 refused" [ $? -eq 3 ]
  check "$1 says" grep -q "a path cannot stand in $dir/refused/resolved.ini: expected one line of UTF-8 without blanks at its ends; found: .*$4" "$dir/err"
  check "$1 nothing" [ ! -e "$dir/refused/resolved.ini" -a ! -e "$dir/refused/result.json" ]
  rm -rf "$dir/refused"
}
refused model_not_utf8 $'\xe4' run "not in UTF-8"
refused run_not_utf8 ok2 $'\xe4' "not in UTF-8"
refused blank_at_the_end ok3 'run ' "folder = results/run"
# commands that write no resolved.ini take these all the same
"$MBOPT" gradient "$dir/"$'\xe4'/run.ini --set case.swing.duration=0.05 --json >"$dir/out" 2>"$dir/err"
check not_utf8_gradient [ $? -eq 0 ]

# ---- a path in several lines is refused by every command, since messages and files of a line each name it
several_lines() { # NAME FOLDER RUN CODE
  local folder="$dir/$2" command
  place "$folder" "$3"
  for command in optimize gradient simulate check model linearize; do
    (cd "$folder" && "$MBOPT" "$command" "$3.ini" --output "$dir/refused" >"$dir/out" 2>"$dir/err")
    check "$1 $command" [ $? -eq 3 ]
    check "$1 $command says" grep -q "a line break or a control character (code $4), expected a path in one line" "$dir/err"
    check "$1 $command nothing" [ ! -e "$dir/refused" ]
  done
}
several_lines model_line_break $'a\nb' run 10
several_lines run_line_break ok $'c\nd' 10
several_lines control $'a\x01b' run 1

# ---- values of the command line are of one line
for value in $'a\nb' $'a\rb' $'a\x01b'; do
  "$MBOPT" gradient "$dir/run.ini" --set "output.folder=$value" >"$dir/out" 2>"$dir/err"
  check set_exit [ $? -eq 3 ]
  check set_says grep -q -- "--set 'output.folder=a...': a line break or a control character (code [0-9]*), expected text of one line" "$dir/err"
done
(cd "$dir" && "$MBOPT" run.ini "${settings[@]}" --set "output.folder=out #1" 2>/dev/null)
check set_hash grep -qx 'folder = out \\#1' "$dir/out #1/resolved.ini"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
