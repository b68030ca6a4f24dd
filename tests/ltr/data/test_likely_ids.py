"""Features that may be ids: told by their names, and by numbers that no two documents of a topic share."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gradeval import Features, FeaturesWarning, InputError, features_from_frame
from gradeval.ltr import TreeRanker, crossval
from gradeval.ltr.data.likely_ids import find_likely_ids

RANDOM = np.random.default_rng(5)
TOPICS, SIZE = 120, 12
ROWS = TOPICS * SIZE
TOPIC = np.repeat(np.arange(TOPICS), SIZE)
GRADES = RANDOM.integers(0, 3, ROWS)
OFFERS = np.concatenate([RANDOM.permutation(300)[:SIZE] for _ in range(TOPICS)])
"""The numbers of offers: others within a topic, the same ones in many topics."""

COLUMNS: dict[str, Any] = {
    "offers": OFFERS,
    "rows of the file": np.arange(ROWS),
    "prices": np.round(RANDOM.lognormal(5, 1, ROWS)),
    "bytes": np.round(RANDOM.lognormal(12, 2, ROWS)),
    "years": RANDOM.integers(1950, 2025, ROWS),
    "times": RANDOM.integers(1_500_000_000, 1_700_000_000, ROWS),
    "places": np.tile(np.arange(SIZE), TOPICS),
    "of the topic": TOPIC // 2,
    "parts": OFFERS + 0.5,
    "flags": GRADES > 1,
}


def with_feature(values: Any, name: str) -> Features:
    X = np.column_stack([RANDOM.normal(size=ROWS) + GRADES, values])
    return Features.from_arrays(X, GRADES, sizes=[SIZE] * TOPICS, columns=["bm25", name], name="train")


@pytest.mark.parametrize("kind", COLUMNS)
def test_numbers_that_no_two_documents_of_a_topic_share_are_asked_about(kind: str) -> None:
    found = find_likely_ids(with_feature(COLUMNS[kind], "x"))
    assert found == ([], [], ["x"] if kind in ("offers", "rows of the file") else [])


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("name", ["unit_id", "itemNo", "user_id"])
def test_names_of_ids_count_where_numbers_are_whole(kind: str, name: str) -> None:
    apart = kind in ("offers", "rows of the file", "bytes", "times")
    found = find_likely_ids(with_feature(COLUMNS[kind], name))
    if kind in ("parts", "flags"):
        assert found == ([], [], [])
    elif kind != "prices":  # of which some topics have one twice, and some have not
        assert found == (([name], [], []) if apart else ([], [name], []))


def test_few_rows_tell_nothing_certain() -> None:
    few = with_feature(OFFERS, "unit_id").select(["1", "2"])
    assert find_likely_ids(few) == ([], ["unit_id"], [])
    assert find_likely_ids(with_feature(OFFERS, "x").select(["1", "2"])) == ([], [], [])


def test_categories_are_no_ids_here() -> None:
    assert find_likely_ids(with_feature(OFFERS, "unit_id"), ["unit_id"]) == ([], [], [])


FRAME = pd.DataFrame({"query": TOPIC, "grade": GRADES, "bm25": RANDOM.normal(size=ROWS) + GRADES, "unit_id": OFFERS})


@pytest.mark.parametrize(
    "train",
    [
        lambda frame: TreeRanker("GAP", epochs=2).fit(frame, query="query", label="grade"),
        lambda frame: crossval(frame, ["GAP"], "GAP", "tree", query="query", label="grade", folds=3, epochs=2),
        lambda frame: TreeRanker("GAP", epochs=2).fit(features_from_frame(frame, query_id="query", relevance="grade")),
        lambda frame: TreeRanker("GAP", epochs=2).fit(frame.iloc[:, 2:], frame.grade, qid=frame["query"]),
    ],
    ids=["fit of a frame", "crossval", "fit of features", "fit of X and y"],
)
def test_every_door_asks_in_the_same_words(train: Any) -> None:
    said = (
        "unit_id is named like an id, with another number for each document of a topic, which a ranker would learn by "
        r"heart; leave it out: add --leave-out unit_id \(frame.drop\(columns='unit_id'\) in Python\); or name the "
    )
    with pytest.raises(InputError, match=said):
        train(FRAME)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        train(FRAME.rename(columns={"unit_id": "listing"}))
    texts = {str(one.message) for one in told if one.category is FeaturesWarning and "listing" in str(one.message)}
    [text] = texts
    assert "listing: read as a feature, though another whole number for each document of a topic, as ids and " in text
