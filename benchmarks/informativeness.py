"""How fast is a list of 1,000 ranks inferred from the value of a measure, on one core?

python benchmarks/informativeness.py            # --row: only the row of the table, with its peer

A mixture of lists as systems return them (from mediocre to good, two to four levels) and of hard ones (nearly perfect,
in random order, dense with relevant documents, the worst first); AP, GAP, eGAP, xGAP, nDCG, nDCG@10 and P@10 of each.
Before a list counts as inferred its constraints and the conditions of a stationary point are checked here, from the
definitions. The peer is a general optimiser (SLSQP of SciPy) on lists of 15 ranks; at 100 it takes minutes a list.
"""

from __future__ import annotations

import os

# One core, for both: threads would hold up the peer's small matrices. NumPy reads this when it is loaded.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from results import Row
from scipy.optimize import minimize

from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.studies.informativeness.expected import AdditiveMeasure, expected
from gradeval.studies.informativeness.maximum_entropy import MaximumEntropy, maximum_entropy

RANKS, SMALL, SEED = 1000, 15, 7
MEASURES = "AP AP(rel=2) GAP xGAP eGAP nDCG(dcg='exp-log2') nDCG@10 P@10"
REALISTIC = {"mediocre": 3.0, "fair": 2.0, "good": 1.2}  # kinds of lists by the noise of their order
HARD = {"nearly perfect": 0.35, "random": 1e9, "dense": 2.0, "worst first": -1.5}
EACH = 4  # lists of a kind and number of levels
TARGET = {"median": 0.02, "99th percentile": 0.5}  # seconds


@dataclass(frozen=True)
class Problem:
    """One list by levels, with the measure and the value that are known of it."""

    kind: str
    measure: Measure
    form: AdditiveMeasure
    counts: Array
    value: Array

    def solve(self) -> MaximumEntropy:
        return maximum_entropy(self.form, self.counts, self.value)


def random_list(kind: str, levels: int, ranks: int, rng: np.random.Generator) -> Array:
    """A random list of levels, ordered by level plus noise."""
    noise = (REALISTIC | HARD)[kind]
    share = rng.uniform(0.4, 0.7) if kind == "dense" else np.exp(rng.uniform(np.log(0.03), np.log(0.2)))
    odds = rng.dirichlet(np.full(levels - 1, 2.0))
    level = np.concatenate([np.arange(levels), rng.choice(levels, ranks - levels, p=[1 - share, *share * odds])])
    order = np.argsort(-level - abs(noise) * rng.normal(size=ranks))
    return level[order if noise > 0 else order[::-1]]


def problems(ranks: int, kinds: dict[str, float], each: int) -> Iterator[Problem]:
    rng = np.random.default_rng(SEED)
    for kind in kinds:
        for levels in (3, 4, 5):
            for _ in range(each):
                ranking = random_list(kind, levels, ranks, rng)
                counts = np.bincount(ranking, minlength=levels)
                pool = np.ceil(counts * rng.choice([1, 1.3, 2.0])).astype(int)
                for measure in parse_measures(MEASURES):
                    form = expected(measure, pool, tuple(map(float, range(levels))), ranks)
                    value = form.value((ranking == np.arange(levels)[:, None]).astype(float))
                    yield Problem(kind, measure, form, counts.astype(float), value)


def check(problem: Problem, result: MaximumEntropy) -> None:
    """Stop where a converged result misses the constraints, or is not a stationary point."""
    p = result.probability
    missed = max(
        np.abs(p.sum(0) - 1).max(),
        np.abs(p.sum(1) / problem.counts - 1).max(),
        abs(problem.form.value(p) - problem.value),
    )
    spread = 0.0  # of ln p[low, n] - ln p[high, n] - lambda (D[low, n] - D[high, n]) over the ranks n
    if np.isfinite(result.multiplier):
        logit = np.log(np.maximum(p, 1e-300)) - result.multiplier * problem.form.gradient(p)
        for low, high in combinations(range(len(p)), 2):
            clear = (p[[low, high]] > 1e-8).all(0)
            if clear.any():
                spread = max(spread, float(np.ptp((logit[low] - logit[high])[clear])))
    if missed > 1e-7 or spread > 1e-5:
        raise SystemExit(f"{problem.kind}, {problem.measure}: off by {missed:.1e}, {spread:.1e}")


def by_general_optimiser(problem: Problem) -> float:
    """The highest entropy that SLSQP finds from the list without order."""
    form, counts = problem.form, problem.counts
    start = np.repeat(counts[:, None] / SMALL, SMALL, 1)

    def shaped(x: Array) -> Array:
        return x.reshape(start.shape)

    result = minimize(
        lambda x: float((x * np.log(x)).sum()),
        start.ravel(),
        jac=lambda x: np.log(x) + 1,
        constraints=[
            {"type": "eq", "fun": lambda x: shaped(x).sum(0) - 1},
            {"type": "eq", "fun": lambda x: shaped(x)[1:].sum(1) - counts[1:]},
            {"type": "eq", "fun": lambda x: form.value(shaped(x)) - problem.value},
        ],
        bounds=[(1e-12, 1)] * start.size,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    return -float(result.fun)


def measure() -> list[Row]:
    """Seconds of a small list, ours and the peer's, after both found the same entropy."""
    small = [each for each in problems(SMALL, {"fair": 1.0}, 1) if (each.counts > 0).all()][:8]
    ours, theirs = [], []
    for problem in small:
        begin = time.perf_counter()
        result = problem.solve()
        ours.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        entropy = by_general_optimiser(problem)
        theirs.append(time.perf_counter() - begin)
        if result.converged and np.isfinite(result.multiplier) and abs(entropy - result.entropy) > 1e-4:
            raise SystemExit(f"{problem.measure}: entropy {result.entropy} against {entropy}")
    work = f"one list of {SMALL} ranks inferred from one value, on one core"
    return [Row(work, ours, theirs, "SLSQP of SciPy", unit="ms")]


def report() -> None:
    """Median and 99th percentile of the lists of 1,000 ranks, one at a time."""
    times: dict[str, list[float]] = {}
    solved: Counter[str] = Counter()
    for problem in problems(RANKS, REALISTIC | HARD, EACH):
        result = problem.solve()
        if result.converged:
            check(problem, result)
            solved[problem.kind] += 1
        begin = time.perf_counter()
        problem.solve()
        times.setdefault(problem.kind, []).append(time.perf_counter() - begin)
    for kind, seconds in times.items():
        middle, high = np.quantile(seconds, [0.5, 0.99])
        print(f"{kind:15} {solved[kind]:3} of {len(seconds)} inferred  median {middle:.4f} s  99% {high:.4f} s")
    everything = np.concatenate(list(times.values()))
    for name, seconds in zip(TARGET, np.quantile(everything, [0.5, 0.99]), strict=True):
        print(f"{name}: {seconds:.4f} s a list (wanted: at most {TARGET[name]} s)")
    print(f"inferred: {sum(solved.values())} of {len(everything)}")


if __name__ == "__main__":
    if "--row" not in sys.argv[1:]:
        report()
    for row in measure():
        print(row)
