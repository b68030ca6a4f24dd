"""What does a GPU save? The loss with its gradient, and an epoch of a neural ranker, on the GPU and on one core.

    python benchmarks/on_gpu.py [--queries 18919] [--rounds 7] [--device cuda] [--write docs/speed.md]

Queries of 119 documents with 136 features, by default as many as MSLR trains on. The loss is of 420 queries, about
50,000 documents, which is also the batch of the GPU; the core's batches have 1,000 documents. The core's epoch is timed
on a twentieth of the queries and taken 20 times. "bare loop" is PyTorch's squared error with the same network, batches
and optimiser on the same GPU. That the GPU's loss and gradient are the core's to 1e-12 in double precision is asserted
first.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core, before NumPy is imported

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch_training import FEATURES, LEVELS, SHARES, make_features

from gradeval import Features
from gradeval.ltr import Batch, NeuralRanker, Objective, prepare_loss
from gradeval.ltr.rankers.training import Dataset

DOCUMENTS, AT_ONCE, PART = 119, 420, 20
OBJECTIVES = ("softrank:GAP", "softrank:nDCG@10", "lambdarank:GAP", "lambdarank:nDCG", "listnet", "approxndcg")
BEGIN, END = "<!-- on-gpu:begin -->", "<!-- on-gpu:end -->"


def main() -> None:
    """Print the table, or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=18_919)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(2010)
    batch = Batch.of(rng.choice(LEVELS, (AT_ONCE, DOCUMENTS), p=SHARES), levels=LEVELS)
    for objective in OBJECTIVES:
        check(objective, batch, options.device)
    data, part = make_features(options.queries, DOCUMENTS), make_features(max(1, options.queries // PART), DOCUMENTS)
    table = [
        f"| {name_of(options.device)} | loss and gradient, {AT_ONCE} queries | one core / GPU "
        f"| epoch, {options.queries:,} queries | one core / GPU | GPU: to the bare loop |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    print(*table, sep="\n", flush=True)
    for objective in OBJECTIVES:
        table.append(row_of(objective, batch, data, part, options.device, options.rounds))
        print(table[-1], flush=True)
    if options.write:
        before, rest = options.write.read_text().split(BEGIN)
        options.write.write_text("\n".join([before + BEGIN, *table, END]) + rest.split(END)[1])


def name_of(device: str) -> str:
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


def check(objective: str, batch: Batch, device: str) -> None:
    """Stop where the GPU does not compute what the core computes."""
    values, slopes = [], []
    for place in ("cpu", device):
        loss, scores = loss_of(objective, batch, place, torch.float64)
        value = loss(scores)
        value.backward()
        assert scores.grad is not None
        values.append(float(value.detach()))
        slopes.append(scores.grad.cpu().numpy())
    if not np.isclose(values[0], values[1], rtol=1e-12, atol=1e-12) or np.abs(slopes[0] - slopes[1]).max() > 1e-12:
        raise SystemExit(f"{objective}: {device} and cpu differ")


def loss_of(
    objective: str, batch: Batch, device: str, dtype: torch.dtype
) -> tuple[Callable[..., torch.Tensor], torch.Tensor]:
    """A loss, and random scores."""
    scores = torch.randn(batch.level.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    return prepare_loss(objective, batch, dtype=dtype, device=device), scores.to(device, dtype).requires_grad_()


def row_of(objective: str, batch: Batch, data: Features, part: Features, device: str, rounds: int) -> str:
    """One objective: the loss and an epoch, on the GPU and on a core."""
    on_gpu, on_core = (seconds_of_loss(objective, batch, place, rounds) for place in (device, "cpu"))
    ours, bare = seconds_of_epochs(objective, data, device, AT_ONCE * DOCUMENTS, rounds)
    core, _ = seconds_of_epochs(objective, part, "cpu", 1_000, 3)
    scaled = core * len(data.offsets) / len(part.offsets)
    return (
        f"| {objective} | {1e3 * on_gpu:.2f} ms | {on_core / on_gpu:.0f} | {ours:.2f} s | {scaled / ours:.0f} "
        f"| {ours / bare:.2f} |"
    )


def seconds_of_loss(objective: str, batch: Batch, device: str, rounds: int) -> float:
    """The median over rounds."""
    loss, scores = loss_of(objective, batch, device, torch.float32)
    times = [seconds(partial(differentiate, loss, scores), device) for _ in range(rounds + 2)]
    return statistics.median(times[2:])


def differentiate(loss: Callable[..., torch.Tensor], scores: torch.Tensor) -> None:
    scores.grad = None
    loss(scores).backward()


def seconds(work: Callable[[], object], device: str) -> float:
    """Wall time until the GPU has done the work."""
    wait(device)
    begin = time.perf_counter()
    work()
    wait(device)
    return time.perf_counter() - begin


def wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def seconds_of_epochs(objective: str, data: Features, device: str, documents: int, rounds: int) -> tuple[float, float]:
    """The medians of our epochs and of the bare loop's, in turn on the same batches; the first of each is left out."""
    batches = Dataset.of(data, data.levels, Objective.parse(objective), 1, device, 1, documents=documents).batches
    grades = [torch.tensor(data.grades[batch.rows], dtype=torch.float32, device=device) for batch in batches]
    net = torch.nn.Sequential(torch.nn.Linear(FEATURES, 10), torch.nn.Tanh(), torch.nn.Linear(10, 1, bias=False))
    net = net.to(device)
    optimiser = torch.optim.Adam(net.parameters(), lr=0.001)

    def run_bare_epoch() -> None:
        for batch, wanted in zip(batches, grades, strict=True):
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(net(batch.X).squeeze(-1), wanted).backward()
            optimiser.step()

    ours: list[float] = []
    bare: list[float] = []
    begin = time.perf_counter()

    def take_turns(_: object) -> None:
        nonlocal begin
        wait(device)
        ours.append(time.perf_counter() - begin)
        bare.append(seconds(run_bare_epoch, device))
        begin = time.perf_counter()

    ranker = NeuralRanker(objective, epochs=rounds + 1, device=device, documents=documents, scaling=None)
    ranker.fit(data, progress=take_turns)
    return statistics.median(ours[1:]), statistics.median(bare[1:])


if __name__ == "__main__":
    main()
