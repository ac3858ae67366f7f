#!/usr/bin/env bash
# mbopt pareto: what it prints and writes, resume, status, merge, report, a part of an MPI launcher, Slurm, messages.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
front=(pareto configs/pareto_fonseca_fleming.ini --points 7)

"$MBOPT" "${front[@]}" --jobs 2 --output "$dir/front" >"$dir/front.out" 2>"$dir/front.err"
check exit [ $? -eq 0 ]
check head grep -q "^ *run *f1 *f2 *d f2/d f1$" "$dir/front.out"
check counts grep -q "7 runs: 7 done, 0 failed, 0 left" "$dir/front.out"
check columns [ "$(head -1 "$dir/front/table.csv")" = "run,status,point,start.x,start.y,result.x,result.y,objective,f1,f2,violation,iterations,simulations,failed_designs,front,d f2/d f1,warnings,seconds,error" ]
check efficient [ "$(grep -c ",efficient," "$dir/front/table.csv")" -eq 7 ]
check status grep -q '"done":7,"failed":0,"left":0' <<<"$(json_of "$dir/front")"
# from the middle of the second wave on, and nothing at all: the same
cp -r "$dir/front" "$dir/part"
forget "$dir/part" 3 && forget "$dir/part" 5
rm "$dir/part/table.csv"
"$MBOPT" resume "$dir/part" --quiet
check resumed same_tables "$dir/front" "$dir/part"
"$MBOPT" "${front[@]}" --output "$dir/part" --quiet
check again same_tables "$dir/front" "$dir/part"
"$MBOPT" merge "$dir/part" >"$dir/merged.out"
check merged cmp -s <(head -8 "$dir/front.out") <(head -8 "$dir/merged.out")
# with other points
"$MBOPT" "${front[@]}" --points 8 --output "$dir/part" 2>"$dir/other.err" >/dev/null
check other [ $? -eq 3 ]
check other_words grep -q "holds another study" "$dir/other.err"
# JSON
"$MBOPT" "${front[@]}" --output "$dir/front" --json >"$dir/front.json" 2>/dev/null
check json grep -q '"knee": null' "$dir/front.json"
check json_point grep -q '"point": "efficient"' "$dir/front.json"
# the rank of a launcher: the first one does all, since points follow from each other
"$MBOPT" "${front[@]}" --dry-run --output "$dir/ranks" --quiet
PMI_RANK=1 PMI_SIZE=2 "$MBOPT" work "$dir/ranks" --quiet
check second_rank [ ! -e "$dir/ranks/runs" ]
PMI_RANK=0 PMI_SIZE=2 "$MBOPT" work "$dir/ranks" --quiet
check first_rank [ "$(lines_of_runs "$dir/ranks" | wc -l)" -eq 7 ]
"$MBOPT" "${front[@]}" --engine slurm --dry-run --output "$dir/slurm" >"$dir/slurm.out"
check one_job grep -q "7 runs in 1 of 1 task of a job array" "$dir/slurm.out"
# the page
"$MBOPT" report "$dir/front" --quiet
for part in "pareto_fonseca_fleming.ini: front" "The front of f1 and f2 has 7 points." "with its tangents from the multipliers" 'href="report_run_2.html"' '"front"'; do
  check "page has $part" grep -qF -- "$part" "$dir/front/report.html"
done
check page_of_a_point grep -q "run 2 of the front" "$dir/front/report_run_2.html"
# an objective that does not conflict with the other: no range, nothing else to compute
"$MBOPT" "${front[@]}" --set "objective.f2.value=2*f1" --output "$dir/same" >"$dir/same.out" 2>/dev/null
check same_exit [ $? -eq 0 ]
check same grep -q "not needed: 5 points" "$dir/same.out"
# a front that constraints forbid
"$MBOPT" pareto configs/pareto_tanaka.ini --set constraint.waves.lower=10 --points 4 --output "$dir/none" >"$dir/none.out" 2>"$dir/none.err"
check none grep -q "infeasible: 2 points" "$dir/none.out"
# messages
"$MBOPT" "${front[@]}" --objectives f1 --output "$dir/x" 2>"$dir/one.err"
check one_exit [ $? -eq 3 ]
check one grep -q "names 1 objective; expected a front of two or three" "$dir/one.err"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
