"""``gradeval judges``: do the grades of language models lead where those of humans lead?"""

from __future__ import annotations

import warnings
from typing import Any, get_args

import click

from gradeval.cli.judges.reading_judges import name_judges, read_assessors, read_groups
from gradeval.cli.options.inputs import require_inputs, require_known
from gradeval.cli.options.options import (
    FILE,
    MOST_SAMPLES,
    alpha_option,
    choice_option,
    measures_option,
    note_unused,
    number_option,
    refuse_unused,
    require_resolution,
    seed_option,
)
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.options.reading import Reading, open_collection_runs, reading_options
from gradeval.cli.options.values import read_topics
from gradeval.cli.screen.notices import Warned, tell
from gradeval.cli.screen.progress import show_progress
from gradeval.studies.judges.comparing import MEASURES, Orders, compare_judges
from gradeval.studies.significance.corrections import Correction
from gradeval.studies.significance.significance import TEST_NAMES, TUKEY
from gradeval.warning_categories import CoverageWarning

WITH_RUNS = ("measures", "statistic", "groups", "test", "correction", "depth", "ties", "missing", "empty")
"""Options that have no use without runs."""


@click.command(
    "judges",
    epilog="""\b
Examples:
  gradeval judges qrels.txt --judge judges/lenient.txt
  gradeval judges qrels.txt runs/* --judge judges/lenient.txt -m "GAP AP nDCG@10"
  gradeval judges qrels.txt runs/* --judge judges/lenient.txt --judge none=judges/blind.txt --plot skill.svg
  gradeval judges qrels.txt runs/* --judge 'judges/*.txt' --levels 0,1,2,3 -o judges.tsv
  gradeval judges human.txt runs/* --judge exam=exam.txt --recode 4=3,5=3 --groups families.txt
  gradeval judges first-assessor.txt runs/* --judge second-assessor.txt""",
)
@click.argument("human", metavar="HUMAN.qrels", type=FILE)
@click.argument("run_files", metavar="[RUNS...]", type=FILE, nargs=-1)
@click.option(
    "--judge",
    "judges",
    type=FILE,
    multiple=True,
    required=True,
    metavar="[NAME=]MODEL.qrels",
    help="The judgments of a judge, or a folder or pattern of such files; may be repeated.",
)
@measures_option(MEASURES)
@choice_option("--statistic", Orders, "How orders of runs are correlated; the humans' order is the truth of tau-ap.")
@click.option(
    "--groups", type=FILE, metavar="FILE", help="Lines of a run and its group: does the judge favour one? (paired test)"
)
@click.option("--topics", metavar="FILE|LIST", help="Only these topics: a file with one a line, or 301,302.")
@click.option(
    "--test", type=click.Choice(TEST_NAMES), default="t", show_default=True, help="Of differences between runs."
)
@click.option(
    "--correction",
    type=click.Choice(list(get_args(Correction))),
    default="none",
    show_default=True,
    help="For the number of pairs of runs, measure by measure.",
)
@alpha_option("Level of the significant differences; intervals cover the rest.")
@number_option("--samples", 2, 1000, "Bootstrap samples of the topics, and those of the test.", MOST_SAMPLES)
@seed_option("Seed of the samples, of shuffled grades and of tied documents.")
@reading_options()
@outcome_options(digits=3)
def command(
    human: str,
    run_files: tuple[str, ...],
    judges: tuple[str, ...],
    measures: tuple[str, ...],
    statistic: Orders,
    groups: str | None,
    topics: str | None,
    test: str,
    correction: Correction,
    alpha: float,
    samples: int,
    seed: int,
    **options: Any,
) -> None:
    """Compare the grades of judges, such as language models, with those of humans.

    Without RUNS: how alike the labels are. With RUNS: how alike both order them, beside the tau that a judge reaches
    who knows nothing (the humans' grades shuffled within each topic: the floor), and skill = (tau - floor) /
    (1 - floor); by how much the judge raises the means, and of which runs; which significant differences it keeps; and
    which runs are better than the pool ranked by the judge. --levels, --recode and --shift apply to both sides.
    'gradeval explain kappa' (or alpha, tau, floor, skill, shift, kept, ceiling, worth) says where each comes from.
    """
    places = name_judges(judges)
    inputs = [human, *run_files, *places.values(), *([groups] if groups is not None else [])]
    output, reading = Output.of(options, inputs), Reading(**options)
    require_inputs(inputs, measures)
    if not run_files:
        refuse_unused(["plot"], "draws the skill of judges, which needs RUNS")
        note_unused(WITH_RUNS, "has no use without RUNS")
    if test == TUKEY:
        require_resolution(alpha, samples)
    with output.open() as write:
        truth, others, notes = read_assessors(human, places, reading)
        if topics is not None:
            selected = read_topics(topics)
            require_known(topics, selected, truth.topics, truth.name)
            truth = truth.select(selected)
            chosen = set(selected)
            others = {
                name: one.select([topic for topic in one.topics if topic in chosen]) for name, one in others.items()
            }
        runs, more = open_collection_runs(run_files, reading) if run_files else (None, [])
        tell([*notes, *more])
        families = None
        if groups is not None and runs is not None:
            families = read_groups(groups, [run.name for run in runs])
        with show_progress("comparing", "judges") as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore", CoverageWarning)  # told below
            comparison = compare_judges(
                truth,
                others,
                runs,
                " ".join(measures) or MEASURES,
                statistic=statistic,
                groups=families,
                levels=reading.levels,
                test=test,
                correction=correction,
                alpha=alpha,
                samples=samples,
                seed=seed,
                missing=reading.missing,
                empty=reading.empty,
                ties=reading.ties,
                negative=reading.negative,
                depth=reading.depth,
                threads=reading.threads,
                progress=progress,
            )
        tell([*map(Warned, comparison.warnings), *comparison.notes, comparison.description, *comparison.answers])

        def draw() -> Any:
            from gradeval.display.charts.judges import judges_chart

            return judges_chart(comparison)

        write(comparison.table(output.digits), draw)
