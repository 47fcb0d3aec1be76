"""Proves that a sweep has the same bytes however it is made: one process, shards killed at random, a process pool, Dask.

python3 bench/shards.py [--kills 100] [--shards 40] [--runs 2000]

The command is DALEMBERT or target/release/dalembert. Where the Python package is installed (NumPy comes with it), its
executors are compared too; where DuckDB and Polars are, they read the data set that the shards are merged into.

Files are compared by their bytes. What has no file of the same format (executors, readers of Parquet) is compared by the
checksum of its data: the names of the columns, then the numbers of each column as doubles.
"""

import argparse
import array
import csv
import hashlib
import json
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


def data_checksum(columns: list, values: object) -> str:
    """Of every column but the last one, which is the status: `values(name)` has its numbers."""
    digest = hashlib.sha256()
    for name in columns[:-1]:
        digest.update(name.encode())
        digest.update(array.array("d", (float(value) for value in values(name))).tobytes())
    return digest.hexdigest()[:16]


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
        killed = begun = 0
        while killed < wish.kills and begun < 20 * wish.kills:
            begun += 1
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
        print(f"{wish.shards} shards            {checksum(parts / 'results.csv')}  {killed} of {begun} killed before they ended")
        assert killed == wish.kills, "too few were killed"
        assert checksum(whole / "results.csv") == checksum(parts / "results.csv")
        with open(whole / "results.csv", encoding="utf-8") as file:
            columns, *rows = csv.reader(file)
        wanted = data_checksum(columns, lambda name: [row[columns.index(name)] for row in rows])
        print(f"{'its data':20} {wanted}")
        dataset(command, words, wish, pathlib.Path(folder, "set"), columns, wanted)
        executors(columns, wanted, wish.runs)


def compare(name: str, found: str, wanted: str) -> None:
    print(f"{name:20} {found}")
    assert found == wanted, f"{name} has other data"


def dataset(command: str, words: list, wish: argparse.Namespace, out: pathlib.Path, columns: list, wanted: str) -> None:
    """The same sweep in shards, merged into Parquet with a manifest."""
    words = [command, *words, "--out", out, "--format", "dataset"]
    for k in range(wish.shards, 0, -1):
        subprocess.run([*words, "--shard", f"{k}/{wish.shards}"], check=True)
    subprocess.run([*words, "--merge"], check=True)
    manifest = json.loads((out / "dataset.json").read_text(encoding="utf-8"))
    assert manifest["rows"] == wish.runs and [column["name"] for column in manifest["columns"]] == columns
    for part in manifest["partitions"]:
        assert (out / part["path"]).stat().st_size == part["bytes"]
    files = str(out / "results" / "*.parquet")
    try:
        import duckdb

        table = duckdb.sql(f"select * from '{files}' order by run").fetchnumpy()
        compare("Parquet by DuckDB", data_checksum(columns, lambda name: table[name]), wanted)
    except ImportError:
        print("left out: DuckDB is not installed")
    try:
        import polars

        frame = polars.scan_parquet(files).sort("run").collect()
        compare("Parquet by Polars", data_checksum(columns, lambda name: frame[name]), wanted)
    except ImportError:
        print("left out: Polars is not installed")


def executors(columns: list, wanted: str, runs: int) -> None:
    try:
        import dalembert
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context
    except ImportError:
        print("left out: the package dalembert is not installed")
        return
    system = dalembert.System.from_file(MODEL)
    wish = dict(sample={"g": "uniform(9,10)"}, runs=runs, t_span=0.5)

    def data(sweep: "dalembert.Sweep") -> str:
        assert list(sweep.columns) == columns
        return data_checksum(columns, lambda name: sweep[name])

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        compare("process pool", data(system.sweep(**wish, executor=pool)), wanted)
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("left out: Dask is not installed")
        return
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        compare("Dask", data(system.sweep(**wish, client=client)), wanted)


if __name__ == "__main__":
    main()
