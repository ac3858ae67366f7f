"""Tables of many runs: sweeps from Python, and the studies of the program `mbopt`."""

from __future__ import annotations

import csv
import itertools
import pathlib
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import html, importance
from .errors import InputError, SimulationError, unknown
from .importance import Importance
from .kinds import Path
from .optional import Progress, needed
from .workers import Workers

if TYPE_CHECKING:
    from .problem import Problem

Vary = Union[Mapping[str, Sequence[Any]], Sequence[Mapping[str, Any]]]


class Study(Mapping[str, NDArray[Any]]):
    """A table of runs: its columns by name, a row for each run. Columns of numbers are arrays of float with NaN where a run has none, others
    arrays of text. `status` is "OK" or how an optimization ended, "FAILED" where there is no result, for which `error` has the reason.

    >>> table = Study({"run": [0, 1], "k": [1, 2], "objective": [3, 2.5], "status": ["OK", "OK"]}, varied=["k"])
    >>> print(table["objective"].min(), table.best()["k"])
    2.5 2.0
    >>> table["objektive"]
    Traceback (most recent call last):
    KeyError: "column 'objektive' is not known; is 'objective' meant?"
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], varied: Sequence[str] = ()):
        self._columns = {name: _column(values) for name, values in columns.items()}
        self.varied = list(varied)

    @classmethod
    def read(cls, path: Path) -> Study:
        """The study in a folder of results of `mbopt sweep`, `multistart`, `pareto` or `compare`, as its table.csv has it. OSError: there is none.

        >>> import tempfile, mbopt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     settings = ["--set", "sweep.vary.stiffness=5, 10", "--set", "case.drop.duration=0.1"]
        ...     _ = mbopt.program.run("sweep", "configs/pendulum.ini", "--output", f"{folder}/study", *settings)
        ...     print(Study.read(f"{folder}/study")["stiffness"])
        [ 5. 10.]
        """
        folder = pathlib.Path(path)
        names, *rows = _read(folder / "table.csv")
        varied = _read(folder / "points.csv", rows=1)[0]
        return cls({name: [row[j] for row in rows] for j, name in enumerate(names)}, varied)

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(unknown("column", name, list(self._columns))) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(next(iter(self._columns.values()), ()))

    def __repr__(self) -> str:
        return f"<mbopt.Study: {self.runs} runs, varied {', '.join(self.varied) or 'nothing'}>"

    def row(self, i: int) -> dict[str, Any]:
        """One run by the names of its columns.

        >>> print(Study({"run": [0, 1], "k": [1, 2]}).row(1)["k"])
        2.0
        """
        return {name: values[i] for name, values in self._columns.items()}

    def best(self) -> dict[str, Any]:
        """The run with the least objective. SimulationError: no run has one.

        >>> print(Study({"run": [0, 1, 2], "objective": [3, 1, None]}).best()["run"])
        1.0
        """
        objective = self["objective"]
        if np.all(np.isnan(objective)):
            raise SimulationError("no run of the study has an objective")
        return self.row(int(np.nanargmin(objective)))

    def importance(self, of: str = "objective", log: Sequence[str] = ()) -> Importance:
        """Which of the varied keys this column depends on: the parts of its variance over the runs that come from each key alone, and together with others
        (Sobol indices); of a whole grid exact, of spread points by polynomials with intervals. log: keys that are spread by equal ratios. Derivatives
        "d OF/d KEY" in the table give upper bounds.

        >>> import itertools
        >>> a, b = zip(*itertools.product([-1, 1], [-1, 0, 1]))
        >>> table = Study({"a": a, "b": b, "y": [3 * i + j + i * j for i, j in zip(a, b)]}, varied=["a", "b"])
        >>> table.importance("y")
        <mbopt.Importance: a 87.1 %, b 6.45 %>
        >>> print(table.importance("y").total.round(3))
        [0.935 0.129]
        """
        columns = [_numbers(self[name], name in log) for name in self.varied]
        slopes = [self._slope(of, name, name in log) for name in self.varied]
        known = any(slope is not None for slope in slopes)
        missing = np.full(self.runs, np.nan)
        slope = np.array([missing if one is None else one for one in slopes]).T if known else None
        return importance.find(self.varied, np.array(columns).T.reshape(self.runs, -1), self[of], slope)

    def _slope(self, of: str, key: str, log: bool) -> Optional[NDArray[Any]]:
        column = self.get(f"d {of}/d {key}")
        return column * self[key] if log and column is not None else column

    def to_pandas(self) -> Any:
        """A pandas DataFrame, a row for each run, whose number is the index: table.to_pandas().sort_values("objective")."""
        frame = needed("pandas", "to_pandas()").DataFrame(dict(self._columns))
        return frame.set_index("run") if "run" in frame else frame

    def _repr_html_(self) -> str:
        return html.study(self)

    def plot(self, y: str = "objective", x: Optional[str] = None, axes: Any = None) -> Any:
        """A matplotlib figure of a column over a varied one (the last where none is named), a line for each combination of the others; returns
        the axes."""
        if x is None and not self.varied:
            raise InputError("nothing is varied, so x must be named")
        x = x or self.varied[-1]
        axes = axes or needed("matplotlib.pyplot", "plot()").subplots()[1]
        others = [name for name in self.varied if name != x]
        groups: dict[tuple[Any, ...], list[int]] = {}
        for i in range(self.runs):
            groups.setdefault(tuple(self[name][i] for name in others), []).append(i)
        for values, rows in groups.items():
            label = ", ".join(f"{name} = {_short(value)}" for name, value in zip(others, values))
            axes.plot(self[x][rows], self[y][rows], marker="o", markersize=3, label=label or None)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        if others:
            axes.legend()
        return axes


def _read(path: pathlib.Path, rows: Optional[int] = None) -> list[list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return [[cell.strip() for cell in row] for row in itertools.islice(csv.reader(file), rows)]


def _numbers(values: NDArray[Any], log: bool) -> NDArray[Any]:
    """Words as numbers; logarithms.

    >>> _numbers(np.array(["b", "a", "b"]), False)
    array([1., 0., 1.])
    """
    if values.dtype.kind == "f":
        return np.log(values) if log else values
    return np.unique(values, return_inverse=True)[1].astype(float)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def _column(values: Sequence[Any]) -> NDArray[Any]:
    """Numbers where all are numbers or missing.

    >>> _column(["1", "", None]), _column(["a", None])
    (array([ 1., nan, nan]), array(['a', ''], dtype='<U1'))
    """
    try:
        numbers = np.array([np.nan if v is None or v == "" else float(v) for v in values])
    except (TypeError, ValueError):
        return np.array(["" if v is None else str(v) for v in values])
    none = len(values) and all(v is None or v == "" for v in values)
    return np.array([""] * len(values)) if none else numbers


# ---- sweeps ----


def _points(vary: Vary) -> list[dict[str, Any]]:
    """Every combination of values, the last key fastest; or the rows that are given.

    >>> _points({"a": [1, 2], "b": [3, 4]})[:2], _points([{"a": 1}])
    ([{'a': 1, 'b': 3}, {'a': 1, 'b': 4}], [{'a': 1}])
    """
    if isinstance(vary, Mapping):
        return [dict(zip(vary, values)) for values in itertools.product(*vary.values())]
    points = [dict(one) for one in vary]
    if any(one.keys() != points[0].keys() for one in points):
        raise InputError("the points of a sweep have different keys")
    return points


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


class Sweep:
    """The runs of a sweep in threads, each with problems of its own."""

    def __init__(self, problem: Problem, vary: Vary, task: str):
        tasks = {"simulate": self._simulate, "gradient": self._gradient, "optimize": self._optimize}
        if task not in tasks:
            raise InputError(unknown("task", task, list(tasks)))
        self.problem, self.task = problem, tasks[task]
        self.points = _points(vary)
        self.varied = list(self.points[0]) if self.points else []
        self.moves_start = task == "optimize"
        self.workers = Workers(problem)

    def _settings(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """What the point says but for the design, as settings."""
        settings = {}
        for key, value in point.items():
            if key in self.problem.variables:
                if self.moves_start:
                    settings[f"design.{key}.start"] = _plain(value)
            else:
                settings[key if "." in key else f"scalars.{key}"] = _plain(value)
        return settings

    def _design(self, point: Mapping[str, Any]) -> dict[str, float]:
        return {key: float(value) for key, value in point.items() if key in self.problem.variables}

    def _simulate(self, p: Problem, point: Mapping[str, Any]) -> dict[str, Any]:
        f, values = p._values(self._design(point))
        return {"status": "OK", "objective": f, **values}

    def _gradient(self, p: Problem, point: Mapping[str, Any]) -> dict[str, Any]:
        x = self._design(point)
        values, jac = self._simulate(p, point), p.gradients(x)
        slopes = {f"d {q}/d {v}": float(jac[i, j]) for i, q in enumerate(p.quantities) for j, v in enumerate(p.variables)}
        return {**values, **slopes}

    def _optimize(self, p: Problem, point: Mapping[str, Any]) -> dict[str, Any]:
        best = p.minimize()
        designs = {f"result.{name}": value for name, value in best.design.items()}
        numbers = {"violation": best.violation, "iterations": best.iterations, "simulations": best.evaluations}
        return {"status": best.status, **designs, "objective": best.objective, **p.values(best.x), **numbers}

    def _run(self, point: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self.task(self.workers.opened(self._settings(point)), point)
        except SimulationError as error:
            return {"status": "FAILED", "error": str(error)}

    def run(self, jobs: int, progress: Progress) -> Study:
        return self._table(self.workers.map(self._run, self.points, jobs, progress))

    def _table(self, rows: list[dict[str, Any]]) -> Study:
        names = list(dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row if name != "error"))
        columns: dict[str, list[Any]] = {"run": list(range(len(rows))), "status": [row["status"] for row in rows]}
        columns.update({key: [point[key] for point in self.points] for key in self.varied})
        columns.update({name: [row.get(name) for row in rows] for name in names if name not in columns})
        return Study({**columns, "error": [row.get("error", "") for row in rows]}, self.varied)
