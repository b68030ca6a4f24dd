"""Feather, and what gives its rows only when somebody asks: data sets, scanners, frames of Dask, lists of LensKit."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset
from refusing import said_of

from gradeval import evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame
from gradeval.files.columnar import read_columns
from gradeval.files.feature_columns import FeatureColumns
from gradeval.files.feature_files import read_csv_features, read_parquet_features
from gradeval.files.source import Source

JUDGED = pd.DataFrame({"user_id": ["u1", "u1", "u2", "3"], "item_id": ["a", "b", "b", "c"], "rating": [2, 0, 1, 3]})
RANKED = pd.DataFrame(
    {
        "user_id": ["u1", "u1", "u2", "3", "3"],
        "item_id": ["b", "a", "b", "x", "c"],
        "score": [2.5, 1.25, 9.0, 3.0, 1.0],
        "note": list("vwxyz"),
    }
)


def as_dask(frame: pd.DataFrame, _: Path) -> Any:
    return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)


def as_parts(frame: pd.DataFrame, folder: Path) -> dataset.Dataset:
    dataset.write_dataset(
        pa.Table.from_pandas(frame), folder, format="parquet", max_rows_per_file=2, max_rows_per_group=2
    )
    return dataset.dataset(folder)


def as_lists(frame: pd.DataFrame, _: Path) -> Any:
    lists = pytest.importorskip("lenskit.data").ItemListCollection
    return lists.from_df(frame.drop(columns="note", errors="ignore"), "user_id")


LAZY: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "data set": as_parts,
    "data set in memory": lambda frame, _: dataset.dataset(pa.Table.from_pandas(frame)),
    "scanner": lambda frame, folder: as_parts(frame, folder).scanner(),
    "scanner of some rows": lambda frame, folder: as_parts(frame, folder).scanner(
        filter=~dataset.field("user_id").is_null()
    ),
    "Dask": as_dask,
    "LensKit": as_lists,
}
FILES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "feather": lambda frame, place: frame.to_feather(place),
    "uncompressed": lambda frame, place: frame.to_feather(place, compression="uncompressed"),
    "stream": lambda frame, place: write_stream(frame, place),
    "gz": lambda frame, place: place.write_bytes(gzip.compress(write_stream(frame, place).read_bytes())) and None,
}


def write_stream(frame: pd.DataFrame, place: Path) -> Path:
    table = pa.Table.from_pandas(frame)
    with pa.ipc.new_stream(place, table.schema) as stream:
        stream.write_table(table, max_chunksize=2)
    return place


@pytest.mark.parametrize("form", LAZY)
def test_what_is_read_late_is_the_frame(form: str, here: Path) -> None:
    judged, ranked = LAZY[form](JUDGED, here / "judged"), LAZY[form](RANKED, here / "ranked")
    expected = evaluate(JUDGED, RANKED, "AP nDCG@2")
    for given in (ranked, {"mine": ranked}):
        read = evaluate(judged, given, "AP nDCG@2")
        order = [read.topics.index(topic) for topic in expected.topics]
        assert read.values[:, order].tolist() == expected.values.tolist()
    assert evaluate(judged, [ranked, RANKED], "AP").runs == ["run", "run 2"]
    assert qrels_from_frame(judged).to_dict() == qrels_from_frame(JUDGED).to_dict()
    assert run_from_frame(ranked).to_dict() == run_from_frame(RANKED).to_dict()
    assert "give it to run_from_frame()" in said_of(lambda: read_run(ranked))


@pytest.mark.parametrize("form", FILES)
def test_feather_and_streams_of_arrow_are_recognised_by_their_content(form: str, here: Path) -> None:
    FILES[form](JUDGED, here / "judged")
    FILES[form](RANKED, here / "ranked")
    read = evaluate("judged", "ranked", "AP nDCG@2")
    assert read.values.tolist() == evaluate(JUDGED, RANKED, "AP nDCG@2").values.tolist()
    assert read_run("ranked").read_as == "Feather, columns user_id, item_id, score"
    assert read_qrels("feather:judged").to_dict() == qrels_from_frame(JUDGED).to_dict()


@pytest.mark.parametrize("form", ["feather", "uncompressed", "stream"])
def test_a_damaged_feather_file_is_refused(form: str, here: Path) -> None:
    place = here / "ranked"
    FILES[form](RANKED, place)
    whole = place.read_bytes()
    for cut in (12, len(whole) // 2):
        place.write_bytes(whole[:cut])
        assert said_of(lambda: read_run(place)).startswith(f"{place}: is no Feather file, or a damaged one")


def test_feather_lists_what_must_not_count(here: Path) -> None:
    RANKED.iloc[:1].to_feather(here / "seen")
    seen = evaluate(JUDGED, RANKED, "AP", exclude=here / "seen")
    assert seen.values.tolist() == evaluate(JUDGED, RANKED, "AP", exclude=[("u1", "b")]).values.tolist()


@pytest.mark.parametrize(
    ("name", "read", "during"),
    [
        ("f.csv", partial(read_csv_features, name=None, given=FeatureColumns()), "pyarrow.csv.read_csv"),
        ("f.parquet", partial(read_parquet_features, name=None, given=FeatureColumns()), "pyarrow.parquet.ParquetFile"),
        ("f.feather", read_columns, "pyarrow.ipc.open_file"),
    ],
)
def test_arrow_never_holds_memory_of_python(
    name: str, read: Callable[..., object], during: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its threads may let go of what they read when the interpreter ends: with memory of Python that aborts the process.
    frame = pd.DataFrame({"query_id": ["a", "a"], "doc_id": ["x", "y"], "relevance": [1, 0], "bm25": [0.5, 0.25]})
    file = here / name
    write = {"f.csv": partial(frame.to_csv, index=False), "f.parquet": frame.to_parquet, "f.feather": frame.to_feather}
    write[name](file)
    source, opened = Source(file), resolve_name(during)
    data = source.__dict__["data"] = bytearray(file.read_bytes())
    grown = []

    def open_and_grow(*args: object, **named: object) -> object:
        data.append(0)  # a BufferError while another object holds the memory
        del data[-1:]
        grown.append(name)
        return opened(*args, **named)

    monkeypatch.setattr(during, open_and_grow)
    read(source)
    assert grown
