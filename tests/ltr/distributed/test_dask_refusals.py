"""What cannot be trained on several workers is refused in a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dask_tables import TRAIN, VALID, fit, frame_of, partitions_of

from gradeval import Features, InputError


def refusal(client: Any, frame: Any, **changes: Any) -> str:
    with pytest.raises(InputError) as refused:
        fit(client, frame, **changes)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_what_does_not_fit_is_refused_in_one_line(clients: Callable[[int], Any], tmp_path: Path) -> None:
    client, train = clients(2), partitions_of(TRAIN, [90])
    renamed = train.rename(columns={"grade": "grades"})
    assert refusal(client, renamed).startswith("table, partition 0: no column 'grade'")
    assert refusal(client, train.assign(a=np.inf)).startswith("table, partition 0: row 0: ")
    assert refusal(client, train, engine="catboost").startswith("engine='catboost' is not 'lightgbm' or 'xgboost'")
    assert refusal(client, train, leafs=3).startswith("leafs= is no parameter of fit_dask")
    assert refusal(client, train, threads=2).startswith("threads= is no parameter of fit_dask")
    assert refusal(client, train, engine="xgboost", min_rows=5).startswith("min_rows: XGBoost has no least number")
    assert refusal(client, train, levels=(0, 1, 2)).startswith("table: grade 3 is not one of the levels 0,1,2")
    assert refusal(client, train, rounds=0).startswith("rounds=0")
    assert refusal(client, train, resume=True).startswith("resume=True needs checkpoint=")
    assert refusal(client, train, valid=train.drop(columns="a")).startswith(
        "validation table: its features are not those of table ('a'"
    )
    assert refusal(client, frame_of(TRAIN).to_numpy()).startswith("table: a ndarray is no table on a cluster; give")
    assert refusal(None, train).startswith("client is a NoneType; give a distributed.Client")
    assert "holds no file that ends in .parquet" in refusal(client, tmp_path)
    (tmp_path / "x.parquet").write_text("no")
    assert "is no Parquet file, or a damaged one" in refusal(client, tmp_path)
    assert "holds no rows" in refusal(client, train[train["grade"] > 9])
    flat = partitions_of(TRAIN.with_grades(np.zeros(len(TRAIN))), [90])
    assert refusal(client, flat, levels=(0, 1)).startswith("table: nothing to learn: no query has documents of")
    same = partitions_of(Features.from_arrays(TRAIN.X * 0, TRAIN.grades, sizes=np.diff(TRAIN.offsets)), [90])
    assert "every feature has one value throughout" in refusal(client, same)
    assert "every feature has one value throughout" in refusal(client, same, engine="xgboost")
    file = tmp_path / "notes"
    file.write_text("mine")
    assert "a file of something else" in refusal(client, train, checkpoint=file)
    assert file.read_text() == "mine"


def test_tables_that_would_be_misread_are_refused(clients: Callable[[int], Any], tmp_path: Path) -> None:
    client, train, valid = clients(1), partitions_of(TRAIN, [90]), partitions_of(VALID, [20])
    assert "column 'a' is a category, and fit_dask takes numbers" in refusal(client, train.astype({"a": "category"}))
    assert "(in another order)" in refusal(client, train, valid=valid[["query", "b", "a", "c", "d", "e", "grade"]])
    assert "give validation data, too" in refusal(client, train, validate_by="nDCG@10")
    assert "no such file or folder" in refusal(client, tmp_path / "none")
