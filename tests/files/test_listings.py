"""Topics with their documents and scores in two lists are the run that pairs of both are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusing import said_of

from gradeval import FilesWarning, evaluate, read_run

ITEMS = {"1": [10, 12], "2": [11, 10]}
SCORES = {"1": [0.2, 0.9], "2": [0.5, 0.4]}
PAIRS = {"1": {"10": 0.2, "12": 0.9}, "2": {"11": 0.5, "10": 0.4}}
QRELS = {"1": {"10": 1}, "2": {"11": 1}}


def listings(name: str = "items", scores: str = "scores") -> dict[str, Any]:
    return {user: {name: ITEMS[user], scores: SCORES[user]} for user in ITEMS}


@pytest.mark.parametrize("name", ["items", "recommendations", "item_ids"])
@pytest.mark.parametrize("scores", ["scores", "score"])
def test_a_file_of_two_lists(tmp_path: Path, name: str, scores: str) -> None:
    file = tmp_path / "als.json"
    for indent in (None, 1):
        file.write_text(json.dumps(listings(name, scores), indent=indent))
        assert read_run(file).to_dict() == PAIRS


@pytest.mark.parametrize("named", [False, True])
def test_dictionaries_of_two_lists_or_arrays(named: bool) -> None:
    expected = evaluate(QRELS, PAIRS, "RR").values.tolist()
    for as_row in (list, np.array):
        run = {user: {name: as_row(row) for name, row in one.items()} for user, one in listings().items()}
        assert evaluate(QRELS, {"als": run} if named else run, "RR").values.tolist() == expected


def test_items_alone_are_in_rank_order_and_may_be_null(tmp_path: Path) -> None:
    file = tmp_path / "als.json"
    file.write_text('{"1": {"items": [10, 12, -1]}, "2": {"items": null}}')
    with pytest.warns(FilesWarning, match="hold 1 missing id "):
        run = read_run(file)
    assert run.to_dict() == {"1": {"10": -1.0, "12": -2.0}, "2": {}}


def test_scores_of_another_number_are_refused() -> None:
    run = listings() | {"2": {"items": [11, 10], "scores": [0.5]}}
    said = said_of(lambda: evaluate(QRELS, run, "RR"))
    assert said == "run: topic '2': 2 documents in items have 1 numbers in scores; give each document one"
