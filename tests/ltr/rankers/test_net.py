"""A user's own torch module as the net of a neural ranker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError

torch = pytest.importorskip("torch")

from gradeval.ltr import LinearRanker, NeuralRanker, crossval, lambda_loss, load_ranker

GAP = "lambdarank:GAP(g=[0.5,0.5])"


class Squeezed(torch.nn.Module):
    """Two layers with LayerNorm and dropout, a frozen scale and a buffer."""

    def __init__(self, dropout: float = 0.2) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(4, 6),
            torch.nn.LayerNorm(6),
            torch.nn.ReLU(),
            torch.nn.Dropout(dropout),
            torch.nn.Linear(6, 1),
        )
        self.scale = torch.nn.Parameter(torch.tensor(3.0), requires_grad=False)
        self.register_buffer("shift", torch.tensor([0.5]))

    def forward(self, X: Any) -> Any:
        return (self.layers(X) * self.scale + self.shift).squeeze(-1)


def make_module(seed: int = 0, **changed: Any) -> Squeezed:
    torch.manual_seed(seed)
    return Squeezed(**changed)


def test_a_module_learns_and_is_left_as_it_was(train: Features) -> None:
    module = make_module()
    before = {name: values.clone() for name, values in module.state_dict().items()}
    ranker = NeuralRanker(GAP, module=module, epochs=40, learning_rate=0.02).fit(train)
    assert ranker.curve[-1].objective > ranker.curve[0].objective + 0.05
    assert all(torch.equal(values, before[name]) for name, values in module.state_dict().items())
    trained = ranker.trained_module()
    assert ranker.card is not None
    assert ranker.scaler is not None
    expected = trained(torch.from_numpy(ranker.scaler.apply(train).X)).detach().numpy()
    np.testing.assert_allclose(ranker.score(train), expected, rtol=1e-6)
    assert (trained.scale, trained.shift) == (module.scale, module.shift)


def test_one_layer_is_the_linear_ranker(train: Features) -> None:
    linear = LinearRanker(GAP, epochs=5, learning_rate=0.003).fit(train)
    module = torch.nn.Sequential(torch.nn.Linear(4, 1, bias=False), torch.nn.Flatten(-2))
    start = linear._initialize(4)["input"]
    module[0].weight.data = torch.tensor(start, dtype=torch.float32)[None]
    own = NeuralRanker(GAP, module=module, epochs=5).fit(train)
    np.testing.assert_allclose(own.score(train), linear.score(train), atol=1e-5)


def test_the_same_seed_gives_the_same_ranker_with_dropout_and_after_a_resume(tmp_path: Path, train: Features) -> None:
    first, again, other = (
        NeuralRanker(GAP, module=make_module(), epochs=4, seed=seed).fit(train).score(train) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()
    checkpoint = tmp_path / "checkpoint"
    NeuralRanker(GAP, module=make_module(), epochs=2, seed=1).fit(train, checkpoint=checkpoint)
    resumed = NeuralRanker(GAP, module=make_module(), epochs=4, seed=1)
    resumed.fit(train, checkpoint=checkpoint, resume=True)
    assert (resumed.score(train) == first).all()


def test_training_leaves_the_random_numbers_of_the_user_alone(train: Features) -> None:
    module = make_module()
    torch.manual_seed(5)
    NeuralRanker(GAP, module=module, epochs=1).fit(train)
    drawn = torch.rand(1)
    torch.manual_seed(5)
    assert drawn == torch.rand(1)


def test_the_folder_holds_parameters_but_no_code(tmp_path: Path, train: Features, valid: Features) -> None:
    ranker = NeuralRanker(GAP, module=make_module(), epochs=3).fit(train, valid)
    ranker.save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["card.json", "weights.safetensors"]
    card = json.loads((tmp_path / "model" / "card.json").read_text(encoding="utf-8"))
    assert card["parameters"]["module"]["text"] == repr(make_module())
    with pytest.raises(InputError, match=r"but not its code; make the module again and give it, as in load_r"):
        load_ranker(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model", module=make_module(seed=7))
    assert (loaded.score(valid) == ranker.score(valid)).all()
    assert NeuralRanker.load(tmp_path / "model", module=make_module()).curve == ranker.curve
    with pytest.raises(InputError, match="not the parameters of the module that is given, but of another"):
        load_ranker(tmp_path / "model", module=make_module(dropout=0.5))


def test_a_module_is_given_to_rankers_that_have_one_only(tmp_path: Path, train: Features) -> None:
    LinearRanker(GAP, epochs=1).fit(train).save(tmp_path / "linear")
    with pytest.raises(InputError, match=r"does not describe a linear ranker: .*module"):
        load_ranker(tmp_path / "linear", module=make_module())
    NeuralRanker(GAP, epochs=1).fit(train).save(tmp_path / "neural")
    with pytest.raises(InputError, match="not the parameters of the module that is given"):
        load_ranker(tmp_path / "neural", module=make_module())


def test_a_cross_validation_takes_a_module() -> None:
    parts = [graded_features(6, seed=seed, prefix=f"p{seed}") for seed in range(3)]
    result = crossval(parts, [GAP, "listnet"], "nDCG", "neural", module=make_module(), epochs=2)
    assert result.scores.mean().shape == (2, 1)


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (lambda: 3, "module=int is no module: give a torch.nn.Module"),
        (lambda: torch.nn.Tanh(), "no parameter that requires a gradient"),
        (lambda: torch.nn.LazyLinear(1), "lazy parameters: call it once"),
        (
            lambda: torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.BatchNorm1d(2)),
            "has a BatchNorm1d, whose running statistics depend on the order of the data: take LayerNorm",
        ),
    ],
)
def test_what_cannot_be_trained_is_refused(module: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        NeuralRanker(GAP, module=module())


def test_scores_of_another_shape_name_the_remedy(train: Features) -> None:
    with pytest.raises(InputError, match=r"module makes \[\d+, 1\] of features .*squeeze\(-1\) leaves a last axis"):
        NeuralRanker(GAP, module=torch.nn.Linear(4, 1)).fit(train)


def test_a_module_for_other_features_is_refused(train: Features) -> None:
    with pytest.raises(InputError, match=r"module cannot take features \[\d+, 4\].*: mat1 .*as there are features, 4$"):
        NeuralRanker(GAP, module=torch.nn.Sequential(torch.nn.Linear(5, 1), torch.nn.Flatten(-2))).fit(train)


class Failing(torch.nn.Module):
    """Takes features of every shape, and fails on numbers, or refuses all; the words of its error say nothing."""

    def __init__(self, always: bool, error: type[RuntimeError]) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(4))
        self.always, self.error = always, error

    def forward(self, X: Any) -> Any:
        if self.always or not X.is_meta:
            raise self.error("no shape" if not self.always else "")
        return X @ self.weight


@pytest.mark.parametrize("error", [RuntimeError, torch.OutOfMemoryError])
def test_what_fails_for_another_reason_stays_as_it_is(train: Features, error: type[RuntimeError]) -> None:
    with pytest.raises(error, match="no shape"):
        NeuralRanker(GAP, module=Failing(False, error)).fit(train)
    with pytest.raises(InputError, match=r"module cannot take features .*: RuntimeError; give its first layer"):
        NeuralRanker(GAP, module=Failing(True, RuntimeError)).fit(train)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_several_layers_are_those_of_pytorch(train: Features, activation: Any, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"epochs": 3, "learning_rate": 0.01}
    ours = NeuralRanker(GAP, hidden=(5, 3), activation=activation, **settings)
    f = torch.nn.Tanh if activation == "tanh" else torch.nn.ReLU
    last = torch.nn.Linear(3, 1, bias=False)
    net = torch.nn.Sequential(torch.nn.Linear(4, 5), f(), torch.nn.Linear(5, 3), f(), last, torch.nn.Flatten(-2))
    start = {name: torch.from_numpy(values).float() for name, values in ours._initialize(4).items()}
    with torch.no_grad():
        for layer, name in ((net[0], "input"), (net[2], "hidden_2")):
            layer.weight.copy_(start[name].T)
            layer.bias.copy_(start[f"{name}_bias"])
        last.weight.copy_(start["output"][None])
    theirs = NeuralRanker(GAP, module=net, **settings).fit(train)
    ours.fit(train)
    np.testing.assert_allclose(ours.score(train), theirs.score(train), atol=1e-5)
    assert np.ptp(ours.score(train)) > 0.1
    ours.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert loaded.hidden == (5, 3)
    np.testing.assert_array_equal(loaded.score(train), ours.score(train))


def test_hidden_units_belong_to_the_built_in_net() -> None:
    with pytest.raises(InputError, match="hidden and activation have no effect on a module of your own"):
        NeuralRanker(GAP, module=make_module(), hidden=3)
    with pytest.raises(InputError, match="has no module of its own"):
        NeuralRanker(GAP, epochs=1).fit(graded_features(6)).trained_module()


@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_steps_are_those_of_adamw(decay: float) -> None:
    """One batch of all queries; Adam does not depend on the scale of the loss. There is no last bias, on which no loss
    depends, so that Adam would move it by rounding errors alone."""
    rng = np.random.default_rng(2)
    X, grades = rng.normal(size=(60, 4)).astype(np.float32), rng.integers(0, 3, 60)
    features = Features.from_arrays(X, grades, sizes=np.full(6, 10))
    module = torch.nn.Sequential(
        torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1, bias=False), torch.nn.Flatten(-2, -1)
    )
    settings: dict[str, Any] = {"epochs": 6, "learning_rate": 0.05, "queries": 6, "scaling": None}
    ranker = NeuralRanker("lambdarank:GAP", module=module, weight_decay=decay, **settings).fit(features)
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.05, weight_decay=decay)
    table, labels = torch.tensor(X).reshape(6, 10, 4), grades.reshape(6, 10)
    for _ in range(6):
        optimizer.zero_grad()
        lambda_loss(module(table), labels, "GAP", levels=features.levels).sum().backward()
        optimizer.step()
    with torch.no_grad():
        expected = module(table).reshape(-1).numpy()
    np.testing.assert_allclose(ranker.score(features), expected, rtol=2e-4, atol=2e-5)
