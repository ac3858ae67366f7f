#!/usr/bin/env bash
# The command line is what its tables say: help, and messages for what does not belong together.
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
refused flag_with_value "option '--json' takes no value" backends --json=yes
refused format "value 'jso' of --format: expected text|markdown|json, did you mean 'json'?" schema --format jso
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

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 24 ]
