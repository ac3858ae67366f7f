"""Derivatives of what a condition determines, by the implicit function theorem: of eigenvalues, and of optima.

How an optimum moves with numbers that are held while it is sought: the implicit function theorem at its conditions.

At an optimum x of f with the constraints and bounds that hold it, A' lam = -g,

    [ H  A' ] [ dx/dp   ]     [ H_xp ]
    [ A  0  ] [ dlam/dp ] = - [ A_p  ],      df/dp = g_p + lam' A_p,

where H is the second derivative of f + lam' c in the variables that are at no bound, and the index p means derivatives by a number p of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .kinds import Array

if TYPE_CHECKING:
    from .problem import Problem
    from .results import Optimum

_AT = 1e-6  # how near to a bound or a limit, in scales of the variable or of the limit, counts as at it
_OPTIMAL = 1e-4  # how much of a gradient multipliers may leave
_SINGULAR = 1e-10  # least singular value of the conditions, relative to the largest


@dataclass(frozen=True)
class FirstChange:
    """What changes first at an optimum as a number moves."""

    change: str
    """"released": what held the design no longer does; "reached": what did not hold it does from there on"""
    kind: str
    """"constraint" or "variable" """
    side: str
    """"lower" or "upper": which limit or bound"""
    name: str
    at: float
    """value of the number where it happens, to first order"""


@dataclass(frozen=True)
class Price:
    """What a limit, a bound or a fixed number changes at an optimum, with the design that follows (`Problem.prices`)."""

    name: str
    kind: str
    """"constraint", "variable", or "number" of the model"""
    side: str
    """"lower" or "upper"; "" of an equation and of a number"""
    unit: str
    at: float
    slope: float
    """derivative of the objective by it"""
    percent: float
    """by how many percent of its size the objective rises where `at` rises by 1 % of its size; NaN: either is 0"""
    below: Optional[FirstChange]
    """what changes first as it falls; None: nothing, or it was not asked for"""
    above: Optional[FirstChange]


@dataclass(frozen=True)
class Moves:
    """Derivatives of an optimum by numbers p of its file (`Problem.optimum_moves`)."""

    names: list[str]
    design: Array
    """dx/dp [variable][p]; zero of variables that a bound holds"""
    objective: Array
    """df/dp [p], with the design that follows"""
    active: dict[str, float]
    """Multipliers of the constraints that hold the optimum, by name"""
    at_bounds: list[str]
    """Variables that their bounds hold"""


def _with_variables(problem: Problem, names: Sequence[str]) -> Problem:
    """The problem in which numbers of the file vary, too."""
    taken = [name for name in names if name in problem.variables]
    if taken:
        raise InputError(f"{problem.path}: '{taken[0]}' is a design variable, expected a scalar that is none")
    return problem.reopen({f"design.{name}.scale": 1 for name in names})


def _held(problem: Problem, x: Array, g: Array) -> NDArray[np.bool_]:
    """[variable] which ones a bound holds: those at it that would leave the range downhill. The others there are free."""
    return ((x - problem.lower <= _AT * problem.scale) & (g > 0)) | ((problem.upper - x <= _AT * problem.scale) & (g < 0))


def _solved(matrix: Array, right: Array, what: str) -> Array:
    sizes = np.abs(matrix).max(axis=1, initial=0.0)
    scale = 1 / np.sqrt(np.where(sizes > 0, sizes, 1))  # symmetric, so that units do not decide
    scaled = matrix * scale * scale[:, None]
    singular = np.linalg.svd(scaled, compute_uv=False) if len(scaled) else np.ones(1)
    if singular[-1] < _SINGULAR * singular[0]:
        raise InputError(f"{what} does not determine how the design moves: its second derivatives are singular along a direction")
    return scale[:, None] * np.linalg.solve(scaled, scale[:, None] * right) if len(scaled) else right


def of_stages(problem: Problem, optimum: Optimum) -> InputError:
    """Why an optimum of several stages has no derivatives here."""
    return InputError(
        f"{problem.path}: limits were met by true values in {optimum.stages} stages, whose conditions are those of a shifted problem; "
        "expected an optimum of one stage"
    )


class _Conditions:
    """Gradients at a design of a problem in which p varies, too, and the constraints that hold it."""

    def __init__(self, problem: Problem, wide: Problem, optimum: Optimum):
        if optimum.stages > 1:
            raise of_stages(problem, optimum)
        n = self.n = len(problem.variables)
        self.x = np.concatenate([optimum.x, wide.start[n:]])
        _, self.g, c, self.A = wide._evaluate(self.x)
        gap = np.minimum(np.abs(c - problem.constraint_lower), np.abs(c - problem.constraint_upper))
        size = np.maximum(np.abs(c), np.abs(self.A[:, :n] @ np.diag(problem.scale)).max(axis=1, initial=0.0))
        self.near = np.flatnonzero(gap <= _AT * size)
        self.equal = problem.constraint_lower == problem.constraint_upper
        self.names = problem.constraints
        self._multipliers(problem, c)

    def _multipliers(self, problem: Problem, c: Array) -> None:
        """Least squares over the free variables; limits whose multiplier has the wrong sign hold nothing."""
        n, scale = self.n, problem.scale
        near = list(self.near)
        upper = np.abs(c - problem.constraint_upper) <= np.abs(c - problem.constraint_lower)
        while True:
            A = self.A[near][:, :n]
            lam = np.linalg.lstsq((A * scale).T, -self.g[:n] * scale, rcond=None)[0] if near else np.zeros(0)
            rest = self.g[:n] + lam @ A
            held = _held(problem, self.x[:n], rest)
            if near:
                lam = np.linalg.lstsq((A * scale).T[~held], -(self.g[:n] * scale)[~held], rcond=None)[0]
            wrong = [i for i, k in enumerate(near) if not self.equal[k] and (lam[i] < 0) == bool(upper[k])]
            if not wrong:
                break
            near.pop(max(wrong, key=lambda i: abs(lam[i])))
        rest, size = ((self.g[:n] + lam @ A) * scale)[~held], np.abs(self.g[:n] * scale).max(initial=0.0)
        size = max(size, np.abs((lam[:, None] * A) * scale).max(initial=0.0))
        self.near, self.lam, self.free = np.array(near, dtype=int), lam, np.flatnonzero(~held)
        self.left = float(np.abs(rest).max(initial=0.0) / size) if size else 0.0

    def hessian(self, wide: Problem) -> Array:
        """Of f + lam' c in all variables and p."""
        H = wide.hessians(self.x)
        return H[0] + np.tensordot(self.lam, H[1 + self.near], 1)


