"""What the report says of the measures: the headline names a winner only where the body does not take it back."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")
pytest.importorskip("altair")

from gradeval import report
from gradeval.page.report_text import as_json
from gradeval.page.section import Section
from gradeval.page.sections.measures_section import _answer_which_measures, _best_shown, _table_of_ticks
from gradeval.page.writing import as_html
from gradeval.studies.measure_criteria import Criterion
from gradeval.tables.records import values_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
TIES = Criterion("ties", "ties fewest runs", np.zeros(3), np.zeros((3, 2)), False, ".1%")


def criterion(merit: str, values: list[float], half: float) -> Criterion:
    centre = np.array(values)
    return Criterion(merit, merit, centre, np.stack([centre - half, centre + half], axis=-1), True, ".2f")


def overview() -> Any:
    return SimpleNamespace(scores=SimpleNamespace(measures=["AP", "GAP", "P@1"], unit="topics"))


def said(*criteria: Criterion) -> str:
    return _answer_which_measures(overview(), [*criteria, TIES])


def test_a_line_says_which_measures_are_ahead_and_where_the_topics_cannot_tell() -> None:
    clear, close = criterion("shines", [0.9, 0.5, 0.1], 0.1), criterion("glows", [0.9, 0.88, 0.1], 0.1)
    other, dim = criterion("beams", [0.1, 0.9, 0.1], 0.1), criterion("gleams", [0.1, 0.1, 0.1], 0.1)
    assert said(clear) == "AP is ahead by the only criterion."
    assert said(clear, other) == "AP is ahead by 1 of 2 criteria, GAP by 1."
    assert said(clear, close) == "AP is ahead by 1 of 2 criteria; by the other one these topics cannot tell."
    assert said(clear, close, dim) == "AP is ahead by 1 of 3 criteria; by the other 2 these topics cannot tell."
    open_ones = "These topics cannot tell which measure to take: none is ahead of all others by any criterion."
    assert said(dim) == said(close, dim) == open_ones


def test_a_tick_stands_where_the_best_measure_is_not_shown_to_be_better() -> None:
    alone, close = criterion("shines", [0.9, 0.5, 0.1], 0.1), criterion("glows", [0.9, 0.88, 0.1], 0.1)
    unknown = criterion("beams", [0.9, np.nan, 0.1], 0.1)
    table = _table_of_ticks(overview(), [alone, close, unknown])
    assert table.grids[0].head == ["measure", "shines", "glows", "beams"]
    assert table.grids[0].rows == [["AP", "✓", "✓", "✓"], ["GAP", "", "✓", "no value"], ["P@1", "", "", ""]]
    assert values_of(table.records.fields["among_best"]) == [True, True, True, False, True, None, False, False, False]


@pytest.mark.parametrize("runs", [5, 12])
def test_ticks_are_those_of_the_intervals_in_the_table(runs: int) -> None:
    files = sorted((EXAMPLES / "runs").iterdir())[:runs]
    made = report(EXAMPLES / "qrels.txt", files, "AP nDCG P@1", studies="robustness", seed=1)
    section = next(section for section in made.sections if section.name == "measures")
    ticks, values = (titled.table for titled in section.tables)
    merit = "keeps the order of the runs with fewest judgments"
    column = ticks.grids[0].head.index(merit)
    place = values.grids[0].head.index("judgments at which tau < 0.9")
    bounds = [
        (cell.value, *(cell.bounds or (cell.value,) * 2)) for cell in (row[place] for row in values.grids[0].rows)
    ]
    upper = min(bounds)[2]  # of the lowest value, which is the best
    assert [row[column] for row in ticks.grids[0].rows] == ["✓" * (low <= upper) for _, low, _ in bounds]
    alone = sum(row[column] == "✓" for row in ticks.grids[0].rows) == 1
    assert ("is ahead by the only criterion" in section.answer) == alone


@pytest.mark.parametrize(("runs", "few"), [(1, "1 run"), (2, "2 runs"), (4, "4 runs"), (5, "")])
def test_fewer_than_five_runs_say_in_a_line_that_they_cannot_tell(runs: int, few: str) -> None:
    files = sorted((EXAMPLES / "runs").iterdir())[:runs]
    asked = report(EXAMPLES / "qrels.txt", files, "AP nDCG", studies="correlate,inform")
    [section] = [section for section in asked.sections if section.name == "measures"]
    line = f"{few} cannot tell, as measures are judged by the pairs of runs that they tell apart; give 5 runs or more."
    assert (section.answer == line) == bool(few)
    assert bool(section.tables or section.multiples or section.numbers or section.redo) == (not few)
    unasked = report(EXAMPLES / "qrels.txt", files, "AP nDCG", studies="none")
    assert "measures" not in [section.name for section in unasked.sections]


def test_a_study_that_finds_no_list_says_so_in_plain_words() -> None:
    qrels = {f"q{topic}": {"a": 1, "b": 0, "c": 0} for topic in range(4)}
    runs = {f"run{run}": {f"q{topic}": {"a": float(run == topic), "b": 0.5} for topic in range(4)} for run in range(5)}
    made = report(qrels, runs, "AP nDCG", studies="discriminate,inform")
    [section] = [section for section in made.sections if section.name == "measures"]
    reason = "no ranking holds 5 documents of each relevant grade; 'gradeval inform --least 1' asks for fewer"
    assert f"Left out: inform ({reason})." in section.details


def test_the_best_values_are_marked_alike_and_none_where_all_are_equal() -> None:
    def best(*values: float) -> list[int]:
        return _best_shown(criterion("shines", list(values), 0.1))

    assert best(0.5, 0.9, 0.9) == [1, 2]
    assert best(0.5, np.nan, 0.4) == [0]
    assert best(0.9, 0.9, 0.9) == []
    assert best(0.901, 0.9, 0.2) == [0, 1]  # shown alike


def shown_values(svg: str) -> list[str]:
    """What each line of a picture says to those who point at it or hear it."""
    return [one.text or "" for one in ElementTree.fromstring(svg).iter("title")]


@pytest.fixture(scope="module")
def section() -> Section:
    """The measures of the example by all studies; one has no value by two of the criteria."""
    made = report(EXAMPLES / "qrels.txt", sorted((EXAMPLES / "runs").iterdir()), "nDCG@10 AP nERR@5", seed=1)
    return next(section for section in made.sections if section.name == "measures")


def test_there_is_a_small_picture_of_each_criterion_with_the_values_of_the_table(section: Section) -> None:
    ticks, values = (titled.table.grids[0] for titled in section.tables)
    *criteria, beside = section.multiples
    assert [one.caption.lower() for one in criteria] == ticks.head[1:]
    assert [one.beside.partition(";")[0] for one in criteria] == values.head[1:-1]
    for column, picture in enumerate([*criteria, beside], 1):
        expected = [
            f"{row[0]}: {values.columns[column].write(row[column]) or 'no value'}"
            for row in values.rows
            if picture is not beside or row[column] is not None
        ]
        assert shown_values(picture.svg) == expected
    assert any("no value" in line for one in criteria for line in shown_values(one.svg))


def test_a_full_dot_stands_where_the_table_has_a_tick(section: Section) -> None:
    ticks = section.tables[0].table.grids[0]
    for column, picture in enumerate(section.multiples[:-1], 1):
        full = [one.get("class") == "strong" for one in ElementTree.fromstring(picture.svg).findall("g")[1:]]
        assert full == [row[column] == "✓" for row in ticks.rows]


def test_the_tables_of_the_studies_are_on_the_page_alone(section: Section) -> None:
    assert [titled.folded for titled in section.numbers] == [True] * 4
    page = as_html("title", [section])
    for titled in section.numbers:
        assert f"<summary>{titled.title}</summary>" in unescape(page)
        assert titled.title not in as_json("title", [section], {})
