"""The page on architecture lists every room, with what its docstring says of it."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "gradeval"
PAGE = (ROOT / "docs/architecture.md").read_text("utf-8")
ROWS = dict(re.findall(r"^\| *\d* *\| `([\w./]+)` \| (.+) \|$", PAGE, re.MULTILINE))
"""What each room holds, by its name."""
FOLDERS = [path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE]
FILES = [path.relative_to(PACKAGE) for path in PACKAGE.glob("*.py") if not path.name.startswith("__")]


def test_every_folder_and_every_file_beside_them_is_a_room() -> None:
    assert ROWS.keys() == {*(f"{folder.as_posix()}/" for folder in FOLDERS), *map(str, FILES), "_core"}


@pytest.mark.parametrize("path", [*FOLDERS, *FILES], ids=str)
def test_a_room_says_in_a_phrase_what_it_holds(path: Path) -> None:
    docstring = import_module(".".join(["gradeval", *path.with_suffix("").parts])).__doc__ or ""
    phrase, _, below = docstring.strip().partition("\n")
    assert ROWS[f"{path.as_posix()}/" if path in FOLDERS else str(path)] == phrase.rstrip(".").replace("``", "`")
    assert phrase.endswith((".", "?"))
    assert not below.strip() or below.startswith("\n")


def test_every_file_that_the_page_names_is_there() -> None:
    named = re.findall(r"`([\w./]+/\w+\.py)`", PAGE)
    assert len(named) > 20
    assert [path for path in named if not ((PACKAGE / path).is_file() or (ROOT / path).is_file())] == []
