"""The register of rankers: every kind is the one its class says it is, and is saved and read under its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from graded_features import graded_features

import gradeval.ltr
from gradeval.ltr import load_ranker
from gradeval.ltr.rankers.kinds import KINDS

pytest.importorskip("torch")
pytest.importorskip("lightgbm")


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.weights])
def test_a_kind_is_entered_once_and_everything_follows(name: str, tmp_path: Path) -> None:
    maker = getattr(gradeval.ltr, KINDS[name].name)
    assert maker.kind == name
    maker("lambdarank:AP", epochs=1).fit(graded_features(40, seed=1)).save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["card.json", KINDS[name].weights[0]]
    assert type(load_ranker(tmp_path / "model")) is maker


def test_every_kind_that_has_a_class_is_entered() -> None:
    rankers = {name for name in gradeval.ltr.__all__ if name.endswith("Ranker") and name != "Ranker"}
    assert {kind.name for kind in KINDS.values()} == rankers
