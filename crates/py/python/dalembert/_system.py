"""A mechanical system: how it is made."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Optional, Union

from . import _engine
from ._description import read
from ._questions import Questions
from ._runs import Runs
from ._words import Expression

if TYPE_CHECKING:
    from ._builder import Builder


class System(Runs, Questions):
    """A model: read once, never changed, safe to share by threads, to pickle and to send elsewhere.

    Most questions take ``set`` (other parameters) and ``initial`` (other initial values) for that question alone.

    Parameters
    ----------
    text : str
        The model, in the model language.
    name : str
        What diagnostics call it.
    set : mapping, optional
        Other values of parameters, in the units of the model.
    initial : mapping or str, optional
        Other initial values.
    inputs : mapping, optional
        Signals for the inputs of the model, but for functions; see :meth:`simulate`.
    interpolate : {"linear", "step", "cubic"}
        What is between the samples of a signal.
    """

    @classmethod
    def from_text(cls, text: str, name: str = "model", **set: Expression) -> System:
        """A system from the text of a model.

        Parameters
        ----------
        text : str
            The model, in the model language.
        name : str
            What diagnostics call it.
        **set : float or str
            Values of parameters, in the units of the model.
        """
        return cls(text, name, set)

    @classmethod
    def from_file(cls, path: Union[str, os.PathLike[str]], **set: Expression) -> System:
        """A system from a model file.

        Parameters
        ----------
        path : str or path
            The file, ``.dal`` by habit.
        **set : float or str
            Values of parameters, in the units of the model.
        """
        return cls(read(path), os.fspath(path), set)

    @classmethod
    def import_urdf(
        cls, path: Union[str, os.PathLike[str]], fixed_base: bool = False, **set: Expression
    ) -> System:
        """A system from a robot in URDF or MJCF; ``text`` is its model.

        What was merged, ignored or assumed with an effect on the motion is a Python warning.

        Parameters
        ----------
        path : str or path
            The URDF or MJCF file.
        fixed_base : bool
            Fixes the root link of a URDF to the ground, whatever its name.
        **set : float or str
            Values of parameters of the model.
        """
        text, said = _engine.import_robot(read(path), os.fspath(path), bool(fixed_base))
        for one in said:
            if one["severity"] == "warning":
                warnings.warn(f"{one['code']}: {one['message']} (line {one.get('line')})", stacklevel=2)
        return cls(text, f"{os.fspath(path)} as a model", set)

    @staticmethod
    def build(title: Optional[str] = None) -> Builder:
        """A builder that takes SymPy expressions, text, bodies and joints; its ``system()`` is the system.

        Parameters
        ----------
        title : str, optional
            The title of the model.
        """
        from ._builder import Builder

        return Builder(title)
