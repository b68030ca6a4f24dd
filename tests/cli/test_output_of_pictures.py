"""A picture shows whatever names there are, and what it shows is not lost where it fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from .conftest import Gradeval, refusal

pytest.importorskip("altair")
vl_convert = pytest.importorskip("vl_convert")

OF_OBJECTS = ["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf", "isPrototypeOf"]
"""Properties that every object of JavaScript has."""
AWKWARD = ['"><script>', "'", "\\", "żółw-亀", "a\\nb", "x" * 1000]
TAME = ["anna", "bert", "cleo", "dora", "emil", "fred"]
FEW = ["--samples", 20]
COMMANDS: dict[str, list[object]] = {
    "evaluate": ["evaluate", "runs", "-m", "AP nDCG"],
    "compare": ["compare", "runs", "-m", "AP", *FEW],
    "baseline": ["compare", "runs", "-m", "AP", "--baseline", "first", *FEW],
    "ranks": ["ranks", "runs", "-m", "AP", *FEW],
    "correlate": ["correlate", "runs", "-m", "AP nDCG", *FEW],
    "robustness": ["robustness", "runs", "-m", "AP nDCG", "--rates", "100,50", "--samples", 2],
    "discriminate": ["discriminate", "runs", "-m", "AP nDCG", *FEW],
    "inform": ["inform", "runs", "-m", "AP nDCG", "--least", 1, *FEW],
    "curve": ["curve", "runs"],
    "compare scores": ["compare", "scores", *FEW],
    "ranks scores": ["ranks", "scores", *FEW],
    "correlate scores": ["correlate", "scores", *FEW],
    "discriminate scores": ["discriminate", "scores", *FEW],
}


def renamed(collection: list[Path], names: list[str], folder: Path) -> list[Path]:
    """The collection with other tags of runs and names of topics."""
    folder.mkdir()
    topics: dict[str, str] = {}
    for place, path in enumerate(collection):
        words = [line.split() for line in path.read_text().splitlines()]
        for line in words:
            number = len(topics)
            line[0] = topics.setdefault(line[0], names[number % 6] + ("" if number < 6 else str(number)))
            line[5:] = [names[place - 1]] if place else []
        (folder / f"{place}.txt").write_text("".join(" ".join(line) + "\n" for line in words))
    return [folder / f"{place}.txt" for place in range(len(collection))]


def given(words: list[object], collection: list[Path], names: list[str], folder: Path) -> list[object]:
    """The words of a command on runs, topics and measures of these names."""
    files = renamed(collection, names, folder)
    rng = np.random.default_rng(0)
    scores = folder / "scores.jsonl"
    lines = [
        {"run": run, "topic": topic, "measure": measure, "value": float(rng.random())}
        for run in names
        for topic in names
        for measure in names[:3]
    ]
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines))
    of: dict[object, list[object]] = {"runs": [*files], "scores": ["--scores", scores], "first": [names[0]]}
    return [word for each in words for word in of.get(each, [each])]


def marks(picture: Path) -> tuple[int, list[str]]:
    """How many marks a picture has, and its texts."""
    root = ElementTree.parse(picture).getroot()
    space = "{http://www.w3.org/2000/svg}"
    return len(list(root.iter(f"{space}path"))), [text.text or "" for text in root.iter(f"{space}text")]


@pytest.mark.parametrize("command", COMMANDS)
def test_names_of_any_kind_are_drawn_as_others_are(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, command: str
) -> None:
    drawn: dict[str, int] = {}
    expected: list[int] = []
    for kind, names in (("tame", TAME), ("of objects", OF_OBJECTS), ("awkward", AWKWARD)):
        words = given(COMMANDS[command], collection, names, tmp_path / kind)
        table, picture, page = (tmp_path / f"{kind}.{ending}" for ending in ("tsv", "svg", "html"))
        result = gradeval(*words, "-o", table, "--plot", picture)
        assert result.exit_code == 0, result.stderr
        assert table.stat().st_size > 0
        drawn[kind], texts = marks(picture)
        if kind != "awkward":  # those are written out, or cut
            shown = [place for place, name in enumerate(names) if name in texts]
            expected = shown if kind == "tame" else expected
            assert shown == expected
        assert kind != "awkward" or gradeval(*words, "-o", page).exit_code == 0
    assert len(set(drawn.values())) == 1


def test_a_report_on_names_of_objects_is_written(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    files = renamed(collection, OF_OBJECTS, tmp_path / "named")
    result = gradeval("report", *files, "-o", tmp_path / "page.html", "-m", "AP nDCG")
    assert result.exit_code == 0, result.stderr


def fails(*_: object, **__: object) -> Any:
    raise ValueError("Vega-Lite to SVG conversion failed:\nno such thing")


@pytest.mark.parametrize("command", ["evaluate", "compare", "curve"])
def test_a_picture_that_fails_is_one_line_and_takes_no_table_with_it(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    words = given(COMMANDS[command], collection, TAME, tmp_path / "named")
    table, picture, expected = tmp_path / "t.tsv", tmp_path / "p.svg", tmp_path / "e.tsv"
    assert gradeval(*words, "-o", expected).exit_code == 0
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", fails)
    said = refusal(gradeval(*words, "-o", table, "--plot", picture))
    assert said.startswith(f"{picture}: the chart cannot be drawn (Vega-Lite to SVG conversion failed: no such thing)")
    assert table.read_bytes() == expected.read_bytes()
    assert not picture.exists()


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_a_page_whose_picture_fails_has_its_tables_and_says_so(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    words = given(COMMANDS[command], collection, TAME, tmp_path / "named")
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", fails)
    assert "cannot be drawn" in refusal(gradeval(*words, "-o", tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    assert "the chart cannot be drawn" in page
    assert all(name in page for name in TAME)
