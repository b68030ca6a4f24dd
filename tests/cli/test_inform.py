from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval, records, refusal


def test_errors_are_given_for_each_threshold_with_intervals(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP nDCG", "--runs", "top:2:AP", "--least", 1, "--samples", 50, "--seed", 2]
    result = gradeval("inform", *collection, *args, "--format", "tsv")
    found = records(result)
    assert [(line["measure"], line["threshold"]) for line in found] == [
        ("AP", "1.0"),
        ("AP", "2.0"),
        ("nDCG", "1.0"),
        ("nDCG", "2.0"),
    ]
    for line in found:
        assert 0 < float(line["lower"]) <= float(line["value"]) <= float(line["upper"]) < 1
    assert "seed 2" in result.stderr


def test_users_on_a_grid_end_in_ap(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["-m", "AP", "--grid", "1", "--runs", "top:2:AP", "--least", 1, "--samples", 10, "--format", "tsv"]
    found = {
        (line["measure"], line["threshold"]): float(line["value"])
        for line in records(gradeval("inform", *collection, *args))
    }
    for name in ("GAP", "xGAP", "eGAP"):
        assert found[f"{name}(g=[1,0])", "1.0"] == pytest.approx(found["AP", "1.0"], abs=1e-6)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--least", "1000"], "no ranking holds 1000 documents"),
        (["--thresholds", "3"], "threshold 3 is not a positive level of the collection"),
        (["-m", "ERR@20", "--least", "1"], "ERR@20"),
        (["--grid", "0.3"], "grid step 0.3"),
    ],
)
def test_what_cannot_be_inferred_is_said(
    gradeval: Gradeval, collection: list[Path], args: list[str], message: str
) -> None:
    assert message in refusal(gradeval("inform", *collection, *args))
