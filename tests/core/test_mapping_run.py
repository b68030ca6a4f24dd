"""Judgments and runs from Python mappings."""

from __future__ import annotations

import collections
import fractions
import types
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from refusing import said_of

from gradeval._core import InputError, Lines, Pools, judge


def read_back(mapping: Any) -> dict[str, dict[str, float]]:
    lines = Lines.of_mapping(mapping, "run")
    return {topic: lines.of(topic) for topic in lines.topics()}


@pytest.mark.parametrize(
    "score",
    [
        2, 2.0, np.float64(2), np.float32(2), np.float16(2), np.int64(2), np.uint8(2), np.array(2.0),
        fractions.Fraction(2), np.longdouble(2),
    ],
    ids=lambda score: type(score).__name__,
)  # fmt: skip
def test_any_number_is_a_score_and_a_grade(score: Any) -> None:
    assert read_back({"1": {"a": score}}) == {"1": {"a": 2.0}}
    assert Pools.of_mapping({"1": {"a": score}}, "qrels").grades.tolist() == [2.0]


@pytest.mark.parametrize("name", ["", "a b", "tab\there", "line\nfeed", "nul\0", "é", "文書", "x" * 100_000, "#"])
def test_any_str_is_an_id(name: str) -> None:
    given = {name: {name: 1.5, name + "x": 0.5}}
    assert read_back(given) == given
    pools = Pools.of_mapping(given, "qrels")
    assert (pools.topics, pools.documents(0)) == ([name], [name, name + "x"])
    assert judge(pools, [Lines.of_mapping(given, "run")]).document.tolist() == [0, 1]


class Numbers(Mapping[str, float]):
    """A mapping that is no dict."""

    def __init__(self, **items: float) -> None:
        self.items_ = items

    def __getitem__(self, key: str) -> float:
        return self.items_[key]

    def __iter__(self) -> Any:
        return iter(self.items_)

    def __len__(self) -> int:
        return len(self.items_)


def test_any_mapping_will_do() -> None:
    meant = {"1": {"b": 2.0, "a": 1.0}}
    for documents in (Numbers(b=2, a=1), collections.OrderedDict(b=2, a=1), types.MappingProxyType({"b": 2, "a": 1})):
        assert read_back({"1": documents}) == meant
        assert read_back(types.MappingProxyType({"1": documents})) == meant
    assert list(read_back({"1": Numbers(b=2, a=1)})["1"]) == ["b", "a"]


def test_a_run_does_not_change_with_its_mapping() -> None:
    given = {"1": {"a": 1.0}}
    lines = Lines.of_mapping(given, "run")
    given["1"]["a"] = 5.0
    given.clear()
    assert lines.of("1") == {"a": 1.0}


PLACE = "(topic 1, document a)"
NO_NUMBER = f"; accepted are int, float and NumPy numbers {PLACE}"


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"1": {"a": True}}, f"score True is a bool{NO_NUMBER}"),
        ({"1": {"a": np.True_}}, f"score np.True_ is a bool{NO_NUMBER}"),
        ({"1": {"a": "3"}}, f"score '3' is a str{NO_NUMBER}"),
        ({"1": {"a": None}}, f"score None is a NoneType{NO_NUMBER}"),
        ({"1": {"a": 1j}}, f"score 1j is a complex{NO_NUMBER}"),
        ({"1": {"a": float("nan")}}, f"score is NaN; it must be a finite number {PLACE}"),
        ({"1": {"a": np.float32("-inf")}}, f"score is infinite; it must be a finite number {PLACE}"),
        ({"1": {"a": 10**400}}, f"score is beyond the range of a double {PLACE}"),
        ({"1": {3.5: 1}}, "document 3.5 is not an id; ids are str or whole numbers"),
        ({True: {"a": 1}}, "topic True is not an id; ids are str or whole numbers"),
        ({"1": {"a\ud800": 1}}, r"document 'a\ud800' cannot be written as UTF-8"),
        ({"1": ["a"]}, "the value of topic 1 is a list; accepted is a mapping of documents to numbers"),
        ({"1": 5}, "the value of topic 1 is a int; accepted is a mapping of documents to numbers"),
        ("run.txt", "the input is a str; accepted is a mapping of topics to mappings"),
        ([("1", {"a": 1})], "the input is a list; accepted is a mapping of topics to mappings"),
    ],
)  # fmt: skip
def test_a_mapping_that_is_no_run(mapping: Any, message: str) -> None:
    caught = said_of(lambda: Lines.of_mapping(mapping, "run"))
    assert caught == f"run: {message}"
    caught = said_of(lambda: Pools.of_mapping(mapping, "qrels"))
    assert caught == f"qrels: {message}".replace("score", "grade")


@pytest.mark.parametrize("score", [2**53 + 1, -(2**53) - 1, 2**53 + 2, 2**60])
def test_whole_numbers_that_tie_as_floats_are_refused(score: int) -> None:
    with pytest.raises(InputError, match=rf"score {score} is beyond 2\^53, from where integers tie as floats"):
        Lines.of_mapping({"1": {"a": score, "b": 2**53}}, "run")
    assert read_back({"1": {"a": float(score), "b": 2**53}}) == {"1": {"a": float(score), "b": 2.0**53}}


def test_a_mapping_that_changes_under_way_is_refused() -> None:
    given: dict[str, Any] = {}

    class Sly:
        def __float__(self) -> float:
            given.pop("b", None)
            return 1.0

    given.update(a=Sly(), b=2.0)
    with pytest.raises(InputError, match="run: the value of topic 1 changed while it was read"):
        Lines.of_mapping({"1": given}, "run")


def test_errors_of_a_score_itself_go_through() -> None:
    class Broken:
        def __float__(self) -> float:
            raise RuntimeError("broken")

        def __repr__(self) -> str:
            raise RuntimeError

    with pytest.raises(RuntimeError, match="broken"):
        Lines.of_mapping({"1": {"a": Broken()}}, "run")
    with pytest.raises(InputError, match="document a value is not an id"):
        Lines.of_mapping({"1": {Broken(): 1}}, "run")


def test_a_topic_without_documents_is_a_topic() -> None:
    pools = Pools.of_mapping({"1": {}, "2": {"a": 1}}, "qrels")
    assert (pools.topics, pools.offsets.tolist()) == (["1", "2"], [0, 0, 1])
    met = judge(pools, [Lines.of_mapping({"1": {"a": 1}, "2": {}, "3": {}}, "run")])
    assert met.retrieved.tolist() == [[1, 0]]
    assert met.offsets.tolist() == [0, 0, 0]
    assert met.unjudged_topics == [["3"]]


def test_keys_that_differ_only_to_themselves_name_a_document_twice() -> None:
    class Key(str):
        __hash__ = object.__hash__

        def __eq__(self, other: object) -> bool:
            return self is other

    twice = {"1": {Key("a"): 1, Key("a"): 2}}
    with pytest.raises(
        InputError, match=r"^qrels: document 'a' of topic 1 is given twice .grades 1 and 2.; a topic judges"
    ):
        Pools.of_mapping(twice, "qrels")
    with pytest.raises(InputError, match=r"^run: document 'a' of topic 1 is given twice; a run names"):
        len(Lines.of_mapping(twice, "run"))
