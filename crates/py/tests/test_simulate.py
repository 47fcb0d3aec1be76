"""Motions, judged by SciPy on right-hand sides written by hand."""

import numpy as np
import pytest
from conftest import CART
from dalembert import Event, RequestError, RunError, System
from scipy.integrate import solve_ivp

G = 9.81


def double_pendulum(t, y):
    """Two unit masses on unit rods, angles from the vertical, solved for the accelerations by hand."""
    a, b, u, v = y
    c, s = np.cos(a - b), np.sin(a - b)
    p = -s * v**2 - 2 * G * np.sin(a)
    q = s * u**2 - G * np.sin(b)
    return [u, v, (p - c * q) / (2 - c**2), (2 * q - c * p) / (2 - c**2)]


def test_double_pendulum_against_scipy(double):
    times = np.linspace(0, 3, 31)
    judge = solve_ivp(
        double_pendulum, (0, 3), [np.pi / 2, np.pi / 2, 0, 0], "DOP853", times, rtol=1e-12, atol=1e-12
    )
    motion = double.simulate((0, 3), times, rtol=1e-12, atol=1e-12)
    assert motion.success and motion.status == 0
    assert np.array_equal(motion.t, times)
    # Both are right to about 1e-11 over three seconds; their difference is no larger than either error.
    assert np.max(np.abs(motion.y - judge.y)) < 1e-9


def test_constrained_pendulum_against_the_reduced_equation(pendulum):
    times = np.linspace(0, 4, 21)
    angle0 = np.arctan2(0.6, np.sqrt(0.8**2 - 0.6**2))
    judge = solve_ivp(
        lambda t, y: [y[1], -G / 0.8 * np.sin(y[0])],
        (0, 4),
        [angle0, 0],
        "DOP853",
        times,
        rtol=1e-12,
        atol=1e-13,
    )
    motion = pendulum.simulate((0, 4), times, rtol=1e-12)
    assert motion["x"] == pytest.approx(0.8 * np.sin(judge.y[0]), abs=1e-9)
    tension = 1.3 * (G * np.cos(judge.y[0]) + 0.8 * judge.y[1] ** 2)
    assert motion.outputs["tension"] == pytest.approx(tension, abs=1e-7)
    assert np.max(np.abs(motion["x"] ** 2 + motion["y"] ** 2 - 0.64)) < 1e-14
    assert motion.energy.deviation < 1e-9 and motion.energy.start == pytest.approx(motion["E"][0])


def test_habits_of_solve_ivp(pendulum):
    motion = pendulum.simulate((0, 1), np.linspace(0, 1, 11), method="RADAU", rtol=1e-8, atol=1e-10)
    assert motion.t.shape == (11,) and motion.y.shape == (4, 11)
    assert motion.columns == ["t", "x", "y", "x'", "y'", "tension", "E"]
    assert motion.nfev > 0 and motion.njev > 0 and motion.nlu > 0
    assert "reached t = 1" in motion.message
    assert len(pendulum.simulate(1)) == 501
    assert len(pendulum.simulate((0, 1), every=0.25)) == 5
    # Rows stand at the times asked for and nowhere else.
    assert pendulum.simulate((0, 1), [0.25, 0.5]).t.tolist() == [0.25, 0.5]
    with pytest.raises(KeyError, match="no column 'z'"):
        motion["z"]


@pytest.mark.parametrize("wish, message", [
    (dict(method="RK45"), "tsit5"),
    (dict(method="LSODA"), "radau"),
    (dict(method="leapfrog"), "variational2"),
    (dict(t_eval=[0.5, 0.2]), "increasing"),
    (dict(t_eval=[0.5, 2]), "within t_span"),
    (dict(t_eval=[0.5], every=0.1), "one of them"),
    (dict(t_span=(1, 0)), "forward in time"),
    (dict(rtol=3.0), "tolerance"),
    (dict(y0=[1.0, 2.0]), "do not form a state of 4"),
    (dict(y0=[np.nan, 0, 0, 0]), "cannot start"),
    (dict(form="newton"), "no form"),
    (dict(atol=[1e-3, 1e-3]), "atol.*one number"),
    (dict(max_steps=1.5), "whole number"),
    (dict(max_steps=-1), "whole number"),
    (dict(baumgarte=(1,)), "pair"),
    (dict(events=lambda t, y: y[0]), "falling stop"),
    (dict(events=Event("x", direction=3)), "direction"),
])  # fmt: skip
def test_what_is_refused(pendulum, wish, message):
    with pytest.raises(RequestError, match=message):
        pendulum.simulate(**{"t_span": (0, 1), **wish})


