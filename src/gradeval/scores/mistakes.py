"""What is probably a mistake: runs that miss topics, that nobody judged, or whose ranks, ids or ties are odd."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np

from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import Array
from gradeval.messages import list_some, list_topics, plural
from gradeval.scores.alike_ids import COMPARED, about_alike, about_some_topics, doubt_ids, find_respelt
from gradeval.scores.coverage import TOP, Coverage, Judging
from gradeval.scores.scores import Missing, Scores
from gradeval.warning_categories import (
    CoverageWarning,
    FilesWarning,
    IdsWarning,
    Note,
    NoteWeight,
    RanksWarning,
    TiesWarning,
)

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
OTHER_SET = "are the ids alike, and are topics and collection the same?"
"""What to ask about a run whose documents nobody judged."""
OTHER_TOPICS = "are the ids alike, or are the judgments of other topics, as of another year?"
"""What to ask about a run that has no topic of the judgments."""
TELLING = 20
"""Documents in the tops of a run of which one at least is judged where the run belongs to the judgments."""


def find_unjudged_tops(judging: Judging) -> Array:
    """bool[run]: is no document of the top of any topic judged, although others below are, and the tops are many?"""
    if judging.judged_top is None:
        return np.zeros(len(judging.retrieved), bool)
    alien = ~judging.judged_top.any(-1) & judging.judged.any(-1)
    return np.asarray(alien & (judging.retrieved_top.sum(-1) >= TELLING) if alien.any() else alien)


ScoreOrigin: TypeAlias = tuple[Qrels, Sequence[Run]] | None
"""Whence scores come, to find ids that are alike; None for runs that were judged elsewhere."""


def _find_foreign(scores: Scores, coverage: Coverage, qrels: Qrels, runs: Sequence[Run]) -> list[int]:
    """The places of runs that have other topics than the judgments; not of those that lack only chosen topics."""
    nothing = (coverage.retrieved.sum(-1) == 0).tolist()
    known = frozenset(qrels.topics if len(scores.topics) < len(qrels.topics) else ())
    return [
        place
        for place, (run, none, topics) in enumerate(zip(runs, nothing, coverage.unjudged_topics, strict=True))
        if none and topics and known.isdisjoint(run.topics if known else ())
    ]


def ask_about_other_topics(topics: Sequence[str], qrels: Qrels) -> str:
    """What may be the matter with runs whose ``topics`` are none of the judgments, and what to type."""
    from gradeval.files.column_order import ask_about_topics  # here, as it is seldom needed

    alike = about_alike("topic", topics, qrels.topics)
    return ask_about_topics(topics, qrels) or next(alike, OTHER_TOPICS)


def _about_foreign(run: Run, topics: Sequence[str], qrels: Qrels, count: str) -> str:
    """That a run has none of the topics of the judgments, by two ids, and how it ``count``s."""
    from difflib import get_close_matches

    there = get_close_matches(topics[0], qrels.topics[:COMPARED], n=1, cutoff=0)[0]
    no_topic = f"no topic in common with the judgments: {there} there, {topics[0]} here"
    asked = ask_about_other_topics(topics, qrels)
    end = "" if asked.endswith(("?", ".")) else "."
    return f"{run.name}: {no_topic}; {asked}{end} All topics are missing; {count}"


def show_documents(run: Run, qrels: Qrels, topic: str) -> str:
    """The first judged document of a topic, and the most similar one that a run returns, as a part of a sentence."""
    from difflib import get_close_matches  # here, as it is seldom needed

    judged = qrels.of(topic)
    there = next(iter(judged), None)
    strange = [*islice((one for one in run.of(topic) if one not in judged), COMPARED)]
    here = next(iter(get_close_matches(there or "", strange, n=1, cutoff=0)), None)
    return "" if there is None or here is None else f": {there!r} there, {here!r} here (topic {topic})"


def _about_parts(coverage: Coverage, runs: Sequence[Run]) -> Iterator[str]:
    """Folders of files that share no topic, as the parts of one run do."""
    from shlex import quote  # here, as it is seldom needed

    by_folder: dict[str, list[int]] = {}
    for number, run in enumerate(runs):
        by_folder.setdefault(os.path.dirname(run.place), []).append(number)
    for folder, numbers in by_folder.items():
        there = coverage.retrieved[numbers] > 0
        others = [topic for number in numbers for topic in coverage.unjudged_topics[number]]
        if folder and numbers[1:] and there.any(-1).all() and there.sum(0).max() < 2 and len({*others}) == len(others):
            yield (
                f"the {len(numbers)} files of {folder} share no topic, and each is read as a run; if they are the "
                f"parts of one, write {quote(folder)} --folder one in place of the files, or in Python folder='one'"
            )


def find_mistakes(
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
    lacking = (coverage.retrieved == 0) & ~find_uncounted(scores)
    lacking[foreign] = False
    for text in _about_parts(coverage, runs):
        yield Note(text, CoverageWarning, own_weight=NoteWeight.COVERAGE)
    known = told is not None and told.missing.tolist() == coverage.missing.tolist()
    for text in () if known else _missing(scores, lacking, count):
        yield Note(text, CoverageWarning, own_weight=NoteWeight.COVERAGE)
    for place in np.flatnonzero(coverage.unjudged_share == 1).tolist():
        field = "" if qrels is None else _find_judged_field(runs[place], qrels)
        other = OTHER_SET
        if field:
            other = f"field {field!r} of its records names judged ones: {_how_to_name(field, runs, place)}"
        alike, two = [], ""
        if qrels is not None:
            topic = scores.topics[int(np.argmax(coverage.retrieved[place]))]
            alike = [*about_alike("document", runs[place].of(topic), qrels.of(topic), f" (topic {topic})")]
            counts = coverage.retrieved[place], coverage.judged[place]
            found = find_respelt(scores.runs[place], runs[place], qrels, scores.topics, counts, 1.0)
            alike = [found.ask()] if found.pairs and not alike else alike
            two = "" if alike else show_documents(runs[place], qrels, topic)
        text = f"{scores.runs[place]}: none of the documents is judged{two}; {other}"
        yield Note(text, CoverageWarning, own_weight=NoteWeight.COVERAGE)
        yield from (doubt_ids(f"{scores.runs[place]}: {text}") for text in alike)
    for place in np.flatnonzero(find_unjudged_tops(coverage)).tolist():
        topic = scores.topics[int(np.argmax(coverage.retrieved[place]))]
        two = "" if qrels is None else show_documents(runs[place], qrels, topic)
        text = f"{scores.runs[place]}: none of the first {TOP} documents of any topic is judged{two}; {OTHER_SET}"
        yield Note(text, CoverageWarning, own_weight=NoteWeight.COVERAGE)
    yield from about_some_topics(scores, unjudged, scores.topics if qrels is None else qrels.topics)
    said = _ignored(unjudged)
    yield from (Note(text, CoverageWarning) for text in said)
    weight = NoteWeight.COVERAGE if len(scores.topics) and scores.vacant.all(0).any() else None
    yield from (Note(text, CoverageWarning, own_weight=weight) for text in about_empty(scores, consequence))
    if told is None:
        doubts = [(name, run.doubt) for name, run in zip(scores.runs, runs, strict=False) if run.doubt]
        yield from (Note(f"{name}: {doubt}", RanksWarning) for name, doubt in doubts)
        yield from _find_mistakes_of_runs(scores, coverage, runs)


def _find_judged_field(run: Run, qrels: Qrels) -> str:
    """The field of a run's JSON records that names judged documents; empty: none does, or there are no records.
    Names of runs and of topics, under which records may lie, are no part."""
    from gradeval.files.nested_records import find_field  # here, as it is seldom needed

    field = find_field(run.place, {document for topic in qrels.topics for document in qrels.of(topic)})
    for name in (run.name, *qrels.topics):
        field = field.removeprefix(f"{name}.")
    return field


def _how_to_name(field: str, runs: Sequence[Run], place: int) -> str:
    """What to type to read the documents of a run from this field; of one file among several."""
    from shlex import quote  # here, as it is seldom needed

    of_file = quote(f"columns:doc={field}:{runs[place].place}")
    option = of_file if runs[1:] else f"--columns {quote(f'doc={field}')}"
    return f"{option}, or in Python read_run(FILE, columns={{'doc': {field!r}}})"


def _find_mistakes_of_runs(scores: Scores, coverage: Coverage, runs: Sequence[Run]) -> Iterator[Note]:
    """The warnings of runs that are the same whatever the judgments are."""
    skipped = zip(scores.runs, coverage.skipped, strict=True)
    yield from (Note(f"{run}: {lines}", FilesWarning) for run, lines in skipped if lines is not None)
    yield from _about_contradictions(scores, coverage, runs)
    yield from (Note(text, IdsWarning) for text in _about_queries_found(scores, coverage))
    tied = np.flatnonzero(coverage.tied_share >= MOST_TIED).tolist()
    if tied and scores.ties not in CHOSEN_TIES:
        names = list_some([scores.runs[place] for place in tied])
        share = f"{'up to ' * (len(tied) > 1)}{coverage.tied_share.max():.1%}"
        ranked = [runs[place].rank_column for place in tied if runs and runs[place].rank_column]
        remedy = f"; {NAME_RANKS}"
        if ranked:
            remedy = f"; column {ranked[0]} is not used: --columns rank={ranked[0]}, or in Python "
            remedy += "read_run(FILE, columns=...), goes by it"
        elif not runs or all(runs[place].read_as for place in tied):
            remedy = ""  # tables without ranks, or of which nothing is known
        yield Note(
            f"{share} of the lines share their score with another ({names}); --ties (ties=) "
            f"says how they are ordered, expected averages over all orders{remedy}",
            TiesWarning,
            own_weight=NoteWeight.COVERAGE,
        )


def are_right(scores: Scores, coverage: Coverage) -> bool:
    """Is it certain, at little cost, that nothing is wrong?"""
    whole = np.count_nonzero(coverage.retrieved) == coverage.retrieved.size
    some = np.count_nonzero(coverage.judged) == coverage.judged.size
    counts = (scores.vacant, coverage.tied, coverage.contradicting, coverage.itself)
    wrong = any(coverage.unjudged_topics) or any(coverage.skipped) or any(map(np.count_nonzero, counts))
    return whole and some and not wrong and not find_unjudged_tops(coverage).any()


def _ignored(unjudged: Sequence[Sequence[str]]) -> Iterator[str]:
    topics = list(dict.fromkeys(topic for extra in unjudged for topic in extra))
    if topics:
        runs = some_of_runs(sum(map(bool, unjudged)), len(unjudged))
        yield f"{plural(len(topics), 'topic')} without judgments ({list_topics(topics)}) ignored in {runs}"


def find_uncounted(scores: Scores) -> Array:
    """bool[topic]: the topics that are empty for every measure and left out, or count 1, whatever runs return there."""
    return np.asarray(scores.vacant.all(-1) & (scores.empty != "zero"))


def _missing(scores: Scores, without: Array, count: str) -> Iterator[str]:
    """How many topics each run misses (``without``: bool[run, topic]), which topics these are, how they ``count``."""
    numbers = zip(scores.runs, without.sum(-1).tolist(), strict=True)
    missing = [f"{run}: {number}" for run, number in numbers if number]
    if missing:
        topics = "the one topic" if len(scores.topics) == 1 else f"some of the {len(scores.topics)} topics"
        lacking = [scores.topics[at] for at in np.flatnonzero(without.any(0))]
        named = f"topic{'s' * (len(lacking) > 1)} {list_topics(lacking, NAMED)}"
        lack = f"returned nothing for {topics} ({list_some(missing)}; {named})"
        yield f"{some_of_runs(len(missing), len(scores.runs))} {lack}; {count}"


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


def _about_contradictions(scores: Scores, coverage: Coverage, runs: Sequence[Run]) -> Iterator[Note]:
    """The runs whose ranks say the opposite of their scores, if there are any; first those that are upside down."""
    if not coverage.contradicting.any():
        return
    from gradeval.scores.rank_order import is_upside_down  # here, as it is seldom needed

    upside_down: list[str] = []
    others: list[str] = []
    for place in np.flatnonzero(coverage.contradicting.any(-1)).tolist():
        rises = coverage.contradicting[place]
        said = f"{scores.runs[place]} in {plural(int(np.count_nonzero(rises)), 'topic')}"
        counts = (rises, coverage.retrieved[place], coverage.tied[place])
        wrong = bool(runs) and is_upside_down(runs[place], scores.topics, *counts)
        (upside_down if wrong else others).append(said)

    def have(some: Sequence[str]) -> str:
        return f"{some_of_runs(len(some), len(scores.runs))} {'has' if len(some) == 1 else 'have'}"

    by_rank = "columns rank=NAME go by the ranks (in TREC text query=1,doc=3,rank=4)"
    if upside_down:
        yield Note(
            f"{have(upside_down)} ranks that contradict the scores, which rise from rank to rank "
            f"({list_some(upside_down)}); so the last rank counts as the first: negate "
            f"distances, or number the ranks anew if the scores are right; if the ranks are, {by_rank}",
            RanksWarning,
        )
    if others:
        yield Note(
            f"{have(others)} ranks that contradict the scores ({list_some(others)}); the scores decide: "
            f"'gradeval check' says where, and {by_rank}",
            RanksWarning,
        )


def _about_queries_found(scores: Scores, coverage: Coverage) -> Iterator[str]:
    """The runs that find the query itself first, as where queries are documents of the collection.

    By chance a first document is called as its topic in few topics, where both have numbers.
    """
    counts = coverage.itself.sum(-1)
    wrong = np.flatnonzero((counts > 0) & (2 * counts >= (coverage.retrieved > 0).sum(-1)))
    if len(wrong):
        some = [f"{scores.runs[place]} in {plural(int(counts[place]), 'topic')}" for place in wrong.tolist()]
        topic = scores.topics[int(np.argmax(coverage.itself[wrong[0]]))]
        yield (
            f"the first document has the id of its query, and no judgment ({list_some(some)}; as in {topic}); if it is "
            "the query itself, --exclude self or exclude='self' leaves it out, as BEIR and MTEB do"
        )


def some_of_runs(number: int, total: int) -> str:
    """How many runs out of all; one of one is the run."""
    return "the run" if total == 1 else f"{number} of {total} runs"
