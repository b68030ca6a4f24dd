"""Whole folders, or none: errors, interruptions and kills at any moment leave what was there before."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gradeval import InputError
from gradeval import atomic_files as module
from gradeval.atomic_files import recover_folder, whole_file, whole_folder


def fill(place: Path, text: str, *, lasting: bool = False) -> None:
    with whole_folder(place, lasting=lasting) as new:
        (Path(new) / "inner").mkdir()
        (Path(new) / "inner" / "file").write_text(text)


def text_of(place: Path) -> str:
    return (place / "inner" / "file").read_text()


@pytest.fixture(params=["exchanged", "renamed twice"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to replace a folder: at once where the system can, else by two renames."""
    if request.param == "renamed twice":
        monkeypatch.setattr(module, "_exchange", lambda *_: False)
    return str(request.param)


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.usefixtures("way")
def test_a_folder_appears_only_when_it_is_whole(tmp_path: Path, lasting: bool) -> None:
    place = tmp_path / "new"
    with whole_folder(place, lasting=lasting) as new:
        (Path(new) / "file").write_text("1")
        assert not place.exists()
    assert os.listdir(tmp_path) == ["new"]
    fill(place, "2", lasting=lasting)
    assert os.listdir(tmp_path) == ["new"]
    assert os.listdir(place) == ["inner"]
    assert text_of(place) == "2"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
@pytest.mark.usefixtures("way")
def test_an_error_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    fill(tmp_path / "old", "1")

    def fail(place: Path) -> None:
        with whole_folder(place) as new:
            (Path(new) / "file").write_text("2")
            raise error

    for name in ("old", "new"):
        with pytest.raises(error):
            fail(tmp_path / name)
    assert os.listdir(tmp_path) == ["old"]
    assert text_of(tmp_path / "old") == "1"


@pytest.mark.usefixtures("way")
def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    fill(tmp_path / "target", "1")
    (tmp_path / "link").symlink_to("target")
    fill(tmp_path / "link", "2")
    assert (tmp_path / "link").is_symlink()
    assert text_of(tmp_path / "target") == "2"
    (tmp_path / "dangling").symlink_to("made")
    fill(tmp_path / "dangling", "3")
    assert text_of(tmp_path / "made") == "3"


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.usefixtures("way")
def test_a_replaced_folder_keeps_its_permissions(tmp_path: Path) -> None:
    fill(tmp_path / "mine", "1")
    (tmp_path / "mine").chmod(0o750)
    fill(tmp_path / "mine", "2")
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o750


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere/new: cannot be written \(No such file or directory\)"):
        fill(tmp_path / "nowhere" / "new", "1")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: is no folder"):
        fill(tmp_path / "file", "1")
    with pytest.raises(FileNotFoundError), whole_folder(tmp_path / "new"):
        (tmp_path / "other").read_text()  # no failure to write
    assert os.listdir(tmp_path) == ["file"]


KILLED = """
import os, signal, sys
from gradeval import atomic_files as folder
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
moment, place = sys.argv[1:]
rename, exchange = os.rename, folder._exchange
if moment == "filling":
    folder._take_place = die
elif moment == "between renames":
    folder._exchange = lambda *_: False
    os.rename = lambda old, new: die() if new == place else rename(old, new)
elif moment == "after exchange":
    import shutil; shutil.rmtree = die
with folder.whole_folder(place) as new:
    os.mkdir(os.path.join(new, "inner"))
    with open(os.path.join(new, "inner", "file"), "w") as file:
        file.write("new")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("moment", "left"), [("filling", "old"), ("between renames", "old"), ("after exchange", "new")]
)
def test_a_kill_at_any_moment_leaves_a_whole_folder(tmp_path: Path, moment: str, left: str) -> None:
    place = tmp_path / "model"
    fill(place, "older")
    fill(tmp_path / "other", "other")
    if moment == "after exchange" and not module._exchange(str(place), str(tmp_path / "other")):
        pytest.skip("this file system exchanges no folders")
    shutil.rmtree(tmp_path / "other")
    fill(place, "old")
    killed = subprocess.run([sys.executable, "-c", KILLED, moment, str(place)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert place.exists() == (moment != "between renames")
    recover_folder(place)
    assert text_of(place) == left
    fill(place, "third")
    assert [name for name in os.listdir(tmp_path) if not name.endswith(".part")] == ["model"]
    assert text_of(place) == "third"


def test_a_lasting_file_is_on_the_disk_before_it_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: (done.append("fsync"), fsync(descriptor))[1])
    monkeypatch.setattr(os, "replace", lambda *paths: (done.append("replace"), replace(*paths))[1])
    with whole_file(tmp_path / "checkpoint", lasting=True) as file:
        file.write(b"state")
    assert done == ["fsync", "replace", "fsync"]
    with whole_file(tmp_path / "other") as file:
        file.write(b"state")
    assert done[3:] == ["replace"]
