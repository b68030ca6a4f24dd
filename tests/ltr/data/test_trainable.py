"""Which queries can be learnt from."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import Features, InputError, evaluate, parse_measure
from gradeval.kernels.pairs import pool_of
from gradeval.ltr.data.trainable import (
    are_trainable,
    describe_unlearnable,
    select_without_table,
    trainable_places,
    without_ids,
)

MEASURES = "AP(rel=2) GAP(g=[0.5,0.5]) nDCG@1 RR(rel=2) P(rel=2)@2 DCG ERR RBP Bpref NumRet".split()
LEVELS = (0.0, 1.0, 2.0)


def every_query(longest: int = 3) -> Features:
    """All lists of 1 to 3 grades."""
    lists = [np.array(index) for length in range(1, longest + 1) for index in np.ndindex(*[3] * length)]
    grades = np.concatenate(lists)
    return Features.from_arrays(np.ones((len(grades), 1)), grades, sizes=list(map(len, lists)))


@pytest.mark.parametrize("measure", MEASURES)
def test_queries_are_learnt_from_that_differ_and_are_not_empty_for_the_measure(measure: str) -> None:
    features = every_query()
    vacant = evaluate(features.qrels, features.run(1), measure).vacant[:, 0]
    expected = [
        topic
        for topic, nothing in zip(features.topics, vacant, strict=True)
        if not nothing and len(set(features.select(topic).grades)) > 1
    ]
    places = trainable_places(features, LEVELS, [parse_measure(measure)])
    assert [features.topics[place] for place in places] == expected
    selected, whole = select_without_table(features, places), features.select(expected)
    assert (selected.topics, selected.offsets.tolist()) == (expected, whole.offsets.tolist())
    assert (selected.grades.tolist(), selected.X.shape) == (whole.grades.tolist(), (len(whole), 0))


def test_of_several_measures_one_is_enough() -> None:
    features = every_query()
    alone = [trainable_places(features, LEVELS, [parse_measure(one)]) for one in ("AP(rel=2)", "GAP")]
    both = trainable_places(features, LEVELS, [parse_measure("AP(rel=2)"), parse_measure("GAP")])
    assert both.tolist() == sorted({*alone[0].tolist(), *alone[1].tolist()}) == alone[1].tolist()
    assert len(alone[0]) < len(alone[1])


def test_what_is_to_be_found_may_be_elsewhere_but_the_list_must_differ() -> None:
    listed = pool_of(np.array([[0, 1], [0, 0]]), LEVELS)
    elsewhere = listed + np.array([0, 0, 1])
    measure = parse_measure("AP(rel=2)")
    assert are_trainable(measure, listed, listed, LEVELS).tolist() == [False, False]
    assert are_trainable(measure, listed, elsewhere, LEVELS).tolist() == [True, False]


def test_features_of_one_value_are_named() -> None:
    columns = {"a": [1, 2, 3], "site": [1, 1, 1], "some": [np.nan, 1, 1], "none": [np.nan] * 3}
    table = np.array([*columns.values()]).T
    features = Features.from_arrays(table, [0, 1, 0], topics=["t"] * 3, columns=[*columns])
    assert [*describe_unlearnable(features, None)] == [
        "features site and none have one value in all rows and teach nothing"
    ]
    (said,) = describe_unlearnable(features.leaving_out(["none"]), None)
    assert said == "feature site has one value in all rows and teaches nothing"


def test_a_document_is_its_row() -> None:
    features = Features.from_arrays([[1], [2], [3]], [0, 1, 2], topics=["a", "a", "b"], docs=["x", "x", "y"])
    assert without_ids(features).docs == ["a-1", "a-2", "b-1"]
    assert without_ids(features).run(1).topics == ["a", "b"]


def test_the_error_names_the_measure() -> None:
    features = Features.from_arrays([[1], [2]], [0, 1], sizes=[2], name="low.txt")
    with pytest.raises(InputError, match=r"low.txt: nothing to learn: .* something relevant to AP\(rel=2\)"):
        trainable_places(features, LEVELS, [parse_measure("AP(rel=2)")])
