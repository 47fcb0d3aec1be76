"""Columns with names over memory of the engine: NumPy, pandas and Arrow see the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

import numpy as np
import numpy.typing as npt

from . import _engine
from ._words import need

if TYPE_CHECKING:
    import pandas

Array = npt.NDArray[np.float64]


class Table:
    """A table; ``table["x"]`` is a column, a view that cannot be written to.

    Parameters
    ----------
    columns
        A table of the engine.
    """

    def __init__(self, columns: _engine.Columns) -> None:
        self._columns = columns
        self._names = columns.names
        self._numbers = columns.numbers

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._names)

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Any:
        try:
            k = self._names.index(name)
        except ValueError:
            raise KeyError(f"there is no column {name!r}; the columns are {', '.join(self._names)}") from None
        if k < len(self._numbers):
            return self._numbers[k]
        return np.array(self._columns.words)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._names)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """The numbers with one row for each instant, as ``to_pandas().to_numpy()`` has them."""
        numbers = np.asarray(self._numbers).T
        if copy is False and dtype not in (None, np.float64):
            raise ValueError("numbers of another type need a copy")
        return np.array(numbers, dtype=dtype or np.float64)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a copy of the columns."""
        need("pandas", "pandas")
        import pandas

        return pandas.DataFrame({name: np.array(self[name]) for name in self._names})

    def __arrow_c_schema__(self) -> Any:
        return self._columns.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        return self._columns.__arrow_c_array__(requested_schema)
