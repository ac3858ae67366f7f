"""Trajectories as differentiable functions: products against the Jacobian, motions, threads, copies, messages."""

import copy
import pickle
import threading

import numpy as np
import pytest

import mbopt

COLUMNS = ["P2.position", "J1.angle", "lam JB.coincident.x"]


@pytest.fixture
def five_bar():
    with mbopt.open("configs/five_bar.ini", {"case.swing.duration": 0.1}) as p:
        yield p


def test_values_are_those_of_the_motion(five_bar):
    y, motion = five_bar.trajectory(COLUMNS), five_bar.simulate()
    assert y.shape == (len(motion.t), 5) and y.times is None
    assert y.names[:4] == ["P2.position.x", "P2.position.y", "P2.position.z", "J1.angle"]
    table = np.stack([motion[name] for name in y.names[:4] + ["lam JB.coincident.x"]], axis=1)
    assert np.allclose(y(), table, rtol=1e-9, atol=1e-9)
    undetermined = five_bar.trajectory("lam JB.perpendicular.PxCz")
    undetermined()
    assert "JB.perpendicular.PxCz.multiplier" in undetermined.warnings[0] and y.warnings == []


def test_motions_do_not_depend_on_calls_before(five_bar):
    names = ["P2.position.y", "J1.angle.rate"]
    first = five_bar.simulate().table
    five_bar.value()
    again = five_bar.simulate()
    assert np.array_equal(again.table, first)
    assert np.array_equal(five_bar.trajectory(names)(), np.stack([again[name] for name in names], axis=1))


def test_products(five_bar):
    random = np.random.default_rng(1)
    for times in (None, [0.03, 0.1, 0.0, 0.031]):
        y = five_bar.trajectory(COLUMNS, times=times)
        x, d = five_bar.start * 1.05, random.normal(size=2)
        w = random.normal(size=y.shape)
        J = y.jacobian(x)
        assert np.allclose(y.jvp(d, x), J @ d, rtol=0, atol=1e-9 * np.abs(J).max())
        assert np.allclose(y.vjp(w, x), np.tensordot(w, J, 2), rtol=1e-10)
        h = 1e-5
        assert np.allclose(y.second(w, d, x), (y.vjp(w, x + h * d) - y.vjp(w, x - h * d)) / (2 * h), rtol=1e-6)


def test_motions_have_products(five_bar):
    motion = five_bar.simulate({"Ls1": 2.5})
    change = motion.jvp([1.0, 0.0])
    assert "t" not in change and set(change) == set(motion) - {"t"}
    h, y = 1e-5, "P2.position.y"
    moved = [five_bar.simulate({"Ls1": 2.5 + s * h})[y] for s in (1, -1)]
    assert np.allclose(change[y], (moved[0] - moved[1]) / (2 * h), atol=1e-7)
    g = motion.vjp({y: np.ones(len(motion.t)), "J1.angle": motion["J1.angle"]})
    assert np.isclose(g[0], change[y].sum() + change["J1.angle"] @ motion["J1.angle"], rtol=1e-9)
    with pytest.raises(KeyError, match="column 'P2.position.w' is not known"):
        motion.vjp({"P2.position.w": np.ones(len(motion.t))})
    with pytest.raises(ValueError, match="came without its problem"):
        pickle.loads(pickle.dumps(motion)).jvp([1.0, 0.0])


def test_quantities():
    with mbopt.open("configs/com_placement.ini", {"case.lane_change.duration": 3}) as p:
        J, random = p.gradients(), np.random.default_rng(2)
        d, w = random.normal(size=J.shape[1]), random.normal(size=J.shape[0])
        assert np.allclose(p.jvp(d), J @ d, rtol=1e-9) and np.allclose(p.vjp(w), w @ J, rtol=1e-9)
        name = p.quantities[0]
        assert np.allclose(p.vjp({name: 2.0}), 2 * J[0], rtol=1e-9)
        h = 1e-5
        assert np.allclose(p.second(w, d), (p.vjp(w, p.start + h * d) - p.vjp(w, p.start - h * d)) / (2 * h), rtol=1e-5, atol=1e-9)
        with pytest.raises(mbopt.InputError, match="'no' is no quantity, expected one of"):
            p.vjp({"no": 1.0})


def test_threads_have_simulations_of_their_own(five_bar):
    y, designs = five_bar.trajectory("P2.position"), [five_bar.start * (1 + 0.01 * i) for i in range(8)]
    found = [None] * len(designs)

    def run(i):
        found[i] = y.vjp(y(designs[i]), designs[i])

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(designs))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for x, g in zip(designs, found):
        assert np.array_equal(g, y.vjp(y(x), x))


def test_batches(five_bar):
    y = five_bar.trajectory("P2.position", times=[0.05])
    X = [five_bar.start, five_bar.start * 1.02, [np.nan, 1]]
    batch = y.batch(X)
    assert batch.shape == (3, 1, 3) and np.isnan(batch[2]).all()
    assert all(np.array_equal(batch[i], y(X[i])) for i in range(2))


def test_curves_are_arrays():
    with mbopt.open("configs/two_link_arm_minimum_time.ini") as p:
        torque = np.linspace(1, -1, 21)
        x = p._design({"T": 1.1, "shoulder": torque})
        assert np.array_equal(x[1:22], torque) and x[0] == 1.1 and np.array_equal(x[22:], p.start[22:])
        motion = p.simulate({"shoulder": torque, "elbow": 0.5})
        assert np.isclose(motion["shoulder_motor.force"][0], 1) and np.isclose(motion["elbow_motor.force"][50], 0.5)
        with pytest.raises(mbopt.InputError, match=r"'shoulder' has 21 variables, found an array of shape \(3,\)"):
            p.value({"shoulder": [1, 2, 3]})


def test_copies(five_bar):
    y = five_bar.trajectory("P2.position", times=[0.05])
    for other in (copy.copy(y), copy.deepcopy(y), pickle.loads(pickle.dumps(y))):
        assert np.array_equal(other(), y()) and other.names == y.names


def test_messages(five_bar):
    with mbopt.open("configs/suspension_two_cases.ini") as p:
        with pytest.raises(mbopt.InputError, match="there are 2 load cases, expected case= and one of"):
            p.trajectory("body.acceleration.z")
    with pytest.raises(mbopt.InputError, match="a column of case 'swing'.*has no quantity 'positoin'"):
        five_bar.trajectory("P2.positoin")
    with pytest.raises(mbopt.InputError, match="0.3 s lies outside of the case, which lasts from 0 to 0.1 s"):
        five_bar.trajectory("P2.position", times=[0.3])
    with pytest.raises(mbopt.InputError, match=r"times of shape \(1, 2\), expected one row"):
        five_bar.trajectory("P2.position", times=[[0.1, 0.2]])
    y = five_bar.trajectory("P2.position", times=[0.05])
    with pytest.raises(mbopt.InputError, match=r"weights of shape \(3,\), expected \(1, 3\)"):
        y.vjp([1, 1, 1])
    with pytest.raises(mbopt.InputError, match="the weight of column 'P2.position.y' at sample 0 is nan"):
        y.vjp([[1, np.nan, 1]])
    with pytest.raises(mbopt.InputError, match=r"the direction has shape \(3,\), expected \(2,\)"):
        y.jvp([1, 1, 1])
    five_bar.close()
    with pytest.raises(ValueError, match="the problem is closed"):
        y()
