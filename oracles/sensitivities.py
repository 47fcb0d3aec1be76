"""Makes the tables `*_sensitivity.csv`: derivatives of motions to 40 digits.

    python oracles/sensitivities.py target/release/dalembert [NAME ...]

The variational equation is integrated beside the motion by Taylor series of order 64 in 256-bit arithmetic (python-flint): every
number is a pair (value, derivative) of power series in t. What the equations read (x', M, Q, A, b, C, requirements) comes from
`export --target python`; the solve (U1, U3, C1), its derivative and the integration are done here. Each table is computed twice, with
steps of different length, and written only if the two agree to 40 digits. Starts come from `simulate`; only directions are taken whose
derivative at the start is 0, or 1 for the initial value itself, and that is checked.

Left out are models for which such a reference is impossible or would judge something else: motions with events, contacts that stick or
switches (no power series across them), losses of rank, redundant rows (multipliers of least norm), tables and samples as inputs.
"""

import csv
import io
import re
import subprocess
import sys
from decimal import Decimal, localcontext
from pathlib import Path

import flint

ROOT = Path(__file__).resolve().parent.parent
ORDER = 64
flint.ctx.prec = 256

# Name of the table: model, directions, times, and what the model stands for.
CASES = {
    "double_pendulum": (["m2", "l1", "theta1(0)"], [0.5], "unconstrained"),
    "kepler": (["mu"], [1.0], "unconstrained"),
    "heavy_top": (["I1", "I3"], [0.5], "quasi-velocities and Euler parameters"),
    "bead_hoop_rheonomic": (["g"], [0.5], "a constraint that moves in time"),
    "double_pendulum_cartesian": (["m1", "m2", "g"], [0.5], "two constraints"),
    "four_bar_bodies": (["rho", "g", "T"], [0.5], "a loop of bodies closed by constraints"),
    "pendulum_chain": (["g"], [0.5], "a chain of constraints"),
    "rolling_disk": (["m", "g"], [0.5], "nonholonomic constraints"),
    "chaplygin_sleigh": (["m", "I"], [1.0], "a nonholonomic constraint"),
    "chaplygin_sleigh_quasi": (["m", "a", "omega(0)"], [1.0], "quasi-velocities"),
    "rigid_body": (["I1", "I2"], [1.0], "quasi-velocities"),
    "incline_nonideal": (["mu", "g"], [0.4], "non-ideal work of a reaction"),
    "appell_nonideal": (["g"], [0.5], "non-ideal work"),
    "satellite_circle": (["R", "w"], [1.0], "control"),
    "double_pendulum_track": (["m1", "m2", "g"], [0.5], "control"),
    "double_pendulum_tip": (["m1", "g"], [0.5], "control"),
    "spherical_pendulum": (["g"], [0.5], "a constraint in redundant coordinates"),
    "foucault": (["g", "W"], [1.0], "a force of the rotating frame"),
    "lagrange_top": (["A", "mgl", "psi'(0)"], [0.5], "Euler angles, cyclic coordinates"),
    "particle_nonlinear": (["a0"], [1.0], "a constraint that is nonlinear in the velocities"),
    "appell_hamel": (["g"], [0.5], "Appell and Hamel's nonlinear constraint"),
    "relativistic_particle": (["m", "F"], [1.0], "a Lagrangian that is no kinetic energy less a potential one"),
    "cart_two_wheels": (["I", "J"], [1.0], "nonholonomic constraints"),
    "ball_turntable": (["gt"], [1.0], "a ball that rolls, quasi-velocities and Euler parameters"),
    "spacecraft_formation": (["GM"], [0.5], "control of a distance"),
    "suslov": (["I1", "w1(0)"], [1.0], "a nonholonomic constraint in quasi-velocities"),
    "vibration_absorber": (["k2", "c2", "x1(0)"], [1.0], "dissipation and a force that depends on time"),
    "particle_circle": (["k"], [0.5], "control"),
}


def series(value):
    return value if isinstance(value, flint.arb_series) else flint.arb_series([value])


