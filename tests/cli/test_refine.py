from __future__ import annotations

from pathlib import Path

from .conftest import Gradeval, records, refusal

FEW = ["-m", "AP", "--runs", "top:2:AP", "--least", 1, "--samples", 0]


def test_a_grid_is_refined_to_a_measure_to_go_on_with(gradeval: Gradeval, collection: list[Path]) -> None:
    asked = [*collection, *FEW, "--grid", "0.5", "--refine"]
    result = gradeval("inform", *asked)
    assert "the g by which GAP tells most" in result.stdout
    measure = result.stderr.splitlines()[-1].removeprefix("note: to go on with: ")
    lines = records(gradeval("inform", *asked, "--format", "tsv"))
    shares = [float(line["value"]) for line in lines if line["statistic"] == "most informative g"]
    assert measure == f"GAP(g=[{','.join(f'{share:g}' for share in shares)}])"
    assert gradeval("evaluate", *collection[:2], "-m", measure).exit_code == 0


def test_refining_needs_a_grid(gradeval: Gradeval, collection: list[Path]) -> None:
    assert "give --grid, too" in refusal(gradeval("inform", *collection, *FEW, "--refine"))
