"""Events asked for from outside, as statements of the model."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Optional, Sequence

from ._errors import RequestError
from ._words import Expression, expression

NAMED = re.compile(r"\s*([^\W\d]\w*)\s*:(.*)", re.DOTALL)


class Event(NamedTuple):
    """A function of the state whose zeros are located while the motion is computed.

    ``direction`` is 1 (rising), -1 (falling) or 0, ``terminal`` ends the run there, as in ``solve_ivp``.
    """

    function: Expression
    name: Optional[str] = None
    direction: int = 0
    terminal: bool = False

    def statement(self, name: str) -> str:
        """As the model language writes it."""
        if self.terminal not in (True, False):
            raise RequestError(
                "terminal is True or False here: a run ends at the first such event, or at none"
            )
        directions = {0: "", 1: " rising", -1: " falling"}
        if self.direction not in directions:
            raise RequestError(f"direction={self.direction!r}: choose 1, -1 or 0")
        return f"event {name}: {expression(self.function)}{directions[self.direction]}{' stop' if self.terminal else ''}"


def statements(events: Any, known: Sequence[str], text: str) -> tuple[list[str], list[str]]:
    """Names of the events in the order asked for, and statements for those that the model does not have."""
    items = [events] if isinstance(events, (str, Event)) or callable(events) else list(events)
    names: list[str] = []
    added: list[str] = []
    for item in items:
        if isinstance(item, str) and item.strip() in known:
            names.append(item.strip())
            continue
        name, statement = _statement(item, [*known, *names], text)
        names.append(name)
        added.append(statement)
    return names, added


def _statement(item: Any, taken: Sequence[str], text: str) -> tuple[str, str]:
    named = NAMED.fullmatch(item) if isinstance(item, str) else None
    if named:
        return named.group(1), f"event {item.strip()}"
    if callable(item) and not isinstance(item, Event):
        raise RequestError(
            "events are expressions, not functions of Python: the engine locates them while it integrates. Write "
            '"y falling stop", or Event("y", direction=-1, terminal=True)'
        )
    if isinstance(item, Event) and item.name is not None:
        return item.name, item.statement(item.name)
    k = 1
    while f"event{k}" in taken or re.search(rf"\bevent{k}\b", text):
        k += 1
    name = f"event{k}"
    return name, item.statement(name) if isinstance(item, Event) else f"event {name}: {expression(item)}"
