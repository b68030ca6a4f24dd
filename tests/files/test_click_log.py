"""Click logs as text: they read back, and whatever is wrong is said with its line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import Clicks, InputError, read_clicks, write_clicks

HEAD = "session\ttopic\tdocument\trank\tclick\n"
LINE = "s1\tt1\td1\t1\t0\n"


def read(folder: Path, text: str | bytes) -> Clicks:
    (folder / "log").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_clicks(folder / "log")


def test_a_log_reads_back(tmp_path: Path) -> None:
    clicks = Clicks.of(["a b", "a b", "s2"], ["1", "1", "1"], ["d 1", "é", "d 1"], [1, 20, 1], [0, 1, 1])
    write_clicks(clicks, tmp_path / "log.tsv")
    again = read_clicks(tmp_path / "log.tsv")
    assert (again.session, again.topic, again.document) == (clicks.session, clicks.topic, clicks.document)
    assert again.rank.tolist() == [1, 20, 1]
    assert again.click.tolist() == [False, True, True]
    assert repr(again) == "Clicks(3 documents shown, 2 clicks)"


def test_columns_come_in_any_order_lines_end_as_they_like_and_files_may_be_compressed(tmp_path: Path) -> None:
    text = "click\trank\tdocument\tsession\ttopic\r\n1\t2\td\ts\tt\r\n0\t1\te\ts\tt"
    for content in (text.encode(), b"\xef\xbb\xbf" + text.encode(), gzip.compress(text.encode())):
        clicks = read(tmp_path, content)
        assert (clicks.document, clicks.rank.tolist(), clicks.click.tolist()) == (["d", "e"], [2, 1], [True, False])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["log:1", "the file is empty", "session topic document rank click"]),
        (HEAD, ["holds no line below the header"]),
        (LINE, ["log:1", "the header is"]),
        (HEAD.replace("\t", " ") + LINE, ["log:1"]),
        (HEAD.replace("rank", "click"), ["log:1"]),
        (HEAD + LINE + "s1\tt1\td2\t2\n", ["log:3", "4 columns"]),
        (HEAD + LINE + "\n" + LINE, ["log:3", "1 column;"]),
        (HEAD + LINE + "s1\tt1\td2\t2\t1\t5\n", ["log:3", "6 columns"]),
        (HEAD + LINE + "s1\tt1\td2\t0\t1\n", ["log:3", "rank '0'", "from 1"]),
        (HEAD + LINE + "s1\tt1\td2\t1.5\t1\n", ["log:3", "rank '1.5'"]),
        (HEAD + LINE + "s1\tt1\td2\t-1\t1\n", ["log:3", "rank '-1'"]),
        (HEAD + LINE + "s1\tt1\td2\t٣\t1\n", ["log:3", "rank"]),
        (HEAD + LINE + f"s1\tt1\td2\t{'9' * 5000}\t1\n", ["log:3", "rank"]),
        (HEAD + LINE + "s1\tt1\td2\t2\tyes\n", ["log:3", "click 'yes'", "0 or 1"]),
        (HEAD + LINE + "s1\tt1\td2\t2\t2\n", ["log:3", "click '2'"]),
        (HEAD + LINE + "s1\tt1\t\t2\t1\n", ["log:3", "document is empty"]),
        (HEAD + LINE + "s1\tt1\td1\t2\t1\n", ["log:3", "document 'd1'", "line 2"]),
        (HEAD + LINE + "s2\tt1\td1\t1\t1\ns1\tt1\td2\t1\t1\n", ["log:4", "rank '1'", "line 2"]),
        (HEAD.encode() + LINE.encode() + b"s1\tt1\t\xff\t2\t1\n", ["log:3", "not text"]),
        (b"\x00" * 50, ["log:1"]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str | bytes, parts: list[str]) -> None:
    error = said_of(lambda: read(tmp_path, text))
    assert all(part in error for part in parts), error
    assert len(error) < 400


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["s"], ["t"], ["d"], [1, 2], [0]), "differ in length"),
        ((["s"], ["t"], ["d"], [0], [0]), "whole numbers from 1"),
        ((["s"], ["t"], ["d"], [1.5], [0]), "whole numbers from 1"),
        ((["s"], ["t"], ["d"], [1], [2]), "0 or 1"),
        (([], [], [], [], []), "holds no line"),
        ((["s", "s"], ["t", "t"], ["d", "e"], [1, 1], [0, 1]), "line 2: .* on line 1 already"),
    ],
)
def test_columns_are_checked(columns: tuple[list[object], ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Clicks.of(*columns)  # type: ignore[arg-type]


def test_what_would_not_read_back_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write document"):
        write_clicks(Clicks.of(["s"], ["t"], ["a\tb"], [1], [0]), tmp_path / "log")
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("name", ['"Heroes"', '"Heroes"_(album)', '"Low', 'a "b"', "#1", '""'])
def test_names_with_quotes_and_hashes_are_the_same_when_read_back(tmp_path: Path, name: str) -> None:
    shown = Clicks.of([name, "s"], ["t", name], [name, name], [1, 2], [True, False])
    write_clicks(shown, tmp_path / "clicks.tsv")
    read = read_clicks(tmp_path / "clicks.tsv")
    assert (read.session, read.topic, read.document) == ([name, "s"], ["t", name], [name, name])
