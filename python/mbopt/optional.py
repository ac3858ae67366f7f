"""Packages that are used where they are installed, and only for what needs them."""

from __future__ import annotations

import importlib
import warnings
from typing import Any, Callable, Optional, Union

Progress = Union[bool, Callable[[int, int], Any], None]


def needed(package: str, what: str) -> Any:
    """Imports a package, or says what needs it.

    >>> needed("no_such_package", "to_nothing()")
    Traceback (most recent call last):
    ImportError: to_nothing() needs the package no_such_package (pip install no_such_package; Debian: python3-no-such-package)
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        top = package.split(".")[0]
        debian = f"python3-{top.replace('_', '-')}"
        raise ImportError(f"{what} needs the package {top} (pip install {top}; Debian: {debian})") from None


def teller(progress: Progress, unit: str) -> tuple[Callable[[int, int], Any], Callable[[], Any]]:
    """How runs are told that are done: a function of their number and of the number of all (0: not known), and one to be called at the end. progress: a function
    of one's own; True: a bar of tqdm, without which a warning says so."""
    if callable(progress):
        return progress, lambda: None
    if not progress:
        return lambda done, all: None, lambda: None
    try:
        tqdm = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        warnings.warn("progress=True shows a bar by the package tqdm (pip install tqdm; Debian: python3-tqdm), which is not installed", stacklevel=3)
        return lambda done, all: None, lambda: None
    bar: Optional[Any] = None

    def tell(done: int, all: int) -> None:
        nonlocal bar
        if bar is None:
            bar = tqdm(total=all or None, unit=unit)
        bar.update(done - bar.n)

    return tell, lambda: bar.close() if bar is not None else None
