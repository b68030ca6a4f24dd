"""Labels of Amazon's Shopping Queries are grades."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import evaluate, qrels_from_frame, read_qrels


def test_labels_of_shopping_queries_are_grades(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    labels = {"B1": "E", "B2": "S", "B3": "C", "B4": "I"}
    lines = "".join(f"7,{product},{label},us\n" for product, label in labels.items())
    (tmp_path / "esci.csv").write_text(f"query_id,product_id,esci_label,product_locale\n{lines}")
    (tmp_path / "esci.jsonl").write_text(
        "".join(json.dumps({"query_id": 7, "product_id": p, "esci_label": e}) + "\n" for p, e in labels.items())
    )
    for name in ("esci.csv", "esci.jsonl"):
        qrels = read_qrels(tmp_path / name)
        assert qrels.to_dict() == {"7": {"B1": 3, "B2": 2, "B3": 1, "B4": 0}}
    columns = {"query_id": [7] * 4, "product_id": list(labels), "esci_label": list(labels.values())}
    assert qrels_from_frame(columns).to_dict() == qrels.to_dict()
    wrong = said_of(lambda: qrels_from_frame({**columns, "esci_label": [*"ESC", "Z"]}))
    assert wrong == "qrels: row 3: esci_label 'Z' is none of E, S, C, I"
    run = {"7": {"B2": 2.0, "B1": 1.0}}
    assert evaluate(qrels, run, "CG(gains={3:1,2:0.1,1:0.01})@1").mean()[0, 0] == pytest.approx(0.1)
    (tmp_path / "esci.csv").write_text("query_id,product_id,esci_label\n7,B1,Exact\n7,B2,Z\n")
    assert "grade 'Z' is not a finite number" in said_of(lambda: read_qrels(tmp_path / "esci.csv"))
