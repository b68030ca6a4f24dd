"""The settings of Ferrante, Ferro & Maistro's tables and figures, as sections 4 and 5 of the text describe them."""

from __future__ import annotations

import pytest

from gradeval.formula.spelling import parse_measures
from gradeval.papers.item import Item
from gradeval.papers.texts.ferro14 import ITEMS


@pytest.mark.parametrize("item", ITEMS[1:], ids=str)
def test_runs_are_above_the_first_quartile_and_topics_have_few_documents_of_each_grade(item: Item) -> None:
    assert item.settings["runs"] == "above-q1:AP"
    assert item.settings["topics"] == ",".join(["all", *(f"few:{grade}" for grade in range(2, item.grades + 1))])


@pytest.mark.parametrize("item", [item for item in ITEMS if item.study == "robustness"], ids=str)
def test_a_figure_has_three_extensions_of_ap_with_one_share_of_users_for_each_grade(item: Item) -> None:
    measures = parse_measures(str(item.settings["measures"]))
    shares = [dict(measure.parameters)["g"] for measure in measures if measure.name in ("GAP", "xGAP", "eGAP")]
    assert len(shares) == 3
    assert len({*shares}) == 1
    assert len(shares[0]) == item.grades
    assert sum(shares[0]) == pytest.approx(1)
    assert {measure.name for measure in measures} == {"AP", "GAP", "xGAP", "eGAP", "nDCG", "RBP", "Bpref"}
