"""Objects of the package as Python, SciPy and pandas expect them. MBOPT: the program; run from the root of the repository."""

import copy
import logging
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import mbopt
from conftest import SHORT


@pytest.fixture
def pendulum():
    with mbopt.open("configs/pendulum.ini", {"case.drop.duration": 0.5}) as p:
        yield p


def built():
    """A pendulum of objects, whose files are in a folder of its own."""
    m = mbopt.Model("problems/pendulum/pendulum.ini")
    run = mbopt.Run(m)
    run.design("stiffness", lower=0, upper=100)
    run.case("drop", duration=0.5, step=1e-2)
    run.objective("settle", of="ground-bar.angle", form="integral_square", target=0.5)
    return run.open()


# ---- copies ----


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_are_problems_of_their_own(linkage, make, tmp_path, monkeypatch):
    linkage.change({"design.Ls1.start": 2.3})
    monkeypatch.chdir(tmp_path)  # the path is that of the file, wherever the copy is made
    with make(linkage) as other:
        assert other._handle.value != linkage._handle.value
        assert other.value() == linkage.value() and other.start[0] == 2.3
        other.change({"design.Ls1.start": 2.4})
        assert linkage.start[0] == 2.3
    assert linkage.reopen().value() == linkage.minimize({"optimizer.max_iterations": 0}).fun
    assert np.isfinite(linkage.value())
    with pytest.raises(ValueError, match="closed"):
        copy.copy(other)


def test_copies_of_objects_have_files_of_their_own():
    p = built()
    folder = pathlib.Path(p.path).parent
    other, beside = pickle.loads(pickle.dumps(p)), p.reopen()
    value = p.value()
    p.close()
    assert folder.exists() and beside.value() == value  # the folder is that of both
    beside.change({"case.drop.duration": 0.4})
    beside.close()
    del p, beside
    assert not folder.exists()
    assert other.value() == value
    other.change({"case.drop.duration": 0.4})
    assert other.value() != value


def value_of(p, x):
    return p.value(x)


def test_other_processes(linkage):
    """Problems travel to processes that are started anew, and to forks, and to joblib's where it is there."""
    designs = [linkage.start, 1.05 * linkage.start]
    expected = [linkage.value(x) for x in designs]
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.starmap(value_of, [(linkage, x) for x in designs]) == expected


@pytest.mark.skipif(not os.environ.get("MBOPT_LONG"), reason="starts two processes")
def test_joblib(linkage):
    joblib = pytest.importorskip("joblib")
    designs = [linkage.start, 1.05 * linkage.start]
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(linkage.value)(x) for x in designs) == [linkage.value(x) for x in designs]


def test_results_are_copied(linkage):
    motion = pickle.loads(pickle.dumps(linkage.simulate()))
    np.testing.assert_array_equal(motion.table, linkage.simulate().table)
    best = linkage.minimize({"optimizer.max_iterations": 2})
    assert pickle.loads(pickle.dumps(best)).history == copy.deepcopy(best).history == best.history
    assert (best.fun, best.message, best.nfev, best.nit) == (best.objective, best.text, best.evaluations, 2)
    assert best.success is best.converged is False


# ---- calls ----


def test_settings_of_a_call_end_with_it(linkage):
    few = linkage.minimize({"optimizer.max_iterations": 1})
    assert few.iterations == 1 and linkage._settings == [b"case.swing.duration=0.2"]
    assert linkage.minimize().converged
    with mbopt.open("configs/measured_bar.ini") as p:
        assert p.fit({"fit.confidence": 0.5}, x=p.start).confidence == 0.5
        assert p.fit(x=p.start).confidence == 0.95


def test_a_start_of_its_own(linkage):
    best = linkage.minimize(x0=[2.5, 1.9])
    assert best.objective_at_start == linkage.value([2.5, 1.9]) and best.converged
    assert linkage.minimize({"optimizer.max_iterations": 0}, x0={"Ls2": 1.9}).design == {"Ls1": linkage.start[0], "Ls2": 1.9}
    with pytest.raises(mbopt.InputError, match=r"design Ls1\] start = 7"):
        linkage.minimize(x0=[7, 1.9])


