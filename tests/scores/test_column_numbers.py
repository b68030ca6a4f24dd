"""Columns of a matrix in place of ids of items are asked about; ids are not, whoever is judged."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradeval import check, evaluate

RANDOM = np.random.default_rng(1)
ITEMS = np.sort(RANDOM.choice(np.arange(1000, 90000), 400, replace=False))
USERS = range(40)
LIKED = {user: RANDOM.choice(400, 5, replace=False) for user in USERS}
FOUND = {user: RANDOM.choice(400, 30, replace=False) for user in USERS}
QRELS = {str(user): {str(ITEMS[column]): 1 for column in LIKED[user]} for user in USERS}


def said(run: Any, qrels: dict[str, dict[str, int]] = QRELS) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(qrels, {"als": run}, "nDCG@10")
    return [str(one.message) for one in caught if "columns of a matrix" in str(one.message)]


def test_columns_are_asked_about() -> None:
    found = np.concatenate([*FOUND.values()])
    lowest, highest = found.min(), found.max()
    (text,) = said(FOUND)
    assert text.startswith(
        f"als: almost no document is judged: ids go from {lowest} to {highest}, and most judged ids are higher"
    )
    assert "if documents are columns of a matrix, give items[ids]" in text


def test_ids_are_not() -> None:
    assert said({user: ITEMS[columns] for user, columns in FOUND.items()}) == []


def test_other_ids_of_items_are_not() -> None:
    others = np.setdiff1d(np.arange(1000, 90000), ITEMS)
    assert said({user: RANDOM.choice(others, 30, replace=False) for user in USERS}) == []
    of_words = {user: {f"item{one}": 1 for one in liked} for user, liked in QRELS.items()}
    assert said(FOUND, of_words) == []


def test_check_remarks_what_evaluate_warns_of() -> None:
    runs = {"als": {str(user): {str(one): 40 - rank for rank, one in enumerate(FOUND[user])} for user in USERS}}
    (text,) = said(runs["als"])
    assert [one for one in check(QRELS, runs).files[1].remarks if "matrix" in one] == [text]
    (of_ids,) = check(
        QRELS, {"als": {user: {str(ITEMS[one]): 1.0} for user, one in zip(QRELS, LIKED[0], strict=False)}}
    ).files[1:]
    assert not any("matrix" in one for one in of_ids.remarks)
