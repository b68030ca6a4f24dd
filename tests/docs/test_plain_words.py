"""Plain words: pages name a noun where a reader would ask "which?"."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import gradeval
from making.plain_words import unclear, words

ROOT = Path(__file__).resolve().parents[2]


def test_phrases_are_found_in_prose_alone() -> None:
    page = "Its mean is that\nof AP, and not `that of` GAP.\n```\nbut for\n```\n[Half of it](#those-of) is dealt."
    assert list(unclear(page)) == ["line 1: that of", "line 6: of it", "line 6: dealt"]
    assert words(page) == 14


def test_unclear_phrases_are_rare() -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))}
    found = [f"{path.relative_to(ROOT)}, {where}" for path, text in pages.items() for where in unclear(text)]
    assert len(found) <= sum(map(words, pages.values())) / 1000, "\n".join(found)


def test_docstrings_of_public_names_have_no_unclear_phrase() -> None:
    texts = {name: inspect.getdoc(getattr(gradeval, name)) or "" for name in dir(gradeval) if name[0] != "_"}
    found = [f"{name}, {where}" for name, text in texts.items() for where in unclear(text)]
    assert not found, "\n".join(found)


def test_unclear_phrases_are_rare_in_all_docstrings() -> None:
    texts = [(path, text) for path in sorted((ROOT / "src").rglob("*.py")) for text in docstrings(path)]
    found = [f"{path.relative_to(ROOT)}, {text[:60]!r}, {where}" for path, text in texts for where in unclear(text)]
    assert len(found) <= sum(words(text) for _, text in texts) / 2000, "\n".join(found)


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
