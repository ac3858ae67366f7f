#!/usr/bin/env bash
# Bad input: every broken model or run file gets its exit code, and a message with place, finding and expectation.
set -u
dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT
printf 'x,y\n0, 1\n1, 2\n\n1, 3\n' >"$dir/road.csv" # beside the model file
passed=0 failed=0 drawn=0

# Run, and compare exit code and message.
#   expect NAME CODE "PART OF THE MESSAGE" ARGUMENTS ...
expect() {
  local name="$1" code="$2" part="$3" got text
  shift 3
  text="$("$MBOPT" "$@" 2>&1)"
  got=$?
  if [ "$got" -eq "$code" ] && [[ "$text" == *"$part"* ]]; then
    passed=$((passed + 1))
  elif [ "$got" -eq 9 ] && [[ "$text" == *"is not built in"* ]]; then
    echo "skipped $name: $text"
  else
    failed=$((failed + 1))
    echo "FAILED $name: exit code $got, expected $code; expected the text: $part"
    echo "  $text"
  fi
}

# Start from good files, change them with sed, run, compare.
#   broken_in MODEL RUN_FILE DURATION NAME CODE "SED FOR THE MODEL" "SED FOR THE RUN FILE" "PART OF THE MESSAGE" [ARGUMENTS ...]
broken_in() {
  local model="$1" run="$2" duration="$3" name="$4" code="$5" of_model="$6" of_run="$7" part="$8"
  shift 8
  # With sanitizers a sixth of what ends as files are read, of which tests/unit/config and tests/fuzz read all within one program.
  if [ $# -eq 0 ] && [ -n "${MBOPT_SLOW:-}" ] && [ -z "${MBOPT_LONG:-}" ] && [ $((drawn++ % 6)) -ne 0 ]; then return; fi
  for file in "${model%/*}"/*_corner.ini; do # its parts
    [ ! -f "$file" ] || sed -e "${of_parts-}" "$file" >"$dir/${file##*/}"
  done
  sed -e "$of_model" "$model" >"$dir/${model##*/}"
  sed -e 's#^file = .*/#file = #' -e "s/^duration = .*/duration = $duration/" -e "$of_run" "$run" >"$dir/run.ini"
  [ $# -gt 0 ] || set -- gradient "$dir/run.ini"
  expect "$name" "$code" "$part" "$@"
}
#   broken NAME ...: a linkage; two manoeuvres of a car, one of them from equilibrium; control points as design variables
broken() { broken_in problems/five_bar/five_bar.ini configs/five_bar.ini 0.05 "$@"; }
broken_car() { broken_in problems/buggy/buggy.ini configs/suspension_two_cases.ini 0.02 "$@"; }
broken_drive() { broken_in problems/five_bar/five_bar_driven.ini configs/five_bar_driven.ini 0.05 "$@"; }

# ---- the files themselves
broken good 0 "" "" "psi1"
broken no_schema 3 "" '/^schema/d' "before 'schema = 1', which must come first"
broken other_schema 3 "" 's/^schema = 1/schema = 2/' "schema = 2 is not supported"
broken missing_model 3 "" 's/five_bar.ini/nothing.ini/' "run.ini:7: [model] file = nothing.ini: $dir/nothing.ini: No such file"
broken missing_run 3 "" "" "No such file" gradient "$dir/absent.ini"
broken folder_as_file 3 "" 's#^file = .*#file = .#' "run.ini:7: [model] file = .: $dir/.: is a folder, expected a file"
broken no_equals 3 "" 's/^duration = .*/duration 5/' "is neither a [section] nor key = value"
broken no_bracket 3 "" 's/^\[case swing\]/[case swing/' "a section without ']'"
broken twice_key 3 "" 's/^duration = .*/&\nduration = 3/' "duration appears twice, first in line"
broken twice_section 3 "" '$a [case swing]' "appears twice, first in line"
broken empty_value 3 "" 's/^duration = .*/duration =/' "has no value"
broken zero_byte 3 "" 's/^duration = .*/duration = \x00/' "this is no text file"
broken latin_1 3 "" $'s/^duration = .*/duration = 5 \xe4/' "letters that are not in UTF-8; save the file in that encoding"
broken latin_1_set 3 "" "" "--set: letters that are not in UTF-8" gradient configs/five_bar.ini --set $'output.folder=\xe4'
broken latin_1_comment 0 $'s/^schema = 1/&  ; \xe4/' $'s/^duration = .*/& ; \xe4/' "psi1"
broken long_line 3 "" "s/^duration = .*/duration = $(printf '1%.0s' $(seq 400))/" "the line is too long"
broken byte_order_mark 0 $'1s/^/\xef\xbb\xbf/' $'1s/^/\xef\xbb\xbf/' "psi1"
broken utf_16 3 "" $'1s/^/\xff\xfe/' "run.ini: is in UTF-16; save the file in UTF-8"
# ---- files without an end, or that nobody writes to
mkfifo "$dir/pipe.ini"
truncate -s 65M "$dir/huge.ini"
expect endless_run 3 "/dev/zero: is a device, expected a file" model /dev/zero
expect pipe_run 3 "$dir/pipe.ini: is a pipe, expected a file" model "$dir/pipe.ini"
expect folder_run 3 "$dir/.: is a folder, expected a file" model "$dir/."
grep -v -e '^lower' -e '^upper' -e '^start' configs/double_pendulum.ini | sed -e '/^\[design/d' -e "s#^file = .*/#file = $PWD/problems/double_pendulum/#" >"$dir/still.ini"
expect no_design 3 "has no design variable: expected [design NAME]; mbopt simulate computes it as it is" "$dir/still.ini"
expect huge_run 3 "$dir/huge.ini: has more than 64 MiB, expected a text file of at most that" model "$dir/huge.ini"
broken endless_model 3 "" 's#^file = .*#file = /dev/zero#' "/dev/zero: is a device, expected a file"
broken pipe_model 3 "" 's#^file = .*#file = pipe.ini#' "pipe.ini: is a pipe, expected a file"
broken huge_model 3 "" 's#^file = .*#file = huge.ini#' "huge.ini: has more than 64 MiB"
broken zero_byte_model 3 's/^g = 9.81/g = 9.81\x00/' "" "a zero byte: this is no text file"
broken endless_curve 3 '$a [curve c]\ntype = table\nfile = /dev/zero' "" "[curve c] file = /dev/zero: /dev/zero: is a device, expected a file"
broken pipe_curve 3 '$a [curve c]\ntype = table\nfile = pipe.ini' "" "pipe.ini: is a pipe, expected a file"
printf '0, 1\n1, 2\0\n' >"$dir/zero.csv"
broken zero_byte_curve 3 '$a [curve c]\ntype = table\nfile = zero.csv' "" "zero.csv:2: a zero byte: this is no text file"
#   points NAME FILE "PART OF THE MESSAGE": a sweep over the rows of a file
points() {
  broken "$1" 3 "" "\$a [sweep]\nplan = csv\nfile = $2" "$3" sweep "$dir/run.ini" --output "$dir/sweep" --dry-run
}
printf 'g\n9\n\0\n' >"$dir/zero_points.csv"
printf 'g\n9\n\xe4\n' >"$dir/latin_1_points.csv"
printf '\xef\xbb\xbfg\n9\n10\n' >"$dir/mark_points.csv"
points endless_points /dev/zero "/dev/zero: is a device, expected a file"
points pipe_points pipe.ini "pipe.ini: is a pipe, expected a file"
points zero_byte_points zero_points.csv "zero_points.csv:3: a zero byte: this is no text file"
points latin_1_points latin_1_points.csv "latin_1_points.csv:3: letters that are not in UTF-8"
broken byte_order_mark_points 0 "" '$a [sweep]\nplan = csv\nfile = mark_points.csv' "runs 0 to 1 by" sweep "$dir/run.ini" --output "$dir/sweep" --dry-run
mkdir "$dir/study"
mkfifo "$dir/study/study.json"
expect pipe_study 3 "$dir/study is not a study: it has no study.json that this program wrote (is a pipe, expected a file)" status "$dir/study"
# ---- a signal ends what has nothing to save: the first line has come, and more than a pipe holds is to follow
mkfifo "$dir/lines"
"$MBOPT" model configs/chain.ini --set scalars.N=300 >"$dir/lines" 2>/dev/null &
pid=$!
exec 3<"$dir/lines"
read -r -u 3 _
kill -TERM "$pid"
exec 3<&-
wait "$pid"
code=$?
if [ "$code" -eq 75 ]; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAILED model_hears_signals: exit code $code, expected 75"
fi
# ---- run files
broken unknown_section 3 "" 's/^\[optimizer\]/[optimiser]/' "section 'optimiser' is not known in a run file, did you mean 'optimizer'?"
broken model_as_run 3 "" "" "section 'body' is one of a model file; a run file names its model" model problems/five_bar/five_bar.ini
broken unknown_key 3 "" 's/^duration/duraton/' "has 'duraton', which is not known here: did you mean 'duration'?"
broken misspelt_key 3 "" 's/^hessian/hesian/' "key 'hesian' is not known here, did you mean 'hessian'?"
broken not_a_number 3 "" 's/^duration = .*/duration = five/' "run.ini:"
broken negative_duration 3 "" 's/^duration = .*/duration = -5/' "expected a number between 1e-12 and 1e+09 s"
broken step_too_long 3 "" 's/^step = .*/step = 1/' "expected 0 < step <= duration"
broken bad_integrator 3 "" 's/^duration = .*/&\nintegrator = generalised_alpha/' "expected one of newmark|generalized_alpha|runge_kutta_4|dormand_prince, did you mean 'generalized_alpha'?"
broken rho_inf_range 3 "" 's/^duration = .*/&\nintegrator = generalized_alpha\nrho_inf = 1.5/' "rho_inf = 1.5: expected a number between 0 and 1"
broken rtol_range 3 "" 's/^duration = .*/&\nformulation = matrix_r\nintegrator = dormand_prince\nrtol = 0/' "rtol = 0: expected a number between 1e-14 and 1"
broken max_step_range 3 "" 's/^duration = .*/&\nmax_step = -1/' "max_step = -1: expected a number between 0 and 1e+09 s"
broken rtol_of_none 3 "" 's/^duration = .*/&\nrtol = 1e-4/' "rtol = 1e-4: integrator 'newmark' has no rtol, expected integrator = dormand_prince, or the key left out"
broken gamma_of_none 3 "" 's/^duration = .*/&\nanalysis = static\ngamma = 0.6/' "gamma = 0.6: analysis 'static' has no gamma, expected integrator = newmark, or the key left out"
broken rtol_default 0 "" 's/^duration = .*/&\nrtol = 1e-8/' "psi1"
broken penalty_of_no_projection 3 "" 's/^duration = .*/&\nformulation = matrix_r\npenalty = 1e6/' "penalty = 1e+06: formulation 'matrix_r' has no penalty, expected ali3p or penalty"
broken independent_name 3 "" 's/^duration = .*/&\nformulation = matrix_r\nindependent = J1.angel/' "independent = J1.angel: not a coordinate of the model, did you mean 'J1.angle'?"
broken penalty_name 3 "" 's/^duration = .*/&\npenalty.coincidnt = 1e8/' "run.ini:17: [case swing] penalty.coincidnt: no constraint of the model and no equation of one, expected one of these or of their types (perpendicular, coincident), did you mean 'coincident'?"
broken penalty_value 3 "" 's/^duration = .*/&\npenalty.coincident = 0/' "run.ini:19: [case swing] penalty.coincident = 0: expected a number between 1e-20 and 1e+20"
broken penalty_text 3 "" 's/^duration = .*/&\npenalty.coincident = soft/' "penalty.coincident = soft: expected a number or an expression; scalar 'soft' is not known"
broken penalty_of_none 3 "" 's/^duration = .*/&\nformulation = matrix_r\npenalty.coincident = 1/' "penalty.coincident: formulation 'matrix_r' has no penalties, expected ali3p or penalty"
broken penalty_good 0 "" 's/^duration = .*/&\nformulation = penalty\npenalty.coincident = 10^6/' "psi1"
broken wrong_kind 3 "" 's/^duration = .*/&\nintegrator = dormand_prince/' "formulation 'ali3p' needs an implicit integrator, not 'dormand_prince'"
natural='s/^duration = .*/&\ncoordinates = natural'
broken bad_coordinates 3 "" "${natural}s/" "expected one of joint|natural, did you mean 'natural'?"
broken natural_formulation 3 "" "$natural\nformulation = penalty/" "coordinates = natural: formulation = penalty, expected ali3p or matrix_r"
broken natural_recursion 3 "" "$natural\nformulation = semi_recursive/" "coordinates = natural: formulation = semi_recursive, expected ali3p or matrix_r"
broken natural_independent 3 "" "$natural\nformulation = matrix_r\nindependent = A1.angle/" "coordinates = natural: independent = A1.angle names a joint coordinate, expected auto"
broken natural_integrator 3 "" "$natural\nintegrator = dormand_prince/" "formulation 'ali3p' needs an implicit integrator"
broken natural_tangent 3 "" "$natural\ntangent = differences/" "coordinates = natural: tangent = differences, expected analytic"
broken natural_analysis 3 "" "$natural\nanalysis = static/" "a case with analysis = static has no coordinates, expected the key left out"
of_step='s/^of = .*/of = JA.angle.unprojected_rate/; s/^target = .*//; s/^duration = .*/&'
broken step_terms 0 "" "$of_step/" "psi1"
broken step_terms_formulation 3 "" "$of_step\nformulation = matrix_r/" "'JA.angle.unprojected_rate' is a term of a step: analysis = motion, formulation = matrix_r, coordinates = joint has none"
broken step_terms_natural 3 "" "$of_step\ncoordinates = natural/" "formulation = ali3p, coordinates = natural has none"
broken step_terms_redundant 3 "" 's/^of = .*/of = JB.coincident.step_multiplier/' "the constraints are redundant ('JB.coincident.z' follows from others)"
expect step_terms_continuous 3 "'ball.coincident.velocity_projection.x' is a multiplier of projections" gradient configs/spatial_four_bar.ini --set objective.crank.of=ball.coincident.velocity_projection --set case.swing.duration=0.01 --set gradient.method=continuous_adjoint --output "$dir/continuous"
broken natural_kinks 0 "" "" "case v2: 20 steps" simulate configs/bicycle_weave.ini --set case.v2.coordinates=natural --set case.v2.duration=0.02 --output "$dir/weave"
broken bad_projection 3 "" 's/^duration = .*/&\nprojection_matrix = mas/' "expected one of mass|unit|tangent, did you mean 'mass'?"
broken not_whole 3 "" 's/^max_iterations = .*/max_iterations = 2.5/' "expected a whole number"
broken bad_choice 3 "" 's/^form = .*/form = integral_squared/' "did you mean 'integral_square'?"
broken bad_hessian 3 "" 's/^hessian = .*/hessian = exactly/' "expected one of auto|limited_memory|gauss_newton|exact, did you mean 'exact'?"
broken unknown_scalar 3 "" 's/^\[design Ls1\]/[design Ls9]/' "scalar 'Ls9' is not known"
broken unknown_output 3 "" 's/^of = .*/of = P9.position/' "did you mean 'P1'?"
broken unknown_quantity 3 "" 's/^of = .*/of = P2.positon/' "has no quantity 'positon', did you mean 'position'? Else expected one of: position, velocity, acceleration"
broken output_of_cut 3 "" 's/^of = .*/of = s1.stretch/' "expected one of: length, speed, force"
broken target_size 3 "" 's/^target = .*/target = 1, 2/' "target has 2 values, but output P2.position has 3"
broken bounds_crossed 3 "" 's/^lower = 0.5/lower = 9/' "lower = 9 is above upper = 4"
broken start_outside 3 "" 's/^lower = 0.5/lower = 3/' "is outside of the bounds"
broken unknown_case 3 "" 's/^form = /case = swin\nform = /' "case 'swin' is not known, did you mean 'swing'?"
broken no_case 3 "" '/^\[case swing\]/,/^step/d' "no [case NAME]"
broken scalar_override 3 "" '$a [scalars]\nLs8 = 1' "has no such scalar, did you mean 'Ls1'?"
broken scalar_override_place 3 "" '$a [scalars]\nLs8 = 1' "$dir/run.ini: [scalars] Ls8 = 1: the model $dir/"
broken unknown_column 3 "" '$a [output]\ncolumns = P2.position.x, J2.angel' "run.ini: [output columns]: column 'J2.angel' is not known, did you mean 'J2.angle'?"
broken set_section 3 "" "" "section 'cas' is not known" gradient "$dir/run.ini" --set cas.swing.step=1
broken set_syntax 3 "" "" "expected SECTION.KEY=VALUE" gradient "$dir/run.ini" --set step
broken set_value 3 "" "" "--set: [case swing] step = x: expected a number" gradient "$dir/run.ini" --set case.swing.step=x
broken unknown_backend 3 "" 's/^backend = .*/backend = ipop/' "did you mean 'ipopt'?" optimize "$dir/run.ini" --output "$dir/o"
broken unknown_algorithm 3 "" 's/^backend = .*/backend = nlopt\nalgorithm = LD_SLQSP/; /^hessian/d' "did you mean 'LD_SLSQP'?" optimize "$dir/run.ini" --output "$dir/o"
# Open MPI, which some systems' IPOPT is linked with, overwrites functions such as mprotect as it is loaded, a sanitizer's own too, which
# ends the process; the test preset sanitize says that it should not (OMPI_MCA_memory). What it leaves allocated then is known as its
# own (tests/leaks.supp) by a stack that passes functions without frame pointers.
ASAN_OPTIONS="${ASAN_OPTIONS:-}:fast_unwind_on_malloc=0" broken native_option 3 "" '$a [native]\nmu_strategie = x' "is not an option of IPOPT" optimize "$dir/run.ini" --output "$dir/o"
broken nothing_to_differentiate 3 "" '/^\[objective/,/^$/d' "expected at least one to differentiate, or --over-time"
broken gn_not_square 3 "" 's/^form = .*/form = integral/' "needs method = auto or direct and objectives that are all squares" optimize "$dir/run.ini" --output "$dir/o"
# ---- model files
broken model_section 3 's/^\[joint JA\]/[jont JA]/' "" "section 'jont' is not known in a model file, did you mean 'joint'?"
broken no_name 3 's/^\[joint JA\]/[joint]/' "" "expected a name: [joint NAME]"
broken expression 3 's/^mA1 = 1/mA1 = 1 +/' "" "column 4: found the end, expected a number, a name or '('"
broken unknown_name 3 's/^mass = mA1/mass = mA/' "" "scalar 'mA' is not known"
broken unknown_function 3 's/^Ls1 = sqrt(5)/Ls1 = sqr(5)/' "" "did you mean 'sqrt'?"
broken circular 3 's/^mA1 = 1$/mA1 = m12/; s/^m12 = .*/m12 = mA1/' "" "depends on itself"
broken root_of_negative 3 's/^Ls1 = sqrt(5)/Ls1 = sqrt(-5)/' "" "'sqrt' of -5 is"
broken divide_by_zero 3 's/^IA1 = .*/IA1 = 1\/(m12-1.5)/' "" "'/' of 1 and 0 is inf"
broken negative_mass 3 's/^mA1 = 1$/mA1 = -1/' "" "the value is -1, expected >= 0"
broken negative_inertia 3 's/^inertia = 0, 0, IA1/inertia = 0, -1, IA1/' "" "Iyy = -1, expected >= 0"
broken two_coordinates 3 's/^at.A1 = LA1, 0, 0/at.A1 = LA1, 0/' "" "2 values, expected 3 separated by commas"
broken missing_mass 3 '/^mass = mA1/d' "" "key 'mass' is missing: mass of the body [kg]"
broken misspelt_mass 3 's/^mass = mA1/mas = mA1/' "" "has 'mas', which is not known here: did you mean 'mass'?"
broken scalar_name 3 's/^g = 9.81/&\ng-2 = 3/' "" "[scalars] g-2 = 3: the name of a scalar is made of letters, digits and '_'"
broken unknown_body 3 's/^at.B12 = 0, 0, 0/at.B21 = 0, 0, 0/' "" "body 'B21' is not known, did you mean 'B12'?"
broken unknown_joint 3 '0,/^type = revolute/s//type = revolut/' "" "type 'revolut' is not known, did you mean 'revolute'?"
broken unknown_point 3 's/^points = B, P1/points = B, P7/' "" "point 'P7' is not known, did you mean 'P1'?"
broken three_points 3 's/^points = B, P1/points = B, P1, P2/' "" "3 names, expected 2: its two ends"
broken point_not_on_body 3 '/^at.B12 = 0, 0, 0/d' "" "point 'P1' is not given on body 'B12'"
broken unknown_force 3 '0,/^type = spring/s//type = sprin/' "" "this type of force is not known, did you mean 'spring'?"
broken stop_engage 3 '$a [force b]\ntype = bump_stop\npoints = B, P1' "" "key 'engage' is missing: distance a of the points below which"
broken stop_onset 3 '$a [force b]\ntype = rebound_stop\npoints = B, P1\nengage = 1\nonset = 0' "" "onset = 0: the value is 0, expected >= 1e-09"
broken stop_design 3 '$a [force b]\ntype = bump_stop\npoints = B, P1\nengage = 1\nonset = Ls1 - 3' "" "onset = Ls1 - 3: the value is -0.7"
broken bar_coordinate 3 '$a [force b]\ntype = anti_roll_bar\ncoordinates = J2.angle, J9.angle' "" "coordinate 'J9.angle' is not known, did you mean 'J"
broken bar_coordinates 3 '$a [force b]\ntype = anti_roll_bar\ncoordinates = J2.angle' "" "1 names, expected 2: the two coordinates"
broken wheel_axle 3 '$a [force b]\ntype = wheel_torque\nbodies = A1, B12\naxle = axel' "" "vector 'axel' is not known"
broken wheel_spin_speed 3 '$a [force b]\ntype = wheel_torque\nbodies = A1, B12\naxle = e\nspin_speed = 0' "" "spin_speed = 0: the value is 0, expected >= 1e-09"
broken wheel_same_body 3 '$a [vector e]\nalong.A1 = 0, 0, 1\n[force b]\ntype = wheel_torque\nbodies = A1, A1\naxle = e' "" "force 'b': body 'A1' is named twice, expected two different bodies"
broken no_distance 3 '$a [constraint b]\ntype = distance\npoints = B, P1\ndistance = 0' "" "distance = 0: the value is 0, expected >= 1e-09"
broken bar_same 3 '$a [force b]\ntype = anti_roll_bar\ncoordinates = J2.angle, J2.angle' "" "coordinate 'J2.angle' is named twice"
broken all_joints 3 's/^joints = named/joints = all/' "" "expected found or named beside frame = body"
broken gear_same 3 '$a [constraint b]\ntype = gear\ncoordinates = J2.angle, J2.angle\nratio = 2' "" "constraint 'b': coordinate 'J2.angle' is named twice, expected two different ones"
broken angle_same 3 '$a [coordinate s]\nguess = 0\n[vector e]\nalong.A1 = 1, 0, 0\n[constraint b]\ntype = angle_coordinate\nbodies = A1, A1\ncoordinate = s\naxes = e, e' "" "constraint 'b': body 'A1' is named twice, expected two different bodies"
broken rotor_inertia 3 '$a [force b]\ntype = rotor_inertia\ncoordinate = J2.angle\ninertia = -1' "" "inertia = -1: the value is -1, expected >= 0"
broken gear_ratio 3 '$a [constraint b]\ntype = gear\ncoordinates = J2.angle, J1.angle' "" "key 'ratio' is missing: ratio k = z1d/z2d"
broken cam_same 3 '$a [curve c]\ntype = periodic_spline\nfrom = 0\nto = 1\ncoefficients = 0, 1, 0\n[constraint b]\ntype = cam\ncoordinates = J2.angle, J2.angle\nmotion = c' "" "constraint 'b': coordinate 'J2.angle' is named twice, expected two different ones"
broken cam_motion 3 '$a [constraint b]\ntype = cam\ncoordinates = J2.angle, J1.angle' "" "key 'motion' is missing: z1 as a function f of z2"
broken periodic_count 3 '$a [curve c]\ntype = periodic_bspline\nfrom = 0\nto = 1\ncoefficients = 0, 1, 0' "" "coefficients = 0, 1, 0: 3 coefficients, expected at least 4"
broken rack_unit 3 '$a [constraint b]\ntype = rack_and_pinion\ncoordinates = J2.angle, J1.angle\nradius = 2' "" "coordinate 'J2.angle' is in rad, expected m"
broken friction_width 3 '$a [force b]\ntype = joint_friction\ncoordinate = J2.angle\ntorque = 2' "" "key 'width' is missing: rate w of the smoothing"
broken friction_torque 3 '$a [force b]\ntype = joint_friction\ncoordinate = J2.angle\ntorque = -2\nwidth = 0.1' "" "torque = -2: the value is -2, expected >= 0"
bushing='$a [vector e]\nalong.A1 = 1, 0, 0\nalong.B12 = 1, 0, 0\n[vector n]\nalong.A1 = 0, 1, 0\nalong.B12 = 0, 1, 0\n[vector m]\nalong.A1 = 0, 1, 0\n[force b]\ntype = bushing'
broken bushing_good 0 "$bushing\\npoints = P1@A1, P1@B12\\naxes = e, n" "" "psi1"
broken bushing_axes 3 "$bushing\\npoints = P1@A1, P1@B12\\naxes = e, e" "" "axes vector.e@A1.x ... and vector.e@A1.x ... make no frame: they are parallel"
broken bushing_one_axis 3 "$bushing\\npoints = P1@A1, P1@B12\\naxes = e" "" "1 names, expected 2: two vectors, each given on both bodies"
broken bushing_not_on_body 3 "$bushing\\npoints = P1@A1, P1@B12\\naxes = e, m" "" "force 'b': vector 'm' is not given on body 'B12'"
broken bushing_axis_body 3 "$bushing\\npoints = P1@A1, P1@B12\\naxes = e@A1, n" "" "'e@A1', expected the name alone"
broken bushing_one_body 3 "$bushing\\npoints = P1, P1\\naxes = e, n" "" "both points are taken on body 'A1', expected two bodies"
broken bushing_stiffness 3 "$bushing\\npoints = P1@A1, P1@B12\\naxes = e, n\\nstiffness = 5" "" "1 value, expected 3 separated by commas"
broken unknown_force_key 3 's/^stiffness = k1/stifness = k1/' "" "key 'stifness' is not known here, did you mean 'stiffness'?"
broken unknown_curve 3 's/^stiffness = k1/&\nforce_of_speed = c/' "" "curve 'c' is not known"
broken nan_in_curve 3 '$a [curve c]\ntype = polynomial\ncoefficients = 1, log(-1)' "" "'log' of -1 is"
broken knots 3 '$a [curve c]\ntype = spline\ncoefficients = 1, 2, 3\nknots = 0, 2, 1' "" "knots must increase, but knot 3 = 1 follows 2"
broken knot_count 3 '$a [curve c]\ntype = spline\ncoefficients = 1, 2, 3\nknots = 0, 2' "" "2 knots for 3 coefficients"
broken few_coefficients 3 '$a [curve c]\ntype = harmonic\ncoefficients = 1, 2' "" "2 coefficients, expected 4"
broken curve_file 3 '$a [curve c]\ntype = table\nfile = rood.csv' "" "rood.csv: No such file"
broken curve_file_row 3 '$a [curve c]\ntype = table\nfile = road.csv' "" "road.csv:5: knots must increase, but 1 follows 1"
broken curve_file_kind 3 '$a [curve c]\ntype = step\nfile = road.csv' "" "this type of curve has no knots"
broken step_width 3 '$a [curve c]\ntype = step\ncoefficients = 0, 1, 2, 0' "" "curve 'c': c3 = 0 is a width, expected > 0"
broken ramp_end 3 '$a [curve c]\ntype = ramp\ncoefficients = 0, 1, 2, 0.1, 1' "" "the ramp ends at 1, expected an end after its start at 2"
broken ramp_count 3 '$a [curve c]\ntype = ramp\ncoefficients = 0, 1, 2, 0.1, 3, 4' "" "6 coefficients, expected at most 5 (c0 level"
broken bend_count 3 '$a [curve c]\ntype = piecewise_linear\ncoefficients = 1, 0.1, 0, 2, 1' "" "5 coefficients, expected an even number: a slope, a width"
broken bend_order 3 '$a [curve c]\ntype = piecewise_linear\ncoefficients = 1, 0.1, 0, 2, -1, 3' "" "bends must follow each other, but c4 = -1 comes after c2 = 0"
broken bend_width 3 '$a [curve c]\ntype = piecewise_linear\ncoefficients = 1, 0, 0, 2' "" "curve 'c': c1 = 0 is a width, expected > 0"
broken unknown_held 3 's/^hold.A1.angle.z/hold.A9.angle.z/' "" "body 'A9' is not known, did you mean 'A1'?"
broken rate_alone 3 '$a rate.J2.angle = 1' "" "expected also hold.J2.angle = VALUE"
broken name_twice 3 's/^\[force s1\]/[force P1]/' "" "the name 'P1' is used for a force and for a point"
broken axis_length 3 's/^along.A1 = 0, 0, 1/along.A1 = 0, 0, 0/' "" "has no length"
# ---- repetition
broken repeat_bound 3 's/^g = 9.81/&\nn = 1.5/; $a [body b{i}]\nrepeat = i from 1 to n\nmass = 1' "" "[body b{i}] repeat = i from 1 to n: 'n' is 1.5, expected a whole number"
broken repeat_name 3 's/^g = 9.81/&\nlinks = 2/; $a [body b{i}]\nrepeat = i from 1 to link\nmass = 1' "" "'link' is neither an index here nor a scalar, did you mean 'links'?"
broken repeat_products 3 '$a [body b{i}_{k}]\nrepeat = i from 1 to 10000, k from 1 to 10000\nmass = 1' "" "repeat = i from 1 to 10000, k from 1 to 10000: the repetitions make more than 16 MiB of text"
broken repeat_twice 3 '$a [body b]\nrepeat = i from 1 to 2\nmass = 1' "" "section '[body b]' comes out twice, first from line"
broken repeat_brace 3 '$a [body b{i]\nrepeat = i from 1 to 2\nmass = 1' "" "'_', '-' and pairs of braces"
broken repeat_key 3 '$a hold.J{i from 1 to 2 = 1' "" "expected braces in pairs: {expression}"
broken repeat_in_run 3 "" '$a [case c{i}]\nrepeat = i from 1 to 2\nstep = 1' "[case c1] key 'duration' is missing"
broken repeat_twice_in_run 3 "" 's/^duration = .*/&\nrepeat = i from 1 to 2/' "section '[case swing]' comes out twice"
broken repeat_count_of_run 3 "" '$a [case c{i}]\nrepeat = i from 1 to N\nstep = 1' "'N' is neither an index here nor a scalar"
expect repeat_count_varies 3 "scalar 'N' of configs/../problems/chain/chain.ini numbers what is repeated or named, so it cannot vary" \
  gradient configs/chain.ini --set design.length.scalar=N
expect repeat_none 0 "tip_x" gradient configs/chain.ini --set scalars.N=1 --set case.fall.duration=0.01
expect repeat_too_few 3 "[point P{i}] repeat = i from 2 to N: i runs from 2 to 0, expected an end of at least 1" gradient configs/chain.ini --set scalars.N=0
# ---- property files of tyres
#   tyre NAME "SED FOR THE .tir FILE" "PART OF THE MESSAGE" [KEY = VALUE IN THE MODEL FILE]
tyre() {
  sed -e "$2" problems/buggy/tyres/MagicFormula52_Parameters.tir >"$dir/t.tir"
  broken "$1" 3 "\$a [force t]\ntype = tyre_magic_formula\ncentre = P1\naxis = n\nwheel = A1\n${4:-tir = t.tir}" "" "$3"
}
tyre good_tir '' "vector 'n' is not known" # nothing to say about the file itself
tyre misspelt_tyre '' "tir = passenger_cars: this tyre of mbopt is not known, did you mean 'passenger_car'?" 'tir = passenger_cars'
tyre no_tir '' "absent.tir: No such file" 'tir = absent.tir'
tyre folder_tir '' "tir = .: $dir/.: is a folder, expected a file" 'tir = .'
tyre endless_tir '' "tir = /dev/zero: /dev/zero: is a device, expected a file" 'tir = /dev/zero'
tyre zero_byte_tir 's/^PDX1 .*/PDX1 = \x00/' "t.tir:92: a zero byte: this is no text file"
tyre latin_1_tir $'s/^PDX1 .*/PDX1 = \xe4/' "t.tir:92: letters that are not in UTF-8"
tyre broken_line 's/^PDX1 .*/PDX1 0.885/' "t.tir:92: 'PDX1 0.885', expected [SECTION] or KEY = value"
tyre broken_section 's/^\[VERTICAL\]/[VERTICAL/' "'[VERTICAL', a section without ']'"
tyre broken_quote "s/^ANGLE .*/ANGLE = 'radians/" "t.tir:9: ANGLE = 'radians, expected a closing quote"
tyre broken_number 's/^PDX1 .*/PDX1 = 0.88.5/' "t.tir:92: PDX1 = 0.88.5, expected a number"
tyre empty_number 's/^PDX1 .*/PDX1 = $ none/' "t.tir:92: PDX1 = (nothing), expected a number"
tyre repeated_key 's/^PDX2 .*/pdx1 = 1/' "t.tir:93: pdx1 appears twice, first in line 92"
tyre other_formula 's/^FITTYP .*/FITTYP = 61/' "t.tir:17: FITTYP = 61, expected 5, 6, 51 or 52"
tyre no_formula '/^FITTYP/d' "FITTYP is missing"
tyre pac2002 "s/'USER'/'PAC2002'/; /^FITTYP/d; /^{radial/d" "vector 'n' is not known"
tyre other_units "s/^LENGTH .*/LENGTH = 'mm'/" "t.tir:7: LENGTH = 'mm', expected 'meter': convert the file to SI units"
tyre missing_coefficient '/^PKY1/d' "tir = t.tir: the file gives no value of 'pky1', nor does the section"
tyre misspelt_coefficient '/^PKY1/d' "has 'pky11', which is not known here: did you mean 'pky1'?" 'tir = t.tir\npky11 = -20'
tyre sign_convention 's/^PKY1 .*/PKY1 = 20/' "t.tir:130: PKY1 = 20, expected <= -1e-09"
tyre no_file_no_key '' "key 'unloaded_radius' is missing: radius R0 without load [m]" 'side = -1'
tyre override '/^PKY1/d' "vector 'n' is not known" 'tir = t.tir\npky1 = -20 - sqrt(2)'
tyre override_range '' "the value is -2, expected between -1 and 1" 'tir = t.tir\nside = -2'
tyre unknown_coefficient '' "key 'pcx11' is not known here, did you mean 'pcx1'?" 'tir = t.tir\npcx11 = 1'
# ---- mechanics
broken infeasible 4 's/^LA1 = .*/LA1 = 9/' "" "the mechanism cannot be assembled from its guesses, nor from others: in the closest position equation 'JB.coincident."
broken infeasible_loop 4 's/^LA1 = .*/LA1 = 9/' "" ", which closes the loop ground - A1 - B12 - B23 - B3 (the loops cannot"
broken closest_drawn 4 's/^LA1 = .*/LA1 = 9/' "" "the position that comes closest is drawn in $dir/closest/closest.svg" model "$dir/run.ini" --output "$dir/closest"
if grep -q '>3.7 m apart</text>' "$dir/closest/closest.svg"; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "FAILED closest_gap: closest.svg does not show it"
fi
broken contradiction 4 '$a hold.J2.angle = 3' "" "cannot be assembled"
broken singular 5 's/^mass = .*/mass = 0/; s/^inertia = .*/inertia = 0, 0, 0/' "" "coordinates 'JA.angle', 'J3.angle' have neither mass nor a constraint; expected a mass"
broken guess_of_cut 3 's/^guess.JA.angle.*/guess.JB.angle = 1/' "" "five_bar.ini: [start] guess.JB.angle: joint 'JB' is cut, so that it has no coordinates; expected guesses for the other joints of its loop: guess.J3.angle, guess.J2.angle, guess.J1.angle, guess.JA.angle"
broken guess_of_body 3 's/^guess.JA.angle.*/guess.A1.angle.z = 1/' "" "[start] guess.A1.angle.z: 'A1' is a body, and guesses are given for coordinates; expected that of its joint: guess.JA.angle"
broken guess_unknown 3 's/^guess.JA.angle.*/guess.JA.angel = 1/' "" "[start] guess.JA.angel: coordinate 'JA.angel' is not known, did you mean 'JA.angle'?"
# ---- cases with scalars of their own, starts from equilibrium, peaks
broken_car good_car 0 "" "" "roll"
broken_car settle_not_held 3 's/^settle = P1.z/settle = P1.zz/' "" "quantity 'P1.zz' is not held at the start, so it cannot settle, did you mean 'P1.z'?"
of_parts='/^settle = /d' broken_car nothing_settles 3 '/^settle = /d' "" "[case lane_change] a start from equilibrium needs held quantities that settle: settle = QUANTITY, ... in the model's [start]"
of_parts='s/^\(stiffness = \)k_[fr]/\10/' broken_car no_springs 4 's/^\(stiffness = \)k_[fr]/\10/' "" "case 'lane_change', t = 0 s: no static equilibrium found"
broken_car peak_without_sharpness 0 "" 's/^form = .*/form = peak/' "roll"
broken_car design_in_case 3 "" 's/^scalar.drop = .*/scalar.k_f = 1/' "[case step] sets scalar 'k_f', which [design k_f] varies; expected one of the two"
broken_car unknown_in_case 3 "" 's/^scalar.drop = .*/scalar.k_ff = 1/' "$dir/run.ini: [case step] scalar.k_ff = 1: the model $dir/buggy.ini has no such scalar, did you mean 'k_f'?"
broken_car other_road 0 "" 's/^scalar.drop = .*/curve.road = waves/' "roll"
broken_car unknown_road 3 "" 's/^scalar.drop = .*/curve.road = wave/' "$dir/run.ini: [case step] curve.road = wave: the model $dir/buggy.ini has no curve 'wave', did you mean 'waves'?"
broken_car unknown_curve 3 "" 's/^scalar.drop = .*/curve.rood = waves/' "has no curve 'rood', did you mean 'road'?"
broken_car worst_or_what 3 "" 's/^combine = .*/combine = wurst/' "expected one of sum|worst, did you mean 'worst'?"
# ---- objectives along a curve, a rider's torque
bicycle=(gradient configs/bicycle_double_turn.ini --set case.turn.duration=0.01)
expect good_bicycle 0 "roll" "${bicycle[@]}"
expect tight_memory 3 "configs/bicycle_double_turn.ini: [gradient] memory_limit = 1e-05 MiB: 10 bytes for the trajectory of 2 steps, expected at least" "${bicycle[@]}" --set gradient.method=discrete_adjoint --set gradient.memory_limit=1e-5
expect unknown_target 3 "configs/bicycle_double_turn.ini: [objective roll] target_curve = roll_re is not a curve of the model, did you mean 'roll_ref'?" "${bicycle[@]}" --set objective.roll.target_curve=roll_re
sed -e 's/^left = left_R@frame/left = left_R@fork/' problems/bicycle/bicycle.ini >"$dir/bicycle.ini"
expect rider_on_fork 3 "force 'rider': vector 'left_R' is not given on body 'fork'" "${bicycle[@]}" --set model.file="$dir/bicycle.ini"
sed -e '/^roll_gain/d; s/^coordinate = steer.angle/coordinate = steer.angl/' problems/bicycle/bicycle.ini >"$dir/bicycle.ini"
expect rider_on_what 3 "coordinate 'steer.angl' is not known, did you mean 'steer.angle'?" "${bicycle[@]}" --set model.file="$dir/bicycle.ini"
# ---- control points as design variables
broken_drive good_drive 0 "" "" "d/d motor.32"
broken_drive both_kinds 3 "" 's/^curve = .*/&\nscalar = g/' "[design motor] curve = torque: expected either 'scalar' or 'curve', not both"
broken_drive unknown_drive 3 "" 's/^curve = .*/curve = torqe/' "[design motor] curve 'torqe' is not known in $dir/five_bar_driven.ini, did you mean 'torque'?"
broken_drive no_points 3 "" 's/^curve = .*/curve = still/' "curve 'still' of $dir/five_bar_driven.ini has no control points; expected one with knots"
broken_drive curve_twice 3 "" '$a [design again]\ncurve = torque' "[design again] curve 'torque' is varied already by [design motor]"
broken_drive curve_and_scalar 3 's/^value = 0/value = g*x/' '$a [design g]' "[design ...] curve.torque.1 = g*x of $dir/five_bar_driven.ini varies already with scalar 'g'; expected one of the two"
broken_drive number_varies 3 "" '$a [design points]' "[design points] scalar 'points' of $dir/five_bar_driven.ini determines the points of curve 'torque', so it cannot vary"
broken_drive start_of_points 3 "" 's/^lower = .*/lower = 1/' "the model's curve.torque.1 = 0 is outside of the bounds 1 and 200; give a start"
broken_drive points_of_cases 3 "" 's/^of = .*/&\ncase = hold/; $a [case other]\nduration = 0.05\nstep = 5e-3\nscalar.points = 7' "[design motor]: curve 'torque' has 7 points in case 'other', but 32 in case 'hold'"
broken_drive some_points 0 "" 's/^curve = .*/&\nfirst = 4\nlast = points - 3/' "d/d motor.29"
broken_drive no_such_points 3 "" 's/^curve = .*/&\nlast = points + 1/' "[design motor] first = 1, last = 33: curve 'torque' has the control points 1 to 32, expected first <= last among them"
broken_drive last_before_first 3 "" 's/^curve = .*/&\nfirst = 5\nlast = 4/' "[design motor] first = 5, last = 4: curve 'torque' has the control points 1 to 32"
broken_drive point_zero 3 "" 's/^curve = .*/&\nfirst = 0/' "[design motor] first = 0: expected"
broken_drive scalar_points 3 "" '$a [design g]\nlast = points' "[design g] first, last: a scalar has no control points; expected them with 'curve'"
broken adjoint_gauss_newton 3 "" '$a [gradient]\nmethod = discrete_adjoint' "[gradient] method = discrete_adjoint: an adjoint gives no Gauss-Newton matrix; expected method = auto or direct, or [optimizer] hessian"
broken adjoint_misspelt 3 "" '$a [gradient]\nmethod = discrete_adjont' "did you mean 'discrete_adjoint'?"
# ---- arguments
broken no_threads 2 "" "" "value '0' of --threads: expected a number from 1 to 1000" gradient "$dir/run.ini" --threads 0
broken word_threads 2 "" "" "value 'two' of --threads: expected a number from 1 to 1000" gradient "$dir/run.ini" --threads two
broken no_file 2 "" "" "needs a run file" gradient
broken unknown_command 2 "" "" "command 'gradint' is not known, did you mean 'gradient'?" gradint "$dir/run.ini"
broken unknown_option 2 "" "" "option '--jsn' is not known, did you mean '--json'?" gradient "$dir/run.ini" --jsn
broken option_value 2 "" "" "needs a value" gradient "$dir/run.ini" --output
broken two_files 2 "" "" "is one file too many" gradient "$dir/run.ini" "$dir/run.ini"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 60 ]
