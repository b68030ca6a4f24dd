"""What is probably a mistake is said: of topics, of judgments, of ranks, and of ties."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pyarrow
import pytest
from warned_scores import QRELS, RUN, warned

import gradeval
from gradeval import CoverageWarning, IdsWarning, RanksWarning, TiesWarning, check, evaluate
from gradeval.scores.mistakes import find_mistakes
from gradeval.warning_categories import NoteWeight

SELVES = {"a": {"b": 1}, "b": {"a": 1}, "c": {"a": 1}}


def test_missing_topics() -> None:
    ((category, text),) = warned(QRELS, {"401": RUN["401"]})
    assert category is CoverageWarning
    assert text == "the run returned nothing for some of the 2 topics (run: 1; topic 402); they count 0"
    ((_, text),) = warned(QRELS, {"401": RUN["401"]}, missing="skip")
    assert text.endswith("they are left out of the mean")


def test_an_empty_topic_that_is_left_out_is_not_missed() -> None:
    """A system that rightly returns nothing where nothing is to be found."""
    qrels = {**QRELS, "403": {"x": 0}}
    texts = [text for _, text in warned(qrels, RUN, empty="skip")]
    assert texts == ["1 of 3 topics hold nothing to be found for AP; they are left out"]
    texts = [text for _, text in warned(qrels, {"401": RUN["401"]}, empty="skip")]
    assert texts[0] == "the run returned nothing for some of the 3 topics (run: 1; topic 402); they count 0"
    texts = [text for _, text in warned(qrels, RUN)]
    assert texts[0] == "the run returned nothing for some of the 3 topics (run: 1; topic 403); they count 0"


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("kind", ["other topics", "other documents"])
def test_a_run_that_covers_nothing_is_in_one_note(kind: str, missing: str) -> None:
    """Not again among the shares of unjudged documents, the topics without judgments or the missing ones."""
    whole = {topic: {"doc-1": 2.0, "new": 1.0} for topic in QRELS}
    strange = {f"x{topic}" if kind == "other topics" else topic: {"new": 1.0} for topic in QRELS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = evaluate(QRELS, {"whole": whole, "strange": strange}, "AP", missing=missing).notes
    (said,) = [note for note in notes if "strange" in str(note)]
    assert said.category is CoverageWarning
    assert said.weight is NoteWeight.COVERAGE
    assert ("no topic in common" in said.text) == (kind == "other topics")
    assert [str(note) for note in notes if "unjudged" in str(note)] == ["unjudged documents: 50.0%"]


def test_topics_without_judgments_and_topics_with_nothing_to_be_found() -> None:
    texts = [text for _, text in warned({**QRELS, "403": {"x": 0}}, {**RUN, "403": {"x": 1.0}, "z": {"x": 1.0}})]
    assert texts == [
        "1 topic without judgments (z) ignored in the run",
        "1 of 3 topics hold nothing to be found for AP; they count 0; --empty skip or empty='skip' leaves them out",
    ]
    how_left = [text for _, text in warned({**QRELS, "403": {"x": 0}}, {**RUN, "403": {"x": 1.0}}, empty="skip")]
    assert how_left == ["1 of 3 topics hold nothing to be found for AP; they are left out"]


def test_ranks_that_contradict_the_scores(tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    lines = ["401 Q0 doc-1 1 0.5 mine", "401 Q0 doc-2 2 0.9 mine", "402 Q0 doc-1 1 1 mine"]
    rises = [f"401 Q0 {'doc-1' if rank == 6 else f'no-{rank}'} {rank} {rank} mine" for rank in range(1, 7)]
    run.write_text("\n".join([*rises, lines[2]]))
    ((category, text),) = warned(QRELS, run)
    assert category is RanksWarning
    assert text == (
        "the run has ranks that contradict the scores, which rise from rank to rank (mine in 1 topic); "
        "so the last rank counts as the first: negate distances, or number the ranks anew if the scores are right; "
        "if the ranks are, columns rank=NAME go by the ranks (in TREC text query=1,doc=3,rank=4)"
    )
    falls = ["402 Q0 doc-2 2 0.9 mine", "402 Q0 doc-3 3 0.8 mine"]
    run.write_text("\n".join([*lines, *falls]))
    ((category, text),) = warned(QRELS, run)
    assert category is RanksWarning
    assert text == (
        "the run has ranks that contradict the scores (mine in 1 topic); the scores decide: "
        "'gradeval check' says where, and columns rank=NAME go by the ranks (in TREC text query=1,doc=3,rank=4)"
    )
    run.write_text("\n".join(lines))
    assert evaluate(QRELS, {"401": {"doc-1": 0.5, "doc-2": 0.9}, "402": {"doc-1": 1.0}}, "AP").mean()[0, 0] == 0.75
    for kept in (lines[1].replace(" 2 ", " 1 "), lines[1].replace("0.9", "0.5")):  # the ranks agree, or the scores tie
        run.write_text("\n".join([lines[0].replace(" 1 ", " 2 ") if " 1 " in kept else lines[0], kept, lines[2]]))
        assert RanksWarning not in dict(warned(QRELS, run))


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ({"a": "a", "b": "b", "c": "c"}, 3),  # as in ArguAna and Quora
        ({"a": "a", "b": "b", "c": "x"}, 2),
        ({"a": "a", "b": "x", "c": "x"}, 0),  # by chance, where topics and documents have numbers
        ({"a": "b", "b": "a", "c": "a"}, 0),
    ],
)
def test_queries_that_are_found_themselves(first: dict[str, str], found: int, tmp_path: Path) -> None:
    run = {topic: {document: 9.0, "y": 1.0} for topic, document in first.items()}
    (tmp_path / "run.json").write_text(json.dumps(run))
    (tmp_path / "run").write_text("".join(f"{t} Q0 {d} 1 9 run\n{t} Q0 y 2 1 run\n" for t, d in first.items()))
    for given in (run, tmp_path / "run.json", tmp_path / "run", [run, run]):
        texts = [text for category, text in warned(SELVES, given) if category is IdsWarning and "its query" in text]
        assert len(texts) == bool(found)
        if found:
            assert f" in {found} topics" in texts[0]
            assert texts[0].endswith("--exclude self or exclude='self' leaves it out, as BEIR and MTEB do")


def test_a_query_that_is_judged_or_not_first_is_a_document_as_others() -> None:
    judged = {"a": {"a": 1}, "b": {"b": 1}}
    for qrels, run in (
        (judged, {"a": {"a": 2.0, "x": 1.0}, "b": {"b": 2.0}}),
        ({"a": {"x": 1}, "b": {"x": 1}}, {"a": {"x": 2.0, "a": 1.0}, "b": {"x": 2.0, "b": 1.0}}),
    ):
        assert not [text for _, text in warned(qrels, run) if "its query" in text]


@pytest.mark.parametrize("spelled", ["doc-{}", "{}", "DOC-00{}", "msmarco/doc-{}", "col_DOC-{}"])
def test_a_run_of_which_nothing_is_judged(spelled: str) -> None:
    run = {
        topic: {spelled.format(document[-1]): score for document, score in scores.items()}
        for topic, scores in RUN.items()
    }
    said = warned(QRELS, run)
    if spelled == "doc-{}":
        assert said == []
        return
    question = "are the ids alike, and are topics and collection the same?"
    assert said[0] == (CoverageWarning, f"run: none of the documents is judged; {question}")
    assert said[1][0] is IdsWarning
    assert "'doc-1' is: are they the same? (topic 401)" in said[1][1]


@pytest.mark.parametrize(("topics", "judged_at", "said"), [(2, 11, True), (1, 11, False), (2, 10, False)])
def test_a_run_whose_tops_nobody_judged_may_be_of_another_topic_set(topics: int, judged_at: int, said: bool) -> None:
    names = [f"{topic}" for topic in range(401, 401 + topics)]
    ranking = {("doc-1" if rank == judged_at else f"new-{rank}"): float(-rank) for rank in range(1, 13)}
    found = warned({name: {"doc-1": 1} for name in names}, dict.fromkeys(names, ranking))
    told = (
        "run: none of the first 10 documents of any topic is judged: 'doc-1' there, 'new-1' here (topic 401); are the "
        "ids alike, and are topics and collection"
    )
    assert any(text.startswith(told) for category, text in found if category is CoverageWarning) is said
    checked = check({name: {"doc-1": 1} for name in names}, dict.fromkeys(names, ranking))
    assert any("none of the first 10 documents of any topic is judged" in remark for remark in checked.remarks) is said
    assert checked.passed


def test_tied_scores() -> None:
    ((category, text),) = warned(QRELS, {"401": {"doc-1": 1.0, "doc-2": 1.0}, "402": {"doc-1": 1.0}})
    assert category is TiesWarning
    assert text.startswith("66.7% of the lines share their score with another (run)")


@pytest.mark.parametrize("form", ["csv", "frame"])
def test_a_column_of_ranks_that_would_settle_ties_is_named(tmp_path: Path, form: str) -> None:
    rows = {"item": ["doc-1", "doc-2"], "score": [1.0, 1.0], "user": ["401", "401"], "rank": [2, 1]}
    file = tmp_path / "run.csv"
    file.write_text("item,score,user,rank\ndoc-1,1,401,2\ndoc-2,1,401,1\n")
    run = str(file) if form == "csv" else pyarrow.table(rows)
    said = [text for category, text in warned(QRELS, run) if category is TiesWarning]
    assert said == [
        "100.0% of the lines share their score with another (run); --ties (ties=) says how they are ordered, expected "
        "averages over all orders; column rank is not used: --columns rank=rank, or in Python "
        "read_run(FILE, columns=...), goes by it"
    ]
    ranked = (
        gradeval.read_run(run, columns={"rank": "rank"}) if form == "csv" else gradeval.run_from_frame(run, rank="rank")
    )
    assert not [text for category, text in warned(QRELS, ranked) if category is TiesWarning]


def test_scores_without_their_runs_are_told_of_unjudged_documents() -> None:
    with pytest.warns(CoverageWarning):
        scores = evaluate({"1": {"a": 1}}, {"1": {"x": 1.0}}, "AP")
    assert scores.coverage is not None
    said = [note.text for note in find_mistakes(scores, scores.coverage, None, None, None)]
    assert any(text.startswith("run: none of the documents is judged; are the ids alike") for text in said)
