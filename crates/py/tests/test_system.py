"""What a system says of itself, how it is changed, and what is refused."""

import os
import pickle

import dalembert
import numpy as np
import pytest
from conftest import MODELS, PENDULUM
from dalembert import InternalError, ModelError, RequestError, RunError, System, _engine


def test_attributes(pendulum):
    assert pendulum.title == "Pendulum on a rod"
    assert pendulum.coordinates == ("x", "y")
    assert pendulum.speeds == ("x'", "y'")
    assert pendulum.states == ("x", "y", "x'", "y'")
    assert pendulum.parameters == {"m": 1.3, "l": 0.8, "g": 9.81}
    assert pendulum.degrees_of_freedom == 1
    assert [c["name"] for c in pendulum.constraints] == ["rod"]
    assert pendulum.initial["y"] == pytest.approx(-np.sqrt(0.8**2 - 0.6**2), abs=1e-14)
    assert "Pendulum on a rod" in repr(pendulum) and "x, y" in repr(pendulum)


def test_what_is_not_installed_is_named(pendulum, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    motion = pendulum.simulate(0.1)
    for ask, extra in (
        (motion.to_pandas, "pandas"),
        (motion.to_xarray, "xarray"),
        (pendulum.derive().to_sympy, "sympy"),
    ):
        with pytest.raises(ImportError, match=rf"dalembert\[{extra}\]"):
            ask()


def test_a_changed_system_is_another_one(pendulum):
    heavy = pendulum.with_parameters(m=2, l="3/2").with_parameters(m=4)
    assert heavy.parameters == {"m": 4.0, "l": 1.5, "g": 9.81}
    assert pendulum.parameters["m"] == 1.3
    moved = heavy.with_initial({"x": 0.1}).with_initial({"x": 0.2, "x'": 1})
    assert moved.initial["x"] == 0.2 and moved.initial["x'"] == 1.0
    assert pendulum.evaluate(set={"m": 9}).mass[0, 0] == 9.0


def test_values_are_in_the_units_of_the_model():
    system = System.from_text("parameter l = 50 {cm}\ncoordinate x\nkinetic l*x'^2/2")
    assert system.parameters["l"] == 50 and system.si_parameters["l"] == 0.5
    assert system.with_parameters(l=20).si_parameters["l"] == 0.2


def test_numbers_travel_exactly(pendulum):
    for value in (0.1, 1e16, 1e-300, 123456789.123456789, np.float32(0.1), np.int64(7)):
        assert pendulum.with_parameters(m=value).parameters["m"] == float(value)
    with pytest.raises(RequestError, match="nan"):
        pendulum.with_parameters(m=float("nan"))


def test_an_error_shows_the_place():
    with pytest.raises(ModelError) as caught:
        System.from_text("coordinate x\nkinetic x'^2/2\npotential k*x\nforce x = y", "spring.dal")
    error = caught.value
    assert [(d.code, d.line, d.column) for d in error.diagnostics] == [("E0301", 3, 11), ("E0301", 4, 11)]
    assert "spring.dal:3:11" in str(error) and "potential k*x" in str(error) and "^" in str(error)
    assert error.code == "E0301"
    assert "E0301" in dalembert.explain("E0301")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.diagnostics == error.diagnostics


def test_a_question_that_cannot_be_answered(pendulum):
    with pytest.raises(RequestError, match="did you mean `x'`|not a coordinate or speed"):
        pendulum.evaluate({"z'": 1})
    with pytest.raises(RequestError, match="no form `newton`"):
        pendulum.derive("newton")
    with pytest.raises(ValueError, match="t_span"):
        pendulum.simulate()
    with pytest.raises(RunError) as caught:
        pendulum.with_initial({"x": 5}).simulate((0, 1))
    assert caught.value.code == "E0512"
    with pytest.raises(RequestError):
        pendulum.with_parameters(mass=1)
    with pytest.raises(RequestError, match="line break"):
        pendulum.with_parameters(m="1\ncoordinate z")
    with pytest.raises(KeyError):
        dalembert.explain("E9999")
    with pytest.raises(FileNotFoundError):
        System.from_file("no_such_model.dal")


def test_a_bug_of_the_engine_is_an_exception_that_asks_for_a_report():
    with pytest.raises(InternalError, match="a row is missing") as caught:
        _engine.panic_for_tests()
    assert caught.value.code == "E0901"
    assert "please report it" in str(caught.value)
    assert isinstance(caught.value, dalembert.DalembertError)


def test_friction_on_a_constraint_that_holds_always_is_no_panic():
    text = "coordinate x, y\nkinetic (x'^2 + y'^2 + x'*y')/2\nconstraint k: 1 = 1\n"
    system = System.from_text(text + "friction on k: coefficient 0.3, velocity x'\ninitial x' = 1\n")
    assert system.simulate(1).y[0, -1] == pytest.approx(1)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs an endless file")
def test_an_endless_file_is_refused():
    with pytest.raises(ModelError, match="longer than"):
        System.from_file("/dev/zero")


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "picture.dal"
    path.write_bytes(b"coordinate x\n\xff\xfe")
    with pytest.raises(ModelError, match="byte 13"):
        System.from_file(path)
    path.write_text('system "Größe"\r\ncoordinate θ\r\nkinetic θ\'^2/2\r\n', encoding="utf-8", newline="")
    assert System.from_file(path).coordinates == ("θ",)


def test_pickling_keeps_text_and_changes(pendulum):
    changed = pendulum.with_parameters(m=2).with_initial("x = 0.3")
    again = pickle.loads(pickle.dumps(changed))
    assert again == changed and hash(again) == hash(changed) and again != pendulum
    a, b = changed.simulate((0, 1)), again.simulate((0, 1))
    assert np.array_equal(a.y, b.y)


@pytest.mark.parametrize("path", sorted(MODELS.glob("r*.dal")), ids=lambda p: p.stem)
def test_models_of_the_project_load(path):
    system = System.from_file(path)
    assert system.evaluate().acceleration.shape == (len(system.speeds),)


def test_evaluate(pendulum):
    now = pendulum.evaluate({"x": 0.8, "y": 0.0, "x'": 0, "y'": 2.0})
    # At the side gravity is free to act and the rod answers the centripetal acceleration v^2/l.
    assert now.acceleration == pytest.approx([-4 / 0.8, -9.81])
    assert now["ideal"] == pytest.approx([-1.3 * 4 / 0.8, 0.0])
    assert now.multipliers["rod"] == pytest.approx(-1.3 * 4 / 0.8 / 1.6)
    assert now.outputs["tension"] == pytest.approx(1.3 * 4 / 0.8)
    assert now.mass.shape == (2, 2) and now.rank == 1
    assert "acceleration" in repr(now) and "acceleration" in dir(now)
    with pytest.raises(AttributeError, match="has no 'velocity'"):
        now.velocity
    assert PENDULUM == pendulum.text


def test_what_is_read_can_be_set_again():
    text = "parameter a = 45 {deg}, l = 12.5 {cm}, k = 3\ncoordinate x\nkinetic x'^2/2\npotential k*x*l*sin(a)"
    system = System.from_text(text)
    assert system.parameters == {"a": 45.0, "l": 12.5, "k": 3.0}
    assert system.parameters.units == {"a": "deg", "l": "cm"}
    again = system.with_parameters(**system.parameters)
    assert again.si_parameters == system.si_parameters
    assert again.evaluate({"x": 1}).impressed[0] == system.evaluate({"x": 1}).impressed[0]
    with pytest.raises(TypeError, match="with_parameters"):
        system.parameters["k"] = 3


def test_notebooks_show_tables(pendulum):
    motion = pendulum.simulate(1, every=0.1)
    for shown in (pendulum, pendulum.parameters, motion, pendulum.verify()):
        assert shown._repr_html_().count("<tr>") >= 2
    assert "x'" in motion._ipython_key_completions_()


def test_a_motion_is_an_array_and_a_function_of_time(pendulum):
    motion = pendulum.simulate(1, every=0.01)
    table = np.asarray(motion)
    assert table.shape == (len(motion), len(motion.columns)) and (table[:, 0] == motion.t).all()
    assert np.array_equal(motion.sol(motion.t[7]), motion.y[:, 7])
    fine = pendulum.simulate(1, t_eval=[0.1234, 0.777])
    assert np.allclose(motion.sol([0.1234, 0.777]), fine.y, atol=1e-6)
    with pytest.raises(ValueError, match="known from"):
        motion.sol(2.0)
