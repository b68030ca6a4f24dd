"""The section on users, against the means for their shares."""

from __future__ import annotations

from pathlib import Path

from gradeval import evaluate
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
