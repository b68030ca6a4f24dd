"""How much memory does a worker of Dask take to train, as a multiple of its share of the table? And what if it dies?

    python benchmarks/dask_training.py [--rows 1000000] [--features 136] [--engine lightgbm] [--rounds 5] [--kill]

A LocalCluster of two workers with one thread each trains on a folder of Parquet files, written before in pieces, with
queries of 100 documents. The peak of a worker is the largest resident set that the system has seen (``ru_maxrss``), all
of Python, Dask and the engine included, before and after training.

--kill: a worker is killed while it trains. Then training must say which worker was lost. And ``client.map(evaluate,
...)`` of 24 made runs, of which a worker was killed, too, must end with the numbers of one call.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

DOCUMENTS = 100
PIECE = 500  # queries in a row group
TASKS = ("_train_part", "fn-")  # what LightGBM and XGBoost call their tasks of training


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"rows": 1_000_000, "features": 136, "rounds": 5}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--engine", choices=("lightgbm", "xgboost"), default="lightgbm")
    parser.add_argument("--kill", action="store_true", help="kill a worker in the middle")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.kill:
            kill_while_scoring()
        begin = time.perf_counter()
        table = Path(folder) / "table"
        write_table(table, options.rows, options.features)
        print(f"{options.rows:,} x {options.features} rows written in {time.perf_counter() - begin:.0f} s", flush=True)
        if options.kill:
            kill_while_training(table, options)
        else:
            measure_memory(table, options)


def write_table(folder: Path, rows: int, features: int) -> None:
    """Files of four row groups each; the grade follows the first ten features, with noise."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir()
    rng = np.random.default_rng(2010)
    queries = rows // DOCUMENTS
    for number, first in enumerate(range(0, queries, 4 * PIECE)):
        writer = None
        for begin in range(first, min(first + 4 * PIECE, queries), PIECE):
            some = min(PIECE, queries - begin)
            grades = rng.choice(5, some * DOCUMENTS, p=(0.5, 0.3, 0.14, 0.04, 0.02)).astype(np.float32)
            X = rng.standard_normal((features, some * DOCUMENTS), dtype=np.float32)
            X[:10] += grades / 2
            columns = {"qid": np.repeat(np.arange(begin, begin + some), DOCUMENTS), "label": grades}
            table = pa.table(columns | {f"f{place}": values for place, values in enumerate(X)})
            writer = writer or parquet.ParquetWriter(
                folder / f"{number:05}.parquet", table.schema, compression="none", use_dictionary=False
            )
            writer.write_table(table, row_group_size=len(table))
        if writer is not None:
            writer.close()


def start_cluster() -> Any:
    import distributed

    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=None, dashboard_address=":0")


def peak() -> int:
    """The largest resident set of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """What both trainings are told."""
    return {"levels": range(5), "rounds": options.rounds, "engine": options.engine}


def measure_memory(table: Path, options: argparse.Namespace) -> None:
    import distributed
    from dask.dataframe import read_parquet

    from gradeval.ltr import fit_dask

    with start_cluster() as cluster, distributed.Client(cluster) as client:
        before = max(client.run(peak).values())
        begin = time.perf_counter()
        ranker = fit_dask(client, read_parquet(table), "lambdarank:nDCG@10", **settings_of(options))
        seconds = time.perf_counter() - begin
        after = max(client.run(peak).values())
    share = options.rows * options.features * 4 / 2
    print("| engine | rows | trees | s | share, MB | before, MB | peak, MB | peak / share |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    print(
        f"| {options.engine} | {options.rows:,} | {ranker.best} | {seconds:.0f} | {share / 1e6:,.0f} | "
        f"{before / 1e6:,.0f} | {after / 1e6:,.0f} | {after / share:.2f} |",
        flush=True,
    )


def kill_while_training(table: Path, options: argparse.Namespace) -> None:
    import distributed
    from dask.dataframe import read_parquet

    from gradeval.ltr import fit_dask

    with start_cluster() as cluster, distributed.Client(cluster) as client:
        pid = sorted(client.run(os.getpid).items())[-1][1]

        def kill() -> None:
            while not any(str(key).startswith(TASKS) for keys in client.processing().values() for key in keys):
                time.sleep(0.05)
            time.sleep(1)
            os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        begin = time.perf_counter()
        try:
            fit_dask(client, read_parquet(table), "lambdarank:nDCG@10", **settings_of(options))
        except RuntimeError as error:
            print(f"after {time.perf_counter() - begin:.1f} s: {error}", flush=True)
        else:
            raise SystemExit("training ended before the worker was killed: give more rounds")
        killer.join()


def kill_while_scoring() -> None:
    import distributed

    from gradeval import Scores, evaluate

    rng = np.random.default_rng(1)
    topics, documents = [str(topic) for topic in range(50)], [f"d{number}" for number in range(1000)]
    qrels = {topic: dict(zip(documents[:300], rng.integers(0, 3, 300).tolist(), strict=True)) for topic in topics}
    runs = {
        f"run{number}": {topic: dict(zip(documents, rng.random(1000).tolist(), strict=True)) for topic in topics}
        for number in range(24)
    }
    with start_cluster() as cluster, distributed.Client(cluster) as client:
        parts = client.map(score_slowly, [qrels] * 24, [{name: run} for name, run in runs.items()])
        while not any(part.status == "finished" for part in parts):
            time.sleep(0.01)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        together = Scores.concat(client.gather(parts))
    alone = evaluate(qrels, runs, "AP nDCG@10 GAP")
    same = together.values.tobytes() == alone.values.tobytes() and together.runs == alone.runs
    print(f"scoring with a worker killed: {len(together.runs)} runs, the same to the last bit: {same}", flush=True)


def score_slowly(qrels: Any, runs: Any) -> Any:
    """A task that is long enough to be killed in."""
    from gradeval import evaluate

    time.sleep(0.2)
    return evaluate(qrels, runs, "AP nDCG@10 GAP")


if __name__ == "__main__":
    main()
