from __future__ import annotations

import sys

import pytest

from gradeval.cli import watching
from gradeval.cli.watching import watched


class Bar:
    """Notes what a progress bar is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int]] = []

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def add_task(self, what: str) -> str:
        return what

    def update(self, _: str, *, completed: int, total: int) -> None:
        self.told.append((completed, total))


@pytest.mark.parametrize(
    ("patience", "terminal", "told"), [(-1.0, True, [(1, 3), (2, 3), (3, 3)]), (60.0, True, []), (-1.0, False, [])]
)
def test_a_bar_appears_where_it_takes_long_and_somebody_looks(
    monkeypatch: pytest.MonkeyPatch, patience: float, terminal: bool, told: list[tuple[int, int]]
) -> None:
    bar = Bar()
    monkeypatch.setattr(watching, "PATIENCE", patience)
    monkeypatch.setattr(watching, "progress_bar", lambda _: bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with watched("working") as progress:
        for done in (1, 2, 3):
            progress(done, 3)
    assert bar.told == told
