"""A network that drives a cart with an inverted pendulum, trained by PyTorch through the simulation, and the same weights by SciPy's optimizer.

    python3 examples/python/policy/train.py [STEPS]

The network stands in the model file as expressions, so that it acts within every time step; PyTorch sees the motion as a function of its weights, and the loss is
any of its functions of that. Here it is the sum of mean squares that policy.ini has for its objective, so that both can be compared.
"""

import pathlib
import sys

import numpy as np
import torch
from scipy.optimize import minimize

import mbopt

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 60
p = mbopt.open(pathlib.Path(__file__).parent / "policy.ini")
columns, weight = ["hinge.angle", "slide.distance", "policy"], torch.tensor([1.0, 1.0, 1e-4], dtype=torch.double)
motions = [mbopt.torch.trajectory(p, columns, case) for case in p.cases]


def loss(x):
    total = 0.0
    for motion in motions:
        square = motion(x).square()  # [node][column]
        mean = (square.sum(0) - (square[0] + square[-1]) / 2) / (len(square) - 1)  # by the trapezoidal rule
        total = total + mean @ weight
    return total


# The gradient through PyTorch is that of the objective.
x = torch.tensor(p.start, requires_grad=True)
f = loss(x)
f.backward()
own, g = p.value_and_gradient()
print(f"loss {f.item():.10g}, objective {own:.10g}; gradients differ by {np.abs(x.grad.numpy() - g).max() / np.abs(g).max():.1e}")

# Trained by PyTorch: L-BFGS, whose steps are taken back where the pendulum falls.
optimizer = torch.optim.LBFGS([x], max_iter=steps, history_size=20, line_search_fn="strong_wolfe", tolerance_grad=1e-9, tolerance_change=1e-12)


def closure():
    optimizer.zero_grad()
    value = loss(x)
    value.backward()
    return value


optimizer.step(closure)
print(f"PyTorch, {steps} iterations of L-BFGS: {loss(x).item():.6g}")

# The same by SciPy.
result = minimize(**p.scipy(method="L-BFGS-B"), options={"maxiter": steps, "ftol": 1e-15, "gtol": 1e-9})
print(f"SciPy, {result.nit} iterations of L-BFGS-B: {result.fun:.6g}")
