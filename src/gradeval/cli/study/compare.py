"""``gradeval compare``: do runs differ, and by how much?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import click

from gradeval._core import InputError
from gradeval.cli.assisted.differences import compare_by_both
from gradeval.cli.assisted.options import assisted_options, require_assisted
from gradeval.cli.certainty.beside_tests import CertaintyStudies, describe_limits, parse_differences
from gradeval.cli.options.collection import Collection, collection_options
from gradeval.cli.options.inputs import refuse_overwriting, require_inputs
from gradeval.cli.options.options import (
    MOST_SAMPLES,
    alpha_option,
    measures_option,
    note_unused,
    number_option,
    require_resolution,
    seed_option,
)
from gradeval.cli.options.outcome import Output, outcome_options
from gradeval.cli.screen.notices import list_some, plural, tell
from gradeval.cli.screen.progress import show_progress
from gradeval.cli.study.steps import scores_to_study
from gradeval.studies.assisted.estimator import TopicsAre
from gradeval.studies.certainty.equivalent_runs import Equivalence
from gradeval.studies.certainty.topics_needed import TopicSetSize
from gradeval.studies.significance.comparison import Comparison
from gradeval.studies.significance.corrections import Correction
from gradeval.studies.significance.least_p import least_p, out_of_reach, samples_to_reach
from gradeval.studies.significance.significance import BEST, MEASURES, TEST_NAMES, TUKEY, compare, is_random

ENOUGH = 20  # topics for a bootstrap interval
OF_OTHER_TESTS = ("test", "samples", "seed", "only_means", "caption", "label", "plot", "power", "equivalence")


@click.command(
    "compare",
    epilog="""\b
