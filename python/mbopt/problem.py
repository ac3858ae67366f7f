"""A run file as an object: values, gradients, motions and optimizations of the design that it describes."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _library, fit as _fit
from ._library import copied, library
from .ask import Ask, End, function_of
from .errors import InputError, SimulationError, unknown
from .study import Study, Sweep, Vary

Settings = Union[Mapping[str, Any], Iterable[str], None]
Array = NDArray[np.float64]
Design = Union[ArrayLike, Mapping[str, float], None]

_RUNS_ON = 0


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


def _array_of_texts(texts: Sequence[bytes]) -> Any:
    return (ctypes.c_char_p * max(1, len(texts)))(*texts)


def _constant(pointer: Any, count: int) -> Array:
    """A copy that cannot be changed: it describes the file."""
    numbers = copied(pointer, count)
    numbers.flags.writeable = False
    return numbers


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
    history: list[Iteration] = field(repr=False)
    stages: int = 0
    """optimizations one after the other until true values met the limits; 0: no constraint is smoothed"""

    @property
    def converged(self) -> bool:
        return self.status == "CONVERGED"

    def plot(self, axes: Any = None) -> Any:
        """A matplotlib figure of the objective over the iterations; returns the axes."""
        import matplotlib.pyplot as plt

        axes = axes or plt.subplots()[1]
        objective = [it.objective for it in self.history]
        axes.plot([it.iteration for it in self.history], objective, marker="o", markersize=3)
        if objective and min(objective) > 0:
            axes.set_yscale("log")
        axes.set_xlabel("iteration")
        axes.set_ylabel("objective")
        return axes


@dataclass(frozen=True)
class Agreement:
    """The result of Problem.check: the gradient of each quantity by two methods that share no derivative, and their deviation."""

    methods: tuple[str, str]
    gradients: tuple[Array, Array]
    deviation: dict[str, float]
    """By quantity: the largest difference of scaled derivatives, relative to the largest scaled derivative."""
    right: bool


@dataclass(frozen=True)
class Modes:
    """Small motions about the start of a case: x' = A x, x = (dz, dzd, dx) of the independent coordinates, the independent rates and the states."""

    coordinates: list[str]
    A: Array
    eigenvalues: NDArray[np.complex128]
    shapes: Array
    """[eigenvalue][coordinate] magnitude of each coordinate in the mode, in m or rad; the largest is 1"""
    rates: list[str]
    """the coordinates whose rates are independent: all of them without velocity constraints"""

    @property
    def frequencies(self) -> Array:
        """Undamped frequency of each eigenvalue s [Hz]: |s| / (2 pi)."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damping(self) -> Array:
        """Damping ratio of each eigenvalue s: -Re s / |s|; NaN where s is zero."""
        size = np.abs(self.eigenvalues)
        return np.divide(-self.eigenvalues.real, size, out=np.full(size.shape, np.nan), where=size > 0)

    def plot(self, axes: Any = None) -> Any:
        """A matplotlib figure of the eigenvalues in the complex plane; returns the axes."""
        import matplotlib.pyplot as plt

        axes = axes or plt.subplots()[1]
        axes.plot(self.eigenvalues.real, self.eigenvalues.imag, "x")
        axes.axvline(0, color="0.7", linewidth=0.8)
        axes.set_xlabel("Re s [1/s]")
        axes.set_ylabel("Im s [rad/s]")
        return axes


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
            raise KeyError(unknown("column", name, self.names)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def t(self) -> Array:
        return self["t"]

    def to_pandas(self) -> Any:
        """A pandas DataFrame over time; the units are in its attribute `attrs`."""
        import pandas

        frame = pandas.DataFrame(self.table[:, 1:], columns=self.names[1:], index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = dict(self.units)
        return frame

    def plot(self, *names: str, axes: Any = None) -> Any:
        """A matplotlib figure of these columns over time, with their units; returns the axes."""
        import matplotlib.pyplot as plt

        axes = axes or plt.subplots()[1]
        for name in names:
            axes.plot(self.t, self[name], label=f"{name} [{self.units[name]}]")
        axes.set_xlabel("t [s]")
        axes.legend()
        return axes


class _Series:
    """Owns a table of the library as long as arrays are views of it."""

    def __init__(self, handle: Any):
        self.handle = handle

    def __del__(self) -> None:
        library.mbo_series_free(self.handle)


def allow_plugins(allow: bool = True) -> None:
    """Takes every library that a run file names in [plugin NAME], also those that `mbopt plugin` of this user has not built: their code runs with
    all rights of this process."""
    library.mbo_plugins_allow(int(allow))


def allow_commands(allow: bool = True) -> None:
    """Takes every program that a run file names as its optimizer ([optimizer] command): it runs with all rights of this process."""
    library.mbo_commands_allow(int(allow))


class Problem:
    """An open run file. One call runs at a time; several problems may be used at once, in threads of their own.

    Designs are arrays in the order of `variables`, or dicts by name (what is not named keeps its start); None is the start. The arrays `start`,
    `lower`, `upper`, `scale` are read-only: `x = p.start.copy()` is to be changed, and `change` sets what the file says.

    A problem is not copied or pickled, `reopen` makes another one. A child process of os.fork has a problem of its own.

    >>> with Problem("configs/pendulum.ini", {"case.drop.duration": 1}) as p:
    ...     p.variables, p.objectives, p.constraints, p.cases
    ...     print(f"{p.value():.4f} {p.value({'stiffness': 20}):.4f}")
    (['stiffness', 'damping'], ['settle'], ['tip_speed'], ['drop'])
    0.7742 0.0808
    >>> p.value()
    Traceback (most recent call last):
    ValueError: the problem is closed
    """

    def __init__(self, path: Union[str, os.PathLike], settings: Settings = None, threads: int = 0):
        self.path = os.fspath(path)
        self._handle = ctypes.c_void_p()
        self._lock = threading.RLock()
        self._asking: Optional[int] = None  # the thread of an optimizer of one's own
        self._process, self._torn = os.getpid(), False
        self._stop = ctypes.c_int(0)
        self._worker: Optional[ThreadPoolExecutor] = None
        self._folder: Any = None  # removes the folder of files that are its own (build.py)
        texts = self._settings = _texts(settings)
        self._call(
            library.mbo_run_open, os.fsencode(path), len(texts), _array_of_texts(texts), ctypes.byref(self._handle)
        )
        library.mbo_run_threads(self._handle, threads)
        library.mbo_run_stop(self._handle, ctypes.byref(self._stop))
        self._read_names()

    # ---- the library ----

    def _run(self, function: Any, arguments: tuple) -> int:
        """Calls the library. If this is the main thread, another thread calls, so that Ctrl-C ends the call after the present time step."""
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

    def _call(self, function: Any, *arguments: Any) -> None:
        if self._asking == threading.get_ident():
            raise RuntimeError("an optimizer asks by its argument (mbopt.Ask), and not by the problem, which it keeps busy")
        error = _library.Error()
        with self._lock:
            status = self._run(function, arguments + (ctypes.byref(error),))
        if status:
            raise _library.failure(status, error)

    def _after_fork(self) -> None:
        """The child of a fork has only the thread that forked: neither the one that calls the library, nor one that holds the lock and would leave
        the problem halfway through a call."""
        if self._process != os.getpid():
            self._process, self._worker = os.getpid(), None
            self._torn = not self._lock.acquire(blocking=False)
            self._lock = threading.RLock()

    def _open(self) -> Any:
        self._after_fork()
        if not self._handle:
            raise ValueError("the problem is closed")
        if self._torn:
            raise RuntimeError("the process was forked during a call of this problem; open another one in the child")
        return self._handle

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a Problem is not copied or pickled, since it owns memory of the library; reopen() opens another one")

    def close(self) -> None:
        """Frees the memory of the problem, which cannot be used afterwards."""
        self._after_fork()
        with self._lock:
            if self._worker:
                self._worker.shutdown()
                self._worker = None
            if not self._torn:
                library.mbo_run_close(self._handle)
            self._handle = ctypes.c_void_p()
            if self._folder:
                self._folder()
                self._folder = None

    def __enter__(self) -> Problem:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self) -> str:
        return f"<mbopt.Problem {self.path}: {len(self.variables)} variables, {len(self.quantities)} quantities>"

    # ---- names ----

    def _read_names(self) -> None:
        h = self._handle
        n = library.mbo_run_variables(h)
        objectives, constraints = library.mbo_run_objectives(h), library.mbo_run_constraints(h)
        self.variables = [library.mbo_run_variable(h, i).decode() for i in range(n)]
        self.quantities = [library.mbo_run_quantity(h, i).decode() for i in range(objectives + constraints)]
        self.objectives, self.constraints = self.quantities[:objectives], self.quantities[objectives:]
        self.cases = [library.mbo_run_case(h, i).decode() for i in range(library.mbo_run_cases(h))]
        self.start = _constant(library.mbo_run_start(h), n)
        self.lower, self.upper = _constant(library.mbo_run_lower(h), n), _constant(library.mbo_run_upper(h), n)
        self.scale = _constant(library.mbo_run_scale(h), n)
        self.constraint_lower = _constant(library.mbo_run_constraint_lower(h), constraints)
        self.constraint_upper = _constant(library.mbo_run_constraint_upper(h), constraints)

    def change(self, settings: Settings) -> None:
        """Opens the file again with the earlier settings followed by these. If one of them is wrong, the problem does not change."""
        texts = _texts(settings)
        self._call(library.mbo_run_change, self._open(), len(texts), _array_of_texts(texts))
        library.mbo_run_stop(self._handle, ctypes.byref(self._stop))
        self._settings = self._settings + texts
        self._read_names()

    def reopen(self, settings: Settings = None, threads: int = 0) -> Problem:
        """Opens another problem of the same file with the settings of this one followed by these, for use in another thread."""
        return Problem(self.path, [*(text.decode() for text in self._settings + _texts(settings))], threads)

    def design(self, x: ArrayLike) -> dict[str, float]:
        """Returns a design as a dict by the names of its variables."""
        return dict(zip(self.variables, map(float, np.asarray(x))))

    def _design(self, x: Any) -> Array:
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

    def value(self, x: Design = None) -> float:
        """Returns the objective, to which [objectives] of the run file combines all objectives."""
        return self._values(x)[0]

    def values(self, x: Design = None) -> dict[str, float]:
        """Returns all objectives and constraints by name."""
        return self._values(x)[1]

    def true_values(self, x: Design = None) -> dict[str, float]:
        """Returns all objectives and constraints by name, as `values` does, with true extrema, quantiles and integrals of |s| in place of the smooth
        ones that are optimized."""
        x, psi = self._design(x), np.zeros(len(self.quantities))
        self._call(library.mbo_run_true_values, self._open(), x.ctypes.data, None, psi.ctypes.data, None)
        return dict(zip(self.quantities, map(float, psi)))

    def _values(self, x: Any) -> tuple[float, dict[str, float]]:
        x, f, psi = self._design(x), ctypes.c_double(), np.zeros(len(self.quantities))
        self._call(library.mbo_run_values, self._open(), x.ctypes.data, ctypes.addressof(f), psi.ctypes.data)
        return f.value, dict(zip(self.quantities, map(float, psi)))

    def value_and_gradient(self, x: Design = None) -> tuple[float, Array]:
        """Returns the combined objective and its gradient; by adjoint at the cost of about two simulations. The objective agrees with `value` to
        the tolerance of the steps, not to the last bit, since a simulation with its gradient solves some steps more precisely."""
        f, g, _, _ = self._evaluate(x)
        return f, g

    def gradient(self, x: Design = None) -> Array:
        """Returns the gradient of the combined objective."""
        return self._evaluate(x)[1]

    def _evaluate(self, x: Any) -> tuple[float, Array, Array, Array]:
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

    def gradients(self, x: Design = None, method: Optional[str] = None) -> Array:
        """The gradient of every quantity by itself, [quantity][variable], by a method of [gradient]."""
        x, jac = self._design(x), np.zeros((len(self.quantities), len(self.variables)))
        by = method.encode() if method else None
        self._call(library.mbo_run_gradients, self._open(), x.ctypes.data, by, None, jac.ctypes.data)
        return jac

    def hessian(self, x: Design = None) -> Array:
        """Returns exact second derivatives of the combined objective."""
        return self.hessians(x)[0]

    def hessians(self, x: Design = None) -> Array:
        """Exact second derivatives [1 + constraints][variable][variable] of the objectives as one, then of every constraint."""
        n = len(self.variables)
        x, H = self._design(x), np.zeros((1 + len(self.constraints), n, n))
        self._call(library.mbo_run_hessian, self._open(), x.ctypes.data, H.ctypes.data)
        return H

    def hessian_product(self, w: ArrayLike, x: Design = None) -> Array:
        """Exact second derivatives of the objectives as one, times the direction w; without the matrix, at the cost of some gradients, however
        many variables there are."""
        return self.hessian_products(w, x)[0]

    def hessian_products(self, w: ArrayLike, x: Design = None) -> Array:
        """Products [1 + constraints][variable] of exact second derivatives with the direction w: of the objectives as one, then of every
        constraint."""
        x, along = self._design(x), np.ascontiguousarray(w, dtype=float)
        if along.shape != (len(self.variables),):
            raise InputError(f"the direction has shape {along.shape}, expected ({len(self.variables)},)")
        out = np.zeros((1 + len(self.constraints), len(self.variables)))
        self._call(library.mbo_run_hessian_product, self._open(), x.ctypes.data, along.ctypes.data, out.ctypes.data)
        return out

    def gauss_newton(self, x: Design = None) -> Array:
        """The Gauss-Newton matrix of objectives that are sums of squares."""
        n = len(self.variables)
        x, H = self._design(x), np.zeros((n, n))
        self._call(library.mbo_run_gauss_newton, self._open(), x.ctypes.data, H.ctypes.data)
        return H

    def check(
        self, x: Design = None, methods: tuple[str, str] = ("discrete_adjoint", "complex_step"), tolerance: float = 1e-9
    ) -> Agreement:
        """Whether two methods that share no derivative give the same gradients.

        >>> with Problem("configs/pendulum.ini", {"case.drop.duration": 1}) as p:
        ...     p.check().right, p.check(methods=("direct", "central_differences"), tolerance=1e-13).right
        (True, False)
        """
        one, other = (self.gradients(x, method) for method in methods)
        deviation = {}
        for i, name in enumerate(self.quantities):
            size = np.max(np.abs(one[i] * self.scale), initial=0.0)
            difference = np.max(np.abs((one[i] - other[i]) * self.scale), initial=0.0)
            deviation[name] = float(difference / size) if size else float(difference)
        return Agreement((methods[0], methods[1]), (one, other), deviation, all(d <= tolerance for d in deviation.values()))

    @property
    def warnings(self) -> list[str]:
        """Warnings of the last evaluation or simulation, as sentences."""
        texts: list[str] = []
        while (text := library.mbo_run_warning(self._open(), len(texts))) is not None:
            texts.append(text.decode(errors="replace"))
        return texts

    # ---- motions ----

    def simulate(self, x: Design = None, case: Union[str, int, None] = None) -> Motion:
        """The motion of a case (which may be left out where there is one). Its arrays are views of the library's table.

        >>> motion = Problem("configs/pendulum.ini", {"case.drop.duration": 1}).simulate()
        >>> print(motion.t[-1], f"{motion['ground-bar.angle'][-1]:.4f}", motion.units["ground-bar.angle"])
        1.0 1.3270 rad
        """
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

    def linearize(self, x: Design = None, case: Union[str, int, None] = None) -> Modes:
        """Eigenvalues of small motions about the start of a case.

        >>> modes = Problem("configs/pendulum.ini").linearize()
        >>> print(modes.coordinates, np.round(modes.eigenvalues, 2), np.round(modes.damping, 4))
        ['ground-bar.angle'] [-0.15+2.73j -0.15-2.73j] [0.0548 0.0548]
        """
        x, l, i = self._design(x), _library.Linear(), self._case(case)
        size = ctypes.sizeof(l)
        self._call(library.mbo_run_linearize_sized, self._open(), x.ctypes.data, i, ctypes.byref(l), size)
        try:
            n, order = l.n, l.n + l.nrate + l.nstate
            names, rates = (
                [library.mbo_run_coordinate(self._handle, i, of[k]).decode() for k in range(count)]
                for of, count in ((l.z, n), (l.rate, l.nrate))
            )
            A = copied(l.A, order, order)
            eigenvalues = copied(l.re, order) + 1j * copied(l.im, order)
            return Modes(names, A, eigenvalues, copied(l.shape, order, n), rates)
        finally:
            library.mbd_linear_free_sized(ctypes.byref(l), size)

    # ---- optimization ----

    def minimize(
        self,
        settings: Settings = None,
        callback: Optional[Callable[[Iteration], Any]] = None,
        optimizer: Optional[Callable[[Ask], End]] = None,
        journal: Optional[Union[str, os.PathLike]] = None,
    ) -> Optimum:
        """Minimizes with the optimizer of the run file, or as settings say: {"optimizer.backend": "nlopt"}; these stay.

        callback is called after each iteration; what it raises ends the optimization and is raised here. optimizer: a function of one's own, which
        asks by its argument (Ask) and returns how it has ended: "converged", "stopped_limit", "infeasible", "stalled", "failed", or one of these
        with a text; limits, history and results are those of the run. journal: a file that keeps what is evaluated; if it is there, the run that
        it is of goes on, and designs in it are not simulated again.

        >>> best = Problem("configs/pendulum.ini").minimize()
        >>> print(best.status, f"{best.objective:.6f}", f"{best.design['stiffness']:.4f}")
        CONVERGED 0.045654 17.4983
        >>> def guess(ask):
        ...     for length in (2.3, 2.4, 2.5):
        ...         ask.evaluate([length, 1.85], gradient=False)
        ...     return "stopped_limit", "three guesses"
        >>> best = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2}).minimize(optimizer=guess)
        >>> print(best.text, best.evaluations, best.x)
        stopped at a limit (command: three guesses) 4 [2.4  1.85]
        """
        raised: list[BaseException] = []
        history: list[Iteration] = []
        if settings:
            self.change(settings)

        def told(_: Any, one: Any) -> None:
            it = one.contents
            history.append(Iteration(it.iteration, it.evaluations, it.f, it.violation, it.optimality, it.step))
            try:
                if callback and not raised:
                    callback(history[-1])
            except BaseException as error:  # it must not pass through the library
                raised.append(error)
                self._stop.value = 1

        hook, handle = _library.ON_ITERATION(told), ctypes.c_void_p()
        library.mbo_run_on_iteration(self._open(), hook, None)
        try:
            by = function_of(self, optimizer, raised) if optimizer else _library.OPTIMIZER()  # type: ignore[call-overload]
            path = None if journal is None else os.fsencode(journal)
            self._call(library.mbo_run_optimize_by, self._open(), by, None, path, ctypes.byref(handle))
            if raised:
                raise raised[0]
            return self._optimum(handle, history)
        finally:
            self._stop.value = _RUNS_ON
            library.mbo_run_on_iteration(self._handle, _library.ON_ITERATION(), None)  # type: ignore[call-overload]
            library.mbo_optimum_free(handle)

    def _optimum(self, handle: Any, history: list[Iteration]) -> Optimum:
        def number(name: bytes) -> float:
            return library.mbo_optimum_number(handle, name)

        x = copied(library.mbo_optimum_design(handle), len(self.variables))
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
            history=history,
            stages=int(number(b"stages")),
        )

    def fit(
        self,
        settings: Settings = None,
        callback: Optional[Callable[[Iteration], Any]] = None,
        x: Design = None,
    ) -> _fit.Fit:
        """Fits the variables to the run file's measurements, as `mbopt fit` does: minimizes (settings and callback as in `minimize`), then tells
        estimates with intervals, correlations, directions that the data do not determine, residuals, and errors of what is held out. x: the
        statistics of this design, and nothing is optimized.

        >>> p = Problem("configs/measured_bar.ini", {"measurement.loaded.hold_out": False})
        >>> fit = p.fit()
        >>> print(f"{fit.design['mass']:.4f} {fit.lower[0]:.4f} to {fit.upper[0]:.4f}")
        2.0999 2.0894 to 2.1104
        >>> fit.undetermined, fit.measurements["loaded_later"]
        ([], <mbopt.Measurement loaded_later: held out, 79 samples, residuals of 0.003511 rad>)
        """
        if settings:
            self.change(settings)
        self._call(library.mbo_run_fits, self._open())
        if x is not None:
            return _fit.of(self, self._design(x), None)
        optimum = self.minimize(callback=callback)
        return _fit.of(self, optimum.x, optimum)

    # ---- many runs ----

    def sweep(
        self, vary: Vary, task: str = "simulate", jobs: int = 0, progress: Optional[Callable[[int, int], Any]] = None
    ) -> Study:
        """A run for each combination of values, {"k": [1, 2, 3], "case.drop.step": [1e-2, 5e-3]}, the last key fastest; or for each point of a
        list, [{"k": 1}, {"k": 3}]. A key is a design variable, a scalar of the model, or a key of the run file as settings name it. task:
        "simulate", "gradient", or "optimize", which begins at the values of variables. jobs threads compute; 0: as many as there are
        processors. progress(done, all) is called after each run. A run that cannot be simulated is a row with status "FAILED".

        >>> with Problem("configs/pendulum.ini", {"case.drop.duration": 0.5}) as p:
        ...     table = p.sweep({"mass": [1, 2], "stiffness": [5, 10, 20]})
        >>> table
        <mbopt.Study: 6 runs, varied mass, stiffness>
        >>> print(table.best()["mass"], table.best()["stiffness"])
        1.0 20.0
        """
        return Sweep(self, vary, task).run(jobs, progress)

    # ---- SciPy ----

    def scipy(self, scaled: bool = False, hessian: bool = False) -> dict[str, Any]:
        """Arguments for scipy.optimize.minimize: `minimize(method="trust-constr", **p.scipy())`.

        The objective comes with its gradient, constraints come with their Jacobian, and each design is evaluated once. scaled: x / p.scale
        takes the place of x, which methods without a scaling of their own need (SLSQP, L-BFGS-B); the design is p.scale * result.x then.
        hessian: with exact second derivatives of objective and constraints, for methods that take them (trust-constr, trust-exact,
        Newton-CG). A design that cannot be simulated ends SciPy's search with a SimulationError: its line searches take a value of infinity for
        convergence; `minimize` steps back instead.

        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2})
        >>> sorted(p.scipy()), p.scipy()["bounds"]
        (['bounds', 'fun', 'jac', 'x0'], [(0.5, 4.0), (0.5, 4.0)])
        """
        by = self.scale if scaled else np.ones(len(self.variables))
        evaluate = _remembered(lambda x: self._design_of_scipy(x * by))
        second = _remembered(lambda x: self.hessians(x * by) * np.outer(by, by))
        arguments: dict[str, Any] = {
            "fun": lambda x: (evaluate(x)[0], evaluate(x)[1] * by),
            "jac": True,
            "x0": self.start / by,
            "bounds": [
                (None if math.isinf(lower) else lower, None if math.isinf(upper) else upper)
                for lower, upper in zip((self.lower / by).tolist(), (self.upper / by).tolist())
            ],
        }
        if hessian:
            arguments["hess"] = lambda x: second(x)[0]
        if self.constraints:
            from scipy.optimize import NonlinearConstraint

            more = {"hess": lambda x, v: np.tensordot(v, second(x)[1:], 1)} if hessian else {}
            arguments["constraints"] = [
                NonlinearConstraint(
                    lambda x: evaluate(x)[2],
                    self.constraint_lower,
                    self.constraint_upper,
                    jac=lambda x: evaluate(x)[3] * by,
                    **more,
                )
            ]
        return arguments

    def _design_of_scipy(self, x: Array) -> tuple[float, Array, Array, Array]:
        try:
            return self._evaluate(x)
        except SimulationError as error:
            text = (
                f"SciPy asks for the design {self.design(x)}, which cannot be simulated, and does not step back from it; expected narrower "
                f"bounds, another start, or Problem.minimize: {error}"
            )
            raise SimulationError(text, error.status, error.time) from None

    def scipy_least_squares(self, scaled: bool = False) -> dict[str, Any]:
        """Arguments for scipy.optimize.least_squares: `least_squares(**p.scipy_least_squares())`, where every objective is a square and there
        are no constraints.

        Objectives are integrals of squares over time, with as many residuals as there are nodes. In their place stand variables + 1 residuals
        r with the Jacobian J that have the same sum of squares r'r/2 = f, gradient J'r and Gauss-Newton matrix J'J, which is all that
        least_squares uses with its loss "linear". Where f is the sum of squares (residual / sigma)^2 of measurements, J'J is twice the inverse of
        the covariance: standard errors are np.sqrt(2 * np.diag(np.linalg.inv(J.T @ J))), times p.scale if scaled; `fit` computes them.

        >>> from scipy.optimize import least_squares
        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2})
        >>> result = least_squares(**p.scipy_least_squares(), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        >>> print(np.round(result.x, 5))
        [2.43192 1.84487]
        """
        if self.constraints:
            raise InputError(f"{self.path}: least_squares takes no constraints, expected none, found {self.constraints}")
        by = self.scale if scaled else np.ones(len(self.variables))

        def evaluate(x: Array) -> tuple[Array, Array]:
            f, g = self.value_and_gradient(x * by)
            return _residuals(f, g * by, self.gauss_newton(x * by) * np.outer(by, by))

        at = _remembered(evaluate)
        bounds = (self.lower / by, self.upper / by)
        return {"fun": lambda x: at(x)[0], "jac": lambda x: at(x)[1], "x0": self.start / by, "bounds": bounds}


def _remembered(evaluate: Callable[[Array], Any]) -> Callable[[Any], Any]:
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


def _residuals(f: float, g: Array, H: Array) -> tuple[Array, Array]:
    """Residuals r and their Jacobian J with r'r/2 = f, J'r = g, J'J = H: rows along the eigenvectors of H, and one that does not change.

    >>> r, J = _residuals(7.0, np.array([1.0, 2.0]), np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> print(np.round(r @ r / 2, 12), np.round(J.T @ r, 12), np.round(J.T @ J, 12).tolist())
    7.0 [1. 2.] [[2.0, 1.0], [1.0, 3.0]]
    """
    sizes, vectors = np.linalg.eigh(H)
    roots = np.sqrt(np.maximum(sizes, 0))
    seen = roots > 1e-10 * np.max(roots, initial=0)
    along = np.divide(vectors.T @ g, roots, out=np.zeros(len(g)), where=seen)
    rest = np.sqrt(max(2 * f - along @ along, 0))
    return np.append(along, rest), np.vstack([roots[:, None] * vectors.T, np.zeros(len(g))])
