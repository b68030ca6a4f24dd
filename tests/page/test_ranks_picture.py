from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from gradeval import evaluate, ranks
from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]

MEASURES = "nDCG@10 AP GAP"


def test_the_picture_of_the_ranks_has_a_line_a_run_and_those_that_may_be_the_best_in_colour(made: Report) -> None:
    from gradeval.page.ranks_picture import ranks_picture

    rank_sets = ranks(evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES), samples=1000, seed=1)
    svg = made.sections[0].stills[1].svg
    for run, name in enumerate(rank_sets.runs):
        low, high = rank_sets.lower[0, run], rank_sets.upper[0, run]
        assert f"<title>{name}: rank {rank_sets.rank[0, run]}, {low} to {high}</title>" in svg
    assert svg.count("<circle ") == 5
    assert svg.count('<circle fill="#0072B2"') == len(rank_sets.best("nDCG@10"))  # full, the others are rings
    assert svg.count('<circle fill="none"') == 5 - len(rank_sets.best("nDCG@10"))
    assert ranks_picture(rank_sets, [0, 3]).count("<circle ") == 2
    hostile = ranks_picture(replace(rank_sets, runs=[f"<img src=x>{place}\x07" for place in range(5)]), range(5))
    assert "<img" not in hostile
    assert "\x07" not in hostile
