"""Every model as an FMU in FMPy, model exchange (CVODE) and co-simulation, beside `dalembert simulate`.

    python bench/peers/fmus.py target/release/dalembert [MODEL.dal ...]

Without models: all of models/. The first second of each motion (or its own end), 20 rows, every column that both have,
relative to 1 + its size: FMPy at tolerance 1e-12, `simulate` at 1e-10. Needs FMPy (pip install fmpy) and a C compiler.
"""

import csv
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy
from fmpy.validation import validate_fmu


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300)


def motion(program, path):
    """Names and rows by `simulate`."""
    found = re.search(r"^simulate until ([0-9.e]+)", path.read_text(), re.M)
    until = min(float(found.group(1)) if found else 1.0, 1.0)
    words = ["--until", str(until), "--every", str(until / 20), "--rtol", "1e-10", "--out", "-", "--quiet"]
    answer = run(program, "simulate", str(path), *words)
    rows = [row for row in csv.reader(io.StringIO(answer.stdout)) if row]
    if len(rows) < 2:
        return None, answer.stderr.split("\n")[0]
    return rows[0], [list(map(float, row)) for row in rows[1:]]


def apart(found, names, columns, rows):
    """The largest difference over rows and columns; at events the nearer of the rows at that time."""
    worst = 0.0
    for row in rows:
        near = [k for k in range(len(found)) if abs(found["time"][k] - row[0]) < 1e-8]
        if near:
            error = lambda k: max(
                abs(found[a][k] - row[columns.index(b)]) / (1 + abs(row[columns.index(b)])) for a, b in names
            )
            worst = max(worst, min(map(error, near)))
    return worst


def compared(program, path, folder):
    """What there is to say of a model, and whether both modes agree to 1e-8."""
    fmu = str(folder / "m.fmu")
    answer = run(program, "export", str(path), "--target", "fmu", "--name", "m", "--out", fmu, "--no-self-check")
    if answer.returncode:
        return "not exported: " + answer.stderr.split("\n")[0], None
    columns, rows = motion(program, path)
    if columns is None:
        return "no motion: " + rows, None
    problems = validate_fmu(fmu)
    if problems:
        return f"validation: {problems}", False
    known = {v.name for v in fmpy.read_model_description(fmu).modelVariables if v.causality != "parameter"}
    names = [(n, n) for n in columns if n in known]
    names += [(f"der({n[:-1]})", n) for n in columns if n.endswith("'") and f"der({n[:-1]})" in known]
    said, good = [], True
    for kind in ("ModelExchange", "CoSimulation"):
        try:
            found = fmpy.simulate_fmu(
                fmu, fmi_type=kind, stop_time=rows[-1][0], output_interval=(rows[-1][0] - rows[0][0]) / 20,
                relative_tolerance=1e-12, output=[a for a, _ in names], timeout=60,
            )
            worst = apart(found, names, columns, rows)
            said.append(f"{worst:.1e}")
            good = good and bool(worst < 1e-8)
        except Exception as problem:  # whatever an importer says is a result
            said.append(str(problem)[:80])
            good = False
    return "  ".join(said), good


def main():
    program = sys.argv[1]
    paths = [Path(word) for word in sys.argv[2:]]
    paths = paths or sorted((Path(__file__).resolve().parents[2] / "models").glob("*.dal"))
    agree = exported = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            try:
                said, good = compared(program, path, Path(folder))
            except subprocess.TimeoutExpired:
                said, good = "takes too long", None
            exported += good is not None
            agree += good is True
            print(f"{path.stem:32} {said}", flush=True)
    print(f"{agree} of {exported} units agree to 1e-8 in both modes")


main()
