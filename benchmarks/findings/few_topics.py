"""How often do intervals of differences of tau hold where there are as few topics as some claims rest on?

    python benchmarks/findings/few_topics.py DATA

Topics of TREC 2021 Deep Learning are drawn with replacement, as many as ``few:2`` (6) and ``few:3`` (16) have, and 10
and 50. The interval is the register's; the truth is the mean of the estimate over other draws of as many topics. What
is counted replaces src/gradeval/papers/claims/few_topics.tsv, from which the page of the claims has it.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from claims import Quantity
from orders import draw_topics
from public_runs import Collection, read_collections

from gradeval import AP, GAP, eGAP, nDCG, xGAP
from gradeval.formula.arithmetic import Array, rounded
from gradeval.papers.claims_register import FOLDER
from gradeval.scores.scores import Scores
from gradeval.scores.scoring import score
from gradeval.studies.correlation import correlation_matrix, is_constant

POPULATION, TOPICS, DRAWS, OF_TRUTH = "Deep Learning 2021", (6, 10, 16, 50), 300, 3000
CONTRASTS = {
    "gap-nearer-ap-than-xgap": (AP, GAP, xGAP),
    "gap-nearer-ap-than-egap": (AP, GAP, eGAP),
    "gap-nearer-ndcg-with-few-than-xgap": (nDCG, GAP, xGAP),
    "gap-nearer-ndcg-with-few-than-egap": (nDCG, GAP, eGAP),
}
"""By claim: the measure with which two are correlated, and these; their users are strict."""
COUNTED = FOLDER / "few_topics.tsv"


def main(data: str) -> None:
    """Count, print and keep it."""
    one = next(each for each in read_collections(Path(data)) if each.name == POPULATION)
    rows = [[claim, str(topics), str(DRAWS), f"{share:.4f}"] for claim, topics, share in count(one)]
    with open(COUNTED, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([["claim", "topics", "draws", "held"], *rows])
    print(COUNTED.read_text(encoding="utf-8"))


def count(one: Collection) -> Iterator[tuple[str, int, float]]:
    """Claim, number of topics, and the share of the draws in which the interval held the truth."""
    for claim, (reference, *two) in CONTRASTS.items():
        measures = [reference, *(measure(g=one.strict) for measure in two)]
        scores = score(one.judged, measures).sel(runs=one.upper_runs)
        for topics in TOPICS:
            others = np.stack([draw(scores, topics, DRAWS + seed).sum(0) for seed in range(OF_TRUTH)])
            truth = float(np.nanmean(differences(scores, others)))
            held = 0
            for seed in range(DRAWS):
                value, *drawn = differences(scores, draw_topics(topics) @ draw(scores, topics, seed))
                low, high = Quantity(float(value), np.array(drawn), centred=True).interval
                held += low <= truth <= high
            yield claim, topics, held / DRAWS


def draw(scores: Scores, topics: int, seed: int) -> Array:
    """float64[drawn, topic]: a row for each topic that was drawn, with a 1 in its place."""
    size = len(scores.topics)
    return np.eye(size)[np.random.default_rng([topics, seed]).integers(size, size=topics)]


def differences(scores: Scores, weights: Array) -> Array:
    """float64[sample]: tau of the first measure with the second, less tau with the third, by weights[sample, topic];
    nothing where fewer than three different topics were drawn."""
    means = np.ascontiguousarray(rounded(np.moveaxis(scores.aggregate(weights), -1, 1)))  # [sample, measure, run]
    taus = correlation_matrix("kendall", means[:, :1], means[:, 1:])[:, 0]
    undefined = is_constant(means).any(-1) | (np.count_nonzero(weights, axis=1) < 3)
    return np.where(undefined, np.nan, taus[:, 0] - taus[:, 1])


if __name__ == "__main__":
    main(*sys.argv[1:])
