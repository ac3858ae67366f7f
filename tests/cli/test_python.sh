#!/usr/bin/env bash
# The Python package (python/): its tests and the examples in its texts, with the library of the build; and the package as it is installed,
# which finds its library by itself.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build="$(dirname "$MBOPT")"
python="$(python_with "numpy, scipy, pytest")"
if [ -z "$python" ] || [ ! -e "$build/libmbo.so.1" ]; then
  echo "skipped: needs python3-numpy, python3-scipy, python3-pytest and shared libraries"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
# A test that hangs tells after two minutes where every thread waits.
limit=250
[ -z "${MBOPT_LONG:-}" ] || limit=3000
MBOPT_LIBRARY="$build/libmbo.so.1" PYTHONPATH=python timeout $limit "$python" -m pytest -q -p no:cacheprovider -o faulthandler_timeout=120 \
  --doctest-modules python >"$dir/tests" 2>&1
code=$?
check tests [ $code -eq 0 ]
if [ $code -eq 124 ]; then tail -60 "$dir/tests"; else grep -E "^(FAILED|E  )|passed" "$dir/tests"; fi

# The programs of the pages.
for page in own_optimizer python; do
  awk '/^```python/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/$page.md >"$dir/page.py"
  MBOPT_LIBRARY="$build/libmbo.so.1" PYTHONPATH=python "$python" "$dir/page.py" >"$dir/out" 2>&1
  check $page [ $? -eq 0 ]
done
check page_converges grep -q "^CONVERGED {'Ls1': 2.4319" "$dir/out"

# The notebook, cell by cell, with what it shows; and the script that compares optimizers.
cat >"$dir/notebook.py" <<'PYTHON'
import ast
import json
import sys

names, shown = {}, []
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last:
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
print(len(shown), sum("<table>" in one for one in shown), sum("<iframe" in one for one in shown))
PYTHON
MBOPT_LIBRARY="$build/libmbo.so.1" PYTHONPATH=python "$python" "$dir/notebook.py" examples/python/tour.ipynb >"$dir/out" 2>&1
check notebook grep -qx "7 4 1" "$dir/out"
MBOPT_LIBRARY="$build/libmbo.so.1" PYTHONPATH=python "$python" examples/python/minimize.py configs/pendulum.ini >"$dir/out" 2>&1
check example [ $? -eq 0 ]

cmake --install "$build" --prefix "$dir/prefix" >/dev/null 2>&1
cat >"$dir/script.py" <<'PYTHON'
import mbopt

p = mbopt.open("configs/five_bar.ini")
best = p.minimize()
print(f"{best.status} {best.design['Ls1']:.6f}")
PYTHON
PYTHONPATH="$dir/prefix/lib/python3/dist-packages" "$python" "$dir/script.py" >"$dir/out" 2>&1
check installed grep -qx "CONVERGED 2.431924" "$dir/out"
MBOPT_LIBRARY="$dir/no_such_file.so" PYTHONPATH=python "$python" -c "import mbopt" >"$dir/out" 2>&1
check missing grep -q "libmbo is not found; install mbopt with its libraries, or set MBOPT_LIBRARY" "$dir/out"

# By pip, from the source tree, with libraries of its own.
if [ -n "${MBOPT_LONG:-}" ] && "$python" -c "import pip, setuptools, wheel" 2>/dev/null; then
  MBOPT_BUILD="$build" "$python" -m pip install --quiet --target "$dir/site" --no-index --no-build-isolation --no-deps . >"$dir/out" 2>&1
  check pip_installs [ $? -eq 0 ]
  (cd "$dir" && PYTHONPATH="$dir/site" "$python" - "$OLDPWD") >"$dir/out" 2>&1 <<'PYTHON'
import sys
import mbopt

print(mbopt._library.library._name.startswith(mbopt.__path__[0]), mbopt.open(sys.argv[1] + "/configs/five_bar.ini").minimize().status)
PYTHON
  check pip_runs grep -qx "True CONVERGED" "$dir/out"
  check pip_program [ "$(PYTHONPATH="$dir/site" "$python" "$dir/site/bin/mbopt" --version)" = "$("$MBOPT" --version)" ]
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
