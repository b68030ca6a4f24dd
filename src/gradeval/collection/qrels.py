"""Qrels: the judgments of a collection, as arrays, and what tells them from another collection's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np

from gradeval import arguments
from gradeval._core import InputError, Pools
from gradeval.collection.exclusion import Exclusion
from gradeval.collection.skipped_lines import SkippedLines
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels, levels_of, require_levels, show_levels
from gradeval.messages import Given, shown
from gradeval.tables.arrow import to_arrow
from gradeval.tables.records import Coded, Records
from gradeval.tables.table import Overviewed
from gradeval.warning_categories import FilesWarning, warn

if TYPE_CHECKING:
    import pyarrow

RepeatedGrades: TypeAlias = Literal["first", "best", "mean"]
"""Which of several grades of a document counts: the first one, the highest one, or their mean."""


def rule_of_judgments(repeated: RepeatedGrades | None) -> str:
    """What the core calls the rule; None: a document may come again with the same grade."""
    if repeated is None:
        return "same"
    arguments.one_of("repeated", repeated, get_args(RepeatedGrades))
    return repeated


Negative: TypeAlias = Literal["nonrelevant", "unjudged"]


class Grading(NamedTuple):
    """The judgments as arrays, under one reading of negative grades.

    Attributes
    ----------
    grades, judged : float64[n + 1], bool[n + 1]: grade of every document of the pools, topic after topic, and
        whether it is judged; the last entry stands for the padding of rankings.
    first : int64[topic]: where the documents of each topic begin.
    pools : one empty ranking per topic, which holds the counts of its pool.
    complete : is every document of the pools judged?
    negative, below : how negative grades are read, and how many there are.
    """

    grades: Array
    judged: Array
    first: Array
    pools: JudgedRankings
    complete: bool
    negative: Negative = "nonrelevant"
    below: int = 0


OF_DICTIONARY, OF_FRAME = "Qrels.from_dict(QRELS)", "qrels_from_frame(FRAME)"
"""The calls that make judgments in Python."""
MOST_TOLD = 6
"""Grades of which messages say what they become."""
CHANGES = {"shift": "shifted", "recode": "recoded"}
"""The methods that change grades, by the parameters of files."""


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(Overviewed):
    """Judgments by topic: which documents were judged, with which grade.

    Attributes
    ----------
    pools : the judged documents of each topic, hashed for the meeting with runs.
    grades : float64[n], the original grades, topic after topic (negative ones too).
    levels : the grades of the collection, ascending from 0. They belong to the collection: choosing topics
        never changes them.
    name : the file's name, for messages.
    read_as : the format that was recognised, where it is not TREC text.
    skipped : the comments that look like judgments, where there are some.
    exclusion : what was removed from these judgments, and from runs that meet them.
    excluded : int64[topic]: how many judgments were removed; None: none had to be.
    emptied : the topics that lost all judgments, and are removed, too.
    grade_column : the column of the grades, where its usual name told it, and nobody named it.
    regrading : what changed the grades since they were read, in order: shift and recode, with their values.
    repeated : how many judgments came again of a document that was judged before.
    kept : what counts then; None: they said the same.
    highest : the highest grade that the grades themselves name, as 5 in 2/5; 0: they name none.
    leaves_out : does ``read_as`` say of other columns that they do not count?
    declared : did the user say which levels there are?
    joins : the columns that its topics join, as userId+fold; empty: one column holds them.
    joinable : the columns that its topics could join, as userId+fold, where a column of folds is not used; else empty.
    made : the call that makes such judgments in Python, as ``qrels_from_frame(FRAME)``; empty: of a file.
    """

    pools: Pools
    grades: Array
    levels: Levels
    name: str = "qrels"
    read_as: str = ""
    skipped: SkippedLines | None = None
    exclusion: Exclusion = field(default_factory=Exclusion)
    excluded: Array | None = None
    emptied: tuple[str, ...] = ()
    grade_column: str = ""
    regrading: tuple[Given, ...] = ()
    repeated: int = 0
    kept: RepeatedGrades | None = None
    highest: float = 0.0
    leaves_out: bool = False
    declared: bool = False
    joins: str = ""
    joinable: str = ""
    made: str = ""
    _gradings: dict[Negative, Grading] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of_pools(cls, pools: Pools, name: str, kept: RepeatedGrades | None = None) -> Self:
        """Judgments from parsed pools, their levels read off the grades; ``kept``: what counted of several grades."""
        return cls(pools, pools.grades, levels_of(pools.grades), name, repeated=pools.repeated, kept=kept)

    @classmethod
    @arguments.known_arguments(**dict.fromkeys(CHANGES, "write Qrels.from_dict(QRELS).recoded({4: 3}) or .shifted(-1)"))
    def from_dict(cls, judgments: Mapping[str, Mapping[str, float]], name: str = "qrels") -> Self:
        """Judgments from ``{topic: {document: grade}}``.

        A document without a grade (None, NaN, NA) is unjudged; a FilesWarning counts these.

        >>> Qrels.from_dict({"301": {"d1": 2, "d2": 0}}).levels
        (0.0, 1.0, 2.0)
        """
        return replace(cls.of_table(judgments, name), made=OF_DICTIONARY)

    @classmethod
    def of_table(
        cls, judgments: Mapping[str, Mapping[str, float]], name: str, repeated: RepeatedGrades | None = None
    ) -> Self:
        """Judgments of a source that may judge a document several times (see ``Again``); ``repeated``: what counts."""
        rule = rule_of_judgments(repeated)
        try:
            return cls.of_pools(Pools.of_mapping(judgments, name, rule), name, repeated)
        except InputError:
            from gradeval.collection.missing_grades import drop_missing  # here, as few need it

            known, blank = drop_missing(judgments) if hasattr(judgments, "items") else ({}, 0)  # else slow for all
            if not blank:
                raise
        from gradeval.collection.missing_grades import count_blank, require_grades

        require_grades(len(known), blank, name)
        qrels = cls.of_pools(Pools.of_mapping(known, name, rule), name, repeated)
        warn(f"{name}: {count_blank(blank)}", FilesWarning)
        return qrels

    @property
    def topics(self) -> list[str]:
        """Topics in the order of the file."""
        return self.pools.topics

    def __len__(self) -> int:
        """The number of judgments."""
        return len(self.grades)

    def __repr__(self) -> str:
        size = f"{len(self.topics)} topics, {len(self)} judgments"
        return f"Qrels({self.name!r}, {size}, levels {show_levels(self.levels)})"

    def _sizes(self) -> list[tuple[str, int | str]]:
        raised = np.searchsorted(self.levels, np.maximum(self.grades, 0.0))
        counts, negative = np.bincount(raised, minlength=len(self.levels)), int((self.grades < 0).sum())
        counts[0] -= negative
        by_grade = [("negative grades", negative)] if negative else []
        by_grade += [(f"grade {level:g}", count) for level, count in zip(self.levels, counts.tolist(), strict=True)]
        return [("topics", len(self.topics)), ("judgments", len(self)), *by_grade]

    def of(self, topic: str) -> dict[str, float]:
        """``{document: grade}`` of one topic, with the original grades."""
        (place,) = self._find_topics([topic])
        first, last = self.pools.offsets[place : place + 2]
        grades = [int(grade) if grade.is_integer() else grade for grade in self.grades[first:last].tolist()]
        return dict(zip(self.pools.documents(place), grades, strict=True))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {document: grade}}``, with the original grades."""
        return {topic: self.of(topic) for topic in self.topics}

    def to_frame(self) -> pyarrow.Table:
        """An Arrow table with the columns query_id, doc_id and relevance, which ``qrels_from_frame`` reads back.

        Grades are whole numbers where all of them are whole, as pytrec_eval demands.
        """
        topics = Coded(self.topics, part_of_row(self.pools.offsets))
        documents = [name for place in range(len(self.topics)) for name in self.pools.documents(place)]
        whole = bool((self.grades == np.trunc(self.grades)).all()) and bool((np.abs(self.grades) < 2**53).all())
        grades = self.grades.astype(np.int64) if whole else self.grades
        return to_arrow(Records({"query_id": topics, "doc_id": documents, "relevance": grades}))

    def select(self, topics: str | Sequence[str]) -> Self:
        """The judgments of some topics only, in the order of the qrels; the levels stay the collection's."""
        places = sorted(set(self._find_topics([topics] if isinstance(topics, str) else topics)))
        offsets = self.pools.offsets
        kept = [self.grades[offsets[place] : offsets[place + 1]] for place in places]
        grades = np.concatenate([self.grades[:0], *kept])
        excluded = None if self.excluded is None else self.excluded[places]
        return replace(self, pools=self.pools.select(places), grades=grades, excluded=excluded)

    @cached_property
    def place_of_topic(self) -> dict[str, int]:
        """Where each topic stands among ``topics``."""
        return {topic: place for place, topic in enumerate(self.topics)}

    def _find_topics(self, topics: Sequence[str]) -> list[int]:
        if missing := [topic for topic in topics if topic not in self.place_of_topic]:
            more = f" (and {len(missing) - 1} more)" if missing[1:] else ""
            raise InputError(f"{self.name}: no topic {missing[0]!r}{more} among its {len(self.place_of_topic)} topics")
        return [self.place_of_topic[topic] for topic in topics]

    def without(self, exclusion: Exclusion) -> Self:
        """The judgments without some documents, which runs lose, too, when they meet; the levels stay.

        Topics without other judgments are left out.
        """
        if exclusion.is_empty:
            return self
        from gradeval.collection.decimal_ids import require_alike  # here, as few exclude

        require_alike(exclusion, self.pools, self.name)
        pools, left = self.pools.without(exclusion.itself, exclusion.pairs)
        kept = np.frombuffer(left, bool)
        if len(kept) and not kept.any():
            raise InputError(f"{self.name}: exclude leaves out all of {len(kept):,} judgments; exclude fewer")
        ends = np.concatenate([[0], np.cumsum(~kept)])[self.pools.offsets]
        gone = np.diff(ends) + (0 if self.excluded is None else self.excluded)
        some = set(pools.topics)
        here = np.array([topic in some for topic in self.topics], bool)
        return replace(
            self,
            pools=pools,
            grades=self.grades[kept],
            exclusion=Exclusion.of_all([self.exclusion, exclusion]),
            excluded=gone[here],
            emptied=(*self.emptied, *(topic for topic in self.topics if topic not in some)),
        )

    def with_levels(self, levels: Sequence[float]) -> Self:
        """The same judgments on a declared scale; a grade outside it is an error. Negatives are no levels."""
        levels = require_levels(levels)
        outside = np.setdiff1d(self.grades[self.grades >= 0], levels)
        if outside.size:
            raise InputError(
                f"{self.name}: grade {outside[0]:g} is not one of the levels {show_levels(levels)}; recode it or add it"
            )
        return replace(self, levels=levels, declared=True)

    def recoded(self, table: Mapping[float, float]) -> Self:
        """Grades merged or renamed: ``{4: 3, -2: 0}`` turns 4 into 3 and -2 into 0; the levels follow."""
        given: Any = table
        if not isinstance(given, Mapping):
            raise InputError(f"{self.name}: ", Given("recode", given), " is no mapping; write {4: 3} to turn 4 into 3")
        grades = self.grades.copy()
        for old, new in given.items():
            if not all(isinstance(one, Real) and isfinite(one) for one in (old, new)):
                raise InputError(
                    f"{self.name}: recoding {shown(old)} to {shown(new)} is no grade; give finite numbers, as in 4=3"
                )
            grades[self.grades == old] = new
        pairs = [f"{old:g}={new:g}" for old, new in given.items()]
        rest = f" and {len(pairs) - MOST_TOLD} more" if len(pairs) > MOST_TOLD else ""
        told = Given("recode", given, ",".join(pairs[:MOST_TOLD]) + rest)
        regrading = (*self.regrading, *[told] * bool(given))
        highest = 0.0 if given else self.highest
        return replace(
            self, grades=grades, levels=levels_of(grades), declared=False, regrading=regrading, highest=highest
        )

    def shifted(self, by: float) -> Self:
        """The same number added to every grade, as -1 to ratings from 1 to 10; the levels follow.

        >>> Qrels.from_dict({"me": {"film": 5, "book": 1}}).shifted(-1).levels
        (0.0, 1.0, 2.0, 3.0, 4.0)
        """
        given: Any = by
        if not isinstance(given, Real) or not isfinite(given):
            raise InputError(f"{self.name}: grades cannot be shifted by {shown(by)}; give a finite number, as in -1")
        grades = np.round(self.grades + by, 12)  # 1.1 - 1 is not quite 0.1
        told = Given("shift", by, f"{by:g}")
        regrading = (*self.regrading, *[told] * bool(by))
        highest = 0.0 if by else self.highest
        return replace(
            self, grades=grades, levels=levels_of(grades), declared=False, regrading=regrading, highest=highest
        )

    def spell_change(self, parameter: Literal["shift", "recode"], value: str) -> str:
        """How these judgments are shifted or recoded in Python, where they are read or made."""
        if self.made:
            return f"{self.made}.{CHANGES[parameter]}({value})"
        return f"read_qrels(FILE, {parameter}={value})"

    def tell_change(self, parameter: Literal["shift", "recode"], typed: str, value: str) -> str:
        """How these judgments are shifted or recoded where they are read: ``typed`` for a command, ``value`` in
        Python."""
        spelled = self.spell_change(parameter, value)
        return spelled if self.made else f"--{parameter} {typed} ({spelled})"

    def grading(self, negative: Negative = "nonrelevant") -> Grading:
        """The judgments as arrays; negative grades are judged non-relevant, or ("unjudged") not judged."""
        if negative in self._gradings:
            return self._gradings[negative]
        arguments.one_of("negative", negative, get_args(Negative))
        topics, width = len(self.topics), len(self.levels)
        known = np.ones(len(self) + 1, bool) if negative == "nonrelevant" else np.append(self.grades >= 0, True)
        padded = np.zeros(len(self) + 1)
        grades = np.maximum(self.grades, 0.0, out=padded[:-1])
        complete = bool(known.all())
        known[-1] = False
        offsets = self.pools.offsets
        topic = np.repeat(np.arange(topics), offsets[1:] - offsets[:-1])
        cell = topic * width + np.searchsorted(self.levels, grades)
        counted = cell if negative == "nonrelevant" else cell[known[:-1]]
        pool = np.bincount(counted, minlength=topics * width).reshape(topics, width)
        pools = JudgedRankings.empty(pool, self.levels)
        below = int(np.count_nonzero(self.grades < 0))
        self._gradings[negative] = Grading(padded, known, offsets[:-1], pools, complete, negative, below)
        return self._gradings[negative]


