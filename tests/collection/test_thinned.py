from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats
from thinned_collection import MEASURES, thinned_qrels

from gradeval import JudgedRuns, Qrels, Run, evaluate, judge
from gradeval.collection.thinned import pools_of, tells_unjudged_apart, thinned, topic_of
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY, REQUIRED, Measure
from gradeval.studies.robustness import Stratified, robustness
from gradeval.studies.simulate import simulate_collection


@pytest.fixture(scope="module")
def collection() -> tuple[Qrels, list[Run]]:
    drawn = simulate_collection(topics=6, systems=7, levels=3, depth=60, documents=150, seed=4)
    return Qrels.from_dict(drawn.qrels), [Run.from_dict(run, name) for name, run in drawn.runs.items()]


@pytest.fixture(scope="module")
def judged(collection: tuple[Qrels, list[Run]]) -> JudgedRuns:
    return judge(*collection)


def at_ten(measure: Measure) -> Measure:
    """The measure, at rank 10 where it needs a cutoff and at recall 0.1 where it needs one."""
    missing = [value for value in measure.parameters.values() if value is REQUIRED]
    return measure @ (10 if measure.definition.at == "cutoff" else 0.1) if missing else measure


def strata(judged: JudgedRuns, kept: Array) -> Counter[tuple[int, float]]:
    topics, grades = topic_of(judged), judged.grading.grades[:-1]
    return Counter((int(topics[d]), float(grades[d])) for d in np.flatnonzero(kept))


def test_pools_count_what_is_kept(judged: JudgedRuns) -> None:
    kept = Stratified((40.0, 20.0)).draw(judged, np.random.default_rng(5))
    pools = pools_of(judged, kept)
    for step in range(2):
        left = strata(judged, kept[step])
        assert all(
            pools[step, topic, level] == left[topic, grade]
            for topic in range(len(judged.topics))
            for level, grade in enumerate(judged.levels)
        )
    assert np.array_equal(pools_of(judged, np.ones(kept.shape[-1], bool)), judged.pool)


@pytest.mark.parametrize("options", [{}, {"missing": "skip"}, {"empty": "skip"}, {"empty": "one"}])
def test_each_sample_is_what_meeting_the_thinned_qrels_would_give(
    collection: tuple[Qrels, list[Run]], judged: JudgedRuns, options: dict[str, Any]
) -> None:
    qrels, runs = collection
    sampling = Stratified((100.0, 60.0, 25.0), floor=1)
    result = robustness(judged, MEASURES, method=sampling, samples=3, seed=9, **options)
    full = evaluate(qrels, runs, MEASURES, **options).mean()
    for sample in range(3):
        drawn = sampling.draw(judged, np.random.default_rng([9, sample]))
        for step, kept in enumerate(drawn):
            assert result.judged_share[step, sample] == kept.mean()
            means = evaluate(thinned_qrels(qrels, kept), runs, MEASURES, **options).mean()
            for place in range(len(result.measures)):
                tau = stats.kendalltau(np.round(full[:, place], 12), np.round(means[:, place], 12)).statistic
                assert result.values[step, sample, place] == pytest.approx(tau)


def test_a_document_whose_judgment_went_stays_pooled_but_unjudged(judged: JudgedRuns) -> None:
    kept = np.arange(len(judged.grading.judged) - 1) % 3 > 0
    whole, left = judged.rectangle, thinned(judged, kept).rectangle
    first = judged.grading.first[:, None]
    here = np.where(whole.document >= 0, kept[np.where(whole.document >= 0, first + whole.document, 0)], False)
    assert np.array_equal(left.document, whole.document)
    assert np.array_equal(left.ranks, whole.ranks)
    assert np.array_equal(left.judged, here)
    assert np.array_equal(left.grades, np.where(here, whole.grades, 0))
    assert np.array_equal(left.pool, pools_of(judged, kept))


def test_only_infap_tells_a_pooled_document_without_judgment_from_one_outside(judged: JudgedRuns) -> None:
    seeing = {name for name, measure in REGISTRY.items() if tells_unjudged_apart(at_ten(measure), judged.levels)}
    assert seeing == {"infAP"}
    assert tells_unjudged_apart(REGISTRY["infAP"](rel=2), judged.levels)


@pytest.mark.parametrize("name", [name for name in REGISTRY if name != "infAP"])
def test_dropping_documents_whose_judgment_went_changes_no_other_measure(judged: JudgedRuns, name: str) -> None:
    measure = at_ten(REGISTRY[name])
    kept = np.random.default_rng(0).random(len(judged.grading.judged) - 1) < 0.4
    assert measure(thinned(judged, kept, drop=True)) == pytest.approx(measure(thinned(judged, kept)), abs=1e-12)
