#!/usr/bin/env bash
# The command line is what its tables say: help, manual pages, completion, and messages for what does not belong together.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# refused NAME "PART OF THE MESSAGE" ARGUMENTS ...: exit code 2
refused() {
  local name="$1" part="$2" text
  shift 2
  text="$("$MBOPT" "$@" 2>&1)"
  check "$name" test $? -eq 2
  check "$name, message" contains "$text" "$part"
}

# ---- what is refused
refused other_command "option '--case' belongs to the command linearize" gradient configs/five_bar.ini --case swing
refused no_run_file "option '--set' belongs to commands that read a run file" backends --set case.swing.step=1
refused folders_too "option '--set' belongs to commands that read a run file and to resume, work" backends --set case.swing.step=1
refused several_rows "option '--format' belongs to the commands check, linearize, model, plot, export, schema, help" gradient configs/five_bar.ini --format json
refused two_formats "--json and --format svg are two formats, expected one of them" model configs/five_bar.ini --format svg --json
refused no_folder "command 'status' needs a folder" status
refused flag_with_value "option '--json' takes no value" backends --json=yes
refused format "value 'jso' of --format: expected text|markdown|json|man, did you mean 'json'?" schema --format jso
refused beginning_of_two "option '--ver' is not known, did you mean '--verbose'?" backends --ver
refused short_option "option '-x' is not known" backends -x
refused operand "argument 'five_bar.ini' is one argument too many" schema five_bar.ini
refused after_hyphens "argument '--json' is one argument too many" backends -- --json

# ---- what is the same
"$MBOPT" backends --json >"$dir/backends.json"
check options_first same "$dir/backends.json" <("$MBOPT" --json backends)
check value_after_equals same <("$MBOPT" schema --format=json) <("$MBOPT" schema --json)
check last_assignment contains "$("$MBOPT" configs/pendulum.ini --print-config --max-evaluations=7)" "max_evaluations = 7"

# ---- help of a command: its own options, and those of all
help="$("$MBOPT" linearize --help)"
check own_option contains "$help" "  --case NAME  "
check common_option contains "$help" "  --set SECTION.KEY=VALUE  "
check usage contains "$help" "usage: mbopt linearize FILE.ini [OPTIONS]"
check not_of_others test "$(grep -c -e '--backends' <<<"$help")" -eq 0
check both_ways same <("$MBOPT" linearize --help) <("$MBOPT" -h linearize)
check many_letters same <("$MBOPT" linearize --help) <("$MBOPT" linearize -hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh)

# ---- the same commands and options everywhere
"$MBOPT" --help >"$dir/help"
commands="$(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$dir/help")"
options="$(sed -n '/^options:/,/^$/s/^  --\([a-z-]*\).*/\1/p' "$dir/help" | sort -u)"
check some_commands test "$(wc -w <<<"$commands")" -ge 10
check some_options test "$(wc -w <<<"$options")" -ge 15
check help_command same "$dir/help" <("$MBOPT" help)

# A manual page as plain text: without the escapes of troff.
plain() { sed -e 's/\\f[BIR]//g; s/\\[&:]//g; s/\\-/-/g; s/\\(aq/'"'"'/g; s/\\(dq/"/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\e/\\/g' "$@"; }
"$MBOPT" help --format man >"$dir/mbopt.1"
"$MBOPT" schema --format man >"$dir/mbopt.ini.5"
plain "$dir/mbopt.1" >"$dir/page"
after() { grep -A1 "^\.TP" "$dir/page" | grep -q -E -e "^$1( |\$)"; }
for name in $commands; do
  check "command $name in mbopt(1)" after "$name"
  check "command $name in docs/commands.md" grep -q "\`mbopt \[\?$name\b" docs/commands.md
done
for name in $options; do
  check "option $name in mbopt(1)" after "--$name"
  check "option $name in docs/commands.md" grep -q "\`--$name\b" docs/commands.md
done
for code in $(sed -n '/^exit codes:/,$s/^ *\([0-9]*\)  .*/\1/p' "$dir/help"); do
  check "exit code $code in mbopt(1)" after "$code"
  check "exit code $code in docs/commands.md" grep -q "\b$code [a-z]" docs/commands.md
