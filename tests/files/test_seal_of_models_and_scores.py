"""One flipped bit anywhere in what gradeval writes for itself is an error, or changes nothing of what is loaded."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from graded_features import graded_features

from gradeval import InputError, evaluate, read_scores

FLIPS = 200


def flips(folder: Path, seed: int) -> list[tuple[Path, int]]:
    """A file and the number of a bit of it, many times for each file of a folder."""
    chosen = random.Random(seed)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(file, chosen.randrange(8 * file.stat().st_size)) for file in files for _ in range(FLIPS)]


def require_noticed(folder: Path, load: Callable[[Path], Any]) -> int:
    """Flip bits of every file of an artefact, one at a time; how many flips were refused."""
    intact, refused = load(folder), 0
    work = folder.with_name(f"{folder.name}-damaged")
    shutil.copytree(folder, work)
    for file, bit in flips(folder, seed=22):
        damaged = work / file.relative_to(folder)
        data = bytearray(file.read_bytes())
        data[bit // 8] ^= 1 << bit % 8
        damaged.write_bytes(data)
        found, message = outcome(load, work)
        if message is None:
            assert found == intact, f"bit {bit} of {file.name} was taken"
        else:
            assert message.startswith(str(work))
            assert "\n" not in message
            refused += 1
        damaged.write_bytes(file.read_bytes())
    return refused


def outcome(load: Callable[[Path], Any], place: Path) -> tuple[Any, str | None]:
    """What is loaded, or the message of its refusal."""
    try:
        return load(place), None
    except InputError as error:
        return None, str(error)


@pytest.mark.parametrize("kind", ["linear", "neural", "tree"])
def test_a_model(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from gradeval.ltr.rankers.kinds import ranker_class

    features = graded_features(20)
    settings: dict[str, Any] = {"epochs": 2, "min_rows": 5} if kind == "tree" else {"epochs": 2}
    ranker = ranker_class(kind)("lambdarank:GAP", **settings).fit(features, graded_features(9, seed=1, prefix="v"))
    ranker.save(tmp_path / "model")

    def load(folder: Path) -> Any:
        loaded = ranker_class(kind).load(folder)
        return loaded.score(features).tobytes(), loaded.require_trained()

    assert require_noticed(tmp_path / "model", load) >= 1.5 * FLIPS


def test_saved_scores(tmp_path: Path) -> None:
    """Each page has a checksum; what stands behind them, in the footer of the file, has none."""
    qrels = {f"t{topic}": {f"d{number}": number % 3 for number in range(8)} for topic in range(20)}
    run = {topic: {document: float(len(document) + at) for at, document in enumerate(qrels[topic])} for topic in qrels}
    place = tmp_path / "scores.parquet"
    evaluate(qrels, {"a": run, "b": {"t1": run["t1"]}}, ["AP", "GAP", "nDCG@5"]).save(place)

    def load(place: Path) -> Any:
        scores = read_scores(place)
        return (
            [array.tobytes() for array in (scores.values, scores.present, scores.vacant)],
            (scores.runs, scores.topics, scores.measures, scores.missing, scores.empty, scores.ties, scores.levels),
        )

    intact, data = load(place), place.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = 0
    for bit in random.Random(22).sample(range(8 * len(data)), 2 * FLIPS):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        place.write_bytes(damaged)
        found, message = outcome(load, place)
        if message is not None:
            assert "\n" not in message
            refused += 1
        elif bit // 8 < footer:
            assert found == intact, f"bit {bit} was taken"
    assert refused > FLIPS / 2
