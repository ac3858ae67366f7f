#!/usr/bin/env bash
# `gradient --over-time` of kinematic cases: inverse_dynamics.csv, its names, and that the forces are those of the drives.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cp problems/double_pendulum/double_pendulum.ini "$dir/model.ini"
cat >>"$dir/model.ini" <<'INI'
[curve first]
type = harmonic
coefficients = 0.2, 0.7, 6, 0.3
[curve second]
type = harmonic
coefficients = 0, 0.5, 4, 0
INI
cat >"$dir/run.ini" <<'INI'
schema = 1
[model]
file = model.ini
[case move]
duration = 0.5
step = 1e-2
analysis = kinematic
drive.J1.angle = first
drive.J2.angle = second
[output]
outputs = drive.J1.angle.drive_force, drive.J2.angle.drive_force
every = 10
INI
# Column NAME of row ROW (1: the first) of a table.
cell() { # TABLE NAME ROW
  awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == row + 1 { print $c }' "$1"
}
near() { # A B: to 1e-12 of the larger
  awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; s = a < 0 ? -a : a; exit !(a != "" && d <= 1e-12 * (s > 1 ? s : 1)) }'
}

"$MBOPT" gradient "$dir/run.ini" --over-time --output "$dir/out" >"$dir/said" 2>"$dir/err"
check runs [ $? -eq 0 ]
check says grep -q "forces of the motion and their derivatives over time in $dir/out" "$dir/err"
check prints_no_empty_table [ ! -s "$dir/said" ]
table="$dir/out/inverse_dynamics.csv"
check no_other_file [ ! -e "$dir/out/sensitivities.csv" ]
check length [ "$(wc -l <"$table")" -eq 7 ]
check header grep -q '^t \[s\],Q J1.angle \[N m\],Q J2.angle \[N m\],d Q J1.angle/d J1.angle,d Q J1.angle/d J2.angle,d Q J2.angle/d J1.angle,' "$table"
"$MBOPT" simulate "$dir/run.ini" --output "$dir/out" --quiet
check kept_by_simulate [ -e "$table" -o -e "$dir/out/earlier-1/inverse_dynamics.csv" ]
for row in 1 4 6; do
  for joint in J1 J2; do
    check "drive_force_${joint}_$row" near "$(cell "$table" "Q $joint.angle [N m]" "$row")" \
      "$(cell "$dir/out/trajectory.csv" "drive.$joint.angle.drive_force [N m]" "$row")"
  done
done
# 2 kg at 1 m, 1 kg at 0.8 m beyond, stretched at t = 0: 2 + (1 + 0.8)^2, 0.8 (1 + 0.8), 0.8^2
check mass near "$(cell "$table" "d Q J1.angle/d J1.angle.acceleration" 1)" 5.24
check mass_off_diagonal near "$(cell "$table" "d Q J2.angle/d J1.angle.acceleration" 1)" 1.44
check mass_of_second near "$(cell "$table" "d Q J2.angle/d J2.angle.acceleration" 1)" 0.64

# ---- the page shows them
"$MBOPT" gradient "$dir/run.ini" --over-time --quiet --output "$dir/page" && "$MBOPT" simulate "$dir/run.ini" --quiet --output "$dir/page" &&
  "$MBOPT" report "$dir/page" >"$dir/said"
check page [ $? -eq 0 ]
check page_section grep -q "Forces by motion" "$dir/page/report.html"
check page_figures [ "$(grep -c 'The largest derivatives of the forces' "$dir/page/report.html")" -eq 3 ]
sed -i '1s/^t /x /' "$dir/page/inverse_dynamics.csv"
"$MBOPT" report "$dir/page" 2>"$dir/err"
check page_of_another_table [ $? -eq 3 ]
check page_message grep -q "inverse_dynamics.csv: expected a table that begins with the column 't \[s\]'" "$dir/err"

# ---- beside derivatives by variables, of one case of two, in JSON
"$MBOPT" gradient "$dir/run.ini" --over-time --json --quiet --output "$dir/both" --set design.L1.lower=0.1 --set case.fall.duration=0.1 \
  --set case.fall.step=1e-2 --set output.outputs=energy.total >"$dir/json"
check json [ $? -eq 0 ]
check files [ "$(cd "$dir/both" && echo *.csv)" = "inverse_dynamics_move.csv sensitivities_fall.csv sensitivities_move.csv" ]
check json_files grep -q "\"$dir/both/inverse_dynamics_move.csv\"" "$dir/json"
check json_no_file_of_a_motion [ "$(grep -c 'inverse_dynamics_fall' "$dir/json")" -eq 0 ]

# ---- nothing is projected there
"$MBOPT" simulate "$dir/run.ini" --set output.projections=yes --output "$dir/none" 2>"$dir/err"
check projections [ $? -eq 3 ]
check projections_message grep -q "projections = yes: case 'move' has none, its analysis is kinematic, expected motion" "$dir/err"

# ---- a motion has no forces of this kind
"$MBOPT" gradient "$dir/run.ini" --over-time --output "$dir/none" --set case.move.analysis=motion 2>"$dir/err"
check nothing_to_write [ $? -eq 3 ]
check nothing_message grep -q "or a case with analysis = kinematic" "$dir/err"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
