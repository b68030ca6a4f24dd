"""``gradeval check``: are the files valid, and how much do the judgments cover?"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import click

from gradeval._core import InputError
from gradeval.cli.options.inputs import require_inputs
from gradeval.cli.options.options import FILE
from gradeval.cli.screen.notices import list_some, plural, say, tell
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.read import STANDARD
from gradeval.files.whole import whole_file
from gradeval.formats.places import open_run, read_qrels
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import show_levels
from gradeval.scores.coverage import Coverage
from gradeval.scores.scoring import compute_coverage
from gradeval.tables.grid import Grid
from gradeval.tables.text import show

T = TypeVar("T")
HEAD = [
    "file",
    "tag",
    "lines",
    "topics",
    "missing topics",
    "topics without judgments",
    "tied lines",
    "unjudged lines",
]


@click.command(
    epilog="""\b
Examples:
  gradeval check qrels.txt submissions/*
  gradeval check qrels.txt submissions/*.gz > coverage.txt && echo all files are right"""
)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=FILE, nargs=-1, required=True)
def check(qrels: str, runs: tuple[str, ...]) -> None:
    """Validate QRELS and RUNS and report what the judgments cover, without scoring.

    Every line of every file is read. The first thing that is wrong with each file is said on standard error,
    and the status is then 2; the table on standard output has the files that are right.
    """
    require_inputs([qrels, *runs])
    errors = Errors()
    judgments = errors.catch(read_qrels, qrels)
    readable = [run for path in runs if (run := errors.catch(open_run, path)) is not None]
    if judgments is None:
        readable = [run for run in readable if errors.catch(len, run) is not None]
    else:
        say(_about(judgments))
        coverages = list(_cover(judgments, readable, errors))
        readable = [run for run, _, _ in coverages]
        _report(judgments, coverages)
    tell(_shared_tags(readable))
    for message in errors.messages:
        say(f"gradeval: error: {message}", error=True)
    if errors.messages:
        number = len(errors.messages)
        click.echo(f"gradeval: {number} of {1 + len(runs)} files {'is' if number == 1 else 'are'} wrong", err=True)
        sys.exit(2)


@dataclass
class Errors:
    """Collected errors about the files."""

    messages: list[str] = field(default_factory=list)

    def catch(self, read: Callable[..., T], *arguments: object) -> T | None:
        """Call ``read``, and return its result, or None after an InputError, which is collected."""
        try:
            return read(*arguments)
        except InputError as error:
            self.messages.append(str(error))
            return None


Covered = tuple[Run, Coverage, int]
"""A run, what the judgments cover of it, and which of the coverage's rows is its own."""


def _cover(judgments: Qrels, runs: Sequence[Run], errors: Errors) -> Iterator[Covered]:
    """The valid runs with their coverage: judged all at once if none is wrong, else one by one."""
    try:
        coverage = _coverage(judgments, runs)
        yield from ((run, coverage, row) for row, run in enumerate(runs))
    except InputError:
        for run in runs:
            alone = errors.catch(_coverage, judgments, [run])
            if alone is not None:
                yield run, alone, 0


def _coverage(judgments: Qrels, runs: Sequence[Run]) -> Coverage:
    return compute_coverage(meet(judgments, runs))


def _about(judgments: Qrels) -> str:
    negative = int((judgments.grades < 0).sum())
    size = f"{plural(len(judgments.topics), 'topic')}, {plural(len(judgments), 'judgment')}"
    more = f", {plural(negative, 'negative grade')}" if negative else ""
    return f"{judgments.name}: {size}, levels {show_levels(judgments.levels)}{more}"


def _report(judgments: Qrels, coverages: Sequence[Covered]) -> None:
    """The table, and below it the topics that a run lacks or has beyond the judgments."""
    if not coverages:
        return
    with whole_file(STANDARD) as file:
        show([Grid.of_texts(HEAD, [_row(*one) for one in coverages], names=2)], file)
    for run, coverage, row in coverages:
        missing = [
            topic
            for topic, number in zip(judgments.topics, coverage.retrieved[row].tolist(), strict=True)
            if not number
        ]
        if missing:
            say(f"{run.place}: returns nothing for {list_some(missing)}")
        if coverage.unjudged_topics[row]:
            say(f"{run.place}: no judgments for {list_some(coverage.unjudged_topics[row])}")


def _row(run: Run, coverage: Coverage, row: int) -> list[str]:
    retrieved: Array = coverage.retrieved[row]
    extra = len(coverage.unjudged_topics[row])
    lines = len(run) if extra else int(retrieved.sum())  # to count them is to read the file once more
    missing = int((retrieved == 0).sum())
    return [
        run.place,
        run.name,
        str(lines),
        str(len(retrieved) - missing + extra),
        str(missing),
        str(extra),
        f"{coverage.tied_share[row]:.1%}",
        f"{coverage.unjudged_share[row]:.1%}",
    ]


def _shared_tags(runs: Sequence[Run]) -> Iterator[str]:
    for tag, number in Counter(run.name for run in runs).items():
        if number > 1:
            places = [run.place for run in runs if run.name == tag]
            yield f"{number} runs have the tag {tag!r}: {list_some(places)}"
