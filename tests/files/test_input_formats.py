"""Which format is of which place: one table."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from refusing import said_of

from gradeval import Qrels, Run, evaluate, read_qrels, read_run
from gradeval.files.input_formats import FORMATS, InputFormat, file_of, format_of


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("qrels.txt", "trec"),
        ("-", "trec"),
        ("irds:cranfield", "irds"),
        ("letor:S1.txt#9", "letor"),
        ("json:qrels.txt", "json"),
        ("runs/BM25.Parquet", "parquet"),
        ("run.json.gz", "json"),
        ("run.CSV.zst", "columns"),
        ("run.json.zip", "trec"),
        ("letor:S1.parquet", "letor"),
        ("a/letor:S1.txt", "trec"),
    ],
)
def test_the_name_of_a_place_says_its_format(place: str, name: str) -> None:
    assert format_of(place).name == name


def test_every_reader_of_the_table_is_there() -> None:
    for format in FORMATS:
        for reader in filter(None, (format.qrels, format.run, format.features, format.open_run, format.content)):
            module, _, function = reader.partition(":")
            assert callable(getattr(import_module(f"gradeval.files.{module}"), function)), reader


def test_the_file_of_a_place_is_without_prefix_and_feature(tmp_path: Path) -> None:
    for place in ("qrels.txt", "a.parquet", "-", "irds:cranfield", "a#1"):
        assert file_of(place) == place
    assert file_of("letor:S1.txt") == "S1.txt"
    assert file_of("letor:S1.txt#9") == "S1.txt"
    (tmp_path / "odd#9").touch()
    assert file_of(f"letor:{tmp_path}/odd#9") == f"{tmp_path}/odd#9"


def test_one_more_format_is_one_row_and_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("numbered")
    module.qrels = lambda path, name: Qrels.from_dict({"1": {"d": int(str(path.place))}}, name or path.place)
    module.run = lambda path, name: Run.from_dict({"1": {"d": 1.0}}, name or path.place)
    monkeypatch.setitem(sys.modules, "gradeval.files.numbered", module)
    monkeypatch.setattr(
        "gradeval.files.input_formats.FORMATS",
        (*FORMATS, InputFormat("grade", "numbered:qrels", "numbered:run", is_file=False)),
    )
    assert read_qrels("grade:2").of("1") == {"d": 2}
    assert read_qrels("grade:2", recode={2: 1}, levels=(0, 1, 2), name="mine").levels == (0, 1, 2)
    assert read_run("grade:7").name == "7"
    assert evaluate("grade:2", "grade:7", "AP").values.item() == 1


@pytest.mark.parametrize("read", [read_qrels, read_run])
@pytest.mark.parametrize(("prefix", "meant"), [("lettor", "letor"), ("jsn", "json"), ("parqet", "parquet")])
def test_a_prefix_that_is_misspelled_is_named(read: Any, prefix: str, meant: str, tmp_path: Path) -> None:
    place = f"{prefix}:{tmp_path / 'x'}"
    assert f"no format is called {prefix!r} (did you mean {meant}?)" in said_of(lambda: read(place))


@pytest.mark.parametrize("before", ["", "\n", "# made by hand\n"])
def test_features_without_their_prefix_are_told(before: str, tmp_path: Path) -> None:
    place = tmp_path / "t.txt"
    place.write_text(f"{before}2 qid:1 1:0.5 2:1\n0 qid:1 1:0.25\n")
    assert (
        said_of(lambda: read_qrels(place)) == f"{place}: this looks like learning-to-rank features; write letor:{place}"
    )
    assert (
        said_of(lambda: read_run(place))
        == f"{place}: this looks like learning-to-rank features; write letor:{place}#NUMBER"
    )
    assert evaluate(f"letor:{place}", f"letor:{place}#1", "RR").mean().tolist() == [[1.0]]
