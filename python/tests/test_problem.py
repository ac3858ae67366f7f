"""The package against the program and the referees. MBOPT: the program; run from the root of the repository."""

import copy
import csv
import gc
import os
import select
import signal
import subprocess
import threading
import time
import weakref

import numpy as np
import pytest

import mbopt
from conftest import SHORT
from mbopt._library import library


@pytest.fixture
def pendulum():
    with mbopt.open("configs/pendulum.ini") as p:
        yield p


def test_names(linkage):
    assert linkage.variables == ["Ls1", "Ls2"]
    assert linkage.quantities == linkage.objectives == ["psi1"]
    assert linkage.constraints == [] and linkage.cases == ["swing"]
    assert np.all(linkage.lower == 0.5) and np.all(linkage.upper == 4)
    assert "five_bar.ini" in repr(linkage)


def test_gradient(linkage):
    x = 1.05 * linkage.start
    f, g = linkage.value_and_gradient(x)
    assert f == linkage.value(x)
    assert linkage.values(x)["psi1"] == linkage.value(x)
    assert np.all(g != 0)
    h = 1e-6
    for j, e in enumerate(np.eye(2)):
        assert g[j] == pytest.approx((linkage.value(x + h * e) - linkage.value(x - h * e)) / (2 * h), rel=1e-7)
    agreement = linkage.check(x)
    assert agreement.right and 0 < agreement.deviation["psi1"] < 1e-10
    assert not linkage.check(x, methods=("discrete_adjoint", "central_differences"), tolerance=1e-15).right


def test_design_by_names(linkage):
    x = linkage.start.copy()
    x[1] = 1.9
    assert linkage.value({"Ls2": 1.9}) == linkage.value(x) != linkage.value()
    assert linkage.design(x) == {"Ls1": linkage.start[0], "Ls2": 1.9}
    with pytest.raises(mbopt.InputError, match="'Ls3' is no design variable"):
        linkage.value({"Ls3": 1})
    with pytest.raises(mbopt.InputError, match=r"shape \(3,\), expected \(2,\)"):
        linkage.value([1, 2, 3])


def test_second_derivatives(linkage):
    H, h = linkage.hessian(), 1e-5
    differences = [
        (linkage.gradient(linkage.start + h * e) - linkage.gradient(linkage.start - h * e)) / (2 * h) for e in np.eye(2)
    ]
    np.testing.assert_allclose(H, differences, rtol=1e-6)
    np.testing.assert_allclose(linkage.hessian_product([2, -1]), H @ [2, -1], rtol=1e-10)
    with pytest.raises(mbopt.InputError, match=r"shape \(3,\), expected \(2,\)"):
        linkage.hessian_product([1, 2, 3])
    N = linkage.gauss_newton()
    assert np.all(np.linalg.eigvalsh(N) > 0) and not np.allclose(N, H, rtol=1e-3)


def test_motion_is_that_of_the_program(linkage, tmp_path):
    settings = [word for key, value in SHORT.items() for word in ("--set", f"{key}={value}")]
    program = [os.environ["MBOPT"], "simulate", "configs/five_bar.ini", "--quiet", "--output", str(tmp_path), *settings]
    subprocess.run(program, check=True)
    with open(tmp_path / "trajectory.csv", newline="") as table:
        rows = list(csv.reader(table))
    motion = linkage.simulate()
    assert [f"{name} [{unit}]" for name, unit in motion.units.items()] == rows[0]
    np.testing.assert_array_equal(motion.table, np.array(rows[1:], dtype=float))
    assert len(motion) == len(rows[0]) and motion.t[-1] == 0.2


def test_motion_outlives_the_problem():
    p = mbopt.open("configs/five_bar.ini", SHORT)
    y = p.simulate()["P2.position.y"]
    p.close()
    assert not y.flags.owndata
    assert y[0] == pytest.approx(-2, abs=1e-12)
    with pytest.raises(KeyError, match="is 'P2.position.y' meant"):
        mbopt.open("configs/five_bar.ini", SHORT).simulate()["P2.positon.y"]
    with pytest.raises(ValueError, match="closed"):
        p.value()


