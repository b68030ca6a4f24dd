"""Trees of either shape: a resumed training gives the same ones."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trees import GAP, SHAPES, TEST, TRAIN, VALID, Killed, killed_after, ranker, small_features

from gradeval import Features, InputError, evaluate
from gradeval.ltr import Epoch, Objective, TreeRanker
from gradeval.ltr.rankers.tree_training import TreeTraining

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module", params=SHAPES)
def shape(request: pytest.FixtureRequest) -> str:
    """The shape of all trees of a test."""
    return str(request.param)


def least_rows(shape: str, rows: int) -> dict[str, Any]:
    """The smallest number of rows in a leaf, which symmetric trees do not know."""
    return {"min_rows": rows} if shape == "leaf-wise" else {}


@pytest.fixture(scope="module")
def whole(shape: str) -> TreeRanker:
    """A training that nobody interrupts."""
    return ranker(shape=shape).fit(TRAIN, VALID)


def test_the_first_of_the_best_trees_on_validation_are_kept(shape: str, whole: TreeRanker) -> None:
    values = [epoch.valid for epoch in whole.curve]
    assert [epoch.number for epoch in whole.curve] == list(range(1, len(values) + 1))
    assert whole.best == values.index(max(values)) + 1
    run = VALID.run(whole.score(VALID))
    value = evaluate(VALID.qrels, [run], "GAP(g=[0.5,0.5])", ties="expected").mean()[0, 0]
    assert value == pytest.approx(values[whole.best - 1], abs=1e-12)


def test_training_stops_after_so_many_trees_in_vain(shape: str) -> None:
    trained = ranker(shape=shape, epochs=500, patience=7).fit(TRAIN, VALID)
    assert len(trained.curve) == trained.best + 7


def test_the_curve_tells_the_measure_on_the_training_queries_before_each_tree(shape: str) -> None:
    one = ranker(shape=shape, epochs=1).fit(TRAIN)
    run = TRAIN.run(one.score(TRAIN))
    after_one = evaluate(TRAIN.qrels, [run], "GAP(g=[0.5,0.5])", ties="expected").mean()[0, 0]
    assert ranker(shape=shape, epochs=2).fit(TRAIN).curve[1].objective == after_one


def test_queries_that_cannot_be_learnt_from_are_passed_over(shape: str, whole: TreeRanker) -> None:
    rng = np.random.default_rng(7)
    X, grades = rng.normal(size=(41, 6)), np.repeat([0.0, 2.0, 1.0], [20, 20, 1])
    idle = Features.from_arrays(X, grades, topics=np.repeat(["none", "all", "alone"], [20, 20, 1]))
    more = ranker(shape=shape).fit(Features.concat([TRAIN, idle]), VALID)
    assert more.curve == whole.curve
    np.testing.assert_array_equal(more.score(TEST), whole.score(TEST))


@pytest.mark.parametrize("valid", [None, VALID])
def test_resuming_a_finished_training_gives_the_same_bytes(
    shape: str, whole: TreeRanker, valid: Features | None, tmp_path: Path
) -> None:
    finished = ranker(shape=shape).fit(TRAIN, valid, checkpoint=tmp_path / "checkpoint")
    resumed = ranker(shape=shape).fit(TRAIN, valid, checkpoint=tmp_path / "checkpoint", resume=True)
    for trained, place in ((finished, tmp_path / "finished"), (resumed, tmp_path / "resumed")):
        trained.save(place)
    for name in os.listdir(tmp_path / "finished"):
        assert (tmp_path / "resumed" / name).read_bytes() == (tmp_path / "finished" / name).read_bytes()
    if valid is not None:
        whole.save(tmp_path / "whole")
        assert (tmp_path / "resumed" / whole.forest.file).read_bytes() == (
            tmp_path / "whole" / whole.forest.file
        ).read_bytes()


def test_the_same_seed_grows_the_same_trees_whatever_the_threads(shape: str, whole: TreeRanker) -> None:
    again = ranker(shape=shape, threads=2).fit(TRAIN, VALID)
    assert again.curve == whole.curve
    np.testing.assert_array_equal(again.score(TEST), whole.score(TEST))


def test_another_seed_draws_other_queries(shape: str, whole: TreeRanker) -> None:
    assert not np.array_equal(ranker(shape=shape, seed=1).fit(TRAIN, VALID).score(TEST), whole.score(TEST))


def test_another_seed_ranks_equal_scores_in_another_order(shape: str) -> None:
    """Where all queries are drawn, nothing else is left to chance, and listnet has no order."""
    for objective, same in (("lambdarank:GAP", False), ("listnet", True)):
        settings = {"objective": objective, "subsample": 1.0}
        first, other = (ranker(shape=shape, seed=seed, **settings).fit(TRAIN, VALID).score(TEST) for seed in (0, 1))
        assert np.array_equal(first, other) == same


@pytest.mark.parametrize("epochs", [1, 4])
def test_every_tree_draws_its_own_queries(shape: str, epochs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[bool, ...]] = []
    original = TreeTraining._gradients

    def watched(growth: TreeTraining, scores: np.ndarray[Any, Any]) -> Any:
        gradient, hessian = original(growth, scores)
        looked_at = np.add.reduceat(np.abs(gradient), growth.train.offsets[:-1]) > 0
        assert (looked_at == (np.add.reduceat(hessian, growth.train.offsets[:-1]) > 0)).all()
        seen.append(tuple(looked_at.tolist()))
        return gradient, hessian

    monkeypatch.setattr(TreeTraining, "_gradients", watched)
    ranker(shape=shape, epochs=epochs).fit(TRAIN)
    assert len(set(seen)) == epochs
    assert {sum(looked_at) for looked_at in seen} == {round(0.6 * len(TRAIN.topics))}


@pytest.mark.parametrize("number", [1, 5, 12])
def test_a_training_killed_after_some_tree_goes_on_to_the_very_same_trees(
    shape: str, whole: TreeRanker, number: int, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        ranker(shape=shape).fit(TRAIN, VALID, checkpoint=checkpoint, progress=killed_after(number))
    epochs: list[Epoch] = []
    resumed = ranker(shape=shape).fit(TRAIN, VALID, checkpoint=checkpoint, resume=True, progress=epochs.append)
    assert 2 <= epochs[0].number <= number + 1  # on a slow disk not each tree is written
    assert (resumed.curve, resumed.best) == (whole.curve, whole.best)
    resumed.save(tmp_path / "resumed")
    whole.save(tmp_path / "whole")
    assert (tmp_path / "resumed" / whole.forest.file).read_bytes() == (
        tmp_path / "whole" / whole.forest.file
    ).read_bytes()


def test_a_training_for_a_baseline_goes_on_after_a_kill(shape: str, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        ranker(shape=shape, objective="listnet").fit(TRAIN, VALID, checkpoint=checkpoint, progress=killed_after(3))
    resumed = ranker(shape=shape, objective="listnet").fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)
    assert resumed.curve == ranker(shape=shape, objective="listnet").fit(TRAIN, VALID).curve


def test_a_checkpoint_of_another_training_is_refused(shape: str, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    ranker(shape=shape, epochs=2).fit(TRAIN, VALID, checkpoint=checkpoint)
    for other, train in (
        (ranker(shape=shape, leaves=4), TRAIN),
        (ranker(shape=shape), small_features(9)),
        (ranker(shape=shape, seed=1), TRAIN),
    ):
        with pytest.raises(InputError, match="checkpoint: of a training with other"):
            other.fit(train, VALID, checkpoint=checkpoint, resume=True)
    more = ranker(shape=shape, epochs=3).fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)
    assert len(more.curve) == 3
    with pytest.raises(InputError, match="3 trees are grown, and epochs=1 asks for fewer"):
        ranker(shape=shape, epochs=1).fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)


def test_nothing_to_learn_is_a_clear_error(shape: str) -> None:
    for grades in (np.zeros(len(TRAIN)), np.full(len(TRAIN), 2)):
        with pytest.raises(InputError, match="nothing to learn"):
            ranker(shape=shape).fit(TRAIN.with_grades(grades), VALID)


def few_tell() -> Features:
    """Ten queries; the one feature differs only in the first two."""
    X = np.zeros((200, 1))
    X[:40, 0] = np.random.default_rng(0).normal(size=40)
    grades = np.where(np.arange(200) < 40, X[:, 0] > 0.5, np.arange(200) % 4 == 0)
    return Features.from_arrays(X, grades, sizes=[20] * 10)


@pytest.mark.parametrize("seed", range(8))
def test_queries_without_a_split_end_nothing_while_others_have_one(shape: str, seed: int, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "objective": "lambdarank:AP",
        "seed": seed,
        **least_rows(shape, 3),
        "learning_rate": 0.05,
    }
    whole = ranker(shape=shape, **settings).fit(few_tell())
    assert len(whole.curve) == 30
    for number in (1, 7):
        place = tmp_path / str(number)
        with pytest.raises(Killed):
            ranker(shape=shape, **settings).fit(few_tell(), checkpoint=place, progress=killed_after(number))
        resumed = ranker(shape=shape, **settings).fit(few_tell(), checkpoint=place, resume=True)
        assert (resumed.curve, resumed._serialize_weights()) == (whole.curve, whole._serialize_weights())


@pytest.mark.parametrize("sigma", [2.0**-10, 2.0**5])
def test_the_steepness_is_the_scale_of_the_scores(shape: str, sigma: float) -> None:
    """Without norm, which adds a constant to the distances of scores."""
    steep, plain = (
        ranker(shape=shape, objective=Objective.parse(GAP, sigma=one), norm=False).fit(TRAIN, VALID)
        for one in (sigma, 1.0)
    )
    np.testing.assert_allclose(sigma * steep.score(TEST), plain.score(TEST), rtol=1e-6)


def test_features_of_one_value_are_a_clear_error(shape: str) -> None:
    constant = dataclasses.replace(TRAIN, X=np.ones_like(TRAIN.X))
    with pytest.raises(InputError, match="every feature has one value"):
        ranker(shape=shape).fit(constant)


def test_a_handful_of_rows_is_learnt(shape: str) -> None:
    few = Features.from_arrays([[1.0], [2.0], [3.0]], [0, 2, 1], sizes=[3])
    scores = ranker(shape=shape, **least_rows(shape, 1), subsample=1.0).fit(few).score(few)
    assert np.argsort(scores).tolist() == [0, 2, 1]
