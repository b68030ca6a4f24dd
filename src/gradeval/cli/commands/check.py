"""``gradeval check``: are the files valid, do runs keep the rules, and how much do the judgments cover?"""

from __future__ import annotations

import os
import re
from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from gradeval._core import InputError
from gradeval.atomic_files import STANDARD
from gradeval.cli.given_options import spell_option
from gradeval.cli.given_scores import about_scores
from gradeval.cli.help_sections import HEADINGS, SectionedCommand
from gradeval.cli.notices import print_notes, say
from gradeval.cli.options import (
    FILE,
    TOPICS,
    Recoding,
    note_unused,
    notes_option,
    number_option,
    read_first_words,
    read_topics,
    require_inputs,
)
from gradeval.cli.output import Output, format_option, open_result, output_option, write_page
from gradeval.cli.reading import Reading, name_of_file, names_of_place, reading_options
from gradeval.cli.streams import end_with
from gradeval.files.accepted import refuse_swapped
from gradeval.files.named_columns import Columns

if TYPE_CHECKING:
    from gradeval.charts.specification import Undrawable


@click.command(
    cls=SectionedCommand,
    own=HEADINGS[0],
    epilog="""\b
Examples:
  gradeval check qrels.txt submissions/*
  gradeval check qrels.txt submissions -o checks.jsonl && echo all files are right
  gradeval check --runs-only submissions --topics topics.txt --depth 1000 --documents docnos.txt""",
)
@click.argument("places", metavar="[QRELS] RUNS...", type=FILE, nargs=-1, required=True)
@click.option("--runs-only", is_flag=True, help="There are no judgments yet: all files are runs.")
@click.option("--topics", metavar="FILE|LIST", help="The topics of the task: a file with one a line, or 301,302.")
@click.option("--documents", type=FILE, metavar="FILE", help="The documents of the collection, one a line.")
@number_option("--depth", 1, None, "How many documents a topic may have.")
@number_option("--judged", 1, 10, "Show the share of judged documents among the first N.")
@reading_options("exclude", "repeated", "recode", "shift", "input_format", "columns", "encoding", "folder")
@format_option("tsv, csv, jsonl: a file a line, with its faults.  [default: as FILE ends, or table]")
@output_option
@notes_option
@click.option("--all", is_flag=True, help="Name every wrong line.  [default: the first 25 of a file]")
@number_option("--threads", 0, 0, "Processor cores; 0 takes all.")
def check(
    places: tuple[str, ...],
    runs_only: bool,
    topics: str | None,
    documents: str | None,
    judged: int,
    exclude: tuple[str, ...],
    recode: Recoding,
    columns: Columns,
    input_format: str | None,
    form: str | None,
    output: tuple[str, ...],
    **settings: Any,
) -> None:
    """Validate QRELS and RUNS and report what the judgments cover, without scoring.

    Every line of every file is read, and of TREC text, csv and JSONL every wrong line is named. A run is wrong where it
    cannot be read, where its scores rise from rank to rank or stand in the column of the ranks, where none of its
    topics or documents is judged, and where it has topics, documents or more lines than --topics, --documents and
    --depth allow. Other ranks that contradict scores, and missing topics, are remarked. What --exclude lists leaves
    before it is counted. What is wrong is said on standard error, and the status is then 1; a wrong use of the command
    has 2.
    """
    from gradeval.checking.input_check import check as inspect

    qrels, runs = (None, places) if runs_only else (places[0], places[1:])
    if not runs:
        raise InputError(f"{places[0]}: name runs, too, or say --runs-only where there are no judgments yet")
    inputs = [*places, *Reading(exclude=exclude).excluding()]
    require_inputs(inputs)
    written = Output.of(
        {"form": form, "output": output, "digits": 4}, [*inputs, *filter(None, [topics, documents])]
    ).output
    shown = written.get(STANDARD) == "table"
    refuse_swapped(qrels, runs, columns, "gradeval check")
    if qrels is None:
        note_unused(["recode", "shift"], "changes grades, and there are no judgments")
    known_as = [] if qrels is None else names_of_place(qrels, [name_of_file(qrels)])
    columns = columns.with_words(recode.words_of(known_as))
    with open_result(written, None) as finish:
        result = inspect(
            qrels,
            runs,
            topics=_read_topics(topics) if topics is not None else None,
            documents=_read_documents(documents) if documents is not None else None,
            cutoff=judged,
            exclude=exclude or None,
            recode=recode.numbers_of(known_as) or None,
            columns=columns,
            format=input_format,
            **settings,
        ).spelled(partial(spell_option, ctx=click.get_current_context()))
        if qrels is not None:
            recode.require_met()
        if shown and result.description:
            say(result.description)

        def write(file: IO[bytes], format: str) -> Undrawable | None:
            if format == "html":
                return write_page(file, result.table(), lambda: None)
            result.write(file, format, faults=not shown)
            return None

        finish(write, lambda: None)
        if shown:
            for note in result.notes:
                say(str(note))
    print_notes([] if shown else result.notes, everything=True)
    if result.judgments is not None:
        print_notes(recode.words_in_vain(columns.read))
    for fault in result.faults:
        say(f"gradeval: error: {fault}", error=True)
    if not result.passed:
        if (scores := about_scores(click.get_current_context())) is not None:
            say(f"gradeval: error: {scores}", error=True)
        say(f"gradeval: {result.verdict}", error=True)
        end_with(1)


def _read_topics(place: str) -> list[str]:
    """The topics of the task; without judgments nothing else would tell a file that is not there from a topic."""
    if not os.path.exists(place) and re.search(r"[/\\]|\.[A-Za-z]\w*$", place):
        raise InputError(f"--topics {place}: no such file; {TOPICS}")
    return read_topics(place)


def _read_documents(place: str) -> set[str]:
    """The ids of documents in a file: the first word of each line."""
    documents = set(read_first_words(place))
    if not documents:
        raise InputError(f"{place}: names no document; --documents takes a file with a document a line")
    return documents
