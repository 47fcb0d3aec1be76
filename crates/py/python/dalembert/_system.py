"""A mechanical system, and what can be asked of it."""

from __future__ import annotations

import copy
import math
import os
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _engine, _gradient, _options, _words
from ._equations import Equations
from ._errors import Interrupted, ModelError, RequestError
from ._events import refused, statements
from ._motion import Motion
from ._options import Span
from ._rates import AccelerationFunction
from ._results import (
    Analysis,
    Eigenvalues,
    Equilibria,
    Evaluation,
    Linearization,
    Parameters,
    Record,
    Verification,
    _html_table,
)
from ._signals import Signal, sampled, signals
from ._stepper import Stepper
from ._words import Expression, Values

if TYPE_CHECKING:
    from ._builder import Builder
    from ._sweep import Sweep


def _read(path: Union[str, os.PathLike[str]]) -> str:
    """The text of a file that is no longer than a model may be."""
    with open(path, "rb") as file:
        content = file.read(_engine.LARGEST_TEXT + 1)
    if len(content) > _engine.LARGEST_TEXT:
        raise ModelError(f"{os.fspath(path)} is longer than the {_engine.LARGEST_TEXT} bytes that are read")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{os.fspath(path)} is not UTF-8 text: byte {error.start} is wrong") from None


