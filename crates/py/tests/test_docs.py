"""The tour and the guide say what happens."""

import doctest
import re
import runpy

import matplotlib
import pytest
from conftest import ROOT

import dalembert

matplotlib.use("Agg")


def test_the_tour_runs_from_top_to_bottom(capsys):
    made = runpy.run_path(str(ROOT / "docs" / "tour.py"))
    assert made["motion"].success and made["cloud"].complete
    assert "reached t = 5" in capsys.readouterr().out


def blocks():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_guide_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {"__name__": "guide"}
    assert len(blocks()) > 8
    for block in blocks():
        exec(compile(block, "docs/python.md", "exec"), names)


def test_the_first_page():
    assert doctest.testmod(dalembert).failed == 0
    assert doctest.testmod(dalembert).attempted > 0


@pytest.mark.parametrize("name", dalembert.__all__)
def test_what_is_offered_is_there(name):
    assert getattr(dalembert, name) is not None
