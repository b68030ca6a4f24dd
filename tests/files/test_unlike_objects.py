"""Arrays, matrices and frames of other tools: the error has the line that makes judgments or a run of them."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from refusing import said_of
from scipy import sparse
from sklearn.metrics import ndcg_score

from gradeval import RR, evaluate, judge_arrays, nDCG
from gradeval.files.unlike_objects import find_conversion

torch = pytest.importorskip("torch")

GRADES = np.array([[3, 0, 1, 0], [0, 2, 0, 0]])
SCORES = np.array([[0.1, 0.9, 0.3, 0.2], [0.2, 0.8, 0.1, 0.3]])
IDS = np.array([[10, 11, 12], [12, 13, -1]])
RELEVANT = [{10, 14}, {13}]
OF_IDS = "give {topic: row}, as in dict(zip(users, ids))"
OF_LISTS = "give the topics with them: dict(zip(users, LISTS)), or dict(enumerate(LISTS))"
OF_MATRIX = "of numbers for each item give {u: dict(zip(items, row)) for u, row in zip(users, "
OF_SPARSE = "m = MATRIX.tocoo(); list(zip(m.row.tolist(), m.col.tolist(), m.data.tolist()))"
BY_USER = {0: RELEVANT[0], 1: RELEVANT[1]}
CASES: dict[str, tuple[Any, Any, str]] = {
    "sets": (RELEVANT, IDS, OF_LISTS),
    "lists": ([[10, 14], [13]], IDS, OF_LISTS),
    "ids": (BY_USER, IDS, OF_IDS),
    "ids of torch": (BY_USER, torch.tensor(IDS), OF_IDS),
    "relevant ids": (IDS, IDS, OF_IDS),
    "ids with scores": (BY_USER, (IDS, IDS / 10), OF_IDS),
    "lists of a run": (BY_USER, [[10, 11], [13]], "for a list of each topic give dict(zip(users, LISTS))"),
    "grades": (GRADES, SCORES, f"{OF_MATRIX}GRADES.tolist())}}"),
    "scores": (BY_USER, SCORES, f"{OF_MATRIX}SCORES.tolist())}}"),
    "scores of torch": (BY_USER, torch.tensor(SCORES), f"{OF_MATRIX}SCORES.tolist())}}"),
    "sparse": (sparse.csr_matrix(GRADES), SCORES, OF_SPARSE),
    "sparse array": (BY_USER, sparse.csr_array(SCORES), OF_SPARSE),
    "triples": (np.array([[1.0, 10, 0.5]]), IDS, "[(int(u), int(i), x) for u, i, x in ROWS.tolist()]"),
    "a connection": (duckdb.connect(), IDS, "not a DuckDBPyConnection; give the frame that its df() makes"),
    "rows of scores": (BY_USER, dict(enumerate(SCORES)), "as dict(zip(documents, numbers)) has them"),
    "rows of grades": (dict(enumerate(GRADES)), BY_USER, "give {topic: dict(zip(documents, grades))}"),
    "masked scores": (BY_USER, {0: {10: 0.5, 11: np.float32("-inf")}}, "leave out documents that must not count"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_line_is_told(name: str) -> None:
    qrels, run, said = CASES[name]
    assert said in said_of(lambda: evaluate(qrels, run, "AP"))


PAIR = (IDS, IDS / 10)
NAMED: dict[str, tuple[Any, str]] = {
    "ids": (IDS, "{'als': dict(zip(users, ids))}"),
    "ids of torch": (torch.tensor(IDS), "{'als': dict(zip(users, ids))}"),
    "ids with scores": (PAIR, "{'als': dict(zip(users, ids))}"),
    "lists": (IDS.tolist(), "no run has a topic"),  # three numbers may be a record
    "longer lists": ([[10, 11, 12, 13], [11, 10, 13, 12]], "{'als': dict(zip(users, LISTS))}"),
    "rows": ([*IDS], "{'als': dict(zip(users, LISTS))}"),
    "scores": (SCORES, "{'als': {u: dict(zip(items, row)) for u, row in zip(users, SCORES.tolist())}}"),
    "two columns": (IDS[:, :2], "A run by its name is {'als': {topic: [document, ...]}}"),
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("other", [False, True])
def test_the_line_has_the_name_of_the_run(name: str, other: bool) -> None:
    run, said = NAMED[name]
    runs = {"als": run, "pop": run} if other else {"als": run}
    assert said in said_of(lambda: evaluate(BY_USER, runs, "AP"))


def test_lines_for_matrices_give_the_means_of_scikit_learn() -> None:
    users, items = ["u", "v"], ["a", "b", "c", "d"]
    qrels = {u: dict(zip(items, row, strict=True)) for u, row in zip(users, GRADES.tolist(), strict=True)}
    run = {u: dict(zip(items, row, strict=True)) for u, row in zip(users, SCORES.tolist(), strict=True)}
    expected = pytest.approx(ndcg_score(GRADES, SCORES))
    assert evaluate(qrels, run, nDCG).mean().tolist() == [[expected]]
    assert nDCG(judge_arrays(GRADES, SCORES)).mean() == expected
    rows = []
    for matrix in (sparse.csr_matrix(GRADES), sparse.csr_array(SCORES)):
        m = matrix.tocoo()
        rows.append(list(zip(m.row.tolist(), m.col.tolist(), m.data.tolist(), strict=True)))
    assert evaluate(*rows, nDCG).mean().tolist() == [[expected]]


@pytest.mark.parametrize("array", [IDS, torch.tensor(IDS)])
def test_lines_for_ids_leave_padding_out(array: Any) -> None:
    with pytest.warns(UserWarning, match="ends of lists hold 1 missing id "):
        scores = evaluate(dict(enumerate(RELEVANT)), dict(enumerate(array)), [RR])
    assert scores.mean().tolist() == [[(1 + 1 / 2) / 2]]
    with pytest.warns(UserWarning, match="hold 4 missing ids"):
        scores = evaluate(BY_USER, {0: [10, -1, -1], 1: [11, -1, -1]}, "P@1 SetP")
    assert scores.mean().tolist() == [[1 / 2, 1 / 2]]


class Foreign:
    """A frame that Arrow does not read."""

    columns = ("user", "item", "rating")

    def toPandas(self) -> pd.DataFrame:
        return pd.DataFrame({"user": [1], "item": [2], "rating": [3]})


def test_frames_of_other_engines_are_told_their_method() -> None:
    assert said_of(lambda: evaluate(Foreign(), IDS, "AP")).endswith("give the frame that its toPandas() makes")
    assert find_conversion(pd.DataFrame()) is None
