#!/usr/bin/env bash
# A motion that needs more memory than there is: the message says how much, and which key makes it less.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ -z "${MBOPT_SLOW:-}" ] || exit 77 # sanitizers need all addresses

gradient() { # ARGUMENTS...
  (ulimit -v 1000000; "$MBOPT" gradient configs/pendulum.ini --set gradient.method=discrete_adjoint "$@" 2>&1)
}

text="$(gradient --set case.drop.step=1e-7)"
check exit_code [ $? -eq 10 ]
check out_of_memory contains "$text" "out of memory: case 'drop'"
check how_much contains "$text" "no memory for a trajectory: 7040000224 bytes; 400 bytes are enough to recompute it"
check which_key contains "$text" "[gradient] memory_limit, now 0 MiB"
text="$(gradient --set case.drop.step=1e-3 --set gradient.memory_limit=0.1)"
check limited [ $? -eq 0 ]
check documented contains "$("$MBOPT" --help)" "10  out of memory"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -eq 6 ]
