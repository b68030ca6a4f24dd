"""The table of rooms in docs/architecture.md: the floors that tests/test_floors.py holds, the words of docstrings."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "gradeval"


def rooms_table() -> str:
    """A row a room from the top floor down, the folders in it below; each says in a phrase what it holds."""
    rows = ["| floor | room | holds |", "|--:|---|---|"]
    floors = read_floors()
    for number, rooms in zip(reversed(range(len(floors))), floors, strict=True):
        for room in rooms:
            rows.append(f"| {number} | `{_called(room)}` | {phrase(room)} |")
            inside = sorted(path.parent.relative_to(PACKAGE) for path in (PACKAGE / room).glob("*/__init__.py"))
            rows += [f"| | `{folder.as_posix()}/` | {phrase(folder.as_posix())} |" for folder in inside]
    return "\n".join([*rows, ""])


def read_floors() -> list[list[str]]:
    """The rooms of each floor, from the top down."""
    tree = ast.parse((ROOT / "tests" / "test_floors.py").read_text(encoding="utf-8"))
    (text,) = (
        str(ast.literal_eval(node.value))
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["FLOORS"]
    )
    return [line.split() for line in text.split("\n") if line.strip()]


def phrase(room: str) -> str:
    """The first line of a room's docstring, without its full stop."""
    docstring = ast.get_docstring(ast.parse(_source(room).read_text(encoding="utf-8"))) or ""
    return docstring.split("\n")[0].rstrip(".").replace("``", "`")


def _source(room: str) -> Path:
    """Where a room says what it holds: in its folder, in its file or, if it is compiled, in its stub."""
    places = (PACKAGE / room / "__init__.py", PACKAGE / f"{room}.py", PACKAGE / f"{room}.pyi")
    return next(place for place in places if place.exists())


def _called(room: str) -> str:
    return f"{room}/" if (PACKAGE / room).is_dir() else f"{room}.py" if (PACKAGE / f"{room}.py").exists() else room
