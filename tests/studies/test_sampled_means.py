"""Means from a sample of documents: against sums by hand, and right on average whatever the model is worth."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from gradeval import InputError, evaluate, sampled_means
from gradeval.studies.sampled_means import FOLDS, correct_by_model

Grades = dict[str, dict[str, int]]
MEASURES = "P(rel=2)@3 DCG@5 RBP"


def made(topics: int = 12, documents: int = 8, wrong: float = 0.3, seed: int = 0) -> tuple[Grades, Grades, Any]:
    """Human grades, a model's, and two runs."""
    rng = np.random.default_rng(seed)
    human = {f"t{t}": {f"d{d}": int(rng.integers(4)) for d in range(documents)} for t in range(topics)}
    model = {
        topic: {document: grade if rng.random() > wrong else int(rng.integers(4)) for document, grade in one.items()}
        for topic, one in human.items()
    }
    runs = {
        name: {topic: {document: float(rng.normal()) for document in one} for topic, one in human.items()}
        for name in ("a", "b")
    }
    return human, model, runs


def sampled(human: Grades, share: float, seed: int) -> Grades:
    rng = np.random.default_rng(seed)
    return {
        topic: {each: one[each] for each in rng.choice(list(one), max(1, round(share * len(one))), replace=False)}
        for topic, one in human.items()
    }


def added(grade: int, rank: int) -> list[float]:
    """What a document adds to each of the measures, by their definitions."""
    return [
        (grade >= 2 and rank <= 3) / 3,
        grade / np.log2(rank + 1) * (rank <= 5),
        0.2 * 0.8 ** (rank - 1) * grade / 3,
    ]


def test_the_estimates_are_weighted_sums_over_the_sample_corrected_by_the_model() -> None:
    human, model, runs = made()
    sample = sampled(human, 0.5, 1)
    means = sampled_means(sample, model, runs, MEASURES, seed=3)
    h, d = np.zeros((12, 2, 3)), np.zeros((12, 2, 3))
    for t, topic in enumerate(human):
        for r, run in enumerate(runs.values()):
            order = sorted(run[topic], key=lambda document: -run[topic][document])
            for rank, document in enumerate(order, 1):
                if document in sample[topic]:
                    h[t, r] += np.array(added(human[topic][document], rank)) * 2
                    d[t, r] += np.array(added(model[topic][document], rank)) * 2
                d[t, r] -= added(model[topic][document], rank)
    assert means.human == pytest.approx(h.mean(0), abs=1e-12)
    y, _ = correct_by_model(h, d, 3)
    assert means.value == pytest.approx(y.mean(0), abs=1e-12)
    assert means.model == pytest.approx(evaluate(model, runs, MEASURES).mean(), abs=1e-12)
    fold = np.random.default_rng(3).permutation(12) % FOLDS
    slope = np.polyfit(d[fold != 0, 1, 2], h[fold != 0, 1, 2], 1)[0]  # least squares of h on d, by the other folds
    assert y[fold == 0, 1, 2] == pytest.approx((h - slope * d)[fold == 0, 1, 2], abs=1e-9)


def test_over_all_samples_the_weighted_sums_are_the_means_of_all_human_grades() -> None:
    human, model, runs = made(topics=10, documents=4)
    kept = [dict(list(one.items())) for one in human.values()]
    estimates = []
    for pair in combinations(range(4), 2):  # the same two places in each topic: each document in half of the samples
        sample = {
            topic: dict([list(one.items())[place] for place in pair]) for topic, one in zip(human, kept, strict=True)
        }
        estimates.append(sampled_means(sample, model, runs, MEASURES).human)
    assert np.mean(estimates, axis=0) == pytest.approx(evaluate(human, runs, MEASURES).mean(), abs=1e-12)


