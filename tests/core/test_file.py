"""Texts in files: what the core reads from a file in ranges is what it reads from memory, and no change goes unseen."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradeval._core import InputError, Letor, Lines, Pools, judge, read_file

POOLS = Pools.of_mapping({"1": {"a": 1, "b": 0, "ä": 2}, "2": {"a": 1}}, "qrels")
CHANGED = "run.txt: the file changed while it was read; wait until it is complete, then read it again"


def outcome(lines: Lines, part_bytes: int, threads: int = 1) -> Any:
    """What comes of a run: all numbers, or the error."""
    try:
        met = judge(POOLS, [lines], "docid", threads, part_bytes)
    except InputError as error:
        return str(error)
    numbers = [array.tolist() for array in (met.rank, met.document, met.offsets, met.retrieved, met.tied)]
    return numbers, met.tags, met.unjudged_topics, {topic: lines.of(topic) for topic in lines.topics()}


def in_file(path: Path, data: bytes) -> Lines:
    path.write_bytes(data)
    return Lines.of_file(os.fsencode(path), "run.txt")


LINES = st.sampled_from(
    [
        "1 Q0 a 1 3 t\n",
        "1 Q0 b 1 3 t\n",
        "1 Q0 ä 1 2.5 t\r\n",
        "2 Q0 a 9 1e3 t\n",
        "3 Q0 a-long-document-id-that-takes-many-words 9 1 t\n",
        "\n",
        "  \n",
        "# a comment\n",
        "1 Q0 c 1 oops t\n",
        "1 Q0 c 1 1 other\n",
        "1 Q0 c\n",
        "1 Q0 \x01 1 1 t\n",
        "2 0 a 1\n",
    ]
)


@given(
    st.lists(LINES, max_size=12),
    st.sampled_from(["", "2 Q0 z 1 1 t", "# no newline", "x", "\ufeff"]),
    st.sampled_from([1, 10, 40, 0]),
)
def test_a_run_in_a_file_is_the_run_in_memory(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str, part_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("run") / "run.txt"
    for text in ("".join(lines) + end, end + "".join(lines)):
        expected = outcome(Lines.of_bytes(text.encode(), "run.txt"), part_bytes)
        assert outcome(in_file(path, text.encode()), part_bytes) == expected


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("part_bytes", [100, 5000, 0])
def test_runs_longer_than_what_is_read_at_a_time_are_read(tmp_path: Path, part_bytes: int, threads: int) -> None:
    together = "".join(f"{t} Q0 d{d} {d} {9 / (d + 1):.4f} t\n" for t in range(60) for d in range(100))
    scattered = "".join(f"{t} Q0 d{d} {d} {9 / (d + 1):.4f} t\n" for d in range(100) for t in range(60))
    long_line = "# " + "x" * 200_000 + "\n"
    for text in (together, scattered, together + scattered, long_line + together, together + long_line[:-1]):
        expected = outcome(Lines.of_bytes(text.encode(), "run.txt"), 0)
        assert outcome(in_file(tmp_path / "run", text.encode()), part_bytes, threads) == expected


def test_an_error_in_a_file_names_the_line_in_the_whole_file(tmp_path: Path) -> None:
    lines = [f"{t} Q0 d{d} 1 1 t\n" for t in range(2000) for d in range(10)]
    lines[15_000] = "1500 Q0 d 1 oops t\n"
    read = in_file(tmp_path / "run", "".join(lines).encode())
    message = "run.txt:15001: score 'oops' is not a number (topic 1500, document d)"
    assert outcome(read, 5000, 3) == message
    twice = [*lines[:15_000], lines[7], *lines[15_001:]]
    read = in_file(tmp_path / "run", "".join(twice).encode())
    assert "run.txt:15001: document 'd7' of topic 0 was already given in line 8;" in outcome(read, 5000, 3)


def test_an_endless_line_of_many_parts_takes_linear_time(tmp_path: Path) -> None:
    text = "".join(f"{t} Q0 d{d} 1 1 t\n" for d in range(10) for t in range(2000)) + "#" + "x" * 10_000_000
    code = (
        "import sys; from gradeval._core import *\n"
        "judge(Pools.of_mapping({'1': {'d1': 1}}, 'q'), [Lines.of_bytes(open(sys.argv[1], 'rb').read(), 'run')])"
    )
    (tmp_path / "run").write_text(text)
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "run")], check=True, timeout=20)  # it took 128 s


def longer(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"1 Q0 z 1 1 t\n")


def shorter(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def other(path: Path) -> None:
    stat = path.stat()
    path.write_bytes(path.read_bytes().replace(b"a", b"b"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))


def replaced(path: Path) -> None:
    copy = path.with_suffix(".new")
    copy.write_bytes(path.read_bytes())
    os.utime(copy, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    copy.replace(path)


def deleted(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("change", [longer, shorter, other, replaced, deleted])
def test_a_run_in_a_file_that_changes_is_an_error(tmp_path: Path, change: Callable[[Path], None]) -> None:
    path = tmp_path / "run.txt"
    run = in_file(path, b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    assert run.tag() == "t"
    change(path)
    for part_bytes in (0, 1):
        assert outcome(run, part_bytes) == CHANGED
    with pytest.raises(InputError, match="changed while it was read"):
        run.topics()


def test_a_failure_in_a_file_that_changed_is_the_change(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    run = in_file(path, b"1 Q0 a 1 1 t\n")
    path.write_bytes(b"1 Q0 a 1")
    assert outcome(run, 0) == CHANGED


@contextmanager
def rewriting(path: Path, contents: list[bytes], resize: bool) -> Iterator[None]:
    """Another thread that writes the contents in turn, in place or, with ``resize``, through an empty file."""
    end = threading.Event()

    def rewrite() -> None:
        while not end.is_set():
            for content in contents:
                with path.open("wb" if resize else "r+b", buffering=0) as file:
                    for begin in range(0, len(content), 1 << 16):
                        file.write(content[begin : begin + (1 << 16)])

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


@pytest.mark.parametrize("resize", [False, True])
def test_bytes_of_a_file_that_is_rewritten_are_those_of_one_moment(tmp_path: Path, resize: bool) -> None:
    path = tmp_path / "run.txt"
    contents = [letter * 30_000_000 for letter in (b"a", b"b")]
    path.write_bytes(contents[0])
    refused = 0
    with rewriting(path, contents, resize):
        for attempt in count():
            if (attempt >= 10 and refused > 0) or attempt == 5_000:
                break
            with path.open("rb", buffering=0) as file:
                try:
                    data = np.frombuffer(read_file(file.fileno(), "run.txt"), np.uint8)
                except InputError:
                    refused += 1
                else:  # at each moment some first bytes are new and the others old
                    assert np.count_nonzero(np.diff(data)) <= 1
    assert refused > 0


# What is read while another process writes and cuts the file: a result, or an error in one line.
WHILE_REWRITTEN = """
import os, sys
from gradeval._core import InputError, Letor, Lines, Pools, judge
path, kind = os.fsencode(sys.argv[1]), sys.argv[2]
pools = Pools.of_mapping({str(topic): {"d1": 1} for topic in range(500)}, "qrels")
refused = 0
for _ in range(60):
    try:
        if kind == "run":
            judge(pools, [Lines.of_file(path, "run.txt")])
        else:
            letor = Letor.of_file(path, "run.txt")
            assert len(letor.grades) == len(letor.X) == letor.offsets[-1]
    except InputError as error:
        refused += 1
