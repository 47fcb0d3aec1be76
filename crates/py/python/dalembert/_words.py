"""Names and values as the model language writes them."""

from __future__ import annotations

import math
import sys
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from ._errors import RequestError

#: A number, an expression as text, or one of SymPy.
Expression = Any

#: Starting values or a state: ``{"x": 1, "x'": 0.2}``, or as in the model, ``"x = 1, y ~ -1"``.
Values = Union[None, str, Mapping[Any, Expression], Sequence[str]]


def number(value: float) -> str:
    """A number with all its digits."""
    value = float(value)
    if not math.isfinite(value):
        raise RequestError(f"{value} is no number that a model can hold")
    return repr(value).replace("e+", "e")


def is_sympy(value: object) -> bool:
    """Without importing SymPy: who hands over one of its objects has done so."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, (sympy.Basic, sympy.MatrixBase))


def expression(value: Expression) -> str:
    """An expression in the model language: text as it is, numbers exactly, SymPy translated."""
    if isinstance(value, str):
        return value.strip()
    if is_sympy(value):
        from ._sympy import write

        return write(value)
    if isinstance(value, bool):
        raise RequestError(f"{value} is no expression")
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0:
        return "[" + ", ".join(expression(part) for part in value) + "]"
    if isinstance(value, int):
        return str(value)
    try:
        return number(value)
    except TypeError:
        raise RequestError(f"{value!r} is no expression: give a number, text or a SymPy expression") from None


def name(value: object) -> str:
    """The name of something declared: text, a symbol or a function of time."""
    return value.strip() if isinstance(value, str) else expression(value)


def settings(values: Optional[Mapping[Any, Expression]]) -> tuple[tuple[str, str], ...]:
    """New values of parameters."""
    return tuple((name(key), expression(value)) for key, value in (values or {}).items())


def starts(values: Values) -> tuple[str, ...]:
    """Starting values as statements."""
    if values is None:
        return ()
    if isinstance(values, str):
        return tuple(split(values))
    if isinstance(values, Mapping):
        return tuple(f"{name(key)} = {expression(value)}" for key, value in values.items())
    return tuple(str(item) for item in values)


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
