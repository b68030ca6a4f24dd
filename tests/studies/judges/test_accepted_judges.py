from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from refusing import said_of
from two_assessors import two_assessors

from gradeval import InputError, alternative_annotator, judges
from gradeval.warning_categories import CoverageWarning, FilesWarning

DRAWN = two_assessors(4)
HUMAN = {"q1": {"a": 2, "b": 0}}


def test_a_judge_that_cannot_be_compared_is_warned_of_and_kept_with_its_error() -> None:
    other = {"t00": {"d0": 9}}
    with pytest.warns(CoverageWarning, match=r"other: not used: 1 of 1 grades \(9\) .*\.recoded\(\{9: 3\}\)"):
        found = judges(DRAWN.human, {"model": DRAWN.judge, "other": other}, samples=20)
    assert found.judges == ["model"]
    assert list(found.refused) == ["other"]
    alone = judges(DRAWN.human, {"model": DRAWN.judge}, samples=20)
    assert found.to_dict() == alone.to_dict()
    with pytest.raises(InputError, match=r"^other: 1 of 1 grades") as raised:
        judges(DRAWN.human, {"other": other})
    assert str(raised.value) == str(found.refused["other"])


def test_where_no_judge_is_left_or_the_second_assessor_is_refused_that_is_an_error() -> None:
    other = {"t00": {"d0": 9}}
    with pytest.raises(InputError, match=r"^b: .*\(and no other judge can be compared\)$"):
        judges(DRAWN.human, {"b": other, "c": other})
    with pytest.raises(InputError, match=r"^other: 1 of 1 grades"):
        judges(DRAWN.human, {"model": DRAWN.judge, "other": other}, second="other")


def test_what_is_said_of_a_judge_without_a_file_names_the_judge() -> None:
    human = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(4)}
    model = {topic: documents | {"b": None, "c": "Grade: 2"} for topic, documents in human.items()}
    with pytest.warns(FilesWarning, match="^llm: 4 without a grade are unjudged; .*'Grade: 2' as 2"):
        judges(human, {"llm": model})


RATED = [("q1", "a", 2, "ann"), ("q1", "b", 0, "ann"), ("q1", "a", 2, "gpt"), ("q1", "b", 1, "gpt")]


@pytest.mark.parametrize("column", ["annotator", "model"])
def test_a_frame_of_raters_is_split_as_the_error_says(column: str) -> None:
    frame = pd.DataFrame(RATED, columns=["query_id", "doc_id", "grade", column])
    said = said_of(lambda: judges(HUMAN, frame))
    assert said.endswith(f"not a DataFrame; by the column of raters: dict(list(frame.groupby({column!r}))) of pandas")
    assert said_of(lambda: alternative_annotator(frame, candidate="gpt")) == said.replace("judges", "assessors")
    raters: Any = dict(list(frame.groupby(column)))
    assert judges(raters["ann"], {"gpt": raters["gpt"]}).labels["gpt"].confusion.sum() == 2
    both = said_of(lambda: judges(frame, {"gpt": raters["gpt"]}))
    assert f"; for judges() in Python: raters = dict(list(df.groupby({column!r})))" in both


def test_parts_of_a_frame_are_judges_by_the_value_that_they_share() -> None:
    """Pandas and Polars put the only value by which they split into a tuple."""
    frame = pd.DataFrame(RATED, columns=["query_id", "doc_id", "grade", "rater"])
    by_pandas: Any = dict(list(frame.groupby(["rater"])))
    by_polars: Any = pl.DataFrame(frame.to_dict("list")).partition_by("rater", as_dict=True)
    for parts in (by_pandas, by_polars):
        assert {*parts} == {("ann",), ("gpt",)}
        assert judges(HUMAN, parts).judges == ["ann", "gpt"]
        assert said_of(lambda parts=parts: alternative_annotator(parts, candidate="gpt")).count("there is 1 beside gpt")
    assert said_of(lambda: judges(HUMAN, by_pandas | {"ann": by_pandas["ann",]})).startswith("judge ann is given twice")


def test_a_judge_without_a_name_is_refused_with_one() -> None:
    frame = pd.DataFrame([("q1", "a", 2)], columns=["query_id", "doc_id", "grade"])
    assert said_of(lambda: judges(HUMAN, frame)).endswith(
        "not a DataFrame; give the frame a name, as in {'llm': frame}"
    )
    assert said_of(lambda: judges(HUMAN, "llm.csv")).endswith("give the file a name, as in {'llm': 'llm.csv'}")


@pytest.mark.parametrize("form", ["records", "frame", "file"])
def test_grades_of_a_model_as_those_of_humans_are_warned_of(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame([("q1", "a", 2), ("q1", "b", 0)], columns=["query_id", "doc_id", "llm_grade"])
    frame.to_csv(tmp_path / "h.csv", index=False)
    given: Any = {"records": frame.to_dict("records"), "frame": frame, "file": str(tmp_path / "h.csv")}[form]
    with pytest.warns(FilesWarning, match="the human grades are read from 'llm_grade', which is a usual name for"):
        judges(given, {"gpt": {"q1": {"a": 2, "b": 0}}})


OTHERS = 4
"""Documents of each topic that no human judged, where three are judged by the humans."""


@pytest.mark.parametrize("shared", [1, 3])
def test_a_judge_of_other_documents_says_nothing_of_runs(shared: int) -> None:
    """By the counts of the made judge; one that has all pairs of the humans may grade as many others as it likes."""
    topics = [f"t{number}" for number in range(12)]
    human = {topic: {"a": 2, "b": 0, "c": 1} for topic in topics}
    model = {topic: dict.fromkeys("abc"[:shared], 1) | {f"x{n}": n % 3 for n in range(OTHERS)} for topic in topics}
    runs = {
        name: {topic: {one: -float(rank) for rank, one in enumerate(order)} for topic in topics}
        for name, order in (("one", ["a", "x1", "b"]), ("two", ["x2", "c", "a"]))
    }
    if shared == 3:
        assert judges(human, {"llm": model}, runs, "P@2", samples=20).judges == ["llm"]
        return
    said = said_of(lambda: judges(human, {"llm": model}, runs, "P@2", samples=20))
    assert said.startswith("llm: judged other documents: 48 that no human judged, and 12 of 36 that humans judged; ")
    frames = [
        pd.DataFrame([(topic, *pair) for topic in topics for pair in one[topic].items()], columns=["query", "doc", "g"])
        for one in (human, model)
    ]
    filled = eval(said.split("in pandas: ")[1], {"pandas": pd, "human": frames[0], "judge": frames[1]})
    kept = {topic: dict(zip(part.doc, part.g, strict=True)) for topic, part in filled.groupby("query")}
    assert kept == {topic: model[topic] | human[topic] for topic in topics}
    assert judges(human, {"llm": model}, samples=20).labels["llm"].confusion.sum() == 12
