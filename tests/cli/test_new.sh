#!/usr/bin/env bash
# What `mbopt new` writes runs as it is: understood, simulated, with a right gradient and without a warning, and an optimizer
# converges (of those that take longest with MBOPT_LONG). Nothing that is there is written over. The same of `mbopt import`.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
MBOPT="$(realpath "$MBOPT")"
arm="$PWD/problems/robot_arm/robot_arm.urdf"
top="$PWD"
cd "$dir" || exit 1

# ---- all of them
names="$("$MBOPT" new | sed '$d' | cut -d' ' -f1)"
check names [ "$(xargs <<<"$names")" = "corner kc_axle_double_wishbone kc_axle_macpherson kc_axle_five_link kc_axle_trailing_arm kc_axle_semi_trailing kc_axle_rigid_axle four_bar slider_crank quarter_car vehicle handling ride robot servo linkage_four_bar_path linkage_four_bar_motion linkage_four_bar_function linkage_slider_function linkage_stephenson_path linkage_stephenson_motion linkage_stephenson_function linkage_watt_path linkage_watt_motion linkage_watt_function linkage_geared_five_bar_path linkage_geared_five_bar_motion linkage_rssr_function linkage_stephenson_dwell linkage_watt_dwell" ]
check list same <("$MBOPT" new) <("$MBOPT" new --list)

# works NAME SETTINGS ...: these make its check short
works() {
  local name="$1" run="$1/$1.ini" command
  shift
  check "$name is written" "$MBOPT" new "$name" >log
  check "$name has both files" [ -s "$run" -a -s "$name/${name}_model.ini" ]
  check "$name tells what is next" contains "$(tail -1 log)" "mbopt model $run"
  for command in model simulate ${MBOPT_LONG:+gradient}; do # check has gradients, too
    check "$name $command" "$MBOPT" "$command" "$run" >log 2>err
    check "$name $command warns: $(cat err)" [ "$(grep -c -i warning log err | cut -d: -f2 | xargs)" = "0 0" ]
  done
  check "$name check" "$MBOPT" check "$run" "$@" >log 2>err
  check "$name check is right" contains "$(tail -1 log)" "all right"
  [ -z "$optimizes" ] || { [[ "$takes_long" == *" $name "* ]] && [ -z "${MBOPT_LONG:-}" ]; } || check "$name optimize" "$MBOPT" "$run" --quiet >log 2>err
}
optimizes=yes takes_long=" servo slider_crank quarter_car vehicle linkage_stephenson_dwell linkage_watt_dwell linkage_watt_function linkage_watt_path linkage_watt_motion linkage_stephenson_motion linkage_four_bar_motion linkage_geared_five_bar_motion "
if ! built_in ipopt || [ -n "${MBOPT_SLOW:-}" ]; then
  echo "skipped: optimizations, since ipopt is not built in or the build is slow"
  optimizes=
fi
works corner --set case.travel.step=0.05
for type in double_wishbone macpherson five_link trailing_arm semi_trailing rigid_axle; do
  check "new kc_axle --type $type" "$MBOPT" new kc_axle --type "$type" typed >log # the rest: test_axle.sh
  check "files of $type" [ -s "typed/kc_axle_$type.ini" -a -s "typed/kc_axle_${type}_model.ini" ]
done
works four_bar --set case.turn.step=0.02
works slider_crank --set case.turns.step=0.001
works quarter_car --set case.kerb.duration=0.5 --set case.waves.duration=0.5
works vehicle --set case.bump.duration=0.5 --set check.variables=2
optimizes="${MBOPT_LONG:+$optimizes}" works handling --set case.step.duration=1 --set case.dwell.duration=1 --set check.variables=1 --set check.directions=1
optimizes="${MBOPT_LONG:+$optimizes}" works ride --set case.slow.duration=0.2 --set case.fast.duration=0.2 --set check.variables=1 --set check.directions=1
works robot --set case.reach.step=0.02 --set check.variables=4
for type in stephenson watt; do
  works "linkage_${type}_dwell" --set case.turn.step=0.04 --set check.variables=2
  works "linkage_${type}_function" --set case.function.step=20 --set check.variables=2
done
for type in stephenson watt; do
  works "linkage_${type}_path" --set check.variables=2 --set case.points.step=0.5
  works "linkage_${type}_motion" --set check.variables=2 --set case.points.step=0.5
