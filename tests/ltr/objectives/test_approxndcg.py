from __future__ import annotations

from typing import Any

import pytest

from gradeval import InputError

torch = pytest.importorskip("torch")

torch.set_num_threads(1)  # such small tensors only wait for each other


from gradeval.ltr import Batch, Objective, TreeRanker, prepare_loss

LEVELS = (0.0, 1.0, 2.0, 3.0)


def loss_of(name: str, scores: Any, grades: Any, **parameters: Any) -> float:
    """The loss of a single query."""
    batch = Batch.of([grades], levels=LEVELS)
    tensor = torch.tensor([scores], dtype=torch.float64)
    return float(prepare_loss(Objective.parse(name, **parameters), batch, dtype=torch.float64)(tensor))


def test_approxndcg_is_that_of_the_reference_of_tensorflow_ranking() -> None:
    """The values that the documentation of tfr.keras.losses.ApproxNDCGLoss prints, at its temperature of 0.1."""
    first, second = loss_of("approxndcg", [0.6, 0.8], [1, 0]), loss_of("approxndcg", [0.5, 0.8, 0.4], [0, 1, 0])
    assert first == pytest.approx(-0.655107, abs=5e-7)
    assert (first + second) / 2 == pytest.approx(-0.80536866, abs=2e-7)  # of single precision


def test_trees_say_why_they_do_not_learn_by_approxndcg() -> None:
    with pytest.raises(InputError, match="approxndcg: trees do not learn by approxndcg, as its second derivatives"):
        TreeRanker("approxndcg")
    with pytest.raises(InputError, match="norm is a choice of losses over pairs of documents; listnet has none"):
        TreeRanker("listnet", norm=True)
