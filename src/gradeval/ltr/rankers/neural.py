"""Rankers that PyTorch trains: the linear one and the two-layer network of the papers. Scoring needs NumPy alone."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from gradeval import checks as checked
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.task import Task
from gradeval.ltr.rankers.engines import require_engine
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.rankers.net import score_in_blocks
from gradeval.ltr.rankers.ranker import Ranker

HIDDEN = 1_000_000  # units


@dataclass(eq=False)
class DescentRanker(Ranker):
    """A ranker trained by gradient descent (Adam) over batches of queries of similar length.

    Attributes
    ----------
    epochs : the largest number of epochs.
    patience : with validation data, training stops after so many epochs without an improvement.
    learning_rate : the learning rate of Adam.
    queries : the number of queries in a batch.
    device : "cpu" or "cuda". On the CPU the same seed gives the same ranker, bit by bit.
    threads : threads for PyTorch; 0 leaves PyTorch's setting. Queries are small, so one thread is often fastest.
    """

    epochs: int = 300
    patience: int = 50
    learning_rate: float = 0.01
    queries: int = 8
    device: str = "cpu"
    threads: int = 1
    _values: dict[str, Array] = field(default_factory=dict, init=False, repr=False)

    engine: ClassVar[str] = "torch"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, least in {"epochs": 1, "patience": 1, "queries": 1, "threads": 0}.items():
            setattr(self, name, checked.whole(name, getattr(self, name), least))
        self.learning_rate = checked.number("learning_rate", self.learning_rate, above=0, most=1e30)

    @property
    def weights(self) -> dict[str, Array]:
        """The arrays of weights by name, float32."""
        self.require_trained()
        return self._values

    @abstractmethod
    def _shapes(self, columns: int) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, for ``columns`` features."""

    @abstractmethod
    def _net(self, weights: Mapping[str, Any], X: Any, tanh: Callable[[Any], Any]) -> Any:
        """Scores [...] from features [..., column]; works on arrays and on tensors."""

    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        with require_engine(f"training a {type(self).__name__}"):
            from gradeval.ltr.rankers.training import Settings, descend

        require_device(self.device)
        settings = Settings(
            epochs=self.epochs,
            patience=self.patience,
            learning_rate=self.learning_rate,
            queries=self.queries,
            seed=self.seed,
            device=self.device,
            threads=self.threads,
        )
        start = self._initialize(len(task.train.columns))
        self._values, curve, best = descend(self._net, start, task, self.objective, settings)
        return curve, best

    def _initialize(self, columns: int) -> dict[str, Array]:
        """Initial weights, uniform within 1 / sqrt(number of inputs) of 0, as in PyTorch's own layers."""
        rng = np.random.default_rng([self.seed, 0])
        shapes = self._shapes(columns)
        bounds = {
            name: 1 / math.sqrt(columns if name.startswith("input") else shape[0]) for name, shape in shapes.items()
        }
        return {name: rng.uniform(-bounds[name], bounds[name], shape) for name, shape in shapes.items()}

    def _score(self, X: Array) -> Array:
        return score_in_blocks(self._net, self._values, X)

    def _serialize_weights(self) -> bytes:
        with require_engine(f"saving a {type(self).__name__}"):
            from safetensors.numpy import save

        saved: bytes = save({name: np.ascontiguousarray(values) for name, values in self._values.items()})
        return saved

    def _load_weights(self, weights: bytes, place: str) -> None:
        with require_engine(f"loading a {type(self).__name__}"):
            from safetensors import SafetensorError
            from safetensors.numpy import load

        try:
            values_by_name = load(weights)
        except (SafetensorError, KeyError, ValueError) as error:
            raise InputError(f"{place}: no safetensors file ({error}); copy the folder whole, or train again") from None
        wanted = self._shapes(len(self.require_trained().columns))
        shapes = {name: values.shape for name, values in values_by_name.items()}
        fits = shapes == wanted and all(values.dtype == np.float32 for values in values_by_name.values())
        if not fits or not all(np.isfinite(values).all() for values in values_by_name.values()):
            raise InputError(f"{place}: holds {shapes}, the card tells of {wanted}, float32 and finite; train again")
        self._values = values_by_name


@dataclass(eq=False)
class LinearRanker(DescentRanker):
    """score = w . x, one weight for each feature, as in the experiments of Robertson, Kanoulas & Yilmaz (2010).

        ranker = LinearRanker("lambdarank:GAP(g=[0.5,0.5])", seed=1).fit(train, valid)
        run = test.run(ranker.score(test))

    For its other parameters see Ranker and DescentRanker.
    """

    kind: ClassVar[str] = "linear"

    @property
    def coefficients(self) -> Array:
        """float32[column]: the weight of each feature, on the ranker's scale."""
        self.require_trained()
        return self._values["input"]

    def importances(self) -> dict[str, Array]:
        """The weight of each feature, with its sign, on the ranker's scale."""
        return {"weight": self.coefficients.astype(float)}

    def _shapes(self, columns: int) -> dict[str, tuple[int, ...]]:
        return {"input": (columns,)}

    def _net(self, weights: Mapping[str, Any], X: Any, tanh: Callable[[Any], Any]) -> Any:  # noqa: ARG002
        return X @ weights["input"]


@dataclass(eq=False)
class NeuralRanker(DescentRanker):
    """score = v . f(W x + b): a layer of hidden units between features and score, as in RankNet, LambdaRank, SoftRank.

    For its other parameters see Ranker and DescentRanker.

    Attributes
    ----------
    hidden : the number of hidden units.
    activation : the function f, "tanh" or "relu".
    """

    learning_rate: float = 0.003
    hidden: int = 10
    activation: Literal["tanh", "relu"] = "tanh"

    kind: ClassVar[str] = "neural"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.hidden = checked.whole("hidden", self.hidden, 1, HIDDEN)
        checked.one_of("activation", self.activation, ("tanh", "relu"))

    def importances(self) -> dict[str, Array]:
        """The largest slope that the score can have in each feature, on the ranker's scale: sum_h |W_ih| |v_h|.

        None for another network than the one with a layer of hidden units.
        """
        weights = self.weights
        if {*weights} != {"input", "input_bias", "output"}:
            return {}
        return {"slope": np.abs(weights["input"]).astype(float) @ np.abs(weights["output"])}

    def _shapes(self, columns: int) -> dict[str, tuple[int, ...]]:
        return {"input": (columns, self.hidden), "input_bias": (self.hidden,), "output": (self.hidden,)}

    def _net(self, weights: Mapping[str, Any], X: Any, tanh: Callable[[Any], Any]) -> Any:
        inner = X @ weights["input"] + weights["input_bias"]
        return (tanh(inner) if self.activation == "tanh" else inner.clip(min=0)) @ weights["output"]


def require_device(device: str) -> None:
    """An InputError where PyTorch has no such device."""
    import torch

    checked.one_of("device", device, ("cpu", "cuda"))
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("device='cuda': PyTorch sees no GPU here; take device='cpu'")
