"""init_model of a TreeRanker: training goes on from the trees of another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from gradeval.ltr import Epoch, LinearRanker, TreeRanker, load_ranker


def ranker(epochs: int = 6, **changes: Any) -> TreeRanker:
    settings: dict[str, Any] = {"min_rows": 2, "leaves": 4, "subsample": 1.0, "patience": 99, **changes}
    return TreeRanker("lambdarank:GAP", epochs=epochs, **settings)


def test_trees_that_go_on_are_those_of_one_training(train: Features, valid: Features, tmp_path: Path) -> None:
    whole = ranker(12).fit(train, valid)
    ranker().fit(train).save(tmp_path / "first")
    second = ranker().fit(train, valid, init_model=load_ranker(tmp_path / "first"))
    assert [epoch.number for epoch in second.curve] == list(range(1, 7))
    np.testing.assert_allclose([e.objective for e in second.curve], [e.objective for e in whole.curve[6:]], atol=1e-9)
    np.testing.assert_allclose([e.valid for e in second.curve], [e.valid for e in whole.curve[6:]], atol=1e-9)
    kept = 6 + second.best
    expected = whole.booster.predict(train.X[:]) if kept == whole.best else None
    assert second.booster.num_trees() == kept
    if expected is not None:
        np.testing.assert_allclose(second.score(train), expected, atol=1e-9)
    second.save(tmp_path / "second")
    np.testing.assert_array_equal(load_ranker(tmp_path / "second").score(train), second.score(train))


def test_without_validation_all_trees_are_kept(train: Features) -> None:
    both = ranker().fit(train, init_model=ranker().fit(train))
    np.testing.assert_allclose(both.score(train), ranker(12).fit(train).score(train), atol=1e-9)
    assert both.booster.num_trees() == 12


def test_a_killed_training_goes_on_from_the_same_trees(train: Features, valid: Features, tmp_path: Path) -> None:
    first = ranker().fit(train)
    whole = ranker(subsample=0.6).fit(train, valid, init_model=first)

    def kill(epoch: Epoch) -> None:
        if epoch.number == 3:
            raise KeyboardInterrupt

    how: dict[str, Any] = {"init_model": first, "checkpoint": tmp_path / "checkpoint"}
    with pytest.raises(KeyboardInterrupt):
        ranker(subsample=0.6).fit(train, valid, progress=kill, **how)
    resumed = ranker(subsample=0.6).fit(train, valid, resume=True, **how)
    assert (resumed.curve, resumed.text) == (whole.curve, whole.text)
    with pytest.raises(InputError, match="checkpoint: of a training with other init_model"):
        ranker(subsample=0.6).fit(train, valid, checkpoint=tmp_path / "checkpoint", resume=True)


def test_what_training_cannot_go_on_from_is_refused(train: Features) -> None:
    train = replace(train, X=np.round(train.X))  # of few values, as categories are
    first = ranker().fit(train)
    for refused, given, said in (
        (LinearRanker("lambdarank:GAP", epochs=1), first, "is for a TreeRanker; LinearRanker takes none"),
        (ranker(), "first", r"init_model='first' is no TreeRanker: load_ranker\(folder\) gives one"),
        (ranker(), ranker(), "not trained"),
        (ranker(), ranker().fit(graded_features(9, columns=3)), "the first trees were trained on 3 features"),
        (
            ranker(scaling="z-score"),
            first,
            "init_model=TreeRanker goes on from features as they are: train both without scaling",
        ),
        (ranker(categorical=["2"]), first, "init_model=TreeRanker was trained with other categories"),
    ):
        with pytest.raises(InputError, match=said):
            refused.fit(train, init_model=given)
