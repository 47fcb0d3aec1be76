"""What is written about a system: pages that play or describe it, and code for elsewhere."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from . import _engine, _options
from ._errors import Diagnostic, RequestError

if TYPE_CHECKING:
    from ._description import Description

PathLike = Union[str, os.PathLike[str]]

#: Options of a run that are left to the model.
PLAIN: dict[str, Any] = {
    "begin": 0.0, "until": None, "state": None, "every": None, "times": None, "step": None, "method": None, "rtol": None,
    "atol": None, "max_steps": None, "baumgarte": None, "plant": [], "hold": None, "balance": None, "form": "explicit",
    "multipliers": [], "interpret": False, "fold": False, "action": False, "time_limit": None, "sensitivity": [],
}  # fmt: skip


class Page:
    """A page for any browser, self-contained and offline. A notebook shows it in a frame.

    Parameters
    ----------
    page : str
        The HTML.
    complete : bool
        Whether it has all that was asked for.
    diagnostics : list of Diagnostic
        What is missing on it and why.
    """

    def __init__(
        self, page: str, complete: bool = True, diagnostics: Optional[list[Diagnostic]] = None
    ) -> None:
        self.page = page
        self.complete = complete
        self.diagnostics = diagnostics or []

    def save(self, path: PathLike) -> None:
        """Writes the page to a file. A file that was there before is replaced by the whole page, or stays as it was.

        Parameters
        ----------
        path : str or path
            The file, ``.html`` by habit.
        """
        _engine.write_file(path, self.page)

    def _repr_html_(self) -> str:
        quoted = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{quoted}" style="width: 100%; height: 640px; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.page)} bytes: save(path) writes it, a notebook shows it>"


class Animation(Page):
    """A page that plays a motion."""


class Code:
    """Source code of the equations of motion, or an FMU.

    Parameters
    ----------
    target : str
        ``c``, ``rust``, ``python`` or ``fmu``.
    text : str
        The source.
    header : str, optional
        The header of a C source.
    archive : bytes, optional
        The FMU.
    """

    def __init__(
        self, target: str, text: str, header: Optional[str] = None, archive: Optional[bytes] = None
    ) -> None:
        self.target = target
        self.text = text
        self.header = header
        self.archive = archive

    def save(self, path: PathLike) -> None:
        """Writes the code to a file, the header of a ``.c`` file beside it.

        Parameters
        ----------
        path : str or path
        """
        if self.archive is not None:
            Path(path).write_bytes(self.archive)
            return
        _engine.write_file(path, self.text)
        if self.header is not None and Path(path).suffix == ".c":
            _engine.write_file(Path(path).with_suffix(".h"), self.header)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"

    def __repr__(self) -> str:
        return f"<Code for {self.target}, {len(self.text.splitlines())} lines>"


def export(
    system: Description,
    target: str,
    path: Optional[PathLike],
    name: Optional[str],
    step: bool,
    jacobian: bool,
    fmi: int,
) -> Code:
    target = _options.word("target", target).lower()
    step, jacobian = _options.yes_or_no("step", step), _options.yes_or_no("jacobian", jacobian)
    if (step or jacobian) and target != "c":
        raise RequestError("step and jacobian are for target='c'")
    if fmi not in (2, 3):
        raise RequestError(f"fmi={fmi!r}: give 3 or 2")
    if name is None:
        stem = Path(system.name).stem
        name = stem if system.name != "model" else system.title or "model"
    header, text, archive, missing = _engine.export(system._engine, target, name, step, jacobian, fmi)
    code = Code(target, text, header, archive)
    if missing is not None:
        import warnings

        warnings.warn(f"the FMU has its source but no library: {missing}", stacklevel=3)
    if path is not None:
        code.save(path)
    return code


def report(
    system: Description, path: Optional[PathLike], page: Mapping[str, Any], wish: Mapping[str, Any]
) -> Page:
    changed = {"set": list(system._set), "initial": list(system._initial)}
    text, complete, missing = _engine.report(system._engine, {**PLAIN, **wish}, {**page, **changed})
    made = Page(text, complete, [Diagnostic.of(entry) for entry in missing])
    if path is not None:
        made.save(path)
    return made
