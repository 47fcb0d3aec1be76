"""What a system does in time: motions, steps, sweeps, and what is written about them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy.typing as npt

from . import _engine, _options, _words
from ._connect import Connection, connect
from ._description import Description, Own
from ._errors import Interrupted, RequestError
from ._events import statements
from ._motion import Motion
from ._options import Span
from ._pages import Animation, Code, Page, export, report
from ._progress import Progress, shown
from ._signals import followed, signals
from ._stepper import Stepper
from ._words import Expression, Values

if TYPE_CHECKING:
    from ._sweep import Sweep


class Runs(Description):
    """The part of :class:`System` that moves it."""

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
        inputs: Optional[Mapping[str, Any]] = None,
        interpolate: str = "linear",
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
        progress: Union[bool, Callable[[float, Optional[float]], object]] = False,
        dense_output: bool = False,
        **solve_ivp: Any,
    ) -> Motion:
        """The motion. What is left out comes from the model's ``simulate`` statement, then from defaults.

        A run that fails gives the motion until then, with ``success`` False, and so does one that takes longer than
        ``time_limit`` seconds. Ctrl-C raises :class:`Interrupted`, whose ``motion`` holds what was computed.

        Parameters
        ----------
        t_span : (float, float) or float, optional
            ``(t0, t1)``, or the end time.
        t_eval : array, optional
            Times of the rows. Otherwise rows are ``every`` apart, or there are 501.
        y0 : array or mapping, optional
            A state that satisfies the constraints, coordinates then speeds, or some values by name; otherwise the model's
            initial conditions.
        project : bool
            Takes ``y0`` as a guess, and starts on the constraints nearest to it.
        every : float, optional
            Spacing of the rows.
        rtol, atol : float, optional
            Relative and absolute tolerance of a step.
        method : str, optional
            ``dop853``, ``tsit5``, ``radau``, ``rk4``, ...; upper case is welcome.
        events : str, Event, SymPy expression or a list of them, optional
            Names of the model's events, text as in the model (``"y falling stop"``) or :class:`Event`. ``t_events`` lists them
            in this order, then events of the model that stop the run.
        step : float, optional
            A fixed length of steps, for the methods that have one.
        max_steps : int, optional
            Most steps that are taken.
        set, initial : mapping, optional
            Other parameters and initial values, for this run.
        inputs : mapping, optional
            Signals for the inputs of the model: a number, an expression as in the model, samples ``(times, values)`` or an array
            of shape (k, 2), or a function ``f(t, y)``, which is computed every ``hold`` (or else ``every``) seconds and held.
        interpolate : {"linear", "step", "cubic"}
            What is between samples. Jumps and kinks end steps.
        plant : mapping, optional
            Parameters of the simulated system that its controller does not know of.
        hold : float, optional
            The period of sampled control.
        form : {"explicit", "hamilton", "suslov", "hamilton-jacobi"}
            Equations that are integrated; the others add columns of momenta ``p_x`` and Suslov's multipliers ``M_NAME``.
        multipliers : mapping, optional
            Suslov's multipliers at the start, ``{"M_rod": 0.3}``.
        baumgarte : (float, float), optional
            Stabilisation in the place of projection.
        balance, action : bool, optional
            Whether the energy balance and the action are integrated.
        interpret, fold : bool
            Without native code (slow; for cross-checking); with parameters as constants of the code.
        sensitivity : iterable of names
            Parameters (``"m"``) and initial values (``"theta(0)"``) by which every column is differentiated.
        time_limit : float, optional
            Seconds after which the run is ended.
        progress : bool or function
            True shows the time reached; a function is called with the time reached and the end time.
        dense_output : bool
            As for ``solve_ivp``. ``sol`` is there anyway.
        **solve_ivp
            Other words of ``solve_ivp`` are answered with what to use.
        """
        _options.solve_ivp(solve_ivp)
        _options.yes_or_no("dense_output", dense_output)
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
        every, period = _options.number("every", every), _options.number("hold", hold)
        functions = {key: value for key, value in _words.mapping("inputs", inputs).items() if callable(value)}
        plain = {key: value for key, value in _words.mapping("inputs", inputs).items() if key not in functions}
        system = system._given(signals(plain, interpolate)) if plain else system
        sampling = every if period is None else period
        # Functions are held already; only requirements are sampled by the engine.
        period = period if system.inputs or not functions else None
        wish = {
            "begin": begin,
            "until": until,
            "state": state,
            "every": every,
            "times": _options.times(t_eval, every, begin, until),
            "step": _options.number("step", step),
            "method": _options.method(method),
            "rtol": _options.tolerance("rtol", rtol),
            "atol": _options.tolerance("atol", atol),
            "max_steps": _options.count("max_steps", max_steps),
            "baumgarte": _options.pair("baumgarte", baumgarte),
            "plant": _options.plant(plant),
            "hold": period,
            "balance": None if balance is None else _options.yes_or_no("balance", balance),
            "form": _options.word("form", form),
            "multipliers": _options.plant(multipliers, "multipliers"),
            "interpret": _options.yes_or_no("interpret", interpret),
            "fold": _options.yes_or_no("fold", fold),
            "action": _options.yes_or_no("action", action),
            "time_limit": _options.tolerance("time_limit", time_limit),
            "sensitivity": [str(name) for name in ([sensitivity] if isinstance(sensitivity, str) else sensitivity)],
        }
        if functions:
            system = _steered(system, functions, sampling, wish)
        with shown(progress, until) as told:
            columns, document, found, raised = _engine.simulate(system._engine, wish, told)
        motion = Motion(system, columns, document, found, names, wish)
        if isinstance(raised, KeyboardInterrupt):
            raise Interrupted(motion.message, motion=motion) from raised
        if raised is not None:
            raise raised
        return motion

    def _guesses(self, state: Optional[Sequence[float]]) -> list[str]:
        """A state that need not satisfy the constraints, as initial values that they may change."""
        if state is None or len(state) != len(self.states):
            names = ", ".join(self.states)
            raise RequestError(
                f"project=True takes a whole state as y0: {len(self.states)} numbers, for {names}"
            )
        return [f"{name} ~ {_words.number(value)}" for name, value in zip(self.states, state)]

    def stepper(self, dt: float, *, method: str = "rk4", substeps: int = 1) -> Stepper:
        """Steps of length ``dt`` under inputs that are held, for a loop of your own; see :class:`Stepper`.

        Parameters
        ----------
        dt : float
            Length of a step in seconds.
        method : {"rk4", "tsit5", "dop853"}
        substeps : int
            Steps of the method in one step.
        """
        return Stepper(self, dt, method, substeps)

    def connect(
        self,
        to: Values,
        t: Optional[float] = None,
        *,
        energy: Optional[float] = None,
        via: Sequence[Values] = (),
        every: Optional[float] = None,
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
    ) -> Connection:
        """The motion from the model's initial position to another position, by Hamilton's principle.

        Parameters
        ----------
        to : mapping or str
            The position at the end, ``{"x": 10}``; coordinates left out are as at the start, as far as constraints let them.
        t : float, optional
            The time at the end; otherwise from the model.
        energy : float, optional
            The energy, in the place of the time: the principle of least action.
        via : sequence of mappings or str
            Positions that a first path passes, to choose among several motions.
        every : float, optional
            Spacing of the rows of the motion.
        set, initial : mapping, optional
            Other parameters and initial values, for this question.
        """
        return connect(self._with(set, initial), to, t, energy, via, every)

    def animate(self, t_span: Span = None, path: Union[None, str, os.PathLike[str]] = None, **options: Any) -> Animation:
        """The motion as a page that plays it, with its forces; a notebook shows it.

        Parameters
        ----------
        t_span : (float, float) or float, optional
            ``(t0, t1)``, or the end time; otherwise from the model.
        path : str or path, optional
            A file that the page is written to.
        **options
            As for :meth:`simulate`.
        """
        return self.simulate(t_span, **options).animate(path)

    def report(
        self,
        path: Union[None, str, os.PathLike[str]] = None,
        *,
        t_span: Span = None,
        forms: Sequence[str] = (),
        motion: bool = True,
        animate: bool = False,
        verify: bool = False,
        every: Optional[float] = None,
        rtol: Optional[float] = None,
        atol: Optional[float] = None,
        method: Optional[str] = None,
    ) -> Page:
        """Everything about the model on one page: equations, motion, forces, energy, what is conserved. A notebook shows it.

        Parameters
        ----------
        path : str or path, optional
            A file that the page is written to.
        t_span : float, optional
            The end time; otherwise from the model.
        forms : sequence of str
            Forms of the equations, as for :meth:`derive`; otherwise the usual ones.
        motion, animate, verify : bool
            Whether the page has the motion, plays it, and compares every formalism.
        every, rtol, atol, method
            As for :meth:`simulate`.
        """
        begin, until = _options.span(t_span)
        if begin != 0.0:
            raise RequestError("the motion of a report starts at t = 0")
        page = {
            "forms": [_options.word("forms", form) for form in ([forms] if isinstance(forms, str) else forms)],
            "motion": _options.yes_or_no("motion", motion),
            "player": _options.yes_or_no("animate", animate),
            "verify": _options.yes_or_no("verify", verify),
        }
        wish = {
            "until": until,
            "every": _options.number("every", every),
            "rtol": _options.tolerance("rtol", rtol),
            "atol": _options.tolerance("atol", atol),
            "method": _options.method(method),
        }
        return report(self, path, page, wish)

    def export(
        self,
        target: str = "c",
        path: Union[None, str, os.PathLike[str]] = None,
        *,
        name: Optional[str] = None,
        step: bool = False,
        jacobian: bool = False,
        fmi: int = 3,
    ) -> Code:
        """The equations of motion as source code that needs no library, or as an FMU.

        Parameters
        ----------
        target : {"c", "rust", "python", "fmu"}
        path : str or path, optional
            A file to write. A C file has its header beside it; an FMU needs a path.
        name : str, optional
            The beginning of public names; otherwise from the title or the file.
        step, jacobian : bool
            In C also a step in time; derivatives of the motion.
        fmi : {3, 2}
            The version of an FMU.
        """
        return export(self, target, path, name, step, jacobian, fmi)

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
        progress: Progress = False,
    ) -> Sweep:
        """Many runs: over every combination of ``vary``, and drawn from ``sample`` ``runs`` times each.

        Runs go on all cores, to an ``executor``, or to the workers of a Dask ``client``; the numbers are the same.
        Ctrl-C raises :class:`Interrupted` with the ``sweep`` so far.

        Parameters
        ----------
        vary : mapping, optional
            Parameters and initial values with lists, arrays or ranges: ``{"m": [1, 2, 5], "theta": "0.5..2:50"}``.
        sample : mapping, optional
            Distributions: ``{"x'": "normal(0, 0.1)"}``, ``uniform(low, high)``, ``loguniform(low, high)``.
        runs : int
            Draws for each combination.
        seed : int
            Random seed.
        t_span : float, optional
            The end time; otherwise from the model.
        every : float, optional
            Keeps whole motions, with rows so far apart.
        rtol, atol, method, step, max_steps
            As for :meth:`simulate`.
        set, initial : mapping, optional
            Other parameters and initial values, for all runs.
        keep : str or sequence of str, optional
            Figures over the rows of each run in place of its end: ``"max(x), rms(v)"``.
        threads : int, optional
            Threads of this machine, or of each worker.
        executor : concurrent.futures.Executor, optional
            A process pool, one over MPI, ...
        client : dask.distributed.Client, optional
            A Dask cluster.
        retries : int
            How often a block of runs whose worker is lost is made again.
        progress : bool or function
            True shows how many runs are done; a function is called with this number and the total.
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


def _steered(
    system: Own, functions: Mapping[str, Any], every: Optional[float], wish: dict[str, Any]
) -> Own:
    """The system with functions as inputs, which are sampled along its motion."""
    unknown = [name for name in functions if name not in system.signals]
    if unknown:
        raise RequestError(f"the model has no input `{unknown[0]}`")
    if every is None or wish["until"] is None or wish["begin"] != 0.0:
        raise RequestError(
            "a function as an input is computed every `hold` or `every` seconds from t = 0 to the end time: give both"
        )
    return followed(system, functions, every, wish)
