#!/usr/bin/env bash
# Kinematic cases that cannot be: too few and too many drives, drives that contradict each other, positions out of reach, dead points at
# the start and on the way. Each says what is wrong, with names and times, and has its exit code.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cat >"$dir/slider_crank.ini" <<'END'
; A crank of 0.1 m, a rod of 0.3 m: the slider goes from 0.2 m to 0.4 m.
schema = 1
[model]
title = slider-crank
[scalars]
crank = 0.1
rod = 0.3
from = 0.35
speed = 0.02
turns = 2*pi
[body crank]
mass = 1
com = crank/2, 0, 0
inertia = 1e-3, 1e-3, 1e-3
[body rod]
mass = 1
com = rod/2, 0, 0
inertia = 1e-3, 1e-2, 1e-2
[body slider]
mass = 1
com = 0, 0, 0
inertia = 1e-3, 1e-3, 1e-3
[vector axis]
along = 0, 0, 1
bodies = ground, crank, rod, slider
[vector along]
along = 1, 0, 0
bodies = ground, slider
[point O]
at = 0, 0, 0
bodies = ground, crank
[point B]
at.crank = crank, 0, 0
at.rod = 0, 0, 0
[point C]
at.rod = rod, 0, 0
at.slider = 0, 0, 0
[point S]
at = 0, 0, 0
bodies = ground, slider
[joint guide]
type = prismatic
bodies = ground, slider
axis = along
point = S
[joint motor]
type = revolute
bodies = ground, crank
point = O
axis = axis
[joint pin]
type = revolute
bodies = crank, rod
point = B
axis = axis
[curve push]
type = polynomial
coefficients = from, speed
[curve turning]
type = polynomial
coefficients = 0.5, turns
[start]
guess.motor.angle = 1
guess.pin.angle = -1.3
guess.guide.distance = 0.3
hold.motor.angle = 0.5
settle = motor.angle
END

# The same crank and another one, of a parallelogram.
sed -e '/^\[vector along/,$d; s/slider-crank/parallelogram/; s/bodies = ground, crank, rod, slider/bodies = ground, crank, rod, other/' \
  -e 's/^\[body slider\]/[body other]/' "$dir/slider_crank.ini" >"$dir/parallelogram.ini"
cat >>"$dir/parallelogram.ini" <<'END'
[point O]
at = 0, 0, 0
bodies = ground, crank
[point B]
at.crank = crank, 0, 0
at.rod = 0, 0, 0
[point C]
at.rod = rod, 0, 0
at.other = crank, 0, 0
[point D]
at.ground = rod, 0, 0
at.other = 0, 0, 0
[joint motor]
type = revolute
bodies = ground, crank
point = O
axis = axis
[curve turning]
type = polynomial
coefficients = 0.5, turns
[start]
guess.motor.angle = 0.5
guess.crank-rod.angle = -0.5
guess.ground-other.angle = 0.5
END

# says TEXT "PART...PART": the parts, each after the other
says() {
  local text="$1" part
  while IFS= read -r part; do
    [[ "$text" == *"$part"* ]] || return 1
    text="${text#*"$part"}"
  done <<<"${2//.../$'\n'}"
}

# drives NAME CODE "PARTS OF THE MESSAGE" "LINES OF THE CASE" [ARGUMENTS ...]: of the slider-crank, or of $model
drives() {
  local name="$1" code="$2" parts="$3" lines="$4" text got
  shift 4
  printf '%b\n' 'schema = 1\n[model]' "file = ${model-slider_crank.ini}" '[design crank]\n[case turn]\nduration = 1\nstep = 0.01' \
    'analysis = kinematic' "$lines" '[objective energy]\nof = energy.kinetic\nform = mean_square' >"$dir/run.ini"
  text="$("$MBOPT" gradient "$dir/run.ini" "$@" 2>&1)"
  got=$?
  check "$name" [ "$got" -eq "$code" ]
  check "$name" says "$text" "$parts"
}

# ---- what drives can do
drives turned 0 "d/d crank" 'drive.motor.angle = turning'
drives pushed 0 "d/d crank" 'drive.guide.distance = push'
drives at_rest 0 "d/d crank" 'drive.motor.angle = 0.3'
drives almost_there 0 "d/d crank" 'drive.guide.distance = push' --set scalars.speed=0.0499