done
works linkage_geared_five_bar_path --set check.variables=2 --set case.points.step=0.5
works linkage_geared_five_bar_motion --set check.variables=2 --set case.points.step=0.5
works linkage_rssr_function --set case.function.step=10 --set check.variables=2
works linkage_four_bar_path --set check.variables=3 --set case.points.step=0.5
works linkage_four_bar_motion --set check.variables=3 --set case.points.step=0.5
works linkage_four_bar_function --set case.function.step=10
works linkage_slider_function --set case.function.step=10
for name in four_bar_path four_bar_function rssr_function; do # the models of published problems
  check "$name as in problems/generators" cmp -s "linkage_$name/linkage_${name}_model.ini" "$top/problems/generators/$name.ini"
done
works servo --set case.lift.step=0.02 --set case.loaded.step=0.02

# ---- the slider-crank with the rod that docs/beams.md writes, by its three blocks
block() { awk -v k="$1" '/^```ini/ { n++; next } /^```/ { if (n == k) exit } n == k' "$top/docs/beams.md"; }
keys() { block 2 | grep -A1 "^\[$1" | tail -1; }
sed -e "/^\[point C\]/,/^\[/s/^bodies = .*/$(keys point)/" -e "/^\[vector axis\]/,/^\[/s/^bodies = .*/$(keys vector)/" \
  -e '/^\[body rod\]/,/^$/d' slider_crank/slider_crank_model.ini >slider_crank/bends.ini
block 1 >>slider_crank/bends.ini
sed -e 's/^file = .*/file = bends.ini/' -e '/^step = /d' slider_crank/slider_crank.ini >slider_crank/bending.ini
block 3 | sed -n '2,$p' >lines
sed -i '/^\[case turns\]/r lines' slider_crank/bending.ini
check "rod that bends" "$MBOPT" gradient slider_crank/bending.ini --set case.turns.duration=0.02 >log 2>err
check "rod that bends, warns: $(cat err)" [ "$(grep -c -i warning log err | cut -d: -f2 | xargs)" = "0 0" ]

# ---- linkages through points of one's own: a path in any columns, a function whose input does not begin at zero
printf 'x; y; note\n1,5; 2; a\n2,5; 2,2; b\n3; 3; c\n2; 3,4; d\n' >path.csv
printf 'output,input\n0,20\n30,50\n45,80\n' >function.csv
check "path of one's own" "$MBOPT" new linkage --type four_bar --task path path --points path.csv >log
check "points of a path" [ "$(xargs <path/linkage_four_bar_path_points.csv)" = "point,x,y 0,1.5,2 1,2.5,2.2 2,3,3 3,2,3.4" ]
check "numbers of a path" [ "$(grep -c -E '^(N = 4|size = 1.5|x = 3|y = 1.95)( |$)' path/linkage_four_bar_path.ini)" = 4 ]
check "a path is followed" "$MBOPT" path/linkage_four_bar_path.ini --json >log 2>err
check "four points are met: $(number objective log)" less "$(number objective log)" 1e-8
printf 'x,y,angle\n0,0,0\n0.3,0.2,30\n0.5,0.1,75\n' >poses.csv
check "motion of three poses" "$MBOPT" new linkage --type four_bar --task motion poses --points poses.csv >log
check "three poses have starts" "$MBOPT" multistart poses/linkage_four_bar_motion.ini --quiet --set multistart.starts=2 --set optimizer.max_evaluations=3 --output poses/starts >log
outside=(multistart linkage_rssr_function/linkage_rssr_function.ini --set multistart.starts=3 --set optimizer.max_evaluations=2 --output outside)
check "runs outside of the limits are told" grep -q '^outside of the limits: [123] run' <("$MBOPT" "${outside[@]}" 2>err)
starts=(multistart path/linkage_four_bar_path.ini --quiet --set multistart.starts=4 --set optimizer.max_evaluations=3 --output starts)
check "topologies in turn" "$MBOPT" "${starts[@]}" >log
check "each of them: $(tr -d ' ' <starts/points.csv | xargs)" [ "$(tr -d ' ' <starts/points.csv | xargs)" = "start,scalars.circuit,scalars.sense 0,1,1 1,-1,1 2,1,-1 3,-1,-1" ]
compared=(compare path/linkage_four_bar_path.ini --starts 2 --set compare.backends=lbfgsb --max-evaluations 2)
check "compare tells what it leaves out" grep -q "do not take the numbers of .multistart. vary.scalars.circuit in turn.*--set scalars.circuit=NUMBER" <("$MBOPT" "${compared[@]}" --output compared 2>&1)
check "one start does not" [ "$("$MBOPT" "${compared[@]}" --starts 1 --output one 2>&1 | grep -c "in turn")" = 0 ]
says 3 "[multistart] vary.scalars.circuit: 'left', expected a number" "$MBOPT" "${starts[@]}" --set multistart.vary.scalars.circuit=left
says 3 "vary.scalars.circiut: " "$MBOPT" "${starts[@]}" --set multistart.vary.scalars.circiut=1
says 3 "[equivalent cognate] scalar.crnk: scalar 'crnk' is not known in" "$MBOPT" "${starts[@]}" --set equivalent.cognate.scalar.crnk=1
check "function of one's own" "$MBOPT" new linkage --type slider --task function function --points function.csv >log
check "points of a function" [ "$(xargs <function/linkage_slider_function_points.csv)" = "turned,output 0,0 30,30 60,45" ]
check "span of a function" grep -q '^span = 60 ' function/linkage_slider_function.ini

