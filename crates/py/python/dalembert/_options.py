"""Options of runs, checked before the engine sees them."""

from __future__ import annotations

import difflib
import math
import operator
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _engine
from ._errors import RequestError
from ._words import has_masked, mapping, name

#: Times nearer to each other than this, by their size, are one time to the engine.
APART = 64 * np.finfo(float).eps

#: The shortest run: below it the steps of a method leave the range of numbers.
SHORTEST = 1e-100

#: ``(t0, t1)``, the end time alone, or what the model says.
Span = Union[None, float, Sequence[float]]

#: What users of ``solve_ivp`` ask for, and what there is instead.
ELSEWHERE = {
    "rk45": "`tsit5` is a pair of the same orders",
    "rk23": "`tsit5` has order 5, at loose tolerances as cheap",
    "bdf": "`radau` is for stiff systems",
    "lsoda": "`dop853` is for most systems, `radau` for stiff ones",
}


#: Other words of ``solve_ivp``, and what to do instead. None is accepted: there is nothing to do.
WORDS: dict[str, Optional[str]] = {
    "fun": "the equations are those of the model; `acceleration_function().rhs` is for other integrators",
    "vectorized": None,
    "args": "parameters have names: set={'m': 2}, or with_parameters(m=2); signals are `inputs`",
    "first_step": "the first step is chosen from `rtol` and `atol`; `step` fixes the length of steps",
    "min_step": "a step that becomes too short is reported; `time_limit` and `max_steps` bound a run",
    "max_step": "events, jumps and kinks of inputs end steps, so that none is stepped over; `rtol` and `atol` choose "
    "the steps, `every` or `t_eval` the rows, and `step` a fixed length",
    "jac": "Jacobians are exact and come from the model: leave it out",
    "jac_sparsity": "the sparsity of Jacobians comes from the model: leave it out",
    "lband": "the sparsity of Jacobians comes from the model: leave it out",
    "uband": "the sparsity of Jacobians comes from the model: leave it out",
}


#: Words of the command line and of other programs, and the options that mean them.
OPTIONS = {"until": "t_span", "t_end": "t_span", "tf": "t_span", "duration": "t_span", "dt": "every", "parameters": "set", "y": "y0"}


