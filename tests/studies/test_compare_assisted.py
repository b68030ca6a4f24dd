from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import gradeval
from gradeval import InputError, Scores, compare_assisted, evaluate
from gradeval.studies.assisted_estimates import estimate_means

TOPICS = [f"t{number:02}" for number in range(30)]

HUMAN = TOPICS[3:27:2]

DOCUMENTS = [f"d{number}" for number in range(20)]

pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def collection(seed: int = 0) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]], dict[str, gradeval.Run]]:
    """Human and lenient model grades of all topics, and three runs, the first of which is the best."""
    rng = np.random.default_rng(seed)
    human, model = {}, {}
    runs: dict[str, dict[str, dict[str, float]]] = {"elm": {}, "oak": {}, "ash": {}}
    for topic in TOPICS:
        grades = rng.integers(0, 4, 20)
        lenient = np.clip(grades + (rng.random(20) < 0.2), 0, 3)
        human[topic] = dict(zip(DOCUMENTS, grades.tolist(), strict=True))
        model[topic] = dict(zip(DOCUMENTS, lenient.tolist(), strict=True))
        hard = rng.uniform(0.2, 3)
        for run, noise in zip(runs, (0.5, 1.5, 4.0), strict=True):
            scores = grades + hard * noise * rng.standard_normal(20)
            runs[run][topic] = dict(zip(DOCUMENTS, scores.tolist(), strict=True))
    return human, model, {name: gradeval.Run.from_dict(run, name) for name, run in runs.items()}


def scored(measures: str = "AP nDCG@5 GAP gmAP", **options: str) -> tuple[Scores, Scores]:
    human, model, runs = collection()
    few = {topic: human[topic] for topic in HUMAN}
    return evaluate(few, runs, measures, **options), evaluate(model, runs, measures, **options)


def test_differences_are_the_estimates_of_topics_differences() -> None:
    human, model = scored("AP GAP")
    comparison = compare_assisted(human, model=model, baseline="elm", topics_are="sample", correction="none")
    both = np.array([TOPICS.index(topic) for topic in HUMAN])
    assert comparison.pairs.tolist() == [[1, 0], [2, 0]]
    for pair, (first, second) in enumerate(comparison.pairs.tolist()):
        for measure in range(2):
            by = [(s.values[first] - s.values[second])[:, measure : measure + 1] for s in (human, model)]
            found = estimate_means(*by, both, "sample")
            at = measure, pair
            assert comparison.estimates.value[at] == pytest.approx(found.value[0], rel=1e-12)
            p = 2 * stats.t.sf(abs(found.value[0] / found.error[0]), len(HUMAN) - 2)
            assert comparison.p[at] == pytest.approx(p, rel=1e-9)
            alone = stats.ttest_1samp(by[0][:, 0], 0).pvalue
            assert comparison.human_p[at] == pytest.approx(alone, rel=1e-9)


def test_differences_are_corrected_by_measure() -> None:
    human, model = scored("AP GAP")
    comparison = compare_assisted(human, model=model)
    for measure in range(2):
        ordered = np.sort(comparison.p[measure])
        holm = np.minimum(1, np.maximum.accumulate(ordered * [3, 2, 1]))
        np.testing.assert_allclose(np.sort(comparison.corrected[measure]), holm, rtol=1e-12)


def test_a_run_compared_with_its_copy_differs_by_nothing() -> None:
    human, model = scored("AP")
    twins = [replace(s, values=np.repeat(s.values[:1], 3, axis=0)) for s in (human, model)]
    comparison = compare_assisted(twins[0], model=twins[1])
    assert comparison.p.tolist() == [[1, 1, 1]]
    assert not comparison.estimates.reach.any()


def test_few_runs_and_unknown_baselines_are_refused() -> None:
    human, model = scored("AP")
    with pytest.raises(InputError, match="no run 'fir'"):
        compare_assisted(human, model=model, baseline="fir")
    with pytest.raises(InputError, match="1 run cannot be compared"):
        compare_assisted(human.sel(runs="elm"), model=model)
