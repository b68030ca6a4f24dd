"""Files that change while they are read: an InputError, or what the file then is; never a mixture, nor a crash."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import gradeval.files.feature_cache as feature_cache
from gradeval import Features, InputError, Qrels, Run, cache_features, open_features, read_letor, read_qrels, read_run
from gradeval.files import source
from gradeval.files.readers import open_run


def numbers(features: Features) -> Any:
    return features.X.tolist(), features.grades.tolist(), features.topics


def lines(run: Run) -> Any:
    return {topic: run.of(topic) for topic in run.topics}


def grades(qrels: Qrels) -> Any:
    return {topic: qrels.of(topic) for topic in qrels.topics}


def rewrite(path: Path) -> None:
    """The same number of other bytes."""
    with path.open("r+b") as file:
        data = file.read()
        file.seek(0)
        file.write(data.replace(b"1", b"2"))


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(path.read_bytes())


def rename(path: Path) -> None:
    """Another file of the same size and time of change in its place."""
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    status = path.stat()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


CHANGES: list[Callable[[Path], None]] = [rewrite, truncate, empty, append, rename]
QRELS = "".join(f"t{topic} 0 d{number} {number % 3}\n" for topic in range(9) for number in range(9))
RUN = "".join(f"t{topic} Q0 d{number} {number + 1} {9 - number} tag\n" for topic in range(9) for number in range(9))
LETOR = "".join(f"{row % 3} qid:{row // 5} 1:{row} 2:1 #docid = d{row}\n" for row in range(500))
ROWS: dict[str, list[Any]] = {
    "query_id": [f"t{row // 9}" for row in range(81)],
    "doc_id": [f"d{row % 9}" for row in range(81)],
    "relevance": [row % 3 for row in range(81)],
    "feature": [float(row) for row in range(81)],
}
CSV = "query_id,doc_id,relevance,score\n" + "".join(f"t{row // 9},d{row % 9},{row % 3},1.5\n" for row in range(81))
JSON = '{"t1": {"d1": 1, "d2": 2}}'


def parquet(group: int = 100) -> bytes:
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(ROWS), sink, row_group_size=group)
    whole: bytes = sink.getvalue().to_pybytes()
    return whole


def packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


READERS: dict[str, tuple[bytes, Callable[[Path], Any]]] = {
    "run": (RUN.encode(), lambda path: lines(read_run(path))),
    "open run": (RUN.encode(), lambda path: lines(open_run(path))),
    "packed run": (packed(RUN), lambda path: lines(read_run(path))),
    "qrels": (QRELS.encode(), lambda path: grades(read_qrels(path))),
    "packed qrels": (packed(QRELS), lambda path: grades(read_qrels(path))),
    "csv qrels": (CSV.encode(), lambda path: grades(read_qrels(path))),
    "json qrels": (JSON.encode(), lambda path: grades(read_qrels(path))),
    "json run": (JSON.encode(), lambda path: lines(read_run(path))),
    "parquet qrels": (parquet(), lambda path: grades(read_qrels(path))),
    "letor": (LETOR.encode(), lambda path: numbers(read_letor(path))),
    "packed letor": (packed(LETOR), lambda path: numbers(read_letor(path))),
}


def place(tmp_path: Path, content: bytes, name: str = "file") -> Path:
    """A file that was written long ago: clocks of file systems may be too coarse to tell two writes in a row."""
    path = tmp_path / name
    path.write_bytes(content)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return path


def outcome(read: Callable[[Path], Any], path: Path) -> Any:
    """What is read, or that it is refused."""
    try:
        return read(path)
    except InputError:
        return "refused"


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_changes_after_its_beginning_was_looked_at_is_refused_or_read_as_it_then_is(
    reader: str, change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, read = READERS[reader]
    path, look, done = place(tmp_path, content), source.read_some, []

    def look_and_change(*asked: Any) -> bytes:
        beginning = look(*asked)
        if not done:
            done.append(change)
            change(path)
        return beginning

    with monkeypatch.context() as patch:
        patch.setattr(source, "read_some", look_and_change)
        found = outcome(read, path)
    assert done
    assert found in ("refused", outcome(read, path))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_was_read_stays_as_it_was(change: Callable[[Path], None], tmp_path: Path) -> None:
    readers = {"run": read_run, "qrels": read_qrels, "letor": read_letor}
    shows: dict[str, Callable[[Any], Any]] = {"run": lines, "qrels": grades, "letor": numbers}
    for kind, read in readers.items():
        path = place(tmp_path, READERS[kind][0])
        held = read(path)
        before = shows[kind](held)
        change(path)
        assert shows[kind](held) == before


@pytest.mark.parametrize("calls", [1, 2, 9, 12])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("kind", ["letor", "packed letor", "parquet features"])
def test_a_cache_is_made_of_one_state_of_its_file(
    kind: str, calls: int, change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It changes when progress is told for the so-many-th time: after each of nine pieces in each of two passes."""
    monkeypatch.setattr(feature_cache, "PIECE", len(LETOR) // 8)
    content = {"letor": LETOR.encode(), "packed letor": packed(LETOR), "parquet features": parquet(group=9)}[kind]
    path = place(tmp_path, content, "file.parquet" if kind == "parquet features" else "file")
    earlier = cache_features(place(tmp_path, b"1 qid:1 1:1\n", "old"), tmp_path / "cache").X.tolist()
    before = numbers(cache_features(path, tmp_path / "whole"))
    told = 0

    def tell(*_: int) -> None:
        nonlocal told
        told += 1
        if told == calls:
            change(path)

    found = outcome(lambda path: numbers(cache_features(path, tmp_path / "cache", progress=tell)), path)
    if found == "refused":
        assert open_features(tmp_path / "cache").X.tolist() == earlier
    elif kind != "parquet features":  # a part of it may be of another state, as nobody but its writer knows
        assert found in (before, outcome(lambda path: numbers(read_letor(path)), path))
    if kind == "letor" and calls <= 9 and change is not rename:
        assert found == "refused"  # the two passes differ


def test_features_from_a_pipe_are_cached(tmp_path: Path) -> None:
    """They can be read but once, and the cache needs two passes."""
    import threading

    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names on this system")
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(LETOR,))
    writer.start()
    cached = cache_features(tmp_path / "pipe", tmp_path / "cache")
    writer.join()
    assert cached.X.tolist() == read_letor(place(tmp_path, LETOR.encode())).X.tolist()
