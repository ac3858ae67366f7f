"""A run file as an object: values, gradients, motions and optimizations of the design that it describes."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _library
from ._library import library
from .errors import Error, InputError, SimulationError

Settings = Union[Mapping[str, Any], Iterable[str], None]
Array = NDArray[np.float64]

_RUNS_ON = 0
_PLAIN = {"MBD_INTERRUPTED": KeyboardInterrupt, "MBD_NO_MEMORY": MemoryError, "MBD_IO_ERROR": OSError}


def _texts(settings: Settings) -> list[bytes]:
    """Settings SECTION.KEY=VALUE, as --set of the program takes them.

    >>> _texts({"case.swing.step": 1e-3, "output.trajectory": False})
    [b'case.swing.step=0.001', b'output.trajectory=no']
    """
    if settings is None:
        return []
    if isinstance(settings, str):
        raise InputError(f"settings are a dict or a list of texts, found the text {settings!r}")
    if not isinstance(settings, Mapping):
        return [text.encode() for text in settings]

    def word(value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, (list, tuple, np.ndarray)):
            return ", ".join(word(one) for one in value)
        if isinstance(value, float):
            return repr(float(value))
        return str(value)

    return [f"{key}={word(value)}".encode() for key, value in settings.items()]


def _array_of_texts(texts: Sequence[bytes]):
    return (ctypes.c_char_p * max(1, len(texts)))(*texts)


def _copy(pointer, count: int) -> Array:
    return np.ctypeslib.as_array(pointer, (count,)).copy() if count else np.zeros(0)


@dataclass(frozen=True)
class Iteration:
    """One iteration of an optimization; NaN: not known."""

    iteration: int
    evaluations: int
    objective: float
    violation: float
    optimality: float
    step: float


@dataclass(frozen=True)
class Optimum:
    """How an optimization ended, and its best design."""

    x: Array
    objective: float
    status: str
    """"CONVERGED", "STOPPED_LIMIT", "INFEASIBLE", "STALLED", ... as in result.json"""
    text: str
    objective_at_start: float
    violation: float
    iterations: int
    evaluations: int
    failures: int
    seconds: float
    design: dict[str, float] = field(repr=False)

    @property
    def converged(self) -> bool:
        return self.status == "CONVERGED"


@dataclass(frozen=True)
class Agreement:
    """What Problem.check has found: the gradient of each quantity by two methods that share no derivative."""

    methods: tuple[str, str]
    gradients: tuple[Array, Array]
    deviation: dict[str, float]
    """By quantity: the largest difference of scaled derivatives, relative to the largest scaled derivative."""
    right: bool


@dataclass(frozen=True)
class Modes:
    """Small motions about the start of a case: x' = A x, x = (dz, dzd) of the independent coordinates."""

    coordinates: list[str]
    A: Array
    eigenvalues: NDArray[np.complex128]
    shapes: Array
    """[eigenvalue][coordinate] how far each moves; 1: the farthest"""


