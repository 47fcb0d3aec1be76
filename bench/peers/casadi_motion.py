"""A whole motion in CasADi: Lagrange's equations in symbols, loops differentiated twice, multipliers and
accelerations by LDL in symbols, integrated by CVODES (Adams). For independent rows only.

Argument: a name of mechanisms.py. Standard input: see `question` there. Tolerances are tightened until the error is met.
Prints seconds, error and tolerance of the try that meets it, and `met`; or of the best try, and `missed`.
"""

import sys
import time

import casadi as ca
import numpy as np
from mechanisms import MECHANISMS, WORLD, error, question


def turned(axis, angle):
    """Rodrigues' rotation."""
    K = ca.skew(ca.DM(axis))
    return ca.DM.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * ca.mtimes(K, K)


def system(mechanism):
    n = len(mechanism.bodies)
    q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
    frames, kinetic, potential = [], 0, 0

    def place(body, there):
        R, p, _ = frames[body]
        return p + ca.mtimes(R, ca.DM(there))

    for k, body in enumerate(mechanism.bodies):
        R, p, turning = (ca.SX.eye(3), ca.SX.zeros(3), ca.SX.zeros(3)) if body.parent == WORLD else frames[body.parent]
        here = p + ca.mtimes(R, ca.DM(body.pivot))
        turning = turning + ca.mtimes(R, ca.DM(body.axis)) * v[k]
        frames.append((ca.mtimes(R, turned(body.axis, q[k])), here, turning))
        centre = place(k, body.centre)
        moving = ca.jtimes(centre, q, v)
        own = ca.mtimes(frames[k][0].T, turning)
        kinetic += body.mass / 2 * ca.dot(moving, moving) + ca.dot(ca.DM(body.inertia) * own, own) / 2
        potential -= body.mass * ca.dot(ca.DM(mechanism.gravity), centre)
    if mechanism.spring:
        stiffness, length, fixed, body, there = mechanism.spring
        potential += stiffness / 2 * (ca.norm_2(place(body, there) - ca.DM(fixed)) - length) ** 2
    rows = ca.vertcat(*(place(i, here) - place(j, there) for i, here, j, there in mechanism.loops))
    # In the plane the third component of a loop says nothing.
    rows = rows[[i for i in range(rows.numel()) if ca.jacobian(rows[i], q).nnz() > 0]]
    lagrangian = kinetic - potential
    momentum = ca.gradient(lagrangian, v)
    force = ca.gradient(lagrangian, q) - ca.jtimes(momentum, q, v)
    force[0] += mechanism.torque
    A = ca.jacobian(rows, q)
    factors = ca.ldl(ca.jacobian(momentum, v))
    free, spread = ca.ldl_solve(force, *factors), ca.ldl_solve(A.T, *factors)
    missing = -ca.jtimes(ca.jtimes(rows, q, v), q, v) - ca.mtimes(A, free)
    acceleration = free + ca.mtimes(spread, ca.ldl_solve(missing, *ca.ldl(ca.mtimes(A, spread))))
    return {"x": ca.vertcat(q, v), "ode": ca.vertcat(v, acceleration)}


if __name__ == "__main__":
    mechanism = MECHANISMS[sys.argv[1]]()
    until, wanted, most, known = question(sys.stdin)
    dae, n = system(mechanism), len(mechanism.bodies)
    start = np.concatenate([mechanism.angles, mechanism.rates])
    began, best = time.perf_counter(), None
    for k in range(8):
        tolerance = 1e-6 * 10.0**-k
        options = {"linear_multistep_method": "adams", "abstol": tolerance * 0.01, "reltol": tolerance, "max_num_steps": 1_000_000}
        try:
            integrator = ca.integrator("motion", "cvodes", dae, 0, until, options)
            began_one = time.perf_counter()
            end = np.array(integrator(x0=start)["xf"]).ravel()
        except RuntimeError:
            continue
        seconds = time.perf_counter() - began_one
        off = error(mechanism.compared(end[:n], end[n:], None), known)
        if np.isfinite(off) and (best is None or off < best[1]):
            best = (seconds, off, tolerance)
        if off < wanted or time.perf_counter() - began > most:
            break
    print(*(best or ("none",)), "met" if best and best[1] < wanted else "missed")
