"""``gradeval evaluate``: from judgments and runs on disk to scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from gradeval._core import InputError
from gradeval.cli.options.inputs import read_judgments, refuse_overwriting, require_inputs, require_known
from gradeval.cli.options.options import (
    FILE,
    choice_option,
    digits_option,
    is_set,
    measures_option,
    number_option,
    seed_option,
    shift_option,
)
from gradeval.cli.options.outcome import ENDINGS
from gradeval.cli.options.presets import PRESETS, Preset, in_words, parse_with
from gradeval.cli.options.values import format_by_ending, read_levels, read_recoding, read_topics
from gradeval.cli.screen.notices import about_coverage, about_foreign, about_names, foreign_runs, tell
from gradeval.cli.screen.progress import evaluate_with_progress
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Negative, Qrels
from gradeval.collection.runs import Run
from gradeval.evaluation import DEFAULT
from gradeval.files.read import STANDARD
from gradeval.files.whole import whole_file
from gradeval.formats.places import Names, open_runs
from gradeval.formula.definition import Measure
from gradeval.scores.scores import Empty, Missing, Scores
from gradeval.scores.trec_eval import ENDING, trec_eval_lines
from gradeval.tables.arrow import require_pyarrow
from gradeval.tables.format import FORMATS, write_text

WRITTEN = ENDINGS | {"trec_eval": ENDING, "parquet": FORMATS["parquet"].ending}
"""The formats, with the endings that choose them."""


@click.command(
    epilog="""\b
Examples:
  gradeval evaluate qrels.txt runs/*
  gradeval evaluate qrels.txt runs/* -m "AP nDCG@20 GAP(g=[0.5,0.5]) Q@10" --sort nDCG@20
  gradeval evaluate qrels.txt bm25.run.gz -q -o bm25.tsv
  gradeval evaluate qrels.txt runs/* -m nDCG@10 --ci --format latex
  gradeval evaluate qrels.txt runs/* -m "P@10 AP(rel=2)" --recode 4=3 --topics 301,302
  gradeval evaluate irds:cranfield - < bm25.run
  gradeval evaluate letor:test.txt letor:test.txt#1 --preset letor

'gradeval measures' lists the measures, 'gradeval explain MEASURE' explains one."""
)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=FILE, nargs=-1, required=True)
@measures_option(DEFAULT)
@click.option("-q", "--per-topic", is_flag=True, help="Show the values of every topic, too.")
@click.option("--sort", metavar="MEASURE", help="Runs with the highest value of this measure first.")
@click.option("--ci", is_flag=True, help="Add 95% confidence intervals: a bootstrap over topics.")
@seed_option("Seed of the bootstrap.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(WRITTEN)),
    help="tsv, csv, jsonl: a value a line, exact. parquet: all, for -o.  [default: as FILE ends, or table]",
)
@click.option("-o", "--output", type=FILE, default=STANDARD, metavar="FILE", help="Write a file, whole or not at all.")
@choice_option("--missing", Missing, "Topics that a run misses count 0, or are left out of its mean.")
@choice_option("--empty", Empty, "Topics that hold nothing relevant count 0, are left out, or count 1.")
@choice_option("--ties", Ties, "Equal scores: by document id, descending (in single precision), or in file order.")
@choice_option("--negative", Negative, "What documents with negative grades are.")
@click.option(
    "--levels", callback=read_levels, metavar="0,1,2", help="The grades of the collection; others are errors."
)
@click.option(
    "--recode", callback=read_recoding, multiple=True, metavar="4=3", help="Turn grades into others on reading."
)
@shift_option
@number_option("--depth", 1, None, "Only the first N documents of each ranking.")
@click.option("--topics", metavar="FILE|LIST", help="Only these topics: a file with one a line, or 301,302.")
@choice_option("--names", Names, "Call runs by their tags or files. Runs that share a tag go by their files.")
@digits_option(4, "table, markdown, latex and trec_eval")
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Conventions of a community; what you set goes before them.",
)
@number_option("--threads", 0, 0, "Processor cores; 0 takes all.")
@click.pass_context
def evaluate(
    ctx: click.Context,
    /,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    sort: str | None,
    preset: str | None,
    form: str | None,
    output: str,
    per_topic: bool,
    digits: int,
    ci: bool,
    seed: int,
    levels: tuple[float, ...] | None,
    recode: dict[float, float],
    shift: float,
    topics: str | None,
    names: Names,
    **options: Any,
) -> None:
    """Score RUNS (TREC format, also compressed, or .parquet; - is standard input) against QRELS.

    Results go to standard output; what was ignored, missing or assumed is said on standard error.
    """
    convention = PRESETS[preset] if preset is not None else None
    chosen = parse_with(convention, measures or [DEFAULT])
    order = parse_with(convention, [sort])[0] if sort is not None else None
    if order is not None and order not in chosen:
        raise InputError(f"--sort {order}: is not among the measures; accepted: {', '.join(map(str, chosen))}")
    format = _format(form, output, ci)
    inputs = [qrels, *runs]
    require_inputs(inputs, measures)
    refuse_overwriting(output, [*inputs, *([topics] if topics is not None else [])])
    if preset is not None and convention is not None:
        settings = _options_left_unset(ctx, convention)
        options |= settings
        tell([in_words(preset, convention, settings)])
    selected = read_topics(topics) if topics is not None else None
    with whole_file(output) as file:
        judgments, notes = read_judgments(qrels, levels, recode, shift)
        tell(notes)
        if topics is not None and selected is not None:
            require_known(topics, selected, judgments.topics, judgments.name)
        opened = open_runs(runs, names)
        tell(about_names(opened.renamed))
        scores = evaluate_with_progress(judgments, opened.runs, chosen, topics=selected, **options)
        _warn_of_foreign(scores, opened.runs, judgments)
        tell(about_coverage(scores))
        if order is not None:
            scores = _sort(scores, order)
        if ci:
            tell([f"intervals: 95% confidence, 2000 bootstrap samples of the topics, seed {seed}"])
        if format == "trec_eval":
            write_text(trec_eval_lines(scores, by_topic=per_topic, digits=digits), file)
        else:
            scores.write(file, format, digits=digits, by_topic=per_topic, ci=ci, seed=seed, coverage=not measures)


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
    if format == "parquet" and output == STANDARD:
        raise InputError("--format parquet is not text: name a file to write, as in -o scores.parquet")
    if format == "parquet":
        require_pyarrow(f"{output}: writing it needs")
    if ci and format not in ENDINGS:
        raise InputError(f"--format {format} has no place for the intervals of --ci; accepted: {', '.join(ENDINGS)}")
    return format


def _options_left_unset(ctx: click.Context, preset: Preset) -> dict[str, str]:
    """The options of a preset that the user has not set."""
    return {name: word for name, word in preset.options.items() if not is_set(ctx, name)}


def _sort(scores: Scores, measure: Measure) -> Scores:
    """Sort runs by the mean of a measure, highest first; equal ones stay in order."""
    mean = scores.sel(measures=measure).mean()[:, 0]
    return scores.sel(runs=[scores.runs[place] for place in np.argsort(-mean, kind="stable")])
