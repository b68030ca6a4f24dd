from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import evaluate
from gradeval.studies.discriminate import discriminate

from .conftest import Gradeval, records, refusal


def test_every_pair_has_its_level_by_every_measure(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG", "--samples", 100, "--seed", 5, "--format", "tsv"]
    result = records(gradeval("discriminate", *collection, *args))
    expected = discriminate(evaluate(collection[0], collection[1:], "AP nDCG"), samples=100, seed=5)
    assert [float(line["value"]) for line in result] == expected.asl.ravel().tolist()


def test_the_most_discriminative_measure_stands_first(gradeval: Gradeval, collection: list[Path]) -> None:
    result = gradeval("discriminate", *collection, "-m", "P@1 AP nDCG", "--samples", 200)
    shares = [float(line.split()[1].rstrip("*").rstrip("%")) for line in result.stdout.splitlines()[2:-1]]
    assert shares == sorted(shares, reverse=True)
    foot = "power: pairs told apart by the paired bootstrap test, 200 samples, seed 0, level 0.05, no correction; "
    assert result.stdout.splitlines()[-1].endswith(f"{foot}15 pairs of 6 runs, 12 topics")


def test_tukey_tests_all_pairs_at_once(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["discriminate", *collection, "-m", "AP", "--samples", 200, "--format", "tsv"]
    bootstrap, tukey = (records(gradeval(*args, "--method", method)) for method in ("bootstrap", "tukey-hsd"))
    told = [sum(float(line["value"]) < 0.05 for line in result) for result in (bootstrap, tukey)]
    assert told[0] >= told[1] > 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--alpha", "0.0005"], "--samples 1000 cannot resolve --alpha 0.0005; give 2000 or more"),
        (["--runs", "top:7"], "--runs top:7: there are only 6 runs"),
        (["--topics", "99"], "no such topic among"),
    ],
)
def test_what_cannot_be_tested_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("discriminate", *collection, *args))


def test_one_pair_is_counted_in_the_singular(gradeval: Gradeval, collection: list[Path]) -> None:
    result = gradeval("discriminate", *collection, "-m", "AP", "--runs", "top:2", "--samples", 20)
    assert "1 pair of 2 runs, 12 topics" in result.stdout
