"""Accelerations as a function over arrays."""

import pickle

import numpy as np
import pytest
from conftest import MODELS
from dalembert import RequestError, RunError, System
from scipy.integrate import solve_ivp


def states(system, count, seed=1):
    return np.random.default_rng(seed).normal(size=(len(system.states), count))


def test_vectorised_is_one_by_one(double):
    f, y = double.acceleration_function(), states(double, 50)
    together = f(0.0, y)
    assert together.shape == (2, 50)
    for k in range(50):
        at = dict(zip(double.states, y[:, k]))
        assert f(0.0, y[:, k]) == pytest.approx(together[:, k], abs=0)
        # Evaluation goes another way (no fused program), so digits may differ in the last places.
        assert double.evaluate(at).acceleration == pytest.approx(together[:, k], rel=1e-11, abs=1e-11)
    assert double.evaluate().constraint_matrix.shape == (0, 2)
    assert np.array_equal(f.rhs(0.0, y)[:2], y[2:])
    assert np.array_equal(f(0.0, np.asfortranarray(y)), together)
    assert np.array_equal(f(0.0, y[:, ::2]), together[:, ::2])
    assert f(0.0, np.empty((4, 0))).shape == (2, 0)


def test_time_may_be_an_array():
    f = System.from_text("coordinate x\nkinetic x'^2/2\nforce x = t^2").acceleration_function()
    assert f([1.0, 2.0, 3.0], np.zeros((2, 3))).tolist() == [[1.0, 4.0, 9.0]]
    assert f(5, [0, 0]).tolist() == [25.0]


def test_scipy_integrates_it(double):
    f = double.acceleration_function()
    start = list(double.initial.values())
    judge = solve_ivp(f.rhs, (0, 1), start, "DOP853", [1.0], vectorized=True, rtol=1e-11, atol=1e-11)
    assert double.simulate((0, 1), [1.0], rtol=1e-11).y == pytest.approx(judge.y, abs=1e-8)


def test_forces(pendulum):
    motion = pendulum.simulate((0, 2))
    forces = pendulum.acceleration_function().forces(motion.t, motion.y)
    assert -1.6 * forces.multipliers["rod"] == pytest.approx(motion["tension"], abs=1e-9)
    weight = np.array([[0.0], [-1.3 * 9.81]])
    assert 1.3 * forces.acceleration == pytest.approx(weight + forces.ideal, abs=1e-9)
    assert forces.inputs == {} and np.all(forces.control == 0)


def test_redundant_rows_and_quasi_velocities():
    for name in ("pendulum_redundant", "chaplygin_sleigh_quasi", "rolling_disk", "rough_incline"):
        system = System.from_file(MODELS / f"{name}.dal")
        start = np.array(list(system.initial.values()))
        now = system.evaluate(system.initial)
        assert system.acceleration(0.0, start) == pytest.approx(now.acceleration, rel=1e-11, abs=1e-11), name


def test_a_state_without_acceleration():
    system = System.from_text("coordinate x\nkinetic x^2*x'^2/2\npotential x")
    y = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    with pytest.raises(RunError, match="state number 1"):
        system.acceleration_function()(0.0, y)
    found = system.acceleration_function(errors="nan")(0.0, y)
    assert np.isnan(found[0, 1]) and np.isfinite(found[0, [0, 2]]).all()


def test_what_is_refused(double):
    f = double.acceleration_function()
    for t, y in (
        (0, np.zeros(3)),
        (0, np.zeros((2, 4))),
        (0, np.zeros((4, 2, 2))),
        ([0, 1, 2], np.zeros((4, 2))),
    ):
        with pytest.raises(RequestError, match="shape"):
            f(t, y)
    with pytest.raises(RequestError, match="errors"):
        double.acceleration_function(errors="ignore")
    assert np.isnan(double.acceleration_function(errors="nan")(0, np.full(4, np.inf))).all()


def test_it_can_be_pickled(double):
    f, y = double.acceleration_function(), states(double, 3)
    assert np.array_equal(pickle.loads(pickle.dumps(f))(0.0, y), f(0.0, y))


def test_derivatives_against_differences(pendulum):
    f, y, h = pendulum.acceleration_function(), states(pendulum, 3), 1e-6
    found = f.derivatives(0.5, y)
    assert found.states == list(pendulum.states) and found.inputs == []
    assert found.rates == pytest.approx(f.rhs(0.5, y), rel=1e-12, abs=1e-12)
    for j in range(4):
        step = h * np.eye(4)[:, [j]]
        numeric = (f.rhs(0.5, y + step) - f.rhs(0.5, y - step)) / (2 * h)
        assert found.rates_by_state[:, j] == pytest.approx(numeric, rel=1e-6, abs=1e-6)
    for j, name in enumerate(found.parameters):
        value = pendulum.parameters[name]
        above, below = (pendulum.with_parameters({name: value + d}).acceleration_function() for d in (h, -h))
        numeric = (above.rhs(0.5, y) - below.rhs(0.5, y)) / (2 * h)
        assert found.rates_by_parameter[:, j] == pytest.approx(numeric, rel=1e-6, abs=1e-6)
    one = f.derivatives(0.5, y[:, 0])
    assert one.multipliers_by_state.shape == (1, 4)
    assert np.array_equal(one.rates_by_state, found.rates_by_state[:, :, 0])
