"""What notebooks show of problems, motions, results, fits and studies (_repr_html_): tables and small curves without scripts."""

from __future__ import annotations

import itertools
import math
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from .fit import Fit
    from .motion import Motion
    from .problem import Problem
    from .results import Modes, Optimum
    from .study import Study

_MOST = 60  # rows that are shown


def text(value: Any) -> str:
    """A cell: numbers in six digits, a dash for what is not there.

    >>> text(0.123456789), text(None), text(float("nan")), text("a < b"), text(True), text(3)
    ('0.123457', '-', '-', 'a &lt; b', 'yes', '3')
    """
    if value is None or (isinstance(value, (float, np.floating)) and math.isnan(value)):
        return "-"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return escape(str(value))


def table(caption: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table whose cells are texts, numbers or elements of SVG. Of many rows the first are shown, and how many more there are."""
    rest = iter(rows)
    parts = [f"<table><caption>{escape(caption)}</caption><thead><tr>"]
    parts += [f"<th>{escape(name)}</th>" for name in names]
    parts.append("</tr></thead><tbody>")
    for row in itertools.islice(rest, _MOST):
        parts.append("<tr>" + "".join(f"<td>{one if isinstance(one, Curve) else text(one)}</td>" for one in row) + "</tr>")
    if more := sum(1 for _ in rest):
        parts.append(f'<tr><td colspan="{len(names)}">and {more} more</td></tr>')
    return "".join(parts) + "</tbody></table>"


class Curve(str):
    """A small picture of a curve, as an element of SVG."""


def curve(x: ArrayLike, y: ArrayLike, width: int = 160, height: int = 32) -> Curve:
    """A curve without axes, of at most 200 points; those that are not finite are left out.

    >>> print(curve([0, 1], [0, 2], 10, 10))
    <svg width="10" height="10" role="img"><polyline fill="none" stroke="currentColor" points="1.0,9.0 9.0,1.0"/></svg>
    """
    points = np.column_stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)])
    points = points[:: max(1, len(points) // 200)]
    points = points[np.all(np.isfinite(points), axis=1)]
    if len(points) < 2:
        return Curve("")
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    at = np.where(size > 0, (points - low) / np.where(size > 0, size, 1), 0.5)
    places = " ".join(f"{1 + u * (width - 2):.1f},{height - 1 - v * (height - 2):.1f}" for u, v in at)
    line = f'<polyline fill="none" stroke="currentColor" points="{places}"/>'
    return Curve(f'<svg width="{width}" height="{height}" role="img">{line}</svg>')


def frame(page: str, height: int = 640) -> str:
    """A page of its own within another one."""
    return f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: {height}px; border: 1px solid #ccc"></iframe>'


def problem(p: Problem) -> str:
    rows = zip(p.variables, p.start, p.lower, p.upper, p.scale)
    variables = table(f"{p.path}: design variables", ["variable", "start", "lower", "upper", "scale"], rows)
    kinds: list[tuple[Any, ...]] = [(name, "objective", None, None) for name in p.objectives]
    kinds += [(name, "constraint", *limits) for name, *limits in zip(p.constraints, p.constraint_lower, p.constraint_upper)]
    return variables + table(f"quantities of the cases {', '.join(p.cases)}", ["quantity", "kind", "lower", "upper"], kinds)


def motion(m: Motion, page: Optional[str] = None) -> str:
    names = [name for name in m.names if name != "t"]
    rows = ((name, m.units[name], m[name].min(), m[name].max(), m[name][-1], curve(m.t, m[name])) for name in names)
    caption = f"motion of case {m.case}, {len(m.t)} nodes to t = {m.t[-1]:g} s"
    columns = table(caption, ["column", "unit", "least", "largest", "at the end", "over time"], rows)
    return f"{frame(page)}<details><summary>columns</summary>{columns}</details>" if page else columns


def optimum(best: Optimum) -> str:
    values = table(f"{best.text}: objective {best.objective:.6g}, at the start {best.objective_at_start:.6g}", ["variable", "result"], best.design.items())
    seen = [it for it in best.history if math.isfinite(it.objective)]
    progress = curve([it.iteration for it in seen], [it.objective for it in seen], 320, 80)
    counts = ["iterations", "simulations", "failed", "violation", "seconds", "objective over iterations"]
    return values + table("", counts, [(best.iterations, best.evaluations, best.failures, best.violation, best.seconds, progress)])


def modes(m: Modes) -> str:
    rows = zip((f"{s:.4g}" for s in m.eigenvalues), m.frequencies, m.damping)
    return table("small motions about the start", ["eigenvalue [1/s]", "frequency [Hz]", "damping"], rows)


def fit(f: Fit) -> str:
    rows = zip(f.variables, f.x, f.deviation, f.lower, f.upper, (bound or known for bound, known in zip(f.at_bound, f.determined)))
    level = f"{100 * f.confidence:g} %"
    estimates = table(f"fit to {f.samples} samples", ["variable", "estimate", "deviation", f"{level} from", "to", "determined"], rows)
    series = ((one.name, one.of, len(one.t), one.rms, one.unit, curve(one.t, one.residual)) for one in f.measurements.values())
    measured = table("measurements", ["measurement", "of", "samples", "rms of residuals", "unit", "residuals"], series)
    alike = "".join(f"<p>residuals of {escape(name)} are like their neighbours: the model lacks something</p>" for name in f.alike)
    return estimates + measured + alike


def study(s: Study) -> str:
    return table(f"{s.runs} runs, varied {', '.join(s.varied) or 'nothing'}", list(s), zip(*s.values()))
