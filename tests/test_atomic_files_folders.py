"""Whole folders, or none: errors, interruptions and kills leave what was there before."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gradeval import InputError
from gradeval.atomic_files import whole_folder


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the one that relative paths start from."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(place: Path, text: str) -> None:
    with whole_folder(place) as new:
        (Path(new) / "inner").mkdir()
        (Path(new) / "inner" / "file").write_text(text)


def text_of(place: Path) -> str:
    return (place / "inner" / "file").read_text()


def test_a_folder_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "new"
    with whole_folder(place) as new:
        (Path(new) / "file").write_text("1")
        assert not place.exists()
    assert os.listdir(tmp_path) == ["new"]
    fill(place, "2")
    assert os.listdir(tmp_path) == ["new"]
    assert os.listdir(place) == ["inner"]
    assert text_of(place) == "2"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
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
from gradeval.atomic_files import whole_folder
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
moment, place = sys.argv[1:]
if moment == "before it is renamed":
    os.rename = die
elif moment == "before the old one is deleted":
    import shutil; shutil.rmtree = die
with whole_folder(place) as new:
    os.mkdir(os.path.join(new, "inner"))
    with open(os.path.join(new, "inner", "file"), "w") as file:
        file.write("new")
    if moment == "filling":
        die()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("moment", "there", "left"),
    [
        ("filling", "old", "part"),
        ("before it is renamed", "old", "part"),
        ("before the old one is deleted", "new", "before"),
    ],
)
def test_a_kill_leaves_a_whole_folder_and_another_that_says_whose_it_is(
    tmp_path: Path, moment: str, there: str, left: str
) -> None:
    place = tmp_path / "model"
    fill(place, "old")
    killed = subprocess.run([sys.executable, "-c", KILLED, moment, str(place)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert text_of(place) == there
    (beside,) = (name for name in os.listdir(tmp_path) if name != "model")
    assert beside.startswith(".gradeval-model-")
    assert beside.endswith(left)
    fill(place, "third")
    assert text_of(place) == "third"


MANY = """
import os, sys
from gradeval.atomic_files import whole_folder
for _ in range(40):
    with whole_folder(sys.argv[1]) as new:
        for name in ("a", "b"):
            with open(os.path.join(new, name), "w") as file:
                file.write(sys.argv[2])
"""


def test_of_many_who_write_one_folder_at_once_the_last_wins(tmp_path: Path) -> None:
    place = tmp_path / "model"
    writers = [subprocess.Popen([sys.executable, "-c", MANY, str(place), word]) for word in ("x", "y", "z")]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert os.listdir(tmp_path) == ["model"]
    assert len({(place / name).read_text() for name in ("a", "b")}) == 1
