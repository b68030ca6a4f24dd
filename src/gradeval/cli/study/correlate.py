"""``gradeval correlate``: do measures put the same runs in the same order?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from gradeval._core import InputError
from gradeval.cli.options.collection import Collection, collection_options
from gradeval.cli.options.differences import DifferencesAsked, differences_options
from gradeval.cli.options.options import (
    grid_option,
    is_set,
    measures_option,
    samples_option,
    seed_option,
    statistic_option,
)
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.options.values import grid_step, name_option_in_errors
from gradeval.cli.screen.notices import plural, tell
from gradeval.cli.screen.progress import show_progress
from gradeval.cli.study.steps import choose_topics, read_collection, read_ready_scores, score_runs, select_topics
from gradeval.collection.meeting import JudgedRuns
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure, parse_measures, split_measures
from gradeval.scores.measure_names import choose_measures
from gradeval.scores.scores import Scores
from gradeval.scores.selection import All, Few
from gradeval.studies.agreement.correlation import Statistic
from gradeval.studies.agreement.correlation_differences import correlation_differences
from gradeval.studies.agreement.layout import Layout, lay_out_gains, lay_out_measures, lay_out_users
from gradeval.studies.agreement.measure_correlation import Correlations, correlate, correlations_table
from gradeval.studies.differences import with_differences
from gradeval.studies.progress import part_of
from gradeval.studies.requirements import STUDIED, TOPICS

BESIDE_GRID = "AP nDCG RBP(rel=1) Bpref"


@click.command(
    "correlate",
    epilog="""\b
