"""Bodies, joints and force elements from Python; mass matrix, bias and Jacobians as arrays."""

import dalembert
import numpy as np
import pytest
from conftest import MODELS
from dalembert import RequestError, System, ball, box, cylinder, disk, hoop, particle, rod, shell

TEXT = """
system "Double pendulum from bodies"
parameter m = 1, l = 0.5, g = 9.81
gravity [0, -g]
body upper: rod m from [0, 0] to [0, -l]
body lower: rod m from [0, 0] to [0, -l]
joint shoulder: pin ground to upper
joint elbow: pin upper at [0, -l] to lower
initial shoulder = 1.2, elbow = 0.3
output pull = force(shoulder), tip = [0, -l] of lower
simulate until 1
"""


def double():
    b = System.build("Double pendulum from bodies")
    b.parameter(m=1, l=0.5, g=9.81).gravity(0, "-g")
    upper = b.body("upper", rod("m", [0, 0], [0, "-l"]))
    lower = b.body("lower", rod("m", [0, 0], [0, "-l"]))
    shoulder = b.pin("shoulder", b.ground, upper)
    elbow = b.pin("elbow", upper.at(0, "-l"), lower)
    b.initial({shoulder: 1.2, elbow: 0.3})
    b.output(pull=shoulder.force, tip=lower.point(0, "-l"))
    b.simulate(1)
    return b, lower


def test_a_double_pendulum_is_the_one_of_the_manual():
    builder, _ = double()
    assert builder.text.strip() == TEXT.strip()
    assert np.array_equal(builder.system().simulate().y, System.from_text(TEXT).simulate().y)


def test_the_jacobian_of_a_point_is_the_derivative_of_its_velocity():
    builder, lower = double()
    system, tip = builder.system(), lower.point(0, "-l")
    rng = np.random.default_rng(1)
    y = rng.normal(size=(4, 7))
    jacobian = system.jacobian(tip, y)
    assert jacobian.shape == (2, 2, 7)
    # By hand: both links are 0.5 long, the elbow angle is relative.
    a, b = y[0], y[0] + y[1]
    by_hand = 0.5 * np.array([[np.cos(a) + np.cos(b), np.cos(b)], [np.sin(a) + np.sin(b), np.sin(b)]])
    assert np.allclose(jacobian, by_hand, atol=1e-15)
    assert np.allclose(system.jacobian("[0, -l] of lower", y[:, 3]), by_hand[..., 3], atol=1e-15)
    assert np.array_equal(system.angular_jacobian(lower, y[:, 0]), [[1.0, 1.0]])
    assert np.array_equal(system.jacobian(lower, {"shoulder": 0.3})[:, 1], [0.0, 0.0])
    with pytest.raises(RequestError, match="output|nobody"):
        system.jacobian("[0, 1] of nobody", y)
    with pytest.raises(RequestError, match="rate of"):
        system.jacobian("force(elbow)", y)


def test_mass_matrix_and_bias_give_the_accelerations():
    system = double()[0].system()
    y = np.random.default_rng(2).normal(size=(4, 5))
    mass, bias = system.mass_matrix(y), system.bias(y)
    assert mass.shape == (2, 2, 5) and bias.shape == (2, 5)
    found = np.array([np.linalg.solve(mass[..., k], -bias[:, k]) for k in range(5)]).T
    assert np.allclose(found, system.acceleration(0.0, y), rtol=1e-12)
    # At rest the bias is the weight: m g l/2 sin and so on, by hand for both links stretched out sideways.
    still = {"shoulder": np.pi / 2, "elbow": 0.0}
    assert np.allclose(system.bias(still), [9.81 * (0.25 + 0.5 + 0.25), 9.81 * 0.25])
    # A force at the tip does the work J^T f: it turns the equations into those of a model that has it.
    pushed = double()[0]
    pushed.statement("force [0, 3] at [0, -l] of lower")
    apart = pushed.system().bias(y) - bias
    tip = system.jacobian("[0, -l] of lower", y)
    assert np.allclose(apart, -np.einsum("dpk,d->pk", tip, [0.0, 3.0]), atol=1e-13)


def test_matrices_of_constraints():
    system = System.from_file(MODELS / "rolling_disk.dal")
    y = np.random.default_rng(3).normal(size=(8, 4))
    m = system.matrices(y)
    assert m.constraint_matrix.shape == (2, 4, 4) and m.constraint_rhs.shape == (2, 4)
    forces = system.acceleration_function().forces(0.0, y)
    left = np.einsum("ijk,jk->ik", m.mass_matrix, forces.acceleration) + m.bias
    pull = np.array([forces.multipliers[row] for row in system.rows])
    assert np.allclose(left, np.einsum("rjk,rk->jk", m.constraint_matrix, pull), atol=1e-12)
    at = system.evaluate(dict(zip(system.states, y[:, 0])))
    assert np.allclose(system.mass_matrix(y[:, 0]), at.mass) and np.allclose(-system.bias(y[:, 0]), at.impressed)


def test_jacobians_in_space_with_quaternions():
    system = System.from_text("gravity [0, 0, -9.81]\nbody top: ball 2 radius 0.1 + point 1 at [0, 0, 0.3]")
    y = np.array(list(system.initial.values()))
    assert len(system.speeds) == 6
    jacobian, turning = system.jacobian("[0, 0, 0.3] of top", y), system.angular_jacobian("top", y)
    v = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    rate = system.with_initial(dict(zip(system.speeds, v)))._with(None, None, ["output p = ([0, 0, 0.3] of top)', w = top.omega"])
    now = rate.evaluate().outputs
    assert np.allclose(jacobian @ v, [now["p.x"], now["p.y"], now["p.z"]])
    assert np.allclose(turning @ v, [now["w.x"], now["w.y"], now["w.z"]])


