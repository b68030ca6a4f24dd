from __future__ import annotations

import numpy as np
import pytest
from two_assessors import two_assessors

from gradeval import Qrels, evaluate, parse_measure
from gradeval.collection.joint_pool import Regrading, join_pools
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Negative
from gradeval.files.accepted import as_runs
from gradeval.scores.scoring import score

MEASURES = ["AP", "GAP", "xGAP", "nDCG@5", "Bpref", "infAP", "Judged@10", "NumRel", "RBP"]


@pytest.mark.parametrize("negative", ["nonrelevant", "unjudged"])
@pytest.mark.parametrize("seed", range(3))
def test_runs_that_met_all_assessors_score_as_if_read_for_each(seed: int, negative: Negative) -> None:
    drawn = two_assessors(seed, same_pool=False)
    for topic in drawn.human:
        drawn.human[topic]["d7"] = -1
        drawn.judge[topic]["d9"] = -2
    pool = join_pools(Qrels.from_dict(drawn.human), {"judge": Qrels.from_dict(drawn.judge)})
    met = meet(pool.qrels, as_runs(drawn.runs))
    measures = [parse_measure(name) for name in MEASURES]
    for judgments, grades in ((drawn.human, pool.human), (drawn.judge, pool.judges["judge"])):
        expected = evaluate(judgments, drawn.runs, measures, negative=negative)
        values = score(Regrading(met, pool.levels, negative).by(grades), measures).values
        np.testing.assert_array_equal(values, expected.values)
