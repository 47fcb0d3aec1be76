"""NumPy, pandas, xarray and Arrow see the numbers of the engine."""

import gc
import pickle

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import xarray


def address(array):
    return array.__array_interface__["data"][0]


def test_columns_are_views_of_one_table(pendulum):
    motion = pendulum.simulate((0, 1))
    assert address(motion["x"]) == address(motion.y) == address(motion.t) + motion.t.nbytes
    assert motion["x"].flags.c_contiguous and motion.y.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        motion.t[0] = 1.0


def test_arrow_without_copying(pendulum):
    motion = pendulum.simulate((0, 1))
    for made in (pyarrow.record_batch(motion), pyarrow.table(motion)):
        assert made.schema.names == motion.columns
        for name in motion.columns:
            column = made.column(name)
            chunk = column.chunk(0) if isinstance(column, pyarrow.ChunkedArray) else column
            assert chunk.buffers()[1].address == address(motion[name])
            assert np.array_equal(chunk.to_numpy(), motion[name])
    frame = polars.DataFrame(motion)
    assert frame.columns == motion.columns
    assert address(frame["x"].to_numpy()) == address(motion["x"])


def test_arrays_outlive_the_motion(pendulum):
    motion = pendulum.simulate((0, 1))
    table, x, expected = pyarrow.table(motion), motion["x"], motion["x"].copy()
    del motion
    gc.collect()
    others = [pendulum.simulate((0, 1), set={"l": 0.7 + k}) for k in range(5)]
    assert np.array_equal(x, expected) and np.array_equal(table["x"].to_numpy(), expected)
    del others, x, table
    gc.collect()


def test_capsules_that_nobody_takes_are_released(pendulum):
    motion = pendulum.simulate((0, 1))
    for _ in range(1000):
        motion.__arrow_c_array__()
        motion.__arrow_c_schema__()


def test_pandas_and_xarray(pendulum):
    motion = pendulum.simulate((0, 1))
    frame = motion.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == motion.columns
    assert np.array_equal(frame["x'"].to_numpy(), motion["x'"])
    data = motion.to_xarray()
    assert isinstance(data, xarray.Dataset) and data.attrs["title"] == "Pendulum on a rod"
    assert float(data["tension"].sel(t=0.5)) == motion["tension"][250]


def test_motions_can_be_pickled(pendulum):
    motion = pendulum.simulate((0, 1), events="y")
    again = pickle.loads(pickle.dumps(motion))
    assert np.array_equal(again.y, motion.y) and again.message == motion.message
    assert (
        again.stats["steps"] == motion.stats["steps"]
        and again.t_events[0].tolist() == motion.t_events[0].tolist()
    )


def test_an_animation_stands_alone(pendulum, tmp_path):
    motion = pendulum.simulate((1, 2), [1.25, 1.5], y0=list(pendulum.initial.values()))
    animation = motion.animate(tmp_path / "pendulum.html")
    page = (tmp_path / "pendulum.html").read_text(encoding="utf-8")
    assert page == animation.page and page.startswith("<!DOCTYPE html>")
    assert "Pendulum on a rod" in page and "http" not in page.replace("http-equiv", "").replace(
        "http://www.w3.org", ""
    )
    shown = animation._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown
    assert pickle.loads(pickle.dumps(motion)).animate().page == page


def test_a_sweep_has_words(double):
    sweep = double.sweep({"m1": [1, 2, 3]}, t_span=0.2)
    table = pyarrow.table(sweep)
    assert table["status"].to_pylist() == ["done"] * 3
    assert table["m1"].to_pylist() == [1.0, 2.0, 3.0]
    assert polars.DataFrame(sweep)["status"].to_list() == ["done"] * 3
    assert sweep.to_pandas()["status"].tolist() == ["done"] * 3
