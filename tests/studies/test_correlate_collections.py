"""Correlations on several collections, and their means."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import GAP, InputError, JudgedRuns, Q, correlate, evaluate, judge
from gradeval.scores.scoring import score
from gradeval.studies.correlate_collections import correlate_collections
from gradeval.studies.simulate import simulate_collection


def drawn(seed: int) -> JudgedRuns:
    simulated = simulate_collection(topics=6, systems=6, depth=20, documents=60, seed=seed)
    return judge(simulated.qrels, list(simulated.runs.values()))


@pytest.fixture(scope="module")
def collections() -> dict[str, JudgedRuns]:
    return {"C": drawn(1), "J": drawn(2), "E": drawn(3)}


def test_the_mean_is_that_of_the_correlations(collections: dict[str, JudgedRuns]) -> None:
    results = correlate_collections(collections, statistic=["kendall", "spearman"], measures="AP Q AWP", samples=0)
    for place, statistic in enumerate(("kendall", "spearman")):
        apart = [
            correlate(one, statistic=statistic, measures="AP Q AWP", samples=0).of("AP", "Q")
            for one in collections.values()
        ]
        assert results.of("AP", "Q")[place] == pytest.approx(np.mean(apart))
    (grid,) = results.table().grids
    assert [row[:2] for row in grid.rows] == [["Q", "AP"], ["AWP", "AP"], ["AWP", "Q"]]
    assert grid.head[-4:] == ["C", "J", "E", "mean"]


def test_a_statistic_with_a_direction_has_each_pair_twice(collections: dict[str, JudgedRuns]) -> None:
    (grid,) = correlate_collections(collections, statistic="tau-ap", measures="AP Q", samples=0).table().grids
    assert [row[:2] for row in grid.rows] == [["Q", "AP"], ["AP", "Q"]]


def test_a_reference_is_what_all_are_correlated_with(collections: dict[str, JudgedRuns]) -> None:
    (grid,) = correlate_collections(collections, measures="AP Q AWP", reference="Q").table().grids
    assert [row[:2] for row in grid.rows] == [["AP", "Q"], ["AWP", "Q"]]


def test_one_collection_has_no_mean(collections: dict[str, JudgedRuns]) -> None:
    (grid,) = correlate_collections({"C": collections["C"]}, measures="AP Q").table().grids
    assert grid.head == ["measure", "with", "C"]


def test_collections_without_the_same_measures_are_refused(collections: dict[str, JudgedRuns]) -> None:
    unlike = {"C": score(collections["C"], [GAP, Q]), "J": score(collections["J"], [Q, GAP])}
    with pytest.raises(InputError, match="J: has other measures than C"):
        correlate_collections(unlike)
    with pytest.raises(InputError, match="no collection; give at least one"):
        correlate_collections({})
    with pytest.raises(InputError, match="collections='mean' is the name of the column of means; give it another name"):
        correlate_collections({"mean": ("unread", "unread"), "J": collections["J"]}, "AP Q", samples=0)


def test_the_fields_of_a_mean_that_only_collections_have_are_empty(collections: dict[str, JudgedRuns]) -> None:
    lines = correlate_collections(collections, "AP Q", samples=20).to_frame().to_pylist()
    assert [line["collection"] for line in lines] == ["C", "J", "E", "mean"]
    assert [line["runs"] for line in lines] == [6, 6, 6, None]
    assert all(line["lower"] <= line["value"] <= line["upper"] for line in lines[:3])
    assert lines[3]["value"] == pytest.approx(np.mean([line["value"] for line in lines[:3]]))
    assert {lines[3][name] for name in ("lower", "upper", "topics", "samples", "seed")} == {None}


def test_collections_are_given_as_judgments_and_runs_too() -> None:
    drawn = simulate_collection(topics=6, systems=6, depth=20, documents=60, seed=1)
    files = {"one": (drawn.qrels, list(drawn.runs.values()))}
    judged = {"one": judge(drawn.qrels, list(drawn.runs.values()))}
    assert correlate_collections(files, "AP Q", samples=0).to_dict() == (
        correlate_collections(judged, "AP Q", samples=0).to_dict()
    )


def test_errors_name_the_collection(collections: dict[str, JudgedRuns]) -> None:
    flat = evaluate({"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}, [{t: {"d": 1.0} for t in "123"}] * 2, "AP GAP")
    with pytest.raises(InputError, match="flat: AP: all 2 runs have the same mean 1"):
        correlate_collections({"flat": flat})


@pytest.mark.parametrize("name", ["", "C"])
def test_an_error_begins_with_the_name_of_a_collection_where_it_has_one(name: str) -> None:
    judged = {"q": {"d": 1}}
    with pytest.raises(InputError) as refused:
        correlate_collections({name: judge(judged, judged)}, measures="AP Q")
    assert str(refused.value).startswith("C: 1 run" if name else "1 run")
