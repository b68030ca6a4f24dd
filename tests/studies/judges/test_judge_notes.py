from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner
from two_assessors import two_assessors

from gradeval import judges
from gradeval.cli import main
from gradeval.warning_categories import CoverageWarning

DRAWN = two_assessors(4)
TWICE = "is one file given twice? If it has other grades, too, name their column: columns:grade=NAME:FILE"


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"copy": DRAWN.human}, [f"copy: the same grades for the same documents as qrels; {TWICE}"]),
        (
            {"a": DRAWN.judge, "b": DRAWN.judge, "c": DRAWN.judge},
            [f"b, c: the same grades for the same documents as a; {TWICE}"],
        ),
        ({"a": DRAWN.judge, "b": two_assessors(5).judge}, []),
        ({"copy": {topic: dict(list(DRAWN.human[topic].items())[:-1]) for topic in DRAWN.human}}, []),
    ],
)
def test_the_same_grades_twice_are_warned_of(others: dict[str, dict[str, dict[str, float]]], said: list[str]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        judges(DRAWN.human, others, samples=20)
    assert [str(one.message) for one in caught if "the same grades" in str(one.message)] == said
    assert all(one.category is CoverageWarning for one in caught)


@pytest.mark.filterwarnings("always::gradeval.GradevalWarning")
def test_the_column_of_the_judge_is_named_as_told(tmp_path: Path) -> None:
    """Both grades of a document stand in its line."""
    rows = [
        f"{topic},{document},{grade},{DRAWN.judge[topic][document]}\n"
        for topic, grades in DRAWN.human.items()
        for document, grade in grades.items()
        if document in DRAWN.judge[topic]
    ]
    (tmp_path / "both.csv").write_text("query_id,doc_id,grade,llm_grade\n" + "".join(rows))
    file = str(tmp_path / "both.csv")
    once = CliRunner().invoke(main, ["judges", file, "--judge", file, "--samples", "20"])
    assert TWICE in once.output
    told = TWICE.rpartition(" ")[2].replace("NAME", "llm_grade").replace("FILE", file)
    done = CliRunner().invoke(main, ["judges", file, "--judge", told, "--samples", "20"])
    assert done.exit_code == 0, done.output
    assert "the same grades" not in done.output
    assert " 1.000" not in done.stdout.splitlines()[2]
