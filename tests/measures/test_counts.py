from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, golden_cases, topics

from gradeval import JudgedRankings, NumNonRelRet, NumQ, NumRel, NumRelRet, NumRet


def test_golden_recall_base(golden: dict[str, Any]) -> None:
    for what, judged, _, params, value in golden_cases(golden, "recall_base"):
        assert NumRel(rel=params["k"])(judged) == value, what


@given(topics(), st.integers(1, 3))
def test_counts_count(topic: Topic, rel: int) -> None:
    judged = topic.judged
    assert NumQ(judged) == 1
    assert NumRet(judged) == len(topic.ranking)
    assert NumRel(rel=rel)(judged) == topic.base(rel)
    assert NumRelRet(rel=rel)(judged) == NumRet(rel=rel)(judged) == topic.count(len(topic.ranking), rel)
    judged_non_relevant = [item for item in topic.ranking if isinstance(item, int) and item < rel]
    assert NumNonRelRet(rel=rel)(judged) == len(judged_non_relevant)


def test_counts_add_up_over_topics_and_know_no_empty_topic() -> None:
    empty = JudgedRankings.of([0], pool=[1, 0])
    for measure in (NumQ, NumRet, NumRel, NumRelRet, NumNonRelRet):
        assert measure.definition.aggregate == "sum"
        assert measure.base(empty) is None
