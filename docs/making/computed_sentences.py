"""The sentences that the package computes, by kind, as a list to read: ``python docs/making/computed_sentences.py``.

Python's own parser finds the texts in ``src/gradeval``; the commands give their help. A value in a text is a
``{placeholder}``, alternatives are ``{one|other}``, and each counts as a word (alternatives as the longest of them).
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from making.plain_words import UNCLEAR

SOURCE = Path(__file__).resolve().parents[2] / "src" / "gradeval"
MOST_WORDS = 20
LEAST_WORDS = 3
"""Shorter texts are labels, names of columns and parts of sentences."""
PAGE = ("page/", "charts/")
ERRORS = re.compile(r"Error\b|BadParameter|_error\b|_refus")
NO_TEXTS = {"examples", "filter", "epilog"}
"""Arguments that hold commands or code."""
ENDS = re.compile(r"(?<=[.;?!])\s+|\n\s*")
VALUE = re.compile(r"\{[^{}]*\}")


class Text(NamedTuple):
    """A text: its kind, where it stands, and what it says."""

    kind: str
    place: str
    text: str

    @property
    def words(self) -> int:
        """Words of the longest sentence; a semicolon ends one, too."""
        return max(map(count_words, ENDS.split(self.text)))


def count_words(sentence: str) -> int:
    """The words of a sentence, a value as one word, alternatives as the longest."""
    longest = VALUE.sub(lambda value: _longest(value[0][1:-1]), sentence)
    return len(re.findall(r"\S*\w\S*", longest))


def _longest(value: str) -> str:
    return max(value.split("|"), key=lambda one: len(one.split())) if "|" in value else "value"


def texts() -> Iterator[Text]:
    """All texts of the package: of pages, notes, warnings, errors, columns and help."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        for kind, line, text in read_source(path.read_text(encoding="utf-8"), of_page=name.startswith(PAGE)):
            yield Text(kind, f"{name}:{line}", text)
    words = SOURCE / "page" / "words.json"
    for key, said in json.loads(words.read_text(encoding="utf-8")).items():  # of some one for one thing, one for many
        yield from (
            Text("page", f"page/words.json {key!r}", text) for text in ([said] if isinstance(said, str) else said)
        )
    yield from _help()


def _help() -> Iterator[Text]:
    """The help of commands and of their options, each text once."""
    from gradeval.cli import main

    seen = set()
    for name, command in _commands(click.Context(main, info_name="gradeval")):
        context = click.Context(command, info_name=name)
        records = [(one, one.get_help_record(context)) for one in command.params if isinstance(one, click.Option)]
        found = [(name, command.get_short_help_str(1000))]
        found += [(f"{name} --{one.name}", record[1].partition("  [")[0]) for one, record in records if record]
        for place, text in found:
            if text and text not in seen:
                seen.add(text)
                yield Text("help", place, text)


def _commands(context: click.Context) -> Iterator[tuple[str, click.Command]]:
    """All commands with their names, those of groups, too."""
    assert isinstance(context.command, click.Group)
    for name in context.command.list_commands(context):
        command = context.command.get_command(context, name)
        if command is not None:
            yield name, command
            if isinstance(command, click.Group):
                yield from _commands(click.Context(command, parent=context, info_name=name))


def read_source(source: str, *, of_page: bool = False) -> list[tuple[str, int, str]]:
    """The texts of a module, each with its kind and line."""
    return _Reader(of_page).read(ast.parse(source))


class _Reader(ast.NodeVisitor):
    """Finds the texts of a module, each as long as its expression is."""

    def __init__(self, of_page: bool) -> None:
        self.of_page = of_page
        self.found: list[tuple[str, int, str]] = []
        self.kinds = ["page" if of_page else "note"]

    def read(self, module: ast.Module) -> list[tuple[str, int, str]]:
        self.visit(module)
        return self.found

    def _read_body(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if not is_docstring:
                self.visit(child)

    def generic_visit(self, node: ast.AST) -> None:
        self._read_body(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func)
        if name.endswith("split") and not node.args:  # a list of words, which is no text
            return
        if ERRORS.search(name):
            self.found.append(("error", node.lineno, "".join(map(_text_of, node.args))))
            return
        if name == "Column":
            self.found += [("column", node.lineno, _text_of(one)) for one in node.args[:1]]
            return
        kind = "warning" if name.endswith("warn") else self.kinds[-1]
        self.kinds.append(kind)
        self.visit(node.func)
        for value in [*node.args, *(word for word in node.keywords if word.arg not in NO_TEXTS)]:
            self.visit(value)
        self.kinds.pop()

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._add(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._add(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if _is_text(node):
            self._add(node)
        else:
            self._read_body(node)

    def _add(self, node: ast.expr) -> None:
        text = _text_of(node)
        if not text.startswith("<") and count_words(VALUE.sub("", text)) >= LEAST_WORDS:
            self.found.append((self.kinds[-1], node.lineno, text))


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return isinstance(node.value, str)
        case ast.BinOp(op=ast.Add()):
            return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr)


def _text_of(node: ast.expr) -> str:
    """A text with its values as placeholders."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr():
            return "".join(map(_text_of, node.values))
        case ast.FormattedValue():
            return _text_of(node.value)
        case ast.BinOp(op=ast.Add()):
            return _text_of(node.left) + _text_of(node.right)
        case ast.IfExp():
            return (
                "{"
                + "|".join(_text_of(one).replace("{", "").replace("}", "") for one in (node.body, node.orelse))
                + "}"
            )
        case ast.Call(func=ast.Name(id="plural"), args=[number, ast.Constant(value=unit)]):
            return f"{{{_name_of(number)}}} {unit}s"
        case ast.Call(func=ast.Name(id="plain" | "Given"), args=[ast.Constant(value=name), *_]):
            return f"{{{name}}}"
        case ast.Starred():
            return _text_of(node.value)
    return f"{{{_name_of(node)}}}"


def _name_of(node: ast.expr) -> str:
    """What a value may be called: the last name in its expression."""
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'", "", ast.unparse(node)))
    match node:
        case ast.Name() | ast.Attribute():
            return names[-1]
        case ast.Call(func=func) if names:
            return ast.unparse(func).rpartition(".")[2] + (f" {names[-1]}" if node.args else "")
    return names[0] if names else "value"


def main() -> None:
    """Print the list, longest sentences last in their kind, and how many have more words than they may."""
    found = sorted(texts(), key=lambda text: (text.kind, text.words))
    for text in found:
        print(text.kind, text.place, text.words, " ".join(text.text.split()), sep="\t")
    for kind, number in Counter(text.kind for text in found).items():
        long = sum(text.words > MOST_WORDS for text in found if text.kind == kind)
        vague = sum(bool(UNCLEAR.search(text.text)) for text in found if text.kind == kind)
        print(f"{kind}: {number} texts, {long} of more than {MOST_WORDS} words, {vague} unclear", file=sys.stderr)


if __name__ == "__main__":
    main()
