"""Names and values as the model language writes them."""

from __future__ import annotations

import importlib.util
import math
import re
import sys
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from ._errors import RequestError

#: What ends a statement, and how to speak of it.
ENDS = {"\n": "a line break", "\r": "a line break", ";": "`;`", "#": "`#`"}

#: A number, an expression as text, or one of SymPy.
Expression = Any

#: Starting values or a state: ``{"x": 1, "x'": 0.2}``, or as in the model, ``"x = 1, y ~ -1"``.
Values = Union[None, str, Mapping[Any, Expression], Sequence[str]]


def need(module: str, extra: str) -> None:
    """Says how to get a package that is used where it is installed."""
    if importlib.util.find_spec(module) is None:
        raise ImportError(f"{module} is not installed: pip install 'dalembert[{extra}]'", name=module)


def line(text: str, what: str = "an expression") -> str:
    """Text that is part of one statement: nothing in it may end the statement and begin another one."""
    found = next((sign for sign in ENDS if sign in text), None)
    if found is not None:
        raise RequestError(f"{text!r}: {what} is part of one statement, and {ENDS[found]} would end it")
    return text.strip()


def mapping(what: str, values: Any) -> dict[Any, Any]:
    """A mapping, pairs, or nothing."""
    if values is None:
        return {}
    try:
        pairs = not isinstance(values, (Mapping, str)) and all(len(item) == 2 for item in values)
        if isinstance(values, Mapping) or (pairs and not any(isinstance(item, str) for item in values)):
            return dict(values)
    except TypeError:
        pass
    raise RequestError(f'{what}={values!r}: give a mapping, as in {what}={{"m": 2}}')


def number(value: float) -> str:
    """A number with all its digits."""
    try:
        value = float(value)
    except OverflowError:
        raise RequestError(f"{value!r} is beyond the range of numbers") from None
    if not math.isfinite(value):
        raise RequestError(f"{value} is not a number that a model can hold")
    return repr(value).replace("e+", "e")


def has_masked(value: Any) -> bool:
    """Whether an array hides some of its numbers."""
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.getmaskarray(value).any())


def is_sympy(value: object) -> bool:
    """Without importing SymPy: who hands over one of its objects has done so."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, (sympy.Basic, sympy.MatrixBase))


def expression(value: Expression) -> str:
    """An expression in the model language: text as it is, numbers exactly, SymPy translated."""
    if isinstance(value, str):
        return line(value)
    if hasattr(value, "_expression_"):
        return str(value._expression_())
    if is_sympy(value):
        from ._sympy import write

        try:
            return write(value)
        except RecursionError:
            raise RequestError(
                "the SymPy expression is nested too deeply: name parts of it with `let`"
            ) from None
    if isinstance(value, bool):
        raise RequestError(f"{value} is not an expression")
    if has_masked(value):
        raise RequestError("an array has masked entries: give numbers for them")
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0:
        return "[" + ", ".join(expression(part) for part in value) + "]"
    if isinstance(value, int):
        return str(value)
    try:
        return number(value)
    except (TypeError, ValueError) as error:
        if isinstance(error, RequestError):
            raise
        raise RequestError(f"{value!r} is not an expression: give a number, text or a SymPy expression") from None


def name(value: object) -> str:
    """The name of something declared: text, a symbol or a function of time."""
    return line(value, "a name") if isinstance(value, str) else expression(value)


def settings(values: Optional[Mapping[Any, Expression]]) -> tuple[tuple[str, str], ...]:
    """New values of parameters."""
    return tuple((name(key), expression(value)) for key, value in mapping("set", values).items())


def starts(values: Values) -> tuple[str, ...]:
    """Starting values as statements."""
    if values is None:
        return ()
    if isinstance(values, str):
        return _once(split(line(values, "a list of values")))
    if isinstance(values, Mapping):
        return tuple(f"{name(key)} = {expression(value)}" for key, value in values.items())
    if not isinstance(values, Iterable) or not all(isinstance(item, str) for item in values):
        raise RequestError(
            f'{values!r}: give starting values as a mapping, {{"x": 1}}, or as text, "x = 1, y ~ -1"'
        )
    return _once(line(item, "a starting value") for item in values)


def _once(items: Iterable[str]) -> tuple[str, ...]:
    """Starting values, refused where two are about the same thing."""
    known: dict[str, str] = {}
    for item in items:
        what = about(item)
        if what in known:
            raise RequestError(f"`{what}` is given twice: `{known[what].strip()}` and `{item.strip()}`")
        known[what] = item
    return tuple(known.values())


def about(start: str) -> str:
    """What a starting value is about: ``x'`` of ``x' = 2``."""
    return re.split("[=~]", start)[0].strip()


def state(values: Values) -> str:
    """Values of a state, as in ``x = 1, x' = 0.2, t = 0``."""
    return ", ".join(starts(values))


def split(text: str) -> list[str]:
    """Splits at commas outside of brackets."""
    parts, depth, last = [], 0, 0
    for k, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(text[last:k])
            last = k + 1
    parts.append(text[last:])
    return [part.strip() for part in parts if part.strip()]


def join(names: Iterable[object]) -> list[str]:
    return [name(item) for item in names]
