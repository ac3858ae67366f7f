"""A run file as an object: values, gradients, motions and optimizations of the design that it describes."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import threading
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _library, fit as _fit, html, optimum as _optimum, program, scipy_arguments
from ._library import copied, library
from .ask import Ask, End, function_of
from .errors import InputError, SimulationError
from .folder import Folder
from .kinds import Array, Path
from .motion import Motion, motion_of
from .optional import Progress, teller
from .program import Page
from .results import Agreement, Batch, Iteration, Modes, Optimum
from .study import Study, Sweep, Vary
from .threads import Caller
from .trajectory import Trajectory
from .workers import Workers

Settings = Union[Mapping[str, Any], Iterable[str], None]

Design = Union[ArrayLike, Mapping[str, float], None]

_RUNS_ON = 0
_log = logging.getLogger("mbopt")


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


def _reopened(path: str, settings: list[bytes], threads: int, folder: Optional[Folder]) -> Problem:
    """A copy of a problem. path: relative to its folder, where it has one."""
    return Problem(os.path.join(folder.path, path) if folder else path, [text.decode() for text in settings], threads, folder)


def allow_plugins(allow: bool = True) -> None:
    """Takes every library that a run file names in [plugin NAME], also those that `mbopt plugin` of this user has not built: their code runs with
    all rights of this process."""
    library.mbo_plugins_allow(int(allow))
    program.allowed["--allow-plugins"] = allow


def allow_commands(allow: bool = True) -> None:
    """Takes every program that a run file names as its optimizer ([optimizer] command): it runs with all rights of this process."""
    library.mbo_commands_allow(int(allow))
    program.allowed["--allow-commands"] = allow


class Problem:
    """An open run file. One call runs at a time; several problems may be used at once, in threads of their own.

    Designs are arrays in the order of `variables`, or dicts by name (what is not named keeps its start); None is the start. The arrays `start`,
    `lower`, `upper`, `scale` are read-only: `x = p.start.copy()` is to be changed, and `change` sets what the file says.

    Quantities have the units of the model file (SI, radians), derivatives their unit per unit of the variable. Methods with a design x raise InputError
    where its shape or a name is wrong, SimulationError where it cannot be simulated, KeyboardInterrupt at Ctrl-C.

    copy, deepcopy and pickle open the file again with the same settings; so does `reopen` with further ones. A child process of os.fork has a problem of
    its own.

    >>> with Problem("configs/pendulum.ini", {"case.drop.duration": 1}) as p:
    ...     p.variables, p.objectives, p.constraints, p.cases
    ...     print(f"{p.value():.4f} {p.value({'stiffness': 20}):.4f}")
    (['stiffness', 'damping'], ['settle'], ['tip_speed'], ['drop'])
    0.7742 0.0808
    >>> p.value()
    Traceback (most recent call last):
    ValueError: the problem is closed
    """

    def __init__(
        self, path: Path, settings: Settings = None, threads: int = 0, _folder: Optional[Folder] = None
    ):
        self.path = os.fspath(path)
        self._absolute = os.path.abspath(self.path)
        self._threads = threads
        self._folder = _folder  # of files that are its own (build.py); it is removed with the last problem of them
        self._handle = ctypes.c_void_p()
        self._lock = threading.RLock()
        self._asking: Optional[int] = None  # the thread of an optimizer of one's own
        self._process, self._torn = os.getpid(), False
        self._stop = ctypes.c_int(0)
        self._caller: Optional[Caller] = None
        self._trajectories: dict[Any, Trajectory] = {}  # of motions (motion.py)
        texts = self._settings = _texts(settings)
        self._call(
            library.mbo_run_open, os.fsencode(path), len(texts), _array_of_texts(texts), ctypes.byref(self._handle)
        )
        library.mbo_run_threads(self._handle, threads)
        library.mbo_run_as_with_gradient(self._handle, 1)
        library.mbo_run_stop(self._handle, ctypes.byref(self._stop))
        self._read_names()

    # ---- the library ----

    def _run(self, function: Any, arguments: tuple[Any, ...]) -> int:
        """Calls the library. If this is the main thread, another thread calls, so that Ctrl-C ends the call after the present time step."""
        if threading.get_ident() != threading.main_thread().ident:
            return function(*arguments)
        self._caller = self._caller or Caller()
        try:
            return self._caller(function, *arguments)
        except KeyboardInterrupt:
            self._stop.value = 1
            self._caller(int)  # which follows the call
            raise
        finally:
            self._stop.value = _RUNS_ON

    def _call(self, function: Any, *arguments: Any) -> None:
        if self._asking == threading.get_ident():
            raise RuntimeError("an optimizer asks by its argument (mbopt.Ask), and not by the problem, which it keeps busy")
        error = _library.Error()
        with self._lock:
            status = self._run(function, arguments + (ctypes.byref(error),))
        self._check(status, error)

    def _check(self, status: int, error: Any) -> None:
        """Raises what a call of the library ended with, in words of the objects where the problem is made of such."""
        if status:
            if self._folder:
                error.text = self._folder.named(error.text)[:1023]
            raise _library.failure(status, error)

    def _after_fork(self) -> None:
        """The child of a fork has only the thread that forked: neither the one that calls the library, nor one that holds the lock and would leave
        the problem halfway through a call."""
        if self._process != os.getpid():
            self._process, self._caller = os.getpid(), None
            self._torn = not self._lock.acquire(blocking=False)
            self._lock = threading.RLock()

    def _open(self) -> Any:
        self._after_fork()
        if not self._handle:
            raise ValueError("the problem is closed")
        if self._torn:
            raise RuntimeError("the process was forked during a call of this problem; open another one in the child")
        return self._handle

    def __reduce__(self) -> Any:
        self._open()
        path = os.path.relpath(self._absolute, self._folder.path) if self._folder else self._absolute
        return _reopened, (path, self._settings, self._threads, self._folder)

    def close(self) -> None:
        """Frees the memory of the problem, which cannot be used afterwards; motions and results stay valid. `with mbopt.open(...) as p:` closes at its end."""
        self._after_fork()
        with self._lock:
            self._free()

    def _free(self) -> None:
        handle, self._handle = self._handle, ctypes.c_void_p()  # first, so that it is closed once whenever Ctrl-C comes
        self._caller = self._folder = None
        if not self._torn:
            library.mbo_run_close(handle)

    def __enter__(self) -> Problem:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        """Takes no lock and waits for nothing: garbage is collected in any thread, also in one that holds the locks by which threads start and end."""
        if getattr(self, "_handle", None):
            self._after_fork()
            self._free()

    def __repr__(self) -> str:
        return f"<mbopt.Problem {self.path}: {len(self.variables)} variables, {len(self.quantities)} quantities>"

    def _repr_html_(self) -> str:
        return html.problem(self)

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
        """Opens the file again with the earlier settings followed by these. If one of them is wrong, an InputError says so, and the problem does not change.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> p.change({"design.stiffness.start": 8})
        >>> print(p.start[0])
        8.0
        """
        texts = _texts(settings)
        self._call(library.mbo_run_change, self._open(), len(texts), _array_of_texts(texts))
        library.mbo_run_stop(self._handle, ctypes.byref(self._stop))
        self._settings = self._settings + texts
        self._trajectories = {}
        self._read_names()

    def reopen(self, settings: Settings = None, threads: Optional[int] = None) -> Problem:
        """Opens another problem of the same file with the settings of this one followed by these, for use in another thread.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> with p.reopen({"scalars.mass": 3}) as heavier:
        ...     heavier.value() > p.value()
        True
        """
        self._open()
        path = self.path if os.path.abspath(self.path) == self._absolute else self._absolute
        texts = [text.decode() for text in self._settings + _texts(settings)]
        return Problem(path, texts, self._threads if threads is None else threads, self._folder)

    @contextlib.contextmanager
    def _with(self, settings: Settings, x0: Design = None) -> Iterator[Problem]:
        """This problem; while a call lasts another one where that has settings or a start of its own."""
        texts = [text.decode() for text in _texts(settings)] + ([] if x0 is None else self._starts(x0))
        if not texts:
            yield self
            return
        with self.reopen(texts) as other:
            yield other

    def _source(self, x: Design = None) -> program.Source:
        """What the program is told of this problem, with a design as the start."""
        self._open()
        settings = [text.decode() for text in self._settings] + ([] if x is None else self._starts(x))
        return program.Source(self._absolute, tuple(settings), self._folder)

    def _starts(self, x: Design) -> list[str]:
        """Settings by which a run begins at a design."""
        return [f"design.{name}.start={value!r}" for name, value in self.design(self._design(x)).items()]

    def design(self, x: ArrayLike) -> dict[str, float]:
        """Returns a design [variable] as a dict by the names of its variables.

        >>> Problem("configs/pendulum.ini").design([5, 0.2])
        {'stiffness': 5.0, 'damping': 0.2}
        """
        return dict(zip(self.variables, map(float, np.asarray(x))))

    def _design(self, x: Any) -> Array:
        if x is None:
            return self.start.copy()
        if isinstance(x, Mapping):
            values = self.start.copy()
            for name, value in x.items():
                places = self._places(name)
                if np.ndim(value) and np.shape(value) != (len(places),):
                    raise InputError(f"{self.path}: '{name}' has {len(places)} variables, found an array of shape {np.shape(value)}")
                values[places] = value
            return values
        values = np.ascontiguousarray(x, dtype=float)
        if values.shape != (len(self.variables),):
            raise InputError(f"{self.path}: a design of shape {values.shape}, expected ({len(self.variables)},)")
        return values

    def _places(self, name: str) -> list[int]:
        """Of a variable, or of all control points NAME.1, NAME.2, ... of a curve."""
        if name in self.variables:
            return [self.variables.index(name)]
        points = [i for i, one in enumerate(self.variables) if one.rpartition(".")[0] == name and one.rpartition(".")[2].isdigit()]
        if not points:
            raise InputError(f"{self.path}: '{name}' is no design variable, expected one of {self.variables}")
        return points

    def _direction(self, d: Any) -> Array:
        along = np.ascontiguousarray(d, dtype=float)
        if along.shape != (len(self.variables),):
            raise InputError(f"the direction has shape {along.shape}, expected ({len(self.variables)},)")
        return along

    def _weights(self, w: Any) -> Array:
        """Of all quantities; those that a dict does not name have 0."""
        if isinstance(w, Mapping):
            for name in w:
                if name not in self.quantities:
                    raise InputError(f"{self.path}: '{name}' is no quantity, expected one of {self.quantities}")
            w = [w.get(name, 0.0) for name in self.quantities]
        weights = np.ascontiguousarray(w, dtype=float)
        if weights.shape != (len(self.quantities),):
            raise InputError(f"weights of shape {weights.shape}, expected ({len(self.quantities)},): one for each of {self.quantities}")
        return weights

    def _case(self, case: Union[str, int, None]) -> int:
        if isinstance(case, int):
            return case
        if case is None and len(self.cases) == 1:
            return 0
        if case in self.cases:
            return self.cases.index(case)
        if case is None:
            raise InputError(f"{self.path}: there are {len(self.cases)} load cases, expected case= and one of {self.cases}")
        raise InputError(f"{self.path}: case {case!r} is not there, expected one of {self.cases}")

    # ---- evaluation ----

    def value(self, x: Design = None) -> float:
        """Returns the objective, to which [objectives] of the run file combines all objectives. Cost: a simulation of each case.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> print(f"{p.value():.4f} {p.value([8, 0.2]):.4f} {p.value({'damping': 0.4}):.4f}")
        0.0917 0.0782 0.0843
        """
        return self._values(x)[0]

    def values(self, x: Design = None) -> dict[str, float]:
        """Returns all objectives and constraints by name, of one simulation.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> {name: round(value, 4) for name, value in p.values().items()}
        {'settle': 0.0917, 'tip_speed': 3.5002}
        """
        return self._values(x)[1]

    def true_values(self, x: Design = None) -> dict[str, float]:
        """Returns all objectives and constraints by name, as `values` does, with true extrema, quantiles and integrals of |s| in place of the smooth
        ones that are optimized.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> p.true_values() == p.values()  # none of them is smoothed
        True
        """
        x, psi = self._design(x), np.zeros(len(self.quantities))
        self._call(library.mbo_run_true_values, self._open(), x.ctypes.data, None, psi.ctypes.data, None)
        return dict(zip(self.quantities, map(float, psi)))

    def _values(self, x: Any) -> tuple[float, dict[str, float]]:
        x, f, psi = self._design(x), ctypes.c_double(), np.zeros(len(self.quantities))
        self._call(library.mbo_run_values, self._open(), x.ctypes.data, ctypes.addressof(f), psi.ctypes.data)
        return f.value, dict(zip(self.quantities, map(float, psi)))

    def value_and_gradient(self, x: Design = None) -> tuple[float, Array]:
        """Returns the combined objective and its gradient; by adjoint at the cost of about two simulations. The objective is that of `value` to the last bit.
        mbopt.Error: the run file has method = none.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> f, g = p.value_and_gradient()
        >>> f == p.value(), g.shape
        (True, (2,))
        """
        f, g, _, _ = self._evaluate(x)
        return f, g

    def gradient(self, x: Design = None) -> Array:
        """Returns the gradient [variable] of the combined objective, at the cost of `value_and_gradient`.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> h = 1e-5
        >>> slope = (p.value([5 + h, 0.2]) - p.value([5 - h, 0.2])) / (2 * h)
        >>> bool(abs(p.gradient([5, 0.2])[0] - slope) < 1e-8 * abs(slope))
        True
        """
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
        """The gradient of every quantity by itself, [quantity][variable], by a method of [gradient]: "direct", "discrete_adjoint", "complex_step", ...; None: that
        of the run file. Cost: by adjoint a pass for each quantity. mbopt.Error: the method is not available here; InputError: it is not known.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> bool(np.allclose(p.gradients(method="direct"), p.gradients(method="complex_step"), rtol=1e-10, atol=1e-12))
        True
        """
        x, jac = self._design(x), np.zeros((len(self.quantities), len(self.variables)))
        by = method.encode() if method else None
        self._call(library.mbo_run_gradients, self._open(), x.ctypes.data, by, None, jac.ctypes.data)
        return jac

    def jvp(self, dx: ArrayLike, x: Design = None) -> Array:
        """The derivatives of all quantities [quantity] along a direction dx [variable], by direct differentiation. Cost: a simulation and one right-hand side
        in each of its steps.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> bool(np.allclose(p.jvp([1, 2]), p.gradients() @ [1, 2])), bool(np.allclose(p.vjp({"settle": 3}), 3 * p.gradients()[0]))
        (True, True)
        """
        x, along, out = self._design(x), self._direction(dx), np.empty(len(self.quantities))
        self._call(library.mbo_run_jvp, self._open(), x.ctypes.data, along.ctypes.data, None, out.ctypes.data)
        return out

    def vjp(self, w: Union[ArrayLike, Mapping[str, float]], x: Design = None) -> Array:
        """The gradient [variable] of sum_i w_i psi_i for weights w [quantity], or a dict of them by name. Cost: that of one gradient."""
        x, weights, g = self._design(x), self._weights(w), np.empty(len(self.variables))
        self._call(library.mbo_run_vjp, self._open(), x.ctypes.data, weights.ctypes.data, None, g.ctypes.data)
        return g

    def second(self, w: Union[ArrayLike, Mapping[str, float]], d: ArrayLike, x: Design = None) -> Array:
        """(sum_i w_i psi_i'') d [variable] for weights w [quantity] and a direction d [variable]: the derivative of `vjp` along d. Cost: some gradients."""
        x, weights, along, out = self._design(x), self._weights(w), self._direction(d), np.empty(len(self.variables))
        self._call(library.mbo_run_second, self._open(), x.ctypes.data, weights.ctypes.data, along.ctypes.data, out.ctypes.data)
        return out

    def hessian(self, x: Design = None) -> Array:
        """Returns exact second derivatives [variable][variable] of the combined objective. Cost: a simulation with adjoint in complex numbers for each variable.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> H = p.hessian()
        >>> H.shape, bool((H == H.T).all())
        ((2, 2), True)
        """
        return self.hessians(x)[0]

    def hessians(self, x: Design = None) -> Array:
        """Exact second derivatives [1 + constraints][variable][variable] of the objectives as one, then of every constraint.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> p.hessians().shape, bool((p.hessians()[0] == p.hessian()).all())
        ((2, 2, 2), True)
        """
        n = len(self.variables)
        x, H = self._design(x), np.zeros((1 + len(self.constraints), n, n))
        self._call(library.mbo_run_hessian, self._open(), x.ctypes.data, H.ctypes.data)
        return H

    def hessian_product(self, w: ArrayLike, x: Design = None) -> Array:
        """Exact second derivatives of the objectives as one, times the direction w [variable]: [variable]; without the matrix, at the cost of some gradients,
        however many variables there are.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> bool(np.allclose(p.hessian_product([1, 0]), p.hessian()[:, 0], rtol=1e-9))
        True
        """
        return self.hessian_products(w, x)[0]

    def hessp(self, x: Design, w: ArrayLike) -> Array:
        """`hessian_product` with the arguments in SciPy's order.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> bool((p.hessp(p.start, [1, 0]) == p.hessian_product([1, 0])).all())
        True
        """
        return self.hessian_product(w, x)

    def hessian_products(self, w: ArrayLike, x: Design = None) -> Array:
        """Products [1 + constraints][variable] of exact second derivatives with the direction w: of the objectives as one, then of every
        constraint.

        >>> Problem("configs/pendulum.ini", {"case.drop.duration": 0.5}).hessian_products([1, 0]).shape
        (2, 2)
        """
        x, along = self._design(x), self._direction(w)
        out = np.zeros((1 + len(self.constraints), len(self.variables)))
        self._call(library.mbo_run_hessian_product, self._open(), x.ctypes.data, along.ctypes.data, out.ctypes.data)
        return out

    def hessian_operator(self, x: Design = None) -> Any:
        """A scipy.sparse.linalg.LinearOperator [variable][variable] of exact second derivatives of the objective at x, which computes products without the
        matrix.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.2})
        >>> H = p.hessian_operator()
        >>> H.shape, bool(np.allclose(H @ [1.0, 0.0], p.hessian()[:, 0], rtol=1e-9))
        ((2, 2), True)
        """
        return scipy_arguments.hessian_operator(self, self._design(x), lambda products: products[0])

    def jacobian_operator(self, x: Design = None) -> Any:
        """A LinearOperator [quantity][variable] of `gradients` at x, which are computed at the first product.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> J = p.jacobian_operator()
        >>> bool((J.T @ [1.0, 0.0] == p.gradients()[0]).all())
        True
        """
        return scipy_arguments.jacobian_operator(self, self._design(x))

    def gauss_newton(self, x: Design = None) -> Array:
        """The Gauss-Newton matrix [variable][variable] of objectives that are sums or integrals of squares. Cost: a gradient by direct differentiation. mbopt.Error:
        an objective is no square, or the method of the run file is another one.

        >>> N = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2}).gauss_newton()
        >>> bool((np.linalg.eigvalsh(N) > 0).all())
        True
        """
        n = len(self.variables)
        x, H = self._design(x), np.zeros((n, n))
        self._call(library.mbo_run_gauss_newton, self._open(), x.ctypes.data, H.ctypes.data)
        return H

    def least_squares(self, x: Design = None) -> tuple[float, Array, Array]:
        """Objective, gradient [variable] and Gauss-Newton matrix [variable][variable] of one evaluation.

        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2})
        >>> f, g, N = p.least_squares()
        >>> f == p.value(), bool((N == p.gauss_newton()).all())
        (True, True)
        """
        n = len(self.variables)
        x, f, g, H = self._design(x), ctypes.c_double(), np.zeros(n), np.zeros((n, n))
        self._call(library.mbo_run_least_squares, self._open(), x.ctypes.data, ctypes.addressof(f), g.ctypes.data, H.ctypes.data)
        return f.value, g, H

    def residuals(self, x: Design = None) -> Array:
        """Residuals (model - measured)/sigma [sample] of all measurements that are not held out, one measurement after the other.

        >>> p = Problem("configs/servo_fit.ini")
        >>> r, J = p.residuals_and_jacobian()
        >>> r.shape, J.shape, bool((r == p.residuals()).all())
        ((1200,), (1200, 5), True)
        """
        return self._residuals(x, jacobian=False)[0]

    def residuals_and_jacobian(self, x: Design = None) -> tuple[Array, Array]:
        """The residuals [sample] and their derivatives J [sample][variable], by one simulation with direct differentiation. Where every measurement has a
        `sigma`, inv(J'J) is the covariance of the estimates; where it is left out, residuals are in units of the output, and the covariance is that times the
        variance of the noise. Losses of the run file are not in them. InputError: an objective is no measurement, or there are constraints.

        >>> p = Problem("configs/servo_fit.ini")
        >>> r, J = p.residuals_and_jacobian()
        >>> bool(np.allclose(2 * J.T @ r, p.gradient(), rtol=1e-8))
        True
        """
        return self._residuals(x, jacobian=True)

    def _residuals(self, x: Design, jacobian: bool) -> tuple[Array, Array]:
        self._call(library.mbo_run_fits, self._open())
        count = library.mbo_run_residual_count(self._handle)
        x, r, J = self._design(x), np.zeros(count), np.zeros((count if jacobian else 0, len(self.variables)))
        into = J.ctypes.data if jacobian else None
        self._call(library.mbo_run_residuals, self._open(), x.ctypes.data, r.ctypes.data, into)
        return r, J

    def batch(self, X: ArrayLike, gradient: bool = False, jobs: int = 0, progress: Progress = None, lanes: int = 1) -> Batch:
        """Evaluates the designs X [design][variable] in jobs threads (0: as many as there are processors). A design that cannot be simulated is a row of
        NaN. progress: True for a bar of tqdm, or a function of done and all. lanes: 2, 4 or 8 designs at once in each thread, by the vector instructions of its
        core, which agree with those of 1 within the tolerance of the steps; 4 needs AVX2, 8 AVX-512, and a library built where clang is.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.5})
        >>> batch = p.batch([[5, 0.2], [10, 0.2], [20, 0.4]], gradient=True)
        >>> batch.objective.shape, batch.quantities.shape, batch.gradient.shape, bool(batch.failed.any())
        ((3,), (3, 2), (3, 2), False)
        """
        designs = np.array(X, dtype=float, ndmin=2)
        if designs.ndim != 2 or designs.shape[1] != len(self.variables):
            raise InputError(f"{self.path}: designs of shape {designs.shape}, expected (count, {len(self.variables)})")
        if lanes not in (1, 2, 4, 8):
            raise InputError(f"{lanes!r} lanes, expected 1, 2, 4 or 8")
        if lanes != 1:
            return self._batch_in_lanes(designs, gradient, jobs, progress, lanes)
        workers, none = Workers(self), np.nan

        def evaluate(x: Array) -> tuple[float, Any, Any, Optional[str]]:
            p = workers.opened()
            try:
                if not gradient:
                    f, values = p._values(x)
                    return f, list(values.values()), none, None
                f, g, _, _ = p._evaluate(x)
                psi = np.zeros(len(p.quantities))
                library.mbo_run_last_values(p._handle, None, psi.ctypes.data)
                return f, psi, g, None
            except SimulationError as error:
                return none, none, none, str(error)

        rows = workers.map(evaluate, list(designs), jobs, progress, "design")
        quantities, slopes = np.empty((len(rows), len(self.quantities))), np.empty((len(rows), len(self.variables)))
        for i, row in enumerate(rows):
            quantities[i], slopes[i] = row[1], row[2]
        return Batch(np.array([row[0] for row in rows]), quantities, slopes if gradient else None, [row[3] for row in rows])

    def _batch_in_lanes(self, designs: Array, gradient: bool, jobs: int, progress: Progress, lanes: int) -> Batch:
        count, variables, quantities = len(designs), len(self.variables), len(self.quantities)
        f, psi, g = np.empty(count), np.empty((count, quantities)), np.empty((count, variables))
        errors: list[Optional[str]] = [None] * count
        opened: list[ctypes.c_void_p] = []
        own, workers = threading.local(), Workers(self)

        def open_lanes() -> ctypes.c_void_p:
            if not hasattr(own, "lanes"):
                handle, error = ctypes.c_void_p(), _library.Error()
                self._check(library.mbo_lanes_open(workers.opened()._open(), lanes, ctypes.byref(handle), error), error)
                opened.append(handle)
                own.lanes = handle
            return own.lanes

        def evaluate(first: int) -> None:
            n, error = min(lanes, count - first), (_library.Error * lanes)()
            x = np.ascontiguousarray(designs[first : first + n])
            values, several, slopes = np.empty(n), np.empty((n, quantities)), np.empty((n, variables))
            status = library.mbo_lanes_evaluate(
                open_lanes(), n, x.ctypes.data, values.ctypes.data, several.ctypes.data, slopes.ctypes.data if gradient else None, error
            )
            f[first : first + n], psi[first : first + n], g[first : first + n] = values, several, slopes
            for k in range(n):
                if status and error[k].code == status:
                    self._check(status, error[k])
                errors[first + k] = error[k].text.decode(errors="replace") or None

        try:
            workers.map(evaluate, range(0, count, lanes), jobs, progress, "batch")
        finally:
            for one in opened:
                library.mbo_lanes_close(one)
        return Batch(f, psi, g if gradient else None, errors)

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
        """Warnings of the last evaluation or simulation, as sentences.

        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2})
        >>> _ = p.value()
        >>> p.warnings
        []
        """
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
        x, handle, i = self._design(x), ctypes.c_void_p(), self._case(case)
        self._call(library.mbo_run_simulate, self._open(), x.ctypes.data, i, ctypes.byref(handle))
        self._tell_warnings()
        design, source = self.design(x), self._source(x)
        motion = motion_of(handle, self.cases[i], design, lambda: program.report(source, "simulate").html)
        motion._function = lambda columns: self._trajectory(columns, i)
        return motion

    def trajectory(
        self, columns: Union[str, Sequence[str]], case: Union[str, int, None] = None, times: Optional[ArrayLike] = None
    ) -> Trajectory:
        """Columns of a case as a function of the design, with products of its Jacobian: names of outputs (of a vector all components) or of columns of
        trajectory.csv, at the nodes or at times [s] in any order.

        >>> y = Problem("configs/pendulum.ini", {"case.drop.duration": 1}).trajectory("ground-bar.angle", times=[0.5, 1])
        >>> y
        <mbopt.Trajectory of case drop: 1 columns at 2 times>
        >>> y.vjp([[0], [1]]).shape
        (2,)
        """
        return Trajectory(self, [columns] if isinstance(columns, str) else columns, self._case(case), times)

    def _trajectory(self, columns: Sequence[str], case: int) -> Trajectory:
        """That at the nodes, made once for the problem as it is."""
        key = (case, *columns)
        if key not in self._trajectories:
            self._trajectories[key] = Trajectory(self, columns, case, None)
        return self._trajectories[key]

    def _tell_warnings(self) -> None:
        if _log.isEnabledFor(logging.WARNING):
            for text in self.warnings:
                _log.warning("%s: %s", self.path, text)

    def sensitivities(self, x: Design = None, case: Union[str, int, None] = None) -> Motion:
        """Derivatives over time: columns "d OUTPUT/d VARIABLE" beside those of the outputs of objectives and of [output] outputs, as
        `mbopt gradient --over-time` writes them, for all nodes of a case.

        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.1})
        >>> s = p.sensitivities()
        >>> s["d P2.position.x/d Ls1"].shape == s.t.shape
        True
        """
        name = self.cases[self._case(case)]
        return program.sensitivities(self._source(x), name, self.design(self._design(x)))

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

    def eigenvalue_gradients(self, x: Design = None, case: Union[str, int, None] = None) -> tuple[Any, Any]:
        """Eigenvalues [k] of small motions about the start of a case, and their exact derivatives [k][variable], both complex, by complex step of the matrix and
        its left and right vectors. Derivatives of eigenvalues that (nearly) coincide, as those of rigid motions, do not exist: NaN.

        >>> p = Problem("configs/pendulum.ini")
        >>> s, g = p.eigenvalue_gradients()
        >>> s.shape, g.shape
        ((2,), (2, 2))
        >>> print(f"{np.abs(s[0])**2:.4f} {2 * (np.conj(s[0]) * g[0, 0]).real:.4f}")  # |s|^2 = stiffness/inertia, inertia = 2/3
        7.5000 1.5000
        """
        x, i, order = self._design(x), self._case(case), ctypes.c_int()
        A, dA = ctypes.POINTER(ctypes.c_double)(), ctypes.POINTER(ctypes.c_double)()
        self._call(
            library.mbo_run_linear_gradient, self._open(), x.ctypes.data, i, ctypes.byref(order), ctypes.byref(A), ctypes.byref(dA)
        )
        try:
            n = order.value
            return _optimum.eigenvalue_gradients(copied(A, n, n), copied(dA, len(self.variables), n, n))
        finally:
            library.mbo_numbers_free(A)
            library.mbo_numbers_free(dA)

    def optimum_moves(self, optimum: Optimum, names: Union[str, Sequence[str]]) -> _optimum.Moves:
        """How an optimum of `minimize` moves with numbers of the file that are held while it is sought: derivatives of its design and its objective by these
        scalars, by the implicit function theorem at the conditions of the optimum, with exact second derivatives.

        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.5, "optimizer.tolerance": 1e-12})
        >>> moves = p.optimum_moves(p.minimize(), "L12")
        >>> moves.design.shape
        (2, 1)
        """
        return _optimum.moves(self, optimum, names)

    def prices(self, optimum: Optimum, first_changes: bool = False) -> list[_optimum.Price]:
        """What an optimum of `minimize` costs: derivatives of its objective by the limits and bounds that hold it and by every fixed number of the model, with the
        design that follows; what holds it first, of each what changes most for 1 %. first_changes: what changes first as each of them moves, too, and
        at which value, with exact second derivatives.

        >>> p = Problem("configs/pendulum.ini")
        >>> best = p.prices(p.minimize())[0]
        >>> best.kind, abs(best.percent - 100 * best.slope * 0.01 * best.at / p.minimize().objective) < 1e-9
        ('number', True)
        """
        if optimum.stages > 1:
            raise _optimum.of_stages(self, optimum)
        handle, x = ctypes.c_void_p(), self._design(optimum.x)
        try:
            self._call(library.mbo_run_prices, self._open(), x.ctypes.data, int(first_changes), ctypes.byref(handle))
            why = library.mbo_prices_unknown(handle).decode(errors="replace")
            if why:
                raise InputError(f"{self.path}: what changes first is not known: {why}")
            return [_optimum.price(library, handle, i) for i in range(library.mbo_prices_count(handle))]
        finally:
            library.mbo_prices_free(handle)

    def optimum_moves_with_data(self, optimum: Optimum) -> Array:
        """How the optimum of a fit moves with its data: derivatives [variable][sample] of the design by each measured value, in units of its sigma, in the order of
        `residuals`; with exact second derivatives."""
        return _optimum.moves_with_data(self, optimum)

    def minimize(
        self,
        settings: Settings = None,
        callback: Optional[Callable[[Iteration], Any]] = None,
        optimizer: Optional[Callable[[Ask], End]] = None,
        journal: Optional[Path] = None,
        x0: Design = None,
        progress: bool = False,
    ) -> Optimum:
        """Minimizes with the optimizer of the run file, or as settings say: {"optimizer.backend": "nlopt"}; they end with the call. x0: a design to begin
        at, in the place of the start of the run file. progress: a bar of tqdm that counts iterations.

        callback is called after each iteration; what it raises ends the optimization and is raised here. optimizer: a function of one's own, which
        asks by its argument (Ask) and returns how it has ended: "converged", "stopped_limit", "infeasible", "stalled", "failed", or one of these
        with a text; limits, history and results are those of the run. journal: a file that keeps what is evaluated; if it is there, the run that
        it is of goes on, and designs in it are not simulated again.

        >>> p = Problem("configs/pendulum.ini")
        >>> best = p.minimize()
        >>> print(best.status, f"{best.objective:.6f}", f"{best.design['stiffness']:.4f}")
        CONVERGED 0.045654 17.4983
        >>> p.minimize({"optimizer.max_iterations": 1}, x0=best.x).evaluations < 5
        True
        >>> def guess(ask):
        ...     for length in (2.3, 2.4, 2.5):
        ...         ask.evaluate([length, 1.85], gradient=False)
        ...     return "stopped_limit", "three guesses"
        >>> best = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2}).minimize(optimizer=guess)
        >>> print(best.text, best.evaluations, best.x)
        stopped at a limit (command: three guesses) 4 [2.4  1.85]
        """
        with self._with(settings, x0) as p:
            return p._minimize(callback, optimizer, journal, progress)

    def _minimize(self, callback: Any, optimizer: Any, journal: Any, progress: bool) -> Optimum:
        raised: list[BaseException] = []
        history: list[Iteration] = []
        tell, end = teller(progress, "iteration")

        def told(_: Any, one: Any) -> None:
            it = one.contents
            history.append(Iteration(it.iteration, it.evaluations, it.f, it.violation, it.optimality, it.step))
            line = "%s: iteration %d, objective %.9g, violation %.3g, %d simulations"
            try:
                _log.info(line, self.path, it.iteration, it.f, it.violation, it.evaluations)
                tell(it.iteration, 0)
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
            try:
                self._call(library.mbo_run_optimize_by, self._open(), by, None, path, ctypes.byref(handle))
            except BaseException:
                if not raised:
                    raise
            if raised:
                raise raised[0]
            best = self._optimum(handle, history)
            _log.info("%s: %s, objective %.9g, %d simulations", self.path, best.text, best.objective, best.evaluations)
            self._tell_warnings()
            return best
        finally:
            end()
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
        x0: Design = None,
        progress: bool = False,
    ) -> _fit.Fit:
        """Fits the variables to the run file's measurements, as `mbopt fit` does: minimizes (settings, callback, x0 and progress as in `minimize`), then tells
        estimates with intervals, correlations, directions that the data do not determine, residuals, and errors of what is held out. x: the
        statistics of this design, and nothing is optimized.

        >>> p = Problem("configs/measured_bar.ini", {"measurement.loaded.hold_out": False})
        >>> fit = p.fit()
        >>> print(f"{fit.design['mass']:.4f} {fit.lower[0]:.4f} to {fit.upper[0]:.4f}")
        2.0999 2.0894 to 2.1104
        >>> fit.undetermined, fit.measurements["loaded_later"]
        ([], <mbopt.Measurement loaded_later: held out, 79 samples, residuals of 0.003511 rad>)
        """
        with self._with(settings, x0) as p:
            p._call(library.mbo_run_fits, p._open())
            if x is not None:
                return _fit.of(p, p._design(x), None)
            optimum = p._minimize(callback, None, None, progress)
            return _fit.of(p, optimum.x, optimum)

    # ---- many runs ----

    def sweep(
        self, vary: Vary, task: str = "simulate", jobs: int = 0, progress: Progress = None
    ) -> Study:
        """A run for each combination of values, {"k": [1, 2, 3], "case.drop.step": [1e-2, 5e-3]}, the last key fastest; or for each point of a
        list, [{"k": 1}, {"k": 3}]. A key is a design variable, a scalar of the model, or a key of the run file as settings name it. task:
        "simulate", "gradient", or "optimize", which begins at the values of variables. jobs threads compute; 0: as many as there are
        processors. progress(done, all) is called after each run; True: a bar of tqdm. A run that cannot be simulated is a row with status "FAILED".

        >>> with Problem("configs/pendulum.ini", {"case.drop.duration": 0.5}) as p:
        ...     table = p.sweep({"mass": [1, 2], "stiffness": [5, 10, 20]})
        >>> table
        <mbopt.Study: 6 runs, varied mass, stiffness>
        >>> print(table.best()["mass"], table.best()["stiffness"])
        1.0 20.0
        """
        return Sweep(self, vary, task).run(jobs, progress)

    def multistart(
        self,
        starts: Optional[int] = None,
        jobs: int = 0,
        settings: Settings = None,
        folder: Optional[Path] = None,
    ) -> Study:
        """Optimizes from many starts that [multistart] of the run file draws, as `mbopt multistart` does, in processes. folder: where its results stay, for
        `mbopt.page(folder)`; else they are deleted once the table is read. A run that fails is a row.

        >>> p = Problem("configs/pendulum.ini", {"case.drop.duration": 0.2})
        >>> table = p.multistart(starts=2, jobs=1)
        >>> table, bool(table["objective"].max() - table["objective"].min() < 1e-6)
        (<mbopt.Study: 2 runs, varied start>, True)
        """
        with self._with(settings) as p:
            return program.study(p._source(), "multistart", {"--starts": starts, "--jobs": jobs or None}, folder)

    def pareto(
        self,
        objectives: Optional[Sequence[str]] = None,
        points: Optional[int] = None,
        jobs: int = 0,
        settings: Settings = None,
        folder: Optional[Path] = None,
    ) -> Study:
        """The front of two or three objectives, as `mbopt pareto` computes it, in processes; None: those of [pareto] of the run file, or all. A row is a point: its objectives, its design "result.NAME",
        the slope "d B/d A" of the front, and as "front" whether it is efficient, dominated, repeated, infeasible. folder: where its results stay, for `mbopt.page(folder)`.

        >>> p = Problem("configs/pareto_fonseca_fleming.ini")
        >>> table = p.pareto(points=5, jobs=1)
        >>> table, bool((table["front"] == "efficient").all())
        (<mbopt.Study: 5 runs, varied point>, True)
        """
        options = {"--objectives": ",".join(objectives) if objectives else None, "--points": points, "--jobs": jobs or None}
        with self._with(settings) as p:
            return program.study(p._source(), "pareto", options, folder)

    def compare(
        self,
        backends: Optional[Sequence[str]] = None,
        starts: Optional[int] = None,
        max_evaluations: Optional[int] = None,
        jobs: int = 0,
        settings: Settings = None,
        folder: Optional[Path] = None,
    ) -> Study:
        """Optimizes by several backends from the same starts, as `mbopt compare` does: ["ipopt", "nlopt:LD_SLSQP"]; None: those that can solve the problem. InputError: a backend is not known.

        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.1})
        >>> table = p.compare(["levenberg_marquardt"], jobs=1)
        >>> table.runs, str(table["status"][0])
        (1, 'CONVERGED')
        """
        options = {"--backends": ",".join(backends) if backends else None, "--starts": starts, "--jobs": jobs or None}
        with self._with(settings) as p:
            return program.study(p._source(), "compare", {**options, "--max-evaluations": max_evaluations}, folder)

    # ---- pages and descriptions, by the program ----

    def model(self, format: str = "json") -> Any:
        """What the mechanism consists of, as `mbopt model` tells it: a dict; format "text", "dot", "svg": a text.

        >>> m = Problem("configs/pendulum.ini").model()
        >>> m["tree"][0]["joint"], m["degrees_of_freedom"]
        ('ground-bar', 1)
        """
        return program.described(self._source(), format)

    def report(
        self, path: Optional[Path] = None, x: Design = None, task: str = "simulate", settings: Settings = None
    ) -> Page:
        """The page of HTML of a run with the moving mechanism, curves and tables; notebooks show it. task: "simulate", "optimize", "fit" or "gradient", which
        begins at x. path: a file that it is written to.

        >>> Problem("configs/pendulum.ini", {"case.drop.duration": 0.2}).report().html[:15]
        '<!DOCTYPE html>'
        """
        with self._with(settings) as p:
            return program.report(p._source(x), task, path)

    # ---- SciPy ----

    def scipy(
        self, scaled: bool = False, hessian: Union[bool, str] = False, failed: str = "raise", method: Optional[str] = None
    ) -> dict[str, Any]:
        """Arguments for scipy.optimize.minimize: `minimize(**p.scipy(method="trust-constr"))`, or `minimize(method="trust-constr", **p.scipy())`.

        The objective comes with its gradient, constraints come with their Jacobian, and each design is evaluated once. scaled: x / p.scale
        takes the place of x, which methods without a scaling of their own need (SLSQP, L-BFGS-B); the design is p.scale * result.x then.
        hessian: True: with exact second derivatives of objective and constraints, for methods that take them (trust-constr, trust-exact,
        Newton-CG); "product": with their products (`hessp`; of constraints as LinearOperator), for many variables (trust-constr, trust-krylov, Newton-CG).

        failed: what a design that cannot be simulated does. "raise": a SimulationError ends SciPy's search. "inf": its objective is infinity, with the
        gradient and the constraints of the last design that could be simulated. SLSQP, trust-constr, BFGS, CG, Newton-CG, trust-exact, trust-krylov, trust-ncg,
        Nelder-Mead and Powell step back from it; L-BFGS-B, TNC and COBYLA may call it a success, so that they are refused as `method`, and a warning tells of
        the first such design where no method is named. `minimize` steps back with every optimizer.

        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2})
        >>> sorted(p.scipy()), p.scipy()["bounds"]
        (['bounds', 'fun', 'jac', 'x0'], [(0.5, 4.0), (0.5, 4.0)])
        """
        return scipy_arguments.minimize(self, method, scaled, hessian, failed)

    def scipy_least_squares(self, scaled: bool = False, of: str = "objective") -> dict[str, Any]:
        """Arguments for scipy.optimize.least_squares: `least_squares(**p.scipy_least_squares())`. Value and Jacobian of a design are those of one evaluation.

        of="objective", where every objective is a square and there are no constraints: objectives are integrals of squares over time, with as many residuals as
        there are nodes. In their place stand variables + 1 residuals r with the Jacobian J that have the same sum of squares r'r/2 = f, gradient J'r and
        Gauss-Newton matrix J'J, which is all that least_squares uses with its loss "linear". Where f is the sum of squares (residual / sigma)^2 of
        measurements, J'J is twice the inverse of the covariance.

        of="residuals": the residuals of the measurements, a row for each sample (`residuals`), for every loss of SciPy. Standard errors are
        np.sqrt(np.diag(np.linalg.inv(J.T @ J))), times p.scale if scaled; `fit` computes them.

        >>> from scipy.optimize import least_squares
        >>> p = Problem("configs/five_bar.ini", {"case.swing.duration": 0.2})
        >>> result = least_squares(**p.scipy_least_squares(), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        >>> print(np.round(result.x, 5))
        [2.43192 1.84487]
        """
        return scipy_arguments.least_squares(self, scaled, of)
