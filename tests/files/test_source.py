"""Bytes come in, whatever they are packed in."""

from __future__ import annotations

import gzip
import io
import os
import random
import re
import shlex
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from refusing import said_of

from gradeval import InputError, read_qrels, read_run
from gradeval.files.source import Source, read_bytes

TEXT = b"".join(b"301 Q0 doc%d %d %d.5 tag\n" % (n, n, 1000 - n) for n in range(1, 500))


refusal = partial(said_of, read_bytes)


def test_what_was_read_does_not_change_with_the_file(here: Path) -> None:
    Path("run.txt").write_bytes(TEXT)
    data = read_bytes("run.txt")
    with Path("run.txt").open("r+b") as file:
        file.write(b"#" * 100)
        file.truncate(200)
    assert data == TEXT


@pytest.mark.parametrize("size", [0, 1, (1 << 22) - 1, 1 << 22, (1 << 23) + 5])
def test_files_of_any_size_are_read_whole(here: Path, size: int) -> None:
    content = random.Random(size).randbytes(size)
    Path("file").write_bytes(content)
    assert read_bytes("file") == content


def test_a_special_file_that_names_no_size_is_read() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("no such file on this system")
    assert b"Name:" in read_bytes("/proc/self/status")


def test_the_beginning_is_there_of_plain_files_only(here: Path) -> None:
    Path("run.txt").write_bytes(TEXT)
    assert Source("run.txt").plain == TEXT[: 1 << 16]
    Path("empty").touch()
    Path("packed").write_bytes(gzip.compress(TEXT))
    assert [Source(place).plain for place in ("empty", "packed", "-")] == [None, None, None]
    with pytest.raises(InputError, match="no such file"):
        _ = Source("missing").plain


def test_an_empty_file_is_no_bytes(here: Path) -> None:
    Path("empty").touch()
    assert read_bytes("empty") == b""


def test_a_file_larger_than_the_memory_is_an_error_before_it_is_read(here: Path) -> None:
    with Path("run.txt").open("wb") as file:
        file.truncate(1 << 42)  # a hole: it takes no room on the disk
    assert refusal("run.txt").startswith("run.txt: 4398.0 GB do not fit into the memory at hand; ")


def test_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    assert read_bytes("-") == TEXT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_to_its_end(here: Path) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(TEXT,))
    writer.start()
    assert read_bytes("pipe") == TEXT
    writer.join()


def test_a_missing_file_is_an_error_that_names_the_nearest(here: Path) -> None:
    Path("bm25.run").touch()
    assert refusal("bm52.run") == "bm52.run: no such file (did you mean bm25.run?)"


def test_a_pattern_where_one_file_is_read_names_one_that_fits_it(here: Path) -> None:
    (here / "of all").mkdir()
    for fold in (1, 0):
        (here / "of all" / f"test{fold}.csv").write_text("user,item,rating\n1,a,1\n")
    with pytest.raises(InputError, match=r"for judgments: or a folder\); name it, as in ") as error:
        read_qrels("of all/test*.csv")
    (typed,) = re.findall(r"name it, as in (.+?); if the files are folds, score each: docs", str(error.value))
    (file,) = shlex.split(typed)
    assert file == "of all/test0.csv"
    assert read_qrels(file).to_dict() == {"1": {"a": 1}}
    with pytest.raises(InputError, match="no file fits it as a pattern"):
        read_qrels("of all/none*.csv")


def test_a_missing_folder_is_said(here: Path) -> None:
    assert refusal("runs/bm25") == "runs/bm25: no such file (there is no folder runs)"


def test_a_file_taken_for_a_folder_is_said(here: Path) -> None:
    Path("runs").touch()
    assert refusal(Path("runs/bm25")) == "runs/bm25: no such file (runs is not a folder)"


def test_a_folder_is_an_error(here: Path) -> None:
    Path("runs").mkdir()
    assert refusal("runs") == "runs: is a folder; name a file in it, as in runs/FILE"


