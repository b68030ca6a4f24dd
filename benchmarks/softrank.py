"""What does a soft measure cost? Value and gradient of one query of n documents, in PyTorch on one core.

python benchmarks/softrank.py [CSV]

The peer is ApproxNDCG, the usual differentiable nDCG, written here from its paper with PyTorch's own differentiation.
Before anything is timed, SoftGAP is compared with its definition, the two forms of SoftNDCG with each other, and every
soft measure with the measure itself where scores are certain.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core

import math
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from results import Row
from timing import calls

from gradeval import GAP, JudgedRankings, nDCG
from gradeval.ltr import Batch, lambda_loss, soft_measure

LENGTHS = (50, 150, 500, 1000)
LEVELS, SHARES = (0, 1, 2), (0.7, 0.2, 0.1)
LONGEST_RECURSION = 150  # documents; it takes minutes for a thousand
TARGET = 5e-3  # seconds for SoftGAP of 500 documents


def approx_ndcg(scores: torch.Tensor, gain: torch.Tensor, ideal: float, alpha: float = 10.0) -> torch.Tensor:
    """Qin, Liu & Li (2010), "A general approximation framework for direct optimization of IR measures", section 4:
    the rank of a document is 1 + the sum of logistic functions of the differences of scores."""
    beaten = torch.sigmoid(alpha * (scores[:, None, :] - scores[:, :, None]))
    rank = 1 + beaten.sum(2) - beaten.diagonal(dim1=1, dim2=2)
    return (gain / torch.log2(1 + rank)).sum(1) / ideal


def problem(length: int, dtype: torch.dtype) -> tuple[Batch, torch.Tensor]:
    rng = np.random.default_rng(length)
    batch = Batch.of(rng.choice(LEVELS, (1, length), p=SHARES), levels=LEVELS)
    scores = torch.tensor(rng.normal(size=(1, length)), dtype=dtype)
    return batch, scores.requires_grad_()


def differentiate(objective: Callable[[torch.Tensor], torch.Tensor], scores: torch.Tensor) -> None:
    """Compute the value and the gradient."""
    scores.grad = None
    objective(scores).sum().backward()


def literal_soft_gap(batch: Batch, scores: torch.Tensor) -> float:
    """SoftGAP by its definition, document by document, with g = 1/2, 1/2 and sigma = 1."""
    mean, level = scores[0].tolist(), batch.level[0].tolist()
    total = 0.0
    for n, grade in enumerate(level):
        credit, rank = grade / 2, 1.0
        for m, other in enumerate(level):
            if m != n:
                pi = 0.5 * math.erfc((mean[n] - mean[m]) / 2)
                credit += pi * min(grade, other) / 2
                rank += pi
        total += credit / rank
    return total / (sum(level) / 2)


def check() -> None:
    """Stop the benchmark where a function does not compute what its name says."""
    batch, scores = problem(50, torch.float64)
    gain = torch.tensor(batch.level, dtype=torch.float64)
    order = np.argsort(-scores.detach().numpy()[0], kind="stable")
    judged = JudgedRankings.of(batch.level[0][order].tolist(), levels=LEVELS)
    ideal = float(np.sort(batch.level[0])[::-1] @ (1 / np.log2(np.arange(2, 52))))
    pairs = {
        "SoftGAP": (soft_measure(scores, batch, GAP), literal_soft_gap(batch, scores), 1e-12),
        "certain SoftGAP": (soft_measure(scores, batch, GAP, 1e-6), GAP(judged)[0], 1e-9),
        "certain SoftNDCG": (soft_measure(scores, batch, nDCG, 1e-6), nDCG(judged)[0], 1e-5),
        "certain ApproxNDCG": (approx_ndcg(scores, gain, ideal, 1e6), nDCG(judged)[0], 1e-9),
        "forms of SoftNDCG": (
            soft_measure(scores, batch, nDCG),
            soft_measure(scores, batch, nDCG, form="recursion").item(),
            1e-5,
        ),
    }
    for name, (value, expected, tolerance) in pairs.items():
        if abs(value.item() - expected) > tolerance:
            raise SystemExit(f"{name}: {value.item()} against {expected}")


def measure() -> list[Row]:
    """A row for each objective and number of documents."""
    check()
    rows = []
    for length in LENGTHS:
        for dtype in (torch.float32, torch.float64):
            batch, scores = problem(length, dtype)
            gain = torch.tensor(batch.level, dtype=dtype)
            ideal = float(np.sort(batch.level[0])[::-1] @ (1 / np.log2(np.arange(2, length + 2))))
            objectives: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
                "SoftGAP": lambda s, batch=batch: soft_measure(s, batch, GAP),
                "SoftNDCG by exponentials": lambda s, batch=batch: soft_measure(s, batch, nDCG),
                "SoftNDCG by recursion": lambda s, batch=batch: soft_measure(s, batch, nDCG, form="recursion"),
                "expected GAP": lambda s, batch=batch: soft_measure(s, batch, GAP, estimator="expected"),
                "LambdaRank for GAP": lambda s, batch=batch: lambda_loss(s, batch, GAP),
            }
            if length > LONGEST_RECURSION:
                del objectives["SoftNDCG by recursion"]
            peer = partial(differentiate, partial(approx_ndcg, gain=gain, ideal=ideal), scores)
            times = calls(
                [peer, *(partial(differentiate, objective, scores) for objective in objectives.values())], rounds=5
            )
            kind = str(dtype).removeprefix("torch.")
            for name, mine in zip(objectives, times[1:], strict=True):
                work = f"{name}, value and gradient, {length:,} documents, {kind}"
                rows.append(Row(work, mine, times[0], "ApproxNDCG", unit="ms", as_long=True))
                if (name, length) == ("SoftGAP", 500) and statistics.median(mine) > TARGET:
                    print(f"{work}: {statistics.median(mine):.2g} s, the target is {TARGET} s", file=sys.stderr)
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    measured = measure()
    for row in measured:
        print(row)
    if len(sys.argv) > 1:
        lines = [f"{row.work},{statistics.median(row.ours):.6g},{statistics.median(row.other):.6g}" for row in measured]
        Path(sys.argv[1]).write_text("\n".join(["work,seconds,peer", *lines]) + "\n")
