"""Robertson, Kanoulas & Yilmaz (2010), section 5: is it better to train for GAP, whatever one tests by?

OHSUMED is theirs; MQ2008, and the judged documents of two tracks with the runs as features, are in place of their web
queries. The text trains networks by LambdaRank and by SoftRank. So do we, and linear rankers and trees by LambdaRank;
all have their default settings. Five folds test each topic once for each of five seeds, which the intervals count.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
LEARNERS = {
    "linear, LambdaRank": ("lambdarank", "linear"),
    "trees, LambdaRank": ("lambdarank", "tree"),
    "network, LambdaRank": ("lambdarank", "neural"),
    "network, SoftRank": ("softrank", "neural"),
}
SEEDS = 5
TESTS = {"ndcg": "nDCG(dcg='exp-log2')@10", "ap": "AP", "p10": "P@10"}
TRAINED = {"gap": "GAP(g=[0.5,0.5])", "ndcg": "nDCG(dcg='exp-log2')", "ap": "AP"}
CONTRASTS = (("ndcg", "ndcg"), ("ndcg", "ap"), ("ap", "ap"), ("ap", "p10"), ("ap", "ndcg"))
"""What GAP is compared with as an objective, and by what."""


def training(data: Path, work: Path | None = None) -> Iterator[Found]:
    """The differences of tests, topic by topic; 95% t intervals. A folder keeps what was trained."""
    for name, folder in SETS.items():
        parts = read_parts(data, folder)
        measures = TRAINED if len(parts[0].levels) == 3 else TRAINED | {"gap": "GAP"}
        for learner, (method, ranker) in LEARNERS.items():
            objectives = [f"{method}:{measure}" for measure in measures.values()]
            tests, kept = list(TESTS.values()), work and work / folder / f"{method}-{ranker}"
            study = crossval(parts, objectives, tests, ranker, seeds=SEEDS, work=kept, progress=True)
            found = compare_trained(study.scores, study.by_seed, study.parts, study.objectives[0], 0.05)
            assert found is not None
            pairs = {list(TRAINED)[run]: pair for pair, (run, _) in enumerate(found.pairs.tolist())}
            for rival, test in CONTRASTS:
                at = list(TESTS).index(test), pairs[rival]
                low, high = sorted((-found.interval[at]).tolist())  # the difference is the rival's less GAP's
                lead = -float(found.difference[at])
                yield Found(f"gap-beats-{rival}-by-{test}", f"{name}, {learner}", lead, low, high)