def test_a_given_start(pendulum):
    motion = pendulum.simulate((0, 1), y0=[0, -0.8, 1.0, 0])
    assert motion.y[:, 0].tolist() == [0, -0.8, 1.0, 0]
    with pytest.raises(RequestError, match="rod"):
        pendulum.simulate((0, 1), y0=[0, -0.7, 1.0, 0])
    assert pendulum.simulate((0, 1), y0={"x": 0.1}).y[0, 0] == 0.1


def test_a_run_may_start_at_any_time():
    system = System.from_text("coordinate x\nkinetic x'^2/2\nforce x = cos(t)")
    motion = system.simulate((2, 5), [3, 5], y0=[1.0, 0.5])
    exact = lambda t: 1 + 0.5 * (t - 2) - np.cos(t) + np.cos(2) - np.sin(2) * (t - 2)  # noqa: E731
    assert motion["x"] == pytest.approx(exact(np.array([3.0, 5.0])), abs=1e-9)
    driven = System.from_text("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wall: x = t^2")
    assert driven.simulate((3, 4)).y[:, 0].tolist() == pytest.approx([9, 0, 6, 0])


def test_events():
    ball = System.from_text(
        "parameter g = 9.81\ncoordinate y\nkinetic y'^2/2\npotential g*y\ninitial y = 1\nevent half: y - 0.5"
    )
    motion = ball.simulate((0, 2), events=["half", "ground: y falling stop", Event("y'+3", direction=-1)])
    fall = np.sqrt(2 / 9.81)
    assert motion.status == 1 and motion.stop == "event" and motion.success
    assert motion.event_names == ["half", "ground", "event1"]
    assert [t.tolist() for t in motion.t_events] == [
        [pytest.approx(fall / np.sqrt(2))],
        [pytest.approx(fall)],
        [pytest.approx(3 / 9.81)],
    ]
    assert motion.y_events[1][0] == pytest.approx([0, -9.81 * fall], abs=1e-9)
    assert motion.events[-1].name == "ground" and not motion.events[-1].rising
    assert motion.t[-1] == pytest.approx(fall) and "ground" in motion.message
    assert [t.size for t in ball.simulate((0, 2)).t_events] == [1]
    times = [0.1, 0.4, 1.0]
    assert ball.simulate((0, 2), times, events="y falling stop").t.tolist() == [0.1, 0.4]
    with pytest.raises(RequestError, match="height"):
        ball.simulate((0, 2), events="height stop")


def test_events_against_scipy(double):
    def crossing(t, y):
        return y[0]

    judge = solve_ivp(
        double_pendulum,
        (0, 3),
        [np.pi / 2, np.pi / 2, 0, 0],
        "DOP853",
        rtol=1e-12,
        atol=1e-12,
        events=crossing,
    )
    motion = double.simulate((0, 3), events="theta1", rtol=1e-12)
    assert motion.t_events[0] == pytest.approx(judge.t_events[0], abs=1e-8)
    assert motion.y_events[0] == pytest.approx(judge.y_events[0], abs=1e-6)


def test_a_failure_keeps_what_was_computed():
    system = System.from_text(
        "coordinate x\nkinetic x'^2/2\nforce x = x^2\ninitial x = 1, x' = 1", "burst.dal"
    )
    motion = system.simulate((0, 10))
    assert not motion.success and motion.status == -1 and motion.stop == "failed"
    assert 1 < len(motion) < 501 and motion.t[-1] < 10
    assert motion.message.startswith("error[E07")
    with pytest.raises(RunError):
        motion.raise_for_failure()
    assert system.simulate((0, 0.1)).raise_for_failure().success