def test_a_file_that_may_not_be_read_is_an_error(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    Path("run.txt").write_bytes(TEXT)
    monkeypatch.setattr("builtins.open", refuse)
    assert refusal("run.txt").startswith("run.txt: may not be read (permission denied)")


def test_reading_a_plain_run_imports_nothing_heavy(here: Path) -> None:
    Path("run.txt").write_bytes(TEXT)
    heavy = {"gzip", "zlib", "bz2", "lzma", "zstandard", "pyarrow", "pandas", "scipy", "rich", "click", "tempfile"}
    code = (
        "import sys, numpy; before = {*sys.modules}; import gradeval; gradeval.read_run('run.txt').name; "
        f"print(*(sys.modules.keys() - before) & {heavy})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.split() == []


def test_what_people_save_from_spreadsheets_is_named(tmp_path: Path) -> None:
    workbook = tmp_path / "qrels.xlsx"
    workbook.write_bytes(b"PK\x03\x04\x14\x00\x06\x00\x08\x00")
    with pytest.raises(InputError, match="a zip archive, such as an Excel workbook; save it as csv"):
        read_qrels(workbook)


def test_encodings_are_named_as_python_names_them(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_bytes("query,doc,grade\n\u65e5\u672c,a,1\n".encode("shift_jis"))
    assert read_qrels(tmp_path / "q.csv", encoding="shift_jis").to_dict() == {"\u65e5\u672c": {"a": 1.0}}
    for name, said in (("utf8x", "encoding 'utf8x' is not known"), ("zip", "encoding 'zip' is none of text")):
        with pytest.raises(InputError, match=said):
            read_qrels(tmp_path / "q.csv", encoding=name)
    with pytest.raises(
        InputError,
        match=r"q.csv:2: is not valid ascii; the encoding that you name is for all files: save each as UTF-8",
    ):
        read_qrels(tmp_path / "q.csv", encoding="ascii")


def test_a_file_in_utf_8_is_not_garbled_by_the_encoding_of_others(tmp_path: Path) -> None:
    """ASCII is alike in both; a file in cp1252 is read as it is named."""
    text = "query,doc,grade\nsch\u00fcrze,a,1\n"
    (tmp_path / "utf.csv").write_text(text, "utf-8")
    (tmp_path / "ascii.csv").write_text(text.replace("\u00fc", "u"), "ascii")
    (tmp_path / "win.csv").write_text(text, "cp1252")
    with pytest.raises(
        InputError, match="is UTF-8, and cp1252 would garble it; the encoding that you name is for all files"
    ):
        read_qrels(tmp_path / "utf.csv", encoding="cp1252")
    assert read_qrels(tmp_path / "utf.csv", encoding="utf8").topics == ["sch\u00fcrze"]
    assert read_qrels(tmp_path / "ascii.csv", encoding="cp1252").topics == ["schurze"]
    assert read_qrels(tmp_path / "win.csv", encoding="cp1252").topics == ["sch\u00fcrze"]


def test_text_of_trec_may_have_any_encoding_that_is_named(tmp_path: Path) -> None:
    text = "caf\u00e9 Q0 d1 1 2.5 oak\n"
    for encoding, named in (("utf-16", None), ("latin-1", "latin-1"), ("utf-16-le", "utf-16-le")):
        (tmp_path / "r.txt").write_bytes(text.encode(encoding))
        assert read_run(tmp_path / "r.txt", encoding=named).to_dict() == {"caf\u00e9": {"d1": 2.5}}


@pytest.mark.parametrize("named", ["latin-1", "utf-8", "utf-16-le", "utf-16"])
def test_the_mark_of_utf_16_decides_whatever_is_named(named: str, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("q1 Q0 d1 1 2.5 oak\n", "utf-16")
    (tmp_path / "q.csv").write_text("query,doc,grade\nq1,d1,2\n", "utf-16")
    assert read_run(tmp_path / "r.txt", encoding=named).to_dict() == {"q1": {"d1": 2.5}}
    assert read_qrels(tmp_path / "q.csv", encoding=named).of("q1") == {"d1": 2}
    (tmp_path / "r.txt").write_text("q1 Q0 d1 1 2.5 oak\n", "utf-32")
    assert read_run(tmp_path / "r.txt", encoding="utf-32").to_dict() == {"q1": {"d1": 2.5}}


@pytest.mark.parametrize("place", ["http://example.org/run.txt", "https://x.org/q", "s3://bucket/run.gz"])
def test_an_address_is_to_be_downloaded(place: str) -> None:
    assert refusal(place) == f"{place}: is an address, and no file; download it, and name the file"


def test_an_encoding_that_plain_text_denies_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "test.csv"
    file.write_text("user,item,rating\n1,5,4\n")
    with pytest.raises(InputError, match="is UTF-8, and utf-16-le would garble it"):
        read_qrels(file, encoding="utf-16-le")
    file.write_bytes("user,item,rating\n1,5,4\n".encode("utf-16-le"))
    assert read_qrels(file, encoding="utf-16-le").to_dict() == {"1": {"5": 4}}
