"""Answers as light objects: mappings whose keys are attributes too, with matrices as arrays."""

from __future__ import annotations

import html
from typing import Any, Iterable, Iterator, Mapping, Optional

import numpy as np
import numpy.typing as npt

from ._errors import Diagnostic
from ._words import need

Array = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]

#: Keys whose lists are arrays.
ARRAYS = {
    "mass", "impressed", "constraint_matrix", "constraint_rhs", "acceleration", "unconstrained_acceleration", "ideal",
    "nonideal", "control", "state_matrix", "damping", "stiffness", "rates", "input_matrix", "output_matrix", "feedthrough",
    "correlation",
}  # fmt: skip


class Record(Mapping[str, Any]):
    """An answer of the engine. ``answer["rank"]`` and ``answer.rank`` are the same.

    Parameters
    ----------
    entries : mapping
        The answer by key.
    """

    #: Remarks of the engine, where there are any.
    diagnostics: list[Diagnostic]

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = {key: self._made(key, value) for key, value in entries.items()}

    def _made(self, key: str, value: Any) -> Any:
        if key in ARRAYS and isinstance(value, list):
            return np.array(value, dtype=float)
        if key in ARRAYS and isinstance(value, Mapping):
            return _dense(value)
        if key == "diagnostics":
            return [Diagnostic.of(entry) for entry in value]
        return value

    def __getitem__(self, key: str) -> Any:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getattr__(self, key: str) -> Any:
        if not key.startswith("_") and key in self._entries:
            return self._entries[key]
        known = ", ".join(self.__dict__.get("_entries", ()))
        raise AttributeError(f"{type(self).__name__} has no {key!r}; it has {known}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(key for key in self._entries if key.isidentifier())})

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._entries)

    def _repr_html_(self) -> str:
        rows = [[key, _short(value)] for key, value in self._entries.items() if not _empty(value)]
        return _html_table([type(self).__name__, ""], rows)

    def __repr__(self) -> str:
        said = {key: value for key, value in self._entries.items() if not _empty(value)}
        lines = [f"  {key}: {_short(value)}" for key, value in said.items()]
        return "\n".join([type(self).__name__, *lines])


class Parameters(Mapping[str, float]):
    """Values of parameters in the units of the model. They are read, not set: ``with_parameters`` gives another system.

    Parameters
    ----------
    entries : iterable of (name, value, unit)
    """

    def __init__(self, entries: Iterable[tuple[str, float, Optional[str]]]) -> None:
        entries = list(entries)
        self._values = {name: value for name, value, _ in entries}
        #: Units by name, where the model gives them.
        self.units = {name: unit for name, _, unit in entries if unit is not None}

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, name: str, value: object) -> None:
        raise TypeError(f"a system is never changed: system.with_parameters({name}={value}) gives another one")

    def __delitem__(self, name: str) -> None:
        raise TypeError("a system is never changed, and its parameters are part of it")

    def __repr__(self) -> str:
        shown = (f"{name} = {value:.6g} {self.units.get(name, '')}".rstrip() for name, value in self.items())
        return "Parameters(" + ", ".join(shown) + ")"

    def _repr_html_(self) -> str:
        return _html_table(
            ["parameter", "value", "unit"],
            [[name, f"{value:.6g}", self.units.get(name, "")] for name, value in self.items()],
        )


def _html_table(head: list[str], rows: list[list[str]]) -> str:
    """A table for notebooks."""
    cells = "".join(f"<th>{html.escape(text)}</th>" for text in head)
    body = "".join("<tr>" + "".join(f"<td>{_cell(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    return html.escape(text) if "\n" not in text else f"<pre>{html.escape(text)}</pre>"


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, (list, dict)) and not value)


def _dense(entries: Mapping[str, Any]) -> Any:
    """A large matrix that came by its entries."""
    matrix = np.zeros((entries["rows"], entries["columns"]))
    for row, column, value in entries["entries"]:
        matrix[row, column] = value
    return matrix


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=6, prefix="  ", threshold=50).replace("\n", "\n  ")
    if isinstance(value, list) and value and isinstance(value[0], Record):
        return f"{len(value)} of {type(value[0]).__name__}"
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."


class Check(Record):
    """What a model is: names, kinds of constraints, rank, degrees of freedom, initial conditions."""

    rank: Optional[int]
    degrees_of_freedom: Optional[int]
    constraints: list[dict[str, Any]]
    initial: dict[str, float]
    units: dict[str, str]


