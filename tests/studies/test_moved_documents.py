from __future__ import annotations

import random

from gradeval import Run
from gradeval.collection.qrels import Qrels
from gradeval.studies.moved_documents import FIRST, MOST, BothRankings, find_moved


def test_documents_that_moved_are_named_with_their_ranks_and_grades() -> None:
    qrels = Qrels.from_dict({"1": {"a": 2, "d": 0}})
    before = Run.from_dict({"1": {"a": 4.0, "b": 3.0, "c": 2.0}})
    after = Run.from_dict({"1": {"d": 4.0, "b": 3.0, "a": 2.0}})
    found = find_moved(qrels, before, after, ["1"], "docid")
    assert found == [("1", "a", 2, 1, 3), ("1", "d", 0, None, 1), ("1", "c", None, 3, None)]
    assert list(map(str, found)) == ["a (grade 2) 1 to 3", "d (grade 0) - to 1", "c (unjudged) 3 to -"]
    assert BothRankings(qrels, before, after, "docid", 2).find_moved(["1"]) == [
        ("1", "a", 2, 1, None),
        ("1", "d", 0, None, 1),
    ]
    assert find_moved(qrels, before, before, ["1"], "docid") == []


def test_what_moved_most_is_what_a_slow_search_finds() -> None:
    rng = random.Random(1)
    for _ in range(50):
        names = [f"d{n}" for n in range(25)]
        lists = [rng.sample(names, rng.randint(0, 25)) for _ in range(2)]
        runs = [Run.from_dict({"1": {one: -float(rank) for rank, one in enumerate(each)}}) for each in lists]
        found = find_moved(Qrels.from_dict({"1": {"x": 1, "d2": 0, "d3": -1}}), *runs, ["1"], "docid")
        weights = [{one: 1 / (each.index(one) + 1) for one in each} for each in lists]
        seen = {*lists[0][:FIRST], *lists[1][:FIRST]}
        changes = sorted((abs(weights[0].get(one, 0) - weights[1].get(one, 0)) for one in seen), reverse=True)
        mine = [abs(weights[0].get(one.document, 0) - weights[1].get(one.document, 0)) for one in found]
        rose = {one for one in seen if weights[1].get(one, 0) > weights[0].get(one, 0)}
        expected = [change for change in changes[:MOST] if change]
        assert mine[: MOST - 1] == expected[: MOST - 1]
        assert len(mine) == len(expected)
        assert bool(rose) == any(one.document in rose for one in found)
        if any(one.document in rose for one in found[: MOST - 1]):
            assert mine == expected
        for one in found:
            assert one.before == (lists[0].index(one.document) + 1 if one.document in lists[0] else None)
            assert one.after == (lists[1].index(one.document) + 1 if one.document in lists[1] else None)


def test_documents_of_a_positive_grade_come_before_others_by_what_a_measure_loses_with_them() -> None:
    """A grade 3 that falls from 3 to 17, below documents of grade 0 that moved farther: 3 (1/3 - 1/17) = 0.82."""
    first = ["z1", "z2", "good", *(f"n{n}" for n in range(20)), "fair"]
    second = ["z3", "fair", *(f"n{n}" for n in range(14)), "good", "z1", "z2"]
    grades = {"good": 3, "fair": 1, "z1": 0, "z2": 0, "z3": 0}
    runs = [Run.from_dict({"1": {one: -float(rank) for rank, one in enumerate(each)}}) for each in (first, second)]
    found = find_moved(Qrels.from_dict({"1": grades}), *runs, ["1"], "docid")
    assert list(map(str, found)) == ["good (grade 3) 3 to 17", "fair (grade 1) 24 to 2", "z3 (grade 0) - to 1"]


def test_a_document_that_appeared_is_named_where_relevant_ones_vanished() -> None:
    """The three that vanished are worth more, as they are relevant; the last gives its place to what came first."""
    runs = [Run.from_dict({"1": {one: -float(rank) for rank, one in enumerate(each)}}) for each in ("abcx", "yzx")]
    found = find_moved(Qrels.from_dict({"1": {"a": 2, "b": 2, "c": 2}}), *runs, ["1"], "docid")
    assert list(map(str, found)) == ["a (grade 2) 1 to -", "b (grade 2) 2 to -", "y (unjudged) - to 1"]
