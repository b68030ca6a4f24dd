"""``gradeval correlate``: do measures put the same runs in the same order?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import click

from gradeval._core import InputError
from gradeval.cli.options.collection import Collection, collection_options, several_collections_option
from gradeval.cli.options.differences import DifferencesAsked, differences_options
from gradeval.cli.options.options import (
    choice_option,
    grid_option,
    is_set,
    measures_option,
    samples_option,
    seed_option,
    statistics_option,
)
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.screen.notices import tell
from gradeval.cli.screen.progress import show_progress
from gradeval.cli.study.correlation_parts import Part, Tables, read_parts
from gradeval.progress import part_of
from gradeval.scores.selection import All
from gradeval.studies.agreement.collection_correlation import CollectionCorrelations
from gradeval.studies.agreement.correlation import Statistic
from gradeval.studies.agreement.correlation_differences import correlation_differences
from gradeval.studies.agreement.layout import Layout
from gradeval.studies.agreement.measure_correlation import (
    Correlations,
    correlate,
    correlations_table,
    explain_marks,
)
from gradeval.studies.agreement.run_swaps import RunSwaps, count_run_swaps
from gradeval.studies.differences import with_differences
from gradeval.studies.requirements import STUDIED
from gradeval.tables.table import Table

Picture: TypeAlias = Literal["heatmap", "curves"]
Studied: TypeAlias = Mapping[str, Sequence[Correlations]]
"""Correlations by the name of a part, one a statistic."""


@click.command(
    "correlate",
    epilog="""\b