def moves(problem: Problem, optimum: Optimum, names: Union[str, Sequence[str]]) -> Moves:
    """Problem.optimum_moves"""
    names = [names] if isinstance(names, str) else list(names)
    with _with_variables(problem, names) as wide:
        at = _Conditions(problem, wide, optimum)
        n, p, free, A = at.n, slice(at.n, None), at.free, at.A[at.near]
        H = at.hessian(wide)
        gradient = np.abs(at.g[:n] * problem.scale).max(initial=0.0)
        curvature = np.abs(np.diag(problem.scale) @ H[:n, :n] @ np.diag(problem.scale)).max(initial=0.0)
        # Without constraints the gradient vanishes; what is left is compared with its change over a scale of the variables.
        left = at.left if len(at.near) else _gradient_left(at, problem, curvature, gradient)
        if left > _OPTIMAL:
            raise InputError(f"{problem.path}: the design is no optimum: {left:.1e} of the gradient is left; expected a tighter [optimizer] tolerance")
        zero = np.zeros((len(A), len(A)))
        matrix = np.block([[H[np.ix_(free, free)], A[:, free].T], [A[:, free], zero]])
        right = -np.vstack([H[free, p], A[:, p]])
        solved = _solved(matrix, right, problem.path)
    design = np.zeros((n, len(names)))
    design[free] = solved[: len(free)]
    bounds = [name for j, name in enumerate(problem.variables) if j not in free]
    active = {at.names[k]: float(lam) for k, lam in zip(at.near, at.lam)}
    return Moves(names, design, at.g[p] + at.lam @ A[:, p], active, bounds)


def price(read: Any, handle: Any, i: int) -> Price:
    """Price i of mbo_run_prices."""

    def text(name: str) -> str:
        return (read.mbo_price_text(handle, i, name.encode()) or b"").decode(errors="replace")

    def number(name: str) -> float:
        return float(read.mbo_price_number(handle, i, name.encode()))

    def change(way: str) -> Optional[FirstChange]:
        what, kind, side, of = (text(f"{way}.{part}") for part in ("change", "kind", "side", "name"))
        return FirstChange(what, kind, side, of, number(way)) if what else None

    named, kind, side, unit = (text(name) for name in ("name", "kind", "side", "unit"))
    return Price(named, kind, side, unit, number("at"), number("slope"), number("percent"), change("below"), change("above"))


def _gradient_left(at: _Conditions, problem: Problem, curvature: float, gradient: float) -> float:
    """What is left of the gradient of the free variables, relative to its change over a scale."""
    rest = np.abs((at.g[: at.n] * problem.scale)[at.free]).max(initial=0.0)
    size = max(curvature, gradient if len(at.free) < at.n else 0.0)
    return float(rest / size) if size else 0.0


def moves_with_data(problem: Problem, optimum: Optimum) -> Array:
    """Problem.optimum_moves_with_data"""
    r, J = problem.residuals_and_jacobian(optimum.x)
    g = 2 * J.T @ r
    if np.any(np.abs(problem.gradient(optimum.x) - g) > 1e-8 * (2 * np.abs(J.T) @ np.abs(r))):
        raise InputError(f"{problem.path}: the objective is more than the squares of the residuals (another objective, or a loss that is no square)")
    free = np.flatnonzero(~_held(problem, optimum.x, g))
    out = np.zeros(J.T.shape)
    out[free] = _solved(problem.hessian(optimum.x)[np.ix_(free, free)], 2 * J.T[free], problem.path)
    return out


def eigenvalue_gradients(A: Array, dA: Array) -> tuple[Any, Any]:
    """Eigenvalues s of A [order][order], those with the largest real part first, and l' dA r / (l' r) with their vectors; NaN where l' r nearly vanishes."""
    s, right = np.linalg.eig(A)
    out = np.full((len(s), len(dA)), np.nan, dtype=complex)
    for k, value in enumerate(s):
        r = right[:, k]
        _, singular, rows = np.linalg.svd(A.T - value * np.eye(len(A)))
        l = rows[-1].conj()
        double = len(s) > 1 and singular[-2] < 1e-8 * max(singular[0], 1e-300)
        if not double and abs(l @ r) > 1e-8:
            out[k] = np.einsum("i,pij,j->p", l, dA, r) / (l @ r)
    order = np.lexsort((-s.imag, -np.round(s.real, 12)))
    return s[order], out[order]
