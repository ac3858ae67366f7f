"""The law of the buggy's front dampers as a network of PyTorch, fitted to a motion through the simulation, and the same network by SciPy's optimizer.

    python3 examples/python/damper/fit.py [ITERATIONS]

The damper of the model is a curve, force over speed, at whose control points the network is read: the simulation sees numbers, and PyTorch the network behind them.
The motion is that of a degressive law, the buggy's front end as it falls from a step; both optimizers see 60 samples of the front springs' lengths.
"""

import pathlib
import sys

import numpy as np
import torch
from scipy.optimize import minimize

import mbopt

iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 40
root = pathlib.Path(__file__).resolve().parents[3]

# The buggy with a damper that is a curve beside each front spring, which keeps no damping of its own.
speeds = np.linspace(-0.4, 0.4, 13)  # [m/s] the control points
m = mbopt.Model(root / "problems/buggy/buggy.ini")
m.curve("law", "spline", **{"from": speeds[0], "to": speeds[-1]}, coefficients=np.zeros(len(speeds)))
for side in ("left", "right"):
    m.quantity(f"push_{side}", curve="law", value=f"front_{side}.spring.speed", unit="N")
    m.force(f"damper_{side}", "expression", points=[f"front_{side}.T", f"front_{side}.D"], value=f"push_{side}")
run = mbopt.Run(m)
run.scalars(c_f=0, drop=0.15)
run.case("step", duration=0.6, step=2e-3)
run.design("law", curve="law")
run.output(outputs=["front_left.spring.length"])
p = run.open()


def degressive(v):
    return 900 * np.sign(v) * np.sqrt(np.abs(v)) * np.tanh(6 * np.abs(v))


lengths = mbopt.torch.trajectory(p, "front_left.spring.length", times=np.linspace(0.01, 0.6, 60))
measured = lengths(torch.tensor(degressive(speeds)))

torch.manual_seed(1)
network = torch.nn.Sequential(torch.nn.Linear(1, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1)).double()
inputs = torch.tensor(speeds)[:, None]
parameters = list(network.parameters())


def loss():
    return (1e3 * (lengths(1e3 * network(inputs)[:, 0]) - measured)).square().mean()  # in mm^2


# The gradient in the law through PyTorch is the package's own.
law = torch.tensor(degressive(speeds) * 0.5, requires_grad=True)
(1e3 * (lengths(law) - measured)).square().mean().backward()
y = p.trajectory("front_left.spring.length", times=np.linspace(0.01, 0.6, 60))
own = y.vjp(2e6 * (y(law.detach().numpy()) - measured.numpy()) / 60, law.detach().numpy())
print(f"gradients in the law differ by {np.abs(law.grad.numpy() - own).max() / np.abs(own).max():.1e}")

begin = torch.nn.utils.parameters_to_vector(parameters).detach().clone()
print(f"begin: {loss().item():.6g} mm^2")
optimizer = torch.optim.LBFGS(parameters, max_iter=iterations, history_size=20, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    value = loss()
    value.backward()
    return value


optimizer.step(closure)
print(f"PyTorch, {iterations} iterations of L-BFGS: {loss().item():.6g} mm^2")


def value_and_gradient(w):
    torch.nn.utils.vector_to_parameters(torch.tensor(w), parameters)
    for one in parameters:
        one.grad = None
    value = loss()
    value.backward()
    return value.item(), torch.cat([one.grad.ravel() for one in parameters]).numpy()


result = minimize(value_and_gradient, begin.numpy(), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
print(f"SciPy, {result.nit} iterations of L-BFGS-B: {result.fun:.6g} mm^2")
fitted = 1e3 * network(inputs)[:, 0].detach().numpy()
print("speed [m/s]  law [N]  fitted [N]")
for v, true, found in zip(speeds, degressive(speeds), fitted):
    print(f"{v:10.3f} {true:9.1f} {found:10.1f}")
