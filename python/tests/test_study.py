"""Sweeps in threads against single runs, and studies of the program as tables."""

import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import mbopt

SHORT = {"case.drop.duration": 0.5}


@pytest.fixture
def pendulum():
    with mbopt.open("configs/pendulum.ini", SHORT) as p:
        yield p


def test_sweep_is_single_runs(pendulum):
    told = []
    vary = {"mass": [1, 2], "case.drop.step": [5e-3, 1e-2], "stiffness": np.array([5.0, 20])}
    table = pendulum.sweep(vary, task="gradient", jobs=2, progress=lambda *at: told.append(at))
    assert told[-1] == (8, 8) and table.runs == 8 and table.varied == list(vary)
    assert list(table["stiffness"][:3]) == [5, 20, 5] and set(table["status"]) == {"OK"}
    for i in range(8):
        row = table.row(i)
        settings = {**SHORT, "scalars.mass": row["mass"], "case.drop.step": row["case.drop.step"]}
        with mbopt.open("configs/pendulum.ini", settings) as p:
            x = {"stiffness": row["stiffness"]}
            assert p.values(x) == {name: row[name] for name in p.quantities}
            assert row["d settle/d damping"] == p.gradients(x)[0, 1] != 0
    assert len(set(table["objective"])) == 8


def test_sweep_that_optimizes(pendulum):
    table = pendulum.sweep([{"mass": 1, "stiffness": 5}, {"mass": 2, "stiffness": 9}], task="optimize")
    with mbopt.open("configs/pendulum.ini", {**SHORT, "scalars.mass": 2, "design.stiffness.start": 9}) as p:
        best = p.minimize()
    assert table["status"][1] == best.status and table["result.stiffness"][1] == best.x[0]
    assert table["objective"][1] == best.objective != table["objective"][0]


def test_runs_that_fail_are_rows():
    with mbopt.open("configs/five_bar_gradient.ini", {"case.swing.duration": 0.05}) as p:
        table = p.sweep({"LA1": [p.start[p.variables.index("LA1")], 10]})
    assert list(table["status"]) == ["OK", "FAILED"]
    assert np.isnan(table["objective"][1]) and "loop" in table["error"][1] and table["error"][0] == ""
    assert table.best()["run"] == 0


def test_errors(pendulum):
    with pytest.raises(mbopt.InputError, match="task 'optimise' is not known; is 'optimize' meant"):
        pendulum.sweep({"mass": [1]}, task="optimise")
    with pytest.raises(mbopt.InputError, match="'mass'"):
        pendulum.sweep({"mas": [1]})
    with pytest.raises(mbopt.InputError, match="different keys"):
        pendulum.sweep([{"mass": 1}, {"stiffness": 1}])


def test_interrupt():
    """Ctrl-C ends motions of a day in several threads."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.monotonic()
    with mbopt.open("configs/pendulum.ini", {"case.drop.duration": 86400, "case.drop.step": 1e-3}) as p:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            p.sweep({"mass": [1, 2, 3, 4]}, jobs=2)
    assert time.monotonic() - begun < 60


def test_study_of_the_program(pendulum, tmp_path):
    program = [os.environ["MBOPT"], "sweep", "configs/pendulum.ini", "--quiet", "--output", str(tmp_path / "study")]
    settings = ["case.drop.duration=0.5", "sweep.vary.stiffness=5 to 20 in 3", "sweep.vary.scalars.mass=1, 2"]
    subprocess.run([*program, *(word for one in settings for word in ("--set", one))], check=True)
    theirs = mbopt.Study.read(tmp_path / "study")
    ours = pendulum.sweep({"stiffness": [5, 12.5, 20], "scalars.mass": [1, 2]})
    assert theirs.varied == ours.varied and theirs.runs == 6
    for name in ("run", "status", "stiffness", "scalars.mass"):
        np.testing.assert_array_equal(theirs[name], ours[name])
    for name in ("objective", "settle", "tip_speed"):  # steps of the program use a tangent longer than those of evaluations with gradients
        np.testing.assert_allclose(theirs[name], ours[name], rtol=1e-13)
    with pytest.raises(OSError, match="table.csv"):
        mbopt.Study.read(tmp_path)


def test_pandas(pendulum):
    pytest.importorskip("pandas")
    table = pendulum.sweep({"stiffness": [5, 10]})
    frame = table.to_pandas()
    assert list(frame["objective"]) == list(table["objective"]) and frame.index.name == "run"
    motion = pendulum.simulate()
    over_time = motion.to_pandas()
    assert over_time.index[-1] == 0.5 and list(over_time["ground-bar.angle"]) == list(motion["ground-bar.angle"])
    assert over_time.attrs["units"]["ground-bar.angle"] == "rad"


def test_figures(pendulum):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    table = pendulum.sweep({"mass": [1, 2], "stiffness": [5, 10, 20]})
    axes = table.plot()
    assert [line.get_label() for line in axes.get_lines()] == ["mass = 1", "mass = 2"]
    np.testing.assert_array_equal(axes.get_lines()[1].get_ydata(), table["objective"][3:])
    axes = pendulum.simulate().plot("ground-bar.angle")
    assert axes.get_legend().get_texts()[0].get_text() == "ground-bar.angle [rad]"
    best = pendulum.minimize({"optimizer.max_iterations": 3})
    assert len(best.plot().get_lines()[0].get_xdata()) == len(best.history) == best.iterations + 1
    modes = pendulum.linearize()
    assert len(modes.plot().get_lines()[0].get_xdata()) == 2
    np.testing.assert_allclose(modes.frequencies, np.sqrt(7.5) / (2 * np.pi), rtol=1e-12)
    matplotlib.pyplot.close("all")


def test_importance_of_keys():
    """y = a + 2 b, a by equal ratios: the variances are 1 and 4 times that of a spread key."""
    u = np.random.default_rng(5).random((60, 2))
    a, b = 10 ** u[:, 0], u[:, 1] / np.log10(np.e) * 2
    y = np.log(a) + b
    columns = {"a": a, "b": b, "y": y, "d y/d a": 1 / a, "word": ["x", "y"] * 30, "error": [""] * 60}
    found = mbopt.Study(columns, varied=["a", "b", "word"]).importance("y", log=["a"])
    assert not found.exact and found.explained == pytest.approx(1) and not found.reason and found.runs == 60
    assert found.first == pytest.approx([0.2, 0.8, 0], abs=0.05) and found.total == pytest.approx(found.first, abs=1e-9)
    # slopes by the logarithm are 1: 12/pi^2 times the index
    assert found.bound[0] == pytest.approx(12 / np.pi**2 * found.total[0], rel=0.5) and np.isnan(found.bound[1])
    few = mbopt.Study({"a": a[:5], "b": b[:5], "y": y[:5]}, varied=["a", "b"]).importance("y")
    assert np.isnan(few.first).all() and "too few" in repr(few)
