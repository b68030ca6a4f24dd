"""How long is an epoch of training for GAP? SoftRank and LambdaRank on data of the size of a web search log.

    python benchmarks/epoch.py [--device cpu|cuda] [--queries 10000] [--documents 100] [--features 136] [--threads 1]

The ranker is the network of the papers, 10 hidden units. Before anything is timed the gradient of a batch is compared
with that of plain PyTorch on the CPU, in double precision. The time to prepare the data is not included.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import torch

from gradeval import Features
from gradeval.ltr import Batch, Epoch, NeuralRanker, prepare_loss

GAP = "GAP(g=[0.05,0.1,0.25,0.6])"
LEVELS, SHARES = (0, 1, 2, 3, 4), (0.5, 0.3, 0.14, 0.04, 0.02)


def main() -> None:
    """Print a row for each objective."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    for name, default in {"queries": 10_000, "documents": 100, "features": 136, "threads": 1, "epochs": 3}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--batch", type=int, default=64, help="queries in a batch")
    options = parser.parse_args()
    if options.epochs < 2:
        parser.error("--epochs: 2 or more, since the first one warms up")
    data = make_features(options.queries, options.documents, options.features)
    device = torch.cuda.get_device_name() if options.device == "cuda" else f"CPU, {options.threads} threads"
    print(f"| objective | seconds per epoch ({device}) | queries per second |\n|---|--:|--:|", flush=True)
    for method in ("softrank", "lambdarank"):
        objective = f"{method}:{GAP}"
        check(objective, options.device)
        ends: list[float] = []

        def report(_: Epoch, ends: list[float] = ends) -> None:
            if options.device == "cuda":
                torch.cuda.synchronize()
            ends.append(time.perf_counter())

        ranker = NeuralRanker(
            objective, epochs=options.epochs, queries=options.batch, device=options.device, threads=options.threads
        )
        ranker.fit(data, progress=report)
        seconds = statistics.median(np.diff(ends).tolist())
        print(f"| {objective} | {seconds:.3g} | {options.queries / seconds:,.0f} |", flush=True)


def make_features(queries: int, documents: int, features: int) -> Features:
    """Random features, a tenth of which depends on the grade."""
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
    gradients = []
    for place, kind in (("cpu", torch.float64), (device, torch.float32)):
        scores = torch.tensor(start, dtype=kind, device=place, requires_grad=True)
        prepare_loss(objective, batch, dtype=kind, device=place)(scores).backward()
        assert scores.grad is not None
        gradients.append(scores.grad.double().cpu().numpy())
    difference = float(np.abs(gradients[0] - gradients[1]).max() / np.abs(gradients[0]).max())
    if not difference < 1e-4:
        raise SystemExit(
            f"{objective}: the gradient on {device} differs by {difference:.2g} from that in double precision"
        )


if __name__ == "__main__":
    main()
