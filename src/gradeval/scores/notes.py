"""What is to be said about scores: what was ignored, what counts 0, and what is probably a mistake."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradeval.collection.exclusion import Excluded
from gradeval.collection.qrels import OF_DICTIONARY, Qrels, change_of_any
from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import MOST_TYPED
from gradeval.messages import join_names, list_some, list_topics, plural
from gradeval.scores.alike_ids import FEW_JUDGED, MOST_LINES, about_some_documents, ask_about_labelled, doubt_ids
from gradeval.scores.coverage import TOP, Coverage, find_ends
from gradeval.scores.grade_notes import (
    about_all_relevant,
    about_fractions,
    about_gain_order,
    about_lone_grades,
    about_negatives_that_count,
    about_same_documents,
    about_thresholds,
    about_unused_levels,
)
from gradeval.scores.mistakes import ScoreOrigin, are_right, find_mistakes, some_of_runs
from gradeval.scores.scores import ONE, Scores, Unit
from gradeval.warning_categories import (
    CoverageWarning,
    FilesWarning,
    GradesWarning,
    IdsWarning,
    Note,
    NoteWeight,
    SignificanceWarning,
)

if TYPE_CHECKING:
    from gradeval.scores.slices import Slices


MUCH_UNJUDGED = 0.05
"""The share of unjudged documents in the top of a run from which its values depend on them."""
HELD_OUT = "only judged documents are known, as where purchases are the grades; others count as not relevant"
"""What to say in place of the advice to judge."""
BEGINS_NOTHING = tuple(" -#<nN")
"""How words for nothing begin, as None and #N/A."""
SHOWN_SHARE = 0.0005
"""A smaller share would be written as 0.0%."""


def topics_counted(numbers: Iterable[int], unit: Unit) -> str:
    """How many topics were counted, where that may depend on the measure: 30 topics, 27 to 30 topics."""
    every = sorted({*numbers})
    most = plural(every[-1], ONE[unit])
    return most if len(every) == 1 else f"{every[0]} to {most}"


def _about_unjudged(scores: Scores, coverage: Coverage, pools: JudgedRankings | None) -> Iterator[Note]:
    """How much of the top and of whole rankings nobody judged; runs without any judged document have other notes."""
    if coverage.judged_top is None:
        return
    every, tops = coverage.unjudged_share.tolist(), coverage.unjudged_top_share.tolist()
    known = [place for place, some in enumerate(coverage.retrieved.sum(-1).tolist()) if some and every[place] < 1]
    runs = [scores.runs[place] for place in known]
    shares, top = ([those[place] for place in known] for those in (every, tops))
    called = "every other run" if 1 in every else "every run"
    weight = NoteWeight.COVERAGE if (worst := max(top, default=0)) >= MUCH_UNJUDGED else None
    if worst < SHOWN_SHARE:
        some = f"less than {SHOWN_SHARE:.2%}" if worst else "none"
        said = [f"{text}; {some} in the top {TOP}" for text in share_by_run("unjudged documents", shares, runs, called)]
    elif shares == top:
        said = [*share_by_run("unjudged documents", shares, runs, called)]
    else:
        whole = f"in whole rankings {sum(shares) / len(shares):.1%}"
        said = [f"{text}; {whole}" for text in share_by_run(f"unjudged documents in the top {TOP}", top, runs, called)]
    yield from (Note(text, own_weight=weight) for text in said)
    if scores.as_often is None:  # else the verdict on these runs says it, where it matters
        yield from _about_unequal_judging(runs, top, pools)


def _about_unequal_judging(runs: Sequence[str], top: Sequence[float], pools: JudgedRankings | None) -> Iterator[Note]:
    """That one of two runs has many more unjudged documents at its top, as a new one has by judgments of the old."""
    if len(runs) != 2 or max(top) - min(top) < MUCH_UNJUDGED:
        return
    from gradeval.scores.held_out import are_held_out  # here, as it is seldom needed

    if pools is not None and are_held_out(pools.pool, top):
        yield Note(HELD_OUT, own_weight=NoteWeight.MEANING)
    else:
        (most, one), (least, other) = sorted(zip(top, runs, strict=True), reverse=True)
        yield Note(
            f"the top {TOP} of {one} is {most:.1%} unjudged, and of {other} {least:.1%}: judge these documents before "
            "you decide; 'gradeval unjudged' lists them",
            own_weight=NoteWeight.OMISSION,
        )


