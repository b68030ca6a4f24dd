"""Files of NumPy, PyTorch and pickle: the error has the line of Python that makes a run, and never loads a pickle."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusing import said_of

from gradeval import evaluate
from gradeval.files.texts import read_texts
from gradeval.files.topic_labels import read_topic_labels

QRELS = {"1": {"10": 1}, "2": {"12": 1}}
IDS = np.array([[10, 11, 12], [12, 10, 11]])
USERS = [1, 2]


def value_of(said: str, opening: str, **names: Any) -> Any:
    """What the line of Python in the error gives, which begins with some words."""
    return eval(opening + said.partition(opening)[2], {"users": USERS, **names})


def test_the_line_for_an_array_makes_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("ids.npy", IDS)
    said = said_of(lambda: evaluate(QRELS, "ids.npy", "RR"))
    assert "ids.npy: is an array of NumPy, which names no topics" in said
    run = value_of(said, "dict(zip(", numpy=np)
    assert evaluate(QRELS, run, "RR").mean().tolist() == [[1.0]]
    assert said_of(lambda: evaluate("ids.npy", run, "RR")) == said


def test_the_arrays_of_an_archive_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("als.npz", users=USERS, ids=IDS)
    said = said_of(lambda: evaluate(QRELS, "als.npz", "RR"))
    assert "(users, ids)" in said
    run = value_of(said.replace("NAME", "ids"), "dict(zip(", numpy=np)
    assert evaluate(QRELS, run, "RR").mean().tolist() == [[1.0]]


def test_the_line_for_a_tensor_makes_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    torch.save(torch.tensor(IDS), "ids.pt")
    run = value_of(said_of(lambda: evaluate(QRELS, "ids.pt", "RR")), "dict(zip(", torch=torch)
    assert evaluate(QRELS, run, "RR").mean().tolist() == [[1.0]]


@pytest.mark.parametrize(
    "read",
    [
        lambda file: evaluate(QRELS, {"1": ["10"]}, "RR", exclude=file),
        lambda file: read_topic_labels(file, ["1"]),
        lambda file: read_texts(file, "topic"),
    ],
)
@pytest.mark.parametrize(("save", "said"), [(np.save, "is an array of NumPy"), (np.savez, "holds arrays of NumPy")])
def test_files_of_pairs_labels_and_texts_are_refused_as_runs_are(
    tmp_path: Path, read: Any, save: Callable[[Path, Any], None], said: str
) -> None:
    save(tmp_path / "ids.npy", IDS)
    [file] = tmp_path.iterdir()
    assert f"{file}: {said}" in said_of(lambda: read(file))


class Trap:
    """What a pickle may do when it is loaded."""

    def __reduce__(self) -> Any:
        return pytest.fail, ("the pickle was loaded",)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles_are_never_loaded(tmp_path: Path, protocol: int) -> None:
    file = tmp_path / "als.pkl"
    file.write_bytes(pickle.dumps({"1": Trap()}, protocol))
    assert "is a pickle, which is never loaded here" in said_of(lambda: evaluate(QRELS, file, "RR"))


def test_rows_of_savetxt_lack_topics(tmp_path: Path) -> None:
    file = tmp_path / "ids.csv"
    np.savetxt(file, np.arange(20).reshape(2, 10), delimiter=",")
    assert "as numpy.savetxt writes them, lack their topics" in said_of(lambda: evaluate(QRELS, file, "RR"))
