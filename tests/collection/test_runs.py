"""Runs in memory, against dictionaries."""

from __future__ import annotations

import json
import pickle
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet
import pytest
from refusing import said_of

from gradeval import InputError, Run, evaluate, judge, read_run, read_runs, run_from_frame
from gradeval.collection.runs import (
    RULES,
    FileName,
    OneOrTwoRules,
    come_again,
    drop_endings,
    find_run,
    rule_of_grades,
    rule_of_runs,
)
from gradeval.files.readers import open_runs

SCORES = {"2": {"a": 3.0, "b": 0.5}, "1": {"a": 1e-300}}


def test_a_run_owns_what_it_was_given_unless_it_reads_it_in_place() -> None:
    scores = {topic: dict(documents) for topic, documents in SCORES.items()}
    owned, in_place = Run.from_dict(scores, "owned"), Run.over(scores, "in place")
    scores["1"]["new"] = 7.0
    assert owned.to_dict() == SCORES
    assert in_place.to_dict() == scores
    assert (owned.topics, in_place.topics) == (["2", "1"], ["2", "1"])


def test_a_topic_that_is_not_there_is_an_error_that_names_the_run() -> None:
    with pytest.raises(InputError, match="early: no topic '3' among its 2"):
        Run.from_dict(SCORES, "early").of("3")


@pytest.mark.parametrize(("ranks", "contradicting"), [([1, 2], 0), ([2, 1], 1), ([nan, nan], 0)])
def test_ranks_beside_scores_are_counted_where_they_contradict_and_decide_nothing(
    ranks: list[float], contradicting: int
) -> None:
    run = Run.of_table({"2": SCORES["2"]}, {"2": ranks})
    scores = evaluate({"2": {"a": 1, "b": 0}}, run, "RR")
    assert scores.values[0, 0, 0] == 1
    assert scores.coverage is not None
    assert int(scores.coverage.contradicting.sum()) == contradicting


CHUNKS = [("1", "a", 3.0), ("1", "b", 2.5), ("1", "a", 9.0), ("2", "c", 1.0), ("1", "b", 2.5), ("1", "a", 4.0)]


def one_line_each(repeated: str) -> dict[str, dict[str, float]]:
    """The literal definition: of the lines of a document the first, or the first of those with the highest score."""
    kept: dict[str, dict[str, float]] = {}
    for topic, document, score in CHUNKS:
        documents = kept.setdefault(topic, {})
        if document not in documents or (repeated == "best" and score > documents[document]):
            documents[document] = score
    return kept


class Chunk(NamedTuple):
    """A record of a run."""

    query_id: str
    doc_id: str
    score: float


def chunks_in(form: str, folder: Path) -> Any:
    """The same lines in one of the forms that a run may have."""
    path = folder / f"run.{form}"
    columns = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*CHUNKS, strict=True)), strict=True))
    texts = {
        "txt": "".join(f"{topic} Q0 {document} 0 {score} x\n" for topic, document, score in CHUNKS),
        "csv": "".join(f"{topic},{document},{score}\n" for topic, document, score in CHUNKS),
        "tsv": "qid\tdocno\tscore\n" + "".join(f"{topic}\t{document}\t{score}\n" for topic, document, score in CHUNKS),
        "jsonl": "".join(json.dumps(Chunk(*chunk)._asdict()) + "\n" for chunk in CHUNKS),
        "json": json.dumps([Chunk(*chunk)._asdict() for chunk in CHUNKS]),
    }
    if form in texts:
        path.write_text(texts[form])
        return path
    if form == "parquet":
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        return path
    pairs = {topic: [(document, score) for of, document, score in CHUNKS if of == topic] for topic in ("1", "2")}
    return {
        "table": pyarrow.table(columns),
        "records": [Chunk(*chunk) for chunk in CHUNKS],
        "dictionaries": [Chunk(*chunk)._asdict() for chunk in CHUNKS],
        "pairs": pairs,
        "run": run_from_frame(columns),
        "named": {"mine": pyarrow.table(columns)},
    }[form]


@pytest.mark.parametrize("repeated", ["first", "best"])
@pytest.mark.parametrize("form", "txt csv tsv jsonl json parquet table records dictionaries pairs run named".split())
def test_the_first_or_the_best_line_of_a_document_counts(form: str, repeated: Any, tmp_path: Path) -> None:
    qrels = {"1": {"a": 1, "b": 2, "q": 1}, "2": {"c": 1}}
    expected = one_line_each(repeated)
    scores = evaluate(qrels, chunks_in(form, tmp_path), "RR AP GAP nDCG num_ret", repeated=repeated)
    np.testing.assert_array_equal(scores.values, evaluate(qrels, expected, "RR AP GAP nDCG num_ret").values)
    assert "repeated: 3 lines of the run left out, as another line of the same document counts" in map(
        str, scores.notes
    )
    with pytest.raises(InputError, match="--repeated best"):
        evaluate(qrels, chunks_in(form, tmp_path), "RR")
    if form in ("txt", "csv", "jsonl", "parquet"):
        for run in (
            read_run(tmp_path / f"run.{form}", repeated=repeated),
            *open_runs(tmp_path / f"run.{form}", repeated=repeated),
            *read_runs(tmp_path / f"run.{form}", repeated=repeated).runs,
        ):
            for same in (run, pickle.loads(pickle.dumps(run))):
                assert same.to_dict() == expected
                assert len(same) == 3


