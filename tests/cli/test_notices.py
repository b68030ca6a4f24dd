"""Notes on stderr."""

from __future__ import annotations

import pytest

from gradeval.cli.notices import about_names, print_notes, warned, within
from gradeval.scores.notes import Note


def test_notes_and_warnings_are_told_apart_and_hold_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_notes(["a text", Note("a note"), warned("a mistake of \x1b[31m")])
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.splitlines() == ["note: a text", "note: a note", r"gradeval: warning: a mistake of \x1b[31m"]


def test_a_place_stands_before_texts_and_notes_alike() -> None:
    assert [str(note) for note in within("run.txt", ["a text", Note("a note")])] == [
        "run.txt: a text",
        "run.txt: a note",
    ]


def test_runs_that_share_a_tag_are_named() -> None:
    assert [*about_names({"bm25": ["a.txt", "b.txt"]})] == [
        "2 runs have the tag 'bm25' and go by their files: a.txt, b.txt"
    ]
