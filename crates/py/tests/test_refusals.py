"""Questions that cannot be meant: each is refused in words, and none is answered with something else."""

import pickle

import numpy as np
import pytest
import sympy
from dalembert import Event, ModelError, RequestError, System
from sympy.physics.mechanics import dynamicsymbols

FALL = "parameter m = 1, g = 9.81\ncoordinate h\nkinetic m*h'^2/2\npotential m*g*h\ninitial h = 2\nevent deep: h + 50 falling stop\nsimulate until 1"


@pytest.fixture
def fall() -> System:
    return System.from_text(FALL, "fall.dal")


@pytest.mark.parametrize(
    "text", ["h\npotential -9.81*h", "h; potential -9.81*h", "a: h\rpotential h", "h # c"]
)
def test_an_event_is_one_statement(fall: System, text: str) -> None:
    for event in (text, Event(text), Event("h", name=text)):
        with pytest.raises(RequestError, match="would end it"):
            fall.simulate(1, events=[event])


def test_parts_of_a_built_model_stay_in_their_statement() -> None:
    build = System.build
    for wrong in (
        lambda: build("a\nb"),
        lambda: build().coordinate("x\nkinetic 1"),
        lambda: build().kinetic("x'^2; potential x"),
        lambda: build().parameter(m="1 # kg"),
        lambda: build().parameter({"m": 1}, units={"m": "kg\n"[:-1] + ";"}),
        lambda: build().constraint("a;b", "x"),
        lambda: build().initial("x = 1\ny = 2"),
    ):
        with pytest.raises(RequestError):
            wrong()


def test_units_go_with_symbols_and_unknown_ones_are_refused() -> None:
    m, g = sympy.symbols("m g")
    assert System.build().parameter({m: 1, g: 2}, units={m: "kg"}).text == "parameter m = 1 {kg}, g = 2\n"
    for units in ({"mm": "kg"}, "kg", {m: 3}):
        with pytest.raises(RequestError, match="unit"):
            System.build().parameter({m: 1}, units=units)


def test_tolerances(fall: System) -> None:
    for name in ("atol", "rtol"):
        for value in (0, -1, float("nan"), float("inf"), "1e-3"):
            with pytest.raises(RequestError, match=name):
                fall.simulate(1, **{name: value})


def test_rows_stand_where_they_were_asked_for(fall: System) -> None:
    for times in ([0.5, 0.5 + 1e-15, 0.9], [0.5, 1 - 1e-15], [0.5, 1 - 1e-16 * 4]):
        with pytest.raises(RequestError, match="tell apart"):
            fall.simulate(1, times)
    for times in (
        [0.5, 0.5 + 1e-12, 0.9],
        [0.1 + 0.2, 0.7],
        [0.0, 1.0],
        [1e-13, 1 - 1e-12],
        np.linspace(0, 1, 1001),
    ):
        assert fall.simulate(1, times).t.tolist() == list(times)
    for span in (1e-300, (1.0, 1.0 + 4e-16)):
        with pytest.raises(RequestError, match="too short"):
            fall.simulate(span)


def test_stops_of_the_model_are_listed(fall: System) -> None:
    motion = fall.simulate(10, events=["h"])
    assert motion.status == 1 and motion.event_names == ["event1", "deep"]
    assert len(motion.t_events[1]) == 1


def test_made_names_of_events_avoid_those_that_were_given(fall: System) -> None:
    assert fall.simulate(1, events=["h", "event1: h - 1"]).event_names[:2] == ["event2", "event1"]


def test_a_system_is_never_changed(fall: System) -> None:
    for name in ("text", "name", "states", "anything"):
        with pytest.raises(AttributeError, match="never changed"):
            setattr(fall, name, "x")
    assert fall.states == ("h", "h'") and isinstance(fall.events, tuple)


def test_progress_ends_with_all_and_runs_have_numbers(fall: System) -> None:
    told: list = []
    cloud = fall.sweep(
        vary={"m": [1, 2, 3]}, t_span=1, every=0.5, progress=lambda *n: told.append(n), threads=10**9
    )
    assert told[-1] == (3, 3) and told.count((3, 3)) == 1
    with pytest.raises(RequestError, match="no run 99"):
        cloud.motion(99)


def test_numbers_are_real_and_all_there(fall: System) -> None:
    f = fall.acceleration_function()
    for y in ([1j, 0], np.ma.masked_array([1.0, 2.0], [0, 1]), ["1", "2"], [None, 1]):
        with pytest.raises(RequestError):
            f(0.0, y)
        with pytest.raises(RequestError):
            fall.simulate(1, y0=y)
    for t in (None, 1j, "0"):
        with pytest.raises(RequestError):
            f(t, [1, 0])


