"""What calls of a problem return: iterations, optima, comparisons of gradients, small motions, batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import html
from .kinds import Array
from .optional import needed


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
    """How an optimization ended, and its best design x [variable], in the units of the run file. `fun`, `success`, `message`, `nfev` and `nit` are SciPy's names
    for `objective`, `converged`, `text`, `evaluations` and `iterations`.

    >>> import mbopt
    >>> best = mbopt.open("configs/five_bar.ini", {"case.swing.duration": 0.2}).minimize()
    >>> best.success, best.fun == best.objective, best.nit == len(best.history) - 1
    (True, True, True)
    """

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
        """Whether the conditions of an optimum hold within the tolerances of the run file."""
        return self.status == "CONVERGED"

    @property
    def fun(self) -> float:
        return self.objective

    @property
    def success(self) -> bool:
        return self.converged

    @property
    def message(self) -> str:
        return self.text

    @property
    def nfev(self) -> int:
        return self.evaluations

    @property
    def nit(self) -> int:
        return self.iterations

    def _repr_html_(self) -> str:
        return html.optimum(self)

    def to_pandas(self) -> Any:
        """A pandas DataFrame of the iterations."""
        pandas = needed("pandas", "to_pandas()")
        return pandas.DataFrame([vars(it) for it in self.history]).set_index("iteration")

    def plot(self, axes: Any = None) -> Any:
        """A matplotlib figure of the objective over the iterations; returns the axes."""
        axes = axes or needed("matplotlib.pyplot", "plot()").subplots()[1]
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
class Batch:
    """Values of many designs (Problem.batch). Rows of designs that could not be simulated are NaN, and `error` has the reason."""

    objective: Array
    """[design]"""
    quantities: Array
    """[design][quantity]: objectives, then constraints"""
    gradient: Optional[Array]
    """[design][variable], of the objective; None: not requested"""
    error: list[Optional[str]]
    """[design] None: it was simulated"""

    @property
    def failed(self) -> NDArray[np.bool_]:
        """[design] whether it could not be simulated"""
        return np.array([one is not None for one in self.error], dtype=bool)


@dataclass(frozen=True)
class Modes:
    """Small motions about the start of a case: x' = A x, x = (dz, dzd, dx) of the independent coordinates, the independent rates and the states.

    >>> import mbopt
    >>> modes = mbopt.open("configs/pendulum.ini").linearize()
    >>> print(modes.A.shape, np.round(modes.frequencies, 3), np.round(modes.damping, 4))
    (2, 2) [0.436 0.436] [0.0548 0.0548]
    """

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

    def _repr_html_(self) -> str:
        return html.modes(self)

    def to_pandas(self) -> Any:
        """A pandas DataFrame, a row for each eigenvalue: it, frequency [Hz], damping ratio, and the magnitude of each coordinate."""
        pandas = needed("pandas", "to_pandas()")
        columns = {"eigenvalue": self.eigenvalues, "frequency": self.frequencies, "damping": self.damping}
        return pandas.DataFrame({**columns, **{name: self.shapes[:, j] for j, name in enumerate(self.coordinates)}})

    def plot(self, axes: Any = None) -> Any:
        """A matplotlib figure of the eigenvalues in the complex plane; returns the axes."""
        axes = axes or needed("matplotlib.pyplot", "plot()").subplots()[1]
        axes.plot(self.eigenvalues.real, self.eigenvalues.imag, "x")
        axes.axvline(0, color="0.7", linewidth=0.8)
        axes.set_xlabel("Re s [1/s]")
        axes.set_ylabel("Im s [rad/s]")
        return axes
