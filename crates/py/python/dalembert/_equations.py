"""Equations of motion, written out."""

from __future__ import annotations

from typing import Any

from . import _engine


class Equations:
    """Equations in one form, as text, LaTeX, a script for SymPy, or SymPy objects. Notebooks show them typeset."""

    def __init__(self, system: _engine.System, form: str) -> None:
        self.form = form
        #: In the model language; multipliers are ``lambda_NAME``.
        self.text: str = system.derive(form, "text")
        self._system = system

    @property
    def latex(self) -> str:
        """An ``aligned`` environment."""
        return self._system.derive(self.form, "latex")

    @property
    def python(self) -> str:
        """A script that makes SymPy objects: the rate of ``x`` is ``x_dot``, its acceleration ``x_ddot``."""
        return self._system.derive(self.form, "python")

    def to_sympy(self) -> dict[str, Any]:
        """The objects that the script makes, by name."""
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
