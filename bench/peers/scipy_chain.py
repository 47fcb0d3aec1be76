"""One acceleration of the chain of N links in redundant coordinates: the matrix [M -A^T; A 0] filled by NumPy, factored
and solved by SuperLU (scipy.sparse.linalg.splu), hung at one end, horizontal, at rest.

Prints the best time in microseconds and the acceleration th'' of the first link.
"""

import sys
import time

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

n = int(sys.argv[1])
m, J, l, g = 1.0, 0.01, 0.2, 9.81

# Unknowns link by link, its two rows behind it, so that the matrix is a narrow band: x, y, th, lambda, mu.
base = 5 * np.arange(n)
row, col, kind = [], [], []


def entry(i, j, number):
    row.append(i), col.append(j), kind.append(number)


for number, k in enumerate((0, 1, 2)):
    entry(base + k, base + k, number)
# Rows of the constraints on the own link and on the one before: x, y and th columns.
inner = base[1:]
parts = [(base + 3, base, 3), (base + 3, base + 2, 4), (base + 4, base + 1, 3), (base + 4, base + 2, 5)]
parts += [(inner + 3, inner - 5, 6), (inner + 3, inner - 3, 7), (inner + 4, inner - 4, 6), (inner + 4, inner - 3, 8)]
for i, j, number in parts:
    entry(i, j, number)
    entry(j, i, -number)
sizes = [len(i) for i in row]
rows, cols = np.concatenate(row), np.concatenate(col)
pattern = sp.csc_matrix((np.arange(1, len(rows) + 1, dtype=float), (rows, cols)), shape=(5 * n, 5 * n))
order = pattern.data.astype(int) - 1


def acceleration(th, w):
    s, c = np.sin(th), np.cos(th)
    one = np.ones(n)
    values = {0: m * one, 1: m * one, 2: J * one, 3: one, 4: l / 2 * s, 5: -l / 2 * c}
    values |= {6: -one[1:], 7: l / 2 * s[:-1], 8: -l / 2 * c[:-1]}
    data = np.concatenate([values[k] if k >= 0 else -values[-k] for k in kind])[order]
    right = np.zeros(5 * n)
    right[1::5] = -m * g
    right[3::5] = -l / 2 * c * w**2
    right[4::5] = -l / 2 * s * w**2
    right[8::5] -= l / 2 * (c * w**2)[:-1]
    right[9::5] -= l / 2 * (s * w**2)[:-1]
    matrix = sp.csc_matrix((data, pattern.indices, pattern.indptr), shape=pattern.shape)
    return splu(matrix, permc_spec="MMD_AT_PLUS_A").solve(right)


th, w = np.zeros(n), np.zeros(n)
best = float("inf")
for _ in range(max(20, 2000 // n)):
    begin = time.perf_counter()
    z = acceleration(th, w)
    best = min(best, time.perf_counter() - begin)
print(best * 1e6, z[2])
