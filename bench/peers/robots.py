"""Accelerations of robots and chains: Dalembert, Pinocchio's aba (a loop of C++) and MuJoCo's mj_forward (a loop of C).

    python bench/peers/robots.py PROGRAM [NAME...]      PROGRAM: target/release/robots

One state a call, 64 states in turn. Robots come from the package example-robot-data, as Pinocchio reads them (fixed
joints merged); the same tree is written as a model of Dalembert and as MJCF, so that all three compute the same thing.
Accelerations of the first states are compared with Pinocchio's, relative to the largest. Prints a table in Markdown.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import pinocchio as pin

FREE = {"anymal", "talos"}
FILES = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "anymal": "anymal_b_simple_description/robots/anymal.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}
# Pinocchio's data for a chain of 1000 joints takes more than 20 GiB: ask for that one by name, with memory to spare.
CHAINS = [5, 10, 20, 40, 100, 300]
STATES = 64
PINOCCHIO = """
#include <cstdio>
#include <ctime>
#include <iostream>
#include <vector>
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
using namespace pinocchio;
static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec*1e9 + t.tv_nsec; }
int main() {
    Model m;
    m.gravity.linear() << 0, 0, -9.81;
    int n; std::cin >> n;
    for (int i = 1; i <= n; i++) {
        std::string kind; int parent; Eigen::Vector3d axis, p, c; Eigen::Matrix3d R, J; double mass;
        std::cin >> kind >> parent;
        for (int k = 0; k < 3; k++) std::cin >> axis[k];
        for (int r = 0; r < 3; r++) for (int k = 0; k < 3; k++) std::cin >> R(r, k);
        for (int k = 0; k < 3; k++) std::cin >> p[k];
        std::cin >> mass;
        for (int k = 0; k < 3; k++) std::cin >> c[k];
        for (int r = 0; r < 3; r++) for (int k = 0; k < 3; k++) std::cin >> J(r, k);
        SE3 place(R, p); std::string name = "j" + std::to_string(i); JointIndex at;
        if (kind == "free") at = m.addJoint(parent, JointModelFreeFlyer(), place, name);
        else if (kind == "slider") at = m.addJoint(parent, JointModelPrismaticUnaligned(axis), place, name);
        else if (axis == Eigen::Vector3d::UnitX()) at = m.addJoint(parent, JointModelRX(), place, name);
        else if (axis == Eigen::Vector3d::UnitY()) at = m.addJoint(parent, JointModelRY(), place, name);
        else if (axis == Eigen::Vector3d::UnitZ()) at = m.addJoint(parent, JointModelRZ(), place, name);
        else at = m.addJoint(parent, JointModelRevoluteUnaligned(axis), place, name);
        m.appendBodyToJoint(at, Inertia(mass, c, J), SE3::Identity());
    }
    int states; std::cin >> states;
    std::vector<Eigen::VectorXd> q(states, Eigen::VectorXd(m.nq)), v(states, Eigen::VectorXd(m.nv));
    for (int s = 0; s < states; s++) {
        for (int k = 0; k < m.nq; k++) std::cin >> q[s][k];
        for (int k = 0; k < m.nv; k++) std::cin >> v[s][k];
    }
    Data d(m);
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(m.nv);
    double best = 1e300; int calls = m.nv > 200 ? 64 : 640;
    for (int k = 0; k < 400; k++) {
        double begin = now();
        for (int i = 0; i < calls; i++) aba(m, d, q[i % states], v[i % states], tau, Convention::LOCAL);
        double ns = (now() - begin)/calls;
        if (ns < best) best = ns;
    }
    printf("%.17g\\n", best);
    for (int s = 0; s < 4; s++) {
        aba(m, d, q[s], v[s], tau, Convention::LOCAL);
        for (int k = 0; k < m.nv; k++) printf("%.17g ", d.ddq[k]);
        printf("\\n");
    }
}
"""
MUJOCO = """
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec*1e9 + t.tv_nsec; }
int main(int count, char **names) {
    char error[1000]; double best = 1e300; int states;
    mjModel *m = mj_loadXML(names[1], 0, error, sizeof error);
    if (!m) { puts(error); return 1; }
    mjData *d = mj_makeData(m);
    if (scanf("%d", &states) != 1) return 1;
    double *q = malloc(states*m->nq*sizeof(double)), *v = malloc(states*m->nv*sizeof(double));
    for (int s = 0; s < states; s++) {
        for (int k = 0; k < m->nq; k++) if (scanf("%lf", q + s*m->nq + k) != 1) return 1;
        for (int k = 0; k < m->nv; k++) if (scanf("%lf", v + s*m->nv + k) != 1) return 1;
    }
    for (int k = 0; k < (m->nv > 200 ? 20 : 200); k++) {
        double begin = now();
        for (int i = 0; i < 64; i++) {
            memcpy(d->qpos, q + i % states*m->nq, m->nq*sizeof(double));
            memcpy(d->qvel, v + i % states*m->nv, m->nv*sizeof(double));
            mj_forward(m, d);
        }
        double ns = (now() - begin)/64; if (ns < best) best = ns;
    }
    printf("%.17g\\n", best);
}
"""


def snap(values):
    """Numbers without the rounding of right angles."""
    return [[float(round(c)) if abs(c - round(c)) < 1e-6 and abs(c) < 1.5 and (abs(c) < 1e-6 or abs(c) > 0.9) else float(c) for c in row] for row in values]


class Tree:
    """Joints as (kind, parent, axis, R, p, mass, centre, inertia), parents by number, 0 for the ground."""

    def __init__(self, joints):
        self.joints = joints

    @staticmethod
    def of_robot(name):
        prefix = next(p for p in pathlib.Path(pin.__file__).parents if (p / "share" / "example-robot-data").is_dir())
        path = prefix / "share" / "example-robot-data" / "robots" / FILES[name]
        free = [pin.JointModelFreeFlyer()] if name in FREE else []
        model = pin.buildModelFromUrdf(str(path), *free)
        joints = []
        for i in range(1, model.njoints):
            joint, place, body = model.joints[i], model.jointPlacements[i], model.inertias[i]
            kind = joint.shortname()
            if kind.endswith("FreeFlyer"):
                word, axis = "free", [0.0, 0.0, 1.0]
            else:
                word = "slider" if "JointModelP" in kind else "pin"
                letter = re.search(r"JointModel[RP]U?([XYZ])$", kind)
                axis = [float(letter.group(1) == c) for c in "XYZ"] if letter else list(joint.extract().axis) if hasattr(joint, "extract") else list(joint.axis)
            joints.append((word, model.parents[i], axis, snap(place.rotation), list(place.translation), body.mass, list(body.lever), body.inertia.tolist()))
        return Tree(joints)

    @staticmethod
    def chain(n):
        joints = []
        for i in range(n):
            inertia = np.diag([0.01, 0.012, 0.004]).tolist()
            axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][i % 3]
            place = [0.0, 0.0, 0.0] if i == 0 else [0.0, 0.0, -0.2]
            joints.append(("pin", i, axis, np.eye(3).tolist(), place, 1.0, [0.02, 0.0, -0.1], inertia))
        return Tree(joints)

    def dal(self):
        number = lambda c: repr(float(c)).replace("e-0", "e-")
        vector = lambda v: "[" + ", ".join(number(c) for c in v) + "]"
        matrix = lambda m: "[" + ", ".join(vector(row) for row in m) + "]"
        lines = ["gravity [0, 0, -9.81]"]
        for i, (_, _, _, _, _, mass, centre, inertia) in enumerate(self.joints):
            lines.append(f"body b{i + 1}: mass {number(mass)}, centre {vector(centre)}, inertia {matrix(inertia)}")
        for i, (kind, parent, axis, R, p, *_) in enumerate(self.joints):
            on = f"b{parent}" if parent else "ground"
            turned = "" if np.allclose(R, np.eye(3), atol=0) else f" turned {matrix(R)}"
            where = f", axis {vector(axis)}" if kind != "free" else ""
            lines.append(f"joint j{i + 1}: {kind} {on} at {vector(p)}{turned} to b{i + 1}{where}")
        return "\n".join(lines) + "\n"

    def mjcf(self):
        text = lambda v: " ".join(repr(float(c)) for c in v)
        children = {}
        for i, joint in enumerate(self.joints):
            children.setdefault(joint[1], []).append(i + 1)
        def body(i):
            kind, _, axis, R, p, mass, centre, J = self.joints[i - 1]
            quaternion = pin.Quaternion(np.array(R))
            e = [quaternion.w, quaternion.x, quaternion.y, quaternion.z]
            joint = "<freejoint/>" if kind == "free" else f'<joint type="{"slide" if kind == "slider" else "hinge"}" axis="{text(axis)}"/>'
            full = [J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]]
            head = f'<body pos="{text(p)}" quat="{text(e)}">{joint}<inertial pos="{text(centre)}" mass="{mass!r}" fullinertia="{text(full)}"/>'
            return head, "</body>"
        # Without recursion: chains are long.
        out, stack = [], [("open", i) for i in reversed(children.get(0, []))]
        while stack:
            what, i = stack.pop()
            head, tail = body(i)
            if what == "close":
                out.append(tail)
                continue
            out.append(head)
            stack.append(("close", i))
            stack.extend(("open", c) for c in reversed(children.get(i, [])))
        flags = '<flag contact="disable" energy="disable"/>'
        return f'<mujoco><compiler balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/><option gravity="0 0 -9.81">{flags}</option><worldbody>{"".join(out)}</worldbody></mujoco>'

    def states(self):
        """The states of bench/src/robots.rs in the order of Pinocchio, and how to sort its accelerations."""
        n_x = sum(7 if joint[0] == "free" else 1 for joint in self.joints)
        free = sum(joint[0] == "free" for joint in self.joints)
        pins = len(self.joints) - free
        value = lambda i, k: 2*math.modf(0.618033988749895*(7*i + 31*k + 1))[0] - 1
        found, order = [], []
        for k in range(STATES):
            x, eta = [value(i, k) for i in range(n_x)], [value(i + 1000, k) for i in range(pins + 6*free)]
            q, v, order, at, rate, declared = [], [], [], 0, 0, pins
            for joint in self.joints:
                if joint[0] == "free":
                    e = np.array(x[at + 3:at + 7])
                    e /= np.linalg.norm(e)
                    q += x[at:at + 3] + [e[1], e[2], e[3], e[0]]
                    v += eta[declared + 3:declared + 6] + eta[declared:declared + 3]
                    order += [*range(declared + 3, declared + 6), *range(declared, declared + 3)]
                    at, declared = at + 7, declared + 6
                else:
                    q.append(x[at])
                    v.append(eta[rate])
                    order.append(rate)
                    at, rate = at + 1, rate + 1
            found.append((q, v))
        return found, order

    def dump(self):
        lines = [str(len(self.joints))]
        for kind, parent, axis, R, p, mass, centre, J in self.joints:
            numbers = [*axis, *np.ravel(R), *p, mass, *centre, *np.ravel(J)]
            lines.append(f"{kind} {parent} " + " ".join(repr(float(c)) for c in numbers))
        return "\n".join(lines) + "\n"


def write_states(states):
    return f"{len(states)}\n" + "\n".join(" ".join(repr(float(c)) for c in [*q, *v]) for q, v in states) + "\n"


def compiled(name, source, compiler, flags, links):
    """A driver, compiled once."""
    program = pathlib.Path(sys.prefix) / name
    if not program.exists():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / ("driver.cpp" if compiler == "g++" else "driver.c")
            path.write_text(source)
            subprocess.run([compiler, *flags, path, "-o", program, *links], check=True)
    return program


def pinocchio_driver():
    import casadi

    eigen = pathlib.Path(casadi.__file__).parent / "include" / "eigen3"
    prefix = next(p for p in pathlib.Path(pin.__file__).parents if (p / "include" / "pinocchio").is_dir())
    flags = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-O3", "-DNDEBUG", "-march=native", "-std=c++17", "-w", f"-I{prefix}/include", f"-I{eigen}"]
    links = [f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-lpinocchio_default", "-lboost_serialization"]
    return compiled(f"pinocchio_robots_{pin.__version__}", PINOCCHIO, "g++", flags, links)


def mujoco_driver():
    import mujoco

    folder = pathlib.Path(mujoco.__file__).parent
    library = next(p for pattern in ("libmujoco.so.*", "../mujoco*/libmujoco.so*") for p in folder.glob(pattern))
    flags, links = ["-O3", "-march=native", f"-I{folder}/include"], [str(library), f"-Wl,-rpath,{library.parent}", "-lm"]
    return compiled(f"mujoco_robots_{mujoco.__version__}", MUJOCO, "gcc", flags, links)


def row(name, program, drivers, folder):
    tree = Tree.chain(int(name[5:])) if name.startswith("chain") else Tree.of_robot(name)
    path = folder / f"{name}.dal"
    path.write_text(tree.dal())
    ours = json.loads(subprocess.run([program, "--json", path], capture_output=True, text=True, check=True).stdout.replace("NaN", "null"))
    states, order = tree.states()
    asked = subprocess.run([drivers[0]], input=tree.dump() + write_states(states), capture_output=True, text=True, check=True)
    lines = asked.stdout.strip().split("\n")
    ns = float(lines[0])
    off = 0.0
    for theirs, own in zip(lines[1:], ours["accelerations"]):
        theirs, own = np.array([float(c) for c in theirs.split()]), np.array(own)[order]
        off = max(off, np.max(np.abs(theirs - own))/np.max(np.abs(theirs)))
    mujoco = float("nan")
    if drivers[1] is not None:
        xml = folder / f"{name}.xml"
        xml.write_text(tree.mjcf())
        # scalar first, and velocities of the origin in space
        plain = [([q[0], q[1], q[2], q[6], *q[3:6], *q[7:]] if tree.joints[0][0] == "free" else q, v) for q, v in states]
        try:
            mujoco = float(subprocess.run([drivers[1], xml], input=write_states(plain), capture_output=True, text=True, check=True).stdout)
        except (subprocess.CalledProcessError, ValueError) as failure:
            print(name, getattr(failure, "stdout", failure), file=sys.stderr)
    own = ours["ns"] or float("nan")
    ready = ours["ready_ms"]
    return f"| {name} | {ours['speeds']} | {ours['operations']} | {own:.0f} | {ns:.0f} | {own/ns:.3f} | {ours['lanes_ns'] or float('nan'):.0f} | {mujoco:.0f} | {ready:.1f} | {off:.1e} |"


def main():
    program, names = sys.argv[1], sys.argv[2:] or [*FILES, *(f"chain{n}" for n in CHAINS)]
    drivers = [pinocchio_driver(), None]
    try:
        drivers[1] = mujoco_driver()
    except (ImportError, StopIteration, subprocess.CalledProcessError) as failure:
        print("no MuJoCo:", failure, file=sys.stderr)
    print("| model | speeds | operations | Dalembert ns | Pinocchio aba ns | ratio | in lanes ns | MuJoCo ns | text to program ms | differs from Pinocchio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            try:
                print(row(name, program, drivers, pathlib.Path(folder)), flush=True)
            except subprocess.CalledProcessError as failure:
                print(f"| {name} | failed |", flush=True)
                print(failure.stderr, file=sys.stderr)


if __name__ == "__main__":
    main()