# refused TASK TEXT_OF_THE_TABLE MESSAGE
refused() {
  printf '%b' "$2" >bad.csv
  says 3 "$3" "$MBOPT" new linkage --type four_bar --task "$1" refused --points bad.csv
  check "nothing is written of a $1" [ ! -e refused ]
}
refused path 'x,z\n1,2\n2,3\n3,5\n' "bad.csv: no column 'y'; expected x, y in the first line"
refused motion 'x,y,angle\n1,2,3\n2,3,a\n3,5,4\n' "bad.csv:3: angle = 'a', expected a number"
refused function 'input,output\n1,2\n3,3\n2,5\n' "bad.csv:4: input = 2 comes after 3; expected inputs that increase"
refused function 'input,output\n1,2\n3,3\n' "bad.csv: 2 lines of numbers, expected at least 3"
says 2 "mbopt new linkage --type four_bar        --task motion" "$MBOPT" new linkage --type four_bar
check "the earlier name of a dwell" contains "$("$MBOPT" new linkage --type six_bar --task dwell earlier 2>&1)" "is linkage_stephenson_dwell now"

# ---- the same in millimetres is noticed
robot=(model robot/robot.ini --set scalars.upper=400 --set scalars.fore=350)
check millimetres contains "$("$MBOPT" "${robot[@]}" 2>&1 >log)" "warning: body 'upper_arm' (and so with another): its points are 400 m apart"
check mass contains "$(cat log)" "mass 6 kg, centre of mass at "
"$MBOPT" "${robot[@]}" --json >log 2>err
check json_mass [ "$(number mass log)" = 6.0 ]
check json_doubt grep -q '"kind": "units"' log

# ---- another folder, which is made
"$MBOPT" new robot a/b >log
check folder "$MBOPT" model a/b/robot.ini >log
check here "$MBOPT" new robot . >log
check here_too [ -s robot.ini ]

# ---- what is refused, leaving all as it is
refused() { # NAME CODE "PART OF THE MESSAGE" ARGUMENTS ...
  local name="$1" code="$2" part="$3" text
  shift 3
  text="$("$MBOPT" "$@" 2>&1)"
  check "$name" test $? -eq "$code"
  check "$name, message: $text" contains "$text" "$part"
}
echo mine >corner/corner.ini
rm corner/corner_model.ini
refused run_file_there 3 "corner/corner.ini is there already, and nothing was written" new corner
check run_file_kept [ "$(cat corner/corner.ini)" = mine -a ! -e corner/corner_model.ini ]
refused model_there 3 "four_bar/four_bar_model.ini is there already" new four_bar
refused misspelt 2 "'quartercar' is not known, did you mean 'quarter_car'?" new quartercar
refused axle_without_type 2 "'kc_axle' has several types, expected one of them:" new kc_axle
refused axle_types 2 "mbopt new kc_axle --type five_link       rear axle with five links" new kc_axle
refused type_misspelt 2 "'kc_axle' has no type 'mcpherson', expected one of them, did you mean 'macpherson'?" new kc_axle --type mcpherson
refused linkage_misspelt 2 "'linkage' has no type 'four_bra', expected one of them, did you mean 'four_bar'?" new linkage --type four_bra --task path
check "types of linkages alone" [ "$(grep -c axle <<<"$("$MBOPT" new linkage --type four_bra 2>&1)")" = 0 ]
refused no_such_task 2 "'linkage' of type 'slider' has no task 'path', expected:" new linkage --type slider --task path
refused other_type 2 "'robot_macpherson' is not known" new robot --type macpherson
refused too_many 2 "argument 'c' is one argument too many" new robot b c
refused other_command 2 "option '--list' belongs to the command new" schema --list
mkdir closed && chmod a-w closed
[ -w closed ] || refused closed_folder 3 "closed/robot" new robot closed

