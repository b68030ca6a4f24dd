"""Rank-biased overlap: against its definition over all orders and all continuations, and the values of its authors."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradeval.collection.rank_biased_overlap as module
from gradeval import InputError, Run, rbo


def literal(first: list[str], second: list[str], p: float, depth: int) -> float:
    """(1-p) sum_{d <= depth} p^(d-1) |first d in common| / d."""
    return (1 - p) * sum(p ** (d - 1) * len({*first[:d]} & {*second[:d]}) / d for d in range(1, depth + 1))


def orders(ranking: list[list[str]]) -> list[list[str]]:
    """All rankings that break the ties."""
    return [[one for group in groups for one in group] for groups in product(*(permutations(g) for g in ranking))]


def cut(items: list[str], sizes: list[int]) -> list[list[str]]:
    """Groups of these sizes, as far as there are items."""
    groups = []
    for size in sizes:
        if items:
            groups.append(items[:size])
            items = items[size:]
    return groups + [[one] for one in items]


sizes = st.lists(st.integers(1, 3), max_size=4)
items = st.permutations(list("abcde"))


@given(items, items, sizes, sizes, st.sampled_from([0.5, 0.9]))
def test_over_the_same_documents_it_is_the_mean_over_all_orders(
    x: list[str], y: list[str], of_x: list[int], of_y: list[int], p: float
) -> None:
    first, second = cut(x, of_x), cut(y, of_y)
    values = [literal(one, other, p, 5) + p**5 for one in orders(first) for other in orders(second)]
    found = rbo([set(group) for group in first], [set(group) for group in second], p=p)
    assert found.extrapolated == pytest.approx(sum(values) / len(values))
    assert found.most == pytest.approx(found.extrapolated)


@given(items, items, st.integers(1, 5), st.integers(1, 5), st.sampled_from([0.3, 0.8]))
def test_bounds_are_those_of_the_worst_and_the_best_that_may_follow(
    x: list[str], y: list[str], of_x: int, of_y: int, p: float
) -> None:
    first, second = x[:of_x], y[:of_y]
    found = rbo(first, second, p=p)
    far = 400
    other = literal(first + [f"x{n}" for n in range(far)], second + [f"y{n}" for n in range(far)], p, far)
    assert found.least == pytest.approx(other)
    new = [f"z{n}" for n in range(far)]
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    alone = [one for one in long if one not in short]
    there = len(long) - len(short)
    filled = short + alone[:there]
    rest_short = alone[there:] + new
    rest_long = [one for one in short if one not in long] + new
    best = literal(filled + rest_short, long + rest_long, p, far)
    assert found.most == pytest.approx(best)
    assert found.least <= found.extrapolated <= found.most + 1e-12


AUTHORS = [
    ("i13 (i1 i4 i5 i6)", "i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2", 0.92238320668128),
    ("i5 i8 i2 (i3 i9)", "i2 i5 i3 (i1 i4)", 0.968922741966306),
    ("(i3 i6) (i2 i7) i10", "(i3 i6 i7 i10) (i1 i2)", 0.965413635276732),
    ("(i3 i5 i6 i8 i9)", "(i1 i6) (i8 i10) i11 i2 (i3 i4)", 0.946588158477176),
]
VALUES = {
    "w": [
        (0.117578490431637, 0.0763135264223449, 0.53999366118093),
        (0.580287544332462, 0.196704918554571, 0.917454802645556),
        (0.946064537517568, 0.343706790399566, 0.958770957517067),
        (0.481477824833812, 0.23269613702392, 0.802226864320287),
    ],
    "a": [
        (0.114619469221414, 0.0733545052121218, 0.537945108035391),
        (0.580994268838527, 0.197411643060636, 0.918161527151621),
        (0.92051534467649, 0.319428239558438, 0.934492406675939),
        (0.456505385192971, 0.207870074991659, 0.77813269033093),
    ],
    "b": [
        (0.11474835409049, 0.0734833900811979, 0.538589532380772),
        (0.583518284931614, 0.199935659153723, 0.920685543244708),
        (0.956844651806714, 0.348953051936765, 0.964017219054266),
        (0.482684075039396, 0.233899573241503, 0.804576609682389),
    ],
}


def typed(text: str) -> list[set[str]]:
    """A ranking as its authors write it."""
    groups: list[set[str]] = []
    inside = False
    for word in text.split():
        if inside:
            groups[-1].add(word.strip("()"))
        else:
            groups.append({word.strip("()")})
        inside = (inside or word.startswith("(")) and not word.endswith(")")
    return groups


@pytest.mark.parametrize("ties", ["w", "a", "b"])
def test_values_are_those_of_its_authors(ties: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Computed by the software of Corsi & Urbano (2024)."""
    for at_once in (2**20, 20):
        monkeypatch.setattr(module, "AT_ONCE", at_once)
        for (x, y, p), expected in zip(AUTHORS, VALUES[ties], strict=True):
            for first, second in ((x, y), (y, x)):
                found = rbo(typed(first), typed(second), p=p, ties=ties)
                assert (found.extrapolated, found.least, found.most) == pytest.approx(expected, abs=1e-9)


def test_a_ranking_with_ties_agrees_with_itself_but_for_what_ties_hide() -> None:
    scores = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}
    assert rbo(scores, scores, ties="b").extrapolated == pytest.approx(1)
    assert rbo(scores, scores, ties="w").extrapolated == pytest.approx(1)
    assert rbo(scores, scores).extrapolated < 1
    assert rbo(scores, ["a", {"b", "c"}, "d"]) == rbo(scores, scores)


@pytest.mark.parametrize(
    ("first", "p", "message"),
    [
        (["a", "b", "a"], 0.9, "the first ranking holds 'a' twice"),
        ([], 0.9, "the first ranking is empty"),
        ("abc", 0.9, "the first ranking is 'abc'"),
        ({"a": float("nan")}, 0.9, "the first ranking: score of 'a'=nan is not a finite number"),
        (["a"], 1.0, "p=1.0 is not between 0 and 1, as in 0.9"),
    ],
)
def test_what_is_no_ranking_is_refused(first: Any, p: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rbo(first, ["a"], p=p)


@given(st.dictionaries(st.sampled_from("123"), items, min_size=1), st.dictionaries(st.sampled_from("123"), items))
def test_of_two_runs_it_is_the_mean_over_their_topics(x: dict[str, list[str]], y: dict[str, list[str]]) -> None:
    scored = [
        {topic: {one: -float(place) for place, one in enumerate(ranking)} for topic, ranking in each.items()}
        for each in (x, y)
    ]
    first, second = (Run.from_dict(each, name) for each, name in zip(scored, ("x", "y"), strict=True))
    if not x.keys() & y.keys():
        with pytest.raises(InputError, match="the runs x and y have no topic in common"):
            rbo(first, second)
        return
    found = rbo(first, second, p=0.8)
    by_topic = [rbo(x[topic], y[topic], p=0.8) for topic in x.keys() & y.keys()]
    for name in ("extrapolated", "least", "most"):
        values = [getattr(one, name) for one in by_topic]
        assert getattr(found, name) == pytest.approx(sum(values) / len(x.keys() | y.keys()))


def test_a_run_beside_a_ranking_is_refused() -> None:
    run = Run.from_dict({"1": {"a": 1.0}})
    for first, second in ((run, ["a"]), ({"a": 1.0}, run)):
        with pytest.raises(InputError, match="one of the two is a run, the other a ranking"):
            rbo(first, second)