class Pair:
    """A power series and its derivative along a direction."""

    def __init__(self, v, d=0):
        self.v, self.d = series(v), series(d)

    def through(self, value, slope):
        return Pair(value, slope * self.d)

    def __add__(self, o):
        o = pair(o)
        return Pair(self.v + o.v, self.d + o.d)

    def __sub__(self, o):
        o = pair(o)
        return Pair(self.v - o.v, self.d - o.d)

    def __mul__(self, o):
        o = pair(o)
        return Pair(self.v * o.v, self.d * o.v + self.v * o.d)

    def __truediv__(self, o):
        o = pair(o)
        value = self.v / o.v
        return Pair(value, (self.d - value * o.d) / o.v)

    def __neg__(self):
        return Pair(-self.v, -self.d)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, o):
        return pair(o) - self

    def first(self):
        """The value now; branches of a smooth motion are decided by it."""
        return float(self.v[0].mid())

    def __lt__(self, o):
        return self.first() < pair(o).first()

    def __gt__(self, o):
        return self.first() > pair(o).first()

    def __le__(self, o):
        return self.first() <= pair(o).first()

    def __ge__(self, o):
        return self.first() >= pair(o).first()

    def __eq__(self, o):
        return self.first() == pair(o).first()

    def __ne__(self, o):
        return self.first() != pair(o).first()


def pair(value):
    return value if isinstance(value, Pair) else Pair(value)


def lifted(value, slope):
    return lambda x: pair(x).through(value(pair(x).v), slope(pair(x).v))


def root(x):
    x = pair(x)
    value = x.v.sqrt()
    return x.through(value, 1 / (2 * value))


def power(x, y):
    x, y = pair(x), pair(y)
    n = y.first()
    if n == int(n) and y.v.length() <= 1:
        result = Pair(1)
        for _ in range(abs(int(n))):
            result = result * x
        return result if n >= 0 else Pair(1) / result
    return FUNCTIONS["exp"](y * FUNCTIONS["log"](x))


def no_slope(value):
    return lambda x: Pair(value(pair(x).first()))


FUNCTIONS = {
    "sin": lifted(lambda v: v.sin(), lambda v: v.cos()),
    "cos": lifted(lambda v: v.cos(), lambda v: -v.sin()),
    "tan": lifted(lambda v: v.tan(), lambda v: 1 + v.tan() * v.tan()),
    "exp": lifted(lambda v: v.exp(), lambda v: v.exp()),
    "log": lifted(lambda v: v.log(), lambda v: 1 / v),
    "sqrt": root,
    "pow": power,
    "div": lambda x, y: pair(x) / pair(y),
    "abs": lambda x: -pair(x) if pair(x).first() < 0 else pair(x),
    "sign": no_slope(lambda v: (v > 0) - (v < 0)),
    "smaller": lambda x, y: pair(x) if pair(x) <= pair(y) else pair(y),
    "larger": lambda x, y: pair(x) if pair(x) >= pair(y) else pair(y),
}


class Mathematics:
    """What exported code takes from `math`."""

    @staticmethod
    def hypot(a, b):
        if isinstance(a, float) and a == 0.0:
            return FUNCTIONS["abs"](b)
        return root(pair(a) * a + pair(b) * b)


