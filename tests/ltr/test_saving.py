"""The folder of a model: whole or not at all, and a clear word where it is foreign or damaged."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import Features, InputError
from gradeval.ltr.saving import Card, describe_data, fingerprint, read_model, versions_of, write_model

WEIGHTS = b"any bytes"


def card(**changes: Any) -> Card:
    features = graded_features(3)
    values: dict[str, Any] = {
        "ranker": "linear",
        "objective": {"method": "lambdarank", "measure": "AP"},
        "parameters": {"seed": 1},
        "measure": "AP",
        "best": 2,
        "curve": [[1, 0.5, 0.25], [2, 0.75, 0.5]],
        "columns": ["1", "ä"],
        "levels": [0.0, 1.0, 2.0],
        "scaling": {"kind": "z-score", "shift": [0.1, 1 / 3], "width": [1.0, 0.0]},
        "train": describe_data(features),
        "valid": None,
        "versions": versions_of("numpy"),
    }
    return Card(**{**values, **changes})


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    write_model(folder, card(), WEIGHTS, "weights.safetensors")
    return folder


def test_a_model_reads_back_as_it_was_written(model: Path) -> None:
    assert read_model(model) == (card(), WEIGHTS, "weights.safetensors")
    assert sorted(os.listdir(model)) == ["card.json", "weights.safetensors"]


def test_a_model_is_replaced_and_nothing_stays_beside_it(model: Path) -> None:
    write_model(model, card(best=1), b"others", "trees.txt")
    assert read_model(model) == (card(best=1), b"others", "trees.txt")
    assert os.listdir(model.parent) == ["model"]


def test_an_empty_folder_may_become_a_model(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_model(tmp_path / "empty", card(), WEIGHTS, "trees.txt")
    assert read_model(tmp_path / "empty")[1] == WEIGHTS


def test_what_is_no_model_is_never_replaced(model: Path) -> None:
    (model / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="a folder of something else; name a new folder"):
        write_model(model, card(), WEIGHTS, "trees.txt")
    with pytest.raises(InputError, match="not a folder; a model is a folder"):
        write_model(model / "notes.txt", card(), WEIGHTS, "trees.txt")
    assert (model / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "text"),
    [("card.json", '{"hf": 1}'), ("card.json", "mine"), ("trees.txt", "mine"), ("weights.safetensors", "mine")],
)
def test_files_of_others_that_are_called_like_ours_stay(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / name).write_text(text)
    with pytest.raises(InputError, match="folder: a folder of something else; name a new folder"):
        write_model(tmp_path / "folder", card(), WEIGHTS, "trees.txt")
    assert [path.read_text() for path in (tmp_path / "folder").iterdir()] == [text]


def changed(field: str, value: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        content = json.loads((folder / "card.json").read_text())
        content[field] = value
        (folder / "card.json").write_text(json.dumps(content))

    return change


def without(field: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        content = json.loads((folder / "card.json").read_text())
        del content[field]
        (folder / "card.json").write_text(json.dumps(content))

    return change


def cut(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes()[:-3])

    return change


def gone(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def written(data: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / "card.json").write_bytes(data)

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (gone("card.json"), "card.json: no such file; a model is a folder with card.json"),
        (gone("weights.safetensors"), "weights.safetensors: no such file"),
        (cut("card.json"), "card.json: not the card of a ranker, or damaged"),
        (cut("weights.safetensors"), r"weights.safetensors: .* \(truncated or changed\)"),
        (written(b"\x80\x04K\x01."), "card.json: not the card of a ranker, or damaged"),
        (written(b"[1]"), "no JSON object"),
        (written(b"[" * 100_000), "not the card of a ranker, or damaged"),
        (written(b'{"best": NaN}'), "NaN is not valid JSON"),
        (changed("format", "other"), "not the card of a gradeval ranker"),
        (changed("version", 1), "format version 1, this gradeval reads 2"),
        (changed("version", "9" * 999), "format version '9{39}[.]{3}, this gradeval reads 2"),
        (changed("levels", [0, 10**400]), "levels are not numbers"),
        (changed("curve", [[10**400, 0.5, 0.5]]), "the curve is not"),
        (changed("best", 10**400), "best is 10{39}[.]{3}, the curve has 2"),
        (changed("scaling", {"shift": [10**400, 0], "width": [1, 1]}), "scaling does not fit the columns"),
        (changed("objective", {"method": "lambdarank", "measure": None}), "objective.measure is of type NoneType"),
        (changed("objective", {"method": "lambdarank", "measure": 3}), "objective.measure is of type int"),
        (changed("scaling", None), "card.json: changed since it was written"),
        (changed("columns", ["2", "ä"]), "card.json: changed since it was written"),
        (changed("levels", [0.0, 1.0, 3.0]), "card.json: changed since it was written"),
        (without("sha256"), "card.json: changed since it was written"),
        (without("columns"), "columns is missing"),
        (changed("best", "2"), "best is of type str"),
        (changed("best", True), "best is of type bool"),
        (changed("columns", [1, 2]), "columns are not names"),
        (changed("levels", [0, "1"]), "levels are not numbers"),
        (changed("curve", [[1, 2]]), "the curve is not"),
        (changed("curve", [[1, "a", 0.5]]), "the curve is not"),
        (changed("scaling", {"kind": "z-score", "shift": [1.0], "width": [1.0]}), "scaling does not fit the columns"),
        (changed("weights", {"file": "../../secret", "sha256": ""}), "does not name the file of weights in its folder"),
        (changed("weights", 3), "does not name the file of weights in its folder"),
    ],
)
def test_a_foreign_or_damaged_model_is_an_error_in_one_line(
    model: Path, damage: Callable[[Path], None], message: str
) -> None:
    damage(model)
    with pytest.raises(InputError, match=message) as error:
        read_model(model)
    assert len(str(error.value).splitlines()) == 1
    assert str(error.value).startswith(str(model))


def test_numbers_beyond_double_precision_are_damage(model: Path) -> None:
    text = (model / "card.json").read_text()
    (model / "card.json").write_text(re.sub(r"0\.25", "1e999", text))
    with pytest.raises(InputError, match="the curve is not"):
        read_model(model)


def test_what_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such folder; name the folder of a model"):
        read_model(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file: a file; name the folder of a model"):
        read_model(tmp_path / "file")


def test_a_fingerprint_depends_on_table_grades_and_queries_alone() -> None:
    features = graded_features(3)
    same = Features.from_arrays(features.X, features.grades, sizes=np.diff(features.offsets), name="another")
    assert fingerprint(same) == fingerprint(features)
    X = features.X.copy()
    X[-1, -1] += 1
    sizes = np.add(np.diff(features.offsets), [1, -1, 0])
    others = [
        Features.from_arrays(X, features.grades, sizes=np.diff(features.offsets)),
        features.with_grades(2 - features.grades),
        Features.from_arrays(features.X, features.grades, sizes=sizes),
    ]
    assert len({fingerprint(features), *map(fingerprint, others)}) == 4
