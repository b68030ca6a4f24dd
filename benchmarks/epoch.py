"""How long is an epoch of training for GAP? SoftRank and LambdaRank on data of the size of a web search log.

    python benchmarks/epoch.py [--device cpu|cuda] [--queries 10000] [--documents 100] [--features 136] [--threads 1]

The ranker is the network of the papers, 10 hidden units. Before anything is timed the gradient of a batch is compared
with that of plain PyTorch on the CPU, in double precision. Preparing the data once is not part of an epoch.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import torch

from gradeval import Features
from gradeval.ltr import Batch, Epoch, NeuralRanker, Objective
from gradeval.ltr.objectives.loss import compute_loss

GAP = "GAP(g=[0.05,0.1,0.25,0.6])"
LEVELS, SHARES = (0, 1, 2, 3, 4), (0.5, 0.3, 0.14, 0.04, 0.02)


def main() -> None:
    """Print a row for each objective."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    for name, default in {"queries": 10_000, "documents": 100, "features": 136, "threads": 1, "epochs": 3}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--batch", type=int, default=64, help="queries in a batch")
    given = parser.parse_args()
    if given.epochs < 2:
        parser.error("--epochs: 2 or more, since the first one warms up")
    data = made(given.queries, given.documents, given.features)
    device = torch.cuda.get_device_name() if given.device == "cuda" else f"CPU, {given.threads} threads"
    print(f"| objective | seconds per epoch ({device}) | queries per second |\n|---|--:|--:|", flush=True)
    for method in ("softrank", "lambdarank"):
        objective = f"{method}:{GAP}"
        check(objective, given.device)
        ends: list[float] = []

        def told(_: Epoch, ends: list[float] = ends) -> None:
            if given.device == "cuda":
                torch.cuda.synchronize()
            ends.append(time.perf_counter())

        ranker = NeuralRanker(
            objective, epochs=given.epochs, queries=given.batch, device=given.device, threads=given.threads
        )
        ranker.fit(data, progress=told)
        taken = statistics.median(np.diff(ends).tolist())
        print(f"| {objective} | {taken:.3g} | {given.queries / taken:,.0f} |", flush=True)


def made(queries: int, documents: int, features: int) -> Features:
    """Features of which a tenth tells something about the grade."""
    rng = np.random.default_rng(2010)
    grades = rng.choice(LEVELS, queries * documents, p=SHARES)
    table = rng.standard_normal((len(grades), features), dtype=np.float32)
    table[:, : max(1, features // 10)] += grades[:, None].astype(np.float32) / 2
    return Features.from_arrays(table, grades, sizes=[documents] * queries)


def check(objective: str, device: str) -> None:
    """Stop where the gradient of the scores on the device is not that on the CPU in double precision."""
    rng = np.random.default_rng(7)
    batch = Batch.of(rng.choice(LEVELS, (8, 40), p=SHARES), levels=LEVELS)
    start = rng.normal(size=(8, 40))
    found = []
    for place, kind in (("cpu", torch.float64), (device, torch.float32)):
        scores = torch.tensor(start, dtype=kind, device=place, requires_grad=True)
        compute_loss(Objective.parse(objective), scores, batch).backward()
        assert scores.grad is not None
        found.append(scores.grad.double().cpu().numpy())
    apart = float(np.abs(found[0] - found[1]).max() / np.abs(found[0]).max())
    if not apart < 1e-4:
        raise SystemExit(f"{objective}: the gradient on {device} differs by {apart:.2g} from that in double precision")


if __name__ == "__main__":
    main()
