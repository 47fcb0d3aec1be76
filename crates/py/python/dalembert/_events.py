"""Events asked for from outside, as statements of the model."""

from __future__ import annotations

import re
from typing import Any, Iterable, NamedTuple, Optional, Sequence

from ._errors import ModelError, RequestError
from ._words import Expression, expression, is_sympy, line, name

NAMED = re.compile(r"\s*([^\W\d]\w*)\s*:(.*)", re.DOTALL)


class Event(NamedTuple):
    """A function of the state whose zeros are located while the motion is computed.

    Parameters
    ----------
    function : str or SymPy expression
        What becomes zero.
    name : str, optional
    direction : {0, 1, -1}
        1 for rising, -1 for falling zeros, as in ``solve_ivp``.
    terminal : bool
        Whether the run ends there.
    """

    function: Expression
    name: Optional[str] = None
    direction: int = 0
    terminal: bool = False

    def statement(self, label: str) -> str:
        """As the model language writes it.

        Parameters
        ----------
        label : str
            Its name.
        """
        if self.terminal not in (True, False):
            raise RequestError(
                "terminal is True or False here: a run ends at the first such event, or at none"
            )
        directions = {0: "", 1: " rising", -1: " falling"}
        if not isinstance(self.direction, (int, float)) or self.direction not in directions:
            raise RequestError(f"direction={self.direction!r}: choose 1, -1 or 0")
        return f"event {label}: {expression(self.function)}{directions[self.direction]}{' stop' if self.terminal else ''}"


def statements(events: Any, known: Sequence[str], text: str) -> tuple[list[str], list[str]]:
    """Names of the events in the order asked for, and statements for those that the model does not have."""
    single = isinstance(events, (str, Event)) or callable(events) or not isinstance(events, Iterable)
    items = [events] if single else list(events)
    names: list[str] = []
    added: list[str] = []
    given = [*known, *filter(None, map(_own_name, items))]
    for item in items:
        if isinstance(item, str) and item.strip() in known:
            names.append(item.strip())
            continue
        name, statement = _statement(item, [*given, *names], text)
        names.append(name)
        added.append(statement)
    return names, added


def _statement(item: Any, taken: Sequence[str], text: str) -> tuple[str, str]:
    own = _own_name(item)
    if isinstance(item, str) and own is not None:
        return own, f"event {line(item, 'an event')}"
    if callable(item) and not isinstance(item, Event):
        raise RequestError(
            "events are expressions, not functions of Python: the engine locates them while it integrates. Write "
            '"y falling stop", or Event("y", direction=-1, terminal=True)'
        )
    if not isinstance(item, (str, Event)) and not is_sympy(item):
        raise RequestError(f"{item!r} is not an event: give text, an Event or a SymPy expression")
    if isinstance(item, Event) and own is not None:
        return own, item.statement(own)
    k = 1
    while f"event{k}" in taken or re.search(rf"\bevent{k}\b", text):
        k += 1
    made = f"event{k}"
    return made, item.statement(made) if isinstance(item, Event) else f"event {made}: {expression(item)}"


def _own_name(item: Any) -> Optional[str]:
    """The name that an event was given by who asks for it."""
    if isinstance(item, Event):
        return None if item.name is None else name(item.name)
    named = NAMED.fullmatch(item) if isinstance(item, str) else None
    return named.group(1) if named else None


def refused(error: ModelError, added: Sequence[str], text: str) -> RequestError:
    """Troubles of statements that were added, told in terms of their own texts."""
    first = len(text.rstrip("\n").split("\n")) + 1
    told = []
    for d in error.diagnostics:
        if d.severity != "error":
            continue
        where = ""
        if d.line is not None and d.line >= first:
            statement = added[d.line - first]
            word, rest = statement.split(" ", 1)
            where = f"{word} `{rest}`, "
            where += "" if d.column is None else f"column {max(1, d.column - len(word) - 1)}: "
        told.append(f"{where}{d.message}" + ("" if d.help is None else f"\n  help: {d.help}"))
    return RequestError("\n".join(told) or str(error), error._entries)
