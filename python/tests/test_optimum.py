"""Derivatives by the implicit function theorem, against closed forms, differences and optimizations again."""

import numpy as np
import pytest

import mbopt

TIGHT = {"optimizer.tolerance": 1e-12, "optimizer.tol_f": 0, "optimizer.tol_x": 0}

MODEL = """schema = 1
[model]
title = two numbers
[scalars]
a = 3
b = 2
limit = 2
u = 0
v = 0
"""

RUN = """schema = 1
[model]
file = {model}
[design u]
lower = -10
upper = 10
[design v]
lower = -10
upper = {upper}
[objective distance]
value = (u - a)^2 + (v - b)^2
[constraint sum]
value = u + v - limit
upper = 0
[optimizer]
backend = nlopt
algorithm = LD_SLSQP
tol_x = 0
tol_f = 0
tolerance = 1e-12
"""


def opened(tmp_path, upper):
    model, run = tmp_path / "model.ini", tmp_path / "run.ini"
    model.write_text(MODEL)
    run.write_text(RUN.format(model=model, upper=upper))
    return mbopt.open(run)


def test_closed_form(tmp_path):
    with opened(tmp_path, 10) as p:
        moves = p.optimum_moves(p.minimize(), ["a", "b", "limit"])
    # u = (a - b + limit)/2, v = limit - u, lam = a + b - limit, f = lam^2/2
    assert np.allclose(moves.design, [[0.5, -0.5, 0.5], [-0.5, 0.5, 0.5]], atol=1e-8)
    assert np.allclose(moves.objective, [3, 3, -3], atol=1e-6)
    assert moves.active == pytest.approx({"sum": 3}, abs=1e-6) and moves.at_bounds == []


def test_bounds_hold(tmp_path):
    with opened(tmp_path, 0.25) as p:  # v = 0.25, u = limit - v
        moves = p.optimum_moves(p.minimize(), ["a", "limit"])
    assert np.allclose(moves.design, [[0, 1], [0, 0]], atol=1e-8) and moves.at_bounds == ["v"]


def test_prices(tmp_path):
    with opened(tmp_path, 1) as p:  # v = (b - a + limit)/2 reaches its bound with b = 3, and limit = 3; lam = a + b - limit
        best = p.minimize()
        prices = {one.name: one for one in p.prices(best, first_changes=True)}
        assert [one.below for one in p.prices(best)] == [None] * len(prices)
        with pytest.raises(mbopt.InputError, match="the design is no optimum"):
            p.prices(p.minimize({"optimizer.max_evaluations": 1}))
    held = prices["sum"]
    assert (held.kind, held.side, held.at) == ("constraint", "upper", 0) and held.slope == pytest.approx(-3, abs=1e-6)
    assert prices["b"].kind == "number" and prices["b"].slope == pytest.approx(3, abs=1e-6) and prices["b"].percent == pytest.approx(100 * 6 / 450, abs=1e-5)
    for name in ("b", "limit"):
        first = prices[name].above
        assert (first.change, first.kind, first.side, first.name) == ("reached", "variable", "upper", "v") and first.at == pytest.approx(3, abs=1e-6)
    with opened(tmp_path, 1) as p:  # before and after
        low, high = (p.minimize({"scalars.b": b}) for b in (2.99, 3.01))
    assert low.x[1] == pytest.approx(0.995, abs=1e-6) and high.x[1] == pytest.approx(1, abs=1e-6)


def test_again_from_other_numbers():
    def best(length):
        with mbopt.open("configs/five_bar.ini", {"case.swing.duration": 0.5, **TIGHT, "scalars.L12": length}) as p:
            return p.minimize().x

    with mbopt.open("configs/five_bar.ini", {"case.swing.duration": 0.5, **TIGHT}) as p:
        moves = p.optimum_moves(p.minimize(), "L12")
    length, h = np.hypot(1.5, 1), 1e-3
    assert np.allclose(moves.design[:, 0], (best(length + h) - best(length - h)) / (2 * h), rtol=1e-5)


def test_data():
    with mbopt.open("configs/servo_fit.ini", {"case.record.step": 2e-3}) as p:
        optimum = p.minimize(TIGHT)
        moves = p.optimum_moves_with_data(optimum)
        r, J = p.residuals_and_jacobian(optimum.x)
        assert moves.shape == J.T.shape
        # the change of all values by what the model changes along a direction is followed by the design, to first order in the residuals
        along = J @ (p.scale * 1e-3)
        followed = moves @ along
        H, gauss_newton = p.hessian(optimum.x), 2 * J.T @ J
        assert np.allclose(H @ followed, gauss_newton @ (p.scale * 1e-3), rtol=1e-8)


def test_eigenvalues():
    with mbopt.open("configs/servo.ini") as p:
        s, g = p.eigenvalue_gradients()
        assert np.allclose(s, p.linearize().eigenvalues, rtol=1e-9)
        for j in range(len(p.variables)):
            d = np.zeros(len(p.variables))
            d[j] = 1e-3 * p.scale[j]
            near, far = ((p.linearize(p.start + k * d).eigenvalues - p.linearize(p.start - k * d).eigenvalues) / (2 * k * d[j]) for k in (1, 2))
            assert np.allclose(g[:, j], (4 * near - far) / 3, rtol=0, atol=1e-7 * np.abs(g[:, j]).max())
    with mbopt.open("configs/step_descent.ini") as p:  # a free chassis: rigid motions have no derivatives
        s, g = p.eigenvalue_gradients()
        assert np.isnan(g).any() and np.isfinite(g[np.abs(s) > 1]).any()


def test_what_is_no_optimum():
    with mbopt.open("configs/five_bar.ini", {"case.swing.duration": 0.5}) as p:
        short = p.minimize({"optimizer.max_iterations": 1})
        with pytest.raises(mbopt.InputError, match="the design is no optimum"):
            p.optimum_moves(short, "L12")
        with pytest.raises(mbopt.InputError, match="'Ls1' is a design variable, expected a scalar that is none"):
            p.optimum_moves(short, "Ls1")
        with pytest.raises(mbopt.InputError, match="no_such"):
            p.optimum_moves(short, "no_such")
