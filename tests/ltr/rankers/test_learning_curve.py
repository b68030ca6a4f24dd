"""Learning curves: a row for people, the epochs for programs, before and after a model is saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from graded_features import graded_features

pytest.importorskip("lightgbm")

from gradeval.ltr import LearningCurve, TreeRanker, load_ranker
from gradeval.ltr.rankers.learning_curve import FIELDS

TRAIN, VALID = graded_features(12, seed=1, prefix="a"), graded_features(8, seed=2, prefix="b")


def trained(*, validated: bool) -> TreeRanker:
    ranker = TreeRanker("lambdarank:AP", epochs=4, min_rows=3, patience=4)
    return ranker.fit(TRAIN, VALID if validated else None, "nDCG@3" if validated else None)


def test_the_row_says_which_epoch_was_kept_and_its_value() -> None:
    ranker = trained(validated=True)
    head, _, row = str(ranker.learning_curve).splitlines()
    assert head.split() == ["objective", "ranker", "epochs", "kept", "nDCG@3"]
    assert row.split() == ["lambdarank:AP", "tree", "4", str(ranker.best), f"{ranker.curve[ranker.best - 1].valid:.4f}"]


def test_without_validation_there_is_no_value() -> None:
    head, _, row = str(trained(validated=False).learning_curve).splitlines()
    assert head.split() == ["objective", "ranker", "epochs", "kept"]
    assert row.split() == ["lambdarank:AP", "tree", "4", "4"]


def test_the_records_are_the_epochs() -> None:
    ranker = trained(validated=True)
    records = ranker.learning_curve.table().records.fields
    assert list(records) == FIELDS
    assert list(zip(records["epoch"], records["trained"], records["valid"], strict=True)) == list(ranker.curve)
    assert [epoch for epoch, kept in zip(records["epoch"], records["kept"], strict=True) if kept] == [ranker.best]
    assert set(records["train"]) == {TRAIN.name}
    assert set(records["valid_data"]) == {VALID.name}


def test_a_loaded_model_has_the_curve_of_its_training(tmp_path: Path) -> None:
    ranker = trained(validated=True)
    ranker.save(tmp_path / "model")
    curve = load_ranker(tmp_path / "model").learning_curve
    assert isinstance(curve, LearningCurve)
    assert str(curve) == str(ranker.learning_curve)
