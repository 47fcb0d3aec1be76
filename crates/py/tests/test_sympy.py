"""SymPy as a judge, and as a way to write models."""

import dalembert
import numpy as np
import pytest
import sympy
from conftest import MODELS
from dalembert import Builder, RequestError, System
from dalembert._sympy import write
from sympy import Eq, Function, Matrix, Piecewise, Rational, cos, diff, sin, sqrt, symbols
from sympy.physics.mechanics import LagrangesMethod, Particle, Point, ReferenceFrame, dynamicsymbols
from sympy.physics.mechanics import Lagrangian as lagrangian_of

t = dynamicsymbols._t


def spherical_on_cart():
    """A cart with a spherical pendulum: three coordinates, coupled, written for SymPy's mechanics."""
    x, a, b = dynamicsymbols("x a b")
    m, M, l, g = symbols("m M l g")
    frame, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(frame, 0)
    cart = origin.locatenew("C", x * frame.x)
    bob = cart.locatenew("B", l * (sin(a) * cos(b) * frame.x + sin(a) * sin(b) * frame.y - cos(a) * frame.z))
    cart.set_vel(frame, cart.pos_from(origin).dt(frame))
    bob.set_vel(frame, bob.pos_from(origin).dt(frame))
    bodies = [Particle("cart", cart, M), Particle("bob", bob, m)]
    bodies[1].potential_energy = -m * g * l * cos(a)
    return [x, a, b], (m, M, l, g), lagrangian_of(frame, *bodies)


def test_accelerations_against_lagranges_method():
    q, parameters, L = spherical_on_cart()
    values = [0.7, 1.9, 0.6, 9.81]
    method = LagrangesMethod(L, q)
    method.form_lagranges_equations()
    speeds = [diff(c, t) for c in q]
    plain = sympy.symbols("q0:3 u0:3")
    swap = {**dict(zip(speeds, plain[3:])), **dict(zip(q, plain[:3])), **dict(zip(parameters, values))}
    numeric = sympy.lambdify(plain, [method.mass_matrix.xreplace(swap), method.forcing.xreplace(swap)])
    built = (
        Builder("Spherical pendulum on a cart")
        .parameter(dict(zip(parameters, values)))
        .coordinate(*q)
        .lagrangian(L)
        .system()
    )
    f = built.acceleration_function()
    for y in np.random.default_rng(2).uniform(0.3, 1.2, size=(20, 6)):
        mass, forcing = numeric(*y)
        judge = np.linalg.solve(np.array(mass, float), np.array(forcing, float)).ravel()
        assert f(0.0, y) == pytest.approx(judge, rel=1e-10, abs=1e-10)


def test_multipliers_against_lagranges_method():
    x, y = dynamicsymbols("x y")
    m, g, l = symbols("m g l")
    L = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * g * y
    method = LagrangesMethod(L, [x, y], hol_coneqs=[x**2 + y**2 - l**2])
    method.form_lagranges_equations()
    builder = Builder().parameter({m: 1.3, g: 9.81, l: 0.8}).coordinate(x, y).lagrangian(L)
    system = builder.constraint("rod", Eq(x**2 + y**2, l**2)).initial(x=0.6).guess(y=-1).system()
    state = {**system.initial, "x'": 0.5, "y'": 0.6 * 0.5 / 0.8 * 1.0}
    values = {
        x.diff(t): state["x'"],
        y.diff(t): state["y'"],
        x: state["x"],
        y: state["y"],
        m: 1.3,
        g: 9.81,
        l: 0.8,
    }
    full = np.array(method.mass_matrix_full.subs(values), float)
    right = np.array(method.forcing_full.subs(values), float).ravel()
    solved = np.linalg.solve(full, right)  # rates, accelerations, multiplier
    now = system.evaluate(state)
    assert now.acceleration == pytest.approx(solved[2:4], rel=1e-10)
    # SymPy moves the multiplier to the other side of the equation.
    assert abs(now.multipliers["rod"]) == pytest.approx(abs(solved[4]), rel=1e-10)


