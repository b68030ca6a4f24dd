"""``gradeval inform``: how much of a ranking can be told from the value of a measure?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import click
import numpy as np

from gradeval._core import InputError
from gradeval.cli.options.collection import Collection, collection_options
from gradeval.cli.options.options import (
    errors_name,
    grid_option,
    grid_step,
    measures_option,
    number_option,
    numbers,
    refuse_unused,
    samples_option,
    seed_option,
)
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.screen.notices import counted, tell
from gradeval.cli.screen.progress import watched
from gradeval.cli.study.steps import Noted, choose_topics, read_collection, score_runs
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import show_levels
from gradeval.formula.spelling import parse_measures
from gradeval.studies.agreement.user_grid import over_grid, user_grid
from gradeval.studies.information.informativeness import Informativeness, eligible
from gradeval.studies.information.informativeness import inform as informed
from gradeval.studies.requirements import TOPICS
from gradeval.tables.grid import Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

MEASURES = "nDCG AP GAP"
BESIDE_GRID = "nDCG AP"
FIELDS = ("measure threshold statistic value lower upper not_found counts least samples seed rankings topics").split()
Counts: TypeAlias = Literal["retrieved", "pool"]


@click.command(
    epilog="""\b
Examples:
  gradeval inform qrels.txt runs/* -m "nDCG AP GAP(g=[0.5,0.5])"
  gradeval inform qrels.txt runs/* --runs top:15:AP -m "nDCG AP" --grid 0.1 --plot rms.svg
  gradeval inform qrels.txt bm25.run --least 3 --thresholds 1,2"""
)
@measures_option(f"{MEASURES}; {BESIDE_GRID} with --grid")
@grid_option("GAP, xGAP, eGAP for every g on a grid, too.")
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
@collection_options(ready=False)
@outcome_options(digits=4)
def inform(
    measures: tuple[str, ...],
    grid: str | None,
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
    collection, output = Collection.take(options), Output.of(options)
    if collection.chosen_by is None:  # nothing else is averaged over topics
        refuse_unused(["missing", "empty"], "decides only which runs a measure chooses, as in --runs top:15:AP")
    grades = numbers("--thresholds", thresholds, "grades as in 1,2") if thresholds is not None else None
    with output.opened() as write:
        judged, notes = read_collection(collection)
        tell(notes)
        plain = parse_measures(measures or (BESIDE_GRID if grid is not None else MEASURES))
        chosen = list(dict.fromkeys([*plain, *_on_grid(grid, judged)]))
        wanted, notes = _chosen_rankings(collection, judged, plain)
        tell(notes)
        studied = only_rows(judged, wanted.ravel())
        with errors_name("--thresholds", thresholds):
            lists = eligible(studied, grades, least)
        if samples:
            _require_topics(judged.topics, lists, least)
        with watched("inferring", "lists") as progress:
            found = informed(
                studied,
                chosen,
                thresholds=grades,
                least=least,
                counts=counts,
                threads=collection.threads,
                progress=progress,
            )
        rankings = counted(int(wanted.sum()), "ranking")
        reached = (
            f"{counted(least, 'document')} (--least) from each threshold ({show_levels(found.thresholds)}) to the next"
        )
        tell([f"rankings: {len(found.run)} of {rankings} hold {reached}"])
        if lost := len(found.run) - int(found.counted.sum()):
            tell([f"{counted(lost, 'ranking')} could not be inferred by every measure and left out of the means"])
        bounds = None
        if samples:
            topics = counted(len(np.unique(found.topic[found.counted])), "topic")
            drawn = f"{samples} bootstrap samples of {topics} with their rankings, seed {seed}"
            tell([f"intervals: 95% confidence, {drawn}"])
            bounds = found.ci(seed=seed, samples=samples)
        settings = [counts, least, samples, seed if samples else None]
        write(_outcome(found, bounds, settings, output), lambda: _picture(found, bounds))


def _on_grid(grid: str | None, judged: JudgedRuns) -> list[Measure]:
    """GAP, xGAP and eGAP for every g on the grid that was asked for."""
    if grid is None:
        return []
    step = grid_step(grid)
    with errors_name("--grid", step):
        return over_grid(["GAP", "xGAP", "eGAP"], user_grid(len(judged.levels) - 1, step))


def _chosen_rankings(collection: Collection, judged: JudgedRuns, measures: Sequence[Measure]) -> Noted[Array]:
    """bool[run, topic]: the rankings there are of the chosen runs for the chosen topics."""
    scores, about_scores = score_runs(collection, judged, measures, "nothing is inferred from them")
    topics, about_topics = choose_topics(collection, judged, few=True)
    chosen = np.isin(judged.runs, scores.runs)[:, None] & np.isin(judged.topics, topics)
    return Noted(np.asarray(chosen & judged.present), [*about_scores, *about_topics])


def _require_topics(topics: Sequence[str], lists: Array, least: int) -> None:
    here = len(np.unique(lists % len(topics)))
    if here < TOPICS:
        raise InputError(
            f"{counted(here, 'topic')} with rankings that hold {counted(least, 'document')} from each threshold to the "
            f"next, and intervals need {TOPICS}: choose more topics or runs, a smaller --least, other --thresholds, or "
            "--samples 0"
        )


def _outcome(found: Informativeness, bounds: Array | None, settings: Sequence[Value], output: Output) -> Table:
    means = found.mean()
    rows = []
    records: list[list[Value]] = []
    shown = [[output.number(value) for value in row] for row in means.tolist()]
    sums = [output.number(value) for value in means.sum(-1).tolist()]
    size = [len(found.run), len(np.unique(found.topic))]
    for place, measure in enumerate(found.measures):
        cells = [str(measure)]
        failed = int((~found.converged[place]).sum())
        for column, grade in enumerate(found.thresholds):
            ends = bounds[place, column].tolist() if bounds is not None else []
            interval = f" [{', '.join(map(output.number, ends))}]" if ends else ""
            cells.append(shown[place][column] + interval)
            low, high = ends or (None, None)
            value = float(means[place, column])
            records.append([str(measure), float(grade), "rms", value, low, high, failed, *settings, *size])
        rows.append([*cells, sums[place], str(failed)])
    head = ["measure", *(f"RMS from grade {grade:g}" for grade in found.thresholds), "sum", "not found"]
    columns = [list(column) for column in zip(*shown, strict=True)] + [sums]
    best = {
        (place, column)
        for column, texts in enumerate(columns, 1)
        for place, text in enumerate(texts)
        if text == min(texts) and len(set(texts)) > 1
    }
    grid = Grid.of_texts(head, rows, best=frozenset(best))
    return Table([grid], Records.of(FIELDS, records))


def _picture(found: Informativeness, bounds: Array | None) -> Any:
    from gradeval.display.charts.informativeness import informativeness_chart

    return informativeness_chart(found, bounds)
