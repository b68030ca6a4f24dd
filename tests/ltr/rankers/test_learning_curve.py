"""Learning curves: a row for people, the epochs for programs, before and after a model is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

pytest.importorskip("lightgbm")
pytest.importorskip("catboost")

from gradeval import InputError, evaluate
from gradeval.ltr import LearningCurve, LinearRanker, Ranker, TreeRanker, load_ranker
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


RANKERS: list[Ranker] = [
    TreeRanker("lambdarank:AP", epochs=5, min_rows=3, patience=5),
    TreeRanker("lambdarank:AP", epochs=5, shape="symmetric", leaves=4, patience=5),
    LinearRanker("lambdarank:AP", epochs=5, patience=5),
]
OTHER = graded_features(9, seed=3, prefix="c")
MEASURES = ["nDCG@3", "AP"]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: f"{ranker.kind} {getattr(ranker, 'shape', '')}")
def test_several_validation_sets_and_measures_are_told_and_the_first_of_them_decides(
    ranker: Ranker, tmp_path: Path
) -> None:
    alone = ranker.fit(TRAIN, VALID, "nDCG@3").curve
    given = [VALID, (OTHER.X, OTHER.grades)]
    sizes = [np.diff(each.offsets) for each in (VALID, OTHER)]
    found = ranker.fit(
        TRAIN.X,
        TRAIN.grades,
        MEASURES,
        group=np.diff(TRAIN.offsets),
        eval_set=given,
        eval_group=sizes,
        checkpoint=tmp_path / "checkpoint",
    )
    assert found.curve == alone
    values = found.evals_result_
    assert {data: list(by_measure) for data, by_measure in values.items()} == dict.fromkeys(
        ("valid_0", "valid_1"), MEASURES
    )
    for data, features in (("valid_0", VALID), ("valid_1", OTHER)):
        scored = evaluate(features.qrels, features.run(found.score(features)), MEASURES, ties="expected").mean()[0]
        np.testing.assert_allclose([values[data][each][found.best - 1] for each in MEASURES], scored, atol=1e-9)
    records = found.learning_curve.table().records.fields
    assert len(records["epoch"]) == 4 * len(alone)
    found.save(tmp_path / "model")
    assert load_ranker(tmp_path / "model").evals_result_ == values
    again = type(ranker)(**ranker.get_params()).fit(
        TRAIN.X,
        TRAIN.grades,
        MEASURES,
        group=np.diff(TRAIN.offsets),
        eval_set=given,
        eval_group=sizes,
        checkpoint=tmp_path / "checkpoint",
        resume=True,
    )
    assert again.evals_result_ == values
    with pytest.raises(InputError, match="of a training with other further validation data"):
        ranker.fit(TRAIN, [VALID], MEASURES, checkpoint=tmp_path / "checkpoint", resume=True)


class Pruned(Exception):
    pass


def test_callbacks_of_lightgbm_see_each_tree_and_may_end_the_training() -> None:
    import lightgbm

    seen: dict[str, Any] = {}
    reported: list[tuple[int, float]] = []

    def prune(env: Any) -> None:  # as Optuna's LightGBMPruningCallback does
        value = next(one[2] for one in env.evaluation_result_list if one[:2] == ("valid_1", "AP"))
        reported.append((env.iteration, value))
        if env.iteration == 3:
            raise Pruned

    ranker = TreeRanker("lambdarank:AP", epochs=6, min_rows=3, patience=6)
    sets: Any = {"y": [VALID, OTHER], "validate_by": MEASURES}
    ranker.fit(TRAIN, **sets, callbacks=[lightgbm.record_evaluation(seen), lightgbm.log_evaluation(0)])
    assert seen == ranker.evals_result_
    assert ranker.curve == ranker.fit(TRAIN, **sets).curve
    with pytest.raises(Pruned):
        ranker.fit(TRAIN, **sets, callbacks=[prune])
    assert reported == list(enumerate(seen["valid_1"]["AP"][:4]))
    worst = TreeRanker("lambdarank:AP", epochs=40, min_rows=3, patience=40)
    worst.fit(TRAIN, **sets, callbacks=[lightgbm.early_stopping(1, first_metric_only=True, verbose=False)])
    values = [epoch.valid or 0.0 for epoch in worst.curve]
    assert worst.best == len(values) - 1  # the first tree that is no better ends it
    assert values[-1] <= values[-2]


@pytest.mark.parametrize("ranker", RANKERS[1:], ids=["symmetric", "linear"])
def test_rankers_that_lightgbm_does_not_grow_refuse_its_callbacks(ranker: Ranker) -> None:
    with pytest.raises(InputError, match="calls progress=FUNCTION with each epoch"):
        ranker.fit(TRAIN, VALID, callbacks=[print])
    import lightgbm

    with pytest.raises(InputError, match="to be called before each tree, as reset_parameter"):
        RANKERS[0].fit(TRAIN, VALID, callbacks=[lightgbm.reset_parameter(learning_rate=[0.1] * 5)])
