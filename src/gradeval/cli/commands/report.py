"""``gradeval report``: one page that says which run is best, by which measure, for which users, and how surely."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import click

from gradeval._core import InputError
from gradeval.charts.drawing import Undrawable
from gradeval.cli.collection import Collection, collection_options
from gradeval.cli.commands.explain import files_of, importance_of
from gradeval.cli.inputs import STANDARD_INPUT, refuse_overwriting, require_inputs
from gradeval.cli.notices import tell
from gradeval.cli.options import FILE, measures_option, number_option, seed_option
from gradeval.cli.progress_bar import show_progress
from gradeval.cli.steps import (
    Opened,
    choose_topics,
    judge_opened,
    open_collection,
    read_ready_scores,
    score_runs,
)
from gradeval.collection.meeting import JudgedRuns
from gradeval.files.places import file_of
from gradeval.files.steady import SteadyFile
from gradeval.formula.spelling import split_measures
from gradeval.scores.scores import Scores
from gradeval.studies.overview import MEASURES, STUDIES, choose_studies, look_over, with_measures
from gradeval.whole import whole_file

INPUT_OPTIONS = (
    *"topics runs missing empty ties negative levels recode shift depth names".split(),
    *"input_format columns skip_bad preset".split(),
)
"""The options that other commands have, too."""


class CommandAsTyped(click.Command):
    """A command that keeps the words of its options as they were typed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words, and read them."""
        words, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta["typed"] = words
        return super().parse_args(ctx, args)


@click.command(
    "report",
    cls=CommandAsTyped,
    epilog="""\b
