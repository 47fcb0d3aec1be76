"""Many runs on this machine."""

import pickle

import numpy as np
import pytest
from dalembert import RequestError, System

SPRING = "parameter k = 1\ncoordinate x\nkinetic x'^2/2\npotential k*x^2/2\ninitial x = 1\noutput E = energy\nsimulate until 1"


@pytest.fixture
def spring():
    return System.from_text(SPRING)


def test_values_and_draws(spring):
    sweep = spring.sweep({"k": "1..9:5"}, {"x'": ("uniform", -1, 1)}, runs=10)
    assert sweep.columns == [
        "run",
        "k",
        "x'(0)",
        "t",
        "x",
        "x'",
        "E",
        "energy_change",
        "residual",
        "steps",
        "status",
    ]
    assert len(sweep) == sweep.total == 50 and sweep.complete and sweep.counts == {"done": 50}
    w = np.sqrt(sweep["k"])
    assert sweep["x"] == pytest.approx(np.cos(w) + sweep["x'(0)"] * np.sin(w) / w, abs=1e-8)
    assert np.ptp(sweep["x'(0)"]) > 1 and np.abs(sweep["x'(0)"]).max() <= 1
    assert "50 runs" in repr(sweep)


def test_the_number_of_threads_changes_nothing(spring):
    wish = dict(sample={"x": "normal(0, 1)", "k": "loguniform(0.1, 10)"}, runs=300, seed=5)
    one, four = spring.sweep(threads=1, **wish), spring.sweep(threads=4, **wish)
    assert one._numbers.tobytes() == four._numbers.tobytes()
    assert one._numbers.tobytes() != spring.sweep(**{**wish, "seed": 6})._numbers.tobytes()


def test_a_row_is_a_run(spring):
    sweep = spring.sweep({"k": np.linspace(1, 4, 4), "x": [1, 2]}, t_span=2)
    assert sweep["k"].tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    alone = spring.simulate(2, set={"k": 3.0}, initial={"x": 2})
    assert sweep["x"][5] == pytest.approx(alone["x"][-1], abs=1e-9)


def test_motions_are_kept_if_wanted(spring):
    sweep = spring.sweep({"k": [1, 4]}, every=0.25)
    assert sweep.motions.columns == ["run", "t", "x", "x'", "E"] and len(sweep.motions) == 10
    assert sweep.motion(1)["x"] == pytest.approx(np.cos(2 * np.linspace(0, 1, 5)), abs=1e-8)
    again = pickle.loads(pickle.dumps(sweep))
    assert (
        again.motion(1)["x"].tolist() == sweep.motion(1)["x"].tolist()
        and again["status"].tolist() == ["done"] * 2
    )
    with pytest.raises(RequestError, match="every"):
        spring.sweep({"k": [1, 4]}).motion(0)


def test_runs_that_fail_have_their_rows():
    system = System.from_text(
        "parameter a = 1\ncoordinate x\nkinetic x'^2/2\nforce x = a*x^2\ninitial x = 1, x' = 1\nsimulate until 10"
    )
    sweep = system.sweep({"a": [-1, 1, 0]})
    assert sweep["status"].tolist()[2] == "done" and sweep["status"].tolist()[1].startswith("E07")
    assert len(sweep) == 3


@pytest.mark.parametrize("wish, message", [
    (dict(), "nothing changes"),
    (dict(vary={"mass": [1, 2]}), "mass"),
    (dict(vary={"k": "1..2"}), "list of values"),
    (dict(vary={"k": []}), "at least one"),
    (dict(sample={"k": "cauchy(0, 1)"}), "distribution"),
    (dict(sample={"k": "uniform(0, 1)"}, runs=0), "runs"),
    (dict(sample={"k": "uniform(0, 1)"}, runs=10**8), "fit in memory"),
    (dict(vary={"k": "1..2:100000"}, every=1e-4), "motions of 100000 runs"),
    (dict(vary={"k": [1, 2]}, seed=-1), "seed"),
    (dict(vary={"k": [1, 2]}, threads=0), "threads"),
    (dict(vary={"k": [1, 2]}, t_span=(1, 2)), "start at t = 0"),
    (dict(vary={"k": [1, 2]}, method="RK45"), "tsit5"),
])  # fmt: skip
def test_what_is_refused(spring, wish, message):
    with pytest.raises(RequestError, match=message):
        spring.sweep(**wish)


def test_progress(double):
    told = []
    double.sweep(
        sample={"theta1": "normal(1, 0.1)"}, runs=2000, t_span=10, progress=lambda *both: told.append(both)
    )
    assert (
        told
        and all(total == 2000 for _, total in told)
        and [d for d, _ in told] == sorted(d for d, _ in told)
    )
