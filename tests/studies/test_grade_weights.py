"""Measures as quotients in the weights of the grades, against the measures themselves at random weights."""

from __future__ import annotations

import numpy as np
import pytest

import gradeval
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.spelling import parse_measure
from gradeval.studies.grade_weights import grade_weights


def judged(seed: int = 0, grades: int = 3) -> JudgedRuns:
    rng = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(60)]
    qrels = {
        f"t{topic}": {name: int(rng.integers(0, grades + 1 - (topic % 3 == 1))) for name in documents[:40]}
        for topic in range(8)
    }
    qrels["t8"] = dict.fromkeys(documents, 0)  # nothing relevant
    runs = [
        {
            topic: {str(name): float(rng.random()) for name in rng.permutation(documents)[:25]}
            for topic in list(qrels)[run:]
        }
        for run in range(5)
    ]
    return gradeval.judge(qrels, [gradeval.Run.from_dict(run, f"r{place}") for place, run in enumerate(runs)])


MEASURES = "GAP GAP@5 eGAP eGAP@10 nDCG nDCG@5 nDCG(discount='jk',base=3)@10 nDCG(discount='linear') DCG DCG@7"


@pytest.mark.parametrize("spelling", MEASURES.split())
@pytest.mark.parametrize(
    ("missing", "policy"), [("zero", "zero"), ("skip", "skip"), ("zero", "one"), ("common", "zero")]
)
def test_any_weights_give_what_the_measure_gives(spelling: str, missing: str, policy: str) -> None:
    collection, measure = judged(), parse_measure(spelling)
    form = grade_weights(collection, measure, missing=missing, empty=policy)
    assert form is not None
    rng = np.random.default_rng(1)
    settings = [*rng.dirichlet([1, 1, 1], 10), *np.eye(3)]
    for weights in settings:
        spelled = form.spell(weights.tolist())
        from gradeval.scores.scoring import score

        scores = score(collection, [spelled], missing=missing, empty=policy)
        np.testing.assert_allclose(form.mean(weights), scores.mean()[:, 0], atol=1e-12)
        assert parse_measure(str(spelled)) == spelled


@pytest.mark.parametrize("spelling", "GAP(g=[.2,.3,.5]) eGAP nDCG(dcg='exp-log2')@10 nDCG(gains={1:1,2:5,3:5})".split())
def test_the_default_weights_are_those_of_the_measure(spelling: str) -> None:
    collection, measure = judged(), parse_measure(spelling)
    form = grade_weights(collection, measure)
    assert form is not None
    np.testing.assert_allclose(form.values(form.weights), collection.map(measure), atol=1e-12)


@pytest.mark.parametrize(
    "spelling", "GAP(norm='min')@5 eGAP(renormalise=True) nDCG(gains={1:3,2:1,3:2}) nDCG(gains={0:1}) AP Q xGAP".split()
)
def test_other_measures_are_no_such_quotient(spelling: str) -> None:
    assert grade_weights(judged(), parse_measure(spelling)) is None
