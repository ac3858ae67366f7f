# What the scripts of this folder share: a folder of their own, and checks that are counted. Sourced.
# shellcheck disable=SC2034
set -u
dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

check() { # NAME CONDITION...
  local name="$1"
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name: $*"
  fi
}

# number KEY FILE: the first number after "KEY": in a JSON file
number() { grep -m1 "\"$1\":" "$2" | sed 's/.*: *//; s/,$//'; }
less() { [ -n "$1" ] && awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }
contains() { [[ "$1" == *"$2"* ]]; }
same() { cmp -s "$1" "$2"; }
built_in() { ! "$MBOPT" backends | grep -A1 "^$1:" | grep -q "NOT BUILT IN"; }
