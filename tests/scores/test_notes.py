"""What evaluate() warns of in Python: each mistake by its own category, and nothing where all is well."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from warned_scores import QRELS, RUN, warned

import gradeval
from gradeval import RanksWarning, evaluate
from gradeval.warning_categories import FilesWarning, NoteWeight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_nothing_is_said_where_all_is_well() -> None:
    assert warned(QRELS, RUN) == []


@pytest.mark.parametrize(("measures", "many"), [("Hits@10 AP", 1), ("hits_at_10", 1), ("HR@10 Hits", 0), ("AP", 0)])
def test_hits_are_said_to_be_counts_and_no_shares(measures: str, many: int) -> None:
    notes = [str(note) for note in evaluate(QRELS, RUN, measures).notes]
    assert (
        notes
        == ["Hits@10 counts the relevant documents of a topic; the share of topics that have one is Success@10"] * many
    )


@pytest.mark.parametrize("length", [10, 30])
@pytest.mark.parametrize("unknown", [[], [0, 1, 2], [0, 20], [20, 21]], ids=str)
@pytest.mark.parametrize("ties", ["docid", "expected"])
def test_the_top_that_nobody_judged_is_counted_and_weighs_most(length: int, unknown: list[int], ties: Any) -> None:
    """Counted literally; what is unjudged below the top alone is no more than data."""
    run = {topic: {f"d{rank}": -float(rank) for rank in range(length)} for topic in "ab"}
    qrels = {topic: {f"d{rank}": rank % 2 for rank in range(length) if rank not in unknown} for topic in "ab"}
    notes = [one for one in evaluate(qrels, run, "AP", ties=ties).notes if "unjudged" in one.text]
    top = sum(rank < 10 for rank in unknown) / 10
    whole = sum(rank < length for rank in unknown) / length
    said = f"unjudged documents in the top 10: {top:.1%}; in whole rankings {whole:.1%}"
    if not top:
        said = f"unjudged documents: {whole:.1%}; none in the top 10"
    elif top == whole:
        said = f"unjudged documents: {whole:.1%}"
    assert [one.text for one in notes] == ([said] if whole else [])
    assert all((one.weight is NoteWeight.COVERAGE) == (top > 0) for one in notes)


@pytest.mark.parametrize(("rank", "said"), [(3, "less than 0.05% in the top 10"), (15, "none in the top 10")])
def test_one_unjudged_document_in_so_many_tops_is_not_called_none(rank: int, said: str) -> None:
    ranking = [f"d{number}" for number in range(20)]
    qrels = {str(topic): dict.fromkeys(ranking, 1) for topic in range(300)}
    del qrels["0"][ranking[rank]]
    run = {topic: {document: -float(place) for place, document in enumerate(ranking)} for topic in qrels}
    assert [str(note) for note in evaluate(qrels, run, "AP").notes] == [f"unjudged documents: 0.0%; {said}"]


def test_every_run_does_not_hold_for_a_run_without_judged_documents() -> None:
    half = {topic: {"doc-1": 2.0, "new": 1.0} for topic in QRELS}
    foreign = {topic: {"new": 1.0} for topic in QRELS}
    for others, said in (({}, "every run"), ({"foreign": foreign}, "every other run")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notes = evaluate(QRELS, {"one": half, "two": half, **others}, "AP").notes
        assert f"unjudged documents: 50.0% of {said}" in map(str, notes)


def test_what_the_numbers_stand_on_outweighs_every_warning_but_runs_that_are_ranked_otherwise() -> None:
    warned_of = [one for one in vars(gradeval).values() if isinstance(one, type) and issubclass(one, Warning)]
    ours = [one for one in warned_of if issubclass(one, gradeval.GradevalWarning)]
    assert [one for one in ours if one.weight >= NoteWeight.COVERAGE] == [RanksWarning]
    assert RanksWarning.weight is NoteWeight.OMISSION


def test_the_command_line_says_it_once() -> None:
    command = [sys.executable, "-W", "error", "-m", "gradeval", "evaluate", "qrels.txt", "runs/beech.txt", "-m", "AP"]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=True)
    assert done.stderr.count("returned nothing for some of the 30 topics") == 1
    assert "Warning" not in done.stderr


def test_judged_runs_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradeval.judge(QRELS, {"401": {"x": 1.0}})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.csv", "query_id,doc_id\n1,a\n1,b\n2,None\n3,c\n"),
        ("q.csv", "query_id,gold_ids\n1,a b\n2,None\n3,c\n"),
        ("q.txt", "1 0 a 1\n2 0 None 1\n3 0 c 1\n"),
        ("q.jsonl", '{"query_id": "1", "gold_ids": ["a"]}\n{"query_id": "2", "gold_ids": ["None"]}\n'),
    ],
)
def test_a_topic_whose_only_document_is_a_word_for_nothing_is_asked_about(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    said = "1 topic has only document 'None' (2); if it stands for no document, leave these lines out"
    with pytest.warns(FilesWarning, match=re.escape(said)):
        evaluate(tmp_path / name, {"1": {"a": 1.0}, "2": {"b": 1.0}}, "RR")
