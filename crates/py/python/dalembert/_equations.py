"""Equations of motion, written out."""

from __future__ import annotations

import re
from typing import Any, Optional

from . import _engine
from ._words import need


class Equations:
    """Equations in one form, as text, LaTeX, a script for SymPy, or SymPy objects. Notebooks show them typeset."""

    def __init__(self, system: _engine.System, form: str) -> None:
        self.form = form
        self._system: Optional[_engine.System] = system
        self._written = {"text": system.derive(form, "text")}

    def _as(self, format: str) -> str:
        if format not in self._written and self._system is not None:
            self._written[format] = self._system.derive(self.form, format)
        return self._written[format]

    def __getstate__(self) -> dict[str, Any]:
        written = {format: self._as(format) for format in ("text", "latex", "python")}
        return {"form": self.form, "_system": None, "_written": written}

    @property
    def text(self) -> str:
        """In the model language; multipliers are ``lambda_NAME``."""
        return self._as("text")

    @property
    def latex(self) -> str:
        """An ``aligned`` environment."""
        return self._as("latex")

    @property
    def python(self) -> str:
        """A script that makes SymPy objects: the rate of ``x`` is ``x_dot``, its acceleration ``x_ddot``."""
        return self._as("python")

    @property
    def renamed(self) -> dict[str, str]:
        """Names of the model whose spelling is taken in Python, and how the script spells them."""
        return dict(re.findall(r"^# `(.+?)` of the model is written `(.+?)`", self.python, re.MULTILINE))

    def to_sympy(self) -> dict[str, Any]:
        """The objects that the script makes, by name; ``renamed`` tells where a name is not that of the model."""
        need("sympy", "sympy")
        known: dict[str, Any] = {}
        exec("from sympy import *", known)
        made = dict(known)
        exec(compile(self.python, f"<{self.form}>", "exec"), made)
        return {name: value for name, value in made.items() if known.get(name) is not value}

    def _repr_latex_(self) -> str:
        lines = self.latex.splitlines()
        return "$$\n" + "\n".join(line for line in lines if not line.startswith("%")) + "\n$$"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<equations of motion, form {self.form!r}>\n{self.text}"