Examples:
  gradeval correlate qrels.txt runs/* -m "GAP(g=[0.1,0.9]) AP nDCG RBP(rel=1) Bpref"
  gradeval correlate qrels.txt runs/* -m "GAP Q nDCG" --reference AP --statistic tau-ap
  gradeval correlate qrels.txt runs/* -m "GAP Q nDCG" --reference AP --differences
  gradeval correlate qrels.txt runs/* --topics few:2 --runs above-q1:AP --plot tau.svg
  gradeval correlate qrels.txt runs/* --grid -o table.tex
  gradeval correlate qrels.txt runs/* --gains 2:1,20:10,1:1,5:1 --statistic spearman
  gradeval correlate --scores ERR@20=err20.csv --scores nDCG@20=ndcg20.csv""",
)
@measures_option(STUDIED)
@statistic_option(
    "Kendall's tau-b, tau-a, Spearman's rho, AP correlation (a column is the truth) in its two forms for ties."
)
@click.option("--reference", metavar="MEASURE", help="Correlate all with this measure; the truth of tau-ap.")
@grid_option("GAP, xGAP, eGAP for every g on a grid, against GAP and -m, over all topics and few:k.")
@click.option(
    "--gains",
    metavar="LIST",
    help="Q, AWP, RMeasure, RWP with gains as in 3:2:1,10:5:1 (highest grade first), against AP, AP(rel=2), Rprec.",
)
@samples_option(1000, "Bootstrap samples of the topics")
@seed_option("Seed of the bootstrap.")
@differences_options("tau(A, reference) - tau(B, reference)")
@collection_options(ready=True)
@outcome_options(digits=3)
def command(
    measures: tuple[str, ...],
    statistic: Statistic,
    reference: str | None,
    grid: str | None,
    gains: str | None,
    samples: int,
    seed: int,
    **options: Any,
) -> None:
    """Correlate the orders in which measures put the same runs, each by its mean over topics.

    Give QRELS and RUNS, or --scores. From 0.9 on two orders are commonly called equivalent, below 0.8 noticeably
    different. Intervals stand in a table with --reference, and always in tsv, csv and jsonl. They are those of the
    correlation expected over as many topics: few topics pull it down from what unlimited ones would show.
    """
    collection, output = Collection.take(options), Output.of(options)
    differences = DifferencesAsked.take(options, "--reference" if reference is None else "" if samples else "--samples")
    if sum(option is not None for option in (grid, gains, reference)) > 1:
        raise InputError("--grid, --gains and --reference: each is a table of its own; ask for one of them")
    with output.open() as write:
        if collection.scores:
            if grid is not None or gains is not None:
                raise InputError("--grid and --gains compute measures, which ready scores cannot; give QRELS and RUNS")
            names = [name for text in measures for name in split_measures(text)]
            names_needed = [*names, reference] if names and reference else names
            scores, notes = read_ready_scores(collection, names_needed)
            tell(notes)
            truth = choose_measures([reference], scores.measures)[0] if reference else None
            layout = _pairs(scores.measures, truth)
            parts = [(collection.topics or str(All()), scores)]
        else:
            judged, notes = read_collection(collection)
            tell(notes)
            layout = _choose_layout(judged, measures, reference, grid, gains)
            parts = list(_parts(collection, judged, layout, grid is not None))
        if len(parts[0][1].runs) == 2:
            tell(["two runs: every correlation is 1 or -1; take more to tell measures apart"])
        samples = _resamples(samples, output.exact or len(layout.columns) == 1)
        results: list[tuple[str, Correlations]] = []
        with show_progress("correlating", "resamples") as progress:
            for label, scores in parts:
                part = part_of(progress, len(results), len(parts))
                results.append((label, correlate(scores, statistic, samples=samples, seed=seed, progress=part)))
        if samples:
            resampling = f"95% confidence, {samples} bootstrap samples of the topics, seed {seed}"
            tell([f"intervals: {resampling}; of the correlation expected over as many topics, not over unlimited ones"])
        shown = correlations_table(layout, results, output.digits)
        if differences.shown:
            truth, scores = layout.columns[0][1][0], parts[0][1]
            with show_progress("resampling", "resamples") as progress:
                of_measures = correlation_differences(
                    scores, truth, statistic, runs=differences.runs, samples=samples, seed=seed, progress=progress
                )
            tell([of_measures.description])
            shown = with_differences(shown, of_measures, output.digits)
        write(shown, lambda: _draw(layout, results))


def _resamples(samples: int, shown: bool) -> int:
    """The number of resamples: 0 where no interval is shown, with a note if the user set --samples or --seed."""
    context = click.get_current_context()
    if samples and not shown and (is_set(context, "samples") or is_set(context, "seed")):
        tell(["no intervals: they stand in a table of one column (--reference), and in tsv, csv and jsonl"])
    return samples if shown else 0


def _choose_layout(
    judged: JudgedRuns, measures: Sequence[str], reference: str | None, grid: str | None, gains: str | None
) -> Layout:
    """Which measures are correlated with which."""
    if gains is not None:
        if measures:
            tell(["-m does not apply to --gains, which has measures of its own; it is ignored"])
        return lay_out_gains(judged.levels, _gain_settings(gains))
    if grid is not None:
        beside = parse_measures(measures or BESIDE_GRID)
        step = grid_step(grid)
        with name_option_in_errors("--grid", step):
            return lay_out_users(judged.levels, beside, step)
    chosen = parse_measures(measures or STUDIED)
    return _pairs(chosen, parse_measure(reference) if reference is not None else None)


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
        if settings[-1] != sorted(settings[-1], reverse=True):
            tell([f"--gains {setting.strip()}: gains fall with the grade; the highest grade comes first, as in 3:2:1"])
    return settings


def _parts(collection: Collection, judged: JudgedRuns, layout: Layout, grid: bool) -> Iterator[tuple[str, Scores]]:
    """The scores over each selection of topics; with --grid all topics and those with few of each higher grade."""
    scores, notes = score_runs(collection, judged, layout.measures)
    tell(notes)
    if not grid or collection.topics is not None:
        topics, notes = choose_topics(collection, judged)
        tell(notes)
        yield collection.topics or str(All()), scores.sel(topics=topics)
        return
    yield str(All()), scores
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
            yield str(selection), scores.sel(topics=topics)


def _draw(layout: Layout, parts: Sequence[tuple[str, Correlations]]) -> Any:
    from gradeval.display.charts.correlation import correlation_chart

    cells = [
        (label, " ".join(labels), title, correlations.of(column[place], measure))
        for label, correlations in parts
        for place, (labels, measure) in enumerate(layout.rows)
        for title, column in layout.columns
    ]
    titles = [
        f"topics {label}: {plural(len(one.runs), 'run')}, {plural(len(one.topics), 'topic')}" for label, one in parts
    ]
    return correlation_chart(cells, parts[0][1].statistic, titles)
