"""Ids of runs that look like ids of the judgments, but are spelled otherwise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.plain_text import EDGES, tell_shortened
from gradeval.formula.arithmetic import Array
from gradeval.messages import plural
from gradeval.scores.coverage import Coverage
from gradeval.scores.scores import Scores
from gradeval.warning_categories import IdsWarning, Note, NoteWeight, RespeltNote

UNSEEN = ("Zs", "Zl", "Zp", "Cc", "Cf")
"""Unicode's categories of blanks and of marks that nobody sees."""
DOUBTFUL_TOP = 0.2
"""The share of unjudged documents in the top of a run from which ids of documents are compared."""
FEW_JUDGED, SEVERAL = 0.9, 3
"""From this share in whole rankings on they are compared, too, and one alike is asked about; below it several are."""
LOOKED_AT = 10
"""Topics whose documents are compared to see whether all are."""
MOST_LINES = 100_000
"""Longer runs are not read once more for this."""
MANY_LOST = 0.05
"""A run that spells this share of the judgments otherwise has no right number."""
OTHERS_NAMED = 3
"""Further runs whose documents are counted."""
COMPARED = 1000
"""Ids that are compared to find those that are alike."""
JUDGE = "judge"
"""The holder of ids that humans may spell otherwise."""
STRIP = "strip the ids, as in document.strip()"
"""What to do about blanks around ids, which only values of Python have."""
LOWER = (
    "write both in lower case with single blanks: in pandas df[COLUMN] = "
    "df[COLUMN].str.split().str.join(' ').str.casefold()"
)
"""What to do about ids that differ in case and blanks."""


def about_alike(
    what: str, here: Iterable[str], there: Iterable[str], where: str = "", holder: str = "run"
) -> Iterator[str]:
    """The first id ``here`` that only zeros in front of a number or decimals behind it, something before or behind a
    mark, case, blanks, hyphens or Unicode's spelling of a letter tell from one ``there``; or the first id that Excel
    shortened, on either side. ``where``: what is added to the question."""
    known, here = set(there), [*islice(here, COMPARED)]
    if known.issuperset(here):
        return
    from gradeval.scores.affixed_ids import keep_likely, pair_affixed  # here, as ids are seldom strange

    compared = sorted(islice(known, COMPARED))
    strange = [one for one in here if one not in known]
    for ids, whose in ((strange, holder), (compared, "judgments")):
        for one in ids:
            if shortened := tell_shortened(one):
                yield f"{what} {one!r} of the {whose} {shortened}{where}"
                return
    plain = {_fold_id(other): other for other in compared}
    numbers = {_id_key(other)[1]: other for other in compared}
    whole = {other.casefold(): other for other in compared}
    ends = {end: other for other in compared for end in _ends(other)}
    likely = keep_likely([("", *pair) for pair in pair_affixed(strange, compared)])
    affixed = [pair[1:] for pair in likely]
    for one in here:
        behind = (whole[end] for end in _ends(one) if end in whole)
        other = plain.get(_fold_id(one)) or _same_number(one, numbers) or ends.get(one.casefold()) or next(behind, None)
        if other is not None and one not in known:
            pairs = affixed if (one, other) in affixed else [(one, other)]
            yield f"{_ask_whether_same(what, one, other, holder)}{where}{_remedy(pairs, holder)}"
            return
    for pair in islice(_differ_by_hyphens(strange, compared), 1):
        yield f"{_ask_whether_same(what, *pair, holder)}{where}{_remedy([pair], holder)}"
        return
    if affixed:
        yield f"{_ask_whether_same(what, *affixed[0], holder)}{where}{_remedy(affixed, holder)}"


class RespeltDocuments(NamedTuple):
    """Documents of a run or a log that the judgments spell otherwise.

    ``pairs``: for each its topic, its id, and the id of the judgments; empty: there are none. ``holder``: run or log.
    """

    run: str
    pairs: list[tuple[str, str, str]]
    holder: str = "run"

    def tell_number(self, left_out: int = 0) -> str:
        """How many documents there are, in how many topics; ``left_out``: those that are named already."""
        more = " more" * (left_out > 0)
        topics = plural(len({topic for topic, _, _ in self.pairs}), "topic")
        return f"{plural(len(self.pairs) - left_out, f'{more} document'.strip())} in {topics}"

    def weigh(self, judgments: int) -> NoteWeight:
        """How much they matter, of so many judgments."""
        return NoteWeight.OMISSION if len(self.pairs) >= MANY_LOST * judgments else NoteWeight.COVERAGE

    def ask(self, others: Sequence[RespeltDocuments] = ()) -> str:
        """Whether both ids name one document, how many more there are, here and in ``others``, and what to do."""
        topic, one, other = self.pairs[0]
        said = [f"topic {topic}", *([self.tell_number(1)] if self.pairs[1:] else [])]
        said += [f"{each.run}: {each.tell_number()}" for each in others[:OTHERS_NAMED]]
        said += [plural(len(others) - OTHERS_NAMED, "more run")] * (len(others) > OTHERS_NAMED)
        remedy = _remedy([(here, there) for _, here, there in self.pairs], self.holder)
        return f"{_ask_whether_same('document', one, other, self.holder)} ({'; '.join(said)}){remedy}"