def _about_short_rankings(runs: Sequence[str], measures: Sequence[Measure], retrieved: Array) -> Iterator[Note]:
    """That runs are cut before the cutoff of a measure: where others are longer, or where all end at the same rank."""
    deepest = max((one.cutoff or 0 for one in measures), default=0)
    if retrieved.min(initial=deepest) >= deepest:
        return
    longest = retrieved.max(-1, initial=0)
    ends = find_ends(retrieved)
    short = np.flatnonzero((ends > 0) & (ends < deepest))
    if not len(short):
        return
    most = int(ends[short].max())
    further = [one for one in measures if (one.cutoff or 0) > most]
    looks = f"{further[0]} looks at {further[0].cutoff}"
    if further[1:]:
        looks = f"{join_names([*map(str, further)], 4)} look further"
    if longest.max() > most:
        named = list_some([runs[place] for place in short.tolist()])
        said = f"rankings of {named} hold at most {most} documents, and {looks}; others are longer"
        yield Note(said, CoverageWarning, own_weight=NoteWeight.COVERAGE)
    elif (retrieved == most).all():
        yield Note(f"all rankings hold {most} documents, and {looks}", own_weight=NoteWeight.MEANING)


def _about_documents(scores: Scores, coverage: Coverage) -> Iterator[str]:
    """How much of the runs is tied, and what becomes of ties."""
    if np.count_nonzero(coverage.tied):
        yield from share_by_run("lines with a tied score", coverage.tied_share.tolist(), scores.runs)
    yield from _about_ties(scores)


def _about_ties(scores: Scores) -> Iterator[str]:
    """That values are expected over the orders of tied documents, and standard errors where the orders are random."""
    if scores.ties != "expected":
        return
    if scores.errors is None:
        yield "values are expected over all orders of tied documents, and exact"
        return
    yield from (f"{note}; all else is exact" for note in scores.table().notes)


def about_trainings(scores: Scores, name: str) -> list[Note]:
    """That the scores are of trained rankers, and that ``name`` does not count how their trainings vary."""
    if not scores.seeds:
        return []
    said = (
        f"these are scores of rankers trained with {plural(scores.seeds, 'seed')}; "
        f"{name} does not count how trainings vary: 'crossval' does"
    )
    return [Note(said, SignificanceWarning, own_weight=NoteWeight.OMISSION)]


def about_scores(
    scores: Scores,
    source: ScoreOrigin,
    consequence: str | None = None,
    *,
    unjudged: bool = True,
    told: Coverage | None = None,
    pools: JudgedRankings | None = None,
) -> list[Note]:
    """What is to be said of scores, and warnings of what is probably a mistake.

    ``consequence``: what happens to missing and empty topics, where that does not follow from the scores; ``unjudged``:
    False where the caller says itself how many documents are unjudged; ``told``: the coverage of the same runs by
    other judgments, of which the reader is told, too: notes that both have are not repeated; ``pools``: the counts of
    the judgments, where these themselves are not in ``source``.
    """
    coverage = scores.coverage
    if coverage is None:
        return []
    pools = pools if source is None else source[0].grading().pools
    relevant = _about_grades(scores, source, pools, first=told is None)
    doubted = source is not None and any(run.doubt for run in source[1])
    right = are_right(scores, coverage) and not doubted
    wrong = [] if right else [*find_mistakes(scores, coverage, source, consequence, told)]
    if source is not None:
        wrong += _about_ids(scores, coverage, *source, first=told is None)
        wrong += [Note(text, FilesWarning) for text in about_lone_grades(source[0])]
    if told is None:
        relevant += _about_short_rankings(scores.runs, scores.measures, coverage.retrieved)
    left = [] if coverage.excluded is None else [about_excluded(coverage.excluded, scores.runs)]
    left += [] if coverage.repeated is None else [_about_repeated(coverage.repeated)]
    left += [*_about_unjudged(scores, coverage, pools)] if unjudged else []
    if told is None and source is not None and source[0].joins:
        from gradeval.scores.joined_topics import about_joined_topics  # here, as few topics join columns

        joined = about_joined_topics(scores.topics, source[0].joins)
        left += [Note(text, own_weight=NoteWeight.COVERAGE) for text in joined]
    if told is None and source is not None and source[0].joinable:
        from gradeval.scores.joined_topics import about_folds  # here, as few files have folds

        left += [Note(text, FilesWarning, own_weight=NoteWeight.OMISSION) for text in about_folds(*source)]
    said = [] if told is not None else [*_about_documents(scores, coverage), *_about_hits(scores)]
    return [*relevant, *wrong, *left, *map(Note, said)]


