"""``gradeval report``: one page that says which run is best, by which measure, for which users, and how surely."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from gradeval._core import InputError
from gradeval.atomic_files import whole_file
from gradeval.cli.commands.explain_command import files_of, load_explained
from gradeval.cli.declared_options import declared_by, declared_options
from gradeval.cli.derive import JUDGES, name_judges
from gradeval.cli.given_options import TYPED
from gradeval.cli.help_sections import SectionedCommand
from gradeval.cli.notices import notes_instead_of_warnings, print_notes, take_notes
from gradeval.cli.options import FILE, measures_option, notes_option, refuse_overwriting, require_inputs
from gradeval.cli.reading import (
    Collection,
    collection_options,
    name_of_file,
    open_collection,
    open_ready_scores,
    read_judgments,
    require_topics,
)
from gradeval.files.feature_columns import FeatureColumns
from gradeval.files.input_formats import file_of, format_of
from gradeval.files.named_columns import Columns
from gradeval.files.source import without_folders
from gradeval.page.byline import make_byline
from gradeval.page.report import ending_of, report
from gradeval.progress import show_progress
from gradeval.scores.slices import LENGTH
from gradeval.studies.report_results import MEASURES, choose_studies
from gradeval.warning_categories import Note

INPUT_OPTIONS = (
    *"topics runs missing empty ties negative exclude repeated levels recode shift depth names".split(),
    *"input_format columns encoding folder skip_bad preset".split(),
)
"""The options that other commands have, too."""
WORDS = ("title", "author", "date")
"""The options that stand on the page as they are."""


class CommandAsTyped(SectionedCommand):
    """A command that keeps its words as they were typed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words, and read them."""
        ctx.meta["words"] = list(args)
        return super().parse_args(ctx, args)


@click.command(
    "report",
    cls=CommandAsTyped,
    epilog="""\b
