from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from gradeval import report
from gradeval.page.report import Report

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]

MEASURES = "nDCG@10 AP GAP"


def rows(made: Report, title: str) -> list[dict[str, object]]:
    """The records of the table of this title."""
    sections = json.loads(made.to_json())["sections"]
    return next(section["tables"][title] for section in sections if title in section["tables"])


def test_the_collection_says_whose_ranks_contradict_their_scores(tmp_path: Path) -> None:
    qrels = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    lines = [f"{topic} Q0 {name} {rank} {rank} wrong" for topic in range(3) for rank, name in enumerate("abc", 1)]
    (tmp_path / "wrong").write_text("\n".join(lines) + "\n")
    (tmp_path / "fine").write_text("".join(f"{topic} Q0 a 1 3 fine\n{topic} Q0 x 2 2 fine\n" for topic in qrels))
    made = report(qrels, [tmp_path / "wrong", tmp_path / "fine"], "AP", studies="none")
    section = next(section for section in made.sections if section.name == "collection")
    assert "In 1 of 2 runs ranks contradict scores, and the scores decide: wrong (topics: 3)." in section.details
    covered = {row["run"]: row for row in rows(made, "What the judgments cover of each run")}
    assert [covered["fine"][name] for name in ("documents", "judged", "missing", "contradicting")] == [8, 4, 0, 0]
    assert covered["fine"]["share_of_judged"] == 4 / 12
    assert [covered["wrong"][name] for name in ("documents", "judged", "missing", "contradicting")] == [9, 9, 1, 3]
