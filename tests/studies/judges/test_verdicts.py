from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from zlib import crc32

import numpy as np
import pytest
from two_assessors import Judgments, TwoAssessors, two_assessors

from gradeval import judges
from gradeval.studies.judges.favours import Shift
from gradeval.studies.judges.floors import Resampled, Spread
from gradeval.studies.judges.labels import OneGrade, resample_alpha
from gradeval.studies.judges.verdicts import (
    KEPT,
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
FEW = "not decided, as it takes 10 runs or more"
SHUFFLED = "not decided, as shuffled grades may do as well"


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


def test_no_number_of_topics_decides_where_one_pair_of_runs_alone_reaches_the_ceiling() -> None:
    tau = replace(resampled(0.85, 0.02), step=0.06)
    found = judge_order(agreement(tau, GOOD), SKILL, 0.05)
    assert found.words == "not decided; no number of topics up to 1,000 would decide"
    nearer = judge_order(agreement(replace(tau, step=0.04), GOOD), SKILL, 0.05)
    assert nearer.topics_needed is not None


@pytest.mark.parametrize(
    ("tau", "top", "answer", "words"),
    [
        (GOOD, GOOD, "as good", "the orders agree to .9 or more"),
        (GOOD, OPEN, "not decided", "not decided among the best 15 runs; about 410 topics would decide"),
        (GOOD, BAD, "below", "the orders agree to .9 or more, but below .9 among the best 15 runs"),
        (OPEN, GOOD, "not decided", "not decided; about 410 topics would decide"),
        (OPEN, NEVER, "not decided", "not decided; no number of topics up to 1,000 would decide"),
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
        (Estimate(0.4, bounds=(-0.1, 0.8)), f"{SHUFFLED}; how many topics would decide is not known"),
        (Estimate(-0.4, bounds=(-0.9, -0.1)), "no better than shuffled grades"),
        (None, f"{SHUFFLED}; how many topics would decide is not known"),
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
    assert judge_differences(own, SKILL, 0.05).answer == answer


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
    found = judge_scores(
        Shift(level, interval, sum(slope) / 2, slope, human=0.4, topics=20), 0.05
    )  # noticeable: from .02 on
    assert found.answer == answer
    assert ", 5% is .020, slope " in found.sentence("model by AP")


def test_the_weakest_is_below_before_it_is_undecided_then_nearest_to_failing() -> None:
    good, better, unsure, bad, worse = (
        judge_order(agreement(tau, GOOD), SKILL, 0.05)
        for tau in (resampled(0.93, 0.001), GOOD, OPEN, BAD, resampled(0.7, 0.05))
    )
    assert [weakest(some) for some in ([better, good], [good, unsure], [unsure, bad], [bad, worse])] == [1] * 4


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4, topics=20, runs=10)


def test_where_shares_have_no_bounds_nothing_is_decided(drawn: TwoAssessors) -> None:
    found = judges(drawn.human, {"same": drawn.human}, drawn.runs, "AP", samples=20, draws=0, test="sign")
    assert found.verdicts[1] == "Differences: not decided, as only the t test gives bounds (same by AP)"


def test_the_humans_themselves_are_as_good(drawn: TwoAssessors) -> None:
    found = judges(drawn.human, {"same": drawn.human}, drawn.runs, "AP", samples=50, draws=0)
    assert [text.partition(" (")[0] for text in found.verdicts] == [
        "Order: the orders agree to .9 or more",
        "Differences: the judge keeps 95% or more",
        "Absolute scores: the means agree within 5% on average",
        "Labels: alpha is .8 or more",
    ]


def test_of_few_topics_nothing_is_said() -> None:
    drawn = two_assessors(4, topics=9, runs=12)
    found = judges(drawn.human, {"same": drawn.human}, drawn.runs, "AP", samples=20, draws=0)
    for sentence in found.verdicts:
        assert ": not decided, as 9 topics are too few (same" in sentence


@pytest.mark.parametrize(("topics", "answer"), [(10, "not decided"), (16, "not decided"), (17, "as good")])
def test_labels_that_are_the_same_in_all_topics_may_differ_in_others(topics: int, answer: str) -> None:
    """None of n topics is unlike the others with a probability of .025, if (.025)^(1/n) of all are like them."""
    found = judge_labels(Resampled(1.0, np.ones(50)), topics, 0.05)
    assert found.answer == answer
    assert (0.025 ** (1 / topics) >= 0.8) == (answer == "as good")


@pytest.mark.parametrize("value", [-0.6, 0.0, 0.5])
@pytest.mark.parametrize("topics", [10, 20, 100])
def test_below_1_too_labels_that_are_the_same_in_all_topics_may_differ_in_others(value: float, topics: int) -> None:
    """A share q of other topics is seen in none of n with a probability of .025, if (1 - q)^n = .025; they may be at 1,
    and at 0 (chance), or at -1 where these are no better than chance."""
    found = judge_labels(Resampled(value, np.full(50, value)), topics, 0.05)
    other = next(q for q in np.linspace(0, 1, 100_001) if (1 - q) ** topics <= 0.025)
    least = 0 if value > 0 else -1
    assert found.overall[0].low == pytest.approx((1 - other) * value + other * least, abs=1e-4)
    assert found.overall[0].high == pytest.approx((1 - other) * value + other, abs=1e-4)
    assert found.answer == "below"


def test_a_second_assessor_has_one_interval_and_sameness_decides_nothing() -> None:
    grades = {f"t{topic}": {"a": 2, "b": 1, "c": 0, "d": 0} for topic in range(12)}
    worse = {topic: {**given, "d": 1} for topic, given in grades.items()}
    found = judges(grades, {"model": worse, "anna": worse, "same": grades}, second="anna", samples=50)
    alone = re.search(r"alpha (\.\d+ \[[^]]*\])", found.label_verdicts["anna"].figures)
    assert alone is not None
    for name in ("model", "same"):
        assert f"anna {alone[1]}" in found.label_verdicts[name].figures
        assert found.label_verdicts[name].answer == "not decided"
        assert found.label_verdicts[name].words.endswith("would decide")


@pytest.mark.parametrize(("beyond", "answer"), [(0.0, "not decided"), (0.3, "as good")])
def test_what_is_beyond_shuffled_grades_by_the_same_in_all_topics_may_differ_in_others(
    beyond: float, answer: str
) -> None:
    own = Resampled(0.9, np.linspace(0.88, 0.92, 51))
    second = ("anna", Resampled(0.5, np.linspace(0.48, 0.52, 51)))
    found = judge_labels(own, 12, 0.05, second, Resampled(beyond, np.full(51, beyond)))
    assert found.chance is not None
    assert found.chance.answer == answer
    assert found.answer == answer


@pytest.mark.parametrize(("skill", "answer"), [(-0.1, "not decided"), (0.4, "not decided"), (1.0, "as good")])
def test_a_skill_that_never_varies_is_unknown_below_1(skill: float, answer: str) -> None:
    tau = Resampled(0.99, np.linspace(0.98, 1.0, 51))
    own = JudgeAgreement(topics=20, top_runs=5, tau=tau, top_tau=tau, kept=tau, top_kept=tau)
    found = judge_order(own, Estimate(skill), 0.05)
    assert found.chance is not None
    assert found.chance.answer == found.answer == answer
    assert ("unknown" in found.figures) == (skill < 1)


def test_labels_of_few_documents_are_seldom_called_good_where_they_are_not() -> None:
    """Two assessors who differ on 15% of two grades have an alpha of about .7 over many documents."""
    good = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        human = rng.integers(0, 2, (10, 2))
        judge = np.where(rng.random((10, 2)) < 0.85, human, 1 - human)
        counts = np.zeros((10, 2, 2))
        np.add.at(counts, (np.repeat(np.arange(10), 2), human.ravel(), judge.ravel()), 1)
        weights = rng.multinomial(10, np.full(10, 0.1), size=200).astype(float)
        good += judge_labels(resample_alpha(counts, weights), 10, 0.05).answer == "as good"
    assert good / 200 <= 0.03


@pytest.mark.parametrize("second", [None, "anna"])
def test_a_judge_that_ties_all_runs_orders_nothing(drawn: TwoAssessors, second: str | None) -> None:
    tied = {"same": {topic: dict.fromkeys(grades, 0) for topic, grades in drawn.human.items()}}
    tied["anna"] = tied["same"]
    found = judges(drawn.human, tied, drawn.runs, "AP", samples=50, draws=0, second=second, levels=[0, 1, 2, 3])
    order = found.of("same", "AP").order
    assert order.answer == "below"
    assert order.words == ("below .9" if second is None else "no better than shuffled grades")
    assert found.of("same", "AP").orders.tau is None
    assert ("assessor" in found.verdicts_of("same")[0]) is False
    for verdict in (found.of("same", "AP").differences, found.label_verdicts["same"]):
        assert verdict.answer != "as good"


def test_who_knows_nothing_is_not_as_good_as_a_second_assessor_who_knows_nothing(drawn: TwoAssessors) -> None:
    rng = np.random.default_rng(5)
    shuffled = {
        topic: dict(zip(grades, rng.permutation(list(grades.values())).tolist(), strict=True))
        for topic, grades in drawn.human.items()
    }
    others = {"model": shuffled, "anna": shuffled}
    found = judges(drawn.human, others, drawn.runs, "AP", samples=50, draws=0, second="anna")
    one = found.of("model", "AP")
    assert [verdict.answer for verdict in (one.order, one.differences, found.label_verdicts["model"])].count(
        "as good"
    ) == 0


def test_where_the_humans_tie_all_runs_or_give_nothing_no_slope_and_no_margin_is_made_up(drawn: TwoAssessors) -> None:
    same = dict.fromkeys([f"run{number}" for number in range(10)], drawn.runs["run0"])
    tied = judges(drawn.human, {"model": drawn.judge}, same, "AP", samples=50, draws=0)
    assert tied.of("model", "AP").order.lacking == "the humans tie all runs"
    assert "slope" not in tied.verdicts[2]
    records = tied.to_dict()
    assert records["value"][records["statistic"].index("slope")] is None
    zero = {topic: {**dict.fromkeys(grades, 0), "not returned": 1} for topic, grades in drawn.human.items()}
    none = judges(zero, {"same": zero}, drawn.runs, "AP", samples=50, draws=0, levels=[0, 1, 2, 3])
    assert none.verdicts[2] == "Absolute scores: not decided, as the humans' means are 0 (same by AP)"


def test_a_difference_is_bounded_by_what_both_can_reach() -> None:
    rng = np.random.default_rng(0)
    full, some = Resampled(1.0, np.ones(400)), 0.85 + 0.15 * rng.random(400) ** 0.2 - 0.05
    second = Resampled(0.9, np.minimum(some, 1.0))
    own, anna = agreement(GOOD, GOOD, full, full), agreement(GOOD, GOOD, second, second)
    found = judge_differences(own, SKILL, 0.05, Second("anna", anna))
    assert found.words == "as good as the second assessor"
    assert 0 <= found.overall[0].low <= found.overall[0].high <= 1
    assert found.overall[0].shown.count("-") == 0
    lost = Resampled(0.01, 0.06 * rng.random(400))
    beside = judge_differences(
        agreement(GOOD, GOOD, lost, lost), SKILL, 0.05, Second("anna", agreement(GOOD, GOOD, lost, lost))
    )
    assert ", anna 1.0% [0.0%, " in beside.overall[0].shown


def test_tau_ap_is_named_and_one_pair_moves_it_by_its_own_step() -> None:
    """Of ten runs the two best are swapped: 2/(n-1) of tau-ap, and of the five best a half."""
    grades = [*range(10), 11, 10]
    human, judge = (
        {f"t{topic}": {f"d{run}": grade for run, grade in enumerate(one)} for topic in range(12)}
        for one in (range(12), grades)
    )
    runs = {f"run{run}": {topic: {f"d{run}": 1.0} for topic in human} for run in range(12)}
    found = judges(human, {"model": judge}, runs, "CG@1", samples=20, draws=0, top_runs=5, statistic="tau-ap")
    order = found.of("model", "CG@1").order
    assert order.top is not None
    assert (order.overall[0].value, order.top.value) == pytest.approx((1 - 2 / 11, 1 - 2 / 4))
    assert order.answer == "not decided"
    assert "model by CG@1: tau-ap .82 [.82, 1.00]" in found.verdicts[0]


@pytest.mark.parametrize(
    ("what", "share", "seeds"), [("order", 40, (5, 7)), ("labels", 36, (3, 4)), ("absolute scores", 12, (1, 4))]
)
def test_as_many_topics_as_would_decide_decide(what: str, share: int, seeds: tuple[int, ...]) -> None:
    """Each topic is copied k times: nothing changes but their number. Twice as many decide, a third as many do not."""
    for seed in seeds:
        drawn = two_assessors(seed, topics=12, runs=14)
        judge = {
            topic: {
                name: drawn.judge[topic][name] if crc32(f"{topic}-{name}".encode()) % 100 < share else grade
                for name, grade in grades.items()
            }
            for topic, grades in drawn.human.items()
        }
        needed = judge_copies(drawn, judge, what, 1).topics_needed
        assert needed is not None
        assert 24 < needed <= 150
        assert judge_copies(drawn, judge, what, round(2 * needed / 12)).answer != "not decided"
        assert judge_copies(drawn, judge, what, int(needed / 3 / 12) or 1).answer == "not decided"


def judge_copies(drawn: TwoAssessors, judge: Judgments, what: str, times: int) -> JudgeVerdict:
    human, model = (
        {f"{topic}-{copy}": one for topic, one in side.items() for copy in range(times)}
        for side in (drawn.human, judge)
    )
    if what == "labels":
        return judges(human, {"model": model}, samples=300).label_verdicts["model"]
    runs = {
        run: {f"{topic}-{copy}": one for topic, one in ranked.items() for copy in range(times)}
        for run, ranked in drawn.runs.items()
    }
    found = judges(human, {"model": model}, runs, "nDCG@10", samples=300, draws=0).of("model", "nDCG@10")
    return found.order if what == "order" else found.absolute_scores


@pytest.mark.parametrize(
    ("value", "low", "ceiling", "shown"),
    [
        (0.95, 0.8999, 0.9, "tau .95 [.8999, "),
        (0.95, 0.9, 0.9, "tau .95 [.90, "),
        (0.9996, 0.97, 0.9, "tau .9996 [.97, "),
        (1.0, 1.0, 0.9, "tau 1.00 [1.00, "),
    ],
)
def test_a_number_below_a_limit_is_not_written_as_the_limit(
    value: float, low: float, ceiling: float, shown: str
) -> None:
    tau = Resampled(value, value + np.array([low - value] * 50 + [0.0] * 900 + [0.0] * 50))
    spread = Spread.of(tau.value, tau.samples, TOPICS, 0.05)
    tau = replace(
        tau, samples=value + (tau.samples - value) * (value - low) / max(value - spread.bounds(TOPICS)[0], 1e-12)
    )
    assert shown in judge_order(agreement(tau, GOOD), SKILL, 0.05).sentence("model")


def test_a_measure_without_any_figure_is_the_weakest_of_those_that_are_not_decided() -> None:
    none = judge_order(replace(agreement(OPEN, GOOD), humans_tie=True), SKILL, 0.05)
    unsure = judge_order(agreement(NEVER, GOOD), SKILL, 0.05)
    assert none.answer == unsure.answer == "not decided"
    assert weakest([unsure, none]) == 1


def verdicts() -> Iterator[JudgeVerdict]:
    """A verdict of every kind that there is."""
    few = Resampled(NAN, np.full(1, NAN))
    seconds = (None, Second("anna", agreement(resampled(0.9, 0.0), resampled(0.9, 0.0))))
    skills = (SKILL, Estimate(0.4, bounds=(-0.1, 0.8)), Estimate(-0.4, bounds=(-0.9, -0.1)), None)
    orders = (GOOD, OPEN, NEVER, BAD)
    for tau, top, skill, second in product(orders, (*orders, None), skills, seconds):
        yield judge_order(agreement(tau, top), skill, 0.05, second)
        yield judge_order(replace(agreement(tau, top or few), top_runs=15, humans_tie_top=True), skill, 0.05, second)
    yield judge_order(replace(agreement(few, few), humans_tie=True), None, 0.05)
    yield judge_order(replace(agreement(GOOD, None), top_runs=1), SKILL, 0.05)
    shares = (resampled(0.99, 0.001), resampled(0.97, 0.03), resampled(0.9501, 0.03), resampled(0.8, 0.01))
    for kept, top, second, skill in product(shares, (*shares, None, few), seconds, skills):
        order = GOOD if kept.value > KEPT else BAD
        best = None if top is None else GOOD if np.isnan(top.value) or top.value > KEPT else BAD
        own = agreement(order, best, kept, top)
        yield judge_differences(own, skill, 0.05, second)
    yield judge_differences(agreement(GOOD, GOOD, few), None, 0.05)
    yield judge_differences(agreement(GOOD, GOOD, Resampled(0.9, np.full(1, NAN))), None, 0.05)
    shifts = ((0.0, (-0.001, 0.001)), (0.01, (-0.011, 0.031)), (0.0199, (0.0, 0.04)), (0.05, (0.03, 0.07)))
    for level, interval in shifts:
        yield judge_scores(Shift(level, interval, 1.0, (0.95, 1.05), human=0.4, topics=20), 0.05)
        yield judge_scores(Shift(level, interval, NAN, (NAN, NAN), human=0.4, topics=20), 0.05)
    yield judge_scores(Shift(0.0, (-0.001, 0.001), 0.8, (0.75, 0.85), human=0.4, topics=20), 0.05)
    yield judge_scores(Shift(0.1, (0.0, 0.2), 0.8, (0.75, 0.85), human=0.0, topics=20), 0.05)
    for kappa, second in product(orders, (None, ("anna", resampled(0.75, 0.0)))):
        figure = replace(kappa, value=kappa.value - 0.1, samples=kappa.samples - 0.1)
        for beyond in (resampled(0.5, 0.1), resampled(0.05, 0.1), resampled(0.0, 0.1), resampled(-0.3, 0.1)):
            yield judge_labels(figure, TOPICS, 0.05, second, beyond)
    yield judge_labels(few, TOPICS, 0.05)
    yield from (judge_labels(BAD, TOPICS, 0.05, one_grade=OneGrade(grade, 97, 106)) for grade in (0.0, 2.0))
    fewer = replace(agreement(GOOD, GOOD), topics=9)
    yield from (judge_order(fewer, SKILL, 0.05), judge_differences(fewer, SKILL, 0.05), judge_labels(GOOD, 9, 0.05))
    yield from (judge_scores(one, 0.05) for one in (None, Shift(0.0, (0, 0), 1.0, (1, 1), human=0.4, topics=1)))


def test_every_sentence_that_a_verdict_can_say_is_listed_and_short() -> None:
    found = {
        re.sub(r"about [\d,]+ topics", "about N topics", f"{one.use.name.capitalize()}: {one.words}")
        for one in verdicts()
    }
    assert sorted(found) == SENTENCES.strip().splitlines()
    assert max(len(part.split()) for sentence in found for part in sentence.split(";")) <= 20


SENTENCES = """
Absolute scores: not decided, as 1 topic is too few
Absolute scores: not decided, as the humans tie all runs
Absolute scores: not decided, as the humans tie all runs; over all the means agree within 5% on average
Absolute scores: not decided, as the humans' means are 0
Absolute scores: not decided, as too few topics count
Absolute scores: not decided; about N topics would decide
Absolute scores: not decided; no number of topics up to 1,000 would decide
Absolute scores: the means agree within 5% on average
Absolute scores: the means differ by more than 5% on average
Absolute scores: the slope differs from 1 by more than .1
Differences: as good as the second assessor
Differences: as good as the second assessor, but below the second assessor among the best 15 runs
Differences: below 95%
Differences: below 95% among the best 15 runs
Differences: below the second assessor
Differences: below the second assessor among the best 15 runs
Differences: no better than shuffled grades
Differences: not decided among the best 15 runs; how many topics would decide is not known
Differences: not decided, as 9 topics are too few
Differences: not decided, as it takes 10 runs or more
Differences: not decided, as it takes 10 runs or more; over all as good as the second assessor
Differences: not decided, as it takes 10 runs or more; over all the judge keeps 95% or more
Differences: not decided, as no difference is significant
Differences: not decided, as only the t test gives bounds
Differences: not decided, as shuffled grades may do as well; how many topics would decide is not known
Differences: not decided, as the best 15 runs are not significantly different
Differences: not decided, as the best 15 runs are not significantly different; over all as good as the second assessor
Differences: not decided, as the best 15 runs are not significantly different; over all the judge keeps 95% or more
Differences: not decided; how many topics would decide is not known
Differences: the judge keeps 95% or more
Differences: the judge keeps 95% or more, but below 95% among the best 15 runs
Labels: alpha is .8 or more
Labels: as good as the second assessor
Labels: below .8
Labels: below the second assessor
Labels: no better than shuffled grades
Labels: not decided, as 9 topics are too few
Labels: not decided, as all grades are the same
Labels: not decided, as shuffled grades may do as well; about N topics of both assessors would decide
Labels: not decided, as shuffled grades may do as well; no number of topics up to 1,000 would decide
Labels: not decided, as the humans gave all common pairs one grade; the judge gave it to 97 of 106; \
grades by both of documents that are not relevant would decide
Labels: not decided, as the humans gave all common pairs one grade; the judge gave it to 97 of 106; \
grades by both of relevant documents would decide
Labels: not decided; about N topics of both assessors would decide
Labels: not decided; about N topics would decide
Labels: not decided; no number of topics up to 1,000 would decide
Order: as good as the second assessor
Order: as good as the second assessor, but below the second assessor among the best 15 runs
Order: below .9
Order: below .9 among the best 15 runs
Order: below the second assessor
Order: below the second assessor among the best 15 runs
Order: no better than shuffled grades
Order: not decided among the best 15 runs; about N topics of both assessors would decide
Order: not decided among the best 15 runs; about N topics would decide
Order: not decided among the best 15 runs; how many topics would decide is not known
Order: not decided among the best 15 runs; no number of topics up to 1,000 would decide
Order: not decided, as 9 topics are too few
Order: not decided, as it takes 10 runs or more
Order: not decided, as it takes 10 runs or more; over all as good as the second assessor
Order: not decided, as it takes 10 runs or more; over all the orders agree to .9 or more
Order: not decided, as shuffled grades may do as well; how many topics would decide is not known
Order: not decided, as the best 15 runs are tied
Order: not decided, as the best 15 runs are tied; over all as good as the second assessor
Order: not decided, as the best 15 runs are tied; over all the orders agree to .9 or more
Order: not decided, as the humans tie all runs
Order: not decided; about N topics of both assessors would decide
Order: not decided; about N topics would decide
Order: not decided; how many topics would decide is not known
Order: not decided; no number of topics up to 1,000 would decide
Order: the orders agree to .9 or more
Order: the orders agree to .9 or more, but below .9 among the best 15 runs
"""


def test_topics_that_would_decide_beside_a_second_assessor_are_topics_of_both() -> None:
    """A collection may hold as many topics already, of which the second assessor judged a part."""
    noise = np.random.default_rng(5).normal(0, 0.05, 400)
    judge, second = Resampled(0.76, 0.76 + noise), Resampled(0.8, 0.8 + noise[::-1])
    verdict = judge_labels(judge, TOPICS, 0.05, ("anna", second))
    assert verdict.topics_needed is not None
    assert f"about {verdict.topics_needed:,} topics of both assessors would decide" in verdict.words
    assert verdict.cell == f"not decided, {verdict.topics_needed:,} topics of both assessors would"
    alone = judge_labels(judge, TOPICS, 0.05)
    assert "assessors" not in alone.words + alone.cell
