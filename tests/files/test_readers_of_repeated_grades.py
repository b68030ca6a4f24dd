"""Judgments by several raters: which grade counts, in every format, by a literal merge of the rows."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np
import pytest
from refusing import said_of
from table_forms import TABLE_FORMS, TEXTS, read_table

from gradeval import InputError, Qrels, Run, evaluate, gate, judge, qrels_from_frame, read_qrels, read_runs
from gradeval.cli import main
from gradeval.collection.qrels import RepeatedGrades
from gradeval.files.accepted import as_qrels

Rows = list[tuple[str, str, str, float]]
FORMS = [*TABLE_FORMS, "trec", "rows", "ratings"]
SCALES: dict[str, Sequence[float]] = {"whole": [-1, 0, 1, 2, 3], "tenths": [0.1, 0.2, 0.3, 0.7]}


def draw_rows(seed: int, scale: str) -> Rows:
    """Up to four raters for each document, in any order."""
    random = np.random.default_rng(seed)
    raters = ["ann", "bob", "eve", "joe"]
    rows = [
        (f"q{topic}", f"d{document}", rater, float(random.choice(SCALES[scale])))
        for topic in range(3)
        for document in range(9)
        for rater in raters[: random.integers(1, 5)]
    ]
    return [rows[at] for at in random.permutation(len(rows))]


def read(form: str, rows: Rows, folder: Path, repeated: RepeatedGrades | None = None) -> Qrels:
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)]
    if form == "trec":
        (folder / "qrels").write_text("".join(f"{topic} {rater} {doc} {grade}\n" for topic, doc, rater, grade in rows))
        return read_qrels(folder / "qrels", repeated=repeated)
    if form == "rows":
        return as_qrels([(topic, document, grade) for topic, document, _, grade in rows], repeated=repeated)
    if form == "ratings":
        lists = {topic: [row[1::2] for row in rows if row[0] == topic] for topic in columns[0]}
        return as_qrels(lists, repeated=repeated)
    names = ("query_id", "doc_id", "rater", "relevance")
    return read_table(form, dict(zip(names, columns, strict=True)), folder, repeated).qrels


def merge_slowly(rows: Rows, repeated: RepeatedGrades) -> dict[str, dict[str, float]]:
    merged: dict[str, dict[str, float]] = {}
    for topic, document, _, _ in rows:
        grades = [grade for one, other, _, grade in rows if (one, other) == (topic, document)]
        match repeated:
            case "first":
                grade = grades[0]
            case "best":
                grade = max(grades)
            case "mean":
                grade = round(fsum(grades) / len(grades), 12)
        merged.setdefault(topic, {})[document] = grade
    return merged


@pytest.mark.parametrize("repeated", get_args(RepeatedGrades))
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("form", FORMS)
def test_one_grade_of_each_document_counts(form: str, scale: str, repeated: RepeatedGrades, tmp_path: Path) -> None:
    rows = draw_rows(len(form), scale)
    qrels = read(form, rows, tmp_path, repeated)
    merged = merge_slowly(rows, repeated)
    assert qrels.to_dict() == merged
    assert [list(qrels.of(topic)) for topic in merged] == [list(documents) for documents in merged.values()]
    assert (qrels.repeated, qrels.kept) == (len(rows) - sum(map(len, merged.values())), repeated)


@pytest.mark.parametrize("form", FORMS)
def test_other_grades_are_refused_and_the_same_ones_count_once(form: str, tmp_path: Path) -> None:
    rows: Rows = [("q", "a", "ann", 2.0), ("q", "b", "ann", 0.0), ("q", "a", "ann", 2.0), ("q", "a", "ann", 2.0)]
    qrels = read(form, rows, tmp_path)
    assert (qrels.to_dict(), qrels.repeated) == ({"q": {"a": 2, "b": 0}}, 2)
    said = said_of(lambda: read(form, [*rows, ("q", "a", "bob", 1.0)], tmp_path))
    assert "--repeated mean (or best, first) makes one grade, in Python read_qrels(FILE, repeated='mean')" in said
    if form not in ("rows", "ratings", "records"):
        assert re.search(r"\(grades 2(\.0)? and 1(\.0)?[;)]", said)
    apart = [("q", "a", "ann", 2.0), ("q", "a", "bob", 1.0)]
    if form in (*TEXTS, "lines", "array", "records"):
        assert re.search(r"differ in rater\)|groupby\('rater'\)", said_of(read, form, apart, tmp_path))


def test_raters_in_the_second_column_of_trec_text_are_refused_where_they_agree(tmp_path: Path) -> None:
    rows: Rows = [("q", "a", "ann", 2.0), ("q", "a", "bob", 2.0)]
    said = said_of(lambda: read("trec", rows, tmp_path))
    assert "The second columns differ ('ann', 'bob')" in said
    assert read("trec", rows, tmp_path, "first").to_dict() == {"q": {"a": 2}}


def test_means_of_grades_that_leave_the_doubles_are_refused(tmp_path: Path) -> None:
    rows: Rows = [("q", "a", "ann", 1.7e308), ("q", "a", "bob", 1.7e308)]
    assert "document 'a' of topic q was already judged" in said_of(lambda: read("trec", rows, tmp_path, "mean"))
    assert read("trec", rows, tmp_path, "best").to_dict() == {"q": {"a": 1.7e308}}


@pytest.mark.parametrize(
    ("repeated", "grades", "said"),
    [
        (None, [1, 1], "1 judgment came again with the same grade, and counts once"),
        (None, [1, 1, 1], "2 judgments came again with the same grade, and count once"),
        ("best", [1, 3], "repeated: 1 judgment left out, as another judgment of the same document counts"),
        ("mean", [1, 3], "repeated: 1 judgment added to the mean grade of its document, each as a rater of its own"),
        (
            "mean",
            [1, 2, 2],
            "repeated: 2 judgments added to the mean grades of their documents, each as a rater of its own; 1 grade is "
            "no whole number, so each different mean is a grade",
        ),
    ],
)
def test_the_notes_say_how_many_judgments_came_again(
    repeated: RepeatedGrades | None, grades: list[float], said: str
) -> None:
    rows = [("q", "a", grade) for grade in grades]
    scores = evaluate(rows, {"q": {"a": 1.0}}, "nDCG", repeated=repeated)
    assert f"qrels: {said}" in map(str, scores.notes)


@pytest.mark.parametrize(("grades", "shared"), [([1, 0, 1], 1), ([1, 1, 1], 0), ([0, 0, 0], 0), ([2, 0, 0], 0)])
def test_a_note_says_which_documents_only_some_raters_call_relevant(grades: list[float], shared: int) -> None:
    rows = [("q", "a", grade) for grade in grades] + [("q", "b", 2 if 2 in grades else 1)]
    scores = evaluate(rows, {"q": {"a": 2.0, "b": 1.0}}, "P@1 P(rel=0.5)@1", repeated="mean")
    said = "1 document is relevant to some raters only, so under grade 1: not relevant by AP, P and others"
    assert sum(said in str(note) for note in scores.notes) == shared
    if shared:
        assert scores.values.ravel().tolist() == [0, 1]


def test_a_run_has_no_mean_and_is_then_refused() -> None:
    judged = [("q", "a", 1), ("q", "a", 2)]
    run = [("q", "a", 1.0), ("q", "a", 2.0)]
    assert evaluate(judged, run, "P@1", repeated="best").values.item() == 1
    assert evaluate(judged, Run.from_dict({"q": {"a": 1}}), "P@1", repeated="mean").values.item() == 1
    with pytest.raises(InputError, match="--repeated best"):
        evaluate(judged, run, "P@1", repeated="mean")
    wrong: Any = "median"
    assert "repeated='median': a rule is first, best, mean, or one for" in said_of(as_qrels, judged, repeated=wrong)


def commands(group: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        yield path, group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:
            yield from commands(command, f"{path} {name}".strip())


READING = ("QRELS", "MODEL.qrels", "HUMAN.qrels")


def test_every_command_that_reads_judgments_takes_the_option_that_its_error_names() -> None:
    """trec_eval alone is spelled as the other tool is."""
    lacking = [
        path
        for path, command in commands(main)
        if any(one in str(parameter.metavar) for parameter in command.params for one in READING)
        and "repeated" not in [parameter.name for parameter in command.params]
    ]
    assert lacking in ([], ["trec_eval"])


def test_the_calls_of_python_that_the_error_names_take_the_rule(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 3\nq 0 a 1\n")
    said = said_of(lambda: read_qrels(tmp_path / "qrels.txt"))
    assert "read_qrels(FILE, repeated='mean') or qrels_from_frame(FRAME, repeated='mean')" in said
    assert read_qrels(tmp_path / "qrels.txt", repeated="mean").of("q") == {"a": 2}
    frame = {"query_id": ["q", "q"], "doc_id": ["a", "a"], "relevance": [3, 1]}
    assert qrels_from_frame(frame, repeated="mean").of("q") == {"a": 2}
    for function in (read_qrels, qrels_from_frame, read_runs, evaluate, judge, gate):
        assert "repeated" in inspect.signature(function).parameters
