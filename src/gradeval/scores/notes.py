"""What is to be said about scores: what was ignored, what counts 0, and what is probably a mistake."""

from __future__ import annotations

import os
import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress, islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gradeval.collection.exclusion import Excluded
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.messages import join_names as join_names
from gradeval.messages import list_some as list_some
from gradeval.messages import plural as plural
from gradeval.scores.coverage import TOP, Coverage, find_ends
from gradeval.scores.grade_notes import about_all_relevant, about_gain_order, about_lone_grades, about_thresholds
from gradeval.scores.scores import ONE, Missing, Scores, Unit
from gradeval.warning_categories import (
    CoverageWarning,
    FilesWarning,
    IdsWarning,
    NoteWeight,
    RanksWarning,
    SignificanceWarning,
    TiesWarning,
)
from gradeval.warning_categories import Note as Note

if TYPE_CHECKING:
    from gradeval.scores.slices import Slices

MUCH_UNJUDGED = 0.05
"""The share of unjudged documents in the top of a run from which its values depend on them."""
SHOWN_SHARE = 0.0005
"""A smaller share would be written as 0.0%."""
NAME_RANKS = "if its ranks are right, name them: --columns rank=NAME, in TREC text query=1,doc=3,rank=4"
"""What to do about a run whose scores are equal."""
MOST_TIED = 0.5
"""The share of tied lines from which a run is warned of."""
NAMED = 3
"""Topics without documents that a warning names."""
COUNT_MISSING: dict[Missing, str] = {
    "zero": "they count 0",
    "skip": "they are left out of the mean",
    "common": "they are left out for all runs",
}
"""What happens to topics that a run misses."""
CHOSEN_TIES = ("expected", "order", "best", "worst")
"""Who orders ties so knows of them."""
UNSEEN = ("Zs", "Zl", "Zp", "Cc", "Cf")
"""Unicode's categories of blanks and of marks that nobody sees."""
DOUBTFUL_TOP = 0.2
"""The share of unjudged documents in the top of a run from which ids of documents are compared."""
FEW_JUDGED, SEVERAL = 0.9, 3
"""The share in whole rankings from which they are compared, too, and one that looks alike is asked about; else
several."""
LOOKED_AT = 10
"""Topics whose documents are compared."""
MOST_LINES = 100_000
"""The lines of a run up to which it is read once more for that."""
COMPARED = 1000
"""Ids that are compared to find those that are alike."""
OTHER_SET = "are the ids alike, and are topics and collection the same?"
"""What to ask about a run whose documents nobody judged."""
TELLING = 20
"""Documents in the tops of a run of which one at least is judged where the run belongs to the judgments."""


def find_unjudged_tops(coverage: Coverage) -> Array:
    """bool[run]: is no document of the top of any topic judged, although others below are, and the tops are many?"""
    if coverage.judged_top is None:
        return np.zeros(len(coverage.retrieved), bool)
    alien = ~coverage.judged_top.any(-1) & coverage.judged.any(-1)
    return np.asarray(alien & (coverage.retrieved_top.sum(-1) >= TELLING) if alien.any() else alien)


def topics_counted(numbers: Iterable[int], unit: Unit) -> str:
    """How many topics were counted, where that may depend on the measure: 30 topics, 27 to 30 topics."""
    every = sorted({*numbers})
    most = plural(every[-1], ONE[unit])
    return most if len(every) == 1 else f"{every[0]} to {most}"


def _about_unjudged(scores: Scores, coverage: Coverage) -> Iterator[Note]:
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
        said = [f"{text}; {some} in the top {TOP}" for text in _share("unjudged documents", shares, runs, called)]
    elif shares == top:
        said = [*_share("unjudged documents", shares, runs, called)]
    else:
        whole = f"in whole rankings {np.mean(shares):.1%}"
        said = [f"{text}; {whole}" for text in _share(f"unjudged documents in the top {TOP}", top, runs, called)]
    yield from (Note(text, own_weight=weight) for text in said)


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
        yield from _share("lines with a tied score", coverage.tied_share.tolist(), scores.runs)
    yield from _about_ties(scores)


def _about_ties(scores: Scores) -> Iterator[str]:
    """That values are expected over the orders of tied documents, and standard errors where the orders are random."""
    if scores.ties != "expected":
        return
    if scores.errors is None:
        yield "values are expected over all orders of tied documents, and exact"
        return
    yield from (f"{note}; all else is exact" for note in scores.table().notes)


