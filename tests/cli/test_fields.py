"""The exact values of the studies: fields of one name hold one thing, and the page of the studies names them all."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from score_tables import drawn_scores

from gradeval import compare, discriminate
from gradeval.tables.table import Tabular

PAGE = Path(__file__).resolve().parents[2] / "docs" / "studies.md"
MODULES = {
    "correlate": "gradeval.studies.correlate",
    "inform": "gradeval.studies.informativeness.inform",
    "robustness": "gradeval.studies.robustness",
    "swaps": "gradeval.papers.swaps",
}
"""Where the fields of a study stand."""
RESULTS: dict[str, Callable[[], Tabular]] = {
    "compare": lambda: compare(drawn_scores()),
    "discriminate": lambda: discriminate(drawn_scores(), samples=20),
}
"""What a study without a list of its fields finds."""
STUDIES = [*RESULTS, *MODULES]


@pytest.mark.parametrize("study", STUDIES)
def test_every_field_is_explained(study: str) -> None:
    fields = fields_of(study)
    assert {"measure", "statistic", "value", "seed"} <= set(fields)
    assert [field for field in fields if (field, study) not in explained()] == []


def test_every_field_that_is_explained_is_written() -> None:
    written = {(field, study) for study in STUDIES for field in fields_of(study)}
    assert explained() - written == set()


def fields_of(study: str) -> list[str]:
    """The fields that a command writes."""
    if study in RESULTS:
        return list(RESULTS[study]().to_dict())
    fields: list[str] = import_module(MODULES[study]).FIELDS
    return fields


def explained() -> set[tuple[str, str]]:
    """Fields and commands of the table."""
    _, page = PAGE.read_text(encoding="utf-8").split("| field | of | holds |")
    table = page.split("\n\n")[0]
    return {
        (field, command)
        for row in table.splitlines()[2:]
        for field in re.findall(r"`(\w+)`", row.split("|")[1])
        for command in _commands(row.split("|")[2])
    }


def _commands(text: str) -> list[str]:
    if text.strip().startswith("all"):
        return [command for command in STUDIES if f"but `{command}`" not in text]
    return re.findall(r"`(\w+)`", text)
