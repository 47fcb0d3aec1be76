"""Sensitivities of the double pendulum at t = 10 by m1, m2, l1 and g, forward and adjoint, at equal error: ours, CasADi with CVODES and
IDAS, heyoka's variational equations, diffrax.

    python bench/peers/sensitivities.py

Every peer runs at a row of tolerances; for each bound on the error its fastest run within it counts. The error is that of the derivatives
of the state (forward), or of theta2 alone (adjoint), against heyoka's variational equations in extended precision (tolerance 1e-19),
relative to the largest. Times are processor time, the best of several calls on one core. What is made once and serves every later call (programs of
heyoka, CasADi's functions, the jit of diffrax, text to native code of ours) is left out; ours makes the programs of sensitivities at every
call, and they are in the time of a call. Beside it stands the integration alone, the difference of 20 and 10 seconds.

Needs our Python package, and casadi, heyoka, diffrax and jax from PyPI; what is missing is named and left out.
"""

import math
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import numpy as np

NAMES = ["m1", "m2", "l1", "g"]
VALUES = [1.0, 1.0, 1.0, 9.81]
START = [math.pi / 2, math.pi / 2, 0.0, 0.0]
UNTIL = 10.0
TOLERANCES = [10.0**-k for k in range(5, 15)]
BOUNDS = [1e-4, 1e-6, 1e-8, 1e-10]


def rates(state, p, sin, cos):
    a, b, u, v = state
    m1, m2, l1, g = p
    s, c = sin(a - b), cos(a - b)
    M11, M12, M22 = (m1 + m2) * l1 * l1, m2 * l1 * c, m2
    Q1 = -m2 * l1 * s * v * v - (m1 + m2) * g * l1 * sin(a)
    Q2 = m2 * l1 * s * u * u - m2 * g * sin(b)
    det = M11 * M22 - M12 * M12
    return [u, v, (M22 * Q1 - M12 * Q2) / det, (M11 * Q2 - M12 * Q1) / det]


def best(call, seconds=0.5, least=2):
    """The best processor time of a call, and what it gives."""
    times, result, begin = [], None, time.process_time()
    while len(times) < least or (time.process_time() - begin < seconds and len(times) < 50):
        started = time.process_time()
        result = call()
        times.append(time.process_time() - started)
    return min(times), result


def variational(tolerance, kind):
    """heyoka's integrator of the variational equations, with the slots of the derivatives."""
    import heyoka as hy

    state = hy.make_vars("a", "b", "u", "v")
    p = [hy.par[k] for k in range(4)]
    system = list(zip(state, rates(state, p, hy.sin, hy.cos)))
    whole = hy.var_ode_sys(system, p, order=1)
    made = hy.taylor_adaptive(
        whole, [kind(v) for v in START], pars=[kind(v) for v in VALUES], tol=kind(tolerance), fp_type=kind, compact_mode=kind is not float
    )
    return made, [made.get_vslice(order=1, component=i) for i in range(4)]


def heyoka_forward(tolerance, kind=float, timed=True):
    made, slices = variational(tolerance, kind)
    begin = np.array(made.state)

    def call():
        made.state[:] = begin
        made.time = kind(0)
        made.propagate_until(kind(UNTIL))
        return np.array([[made.state[k] for k in range(s.start, s.stop)] for s in slices])

    return best(call) if timed else call()


def casadi_integrator(plugin, tolerance):
    import casadi as ca

    x, p = ca.SX.sym("x", 4), ca.SX.sym("p", 4)
    ode = ca.vertcat(*rates(ca.vertsplit(x), ca.vertsplit(p), ca.sin, ca.cos))
    options = {"reltol": tolerance, "abstol": 1e-2 * tolerance, "max_num_steps": 1_000_000}
    if plugin == "cvodes":
        options["linear_multistep_method"] = "adams"
        options["nonlinear_solver_iteration"] = "functional"
    return ca.integrator("motion", plugin, {"x": x, "p": p, "ode": ode}, 0.0, UNTIL, options)


def casadi_forward(plugin):
    def run(tolerance):
        import casadi as ca

        motion = casadi_integrator(plugin, tolerance)
        p = ca.MX.sym("p", 4)
        whole = ca.Function("forward", [p], [ca.jacobian(motion(x0=START, p=p)["xf"], p)], {"ad_weight": 0.0})
        return best(lambda: np.array(whole(VALUES)))

    return run


def casadi_adjoint(plugin):
    def run(tolerance):
        import casadi as ca

        motion = casadi_integrator(plugin, tolerance)
        p = ca.MX.sym("p", 4)
        whole = ca.Function("adjoint", [p], [ca.gradient(motion(x0=START, p=p)["xf"][1], p)], {"ad_weight": 1.0})
        return best(lambda: np.array(whole(VALUES)).reshape(1, 4))

    return run