class System:
    """A model: read once, never changed, safe to share by threads, to pickle and to send elsewhere.

    Every question takes ``set`` (other parameters) and ``initial`` (other starting values) for that question alone.
    """

    def __init__(
        self,
        text: str,
        name: str = "model",
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
        inputs: Optional[Mapping[str, Any]] = None,
        interpolate: str = "linear",
    ) -> None:
        if not isinstance(text, str) or not isinstance(name, str):
            raise TypeError("a model and its name are text")
        settings, starts = _words.settings(set), _words.starts(initial)
        given = signals(inputs, interpolate)
        engine = _engine.System(text, name, settings, starts, given)
        self.__dict__.update(
            _text=text, _name=name, _set=settings, _initial=starts, _inputs=given, _engine=engine
        )

    _text: str
    _name: str
    _set: tuple[tuple[str, str], ...]
    _initial: tuple[str, ...]
    _inputs: tuple[Signal, ...]
    _engine: _engine.System

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a system is never changed: with_parameters and with_initial give another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a system is never changed")

    @property
    def text(self) -> str:
        """The text of the model."""
        return self._text

    @property
    def name(self) -> str:
        """What diagnostics call the model."""
        return self._name

    @classmethod
    def from_text(cls, text: str, name: str = "model", **set: Expression) -> System:
        """A system from the text of a model; keywords are values of parameters."""
        return cls(text, name, set)

    @classmethod
    def from_file(cls, path: Union[str, os.PathLike[str]], **set: Expression) -> System:
        """A system from a model file."""
        return cls(_read(path), os.fspath(path), set)

    @classmethod
    def import_urdf(
        cls, path: Union[str, os.PathLike[str]], fixed_base: bool = False, **set: Expression
    ) -> System:
        """A system from a robot in URDF or MJCF; ``text`` is its model. What changes the motion is a warning.

        ``fixed_base`` fixes the root link of a URDF to the ground, whatever its name.
        """
        text, said = _engine.import_robot(_read(path), os.fspath(path), bool(fixed_base))
        for one in said:
            if one["severity"] == "warning":
                warnings.warn(f"{one['code']}: {one['message']} (line {one.get('line')})", stacklevel=2)
        return cls(text, f"{os.fspath(path)} as a model", set)

    @staticmethod
    def build(title: Optional[str] = None) -> Builder:
        """A builder that takes SymPy expressions or text; its ``system()`` is the system."""
        from ._builder import Builder

        return Builder(title)

    @property
    def _key(self) -> tuple[Any, ...]:
        """All that it depends on; what travels."""
        return self.text, self.name, self._set, self._initial, self._inputs

    @classmethod
    def _of(
        cls,
        text: str,
        name: str,
        set: Sequence[tuple[str, str]],
        initial: Sequence[str],
        inputs: Sequence[Signal] = (),
    ) -> System:
        system = cls(text, name, dict(set), initial)
        return system._given(inputs) if inputs else system

    def _given(self, inputs: Sequence[Signal]) -> System:
        """The same system with signals in the place of some inputs."""
        merged = {signal[0]: signal for signal in (*self._inputs, *inputs)}
        other = System.__new__(System)
        given = tuple(merged.values())
        engine = _engine.System(self._text, self._name, self._set, self._initial, given)
        other.__dict__.update(
            _text=self._text, _name=self._name, _set=self._set, _initial=self._initial, _inputs=given, _engine=engine
        )
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return System._of, self._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, System) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    # What it is.

    @property
    def title(self) -> Optional[str]:
        """What ``system "..."`` says."""
        return self._engine.title

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(self._engine.coordinates)

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds: rates, or declared ones."""
        return tuple(self._engine.speeds)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Coordinates, then speeds: the order of ``y``."""
        return self.coordinates + self.speeds

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows of the constraints."""
        return tuple(self._engine.rows)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the control inputs; none without requirements."""
        return tuple(self._engine.inputs)

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the signals from outside that the model declares with ``input``."""
        return tuple(self._engine.signals)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self._engine.outputs)

    @property
    def events(self) -> tuple[str, ...]:
        """Names of the events."""
        return tuple(self._engine.events)

    @property
    def parameters(self) -> Parameters:
        """Values of the parameters in the units of the model, as ``with_parameters`` takes them.

        ``system.with_parameters(**system.parameters)`` is the same system; ``parameters.units`` has the units.
        """
        return Parameters(self._engine.parameters)

    @property
    def si_parameters(self) -> dict[str, float]:
        """Values of the parameters in SI, as they are in the equations."""
        return dict(self._engine.si_parameters)

    @property
    def units(self) -> dict[str, str]:
        """Units of the columns of a motion, as far as they are known; columns are in coherent SI units."""
        names = ["t", *self.states, *self.outputs]
        return {name: unit for name, unit in zip(names, self._engine.units(names)) if unit is not None}

    @cached_property
    def check(self) -> Record:
        """What the model is: kinds of constraints, rank, degrees of freedom, start, remarks."""
        return Record(self._engine.check())

    @property
    def constraints(self) -> list[dict[str, Any]]:
        """The constraints with their kinds."""
        return copy.deepcopy(list(self.check["constraints"]))

    @property
    def degrees_of_freedom(self) -> Optional[int]:
        """Around the start; None where there is no start."""
        return self.check["degrees_of_freedom"]  # type: ignore[no-any-return]

    @property
    def initial(self) -> dict[str, float]:
        """A start that keeps the constraints, nearest to what the model gives."""
        return dict(zip(self.states, self._engine.start(0.0)))

    def __repr__(self) -> str:
        shown = _first(self.coordinates)
        facts = ["coordinates " + ", ".join(shown)]
        facts += ["constraints " + ", ".join(_first(self.rows))] if self.rows else []
        facts += ["with " + ", ".join(f"{name} = {value}" for name, value in self._set)] if self._set else []
        return f"<System {self.title or self.name!r}: {'; '.join(facts)}>"

    def _repr_html_(self) -> str:
        facts = [
            ["coordinates", ", ".join(_first(self.coordinates))],
            ["speeds", ", ".join(_first(self.speeds))],
            ["parameters", ", ".join(_first([part for part in repr(self.parameters)[11:-1].split(", ") if part]))],
            ["constraints", ", ".join(_first(self.rows))],
            ["outputs", ", ".join(_first(self.outputs))],
        ]
        return _html_table([self.title or self.name, ""], [fact for fact in facts if fact[1]])

    # Others like it.

    def with_parameters(
        self, values: Optional[Mapping[Any, Expression]] = None, /, **more: Expression
    ) -> System:
        """The same system with other parameters, in the units of the model; ``{"m[2]": 3}`` for a member of a family."""
        return self._with({**_words.mapping("set", values), **more}, None)

    def with_initial(self, values: Values = None, /, **more: Expression) -> System:
        """The same system with other starting values: ``{"x'": 1}`` fixes, ``"x ~ 1"`` guesses."""
        return self._with(None, [*_words.starts(values), *_words.starts(more)])

    def _with(
        self, set: Optional[Mapping[Any, Expression]], initial: Values, added: Sequence[str] = ()
    ) -> System:
        if not set and not initial and not added:
            return self
        merged = {**dict(self._set), **dict(_words.settings(set))}
        starts = {_words.about(item): item for item in (*self._initial, *_words.starts(initial))}
        text = "\n".join([self.text.rstrip("\n"), *added]) if added else self.text
        try:
            other = System(text, self.name, merged, list(starts.values()))
            return other._given(self._inputs) if self._inputs else other
        except ModelError as error:
            if added:
                raise refused(error, added, self.text) from None
            raise

    # What it does.

    def simulate(
        self,
        t_span: Span = None,
        t_eval: Optional[npt.ArrayLike] = None,
        *,
        y0: Union[None, npt.ArrayLike, Mapping[Any, Expression]] = None,
        project: bool = False,
        every: Optional[float] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        method: Optional[str] = None,
        events: Any = None,
        step: Optional[float] = None,
        max_steps: Optional[int] = None,
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
        plant: Optional[Mapping[str, float]] = None,
        hold: Optional[float] = None,
        form: str = "explicit",
        multipliers: Optional[Mapping[str, float]] = None,
        baumgarte: Optional[tuple[float, float]] = None,
        balance: Optional[bool] = None,
        action: bool = False,
        interpret: bool = False,
        fold: bool = False,
        sensitivity: Iterable[object] = (),
        time_limit: Optional[float] = None,
        inputs: Optional[Mapping[str, Any]] = None,
        interpolate: str = "linear",
    ) -> Motion:
        """The motion. What is left out comes from the model's ``simulate`` statement, then from defaults.

        ``t_span`` is ``(t0, t1)`` or the end time. Rows stand at ``t_eval``, or ``every`` so often, or at 501 times. ``y0`` is a
        state that keeps the constraints (coordinates, then speeds); without it the model's own start is taken. ``events`` are
        names of the model's events, text as in the model (``"y falling stop"``) or :class:`Event`; ``t_events`` lists them in
        this order, and then events of the model that stop the run. ``project`` takes ``y0`` as a guess, and starts on the
        constraints nearest to it. ``plant`` gives the simulated system parameters its controller does not know of, ``hold`` samples control.
        ``form="hamilton"`` and ``form="suslov"`` add columns of momenta ``p_x``, and Suslov's multipliers ``M_NAME``, whose values at the
        start are ``multipliers={"M_rod": 0.3}``.
        ``sensitivity`` names parameters (``"m"``) and starting values (``"theta(0)"``) by which every column is differentiated.

        ``inputs`` gives signals for the inputs of the model: a number or an expression as in the model, samples as ``(times, values)``
        with ``interpolate`` step, linear or cubic, or a function ``f(t, y)``, which is computed ``every`` so often and held.

        A run that fails gives the motion until then, with ``success`` False, and so does one that takes longer than
        ``time_limit`` seconds. Ctrl-C raises :class:`Interrupted`, whose
        ``motion`` holds what was computed.
        """
        if isinstance(y0, Mapping):
            # A value in both is refused: nobody can say which one is meant.
            y0, initial = None, _words.starts([*_words.starts(initial), *_words.starts(y0)])
        state = None if y0 is None else _options.array("y0", y0).reshape(-1).tolist()
        if _options.yes_or_no("project", project):
            given = {_words.about(item): item for item in (*_words.starts(initial), *self._guesses(state))}
            state, initial = None, list(given.values())
        names: Sequence[str] = self.events
        added: Sequence[str] = ()
        if events is not None:
            names, added = statements(events, self.events, self.text)
            names = [*names, *(stop for stop in self._engine.stops if stop not in names)]
        system = self._with(set, initial, added)
        begin, until = _options.span(t_span)
        if inputs:
            system = self._signalled(system, inputs, interpolate, begin, until, every, method, state)
        wish = {
            "begin": begin,
            "until": until,
            "state": state,
            "every": _options.number("every", every),
            "times": _options.times(t_eval, every, begin, until),
            "step": _options.number("step", step),
            "method": _options.method(method),
            "rtol": _options.tolerance("rtol", rtol),
            "atol": _options.tolerance("atol", atol),
            "max_steps": _options.count("max_steps", max_steps),
            "baumgarte": _options.pair("baumgarte", baumgarte),
            "plant": _options.plant(plant),
            "hold": _options.number("hold", hold),
            "balance": None if balance is None else _options.yes_or_no("balance", balance),
            "form": _options.word("form", form),
            "multipliers": _options.plant(multipliers, "multipliers"),
            "interpret": _options.yes_or_no("interpret", interpret),
            "fold": _options.yes_or_no("fold", fold),
            "action": _options.yes_or_no("action", action),
            "time_limit": _options.tolerance("time_limit", time_limit),
            "sensitivity": [str(name) for name in ([sensitivity] if isinstance(sensitivity, str) else sensitivity)],
        }
        columns, document, found, raised = _engine.simulate(system._engine, wish)
        motion = Motion(system, columns, document, found, names, wish)
        if isinstance(raised, KeyboardInterrupt):
            raise Interrupted(motion.message, motion=motion) from raised
        if raised is not None:
            raise raised
        return motion

    @staticmethod
    def _signalled(
        system: System,
        inputs: Mapping[str, Any],
        interpolate: str,
        begin: float,
        until: Optional[float],
        every: Optional[float],
        method: Optional[str],
        state: Optional[Sequence[float]],
    ) -> System:
        """The system with signals for its inputs; functions are sampled along its motion."""
        functions = {name: value for name, value in inputs.items() if callable(value)}
        plain = {name: value for name, value in inputs.items() if name not in functions}
        system = system._given(signals(plain, interpolate)) if plain else system
        if not functions:
            return system
        unknown = [name for name in functions if name not in system.signals]
        if unknown:
            raise RequestError(f"the model has no input `{unknown[0]}`")
        if every is None or until is None or begin != 0.0:
            raise RequestError("a function as an input is computed `every` so often from t = 0 to the end time: give both")
        times = np.arange(0.0, until + 0.5 * every, every)
        held = sampled(system, functions, times, method, state)
        return system._given(signals(held, "step"))

    def stepper(self, dt: float, *, method: str = "rk4", substeps: int = 1) -> Stepper:
        """Steps of length ``dt`` under inputs that are held, for a loop of your own; see :class:`Stepper`."""
        return Stepper(self, dt, method, substeps)

    def _guesses(self, state: Optional[Sequence[float]]) -> list[str]:
        """A state that need not keep the constraints, as starting values that they may change."""
        if state is None or len(state) != len(self.states):
            names = ", ".join(self.states)
            raise RequestError(
                f"project=True takes a whole state as y0: {len(self.states)} numbers, for {names}"
            )
        return [f"{name} ~ {_words.number(value)}" for name, value in zip(self.states, state)]

    def evaluate(
        self, at: Values = None, *, set: Optional[Mapping[Any, Expression]] = None, initial: Values = None
    ) -> Evaluation:
        """Everything at one state, ``{"x": 1, "t": 0}``; what is not named is as at the start. Nothing is projected."""
        return Evaluation(self._with(set, initial)._engine.evaluate(_words.state(at)))

    def acceleration_function(self, *, errors: str = "raise") -> AccelerationFunction:
        """Accelerations as a function ``f(t, y)`` over arrays of states; ``f.rhs`` is for integrators."""
        return AccelerationFunction(self, errors)

    @cached_property
    def _accelerations(self) -> AccelerationFunction:
        return self.acceleration_function()

    def acceleration(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Any:
        """Accelerations at states of shape (n,) or (n, k); see :class:`AccelerationFunction`."""
        return self._accelerations(t, y)

    def control(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Record:
        """What the controller does at states of shape (n,) or (n, k): ``inputs`` by name and the generalised ``force``.

        Along a motion it is ``system.control(motion.t, motion.y)``. With ``plant`` or ``hold`` the force that acted is the output
        ``control(x)`` of the model.
        """
        if not self.inputs:
            raise RequestError(
                "the model requires nothing: add `require NAME: E1 = E2`, and perhaps `actuate x`"
            )
        found = self._accelerations.forces(t, y)
        return Record({"inputs": found["inputs"], "force": found["control"], "speeds": list(self.speeds)})

    def derive(self, form: str = "lagrange") -> Equations:
        """Equations of motion: ``kernel``, ``lagrange``, ``explicit``, ``poincare``, ``hamilton``, ``suslov``, ``energies``, ..."""
        return Equations(self._engine, _options.word("form", form))

    def brackets(self, f: Expression, g: Expression, *, format: str = "text") -> Record:
        """Poisson bracket {f, g} with {x, p_x} = 1: ``bracket``, ``evolution`` (the rate of f), ``multipliers`` by row.

        Functions are text over coordinates, momenta ``p_x`` (``p_u`` of a speed u), speeds, rates, ``t``, parameters and ``H``.
        Answers are text in a format: ``text``, ``latex`` or ``python`` (for SymPy).
        """
        return Record(self._engine.brackets(_words.expression(f), _words.expression(g), _options.word("format", format)))

    def analyze(self, *, set: Optional[Mapping[Any, Expression]] = None) -> Analysis:
        """What kind the constraints are, what they keep, what the motion conserves."""
        return Analysis(self._with(set, None)._engine.analyze())

    def verify(
        self, *, set: Optional[Mapping[Any, Expression]] = None, initial: Values = None
    ) -> Verification:
        """Every formalism that applies, compared; true if all agree."""
        return Verification(self._with(set, initial)._engine.verify())

    def equilibrium(
        self,
        at: Values = None,
        *,
        starts: int = 100,
        within: Optional[Mapping[str, tuple[float, float]]] = None,
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
    ) -> Equilibria:
        """Positions of rest and steady motions, their forces and stability. ``at`` holds values, ``within`` bounds the search."""
        starts = _options.positive("starts", starts)
        bounds = []
        for key, ends in _words.mapping("within", within).items():
            low, high = _options.pair("within", ends) or (math.nan, math.nan)
            bounds.append(f"{_words.name(key)}={_words.number(low)}..{_words.number(high)}")
        system = self._with(set, initial)._engine
        return Equilibria(system.equilibrium(_words.state(at), starts, bounds))

    def linearize(
        self,
        at: Values = None,
        *,
        settle: bool = False,
        independent: Iterable[object] = (),
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
    ) -> Linearization:
        """The linear system about a state on the constraints; ``settle`` goes to the nearest equilibrium first."""
        engine = self._with(set, initial)._engine
        return Linearization(
            engine.linearize(_words.state(at), _options.yes_or_no("settle", settle), _words.join(independent))
        )

    def derivatives(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Record:
        """Exact derivatives of rates and multipliers by state, inputs and parameters, over arrays of states."""
        return self._accelerations.derivatives(t, y)

    def fit(
        self,
        data: Mapping[str, npt.ArrayLike],
        free: Union[Mapping[str, Optional[float]], Iterable[str]],
        *,
        rtol: Optional[float] = None,
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
    ) -> Record:
        """Parameters and starting values from measured columns, by least squares on exact sensitivities.

        ``data`` has an array of times under ``t`` and arrays named like coordinates, speeds or outputs, in SI units; NaN is a
        value that is missing. ``free`` names what is fitted, with values to begin with if it is a mapping.
        """
        columns = {str(name): _options.array(str(name), values).reshape(-1) for name, values in data.items()}
        if "t" not in columns:
            raise RequestError("the data have no times: give them under 't'")
        times = columns.pop("t")
        for name, values in columns.items():
            if values.size != times.size:
                raise RequestError(f"{values.size} values of {name} for {times.size} times")
        wanted = dict(free) if isinstance(free, Mapping) else {str(name): None for name in free}
        engine = self._with(set, initial)._engine
        return Record(
            engine.fit(
                times.tolist(),
                [(name, values.tolist()) for name, values in columns.items()],
                [(str(name), None if value is None else float(value)) for name, value in wanted.items()],
                _options.tolerance("rtol", rtol),
            )
        )

    def gradient(
        self,
        by: Iterable[object],
        *,
        final: Union[str, Iterable[str]] = (),
        squares: Optional[Mapping[str, npt.ArrayLike]] = None,
        scale: Union[float, Mapping[str, float]] = 1.0,
        t_span: Span = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        way: Optional[str] = None,
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
    ) -> Record:
        """A number of a motion and its derivatives by many parameters and starting values, by one sweep backwards.

        The number is the sum of the columns ``final`` at the end and of the squares of ``(column - value)/scale`` at the times
        under ``t`` of ``squares``. ``way`` is ``"adjoint"`` or ``"forward"``; by default backwards where that is possible.
        """
        engine = self._with(set, initial)._engine
        return Record(_gradient.ask(engine, by, final, squares, scale, t_span, rtol, atol, way))

    def eigenvalues(
        self,
        over: str,
        low: float,
        high: float,
        count: int = 101,
        *,
        at: Values = None,
        settle: bool = False,
        independent: Iterable[object] = (),
    ) -> Eigenvalues:
        """Eigenvalues over a parameter or a starting value, each followed along its branch."""
        low, high = _options.number("low", low), _options.number("high", high)
        count = _options.positive("count", count)
        span = f"{_words.name(over)}={_words.expression(low)}..{_words.expression(high)}:{count}"
        return Eigenvalues(
            self._engine.eigenvalues(
                span, _words.state(at), _options.yes_or_no("settle", settle), _words.join(independent)
            )
        )

    def sweep(
        self,
        vary: Optional[Mapping[str, Any]] = None,
        sample: Optional[Mapping[str, Any]] = None,
        *,
        runs: int = 1,
        seed: int = 0,
        t_span: Span = None,
        every: Optional[float] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        method: Optional[str] = None,
        step: Optional[float] = None,
        max_steps: Optional[int] = None,
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
        keep: Union[str, Sequence[str], None] = None,
        threads: Optional[int] = None,
        executor: Any = None,
        client: Any = None,
        retries: int = 3,
        progress: Optional[Callable[[int, int], object]] = None,
    ) -> Sweep:
        """Many runs: over every combination of ``vary`` (``{"m": [1, 2, 5]}``, or ``"0.5..2:50"``), and drawn from ``sample``
        (``{"x'": "normal(0, 0.1)"}``) ``runs`` times each.

        Runs go on all cores, to any ``concurrent.futures`` ``executor`` (a process pool, MPI, ...), or to the workers of a
        Dask ``client``; the numbers are the same. ``every`` keeps whole motions. ``keep`` (``"max(x), rms(v)"``) gives
        figures over the rows of each run, ``every`` apart, in place of its end.
        ``progress(done, total)`` is told how many runs are made. Ctrl-C raises :class:`Interrupted` with the ``sweep`` so far.
        """
        from ._sweep import sweep

        system = self._with(set, initial)
        begin, until = _options.span(t_span)
        if begin != 0.0:
            raise RequestError("runs of a sweep start at t = 0")
        wish = {
            "runs": _options.positive("runs", runs),
            "seed": _options.count("seed", seed),
            "until": until,
            "every": _options.number("every", every),
            "keep": keep if keep is None or isinstance(keep, str) else ", ".join(keep),
            "method": _options.method(method),
            "rtol": _options.tolerance("rtol", rtol),
            "atol": _options.tolerance("atol", atol),
            "step": _options.number("step", step),
            "max_steps": _options.count("max_steps", max_steps),
        }
        return sweep(system, vary, sample, wish, threads, executor, client, retries, progress)


def _first(names: Sequence[str]) -> list[str]:
    """A few of the names, for a line."""
    return [*names[:6], *(["..."] if len(names) > 6 else [])]
