"""What evaluate and judge take: one run or several, runs without results, and keys that are one id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusing import said_of

from gradeval import CoverageWarning, Qrels, Run, check, compare, evaluate, judge, read_run
from gradeval.files.accepted import as_qrels

QRELS = {"q1": {"d": 1}, "q2": {"d": 1}}
FULL: dict[str, dict[str, float]] = {"q1": {"d": 1.0}, "q2": {"d": 2.0}}
EMPTY: dict[str, Any] = {}


def as_file(folder: Path) -> Path:
    path = folder / "run"
    path.write_text("q1 Q0 d 1 1 t\nq2 Q0 d 1 2 t\n")
    return path


FORMS: dict[str, Callable[[Path], Any]] = {
    "mapping": lambda _: FULL,
    "lists": lambda _: {"q1": ["d"], "q2": ["d"]},
    "arrays": lambda _: {"q1": np.array(["d"]), "q2": np.array(["d"])},
    "pairs": lambda _: {"q1": [("d", 1.0)], "q2": [("d", 2.0)]},
    "first topic empty": lambda _: {"q1": {}, "q2": {"d": 2.0}} | FULL,
    "file": as_file,
    "run": lambda folder: read_run(as_file(folder)),
    "frame": lambda _: pd.DataFrame({"qid": ["q1", "q2"], "docno": "d", "score": 1.0}),
    "records": lambda _: [{"qid": "q1", "docno": "d", "score": 1.0}, {"qid": "q2", "docno": "d", "score": 1.0}],
}


@pytest.mark.filterwarnings("ignore::gradeval.CoverageWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", list(permutations(["full", "none", "nothing"])))
def test_a_run_without_results_is_a_run_in_any_place(form: str, order: tuple[str, ...], tmp_path: Path) -> None:
    runs = {"full": FORMS[form](tmp_path), "none": {}, "nothing": {}}
    given = {name: runs[name] for name in order}
    expected = [float(name == "full") for name in order]
    scores = evaluate(QRELS, given, "RR")
    assert (scores.runs, scores.mean().ravel().tolist()) == (list(order), expected)
    judged = judge(QRELS, given)
    assert (judged.runs, judged.retrieved.sum(-1).tolist()) == (list(order), [2 * value for value in expected])
    assert [file.lines for file in check(QRELS, given).files[1:]] == [2 * value for value in expected]
    if form == "mapping":
        more = {str(number): {"d": 1} for number in range(3)}
        assert compare(evaluate(QRELS | more, given, "RR P@1"), samples=100).runs == list(order)


@pytest.mark.filterwarnings("ignore::gradeval.CoverageWarning")
@pytest.mark.parametrize(
    ("runs", "names", "means"),
    [
        ({"bm25": {}}, ["bm25"], [0]),
        ({"bm25": {}, "e5": {}}, ["bm25", "e5"], [0, 0]),
        ({"bm25": {"q1": {}}}, ["bm25"], [0]),
        ({}, ["run"], [0]),
        ([{}, FULL], ["run", "run 2"], [0, 1]),
        ([FULL, {}], ["run", "run 2"], [1, 0]),
        ([FULL, []], ["run", "run 2"], [1, 0]),
        ({"none": [], "full": FULL}, ["none", "full"], [0, 1]),
        ({"none": [], "full": [{"qid": "q1", "docno": "d", "score": 1.0}]}, ["none", "full"], [0, 1 / 2]),
        ([{"q1": []}], ["run"], [0]),
        ({"q1": []}, ["q1"], [0]),
        ({"q1": {}, "q2": {"d": 1.0}}, ["run"], [1 / 2]),
        ({"q1": {"d": np.float64(1)}, "q2": {}}, ["run"], [1 / 2]),
        ({"q1": [], "q2": ["d"]}, ["run"], [1 / 2]),
        ({"bm25": {"q1": [], "q2": ["d"]}, "e5": {}}, ["bm25", "e5"], [1 / 2, 0]),
        ({"bm25": {"q1": {}, "q2": {"d": 1.0}}}, ["bm25"], [1 / 2]),
        ({"e5": {}, "run": Run.from_dict(FULL)}, ["e5", "run"], [0, 1]),
    ],
)
def test_values_that_are_not_empty_tell_runs_from_topics(runs: Any, names: list[str], means: list[float]) -> None:
    scores = evaluate(QRELS, runs, "RR")
    assert (scores.runs, scores.mean().ravel().tolist()) == (names, means)


@pytest.mark.parametrize("key", [1, np.int64(1), np.uint8(1)])
def test_a_number_and_its_digits_are_one_id(key: Any) -> None:
    take: list[tuple[Callable[[Mapping[Any, Any]], object], str, Any]] = [
        (Qrels.from_dict, "qrels: topic 1", {"d": 1}),
        (Run.from_dict, "run: topic 1", {"d": 1.0}),
        (lambda ids: evaluate(QRELS, ids, "RR"), "run: topic 1", {"d": 1.0}),
        (lambda ids: evaluate(ids, FULL, "RR"), "qrels: topic 1", ["d"]),
        (lambda ids: Qrels.from_dict({"q1": ids}), "qrels: document 1 of topic q1", 1),
        (lambda ids: evaluate(QRELS, {"q1": ids}, "RR"), "run: document 1 of topic q1", 1.0),
        (lambda ids: evaluate(QRELS, ids, "RR"), "run 1", FULL),
    ]
    for call, what, value in take:
        for ids in ({key: value, "1": value}, {"1": value, key: value}):
            assert said_of(lambda call=call, ids=ids: call(ids)) in (
                f"{what} is given twice, as {key!r} and as '1'; give it once",
                f"{what} is given twice, as 1 and as '1'; give it once",
            )


NUMBERS = {
    "pandas": lambda: pd.Series([3.0, 2.0], index=["a", "b"]),
    "pandas of whole numbers": lambda: pd.Series([3, 2]),
    "polars": lambda: pl.Series([3.0, 2.0]),
    "numpy": lambda: np.array([3.0, 2.0]),
    "of two levels": lambda: pd.Series([3.0], index=pd.MultiIndex.from_tuples([("1", "a")])),
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("listed", [False, True])
def test_a_column_of_numbers_is_named_as_what_it_is(kind: str, listed: bool) -> None:
    given = NUMBERS[kind]()
    said = said_of(lambda: evaluate({"1": {"a": 1}}, [given] if listed else given, "AP"))
    what = "a ndarray" if kind == "numpy" else "a Series"
    assert said.startswith("a run is a Run, a file, a frame, {topic: {document: score}}, or records")
    assert f"not {what} of numbers alone; give the frame with the topics and documents" in said


LISTS = pd.Series([["a", "b"], ["c"]], index=[1, 2])
SAME: dict[str, Callable[[], Any]] = {
    "series of lists": lambda: LISTS,
    "series of arrays": lambda: LISTS.map(np.array),
    "series of tuples": lambda: LISTS.map(tuple),
    "series of pairs": lambda: pd.Series({1: [("a", 0.9), ("b", 0.5)], 2: [("c", 0.7)]}),
    "series of mappings": lambda: pd.Series({1: {"a": 0.9, "b": 0.5}, 2: {"c": 0.7}}),
    "groupby": lambda: pd.DataFrame({"u": [1, 1, 2], "i": ["a", "b", "c"]}).groupby("u").i.apply(list),
    "series as dictionary": lambda: LISTS.to_dict(),
    "numbers of NumPy as topics": lambda: {np.int64(1): ["a", "b"], np.int64(2): np.array(["c"])},
    "iterators": lambda: {1: iter(["a", "b"]), 2: iter(["c"])},
    "tuples": lambda: [(1, "a", 0.9), (1, "b", 0.5), (2, "c", 0.7)],
    "tuples of NumPy": lambda: [(np.int64(1), "a", np.float32(0.9)), (np.int64(1), "b", 0.5), (np.int64(2), "c", 1)],
    "lists": lambda: [[1, "a", 0.9], [1, "b", 0.5], [2, "c", 0.7]],
    "iterator of tuples": lambda: iter([("1", "a", 9), ("1", "b", 5), ("2", "c", 7)]),
    "records": lambda: [
        {"user": user, "item": item, "score": score}
        for user, item, score in ((1, "a", 0.9), (1, "b", 0.5), (2, "c", 0.7))
    ],
}
"""Forms of one run."""


@pytest.mark.parametrize("form", SAME)
@pytest.mark.parametrize("way", ["alone", "listed", "named"])
def test_a_run_as_people_have_it_in_python(form: str, way: str) -> None:
    given = SAME[form]()
    runs = {"alone": lambda: given, "listed": lambda: [given, FULL], "named": lambda: {"x": given, "y": FULL}}[way]()
    if form == "iterator of tuples" and way != "alone":
        runs = {"x": list(given), "y": FULL} if way == "named" else [list(given), FULL]
    scores = evaluate({"1": {"b": 1}, "2": {"c": 1}}, runs, "RR")
    assert scores.values[0, :, 0].tolist() == [1 / 2, 1]
    assert len(scores.runs) == (1 if way == "alone" else 2)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (LISTS, {"1": {"a": 1, "b": 1}, "2": {"c": 1}}),
        (pd.Series({1: {"a": 2, "b": 0}, 2: {"c": 1}}), {"1": {"a": 2, "b": 0}, "2": {"c": 1}}),
        (pd.Series([["a"], []], index=["x", "y"]), {"x": {"a": 1}, "y": {}}),
        ([(1, "a", 2), (1, "b", 0), (2, "c", 1)], {"1": {"a": 2, "b": 0}, "2": {"c": 1}}),
        (iter([(1, 7, 2)]), {"1": {"7": 2}}),
    ],
)
def test_judgments_as_people_have_them_in_python(given: Any, expected: Any) -> None:
    assert as_qrels(given).to_dict() == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (pd.Series([["a"], ["b"]], index=[1, 1]), "topic 1 is given twice; give all its documents in one list"),
        ([(1, "a", 0.9), (1, "b")], "item 2 is a tuple, not (topic, document, number) as the first is"),
        ([(1, "a", 0.9), (1, "a", 0.8)], "document 'a' of topic '1' occurs twice"),
        ([(1, "a", 0.9), ("1", "b", 0.8)], "topic 1 is given as 1 and as '1'; write it in one way"),
        ([(1.5, "a", 0.9)], "a run is a Run, a file, a frame"),
    ],
)
def test_rows_and_series_that_say_two_things_are_refused(given: Any, said: str) -> None:
    assert said in said_of(lambda: evaluate(QRELS, given, "AP"))


COLD: dict[str, Any] = {
    "lists": {"q1": ["d"], "q2": None},
    "none first": {"q2": None, "q1": ["d"]},
    "empty and none": {"q3": [], "q2": None, "q1": ["d"]},
    "scores": {"q1": {"d": 1.0}, "q2": None},
    "a series": pd.Series({"q1": ["d"]}).reindex(["q1", "q2"]),
    "named": {"als": {"q2": None, "q1": ["d"]}},
}


@pytest.mark.parametrize("form", COLD)
def test_a_topic_with_none_has_no_documents(form: str) -> None:
    with pytest.warns(CoverageWarning, match=r"returned nothing for some of the 2 topics \(\w+: 1; topic q2\)"):
        assert evaluate(QRELS, COLD[form], "RR").mean().tolist() == [[1 / 2]]


@pytest.mark.parametrize(
    "text", ['{"q1": {"d": 0.5}, "q2": null}', '{"q1": ["d"], "q2": null}', '{\n"q2": null,\n"q1": ["d"]}']
)
def test_a_topic_with_null_has_no_documents(tmp_path: Path, text: str) -> None:
    file = tmp_path / "run.json"
    file.write_text(text)
    with pytest.warns(CoverageWarning, match="topic q2"):
        assert evaluate(QRELS, file, "RR").mean().tolist() == [[1 / 2]]
