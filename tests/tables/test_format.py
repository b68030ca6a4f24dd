"""A table in every format, read back by readers that know nothing of gradeval."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from awkward_tables import AWKWARD, FORBIDDEN, HOSTILE, table, written

from gradeval import InputError, evaluate
from gradeval.tables.format import FORMATS
from gradeval.tables.grid import Column, Grid
from gradeval.tables.records import Coded, Records
from gradeval.tables.table import Table


def test_every_ending_is_that_of_one_format() -> None:
    assert list(FORMATS) == ["table", "tsv", "csv", "jsonl", "markdown", "latex", "html", "parquet"]
    assert len({format.ending for format in FORMATS.values()}) == len(FORMATS)


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"parquet"}))
def test_no_text_holds_a_control_character(name: str) -> None:
    shown = table(HOSTILE)
    grids = [*shown.grids, Grid([Column("\x1b]0;title", "name")], [], title="\u202etitle")]
    named = Coded(["\x1b[2J\u202e"] * len(HOSTILE), np.arange(len(HOSTILE)))
    shown = Table(grids, Records(shown.records.fields | {"\x1b[2J\u202e": named}))
    assert not FORBIDDEN.search(written(name, shown).replace("\t", ""))
    assert "1b[2J" in written(name, shown)
    assert "u202e" in written(name, shown)


def test_a_page_is_that_of_the_commands_with_its_chart_and_its_notes(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    qrels, runs = (
        {"1": {"a": 1, "b": 0}, "2": {"a": 2}},
        {"one": {"1": {"a": 2, "b": 1}, "2": {"a": 1}}, "two": {"1": {"b": 1}}},
    )
    evaluate(qrels, runs, "AP").save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">\n')
    assert "Content-Security-Policy" in text
    assert "data:image/svg+xml," in text
    assert "vegaEmbed" in text
    assert "data:image" not in written("html", table(["a"]))  # which has no chart


def test_a_page_says_what_is_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradeval.charts.rendering.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"^html needs the package altair: pip install"):
        written("html", table(["a"]))


def test_a_file_is_written_in_the_format_of_its_ending(tmp_path: Path) -> None:
    for name, format in FORMATS.items():
        if name == "parquet":
            continue
        path = tmp_path / f"out{format.ending.upper()}"
        table(AWKWARD).save(path)
        assert path.read_bytes().decode() == written(name, table(AWKWARD))
        table(AWKWARD).save(tmp_path / "other.dat", format=name)
        assert (tmp_path / "other.dat").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("out.xlsx", {}, r"out.xlsx: no format has the ending .xlsx; accepted: .txt, .tsv, .csv, .jsonl, .md, .tex"),
        ("out", {}, "out: no ending says the format; accepted: .txt"),
        ("out.csv", {"format": "excel"}, "format 'excel' is not one of table, tsv, csv"),
    ],
)
def test_a_format_that_there_is_not_is_an_error(
    tmp_path: Path, name: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        table(["a"]).save(tmp_path / name, **options)
    assert not list(tmp_path.iterdir())
