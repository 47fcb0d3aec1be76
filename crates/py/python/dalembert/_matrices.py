"""Mass matrix, bias and Jacobians of points as arrays, over one state or many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Union

import numpy as np
import numpy.typing as npt

from . import _words
from ._errors import RequestError
from ._table import Array

if TYPE_CHECKING:
    from ._description import Description

#: Coordinates and speeds of shape (n,) or (n, k), some of them by name, or the initial conditions.
State = Union[None, npt.ArrayLike, Mapping[Any, float]]

#: How many points a system remembers the program of.
REMEMBERED = 64


def state(system: Description, y: State) -> npt.ArrayLike:
    """A state as numbers; what a mapping leaves out is as at the start. Nothing is projected."""
    if y is not None and not isinstance(y, Mapping):
        return y
    known = dict(system.initial)
    for key, value in (y or {}).items():
        name = _words.name(key)
        if name not in known:
            raise RequestError(f"`{name}` is not a coordinate or speed: {', '.join(known)}")
        known[name] = float(value)
    return np.array(list(known.values()))


def matrices(system: Description, y: State, t: npt.ArrayLike) -> dict[str, Array]:
    """M, Q, A and b of ``M eta' = Q``, ``A eta' = b``; the last axis is the state where there are many."""
    f = system._accelerations
    states, times, single = f._arrays(t, state(system, y))
    found = f._rates.terms(times, states)
    n, m, k = len(system.speeds), len(system.rows), states.shape[1]
    shapes = {"mass_matrix": (n, n, k), "constraint_matrix": (m, n, k)}
    parts = {key: value.reshape(shapes.get(key, value.shape)) for key, value in found.items()}
    return {key: value[..., 0] if single else value for key, value in parts.items()}


def jacobian(system: Description, rate: str, y: State, t: npt.ArrayLike) -> Array:
    """Partial derivatives by the speeds of a rate, which is affine in them: its values at unit speeds less that at rest."""
    measured = _measured(system, rate)
    f = measured._accelerations
    states, times, single = f._arrays(t, state(system, y))
    n, p, k = len(system.coordinates), len(system.speeds), states.shape[1]
    asked = np.zeros((n + p, p + 1, k))
    asked[:n] = states[:n, None, :]
    asked[n:, 1:] = np.eye(p)[:, :, None]
    every = np.broadcast_to(times, (p + 1, k)).reshape(-1)
    values = f._rates.outputs(np.ascontiguousarray(every), asked.reshape(n + p, -1))[len(system.outputs) :]
    if np.isnan(values).any():
        raise RequestError(f"`{rate}` has no value at a state, or depends on forces: a point depends on coordinates alone")
    values = values.reshape(-1, p + 1, k)
    found = values[:, 1:] - values[:, :1]
    return found[..., 0] if single else found


def _measured(system: Description, rate: str) -> Description:
    """The system with the rate as a further output."""
    known: dict[str, Description] = system.__dict__.setdefault("_measured", {})
    if rate not in known:
        name = "rate_of_point"
        while name in system.text:
            name += "_"
        if len(known) >= REMEMBERED:
            known.pop(next(iter(known)))
        known[rate] = system._with(None, None, [f"output {name} = {rate}"])
    return known[rate]
