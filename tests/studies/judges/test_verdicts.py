from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau
from two_assessors import TwoAssessors, two_assessors

from gradeval import compare, evaluate, judges
from gradeval.studies.judges.favours import Shift
from gradeval.studies.judges.floors import Resampled
from gradeval.studies.judges.verdicts import (
    KEPT,
    Decision,
    JudgeAgreement,
    JudgeVerdict,
    Second,
    judge_differences,
    judge_labels,
    judge_order,
    judge_scores,
    weakest,
)
from gradeval.tables.grid import Estimate

TOPICS = 50
SKILL = Estimate(0.8, bounds=(0.7, 0.9))
NAN = float("nan")
FEW = "not decided, as the best 4 runs are too few"
SHUFFLED = "not decided, as shuffled grades may agree as well"


def resampled(value: float, spread: float, bias: float = 0.0) -> Resampled:
    """A figure whose resamples lie evenly, ``spread`` to both sides of the figure and a bias."""
    return Resampled(value, value + bias + np.linspace(-spread, spread, 2001))


def agreement(
    tau: Resampled, top: Resampled | None = None, kept: Resampled | None = None, top_kept: Resampled | None = None
) -> JudgeAgreement:
    few = Resampled(NAN, np.full(1, NAN))
    kept, top_kept = kept or resampled(0.97, 0.001), top_kept or (few if top is None else resampled(0.97, 0.001))
    return JudgeAgreement(TOPICS, 4 if top is None else 15, tau, top or few, kept, top_kept)


GOOD, OPEN, BAD = resampled(0.95, 0.01), resampled(0.92, 0.06), resampled(0.8, 0.05)
NEVER = resampled(0.901, 0.06)


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (0.9, 0.95, "as good"),
        (0.91, 1.0, "as good"),
        (0.8, 0.9, "not decided"),
        (0.89, 0.95, "not decided"),
        (0.7, 0.899, "below"),
        (-1.0, 1.0, "not decided"),
    ],
)
def test_bounds_decide(low: float, high: float, answer: str) -> None:
    assert Decision("tau", (low + high) / 2, low, high, 0.9, 20, "").answer == answer


@pytest.mark.parametrize(
    ("value", "low", "high", "topics", "needed"),
    [
        (0.95, 0.85, 1.0, 10, 40),  # twice as near at four times as many topics
        (0.85, 0.8, 1.0, 10, 90),
        (0.95, 0.451, 1.0, 10, 997),
        (0.95, 0.44, 1.0, 10, None),
        (0.9, 0.85, 1.0, 10, None),
        (0.85, 0.8, 0.9, 10, 11),
        (0.85, 0.8, 0.9, 1000, None),
    ],
)
def test_so_many_topics_would_decide(value: float, low: float, high: float, topics: int, needed: int | None) -> None:
    found = Decision("tau", value, low, high, 0.9, topics, "").topics_needed
    assert found == (None if needed is None else pytest.approx(needed, abs=1))


@pytest.mark.parametrize(
    ("tau", "top", "answer", "words"),
    [
        (GOOD, GOOD, "as good", "the orders agree to .9 or more"),
        (GOOD, OPEN, "not decided", "not decided among the best 15 runs, about 436 topics would decide"),
        (GOOD, BAD, "below", "the orders agree to .9 or more, but below .9 among the best 15 runs"),
        (OPEN, GOOD, "not decided", "not decided, about 436 topics would decide"),
        (OPEN, NEVER, "not decided", "not decided, no number of topics up to 1,000 would decide"),
        (OPEN, BAD, "below", "below .9 among the best 15 runs"),
        (BAD, GOOD, "below", "below .9"),
        (GOOD, None, "not decided", f"{FEW}; over all the orders agree to .9 or more"),
        (OPEN, None, "not decided", FEW),
        (BAD, None, "below", "below .9"),
    ],
)  # fmt: skip
def test_the_order_is_judged_over_all_runs_and_among_the_best(
    tau: Resampled, top: Resampled | None, answer: str, words: str
) -> None:
    verdict = judge_order(agreement(tau, top), SKILL, 0.05)
    assert (verdict.answer, verdict.words) == (answer, words)
    said = verdict.sentence("model by AP")
    assert said.startswith(f"Order: {words} (model by AP: tau .")
    assert ("best 15 runs ." in said) == (top is not None)


@pytest.mark.parametrize(
    ("skill", "words"),
    [
        (Estimate(0.4, bounds=(-0.1, 0.8)), f"{SHUFFLED}; about 79 topics would decide"),
        (Estimate(-0.4, bounds=(-0.9, -0.1)), "below shuffled grades"),
        (None, f"{SHUFFLED}; no number of topics up to 1,000 would decide"),
    ],
)  # fmt: skip
def test_an_order_that_shuffled_grades_may_reach_is_not_good(skill: Estimate | None, words: str) -> None:
    found = judge_order(agreement(GOOD, GOOD), skill, 0.05)
    assert found.words == words


