# ---- arithmetic as floating-point hardware does it: infinities and NaN instead of exceptions ----


def div(x, y):
    if y != 0.0:
        return x / y
    if x == 0.0 or x != x or y != y:
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


def pow(x, y):
    try:
        return math.pow(x, y)
    except (OverflowError, ValueError) as error:
        odd = y == math.floor(y) and math.fmod(y, 2.0) != 0.0
        if x < 0.0 and y != math.floor(y):
            return math.nan
        return math.copysign(math.inf, x) if odd else math.inf


def sqrt(x):
    return math.sqrt(x) if x >= 0.0 else math.nan


def sin(x):
    return math.nan if math.isinf(x) else math.sin(x)


def cos(x):
    return math.nan if math.isinf(x) else math.cos(x)


def tan(x):
    return math.nan if math.isinf(x) else math.tan(x)


def asin(x):
    return math.asin(x) if abs(x) <= 1.0 else math.nan


def acos(x):
    return math.acos(x) if abs(x) <= 1.0 else math.nan


def sinh(x):
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def cosh(x):
    try:
        return math.cosh(x)
    except OverflowError:
        return math.inf


def acosh(x):
    return math.acosh(x) if x >= 1.0 else math.nan


def atanh(x):
    if abs(x) < 1.0:
        return math.atanh(x)
    return math.copysign(math.inf, x) if abs(x) == 1.0 else math.nan


def floor(x):
    return float(math.floor(x)) if math.isfinite(x) else x


def exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log(x):
    if x > 0.0:
        return math.log(x)
    return -math.inf if x == 0.0 else math.nan


def sign(x):
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else x


def smaller(x, y):
    return x if x < y or x != x else y


def larger(x, y):
    return x if x > y or x != x else y


# ---- small dense linear algebra on lists --------------------------------------------------------


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def times(matrix, v):
    return [dot(row, v) for row in matrix]


def plus(x, y):
    return [a + b for a, b in zip(x, y)]


def add(s, x, y):
    """y += s x, over the length of x"""
    for i in range(len(x)):
        y[i] += s * x[i]


def finite(a):
    return all(math.isfinite(v) for v in a)


def norm(a):
    """Euclidean length, safe against overflow."""
    plain = dot(a, a)
    if plain > 1e-280 and math.isfinite(plain):
        return math.sqrt(plain)
    most = max((abs(v) for v in a), default=0.0)
    if most == 0.0 or not finite(a):
        return most
    return most * math.sqrt(sum((v / most) * (v / most) for v in a))


def cholesky(matrix):
    """L with L L^T = matrix, and the smallest pivot over its diagonal entry; 0 if it is not positive definite."""
    n, ratio = len(matrix), 1.0
    L = [[0.0] * n for _ in range(n)]
    for j in range(n):
        row = L[j]
        for i in range(j):
            row[i] = (matrix[j][i] - dot(L[i][:i], row)) / L[i][i]
        pivot = matrix[j][j] - dot(row[:j], row)
        if not (pivot > 0.0 and math.isfinite(pivot)):
            return L, 0.0
        ratio = min(ratio, pivot / matrix[j][j])
        row[j] = math.sqrt(pivot)
    return L, ratio


def pivot_share(L):
    """The smallest share of a squared pivot of L in what its rounding grows with: near 1e-16 where L L^T is singular to
    rounding, in whatever order its rows stand."""
    least, grown = 1.0, []
    for k, row in enumerate(L):
        pivot = row[k] * row[k]
        total = pivot + sum(row[j] * row[j] * (1.0 + grown[j]) for j in range(k))
        grown.append(total / pivot)
        least = min(least, pivot / total)
    return least


def lower(L, v):
    """L^-1 v"""
    v = list(v)
    for i in range(len(v)):
        v[i] = (v[i] - dot(L[i][:i], v)) / L[i][i]
    return v


def lower_transposed(L, v):
    """L^-T v"""
    v = list(v)
    for i in reversed(range(len(v))):
        v[i] /= L[i][i]
        add(-v[i], L[i][:i], v)
    return v


class Cod:
    """Complete orthogonal decomposition: L Q^T with row pivoting, then the leading columns of L, with weights on the
    rows, onto a triangle. Gives pseudo-inverses for any rank; directions not longer than `tolerance` are dropped."""

    def __init__(self, matrix, columns, tolerance, weight):
        self.a = a = [list(row) for row in matrix]
        self.m, self.n = m, n = len(a), columns
        self.row = row = list(range(m))  # original index of each factored row
        self.tau = []
        for k in range(min(m, n)):
            lengths = [norm(a[i][k:]) for i in range(k, m)]
            longest = max(lengths)
            if not longest > tolerance:
                break
            best = k + lengths.index(longest)
            a[k], a[best] = a[best], a[k]
            row[k], row[best] = row[best], row[k]
            head = a[k]
            beta = -longest if head[k] > 0.0 else longest
            self.tau.append((beta - head[k]) / beta)
            scale = 1.0 / (head[k] - beta)
            for j in range(k + 1, n):
                head[j] *= scale
            head[k] = beta
            for i in range(k + 1, m):
                self.reflect(k, a[i])
        self.rank = r = len(self.tau)
        # Second factorisation, by columns.
        self.t = [[0.0] * m for _ in range(r)]
        self.diagonal = []
        for k in range(r):
            for i in range(k, m):
                self.t[k][row[i]] = a[i][k] * weight[row[i]]
        for k in range(r):
            column = self.t[k]
            length = norm(column[k:])
            beta = -length if column[k] > 0.0 else length
            self.diagonal.append(beta)
            column[k] -= beta
            size = norm(column[k:])
            scale = math.sqrt(2.0) / size if size > 0.0 else 0.0
            for i in range(k, m):
                column[i] *= scale
            for other in self.t[k + 1:]:
                self.reflect_column(k, other)

    def reflect(self, k, v):
        head = self.a[k]
        s = self.tau[k] * (v[k] + dot(head[k + 1:], v[k + 1:]))
        v[k] -= s
        for j in range(k + 1, self.n):
            v[j] -= s * head[j]

    def rotate(self, v):
        """v <- Q v"""
        for k in reversed(range(self.rank)):
            self.reflect(k, v)

    def rotate_back(self, v):
        """v <- Q^T v"""
        for k in range(self.rank):
            self.reflect(k, v)

    def reflect_column(self, k, v):
        column = self.t[k]
        s = dot(column[k:], v[k:])
        for i in range(k, self.m):
            v[i] -= s * column[i]

    def multipliers(self, z):
        """lambda of minimum norm with (weighted leading columns)^T lambda = z"""
        work = [0.0] * self.m
        for k in range(self.rank):
            work[k] = (z[k] - dot(self.t[k][:k], work)) / self.diagonal[k]
        for k in reversed(range(self.rank)):
            self.reflect_column(k, work)
        return work

    def least(self, e):
        """(matrix)^+ e: least squares of minimum norm"""
        work, y = list(e), [0.0] * self.n
        for k in range(self.rank):
            self.reflect_column(k, work)
        for k in reversed(range(self.rank)):
            total = work[k]
            for j in range(k + 1, self.rank):
                total -= self.t[j][k] * y[j]
            y[k] = total / self.diagonal[k]
        self.rotate(y)
        return y


