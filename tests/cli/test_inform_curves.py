from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Gradeval, refusal

FEW = ["-m", "AP GAP", "--least", 1, "--samples", 0]


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "txt", "md", "tex"])
def test_curves_are_written_beside_the_table(
    gradeval: Gradeval, collection: list[Path], ending: str, tmp_path: Path
) -> None:
    place = tmp_path / f"curves.{ending}"
    result = gradeval("inform", *collection[:3], *FEW, "--curves", place)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == gradeval("inform", *collection[:3], *FEW).stdout
    text = place.read_text()
    assert "GAP" in text
    assert ("inferred precision" in text) == (ending in ("tsv", "csv", "jsonl"))


def test_curves_of_one_topic_need_no_other_option(gradeval: Gradeval, collection: list[Path], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    place = tmp_path / "curves.svg"
    topic = collection[0].read_text().split()[0]
    result = gradeval("inform", *collection[:2], "-m", "GAP", "--least", 1, "--topics", topic, "--curves", place)
    assert result.exit_code == 0, result.stderr
    assert "note: no intervals: 1 topic, and they need 3" in result.stderr
    drawn = place.read_text()
    assert "relevant from grade 2" in drawn
    assert f"topic {topic}" in drawn


def test_a_picture_of_many_rankings_is_refused_before_any_work(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    place = tmp_path / "curves.svg"
    said = refusal(gradeval("inform", *collection, *FEW, "--curves", place))
    assert "rankings are more than the 12 of a picture" in said
    assert not place.exists()


def test_a_name_that_says_no_format_or_an_input_is_refused(
    gradeval: Gradeval, collection: list[Path], tmp_path: Path
) -> None:
    assert "does not end in one of .png" in refusal(
        gradeval("inform", *collection, *FEW, "--curves", tmp_path / "curves.xls")
    )
    before = collection[0].read_bytes()
    assert "would replace the input" in refusal(gradeval("inform", *collection, *FEW, "--curves", collection[0]))
    assert collection[0].read_bytes() == before


def test_all_four_ndcgs_of_the_paper_are_studied_by_default(gradeval: Gradeval, collection: list[Path]) -> None:
    lines = gradeval("inform", *collection[:2], "--least", 1, "--samples", 0).stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [
        "nDCG",
        "nDCG(dcg='exp-log2')",
        "nDCG(discount='linear')",
        "nDCG(dcg='exp-log2',discount='linear')",
        "AP",
        "GAP",
    ]
