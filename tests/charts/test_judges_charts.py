from __future__ import annotations

import pytest
from two_assessors import TwoAssessors, two_assessors

import gradeval
from gradeval import InputError, judges
from gradeval.studies.judges.comparison import JudgeComparison

MEASURES = "GAP AP nDCG@10"


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4)


@pytest.fixture(scope="module")
def comparison(drawn: TwoAssessors) -> JudgeComparison:
    groups = {"run0": "good", "run1": "good", "run4": "bad"}
    others = {"model": drawn.judge, "human": drawn.human}
    return judges(drawn.human, others, drawn.runs, MEASURES, groups=groups, samples=100)


def test_it_is_drawn_with_a_point_a_judge(comparison: JudgeComparison, drawn: TwoAssessors) -> None:
    pytest.importorskip("altair")
    drawing = gradeval.plot(comparison).altair.to_dict()
    points = [part["layer"][2]["data"]["values"] for part in drawing["concat"]]
    assert len(points) == 3
    assert {point["judge"] for point in points[0]} == {"model", "human"}
    with pytest.raises(InputError, match="skill needs runs"):
        gradeval.plot(judges(drawn.human, {"model": drawn.judge}))


def test_a_judge_without_skill_has_no_point(drawn: TwoAssessors) -> None:
    pytest.importorskip("altair")
    meek = {topic: {one: min(2, grade) for one, grade in grades.items()} for topic, grades in drawn.judge.items()}
    found = judges(drawn.human, {"meek": meek}, drawn.runs, "AP(rel=3) AP", samples=20)
    drawing = gradeval.plot(found).altair.to_dict()
    assert [len(part["layer"][2]["data"]["values"]) for part in drawing["concat"]] == [0, 1]