def _about_grades(scores: Scores, source: ScoreOrigin, pools: JudgedRankings | None, *, first: bool) -> list[Note]:
    """What grades mean to the measures; ``first``: is nothing told of them yet by other judgments?"""
    qrels = None if source is None else source[0]
    regrading = () if qrels is None else qrels.regrading
    tell = change_of_any if qrels is None else qrels.tell_change
    notes = [] if pools is None else [*about_all_relevant(scores.measures, pools, regrading, first, tell)]
    if first:
        notes += [] if pools is None else about_gain_order(scores.measures, pools)
        notes += [] if pools is None else about_fractions(scores.measures, pools)
        notes += [] if qrels is None else about_unused_levels(scores.measures, qrels)
        if qrels is not None and len(qrels.levels) > MOST_TYPED:
            from gradeval.scores.count_grades import about_counts  # here, as few judgments have so many

            notes += about_counts(scores.measures, qrels)
        read = () if scores.collection is None else scores.collection.reading
        if qrels is not None and read and "unjudged" not in read:
            notes += about_negatives_that_count(scores.measures, qrels.levels, qrels.grading().below)
        notes += about_thresholds(scores.measures, regrading)
    return notes


def _about_ids(scores: Scores, coverage: Coverage, qrels: Qrels, runs: Sequence[Run], *, first: bool) -> Iterator[Note]:
    """Whether ids are of the judgments' kind; ``first``: is nothing told of the same runs yet by other judgments?"""
    # Runs that have mostly other topics, as of a large file, are not read again to look at ids.
    again = all(len(others) <= len(scores.topics) for others in coverage.unjudged_topics)
    blanks = _about_blanks(scores, qrels, runs) if again else []
    respelt = blanks or [*about_some_documents(scores, coverage, qrels, runs)]
    yield from respelt
    if again and not respelt and (len(runs) > 1 or coverage.unjudged_top_share.any()):
        from gradeval.scores.other_indexes import about_other_indexes  # here, as few need it

        yield from about_other_indexes(scores, coverage, qrels, runs)
    if again and coverage.unjudged_share.max(initial=0) >= FEW_JUDGED:
        from gradeval.scores.column_numbers import about_column_numbers  # here, as most runs are judged

        yield from map(doubt_ids, about_column_numbers(scores, coverage, qrels, runs))
    if first:
        for text in about_same_documents(scores.topics, coverage, qrels, runs):
            yield Note(text, GradesWarning, own_weight=NoteWeight.COVERAGE)


def _about_blanks(scores: Scores, qrels: Qrels, runs: Sequence[Run]) -> list[Note]:
    """That blanks alone tell documents apart, where judgments or runs are values of Python: files are read without."""
    of_memory = (run.is_read_in_place or (run.place == run.name and not run.read_as) for run in runs)
    if not any(of_memory) and qrels.made != OF_DICTIONARY:
        return []
    from gradeval.scores.stray_blanks import about_stray_blanks  # here, as files need none

    return about_stray_blanks(scores.runs, scores.topics, qrels, runs)


def _about_repeated(repeated: Array) -> Note:
    """How many lines were left out, as their documents come several times."""
    number, runs = int(repeated.sum()), int((repeated.sum(-1) > 0).sum())
    lines = f"{plural(number, 'line')} of {some_of_runs(runs, len(repeated))}"
    return Note(
        f"repeated: {lines} left out, as another line of the same document counts", own_weight=NoteWeight.MEANING
    )