ScoreOrigin: TypeAlias = tuple[Qrels, Sequence[Run]] | None
"""Whence scores come, to find ids that are alike; None for runs that were judged elsewhere."""


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
    doubted = source is not None and any(run.doubt for run in source[1])
    wrong = (
        []
        if _nothing_to_say(scores, coverage) and not doubted
        else _find_mistakes(scores, coverage, source, consequence, told)
    )
    if source is not None:
        wrong = [*wrong, *map(_doubt_ids, _about_some_documents(scores, coverage, *source))]
    lone = [] if source is None else [Note(text, FilesWarning) for text in about_lone_grades(source[0])]
    if source is not None:
        pools = source[0].grading().pools
    regrading = () if source is None else source[0].regrading
    relevant = [] if pools is None else [*about_all_relevant(scores.measures, pools, regrading, told is None)]
    if told is None:
        relevant += [] if pools is None else about_gain_order(scores.measures, pools)
        relevant += about_thresholds(scores.measures, regrading)
        relevant += _about_short_rankings(scores.runs, scores.measures, coverage.retrieved)
    left = [] if coverage.excluded is None else [about_excluded(coverage.excluded)]
    left += [] if coverage.repeated is None else [_about_repeated(coverage.repeated)]
    left += [*_about_unjudged(scores, coverage)] if unjudged else []
    said = [] if told is not None else [*_about_documents(scores, coverage), *_about_hits(scores)]
    return [*relevant, *wrong, *lone, *left, *map(Note, said)]


def _about_repeated(repeated: Array) -> Note:
    """How many lines were left out, as their documents come several times."""
    number, runs = int(repeated.sum()), int((repeated.sum(-1) > 0).sum())
    lines = f"{plural(number, 'line')} of {_of(runs, len(repeated))}"
    return Note(
        f"repeated: {lines} left out, as another line of the same document counts", own_weight=NoteWeight.MEANING
    )


def about_excluded(excluded: Excluded) -> Note:
    """How many pairs have left; none is a warning."""
    documents, judgments = int(excluded.documents.sum()), int(excluded.judgments.sum())
    if not (documents or judgments or excluded.emptied):
        return Note("exclude leaves out nothing: no such pair of topic and document; are the ids alike?", IdsWarning)
    runs = len(excluded.documents)
    left = [f"{plural(documents, 'document')} of {'the run' if runs == 1 else f'{runs} runs'}"] * (runs > 0)
    text = f"excluded: {', '.join([*left, plural(judgments, 'judgment')])}"
    if excluded.emptied:
        number = len(excluded.emptied)
        are = "is left without judgments and ignored" if number == 1 else "are left without judgments and ignored"
        text += f"; {plural(number, 'topic')} {are} ({list_some(excluded.emptied)})"
    return Note(text, own_weight=NoteWeight.MEANING)


def _about_hits(scores: Scores) -> Iterator[str]:
    """That hits are counts here, where other tools call a share of topics so."""
    cutoffs = [one.cutoff for one in scores.measures if one.name == "Hits" and one.cutoff is not None]
    if cutoffs:
        yield (
            f"Hits@{cutoffs[0]} counts the relevant documents of a topic; the share of topics that have one is "
            f"Success@{cutoffs[0]}"
        )


def join_places(found: Iterable[Note]) -> list[Note]:
    """Each note once; one that is said of several places names them all."""
    places: dict[tuple[Note, bool], list[str]] = {}
    for note in found:
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
    said = f"{plural(len(strangers), 'topic')} with a label {are} not in the collection ({list_some(strangers)})"
    return [*unused, Note(said, place=slices.source)]


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


def about_unused(queries: object) -> list[Note]:
    """That texts of topics do nothing, where some are given of which nothing is counted or shown."""
    said = "the texts of queries do nothing here: only slices by length count their words"
    return [] if queries is None else [Note(said, own_weight=NoteWeight.MEANING)]


