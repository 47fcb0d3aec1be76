"""Options of runs, checked before the engine sees them."""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _engine
from ._errors import RequestError

#: ``(t0, t1)``, the end time alone, or what the model says.
Span = Union[None, float, Sequence[float]]

#: What users of ``solve_ivp`` ask for, and what there is instead.
ELSEWHERE = {
    "rk45": "`tsit5` is a pair of the same orders",
    "rk23": "`tsit5` has order 5, at loose tolerances as cheap",
    "bdf": "`radau` is for stiff systems",
    "lsoda": "`dop853` is for most systems, `radau` for stiff ones",
}


def number(what: str, value: Any, kind: Callable[[Any], Any] = float) -> Any:
    """An option that is one number, or left out."""
    if value is None:
        return None
    try:
        return kind(value)
    except (TypeError, ValueError):
        whole = "" if kind is float else " whole"
        raise RequestError(f"{what}={value!r}: give one{whole} number") from None


def pair(what: str, value: Any) -> Optional[tuple[float, float]]:
    if value is None:
        return None
    if np.shape(value) != (2,):
        raise RequestError(f"{what}={value!r}: give a pair of numbers")
    return number(what, value[0]), number(what, value[1])


def count(what: str, value: Any) -> Any:
    """A whole number from 0, or left out."""
    count = number(what, value, operator.index)
    if count is not None and not 0 <= count < 2**63:
        raise RequestError(f"{what}={value!r}: give a whole number from 0")
    return count


def span(t_span: Span) -> tuple[float, Optional[float]]:
    """Start and end; the end is the model's if nothing is given."""
    if t_span is None:
        return 0.0, None
    ends = np.asarray(t_span, dtype=float).reshape(-1)
    if len(ends) > 2 or len(ends) == 0:
        raise RequestError(f"t_span={t_span!r}: give (t0, t1), or the end time alone")
    begin, until = (0.0, float(ends[0])) if len(ends) == 1 else (float(ends[0]), float(ends[1]))
    if not begin < until:
        raise RequestError(f"t_span={t_span!r}: motions go forward in time, from t0 to a later t1")
    return begin, until


def times(t_eval: Any, every: Optional[float], begin: float, until: Optional[float]) -> Optional[list[float]]:
    """Times of the rows, if they are given."""
    if t_eval is None:
        return None
    if every is not None:
        raise RequestError("t_eval and every both say where rows stand: give one of them")
    times = np.asarray(t_eval, dtype=float).reshape(-1)
    inside = np.all(times >= begin) and (until is None or np.all(times <= until))
    if not np.all(np.isfinite(times)) or not np.all(np.diff(times) > 0) or not inside:
        raise RequestError("t_eval: give times in increasing order, within t_span")
    return times.tolist()  # type: ignore[no-any-return]


def method(given: Optional[str]) -> Optional[str]:
    """The name of an integrator, in any case."""
    if given is None:
        return None
    name = str(given).lower()
    if name not in _engine.methods():
        instead = f"; {ELSEWHERE[name]}" if name in ELSEWHERE else ""
        raise RequestError(f"there is no method {given!r}{instead}; known: {', '.join(_engine.methods())}")
    return name
