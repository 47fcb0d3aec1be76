class Failure(Exception):
    def __init__(self, code):
        super().__init__(CODES[code])
        self.code = code


class Saddle:
    """M z - A^T lambda = r1,  A z = r2  (U1, U3, U9), factored once. `longer`: how many times longer each row is nearby
    (see `Rounding`)."""

    def __init__(self, M, A, longer):
        self.M, self.A = M, A
        self.L, ratio = cholesky(M)
        self.singular = ratio == 0.0 or not pivot_share(self.L) > MASS_TOLERANCE
        B = A if self.singular else [lower(self.L, row) for row in A]
        length = [norm(row) for row in B]
        weight = [max(s, k * s) for s, k in zip(length, longer)]
        # 1/length; 0 for a row that has vanished.
        self.unit = [1.0 / w if s > 0.0 and s > RANK_TOLERANCE * w else 0.0 for s, w in zip(length, weight)]
        units = [[v * u if u > 0.0 else 0.0 for v in row] for row, u in zip(B, self.unit)]
        self.rows = Cod(units, N, RANK_TOLERANCE, weight)
        if self.singular:
            self.factor_null_space()

    def factor_null_space(self):
        """U9: the mass on ker A, by elimination with row exchange."""
        rank = self.rows.rank
        free = N - rank
        self.Z = []
        for j in range(free):
            z = [0.0] * N
            z[rank + j] = 1.0
            self.rows.rotate(z)
            self.Z.append(z)
        self.R = R = [[0.0] * free for _ in range(free)]
        for k, z in enumerate(self.Z):
            v = times(self.M, z)
            possible = sum(abs(z[i]) * sum(abs(m * y) for m, y in zip(self.M[i], z)) for i in range(N))
            for j in range(free):
                R[j][k] = dot(self.Z[j], v)
            if not max(abs(R[j][k]) for j in range(free)) > MASS_TOLERANCE * possible:
                raise Failure(2)
        self.exchange = []
        for k in range(free):
            scale = max(abs(R[i][k]) for i in range(free))
            best = max(range(k, free), key=lambda i: abs(R[i][k]))
            if not abs(R[best][k]) > MASS_TOLERANCE * scale:
                raise Failure(2)
            self.exchange.append(best)
            R[k], R[best] = R[best], R[k]
            for i in range(k + 1, free):
                R[i][k] /= R[k][k]
                for j in range(k + 1, free):
                    R[i][j] -= R[i][k] * R[k][j]

    def answer_rows(self, e):
        """y = B^+ e, kept; returns the multipliers of the original rows."""
        self.y = y = [0.0] * N
        for k in range(self.rows.rank):
            i, row = self.rows.row[k], self.rows.a[k]
            y[k] = (e[i] * self.unit[i] - dot(row[:k], y)) / row[k]
        multipliers = self.rows.multipliers(y)
        self.rows.rotate(y)
        return multipliers

    def solve(self, r1, r2):
        """z, and lambda of minimum norm"""
        if self.singular:
            return self.solve_null_space(r1, r2)
        a = lower_transposed(self.L, lower(self.L, r1))
        multipliers = self.answer_rows([r - dot(row, a) for r, row in zip(r2, self.A)])
        return plus(a, lower_transposed(self.L, self.y)), multipliers

    def solve_null_space(self, r1, r2):
        self.answer_rows(r2)
        z, R = list(self.y), self.R
        r = [p - q for p, q in zip(r1, times(self.M, z))]
        v = times(self.Z, r)
        for k, best in enumerate(self.exchange):
            v[k], v[best] = v[best], v[k]
        for i in range(len(v)):
            v[i] -= dot(R[i][:i], v)
        for i in reversed(range(len(v))):
            v[i] = (v[i] - dot(R[i][i + 1:], v[i + 1:])) / R[i][i]
        for s, row in zip(v, self.Z):
            add(s, row, z)
        r = [p - q for p, q in zip(times(self.M, z), r1)]
        self.rows.rotate_back(r)
        return z, self.rows.multipliers(r)

    def reaction(self, r1, z):
        """A^T lambda of the last solution: L y (U2), or M z - r1 (U9)."""
        if self.singular:
            return [p - q for p, q in zip(times(self.M, z), r1)]
        return [dot(self.L[i][:i + 1], self.y) for i in range(N)]


