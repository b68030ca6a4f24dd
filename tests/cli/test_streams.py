from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradeval.cli.streams import write_utf8

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells of POSIX")


def without(closed: str, *words: object, **options: object) -> subprocess.CompletedProcess[str]:
    """The command line, started by a shell that closes a stream: ``without("2>&-", "evaluate", ...)``."""
    command = [sys.executable, "-m", "gradeval", *map(str, words)]
    return subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *command], capture_output=True, text=True, check=False, **options
    )


def test_without_stderr_the_result_comes(files: list[Path]) -> None:
    whole = without("", "evaluate", *files, "-m", "AP")
    assert whole.stderr != ""
    silent = without("2>&-", "evaluate", *files, "-m", "AP")
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, whole.stdout, "")


@pytest.mark.parametrize("command", ["evaluate", "correlate"])
def test_a_file_is_written_whatever_is_closed(files: list[Path], tmp_path: Path, command: str) -> None:
    here, there = tmp_path / "here.tsv", tmp_path / "there.tsv"
    assert without("", command, *files, "-m", "AP nDCG", "-o", here).returncode == 0
    for closed in (">&-", "<&-", "2>&-", "<&- >&- 2>&-"):
        there.unlink(missing_ok=True)
        done = without(closed, command, *files, "-m", "AP nDCG", "-o", there)
        assert done.returncode == 0, closed
        assert there.read_bytes() == here.read_bytes(), closed
        assert "Traceback" not in done.stderr, closed


@pytest.mark.parametrize("words", [["evaluate"], ["check"], ["measures"], ["--help"]])
def test_without_standard_output_there_is_one_line(files: list[Path], words: list[str]) -> None:
    done = without(">&-", *words, *(files if words in (["evaluate"], ["check"]) else []))
    said = [line for line in done.stderr.splitlines() if not line.startswith(("note: ", "gradeval: warning: "))]
    assert said == ["gradeval: error: standard output: cannot be written (Bad file descriptor)"]
    assert done.returncode == 2


def test_without_standard_input_a_dash_cannot_be_read(files: list[Path]) -> None:
    done = without("<&-", "evaluate", files[0], "-")
    said = "gradeval: error: standard input: cannot be read (Bad file descriptor); name a file\n"
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize(("place", "redirected"), [("/dev/full", ""), ("/dev/fd/7", "7>/dev/full")])
def test_a_device_that_is_full_is_called_by_its_name(files: list[Path], place: str, redirected: str) -> None:
    done = without(redirected, "evaluate", *files, "-o", place)
    said = [line for line in done.stderr.splitlines() if not line.startswith(("note: ", "gradeval: warning: "))]
    assert said == [f"gradeval: error: {place}: cannot be written (No space left on device); choose another place"]
    assert done.returncode == 2


def test_streams_of_windows_write_what_those_of_linux_do() -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="cp1252", newline="\r\n")
    write_utf8(stream)
    stream.write("日本 0.5\n")
    stream.flush()
    assert written.getvalue() == "日本 0.5\n".encode()
