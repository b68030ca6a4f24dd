"""``gradeval describe``: what is a collection like?"""

from __future__ import annotations

from typing import Any

import click

from gradeval.cli.inputs import require_inputs, require_known
from gradeval.cli.notices import tell
from gradeval.cli.options import FILE
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.presets import parse_one_with, preset_option, settings_of
from gradeval.cli.reading import Reading, open_collection_runs, read_judgments, reading_options
from gradeval.cli.values import complete_measures, read_topics
from gradeval.scores.presets import PRESETS
from gradeval.studies.describe import describe


@click.command(
    "describe",
    epilog="""\b
Examples:
  gradeval describe qrels.txt
  gradeval describe qrels.txt runs/*
  gradeval describe qrels.txt --recode 3=2 --format latex
  gradeval describe ratings.txt --shift -1""",
)
@click.argument("qrels", metavar="QRELS", type=FILE)
@click.argument("run_files", metavar="[RUNS...]", type=FILE, nargs=-1)
@click.option(
    "-m",
    "--measure",
    default="AP",
    show_default=True,
    metavar="MEASURE",
    shell_complete=complete_measures,
    help="The measure of the runs above the first quartile.",
)
@click.option("--topics", metavar="FILE|LIST", help="Only these topics: a file with one a line, or 301,302.")
@reading_options(depth=False)
@preset_option
@outcome_options(digits=2, plot=False)
def command(
    qrels: str,
    run_files: tuple[str, ...],
    measure: str,
    topics: str | None,
    preset: str | None,
    **options: Any,
) -> None:
    """Describe a collection: topics, judged documents by grade, runs, and how much of the runs is judged.

    few:2 are the topics with few documents of grade 2: R(1) >= 10 R(2) > 0. above-q1:AP are the runs whose mean AP is
    above the first quartile of all RUNS. tsv, csv and jsonl hold the numbers of each topic and run, too.
    """
    output = Output.of(options)
    if preset is not None:
        options |= settings_of(preset)
    reading = Reading(**options)
    require_inputs([qrels, *run_files])
    chosen = parse_one_with(PRESETS[preset] if preset is not None else None, measure)
    selected = read_topics(topics) if topics is not None else None
    with output.open() as write:
        judgments, notes = read_judgments(qrels, reading)
        tell(notes)
        if topics is not None and selected is not None:
            require_known(topics, selected, judgments.topics, judgments.name)
            judgments = judgments.select(selected)
        runs, notes = open_collection_runs(run_files, reading) if run_files else (None, [])
        reading.columns.require_met("--columns")
        tell(notes)
        how = {name: getattr(reading, name) for name in ("missing", "empty", "ties", "negative", "threads")}
        description = describe(judgments, runs, measure=chosen, **how)
        tell([description.description])
        write(description.table(output.digits), lambda: None)