def test_value_is_that_of_the_gradient_to_the_bit():
    """By the adjoint and by direct differentiation, of closed loops, measurements, velocity constraints, states and contacts with the road."""
    for name in ("five_bar", "double_pendulum", "servo", "measured_bar", "balancing", "rolling_disc"):
        for method in ("direct", "discrete_adjoint"):
            settings = {"gradient.method": method, "optimizer.hessian": "limited_memory"}
            with mbopt.open(f"configs/{name}.ini", settings) as p:
                assert p.value() == p.value_and_gradient()[0], (name, method)


def test_batch_in_lanes(linkage):
    """Nine designs, four at a time, and the last one; a design that fails; messages."""
    X = np.outer(np.linspace(0.95, 1.05, 9), linkage.start)
    for lanes in (3, 0, -4, "4"):
        with pytest.raises(mbopt.InputError, match=f"{lanes!r} lanes, expected 1, 2, 4 or 8"):
            linkage.batch(X, lanes=lanes)
    try:
        batch = linkage.batch(X, gradient=True, jobs=2, lanes=4)
    except mbopt.Error as missing:
        assert missing.status == "MBD_NOT_BUILT_IN"
        pytest.skip(str(missing))
    alone = linkage.batch(X, gradient=True)
    np.testing.assert_allclose(batch.objective, alone.objective, rtol=1e-9)
    np.testing.assert_allclose(batch.quantities, alone.quantities, rtol=1e-9)
    np.testing.assert_allclose(batch.gradient, alone.gradient, rtol=0, atol=1e-8 * np.max(np.abs(alone.gradient)))
    assert batch.error == [None] * 9 and linkage.batch(X[:1], lanes=4).objective[0] == alone.objective[0]
    with mbopt.open("configs/five_bar_gradient.ini", {"case.swing.duration": 0.02}) as p:
        x = p.start.copy()
        x[p.variables.index("LA1")] = 10
        batch, alone = (p.batch([p.start, x, 1.01 * p.start], gradient=True, lanes=lanes) for lanes in (4, 1))
    assert batch.error == alone.error and "loop" in batch.error[1]
    np.testing.assert_array_equal(batch.gradient, alone.gradient)


def test_batch(linkage, pendulum):
    X = np.outer([0.95, 1, 1.05], linkage.start)
    told = []
    batch = linkage.batch(X, gradient=True, jobs=2, progress=lambda *at: told.append(at))
    assert told == [(1, 3), (2, 3), (3, 3)] and batch.error == [None] * 3
    for i, x in enumerate(X):
        f, g = linkage.value_and_gradient(x)
        assert batch.objective[i] == f and batch.quantities[i, 0] == f
        np.testing.assert_array_equal(batch.gradient[i], g)
    assert linkage.batch(X).gradient is None
    for gradient in (False, True):
        values = pendulum.batch([pendulum.start, 2 * pendulum.start], gradient)
        assert values.quantities.tolist() == [list(pendulum.values(k * pendulum.start).values()) for k in (1, 2)]
    with pytest.raises(mbopt.InputError, match=r"shape \(2, 3\), expected \(count, 2\)"):
        linkage.batch(np.ones((2, 3)))
    with mbopt.open("configs/five_bar_gradient.ini", {"case.swing.duration": 0.02}) as p:
        x = p.start.copy()
        x[p.variables.index("LA1")] = 10
        batch = p.batch([p.start, x], gradient=True)
    assert list(batch.failed) == [False, True] and "loop" in batch.error[1]
    assert np.all(np.isnan(batch.gradient[1])) and np.all(np.isfinite(batch.gradient[0]))


def test_residuals():
    with mbopt.open("configs/measured_bar.ini") as p:
        r, J = p.residuals_and_jacobian()
        fit = p.fit(x=p.start)
    fitted = [one for one in fit.measurements.values() if not one.held_out]
    assert fit.fun == pytest.approx(r @ r, rel=1e-12) and fit.success and "given design" in fit.message
    np.testing.assert_allclose(r, np.concatenate([one.residual for one in fitted]), rtol=1e-9, atol=1e-12)
    seen = [i for i, name in enumerate(fit.variables) if name != "angle_loaded"]
    settings = {"measurement.loaded.hold_out": False, "measurement.free_rate.loss": "square", "fit.noise": "given"}
    with mbopt.open("configs/measured_bar.ini", settings) as p:
        J = p.residuals_and_jacobian()[1]
        np.testing.assert_allclose(np.linalg.inv(J.T @ J), p.fit(x=p.start).covariance, rtol=1e-6)
    assert len(seen) == 6
    with mbopt.open("configs/pendulum.ini") as p, pytest.raises(mbopt.InputError, match="needs a .measurement NAME."):
        p.residuals()


