"""compare of two files names the gate of the same files and options, as one would type it."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from gradeval import compare, gate

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QRELS = EXAMPLES / "qrels.txt"
LEAD = "note: all topics that lost or won: "


@pytest.fixture
def mine(tmp_path: Path) -> list[str]:
    """The judgments and two runs, in files whose names a shell must not split."""
    places = [tmp_path / "my qrels.txt", tmp_path / "old.run", tmp_path / "it's new.run"]
    for source, place in zip([QRELS, EXAMPLES / "runs/elm.txt", EXAMPLES / "runs/beech.txt"], places, strict=True):
        shutil.copy(source, place)
    return list(map(str, places))


def proposed(result: Any) -> list[str]:
    """The words of the command that the notes name, as a shell reads them."""
    lines = [line.removeprefix(LEAD) for line in result.stderr.splitlines() if line.startswith(LEAD)]
    assert len(lines) < 2
    return shlex.split(lines[0]) if lines else []


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-m", "nDCG@10 AP", "-m", "P@5"],
        ["--by", "relevant", "--depth", "20"],
        ["--recode", "3=2", "--topics", "atleast:1:2", "--levels", "0,1,2,3", "-m", "AP"],
    ],
)
def test_the_gate_has_the_same_files_and_options(gradeval: Any, mine: list[str], options: list[str]) -> None:
    words = proposed(gradeval("compare", *mine, *options, "--test", "sign", "--correction", "none"))
    assert words[:5] == ["gradeval", "gate", *mine]
    assert words[-3:] == ["-q", "-o", "topics.csv"]
    assert sorted(words[5:-3]) == sorted(options)
    place = Path(mine[0]).with_name("topics.csv")
    assert gradeval(*words[1:-1], place).exit_code in (0, 1)
    assert place.read_text().splitlines()[1:]


def test_the_baseline_is_what_the_gate_replaces(gradeval: Any, mine: list[str]) -> None:
    qrels, old, new = mine
    first = proposed(gradeval("compare", *mine, "-m", "AP"))
    turned = proposed(gradeval("compare", *mine, "-m", "AP", "--baseline", "beech"))
    assert [first[2:5], turned[2:5]] == [[qrels, old, new], [qrels, new, old]]
    for words, baseline in ((first, "elm"), (turned, "beech")):
        compared = compare(qrels, [old, new], "AP", baseline=baseline)
        assert gate(*words[2:5], "AP").difference[0] == pytest.approx(compared.difference[0, 0])


@pytest.mark.parametrize("options", [["--missing", "common"], ["--baseline", "best"], ["--skip-bad"]])
def test_no_gate_is_named_that_would_compute_otherwise(gradeval: Any, mine: list[str], options: list[str]) -> None:
    assert proposed(gradeval("compare", *mine, *options)) == []


def test_no_gate_is_named_without_two_files_of_two_runs(gradeval: Any, mine: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    for place in mine[1:]:
        shutil.copy(place, folder)
    assert proposed(gradeval("compare", mine[0], folder)) == []
    assert proposed(gradeval("compare", *mine, EXAMPLES / "runs/oak.txt")) == []
    assert proposed(gradeval("ranks", *mine, "-m", "AP")) == []
    saved = tmp_path / "scores.tsv"
    gradeval("evaluate", *mine, "-m", "AP", "-q", "-o", saved)
    assert proposed(gradeval("compare", "--scores", saved)) == []
