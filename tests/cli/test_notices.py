"""Notes on stderr: which are printed, in which order, and how many are not."""

from __future__ import annotations

import json
import pathlib
import sys
from collections.abc import Sequence

import click
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from gradeval.cli import main
from gradeval.cli.notices import about_names, print_notes, take_notes, within
from gradeval.cli.options import notes_option
from gradeval.warning_categories import (
    CoverageWarning,
    EncodingGuessWarning,
    GradevalWarning,
    Note,
    NoteWeight,
    ObjectiveWarning,
    SignificanceWarning,
)

METHOD, DATA, DOUBT = Note.method("a method"), Note("a share"), Note("few topics", SignificanceWarning)
MEANING, GUESS = Note("1 topic counts 0", CoverageWarning), Note("read as cp1252", EncodingGuessWarning)
ADVICE, ANSWER = Note("another objective", ObjectiveWarning), Note.answer("a wins")


@pytest.fixture(autouse=True)
def _all_notes() -> None:
    """Here is what is hidden from others."""


def printed(batches: Sequence[Sequence[str | Note]], *options: str, fails: bool = False) -> list[str]:
    """What a command prints on stderr that takes all batches of notes but the last, and prints them with that."""

    @click.command()
    @notes_option
    def command() -> None:
        for batch in batches[:-1]:
            take_notes(batch)
        print_notes(batches[-1], everything=fails)

    return CliRunner().invoke(command, options).stderr.splitlines()


def test_notes_and_warnings_are_told_apart_and_hold_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_notes(["a text", Note("a note"), Note("a mistake of \x1b[31m", GradevalWarning)])
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.splitlines() == [r"gradeval: warning: a mistake of \x1b[31m", "note: a text", "note: a note"]


def test_all_warnings_are_printed_and_notes_up_to_three_with_them() -> None:
    lines = printed([[METHOD, ADVICE, DATA], [DOUBT, MEANING, GUESS, ANSWER]])
    warning = "gradeval: warning: "
    assert lines == [
        "note: a wins",
        f"{warning}1 topic counts 0",
        f"{warning}read as cp1252",
        f"{warning}few topics",
        f"{warning}another objective",
        "note: 2 more notes: add -v to read them",
    ]
    assert printed([[METHOD, DATA, DOUBT]]) == [f"{warning}few topics", "note: a share", "note: a method"]


@pytest.mark.parametrize("options", [["-v"], ["--verbose"]])
def test_all_are_printed_on_demand_by_their_weight(options: list[str]) -> None:
    lines = printed([[METHOD, ADVICE, DATA, DOUBT, MEANING, GUESS, ANSWER]], *options)
    texts = [line.rpartition(": ")[2] for line in lines]
    assert texts == [
        *("a wins", "1 topic counts 0", "read as cp1252", "few topics", "a share", "a method", "another objective")
    ]


def test_where_a_command_fails_nothing_is_left_out() -> None:
    assert len(printed([[METHOD, DATA, DOUBT, MEANING]], fails=True)) == 4


@pytest.mark.parametrize(("number", "last"), [(3, "note: 2"), (4, "note: 1 more note: add -v to read it")])
def test_three_notes_are_not_counted(number: int, last: str) -> None:
    assert printed([list(map(str, range(number)))])[-1] == last


def test_a_note_is_printed_once_and_names_all_places_that_it_is_said_of() -> None:
    twice = [Note("too few topics").within(place) for place in ("head", "tail")]
    assert printed([[*twice, DATA], [DATA, twice[0]]]) == ["note: head, tail: too few topics", "note: a share"]
    assert printed([[DATA, DATA.within("model")]]) == ["note: a share", "note: model: a share"]


@pytest.mark.parametrize(
    ("variables", "dimmed"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"TERM": "xterm", "NO_COLOR": "1"}, False)],
)
def test_labels_are_dim_where_the_terminal_has_colours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, variables: dict[str, str], dimmed: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with open(tmp_path / "terminal", "w+") as terminal:
        terminal.isatty = lambda: True
        monkeypatch.setattr(sys, "stderr", terminal)
        print_notes([DATA])
        terminal.seek(0)
        assert terminal.read() == ("\x1b[2mnote:\x1b[0m a share\n" if dimmed else "note: a share\n")


def test_every_category_has_a_weight_and_a_guessed_encoding_outweighs_advice() -> None:
    assert EncodingGuessWarning.weight is CoverageWarning.weight is NoteWeight.MEANING
    assert ObjectiveWarning.weight is min(NoteWeight)
    assert [note.weight for note in (METHOD, DATA, DOUBT, ANSWER)] == [
        *(NoteWeight.METHOD, NoteWeight.DATA, NoteWeight.DOUBT, NoteWeight.ANSWER)
    ]


def test_a_place_stands_before_texts_and_notes_alike() -> None:
    assert [str(note) for note in within("run.txt", ["a text", Note("a note")])] == [
        "run.txt: a text",
        "run.txt: a note",
    ]


def test_runs_that_share_a_tag_are_named() -> None:
    assert [*map(str, about_names({"bm25": ["a.txt", "b.txt"]}))] == [
        "2 runs have the tag 'bm25' and go by their files: a.txt, b.txt"
    ]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_columns_that_do_not_count_are_always_said(tmp_path: pathlib.Path, form: str) -> None:
    """Behind notes of more than three other kinds, too."""
    rows = [{"user_id": f"u{at % 3}", "item_id": f"i{at}", "event": ("view", "buy")[at % 2]} for at in range(6)]
    file = tmp_path / f"log.{form}"
    if form == "parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    elif form == "jsonl":
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        file.write_text("user_id,item_id,event\n" + "".join(",".join(row.values()) + "\n" for row in rows))
    for name, user in (("a", "u0"), ("b", "u9")):
        (tmp_path / f"{name}.csv").write_text(f"user,item,score\n{user},i0,1\n{user},x1,1\nu1,x2,1\nu1,x3,1\n")
    said = CliRunner().invoke(
        main, ["evaluate", str(file), str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "-m", "P@1"]
    )
    assert said.exit_code == 0, said.stderr
    assert "more notes" in said.stderr
    assert said.stderr.count("event does not count") == 1
    assert said.stderr.index("event does not count") < said.stderr.index("returned nothing")
