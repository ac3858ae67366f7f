"""Measured series from arrays, DataFrames and tables of any spelling: times and values as run files take them."""

from __future__ import annotations

import csv
import os
from typing import Any, Mapping, Optional, Union

import numpy as np

from .errors import InputError, unknown
from .kinds import Array, Path

Column = Union[str, int, None]

_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}


def read_table(path: Path, separator: Optional[str] = None, decimal: Optional[str] = None) -> dict[str, Array]:
    """The columns of a text file as arrays by their names, empty cells and words such as NaN as NaN. separator: ",", ";", "\\t" or " " (any blanks); None: the
    one of them that the first line has, looked for in the order tab, semicolon, comma, blank. decimal: "." or ","; None: a comma where the separator
    is none and no number has a point. A column without a name is called by its number from 1, and so are all where the first line has numbers only. Lines that
    begin with # are left out.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write(";angle [rad]\\n0,0;1,5\\n0,1;\\n")
    ...     file.flush()
    ...     read_table(file.name)
    {'1': array([0. , 0.1]), 'angle [rad]': array([1.5, nan])}
    """
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = [(number, line) for number, line in enumerate(file.read().splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise InputError(f"{os.fspath(path)}: the table is empty")
    between = separator or _separator(lines[0][1].strip())
    rows = [(number, _cells(line, between)) for number, line in lines]
    if decimal is None:
        cells = [cell for _, row in rows[1:] for cell in row]
        decimal = "," if between != "," and any("," in cell for cell in cells) and not any("." in cell for cell in cells) else "."
    first = rows[0][1]
    has_names = any(cell and _number(cell, decimal) is None for cell in first)
    names = [cell or str(j) for j, cell in enumerate(first, 1)] if has_names else [str(j) for j in range(1, len(first) + 1)]
    columns = np.empty((len(rows) - has_names, len(names)))
    for i, (number, row) in enumerate(rows[has_names:]):
        if len(row) != len(names):
            raise InputError(f"{os.fspath(path)}:{number}: {len(row)} cells, expected {len(names)} as in the first line")
        for j, cell in enumerate(row):
            value = _number(cell, decimal)
            if value is None:
                raise InputError(f"{os.fspath(path)}:{number}: '{cell}' in column '{names[j]}' is no number")
            columns[i, j] = value
    return {name: np.ascontiguousarray(columns[:, j]) for j, name in enumerate(names)}


def _separator(line: str) -> str:
    return next((one for one in "\t;, " if one in line), ",")


def _cells(line: str, separator: str) -> list[str]:
    cells = line.split() if separator == " " else next(csv.reader([line], delimiter=separator))
    return [cell.strip() for cell in cells]


def _number(cell: str, decimal: str) -> Optional[float]:
    """The number of a cell, NaN of an empty one; None: it is no number.

    >>> _number("1,5", ","), _number("", "."), _number("NA", "."), _number("x", "."), _number("1,5", ".")
    (1.5, nan, nan, None, None)
    """
    if not cell or cell.lower() in ("na", "n/a", "nan", "null", "none"):
        return np.nan
    if decimal == ",":
        cell = cell.replace(",", ".")
    elif "," in cell:
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def samples(
    data: Any,
    column: Column = None,
    time: Column = None,
    time_unit: Union[str, float] = "s",
    time_zero: Union[float, str, None] = None,
    separator: Optional[str] = None,
    decimal: Optional[str] = None,
) -> tuple[Array, Array]:
    """Times [s] and values of a measured series, without the rows in which one of both is NaN: these are no samples.

    data: a pair of arrays (times, values); an array [sample][2]; a dict of columns or a DataFrame; a Series, whose index has the times; the path of a table
    (`read_table`). column, time: names or numbers from 0 of the columns; left out: the only one beside the times, and the index of a DataFrame or the first
    column. time_unit: "s", "ms", "us", "min", "h", or seconds. time_zero: a time of the data that is zero of the simulation, in time_unit; "first": that of
    the first sample. Indices of dates begin at zero.

    >>> samples(([0, 10, 20], [1.0, np.nan, 3.0]), time_unit="ms")
    (array([0.  , 0.02]), array([1., 3.]))
    """
    columns, times = _columns(data, separator, decimal)
    if times is None or time is not None:
        time_name = _chosen(list(columns), time, 0, "time")
        times = _numbers(columns.pop(time_name), f"times '{time_name}'")
    elif time_unit != "s" and np.issubdtype(np.asarray(times).dtype, np.datetime64):
        raise InputError(f"time_unit = {time_unit!r}: the index has dates, which have their own unit")
    name = _chosen(list(columns), column, 0 if len(columns) == 1 else None, "column")
    t, values = _seconds(times, time_unit, time_zero), _numbers(columns[name], f"column '{name}'")
    if t.shape != values.shape:
        raise InputError(f"{t.size} times, but {values.size} values of '{name}'")
    is_sample = np.isfinite(t) & np.isfinite(values)
    t, values = t[is_sample], values[is_sample]
    if not len(t):
        raise InputError(f"column '{name}' has no sample")
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        raise InputError(f"times increase, but sample {back[0] + 1} of column '{name}' is at {t[back[0] + 1]:g} s after {t[back[0]]:g} s")
    return t, values


def _columns(data: Any, separator: Optional[str], decimal: Optional[str]) -> tuple[dict[Any, Any], Any]:
    """Columns by their names, and the times of an index; None: there is none."""
    if isinstance(data, (str, os.PathLike)):
        return dict(read_table(data, separator, decimal)), None
    if separator or decimal:
        raise InputError("separator and decimal are for files, and data is none")
    if isinstance(data, Mapping):
        return dict(data), None
    counts = type(getattr(data, "index", None)).__name__ == "RangeIndex"  # rows, and no times
    if hasattr(data, "to_frame") and hasattr(data, "index"):  # a Series of pandas
        if counts:
            raise InputError("the index of a Series has its times, but this one counts rows")
        return {getattr(data, "name", None) or "value": data.to_numpy()}, data.index.to_numpy()
    if hasattr(data, "columns") and hasattr(data, "index"):  # a DataFrame
        return {name: data[name].to_numpy() for name in data.columns}, None if counts else data.index.to_numpy()
    if isinstance(data, tuple) and len(data) == 2:
        return {"t": data[0], "value": data[1]}, None
    array = np.asarray(data)
    if array.ndim != 2 or array.shape[1] < 2:
        raise InputError(f"data of shape {array.shape}, expected (samples, 2 or more), a pair (times, values), a DataFrame or a path")
    return {j: array[:, j] for j in range(array.shape[1])}, None


def _chosen(names: list[Any], asked: Column, default: Optional[int], key: str) -> Any:
    if asked is None:
        if default is None or default >= len(names):
            raise InputError(f"{key}: the data have the columns {', '.join(map(str, names))}, expected the name of one")
        return names[default]
    plain = [str(name).partition(" [")[0] for name in names]
    if asked in names:
        return asked
    if asked in plain:
        return names[plain.index(str(asked))]
    if isinstance(asked, int) and 0 <= asked < len(names):
        return names[asked]
    raise InputError(unknown(f"{key}: column", str(asked), list(map(str, names))))


def _numbers(values: Any, what: str) -> Array:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} are no numbers") from None
    if array.ndim != 1:
        raise InputError(f"{what} have the shape {array.shape}, expected one dimension")
    return array


def _seconds(times: Any, unit: Union[str, float], zero: Union[float, str, None]) -> Array:
    array = np.asarray(times)
    if np.issubdtype(array.dtype, np.datetime64) or np.issubdtype(array.dtype, np.timedelta64):
        since = array - array[0] if np.issubdtype(array.dtype, np.datetime64) else array
        seconds, factor = since / np.timedelta64(1, "s"), 1.0
    else:
        if isinstance(unit, str) and unit not in _UNITS:
            raise InputError(unknown("time_unit", unit, list(_UNITS)))
        seconds, factor = _numbers(array, "times"), _UNITS[unit] if isinstance(unit, str) else float(unit)
    if isinstance(zero, str):
        if zero != "first":
            raise InputError(f"time_zero = {zero!r}, expected a number or 'first'")
        zero = float(seconds[np.isfinite(seconds)][0])
    return (seconds - (zero or 0.0)) * factor
