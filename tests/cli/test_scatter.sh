#!/usr/bin/env bash
# Scalars that scatter, from the command line: the cheapest tolerances of a press in closed form, what result.json and the page say, studies, messages.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if ! built_in ipopt; then
  echo "skipped: IPOPT is not built in"
  exit 77
fi

# ---- tolerances: t_i proportional to (c_i/x_i^2)^(1/3), see problems/tolerances/README.md
"$MBOPT" configs/tolerances.ini --output "$dir/tolerances" >"$dir/out" 2>&1
check "tolerances exit code" [ $? -eq 0 ]
check "tolerances" python3 - "$dir/tolerances/result.json" <<'END'
import json, math, sys
r = json.load(open(sys.argv[1]))
crank, rod, a = 0.05, 0.18, math.pi/3
q = math.sqrt(rod**2 - (crank*math.sin(a))**2)
x = [1000*(math.cos(a) - crank*math.sin(a)**2/q), 1000*rod/q]
c = [1e-4, 4e-4]
t = [(c[i]/x[i]**2)**(1/3) for i in range(2)]
k = 0.1/math.hypot(x[0]*t[0], x[1]*t[1])
for name, want in (("t_crank", k*t[0]), ("t_rod", k*t[1])):
  assert abs(r["design"][name]/want - 1) < 2e-6, (name, r["design"][name], want)
bound = [s for s in r["scatter"]["quantities"] if s["name"] == "bound"][0]
assert abs(bound["shares"][0]["share"] - (x[0]*k*t[0]/0.1)**2) < 1e-6, bound
assert abs(bound["sigma"] - 0.1/3) < 1e-8 and bound["unit"] == "mm" or bound["unit"] == "", bound
assert bound["check"]["low"] < bound["value"] < bound["check"]["high"] and not bound["check"]["differs"], bound
END
check "shares on the terminal" grep -q "the scatter of bound, to first order 0.0333., comes from rod (85.6 %), crank (14.4 %)" "$dir/out"
"$MBOPT" report "$dir/tolerances" >"$dir/out" 2>&1
check "section of the page" grep -q "1000 independent random samples" "$dir/tolerances/report.html"

# ---- a limit that the control finds violated
"$MBOPT" simulate configs/scatter_quarter_car.ini --set constraint.holding.upper=0.05 --set scenarios.samples=7 --set scenarios.check=100 --output "$dir/simulate" >"$dir/out" 2>&1
check "violated" grep -q "holding across 100 independent samples: .*, which violates its limit" "$dir/out"

# ---- threads do not change anything
for threads in 1 3; do
  "$MBOPT" gradient configs/scatter_quarter_car.ini --threads $threads --set scenarios.samples=7 --set gradient.method=direct --json --output "$dir/g$threads" >"$dir/gradient$threads.json" 2>&1
done
check "threads" [ "$(grep -c comfort "$dir/gradient1.json")" -gt 0 ]
check "same to the last bit" cmp <(sed 's/"[a-z_]*seconds": [^,]*//g; s#/g[13]##g' "$dir/gradient1.json") <(sed 's/"[a-z_]*seconds": [^,]*//g; s#/g[13]##g' "$dir/gradient3.json")

# ---- a sweep over the scatter itself, with the samples of each run
"$MBOPT" sweep configs/scatter_quarter_car.ini --set scenarios.samples=3 --set scenarios.check=0 --set "sweep.vary.uncertain.tyre_stiffness.deviation=5000, 20000" --output "$dir/sweep" >"$dir/out" 2>&1
check "sweep" [ $? -eq 0 ]
check "two runs" grep -q "2 runs: 2 done" "$dir/out"

# ---- resumed, with the choices of all scenarios: the same result
few=(--set scenarios.check=0 --set scenarios.samples=3 --quiet)
"$MBOPT" configs/scatter_quarter_car.ini "${few[@]}" --output "$dir/whole" >"$dir/out" 2>&1
"$MBOPT" configs/scatter_quarter_car.ini "${few[@]}" --max-evaluations 4 --output "$dir/parts" >"$dir/out" 2>&1
"$MBOPT" configs/scatter_quarter_car.ini "${few[@]}" --resume --output "$dir/parts" >"$dir/out" 2>&1
check "resumed" python3 -c 'import json, sys; a, b = (json.load(open(f)) for f in sys.argv[1:]); assert a["design"] == b["design"] and a["objective"] == b["objective"]' \
  "$dir/whole/result.json" "$dir/parts/result.json"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