Examples:
  gradeval compare qrels.txt runs/* --baseline elm
  gradeval compare qrels.txt runs/* --baseline elm --baseline oak
  gradeval compare qrels.txt runs/* --baseline best --only-means --caption "Our runs." -o means.tex
  gradeval compare qrels.txt runs/elm.txt runs/oak.txt -m "AP nDCG@10 GAP" --test permutation
  gradeval compare qrels.txt runs/* --runs top:5:AP --test tukey-hsd -o differences.tex
  gradeval compare qrels.txt runs/* --power 0.02,0.05,0.1 --beta 0.1 --only-means
  gradeval compare qrels.txt runs/* --baseline elm --equivalence 0.02
  gradeval compare human.txt runs/* -m GAP --baseline bm25 --assisted-by model.txt
  gradeval compare --scores scores.tsv --baseline bm25 --correction bh --plot differences.svg""",
)
@measures_option(MEASURES)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="RUN",
    help="The run that the others are compared with, or best; may be repeated.  [default: all pairs]",
)
@click.option("--only-means", is_flag=True, help="Only the table of means, without the differences.")
@click.option("--caption", metavar="TEXT", help="Caption of the means in LaTeX.  [default: what was tested]")
@click.option("--label", default="tab:comparison", show_default=True, metavar="NAME", help="Label of it in LaTeX.")
@click.option(
    "--test",
    type=click.Choice(TEST_NAMES),
    default="t",
    show_default=True,
    help="Paired and two-sided.",
)
@click.option(
    "--correction",
    type=click.Choice(list(get_args(Correction))),
    help="For the number of pairs, measure by measure.  [default: holm; none for tukey-hsd]",
)
@alpha_option("Significance level of the marks; intervals have level 1 - alpha.")
@click.option(
    "--power",
    metavar="LIST",
    help="Add how many topics a paired t test needs to find these differences of means, as in 0.02,0.05.",
)
@click.option(
    "--beta",
    type=float,
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="The probability that the test of --power misses the difference.",
)
@click.option(
    "--equivalence",
    type=float,
    metavar="MARGIN",
    help="Add which runs are shown to differ by less than MARGIN: two one-sided t tests.",
)
@number_option(
    "--samples",
    2,
    10_000,
    "Resamples of permutation, bootstrap and tukey-hsd, and of the intervals beside the ranks.",
    MOST_SAMPLES,
)
@seed_option("Seed of the resamples.")
@assisted_options
@collection_options(ready=True)
@outcome_options(digits=4)
def command(
    measures: tuple[str, ...],
    baselines: tuple[str, ...],
    only_means: bool,
    caption: str | None,
    label: str,
    test: str,
    correction: Correction | None,
    alpha: float,
    power: str | None,
    beta: float,
    equivalence: float | None,
    samples: int,
    seed: int,
    assisted_by: str | None,
    topics_are: TopicsAre,
    **options: Any,
) -> None:
    """Test the differences of runs from a baseline, or of all pairs of runs, by each measure.

    Give QRELS and RUNS, or --scores. Runs are sorted by the mean of the first measure, the best mean is bold. ▲ and ▼
    mark runs that are better and worse than the other one, corrected for the number of pairs. Columns: difference of
    the means with its interval, p value, corrected p value, effect size (mean difference over its standard deviation),
    topics won, tied and lost. Intervals are of t and of tukey-hsd with these tests, else percentiles of bootstrap
    samples of the topics, which are too narrow over few topics.

    That a difference is not significant shows no equality: --equivalence tests that, and --power says how many topics
    a collection needs.

    --assisted-by carries human grades of a random sample of topics further by a model's grades of all of them: t tests
    of the regression estimator, beside those of the human grades alone.
    """
    model_grades = require_assisted(assisted_by, OF_OTHER_TESTS)
    collection, output = Collection.take(options), Output.of(options)
    if model_grades and collection.scores:
        raise InputError("--assisted-by scores the runs by a model's grades: give QRELS and RUNS, not --scores")
    require_inputs([*filter(None, [collection.qrels]), *collection.run_files, *model_grades])
    refuse_overwriting(output.output, model_grades)
    if not is_random(test):
        note_unused(["samples", "seed"], f"belongs to resamples, and nothing is random in --test {test}")
    if test == "tukey-hsd" and correction not in (None, "none"):
        note_unused(["correction"], "does not apply to --test tukey-hsd, which corrects by itself")
        correction = None
    if test == "tukey-hsd":
        require_resolution(alpha, samples)
    if power is None:
        note_unused(["beta"], "belongs to --power")
    beside = CertaintyStudies(parse_differences(power), beta, equivalence, correction or "holm", alpha)
    with output.open() as write:
        scores, notes = scores_to_study(collection, measures, MEASURES)
        tell(notes)
        for baseline in baselines:
            if collection.runs is not None and baseline not in (*scores.runs, BEST):
                raise InputError(
                    f"--baseline {baseline}: is not among the runs of --runs {collection.runs}; choose it there, too"
                )
        for place in model_grades:
            assisted = compare_by_both(
                collection,
                scores,
                place,
                topics_are=topics_are,
                baselines=baselines,
                correction=correction or "holm",
                alpha=alpha,
            )
            if assisted.leaves_pairs_out and not output.exact:
                tell([_left_out(len(assisted.pairs))])
            write(assisted.table(output.digits), lambda: None)
            return
        with show_progress("testing", "steps") as progress:
            comparison = compare(
                scores,
                baselines or None,
                test=test,
                correction=correction,
                alpha=alpha,
                samples=samples,
                seed=seed,
                threads=collection.threads,
                progress=progress,
            )
        tell([comparison.description, *_about_reach(comparison, samples), *_about_few_topics(comparison)])
        if comparison.leaves_pairs_out and not output.exact and not only_means:
            tell([_left_out(len(comparison.pairs))])
        table = comparison.table(output.digits, only_means=only_means, caption=caption, label=label)
        more = beside.study(scores, baselines)
        tell([note for study in more for note in (study.description, *describe_limits(study))])
        for study in more:
            table = table.above(study.table(output.digits))
        write(table, lambda: _draw(comparison, more))


def _left_out(pairs: int) -> str:
    """Which differences the table has not, and how to see them."""
    return (
        f"the differences of {pairs} pairs are left out: --format tsv, csv or jsonl writes all, "
        "--baseline best shows those from the best run"
    )


def _about_reach(comparison: Comparison, samples: int) -> Iterator[str]:
    """Measures by which no pair can be significant, whatever the differences, and how to change that."""
    how, pairs = (comparison.test, comparison.correction, comparison.alpha), len(comparison.pairs)
    by_topics: dict[int, list[str]] = {}
    for place, (measure, topics) in enumerate(zip(comparison.measures, comparison.topics.tolist(), strict=True)):
        if not comparison.significant[place].any():  # with tied ranks some may be, as SciPy decides
            by_topics.setdefault(topics, []).append(str(measure))
    for topics, measures in by_topics.items():
        if not out_of_reach(*how, topics, samples, pairs):
            continue
        least = least_p(comparison.test, topics, samples)
        corrected = f" before the correction for {plural(pairs, 'pair')}" if comparison.correction != "none" else ""
        needed = samples_to_reach(*how, topics, pairs)
        untied = " where no ranks are tied" if comparison.test == "wilcoxon" else ""
        remedies = [f"--samples {needed} or more" if needed is not None else "more topics", "--test t"]
        if not comparison.baselines:
            remedies.insert(1, "--baseline (fewer pairs)")
        yield (
            f"{list_some(measures)}: no pair can be significant at {comparison.alpha:g}, "
            f"as p is {least:.2g} or more{untied}{corrected}; accepted: {', '.join(remedies)}"
        )


def _about_few_topics(comparison: Comparison) -> Iterator[str]:
    """Percentiles of the bootstrap are too narrow over few topics."""
    topics = int(comparison.topics.min())
    if comparison.test != TUKEY and is_random(comparison.test) and topics < ENOUGH:
        yield (
            f"intervals are too narrow over {plural(topics, 'topic')}: bootstrap percentiles that should cover 95% "
            "cover about 88% over 10 topics and 93% over 25; accepted: more topics, --test t"
        )


def _draw(comparison: Comparison, more: Sequence[TopicSetSize | Equivalence]) -> Any:
    from gradeval.display.charts.comparison import difference_chart
    from gradeval.display.plotting import plot

    charts = [difference_chart(comparison), *(plot(study).altair for study in more)]
    if len(charts) == 1:
        return charts[0]
    import altair

    return altair.vconcat(*charts, spacing=40).resolve_scale(color="independent", shape="independent")