def test_a_four_bar_with_springs_is_the_one_of_the_manual():
    text = """
parameter a = 0.4, b = 1.1, c = 0.8, d = 1, rho = 2, g = 9.81, T = 0.5
gravity [0, -g]
body crank: rod rho*a from [0, 0] to [a, 0]
body coupler: rod rho*b from [0, 0] to [b, 0]
body rocker: rod rho*c from [0, 0] to [c, 0]
joint A: pin ground to crank
joint B: pin crank at [a, 0] to coupler
joint D: pin ground at [d, 0] to rocker
joint C: pin coupler at [b, 0] to rocker at [c, 0]
force A = T
spring back: 3 angle pi/2 at D
damper slow: 0.1 between [b, 0] of coupler and [0, 2] of ground
initial A = 1, B ~ -0.4, D ~ 1.5, A' = 2
output at_C = force(C), push = norm(force(A)), moment = force(back)
"""
    b = System.build()
    b.parameter(a=0.4, b=1.1, c=0.8, d=1, rho=2, g=9.81, T=0.5).gravity(0, "-g")
    crank = b.body("crank", rod("rho*a", [0, 0], ["a", 0]))
    coupler = b.body("coupler", rod("rho*b", [0, 0], ["b", 0]))
    rocker = b.body("rocker", rod("rho*c", [0, 0], ["c", 0]))
    A = b.pin("A", b.ground, crank)
    b.pin("B", crank.at("a", 0), coupler)
    D = b.pin("D", b.ground.at("d", 0), rocker)
    C = b.pin("C", coupler.at("b", 0), rocker.at("c", 0))
    b.force("T", on=A)
    back = b.spring("back", 3, at=D, angle="pi/2")
    b.damper("slow", 0.1, coupler.point("b", 0), b.ground.point(0, 2))
    b.initial({A: 1, A.rate: 2}).guess({"B": -0.4, D: 1.5})
    b.output(at_C=C.force, push=A.force.norm(), moment=back.force)
    built, written = b.system(), System.from_text(text)
    assert np.array_equal(built.simulate(1).y, written.simulate(1).y)
    assert np.array_equal(built.simulate(1)["moment"], written.simulate(1)["moment"])


def test_every_shape_and_joint_is_read():
    shapes = {
        "ball": ball(1, 0.1), "shell": shell(1, 0.1), "disk": disk(1, 0.2, [0, 1, 0]), "hoop": hoop(1, "0.1 + 0.1"),
        "box": box(1, [0.1, 0.2, 0.3]).at(0, 0, 1), "both": rod(1, [0, 0, 0], [0, 0, 1]) + particle(2, 0.1, 0, 1),
        "cylinder": cylinder(1, 0.1, [0, 0, 0], [0, 0, 1]),
    }  # fmt: skip
    b = System.build().gravity(0, 0, -9.81)
    bodies = {key: b.body(f"{key}1", shape) for key, shape in shapes.items()}
    bodies["plain"] = b.body("plain", mass=1, centre=[0, 0, 0.1], inertia=[1, 1, 1])
    options = {
        "pin": {"axis": [0, 1, 0], "armature": 0.1, "limits": (-1, 1)}, "slider": {}, "screw": {"pitch": "0.1 + 0.1"},
        "cylindrical": {}, "universal": {"axes": [[1, 0, 0], [0, 1, 0]]}, "ball": {}, "planar": {}, "free": {},
    }  # fmt: skip
    for (kind, more), body in zip(options.items(), bodies.values()):
        joint = b.joint(f"{kind}_joint", kind, b.ground.at(0, 0, 0, turned="rpy(0, 0, 1)"), body, **more)
        assert joint.name == f"{kind}_joint"
    hand = b.frame("hand", bodies["ball"], at=[0, 0, 1], turned="axis [1, 0, 0] by pi/2")
    b.spring("pull", 3, hand, bodies["shell"], length=0.1)
    b.bushing("soft", [1, 1, 1], [0.1, 0.1, 0.1], hand, bodies["disk"])
    b.torque([0, 0, 1], bodies["hoop"], bodies["box"])
    b.output(up=hand.direction(0, 0, 1).z, turn=hand.omega.dot([0, 0, 1]), E=bodies["both"].kinetic_energy + 1)
    system = b.system()
    assert len(system.speeds) == 1 + 1 + 1 + 2 + 2 + 3 + 3 + 6
    assert system.evaluate().outputs["up"] == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(RequestError, match="no joint 'hinge'"):
        b.joint("J", "hinge", b.ground, hand)
    with pytest.raises(RequestError, match="give two ends"):
        b.spring("S", 1)
    with pytest.raises(RequestError, match="a shape"):
        b.body("B")


def test_terms_compute():
    builder, lower = double()
    tip = lower.point(0, "-l")
    builder.output(height=(tip.y + 1) * 2, fast=tip.velocity.norm(), square=-(tip.x**2) / 3)
    now = builder.system().evaluate().outputs
    assert now["height"] == pytest.approx(2 * (now["tip.y"] + 1))
    assert now["square"] == pytest.approx(-(now["tip.x"] ** 2) / 3)
    assert repr(tip) == "<Point [0, -l] of lower>"


def test_a_robot_has_its_matrices():
    arm = dalembert.import_urdf(MODELS / "arm.urdf")
    mass = arm.mass_matrix()
    assert mass.shape == (3, 3) and np.allclose(mass, mass.T) and np.linalg.eigvalsh(mass).min() > 0
