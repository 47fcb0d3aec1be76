"""Steps for somebody else's loop: a controller, an environment, hardware."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from . import _engine
from ._errors import RequestError
from ._options import array

if TYPE_CHECKING:
    from ._description import Description

Array = npt.NDArray[np.float64]


class StepEvent(NamedTuple):
    """An event inside a step: which of the systems, its name, when, and whether its function rises."""

    system: int
    name: str
    t: float
    rising: bool


class Stepper:
    """Moves one system, or many copies of it, on by ``dt`` at a time under inputs that are held over the step.

    ``reset()`` begins at the start of the model, ``reset(y)`` at a state of shape (n,), ``reset(Y)`` at many of shape (k, n); it gives
    the state on the constraints. ``step(u)`` gives the next one. ``u`` is a number, a sequence for several inputs, or an array of shape
    (k, inputs) for many systems, in SI units; without it the inputs stay as they are.

    Parameters
    ----------
    system : System
    dt : float
        Length of a step in seconds.
    method : {"rk4", "tsit5", "dop853"}
    substeps : int
        Steps of the method in one step.
    """

    def __init__(self, system: Description, dt: float, method: str = "rk4", substeps: int = 1) -> None:
        self.system = system
        #: Length of a step.
        self.dt = float(dt)
        self.method = method
        #: Names of the inputs, in the order of ``u``.
        self.inputs = system.signals
        self._engine = _engine.Stepper(system._engine, self.dt, method, substeps)
        self._many = False

    def reset(self, state: Union[None, npt.ArrayLike, Mapping[str, float]] = None, t: float = 0.0) -> Array:
        """Begins again, and gives the state on the constraints.

        Parameters
        ----------
        state : array of shape (n,) or (k, n), or mapping, optional
            One state, many of them, or some values by name; otherwise the initial conditions of the model.
        t : float
            The time to begin at.
        """
        if isinstance(state, Mapping):
            known = dict(self.system.initial)
            unknown = [name for name in state if name not in known]
            if unknown:
                raise RequestError(f"`{unknown[0]}` is not a state of the model: {', '.join(known)}")
            state = [float(state.get(name, value)) for name, value in known.items()]
        states = None if state is None else array("state", state)
        if states is not None and (states.ndim not in (1, 2) or states.shape[-1] != len(self.system.states)):
            n = len(self.system.states)
            raise RequestError(f"a state of shape {states.shape}: give ({n},) or (k, {n})")
        if states is not None and not np.isfinite(states).all():
            raise RequestError("a state has numbers that are not finite")
        self._many = states is not None and states.ndim == 2
        self._engine.reset(None if states is None else np.atleast_2d(states), float(t))
        return self.state

    def step(self, u: Any = None) -> Array:
        """The state after the next step.

        Parameters
        ----------
        u : float, sequence, or array of shape (k, inputs), optional
            Inputs over the step, in SI units; without it they stay as they are.
        """
        if self._many:
            return self._engine.step_all(None if u is None else self._inputs(u))
        if u is None or isinstance(u, (float, int)):
            return self._engine.step_one(u)
        return self._engine.step_inputs(np.asarray(u, float).ravel().tolist())

    def _inputs(self, u: Any) -> Array:
        values = array("u", u)
        count, m = len(self._engine.stopped), len(self.inputs)
        if values.size == 1 and m == 1:
            return np.full((count, 1), values.ravel()[0])
        if values.ndim == 1 and m == 1:
            values = values.reshape(-1, 1)
        if values.ndim == 1 and values.size == m:
            values = np.tile(values, (count, 1))
        if values.shape != (count, m):
            raise RequestError(f"inputs of shape {values.shape}: give ({count}, {m}), for {', '.join(self.inputs)}")
        return np.ascontiguousarray(values)

    @property
    def t(self) -> float:
        """Time reached."""
        return self._engine.t

    @property
    def state(self) -> Array:
        """The state reached, or one for each system in a row of its own."""
        states = self._engine.states()
        return states if self._many else states[0]

    @property
    def events(self) -> list[StepEvent]:
        """What happened in the last step."""
        return [StepEvent(*event) for event in self._engine.events]

    @property
    def stopped(self) -> Any:
        """Whether an event that stops has been met; such a system waits for ``reset``."""
        stopped = self._engine.stopped
        return np.array(stopped) if self._many else stopped[0]

    def __repr__(self) -> str:
        return f"<Stepper of {self.system.title or self.system.name!r}: dt = {self.dt}, t = {self.t}>"
