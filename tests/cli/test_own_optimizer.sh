#!/usr/bin/env bash
# Optimizers of one's own (docs/own_optimizer.md): programs that run files name start only where they are allowed; results, journal, studies.
# GRADIENT_DESCENT, MBOPT_OPTIMIZER: the examples.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
# x_of FOLDER: the best design
x_of() { awk '/"design": \{/ { inside = 1 } inside; /}/ { inside = 0 }' "$1/result.json" | tr -d ' \n'; }

# gone PID: there is no such process, or it waits for whoever asks how it ended
gone() { [ -n "$1" ] && ! grep -qs "^State:.[^Z]" "/proc/$1/status"; }

# ---- a run file from somebody else, beside its program, which shows that it runs
export RAN="$dir/ran"
cat >"$dir/theirs.sh" <<'END'
echo "$1" >>"$RAN"
read -r problem
echo '{"done": "stalled", "message": "theirs"}'
END
sed "s#\.\./problems#$PWD/problems#" configs/five_bar.ini >"$dir/run.ini"
printf '[optimizer]\nbackend = command\ncommand = sh theirs.sh one\n[compare]\nbackends = command:sh theirs.sh two, command\n' >"$dir/ours"
awk '/^\[/ { section = $0 } section != "[optimizer]"' "$dir/run.ini" | cat - "$dir/ours" >"$dir/theirs.ini"
mv "$dir/theirs.ini" "$dir/run.ini"
short=("$dir/run.ini" --set case.swing.duration=0.2)
silent() {
  check "$1 starts no program" [ ! -e "$RAN" ]
  rm -f "$RAN"
}
says 3 "command = sh $(realpath "$dir")/theirs.sh one: the program is not started" "$MBOPT" "${short[@]}" --output "$dir/none"
check how_to_allow contains "$out" "--allow-commands"
says 3 "theirs.sh two: the program is not started" "$MBOPT" compare "${short[@]}" --output "$dir/none"
says 3 "theirs.sh one: the program is not started" "$MBOPT" multistart "${short[@]}" --starts 2 --output "$dir/starts"
says 3 "theirs.sh two: the program is not started" "$MBOPT" compare "${short[@]}" --command "sh $dir/theirs.sh one" --output "$dir/none"
check nothing_written [ ! -e "$dir/none" ]
says 0 "no errors" "$MBOPT" "${short[@]}" --check-config
says 0 "command = sh $(realpath "$dir")/theirs.sh one" "$MBOPT" "${short[@]}" --print-config
says 0 "" "$MBOPT" gradient "${short[@]}"
silent "a command"
says 8 "stalled: no further progress, though not at the optimality tolerance (command: theirs)" "$MBOPT" "${short[@]}" --allow-commands --output "$dir/one"
check ran_one [ "$(cat "$RAN")" = one ]
rm -f "$RAN"
says 0 "2 of 2 runs" "$MBOPT" compare "${short[@]}" --allow-commands --output "$dir/two"
check "ran both: $(sort "$RAN" | tr '\n' ' ')" [ "$(sort "$RAN" | tr '\n' ' ')" = "one two " ]
rm -f "$RAN"
forget "$dir/two" 0
check row grep -q '^1,STALLED,.*,0,command,' "$dir/two/table.csv"
says 3 "theirs.sh two: the program is not started" "$MBOPT" resume "$dir/two"
for command in status merge report "resume --dry-run"; do
  # shellcheck disable=SC2086
  says 0 "" "$MBOPT" $command "$dir/two"
  silent "$command"
done
says 3 "theirs.sh one: the program is not started" "$MBOPT" resume "$dir/two" --command "sh $dir/theirs.sh two"
silent "a command that is not allowed"
says 0 "2 done" "$MBOPT" resume "$dir/two" --allow-commands
rm -f "$RAN"
# files of --command are those of the working directory, also where the run file has some of the same name
mkdir "$dir/here"
sed 's/theirs"/ours"/' "$dir/theirs.sh" >"$dir/here/theirs.sh"
out="$(cd "$dir/here" && "$MBOPT" "${short[@]}" --command "sh theirs.sh three" --output "$dir/three" 2>&1)"
check "ours and not theirs: $out" contains "$out" "(command: ours)"
says 3 "the quote in ''theirs.sh' is open" "$MBOPT" "${short[@]}" --command "sh 'theirs.sh"
says 3 "the program 'no_such_program' is not found" "$MBOPT" "${short[@]}" --command "no_such_program" --output "$dir/none"
says 2 "option '--command' belongs to the commands" "$MBOPT" gradient "${short[@]}" --command "sh theirs.sh"
rm -f "$RAN"

