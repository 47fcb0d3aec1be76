"""Many runs, on the cores of this machine, in the workers of any executor, or on a Dask cluster.

A sweep falls into blocks, and the runs of a block depend on its number alone. So blocks may be made anywhere, in any order, and
again where a worker is lost, without changing a digit.
"""

from __future__ import annotations

import html
import os
from collections import Counter
from concurrent.futures import as_completed
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional

import numpy as np

from . import _engine, _words
from ._errors import DalembertError, Interrupted, RequestError
from ._options import positive
from ._progress import Line, Progress, teller
from ._results import _html_table
from ._table import Table

if TYPE_CHECKING:
    from ._description import Description

#: Results and motions of some blocks, and their numbers.
Made = tuple[_engine.Columns, Optional[_engine.Columns], list[int]]
Told = Optional[Callable[[int, int], object]]

#: Portions of work for each thread of a cluster: enough to share it evenly, and little is lost with a worker.
PORTIONS = 8

#: Threads at most, whatever is asked for.
MAX_THREADS = 256


class Sweep(Table):
    """Results of many runs, one row each: ``run``, what was varied and drawn, the end of the run, how it went, ``status``.

    Parameters
    ----------
    columns, motions, total
        Tables of the engine, and how many runs were asked for; :meth:`System.sweep` makes them.
    """

    def __init__(self, columns: _engine.Columns, motions: Optional[_engine.Columns], total: int) -> None:
        super().__init__(columns)
        self._parts = (columns, motions, total)
        #: How many runs were asked for.
        self.total = total
        #: Whole motions one after the other, if they were asked for; their first column is the run.
        self.motions = None if motions is None else Table(motions)

    @property
    def complete(self) -> bool:
        """Whether all runs were made."""
        return len(self) == self.total

    @property
    def counts(self) -> dict[str, int]:
        """How many runs ended how: ``done``, ``event NAME``, or the code of a failure."""
        return dict(Counter(self._columns.words or ()))

    def motion(self, run: int) -> dict[str, Any]:
        """The motion of one run, by column.

        Parameters
        ----------
        run : int
            Its number, as in the column ``run``.
        """
        if self.motions is None:
            raise RequestError("motions were not kept: give `every`, the spacing of their rows")
        if run not in self["run"]:
            raise RequestError(
                f"there is no run {run!r}: this sweep has {len(self)} runs, see its column `run`"
            )
        rows = self.motions["run"] == run
        return {name: self.motions[name][rows] for name in self.motions.columns[1:]}

    def __reduce__(self) -> tuple[Any, ...]:
        return Sweep, self._parts

    def _repr_html_(self) -> str:
        numbers = [name for name in self._names if name not in ("run", "status")]
        rows = [[name, *_spread(self[name])] for name in numbers]
        head = ["column", "mean", "standard deviation", "least", "greatest"]
        return f"<p>{html.escape(repr(self)[1:-1])}</p>" + _html_table(head, rows)

    def __repr__(self) -> str:
        ends = ", ".join(f"{count} {status}" for status, count in self.counts.items())
        return f"<Sweep of {len(self)} runs{'' if self.complete else f' of {self.total}'}: {ends or 'none made'}>"


def _spread(values: Any) -> list[str]:
    """Mean, deviation, least and greatest of the numbers that there are, with six digits."""
    known = np.asarray(values, float)
    known = known[np.isfinite(known)]
    if not known.size:
        return ["", "", "", ""]
    return [f"{value:.6g}" for value in (known.mean(), known.std(), known.min(), known.max())]


def sweep(
    system: Description,
    vary: Optional[Mapping[str, Any]],
    sample: Optional[Mapping[str, Any]],
    wish: dict[str, Any],
    threads: Optional[int],
    executor: Any,
    client: Any,
    retries: int,
    progress: Progress,
) -> Sweep:
    wish["vary"] = tuple(
        f"{_words.name(name)}={_values(values)}" for name, values in _words.mapping("vary", vary).items()
    )
    wish["sample"] = tuple(
        f"{_words.name(name)}~{_distribution(how)}" for name, how in _words.mapping("sample", sample).items()
    )
    ready = _engine.Sweep(system._engine, wish)
    told = None if progress is None or progress is False else teller(progress, "runs")
    try:
        return _swept(system, wish, ready, threads, executor, client, retries, told)
    finally:
        if isinstance(told, Line):
            told.end()


def _swept(
    system: Description,
    wish: dict[str, Any],
    ready: _engine.Sweep,
    threads: Optional[int],
    executor: Any,
    client: Any,
    retries: int,
    progress: Told,
) -> Sweep:
    if executor is not None and client is not None:
        raise RequestError("give an `executor` or a `client`, not both")
    if executor is not None or client is not None:
        spec = (system._key, tuple(sorted(wish.items())), _engine.__version__)
        if executor is not None:
            return _on_executor(ready, spec, executor, progress)
        return _on_cluster(ready, spec, client, retries, progress)
    wanted = positive("threads", threads) if threads is not None else _cores()
    count = max(1, min(wanted, ready.blocks, MAX_THREADS))
    told = [0]

    def tell(done: int) -> None:
        if progress is not None and done > told[0]:
            told[0] = done
            progress(done, ready.runs)

    columns, motions, _, raised = ready.make(range(ready.blocks), count, None if progress is None else tell)
    result = Sweep(columns, motions, ready.runs)
    if raised is None:
        tell(len(result))
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted(_kept(result), sweep=result) from raised
    if raised is not None:
        raise raised
    return result


