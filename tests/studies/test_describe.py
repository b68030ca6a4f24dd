"""The features of a collection: topics, documents by grade, runs, and how much of them is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradeval import InputError, describe, evaluate, read_qrels
from gradeval.studies.simulate import simulate_collection

QRELS = {
    "1": {"a": 2, **{f"b{n}": 1 for n in range(10)}, "z": 0},
    "2": {"a": 2, **{f"b{n}": 1 for n in range(9)}},
    "3": {"a": 1, "z": -1},
}


def test_documents_are_counted_by_grade() -> None:
    description = describe(QRELS)
    expected = [[Counter(max(0, grade) for grade in of.values())[level] for level in range(3)] for of in QRELS.values()]
    assert description.pool.tolist() == expected
    assert description.relevant.tolist() == [11, 10, 1]
    assert description.negative.tolist() == [0, 0, 1]
    documents, _ = description.table().grids
    assert documents.texts()[-1] == ["relevant", "22", "3", "1", f"{22 / 3:.2f}", "11"]


def test_topics_with_few_highly_relevant_documents_are_counted() -> None:
    assert describe(QRELS).few == {2: ["1"]}  # ten of grade 1 for one of grade 2; nine are not enough
    assert describe({"1": {"a": 1}}).few == {}


def test_unjudged_negatives_are_in_no_pool() -> None:
    assert describe(QRELS, negative="unjudged").pool.tolist()[2] == [0, 1, 0]


def test_what_negatives_count_as_is_said() -> None:
    said = [str(note) for note in describe({"1": {"a": -1, "b": -2, "c": 1}}).notes]
    assert "2 negative grades count as 0: judged, but not relevant" in said
    said = [str(note) for note in describe({"1": {"a": -1, "c": 1}}, negative="unjudged").notes]
    assert "1 negative grade counts as unjudged" in said


def test_runs_are_described_with_what_is_judged_of_them() -> None:
    drawn = simulate_collection(topics=5, systems=6, depth=40, documents=90, seed=3)
    description = describe(drawn.qrels, drawn.runs.values())
    assert description.of_runs is not None
    scores = evaluate(drawn.qrels, drawn.runs.values(), "AP Judged@10").mean()
    above = scores[:, 0] > np.percentile(scores[:, 0], 25)
    assert description.of_runs.above_first_quartile == [
        run for run, chosen in zip(description.of_runs.runs, above, strict=True) if chosen
    ]
    assert description.of_runs.judged_share["judged of the first 10"] == pytest.approx(scores[:, 1])
    for place, (topic, grades) in enumerate(drawn.qrels.items()):
        retrieved = {document for run in drawn.runs.values() for document in run.get(topic, {})}
        assert description.of_runs.relevant_retrieved[place] == sum(grades[d] > 0 for d in retrieved & grades.keys())
    assert description.of_runs.retrieved.max() == 40


def test_another_measure_chooses_other_runs() -> None:
    drawn = simulate_collection(topics=5, systems=6, depth=40, documents=90, seed=3)
    described = [
        describe(drawn.qrels, drawn.runs.values(), measure=name).table().grids[1].texts()[-1] for name in ("AP", "P@5")
    ]
    assert [row[1] for row in described] == ["above-q1:AP", "above-q1:P@5"]


def test_records_hold_every_topic_and_run() -> None:
    drawn = simulate_collection(topics=5, systems=3, depth=10, documents=30, seed=3)
    frame = describe(drawn.qrels, drawn.runs.values()).to_pandas()
    relevant = frame[(frame.quantity == "relevant documents") & (frame.statistic == "number")]
    expected = {topic: sum(grade > 0 for grade in grades.values()) for topic, grades in drawn.qrels.items()}
    assert dict(zip(relevant.topic, relevant.value, strict=True)) == expected
    assert set(frame.run.dropna()) == {"run", "run 2", "run 3"}


def test_what_is_no_collection_is_refused() -> None:
    with pytest.raises(InputError, match="qrels are Qrels, a file, a frame"):
        describe(3)
    with pytest.raises(InputError, match="no run given"):
        describe(QRELS, [])


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("place", "recode", "few", "relevant"),
    [
        ("qrels-only/trec10-web2001.qrels.txt", {}, {2: 17}, (2, 67.26, 372)),
        ("trec14-robust2005/qrels.txt", {}, {2: 6}, (9, 131.22, 376)),
        ("qrels-only/trec21-web2012.qrels.txt", {4: 3}, {2: 10, 3: 7}, (6, 70.46, 253)),
    ],
)
def test_ferro_table_1(
    data: Callable[[str], Path],
    place: str,
    recode: dict[float, float],
    few: dict[float, int],
    relevant: tuple[int, float, int],
) -> None:
    folder, _, file = place.partition("/")
    description = describe(read_qrels(data(folder) / file, recode=recode))
    assert len(description.topics) == 50
    assert {grade: len(topics) for grade, topics in description.few.items()} == few
    found = description.relevant
    assert (found.min(), found.mean(), found.max()) == pytest.approx(relevant)
