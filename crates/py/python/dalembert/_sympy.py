"""SymPy expressions in the model language.

Functions of time (``dynamicsymbols``) are names, their derivatives have primes; matrices are vectors and lists of rows. What
the language does not have is refused by name.
"""

from __future__ import annotations

import re
from typing import Any, Callable

import sympy
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import And, BooleanFalse, BooleanTrue, Not, Or

from ._errors import RequestError

FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "floor": "floor", "exp": "exp", "log": "log", "Abs": "abs", "sign": "sign",
    "Min": "min", "Max": "max",
}  # fmt: skip

#: Functions of the language that SymPy does not have: ``Function("multiplier")(rod)`` is left as it is.
OWN = {
    "delta", "dot", "cross", "norm", "diff", "transpose", "multiplier", "reaction", "friction", "impressed", "ideal",
    "nonideal", "control", "residual", "power", "work",
}  # fmt: skip

NAME = re.compile(r"[^\W\d]\w*(\[\d+(, ?\d+)*\])?'*")

# How tightly an operation binds, as in the language: if, or, and, not, comparison, sum, product, sign, power.
IF, OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)


def write(value: Any) -> str:
    """The expression as text."""
    if isinstance(value, sympy.MatrixBase):
        rows = [[write(value[i, j]) for j in range(value.cols)] for i in range(value.rows)]
        flat = rows[0] if value.rows == 1 else [row[0] for row in rows] if value.cols == 1 else None
        parts = flat if flat is not None else ["[" + ", ".join(row) + "]" for row in rows]
        return "[" + ", ".join(parts) + "]"
    return _piece(sympy.sympify(value))[0]


def _within(value: Any, level: int) -> str:
    text, own = _piece(value)
    return text if own >= level else f"({text})"


def _piece(e: Any) -> tuple[str, int]:
    """The text of an expression and how tightly its outermost operation binds."""
    for kind, writer in WRITERS:
        if isinstance(e, kind):
            return writer(e)
    if isinstance(e, sympy.core.function.Application):
        return _call(e)
    raise RequestError(f"`{e}` ({type(e).__name__}) has no counterpart in the model language")


def _name(text: str) -> tuple[str, int]:
    if not NAME.fullmatch(text):
        raise RequestError(f"`{text}` cannot be a name in a model: use letters, digits and `_`")
    return text, ATOM


def _rational(e: Any) -> tuple[str, int]:
    if e.q == 1:
        return str(e.p), (ATOM if e.p >= 0 else SUM)
    return f"{e.p}/{e.q}", (PRODUCT if e.p >= 0 else SUM)


def _float(e: Any) -> tuple[str, int]:
    if not e.is_finite:
        raise RequestError(f"{e} is not a number that a model can hold")
    text = repr(float(e)) if e._prec <= 53 else str(e)
    return text.replace("e+", "e"), (ATOM if e >= 0 else SUM)


def _negative(e: Any) -> bool:
    return bool(e.as_coeff_Mul()[0].is_negative)


def _sum(e: Any) -> tuple[str, int]:
    text = ""
    for k, term in enumerate(e.as_ordered_terms()):
        if k and _negative(term):
            text += " - " + _within(-term, PRODUCT)
        else:
            text += (" + " if k else "") + _within(term, SUM if k == 0 else PRODUCT)
    return text, SUM


def _product(e: Any) -> tuple[str, int]:
    if _negative(e):
        return "-" + _within(-e, PRODUCT), SUM
    above, below = [], []
    for factor in e.as_ordered_factors():
        base, exponent = factor.as_base_exp()
        if isinstance(factor, sympy.Rational):
            above += [sympy.Integer(factor.p)] if factor.p != 1 else []
            below += [sympy.Integer(factor.q)] if factor.q != 1 else []
        elif exponent.is_number and exponent.is_negative and not isinstance(factor, sympy.exp):
            below.append(sympy.Pow(base, -exponent))
        else:
            above.append(factor)
    text = "*".join(_within(f, POWER) for f in above) or "1"
    return text + "".join("/" + _within(f, POWER) for f in below), PRODUCT


def _power(e: Any) -> tuple[str, int]:
    base, exponent = e.as_base_exp() if not isinstance(e, sympy.exp) else (sympy.E, e.args[0])
    if base == sympy.E:
        return f"exp({write(exponent)})", ATOM
    if exponent == sympy.Rational(1, 2):
        return f"sqrt({write(base)})", ATOM
    if exponent.is_number and exponent.is_negative:
        return "1/" + _within(sympy.Pow(base, -exponent), POWER), PRODUCT
    return f"{_within(base, ATOM)}^{_within(exponent, ATOM)}", POWER


def _derivative(e: Any) -> tuple[str, int]:
    if any(str(variable) != "t" for variable, _ in e.variable_count):
        done = e.doit()
        if isinstance(done, sympy.Derivative):
            raise RequestError(f"`{e}`: only derivatives by the time `t` can be written")
        return _piece(done)
    order = sum(int(count) for _, count in e.variable_count)
    text, own = _piece(e.expr)
    return (text if own == ATOM else f"({text})") + "'" * order, ATOM


def _undefined(e: Any) -> tuple[str, int]:
    own = e.func.__name__
    # A function of the time alone is a coordinate, whatever it is called.
    if len(e.args) == 1 and str(e.args[0]) == "t":
        return _name(own)
    if own in OWN:
        return f"{own}({', '.join(write(a) for a in e.args)})", ATOM
    raise RequestError(f"the function `{own}` is unknown: a coordinate is a function of `t` alone")


def _call(e: Any) -> tuple[str, int]:
    own = FUNCTIONS.get(e.func.__name__)
    if own is None:
        known = ", ".join(sorted(FUNCTIONS.values()))
        raise RequestError(
            f"the function `{e.func.__name__}` is unknown to the model language; known: {known}"
        )
    return f"{own}({', '.join(write(a) for a in e.args)})", ATOM


def _piecewise(e: Any) -> tuple[str, int]:
    *cases, (last, otherwise) = e.args
    if otherwise != True:  # noqa: E712, SymPy's own truth
        raise RequestError(f"`{e}` is not defined everywhere: end it with `(value, True)`")
    text = "".join(f"if {write(condition)} then {_within(value, OR)} else " for value, condition in cases)
    return text + write(last), (IF if cases else SUM)


def _joined(word: str, level: int) -> Callable[[Any], tuple[str, int]]:
    return lambda e: (f" {word} ".join(_within(a, level + 1) for a in e.args), level)


def _compare(e: Any) -> tuple[str, int]:
    return f"{_within(e.lhs, SUM)} {e.rel_op} {_within(e.rhs, SUM)}", COMPARE


WRITERS: list[tuple[Any, Callable[[Any], tuple[str, int]]]] = [
    (sympy.Rational, _rational),
    (sympy.Float, _float),
    (type(sympy.pi), lambda e: ("pi", ATOM)),
    (type(sympy.E), lambda e: ("exp(1)", ATOM)),
    (sympy.Symbol, lambda e: _name(e.name)),
    (AppliedUndef, _undefined),
    (sympy.Derivative, _derivative),
    (sympy.Add, _sum),
    (sympy.Mul, _product),
    ((sympy.Pow, sympy.exp), _power),
    (sympy.Piecewise, _piecewise),
    (And, _joined("and", AND)),
    (Or, _joined("or", OR)),
    (Not, lambda e: (f"not {_within(e.args[0], NOT)}", NOT)),
    (sympy.core.relational.Relational, _compare),
    ((BooleanTrue, BooleanFalse), lambda e: ("0 == 0" if e else "0 == 1", COMPARE)),
]
