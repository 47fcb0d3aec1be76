"""One acceleration of the n-link pendulum on a cart in MuJoCo: mj_forward, called in a loop of C against the library of
the Python package (gcc -O3).

Prints the best time of a call in nanoseconds and the acceleration of the cart. Links are point masses; MuJoCo wants a
positive inertia and gets 1e-12.
"""

import pathlib
import subprocess
import sys
import tempfile

import mujoco

DRIVER = """
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec*1e9 + t.tv_nsec; }
int main(int count, char **names) {
    char error[1000]; double best = 1e300;
    mjModel *m = mj_loadXML(names[1], 0, error, sizeof error);
    if (!m) { puts(error); return 1; }
    mjData *d = mj_makeData(m);
    for (int i = 1; i < m->nq; i++) d->qpos[i] = 0.3; /* angles between links: 0.3*i from the vertical */
    for (int k = 0; k < 200; k++) {
        double begin = now();
        for (int i = 0; i < 500; i++) mj_forward(m, d);
        double ns = (now() - begin)/500; if (ns < best) best = ns;
    }
    printf("%.17g %.17g\\n", best, d->qacc[0]);
}
"""


def model(n):
    inner = ""
    for i in range(n, 0, -1):
        place = "0 0 0" if i == 1 else "0 0 -0.4"
        inner = (
            f'<body pos="{place}"><joint type="hinge" axis="0 -1 0"/>'
            f'<inertial pos="0 0 -0.4" mass="0.5" diaginertia="1e-12 1e-12 1e-12"/>{inner}</body>'
        )
    return (
        '<mujoco><option gravity="0 0 -9.81"><flag contact="disable" energy="disable"/></option>'
        f'<worldbody><body><joint type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>{inner}'
        "</body></worldbody></mujoco>"
    )


if __name__ == "__main__":
    n = int(sys.argv[1])
    package = pathlib.Path(mujoco.__file__).parent
    library = next(package.glob("libmujoco*.so*"))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "cart.xml").write_text(model(n))
        (folder / "driver.c").write_text(DRIVER)
        subprocess.run(
            ["gcc", "-O3", "-march=native", f"-I{package}/include", folder / "driver.c", "-o", folder / "run"]
            + [library, f"-Wl,-rpath,{package}", "-lm"],
            check=True,
        )
        run = subprocess.run([folder / "run", folder / "cart.xml"], capture_output=True, text=True, check=True, cwd=folder)
        print(run.stdout.strip())
