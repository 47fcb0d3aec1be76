"""Double pendulums as one writes them by hand for Numba: the program of double_pendulum.c, line by line.

Arguments: tolerance, repetitions. Standard input: theta1 theta2 theta1' theta2' a line. Output: CPU seconds of one
repetition (after compilation), mean steps, then the states at t = 10.
"""
import math
import sys
import time

import numpy as np
from numba import njit

A = np.zeros((6, 6))
A[1, :1] = [0.161]
A[2, :2] = [-0.008480655492356989, 0.335480655492357]
A[3, :3] = [2.8971530571054935, -6.359448489975075, 4.3622954328695815]
A[4, :4] = [5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525]
A[5, :5] = [5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383]
B = np.array([0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774])
E = np.array([-0.001780011052225777, -0.0008164344596567469, 0.007880878010261995, -0.1447110071732629,
              0.5823571654525552, -0.45808210592918697, 0.015151515151515152])


@njit
def f(y, d):
    g = 9.81
    s1, c1, s2, c2 = math.sin(y[0]), math.cos(y[0]), math.sin(y[1]), math.cos(y[1])
    sd, cd = s1 * c2 - c1 * s2, c1 * c2 + s1 * s2
    q1, q2 = -sd * y[3] * y[3] - 2 * g * s1, sd * y[2] * y[2] - g * s2
    det = 1 / (2 - cd * cd)
    d[0], d[1] = y[2], y[3]
    d[2], d[3] = (q1 - cd * q2) * det, (2 * q2 - cd * q1) * det


@njit
def solve(y, tol):
    k, s, z = np.empty((7, 4)), np.empty(4), np.empty(4)
    t, h, before, steps, rejected = 0.0, 1e-3, 1e-4, 0, False
    f(y, k[0])
    while t < 10:
        if t + h > 10:
            h = 10 - t
        for i in range(1, 6):
            for n in range(4):
                total = 0.0
                for j in range(i):
                    total += A[i, j] * k[j, n]
                s[n] = y[n] + h * total
            f(s, k[i])
        for n in range(4):
            total = 0.0
            for j in range(6):
                total += B[j] * k[j, n]
            z[n] = y[n] + h * total
        f(z, k[6])
        error = 0.0
        for n in range(4):
            total = 0.0
            for j in range(7):
                total += E[j] * k[j, n]
            error = max(error, abs(h * total) / (tol + tol * max(abs(y[n]), abs(z[n]))))
        steps += 1
        if error <= 1:
            t = 10.0 if t + h >= 10 else t + h
            y[:] = z
            k[0, :] = k[6, :]
            error = max(error, 1e-10)
            h *= min(1.0 if rejected else 5.0, max(0.2, 0.9 * error ** -0.14 * before ** 0.08))
            before, rejected = max(error, 1e-4), False
        else:
            h *= min(0.9, max(0.2, 0.9 * error ** -0.2))
            rejected = True
    return steps


@njit
def everything(states, tol):
    steps = 0
    for i in range(states.shape[0]):
        steps += solve(states[i], tol)
    return steps


tol, repetitions = float(sys.argv[1]), int(sys.argv[2])
start = np.loadtxt(sys.stdin, ndmin=2)
everything(start[:1].copy(), tol)
began = time.process_time()
for _ in range(repetitions):
    end = start.copy()
    steps = everything(end, tol)
print((time.process_time() - began) / repetitions, steps / len(start))
for row in end:
    print(*(repr(float(v)) for v in row))
