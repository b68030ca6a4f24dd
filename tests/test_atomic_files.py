"""Files go out whole, or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gradeval import InputError
from gradeval.atomic_files import whole_file


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the one that relative paths start from."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_appears_only_when_it_is_whole(here: Path) -> None:
    with whole_file("out") as file:
        file.write(b"one")
        file.flush()
        assert not Path("out").exists()
    assert contents(here) == {"out": b"one"}


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127])
def test_a_name_may_be_as_long_as_the_file_system_allows(here: Path, name: str) -> None:
    with whole_file(name) as file:
        file.write(b"one")
    assert contents(here) == {name: b"one"}


def write_half(path: str, error: type[BaseException]) -> None:
    with whole_file(path) as file:
        file.write(b"new")
        raise error


def test_an_error_leaves_what_was_there(here: Path) -> None:
    Path("out").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        write_half("out", ZeroDivisionError)
    assert contents(here) == {"out": b"old"}


def test_an_interruption_leaves_nothing_half_written(here: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_half("out", KeyboardInterrupt)
    assert contents(here) == {}


def test_an_interruption_while_the_file_is_opened_leaves_none(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_and_interrupt(path: str, mode: str) -> None:
        Path(path).write_bytes(b"")
        raise KeyboardInterrupt

    monkeypatch.setattr("gradeval.atomic_files.open", open_and_interrupt, raising=False)
    with pytest.raises(KeyboardInterrupt), whole_file(here / "new.txt"):
        pass
    assert contents(here) == {}


def test_a_full_disk_is_an_input_error_and_leaves_what_was_there(here: Path) -> None:
    Path("out").write_bytes(b"old")
    with pytest.raises(InputError, match=r"^out: cannot be written \(No space left on device\)"), whole_file("out"):
        raise OSError(28, "No space left on device")
    assert contents(here) == {"out": b"old"}


def test_an_error_of_another_file_is_not_taken_for_one_of_writing(here: Path) -> None:
    with pytest.raises(FileNotFoundError), whole_file("out"):
        open("input")  # noqa: SIM115 - raises
    assert contents(here) == {}


def test_a_new_file_has_the_usual_permissions(here: Path) -> None:
    Path("usual").touch()
    with whole_file("out") as file:
        file.write(b"new")
    assert stat.S_IMODE(os.stat("out").st_mode) == stat.S_IMODE(os.stat("usual").st_mode)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_replaced_file_keeps_its_permissions(here: Path) -> None:
    Path("out").write_bytes(b"old")
    os.chmod("out", 0o640)
    with whole_file("out") as file:
        file.write(b"new")
    assert stat.S_IMODE(os.stat("out").st_mode) == 0o640
    assert contents(here) == {"out": b"new"}


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_link_stays_and_its_target_is_replaced(here: Path) -> None:
    Path("folder").mkdir()
    Path("folder/target").write_bytes(b"old")
    Path("out").symlink_to("folder/target")
    with whole_file("out") as file:
        file.write(b"new")
    assert Path("out").is_symlink()
    assert contents(here / "folder") == {"target": b"new"}


@pytest.mark.skipif(os.name != "posix", reason="devices of POSIX")
def test_a_device_is_written_to_and_stays_a_device() -> None:
    with whole_file(os.devnull) as file:
        file.write(b"new")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_dash_is_standard_output() -> None:
    code = "from gradeval.atomic_files import whole_file\nprint('a')\nwith whole_file('-') as file: file.write(b'b')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.split() == [b"a", b"b"]


WRITE_TO = """
import os, sys
from gradeval.atomic_files import whole_file
print("a", flush=True)
with whole_file(sys.argv[1]) as file:
    file.write(b"b\\n")
os.write(1, b"c\\n")
"""


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="paths of descriptors")
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/dev/../dev/fd/1", "link", "/dev/stderr", "/dev/fd/2"])
def test_the_file_behind_a_stream_is_written_to_and_not_replaced(here: Path, path: str) -> None:
    Path("link").symlink_to("/dev/stdout")
    Path("log").write_bytes(b"before\n")
    with open("log", "ab") as log:
        subprocess.run([sys.executable, "-c", WRITE_TO, path], stdout=log, stderr=log, check=True)
    assert contents(here)["log"] == b"before\na\nb\nc\n"
    assert sorted(os.listdir(here)) == ["link", "log"]


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="paths of descriptors")
def test_an_open_descriptor_is_written_to_and_stays_open(here: Path) -> None:
    with open("log", "wb", buffering=0) as log:
        log.write(b"a")
        with whole_file(f"/dev/fd/{log.fileno()}") as file:
            file.write(b"b")
        log.write(b"c")
    assert contents(here) == {"log": b"abc"}


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="paths of descriptors")
def test_a_descriptor_that_is_not_open_is_an_error() -> None:
    with pytest.raises(InputError, match=r"^/dev/fd/987: cannot be written"), whole_file("/dev/fd/987"):
        pytest.fail("the block began")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder in which nobody makes files")
def test_a_folder_that_takes_no_files_is_not_called_missing() -> None:
    with pytest.raises(InputError, match=r"^/proc/x: .*another place") as refused, whole_file("/proc/x"):
        pytest.fail("the block began")
    assert "no folder" not in str(refused.value)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("runs", "runs: is a folder; name a file in it, as in runs/FILE"),
        ("new/", "new/: is a folder; name a file in it, as in new/FILE"),
        ("none/out", "none/out: there is no folder {here}/none to write it to; create it first"),
        ("file/out", "file/out: cannot be written (Not a directory); choose another place"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_done(here: Path, path: str, message: str) -> None:
    Path("runs").mkdir()
    Path("file").write_bytes(b"old")
    with pytest.raises(InputError) as refused, whole_file(path):
        pytest.fail("the block began")
    assert str(refused.value) == message.format(here=os.path.realpath(here))
    assert sorted(os.listdir(here)) == ["file", "runs"]


def test_a_write_protected_file_is_left_alone(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out").write_bytes(b"old")
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(InputError, match=r"^out: is write-protected"), whole_file("out"):
        pytest.fail("the block began")
    assert contents(here) == {"out": b"old"}


def test_a_folder_that_may_not_be_written_to_is_an_error(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(InputError, match=r"^out: cannot be written \(Permission denied\)"), whole_file("out"):
        pytest.fail("the block began")
