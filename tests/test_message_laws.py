"""The house: no module of gradeval reads the text of an error or a note of its own, as both are made of parts.

What other libraries say is read where there is no other way, each in one module that stands here with the reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "gradeval"
OTHERS = {
    "charts/specification.py": "vega, which draws: its errors run over many lines",
    "cli/__init__.py": "click, to put its sentences as ours; the system's loader, which has no class for no memory",
    "files/arrow_columns.py": "pyarrow, whose errors go on with details of the C++ code",
    "files/json_values.py": "Python, which advises a setting of its own where a number is too long",
    "files/other_tools.py": "ir_datasets, and whatever stands between it and a server",
    "ltr/rankers/forests.py": "LightGBM, XGBoost and CatBoost, which append where in their code an error was raised",
    "ltr/rankers/net.py": "PyTorch, which has no class for shapes that do not fit",
}
"""Modules that read a message of another library: whose, and why."""

READERS = set(
    "split rsplit partition rpartition splitlines replace removeprefix removesuffix startswith endswith find rfind "
    "index rindex count strip lstrip rstrip translate".split()
)
"""Methods that search or cut a text; those of patterns search what they are given."""
SEARCHES = set("match fullmatch search sub subn split findall finditer".split())
WRITERS = {"write", "format_message"}
"""Methods that give the message of an error."""
OF_ERRORS = {"args", "text", "sentence", "msg"}
"""Attributes that hold a message, or a part of one."""


class Reading(ast.NodeVisitor):
    """Finds in a function, or in a module, where the text of an error or a note is searched, cut or compared."""

    def __init__(self) -> None:
        self.ours: set[str] = {"note"}
        self.foreign: set[str] = set()
        self.texts: dict[str, bool] = {}
        self.notes: set[str] = {"note"}
        self.found: list[tuple[int, bool]] = []

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self._bind_error(node.name, node.type)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        if node.annotation is not None and re.search(r"(Error|Exception)\b", ast.unparse(node.annotation)):
            self._bind_error(node.arg, node.annotation)

    def _bind_error(self, name: str, kinds: ast.expr | None) -> None:
        classes = {one.id for one in ast.walk(kinds or ast.Tuple([])) if isinstance(one, ast.Name)}
        (self.ours if classes & OURS else self.foreign).add(name)
        (self.foreign if classes & OURS else self.ours).discard(name)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._bind(node.target, node.iter)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._bind(node.target, node.iter)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for target in node.targets:
            targets = target.elts if isinstance(target, ast.Tuple) else [target]
            for one, value in zip(targets, values if len(values) == len(targets) else [node.value], strict=False):
                if isinstance(one, ast.Name) and (whose := self.whose_text(value)) is not None:
                    self.texts[one.id] = whose
        self.generic_visit(node)

    def _bind(self, target: ast.expr, over: ast.expr) -> None:
        if isinstance(target, ast.Name) and re.search(r"\bnotes\b", ast.unparse(over)):
            self.ours.add(target.id)
            self.notes.add(target.id)

    def whose_text(self, node: ast.expr) -> bool | None:
        """Is an expression a text of an error or a note of ours (True), of another library (False), or none (None)?"""
        if isinstance(node, ast.Name):
            return self.texts.get(node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("str", "repr"):
            return self.whose(node.args[0]) if node.args else None
        if isinstance(node, ast.JoinedStr):
            inner = [one.value for one in node.values if isinstance(one, ast.FormattedValue)]
            whose = [one for value in inner if (one := self.whose(value)) is not None]
            return any(whose) if whose else None
        if isinstance(node, ast.Attribute) and node.attr in OF_ERRORS:
            return self.whose(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITERS:
            return self.whose(node.func.value)
        if isinstance(node, ast.BinOp):
            sides = [one for side in (node.left, node.right) if (one := self.whose_text(side)) is not None]
            return any(sides) if sides else None
        return None

    def whose(self, node: ast.expr) -> bool | None:
        """Whose error or note it is, or its text."""
        if isinstance(node, ast.Name) and node.id in self.ours | self.foreign:
            return node.id in self.ours
        return self.whose_text(node)

    def _note(self, *operands: ast.expr, line: int) -> None:
        self.found += [(line, whose) for one in operands if (whose := self.whose_text(one)) is not None]

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in READERS:
                self._note(node.func.value, line=node.lineno)
                if isinstance(node.func.value, ast.Name) and node.func.value.id in self.notes:  # of a table: texts
                    self.found.append((node.lineno, True))
            if node.func.attr in SEARCHES:
                self._note(*node.args, line=node.lineno)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._note(node.left, *node.comparators, line=node.lineno)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._note(node.value, line=node.lineno)
        self.generic_visit(node)


def errors_of_ours() -> set[str]:
    """The names of InputError and of the classes made from it."""
    classes = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    ours = {"InputError"}
    while more := {name for name, bases in classes.items() if bases & ours} - ours:
        ours |= more
    return ours


OURS = errors_of_ours()


def find_readings(source: str) -> Iterator[tuple[int, bool]]:
    """The lines that read a message, and whether it is one of ours."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inner = {id(one) for node in functions for one in ast.walk(node) if one is not node and one in functions}
    for node in [*(one for one in functions if id(one) not in inner), tree]:
        reading = Reading()
        parts = [node] if node is not tree else [one for one in node.body if one not in functions]
        for _ in range(2):  # a name may stand before what binds it
            reading.found.clear()
            for part in parts:
                reading.visit(part)
        yield from reading.found