def moved(state, round):
    """A state nearby, the same every time: everything is moved by a small part of its size, either way."""
    seed = 0x9E3779B97F4A7C15 * (round + 1)

    def near(value, size):
        nonlocal seed
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        unit = (seed >> 12) / 2**52 - 0.5
        return value + NUDGE * size * (unit + math.copysign(0.5, unit))

    t, x, eta, p = state
    still = min(1.0, max(abs(v) for v in eta))
    t = near(t, 1.0 + abs(t))
    return t, [near(v, 1.0 + abs(v)) for v in x], [near(v, max(abs(v), still)) for v in eta], p


class Rounding:
    """What rounding of a state makes of the rows. Where all of a row vanishes its numbers are rounding: how fast they
    change with the state tells their size. Asked only where rows seem to contradict each other (U6)."""

    def __init__(self):
        self.right, self.longer = [0.0] * ROWS, [0.0] * ROWS
        self.redundant, self.row_change, self.right_change = False, {}, {}  # of requirements, by their number

    def feel(self, state, A, b):
        """Whether what is felt may change a verdict."""
        length = [0.0] * ROWS
        for round in range(NUDGES):
            _, _, _, rows, right = terms(*moved(state, round))
            for i in range(ROWS):
                change = norm([p - q for p, q in zip(rows[i], A[i])]) / NUDGE
                size = abs(right[i] - b[i]) / NUDGE
                length[i] = max(length[i], change) if math.isfinite(change) else length[i]
                self.right[i] = max(self.right[i], size) if math.isfinite(size) else self.right[i]
        for i, row in enumerate(A):
            now = norm(row)
            if 0.0 < now <= SHORT * length[i]:
                self.longer[i] = length[i] / now
        return any(v > 0.0 for v in self.right + self.longer)


def consistent(eta, A, b, a, eta_dot, rounding):
    """U6: whether the rows hold; each is measured against its own numbers, and what rounding of the state makes of it."""
    size = max([abs(v) for v in eta_dot + a], default=0.0) + max((abs(v) for v in eta), default=0.0) ** 2
    for row, right, grain in zip(A, b, rounding.right):
        left = dot(row, eta_dot) - right
        own = abs(right) + sum(abs(row[j]) * (abs(eta_dot[j]) + abs(a[j])) for j in range(N))
        own = max(own, COUPLING * sum(abs(v) * size for v in row), GRAIN * grain)
        if left != 0.0 and div(abs(left), own) > CONSISTENCY:
            return False
    return True


def balance(A, b, eta_dot):
    """What is left of each row, and whether one holds worse than it could."""
    left = [right - dot(row, eta_dot) for row, right in zip(A, b)]
    own = [abs(right) + sum(abs(c * z) for c, z in zip(row, eta_dot)) for row, right in zip(A, b)]
    return left, any(abs(r) > REFINE * s for r, s in zip(left, own))


def respond(state, saddle, b, force, out, rounding):
    """The motion under a force: ideal (U2), consistency (U6), then non-ideal (U3, U8)."""
    A = saddle.A
    eta_dot, multipliers = saddle.solve(force, b)
    # Rows that leave nothing free and ask for nothing: no acceleration, not even by rounding.
    if saddle.rows.rank == N and all(v == 0.0 for v in b):
        eta_dot = [0.0] * N
    ideal = saddle.reaction(force, eta_dot)
    a = [0.0] * N
    if not saddle.singular:
        a = lower_transposed(saddle.L, lower(saddle.L, force))
        for _ in range(IMPROVED):
            left, poor = balance(A, b, eta_dot)
            if not poor:
                break
            # Solve again for what is left of the rows; kept if each holds at least as well, or all together much better.
            none = [0.0] * N
            change, again = saddle.solve(none, left)
            rest = [r - dot(row, change) for row, r in zip(A, left)]
            square = [2.2250738585072014e-308 + dot(row, row) for row in A]
            before, after = (sum(v * v / s for v, s in zip(r, square)) for r in (left, rest))
            gained = after < GAINED * GAINED * before
            if gained or all(abs(v) <= abs(r) for v, r in zip(rest, left)):
                ideal = plus(ideal, saddle.reaction(none, change))
                eta_dot, multipliers = plus(eta_dot, change), plus(multipliers, again)
            if not gained:
                break
    if not consistent(state[2], A, b, a, eta_dot, rounding):
        raise Failure(3)
