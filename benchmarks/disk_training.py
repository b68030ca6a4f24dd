"""Does training from a cache on disk take longer than from memory, and how much memory does it take?

    python benchmarks/disk_training.py [--rows 200000] [--features 136] [--epochs 7]

The same table is trained on from memory and from a cache, in processes of their own. An epoch is timed from one call of
``progress`` to the next, after the first; epochs are compared by their medians, in seconds on the clock and of the
processor, which other work on the machine disturbs less.
Memory is what a process has for itself (RssAnon of Linux, sampled): pages of files that are mapped do not count, as the
system takes them back when it needs them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

from training_memory import make_features

KINDS = ("linear", "neural", "tree")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"rows": 200_000, "features": 136, "epochs": 7}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--here", nargs=3, metavar=("KIND", "PLACE", "FOLDER"), help="train in this process")
    options = parser.parse_args()
    if options.here:
        train(*options.here, options)
        return
    with tempfile.TemporaryDirectory() as folder:
        table = options.rows * options.features * 4 / 1e6
        print(f"table: {options.rows:,} x {options.features} float32, {table:,.0f} MB\n")
        print(
            "| training | epoch from memory, s | from disk, s | ratio | of processor | own memory, MB | from disk, MB |"
        )
        print("|---|--:|--:|--:|--:|--:|--:|")
        for kind in KINDS:
            results = {}
            for place in ("memory", "disk"):
                sizes = [f"--{name}={getattr(options, name)}" for name in ("rows", "features", "epochs")]
                command = [sys.executable, __file__, "--here", kind, place, folder, *sizes]
                output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                results[place] = json.loads(output.splitlines()[-1])
            (memory, busy, own), (disk, busy_from_disk, own_from_disk) = results["memory"], results["disk"]
            print(
                f"| {kind} | {memory:.2f} | {disk:.2f} | {disk / memory:.2f} | "
                f"{busy_from_disk / busy:.2f} | {own / 1e6:,.0f} | {own_from_disk / 1e6:,.0f} |",
                flush=True,
            )


def train(kind: str, place: str, folder: str, options: argparse.Namespace) -> None:
    """Train, and print the median epoch in seconds and the peak of the process's own memory in bytes."""
    from gradeval import cache_features, open_features
    from gradeval.ltr.rankers.kinds import ranker_class

    cache = Path(folder) / "cache"
    if place == "memory" or not cache.exists():
        features = make_features(options.rows, options.features, 100)
        if not cache.exists():
            cache_features(features, cache)
    if place == "disk":
        features = open_features(cache)
    settings = {"epochs": options.epochs} | ({} if kind == "tree" else {"queries": 64})
    peak, ended = [0], threading.Event()
    watcher = threading.Thread(target=watch, args=(peak, ended))
    watcher.start()
    times = []
    ranker_class(kind)("lambdarank:nDCG@10", **settings).fit(
        features, progress=lambda _: times.append((time.perf_counter(), time.process_time()))
    )
    ended.set()
    watcher.join()
    medians = [statistics.median(b[clock] - a[clock] for a, b in pairwise(times)) for clock in (0, 1)]
    print(json.dumps([*medians, peak[0]]))


def watch(peak: list[int], ended: threading.Event) -> None:
    """Note the largest RssAnon."""
    while not ended.wait(0.02):
        lines = Path("/proc/self/status").read_text().splitlines()
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
        peak[0] = max(peak[0], kilobytes * 1024)


if __name__ == "__main__":
    main()