def solve_ivp(words: Mapping[str, Any]) -> None:
    """Refuses words that a run does not have, with what to use."""
    for word in words:
        if word not in WORDS:
            near = [OPTIONS[word]] if word in OPTIONS else difflib.get_close_matches(word, RUN_WORDS, 1)
            raise TypeError(f"simulate() has no option {word!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        answer = WORDS[word]
        if answer is not None:
            raise RequestError(f"{word}: {answer}")


#: Options of a run, for who mistypes one.
RUN_WORDS = (
    "t_span", "t_eval", "y0", "project", "every", "rtol", "atol", "method", "events", "step", "max_steps", "set", "initial",
    "inputs", "interpolate", "plant", "hold", "form", "multipliers", "baumgarte", "balance", "action", "interpret", "fold",
    "sensitivity", "time_limit", "progress", "dense_output",
)  # fmt: skip


def array(what: str, value: Any) -> npt.NDArray[np.float64]:
    """Real numbers as an array."""
    if has_masked(value):
        raise RequestError(f"{what}: some entries are masked; give numbers for them")
    try:
        found = np.asarray(value)
        if found.dtype.kind in "biuf":
            return found.astype(float)
        if found.dtype.kind == "O" and not any(isinstance(part, (str, complex)) for part in found.flat):
            return np.array([float(part) for part in found.flat]).reshape(found.shape)
    except (TypeError, ValueError, OverflowError):
        pass
    raise RequestError(f"{what}={value!r}: give real numbers")


def yes_or_no(what: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise RequestError(f"{what}={value!r}: give True or False")
    return bool(value)


def tolerance(what: str, value: Any) -> Optional[float]:
    """A tolerance of a step, or left out."""
    given = number(what, value)
    if given is not None and not 0 < given < math.inf:
        raise RequestError(f"{what}={value!r}: give a positive number, as in {what}=1e-9")
    return given  # type: ignore[no-any-return]


def number(what: str, value: Any, kind: Callable[[Any], Any] = float) -> Any:
    """An option that is one number, or left out."""
    if value is None:
        return None
    try:
        if not isinstance(value, (str, bytes)) and not has_masked(value):
            return kind(value)
    except (TypeError, ValueError, OverflowError):
        pass
    whole = "" if kind is float else " whole"
    raise RequestError(f"{what}={value!r}: give one{whole} number")


def pair(what: str, value: Any) -> Optional[tuple[float, float]]:
    if value is None:
        return None
    found = array(what, value)
    if found.shape != (2,):
        raise RequestError(f"{what}={value!r}: give a pair of numbers")
    return float(found[0]), float(found[1])


def count(what: str, value: Any) -> Any:
    """A whole number from 0, or left out."""
    count = number(what, value, operator.index)
    if count is not None and not 0 <= count < 2**63:
        raise RequestError(f"{what}={value!r}: give a whole number from 0")
    return count


def positive(what: str, value: Any) -> int:
    """A whole number from 1."""
    whole = count(what, value)
    if whole is None or whole < 1:
        raise RequestError(f"{what}={value!r}: give a whole number of 1 or more")
    return whole  # type: ignore[no-any-return]


def word(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise RequestError(f"{what}={value!r}: give a name")
    return value


def plant(given: Any, what: str = "plant") -> list[tuple[str, float]]:
    """Numbers by name: parameters of the simulated system that its controller does not know of, or multipliers."""
    found = []
    for key, value in mapping(what, given).items():
        if value is None:
            raise RequestError(f"{what}: give a number for `{name(key)}`")
        found.append((name(key), number(f"{what}[{name(key)!r}]", value)))
    return found


def span(t_span: Span) -> tuple[float, Optional[float]]:
    """Start and end; the end is the model's if nothing is given."""
    if t_span is None:
        return 0.0, None
    ends = array("t_span", t_span).reshape(-1)
    if len(ends) > 2 or len(ends) == 0:
        raise RequestError(f"t_span={t_span!r}: give (t0, t1), or the end time alone")
    begin, until = (0.0, float(ends[0])) if len(ends) == 1 else (float(ends[0]), float(ends[1]))
    if not begin < until:
        raise RequestError(f"t_span={t_span!r}: motions go forward in time, from t0 to a later t1")
    if until - begin < max(SHORTEST, APART * max(abs(begin), abs(until))):
        raise RequestError(f"t_span={t_span!r}: too short for a step; measure time in a smaller unit")
    return begin, until


def times(t_eval: Any, every: Optional[float], begin: float, until: Optional[float]) -> Optional[list[float]]:
    """Times of the rows, if they are given."""
    if t_eval is None:
        return None
    if every is not None:
        raise RequestError("t_eval and every both say where rows stand: give one of them")
    times = array("t_eval", t_eval).reshape(-1)
    inside = np.all(times >= begin) and (until is None or np.all(times <= until))
    if not np.all(np.isfinite(times)) or not np.all(np.diff(times) > 0) or not inside:
        raise RequestError("t_eval: give times in increasing order, within t_span")
    ends = [begin] if until is None else [begin, until]
    marks = np.unique(np.concatenate([times, ends]))
    close = np.diff(marks) <= APART * np.maximum(np.abs(marks[1:]), np.abs(marks[:-1]))
    if np.any(close):
        raise RequestError(
            f"t_eval: {marks[:-1][close][0]!r} and {marks[1:][close][0]!r} are closer than a run can tell apart"
        )
    return times.tolist()  # type: ignore[no-any-return]


def method(given: Optional[str]) -> Optional[str]:
    """The name of an integrator, in any case."""
    if given is None:
        return None
    known = str(given).lower()
    if known not in _engine.methods():
        instead = f"; {ELSEWHERE[known]}" if known in ELSEWHERE else ""
        raise RequestError(f"there is no method {given!r}{instead}; known: {', '.join(_engine.methods())}")
    return known
