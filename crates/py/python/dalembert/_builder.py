"""Models written in Python: expressions of SymPy or text become statements of the model language."""

from __future__ import annotations

import functools
import inspect
import unicodedata
from typing import Any, Callable, Iterator, Mapping, Optional, TypeVar

from ._errors import RequestError
from ._multibody import Multibody
from ._system import System
from ._words import Expression, Values, expression, is_sympy, line, mapping, name, number, starts


Made = TypeVar("Made", bound=type)


def _noting(cls: Made) -> Made:
    """Methods of the class remember the symbols of SymPy in their arguments, so that equations can give them back."""
    for key, method in [*vars(Multibody).items(), *vars(cls).items()]:
        if inspect.isfunction(method) and not key.startswith("_"):
            setattr(cls, key, _noted(method))
    return cls


def _noted(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Builder, *args: Any, **words: Any) -> Any:
        for symbol in _symbols([args, words]):
            own = symbol.name if hasattr(symbol, "name") else symbol.func.__name__
            if self._known.setdefault(own, symbol) != symbol:
                raise RequestError(
                    f"two different symbols are called `{own}`, which is one name in a model: {_told(symbol)} and "
                    f"{_told(self._known[own])}"
                )
        return method(self, *args, **words)

    return call


def _symbols(value: Any) -> Iterator[Any]:
    """Symbols and functions of time in SymPy expressions, wherever they are."""
    if is_sympy(value):
        from sympy import Symbol
        from sympy.core.function import AppliedUndef

        # A stack, not recursion: expressions may be nested deeply. Parts that are shared are looked at once.
        stack, seen = list(value) if hasattr(value, "rows") else [value], set()
        while stack:
            part = stack.pop()
            if part in seen:
                continue
            seen.add(part)
            if isinstance(part, Symbol):
                yield from [part] if part.name != "t" else []
            elif isinstance(part, AppliedUndef) and [str(a) for a in part.args] == ["t"]:
                yield part
            else:
                stack.extend(part.args)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _symbols(key)
            yield from _symbols(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _symbols(part)


def _told(symbol: Any) -> str:
    """A symbol with its assumptions."""
    given = getattr(symbol, "_assumptions_orig", None) or {}
    return f"{symbol}" + (f" ({', '.join(f'{key}={value}' for key, value in given.items())})" if given else "")


@_noting
class Builder(Multibody):
    """Collects statements; ``text`` is the model, ``system()`` reads it.

    Methods that declare a body, a frame, a joint or a spring give it as an object; all others give the builder, to be chained.

    Expressions are numbers, text of the model language, or SymPy: ``dynamicsymbols("x")`` is ``x``, its derivative by ``t``
    is ``x'``, ``Matrix([a, b])`` is ``[a, b]``. What the language does not know is refused by name.

    Parameters
    ----------
    title : str, optional
        The title of the model.
    """

    def __init__(self, title: Optional[str] = None) -> None:
        self._lines: list[str] = []
        self._known: dict[str, Any] = {}
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
        """The model as a system.

        Parameters
        ----------
        name : str
            What diagnostics call it.
        **set : float or str
            Values of parameters.
        """
        made = System.from_text(self.text, name, **set)
        return System._of(*made._key, self._known)

    def statement(self, text: str) -> Builder:
        """Any statement, as the model language writes it.

        Parameters
        ----------
        text : str
        """
        self._lines.append(text.strip())
        return self

    # Names.

    def const(self, **values: int) -> Builder:
        """Whole numbers for families and loops.

        Parameters
        ----------
        **values : int
        """
        return self._assigned("const", values)

    def parameter(
        self,
        names: Optional[Mapping[Any, Expression]] = None,
        /,
        *,
        units: Optional[Mapping[Any, str]] = None,
        **values: Expression,
    ) -> Builder:
        """Parameters: ``parameter(m=1, l="2*m")``, or ``parameter({m: 1})`` with symbols.

        Parameters
        ----------
        names : mapping, optional
            Values by symbol or name.
        units : mapping, optional
            Units, ``{"m": "kg"}`` or ``{m: "kg"}``.
        **values : float, str or SymPy expression
            Values by name.
        """
        return self._assigned("parameter", {**mapping("parameter", names), **values}, units)

    def input(self, **defaults: Expression) -> Builder:
        """Signals from outside, with their values where nothing is given.

        Parameters
        ----------
        **defaults : float
        """
        return self._assigned("input", defaults)

    def coordinate(self, *names: object, unit: Optional[str] = None) -> Builder:
        """Coordinates.

        Parameters
        ----------
        *names : str or function of time
        unit : str, optional
            The unit of all of them.
        """
        return self._listed("coordinate", [name(item) + _braces(unit) for item in names])

    def speed(self, *names: object, **definitions: Expression) -> Builder:
        """Speeds: declared by name, or defined by rates, ``speed(v="x'*cos(theta) + y'*sin(theta)")``.

        Parameters
        ----------
        *names : str or function of time
        **definitions : str or SymPy expression
        """
        if names or not definitions:
            self._listed("speed", [name(item) for item in names])
        for key, value in definitions.items():
            self.statement(f"speed {key} = {expression(value)}")
        return self

    def kinematics(self, coordinate: object, rate: Expression) -> Builder:
        """The rate of a coordinate in terms of declared speeds.

        Parameters
        ----------
        coordinate : str or function of time
        rate : str or SymPy expression
        """
        return self.statement(f"kinematics {name(coordinate)}' = {expression(rate)}")

    def let(self, **values: Expression) -> Builder:
        """Names for expressions and vectors.

        Parameters
        ----------
        **values : str, SymPy expression or vector
        """
        return self._assigned("let", values)

    # Energies and forces.

    def kinetic(self, energy: Expression) -> Builder:
        """Kinetic energy.

        Parameters
        ----------
        energy : str or SymPy expression
        """
        return self.statement(f"kinetic {expression(energy)}")

    def potential(self, energy: Expression) -> Builder:
        """Potential energy.

        Parameters
        ----------
        energy : str or SymPy expression
        """
        return self.statement(f"potential {expression(energy)}")

    def lagrangian(self, function: Expression) -> Builder:
        """A Lagrangian, in the place of energies.

        Parameters
        ----------
        function : str or SymPy expression
        """
        return self.statement(f"lagrangian {expression(function)}")

    def dissipation(self, function: Expression) -> Builder:
        """A Rayleigh function.

        Parameters
        ----------
        function : str or SymPy expression
        """
        return self.statement(f"dissipation {expression(function)}")

    def mass(self, matrix: Expression) -> Builder:
        """The mass matrix of the direct form.

        Parameters
        ----------
        matrix : list of rows, or SymPy matrix
        """
        return self.statement(f"mass {expression(matrix)}")

    def force(self, value: Expression, *, on: object = None, at: Expression = None) -> Builder:
        """A force ``on`` a coordinate, speed or joint, a vector ``at`` a point, or all of them in the direct form.

        Parameters
        ----------
        value : float, str, SymPy expression or vector
        on : str, function of time or Joint, optional
        at : str, Point or vector, optional
        """
        if on is not None and at is not None:
            raise RequestError("force: give `on` a coordinate or `at` a point, not both")
        if on is not None:
            return self.statement(f"force {name(on)} = {expression(value)}")
        place = "" if at is None else f" at {expression(at)}"
        return self.statement(f"force {expression(value)}{place}")

    def work(self, virtual: Expression) -> Builder:
        """Virtual work, linear in ``delta(...)``.

        Parameters
        ----------
        virtual : str or SymPy expression
        """
        return self.statement(f"work {expression(virtual)}")

    # Constraints and control.

    def constraint(self, label: Optional[str], left: Expression, right: Expression = 0) -> Builder:
        """A constraint ``left = right``.

        Parameters
        ----------
        label : str or None
            Its name.
        left, right : float, str, SymPy expression or vector
            ``left`` may be a SymPy ``Eq``.
        """
        return self.statement(f"constraint {_label(label)}{_equation(left, right)}")

    def nonideal_work(self, virtual: Expression) -> Builder:
        """Virtual work that the constraint forces do.

        Parameters
        ----------
        virtual : str or SymPy expression
        """
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
        """Coulomb friction at a constraint.

        Parameters
        ----------
        on : str
            The constraint.
        coefficient : float, str or SymPy expression
        velocity : str or SymPy expression
            The sliding velocity.
        static, normal : float, str or SymPy expression, optional
            The coefficient of static friction; the normal force, where the constraint does not give it.
        """
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
        """A requirement that control satisfies.

        Parameters
        ----------
        label : str or None
            Its name.
        left, right : float, str, SymPy expression or vector
            ``left`` may be a SymPy ``Eq``.
        decay : float or sequence, optional
            Rates at which errors decay.
        """
        several = isinstance(decay, (tuple, list)) or getattr(decay, "ndim", 0) > 0
        rates = decay if several else [] if decay is None else [decay]
        end = " decay " + ", ".join(expression(k) for k in rates) if len(rates) else ""
        return self.statement(f"require {_label(label)}{_equation(left, right)}{end}")

    def actuate(self, *names: object) -> Builder:
        """Which generalised forces control may use.

        Parameters
        ----------
        *names : str, function of time or Joint
        """
        return self._listed("actuate", [name(item) for item in names])

    def weight(self, cost: Expression) -> Builder:
        """The cost of the inputs.

        Parameters
        ----------
        cost : str or SymPy expression
        """
        return self.statement(f"weight {expression(cost)}")

    # Runs.

    def initial(self, values: Values = None, /, **more: Expression) -> Builder:
        """Fixed initial values: ``initial({"theta'": 2}, theta=1)``.

        Parameters
        ----------
        values : mapping or str, optional
            Keys are names, functions of time, their derivatives, or joints.
        **more : float, str or SymPy expression
        """
        return self._listed("initial", [*starts(values), *starts(more)])

    def guess(self, values: Optional[Mapping[Any, Expression]] = None, /, **more: Expression) -> Builder:
        """Guessed initial values, which the constraints may change.

        Parameters
        ----------
        values : mapping, optional
        **more : float, str or SymPy expression
        """
        items = {**mapping("guess", values), **more}.items()
        return self._listed("initial", [f"{name(key)} ~ {expression(value)}" for key, value in items])

    def output(self, **values: Expression) -> Builder:
        """Columns of the result.

        Parameters
        ----------
        **values : str, SymPy expression, vector, or what a body or joint offers
        """
        return self._assigned("output", values)

    def event(
        self, label: str, function: Expression, *, direction: int = 0, terminal: bool = False
    ) -> Builder:
        """An event of the model; see :class:`Event`.

        Parameters
        ----------
        label : str
            Its name.
        function : str or SymPy expression
            What becomes zero.
        direction : {0, 1, -1}
        terminal : bool
            Whether a run ends there.
        """
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
        """What a run does unless it is told otherwise.

        Parameters
        ----------
        until : float or str
            The end time.
        every : float or str, optional
            Spacing of the rows.
        method : str, optional
        tolerance : float, optional
            The relative tolerance.
        """
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