def test_logging_and_progress(linkage, caplog, monkeypatch):
    with caplog.at_level(logging.INFO, logger="mbopt"):
        best = linkage.minimize()
    lines = [record.getMessage() for record in caplog.records]
    assert sum("iteration" in line for line in lines) == best.iterations + 1 and best.text in lines[-1]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="by the package tqdm"):
        assert linkage.minimize(progress=True).converged


def test_progress_bar(linkage, capsys):
    pytest.importorskip("tqdm")
    linkage.batch([linkage.start], progress=True)
    assert "1/1" in capsys.readouterr().err


# ---- SciPy ----


def test_least_squares_simulates_each_design_once(linkage, monkeypatch):
    """Value and Jacobian of a design are those of one call of the library, both of objectives and of residuals."""
    from scipy.optimize import least_squares

    calls = []
    call = mbopt.Problem._call

    def counted(self, function, *arguments):
        calls.append(function.__name__)
        return call(self, function, *arguments)

    monkeypatch.setattr(mbopt.Problem, "_call", counted)
    result = least_squares(**linkage.scipy_least_squares(scaled=True))
    assert calls == ["mbo_run_least_squares"] * result.nfev and result.njev > 2
    with mbopt.open("configs/servo_fit.ini", {"measurement.motor.until": 0.3, "measurement.arm_rate.until": 0.3}) as p:
        calls.clear()
        result = least_squares(**p.scipy_least_squares(scaled=True, of="residuals"), max_nfev=3)
        assert calls.count("mbo_run_residuals") == result.nfev == 3 and set(calls) == {"mbo_run_fits", "mbo_run_residuals"}
        arguments, x = p.scipy_least_squares(scaled=True, of="residuals"), 1.01 * p.start
        np.testing.assert_array_equal(arguments["jac"](x / p.scale), p.residuals_and_jacobian(x / p.scale * p.scale)[1] * p.scale)
        calls.clear()
        for design in (x, 1.1 * x, x):  # the last design is kept, and no other
            arguments["fun"](design / p.scale)
        assert calls.count("mbo_run_residuals") == 2
        assert 2 * result.cost == pytest.approx(p.value(result.x * p.scale), rel=1e-12)


def test_products_of_second_derivatives(pendulum):
    x, H = 1.1 * pendulum.start, pendulum.hessians(1.1 * pendulum.start)
    assert np.allclose(pendulum.hessp(x, [1, -2]), H[0] @ [1, -2], rtol=1e-9)
    np.testing.assert_allclose(pendulum.hessian_operator(x) @ np.eye(2), H[0], rtol=1e-9)
    J = pendulum.jacobian_operator(x)
    np.testing.assert_array_equal(J @ np.eye(2), pendulum.gradients(x))
    np.testing.assert_array_equal(J.T @ np.eye(2), pendulum.gradients(x).T)
    arguments = pendulum.scipy(scaled=True, hessian="product")
    s = pendulum.scale
    np.testing.assert_allclose(arguments["hessp"](x / s, [1, -2]), s * (H[0] @ (s * [1, -2])), rtol=1e-9)
    constraint = arguments["constraints"][0].hess(x / s, [3.0])
    np.testing.assert_allclose(constraint @ np.eye(2), 3 * H[1] * np.outer(s, s), rtol=1e-9)
    with pytest.raises(mbopt.InputError, match="expected True, False or 'product'"):
        pendulum.scipy(hessian="exact")


def failing(p, monkeypatch):
    """Designs beside the way to the optimum that cannot be simulated."""
    evaluate, failures = p._evaluate, []

    def checked(x):
        if x[0] < 2.2 or x[1] < 1.75:
            failures.append(x)
            raise mbopt.SimulationError("no motion", "MBD_NO_ASSEMBLY", 0.0)
        return evaluate(x)

    monkeypatch.setattr(p, "_evaluate", checked)
    return failures


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")
@pytest.mark.parametrize("method", ["Newton-CG", "trust-constr", "trust-krylov"])
def test_scipy_steps_back_from_designs_that_cannot_be_simulated(linkage, monkeypatch, method):
    from scipy.optimize import minimize

    failures = failing(linkage, monkeypatch)
    products = "product" if method != "trust-constr" else False
    arguments = linkage.scipy(scaled=True, failed="inf", method=method, hessian=products)
    arguments["x0"] = np.array([3.5, 3.5]) / linkage.scale
    if method != "trust-constr":
        del arguments["bounds"]
    result = minimize(options={"maxiter": 60}, **arguments)
    assert failures and result.success
    np.testing.assert_allclose(result.x * linkage.scale, [2.43192357, 1.84486889], rtol=1e-3)


