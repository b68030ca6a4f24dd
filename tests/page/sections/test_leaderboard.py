from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

pytest.importorskip("vl_convert")

pytest.importorskip("jinja2")

pytest.importorskip("altair")


from gradeval import compare, evaluate, ranks, report
from gradeval.formula.definition import values_only
from gradeval.formula.spelling import parse_measure
from gradeval.page.report import Report
from gradeval.tables.grid import Estimate

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

RUNS = sorted((EXAMPLES / "runs").iterdir())[:5]

MEASURES = "nDCG@10 AP GAP"


def rows(made: Report, title: str) -> list[dict[str, object]]:
    """The records of the table of this title."""
    sections = json.loads(made.to_json())["sections"]
    return next(section["tables"][title] for section in sections if title in section["tables"])


def test_the_leaderboard_holds_the_means_intervals_and_ranks_of_the_functions(made: Report) -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, MEASURES)
    rank_sets = ranks(scores, samples=1000, seed=1)
    bounds = scores.ci()
    best = rank_sets.best("nDCG@10")
    grid = made.sections[1].tables[0].table.grids[0]
    words = grid.head.index("may be best")
    assert [row[0] for row in grid.rows if row[words] == "may be best"] == best
    for row in rows(made, "Leaderboard"):
        at = scores.runs.index(str(row["run"])), list(map(str, scores.measures)).index(str(row["measure"]))
        assert row["value"] == scores.mean()[at]
        assert [row["lower"], row["upper"]] == bounds[at].tolist()
        assert [row["rank_lower"], row["rank_upper"]] == [rank_sets.lower[at[::-1]], rank_sets.upper[at[::-1]]]


def test_a_baseline_marks_the_runs_that_compare_marks() -> None:
    marked = report(EXAMPLES / "qrels.txt", RUNS, "AP", baseline="birch", studies="none")
    comparison = compare(evaluate(EXAMPLES / "qrels.txt", RUNS, "AP"), baseline="birch")
    signs = {"better": "▲", "worse": "▼", "not told apart": ""}
    grid = marked.sections[1].tables[0].table.grids[0]
    for row in grid.rows:
        cell = row[1]
        assert isinstance(cell, Estimate)
        assert cell.mark.strip() == signs[comparison.verdicts_by_run()[str(row[0])][0]]


def test_each_measure_is_explained_in_a_line_from_its_declaration(made: Report) -> None:
    told = made.sections[1].measures
    assert [name for name, _ in told] == MEASURES.split()
    for name, meaning in told:
        declared = " ".join((parse_measure(name).definition.formula.__doc__ or "").split())
        threshold = parse_measure(name).threshold
        stated, _, relevant = meaning.partition(" (grade ")
        assert declared.startswith(f"{stated}.")
        assert relevant == ("" if threshold is None else f"{threshold:g} or more is relevant)")
        assert 20 < len(stated) < 110
    page = made.write("a.html").decode()
    assert page.count('<dl class="terms">') == 1
    name, meaning = told[0]
    assert f"<dt>{name}</dt> <dd>{escape(meaning)}</dd>" in page
    assert f"What is {name}? {meaning}." in made.sections[0].details
    assert dict(told) == next(
        part["measures"] for part in json.loads(made.to_json())["sections"] if part["section"] == "leaderboard"
    )


def test_each_measure_says_its_own_threshold() -> None:
    made = report(EXAMPLES / "qrels.txt", RUNS[:2], "RR(rel=2) RR P(rel=3)@5 nDCG", studies="none")
    told = dict(made.sections[1].measures)
    first, *others = made.sections[1].measures
    ends = {name: meaning.partition(" (grade ")[2] for name, meaning in told.items()}
    assert ends == {
        "RR(rel=2)": "2 or more is relevant)",
        "RR": "1 or more is relevant)",
        "P(rel=3)@5": "3 or more is relevant)",
        "nDCG": "",
    }
    assert f"What is {first[0]}? {first[1]}." in made.sections[0].details
    assert len(others) == 3


def test_measures_that_differ_by_parameters_share_a_line_and_those_without_a_text_have_none() -> None:
    many = report(EXAMPLES / "qrels.txt", RUNS[:2], "nDCG@10 P@5 nDCG", studies="none")
    assert [name for name, _ in many.sections[1].measures] == ["nDCG@10 and nDCG", "P@5"]
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS[:2], "AP")
    unknown = report(replace(scores, measures=[values_only("clicks")]), studies="none")
    assert unknown.sections[1].measures == []
    assert not any("What is" in detail for detail in unknown.sections[0].details)
    assert '<dl class="terms">' not in unknown.write("a.html").decode()
