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


@pytest.mark.parametrize("page, least", [("docs/python.md", 12), ("README.md", 1)])
def test_a_page_runs_from_top_to_bottom(page, least, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {"__name__": "guide"}
    assert len(blocks) >= least
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_first_page():
    assert doctest.testmod(dalembert).failed == 0
    assert doctest.testmod(dalembert).attempted > 0


@pytest.mark.parametrize("name", dalembert.__all__)
def test_what_is_offered_is_there(name):
    assert getattr(dalembert, name) is not None
