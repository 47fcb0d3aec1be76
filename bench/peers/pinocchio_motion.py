"""A whole motion in Pinocchio: constraintDynamics for the accelerations, called from Python in SciPy's DOP853.

Argument: a name of mechanisms.py. Standard input: see `question` there. Tolerances are tightened until the error is met.
Prints seconds, error and tolerance of the try that meets it, and `met`; or of the best try, and `missed`.
"""

import sys
import time

import numpy as np
import pinocchio as pin
from mechanisms import MECHANISMS, WORLD, error, question
from scipy.integrate import solve_ivp


def model(mechanism):
    m = pin.Model()
    m.gravity.linear = np.array(mechanism.gravity, dtype=float)
    joints = []
    for k, body in enumerate(mechanism.bodies):
        parent = 0 if body.parent == WORLD else joints[body.parent]
        place = pin.SE3(np.eye(3), np.array(body.pivot, dtype=float))
        at = m.addJoint(parent, pin.JointModelRevoluteUnaligned(np.array(body.axis, dtype=float)), place, f"joint{k}")
        inertia = pin.Inertia(body.mass, np.array(body.centre, dtype=float), np.diag(body.inertia))
        m.appendBodyToJoint(at, inertia, pin.SE3.Identity())
        joints.append(at)
    constraints = pin.StdVec_RigidConstraintModel()
    for k, (a, here, b, there) in enumerate(mechanism.loops + mechanism.welds):
        kind = pin.ContactType.CONTACT_3D if k < len(mechanism.loops) else pin.ContactType.CONTACT_6D
        ends = [pin.SE3(np.eye(3), np.array(place, dtype=float)) for place in (here, there)]
        constraints.append(pin.RigidConstraintModel(kind, m, joints[a], ends[0], joints[b], ends[1], pin.ReferenceFrame.LOCAL))
    return m, joints, constraints


if __name__ == "__main__":
    mechanism = MECHANISMS[sys.argv[1]]()
    until, wanted, most, known = question(sys.stdin)
    m, joints, constraints = model(mechanism)
    d = m.createData()
    held = pin.StdVec_RigidConstraintData()
    for c in constraints:
        held.append(c.createData())
    pin.initConstraintDynamics(m, d, constraints, held)
    # Planar loops have a row of zeros, the welded one a redundant row: the proximal iteration goes to the least force.
    settings = pin.ProximalSettings(1e-15, 1e-15, 1e-4, 100)
    # Angles of the joints in Pinocchio's order, which is depth first.
    at = [m.idx_vs[j] for j in joints]
    spring, tau, n = mechanism.spring, np.zeros(m.nv), m.nv
    tau[at[0]] = mechanism.torque
    began = time.perf_counter()

    def pulled(q):
        """The force of the spring on its body, as forces of the joints."""
        stiffness, length, place, body, there = spring
        pin.computeJointJacobians(m, d, q)
        j = joints[body]
        end = d.oMi[j].act(np.array(there))
        along = np.array(place) - end
        size = np.linalg.norm(along)
        slope = pin.getJointJacobian(m, d, j, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        arm = end - d.oMi[j].translation
        force = stiffness * (size - length) * along / size
        return slope[:3].T @ force + slope[3:].T @ np.cross(arm, force)

    def derivative(_, s):
        if time.perf_counter() - began > most:
            raise TimeoutError
        q, v = s[:n], s[n:]
        forces = tau + pulled(q) if spring else tau
        return np.concatenate([v, pin.constraintDynamics(m, d, q, v, forces, constraints, held, settings)])

    start = np.zeros(2 * n)
    start[at], start[[n + k for k in at]] = mechanism.angles, mechanism.rates

    def places():
        found, moving = [], []
        for body, place in mechanism.places:
            j = joints[body]
            frame = pin.getVelocity(m, d, j, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            arm = d.oMi[j].rotation @ np.array(place, dtype=float)
            found.append(d.oMi[j].translation + arm)
            moving.append(frame.linear + np.cross(frame.angular, arm))
        return found, moving

    best = None
    try:
        for k in range(9):
            tolerance = 1e-5 * 10.0**-k
            began_one = time.perf_counter()
            s = solve_ivp(derivative, (0, until), start, method="DOP853", rtol=tolerance, atol=tolerance * 0.01)
            seconds = time.perf_counter() - began_one
            if not s.success:
                continue
            q, v = s.y[:n, -1], s.y[n:, -1]
            pin.forwardKinematics(m, d, q, v)
            off = error(mechanism.compared(q[at], v[at], places), known)
            if best is None or off < best[1]:
                best = (seconds, off, tolerance)
            if off < wanted:
                break
    except TimeoutError:
        pass
    print(*(best or ("none",)), "met" if best and best[1] < wanted else "missed")
