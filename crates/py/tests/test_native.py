"""What a user of SciPy, IPython and SymPy expects: dense output, progress, pages, symbols, words, docstrings, units."""

import inspect
import io
import re
from contextlib import redirect_stderr

import dalembert
import numpy as np
import pytest
import sympy
from conftest import MODELS, ROOT
from dalembert import RequestError, System
from sympy.physics.mechanics import dynamicsymbols

BALL = """
coordinate h
kinetic h'^2/2
potential 9.81*h
initial h = 1
event floor: h falling do h' = -0.8*h'
simulate until 2
"""


# Dense output.


def test_dense_output_is_as_accurate_as_the_rows(double):
    motion = double.simulate(5, rtol=1e-10, atol=1e-12, every=0.5, dense_output=True)
    times = np.random.default_rng(0).uniform(0, 5, 40)
    exact = double.simulate(5, np.sort(times), rtol=1e-13, atol=1e-14)
    found = motion.sol(times)
    assert found.shape == (4, 40)
    # The rows are half a second apart, and so is nothing between them.
    assert np.max(np.abs(found[:, np.argsort(times)] - exact.y)) < 1e-7
    assert np.array_equal(motion.sol(motion.t), motion.y)
    assert motion.sol(1.25).shape == (4,) and np.allclose(motion.sol([1.25, 1.25])[:, 1], motion.sol(1.25))
    assert motion.sol(np.nextafter(2.5, 3)).shape == (4,)


def test_dense_output_beside_an_event_that_changes_the_state():
    motion = System.from_text(BALL).simulate(every=0.5)
    hit = np.sqrt(2 / 9.81)
    before, after = motion.sol([hit - 1e-3, hit + 1e-3]).T
    assert before[1] == pytest.approx(-9.81 * (hit - 1e-3), rel=1e-9)
    assert after[1] == pytest.approx(0.8 * 9.81 * hit - 9.81e-3, rel=1e-9)


def test_dense_output_of_held_inputs_and_a_run_that_stopped():
    text = "input u = 0\ncoordinate x\nkinetic x'^2/2\nforce x = u"
    motion = System.from_text(text).simulate(1, every=0.25, inputs={"u": ([0, 0.4], [1, 0])}, interpolate="step")
    assert motion.sol([0.3, 0.4, 0.9])[1] == pytest.approx([0.3, 0.4, 0.4])
    stopped = System.from_text(BALL.replace("do h' = -0.8*h'", "stop")).simulate(every=0.3)
    assert stopped.status == 1 and stopped.sol(stopped.t[-1])[0] == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="known from t = 0 to 0.45"):
        stopped.sol(1.0)


# Progress.


def test_progress_of_a_long_run(double):
    told = []
    double.simulate(3000, every=3000, rtol=1e-12, progress=lambda t, end: told.append((t, end)))
    assert told and all(0 <= t <= 3000 and end == 3000 for t, end in told) and told == sorted(told)
    shown = io.StringIO()
    with redirect_stderr(shown):
        double.simulate(3000, every=3000, rtol=1e-12, progress=True)
    assert re.search(r"t = [\d.]+ of 3000, +\d+%", shown.getvalue()) and shown.getvalue().endswith("\n")
    with redirect_stderr(shown):
        double.sweep({"m1": [1.0, 2.0]}, t_span=1, progress=True)
    assert "runs 2 of 2, 100%" in shown.getvalue()
    with pytest.raises(RequestError, match="progress=3"):
        double.simulate(1, progress=3)


def test_what_progress_raises_ends_the_run(double):
    def stop(t, end):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        double.simulate(4000, every=4000, rtol=1e-12, progress=stop)


# Words of solve_ivp.


@pytest.mark.parametrize("word", [name for name in inspect.signature(__import__("scipy.integrate").integrate.solve_ivp).parameters if name != "options"] + ["first_step", "max_step", "rtol", "atol", "jac", "jac_sparsity", "lband", "uband", "min_step"])  # fmt: skip
def test_every_word_of_solve_ivp_is_answered(pendulum, word):
    given = {"t_span": (0, 0.1), "t_eval": [0, 0.1], "y0": None, "method": "DOP853", "events": None, "rtol": 1e-8, "atol": 1e-8}
    given.update(dense_output=True, vectorized=True)
    if word in given:
        assert pendulum.simulate(**{"t_span": 0.1, word: given[word]}).success
        return
    with pytest.raises(RequestError, match=f"{word}: .{{20,}}"):
        pendulum.simulate(0.1, **{word: 1})


def test_a_word_that_nobody_has(pendulum):
    with pytest.raises(TypeError, match="did you mean 'rtol'"):
        pendulum.simulate(0.1, rtoll=1e-3)
    with pytest.raises(TypeError, match="did you mean 't_span'"):
        pendulum.simulate(until=0.1)


