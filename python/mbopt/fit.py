"""Statistics of a fit to measurements: estimates with intervals, correlations, and directions that the data do not determine."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _library, html
from ._library import copied, library
from .kinds import Array
from .optional import needed

if TYPE_CHECKING:
    from .problem import Problem
    from .results import Optimum


_COLUMNS = ("t", "measured", "model", "residual", "deviation", "band")  # of mbo_fit_samples


@dataclass(frozen=True)
class InformativeOutput:
    """An output that is not measured and that changes along a direction that the data do not determine."""

    output: str
    case: str
    change: float
    """Root mean square over time of its change, for a step of one scale along the direction, in `unit`."""
    relative: float
    """The same, divided by the root mean square of the output about its mean."""
    unit: str
    sigma: float
    """If it is measured with this standard deviation, a hundredth of that root mean square,"""
    samples: int
    """at its nodes, so many,"""
    deviation: Array
    """these are the standard deviations of the estimates, in the order of Fit.variables; inf: not determined."""


@dataclass(frozen=True)
class NextMeasurement:
    """A sensor, or a measurement that is held out, and the precision that the data, it and those before it in Fit.next give."""

    name: str
    of: str
    case: str
    unit: str
    held_out: bool
    """A measurement that is held out; False: a sensor."""
    sigma: float
    samples: float
    determined: int
    """Directions that are determined."""
    width: float
    """Factor of the intervals by it: their geometric mean, or of the root of the sum of their squares with [fit] criterion = A; nan: it determines further directions."""
    share: float
    """Of one effort that all divide in the best way: this part of its samples; the sum of all is 1."""
    deviation: Array
    """Standard deviations of the estimates, in the order of Fit.variables; inf: not determined, 0: at a bound."""


@dataclass(frozen=True)
class Direction:
    """A combination of the variables, and how far the data determine it."""

    parts: dict[str, float]
    """A unit vector, in variables divided by their scales."""
    singular: float
    """Root of the sum of the residuals' changes squared, for a step of one scale."""
    uncertainty: float
    """Standard deviation of the estimate along it, in scales; inf: no sample sees it."""
    seen: dict[str, float]
    """The part of each measurement in `singular`, held out ones as well."""
    informative_outputs: list[InformativeOutput]
    """Outputs that are not measured and would determine it, the most sensitive first; none where it is determined."""

    @property
    def determined(self) -> bool:
        """True if the estimate along the direction is uncertain by at most one scale."""
        return self.uncertainty <= 1


@dataclass(frozen=True, repr=False)
class Measurement:
    """A measured series and the output of the model at its samples."""

    name: str
    case: str
    of: str
    """The output that it shows."""
    unit: str
    sigma: float
    held_out: bool
    """Nothing is fitted to it: its residuals are errors of prediction."""
    rms: float
    """Root mean square of model - measured."""
    mean_square: float
    """Mean of the squared residuals, in sigma."""
    neighbours: float
    """Correlation of the residuals of neighbouring samples: near 0 of noise, near 1 where the model lacks something."""
    alike: bool
    """Whether it is so large that the residuals are no independent noise."""
    t: Array
    measured: Array
    model: Array
    residual: Array
    """(model - measured)/sigma"""
    deviation: Array
    """Standard deviation of `model` by those of the estimates; inf: not determined."""
    band: Array
    """Half of the width of the band in which a further sample is expected."""

    def __repr__(self) -> str:
        kind = "held out, " if self.held_out else ""
        return f"<mbopt.Measurement {self.name}: {kind}{len(self.t)} samples, residuals of {self.rms:.4g} {self.unit}>"

    def to_pandas(self) -> Any:
        """A pandas DataFrame over time."""
        pandas = needed("pandas", "to_pandas()")
        columns = {name: getattr(self, name) for name in _COLUMNS[1:]}
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def plot(self, axes: Any = None) -> Any:
        """A matplotlib figure of the samples, the model and the band; returns the axes."""
        axes = axes or needed("matplotlib.pyplot", "plot()").subplots()[1]
        axes.plot(self.t, self.measured, ".", label=self.name)
        (line,) = axes.plot(self.t, self.model, label=self.of)
        if np.all(np.isfinite(self.band)):
            axes.fill_between(self.t, self.model - self.band, self.model + self.band, color=line.get_color(), alpha=0.2)
        axes.set_xlabel("t [s]")
        axes.set_ylabel(f"{self.of} [{self.unit}]")
        axes.legend()
        return axes


