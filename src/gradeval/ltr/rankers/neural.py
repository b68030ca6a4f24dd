"""Rankers that PyTorch trains: the linear one and the two-layer network of the papers. Scoring needs NumPy alone."""

from __future__ import annotations

import copy
import math
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Kind, Number, Whole, known_arguments, parse_whole, whole
from gradeval.formula.arithmetic import Array
from gradeval.ltr.data.task import Task
from gradeval.ltr.objectives.objective import require_descent
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.ltr.rankers.learning_curve import Epoch
from gradeval.ltr.rankers.net import ModuleNet, Net, by_column, score_in_blocks
from gradeval.ltr.rankers.ranker import Ranker
from gradeval.messages import Given

HIDDEN, LAYERS = 1_000_000, 100  # units of a layer, and layers
DEVICE = re.compile(r"cpu|cuda(:\d{1,3})?", re.ASCII)


@dataclass(eq=False, repr=False)
class Device(Kind):
    """The name of a device of PyTorch."""

    metavar: str = "DEVICE"

    def check(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or not DEVICE.fullmatch(value):
            raise InputError(Given(name, value), " is not 'cpu', 'cuda' or one of several GPUs, as 'cuda:1'")
        return value


@dataclass(eq=False, repr=False)
class Hidden(Kind):
    """A number of units, or one for each of several layers, on the command line with commas between them."""

    metavar: str = "HIDDEN"

    def check(self, name: str, value: Any) -> int | tuple[int, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str):
            return whole(name, value, 1, HIDDEN)
        if not 1 <= len(value) <= LAYERS:
            raise InputError(Given(name, value), f": give 1 to {LAYERS} layers")
        return tuple(whole(name, units, 1, HIDDEN) for units in value)

    def parse(self, text: str) -> Any:
        units = [parse_whole(part.strip()) for part in text.split(",")]
        return units if len(units) > 1 else units[0]


@dataclass(eq=False)
class DescentRanker(Ranker):
    """A ranker trained by gradient descent (Adam) over batches of queries of similar length.

    Attributes
    ----------
    epochs : the largest number of epochs. Of trees, an epoch is one tree.
    patience : stop after so many epochs without a better validation.
    learning_rate : the learning rate of Adam.
    queries : the number of queries in a batch.
    device : the device to train on: cpu, cuda, or one GPU, as cuda:1. On the CPU the same seed gives the same ranker,
        bit by bit.
    threads : processor cores for each training; 0 leaves PyTorch's setting. Queries are small, so one is often fastest.
    documents : the documents of a batch, in place of queries. They are counted when the queries are padded to one
        length. On a GPU batches of thousands of documents are fastest, whatever the length of the lists.
    weight_decay : the share of the learning rate by which weights shrink each step. Biases shrink, too (AdamW:
        Loshchilov & Hutter 2019).
    """

    epochs: Annotated[int, Whole(1)] = 300
    patience: Annotated[int, Whole(1)] = 50
    learning_rate: Annotated[float, Number(above=0, most=1e30)] = 0.01
    queries: Annotated[int, Whole(1)] = 8
    device: Annotated[str, Device()] = "cpu"
    threads: Annotated[int, Whole(0)] = 1
    documents: Annotated[int, Whole(1)] | None = None
    weight_decay: Annotated[float, Number(least=0, most=1e30)] = 0.0
    _values: dict[str, Array] = field(default_factory=dict, init=False, repr=False)

    engine: ClassVar[str] = "torch"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_descent(self.objective)

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
            from gradeval.ltr.rankers.training import descend

        require_device(self.device)
        start = self._initialize(len(task.train.columns))
        self._values, curve, best, self.watched = descend(self._scorer, start, task, self)
        return curve, best

    @property
    def _scorer(self) -> Net:
        """What is trained."""
        return self._net

    def _initialize(self, columns: int) -> dict[str, Array]:
        """Initial weights, uniform within 1 / sqrt(number of inputs) of 0, as in PyTorch's own layers."""
        rng = np.random.default_rng([self.seed, 0])
        shapes = self._shapes(columns)
        inputs = {name: shapes[name.removesuffix("_bias")][0] for name in shapes}
        bounds = {name: 1 / math.sqrt(number) for name, number in inputs.items()}
        return {name: rng.uniform(-bounds[name], bounds[name], shape) for name, shape in shapes.items()}

    def _score(self, X: Array) -> Array:
        return score_in_blocks(self._net, self._values, X)

    def _serialize_weights(self) -> bytes:
        with require_engine(f"saving a {type(self).__name__}"):
            from safetensors.numpy import save

        saved: bytes = save({name: np.asarray(values, order="C") for name, values in self._values.items()})
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
        fits = shapes == wanted and all(values.dtype == np.float32 for values in self._trained(values_by_name))
        if not fits or not all(np.isfinite(values).all() for values in values_by_name.values()):
            raise InputError(f"{place}: holds {shapes}, the card tells of {wanted}, float32 and finite; train again")
        self._values = values_by_name

    def _trained(self, values: Mapping[str, Array]) -> list[Array]:
        """The weights that are trained."""
        return list(values.values())


@known_arguments()
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

    def _net(self, weights: Mapping[str, Any], X: Any, _: Callable[[Any], Any]) -> Any:
        return X @ weights["input"]


@known_arguments()
@dataclass(eq=False)
class NeuralRanker(DescentRanker):
    """score = v . f(W x + b): a layer of hidden units between features and score, as in RankNet, LambdaRank, SoftRank;
    or several such layers.

    For its other parameters see Ranker and DescentRanker.

    Attributes
    ----------
    hidden : the number of hidden units, of each layer where there are several. As in 64,32.
    activation : the function f of the hidden units.
    module : in place of these, a torch.nn.Module of your own that makes scores [...] of features [..., column]. It is
        copied, and trained from the parameters it has; ``trained_module()`` gives it back. The folder of a model holds
        its parameters but no code, so give the module again: ``load_ranker(folder, module=...)``.
    """

    learning_rate: Annotated[float, Number(above=0, most=1e30)] = 0.003
    hidden: Annotated[int | tuple[int, ...], Hidden()] = 10
    activation: Literal["tanh", "relu"] = "tanh"
    module: Any = None
    _own: ModuleNet | None = field(default=None, init=False, repr=False)

    kind: ClassVar[str] = "neural"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.module is None or isinstance(self.module, Mapping):
            return
        if (self.hidden, self.activation) != (10, "tanh"):
            raise InputError("hidden and activation have no effect on a module of your own: leave them out")
        with require_engine("a module of your own"):
            self._own = ModuleNet(self.module)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the constructor, without the objective; a module is described by its text."""
        own = self.module if self._own is None else self._own.describe()
        return {**super().parameters, "module": own}

    def trained_module(self) -> Any:
        """A copy of the module that ``module`` gave, with its trained parameters."""
        self.require_trained()
        if self._own is None:
            raise InputError("this NeuralRanker has no module of its own: give one, as in NeuralRanker(module=...)")
        import torch

        module = copy.deepcopy(self._own.module)
        module.load_state_dict({name: torch.tensor(values) for name, values in self._values.items()}, strict=False)
        return module.eval()

    def _train(self, task: Task) -> tuple[tuple[Epoch, ...], int]:
        trained = super()._train(task)
        if self._own is not None:
            self._values |= self._own.fixed()
        return trained

    @property
    def _scorer(self) -> Net:
        return self._net if self._own is None else self._own

    def _initialize(self, columns: int) -> dict[str, Array]:
        return super()._initialize(columns) if self._own is None else self._own.start()

    def _score(self, X: Array) -> Array:
        return super()._score(X) if self._own is None else self._own.score(self._values, X)

    def _load_weights(self, weights: bytes, place: str) -> None:
        described = self.require_trained().parameters.get("module")
        if described is not None and self._own is None:
            raise InputError(
                f"{place}: the parameters of a module of your own, {described['text'][:60]!r} ..., but not its code; "
                "make the module again and give it, as in load_ranker(folder, module=module)"
            )
        if self._own is not None and (described is None or described["text"] != self._own.describe()["text"]):
            raise InputError(f"{place}: not the parameters of the module that is given, but of another")
        super()._load_weights(weights, place)

    def _trained(self, values: Mapping[str, Array]) -> list[Array]:
        return [array for name, array in values.items() if self._own is None or name in self._own.trained]

    def importances(self) -> dict[str, Array]:
        """The largest slope that the score can have in each feature, on the ranker's scale: sum_h |W_ih| |v_h|.

        None for another network than the one with a layer of hidden units.
        """
        weights = self.weights
        if {*weights} != {"input", "input_bias", "output"}:
            return {}
        return {"slope": np.abs(weights["input"]).astype(float) @ np.abs(weights["output"])}

    def _shapes(self, columns: int) -> dict[str, tuple[int, ...]]:
        if self._own is not None:
            return self._own.shapes()
        units = self.units
        shapes: dict[str, tuple[int, ...]] = {}
        for layer, inputs, outputs in zip(self.layers, (columns, *units), units, strict=False):
            shapes |= {layer: (inputs, outputs), f"{layer}_bias": (outputs,)}
        return {**shapes, "output": (units[-1],)}

    @property
    def units(self) -> tuple[int, ...]:
        """The number of units of each hidden layer."""
        return self.hidden if isinstance(self.hidden, tuple) else (self.hidden,)

    @property
    def layers(self) -> list[str]:
        """The names of the weights of each hidden layer; its biases are called so and _bias."""
        return ["input", *(f"hidden_{number}" for number in range(2, len(self.units) + 1))]

    def _net(self, weights: Mapping[str, Any], X: Any, tanh: Callable[[Any], Any]) -> Any:
        for layer in self.layers:
            inner = X @ by_column(weights[layer]) + weights[f"{layer}_bias"]
            X = tanh(inner) if self.activation == "tanh" else inner.clip(min=0)
        return X @ weights["output"]


def require_device(device: str) -> None:
    """An InputError where PyTorch has no such device."""
    import torch

    if device == "cpu":
        return
    if not torch.cuda.is_available():
        raise InputError(Given("device", device), ": PyTorch sees no GPU here; take ", Given("device", "cpu"))
    number, count = int(device.partition(":")[2] or 0), torch.cuda.device_count()
    if number >= count:
        raise InputError(Given("device", device), f": PyTorch sees {count} GPUs here, cuda:0 to cuda:{count - 1}")
