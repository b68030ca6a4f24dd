"""Which columns of a table hold the queries, the documents, the grades and the features."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

from gradeval._core import InputError
from gradeval.arguments import Anything, Several
from gradeval.features.feature_arrays import list_columns
from gradeval.files.column_names import QUERIES, SCORES, find_documents, is_name_of_id, normal_name, usual_column
from gradeval.files.frame_columns import WHY_NAMELESS, columns_beside_index, index_columns, index_of_ids, nameless
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import read_decimal
from gradeval.files.unknown_columns import find_misspelt
from gradeval.messages import Typed, list_some, nearest
from gradeval.warning_categories import FeaturesWarning, warn

if TYPE_CHECKING:
    import pyarrow

    from gradeval.features.features import Features

QUERIES_OF_ROWS = [*QUERIES, *"request_id requestid group_id groupid group".split()]
"""The usual names of the column of queries; in judgments and runs the last ones may name anything."""
GRADES = "relevance rel grade label relevancy judgment judgement qrel target".split()
"""The usual names of the column of grades; one called score or rating may well be a feature."""


class FeatureRoles(NamedTuple):
    """The columns of a table by their names; None for no documents and no grades.

    ``words`` are the features whose words are categories; ``categorical`` is what the user named so, None where nothing
    can be named. ``trained``: a ranker was trained on these features, so that none can be left out.
    """

    query: str
    doc: str | None
    grade: str | None
    features: list[str]
    words: Sequence[str] = ()
    categorical: Sequence[str] | None = None
    trained: bool = False


LEFT_OUT = Several(Anything(), "names of columns, as in unit_id,title", "COLUMN,...")


@dataclass(frozen=True, eq=False)
class FeatureColumns:
    """What a user says of the columns of tables with features.

    Attributes
    ----------
    columns : the names of the columns with queries, documents and grades; those that are not named are guessed.
    leave_out : the names of columns that are no features.
    wanted : the features of a ranker, which are taken from a table that has all of them, in this order.
    categories : the features that were categories in its training, with their values; none where it knows codes.
    categorical : the features that the user named as categories; None where nothing can be named.
    """

    columns: Columns = field(default_factory=Columns)
    leave_out: Sequence[str] = ()
    wanted: Sequence[str] = ()
    categories: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    categorical: Sequence[str] | None = None

    @classmethod
    def of(cls, columns: Columns | None = None, leave_out: Annotated[Sequence[str] | None, LEFT_OUT] = None) -> Self:
        """The same, where the columns are such as features have.

        Parameters
        ----------
        columns : the columns of a table, as query=NAME,doc=NAME,grade=NAME. Default: by their usual names.
        leave_out : columns that are no features. Features of LETOR text are named by their numbers.
        """
        columns = columns or Columns()
        for role in ("score", "rank", "run"):
            if (name := getattr(columns, role)) is not None:
                raise InputError(
                    f"--columns {role}={name}: features have no such column; accepted are query, doc and grade, as in "
                    "query=visit,doc=unit,grade=clicked"
                )
        return cls(columns, tuple(leave_out or ()))

    def choose(self, schema: pyarrow.Schema, place: str) -> FeatureRoles:
        """The columns of a table: as the user names them, else by their usual names; all others are features."""
        every = columns_beside_index(schema)
        self.columns.met.update(dict.fromkeys(every))
        dropped = set(self.find_left_out(every))
        names = [name for name in every if name not in dropped]
        given = self.columns.spelled_as(names)
        there = {*names, *index_columns(schema)}
        for role, name in (("query", given.query), ("doc", given.doc), ("grade", given.grade)):
            if name is not None and name.isdecimal() and name not in there:
                raise InputError(
                    f"{place}: --columns {role}={name} is no name of its columns; write a name in place of the number "
                    f"(it has {list_some(names)})"
                )
        usual = usual_columns(schema, self.wanted or dropped)  # what is no feature may be an id in other files
        roles = ((given.query, usual[0]), (given.doc, usual[1]), (given.grade, usual[2]))
        query, doc, grade = (named if named in there else guessed for named, guessed in roles)
        if query is None:
            raise _no_queries(schema, names, place, given)
        for one, other in ((query, doc), (query, grade), (doc, grade)):
            if one == other is not None:
                raise InputError(f"{place}: column {one!r} is named for two things; name another one for each")
        if grade is None and given.grade is None and not self.wanted:
            _warn_of_misspelt_grades(names, place)
        features = [name for name in names if name not in (query, doc, grade)]
        if self.wanted and set(self.wanted) <= set(features):
            self._refuse_words(schema, place)
            self._warn_of_others(features, place, named=doc is not None)
            features = list(self.wanted)
            return FeatureRoles(query, doc, grade, features, self.find_words(features), self.categorical, trained=True)
        self._require_trained(features, place)
        if found := nameless(features):  # mostly an index, whose order can tell which documents are relevant
            raise InputError(f"{place}: {WHY_NAMELESS.format(found[0])}")
        return FeatureRoles(query, doc, grade, features, self.find_words(features), self.categorical)

    def find_words(self, names: Sequence[str]) -> list[str]:
        """The columns among some whose words are categories: as the user names them, and as a ranker knows words."""
        known = [name for name, values in self.categories.items() if any(isinstance(one, str) for one in values)]
        return [name for name in names if name in (self.categorical or ()) or name in known]

    def _require_trained(self, features: Sequence[str], place: str) -> None:
        """Refuse a table that lacks a feature of the ranker, or spells it otherwise, as Price for price. Features that
        are called by numbers alone, as in LETOR text, may be left out at the end."""
        lacking = [name for name in self.wanted if name not in features]
        if all(map(str.isdecimal, lacking)):
            return
        others = {normal_name(name): name for name in features if name not in self.wanted}
        spelled = {name: others[key] for name in lacking if (key := normal_name(name)) in others}
        lacks = f"{place}: lacks {list_some([*spelled] or lacking)}, which the ranker was trained on"
        if spelled:
            name, other = next(iter(spelled.items()))
            raise InputError(f"{lacks} (did you mean {other}?); call column {other!r} {name!r}")
        raise InputError(f"{lacks}; add {'them' if lacking[1:] else 'it'} (it has {list_some(features)})")

    def _refuse_words(self, schema: pyarrow.Schema, place: str) -> None:
        """Refuse words in a column that was a category of codes or numbers in training."""

        from gradeval.files.arrow_columns import is_text_type

        kinds = dict(zip(schema.names, schema.types, strict=True))
        for name, values in self.categories.items():
            kind = kinds[name]
            if not is_text_type(kind):
                continue
            if not any(isinstance(value, str) for value in values):
                held = f"the numbers {list_some(list(map(str, values)))}" if values else "codes 0, 1 ..."
                raise InputError(
                    f"{place}: column {name!r} holds words, and the ranker was trained on {held} of this category; "
                    "write them in place of the words"
                )

    def _warn_of_others(self, features: Sequence[str], place: str, *, named: bool) -> None:
        """Name the columns of a table that are no features of the ranker; ``named``: do the documents have names?"""
        others = [name for name in features if name not in self.wanted]
        if others:
            ids = [name for name in others if is_name_of_id(name)]
            how = ""
            if ids and not named:
                how = f"; documents are called TOPIC-ROW; if {ids[0]!r} names them: --columns {quote(f'doc={ids[0]}')}"
            warn_of_others(place, others, self.wanted, how)

    def leave_out_of(self, features: Features) -> Features:
        """Features of LETOR text, whose columns have numbers alone, without those that are left out."""
        for role in ("query", "doc", "grade"):
            if (name := getattr(self.columns, role)) is not None:
                raise InputError(
                    f"{features.name}: --columns {role}={name} names a column of a table, and LETOR text has none with "
                    "a name; leave it out"
                )
        self.columns.met.update(dict.fromkeys(features.columns))
        left_out = self.find_left_out(features.columns)
        if trained := [name for name in left_out if name in self.wanted]:
            raise InputError(
                f"--leave-out {','.join(trained)}: the ranker was trained on {list_columns(self.wanted)}; "
                "leave out none of these"
            )
        return features.leaving_out(left_out)

    def find_left_out(self, names: Sequence[str]) -> list[str]:
        """The columns of a table that are left out, as they are spelled there."""
        left_out = {name.casefold() for name in self.leave_out}
        exact = [name for name in names if name in self.leave_out]
        return exact + [name for name in names if name not in exact and name.casefold() in left_out]

    def require_met(self) -> None:
        """Refuse names that no table has, once all are read."""
        known = list(self.columns.met)
        self.columns.require_met("--columns")
        folded = {name.casefold() for name in known}
        for name in self.leave_out:
            if name.casefold() not in folded:
                raise InputError(
                    f"--leave-out {name}: nothing that was read has a column {name!r}{nearest(name, known)} (there are "
                    f"{list_some(known)}); name one that is there"
                )


def words_of_training(place: str, name: str, values: Sequence[Any]) -> InputError:
    """The error for a category that a ranker knows by words, in a file."""
    return InputError(
        f"{place}: feature {name} was a category in training, of {values[0]!r} and others, and holds numbers here; "
        "write these words in their place"
    )


def usual_columns(schema: pyarrow.Schema, left_out: Collection[str] = ()) -> tuple[str | None, str | None, str | None]:
    """The columns of the queries, the documents and the grades by their usual names; None for none.

    The index of a frame of pandas can be the queries or the documents where no column is.
    """
    columns = [name for name in columns_beside_index(schema) if name not in left_out]
    index = index_of_ids(schema)
    return (
        usual_column(columns, QUERIES_OF_ROWS) or usual_column(index, QUERIES_OF_ROWS),
        find_documents(columns) or find_documents(index),
        usual_column(columns, GRADES),
    )


def _no_queries(schema: pyarrow.Schema, names: Sequence[str], place: str, given: Columns) -> InputError:
    """The error for a table whose queries no column is known to hold: which may, and what to type."""
    import pyarrow

    if all(not math.isnan(read_decimal(name)) for name in names if name.strip()):
        return InputError(
            f"{place}: the first line holds numbers ({', '.join(names[:8])}), and is read as the names of columns; "
            "write a line with names above it, as in query_id,relevance,bm25; where grades come first, FILE.query with "
            "the sizes of the queries does, too"
        )
    unknown = f"{place}: no column is known to hold the queries (it has {', '.join(names[:8])}); "
    if given.query is not None:
        return InputError(f"{unknown}call it {given.query!r}, which --columns names, or query_id")
    near = find_misspelt(names, ["query"]).values()
    said = "".join(f"{one!r} is nearly {usual!r}; " for one, usual in near)
    kinds = dict(zip(schema.names, schema.types, strict=True))
    others = (given.doc or find_documents(names), given.grade)
    ids = [
        name
        for name in names
        if is_name_of_id(name) and name not in others and not pyarrow.types.is_floating(kinds[name])
    ]
    likely = next(iter([*(one for one, _ in near), *ids]), "NAME")
    grade = usual_column([name for name in names if name != likely], GRADES)
    named = f"query_id={likely if likely == 'NAME' else repr(likely)}, relevance={grade!r}"
    return InputError(
        f"{unknown}{said}name it: ",
        Typed(f"--columns {quote(f'query={likely}')}", f"features_from_frame(frame, {named})"),
        ", or call it query_id",
    )


def _warn_of_misspelt_grades(columns: Sequence[str], place: str) -> None:
    """Say which feature may have been meant as the grades."""
    for column, usual in find_misspelt(columns, ["grade"]).values():
        if usual not in SCORES:  # as a feature may be called score1
            text = f"column {column!r} is read as a feature, and is nearly {usual!r}"
            how = f"if it holds grades, name it: --columns grade={column}, or call it {usual}"
            warn(f"{place}: {text}; {how}", FeaturesWarning)


def warn_of_others(place: str, others: Sequence[str], wanted: Sequence[str], how: str = "") -> None:
    """Name the features that a ranker does not know; ``how``: what else to say."""
    text = f"{list_some(others)}: left out, as the ranker is trained on {list_columns(wanted)}{how}"
    warn(f"{place}: {text}", FeaturesWarning)
