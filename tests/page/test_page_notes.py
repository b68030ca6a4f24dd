"""Which notes a page shows."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from gradeval import report
from gradeval.page.page_notes import choose_warnings
from gradeval.page.section import Section
from gradeval.page.writing import as_html
from gradeval.warning_categories import CoverageWarning, FilesWarning, Note, NoteWeight, TiesWarning

STARS = {str(topic): {f"d{place}": 1 + (place + topic) % 5 for place in range(9)} for topic in range(4)}
RUNS = {
    "lacking": {topic: {f"d{place}": float(place) for place in range(9)} for topic in ("0", "1", "2")},
    "whole": {topic: {f"d{place}": float(-place) for place in range(9)} for topic in STARS},
}


def test_warnings_and_weighty_notes_are_shown_the_weightiest_first_and_each_once() -> None:
    notes = [
        Note("lines are tied"),
        Note.doubt("a test breaks"),
        Note("ties decide", TiesWarning),
        Note("topics are missing", CoverageWarning, own_weight=NoteWeight.COVERAGE),
        Note("ties decide", TiesWarning),
    ]
    assert choose_warnings(notes, []) == ["topics are missing.", "ties decide.", "a test breaks."]


def test_no_folder_of_the_machine_is_named() -> None:
    notes = [
        Note("a comment looks like data", FilesWarning, "/home/me/data/qrels.txt"),
        Note("the 2 files of /home/me/data/runs share no topic", FilesWarning),
        Note("runs/a.txt is a link", FilesWarning),
    ]
    assert choose_warnings(notes, ["/home/me/data/qrels.txt", "/home/me/data/runs/a.txt", "b.txt"]) == [
        "qrels.txt: a comment looks like data.",
        "the 2 files of runs share no topic.",
        "runs/a.txt is a link.",
    ]


def test_a_report_says_what_it_warns_of_in_all_its_formats(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        made = report(STARS, RUNS, "AP nDCG@5", studies="none")
    said = [text for text in made.sections[0].warnings if "no grade is under 1" in text or "returned nothing" in text]
    assert len(said) == 2
    assert {text.removesuffix(".") for text in said} <= {str(one.message) for one in raised}
    assert json.loads(made.to_json())["sections"][0]["warnings"] == list(made.sections[0].warnings)
    written = {ending: made.write(f"x{ending}").decode() for ending in (".html", ".md")}
    assert all("returned nothing for some of the 4 topics" in text for text in written.values())
    assert not any(section.warnings for section in made.sections[1:])


def test_long_warnings_and_more_than_three_are_folded() -> None:
    texts = ["x" * 400, *(f"warning {place}" for place in range(5))]
    page = as_html("t", [Section("answer", "?", "!", warnings=texts)])
    shown, _, folded = page.partition('<div class="warnings"')[2].partition("</div>")[0].partition("<details>")
    assert all(f"warning {place}" in shown for place in range(3))
    assert "<summary>3 more warnings</summary>" in folded
    assert all(text in folded for text in (texts[0], "warning 3", "warning 4"))
    two = as_html("t", [Section("answer", "?", "!", warnings=["y" * 150, "z" * 150])])
    assert "<summary>1 more warning</summary>" in two
    alone = as_html("t", [Section("answer", "?", "!", warnings=texts[:1])])
    assert "<summary>1 warning</summary>" in alone
