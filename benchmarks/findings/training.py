"""Robertson, Kanoulas & Yilmaz (2010), section 5: is it better to train for GAP, whatever one tests by?

OHSUMED is theirs; MQ2008, and the judged documents of two tracks with the runs as features, are in place of their web
queries. Linear rankers and trees by LambdaRank, as they come; by five folds, each topic tested once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from claims import Found
from scipy import stats

from gradeval.ltr import crossval

sys.path.append(str(Path(__file__).resolve().parents[1] / "training"))
from public_collections import read_parts

SETS = {
    "OHSUMED": "ohsumed-letor3",
    "MQ2008": "mq2008",
    "Deep Learning 2021, fusion": "trec-dl21-passage",
    "TREC-COVID, fusion": "trec-covid-r5",
}
RANKERS = ("linear", "tree")
TESTS = {"ndcg": "nDCG(dcg='exp-log2')@10", "ap": "AP", "p10": "P@10"}
TRAINED = {"gap": "lambdarank:GAP(g=[0.5,0.5])", "ndcg": "lambdarank:nDCG(dcg='exp-log2')", "ap": "lambdarank:AP"}
CONTRASTS = (("ndcg", "ndcg"), ("ndcg", "ap"), ("ap", "ap"), ("ap", "p10"), ("ap", "ndcg"))
"""What GAP is compared with as an objective, and by what."""


def training(data: Path) -> Iterator[Found]:
    """The differences of tests, topic by topic; 95% t intervals."""
    for (name, folder), ranker in product(SETS.items(), RANKERS):
        parts = read_parts(data, folder)
        gap = TRAINED["gap"] if len(parts[0].levels) == 3 else "lambdarank:GAP"
        objectives = [gap, TRAINED["ndcg"], TRAINED["ap"]]
        scores = crossval(parts, objectives, list(TESTS.values()), ranker, progress=True).scores
        values = dict(zip(TRAINED, scores.values, strict=True))
        for rival, test in CONTRASTS:
            place = list(TESTS).index(test)
            difference = values["gap"][:, place] - values[rival][:, place]
            mean, error = float(difference.mean()), float(stats.sem(difference))
            within = error * float(stats.t.ppf(0.975, len(difference) - 1))
            yield Found(f"gap-beats-{rival}-by-{test}", f"{name}, {ranker}", mean, mean - within, mean + within)