class Evaluation(Record):
    """Everything at one state: accelerations, forces, multipliers, matrices, outputs."""

    state: dict[str, float]
    speeds: list[str]
    acceleration: Array
    unconstrained_acceleration: Array
    mass: Array
    impressed: Array
    ideal: Array
    nonideal: Array
    constraint_matrix: Array
    constraint_rhs: Array
    multipliers: dict[str, float]
    outputs: dict[str, float]
    energy: Optional[float]
    rank: int

    def __init__(self, entries: Mapping[str, Any]) -> None:
        super().__init__(entries)
        # Without rows it has columns all the same.
        rows = self._entries["constraint_matrix"]
        self._entries["constraint_matrix"] = rows.reshape(-1, len(self["speeds"]))


class Matrices(Record):
    """Matrices of the equations of motion at one state, or at k of them along the last axis."""

    mass_matrix: Array
    bias: Array
    constraint_matrix: Array
    constraint_rhs: Array


class Forces(Record):
    """Accelerations and forces at states. Forces have the order of the speeds, multipliers and inputs are by name."""

    acceleration: Array
    ideal: Array
    nonideal: Array
    control: Array
    multipliers: dict[str, Any]
    inputs: dict[str, Any]


class Derivatives(Record):
    """Exact derivatives of rates and multipliers; axes are the value, what it is differentiated by, and the state."""

    rates: Array
    multipliers: Array
    rates_by_state: Array
    rates_by_input: Array
    rates_by_parameter: Array
    multipliers_by_state: Array
    multipliers_by_input: Array
    multipliers_by_parameter: Array
    states: list[str]
    inputs: list[str]
    parameters: list[str]


class Control(Record):
    """What the controller does: ``inputs`` by name, and the generalised ``force`` over the ``speeds``."""

    inputs: dict[str, Any]
    force: Array
    speeds: list[str]


class Brackets(Record):
    """A Poisson bracket, written out."""

    bracket: str
    evolution: str
    multipliers: dict[str, str]
    hamiltonian: str


class Fit(Record):
    """Parameters that fit measurements: ``parameters`` with ``value`` and standard ``error``, ``residual``, correlations."""

    parameters: dict[str, dict[str, Optional[float]]]
    residual: float
    identifiable: bool
    unidentifiable: list[dict[str, float]]
    correlation: Array
    iterations: int

    def _repr_html_(self) -> str:
        rows = [[name, _number(e["value"]), _number(e["error"])] for name, e in self["parameters"].items()]
        return _html_table(["parameter", "value", "standard error"], rows)


class Energy(Record):
    """Energy at the start, its change, and its largest deviation from the start."""

    start: float
    change: float
    deviation: float


class Stats(Record):
    """How a run went: steps, evaluations, residuals."""

    t: float
    method: str
    steps: int
    rejected: int
    evaluations: int
    wall_time: float


class Analysis(Record):
    """Kinds of the constraints, what they keep, what the motion conserves."""

    verdict: str
    nonholonomic: Optional[bool]
    rank: int
    degrees_of_freedom: int
    constraints: list[Record]
    conserved: list[Record]

    def _repr_html_(self) -> str:
        facts = [["constraints", str(self["verdict"])], ["degrees of freedom", str(self["degrees_of_freedom"])]]
        facts += [[f"conserved: {c['name']}", c["expression"]] for c in self["conserved"]]
        return _html_table(["analysis", ""], facts)

    def _made(self, key: str, value: Any) -> Any:
        if key in ("constraints", "conserved"):
            return [Record(entry) for entry in value]
        return super()._made(key, value)


class Verification(Record):
    """Every formalism that applies, compared."""

    passed: bool
    checks: list[Record]
    skipped: list[Record]

    def _made(self, key: str, value: Any) -> Any:
        if key in ("checks", "skipped"):
            return [Record(entry) for entry in value]
        return super()._made(key, value)

    def __bool__(self) -> bool:
        return bool(self["passed"])

    _HEAD = ["check", "worst", "tolerance", "", "compares"]

    def _rows(self) -> list[list[str]]:
        return [
            [c["name"], f"{c['worst']:.1e}", f"{c['tolerance']:.1e}", "passed" if c["passed"] else "FAILED", c["what"]]
            for c in self["checks"]
        ]

    def __repr__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self._HEAD, *self._rows())]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (self._HEAD, *self._rows())]
        return "\n".join([f"Verification: {'passed' if self else 'FAILED'}", *lines])

    def _repr_html_(self) -> str:
        return _html_table(self._HEAD, self._rows())