def test_the_budget_of_steps(pendulum):
    motion = pendulum.simulate((0, 100), max_steps=5)
    assert not motion.success and "5" in motion.message


def test_other_forms_and_methods(double):
    times = [0.0, 0.5, 1.0]
    explicit = double.simulate((0, 1), times)
    hamilton = double.simulate((0, 1), times, form="hamilton")
    slow = double.simulate((0, 1), times, interpret=True)
    fixed = double.simulate((0, 1), times, method="variational6", step=0.005, action=True)
    for other in (hamilton, slow, fixed):
        assert other.y == pytest.approx(explicit.y, abs=1e-7)
    assert fixed.action is not None and explicit.action is None


def test_control_with_a_plant_and_held():
    system = System.from_text(CART)
    assert system.inputs == ("x",)
    exact = system.simulate()
    assert np.max(np.abs(exact["theta"] - 0.3 * np.sin(4 * exact.t))[-50:]) < 1e-2
    other = system.simulate(plant={"m": 1.4})
    assert np.max(np.abs(other["off"][-50:])) > 1e-3 > np.max(np.abs(exact["off"][-50:]))
    held = system.simulate(hold=0.02, every=0.02)
    assert not np.allclose(held["push"], exact["push"][:: len(exact) // len(held)][: len(held)])
    force = system.control(exact.t, exact.y)
    assert force.force[0] == pytest.approx(exact["push"], abs=1e-9) and np.all(force.force[1] == 0)
    assert force.inputs["x"] == pytest.approx(exact["push"], abs=1e-9)
    assert exact.balance is not None and abs(exact.balance.defect) < 1e-6


@pytest.mark.parametrize(
    "wish",
    [dict(hold=0.0), dict(hold=-1.0), dict(hold=np.nan), dict(hold=np.inf), dict(baumgarte=(np.nan, 1))],
)
def test_control_that_cannot_be_held(wish):
    with pytest.raises(RequestError, match="cannot be"):
        System.from_text(CART).simulate(**wish)


def test_control_held_for_no_time_ends(pendulum):
    motion = System.from_text(CART).simulate(hold=1e-300, max_steps=1000)
    assert not motion.success
    with pytest.raises(RequestError, match="no control"):
        pendulum.simulate(1, hold=0.1)


def test_control_needs_a_requirement(pendulum):
    with pytest.raises(RequestError, match="require"):
        pendulum.control(0, [0.6, -0.5, 0, 0])


def test_a_run_that_takes_longer_than_its_limit_keeps_what_it_has(pendulum):
    motion = pendulum.simulate((0, 1e7), every=1, max_steps=10**9, time_limit=0.5)
    assert not motion.success and motion.stop == "cancelled" and len(motion.t) > 1
    assert "the time limit of 0.5 s was reached" in motion.message
    assert pendulum.simulate((0, 1), time_limit=1e9).success
    with pytest.raises(RequestError, match="time_limit"):
        pendulum.simulate((0, 1), time_limit=0)


def test_values_given_twice_are_refused(pendulum):
    with pytest.raises(RequestError, match="`x` is given twice"):
        pendulum.simulate((0, 1), initial="x ~ 1, x ~ 2")
    with pytest.raises(RequestError, match="`x'` is given twice"):
        pendulum.simulate((0, 1), initial=["x' ~ 1"], y0={"x'": 2})


def test_outputs_that_are_not_finite_are_said():
    system = System.from_text("coordinate x\nkinetic x'^2/2\ninitial x = 0, x' = 1\noutput inverse = 1/x\n")
    motion = system.simulate((0, 1), every=0.5)
    assert motion.success
    assert [d.code for d in motion.diagnostics] == ["W0703"]
    assert "first at t = 0" in motion.diagnostics[0].message


def test_an_animation_replaces_a_file_as_a_whole(pendulum, tmp_path):
    path = tmp_path / "film.html"
    path.write_text("old")
    pendulum.simulate((0, 0.1)).animate(path)
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert [p.name for p in tmp_path.iterdir()] == ["film.html"]
