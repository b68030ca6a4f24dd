"""Examples of help texts run as they stand in the folder of examples."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from gradeval.cli import main

from .conftest import Gradeval

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("command", ["evaluate", "curve", "trec_eval", "describe", "compare", "judges"])
def test_examples_run_on_the_example_collection(
    gradeval: Gradeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    lines = [line.strip() for line in CliRunner().invoke(main, [command, "--help"]).output.splitlines()]
    shown = [line for line in lines if line.startswith(f"gradeval {command}") and "qrels.txt" in line]
    assert shown
    for line in shown:
        if "--plot" in line:
            pytest.importorskip("altair")
        words = [name for word in shlex.split(line)[1:] for name in ([word] if "*" not in word else expand(word))]
        result = gradeval(*words)
        assert result.exit_code == 0, (line, result.stderr)


def expand(pattern: str) -> list[str]:
    return sorted(map(str, Path().glob(pattern))) if pattern.startswith("runs") else [pattern]


@pytest.mark.parametrize("command", ["train", "crossval"])
def test_the_short_help_of_training_shows_what_most_set_first(gradeval: Gradeval, command: str) -> None:
    shown = gradeval(command, "-h").stdout
    for option in ("--objective", "--ranker", "--epochs", "--output"):
        assert option in shown
    assert "The largest number of epochs" in shown
