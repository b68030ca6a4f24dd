"""The grid of correlations is taken over all topics, and over those with few documents of each higher grade."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import Gradeval, records


def written(folder: Path, pools: dict[str, tuple[int, int, int]]) -> list[Path]:
    """Judgments with so many documents of grades 1, 2 and 3 in each topic, and five runs in random orders."""
    grades = {topic: [*np.repeat([1, 2, 3], counts).tolist(), *[0] * 10] for topic, counts in pools.items()}
    (folder / "qrels.txt").write_text(
        "".join(f"{topic} 0 d{place} {grade}\n" for topic in pools for place, grade in enumerate(grades[topic]))
    )
    rng = np.random.default_rng(0)
    for run in "abcde":
        lines = [
            f"{topic} Q0 d{place} 1 {score:.6f} {run}\n"
            for topic in pools
            for place, score in enumerate(rng.random(len(grades[topic])))
        ]
        (folder / run).write_text("".join(lines))
    return [folder / "qrels.txt", *(folder / run for run in "abcde")]


def test_each_grade_above_the_lowest_has_its_few(gradeval: Gradeval, tmp_path: Path) -> None:
    pools = {str(topic): (20, 2, 5) for topic in range(3)} | {str(topic): (20, 5, 1) for topic in range(3, 7)}
    files = written(tmp_path, pools)
    result = records(gradeval("correlate", *files, "-m", "AP", "--grid", "1", "--samples", 0, "--format", "tsv"))
    topics = {line["selection"]: line["topics"] for line in result}
    assert topics == {"all": "7", "few:2": "3", "few:3": "4"}


@pytest.mark.parametrize(("number", "there"), [(2, ["all", "few:2"]), (3, ["all", "few:2", "few:3"])])
def test_fewer_than_three_topics_are_left_out_and_said(
    gradeval: Gradeval, tmp_path: Path, number: int, there: list[str]
) -> None:
    few = {str(topic): (20, 5, 1) for topic in range(number)}
    files = written(tmp_path, few | {f"9{topic}": (20, 2, 5) for topic in range(4)})
    result = gradeval("correlate", *files, "-m", "AP", "--grid", "1", "--samples", 0, "--format", "tsv")
    assert list(dict.fromkeys(line["selection"] for line in records(result))) == there
    assert ("topics: few:3 has fewer than 3; left out" in result.stderr) == (number == 2)
