"""A collection that can be worked out by hand, and the command line to throw it at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner, Result
from graded_features import graded_features

from gradeval import write_letor
from gradeval.cli import main

Gradeval: TypeAlias = Callable[..., Result]

QRELS = """\
t1 0 d1 2
t1 0 d2 0
t1 0 d3 1
t2 0 d1 1
t2 0 d2 0
t3 0 d4 0
"""
GOOD = """\
t1 Q0 d1 1 3.0 good
t1 Q0 d3 2 2.0 good
t1 Q0 d2 3 1.0 good
t2 Q0 d1 1 2.0 good
t2 Q0 d2 2 1.0 good
t3 Q0 d4 1 1.0 good
"""
BAD = """\
t1 Q0 d2 1 3.0 bad
t1 Q0 x9 2 2.0 bad
t1 Q0 d3 3 1.0 bad
t2 Q0 d2 1 2.0 bad
t2 Q0 d1 2 1.0 bad
t9 Q0 d1 1 1.0 bad
"""


@pytest.fixture(autouse=True)
def _all_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands print all notes, as with -v: most tests look for one of them; test_notices.py says which come first."""
    monkeypatch.setattr("gradeval.cli.notices.MOST", 1000)


@pytest.fixture
def gradeval() -> Gradeval:
    """The command line, run in this process: ``gradeval("evaluate", qrels, run)``."""

    def run(*args: object, **options: object) -> Result:
        result = CliRunner().invoke(main, [str(arg) for arg in args], **options)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with qrels.txt (t3 has nothing relevant), good.txt and bad.txt (misses t3, has t9 besides)."""
    for name, text in {"qrels.txt": QRELS, "good.txt": GOOD, "bad.txt": BAD}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def files(small: Path) -> list[Path]:
    """Judgments and two runs."""
    return [small / "qrels.txt", small / "good.txt", small / "bad.txt"]


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Judgments of grades 0, 1 and 2 and six runs on twelve topics, simulated; qrels first."""
    folder = tmp_path_factory.mktemp("study") / "sample"
    model = "--topics 12 --systems 6 --levels 3 --depth 40 --documents 120 --ties 0 --missing 0 --spread 1".split()
    drawn = CliRunner().invoke(main, ["simulate", "collection", str(folder), *model])
    assert drawn.exit_code == 0, drawn.output
    return [folder / "qrels.txt", *sorted((folder / "runs").iterdir())]


@pytest.fixture(scope="session")
def untidy(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Judgments with negative grades and a topic without a relevant document; runs with ties and missing topics."""
    folder = tmp_path_factory.mktemp("untidy") / "sample"
    model = "--topics 12 --systems 6 --levels 3 --depth 40 --documents 120 --ties 0.8 --missing 3 --spread 0.2".split()
    drawn = CliRunner().invoke(main, ["simulate", "collection", str(folder), *model])
    assert drawn.exit_code == 0, drawn.output
    qrels = folder / "qrels.txt"
    lines = [line.split() for line in qrels.read_text().splitlines()]
    first = lines[0][0]
    for place, line in enumerate(lines):
        line[3] = "0" if line[0] == first else "-1" if line[3] == "0" and place % 2 else line[3]
    qrels.write_text("".join(" ".join(line) + "\n" for line in lines))
    return [qrels, *sorted((folder / "runs").iterdir())]


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four parts of a collection as LETOR text."""
    folder = tmp_path_factory.mktemp("letor")
    for number in range(1, 5):
        write_letor(graded_features(8, seed=number, prefix=f"p{number}-"), folder / f"S{number}.txt")
    return [folder / f"S{number}.txt" for number in range(1, 5)]


def records(result: Result) -> list[dict[str, str]]:
    """The lines of tsv by field."""
    assert result.exit_code == 0, result.stderr
    head, *lines = (line.split("\t") for line in result.stdout.splitlines())
    return [dict(zip(head, line, strict=True)) for line in lines]


def instead(words: Sequence[object], *others: object) -> list[object]:
    """The words of a command, with other options in place of those of the same names."""
    names = [at for at, word in enumerate(words) if str(word).startswith("--") and word in others]
    gone = {place for at in names for place in (at, at + 1)}
    return [*(word for place, word in enumerate(words) if place not in gone), *others]


def refusal(result: Result) -> str:
    """The one line of an error, without the notes."""
    assert result.exit_code == 2, result.stderr
    assert result.stdout == ""
    said = [line for line in result.stderr.splitlines() if not line.startswith(("note: ", "gradeval: warning: "))]
    assert len(said) == 1
    return said[0].removeprefix("gradeval: error: ")
