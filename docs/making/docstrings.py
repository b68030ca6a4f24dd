"""Docstrings as they are written here, plain text with sections of numpydoc, as reStructuredText for Sphinx."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

from sphinx.application import Sphinx

from making.reference import MODULES, load

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
COLUMNS = re.compile(r"\S {3,}\S")
ENTRY = re.compile(r"^(\S[^:\n]*) : ?(.*(?:\n[ \t].*)*)$|^(\S.*)\n((?:[ \t]+.*\n?)+)$", re.MULTILINE)
CODE = re.compile(r"(``.+?``)", re.DOTALL)
SPECIAL = re.compile(r"([\\*`|_@])")


def translated(docstring: str) -> str:
    """A whole docstring as reStructuredText."""
    begins = [0, *(section.start() for section in SECTION.finditer(docstring)), len(docstring)]
    return "\n\n".join(_part(docstring[begin:end].strip("\n")) for begin, end in pairwise(begins) if begin < end)


def _part(text: str) -> str:
    section = SECTION.match(text)
    if section is None:
        return "\n\n".join(_paragraph(one) for one in re.split(r"\n{2,}", text) if one.strip())
    return f"**{section[1]}**\n\n" + _entries(text[section.end() :].strip("\n"))


def _paragraph(text: str) -> str:
    """A paragraph: what is indented, aligned in columns or a session of Python stays as it is."""
    if text.startswith((" ", ">>>")) or COLUMNS.search(text):
        lines = "\n".join(f"   {line}" for line in text.splitlines())
        return f".. code-block:: {'python' if text.lstrip().startswith('>>>') else 'text'}\n\n{lines}"
    return inline(text)


def _entries(text: str) -> str:
    """``name : what it is``, or the name on a line of its own, as a list of definitions; paragraphs between them."""
    parts: list[str] = []
    sessions_apart = re.split(r"\n{2,}(?=>>>)", text)
    for block in [block for chunk in sessions_apart for block in _blocks(chunk)]:
        entry = ENTRY.fullmatch(block.rstrip())
        if entry is None or block.startswith(">>>"):
            parts.append("\n\n".join(_paragraph(one) for one in re.split(r"\n{2,}", block) if one.strip()))
            continue
        name, meaning = (entry[1], entry[2]) if entry[1] else (entry[3], entry[4])
        indented = "\n".join(f"   {line.strip()}" for line in inline(meaning).splitlines() if line.strip())
        parts.append(f"{inline(name)}\n{indented}")
    return "\n\n".join(parts)


def _blocks(chunk: str) -> list[str]:
    return [chunk] if chunk.startswith(">>>") else re.split(r"\n(?=\S)", chunk)


def inline(text: str) -> str:
    """Text whose stars and bars mean nothing; public names in code lead to their entries."""
    return "".join(_linked(part) if part.startswith("``") else SPECIAL.sub(r"\\\1", part) for part in CODE.split(text))


def _linked(code: str) -> str:
    name = code.strip("`")
    full = _full_names().get(name.removesuffix("()"))
    return f":py:obj:`{name} <{full}>`" if full else code


@cache
def _full_names() -> dict[str, str]:
    """Of names in several modules that of the first."""
    return {name: f"{module}.{name}" for module in reversed(MODULES) for name in load(module).__all__}


def _process(*arguments: Any) -> None:
    """Sphinx passes the lines last, to be changed in place."""
    lines: list[str] = arguments[-1]
    lines[:] = [*translated("\n".join(lines).strip("\n")).splitlines(), ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Registered with Sphinx: every docstring passes through here."""
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
