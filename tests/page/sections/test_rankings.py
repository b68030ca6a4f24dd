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
