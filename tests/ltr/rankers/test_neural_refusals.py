"""Linear and neural rankers: what they refuse, and how they say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError

torch = pytest.importorskip("torch")

from gradeval.ltr import LinearRanker, NeuralRanker, load_ranker

GAP = "lambdarank:GAP(g=[0.5,0.5])"


@pytest.fixture(params=["linear", "neural"])
def make(request: pytest.FixtureRequest) -> Any:
    maker: Any = {"linear": LinearRanker, "neural": NeuralRanker}[request.param]
    return lambda **changes: maker(GAP, **{"epochs": 3, **changes})


def test_a_model_of_another_kind_is_refused(tmp_path: Path, train: Features) -> None:
    LinearRanker(GAP, epochs=1).fit(train).save(tmp_path / "model")
    with pytest.raises(InputError, match=r"card.json: a ranker of kind linear, not neural: load it with LinearRanker"):
        NeuralRanker.load(tmp_path / "model")
    assert isinstance(LinearRanker.load(tmp_path / "model"), LinearRanker)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("ranker", "forest", "a ranker of kind 'forest'; this gradeval knows linear, neural, tree"),
        ("objective", {"method": "lambdarank"}, "does not describe a linear ranker"),
        ("objective", {"method": "guess", "measure": "AP"}, "unknown method 'guess'"),
        ("parameters", {"hidden": 3}, "does not describe a linear ranker"),
        ("parameters", {"epochs": "many"}, "epochs='many' is not a whole number from 1"),
        ("columns", ["1", "2", "3"], "scaling does not fit the columns"),
        ("best", 999, "best is 999, the curve has 2 epochs"),
    ],
)
def test_a_card_that_describes_no_ranker_is_refused(
    tmp_path: Path, train: Features, field: str, value: Any, message: str
) -> None:
    LinearRanker(GAP, epochs=2).fit(train).save(tmp_path / "model")
    place = tmp_path / "model" / "card.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), field: value}))
    with pytest.raises(InputError, match=message):
        load_ranker(tmp_path / "model")


def test_weights_that_do_not_fit_the_card_are_refused(tmp_path: Path, train: Features) -> None:
    ranker = LinearRanker(GAP, epochs=1, scaling=None).fit(train)
    for weights, message in (
        (b"no safetensors", "no safetensors file"),
        (NeuralRanker(GAP, epochs=1).fit(train)._serialize_weights(), "the card tells of"),
        (ranker._serialize_weights()[:-16] + np.full(4, np.nan, "<f4").tobytes(), "float32 and finite"),
    ):
        with pytest.raises(InputError, match=message):
            ranker._load_weights(weights, "weights.safetensors")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epochs": 2**40}, "epochs=1099511627776 is not a whole number from 1 to 2147483647"),
        ({"scaling": "log"}, "scaling='log' is not 'z-score', 'min-max' or None"),
        ({"objective": "apx"}, "unknown measure 'apx'"),
    ],
)
def test_parameters_that_make_no_ranker_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LinearRanker(**{"objective": GAP, **parameters})


def test_the_neural_ranker_refuses_layers_that_it_cannot_have() -> None:
    with pytest.raises(InputError, match="hidden=0 is not a whole number from 1 to 1000000"):
        NeuralRanker(GAP, hidden=0)
    with pytest.raises(InputError, match="hidden=0 is not a whole number from 1 to 1000000"):
        NeuralRanker(GAP, hidden=(4, 0))
    with pytest.raises(InputError, match=r"hidden=\(\): give 1 to 100 layers"):
        NeuralRanker(GAP, hidden=())
    with pytest.raises(InputError, match="activation='gelu' is not 'tanh' or 'relu'"):
        NeuralRanker(GAP, activation="gelu")


def test_other_features_than_those_of_the_training_are_refused(make: Any, train: Features) -> None:
    narrow = graded_features(5, columns=3, prefix="n")
    with pytest.raises(InputError, match=r"n of 5: 3 features \(1 to 3\), q of 20 has 4 features \(1 to 4\)"):
        make().fit(train, narrow)
    ranker = make(epochs=1).fit(train)
    with pytest.raises(
        InputError, match=r"n of 5: 3 features \(1 to 3\), the ranker was trained on 4 features \(1 to 4\)"
    ):
        ranker.score(narrow)
    for scaling in (None, "z-score"):
        renamed = Features.from_arrays(train.X, train.grades, sizes=np.diff(train.offsets), columns=list("abcd"))
        with pytest.raises(InputError, match="give the same ones in the same order"):
            make(epochs=1, scaling=scaling).fit(train).score(renamed)


def test_what_is_not_trained_does_not_score_or_save(make: Any, tmp_path: Path, train: Features) -> None:
    with pytest.raises(InputError, match="is not trained: call fit"):
        make().score(train)
    with pytest.raises(InputError, match="is not trained: call fit"):
        make().save(tmp_path / "model")


def test_features_that_do_not_differ_teach_nothing() -> None:
    features = Features.from_arrays(np.ones((4, 2)), [0, 1, 1, 0], sizes=[2, 2], name="flat.txt")
    with pytest.raises(InputError, match=r"flat.txt: nothing to learn: no weight changes lambdarank:AP"):
        LinearRanker("lambdarank:AP").fit(features)


def test_grades_that_are_worth_the_same_teach_nothing(train: Features) -> None:
    with pytest.raises(InputError, match="nothing to learn"):
        LinearRanker("lambdarank:AP(rel=2)").fit(train.with_grades(np.minimum(train.grades, 1)))


@pytest.mark.parametrize("objective", ["lambdarank:AP", "softrank:AP"])
def test_training_that_diverges_says_so(objective: str, train: Features) -> None:
    with pytest.raises(InputError, match=r"training diverged in epoch \d+.*lower learning_rate=1e\+25"):
        NeuralRanker(objective, learning_rate=1e25, activation="relu", queries=4).fit(train)


def test_a_device_that_is_not_there_is_refused(train: Features) -> None:
    with pytest.raises(InputError, match="device='tpu' is not 'cpu', 'cuda' or one of several GPUs"):
        LinearRanker(GAP, device="tpu").fit(train)
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="device='cuda': PyTorch sees no GPU here; take device='cpu'"):
            LinearRanker(GAP, device="cuda").fit(train)
