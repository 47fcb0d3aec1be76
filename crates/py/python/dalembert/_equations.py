"""Equations of motion, written out."""

from __future__ import annotations

import keyword
import re
from typing import Any, Mapping, Optional

from . import _engine
from ._words import need


class Equations:
    """Equations in one form, as text, LaTeX, a script for SymPy, or SymPy objects. Notebooks show them typeset.

    Parameters
    ----------
    system
        A system of the engine; :meth:`System.derive` gives it.
    form : str
    symbols : mapping, optional
        Symbols of SymPy by their names in the model, which ``to_sympy`` gives back.
    """

    def __init__(
        self, system: _engine.System, form: str, symbols: Optional[Mapping[str, Any]] = None
    ) -> None:
        self.form = form
        self._symbols = dict(symbols or {})
        self._system: Optional[_engine.System] = system
        self._written = {"text": system.derive(form, "text")}

    def _as(self, format: str) -> str:
        if format not in self._written and self._system is not None:
            self._written[format] = self._system.derive(self.form, format)
        return self._written[format]

    def __getstate__(self) -> dict[str, Any]:
        written = {format: self._as(format) for format in ("text", "latex", "python")}
        return {"form": self.form, "_symbols": self._symbols, "_system": None, "_written": written}

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

    def to_sympy(self, symbols: Optional[Mapping[str, Any]] = None) -> dict[str, Any]:
        """SymPy objects by name: accelerations, matrices, equations; ``renamed`` tells where a name is not that of the model.

        A system that was built with SymPy gives back the symbols that went in, with their assumptions, functions of time and
        their derivatives. In others ``x`` is a symbol, and so are ``x_dot`` and ``x_ddot``.

        Parameters
        ----------
        symbols : mapping, optional
            Symbols or functions of time to use for names of the model: ``{"theta": dynamicsymbols("theta")}``.
        """
        need("sympy", "sympy")
        known: dict[str, Any] = {}
        exec("from sympy import *", known)
        made = dict(known)
        exec(compile(self.python, f"<{self.form}>", "exec"), made)
        found = {name: value for name, value in made.items() if known.get(name) is not value}
        swaps = self._swaps({**self._symbols, **(symbols or {})})
        return {name: _swapped(value, swaps) for name, value in found.items()} if swaps else found

    def _swaps(self, symbols: Mapping[str, Any]) -> dict[Any, Any]:
        """Symbols of the script, and those that stand for them elsewhere."""
        import sympy

        swaps: dict[Any, Any] = {}
        renamed = self.renamed
        for name, symbol in symbols.items():
            own = renamed.get(name, re.sub(r"\W+", "_", name).strip("_") + ("_" if keyword.iskeyword(name) else ""))
            symbol = sympy.sympify(symbol)
            swaps[sympy.Symbol(own)] = symbol
            if isinstance(symbol, sympy.core.function.AppliedUndef):
                time = symbol.args[0]
                swaps[sympy.Symbol(f"{own}_dot")] = sympy.Derivative(symbol, time)
                swaps[sympy.Symbol(f"{own}_ddot")] = sympy.Derivative(symbol, (time, 2))
        return swaps

    def _repr_latex_(self) -> str:
        lines = self.latex.splitlines()
        return "$$\n" + "\n".join(line for line in lines if not line.startswith("%")) + "\n$$"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<equations of motion, form {self.form!r}>\n{self.text}"


def _swapped(value: Any, swaps: Mapping[Any, Any]) -> Any:
    """With other symbols: an expression, a matrix, an equation, or a collection of them."""
    if isinstance(value, (list, tuple)):
        return type(value)(_swapped(part, swaps) for part in value)
    if isinstance(value, dict):
        return {_swapped(key, swaps): _swapped(part, swaps) for key, part in value.items()}
    return value.xreplace(swaps) if hasattr(value, "xreplace") else value
