"""Do runs differ? Paired tests, intervals, effect sizes, corrections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Names, OneOf, Seed, Threads, Whole
from gradeval.formula.arithmetic import Array
from gradeval.messages import plain, set_apart
from gradeval.progress import Progress
from gradeval.scores.scores import Scores
from gradeval.scores.slices import FEWEST
from gradeval.studies.baselines import BEST, is_best, name_baselines, pair_with
from gradeval.studies.best import compare_with_best
from gradeval.studies.changes import differences_beyond_rounding
from gradeval.studies.compare_cautions import find_cautions
from gradeval.studies.compared_runs import Comparison
from gradeval.studies.decision import PairDecision, correct_pairs
from gradeval.studies.missing_topics import about_missing_losses, count_lacking, find_missing_losses
from gradeval.studies.parallel import run_in_parallel
from gradeval.studies.requirements import require_samples
from gradeval.studies.sign_flips import FLIPS, count_draws
from gradeval.studies.significance import (
    MEASURES,
    TEST_NAMES,
    TUKEY,
    Correction,
    compare_pairs,
    count_steps,
    is_random,
    pair_values,
    pair_with_one,
)
from gradeval.studies.sliced_comparison import compare_slices
from gradeval.studies.study import study
from gradeval.studies.unequal_judging import about_unjudged_losses, find_unjudged_losses
from gradeval.studies.unjudged_runs import find_unjudged_runs, say_undecided
from gradeval.tables.text import shorten
from gradeval.warning_categories import Note

SAMPLES = 10_000
"""Resamples of the tests, by default."""
WORST = 3
"""Topics that are named, of those on which the candidate loses."""
LETTERS = 40
"""Letters of a topic that are shown; of shops and assistants it is the text of a query."""


@study(
    tells_apart=True,
    names_better=True,
    measures=MEASURES,
    by_slices=compare_slices,
    fewest=FEWEST,
    of_two="gate -q -o topics.csv",
    examples="""
      gradeval compare qrels.txt runs/* --baseline elm
      gradeval compare qrels.txt runs/elm.txt runs/oak.txt -m "AP nDCG@10 GAP" --test permutation
      gradeval compare qrels.txt runs/* --baseline elm --baseline oak
      gradeval compare qrels.txt runs/* --baseline best --only-means --caption "Our runs." -o means.tex
      gradeval compare qrels.txt runs/* --baseline elm --by segments.csv
      gradeval compare qrels.txt runs/* --runs top:5:AP --test tukey-hsd -o differences.tex
      gradeval compare --scores scores.tsv --baseline bm25 --correction bh --plot differences.svg""",
)
def compare(
    scores: Scores,
    /,
    *,
    baseline: Annotated[str | Sequence[str] | None, Names("RUN")] = None,
    test: Annotated[str, OneOf(TEST_NAMES)] = "t",
    correction: Correction | None = None,
    alpha: Alpha = 0.05,
    samples: Annotated[int | None, Whole(2, 10_000_000)] = None,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress,
) -> Comparison:
    """Test the differences of runs from a baseline, or of all pairs of runs, by each measure.

    Runs are sorted by the mean of the first measure, the best mean is bold. ▲ and ▼ mark runs that are better and worse
    than the other one, corrected for the number of pairs; of two runs for the number of measures. Columns: difference
    of the means with its interval, p value, corrected p value, effect size (mean difference over its standard
    deviation), topics won, tied and lost. With t and tukey-hsd, intervals come from these tests, else from percentiles
    of bootstrap samples of the topics, which are too narrow over few topics.

    With the baseline "best" the question is which run is the best: ▼ marks runs outside the set that holds the best one
    with probability 1 - alpha, by each measure, as ``ranks`` says it. p is for the test against the run with the
    highest mean; p (best) is the smallest alpha at which a run is outside; the interval is of the difference from the
    best, whichever that is, for each run by itself, and excludes 0 where the run is outside.

    With slices of the topics each slice is compared by itself, without a test if it has fewer than 5 topics. Welch's
    test of equal mean differences over the other slices says whether a difference depends on the slice, corrected by
    Holm over all pairs, measures and columns of labels.

    A difference that is not significant does not show that runs are equal: ``equivalence`` tests that, and
    ``topic_set_size`` says how many topics a collection needs.

    Parameters
    ----------
    baseline : the run that the others are compared with, or several. One correction covers the pairs of all baselines;
        a pair of two baselines counts once. "best", which stands alone: the best run by each measure, whichever that
        is. Default: all pairs, of two runs the second less the first.
    test : the test of the differences, paired and two-sided. "t" is Student's; where all n topics differ by the same
        amount only their signs tell, and p is 2^(1-n). "permutation" of the signs of the differences: all 2^n
        of them where ``samples`` allows; else random ones, with p = (count + 1)/(samples + 1); "bootstrap"
        (studentised, likewise); "wilcoxon" (signed ranks, zeros dropped); "sign" (ties dropped); "tukey-hsd"
        (randomised, over all runs, p = (count + 1)/(samples + 1)).
    correction : the correction of p values for the number of pairs, default "holm". It is made measure by measure; of
        two runs, which are one pair, over the measures. tukey-hsd corrects by itself and takes "none" only; comparisons
        with the best take none.
    alpha : the level of the intervals: they cover 1 - alpha. They are Student's for "t", from Tukey's range for
        "tukey-hsd", else percentiles of a bootstrap over topics.
    samples : how many resamples tests and intervals take, default 10000. They serve permutation, bootstrap and
        tukey-hsd, and the intervals in tables of ranks; with the baseline "best" also draws of the signs of the topics,
        default 2000, as in ``ranks``.

    Raises
    ------
    InputError : fewer than 2 runs or 3 topics, an unknown baseline, fewer samples than tukey-hsd needs for alpha.
    Source: Smucker, Allan & Carterette (2007); Sakai (2006); Carterette (2012); Hsu (1984).
    """
    best = is_best(baseline, scores.runs)
    if best and correction is not None:
        raise InputError(
            plain("correction", correction),
            ": comparisons with the best correct for having picked it themselves; leave it out",
        )
    chosen: Correction | Literal["best"] = "best" if best else choose_correction(test, correction)
    samples = samples or (FLIPS if best else SAMPLES)
    if test == TUKEY or best:
        require_samples(samples, alpha)
    matrices = pair_values(scores)
    runs = len(scores.runs)
    baselines = [BEST] if best else name_baselines(baseline, scores)
    pairs = pair_with_one(runs, runs) if best else pair_with(scores.runs, baselines)
    if runs == 2 and not baselines:  # as its decision: the second less the first
        pairs = pairs[:, ::-1]
    how = (test, alpha, samples, seed)
    tasks = [
        partial(compare_with_best, values, *how) if best else partial(compare_pairs, values, pairs, *how)
        for values in matrices
    ]
    draws = sum(2 * count_draws(len(values), samples) for values in matrices) if best else 0
    parts = run_in_parallel(tasks, threads, progress, draws + len(tasks) * count_steps(test, len(pairs), samples))
    difference, interval, p, effect, wins, losses, *of_best = (np.stack(part) for part in zip(*parts, strict=True))
    topics = np.array([len(values) for values in matrices])
    random = best or is_random(test)
    comparison = Comparison(
        pairs=pairs,
        difference=difference,
        interval=interval,
        p=p,
        corrected=of_best[0] if chosen == "best" else correct_pairs(p, scores.measures, chosen),
        effect=effect,
        wins=wins,
        ties=topics[:, None] - wins - losses,
        losses=losses,
        topics=topics,
        means=scores.mean(),
        measures=scores.measures,
        runs=scores.runs,
        baselines=baselines,
        test=test,
        correction=chosen,
        alpha=alpha,
        samples=samples if random else None,
        seed=seed if random else None,
        unit=scores.unit,
        lacking=count_lacking(scores),
        unjudged=find_unjudged_runs(scores),
    )
    lost = _find_losses(comparison)
    comparison = replace(
        comparison,
        unjudged_losses=find_unjudged_losses(scores, *lost),
        missing_losses=find_missing_losses(scores, *lost, alpha, comparison.family),
    )
    cautions = find_cautions(comparison, matrices, samples)
    decision = comparison.decision
    decided = [] if decision is None else [*_answer(decision, matrices, scores)]
    if decision is None and comparison.unjudged:
        decided.append(Note.answer(say_undecided(comparison.unjudged)))
    decided += about_unjudged_losses(scores.measures, comparison.unjudged_losses)
    if decision is None:  # which tells the missing topics of two runs itself
        decided += about_missing_losses(scores, scores.measures, comparison.missing_losses)
    return replace(comparison, notes=[*decided, Note.method(comparison.description), *cautions])


def _find_losses(comparison: Comparison) -> tuple[list[Array], list[Array]]:
    """By measure the pairs of a run that loses and the one that wins; and which losses are significant.

    Of more than two runs only significant losses count.
    """
    lost, shown = [], []
    for means, difference, significant in zip(
        comparison.means.T, comparison.difference, comparison.significant, strict=True
    ):
        told = significant if len(means) > 2 else difference != 0
        pairs = np.where(difference[:, None] < 0, comparison.pairs, comparison.pairs[:, ::-1])[told]
        lost.append(np.where(pairs == len(means), means.argmax(), pairs))  # the last place stands for the best run
        shown.append(significant[told])
    return lost, shown


def _answer(decision: PairDecision, matrices: Sequence[Array], scores: Scores) -> Iterator[Note]:
    """What to do, and the topics on which the candidate loses most by the measure that decides."""
    yield Note.answer(decision.sentence)
    if decision.unjudged:
        return
    if decision.about_needed:
        yield Note.answer(decision.about_needed)
    measure = scores.measures.index(decision.measures[decision.deciding])
    candidate = scores.runs.index(decision.candidate)
    differences = differences_beyond_rounding(*matrices[measure].T[[candidate, 1 - candidate]])
    counted = np.flatnonzero(scores.counted[:, :, measure].all(0))
    worst = [place for place in np.argsort(differences, kind="stable").tolist() if differences[place] < 0]
    if worst:
        topics = [set_apart(shorten(scores.topics[counted[place]], LETTERS)) for place in worst[:WORST]]
        lost = [decision.write(float(differences[place])) for place in worst[:WORST]]
        named = [f"{topic} ({loss})" for topic, loss in zip(topics, lost, strict=True)]
        yield Note.answer(f"{decision.candidate} loses most by {scores.measures[measure]} on {', '.join(named)}")


def choose_correction(test: str, correction: Correction | None) -> Correction:
    """The correction that was asked for, or the usual one of the test; refused where the test corrects by itself."""
    if correction is None:
        return "none" if test == TUKEY else "holm"
    if test == TUKEY and correction != "none":
        raise InputError(
            plain("correction", correction), ": tukey-hsd corrects for the number of pairs by itself; leave it out"
        )
    return correction
