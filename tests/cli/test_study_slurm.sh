#!/usr/bin/env bash
# A study on a Slurm cluster (of this machine): results as by worker processes, to the bit; a killed task, a killed daemon and a time
# limit in the middle; what is queued is not queued again.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/slurm.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"

grid_file run 2 6 5 <<'INI'
[slurm]
tasks = 4
INI
is_over() { grep -q '"left":0,"running":false' <<<"$(json_of "$1")"; }

# ---- what would be submitted, without a queue
"$MBOPT" sweep "$dir/run.ini" --engine slurm --dry-run --set slurm.partition=fast --set slurm.cpus=3 --output "$dir/dry" >"$dir/dry.out"
check dry [ $? -eq 0 ]
check dry_tells grep -q "^30 runs in 4 of 4 tasks of a job array, each at most 8 runs" "$dir/dry.out"
for line in '#SBATCH --array="0-3"' '#SBATCH --partition="fast"' '#SBATCH --cpus-per-task=3' '#SBATCH --requeue' 'chunks=4' \
  '#SBATCH --dependency="afterany:JOB"'; do
  check "dry_has $line" grep -qxF "$line" "$dir/dry.out"
done
check dry_only [ ! -e "$dir/dry/slurm.json" ]
if ! command -v sbatch >/dev/null; then
  out="$("$MBOPT" sweep "$dir/run.ini" --engine slurm --output "$dir/none" 2>&1)"
  check no_slurm [ $? -eq 3 ]
  check no_slurm_package contains "$out" "slurm"
fi

slurm_start
"$MBOPT" sweep "$dir/run.ini" --output "$dir/here" --quiet

# ---- submitted, waited for: the same table
"$MBOPT" sweep "$dir/run.ini" --engine slurm --wait --output "$dir/queue" >"$dir/queue.out" 2>"$dir/queue.err"
check wait_exit [ $? -eq 0 ]
check submitted grep -q "^submitted as job [0-9]*; 'mbopt status $dir/queue' tells how far it is" "$dir/queue.out"
check waited grep -q "30 of 30 runs" "$dir/queue.err"
check wait_over is_over "$dir/queue"
check as_here same_tables "$dir/queue" "$dir/here"
check log_per_task [ "$(find "$dir/queue/slurm" -name '[0-9]*_[0-3].log' | wc -l)" -eq 4 ]
check nothing_left_to_submit grep -q "^0 runs in 0 of 4 tasks" <<<"$("$MBOPT" resume "$dir/queue" --engine slurm 2>/dev/null)"

# ---- submitted and left alone: tasks are killed, then the daemon of the node; what is missing is submitted again
slow=(--set case.swing.duration=20 --set slurm.at_once=2)
"$MBOPT" sweep "$dir/run.ini" "${slow[@]}" --output "$dir/calm" --quiet
"$MBOPT" sweep "$dir/run.ini" "${slow[@]}" --engine slurm --output "$dir/rough" --quiet
check not_waited [ $? -eq 0 ]
# The first tasks that run are held, so that they do however long a busy machine takes for the next lines.
check begins slurm_within 60 pkill -STOP -f "work $dir/rough --chunk"
out="$("$MBOPT" resume "$dir/rough" --engine slurm 2>&1)"
check twice_exit [ $? -eq 3 ]
check twice contains "$out" "wait for it, or end it with scancel"
out="$("$MBOPT" resume "$dir/rough" --engine local 2>&1)"
check twice_here contains "$out" "wait for it, or end it with scancel"
tells_of_tasks() { grep -qE "tasks? runs?," <<<"$("$MBOPT" status "$1")"; }
check status_of_queue slurm_within 10 tells_of_tasks "$dir/rough"
job="$(number job "$dir/rough/slurm.json")"
pkill -KILL -f "work $dir/rough --chunk" # and whatever else runs
slurm_kill slurmd
slurm_up slurmd
check queue_ends slurm_within 120 is_gone_from_queue "$job"
"$MBOPT" resume "$dir/rough" --engine slurm --wait --quiet
check rough_resume [ $? -eq 0 ]
check rough_over is_over "$dir/rough"
check rough_as_calm same_tables "$dir/rough" "$dir/calm"
check no_failures [ "$(failures "$dir/rough")" -eq 0 ]

# ---- merged by the job that depends on the array
forget "$dir/queue" 7
rm "$dir/queue/table.csv"
"$MBOPT" resume "$dir/queue" --engine slurm --quiet
check merged_by_queue slurm_within 60 test -e "$dir/queue/table.csv"
check merged_as_here same_tables "$dir/queue" "$dir/here"

# ---- told by the queue before the time limit: finish, save, into the queue again
"$MBOPT" sweep "$dir/run.ini" --set case.swing.duration=3000 --set slurm.tasks=1 --engine slurm --output "$dir/long" --quiet
check long_begins slurm_within 60 test -e "$dir/long/lock.0" -o -e "$dir/long/lock"
job="$(number job "$dir/long/slurm.json")"
sleep 2
scancel --signal=USR1 --batch "$job"
was_requeued() { grep -q "interrupted; 'mbopt resume" "$dir"/long/slurm/*_0.log; }
check told slurm_within 60 was_requeued
check still_in_queue grep -q '"running":true' <<<"$(json_of "$dir/long")"
scancel "$job"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
