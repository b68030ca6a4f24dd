"""Tables of correlations over grids of users and over settings of gains."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import kendalltau

from gradeval import AP, AWP, RWP, InputError, JudgedRuns, Q, RMeasure, Rprec, correlate_gains, correlate_users, judge
from gradeval.papers.correlate_gains import gains_like_the_papers, lay_out_gains
from gradeval.scores.scoring import score
from gradeval.studies.simulate import simulate_collection

FOUR = (0.0, 1.0, 2.0, 3.0)


@pytest.fixture(scope="module")
def judged() -> JudgedRuns:
    """A collection with two positive grades."""
    drawn = simulate_collection(levels=3, topics=12, systems=6, depth=30, documents=60, seed=7)
    return judge(drawn.qrels, list(drawn.runs.values()))


def test_the_grid_has_all_users_by_three_measures(judged: JudgedRuns) -> None:
    records = correlate_users(judged, step=0.5, samples=0).to_frame().to_pylist()
    assert len(records) == 3 * 3 * 5  # g: 0, 0.5, 1; GAP, xGAP, eGAP; against GAP and four others
    others = {record["against"] for record in records if not record["against"].startswith("GAP")}
    assert others == {"AP", "nDCG", "RBP(rel=1)", "Bpref"}  # of the paper: nDCG is "the only other graded measure"
    same = {record["measure"]: record["value"] for record in records if record["against"] == "AP"}
    for name in ("GAP", "xGAP", "eGAP"):  # nobody but users whom grade 1 satisfies: AP itself
        assert same[f"{name}(g=[1,0])"] == 1


def test_a_grid_without_a_step_takes_the_one_of_the_paper(judged: JudgedRuns) -> None:
    assert len(correlate_users(judged, "AP", samples=0).to_frame()) == 11 * 3 * 2


def test_several_selections_of_topics_stand_below_each_other(judged: JudgedRuns) -> None:
    both = correlate_users(judged, "AP", step=1, samples=0, topics="all,atleast:1:2")
    alone = correlate_users(judged, "AP", step=1, samples=0, topics="atleast:1:2")
    records = both.to_frame().to_pylist()
    assert [one["selection"] for one in records] == ["all"] * 18 + ["atleast:1:2"] * 18
    assert records[18:] == alone.to_frame().to_pylist()


def test_gains_are_correlated_with_those_of_the_first_setting(judged: JudgedRuns) -> None:
    """Part (b) of Sakai's tables: Q with other gains against Q and AWP with the default ones."""
    records = correlate_gains(judged, gains=[[2, 1], [20, 10], [1, 1]], samples=0).to_frame().to_pylist()
    assert len(records) == (2 + 3 * 2) * 4 + (1 + 3 * 2) * 4
    values = {(one["measure"], one["column"]): (one["against"], one["value"]) for one in records}
    tenfold, q, awp = "Q(gains={1:10,2:20})", "Q(gains={1:1,2:2})", "AWP(gains={1:1,2:2})"
    names = [tenfold, q, awp]
    from gradeval import parse_measure

    means = dict(zip(names, score(judged, [parse_measure(name) for name in names]).mean().T, strict=True))
    for column, against in (("Q", q), ("AWP", awp)):
        expected = kendalltau(means[tenfold], means[against]).statistic
        assert values[tenfold, column] == (against, pytest.approx(expected, abs=1e-12))
    assert values["RWP(gains={1:1,2:1})", "Rprec"][1] == 1  # with equal gains R-WP is R-precision


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        ([[3, 2, 1]], r"gains=3:2:1: 3 numbers, and the collection has 2 positive levels \(1,2\)"),
        ([[1, 2]], "gains=1:2: a lower grade gains more than a higher one; the gain of the highest grade"),
        (["a:1"], "is not gains as in 2:1"),
        ([[2, 1], [1, 1], [2, 1]], "gains=2:1 are given twice"),
    ],
)
def test_gains_that_are_none_are_refused(judged: JudgedRuns, gains: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        correlate_gains(judged, gains=gains)


def test_a_step_that_does_not_divide_one_is_refused(judged: JudgedRuns) -> None:
    with pytest.raises(InputError, match=r"step=0\.3 is not a number that divides 1"):
        correlate_users(judged, step=0.3)


@pytest.mark.realdata
def test_the_documented_correlations_are_found_again(data) -> None:
    folder: Path = data("trec14-robust2005")
    runs = sorted((folder / "runs").iterdir())
    result = correlate_users(folder / "qrels.txt", runs, samples=0, topics="all,few:2").to_frame().to_pylist()
    shown = {(one["selection"], one["measure"]): f"{one['value']:.3f}" for one in result if one["against"] == "AP"}
    users = "(g=[0.1,0.9])"
    assert [shown["all", name + users] for name in ("GAP", "xGAP", "eGAP")] == ["0.942", "0.883", "0.871"]
    assert [shown["few:2", name + users] for name in ("GAP", "xGAP", "eGAP")] == ["0.871", "0.579", "0.532"]


def test_the_settings_are_those_of_sakai_for_three_levels() -> None:
    """Sakai (2005), table 1: S:A:B of 3:2:1, tenfold, a tenth, flat, and 10:5:1."""
    assert gains_like_the_papers(3) == [(3, 2, 1), (30, 20, 10), (0.3, 0.2, 0.1), (1, 1, 1), (10, 5, 1)]


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
