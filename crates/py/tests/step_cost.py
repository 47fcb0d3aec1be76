"""What a step from Python costs: cart and pole, dt = 0.02 s, in processor time.

    python crates/py/tests/step_cost.py

prints microseconds a step, the best of several rounds, and those of MuJoCo's `mj_step` where it is installed: with its
Runge-Kutta method, which is also that of the stepper, and with its cheapest one. Use a release build of the package.
"""

import time
import timeit

import dalembert

POLE = """
parameter M = 2, m = 0.5, l = 0.8, g = 9.81
input u = 0
coordinate x, theta
let P = [x + l*sin(theta), l*cos(theta)]
kinetic M/2*x'^2 + m/2*dot(P', P')
potential m*g*P.y
force x = u
initial theta = 0.1
"""

MJCF = """
<mujoco><option timestep="0.02" integrator="{method}" gravity="0 0 -9.81"><flag contact="disable" constraint="disable"/></option>
<worldbody><body><joint name="x" type="slide" axis="1 0 0"/><geom type="sphere" size="0.01" mass="2"/>
<body><joint name="theta" type="hinge" axis="0 1 0"/><geom type="sphere" size="0.01" mass="0.5" pos="0 0 0.8"/></body></body></worldbody>
<actuator><motor joint="x"/></actuator></mujoco>
"""


def microseconds(step, calls=5000, rounds=11):
    """Of one call, the least over several rounds: the machine may be busy."""
    return min(timeit.repeat(step, number=calls, repeat=rounds, timer=time.process_time)) / calls * 1e6


def ours():
    """A step of the stepper."""
    stepper = dalembert.System.from_text(POLE).stepper(0.02)
    stepper.reset()
    return microseconds(lambda: stepper.step(0.5))


def mujoco(method):
    """A step of MuJoCo with the same input, or None where it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    model = mujoco.MjModel.from_xml_string(MJCF.format(method=method))
    data = mujoco.MjData(model)

    def step():
        data.ctrl[0] = 0.5
        mujoco.mj_step(model, data)

    return microseconds(step)


if __name__ == "__main__":
    print(f"stepper.step(u), rk4  {ours():6.2f} us")
    for method in ("RK4", "Euler"):
        theirs = mujoco(method)
        print(f"mj_step, {method:12} " + ("not installed" if theirs is None else f"{theirs:6.2f} us"))
