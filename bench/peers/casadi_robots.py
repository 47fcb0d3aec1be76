"""Accelerations of robots and chains by articulated bodies in CasADi's symbols, as C with gcc -O3.

    python bench/peers/casadi_robots.py [NAME...]

The trees and states of robots.py, one state a call, 64 states in turn. This is the best code a user can generate without
writing a code generator. Accelerations are compared with Pinocchio's, relative to the largest. Prints a table in Markdown.
"""

import pathlib
import subprocess
import sys
import tempfile

import casadi
import numpy as np
import pinocchio as pin
from casadi import SX, vertcat, horzcat, mtimes

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from robots import CHAINS, FILES, Tree, write_states  # noqa: E402

DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int aba(const double **arg, double **res, long long *iw, double *w, int mem);
int aba_work(long long *a, long long *r, long long *i, long long *w);
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec*1e9 + t.tv_nsec; }
int main(void) {
    long long sizes[4]; int states; double best = 1e300; const double *arg[16]; double *res[16];
    aba_work(sizes, sizes + 1, sizes + 2, sizes + 3);
    double *w = calloc(sizes[3] + 1, 8), *out = calloc(NV, 8);
    if (scanf("%d", &states) != 1) return 1;
    double *q = malloc(states*NQ*8), *v = malloc(states*NV*8);
    for (int s = 0; s < states; s++) {
        for (int k = 0; k < NQ; k++) if (scanf("%lf", q + s*NQ + k) != 1) return 1;
        for (int k = 0; k < NV; k++) if (scanf("%lf", v + s*NV + k) != 1) return 1;
    }
    for (int k = 0; k < 400; k++) {
        double begin = now();
        for (int i = 0; i < 640; i++) {
            arg[0] = q + i % states*NQ; arg[1] = v + i % states*NV; res[0] = out;
            aba(arg, res, 0, w, 0);
        }
        double ns = (now() - begin)/640; if (ns < best) best = ns;
    }
    printf("%.17g\\n", best);
    for (int s = 0; s < 4; s++) {
        arg[0] = q + s*NQ; arg[1] = v + s*NV; res[0] = out; aba(arg, res, 0, w, 0);
        for (int k = 0; k < NV; k++) printf("%.17g ", out[k]);
        printf("\\n");
    }
}
"""


def skew(p):
    return vertcat(horzcat(0, -p[2], p[1]), horzcat(p[2], 0, -p[0]), horzcat(-p[1], p[0], 0))


def turn(axis, q):
    """The rotation about an axis, exactly where it is x, y or z."""
    K = skew(SX(axis))
    return SX.eye(3) + casadi.sin(q)*K + (1 - casadi.cos(q))*mtimes(K, K) if max(map(abs, axis)) < 1 else _about(axis, q)


def _about(axis, q):
    k = max(range(3), key=lambda i: abs(axis[i]))
    c, s = casadi.cos(q), axis[k]*casadi.sin(q)
    i, j = (k + 1) % 3, (k + 2) % 3
    R = SX.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def transform(E, p):
    """Spatial motions from the parent's axes to those of the child, angular part first."""
    return vertcat(horzcat(E, SX.zeros(3, 3)), horzcat(mtimes(-E, skew(p)), E))


def motion_cross(v):
    w, u = skew(v[:3]), skew(v[3:])
    return vertcat(horzcat(w, SX.zeros(3, 3)), horzcat(u, w))


def spatial_inertia(mass, centre, J):
    C = skew(SX(centre))
    return vertcat(horzcat(SX(np.array(J)) - mass*mtimes(C, C), mass*C), horzcat(-mass*C, mass*SX.eye(3)))


