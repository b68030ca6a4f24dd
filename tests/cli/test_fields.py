"""The exact values of the studies: fields of one name hold one thing, and the page of the studies names them all."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "studies.md"
STUDIES = ["compare", "correlate", "discriminate", "inform", "robustness", "simulate"]


@pytest.mark.parametrize("study", STUDIES)
def test_every_field_is_explained(study: str) -> None:
    fields = import_module(f"gradeval.cli.{study}").FIELDS
    assert {"measure", "statistic", "value", "seed"} <= set(fields)
    _, page = PAGE.read_text(encoding="utf-8").split("| field | of | holds |")
    table = page.split("\n\n")[0]
    named = {
        (field, command)
        for row in table.splitlines()[2:]
        for field in re.findall(r"`(\w+)`", row.split("|")[1])
        for command in _commands(row.split("|")[2])
    }
    command = "swaps" if study == "simulate" else study
    assert [field for field in fields if (field, command) not in named] == []


def _commands(text: str) -> list[str]:
    everything = [*STUDIES[:-1], "swaps"]
    if text.strip().startswith("all"):
        return [command for command in everything if f"but `{command}`" not in text]
    return re.findall(r"`(\w+)`", text)