def test_a_second_assessor_is_compared_on_the_same_resamples() -> None:
    """Both vary by far more than they differ: only the difference, resample by resample, tells them apart."""
    noise = 0.05 * np.random.default_rng(0).standard_normal(500)
    judge, second = Resampled(0.82, 0.82 + noise), Resampled(0.8, 0.8 + noise)
    anna = Second("anna", agreement(second, second))
    better = judge_order(agreement(judge, judge), SKILL, 0.05, anna)
    assert better.words == "as good as the second assessor"
    assert "model by AP: tau .82, anna .80 [.7" in better.sentence("model by AP")
    assert "difference +.020 [+.020, +.020]" in better.sentence("model by AP")
    worse = judge_order(agreement(second, second), SKILL, 0.05, Second("bob", agreement(judge, judge)))
    assert worse.words == "below the second assessor"
    assert judge_labels(judge, TOPICS, 0.05, ("anna", second)).words == "as good as the second assessor"
    assert judge_labels(second, TOPICS, 0.05, ("bob", judge)).words == "below the second assessor"


@pytest.mark.parametrize(
    ("kept", "tau", "topics", "answer"),
    [
        (resampled(0.98, 0.01), GOOD, 10, "as good"),
        (resampled(0.9, 0.01), BAD, 10, "below"),
        (resampled(0.9, 0.01), GOOD, 10, "not decided"),  # over many topics 97.5% would be kept
        (resampled(0.98, 0.01), BAD, 10, "not decided"),
        (resampled(0.9, 0.01), GOOD, 50, "below"),
        (resampled(0.98, 0.01), BAD, 50, "as good"),
    ],
)
def test_differences_are_judged_by_what_these_topics_keep_and_by_what_many_would(
    kept: Resampled, tau: Resampled, topics: int, answer: str
) -> None:
    assert pytest.approx(0.95) == KEPT
    own = replace(agreement(tau, tau, kept, kept), topics=topics)
    assert judge_differences(own, 0.05).answer == answer


@pytest.mark.parametrize(
    ("level", "interval", "slope", "answer"),
    [
        (0.01, (0.005, 0.015), (0.95, 1.05), "as good"),
        (-0.01, (-0.02, 0.005), (0.95, 1.05), "as good"),
        (0.01, (-0.005, 0.025), (0.95, 1.05), "not decided"),
        (0.03, (0.005, 0.055), (0.95, 1.05), "not decided"),
        (0.03, (0.021, 0.039), (0.95, 1.05), "below"),
        (-0.03, (-0.039, -0.021), (0.95, 1.05), "below"),
        (0.01, (0.005, 0.015), (0.7, 0.89), "below"),
        (0.01, (0.005, 0.015), (0.85, 0.97), "not decided"),
    ],
)
def test_means_are_the_means_of_the_humans_within_five_percent(
    level: float, interval: tuple[float, float], slope: tuple[float, float], answer: str
) -> None:
    found = judge_scores(Shift(level, interval, sum(slope) / 2, slope, human=0.4), 20)  # noticeable: from .02 on
    assert found.answer == answer
    assert ", noticeable from .020, slope " in found.sentence("model by AP")


def test_the_weakest_is_below_before_it_is_undecided_then_nearest_to_failing() -> None:
    good, better, unsure, bad, worse = (
        judge_order(agreement(tau, GOOD), SKILL, 0.05)
        for tau in (resampled(0.93, 0.001), GOOD, OPEN, BAD, resampled(0.7, 0.05))
    )
    assert [weakest(some) for some in ([better, good], [good, unsure], [unsure, bad], [bad, worse])] == [1] * 4


def test_the_best_runs_are_those_by_the_humans_and_have_the_tau_and_the_differences_of_them_alone() -> None:
    drawn = two_assessors(1, topics=30, runs=16)
    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "AP nDCG@10", samples=50, draws=0, top_runs=8)
    sides = [evaluate(one, drawn.runs, "AP nDCG@10") for one in (drawn.human, drawn.judge)]
    for place, measure in enumerate(("AP", "nDCG@10")):
        human, judge = (dict(zip(one.runs, one.mean()[:, place], strict=True)) for one in sides)
        best = sorted(human, key=lambda run: -human[run])[:8]
        top = found.of("model", measure).top
        assert sorted(top.runs) == sorted(best)
        assert top.tau is not None
        expected = kendalltau([human[run] for run in best], [judge[run] for run in best]).statistic
        assert top.tau.value == pytest.approx(expected)
        signs = [
            np.where(one.significant, np.sign(one.difference), 0)[place]
            for one in (compare(side.sel(runs=sorted(best)), correction="none") for side in sides)
        ]
        assert top.significant == (signs[0] != 0).sum()
        assert top.kept is not None
        assert top.kept.value == pytest.approx((signs[0] * signs[1] > 0).sum() / (signs[0] != 0).sum())


