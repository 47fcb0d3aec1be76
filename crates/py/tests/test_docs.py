"""The tour and the guide say what happens."""

import doctest
import re
import runpy
import warnings

import matplotlib
import pytest
from conftest import ROOT

import dalembert

matplotlib.use("Agg")


def test_the_tour_runs_from_top_to_bottom(capsys):
    made = runpy.run_path(str(ROOT / "docs" / "tour.py"))
    assert made["motion"].success and made["cloud"].complete
    assert "reached t = 5" in capsys.readouterr().out


@pytest.mark.parametrize("page, least", [("docs/python.md", 20), ("docs/python_control.md", 8), ("README.md", 1)])
def test_a_page_runs_from_top_to_bottom(page, least, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {"__name__": "guide"}
    assert len(blocks) >= least
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    if "CartPole" in names:
        check_the_environment(names["CartPole"])


def check_the_environment(kind):
    """Gymnasium's own test; its advice about bounds is not for an example."""
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(kind(), skip_render_check=True)


def test_the_regulator_of_the_first_page_is_short():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = next(b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "solve_continuous_are" in b)
    assert len(block.splitlines()) < 25


def test_the_notebook_runs(monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    import nbclient
    import nbformat

    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", ())]
    for kind, least in (("text/html", 5), ("text/latex", 2), ("image/png", 2)):
        assert sum(kind in data for data in shown) >= least
    assert any("<iframe" in data.get("text/html", "") for data in shown)


def test_the_first_page():
    assert doctest.testmod(dalembert).failed == 0
    assert doctest.testmod(dalembert).attempted > 0


@pytest.mark.parametrize("name", dalembert.__all__)
def test_what_is_offered_is_there(name):
    assert getattr(dalembert, name) is not None
