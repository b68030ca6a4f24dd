"""Of two runs a sentence says on which slices one loses, by the literal means, and only where Welch's test rejects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from scipy.stats import ttest_1samp, ttest_ind

from gradeval import Scores, compare, evaluate
from gradeval.studies.sliced_pair import about_sliced_pair
from gradeval.warning_categories import Note, NoteWeight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
TOPICS = [str(number) for number in range(40)]


def side(topic: str) -> str:
    return "odd" if int(topic) % 2 else "even"


def half(topic: str) -> str:
    return "first" if int(topic) < 20 else "last"


def scored(of_odd: float, of_even: float, *, noise: float = 0.02, by: Any = side, measures: str = "P@10 AP") -> Scores:
    """Two runs whose mean differences on odd and even topics are about these, by the first measure."""
    rng = np.random.default_rng(8)
    judged = {topic: {f"d{place}": 1 for place in range(10)} for topic in TOPICS}
    scores = evaluate(judged, {"old": judged, "new": judged}, measures, by=by)
    gap = np.array([of_odd if side(topic) == "odd" else of_even for topic in TOPICS]) + rng.normal(0, noise, 40)
    scores.values[0, :, 0], scores.values[1, :, 0] = 0.5, 0.5 + gap
    return scores


def said(notes: list[Note]) -> list[str]:
    return [str(note) for note in notes if note.weight is NoteWeight.ANSWER and " on " in str(note)]


def literal(scores: Scores) -> dict[str, float]:
    """The mean difference of each side, topic by topic."""
    gaps: dict[str, list[float]] = {"odd": [], "even": []}
    for place, topic in enumerate(scores.topics):
        gaps[side(topic)].append(scores.values[1, place, 0] - scores.values[0, place, 0])
    assert ttest_ind(gaps["odd"], gaps["even"], equal_var=False).pvalue < 0.01
    return {name: sum(own) / len(own) for name, own in gaps.items()}


@pytest.mark.parametrize(
    ("of_odd", "of_even", "form"),
    [
        (-0.2, 0.1, "new loses on slice odd ({odd:+.3f} by P@10), and gains on even ({even:+.3f})"),
        (-0.2, -0.1, "new loses most on slice odd ({odd:+.3f} by P@10), and least on even ({even:+.3f})"),
        (0.3, 0.1, "new gains least on slice even ({even:+.3f} by P@10), and most on odd ({odd:+.3f})"),
    ],
)
def test_the_slices_are_named_with_their_mean_differences(of_odd: float, of_even: float, form: str) -> None:
    scores = scored(of_odd, of_even)
    expected = form.format(**literal(scores))
    assert said(about_sliced_pair(scores)) == [expected]
    assert expected in said(compare(scores.sel(measures="P@10"), by=side).notes)
    assert len(expected.split()) <= 20


@pytest.mark.parametrize(
    ("gap", "form"),
    [
        (0.3, "new gains on side even ({even:+.3f} by P@10); no difference is shown on odd"),
        (-0.3, "new loses on side even ({even:+.3f} by P@10); no difference is shown on odd"),
    ],
)
def test_a_slice_whose_own_test_shows_nothing_neither_loses_nor_gains(gap: float, form: str) -> None:
    scores = scored(0.0, gap, by=pandas.DataFrame({"topic": TOPICS, "side": map(side, TOPICS)}))
    odd = np.array([side(topic) == "odd" for topic in TOPICS])
    scores.values[1, odd, 0] = 0.5 - np.sign(gap) * np.where(np.arange(20) % 2, 0.2, -0.18)
    means = literal(scores)
    assert means["odd"] * gap < 0
    assert ttest_1samp(scores.values[1, odd, 0] - 0.5, 0).pvalue > 0.5
    assert said(about_sliced_pair(scores)) == [form.format(**means)]
    labels = scores.slices
    assert form.format(**means) in said(compare(scores.sel(measures="P@10"), by=labels).notes)


def test_nothing_is_said_of_slices_where_none_shows_a_difference() -> None:
    scores = scored(0.0, 0.0)
    spread = np.where(np.arange(40) // 2 % 2, 0.1, -0.1)
    odd = np.array([side(topic) == "odd" for topic in TOPICS])
    scores.values[1, :, 0] = 0.5 + spread + np.where(odd, 0.045, -0.045)
    literal(scores)
    assert ttest_1samp(scores.values[1, odd, 0] - 0.5, 0).pvalue > 0.05
    assert said(about_sliced_pair(scores)) == []


def test_nothing_is_said_where_no_test_rejects() -> None:
    assert about_sliced_pair(scored(0.1, 0.1, noise=0.0)) == []
    assert about_sliced_pair(scored(-0.2, 0.2, noise=5.0)) == []
    assert about_sliced_pair(scored(-0.2, 0.1, by=lambda topic: "few" if int(topic) < 3 else "many")) == []
    assert about_sliced_pair(scored(-0.2, 0.1, by=None)) == []
    assert about_sliced_pair(scored(-0.2, 0.1, measures="Unjudged@10")) == []
    assert about_sliced_pair(scored(-0.2, 0.1).sel(runs=["new"])) == []


def test_the_column_with_the_clearest_test_is_named() -> None:
    labels = pandas.DataFrame({"topic": TOPICS, "half": map(half, TOPICS), "side": map(side, TOPICS)})
    [sentence] = said(about_sliced_pair(scored(-0.2, 0.1, by=labels)))
    assert sentence.startswith("new loses on side odd (")


def test_topics_without_pairs_are_not_tested() -> None:
    scores = scored(-0.2, 0.1)
    scores.present[1, 0] = False
    assert len(about_sliced_pair(scores)) == 1
    object.__setattr__(scores, "missing", "skip")
    assert about_sliced_pair(scores) == []


def test_evaluate_says_it_of_two_runs_alone() -> None:
    runs = {name: EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "beech", "cedar")}
    by = {str(number): "head" if number < 411 else "tail" for number in range(401, 431)}
    two = evaluate(EXAMPLES / "qrels.txt", [runs["elm"], runs["beech"]], "nDCG@10", by=by)
    means = {one.label: np.diff(part.mean()[:, 0])[0] for one, part in two.by_slice()}
    expected = f"beech loses on slice head ({means['head']:+.3f} by nDCG@10); no difference is shown on tail"
    assert said(two.notes) == [expected]
    assert said(evaluate(EXAMPLES / "qrels.txt", [*runs.values()], "nDCG@10", by=by).notes) == []
