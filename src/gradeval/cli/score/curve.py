"""``gradeval curve``: precision-recall curves of runs, binary and graded, and their areas."""

from __future__ import annotations

from typing import Any

import click

from gradeval._core import InputError
from gradeval.cli.options.collection import Collection, collection_options
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.options.values import name_option_in_errors, parse_numbers
from gradeval.cli.screen.notices import tell
from gradeval.cli.screen.progress import show_progress
from gradeval.cli.study.steps import choose_topics, read_collection, score_runs
from gradeval.measures.gap import GAP
from gradeval.studies.curves.tracing import curve


@click.command(
    "curve",
    epilog="""\b
Examples:
  gradeval curve qrels.txt runs/*
  gradeval curve qrels.txt runs/elm.txt --rel 1,2 --plot curves.svg
  gradeval curve qrels.txt runs/elm.txt --g 0.2,0.3,0.5 --topics 401 -q
  gradeval curve qrels.txt runs/* --g uniform --interpolated -q -o points.tsv""",
)
@click.option("--rel", metavar="LIST", help="Grades from which documents are relevant: a binary curve for each.")
@click.option(
    "--g",
    metavar="LIST",
    help="A graded curve: the share of users whose threshold each positive grade is, as in 0.2,0.3,0.5, or uniform.",
)
@click.option("--interpolated", is_flag=True, help="The precision of a point is the best at its or any higher recall.")
@click.option("-q", "--per-topic", is_flag=True, help="Add the curves of every topic, with all their points.")
@collection_options(ready=False)
@outcome_options(digits=4)
def command(rel: str | None, g: str | None, interpolated: bool, per_topic: bool, **options: Any) -> None:
    """Trace precision-recall curves of RUNS: their points, their means over topics, and the area below them.

    A curve has a point at every relevant document that was retrieved. Its area is average precision; that of a graded
    curve, for users of different standards, is graded average precision. The mean over topics is that of interpolated
    precision at recall 0, 0.1, ..., 1. Without --rel and --g documents are relevant from the lowest grade on.
    """
    collection, output = Collection.take(options), Output.of(options)
    if rel is not None and g is not None:
        raise InputError("--rel and --g: a curve is binary (--rel) or graded (--g); give one of the two")
    grades = parse_numbers("--rel", rel, "grades as in 1,2") if rel is not None else None
    graded = g is not None
    users = parse_numbers("--g", g, "shares as in 0.2,0.3,0.5, or uniform") if g not in (None, "uniform") else None
    with output.open() as write:
        judged, notes = read_collection(collection)
        tell(notes)
        with name_option_in_errors("--g", g):
            scores, about_scores = score_runs(collection, judged, [GAP(g=users)] if users else collection.parse("AP"))
        topics, about_topics = choose_topics(collection, judged, few=True)
        tell([*about_scores, *about_topics])
        with name_option_in_errors("--rel", rel), show_progress("tracing", "rankings") as progress:
            curves = curve(
                judged,
                rel=grades,
                g=users,
                graded=graded,
                interpolated=interpolated,
                runs=scores.runs,
                topics=topics,
                missing=collection.missing,
                empty=collection.empty,
                progress=progress,
            )

        def draw() -> Any:
            from gradeval.display.curves.curves import curves_chart

            return curves_chart(curves)

        table = curves.table(output.digits, per_topic=per_topic)
        tell(table.notes)
        write(table, draw)
