"""A data set in one object, as LlamaIndex keeps it, and answers by the texts of its queries."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from refusing import said_of

from gradeval import evaluate, read_qrels
from gradeval.cli import main

TEXTS = {"q1": "How to log in?", "q2": "Who pays, and when?"}
RELEVANT = {"q1": ["a"], "q2": ["b", "c"]}
FOUND = {"q1": ["x", "a"], "q2": ["c", "b"]}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(texts: dict[str, str], indent: int | None = None) -> None:
    whole = {"queries": texts, "corpus": dict.fromkeys("abcx", "text " * 10), "relevant_docs": RELEVANT, "mode": "text"}
    Path("qa.json").write_text(json.dumps(whole, indent=indent))
    Path("found.json").write_text(
        json.dumps([{"query": TEXTS[topic], "retrieved_ids": ids} for topic, ids in FOUND.items()])
    )


@pytest.mark.parametrize("indent", [None, 2])
def test_the_advice_for_answers_by_text_works_as_typed(indent: int | None) -> None:
    write(TEXTS, indent)
    said = said_of(lambda: evaluate("qa.json", "found.json", "RR"))
    assert "column 'queries' of qa.json has the topics of found" in said
    [named] = re.findall(r"--columns (\S+),", said)
    [alone] = re.findall(r"for one file (columns:\S+):FILE", said)
    for qrels in (read_qrels("qa.json", columns=named), f"{alone}:qa.json"):
        assert evaluate(qrels, "found.json", "RR").mean().ravel().tolist() == [(1 / 2 + 1) / 2]
    typed = CliRunner().invoke(main, ["evaluate", "--columns", named, "qa.json", "found.json", "-m", "RR"])
    assert typed.exit_code == 0
    assert "0.7500" in typed.stdout


def test_by_default_its_topics_are_ids() -> None:
    write(TEXTS)
    assert read_qrels("qa.json").to_dict() == {"q1": {"a": 1}, "q2": {"b": 1, "c": 1}}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"q1": "How?", "q2": " How?"}, "qa.json: topic 'q2' has the text of another, 'How?'; keep one of them"),
        ({"q1": "How?"}, "qa.json: topic 'q2' has no text in queries; add it, or name no column of queries"),
    ],
)
def test_texts_that_name_no_topic_are_refused(texts: dict[str, str], said: str) -> None:
    write(texts)
    assert said in said_of(lambda: read_qrels("columns:query=queries:qa.json"))
