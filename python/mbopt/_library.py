"""The C library behind the package: where it is, what its functions take and return (mbo/run.h, mbo/fit.h, mbo/importance.h)."""

import ctypes
import math
import os
import pathlib
import sysconfig
from collections.abc import Iterator
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_uint, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import errors

API = 1  # MBO_API of mbo/run.h
_PLAIN: dict[str, type[BaseException]] = {
    "MBD_INTERRUPTED": KeyboardInterrupt,
    "MBD_NO_MEMORY": MemoryError,
    "MBD_IO_ERROR": OSError,
}


class Error(ctypes.Structure):
    """mbd_error"""

    _fields_ = [
        ("code", c_int),
        ("func", c_char_p),
        ("line", c_int),
        ("time", c_double),
        ("text", c_char * 1024),
        ("reserved", c_long * 8),
    ]


class Linear(ctypes.Structure):
    """mbd_linear"""

    _fields_ = [
        ("n", c_int),
        ("z", POINTER(c_int)),
        ("A", POINTER(c_double)),
        ("re", POINTER(c_double)),
        ("im", POINTER(c_double)),
        ("shape", POINTER(c_double)),
        ("acceleration", c_double),
        ("jerk", c_double),
        ("accelerated", c_int),
        ("share", POINTER(c_double)),
        ("residual", POINTER(c_double)),
        ("nstate", c_int),
        ("state_shape", POINTER(c_double)),
        ("nrate", c_int),
        ("rate", POINTER(c_int)),
        ("rigid", POINTER(c_int)),
    ]


class Iteration(ctypes.Structure):
    """mbo_iteration"""

    _fields_ = [
        ("iteration", c_int),
        ("evaluations", c_int),
        ("f", c_double),
        ("violation", c_double),
        ("optimality", c_double),
        ("step", c_double),
    ]


class Eval(ctypes.Structure):
    """mbo_eval"""

    _fields_ = [
        ("f", c_double),
        ("g", POINTER(c_double)),
        ("c", POINTER(c_double)),
        ("jac", POINTER(c_double)),
        ("H", POINTER(c_double)),
        ("hess", POINTER(c_double)),
    ]


class InformativeOutput(ctypes.Structure):
    """mbo_informative_output"""

    _fields_ = [
        ("in_case", c_char_p),
        ("output", c_char_p),
        ("unit", c_char_p),
        ("change", c_double),
        ("relative", c_double),
        ("sigma", c_double),
        ("samples", c_int),
        ("deviation", POINTER(c_double)),
    ]


class NextMeasurement(ctypes.Structure):
    """mbo_next_measurement"""

    _fields_ = [
        ("name", c_char_p),
        ("of", c_char_p),
        ("in_case", c_char_p),
        ("unit", c_char_p),
        ("held_out", c_int),
        ("determined", c_int),
        ("sigma", c_double),
        ("samples", c_double),
        ("width", c_double),
        ("share", c_double),
        ("deviation", POINTER(c_double)),
    ]


class ImportanceKey(ctypes.Structure):
    """mbo_importance_key"""

    _fields_ = [("first", c_double * 3), ("total", c_double * 3), ("bound", c_double)]


class Importance(ctypes.Structure):
    """mbo_importance"""

    _fields_ = [
        ("runs", c_int),
        ("exact", c_int),
        ("degree", c_int),
        ("terms", c_int),
        ("deviation", c_double),
        ("explained", c_double),
        ("reason", c_char * 160),
        ("related", c_int * 2),
        ("reserved", c_long * 8),
    ]


ON_ITERATION = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Iteration))
OPTIMIZER = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)

_RUN = c_void_p
_LANES = c_void_p
_SERIES = c_void_p
_TRAJECTORY = c_void_p
_FIT = c_void_p
_NUMBERS = c_void_p  # an array of double by its address, or None
_TEXTS = POINTER(c_char_p)
_STATUS = c_int