def about_reading(qrels: Qrels) -> list[Note]:
    """That comments of a file look like judgments, and that documents are judged several times, where it is so."""
    skipped = [] if qrels.skipped is None else [Note(str(qrels.skipped), FilesWarning, qrels.name)]
    return skipped + ([_about_repeated_grades(qrels), *_about_shares_of_raters(qrels)] if qrels.repeated else [])


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
            text += f"; {plural(split, 'grade')} {whole}, so that each grade which occurs is a level"
    else:
        text = f"repeated: {more} left out, as another grade of the same document counts"
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


def _find_foreign(scores: Scores, coverage: Coverage, qrels: Qrels, runs: Sequence[Run]) -> list[int]:
    """The places of runs that have other topics than the judgments; not of those that lack only chosen topics."""
    nothing = (coverage.retrieved.sum(-1) == 0).tolist()
    known = frozenset(qrels.topics if len(scores.topics) < len(qrels.topics) else ())
    return [
        place
        for place, (run, none, topics) in enumerate(zip(runs, nothing, coverage.unjudged_topics, strict=True))
        if none and topics and known.isdisjoint(run.topics if known else ())
    ]


def _about_foreign(run: Run, topics: Sequence[str], qrels: Qrels, count: str) -> str:
    """That a run has none of the topics of the judgments, by two ids, and how it ``count``s."""
    from difflib import get_close_matches

    from gradeval.files.column_order import ask_about_topics  # here, as it is seldom needed

    there = get_close_matches(topics[0], qrels.topics[:COMPARED], n=1, cutoff=0)[0]
    no_topic = f"no topic in common with the judgments: {there} there, {topics[0]} here"
    asked = ask_about_topics(topics, qrels, [run])
    ask = f"; {asked}{'' if asked.endswith('?') else '.'}" if asked else "?"
    return f"{run.name}: {no_topic}{ask} All topics are missing; {count}"


def _about_parts(coverage: Coverage, runs: Sequence[Run]) -> Iterator[str]:
    """Folders of files that share no topic, as the parts of one run do."""
    by_folder: dict[str, list[int]] = {}
    for number, run in enumerate(runs):
        by_folder.setdefault(os.path.dirname(run.place), []).append(number)
    for folder, numbers in by_folder.items():
        there = coverage.retrieved[numbers] > 0
        others = [topic for number in numbers for topic in coverage.unjudged_topics[number]]
        if folder and numbers[1:] and there.any(-1).all() and there.sum(0).max() < 2 and len({*others}) == len(others):
            yield (
                f"the {len(numbers)} files of {folder} share no topic, and each is read as a run; if they are the "
                "parts of one, name the folder with --folder one, or folder='one'"
            )


def _find_mistakes(
    scores: Scores, coverage: Coverage, source: ScoreOrigin, consequence: str | None, told: Coverage | None
) -> Iterator[Note]:
    """The warnings of scores: what a run covers first; a run without a topic in common is in no other note.

    ``told``: see ``about_scores``.
    """
    qrels, runs = source or (None, ())
    foreign = [] if qrels is None else _find_foreign(scores, coverage, qrels, runs)
    count = consequence or COUNT_MISSING[scores.missing]
    for place in foreign:
        assert qrels is not None
        text = _about_foreign(runs[place], coverage.unjudged_topics[place], qrels, count)
        yield Note(text, CoverageWarning, own_weight=NoteWeight.COVERAGE)
    unjudged = [[] if place in foreign else topics for place, topics in enumerate(coverage.unjudged_topics)]
    missing = [0 if place in foreign else number for place, number in enumerate(coverage.missing.tolist())]
    known = told is not None and told.missing.tolist() == coverage.missing.tolist()
    for text in () if known else _missing(scores, coverage, missing, count):
        yield Note(text, CoverageWarning, own_weight=NoteWeight.COVERAGE)
    for place in np.flatnonzero(coverage.unjudged_share == 1).tolist():
        field = "" if qrels is None else _find_judged_field(runs[place], qrels)
        other = f"field {field!r} of its records names judged ones: --columns doc={field}, or columns= in Python"
        text = f"{scores.runs[place]}: none of the documents is judged; {other if field else OTHER_SET}"
        yield Note(text, CoverageWarning, own_weight=NoteWeight.COVERAGE)
        if qrels is not None:
            topic = scores.topics[int(np.argmax(coverage.retrieved[place]))]
            alike = _about_alike("document", runs[place].of(topic), qrels.of(topic))
            yield from (_doubt_ids(f"{scores.runs[place]}: {text} (topic {topic})") for text in alike)
    for place in np.flatnonzero(find_unjudged_tops(coverage)).tolist():
        text = f"{scores.runs[place]}: none of the first {TOP} documents of any topic is judged; {OTHER_SET}"
        yield Note(text, CoverageWarning, own_weight=NoteWeight.COVERAGE)
    others = (topic for topics in unjudged for topic in topics)
    yield from map(_doubt_ids, _about_alike("topic", others, scores.topics if qrels is None else qrels.topics))
    said = (*_about_parts(coverage, runs), *_ignored(unjudged))
    yield from (Note(text, CoverageWarning) for text in said)
    weight = NoteWeight.COVERAGE if len(scores.topics) and scores.vacant.all(0).any() else None
    yield from (Note(text, CoverageWarning, own_weight=weight) for text in about_empty(scores, consequence))
    if told is None:
        doubts = [(name, run.doubt) for name, run in zip(scores.runs, runs, strict=False) if run.doubt]
        yield from (Note(f"{name}: {doubt}", RanksWarning) for name, doubt in doubts)
        yield from _find_mistakes_of_runs(scores, coverage, runs)


