"""Files that change while they are read are an error for every reader, never a mixture of what was and what is."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from refusing import said_of

import gradeval.files.feature_cache as feature_cache
import gradeval.files.source as steady
from gradeval import cache_features, open_features, read_clicks, read_letor, read_qrels, read_run, read_scores
from gradeval.files.readers import open_run, read_features

CHANGED = "the file changed while it was read; wait until it is complete, then read it again"


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
CLICKS = "session\ttopic\tdocument\trank\tclick\n" + "".join(f"s{n}\tt1\td1\t1\t{n % 2}\n" for n in range(1, 90))
SCORES = "run,topic,measure,value\n" + "".join(f"r,t{topic},AP,0.1\n" for topic in range(9))


def parquet() -> bytes:
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(ROWS), sink)
    whole: bytes = sink.getvalue().to_pybytes()
    return whole


def packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


READERS: dict[str, tuple[bytes, Callable[[Path], Any]]] = {
    "run": (RUN.encode(), read_run),
    "open run": (RUN.encode(), open_run),
    "packed run": (packed(RUN), read_run),
    "qrels": (QRELS.encode(), read_qrels),
    "packed qrels": (packed(QRELS), read_qrels),
    "csv qrels": (CSV.encode(), read_qrels),
    "json qrels": (JSON.encode(), read_qrels),
    "json run": (JSON.encode(), read_run),
    "parquet qrels": (parquet(), read_qrels),
    "letor": (LETOR.encode(), read_letor),
    "packed letor": (packed(LETOR), read_letor),
    "parquet features": (parquet(), lambda path: read_features(path.rename(path.with_suffix(".parquet")))),
    "clicks": (CLICKS.encode(), read_clicks),
    "scores": (SCORES.encode(), read_scores),
}
IN_ONE_GO = ("clicks", "scores", "parquet features")
"""Read without a look at the beginning."""


def place(tmp_path: Path, content: bytes, name: str = "file") -> Path:
    """A file that was written long ago: clocks of file systems may be too coarse to tell two writes in a row."""
    path = tmp_path / name
    path.write_bytes(content)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return path


def changing(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Callable[[Path], None]) -> list[Path]:
    """Let a function change the file after it has read it, once; the list names the files that were changed."""
    done: list[Path] = []
    read = getattr(owner, name)

    def reads_and_changes(first: Any, *rest: Any) -> Any:
        content = read(first, *rest)
        if not done:
            done.append(Path(first.place if isinstance(first, steady.SteadyFile) else rest[0]))
            change(done[0])
        return content

    monkeypatch.setattr(owner, name, reads_and_changes)
    return done


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("reader", [reader for reader in READERS if reader not in IN_ONE_GO])
def test_a_file_that_changes_after_its_beginning_was_looked_at_is_an_error(
    reader: str, change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, read = READERS[reader]
    read(place(tmp_path, content))  # as it is, it can be read
    done = changing(monkeypatch, steady.SteadyFile, "read_beginning", change)
    path = place(tmp_path, content)
    refused = said_of(lambda: read(path))
    assert refused == f"{done[0]}: {CHANGED}"


@pytest.mark.parametrize("change", [rewrite, truncate, empty, append], ids=lambda change: change.__name__)
@pytest.mark.parametrize("reader", [reader for reader in READERS if reader not in ("open run", "letor")])
def test_a_file_that_changes_while_it_is_read_whole_is_an_error(
    reader: str, change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, read = READERS[reader]
    done = changing(monkeypatch, steady, "read_file", change)
    refused = said_of(lambda: read(place(tmp_path, content)))
    assert refused == f"{done[0]}: {CHANGED}"


def test_what_is_read_in_one_go_is_the_file_that_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = place(tmp_path, CLICKS.encode())
    done = changing(monkeypatch, steady, "read_file", rename)
    assert len(read_clicks(path)) == 89
    assert done == [path]


def written(content: bytes, group: int) -> bytes:
    """Parquet with row groups of so many rows; text as it is."""
    if not content.startswith(b"PAR1"):
        return content
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(ROWS), sink, row_group_size=group)
    whole: bytes = sink.getvalue().to_pybytes()
    return whole


CALLS = {"letor": (1, 2, 9, 12), "packed letor": (1,), "parquet features": (1, 2, 9)}
"""How often progress is told before the file changes: nine pieces in each of two passes; one piece; one pass."""


@pytest.mark.parametrize(
    ("kind", "calls", "change"),
    [
        (kind, calls, change)
        for kind in CALLS
        for calls in CALLS[kind]
        for change in CHANGES
        # the last pass reads the file that was opened, which stays whole
        if change is not rename or (calls <= 9 and kind != "parquet features")
    ],
)
def test_a_cache_is_made_of_one_state_of_its_file(
    kind: str, calls: int, change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature_cache, "PIECE", len(LETOR) // 8)
    path = place(tmp_path, written(READERS[kind][0], 9), "file.parquet" if kind == "parquet features" else "file")
    earlier = cache_features(place(tmp_path, b"1 qid:1 1:1\n", "old"), tmp_path / "cache").X.tolist()
    told = 0

    def tell(done: int, total: int) -> None:
        nonlocal told
        told += 1
        if told == calls:
            change(path)

    refused = said_of(lambda: cache_features(path, tmp_path / "cache", progress=tell))
    assert refused == f"{path}: {CHANGED}"
    assert open_features(tmp_path / "cache").X.tolist() == earlier


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
