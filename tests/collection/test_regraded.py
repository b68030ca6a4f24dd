from __future__ import annotations

import numpy as np
import pytest
from two_assessors import two_assessors

from gradeval import InputError, Qrels, evaluate, parse_measure, read_qrels
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


def test_every_grade_moves_and_the_levels_follow() -> None:
    ratings = Qrels.from_dict({"me": {"a": 1, "b": 10}, "you": {"a": 4}})
    shifted = ratings.shifted(-1)
    assert [shifted.of(who) for who in ("me", "you")] == [{"a": 0, "b": 9}, {"a": 3}]
    assert shifted.levels == tuple(range(10))
    assert ratings.of("me") == {"a": 1, "b": 10}  # as before


def test_steps_that_doubles_cannot_hold_are_rounded() -> None:
    assert Qrels.from_dict({"me": {"a": 1.1, "b": 1}}).shifted(-1).levels == (0, 0.1)


def test_no_grade_moves_by_no_number() -> None:
    with pytest.raises(InputError, match="qrels: grades cannot be shifted by nan; give a finite number, as in -1"):
        Qrels.from_dict({"me": {"a": 1}}).shifted(float("nan"))


def test_a_file_is_shifted_before_it_is_recoded(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "ratings.txt").write_text("me 0 a 5\nme 0 b 1\n")
    assert read_qrels(tmp_path / "ratings.txt", shift=-1, recode={4: 1}).of("me") == {"a": 1, "b": 0}
