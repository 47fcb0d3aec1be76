"""What can be asked of a system at a state, in symbols, and about its small motions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Union

import numpy.typing as npt

from . import _gradient, _matrices, _options, _words
from ._description import Description
from ._equations import Equations
from ._errors import RequestError
from ._matrices import State
from ._options import Span
from ._rates import AccelerationFunction
from ._results import (
    Analysis,
    Brackets,
    Control,
    Derivatives,
    Eigenvalues,
    Equilibria,
    Evaluation,
    Fit,
    Linearization,
    Matrices,
    Record,
    Verification,
)
from ._table import Array
from ._words import Expression, Values

if TYPE_CHECKING:
    from ._bodies import Body, Frame, Point


class Questions(Description):
    """The part of :class:`System` that answers questions."""

    # At a state.

    def evaluate(
        self, at: Values = None, *, set: Optional[Mapping[Any, Expression]] = None, initial: Values = None
    ) -> Evaluation:
        """Everything at one state: accelerations, forces, multipliers, matrices, outputs. Nothing is projected.

        Parameters
        ----------
        at : mapping or str, optional
            The state, ``{"x": 1, "t": 0}``; what is not named is as at the start.
        set, initial : mapping, optional
            Other parameters and initial values, for this question.
        """
        return Evaluation(self._with(set, initial)._engine.evaluate(_words.state(at)))

    def acceleration_function(self, *, errors: str = "raise") -> AccelerationFunction:
        """Accelerations as a function ``f(t, y)`` over arrays of states; ``f.rhs`` is for integrators.

        Parameters
        ----------
        errors : {"raise", "nan"}
            What a state without an acceleration gives.
        """
        return AccelerationFunction(self, errors)

    def acceleration(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Array:
        """Accelerations at states; see :class:`AccelerationFunction`.

        Parameters
        ----------
        t : float or array of shape (k,)
        y : array of shape (n,) or (n, k)
            Coordinates, then speeds.
        """
        return self._accelerations(t, y)

    def mass_matrix(self, y: State = None, t: npt.ArrayLike = 0.0) -> Array:
        """The mass matrix M over the speeds: shape (p, p), or (p, p, k) at k states.

        Parameters
        ----------
        y : array of shape (n,) or (n, k), or mapping, optional
            Coordinates, then speeds; what a mapping leaves out, or all of it, is as at the start.
        t : float or array of shape (k,)
        """
        return _matrices.matrices(self, y, t)["mass_matrix"]

    def bias(self, y: State = None, t: npt.ArrayLike = 0.0) -> Array:
        """The bias h in ``M v' + h = J^T f``, with v the speeds: shape (p,), or (p, k) at k states.

        It has gravity, velocity-dependent inertia terms and every force of the model at its value, inputs included;
        constraint and control forces are on the right side. In a model of bodies under gravity alone it is what robotics
        calls the nonlinear effects.

        Parameters
        ----------
        y : array of shape (n,) or (n, k), or mapping, optional
            Coordinates, then speeds; what a mapping leaves out, or all of it, is as at the start.
        t : float or array of shape (k,)
        """
        return -_matrices.matrices(self, y, t)["force"]

    def matrices(self, y: State = None, t: npt.ArrayLike = 0.0) -> Matrices:
        """``mass_matrix``, ``bias``, ``constraint_matrix`` and ``constraint_rhs``: M v' + h = A^T lambda + ..., A v' = b.

        Parameters
        ----------
        y : array of shape (n,) or (n, k), or mapping, optional
            Coordinates, then speeds; what a mapping leaves out, or all of it, is as at the start.
        t : float or array of shape (k,)
        """
        found = _matrices.matrices(self, y, t)
        found["bias"] = -found.pop("force")
        return Matrices(found)

    def jacobian(
        self, point: Union[str, Point, Body, Frame], y: State = None, t: npt.ArrayLike = 0.0
    ) -> Array:
        """The Jacobian J of a point: its velocity is J v, with v the speeds, and what time itself changes.

        Shape (d, p) for d components, or (d, p, k) at k states. ``J.T @ f`` is the generalised force of a force f at the point.

        Parameters
        ----------
        point : str, Point, Body or Frame
            A point as in the model: ``"[0, -l] of lower"``, ``"P"`` of a ``let``, ``lower.point(0, "-l")``; a body is its origin.
        y : array of shape (n,) or (n, k), or mapping, optional
            Coordinates, then speeds; what a mapping leaves out, or all of it, is as at the start.
        t : float or array of shape (k,)
        """
        return _matrices.jacobian(self, f"({_words.expression(point)})'", y, t)

    def angular_jacobian(self, body: Union[str, Body, Frame], y: State = None, t: npt.ArrayLike = 0.0) -> Array:
        """The Jacobian of the angular velocity of a body in space axes: shape (3, p), (1, p) in the plane, or with k states.

        Parameters
        ----------
        body : str, Body or Frame
            Its name, or the object that a builder gave.
        y : array of shape (n,) or (n, k), or mapping, optional
            Coordinates, then speeds; what a mapping leaves out, or all of it, is as at the start.
        t : float or array of shape (k,)
        """
        name = body if isinstance(body, str) else body.name
        return _matrices.jacobian(self, f"{_words.name(name)}.omega", y, t)

    def derivatives(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Derivatives:
        """Exact derivatives of rates and multipliers by state, inputs and parameters; see :class:`AccelerationFunction`.

        Parameters
        ----------
        t : float or array of shape (k,)
        y : array of shape (n,) or (n, k)
            Coordinates, then speeds.
        """
        return self._accelerations.derivatives(t, y)

    def control(self, t: npt.ArrayLike, y: npt.ArrayLike) -> Control:
        """What the controller does at states: ``inputs`` by name and the generalised ``force``.

        Along a motion it is ``system.control(motion.t, motion.y)``. With ``plant`` or ``hold`` the force that acted is the output
        ``control(x)`` of the model.

        Parameters
        ----------
        t : float or array of shape (k,)
        y : array of shape (n,) or (n, k)
            Coordinates, then speeds.
        """
        if not self.inputs:
            raise RequestError(
                "the model requires nothing: add `require NAME: E1 = E2`, and perhaps `actuate x`"
            )
        found = self._accelerations.forces(t, y)
        return Control({"inputs": found["inputs"], "force": found["control"], "speeds": list(self.speeds)})

    # In symbols.

    def derive(self, form: str = "lagrange") -> Equations:
        """Equations of motion.

        Parameters
        ----------
        form : str
            ``kernel``, ``lagrange``, ``explicit``, ``poincare``, ``hamilton``, ``suslov``, ``energies``, ... as ``dalembert derive``.
        """
        return Equations(self._engine, _options.word("form", form), self._symbols)

    def brackets(self, f: Expression, g: Expression, *, format: str = "text") -> Brackets:
        """Poisson bracket {f, g} with {x, p_x} = 1: ``bracket``, ``evolution`` (the rate of f), ``multipliers`` by row.

        Parameters
        ----------
        f, g : str or SymPy expression
            Over coordinates, momenta ``p_x`` (``p_u`` of a speed u), speeds, rates, ``t``, parameters and ``H``.
        format : {"text", "latex", "python"}
            How answers are written; ``python`` is for SymPy.
        """
        word = _options.word("format", format)
        return Brackets(self._engine.brackets(_words.expression(f), _words.expression(g), word))

    def analyze(self, *, set: Optional[Mapping[Any, Expression]] = None) -> Analysis:
        """What kind the constraints are, what they keep, what the motion conserves.

        Parameters
        ----------
        set : mapping, optional
            Other parameters, for this question.
        """
        return Analysis(self._with(set, None)._engine.analyze())

    def verify(
        self, *, set: Optional[Mapping[Any, Expression]] = None, initial: Values = None
    ) -> Verification:
        """Every formalism that applies, compared; true if all agree.

        Parameters
        ----------
        set, initial : mapping, optional
            Other parameters and initial values, for this question.
        """
        return Verification(self._with(set, initial)._engine.verify())

    # Rest and small motions.

    def equilibrium(
        self,
        at: Values = None,
        *,
        starts: int = 100,
        within: Optional[Mapping[str, tuple[float, float]]] = None,
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
    ) -> Equilibria:
        """Positions of rest and steady motions, with their forces and stability.

        Parameters
        ----------
        at : mapping or str, optional
            Values that are held.
        starts : int
            Points that the search begins at.
        within : mapping of pairs, optional
            Bounds of the search, ``{"theta": (-1, 1)}``.
        set, initial : mapping, optional
            Other parameters and initial values, for this question.
        """
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
        """The linear system about a state on the constraints: A, B, C, D, eigenvalues, modes, stability.

        Parameters
        ----------
        at : mapping or str, optional
            The state; what is not named is as at the start.
        settle : bool
            Goes to the nearest equilibrium first.
        independent : iterable of names
            Coordinates and speeds that the linear system is written in; otherwise they are chosen.
        set, initial : mapping, optional
            Other parameters and initial values, for this question.
        """
        engine = self._with(set, initial)._engine
        return Linearization(
            engine.linearize(_words.state(at), _options.yes_or_no("settle", settle), _words.join(independent))
        )

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
        """Eigenvalues over a parameter or an initial value, each followed along its branch.

        Parameters
        ----------
        over : str
            The parameter or initial value.
        low, high : float
            Its range, in the units of the model.
        count : int
            Points of the range.
        at, settle, independent
            As for :meth:`linearize`.
        """
        low, high = _options.number("low", low), _options.number("high", high)
        count = _options.positive("count", count)
        span = f"{_words.name(over)}={_words.expression(low)}..{_words.expression(high)}:{count}"
        return Eigenvalues(
            self._engine.eigenvalues(
                span, _words.state(at), _options.yes_or_no("settle", settle), _words.join(independent)
            )
        )

    # Measurements.

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

        Parameters
        ----------
        by : iterable of str
            Parameters, and starting values as ``theta(0)``.
        final : str or iterable of str
            Columns whose values at the end are added up.
        squares : mapping
            Times under ``t`` and values of columns: the squares of ``(column - value)/scale`` are added up.
        scale : float or mapping
            The scale of each column.
        way : {"adjoint", "forward"}
            By default backwards where that is possible.
        t_span, rtol, atol, set, initial
            As for :meth:`simulate`.
        """
        engine = self._with(set, initial)._engine
        return Record(_gradient.ask(engine, by, final, squares, scale, t_span, rtol, atol, way))

    def fit(
        self,
        data: Mapping[str, npt.ArrayLike],
        free: Union[Mapping[str, Optional[float]], Iterable[str]],
        *,
        rtol: Optional[float] = None,
        set: Optional[Mapping[Any, Expression]] = None,
        initial: Values = None,
    ) -> Fit:
        """Parameters and initial values from measured columns, by least squares on exact sensitivities.

        Parameters
        ----------
        data : mapping of arrays
            Times under ``t``, and columns named like coordinates, speeds or outputs, in SI units; NaN is a missing value. A
            DataFrame and a :class:`Motion` are such mappings.
        free : mapping or iterable of names
            Parameters (``"m"``) and initial values (``"theta(0)"``) that are fitted; a mapping has values to begin with.
        rtol : float, optional
            Relative tolerance of the motions.
        set, initial : mapping, optional
            Other parameters and initial values, for this question.
        """
        columns = {str(name): _options.array(str(name), data[name]).reshape(-1) for name in data}
        if "t" not in columns:
            raise RequestError("the data have no times: give them under 't'")
        times = columns.pop("t")
        for name, values in columns.items():
            if values.size != times.size:
                raise RequestError(f"{values.size} values of {name} for {times.size} times")
        wanted = dict(free) if isinstance(free, Mapping) else {str(name): None for name in free}
        engine = self._with(set, initial)._engine
        return Fit(
            engine.fit(
                times.tolist(),
                [(name, values.tolist()) for name, values in columns.items()],
                [(str(name), None if value is None else float(value)) for name, value in wanted.items()],
                _options.tolerance("rtol", rtol),
            )
        )
