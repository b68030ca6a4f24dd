"""The decision between two runs against a literal computation of the numbers in its sentence, by SciPy."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from gradeval import Scores, compare, gate, topic_set_size
from gradeval.formula.spelling import parse_measures
from gradeval.studies.decision import PairDecision, correct_pairs, write_short_p
from gradeval.studies.paired_power import power, topics_to_find, write_about
from gradeval.tables.grid import Estimate

from ..support.score_tables import scores_of


def two(first: Any, second: Any) -> Scores:
    """Scores of the runs vA and vB by values[measure, topic]."""
    values = np.stack([np.atleast_2d(first).T, np.atleast_2d(second).T])
    return replace(scores_of(values, " ".join(["nDCG@10", "AP"][: values.shape[-1]])), runs=["vA", "vB"])


def decided(scores: Scores, **options: Any) -> PairDecision:
    """The decision of ``compare``, of which there is one."""
    decision = compare(scores, **options).decision
    assert decision is not None
    return decision


def drawn(shift: float, seed: int = 0, topics: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first = rng.uniform(0.3, 0.6, topics)
    return first, first + rng.normal(0, 0.1, topics) + shift


def literal(first: np.ndarray, second: np.ndarray) -> tuple[str, float]:
    """Difference, interval, percent of the baseline, and p of the second run less the first, computed by SciPy."""
    found = stats.ttest_rel(second, first)
    low, high = found.confidence_interval(0.95)
    gap = second.mean() - first.mean()
    return f"{gap:+.3f} [{low:.3f}, {high:.3f}]|{100 * gap / first.mean():+.0f} %", float(found.pvalue)


def test_the_better_candidate_is_shipped_and_the_worse_one_not() -> None:
    first, second = drawn(0.15)
    change, p = literal(first, second)
    difference, percent = change.split("|")
    assert p < 0.0001
    won = int((second > first).sum())
    assert decided(two(first, second)).sentence == (
        f"Ship vB: nDCG@10 {difference}, {percent}, better on {won} of 40 topics, p < .0001"
    )
    back, lost = literal(second, first)[0].split("|")
    assert decided(two(first, second), baseline="vB").sentence == (
        f"Keep vB: nDCG@10 {back} with vA, {lost}, worse on {won} of 40 topics, p < .0001"
    )


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.0625, 0.3])
def test_where_all_topics_differ_by_the_same_amount_only_as_many_as_the_signs_need_decide(alpha: float) -> None:
    """n topics of one sign have p = 2^(1-n): so many decide as a loop over n finds, and no fewer."""
    least = next(number for number in range(2, 99) if 2.0 ** (1 - number) < alpha)
    for topics in range(3, 12):
        first = np.linspace(0.1, 0.3, topics)
        decision = decided(two(first, first + 0.25), alpha=alpha)
        assert decision.p.tolist() == [2.0 ** (1 - topics)]
        assert decision.choice == ("ship" if topics >= least else "not decided")
        if topics < least:
            assert decision.sentence == (
                f"Not decided: vB is 0.250 better by nDCG@10 on each of {topics} topics; "
                f"{least} such topics would decide"
            )
            found, then = write_short_p(2.0 ** (1 - topics)), write_short_p(2.0 ** (1 - least))
            assert decision.about_needed == (
                f"where all topics differ alike, signs alone tell: p is {found} over {topics}, "
                f"{then} over {least}, below {alpha:g}"
            )


def test_over_several_measures_more_topics_of_one_sign_are_needed() -> None:
    first = np.stack([np.linspace(0.1, 0.3, 6)] * 2)
    decision = decided(two(first + 0.25, first))
    assert decision.sentence == (
        "Not decided: vB is 0.250 worse by nDCG@10 on each of 6 topics; 7 such topics would decide (2 measures)"
    )
    assert decided(two(np.hstack([first, first[:, :1]]) + 0.25, np.hstack([first, first[:, :1]]))).choice == "keep"


def test_where_nothing_is_shown_the_interval_bounds_the_difference_and_so_many_topics_would_decide() -> None:
    first, second = drawn(0.0, seed=3)
    decision = decided(two(first, second))
    assert decision.choice == "not decided"
    low, high = stats.ttest_rel(second, first).confidence_interval(0.95)
    words = r"Not decided: vB may be (\S+) worse or (\S+) better by nDCG@10; (\S+) topics or more would decide"
    match = re.fullmatch(words, decision.sentence)
    assert match is not None
    worse, better, needed = match.groups()
    assert low < 0 < high
    assert float(worse) == pytest.approx(-low, abs=0.0005)
    assert float(better) == pytest.approx(high, abs=0.0005)
    gaps = second - first
    effect, number = abs(gaps.mean() / gaps.std(ddof=1)), decision.needed
    assert number is not None
    assert int(needed.replace(",", "")) == float(f"{number:.2g}")
    assert power(effect, number, 0.05) >= 0.8 > power(effect, number - 1, 0.05)


@pytest.mark.parametrize(
    ("shifts", "choice", "begins"),
    [
        ((0.15, 0.0), "ship", "Ship vB: nDCG@10 +"),
        ((0.0, 0.15), "ship", "Ship vB: AP +"),
        ((0.0, -0.15), "keep", "Keep vA: AP -"),
        ((0.15, -0.15), "not decided", "Not decided, they disagree: nDCG@10 +"),
        ((0.0, 0.0), "not decided", "Not decided: vB may be "),
    ],
)
def test_some_measure_must_be_better_and_none_worse(shifts: tuple[float, float], choice: str, begins: str) -> None:
    pairs = [drawn(shift, seed=2) for shift in shifts]
    result = compare(two([one for one, _ in pairs], [other for _, other in pairs]))
    decision = result.decision
    assert decision is not None
    assert decision.choice == choice
    assert decision.sentence.startswith(begins)
    assert len(decision.sentence.split()) <= 20
    assert str(result.notes[0]) == decision.sentence


def test_the_measures_are_corrected_by_holm_as_the_gate_corrects_them() -> None:
    pairs = [drawn(0.035, seed=seed) for seed in (11, 12)]
    scores = two([one for one, _ in pairs], [other for _, other in pairs])
    p = np.array([stats.ttest_rel(*pair).pvalue for pair in pairs])
    least, other = sorted(p)
    decision = decided(scores, alpha=1.5 * least)
    assert sorted(decision.corrected) == pytest.approx(sorted([2 * least, max(2 * least, other)]))
    assert decision.choice == "not decided"
    assert decided(scores, alpha=2.5 * least).choice == "ship"
    before, after = scores.sel(runs=["vB"]), scores.sel(runs=["vA"])
    for alpha in (1.5 * least, 2.5 * least):  # one side of the two
        assert gate(before, after, alpha=alpha / 2).passed == (decided(scores, alpha=alpha).choice != "ship")


@pytest.mark.parametrize("measures", [1, 2, 3])
@pytest.mark.parametrize("shift", [0.05, -0.05])
@pytest.mark.parametrize("baseline", [None, "vB"])
def test_the_sentence_says_the_p_that_decided_as_the_table_has_it(
    measures: int, shift: float, baseline: str | None
) -> None:
    """The p of the measure that decides after Holm's correction, literally and in the table's cell."""
    pairs = [drawn(shift if not place else 0.0, seed=11 + place) for place in range(measures)]
    values = np.stack([np.array(side).T for side in zip(*pairs, strict=True)])
    names = " ".join(["nDCG@10", "AP", "RR"][:measures])
    scores = replace(scores_of(values, names), runs=["vA.csv", "vB.csv"])
    result = compare(scores, baseline=baseline)
    assert result.decision is not None
    assert result.decision.choice != "not decided"
    p = [float(stats.ttest_rel(*pair).pvalue) for pair in pairs]
    holm = max((measures - rank) * value for rank, value in enumerate(sorted(p)) if value <= p[0])
    title = "p (holm)" if measures > 1 else "p"
    assert result.decision.sentence.endswith(f", {title} {write_short_p(holm)}")
    grid = result.table(6).grids[1]
    cell = grid.rows[0][[column.title for column in grid.columns].index("p (holm)")]
    assert float(str(cell).lstrip("<")) == pytest.approx(holm, abs=1e-6)


def test_one_pair_is_corrected_over_the_measures_that_decide_and_several_by_each_measure() -> None:
    rng = np.random.default_rng(5)
    p = rng.uniform(0, 0.2, (3, 4))
    measures = parse_measures("nDCG@10 Unjudged@10 AP")
    assert correct_pairs(p, measures, "bonferroni") == pytest.approx(np.minimum(4 * p, 1))
    (first, other, last), one = p[:, 0].tolist(), p[:, :1]
    assert correct_pairs(one, measures, "bonferroni")[:, 0] == pytest.approx([2 * first, other, 2 * last])
    least, most = sorted([first, last])
    by_holm = {least: 2 * least, most: max(2 * least, most)}
    assert correct_pairs(one, measures, "holm")[:, 0] == pytest.approx([by_holm[first], other, by_holm[last]])
    assert correct_pairs(one, measures, "none").tolist() == one.tolist()
    assert correct_pairs(one[1:2], measures[1:2], "bh").tolist() == one[1:2].tolist()


@pytest.mark.parametrize("baseline", [None, "vA"])
def test_the_marks_of_two_runs_never_contradict_the_decision(baseline: str | None) -> None:
    pairs = [drawn(0.035, seed=seed) for seed in (11, 12)]
    scores = two([one for one, _ in pairs], [other for _, other in pairs])
    least = min(float(stats.ttest_rel(*pair).pvalue) for pair in pairs)
    for alpha, choice in ((1.5 * least, "not decided"), (2.5 * least, "ship")):
        result = compare(scores, baseline=baseline, alpha=alpha)
        decision = result.decision
        assert decision is not None
        assert decision.choice == choice
        assert result.corrected[:, 0].tolist() == decision.corrected.tolist()
        assert [result.verdict(place, 0) for place in range(2)] == decision.verdicts


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (0.0191, 0.1731, "may be 0.019 to 0.173 better by nDCG@10 (uncorrected)"),
        (-0.1731, -0.0191, "may be 0.019 to 0.173 worse by nDCG@10 (uncorrected)"),
        (-0.0996, 0.0678, "may be 0.100 worse or 0.068 better by nDCG@10"),
    ],
)
def test_the_bounds_of_both_sides_are_said(lower: float, upper: float, said: str) -> None:
    """An interval on one side of 0 decides nothing where Holm's correction leaves it open."""
    pairs = [drawn(0.0, seed=2) for _ in range(2)]
    decision = decided(two([one for one, _ in pairs], [other for _, other in pairs]))
    sentence = replace(decision, lower=np.array([lower, 0]), upper=np.array([upper, 0])).sentence
    assert sentence.startswith(f"Not decided: vB {said}; ")
    assert len(sentence.split()) <= 20