done
for file in $(sed -n '/^\.SH FILES/,/^\.SH EX/s/^\([a-z]*\.[a-z]*\)$/\1/p' "$dir/page"); do
  check "file $file in docs/commands.md" grep -q "\`$file\`" docs/commands.md
done

# ---- mbopt.ini(5): every section and key of the tables, in their order
"$MBOPT" schema --format json | sed -n 's/^ *"\(section\|key\)": "\(.*\)",$/\1 \2/p' >"$dir/keys"
sed -n 's/^\.SS /section /p; /^\.TP/{n; s/^\\fB\(.*\)\\fR.*/key \1/p}' "$dir/mbopt.ini.5" | plain >"$dir/page.keys"
check keys same "$dir/keys" "$dir/page.keys"
check many_keys test "$(wc -l <"$dir/keys")" -ge 200

# ---- manual pages without warnings
if command -v groff >/dev/null; then
  for page in mbopt.1 mbopt.ini.5; do
    groff -man -Tascii -P-cbou -ww "$dir/$page" >"$dir/$page.txt" 2>"$dir/warnings"
    check "$page without warnings" test ! -s "$dir/warnings"
  done
  check escapes contains "$(tr -s ' \n' ' ' <"$dir/mbopt.ini.5.txt")" "F_s(s) + F_v(sd), s their distance" # in lines of any length
  check braces grep -q "^ *{INDEX from FIRST to LAST}" "$dir/mbopt.ini.5.txt"
  check no_escape_left test "$(sed 's|\\[;#] ||g' "$dir"/*.txt | grep -c -F "\\")" -eq 0 # but those that run files know
else
  echo "skipped: whether the manual pages give no warnings needs groff (Debian: groff-base)"
fi
built="$(dirname "$MBOPT")/man/mbopt.1"
[ ! "$built" -nt "$MBOPT" ] || check built_page same "$dir/mbopt.1" "$built" # what was made is up to date

# ---- completion: answers NAME "WORDS EXPECTED" WORDS OF THE LINE ...; the cursor is at the end of the last
"$MBOPT" help --format bash >"$dir/completion"
check shell_syntax bash -n "$dir/completion"
source "$dir/completion"
answers() {
  local name="$1" expected="$2" got
  shift 2
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _mbopt
  got="$(printf '%s\n' "${COMPREPLY[@]}" | sort -u | xargs)" # a folder may have the name of a command
  check "completion: $name: $got" test "$got" = "$expected"
}
for name in $commands; do answers "command $name" "$(grep "^$name" <<<"$commands" | sort | xargs)" mbopt "$name"; done
for name in $options; do check "option $name" grep -q -e "--${name}[ \"]" "$dir/completion"; done
answers prefix_of_commands "gradient" mbopt gr
answers own_option "--case --check-config" mbopt linearize --c
answers not_of_others "--check-config" mbopt gradient --c
answers default_command "--resume" mbopt configs/five_bar.ini --r
answers after_a_value "--over-time" mbopt --output gradient gradient --ov
answers after_an_equals "--case" mbopt --output = simulate linearize --ca
answers run_files "configs/five_bar_gradient.ini configs/five_bar_gradient_found.ini" mbopt gradient configs/five_bar_g
answers no_other_files "" mbopt gradient README
answers commands_and_folders "problems" mbopt pr
answers folders "problems" mbopt gradient --output pr
answers formats_of_schema "json" mbopt schema --format j
answers folder_operand "problems" mbopt status pr
answers file_of_a_row "README.md" mbopt report results --output README
answers formats_of_help "bash man text" mbopt help --format ""
answers formats_after_equals "markdown" mbopt schema --format = mark
answers at_the_equals "bash man text" mbopt help --format =
answers sections "objective. objectives." mbopt gradient --set obj
answers sources "problems/own_force/air_spring.c problems/own_force/air_spring_own.c" mbopt plugin problems/own_force/air
answers no_operand "" mbopt schema ""
answers free_value "" mbopt gradient --threads ""

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 140 ]
