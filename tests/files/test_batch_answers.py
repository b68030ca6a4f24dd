"""Lines of a batch of a model's answers: what the error says to type makes judgments of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from refusing import said_of

from gradeval import read_qrels

GRADES = {"q1": {"d1": 2, "d-2": 0}, "q2": {"d1": 1}}


@pytest.mark.parametrize("sign", ["|", "::", "__"])
@pytest.mark.parametrize("as_json", [False, True])
def test_the_line_of_pandas_splits_the_batch(
    sign: str, as_json: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = []
    for topic, documents in GRADES.items():
        for name, grade in documents.items():
            message = {"content": json.dumps({"grade": grade, "why": "x"}) if as_json else f"Grade: {grade}"}
            response = {"status_code": 200, "body": {"choices": [{"message": message}]}}
            lines.append({"id": "b", "custom_id": f"{topic}{sign}{name}", "response": response})
    Path("answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = said_of(lambda: read_qrels("answers.jsonl"))
    [code, columns] = re.findall(r"in pandas: (.*lines=True\))(?:; then --columns (\S+))?$", said)[0]
    exec(code.replace("FILE", "'answers.jsonl'"), {"pd": pd})
    assert read_qrels("grades.jsonl", columns=columns or None).to_dict() == GRADES
