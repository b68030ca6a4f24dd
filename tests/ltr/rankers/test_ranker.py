from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import Features

torch = pytest.importorskip("torch")
from gradeval.ltr import LinearRanker, NeuralRanker, Objective, load_ranker
from gradeval.ltr.saving import fingerprint

GAP = "lambdarank:GAP(g=[0.5,0.5])"

RANKERS: dict[str, Any] = {
    "linear": lambda objective=GAP, **changes: LinearRanker(objective, **{"epochs": 30, **changes}),
    "neural": lambda objective=GAP, **changes: NeuralRanker(objective, **{"epochs": 30, "hidden": 3, **changes}),
    "relu": lambda objective=GAP, **changes: NeuralRanker(objective, **{"epochs": 30, "activation": "relu", **changes}),
}


@pytest.fixture(params=RANKERS)
def make(request: pytest.FixtureRequest) -> Any:
    return RANKERS[request.param]


def test_a_row_scores_the_same_whatever_it_is_scored_with(make: Any, train: Features, valid: Features) -> None:
    ranker = make(epochs=3).fit(train)
    alone = np.concatenate([ranker.score(valid.select(topic)) for topic in valid.topics])
    np.testing.assert_allclose(alone, ranker.score(valid), rtol=1e-12, atol=1e-15)


def test_a_saved_ranker_scores_as_before(make: Any, tmp_path: Path, train: Features, valid: Features) -> None:
    ranker = make(seed=3, scaling="min-max").fit(train, valid)
    ranker.save(tmp_path / "model")
    loaded = load_ranker(tmp_path / "model")
    assert type(loaded) is type(ranker)
    assert (loaded.score(valid) == ranker.score(valid)).all()
    assert (loaded.curve, loaded.best, loaded.card) == (ranker.curve, ranker.best, ranker.card)
    assert (loaded.parameters, loaded.objective) == (ranker.parameters, ranker.objective)


def test_the_card_tells_where_the_model_comes_from(tmp_path: Path, train: Features, valid: Features) -> None:
    objective = Objective("softrank", "AP", sigma=0.5)
    ranker = LinearRanker(objective, seed=7, epochs=2).fit(train, valid)
    ranker.save(tmp_path / "model")
    card = json.loads((tmp_path / "model" / "card.json").read_text(encoding="utf-8"))
    assert card["ranker"] == "linear"
    assert card["objective"] == objective.parameters
    assert card["parameters"]["seed"] == 7
    assert card["train"] == {"name": "q of 20", "topics": 20, "rows": len(train), "fingerprint": fingerprint(train)}
    assert {"gradeval", "python", "numpy", "torch"} <= card["versions"].keys()
    assert card["curve"] == [list(epoch) for epoch in ranker.curve]
