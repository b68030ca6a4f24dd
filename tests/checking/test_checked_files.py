"""What was found, as a table and as records."""

from __future__ import annotations

import json
from pathlib import Path

from checked_runs import LINES, write

from gradeval import check


def test_faults_are_a_list_in_json_and_a_text_elsewhere(tmp_path: Path) -> None:
    found = check(None, write(tmp_path, "run", LINES), topics=["1"], depth=2)
    found.save(tmp_path / "f.jsonl")
    found.save(tmp_path / "f.csv")
    said = json.loads((tmp_path / "f.jsonl").read_text())
    assert said["faults"] == found.faults
    assert len(found.faults) == 2
    assert said["remarks"] == []
    assert "; ".join(found.faults) in (tmp_path / "f.csv").read_text()