class Linearization(Record):
    """The linear system about a state: state matrix, eigenvalues, modes, stability."""

    state: dict[str, float]
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    units: dict[str, str]
    state_matrix: Array
    input_matrix: Array
    output_matrix: Array
    feedthrough: Array
    eigenvalues: Complex
    modes: list[Mode]
    stability: str
    mass: Array
    damping: Array
    stiffness: Array

    def _repr_html_(self) -> str:
        head = ["eigenvalue [1/s]", "frequency [Hz]", "damping ratio", "time constant [s]"]
        keys = ("frequency_hz", "damping_ratio", "time_constant")
        rows = [[_root(m["eigenvalue"]), *(_number(m.get(key)) for key in keys)] for m in self["modes"]]
        return f"<p>{html.escape(self['stability'])}: {html.escape(self['stability_reason'] or '')}</p>" + _html_table(head, rows)

    def _made(self, key: str, value: Any) -> Any:
        if key == "eigenvalues":
            return _complex(value)
        if key == "modes":
            return [Mode(entry) for entry in value]
        return super()._made(key, value)

    def to_control(self) -> Any:
        """The system as a ``StateSpace`` of the package python-control, with its names; their dots, which it refuses, are ``_``."""
        need("control", "control")
        import control

        n, k, r = len(self.states), len(self.inputs), len(self.outputs)
        matrices = [
            np.asarray(self[key], float).reshape(shape)
            for key, shape in (
                ("state_matrix", (n, n)),
                ("input_matrix", (n, k)),
                ("output_matrix", (r, n)),
                ("feedthrough", (r, k)),
            )
        ]
        names = {key: [name.replace(".", "_") for name in self[key]] for key in ("states", "inputs", "outputs")}
        return control.ss(*matrices, **names)


class Mode(Record):
    """An eigenvalue and its vector, over the states of the linear system."""

    eigenvalue: complex
    vector: Complex
    frequency_hz: float
    damping_ratio: Optional[float]
    time_constant: Optional[float]

    def _made(self, key: str, value: Any) -> Any:
        if key == "eigenvalue":
            return complex(*value)
        if key == "vector":
            return _complex(value)
        return super()._made(key, value)


class Equilibrium(Linearization):
    """A position of rest or a steady motion, with its forces and its linear system."""


class Equilibria(Record):
    """What a search for equilibria found; a sequence of :class:`Equilibrium` under ``equilibria``."""

    equilibria: list[Equilibrium]
    rest_possible: bool

    def _repr_html_(self) -> str:
        states = [", ".join(f"{name} = {value:.6g}" for name, value in e["state"].items()) for e in self["equilibria"]]
        rows = [[state, e["stability"]] for state, e in zip(states, self["equilibria"])]
        return _html_table(["equilibrium", "stability"], rows)

    def _made(self, key: str, value: Any) -> Any:
        if key == "equilibria":
            return [Equilibrium(entry) for entry in value]
        return super()._made(key, value)


class Eigenvalues(Record):
    """Eigenvalues over a range: ``points`` of length k, ``branches`` of shape (n, k).

    Parameters
    ----------
    entries : mapping
        The answer of the engine.
    """

    points: Array
    branches: Complex

    def __init__(self, entries: Mapping[str, Any]) -> None:
        points = entries["points"]
        rest = {key: value for key, value in entries.items() if key not in ("points", "files")}
        values = np.array([point["value"] for point in points], dtype=float)
        branches = np.array([_complex(point["eigenvalues"]) for point in points]).T
        super().__init__({"points": values, "branches": branches, **rest})


def _number(value: Any) -> str:
    return "" if value is None else f"{value:.6g}"


def _root(value: complex) -> str:
    return f"{value.real:.6g}" if value.imag == 0 else f"{value.real:.6g} {value.imag:+.6g}i"


def _complex(pairs: list[list[Optional[float]]]) -> Any:
    """Pairs of real and imaginary parts; what is not finite came as None."""
    parts = np.array(pairs, dtype=float).reshape(-1, 2)
    return parts[:, 0] + 1j * parts[:, 1]