def test_linearize(pendulum):
    modes = pendulum.linearize()
    assert modes.coordinates == ["ground-bar.angle"]
    np.testing.assert_allclose(modes.A, [[0, 1], [-7.5, -0.3]], rtol=1e-12)
    np.testing.assert_allclose(np.sort_complex(modes.eigenvalues), np.sort_complex(np.linalg.eigvals(modes.A)))


def test_change(pendulum):
    before = pendulum.value()
    with pytest.raises(mbopt.InputError, match="'stiffness'"):
        pendulum.change({"scalars.stifness": 5})
    assert pendulum.value() == before
    pendulum.change({"design.stiffness.start": 50.0})
    assert pendulum.start[0] == 50 and pendulum.value() != before


def test_errors():
    with pytest.raises(OSError, match="no_such_file.ini"):
        mbopt.open("no_such_file.ini")
    with pytest.raises(mbopt.InputError, match="swing") as raised:
        mbopt.open("configs/five_bar.ini", {"case.swing.steps": 5})
    assert isinstance(raised.value, ValueError) and raised.value.status == "MBD_BAD_INPUT"
    with pytest.raises(mbopt.InputError, match="dict or a list"):
        mbopt.open("configs/five_bar.ini", "case.swing.step=5")
    with mbopt.open("configs/five_bar_gradient.ini") as p, pytest.raises(mbopt.SimulationError, match="loop") as raised:
        p.value({"LA1": 10})
    assert raised.value.status == "MBD_NO_ASSEMBLY"


def test_minimize(linkage):
    told = []
    optimum = linkage.minimize(callback=told.append)
    assert optimum.converged and optimum.objective < 1e-14 < optimum.objective_at_start
    assert optimum.design["Ls1"] == optimum.x[0] == pytest.approx(2.43192357, rel=1e-6)
    assert [it.iteration for it in told] == list(range(optimum.iterations + 1))
    assert told[-1].objective == optimum.objective
    few = linkage.minimize({"optimizer.max_iterations": 1})
    assert few.status == "STOPPED_LIMIT" and few.iterations == 1


STEER = "tests/unit/mechanism/steer/force.ini"


@pytest.mark.skipif(not os.path.exists(STEER), reason="a file of the sources' tests, which packages do not have")
def test_limits_are_met_by_true_values():
    with mbopt.open(STEER, {"constraint.rod_force.sharpness": 0.005}) as p:
        best = p.minimize()
        true = p.true_values(best.x)
        assert best.converged and best.stages == 2 and best.violation == 0
        assert 6997 < true["rod_force"] <= 7000
        assert p.values(best.x)["rod_force"] < 6000 and p.values(best.x)["error"] == true["error"]


def test_callback_that_raises(linkage):
    def no(iteration):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        linkage.minimize(callback=no)
    assert linkage.minimize().converged


