"""``gradeval inform``: how much of a ranking can be inferred from the value of a measure?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any, get_args

import click
import numpy as np

from gradeval._core import InputError
from gradeval.cli.collection import Collection, collection_options
from gradeval.cli.curves_file import CurvesFile, curves_option
from gradeval.cli.differences_options import DifferencesAsked, differences_options
from gradeval.cli.notices import list_some, plural, tell
from gradeval.cli.options import (
    grid_option,
    is_set,
    measures_option,
    note_unused,
    number_option,
    samples_option,
    seed_option,
)
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.progress_bar import show_progress
from gradeval.cli.steps import Noted, choose_topics, read_collection, score_runs
from gradeval.cli.values import grid_step, name_option_in_errors, parse_numbers
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import show_levels
from gradeval.papers.best_users import refine_users
from gradeval.papers.correlate_users import over_grid, user_grid
from gradeval.papers.inferred_curves import infer_curves
from gradeval.studies.differences import with_differences
from gradeval.studies.informativeness.inform import (
    MEASURES,
    NDCGS,
    Counts,
    Informativeness,
    choose_thresholds,
    find_eligible,
    inform,
)
from gradeval.studies.informativeness.rms_differences import rms_differences
from gradeval.studies.requirements import TOPICS

BESIDE_GRID = f"{NDCGS} AP"


@click.command(
    "inform",
    epilog="""\b
