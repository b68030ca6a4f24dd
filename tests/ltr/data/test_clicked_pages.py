"""Pages of a click log with the features of their documents."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import Features, InputError
from gradeval.collection.user_clicks import Clicks
from gradeval.ltr import ClickedPages
from gradeval.ltr.data.clicked_pages import take_column

DOCUMENTS = Features.from_arrays(
    [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]],
    [0, 2, 0, 1],
    topics=["t1", "t1", "t1", "t2"],
    docs=["a", "b", "c", "a"],
)


def log(*lines: str) -> Clicks:
    """Clicks of lines of session, topic, document, rank and click."""
    session, topic, document, rank, click = zip(*(line.split() for line in lines), strict=True)
    return Clicks.of(session, topic, document, [int(each) for each in rank], [int(each) for each in click])


def test_a_page_with_a_click_is_a_query_in_the_order_of_its_ranks() -> None:
    clicks = log(
        "s1 t1 b 2 1",
        "s1 t1 a 1 0",
        "s1 t2 a 1 0",  # no click on this page
        "s2 t1 c 1 1",
        "s1 t1 c 3 0",
        "s2 t1 b 2 1",
    )
    pages = ClickedPages.of(DOCUMENTS, clicks)
    assert pages.features.X.tolist() == [[1, 10], [2, 20], [3, 30], [3, 30], [2, 20]]
    assert pages.features.grades.tolist() == [0, 1, 0, 1, 1]
    assert pages.features.offsets.tolist() == [0, 3, 5]
    assert pages.features.docs == ["a", "b", "c", "c", "b"]
    assert pages.position.tolist() == [1, 2, 3, 1, 2]
    assert len(set(pages.features.topics)) == 2
    assert (pages.features.levels, pages.unknown) == ((0, 1), 0)


def test_documents_without_features_are_left_out_and_counted() -> None:
    pages = ClickedPages.of(DOCUMENTS, log("s1 t1 x 1 1", "s1 t1 b 2 1", "s2 t9 a 1 1", "s3 t1 x 1 1", "s3 t1 a 2 0"))
    assert (pages.features.docs, pages.position.tolist(), pages.unknown) == (["b"], [2], 3)


def test_a_log_of_other_documents_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"no click on a document of features; both name .* \('t1', 'a'\) and .*'t1', 'x'"
    ):
        ClickedPages.of(DOCUMENTS, log("s1 t1 x 1 1", "s1 t1 a 2 0"))


def test_a_column_is_taken_out() -> None:
    features, values = take_column(DOCUMENTS, "1")
    assert (features.X.tolist(), features.columns, values.tolist()) == ([[10], [20], [30], [40]], ("2",), [1, 2, 3, 4])
    assert np.array_equal(DOCUMENTS.X[:, 0], values)
    with pytest.raises(InputError, match=r"no column 'rank'; its features are 1, 2$"):
        take_column(DOCUMENTS, "rank")
