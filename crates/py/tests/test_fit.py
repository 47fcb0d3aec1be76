"""Sensitivities of motions, and parameters from measurements."""

import numpy as np
import pytest
from dalembert import RequestError, System

SWING = """
parameter l = 2, g = 9.81, c = 0.3
coordinate q
kinetic l^2*q'^2/2
potential -g*l*cos(q)
dissipation c*q'^2/2
initial q = 0.5
"""


@pytest.fixture(scope="module")
def swing():
    return System.from_text(SWING, "swing.dal")


def test_sensitivities_are_those_of_neighbouring_motions(swing):
    times, h = np.linspace(0, 2, 21), 1e-5
    motion = swing.simulate(2, times, sensitivity=["l", "q(0)"], rtol=1e-10, atol=1e-12)

    def numeric(low, high):
        ends = [swing.simulate(2, times, rtol=1e-12, atol=1e-13, **wish) for wish in (low, high)]
        return (ends[1]["q"] - ends[0]["q"]) / (2 * h)

    by_length = numeric({"set": {"l": 2 - h}}, {"set": {"l": 2 + h}})
    by_start = numeric({"initial": {"q": 0.5 - h}}, {"initial": {"q": 0.5 + h}})
    assert motion.sensitivity("q", "l") == pytest.approx(by_length, abs=1e-6)
    assert motion.sensitivity("q", "q(0)") == pytest.approx(by_start, abs=1e-6)
    with pytest.raises(KeyError):
        motion.sensitivity("q", "g")


def test_a_fit_finds_what_made_the_data(swing):
    motion = swing.simulate(3, every=0.05, rtol=1e-11)
    data = {"t": motion.t, "q": np.where(np.arange(len(motion.t)) % 7 == 3, np.nan, motion["q"])}
    found = swing.fit(data, {"l": 1.8, "c": 0.1}, rtol=1e-10)
    assert found.parameters["l"]["value"] == pytest.approx(2, abs=1e-6)
    assert found.parameters["c"]["value"] == pytest.approx(0.3, abs=1e-6)


def test_data_that_do_not_fit_are_refused(swing):
    with pytest.raises(RequestError, match="under 't'"):
        swing.fit({"q": [1, 2]}, ["l"])
    with pytest.raises(RequestError, match="2 values of q for 3 times"):
        swing.fit({"t": [0, 1, 2], "q": [1, 2]}, ["l"])
    with pytest.raises(RequestError):
        swing.fit({"t": [0, 1, 2], "q": [1, 2, 3]}, ["mass"])
