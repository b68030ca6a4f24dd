"""The section on rankings, against the values topic by topic."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import evaluate, report
from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_the_topic_is_that_on_which_the_first_two_runs_differ_most(made: Report) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", sorted((EXAMPLES / "runs").iterdir())[:5], "nDCG@10")
    first, second = scores.mean()[:, 0].argsort()[::-1][:2].tolist()
    values = scores.values[:, :, 0]
    topic = int(abs(values[first] - values[second]).argmax())
    section = next(section for section in made.sections if section.name == "rankings")
    assert section.answer.startswith(
        f"{scores.runs[first]} and {scores.runs[second]}, the first two runs by nDCG@10, differ most on topic "
        f"{scores.topics[topic]}: {values[first, topic]:.4f} and {values[second, topic]:.4f};"
    )


def test_one_run_has_no_other_to_be_compared_with() -> None:
    for package in ("altair", "jinja2", "vl_convert"):
        pytest.importorskip(package)
    alone = report(EXAMPLES / "qrels.txt", sorted((EXAMPLES / "runs").iterdir())[:1], "AP", studies="none")
    assert "rankings" not in {section.name for section in alone.sections}


def test_a_run_that_has_nothing_for_the_topic_is_named() -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    whole = {topic: {"a": 3.0, "c": 2.0, "b": 1.0} for topic in qrels}
    part = {topic: {"c": 3.0, "a": 2.0, "b": 1.0} for topic in ("0", "1", "2")}
    made = report(qrels, {"whole": whole, "part": part}, "AP", studies="none")
    said = {section.name: section for section in made.sections}
    assert said["rankings"].answer.endswith(" part has nothing for this topic.")
    assert said["rankings"].details[0].startswith("The first 50 documents of each run. ")
    better = report(qrels, {"whole": {**whole, "0": {"x": 1.0, "a": 0.5}}, "part": part}, "nDCG", studies="none")
    topics = next(section for section in better.sections if section.name == "topics")
    assert topics.answer.endswith(
        "part, the leader, is furthest behind on topic 3: it has nothing, where whole has 0.8597."
    )
