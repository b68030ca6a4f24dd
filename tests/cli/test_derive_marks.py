"""The star in the tables of studies marks the best measure, which is the lowest error and the highest power."""

from __future__ import annotations

from pathlib import Path

from .conftest import Gradeval, records


def starred(table: str, column: int) -> set[str]:
    """Names of the rows with a star in this column of numbers."""
    return {row.split()[0] for row in table.splitlines()[2:] if row.split()[column].endswith("*")}


def test_the_least_error_is_starred(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["inform", *collection, "-m", "AP nDCG P@5 GAP", "--least", 1, "--samples", 0]
    table = gradeval(*args).stdout
    lines = records(gradeval(*args, "--format", "tsv"))
    sums: dict[str, float] = {}
    for column, grade in enumerate(("1.0", "2.0"), 1):
        means = [line for line in lines if line["statistic"] == "rms" and line["threshold"] == grade]
        errors = {line["measure"]: float(line["value"]) for line in means}
        assert starred(table, column) == {min(errors, key=errors.__getitem__)}
        sums = {name: sums.get(name, 0.0) + error for name, error in errors.items()}
    assert starred(table, 3) == {min(sums, key=sums.__getitem__)}


def test_the_highest_power_is_starred(gradeval: Gradeval, collection: list[Path]) -> None:
    args = ["discriminate", *collection, "-m", "P@1 AP nDCG", "--samples", 200]
    told: dict[str, int] = {}
    for line in records(gradeval(*args, "--format", "tsv")):
        told[line["measure"]] = told.get(line["measure"], 0) + (line["significant"] == "True")
    assert min(told.values()) < max(told.values())
    assert starred(gradeval(*args).stdout, 1) == {name for name, pairs in told.items() if pairs == max(told.values())}


def test_where_all_are_equal_none_is_starred(gradeval: Gradeval, collection: list[Path]) -> None:
    assert "*" not in gradeval("discriminate", *collection, "-m", "AP GAP(g=[1,0])", "--samples", 50).stdout
    assert "*" not in gradeval("inform", *collection, "-m", "AP GAP(g=[1,0])", "--least", 1, "--samples", 0).stdout
