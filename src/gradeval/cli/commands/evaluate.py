"""``gradeval evaluate``: from judgments and runs on disk to scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

import click

from gradeval._core import InputError
from gradeval.atomic_files import STANDARD
from gradeval.cli.declared_options import declared_option
from gradeval.cli.help_sections import SectionedCommand
from gradeval.cli.notices import notes_instead_of_warnings, print_notes, take_notes
from gradeval.cli.options import ci_option, digits_option, measures_option, notes_option, per_topic_option
from gradeval.cli.output import (
    ENDINGS,
    Output,
    format_option,
    naming_options,
    open_result,
    output_option,
    plot_option,
    write_page,
)
from gradeval.cli.reading import DECLARED, Collection, collection_options, open_collection, require_topics
from gradeval.formula.definition import Measure
from gradeval.progress import show_progress
from gradeval.scores.evaluation import DEFAULT, evaluate, only_shown
from gradeval.scores.intervals import METHODS, IntervalMethod
from gradeval.scores.presets import configure_measures, configure_one
from gradeval.scores.selection import Top, run_selection
from gradeval.tables.arrow import require_pyarrow
from gradeval.tables.format import FORMATS, write_text

if TYPE_CHECKING:
    from gradeval.charts.specification import Undrawable

WRITTEN = ENDINGS | {"trec_eval": ".trec", "parquet": FORMATS["parquet"].ending}
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


class Evaluate(SectionedCommand):
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
    "evaluate",
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
  gradeval evaluate qrels.txt runs/* -m nDCG@10 --by segments.csv --ci
  gradeval evaluate qrels.txt runs/* -m "AP RBP" --residuals -o values.tsv
  gradeval evaluate irds:cranfield - < bm25.run
  gradeval evaluate letor:test.txt letor:test.txt#1 --preset letor

'gradeval measures' lists the measures, 'gradeval explain MEASURE' explains one.""",
)
@measures_option(DEFAULT)
@per_topic_option
@click.option("--sort", metavar="MEASURE", help="Runs with the highest value of this measure first.")
@ci_option
@click.option(
    "--ci-method",
    type=click.Choice(METHODS),
    help="How intervals are computed; implies --ci.  [default: wilson for means of values from 0 to 1, t for others]",
)
@click.option("--residuals", is_flag=True, help="Add the lowest and highest values that unjudged documents could give.")
@declared_option(DECLARED["seed"], help="Seed of --ci-method bootstrap, and of drawn orders of --ties expected.")
@format_option(
    "tsv, csv, jsonl: a value a line, exact. parquet: all, for -o.  [default: as FILE ends, or table]", WRITTEN
)
@output_option
@naming_options
@plot_option("Draw the means with 95% intervals, too")
@collection_options(ready=False, sliced=True)
@digits_option(4, "table, markdown, latex and trec_eval")
@notes_option
def command(
    measures: tuple[str, ...],
    sort: str | None,
    per_topic: bool,
    ci: bool,
    ci_method: IntervalMethod | None,
    residuals: bool,
    seed: int,
    **options: Any,
) -> None:
    """Score RUNS (files, folders, patterns; - is standard input) against QRELS.

    Files are TREC text, BEIR tsv, tsv or csv with a header or of three columns, JSON, JSONL or Parquet, plain or
    compressed.

    Results go to standard output; what was ignored, missing or assumed is said on standard error.
    """
    collection = Collection.take(options)
    chosen = measures or [DEFAULT]
    known, _ = configure_measures(collection.preset, chosen)  # refused before any file is read
    order = None if sort is None else _measure_to_sort_by(sort, collection.preset, known)
    intervals = ci_method or ci
    output = Output.of(options, endings=WRITTEN)
    _require_room(output, bool(intervals), residuals, sliced=collection.by is not None)
    with open_result(output.output, output.plot) as finish:
        judgments, runs, notes = open_collection(collection)
        collection.recode.require_met()
        take_notes(notes)
        require_topics(collection.topics, judgments.topics, judgments.name)
        how = {"residuals": residuals, **collection.scoring()}
        if order is not None and isinstance(top := run_selection(collection.runs), Top) and top.measure is None:
            how["runs"] = replace(top, measure=order)  # the first rows of a table are the runs that it selects
        with show_progress("scoring", "runs") as progress:
            watch = progress if sys.stderr.isatty() else None
            saved = "parquet" in output.output.values()
            with notes_instead_of_warnings(), nullcontext() if saved else only_shown():
                scores = evaluate(judgments, runs, chosen, seed=seed, progress=watch, **how)
        if order is not None:
            scores = scores.sorted_by(order)
        print_notes([*scores.notes, *(scores.about_ci(method=ci_method, seed=seed) if intervals else ())])

        named = (output.caption, output.label)

        def write(file: IO[bytes], format: str) -> Undrawable | None:
            shown: dict[str, Any] = {"by_topic": per_topic, "ci": intervals, "seed": seed, "coverage": not measures}
            if format == "html":
                return write_page(file, scores.table(output.digits, **shown).renamed(*named), draw)
            if format == "trec_eval":
                from gradeval.compat.trec_eval import trec_eval_lines

                write_text(trec_eval_lines(scores, by_topic=per_topic, digits=output.digits), file)
            else:
                scores.write(file, format, digits=output.digits, caption=named[0], label=named[1], **shown)
            return None

        def draw() -> Any:
            from gradeval.charts.plotting import plot as draw_result

            return draw_result(scores).altair

        finish(write, draw)


def _measure_to_sort_by(sort: str, preset: str | None, chosen: Sequence[Measure]) -> Measure:
    """The value of --sort: one of the measures that are computed."""
    with suppress(InputError):
        order, _ = configure_one(preset, sort)
        if order in chosen:
            return order
    raise InputError(f"--sort {sort}: is not among the measures; accepted: {', '.join(map(str, chosen))}")


def _require_room(output: Output, ci: bool, residuals: bool, *, sliced: bool) -> None:
    """Refuse a format that cannot hold the result, and two kinds of bounds in one place."""
    if ci and residuals:
        raise InputError("--residuals and --ci stand in the same place, low and high; ask for one of the two")
    if output.output.get(STANDARD) == "parquet":
        raise InputError("--format parquet is not text: name a file to write, as in -o scores.parquet")
    for place, format in output.output.items():
        if format == "parquet":
            require_pyarrow(f"{place}: writing it needs")
    asked = {"the intervals of --ci": ci, "--residuals": residuals, "the slices of --by": sliced}
    what = next((name for name, is_asked in asked.items() if is_asked), None)
    without = next((format for format in output.output.values() if format not in ENDINGS), None)
    if what is not None and without is not None:
        raise InputError(f"--format {without} has no place for {what}; accepted: {', '.join(ENDINGS)}")
