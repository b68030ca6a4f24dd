"""Ids of runs that look like ids of the judgments, and are spelled otherwise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.messages import plural
from gradeval.scores.coverage import Coverage
from gradeval.scores.scores import Scores
from gradeval.warning_categories import IdsWarning, Note, NoteWeight

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


def about_alike(what: str, here: Iterable[str], there: Iterable[str]) -> Iterator[str]:
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


def about_some_documents(scores: Scores, coverage: Coverage, qrels: Qrels, runs: Sequence[Run]) -> Iterator[str]:
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


def doubt_ids(text: str) -> Note:
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