def find_respelt(
    name: str, run: Run, qrels: Qrels, topics: Sequence[str], counts: Sequence[Array], top: float
) -> RespeltDocuments:
    """The documents of a run that are spelled otherwise in the judgments, where next to none or several are.

    ``counts``: int64[topic], twice: documents returned, and judged; ``top``: the share of unjudged documents in its
    top. Some topics with most unjudged documents tell whether to look at all of them, as that takes time.
    """
    retrieved, judged = counts
    unjudged = retrieved - judged
    few = unjudged.sum() >= FEW_JUDGED * retrieved.sum()
    if not unjudged.any() or not (few or top >= DOUBTFUL_TOP) or retrieved.sum() > MOST_LINES:
        return RespeltDocuments(name, [])
    order = np.argsort(-unjudged, kind="stable")
    most = [topics[place] for place in order.tolist() if unjudged[place]]  # which the run has
    pairs = [*_find_in_topics(run.of, qrels, most[:LOOKED_AT])]
    if len(pairs) < (1 if few else SEVERAL):
        return RespeltDocuments(name, [])
    return RespeltDocuments(name, [*pairs, *_find_in_topics(run.of, qrels, most[LOOKED_AT:])])


def about_some_documents(scores: Scores, coverage: Coverage, qrels: Qrels, runs: Sequence[Run]) -> Iterator[Note]:
    """That documents of runs are spelled otherwise in the judgments. Where some match, several must look alike.

    It looks at the run with most unjudged documents, and at others where that has some, as it takes time: more than to
    score a mapping, which is done over and over. It looks at a mapping only where next to nothing is judged.
    """
    share = coverage.unjudged_share
    if share.max(initial=0) < FEW_JUDGED and all(run.is_read_in_place for run in runs):
        return
    tops = [
        0.0 if run.is_read_in_place else top
        for run, top in zip(runs, coverage.unjudged_top_share.tolist(), strict=True)
    ]

    def find(place: int) -> RespeltDocuments:
        counts = coverage.retrieved[place], coverage.judged[place]
        return find_respelt(scores.runs[place], runs[place], qrels, scores.topics, counts, tops[place])

    counted = [len(coverage.unjudged_topics[place]) <= len(scores.topics) for place in range(len(scores.runs))]
    doubtful = (np.array(tops) >= DOUBTFUL_TOP) | (share >= FEW_JUDGED)
    small = np.flatnonzero(doubtful & (share < 1) & counted & (coverage.retrieved.sum(-1) <= MOST_LINES))
    if not len(small):
        return
    worst = int(small[share[small].argmax()])
    first = find(worst)
    if first.pairs:
        others = [found for place in small.tolist() if place != worst and (found := find(place)).pairs]
        every = (first, *others)
        weight = max(found.weigh(len(qrels)) for found in every)
        judged = dict(zip(scores.runs, coverage.judged.sum(-1).tolist(), strict=True))
        doubted = tuple(
            (found.run, found.ask())
            for found in every
            if len(found.pairs) > MANY_LOST * (judged[found.run] + len(found.pairs))
        )
        yield RespeltNote(f"{first.run}: {first.ask(others)}", IdsWarning, own_weight=weight, doubted=doubted)


def about_some_topics(scores: Scores, unjudged: Sequence[Sequence[str]], topics: Sequence[str]) -> Iterator[Note]:
    """That topics of runs are spelled otherwise in the judgments; a run that loses ``MANY_LOST`` of them has no right
    number. ``unjudged``: the topics of each run that are not among ``topics``, the judged ones."""
    asked = next(about_alike("topic", (one for some in unjudged for one in some), topics), None)
    if asked is None:
        return
    keys = [_id_key(topic) for topic in scores.topics]
    lost = [
        (run, sum(key in others for key, there in zip(keys, present, strict=True) if not there))
        for run, present, some in zip(scores.runs, scores.present.tolist(), unjudged, strict=True)
        if (others := {*map(_id_key, some)})
    ]
    doubted = tuple((run, asked) for run, number in lost if number >= max(1, MANY_LOST * len(keys)))
    weight = NoteWeight.OMISSION if doubted else NoteWeight.COVERAGE
    yield RespeltNote(asked, IdsWarning, own_weight=weight, doubted=doubted)


