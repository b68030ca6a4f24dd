"""Rows with document -1 leave a run, and -1 in lists leaves runs and judgments, and is counted; -1 in rows of judgments
stays."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from refusing import said_of

from gradeval import FilesWarning, evaluate, qrels_from_frame, read_qrels, read_run, read_runs, run_from_frame
from gradeval.files.accepted import as_runs

ROWS = {
    "user": [1, 1, 1, 2, 2, 2],
    "item": [10, 11, -1, 12, -1, -1],
    "score": [0.9, 0.8, float("-inf"), 0.7, -3e38, -3e38],
}
RUN = {"1": {"10": 0.9, "11": 0.8}, "2": {"12": 0.7}}
SAID = "3 rows with document -1, which stands for no item, are left out"
FRAMES: dict[str, Callable[[], Any]] = {
    "numbers": lambda: pd.DataFrame(ROWS),
    "text": lambda: pd.DataFrame(ROWS).astype({"item": str}),
    "categories": lambda: pd.DataFrame(ROWS).astype({"item": "category"}),
    "polars": lambda: pl.DataFrame(ROWS).cast({"item": pl.String}),
    "arrow": lambda: pyarrow.table(ROWS),
    "lists": lambda: (
        pl.DataFrame(ROWS).group_by("user", maintain_order=True).agg("item", "score").explode("item", "score")
    ),
}


@pytest.mark.parametrize("form", FRAMES)
def test_frames(form: str) -> None:
    with pytest.warns(FilesWarning, match=f"run: {SAID}"):
        run = run_from_frame(FRAMES[form]())
    assert run.to_dict() == RUN


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_files(tmp_path: Path, ending: str) -> None:
    file, frame = tmp_path / f"als.{ending}", pd.DataFrame(ROWS)
    if ending == "parquet":
        frame.to_parquet(file)
    else:
        frame.to_csv(file, index=False, sep="," if ending == "csv" else "\t")
    with pytest.warns(FilesWarning, match=SAID):
        assert read_run(file).to_dict() == RUN


def test_runs_of_a_column() -> None:
    frame = pd.concat([pd.DataFrame(ROWS).assign(model=model) for model in ("als", "pop")])
    with pytest.warns(FilesWarning, match="6 rows with document -1"):
        scores = evaluate({"1": {"10": 1}, "2": {"12": 1}}, frame, "RR")
    assert scores.mean().tolist() == [[1.0], [1.0]]


def test_faults_below_are_named_among_the_rows_that_are_left() -> None:
    frame = pd.DataFrame(ROWS | {"score": [1.0, None, 3.0, 2.0, 1.0, 1.0]})
    with (
        warnings.catch_warnings(action="ignore"),
        pytest.raises(ValueError, match="run, rows without document -1: row 1"),
    ):
        run_from_frame(frame)


def test_judgments_and_runs_of_nothing_else_keep_it(tmp_path: Path) -> None:
    grades = pd.DataFrame({"user": [1], "item": [-1], "rating": [3]})
    assert qrels_from_frame(grades).to_dict() == {"1": {"-1": 3}}
    assert run_from_frame(grades.rename(columns={"rating": "score"})).to_dict() == {"1": {"-1": 3.0}}
    file = tmp_path / "als.csv"
    file.write_text("user,item,score\n1,10,0.5\n")
    assert read_runs([file])[0].to_dict() == {"1": {"10": 0.5}}


PADDED = {"1": [30, 77, -1, -1], "2": [512, -1, -1, -1]}
RELEVANT = {"1": {"30": 1, "77": 1}, "2": {"512": 1}}
ENDS = r"ends of lists hold 5 missing ids \(.*-1\), which are left out"


@pytest.mark.parametrize(
    "listed",
    [
        PADDED,
        {topic: np.array(ids) for topic, ids in PADDED.items()},
        {topic: [(one, max(one, 0) and 1) for one in ids] for topic, ids in PADDED.items()},
        {"1": [30, 77, None, None], "2": [512, None, float("nan"), -1]},
    ],
)
def test_ends_of_lists_of_relevant_documents(listed: Any) -> None:
    with pytest.warns(FilesWarning, match=f"qrels: {ENDS}"):
        scores = evaluate(listed, {"1": ["77", "30"], "2": ["9", "512"]}, "R@2 AP NumRel")
    assert scores.values[0].tolist() == [[1.0, 1.0, 2.0], [1.0, 0.5, 1.0]]


def test_sets_of_relevant_documents_lose_it() -> None:
    with pytest.warns(FilesWarning, match="ends of lists hold 2 missing ids"):
        scores = evaluate({topic: set(ids) for topic, ids in PADDED.items()}, {"1": ["30"], "2": ["512"]}, "NumRel")
    assert scores.values.ravel().tolist() == [2.0, 1.0]


FILES_OF_LISTS = {
    "mapping.json": json.dumps(PADDED),
    "mapping.jsonl": "".join(json.dumps({topic: ids}) + "\n" for topic, ids in PADDED.items()),
    "records.jsonl": "".join(json.dumps({"user": topic, "items": ids}) + "\n" for topic, ids in PADDED.items()),
    "hits.jsonl": "".join(
        json.dumps({"user": topic, "items": [{"id": one, "rating": 1} for one in ids]}) + "\n"
        for topic, ids in PADDED.items()
    ),
    "cells.csv": "user,items\n" + "".join(f'{topic},"{ids}"\n' for topic, ids in PADDED.items()),
    "blanks.csv": "user,items\n" + "".join(f"{topic},{' '.join(map(str, ids))}\n" for topic, ids in PADDED.items()),
}


@pytest.mark.parametrize("name", FILES_OF_LISTS)
def test_files_of_lists(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(FILES_OF_LISTS[name].replace("items", "relevant"))
    with pytest.warns(FilesWarning, match=f"{name}: {ENDS}") as said:
        assert read_qrels(file).to_dict() == RELEVANT
    assert len([one for one in said if "missing ids" in str(one.message)]) == 1
    file.write_text(FILES_OF_LISTS[name].replace("rating", "score"))
    with pytest.warns(FilesWarning, match=f"{name}: {ENDS}"):
        assert {topic: [*run] for topic, run in read_run(file).to_dict().items()} == {"1": ["30", "77"], "2": ["512"]}


@pytest.mark.parametrize("ending", ["", "parquet"])
def test_frames_with_lists_of_relevant_documents(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"user": list(PADDED), "relevant": list(PADDED.values())})
    frame.to_parquet(tmp_path / "als.parquet")
    with pytest.warns(FilesWarning, match="5 rows with document -1"):
        judged = read_qrels(tmp_path / "als.parquet") if ending else qrels_from_frame(frame)
    assert judged.to_dict() == RELEVANT


MASKED = {"1": [30, -1, 77, -1], "2": [-1, -1, 512]}
"""As of items that were seen, masked after the top k was taken."""
RANKED = {"1": {"77": 1}, "2": {"512": 1}}


@pytest.mark.parametrize(
    "masked",
    [
        MASKED,
        {topic: np.array(ids) for topic, ids in MASKED.items()},
        {topic: [*map(str, ids)] for topic, ids in MASKED.items()},
        {topic: [(one, 9.0 - at) for at, one in enumerate(ids)] for topic, ids in MASKED.items()},
        {topic: (np.array(ids), np.linspace(1, 0.5, len(ids))) for topic, ids in MASKED.items()},
        pd.Series(MASKED),
    ],
)
def test_masked_items_of_lists_are_left_out_and_placed(masked: Any) -> None:
    first = "3 of them before other items, as in query '1', item 2; query '2', item 1"
    with pytest.warns(FilesWarning, match=rf"lists hold 4 missing ids \(null, NaN, -1\), .*; {first}$"):
        scores = evaluate(RANKED, masked, "RR")
    assert scores.values[0].tolist() == [[0.5], [1.0]]


def test_judgments_lose_masked_items_of_lists() -> None:
    with pytest.warns(FilesWarning, match=r"qrels: lists hold 1 missing id .* as in query '1', item 2"):
        scores = evaluate({"1": [3, -1, 4]}, {"1": ["4"]}, "NumRel")
    assert scores.values.item() == 2.0


MASKED_FILES = {
    "mapping.json": json.dumps(MASKED),
    "records.jsonl": "".join(json.dumps({"user": topic, "items": ids}) + "\n" for topic, ids in MASKED.items()),
    "cells.csv": "user,items\n" + "".join(f'{topic},"{ids}"\n' for topic, ids in MASKED.items()),
    "wide.csv": "user,rec1,rec2,rec3,rec4\n1,30,-1,77,-1\n2,-1,-1,512,\n",
    "scores.json": json.dumps({"1": {"30": 3, "77": 2, "-1": 9}, "2": {"-1": 3, "512": 2}}),
    "rows.jsonl": "".join(
        json.dumps({"user": topic, "item": one, "score": 9 - at}) + "\n"
        for topic, ids in MASKED.items()
        for at, one in enumerate(ids)
    ),
}


@pytest.mark.parametrize("name", MASKED_FILES)
def test_masked_items_of_files(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(MASKED_FILES[name])
    with pytest.warns(FilesWarning, match=r"-1.* left out"):
        run = read_run(file).to_dict()
    assert {topic: [*documents] for topic, documents in run.items()} == {"1": ["30", "77"], "2": ["512"]}


def test_runs_of_dictionaries_lose_it_and_judgments_keep_it() -> None:
    with pytest.warns(FilesWarning, match="run: 2 scores with document -1, which stands for no item, are left out"):
        scores = evaluate({"1": {"5": 1, "-1": 1}}, {"1": {-1: 0.9, 5: 0.8}, "2": {"-1": 1.0}}, "RR NumRel")
    assert scores.values[0, 0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("filler", [0, "0", "[PAD]"])
@pytest.mark.parametrize("file", [False, True])
def test_item_0_at_the_ends_of_lists_fills_them(file: bool, filler: int | str, tmp_path: Path) -> None:
    short = {"u1": [33, 44], "u2": [55], "u3": [66, 77, 88]}
    ids = {user: [str(one) if isinstance(filler, str) else one for one in items] for user, items in short.items()}
    filled = {user: [*items, *[filler] * (4 - len(items))] for user, items in ids.items()}
    given: Any = filled
    if file:
        given = tmp_path / "r.json"
        given.write_text(json.dumps(filled))
    qrels = {"u1": {"44": 1}, "u2": {"55": 1}, "u3": {"88": 1}}
    with pytest.warns(FilesWarning, match="ends of lists hold 6 items 0 or .PAD., which fill them as in RecBole"):
        [run] = as_runs(given)
    scores = evaluate(qrels, run, "AP").mean().tolist()
    assert scores == [[pytest.approx((1 / 2 + 1 + 1 / 3) / 3)]]
    assert {user: [*run.of(user)] for user in short} == {user: [*map(str, items)] for user, items in short.items()}


@pytest.mark.parametrize("lists", [{"u1": [33, 44, 0], "u2": [55, 66, 77]}, {"u1": [33, 44, 0], "u2": [0, 66, 77]}])
def test_item_0_that_a_list_has_once_is_an_item(lists: dict[str, list[int]]) -> None:
    [run] = as_runs(lists)
    assert [*run.of("u1")] == ["33", "44", "0"]


def test_item_0_that_is_repeated_elsewhere_is_refused_with_what_it_may_be() -> None:
    said = said_of(lambda: as_runs({"u1": [33, 0, 0], "u2": [0, 66, 77]}))
    assert said.endswith("listed twice; if it fills lists to the length of others, as item 0 of RecBole, leave it out")
