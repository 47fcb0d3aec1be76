"""What goes wrong, as exceptions. A message shows the place in the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence

from . import _engine

if TYPE_CHECKING:
    from ._motion import Motion
    from ._sweep import Sweep


class Diagnostic(NamedTuple):
    """One thing said about a model: a stable code, a place, a message, advice."""

    code: str
    severity: str
    message: str
    line: Optional[int]
    column: Optional[int]
    help: Optional[str]

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Diagnostic:
        """From an entry of the engine.

        Parameters
        ----------
        entry : mapping
        """
        return cls(*(entry[key] for key in cls._fields))


class DalembertError(Exception):
    """Everything the engine refuses. ``diagnostics`` has codes and places; the text shows them with the model."""

    def __init__(self, message: str, diagnostics: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(_in_python(message))
        self._entries = list(diagnostics)
        self.diagnostics = [Diagnostic.of(entry) for entry in self._entries]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self._entries)

    @property
    def code(self) -> Optional[str]:
        """The code of the first error, such as ``E0512``; ``dalembert.explain`` tells more about it."""
        grave = [d for d in self.diagnostics if d.severity == "error"] or self.diagnostics
        return grave[0].code if grave else None

    def __str__(self) -> str:
        text: str = self.args[0]
        # The first line of a traceback names the exception; what it shows begins below.
        return "\n" + text if "\n" in text else text


class ModelError(DalembertError):
    """The model cannot be read."""


class RunError(DalembertError):
    """The model cannot do what is asked: no start, no acceleration, a form that does not apply."""


class RequestError(DalembertError, ValueError):
    """The question is at fault: a name, a value or an option."""


class InternalError(DalembertError):
    """A bug of the engine. The model is not at fault; please report it, with the model and the message."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came during a run. What was computed until then is in ``motion`` or ``sweep``."""

    def __init__(
        self, message: str, *, motion: Optional[Motion] = None, sweep: Optional[Sweep] = None
    ) -> None:
        super().__init__(message)
        self.motion = motion
        self.sweep = sweep


def _in_python(message: str) -> str:
    """Options of the command line, as keywords: ``--rtol 1e-3`` is ``rtol=1e-3``."""
    message = message.replace("`--until 10`", "`t_span=10`")
    message = re.sub(r'`--(set|initial) "?([^`"=]+)=([^`"]+)"?`', r'`\1={"\2": \3}`', message)
    message = message.replace("with --initial or --at", "with `initial` or `at`")
    message = message.replace("give `--method`", "give `method`")
    message = re.sub(r"`--([a-z]+)[ =]([^`\s]+)`", r"`\1=\2`", message)
    return re.sub(r"`--([a-z]+)\b", r"`\1", message)


def explain(code: str) -> str:
    """What a code such as ``E0512`` means, with a wrong and a right piece of a model.

    Parameters
    ----------
    code : str
        As in ``error.code`` and in brackets in messages.
    """
    return _engine.explain(code)