# ---- how many there are
drives none 3 "t = 0 s: a kinematic case needs a drive for every degree of freedom, and 1 more is needed here: expected drive.COORDINATE = CURVE, as for 'pin.angle'" ''
drives two 3 "t = 0 s: more drives than degrees of freedom: one of 'drive.motor.angle', 'drive.pin.angle' follows from the others and the constraints, and they contradict each other: equation 'rod-slider.coincident.y' is left at" \
  'drive.motor.angle = turning\ndrive.pin.angle = 0'
drives twice 3 "[case turn] drive.motor.angle appears twice" 'drive.motor.angle = turning\ndrive.motor.angle = 1'
model=parallelogram.ini drives agreeing 3 "more drives than degrees of freedom: one of 'drive.motor.angle', 'drive.ground-other.angle' follows from the others and the constraints, and what each of them exerts is not determined; expected fewer drives" \
  'drive.motor.angle = turning\ndrive.ground-other.angle = turning'

model=parallelogram.ini drives agreeing_words 3 "one of 'drive.motor.angle', 'drive.ground_other.angle' follows from the others" \
  'drive.motor.angle = turning\ndrive.ground_other.angle = turning'

# ---- an output of a drive that another case has
cat >"$dir/two.ini" <<'END'
schema = 1
[model]
file = slider_crank.ini
[quantity torque]
value = 2*drive.motor.angle.drive_force
[case turn]
analysis = kinematic
duration = 0.1
step = 0.01
drive.motor.angle = turning
[case free]
duration = 0.1
step = 0.01
END
text="$("$MBOPT" simulate "$dir/two.ini" --output "$dir/two" 2>&1)"
check of_other_case contains "$text" "quantity 'torque': output 'drive.motor.angle.drive_force': no point"
check which_case contains "$text" "; case 'turn' has drive.motor.angle, and case 'free' has not"

# ---- what they are called
drives coordinate 3 "[case turn] with its drives: ...coordinate 'motor.angel' is not known, did you mean 'motor.angle'?" 'drive.motor.angel = turning'
drives joint_alone 3 "coordinate 'motor' is not known, did you mean 'motor.angle'?" 'drive.motor = turning'
drives curve 3 "[case turn] drive.motor.angle = turnin, expected a curve of the model or a number: ...has no curve or scalar 'turnin', did you mean 'turning'?" \
  'drive.motor.angle = turnin'
drives no_value 3 "[case turn] drive.motor.angle has no value" 'drive.motor.angle ='
drives analysis 3 "analysis = kinematics: expected one of motion|kinematic...did you mean 'kinematic'?" 'drive.motor.angle = turning' \
  --set case.turn.analysis=kinematics
drives equilibrium 3 "start = equilibrium: the start of a kinematic case is where its drives put it; expected start = given" \
  'drive.motor.angle = turning\nstart = equilibrium'
drives formulation 3 "[case turn] formulation = matrix_r: a case with analysis = kinematic has no formulation" \
  'drive.motor.angle = turning\nformulation = matrix_r'


# ---- patterns: all coordinates by name that have no drive of their own
drives pattern_of_none 3 "[case turn] drive.moter.* = turning, expected a curve of the model or a number: ...is like 'moter.*'" 'drive.moter.* = turning'
drives pattern_of_many 3 "more drives than degrees of freedom" 'drive.* = turning'
for way in 'drive.motor.angle = turning' 'drive.mo*.angle = turning' 'drive.motor.angle = turning\ndrive.m* = 3'; do
  name="$(tr -dc 'a-z*.' <<<"$way")"
  printf 'schema = 1\n[model]\nfile = slider_crank.ini\n[case turn]\nanalysis = kinematic\nduration = 0.1\nstep = 0.01\n'"$way"'\n' >"$dir/way.ini"
  "$MBOPT" simulate "$dir/way.ini" --quiet --output "$dir/$name"
  check "$name" same "$dir/drive.motor.angleturning/trajectory.csv" "$dir/$name/trajectory.csv"
done

# ---- where they lead
drives out_of_reach 4 "run.ini:5: case 'turn', t = 0 s: the mechanism cannot be assembled from its guesses...equation 'rod-slider.coincident.x' is left at 0.05 m...drives require a position that the mechanism does not reach" \
  'drive.guide.distance = push' --set scalars.from=0.5
