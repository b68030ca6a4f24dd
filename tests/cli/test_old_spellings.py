"""Spellings from before the first release give what the new ones give, and name these."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval

FEW = ["--levels", "2,5", "--items", "20", "--swaps", "4", "--repetitions", "3"]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (["correlate", "*", "--grid", "0.5"], ["correlate-users", "*", "--step", "0.5"], "correlate-users --step"),
        (["correlate", "--grid=0.5", "*"], ["correlate-users", "--step=0.5", "*"], "correlate-users --step"),
        (["correlate", "*", "--gains", "2:1"], ["correlate-gains", "*", "--gains", "2:1"], "correlate-gains --gains"),
        (["inform", "*", "--grid", "0.5"], ["inform-users", "*", "--step", "0.5"], "inform-users --step"),
    ],
)
def test_an_option_that_made_another_study_is_that_study(
    gradeval: Gradeval, collection: list[Path], old: list[str], new: list[str], named: str
) -> None:
    def call(words: list[str]) -> tuple[str, str]:
        given = [path for word in words for path in (collection if word == "*" else [word])]
        result = gradeval(*given, "--samples", 0)
        assert result.exit_code == 0, result.stderr
        return result.stdout, result.stderr

    (was, about), (now, less) = call(old), call(new)
    assert was == now
    assert f"is now gradeval {named}\n" in about
    assert "is now" not in less


def test_studies_below_simulate_stand_by_themselves(gradeval: Gradeval, parts: list[Path]) -> None:
    of_users = [*parts, "--strategies", "1,2", "--users", "1:2", "--samples", "20"]
    for old, new, rest in (("swaps", "swaps", FEW), ("users", "virtual-users", of_users)):
        was, now = gradeval("simulate", old, *rest), gradeval(new, *rest)
        assert now.exit_code == 0, now.stderr
        assert was.stdout == now.stdout
        assert was.stderr.startswith(f"note: simulate {old} is now gradeval {new}\n")
