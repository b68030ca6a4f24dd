"""Click logs as text: they read back, and whatever is wrong is said with its line."""

from __future__ import annotations

import gzip
import shlex
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
        (HEAD.replace("\t", " ").replace("click", "") + LINE, ["log:1", "hold the click"]),
        ("visit,query,doc,rank,click\ns,t,d,1,1\n", ["log:1", "hold the session", "name it: columns:session=COLUMN"]),
        (HEAD.replace("rank", "click"), ["log:1"]),
        (HEAD + LINE + "s1\tt1\td2\t2\n", ["log:3", "4 columns"]),
        (HEAD + LINE + "\n" + LINE, ["log:3", "1 column;"]),
        (HEAD + LINE + "s1\tt1\td2\t2\t1\t5\n", ["log:3", "6 columns"]),
        (HEAD + LINE + "s1\tt1\td2\t1.5\t1\n", ["log:3", "rank '1.5'"]),
        (HEAD + LINE + "s1\tt1\td2\t-1\t1\n", ["log:3", "rank '-1'", "from 1"]),
        (HEAD + LINE + "s1\tt1\td2\t٣\t1\n", ["log:3", "rank"]),
        (HEAD + LINE + f"s1\tt1\td2\t{'9' * 5000}\t1\n", ["log:3", "rank"]),
        (HEAD + LINE + "s1\tt1\td2\t2\tyes\n", ["log:3", "click 'yes'", "0 or 1"]),
        (HEAD + LINE + "s1\tt1\td2\t2\t2\n", ["log:3", "click '2'"]),
        (HEAD + LINE + "s1\tt1\t\t2\t1\n", ["log:3", "document is empty"]),
        (HEAD + LINE + "s1\tt1\td1\t2\t1\n", ["log:3", "document 'd1'", "line 2"]),
        (HEAD + LINE + "s2\tt1\td1\t1\t1\ns1\tt1\td2\t1\t1\n", ["log:4", "rank '1'", "line 2"]),
        (HEAD.encode() + LINE.encode() + b"s1\tt1\t\x81\t2\t1\n", ["log:3", "is not valid UTF-8"]),
        (b"\x00" * 50, ["log:1"]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str | bytes, parts: list[str]) -> None:
    error = said_of(lambda: read(tmp_path, text))
    assert all(part in error for part in parts), error
    assert len(error.replace(str(tmp_path), "")) < 400


SHOP = """timestamp,session_id,variant,query,sku,position,clicked
9:01,s1,A,"red, shoes",x1,1,True
9:01,s1,A,"red, shoes",x2,2,False

9:02,s2,B,boots,x1,1,true
"""


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("named", [False, True])
def test_tables_of_shops_have_other_names_and_more_columns(separator: str, named: bool, tmp_path: Path) -> None:
    text = SHOP.replace("red, shoes", "red- shoes").replace(",", separator).replace("red- shoes", "red, shoes")
    text = text.replace("clicked", "bought").replace("session_id", "visitor") if named else text
    (tmp_path / "log.csv").write_text(text)
    place = f"columns:session=visitor,click=bought:{tmp_path / 'log.csv'}" if named else tmp_path / "log.csv"
    clicks = read_clicks(place)
    assert (clicks.session, clicks.topic) == (["s1", "s1", "s2"], ["red, shoes", "red, shoes", "boots"])
    assert clicks.document == ["x1", "x2", "x1"]
    assert clicks.rank.tolist() == [1, 2, 1]
    assert clicks.click.tolist() == [True, False, True]
    assert "log.csv:5: rank '-1'" in refused(tmp_path, text, "boots{0}x1{0}1{0}", "boots{0}x1{0}-1{0}", separator)
    assert "log.csv:3: session 's1' has rank '1'" in refused(tmp_path, text, "x2{0}2", "x2{0}1", separator)


def test_sid_is_a_session(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(SHOP.replace("session_id", "sid"))
    assert read_clicks(tmp_path / "log.csv").session == ["s1", "s1", "s2"]


@pytest.mark.parametrize("column", ["session_id", "query_id", "visit no"])
def test_each_session_may_be_one_query_as_the_message_says(column: str, tmp_path: Path) -> None:
    place, lines = tmp_path / "my log.csv", ["s1,a,1,0", "s1,b,2,1", "s2,b,1,0"]
    place.write_text("\n".join([f"{column},doc_id,position,click", *lines]) + "\n")
    named = {"session": column} if column == "visit no" else None
    said = said_of(lambda: read_clicks(place, columns=named))
    assert "no column is known to hold the " in said
    (typed,) = shlex.split(said.partition("if each session asks one query: ")[2])
    clicks = read_clicks(typed)
    assert clicks.session == clicks.topic == [line.split(",")[0] for line in lines]
    assert clicks.click.tolist() == [False, True, False]


def refused(folder: Path, text: str, old: str, new: str, separator: str) -> str:
    """What is said of a log in which a part is another one."""
    columns = {"session": "visitor", "click": "bought"} if "bought" in text else None
    (folder / "log.csv").write_text(text.replace(old.format(separator), new.format(separator)))
    return said_of(lambda: read_clicks(folder / "log.csv", columns=columns))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"sessions": "s"}, "no column is called 'sessions'; accepted: query, doc, session"),
        ({"session": "sesion"}, "has no column 'sesion'"),
        ({"document": "topic", "query": "topic"}, "name five different columns"),
    ],
)
def test_columns_that_are_named_are_there_once(columns: dict[str, str], said: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(HEAD + LINE)
    assert said in said_of(lambda: read_clicks(tmp_path / "log", columns=columns))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((["s"], ["t"], ["d"], [1, 2], [0]), "differ in length"),
        ((["s"], ["t"], ["d"], [-1], [0]), "whole numbers from 1"),
        ((["s"], ["t"], ["d"], [1.5], [0]), "whole numbers from 1"),
        ((["s"], ["t"], ["d"], [1], [2]), "0 or 1"),
        (([], [], [], [], []), "holds no line"),
        ((["s", "s"], ["t", "t"], ["d", "e"], [1, 1], [0, 1]), "line 2: .* on line 1 already"),
    ],
)
def test_columns_are_checked(columns: tuple[list[object], ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Clicks.of(*columns)


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
