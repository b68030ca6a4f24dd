"""Values over judged documents alone are the values of measures that leave the others out."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import evaluate, parse_measure
from gradeval.scores.judged_alone import sees_unjudged

pytestmark = pytest.mark.filterwarnings("ignore")


def test_they_are_the_values_of_measures_with_judged_only(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"{topic} 0 d{one} {one % 2}\n" for topic in "123" for one in range(4)))
    lines = [f"{topic} Q0 {one} 1 {9 - rank} r\n" for topic in "123" for rank, one in enumerate(("n", "d1", "m", "d0"))]
    (tmp_path / "run.txt").write_text("".join(lines))
    files = tmp_path / "qrels.txt", tmp_path / "run.txt"
    scores = evaluate(*files, "AP P@2 Unjudged@2")
    assert scores.judged_only is not None
    alone = evaluate(*files, "AP(judged_only=True) P(judged_only=True)@2 Unjudged@2")
    assert scores.judged_only.tolist() == alone.values.tolist()
    assert scores.values[0, 0].tolist() == [0.25, 0.5, 0.5]
    assert scores.judged_only[0, 0].tolist() == [0.5, 0.5, 0.5]
    assert evaluate(files[0], {"1": {"d0": 1.0}}, "AP").judged_only is None  # no document is unjudged


def test_measures_that_see_unjudged_documents() -> None:
    assert sees_unjudged(parse_measure("AP"))
    assert not sees_unjudged(parse_measure("Unjudged@2"))
    assert not sees_unjudged(parse_measure("AP(judged_only=True)"))
