"""Frames as training data: what could be taken for something else is refused, never cast without a word."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusing import said_of

from gradeval import Features, FeaturesWarning, InputError, SplitQueriesWarning, evaluate, features_from_frame
from gradeval.ltr import LinearRanker, TreeRanker, load_ranker, make_scorer
from gradeval.ltr.data.rows import Rows

rng = np.random.default_rng(1)
VALUES = np.array([10, 20, 30, 70])
FRAME = pd.DataFrame({"a": rng.normal(size=400), "b": VALUES[rng.integers(0, 4, 400)]})
GRADES = (FRAME["b"] == 20) + (FRAME["a"] > 1)
SIZES = [20] * 20


refusal = partial(said_of, Rows.of)


def test_columns_that_pandas_numbered_keep_their_order() -> None:
    numbered = pd.DataFrame(np.arange(6).reshape(2, 3))
    assert Rows.of(numbered).columns is None
    assert Rows.of(numbered[[0, 2]]).columns == ("0", "2")
    assert Rows.of(numbered.assign(qid=1)[[0, 1, 2, "qid"]]).columns is None
    assert "numbered 0 to 2, but stand in another order" in refusal(numbered[[1, 0, 2]])
    assert "numbered 0 to 2" in refusal(numbered.assign(qid=1)[["qid", 2, 1, 0]])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02"])).dt.tz_localize("UTC"),
        pd.Series(pd.to_timedelta([1, 2])),
        pd.Series([1j, 2]),
    ],
)
def test_dates_are_no_numbers(column: Any) -> None:
    said = refusal(pd.DataFrame({"when": column, "a": [1, 2]}))
    assert re.search(r"column 'when' \(.+\) of X holds something other than numbers; leave it out", said)
    if column.dtype.kind != "c" and "UTC" not in str(column.dtype):
        said = refusal(pl.DataFrame({"when": column.to_numpy(), "a": [1, 2]}))
        assert re.search(r"column 'when' \(.+\) of X holds something", said)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_all_columns_that_hold_no_numbers_are_named_at_once(make: Callable[[Any], Any]) -> None:
    said = refusal(make({"title": ["inn", "spa"], "a": [1, 2], "price": ["0,5", "1"], "open": [True, False]}))
    assert said == (
        "columns 'title' (row 0: 'inn') and 'price' (row 0: '0,5', with a decimal comma instead of a point) of X "
        "hold something other than numbers; leave them out (frame.drop(columns=['title', 'price'])), or convert them "
        "to numbers; if 'title' is a category: TreeRanker(categorical=['title'])"
    )


LISTS = {
    "lists": [[1.0, 2.0]] * 4,
    "arrays": [np.ones(2)] * 4,
    "one number each": [[1.0]] * 4,
    "polars": pl.Series([[1.0, 2.0]] * 4),
    "arrow": pa.FixedSizeListArray.from_arrays(pa.array(np.ones(8)), 2),
    "tensors of arrow": pa.FixedShapeTensorArray.from_numpy_ndarray(np.ones((4, 2))),
}


@pytest.mark.parametrize("cells", LISTS.values(), ids=LISTS)
def test_lists_in_cells_are_told_what_to_make_of_them(cells: Any) -> None:
    columns = {"query_id": [1, 1, 2, 2], "relevance": [0, 1, 0, 1], "emb": cells}
    make = {pl.Series: pl.DataFrame, list: pd.DataFrame}.get(type(cells), pa.table)
    advice = "; or write each number of 'emb' in its own column, or one number, as the similarity to the query"
    assert said_of(lambda: features_from_frame(make(columns), doc_id=None)) == (
        f"features: column 'emb' (lists) holds no numbers; leave it out: frame.drop(columns='emb'){advice}"
    )
    assert refusal(make(columns)) == (
        "column 'emb' (row 0: a list) of X holds something other than numbers; leave it out "
        f"(frame.drop(columns='emb')){advice}"
    )


def test_a_table_without_rows_so_far_is_refused() -> None:
    assert "give X.collect()" in refusal(pl.DataFrame({"a": [1.0]}).lazy())
    dask = pytest.importorskip("dask.dataframe")
    assert "call fit_dask, or give X.compute()" in refusal(dask.from_pandas(FRAME, npartitions=2))


@pytest.mark.parametrize("query", [np.nan, None, pd.NA])
def test_a_missing_query_is_named_by_its_row(query: Any) -> None:
    queries = pd.Series(np.repeat(np.arange(20), 20), dtype="float" if query is np.nan else "object")
    queries[[45, 50]] = query
    with pytest.raises(InputError, match=r"^training data: qid: row 45: the query is missing \(2 of 400 rows\)$"):
        TreeRanker("lambdarank:GAP").fit(FRAME.assign(qid=queries), GRADES)


def test_sizes_that_do_not_add_up_say_what_they_are() -> None:
    with pytest.raises(InputError, match="the queries have 380 rows, the data has 400: their sizes do not add up"):
        TreeRanker("lambdarank:GAP").fit(FRAME, GRADES, group=[20] * 19)


def test_a_category_stays_one() -> None:
    """Numbers that are categories are not taken for their codes, nor codes for numbers."""
    pytest.importorskip("lightgbm")
    coloured = FRAME.assign(b=FRAME["b"].astype("category"))
    settings: dict[str, Any] = {"epochs": 3, "min_rows": 5}
    by_category = TreeRanker("lambdarank:GAP", **settings).fit(coloured, GRADES, group=SIZES)
    by_number = TreeRanker("lambdarank:GAP", **settings).fit(FRAME, GRADES, group=SIZES)
    with pytest.raises(InputError, match=r"'b' of X was a category in training \(of 10, 20, 30 \.\.\.\), and is none"):
        by_category.predict(FRAME)
    with pytest.raises(InputError, match="'b' of X is a category, and in training it was numbers"):
        by_number.predict(coloured)
    codes = FRAME.assign(b=coloured["b"].cat.codes)
    by_code = TreeRanker("lambdarank:GAP", categorical=["b"], **settings).fit(codes, GRADES, group=SIZES)
    assert (by_code.predict(codes) == by_category.predict(coloured)).all()
    with pytest.raises(InputError, match="in training it was codes of a category"):
        by_code.predict(coloured)
    with pytest.raises(InputError, match="'b' of X is a category"):
        by_number.fit(FRAME, GRADES, group=SIZES, eval_set=(coloured, GRADES), eval_group=SIZES)


SHUFFLED = FRAME.assign(grade=GRADES.astype(int), topic=np.repeat(rng.permutation(20), 20)).sample(
    frac=1, random_state=5
)
WEIGHTS = pd.Series(rng.integers(1, 5, 400).astype(float))
LISTED: dict[str, Any] = {
    "numbers": lambda topic: topic,
    "text": lambda topic: topic.map(str),
    "objects": lambda topic: topic.astype(object),
}


@pytest.mark.parametrize("given", ["query=", "qid=", "column"])
@pytest.mark.parametrize("listed", LISTED)
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("kind", [TreeRanker, LinearRanker])
def test_shuffled_rows_train_the_ranker_of_rows_sorted_by_query(
    kind: Any, library: str, listed: str, given: str
) -> None:
    frame = SHUFFLED.assign(topic=LISTED[listed](SHUFFLED["topic"]), weight=WEIGHTS)
    in_order = frame.sort_values("topic", kind="stable")
    make = {"pandas": lambda one: one, "polars": pl.from_pandas, "arrow": lambda one: pa.Table.from_pandas(one)}[
        library
    ]
    rankers = []
    for rows in (frame, in_order):
        table = make(rows[["a", "b", "topic", "grade"]].reset_index(drop=True))
        valid: Any = {}
        if given == "query=":
            data, named = (table, table), {"query": "topic", "label": "grade"}
        else:
            bare = make(rows[["a", "b"]].reset_index(drop=True))
            queries, grades = rows["topic"].to_numpy(), rows["grade"].to_numpy()
            named = {"qid": queries}
            valid = {"eval_set": [(bare, grades)], "eval_qid": [queries]}
            if given == "column":
                bare = make(rows[["a", "b"]].assign(qid=rows["topic"]).reset_index(drop=True))
                named, valid = {}, {"eval_set": [(bare, grades)]}
            data = (bare, grades)
        ranker = kind("lambdarank:GAP", epochs=4, **({"min_rows": 5} if kind is TreeRanker else {}))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", SplitQueriesWarning)
            ranker.fit(*data, sample_weight=rows["weight"].to_numpy(), **named, **valid)
        split = [str(one.message) for one in said if one.category is SplitQueriesWarning]
        assert len(split) == (2 if rows is frame else 0)  # training data and validation data
        assert all("all rows were sorted by query" in one for one in split)
        rankers.append(ranker)
    assert rankers[0].curve == rankers[1].curve
    X = SHUFFLED[["a", "b"]].to_numpy()
    np.testing.assert_array_equal(rankers[0].predict(X), rankers[1].predict(X))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sample_weight": np.ones(20)}, "sample_weight[20] for 400 rows, which were sorted by query"),
        ({"position": np.ones(20, int)}, "position[20] for 400 rows, which were sorted by query"),
        ({"query": "topics"}, "query='topics' is no column of the frame (did you mean topic?)"),
        ({"label": None}, "fit takes Features, X and y, or a frame of pandas, Polars or Arrow; query= and label= name"),
        ({"qid": np.ones(400)}, "query= names the column with the queries: leave group=, qid="),
        ({"X": np.ones((4, 2))}, "a frame of pandas, Polars or Arrow; query= and label= name its columns"),
    ],
)
@pytest.mark.filterwarnings("ignore::gradeval.SplitQueriesWarning")
def test_a_frame_that_does_not_fit_is_refused(given: dict[str, Any], said: str) -> None:
    named = {"X": SHUFFLED, "query": "topic", "label": "grade"} | given
    assert said in said_of(lambda: TreeRanker("lambdarank:GAP", epochs=1).fit(named.pop("X"), **named))


def test_a_scorer_takes_the_scores_of_shuffled_rows_with_their_rows() -> None:
    ranker = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5).fit(
        SHUFFLED.sort_values("topic"), query="topic", label="grade"
    )
    rows = SHUFFLED[["a", "b"]].assign(qid=SHUFFLED["topic"])
    with pytest.warns(SplitQueriesWarning):
        found = make_scorer("GAP")(ranker, rows, SHUFFLED["grade"])
    apart = rows.assign(grade=SHUFFLED["grade"], score=ranker.predict(rows[["a", "b"]])).sort_values("qid")
    whole = Features.from_arrays(
        apart[["a", "b"]].to_numpy(), apart["grade"].to_numpy(), topics=apart["qid"].to_numpy()
    )
    scores = evaluate(whole.qrels, whole.run(apart["score"].to_numpy()), "GAP", ties="expected")
    assert found == pytest.approx(scores.mean()[0, 0], abs=1e-12)


def test_a_scorer_leaves_words_to_the_estimator() -> None:
    words = np.array(["red", "blue", "green"])[rng.integers(0, 3, 400)]
    frame = SHUFFLED.sort_values("topic").assign(colour=words)
    train, y = frame.drop(columns=["grade", "topic"]).assign(qid=frame["topic"]), frame["grade"]
    ranker = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5, categorical=["colour"]).fit(train, y)
    coded = train.assign(colour=pd.Categorical(words))
    same = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5).fit(coded, y)
    assert make_scorer("GAP")(ranker, train, y) == make_scorer("GAP")(same, coded, y)
    assert said_of(lambda: make_scorer("GAP")(ranker, train, y, qid=frame["topic"])).startswith("test data: qid= and")


def frame_with(name: str, values: Any) -> Any:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.normal(size=200), "query": np.repeat(np.arange(20), 10)})
    return frame.assign(grade=rng.integers(0, 3, 200), **{name: values})


IDS = {"text": [f"d{row}" for row in range(200)], "number": np.arange(200)}


@pytest.mark.parametrize("kind", [*IDS, "category"])
@pytest.mark.parametrize("name", ["doc", "docid", "Document", "did", "doc-id", "docno"])
def test_a_column_that_names_the_documents_is_no_feature(name: str, kind: str) -> None:
    values = pd.Categorical(IDS["text"]) if kind == "category" else IDS[kind]
    frame, train = frame_with(name, values), {"query": "query", "label": "grade"}
    with pytest.warns(FeaturesWarning, match="names the documents") as told:
        ranker = TreeRanker("GAP", epochs=3).fit(frame, frame.assign(query=frame["query"] + 20), **train)
    assert len(told) == 1
    assert ranker.feature_names_in_.tolist() == ["a"]
    without = TreeRanker("GAP", epochs=3).fit(frame[["a", "query", "grade"]], **train)
    assert np.array_equal(ranker.predict(frame), without.predict(frame[["a"]]))
    assert np.array_equal(ranker.predict(frame), ranker.predict(frame[["a"]]))


def test_x_and_y_leave_out_a_column_of_documents_too() -> None:
    frame = frame_with("docid", IDS["number"])
    X, y, qid = frame[["a", "docid"]], frame["grade"], frame["query"]
    with pytest.warns(FeaturesWarning, match="'docid' names the documents") as told:
        ranker = TreeRanker("GAP", epochs=3).fit(X, y, qid=qid, eval_set=(X, y), eval_qid=qid + 20)
    assert len(told) == 1
    assert ranker.feature_names_in_.tolist() == ["a"]
    assert np.array_equal(ranker.predict(X), TreeRanker("GAP", epochs=3).fit(X[["a"]], y, qid=qid).predict(X[["a"]]))


@pytest.mark.parametrize("kind", [int, str])
@pytest.mark.parametrize("how", ["group", "qid", "column"])
@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
def test_a_column_that_names_the_queries_once_more_is_no_feature(kind: type, how: str) -> None:
    frame = frame_with("b", np.random.default_rng(4).normal(size=200))
    y, queries = frame.pop("grade"), frame.pop("query")
    given = {"group": {"group": [10] * 20}, "qid": {"qid": queries + 7}, "column": {}}[how]
    plain = frame.assign(qid=queries) if how == "column" else frame
    twice = plain.assign(query_id=queries.astype(kind))
    ranker = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5)
    with pytest.warns(FeaturesWarning) as said:
        ranker.fit(twice, y, eval_set=(twice, y), **{**given, **{f"eval_{name}": one for name, one in given.items()}})
    assert str(said[0].message) == (
        "training data: column 'query_id' names the queries, and is no feature; rename it if it is one"
    )
    assert ranker.feature_names_in_.tolist() == ["a", "b"]
    with warnings.catch_warnings(action="error"):
        assert ranker.predict(twice).tolist() == ranker.predict(frame).tolist()
    other = twice.assign(query_id=np.arange(200) % 5)
    if how == "group":
        with pytest.raises(InputError, match=r"the rows are not in the order of group="):
            ranker.fit(other, y, **given)
        return
    with pytest.warns(FeaturesWarning, match="read as a feature, though named like an id") as said:
        assert "query_id" in ranker.fit(other, y, **given).feature_names_in_
    assert "or name the queries: --columns query=query_id (qid= or query= in Python)" in str(said[0].message)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("kind", [int, str])
@pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")
def test_rows_in_another_order_than_group_has_are_refused_and_the_advice_works(
    make: Callable[[Any], Any], kind: type
) -> None:
    frame = frame_with("b", np.random.default_rng(4).normal(size=200))
    frame["query_id"] = (frame.pop("query") + 100).astype(kind)
    shuffled = frame.sample(frac=1, random_state=3).reset_index(drop=True)
    y, group, X = np.asarray(shuffled.pop("grade")), [10] * 20, make(shuffled)
    ranker = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5)
    advice = "qid=X['query_id'] instead of group="
    said = said_of(lambda: ranker.fit(X, y, group=group))
    queries = shuffled["query_id"].astype(str)
    start = f"training data: the rows are not in the order of group=: give {advice}, or sort the rows; column "
    assert said == (
        f"{start}'query_id' has '{queries[0]}' and '{queries[1]}' in group 1; rename it if it names no queries"
    )
    trained = eval(f"ranker.fit(X, y, {advice.split()[0]})", {"ranker": ranker, "X": X, "y": y})
    assert trained.feature_names_in_.tolist() == ["a", "b"]
    plain = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5).fit(
        shuffled[["a", "b"]], y, qid=np.asarray(shuffled.query_id)
    )
    assert np.array_equal(trained.predict(X), plain.predict(shuffled[["a", "b"]]))
    how = {"qid": X["query_id"], "eval_set": (X, y), "eval_group": group}
    assert "give eval_qid=X['query_id'] instead of eval_group=" in said_of(lambda: ranker.fit(X, y, **how))
    how["eval_qid"] = X["query_id"]
    ranker.fit(X, y, **{name: one for name, one in how.items() if name != "eval_group"})


def test_a_query_that_groups_cut_is_said_and_users_may_be_in_many_groups() -> None:
    frame = frame_with("b", np.random.default_rng(4).normal(size=200))
    y, queries = frame.pop("grade"), frame.pop("query")
    ranker = TreeRanker("lambdarank:GAP", epochs=3, min_rows=5)
    said = said_of(lambda: ranker.fit(frame.assign(topic=queries // 2), y, group=[10] * 20))
    assert "column 'topic' has '0' in groups 1 and 2; rename it" in said
    with pytest.warns(FeaturesWarning, match="user_id: read as a feature"):
        ranker.fit(frame.assign(user_id=np.arange(200) % 7), y, group=[10] * 20)


def test_predict_passes_over_the_same_columns_after_loading(tmp_path: Path) -> None:
    frame = frame_with("b", IDS["number"])
    ranker = TreeRanker("GAP", epochs=3).fit(frame, query="query", label="grade")
    ranker.save(tmp_path / "model")
    assert np.array_equal(load_ranker(tmp_path / "model").predict(frame), ranker.predict(frame[["a", "b"]]))
    with pytest.warns(FeaturesWarning, match="X: c: left out"):
        assert np.array_equal(ranker.predict(frame.assign(c=1)), ranker.predict(frame))


def test_a_category_with_a_value_for_each_row_is_refused_as_an_id() -> None:
    frame = frame_with("colour", pd.Categorical(IDS["text"]))
    with pytest.raises(InputError, match=r"frame.drop\(columns='colour'\)"):
        TreeRanker("GAP", epochs=3).fit(frame, query="query", label="grade")
    with pytest.raises(
        InputError, match=r"column 'colour' \(row 0: .* of X holds something other than numbers; leave it out"
    ):
        TreeRanker("GAP", epochs=3).fit(frame_with("colour", IDS["text"]), query="query", label="grade")


def test_fit_says_which_queries_of_a_frame_are_in_both_training_and_validation() -> None:
    frame, train = frame_with("b", IDS["number"]), {"query": "query", "label": "grade"}
    with pytest.warns(FeaturesWarning, match=r"20 topics .* are in both the training and the validation data"):
        TreeRanker("GAP", epochs=2).fit(frame, frame, **train)
    with pytest.warns(FeaturesWarning, match=r"1 topic \(19\)|1 topic.*19"):
        TreeRanker("GAP", epochs=2).fit(frame, frame.assign(query=frame["query"] + 19), **train)


@pytest.mark.parametrize("how", [{}, {"query": "qid", "label": "grade"}, {"qid": [1]}])
def test_a_file_is_to_be_read_first(how: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^train.csv: is the name of a file; read it first"):
        TreeRanker("lambdarank:AP").fit("train.csv", **how)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(("query", "label"), [("query_id", "label"), ("qid", "grade"), ("Topic", "rel")])
def test_the_advice_for_frames_names_their_own_columns_and_works(
    make: Callable[[Any], Any], query: str, label: str
) -> None:
    train = make({query: np.repeat(np.arange(20), 20), label: np.asarray(GRADES, int), "a": FRAME["a"].to_numpy()})
    valid, ranker = train[:100], LinearRanker("nDCG", epochs=1)
    for given, there in (((train,), "frame"), ((train, valid), "train, valid")):
        said = said_of(lambda given=given: ranker.fit(*given))
        code = f"fit({there}, query={query!r}, label={label!r})"
        assert said.endswith(f"of frames give {code}")
        eval(f"ranker.{code}", {"ranker": ranker, "frame": train, "train": train, "valid": valid})
    said = said_of(lambda: ranker.fit(train, label=label))
    assert said.endswith(f"as in fit(frame, query={query!r}, label={label!r})")


def test_a_column_that_is_not_known_is_left_to_the_user_to_name() -> None:
    assert said_of(lambda: LinearRanker("nDCG").fit(FRAME)).endswith("fit(frame, query=NAME, label=NAME)")
