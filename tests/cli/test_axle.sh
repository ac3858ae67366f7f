#!/usr/bin/env bash
# Axles with default settings: hard points of 4 to 15 variables follow what is wanted in at most 25 designs, without warnings (of seven axles two, with MBOPT_LONG all); and gradients are right, also with bushings.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
MBOPT="$(realpath "$MBOPT")"
top="$PWD"
cd "$dir" || exit 1

# fitted RUN FACTOR: the objective falls by that factor at least
fitted() {
  local run="$1" line
  check "$run converges" "$MBOPT" "$run" --output out >log 2>err
  check "$run warns: $(cat err)" [ "$(grep -c -i "warning" log err | cut -d: -f2 | xargs)" = "0 0" ]
  line="$(grep '^objective .*designs simulated' log)"
  check "$run, a line about the result: $line" [ -n "$line" ]
  check "$run, at most 25 designs: $line" awk -v line="$line" 'BEGIN { match(line, /[0-9]+ designs/); exit !(substr(line, RSTART) + 0 <= 25) }'
  check "$run, objective: $line" awk -v factor="$2" -v line="$line" 'BEGIN { split(line, w, / at the start /); split(w[1], end, / /); exit !(end[2] * factor < w[2] + 0) }'
}
types=(double_wishbone macpherson five_link trailing_arm semi_trailing rigid_axle)
for type in "${types[@]}"; do "$MBOPT" new kc_axle --type "$type" . >log; done
if [ -n "${MBOPT_LONG:-}" ]; then
  fitted "$top/configs/kc_axle.ini" 100
else
  types=(macpherson trailing_arm)
fi
for type in "${types[@]}"; do fitted "kc_axle_$type.ini" "$([[ $type == *trailing* ]] && echo 2 || echo 50)"; done
checked=(kc_axle_double_wishbone.ini kc_axle_rigid_axle.ini)
[ -z "${MBOPT_LONG:-}" ] || checked+=("$top/configs/kc_axle.ini" kc_axle_trailing_arm.ini)
for run in "${checked[@]}"; do
  steps=()
  for case in $(sed -n 's/^\[case \(.*\)\]/\1/p' "$run"); do steps+=(--set "case.$case.step=0.5"); done
  check "gradient of $run" "$MBOPT" check "$run" --set check.variables=1 "${steps[@]}" >log 2>err
  check "gradient of $run is right" contains "$(tail -1 log)" "all right"
done

# ---- one model with rigid joints or bushings: a case says which
"$MBOPT" new kc_axle --type five_link soft >log
check "neither rigid nor soft" contains "$("$MBOPT" simulate soft/kc_axle_five_link.ini --set case.lateral.scalar.bushings=0.5 2>&1)" "'bushings' is 0.5, expected a whole number"
# warned of is what was asked for by name: the slopes of rates do not exist in static cases
check "a column by name" contains "$("$MBOPT" simulate soft/kc_axle_five_link.ini --set output.columns=left.wheel.toe_by_travel 2>&1)" "case 'lateral': at t = 0 s and maybe later, output 'left.wheel.toe_by_travel' is"
check "columns by a pattern" [ "$("$MBOPT" simulate soft/kc_axle_five_link.ini --set 'output.columns=left.wheel.toe_by*' 2>&1 | grep -c warning)" = 0 ]
sed -i 's/^link_5_stiffness/link_5_stifness/' soft/kc_axle_five_link_model.ini
check "a stiffness that is missing" contains "$("$MBOPT" simulate soft/kc_axle_five_link.ini 2>&1)" "link_5_stiffness"

# ---- a page, by one line
check page "$MBOPT" report out --output page.html >log
check page_there grep -q "left.wheel.camber" page.html

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