@cache
def read_all() -> dict[str, list[tuple[int, bool]]]:
    found = {
        path.relative_to(SOURCE).as_posix(): sorted(set(find_readings(path.read_text(encoding="utf-8"))))
        for path in sorted(SOURCE.rglob("*.py"))
    }
    return {module: lines for module, lines in found.items() if lines}


def test_no_error_and_no_note_of_gradeval_is_read() -> None:
    ours = [f"{module}:{line}" for module, lines in read_all().items() for line, is_ours in lines if is_ours]
    assert ours == []


def test_messages_of_other_libraries_are_read_where_it_is_known() -> None:
    assert {module for module, lines in read_all().items() if not all(one for _, one in lines)} == {*OTHERS}


@pytest.mark.parametrize(
    "reads",
    [
        "raise InputError(re.sub(parameter, spell, str(error))) from None",
        "raise InputError(f'{option} {text}: {str(error).removeprefix(named)}') from None",
        "said = str(error)\n        if given in said:\n            pass",
        "text, said = str(value), str(error).removeprefix(f'{value}: ')",
        "if 'the collection has' not in str(error):\n            raise",
        "match = re.match(place, str(error))",
        "what = str(error).partition(': ')[2].partition(';')[0]",
        "raise error if str(error).startswith(place) else InputError(f'{place}: {error}') from None",
        "in_table = UNFIT.search(str(error))",
        "parameter = error.args[0]",
        "message = error.write(spell) + '.'\n        short = message[:40]",
        "if error.sentence == 'no runs':\n            pass",
        "same = f'{error}'.split(';')",
    ],
)
def test_readings_of_errors_are_found(reads: str) -> None:
    source = f"def f():\n    try:\n        g()\n    except InputError as error:\n        {reads}\n"
    assert [is_ours for _, is_ours in find_readings(source)], reads
    assert all(is_ours for _, is_ours in find_readings(source)), reads
    others = source.replace("except InputError", "except OSError")
    assert [is_ours for _, is_ours in find_readings(others)] == [False] * len([*find_readings(source)])


@pytest.mark.parametrize(
    "reads",
    [
        "return replace(note, text=re.sub('topic', 'task', note.text))",
        "return [one for one in result.notes if 'topics' in str(one)]",
        "return [one.text.replace('topic', 'task') for one in self.notes]",
        "for one in notes:\n        if one.text.startswith('preset'):\n            yield one",
        "return str(note)[:40]",
        "return [one.replace('topic', 'task') for one in result.table().notes]",
    ],
)
def test_readings_of_notes_are_found(reads: str) -> None:
    assert [is_ours for _, is_ours in find_readings(f"def f(result, note, notes):\n    {reads}\n")] == [True]


@pytest.mark.parametrize(
    "writes",
    [
        "raise error.within(name) from None",
        "raise InputError(f'{error} (and no other run can be read)') from None",
        "errors.append(str(error))",
        "names = [one.parameter for one in error.given]\n        if name not in names:\n            raise",
        "said = f'{place}: {error}'",
        "raise type(error)(error.write(spell)) from None",
    ],
)
def test_to_write_an_error_is_not_to_read_it(writes: str) -> None:
    source = f"def f():\n    try:\n        g()\n    except InputError as error:\n        {writes}\n"
    assert [*find_readings(source)] == []
