"""The interpreter's lock is free while the engine computes, and systems are shared by threads."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from conftest import MODELS
from dalembert import System

SLOW = dict(t_span=(0, 400), rtol=1e-13, every=100.0)


def turns_while(work):
    """How many turns a loop of Python makes while ``work`` is under way."""
    turns, running = 0, threading.Thread(target=work)
    running.start()
    while running.is_alive():
        turns += 1
        running.join(0.001)
    return turns


def test_python_runs_while_the_engine_computes(double):
    # A thread that held the lock throughout would let the loop turn once or twice.
    assert turns_while(lambda: double.simulate(**SLOW)) > 20
    y = np.random.default_rng(0).normal(size=(4, 300_000))
    f = double.acceleration_function()
    assert turns_while(lambda: f(0.0, y)) > 10
    assert turns_while(lambda: double.sweep(sample={"theta1": "normal(1, 0.1)"}, runs=400, t_span=10)) > 10


def test_runs_are_under_way_at_the_same_time(double):
    """Each of two runs begins before the other ends: their ends of the lock overlap."""
    began, ended = [], []
    gate = threading.Barrier(2)

    def run():
        gate.wait()
        began.append(threading.get_ident())
        double.simulate(**SLOW)
        ended.append(len(began))

    with ThreadPoolExecutor(2) as pool:
        [future.result() for future in [pool.submit(run) for _ in range(2)]]
    assert ended == [2, 2]


def test_threads_share_one_system():
    systems = [
        System.from_file(MODELS / f"{name}.dal")
        for name in ("double_pendulum", "rolling_disk", "stick_slip_belt")
    ]
    expected = [system.simulate((0, 3)).y for system in systems]

    def everything(k):
        system = systems[k % 3]
        system.evaluate(), system.derive("kernel"), system.check
        return np.array_equal(system.simulate((0, 3)).y, expected[k % 3])

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(everything, range(18)))
