"""What an optimizer of one's own asks: Problem.minimize(optimizer=...)."""

from __future__ import annotations

import ctypes
import math
import threading
from dataclasses import dataclass
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _library
from ._library import copied, library
from .errors import InputError, Stopped, unknown
from .kinds import Array

End = Union[str, tuple[str, str]]
_ENDS = ("converged", "stopped_limit", "infeasible", "stalled", "", "", "", "failed")  # MBO_STATUS_LIST
_GRADIENT, _GAUSS_NEWTON, _HESSIAN = 2, 4, 8  # MBO_REQUEST_...


@dataclass(frozen=True)
class Evaluation:
    """A design that was evaluated: objective f, constrained quantities c, gradient g and Jacobian J, which are None where no gradient was asked for."""

    f: float
    c: Array
    g: Optional[Array] = None
    J: Optional[Array] = None


class Ask:
    """The problem as an optimizer sees it. Designs are in the units of the run file. Where the run is over, the methods raise Stopped, which the
    optimizer need not catch."""

    def __init__(self, problem: Any, handle: Any):
        self._handle = handle
        self.start: Array = problem.start.copy()
        self.lower, self.upper, self.scale = problem.lower, problem.upper, problem.scale
        self.constraint_lower, self.constraint_upper = problem.constraint_lower, problem.constraint_upper
        self.variables, self.constraints = list(problem.variables), list(problem.constraints)
        self._count = 0

    def _call(self, function: Any, *arguments: Any) -> None:
        error = _library.Error()
        status = function(self._handle, *arguments, ctypes.byref(error))
        if status == 0:
            return
        why = _library.failure(status, error)
        if isinstance(why, KeyboardInterrupt):
            raise Stopped(str(why), "MBD_INTERRUPTED")
        raise why

    def _numbers(self, values: ArrayLike, n: int, what: str) -> Array:
        array = np.ascontiguousarray(values, dtype=float)
        if array.shape != (n,):
            raise InputError(f"{what} of shape {array.shape}, expected ({n},)")
        return array

    def evaluate(self, x: ArrayLike, gradient: bool = True) -> Evaluation:
        """The design x. SimulationError: it cannot be simulated, or is outside of its bounds."""
        n, nc = len(self.variables), len(self.constraints)
        design = self._numbers(x, n, "a design")
        at = ctypes.POINTER(_library.Eval)()
        self._call(library.mbo_ask_evaluate, design.ctypes.data, _GRADIENT if gradient else 0, ctypes.byref(at))
        values = at.contents
        derivatives = (copied(values.g, n), copied(values.jac, nc, n)) if gradient else (None, None)
        return Evaluation(values.f, copied(values.c, nc), *derivatives)

    def hessian_product(
        self, x: ArrayLike, v: ArrayLike, multipliers: Optional[Sequence[float]] = None, objective: float = 1.0
    ) -> Array:
        """(objective f'' + sum of multipliers[k] c_k'') v at x, with exact second derivatives."""
        return self._product(_HESSIAN, x, v, multipliers, objective)

    def gauss_newton_product(self, x: ArrayLike, v: ArrayLike) -> Array:
        """The Gauss-Newton matrix times v at x, where every objective is a square."""
        return self._product(_GAUSS_NEWTON, x, v, None, 1.0)

    def _product(self, kind: int, x: ArrayLike, v: ArrayLike, multipliers: Any, objective: float) -> Array:
        n = len(self.variables)
        design, direction, product = self._numbers(x, n, "a design"), self._numbers(v, n, "a direction"), np.zeros(n)
        factors = None if multipliers is None else self._numbers(multipliers, len(self.constraints), "multipliers")
        address = None if factors is None else factors.ctypes.data
        self._call(
            library.mbo_ask_product,
            design.ctypes.data,
            kind,
            float(objective),
            address,
            direction.ctypes.data,
            product.ctypes.data,
        )
        return product

    def iteration(
        self,
        number: Optional[int] = None,
        f: float = math.nan,
        violation: float = 0.0,
        optimality: float = math.nan,
        step: float = math.nan,
    ) -> None:
        """Reports an iteration, for the callback and the history; number: else one more than the last; f: else that of the best design."""
        self._count = self._count + 1 if number is None else number
        told = _library.Iteration(self._count, 0, f, violation, optimality, step)
        self._call(library.mbo_ask_iteration, ctypes.byref(told))


def function_of(problem: Any, optimizer: Callable[[Ask], End], raised: list[BaseException]) -> Any:
    """The optimizer as the library calls it. What it raises is kept in `raised`, since it must not pass through the library."""

    def run(_: Any, handle: Any, __: Any) -> int:
        problem._asking = threading.get_ident()
        try:
            end = optimizer(Ask(problem, handle))
            word, text = (end, "") if isinstance(end, str) else end
            if word not in _ENDS or not word:
                raise InputError(unknown("the end", word, [one for one in _ENDS if one]))
            library.mbo_ask_end(handle, _ENDS.index(word), text.encode())
        except Stopped:
            pass  # the library knows why
        except BaseException as error:
            raised.append(error)
            library.mbo_ask_end(handle, _ENDS.index("failed"), f"{type(error).__name__}: {error}".encode())
        finally:
            problem._asking = None
        return 0

    return _library.OPTIMIZER(run)
