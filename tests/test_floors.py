"""The house: imports only go down, without circles, lazy imports and imports for types counted; no lonely file.

The root of the package stands above all rooms; what a lower room asks of a higher one goes by way of ``upward.py``.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
FLOORS = """
    cli
    page
    charts
    papers
    ltr compat
    studies
    checking explanation dask
    scores
    files
    features kernels
    collection
    measures
    formula tables
    atomic_files progress
    array_checks
    arguments
    messages
    _core version extras startup synonyms warning_categories upward
"""
"""From the top down; rooms of one floor do not know each other."""

BY_STRING = {
    "__init__.py": "the public names: import gradeval stays light",
    "charts/__init__.py": "charts register themselves, a file a family; the families are listed",
    "cli/__init__.py": "a command is imported when it runs",
    "files/input_formats.py": "a reader is imported when its format is read",
    "ltr/__init__.py": "the public names: PyTorch is imported with those that need it",
    "ltr/objectives/loss.py": "METHODS names the module of each objective",
    "ltr/rankers/kinds.py": "a ranker is imported when its kind is asked for",
    "ltr/rankers/tree_training.py": "METHODS names the module of each objective",
    "papers/registry.py": "a study is imported when its table or figure is computed, a text when it is listed",
}
"""Modules that import by a string, and why; none imports from a higher room."""
BY_NAME = {"import_module", "_import_module", "__import__"}

ENGINES = {"torch", "lightgbm", "xgboost", "safetensors"}
LEAST = 4
"""Files of a folder, beside its __init__.py: fewer are a part of another."""


class Import(NamedTuple):
    """A module that another imports, and in which line."""

    module: str
    line: int


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    paths = sorted((SOURCE / "gradeval").rglob("*.py"))
    dotted = [path.relative_to(SOURCE).with_suffix("").parts for path in paths]
    names = [".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in dotted]
    return dict(zip(names, paths, strict=True))


def imports(path: Path, known: set[str]) -> Iterator[Import]:
    """All imports of a file, wherever in it they stand."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (Import(name.name, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: write the import with its full name"
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                yield Import(whole if whole in known else str(node.module), node.lineno)


MODULES = modules()
IMPORTS = {name: list(imports(path, set(MODULES))) for name, path in MODULES.items()}
FLOOR_OF = {room: -place for place, rooms in enumerate(FLOORS.split("\n")) for room in rooms.split()}
INSIDE = [name for name in MODULES if name not in ("gradeval", "gradeval.__main__")]


def room(module: str) -> str:
    """The folder or file at the root of the package to which a module belongs; "" for the root itself."""
    return module.removeprefix("gradeval").lstrip(".").partition(".")[0]


def test_every_room_has_its_floor() -> None:
    assert {room(name) for name in INSIDE} <= FLOOR_OF.keys()


@pytest.mark.parametrize("module", INSIDE)
def test_imports_only_go_down(module: str) -> None:
    here = room(module)
    upward = [
        f"line {line}: {name}"
        for name, line in IMPORTS[module]
        if name.partition(".")[0] == "gradeval" and room(name) != here
        if FLOOR_OF.get(room(name), 1) >= FLOOR_OF[here]  # the root lies above all
    ]
    assert upward == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    below = {name: {found.module for found in IMPORTS[name]} & MODULES.keys() - {name} for name in MODULES}

    def reached(name: str) -> set[str]:
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            new = below[ahead.pop()] - seen
            seen |= new
            ahead += new
        return seen

    assert [name for name in MODULES if name in reached(name)] == []


def test_modules_are_imported_by_a_string_where_it_is_known() -> None:
    called = {
        path.relative_to(SOURCE / "gradeval").as_posix()
        for path in MODULES.values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).rpartition(".")[2] in BY_NAME
    }
    assert called == BY_STRING.keys()


def named_rooms(path: Path) -> Iterator[Import]:
    """The rooms of the modules that the strings of a file name, whole or as the beginning of a name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and re.fullmatch(r"gradeval(\.\w+)+[.:\w]*", text) and room(text) in FLOOR_OF:
            yield Import(room(text), node.lineno)


@pytest.mark.parametrize("module", INSIDE)
def test_no_string_names_a_module_of_a_higher_room(module: str) -> None:
    here = room(module)
    upward = [f"line {line}: {there}" for there, line in named_rooms(MODULES[module]) if there != here]
    assert [one for one in upward if FLOOR_OF[one.rpartition(" ")[2]] >= FLOOR_OF[here]] == []


@pytest.mark.parametrize("module", INSIDE)
def test_only_learning_to_rank_imports_its_engines(module: str) -> None:
    if room(module) != "ltr":
        assert ENGINES.isdisjoint(name.partition(".")[0] for name, _ in IMPORTS[module])


@pytest.mark.parametrize("module", INSIDE)
def test_what_shows_does_not_compute(module: str) -> None:
    if room(module) in ("charts", "page", "tables"):
        assert "scipy" not in {name.partition(".")[0] for name, _ in IMPORTS[module]}


FOLDERS = sorted({path.parent for path in MODULES.values()})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_a_folder_holds_several_files_and_says_in_a_phrase_what_they_are(folder: Path) -> None:
    files = [path for path in folder.glob("*.py") if not path.name.startswith("__")]
    assert len(files) >= LEAST
    phrase = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert phrase


def test_no_module_is_hidden_by_another_thing_of_its_name() -> None:
    below = [name for name in MODULES if "." in name and not name.endswith("__main__")]
    code = f"""
import importlib, types
for name in {below!r}:
    try:
        importlib.import_module(name)
    except ImportError as error:
        if (error.name or "gradeval").startswith("gradeval"):
            raise
        continue  # an engine that is not installed
    package, _, own = name.rpartition(".")
    if not isinstance(getattr(importlib.import_module(package), own), types.ModuleType):
        print(name)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []
