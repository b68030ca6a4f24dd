"""Losses as a device sees them: how many calls they make, that they wait for nothing, that they can be compiled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import InputError

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # such small tensors only wait for each other

from torch.utils._python_dispatch import TorchDispatchMode

from gradeval.ltr import Batch, LinearRanker, Objective, lambda_loss, prepare_loss, soft_measure
from gradeval.ltr.objectives import loss as loss_module
from gradeval.ltr.objectives import soft_kernels as softkernel
from gradeval.ltr.objectives.loss import Loss, LossByQuery
from gradeval.ltr.rankers.training import Dataset

LEVELS = (0.0, 1.0, 2.0, 3.0)
PRECISION_LIKE = ["AP", "AP(rel=2)", "GAP", "GAP(g=[0.2,0.3,0.5])", "xGAP", "eGAP", "muAP"]
BLENDED = ["Q", "Q(beta=10)", "AWP"]
GAINS = ["nDCG", "nDCG(dcg='exp-log2')", "nDCG(discount='letor')", "DCG", "NDCNG", "RBP"]
CUT = ["nDCG@3", "nDCG@10", "P@2", "RBP(p=0.5)@4"]
CASCADES = ["ERR", "nERR", "RR"]
EXPECTED = [
    Objective.parse(f"softrank:{measure}", estimator="expected") for measure in PRECISION_LIKE + GAINS + CUT + CASCADES
]
OBJECTIVES = [
    *(Objective.parse(f"softrank:{measure}") for measure in PRECISION_LIKE + BLENDED + GAINS + CUT + CASCADES),
    *EXPECTED,
    *(Objective.parse(f"lambdarank:{measure}") for measure in PRECISION_LIKE + BLENDED + GAINS + CUT + CASCADES),
    Objective.parse("lambdarank:GAP", truncation=5),
    *map(Objective.parse, ("lambdarank:GAP@5", "lambdarank:ERR@3", "listnet", "queryrmse", "approxndcg", "lambdaloss")),
]
QUICKLY_COMPILED = ("softrank:GAP", "softrank:nDCG@3", "lambdarank:GAP", "listnet", "queryrmse", "lambdaloss")
READS = ("_local_scalar_dense", "item", "is_nonzero", "nonzero", "masked_select", "unique", "equal", "_assert_async")
MOST_CALLS = 150


def name_of(objective: Objective) -> str:
    return f"{objective}{'' if objective.estimator == 'plugin' else ' expected'}"


every_objective = pytest.mark.parametrize("objective", OBJECTIVES, ids=name_of)


class Calls(TorchDispatchMode):
    """Counts the calls of PyTorch's functions by name, but for views, which compute nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = function._schema.name.removeprefix("aten::")
        booleans = [one for one in args[1] if one is not None and one.dtype == torch.bool] if name == "index" else []
        if booleans:
            name = "nonzero"  # what an index of booleans calls
        if not function.is_view and name != "detach":
            self.counts[name] += 1
        return function(*args, **(kwargs or {}))

    @property
    def reads(self) -> int:
        """How many calls wait for a value or a shape that is known on the device only."""
        return sum(self.counts[name] for name in READS)


def by_tensors(loss: Loss) -> Loss:
    """The loss as it is on other devices than a CPU."""
    assert isinstance(loss.by_query, LossByQuery)
    return replace(loss, by_query=loss.by_query.tensors)


@cache
def graded_batch(queries: int, documents: int) -> Batch:
    """It keeps the kernels of measures."""
    rng = np.random.default_rng(3)
    mask = np.arange(documents) < rng.integers(2, documents + 1, queries)[:, None]
    return Batch.of(rng.choice(4, (queries, documents), p=[0.5, 0.3, 0.15, 0.05]), levels=LEVELS, mask=mask)


def random_scores(batch: Batch, dtype: torch.dtype = torch.float64) -> Any:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(batch.level.shape, dtype=torch.float64, generator=generator).to(dtype).requires_grad_()


@every_objective
def test_a_loss_and_its_gradient_are_few_calls_that_read_no_value(
    objective: Objective, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(softkernel, "CELLS", {})  # as on a GPU, which takes all columns at once
    batch = graded_batch(3, 16)
    scores = random_scores(batch)
    loss = by_tensors(prepare_loss(objective, batch, dtype=torch.float64))
    with Calls() as calls:
        value = loss(scores)
        value.backward()
    assert calls.counts.total() <= MOST_CALLS
    assert calls.reads == 0
    with Calls() as reading:
        float(value.detach())
    assert reading.reads == 1


@every_objective
def test_a_loss_stays_on_its_device(objective: Objective, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device "meta" knows shapes and no values, so reading one is an error there, as is a tensor elsewhere."""
    monkeypatch.setattr(loss_module, "in_full_precision", lambda _: nullcontext())  # which that device lacks
    batch = graded_batch(3, 16)
    scores = torch.randn(batch.level.shape, device="meta", requires_grad=True)
    loss = prepare_loss(objective, batch, device="meta")(scores)
    loss.backward()
    assert (loss.device.type, scores.grad.device.type) == ("meta", "meta")


@pytest.mark.parametrize("text", ["softrank:GAP", "softrank:nDCG@3", "listnet"])
def test_training_reads_no_value_by_batch(text: str) -> None:
    """But for Adam's counter of steps, which stays on the CPU."""
    data = graded_features(12)
    reads = {}
    for queries in (1, 4):
        with Calls() as calls:
            LinearRanker(text, epochs=1, queries=queries).fit(data)
        reads[queries] = calls.reads
    batches = {queries: len(Dataset.of(data, data.levels, Objective.parse(text), queries, "cpu", 1).batches)
               for queries in reads}  # fmt: skip
    assert reads[1] - reads[4] <= batches[1] - batches[4]


def test_a_cutoff_takes_calls_by_the_logarithm_of_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(softkernel, "CELLS", {})
    counts = {}
    for documents in (16, 128):
        batch = graded_batch(2, documents)
        loss = by_tensors(prepare_loss("softrank:nDCG@10", batch, dtype=torch.float64))
        scores = random_scores(batch)
        with Calls() as calls:
            loss(scores).backward()
        counts[documents] = calls.counts.total()
    assert counts[128] - counts[16] <= 3 * 20
    assert counts[128] <= MOST_CALLS


def test_the_counter_sees_what_it_looks_for() -> None:
    values = torch.tensor([1.0, -1.0])
    with Calls() as calls:
        values[values > 0].sum().item()
        values[torch.tensor([0])].view(1, 1)
    assert calls.counts == {"gt": 1, "nonzero": 1, "sum": 1, "_local_scalar_dense": 1, "index": 1}
    assert calls.reads == 2


# PyTorch's compiler itself instantiates functions of autograd.
@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize(
    "objective",
    [pytest.param(one, marks=() if name_of(one) in QUICKLY_COMPILED else pytest.mark.long) for one in OBJECTIVES],
    ids=name_of,
)
def test_a_loss_is_one_graph_for_the_compiler(objective: Objective) -> None:
    batch = graded_batch(3, 16)
    loss = prepare_loss(objective, batch, dtype=torch.float64)
    gradients = []
    torch._dynamo.reset()
    for function in (loss, torch.compile(loss, fullgraph=True, backend="eager")):
        scores = random_scores(batch)
        function(scores).backward()
        gradients.append(scores.grad)
    np.testing.assert_allclose(*gradients, rtol=0, atol=1e-14)


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
def test_a_loss_compiles_with_its_gradient() -> None:
    batch = graded_batch(3, 16)
    loss = prepare_loss("softrank:nDCG@5", batch, dtype=torch.float64)
    scores, compiled = random_scores(batch), random_scores(batch)
    loss(scores).backward()
    torch._dynamo.reset()
    torch.compile(loss, fullgraph=True, backend="aot_eager")(compiled).backward()
    np.testing.assert_allclose(compiled.grad, scores.grad, rtol=0, atol=1e-14)


@pytest.mark.parametrize("objective", [one for one in OBJECTIVES if one.method == "softrank"][::5], ids=name_of)
def test_parts_of_columns_change_nothing(objective: Objective, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = graded_batch(3, 16)
    gradients = []
    for cells in (1 << 30, 20_000):
        monkeypatch.setattr(softkernel, "CELLS", {"cpu": cells})
        scores = random_scores(batch)
        by_tensors(prepare_loss(objective, batch, dtype=torch.float64))(scores).backward()
        gradients.append(scores.grad)
    np.testing.assert_allclose(*gradients, rtol=0, atol=1e-13)


@pytest.mark.parametrize("objective", [one for one in OBJECTIVES if one.method != "softrank"], ids=name_of)
def test_single_precision_is_close_to_double(objective: Objective) -> None:
    batch = graded_batch(3, 16)
    gradients = []
    for dtype in (torch.float64, torch.float32):
        scores = random_scores(batch, dtype)
        by_tensors(prepare_loss(objective, batch, dtype=dtype))(scores).backward()
        gradients.append(scores.grad.double())
    np.testing.assert_allclose(*gradients, rtol=0, atol=1e-4 * float(gradients[0].abs().max()))


@pytest.mark.parametrize("text", ["softrank:GAP", "softrank:nDCG@3", "lambdarank:GAP", "listnet", "lambdaloss"])
def test_a_score_that_is_not_finite_makes_the_loss_not_finite(text: str) -> None:
    batch = graded_batch(3, 16)
    for wrong in (torch.nan, torch.inf):
        scores = random_scores(batch).detach().clone()
        scores[1, 1] = wrong
        loss = prepare_loss(text, batch, dtype=torch.float64)
        assert not torch.isfinite(loss(scores))
        assert not torch.isfinite(by_tensors(loss)(scores))


@pytest.mark.parametrize(
    "function",
    [
        lambda scores, batch: lambda_loss(scores, batch, "GAP"),
        lambda scores, batch: soft_measure(scores, batch, "GAP"),
        lambda scores, batch: prepare_loss("softrank:GAP", batch)(scores),
    ],
)
def test_mixed_precision_leaves_the_digits_of_a_loss(function: Callable[[Any, Batch], Any]) -> None:
    batch = graded_batch(3, 30)
    scores = random_scores(batch, torch.float32)
    expected = function(scores, batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(function(scores, batch), expected)


def test_a_loss_is_prepared_once() -> None:
    batch = graded_batch(3, 16)
    assert prepare_loss("softrank:GAP", batch) is prepare_loss("softrank:GAP", batch)
    assert prepare_loss("softrank:GAP", batch) is not prepare_loss("softrank:GAP", batch, dtype=torch.float64)


def test_a_loss_is_prepared_for_a_batch_and_nothing_else() -> None:
    with pytest.raises(InputError, match=r"a loss is prepared for a Batch, not list; write Batch\.of"):
        prepare_loss("listnet", [[0, 1]])