Examples:
  gradeval correlate qrels.txt runs/* -m "GAP(g=[0.1,0.2,0.7]) AP nDCG RBP(rel=1) Bpref"
  gradeval correlate qrels.txt runs/* -m "GAP Q nDCG" --reference AP --statistic tau-ap
  gradeval correlate qrels.txt runs/* -m "GAP Q nDCG" --reference AP --differences
  gradeval correlate qrels.txt runs/* --topics few:2 --runs above-q1:AP --plot tau.svg
  gradeval correlate qrels.txt runs/* --grid -o table.tex
  gradeval correlate qrels.txt runs/* --gains 2:1,20:10,1:1,5:1 --statistic kendall,spearman
  gradeval correlate qrels.txt runs/* -m "AP AP(rel=2) Q AWP" --picture curves --plot swaps.svg
  gradeval correlate --collection C c/qrels.txt 'c/runs/*' --collection J j/qrels.txt 'j/runs/*' -m "AP Q"
  gradeval correlate --scores ERR@20=err20.csv --scores nDCG@20=ndcg20.csv""",
)
@measures_option(STUDIED)
@statistics_option(
    "kendall (tau-b), kendall-a, spearman, AP correlation (a column is the truth) as tau-ap or tau-ap-b, which treat "
    "ties differently; several with commas."
)
@click.option("--reference", metavar="MEASURE", help="Correlate all with this measure; the truth of tau-ap.")
@grid_option("GAP, xGAP, eGAP for every g on a grid, against GAP and -m, over all topics and few:k.")
@click.option(
    "--gains",
    metavar="LIST",
    help="Q, AWP, RMeasure, RWP with gains as in 3:2:1,10:5:1 (highest grade first), against AP, AP(rel=2), Rprec and "
    "those of the first gains.",
)
@several_collections_option("Instead of QRELS and RUNS: a column for each collection, and the mean over them.")
@choice_option(
    "--picture", Picture, "What --plot draws; curves: the runs in the order of a measure, and how others swap them."
)
@samples_option(1000, "Bootstrap samples of the topics")
@seed_option("Seed of the bootstrap.")
@differences_options("tau(A, reference) - tau(B, reference)")
@collection_options(ready=True)
@outcome_options(digits=3)
def command(
    measures: tuple[str, ...],
    statistics: tuple[Statistic, ...],
    reference: str | None,
    grid: str | None,
    gains: str | None,
    picture: Picture,
    samples: int,
    seed: int,
    **options: Any,
) -> None:
    """Correlate the orders in which measures put the same runs, each by its mean over topics.

    Give QRELS and RUNS, or --collection, or --scores. From 0.9 on two orders are commonly called equivalent, below 0.8
    noticeably different. Intervals stand in a table with --reference, and always in tsv, csv and jsonl. They are those
    of the correlation expected over as many topics: few topics pull it down from what unlimited ones would show.
    """
    collection, output = Collection.take(options), Output.of(options)
    lacking = "QRELS and RUNS" if collection.collections else "--reference" if reference is None else ""
    differences = DifferencesAsked.take(options, lacking or ("" if samples else "--samples"))
    tables = Tables(measures, reference, grid, gains)
    if picture == "curves" and grid is not None:
        raise InputError("--picture curves: --grid has too many measures for curves; name some in -m instead")
    with output.open() as write:
        parts = read_parts(collection, tables)
        if any(len(part.scores.runs) == 2 for part in parts):
            tell(["two runs: every correlation is 1 or -1; take more to tell measures apart"])
        columns = max(len(layout.columns) for layout in parts[0].layouts)
        samples = _resamples(samples, output.exact or (columns == 1 and not collection.collections))
        studied: dict[str, list[Correlations]] = {part.name: [] for part in parts}
        with show_progress("correlating", "resamples") as progress:
            for place, (statistic, part) in enumerate((one, part) for one in statistics for part in parts):
                share = part_of(progress, place, len(parts) * len(statistics))
                studied[part.name].append(correlate(part.scores, statistic, samples=samples, seed=seed, progress=share))
        if samples:
            resampling = f"95% confidence, {samples} bootstrap samples of the topics, seed {seed}"
            tell([f"intervals: {resampling}; of the correlation expected over as many topics, not over unlimited ones"])
        if collection.collections:
            layouts = {part.name: part.layouts for part in parts}
            results = CollectionCorrelations(layouts, studied, collection.topics or str(All()))
            tell([results.description])
            shown = results.table(output.digits)
        else:
            shown = correlations_table(parts[0].layouts, list(studied.items()), output.digits)
        tell([] if output.exact else explain_marks(shown.grids))
        if differences.shown:
            for statistic in statistics:
                with show_progress("resampling", "resamples") as progress:
                    of_measures = correlation_differences(
                        parts[0].scores,
                        parts[0].layouts[0].columns[0][1][0],
                        statistic,
                        runs=differences.runs,
                        samples=samples,
                        seed=seed,
                        progress=progress,
                    )
                tell([of_measures.description])
                shown = with_differences(shown, of_measures, output.digits)
        if picture == "curves":
            swapped = [(part.name, layout, _swaps(part, layout)) for part in parts for layout in part.layouts]
            shown = _with_swaps(shown, swapped, named=len(parts) > 1)
            write(shown, lambda: _draw_curves(swapped, named=len(parts) > 1))
        else:

            def draw_maps() -> Any:
                from gradeval.display.charts.correlation import layouts_chart

                what = "" if collection.collections else "topics "
                return layouts_chart({part.name: part.layouts for part in parts}, studied, what)

            write(shown, draw_maps)


def _resamples(samples: int, shown: bool) -> int:
    """The number of resamples: 0 where no interval is shown, with a note if the user set --samples or --seed."""
    context = click.get_current_context()
    if samples and not shown and (is_set(context, "samples") or is_set(context, "seed")):
        tell(["no intervals: they stand in a table of one column (--reference), and in tsv, csv and jsonl"])
    return samples if shown else 0


def _swaps(part: Part, layout: Layout) -> RunSwaps:
    """The swaps between the measures of the columns, or between all where there is one column."""
    columns = [column[0] for _, column in layout.columns]
    drawn = columns if len(columns) > 1 else list(dict.fromkeys([*columns, *layout.measures]))
    return count_run_swaps(part.scores, drawn[0], measures=drawn)


def _with_swaps(shown: Table, swapped: Sequence[tuple[str, Layout, RunSwaps]], *, named: bool) -> Table:
    """The table with the numbers of swaps below it."""
    for name, layout, swaps in swapped:
        tell([f"{name}: {swaps.description}" if named else swaps.description])
        below = swaps.table()
        words = [*([name] if named else []), *([layout.title] if layout.title else []), below.grids[0].title]
        shown = shown.above(below.titled(": ".join(words)))
    return shown


def _draw_curves(swapped: Sequence[tuple[str, Layout, RunSwaps]], *, named: bool) -> Any:
    from gradeval.display.charts.correlation import run_curves, stack

    return stack(
        [
            run_curves(swaps, ": ".join(filter(None, [name if named else "", layout.title])))
            for name, layout, swaps in swapped
        ]
    )
