"""One run's slices against each other: SciPy's Welch test of two independent samples of topics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind

from gradeval import Scores, evaluate
from gradeval.studies.sliced_run import about_slices_of_run, find_slice_differences, welch_interval
from gradeval.warning_categories import Note, NoteWeight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def parity(topic: str) -> str:
    return "odd" if int(topic) % 2 else "even"


def scored(by: Any, measures: str = "AP nDCG@10 Unjudged@10", **options: Any) -> Scores:
    return evaluate(EXAMPLES / "qrels.txt", EXAMPLES / "runs" / "elm.txt", measures, by=by, **options)


@pytest.mark.parametrize("sizes", [(5, 9), (12, 12), (3, 80)])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_interval_is_scipy_s(sizes: tuple[int, int], alpha: float) -> None:
    rng = np.random.default_rng(5)
    one, other = (rng.normal(0.2 * place, 1 + place, size) for place, size in enumerate(sizes))
    low, high = ttest_ind(one, other, equal_var=False).confidence_interval(1 - alpha)
    assert welch_interval(one, other, alpha) == pytest.approx((one.mean() - other.mean(), low, high), rel=1e-10)


def test_samples_without_any_spread_have_an_interval_of_one_point() -> None:
    assert welch_interval(np.full(5, 0.75), np.full(8, 0.25), 0.05) == (0.5, 0.5, 0.5)


def test_two_slices_are_compared_with_each_other_by_each_measure_that_decides() -> None:
    scores = scored(parity)
    found = find_slice_differences(scores)
    assert [(one.measure, one.label, one.other) for one in found] == [("AP", "odd", "even"), ("nDCG@10", "odd", "even")]
    odd = np.array([parity(topic) == "odd" for topic in scores.topics])
    for at, one in enumerate(found):
        values = scores.values[0, :, at]
        expected = ttest_ind(values[odd], values[~odd], equal_var=False)
        assert one.p == pytest.approx(expected.pvalue)
        assert one.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))
        assert one.topics == (int(odd.sum()), int((~odd).sum()))
    smaller, larger = sorted(one.p for one in found)
    assert sorted(one.corrected for one in found) == pytest.approx(
        sorted([min(1, 2 * smaller), max(min(1, 2 * smaller), larger)])
    )


def test_coverage_is_not_tested_and_leaves_the_correction_as_it_is() -> None:
    plain = find_slice_differences(scored(parity, "AP nDCG@10"))
    assert find_slice_differences(scored(parity, "AP Judged@10 nDCG@10 Judged")) == plain
    assert find_slice_differences(scored(parity, "Judged@10")) == []


def test_of_several_slices_each_is_compared_with_all_other_topics() -> None:
    scores = scored("relevant", "AP")
    found = find_slice_differences(scores)
    assert [one.other for one in found] == ["others"] * 3
    for part, one in zip(scores.by_slice(), found, strict=True):
        inside = np.isin(scores.topics, part[1].topics)
        assert one.p == pytest.approx(
            ttest_ind(*(scores.of("AP")[0, of] for of in (inside, ~inside)), equal_var=False)[1]
        )


def test_slices_of_few_topics_and_topics_that_do_not_count_are_left_out() -> None:
    few = scored(lambda topic: "few" if topic <= "404" else "many")
    assert not find_slice_differences(few)
    assert len(few.table().grids) == 1
    skipped = scored(parity, "AP(rel=3)", empty="skip")
    [one] = find_slice_differences(skipped)
    assert sum(one.topics) == int(skipped.counted[0, :, 0].sum())


def test_the_tests_stand_below_the_means_of_one_run_alone() -> None:
    scores = scored(parity)
    means, tests = scores.table().grids
    assert tests.title == "is elm better on some slices?"
    texts = tests.texts()
    first = min(find_slice_differences(scores), key=lambda one: one.p)
    assert texts[0][:5] == ["slice", first.measure, "odd", "even", "15/15"]
    assert len(scores.table().records) == len(scored(parity).table().records) == len(means.rows) * 3
    both = evaluate(
        EXAMPLES / "qrels.txt", [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "oak")], "AP", by=parity
    )
    assert len(both.table().grids) == 1
    assert not about_slices_of_run(both)


def test_a_note_says_which_slice_differs_most() -> None:
    judged = {str(number): {"a": 1, "b": 0} for number in range(20)}
    run = {topic: {"a": 1.0, "b": 2.0 if int(topic) % 2 and int(topic) != 1 else 0.5} for topic in judged}
    notes: list[Note] = about_slices_of_run(evaluate(judged, run, "AP", by=parity))
    assert [note.weight for note in notes] == [NoteWeight.ANSWER]
    assert "slices differ in 1 of 1 test at 0.05; slice even: +0.450 by AP against odd" in str(notes[0])
