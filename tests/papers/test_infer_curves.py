"""Inferred curves beside the actual ones: what inform averages, and the curves of the measures module."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import InputError, JudgedRuns, evaluate, infer_curves, inform, judge, precision_recall_curve
from gradeval.studies.simulate import simulate_collection

MEASURES = "nDCG AP GAP"


@pytest.fixture(scope="module")
def judged() -> JudgedRuns:
    drawn = simulate_collection(topics=4, systems=2, levels=3, depth=25, documents=60, missing=0, seed=3)
    return judge(drawn.qrels, list(drawn.runs.values()))


def test_errors_are_those_that_inform_averages(judged: JudgedRuns) -> None:
    curves = infer_curves(judged, MEASURES, least=1)
    summary = inform(judged, MEASURES, least=1, samples=0)
    errors = np.array([[of.errors for of in ranking] for ranking in curves.rankings])  # [list, measure, threshold]
    assert np.moveaxis(errors, 0, -1) == pytest.approx(summary.errors)
    assert [(of.run, of.topic) for (of, *_) in curves.rankings] == [
        (judged.runs[run], judged.topics[topic]) for run, topic in zip(summary.run, summary.topic, strict=True)
    ]


def test_the_inferred_list_has_the_value_and_the_documents_of_the_true_one(judged: JudgedRuns) -> None:
    curves = infer_curves(judged, MEASURES, least=1)
    for ranking in curves.rankings:
        row = judged.runs.index(ranking[0].run) * len(judged.topics) + judged.topics.index(ranking[0].topic)
        block = judged.rows(np.array([row]))
        for of in ranking:
            assert of.converged
            assert of.value == of.measure(block)[0]
            assert of.expected_grade.sum() == pytest.approx(of.grade.sum(), abs=1e-4)
            assert (
                of.grade[block.ranks[np.isfinite(block.ranks)].astype(int) - 1].tolist()
                == block.grades[np.isfinite(block.ranks)].tolist()
            )
            for place, threshold in enumerate(curves.thresholds):
                points = precision_recall_curve(block, threshold).points()
                assert of.actual[place][:, 1:] == pytest.approx(points)
                assert of.recall[place, -1] == pytest.approx(points[-1, 0], abs=1e-5)  # as many are found in the end


def test_records_hold_both_curves_and_the_grades(judged: JudgedRuns) -> None:
    curves = infer_curves(judged, "GAP", least=1)
    fields = curves.table().records.fields
    statistics = list(fields["statistic"])
    assert statistics.count("grade") == statistics.count("expected grade") == 25 * len(curves.rankings)
    assert statistics.count("inferred precision") == 2 * 25 * len(curves.rankings)
    assert statistics.count("value") == len(curves.rankings)
    assert "GAP" in str(curves)


def test_what_inform_refuses_is_refused(judged: JudgedRuns) -> None:
    with pytest.raises(InputError, match="ERR is no sum"):
        infer_curves(judged, "ERR", least=1)
    with pytest.raises(InputError, match="no ranking holds 50 documents"):
        infer_curves(judged, least=50)
    with pytest.raises(InputError, match="give judged runs"):
        infer_curves(evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}))
