from __future__ import annotations

import pytest

from gradeval.papers.swaps import swaps

from .conftest import Gradeval, records, refusal

FEW = ["--levels", "2,5", "--items", 20, "--swaps", 6, "--repetitions", 4, "--seed", 9]


@pytest.mark.parametrize("shape", ["uniform", "nonuniform"])
def test_every_swap_is_given(gradeval: Gradeval, shape: str) -> None:
    result = gradeval("swaps", *FEW, *(["--nonuniform"] if shape == "nonuniform" else []), "--format", "tsv")
    expected = swaps(levels=(2, 5), nonuniform=shape == "nonuniform", items=20, swaps=6, repetitions=4, seed=9)
    lines = [line for line in records(result) if line["statistic"] == "mean"]
    assert [float(line["value"]) for line in lines] == expected.values.transpose(2, 0, 1).ravel().tolist()
    assert "seed 9" in result.stderr


def test_the_table_ends_with_the_spread_over_scales(gradeval: Gradeval) -> None:
    title, head, _, first, *_ = gradeval("swaps", *FEW).stdout.splitlines()
    assert title == "mean value"
    assert head.split() == ["measure", "swaps", "2", "grades", "5", "grades", "spread", "±", "s.e."]
    assert first.split() == ["muAP", "0", "1.000", "1.000", "0.000", "±", "0.000"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--levels", "3"], "100 items cannot be shared evenly among 3 levels"),
        (["--levels", "2.5"], "--levels 2.5 is not a whole number from 2"),
        (["--levels", "2,10,2"], "--levels 2 is given twice"),
        (["--levels", "200"], "200 is not a number of levels from 2 to the number of items, 100"),
    ],
)
def test_what_cannot_be_swapped_is_said(gradeval: Gradeval, args: list[str], message: str) -> None:
    assert message in refusal(gradeval("swaps", *args))


@pytest.mark.parametrize("command", ["swaps", "simulate collection", "virtual-users"])
def test_help_says_what_options_take(gradeval: Gradeval, command: str) -> None:
    text = gradeval(*command.split(), "--help").stdout
    assert "--seed N" in text
    assert "INTEGER" not in text
    assert "FLOAT" not in text


def test_records_say_how_grades_were_drawn(gradeval: Gradeval) -> None:
    args = ["swaps", *FEW, "--nonuniform", "--format", "tsv"]
    line, *_ = records(gradeval(*args))
    how = [line[field] for field in ("shares", "items", "repetitions", "seed", "statistic")]
    assert how == ["dirichlet:0.5", "20", "4", "9", "mean"]
    assert "non-uniform (Dirichlet, parameter 0.5) grades" in gradeval(*args).stderr
    assert "dirichlet:0.5" in " ".join(gradeval("swaps", "--help").stdout.split())


def test_a_threshold_that_no_grade_reaches_is_told(gradeval: Gradeval) -> None:
    shown = gradeval("swaps", *FEW, "-m", "AP AP(rel=3)")
    assert "note: AP(rel=3): nothing is relevant on scales of 2 grades; it is 0 there" in shown.stderr


def test_an_unknown_measure_is_said(gradeval: Gradeval) -> None:
    assert "unknown measure 'muAPP'" in refusal(gradeval("swaps", "-m", "muAPP"))