# ---- the same result as that of the optimizer in mbopt, and one that mbopt does not have
plain=(configs/five_bar.ini --set case.swing.duration=0.2 --set gradient.method=direct --quiet)
if built_in lbfgsb; then
  "$MBOPT" "${plain[@]}" --set optimizer.backend=lbfgsb --set optimizer.hessian=limited_memory --output "$dir/own"
  "$MBOPT" "${plain[@]}" --set optimizer.hessian=limited_memory --command "$MBOPT_OPTIMIZER lbfgsb" --output "$dir/piped"
  check "the same design: $(x_of "$dir/own") $(x_of "$dir/piped")" [ -n "$(x_of "$dir/own")" -a "$(x_of "$dir/own")" = "$(x_of "$dir/piped")" ]
  # the designs that measure the noise count there, which the second column has
  check "the same history" same <(cut -d, -f1,3- "$dir/own/history.csv") <(cut -d, -f1,3- "$dir/piped/history.csv")
fi
"$MBOPT" "${plain[@]}" --command "$GRADIENT_DESCENT" --set optimizer.tolerance=1e-6 --output "$dir/descent"
check "gradient descent $(number objective "$dir/descent/result.json")" less "$(number objective "$dir/descent/result.json")" 1e-9
says 12 "projected gradient takes no constraints" "$MBOPT" configs/pendulum.ini --set case.drop.duration=0.2 --command "$GRADIENT_DESCENT" --output "$dir/c"

# ---- a program that is killed, and the run that goes on
cat >"$dir/dies.sh" <<'END'
read -r problem
for x in 2.3 2.35 2.4; do
  if [ "$x" = "$1" ]; then kill -9 $$; fi
  echo "{\"evaluate\": [$x, 1.9], \"want\": [\"gradient\"]}"
  read -r answer
done
echo '{"done": "stalled", "message": "three designs"}'
END
says 12 "was ended by signal 9 (Killed), expected a line {\"done\": ...} before it ends (after 2 lines)" \
  "$MBOPT" "${plain[@]}" --command "sh $dir/dies.sh 2.4" --output "$dir/killed"
check killed_result [ "$(number designs "$dir/killed/result.json")$(grep -c '"status": "FAILED"' "$dir/killed/result.json")" != 0 ]
check killed_design grep -q '2.35' "$dir/killed/result.json"
"$MBOPT" "${plain[@]}" --command "sh $dir/dies.sh never" --output "$dir/killed" --resume >/dev/null 2>&1
check "goes on $?" grep -q '"replayed": 3' "$dir/killed/result.json"
"$MBOPT" "${plain[@]}" --command "sh $dir/dies.sh never" --output "$dir/whole" >/dev/null 2>&1
check same_design [ "$(x_of "$dir/killed")" = "$(x_of "$dir/whole")" ]

# ---- Ctrl-C while it thinks, and silence: it is killed with what it has started
printf 'read -r problem\nsleep 47 &\necho $! >"%s"\nwait\n' "$dir/pid" >"$dir/thinks.sh"
"$MBOPT" "${plain[@]}" --command "sh $dir/thinks.sh" --output "$dir/stopped" >"$dir/log" 2>&1 &
child=$!
for _ in $(seq 100); do [ -s "$dir/pid" ] && break; sleep 0.1; done
kill -INT $child
wait $child
check "interrupted $?" grep -q "interrupted" "$dir/log"
sleep 0.1
check "no child is left" gone "$(cat "$dir/pid")"
# ... and if mbopt itself is killed
printf 'read -r problem\necho $$ >"%s"\nexec sleep 47\n' "$dir/pid2" >"$dir/waits.sh"
"$MBOPT" "${plain[@]}" --command "sh $dir/waits.sh" --output "$dir/gone" >/dev/null 2>&1 &
child=$!
for _ in $(seq 100); do [ -s "$dir/pid2" ] && break; sleep 0.1; done
kill -KILL $child
wait $child 2>/dev/null
sleep 0.1
check "it does not outlive mbopt" gone "$(cat "$dir/pid2")"
says 12 "wrote no line within answer_within = 0.2 s (after 0 lines); it was killed" \
  "$MBOPT" "${plain[@]}" --set optimizer.answer_within=0.2 --command "sh $dir/thinks.sh" --output "$dir/mute"

# ---- methods of SciPy as rows of a comparison
python="$(python_with "numpy, scipy")"
if [ -n "$python" ] && built_in ipopt; then
  scipy="command:$python examples/optimizers/scipy_optimizer.py"
  "$MBOPT" compare configs/five_bar.ini --set case.swing.duration=0.2 --allow-commands --output "$dir/scipy" \
    --backends "ipopt,$scipy SLSQP,$scipy trust-constr" >"$dir/out" 2>&1
  check "compare $(cat "$dir/out")" [ $? -eq 0 ]
  check "three converge" [ "$(grep -c ',CONVERGED,' "$dir/scipy/table.csv")" -eq 3 ]
  check "they agree" grep -q "^3 of 3\|all 3\|reached" "$dir/out"
else
  echo "skipped: SciPy as rows of a comparison needs numpy, scipy and ipopt"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
