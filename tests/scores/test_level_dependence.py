"""Whether levels or gaps matter to a measure: evaluating random judgments with and without them says the same."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from gradeval import Qrels, evaluate, parse_measure
from gradeval.scores.level_dependence import depends_on_gaps, depends_on_levels

MEASURES = ["AP", "P@5", "RR", "nDCG", "nDCG@5", "ERR", "Q", "GAP", "RBP", "AP(rel=4)", "xGAP"]


def draw(grades: list[int], seed: int = 0) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = np.random.default_rng(seed)
    names = [f"d{place}" for place in range(12)]
    topics = [str(topic) for topic in range(20)]
    qrels = {topic: {name: int(rng.choice(grades)) for name in names} | {"d0": grades[-1]} for topic in topics}
    return qrels, {topic: {name: float(rng.random()) for name in names} for topic in topics}


def values_of(qrels: Qrels | dict[str, dict[str, int]], run: dict[str, dict[str, float]], measure: str) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate(qrels, run, measure).values


@pytest.mark.parametrize("measure", [name for name in MEASURES if "rel=" not in name])
def test_gaps_matter_where_grades_0_and_4_score_otherwise_than_0_and_1(measure: str) -> None:
    qrels, run = draw([0, 4])
    closed = {topic: {one: grade // 4 for one, grade in grades.items()} for topic, grades in qrels.items()}
    differ = not np.allclose(values_of(qrels, run, measure), values_of(closed, run, measure), rtol=0, atol=1e-12)
    assert depends_on_gaps(parse_measure(measure), (0, 4), (0, 1, 2, 3, 4)) == differ


@pytest.mark.parametrize("measure", [name for name in MEASURES if "rel=" not in name])
def test_levels_matter_where_a_topic_with_a_higher_grade_changes_the_other_topics(measure: str) -> None:
    qrels, run = draw([0, 1])
    more = {**qrels, "high": {"d0": 2, "d1": 1}}
    before = values_of(qrels, run, measure)
    after = values_of(more, {**run, "high": {"d0": 1.0}}, measure)[:, :-1]
    assert depends_on_levels(parse_measure(measure), (0, 1), (0, 1, 2)) == (
        not np.allclose(before, after, rtol=0, atol=1e-12)
    )


def test_some_measures_depend_and_others_do_not() -> None:
    gaps = {name for name in MEASURES if depends_on_gaps(parse_measure(name), (0, 4), (0, 1, 2, 3, 4))}
    assert {"ERR", "Q"} <= gaps
    assert not {"AP", "P@5", "RR", "nDCG", "AP(rel=4)"} & gaps  # a threshold names a grade as it is
