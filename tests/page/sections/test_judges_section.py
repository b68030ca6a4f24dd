from __future__ import annotations

from pathlib import Path

import pytest
from two_assessors import two_assessors

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from gradeval import InputError, evaluate, report

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]

MEASURES = "nDCG@10 AP GAP"


def test_judges_are_compared_with_the_humans_of_the_report() -> None:
    drawn = two_assessors(4, topics=10)
    made = report(drawn.human, drawn.runs, "AP GAP", studies="none", judges={"model": drawn.judge})
    section = next(part for part in made.sections if part.name == "judges")
    assert (
        section.answer == "model: not good enough for labels; not decided for order, differences and absolute scores."
    )
    assert section.meaning[0].startswith("Order: ")
    assert "(model by GAP: tau ." in section.meaning[0]
    assert set(made.tables["judges: Judges compared with the humans"]["judge"].to_pylist()) >= {"model"}
    assert section.redo == ["gradeval judges QRELS RUNS --judge JUDGE -m 'AP GAP' --draws 0"]
    alone = report(drawn.human, drawn.runs, "AP", studies="none")
    assert "judges" not in {part.name for part in alone.sections}
    with pytest.raises(InputError, match="takes no judges, as they judge rankings"):
        report(evaluate(drawn.human, drawn.runs, "AP"), judges={"model": drawn.judge})
