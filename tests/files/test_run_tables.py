"""Tables of several runs, and of parts, put together: what each has, in order, with its ranks."""

from __future__ import annotations

from math import isnan
from typing import TypeAlias

import pytest
from refusing import said_of

from gradeval._core import Pools
from gradeval.files.run_tables import PartTopics, TablesOfPart, merge_named, merge_parts, part_of_pools, require_apart
from gradeval.files.source import Source

Values: TypeAlias = dict[str, dict[str, float]]


def in_part(place: str, values: Values, ranks: dict[str, list[float]] | None = None) -> TablesOfPart:
    return place, {"": (values, ranks or {})}


def test_parts_are_put_together_in_their_order_with_their_ranks() -> None:
    parts = [
        in_part("a", {"q": {"d": 1.0}}),
        in_part("b", {"q": {"e": 2.0}, "r": {"d": 3.0}}, {"q": [4.0], "r": [1.0]}),
    ]
    values, ranks = merge_parts([*parts, in_part("c", {"r": {"x": 0.5}})], Source("folder"), "run")[""]
    assert values == {"q": {"d": 1.0, "e": 2.0}, "r": {"d": 3.0, "x": 0.5}}
    assert [list(documents) for documents in values.values()] == [["d", "e"], ["d", "x"]]
    assert [[None if isnan(rank) else rank for rank in listed] for listed in ranks.values()] == [[None, 4], [1, None]]


def test_a_pair_in_two_parts_is_refused_unless_it_may_repeat() -> None:
    parts = [in_part("a", {"q": {"d": 1.0}}), in_part("b", {"q": {"e": 1.0}}), in_part("c", {"q": {"e": 2.0}})]
    assert "document 'e' of topic 'q' is in b and in c" in said_of(
        lambda: merge_parts(parts, Source("folder"), "qrels")
    )
    values, _ = merge_parts(parts, Source("folder", repeated="mean"), "qrels")[""]
    assert [(str(document), value) for document, value in values["q"].items()] == [("d", 1), ("e", 1), ("e", 2)]


def test_parts_without_a_name_among_parts_with_one_are_refused() -> None:
    named: TablesOfPart = ("a", {"oak": ({"q": {"d": 1.0}}, {})})
    assert said_of(lambda: merge_parts([named, in_part("b", {"q": {"e": 1.0}})], Source("folder"), "qrels")).startswith(
        "b: no"
    )


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ([("a",), ("b",)], ["a", "b"]),
        ([("a",), ("",)], ["a"]),
        ([("",)], [""]),
        ([("a", "1"), ("a", "2")], ["1", "2"]),
        ([("a", "1"), ("a", "")], ["a"]),
        ([("a", "1"), ("b", "1"), ("b", "2")], ["a 1", "b 1", "b 2"]),
    ],
)
def test_lines_are_of_the_run_that_their_columns_name(keys: list[tuple[str, ...]], names: list[str]) -> None:
    tables = {key: ({"q": {f"d{number}": 1.0}}, {}) for number, key in enumerate(keys)}
    merged = merge_named(tables, ["run", "tag"][: len(keys[0])], "run", "x.csv")
    assert list(merged) == names
    assert sum(len(values["q"]) for values, _ in merged.values()) == len(keys)


def test_documents_of_a_topic_are_in_one_part() -> None:
    pools = [Pools.of_mapping(one, "x") for one in ({"q": {"d": 1}, "r": {"d": 1}}, {"r": {"e": 1}}, {"s": {"d": 1}})]
    parts = [part_of_pools(one, str(number)) for number, one in enumerate(pools)]
    require_apart("folder", parts)
    more = PartTopics("3", ["r"], {"r": {"x": 1.0, "e": 2.0}}.__getitem__)
    assert "document 'e' of topic 'r' is in 1 and in 3" in said_of(lambda: require_apart("folder", [*parts, more]))