class Motion(Mapping[str, Array]):
    """A motion: the columns of trajectory.csv by name, with their units. Arrays are views into one table."""

    def __init__(self, table: Array, names: list[str], units: list[str]):
        self.table = table
        self.names = names
        self.units = dict(zip(names, units))
        self._column = {name: i for i, name in enumerate(names)}

    def __getitem__(self, name: str) -> Array:
        try:
            return self.table[:, self._column[name]]
        except KeyError:
            import difflib

            near = difflib.get_close_matches(name, self.names, 1)
            hint = f"; is '{near[0]}' meant?" if near else ""
            raise KeyError(f"the motion has no column '{name}'{hint}") from None

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.names)

    @property
    def t(self) -> Array:
        return self["t"]

    def to_pandas(self):
        """A pandas DataFrame over time; the units are in its attribute `attrs`."""
        import pandas

        frame = pandas.DataFrame(self.table[:, 1:], columns=self.names[1:], index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = dict(self.units)
        return frame

    def plot(self, *names: str, axes=None):
        """A matplotlib figure of these columns over time, with their units; returns the axes."""
        import matplotlib.pyplot as plt

        axes = axes or plt.subplots()[1]
        for name in names:
            axes.plot(self.t, self[name], label=f"{name} [{self.units[name]}]")
        axes.set_xlabel("t [s]")
        axes.legend()
        return axes


class _Series:
    """Owns a table of the library while arrays look into it."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        library.mbo_series_free(self.handle)


class Problem:
    """An open run file. One call runs at a time; several problems may be used at once, in threads of their own.

    Designs are arrays in the order of `variables`, or dicts by name (what is not named keeps its start); None is the start.
    """

    def __init__(self, path: Union[str, os.PathLike], settings: Settings = None, threads: int = 0):
        self._handle = ctypes.c_void_p()
        self._lock = threading.RLock()
        self._stop = ctypes.c_int(0)
        self._worker: Optional[ThreadPoolExecutor] = None
        texts = _texts(settings)
        self._call(
            library.mbo_run_open, os.fsencode(path), len(texts), _array_of_texts(texts), ctypes.byref(self._handle)
        )
        self.path = os.fspath(path)
        library.mbo_run_threads(self._handle, threads)
        library.mbo_run_stop(self._handle, ctypes.byref(self._stop))
        self._read_names()

    # ---- the library ----

    def _run(self, function, arguments):
        """Calls the library. In the main thread another thread does it, so that Ctrl-C is heard: then the time step at hand is ended."""
        if threading.current_thread() is not threading.main_thread():
            return function(*arguments)
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1)
        future = self._worker.submit(function, *arguments)
        try:
            return future.result()
        except KeyboardInterrupt:
            self._stop.value = 1
            future.result()
            raise
        finally:
            self._stop.value = _RUNS_ON

    def _call(self, function, *arguments):
        error = _library.Error()
        with self._lock:
            status = self._run(function, arguments + (ctypes.byref(error),))
        if status == 0:
            return
        text, name = error.text.decode(errors="replace"), library.mbd_status_name(status).decode()
        if name in _PLAIN:
            raise _PLAIN[name](text)
        kind = SimulationError if status > 0 else InputError if name == "MBD_BAD_INPUT" else Error
        raise kind(text, name, None if math.isnan(error.time) else error.time)

    def _open(self):
        if not self._handle:
            raise ValueError("the problem is closed")
        return self._handle

    def close(self):
        """Frees what the problem holds; it cannot be used any more."""
        with self._lock:
            if self._worker:
                self._worker.shutdown()
                self._worker = None
            library.mbo_run_close(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self):
        return f"<mbopt.Problem {self.path}: {len(self.variables)} variables, {len(self.quantities)} quantities>"

    # ---- names ----

    def _read_names(self):
        h = self._handle
        n = library.mbo_run_variables(h)
        objectives, constraints = library.mbo_run_objectives(h), library.mbo_run_constraints(h)
        self.variables = [library.mbo_run_variable(h, i).decode() for i in range(n)]
        self.quantities = [library.mbo_run_quantity(h, i).decode() for i in range(objectives + constraints)]
        self.objectives, self.constraints = self.quantities[:objectives], self.quantities[objectives:]
        self.cases = [library.mbo_run_case(h, i).decode() for i in range(library.mbo_run_cases(h))]
        self.start = _copy(library.mbo_run_start(h), n)
        self.lower, self.upper = _copy(library.mbo_run_lower(h), n), _copy(library.mbo_run_upper(h), n)
        self.scale = _copy(library.mbo_run_scale(h), n)
        self.constraint_lower = _copy(library.mbo_run_constraint_lower(h), constraints)
        self.constraint_upper = _copy(library.mbo_run_constraint_upper(h), constraints)

    def change(self, settings: Settings) -> None:
        """As if opened with these settings too. If one of them is wrong, the problem stays as it was."""
        texts = _texts(settings)
        self._call(library.mbo_run_change, self._open(), len(texts), _array_of_texts(texts))
        library.mbo_run_stop(self._handle, ctypes.byref(self._stop))
        self._read_names()

    def design(self, x: ArrayLike) -> dict[str, float]:
        """A design by the names of its variables."""
        return dict(zip(self.variables, map(float, np.asarray(x))))

    def _design(self, x) -> Array:
        if x is None:
            return self.start.copy()
        if isinstance(x, Mapping):
            values = self.start.copy()
            for name, value in x.items():
                if name not in self.variables:
                    raise InputError(f"{self.path}: '{name}' is no design variable, expected one of {self.variables}")
                values[self.variables.index(name)] = value
            return values
        values = np.ascontiguousarray(x, dtype=float)
        if values.shape != (len(self.variables),):
            raise InputError(f"{self.path}: a design of shape {values.shape}, expected ({len(self.variables)},)")
        return values

    def _case(self, case: Union[str, int, None]) -> int:
        if isinstance(case, int):
            return case
        if case is None and len(self.cases) == 1:
            return 0
        if case in self.cases:
            return self.cases.index(case)
        raise InputError(f"{self.path}: case {case!r} is not there, expected one of {self.cases}")

    # ---- evaluation ----

    def value(self, x: Optional[ArrayLike] = None) -> float:
        """The objectives as one."""
        x, f = self._design(x), ctypes.c_double()
        self._call(library.mbo_run_values, self._open(), x.ctypes.data, ctypes.addressof(f), None)
        return f.value

    def values(self, x: Optional[ArrayLike] = None) -> dict[str, float]:
        """All objectives and constraints by name."""
        x, psi = self._design(x), np.zeros(len(self.quantities))
        self._call(library.mbo_run_values, self._open(), x.ctypes.data, None, psi.ctypes.data)
        return dict(zip(self.quantities, map(float, psi)))

    def value_and_gradient(self, x: Optional[ArrayLike] = None) -> tuple[float, Array]:
        """The objectives as one and their gradient, at the price of about two simulations by adjoint."""
        f, g, _, _ = self._evaluate(x)
        return f, g

    def gradient(self, x: Optional[ArrayLike] = None) -> Array:
        """The gradient of the objectives as one."""
        return self._evaluate(x)[1]

    def _evaluate(self, x):
        n, nc = len(self.variables), len(self.constraints)
        x, f = self._design(x), ctypes.c_double()
        g, c, jac = np.zeros(n), np.zeros(nc), np.zeros((nc, n))
        self._call(
            library.mbo_run_gradient,
            self._open(),
            x.ctypes.data,
            ctypes.addressof(f),
            g.ctypes.data,
            c.ctypes.data,
            jac.ctypes.data,
        )
        return f.value, g, c, jac

    def gradients(self, x: Optional[ArrayLike] = None, method: Optional[str] = None) -> Array:
        """The gradient of every quantity by itself, [quantity][variable], by a method of [gradient]."""
        x, jac = self._design(x), np.zeros((len(self.quantities), len(self.variables)))
        by = method.encode() if method else None
        self._call(library.mbo_run_gradients, self._open(), x.ctypes.data, by, None, jac.ctypes.data)
        return jac

    def hessian(self, x: Optional[ArrayLike] = None) -> Array:
        """Exact second derivatives of the objectives as one."""
        return self.hessians(x)[0]

    def hessians(self, x: Optional[ArrayLike] = None) -> Array:
        """Exact second derivatives [1 + constraints][variable][variable] of the objectives as one, then of every constraint."""
        n = len(self.variables)
        x, H = self._design(x), np.zeros((1 + len(self.constraints), n, n))
        self._call(library.mbo_run_hessian, self._open(), x.ctypes.data, H.ctypes.data)
        return H

    def gauss_newton(self, x: Optional[ArrayLike] = None) -> Array:
        """The Gauss-Newton matrix of objectives that are sums of squares."""
        n = len(self.variables)
        x, H = self._design(x), np.zeros((n, n))
        self._call(library.mbo_run_gauss_newton, self._open(), x.ctypes.data, H.ctypes.data)
        return H

    def check(
        self, x: Optional[ArrayLike] = None, methods=("discrete_adjoint", "complex_step"), tolerance: float = 1e-9
    ) -> Agreement:
        """Whether two methods that share no derivative give the same gradients."""
        one, other = (self.gradients(x, method) for method in methods)
        deviation = {}
        for i, name in enumerate(self.quantities):
            size = np.max(np.abs(one[i] * self.scale), initial=0.0)
            difference = np.max(np.abs((one[i] - other[i]) * self.scale), initial=0.0)
            deviation[name] = float(difference / size) if size else float(difference)
        return Agreement(tuple(methods), (one, other), deviation, all(d <= tolerance for d in deviation.values()))

    @property
    def warnings(self) -> list[str]:
        """What the last evaluation or motion has warned of."""
        texts = []
        while (text := library.mbo_run_warning(self._open(), len(texts))) is not None:
            texts.append(text.decode(errors="replace"))
        return texts

    # ---- motions ----

    def simulate(self, x: Optional[ArrayLike] = None, case: Union[str, int, None] = None) -> Motion:
        """The motion of a case (which may be left out where there is one). Its arrays are views of the library's table."""
        x, handle = self._design(x), ctypes.c_void_p()
        self._call(library.mbo_run_simulate, self._open(), x.ctypes.data, self._case(case), ctypes.byref(handle))
        owner = _Series(handle)
        rows, columns = library.mbo_series_rows(handle), library.mbo_series_columns(handle)
        numbers = (ctypes.c_double * (rows * columns)).from_address(
            ctypes.addressof(library.mbo_series_values(handle).contents)
        )
        numbers._owner = owner
        table = np.frombuffer(numbers).reshape(rows, columns)
        names = [library.mbo_series_name(handle, j).decode() for j in range(columns)]
        units = [library.mbo_series_unit(handle, j).decode() for j in range(columns)]
        return Motion(table, names, units)

    def linearize(self, x: Optional[ArrayLike] = None, case: Union[str, int, None] = None) -> Modes:
        """Eigenvalues of small motions about the start of a case."""
        x, l, i = self._design(x), _library.Linear(), self._case(case)
        self._call(library.mbo_run_linearize, self._open(), x.ctypes.data, i, ctypes.byref(l))
        try:
            n = l.n
            names = [library.mbo_run_coordinate(self._handle, i, l.z[k]).decode() for k in range(n)]
            A = _copy(l.A, 4 * n * n).reshape(2 * n, 2 * n)
            eigenvalues = _copy(l.re, 2 * n) + 1j * _copy(l.im, 2 * n)
            return Modes(names, A, eigenvalues, _copy(l.shape, 2 * n * n).reshape(2 * n, n))
        finally:
            library.mbd_linear_free(ctypes.byref(l))

    # ---- optimization ----

    def minimize(
        self, settings: Settings = None, callback: Optional[Callable[[Iteration], Any]] = None
    ) -> Optimum:
        """Minimizes with the optimizer of the run file, or as settings say: {"optimizer.backend": "nlopt"}; these stay.

        callback is called after each iteration; what it raises ends the optimization and is raised here.
        """
        raised: list[BaseException] = []
        if settings:
            self.change(settings)

        def told(_, one):
            it = one.contents
            try:
                if callback and not raised:
                    callback(
                        Iteration(it.iteration, it.evaluations, it.f, it.violation, it.optimality, it.step)
                    )
            except BaseException as error:  # it must not pass through the library
                raised.append(error)
                self._stop.value = 1

        hook, handle = _library.ON_ITERATION(told), ctypes.c_void_p()
        library.mbo_run_on_iteration(self._open(), hook, None)
        try:
            self._call(library.mbo_run_optimize, self._open(), ctypes.byref(handle))
            if raised:
                raise raised[0]
            return self._optimum(handle)
        finally:
            self._stop.value = _RUNS_ON
            library.mbo_run_on_iteration(self._handle, _library.ON_ITERATION(), None)
            library.mbo_optimum_free(handle)

    def _optimum(self, handle) -> Optimum:
        def number(name: bytes) -> float:
            return library.mbo_optimum_number(handle, name)

        x = _copy(library.mbo_optimum_design(handle), len(self.variables))
        return Optimum(
            x=x,
            objective=number(b"objective"),
            status=library.mbo_optimum_status(handle).decode(),
            text=library.mbo_optimum_text(handle).decode(errors="replace"),
            objective_at_start=number(b"start"),
            violation=number(b"violation"),
            iterations=int(number(b"iterations")),
            evaluations=int(number(b"evaluations")),
            failures=int(number(b"failures")),
            seconds=number(b"seconds"),
            design=self.design(x),
        )

    # ---- SciPy ----

    def scipy(self, scaled: bool = False) -> dict[str, Any]:
        """Arguments for scipy.optimize.minimize: `minimize(method="trust-constr", **p.scipy())`.

        The objective comes with its gradient, constraints come with their Jacobian, and each design is evaluated once. scaled: x / p.scale
        takes the place of x, which methods without a scaling of their own need (SLSQP, L-BFGS-B); the design is p.scale * result.x then.
        """
        by = self.scale if scaled else np.ones(len(self.variables))
        last: dict[bytes, tuple] = {}

        def evaluate(x):
            key = np.asarray(x, dtype=float).tobytes()
            if key not in last:
                last.clear()
                f, g, c, jac = self._evaluate(x * by)
                last[key] = f, g * by, c, jac * by
            return last[key]

        arguments: dict[str, Any] = {
            "fun": lambda x: evaluate(x)[:2],
            "jac": True,
            "x0": self.start / by,
            "bounds": [
                (None if math.isinf(lower) else lower, None if math.isinf(upper) else upper)
                for lower, upper in zip((self.lower / by).tolist(), (self.upper / by).tolist())
            ],
        }
        if self.constraints:
            from scipy.optimize import NonlinearConstraint

            arguments["constraints"] = [
                NonlinearConstraint(
                    lambda x: evaluate(x)[2],
                    self.constraint_lower,
                    self.constraint_upper,
                    jac=lambda x: evaluate(x)[3],
                )
            ]
        return arguments