Examples:
  gradeval report qrels.txt runs/* -o report.html
  gradeval report qrels.txt runs/* -o report.html -m "GAP nDCG@20" --baseline bm25
  gradeval report qrels.txt runs/* -o report.md --studies none
  gradeval report --scores scores.tsv -o report.html
  gradeval report letor:S5.txt gap-trees.run -o report.html --model gap-trees --features S5.txt""",
)
@click.option(
    "-o",
    "--output",
    type=FILE,
    required=True,
    metavar="FILE",
    help="The page to write (.html), whole or not at all; .json and .md hold the same numbers.",
)
@measures_option(f"{MEASURES}; the first orders the runs")
@click.option("--baseline", metavar="RUN", help="Mark the runs that are significantly better or worse than this one.")
@click.option(
    "--studies",
    default="all",
    show_default=True,
    metavar="LIST",
    help=f"all, none, or some of {','.join(STUDIES)}.",
)
@seed_option("Seed of everything random.")
@number_option("--show-runs", 0, 20, "Rankings of so many runs can be seen side by side.")
@number_option("--show-depth", 1, 50, "How far down they are shown.")
@click.option(
    "--model",
    type=click.Path(readable=False),
    metavar="MODEL",
    help="Tell which features a model of 'gradeval train' looks at.",
)
@click.option(
    "--features",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="MODEL: documents with grades, to see what the first measure loses without a feature; may be repeated.",
)
@collection_options(ready=True)
def command(
    output: str,
    measures: tuple[str, ...],
    baseline: str | None,
    studies: str,
    seed: int,
    show_runs: int,
    show_depth: int,
    model: str | None,
    features: tuple[str, ...],
    **options: Any,
) -> None:
    """Write one page about RUNS: which is best, how sure that is, for which users, by which measure, on which topics.

    The page is one file that opens anywhere without a network. The same input, options and seed give the same bytes.
    """
    from gradeval.page.reporting import charts_coming, ending_of, make_report, require_pages
    from gradeval.page.section import Material

    collection = Collection.take(options)
    ending_of(output)
    choose_studies(studies)
    require_pages()
    context = click.get_current_context()
    if features and model is None:
        raise InputError("--features FILE are what a model is explained on; give --model MODEL, too")
    inputs = [*filter(None, [collection.qrels]), *collection.run_files, *collection.scores]
    explained = [*features, *([] if model is None else files_of(model))]
    require_inputs([*inputs, *features])
    refuse_overwriting(output, [*inputs, *features, *filter(None, [model])])
    failure: Undrawable | None = None
    with whole_file(output) as file, charts_coming(output, studies):
        scores, judged, opened = _read(collection, measures)
        importance = None
        if model is not None:
            with show_progress("permuting", "features") as bar:
                importance = importance_of(model, features, scores.measures[0], seed=seed, progress=bar)
        if opened is not None:
            inputs = [str(collection.qrels), *(run.place for run in opened.runs)]  # those of the chosen runs
        with show_progress("reporting", "parts") as watch:
            overview = look_over(
                scores,
                judged,
                studies=studies,
                baseline=baseline,
                seed=seed,
                threads=collection.threads,
                watch=watch,
            )
            material = Material(
                overview,
                qrels=None if opened is None else opened.judgments,
                runs=[] if opened is None else opened.runs,
                ties=collection.ties,
                command=_as_typed(context, [*context.meta["typed"]]),
                reading=_words(context, INPUT_OPTIONS),
                digests=dict(_digests([*inputs, *explained])),
                depth=collection.depth,
                show_runs=show_runs,
                show_depth=show_depth,
                importance=importance,
            )
            made = make_report(material)
            try:
                page = made.write(output)
            except Undrawable as error:  # the numbers are not lost by that
                failure, page = error, made.without_pictures().write(output)
            file.write(page)
    if failure is not None:
        raise failure


def _read(collection: Collection, measures: Sequence[str]) -> tuple[Scores, JudgedRuns | None, Opened | None]:
    """The scores of the chosen runs and topics, these runs as judged, and judgments and runs."""
    if collection.scores:
        ready = read_ready_scores(collection, [name for text in measures for name in split_measures(text)])
        tell(ready.notes)
        return ready.result, None, None
    opened = open_collection(collection)
    judged, notes = judge_opened(collection, opened)
    tell(notes)
    scores, about_scores = score_runs(collection, judged, with_measures(collection.parse(measures or MEASURES)))
    topics, about_topics = choose_topics(collection, judged, few=True)
    tell([*about_scores, *about_topics])
    if (scores.runs, topics) != (judged.runs, judged.topics):
        by_name = {run.name: run for run in opened.runs}
        opened = opened._replace(
            judgments=opened.judgments.select(topics), runs=[by_name[name] for name in scores.runs]
        )
        judged = judge_opened(collection, opened).result
    return scores.sel(topics=judged.topics), judged, opened


def _as_typed(context: click.Context, names: Sequence[str]) -> str:
    """The command with the words of these parameters, without the place of the page and paths of this machine."""
    arguments = [place for name in ("qrels", "run_files") for place in _listed(context.params.get(name)) if place]
    words = _words(context, [name for name in names if name not in ("qrels", "run_files", "output", "threads")])
    return shlex.join(["gradeval", "report", *map(_named, arguments), *words, "-o", "report.html"])


def _words(context: click.Context, names: Sequence[str]) -> list[str]:
    """The words of some options, as typed."""
    typed = context.meta["typed"]
    spelled = {option.name: max(option.opts, key=len) for option in context.command.params}
    return [
        word
        for name in names
        if name in typed and name in spelled
        for value in _listed(typed[name])
        for word in ([spelled[name]] if value is True else [spelled[name], _named(str(value))])
    ]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _named(place: str) -> str:
    """A place without the folders of this machine."""
    return os.path.basename(place) if os.path.isabs(place) else place


def _digests(places: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The SHA-256 of each file; of what is no regular file there is none."""
    for place in places:
        path = next((path for path in (file_of(place), place.partition("=")[2]) if os.path.isfile(path)), None)
        if path is not None and path not in STANDARD_INPUT:
            with SteadyFile(path).open() as file:
                yield _named(place), hashlib.file_digest(file, "sha256").hexdigest()
