"""Sweeps on a cluster of several processes: the same numbers as here, whatever happens to workers."""

import os
import signal

import numpy as np
import pytest
from conftest import MODELS
from dalembert import DalembertError, Interrupted, RequestError, System
from distributed import Client, LocalCluster

WISH = dict(
    vary={"m2": [0.5, 1.0, 2.0]},
    sample={"theta1": "normal(1.5, 0.1)"},
    runs=400,
    seed=3,
    t_span=40,
    rtol=1e-12,
)


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def system():
    return System.from_file(MODELS / "double_pendulum.dal")


@pytest.fixture(scope="module")
def local(system):
    return system.sweep(**WISH)


def same(a, b):
    return a._numbers.tobytes() == b._numbers.tobytes() and a["status"].tolist() == b["status"].tolist()


def test_the_same_numbers_as_here(client, system, local):
    told = []
    far = system.sweep(client=client, progress=lambda *both: told.append(both), **WISH)
    assert same(far, local) and far.complete
    assert told[-1] == (1200, 1200)


def test_motions_travel_too(client, system):
    wish = dict(vary={"m2": [0.5, 1.0, 2.0]}, t_span=1, every=0.25)
    far, here = system.sweep(client=client, **wish), system.sweep(**wish)
    assert far.motions._numbers.tobytes() == here.motions._numbers.tobytes()
    assert far.motion(2)["theta1"].shape == (5,)


def test_a_lost_worker_changes_nothing(client, system, local):
    victims = client.run(os.getpid)
    assert len(set(victims.values())) == 3 and os.getpid() not in victims.values()
    killed = []

    def progress(done, total):
        busy = [worker for worker, tasks in client.processing().items() if tasks]
        if total / 4 < done < total and busy and not killed:
            killed.append(victims[busy[0]])
            os.kill(killed[0], signal.SIGKILL)

    far = system.sweep(client=client, progress=progress, **WISH)
    assert killed and same(far, local)
    assert killed[0] not in client.run(os.getpid).values()


def test_interrupted_far_away(client, system):
    def stop(done, total):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted) as caught:
        # Long enough that it is not over when its first block is.
        system.sweep(client=client, progress=stop, **{**WISH, "t_span": 160})
    kept = caught.value.sweep
    assert 0 < len(kept) < kept.total == 1200
    assert np.all(np.diff(kept["run"]) > 0)


def test_workers_of_another_version_are_refused(client, system, monkeypatch):
    monkeypatch.setattr("dalembert._engine.__version__", "9.9.9")
    with pytest.raises(DalembertError, match="begun with 9.9.9"):
        system.sweep(vary={"m2": [1, 2]}, client=client, t_span=1)


def test_a_bad_question_does_not_reach_the_cluster(client, system):
    with pytest.raises(RequestError):
        system.sweep(vary={"mass": [1]}, client=client)
