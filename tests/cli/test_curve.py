from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval, records, refusal

CHOICES = [[], ["--rel", "1,2"], ["--g", "uniform"], ["--g", "0.3,0.7", "--interpolated"]]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("policy", [[], ["--missing", "skip", "--empty", "skip"]])
def test_areas_are_what_evaluate_says(
    gradeval: Gradeval, collection: list[Path], choice: list[str], policy: list[str]
) -> None:
    lines = records(gradeval("curve", *collection, *choice, *policy, "-q", "--format", "tsv"))
    measures = " ".join(dict.fromkeys(line["measure"] for line in lines))
    said = records(gradeval("evaluate", *collection, "-m", measures, *policy, "-q", "--format", "tsv"))
    expected = {(line["run"], line["topic"], line["measure"]): float(line["value"]) for line in said}
    for statistic in ("value", "area"):
        found = {
            (line["run"], line["topic"], line["measure"]): float(line["value"])
            for line in lines
            if line["statistic"] == statistic
        }
        assert found == pytest.approx(expected)


def test_a_table_has_the_area_beside_the_value(gradeval: Gradeval, files: list[Path]) -> None:
    result = gradeval("curve", *files, "--rel", "1")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["good", "AP", "0.6667", "0.6667"] in [line[:4] for line in lines]
    assert "area: the sum of precision times step in recall" in result.stderr


@pytest.mark.parametrize("topics", ["t1", "t1,t2"])
def test_a_picture_has_precision_against_recall_and_rank(
    gradeval: Gradeval, files: list[Path], topics: str, tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    place = tmp_path / "curves.svg"
    assert gradeval("curve", *files, "--g", "uniform", "--topics", topics, "--plot", place).exit_code == 0
    drawn = place.read_text()
    assert "graded precision and recall: area = GAP" in drawn
    assert "expected precision by rank" in drawn


@pytest.mark.parametrize(
    ("choice", "parts"),
    [
        (["--rel", "1", "--g", "uniform"], ["--rel 1 and g", "give one of the two"]),
        (["--rel", "high"], ["--rel high", "is not a finite number"]),
        (["--rel", "7"], ["--rel 7", "1,2"]),
        (["--rel", "0"], ["--rel 0 is not a positive level"]),
        (["--g", "0.5"], ["--g 0.5"]),
        (["--g", "1"], ["--g 1", "g has 1 probabilities"]),
        (["--g", "some"], ["some"]),
        (["--topics", "t7"], ["t7"]),
        (["--plot", "x.gif"], ["x.gif", ".svg"]),
    ],
)
def test_a_mistake_is_one_line(gradeval: Gradeval, files: list[Path], choice: list[str], parts: list[str]) -> None:
    said = refusal(gradeval("curve", *files, *choice))
    assert all(part in said for part in parts), said
