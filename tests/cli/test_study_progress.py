"""Every study that may take long tells how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from gradeval.progress import Progress
from gradeval.studies import list_studies

from .conftest import Gradeval

Told: TypeAlias = Callable[[str], dict[str, list[tuple[int, int]]]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    """What the bars of a command are told, by what they say they do."""

    def watch(command: str) -> dict[str, list[tuple[int, int]]]:
        bars: dict[str, list[tuple[int, int]]] = {}

        @contextmanager
        def noted(what: str, _: str = "") -> Iterator[Progress]:
            bar = bars.setdefault(what, [])
            yield lambda done, total: bar.append((done, total))

        module = "derive" if command in list_studies() else f"commands.{command}_command"
        monkeypatch.setattr(f"gradeval.cli.{module}.show_progress", noted)
        return bars

    return watch


@pytest.mark.parametrize(
    ("args", "what", "total"),
    [
        ("discriminate -m AP --samples 20", "discriminate", 15),
        ("discriminate -m AP --samples 70 --method tukey-hsd", "discriminate", 70),
        ("compare -m AP", "compare", 15),
        ("compare -m AP --test sign --samples 20", "compare", 30),
        ("compare -m AP --test tukey-hsd --samples 70", "compare", 70),
        ("inform -m AP --least 1 --runs top:1:AP --samples 0", "inform", 4),
    ],
)
def test_a_study_tells_its_progress(
    gradeval: Gradeval, collection: list[Path], told: Told, args: str, what: str, total: int
) -> None:
    command, *options = args.split()
    bars = told(command)
    result = gradeval(command, *collection, *options)
    assert result.exit_code == 0, result.stderr
    assert [*bars] == [what]
    assert bars[what][-1] == (total, total)


def test_swaps_tell_their_progress_by_repetitions(gradeval: Gradeval, told: Told) -> None:
    bars = told("swaps")
    args = "--levels 2,10 --items 20 --swaps 3 --repetitions 10".split()
    assert gradeval("swaps", *args).exit_code == 0
    assert bars == {"swaps": [(8, 20), (10, 20), (18, 20), (20, 20)]}
