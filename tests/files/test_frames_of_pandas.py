"""Frames of pandas as they come out of a notebook, and files made from them: their index is nothing to learn from.

Each is read with the right values, or refused in one line.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from refusing import said_of

from gradeval import InputError, evaluate, qrels_from_frame, read_qrels, read_run, run_from_frame, scores_from_frame
from gradeval.cli import main
from gradeval.features.features import Features
from gradeval.files.feature_cache import cache_features
from gradeval.files.feature_frames import features_from_frame
from gradeval.files.readers import read_features
from gradeval.ltr import TreeRanker, load_ranker

Reader = Callable[[pd.DataFrame, Path], Features]

FRAME = pd.DataFrame(
    {
        "query_id": ["a", "a", "a", "b", "b", "c", "c"],
        "doc_id": ["d1", "d2", "d3", "d1", "d4", "d2", "d5"],
        "relevance": [2, 0, 1, 0, 1, 1, 2],
        "bm25": [1.5, 0.5, 2.5, 0.25, 4.0, 3.0, 3.5],
        "length": [10, 20, 30, 40, 50, 60, 75],
    }
)
"""What every frame below means."""


def through_parquet(frame: pd.DataFrame, folder: Path) -> Features:
    frame.to_parquet(folder / "x.parquet")
    return read_features(folder / "x.parquet")


def through_cache(frame: pd.DataFrame, folder: Path) -> Features:
    frame.to_parquet(folder / "x.parquet")
    return cache_features(folder / "x.parquet", folder / "cache")


def through_polars_file(frame: pd.DataFrame, folder: Path) -> Features:
    """Polars keeps the columns of the file, and knows nothing of an index."""
    frame.to_parquet(folder / "x.parquet")
    return features_from_frame(pl.read_parquet(folder / "x.parquet"))


def through_duckdb_file(frame: pd.DataFrame, folder: Path) -> Features:
    frame.to_parquet(folder / "x.parquet")
    return features_from_frame(duckdb.connect().sql(f"select * from '{folder / 'x.parquet'}'"))


READERS: dict[str, Reader] = {
    "frame": lambda frame, _: features_from_frame(frame),
    "Arrow": lambda frame, _: features_from_frame(pa.Table.from_pandas(frame)),
    "Parquet": through_parquet,
    "cache": through_cache,
    "Polars": lambda frame, _: features_from_frame(pl.from_pandas(frame)),
}
BEFORE = pd.DataFrame({**{name: FRAME[name][:1] for name in FRAME}, "query_id": ["before"]})

SAME: dict[str, Callable[[], pd.DataFrame]] = {
    "sliced": lambda: pd.concat([BEFORE, FRAME], ignore_index=True).iloc[1:],
    "filtered": lambda: pd.concat([BEFORE, FRAME]).query("query_id != 'before'"),
    "shuffled and sorted again": lambda: FRAME.sample(frac=1, random_state=3).sort_values(["query_id", "doc_id"]),
    "concatenated": lambda: pd.concat([FRAME.iloc[:3].reset_index(drop=True), FRAME.iloc[3:].reset_index(drop=True)]),
    "place in the query as an index": lambda: FRAME.set_index(FRAME.groupby("query_id").cumcount()),
    "an index with a name": lambda: FRAME.rename_axis("place"),
    "an index named as a usual column of documents": lambda: FRAME.set_index(
        pd.Index(FRAME["doc_id"].str.upper(), name="docno")
    ),
    "an index of text": lambda: FRAME.set_index(FRAME["doc_id"] + "!"),
    "an index of dates": lambda: FRAME.set_index(pd.date_range("2024-01-01", periods=7)),
    "MultiIndex": lambda: FRAME.set_index([FRAME["relevance"].rename("best"), FRAME.index]),
    "MultiIndex of the ids": lambda: FRAME.set_index(["query_id", "doc_id"]),
    "the queries as the index": lambda: FRAME.set_index("query_id"),
    "categorical ids": lambda: FRAME.astype({"query_id": "category", "doc_id": "category"}),
    "categorical grades": lambda: FRAME.astype({"relevance": pd.CategoricalDtype([0, 1, 2], ordered=True)}),
    "nullable": lambda: FRAME.convert_dtypes(),
    "Arrow-backed": lambda: FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "Arrow-backed and sliced": lambda: pd.concat([BEFORE, FRAME]).convert_dtypes(dtype_backend="pyarrow")[1:],
    "objects": lambda: FRAME.astype(object),
    "single precision and small numbers": lambda: FRAME.astype({"bm25": "float32", "length": "uint8"}),
}


def assert_same(features: Features) -> None:
    assert features.columns == ("bm25", "length")
    np.testing.assert_array_equal(features.X, FRAME[["bm25", "length"]].to_numpy(np.float32))
    assert features.grades.tolist() == FRAME["relevance"].tolist()
    assert (features.topics, features.offsets.tolist()) == (["a", "b", "c"], [0, 3, 5, 7])
    assert features.docs == FRAME["doc_id"].tolist()


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", SAME)
def test_a_frame_means_the_same_whatever_its_index_and_its_types(kind: str, reader: str, tmp_path: Path) -> None:
    frame = SAME[kind]()
    if reader == "Polars" and not {"query_id", "doc_id"} <= {*frame.columns}:
        frame = frame.reset_index()  # Polars leaves every index behind
    assert_same(READERS[reader](frame, tmp_path))


@pytest.mark.parametrize("read", [through_polars_file, through_duckdb_file], ids=["Polars", "DuckDB"])
def test_an_index_without_a_name_stays_one_in_tools_that_know_of_none(read: Reader, tmp_path: Path) -> None:
    assert_same(read(pd.concat([BEFORE, FRAME]).iloc[1:], tmp_path))


def test_pieces_of_a_cache_with_and_without_an_index_fit_together(tmp_path: Path) -> None:
    FRAME.iloc[:3].to_parquet(tmp_path / "1.parquet")
    FRAME.iloc[3:].to_parquet(tmp_path / "2.parquet")
    assert_same(cache_features([tmp_path / "1.parquet", tmp_path / "2.parquet"], tmp_path / "cache"))


def test_a_column_of_the_name_of_an_index_elsewhere_is_a_feature(tmp_path: Path) -> None:
    frame = FRAME.rename(columns={"length": "place"})
    assert through_parquet(frame, tmp_path).columns == ("bm25", "place")


def test_an_index_is_a_feature_for_those_who_name_it() -> None:
    frame = FRAME.set_index("length")
    assert_same(features_from_frame(frame, features=["bm25", "length"]))


@pytest.mark.parametrize("described", [b"{", b"[]", b"null", b'{"index_columns": 1}', b'{"index_columns": [["a"]]}'])
def test_metadata_that_pandas_did_not_write_are_ignored(described: bytes) -> None:
    table = pa.Table.from_pandas(FRAME, preserve_index=False).replace_schema_metadata({b"pandas": described})
    assert_same(features_from_frame(table))


def leak() -> pd.DataFrame:
    """A table of noise whose rows are sorted best first in every query, as an export of labels is, by its index."""
    noise = np.random.default_rng(5)
    grades = np.concatenate([np.sort(noise.integers(0, 3, 30))[::-1] for _ in range(40)])
    return pd.DataFrame(
        {
            "query_id": np.repeat(np.arange(40), 30),
            "relevance": grades,
            "noise": noise.normal(size=1200),
            "other": noise.normal(size=1200),
        },
        index=np.tile(np.arange(30), 40),
    )


def test_the_order_of_an_export_is_not_learnt(tmp_path: Path) -> None:
    frame = leak()
    frame[frame.query_id < 20].to_parquet(tmp_path / "train.parquet")
    test = features_from_frame(frame[frame.query_id >= 20])
    options = ["--objective", "lambdarank:nDCG", "--ranker", "tree", "--epochs", "5"]
    trained = CliRunner().invoke(
        main, ["train", str(tmp_path / "train.parquet"), *options, "-o", str(tmp_path / "model")]
    )
    assert trained.exit_code == 0
    assert trained.stderr.startswith("note: 2 features (noise, other)\n")
    run = test.run(load_ranker(tmp_path / "model").score(test))
    by_index = test.run(-frame[frame.query_id >= 20].index.to_numpy())
    trained_run, index = evaluate(test.qrels, {"trained": run, "index": by_index}, "nDCG@10").of("nDCG@10").mean(axis=1)
    assert index == 1
    assert trained_run < 0.8


def test_estimators_take_no_index_of_an_arrow_table() -> None:
    table = pa.Table.from_pandas(FRAME.rename(columns={"query_id": "qid"}).set_index(pd.Index([3, 1, 4, 1, 5, 9, 2])))
    assert "__index_level_0__" in table.column_names  # else this would test nothing
    ranker = TreeRanker("lambdarank:nDCG", epochs=1, min_rows=1)
    ranker.fit(table.drop_columns(["doc_id", "relevance"]), FRAME["relevance"])
    assert ranker.feature_names_in_.tolist() == ["bm25", "length"]
    assert len(ranker.predict(table.drop_columns(["doc_id", "relevance"]))) == 7


NAMELESS = "has no name of its own, as an index that pandas wrote to csv; drop or rename it"


def test_an_index_written_to_csv_is_refused(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "x.csv")
    with pytest.raises(InputError, match=f"x.csv: column '' {NAMELESS}"):
        read_features(tmp_path / "x.csv")


def test_an_index_that_pandas_read_back_from_csv_is_refused(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "x.csv")
    frame = pd.read_csv(tmp_path / "x.csv")
    said = f"column 'Unnamed: 0' {NAMELESS}"
    with pytest.raises(InputError, match=f"features: {said}, or name the features with features="):
        features_from_frame(frame)
    with pytest.raises(InputError, match=f"X: {said}"):
        TreeRanker("lambdarank:nDCG").fit(
            frame.drop(columns=["query_id", "doc_id", "relevance"]), FRAME["relevance"], qid=FRAME["query_id"]
        )
    assert_same(features_from_frame(frame, features=["bm25", "length"]))


REFUSED: dict[str, tuple[Callable[[], pd.DataFrame], str]] = {
    "names given twice": (
        lambda: pd.concat([FRAME, FRAME[["bm25"]]], axis=1),
        "features: cannot be read as a table (Duplicate column names found",
    ),
    "dates": (lambda: FRAME.assign(day=pd.Timestamp("2024-05-01")), "column 'day' (times) holds no numbers"),
    "dates of Python": (
        lambda: FRAME.assign(day=pd.Timestamp("2024-05-01").date()),
        "column 'day' (times) holds no numbers",
    ),
    "durations": (lambda: FRAME.assign(age=pd.Timedelta("1D")), "column 'age' (times) holds no numbers"),
    "periods": (lambda: FRAME.assign(month=pd.Period("2024-05")), "column 'month' (extension<"),
    "text": (lambda: FRAME.assign(title="x"), "column 'title' (row 0: 'x') holds no numbers; leave it out"),
    "mixed": (lambda: FRAME.assign(mixed=[1, "x", 2, 3, 4, 5, 6]), "features: cannot be read as a table ("),
    "complex": (lambda: FRAME.assign(wave=1j), "features: cannot be read as a table ("),
    "levels of columns": (
        lambda: pd.concat({"x": FRAME}, axis=1),
        "features: has no column 'query_id' (did you mean ('x', 'query_id')?) (it has ('x', 'query_id'), ",
    ),
    "ids that became floating": (
        lambda: FRAME.assign(query_id=[1, 1, 1, 2, 2, 3, np.nan]).dropna(),
        "column 'query_id' holds floating-point numbers (double), which are no ids",
    ),
    "a missing query": (
        lambda: FRAME.assign(query_id=["a", "a", "a", "b", "b", "c", pd.NA]),
        "features: row 6: query_id is missing",
    ),
    "a missing category": (
        lambda: FRAME.assign(query_id=pd.Categorical(["a", "a", "a", "b", "b", "c", None])),
        "features: row 6: query_id is missing",
    ),
    "a missing grade": (
        lambda: FRAME.assign(relevance=pd.array([2, 0, 1, None, 1, 1, 2], "Int64")),
        "features: row 3: relevance is missing",
    ),
    "scattered by a shuffle": (
        lambda: FRAME.sample(frac=1, random_state=3),
        "the rows of a query stand together: sort them by query",
    ),
    "no rows": (lambda: FRAME.iloc[:0], "features: the table has no rows"),
}


@pytest.mark.filterwarnings("ignore:The DataFrame has column names of mixed type:UserWarning")
@pytest.mark.parametrize("kind", REFUSED)
def test_what_means_nothing_is_refused_in_one_line(kind: str) -> None:
    make, said = REFUSED[kind]
    refused = said_of(lambda: features_from_frame(make()))
    assert said in refused


@pytest.mark.parametrize("kind", ["nullable", "Arrow-backed", "NaN"])
def test_a_missing_feature_is_nan(kind: str) -> None:
    frame = FRAME.assign(bm25=FRAME["bm25"].where(FRAME["bm25"] != 4))
    if kind != "NaN":
        frame = frame.convert_dtypes(dtype_backend="pyarrow" if kind == "Arrow-backed" else "numpy_nullable")
    bm25 = features_from_frame(frame).X[:, 0].tolist()
    assert np.isnan(bm25[4])
    assert bm25[:4] + bm25[5:] == [1.5, 0.5, 2.5, 0.25, 3.0, 3.5]


# Judgments, runs and scores

RUN = FRAME.rename(columns={"bm25": "score"}).drop(columns=["relevance", "length"])
JUDGED = {"a": {"d1": 2, "d2": 0, "d3": 1}, "b": {"d1": 0, "d4": 1}, "c": {"d2": 1, "d5": 2}}
SCORED = {"a": {"d1": 1.5, "d2": 0.5, "d3": 2.5}, "b": {"d1": 0.25, "d4": 4.0}, "c": {"d2": 3.0, "d5": 3.5}}


@pytest.mark.parametrize("kind", SAME)
@pytest.mark.parametrize("file", [False, True], ids=["frame", "Parquet"])
def test_judgments_and_runs_are_the_same_whatever_their_index(kind: str, file: bool, tmp_path: Path) -> None:
    frame = SAME[kind]()
    if file:
        frame.to_parquet(tmp_path / "x.parquet")
        assert read_qrels(tmp_path / "x.parquet").to_dict() == JUDGED
        assert read_run(tmp_path / "x.parquet", columns={"score": "bm25"}).to_dict() == SCORED
    else:
        assert qrels_from_frame(frame).to_dict() == JUDGED
        assert run_from_frame(frame, score="bm25").to_dict() == SCORED
    assert evaluate(qrels_from_frame(frame), run_from_frame(frame, score="bm25"), "nDCG").topics == ["a", "b", "c"]


UNKNOWN = r"no column is known to hold the scores \(it has query_id, doc_id, bm25\)"


@pytest.mark.parametrize("index", ["score", "rank", "sim"])
def test_an_index_is_no_score_and_no_rank_unless_it_is_named(index: str, tmp_path: Path) -> None:
    frame = RUN.rename(columns={"score": "bm25"}).set_index(pd.Index([9, 6, 5, 4, 3, 2, 1], name=index))
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match=UNKNOWN):
        run_from_frame(frame)
    with pytest.raises(InputError, match=UNKNOWN):
        read_run(tmp_path / "x.parquet").to_dict()
    named = {"rank" if index == "rank" else "score": index}
    by_index = {"a": {"d1": 9, "d2": 6, "d3": 5}, "b": {"d1": 4, "d4": 3}, "c": {"d2": 2, "d5": 1}}
    if index == "rank":
        by_index = {topic: {doc: -rank for doc, rank in docs.items()} for topic, docs in by_index.items()}
    assert run_from_frame(frame, **named).to_dict() == by_index
    assert read_run(tmp_path / "x.parquet", columns=named).to_dict() == by_index


def test_an_index_is_no_grade_unless_it_is_named() -> None:
    frame = FRAME.rename(columns={"relevance": "points"}).set_index(pd.Index([0, 1, 2, 3, 4, 5, 2], name="label"))
    with pytest.raises(InputError, match="no column is known to hold the grades"):
        qrels_from_frame(frame)
    assert qrels_from_frame(frame, relevance="label").to_dict()["a"] == {"d1": 0, "d2": 1, "d3": 2}


def test_columns_come_before_an_index_that_is_called_like_them() -> None:
    frame = RUN.rename(columns={"doc_id": "docno"}).set_index(pd.Index([6, 5, 4, 3, 2, 1, 9], name="doc_id"))
    assert run_from_frame(frame).to_dict() == SCORED


def test_a_csv_that_pandas_wrote_with_its_index_is_read_by_its_names(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "qrels.csv")
    RUN.to_csv(tmp_path / "run.csv")
    assert read_qrels(tmp_path / "qrels.csv").to_dict() == JUDGED
    assert read_run(tmp_path / "run.csv").to_dict() == SCORED


@pytest.mark.parametrize("changed", [{"topic": [1.0, 2.0]}, {"run": [None, "x"]}, {"present": [True, None]}])
def test_scores_with_ids_that_are_none_are_refused(changed: dict[str, list[Any]]) -> None:
    columns = {"run": ["x", "x"], "topic": ["1", "2"], "measure": ["AP", "AP"], "value": [0.5, 1.0], **changed}
    with pytest.raises(InputError, match=r"floating-point numbers|is missing"):
        scores_from_frame(pd.DataFrame(columns))


def test_scores_may_have_their_names_in_the_index() -> None:
    frame = pd.DataFrame({"run": ["x", "x"], "topic": [1, 2], "measure": ["AP", "AP"], "value": [0.5, 1.0]})
    scores = scores_from_frame(frame.set_index(["run", "topic"]))
    assert (scores.runs, scores.topics, scores.values.ravel().tolist()) == (["x"], ["1", "2"], [0.5, 1.0])
    assert scores_from_frame(frame.iloc[1:]).topics == ["2"]
