"""Proves that a sweep has the same bytes however it is made: one process, shards killed at random, a process pool, Dask.

python3 bench/shards.py [--kills 100] [--shards 40] [--runs 2000]

The command is DALEMBERT or target/release/dalembert. Where the Python package is installed, its executors are compared too.
"""

import argparse
import csv
import hashlib
import os
import pathlib
import random
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "models/pendulum_chain.dal"


def checksum(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--shards", type=int, default=40)
    parser.add_argument("--runs", type=int, default=2000)
    wish = parser.parse_args()
    command = os.environ.get("DALEMBERT", str(ROOT / "target/release/dalembert"))
    words = ["sweep", str(MODEL), "--sample", "g~uniform(9,10)", "--runs", str(wish.runs), "--until", "0.5", "--quiet"]
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        whole, parts = pathlib.Path(folder, "whole"), pathlib.Path(folder, "parts")
        began = time.time()
        subprocess.run([command, *words, "--out", whole], check=True)
        took = time.time() - began
        print(f"one process          {checksum(whole / 'results.csv')}  {took:.1f} s")
        shard = lambda k: [command, *words, "--out", parts, "--threads", "1", "--shard", f"{k}/{wish.shards}"]  # noqa: E731
        killed = 0
        for _ in range(wish.kills):
            child = subprocess.Popen(shard(rng.randint(1, wish.shards)))
            time.sleep(rng.uniform(0.01, 4 * took / wish.shards))
            killed += child.poll() is None
            child.kill()
            child.wait()
        order = list(range(1, wish.shards + 1))
        rng.shuffle(order)
        for k in order:
            subprocess.run(shard(k), check=True)
        subprocess.run([command, *words, "--out", parts, "--merge"], check=True)
        print(f"{wish.shards} shards            {checksum(parts / 'results.csv')}  {killed} of {wish.kills} killed in the middle")
        assert checksum(whole / "results.csv") == checksum(parts / "results.csv")
        with open(whole / "results.csv", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        executors(rows, wish.runs)


def executors(rows: list, runs: int) -> None:
    try:
        import dalembert
        import numpy as np
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context
    except ImportError:
        print("left out: the package dalembert is not installed")
        return
    reference = np.array([[float(value) for value in row[:-1]] for row in rows[1:]])
    system = dalembert.System.from_file(MODEL)
    wish = dict(sample={"g": "uniform(9,10)"}, runs=runs, t_span=0.5)

    def compare(name: str, sweep: "dalembert.Sweep") -> None:
        numbers = np.array([sweep[column] for column in sweep.columns[:-1]]).T
        same = np.array_equal(numbers, reference, equal_nan=True)
        print(f"{name:20} {'the same numbers' if same else 'OTHER NUMBERS'}")
        assert same

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        compare("process pool", system.sweep(**wish, executor=pool))
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("left out: Dask is not installed")
        return
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        compare("Dask", system.sweep(**wish, client=client))


if __name__ == "__main__":
    main()