def about_excluded(excluded: Excluded, names: Sequence[str] = ()) -> Note:
    """How many pairs have left; none is a warning. ``names`` of the runs tell which ones lost some, if not all did."""
    documents, judgments = int(excluded.documents.sum()), int(excluded.judgments.sum())
    if not (documents or judgments or excluded.emptied):
        said = "exclude leaves out nothing: do the runs lack these pairs already, or are their ids written otherwise?"
        return Note(said, IdsWarning)
    runs = len(excluded.documents)
    losing = [name for name, lost in zip(names, excluded.documents.sum(-1).tolist(), strict=bool(names)) if lost]
    some = 0 < len(losing) < len(names)
    which = list_some(losing) if some else "the run" if runs == 1 else f"{runs} runs"
    left = [f"{plural(documents, 'document')} of {which}"] * (runs > 0)
    text = f"excluded: {', '.join([*left, plural(judgments, 'judgment')])}"
    if excluded.emptied:
        number = len(excluded.emptied)
        are = "is left without judgments and ignored" if number == 1 else "are left without judgments and ignored"
        text += f"; {plural(number, 'topic')} {are} ({list_topics(excluded.emptied)})"
    return Note(text, own_weight=NoteWeight.MEANING)


def _about_hits(scores: Scores) -> Iterator[str]:
    """That hits are counts here, where other tools call a share of topics so."""
    cutoffs = [one.cutoff for one in scores.measures if one.name == "Hits" and one.cutoff is not None]
    if cutoffs:
        yield (
            f"Hits@{cutoffs[0]} counts the relevant documents of a topic; the share of topics that have one is "
            f"Success@{cutoffs[0]}"
        )


def join_places(notes: Iterable[Note]) -> list[Note]:
    """Each note once; one that is said of several places names them all."""
    places: dict[tuple[Note, bool], list[str]] = {}
    for note in notes:
        places.setdefault((replace(note, place=""), bool(note.place)), []).append(note.place)
    return [replace(note, place=list_some([*dict.fromkeys(named)])) for (note, _), named in places.items()]


def about_slices(slices: Slices | None) -> list[Note]:
    """Which topics with a label the collection does not have; that names of topics are queries; unused texts."""
    if slices is not None and slices.counts_names:
        return [
            Note("the words of the topics' names are counted, as names with blanks are queries", place=slices.source)
        ]
    if slices is None:
        return []
    unused = [*about_unused(slices.unused_queries or None), *_about_scattered(slices)]
    if not (strangers := slices.strangers):
        return unused
    are = "is" if len(strangers) == 1 else "are"
    said = f"{plural(len(strangers), 'topic')} with a label {are} not in the collection ({list_topics(strangers)})"
    asked = ask_about_labelled(strangers, slices.unlabelled)
    doubts = [replace(doubt_ids(asked), place=slices.source)] if asked else []
    return [*doubts, *unused, Note(said, place=slices.source)]


def _about_scattered(slices: Slices) -> Iterator[Note]:
    """Columns of so many labels that each slice has few topics, as columns of numbers have."""
    scattered = slices.find_scattered()
    others = [column for column in slices.columns if column not in scattered]
    columns = f"{slices.source}:{','.join(others)}"
    for column, number in scattered.items():
        said = f"{column} has {number} labels for {slices.topics} topics, too many to compare"
        remedy = "label topics by ranges or groups"
        remedy += f", or take {columns}" if others and slices.is_file else ""
        yield Note(f"{said}; {remedy}", SignificanceWarning, slices.source, NoteWeight.COVERAGE)
    if slices.names:
        one = len(slices.names) == 1
        said = f"{list_some(slices.names)} {'has' if one else 'have'} a label of its own for each topic"
        left = f"{'is' if one else 'are'} left out; to see each take {slices.source}:{','.join(slices.names)}"
        yield Note(f"{said}, and {left}", place=slices.source, own_weight=NoteWeight.OMISSION)