@pytest.mark.parametrize("baseline", [None, "vA", "vB"])
def test_the_table_has_the_signs_of_the_sentence(baseline: str | None) -> None:
    first, second = drawn(0.15)
    result = compare(two(first, second), baseline=baseline)
    decision = result.decision
    assert decision is not None
    assert result.difference[0, 0] == pytest.approx(decision.difference[0])
    assert [result.runs[run] for run in result.pairs[0]] == [decision.candidate, decision.baseline]
    (shown,) = [cell for cell in result.table().grids[1].rows[0] if isinstance(cell, Estimate)]
    assert shown.value == pytest.approx(decision.difference[0])


@pytest.mark.parametrize("baseline", [None, "vB"])
def test_the_topics_on_which_the_candidate_loses_most_are_named(baseline: str | None) -> None:
    first, second = drawn(0.05)
    scores = two(first, second)
    gaps = (second - first) * (1 if baseline is None else -1)
    worst = [f"{scores.topics[place]} ({gaps[place]:+.3f})" for place in np.argsort(gaps)[:3]]
    candidate = "vB" if baseline is None else "vA"
    [said] = [note.text for note in compare(scores, baseline=baseline).notes if "loses most" in note.text]
    assert said == (f"{candidate} loses most by nDCG@10 on {', '.join(worst)}")
    if baseline is None:  # the same topics as in the table of the gate
        moved = gate(scores.sel(runs=["vA"]), scores.sel(runs=["vB"])).moved
        assert [f"{one.topic} ({one.difference:+.3f})" for one in moved[:3]] == worst
    never = compare(two(first, first + 0.1)).notes
    assert not [note for note in never if "loses most" in note.text]


