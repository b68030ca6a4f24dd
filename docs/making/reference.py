"""The reference: every public name, by the room of the package that defines it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.ext.autodoc.mock import mock

import gradeval
from gradeval.formula.definition import Measure

MODULES = (
    "gradeval",
    "gradeval.dask",
    "gradeval.ltr",
    "gradeval.compat.pytrec_eval",
    "gradeval.compat.trec_eval",
    "gradeval.compat.ir_measures",
    "gradeval.compat.sentence_transformers",
)
STOOD_IN_FOR = ["sentence_transformers"]
"""A package that weighs gigabytes and documents nothing here: something empty stands in for it where it is missing."""
TITLES = {
    "messages": "Errors",
    "charts": "Pictures",
    "checking": "Validation of files",
    "collection": "Judgments and runs",
    "compat": "Drop-ins for other tools",
    "dask": "Evaluation on a cluster",
    "explanation": "Measures explained",
    "features": "Features of learning to rank",
    "files": "Reading and writing",
    "formula": "Measures and what they see",
    "ltr": "Learning to rank",
    "measures": "All measures, and curves",
    "page": "Reports",
    "papers": "Analyses of papers",
    "scores": "Evaluation and scores",
    "studies": "Studies of runs and measures",
    "warning_categories": "Warnings",
}
"""What the pages of the rooms are called; another room goes by its own first line."""
INTRODUCTION = """# Reference

Every public name of {modules}, from its docstring. Measures have [pages of their own](measures.md).

| | names |
|---|---|
"""


@cache
def load(name: str) -> ModuleType:
    """A module of gradeval, also one that adapts a package which is not installed."""
    adapted = name.rpartition(".")[2]
    if adapted not in STOOD_IN_FOR or find_spec(adapted):
        return import_module(name)
    with mock([adapted]):
        module = import_module(name)
    del sys.modules[name]  # others are to see that the package is missing
    return module


def public_names() -> dict[str, list[str]]:
    """The public names, each with its module before it, by room."""
    rooms: dict[str, list[str]] = {}
    for module in MODULES:
        for name in sorted(load(module).__all__, key=str.casefold):
            rooms.setdefault(room(module, name), []).append(f"{module}.{name}")
    return {name: rooms[name] for name in sorted(rooms)}


def room(module: str, name: str) -> str:
    """The folder or file of the package below which a name is defined; what another module offers stands together."""
    if module != "gradeval":
        return module.split(".")[1]
    value = getattr(gradeval, name)
    if isinstance(value, Measure):
        return "measures"
    parts = str(value.__module__).split(".")
    return parts[1] if len(parts) > 1 and not parts[1].startswith("_") else "messages"


def write_reference(sources: Path) -> None:
    """reference.md and a page a room."""
    folder = sources / "reference"
    folder.mkdir(parents=True)
    pages = places_of_measures(sources)
    rows = []
    for name, names in public_names().items():
        (folder / f"{name}.rst").write_text(_page(name, names, pages), encoding="utf-8", newline="\n")
        links = " ".join(f"[`{one.rpartition('.')[2]}`](#{one})" for one in names)
        rows.append(f"| [{title(name)}](reference/{name}.rst) | {links} |\n")
    *others, last = (f"`{module}`" for module in MODULES)
    text = INTRODUCTION.format(modules=f"{', '.join(others)} and {last}") + "".join(rows)
    tree = "\n".join(["", "```{toctree}", ":hidden:", "", *(f"reference/{name}" for name in public_names()), "```", ""])
    (sources / "reference.md").write_text(text + tree, encoding="utf-8", newline="\n")


def title(room: str) -> str:
    """What the page of a room is called."""
    return TITLES.get(room) or (import_module(f"gradeval.{room}").__doc__ or room).strip().split("\n")[0].rstrip(".")


def places_of_measures(sources: Path) -> dict[str, str]:
    """The page of each measure, seen from the reference."""
    return {path.stem: f"../{path.relative_to(sources).with_suffix('')}" for path in sources.glob("measures/*/*.md")}


def _page(name: str, names: list[str], pages: Mapping[str, str]) -> str:
    return "\n".join([*_heading(title(name), "="), *_entries(names, pages)])


def _entries(names: list[str], pages: Mapping[str, str]) -> Iterator[str]:
    """The entries of a room; below the name of their module and what it says of itself, where that is a room's part."""
    for module, members in groupby(names, _module):
        if module.count(".") > 1:
            yield from _heading(f"``{module}``", "-")
            yield f".. automodule:: {module}\n   :no-members:\n"
        yield from (_entry(one, pages) for one in members)


def _heading(text: str, line: str) -> list[str]:
    return [text, line * len(text), ""]


def _module(full: str) -> str:
    return full.rpartition(".")[0]


def _entry(full: str, pages: Mapping[str, str]) -> str:
    module, _, name = full.rpartition(".")
    value = getattr(load(module), name)
    if isinstance(value, Measure):
        return _measure(full, value, pages[name])
    if isinstance(value, type) and issubclass(value, Exception):
        return f".. autoexception:: {full}\n"
    if inspect.isclass(value):
        inherited = "" if room(module, name) == "compat" else "   :inherited-members:\n"
        return f".. autoclass:: {full}\n   :members:\n{inherited}"
    if callable(value):
        return f".. autofunction:: {full}\n"
    return f".. autodata:: {full}\n   :no-value:\n"


def _measure(full: str, measure: Measure, page: str) -> str:
    first = inspect.getdoc(measure.definition.formula) or ""
    parameters: Mapping[str, Any] = measure.definition.parameters
    takes = f" Parameters: {', '.join(f'``{one}``' for one in parameters)}." if parameters else ""
    sentence = first.split("\n\n")[0].replace("\n", " ")
    return f".. py:data:: {full}\n   :type: Measure\n\n   {sentence}{takes} See :doc:`its page <{page}>`.\n"