def _find_judged_field(run: Run, qrels: Qrels) -> str:
    """The field of a run's JSON records that names judged documents; empty: none does."""
    if not run.read_as.startswith("JSON"):
        return ""
    from gradeval.files.nested_records import find_field  # here, as it is seldom needed

    return find_field(run.place, {document for topic in qrels.topics for document in qrels.of(topic)})


def _find_mistakes_of_runs(scores: Scores, coverage: Coverage, runs: Sequence[Run]) -> Iterator[Note]:
    """The warnings of runs that are the same whatever the judgments are."""
    skipped = zip(scores.runs, coverage.skipped, strict=True)
    yield from (Note(f"{run}: {lines}", FilesWarning) for run, lines in skipped if lines is not None)
    yield from (Note(text, RanksWarning) for text in _about_contradictions(scores.runs, coverage))
    yield from (Note(text, IdsWarning) for text in _about_queries_found(scores, coverage))
    tied = np.flatnonzero(coverage.tied_share >= MOST_TIED).tolist()
    if tied and scores.ties not in CHOSEN_TIES:
        names = list_some([scores.runs[place] for place in tied])
        share = f"{'up to ' * (len(tied) > 1)}{coverage.tied_share.max():.1%}"
        ranked = [runs[place].rank_column for place in tied if runs and runs[place].rank_column]
        remedy = f"; {NAME_RANKS}"
        if ranked:
            remedy = f"; column {ranked[0]} is not used: --columns rank={ranked[0]}, or read_run(columns=), goes by it"
        elif not runs or all(runs[place].read_as for place in tied):
            remedy = ""  # tables without ranks, or of which nothing is known
        yield Note(
            f"{share} of the lines share their score with another ({names}); --ties (ties=) "
            f"says how they are ordered, expected averages over all orders{remedy}",
            TiesWarning,
        )


def _nothing_to_say(scores: Scores, coverage: Coverage) -> bool:
    """Is it certain, at little cost, that nothing is wrong?"""
    whole = np.count_nonzero(coverage.retrieved) == coverage.retrieved.size
    some = np.count_nonzero(coverage.judged) == coverage.judged.size
    counts = (scores.vacant, coverage.tied, coverage.contradicting, coverage.itself)
    wrong = any(coverage.unjudged_topics) or any(coverage.skipped) or any(map(np.count_nonzero, counts))
    return whole and some and not wrong and not find_unjudged_tops(coverage).any()


def _about_alike(what: str, here: Iterable[str], there: Iterable[str]) -> Iterator[str]:
    """The first id ``here`` that only zeros in front of a number or decimals behind it, a prefix, case, blanks or
    Unicode's spelling of a letter tell from one ``there``."""
    known = set(there)
    compared = list(islice(known, COMPARED))
    plain = {_fold_id(other): other for other in compared}
    numbers = {_split_number(other)[1]: other for other in compared}
    whole = {other.casefold(): other for other in compared}
    ends = {end: other for other in compared for end in _ends(other)}
    for one in islice(here, COMPARED):
        behind = (whole[end] for end in _ends(one) if end in whole)
        other = plain.get(_fold_id(one)) or _same_number(one, numbers) or ends.get(one.casefold()) or next(behind, None)
        if other is not None and one not in known:
            yield _ask_whether_same(what, one, other)
            return


