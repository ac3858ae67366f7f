#!/usr/bin/env bash
# The functions for Octave (octave/), built with the library of the build: gradients against those of the program, Octave's own optimizer
# against ours, errors with the program's text, handles that are closed and freed; and the program of the page.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build="$(realpath "$(dirname "$MBOPT")")"
if ! command -v octave-cli >/dev/null || ! command -v mkoctfile >/dev/null || [ ! -e "$build/libmbo.so.1" ]; then
  echo "skipped: needs octave and octave-dev, which no test command installs, and shared libraries"
  exit 77
fi
mkoctfile --mex -Wall -Werror octave/mbopt_mex.c -o "$dir/mbopt_mex.mex" -Iopt/include -Ilib/include -I"$build/generated" \
  -L"$build" -lmbo -lmbd "-Wl,-rpath,$build" >"$dir/log" 2>&1
check builds [ $? -eq 0 ]
cat "$dir/log"

cat >"$dir/test.m" <<'OCTAVE'
h = mbopt_open('configs/pendulum.ini', 'case.drop.step=0.02', 'gradient.method=discrete_adjoint');
s = mbopt_info(h);
assert(s.variables, {'stiffness'; 'damping'});
assert(s.upper, [100; 20]);
assert(s.constraints, {'tip_speed'});
assert(s.constraint_upper, 0.05);

% gradients against differences of values, at a design of one's own
x = [7; 0.9];
[f, g, c, gc] = mbopt_eval(h, x);
assert(size(gc), [2, 1]);
for i = 1:2
  d = zeros(2, 1);
  d(i) = 1e-5;
  [f1, ~, c1] = mbopt_eval(h, x + d);
  [f0, ~, c0] = mbopt_eval(h, x - d);
  assert(g(i), (f1 - f0)/2e-5, 1e-7);
  assert(gc(i, 1), (c1 - c0)/2e-5, 1e-7);
end
assert(all(g != 0) && all(gc != 0));
assert(mbopt_eval(h, x'), f, 1e-12); % with a gradient, sums are taken in another order
[c, ceq, gc, gceq] = mbopt_nonlcon(h, x);
assert(c, nthargout(3, @mbopt_eval, h, x) - 0.05, 1e-12);
assert(size(ceq), [0, 1]);
assert(size(gceq), [2, 0]);

% the motion
m = mbopt_simulate(h, x);
assert(m.names{1}, 't');
assert(m.units{1}, 's');
assert(m.values(end, 1), 4, 1e-12);
angle = m.values(:, strcmp(m.names, 'ground-bar.angle'));
t = m.values(:, 1);
assert(trapz(t, (angle - 0.5).^2), f, 1e-3*f);

% errors, with the text of the program
function fails(identifier, text, f, varargin)
  try
    f(varargin{:});
  catch e
    assert(e.identifier, identifier);
    assert(! isempty(strfind(e.message, text)), e.message);
    return
  end
  error('nothing failed where this was expected: %s', text);
end
fails('mbopt:input', 'none.ini: No such file', @mbopt_open, 'none.ini');
fails('mbopt:input', 'case drop', @mbopt_open, 'configs/pendulum.ini', 'case.drop.stp=1');
fails('mbopt:input', 'expected a design of 2 real numbers', @mbopt_eval, h, [1 2 3]);
fails('mbopt:input', 'expected a handle', @mbopt_eval, 'h');
fails('mbopt:input', 'expected the number of a case', @mbopt_simulate, h, x, 2);
fails('mbopt:input', "command 'opn' is not known", @mbopt_mex, 'opn');
mbopt_close(h);
fails('mbopt:input', 'is not open', @mbopt_eval, h);

% a design that cannot be simulated: an optimizer sees Inf
h2 = mbopt_open('configs/five_bar.ini', 'case.swing.duration=0.1');
assert(h2 != h);
fails('mbopt:simulation', 'is not a finite number', @mbopt_eval, h2, [1e6; NaN]);
assert(mbopt_objective(h2, [1e6; NaN]), Inf);
mbopt_close(h2);

% handles are freed
function kib = resident()
  kib = str2double(regexp(fileread('/proc/self/status'), 'VmRSS:\s*(\d+)', 'tokens'){1}{1});
end
for round = 1:2
  for i = 1:150
    k = mbopt_open('configs/pendulum.ini', 'case.drop.step=0.2');
    mbopt_eval(k);
    mbopt_close(k);
  end
  used(round) = resident();
end
assert(used(2) - used(1) < 2000, 'memory grows: %d KiB', used(2) - used(1));
k = mbopt_open('configs/pendulum.ini'); % closed when the program ends
disp('all right');
OCTAVE
run() { # NAME FILE
  OCTAVE_PATH="octave:$dir" octave-cli --norc --quiet "$2" >"$dir/$1.out" 2>&1 # its exit code alone tells less than the last line
  tail -n 3 "$dir/$1.out" | grep -v "preparing to exit"
}
run test "$dir/test.m"
check test grep -qx "all right" "$dir/test.out"

awk '/^```octave/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/library.md >"$dir/page.m"
run page "$dir/page.m"
check page grep -q "^17.498 3.550 CONVERGED$" "$dir/page.out"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
