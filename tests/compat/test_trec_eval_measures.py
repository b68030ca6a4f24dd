"""trec_eval's measures as ours; what is printed of them is tested in test_trec_eval.py."""

from __future__ import annotations

import pytest

from gradeval import InputError
from gradeval.compat.trec_eval_measures import MEASURES, NICKNAMES, columns_of, plain_measures


@pytest.mark.parametrize(
    ("name", "values", "level", "columns"),
    [
        ("P", ["5", "10"], 1, {"P_5": "P@5", "P_10": "P@10"}),
        ("P", ["5"], 2, {"P_5": "P(rel=2)@5"}),
        ("map", [], 1, {"map": "AP"}),
        ("ndcg_cut", ["3"], 1, {"ndcg_cut_3": "nDCG@3"}),
        ("recip_rank", [], 1, {"recip_rank": "RR"}),
    ],
)
def test_a_measure_is_one_of_ours_under_the_names_of_trec_eval(
    name: str, values: list[str], level: int, columns: dict[str, str]
) -> None:
    made = columns_of(MEASURES[name], values, level=level, judged_only=False)
    assert {one.name: " ".join(map(str, one.measures)) for one in made} == columns
    assert list(map(str, plain_measures(made) or ())) == list(columns.values())


def test_every_measure_can_be_printed_and_nicknames_are_of_measures() -> None:
    for measure in MEASURES.values():
        assert columns_of(measure, [], level=1, judged_only=False)
    assert {name for names in NICKNAMES.values() for name in names} <= MEASURES.keys()


def test_values_that_a_measure_cannot_have_are_refused() -> None:
    with pytest.raises(InputError, match=r"cannot read 'set_F\.x'"):
        columns_of(MEASURES["set_F"], ["x"], level=1, judged_only=False)