def _about_some_documents(scores: Scores, coverage: Coverage, qrels: Qrels, runs: Sequence[Run]) -> Iterator[str]:
    """That documents of a run are spelled otherwise in the judgments. Where some match, several must look alike.

    It looks at some topics of the run with most unjudged documents, as that takes time: more than to score a mapping,
    which is done over and over. It looks at a mapping only where next to nothing is judged.
    """
    share = coverage.unjudged_share
    if share.max(initial=0) < FEW_JUDGED and all(run.is_read_in_place for run in runs):
        return
    counted = [len(coverage.unjudged_topics[place]) <= len(scores.topics) for place in range(len(scores.runs))]
    doubtful = (coverage.unjudged_top_share >= DOUBTFUL_TOP) & [not run.is_read_in_place for run in runs]
    partly = (doubtful | (share >= FEW_JUDGED)) & (share < 1)
    small = np.flatnonzero(partly & counted & (coverage.retrieved.sum(-1) <= MOST_LINES))
    if not len(small):
        return
    place = int(small[share[small].argmax()])
    unjudged = coverage.retrieved[place] - coverage.judged[place]
    most = [topic for topic in np.argsort(-unjudged, kind="stable")[:LOOKED_AT].tolist() if unjudged[topic]]
    topics = [scores.topics[topic] for topic in most]  # which the run has
    alike = [(topic, *pair) for topic in topics for pair in _find_respelt(runs[place].of(topic), qrels.of(topic))]
    if len(alike) >= (1 if share[place] >= FEW_JUDGED else SEVERAL):
        topic, one, other = alike[0]
        more = f"; {plural(len(alike) - 1, 'more document')} in {plural(len(topics), 'topic')}" if alike[1:] else ""
        yield f"{scores.runs[place]}: {_ask_whether_same('document', one, other)} (topic {topic}{more})"


