"""A computed motion, with the habits of ``scipy.integrate.solve_ivp``."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _engine
from ._errors import Diagnostic, RunError
from ._options import APART
from ._pages import Animation
from ._results import Energy, Record, Stats, _html_table
from ._table import Array, Table
from ._words import need

if TYPE_CHECKING:
    import xarray

    from ._description import Description


class EventHit(NamedTuple):
    """An event that was found. Of a contact that begins to stick or to slide only the time is known."""

    name: str
    t: float
    rising: bool
    y: Optional[Array]


class Motion(Table):
    """What :meth:`System.simulate` gives. Columns are ``t``, coordinates, speeds, momenta of the form that was integrated, outputs.

    ``t`` (k) and ``y`` (coordinates and speeds, n x k) are views of one table, as are the columns ``motion["x"]``. A run
    that ends early has ``success`` False, its reason in ``message``, and all it computed until then.

    Parameters
    ----------
    system, columns, document, events, watched, wish
        Parts of the engine's answer; :meth:`System.simulate` makes motions.
    """

    def __init__(
        self,
        system: Description,
        columns: _engine.Columns,
        document: dict[str, Any],
        events: Sequence[tuple[str, float, bool, Optional[list[float]]]],
        watched: Sequence[str],
        wish: dict[str, Any],
    ) -> None:
        super().__init__(columns)
        self._parts = (system, columns, document, events, watched, wish)
        self.system = system
        self.t: Array = self._numbers[0]
        names, count = list(columns.names), len(system.states)
        if names[1 : 1 + count] == list(system.states):
            self.y: Array = self._numbers[1 : 1 + count]
        else:
            # State variables and discrete values come behind the speeds in the table.
            self.y = self._numbers[[names.index(name) for name in system.states]]
        #: Events in the order of time, and changes of contacts.
        self.events = [EventHit(n, t, up, None if y is None else np.array(y)) for n, t, up, y in events]
        #: Names of the events that ``t_events`` and ``y_events`` list.
        self.event_names = list(watched)
        #: ``end_time``, ``event``, ``cancelled`` or ``failed``.
        self.stop: str = document["stop"]
        self.failure: Optional[str] = document["failure"]
        #: Steps, evaluations, residuals and the like.
        self.stats = Stats(document["summary"])
        #: What accounts for the change of energy, where that was integrated.
        self.balance = Record(document["balance"]) if document["balance"] else None
        #: Integral of the Lagrangian, if it was asked for.
        self.action: Optional[float] = document["action"]
        #: What the complete integral says, where the motion was found from it.
        self.complete_integral = document["complete_integral"]
        self.diagnostics = [Diagnostic.of(entry) for entry in document["diagnostics"]]

    @property
    def success(self) -> bool:
        """Whether the run reached its end or an event that stops it."""
        return self.stop in ("end_time", "event") and self.failure is None

    @property
    def status(self) -> int:
        """As ``solve_ivp`` counts: 0 at the end, 1 stopped by an event, -1 ended early."""
        return -1 if not self.success else int(self.stop == "event")

    @property
    def message(self) -> str:
        """How the run ended, with the place in the model where it failed."""
        t = self.stats["t"]
        if self.failure is not None:
            return self.failure
        if self.stop == "event":
            return f"stopped by event `{self.events[-1].name}` at t = {t:.9g}"
        if self._parts[2]["time_limit"] is not None:
            limit = self._parts[2]["time_limit"]
            return f"the time limit of {limit:g} s was reached at t = {t:.9g}; what was computed is kept"
        if self.stop == "cancelled":
            return f"interrupted at t = {t:.9g}; what was computed is kept"
        return f"reached t = {t:.9g}"

    def raise_for_failure(self) -> Motion:
        """Itself if it was a success, otherwise a :class:`RunError` with the message."""
        if not self.success:
            raise RunError(self.message, self._parts[2]["diagnostics"])
        return self

    @property
    def outputs(self) -> dict[str, Array]:
        """The model's outputs by name."""
        return {name: self[name] for name in self.system.outputs}

    def sensitivity(self, column: str, by: str) -> Array:
        """The derivative of a column by a parameter or starting value that ``simulate(sensitivity=...)`` named.

        Parameters
        ----------
        column : str
            A column of the motion.
        by : str
            A parameter (``"m"``) or an initial value (``"theta(0)"``).
        """
        values: Array = self[f"d({column})/d({by})"]
        return values

    @property
    def t_events(self) -> list[Array]:
        """Times of each event of ``event_names``."""
        return [np.array([e.t for e in self.events if e.name == name]) for name in self.event_names]

    @property
    def y_events(self) -> list[Array]:
        """States at these times, one in each row as ``solve_ivp`` has them."""
        found = ([e.y for e in self.events if e.name == name] for name in self.event_names)
        return [np.array(states).reshape(len(states), len(self.y)) for states in found]

    @property
    def nfev(self) -> int:
        """Evaluations of the acceleration."""
        return int(self.stats["evaluations"])

    @property
    def njev(self) -> int:
        """Jacobians of implicit methods."""
        return int(self.stats["jacobians"])

    @property
    def nlu(self) -> int:
        """Factorisations of implicit methods."""
        return int(self.stats["factorisations"])

    @property
    def energy(self) -> Optional[Energy]:
        """Energy at the ``start``, its ``change`` and its largest ``deviation``, where the model has an energy."""
        if self.stats["energy"] is None:
            return None
        keys = {"start": "energy", "change": "energy_change", "deviation": "energy_deviation"}
        return Energy({name: self.stats[key] for name, key in keys.items()})

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns, as far as they are known."""
        return {name: unit for name, unit in self.system.units.items() if name in self._names}

    def sol(self, t: npt.ArrayLike) -> Array:
        """The state at any time of the motion, as ``solve_ivp(dense_output=True).sol``: shape (n,) or (n, k).

        Times that are not in rows are computed again, with the method's own dense output at the same tolerances, so that
        they are as accurate as the rows, also beside events. Ask for many times in one call.

        Parameters
        ----------
        t : float or array of shape (k,)
            Times from the start to the end of the motion; others are refused.
        """
        times = np.asarray(t, dtype=float)
        begin, end = self._parts[5]["begin"], self.stats["t"]
        if times.ndim > 1:
            raise ValueError(f"times of shape {times.shape}: give a number, or an array with one axis")
        if times.size and not (begin <= times.min() and times.max() <= end):
            raise ValueError(f"the motion is known from t = {begin:.9g} to {end:.9g}")
        wanted, place = np.unique(times, return_inverse=True)
        known, states = self._at(wanted)
        # Times that differ by rounding from one that is known have its state.
        right = np.clip(np.searchsorted(known, wanted), 1, max(1, known.size - 1))
        nearest = np.where(
            np.abs(known[right - 1] - wanted) <= np.abs(known[np.minimum(right, known.size - 1)] - wanted),
            right - 1,
            np.minimum(right, known.size - 1),
        )
        found = states[:, nearest][:, place.reshape(-1)]
        return found[:, 0] if times.ndim == 0 else found

    def _at(self, wanted: Array) -> tuple[Array, Array]:
        """Rows, and further ones where a wanted time is none of theirs."""
        fresh = wanted[~np.isin(wanted, self.t)]
        marks = np.concatenate([[self._parts[5]["begin"], self.stats["t"]], self.t])
        apart = np.abs(fresh[:, None] - marks[None, :]).min(axis=1) if fresh.size else fresh
        fresh = fresh[apart > APART * np.maximum(np.abs(fresh), 1e-300)]
        fresh = fresh[np.concatenate([[True], np.diff(fresh) > APART * np.abs(fresh[1:])])] if fresh.size else fresh
        ends = [self._parts[5]["begin"], self.stats["t"]]
        if not fresh.size and all(mark in self.t for mark in ends):
            return self.t, self.y
        wish = {**self._parts[5], "times": sorted({*fresh.tolist(), *ends}), "every": None, "time_limit": None}
        wish = {**wish, "balance": False, "action": False, "sensitivity": []}
        if self.stop == "cancelled":
            wish["until"] = self.stats["t"]
        columns, _, _, raised = _engine.simulate(self.system._engine, wish)
        if raised is not None:
            raise raised
        again = columns.numbers
        order = [columns.names.index(name) for name in self.system.states]
        times = np.concatenate([self.t, again[0]])
        states = np.concatenate([self.y, again[order]], axis=1)
        _, first = np.unique(times, return_index=True)
        return times[first], states[:, first]

    def plot(self, *columns: str, ax: Any = None, x: str = "t") -> Any:
        """Draws columns over time (or over the column ``x``) with Matplotlib: panels of one unit, with units on the axes.

        Parameters
        ----------
        *columns : str
            Names; without them coordinates and outputs. The name of a vector is all of its components.
        ax : matplotlib.axes.Axes, optional
            Axes to draw all columns on.
        x : str
            The column along the horizontal axis.

        Returns
        -------
        matplotlib.figure.Figure
        """
        need("matplotlib", "matplotlib")
        import matplotlib.pyplot as plt

        names = [one for name in columns for one in self._components(name)]
        if not names:
            names = [name for name in (*self.system.coordinates, *self.outputs) if name in self._names]
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault("" if ax is not None else self.units.get(name, ""), []).append(name)
        if ax is None:
            count = max(1, len(groups))
            size = (8, 2.2 * count + 0.8)
            figure, grid = plt.subplots(count, sharex=True, squeeze=False, figsize=size, layout="constrained")
            panels = list(grid[:, 0])
            figure.suptitle(self.system.title or "")
        else:
            figure, panels = ax.figure, [ax]
        for panel, (unit, group) in zip(panels, groups.items()):
            for name in group:
                panel.plot(self[x], self[name], label=name)
            panel.set_ylabel(f"[{unit}]" if unit else "")
            panel.legend(loc="upper right")
            panel.grid(True, alpha=0.3)
        panels[-1].set_xlabel(f"{x} [{self.units[x]}]" if x in self.units else x)
        return figure

    def _components(self, name: str) -> list[str]:
        """The column of this name, or those of the components of a vector."""
        if name in self._names:
            return [name]
        parts = [column for column in self._names if column in (f"{name}.x", f"{name}.y", f"{name}.z")]
        parts += [column for column in self._names if column.startswith(f"{name}[")]
        if not parts:
            raise KeyError(f"there is no column {name!r}; the columns are {', '.join(self._names)}")
        return parts

    def to_xarray(self) -> xarray.Dataset:
        """A Dataset over the coordinate ``t``; the attribute ``units`` of a variable is its unit."""
        need("xarray", "xarray")
        import xarray

        units = self.units

        def attributes(name: str) -> dict[str, str]:
            return {"units": units[name]} if name in units else {}

        variables = {name: ("t", np.array(self[name]), attributes(name)) for name in self._names[1:]}
        times = ("t", np.array(self.t), attributes("t"))
        return xarray.Dataset(variables, coords={"t": times}, attrs={"title": self.system.title or ""})

    def animate(self, path: Union[None, str, os.PathLike[str]] = None) -> Animation:
        """The motion as a page that plays it, with its forces; a notebook shows it, and a ``path`` is written to.

        What is drawn is what the model's ``draw`` statements say, or what its points and links suggest. The motion is computed again
        for it.

        Parameters
        ----------
        path : str or path, optional
            A file that the page is written to.
        """
        wish = {**self._parts[5], "time_limit": None}
        if self.stop == "cancelled":
            wish["until"] = self.stats["t"]
        animation = Animation(_engine.animate(self.system._engine, wish))
        if path is not None:
            animation.save(path)
        return animation

    def __reduce__(self) -> tuple[Any, ...]:
        return Motion, self._parts

    def _repr_html_(self) -> str:
        rows = [[name, self.units.get(name, ""), *_range(self[name])] for name in self._names]
        head = ["column", "unit", "at the start", "least", "greatest", "at the end"]
        return f"<p>{html.escape(repr(self)[1:-1])}</p>" + _html_table(head, rows)

    def __repr__(self) -> str:
        first = self.message.splitlines()[0]
        return f"<Motion of {self.system.title or self.system.name!r}: {len(self)} rows, {first}>"


def _range(values: Array) -> list[str]:
    """First, least, greatest and last value with six digits."""
    if not len(values):
        return ["", "", "", ""]
    return [f"{value:.6g}" for value in (values[0], np.min(values), np.max(values), values[-1])]