@dataclass(frozen=True, repr=False)
class Fit:
    """The result of Problem.fit. Arrays are in the order of `variables`."""

    variables: list[str]
    x: Array
    """Estimates."""
    deviation: Array
    """Standard deviations; inf: not determined, 0: at a bound, where intervals of the others take it to stay."""
    lower: Array
    upper: Array
    """Ends of the intervals."""
    confidence: float
    """Of the intervals."""
    determined: NDArray[np.bool_]
    """Whether the deviation is at most the variable's scale."""
    at_bound: list[Optional[str]]
    """"lower bound", "upper bound", or None"""
    correlation: Array
    """[variable][variable]; NaN where one of both has no deviation"""
    directions: list[Direction] = field(repr=False)
    """The worst determined first."""
    measurements: dict[str, Measurement] = field(repr=False)
    next: list[NextMeasurement] = field(repr=False)
    """What to measure next: sensors and held out measurements, one after the other the best beside the data and those before it."""
    samples: int
    """That count, of all measurements that are not held out."""
    noise: float
    """Standard deviation of the noise in sigma: 1 where the sigmas are taken as they are, else estimated from the residuals."""
    noise_given: bool
    scatter: float
    """Root of the mean square of the residuals in sigma, by degrees of freedom."""
    contradicted: bool
    """The sigmas are taken as they are, but the residuals are larger than such noise leaves them in one of 10000 cases."""
    step_shift: Array
    """Change of the estimates if the time step is halved, to first order."""
    step_error: float
    """Its largest ratio to the standard deviation: above 0.3 the step is too long for the data; NaN: not known."""
    optimum: Optional[Optimum] = field(repr=False)
    """How the optimization ended; None where the statistics of a given design were asked for."""

    @property
    def design(self) -> dict[str, float]:
        """The estimates by name."""
        return dict(zip(self.variables, map(float, self.x)))

    @property
    def covariance(self) -> Array:
        """Covariance of the estimates, [variable][variable]; NaN where a variable has no deviation."""
        with np.errstate(invalid="ignore"):
            return self.correlation * np.outer(self.deviation, self.deviation)

    @property
    def alike(self) -> list[str]:
        """The measurements whose residuals are no independent noise: the model lacks something that they show, or their noise is
        correlated; estimates may be wrong by much more than the intervals say."""
        return [one.name for one in self.measurements.values() if one.alike and not one.held_out]

    @property
    def undetermined(self) -> list[Direction]:
        """The directions along which the estimate is uncertain by more than one scale, the worst first."""
        return [one for one in self.directions if not one.determined]

    def to_pandas(self) -> Any:
        """A pandas DataFrame of the estimates, a row for each variable."""
        pandas = needed("pandas", "to_pandas()")
        columns = {
            "estimate": self.x,
            "deviation": self.deviation,
            "lower": self.lower,
            "upper": self.upper,
            "determined": self.determined,
            "at_bound": self.at_bound,
        }
        return pandas.DataFrame(columns, index=pandas.Index(self.variables, name="variable"))

    @property
    def success(self) -> bool:
        """Whether the optimization has converged; True where the statistics of a given design were asked for."""
        return self.optimum is None or self.optimum.converged

    @property
    def message(self) -> str:
        """How the optimization ended."""
        return self.optimum.text if self.optimum else "the statistics of a given design"

    @property
    def fun(self) -> float:
        """The sum of the squared residuals of all measurements that are not held out, whatever their loss."""
        return float(sum(np.sum(one.residual**2) for one in self.measurements.values() if not one.held_out))

    @property
    def nfev(self) -> int:
        """Designs that were simulated."""
        return self.optimum.evaluations if self.optimum else 1

    def _repr_html_(self) -> str:
        return html.fit(self)

    def _row(self, i: int) -> str:
        text = f"  {self.variables[i]:20s} {self.x[i]:16.9g} "
        if self.at_bound[i]:
            return f"{text}{'-':>12s}   at its {self.at_bound[i]}"
        if np.isinf(self.deviation[i]):
            return f"{text}{'-':>12s}   not determined by these data"
        hardly = "" if self.determined[i] else "   hardly determined"
        return f"{text}{self.deviation[i]:12.3g}   {self.lower[i]:.6g} to {self.upper[i]:.6g}{hardly}"

    def __repr__(self) -> str:
        said = "noise as sigma says" if self.noise_given else f"noise estimated from the residuals: {self.noise:.3g} sigma"
        lines = [f"<mbopt.Fit to {self.samples} samples; {said}"]
        lines.append(f"  {'variable':20s} {'estimate':>16s} {'deviation':>12s}   {100 * self.confidence:g} % interval")
        lines += [self._row(i) for i in range(len(self.variables))]
        if self.undetermined:
            lines.append(f"  not determined: {len(self.undetermined)} of {len(self.directions)} directions")
        if self.contradicted:
            lines.append(f"  residuals are {self.scatter:.3g} of what sigma says: the intervals are too narrow")
        for name in self.alike:
            neighbours = self.measurements[name].neighbours
            lines.append(f"  residuals of {name} are like their neighbours (correlation {neighbours:.2f}): the model lacks something")
        if self.step_error > 0.3:
            lines.append(f"  half the time step changes an estimate by {self.step_error:.2g} deviations: take a smaller step")
        if self.optimum and not self.optimum.converged:
            lines.append(f"  the optimization has not converged: {self.optimum.text}")
        return "\n".join(lines) + ">"


