from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]

MEASURES = "nDCG@10 AP GAP"


def test_every_answer_is_a_sentence_and_every_section_says_how_to_redo_it(made: Report) -> None:
    for section in made.sections:
        assert section.answer.endswith(".")
        assert section.heading.endswith("?")
    names = [section.name for section in made.sections]
    assert names == ["answer", "leaderboard", "users", "topics", "rankings", "collection", "redo"]


def test_the_tables_are_frames(made: Report) -> None:
    frame = made.tables["leaderboard: Leaderboard"]
    assert frame.num_rows == len(RUNS) * 3
    assert frame.column_names[:3] == ["run", "measure", "value"]