def find_respelt_in_log(name: str, shown: Mapping[str, Mapping[str, object]], qrels: Qrels) -> RespeltDocuments:
    """The same of a log of clicks, by all documents shown for each topic of the judgments."""
    pairs = [*_find_in_topics(shown.__getitem__, qrels, [*shown])]
    return RespeltDocuments(name, pairs if len(pairs) >= SEVERAL else [], "log")


def about_judge(name: str, judge: Qrels, human: Qrels) -> Iterator[Note]:
    """That topics, and documents of common topics, of a judge are spelled otherwise by the humans.

    Where some documents match, several must look alike.
    """
    for text, weight in _ask_of_judge(name, judge, human):
        yield doubt_ids(f"{name}: {text}", weight)


def ask_about_judge(name: str, judge: Qrels, human: Qrels) -> str:
    """The first of these questions, without the name, as an error shows it; empty: there is none."""
    return next((text for text, _ in _ask_of_judge(name, judge, human)), "")


def _ask_of_judge(name: str, judge: Qrels, human: Qrels) -> Iterator[tuple[str, NoteWeight]]:
    """Each question, and how much it matters."""
    strangers = (topic for topic in judge.topics if topic not in human.place_of_topic)
    for asked in about_alike("topic", strangers, human.topics, holder=JUDGE):
        yield asked, NoteWeight.COVERAGE
    common = [topic for topic in judge.topics if topic in human.place_of_topic]
    respelt = RespeltDocuments(name, [*_find_in_topics(judge.of, human, common)], JUDGE)
    if len(respelt.pairs) >= SEVERAL:
        yield respelt.ask(), respelt.weigh(len(human))
    elif all(set(judge.of(topic)).isdisjoint(human.of(topic)) for topic in common):
        texts = (
            text
            for topic in common[:LOOKED_AT]
            for text in about_alike("document", judge.of(topic), human.of(topic), f" (topic {topic})", JUDGE)
        )
        yield from ((text, NoteWeight.COVERAGE) for text in islice(texts, 1))


def ask_about_labelled(labelled: Sequence[str], topics: Sequence[str]) -> str:
    """Whether topics with a label are topics of the collection that are spelled otherwise; empty: none looks so."""
    there = {_id_key(topic): topic for topic in topics}
    pairs = [(one, there[key]) for one in labelled if (key := _id_key(one)) in there]
    if not pairs:
        return ""
    more = f" ({plural(len(pairs) - 1, 'more topic')})" if pairs[1:] else ""
    return f"{_ask_whether_same('topic', *pairs[0], 'labels')}{more}{_remedy(pairs, 'labels')}"


