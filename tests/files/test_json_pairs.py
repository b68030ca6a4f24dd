"""Pairs of topic and document in JSON and records, whatever else there is."""

from __future__ import annotations

from typing import Any

import pytest

from gradeval.files.json_pairs import pairs_of_mapping


@pytest.mark.parametrize(
    "documents",
    [["a", "b"], ("a", "b"), {"a": 1, "b": 0}, [("a", 0.5), ("b", 0.1)], [{"docid": "a"}, {"id": "b", "text": "x"}]],
)
def test_documents_of_a_topic_are_listed_in_many_ways(documents: Any) -> None:
    assert pairs_of_mapping({"q": documents}, "x") == {"q": {"a": 0.0, "b": 0.0}}
