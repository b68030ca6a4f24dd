"""Columns that a user names, or numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, TypeAlias

from gradeval._core import InputError
from gradeval.files.column_names import DOCUMENTS, GRADES, QUERIES, RANKS, SCORES, InputKind, normal_name, show_names
from gradeval.messages import kind_of, nearest

Remedy: TypeAlias = str | Callable[[Mapping[str, str]], str]
"""What to do in Python where columns are not known: by the names that they may have, or always the same; empty: the
table is a file, whose columns the user may name."""
ACCEPTED = "columns are query, doc, grade (of judgments), score or rank, and run (of runs), as in query=q,doc=d,score=s"

JOIN = "+"
"""What joins the names of columns, and the cells of a row."""

IN_LISTS = "-"
"""The score of ``score=-``: none counts, as lists are in rank order."""


@dataclass(frozen=True)
class Columns:
    """The names of columns, or their numbers from 1 where there is no header; None: guessed.

    Attributes
    ----------
    query, doc : of the topics and the documents.
    grade : of the grades, in judgments.
    score, rank : of the scores or the ranks, in runs; a document at rank r gets the score -r. The score - says that
        lists are in rank order.
    run : of the names of runs, where a table holds several.
    words : the grades that words in the column of grades stand for.
    met : all names of columns in the tables that were read with these; ``require_met`` looks at them.
    read : the words that were met.
    remedy : what to do in Python about columns that are not known.
    unnumbered : words among the grades that have no number, the first ones of a file that was refused for them.
    """

    query: str | None = None
    doc: str | None = None
    grade: str | None = None
    score: str | None = None
    rank: str | None = None
    run: str | None = None
    words: Mapping[str, float] = field(default_factory=dict, compare=False)
    remedy: Remedy = field(default="", compare=False, repr=False)
    met: dict[str, None] = field(default_factory=dict, init=False, compare=False, repr=False)
    read: dict[str, None] = field(default_factory=dict, init=False, compare=False, repr=False)
    unnumbered: dict[str, None] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def of(cls, names: Mapping[str, str | int] | str | None) -> Self:
        """The columns of ``{"query": "q", "doc": "d", ...}``, or of text as ``parse`` reads it."""
        if isinstance(names, str):
            return cls.parse(names)
        if names is not None and not isinstance(names, Mapping):
            raise InputError(f"columns are a mapping or text, not {kind_of(names)}; {ACCEPTED}")
        known = [field.name for field in fields(cls) if field.compare]
        for role in names or {}:
            if role not in known:
                raise InputError(f"no column is called {role!r}{nearest(str(role), known)}; {ACCEPTED}")
        given = {role: str(name) for role, name in (names or {}).items()}
        named: dict[str, Any] = {role: given.get(role) for role in known}
        columns = cls(**named)
        if JOIN in (columns.doc or ""):
            raise InputError(
                f"doc={columns.doc}: only query joins columns; write ids of documents into one column, in pandas "
                "df['doc_id'] = df[ONE] + '::' + df[OTHER].astype(str)"
            )
        if columns.score is not None and columns.rank is not None:
            raise InputError("a run is ordered by a score or by a rank, not by both; name one of the columns")
        return columns

    @classmethod
    def parse(cls, text: str) -> Self:
        """The columns of ``query=q,doc=d,score=s``."""
        names: dict[str, str | int] = {}
        for part in text.split(","):
            role, sign, name = (piece.strip() for piece in part.partition("="))
            if not (role and sign and name):
                raise InputError(f"{part.strip()!r} names no column; {ACCEPTED}")
            if names.get(role, name) != name:
                raise InputError(f"names the column {role} twice; {ACCEPTED}")
            names[role] = name
        return cls.of(names)

    @property
    def in_python(self) -> bool:
        """Is the table a value of Python, whose columns no option of a command names?"""
        return bool(self.remedy)

    def say_remedy(self, given: Mapping[str, str]) -> str:
        """What to do in Python where the columns have these names; nothing for files."""
        return self.remedy(given) if callable(self.remedy) else self.remedy

    def spelled_as(self, names: Sequence[str]) -> Columns:
        """The same, with the names that a table spells in another case spelled as there."""
        folded = {name.strip().casefold(): name for name in reversed(names)}
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.compare}
        other = {role: name for role, name in given.items() if name and name not in names and name.casefold() in folded}
        spelled = self._changed(**{role: folded[name.casefold()] for role, name in other.items()})
        self.met.update(dict.fromkeys(other.values()))
        return spelled if other else self

    def with_words(self, words: Mapping[str, float]) -> Columns:
        """The same, where these words are grades, too."""
        return self._changed(words={**self.words, **words}) if words else self

    def filled_by(self, other: Columns) -> Columns:
        """The same, where columns that have no name here have their names there."""
        taken = {"score", "rank"} if self.score or self.rank else set()
        given = {one.name: getattr(other, one.name) for one in fields(self) if one.compare and one.name not in taken}
        lacking = {role: name for role, name in given.items() if name and getattr(self, role) is None}
        return self._changed(**lacking) if lacking else self

    def joined_with(self, given: Mapping[str, str]) -> str:
        """These names and the given ones, which count where both name a column, as ``parse`` reads them."""
        taken = {"score", "rank", *given} if given.keys() & {"score", "rank"} else given.keys()
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.compare}
        kept = {role: name for role, name in own.items() if name and role not in taken}
        every = {**kept, **given}
        return ",".join(f"{role}={every[role]}" for role in (sorted(every, key=[*own].index) if kept else every))

    def within(self, steps: str) -> Columns:
        """The same, where names that begin with these steps go on from there."""
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.compare}
        below = {role: name for role, name in given.items() if name and name.startswith(f"{steps}.")}
        return self._changed(**{role: name[len(steps) + 1 :] for role, name in below.items()}) if below else self

    def without_runs(self) -> Columns:
        """The same without the columns that runs alone have; what is met is met of both."""
        return self._changed(score=None, rank=None, run=None)

    def with_words_of(self, other: Columns) -> Columns:
        """The same with the words of others, which are then met there, too."""
        changed = self.with_words(other.words)
        object.__setattr__(changed, "read", other.read)
        return changed

    def _changed(self, **changes: Any) -> Columns:
        """The same with these changes; what is met is met of both."""
        changed = replace(self, **changes)
        object.__setattr__(changed, "met", self.met)
        object.__setattr__(changed, "read", self.read)
        object.__setattr__(changed, "unnumbered", self.unnumbered)
        return changed

    def of_values(self, kind: InputKind) -> str | None:
        """The column of the values that the user named."""
        return self.grade if kind == "qrels" else self.score or self.rank

    @property
    def joins(self) -> str:
        """The name of the topics, if it joins columns; else nothing."""
        return self.query if self.query and JOIN in self.query else ""

    @property
    def in_order_of_lists(self) -> bool:
        """Are the lists of runs in rank order, whatever scores are in them?"""
        return self.score == IN_LISTS

    def are_numbers(self, kind: InputKind) -> bool:
        """Does the user say by numbers which columns of judgments, or of runs, are which?"""
        return all(name is not None and name.isdecimal() for name in (self.query, self.doc, self.of_values(kind)))

    def require_met(self, option: str) -> None:
        """Refuse names of topics, documents and grades that no table has; ``option``: what errors call the names.

        A table without them is read all the same, as another one may have them: look once all are read.
        """
        for role, name in (("query", self.query), ("doc", self.doc), ("grade", self.grade), ("run", self.run)):
            if name is not None and not name.isdecimal() and name not in self.met:
                known = list(self.met)
                there = f"has a column {name!r}{nearest(name, known)} (there are {show_names(known)})"
                raise InputError(
                    f"{option} {role}={name}: nothing that was read {there if known else 'has columns with names'}; "
                    "name one that is there, or leave it out"
                )

    def require_all_numbers(self, kind: InputKind, place: str) -> None:
        """Refuse columns of which only some are numbered: in lines without names that says too little."""
        values = {"grade": self.grade, "score": self.score, "rank": self.rank}
        given = {"query": self.query, "doc": self.doc} | {role: name for role, name in values.items() if name}
        numbered = [f"{role}={name}" for role, name in given.items() if name is not None and name.isdecimal()]
        if numbered and (len(given) < 3 or any(name is None or not name.isdecimal() for name in given.values())):
            value = "grade=4" if kind == "qrels" else "score=5"
            raise InputError(
                f"{place}: {', '.join(numbered)} numbers some columns and not all; number the three that are needed, "
                f"from 1, as in query=1,doc=3,{value}, or name them as the header does"
            )


OF_ONE_FILE = re.compile(r"columns:((?:query|doc|grade|score|rank|run)=.+?):(.+)")
"""How a place names columns of its file alone, as in ``columns:grade=llm_grade:FILE``."""


GUESSED = Columns()
"""No column is named: all are guessed."""


def are_mostly_known(names: Sequence[str], columns: Columns) -> bool:
    """Are two of topics, documents and values told by these names, whatever else there is? So ids are not."""
    given = {normal_name(name) for name in names}
    chosen = (columns.query, columns.doc, columns.grade or columns.score or columns.rank)
    usual = (QUERIES, DOCUMENTS, (*GRADES, *SCORES, *RANKS))
    return sum(one in names or not given.isdisjoint(known) for one, known in zip(chosen, usual, strict=True)) > 1


def parts_of(name: str | None, names: Sequence[str]) -> list[int]:
    """Where the columns stand whose names a name joins; none where a column is called so, or one of them is absent."""
    if name is None or name in names or JOIN not in name:
        return []
    places = {one.strip().casefold(): at for at, one in reversed([*enumerate(names)])}
    exact = {one: at for at, one in reversed([*enumerate(names)])}
    found = [exact.get(part.strip(), places.get(part.strip().casefold())) for part in name.split(JOIN)]
    whole = [at for at in found if at is not None]
    return whole if len(whole) == len(found) == len(set(whole)) else []


def find_joined(names: Sequence[str]) -> set[int]:
    """The columns that another one joins, which stands behind them."""
    return {part for at, name in enumerate(names) if JOIN in str(name) for part in parts_of(name, names[:at])}
