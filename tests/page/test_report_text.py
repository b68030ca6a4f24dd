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


def test_markdown_reads_as_a_page_of_its_own(made: Report) -> None:
    text = made.write("a.md").decode()
    assert text.startswith("# qrels.txt: 5 runs, 30 topics, 3 measures\n")
    assert "## Which run is best, and how sure is that?" in text
    assert "| run" in text
