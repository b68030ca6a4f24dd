"""What follows for the runs: by any measure, by tau-ap, and where topics are empty."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from scipy.stats import kendalltau
from two_assessors import TwoAssessors, two_assessors

from gradeval import InputError, evaluate, judges, parse_measure
from gradeval.formula.definition import REGISTRY
from gradeval.studies.judges import regraded_runs


@pytest.fixture(scope="module")
def drawn() -> TwoAssessors:
    return two_assessors(4)


def test_tau_ap_takes_the_humans_for_the_truth(drawn: TwoAssessors) -> None:
    from gradeval.studies.correlation import tau_ap

    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "AP", statistic="tau-ap", samples=20)
    assert {"tau-ap"} == set(found.to_dict()["statistic"]) & {"kendall", "tau-ap"}
    means = [evaluate(one, drawn.runs, "AP").mean()[:, 0] for one in (drawn.human, drawn.judge)]
    tau = found.of("model", "AP").orders.tau
    assert tau is not None
    assert tau.value == pytest.approx(float(tau_ap(*means)))


def test_any_measure_may_be_used(drawn: TwoAssessors, monkeypatch: pytest.MonkeyPatch) -> None:
    """No NaN and no error, whatever a measure needs: a cutoff, logarithms, sums over topics, unjudged documents."""
    measures = []
    for name in REGISTRY:
        for spelling in (f"{name}@5", f"{name}@0.5", name):
            with suppress(InputError):
                measures.append(parse_measure(spelling))
                break
    assert len(measures) == len(REGISTRY)
    monkeypatch.setattr(regraded_runs, "FLOORS", 2)
    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, measures, samples=5, draws=2)
    values = [value for value in found.to_dict()["value"] if value is not None]
    assert np.isfinite(values).all()


@pytest.mark.parametrize("empty", ["zero", "skip", "one"])
def test_topics_that_are_empty_by_one_side_count_as_asked(drawn: TwoAssessors, empty: str) -> None:
    meek = {topic: dict(grades) for topic, grades in drawn.judge.items()}
    meek["t02"] = dict.fromkeys(meek["t02"], 0)
    found = judges(drawn.human, {"meek": meek}, drawn.runs, "AP", samples=20, empty=empty)
    sides = [evaluate(one, drawn.runs, "AP", empty=empty) for one in (drawn.human, meek)]
    tau = found.of("meek", "AP").orders.tau
    assert tau is not None
    assert tau.value == pytest.approx(kendalltau(*(one.mean()[:, 0] for one in sides)).statistic)