@pytest.mark.parametrize("repeated", ["first", "best"])
def test_lists_of_chunks_name_a_document_where_it_comes_first(repeated: Any, tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_text(
        '{"user_input": "q1", "retrieved_context_ids": ["a", "a", "b"], "reference_context_ids": ["b"]}\n'
    )
    (tmp_path / "cells.csv").write_text("query,documents\nq1,a a b\n")
    (tmp_path / "lists.json").write_text('{"q1": ["a", "a", "b"]}')
    for run in ({"q1": ["a", "a", "b"]}, *(tmp_path / name for name in ("samples.jsonl", "cells.csv", "lists.json"))):
        scores = evaluate({"q1": {"b": 1}}, run, "RR P@2 R@2", repeated=repeated)
        assert scores.values[0, 0].tolist() == [1 / 2, 1 / 2, 1]


def test_repeated_lines_leave_before_what_is_excluded_and_ranks_are_those_of_all_lines(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("q Q0 q 1 3 x\nq Q0 q 2 9 x\nq Q0 a 3 2 x\nq Q0 b 4 1 x\n")
    judged = judge({"q": {"a": 1, "b": 0}}, tmp_path / "run.txt", repeated="first", exclude="self")
    assert judged.retrieved.tolist() == [[2]]
    assert judged.contradicting.tolist() == [[1]]
    assert judged.repeated is not None
    assert judged.excluded is not None
    assert (judged.repeated.tolist(), judged.excluded.documents.tolist()) == ([[1]], [[1]])


def test_another_word_for_repeated_is_refused() -> None:
    with pytest.raises(InputError, match="repeated='last'"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", repeated="last")


@pytest.mark.parametrize(
    ("runs", "short"),
    [
        (["vA.csv", "vB.csv"], ["vA", "vB"]),
        (["vA.csv.gz", "bm25.v2", "x.JSONL"], ["vA", "bm25.v2", "x"]),
        (["a.csv", "a.tsv", "b.csv"], ["a.csv", "a.tsv", "b"]),
        (["a.csv", "a"], ["a.csv", "a"]),
        ([".csv", "txt"], [".csv", "txt"]),
    ],
)
def test_endings_are_dropped_where_names_stay_different(runs: list[str], short: list[str]) -> None:
    assert drop_endings([FileName(run) for run in runs]) == short
    assert drop_endings(runs) == runs  # tags, and names that the user gave


@pytest.mark.parametrize(
    ("name", "run"),
    [("a", None), ("a.csv", "a.csv"), ("b", "b.csv.gz"), ("b.csv", "b.csv.gz"), ("c.txt", "c"), ("bm25", None)],
)
def test_a_run_is_found_without_its_ending_where_only_one_is_meant(name: str, run: str | None) -> None:
    assert find_run(name, ["a.csv", "a.tsv", "b.csv.gz", "c", "bm25.v2"]) == run


RATERS = [("q", "a", 3), ("q", "a", 0), ("q", "b", 1)]
REPEATING = "q Q0 b 1 9 r\nq Q0 a 2 8 r\nq Q0 b 3 7 r\n"


@pytest.mark.parametrize(
    ("given", "grades", "runs"),
    [
        (None, None, None),
        ("first", "first", "first"),
        ("best", "best", "best"),
        ("mean", "mean", None),
        ("mean,best", "mean", "best"),
        (("mean", "first"), "mean", "first"),
        (["best", "first"], "best", "first"),
        ("best,best", "best", "best"),
    ],
)
def test_one_rule_is_for_both_and_of_two_the_second_is_for_runs(given: Any, grades: str, runs: str) -> None:
    assert (rule_of_grades(given), rule_of_runs(given)) == (grades, runs)


@pytest.mark.parametrize("given", ["mean,mean", "best,mean", "all", "mean,best,best", 3, ("mean", 1), "", ","])
def test_other_rules_are_refused_and_the_text_to_type_is_named(given: Any) -> None:
    said = said_of(lambda: rule_of_runs(given))
    assert said.startswith("repeated=")
    assert "one for judgments and one for runs, as in repeated='mean,best'; runs have no mean" in said


def test_runs_keep_a_line_while_judgments_take_the_mean(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(REPEATING)
    run = str(tmp_path / "run.txt")
    scores = evaluate(RATERS, run, "CG@1 CG@2", repeated=("mean", "best"))
    assert scores.mean()[0].tolist() == [1, 1 + (3 + 0) / 2]
    assert judge(RATERS, run, repeated="mean,first").retrieved.tolist() == [[2]]
    assert "with mean grades: mean,best" in said_of(lambda: evaluate(RATERS, run, "CG@1", repeated="mean"))


def test_the_option_shows_both_rules_and_completes_them() -> None:
    assert OneOrTwoRules().metavar == "[first|best|mean[,first|best]]"
    assert set(RULES) >= {"mean", "mean,best"}
    with pytest.raises(InputError):
        OneOrTwoRules().check("repeated", "means")


@pytest.mark.parametrize(
    ("value", "repeats", "graded", "expected"),
    [(1.0, True, False, True), (1.0, False, False, False), (1.0, False, True, True), (2.0, False, True, False)],
)
def test_a_document_comes_again_by_a_rule_and_a_judgment_with_its_grade(
    value: float, repeats: bool, graded: bool, expected: bool
) -> None:
    documents = {"d": 1.0}
    again = come_again("d", value, documents, repeats=repeats, graded=graded)
    assert (again is not None) == expected
    if again is not None:
        documents[again] = value
        assert [*documents.items()] == [("d", 1.0), (again, value)]
        assert str(again) == "d"
