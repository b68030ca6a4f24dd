"""May a model's grades stand in for a person's?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Annotated, Any, Literal

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import Alpha, Anything, InFile, OneOf, Seed, Threads, Whole
from gradeval.collection.joint_pool import JointPool, Regrading, join_pools
from gradeval.collection.meeting import Ties, meet
from gradeval.collection.qrels import Negative, Qrels
from gradeval.files.accepted import Excludes, Judgments, RankedRuns, as_qrels, as_runs, refuse_swapped
from gradeval.files.exclusions import exclude_from
from gradeval.files.plain_text import decode
from gradeval.files.source import read_bytes
from gradeval.formula.aggregation import draw
from gradeval.messages import nearest, plain
from gradeval.progress import Progress
from gradeval.scores.evaluation import choose_input, require_common_topic
from gradeval.scores.notes import Note, about_scores, about_skipped, list_some, plural
from gradeval.scores.presets import PresetName, configure_measures
from gradeval.scores.scores import Empty, Missing
from gradeval.scores.selection import RunChoice, TopicChoice
from gradeval.studies.compare import choose_correction
from gradeval.studies.judges.comparison import JudgeComparison
from gradeval.studies.judges.conclusions import Rule
from gradeval.studies.judges.floors import Resampled
from gradeval.studies.judges.labels import (
    Labels,
    compare_labels,
    count_all_topics,
    count_by_topic,
    resample_alpha,
    resample_beyond_shuffled,
)
from gradeval.studies.judges.regraded_runs import NEARLY_ALL, RegradedRuns
from gradeval.studies.judges.verdicts import JudgeVerdict, judge_labels
from gradeval.studies.machine_grades import about_negative, only_graded
from gradeval.studies.requirements import about_few_runs, require_runs
from gradeval.studies.significance import TEST_NAMES, Correction
from gradeval.studies.study import Measures, study
from gradeval.studies.study_parameters import Data
from gradeval.warning_categories import CoverageWarning

DEFAULT = "GAP AP nDCG@10"
"""The measures by which judges are compared by default."""
ENOUGH = 20
"""Topics from which on bootstrap intervals are hardly too narrow."""


@dataclass(eq=False, repr=False)
class Groups(InFile):
    """The group of each run: ``{run: group}``, or a file of lines of a run and its group."""

    def check(self, name: str, value: Any) -> dict[str, str]:
        """The group of each run."""
        if isinstance(value, str | PathLike):
            return read_groups(fspath(value))
        _require_mapping(name, value, "{run: group}, as in {'bm25': 'lexical'}")
        return {str(run): str(group) for run, group in value.items()}


@study(
    measures=DEFAULT,
    examples="""
      gradeval judges qrels.txt --judge judges/lenient.txt
      gradeval judges qrels.txt runs/* --judge judges/lenient.txt -m "GAP AP nDCG@10"
      gradeval judges qrels.txt runs/* --judge judges/lenient.txt --judge none=judges/blind.txt --plot skill.svg
      gradeval judges qrels.txt runs/* --judge 'judges/*.txt' --levels 0,1,2,3 -o judges.tsv
      gradeval judges human.txt runs/* --judge exam=exam.txt --recode exam:4=3,5=3 --groups families.txt
      gradeval judges first-assessor.txt runs/* --judge second-assessor.txt""",
    digits=3,
)
def judges(
    human: Annotated[Judgments, Data("HUMAN.qrels", "judgments")],
    others: Annotated[Mapping[str, Judgments], Data("[NAME=]MODEL.qrels", "judges")],
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

    Without runs: how alike the labels are. With runs: how alike both order them, and the tau that a judge reaches who
    knows nothing (the humans' grades shuffled within each topic: the floor), and skill = (tau - floor) / (1 - floor);
    by how much the judge raises the means, and which runs it favours; which share of the significant differences it
    keeps, with floor and skill likewise; and which runs are better than the pool ranked by the judge. The first notes
    say for what the judge is good enough, by the measure by which it is weakest. The levels come from both sides.
    ``explain("kappa")`` (or alpha, tau, floor, skill, shift, kept, ceiling, worth, verdict) says where each comes from.

    Documents that only one side judged are counted, and get no grade. A judge's grade below 0 is no grade and left out,
    with a note; for a human's, also the second assessor's, ``negative`` decides.

    Parameters
    ----------
    statistic : how orders of runs are correlated; the humans' order is the truth of tau-ap.
    groups : the group of each run, to see whether the judge favours one. Or a file of lines of a run and its group.
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
    second : which of the judges is a second human assessor. What it reaches is the ceiling of the others.

    Raises
    ------
    InputError : no judge; a judge on another scale, or without any pair in common with the humans; one run only, fewer
        than 3 topics, an unknown run among the groups; a number outside its range.

    >>> human = {"301": {"a": 2, "b": 0, "c": 1}, "302": {"d": 1, "e": 0, "f": 2}}
    >>> model = {"301": {"a": 2, "b": 1, "c": 1}, "302": {"d": 1, "e": 0, "f": 1}}
    >>> judges(human, {"model": model}).labels["model"].confusion.tolist()
    [[1, 1, 0], [0, 2, 0], [0, 1, 1]]
    """
    if not others:
        raise InputError("no judge to compare: give {name: judgments}")
    _require_mapping("judges", others, "{name: judgments}")
    how: dict[str, Any] = {"missing": missing, "empty": empty, "ties": ties, "negative": negative, "threads": threads}
    parsed, notes = configure_measures(preset, DEFAULT if measures is None else measures, how)
    refuse_swapped(human, ranked)
    opened = [] if ranked is None else as_runs(ranked)
    choice = None if ranked is None else runs
    truth, opened, more = choose_input(
        exclude_from(as_qrels(human), exclude), opened, topics, choice, preset, measures=parsed, depth=depth, **how
    )
    read = _read_judges(others, second)
    notes += [note for judgments in read.values() for note in about_skipped(judgments)]
    if topics is not None:
        chosen = set(truth.topics)
        read = {name: one.select([each for each in one.topics if each in chosen]) for name, one in read.items()}
    read, below = _leave_out_ungraded(read, truth, second, negative)
    pool = join_pools(truth, read, levels)
    labels = {judge: _compare_labels(pool, judge, negative, samples, seed, alpha) for judge in read}
    made, consequences = None, {}
    if ranked is not None:
        require_runs(len(opened))
        judged = meet(pool.qrels, opened, ties=ties, threads=threads)
        judged = judged if depth is None else judged.top(depth)
        made = RegradedRuns(
            pool=pool,
            regrading=Regrading(judged, pool.levels, negative),
            measures=parsed,
            policies=(missing, empty),
            statistic=statistic,
            groups=_places_of(groups, judged.runs),
            rule=Rule(test, choose_correction(test, correction), alpha, samples, seed),
            alpha=alpha,
            samples=samples,
            seed=seed,
            draws=draws,
            depth=depth,
            top_runs=top_runs,
            second=second,
            progress=progress,
        )
        require_common_topic(truth, made.human.present, judged.unjudged_topics)
        consequences = made.consequences()
    found = JudgeComparison(
        human=truth.name,
        judges=list(read),
        levels=pool.levels,
        labels=labels,
        label_verdicts={
            judge: _judge_labels(pool, judge, None if judge == second else second, negative, samples, seed, alpha)
            for judge in read
        },
        runs=[] if made is None else made.regrading.judged.runs,
        measures=[] if made is None else made.measures,
        consequences=consequences,
        topics={judge: one.topics for judge, one in labels.items()},
        statistic=None if made is None else statistic,
        test=None if made is None else test,
        correction=None if made is None else correction,
        alpha=alpha,
        samples=samples,
        seed=seed,
        draws=0 if made is None else draws,
        second=second,
        halves={} if made is None else made.halves(),
        human_topics=len(truth.topics),
    )
    without_use = {"runs": runs, "measures": measures, "groups": groups, "depth": depth} if made is None else {}
    smaller = list(_about_smaller_pools(pool, negative, made is not None))
    said = [
        *(f"{name} does nothing here and is ignored, as there are no runs" for name, one in without_use.items() if one),
        *_about_pool(pool, negative),
        *(text for many, text in smaller if not many),
        *([] if made is None else made.about_undefined(consequences)),
        *_about_few_topics(labels),
        *_about_halves(found),
        *_about_draws(found),
        *([] if found.runs else found.answers),
    ]
    warned = [Note(text, CoverageWarning) for many, text in smaller if many]
    if made is not None:
        warned += [*about_few_runs(len(found.runs)), *about_scores(made.human, (truth, opened))]
    verdicts, described = map(Note.answer, found.verdicts), Note.method(found.description)
    return replace(found, notes=[*verdicts, *notes, *more, *below, *warned, *map(Note, said), described])


def _read_judges(others: Mapping[str, Judgments], second: str | None) -> dict[str, Qrels]:
    """The judgments of each judge; ``second`` must be one of these."""
    read = {str(name): as_qrels(judgments) for name, judgments in others.items()}
    if second is not None and second not in read:
        raise InputError(
            plain("second", second),
            f": no such judge{nearest(str(second), list(read))}; the judges are {list_some(list(read))}",
        )
    return read


def _leave_out_ungraded(
    read: Mapping[str, Qrels], truth: Qrels, second: str | None, negative: Negative
) -> tuple[dict[str, Qrels], list[Note]]:
    """The judges without grades below 0, which models give where they give none; what there is of these, people's too,
    in notes."""
    people = [(truth.name, truth), *((name, one) for name, one in read.items() if name == second)]
    below = [note for name, one in people for note in about_negative(one, name) if negative == "nonrelevant"]
    graded = dict(read)
    for name, one in read.items():
        if name != second:
            graded[name], about = only_graded(one, name)
            below += about
    return graded, below


def read_groups(place: str) -> dict[str, str]:
    """The group of each run, from lines of a run and its group; # begins a comment."""
    groups: dict[str, str] = {}
    for number, line in enumerate(decode(read_bytes(place), place).split("\n"), 1):
        run, _, group = line.strip().replace("\t", " ").partition(" ")
        group = group.strip()
        if not run or run.startswith("#"):
            continue
        if not group:
            raise InputError(
                f"{place}:{number}: {run!r} has no group; accepted: a run and its group, as in bm25 lexical"
            )
        if groups.setdefault(run, group) != group:
            raise InputError(f"{place}:{number}: {run!r} is in {groups[run]!r} already; a run has one group")
    if not groups:
        raise InputError(f"{place}: names no run; accepted: lines of a run and its group, as in bm25 lexical")
    return groups


def _compare_labels(pool: JointPool, judge: str, negative: Negative, samples: int, seed: int, alpha: float) -> Labels:
    counts = count_by_topic(pool, judge, negative)
    weights = draw(len(counts), samples, seed)
    here, there = ~np.isnan(pool.judges[judge]), ~np.isnan(pool.human)
    return compare_labels(counts, pool.levels, weights, int((there & ~here).sum()), int((here & ~there).sum()), alpha)


def _judge_labels(
    pool: JointPool, judge: str, second: str | None, negative: Negative, samples: int, seed: int, alpha: float
) -> JudgeVerdict:
    """The verdict on the labels of a judge, on the topics that the second assessor judged, too, if there is one."""
    names = [judge] if second is None else [judge, second]
    confusions = [count_all_topics(pool, name, negative) for name in names]
    common = np.all([one.any((-1, -2)) for one in confusions], axis=0)
    topics = int(np.count_nonzero(common))
    if not topics:
        return judge_labels(Resampled(np.nan, np.full(1, np.nan)), 0, alpha)
    weights = draw(topics, samples, seed)
    alphas = [resample_alpha(one[common], weights) for one in confusions]
    beyond = resample_beyond_shuffled(confusions[0][common], weights)
    return judge_labels(alphas[0], topics, alpha, None if second is None else (second, alphas[1]), beyond)


def _require_mapping(name: str, value: object, accepted: str) -> None:
    if not isinstance(value, Mapping):
        raise InputError(f"{name} are {accepted}, not a {type(value).__name__}")


def _places_of(groups: Mapping[str, str] | None, runs: Sequence[str]) -> dict[str, list[int]]:
    """The places of the runs of each group."""
    _require_mapping("groups", groups or {}, "{run: group}, as in {'bm25': 'lexical'}")
    places: dict[str, list[int]] = {}
    known = {run: place for place, run in enumerate(runs)}
    for run, group in (groups or {}).items():
        if run not in known:
            raise InputError(f"groups: no run {run!r}{nearest(run, runs)}; the runs are {list_some(runs)}")
        places.setdefault(str(group), []).append(known[run])
    for group, members in places.items():
        if len(members) == len(runs):
            raise InputError(f"groups: {group!r} holds all {len(runs)} runs; leave some out, or name a second group")
    return places


def _about_pool(pool: JointPool, negative: Negative) -> Iterator[str]:
    """What the humans and each judge do not have in common, in sentences."""
    there = ~np.isnan(pool.human)
    for judge, grades in pool.judges.items():
        common = pool.common(judge, negative)
        lacking = np.setdiff1d(pool.topic[there], pool.topic[common])
        if strangers := pool.strangers[judge]:
            number = plural(len(strangers), "topic")
            yield f"{judge}: {number} without human judgments ({list_some(strangers)}) left out"
        if lacking.size:
            topics = pool.topics
            names = [topics[place] for place in lacking.tolist()]
            number = plural(len(names), "topic")
            yield f"{judge}: {number} that only humans judged ({list_some(names)}) left out"
        extra = int((~np.isnan(grades) & ~there).sum())
        if extra:
            yield (
                f"{judge}: its pool holds {plural(extra, 'document')} that no human judged; such labels are not "
                "compared"
            )
        given = set(np.maximum(grades[common], 0.0).tolist())
        unused = [level for level in pool.levels if level not in given and (pool.human[common] == level).any()]
        if unused:
            yield f"{judge}: never gives the grade {' or '.join(f'{level:g}' for level in unused)}"


def _about_few_topics(labels: Mapping[str, Labels]) -> Iterator[str]:
    few = [f"{judge} {one.topics}" for judge, one in labels.items() if one.topics < ENOUGH]
    if few:
        yield (
            f"intervals of labels are too narrow: bootstrap percentiles need {ENOUGH} topics or more ({list_some(few)})"
        )


def _about_halves(found: JudgeComparison) -> Iterator[str]:
    """How far the topics alone leave the order open, in a sentence, where no second assessor is the ceiling."""
    if found.halves and found.second is None:
        values = list_some([f"{measure} {value:.2f}" for measure, value in found.halves.items()])
        yield (
            f"half of the topics against the other half: {found.statistic} {values} between the humans' orders; this "
            "shows the noise of topics; name a second human assessor to know how well two people agree"
        )


def _about_draws(found: JudgeComparison) -> Iterator[str]:
    """That so few judges were drawn that none can favour a run, in a sentence."""
    if found.draws and 1 / (found.draws + 1) >= found.alpha:
        yield (
            f"take {int(1 / found.alpha)} draws or more; no run can be favoured at {found.alpha:g}, as p is "
            f"{1 / (found.draws + 1):.2g} or more"
        )


def _about_smaller_pools(pool: JointPool, negative: Negative, measured: bool) -> Iterator[tuple[bool, str]]:
    """By judge that lacks documents of the humans: does it lack many, and how many, in a sentence."""
    there = ~np.isnan(pool.human)
    consequence = "labels are compared on the common ones" + (", its measures see a smaller pool" * measured)
    for judge in pool.judges:
        common = int((there & pool.common(judge, negative)).sum())
        lacks = int(there.sum()) - common
        if lacks:
            share = f"{lacks:,} of {int(there.sum()):,} documents that humans judged ({lacks / int(there.sum()):.1%})"
            yield common < NEARLY_ALL * int(there.sum()), f"{judge}: lacks {share}; {consequence}"
