#!/usr/bin/env python3
"""A method of scipy.optimize.minimize as an optimizer of mbopt (docs/own_optimizer.md):

  mbopt FILE.ini --command "python3 examples/optimizers/scipy_optimizer.py SLSQP"

SLSQP and trust-constr take constraints; trust-constr also takes products with second derivatives, where the problem has them. L-BFGS-B and TNC
take bounds alone, and so do Nelder-Mead and Powell, which need no gradient. SciPy works with y = x / scale.
"""

import json
import sys

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize
from scipy.sparse.linalg import LinearOperator

WITHOUT_GRADIENT = ("Nelder-Mead", "Powell")
WITH_CONSTRAINTS = ("SLSQP", "trust-constr")


class Ended(Exception):
    """mbopt has ended the run, or cannot simulate a design."""


class Mbopt:
    """The other side of standard input and output."""

    def __init__(self):
        self.problem = json.loads(sys.stdin.readline())
        self.known = None  # the last design, and the answer about it

    def ask(self, request):
        print(json.dumps(request), flush=True)
        answer = json.loads(sys.stdin.readline() or '{"stop": "end of input"}')
        for word in ("stop", "failed", "error"):
            if word in answer:
                raise Ended(f"{word}: {answer[word]}")
        return answer

    def evaluate(self, x, want):
        if self.known is None or not np.array_equal(self.known[0], x):
            self.known = (x.copy(), self.ask({"evaluate": x.tolist(), "want": want}))
        return self.known[1]


def numbers(values, none):
    return np.array([none if v is None else v for v in values], dtype=float)


def solve(mbopt, method):
    p, settings = mbopt.problem, mbopt.problem["settings"]
    scale = np.array(p["scale"])
    lower, upper = numbers(p["lower"], -np.inf), numbers(p["upper"], np.inf)
    with_gradient = method not in WITHOUT_GRADIENT and p["available"]["gradient"]
    want = ["gradient", "jacobian"] if with_gradient else []

    def user(y):  # rounding does not leave the bounds
        return np.clip(y * scale, lower, upper)

    def value(y):
        return mbopt.evaluate(user(y), want)

    def product(y, v, objective, multipliers):
        request = {"hessian": user(y).tolist(), "direction": (v.ravel() * scale).tolist(), "objective": objective}
        return scale * mbopt.ask({**request, "multipliers": multipliers})["product"]

    def operator(y, objective, multipliers):
        return LinearOperator((p["n"], p["n"]), matvec=lambda v: product(y, v, objective, multipliers))

    arguments = {"bounds": Bounds(lower / scale, upper / scale, keep_feasible=True)}
    if with_gradient:
        arguments["jac"] = lambda y: scale * value(y)["gradient"]
    second = method == "trust-constr" and p["available"]["hessian"]
    if second:
        arguments["hess"] = lambda y: operator(y, 1, [0.0] * len(p["constraints"]))
    if p["constraints"]:
        if method not in WITH_CONSTRAINTS:
            raise Ended(f"{method} takes no constraints, expected one of {', '.join(WITH_CONSTRAINTS)}")
        more = {"hess": lambda y, v: operator(y, 0, np.asarray(v).tolist())} if second else {}
        arguments["constraints"] = NonlinearConstraint(
            lambda y: value(y)["constraints"],
            numbers([c["lower"] for c in p["constraints"]], -np.inf),
            numbers([c["upper"] for c in p["constraints"]], np.inf),
            jac=lambda y: np.array(value(y)["jacobian"]) * scale,
            **more,
        )
    options = {"maxiter": settings["max_iterations"]}
    tolerances = {
        "SLSQP": {"ftol": settings["tol_f"]},
        "L-BFGS-B": {"ftol": settings["tol_f"], "gtol": settings["tolerance"]},
        "trust-constr": {"gtol": settings["tolerance"], "xtol": settings["tol_x"]},
    }
    options.update(tolerances.get(method, {}))
    count = 0

    def told(y, *state):
        nonlocal count
        count += 1
        mbopt.ask({"iteration": {"number": count, "f": value(y)["f"]}})

    result = minimize(
        lambda y: value(y)["f"], np.array(p["start"]) / scale, method=method, callback=told, options=options, **arguments
    )
    limit = count >= settings["max_iterations"]
    done = "converged" if result.success else "stopped_limit" if limit else "stalled"
    print(json.dumps({"done": done, "message": f"SciPy's {method}: {result.message}", "x": user(result.x).tolist()}), flush=True)


def main():
    mbopt = Mbopt()
    try:
        solve(mbopt, sys.argv[1] if len(sys.argv) > 1 else "SLSQP")
    except Ended as end:
        print(json.dumps({"done": "stalled", "message": str(end)}), flush=True)


main()
