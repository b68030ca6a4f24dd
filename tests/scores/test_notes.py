"""What evaluate() warns of in Python: each mistake by its own category, and nothing where all is well."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import gradeval
from gradeval import CoverageWarning, IdsWarning, RanksWarning, Run, TiesWarning, check, evaluate
from gradeval.warning_categories import NoteWeight

QRELS = {"401": {"doc-1": 1, "doc-2": 0}, "402": {"doc-1": 1}}
RUN = {"401": {"doc-1": 2.0, "doc-2": 1.0}, "402": {"doc-1": 1.0}}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def warned(qrels: object, run: object, **options: object) -> list[tuple[type[Warning], str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(qrels, run, "AP", **options)
    assert all(one.filename == __file__ for one in caught), "a warning names the line of the caller"
    return [(one.category, str(one.message)) for one in caught]


def test_nothing_is_said_where_all_is_well() -> None:
    assert warned(QRELS, RUN) == []


@pytest.mark.parametrize(("measures", "many"), [("Hits@10 AP", 1), ("hits_at_10", 1), ("HR@10 Hits", 0), ("AP", 0)])
def test_hits_are_said_to_be_counts_and_no_shares(measures: str, many: int) -> None:
    notes = [str(note) for note in evaluate(QRELS, RUN, measures).notes]
    assert (
        notes
        == ["Hits@10 counts the relevant documents of a topic; the share of topics that have one is Success@10"] * many
    )


def test_missing_topics() -> None:
    ((category, text),) = warned(QRELS, {"401": RUN["401"]})
    assert category is CoverageWarning
    assert text == "the run returned nothing for some of the 2 topics (run: 1; topic 402); they count 0"
    ((_, text),) = warned(QRELS, {"401": RUN["401"]}, missing="skip")
    assert text.endswith("they are left out of the mean")


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
    run.write_text("\n".join(lines))
    ((category, text),) = warned(QRELS, run)
    assert category is RanksWarning
    assert text == (
        "the run has ranks that contradict the scores (mine in 1 topic); the scores decide: "
        "'gradeval check' says where, and columns rank=NAME go by the ranks (in TREC text query=1,doc=3,rank=4)"
    )
    assert evaluate(QRELS, {"401": {"doc-1": 0.5, "doc-2": 0.9}, "402": {"doc-1": 1.0}}, "AP").mean()[0, 0] == 0.75
    for kept in (lines[1].replace(" 2 ", " 1 "), lines[1].replace("0.9", "0.5")):  # the ranks agree, or the scores tie
        run.write_text("\n".join([lines[0].replace(" 1 ", " 2 ") if " 1 " in kept else lines[0], kept, lines[2]]))
        assert RanksWarning not in dict(warned(QRELS, run))


SELVES = {"a": {"b": 1}, "b": {"a": 1}, "c": {"a": 1}}


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


@pytest.mark.parametrize("spelled", ["0402", "q402", "Topic-402"])
def test_topics_that_are_alike(spelled: str) -> None:
    run = {"401": RUN["401"], spelled: RUN["402"]}
    texts = [text for category, text in warned(QRELS, run) if category is IdsWarning]
    assert texts == [f"topic {spelled!r} of the run is none of the judgments, '402' is: are they the same?"]


SPELLINGS = {
    "caf\u00e9": "cafe\u0301",
    "new york": "new\u00a0york",
    "oak": "oak\u200b",
    "7": "7.0",
    "q7": "Q7 ",
    "\ufb01r": "fir",
}


@pytest.mark.parametrize(("one", "other"), [*SPELLINGS.items(), *((b, a) for a, b in SPELLINGS.items())])
@pytest.mark.parametrize("some", [False, True])
def test_ids_that_look_alike_are_asked_about(one: str, other: str, some: bool) -> None:
    """Topics, also where others match; both ids are shown so that they differ."""
    more = {"same": {"doc-1": 1.0}} if some else {}
    run = {other: {"doc-1": 1.0}, **more, "401": {"doc-1": 1.0}}
    qrels = {one: {"doc-1": 1}, **more, "401": {"doc-1": 1}}
    (text,) = [text for category, text in warned(qrels, run) if category is IdsWarning]
    asked = (
        r"topic ('.*') of the run is none of the judgments, ('.*') is: are they the same\?( If so, pandas wrote .*)?"
    )
    shown = re.fullmatch(asked, text)
    assert shown is not None
    assert [ast.literal_eval(name) for name in shown.groups()[:2]] == [other, one]
    assert shown[1] != shown[2]
    assert text.isascii() or "\ufb01" in text


@pytest.mark.parametrize(("one", "other"), [(a, b) for a, b in SPELLINGS.items() if b != "Q7 "])
@pytest.mark.parametrize("matching", [0, 1, 5])
def test_documents_that_look_alike_are_asked_about_where_few_are_judged(one: str, other: str, matching: int) -> None:
    known = {f"d-{number}": 1 for number in range(matching)}
    run = {"q": {**dict.fromkeys(known, 2.0), other: 1.0, **{f"unknown-{n}": 0.5 for n in range(40)}}}
    said = [text for category, text in warned({"q": {**known, one: 1}}, run) if category is IdsWarning]
    share = 41 / (41 + matching)
    assert len(said) == (share >= 0.9)
    assert all("are they the same?" in text and text.endswith("(topic q)") for text in said)


@pytest.mark.parametrize("respell", ["\u00a0{}", "00{}", "X{}"])
@pytest.mark.parametrize("respelt", [0, 2, 3, 6])
def test_some_documents_that_are_spelled_otherwise_are_counted(respell: str, respelt: int) -> None:
    """By a literal count: of 12 documents in each of two topics some have another name in the judgments."""
    names = [f"{701 + number}" if "0" in respell else f"ab-{701 + number}/x" for number in range(12)]
    if respell == "X{}":
        respell, names = "{}", [name.upper() for name in names]
    judged = [respell.format(name).lower() if place < respelt else name for place, name in enumerate(names)]
    qrels = {topic: dict.fromkeys(judged, 1) for topic in "ab"}
    run = Run.from_dict({topic: {name: float(-place) for place, name in enumerate(names)} for topic in "ab"})
    said = [text for category, text in warned(qrels, run) if category is IdsWarning]
    assert len(said) == (2 * respelt >= 3)
    assert all(text.endswith(f"(topic a; {2 * respelt - 1} more documents in 2 topics)") for text in said)


def test_a_document_whose_other_spelling_is_retrieved_too_is_another_document() -> None:
    names = [f"{number}" for number in range(1, 7)]
    run = {"q": {**dict.fromkeys(names, 2.0), **dict.fromkeys((f"0{name}" for name in names), 1.0)}}
    assert IdsWarning not in dict(warned({"q": dict.fromkeys(names, 1)}, Run.from_dict(run)))


def test_other_topics_are_not_alike() -> None:
    assert IdsWarning not in dict(warned(QRELS, {**RUN, "4020": {"x": 1.0}, "other": {"x": 1.0}}))


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
        "run: none of the first 10 documents of any topic is judged; are the ids alike, and are topics and collection"
    )
    assert any(text.startswith(told) for category, text in found if category is CoverageWarning) is said
    checked = check({name: {"doc-1": 1} for name in names}, dict.fromkeys(names, ranking))
    assert any("none of the first 10 documents of any topic is judged" in remark for remark in checked.remarks) is said
    assert checked.passed


def test_prefixes_before_ids_without_numbers() -> None:
    qrels = {"q": {"corpus:abc": 1, "corpus:def": 0}}
    said = dict(warned(qrels, {"q": {"abc": 2.0, "xyz": 1.0}}))
    assert "document 'abc' of the run is none of the judgments, 'corpus:abc' is" in said[IdsWarning]
    assert IdsWarning not in dict(warned(qrels, {"q": {"cabc": 2.0, "corpus": 1.0, "corpus:": 0.5}}))


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
        "averages over all orders; column rank is not used: --columns rank=rank, or read_run(columns=), goes by it"
    ]
    ranked = (
        gradeval.read_run(run, columns={"rank": "rank"}) if form == "csv" else gradeval.run_from_frame(run, rank="rank")
    )
    assert not [text for category, text in warned(QRELS, ranked) if category is TiesWarning]


def test_the_command_line_says_it_once() -> None:
    command = [sys.executable, "-W", "error", "-m", "gradeval", "evaluate", "qrels.txt", "runs/beech.txt", "-m", "AP"]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=True)
    assert done.stderr.count("returned nothing for some of the 30 topics") == 1
    assert "Warning" not in done.stderr


def test_judged_runs_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradeval.judge(QRELS, {"401": {"x": 1.0}})


def test_documents_are_compared_where_a_run_lacks_a_topic() -> None:
    names = [f"ab-{701 + number}/x" for number in range(12)]
    qrels = {"a": {name.upper() if place < 6 else name: 1 for place, name in enumerate(names)}, "b": {"x": 1}}
    run = Run.from_dict({"a": {name: -float(place) for place, name in enumerate(names)}})
    (said,) = [text for category, text in warned(qrels, run) if category is IdsWarning]
    assert said.endswith("(topic a; 5 more documents in 1 topic)")