#@if nonideal
    C = nonideal(*state, A, multipliers)
    if not finite(C):
        raise Failure(1)
    change, _ = saddle.solve(C, [0.0] * len(b))
    out["nonideal"] = times(saddle.M, change)
    eta_dot = plus(eta_dot, change)
#@end
    out["eta_dot"], out["ideal"], out["lambda"] = eta_dot, ideal, multipliers


#@if control
def missed(row, right, eta_dot, natural, change):
    """What eta' leaves of a requirement (C1), and that over its own numbers: those of the motion with control and without,
    but not less than rounding of the largest accelerations would make of the row."""
    own = abs(right) + sum(abs(c) * (abs(z) + abs(a)) for c, z, a in zip(row, eta_dot, natural))
    size = max(abs(v) for v in eta_dot + natural)
    own = max(own, COUPLING * sum(abs(c) * size for c in row), GRAIN * change)
    left = right - dot(row, eta_dot)
    return left, 0.0 if left == 0.0 else div(abs(left), own)


def row_length(saddle, row):
    """What all forces together could do to a row: sqrt(A_c M^-1 A_c^T), or its length with U9."""
    if saddle.singular:
        return div(norm(row), math.sqrt(norm([v for line in saddle.M for v in line])))
    return norm(lower(saddle.L, row))


def compare_requirements(state, saddle, rounding):
    """What changes of the state make of requirements that are redundant or out of reach. Whether that is anything."""
    A, right, _, _ = control_terms(*state)
    for round in range(NUDGES):
        rows, b, _, _ = control_terms(*moved(state, round))
        for i in range(len(A)):
            row = row_length(saddle, [(p - q) / NUDGE for p, q in zip(rows[i], A[i])])
            size = abs(b[i] - right[i]) / NUDGE
            if math.isfinite(row):
                rounding.row_change[i] = max(rounding.row_change.get(i, 0.0), row)
            if math.isfinite(size):
                rounding.right_change[i] = max(rounding.right_change.get(i, 0.0), size)
    return any(v > 0.0 for v in rounding.right_change.values())


def steer(state, saddle, Q, b, out, rounding):
    """C1: the inputs of least cost that meet the requirements."""
    A, right, S, W = control_terms(*state)
    natural = out["eta_dot"]
    if not (finite(right) and all(finite(row) for row in A + S + W)):
        raise Failure(1)
    columns = [[row[j] for row in S] for j in range(NU)]
    # S^T M^-1 S; S^T S with U9.
    if saddle.singular:
        answers = columns
    else:
        answers = [lower_transposed(saddle.L, lower(saddle.L, c)) for c in columns]
    cost = [[dot(columns[i], answers[j]) for j in range(NU)] for i in range(NU)]
#@if weight
    factor = div(sum(cost[i][i] for i in range(NU)), sum(W[i][i] for i in range(NU)))
    factor = factor if factor > 0.0 and math.isfinite(factor) else 1.0
    cost = [[factor * w for w in row] for row in W]
#@end
    half, ratio = cholesky(cost)
    if not ratio > 1e-14:
        raise Failure(5)
    reach = [saddle.solve(c, [0.0] * len(b))[0] for c in columns]
