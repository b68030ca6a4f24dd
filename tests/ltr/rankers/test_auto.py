"""AutoRanker: what it tries, what it keeps, and that its rounds are the trainings of TreeRanker."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from small_trees import TEST, TRAIN, VALID, Killed, killed_after, needs_catboost, small_features

from gradeval import Features, InputError, evaluate, parse_measure
from gradeval.ltr import AutoRanker, TreeRanker, crossval, load_ranker
from gradeval.ltr.rankers.auto import Attempt, first_settings

pytest.importorskip("lightgbm")

LARGER = small_features(5, queries=40)  # leaf-wise trees need rows


def trained_alone(auto: AutoRanker, attempt: Attempt, train: Features, valid: Features) -> TreeRanker:
    """The training of a setting, without rounds."""
    setting = attempt.setting
    return TreeRanker(
        setting.objective,
        seed=auto.seed,
        epochs=len(attempt.curve),
        patience=auto.patience,
        learning_rate=setting.learning_rate,
        shape=setting.shape,
        leaves=setting.leaves,
        norm=setting.norm,
    ).fit(train, valid, auto.objective.measure)


@needs_catboost
@pytest.mark.parametrize(("measure", "budget"), [("GAP", 256), ("nDCG(dcg='exp-log2')@5", 128)])
def test_rounds_are_trainings_of_tree_rankers(measure: str, budget: int) -> None:
    auto = AutoRanker(measure, budget=budget, seed=3).fit(LARGER, VALID)
    trials = auto.trials
    assert len({attempt.setting for attempt in trials.attempts}) == len(trials) == 16
    assert {attempt.setting.shape for attempt in trials.attempts} == {"leaf-wise", "symmetric"}
    for place, attempt in enumerate(trials.attempts):
        alone = trained_alone(auto, attempt, LARGER, VALID)
        assert alone.curve == attempt.curve
        assert alone.best == attempt.best
        if place == trials.chosen:
            np.testing.assert_array_equal(alone.score(TEST), auto.score(TEST))
            np.testing.assert_array_equal(alone.score(TEST), auto.predict(TEST.X))
    by_validation = evaluate(VALID.qrels, VALID.run(auto.score(VALID)), measure, ties="expected").mean()[0, 0]
    assert trials.attempts[trials.chosen].valid == pytest.approx(by_validation, abs=1e-9)


@pytest.mark.filterwarnings("error::gradeval.ObjectiveWarning")
@pytest.mark.parametrize(("measure", "losses"), [("GAP", 6), ("ERR", 5), ("nDCG(dcg='exp-log2')", 6), ("nDCG@10", 6)])
def test_the_first_round_tries_each_loss_once_on_each_shape(measure: str, losses: int) -> None:
    settings = first_settings(parse_measure(measure))
    assert len(settings) == len(set(settings)) == 2 * losses
    sums = {str(setting.objective.mixture) for setting in settings if setting.objective.mixture}
    terms = {*max(sums, key=len).split(" + ")}
    assert len(sums) == 2
    assert f"{measure} + queryrmse" in sums
    assert terms == {measure, "nDCG(dcg='exp-log2')", "ERR", "queryrmse"}


@pytest.mark.parametrize("budget", [64, 100, 200])
def test_the_budget_counts_trees_and_the_best_validation_is_kept(budget: int) -> None:
    told: list[int] = []
    auto = AutoRanker("AP", budget=budget, patience=8).fit(
        LARGER, VALID, progress=lambda epoch: told.append(epoch.number)
    )
    grown = [len(attempt.curve) for attempt in auto.trials.attempts]
    assert told == [*range(1, sum(grown) + 1)]
    assert sum(grown) <= budget
    valid = [attempt.valid or 0.0 for attempt in auto.trials.attempts]
    assert valid[auto.trials.chosen] == max(valid)
    assert f"tried with {sum(grown)} trees of {budget}" in str(auto.trials)


def test_one_seed_is_one_ranker_whatever_the_threads() -> None:
    one, other = (AutoRanker("Q", budget=64, seed=4, threads=threads).fit(LARGER, VALID) for threads in (1, 2))
    assert one.trials.to_dict() == other.trials.to_dict()
    np.testing.assert_array_equal(one.score(TEST), other.score(TEST))
    another = AutoRanker("Q", budget=64, seed=5).fit(LARGER, VALID)
    assert [attempt.curve for attempt in another.trials.attempts] != [attempt.curve for attempt in one.trials.attempts]


@pytest.fixture(scope="module")
def whole() -> AutoRanker:
    """A search that nothing interrupted."""
    return AutoRanker("GAP", budget=96, seed=2).fit(LARGER, VALID)


@pytest.mark.parametrize("killed", [1, 23, 61, 90])
def test_a_killed_search_goes_on_and_leaves_no_files(killed: int, whole: AutoRanker, tmp_path: Path) -> None:
    place = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        AutoRanker("GAP", budget=96, seed=2).fit(LARGER, VALID, checkpoint=place, progress=killed_after(killed))
    with pytest.raises(InputError, match="budget 96, now 128"):
        AutoRanker("GAP", budget=128, seed=2).fit(LARGER, VALID, checkpoint=place, resume=True)
    told: list[int] = []
    resumed = AutoRanker("GAP", budget=96, seed=2).fit(
        LARGER, VALID, checkpoint=place, resume=True, progress=lambda epoch: told.append(epoch.number)
    )
    grown = sum(len(attempt.curve) for attempt in whole.trials.attempts)
    assert len(told) == grown - killed
    assert resumed.trials.to_dict() == whole.trials.to_dict()
    np.testing.assert_array_equal(resumed.score(TEST), whole.score(TEST))
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]


@pytest.mark.parametrize("weighted", [False, True])
def test_without_validation_a_fifth_of_the_queries_is_held_out(weighted: bool) -> None:
    weights = np.random.default_rng(1).random(len(LARGER)) if weighted else None
    auto = AutoRanker("AP", budget=64, seed=6).fit(LARGER, sample_weight=weights)
    learnt, held_out = LARGER.split(0.8, 0.2, seed=6)
    rows = np.isin(np.repeat(LARGER.topics, np.diff(LARGER.offsets)), learnt.topics)
    given = None if weights is None else weights[rows]
    same = AutoRanker("AP", budget=64, seed=6).fit(learnt, held_out, sample_weight=given)
    np.testing.assert_array_equal(auto.score(TEST), same.score(TEST))
    assert auto.card is not None
    assert auto.card.valid is not None
    assert (auto.card.train["topics"], auto.card.valid["topics"]) == (32, 8)
    assert "8 of the queries were held out to choose by" in str(auto.trials)
    assert "held out" not in str(same.trials)


def test_arrays_and_eval_set_are_the_same_as_features() -> None:
    sizes = [np.diff(each.offsets) for each in (LARGER, VALID)]
    by_arrays = AutoRanker("GAP", budget=64).fit(
        LARGER.X, LARGER.grades, group=sizes[0], eval_set=[(VALID.X, VALID.grades)], eval_group=[sizes[1]]
    )
    by_features = AutoRanker("GAP", budget=64).fit(LARGER, VALID)
    np.testing.assert_array_equal(by_arrays.predict(TEST.X), by_features.score(TEST))


def test_what_is_saved_is_the_chosen_trees_and_says_what_was_tried(tmp_path: Path) -> None:
    auto = AutoRanker("GAP", budget=64).fit(LARGER, VALID, "nDCG@3")
    auto.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert type(loaded) is TreeRanker
    np.testing.assert_array_equal(loaded.score(TEST), auto.score(TEST))
    assert loaded.get_params() == auto.chosen.get_params()
    assert (loaded.curve, loaded.best) == (auto.curve, auto.best)
    assert loaded.card == auto.card == auto.chosen.card
    assert loaded.card is not None
    assert loaded.card.measure == "nDCG@3"
    tried = loaded.card.tried
    assert {name: [one[name] for one in tried] for name in tried[0]} == auto.trials.to_dict()
    assert [one["kept"] for one in tried].index(True) == auto.trials.chosen
    with pytest.raises(InputError, match=r"a ranker of kind tree, not auto: load it with TreeRanker\.load"):
        AutoRanker.load(tmp_path / "model")


def test_the_table_has_the_kept_setting_first_and_every_trial() -> None:
    auto = AutoRanker("GAP", budget=64).fit(LARGER, VALID)
    (grid,) = auto.trials.table().grids
    assert len(grid.rows) == sum(not attempt.reason for attempt in auto.trials.attempts)
    kept = auto.trials.attempts[auto.trials.chosen]
    assert grid.rows[0][0] == str(kept.setting.objective)
    assert grid.rows[0][-1] == kept.valid
    others = [row[-1] for row in grid.rows[1:]]
    assert others == sorted(others, reverse=True)


@pytest.mark.parametrize("missing", [True, False])
def test_without_catboost_or_with_categories_leaf_wise_trees_remain(
    missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame(LARGER.X, columns=LARGER.columns)
    if missing:
        monkeypatch.setitem(sys.modules, "catboost", None)
        reason = "needs catboost"
    else:
        pytest.importorskip("catboost")
        frame["kind"] = pd.Categorical(np.where(LARGER.grades > 1, "good", "bad"))
        reason = "kind is a category, and symmetric trees take numbers"
    auto = AutoRanker("GAP", budget=64).fit(frame, LARGER.grades, group=np.diff(LARGER.offsets))
    assert auto.chosen.shape == "leaf-wise"
    left_out = [attempt for attempt in auto.trials.attempts if attempt.reason]
    assert {attempt.setting.shape for attempt in left_out} == {"symmetric"}
    assert len(left_out) == 6
    (note,) = [str(note) for note in auto.trials.notes if reason in str(note)]
    assert note.startswith("6 settings left out: ")


@pytest.mark.parametrize(
    ("objective", "settings", "said"),
    [
        ("softrank:GAP", {}, "softrank:GAP: an AutoRanker chooses the loss, .* give the measure alone, as in 'GAP'"),
        ("GAP + nDCG", {}, "give the measure alone, as in 'GAP'"),
        ("queryrmse", {}, "give the measure alone"),
        ("GAP", {"budget": 63}, "budget=63"),
        ("GAP", {"budget": 2.5}, "budget=2.5"),
    ],
)
def test_what_it_chooses_itself_is_not_to_be_given(objective: str, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        AutoRanker(objective, **settings)


def test_data_from_which_no_setting_learns_are_the_error_of_the_first() -> None:
    constant = replace(LARGER, X=np.ones_like(LARGER.X))
    with pytest.raises(InputError, match="every feature has one value throughout"):
        AutoRanker("GAP", budget=64).fit(constant, VALID)
    with pytest.raises(InputError, match=r"too few queries \(2\) to hold some out to choose by: give validation data"):
        AutoRanker("GAP", budget=64).fit(TRAIN.select(TRAIN.topics[:2]))
    with pytest.raises(InputError, match="position is for a TreeRanker"):
        AutoRanker("GAP", budget=64).fit(TRAIN, VALID, position=np.ones(len(TRAIN)))


def test_cross_validation_takes_it_and_goes_on_from_its_work(tmp_path: Path) -> None:
    parts = LARGER.split(0.34, 0.33, 0.33, seed=0)
    first = crossval(parts, ["GAP", "AP"], "GAP", "auto", budget=64, work=tmp_path / "work")
    again = crossval(parts, ["GAP", "AP"], "GAP", AutoRanker, budget=64, work=tmp_path / "work")
    assert first.to_dict() == again.to_dict()
    assert {training.ranker for training in again.trainings} == {"auto"}
    assert [training.objective for training in again.trainings] == ["lambdarank:GAP"] * 3 + ["lambdarank:AP"] * 3
    np.testing.assert_array_equal(first.predictions, again.predictions)
