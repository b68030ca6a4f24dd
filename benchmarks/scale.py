"""How long does it take to score many lines, on one machine and by Dask, and how much memory does it take?

    python benchmarks/scale.py [--lines 7000000] [--machines 0 1 2 4]

Made runs of 7,000 topics with 1,000 documents each (7 million lines; 10 times the lines are 10 runs) and 100 judgments
a topic lie on the disk as Parquet, in files of 500,000 lines. A row of the table is a process that reads them there and
scores them by AP, GAP and nDCG@10: with machines 0 by ``gradeval.evaluate`` in one process, else by
``gradeval.dask.evaluate`` on so many worker processes of one thread each, all on this machine. Seconds run from the
call to the scores, on a cluster that is up; CPU seconds are summed over all processes, which other work on the
machine changes little. Memory is the largest resident set that the system has seen (``ru_maxrss``), Python and all
libraries included, of the process that asks and of the largest worker.

Before anything is timed, all ways must score a hundredth of the lines to the same bits; the digest of the values of a
row must equal the digest of the first row.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

TOPICS, DOCUMENTS, JUDGED = 7000, 1000, 100
COLLECTION = 5000  # documents that a topic may have
PIECE = 500  # topics in a file
MEASURES = "AP GAP nDCG@10"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=TOPICS * DOCUMENTS)
    parser.add_argument("--machines", type=int, nargs="+", default=[0, 1, 2, 4])
    parser.add_argument("--folder", help="keep the files there, or take those that lie there")
    parser.add_argument("--one", type=int, help="score once, on so many machines, and print what it took")
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(measure(Path(options.folder), options.one)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        small = Path(scratch) / "small"
        write(small, TOPICS // 100, 1)
        assert len({ask(small, machines)["digest"] for machines in {0, *options.machines}}) == 1, "values differ"
        folder = Path(options.folder or scratch) / "large"
        if not folder.exists():
            write(folder, TOPICS, max(1, options.lines // (TOPICS * DOCUMENTS)))
        size = sum(file.stat().st_size for file in folder.rglob("*.parquet"))
        print("| lines | on the disk, MB | scored by | s | CPU s | client's peak, MB | largest worker's, MB |")
        print("|--:|--:|---|--:|--:|--:|--:|", flush=True)
        digests = set()
        for machines in options.machines:
            found = ask(folder, machines)
            digests.add(found["digest"])
            assert len(digests) == 1, "values differ"
            by = f"Dask, {machines} worker{'s' * (machines > 1)}" if machines else "one process"
            worker = f"{found['worker'] / 1e6:,.0f}" if machines else ""
            print(
                f"| {found['lines']:,} | {size / 1e6:,.0f} | {by} | {found['seconds']:.1f} | "
                f"{found['cpu']:.1f} | "
                f"{found['client'] / 1e6:,.0f} | {worker} |",
                flush=True,
            )


def write(folder: Path, topics: int, runs: int) -> None:
    """Judgments, and runs whose scores follow the grades, with noise."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(2026)
    ids = pa.array([f"doc{number:05}" for number in range(COLLECTION)])
    names = pa.array([f"topic{number:05}" for number in range(topics)])

    def table(topic: Any, document: Any, **others: Any) -> Any:
        return pa.table({"query_id": names.take(pa.array(topic)), "doc_id": ids.take(pa.array(document)), **others})

    (folder / "runs").mkdir(parents=True)
    grades = rng.choice(4, (topics, JUDGED), p=(0.6, 0.2, 0.15, 0.05))
    judged = np.tile(np.arange(JUDGED), topics)
    whole = table(np.repeat(np.arange(topics), JUDGED), judged, relevance=grades.ravel())
    parquet.write_table(whole, folder / "qrels.parquet")
    for run in range(runs):
        for begin in range(0, topics, PIECE):
            some = np.arange(begin, min(begin + PIECE, topics))
            document = rng.random((len(some), COLLECTION), dtype=np.float32).argpartition(DOCUMENTS)[:, :DOCUMENTS]
            gain = np.where(document < JUDGED, grades[some[:, None], np.minimum(document, JUDGED - 1)], 0)
            score = np.sort((gain + 3 * rng.standard_normal(document.shape)).round(4))[:, ::-1]
            piece = table(np.repeat(some, DOCUMENTS), document.ravel(), score=score.ravel())
            piece = piece.append_column("run", pa.array(np.full(len(piece), f"run{run}")))
            parquet.write_table(piece, folder / "runs" / f"{run:03}-{begin:05}.parquet")


def ask(folder: Path, machines: int) -> dict[str, Any]:
    """What one process measures."""
    command = [sys.executable, __file__, "--folder", str(folder), "--one", str(machines)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(folder: Path, machines: int) -> dict[str, Any]:
    if not machines:
        begin, before = time.perf_counter(), cpu()
        scores = score_here(folder)
        return describe(scores, time.perf_counter() - begin, cpu() - before, 0)
    import distributed

    import gradeval.dask

    with (
        distributed.LocalCluster(
            n_workers=machines, threads_per_worker=1, memory_limit=None, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(imported)  # so that workers of a running cluster are timed, not their imports
        begin, before = time.perf_counter(), cpu() + sum(client.run(cpu).values())
        scores = gradeval.dask.evaluate(folder / "qrels.parquet", folder / "runs", MEASURES)
        seconds = time.perf_counter() - begin
        after = cpu() + sum(client.run(cpu).values())
        return describe(scores, seconds, after - before, max(client.run(peak).values()))


def score_here(folder: Path) -> Any:
    """All runs of the folder, each from a table of its files."""
    import pyarrow as pa
    from pyarrow import parquet

    import gradeval

    files = sorted((folder / "runs").iterdir())
    names = dict.fromkeys(file.name.partition("-")[0] for file in files)
    columns = ["query_id", "doc_id", "score"]
    runs = {
        f"run{int(name)}": pa.concat_tables(
            [parquet.read_table(file, columns=columns) for file in files if file.name.startswith(f"{name}-")]
        )
        for name in names
    }
    return gradeval.evaluate(str(folder / "qrels.parquet"), runs, MEASURES)


def describe(scores: Any, seconds: float, cpu: float, worker: int) -> dict[str, Any]:
    digest = hashlib.sha256(scores.values.tobytes() + scores.mean().tobytes()).hexdigest()
    lines = int(scores.coverage.retrieved.sum())
    took = {"seconds": seconds, "cpu": cpu, "client": peak(), "worker": worker}
    return {"digest": digest, "lines": lines, **took}


def imported() -> None:
    import gradeval.dask  # noqa: F401  # its import is what is timed


def cpu() -> float:
    """The seconds that processors worked for this process so far."""
    return time.process_time()


def peak() -> int:
    """The largest resident set of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
