"""What do a cutoff and our training loop cost in PyTorch? On one core, everything in one run.

    python benchmarks/torch_training.py [--queries 640] [--rounds 15]

First, value and gradient of softrank:nDCG@10 beside softrank:nDCG, 64 queries of 100 documents. Then an epoch of the
linear and of the neural ranker beside a bare loop of PyTorch with a squared error on the same batches, 64 queries each.
The squared error is linear in the documents, losses over pairs are quadratic: listnet, linear as well, shows what the
loop itself costs.

Before anything is timed, the soft measures are compared with the measures themselves where scores are certain, and the
gradients of the losses with finite differences.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from timing import calls, ratio

from gradeval import Features, JudgedRankings, parse_measure
from gradeval.ltr import Batch, LinearRanker, NeuralRanker, Objective, prepare_loss, soft_measure
from gradeval.ltr.rankers.training import Dataset

LEVELS, SHARES = (0, 1, 2, 3, 4), (0.5, 0.3, 0.14, 0.04, 0.02)
OBJECTIVES = ("listnet", "approxndcg", "softrank:GAP", "softrank:nDCG", "softrank:nDCG@10", "lambdarank:GAP")
DOCUMENTS, FEATURES, AT_ONCE = 100, 136, 64


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=640)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    torch.set_num_threads(1)
    check()
    compare_cutoff(options.rounds)
    compare_epochs(options.queries, options.rounds)


def graded_batch(queries: int = AT_ONCE, documents: int = DOCUMENTS) -> Batch:
    rng = np.random.default_rng(2010)
    return Batch.of(rng.choice(LEVELS, (queries, documents), p=SHARES), levels=LEVELS)


def random_scores(batch: Batch, dtype: torch.dtype) -> torch.Tensor:
    scores = torch.randn(batch.level.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    return scores.to(dtype).requires_grad_()


def check() -> None:
    """Stop where a function does not compute what its name says."""
    batch = graded_batch(3, 40)
    scores = random_scores(batch, torch.float64)
    order = np.argsort(-scores.detach().numpy(), axis=1, kind="stable")
    for text, tolerance in (("nDCG@10", 1e-9), ("nDCG", 1e-5)):
        soft = soft_measure(scores, batch, text, 1e-6).detach().numpy()
        lists = np.take_along_axis(batch.level, order, 1).tolist()
        hard = [float(parse_measure(text)(JudgedRankings.of(ranked, levels=LEVELS))[0]) for ranked in lists]
        if np.abs(soft - hard).max() > tolerance:
            raise SystemExit(f"softrank:{text} of certain scores is not {text}")
    for text in OBJECTIVES:
        loss = prepare_loss(text, batch, dtype=torch.float64)
        if not torch.autograd.gradcheck(loss, scores, atol=1e-6):
            raise SystemExit(f"{text}: its gradient is not that of its value")


def compare_cutoff(rounds: int) -> None:
    """Value and gradient with and without a cutoff."""
    batch = graded_batch()
    print("| value and gradient, 64 x 100 | ms | ratio to softrank:nDCG |\n|---|--:|--:|")
    for dtype in (torch.float32, torch.float64):
        scores = random_scores(batch, dtype)
        losses = [prepare_loss(text, batch, dtype=dtype) for text in ("softrank:nDCG", "softrank:nDCG@10")]
        plain, cut = calls([partial(differentiate, loss, scores) for loss in losses], rounds)
        kind = str(dtype).removeprefix("torch.")
        print(f"| softrank:nDCG, {kind} | {1e3 * statistics.median(plain):.1f} | 1 |")
        print(
            f"| softrank:nDCG@10, {kind} | {1e3 * statistics.median(cut):.1f} | {ratio(cut, plain):.2f} |", flush=True
        )


def differentiate(loss: Callable[[torch.Tensor], torch.Tensor], scores: torch.Tensor) -> None:
    scores.grad = None
    loss(scores).backward()


def compare_epochs(queries: int, rounds: int) -> None:
    """An epoch of training, and of the bare loop on the same batches."""
    data = make_features(queries)
    print(f"\n| an epoch, {queries:,} x {DOCUMENTS} x {FEATURES} | s | ratio to the bare loop |\n|---|--:|--:|")
    for maker, name in ((LinearRanker, "linear"), (NeuralRanker, "neural")):
        for text in OBJECTIVES:
            ranker = maker(text, epochs=rounds, queries=AT_ONCE, scaling=None)
            batches = Dataset.of(data, data.levels, Objective.parse(text), AT_ONCE, "cpu", 1).batches
            bare = BareLoop(name, [batch.X for batch in batches], [data.grades[batch.rows] for batch in batches])
            begins = [time.perf_counter()]
            ours: list[float] = []
            theirs: list[float] = []

            def take_turns(_: object, begins: list[float] = begins, ours: list[float] = ours,
                           theirs: list[float] = theirs, bare: BareLoop = bare) -> None:  # fmt: skip
                ours.append(time.perf_counter() - begins[-1])
                begin = time.perf_counter()
                bare.run_epoch()
                theirs.append(time.perf_counter() - begin)
                begins.append(time.perf_counter())

            ranker.fit(data, progress=take_turns)
            print(
                f"| {name}, {text} | {statistics.median(ours[1:]):.3f} | {ratio(ours[1:], theirs[1:]):.2f} |",
                flush=True,
            )


class BareLoop:
    """A loop of PyTorch with a squared error, as anyone would write it."""

    def __init__(self, kind: str, tables: list[torch.Tensor], grades: list[np.ndarray]) -> None:
        layers = {
            "linear": [torch.nn.Linear(FEATURES, 1, bias=False)],
            "neural": [torch.nn.Linear(FEATURES, 10), torch.nn.Tanh(), torch.nn.Linear(10, 1, bias=False)],
        }
        self.net = torch.nn.Sequential(*layers[kind])
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=0.001)
        self.batches = list(zip(tables, [torch.tensor(some, dtype=torch.float32) for some in grades], strict=True))

    def run_epoch(self) -> float:
        total = 0.0
        for X, grades in self.batches:
            self.optimiser.zero_grad()
            loss = torch.nn.functional.mse_loss(self.net(X).squeeze(-1), grades)
            loss.backward()
            self.optimiser.step()
            total += loss.item()
        return total


def make_features(queries: int, documents: int = DOCUMENTS) -> Features:
    """Random features, a tenth of which depends on the grade."""
    rng = np.random.default_rng(2010)
    grades = rng.choice(LEVELS, queries * documents, p=SHARES)
    table = rng.standard_normal((len(grades), FEATURES), dtype=np.float32)
    table[:, :13] += grades[:, None].astype(np.float32) / 2
    return Features.from_arrays(table, grades, sizes=[documents] * queries)


if __name__ == "__main__":
    main()
