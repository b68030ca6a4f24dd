from __future__ import annotations

from pathlib import Path

import pytest
from drawings import data, texts

import gradeval
from gradeval import InputError
from gradeval.charts.plotting import plot

pytest.importorskip("altair")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_a_description_is_drawn_by_topic_and_run(judged: gradeval.JudgedRuns) -> None:
    described = gradeval.describe(gradeval.read_qrels(EXAMPLES / "qrels.txt"), sorted(EXAMPLES.glob("runs/*.txt"))[:3])
    records = data(plot(described).altair)
    drawn = {(one["topic"], one["grade"]): one["documents"] for one in records if "documents" in one}
    expected = described.pool[described.topics.index("402")].tolist()
    assert [drawn["402", f"grade {level:g}"] for level in described.levels] == expected
    assert described.of_runs is not None
    shares = [one["judged"] for one in records if one.get("of") == "judged of all"]
    assert sorted(shares) == sorted(described.of_runs.judged_share["judged of all"].tolist())
    alone = plot(gradeval.describe(gradeval.read_qrels(EXAMPLES / "qrels.txt"))).altair
    assert "how much of the runs" not in texts(alone)
    assert judged.runs == described.of_runs.runs
    assert data(plot(gradeval.read_qrels(EXAMPLES / "qrels.txt")).altair) == data(alone)


def test_a_check_is_drawn_file_by_file(tmp_path: Path) -> None:
    upside, broken = tmp_path / "up", tmp_path / "broken"
    upside.write_text("401 Q0 a 1 1 up\n401 Q0 b 2 2 up\n")
    broken.write_text("401 Q0\n")
    files = [*sorted(EXAMPLES.glob("runs/*.txt"))[:2], upside, broken]
    checked = gradeval.check(EXAMPLES / "qrels.txt", files)
    records = [one for one in data(plot(checked).altair) if one["file"] == str(upside)]
    assert [one["verdict"] for one in records] == ["wrong"] * 5
    assert [one["value"] for one in records][:3] == [29, 1, 0]
    assert str(broken) in texts(plot(checked).altair)
    with pytest.raises(InputError, match="no run can be read, so there is nothing to draw"):
        plot(gradeval.check(None, broken))