drives beyond 5 "t = 0.45...the mechanism does not reach the position that its drives require: with 'drive.guide.distance', equation 'rod-slider.coincident.x' is left at" \
  'drive.guide.distance = push' --set scalars.speed=0.11
drives dead_point 5 "t = 0.5 s: ...dead point of its drives...expected drives that " 'drive.guide.distance = push' --set scalars.speed=0.1
drives inner_dead_point 5 "t = 1 s: ...dead point of its drives" 'drive.guide.distance = push' --set scalars.speed=-0.15
drives starts_stretched 5 "t = 0 s: the mechanism starts at a singular position, a dead point of its drives" 'drive.guide.distance = push' \
  --set scalars.from=0.4
drives starts_folded 5 "t = 0 s: the mechanism ...at a singular position, a dead point of its drives" 'drive.guide.distance = push' \
  --set scalars.from=0.2 --set scalars.speed=-0.1
for turns in 'pi - 0.5' pi '2*pi' -1; do # the flat position at a node, between nodes
  model=parallelogram.ini drives "flat_$turns" 5 "dead point of its drives" 'drive.motor.angle = turning' --set "scalars.turns=$turns"
done

# ---- branches that the case states: which way the start is closed, how a parallelogram goes on from its flat position
other=$'\n[quantity bent]\nvalue = area(B, C, D, axis)\n[quantity unbent]\nvalue = -bent\n'
printf '%s' "$other" >>"$dir/parallelogram.ini"
turning='drive.motor.angle = turning\n'
angle() { awk -F, -v row="$1" -v column="$2" 'NR == row { printf "%.4f", $column }' "$dir/branch/trajectory.csv"; }
branch() { # NAME SIDES WANTED: angles of the other crank at 0 and 0.75 s; its derivatives
  printf '%b\n' 'schema = 1\n[model]\nfile = parallelogram.ini\n[design crank]\n[case turn]\nduration = 0.75\nstep = 0.01\nanalysis = kinematic' \
    "$turning$2" '[objective energy]\nof = energy.kinetic\nform = mean_square' >"$dir/run.ini"
  "$MBOPT" simulate "$dir/run.ini" --quiet --output "$dir/branch"
  check "branch_$1" [ "$(angle 2 3) $(angle 77 3)" = "$3" ]
  check "branch_$1_right" says "$("$MBOPT" check "$dir/run.ini" 2>&1)" "all right"
}
# With the crank at a = 0.5 + 2 pi t the other one has the same angle in the parallelogram. In the antiparallelogram its end is reflected in the diagonal
# from the crank's end to its own pivot: the angle is 2 atan2(-crank sin a, rod - crank cos a) - a. Both but for whole turns.
branch changes 'branch.bent = changes' "0.5000 5.2124"
branch guess 'branch.bent = guess' "0.5000 1.7409"
branch positive 'branch.area(B, C, D, axis) = positive' "-0.9443 -1.0708"
model=parallelogram.ini
drives branch_word 3 "run.ini:5: [case turn] branch.bent: side 'positiv' is not known, did you mean 'positive'?" "${turning}branch.bent = positiv"
drives branch_name 3 "branch.bend: output 'bend'...did you mean 'bent'" "${turning}branch.bend = changes"
drives branch_rate 3 "branch.motor.angle.rate: 'motor.angle.rate' is no function of positions; expected a quantity of positions" "${turning}branch.motor.angle.rate = positive"
drives branch_none 4 "branch.bent = positive: the mechanism is assembled with -0.007...and 64 other guesses lead to no position on the stated side" \
  "${turning}branch.bent = positive\nbranch.unbent = positive"
