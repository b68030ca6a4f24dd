from __future__ import annotations

import re
from dataclasses import replace

import pytest
from two_assessors import TwoAssessors, two_assessors

from gradeval import InputError, judges

USES = ["Order", "Differences", "Absolute scores", "Labels"]


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4, topics=20, runs=10)


def test_the_first_notes_are_the_verdicts_on_four_uses(drawn: TwoAssessors) -> None:
    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "AP", samples=50, draws=0)
    first = [str(note) for note in found.notes[:4]]
    assert [text.partition(":")[0] for text in first] == USES
    assert first == found.verdicts == found.verdicts_of("model", "AP")
    assert found.verdict("model") == "; ".join(first)
    assert re.match(r"Order: .+ \(model by AP: tau [.1]", first[0])
    labels = judges(drawn.human, {"model": drawn.judge}, samples=50)
    assert str(labels.notes[0]).startswith("Labels: below .8 (model: alpha .")


@pytest.mark.parametrize("measures", ["AP nDCG@10 P@5", "P@5 AP nDCG@10"])
def test_the_headline_is_of_the_weakest_measure_whatever_their_order(drawn: TwoAssessors, measures: str) -> None:
    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, measures, samples=50, draws=0)
    numbers = {"below": -1, "not decided": 0, "as good": 1}
    results = [found.of("model", measure) for measure in measures.split()]
    headline = found.verdicts[0]
    named = re.search(r"\(model by (.+?): tau", headline)
    assert named is not None
    assert headline.endswith(", the weakest of 3 measures)")
    order = found.of("model", named[1]).order
    assert numbers[order.answer] == min(numbers[one.order.answer] for one in results)
    assert all(numbers[one.order.answer] > numbers[order.answer] or one.order.margin >= order.margin for one in results)
    grid = next(grid for grid in found.table(all=True).grids if grid.title == "verdicts")
    assert [row[:3] for row in grid.rows] == [
        ["model", measure, one.order.cell] for measure, one in zip(measures.split(), results, strict=True)
    ]


def test_the_judge_of_many_that_is_named_does_not_depend_on_the_order_of_measures(drawn: TwoAssessors) -> None:
    others = {f"judge{seed}": two_assessors(seed, topics=20, runs=10).judge for seed in range(4)}
    others["model"] = drawn.judge
    both = [judges(drawn.human, others, drawn.runs, one, samples=20, draws=0) for one in ("AP P@5", "P@5 AP")]
    assert both[0].verdicts == both[1].verdicts
    assert both[0].verdicts[-1].startswith("These are the verdicts on model (of 5 judges the one whose lowest skill is")


def test_a_named_second_assessor_is_what_others_are_compared_with(drawn: TwoAssessors) -> None:
    others = {"model": drawn.judge, "anna": drawn.judge, "bob": drawn.human}
    found = judges(drawn.human, others, drawn.runs, "AP", samples=50, draws=0, second="anna")
    same = found.of("model", "AP")
    assert same.order.overall[0].value == 0
    assert "as good as the second assessor (model by AP: tau ." in found.verdicts_of("model")[0]
    assert ", anna ." in found.verdicts_of("model")[0]
    assert "Labels: as good as the second assessor (bob: alpha 1.00, anna ." in found.verdict("bob")
    assert "second assessor" not in found.verdict("anna")
    assert not any("half of the topics against" in str(note) for note in found.notes)
    worse = judges(drawn.human, others, drawn.runs, "AP", samples=50, draws=0, second="bob")
    assert worse.of("model", "AP").order.overall[0].value == pytest.approx(worse.of("model", "AP").orders.tau.value - 1)
    assert worse.verdict("model").startswith("Order: not decided; about ")
    assert "Labels: below the second assessor (model: alpha " in worse.verdict("model")


def test_a_second_assessor_of_other_topics_is_compared_on_the_common_ones(drawn: TwoAssessors) -> None:
    half = {topic: grades for topic, grades in drawn.judge.items() if topic < "t12"}
    options = {"samples": 50, "draws": 0, "second": "anna"}
    found = judges(drawn.human, {"model": drawn.judge, "anna": half}, drawn.runs, "AP", **options)
    assert found.of("model", "AP").order.overall[0].topics == 12
    assert found.of("model", "AP").order.overall[0].value == 0
    few = {topic: grades for topic, grades in drawn.judge.items() if topic > "t16"}
    other = {topic: grades for topic, grades in drawn.judge.items() if topic < "t10"}
    apart = judges(drawn.human, {"model": other, "anna": few}, drawn.runs, "AP", **options)
    assert apart.verdicts_of("model")[0] == "Order: not decided, as anna judged too few of these topics (model by AP)"


def test_without_a_second_assessor_nothing_is_said_of_one(drawn: TwoAssessors) -> None:
    others = {"model": drawn.judge, "anna": drawn.judge}
    alone = judges(drawn.human, others, drawn.runs, "AP", samples=50, draws=0)
    assert "assessor" not in " ".join(alone.verdicts)
    assert any("half of the topics against the other half: kendall AP 0." in str(note) for note in alone.notes)
    assert replace(alone, notes=[]).to_dict()["statistic"].count("split-halves") == 1
    with pytest.raises(InputError, match=r"second=ana: no such judge \(did you mean anna\?\); the judges are model"):
        judges(drawn.human, others, drawn.runs, "AP", second="ana")


def test_records_hold_the_verdict_and_the_bounds_that_decide(drawn: TwoAssessors) -> None:
    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "AP", samples=50, draws=0)
    records = found.to_dict()
    names = ("measure", "statistic", "of", "value", "lower", "upper")
    rows = list(zip(*(records[name] for name in names), strict=True))
    figures = {row[:3]: row[3:] for row in rows}
    one = found.of("model", "AP")
    for use, verdict in (
        ("order", one.order),
        ("differences", one.differences),
        ("absolute-scores", one.absolute_scores),
    ):
        assert figures["AP", "verdict", use][0] == {"below": -1, "not decided": 0, "as good": 1}[verdict.answer]
        assert figures["AP", "topics-needed", use][0] == verdict.topics_needed
    assert figures[None, "verdict", "labels"][0] == -1
    tau, top = one.order.overall[0], one.order.top
    assert figures["AP", "decided", "tau"] == (tau.value, tau.low, tau.high)
    assert top is not None
    assert one.top.tau is not None
    assert figures["AP", "decided", "top-tau"] == (top.value, top.low, top.high)
    assert figures["AP", "top-tau", None][0] == one.top.tau.value == top.value
    assert figures["AP", "top-runs", None][0] == len(one.top.runs) == 5


def test_every_place_that_shows_kappa_says_its_weights(drawn: TwoAssessors) -> None:
    """A screen below each grid, LaTeX in its caption, and a note: without weights kappa is another number."""
    said = "kappa: quadratic weights"
    for data in ((), (drawn.runs, "AP")):
        found = judges(drawn.human, {"model": drawn.judge}, *data, samples=20, **({"draws": 0} if data else {}))
        for all in (False, True):
            table = found.table(all=all)
            grids = [grid for grid in table.grids if "kappa" in grid.head]
            assert grids
            assert str(table).splitlines().count(said) == len(grids)
        assert any(said in note.text for note in found.notes)
        assert said in found.to_latex()