def grades_of_ranges(recode: Mapping[float, float], there: Collection[float]) -> set[float]:
    """The grades of ranges that become one grade, as 1 to 9 do by {1..9}=1, where some grade that becomes it is
    ``there``: nobody means that all are."""
    used = {recode[grade] for grade in there if grade in recode}
    return {old for old, new in recode.items() if new in used and new in (recode.get(old - 1), recode.get(old + 1))}


def change_of_any(parameter: Literal["shift", "recode"], typed: str, value: str) -> str:
    """The same for judgments of which nobody knows how they were made."""
    return f"--{parameter} {typed} (in Python Qrels.{CHANGES[parameter]}({value}))"


@dataclass(frozen=True, eq=False)
class Identity:
    """The judgments behind some scores, as a digest that is computed when somebody asks for it.

    Computing it takes longer than scoring a run, and most scores are never merged. So the judgments are kept until
    then; a pickled identity has the digest alone.

    Attributes
    ----------
    qrels : the judgments of the whole collection, also where only some of its topics were scored; or their digest.
    reading : how runs and judgments were read: ties, negative grades, depth; empty: not known.
    joins : as of ``Qrels``: the columns that topics join.
    """

    qrels: Qrels | str
    reading: tuple[str, ...] = ()
    joins: str = ""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of levels, topics, documents and grades, in whatever order, and of the reading; hexadecimal."""
        return self.qrels if isinstance(self.qrels, str) else _compute_digest(self.qrels, self.reading)

    def tell_apart(self, first: Identity, called: str) -> str:
        """How the judgments behind these scores differ from the judgments behind the ``first``, ``called`` so."""
        alike = self.reading and self.reading == first.reading
        return f"by other judgments than {called}{'' if alike else ', or with other ties, negative or depth'}"

    @classmethod
    def from_digest(cls, digest: str, reading: tuple[str, ...] = (), joins: str = "") -> Self:
        """The identity of scores whose judgments are not here."""
        return cls(digest, reading, joins)

    @classmethod
    def of_topics(cls, topics: Iterable[bytes], levels: Levels, reading: tuple[str, ...]) -> Self:
        """The identity of judgments of which each part gave the digests of its topics (see ``digest_topics``)."""
        return cls(_join_digests(topics, levels, reading, []), reading)

    @classmethod
    def of_all(cls, parts: Sequence[Self]) -> Self:
        """The identity of several judgments of other topics, or of the same ones; in whatever order."""
        import hashlib  # few scores are merged

        digests = sorted({part.digest for part in parts})
        if len(digests) == 1:
            return parts[0]
        return cls(hashlib.sha256("\n".join(digests).encode()).hexdigest(), parts[0].reading, parts[0].joins)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.digest, self.reading, self.joins)


def _list_pairs(pairs: Iterable[Pools]) -> set[str]:
    """All pairs of topic and document."""
    return {
        f"{len(topic)} {topic} {document}"
        for pools in pairs
        for place, topic in enumerate(pools.topics)
        for document in pools.documents(place)
    }


def _compute_digest(qrels: Qrels, reading: Iterable[str]) -> str:
    excluded: list[str] = []
    if qrels.excluded is not None:  # the judgments that have left are gone; documents without judgments may leave runs
        excluded = ["exclude", "self" if qrels.exclusion.itself else "", *sorted(_list_pairs(qrels.exclusion.pairs))]
    return _join_digests(digest_topics(qrels), qrels.levels, reading, excluded)


def digest_topics(qrels: Qrels) -> list[bytes]:
    """SHA-256 of the documents and grades of each topic, the documents in whatever order."""
    import hashlib  # few scores are merged

    offsets = qrels.pools.offsets.tolist()
    digests = []
    for place, topic in enumerate(qrels.topics):
        documents = qrels.pools.documents(place)
        grades = qrels.grades[offsets[place] : offsets[place + 1]]
        order = sorted(range(len(documents)), key=documents.__getitem__)
        digest = hashlib.sha256(_lengths_and_texts([topic, *(documents[document] for document in order)]))
        digest.update(np.ascontiguousarray(grades[order], dtype="<f8").data)
        digests.append(digest.digest())
    return digests


def _join_digests(topics: Iterable[bytes], levels: Levels, reading: Iterable[str], excluded: Iterable[str]) -> str:
    """SHA-256 of the digests of topics, in whatever order; hexadecimal."""
    import hashlib

    digest = hashlib.sha256(_lengths_and_texts([*reading, repr(levels)]) + _lengths_and_texts(excluded))
    for topic in sorted(topics):
        digest.update(topic)
    return digest.hexdigest()


def _lengths_and_texts(texts: Iterable[str]) -> bytes:
    """Texts as bytes, with the length of all in front."""
    joined = "\n".join(texts).encode(errors="surrogatepass")
    return b"%d\n" % len(joined) + joined
