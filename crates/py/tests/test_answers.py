"""Analysis, equilibria, linear systems, verification."""

import control
import numpy as np
import pytest
import scipy.linalg
from conftest import MODELS
from dalembert import System


def test_analyze():
    found = System.from_file(MODELS / "rolling_disk.dal").analyze()
    assert found.verdict == "nonholonomic" and found.nonholonomic is True
    assert [c.name for c in found.constraints] == ["rolling.x", "rolling.y"]
    energy = [q for q in found.conserved if "energy" in q.name or "theta'^2" in q.expression]
    assert energy and all(q.verified for q in found.conserved)


def test_brackets():
    kepler = System.from_file(MODELS / "kepler.dal")
    answer = kepler.brackets("x", "p_x")
    assert answer.bracket == "1" and answer.evolution == "p_x/m" and answer.multipliers == {}
    assert kepler.brackets("x*p_y - y*p_x", "H").bracket == "0"
    rod = System.from_file(MODELS / "pendulum_index3.dal").brackets("p_x", "H", format="python")
    assert "**2" in rod.multipliers["rod"]


def test_momenta_are_columns():
    disk = System.from_file(MODELS / "rolling_disk.dal")
    plain = disk.simulate(1, form="suslov")
    other = disk.simulate(1, form="suslov", multipliers={"M_rolling.x": 0.3})
    assert other["x"] == pytest.approx(plain["x"], abs=1e-7)
    assert other["M_rolling.x"][0] == pytest.approx(0.3) and "p_theta" not in other.outputs


def test_equilibrium():
    found = System.from_file(MODELS / "bead_hoop.dal").equilibrium()
    angles = sorted(e.state["theta"] for e in found.equilibria)
    assert len(angles) >= 2 and any(abs(a) < 1e-9 for a in angles)
    assert {e.stability for e in found.equilibria} >= {"unstable"}
    for e in found.equilibria:
        assert e.eigenvalues.dtype == complex and e.state_matrix.shape == (2, 2)


def test_linearize_against_differences_and_scipy(double):
    linear = double.linearize({"theta1": 0, "theta2": 0, "theta1'": 0, "theta2'": 0})
    assert linear.stability == "stable" and linear.equilibrium
    f, h = double.acceleration_function(), 1e-6
    steps = np.eye(4) * h
    numeric = (f.rhs(0.0, steps) - f.rhs(0.0, -steps)) / (2 * h)
    assert linear.state_matrix == pytest.approx(numeric, abs=1e-8)
    judge = np.sort_complex(np.round(scipy.linalg.eigvals(linear.state_matrix), 9))
    assert np.sort_complex(np.round(linear.eigenvalues, 9)) == pytest.approx(judge, abs=1e-8)
    squares = scipy.linalg.eigh(linear.stiffness, linear.mass, eigvals_only=True)
    assert np.sort(np.abs(linear.eigenvalues.imag))[::2] == pytest.approx(
        np.sort(np.sqrt(squares)), abs=1e-10
    )
    mode = linear.modes[0]
    assert linear.state_matrix @ mode.vector == pytest.approx(mode.eigenvalue * mode.vector, abs=1e-10)
    assert "state_matrix" in repr(linear)


def test_eigenvalues_over_a_parameter():
    system = System.from_file(MODELS / "bead_hoop.dal")
    over = system.eigenvalues("W", 0, 10, 21, at={"theta": 0})
    assert over.points.shape == (21,) and over.branches.shape == (2, 21)
    assert over.crossings


def test_verify(double):
    found = double.verify()
    assert found and found.passed and len(found.checks) > 5
    assert all(c.worst <= c.tolerance for c in found.checks)


def test_settle(double):
    linear = double.linearize({"theta1": 0.1, "theta2": 0.05}, settle=True)
    assert linear.kind == "equilibrium" and abs(linear.state["theta1"]) < 1e-9


def test_a_linear_system_for_python_control():
    text = """
    parameter m = 2, k = 8, c = 1
    input u = 0
    coordinate x
    kinetic m*x'^2/2
    potential k*x^2/2
    dissipation c*x'^2/2
    force x = u
    output push = k*x, place = [x, 2*x]
    """
    system = System.from_text(text)
    plant = system.linearize({"x": 0}).to_control()
    assert isinstance(plant, control.StateSpace)
    assert plant.state_labels == ["x", "x'"] and plant.input_labels == ["u"] and plant.output_labels[:2] == ["push", "place_x"]
    s = 0.3 + 1.7j
    assert plant(s)[0, 0] == pytest.approx(8 / (2 * s**2 + s + 8), rel=1e-12)
