"""SciPy's optimizer finds the optimum that the run file's own finds:  python3 minimize.py configs/step_descent.ini"""
import sys
import mbopt
from scipy.optimize import minimize

with mbopt.open(sys.argv[1]) as p:
    ours = p.minimize().objective
    theirs = minimize(method="trust-constr", **p.scipy()).fun
print(f"mbopt {ours:.9g}, SciPy {theirs:.9g}")
sys.exit(abs(theirs - ours) > 1e-6 * abs(ours))
