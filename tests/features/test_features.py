"""Features: rows of queries, as judgments, as runs, in parts."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from refusing import said_of

from gradeval import AP, InputError, evaluate
from gradeval.features.features import Features


def some(sizes: Sequence[int] = (3, 2), *, width: int = 2, start: int = 0, name: str = "f.txt") -> Features:
    """Features whose numbers are all different; topics are called from ``start`` + 1 on, documents d0, d1 ..."""
    rows = sum(sizes)
    return Features.from_arrays(
        np.arange(start * 100, start * 100 + rows * width).reshape(rows, width),
        np.arange(rows) % 3,
        topics=np.repeat(np.arange(start + 1, start + len(sizes) + 1), sizes),
        docs=[f"d{row}" for row in range(rows)],
        name=name,
    )


def test_arrays_become_features() -> None:
    features = some()
    assert features.X.dtype == np.float32
    assert features.X.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    assert features.grades.tolist() == [0, 1, 2, 0, 1]
    assert (features.topics, features.offsets.tolist()) == (["1", "2"], [0, 3, 5])
    assert (features.docs, features.columns) == (["d0", "d1", "d2", "d3", "d4"], ("1", "2"))
    assert (features.levels, len(features)) == ((0, 1, 2), 5)
    assert repr(features) == "Features('f.txt', 2 topics, 5 rows, 2 features (1 to 2), levels 0,1,2)"


def test_sizes_stand_in_for_topics() -> None:
    features = Features.from_arrays(np.zeros((3, 1)), [0, 1, 0], sizes=[1, 2])
    assert (features.topics, features.offsets.tolist()) == (["1", "2"], [0, 1, 3])


def test_arrays_are_copied() -> None:
    X, grades = np.zeros((2, 1), np.float32), np.array([0.0, 1.0])
    features = Features.from_arrays(X, grades, sizes=[2])
    X[0], grades[0] = 5, 5
    assert (features.X[0, 0], features.grades[0]) == (0, 0)


X = np.zeros((2, 1))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([[1], [2, 3]], [0, 1]), "f: X: 'list' is no array; give numbers of one shape"),
        (([["a"], ["b"]], [0, 1]), "f: X: <U1 are not numbers; "),
        (([1.0, 2.0], [0, 1]), "f: X[2] and grades[2] do not fit; "),
        ((X, [0, 1, 2]), "f: X[2, 1] and grades[3] do not fit; "),
        (([[0], [-np.inf]], [0, 1]), "f: row 1: a feature is infinite; "),
        ((X, [0, -1]), "f: row 1: grade -1 is negative; "),
        ((X, [0, np.nan]), "f: grades[1] is nan; give finite numbers"),
        ((X, ["a", "b"]), "f: grades: <U1 are not numbers; "),
    ],
)
def test_arrays_that_are_no_features(given: tuple[Any, Any], said: str) -> None:
    assert said_of(Features.from_arrays, *given, sizes=[2], name="f").startswith(said)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({}, "f: give either topics= "),
        ({"topics": [1, 1], "sizes": [2]}, "f: give either topics= "),
        ({"topics": [1]}, "f: 1 topics for 2 rows; "),
        ({"topics": [1.0, 1.0]}, "f: 1.0 is no id; "),
        ({"sizes": [1]}, "f: sizes: the queries have 1 rows, the data has 2: their sizes do not add up; "),
        ({"sizes": [2, 0]}, "f: sizes[1] is 0; "),
        ({"sizes": [0.5, 1.5]}, "f: sizes: float64[2] is not a list of whole numbers; "),
        ({"sizes": [2], "docs": ["a"]}, "f: 1 documents for 2 rows; "),
        ({"sizes": [2], "columns": ["a", "b"]}, "f: 2 names for 1 features; "),
        ({"sizes": [2], "columns": [1.5]}, "f: 1.5 is no name of a feature; names are text or whole numbers"),
        ({"sizes": [2], "columns": [None]}, "f: None is no name of a feature; "),
    ],
)
def test_what_goes_with_arrays_must_fit(named: dict[str, Any], said: str) -> None:
    assert said_of(Features.from_arrays, X, [0, 1], name="f", **named).startswith(said)


@pytest.mark.parametrize("columns", [[3, 4], np.array([3, 4]), np.array(["3", "4"])])
def test_features_may_be_named_by_whole_numbers_which_are_text_from_there_on(columns: Any) -> None:
    features = Features.from_arrays(np.array([[1.0, 5.0]]), [1], sizes=[1], columns=columns)
    assert features.columns == ("3", "4")
    assert [type(column) for column in features.columns] == [str, str]
    assert features.column(4).tolist() == [5.0]


def test_scattered_rows_of_a_query_are_refused() -> None:
    assert said_of(Features.from_arrays, np.zeros((3, 1)), [0, 0, 0], topics=["a", "b", "a"], name="f") == (
        "f: row 2: query a comes again, it began in row 0; the rows of a query stand together: sort them by query"
    )


def test_grades_are_judgments() -> None:
    qrels = some().qrels
    assert {topic: qrels.of(topic) for topic in qrels.topics} == {
        "1": {"d0": 0, "d1": 1, "d2": 2},
        "2": {"d3": 0, "d4": 1},
    }
    assert qrels.name == "f.txt"


def test_documents_without_a_name_are_called_by_topic_and_row() -> None:
    features = Features.from_arrays(np.zeros((4, 1)), [0, 1, 0, 1], topics=["a", "a", "b", "b"], docs=["", "x", "", ""])
    assert features.docs == ["a-1", "x", "b-1", "b-2"]
    assert features.qrels.of("a") == {"a-1": 0, "x": 1}
    assert features.select("b").docs == ["b-1", "b-2"]


def test_a_document_twice_in_a_topic_cannot_be_judged() -> None:
    features = Features.from_arrays(X, [0, 1], sizes=[2], docs=["d", "d"], name="f")
    with pytest.raises(InputError, match=r"^f: row 1: document 'd' of topic 1 was already judged in row 0"):
        _ = features.qrels


def test_a_feature_is_a_run_by_number_or_name() -> None:
    features = some()
    assert features.run(2).of("1") == {"d0": 1, "d1": 3, "d2": 5}
    assert features.run("2").name == "f.txt#2"
    named = Features.from_arrays(features.X, features.grades, sizes=[3, 2], columns=["bm25", "length"], name="a/f.txt")
    assert (named.run("bm25").name, named.run("bm25").place) == ("f.txt#bm25", "a/f.txt#bm25")
    assert said_of(features.run, 3) == "f.txt: no feature 3 among its 2 (1 to 2)"


def test_scores_are_a_run() -> None:
    features = some()
    run = features.run([5, 4, 3, 2, 1], name="mine")
    assert (run.name, run.of("2")) == ("mine", {"d3": 2, "d4": 1})
    assert said_of(features.run, [1, 2]) == "f.txt: scores[2] for 5 rows; give one for each row"
    assert said_of(features.run, [1, 2, np.nan, 4, 5]).startswith("f.txt: scores[2] is nan; ")


def test_equal_scores_stay_in_the_order_of_the_rows_where_ties_are_by_order() -> None:
    features = Features.from_arrays(np.zeros((3, 1)), [0, 0, 1], sizes=[3], docs=["a", "b", "c"])
    run = features.run(1)
    assert evaluate(features.qrels, run, [AP], ties="order").values.item() == 1 / 3
    assert evaluate(features.qrels, run, [AP], ties="docid").values.item() == 1


def test_features_evaluate_as_their_judgments_and_scores_by_hand() -> None:
    features = some((4, 3, 2))
    scores = [0.1, 0.4, 0.2, 0.9, 0.5, 0.6, 0.7, 0.3, 0.8]
    table: dict[str, dict[str, float]] = {}
    for topic, (begin, end) in zip(features.topics, pairwise(features.offsets), strict=True):
        table[topic] = dict(zip(features.docs[begin:end], scores[begin:end], strict=True))
    qrels = {topic: features.qrels.of(topic) for topic in features.topics}
    mine = evaluate(features.qrels, features.run(scores), "AP GAP nDCG@2")
    assert np.array_equal(mine.values, evaluate(qrels, table, "AP GAP nDCG@2").values)


def test_chosen_topics_keep_the_order_of_the_data_and_the_levels() -> None:
    features = some((3, 2, 1, 4))
    chosen = features.select(["4", "2"])
    assert (chosen.topics, chosen.offsets.tolist()) == (["2", "4"], [0, 2, 6])
    assert chosen.X.tolist() == features.X[[3, 4, 6, 7, 8, 9]].tolist()
    assert chosen.docs == ["d3", "d4", "d6", "d7", "d8", "d9"]
    assert features.select("2").levels == (0, 1, 2)
    assert features.select("2").qrels.levels == (0, 1, 2)
    assert said_of(features.select, ["5", "6"]) == "f.txt: no topic '5' (and 1 more) among its 4 topics"


def test_no_topics_are_features_too() -> None:
    none = some().select([])
    assert (len(none), none.docs, none.qrels.topics, none.X.shape) == (0, [], [], (0, 2))


def test_levels_may_be_declared() -> None:
    assert some().with_levels([0, 1, 2, 3]).qrels.levels == (0, 1, 2, 3)
    with pytest.raises(InputError, match="grade 2 is not one of the levels 0,1"):
        some().with_levels([0, 1])


def test_other_grades_bring_their_levels() -> None:
    features = some().with_grades([0, 0.5, 0, 2, 0])
    assert (features.levels, features.qrels.of("1")["d1"]) == ((0, 0.5, 2), 0.5)
    for grades in ([1], [1, 2, 3, 4, -1]):
        assert said_of(some().with_grades, grades).startswith("f.txt: give one grade for each of its 5 rows")


def test_parts_make_a_whole() -> None:
    whole = some((3, 2, 4))
    parts = [whole.select("1"), whole.select(["2", "3"])]
    joined = Features.concat(parts, name="all")
    assert np.array_equal(joined.X, whole.X)
    assert (joined.topics, joined.offsets.tolist(), joined.docs) == (whole.topics, whole.offsets.tolist(), whole.docs)
    assert (joined.name, joined.levels, Features.concat(parts).name) == ("all", whole.levels, "f.txt + f.txt")


def test_topics_that_are_known_by_their_sizes_alone_are_numbered_on() -> None:
    """As of two files with groups: each calls its topics 1, 2 ..."""
    rows = np.arange(24.0).reshape(12, 2)
    one = Features.from_arrays(rows[:5], [0, 1, 2, 0, 1], sizes=[3, 2])
    other = Features.from_arrays(rows[5:8], [1, 0, 2], sizes=[1, 2])
    named = Features.from_arrays(rows[8:11], [1, 0, 1], topics=["2", "q", "q"])
    joined = Features.concat([one, other])
    assert (joined.topics, joined.X.tolist(), joined.numbered) == (["1", "2", "3", "4"], rows[:8].tolist(), True)
    assert joined.select(["3", "4"]).X.tolist() == other.X.tolist()
    mixed = Features.concat([one, other, named])
    assert (len({*mixed.topics}), mixed.topics[-2:]) == (6, ["2", "q"])
    assert mixed.select("q").X.tolist() == rows[9:11].tolist()
    assert Features.concat([one.select("1"), one.select("2")]).topics == ["1", "2"]
    assert said_of(Features.concat, [one, other, one]).endswith("give each topic once")


def test_a_part_that_lacks_the_last_features_has_zeros_there() -> None:
    joined = Features.concat([some((1,), width=1, name="a"), some((1,), width=3, start=1, name="b")])
    assert joined.X.tolist() == [[0, 0, 0], [100, 101, 102]]
    assert joined.columns == ("1", "2", "3")


def test_parts_that_do_not_fit_are_refused() -> None:
    assert said_of(Features.concat, [some(name="a"), some(name="b")]) == (
        "b: topic 1 is in a already; give each topic once"
    )
    other = Features.from_arrays(X, [0, 1], sizes=[2], columns=["0"], name="b")
    assert said_of(Features.concat, [some(), other]) == (
        "b: its features (0) differ from the other parts; give all parts the same"
    )
    assert said_of(Features.concat, []).startswith("no features to concatenate")


@pytest.mark.parametrize("looked_at", [False, True])
def test_features_survive_pickle_and_copies(looked_at: bool) -> None:
    features = some((3, 2, 4), name="f.txt#x")
    if looked_at:  # what was worked out on the way comes along
        assert len(features.qrels) == len(features.docs)
    expected = evaluate(features.qrels, features.run(1), AP).values.tobytes() if looked_at else None
    for again in (pickle.loads(pickle.dumps(features)), copy.deepcopy(features), copy.copy(features)):
        assert (again.X.tobytes(), again.grades.tobytes()) == (features.X.tobytes(), features.grades.tobytes())
        assert (again.topics, again.docs, again.columns) == (features.topics, features.docs, features.columns)
        assert (again.offsets.tolist(), again.levels, again.name) == (
            features.offsets.tolist(),
            features.levels,
            features.name,
        )
        values = evaluate(again.qrels, again.run(1), AP).values.tobytes()
        assert values == (expected or values)


def test_documents_without_grades_are_ranked_and_not_judged() -> None:
    features = Features.from_arrays(np.array([[2.0], [np.nan], [1.0]]), None, topics=["a", "a", "b"], name="f")
    assert np.isnan(features.grades).all()
    assert features.levels == (0.0, 1.0)
    assert features.run([2.0, 1.0, 3.0]).topics == ["a", "b"]
    said = (
        "f: row 0 (topic a): 3 of 3 documents have no grade; judgments need one for each "
        "(in a table the column relevance or label, or features_from_frame(frame, relevance=NAME))"
    )
    assert said_of(lambda: features.qrels) == said


def test_a_missing_value_has_no_scale() -> None:
    features = Features.from_arrays(np.array([[2.0, 1.0], [np.nan, 1.0]]), [0, 1], sizes=[2], name="f")
    said = said_of(features.scaled, "z-score")
    assert said.startswith(
        "f: feature 1 is NaN (missing) in 1 rows, and 1 of 2 rows miss a feature; a scale takes none"
    )
    assert "impute them" in said


def test_a_feature_with_missing_values_ranks_nothing() -> None:
    features = Features.from_arrays(np.array([[2.0, 1.0], [np.nan, 1.0]]), [0, 1], sizes=[2], name="f")
    assert said_of(features.run, 1).startswith("f: feature 1 is NaN (missing) in 1 rows")
    assert features.column(2).tolist() == [1.0, 1.0]
