from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

LINE = "gradeval: interrupted\n"
LONG = 60  # seconds after which a test gives up; what is tested takes less than one


def start(*words: object, ignoring: bool = False, folder: Path | None = None) -> subprocess.Popen[str]:
    """A Python in which Ctrl-C works, also where the tests themselves run in the background; or one that ignores it."""
    handler = signal.SIG_IGN if ignoring else signal.default_int_handler
    before = signal.signal(signal.SIGINT, handler)
    try:
        return subprocess.Popen(
            [sys.executable, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("module", ["numpy", "gradeval.measures.ap", "click"])
def test_ctrl_c_during_imports_is_one_line(module: str) -> None:
    with start("-Ximporttime", "-m", "gradeval", "measures") as process:
        assert process.stderr is not None
        while module not in process.stderr.readline().split():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said = [line for line in process.stderr if not line.startswith("import time:")]
        assert process.wait(LONG) == 130
    assert said == [LINE]


def test_an_import_that_fails_because_of_ctrl_c_is_an_interruption() -> None:
    """Compiled modules turn a KeyboardInterrupt within an import into an ImportError."""
    code = """
import os, signal
from gradeval.cli.interruption import interruptible
try:
    with interruptible():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("cannot be imported")
except KeyboardInterrupt as error:
    print(repr(error.__cause__), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    with start("-c", code) as process:
        output, _ = process.communicate(timeout=LONG)
    assert output == "ImportError('cannot be imported') True\n"


def test_ctrl_c_within_text_that_is_executed_ends_by_the_status(tmp_path: Path) -> None:
    """Python remembers such an interruption, and without more would end by the signal although it was caught."""
    (tmp_path / "ended.py").write_text("""
import os, signal
import click
from gradeval.cli import main
click.Group.main = lambda *words, **more: exec("os.kill(os.getpid(), signal.SIGINT)\\nwhile True: pass", globals())
main()
""")
    with start("-m", "ended", folder=tmp_path) as process:
        _, said = process.communicate(timeout=LONG)
    assert (process.returncode, said) == (130, LINE)


def test_who_ignores_ctrl_c_is_not_interrupted(files: list[Path]) -> None:
    with start("-m", "gradeval", "evaluate", files[0], "-", "-m", "P@1", ignoring=True) as process:
        process.send_signal(signal.SIGINT)
        output, said = process.communicate(files[1].read_text(), timeout=LONG)
    assert process.returncode == 0
    assert "good" in output
    assert "interrupted" not in said


def test_a_program_that_imports_gradeval_keeps_its_signals() -> None:
    code = "import signal; before = signal.getsignal(2); import gradeval; print(signal.getsignal(2) is before)"
    with start("-c", code) as process:
        assert process.communicate(timeout=LONG)[0] == "True\n"