@pytest.mark.parametrize(
    ("runs", "asked", "best"), [(14, 15, 7), (14, 6, 6), (14, 4, 4), (11, 15, 5), (9, 15, 4), (2, 15, 1)]
)
def test_the_best_runs_are_at_most_half_and_of_fewer_than_five_nothing_is_said(
    runs: int, asked: int, best: int
) -> None:
    drawn = two_assessors(4, topics=8, runs=runs)
    found = judges(drawn.human, {"same": drawn.human}, drawn.runs, "AP", samples=20, draws=0, top_runs=asked)
    one = found.of("same", "AP")
    assert len(one.top.runs) == best
    assert (one.top.tau is None) == (one.order.top is None) == (best < 5)
    if best < 5:
        assert one.order.answer == "not decided"
        few = f"Order: not decided, as the best {best} runs are too few"
        assert found.verdicts[0].startswith(few)
        assert f"best {best} runs " not in found.verdicts[0].removeprefix(few)
        assert one.differences.answer == "not decided"


@pytest.mark.parametrize(("swapped", "answer"), [(1, "not decided"), (2, "below")])
def test_one_pair_of_runs_in_another_order_puts_no_judge_below(swapped: int, answer: str) -> None:
    """All topics are alike, so that nothing varies: among five runs one pair is .2 of tau."""
    grades = list(range(12))
    for first in range(0, 2 * swapped, 2):
        grades[11 - first], grades[10 - first] = grades[10 - first], grades[11 - first]
    sides = (
        {f"t{topic}": {f"d{run}": grade for run, grade in enumerate(one)} for topic in range(8)}
        for one in (range(12), grades)
    )
    human, judge = sides
    runs = {f"run{run}": {topic: {f"d{run}": 1.0} for topic in human} for run in range(12)}
    found = judges(human, {"model": judge}, runs, "CG@1", samples=20, draws=0, top_runs=5).of("model", "CG@1")
    assert found.top.tau is not None
    assert found.top.tau.value == pytest.approx(1 - 0.2 * swapped)
    assert found.order.top is not None
    assert found.order.top.answer == answer


def test_equal_means_at_the_border_of_the_best_are_no_matter_of_the_order_of_runs(drawn: TwoAssessors) -> None:
    twins = {**drawn.runs, "run4b": drawn.runs["run4"]}
    found = [
        judges(drawn.human, {"model": drawn.judge}, runs, "AP", samples=20, draws=0).of("model", "AP")
        for runs in (twins, dict(reversed(twins.items())))
    ]
    assert sorted(found[0].top.runs) == sorted(found[1].top.runs)
    assert found[0].order.answer == found[1].order.answer


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4, topics=20, runs=10)


def test_where_shares_have_no_bounds_nothing_is_decided(drawn: TwoAssessors) -> None:
    found = judges(drawn.human, {"same": drawn.human}, drawn.runs, "AP", samples=20, draws=0, test="sign")
    assert found.verdicts[1] == "differences: not decided, as only the t test gives bounds (same by AP)"


def test_the_humans_themselves_are_as_good(drawn: TwoAssessors) -> None:
    found = judges(drawn.human, {"same": drawn.human}, drawn.runs, "AP", samples=50, draws=0)
    assert [text.partition(" (")[0] for text in found.verdicts] == [
        "Order: the orders agree to .9 or more",
        "differences: the judge keeps 95% or more",
        "absolute scores: the means agree within 5%",
        "labels: kappa is .8 or more",
    ]