@pytest.mark.parametrize("measures", [1, 2])
def test_one_number_of_topics_in_every_sentence_that_says_how_many_would_decide(measures: int) -> None:
    """Counted literally by the power of the test at the level of Holm's first step."""
    first, second = drawn(0.0, seed=3)
    pairs = [(first, second), drawn(0.0, seed=4)][:measures]
    sentence = decided(two([one for one, _ in pairs], [other for _, other in pairs])).sentence
    gaps = second - first
    effect, alpha = abs(gaps.mean() / gaps.std(ddof=1)), 0.05 / measures
    needed = next(number for number in range(41, 100_000) if power(effect, number, alpha) >= 0.8)
    assert topics_to_find(effect, alpha, 40) == needed
    several = "" if measures == 1 else " (2 measures)"
    assert sentence.endswith(f"; {write_about(needed)} topics or more would decide{several}")
    scores = two([one for one, _ in pairs], [other for _, other in pairs])
    level = "0.05" if measures == 1 else "0.05/2"
    assert str(compare(scores).notes[1]) == (
        f"over about {write_about(needed)} topics a paired t test at {level} finds {gaps.mean():+.3f} by nDCG@10 "
        "with power 0.8; a smaller true difference needs more"
    )
    by_size = topic_set_size(scores, differences=float(abs(gaps.mean())), alpha=alpha)
    assert by_size.needed[0].tolist() == [needed]
    before, after = (scores.sel(runs=[name]) for name in scores.runs)
    gated = gate(before, after, fail_if="not-shown", margin=0.03)
    assert gated.needed == topic_set_size(scores, differences=0.03, alpha=2 * 0.05).needed[:, 0].tolist()
    assert any(note.text.startswith("topics to pass: over so many an unchanged run passes") for note in gated.notes)


