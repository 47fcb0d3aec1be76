"""The equations of motion as a function of time and state, over arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from . import _engine
from ._errors import RequestError
from ._options import array
from ._results import Derivatives, Forces
from ._table import Array

if TYPE_CHECKING:
    from ._description import Description


class AccelerationFunction:
    """Accelerations ``f(t, y)`` of a system, in native code and without the interpreter's lock.

    One convention, that of ``solve_ivp(..., vectorized=True)``: ``y`` has coordinates, then speeds, along its first axis;
    one state has shape (n,), k states have shape (n, k), and so have the answers. ``t`` is a number or an array of k. States are
    taken as given: nothing is projected. A state without an acceleration raises :class:`RunError` with its number, or gives
    NaN with ``errors="nan"``.

    Parameters
    ----------
    system : System
    errors : {"raise", "nan"}
        What a state without an acceleration gives.
    """

    def __init__(self, system: Description, errors: str = "raise") -> None:
        if errors not in ("raise", "nan"):
            raise RequestError(f"errors={errors!r}: choose 'raise' or 'nan'")
        self.system = system
        self.errors = errors
        self._rates = _engine.Rates(system._engine)

    def __call__(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """Accelerations: the rates of the speeds, in their order.

        Parameters
        ----------
        t : float or array of shape (k,)
        y : array of shape (n,) or (n, k)
            Coordinates, then speeds.
        """
        return self.rhs(t, y)[len(self.system.coordinates) :]

    def rhs(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """Rates of coordinates and speeds: the right-hand side for any integrator.

        Parameters
        ----------
        t : float or array of shape (k,)
        y : array of shape (n,) or (n, k)
            Coordinates, then speeds.
        """
        states, times, single = self._arrays(t, y)
        rates = self._rates.rates(times, states, self.errors == "nan")
        return rates[:, 0] if single else rates

    def forces(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Forces:
        """Accelerations, forces (``ideal``, ``nonideal``, ``control``), ``multipliers`` and control ``inputs``.

        Forces have the order of the speeds; multipliers are by row of the constraints, inputs by name.

        Parameters
        ----------
        t : float or array of shape (k,)
        y : array of shape (n,) or (n, k)
            Coordinates, then speeds.
        """
        states, times, single = self._arrays(t, y)
        found: dict[str, Any] = self._rates.solve(times, states, self.errors == "nan")
        parts = {key: value[:, 0] if single else value for key, value in found.items()}
        for key, names in (("multipliers", self.system.rows), ("inputs", self.system.inputs)):
            parts[key] = dict(zip(names, parts[key]))
        return Forces(parts)

    def derivatives(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Derivatives:
        """Derivatives of rates and multipliers, exact: ``rates_by_state`` of shape (n, n) or (n, n, k), and so on.

        Also ``rates_by_input``, ``rates_by_parameter``, ``multipliers_by_state``, ...; names of columns are ``states``,
        ``inputs`` and ``parameters``. Parameters defined from another one follow it.

        Parameters
        ----------
        t : float or array of shape (k,)
        y : array of shape (n,) or (n, k)
            Coordinates, then speeds.
        """
        states, times, single = self._arrays(t, y)
        found: dict[str, Any] = self._rates.derive_at(times, states, self.errors == "nan")
        inputs, parameters = self._rates.derivative_names()
        widths = {"state": states.shape[0], "input": len(inputs), "parameter": len(parameters)}
        parts: dict[str, Any] = {}
        for key, value in found.items():
            width = widths.get(key.rsplit("_by_", 1)[-1])
            if width is not None:
                rows = len(self.system.rows) if key.startswith("multipliers") else states.shape[0]
                value = value.reshape(rows, width, states.shape[1])
            parts[key] = value[..., 0] if single else value
        return Derivatives({**parts, "states": list(self.system.states), "inputs": inputs, "parameters": parameters})

    def _arrays(self, t: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Array, Array, bool]:
        states = array("y", y)
        n = len(self.system.states)
        if states.ndim not in (1, 2) or states.shape[0] != n:
            names = ", ".join(self.system.states)
            raise RequestError(f"states of shape {states.shape}: give ({n},) or ({n}, k), for {names}")
        single = states.ndim == 1
        states = states.reshape(n, -1)
        times = array("t", t)
        if times.ndim > 1 or times.size not in (1, states.shape[1]):
            raise RequestError(
                f"times of shape {times.shape}: give a number, or one for each of {states.shape[1]} states"
            )
        return states, times.reshape(-1), single

    def __reduce__(self) -> tuple[Any, ...]:
        return AccelerationFunction, (self.system, self.errors)

    def __repr__(self) -> str:
        return f"<accelerations of {self.system!r}>"
