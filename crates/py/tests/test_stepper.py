"""Steps for a loop of one's own, and signals for inputs."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import dalembert as da

CART = """
parameter M = 2, m = 0.5, l = 0.8, g = 9.81
input u = 0
coordinate x, theta
let P = [x + l*sin(theta), l*cos(theta)]
kinetic M/2*x'^2 + m/2*dot(P', P')
potential m*g*P.y
force x = u
initial theta = 0.3
simulate until 1 every 0.02
"""


@pytest.fixture(scope="module")
def cart() -> da.System:
    return da.System(CART)


def test_steps_are_a_run_with_held_inputs(cart: da.System) -> None:
    stepper = cart.stepper(0.02, method="dop853")
    y = stepper.reset()
    forces = np.sin(np.arange(50))
    for u in forces:
        y = stepper.step(u)
    times = 0.02 * np.arange(50)
    motion = cart.simulate(1.0, every=0.02, inputs={"u": (times, forces)}, interpolate="step")
    assert stepper.t == pytest.approx(1.0)
    np.testing.assert_allclose(y, motion.y[:, -1], atol=1e-8)


def test_many_systems_at_once(cart: da.System) -> None:
    many, one = cart.stepper(0.05), cart.stepper(0.05)
    starts = np.random.default_rng(1).normal(size=(7, 4))
    many.reset(starts)
    for k in range(5):
        many.step(np.arange(7.0) - k)
    states = many.step()  # each under its own last input
    for i, start in enumerate(starts):
        one.reset(start)
        for k in range(5):
            one.step(float(i - k))
        y = one.step()
        np.testing.assert_array_equal(y, states[i])


def test_a_reset_forgets_the_inputs(cart: da.System) -> None:
    stepper = cart.stepper(0.05)
    first = stepper.reset(), stepper.step()
    stepper.step(5.0)
    np.testing.assert_array_equal(first, (stepper.reset(), stepper.step()))


def test_constraints_hold_after_each_step(pendulum: da.System) -> None:
    stepper = pendulum.stepper(0.05, substeps=2)
    y = stepper.reset()
    for _ in range(20):
        y = stepper.step()
        assert abs(np.hypot(y[0], y[1]) - 0.8) < 1e-12
    np.testing.assert_allclose(y, pendulum.simulate(1.0, rtol=1e-11).y[:, -1], atol=1e-4)


def test_other_inputs_keep_their_values_in_si() -> None:
    pushed = da.System("""
    parameter m = 1 {kg}
    input u = 0 {N}, f = 2 {kN}
    coordinate x {m}
    kinetic m*x'^2/2
    force x = u + f
    """)
    motion = pushed.simulate(1.0, every=0.1, inputs={"u": lambda t, y: y[0] / 10})
    # x'' = 2000 + x/10, but for what is held over a tenth of a second.
    assert motion["x"][-1] == pytest.approx(20000 * (np.cosh(np.sqrt(0.1)) - 1), rel=5e-3)


def test_a_function_of_time_and_state_as_an_input(cart: da.System) -> None:
    def push(t: float, y: Any) -> float:
        return float(40 * y[1] + 8 * y[3] + 2 * y[0] + 3 * y[2])

    motion = cart.simulate(1.0, every=0.01, inputs={"u": push})
    law = cart.simulate(1.0, every=0.01, inputs={"u": "40*theta + 8*theta' + 2*x + 3*x'"})
    assert abs(motion["theta"][-1] - law["theta"][-1]) < 0.05
    number = cart.simulate(1.0, inputs={"u": 2})
    assert number["x"][-1] > cart.simulate(1.0)["x"][-1]


def test_events_and_discrete_values() -> None:
    ball = da.System(
        "coordinate y\ndiscrete n = 0\nkinetic y'^2/2\npotential 9.81*y\n"
        "event hit: y falling do y' = -0.8*y', n = n + 1\ninitial y = 1"
    )
    stepper = ball.stepper(0.1)
    stepper.reset()
    names = []
    for _ in range(12):
        stepper.step()
        names += [event.name for event in stepper.events]
    assert names == ["hit", "hit"]
    motion = ball.simulate(1.2)
    assert motion.y.shape[0] == len(ball.states)
    np.testing.assert_array_equal(motion.y[ball.states.index("n")], motion["n"])
    assert motion["n"][-1] == 2


def test_refusals(cart: da.System) -> None:
    with pytest.raises(da.DalembertError):
        cart.simulate(1.0, inputs={"v": 2})
    with pytest.raises(da.RequestError):
        cart.simulate(1.0, inputs={"u": [1, 2, 3]})
    with pytest.raises(da.RequestError):
        cart.simulate(1.0, inputs={"u": lambda t, y: 0.0})
    with pytest.raises(da.DalembertError):
        cart.stepper(0.1, method="radau")
    with pytest.raises(da.RequestError):
        cart.stepper(0.1).reset([1, 2, 3])
    with pytest.raises(da.RequestError, match="finite"):
        cart.stepper(0.1).reset([0, float("nan"), 0, 0])
    assert cart.signals == ("u",)


def test_a_system_with_signals_travels() -> None:
    given = da.System(CART, inputs={"u": 2})
    again = pickle.loads(pickle.dumps(given))
    np.testing.assert_array_equal(again.simulate(1.0)["x"], given.simulate(1.0)["x"])


def test_the_cost_of_a_step_is_measured():
    """Shown, not judged: the machine may be busy. A release build needs less than 10 us."""
    import step_cost

    cost, peer = step_cost.ours(), step_cost.mujoco("RK4")
    print(f"a step {cost:.1f} us" + ("" if peer is None else f", mj_step {peer:.1f} us"))
    assert cost > 0


def test_a_function_as_an_input_sees_the_motion_itself():
    """About an unstable equilibrium inputs that were recorded elsewhere would be useless after a few seconds."""
    import step_cost

    pole = da.System.from_text(step_cost.POLE)
    gain = np.array([1.0, 60.0, 3.0, 15.0])
    seen = []

    def control(t, y):
        seen.append((t, y.copy()))
        return gain @ y

    motion = pole.simulate(6, every=0.1, initial={"theta": 0.05}, inputs={"u": control}, rtol=1e-7)
    last = {round(t, 9): y for t, y in seen}
    for t, y in zip(motion.t, motion.y.T):
        assert np.allclose(last[round(t, 9)], y, atol=2e-5)
    assert np.abs(motion.y[:, -1]).max() < np.abs(motion.y).max()
