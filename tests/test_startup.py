"""What a small call has to import: modules and dataclasses are counted, as times lie."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n"
RUN = "1 Q0 b 1 2.0 x\n1 Q0 a 2 1.0 x\n2 Q0 a 1 1.0 x\n"
COUNT = """
import dataclasses, sys
made, process = [], dataclasses._process_class
def count(cls, *rest, **more):
    made.append(cls.__module__)
    return process(cls, *rest, **more)
dataclasses._process_class = count
sys.argv[0] = "gradeval"
from gradeval.cli import main
try:
    main()
except SystemExit:
    pass
ours = [name for name in sys.modules if name.split(".")[0] == "gradeval"]
print("counted", len(ours), len([name for name in made if name.startswith("gradeval.")]), "numpy" in sys.modules)
print("modules", *ours)
"""
NOT_NEEDED = "compat kernels charts.plotting charts.rendering scores.selection formula.recording page ltr papers"


def counted(*arguments: str, folder: Path) -> tuple[int, int, bool, set[str]]:
    """Modules and dataclasses of gradeval after a command, whether NumPy was imported, and the modules."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *arguments], capture_output=True, text=True, check=True, cwd=folder
    )
    *_, counts, modules = done.stdout.splitlines()
    _, ours, made, numpy = counts.split()
    return int(ours), int(made), numpy == "True", set(modules.split()[1:])


def test_a_small_evaluate_imports_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    modules, dataclasses, _, names = counted("evaluate", "qrels.txt", "run.txt", folder=tmp_path)
    assert modules <= 84
    assert dataclasses <= 4
    for room in NOT_NEEDED.split():
        assert not [name for name in names if name.startswith(f"gradeval.{room}")], room


def test_the_version_and_the_help_need_no_numpy(tmp_path: Path) -> None:
    for asked in ("--version", "--help"):
        modules, dataclasses, numpy, _ = counted(asked, folder=tmp_path)
        assert not numpy
        assert modules <= 14
        assert dataclasses == 0


def test_completion_of_commands_needs_no_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not counted("completion", "bash", folder=tmp_path)[2]
    for name, value in (("_GRADEVAL_COMPLETE", "bash_complete"), ("COMP_WORDS", "gradeval e"), ("COMP_CWORD", "1")):
        monkeypatch.setenv(name, value)
    modules, _, numpy, names = counted(folder=tmp_path)
    assert modules <= 15
    assert not numpy
    assert "gradeval.cli.commands.evaluate" not in names
