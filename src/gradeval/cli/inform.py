"""``gradeval inform``: how much of a ranking can be told from the value of a measure?"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import click
import numpy as np

from gradeval._core import InputError
from gradeval.cli.collection import Given, chosen_topics, collection_options
from gradeval.cli.explain import measure_names
from gradeval.cli.notices import tell
from gradeval.cli.options import numbers
from gradeval.cli.outcome import Output, outcome_options, seed_option
from gradeval.cli.progress import watched
from gradeval.meta.informativeness import Informativeness
from gradeval.meta.informativeness import inform as informed
from gradeval.meta.thinning import only_rows
from gradeval.meta.user_grid import over_grid, user_grid
from gradeval.notation import parse_measures
from gradeval.report.grid import Grid
from gradeval.report.outcome import Cell, Outcome

MEASURES = "nDCG AP GAP"
BESIDE_GRID = "nDCG AP"
AUTO = "auto"
Counts: TypeAlias = Literal["retrieved", "pool"]


@click.command(
    epilog="""\b
Examples:
  gradeval inform qrels.txt runs/* -m "nDCG AP GAP(g=[0.5,0.5])"
  gradeval inform qrels.txt runs/* --runs top:15:AP -m "nDCG AP" --grid 0.1 --plot rms.svg
  gradeval inform qrels.txt bm25.run --least 3 --thresholds 1,2"""
)
@click.option(
    "-m",
    "--measures",
    multiple=True,
    metavar="MEASURES",
    shell_complete=measure_names,
    help=f"Measures, separated by blanks; may be repeated.  [default: {MEASURES}; {BESIDE_GRID} with --grid]",
)
@click.option(
    "--grid", is_flag=False, flag_value=AUTO, metavar="[STEP]", help="GAP, xGAP, eGAP for every g on a grid, too."
)
@click.option("--thresholds", metavar="LIST", help="Grades from which a document is relevant.  [default: all]")
@click.option(
    "--least",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    metavar="N",
    help="Only lists that hold so many documents from each threshold to the next.",
)
@click.option(
    "--counts",
    type=click.Choice(list(get_args(Counts))),
    default="retrieved",
    show_default=True,
    help="Documents of a grade that a list is assumed to hold: those it retrieved, or all there are.",
)
@click.option(
    "--samples",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    metavar="N",
    help="Bootstrap samples of the topics, for the 95% intervals.",
)
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
    given, output = Given.of(options), Output.of(options)
    with output.opened() as write:
        judged = given.judged()
        users = user_grid(len(judged.levels) - 1, None if grid == AUTO else grid) if grid is not None else []
        plain = parse_measures(measures or (BESIDE_GRID if users else MEASURES))
        chosen = list(dict.fromkeys([*plain, *over_grid(["GAP", "xGAP", "eGAP"], users)]))
        runs = given.score(judged, plain).runs
        topics = chosen_topics(given.selection(), judged)
        wanted = np.isin(judged.runs, runs)[:, None] & np.isin(judged.topics, topics)
        if not wanted.any():
            raise InputError("no ranking is left after selection")
        with watched("inferring", "rankings x measures") as progress:
            found = informed(
                only_rows(judged, wanted.ravel()),
                chosen,
                thresholds=numbers("--thresholds", thresholds, "grades as in 1,2") if thresholds is not None else None,
                least=least,
                counts=counts,
                threads=given.threads,
                progress=progress,
            )
        total, counted = len(found.run), int(found.counted.sum())
        tell([f"rankings: {total} of {int(wanted.sum())} hold {least} documents of each kind; inferred were {counted}"])
        tell([f"intervals: 95% confidence, {samples} bootstrap samples of the topics with their rankings, seed {seed}"])
        bounds = found.ci(seed=seed, samples=samples)
        write(_outcome(found, bounds, output), lambda: _picture(found, bounds))


def _outcome(found: Informativeness, bounds: Any, output: Output) -> Outcome:
    means = found.mean()
    rows = []
    records: list[list[Cell]] = []
    shown = [[output.number(value) for value in row] for row in means.tolist()]
    sums = [output.number(value) for value in means.sum(-1).tolist()]
    for place, measure in enumerate(found.measures):
        cells = [str(measure)]
        failed = int((~found.converged[place]).sum())
        for column, grade in enumerate(found.thresholds):
            low, high = bounds[place, column].tolist()
            cells.append(f"{shown[place][column]} [{output.number(low)}, {output.number(high)}]")
            records.append([str(measure), float(grade), float(means[place, column]), low, high, len(found.run), failed])
        rows.append([*cells, sums[place], str(failed)])
    head = ["measure", *(f"RMS from grade {grade:g}" for grade in found.thresholds), "sum", "not found"]
    columns = [list(column) for column in zip(*shown, strict=True)] + [sums]
    best = {
        (place, column)
        for column, texts in enumerate(columns, 1)
        for place, text in enumerate(texts)
        if text == min(texts) and len(set(texts)) > 1
    }
    fields = ["measure", "threshold", "rms", "low", "high", "rankings", "not_found"]
    return Outcome([("", Grid(head, rows, best=frozenset(best)))], fields, records)


def _picture(found: Informativeness, bounds: Any) -> Any:
    from gradeval.report.charts.informativeness import informativeness_chart

    return informativeness_chart(found, bounds)
