"""Ctrl-C stops a run at once and keeps what it has."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest
from conftest import MODELS
from dalembert import System

SIMULATE = """
import dalembert, sys
system = dalembert.System.from_file({model!r})
print("ready", flush=True)
try:
    system.simulate((0, 1e7), every=1.0, rtol=1e-13, max_steps=10**12)
except KeyboardInterrupt as caught:
    motion = caught.motion
    assert isinstance(caught, dalembert.Interrupted) and type(caught.__cause__) is KeyboardInterrupt
    assert motion.stop == "cancelled" and motion.status == -1 and not motion.success
    assert "interrupted" in motion.message
    print(len(motion), len(motion.t), float(motion.t[-1]), flush=True)
    sys.exit(7)
"""

SWEEP = """
import dalembert, sys
system = dalembert.System.from_file({model!r})
def progress(done, total):
    if done:
        print("ready", flush=True)
try:
    system.sweep(sample={{"theta1": "normal(1, 0.1)"}}, runs=10**6, t_span=20, progress=progress)
except dalembert.Interrupted as caught:
    print(len(caught.sweep), caught.sweep.total, caught.sweep.complete, flush=True)
    sys.exit(7)
"""


RATES = """
import dalembert, numpy, sys
f = dalembert.System.from_file({model!r}).acceleration_function()
y = numpy.zeros((4, 1_000_000))
print("ready", flush=True)
try:
    while True:
        f(0.0, y)
except KeyboardInterrupt:
    print("stopped", flush=True)
    sys.exit(7)
"""


def interrupted(script):
    code = textwrap.dedent(script.format(model=str(MODELS / "double_pendulum.dal")))
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        # The run begins right after this line; a signal that came before it would end the script otherwise.
        try:
            process.wait(1.0)
        except subprocess.TimeoutExpired:
            pass
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 7, err
    return [line for line in out.splitlines() if line != "ready"][-1].split()


@pytest.mark.skipif(os.name == "nt", reason="signals of a terminal are others on Windows")
def test_a_run_is_kept():
    rows, times, last = interrupted(SIMULATE)
    assert int(rows) == int(times) > 10 and 10 < float(last) < 1e7


@pytest.mark.skipif(os.name == "nt", reason="signals of a terminal are others on Windows")
def test_many_states_can_be_stopped():
    assert interrupted(RATES) == ["stopped"]


@pytest.mark.skipif(os.name == "nt", reason="signals of a terminal are others on Windows")
def test_a_sweep_is_kept():
    made, total, complete = interrupted(SWEEP)
    assert 0 < int(made) < int(total) == 10**6 and complete == "False"


@pytest.mark.skipif(os.name == "nt", reason="there are no such timers on Windows")
def test_other_handlers_end_a_run_too():
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    system = System.from_file(MODELS / "double_pendulum.dal")
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(Late):
            system.simulate((0, 1e7), every=1.0, rtol=1e-13, max_steps=10**12)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_what_progress_raises_ends_a_sweep(double):
    def broken(done, total):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        double.sweep(sample={"theta1": "normal(1, 0.1)"}, runs=100_000, t_span=20, progress=broken)
