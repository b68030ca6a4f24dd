"""packaging/compare-outputs: its list of calls can be read, and two programs are compared as they should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "packaging/compare-outputs"
CALLS = """\
# spoken to programs of the tests
first: gradeval keep made.txt
gradeval say one
gradeval say $(cat made.txt) -o said.txt || gradeval tell $(cat made.txt)
gradeval page || gradeval sheet
python: show({"a": 1.5})
python: import house; house.old() || import house; house.new()
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs here are shell scripts")


def _program(folder: Path, body: str, house: str) -> Path:
    """A program gradeval, and beside it a Python that knows this module, house."""
    programs = folder / "env" / "bin"
    programs.mkdir(parents=True)
    (folder / "house.py").write_text(house)
    for name, text in (
        ("gradeval", f"{body}\necho \"gradeval: error: no command '$1'\" >&2; exit 2\n"),
        ("python", f'PYTHONPATH="{folder}" exec "{sys.executable}" "$@"\n'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{text}")
        (programs / name).chmod(0o755)
    return programs / "gradeval"


def _compare(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, check=False)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    page = "<p>same</p><script>one()</script>"
    body = f"""case $1 in
    keep) echo two >"$2"; exit ;;
    say) echo "$2"; [ "$3" = -o ] && echo "$2" >"$4"; exit 0 ;;
    page) echo '{page}' >page.html; exit ;;
    esac"""
    return _program(tmp_path / "old", body, "def old(): print('done')")


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.txt"
    path.write_text(CALLS)
    return path


def test_each_line_of_the_list_is_a_call(tmp_path: Path, old: Path) -> None:
    done = _compare(old, old, "--only", "no line has this")
    assert (done.returncode, done.stdout) == (0, "0 calls: 0 equal, 0 differ, 0 in standard error alone\n")
    (tmp_path / "calls.txt").write_text("gradeval say one\necho two\n")
    done = _compare(old, old, "--calls", tmp_path / "calls.txt")
    assert done.returncode == 1
    assert "calls.txt, line 2: no command gradeval: echo two" in done.stderr


def test_a_program_equals_itself_and_its_record(tmp_path: Path, old: Path, calls: Path) -> None:
    recorded = _compare("--record", tmp_path / "record", old, "--calls", calls)
    assert recorded.returncode == 0, recorded.stderr
    done = _compare(tmp_path / "record", old, "--calls", calls)
    assert (done.returncode, done.stdout) == (0, "6 calls: 6 equal, 0 differ, 0 in standard error alone\n")
    contents = sorted(path.read_text() for path in (tmp_path / "record").glob("*/stdout"))
    assert contents == ["", "", "done\n", "one\n", "two\n", '{"a": 1.5}\n']


def test_what_another_program_does_otherwise_is_named(tmp_path: Path, old: Path, calls: Path) -> None:
    body = """case $1 in
    keep) echo two >"$2"; exit ;;
    say) [ "$2" = one ] && { echo ONE; echo note >&2; exit 3; } ;;
    tell) echo "$2"; exit ;;
    sheet) echo '<p class="new">same</p><script>two()</script>' >page.html; exit ;;
    esac"""
    new = _program(tmp_path / "new", body, "import sys\ndef new(): print('done'); print('slower', file=sys.stderr)")
    done = _compare(old, new, "--calls", calls, "--show")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line for line in lines if line[0] != " "] == [
        "status: gradeval say one",
        "stderr: gradeval say one",
        "stdout: gradeval say one",
        "file said.txt: gradeval say $(cat made.txt) -o said.txt || gradeval tell $(cat made.txt)",
        "stderr: python: import house; house.old() || import house; house.new()",
        "6 calls: 3 equal, 2 differ, 1 in standard error alone",
    ]
    assert "  -one" in lines
    assert "  +ONE" in lines
