"""A problem as SciPy's optimizers take it: dicts of arguments, each design evaluated once, and operators."""

from __future__ import annotations

import logging
import math
import warnings
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

import numpy as np

from .errors import InputError, SimulationError, unknown
from .kinds import Array
from .optional import needed

if TYPE_CHECKING:
    from .problem import Problem


_log = logging.getLogger("mbopt")


def remembered(evaluate: Callable[[Array], Any]) -> Callable[[Any], Any]:
    """The same function, which computes the same design once as long as no other is asked for."""
    last: dict[bytes, Any] = {}

    def at(x: Any) -> Any:
        design = np.asarray(x, dtype=float)
        key = design.tobytes()
        if key not in last:
            last.clear()
            last[key] = evaluate(design)
        return last[key]

    return at


# Methods that take infinity for convergence, or end at it (measured on designs beyond which nothing can be simulated).
_ENDS_AT_INFINITY = ("L-BFGS-B", "TNC", "COBYLA")


class _Evaluations:
    """Evaluations f, g, c, J of designs in the units of SciPy, x = design / by."""

    def __init__(self, problem: Problem, by: Array, failed: str, method: Optional[str]):
        self._problem, self._by, self._failed = problem, by, failed
        self._warned = method is not None
        self._good: Optional[tuple[float, Array, Array, Array]] = None

    def __call__(self, x: Array) -> tuple[float, Array, Array, Array]:
        design = x * self._by
        try:
            f, g, c, J = self._problem._evaluate(design)
        except SimulationError as error:
            if self._failed == "inf" and self._good:
                _log.warning("%s: SciPy gets infinity for %s: %s", self._problem.path, self._problem.design(design), error)
                if not self._warned:
                    warnings.warn(f"a design cannot be simulated, and SciPy gets infinity for it; {' and '.join(_ENDS_AT_INFINITY)} may call that success", stacklevel=2)
                    self._warned = True
                return (math.inf, *self._good[1:])
            raise SimulationError(self._told(design, error), error.status, error.time) from None
        self._good = f, g * self._by, c, J * self._by
        return self._good

    def _told(self, design: Array, error: SimulationError) -> str:
        where = f"SciPy asks for the design {self._problem.design(design)}, which cannot be simulated"
        if self._failed == "inf":
            return f"{where} and is the first one; expected another start: {error}"
        return f"""{where}, and does not step back from it; expected failed="inf", narrower bounds, another start, or Problem.minimize: {error}"""


def _bounds(lower: Array, upper: Array) -> list[tuple[Optional[float], Optional[float]]]:
    return [(None if math.isinf(low) else low, None if math.isinf(high) else high) for low, high in zip(lower.tolist(), upper.tolist())]


def minimize(p: Problem, method: Optional[str], scaled: bool, hessian: Union[bool, str], failed: str) -> dict[str, Any]:
    """Problem.scipy"""
    if failed not in ("raise", "inf"):
        raise InputError(unknown("failed =", failed, ["raise", "inf"]))
    if failed == "inf" and method in _ENDS_AT_INFINITY:
        raise InputError(f"failed = 'inf': {method} may call a design that cannot be simulated a success, expected another method or failed = 'raise'")
    if hessian not in (True, False, "product"):
        raise InputError(f"hessian = {hessian!r}, expected True, False or 'product'")
    by = p.scale if scaled else np.ones(len(p.variables))
    evaluate = remembered(_Evaluations(p, by, failed, method))
    second = remembered(lambda x: p.hessians(x * by) * np.outer(by, by))
    arguments: dict[str, Any] = {
        "fun": lambda x: evaluate(x)[:2],
        "jac": True,
        "x0": p.start / by,
        "bounds": _bounds(p.lower / by, p.upper / by),
    }
    if method is not None:
        arguments["method"] = method
    if hessian == "product":
        arguments["hessp"] = lambda x, w: by * p.hessian_product(by * np.asarray(w), np.asarray(x) * by)
    elif hessian:
        arguments["hess"] = lambda x: second(x)[0]
    if p.constraints:

        def curvature(x: Any, v: Array) -> Any:
            if hessian == "product":
                return hessian_operator(p, np.asarray(x) * by, lambda products: np.tensordot(v, products[1:], 1), by)
            return np.tensordot(v, second(x)[1:], 1)

        constraint = needed("scipy.optimize", "scipy()").NonlinearConstraint
        more = {"hess": curvature} if hessian else {}
        limits = p.constraint_lower, p.constraint_upper
        arguments["constraints"] = [constraint(lambda x: evaluate(x)[2], *limits, jac=lambda x: evaluate(x)[3], **more)]
    return arguments


def hessian_operator(p: Problem, x: Array, combined: Callable[[Array], Array], by: Union[Array, float] = 1.0) -> Any:
    """Products with a combination of the second derivatives [1 + constraints][variable][variable] at x, whose variables are divided by `by`."""

    def product(w: Array) -> Array:
        return by * combined(p.hessian_products(by * np.ravel(w), x))

    n = len(p.variables)
    return needed("scipy.sparse.linalg", "hessian_operator()").LinearOperator((n, n), matvec=product, rmatvec=product, dtype=float)


def jacobian_operator(p: Problem, x: Array) -> Any:
    """Problem.jacobian_operator"""
    jacobian = remembered(lambda design: p.gradients(design))
    return needed("scipy.sparse.linalg", "jacobian_operator()").LinearOperator(
        (len(p.quantities), len(p.variables)),
        matvec=lambda w: jacobian(x) @ np.ravel(w),
        rmatvec=lambda w: jacobian(x).T @ np.ravel(w),
        dtype=float,
    )


def least_squares(p: Problem, scaled: bool, of: str) -> dict[str, Any]:
    """Problem.scipy_least_squares"""
    if of not in ("objective", "residuals"):
        raise InputError(unknown("of =", of, ["objective", "residuals"]))
    if p.constraints:
        raise InputError(f"{p.path}: least_squares takes no constraints, expected none, found {p.constraints}")
    by = p.scale if scaled else np.ones(len(p.variables))

    def evaluate(x: Array) -> tuple[Array, Array]:
        if of == "residuals":
            r, J = p.residuals_and_jacobian(x * by)
            return r, J * by
        f, g, H = p.least_squares(x * by)
        return compressed(f, g * by, H * np.outer(by, by))

    at = remembered(evaluate)
    return {"fun": lambda x: at(x)[0], "jac": lambda x: at(x)[1], "x0": p.start / by, "bounds": (p.lower / by, p.upper / by)}


def compressed(f: float, g: Array, H: Array) -> tuple[Array, Array]:
    """Residuals r and their Jacobian J with r'r/2 = f, J'r = g, J'J = H: rows along the eigenvectors of H, and one that does not change.

    >>> r, J = compressed(7.0, np.array([1.0, 2.0]), np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> print(np.round(r @ r / 2, 12), np.round(J.T @ r, 12), np.round(J.T @ J, 12).tolist())
    7.0 [1. 2.] [[2.0, 1.0], [1.0, 3.0]]
    """
    sizes, vectors = np.linalg.eigh(H)
    roots = np.sqrt(np.maximum(sizes, 0))
    seen = roots > 1e-10 * np.max(roots, initial=0)
    along = np.divide(vectors.T @ g, roots, out=np.zeros(len(g)), where=seen)
    rest = np.sqrt(max(2 * f - along @ along, 0))
    return np.append(along, rest), np.vstack([roots[:, None] * vectors.T, np.zeros(len(g))])
