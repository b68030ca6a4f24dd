"""Rankings of a meeting against a slow definition; meetings go to other processes and give the same numbers there."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from gradeval import AP, GAP, P, Qrels, Run, evaluate, judge, nDCG, read_qrels, read_run
from gradeval.collection.meeting import JudgedRuns, Ties, meet, ranked
from gradeval.files.trec import write_qrels, write_run
from gradeval.formula.arithmetic import Array
from gradeval.scores.scoring import score

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


WAYS: list[Callable[[Any], Any]] = [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy, copy.copy]
MEASURES = [AP, nDCG @ 5, GAP]


def drawn(seed: int = 1) -> tuple[Qrels, list[Run]]:
    rng = np.random.default_rng(seed)
    qrels = {
        str(topic): {f"d{d}": int(rng.integers(-1, 4)) for d in rng.choice(60, 20, replace=False)} for topic in range(9)
    }
    runs = [
        Run.from_dict(
            {str(t): {f"d{d}": float(rng.integers(30)) / 7 for d in rng.permutation(60)[:40]} for t in range(n, 9)},
            f"run {n}",
        )
        for n in range(3)
    ]
    return Qrels.from_dict(qrels), runs


def of_files(folder: Path) -> tuple[Qrels, list[Run]]:
    qrels, runs = drawn()
    write_qrels(qrels, folder / "qrels.txt")
    for number, run in enumerate(runs):
        write_run(run, folder / f"{number}.run", tag=f"tag{number}")
    return read_qrels(folder / "qrels.txt"), [read_run(folder / f"{number}.run") for number in range(len(runs))]


@pytest.mark.parametrize("again", WAYS)
@pytest.mark.parametrize("from_files", [False, True])
def test_scores_after_a_round_trip_are_the_same_to_the_bit(
    tmp_path: Path, again: Callable[[Any], Any], from_files: bool
) -> None:
    qrels, runs = of_files(tmp_path) if from_files else drawn()
    expected = evaluate(qrels, runs, MEASURES).values.tobytes()
    assert evaluate(again(qrels), again(runs), MEASURES).values.tobytes() == expected
    chosen = again(qrels.with_levels([0, 1, 2, 3]).select(["3", "1"]))
    assert (chosen.topics, chosen.levels) == (["1", "3"], (0, 1, 2, 3))


@pytest.mark.parametrize("again", WAYS)
def test_judged_runs_after_a_round_trip_are_the_same_to_the_bit(again: Callable[[Any], Any]) -> None:
    judged = judge(*drawn(), negative="unjudged")
    expected = [judged.map(measure).tobytes() for measure in MEASURES]
    copied = again(judged)
    assert [copied.map(measure).tobytes() for measure in MEASURES] == expected
    assert (copied.runs, copied.topics, copied.levels) == (judged.runs, judged.topics, judged.levels)
    assert copied.judged_retrieved.tolist() == judged.judged_retrieved.tolist()
    assert copied.unjudged_topics == judged.unjudged_topics


def scores_of(given: tuple[Qrels, list[Run]]) -> bytes:
    return evaluate(*given, MEASURES).values.tobytes()


def test_another_process_that_was_started_afresh_gives_the_same_numbers(tmp_path: Path) -> None:
    """Ids are hashed in another way there."""
    both = [drawn(), of_files(tmp_path)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(scores_of, both) == [scores_of(given) for given in both]


@pytest.mark.parametrize(("ties", "ranks"), [("best", {"c": 1, "b": 2, "a": 3}), ("worst", {"c": 4, "b": 3, "a": 2})])
def test_an_unjudged_document_of_a_tie_stands_beyond_a_judged_one_of_grade_0(ties: Ties, ranks: dict[str, int]) -> None:
    """Four documents of one score: c has grade 1, b grade 0, a is negative, so not judged, and n is not in the pool."""
    run = {"t": dict.fromkeys("abcn", 1.0)}
    judged = judge({"t": {"c": 1, "b": 0, "a": -1}}, run, ties=ties, negative="unjudged")
    row = judged.rectangle
    met = zip(row.grades.ravel().tolist(), row.judged.ravel().tolist(), row.ranks.ravel().tolist(), strict=True)
    placed = {(grade, known): rank for grade, known, rank in met if rank < np.inf}
    assert placed == {(1, True): ranks["c"], (0, True): ranks["b"], (0, False): ranks["a"]}


def test_the_smaller_of_two_depths_holds_also_where_ties_are_expected() -> None:
    qrels = {"t": {"a": 1, "b": 0, "c": 1}}
    run = {"t": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    judged = judge(qrels, run, ties="expected")
    for first, then in ((2, 3), (3, 2)):
        values = score(judged.top(first).top(then), [P @ 3]).values
        assert values == score(judged.top(2), [P @ 3]).values == pytest.approx(2 * (2 / 3) / 3)