def test_methods_that_take_infinity_for_convergence(linkage, monkeypatch):
    for method in ("L-BFGS-B", "TNC", "COBYLA"):
        with pytest.raises(mbopt.InputError, match=f"{method} may call a design that cannot be simulated a success"):
            linkage.scipy(failed="inf", method=method)
    with pytest.raises(mbopt.InputError, match="failed = 'infinity' is not known, expected one of inf, raise"):
        linkage.scipy(failed="infinity")
    failing(linkage, monkeypatch)
    fun = linkage.scipy(failed="inf")["fun"]
    with pytest.raises(mbopt.SimulationError, match="and is the first one; expected another start"):
        fun(np.array([2.0, 1.5]))
    f, g = fun(np.array([2.3, 1.8]))
    with pytest.warns(UserWarning, match="L-BFGS-B and TNC and COBYLA may call that success"):
        failed = fun(np.array([2.0, 1.5]))
    assert np.isfinite(f) and failed[0] == np.inf and (failed[1] == g).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fun(np.array([2.0, 1.4]))  # the warning has been said


# ---- pandas, xarray, notebooks ----


def test_pandas_and_xarray(linkage, pendulum):
    pytest.importorskip("pandas")
    motion, best, modes = pendulum.simulate(), linkage.minimize(), pendulum.linearize()
    assert list(best.to_pandas()["objective"]) == [it.objective for it in best.history]
    assert list(modes.to_pandas()["damping"]) == list(modes.damping)
    xarray = pytest.importorskip("xarray")
    data = motion.to_xarray()
    assert isinstance(data, xarray.Dataset) and data["ground-bar.angle"].attrs["units"] == "rad"
    np.testing.assert_array_equal(data["ground-bar.angle"], motion["ground-bar.angle"])
    np.testing.assert_array_equal(data["t"], motion.t)


def test_packages_that_are_not_there(pendulum, monkeypatch):
    for package, call in ("pandas", "to_pandas"), ("xarray", "to_xarray"):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=rf"{call}\(\) needs the package {package} \(pip install {package}; Debian: python3-{package}\)"):
            getattr(pendulum.simulate(), call)()


def cells(page):
    """The texts of the cells of tables; a check that elements are closed."""
    from html.parser import HTMLParser

    class Reader(HTMLParser):
        open, texts = [], []

        def handle_starttag(self, tag, _):
            if tag not in ("polyline",):
                self.open.append(tag)
            if tag in ("td", "th"):
                self.texts.append("")

        def handle_endtag(self, tag):
            if tag not in ("polyline",):
                assert self.open.pop() == tag

        def handle_data(self, data):
            if self.open and self.open[-1] in ("td", "th"):
                self.texts[-1] += data

    reader = Reader()
    reader.open, reader.texts = [], []
    reader.feed(page)
    assert not reader.open
    return reader.texts


def test_notebooks(linkage, pendulum):
    assert {"Ls1", "psi1", "objective", "2.23607"} <= set(cells(linkage._repr_html_()))
    assert {"tip_speed", "constraint", "0.05"} <= set(cells(pendulum._repr_html_()))
    best = linkage.minimize()
    assert {"Ls1", f"{best.x[0]:.6g}", str(best.evaluations)} <= set(cells(best._repr_html_()))
    assert "damping" in cells(pendulum.linearize()._repr_html_())
    assert {"6", "FAILED"} & set(cells(pendulum.sweep({"mass": range(1, 8)})._repr_html_()))
    with mbopt.open("configs/measured_bar.ini") as p:
        assert {"mass", "free", "195"} <= set(cells(p.fit(x=p.start)._repr_html_()))
    motion = pendulum.simulate()
    shown = motion._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "mbopt_scene" in shown and "ground-bar.angle" in shown
    alone = pickle.loads(pickle.dumps(motion))._repr_html_()
    assert "<svg" in alone and "iframe" not in alone and {"rad", f"{motion['ground-bar.angle'].max():.6g}"} <= set(cells(alone))


