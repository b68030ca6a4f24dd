"""``gradeval compare``: do runs differ, and by how much?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import click

from gradeval._core import InputError
from gradeval.cli.options.collection import Collection, collection_options
from gradeval.cli.options.options import (
    MOST_SAMPLES,
    alpha_option,
    measures_option,
    number_option,
    refuse_unused,
    require_resolution,
    seed_option,
)
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.screen.notices import counted, listed, tell
from gradeval.cli.screen.progress import watched
from gradeval.cli.study.steps import scores_to_study
from gradeval.scores.scores import Scores
from gradeval.studies.significance.corrections import Correction
from gradeval.studies.significance.least_p import least_p, out_of_reach, samples_to_reach
from gradeval.studies.significance.significance import Comparison, Test, Verdict
from gradeval.studies.significance.significance import compare as tested
from gradeval.tables.grid import Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table

MEASURES = "AP nDCG@10"
ENOUGH = 20  # topics for a bootstrap interval
MARKS: dict[Verdict, str] = {"better": "▲", "worse": "▼", "not told apart": " "}
"""The last is a blank, so that numbers stand below each other."""


@click.command(
    epilog="""\b
Examples:
  gradeval compare qrels.txt runs/* --baseline bm25
  gradeval compare qrels.txt a.run b.run -m "AP nDCG@10 GAP" --test permutation
  gradeval compare qrels.txt runs/* --runs top:5:AP --test tukey-hsd -o differences.tex
  gradeval compare --scores scores.tsv --baseline bm25 --correction bh --plot differences.svg"""
)
@measures_option(MEASURES)
@click.option("--baseline", metavar="RUN", help="The run that the others are compared with.  [default: all pairs]")
@click.option(
    "--test",
    type=click.Choice(list(get_args(Test))),
    default="t",
    show_default=True,
    help="Paired and two-sided.",
)
@click.option(
    "--correction",
    type=click.Choice(list(get_args(Correction))),
    help="For the number of pairs, measure by measure.  [default: holm; none for tukey-hsd]",
)
@alpha_option("Level of the marks; intervals cover the rest.")
@number_option(
    "--samples",
    2,
    10_000,
    "Resamples of permutation, bootstrap and tukey-hsd, and of the intervals beside the ranks.",
    MOST_SAMPLES,
)
@seed_option("Seed of the resamples.")
@collection_options(ready=True)
@outcome_options(digits=4)
def compare(
    measures: tuple[str, ...],
    baseline: str | None,
    test: Test,
    correction: Correction | None,
    alpha: float,
    samples: int,
    seed: int,
    **options: Any,
) -> None:
    """Test the differences of runs from a baseline, or of all pairs of runs, by each measure.

    Give QRELS and RUNS, or --scores. ▲ and ▼ mark runs that are better and worse than the other one, corrected for
    the number of pairs. Columns: difference of the means with its interval, p value, corrected p value, effect size
    (mean difference over its standard deviation), topics won, tied and lost. Intervals are of t and of tukey-hsd with
    these tests, else percentiles of bootstrap samples of the topics, which are too narrow over few topics.
    """
    collection, output = Collection.take(options), Output.of(options)
    if test == "t":
        refuse_unused(["samples", "seed"], "belongs to resamples, and nothing is random in --test t")
    if test == "tukey-hsd":
        require_resolution(alpha, samples)
    with output.opened() as write:
        scores, notes = scores_to_study(collection, measures, MEASURES)
        tell(notes)
        if collection.runs is not None and baseline is not None and baseline not in scores.runs:
            raise InputError(
                f"--baseline {baseline}: is not among the runs of --runs {collection.runs}; choose it there, too"
            )
        with watched("testing", "steps") as progress:
            found = tested(
                scores,
                baseline,
                test=test,
                correction=correction,
                alpha=alpha,
                samples=samples,
                seed=seed,
                threads=collection.threads,
                progress=progress,
            )
        drawn = f", {found.samples} samples, seed {found.seed}" if found.samples is not None else ""
        against = f"against {baseline}" if baseline is not None else "all pairs of runs"
        pairs = counted(len(found.pairs), "pair")
        tell(
            [
                f"test: {test}, two-sided, paired by topic, {against}{drawn}; correction {found.correction} for "
                f"{pairs} by each measure; marks at {alpha:g}, intervals of {1 - alpha:.4g}",
                *_in_vain(found, samples),
                *_too_narrow(found),
            ]
        )
        write(_outcome(found, scores, output), lambda: _picture(found))


def _in_vain(found: Comparison, samples: int) -> Iterator[str]:
    """Measures by which no pair could have been significant, and what would change that."""
    how, pairs = (found.test, found.correction, found.alpha), len(found.pairs)
    by_topics: dict[int, list[str]] = {}
    for place, (measure, topics) in enumerate(zip(found.measures, found.topics.tolist(), strict=True)):
        if not found.significant[place].any():  # with tied ranks some may be, as SciPy decides
            by_topics.setdefault(topics, []).append(str(measure))
    for topics, measures in by_topics.items():
        if not out_of_reach(*how, topics, samples, pairs):
            continue
        least = least_p(found.test, topics, samples)
        corrected = f" before the correction for {counted(pairs, 'pair')}" if found.correction != "none" else ""
        needed = samples_to_reach(*how, topics, pairs)
        untied = " where no ranks are tied" if found.test == "wilcoxon" else ""
        remedies = [f"--samples {needed} or more" if needed is not None else "more topics", "--test t"]
        if found.baseline is None:
            remedies.insert(1, "--baseline (fewer pairs)")
        yield (
            f"{listed(measures)}: no pair can be significant at {found.alpha:g}, "
            f"as p is {least:.2g} or more{untied}{corrected}; accepted: {', '.join(remedies)}"
        )


def _too_narrow(found: Comparison) -> Iterator[str]:
    """Percentiles of the bootstrap do not know how little few topics say."""
    topics = int(found.topics.min())
    if found.test not in ("t", "tukey-hsd") and topics < ENOUGH:
        yield (
            f"intervals are too narrow over {counted(topics, 'topic')}: bootstrap percentiles that should cover 95% "
            "cover about 88% over 10 topics and 93% over 25; accepted: more topics, --test t"
        )


def _outcome(found: Comparison, scores: Scores, output: Output) -> Table:
    grids = [_pairs(found, place, output) for place in range(len(found.measures))]
    if found.baseline is not None:
        grids = [_means(found, scores, output), *grids]
    return Table(grids, Records.of(FIELDS, list(_records(found))))


def _means(found: Comparison, scores: Scores, output: Output) -> Grid:
    """The means of all runs, marked where they differ from the baseline."""
    place_of = {int(first): place for place, (first, _) in enumerate(found.pairs.tolist())}
    rows = []
    for run, means in enumerate(scores.mean().tolist()):
        columns = range(len(means))
        marks = [MARKS[found.verdict(column, place_of[run])] if run in place_of else " " for column in columns]
        rows.append([found.runs[run], *(output.number(mean) + sign for mean, sign in zip(means, marks, strict=True))])
    return Grid.of_texts(["run", *map(str, found.measures)], rows, title="means")


def _pairs(found: Comparison, measure: int, output: Output) -> Grid:
    rows = []
    for pair, (first, second) in enumerate(found.pairs.tolist()):
        low, high = found.interval[measure, pair].tolist()
        names = [found.runs[first]] if found.baseline is not None else [found.runs[first], found.runs[second]]
        p, corrected = found.p[measure, pair], found.corrected[measure, pair]
        rows.append(
            [
                *names,
                f"{found.difference[measure, pair]:+.{output.digits}f}{MARKS[found.verdict(measure, pair)]}",
                f"[{low:+.{output.digits}f}, {high:+.{output.digits}f}]",
                _p(p, found, output),
                *([_p(corrected, found, output)] if found.correction != "none" else []),
                f"{found.effect[measure, pair]:+.2f}",
                "/".join(str(int(count[measure, pair])) for count in (found.wins, found.ties, found.losses)),
            ]
        )
    names = ["run"] if found.baseline is not None else ["run", "other"]
    levels = ["p"] if found.correction == "none" else ["p", f"p ({found.correction})"]
    head = [*names, "difference", "interval", *levels, "effect", "won/tied/lost"]
    return Grid.of_texts(head, rows, names=len(names), title=str(found.measures[measure]))


def _p(value: float, found: Comparison, output: Output) -> str:
    """A p value; what is smaller than the decimals, or than the samples, can show."""
    least = max(10.0**-output.digits, 1 / found.samples if found.samples and value == 0 else 0.0)
    return f"<{least:.{output.digits}f}" if value < least and output.digits else output.number(value)


FIELDS = (
    "measure run other statistic value lower upper p corrected significant effect wins ties losses topics "
    "test correction alpha samples seed"
).split()


def _records(found: Comparison) -> Iterator[list[Value]]:
    settings: list[Value] = [found.test, found.correction, found.alpha, found.samples, found.seed]
    for measure, name in enumerate(found.measures):
        for pair, (first, second) in enumerate(found.pairs.tolist()):
            at = measure, pair
            yield [
                str(name),
                found.runs[first],
                found.runs[second],
                "difference",
                float(found.difference[at]),
                *found.interval[at].tolist(),
                float(found.p[at]),
                float(found.corrected[at]),
                bool(found.significant[at]),
                float(found.effect[at]),
                *(int(count[at]) for count in (found.wins, found.ties, found.losses)),
                int(found.topics[measure]),
                *settings,
            ]


def _picture(found: Comparison) -> Any:
    from gradeval.display.charts.differences import difference_chart

    return difference_chart(found)
