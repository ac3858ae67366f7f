#!/usr/bin/env bash
# A study on a Slurm of four nodes (of this machine), of which one is lost in the middle of 40 tasks: all runs are there, once, and the
# table is that of worker processes here, to the bit. It waits for Slurm to miss the node, so it is one of MBOPT_LONG.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/slurm.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
[ -n "${MBOPT_LONG:-}" ] || slurm_skip "a minute or two; scripts/test --long runs it"
slurm_start 4

grid_file run 5 20 20 <<'INI'
[study]
jobs = 1
[slurm]
tasks = 40
requeues = 10
INI
[ -z "${MBOPT_SLOW:-}" ] || sed -i 's/^duration = .*/duration = 0.5/' "$dir/run.ini"
there() { lines_of_runs "$dir/nodes" | cut -d, -f1 | sort -u | wc -l; }
are_there() { [ "$(there)" -ge "$1" ]; }
is_down() { [[ "$(sinfo -h -N -n n3 -o %T)" =~ ^down ]]; }
task_of_n3() { # "JOB_TASK" that runs there
  task="$(squeue -h -r -j "$job" -t running -w n3 -o %i | head -n 1)"
  [ -n "$task" ]
}

"$MBOPT" sweep "$dir/run.ini" --output "$dir/here" --engine local --jobs 2 --quiet
check here [ $? -eq 0 ]
"$MBOPT" sweep "$dir/run.ini" --output "$dir/nodes" --engine slurm --quiet
check submitted [ $? -eq 0 ]
job="$(number job "$dir/nodes/slurm.json")"
check begins slurm_within 120 are_there 100
check node_has_work slurm_within 30 task_of_n3
# the node goes: its daemon, and all that it has begun, whatever that is
before="$(there)"
mapfile -t begun < <(pgrep -f "work $dir/nodes --chunk ${task##*_}/40")
slurm_kill slurmd3
mapfile -t steps < <(pgrep -f "^slurmstepd: \[[0-9]+\.batch\]")
for pid in "${steps[@]}"; do
  child="$(pgrep -P "$pid" | head -n 1)"
  grep -qsz "^SLURMD_NODENAME=n3$" "/proc/${child:-0}/environ" && begun+=("$pid" "$child")
done
kill -KILL "${begun[@]}" 2>/dev/null
check node_down slurm_within 120 is_down
check lost_in_the_middle [ "$before" -lt 400 ]
check queue_ends slurm_within 300 is_gone_from_queue "$job"
at_end="$(there)"
check all_by_the_queue [ "$at_end" -eq 400 ]
"$MBOPT" merge "$dir/nodes" --quiet
check merged [ $? -eq 0 ]
check same_table same_tables "$dir/nodes" "$dir/here"
check every_run_once [ "$(cut -d, -f1 "$dir/nodes/table.csv" | tail -n +2 | sort -u | wc -l)" -eq 400 ]
check no_failures [ "$(failures "$dir/nodes")" -eq 0 ]
slurm_stop
check no_daemon_left [ -z "$(jobs -pr)" ]
echo "$passed passed, $failed failed ($before runs were there when node n3 was lost with task ${task##*_} of 40, $at_end at the end)"
[ "$failed" -eq 0 ]