# ---- the program ----


def test_pages_and_descriptions(pendulum, tmp_path):
    page = pendulum.report(tmp_path / "page.html", x={"stiffness": 50}, task="optimize")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html and "mbopt_scene" in page.html
    assert page._repr_html_().startswith("<iframe srcdoc=")
    assert pendulum.model()["tree"][0]["body"] == "bar" and "bar" in pendulum.model("text") and "<svg" in pendulum.model("svg")
    with pytest.raises(mbopt.InputError, match="format"):
        pendulum.model("pdf")


def test_sensitivities_over_time(linkage):
    s, x = linkage.sensitivities({"Ls1": 2.4}), linkage.design(linkage.start)
    assert s.names[:4] == ["t", "P2.position.x", "d P2.position.x/d Ls1", "d P2.position.x/d Ls2"] and s.units["P2.position.x"] == "m"
    h = 1e-6
    moved = [linkage.simulate({**x, "Ls1": 2.4 + d})["P2.position.x"] for d in (h, -h)]
    np.testing.assert_allclose(s["d P2.position.x/d Ls1"], (moved[0] - moved[1]) / (2 * h), atol=1e-7 * np.abs(s["d P2.position.x/d Ls1"]).max())
    assert s.case == "swing" and s.design["Ls1"] == 2.4


def test_studies_of_the_program(pendulum, tmp_path):
    starts = pendulum.multistart(starts=2, jobs=2, folder=tmp_path / "study")
    assert starts.runs == 2 and set(starts["status"]) == {"CONVERGED"}
    assert "mbopt" in mbopt.page(tmp_path / "study").html
    table = pendulum.compare(["lbfgsb or nlopt:LD_SLSQP", "ipopt or nlopt:LD_MMA"], starts=1, max_evaluations=60)
    assert table.runs == 2 and np.all(np.isfinite(table["objective"]))
    with pytest.raises(mbopt.InputError, match="no_such_backend"):
        pendulum.compare(["no_such_backend"])


def test_files_to_begin_with(tmp_path):
    run = mbopt.new("quarter_car", tmp_path / "car")
    with mbopt.open(run) as p:
        assert p.variables
    robot = mbopt.import_urdf("problems/robot_arm/robot_arm.urdf", tmp_path / "robot")
    with mbopt.open(robot) as p:
        assert p.cases
    with pytest.raises(mbopt.InputError, match="is not known"):
        mbopt.new("quarter_cart", tmp_path)


def test_a_robot_as_a_model():
    """An imported arm, whose upper arm is lengthened by a scalar, falls in another way."""
    arm = mbopt.import_robot("problems/robot_arm/robot_arm.urdf", vary=["lengths", "masses"])
    assert arm["body", "forearm"]["mass"] == "4.8*forearm_density"
    start = {}
    for length in (1, 2):
        arm["scalars"]["joint_3_length"] = length * 0.44
        run = mbopt.Run(arm)
        run.case("fall", duration=1e-3, step=1e-3)
        with run.open() as p:
            start[length] = p.simulate()["joint_2.angle.acceleration"][0]
    assert abs(start[1]) > 1 and abs(start[2] - start[1]) > 0.1
    with pytest.raises(mbopt.InputError, match="did you mean 'lengths'"):
        mbopt.import_robot("problems/robot_arm/robot_arm.urdf", vary=["lenghts"])


def test_version():
    said = subprocess.run([os.environ["MBOPT"], "--version"], capture_output=True, text=True, check=True).stdout
    assert said.split()[1] == mbopt.__version__ and mbopt.program.run("--version") == said
    project = pathlib.Path("pyproject.toml")
    if project.exists():  # not beside an installed package
        assert f'version = "{mbopt.__version__}"' in project.read_text(encoding="utf-8")


def test_errors_name_objects():
    m = mbopt.Model("problems/pendulum/pendulum.ini", title="swing")
    run = mbopt.Run(m)
    run.case("drop", duration=1, step=1e-2)
    m["body", "bar"]["mass"] = -1
    with pytest.raises(mbopt.InputError, match=r"^model 'swing': \[body bar\] mass = -1: the value is -1, expected >= 0$"):
        run.open()
    m["body", "bar"]["mass"] = 1
    run.objective("o", of="barr.x", form="integral")
    with pytest.raises(mbopt.InputError, match=r"^run: \[objective o\] output 'barr.x'"):
        run.open()