Examples:
  gradeval inform qrels.txt runs/* -m "nDCG AP GAP(g=[0.2,0.3,0.5])"
  gradeval inform qrels.txt runs/* --runs top:15:AP -m "nDCG AP" --grid 0.1 --plot rms.svg
  gradeval inform qrels.txt runs/* --runs top:15:AP --grid --refine
  gradeval inform qrels.txt runs/elm.txt --least 3 --thresholds 1,2
  gradeval inform qrels.txt runs/elm.txt -m "nDCG GAP" --topics 405 --least 1 --curves curves.svg""",
)
@measures_option(f"{MEASURES}; {BESIDE_GRID} with --grid")
@grid_option("GAP, xGAP, eGAP for every g on a grid, too.")
@click.option("--refine", is_flag=True, help="After --grid: search g of GAP around the best, with an interval.")
@click.option("--thresholds", metavar="LIST", help="Grades from which a document is relevant.  [default: all]")
@number_option("--least", 1, 5, "Only lists that hold so many documents from each threshold to the next.")
@click.option(
    "--counts",
    type=click.Choice(list(get_args(Counts))),
    default="retrieved",
    show_default=True,
    help="Documents of a grade that a list is assumed to hold: those it retrieved, or all there are.",
)
@samples_option(2000, "Bootstrap samples of the topics with their rankings")
@seed_option("Seed of the bootstrap.")
@differences_options("RMS(A) - RMS(B)")
@curves_option
@collection_options(ready=False)
@outcome_options(digits=4)
def command(
    measures: tuple[str, ...],
    grid: str | None,
    refine: bool,
    thresholds: str | None,
    least: int,
    counts: Counts,
    samples: int,
    seed: int,
    **options: Any,
) -> None:
    """Infer every ranking from the value of a measure (maximum entropy) and compare precision-recall curves.

    Shown is the root mean square error of the inferred curve, averaged over rankings, for each threshold of
    relevance: the lower, the more the measure tells. Rankings are left out where one of the measures has no solution.
    """
    collection = Collection.take(options)
    if refine and grid is None:
        raise InputError("--refine seeks around the best point of a grid; give --grid, too")
    curves_file = CurvesFile.take(options, [str(collection.qrels), *collection.run_files])
    output = Output.of(options)
    differences = DifferencesAsked.take(options, "" if samples else "--samples")
    if collection.chosen_by is None:  # nothing else is averaged over topics
        note_unused(["missing", "empty"], "decides only which runs a measure chooses, as in --runs top:15:AP")
    grades = parse_numbers("--thresholds", thresholds, "grades as in 1,2") if thresholds is not None else None
    with output.open() as write, curves_file.open() if curves_file else nullcontext() as write_curves:
        judged, notes = read_collection(collection)
        tell(notes)
        plain = collection.parse(measures or (BESIDE_GRID if grid is not None else MEASURES))
        chosen = list(dict.fromkeys([*plain, *_on_grid(grid, judged)]))
        rankings, notes = _chosen_rankings(collection, judged, plain)
        tell(notes)
        studied = only_rows(judged, rankings.ravel())
        with name_option_in_errors("--thresholds", thresholds):
            chosen_grades = choose_thresholds(grades, judged.levels)
            rows = find_eligible(studied, chosen_grades, least)
        if curves_file is not None:
            curves_file.require_few(len(rows))
            samples = _samples_for(len(np.unique(rows % len(judged.topics))), samples)
        with show_progress("inferring", "lists") as progress:
            informativeness = inform(
                studied,
                chosen,
                thresholds=chosen_grades,
                least=least,
                counts=counts,
                samples=samples,
                seed=seed,
                threads=collection.threads,
                progress=progress,
            )
        tell(_about_rankings(informativeness, int(rankings.sum())))
        table = informativeness.table(output.digits)
        if differences.shown:
            of_measures = rms_differences(informativeness, runs=differences.runs, samples=samples, seed=seed)
            tell([of_measures.description])
            table = with_differences(table, of_measures, output.digits)
        if refine:
            with show_progress("refining", "lists") as progress:
                best = refine_users(studied, informativeness, seed=seed, threads=collection.threads, progress=progress)
            tell(best.notes)
            table = with_differences(table, best, output.digits)
        if curves_file is not None and write_curves is not None:
            with show_progress("inferring curves", "lists") as progress:
                curves = infer_curves(
                    studied,
                    chosen,
                    thresholds=chosen_grades,
                    least=least,
                    counts=counts,
                    threads=collection.threads,
                    progress=progress,
                )
            if not curves_file.is_picture:
                write_curves(curves, output.digits)
        write(table, lambda: _draw(informativeness))
        if curves_file is not None and write_curves is not None and curves_file.is_picture:
            write_curves(curves, output.digits)


def _samples_for(topics: int, samples: int) -> int:
    """The samples of the intervals: none where there are too few topics, unless the user asked for them."""
    if topics >= TOPICS or not samples or is_set(click.get_current_context(), "samples"):
        return samples
    tell([f"no intervals: {plural(topics, 'topic')}, and they need {TOPICS}"])
    return 0


def _about_rankings(informativeness: Informativeness, rankings: int) -> Iterator[str]:
    """How many of the rankings were studied, how many of those were left out, and where the intervals come from."""
    kinds = f"{plural(informativeness.least, 'document')} (--least) from each threshold"
    studied = f"{len(informativeness.run)} of {plural(rankings, 'ranking')}"
    yield f"rankings: {studied} hold {kinds} ({show_levels(informativeness.thresholds)}) to the next"
    included = informativeness.counted
    if left_out := len(included) - int(included.sum()):
        yield f"{plural(left_out, 'ranking')} could not be inferred by every measure and left out of the means"
    for measure, lists in informativeness.not_inferred.items():
        yield f"not inferred by {measure}: {list_some(lists)}"
    if informativeness.samples:
        topics = plural(len(np.unique(informativeness.topic[included])), "topic")
        resampling = f"{informativeness.samples} bootstrap samples of {topics} with their rankings"
        yield f"intervals: 95% confidence, {resampling}, seed {informativeness.seed}"


def _on_grid(grid: str | None, judged: JudgedRuns) -> list[Measure]:
    """GAP, xGAP and eGAP for every g on the grid of --grid."""
    if grid is None:
        return []
    step = grid_step(grid)
    with name_option_in_errors("--grid", step):
        return over_grid(["GAP", "xGAP", "eGAP"], user_grid(len(judged.levels) - 1, step))


def _chosen_rankings(collection: Collection, judged: JudgedRuns, measures: Sequence[Measure]) -> Noted[Array]:
    """bool[run, topic]: the rankings of the chosen runs for the chosen topics, where there are any."""
    scores, about_scores = score_runs(collection, judged, measures, "nothing is inferred from them")
    topics, about_topics = choose_topics(collection, judged, few=True)
    chosen = np.isin(judged.runs, scores.runs)[:, None] & np.isin(judged.topics, topics)
    return Noted(np.asarray(chosen & judged.present), [*about_scores, *about_topics])


def _draw(informativeness: Informativeness) -> Any:
    from gradeval.charts.informativeness_chart import informativeness_chart

    return informativeness_chart(informativeness)
