"""One acceleration of the n-link pendulum on a cart in Pinocchio: the articulated-body algorithm, pinocchio::aba, in a
loop of C++ (g++ -O3 -march=native) from the headers of the Python packages (Eigen from CasADi's).

Prints the best time of a call in nanoseconds and the acceleration of the cart. Where the headers do not compile, aba is
called from Python, and the time of that call is included; the third word says which.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pinocchio as pin

DRIVER = """
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
using namespace pinocchio;
static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec*1e9 + t.tv_nsec; }
int main(int, char **words) {
    int n = atoi(words[1]);
    Model m;
    m.gravity.linear() << 0, 0, -9.81;
    auto at = m.addJoint(0, JointModelPX(), SE3::Identity(), "cart");
    m.appendBodyToJoint(at, Inertia(2, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Zero()), SE3::Identity());
    for (int i = 1; i <= n; i++) {
        SE3 place = SE3::Identity();
        if (i > 1) place.translation() << 0, 0, -0.4;
        at = m.addJoint(at, JointModelRY(), place, "link" + std::to_string(i));
        m.appendBodyToJoint(at, Inertia(0.5, Eigen::Vector3d(0, 0, -0.4), Eigen::Matrix3d::Zero()), SE3::Identity());
    }
    Data d(m);
    Eigen::VectorXd q = Eigen::VectorXd::Constant(n + 1, -0.3), v = Eigen::VectorXd::Zero(n + 1), tau = v;
    q[0] = 0;
    double best = 1e300;
    for (int k = 0; k < 200; k++) {
        double begin = now();
        for (int i = 0; i < 500; i++) aba(m, d, q, v, tau, Convention::LOCAL);
        double ns = (now() - begin)/500;
        if (ns < best) best = ns;
    }
    printf("%.17g %.17g\\n", best, d.ddq[0]);
}
"""


def compiled(n):
    """Time and acceleration by a program of C++, or nothing."""
    try:
        import casadi

        eigen = pathlib.Path(casadi.__file__).parent / "include" / "eigen3"
    except ImportError:
        eigen = pathlib.Path("/usr/include/eigen3")
    prefix = next(p for p in pathlib.Path(pin.__file__).parents if (p / "include" / "pinocchio").is_dir())
    # Compiled once for all sizes and rounds.
    program = pathlib.Path(sys.prefix) / f"pinocchio_cart_{pin.__version__}"
    try:
        if not program.exists():
            with tempfile.TemporaryDirectory() as folder:
                source = pathlib.Path(folder) / "driver.cpp"
                source.write_text(DRIVER)
                flags = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-O3", "-DNDEBUG", "-march=native", "-std=c++17", "-w", f"-I{prefix}/include", f"-I{eigen}"]
                links = [f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-lpinocchio_default", "-lboost_serialization"]
                subprocess.run(["g++", *flags, source, "-o", program, *links], check=True, capture_output=True)
        run = subprocess.run([program, str(n)], capture_output=True, text=True, check=True)
        return run.stdout.strip()
    except (OSError, subprocess.CalledProcessError) as failure:
        print(getattr(failure, "stderr", failure), file=sys.stderr)
        return None


def called(n):
    m = pin.Model()
    m.gravity.linear = np.array([0.0, 0.0, -9.81])
    at = m.addJoint(0, pin.JointModelPX(), pin.SE3.Identity(), "cart")
    m.appendBodyToJoint(at, pin.Inertia(2.0, np.zeros(3), np.zeros((3, 3))), pin.SE3.Identity())
    for i in range(1, n + 1):
        place = pin.SE3.Identity() if i == 1 else pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.4]))
        at = m.addJoint(at, pin.JointModelRY(), place, f"link{i}")
        m.appendBodyToJoint(at, pin.Inertia(0.5, np.array([0.0, 0.0, -0.4]), np.zeros((3, 3))), pin.SE3.Identity())
    d = m.createData()
    q, v, tau = np.full(n + 1, -0.3), np.zeros(n + 1), np.zeros(n + 1)
    q[0] = 0.0
    least = float("inf")
    for _ in range(200):
        begin = time.perf_counter()
        for _ in range(500):
            pin.aba(m, d, q, v, tau)
        least = min(least, (time.perf_counter() - begin) / 500 * 1e9)
    return f"{least} {d.ddq[0]}"


if __name__ == "__main__":
    n = int(sys.argv[1])
    answer = compiled(n)
    print(f"{answer} C++" if answer else f"{called(n)} Python")
