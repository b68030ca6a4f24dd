from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gradeval import Qrels, judges, read_qrels
from gradeval.studies.judges.comparison import JudgeComparison

MEASURES = "GAP AP nDCG@10"


@pytest.fixture(scope="module")
def umbrela(data: Callable[[str], Path]) -> JudgeComparison:
    runs, others = data("trec-dl21-passage"), data("trec-dl21-judges") / "judges"
    human, judge = (read_qrels(place) for place in (runs / "qrels.txt", others / "umbrela-gpt4.txt"))
    return judges(human, {"umbrela": judge}, runs / "runs", MEASURES, samples=200, draws=0)


@pytest.mark.realdata
def test_the_conclusions_of_umbrela_on_public_runs(umbrela: JudgeComparison) -> None:
    found = umbrela.of("umbrela", "GAP")
    counts, kept = found.conclusions, found.shares.kept
    assert (counts.kept, counts.human, counts.reversed, counts.not_confirmed) == (1374, 1428, 0, 105)
    assert kept.floor is not None
    assert kept.floor.value == pytest.approx(0.77, abs=0.02)  # what grades shuffled elsewhere keep
    assert "96.2% [" in umbrela.answers[0]
    assert "shuffled grades keep 7" in umbrela.answers[0]


@pytest.mark.realdata
@pytest.mark.parametrize(("measure", "floor"), [("AP", 0.75), ("GAP", 0.67), ("nDCG@10", -0.02)])
def test_the_floors_on_public_runs(umbrela: JudgeComparison, measure: str, floor: float) -> None:
    computed = umbrela.of("umbrela", measure).orders.floor
    assert computed is not None
    assert round(computed.value, 2) == floor


@pytest.mark.realdata
def test_intervals_over_topics_are_several_times_wider_than_over_documents(umbrela: JudgeComparison) -> None:
    kappa = umbrela.labels["umbrela"].kappa
    assert kappa is not None
    assert kappa.bounds is not None
    assert (kappa.bounds[1] - kappa.bounds[0]) / 2 == pytest.approx(0.066, abs=0.006)


@pytest.mark.realdata
def test_label_sets_of_renamed_topics_are_compared_without_runs(data: Callable[[str], Path]) -> None:
    folder = data("trec-dl23-llmjudge")
    others = {place.stem: read_qrels(place) for place in sorted((folder / "judges").iterdir())}
    graded = {name: qrels for name, qrels in others.items() if len(qrels.levels) == 4}
    human = read_qrels(folder / "qrels.txt")
    found = judges(human, graded, samples=20)
    assert len(human) == 4423
    assert all(labels.pairs + labels.human_only == 4423 for labels in found.labels.values())
    assert isinstance(human, Qrels)
