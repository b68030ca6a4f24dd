"""draws="auto": rankers are trained with and without draws, and validation chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import Features, InputError

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from gradeval.ltr import Epoch, LambdaObjective, LinearRanker, Objective, TreeRanker, load_ranker


def ranker(kind: Any, draws: Any, **more: Any) -> Any:
    settings: dict[str, Any] = {"queries": 4} if kind is LinearRanker else {"min_rows": 2, "leaves": 4}
    return kind(Objective("lambdarank", "ERR", draws=draws), epochs=8, **settings, **more)


@pytest.mark.parametrize("kind", [TreeRanker, LinearRanker])
@pytest.mark.parametrize("seed", range(3))
def test_the_better_on_validation_is_kept(
    kind: Any, seed: int, train: Features, valid: Features, tmp_path: Path
) -> None:
    each = {draws: ranker(kind, draws, seed=seed).fit(train, valid) for draws in (0, 5)}
    assert not np.array_equal(each[0].score(valid), each[5].score(valid))
    best = max(each, key=lambda draws: max(epoch.valid for epoch in each[draws].curve))
    auto = ranker(kind, "auto", seed=seed).fit(train, valid)
    np.testing.assert_array_equal(auto.score(valid), each[best].score(valid))
    assert auto.curve == each[best].curve
    assert auto.card.objective["draws"] == best
    assert auto.objective.draws == "auto"
    auto.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert loaded.objective.draws == best
    np.testing.assert_array_equal(loaded.score(valid), auto.score(valid))


def test_without_validation_there_is_nothing_to_choose_by(train: Features) -> None:
    with pytest.raises(InputError, match="draws='auto' is chosen by validation: give validation data"):
        ranker(TreeRanker, "auto").fit(train)


@pytest.mark.parametrize("killed", [3, 11])
def test_a_killed_training_goes_on(killed: int, train: Features, valid: Features, tmp_path: Path) -> None:
    whole = ranker(TreeRanker, "auto", patience=99).fit(train, valid)
    seen: list[Epoch] = []

    def interrupt(epoch: Epoch) -> None:
        seen.append(epoch)
        if len(seen) == killed:
            raise KeyboardInterrupt

    place = tmp_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        ranker(TreeRanker, "auto", patience=99).fit(train, valid, checkpoint=place, progress=interrupt)
    resumed = ranker(TreeRanker, "auto", patience=99).fit(
        train, valid, checkpoint=place, resume=True, progress=seen.append
    )
    assert 16 <= len(seen) < 16 + killed  # on a slow disk not each tree is written, and a few are trained again
    assert resumed.text == whole.text
    assert resumed.curve == whole.curve
    assert sorted(tmp_path.iterdir()) == [place]


def test_a_ranker_grows_the_trees_of_the_objective(train: Features) -> None:
    import lightgbm

    settings: dict[str, Any] = {"learning_rate": 0.2, "num_leaves": 4, "min_data_in_leaf": 2, "verbosity": -1}
    bins = {"min_data_in_bin": 1, "feature_pre_filter": False, "verbosity": -1}
    objective = LambdaObjective("ERR", train.levels, draws=5)
    data = lightgbm.Dataset(train.X[:], train.grades, group=np.diff(train.offsets), params=bins)
    plain = lightgbm.train({**settings, "objective": objective}, data, 8).predict(train.X[:])
    ours = ranker(TreeRanker, 5, subsample=1.0, learning_rate=0.2).fit(train).score(train)
    np.testing.assert_allclose(ours, plain, atol=1e-10)
