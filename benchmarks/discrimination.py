"""How fast are the bootstrap tests of all pairs? 126 runs (7,875 pairs) x 50 topics x 1,000 samples x 8 measures.

python benchmarks/discrimination.py

The peer is a NumPy loop over pairs, each pair's resamples at once, timed on some pairs and scaled to all.
"""

from __future__ import annotations

import time

import numpy as np
from results import Row

from gradeval.formula.arithmetic import Array
from gradeval.formula.spelling import parse_measures
from gradeval.scores.scores import Scores
from gradeval.studies.discriminate import discriminate

RUNS, TOPICS, SAMPLES, SEED = 126, 50, 1000, 7
MEASURES = parse_measures("AP GAP nDCG nDCG@20 Q ERR@20 RBP P@20")
SLICE = 200  # pairs that the peer is timed on
ROUNDS = 5


def random_scores() -> Scores:
    """Real-looking values: a quality of each run, a difficulty of each topic, and chance."""
    rng = np.random.default_rng(1)
    values = 0.1 * rng.normal(size=(RUNS, 1, 1)) + 0.2 * rng.normal(size=(1, TOPICS, 1))
    values = values + 0.15 * rng.normal(size=(RUNS, TOPICS, 1)) + 0.05 * rng.normal(size=(RUNS, TOPICS, len(MEASURES)))
    return Scores(
        values=values,
        present=np.ones((RUNS, TOPICS), bool),
        vacant=np.zeros((TOPICS, len(MEASURES)), bool),
        runs=[f"run{run}" for run in range(RUNS)],
        topics=[str(topic) for topic in range(TOPICS)],
        measures=MEASURES,
    )


def loop(values: Array, pairs: Array, indices: Array) -> list[float]:
    """ASL of some pairs of values[run, topic], one pair after the other."""
    levels = []
    root = np.sqrt(values.shape[-1])
    for first, second in pairs:
        z = values[first] - values[second]
        observed = abs(z.mean() / (z.std(ddof=1) / root))
        resampled = (z - z.mean())[indices]
        t = resampled.mean(-1) / (resampled.std(-1, ddof=1) / root)
        levels.append(float((np.abs(t) >= observed).mean()))
    return levels


def measure() -> list[Row]:
    """Seconds of the whole study, ours and the peer's, after both gave the same levels."""
    scores = random_scores()
    result = discriminate(scores, samples=SAMPLES, seed=SEED)
    times = np.random.default_rng(SEED).multinomial(TOPICS, np.full(TOPICS, 1 / TOPICS), size=SAMPLES)
    indices = np.stack([np.repeat(np.arange(TOPICS), each) for each in times])
    some = result.pairs[:: len(result.pairs) // SLICE][:SLICE]
    chosen = np.arange(len(result.pairs))[:: len(result.pairs) // SLICE][:SLICE]
    for place in range(len(MEASURES)):
        np.testing.assert_allclose(
            result.asl[place, chosen], loop(scores.values[..., place], some, indices), atol=1e-12
        )
    ours, theirs = [], []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        discriminate(scores, samples=SAMPLES, seed=SEED)
        ours.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        loop(scores.values[..., 0], some, indices)
        theirs.append((time.perf_counter() - begin) * len(result.pairs) / len(some) * len(MEASURES))
    work = "bootstrap tests of 7,875 pairs x 50 topics x 1,000 samples x 8 measures"
    return [Row(work, ours, theirs, f"a NumPy loop over pairs, {len(some)} of them scaled")]


if __name__ == "__main__":
    for row in measure():
        print(row)
