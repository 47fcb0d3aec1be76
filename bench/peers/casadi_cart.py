"""The n-link pendulum on a cart in CasADi: symbolic Lagrange equations, function, first acceleration.

Prints the best time in milliseconds of CPU and the acceleration of the cart.
"""

import sys
import time

import casadi as ca


def once(n):
    begin = time.process_time()
    q = ca.SX.sym("q", n + 1)
    v = ca.SX.sym("v", n + 1)
    m, l, g, big = 0.5, 0.4, 9.81, 2.0
    kinetic, potential = big / 2 * v[0] ** 2, 0
    px, py = q[0], 0
    for i in range(1, n + 1):
        px = px + l * ca.sin(q[i])
        py = py - l * ca.cos(q[i])
        point = ca.vertcat(px, py)
        velocity = ca.jtimes(point, q, v)
        kinetic = kinetic + m / 2 * ca.dot(velocity, velocity)
        potential = potential + m * g * py
    lagrangian = kinetic - potential
    momentum = ca.gradient(lagrangian, v)
    mass = ca.jacobian(momentum, v)
    force = ca.gradient(lagrangian, q) - ca.jtimes(momentum, q, v)
    f = ca.Function("f", [q, v], [mass, force])
    mass0, force0 = f([0.0] + [0.3 * (i + 1) for i in range(n)], [0.0] * (n + 1))
    acceleration = ca.solve(mass0, force0)
    return (time.process_time() - begin) * 1e3, float(acceleration[0])


if __name__ == "__main__":
    n = int(sys.argv[1])
    samples = [once(n) for _ in range(10 if n <= 20 else 3)]
    print(min(ms for ms, _ in samples), samples[0][1])
