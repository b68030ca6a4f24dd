from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from gradeval import AP, Run, judge, read_qrels, read_run
from gradeval.collection.meeting import JudgedRuns, Ties, meet, ranked
from gradeval.formula.arithmetic import Array

TOPICS, RUNS = 23, 3
Words: TypeAlias = tuple[dict[str, dict[str, int]], list[dict[str, list[str]]]]


@pytest.fixture(scope="module")
def words() -> Words:
    """Judgments, and rankings of very different lengths, some of them empty."""
    rng = np.random.default_rng(0)
    qrels, runs = {}, [{} for _ in range(RUNS)]
    for topic in range(TOPICS):
        pool = [f"d{number}" for number in range(int(rng.integers(2, 70)))]
        qrels[f"t{topic}"] = {doc: int(rng.integers(0, 3)) for doc in pool} | {"d0": 1}
        for run in runs:
            documents = [*pool, *(f"x{number}" for number in range(20))]
            run[f"t{topic}"] = list(rng.permutation(documents)[: int(rng.integers(0, len(documents)))])
    return qrels, runs


@pytest.fixture(scope="module")
def judged(words: Words, tmp_path_factory: pytest.TempPathFactory) -> JudgedRuns:
    folder = tmp_path_factory.mktemp("meeting")
    qrels, runs = words
    lines = [f"{topic} 0 {doc} {grade}\n" for topic, grades in qrels.items() for doc, grade in grades.items()]
    (folder / "qrels").write_text("".join(lines))
    for number, run in enumerate(runs):
        lines = [
            f"{topic} Q0 {doc} 0 {-rank} run{number}\n" for topic, docs in run.items() for rank, doc in enumerate(docs)
        ]
        (folder / f"run{number}").write_text("".join(lines))
    return meet(read_qrels(folder / "qrels"), [read_run(folder / f"run{number}") for number in range(RUNS)])


def average_precision(ranking: list[str], grades: dict[str, int]) -> float:
    """AP by its definition, one document after the other."""
    total = relevant = 0.0
    for rank, doc in enumerate(ranking, 1):
        if grades.get(doc, 0) >= 1:
            relevant += 1
            total += relevant / rank
    return total / sum(grade >= 1 for grade in grades.values())


def by_definition(words: Words, topics: list[str]) -> Array:
    qrels, runs = words
    return np.array([[average_precision(run[topic], qrels[topic]) for topic in topics] for run in runs])


@pytest.mark.parametrize("size", [1, 8, 100, 1000, 10**6])
def test_every_ranking_is_in_one_block_and_keeps_its_value(words: Words, judged: JudgedRuns, size: int) -> None:
    blocks = list(judged.blocks(size))
    assert (len(blocks) > 1) == (size < 10**6)
    assert sorted(row for rows, _ in blocks for row in rows.tolist()) == list(range(RUNS * TOPICS))
    values = np.zeros(RUNS * TOPICS)
    for rows, block in blocks:
        values[rows] = AP(block)
    expected = by_definition(words, list(judged.topics))
    np.testing.assert_allclose(values.reshape(RUNS, TOPICS), expected, rtol=1e-12)


@pytest.mark.parametrize("ties", ["docid", "docid-float32", "order"])
@pytest.mark.parametrize("depth", [None, 1, 7, 100])
def test_documents_stand_where_the_judging_core_sees_them(ties: Ties, depth: int | None, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    names = [f"d{number}é" if number % 3 else f"D{number}" for number in range(60)]
    scores = {
        name: float(value) / 4 + 1e-9 * place
        for place, (name, value) in enumerate(zip(names, rng.integers(0, 9, 60), strict=True))
    }
    run = Run.from_dict({"t": scores})
    grades = dict.fromkeys(names, 0)
    shown = ranked(run, "t", ties, depth)
    for rank, document in enumerate(shown, 1):
        judged = judge({"t": {**grades, document: 1}}, run, ties=ties)
        place = judged.grades[0, 0].argmax()
        assert judged.ranks[0, 0, place] == rank
    assert len(shown) == min(depth or 60, 60)
