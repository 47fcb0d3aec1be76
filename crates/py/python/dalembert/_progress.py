"""How far a long run has come, as a line of text or a call."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

from ._errors import RequestError

#: Nothing, a line of text, or a function of how much is done and how much there is.
Progress = Union[bool, None, Callable[[int, int], object]]


class Line:
    """A line on the standard error stream that is written again and again; nothing if a run is short."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.length = 0

    def __call__(self, done: float, total: Optional[float]) -> None:
        share = f", {min(1.0, done / total):4.0%}" if total else ""
        of = f" of {total:.6g}" if total else ""
        text = f"{self.word} {done:.6g}{of}{share}"
        sys.stderr.write("\r" + text.ljust(self.length))
        sys.stderr.flush()
        self.length = len(text)

    def end(self) -> None:
        """Leaves the line as it is."""
        if self.length:
            sys.stderr.write("\n")
            sys.stderr.flush()


@contextmanager
def shown(progress: Any, until: Optional[float]) -> Iterator[Optional[Callable[[float], object]]]:
    """What the engine calls with the time reached."""
    if progress is None or progress is False:
        yield None
        return
    line = teller(progress, "t =")
    try:
        yield lambda t: line(t, until)
    finally:
        if isinstance(line, Line):
            line.end()


def teller(progress: Any, word: str) -> Callable[[Any, Any], object]:
    """A function that tells how far a run is."""
    if progress is True:
        return Line(word)
    if not callable(progress):
        raise RequestError(f"progress={progress!r}: give True, or a function of how much is done and how much there is")
    return progress  # type: ignore[no-any-return]
