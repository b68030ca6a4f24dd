"""``gradeval evaluate``: from judgments and runs on disk to scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

import click
import numpy as np

from gradeval._core import InputError
from gradeval.charts.drawing import Undrawable
from gradeval.charts.rendering import require_charts
from gradeval.cli.inputs import refuse_overwriting, require_inputs, require_known
from gradeval.cli.notices import about_coverage, about_foreign, foreign_runs, tell
from gradeval.cli.options import (
    FILE,
    digits_option,
    measures_option,
    seed_option,
)
from gradeval.cli.outcome import ENDINGS, open_result, output_option, require_page, write_page
from gradeval.cli.presets import parse_with, preset_option, settings_of
from gradeval.cli.progress_bar import evaluate_with_progress
from gradeval.cli.reading import Reading, open_collection_runs, read_judgments, reading_options
from gradeval.cli.values import format_by_ending, read_topics
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.run_files import list_run_files
from gradeval.formula.definition import Measure
from gradeval.scores.evaluation import DEFAULT
from gradeval.scores.presets import PRESETS, Preset
from gradeval.scores.scores import Scores
from gradeval.scores.trec_eval_lines import ENDING, trec_eval_lines
from gradeval.tables.arrow import require_pyarrow
from gradeval.tables.format import FORMATS, write_text
from gradeval.whole import STANDARD

WRITTEN = ENDINGS | {"trec_eval": ENDING, "parquet": FORMATS["parquet"].ending}
"""The formats, with the endings that choose them."""


OF_TREC_EVAL = {
    "-c": "missing topics count 0 by default; --missing skip leaves them out",
    "-l": "the lowest relevant grade stands in a measure, as in AP(rel=2)",
    "-M": "--depth N takes the first N documents",
    "-J": "judged_only=True in a measure leaves unjudged documents out, as in AP(judged_only=True)",
    "-n": "means alone are the default, -q adds topics",
    "-N": "the size of the collection stands in a measure, as in Utility(documents=1000)",
}
"""Options of trec_eval that have another form here."""


class Evaluate(click.Command):
    """A command that knows trec_eval's options, and says what does the same here."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            option = error.option_name[:2] if not error.option_name.startswith("--") else error.option_name
            if option not in OF_TREC_EVAL:
                raise
            raise InputError(
                f"no option {option}: {OF_TREC_EVAL[option]}; or 'gradeval trec_eval' takes trec_eval's options"
            ) from None