sed 's/^guess.ground-other.angle = 0.5/guess.ground-other.angle = -1/; s/^guess.crank-rod.angle = -0.5/guess.crank-rod.angle = 1/' "$dir/parallelogram.ini" >"$dir/crossed.ini"
model=crossed.ini drives branch_of_guess 0 "warning: case 'turn': the start is closed in another way than its guesses say...guess.crank-rod.angle = -0.5" 'drive.motor.angle = 0.5'
# in a motion the momentum leads straight through
sed 's/^\[start\]/&\nhold.motor.angle = 0.5\nrate.motor.angle = 6/' "$dir/parallelogram.ini" >"$dir/moving.ini"
moving() { # NAME CODE PARTS SIDE
  printf '%b\n' 'schema = 1\n[model]\nfile = moving.ini\n[case turn]\nduration = 0.5\nstep = 0.01' "branch.bent = $4" >"$dir/run.ini"
  text="$("$MBOPT" simulate "$dir/run.ini" --quiet --output "$dir/branch" 2>&1)"
  check "$1_code" [ $? -eq "$2" ]
  check "$1" says "$text" "$3"
}
moving passes 0 "" changes
sed -i '/^branch/d' "$dir/run.ini"
check told says "$("$MBOPT" simulate "$dir/run.ini" --output "$dir/branch" 2>&1)" "at about t = 0.440266 s the motion passes a singular position...branch.QUANTITY = changes"
moving refused 5 "t = 0.45 s: branch.bent = negative: at t = 0.440266 s the mechanism passes a singular position and goes on to the other side, from" negative
model=slider_crank.ini

# ---- a linkage that locks: when, what would close it, and the motion up to there
locked=(simulate configs/dwell.ini --set design.pivot_y.start=0.3 --set constraint.swing.sharpness=50 --output "$dir/locked")
text="$("$MBOPT" "${locked[@]}" 2>&1)"
check locked_code [ $? -eq 5 ]
check locked_words says "$text" "t = 0.51...does not reach...mbopt: case 'turn' locks: from t = 0.52 to 0.91 s bars stay apart...to first order it would close with 'pivot_y' by -0.0486, from 0.3 to 0.2514, or 'pivot_x' by"
check locked_motion [ "$(tail -n 1 "$dir/locked/trajectory.csv" | cut -c 1-4)" = 0.51 ]
check locked_result says "$(tr -d '\n' <"$dir/locked/result.json")" '"status": "MBD_NO_CONVERGENCE",...does not reach...,    "case": "turn",    "time": 0.515625...  "cases": [],...    "rest": null,'
check locked_report says "$("$MBOPT" report "$dir/locked" 2>&1)" "locked is the folder of a simulation that failed: ...case 'turn', t = 0.51"
check locked_json says "$("$MBOPT" "${locked[@]}" --json 2>/dev/null | tr -d '\n')" '{  "failure": {...  "warnings": []}'
check locked_start says "$("$MBOPT" configs/dwell.ini --set design.pivot_y.start=0.3 --set constraint.swing.sharpness=50 --output "$dir/locked_start" 2>&1)" "the start cannot be simulated...mbopt: case 'turn' locks...repair_start = yes"
locked=("${locked[@]:1:6}" "$dir/repaired" --set optimizer.max_evaluations=1 --set optimizer.repair_start=yes)
check locked_repaired says "$("$MBOPT" "${locked[@]}" 2>&1)" "warning: a kinematic case locks at the start as it was drawn, which was moved...1 design simulated"
locked=(configs/dwell.ini --set constraint.transmission_Q.upper=2 --set constraint.transmission_C.upper=2 --set optimizer.max_evaluations=2)
check locked_on_the_way says "$("$MBOPT" "${locked[@]}" --output "$dir/on_the_way" 2>&1)" "mbopt: case 'turn' locks...that is design 2, from which the optimizer has stepped back...mechanism.opening"

# ---- centres: of the motion that is left when what drives it is named
centre='instant_centre(knuckle, ground, contact, forward@ground'
text="$("$MBOPT" gradient configs/corner.ini --set "objective.bump_steer.of=$centre).z" 2>&1)"
check undefined_code [ $? -eq 5 ]
check undefined says "$text" "output 'instant_centre(knuckle, ground, contact, forward@ground).z' is nan...undefined where constraints and drives leave no motion (name last what drives it"
check centre says "$("$MBOPT" gradient configs/corner.ini --set "objective.bump_steer.of=$centre, drive.rise).z" 2>&1)" "d/d rack_y"

# ---- commands that need a motion
drives for_motion 0 "d/d crank" 'drive.motor.angle = turning'
check no_motion says "$("$MBOPT" linearize "$dir/run.ini" 2>&1)" "case 'turn': analysis = kinematic: drives leave nothing free to move; expected analysis = motion or static"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 40 ]
