"""Columns of a motion as a function of the design, with products of its Jacobian: what automatic differentiation around a simulation asks for."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _library
from ._library import library
from .errors import InputError, SimulationError
from .kinds import Array
from .threads import in_threads
from .workers import Pool

if TYPE_CHECKING:
    from .problem import Design, Problem


class _Handle:
    """Owns an mbo_trajectory, which one thread at a time may use."""

    def __init__(self) -> None:
        self.pointer = ctypes.c_void_p()

    def __del__(self) -> None:
        library.mbo_trajectory_free(self.pointer)


class Trajectory:
    """Columns of a case at the nodes, or at given times, as a function y(x) [row][column] of the design: `names` and `units` [column], `times` [row] (None: the
    nodes), `shape` (rows, columns). Made by `Problem.trajectory`.

    Designs are those of the problem: arrays, dicts by name, None for the start. Threads may call it at the same time, each call has a simulation of its own.
    copy and pickle take the problem along.

    >>> import mbopt
    >>> p = mbopt.open("configs/pendulum.ini", {"case.drop.duration": 1})
    >>> y = p.trajectory(["ground-bar.angle", "ground-bar.angle.rate"], times=[0.25, 0.5, 1])
    >>> y().shape, y.units
    ((3, 2), ['rad', 'rad/s'])
    >>> J = y.jacobian()  # [row][column][variable]
    >>> bool(np.allclose(y.jvp([1, 0]), J[..., 0])), bool(np.allclose(y.vjp(np.ones((3, 2))), J.sum((0, 1))))
    (True, True)
    """

    def __init__(self, problem: Problem, columns: Sequence[str], case: int, times: Optional[ArrayLike]):
        self.problem = problem
        self.columns = [columns] if isinstance(columns, str) else list(columns)
        self.case = case
        self.times: Optional[Array] = None if times is None else np.array(times, dtype=float, ndmin=1)
        if self.times is not None and self.times.ndim != 1:
            raise InputError(f"times of shape {self.times.shape}, expected one row")
        first = self._made()
        pointer, n = first.pointer, library.mbo_trajectory_columns(first.pointer)
        self.shape: tuple[int, int] = (library.mbo_trajectory_rows(pointer), n)
        self.names = [library.mbo_trajectory_name(pointer, j).decode() for j in range(n)]
        self.units = [library.mbo_trajectory_unit(pointer, j).decode() for j in range(n)]
        self._warned: list[str] = []
        self._handles = Pool(self._made, first)

    def __reduce__(self) -> Any:
        return Trajectory, (self.problem, self.columns, self.case, self.times)

    def __repr__(self) -> str:
        at = f"{self.shape[0]} nodes" if self.times is None else f"{self.shape[0]} times"
        return f"<mbopt.Trajectory of case {self.problem.cases[self.case]}: {self.shape[1]} columns at {at}>"

    # ---- the library ----

    def _made(self) -> _Handle:
        handle, texts = _Handle(), [name.encode() for name in self.columns]
        n, times = (0, None) if self.times is None else (len(self.times), self.times.ctypes.data)
        array = (ctypes.c_char_p * max(1, len(texts)))(*texts)
        self.problem._call(
            library.mbo_run_trajectory, self.problem._open(), self.case, len(texts), array, n, times, ctypes.byref(handle.pointer)
        )
        return handle

    def _call(self, function: Any, *arguments: Any) -> None:
        self.problem._open()
        error = _library.Error()
        texts: list[str] = []
        with self._handles.lent() as handle:
            status = self.problem._run(function, (handle.pointer, *arguments, ctypes.byref(error)))
            while (text := library.mbo_trajectory_warning(handle.pointer, len(texts))) is not None:
                texts.append(text.decode(errors="replace"))
        self._warned = texts
        self.problem._check(status, error)

    @property
    def warnings(self) -> list[str]:
        """Warnings of the last call, as sentences."""
        return list(self._warned)

    def _matrix(self, w: ArrayLike) -> Array:
        weights = np.ascontiguousarray(w, dtype=float)
        if weights.shape != self.shape:
            raise InputError(f"weights of shape {weights.shape}, expected {self.shape}: a row for each time, a column for each of {self.names}")
        return weights

    # ---- values and products ----

    def __call__(self, x: Design = None) -> Array:
        """y [row][column]. Cost: a simulation."""
        design, y = self.problem._design(x), np.empty(self.shape)
        self._call(library.mbo_trajectory_values, design.ctypes.data, y.ctypes.data)
        return y

    def batch(self, X: ArrayLike, jobs: int = 0) -> Array:
        """y [design][row][column] of the designs X [design][variable], in jobs threads (0: as many as there are processors); NaN of those that cannot be simulated."""
        designs = np.array(X, dtype=float, ndmin=2)

        def one(x: Array) -> Any:
            try:
                return self(x)
            except SimulationError:
                return np.full(self.shape, np.nan)

        return np.array(in_threads(one, list(designs), jobs)).reshape(len(designs), *self.shape)

    def jvp(self, dx: ArrayLike, x: Design = None) -> Array:
        """dy [row][column] = J dx for a direction dx [variable]. Cost: a simulation and one right-hand side in each of its steps."""
        design, along, dy = self.problem._design(x), self.problem._direction(dx), np.empty(self.shape)
        self._call(library.mbo_trajectory_jvp, design.ctypes.data, along.ctypes.data, None, dy.ctypes.data)
        return dy

    def jacobian(self, x: Design = None) -> Array:
        """J [row][column][variable]. Cost: a simulation and one right-hand side for each variable in each step."""
        design, J = self.problem._design(x), np.empty((*self.shape, len(self.problem.variables)))
        self._call(library.mbo_trajectory_jacobian, design.ctypes.data, None, J.ctypes.data)
        return J

    def vjp(self, w: ArrayLike, x: Design = None) -> Array:
        """g [variable] = J' w for weights w [row][column], by one adjoint. Cost: about two simulations, however many variables and columns there are."""
        design, weights, g = self.problem._design(x), self._matrix(w), np.empty(len(self.problem.variables))
        self._call(library.mbo_trajectory_vjp, design.ctypes.data, weights.ctypes.data, None, g.ctypes.data)
        return g

    def second(self, w: ArrayLike, d: ArrayLike, x: Design = None) -> Array:
        """(sum_rc w_rc y_rc'') d [variable] for weights w [row][column] and a direction d [variable]: the derivative of `vjp` along d. Cost: some gradients."""
        design, weights, along = self.problem._design(x), self._matrix(w), self.problem._direction(d)
        Hd = np.empty(len(self.problem.variables))
        self._call(library.mbo_trajectory_second, design.ctypes.data, weights.ctypes.data, along.ctypes.data, Hd.ctypes.data)
        return Hd