def _find_respelt(ranked: Mapping[str, float], judged: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """The documents that nobody judged, each with a judged document of nearly the same name that was not retrieved."""
    others = {_id_key(document): document for document in judged if document not in ranked}
    for one in islice(ranked, COMPARED):
        if one not in judged and (other := others.get(_id_key(one))) is not None:
            yield one, other


def _id_key(one: str) -> tuple[str, str]:
    """What remains of an id without what people and tools change: see ``_fold_id``, and zeros before its number."""
    return _split_number(_fold_id(one))


def _doubt_ids(text: str) -> Note:
    """A warning of ids that look alike: it explains what a run misses, so it weighs as much."""
    return Note(text, IdsWarning, own_weight=NoteWeight.COVERAGE)


def _ask_whether_same(what: str, one_id: str, other: str) -> str:
    """The question; letters beyond ASCII are written out where both look alike."""
    alike = unicodedata.normalize("NFKC", one_id) == unicodedata.normalize("NFKC", other)
    here, there = (ascii(name) if alike else repr(name) for name in (one_id, other))
    said = f"{what} {here} of the run is none of the judgments, {there} is: are they the same?"
    if not {one[-2:] for one in (one_id, other)} & {".0"}:
        return said
    from gradeval.collection.decimal_ids import remedy_of_decimals  # here, as it is seldom needed

    return f"{said} If so, {remedy_of_decimals([one_id, other])}"


def _fold_id(one: str) -> str:
    """An id without case, blanks, marks that nobody sees, decimals of zeros, and as Unicode composes its letters."""
    if one.isascii() and one.isprintable():
        seen = one.replace(" ", "")
    else:
        composed = unicodedata.normalize("NFKC", one)
        seen = "".join(letter for letter in composed if unicodedata.category(letter) not in UNSEEN)
    return re.sub(r"(?<=\d)\.0+$", "", seen).casefold()


def _same_number(one: str, numbers: Mapping[str, str]) -> str | None:
    """The id with the same number at its end, if only zeros before the number, a prefix or case differ."""
    prefix, number = _split_number(one)
    other = numbers.get(number, "")
    prefixes = {prefix, _split_number(other)[0]}
    return other if other and (len(prefixes) == 1 or "" in prefixes) else None


def _ends(one: str) -> list[str]:
    """What stands behind each mark within an id, in lower case: behind ``cord/uid-7`` are ``uid-7`` and ``7``."""
    return [one[mark.end() :].casefold() for mark in re.finditer(r"[\W_]+", one) if mark.end() < len(one)]


def _split_number(one: str) -> tuple[str, str]:
    """What stands before the number at the end of an id, in lower case, and that number without zeros in front."""
    match = re.search(r"0*(\d+)$", one)
    return (one[: match.start()].casefold(), match[1]) if match else ("", one.casefold())


def _ignored(unjudged: Sequence[Sequence[str]]) -> Iterator[str]:
    topics = list(dict.fromkeys(topic for extra in unjudged for topic in extra))
    if topics:
        runs = _of(sum(map(bool, unjudged)), len(unjudged))
        yield f"{plural(len(topics), 'topic')} without judgments ({list_some(topics)}) ignored in {runs}"


def _missing(scores: Scores, coverage: Coverage, numbers: Sequence[int], count: str) -> Iterator[str]:
    """How many topics each run misses, which topics these are, and how they ``count``."""
    missing = [f"{run}: {number}" for run, number in zip(scores.runs, numbers, strict=True) if number]
    if missing:
        topics = "the one topic" if len(scores.topics) == 1 else f"some of the {len(scores.topics)} topics"
        without = (coverage.retrieved[np.flatnonzero(numbers)] == 0).any(0)
        lacking = [*compress(scores.topics, without)]
        named = f"topic{'s' * (len(lacking) > 1)} {list_some(lacking, NAMED)}"
        lack = f"returned nothing for {topics} ({list_some(missing)}; {named})"
        yield f"{_of(len(missing), len(scores.runs))} {lack}; {count}"


def about_empty(scores: Scores, consequence: str | None = None) -> Iterator[str]:
    """How many topics hold nothing to be found, by the measures; ``consequence``: see ``about_scores``."""
    by_number: dict[int, list[str]] = {}
    for measure, number in zip(scores.measures, scores.vacant.sum(0).tolist(), strict=True):
        by_number.setdefault(number, []).append(str(measure))
    by_number.pop(0, None)
    policy = {"zero": "they count 0", "skip": "they are left out", "one": "they count 1"}[scores.empty]
    policy += "" if scores.empty == "skip" else "; --empty skip or empty='skip' leaves them out"
    for number, measures in sorted(by_number.items()):
        topics = f"{number} of {len(scores.topics)} topics"
        yield f"{topics} hold nothing to be found for {list_some(measures)}; {consequence or policy}"


def _share(what: str, shares: Sequence[float], runs: Sequence[str], every: str = "every run") -> Iterator[str]:
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


def _about_contradictions(runs: Sequence[str], coverage: Coverage) -> Iterator[str]:
    """The runs whose ranks say the opposite of their scores, if there are any."""
    topics = (coverage.contradicting > 0).sum(-1).tolist()
    wrong = [f"{run} in {plural(number, 'topic')}" for run, number in zip(runs, topics, strict=True) if number]
    if wrong:
        have = f"{_of(len(wrong), len(runs))} {'has' if len(wrong) == 1 else 'have'}"
        yield (
            f"{have} ranks that contradict the scores ({list_some(wrong)}); the scores decide: 'gradeval check' says "
            "where, and columns rank=NAME go by the ranks (in TREC text query=1,doc=3,rank=4)"
        )


def _about_queries_found(scores: Scores, coverage: Coverage) -> Iterator[str]:
    """The runs that find the query itself first, as where queries are documents of the collection.

    By chance a first document is called as its topic in few topics, where both have numbers.
    """
    found = coverage.itself.sum(-1)
    wrong = np.flatnonzero((found > 0) & (2 * found >= (coverage.retrieved > 0).sum(-1)))
    if len(wrong):
        some = [f"{scores.runs[place]} in {plural(int(found[place]), 'topic')}" for place in wrong.tolist()]
        topic = scores.topics[int(np.argmax(coverage.itself[wrong[0]]))]
        yield (
            f"the first document has the id of its query, and no judgment ({list_some(some)}; as in {topic}); if it is "
            "the query itself, --exclude self or exclude='self' leaves it out, as BEIR and MTEB do"
        )


def _of(number: int, total: int) -> str:
    return "the run" if total == 1 else f"{number} of {total} runs"
