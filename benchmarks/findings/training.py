"""Robertson, Kanoulas & Yilmaz (2010), section 5: is it better to train for GAP, whatever one tests by?

OHSUMED is theirs; MQ2008, and the judged documents of two tracks with the runs as features, are in place of their web
queries. Linear rankers and trees by LambdaRank, as they come; by five folds, each topic tested once for each seed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from claims import Found

from gradeval.ltr import crossval
from gradeval.ltr.training_noise import compare_trained

sys.path.append(str(Path(__file__).resolve().parents[1] / "training"))
from public_collections import read_parts

SETS = {
    "OHSUMED": "ohsumed-letor3",
    "MQ2008": "mq2008",
    "Deep Learning 2021, fusion": "trec-dl21-passage",
    "TREC-COVID, fusion": "trec-covid-r5",
}
SEEDS = {"linear": 1, "tree": 5}
"""Of each ranker: with several the intervals count how trainings vary."""
TESTS = {"ndcg": "nDCG(dcg='exp-log2')@10", "ap": "AP", "p10": "P@10"}
TRAINED = {"gap": "lambdarank:GAP(g=[0.5,0.5])", "ndcg": "lambdarank:nDCG(dcg='exp-log2')", "ap": "lambdarank:AP"}
CONTRASTS = (("ndcg", "ndcg"), ("ndcg", "ap"), ("ap", "ap"), ("ap", "p10"), ("ap", "ndcg"))
"""What GAP is compared with as an objective, and by what."""


def training(data: Path, work: Path | None = None) -> Iterator[Found]:
    """The differences of tests, topic by topic; 95% t intervals. A folder keeps what was trained."""
    for (name, folder), ranker in product(SETS.items(), SEEDS):
        parts = read_parts(data, folder)
        gap = TRAINED["gap"] if len(parts[0].levels) == 3 else "lambdarank:GAP"
        objectives = [gap, TRAINED["ndcg"], TRAINED["ap"]]
        tests, kept = list(TESTS.values()), work and work / folder / ranker
        study = crossval(parts, objectives, tests, ranker, seeds=SEEDS[ranker], work=kept, progress=True)
        found = compare_trained(study.scores, study.by_seed, study.parts, study.objectives[0], 0.05)
        assert found is not None
        pairs = {list(TRAINED)[run]: pair for pair, (run, _) in enumerate(found.pairs.tolist())}
        for rival, test in CONTRASTS:
            at = list(TESTS).index(test), pairs[rival]
            low, high = sorted((-found.interval[at]).tolist())  # the difference is the rival's less GAP's
            yield Found(f"gap-beats-{rival}-by-{test}", f"{name}, {ranker}", -float(found.difference[at]), low, high)