def test_coordinates_may_be_called_like_results() -> None:
    work, power = dynamicsymbols("work power")
    t = dynamicsymbols._t
    model = (
        System.build().coordinate(work, power).kinetic(work.diff(t) ** 2 + power.diff(t) ** 2).potential(work)
    )
    assert model.system().coordinates == ("work", "power")
    with pytest.raises(ModelError, match="word of the language"):
        System.build().coordinate(*dynamicsymbols("multiplier,")).system()


def test_equations_travel(fall: System) -> None:
    equations = fall.derive("explicit")
    again = pickle.loads(pickle.dumps(equations))
    assert (again.text, again.latex, again.python) == (equations.text, equations.latex, equations.python)
    assert "h_ddot" in again.to_sympy() and again.renamed == {}


def test_names_that_give_way_are_told() -> None:
    model = System.from_text("parameter x_dot = 2\ncoordinate x\nkinetic x'^2/2\nforce x = -x_dot*x'")
    equations = model.derive("explicit")
    assert len(equations.renamed) == 1
    assert all(new in equations.to_sympy() for new in equations.renamed.values())


def test_relations_that_say_nothing() -> None:
    x, y = dynamicsymbols("x y")
    for left, right in ((sympy.Eq(x, x), 0), (x, x), (sympy.Eq(x, x + 1), 0), (x < y, 0), ("x", "x")):
        with pytest.raises(RequestError):
            System.build().constraint("c", left, right)
    for empty in ("coordinate", "parameter", "actuate", "initial", "guess", "speed", "let", "output"):
        with pytest.raises(RequestError, match="at least one"):
            getattr(System.build(), empty)()
    assert System.build().require("r", x, decay=np.array([4, 4])).text == "require r: x = 0 decay 4.0, 4.0\n"


def test_faults_of_the_question_are_not_faults_of_the_model(fall: System) -> None:
    for wrong in (
        lambda: fall.simulate(1, set={"k": 1}),
        lambda: fall.simulate(1, set={"m": "1 +"}),
        lambda: fall.simulate(1, y0={"z": 1}),
        lambda: fall.with_parameters(values=5),
        lambda: fall.simulate(1, initial="h ="),
    ):
        with pytest.raises(RequestError) as told:
            wrong()
        assert "--" not in str(told.value)
        assert sum(d.severity == "error" for d in told.value.diagnostics) == 1, told.value
    with pytest.raises(RequestError, match=r"event `low: h - z falling`, column 10: .*z"):
        fall.simulate(1, events=["low: h - z falling"])
    with pytest.raises(ModelError):
        System.from_text("coordinate x\nkinetic k*x'^2", k=3)


def test_a_state_off_the_constraints(pendulum: System) -> None:
    near = np.array([0.6, -((0.8**2 - 0.6**2) ** 0.5), 0, 0], dtype=np.float32)
    with pytest.raises(RequestError, match="y0 does not keep the constraints") as told:
        pendulum.simulate(0.1, y0=near)
    assert "project=True" in str(told.value) and "initial" not in str(told.value)
    motion = pendulum.simulate(0.1, y0=near, project=True)
    assert motion.y[:, 0] == pytest.approx(near, abs=1e-6)
    assert motion.y[0, 0] ** 2 + motion.y[1, 0] ** 2 == pytest.approx(0.64, abs=1e-12)


def deep() -> sympy.Expr:
    e = sympy.Symbol("x")
    for _ in range(3000):
        e = sympy.sin(e, evaluate=False)
    return e


def test_no_words_of_others(fall: System) -> None:
    questions = [
        *(
            {"form": None},
            {"balance": "yes"},
            {"interpret": 3},
            {"action": None},
            {"plant": {"m": "a"}},
            {"plant": 3},
        ),
        *(
            {"t_span": "abc"},
            {"t_span": "5"},
            {"y0": "ab"},
            {"y0": ["a", "b"]},
            {"set": [1]},
            {"set": 3},
            {"events": 3},
        ),
        *(
            {"initial": 3},
            {"max_steps": 1.5},
            {"hold": "a"},
            {"set": {"m": 10**400}},
            {"events": [Event("h", direction=[])]},
        ),
    ]
    for question in questions:
        with pytest.raises(RequestError):
            fall.simulate(**{"t_span": 1, **question})
    for runs in (10**30, None, float("inf"), "3", 0):
        with pytest.raises(RequestError):
            fall.sweep(vary={"m": [1]}, runs=runs, t_span=1)
    for wrong in (
        lambda: fall.sweep(sample={"m": None}, t_span=1),
        lambda: fall.sweep(vary=3, t_span=1),
        lambda: fall.equilibrium(within={"h": 3}),
        lambda: fall.equilibrium(starts=1.5),
        lambda: fall.derive(None),
        lambda: System.build().kinetic(deep()),
    ):
        with pytest.raises(RequestError):
            wrong()
    assert fall.simulate(1, set=[("m", 3)]).system.parameters["m"] == 3
    named = System.from_text("parameter values = 1\ncoordinate x\nkinetic values*x'^2")
    assert named.with_parameters(values=5).parameters["values"] == 5
