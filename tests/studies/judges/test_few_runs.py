from __future__ import annotations

import pytest
from two_assessors import two_assessors

from gradeval import compare, evaluate, judges
from gradeval.studies.judges.few_runs import TwoRuns
from gradeval.warning_categories import SignificanceWarning

DRAWN = two_assessors(4, topics=20)
BEST, WORST = DRAWN.runs["run0"], DRAWN.runs["run5"]


def decisions(human: str, judge: str) -> TwoRuns:
    """Two sides, each of which takes the better run, the worse one, or neither."""
    runs = {"better": {"a": WORST, "b": BEST}, "worse": {"a": BEST, "b": WORST}, "equal": {"a": BEST, "b": BEST}}
    sides = [compare(evaluate(DRAWN.human, runs[side], "nDCG@10")).decision for side in (human, judge)]
    assert sides[0] is not None
    assert sides[1] is not None
    return TwoRuns(sides[0], sides[1])


@pytest.mark.parametrize(
    ("human", "judge", "agreement", "cell", "said"),
    [
        ("better", "better", "same", "same (b)", "Same winner: b wins by people and by llm"),
        ("worse", "worse", "same", "same (a)", "Same winner: a wins by people and by llm"),
        ("better", "worse", "opposite", "opposite", "Opposite winners: b wins by people, a by llm"),
        ("better", "equal", "not decided", "not decided", "b wins by people; llm does not decide"),
        ("equal", "worse", "not decided", "not decided", "a wins by llm; people does not decide"),
        ("equal", "equal", "not decided", "not decided", "Neither people nor llm names a winner"),
    ],
)
def test_two_sides_name_one_winner_or_two_or_none(human: str, judge: str, agreement: str, cell: str, said: str) -> None:
    two = decisions(human, judge)
    assert (two.agreement, two.cell) == (agreement, cell)
    first, *each = two.sentences("people", "llm")
    assert first == said
    assert each == [f"people: {two.human.sentence}", f"llm: {two.judge.sentence}"]


def test_the_decisions_are_those_of_compare_by_the_grades_of_each_side() -> None:
    runs = {"run0": BEST, "run5": WORST}
    with pytest.warns(SignificanceWarning, match="take more runs to tell judges apart"):
        found = judges(DRAWN.human, {"model": DRAWN.judge}, runs, "AP nDCG@10", samples=20, draws=0)
    two = found.two_runs["model"]
    for side, grades in ((two.human, DRAWN.human), (two.judge, DRAWN.judge)):
        decision = compare(evaluate(grades, runs, "AP nDCG@10")).decision
        assert decision is not None
        assert side.sentence == decision.sentence
    assert found.verdicts[:3] == list(two.sentences("qrels", "model"))
    assert [one.split(":")[0] for one in found.verdicts[3:]] == ["Absolute scores", "Labels"]
    records = found.to_dict()
    assert records["value"][records["statistic"].index("same-winner")] == 1


@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_a_winner_that_rests_on_unjudged_documents_is_said_to_as_compare_says_it() -> None:
    """The loser puts unjudged documents first: over judged ones alone it is the same run."""
    new = {
        topic: scores | {f"new{n}": max(scores.values()) + 1 + n for n in range(6)} for topic, scores in BEST.items()
    }
    runs = {"old": BEST, "new": new}
    two = judges(DRAWN.human, {"model": DRAWN.judge}, runs, "nDCG@10", samples=20, draws=0).two_runs["model"]
    for side, grades in ((two.human, DRAWN.human), (two.judge, DRAWN.judge)):
        decision = compare(grades, runs, "nDCG@10").decision
        assert decision is not None
        assert side.sentence == decision.sentence
        assert side.sentence.endswith(", if unjudged documents of new are not relevant")


def test_a_lone_run_has_its_mean_by_either_side() -> None:
    found = judges(DRAWN.human, {"model": DRAWN.judge}, {"run0": BEST}, "AP nDCG@10", samples=20)
    assert (found.consequences, found.two_runs) == ({}, {})
    for place, measure in enumerate(found.measures):
        means = [evaluate(grades, BEST, measure).mean()[0, 0] for grades in (DRAWN.human, DRAWN.judge)]
        shift = found.lone_run["model"][place].shift
        assert shift is not None
        assert (shift.human, shift.human + shift.level) == pytest.approx(means)
        assert found.lone_run["model"][place].verdict.decisions[0].name == "shift"
    assert [one.split(":")[0] for one in found.verdicts] == ["Absolute scores", "Labels"]
    assert "the mean of run0" in str(found)
