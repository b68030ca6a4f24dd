"""What a GPU computes, against the same on a CPU in double precision; it skips where there is none.

pytest -m gpu tests/ltr/test_gpu.py
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import InputError

torch = pytest.importorskip("torch")

from gradeval.ltr import Batch, LinearRanker, Objective, prepare_loss

HAS_GPU = torch.cuda.is_available()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not HAS_GPU, reason="PyTorch sees no GPU here")]

LEVELS = (0.0, 1.0, 2.0, 3.0, 4.0)
PAIRED = ["AP", "AP(rel=2)", "GAP", "xGAP", "eGAP", "muAP", "Q", "AWP"]
OTHERS = ["nDCG", "nDCG(discount='letor')", "DCG", "NDCNG", "RBP", "nDCG@3", "nDCG@10", "P@5", "ERR", "nERR", "RR"]
OBJECTIVES = [
    *(Objective.parse(f"softrank:{measure}") for measure in PAIRED + OTHERS),
    *(Objective.parse(f"softrank:{measure}", estimator="expected") for measure in PAIRED[:-2] + OTHERS),
    *(Objective.parse(f"lambdarank:{measure}") for measure in [*PAIRED, *OTHERS, "GAP@10", "ERR@20", "Bpref"]),
    Objective.parse("lambdarank:nDCG", truncation=10),
    *map(Objective.parse, ("listnet", "queryrmse", "approxndcg", "lambdaloss")),
]


def name_of(objective: Objective) -> str:
    return f"{objective}{'' if objective.estimator == 'plugin' else ' expected'}"


@pytest.fixture(scope="module")
def batch() -> Batch:
    """Lists of 2 to 60 documents; it keeps the kernels of measures."""
    rng = np.random.default_rng(6)
    mask = np.arange(60) < rng.integers(2, 61, 12)[:, None]
    return Batch.of(rng.choice(5, (12, 60), p=[0.5, 0.25, 0.15, 0.06, 0.04]), levels=LEVELS, mask=mask)


def loss_and_gradient(objective: Objective, batch: Batch, dtype: Any, device: str) -> tuple[float, Any]:
    scores = torch.randn(batch.level.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    scores = scores.to(device, dtype).requires_grad_()
    value = prepare_loss(objective, batch, dtype=dtype, device=device)(scores)
    value.backward()
    assert scores.grad is not None
    return float(value.detach()), scores.grad.double().cpu().numpy()


@pytest.mark.parametrize("objective", OBJECTIVES, ids=name_of)
def test_loss_and_gradient_are_those_of_the_cpu(objective: Objective, batch: Batch) -> None:
    value, gradient = loss_and_gradient(objective, batch, torch.float64, "cpu")
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-4)):
        there, slope = loss_and_gradient(objective, batch, dtype, "cuda")
        assert there == pytest.approx(value, rel=tolerance, abs=tolerance)
        np.testing.assert_allclose(slope, gradient, rtol=0, atol=tolerance * max(1.0, float(np.abs(gradient).max())))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=name_of)
def test_a_loss_never_waits_for_the_gpu(objective: Objective, batch: Batch) -> None:
    if str(objective) == "lambdarank:Bpref":
        pytest.skip("without a kernel, swapped lists are scored on the CPU")
    loss = prepare_loss(objective, batch, device="cuda")
    scores = torch.randn(batch.level.shape, device="cuda", requires_grad=True)
    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Synchronization debug mode is a prototype", UserWarning)
        try:
            torch.cuda.set_sync_debug_mode("error")
            loss(scores).backward()
        finally:
            torch.cuda.set_sync_debug_mode(before)


@pytest.mark.parametrize(("first", "second"), [("cpu", "cuda"), ("cuda", "cpu"), ("cuda", "cuda:0")])
@pytest.mark.parametrize("objective", ["lambdarank:GAP", "softrank:nDCG@5", "listnet"])
def test_a_training_resumes_on_the_other_device(objective: str, first: str, second: str, tmp_path: Path) -> None:
    train, valid = graded_features(20), graded_features(15, seed=1, prefix="v")
    whole = LinearRanker(objective, epochs=8, device=first).fit(train, valid)
    place = tmp_path / "checkpoint"
    LinearRanker(objective, epochs=4, device=first).fit(train, valid, checkpoint=place)
    resumed = LinearRanker(objective, epochs=8, device=second).fit(train, valid, checkpoint=place, resume=True)
    np.testing.assert_allclose(resumed.coefficients, whole.coefficients, atol=1e-4)
    assert resumed.curve[:4] == whole.curve[:4]
    np.testing.assert_allclose(
        [epoch.valid for epoch in resumed.curve], [epoch.valid for epoch in whole.curve], atol=2e-2
    )


def test_a_gpu_that_is_not_there_is_named() -> None:
    count = torch.cuda.device_count()
    with pytest.raises(InputError, match=f"device='cuda:{count}': PyTorch sees {count} GPUs here"):
        LinearRanker("listnet", device=f"cuda:{count}").fit(graded_features(6))