def articulated(tree):
    """The function (q, v) -> accelerations in Pinocchio's order."""
    free = tree.joints[0][0] == "free"
    n = len(tree.joints)
    q, v = SX.sym("q", n + 6*free), SX.sym("v", n + 5*free)
    X, S, c, I, bias, speed = [], [], [], [], [], []
    for k, (kind, parent, axis, R, p, mass, centre, J) in enumerate(tree.joints):
        place, R = SX(p), SX(np.array(R))
        if kind == "free":
            x, y, z, w = (q[i] for i in range(3, 7))
            turned = vertcat(horzcat(1 - 2*(y*y + z*z), 2*(x*y - z*w), 2*(x*z + y*w)), horzcat(2*(x*y + z*w), 1 - 2*(x*x + z*z), 2*(y*z - x*w)), horzcat(2*(x*z - y*w), 2*(y*z + x*w), 1 - 2*(x*x + y*y)))
            X.append(transform(turned.T, q[:3])), S.append(None), c.append(SX.zeros(6))
            speed.append(vertcat(v[3:6], v[:3]))
        else:
            angle, rate = q[k + 6*free], v[k + 5*free]
            E = mtimes(R, turn(axis, angle)) if kind == "pin" else R
            at = place if kind == "pin" else place + mtimes(R, SX(axis))*angle
            X.append(transform(E.T, at))
            S.append(vertcat(SX(axis), SX.zeros(3)) if kind == "pin" else vertcat(SX.zeros(3), SX(axis)))
            own = S[k]*rate
            speed.append((mtimes(X[k], speed[parent - 1]) if parent else SX.zeros(6)) + own)
            c.append(mtimes(motion_cross(speed[k]), own))
        I.append(spatial_inertia(mass, centre, J))
        bias.append(mtimes(-motion_cross(speed[k]).T, mtimes(I[k], speed[k])))
    U, d, u = [None]*n, [None]*n, [None]*n
    for k in reversed(range(n)):
        if S[k] is None:
            continue
        U[k] = mtimes(I[k], S[k])
        d[k], u[k] = mtimes(S[k].T, U[k]), -mtimes(S[k].T, bias[k])
        parent = tree.joints[k][1]
        if parent:
            left = I[k] - mtimes(U[k], U[k].T)/d[k]
            pushed = bias[k] + mtimes(left, c[k]) + U[k]*(u[k]/d[k])
            I[parent - 1] = I[parent - 1] + mtimes(X[k].T, mtimes(left, X[k]))
            bias[parent - 1] = bias[parent - 1] + mtimes(X[k].T, pushed)
    ground = vertcat(SX.zeros(5), SX(9.81))
    a, out = [], []
    for k, joint in enumerate(tree.joints):
        led = mtimes(X[k], a[joint[1] - 1] if joint[1] else ground) + c[k]
        if S[k] is None:
            found = -casadi.solve(I[k], bias[k])
            change = found - led
            a.append(found), out.append(vertcat(change[3:], change[:3]))
        else:
            rate = (u[k] - mtimes(U[k].T, led))/d[k]
            a.append(led + S[k]*rate), out.append(rate)
    return casadi.Function("aba", [q, v], [vertcat(*out)])


def pinocchio_model(tree):
    model = pin.Model()
    at = [0]
    for i, (kind, parent, axis, R, p, mass, centre, J) in enumerate(tree.joints):
        vector = np.array(axis)
        joint = pin.JointModelFreeFlyer() if kind == "free" else (pin.JointModelRevoluteUnaligned(vector) if kind == "pin" else pin.JointModelPrismaticUnaligned(vector))
        at.append(model.addJoint(at[parent], joint, pin.SE3(np.array(R), np.array(p)), f"j{i}"))
        model.appendBodyToJoint(at[-1], pin.Inertia(mass, np.array(centre), np.array(J)), pin.SE3.Identity())
    return model


def row(name, folder):
    tree = Tree.chain(int(name[5:])) if name.startswith("chain") else Tree.of_robot(name)
    function = articulated(tree)
    n_q, n_v = function.size1_in(0), function.size1_in(1)
    states, _ = tree.states()
    (folder / "main.c").write_text(DRIVER.replace("NQ", str(n_q)).replace("NV", str(n_v)))
    function.generate("aba.c", {"casadi_int": "long long"})
    pathlib.Path("aba.c").rename(folder / "aba.c")
    subprocess.run(["gcc", "-O3", "-march=native", "-w", folder / "main.c", folder / "aba.c", "-o", folder / "run", "-lm"], check=True)
    lines = subprocess.run([folder / "run"], input=write_states(states), capture_output=True, text=True, check=True).stdout.strip().split("\n")
    model = pinocchio_model(tree)
    data, off = model.createData(), 0.0
    for line, (q, v) in zip(lines[1:], states):
        theirs = pin.aba(model, data, np.array(q), np.array(v), np.zeros(n_v))
        own = np.array([float(c) for c in line.split()])
        off = max(off, np.max(np.abs(theirs - own))/np.max(np.abs(theirs)))
    return f"| {name} | {n_v} | {function.n_instructions()} | {float(lines[0]):.0f} | {off:.1e} |"


def main():
    names = sys.argv[1:] or [*FILES, *(f"chain{n}" for n in CHAINS if n <= 40)]
    print("| model | speeds | instructions of CasADi | ns | differs from Pinocchio |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            print(row(name, pathlib.Path(folder)), flush=True)


if __name__ == "__main__":
    main()
