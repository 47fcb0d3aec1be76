"""Sweeps in executors of concurrent.futures: the same numbers as here."""

import hashlib
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from conftest import MODELS
from dalembert import RequestError, System
from distributed import Client, LocalCluster

WISH = dict(vary={"m2": [0.5, 1.0]}, sample={"theta1": "normal(1.5, 0.1)"}, runs=100, seed=3, t_span=2)


def checksum(sweep):
    """Of every number and every status."""
    numbers = np.ascontiguousarray([sweep[name] for name in sweep.columns if name != "status"], dtype=float)
    return hashlib.sha256(numbers.tobytes() + repr(sweep.counts).encode()).hexdigest()


@pytest.fixture(scope="module")
def system():
    return System.from_file(MODELS / "double_pendulum.dal")


@pytest.fixture(scope="module")
def here(system):
    return checksum(system.sweep(**WISH, threads=1))


def test_a_pool_of_processes_gives_the_same_numbers(system, here):
    told = []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        there = system.sweep(**WISH, executor=pool, progress=lambda done, total: told.append((done, total)))
    assert checksum(there) == here and told[-1] == (200, 200)


def test_threads_and_dask_are_executors_too(system, here):
    with ThreadPoolExecutor(3) as pool:
        assert checksum(system.sweep(**WISH, executor=pool)) == here
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            assert checksum(system.sweep(**WISH, executor=client.get_executor())) == here


def test_what_has_no_submit_is_refused(system):
    with pytest.raises(RequestError, match="submit"):
        system.sweep(**WISH, executor=4)
    with pytest.raises(RequestError, match="not both"):
        system.sweep(**WISH, executor=4, client=4)


def test_figures_are_those_of_the_motions(system):
    wish = dict(WISH, runs=2, every=0.1)
    kept = system.sweep(**wish, keep="max(theta1), rms(theta2')")
    whole = system.sweep(**wish)
    assert kept.columns[3:5] == ["max(theta1)", "rms(theta2')"] and kept.motions is None
    for run in range(len(kept)):
        motion = whole.motion(run)
        assert kept["max(theta1)"][run] == motion["theta1"].max()
        assert kept["rms(theta2')"][run] == pytest.approx(np.sqrt(np.mean(motion["theta2'"] ** 2)), rel=1e-14)
    with pytest.raises(RequestError, match="did you mean"):
        system.sweep(**WISH, keep="max(theta3)")
