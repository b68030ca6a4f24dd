from __future__ import annotations

import pytest

from ..conftest import Gradeval, refusal


@pytest.mark.parametrize("spelling", ["AP", "GAP", "GAP(g=[0.5,0.5])", "xGAP", "eGAP", "AP(rel=2)"])
def test_an_experiment_is_told_and_meets_the_value(gradeval: Gradeval, spelling: str) -> None:
    result = gradeval("explain", spelling, "--experiment", 10_000, "--seed", 1)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == f"{spelling} as a random experiment"
    assert sum(line.startswith("  draw ") for line in lines) == 4
    words = lines[-2].split()
    value, error = float(words[4]), float(words[-1])
    exact = float(lines[-1].split(" = ")[1])
    assert words[:4] == ["10000", "draws,", "seed", "1:"]
    assert abs(value - exact) <= 5 * error
    assert gradeval("explain", spelling).stdout.splitlines()[-1] == f"  {spelling} = {exact:.4f}"


def test_the_same_seed_tells_the_same(gradeval: Gradeval) -> None:
    one, again, other = (gradeval("explain", "GAP", "--experiment", 50, "--seed", seed).stdout for seed in (1, 1, 2))
    assert one == again != other


def test_mistakes_are_one_line(gradeval: Gradeval) -> None:
    assert "nDCG is defined by no random experiment" in refusal(gradeval("explain", "nDCG", "--experiment", 10))
    assert "--experiment" in refusal(gradeval("explain", "AP", "--experiment", 1))
    assert "--experiment" in refusal(gradeval("explain", "AP", "--experiment", 10**9))


def test_a_seed_without_an_experiment_is_ignored_with_a_note(gradeval: Gradeval) -> None:
    result = gradeval("explain", "AP", "--seed", 1)
    assert result.exit_code == 0
    assert "--seed does not apply without --experiment; it is ignored" in result.stderr
