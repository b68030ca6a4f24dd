from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval, records, refusal


def test_with_the_full_pool_the_order_is_the_same(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG Bpref", "--rates", "100,50", "--samples", 3, "--format", "tsv"]
    found = records(gradeval("robustness", *collection, *args))
    assert len(found) == 2 * 3 * 3
    assert {line["value"] for line in found if line["step"] == "100.0"} == {"1.0"}


def test_the_seed_is_said_and_decides(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "20", "--samples", 4, "--format", "tsv", "--seed"]
    first, again, other = (gradeval(*args, seed) for seed in (1, 1, 2))
    assert "seed 1" in first.stderr
    assert first.stdout == again.stdout != other.stdout


def test_threads_do_not_change_the_answer(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP nDCG", "--rates", "50,20", "--samples", 4, "--threads"]
    assert gradeval(*args, 1).stdout == gradeval(*args, 3).stdout


def test_without_a_floor_scarce_grades_may_vanish(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["robustness", *collection, "-m", "AP", "--rates", "10", "--floor-nonrelevant", 0, "--format", "tsv"]
    floored, bare = (records(gradeval(*args, "--floor", floor))[0] for floor in (1, 0))
    assert float(floored["judged"]) > float(bare["judged"])


@pytest.mark.parametrize("method", ["random", "depth"])
def test_other_ways_of_sampling(gradeval: Gradeval, collection: list[Path], method: str) -> None:
    samples = ["--samples", 2] * (method == "random")
    args = ["-m", "AP", "--method", method, "--rates", "40,10", *samples, "--format", "tsv"]
    found = records(gradeval("robustness", *collection, *args))
    assert len(found) == {"random": 4, "depth": 2}[method]  # nothing is random in a depth
    assert {line["method"] for line in found} == {method}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--rates", "100,101"], "rate 101 is not a percentage from 0 to 100"),
        (["--rates", "-5"], "rate -5 is not a percentage from 0 to 100"),
        (["--rates", "many"], "--rates many: 'many' is not a number"),
        (["--method", "depth", "--rates", "0"], "depth 0 is not a number of ranks from 1"),
        (["--method", "random", "--floor", "0"], "--floor belongs to --method stratified"),
        (["--topics", "401"], "only 1 topic is left after selection; at least 3 are needed"),
        (["-m", "NumQ"], "NumQ: all 6 runs have the same mean"),
    ],
)
def test_what_cannot_be_thinned_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("robustness", *collection, *args))
