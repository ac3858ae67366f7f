"""Which of several varied keys a quantity depends on: parts of its variance (Sobol indices), mbo/importance.h."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Optional, Sequence

import numpy as np

from . import _library
from ._library import library
from .kinds import Array


@dataclass(frozen=True)
class Importance:
    """The parts of the variance of a quantity over runs. Arrays are in the order of `keys`, intervals have rows (low, high) of 95 %; of a whole grid they are exact."""

    keys: list[str]
    runs: int
    """Those with a value."""
    exact: bool
    """A whole grid, in which every level counts the same; False: polynomials through the runs."""
    deviation: float
    """Standard deviation of the quantity over the runs."""
    explained: float
    """Part of the variance that the polynomials predict at runs that they have not seen; nan: there are none."""
    reason: str
    """Why there are no indices, which are nan then; "": there are."""
    first: Array
    """Parts by each key alone."""
    first_interval: Array
    total: Array
    """Parts by each key alone and together with others."""
    total_interval: Array
    bound: Array
    """Upper bounds of `total` by derivatives, for values that are spread evenly over their ranges; nan: there are none."""

    def __repr__(self) -> str:
        parts = ", ".join(f"{key} {100 * part:.3g} %" for key, part in zip(self.keys, self.first))
        return f"<mbopt.Importance: {self.reason or parts}>"


def find(keys: Sequence[str], x: Array, f: Array, slope: Optional[Array]) -> Importance:
    """x [runs][keys] in the coordinates in which the keys are spread evenly, f [runs], slope [runs][keys] its derivatives by x."""
    n, d = x.shape
    x, f = np.ascontiguousarray(x, float), np.ascontiguousarray(f, float)
    slope = None if slope is None else np.ascontiguousarray(slope, float)
    out, key, error = _library.Importance(), (_library.ImportanceKey * max(d, 1))(), _library.Error()
    address = None if slope is None else slope.ctypes.data
    status = library.mbo_importance_find(n, d, x.ctypes.data, f.ctypes.data, address, out, key, ctypes.byref(error))
    if status:
        raise _library.failure(status, error)
    first, total = (np.array([list(getattr(k, name)) for k in key[:d]]).reshape(d, 3) for name in ("first", "total"))
    return Importance(
        list(keys), out.runs, bool(out.exact), out.deviation, out.explained, out.reason.decode(),
        first[:, 0], first[:, 1:], total[:, 0], total[:, 1:], np.array([k.bound for k in key[:d]]),
    )  # fmt: skip
