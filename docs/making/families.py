"""The families of measures: their order, their names, and a page for each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import groupby

import gradeval  # registers the measures
from gradeval.formula.definition import REGISTRY, REQUIRED, Measure
from making.prose import escaped, paragraphs, prose, signature

ORDER = "precision ap gap gain meangain missed blended rbp rates err incomplete roc sets utility counts".split()
FUNCTIONS: dict[str, list[Callable[..., object]]] = {
    "curves": [
        gradeval.precision_recall_curve,
        gradeval.interpolated_curve,
        gradeval.graded_precision_recall_curve,
        gradeval.interpolated_graded_curve,
        gradeval.graded_precision,
        gradeval.graded_recall,
        gradeval.expected_precision,
        gradeval.expected_precision_curve,
    ],
    "utility": [gradeval.adm],
}
"""What is no registered measure, by the family whose page documents it."""


def families() -> dict[str, list[Measure]]:
    """The measures by the module that defines them, in the order of the documentation."""
    by_module = groupby(REGISTRY.values(), key=lambda measure: measure.definition.formula.__module__)
    found = {module.rpartition(".")[2]: list(family) for module, family in by_module} | {"curves": []}
    return {name: found[name] for name in sorted(found, key=[*ORDER, *sorted(found)].index)}


def contents(folder: str) -> str:
    """A table with a line for each family: its measures, and what they are."""
    rows = []
    for family, measures in families().items():
        name, colon, more = title(family).partition(":")
        rows.append(f"| [{name}]({folder}{family}.md){colon}{more} | {_members(family, measures, folder)} |\n")
    return "".join(["| family | measures |\n", "|---|---|\n", *rows])


def _members(family: str, measures: list[Measure], folder: str) -> str:
    """The measures of a family with the @ that they take, each leading to its page; else its functions."""
    if not measures:
        return " ".join(f"`{one.__name__}()`" for one in FUNCTIONS[family])
    return " ".join(f"[`{spelling(one)}`]({folder}{family}/{one.name}.md)" for one in measures)


def title(family: str) -> str:
    """The first line of a family's module."""
    return (sys.modules[f"gradeval.measures.{family}"].__doc__ or "").strip().split("\n")[0].rstrip(".")


def spelling(measure: Measure) -> str:
    """AP[@k], P@k, IPrec@recall, Rprec: brackets where @ may be left out."""
    at = measure.definition.at
    if at is None:
        return measure.name
    place = "@k" if at == "cutoff" else f"@{at}"
    return measure.name + (place if measure.parameters[at] is REQUIRED else f"[{place}]")


def family_page(family: str) -> str:
    """The page of a family: its measures, and its functions."""
    parts = [
        f"# {title(family)}",
        f"<!-- Written by docs/generate.py from src/gradeval/measures/{family}.py; change it there. -->\n"
        "[All measures](../measures.md) says what the letters stand for, and what holds for every measure.",
    ]
    for one in families()[family]:
        parts += [
            f"## {spelling(one)}",
            escaped(f"{one.definition.meaning}."),
            *prose(*paragraphs(one.definition.formula)[1:]),
            f"[Parameters, a worked example, the names of other tools]({family}/{one.name}.md)",
        ]
    parts += [part for one in FUNCTIONS.get(family, []) for part in about_function(one)]
    return "\n\n".join(parts) + "\n"


def about_function(function: Callable[..., object]) -> Iterator[str]:
    """Heading, signature and docstring of a function that is no registered measure."""
    name = function.__name__
    yield f"## {name}()"
    first, *rest = paragraphs(function)
    yield from prose(first)
    yield f"```text\n{name}{signature(function)}\n```"
    yield from prose(*rest)
