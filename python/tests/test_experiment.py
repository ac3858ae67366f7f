"""Experiments as numbers: from the root of the repository. MBOPT: the program."""

import numpy as np

import mbopt


def test_best_swing():
    """The closed form of problems/pendulum_excitation/README.md, to the order of the amplitude squared."""
    J, c, k = 0.4, 0.5, 0.5 * 9.81
    b = 2 * k * J - c**2
    s = (np.sqrt(b**2 + 12 * (J * k) ** 2) - b) / (2 * J**2)
    with mbopt.open("configs/pendulum_excitation.ini") as p:
        best = p.minimize()
        assert best.converged
        np.testing.assert_allclose(best.design["frequency"], np.sqrt(s), rtol=1e-5)
        np.testing.assert_allclose(best.design["amplitude"], np.sqrt(2e-4 / ((k - J * s) ** 2 + c**2 * s)), rtol=1e-4)


def test_gradient():
    """The gradient of an experiment against differences, in sections that Python writes."""
    settings = {"design.motion.last": 4, "experiment.rig.prior.moment": 0.02, "experiment.rig.of_interest": "inertia, damping"}
    with mbopt.open("configs/pendulum_motion.ini", settings) as p:
        x = np.array([0.3, -0.1, -0.25])
        f, g = p.value_and_gradient(x)
        h = 1e-4
        for i, e in enumerate(np.eye(3)):
            np.testing.assert_allclose(g[i], (p.value(x + h * e) - p.value(x - h * e)) / (2 * h), rtol=1e-6, atol=1e-6)
