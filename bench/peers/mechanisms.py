"""The mechanisms of the compared motions as trees of bodies with loops to close, for peers that want them so.

Frames of all bodies are parallel to the world where every angle is zero. What is compared at the end is what the
models in models/ have as coordinates: angles, or the places of joints.
"""

from typing import NamedTuple

import numpy as np

WORLD = -1


class Body(NamedTuple):
    parent: int
    pivot: tuple  # in the parent's frame
    axis: tuple
    centre: tuple
    mass: float
    inertia: tuple  # about the centre of mass, along the axes


class Mechanism(NamedTuple):
    bodies: list
    loops: list  # (body, place in it, body, place in it): the places are one
    welds: list  # the same, and the frames keep parallel
    gravity: tuple
    angles: list  # at the start
    rates: list
    places: list  # (body, place in it) whose coordinates are compared; none: the angles are
    order: list  # of what is compared in that of the model
    torque: float = 0.0  # on the first joint
    spring: tuple = ()  # stiffness, length, place in the world, body, place in it

    def compared(self, angles, rates, places):
        """What the model has as its state. `places` gives places and velocities, for mechanisms compared by them."""
        if not self.places:
            return np.concatenate([np.asarray(angles)[self.order], np.asarray(rates)[self.order]])
        both = [np.array(part).T.ravel()[self.order] for part in places()]
        return np.concatenate(both)


def plane(inertia):
    """A body in the plane: what it is about the other axes does not matter."""
    return (inertia / 2, inertia / 2, inertia)


def andrews():
    up = (0, 0, 1)
    d, da, e, ea, rr, ra, ss, sa, sb, sc, sd = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
    ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
    A, B, C = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0), (0.014, 0.072, 0)
    bodies = [
        Body(WORLD, (0, 0, 0), up, (ra, 0, 0), 0.04325, plane(2.194e-6)),  # beta
        Body(0, (rr, 0, 0), up, (-da, 0, 0), 0.00365, plane(4.410e-7)),  # theta
        Body(WORLD, B, up, (sb, -sa, 0), 0.02373, plane(5.255e-6)),  # gamma
        Body(WORLD, A, up, (ta, tb, 0), 0.07050, plane(1.169e-5)),  # delta
        Body(3, (zt, 0, 0), up, (0, ea - e, 0), 0.00706, plane(5.667e-7)),  # phi
        Body(WORLD, A, up, (-ub, -ua, 0), 0.05498, plane(1.912e-5)),  # epsilon
        Body(5, (0, -u, 0), up, (zf - fa, 0, 0), 0.00706, plane(5.667e-7)),  # Omega
    ]
    end = (1, (-d, 0, 0))
    loops = [(*end, 2, (0, -ss, 0)), (*end, 4, (0, -e, 0)), (*end, 6, (zf, 0, 0))]
    start = [-0.0617138900142764496, 0, 0.455279819163070380, 0.487364979543842550]
    start += [0.222668390165885885, 1.23054744454982119, -0.222668390165885885]
    spring = (4530.0, 0.07785, C, 2, (sd, -sc, 0))
    return Mechanism(bodies, loops, [], (0, 0, 0), start, [0.0] * 7, [], [0, 1, 2, 4, 3, 6, 5], 0.033, spring)


def four_bar(n=40):
    up, bar = (0, 0, 1), plane(1 / 12)
    cranks = [Body(WORLD, (i, 0, 0), up, (0, 0.5, 0), 1.0, bar) for i in range(n + 1)]
    couplers = [Body(i, (0, 1, 0), up, (0.5, 0, 0), 1.0, bar) for i in range(n)]
    tips = [(i, (0, 1, 0)) for i in range(n + 1)]
    loops = [(n + 1 + i, (1, 0, 0), *tips[i + 1]) for i in range(n)]
    start, rates = [0.0] * (2 * n + 1), [-1.0] * (n + 1) + [1.0] * n
    order = list(range(2 * (n + 1)))
    return Mechanism(cranks + couplers, loops, [], (0, -9.81, 0), start, rates, tips, order)


def bricard():
    """The third rod is cut in two halves of the same place, which are welded."""
    P = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)], dtype=float)
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 0, 0)]

    def rod(parent, pivot, axis, other, share=1.0):
        along = P[other] - P[pivot]
        inertia = share / 12 * (1 - along**2)  # a thin rod along a coordinate axis
        place = P[pivot] if parent[0] == WORLD else P[pivot] - P[parent[1]]
        return Body(parent[0], tuple(place), axes[axis], tuple(along / 2), share, tuple(inertia))

    # Frames of bodies stand in their pivots: the parent's is named beside it.
    bodies = [rod((WORLD, 0), 0, 0, 1), rod((0, 0), 1, 1, 2), rod((1, 1), 2, 2, 3, 0.5)]
    bodies += [rod((WORLD, 0), 5, 5, 4), rod((3, 5), 4, 4, 3), rod((4, 4), 3, 3, 2, 0.5)]
    middle = tuple((P[3] - P[2]) / 2), tuple((P[2] - P[3]) / 2)
    origin = (0.0, 0.0, 0.0)
    places = [(1, origin), (2, origin), (5, origin), (4, origin)]
    return Mechanism(
        bodies, [], [(2, middle[0], 5, middle[1])], (0, -9.81, 0), [0.0] * 6, [0.0] * 6, places, list(range(12))
    )


MECHANISMS = {"andrews": andrews, "four_bar": four_bar, "bricard": bricard}


def error(end, known):
    """The worst difference, relative where values are large."""
    known = np.asarray(known)
    return float(np.max(np.abs(end - known) / np.maximum(np.abs(known), 1)))


def question(lines):
    """End of the motion, wanted error, most seconds; then the state known at that end."""
    until, wanted, most = (float(v) for v in lines.readline().split())
    return until, wanted, most, [float(v) for v in lines.readline().split()]