class Exported:
    """The terms of a model as functions of pairs."""

    def __init__(self, program, path):
        text = run(program, "export", str(path), "--target", "python")
        self.names = {}
        exec(compile(text, str(path), "exec"), self.names)
        self.names.update(FUNCTIONS, math=Mathematics)
        self.weighted = "control_terms" in self.names and bool(re.search(r"^    W_\[", text, re.M))

    def rates(self, t, x, eta, p):
        """x' and eta' (U1, U3, C1); rows must be independent."""
        own = self.names
        n, m = own["N"], own["ROWS"]
        x_dot, M, Q, A, b = own["terms"](t, x, eta, p)
        M = [[M[i][j] for j in range(n)] + [-pair(A[k][i]) for k in range(m)] for i in range(n)]
        saddle = M + [[A[k][j] for j in range(n)] + [0] * m for k in range(m)]
        zeros = [0] * m

        def answer(force):
            """Accelerations with the non-ideal force that the ideal multipliers make."""
            [found] = solve(saddle, [force + list(b)])
            z, multipliers = found[:n], found[n:]
            if "nonideal" in own:
                C = own["nonideal"](t, x, eta, p, A, multipliers)
                [more] = solve(saddle, [list(C) + zeros])
                z = [a + c for a, c in zip(z, more[:n])]
            return z

        z = answer(list(Q))
        if "control_terms" in own:
            Ac, bc, S, W = own["control_terms"](t, x, eta, p)
            if "nonideal" in own or self.weighted:
                raise ValueError("control with non-ideal work or a cost of its own is not written here")
            r, k = len(bc), len(S[0])
            columns = [[S[i][j] for i in range(n)] for j in range(k)]
            moved = solve(saddle, [column + zeros for column in columns])
            by_mass = solve([row[:n] for row in M[:n]], columns)
            W = [[total(S[l][i] * pair(by_mass[j][l]) for l in range(n)) for j in range(k)] for i in range(k)]
            G = [[total(Ac[i][l] * pair(moved[j][l]) for l in range(n)) for j in range(k)] for i in range(r)]
            spread = solve(W, G)  # rows of G W^-1
            reach = [[total(G[i][l] * pair(spread[j][l]) for l in range(k)) for j in range(r)] for i in range(r)]
            missed = [pair(bc[i]) - total(Ac[i][l] * pair(z[l]) for l in range(n)) for i in range(r)]
            [nu] = solve(reach, [missed])
            u = [total(spread[i][j] * nu[i] for i in range(r)) for j in range(k)]
            z = [z[l] + total(u[j] * moved[j][l] for j in range(k)) for l in range(n)]
        return [pair(v) for v in x_dot], [pair(v) for v in z]


def total(values):
    result = Pair(0)
    for value in values:
        result = result + value
    return result


def solve(matrix, rights):
    """Gauss's elimination with the largest pivot now."""
    n = len(matrix)
    rows = [[pair(v) for v in row] + [pair(right[i]) for right in rights] for i, row in enumerate(matrix)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k].first()))
        rows[k], rows[best] = rows[best], rows[k]
        if abs(rows[k][k].first()) < 1e-9:
            raise ValueError("rows are redundant or mass is singular")
        for i in range(k + 1, n):
            if rows[i][k].v.length() == 0 and rows[i][k].d.length() == 0:
                continue
            factor = rows[i][k] / rows[k][k]
            rows[i] = rows[i][: k + 1] + [a - factor * c for a, c in zip(rows[i][k + 1 :], rows[k][k + 1 :])]
    found = []
    for which in range(len(rights)):
        values = [None] * n
        for k in reversed(range(n)):
            left = rows[k][n + which]
            for j in range(k + 1, n):
                left = left - rows[k][j] * values[j]
            values[k] = left / rows[k][k]
        found.append(values)
    return found


def middle(value):
    return flint.arb(value.mid())


def taylor(system, t, x, eta, p):
    """The series of a step by Picard's iteration, which is right to one order more each time."""
    y = [Pair(v.v, v.d) for v in x + eta]
    start = [(v.v, v.d) for v in y]
    for k in range(1, ORDER + 1):
        flint.ctx.cap = k
        time = Pair(flint.arb_series([t, 1]))
        cut = [Pair(flint.arb_series(v.v.coeffs()), flint.arb_series(v.d.coeffs())) for v in y]
        x_dot, z = system.rates(time, cut[: len(x)], cut[len(x) :], p)
        flint.ctx.cap = k + 1
        y = [Pair(a + v.v.integral(), d + v.d.integral()) for (a, d), v in zip(start, x_dot + z)]
    return y