# ---- read from the library ----


def _informative_outputs(handle: Any, k: int, n: int) -> list[InformativeOutput]:
    found: list[InformativeOutput] = []
    while one := library.mbo_fit_informative_output(handle, k, len(found)):
        s = one.contents
        found.append(InformativeOutput(s.output.decode(), s.in_case.decode(), s.change, s.relative, s.unit.decode(), s.sigma, s.samples, copied(s.deviation, n)))
    return found


def _next(handle: Any, n: int) -> list[NextMeasurement]:
    found: list[NextMeasurement] = []
    while one := library.mbo_fit_next(handle, len(found)):
        s = one.contents
        name, of, case, unit = (text.decode() for text in (s.name, s.of, s.in_case, s.unit))
        found.append(NextMeasurement(name, of, case, unit, bool(s.held_out), s.sigma, s.samples, s.determined, s.width, s.share, copied(s.deviation, n)))
    return found


def _measurement(handle: Any, k: int) -> Measurement:
    def number(what: bytes) -> float:
        return library.mbo_fit_measurement_number(handle, k, what)

    name, case, of, unit = (library.mbo_fit_measurement(handle, k, what).decode() for what in (b"name", b"case", b"of", b"unit"))
    table = copied(library.mbo_fit_samples(handle, k), int(number(b"samples")), len(_COLUMNS))
    columns = {column: np.ascontiguousarray(table[:, j]) for j, column in enumerate(_COLUMNS)}
    held_out = bool(number(b"hold_out"))
    return Measurement(name, case, of, unit, number(b"sigma"), held_out, number(b"rms"), number(b"mean_square"), number(b"neighbours"), bool(number(b"alike")), **columns)


def _read(handle: Any, variables: list[str], optimum: Optional[Optimum]) -> Fit:
    n = len(variables)

    def number(name: bytes) -> float:
        return library.mbo_fit_number(handle, name)

    def array(name: bytes) -> Array:
        return copied(library.mbo_fit_array(handle, name), n)

    measurements = [_measurement(handle, k) for k in range(library.mbo_fit_measurements(handle))]
    directions = []
    for k in range(library.mbo_fit_directions(handle)):
        parts = copied(library.mbo_fit_direction(handle, k), n)
        seen = copied(library.mbo_fit_seen(handle, k), len(measurements))
        directions.append(
            Direction(
                parts=dict(zip(variables, map(float, parts))),
                singular=library.mbo_fit_singular(handle, k),
                uncertainty=library.mbo_fit_uncertainty(handle, k),
                seen={one.name: float(s) for one, s in zip(measurements, seen)},
                informative_outputs=_informative_outputs(handle, k, n),
            )
        )
    bounds = [library.mbo_fit_bound(handle, i) for i in range(n)]
    return Fit(
        variables=list(variables),
        x=array(b"estimate"),
        deviation=array(b"deviation"),
        lower=array(b"lower"),
        upper=array(b"upper"),
        confidence=number(b"confidence"),
        determined=np.array([bool(library.mbo_fit_determines(handle, i)) for i in range(n)]),
        at_bound=[bound.decode() if bound else None for bound in bounds],
        correlation=copied(library.mbo_fit_array(handle, b"correlation"), n, n),
        directions=directions,
        measurements={one.name: one for one in measurements},
        next=_next(handle, n),
        samples=int(number(b"samples")),
        noise=number(b"noise"),
        noise_given=bool(number(b"noise_given")),
        scatter=number(b"scatter"),
        contradicted=bool(number(b"contradicted")),
        step_shift=array(b"step_shift"),
        step_error=number(b"step_error"),
        optimum=optimum,
    )


def of(problem: Problem, x: Array, optimum: Optional[Optimum]) -> Fit:
    """The statistics of a problem at a design."""
    handle = ctypes.c_void_p()
    problem._call(library.mbo_run_fit, problem._open(), x.ctypes.data, ctypes.byref(handle))
    try:
        return _read(handle, problem.variables, optimum)
    finally:
        library.mbo_fit_free(handle)
