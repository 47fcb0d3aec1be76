"""Expressions of the model language as objects: what a body or a joint offers, to be computed with."""

from __future__ import annotations

from typing import Any

from ._words import expression


class Term:
    """An expression of the model language. It may be added, multiplied and compared with numbers, text and others.

    Parameters
    ----------
    text : str
        As the model writes it.
    atom : bool
        Whether it binds as tightly as a name, so that it needs no brackets inside another one.
    """

    __slots__ = ("atom", "text")

    def __init__(self, text: str, atom: bool = False) -> None:
        self.text = text
        self.atom = atom

    def _expression_(self) -> str:
        return self.text

    @property
    def _inner(self) -> str:
        return self.text if self.atom else f"({self.text})"

    @property
    def x(self) -> Term:
        """The first component of a vector."""
        return Term(f"{self._inner}.x", True)

    @property
    def y(self) -> Term:
        """The second component of a vector."""
        return Term(f"{self._inner}.y", True)

    @property
    def z(self) -> Term:
        """The third component of a vector."""
        return Term(f"{self._inner}.z", True)

    @property
    def rate(self) -> Term:
        """The derivative with respect to time."""
        return Term(f"{self._inner}'", True)

    def norm(self) -> Term:
        """The length of a vector."""
        return Term(f"norm({self.text})", True)

    def dot(self, other: Any) -> Term:
        """The scalar product with another vector.

        Parameters
        ----------
        other : vector
            A term, a list of numbers, or text.
        """
        return Term(f"dot({self.text}, {expression(other)})", True)

    def __add__(self, other: Any) -> Term:
        return Term(f"{self._inner} + {_inner(other)}")

    def __radd__(self, other: Any) -> Term:
        return Term(f"{_inner(other)} + {self._inner}")

    def __sub__(self, other: Any) -> Term:
        return Term(f"{self._inner} - {_inner(other)}")

    def __rsub__(self, other: Any) -> Term:
        return Term(f"{_inner(other)} - {self._inner}")

    def __mul__(self, other: Any) -> Term:
        return Term(f"{self._inner}*{_inner(other)}")

    def __rmul__(self, other: Any) -> Term:
        return Term(f"{_inner(other)}*{self._inner}")

    def __truediv__(self, other: Any) -> Term:
        return Term(f"{self._inner}/{_inner(other)}")

    def __rtruediv__(self, other: Any) -> Term:
        return Term(f"{_inner(other)}/{self._inner}")

    def __pow__(self, other: Any) -> Term:
        return Term(f"{self._inner}^{_inner(other)}")

    def __neg__(self) -> Term:
        return Term(f"-{self._inner}")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text}>"


def _inner(value: Any) -> str:
    if isinstance(value, Term):
        return value._inner
    text = expression(value)
    return text if text.isalnum() else f"({text})"
