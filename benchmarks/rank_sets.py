"""How often does some interval of rank miss? Collections of equal runs, whose true intervals are all ranks.

Prints a line for each kind of scores and number of topics: the share of the collections in which some pair of runs was
told apart, which should be alpha.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from gradeval.formula.spelling import parse_measures
from gradeval.scores.scores import Scores
from gradeval.studies.ranks import ranks

RUNS = 20


def draw(kind: str, topics: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """values[topic, run] of runs that are equally good on average."""
    noise = rng.normal(size=(topics, RUNS))
    match kind:
        case "normal":
            return 0.2 * rng.normal(size=(topics, 1)) + 0.1 * noise * np.linspace(0.5, 1.5, RUNS)
        case "skewed":
            return np.exp(0.5 * rng.normal(size=(topics, 1)) + 0.4 * noise)
        case "reciprocal ranks":
            easy = np.clip(rng.beta(0.7, 0.7, size=(topics, 1)), 0.02, 0.98)
            return 1 / rng.geometric(easy, size=(topics, RUNS))
        case "families":
            family = rng.normal(size=(topics, RUNS // 4)).repeat(4, axis=1)
            return rng.beta(2, 2, size=(topics, 1)) + 0.15 * family + 0.03 * noise
    return (rng.random((topics, RUNS)) < rng.beta(0.5, 0.5, size=(topics, 1))).astype(float)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collections", type=int, default=400)
    parser.add_argument("--samples", type=int, default=400)
    options = parser.parse_args()
    for topics in (25, 50):
        for kind in ("normal", "skewed", "reciprocal ranks", "families", "binary"):
            missed = 0
            for number in range(options.collections):
                values = draw(kind, topics, np.random.default_rng([topics, number]))
                scores = Scores(
                    values=np.ascontiguousarray(values.T)[..., None],
                    present=np.ones((RUNS, topics), bool),
                    vacant=np.zeros((topics, 1), bool),
                    runs=[f"run{run}" for run in range(RUNS)],
                    topics=[str(topic) for topic in range(topics)],
                    measures=parse_measures("AP"),
                )
                rank_sets = ranks(scores, samples=options.samples, seed=number, threads=1)
                missed += bool((rank_sets.lower > 1).any() or (rank_sets.upper < RUNS).any())
            print(f"{topics} topics, {kind}: {missed / options.collections:.3f} of {options.collections}", flush=True)


if __name__ == "__main__":
    main()