@pytest.mark.parametrize(("number", "written"), [(7, "7"), (67, "67"), (99, "99"), (167, "170"), (14_804, "15,000")])
def test_numbers_of_topics_are_said_in_two_digits(number: int, written: str) -> None:
    assert write_about(number) == written


def test_topics_that_a_run_lacks_are_counted_in_the_decision() -> None:
    first, second = drawn(0.0)
    scores = two(first, np.where(np.arange(40) < 6, 0.0, second))
    present = np.ones((2, 40), bool)
    present[1, :6] = False
    sentence = decided(replace(scores, present=present)).sentence
    assert sentence.endswith("6 topics are not in vB, and count 0")
    assert "not in" not in decided(scores).sentence
    present[1, 1:6] = True
    assert decided(replace(scores, present=present)).sentence.endswith("1 topic is not in vB, and counts 0")


def test_no_percentage_where_the_baseline_is_0_and_equal_runs_are_named_equal() -> None:
    second = np.linspace(0.1, 0.3, 8)
    sentence = decided(two(np.zeros(8), second)).sentence
    assert sentence.startswith("Ship vB: nDCG@10 +0.200 [")
    assert "%" not in sentence
    equal = decided(two(second, second)).sentence
    assert equal == "Not decided: vA and vB have equal values on all 8 topics"


@pytest.mark.parametrize("topics", [4, 8])
def test_runs_equal_by_the_first_measure_alone_are_named_equal_by_it(topics: int) -> None:
    """Of so few topics there is no interval, and of more one without width; neither is a sentence."""
    rng = np.random.default_rng(3)
    equal, other = rng.uniform(0.3, 0.6, topics), rng.uniform(0.3, 0.6, topics)
    moved = other + np.where(np.arange(topics) % 2, 0.01, -0.01)
    assert decided(two([equal, other], [equal, moved])).sentence == (
        f"Not decided: by nDCG@10 vA and vB have equal values on all {topics} topics, "
        "and no other measure tells them apart"
    )


def test_there_is_no_decision_between_more_runs_nor_by_measures_of_which_more_is_not_better() -> None:
    first, second = drawn(0.15)
    three = scores_of(np.stack([first, second, first]), "nDCG@10")
    assert compare(three).decision is None
    for coverage in ("Unjudged@10", "Judged@10"):
        assert compare(scores_of(np.stack([first, second]), coverage)).decision is None


def test_coverage_beside_a_measure_changes_no_decision() -> None:
    pairs = [drawn(0.15), drawn(-0.3, seed=5)]
    both = scores_of(np.array(pairs).transpose(1, 2, 0), "nDCG@10 Judged@10")
    alone = compare(both.sel(measures="nDCG@10")).decision
    together = compare(both).decision
    assert alone is not None
    assert together is not None
    assert together.sentence == alone.sentence
    assert together.corrected.tolist() == alone.p.tolist()


@pytest.mark.parametrize(
    ("p", "text"), [(0.00041, ".0004"), (0.0123, ".012"), (0.34, ".34"), (1.0, "1"), (0.00001, "< .0001")]
)
def test_p_is_short(p: float, text: str) -> None:
    assert write_short_p(p) == text


@pytest.mark.parametrize("measures", [1, 2])
def test_captions_of_two_runs_say_over_what_p_is_corrected(measures: int) -> None:
    pairs = [drawn(0.0, seed=seed) for seed in range(measures)]
    result = compare(two([one for one, _ in pairs], [other for _, other in pairs]))
    over = f"Holm's correction over {measures} measure{'s' * (measures > 1)}"
    assert all(over in grid.caption for grid in result.table().grids)
    assert over in result.description


def test_more_topics_than_one_can_get_are_no_number() -> None:
    """Beyond 10,000, or ten times the topics that are there, a sentence names no number that differs from the next."""
    needed = topics_to_find(0.02, 0.05, 60)
    assert needed is None
    assert topics_to_find(0.02, 0.05, 5_000) == next(n for n in range(10_000, 50_000) if power(0.02, n, 0.05) >= 0.8)
    first = np.linspace(0.1, 0.9, 60)
    second = first + np.tile([0.1, -0.1], 30)
    second[0] += 0.05
    assert decided(two(first, second)).sentence.endswith("; it takes more than 10,000 topics to decide")
