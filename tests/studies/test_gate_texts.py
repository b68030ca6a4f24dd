"""The texts that a gate shows beside topics and documents, escaped in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gradeval import GateDecision, Qrels, evaluate, gate, read_qrels, read_run
from gradeval.studies.moved_documents import MOST, find_moved

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS, BEFORE, AFTER = EXAMPLES / "qrels.txt", EXAMPLES / "runs/elm.txt", EXAMPLES / "runs/cedar.txt"
HOSTILE = "a|b <img src=x> \x1b[31m \u202eلماذا 什么 *क्या* ]]>"


def decided(**options: object) -> GateDecision:
    return gate(QRELS, BEFORE, AFTER, "nDCG@10", **options)


@pytest.fixture(scope="module")
def texts() -> GateDecision:
    plain = decided()
    queries = {one.topic: f"{HOSTILE} {one.topic}" for one in plain.moved}
    documents = {line.split()[2]: {"title": "T", "text": HOSTILE} for line in BEFORE.read_text().splitlines()}
    return decided(queries=queries, documents=documents)


def test_without_texts_a_gate_writes_what_it_wrote() -> None:
    """Of all formats the words of texts are nowhere; JSON names documents of topics that lost."""
    plain = decided()
    for written in (str(plain), plain.to_json(), plain.to_junit(), plain.to_markdown()):
        assert "query" not in written
        assert ("document" in written.replace("unjudged documents", "")) == (written == plain.to_json())
    assert plain.notes == decided(queries=None, documents=None).notes


def test_json_has_the_texts_whole_and_the_numbers_as_without(texts: GateDecision) -> None:
    told, plain = json.loads(texts.to_json()), json.loads(decided().to_json())
    assert [one.pop("query") for one in told["moved"]] == [
        " ".join(f"{HOSTILE} {one['topic']}".split()) for one in plain["moved"]
    ]
    moved = told.pop("moved_documents")
    told["notes"] = [note for note in told["notes"] if "no text" not in note]
    assert told == plain
    assert {one["topic"] for one in moved} == {one.topic for one in texts.most_moved}
    assert {one["text"] for one in moved} == {"T — " + " ".join(HOSTILE.split()), None}


@pytest.mark.parametrize("format", ["table", "markdown", "json", "junit", "html"])
def test_no_text_reaches_a_terminal_or_a_page_as_more_than_letters(
    texts: GateDecision, format: str, tmp_path: Path
) -> None:
    path = tmp_path / "written"
    with path.open("wb") as file:
        texts.write(file, format)
    written = path.read_text(encoding="utf-8")
    assert "\x1b" not in written
    assert "\u202e" not in written
    if format in ("junit", "html"):
        assert "<img src=x" not in written
        assert "<img src=x>" in unescape(written)
    if format == "junit":
        ElementTree.fromstring(written)
    if format == "markdown":
        rows = [line for line in written.splitlines() if line.startswith("| nDCG@10")]
        assert all(r"a\|b \<img src=x\>" in row for row in rows[1:])
        assert {row.replace(r"\|", "").count("|") for row in rows[1:]} == {7}


@pytest.mark.parametrize(
    ("change", "title"),
    [
        (lambda qrels: qrels, "grade"),
        (lambda qrels: qrels.shifted(-1), "grade (after shift=-1)"),
        (lambda qrels: qrels.shifted(-1).recoded({2: 1}), "grade (after shift=-1 and recode=2=1)"),
    ],
)
def test_grades_say_what_changed_them(change: Callable[[Qrels], Qrels], title: str) -> None:
    qrels = change(read_qrels(QRELS))
    documents = {line.split()[2]: "text" for line in BEFORE.read_text().splitlines()}
    found = gate(qrels, BEFORE, AFTER, "nDCG@10", documents=documents)
    grid = next(one for one in found.table().grids if "document" in one.head)
    assert title in grid.head
    grades = {(one.topic, one.document): one.grade for one in found.moved_documents if one.grade is not None}
    assert grades == {(topic, document): qrels.of(topic)[document] for topic, document in grades}


def test_documents_of_scores_are_not_known() -> None:
    scores = [evaluate(QRELS, run, "nDCG@10") for run in (BEFORE, AFTER)]
    topics = {topic: f"about {topic}" for topic in scores[0].topics}
    found = gate(*scores, queries=topics, documents={"d": "text"})
    assert {found.queries[one.topic].text for one in found.moved} == {f"about {one.topic}" for one in found.moved}
    said = "documents are shown where before and after are runs, and here one of them is scores"
    assert said in list(map(str, found.notes))


def test_each_topic_that_lost_by_some_measure_has_the_documents_that_moved_most() -> None:
    found = gate(QRELS, BEFORE, AFTER, "nDCG@10 AP")
    qrels, runs = read_qrels(QRELS), [read_run(place) for place in (BEFORE, AFTER)]
    lost = {one.topic for one in found.moved if one.difference < 0}
    assert set(found.moved_where_lost) == lost
    for topic, documents in found.moved_where_lost.items():
        assert documents == find_moved(qrels, *runs, [topic], "docid")
        assert 0 < len(documents) <= MOST
    fields = found.table(per_topic=True).to_dict()
    for name, difference, cell in zip(fields["topic"], fields["difference"], fields["documents"], strict=True):
        expected = "; ".join(map(str, found.moved_where_lost.get(name, []))) if difference < 0 else None
        assert cell == expected


def test_where_one_side_is_scores_topics_have_no_documents() -> None:
    found = gate(QRELS, evaluate(QRELS, BEFORE, "nDCG@10"), AFTER, "nDCG@10")
    assert found.moved_where_lost == {}
    assert "documents" not in found.table(per_topic=True).to_dict()
    assert not any("documents" in one for one in json.loads(found.to_json())["moved"])