@click.command(
    cls=Evaluate,
    epilog="""\b
Examples:
  gradeval evaluate qrels.txt runs/*
  gradeval evaluate qrels.txt runs/* -m "AP nDCG@20 GAP(g=[0.2,0.3,0.5]) Q@10" --sort nDCG@20
  gradeval evaluate qrels.txt runs/elm.txt -q -o elm.tsv
  gradeval evaluate qrels.txt runs/* -m nDCG@10 --ci --format latex
  gradeval evaluate qrels.txt runs/* -m "nDCG@10 AP" --plot means.svg
  gradeval evaluate qrels.txt runs/* -m "P@10 AP(rel=2)" --recode 3=2 --topics 401,402
  gradeval evaluate qrels.txt runs/* -m "RR AP" --ties expected
  gradeval evaluate irds:cranfield - < bm25.run
  gradeval evaluate letor:test.txt letor:test.txt#1 --preset letor

'gradeval measures' lists the measures, 'gradeval explain MEASURE' explains one.""",
)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=FILE, nargs=-1, required=True)
@measures_option(DEFAULT)
@click.option("-q", "--per-topic", is_flag=True, help="Show the values of every topic, too.")
@click.option("--sort", metavar="MEASURE", help="Runs with the highest value of this measure first.")
@click.option("--ci", is_flag=True, help="Add 95% confidence intervals: a bootstrap over topics.")
@seed_option("Seed of the bootstrap, and of drawn orders of --ties expected.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(WRITTEN)),
    help="tsv, csv, jsonl: a value a line, exact. parquet: all, for -o.  [default: as FILE ends, or table]",
)
@output_option
@click.option(
    "--plot", type=FILE, metavar="FILE", help="Draw the means with 95% intervals, too: .png, .svg, .pdf or .html."
)
@reading_options()
@click.option("--topics", metavar="FILE|LIST", help="Only these topics: a file with one a line, or 301,302.")
@digits_option(4, "table, markdown, latex and trec_eval")
@preset_option
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    sort: str | None,
    preset: str | None,
    form: str | None,
    output: str,
    plot: str | None,
    per_topic: bool,
    digits: int,
    ci: bool,
    seed: int,
    topics: str | None,
    **options: Any,
) -> None:
    """Score RUNS (files, folders, patterns; - is standard input) against QRELS.

    Files are TREC text, BEIR tsv, tsv or csv with a header or of three columns, JSON, JSONL or Parquet, plain or
    compressed.

    Results go to standard output; what was ignored, missing or assumed is said on standard error.
    """
    if preset is not None:
        options |= settings_of(preset)
    convention = PRESETS[preset] if preset is not None else None
    chosen = parse_with(convention, measures or [DEFAULT])
    order = _measure_to_sort_by(sort, convention, chosen) if sort is not None else None
    format = _format(form, output, ci)
    inputs = [qrels, *runs, *list_run_files(runs)]
    require_inputs([qrels, *runs], measures)
    refuse_overwriting(output, [*inputs, *([topics] if topics is not None else [])])
    if plot is not None:
        require_charts(plot)
        refuse_overwriting(plot, [*inputs, *([topics] if topics is not None else [])], "--plot")
    reading = Reading(**options)
    selected = read_topics(topics) if topics is not None else None
    with open_result(output, plot) as finish:
        judgments, notes = read_judgments(qrels, reading)
        tell(notes)
        if topics is not None and selected is not None:
            require_known(topics, selected, judgments.topics, judgments.name)
        opened, notes = open_collection_runs(runs, reading)
        tell(notes)
        scores = evaluate_with_progress(judgments, opened, chosen, topics=selected, seed=seed, **_scoring(reading))
        _warn_of_foreign(scores, opened, judgments)
        tell(about_coverage(scores))
        if order is not None:
            scores = _sort(scores, order)
        if ci:
            tell([f"intervals: 95% confidence, 2000 bootstrap samples of the topics, seed {seed}"])

        def write(file: IO[bytes]) -> Undrawable | None:
            shown: dict[str, Any] = {"by_topic": per_topic, "ci": ci, "seed": seed, "coverage": not measures}
            if format == "html":
                return write_page(file, scores.table(digits, **shown), draw)
            if format == "trec_eval":
                write_text(trec_eval_lines(scores, by_topic=per_topic, digits=digits), file)
            else:
                scores.write(file, format, digits=digits, **shown)
            return None

        def draw() -> Any:
            return _chart(scores, seed)

        finish(write, draw)


def _scoring(reading: Reading) -> dict[str, Any]:
    """The options that scoring takes."""
    return {name: getattr(reading, name) for name in ("missing", "empty", "ties", "negative", "depth", "threads")}


def _measure_to_sort_by(sort: str, convention: Preset | None, chosen: Sequence[Measure]) -> Measure:
    """The value of --sort: one of the measures that are computed."""
    accepted = ", ".join(map(str, chosen))
    try:
        order = parse_with(convention, [sort])[0]
    except InputError:
        order = None
    if order is None or order not in chosen:
        raise InputError(f"--sort {order or sort}: is not among the measures; accepted: {accepted}")
    return order


def _chart(scores: Scores, seed: int) -> Any:
    from gradeval.charts.means_chart import means_chart

    return means_chart(scores, seed=seed)


def _warn_of_foreign(scores: Scores, runs: Sequence[Run], judgments: Qrels) -> None:
    """Warn of runs on other topics than the judgments, not of those that lack only the topics of --topics."""
    if scores.coverage is None:
        return
    foreign = foreign_runs(scores.runs, scores.coverage)
    if len(scores.topics) < len(judgments.topics):
        known = set(judgments.topics)
        foreign = {run.name: foreign[run.name] for run in runs if run.name in foreign and known.isdisjoint(run.topics)}
    tell(about_foreign(foreign, judgments.topics, len(runs)))


def _format(name: str | None, output: str, ci: bool) -> str:
    """The value of --format, else the format by the file's ending; an error where it cannot hold the result."""
    format = name or format_by_ending(output, WRITTEN)
    if format == "html":
        require_page(output)
    if format == "parquet" and output == STANDARD:
        raise InputError("--format parquet is not text: name a file to write, as in -o scores.parquet")
    if format == "parquet":
        require_pyarrow(f"{output}: writing it needs")
    if ci and format not in ENDINGS:
        raise InputError(f"--format {format} has no place for the intervals of --ci; accepted: {', '.join(ENDINGS)}")
    return format


def _sort(scores: Scores, measure: Measure) -> Scores:
    """Sort runs by the mean of a measure, highest first; equal ones stay in order."""
    mean = scores.sel(measures=measure).mean()[:, 0]
    return scores.sel(runs=[scores.runs[place] for place in np.argsort(-mean, kind="stable")])