def _find_in_topics(
    documents_of: Callable[[str], Mapping[str, object]], qrels: Qrels, topics: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Each topic with the documents that nobody judged, each with a judged document of nearly the same name that was
    not retrieved."""
    from gradeval.scores.affixed_ids import keep_likely, pair_affixed  # here, as it is seldom needed

    hyphened: list[tuple[str, str, str]] = []
    affixed: list[tuple[str, str, str]] = []
    here: set[str] = set()
    there: set[str] = set()
    for topic in topics:
        ranked, judged = documents_of(topic), qrels.of(topic)
        missing = [document for document in judged if document not in ranked]
        others = {_id_key(document): document for document in missing}
        unjudged = [one for one in ranked if one not in judged]
        for one in unjudged:
            if (other := others.get(_id_key(one))) is not None:
                yield topic, one, other
        hyphened += ((topic, *pair) for pair in _differ_by_hyphens(unjudged, missing))
        affixed += ((topic, *pair) for pair in pair_affixed(unjudged, missing) if _id_key(pair[0]) not in others)
        here.update(ranked)
        there.update(judged)
    if hyphened:
        yield from _keep_sole(hyphened, qrels)
    elif affixed:
        yield from keep_likely(affixed, (here, there), SEVERAL)


def _differ_by_hyphens(here: Iterable[str], there: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Ids here, each with the one there, of which one has hyphens that the other lacks."""
    without = {_fold_id(one): one for one in there if "-" not in one}
    dropped = {_drop_hyphens(_fold_id(one)): one for one in there if "-" in one}
    for one in here:
        if "-" in one and without:
            other = without.get(_drop_hyphens(_fold_id(one)))
        else:
            other = dropped.get(_fold_id(one)) if dropped and "-" not in one else None
        if other is not None:
            yield one, other


def _keep_sole(pairs: Iterable[tuple[str, str, str]], qrels: Qrels) -> Iterator[tuple[str, str, str]]:
    """The pairs in which no judgment spells the first id so, and the other one in one way alone."""
    spelled: dict[str, set[str]] = {}
    for topic in qrels.topics:
        for one in qrels.of(topic):
            spelled.setdefault(_drop_hyphens(_fold_id(one)), set()).add(one)
    return (pair for pair in pairs if spelled[_drop_hyphens(_fold_id(pair[2]))] == {pair[2]})


def _drop_hyphens(folded: str) -> str:
    """A folded id without the hyphens within it."""
    return re.sub(r"(?<=\w)-(?=\w)", "", folded)


def _id_key(one: str) -> tuple[str, str]:
    """What remains of an id without what people and tools change: see ``_fold_id``, and zeros before its number."""
    return _split_number(_fold_id(one))


def doubt_ids(text: str, weight: NoteWeight = NoteWeight.COVERAGE) -> Note:
    """A warning of ids that look alike: it explains what a run misses, so it weighs as much."""
    return Note(text, IdsWarning, own_weight=weight)


def _ask_whether_same(what: str, one_id: str, other: str, holder: str = "run") -> str:
    """The question; letters beyond ASCII are written out where both look alike."""
    alike = unicodedata.normalize("NFKC", one_id) == unicodedata.normalize("NFKC", other)
    here, there = (ascii(name) if alike else repr(name) for name in (one_id, other))
    return f"{what} {here} of the {holder} is not in the {_name_judgments(holder)}, {there} is: are they the same?"


def _name_judgments(holder: str) -> str:
    """What the other side is called: a judge judged, too."""
    return "human judgments" if holder == JUDGE else "judgments"


def _remedy(pairs: Sequence[tuple[str, str]], holder: str = "run") -> str:
    """What to do if both ids of each pair, of a run and of the judgments, are the same; empty where that is unknown."""
    from gradeval.collection.decimal_ids import remedy_of_decimals, remedy_of_zeros  # here, as they are seldom needed
    from gradeval.scores.affixed_ids import remedy_of_affix

    if all(one.strip(EDGES) == other.strip(EDGES) for one, other in pairs):
        return f" If so, {STRIP}"
    if all(_in_lower_case(one) == _in_lower_case(other) for one, other in pairs):
        return f" If so, {LOWER}"
    sides = (holder, _name_judgments(holder))
    remedy = remedy_of_decimals(pairs[0]) or remedy_of_zeros(pairs, sides) or _remedy_of_hyphens(pairs, sides)
    remedy = remedy or remedy_of_affix(pairs, sides)
    return f" If so, {remedy}" if remedy else ""


def _in_lower_case(one: str) -> str:
    """An id in lower case with one blank between its words, as ``LOWER`` writes it."""
    return " ".join(one.split()).casefold()


def _remedy_of_hyphens(pairs: Sequence[tuple[str, str]], sides: tuple[str, str]) -> str:
    """What to write where the ids of one side have hyphens, as ISBNs are written; empty where others differ, too."""
    for place, what in enumerate(sides):
        if all(_drop_hyphens(pair[place]) == pair[1 - place] != pair[place] for pair in pairs):
            return (
                f"remove the hyphens from ids of the {what}: in pandas df[COLUMN] = df[COLUMN].astype(str)"
                ".str.replace('-', ''), where COLUMN has these ids"
            )
    return ""


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
    prefix, number = _id_key(one)
    other = numbers.get(number, "")
    prefixes = {prefix, _id_key(other)[0]}
    return other if other and (len(prefixes) == 1 or "" in prefixes) else None


def _ends(one: str) -> list[str]:
    """What stands behind each mark within an id, in lower case: behind ``cord/uid-7`` are ``uid-7`` and ``7``."""
    return [one[mark.end() :].casefold() for mark in re.finditer(r"(?:[^\w\s]|_)+", one) if mark.end() < len(one)]


def _split_number(one: str) -> tuple[str, str]:
    """What stands before the number at the end of an id, in lower case, and that number without zeros in front."""
    match = re.search(r"0*(\d+)$", one)
    return (one[: match.start()].casefold(), match[1]) if match else ("", one.casefold())