def verdicts() -> Iterator[JudgeVerdict]:
    """A verdict of every kind that there is."""
    few = Resampled(NAN, np.full(1, NAN))
    seconds = (None, Second("anna", agreement(resampled(0.9, 0.0), resampled(0.9, 0.0))))
    skills = (SKILL, Estimate(0.4, bounds=(-0.1, 0.8)), Estimate(-0.4, bounds=(-0.9, -0.1)), None)
    orders = (GOOD, OPEN, NEVER, BAD)
    for tau, top, skill, second in product(orders, (*orders, None, few), skills, seconds):
        yield judge_order(agreement(tau, top), skill, 0.05, second)
    yield judge_order(agreement(few, few), None, 0.05)
    shares = (resampled(0.99, 0.001), resampled(0.97, 0.03), resampled(0.9501, 0.03), resampled(0.8, 0.01))
    for kept, top, second in product(shares, (*shares, None, few), seconds):
        order = GOOD if kept.value > KEPT else BAD
        best = None if top is None else GOOD if np.isnan(top.value) or top.value > KEPT else BAD
        own = agreement(order, best, kept, top)
        yield judge_differences(own, 0.05, second)
    yield judge_differences(agreement(GOOD, GOOD, few), 0.05)
    yield judge_differences(agreement(GOOD, GOOD, Resampled(0.9, np.full(1, NAN))), 0.05)
    shifts = ((0.0, (-0.001, 0.001)), (0.01, (-0.011, 0.031)), (0.0199, (0.0, 0.04)), (0.05, (0.03, 0.07)))
    for level, interval in shifts:
        yield judge_scores(Shift(level, interval, 1.0, (0.95, 1.05), human=0.4), 20)
    yield judge_scores(Shift(0.0, (-0.001, 0.001), 0.8, (0.75, 0.85), human=0.4), 20)
    yield judge_scores(None, 20)
    for kappa, second in product(orders, (None, ("anna", resampled(0.75, 0.0)))):
        yield judge_labels(replace(kappa, value=kappa.value - 0.1, samples=kappa.samples - 0.1), TOPICS, 0.05, second)
    yield judge_labels(few, TOPICS, 0.05)
    yield judge_labels(GOOD, 2, 0.05)


def test_every_sentence_that_a_verdict_can_say_is_listed_and_short() -> None:
    found = {re.sub(r"about [\d,]+ topics", "about N topics", f"{one.use.name}: {one.words}") for one in verdicts()}
    assert sorted(found) == SENTENCES.strip().splitlines()
    assert max(len(sentence.split()) for sentence in found) <= 20


SENTENCES = """
Order: as good as the second assessor
Order: as good as the second assessor, but below the second assessor among the best 15 runs
Order: below .9
Order: below .9 among the best 15 runs
Order: below shuffled grades
Order: below the second assessor
Order: below the second assessor among the best 15 runs
Order: not decided among the best 15 runs, about N topics would decide
Order: not decided among the best 15 runs, no number of topics up to 1,000 would decide
Order: not decided, about N topics would decide
Order: not decided, as an assessor ties all runs
Order: not decided, as shuffled grades may agree as well; about N topics would decide
Order: not decided, as shuffled grades may agree as well; no number of topics up to 1,000 would decide
Order: not decided, as the best 15 runs are tied
Order: not decided, as the best 15 runs are tied; over all as good as the second assessor
Order: not decided, as the best 15 runs are tied; over all the orders agree to .9 or more
Order: not decided, as the best 4 runs are too few
Order: not decided, as the best 4 runs are too few; over all as good as the second assessor
Order: not decided, as the best 4 runs are too few; over all the orders agree to .9 or more
Order: not decided, no number of topics up to 1,000 would decide
Order: the orders agree to .9 or more
Order: the orders agree to .9 or more, but below .9 among the best 15 runs
absolute scores: not decided, about N topics would decide
absolute scores: not decided, as too few topics count
absolute scores: not decided, no number of topics up to 1,000 would decide
absolute scores: the means agree within 5%
absolute scores: the means differ by more than 5%
absolute scores: the slope differs from 1 by more than .1
differences: as good as the second assessor
differences: as good as the second assessor, but below the second assessor among the best 15 runs
differences: below 95%
differences: below 95% among the best 15 runs
differences: below the second assessor
differences: below the second assessor among the best 15 runs
differences: not decided among the best 15 runs, about N topics would decide
differences: not decided among the best 15 runs, no number of topics up to 1,000 would decide
differences: not decided, about N topics would decide
differences: not decided, as no difference is significant
differences: not decided, as only the t test gives bounds
differences: not decided, as the best 15 runs are not significantly different
differences: not decided, as the best 15 runs are not significantly different; over all as good as the second assessor
differences: not decided, as the best 15 runs are not significantly different; over all the judge keeps 95% or more
differences: not decided, as the best 4 runs are too few
differences: not decided, as the best 4 runs are too few; over all as good as the second assessor
differences: not decided, as the best 4 runs are too few; over all the judge keeps 95% or more
differences: not decided, no number of topics up to 1,000 would decide
differences: the judge keeps 95% or more
differences: the judge keeps 95% or more, but below 95% among the best 15 runs
labels: as good as the second assessor
labels: below .8
labels: below the second assessor
labels: kappa is .8 or more
labels: not decided, about N topics would decide
labels: not decided, as all grades are the same
labels: not decided, as the topics are too few
labels: not decided, no number of topics up to 1,000 would decide
"""
