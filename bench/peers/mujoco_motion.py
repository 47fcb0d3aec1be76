"""A whole motion in MuJoCo: RK4 in a loop of C against the library of the Python package (gcc -O3), loops closed by
equality constraints as stiff as the step bears (time constant of a few steps, whatever gives the least error).

Argument: a name of mechanisms.py. Standard input: see `question` there. Steps are halved until the error is met.
Prints seconds, error and step of the try that meets it, and `met`; or of the best try, and `missed`.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import mujoco
import numpy as np
from mechanisms import MECHANISMS, WORLD, error, question

DRIVER = """
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9*t.tv_nsec; }
int main(int count, char **words) {
    char text[1000]; long steps = atol(words[2]); double torque = atof(words[3]);
    mjModel *m = mj_loadXML(words[1], 0, text, sizeof text);
    if (!m) { puts(text); return 1; }
    mjData *d = mj_makeData(m);
    for (int i = 0; i < m->nq; i++) if (scanf("%lf", d->qpos + i) != 1) return 1;
    for (int i = 0; i < m->nv; i++) if (scanf("%lf", d->qvel + i) != 1) return 1;
    d->qfrc_applied[0] = torque;
    double begin = now();
    for (long i = 0; i < steps; i++) mj_step(m, d);
    printf("%.17g", now() - begin);
    for (int i = 0; i < m->nq; i++) printf(" %.17g", d->qpos[i]);
    for (int i = 0; i < m->nv; i++) printf(" %.17g", d->qvel[i]);
    puts("");
}
"""


# Time constant of the constraints in steps.
STIFFNESS = {"andrews": 5, "four_bar": 2, "bricard": 2}


def spelt(values):
    return " ".join(repr(float(v)) for v in values)


def model(mechanism, step, constant):
    sites = [[] for _ in mechanism.bodies]
    equal, tendon, fixed = "", "", ""
    stiff = f'solref="{constant!r} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    for k, (a, here, b, there) in enumerate(mechanism.loops + mechanism.welds):
        sites[a].append((f"a{k}", here))
        sites[b].append((f"b{k}", there))
        kind = "connect" if k < len(mechanism.loops) else "weld"
        equal += f'<{kind} site1="a{k}" site2="b{k}" {stiff}/>'
    if mechanism.spring:
        stiffness, length, place, body, there = mechanism.spring
        fixed = f'<site name="c" pos="{spelt(place)}"/>'
        sites[body].append(("d", there))
        tendon = f'<tendon><spatial stiffness="{stiffness}" springlength="{length}"><site site="c"/><site site="d"/></spatial></tendon>'

    def below(parent):
        out = ""
        for i, body in enumerate(mechanism.bodies):
            if body.parent == parent:
                inertia = np.maximum(body.inertia, 1e-9)
                out += f'<body name="{i}" pos="{spelt(body.pivot)}"><joint type="hinge" axis="{spelt(body.axis)}"/>'
                out += f'<inertial pos="{spelt(body.centre)}" mass="{body.mass!r}" diaginertia="{spelt(inertia)}"/>'
                out += "".join(f'<site name="{name}" pos="{spelt(place)}"/>' for name, place in sites[i])
                out += below(i) + "</body>"
        return out

    return (
        f'<mujoco><compiler boundmass="0" boundinertia="0"/><option timestep="{step!r}" integrator="RK4" gravity="{spelt(mechanism.gravity)}" '
        'solver="Newton" tolerance="1e-15" iterations="20"><flag contact="disable" warmstart="enable"/></option>'
        f"<worldbody>{fixed}{below(WORLD)}</worldbody>{tendon}<equality>{equal}</equality></mujoco>"
    )


def run(mechanism, folder, program, step, steps, stiffness):
    text = model(mechanism, step, stiffness * step)
    (folder / "mechanism.xml").write_text(text)
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    # Bodies stand depth first in MuJoCo.
    joint = [int(m.jnt_dofadr[m.body_jntadr[m.body(str(i)).id]]) for i in range(len(mechanism.bodies))]
    angles, rates = np.zeros(m.nq), np.zeros(m.nv)
    angles[joint], rates[joint] = mechanism.angles, mechanism.rates
    command = [program, folder / "mechanism.xml", str(steps), repr(mechanism.torque)]
    told = subprocess.run(
        command, input=f"{spelt(angles)}\n{spelt(rates)}\n", capture_output=True, text=True, check=True, cwd=folder
    )
    numbers = [float(v) for v in told.stdout.split()]
    d.qpos[:], d.qvel[:] = numbers[1 : 1 + m.nq], numbers[1 + m.nq :]
    mujoco.mj_forward(m, d)

    def places():
        found, moving, slope = [], [], np.zeros((3, m.nv))
        for body, place in mechanism.places:
            k = m.body(str(body)).id
            here = d.xpos[k] + d.xmat[k].reshape(3, 3) @ np.asarray(place, dtype=float)
            mujoco.mj_jac(m, d, slope, None, here, k)
            found.append(here)
            moving.append(slope @ d.qvel)
        return found, moving

    return numbers[0], mechanism.compared(d.qpos[joint], d.qvel[joint], places)


if __name__ == "__main__":
    mechanism = MECHANISMS[sys.argv[1]]()
    until, wanted, most, known = question(sys.stdin)
    package = pathlib.Path(mujoco.__file__).parent
    library = next(package.glob("libmujoco*.so*"))
    began, best = time.perf_counter(), None
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "driver.c").write_text(DRIVER)
        program = folder / "run"
        subprocess.run(
            ["gcc", "-O3", "-march=native", f"-I{package}/include", folder / "driver.c", "-o", program]
            + [library, f"-Wl,-rpath,{package}", "-lm"],
            check=True,
        )
        steps = 1000
        while True:
            seconds, end = run(mechanism, folder, program, until / steps, steps, STIFFNESS[sys.argv[1]])
            off = error(end, known)
            if np.isfinite(off) and (best is None or off < best[1]):
                best = (seconds, off, until / steps)
            # The next try takes twice as long.
            if off < wanted or time.perf_counter() - began + 2 * seconds > most:
                break
            steps *= 2
    print(*(best or ("none",)), "met" if best and best[1] < wanted else "missed")