# ---- an axle by hard points of a table: those of the template in a European spreadsheet give the same model, and bounds around others
mkdir tables && cd tables || exit 1
"$MBOPT" new kc_axle --type double_wishbone ours >log
{
  echo "Punkt;Bemerkung;X [mm];Y [mm];Z [mm]"
  sed -n 's/^\([a-z_]*\)_\([xyz]\) = \(.*\)/\1 \3/p' ours/*_model.ini | awk '{ at[$1] = at[$1] ";" $2 } END { for (p in at) print p ";" at[p] }'
  echo "spring seat;no hard point;1,5;2;3"
} | sed 's/^lower_ball;/lower ball;/; s/^wheel;/Wheel;/' >points.csv
rows="$(wc -l <points.csv)"
check "the table: $rows lines" [ "$rows" -ge 11 ]
check points "$MBOPT" new kc_axle --type double_wishbone theirs --points points.csv >log
check points_left_out contains "$(cat log)" "points.csv:$rows: 'spring seat' is no hard point of this type, and is not taken"
check other_letters grep -qx "row.wheel = Wheel" theirs/kc_axle_double_wishbone_model.ini
"$MBOPT" theirs/kc_axle_double_wishbone.ini --quiet --max-evaluations 3 --output a >log
check points_run [ $? -eq 7 ]
"$MBOPT" ours/kc_axle_double_wishbone.ini --quiet --max-evaluations 3 --output b >log
check points_the_same [ $? -eq 7 ]
check "same result" [ "$(number objective a/result.json)" = "$(number objective b/result.json)" ]
sed -i 's/^upper_ball;;-20;670;/upper_ball;;-20,0;660;/' points.csv
"$MBOPT" model theirs/kc_axle_double_wishbone.ini --print-config >log
check bounds_around grep -q "upper = upper_ball_z + 15" log
sed '1!s/[0-9]*;*$/0,1;0,2;0,3/; 1!s/;.*;0,1/;;0,1/' points.csv >metres.csv
refused points_metres 3 "metres.csv: all places are below 10, as if in metres; expected millimetres" new kc_axle --type double_wishbone more --points metres.csv
# names that engineers use, by which the axle is found
cat >usual.csv <<'END'
Point, X [mm], Y, Z
"Lower wishbone, front pivot",200,420,180
hpl_lca_rear,-200,470,185
Lower ball joint,0,770,130
Strut upper mount,-20,590,800
Strut lower,0,700,300
Track rod inboard,-200,420,330
Track rod outer ball joint,-150,770,330
Wheel centre,0,797,330
END
check points_usual "$MBOPT" import usual.csv usual >log
check points_usual_names [ "$(grep -c '^row\.' usual/kc_axle_macpherson_model.ini)" = 8 ]
check points_usual_name contains "$(cat usual/kc_axle_macpherson_model.ini)" "row.rod_outer = Track rod outer ball joint"
sed '/^Strut lower/d' usual.csv >less.csv
refused points_of_none 3 "less.csv: expected a line of names, then the hard points of one of the axles double_wishbone, macpherson" import less.csv
refused points_options 2 "usual.csv: --vary is an option of robots" import usual.csv --vary masses
refused tyre_of_a_table 2 "usual.csv: --tyre is an option of vehicles" import usual.csv --tyre passenger_car
# a vehicle, whose files are named
check vehicle "$MBOPT" import "$top/tests/unit/import/chrono/sedan/vehicle/Sedan_Vehicle.json" sedan --tyre "$top/tests/unit/import/chrono/sedan/tire/Sedan_TMeasyTire.json" >log 2>err
check vehicle_named contains "$(cat log)" "sedan/Sedan_Vehicle_front_points.csv"
check vehicle_warned contains "$(cat err)" "Sedan_TMeasyTire.json:4: 'Template' is no Magic Formula"
check vehicle_runs "$MBOPT" simulate sedan/Sedan_Vehicle.ini --set case.turn.duration=0.01 --quiet
refused vehicle_there 3 "Sedan_Vehicle_steering_masses.csv is there already, and nothing was written" import "$top/tests/unit/import/chrono/sedan/vehicle/Sedan_Vehicle.json" sedan
refused vehicle_strict 3 "Sedan_Vehicle.json: refused because of its warnings, by --strict" import "$top/tests/unit/import/chrono/sedan/vehicle/Sedan_Vehicle.json" strictly --strict
sed -i '/^Wheel;/d' points.csv
refused points_missing 3 "points.csv has no hard point 'wheel'" new kc_axle --type double_wishbone more --points points.csv
sed 's/^rod_inner;/upper_rear;/' points.csv >twice.csv && echo "rod_inner;;1;2;3
wheel;;0;7oo;3" >>twice.csv
refused points_number 3 "twice.csv:" new kc_axle --type double_wishbone more --points twice.csv
check nothing_written [ ! -e more/kc_axle_double_wishbone_model.ini ]
refused no_points 3 "this mechanism has no hard points that a table could give" new servo more --points points.csv
refused no_table 3 "nowhere.csv: No such file" new kc_axle --type macpherson more --points nowhere.csv
cd ..

# ---- parts of the program: the list, their files, and the table in the documents
"$MBOPT" parts | sed '$d' >parts
check parts [ "$(wc -l <parts)" -ge 20 ]
while read -r name title; do
  check "$name has a title" [ -n "$title" ]
  check "$name is printed" cmp -s <("$MBOPT" parts "$name") "$top/parts/$name."*
  check "$name in the documents" grep -q "^| \`$name\` |" "$top/docs/controllers_and_filters.md" "$top/docs/manoeuvres.md"
done <parts
check "files of parts" [ "$(ls "$top/parts" | wc -l)" -eq "$(wc -l <parts)" ]
refused no_part 2 "'pdi' is not known, did you mean 'pi'?" parts pdi

# ---- robots: what they become, tests/unit/import tests
if "$MBOPT" import "$arm" >log 2>err; then
  check robot_files [ -s robot_arm/robot_arm.ini -a -s robot_arm/robot_arm_model.ini -a ! -s err ]
  check robot_next contains "$(tail -1 log)" "mbopt model robot_arm/robot_arm.ini"
  check robot_here "$MBOPT" import "$arm" . --base floating >log
  check robot_free contains "$("$MBOPT" model robot_arm.ini)" "ground - base"
  refused robot_there 3 "robot_arm/robot_arm_model.ini is there already" import "$arm"
  refused no_robot 3 "nothing.urdf: No such file" import nothing.urdf
  printf '<robot name="r">\n<link name="a"/>\n<contact/>\n</robot>\n' >bare.urdf
  check warned contains "$("$MBOPT" import bare.urdf 2>&1)" "mbopt: warning: bare.urdf:3: <contact> is not known, and left out"
  check bare_model "$MBOPT" model bare/bare.ini >log
  check no_mass contains "$("$MBOPT" import bare.urdf massless 2>&1)" "mbopt: note: bare.urdf: no link has a mass, so no motion takes a force"
  refused strict 3 "bare.urdf: refused because of its warnings, by --strict" import bare.urdf strict --strict
  check strict_writes_nothing [ ! -e strict ]
  check strict_takes_it "$MBOPT" import "$arm" strict --strict >log
  # several at once, and of folders; one that is wrong does not keep the others from being written
  mkdir -p empty robots/inner && cp "$arm" robots/one.urdf && cp bare.urdf robots/inner/two.urdf && echo '<robot/>' >robots/inner/wrong.urdf
  refused several 3 "robots/inner/wrong.urdf:1: <robot> has no <link>" import robots "$arm" all
  check several_files [ -s all/one_model.ini -a -s all/inner/two.ini -a -s all/robot_arm.ini ]
  refused folder_of_robots 3 "robots is a folder: expected another one behind it" import robots
  refused no_robots 3 "empty: has no file NAME.urdf" import empty all
  refused vary 2 "--vary: 'lenghts' is not known, did you mean 'lengths'?" import "$arm" --vary lenghts
  refused vary_both 2 "expected lengths or joints, not both" import "$arm" --vary lengths,joints
  "$MBOPT" import "$arm" varied --vary lengths,masses >log
  check varied contains "$(cat varied/robot_arm.ini)" "[design joint_3_length]"
  # meshes for pictures, in the folder that is given and in one that is named
  mkdir -p looks/r_description/urdf looks/r_description/meshes
  printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >looks/r_description/meshes/t.obj
  printf '<robot name="r"><link name="a"><visual><geometry><mesh filename="package://r_description/meshes/t.obj"/></geometry></visual></link></robot>\n' \
    >looks/r_description/urdf/r.urdf
  "$MBOPT" import looks/r_description looked --strict >log
  check mesh contains "$(cat looked/urdf/r_model.ini)" "file = ../../looks/r_description/meshes/t.obj"
  check mesh_drawn "$MBOPT" model looked/urdf/r.ini >log
  check mesh_outside contains "$("$MBOPT" import looks/r_description/urdf/r.urdf unseen 2>&1)" "r.urdf:1: link 'a' has a mesh that is not in the folder"
  check mesh_named "$MBOPT" import looks/r_description/urdf/r.urdf seen --packages looks --strict >log
  refused no_density 2 "--density: found 'heavy', expected a number > 0" import "$arm" --density heavy
  refused no_packages 3 "--packages: nowhere is no folder" import "$arm" --packages nowhere
  # back to URDF
  "$MBOPT" export varied/robot_arm.ini --quiet >back.urdf
  check back "$MBOPT" import back.urdf back >log
  "$MBOPT" export varied/robot_arm.ini --format mjcf --quiet >back.xml
  check back_from_mjcf "$MBOPT" import back.xml back_from_mjcf >log 2>&1
  check picture contains "$("$MBOPT" export varied/robot_arm.ini --format svg --quiet)" ">upper_arm</text>"
  check places contains "$("$MBOPT" export varied/robot_arm.ini --format csv --quiet)" "joint_1, 0, 0, 0, 0, 0, 1"
  # an arm of four joints with limits of torque and speed, on which the optimizer ended short with tol_f = 1e-8
  link() {
    echo "<link name=\"$1\"><inertial><mass value=\"$2\"/><origin xyz=\"0 0 $3\"/>"
    echo "<inertia ixx=\"$4\" ixy=\"0\" ixz=\"0\" iyy=\"$4\" iyz=\"0\" izz=\"$5\"/></inertial></link>"
  }
  joint() {
    echo "<joint name=\"$1\" type=\"revolute\"><parent link=\"$2\"/><child link=\"$3\"/><origin rpy=\"0 $4 0\" xyz=\"$5\"/><axis xyz=\"$6\"/>"
    echo "<limit effort=\"$7\" lower=\"-$8\" upper=\"$8\" velocity=\"3.2\"/></joint>"
  }
  {
    echo '<robot name="four">'
    link base 4 0 0.004 0.007 && link shoulder 3.7 0 0.01 0.007 && link upper 8.4 0.28 0.23 0.015
    link lower 2.3 0.25 0.05 0.004 && link wrist 1.2 0 0.11 0.22
    joint pan base shoulder 0 "0 0 0.09" "0 0 1" 150 6.283 && joint lift shoulder upper 1.5708 "0 0.136 0" "0 1 0" 150 6.283
    joint elbow upper lower 0 "0 -0.12 0.425" "0 1 0" 150 3.1416 && joint hand lower wrist 1.5708 "0 0 0.39" "0 1 0" 28 6.283
    echo '</robot>'
  } >four.urdf
  "$MBOPT" import four.urdf >log
  if built_in nlopt && [ -n "${MBOPT_LONG:-}" ]; then check robot_converges "$MBOPT" four/four.ini --quiet --output four/out; fi
else
  check robot_without_expat contains "$(cat err)" "built without expat"
fi
refused no_base 2 "value 'flat' of --base: expected fixed|floating" import "$arm" --base flat
refused no_file 2 "command 'import' needs a URDF, MJCF or SDFormat file" import

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
