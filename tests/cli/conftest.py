"""A collection that can be worked out by hand, and the command line to throw it at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner, Result

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


@pytest.fixture
def gradeval() -> Gradeval:
    """The command line, run in this process: ``gradeval("evaluate", qrels, run)``."""

    def run(*args: object, **options: object) -> Result:
        result = CliRunner().invoke(main, [str(arg) for arg in args], **options)  # type: ignore[arg-type]
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
