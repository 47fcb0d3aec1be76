"""Models written in Python: expressions of SymPy or text become statements of the model language."""

from __future__ import annotations

import unicodedata
from typing import Any, Mapping, Optional

from ._errors import RequestError
from ._system import System
from ._words import Expression, Values, expression, is_sympy, line, mapping, name, number, starts


class Builder:
    """Collects statements; ``text`` is the model, ``system()`` reads it. Every method gives the builder, to be chained.

    Expressions are numbers, text of the model language, or SymPy: ``dynamicsymbols("x")`` is ``x``, its derivative by ``t``
    is ``x'``, ``Matrix([a, b])`` is ``[a, b]``. What the language does not know is refused by name.
    """

    def __init__(self, title: Optional[str] = None) -> None:
        self._lines: list[str] = []
        if title is not None:
            if any(unicodedata.category(sign) == "Cc" for sign in title):
                raise RequestError(f"{title!r}: a title is one line of text")
            quoted = title.replace("\\", "\\\\").replace('"', '\\"')
            self.statement(f'system "{quoted}"')

    @property
    def text(self) -> str:
        """The model."""
        return "".join(line + "\n" for line in self._lines)

    def system(self, name: str = "model", **set: Expression) -> System:
        """The model as a system."""
        return System.from_text(self.text, name, **set)

    def statement(self, text: str) -> Builder:
        """Any statement, as the model language writes it."""
        self._lines.append(text.strip())
        return self

    # Names.

    def const(self, **values: int) -> Builder:
        """Whole numbers for families and loops."""
        return self._assigned("const", values)

    def parameter(
        self,
        names: Optional[Mapping[Any, Expression]] = None,
        /,
        *,
        units: Optional[Mapping[Any, str]] = None,
        **values: Expression,
    ) -> Builder:
        """Parameters: ``parameter(m=1, l="2*m")``, or ``parameter({m: 1})`` with symbols; ``units={"m": "kg"}`` or ``{m: "kg"}``."""
        return self._assigned("parameter", {**mapping("parameter", names), **values}, units)

    def coordinate(self, *names: object, unit: Optional[str] = None) -> Builder:
        """Coordinates, as text or functions of time."""
        return self._listed("coordinate", [name(item) + _braces(unit) for item in names])

    def speed(self, *names: object, **definitions: Expression) -> Builder:
        """Speeds: declared by name, or defined by rates, ``speed(v="x'*cos(theta) + y'*sin(theta)")``."""
        if names or not definitions:
            self._listed("speed", [name(item) for item in names])
        for key, value in definitions.items():
            self.statement(f"speed {key} = {expression(value)}")
        return self

    def kinematics(self, coordinate: object, rate: Expression) -> Builder:
        """The rate of a coordinate in terms of declared speeds."""
        return self.statement(f"kinematics {name(coordinate)}' = {expression(rate)}")

    def let(self, **values: Expression) -> Builder:
        """Names for expressions and vectors."""
        return self._assigned("let", values)

    # Energies and forces.

    def kinetic(self, energy: Expression) -> Builder:
        return self.statement(f"kinetic {expression(energy)}")

    def potential(self, energy: Expression) -> Builder:
        return self.statement(f"potential {expression(energy)}")

    def lagrangian(self, function: Expression) -> Builder:
        return self.statement(f"lagrangian {expression(function)}")

    def dissipation(self, function: Expression) -> Builder:
        """A Rayleigh function."""
        return self.statement(f"dissipation {expression(function)}")

    def mass(self, matrix: Expression) -> Builder:
        """The mass matrix of the direct form."""
        return self.statement(f"mass {expression(matrix)}")

    def force(self, value: Expression, *, on: object = None, at: Expression = None) -> Builder:
        """A force ``on`` a coordinate or speed, a vector ``at`` a point, or all of them in the direct form."""
        if on is not None and at is not None:
            raise RequestError("force: give `on` a coordinate or `at` a point, not both")
        if on is not None:
            return self.statement(f"force {name(on)} = {expression(value)}")
        place = "" if at is None else f" at {expression(at)}"
        return self.statement(f"force {expression(value)}{place}")

    def work(self, virtual: Expression) -> Builder:
        """Virtual work, linear in ``delta(...)``."""
        return self.statement(f"work {expression(virtual)}")

    # Constraints and control.

    def constraint(self, label: Optional[str], left: Expression, right: Expression = 0) -> Builder:
        """``left = right``, with a name or None; ``left`` may be a SymPy ``Eq``."""
        return self.statement(f"constraint {_label(label)}{_equation(left, right)}")

    def nonideal_work(self, virtual: Expression) -> Builder:
        """Virtual work that the constraint forces do."""
        return self.statement(f"nonideal work {expression(virtual)}")

    def friction(
        self,
        on: str,
        coefficient: Expression,
        velocity: Expression,
        *,
        static: Expression = None,
        normal: Expression = None,
    ) -> Builder:
        """Coulomb friction at a constraint."""
        parts = [
            f"friction on {name(on)}: coefficient {expression(coefficient)}",
            f"velocity {expression(velocity)}",
        ]
        parts += [] if static is None else [f"static {expression(static)}"]
        parts += [] if normal is None else [f"normal {expression(normal)}"]
        return self.statement(", ".join(parts))

    def require(
        self, label: Optional[str], left: Expression, right: Expression = 0, *, decay: Any = None
    ) -> Builder:
        """What control shall achieve; ``decay`` is a number or a pair."""
        several = isinstance(decay, (tuple, list)) or getattr(decay, "ndim", 0) > 0
        rates = decay if several else [] if decay is None else [decay]
        end = " decay " + ", ".join(expression(k) for k in rates) if len(rates) else ""
        return self.statement(f"require {_label(label)}{_equation(left, right)}{end}")

    def actuate(self, *names: object) -> Builder:
        """Which generalised forces control may use."""
        return self._listed("actuate", [name(item) for item in names])

    def weight(self, cost: Expression) -> Builder:
        """The cost of the inputs."""
        return self.statement(f"weight {expression(cost)}")

    # Runs.

    def initial(self, values: Values = None, /, **more: Expression) -> Builder:
        """Fixed starting values: ``initial({"theta'": 2}, theta=1)``."""
        return self._listed("initial", [*starts(values), *starts(more)])

    def guess(self, values: Optional[Mapping[Any, Expression]] = None, /, **more: Expression) -> Builder:
        """Guessed starting values, which the constraints may change."""
        items = {**mapping("guess", values), **more}.items()
        return self._listed("initial", [f"{name(key)} ~ {expression(value)}" for key, value in items])

    def output(self, **values: Expression) -> Builder:
        """Columns of the result."""
        return self._assigned("output", values)

    def event(
        self, label: str, function: Expression, *, direction: int = 0, terminal: bool = False
    ) -> Builder:
        """An event of the model; see :class:`Event`."""
        from ._events import Event

        return self.statement(Event(function, label, direction, terminal).statement(name(label)))

    def simulate(
        self,
        until: Expression,
        *,
        every: Expression = None,
        method: Optional[str] = None,
        tolerance: Optional[float] = None,
    ) -> Builder:
        """What a run does unless it is told otherwise."""
        text = f"simulate until {expression(until)}"
        text += "" if every is None else f" every {expression(every)}"
        text += "" if method is None else f" method {name(method).lower()}"
        return self.statement(text + ("" if tolerance is None else f" tolerance {number(tolerance)}"))

    def _assigned(
        self, word: str, values: Mapping[Any, Expression], units: Optional[Mapping[Any, str]] = None
    ) -> Builder:
        given = {name(key): unit for key, unit in mapping("units", units).items()}
        parts = []
        for key, value in values.items():
            own = name(key)
            parts.append(f"{own} = {expression(value)}{_braces(given.pop(own, None))}")
        if given:
            raise RequestError(f"units: `{next(iter(given))}` is none of the names declared here")
        return self._listed(word, parts)

    def _listed(self, word: str, parts: list[str]) -> Builder:
        if not parts:
            raise RequestError(f"{word}: give at least one name")
        return self.statement(f"{word} " + ", ".join(parts))

    def __repr__(self) -> str:
        return f"<Builder>\n{self.text}"


def _label(label: Optional[str]) -> str:
    return "" if label is None else f"{name(label)}: "


def _braces(unit: Optional[str]) -> str:
    if unit is not None and not isinstance(unit, str):
        raise RequestError(f"{unit!r} is not a unit: write it as text, as in 'kg*m^2'")
    return "" if unit is None else f" {{{line(unit, 'a unit')}}}"


def _equation(left: Expression, right: Expression) -> str:
    if is_sympy(left) and getattr(left, "is_Relational", False):
        if not left.is_Equality:
            raise RequestError(f"`{left}` is not an equation")
        left, right = left.lhs, left.rhs
    if is_sympy(left) and getattr(left, "is_Boolean", False):
        raise RequestError(f"SymPy has made `{left}` of this equation: it holds always, or never")
    sides = expression(left), expression(right)
    if sides[0] == sides[1]:
        raise RequestError(f"`{sides[0]} = {sides[1]}` holds always: it constrains nothing")
    return f"{sides[0]} = {sides[1]}"
