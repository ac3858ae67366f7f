#!/usr/bin/env bash
# The batch script of studies and questions to the queue, in a real Slurm of one machine; a script stands in for mbopt. With
# MBOPT_LONG also what Slurm does in its own time: daemons and nodes that are lost, a time limit, a cancelled job.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/slurm.sh"
[ -z "${MBOPT_SLOW:-}" ] || slurm_skip "all but a few lines here is Slurm's; the program's part is in test_study_slurm.sh"
slurm_start
study="$dir/it's \"my\" study of \$HOME & 50%"
mkdir "$study"

# What chunks do: 0 is done, 1 is done the second time, 2 has an error, 3 waits for a signal the first time.
program="$dir/fake mbopt"
cat >"$program" <<'EOF'
#!/bin/bash
study="$2" chunk="${4%/*}"
echo "start of '$*', restarts: ${SLURM_RESTART_COUNT:-0}"
trap 'echo told USR1; exit 75' USR1
trap 'echo told TERM; exit 75' TERM
case "$chunk:${SLURM_RESTART_COUNT:-0}" in
  1:0) exit 75 ;;
  2:*) exit 4 ;;
  3:0)
    : >"$study/ready.$SLURM_ARRAY_JOB_ID"
    for ((i = 0; i < 3000; i++)); do sleep 0.1; done
    ;;
esac
exit 0
EOF
chmod +x "$program"

submit() { "$SLURM_TOOL" submit "$study" "$program" "$1" "${2:-}"; } # ARRAY TIME_LIMIT
tasks_are() { [ "$("$SLURM_TOOL" ask "$1")" = "$2" ]; }              # JOB "PENDING RUNNING DONE FAILED"
is_ready() { [ -e "$study/ready.$1" ]; }
state() { squeue --noheader --array --states=all --format=%T --jobs="$1"; }
state_is() { [ "$(state "$1")" = "$2" ]; }
starts() { grep -c '^start of' "$study/$1.log"; }
node_answers() { [[ "$(sinfo --noheader --format=%T)" =~ ^(mixed|allocated)$ ]]; } # else a * follows, or it is down
logged() { grep -q "$2" "$study/$1.log"; }

# ---- an array: done, done the second time, failed; names of files that a shell would take apart
array="$(submit 0-2%1)"
check array_submitted [ "$array" -gt 0 ]
[ "$failed" -eq 0 ] || exit 1 # nothing below could work
check array_ends slurm_within 60 tasks_are "$array" "0 0 2 1"
check arguments logged "${array}_0" "^start of 'work $study --chunk 0/4 --jobs 1', restarts: 0"
check once [ "$(starts "${array}_0")" -eq 1 ]
check again_after_75 [ "$(starts "${array}_1")" -eq 2 ]
check again_restarts logged "${array}_1" "restarts: 1"
check not_again_after_error [ "$(starts "${array}_2")" -eq 1 ]
check error_is_seen [ "$(state "${array}_2")" = FAILED ]

# ---- a job that Slurm has forgotten, a script that it refuses
check forgotten tasks_are 999999 "0 0 0 0"
text="$(submit 0 soon 2>&1)"
check refused [ $? -eq 1 ]
check refused_text contains "$text" "sbatch: error: Invalid --time specification"

least=12
if [ -n "${MBOPT_LONG:-}" ]; then
  least=31
  # ---- slurmd killed and started again, slurmctld too: the task goes on; put back by hand it starts again
  job="$(submit 3)"
  check job_starts slurm_within 30 is_ready "$job"
  slurm_kill slurmd
  slurm_up slurmd
  check node_returns slurm_within 30 state_is "$job" RUNNING
  # It writes down every few seconds what it knows; a job of the last seconds would be lost with it.
  slurm_within 30 test "$dir/slurm/state/job_state" -nt "$study/ready.$job"
  slurm_kill slurmctld
  text="$("$SLURM_TOOL" ask "$job" 2>&1)"
  check silent_queue [ $? -eq 1 ]
  check silent_queue_text contains "$text" "the command 'squeue' failed with exit code 1: slurm_load_jobs error: Unable to contact"
  slurm_up slurmctld
  check queue_returns slurm_within 30 tasks_are "$job" "0 1 0 0"
  check node_answers slurm_within 60 node_answers # before that a task that is put back is killed without a word
  before="$(starts "${job}_3")" # a slow machine's node may have been lost to the new slurmctld, which starts the task again
  check put_back scontrol requeue "${job}_3"
  check waits_again slurm_within 30 state_is "$job" PENDING
  check put_back_ends slurm_within 60 tasks_are "$job" "0 0 1 0"
  [ "$before" -gt 1 ] || check put_back_told logged "${job}_3" "told TERM" # a task that Slurm itself started again waits for nothing
  check put_back_again [ "$(starts "${job}_3")" -gt "$before" ]

  # ---- caught by its time limit: told, back in the queue by itself, done the second time. slurmctld looks every half minute
  # at the limits; for one of a minute it gives warning the first time that it looks.
  limited="$(submit 3 1)"

  # ---- meanwhile, cancelled by its user: not put back
  job="$(submit 3)"
  slurm_within 30 is_ready "$job"
  scancel "$job"
  check cancelled slurm_within 30 tasks_are "$job" "0 0 0 1"
  check cancelled_told logged "${job}_3" "told TERM"
  check cancelled_state [ "$(state "$job")" = CANCELLED ]

  check limit_ends slurm_within 90 tasks_are "$limited" "0 0 1 0"
  check limit_told [ "$(grep -c 'told USR1' "$study/${limited}_3.log")" -eq 1 ]
  check limit_again [ "$(starts "${limited}_3")" -eq 2 ]

  # ---- a node is lost: the queue starts its task again
  job="$(submit 3)"
  slurm_within 30 is_ready "$job"
  scontrol update "NodeName=$(hostname -s)" State=DOWN Reason=test
  check node_lost slurm_within 30 state_is "$job" PENDING
  scontrol update "NodeName=$(hostname -s)" State=RESUME 2>/dev/null # it may have returned by itself
  check node_lost_ends slurm_within 60 tasks_are "$job" "0 0 1 0"
  check node_lost_once [ "$(starts "${job}_3")" -eq 2 ]
fi

slurm_stop
check no_daemon_left [ -z "$(jobs -pr)" ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge "$least" ]