Examples:
  gradeval report qrels.txt runs/* -o report.html
  gradeval report qrels.txt runs/* -o report.html -m "GAP nDCG@20" --baseline bm25
  gradeval report qrels.txt runs/* -o report.md --studies none
  gradeval report qrels.txt runs/* --compare-with last-week.html
  gradeval report qrels.txt runs/* --by segments.csv
  gradeval report qrels.txt runs/* --groups teams.csv
  gradeval report --scores scores.tsv -o report.html
  gradeval report qrels.txt runs/* --title "Autumn models" --author "Search team" --date today
  gradeval report letor:S5.txt gap-trees.run -o report.html --model gap-trees --features S5.txt""",
)
@click.option(
    "-o",
    "--output",
    type=FILE,
    multiple=True,
    default=["report.html"],
    show_default="report.html",
    metavar="FILE",
    help="The page to write (.html), whole or not at all. .json and .md hold the same numbers. May be given several "
    "times.",
)
@measures_option(f"{MEASURES}; the first orders the runs")
@declared_options(
    declared_by(report),
    *"baseline studies groups seed show_runs show_depth model features compare_with by queries documents".split(),
    *WORDS,
    features={"multiple": True},
)
@click.option("--judge", type=FILE, multiple=True, metavar="[NAME=]QRELS", help=JUDGES)
@collection_options(ready=True)
@notes_option
def command(
    output: tuple[str, ...],
    measures: tuple[str, ...],
    studies: str,
    model: str | None,
    features: tuple[str, ...],
    compare_with: str | None,
    by: str | None,
    queries: str | None,
    documents: str | None,
    groups: str | None,
    judge: tuple[str, ...],
    **options: Any,
) -> None:
    """Write one page about RUNS: which is best, how sure is it, for which users, measures and topics?

    The page is one file that opens anywhere without a network. The same input, options and seed give the same bytes.
    """
    from gradeval.page.section import Origin

    collection, context = Collection.take(options), click.get_current_context()
    endings = {place: ending_of(place) for place in output}
    choose_studies(studies)
    _, byline = make_byline("", *(options[name] for name in WORDS))
    if "date" in byline:
        options["date"] = byline["date"]
    if features and model is None:
        raise InputError("--features FILE are what a model is explained on; give --model MODEL, too")
    judges = name_judges(judge)
    inputs = [*filter(None, [collection.qrels, compare_with]), *judges.values(), *collection.scores]
    inputs += [*collection.excluding(), *filter(None, [by, queries, documents, groups])]
    explained = [*features, *([] if model is None else files_of(model))]
    require_inputs([*inputs, *collection.run_files, *features])
    for place in endings:
        refuse_overwriting(place, [*inputs, *collection.run_files, *features, *filter(None, [model])])
    slicing = _words(context, ["by", *(["queries"] if by == LENGTH else [])])
    typed = _as_typed(context.meta["words"], options["date"])
    given = _of_features(features, collection.columns)
    with ExitStack() as files:
        opened = {place: files.enter_context(whole_file(place)) for place in endings}
        ranker, rows = (None, None) if model is None else load_explained(model, features, given)
        data, notes = _read(collection)
        assessors, more = read_judgments(
            [*judges.values()], replace(collection, levels=None), judge, [[name] for name in judges]
        )
        collection.recode.require_met()
        take_notes([*notes, *more])
        reading, judging = _apart(_words(context, INPUT_OPTIONS), collection.qrels)
        origin = Origin(typed, reading, inputs, explained, slicing, [*notes, *more], judging)
        with show_progress("reporting", "parts") as progress, notes_instead_of_warnings():
            made = report(
                *data,
                measures=" ".join(measures) or None,
                studies=studies,
                model=ranker,
                features=rows,
                compare_with=compare_with,
                by=by,
                queries=queries,
                documents=documents,
                groups=groups,
                judges=dict(zip(judges, assessors, strict=True)),
                origin=origin,
                progress=progress,
                **options,
                **collection.scoring(),
            )
        print_notes(made.notes)
        for place, file in opened.items():
            file.write(made.write(place))
    if context.get_parameter_source("output") is ParameterSource.DEFAULT:
        print_notes([Note.answer(f"written to {output[0]}")])


def _read(collection: Collection) -> tuple[tuple[Any, Any], Sequence[Note]]:
    """Scores and None, or judgments and runs; and what there is to say of their files."""
    if collection.scores:
        scores = open_ready_scores(collection)
        require_topics(collection.topics, scores.topics, "the scores")
        return (scores, None), scores.notes
    judgments, runs, said = open_collection(collection)
    require_topics(collection.topics, judgments.topics, judgments.name)
    return (judgments, runs), said


def _as_typed(words: Sequence[str], date: str | None) -> str:
    """The command as it was typed, without the folders of absolute paths, which a shell may have written for ``~``.

    "today" is the date, as the command gives this page on any later day.
    """
    shown = []
    for word, before in zip(words, ["", *words], strict=False):
        joined = word.startswith("--") and "=" in word
        option, _, value = word.partition("=") if joined else (before, "", word)
        if option == "--date" and value == "today":
            value = str(date)
        elif option.removeprefix("--") not in WORDS:
            value = re.sub(r"^([^/]*[=:])?(/(?!/).*)$", lambda path: (path[1] or "") + os.path.basename(path[2]), value)
        shown.append(f"{option}={value}" if joined else value)
    return shlex.join(["gradeval", "report", *shown])


def _of_features(files: Sequence[str], columns: Columns) -> FeatureColumns:
    """What --columns says of files of features, where all are tables; LETOR text has no names of columns."""
    are_tables = all(format_of(file).has_columns for file in files)
    return FeatureColumns(columns.without_runs()) if are_tables else FeatureColumns()


def _words(context: click.Context, names: Sequence[str]) -> list[str]:
    """The words of some options, as typed."""
    typed = context.meta[TYPED]
    spelled = {option.name: max(option.opts, key=len) for option in context.command.params}
    return [
        word
        for name in names
        if name in typed and name in spelled
        for value in dict.fromkeys(typed[name])
        for word in (
            [spelled[name]]
            if value is True
            else [spelled[name], value if name in WORDS else without_folders(str(value))]
        )
    ]


def _apart(words: Sequence[str], qrels: str | None) -> tuple[list[str], list[str]]:
    """The words of options of all commands, and those that recode judgments of judges alone, by their names."""
    own = set() if qrels is None else {"", qrels, name_of_file(qrels), *map(os.path.basename, (qrels, file_of(qrels)))}
    reading: list[str] = []
    judging: list[str] = []
    for option, word in zip(["", *words], words, strict=False):
        if option == "--recode" and word.rpartition(":")[0] not in own:
            judging += [reading.pop(), word]
        else:
            reading.append(word)
    return reading, judging
