"""``gradeval judges``: do the grades of language models lead where those of humans lead?"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import click

from gradeval._core import InputError
from gradeval.arguments import nearest
from gradeval.cli.inputs import require_inputs, require_known
from gradeval.cli.notices import Note, tell, warned
from gradeval.cli.options import (
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
from gradeval.cli.outcome import Output, outcome_options
from gradeval.cli.progress_bar import show_progress
from gradeval.cli.reading import Reading, open_collection_runs, read_judgments, reading_options
from gradeval.cli.values import read_topics
from gradeval.collection.qrels import Qrels
from gradeval.files.places import file_of
from gradeval.files.read import read_bytes
from gradeval.files.run_files import list_run_files
from gradeval.studies.compare import TEST_NAMES, TUKEY
from gradeval.studies.judges.comparing import MEASURES, Orders, compare_judges
from gradeval.studies.paired_tests import Correction
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
        tell([*map(warned, comparison.warnings), *comparison.notes, comparison.description, *comparison.answers])

        def draw() -> Any:
            from gradeval.charts.judges_chart import judges_chart

            return judges_chart(comparison)

        write(comparison.table(output.digits), draw)


def name_judges(texts: Sequence[str]) -> dict[str, str]:
    """The places of judges by name, from the values of --judge: NAME=FILE, a file, a folder or a pattern.

    A file without a name is called by its own, without the ending.
    """
    places: dict[str, str] = {}
    for text in texts:
        for name, place in _named(text):
            if name in places:
                raise InputError(
                    f"--judge {text}: two judges are called {name!r} ({places[name]} and {place}); name them, as in "
                    f"{name}-2={place}"
                )
            places[name] = place
    return places


def _named(text: str) -> Iterator[tuple[str, str]]:
    name, sign, place = text.partition("=")
    if sign and not os.path.exists(text):
        if not name or not place:
            raise InputError(f"--judge {text}: accepted: NAME=FILE or FILE")
        yield name, place
        return
    for file in list_run_files([text]):
        yield os.path.splitext(os.path.basename(file_of(file)))[0], file


def read_assessors(
    human: str, judges: Mapping[str, str], reading: Reading
) -> tuple[Qrels, dict[str, Qrels], list[Note]]:
    """The judgments of humans and judges, shifted and recoded alike, and notes; levels are declared later."""
    plain = replace(reading, levels=None, recode={})
    read: list[Qrels] = []
    notes: list[Note] = []
    for place in (human, *judges.values()):
        judgments, more = read_judgments(place, plain)
        read.append(judgments)
        notes += more
    for old, new in reading.recode.items():
        if not any((one.grades == old).any() for one in read):
            notes.append(f"--recode {old:g}={new:g}: neither {human} nor a judge has the grade {old:g}")
    truth, *others = (one.recoded(reading.recode) if reading.recode else one for one in read)
    return truth, dict(zip(judges, others, strict=True)), notes


def read_groups(place: str, runs: Sequence[str]) -> dict[str, str]:
    """The group of each run, from lines of a run and its group; # begins a comment."""
    try:
        lines = bytes(read_bytes(place)).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"{place}: is not text; --groups takes lines of a run and its group") from None
    groups: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        run, _, group = line.strip().replace("\t", " ").partition(" ")
        group = group.strip()
        if not run or run.startswith("#"):
            continue
        if not group:
            raise InputError(
                f"{place}:{number}: {run!r} has no group; accepted: a run and its group, as in bm25 lexical"
            )
        if run not in runs:
            raise InputError(f"{place}:{number}: no run {run!r}{nearest(run, runs)} among the {len(runs)} runs")
        if groups.setdefault(run, group) != group:
            raise InputError(f"{place}:{number}: {run!r} is in {groups[run]!r} already; a run has one group")
    if not groups:
        raise InputError(f"{place}: names no run; accepted: lines of a run and its group, as in bm25 lexical")
    return groups
