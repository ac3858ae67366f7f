# shellcheck shell=bash
# A Slurm of one machine for tests: munged, slurmctld and slurmd of the user who runs the test, on loopback, with key,
# sockets and state below $dir/slurm and nothing outside. Sourced after common.sh; SLURM_CONF points the commands at it.
#   slurm_start [N]              ends the test as skipped (77) where Slurm is not installed or cannot start. N: so many nodes, n1 to nN, of one
#                                processor each, with a daemon for each of them: slurmd1 to slurmdN
#   slurm_stop                   ends jobs and daemons; also when the test exits
#   slurm_up NAME, slurm_kill NAME   start, kill -9 one daemon: munged, slurmctld, slurmd, slurmd1
#   slurm_within SECONDS COMMAND...  wait until the command succeeds; fails if it never does. Seconds of a quiet machine: a busy one
#                                has four times as many
# shellcheck disable=SC2154
declare -A slurm_pid=()
slurm_nodes=0 slurm_daemons=(slurmd)

slurm_skip() { # REASON
  echo "skipped: $1"
  exit 77
}

slurm_within() {
  local end=$((SECONDS + 4 * $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}

slurm_port_is_free() { ! (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

slurm_free_port() { # below the range from which the system gives ports to clients
  local port
  until port=$((10000 + RANDOM % 20000)) && slurm_port_is_free "$port"; do :; done
  echo "$port"
}

# A requeued task waits for cred_expire seconds before it starts again (120 by default; less than 5 is not heard), a
# cancelled one that does not end by itself for KillWait before it is killed. config_overrides: two processors, whatever the machine has.
slurm_configure() {
  local node k
  node="$(hostname -s)"
  cat >"$SLURM_CONF" <<EOF
ClusterName=mbopt
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$(slurm_free_port)
SlurmdPort=$(slurm_free_port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/slurm/munge/socket,cred_expire=5
StateSaveLocation=$dir/slurm/state
SlurmdSpoolDir=$dir/slurm/spool
SlurmctldPidFile=$dir/slurm/slurmctld.pid
SlurmdPidFile=$dir/slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
MpiDefault=none
KillWait=30
EOF
  if [ "$slurm_nodes" -eq 0 ]; then
    echo "NodeName=$node NodeAddr=127.0.0.1 CPUs=2" >>"$SLURM_CONF"
  else # of one machine: each with its own port, files and log
    sed -i '/^Slurmd\(Port\|SpoolDir\|PidFile\)=/d' "$SLURM_CONF"
    printf 'SlurmdSpoolDir=%s\nSlurmdPidFile=%s\nSlurmdTimeout=5\n' "$dir/slurm/spool.%n" "$dir/slurm/slurmd.%n.pid" >>"$SLURM_CONF"
    for ((k = 1; k <= slurm_nodes; k++)); do
      echo "NodeName=n$k NodeHostname=$node NodeAddr=127.0.0.1 Port=$(slurm_free_port) CPUs=1" >>"$SLURM_CONF"
    done
    node="n[1-$slurm_nodes]"
  fi
  echo "PartitionName=all Nodes=$node Default=YES" >>"$SLURM_CONF"
}

# In the foreground, so that they are children of the test.
slurm_up() {
  case "$1" in
    munged)
      munged --force --foreground --socket="$dir/slurm/munge/socket" --key-file="$dir/slurm/munge/key" \
        --pid-file="$dir/slurm/munge/pid" --seed-file="$dir/slurm/munge/seed" >"$dir/slurm/munged.log" 2>&1 &
      ;;
    slurmd[0-9]*) slurmd -D -N "n${1#slurmd}" >>"$dir/slurm/$1.log" 2>&1 & ;;
    *) "$1" -D >>"$dir/slurm/$1.log" 2>&1 & ;;
  esac
  slurm_pid[$1]=$!
}

slurm_kill() {
  kill -KILL "${slurm_pid[$1]}"
  wait "${slurm_pid[$1]}" 2>/dev/null
  unset "slurm_pid[$1]"
}

slurm_is_idle() { [ "$(sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$')" -eq "${#slurm_daemons[@]}" ]; }
slurm_is_authenticated() { munge -S "$dir/slurm/munge/socket" -n >/dev/null 2>&1; }
slurm_is_decided() { # a daemon that has ended will not be idle
  local name
  for name in slurmctld "${slurm_daemons[@]}"; do ! slurm_is_gone "$name" || return 0; done
  slurm_is_idle
}
slurm_has_no_task() { [ -z "$(squeue -h -t running,completing 2>/dev/null)" ]; }

slurm_end_daemons() {
  local name
  for name in "${slurm_daemons[@]}" slurmctld munged; do
    [ -n "${slurm_pid[$name]:-}" ] || continue
    kill "${slurm_pid[$name]}" 2>/dev/null
    slurm_within 10 slurm_is_gone "$name" || kill -KILL "${slurm_pid[$name]}" 2>/dev/null
    wait "${slurm_pid[$name]}" 2>/dev/null
    unset "slurm_pid[$name]"
  done
}

slurm_is_gone() { ! kill -0 "${slurm_pid[$1]}" 2>/dev/null; }

is_gone_from_queue() { [ -z "$(squeue -h -j "$1" -t pending,running,completing 2>/dev/null)" ]; } # JOB

slurm_stop() {
  if [ -n "${slurm_pid[slurmctld]:-}" ]; then
    timeout 10 scancel --user="$(id -un)" 2>/dev/null
    slurm_within 15 slurm_has_no_task # its daemons of tasks end with them
  fi
  slurm_end_daemons
}

slurm_try() {
  local name
  slurm_configure
  for name in slurmctld "${slurm_daemons[@]}"; do slurm_up "$name"; done
  slurm_within 10 slurm_is_decided && slurm_is_idle
}

slurm_start() {
  local command name k
  slurm_nodes="${1:-0}"
  [ "$slurm_nodes" -eq 0 ] || slurm_daemons=()
  for ((k = 1; k <= slurm_nodes; k++)); do slurm_daemons+=("slurmd$k"); done
  PATH="$PATH:/usr/sbin" # where daemons are, for users who do not have it
  for command in munged munge slurmctld slurmd sbatch; do
    command -v "$command" >/dev/null || slurm_skip "no $command (Debian: slurm-wlm, munge)"
  done
  mkdir -p "$dir"/slurm/{munge,state,spool}
  chmod 700 "$dir/slurm/munge"
  (umask 077 && head -c 128 /dev/urandom >"$dir/slurm/munge/key")
  export SLURM_CONF="$dir/slurm/slurm.conf"
  trap 'slurm_stop; rm -rf "$dir"' EXIT
  slurm_up munged
  slurm_within 10 slurm_is_authenticated || slurm_skip "munged does not start: $(tail -n 1 "$dir/slurm/munged.log")"
  for _ in 1 2 3; do # a port may be taken between its choice and its use
    slurm_try && return
    for name in slurmctld "${slurm_daemons[@]}"; do slurm_kill "$name"; done
  done
  slurm_skip "Slurm does not start: $(grep -h -E 'error|fatal' "$dir"/slurm/slurm*.log | tail -n 1)"
}
