# What the scripts of this folder share: a folder of their own, and checks that are counted. Sourced.
# shellcheck disable=SC2034
set -u
dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT
export XDG_CONFIG_HOME="$dir/settings" # what `mbopt plugin` has built
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

# Sections of a model: a body `mass` that slides along the vertical, by the coordinate slide.distance.
mass_on_slide() {
  cat <<'END'
[body mass]
mass = 1
com = 0, 0, 0
inertia = 1, 1, 1
[vector up]
along = 0, 0, 1
bodies = ground, mass
[joint slide]
type = prismatic
bodies = ground, mass
axis = up
END
}

# number KEY FILE: the first number after "KEY": in a JSON file
number() { grep -m1 "\"$1\":" "$2" | sed 's/.*: *//; s/,$//'; }
less() { [ -n "$1" ] && awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }
contains() { [[ "$1" == *"$2"* ]]; }

# says CODE TEXT COMMAND...: the command ends with that code and has the text in its output, which is left in $out
says() {
  local want="$1" part="$2" got
  shift 2
  out="$("$@" 2>&1)"
  got=$?
  check "code $got of $*: $out" [ "$got" -eq "$want" ]
  check "'$part' in: $out" contains "$out" "$part"
}

same() { cmp -s "$1" "$2"; }
# two_carriages FOLDER: run.ini there. Two carriages on a rail, joined by a spring and free together, which is a double zero eigenvalue; a third
# one swings with 1e-3 Hz on a slow spring.
two_carriages() {
  mkdir -p "$1"
  cat >"$1/rail.ini" <<'END'
schema = 1
[model]
title = carriages on a rail
gravity = 0, 0, 0
joints = named
[body a]
mass = 2
com = 1, 0, 0
inertia = 1, 1, 1
[body b]
mass = 3
com = 2, 0, 0
inertia = 1, 1, 1
[body c]
mass = 1
com = 3, 0, 0
inertia = 1, 1, 1
[vector x]
along = 1, 0, 0
bodies = ground, a, b, c
[joint ja]
type = prismatic
bodies = ground, a
axis = x
[joint jb]
type = prismatic
bodies = ground, b
axis = x
[joint jc]
type = prismatic
bodies = ground, c
axis = x
[point A]
at = 1, 0, 0
bodies = a
[point B]
at = 2, 0, 0
bodies = b
[point C]
at = 3, 0, 0
bodies = c
[point R]
at = 4, 0, 0
bodies = ground
[force joined]
type = spring
points = A, B
stiffness = 50/3
free_length = 1
[force slow]
type = spring
points = C, R
stiffness = 4*pi^2*1e-6
free_length = 1
END
  printf 'schema = 1\n[model]\nfile = rail.ini\n[case rest]\nduration = 1\nstep = 1e-2\n' >"$1/run.ini"
}
# The Python that has the modules; nothing where none has them.
python_with() { # MODULES, as "numpy, scipy"
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c "import $1" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
}
built_in() { ! "$MBOPT" backends | grep -A1 "^$1:" | grep -q "NOT BUILT IN"; }