def descent(ask):
    """Newton's method by products with second derivatives."""
    x = ask.start
    for number in range(1, 20):
        at = ask.evaluate(x)
        assert at.c.shape == (0,) and at.J.shape == (0, 2)
        H = np.array([ask.hessian_product(x, e) for e in np.eye(2)])
        step = np.linalg.solve(H, -at.g)
        x = np.clip(x + step, ask.lower, ask.upper)
        ask.iteration(number, f=at.f, step=float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            return "converged", "a short step"
    return "stalled"


def test_optimizer_of_ones_own(linkage, tmp_path):
    told = []
    optimum = linkage.minimize(optimizer=descent, callback=told.append)
    assert optimum.converged and optimum.text == "converged (command: a short step)"
    assert optimum.x == pytest.approx(linkage.minimize().x, abs=1e-7)
    assert optimum.iterations == len(told) == len(optimum.history)
    # a product is a column of the matrix; the Gauss-Newton matrix is another one
    products = []

    def look(ask):
        products.extend([ask.hessian_product(ask.start, [0, 1]), ask.gauss_newton_product(ask.start, [0, 1])])
        with pytest.raises(mbopt.SimulationError, match="outside of its bounds"):
            ask.evaluate(ask.upper + 1)
        with pytest.raises(mbopt.InputError, match="of shape"):
            ask.evaluate([1.0])
        return "failed", "no wish to go on"

    assert linkage.minimize(optimizer=look).status == "FAILED"
    assert products[0] == pytest.approx(linkage.hessian()[1], rel=1e-9)
    assert products[1] == pytest.approx(linkage.gauss_newton()[1], rel=1e-9)
    # errors and limits
    with pytest.raises(ZeroDivisionError):
        linkage.minimize(optimizer=lambda ask: 1 / 0)
    with pytest.raises(mbopt.InputError, match="is 'converged' meant"):
        linkage.minimize(optimizer=lambda ask: "convergd")
    with pytest.raises(RuntimeError, match="asks by its argument"):
        linkage.minimize(optimizer=lambda ask: linkage.value())
    limited = linkage.reopen({"optimizer.max_evaluations": 3})
    assert limited.minimize(optimizer=descent).status == "STOPPED_LIMIT"
    # a journal: the same designs are not simulated again
    journal = tmp_path / "journal.jsonl"
    first = limited.minimize(optimizer=descent, journal=journal)
    again = linkage.minimize(optimizer=descent, journal=journal)
    assert first.evaluations == 3 and again.converged
    assert again.evaluations == optimum.evaluations - 3 and again.objective == optimum.objective


def test_optimizer_sees_constraints(pendulum):
    seen = []

    def look(ask):
        seen.append(ask.evaluate(ask.start))
        seen.append(ask.evaluate(ask.start, gradient=False))
        seen.append(ask.hessian_product(ask.start, [1, 0], multipliers=[2], objective=0))
        return "stalled"

    pendulum.minimize(optimizer=look)
    f, g, c, J = pendulum._evaluate(pendulum.start)
    assert seen[0].f == f and (seen[0].c == c).all() and (seen[0].g == g).all() and (seen[0].J == J).all()
    assert seen[1].f == f and seen[1].g is None and seen[1].J is None
    assert seen[2] == pytest.approx(2 * pendulum.hessians()[1][0], rel=1e-9)


def test_commands_have_to_be_allowed(tmp_path):
    program = tmp_path / "program.sh"
    program.write_text("read -r problem\necho '{\"done\": \"stalled\", \"message\": \"it ran\"}'\n")
    p = mbopt.open("configs/five_bar.ini", {"optimizer.backend": "command", "optimizer.command": f"sh {program}"})
    with pytest.raises(mbopt.Error, match="the program is not started"):
        p.minimize()
    mbopt.allow_commands()
    assert "it ran" in p.minimize().text
    mbopt.allow_commands(False)



def test_scipy_finds_the_optimum(linkage, pendulum):
    from scipy.optimize import minimize

    result = minimize(method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10}, **linkage.scipy(scaled=True))
    np.testing.assert_allclose(result.x * linkage.scale, [2.43192357, 1.84486889], rtol=1e-5)
    result, ours = minimize(method="SLSQP", **pendulum.scipy(scaled=True)), pendulum.minimize()
    assert result.success and result.fun == pytest.approx(ours.objective, rel=1e-6)
    assert pendulum.values(result.x * pendulum.scale)["tip_speed"] <= 0.05 + 1e-6