def motion(system, start, slopes, parameters, changes, times, share):
    """States and their derivatives at the times. `share` shortens the steps."""
    n_x, flint.ctx.cap = system.names["NX"], ORDER + 1
    y = [Pair(flint.arb(v), flint.arb(d)) for v, d in zip(start, slopes)]
    p = [Pair(flint.arb(v), flint.arb(d)) for v, d in zip(parameters, changes)]
    t, found = flint.arb(0), []
    for until in times:
        until = flint.arb(until)
        while float((until - t).mid()) > 0.0:
            whole = taylor(system, t, y[:n_x], y[n_x:], p)
            # The last two terms decide, of the motion and of the derivative.
            h = min(
                (1e-50 / max(abs(float(part[k].mid())), 1e-300)) ** (1.0 / k)
                for v in whole
                for part in (v.v, v.d)
                for k in (ORDER - 1, ORDER)
            )
            left = until - t
            step = left if float(left.mid()) <= share * h else flint.arb(share * h)
            y = [Pair(at(v.v, step), at(v.d, step)) for v in whole]
            t = until if step is left else t + step
        found.append([(v.v[0], v.d[0]) for v in y])
    return found


def at(poly, h):
    result = flint.arb(0)
    for c in reversed(poly.coeffs()):
        result = result * h + c
    return middle(result)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def digits(value):
    return Decimal(value.str(60, radius=False))


def table(program, name):
    directions, times, what = CASES[name]
    path = ROOT / "models" / f"{name}.dal"
    system = Exported(program, path)
    own = system.names
    columns = own["COORDINATE_NAMES"] + own["SPEED_NAMES"]
    words = ["--until", "1e-3", "--every", "1e-3", "--out", "-", "--quiet", "--sensitivity", ", ".join(directions)]
    rows = list(csv.DictReader(io.StringIO(run(program, "simulate", str(path), *words))))
    start = [float(rows[0][c]) for c in columns]
    lines = []
    for direction in directions:
        held = direction.removesuffix("(0)") if direction.endswith("(0)") else None
        slopes = [1.0 if c == held else 0.0 for c in columns]
        told = [float(rows[0][f"d({c})/d({direction})"]) for c in columns]
        if any(abs(a - b) > 1e-12 for a, b in zip(slopes, told)):
            raise ValueError(f"{name}: the start depends on {direction}: {told}")
        changes = [1.0 if q == direction else 0.0 for q in own["PARAMETER_NAMES"]]
        both = [motion(system, start, slopes, own["PARAMETERS"], changes, times, share) for share in (0.7, 0.45)]
        for until, one, two in zip(times, *both):
            values = [(digits(a), digits(b)) for a, b in zip([d for _, d in one], [d for _, d in two])]
            largest = max(abs(a) for a, _ in values)
            for column, (a, b) in zip(columns, values):
                if abs(a - b) > Decimal("1e-40") * max(largest, Decimal(1)):
                    raise ValueError(f"{name}: d({column})/d({direction}) is known to {abs(a - b):.1e} only")
                with localcontext() as context:
                    context.prec = 40
                    size = max(largest, Decimal(1))
                    lines.append(f'{until!r},"d({column})/d({direction})",{+a:.39e},abs {100e-10 * float(size):.1e}')
    head = [
        f"# source: variational equation by Taylor series in 256 bits, oracles/sensitivities.py; {what}",
        f"# model: {name}",
        f"# sensitivity: {', '.join(directions)}",
        "# rtol: 1e-10",
        "# why: 100 rtol of the largest derivative of the state by the same number, or of 1",
        "t,quantity,value,tolerance",
    ]
    (ROOT / "oracles" / f"{name}_sensitivity.csv").write_text("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    for chosen in sys.argv[2:] or CASES:
        try:
            table(sys.argv[1], chosen)
            print(chosen, "written", flush=True)
        except (ValueError, ZeroDivisionError, subprocess.CalledProcessError, KeyError) as error:
            print(chosen, "failed:", error, getattr(error, "stderr", "") or "", flush=True)
