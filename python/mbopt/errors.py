"""Failures as exceptions, with the messages of the program."""

from __future__ import annotations

import difflib
from typing import Iterable, Optional


class Error(Exception):
    """Something failed; `status` is the name of the library's code, as "MBD_NO_CONVERGENCE"."""

    def __init__(self, text: str, status: str = "", time: Optional[float] = None):
        super().__init__(text)
        self.status = status
        self.time = time
        """Simulated time of the failure [s]; None where time plays no part."""


class InputError(Error, ValueError):
    """A file, a setting or an argument is wrong: file, line and key, what was found and what was expected."""


class SimulationError(Error, ArithmeticError):
    """This design cannot be simulated; another one may be."""


class Stopped(Error):
    """A limit, or Ctrl-C, has ended an optimization: raised in an optimizer of one's own, which need not catch it."""


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence about a name that is not known, with the nearest that is.

    >>> print(unknown("key", "mas", ["mass", "com"]))
    key 'mas' is not known; is 'mass' meant?
    >>> print(unknown("key", "x", ["mass", "com"]))
    key 'x' is not known, expected one of com, mass
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, 1)
    return f"{what} '{name}' is not known" + (f"; is '{near[0]}' meant?" if near else f", expected one of {', '.join(names)}")
