"""How much memory does a training take, as a multiple of its table of features?

    python benchmarks/training_memory.py [--rows 1000000] [--features 136] [--documents 100] [--epochs 3]

Each training runs in a process of its own, and so do LightGBM with its own objective, for comparison, and a process
that makes the table and trains nothing. The peak is the largest resident set that the system has seen (``ru_maxrss``),
all of Python, NumPy and the engine included. One query in ten has documents of one grade only: nothing can be learnt
from it.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys

import numpy as np

from gradeval import Features

KINDS = ("table alone", "linear", "neural", "tree", "LightGBM's own")


def main() -> None:
    """Print a row for each kind of training; or, as a process of its own, train one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"rows": 1_000_000, "features": 136, "documents": 100, "epochs": 3}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--kind", choices=KINDS, action="append", help="may be repeated; default: all")
    parser.add_argument("--here", action="store_true", help="train in this process, and print its peak in bytes")
    options = parser.parse_args()
    if options.here:
        train(options.kind[0], make_features(options.rows, options.features, options.documents), options.epochs)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
        return
    table = options.rows * options.features * 4
    print(f"table: {options.rows:,} x {options.features} float32, {table / 1e6:,.0f} MB\n")
    print("| training | peak, MB | peak / table |\n|---|--:|--:|", flush=True)
    sizes = [f"--{name}={getattr(options, name)}" for name in ("rows", "features", "documents", "epochs")]
    for kind in options.kind or KINDS:
        command = [sys.executable, __file__, "--here", "--kind", kind, *sizes]
        peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])
        print(f"| {kind} | {peak / 1e6:,.0f} | {peak / table:.2f} |", flush=True)


def make_features(rows: int, columns: int, documents: int) -> Features:
    """Random features, made so that making them takes no more memory than they do."""
    rng = np.random.default_rng(2010)
    queries = rows // documents
    rows = queries * documents
    grades = rng.choice(5, rows, p=(0.5, 0.3, 0.14, 0.04, 0.02)).astype(float)
    grades.reshape(queries, documents)[::10] = 0
    table = np.empty((rows, columns), np.float32)
    for query in range(queries):
        part = slice(query * documents, (query + 1) * documents)
        table[part] = rng.standard_normal((documents, columns), dtype=np.float32)
        table[part, :10] += grades[part, None].astype(np.float32) / 2
    names = [str(number) for number in range(queries)]
    no_ids = np.zeros(rows + 1, np.int64), np.empty(0, np.uint8)
    offsets = np.arange(queries + 1, dtype=np.int64) * documents
    header = tuple(str(number) for number in range(1, columns + 1))
    return Features(table, grades, names, offsets, no_ids, header, (0.0, 1.0, 2.0, 3.0, 4.0))


def train(kind: str, features: Features, epochs: int) -> None:
    """Train a ranker of a kind."""
    if kind == "LightGBM's own":
        import lightgbm

        data = lightgbm.Dataset(features.X, features.grades, group=np.diff(features.offsets), params={"verbosity": -1})
        settings = {"objective": "lambdarank", "num_leaves": 7, "num_threads": 1, "verbosity": -1}
        lightgbm.train(settings, data, epochs)
    elif kind != "table alone":
        from gradeval.ltr.rankers.kinds import ranker_class

        settings = {} if kind == "tree" else {"queries": 64}
        ranker_class(kind)("lambdarank:nDCG@10", epochs=epochs, **settings).fit(features)


if __name__ == "__main__":
    main()
