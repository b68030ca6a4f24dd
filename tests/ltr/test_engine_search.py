"""Engines' own objectives choose from as many settings as ours, with as many trees, by the same validation."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import InputError
from gradeval.features.folds import rotate
from gradeval.ltr import CrossValidation, Objective, crossval
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.engine_search import EngineSearch
from gradeval.ltr.engine_trees import Budget, EngineObjective, EngineTrees
from gradeval.ltr.rankers.auto import AutoRanker, first_settings, neighbours
from gradeval.measures import GAP

pytest.importorskip("lightgbm")
pytest.importorskip("xgboost")

PARTS = [graded_features(8, seed=seed, prefix=f"p{seed}-") for seed in range(3)]
THEIRS = ["lightgbm:lambdarank", "xgboost:rank:ndcg"]
AUTO = Objective.parse("GAP", draws="auto")
FEW: dict[str, Any] = {"epochs": 6, "patience": 3, "min_rows": 3, "learning_rate": 0.2}


def counts(found: CrossValidation) -> dict[str, set[int]]:
    return {name: {one.settings for one in found.trainings if one.objective == name} for name in found.objectives}


def note_of(found: CrossValidation) -> list[str]:
    return [note for note in found.table().notes if "setting" in note]


@pytest.mark.parametrize(
    ("objectives", "changes", "expected", "note"),
    [
        (
            ["GAP", *THEIRS],
            FEW,
            [1, 1, 1],
            "every training had one setting: validation chose the number of trees alone",
        ),
        ([AUTO, *THEIRS], FEW, [2, 2, 2], "every training tried 2 settings, among which validation chose"),
        (
            [AUTO, "AP", THEIRS[0]],
            FEW,
            [2, 1, 2],
            "settings that a training tried, among which validation chose: lambdarank:GAP 2, lambdarank:AP 1, "
            "lightgbm:lambdarank 2; an objective with more settings has an advantage",
        ),
        (["GAP", "AP"], FEW, [1, 1], None),
        (THEIRS, {"ranker": "auto", "budget": 64}, [16, 16], "every training tried 16 settings, among which"),
    ],
)
def test_both_sides_try_as_many_settings_and_a_note_says_how_many(
    objectives: list[Any], changes: dict[str, Any], expected: list[int], note: str | None
) -> None:
    found = crossval(PARTS, objectives, "GAP", **changes)
    assert counts(found) == {name: {number} for name, number in zip(found.objectives, expected, strict=True)}
    assert [text.startswith(note or "-") for text in note_of(found)] == ([] if note is None else [True])


@pytest.mark.parametrize(
    ("objectives", "changes", "expected"),
    [
        (["GAP", *THEIRS], {"min_rows": 3}, "lambdarank:GAP 7 (leaf-wise), {} 7 (leaf-wise), {} 7 (leaf-wise)"),
        (["GAP", THEIRS[0]], {"min_rows": 3, "leaves": 5}, "lambdarank:GAP 5 (leaf-wise), {} 5 (leaf-wise)"),
        (
            ["GAP", "catboost:YetiRank"],
            {"min_rows": 3},
            "lambdarank:GAP 7 (leaf-wise), catboost:YetiRank 64 (symmetric)",
        ),
        (
            ["GAP", "catboost:YetiRank"],
            {"shape": "symmetric", "leaves": 20},
            "lambdarank:GAP 16 (symmetric), catboost:YetiRank 16 (symmetric)",
        ),
        (["GAP", "AP"], {"min_rows": 3}, None),
    ],
)
def test_a_note_says_how_large_the_trees_of_each_objective_may_be(
    objectives: list[str], changes: dict[str, Any], expected: str | None
) -> None:
    pytest.importorskip("catboost")
    found = crossval(PARTS, objectives, "GAP", epochs=3, learning_rate=0.2, **changes)
    texts = [] if expected is None else [f"leaves that a tree may have: {expected.format(*THEIRS)}"]
    assert [note for note in found.table().notes if note.startswith("leaves that a tree may have")] == texts


def test_an_auto_ranker_stands_beside_them() -> None:
    pytest.importorskip("catboost")
    few: dict[str, Any] = {"budget": 64, "patience": 3}
    found = crossval(PARTS, ["GAP", "catboost:YetiRank"], "GAP", "auto", **few)
    trials = [AutoRanker("GAP", **few).fit(fold.train, fold.valid).trials for fold in rotate(PARTS)]
    trained = {len([one for one in each.attempts if one.curve]) for each in trials}
    assert counts(found) == {"lambdarank:GAP": trained, "catboost:YetiRank": {16}}
    assert {one.ranker for one in found.trainings} == {"auto"}


def test_a_note_says_which_settings_an_auto_ranker_could_not_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "catboost", None)
    larger = [graded_features(40, seed=seed, prefix=f"p{seed}-") for seed in range(3)]
    comparison = crossval(larger, ["GAP", THEIRS[0]], "GAP", "auto", budget=64)
    assert counts(comparison)["lambdarank:GAP"] == {10}
    (note,) = [note for note in comparison.table().notes if "left out" in note]
    assert note.startswith("a training left out up to 6 settings: ")
    assert "needs catboost" in note


def test_as_many_as_an_auto_ranker_tries() -> None:
    first = first_settings(GAP)
    tried = EngineSearch.matching(AutoRanker, [], {}, "lightgbm").settings
    assert len(set(tried)) == len(first) + len(neighbours(first[0])) == 16


@pytest.mark.parametrize("trees", [64, 100, 2400])
@pytest.mark.parametrize("engine", ["lightgbm", "catboost"])
def test_the_trees_of_all_settings_are_within_the_number_for_an_auto_ranker(
    engine: str, trees: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What validates best stands first in a round, and only the best two are trained again."""
    grown: list[Budget] = []

    def fit(self: EngineTrees, *data: Any) -> EngineTrees:
        grown.append(self.budget)
        return self

    monkeypatch.setattr(EngineTrees, "fit", fit)
    monkeypatch.setattr(EngineTrees, "valid", property(lambda self: self.budget.leaves + self.budget.learning_rate))
    search = EngineSearch.matching(AutoRanker, [], {"budget": trees}, engine)
    best = search.train(EngineObjective(engine, "x"), 0, PARTS[0], PARTS[1], GAP, None)
    assert sum(budget.epochs for budget in grown) <= trees
    assert sum(budget.epochs for budget in grown) > 0.75 * trees
    most = 64 if engine == "catboost" else 63
    assert [(one.leaves, one.learning_rate) for one in grown[16:]] == [(most, 0.2), (most, 0.15)]
    assert (best.budget.leaves, best.budget.learning_rate) == (most, 0.2)
    by_rate = {one.learning_rate: one.epochs for one in grown[:16]}
    assert sorted(by_rate.values()) == [by_rate[rate] for rate in sorted(by_rate, reverse=True)]


def test_the_setting_that_validates_best_is_tested() -> None:
    """By a literal loop over both settings."""
    found = crossval(PARTS, [AUTO, "lightgbm:lambdarank"], "GAP", **FEW)
    own = EngineObjective("lightgbm", "lambdarank")
    for fold in rotate(PARTS):
        validate = Validation.of(fold.valid, GAP)
        tried = [
            EngineTrees(own, 0, Budget.of({**FEW, "leaves": leaves})).fit(fold.train, fold.valid, GAP)
            for leaves in (7, 14)
        ]
        best = max(tried, key=lambda trees: validate(trees.score(fold.valid)))
        here = np.isin(np.repeat(found.features.topics, np.diff(found.features.offsets)), fold.test.topics)
        np.testing.assert_array_equal(found.predictions[1, 0][here], best.score(fold.test))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"budget": 3}, "budget=3 is not a whole number from 64"),
        ({"epochs": 3}, "there is no 'epochs'"),
        ({"leaves": 3}, "there is no 'leaves'"),
    ],
)
def test_parameters_that_an_auto_ranker_has_not_are_refused_beside_theirs_alone(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        crossval(PARTS, THEIRS, "GAP", "auto", **changes)
