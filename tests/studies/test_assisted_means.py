"""Means and differences of runs from few human and many model grades."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from assisted_collection import HUMAN, TOPICS, collection, scored
from scipy import stats
from scipy.optimize import brentq

from gradeval import InputError, Scores, assisted_means, compare_assisted, evaluate
from gradeval.studies.assisted_estimates import TopicsAre, estimate_means

pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def wilson(mean: float, variance: float, most: float, alpha: float) -> list[float]:
    """Where (mean - mu)^2 = z^2 phi mu (1 - mu), found by bisection; phi makes the variance that of the mean."""
    z = stats.norm.ppf(1 - alpha / 2)
    phi = variance / (mean * (1 - mean))
    assert phi < most

    def beyond(mu: float) -> float:
        return float((mean - mu) ** 2 - z**2 * phi * mu * (1 - mu))

    return [brentq(beyond, 0, mean, xtol=1e-14), brentq(beyond, mean, 1, xtol=1e-14)]


@pytest.mark.parametrize("topics_are", ["sample", "all"])
def test_means_are_the_estimates_of_each_run_and_measure(topics_are: TopicsAre) -> None:
    human, model = scored()
    means = assisted_means(human, model=model, topics_are=topics_are, alpha=0.1)
    both = np.array([TOPICS.index(topic) for topic in HUMAN])
    n, finite = len(HUMAN), 1 - len(HUMAN) / len(TOPICS) if topics_are == "all" else 1.0
    for run, (place, measure) in product(range(3), enumerate(human.measures)):
        values = [np.array(scores.values[run, :, place : place + 1]) for scores in (human, model)]
        if measure.name == "gmAP":  # is averaged on logarithms
            values = [np.log(np.maximum(each, 1e-5)) for each in values]
        found = estimate_means(*values, both, topics_are, 0.1)
        value, h, reach = found.value.item(), values[0][:, 0], found.reach.item()
        if measure.name == "gmAP":
            value, ends = np.exp(value), np.exp([value - reach, value + reach])
        else:
            mean, share = h.mean(), found.error.item() ** 2 / found.human_error.item() ** 2
            variance = found.error.item() ** 2 * (n - 2) / n + share * finite * value * (1 - value) / n**2
            ends = np.array(wilson(value, variance, finite / n, 0.1))
            alone = finite * (((h - mean) ** 2).sum() + mean * (1 - mean)) / n**2
            expected = wilson(mean, alone, finite / n, 0.1)
            assert means.human_interval[run, place].tolist() == pytest.approx(expected, rel=1e-9)
        assert means.value[run, place] == pytest.approx(value, rel=1e-12)
        assert means.interval[run, place].tolist() == pytest.approx(ends.tolist(), rel=1e-9)
    np.testing.assert_allclose(means.human, human.mean(), rtol=1e-12)


def test_measures_of_few_values_are_estimated_from_the_human_topics_alone() -> None:
    human, model = scored("AP RR P@1")
    means = assisted_means(human, model=model)
    np.testing.assert_array_equal(means.estimates.slope[:, 1:], 0)
    assert means.estimates.slope[:, 0].all()
    np.testing.assert_allclose(means.interval[:, 1:], means.human_interval[:, 1:])
    assert any("6 of 9 estimates use the human topics alone" in str(note) for note in means.notes)
    assert any("RR, P@1); too few values differ" in str(note) for note in means.notes)
    comparison = compare_assisted(human, model=model)
    np.testing.assert_array_equal(comparison.estimates.slope[1:], 0)
    assert comparison.estimates.slope[0].all()


def test_topics_that_are_all_right_have_an_interval_within_the_range() -> None:
    human, model = scored("P@1")
    means = assisted_means(replace(human, values=np.ones_like(human.values)), model=model, topics_are="all")
    low, high = np.moveaxis(means.interval, -1, 0)
    reach = stats.norm.ppf(0.975) ** 2 * (1 - 12 / 30) / 12
    np.testing.assert_allclose(low, 1 / (1 + reach))  # Wilson's for 12 of 12, of 30
    np.testing.assert_array_equal(high, 1)


def test_of_a_sample_human_topics_alone_have_the_intervals_of_scores() -> None:
    human, model = scored("AP nDCG@5 P@1 gmAP")
    np.testing.assert_allclose(assisted_means(human, model=model).human_interval, human.ci(), rtol=1e-12)


def test_a_line_without_errors_has_no_interval() -> None:
    human, _ = scored("AP")
    every = evaluate(*collection()[::2], "AP")
    means = assisted_means(human, model=every, topics_are="all")
    np.testing.assert_allclose(means.value, every.mean())
    assert np.isnan(means.interval).all()
    assert means.to_dict()["lower"][0] is None
    assert "nan" not in str(means)


def test_the_order_of_topics_and_runs_of_the_model_does_not_matter() -> None:
    human, model = scored()
    turned = model.sel(runs=["ash", "elm", "oak"], topics=TOPICS[::-1], measures="GAP AP gmAP nDCG@5")
    np.testing.assert_allclose(
        assisted_means(human, model=turned).value, assisted_means(human, model=model).value, rtol=1e-12
    )


def test_the_model_makes_intervals_shorter() -> None:
    human, model = scored("GAP")
    means = assisted_means(human, model=model, topics_are="all")
    assisted, alone = (np.diff(bounds)[..., 0] for bounds in (means.interval, means.human_interval))
    assert (assisted < alone).all()
    assert (means.estimates.worth > len(HUMAN)).all()
    assert (means.estimates.worth < len(TOPICS)).all()
    assert (means.estimates.limit > means.estimates.worth).all()


def test_tables_hold_both_and_say_what_they_rest_on() -> None:
    human, model = scored("GAP")
    for result, rows in (
        (assisted_means(human, model=model), 6),
        (compare_assisted(human, model=model, baseline="best"), 4),
    ):
        text = str(result)
        assert "humans graded 12 topics, which we take to be a random sample of the 30 that the model graded" in text
        assert "effective size: how many topics with human grades alone would give the same variance" in text
        fields = result.to_dict()
        assert len(fields["statistic"]) == rows
        assert set(fields["statistic"]) == {"assisted", "human alone"}
        assert set(fields["topics_are"]) == {"sample"}


def test_constant_model_values_leave_the_human_topics_with_a_note() -> None:
    human, model = scored("AP")
    flat = replace(model, values=np.full_like(model.values, 0.5))
    means = assisted_means(human, model=flat)
    np.testing.assert_array_equal(means.interval, means.human_interval)
    assert any("3 of 3 estimates use the human topics alone" in str(note) for note in means.notes)


def test_what_cannot_be_estimated_is_refused() -> None:
    human, model = scored("AP")

    def refusal(few: Scores, many: Scores, **options: str) -> str:
        with pytest.raises(InputError) as error:
            assisted_means(few, model=many, **options)
        assert "\n" not in str(error.value)
        return str(error.value)

    assert "7 topics with human grades; grade 8 or more" in refusal(human.sel(topics=HUMAN[:7]), model)
    assert "graded no document of 1 of 12 human topics (t03)" in refusal(human, model.sel(topics=[*TOPICS[4:], "t00"]))
    assert "graded only the 12 topics that have human grades" in refusal(human, model.sel(topics=HUMAN))
    assert "no run 'oak'" in refusal(human, model.sel(runs=["elm", "ash"]))
    assert "AP" in refusal(human, scored("nDCG")[1])
    assert "ties='docid', others ties='expected'" in refusal(human, scored("AP", ties="expected")[1])
    assert "NumRel adds up over topics" in refusal(*scored("NumRel"))
    assert "missing='skip' may leave out different topics" in refusal(*scored("AP", missing="skip"))
    assert "missing='common' may leave out different topics" in refusal(human, replace(model, missing="common"))
    assert "treat missing or empty topics differently" in refusal(human, scored("AP", empty="one")[1])
    assert "topics_are='some' is not 'sample' or 'all'" in refusal(human, model, topics_are="some")
    broken = replace(model, values=np.where(model.values > 0.5, np.nan, model.values))
    assert "is nan; give finite numbers" in refusal(human, broken)
    with pytest.raises(InputError, match="assisted_means takes scores, judged runs, or judgments and runs"):
        assisted_means({}, model=model)
    with pytest.raises(InputError, match="model=a dict: with scores, it must be Scores, too"):
        assisted_means(human, model={})
    with pytest.raises(InputError, match="model= is missing: a model's grades"):
        assisted_means(human)


def test_judgments_of_both_and_runs_do_as_well_as_scores() -> None:
    human, model, runs = collection()
    few = {topic: human[topic] for topic in HUMAN}
    assert np.array_equal(
        compare_assisted(few, list(runs.values()), "AP GAP", model=model, baseline="elm").p,
        compare_assisted(scored("AP GAP")[0], model=scored("AP GAP")[1], baseline="elm").p,
    )


@pytest.mark.parametrize(("lacking", "said"), [(HUMAN[:1], 1), (TOPICS[:1], 1), ([HUMAN[0], TOPICS[0]], 2)])
def test_what_runs_are_like_is_said_once_and_not_again_of_the_model(lacking: list[str], said: int) -> None:
    """Ties and missing topics are the runs' own; what only the model's topics show is said, too."""
    human, model, runs = collection()
    given = {name: {t: {d: round(s) for d, s in run.of(t).items()} for t in TOPICS} for name, run in runs.items()}
    for topic in lacking:
        del given["oak"][topic]
    few = {topic: human[topic] for topic in HUMAN}
    notes = list(map(str, assisted_means(few, given, "AP", model=model).notes))
    assert sum("returned nothing" in note for note in notes) == said
    assert sum("lines with a tied score" in note for note in notes) == 1
    assert not [note for note in notes if "tied" in note and note.startswith("model: ")]


CONFORMAL = Path(__file__).resolve().parents[2] / "docs" / "judges" / "conformal.md"


def test_up_to_20_human_topics_a_note_says_how_often_intervals_of_the_worst_run_held() -> None:
    rows = [line.strip("| ").split(" | ") for line in CONFORMAL.read_text(encoding="utf-8").splitlines()]
    head = next(row for row in rows if row[:2] == ["judge", "human topics"])
    counted = {
        name: [re.search(r"\((.*?)\)", row[head.index(name)]) for row in rows if row[0] == "gpt-4o-p32"]
        for name in ("nDCG@10", "GAP")
    }
    expected = {name: " and ".join(found.group(1) for found in both if found) for name, both in counted.items()}
    human, model = scored("nDCG@10 GAP nDCG@5")
    (said,) = [str(note) for note in assisted_means(human, model=model).notes if "worst" in str(note)]
    assert f"in {expected['nDCG@10']} (nDCG@10), {expected['GAP']} (GAP) of trials (docs" in said
    human, model = scored("nDCG@5")
    assert not any("worst" in str(note) for note in assisted_means(human, model=model).notes)
