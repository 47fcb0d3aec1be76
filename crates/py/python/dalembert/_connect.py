"""Motions between two positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

from . import _engine, _options, _words
from ._errors import RequestError
from ._motion import Motion
from ._pages import PLAIN
from ._results import Record
from ._words import Values

if TYPE_CHECKING:
    from ._description import Description


class Connection(Record):
    """A motion between two positions: its ``action``, rates at both ends, and the ``motion`` itself."""

    #: The motion, integrated from the rates that were found.
    motion: Motion
    #: Rates at the start and at the end, by name.
    start_rates: dict[str, float]
    end_rates: dict[str, float]
    #: Integral of the Lagrangian.
    action: float
    #: ``minimum``, ``saddle``, ``unknown``, or ``none`` where forces without a potential act.
    stationary: str
    #: How far the motion, integrated, ends from where it should.
    missed_by: float
    t: float


def connect(
    system: Description,
    to: Values,
    t: Optional[float],
    energy: Optional[float],
    via: Sequence[Values],
    every: Optional[float],
) -> Connection:
    if t is not None and energy is not None:
        raise RequestError("give the time `t` or the `energy`, not both: one follows from the other")
    points = [via] if isinstance(via, str) else list(via)
    until, every = _options.tolerance("t", t), _options.number("every", every)
    columns, facts, document, start, events = _engine.connect(
        system._engine,
        _words.state(to),
        [_words.state(point) for point in points],
        until,
        every,
        _options.number("energy", energy),
    )
    wish: dict[str, Any] = {**PLAIN, "until": facts["t"], "state": start, "every": every}
    motion = Motion(system, columns, document, events, system.events, wish)
    return Connection({**facts, "motion": motion})
