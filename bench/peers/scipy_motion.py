"""A part of a motion by scipy.integrate.solve_ivp (DOP853): K1-K3 from the module that `export --target python` writes,
accelerations by NumPy (least squares, so that redundant rows do no harm).

Argument: the module. Standard input: end of the part, wanted error, most seconds; x; eta; state known at that end.
Prints seconds of the loosest tolerance that meets the error, the error, the tolerance; or `none`.
"""

import importlib.util
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

spec = importlib.util.spec_from_file_location("exported", sys.argv[1])
exported = importlib.util.module_from_spec(spec)
spec.loader.exec_module(exported)
until, wanted, most = (float(v) for v in sys.stdin.readline().split())
x, eta, known = ([float(v) for v in sys.stdin.readline().split()] for _ in range(3))
nx, n, rows = exported.NX, exported.N, exported.ROWS
known = np.array(known)
began = time.perf_counter()


def derivative(t, s):
    if time.perf_counter() - began > most:
        raise TimeoutError
    values = s.tolist()
    x_dot, M, Q, A, b = exported.terms(t, values[:nx], values[nx:], exported.PARAMETERS)
    A = np.array(A).reshape(rows, n)
    W = np.linalg.solve(np.array(M), np.column_stack([Q, A.T]))
    a = W[:, 0]
    if rows:
        multipliers = np.linalg.lstsq(A @ W[:, 1:], np.array(b) - A @ a, rcond=1e-11)[0]
        a = a + W[:, 1:] @ multipliers
    return np.concatenate([x_dot, a])


try:
    for k in range(6):
        tolerance = 1e-6 * 10.0**-k
        began_one = time.perf_counter()
        s = solve_ivp(derivative, (0, until), x + eta, method="DOP853", rtol=tolerance, atol=tolerance * 0.01)
        seconds = time.perf_counter() - began_one
        error = np.max(np.abs(s.y[:, -1] - known) / np.maximum(np.abs(known), 1))
        if error < wanted:
            print(seconds, error, tolerance)
            break
    else:
        print("none")
except TimeoutError:
    print("none")
