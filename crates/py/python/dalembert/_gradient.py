"""The derivative of a number of a motion by many parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

import numpy.typing as npt

from . import _options
from ._errors import RequestError


def ask(
    engine: Any,
    by: Iterable[object],
    final: Union[str, Iterable[str]],
    squares: Optional[Mapping[str, npt.ArrayLike]],
    scale: Union[float, Mapping[str, float]],
    t_span: Any,
    rtol: Optional[float],
    atol: Optional[float],
    way: Optional[str],
) -> dict[str, Any]:
    """Puts the question to the engine; derivatives come back by name too."""
    names = [str(name) for name in ([by] if isinstance(by, str) else by)]
    columns = {str(name): _options.array(str(name), values).reshape(-1) for name, values in (squares or {}).items()}
    if columns and "t" not in columns:
        raise RequestError("the data have no times: give them under 't'")
    times = columns.pop("t").tolist() if columns else []
    for name, values in columns.items():
        if values.size != len(times):
            raise RequestError(f"{values.size} values of {name} for {len(times)} times")
    at_end = [final] if isinstance(final, str) else [str(name) for name in final]
    if not at_end and not columns:
        raise RequestError("nothing to differentiate: name a column with final=..., or give squares={'t': ..., 'x': ...}")
    begin, until = _options.span(t_span)
    if begin != 0.0:
        raise RequestError("a gradient begins at t = 0")
    sizes = scale if isinstance(scale, Mapping) else {name: scale for name in columns}
    found = engine.gradient(
        at_end,
        [(name, times, values.tolist(), float(sizes.get(name, 1.0))) for name, values in columns.items()],
        names,
        until,
        _options.tolerance("rtol", rtol),
        _options.tolerance("atol", atol),
        way,
    )
    found["by"] = dict(zip(names, found["gradient"]))
    return dict(found)
