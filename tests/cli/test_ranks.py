from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import evaluate, ranks

from .conftest import Gradeval, records, refusal


def test_the_command_writes_what_the_function_gives(gradeval: Gradeval, collection: list[Path]) -> None:
    result = records(gradeval("ranks", *collection, "-m", "AP nDCG", "--samples", 200, "--seed", 3, "--format", "tsv"))
    expected = ranks(evaluate(collection[0], collection[1:], "AP nDCG"), samples=200, seed=3)
    assert [int(line["lower"]) for line in result] == expected.lower.ravel().tolist()
    assert [int(line["upper"]) for line in result] == expected.upper.ravel().tolist()


def test_the_answer_is_a_sentence(gradeval: Gradeval, collection: list[Path]) -> None:
    result = gradeval("ranks", *collection, "-m", "AP", "--samples", 100)
    assert "6 runs" in result.stderr
    assert "best" in result.stderr
    assert "may be" in result.stdout


def test_a_picture(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    gradeval("ranks", *collection, "-m", "AP GAP", "--samples", 100, "--plot", tmp_path / "ranks.svg")
    assert "Between which ranks" in (tmp_path / "ranks.svg").read_text()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--alpha", "0.001", "--samples", "100"], "give 1000 or more"),
        (["--topics", "401,402"], "only 2 topics"),
        (["--runs", "top:1:AP"], "1 run cannot be compared; give at least 2 runs"),
    ],
)
def test_what_cannot_be_ranked_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("ranks", *collection, *args))