@pytest.mark.parametrize("name", ["rolling_disk", "double_pendulum", "heavy_top"])
def test_written_equations_agree_with_numbers(name):
    system = System.from_file(MODELS / f"{name}.dal")
    made = system.derive("kernel").to_sympy()
    state = {key: value + 0.1 * k for k, (key, value) in enumerate(system.initial.items(), 1)}
    now = system.evaluate(state)
    spelt = {key.replace("'", "_dot"): value for key, value in {**state, **system.parameters}.items()}
    substitute = lambda e: np.array(e.subs({s: spelt[s.name] for s in e.free_symbols}), float)  # noqa: E731
    assert substitute(made["mass_matrix"]) == pytest.approx(now.mass, rel=1e-12)
    assert substitute(made["impressed_force"]).ravel() == pytest.approx(now.impressed, rel=1e-10, abs=1e-12)
    if system.rows:
        assert substitute(made["constraint_matrix"]) == pytest.approx(
            now.constraint_matrix, rel=1e-12, abs=1e-14
        )


def test_explicit_form_solves_the_lagrange_form(pendulum):
    explicit, lagrange = pendulum.derive("explicit").to_sympy(), pendulum.derive("lagrange").to_sympy()
    equation = lagrange["equation_1"]
    swap = {s: explicit.get(s.name, s) for s in equation.free_symbols}
    assert sympy.simplify((equation.lhs - equation.rhs).subs(swap)) == 0
    assert "sin" not in explicit and "sympy" not in explicit


def test_equations_in_notebooks(pendulum):
    equations = pendulum.derive()
    shown = equations._repr_latex_()
    assert shown.startswith("$$\n\\begin{aligned}") and shown.endswith("\\end{aligned}\n$$")
    assert r"\ddot{x}" in equations.latex and "x'' = " in equations.text and equations.text in repr(equations)


def test_a_built_model_equals_its_text(pendulum):
    x, y = dynamicsymbols("x y")
    m, l, g = symbols("m l g")
    built = (
        System.build("Pendulum on a rod")
        .parameter({m: 1.3, l: 0.8, g: 9.81})
        .coordinate(x, y)
        .kinetic(m / 2 * (x.diff(t) ** 2 + y.diff(t) ** 2))
        .potential(m * g * y)
        .constraint("rod", x**2 + y**2, l**2)
        .initial({x: 0.6})
        .guess({y: -1})
        .output(tension=-2 * l * Function("multiplier")(symbols("rod")), E="energy")
    )
    system = built.system()
    a, b = system.simulate((0, 2), rtol=1e-12), pendulum.simulate((0, 2), rtol=1e-12)
    assert a.columns == b.columns and a.y == pytest.approx(b.y, abs=1e-10)
    assert 'system "Pendulum on a rod"\n' in built.text and "constraint rod: " in built.text


def test_a_rich_model_can_be_built():
    built = (
        Builder('Belt "one"')
        .const(N=1)
        .parameter(m=1, g=10, k=4, v=0.5, units={"m": "kg"})
        .coordinate("x", "y")
        .let(P=["x", "y"])
        .kinetic("m/2*dot(P', P')")
        .potential("m*g*y + k/2*x^2")
        .dissipation("0.01*x'^2")
        .force(0.1, on="x")
        .force(["0", "-1"], at="P")
        .work("0.01*delta(x)")
        .constraint("belt", "y")
        .friction("belt", 0.3, "x' - v", static=0.5)
        .initial({"x'": "v"})
        .output(drag="friction(belt)")
        .event("turn", "x'", direction=-1)
        .simulate(10, every=0.1, method="DOP853", tolerance=1e-9)
    )
    motion = built.system().simulate()
    assert motion.success and len(motion) == 101 and np.ptp(motion["drag"]) > 1
    assert built.system().title == 'Belt "one"'
    sleigh = Builder().parameter(a=0.4).coordinate("x", "y", "theta").speed(v="x'*cos(theta) + y'*sin(theta)")
    sleigh.speed(u="-x'*sin(theta) + y'*cos(theta)").kinetic(
        "(v^2 + (u + a*theta')^2 + theta'^2)/2"
    ).constraint("blade", "u")
    assert sleigh.system().speeds == ("theta'", "v", "u")
    cart = Builder().coordinate("x", "q").mass([[2, "cos(q)"], ["cos(q)", 1]]).force(["0", "-sin(q)"])
    cart.require("still", "q", decay=(4, 4)).actuate("x").weight(2)
    assert cart.system().inputs == ("x",)


