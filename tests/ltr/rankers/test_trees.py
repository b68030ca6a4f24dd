"""Trees learn any measure, and a resumed training gives the same trees."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trees import GAP, TEST, TRAIN, VALID, Killed, killed_after, ranker, small_features

from gradeval import Features, InputError, evaluate
from gradeval.ltr import Epoch, Objective, TreeRanker
from gradeval.ltr.rankers.trees import TreeTraining

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def whole() -> TreeRanker:
    """A training that nobody interrupts."""
    return ranker().fit(TRAIN, VALID)


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "GAP(g=[0.5,0.5])", "xGAP", "eGAP", "Q", "ERR", "RBP"])
def test_trees_learn_any_measure(measure: str) -> None:
    trained = ranker(objective=f"lambdarank:{measure}").fit(TRAIN, VALID)
    runs = [TEST.run(trained.score(TEST), name="trained"), TEST.run(np.zeros(len(TEST)), name="file order")]
    trained_mean, random_mean = evaluate(TEST.qrels, runs, measure, ties="expected").mean()[:, 0]
    assert trained_mean > random_mean + 0.1


def test_the_first_of_the_best_trees_on_validation_are_kept(whole: TreeRanker) -> None:
    values = [epoch.valid for epoch in whole.curve]
    assert [epoch.number for epoch in whole.curve] == list(range(1, len(values) + 1))
    assert whole.best == values.index(max(values)) + 1  # type: ignore[type-var]
    run = VALID.run(whole.score(VALID))
    value = evaluate(VALID.qrels, [run], "GAP(g=[0.5,0.5])", ties="expected").mean()[0, 0]
    assert value == pytest.approx(values[whole.best - 1], abs=1e-12)


def test_training_stops_after_so_many_trees_in_vain() -> None:
    trained = ranker(epochs=500, patience=7).fit(TRAIN, VALID)
    assert len(trained.curve) == trained.best + 7


def test_the_curve_tells_the_measure_on_the_training_queries_before_each_tree() -> None:
    one = ranker(epochs=1).fit(TRAIN)
    run = TRAIN.run(one.score(TRAIN))
    after_one = evaluate(TRAIN.qrels, [run], "GAP(g=[0.5,0.5])", ties="expected").mean()[0, 0]
    assert ranker(epochs=2).fit(TRAIN).curve[1].objective == after_one


def test_queries_that_cannot_be_learnt_from_are_passed_over(whole: TreeRanker) -> None:
    rng = np.random.default_rng(7)
    X, grades = rng.normal(size=(41, 6)), np.repeat([0.0, 2.0, 1.0], [20, 20, 1])
    idle = Features.from_arrays(X, grades, topics=np.repeat(["none", "all", "alone"], [20, 20, 1]))
    more = ranker().fit(Features.concat([TRAIN, idle]), VALID)
    assert more.curve == whole.curve
    np.testing.assert_array_equal(more.score(TEST), whole.score(TEST))


@pytest.mark.parametrize("valid", [None, VALID])
def test_resuming_a_finished_training_gives_the_same_bytes(
    whole: TreeRanker, valid: Features | None, tmp_path: Path
) -> None:
    finished = ranker().fit(TRAIN, valid, checkpoint=tmp_path / "checkpoint")
    resumed = ranker().fit(TRAIN, valid, checkpoint=tmp_path / "checkpoint", resume=True)
    for trained, place in ((finished, tmp_path / "finished"), (resumed, tmp_path / "resumed")):
        trained.save(place)
    for name in os.listdir(tmp_path / "finished"):
        assert (tmp_path / "resumed" / name).read_bytes() == (tmp_path / "finished" / name).read_bytes()
    if valid is not None:
        whole.save(tmp_path / "whole")
        assert (tmp_path / "resumed" / "trees.txt").read_bytes() == (tmp_path / "whole" / "trees.txt").read_bytes()


def test_the_same_seed_grows_the_same_trees_whatever_the_threads(whole: TreeRanker) -> None:
    again = ranker(threads=2).fit(TRAIN, VALID)
    assert again.curve == whole.curve
    np.testing.assert_array_equal(again.score(TEST), whole.score(TEST))


def test_another_seed_draws_other_queries(whole: TreeRanker) -> None:
    assert not np.array_equal(ranker(seed=1).fit(TRAIN, VALID).score(TEST), whole.score(TEST))


def test_another_seed_ranks_equal_scores_in_another_order() -> None:
    """Where all queries are drawn, nothing else is left to chance, and listnet has no order."""
    for objective, same in (("lambdarank:GAP", False), ("listnet", True)):
        settings = {"objective": objective, "subsample": 1.0}
        first, other = (ranker(seed=seed, **settings).fit(TRAIN, VALID).score(TEST) for seed in (0, 1))
        assert np.array_equal(first, other) == same


@pytest.mark.parametrize("epochs", [1, 4])
def test_every_tree_draws_its_own_queries(epochs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[bool, ...]] = []
    original = TreeTraining._gradients

    def watched(growth: TreeTraining, scores: np.ndarray[Any, Any]) -> Any:
        gradient, hessian = original(growth, scores)
        looked_at = np.add.reduceat(np.abs(gradient), growth.train.offsets[:-1]) > 0
        assert (looked_at == (np.add.reduceat(hessian, growth.train.offsets[:-1]) > 0)).all()
        seen.append(tuple(looked_at.tolist()))
        return gradient, hessian

    monkeypatch.setattr(TreeTraining, "_gradients", watched)
    ranker(epochs=epochs).fit(TRAIN)
    assert len(set(seen)) == epochs
    assert {sum(looked_at) for looked_at in seen} == {round(0.6 * len(TRAIN.topics))}


@pytest.mark.parametrize(
    "changes", [{"leaves": 3}, {"min_rows": 40}, {"l2": 1.0}, {"norm": True}, {"learning_rate": 0.1}]
)
def test_every_parameter_acts(whole: TreeRanker, changes: dict[str, object]) -> None:
    assert not np.array_equal(ranker(**changes).fit(TRAIN, VALID).score(TEST), whole.score(TEST))


@pytest.mark.parametrize("number", [1, 5, 12])
def test_a_training_killed_after_some_tree_goes_on_to_the_very_same_trees(
    whole: TreeRanker, number: int, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        ranker().fit(TRAIN, VALID, checkpoint=checkpoint, progress=killed_after(number))
    epochs: list[Epoch] = []
    resumed = ranker().fit(TRAIN, VALID, checkpoint=checkpoint, resume=True, progress=epochs.append)
    assert 2 <= epochs[0].number <= number + 1  # on a slow disk not each tree is written
    assert (resumed.curve, resumed.best) == (whole.curve, whole.best)
    resumed.save(tmp_path / "resumed")
    whole.save(tmp_path / "whole")
    assert (tmp_path / "resumed/trees.txt").read_bytes() == (tmp_path / "whole/trees.txt").read_bytes()


def test_a_training_for_a_baseline_goes_on_after_a_kill(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(Killed):
        ranker(objective="listnet").fit(TRAIN, VALID, checkpoint=checkpoint, progress=killed_after(3))
    resumed = ranker(objective="listnet").fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)
    assert resumed.curve == ranker(objective="listnet").fit(TRAIN, VALID).curve


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    ranker(epochs=2).fit(TRAIN, VALID, checkpoint=checkpoint)
    for other, train in ((ranker(leaves=4), TRAIN), (ranker(), small_features(9)), (ranker(seed=1), TRAIN)):
        with pytest.raises(InputError, match="checkpoint: of a training with other"):
            other.fit(train, VALID, checkpoint=checkpoint, resume=True)
    more = ranker(epochs=3).fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)
    assert len(more.curve) == 3
    with pytest.raises(InputError, match="3 trees are grown, epochs=1 wanted"):
        ranker(epochs=1).fit(TRAIN, VALID, checkpoint=checkpoint, resume=True)


# What does not fit


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"objective": "softrank:AP"}, "trees do not learn by softrank, as .* positive; write 'lambdarank:AP'"),
        ({"leaves": 200_000}, "leaves=200000 is not a whole number from 2 to 131072"),
        ({"norm": "yes"}, "norm='yes' is not True or False"),
        ({"subsample": 1.5}, "subsample=1.5 is not a number above 0, up to 1"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ranker(**changes)


def test_nothing_to_learn_is_a_clear_error() -> None:
    for grades in (np.zeros(len(TRAIN)), np.full(len(TRAIN), 2)):
        with pytest.raises(InputError, match="nothing to learn"):
            ranker().fit(TRAIN.with_grades(grades), VALID)


def test_rows_too_few_for_a_split_are_a_clear_error() -> None:
    with pytest.raises(
        InputError, match=r"no split with at least 200 rows .* on each side improves GAP.*; lower min_rows"
    ):
        ranker(min_rows=200).fit(TRAIN, VALID)


def few_tell() -> Features:
    """Ten queries; the one feature differs only in the first two."""
    X = np.zeros((200, 1))
    X[:40, 0] = np.random.default_rng(0).normal(size=40)
    grades = np.where(np.arange(200) < 40, X[:, 0] > 0.5, np.arange(200) % 4 == 0)
    return Features.from_arrays(X, grades, sizes=[20] * 10)


@pytest.mark.parametrize("seed", range(8))
def test_queries_without_a_split_end_nothing_while_others_have_one(seed: int, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"objective": "lambdarank:AP", "seed": seed, "min_rows": 3, "learning_rate": 0.05}
    whole = ranker(**settings).fit(few_tell())
    assert len(whole.curve) == 30
    for number in (1, 7):
        place = tmp_path / str(number)
        with pytest.raises(Killed):
            ranker(**settings).fit(few_tell(), checkpoint=place, progress=killed_after(number))
        resumed = ranker(**settings).fit(few_tell(), checkpoint=place, resume=True)
        assert (resumed.curve, resumed._serialize_weights()) == (whole.curve, whole._serialize_weights())


def test_growing_is_over_when_all_queries_together_give_no_split(tmp_path: Path) -> None:
    steep: dict[str, Any] = {"objective": "lambdarank:AP", "min_rows": 3, "learning_rate": 10, "epochs": 50}
    trained = ranker(**steep).fit(few_tell(), checkpoint=tmp_path / "checkpoint")
    assert 1 <= len(trained.curve) < 50  # the pairs are so far apart that all gradients vanish
    again = ranker(**steep).fit(few_tell(), checkpoint=tmp_path / "checkpoint", resume=True)
    assert again.curve == trained.curve


@pytest.mark.parametrize("sigma", [2.0**-10, 2.0**5])
def test_the_steepness_is_the_scale_of_the_scores(whole: TreeRanker, sigma: float) -> None:
    scaled = ranker(objective=Objective.parse(GAP, sigma=sigma)).fit(TRAIN, VALID)
    np.testing.assert_allclose(sigma * scaled.score(TEST), whole.score(TEST), rtol=1e-6)


def test_features_of_one_value_are_a_clear_error() -> None:
    constant = dataclasses.replace(TRAIN, X=np.ones_like(TRAIN.X))
    with pytest.raises(InputError, match="every feature has one value"):
        ranker().fit(constant)


def test_a_handful_of_rows_is_learnt() -> None:
    few = Features.from_arrays([[1.0], [2.0], [3.0]], [0, 2, 1], sizes=[3])
    scores = ranker(min_rows=1, subsample=1.0).fit(few).score(few)
    assert np.argsort(scores).tolist() == [0, 2, 1]


def test_trees_grow_without_pandas_and_scikit_learn() -> None:
    """Which the extra [ltr] does not bring; LightGBM makes frames with the one and rankers with the other."""
    script = """
import sys
sys.modules.update(dict.fromkeys(("pandas", "sklearn", "pyarrow")))
from graded_features import graded_features
from gradeval.ltr import TreeRanker
ranker = TreeRanker("lambdarank:AP", epochs=3, min_rows=5).fit(graded_features(20), graded_features(10, seed=1))
print(len(ranker.curve))
"""
    support = str(Path(__file__).resolve().parents[2] / "support")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([support, *filter(None, sys.path)])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert done.stdout == "3\n", done.stderr
