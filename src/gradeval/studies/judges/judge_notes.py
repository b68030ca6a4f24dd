"""What a reader of a comparison of judges should know: what was left out, what is alike, what is too few."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradeval.collection.joint_pool import JointPool
from gradeval.collection.qrels import Negative
from gradeval.messages import list_some, list_topics, plural
from gradeval.studies.judges.comparison import JudgeComparison
from gradeval.studies.judges.verdicts import MANY
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight


def about_pool(pool: JointPool, negative: Negative) -> Iterator[str]:
    """What the humans and each judge do not have in common, in sentences."""
    for judge, grades in pool.judges.items():
        common = pool.common(judge, negative)
        lacking = np.setdiff1d(pool.topic, pool.topic[common])
        if strangers := pool.strangers[judge]:
            number = plural(len(strangers), "topic")
            yield f"{judge}: {number} without human judgments ({list_topics(strangers)}) left out"
        if lacking.size:
            topics = pool.topics
            names = [topics[place] for place in lacking.tolist()]
            number = plural(len(names), "topic")
            yield f"{judge}: {number} that only humans judged ({list_topics(names)}) left out"
        if extra := pool.extra[judge]:
            yield f"{judge}: {plural(extra, 'document')} that no human judged left out"
        given = set(np.maximum(grades[common], 0.0).tolist())
        unused = [level for level in pool.levels if level not in given and (pool.human[common] == level).any()]
        if unused:
            yield f"{judge}: never gives the grade {' or '.join(f'{level:g}' for level in unused)}"


def about_same_grades(pool: JointPool, human: str) -> Iterator[Note]:
    """Judges that give the grades of the humans, or of another judge, to the same documents: the same file twice?"""
    sides: dict[bytes, list[str]] = {}
    for name, grades in [("", pool.human), *pool.judges.items()]:
        sides.setdefault(grades.tobytes(), []).append(name)
    for first, *others in sides.values():
        if others:
            are = f"{list_some(others)}: the same grades for the same documents as {first or human}"
            question = (
                "is one file given twice? If it has other grades, too, name their column: columns:grade=NAME:FILE"
            )
            yield Note(f"{are}; {question}", CoverageWarning, own_weight=NoteWeight.MEANING)


def about_smaller_pools(pool: JointPool, negative: Negative, *, measured: bool) -> Iterator[tuple[bool, str]]:
    """For each judge that lacks documents of the humans in their common topics: did it judge a part of them only? And
    how many, in a sentence; ``measured``: are there runs?"""
    for judge in pool.judges:
        there = pool.of_topics(judge, negative=negative)
        common, every = int((there & pool.common(judge, negative)).sum()), int(there.sum())
        topics = plural(len(pool.topics_of(judge, negative=negative)), "common topic")
        if pool.common_part(judge, negative=negative) is not None:
            said = f"{judge}: judged {common:,} of {every:,} documents that humans judged in {topics}"
            on = "all figures compare both sides on these" if measured else "labels are compared on these"
            yield True, f"{said} ({common / every:.1%}); {on}"
        elif common < every:
            said = f"{judge}: lacks {every - common:,} of {every:,} documents that humans judged in {topics}"
            consequence = "labels are compared on the common ones" + (
                ", and measures by its grades count fewer documents" * measured
            )
            yield False, f"{said} ({(every - common) / every:.1%}); {consequence}"


def about_halves(comparison: JudgeComparison) -> Iterator[str]:
    """How far the topics alone leave the order open, in a sentence, where no second assessor is the ceiling."""
    if comparison.halves and comparison.second is None and len(comparison.runs) >= MANY:
        values = list_some([f"{measure} {value:.2f}" for measure, value in comparison.halves.items()])
        yield (
            f"half of the topics against the other half: {comparison.statistic} {values} between the humans' orders; "
            "this shows the noise of topics; name a second human assessor to know how well two people agree"
        )


def about_draws(comparison: JudgeComparison) -> Iterator[str]:
    """That so few judges were drawn that none can favour a run, in a sentence."""
    if comparison.draws and 1 / (comparison.draws + 1) >= comparison.alpha:
        yield (
            f"take {int(1 / comparison.alpha)} draws or more; no run can be favoured at {comparison.alpha:g}, as p is "
            f"{1 / (comparison.draws + 1):.2g} or more"
        )


def about_lone_run(comparison: JudgeComparison) -> Iterator[str]:
    """That one run has no order, in a sentence."""
    if len(comparison.runs) == 1:
        yield f"{comparison.runs[0]} is one run: with a second one you see whether both sides name the same winner"


def warn_of_pool(comparison: JudgeComparison, pool: JointPool, negative: Negative) -> list[Note]:
    """The same file twice, and judges that lack many documents."""
    smaller = about_smaller_pools(pool, negative, measured=bool(comparison.runs))
    lacking = [Note(text, CoverageWarning) for many, text in smaller if many]
    return [*about_same_grades(pool, comparison.human), *lacking]


def tell_of_pool(comparison: JudgeComparison, pool: JointPool, negative: Negative) -> Iterator[str]:
    """What each side lacks, in sentences; ``warn_of_pool`` tells of judges that lack many documents."""
    yield from about_pool(pool, negative)
    smaller = about_smaller_pools(pool, negative, measured=bool(comparison.runs))
    yield from (text for many, text in smaller if not many)


def tell_of_result(comparison: JudgeComparison) -> Iterator[str]:
    """What limits the numbers, and how alike the labels are where few runs tell nothing else; in sentences."""
    yield from about_halves(comparison)
    yield from about_draws(comparison)
    yield from about_lone_run(comparison)
    if len(comparison.runs) < MANY:
        yield from comparison.answers
