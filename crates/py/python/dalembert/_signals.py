"""Signals for the inputs of a model: numbers, expressions, samples, functions of time and state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional

import numpy as np
import numpy.typing as npt

from . import _words
from ._errors import RequestError
from ._options import array
from ._stepper import Stepper

if TYPE_CHECKING:
    from ._description import Description

#: Name, expression or nothing, times, values, interpolation.
Signal = tuple[str, Optional[str], tuple[float, ...], tuple[float, ...], str]

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


def sampled(
    system: Description,
    functions: Mapping[str, Callable[[float, npt.NDArray[np.float64]], float]],
    times: npt.NDArray[np.float64],
    method: Optional[str],
    y0: Any,
) -> dict[str, Any]:
    """Functions of time and state, computed at these times along the motion and held in between."""
    values: dict[str, list[float]] = {name: [] for name in functions}
    stepper, y, dt, known = None, None, None, system.si_parameters
    for k, t in enumerate(times):
        if stepper is None:
            dt = float(times[1] - times[0]) if len(times) > 1 else 1.0
            if len(times) > 2 and not np.allclose(np.diff(times), dt, rtol=1e-9, atol=0.0):
                raise RequestError("a function as an input is computed at evenly spaced times: give `every`")
            explicit = method if method in ("rk4", "tsit5", "dop853") else "dop853"
            stepper = Stepper(system, dt, explicit)
            y = stepper.reset(y0)
        assert y is not None
        now = [float(functions[name](float(t), y)) if name in functions else None for name in stepper.inputs]
        for name, value in zip(stepper.inputs, now):
            if value is not None:
                values[name].append(value)
        if k + 1 < len(times):
            y = stepper.step([known[n] if v is None else v for n, v in zip(stepper.inputs, now)])
    return {name: (times, np.array(list_)) for name, list_ in values.items()}