# Pages, code, connections.


def test_pages_show_in_notebooks(pendulum, tmp_path):
    for page in (pendulum.animate(0.2), pendulum.report(t_span=0.2)):
        assert page._repr_html_().startswith('<iframe srcdoc="') and "save" in repr(page)
        page.save(tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.page
    page = pendulum.with_parameters(m=2).report(tmp_path / "report.html", t_span=0.2, forms=["kernel"], verify=True, animate=True)
    assert page.complete and not page.diagnostics
    assert "<math" in page.page and "Pendulum on a rod" in page.page
    with pytest.raises(RequestError, match="no form"):
        pendulum.report(t_span=1, forms="newton")


def test_exported_python_computes_the_same(pendulum, tmp_path):
    code = pendulum.export("python", tmp_path / "rod.py")
    assert (tmp_path / "rod.py").read_text(encoding="utf-8") == str(code) and len(repr(code)) < 80
    made = {}
    exec(compile(str(code), "rod.py", "exec"), made)
    state = np.array(list(pendulum.initial.values()))
    found = made["evaluate"](0.0, state[:2].tolist(), state[2:].tolist())
    assert np.allclose(found["eta_dot"], pendulum.acceleration(0.0, state))


def test_exported_c_has_its_header_and_an_fmu_its_files(pendulum, tmp_path):
    import zipfile

    code = pendulum.export("c", tmp_path / "rod.c", step=True, jacobian=True)
    assert "pendulum_evaluate(" in code.text and (tmp_path / "rod.h").read_text() == code.header
    with pytest.warns(UserWarning) if not _has_compiler() else _nothing():
        pendulum.export("fmu", tmp_path / "rod.fmu")
    assert "modelDescription.xml" in zipfile.ZipFile(tmp_path / "rod.fmu").namelist()
    with pytest.raises(RequestError, match="no target `fortran`"):
        pendulum.export("fortran")
    with pytest.raises(RequestError, match="target='c'"):
        pendulum.export("rust", step=True)


def _has_compiler():
    import platform
    import shutil

    return shutil.which("cc") is not None and platform.system() == "Linux" and platform.machine() == "x86_64"


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_a_throw_is_connected():
    throw = System.from_text("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y")
    found = throw.connect({"x": 10, "y": 0}, 2.0)
    assert found.start_rates["x'"] == pytest.approx(5, abs=1e-9)
    assert found.start_rates["y'"] == pytest.approx(9.81, abs=1e-9)
    assert found.stationary == "minimum" and found.missed_by < 1e-9
    assert found.motion["y"].max() == pytest.approx(9.81 / 2, rel=1e-6)
    assert np.allclose(found.motion.sol(1.0)[:2], [5.0, 9.81 / 2])
    # With the energy of the same throw, the time is found again; the flat one comes from this guess.
    again = throw.connect({"x": 10}, energy=found.motion["y'"][0] ** 2 / 2 + 12.5, via=["x = 5, y = 5"])
    assert again.t == pytest.approx(2.0, rel=1e-6)
    with pytest.raises(RequestError, match="not both"):
        throw.connect({"x": 1}, 1.0, energy=3)


# Notebooks.


def test_everything_that_is_answered_shows_as_a_table(pendulum):
    cart = System.from_file(MODELS / "bead_hoop.dal")
    shown = [
        pendulum, pendulum.parameters, pendulum.check, pendulum.evaluate(), pendulum.analyze(), pendulum.verify(),
        cart.equilibrium(), cart.linearize({"theta": 0}), pendulum.simulate(1, every=0.1), pendulum.sweep({"m": [1, 2]}, t_span=0.1),
    ]  # fmt: skip
    for answer in shown:
        assert "<table>" in answer._repr_html_() and "<td>" in answer._repr_html_()
    assert pendulum.derive()._repr_latex_().startswith("$$")
    assert "rank" in pendulum.check._ipython_key_completions_() and "m" in pendulum.parameters._ipython_key_completions_()
    assert "Hz" in cart.linearize({"theta": 0})._repr_html_()


# SymPy.


def test_symbols_come_back_as_they_went_in():
    t = dynamicsymbols._t
    x, theta = dynamicsymbols("x theta")
    M, m, l, g = sympy.symbols("M m l g", positive=True)
    X, Y = x + l * sympy.sin(theta), -l * sympy.cos(theta)
    T = M / 2 * x.diff(t) ** 2 + m / 2 * (X.diff(t) ** 2 + Y.diff(t) ** 2)
    V = m * g * Y
    builder = System.build().parameter({M: 2, m: 1, l: 0.7, g: 9.81}).coordinate(x, theta).kinetic(T).potential(V)
    cart = builder.initial({theta: 0.4}).system()
    made = cart.derive("explicit").to_sympy()
    known = {M, m, l, g, t}
    for name in ("x_ddot", "theta_ddot"):
        assert made[name].free_symbols <= known
        assert made[name].atoms(sympy.core.function.AppliedUndef) <= {x, theta}
    # Lagrange's equations by hand, with these very symbols, hold for the accelerations found.
    L = T - V
    answers = {x.diff(t, 2): made["x_ddot"], theta.diff(t, 2): made["theta_ddot"]}
    for q in (x, theta):
        left = (L.diff(q.diff(t)).diff(t) - L.diff(q)).doit()
        assert sympy.simplify(left.subs(answers)) == 0
    import pickle

    again = pickle.loads(pickle.dumps(cart.with_parameters({m: 3})))
    assert again.derive("explicit").to_sympy()["x_ddot"] == made["x_ddot"]
    assert again == cart.with_parameters({m: 3})


def test_symbols_of_your_own_for_a_model_from_text():
    q, k = dynamicsymbols("q"), sympy.Symbol("k", positive=True)
    spring = System.from_text("parameter k = 2\ncoordinate q\nkinetic q'^2/2\npotential k*q^2/2")
    assert spring.derive("explicit").to_sympy({"q": q, "k": k})["q_ddot"] == -k * q
    assert str(spring.derive("explicit").to_sympy()["q_ddot"]) == "-k*q"


def test_two_symbols_of_one_name_are_refused():
    builder = System.build().parameter({sympy.Symbol("m", positive=True): 1}).coordinate("x")
    with pytest.raises(RequestError, match="two different symbols are called `m`"):
        builder.kinetic(sympy.Symbol("m") * dynamicsymbols("x").diff() ** 2)


# Units.


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.dal")), ids=lambda p: p.stem)
def test_what_is_read_can_be_written_back(path):
    """`with_parameters(**parameters)` is the identity: the same values in SI units, to the last bit."""
    system = System.from_file(path)
    again = system.with_parameters(system.parameters)
    assert again.si_parameters == system.si_parameters
    assert again.parameters == system.parameters and again.parameters.units == system.parameters.units


def test_random_values_in_odd_units_travel():
    units = ["deg", "cm", "km", "g", "min", "kN", "mm", "rpm", "kg", "h"]
    rng = np.random.default_rng(5)
    names = [f"p{k}" for k in range(len(units))]
    for _ in range(20):
        values = rng.normal(size=len(units)) * 10.0 ** rng.integers(-8, 8, len(units))
        text = "".join(f"parameter {n} = {float(v)!r} {{{u}}}\n" for n, v, u in zip(names, values, units))
        system = System.from_text(text + "coordinate x\nkinetic x'^2/2")
        again = system.with_parameters(**system.parameters)
        assert again.si_parameters == system.si_parameters
        # Short numbers come back as they were written.
        assert list(system.parameters.values()) == pytest.approx(values.tolist(), rel=1e-15)
    short = System.from_text("parameter a = 45 {deg}, b = 12.5 {cm}, c = 33.3 {rpm}\ncoordinate x\nkinetic x'^2/2")
    assert short.parameters == {"a": 45.0, "b": 12.5, "c": 33.3}


# Docstrings.


def _public():
    for name in dalembert.__all__:
        thing = getattr(dalembert, name)
        if inspect.isclass(thing):
            if issubclass(thing, BaseException):
                continue
            for key in dir(thing):
                member = inspect.getattr_static(thing, key)
                member = getattr(member, "__func__", member)
                if not key.startswith("_") and inspect.isfunction(member) and member.__module__.startswith("dalembert"):
                    yield f"{name}.{key}", member
        elif callable(thing):
            yield name, thing


@pytest.mark.parametrize("name, function", [pytest.param(*pair, id=pair[0]) for pair in _public()])
def test_a_docstring_names_every_parameter(name, function):
    text = inspect.getdoc(function) or ""
    assert text, f"{name} has no docstring"
    wanted = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
    if not wanted:
        return
    assert "\nParameters\n----------\n" in text, f"{name} has no section of parameters"
    section = text.split("\nParameters\n----------\n")[1].split("\n\n")[0]
    # Lines that are not indented name parameters, before a colon.
    named = {word.strip("* ") for line in section.splitlines() if line[:1].strip() for word in line.split(":")[0].split(",")}
    assert set(wanted) <= named, f"{name}: {sorted(set(wanted) - named)}"


def test_docs_of_the_manual_are_where_the_package_says():
    assert (ROOT / "docs" / "python.md").exists()
