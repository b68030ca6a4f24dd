"""The settings of Robertson, Kanoulas & Yilmaz's tables and figures."""

from __future__ import annotations

import math
from itertools import product

from gradeval import JudgedRankings, parse_measure
from gradeval.papers.texts.robertson10 import EXPONENTIAL, ITEMS, TRAINED


def test_ndcg_has_the_gain_of_the_text() -> None:
    found = parse_measure(EXPONENTIAL)(JudgedRankings.of([0, 2, 1]))
    ideal = (2**2 - 1) / math.log2(2) + (2**1 - 1) / math.log2(3)
    assert math.isclose(found.item(), ((2**2 - 1) / math.log2(3) + (2**1 - 1) / math.log2(4)) / ideal)


def test_two_learners_are_trained_for_three_measures_and_tested_by_three() -> None:
    assert {*TRAINED} == {
        f"{learner}:{measure}"
        for learner, measure in product(("softrank", "lambdarank"), ("nDCG(dcg='exp-log2')", "GAP", "AP"))
    }
    tables = [item for item in ITEMS if item.name in ("table1", "table2")]
    assert [item.settings["objectives"] for item in tables] == [TRAINED, TRAINED]
    assert [item.settings["measures"] for item in tables] == [f"{EXPONENTIAL}@10 AP P@10"] * 2