def _on_cluster(ready: _engine.Sweep, spec: Any, client: Any, retries: int, progress: Told) -> Sweep:
    """Portions of blocks as tasks. The text of the model travels with each: data kept on one worker could be lost with it."""
    _words.need("distributed", "dask")
    import distributed

    portions = _portions(ready, sum(client.nthreads().values()))
    futures = [client.submit(make, spec, portion, pure=False, retries=retries) for portion in portions]
    arriving = (result for _, result in distributed.as_completed(futures, with_results=True))
    try:
        return _gathered(arriving, ready, progress)
    finally:
        client.cancel(futures)


def _on_executor(ready: _engine.Sweep, spec: Any, executor: Any, progress: Told) -> Sweep:
    """Portions of blocks as tasks of anything with the ``submit`` of ``concurrent.futures.Executor``."""
    if not callable(getattr(executor, "submit", None)):
        raise RequestError(f"executor: {executor!r} has no `submit`; give a concurrent.futures.Executor")
    workers = getattr(executor, "_max_workers", None)
    futures = [
        executor.submit(make, spec, portion)
        for portion in _portions(ready, workers if isinstance(workers, int) else _cores())
    ]
    try:
        return _gathered((future.result() for future in as_completed(futures)), ready, progress)
    finally:
        for future in futures:
            future.cancel()


def _portions(ready: _engine.Sweep, workers: int) -> list[tuple[int, ...]]:
    size = max(1, ready.blocks // (PORTIONS * max(1, workers)))
    return [tuple(range(k, min(k + size, ready.blocks))) for k in range(0, ready.blocks, size)]


def _gathered(arriving: Iterable[Made], ready: _engine.Sweep, progress: Told) -> Sweep:
    """All portions as they arrive; Ctrl-C keeps those that have."""
    made: list[Made] = []
    try:
        for portion in arriving:
            made.append(portion)
            if progress is not None:
                progress(sum(len(columns) for columns, _, _ in made), ready.runs)
    except KeyboardInterrupt as raised:
        result = _joined(made, ready)
        raise Interrupted(_kept(result), sweep=result) from raised
    return _joined(made, ready)


def make(spec: Any, blocks: tuple[int, ...]) -> Made:
    """Makes some blocks: the task of a worker."""
    version = spec[2]
    if version != _engine.__version__:
        raise DalembertError(
            f"this worker has dalembert {_engine.__version__}, the sweep was begun with {version}"
        )
    columns, motions, indices, raised = _prepared(spec).make(blocks, 1)
    if raised is not None:
        raise raised
    return columns, motions, indices


@lru_cache(maxsize=8)
def _prepared(spec: Any) -> _engine.Sweep:
    """Derived and compiled once in each process."""
    key, wish, _ = spec
    return _engine.Sweep(_engine.System(*key), dict(wish))


def _joined(made: list[Made], ready: _engine.Sweep) -> Sweep:
    """Portions in the order of their runs."""
    if not made:
        columns, motions, _, _ = ready.make([], 1)
        return Sweep(columns, motions, ready.runs)
    made = sorted(made, key=lambda portion: portion[2])
    return Sweep(_stacked([m[0] for m in made]), _stacked_motions(made), ready.runs)


def _stacked_motions(made: list[Made]) -> Optional[_engine.Columns]:
    tables = [motions for _, motions, _ in made if motions is not None]
    return _stacked(tables) if tables else None


def _stacked(tables: list[_engine.Columns]) -> _engine.Columns:
    words = [table.words for table in tables]
    joined = None if words[0] is None else [word for part in words for word in part or ()]
    return _engine.Columns(tables[0].names, np.hstack([table.numbers for table in tables]), joined)


def _values(values: Any) -> str:
    if isinstance(values, str):
        return values
    listed = np.atleast_1d(np.asarray(values, dtype=object)).reshape(-1).tolist()
    if not listed:
        raise RequestError("vary: give at least one value")
    return ",".join(_words.expression(value) for value in listed)


def _distribution(how: Any) -> str:
    if isinstance(how, str):
        return how
    if not isinstance(how, (tuple, list)) or len(how) < 2 or not isinstance(how[0], str):
        raise RequestError(
            f'sample: {how!r} is not a distribution; write "normal(0, 0.1)" or ("normal", 0, 0.1)'
        )
    kind, *numbers = how
    return f"{kind}({','.join(_words.expression(value) for value in numbers)})"


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _kept(result: Sweep) -> str:
    return f"interrupted: {len(result)} of {result.total} runs are kept"
