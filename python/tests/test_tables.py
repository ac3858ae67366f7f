"""Measured series from arrays, DataFrames and files of any spelling."""

import numpy as np
import pytest

import mbopt

T = np.array([0.0, 0.1, 0.2, 0.3, 0.4])
Y = np.array([0.0, 0.02, np.nan, 0.19, 0.3])


def run_with(data, **options):
    run = mbopt.Run("problems/pendulum/pendulum.ini")
    run.case("drop", duration=0.5, step=1e-2)
    run.design("stiffness", lower=0, upper=100)
    run.measurement("seen", data, of="ground-bar.angle", sigma=0.01, **options)
    return run


def residuals(data, **options):
    with run_with(data, **options).open() as p:
        return p.residuals()


@pytest.fixture(scope="module")
def expected():
    """The residuals of the four samples that are there, from the motion itself."""
    run = mbopt.Run("problems/pendulum/pendulum.ini")
    run.case("drop", duration=0.5, step=1e-2)
    with run.open() as p:
        motion = p.simulate()
    here = np.isfinite(Y)
    return (np.interp(T[here], motion.t, motion["ground-bar.angle"]) - Y[here]) / 0.01


def test_arrays(expected):
    np.testing.assert_allclose(residuals((T, Y)), expected, rtol=1e-9)
    np.testing.assert_array_equal(residuals(np.column_stack([T, Y])), residuals((T, Y)))
    three = np.column_stack([Y, 1000 * T + 5, 2 * Y])
    np.testing.assert_allclose(residuals(three, time=1, column=0, time_unit="ms", time_zero=5), expected, rtol=1e-9)
    columns = {"clock": T + 7, "angle [rad]": Y, "other": Y}
    np.testing.assert_allclose(residuals(columns, column="angle", time="clock", time_zero="first"), expected, rtol=1e-9)


def test_pandas(expected):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"angle": Y, "rate": 3 * Y}, index=T)  # an index without a name
    np.testing.assert_allclose(residuals(frame, column="angle"), expected, rtol=1e-9)
    np.testing.assert_allclose(residuals(frame["angle"]), expected, rtol=1e-9)
    np.testing.assert_allclose(residuals(pandas.DataFrame({"t": T, "angle": Y})), expected, rtol=1e-9)
    dates = pandas.Timestamp("2026-03-01 12:00") + pandas.to_timedelta(T, unit="s")
    np.testing.assert_allclose(residuals(pandas.Series(Y, dates)), expected, rtol=1e-6)
    with pytest.raises(mbopt.InputError, match=r"\[measurement seen\]: column: the data have the columns angle, rate"):
        residuals(frame)
    with pytest.raises(mbopt.InputError, match="this one counts rows"):
        residuals(pandas.Series(Y))
    with pytest.raises(mbopt.InputError, match="column 'angel' is not known; is 'angle' meant"):
        residuals(frame, column="angel")


@pytest.mark.parametrize(
    "text, options",
    [
        (";angle\n0,0;0,0\n0,1;0,02\n0,2;\n0,3;0,19\n0,4;0,3\n", {}),
        ("t\tangle\n0\t0\n100\t0.02\n200\tNaN\n300\t0.19\n400\t0.3\n", {"time_unit": "ms"}),
        ("# a logger\n0 0\n0.1 0.02\n0.3 0.19\n0.4 0.3\n", {}),
        (",angle,rate\n1,0,0\n1.1,0.02,1\n1.2,,2\n1.3,0.19,\n1.4,0.3,4\n", {"column": "angle", "time_zero": 1}),
        ("\ufefft|angle\n0|0\n0,1|0,02\n0,3|0,19\n0,4|0,3\n", {"separator": "|", "decimal": ","}),
    ],
)
def test_files(text, options, expected, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(text, encoding="utf-8")
    np.testing.assert_allclose(residuals(file, **options), expected, rtol=1e-9)


def test_what_is_refused(tmp_path):
    with pytest.raises(mbopt.InputError, match=r"times increase, but sample 2 of column 'value' is at 0.1 s after 0.3 s"):
        residuals(([0, 0.3, 0.1], [1, 2, 3]))
    with pytest.raises(mbopt.InputError, match="has no sample"):
        residuals(([0, 1], [np.nan, np.nan]))
    with pytest.raises(mbopt.InputError, match="3 times, but 2 values"):
        residuals(([0, 1, 2], [1, 2]))
    with pytest.raises(mbopt.InputError, match="time_unit 'msec' is not known"):
        residuals((T, Y), time_unit="msec")
    with pytest.raises(mbopt.InputError, match="separator and decimal are for files"):
        residuals((T, Y), decimal=",")
    file = tmp_path / "table.csv"
    file.write_text("t;y\n0;1\n1;x\n")
    with pytest.raises(mbopt.InputError, match=r"table.csv:3: 'x' in column 'y' is no number"):
        residuals(file)
    file.write_text("t;y\n0;1;2\n")
    with pytest.raises(mbopt.InputError, match=r"table.csv:2: 3 cells, expected 2 as in the first line"):
        residuals(file)
    with pytest.raises(mbopt.InputError, match=r"^run:? ?.*\[measurement seen\]"):  # the library's message names the section
        run_with(([0.0, 9.0], [1, 2])).open().value()


def test_copies_take_their_table_along():
    import pickle

    with run_with((T, Y)).open() as p:
        other = pickle.loads(pickle.dumps(p))
        before = p.residuals()
    np.testing.assert_array_equal(other.residuals(), before)
    other.change({"measurement.seen.sigma": 0.02})
    np.testing.assert_array_equal(other.residuals(), before / 2)
