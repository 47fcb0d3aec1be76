"""What a system is: its text, its names, its parameters and units, and copies of it with other values."""

from __future__ import annotations

import copy
import os
from functools import cached_property
from typing import Any, Mapping, Optional, Sequence, TypeVar, Union

from . import _engine, _words
from ._errors import ModelError
from ._events import refused
from ._rates import AccelerationFunction
from ._results import Check, Parameters, _html_table
from ._signals import Signal, signals
from ._words import Expression, Values

Own = TypeVar("Own", bound="Description")


def read(path: Union[str, os.PathLike[str]]) -> str:
    """The text of a file that is no longer than a model may be."""
    with open(path, "rb") as file:
        content = file.read(_engine.LARGEST_TEXT + 1)
    if len(content) > _engine.LARGEST_TEXT:
        raise ModelError(f"{os.fspath(path)} is longer than the {_engine.LARGEST_TEXT} bytes that are read")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{os.fspath(path)} is not UTF-8 text: byte {error.start} is wrong") from None


class Description:
    """The part of :class:`System` that describes it."""

    _text: str
    _name: str
    _set: tuple[tuple[str, str], ...]
    _initial: tuple[str, ...]
    _inputs: tuple[Signal, ...]
    _engine: _engine.System
    #: Symbols of SymPy that the model was built with, by name.
    _symbols: Mapping[str, Any]

    def __init__(
        self,
        text: str,
        name: str = "model",
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
        inputs: Optional[Mapping[str, Any]] = None,
        interpolate: str = "linear",
    ) -> None:
        if not isinstance(text, str) or not isinstance(name, str):
            raise TypeError("a model and its name are text")
        self._hold(text, name, _words.settings(set), _words.starts(initial), signals(inputs, interpolate), {})

    def _hold(
        self,
        text: str,
        name: str,
        set: Sequence[tuple[str, str]],
        initial: Sequence[str],
        inputs: Sequence[Signal],
        symbols: Mapping[str, Any],
    ) -> None:
        engine = _engine.System(text, name, set, initial, inputs)
        self.__dict__.update(
            _text=text,
            _name=name,
            _set=tuple(set),
            _initial=tuple(initial),
            _inputs=tuple(inputs),
            _symbols=dict(symbols),
            _engine=engine,
        )

    @classmethod
    def _of(cls: type[Own], *parts: Any) -> Own:
        """A system from its parts; see ``_hold``."""
        system = cls.__new__(cls)
        system._hold(*parts)
        return system

    @property
    def _key(self) -> tuple[Any, ...]:
        """All that its answers depend on."""
        return self._text, self._name, self._set, self._initial, self._inputs

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (*self._key, self._symbols)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Description) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a system is never changed: with_parameters and with_initial give another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a system is never changed")

    # What it is.

    @property
    def text(self) -> str:
        """The text of the model."""
        return self._text

    @property
    def name(self) -> str:
        """What diagnostics call the model."""
        return self._name

    @property
    def title(self) -> Optional[str]:
        """What ``system "..."`` says."""
        return self._engine.title

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(self._engine.coordinates)

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds: rates of coordinates, or declared ones."""
        return tuple(self._engine.speeds)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Coordinates, then speeds: the order of ``y``."""
        return self.coordinates + self.speeds

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the constraint equations."""
        return tuple(self._engine.rows)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the control inputs; none without requirements."""
        return tuple(self._engine.inputs)

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the signals from outside that the model declares with ``input``."""
        return tuple(self._engine.signals)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self._engine.outputs)

    @property
    def events(self) -> tuple[str, ...]:
        """Names of the events."""
        return tuple(self._engine.events)

    @property
    def parameters(self) -> Parameters:
        """Values of the parameters in the units of the model, as ``with_parameters`` takes them.

        ``system.with_parameters(**system.parameters)`` is the same system; ``parameters.units`` has the units.
        """
        return Parameters(self._engine.parameters)

    @property
    def si_parameters(self) -> dict[str, float]:
        """Values of the parameters in SI units, as they are in the equations."""
        return dict(self._engine.si_parameters)

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns of a motion, as far as they are known; columns are in coherent SI units."""
        names = ["t", *self.states, *self.outputs]
        return {name: unit for name, unit in zip(names, self._engine.units(names)) if unit is not None}

    @cached_property
    def check(self) -> Check:
        """What the model is: kinds of constraints, rank, degrees of freedom, initial conditions, remarks."""
        return Check(self._engine.check())

    @property
    def constraints(self) -> list[dict[str, Any]]:
        """The constraints with their kinds."""
        return copy.deepcopy(list(self.check["constraints"]))

    @property
    def degrees_of_freedom(self) -> Optional[int]:
        """Around the initial conditions; None where there are none."""
        return self.check["degrees_of_freedom"]  # type: ignore[no-any-return]

    @property
    def initial(self) -> dict[str, float]:
        """Consistent initial conditions, nearest to what the model gives."""
        return dict(zip(self.states, self._engine.start(0.0)))

    @cached_property
    def _accelerations(self) -> AccelerationFunction:
        return AccelerationFunction(self)

    def __repr__(self) -> str:
        facts = ["coordinates " + ", ".join(_first(self.coordinates))]
        facts += ["constraints " + ", ".join(_first(self.rows))] if self.rows else []
        facts += ["with " + ", ".join(f"{name} = {value}" for name, value in self._set)] if self._set else []
        return f"<System {self.title or self.name!r}: {'; '.join(facts)}>"

    def _repr_html_(self) -> str:
        parameters = self.parameters
        values = [f"{name} = {value:.6g} {parameters.units.get(name, '')}".rstrip() for name, value in parameters.items()]
        facts = [
            ["coordinates", self.coordinates],
            ["speeds", self.speeds],
            ["parameters", values],
            ["inputs", self.signals],
            ["constraints", self.rows],
            ["outputs", self.outputs],
        ]
        rows = [[str(word), ", ".join(_first(names))] for word, names in facts if names]
        return _html_table([self.title or self.name, ""], rows)

    # Others like it.

    def with_parameters(
        self: Own, values: Optional[Mapping[Any, Expression]] = None, /, **more: Expression
    ) -> Own:
        """The same system with other parameters.

        Parameters
        ----------
        values : mapping, optional
            Values by name, for names that are not words of Python: ``{"m[2]": 3}``. Symbols of SymPy are names too.
        **more : float or str
            Values by name, in the units of the model; text is an expression over other parameters.
        """
        return self._with({**_words.mapping("set", values), **more}, None)

    def with_initial(self: Own, values: Values = None, /, **more: Expression) -> Own:
        """The same system with other initial values.

        Parameters
        ----------
        values : mapping or str, optional
            ``{"x'": 1}`` fixes a value; as text, ``"x = 1, y ~ -1"``, a ``~`` makes it a guess that constraints may change.
        **more : float or str
            Values by name.
        """
        return self._with(None, [*_words.starts(values), *_words.starts(more)])

    def _with(
        self: Own, set: Optional[Mapping[Any, Expression]], initial: Values, added: Sequence[str] = ()
    ) -> Own:
        if not set and not initial and not added:
            return self
        merged = {**dict(self._set), **dict(_words.settings(set))}
        starts = {_words.about(item): item for item in (*self._initial, *_words.starts(initial))}
        text = "\n".join([self.text.rstrip("\n"), *added]) if added else self.text
        parts = text, self.name, tuple(merged.items()), tuple(starts.values()), self._inputs, self._symbols
        try:
            return type(self)._of(*parts)
        except ModelError as error:
            if added:
                raise refused(error, added, self.text) from None
            raise

    def _given(self: Own, inputs: Sequence[Signal]) -> Own:
        """The same system with signals in the place of some inputs."""
        merged = {signal[0]: signal for signal in (*self._inputs, *inputs)}
        parts = self._text, self._name, self._set, self._initial, tuple(merged.values()), self._symbols
        return type(self)._of(*parts)


def _first(names: Sequence[str]) -> list[str]:
    """A few of the names, for a line."""
    return [*names[:6], *(["..."] if len(names) > 6 else [])]