def diffrax_end(tolerance, adjoint):
    import diffrax
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    term = diffrax.ODETerm(lambda t, y, p: jnp.stack(rates(y, p, jnp.sin, jnp.cos)))

    def end(p):
        found = diffrax.diffeqsolve(
            term,
            diffrax.Dopri8(),
            0.0,
            UNTIL,
            0.01,
            jnp.array(START),
            args=p,
            max_steps=16384,
            adjoint=adjoint(diffrax),
            stepsize_controller=diffrax.PIDController(rtol=tolerance, atol=1e-2 * tolerance),
        )
        return found.ys[-1]

    return jax, end, jnp.array(VALUES)


def diffrax_forward(tolerance):
    jax, end, p = diffrax_end(tolerance, lambda diffrax: diffrax.ForwardMode())
    slope = jax.jit(jax.jacfwd(end))
    slope(p)
    return best(lambda: np.array(slope(p).block_until_ready()))


def diffrax_adjoint(tolerance):
    jax, end, p = diffrax_end(tolerance, lambda diffrax: diffrax.RecursiveCheckpointAdjoint())
    slope = jax.jit(jax.grad(lambda p: end(p)[1]))
    slope(p)
    return best(lambda: np.array(slope(p).block_until_ready()).reshape(1, 4))


def ours(tolerance, adjoint=False):
    import dalembert

    path = Path(__file__).resolve().parents[2] / "models" / "double_pendulum.dal"
    system = dalembert.System.from_text(path.read_text())
    names, columns = ["m1", "m2", "l1", "g"], ["theta1", "theta2", "theta1'", "theta2'"]

    def call(until):
        options = {"rtol": tolerance, "atol": 1e-2 * tolerance}
        if adjoint:
            return system.gradient(names, t_span=until, final="theta2", way="adjoint", **options)
        return system.simulate(until, every=until, sensitivity=names, **options)

    (seconds, found), (longer, _) = best(lambda: call(UNTIL)), best(lambda: call(2 * UNTIL))
    if adjoint:
        values = [found["gradient"]]
    else:
        values = [[found.sensitivity(column, name)[-1] for name in names] for column in columns]
    return seconds, np.array(values), longer - seconds


FORWARD = {
    "Dalembert": ours,
    "heyoka, variational equations": heyoka_forward,
    "CasADi, CVODES forward": casadi_forward("cvodes"),
    "CasADi, IDAS forward": casadi_forward("idas"),
    "diffrax, Dopri8 forward": diffrax_forward,
}
ADJOINT = {
    "Dalembert": lambda tolerance: ours(tolerance, adjoint=True),
    "CasADi, CVODES adjoint": casadi_adjoint("cvodes"),
    "CasADi, IDAS adjoint": casadi_adjoint("idas"),
    "diffrax, Dopri8 adjoint": diffrax_adjoint,
}


def column(run, known):
    """For each bound the fastest run within it: seconds of a call, of integration alone where known, error, tolerance."""
    found = []
    for tolerance in TOLERANCES:
        try:
            seconds, values, *steps = run(tolerance)
        except Exception as problem:  # a peer that gives up at a tolerance
            if isinstance(problem, ImportError):
                return str(problem)
            print(f"  {tolerance:.0e}: {str(problem).splitlines()[0][:120]}", file=sys.stderr, flush=True)
            continue
        error = float(np.max(np.abs(values - known)) / np.max(np.abs(known)))
        found.append((seconds, steps[0] if steps else None, error, tolerance))
        print(f"  {tolerance:.0e}: {seconds * 1e3:.3f} ms, error {error:.1e}", file=sys.stderr, flush=True)
    return [min((f for f in found if f[2] <= bound), default=None) for bound in BOUNDS]


def table(title, peers, known):
    print(f"\n{title}\n\n| |" + "".join(f" error <= {b:.0e} |" for b in BOUNDS))
    print("|---|" + "---|" * len(BOUNDS))
    for name, run in peers.items():
        print(name, file=sys.stderr, flush=True)
        cells = column(run, known)
        if isinstance(cells, str):
            print(f"| {name} | not installed: {cells} |")
            continue
        text = []
        for cell in cells:
            if cell is None:
                text.append("missed")
                continue
            seconds, steps, error, tolerance = cell
            alone = f", {steps * 1e3:.2f} alone" if steps is not None else ""
            text.append(f"{seconds * 1e3:.2f} ms{alone} ({error:.0e} at {tolerance:.0e})")
        print(f"| {name} | " + " | ".join(text) + " |", flush=True)


if __name__ == "__main__":
    reference = heyoka_forward(1e-19, np.longdouble, timed=False)
    other = heyoka_forward(1e-18, np.longdouble, timed=False)
    apart = float(np.max(np.abs(reference - other)) / np.max(np.abs(reference)))
    print(f"Reference: two runs in extended precision differ by {apart:.0e}, largest derivative {float(np.max(np.abs(reference))):.3g}.")
    table("Forward, four directions", FORWARD, reference.astype(float))
    table("Adjoint, gradient of theta2 by four numbers", ADJOINT, reference[1:2].astype(float))