def test_scipy_with_second_derivatives(linkage, pendulum):
    from scipy.optimize import minimize

    result = minimize(method="trust-exact", options={"gtol": 1e-9}, **{**linkage.scipy(hessian=True), "bounds": None})
    np.testing.assert_allclose(result.x, [2.43192357, 1.84486889], rtol=1e-6)
    assert result.nhev < 20
    ours = pendulum.minimize()
    problem = pendulum.scipy(scaled=True, hessian=True)
    result = minimize(method="trust-constr", options={"gtol": 1e-9}, **problem)
    assert result.fun == pytest.approx(ours.objective, rel=1e-6)
    constraint, y, h = problem["constraints"][0], 1.1 * problem["x0"], 1e-5
    moved = [(constraint.jac(y + h * e)[0] - constraint.jac(y - h * e)[0]) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(constraint.hess(y, [3.0]), 3 * np.array(moved), rtol=1e-5, atol=1e-5)


def test_scipy_least_squares(linkage, pendulum):
    from scipy.optimize import least_squares

    x = 1.1 * linkage.start
    p = linkage.scipy_least_squares()
    r, J = p["fun"](x), p["jac"](x)
    assert r.shape == (3,) and r @ r / 2 == pytest.approx(linkage.value(x), rel=1e-9)
    np.testing.assert_allclose(J.T @ r, linkage.gradient(x), rtol=1e-9)
    np.testing.assert_allclose(J.T @ J, linkage.gauss_newton(x), rtol=1e-9)
    result = least_squares(**linkage.scipy_least_squares(scaled=True), gtol=1e-12)
    np.testing.assert_allclose(result.x * linkage.scale, [2.43192357, 1.84486889], rtol=1e-6)
    assert result.nfev < 10
    with pytest.raises(mbopt.InputError, match="takes no constraints.*tip_speed"):
        pendulum.scipy_least_squares()


@pytest.mark.skipif(not os.environ.get("MBOPT_LONG"), reason="takes a minute")
def test_scipy_finds_the_optimum_of_the_buggy():
    from scipy.optimize import minimize

    with mbopt.open("configs/step_descent.ini") as p:
        ours = p.minimize()
        theirs = minimize(method="trust-constr", **p.scipy())
    assert theirs.fun == pytest.approx(ours.objective, rel=1e-7)


def test_threads():
    def work(results, i):
        with mbopt.open("configs/five_bar.ini", SHORT, threads=1) as p:
            results[i] = [p.gradient(p.start * (1 + 0.01 * i)) for _ in range(3)][-1]

    alone, beside = [None] * 2, [None] * 2
    for i in range(2):
        work(alone, i)
    threads = [threading.Thread(target=work, args=(beside, i)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, beside):
        np.testing.assert_array_equal(one, other)


def in_child(work):
    """What `work` returns or raises, as text, in a child that os.fork makes."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = repr(work())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        ready = select.select([answer], [], [], 60)[0]
        if not ready:
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return answer.read()


def test_forks(linkage):
    """A child has problems of its own, whether the parent has called them or not, and closing them takes nothing from the parent."""
    assert in_child(linkage.value) == repr(linkage.value())
    x = 1.05 * linkage.start
    assert in_child(lambda: linkage.value_and_gradient(x)[0]) == repr(linkage.value_and_gradient(x)[0])
    m = mbopt.Model()
    m.body("b", mass=1, com="0, 0, 0", inertia="1, 1, 1")
    m.start(hold={"b.x": 0})
    run = mbopt.Run(m)
    run.case("c", duration=0.1, step=0.1)
    with run.open() as p:
        assert in_child(p.close) == "None"
        p.change({"case.c.step": 0.05})
        assert len(p.simulate().t) == 3


def test_collected_while_threads_start():
    """A problem in a cycle ends wherever garbage is collected: here with a lock held under which threads start and end."""

    def work():
        p = mbopt.open("configs/pendulum.ini", {"case.drop.duration": 0.02}, threads=1)
        p.itself, gone = p, weakref.ref(p)
        number = p.value()
        del p
        with getattr(threading, "_shutdown_locks_lock", threading.Lock()):  # until Python 3.12
            gc.collect()
        return np.isfinite(number) and gone() is None

    assert in_child(work) == "True"


def test_fork_during_a_call(linkage):
    """A child that is made while another thread computes has that call halfway, and says so."""
    with linkage._lock:
        told = []
        thread = threading.Thread(target=lambda: told.append(in_child(linkage.value)))
        thread.start()
        thread.join()
    assert told[0].startswith("RuntimeError: the process was forked during a call of this problem")
    assert np.isfinite(linkage.value())


def test_what_the_file_says_is_constant(linkage):
    for numbers in (linkage.start, linkage.lower, linkage.upper, linkage.scale):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 7
    x = linkage.start
    with pytest.raises(ValueError, match="read-only"):
        x -= 1
    for free in (linkage.start.copy(), 2 * linkage.start, linkage.scipy()["x0"]):
        free[0] = 7


def test_scipy_at_a_design_that_cannot_be_simulated():
    with mbopt.open("configs/five_bar_gradient.ini") as p:
        with pytest.raises(mbopt.SimulationError, match=r"SciPy asks for the design {'.*'LA1': 10\.0.*}, which cannot be simulated, and does not step back") as raised:
            x = p.start.copy()
            x[p.variables.index("LA1")] = 10
            p.scipy()["fun"](x)
    assert raised.value.status == "MBD_NO_ASSEMBLY" and "or Problem.minimize: " in str(raised.value)


def test_standard_errors_of_least_squares():
    """The formula of the docstring, against those of `fit`, at the start."""
    settings = {"measurement.loaded.hold_out": False, "measurement.free_rate.loss": "square", "fit.noise": "given"}
    with mbopt.open("configs/measured_bar.ini", settings) as p:
        J = p.scipy_least_squares()["jac"](p.start)
        np.testing.assert_allclose(np.sqrt(2 * np.diag(np.linalg.inv(J.T @ J))), p.fit(x=p.start).deviation, rtol=1e-6)


def resident():
    """Bytes of memory that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_does_not_grow():
    """Problems that are opened, evaluated, simulated and closed, in the main thread and in another, leave nothing (a mebibyte is for arenas)."""
    many = 100000 if os.environ.get("MBOPT_LONG") else 100

    def work(times):
        for _ in range(times):
            with mbopt.open("configs/pendulum.ini", {"case.drop.duration": 0.02}, threads=1) as p:
                p.simulate()["ground-bar.angle"]
                p.gradient()

    def everywhere(times):
        thread = threading.Thread(target=work, args=(times // 2,))
        thread.start()
        thread.join()
        work(times - times // 2)

    everywhere(100)
    before = resident()
    everywhere(many)
    grown = resident() - before
    print(f"{many} problems: {grown / 1024:.0f} KiB more than before")
    assert grown <= 1024**2 + 4 * many


def test_memory_of_calls_does_not_grow():
    """Calls of one problem, its copies and results leave nothing; behind MBOPT_LONG 100000 times."""
    many = 100000 if os.environ.get("MBOPT_LONG") else 200

    def work(p, times):
        for i in range(times):
            x = p.start * (1 + 1e-3 * (i % 7))
            p.value(x), p.value_and_gradient(x), p.gauss_newton(x), p.residuals_and_jacobian(x)
            if i % 10 == 0:
                copy.copy(p).close()
                p.fit(x=x), p.simulate(x), p.linearize(x), p.hessian_product([1, 2], x)
                with pytest.raises(mbopt.InputError):
                    p.value([1])

    run = mbopt.Run("problems/pendulum/pendulum.ini")
    run.case("drop", duration=0.05, step=5e-3)
    run.measurement("angle", (np.linspace(0, 0.05, 11), np.linspace(0, 0.02, 11)), of="ground-bar.angle", sigma=0.01)
    for name in ("stiffness", "damping"):
        run.design(name, lower=0, upper=100)
    with run.open(threads=1) as p:
        work(p, 50)
        before = resident()
        work(p, many)
        grown = resident() - before
    print(f"{many} rounds of calls: {grown / 1024:.0f} KiB more than before")
    assert grown <= 1024**2 + 4 * many


def test_closed_once(monkeypatch):
    """Also where Ctrl-C comes just after the problem was closed."""
    closed = []

    class Interrupted:
        def mbo_run_close(self, handle):
            closed.append(handle.value)
            raise KeyboardInterrupt

        def __getattr__(self, name):
            return getattr(library, name)

    p = mbopt.open("configs/pendulum.ini")
    monkeypatch.setattr("mbopt.problem.library", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        p.close()
    del p
    gc.collect()
    assert len(closed) == 1
    library.mbo_run_close(closed[0])


def test_interrupts_at_any_moment():
    """Ctrl-C between any two lines of a call leaves nothing locked, and no answer for the next call."""

    def work():
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        with mbopt.open("configs/pendulum.ini", {"case.drop.duration": 0.02}, threads=1) as p:
            right, wrong = p.value(), 0
            for i in range(300):
                try:
                    signal.setitimer(signal.ITIMER_REAL, 1e-5 + 7e-6 * i)
                    while True:
                        wrong += p.value() != right
                except KeyboardInterrupt:
                    wrong += p.value() != right
        return wrong

    assert in_child(work) == "0"


def test_interrupt():
    """Ctrl-C ends a motion of a day within the time step at hand; then the problem goes on."""
    with mbopt.open("configs/pendulum.ini", {"case.drop.duration": 86400, "case.drop.step": 1e-3}) as p:
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            p.value()
        ended = time.monotonic() - begun
        p.change({"case.drop.duration": 0.1})
        assert np.isfinite(p.value())
    assert ended < 60
