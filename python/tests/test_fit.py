"""What measurements say: the same numbers as those of `mbopt fit`. MBOPT: the program; run from the root of the repository."""

import json
import os
import subprocess

import numpy as np
import pytest

import mbopt

FILE = "configs/measured_bar.ini"


@pytest.fixture(scope="module")
def fit():
    with mbopt.open(FILE) as p:
        return p.fit()


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The member "fit" of what the program answers."""
    folder = tmp_path_factory.mktemp("fit")
    words = [os.environ["MBOPT"], "fit", FILE, "--quiet", "--json", "--output", str(folder)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["fit"]


def numbers(values):
    """An array of what JSON has, where null stands for a number that is not there."""
    return np.array([[np.nan if one is None else one for one in row] for row in values], dtype=float)


def test_estimates(fit, program):
    rows = program["variables"]
    assert fit.variables == [row["name"] for row in rows] and len(rows) == 7
    np.testing.assert_array_equal(fit.x, [row["estimate"] for row in rows])
    assert list(fit.determined) == [row["determined"] for row in rows] == [False] * 3 + [True, False, True, True]
    for i, row in enumerate(rows):
        assert fit.at_bound[i] == row["at_bound"]
        if row["standard_deviation"] is None:
            assert np.isinf(fit.deviation[i])
        else:
            assert (fit.deviation[i], fit.lower[i], fit.upper[i]) == (row["standard_deviation"], row["lower"], row["upper"])
    np.testing.assert_array_equal(fit.correlation, numbers(program["correlation"]))
    np.testing.assert_allclose(np.sqrt(np.diag(fit.covariance))[fit.determined], fit.deviation[fit.determined], rtol=1e-12)
    assert (fit.samples, fit.noise, fit.scatter) == (program["samples"], program["noise_in_sigma"], program["scatter_in_sigma"])
    assert not fit.noise_given and fit.confidence == 0.95
    assert fit.optimum.converged and fit.design["mass"] == fit.optimum.design["mass"]


def deviations(of):
    """Standard deviations by name, where null stands for infinity."""
    return [np.inf if one is None else one for one in of["standard_deviations"].values()]


def test_next(fit, program):
    assert program["criterion"] == "D" and len(fit.next) == len(program["next"]) == 4
    for ours, theirs in zip(fit.next, program["next"]):
        assert (ours.name, ours.of, ours.case, ours.unit, ours.held_out) == tuple(theirs[k] for k in ("name", "of", "case", "unit", "hold_out"))
        assert (ours.sigma, ours.samples, ours.determined, ours.share) == tuple(theirs[k] for k in ("sigma", "samples", "determined", "share"))
        assert np.isnan(ours.width) if theirs["width"] is None else ours.width == theirs["width"]
        np.testing.assert_array_equal(ours.deviation, deviations(theirs))
    assert fit.next[0].determined == 7 and np.isnan(fit.next[0].width) and all(one.width < 1 for one in fit.next[1:])
    assert abs(sum(one.share for one in fit.next) - 1) < 1e-12


def test_directions(fit, program):
    assert len(fit.undetermined) == program["not_determined"] == 2
    for ours, theirs in zip(fit.directions, program["directions"]):
        assert ours.parts == theirs["direction"] and ours.seen == theirs["seen_by"]
        assert ours.singular == theirs["singular_value"]
        shows = [(s["output"], s["case"], s["change"], s["relative"], s["unit"]) for s in theirs["would_show"]]
        assert [(s.output, s.case, s.change, s.relative, s.unit) for s in ours.informative_outputs] == shows
        for s, shown in zip(ours.informative_outputs, theirs["would_show"]):
            assert (s.sigma, s.samples) == (shown["sigma"], shown["samples"])
            np.testing.assert_array_equal(s.deviation, deviations(shown))
    assert np.isinf(fit.directions[0].uncertainty) and fit.directions[-1].determined
    assert fit.undetermined[1].informative_outputs[0].output == "spring.force"


def test_measurements(fit, program):
    for row in program["measurements"]:
        one = fit.measurements[row["name"]]
        assert (one.rms, one.sigma, one.mean_square) == (row["rms"], row["sigma"], row["mean_square_in_sigma"])
        assert (one.case, one.of, one.unit, one.held_out) == (row["case"], row["of"], row["unit"], row["hold_out"])
        assert len(one.t) == row["samples"]
        np.testing.assert_allclose(one.residual, (one.model - one.measured) / one.sigma, rtol=1e-12)
        assert np.sqrt(np.mean((one.model - one.measured) ** 2)) == pytest.approx(one.rms, rel=1e-12)
    free = fit.measurements["free"]
    assert np.all(free.band > free.deviation) and np.all(free.deviation > 0)
    assert np.all(np.isinf(fit.measurements["loaded"].deviation))


def test_assumptions(fit, program):
    assert fit.alike == [] and fit.step_error == program["step_error_in_deviations"] < 0.3
    assert not program["residuals_alike"] and not program["step_too_long"]
    np.testing.assert_array_equal(fit.step_shift, [row["change_at_half_step"] for row in program["variables"]])
    for row in program["measurements"]:
        one = fit.measurements[row["name"]]
        assert (one.neighbours, one.alike) == (row["correlation_of_neighbours"], row["residuals_alike"])
    with mbopt.open(FILE) as p:
        start = p.fit(x=p.start)
    assert start.alike == ["free"] and "residuals of free are like their neighbours" in repr(start)


def test_views(fit):
    pandas = pytest.importorskip("pandas")
    table = fit.to_pandas()
    assert table.loc["bias", "estimate"] == fit.design["bias"] and list(table.index) == fit.variables
    series = fit.measurements["free"].to_pandas()
    assert isinstance(series, pandas.DataFrame) and series["model"].iloc[0] == fit.measurements["free"].model[0]
    text = repr(fit)
    assert "mass" in text and "not determined by these data" in text and "2 of 7 directions" in text
    assert repr(fit.measurements["free"]) == "<mbopt.Measurement free: 195 samples, residuals of 0.003635 rad>"


def test_statistics_of_a_design():
    settings = {"measurement.loaded.hold_out": False}
    with mbopt.open(FILE, settings) as p:
        best = p.fit()
        again = p.fit(x=best.x)
        told = []
        few = p.fit({"optimizer.max_iterations": 1}, callback=told.append)
    assert again.optimum is None and not again.undetermined
    np.testing.assert_array_equal(again.deviation, best.deviation)
    assert few.optimum.status == "STOPPED_LIMIT" and len(told) == 2
    assert "has not converged" in repr(few)


def test_what_cannot_be_fitted():
    with mbopt.open("configs/pendulum.ini") as p, pytest.raises(mbopt.InputError, match="needs a .measurement NAME."):
        p.fit()