def about_unused(queries: object) -> list[Note]:
    """That texts of topics do nothing, where some are given of which nothing is counted or shown."""
    said = "the texts of queries do nothing here: only slices by length count their words"
    return [] if queries is None else [Note(said, own_weight=NoteWeight.MEANING)]


def about_reading(qrels: Qrels) -> list[Note]:
    """That comments of a file look like judgments, and that documents are judged several times, where it is so."""
    skipped = [] if qrels.skipped is None else [Note(str(qrels.skipped), FilesWarning, qrels.name)]
    skipped += _about_nothing(qrels)
    return skipped + ([_about_repeated_grades(qrels), *_about_shares_of_raters(qrels)] if qrels.repeated else [])


def _about_nothing(qrels: Qrels) -> list[Note]:
    """That the only document of some topics is a word for nothing, as None, which may stand for an empty list."""
    single = np.flatnonzero(np.diff(qrels.pools.offsets) == 1)[:MOST_LINES].tolist()
    sole = ((place, qrels.pools.documents(place)[0]) for place in single)
    named = {place: document for place, document in sole if not document or document.startswith(BEGINS_NOTHING)}
    if not named:
        return []
    from gradeval.collection.missing_grades import is_nothing  # here, as few ids begin so

    nothing = [place for place, document in named.items() if is_nothing(document)]
    if not nothing:
        return []
    topics = list_topics([qrels.pools.topics[place] for place in nothing])
    have = "1 topic has" if len(nothing) == 1 else f"{len(nothing)} topics have"
    said = f"{have} only document {named[nothing[0]]!r} ({topics}); if it stands for no document, leave these lines out"
    return [Note(said, FilesWarning, qrels.name)]


def _about_repeated_grades(qrels: Qrels) -> Note:
    """How many judgments came again, and what they do."""
    more = plural(qrels.repeated, "judgment")
    if qrels.kept is None:
        text = f"{more} came again with the same grade, and {'counts' if qrels.repeated == 1 else 'count'} once"
    elif qrels.kept == "mean":
        text = f"repeated: {more} added to the mean "
        text += "grade of its document" if qrels.repeated == 1 else "grades of their documents"
        text += ", each as a rater of its own"
        if (split := int((qrels.grades != np.trunc(qrels.grades)).sum())) > 0:
            whole = "is no whole number" if split == 1 else "are no whole numbers"
            text += f"; {plural(split, 'grade')} {whole}, so each different mean is a grade"
    else:
        text = f"repeated: {more} left out, as another judgment of the same document counts"
    return Note(text, place=qrels.name, own_weight=NoteWeight.MEANING)


def _about_shares_of_raters(qrels: Qrels) -> Iterator[Note]:
    """That documents which some raters of grades 0 and 1 call relevant are not so from grade 1 on."""
    shared = int(((qrels.grades > 0) & (qrels.grades < 1)).sum())
    if qrels.kept == "mean" and shared and qrels.grades.max() <= 1:
        are = "document is" if shared == 1 else "documents are"
        said = f"{shared} {are} relevant to some raters only, so under grade 1: not relevant by AP, P and others"
        yield Note(
            f"{said}; write AP(rel=0.5) to ask for half of the raters", place=qrels.name, own_weight=NoteWeight.MEANING
        )


def warn_of(notes: Iterable[Note], stacklevel: int) -> None:
    """Warn of what is probably a mistake; ``stacklevel``: of the user's line."""
    for note in notes:
        if note.category is not None:
            warnings.warn(str(note), note.category, stacklevel=stacklevel + 1)


def share_by_run(what: str, shares: Sequence[float], runs: Sequence[str], every: str = "every run") -> Iterator[str]:
    """The share of each run, where there is some; ``every``: how all of these runs are called."""
    if not any(shares):
        return
    alike = len({f"{share:.1%}" for share in shares}) == 1
    if alike:
        yield f"{what}: {shares[0]:.1%}{f' of {every}' if len(runs) > 1 else ''}"
    else:
        places = sorted(range(len(runs)), key=shares.__getitem__)
        least, most = (f"{shares[place]:.1%} ({runs[place]})" for place in (places[0], places[-1]))
        yield f"{what}: {sum(shares) / len(shares):.1%} of a run on average, from {least} to {most}"
