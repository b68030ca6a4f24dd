"""Two arrays a topic, ids and scores: read as hits with scores, and refused where they may be distances."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusing import said_of

from gradeval import evaluate, read_run

QRELS = {1: {3: 1, 2: 1}, 2: {7: 1}}
IDS = {1: [2, 9, 3], 2: [8, 7]}
SCORES = {1: [0.5, 0.25, 0.125], 2: [0.75, 0.5]}
WORTH = (5 / 6 + 1 / 2) / 2
"""The mean of the average precisions (1 + 2/3) / 2 and 1/2."""


@pytest.mark.parametrize("make", [list, tuple, np.array, lambda of: np.array(of, np.int64)])
@pytest.mark.parametrize("named", [False, True])
def test_ids_and_scores_in_two_arrays_are_hits_with_scores(make: Any, named: bool) -> None:
    run: Any = {user: (make(IDS[user]), np.array(SCORES[user], np.float32)) for user in IDS}
    assert evaluate(QRELS, {"als": run} if named else run, "AP").mean().tolist() == [[pytest.approx(WORTH)]]


def test_two_lists_of_a_file_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps({str(user): [IDS[user], SCORES[user]] for user in IDS}))
    assert read_run(tmp_path / "r.json").of("1") == {"2": 0.5, "9": 0.25, "3": 0.125}


def test_what_fills_the_arrays_is_left_out() -> None:
    with pytest.warns(match="ends of lists hold 1 missing id "):
        scores = evaluate(QRELS, {1: (np.array([2, 3, -1]), np.array([0.5, 0.25, -1e38])), 2: ([7], [1.5])}, "AP")
    assert scores.mean().tolist() == [[1]]


@pytest.mark.parametrize("given", [([2, 3], [0.1, 0.7]), (np.array([2, 3]), np.array([0.1, 0.7]))])
def test_distances_are_refused_and_the_advice_works(given: Any) -> None:
    said = said_of(lambda: evaluate(QRELS, {1: given, 2: ([7], [0.5])}, "AP"))
    assert "run: query '1': scores rise down the list; if these are distances" in said
    code = said.split("if they are scores, give ")[1]
    ids, scores = (list(map(float if at else int, one)) for at, one in enumerate(given))
    assert eval(code, {"ids": ids, "scores": scores}) == [(2, 0.1), (3, 0.7)]
    assert evaluate(QRELS, {1: given[0], 2: [7]}, "AP").mean().tolist() == [[1]]
    assert evaluate(QRELS, {1: list(zip(ids, scores, strict=True)), 2: [(7, 0.5)]}, "AP").mean().tolist() == [[1]]


def test_two_documents_with_their_numbers_stay_two_documents() -> None:
    assert evaluate({1: {3: 1}}, {1: [(3, 0.5), (9, 0.25)]}, "AP").mean().tolist() == [[1]]
    assert evaluate({1: {3: 1}}, {1: [[3, 2], [9, 1]]}, "AP").mean().tolist() == [[1]]


COUNTS: dict[Any, Any] = {1: [5, 3, 3], 2: [4, 4]}


def advice_of(said: str, run: Any, name: str = "RUN") -> list[Any]:
    return [eval(code, {name: run}) for code in re.findall(r"\{u: .*?\.items\(\)\}", said)]


@pytest.mark.parametrize("make", [list, np.array])
@pytest.mark.parametrize("scores", [COUNTS, SCORES])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_the_advice_on_arrays_that_are_alike_works(make: Any, scores: Any, turned: bool, named: bool) -> None:
    pairs = {user: (make(IDS[user]), make(scores[user])) for user in IDS}
    run: Any = {user: pair[::-1] for user, pair in pairs.items()} if turned else pairs
    if scores is SCORES and not turned:
        return  # they are read
    said = said_of(lambda: evaluate(QRELS, {"als": run} if named else run, "AP"))
    made = advice_of(said, run)
    assert len(made) == (2 if scores is COUNTS else 1)
    wanted = {user: dict(zip(IDS[user], scores[user], strict=True)) for user in IDS}
    assert made[-1 if turned else 0] == wanted
    assert evaluate(QRELS, made[-1 if turned else 0], "Recall@3").mean().tolist() == [[1]]


def test_counts_before_ids_of_letters_are_turned() -> None:
    run: Any = {"u": ([5, 3], ["a", "b"])}
    assert advice_of(said_of(lambda: evaluate({"u": {"a": 1}}, run, "AP")), run) == [{"u": {"a": 5, "b": 3}}]


def test_grades_in_arrays_are_advised_alike() -> None:
    qrels: Any = {1: (np.array([3, 2]), np.array([1, 1])), 2: (np.array([7]), np.array([1]))}
    made = advice_of(said_of(lambda: evaluate(qrels, {1: [3, 2], 2: [7]}, "AP")), qrels, "QRELS")
    assert evaluate(made[0], {1: [3, 2], 2: [7]}, "AP").mean().tolist() == [[1]]


@pytest.mark.parametrize("user", [1, 2])
@pytest.mark.parametrize("make", [list, np.array])
def test_unequal_lengths_say_so(user: int, make: Any) -> None:
    run = {one: (make(IDS[one]), make(SCORES[one][: 1 if one == user else None])) for one in IDS}
    said = said_of(lambda: evaluate(QRELS, run, "AP"))
    assert f"run: query '{user}': two arrays have {len(IDS[user])} and 1 items" in said


def test_two_rows_or_two_rankings_are_no_arrays_of_a_user() -> None:
    rows = {"a": [(1, 3, 2), (1, 9, 1)]}
    assert evaluate({1: {3: 1}}, rows, "AP").mean().tolist() == [[1]]
    assert "dict(zip(users, LISTS))" in said_of(lambda: evaluate(QRELS, {"a": [[2, 9, 3, 4], [8, 7, 1, 0]]}, "AP"))
