"""The section on users, against the means for their shares."""

from __future__ import annotations

from pathlib import Path

from gradeval import evaluate, report
from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_who_leads_where_all_want_the_highest_grade_is_said(made: Report) -> None:
    runs = sorted((EXAMPLES / "runs").iterdir())[:5]
    shares = [0] * (len(evaluate(EXAMPLES / "qrels.txt", runs, "GAP").levels) - 2) + [1]
    spelled = f"GAP(g=[{','.join(map(str, shares))}])"
    scores = evaluate(EXAMPLES / "qrels.txt", runs, spelled)
    best = scores.runs[int(scores.mean()[:, 0].argmax())]
    section = next(section for section in made.sections if section.name == "users")
    assert f"{best} leads by GAP with {scores.mean().max():.4f}." in section.details[0]


def test_one_positive_grade_has_no_sliders_and_the_topics_do_without_them() -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 1} for topic in range(4)}
    runs = {
        "x": {topic: {"a": 2.0, "b": 1.0} for topic in qrels},
        "y": {topic: {"b": 2.0, "c": 1.0} for topic in qrels},
    }
    made = report(qrels, runs, "GAP nDCG", studies="none")
    assert "users" not in [section.name for section in made.sections]
    assert made.sections[-1].details[0].endswith("That needs judgments with two grades above 0 and two runs.")
    topics = next(section for section in made.sections if section.name == "topics")
    assert topics.data["computed"] == [None, None]  # their values are stored
