"""``gradeval correlate``: do measures put the same runs in the same order?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import click

from gradeval._core import InputError
from gradeval.cli.collection import Collection, collection_options, several_collections_option
from gradeval.cli.differences_options import DifferencesAsked, differences_options
from gradeval.cli.notices import begin_with, tell
from gradeval.cli.options import (
    choice_option,
    grid_option,
    is_set,
    measures_option,
    samples_option,
    seed_option,
    statistics_option,
)
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.progress_bar import show_progress
from gradeval.cli.steps import choose_topics, read_collection, read_ready_scores, score_runs, select_topics
from gradeval.cli.values import grid_step, name_option_in_errors
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import split_measures
from gradeval.progress import part_of
from gradeval.scores.measure_names import choose_measures
from gradeval.scores.scores import Scores
from gradeval.scores.selection import All, Few
from gradeval.studies.correlate import (
    Correlations,
    correlate,
    correlation_differences,
    correlations_table,
    explain_marks,
)
from gradeval.studies.correlate_collections import CollectionCorrelations
from gradeval.studies.correlation import Statistic
from gradeval.studies.differences import with_differences
from gradeval.studies.layouts import Layout, lay_out_gains, lay_out_measures, lay_out_users
from gradeval.studies.requirements import STUDIED, TOPICS
from gradeval.studies.run_swaps import RunSwaps, count_run_swaps
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
                from gradeval.charts.correlation_chart import layouts_chart

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
    from gradeval.charts.correlation_chart import run_curves, stack

    return stack(
        [
            run_curves(swaps, ": ".join(filter(None, [name if named else "", layout.title])))
            for name, layout, swaps in swapped
        ]
    )


BESIDE_GRID = "AP nDCG RBP(rel=1) Bpref"


class Part(NamedTuple):
    """Scores over a selection of topics or on a collection, and the tables that are made of them."""

    name: str
    layouts: list[Layout]
    scores: Scores


@dataclass(frozen=True)
class Tables:
    """The options that say which measures are correlated with which."""

    measures: tuple[str, ...]
    reference: str | None
    grid: str | None
    gains: str | None

    def __post_init__(self) -> None:
        if sum(option is not None for option in (self.grid, self.gains, self.reference)) > 1:
            raise InputError("--grid, --gains and --reference: each is a table of its own; ask for one of them")
        if self.gains is not None and self.measures:
            tell(["-m does not apply to --gains, which has measures of its own; it is ignored"])

    def lay_out(self, levels: Levels, collection: Collection) -> list[Layout]:
        """The tables for a collection with these levels."""
        if self.gains is not None:
            return lay_out_gains(levels, _gain_settings(self.gains))
        if self.grid is not None:
            beside = collection.parse(self.measures or BESIDE_GRID)
            step = grid_step(self.grid)
            with name_option_in_errors("--grid", step):
                return [lay_out_users(levels, beside, step)]
        chosen = collection.parse(self.measures or STUDIED)
        return [_pairs(chosen, collection.parse_one(self.reference) if self.reference is not None else None)]


def read_parts(collection: Collection, tables: Tables) -> list[Part]:
    """Read the scores, or read and score the runs."""
    if collection.scores:
        return [_read_ready(collection, tables)]
    if collection.collections:
        if tables.grid is not None:
            raise InputError("--grid is a table of one collection; give QRELS and RUNS, or leave --grid out")
        return [next(_read(one, tables, f"{name}: "))._replace(name=name) for name, one in collection.each()]
    return list(_read(collection, tables))


def _read_ready(collection: Collection, tables: Tables) -> Part:
    if tables.grid is not None or tables.gains is not None:
        raise InputError("--grid and --gains compute measures, which ready scores cannot; give QRELS and RUNS")
    names = [name for text in tables.measures for name in split_measures(text)]
    names_needed = [*names, tables.reference] if names and tables.reference else names
    scores, notes = read_ready_scores(collection, names_needed)
    tell(notes)
    truth = choose_measures([tables.reference], scores.measures)[0] if tables.reference else None
    return Part(collection.topics or str(All()), [_pairs(scores.measures, truth)], scores)


def _read(collection: Collection, tables: Tables, where: str = "") -> Iterator[Part]:
    """The scores over each selection of topics; with --grid all topics and those with few of each higher grade.

    ``where``: what notes begin with, and errors in what is asked of the collection.
    """
    judged, notes = read_collection(collection)
    try:
        layouts = tables.lay_out(judged.levels, collection)
    except InputError as error:
        raise InputError(f"{where}{error}") from None
    measures = list(dict.fromkeys(measure for layout in layouts for measure in layout.measures))
    scores, about_scores = score_runs(collection, judged, measures)
    tell(begin_with(where, [*notes, *about_scores]))
    if tables.grid is None or collection.topics is not None:
        topics, notes = choose_topics(collection, judged)
        tell(begin_with(where, notes))
        yield Part(collection.topics or str(All()), layouts, scores.sel(topics=topics))
        return
    yield Part(str(All()), layouts, scores)
    for selection in map(Few, judged.levels[2:]):
        try:
            topics, notes = select_topics(selection, judged)
            tell(notes)
        except InputError as error:
            tell([f"{error}; left out"])
            continue
        if len(topics) < TOPICS:
            tell([f"topics: {selection} has fewer than {TOPICS}; left out"])
        else:
            yield Part(str(selection), layouts, scores.sel(topics=topics))


def _pairs(measures: Sequence[Measure], reference: Measure | None) -> Layout:
    if reference is None and len(measures) == 1:
        raise InputError(
            f"{measures[0]}: one measure has nothing to be correlated with; name others in -m, or a --reference"
        )
    return lay_out_measures(measures, reference)


def _gain_settings(text: str) -> list[list[float]]:
    """The value of --gains: one gain a positive level between colons, settings between commas."""
    settings = []
    for setting in text.split(","):
        try:
            settings.append([float(gain) for gain in setting.split(":")])
        except ValueError:
            raise InputError(f"--gains {text}: {setting.strip()!r} is not gains as in 2:1 or 3:2:1") from None
        if settings[-1] in settings[:-1]:
            raise InputError(f"--gains {text}: {setting.strip()} is given twice")
    return settings
