"""Trees that LightGBM grows leaf by leaf."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_trees import TRAIN, VALID, ranker

from gradeval import Features, InputError
from gradeval.ltr import LambdaObjective, MixedObjective, Objective
from gradeval.ltr.rankers.leaf_wise_trees import least_hessian

pytest.importorskip("lightgbm")


def test_rows_too_few_for_a_split_are_a_clear_error() -> None:
    with pytest.raises(
        InputError,
        match=r"no split with at least 200 rows .* on each side improves GAP.*; lower min_rows=200, or give more rows",
    ):
        ranker(min_rows=200).fit(TRAIN, VALID)


@pytest.mark.parametrize("sigma", [1e-4, 0.1, 10.0, 1e4])
@pytest.mark.parametrize("balance", ["gradients", "none", None])
def test_the_least_hessian_of_a_leaf_is_the_same_share_of_all_whatever_sigma(sigma: float, balance: Any) -> None:
    def share(sigma: float) -> float:
        if balance is None:
            objective, made = (
                Objective.parse("GAP", sigma=sigma),
                LambdaObjective("GAP", TRAIN.levels, sigma=sigma, norm=False),
            )
        else:
            how: dict[str, Any] = {"sigma": sigma, "balance": balance}
            objective = Objective.parse("GAP + nDCG", **how)
            made = MixedObjective("GAP + nDCG", TRAIN.levels, norm=False, **how)  # type: ignore[assignment]  # either gives hessians
        _, hessian = made.gradients(np.zeros(len(TRAIN)), TRAIN.grades, TRAIN.offsets)
        return float(hessian.sum()) / least_hessian(objective)

    assert share(sigma) == pytest.approx(share(1.0), rel=1e-6)


def test_mixtures_are_learnt_at_the_largest_sigma() -> None:
    assert ranker(objective=Objective.parse("GAP + queryrmse", sigma=1e6)).fit(TRAIN, VALID).best > 0


def test_growing_is_over_when_all_queries_together_give_no_split(tmp_path: Path) -> None:
    steep: dict[str, Any] = {"objective": "lambdarank:AP", "min_rows": 3, "learning_rate": 10, "epochs": 50}
    X = np.zeros((200, 1))
    X[:40, 0] = np.random.default_rng(0).normal(size=40)  # it differs only in the first two queries
    grades = np.where(np.arange(200) < 40, X[:, 0] > 0.5, np.arange(200) % 4 == 0)
    few = Features.from_arrays(X, grades, sizes=[20] * 10)
    trained = ranker(**steep).fit(few, checkpoint=tmp_path / "checkpoint")
    assert 1 <= len(trained.curve) < 50  # the pairs are so far apart that all gradients vanish
    again = ranker(**steep).fit(few, checkpoint=tmp_path / "checkpoint", resume=True)
    assert again.curve == trained.curve


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