def expressions():
    x, u = dynamicsymbols("x u")
    a, b = symbols("a b")
    return [
        (x.diff(t, 2), "x''"),
        ((x * u).diff(t), None),
        (sympy.Derivative(x * u, t), "(u*x)'"),
        (Rational(-2, 3) * a, "-2*a/3"),
        (a - b, "a - b"),
        (-(a + b), None),
        (a / (b * (a + b)), None),
        (a ** (b + 1), "a^(b + 1)"),
        ((a**b) ** 2, None),
        (sqrt(a) / 2, "sqrt(a)/2"),
        (a ** Rational(-3, 2), "1/a^(3/2)"),
        (sympy.exp(-a), "exp(-a)"),
        (sympy.exp(1) * sympy.pi, None),
        (2.5e-20 * a, "2.5e-20*a"),
        (Matrix([a, b]), "[a, b]"),
        (Matrix([[a, b], [b, a]]), "[[a, b], [b, a]]"),
        (Piecewise((a, a > 0), (-a, True)), "if a > 0 then a else -a"),
        (Piecewise((1, (a > 0) & (b < 1) | sympy.Ne(a, b)), (0, True)) + a, None),
        (sympy.Max(a, b, 3), None),
        (sympy.Abs(sympy.atan2(a, b)), "abs(atan2(a, b))"),
        ((a - b) * (b - a - 1) * -a, None),
    ]


@pytest.mark.parametrize("e, text", expressions(), ids=lambda v: str(v)[:30])
def test_expressions_keep_their_value(e, text):
    written = write(e)
    assert text is None or written == text
    if isinstance(e, Matrix) or e.has(sympy.Derivative) and text == "x''":
        return
    system = System.from_text(
        f"parameter a = 1.7, b = 0.6\ncoordinate x, u\nkinetic (x'^2 + u'^2)/2\noutput it = {written}\ninitial x = 0.4, u = 0.3, x' = 1.1, u' = -0.7"
    )
    x, u = dynamicsymbols("x u")
    values = {x.diff(t): 1.1, u.diff(t): -0.7, x: 0.4, u: 0.3, symbols("a"): 1.7, symbols("b"): 0.6}
    assert system.evaluate().outputs["it"] == pytest.approx(float(e.doit().subs(values)), rel=1e-12)


@pytest.mark.parametrize("e, named", [
    (lambda a, x: sympy.erf(a), "erf"),
    (lambda a, x: sympy.gamma(a), "gamma"),
    (lambda a, x: Function("F")(a), "F"),
    (lambda a, x: sympy.I * a, "I"),
    (lambda a, x: sympy.oo, "oo"),
    (lambda a, x: sympy.Symbol(r"\theta_1"), "theta_1"),
    (lambda a, x: Piecewise((a, a > 0)), "everywhere"),
    (lambda a, x: sympy.Integral(a, a), "Integral"),
    (lambda a, x: sympy.Derivative(Function("F")(a), a), "time"),
])  # fmt: skip
def test_what_the_language_does_not_have_is_refused_by_name(e, named):
    with pytest.raises(RequestError, match=named):
        write(e(symbols("a"), dynamicsymbols("x")))


def test_what_is_no_expression():
    for value in (object(), None, True):
        with pytest.raises(RequestError, match="expression"):
            dalembert.Builder().kinetic(value)
    with pytest.raises(RequestError, match="not both"):
        dalembert.Builder().force("1", on="x", at="P")
