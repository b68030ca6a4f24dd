"""Which measures stand in the rows and columns of the tables of correlations."""

from __future__ import annotations

from math import comb

import pytest

from gradeval import AP, AWP, GAP, RWP, InputError, Q, RMeasure, Rprec, eGAP, nDCG, xGAP
from gradeval.papers.correlate_gains import lay_out_gains
from gradeval.papers.correlate_users import lay_out_users
from gradeval.studies.correlate import lay_out

FOUR = (0.0, 1.0, 2.0, 3.0)


def test_measures_are_correlated_with_each_other() -> None:
    table = lay_out([AP, nDCG, GAP])
    assert table.rows == [(("AP",), AP), (("nDCG",), nDCG), (("GAP",), GAP)]
    assert table.columns == [("AP", [AP] * 3), ("nDCG", [nDCG] * 3), ("GAP", [GAP] * 3)]
    assert table.measures == [AP, nDCG, GAP]


def test_a_reference_is_the_only_column_and_no_row() -> None:
    table = lay_out([AP, nDCG, GAP], nDCG)
    assert table.rows == [(("AP",), AP), (("GAP",), GAP)]
    assert table.columns == [("nDCG", [nDCG] * 2)]
    with pytest.raises(InputError, match="AP: there is no other measure to correlate it with"):
        lay_out([AP], AP)


def test_users_on_the_grid_have_three_measures_each_against_their_own_gap() -> None:
    table = lay_out_users(FOUR, [AP, nDCG], "0.5")
    assert table.heads == ("g", "measure")
    assert len(table.rows) == (comb(2 + 2, 2) + 1) * 3  # g: two halves among three levels, and equal shares
    assert ("0.333,0.333,0.333", "GAP") in [labels for labels, _ in table.rows]
    assert table.rows[6:9] == [
        (("0,1,0", "GAP"), GAP(g=[0, 1, 0])),
        (("0,1,0", "xGAP"), xGAP(g=[0, 1, 0])),
        (("0,1,0", "eGAP"), eGAP(g=[0, 1, 0])),
    ]
    (title, own), *others = table.columns
    assert title == "GAP"
    assert own[6:9] == [GAP(g=[0, 1, 0])] * 3
    assert others == [("AP", [AP] * 21), ("nDCG", [nDCG] * 21)]


def test_the_grid_has_the_step_of_the_paper() -> None:
    assert len(lay_out_users(FOUR, [AP]).rows) == 3 * (comb(5 + 2, 2) + 1)  # 0.2 for three positive levels
    assert len(lay_out_users(FOUR[:3], [AP]).rows) == 3 * 11  # 0.1 for two


def test_gains_go_to_the_levels_highest_first() -> None:
    of_q, of_r = lay_out_gains(FOUR, [[10, 5, 1], [1, 1, 1]])
    gains, flat = {1: 1, 2: 5, 3: 10}, {1: 1, 2: 1, 3: 1}
    assert of_q.rows == [
        (("", "AP"), AP),
        (("", "AP(rel=2)"), AP(rel=2)),
        (("10:5:1", "Q"), Q(gains=gains)),
        (("10:5:1", "AWP"), AWP(gains=gains)),
        (("1:1:1", "Q"), Q(gains=flat)),
        (("1:1:1", "AWP"), AWP(gains=flat)),
    ]
    assert of_r.rows == [
        (("", "Rprec"), Rprec),
        (("10:5:1", "RMeasure"), RMeasure(gains=gains)),
        (("10:5:1", "RWP"), RWP(gains=gains)),
        (("1:1:1", "RMeasure"), RMeasure(gains=flat)),
        (("1:1:1", "RWP"), RWP(gains=flat)),
    ]


def test_the_columns_keep_the_first_gains_as_in_sakai() -> None:
    of_q, of_r = lay_out_gains(FOUR, [[10, 5, 1], [1, 1, 1]])
    gains = {1: 1, 2: 5, 3: 10}
    assert of_q.columns == [
        ("AP", [AP] * 6),
        ("AP(rel=2)", [AP(rel=2)] * 6),
        ("Q", [Q(gains=gains)] * 6),
        ("AWP", [AWP(gains=gains)] * 6),
    ]
    assert of_r.columns == [
        ("RMeasure", [RMeasure(gains=gains)] * 5),
        ("RWP", [RWP(gains=gains)] * 5),
        ("Rprec", [Rprec] * 5),
        ("Q", [Q(gains=gains)] * 5),
    ]
    assert of_q.title == "Q-measure; columns: gains 10:5:1"


def test_rigid_ap_begins_at_the_second_positive_level() -> None:
    of_q, _ = lay_out_gains((0.0, 0.5, 2.5, 4.0), [[3, 2, 1]])
    assert of_q.columns[1] == ("AP(rel=2.5)", [AP(rel=2.5)] * 4)
    assert of_q.rows[2][1] == Q(gains={0.5: 1, 2.5: 2, 4: 3})


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ((0.0, 1.0), r"the collection has one positive level \(1\), gains need two"),
        (FOUR, r"gains=2:1: 2 numbers, and the collection has 3 positive levels \(1,2,3\)"),
    ],
)
def test_gains_that_do_not_fit_the_levels_are_refused(levels: tuple[float, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lay_out_gains(levels, [[2, 1]])
