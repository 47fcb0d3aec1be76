"""Signals for the inputs of a model: numbers, expressions, samples, functions of time and state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional

import numpy as np

from . import _engine, _words
from ._errors import RequestError
from ._options import array
from ._stepper import Array, Stepper

if TYPE_CHECKING:
    from ._description import Own

#: Name, expression or nothing, times, values, interpolation.
Signal = tuple[str, Optional[str], tuple[float, ...], tuple[float, ...], str]

#: How far a motion may be from what its controller saw, by the size of the state.
CLOSE = 1e-8

INTERPOLATIONS = ("step", "linear", "cubic")


def signals(inputs: Optional[Mapping[str, Any]], interpolate: str) -> tuple[Signal, ...]:
    """What is given for inputs, but for functions."""
    if interpolate not in INTERPOLATIONS:
        raise RequestError(f"interpolate={interpolate!r}: give one of {', '.join(INTERPOLATIONS)}")
    return tuple(_signal(name, value, interpolate) for name, value in _words.mapping("inputs", inputs).items())


def _signal(name: str, value: Any, interpolate: str) -> Signal:
    if not hasattr(value, "__len__") or isinstance(value, str):
        return name, _words.expression(value), (), (), "linear"
    samples = np.array(value, dtype=float) if not isinstance(value, tuple) else None
    if isinstance(value, tuple) and len(value) == 2:
        t, u = array("t", value[0]), array("u", value[1])
    elif samples is not None and samples.ndim == 2 and samples.shape[1] == 2:
        t, u = samples[:, 0], samples[:, 1]
    else:
        raise RequestError(f"samples of `{name}` are a pair (times, values), or an array of shape (k, 2)")
    if t.shape != u.shape or t.ndim != 1:
        raise RequestError(f"`{name}` has {t.size} times and {u.size} values")
    return name, None, tuple(t.tolist()), tuple(u.tolist()), interpolate


def followed(
    system: Own,
    functions: Mapping[str, Callable[[float, Array], float]],
    every: float,
    wish: dict[str, Any],
) -> Own:
    """The system with functions of time and state as its inputs, computed every so often along its motion and held.

    A stepper runs ahead, and its inputs are replayed. Where the motion, which has its own steps, has moved away from what
    the functions saw (as it does in time about an unstable equilibrium), they are asked again from there.
    """
    times = np.arange(0.0, wish["until"] + 0.5 * every, every)
    rows = [*times[times < wish["until"] * (1 - 1e-12)].tolist(), wish["until"]]
    plain = {**wish, "times": rows, "every": None, "hold": None, "sensitivity": [], "balance": False, "action": False}
    method = wish["method"] if wish["method"] in ("rk4", "tsit5", "dop853") else "dop853"
    stepper = Stepper(system, every, method)
    close = max(CLOSE, 100 * (wish["rtol"] or 0.0))
    values: dict[str, list[float]] = {name: [] for name in functions}
    known: Any = wish["state"]
    begun = 0
    while True:
        path = _ahead(stepper, functions, times[begun:], known, values)
        given = system._given(signals({name: (times, np.array(list_)) for name, list_ in values.items()}, "step"))
        columns, _, _, raised = _engine.simulate(given._engine, plain)
        if raised is not None:
            raise raised
        order = [columns.names.index(name) for name in system.states]
        actual = columns.numbers[order][:, begun:]
        count = min(actual.shape[1], len(path), len(rows) - begun)
        seen = np.array(path[:count]).T
        off = np.any(np.abs(actual[:, :count] - seen) > close * (1 + np.abs(seen)), axis=0)
        off[:1] = False
        if not off.any():
            return given
        first = int(np.argmax(off))
        known, begun = actual[:, first].copy(), begun + first
        for list_ in values.values():
            del list_[begun:]


def _ahead(
    stepper: Stepper,
    functions: Mapping[str, Callable[[float, Array], float]],
    times: Array,
    start: Any,
    values: dict[str, list[float]],
) -> list[Array]:
    """States at these times under the functions, whose values are added."""
    known = stepper.system.si_parameters
    y = stepper.reset(start, t=float(times[0]))
    path = [y]
    for k, t in enumerate(times):
        now = {name: float(function(float(t), y)) for name, function in functions.items()}
        for name, value in now.items():
            values[name].append(value)
        if k + 1 < len(times):
            y = stepper.step([now.get(name, known[name]) for name in stepper.inputs])
            path.append(y)
    return path