_FUNCTIONS = {
    "mbo_api": (c_int, []),
    "mbo_version": (c_char_p, []),
    "mbd_status_name": (c_char_p, [c_int]),
    "mbo_plugins_allow": (None, [c_int]),
    "mbo_commands_allow": (None, [c_int]),
    "mbo_run_open": (_STATUS, [c_char_p, c_int, _TEXTS, POINTER(_RUN), POINTER(Error)]),
    "mbo_run_close": (None, [_RUN]),
    "mbo_run_change": (_STATUS, [_RUN, c_int, _TEXTS, POINTER(Error)]),
    "mbo_run_threads": (None, [_RUN, c_int]),
    "mbo_run_as_with_gradient": (None, [_RUN, c_int]),
    "mbo_run_stop": (None, [_RUN, POINTER(c_int)]),
    "mbo_run_on_iteration": (None, [_RUN, ON_ITERATION, c_void_p]),
    "mbo_run_variables": (c_int, [_RUN]),
    "mbo_run_variable": (c_char_p, [_RUN, c_int]),
    "mbo_run_start": (POINTER(c_double), [_RUN]),
    "mbo_run_lower": (POINTER(c_double), [_RUN]),
    "mbo_run_upper": (POINTER(c_double), [_RUN]),
    "mbo_run_scale": (POINTER(c_double), [_RUN]),
    "mbo_run_objectives": (c_int, [_RUN]),
    "mbo_run_constraints": (c_int, [_RUN]),
    "mbo_run_quantity": (c_char_p, [_RUN, c_int]),
    "mbo_run_constraint_lower": (POINTER(c_double), [_RUN]),
    "mbo_run_constraint_upper": (POINTER(c_double), [_RUN]),
    "mbo_run_cases": (c_int, [_RUN]),
    "mbo_run_case": (c_char_p, [_RUN, c_int]),
    "mbo_run_coordinate": (c_char_p, [_RUN, c_int, c_int]),
    "mbo_run_values": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_last_values": (None, [_RUN, _NUMBERS, _NUMBERS]),
    "mbo_run_true_values": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_gradient": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_lanes_open": (_STATUS, [_RUN, c_int, POINTER(_LANES), POINTER(Error)]),
    "mbo_lanes_close": (None, [_LANES]),
    "mbo_lanes_evaluate": (_STATUS, [_LANES, c_int, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_gradients": (_STATUS, [_RUN, _NUMBERS, c_char_p, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_hessian": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_hessian_product": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_least_squares": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_gauss_newton": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_jvp": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_vjp": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_second": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_trajectory": (
        _STATUS,
        [_RUN, c_int, c_int, _TEXTS, c_int, _NUMBERS, POINTER(_TRAJECTORY), POINTER(Error)],
    ),
    "mbo_trajectory_free": (None, [_TRAJECTORY]),
    "mbo_trajectory_rows": (c_int, [_TRAJECTORY]),
    "mbo_trajectory_columns": (c_int, [_TRAJECTORY]),
    "mbo_trajectory_name": (c_char_p, [_TRAJECTORY, c_int]),
    "mbo_trajectory_unit": (c_char_p, [_TRAJECTORY, c_int]),
    "mbo_trajectory_warning": (c_char_p, [_TRAJECTORY, c_int]),
    "mbo_trajectory_values": (_STATUS, [_TRAJECTORY, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_trajectory_jvp": (_STATUS, [_TRAJECTORY, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_trajectory_jacobian": (_STATUS, [_TRAJECTORY, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_trajectory_vjp": (_STATUS, [_TRAJECTORY, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_trajectory_second": (_STATUS, [_TRAJECTORY, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_warning": (c_char_p, [_RUN, c_int]),
    "mbo_run_simulate": (_STATUS, [_RUN, _NUMBERS, c_int, POINTER(_SERIES), POINTER(Error)]),
    "mbo_series_free": (None, [_SERIES]),
    "mbo_series_rows": (c_int, [_SERIES]),
    "mbo_series_columns": (c_int, [_SERIES]),
    "mbo_series_name": (c_char_p, [_SERIES, c_int]),
    "mbo_series_unit": (c_char_p, [_SERIES, c_int]),
    "mbo_series_values": (POINTER(c_double), [_SERIES]),
    "mbo_run_linearize_sized": (_STATUS, [_RUN, _NUMBERS, c_int, POINTER(Linear), c_size_t, POINTER(Error)]),
    "mbo_run_linear_gradient": (
        _STATUS,
        [_RUN, _NUMBERS, c_int, POINTER(c_int), POINTER(POINTER(c_double)), POINTER(POINTER(c_double)), POINTER(Error)],
    ),
    "mbo_importance_find": (
        _STATUS,
        [c_int, c_int, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Importance), POINTER(ImportanceKey), POINTER(Error)],
    ),
    "mbo_numbers_free": (None, [POINTER(c_double)]),
    "mbd_linear_free_sized": (None, [POINTER(Linear), c_size_t]),
    "mbo_run_optimize": (_STATUS, [_RUN, POINTER(c_void_p), POINTER(Error)]),
    "mbo_run_optimize_by": (_STATUS, [_RUN, OPTIMIZER, c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "mbo_ask_evaluate": (_STATUS, [c_void_p, _NUMBERS, c_uint, POINTER(POINTER(Eval)), POINTER(Error)]),
    "mbo_ask_product": (
        _STATUS,
        [c_void_p, _NUMBERS, c_uint, c_double, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)],
    ),
    "mbo_ask_iteration": (_STATUS, [c_void_p, POINTER(Iteration), POINTER(Error)]),
    "mbo_ask_end": (None, [c_void_p, c_int, c_char_p]),
    "mbo_optimum_free": (None, [c_void_p]),
    "mbo_optimum_design": (POINTER(c_double), [c_void_p]),
    "mbo_optimum_number": (c_double, [c_void_p, c_char_p]),
    "mbo_optimum_status": (c_char_p, [c_void_p]),
    "mbo_optimum_text": (c_char_p, [c_void_p]),
    "mbo_run_prices": (_STATUS, [_RUN, _NUMBERS, c_int, POINTER(c_void_p), POINTER(Error)]),
    "mbo_prices_free": (None, [c_void_p]),
    "mbo_prices_count": (c_int, [c_void_p]),
    "mbo_prices_unknown": (c_char_p, [c_void_p]),
    "mbo_price_text": (c_char_p, [c_void_p, c_int, c_char_p]),
    "mbo_price_number": (c_double, [c_void_p, c_int, c_char_p]),
    "mbo_run_fits": (_STATUS, [_RUN, POINTER(Error)]),
    "mbo_run_residual_count": (c_int, [_RUN]),
    "mbo_run_residuals": (_STATUS, [_RUN, _NUMBERS, _NUMBERS, _NUMBERS, POINTER(Error)]),
    "mbo_run_fit": (_STATUS, [_RUN, _NUMBERS, POINTER(_FIT), POINTER(Error)]),
    "mbo_fit_free": (None, [_FIT]),
    "mbo_fit_number": (c_double, [_FIT, c_char_p]),
    "mbo_fit_array": (POINTER(c_double), [_FIT, c_char_p]),
    "mbo_fit_bound": (c_char_p, [_FIT, c_int]),
    "mbo_fit_determines": (c_int, [_FIT, c_int]),
    "mbo_fit_directions": (c_int, [_FIT]),
    "mbo_fit_direction": (POINTER(c_double), [_FIT, c_int]),
    "mbo_fit_singular": (c_double, [_FIT, c_int]),
    "mbo_fit_uncertainty": (c_double, [_FIT, c_int]),
    "mbo_fit_seen": (POINTER(c_double), [_FIT, c_int]),
    "mbo_fit_informative_output": (POINTER(InformativeOutput), [_FIT, c_int, c_int]),
    "mbo_fit_next": (POINTER(NextMeasurement), [_FIT, c_int]),
    "mbo_fit_measurements": (c_int, [_FIT]),
    "mbo_fit_measurement": (c_char_p, [_FIT, c_int, c_char_p]),
    "mbo_fit_measurement_number": (c_double, [_FIT, c_int, c_char_p]),
    "mbo_fit_samples": (POINTER(c_double), [_FIT, c_int]),
    "mbo_schema_text": (_STATUS, [c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "mbo_text_free": (None, [c_void_p]),
}


def _candidates() -> Iterator[str]:
    """Where the library may be: MBOPT_LIBRARY (a file), in the package, in the tree that both are installed in, where the system looks."""
    named, file = os.environ.get("MBOPT_LIBRARY"), f"libmbo.so.{API}"
    if named:
        yield named
        return
    package = pathlib.Path(__file__).resolve().parent
    yield str(package / "lib" / file)
    for parent in list(package.parents)[1:3]:  # PREFIX/lib/python3/dist-packages/mbopt
        for folder in (parent, parent / (sysconfig.get_config_var("MULTIARCH") or "lib")):
            if (folder / file).exists():
                yield str(folder / file)
    yield file


def _load() -> ctypes.CDLL:
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path}: {error}")
            continue
        try:
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
        except AttributeError as error:
            raise ImportError(f"{path} is not the library of this package: {error}") from None
        if library.mbo_api() != API:
            raise ImportError(f"{path} has version {library.mbo_api()} of the interface, expected {API}")
        return library
    raise ImportError(
        "libmbo is not found; install mbopt with its libraries, or set MBOPT_LIBRARY to libmbo.so.%d. Tried:\n  %s"
        % (API, "\n  ".join(tried))
    )


library = _load()


def failure(status: int, error: Error) -> BaseException:
    """The exception that a status other than 0 of the library means."""
    text, name = error.text.decode(errors="replace"), library.mbd_status_name(status).decode()
    if name in _PLAIN:
        return _PLAIN[name](text)
    kind = errors.SimulationError if status > 0 else errors.InputError if name == "MBD_BAD_INPUT" else errors.Error
    return kind(text, name, None if math.isnan(error.time) else error.time)


def copied(pointer: Any, *shape: int) -> NDArray[np.float64]:
    """Numbers of the library as an array of one's own."""
    return np.ctypeslib.as_array(pointer, shape).copy() if all(shape) else np.zeros(shape)
