from __future__ import annotations

import inspect
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from gradeval.cli import main
from gradeval.cli.commands.simulate_command import collection
from gradeval.studies.simulate import simulate_collection

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_the_command_writes_the_shipped_examples_byte_for_byte(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["simulate", "collection", str(tmp_path), "--depth", "30", "--seed", "2010"])
    assert result.exit_code == 0, result.output
    assert "30 topics, 1875 judgments, 12 runs, 10770 lines, seed 2010" in result.stdout
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.txt")}
    files = [EXAMPLES / "qrels.txt", *(EXAMPLES / "runs").iterdir()]
    shipped = {path.relative_to(EXAMPLES): path.read_bytes() for path in files}
    assert len(written) == 1 + 12
    assert written == shipped


def test_the_command_has_the_defaults_of_the_function() -> None:
    defaults = {option.name: option.default for option in collection.params}
    signature = inspect.signature(simulate_collection).parameters
    assert {name: p.default for name, p in signature.items() if name != "seed"}.items() <= defaults.items()


def test_the_command_refuses_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = CliRunner().invoke(main, ["simulate", "collection", str(tmp_path), "--topics", "2"])
    assert result.exit_code == 2
    assert "is not empty" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_force_replaces_runs_and_leaves_the_rest(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "old.txt").write_text("of an earlier collection")
    result = CliRunner().invoke(
        main, ["simulate", "collection", str(tmp_path), "--topics", "2", "--systems", "1", "--force"]
    )
    assert result.exit_code == 0, result.output
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert names == ["mine.txt", "qrels.txt", "runs/alder.txt"]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    result = CliRunner().invoke(main, ["simulate", "collection", str(tmp_path / "new"), "--topics", "2"])
    assert result.exit_code == 2
    assert "cannot be written (No space left on device)" in result.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(main, ["simulate", "collection", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "is a file" in result.stderr
