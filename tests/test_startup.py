"""What a small call has to import: modules are counted, as times lie."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n"
RUN = "1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n2 Q0 a 1 1.0 x\n"
COUNT = """
import sys
sys.argv[0] = "gradeval"
from gradeval.cli import main
try:
    main()
except SystemExit:
    pass
ours = [name for name in sys.modules if name.split(".")[0] == "gradeval"]
print("counted", "numpy" in sys.modules, *ours)
"""
NOT_NEEDED = "compat kernels charts.plotting charts.rendering formula.recording page ltr papers"


def imported(*arguments: str, folder: Path) -> tuple[set[str], bool]:
    """The modules of gradeval that a command imports, and whether it imports NumPy."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *arguments], capture_output=True, text=True, check=True, cwd=folder
    )
    _, numpy, *ours = done.stdout.splitlines()[-1].split()
    return set(ours), numpy == "True"


def test_a_small_evaluate_imports_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    modules, _ = imported("evaluate", "qrels.txt", "run.txt", folder=tmp_path)
    assert len([name for name in modules if not name.startswith("gradeval.measures.")]) <= 76  # beside a file a family
    for room in NOT_NEEDED.split():
        assert not [name for name in modules if name.startswith(f"gradeval.{room}")], room


def test_the_version_and_the_help_need_no_numpy(tmp_path: Path) -> None:
    for asked in ("--version", "--help"):
        modules, numpy = imported(asked, folder=tmp_path)
        assert not numpy
        assert len(modules) <= 14


def test_completion_of_commands_needs_no_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not imported("completion", "bash", folder=tmp_path)[1]
    for name, value in (("_GRADEVAL_COMPLETE", "bash_complete"), ("COMP_WORDS", "gradeval e"), ("COMP_CWORD", "1")):
        monkeypatch.setenv(name, value)
    modules, numpy = imported(folder=tmp_path)
    assert len(modules) <= 15
    assert not numpy
    assert "gradeval.cli.commands.evaluate" not in modules
