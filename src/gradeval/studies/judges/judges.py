"""May a model's grades stand in for a person's?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np

from gradeval.arguments import Alpha, Anything, OneOf, Seed, Threads, Whole
from gradeval.collection.joint_pool import JointPool, Regrading, drop_negatives, join_pools
from gradeval.collection.meeting import Ties, meet
from gradeval.collection.qrels import Negative, Qrels
from gradeval.files.accepted import Excludes, Judgments, RankedRuns, as_human_qrels, as_runs, refuse_swapped
from gradeval.files.exclusions import exclude_from
from gradeval.formula.aggregation import draw
from gradeval.progress import Progress
from gradeval.scores.evaluation import choose_input, require_common_topic
from gradeval.scores.notes import about_scores
from gradeval.scores.presets import PresetName, configure_measures
from gradeval.scores.scores import Empty, Missing
from gradeval.scores.selection import RunChoice, TopicChoice
from gradeval.studies.compare import choose_correction
from gradeval.studies.judges.accepted_judges import about_refused, accept_judges
from gradeval.studies.judges.comparison import JudgeComparison
from gradeval.studies.judges.conclusions import Rule
from gradeval.studies.judges.few_runs import compare_two_runs, measure_lone_run
from gradeval.studies.judges.floors import Resampled
from gradeval.studies.judges.judge_notes import tell_of_pool, tell_of_result, warn_of_pool
from gradeval.studies.judges.labels import (
    Labels,
    compare_labels,
    count_all_topics,
    count_by_topic,
    find_one_grade,
    resample_alpha,
    resample_beyond_shuffled,
)
from gradeval.studies.judges.regraded_runs import RegradedRuns
from gradeval.studies.judges.verdicts import JudgeVerdict, judge_labels
from gradeval.studies.requirements import RUNS, about_few_runs
from gradeval.studies.run_groups import Groups, about_absent, find_absent, places_of_groups
from gradeval.studies.significance import TEST_NAMES, Correction
from gradeval.studies.study import Measures, study
from gradeval.studies.study_parameters import Data
from gradeval.warning_categories import Note

DEFAULT = "GAP AP nDCG@10"
"""The measures by which judges are compared by default."""


@study(
    measures=DEFAULT,
    examples="""
      gradeval judges qrels.txt --judge judges/lenient.txt
      gradeval judges qrels.txt runs/elm.txt runs/oak.txt --judge judges/lenient.txt -m nDCG@10
      gradeval judges qrels.txt runs/* --judge judges/lenient.txt -m "GAP AP nDCG@10"
      gradeval judges qrels.txt runs/* --judge judges/lenient.txt --judge none=judges/blind.txt --plot skill.svg
      gradeval judges qrels.txt runs/* --judge 'judges/*.txt' --levels 0,1,2,3 -o judges.tsv
      gradeval judges human.txt runs/* --judge exam=exam.txt --recode exam:4=3,5=3 --groups families.txt
      gradeval judges first-assessor.txt runs/* --judge second-assessor.txt""",
    digits=3,
)
def judges(
    human: Annotated[Judgments, Data("HUMAN.qrels", "judgments")],
    others: Annotated[Mapping[str, Judgments], Data("[NAME=]MODEL.qrels", "judges", each_alone=True)],
    ranked: Annotated[RankedRuns | None, Data("RUNS", "runs")] = None,
    /,
    measures: Measures | None = None,
    *,
    topics: TopicChoice = None,
    runs: RunChoice = None,
    preset: PresetName | None = None,
    alpha: Alpha = 0.05,
    samples: Annotated[int, Whole(2, 10_000_000)] = 1000,
    seed: Seed = 0,
    threads: Threads = 0,
    progress: Progress | None = None,
    statistic: Literal["kendall", "tau-ap"] = "kendall",
    groups: Annotated[Mapping[str, str], Groups()] | None = None,
    levels: Sequence[float] | None = None,
    test: Annotated[str, OneOf(TEST_NAMES)] = "t",
    correction: Correction = "none",
    missing: Missing = "zero",
    empty: Empty = "zero",
    ties: Ties = "docid",
    negative: Negative = "nonrelevant",
    exclude: Annotated[Excludes, Anything("self|FILE")] = None,
    depth: Annotated[int, Whole(1)] | None = None,
    draws: Annotated[int, Whole(0, 1_000_000)] = 100,
    top_runs: Annotated[int, Whole(1, 1_000_000)] = 15,
    second: Annotated[str | None, Anything("JUDGE")] = None,
) -> JudgeComparison:
    """Compare the grades of judges, such as language models, or of other assessors, with human grades.

    Without runs: how alike the labels are. With one or two: whether both sides name the same winner. With more: how
    alike both order them, and the tau of a judge who knows nothing (the humans' grades shuffled within each topic: the
    floor), and skill = (tau - floor) / (1 - floor); by how much the judge raises the means, and which runs it favours;
    which share of the significant differences it keeps, with floor and skill likewise; and which runs are better than
    the pool ranked by the judge. The first notes say for what the judge is good enough, by the measure by which it is
    weakest. The levels come from both sides. ``explain("kappa")`` (or alpha, tau, floor, skill, shift, kept, ceiling,
    worth, verdict) says where each comes from.

    Documents that the judge alone judged are counted and left out, as nothing says what these grades are worth. A
    judge's grade below 0 is no grade and left out, with a note; for a human's, also the second assessor's, ``negative``
    decides.

    Parameters
    ----------
    statistic : how orders of runs are correlated; the humans' order is the truth of tau-ap.
    groups : the group of each run, to see whether the judge favours one. Or a file of a run and its
        group in each line, as ``leave_out`` takes it.
    levels : the grades that both sides may give; default: the grades of the humans, which the judges must then share.
    test : the test of the differences between runs.
    correction : the correction of p values for the number of pairs of runs. It is made measure by measure.
    alpha : level of the significant differences; intervals cover the rest.
    samples : bootstrap samples of the topics, and resamples of the test.
    ties, negative, exclude, depth : see ``judge``.
    draws : how many judges with the same errors are drawn for each judge. They know no run, and show which runs and
        groups the judge favours beyond chance; most of the time goes into them; 0 leaves that out.
    top_runs : how many runs are the best ones by the humans' grades. At most half of all runs: the judge's order of
        these counts, too; of fewer than 5 nothing is said.
    second : which of the judges is a second human assessor. Its figures are the ceiling of the others.

    Raises
    ------
    InputError : no judge, or none that can be compared: each on another scale, or without any pair in common with the
        humans, or with runs on fewer than 3 topics; groups that name no run; a number outside its range.

    >>> human = {"301": {"a": 2, "b": 0, "c": 1}, "302": {"d": 1, "e": 0, "f": 2}}
    >>> model = {"301": {"a": 2, "b": 1, "c": 1}, "302": {"d": 1, "e": 0, "f": 1}}
    >>> judges(human, {"model": model}).labels["model"].confusion.tolist()
    [[1, 1, 0], [0, 2, 0], [0, 1, 1]]
    """
    how: dict[str, Any] = {"missing": missing, "empty": empty, "ties": ties, "negative": negative, "threads": threads}
    parsed, notes = configure_measures(preset, DEFAULT if measures is None else measures, how)
    refuse_swapped(human, ranked)
    opened = [] if ranked is None else as_runs(ranked)
    choice = None if ranked is None else runs
    whole = exclude_from(as_human_qrels(human), exclude)
    truth, opened, more = choose_input(whole, opened, topics, choice, preset, measures=parsed, depth=depth, **how)
    truth = drop_negatives(truth) if negative == "unjudged" else truth
    accepted = accept_judges(
        others,
        truth,
        chosen=topics is not None,
        second=second,
        negative=negative,
        levels=levels,
        with_runs=ranked is not None,
    )
    pool = join_pools(truth, accepted.judges, levels)
    resampled: dict[str, Any] = {"alpha": alpha, "samples": samples, "seed": seed}
    made = None
    if ranked is not None:
        judged = meet(pool.qrels, opened, ties=ties, threads=threads)
        judged = judged if depth is None else judged.top(depth)
        made = RegradedRuns(
            pool=pool,
            regrading=Regrading(judged, pool.levels, negative),
            measures=parsed,
            policies=(missing, empty),
            statistic=statistic,
            groups=places_of_groups(groups, judged.runs),
            rule=Rule(test, choose_correction(test, correction), alpha, samples, seed),
            draws=draws,
            depth=depth,
            top_runs=top_runs,
            second=second,
            progress=progress,
            **resampled,
        )
        require_common_topic(truth, made.human.present, judged.unjudged_topics, opened)
    comparison = _compare(truth, pool, made, negative, second, resampled)
    comparison = replace(comparison, refused=accepted.refused)
    without_use = {"runs": runs, "measures": measures, "groups": groups, "depth": depth} if made is None else {}
    said = [
        *(f"{name} does nothing here and is ignored, as there are no runs" for name, one in without_use.items() if one),
        *tell_of_pool(comparison, pool, negative),
        *([] if made is None else made.about_undefined(comparison.consequences)),
        *tell_of_result(comparison),
    ]
    warned = [
        *warn_of_pool(comparison, pool, negative),
        *([] if made is None else about_few_runs(len(opened), "judges", correlated=len(opened) > RUNS)),
    ]
    warned += [] if made is None else about_scores(made.human, (whole, opened))
    warned += [] if made is None else about_absent(find_absent(groups, made.human.runs))
    answers = [*map(Note.answer, comparison.verdicts), *(about_refused(*one) for one in accepted.refused.items())]
    described = Note.method(comparison.description)
    return replace(comparison, notes=[*answers, *notes, *more, *accepted.notes, *warned, *map(Note, said), described])


def _compare(
    human: Qrels,
    pool: JointPool,
    made: RegradedRuns | None,
    negative: Negative,
    second: str | None,
    resampled: Mapping[str, Any],
) -> JudgeComparison:
    """The comparison without notes; ``resampled``: alpha, samples and seed."""
    labels = {judge: _compare_labels(pool, judge, negative, **resampled) for judge in pool.judges}
    ordered = made is not None and len(made.human.runs) > 1
    return JudgeComparison(
        human=human.name,
        judges=list(pool.judges),
        levels=pool.levels,
        labels=labels,
        label_verdicts={
            judge: _judge_labels(pool, judge, None if judge == second else second, negative, **resampled)
            for judge in pool.judges
        },
        runs=[] if made is None else made.human.runs,
        measures=[] if made is None else made.measures,
        consequences=made.consequences() if made is not None and ordered else {},
        two_runs=compare_two_runs(made) if made is not None and ordered else {},
        lone_run={} if made is None or ordered else measure_lone_run(made),
        topics={judge: one.topics for judge, one in labels.items()},
        statistic=None if made is None else made.statistic,
        test=None if made is None else made.rule.test,
        correction=None if made is None else made.rule.correction,
        draws=made.draws if made is not None and ordered else 0,
        second=second,
        halves=made.halves() if made is not None and ordered else {},
        human_topics=len(human.topics),
        refused={},
        **resampled,
    )


def _compare_labels(pool: JointPool, judge: str, negative: Negative, samples: int, seed: int, alpha: float) -> Labels:
    counts = count_by_topic(pool, judge, negative)
    weights = draw(len(counts), samples, seed)
    lacking = int(np.isnan(pool.judges[judge]).sum())
    return compare_labels(counts, pool.levels, weights, lacking, pool.extra[judge], alpha)


def _judge_labels(
    pool: JointPool, judge: str, second: str | None, negative: Negative, samples: int, seed: int, alpha: float
) -> JudgeVerdict:
    """The verdict on the labels of a judge, on the topics that the second assessor judged, too, if there is one; on the
    pairs, where one of both judged a part of them."""
    names = [judge] if second is None else [judge, second]
    part = pool.common_part(*names, negative=negative)
    confusions = [count_all_topics(pool, name, negative, part) for name in names]
    common = list(pool.topics_of(*names, negative=negative))
    topics = len(common)
    if not topics:
        return judge_labels(Resampled(np.nan, np.full(1, np.nan)), 0, alpha)
    one_grade = find_one_grade(confusions[0].sum(0), pool.levels)
    weights = draw(topics, samples, seed)
    alphas = [resample_alpha(one[common], weights) for one in confusions]
    beyond = resample_beyond_shuffled(confusions[0][common], weights)
    beside = None if second is None else (second, alphas[1])
    said = "" if second is None else pool.tell_common_part(judge, second, negative)
    return judge_labels(alphas[0], topics, alpha, beside, beyond, one_grade, said)