print(refused)
"""


@pytest.mark.parametrize("kind", ["run", "features"])
@pytest.mark.parametrize("resize", [False, True])
def test_a_file_that_is_rewritten_kills_nobody(tmp_path: Path, kind: str, resize: bool) -> None:
    path = tmp_path / "run.txt"
    if kind == "run":
        line = "{} Q0 d{:03} 1 {} t\n"
        orders = (range(100), range(99, -1, -1))
        contents = ["".join(line.format(t, d, n) for t in range(500) for n, d in enumerate(order)) for order in orders]
    else:  # of one size, but one has a hundred times the rows
        contents = ["1 qid:1 1:1 2:2 3:3\n" * 50_000, ("1 qid:1 1:1 2:2 3:3" + " " * 1980 + "\n") * 500]
    path.write_text(contents[0])
    with rewriting(path, [content.encode() for content in contents], resize):
        done = subprocess.run(
            [sys.executable, "-c", WHILE_REWRITTEN, str(path), kind], capture_output=True, text=True, timeout=100
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 0


def test_features_that_change_unseen_between_two_looks_are_not_written_beyond_the_table(tmp_path: Path) -> None:
    """The table is as large as the first look said. Here the time of change never says that it was changed."""
    path = tmp_path / "f.txt"
    few = b"1 qid:1 1:1 2:2 3:3" + b" " * 999_980 + b"\n"
    many = b"1 qid:1 1:1 2:2 3:3\n" * (len(few) // 20)
    assert len(few) == len(many)
    path.write_bytes(few)
    time = path.stat().st_mtime_ns
    end = threading.Event()

    def rewrite() -> None:
        while not end.is_set():
            for content in (many, few):
                with path.open("r+b", buffering=0) as file:
                    file.write(content)
                    os.utime(path, ns=(time, time))

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        for _ in range(400):
            with suppress(InputError):  # the change, or what a half-written line is
                letor = Letor.of_file(os.fsencode(path), "f.txt")
                assert len(letor.grades) == len(letor.X) == letor.offsets[-1]
    finally:
        end.set()
        thread.join()
