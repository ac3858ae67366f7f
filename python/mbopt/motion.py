"""A motion: the columns of trajectory.csv as arrays."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import html
from ._library import library
from .errors import Error, unknown
from .kinds import Array
from .optional import needed

if TYPE_CHECKING:
    from .trajectory import Trajectory


class Motion(Mapping[str, Array]):
    """The columns of trajectory.csv by name, [node] each, with their units; `table` [node][column] has all of them, and each is a view of it.

    >>> import mbopt, pickle
    >>> motion = mbopt.open("configs/pendulum.ini", {"case.drop.duration": 1}).simulate()
    >>> motion
    <mbopt.Motion of case drop: 201 nodes to t = 1 s, 5 columns>
    >>> print(f"{motion['ground-bar.angle'][-1]:.4f} {motion.units['ground-bar.angle']}")
    1.3270 rad
    >>> pickle.loads(pickle.dumps(motion))["ground-bar.angel"]
    Traceback (most recent call last):
    KeyError: "column 'ground-bar.angel' is not known; is 'ground-bar.angle' meant?"
    """

    def __init__(self, table: Array, names: list[str], units: list[str], case: str = "", design: Optional[Mapping[str, float]] = None):
        self.table = table
        self.names = names
        self.units = dict(zip(names, units))
        self.case = case
        self.design = dict(design or {})
        """The design that was simulated."""
        self._column = {name: i for i, name in enumerate(names)}
        self._page: Optional[Callable[[], str]] = None  # makes the page with its scene
        self._function: Optional[Callable[[list[str]], Trajectory]] = None  # columns as a function of the design

    def __getitem__(self, name: str) -> Array:
        try:
            return self.table[:, self._column[name]]
        except KeyError:
            raise KeyError(unknown("column", name, self.names)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<mbopt.Motion of case {self.case}: {len(self.table)} nodes to t = {self.t[-1]:g} s, {len(self.names)} columns>"

    def _repr_html_(self) -> str:
        """The moving mechanism, where the program is there and the file still is, and the columns with small curves."""
        try:
            page = self._page() if self._page else None
        except (Error, OSError):
            page = None
        return html.motion(self, page)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_page": None, "_function": None}

    @property
    def t(self) -> Array:
        """The times of the nodes [s]."""
        return self["t"]

    # ---- derivatives ----

    def _of_design(self) -> Trajectory:
        """All columns that are outputs as a function of the design: neither the time, nor integrals so far, nor multipliers of projections."""
        if self._function is None:
            raise ValueError("this motion came without its problem, of which it would have derivatives: Problem.trajectory")
        others = ("objective ", "constraint ", "sigma ", "kappa ")
        return self._function([name for name in self.names if name != "t" and not name.startswith(others)])

    def jvp(self, dx: ArrayLike) -> dict[str, Array]:
        """The derivatives of the columns [node] along a change dx [variable] of the design, by name; where the duration varies, at fixed t/T.

        >>> import mbopt
        >>> p = mbopt.open("configs/pendulum.ini", {"case.drop.duration": 1})
        >>> motion = p.simulate()
        >>> change = motion.jvp([1.0, 0.0])["ground-bar.angle"]
        >>> g = motion.vjp({"ground-bar.angle": change})
        >>> bool(np.isclose(g[0], change @ change))
        True
        """
        y = self._of_design()
        return dict(zip(y.columns, y.jvp(dx, self.design).T))

    def vjp(self, w: Mapping[str, ArrayLike]) -> Array:
        """The gradient [variable] of the sum of weights w times columns: a dict of weights [node] by the names of columns, which have 0 where they are left out.
        By one adjoint, however many columns and variables there are."""
        y = self._of_design()
        names, weights = y.columns, np.zeros(y.shape)
        for name, column in w.items():
            if name not in names:
                raise KeyError(unknown("column", name, names))
            weights[:, names.index(name)] = column
        return y.vjp(weights, self.design)

    def to_pandas(self) -> Any:
        """A pandas DataFrame over time; the units are in its attribute `attrs`: motion.to_pandas()["ground-bar.angle"].plot()."""
        pandas = needed("pandas", "to_pandas()")
        frame = pandas.DataFrame(self.table[:, 1:], columns=self.names[1:], index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = dict(self.units)
        return frame

    def to_xarray(self) -> Any:
        """An xarray Dataset over the coordinate t, with the attribute `units` of each column, and of the whole `case` and `design`: motion.to_xarray()["ground-bar.angle"].sel(t=0.1)."""
        xarray = needed("xarray", "to_xarray()")
        columns = {name: ("t", self[name], {"units": self.units[name]}) for name in self.names[1:]}
        return xarray.Dataset(columns, {"t": ("t", self.t, {"units": "s"})}, {"case": self.case, "design": str(self.design)})

    def plot(self, *names: str, axes: Any = None) -> Any:
        """A matplotlib figure of these columns over time, with their units; returns the axes: motion.plot("ground-bar.angle").figure.savefig("angle.svg")."""
        axes = axes or needed("matplotlib.pyplot", "plot()").subplots()[1]
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


def motion_of(handle: Any, case: str, design: Mapping[str, float], page: Callable[[], str]) -> Motion:
    """The motion of a table of the library (mbo_series), which it owns from now on. Its arrays are views of the table."""
    owner = _Series(handle)
    rows, columns = library.mbo_series_rows(handle), library.mbo_series_columns(handle)
    first = ctypes.addressof(library.mbo_series_values(handle).contents)
    numbers = (ctypes.c_double * (rows * columns)).from_address(first)
    numbers._owner = owner
    table = np.frombuffer(numbers).reshape(rows, columns)
    names = [library.mbo_series_name(handle, j).decode() for j in range(columns)]
    units = [library.mbo_series_unit(handle, j).decode() for j in range(columns)]
    motion = Motion(table, names, units, case, design)
    motion._page = page
    return motion