#@if nonideal
    # With the forces that follow the multipliers: by differences, exact where those are linear in them.
    force, without, trial = max(abs(v) for v in Q + out["ideal"]), out["eta_dot"], dict(out)
    for j, column in enumerate(columns):
        size = max(abs(v) for v in column)
        if size > 0.0:
            step = TRIAL * force / size if force > 0.0 else 1.0 / size
            respond(state, saddle, b, [q + step * s for q, s in zip(Q, column)], trial, rounding)
            reach[j] = [(p - q) / step for p, q in zip(trial["eta_dot"], without)]
#@end
    effects, scales = [], []
    for i, row in enumerate(A):
        scale = max(row_length(saddle, row), rounding.row_change.get(i, 0.0))
        effect = lower(half, [dot(row, z) for z in reach])
        effects.append([v / scale if scale > 0.0 else 0.0 for v in effect])
        scales.append(scale)
    grip = Cod(effects, NU, REACH, [1.0] * len(A))
    rounding.redundant = grip.rank < len(A)
    changes = [rounding.right_change.get(i, 0.0) for i in range(len(A))]
    best = math.inf
    for turn in range(TURNS):
        rests = [missed(row, r, out["eta_dot"], natural, s) for row, r, s in zip(A, right, changes)]
        worst = max(part for _, part in rests)
        if worst <= MET or not (turn == 0 or worst < 0.9 * best):
            break
        best = worst
        step = grip.least([left / s if s > 0.0 else 0.0 for (left, _), s in zip(rests, scales)])
        out["u"] = plus(out["u"], lower_transposed(half, step))
        out["control"] = times(S, out["u"])
        respond(state, saddle, b, plus(Q, out["control"]), out, rounding)
    if not all(missed(row, r, out["eta_dot"], natural, s)[1] <= CONSISTENCY for row, r, s in zip(A, right, changes)):
        raise Failure(4)


#@end
def solve(state, M, Q, A, b, out, rounding):
    """The motion with terms at hand."""
    saddle = rounding.saddle = Saddle(M, A, rounding.longer)
    out["rank"] = saddle.rows.rank
    out["control"], out["u"] = [0.0] * N, [0.0] * NU
    respond(state, saddle, b, Q, out, rounding)
#@if control
    steer(state, saddle, Q, b, out, rounding)
#@end


def settle(state, M, Q, A, b, out, rounding):
    """A contradiction is one only if it remains when it is known what rounding makes of the rows."""
    try:
        solve(state, M, Q, A, b, out, rounding)
    except Failure as failure:
        if not (failure.code == 3 and rounding.feel(state, A, b)):
            raise
        solve(state, M, Q, A, b, out, rounding)


def evaluate(t, x, eta, p=PARAMETERS):
    """Accelerations and forces at a state, as a dictionary; see the beginning of this file."""
    state = (float(t), [float(v) for v in x], [float(v) for v in eta], [float(v) for v in p])
    nothing = math.nan
    sizes = {"x_dot": NX, "eta_dot": N, "ideal": N, "nonideal": N, "control": N, "lambda": ROWS, "u": NU}
    out = {key: [0.0] * size for key, size in sizes.items()}
    out["rank"], out["code"] = 0, 0
    try:
        out["x_dot"], M, Q, A, b = terms(*state)
        if not (finite(out["x_dot"]) and finite(Q) and finite(b) and all(finite(row) for row in M + A)):
            raise Failure(1)
        rounding = Rounding()
#@if control
        try:
            settle(state, M, Q, A, b, out, rounding)
            again = rounding.redundant and compare_requirements(state, rounding.saddle, rounding)
        except Failure as failure:
            again = failure.code == 4 and compare_requirements(state, rounding.saddle, rounding)
            if not again:
                raise
        if again:
            settle(state, M, Q, A, b, out, rounding)
#@end
#@if free
        settle(state, M, Q, A, b, out, rounding)
#@end
        if not finite(out["eta_dot"]):
            raise Failure(1)
    except Failure as failure:
        out["code"] = failure.code
    except (OverflowError, ZeroDivisionError, ValueError):
        out["code"] = 1
    if out["code"] != 0:
        # No number that could be taken for an answer.
        out.update({key: [nothing] * size for key, size in sizes.items()})
    return out