def test_a_model_that_is_right_takes_the_noise_of_the_sample_away_and_a_bad_one_does_no_harm() -> None:
    human, _, runs = made(topics=60, documents=12)
    truth = evaluate(human, runs, MEASURES).mean()
    sample = sampled(human, 0.25, 5)
    good = sampled_means(sample, human, runs, MEASURES)
    assert good.slope == pytest.approx(np.ones((2, 3)), abs=0.15)
    assert (good.share < 0.5).all()
    assert (np.abs(good.value - truth) < np.abs(good.human - truth)).mean() > 0.8
    rng = np.random.default_rng(9)
    noise = {topic: {each: int(rng.integers(4)) for each in one} for topic, one in human.items()}
    bad = sampled_means(sample, noise, runs, MEASURES)
    assert ((bad.interval[..., 0] <= truth) & (truth <= bad.interval[..., 1])).all()


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RR", "ERR", "GAP", "Q", "Bpref", "Rprec", "RelP@3", "F@2"])
def test_measures_that_are_no_sums_over_documents_are_refused(measure: str) -> None:
    human, model, runs = made()
    with pytest.raises(InputError, match="is no sum over documents"):
        sampled_means(sampled(human, 0.5, 0), model, runs, measure)


@pytest.mark.parametrize("measure", ["P@5", "P(rel=3)@2", "CG@4", "DCG", "DCG(dcg='exp-log2')@7", "RBP(p=0.5)", "gP@3"])
def test_measures_that_are_sums_are_taken(measure: str) -> None:
    human, model, runs = made()
    means = sampled_means(human | {"t0": dict([*human["t0"].items()][:-1])}, model, runs, measure)
    truth = evaluate(human, runs, measure).mean()
    assert means.human == pytest.approx(truth, rel=0.2)


def test_nothing_is_known_of_others_where_all_topics_have_one_value() -> None:
    human, model, runs = made()
    none = {topic: dict.fromkeys(one, 0) for topic, one in human.items()}
    means = sampled_means(sampled(none, 0.5, 0), none | {"t0": dict.fromkeys(none["t0"], 0)}, runs, "P@3")
    assert np.isnan(means.interval).all()
    with pytest.raises(InputError, match="leaves documents out"):
        sampled_means(sampled(human, 0.5, 0), model, runs, "P(judged_only=True)@3")
    with pytest.raises(InputError, match="ties"):
        sampled_means(sampled(human, 0.5, 0), model, runs, "P@3", ties="best")


def test_what_cannot_be_estimated_is_said() -> None:
    human, model, runs = made()
    sample = sampled(human, 0.5, 0)
    with pytest.raises(InputError, match=r"1 topic without a human grade .t0.*drawn='overall'"):
        sampled_means({topic: one for topic, one in sample.items() if topic != "t0"}, model, runs)
    some = sampled_means({topic: one for topic, one in sample.items() if topic != "t0"}, model, runs, drawn="overall")
    assert np.isfinite(some.value).all()
    with pytest.raises(InputError, match="every document that the model graded has a human grade"):
        sampled_means(human, model, runs)
    with pytest.raises(InputError, match=r"the model did not grade 1 document with a human grade .t1 new"):
        sampled_means(sample | {"t1": {"new": 1}}, model, runs)
    few = {topic: model[topic] for topic in list(model)[:9]}
    with pytest.raises(InputError, match="9 topics are too few"):
        sampled_means({topic: sample[topic] for topic in few}, few, runs)
    assert "too narrow" in str(sampled_means(sample, model, runs).notes[-1])


@pytest.mark.parametrize(
    ("topics", "share", "intervals"), [(10, 0.1, False), (11, 0.1, True), (10, 0.15, True), (12, 0.5, True)]
)
def test_with_few_topics_and_documents_means_have_no_intervals(topics: int, share: float, intervals: bool) -> None:
    human, model, runs = made(topics, documents=40)
    means = sampled_means(sampled(human, share, 0), model, runs, "RBP")
    assert np.isfinite(means.value).all()
    assert np.isfinite(means.human).all()
    known = [np.isfinite(bounds).all() for bounds in (means.interval, means.human_interval)]
    assert known == [intervals, intervals]
    assert ("draw more topics or documents for intervals: with up to 10 topics" in str(means.notes[-1])) == (
        not intervals
    )
    values = means.to_dict()
    assert all((values[name][0] is not None) == intervals for name in ("lower", "upper", "human_lower", "human_upper"))
    assert ("[" in means.table().grids[0].texts()[0][1]) == intervals
