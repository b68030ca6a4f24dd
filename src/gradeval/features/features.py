"""The rows of a learning-to-rank collection, query by query."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, islice, pairwise
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from gradeval import arguments
from gradeval._core import InputError, Letor, Lines, Pools
from gradeval.array_checks import read_numbers
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.features.categories import join_categories, recode
from gradeval.features.feature_arrays import (
    SHAPES,
    Column,
    concatenate_columns,
    describe_columns,
    encode_column,
    group_topics,
    known_levels,
    list_columns,
    number_topics,
    offsets_of,
    read_ids,
    require_names,
    require_no_missing,
    to_finite,
)
from gradeval.features.folds import LEAST, Fold, rotate, split_at_random
from gradeval.features.scaling import Scaling, scale_by_query
from gradeval.features.single_precision import make_table, warn_of_largest, warn_of_merged
from gradeval.formula.arithmetic import Array, part_of_row
from gradeval.formula.levels import Levels, levels_of, show_levels
from gradeval.messages import Typed
from gradeval.tables.arrow import to_arrow
from gradeval.tables.records import Coded, Field, Records, Value, values_of
from gradeval.tables.table import Overviewed

if TYPE_CHECKING:
    import pyarrow

F = TypeVar("F", bound="Features")


@dataclass(frozen=True, eq=False)
class Features(Overviewed):
    """Documents of queries with their features and grades, as rankers are trained on.

    ``read_letor`` reads them from a file, ``from_arrays`` takes arrays. ``features.qrels`` and ``features.run(9)`` are
    judgments and runs like any other, so that all of gradeval works on them. LETOR leaves documents of equal score in
    the order of the file: evaluate such runs with ``ties="order"``.

    Attributes
    ----------
    X : float32[row, feature], rows contiguous; NaN is a missing value, which trees take and other rankers refuse.
        float64, where single precision does not hold a number of 2^24 and more, as times and dates are; numbers below
        are rounded to it there, too.
    grades : float64[row], 0 or more; NaN for a document without a grade, which can only be ranked.
    topics : the queries, in order.
    offsets : int64[topic + 1]: the rows of topic t are offsets[t]:offsets[t + 1]; each has one at least.
    ids : the ids of the documents in Arrow's layout, empty for a document without an id. ``docs`` has them as str.
    columns : the names of the features; a feature of a file is named by its number there, "1", "2" ...
    levels : the grades of the collection, ascending from 0. Choosing topics never changes them.
    name : the file's name, for messages.
    categories : the features that are categories by words: the words that the codes 0, 1 ... in ``X`` stand for.
    numbered : are the topics known by their sizes alone, and called 1, 2 ...?
    """

    X: Array
    grades: Array
    topics: list[str]
    offsets: Array
    ids: Column = field(repr=False)
    columns: tuple[str, ...]
    levels: Levels
    name: str = "features"
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    numbered: bool = False

    def to_frame(self) -> pyarrow.Table:
        """An Arrow table with the columns query_id, doc_id, relevance and one for each feature."""
        return to_arrow(self._records())

    def to_dict(self) -> dict[str, list[Value]]:
        """The columns of ``to_frame``: ``{column: [values]}``."""
        return {name: values_of(field) for name, field in self._records().fields.items()}

    def _records(self) -> Records:
        topics = Coded(self.topics, part_of_row(self.offsets))
        features: dict[str, Field] = {name: self.X[:, place] for place, name in enumerate(self.columns)}
        for name, words in self.categories.items():
            codes = self.X[:, self.columns.index(name)].tolist()
            features[name] = [words[int(code)] if code == code else None for code in codes]
        fields: dict[str, Field] = {"query_id": topics, "doc_id": self.docs, "relevance": self.grades}
        return Records({**fields, **features})

    @classmethod
    def of_letor(cls, letor: Letor, name: str) -> Self:
        """Features that the core has read; queries known only by their sizes are called 1, 2 ..."""
        table = letor.X
        columns = tuple(str(number) for number in range(letor.first, letor.first + table.shape[1]))
        if letor.largest:
            counts = np.zeros(table.shape[1], np.int64)
            counts[letor.of_feature - letor.first] = letor.largest
            warn_of_largest(counts, columns, name)
        warn_of_merged(np.where(np.isinf(letor.sample), np.nan, letor.sample), columns, name)
        return cls(
            X=table,
            grades=letor.grades,
            topics=letor.queries or [str(number) for number in range(1, len(letor.offsets))],
            offsets=letor.offsets,
            ids=letor.documents,
            columns=columns,
            levels=known_levels(letor.grades),
            name=name,
            numbered=not letor.queries,
        )

    @classmethod
    def from_arrays(
        cls,
        X: Array,
        grades: Sequence[float] | Array | None,
        *,
        topics: Sequence[str | int] | Array | None = None,
        sizes: Sequence[int] | Array | None = None,
        docs: Sequence[str | int] | Array | None = None,
        columns: Sequence[str | int] | Array | None = None,
        name: str = "features",
    ) -> Self:
        """Features from arrays, copied.

        Parameters
        ----------
        X : number[row, feature]; NaN is a missing value.
        grades : number[row], 0 or more; None where the documents have no grades and are to be ranked.
        topics : the query of each row; the rows of a query stand together.
        sizes : instead of topics, the number of rows of each query, which are then called 1, 2 ...
        docs : the document of each row. Default: none; the property ``docs`` then makes up names.
        columns : the names of the features, text or whole numbers. Default: 1, 2 ...

        Infinite numbers, grades that are NaN or below 0 and shapes that do not fit are InputErrors.
        """
        given = read_numbers(f"{name}: X", X)
        numbers = np.full(len(given), np.nan) if grades is None else to_finite(grades, "grades", name)
        if given.ndim != 2 or numbers.shape != (len(given),):
            raise InputError(f"{name}: X{list(given.shape)} and grades{list(numbers.shape)} do not fit; {SHAPES}")
        if (numbers < 0).any():
            row = int(np.argmax(numbers < 0))
            raise InputError(
                f"{name}: row {row}: grade {numbers[row]:g} is negative; grades are 0 or more; "
                "drop such rows to train, leave the column out to rank"
            )
        if (topics is None) == (sizes is None):
            raise InputError(f"{name}: give either topics= (the query of each row) or sizes= (the rows of each query)")
        rows, width = given.shape
        queries, offsets = number_topics(sizes, rows, name) if topics is None else group_topics(topics, rows, name)
        named = [str(number) for number in range(1, width + 1)] if columns is None else require_names(columns, name)
        if len(named) != width or len(set(named)) < len(named):
            raise InputError(f"{name}: {len(named)} names for {width} features; give one each, no two alike")
        named_docs = [""] * rows if docs is None else read_ids(docs, "docs", name)
        if len(named_docs) != rows:
            raise InputError(f"{name}: {len(named_docs)} documents for {rows} rows; give one each")
        ids = encode_column(named_docs)
        table = make_table(given, named, name)
        levels, numbered = known_levels(numbers), topics is None
        return cls(table, numbers + 0.0, queries, offsets, ids, tuple(named), levels, name, numbered=numbered)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.grades)

    def __repr__(self) -> str:
        size = f"{len(self.topics)} topics, {len(self)} rows, {describe_columns(self.columns)}"
        return f"Features({self.name!r}, {size}, levels {show_levels(self.levels)})"

    def _sizes(self) -> list[tuple[str, int | str]]:
        rows, levels = len(self), show_levels(self.levels)
        return [("topics", len(self.topics)), ("rows", rows), ("features", len(self.columns)), ("levels", levels)]

    @cached_property
    def docs(self) -> list[str]:
        """The document of each row. One that has no name is called TOPIC-ROW, its rows counted from 1 in each topic."""
        ends, data = self.ids[0].tolist(), self.ids[1].tobytes()
        docs = [data[begin:end].decode() for begin, end in pairwise(ends)]
        if all(docs):
            return docs
        offsets = pairwise(self.offsets.tolist())
        made = [f"{t}-{row}" for t, (a, b) in zip(self.topics, offsets, strict=True) for row in range(1, b - a + 1)]
        return [doc or other for doc, other in zip(docs, made, strict=True)]

    @cached_property
    def qrels(self) -> Qrels:
        """The grades as judgments. A document twice in a topic, or one without a grade, is an InputError."""
        self.require_grades("judgments")
        pools = Pools.of_columns(*self._keys, np.ascontiguousarray(self.grades), self.name)
        return Qrels(pools, pools.grades, self.levels, self.name)

    def run(self, by: str | int | Sequence[float] | Array, *, name: str | None = None) -> Run:
        """The documents ranked by a feature (its name or number), or by scores (one for each row).

        The run is called ``name``, else by the file and the feature: S1.txt#9.
        """
        if isinstance(by, str | int | np.integer):
            scores, place = self.column(by).astype(float), f"{self.name}#{by}"
        else:
            scores, place = self._scores(by), self.name
        return Run(Lines.of_columns(*self._keys, scores, place), name or os.path.basename(place), place)

    def count_ties(self, scores: Array) -> int:
        """How many documents share their score[row] with another of their topic."""
        scores, tied = self._scores(scores), 0
        for begin, end in pairwise(self.offsets.tolist()):
            _, times = np.unique(scores[begin:end], return_counts=True)
            tied += int(times[times > 1].sum())
        return tied

    def _scores(self, scores: Any) -> Array:
        """float64[row]: scores that were passed, finite."""
        numbers = to_finite(scores, "scores", self.name)
        if numbers.shape != self.grades.shape:
            raise InputError(f"{self.name}: scores{list(numbers.shape)} for {len(self)} rows; give one for each row")
        return numbers

    def column(self, feature: str | int) -> Array:
        """float[row]: one feature, by its name or number; an InputError where a value is missing."""
        if str(feature) not in self.columns:
            raise InputError(
                f"{self.name}: no feature {feature} among its {len(self.columns)} ({list_columns(self.columns)})"
            )
        place = self.columns.index(str(feature))
        require_no_missing(self.X[:, place : place + 1], [str(feature)], self.name, "a run or a user")
        values: Array = self.X[:, place]
        return values

    def require_grades(self, what: str) -> None:
        """An InputError where a document has no grade, which ``what`` needs."""
        missing = np.isnan(self.grades)
        if missing.any():
            row = int(np.argmax(missing))
            topic = self.topics[int(np.searchsorted(self.offsets, row, "right")) - 1]
            many = f"{int(missing.sum())} of {len(self)} documents have no grade"
            how = Typed("--columns grade=NAME", "features_from_frame(frame, relevance=NAME)")
            where = (" (in a table the column relevance or label, or ", how, ")") if missing.all() else ()
            raise InputError(f"{self.name}: row {row} (topic {topic}): {many}; {what} need one for each", *where)

    def with_grades(self, grades: Sequence[float] | Array) -> Self:
        """The same rows with other grades, one each; the levels follow."""
        numbers = to_finite(grades, "grades", self.name)
        if numbers.shape != self.grades.shape or (numbers < 0).any():
            raise InputError(f"{self.name}: give one grade for each of its {len(self)} rows, 0 or more")
        return replace(self, grades=numbers, levels=levels_of(numbers))

    def with_levels(self, levels: Sequence[float]) -> Self:
        """The same rows on a declared scale; a grade outside it is an error."""
        return replace(self, levels=self.qrels.with_levels(levels).levels)

    def select(self, topics: str | Sequence[str]) -> Self:
        """Some topics only, in the order of the data; the levels stay the collection's."""
        known = {topic: place for place, topic in enumerate(self.topics)}
        wanted = [topics] if isinstance(topics, str) else topics
        if missing := [topic for topic in wanted if topic not in known]:
            more = f" (and {len(missing) - 1} more)" if missing[1:] else ""
            raise InputError(f"{self.name}: no topic {missing[0]!r}{more} among its {len(self.topics)} topics")
        return self._select_places(np.unique([known[topic] for topic in wanted]).astype(np.intp), self.name)

    def leaving_out(self, columns: Sequence[str]) -> Self:
        """The same rows without some features; an InputError where there is no such feature, or none is left."""
        if unknown := [name for name in columns if name not in self.columns]:
            raise InputError(
                f"{self.name}: no feature {unknown[0]} among its {len(self.columns)} ({list_columns(self.columns)})"
            )
        kept = [place for place, name in enumerate(self.columns) if name not in columns]
        if not kept:
            raise InputError(f"{self.name}: all {len(self.columns)} features are left out; keep one or more")
        if len(kept) == len(self.columns):
            return self
        columns_kept = tuple(self.columns[place] for place in kept)
        categories = {name: words for name, words in self.categories.items() if name in columns_kept}
        return replace(self, X=self.X[:, kept], columns=columns_kept, categories=categories)

    def with_categories(self, known: Mapping[str, Sequence[str]]) -> Self:
        """The same rows, with the codes of the known words; another word is a missing value."""
        changed = {
            name: words for name, words in known.items() if list(self.categories.get(name, words)) != list(words)
        }
        X = self.X.copy() if changed else self.X
        for name, words in changed.items():
            place = self.columns.index(name)
            codes = recode(self.X[:, place], self.categories[name], words)
            X[:, place] = np.where(codes < 0, np.nan, codes)
        return replace(self, X=X, categories={**self.categories, **known})

    def split(self, *shares: float, seed: int) -> list[Self]:
        """Random parts: ``train, valid, test = features.split(0.6, 0.2, 0.2, seed=1)``.

        Each topic falls into one of them, whole; the sizes are the shares of the topics, rounded.
        """
        parts = split_at_random(len(self.topics), shares, seed, self.name)
        return [self._select_places(places, f"{self.name} part {number}") for number, places in enumerate(parts, 1)]

    def scaled(self, kind: Scaling) -> Self:
        """Each query on a scale of its own, which needs no fitting: "min-max" to 0..1, or "z-score".

        A feature of one value throughout a query becomes 0 there. "min-max" is what LETOR calls QueryLevelNorm; for one
        scale for all queries see ``Scaler``.
        """
        require_no_missing(self.X, self.columns, self.name, "a scale")
        return replace(self, X=scale_by_query(self.X, self.offsets, kind, self.name))

    def folds(self, k: int = 5, *, seed: int) -> Iterator[Fold[Self]]:
        """k folds over random parts of the topics: see ``rotate``."""
        if not LEAST <= arguments.whole("k", k, 0) <= len(self.topics):
            raise InputError(f"{self.name}: k={k} folds of {len(self.topics)} topics; give 3 or more, up to the topics")
        return rotate(self.split(*[1 / k] * k, seed=seed))

    @classmethod
    def concat(cls, parts: Sequence[Self], *, name: str | None = None) -> Self:
        """Parts of a collection as one. No two may have a topic in common; topics that are known by their sizes alone
        are numbered on, from one part to the next.

        A part may lack the last features of another, as sparse files do whose documents do not have them: they are 0.
        """
        if not parts:
            raise InputError("no features to concatenate; give one part or more")
        if len(parts) == 1:
            return replace(parts[0], name=name or parts[0].name)  # without a copy of the table
        columns = max((part.columns for part in parts), key=len)
        parts = _numbered_on(parts)
        seen: dict[str, str] = {}
        for part in parts:
            if part.columns != columns[: len(part.columns)]:
                own = list_columns(part.columns)
                raise InputError(
                    f"{part.name}: its features ({own}) differ from the other parts; give all parts the same"
                )
            for topic in part.topics:
                if topic in seen:
                    raise InputError(f"{part.name}: topic {topic} is in {seen[topic]} already; give each topic once")
                seen[topic] = part.name
        categories = join_categories(part.categories for part in parts)
        parts = [part.with_categories(categories) for part in _require_words(parts, categories)]
        table = np.zeros((sum(map(len, parts)), len(columns)), np.result_type(*(part.X for part in parts)))
        begin = 0
        for part in parts:
            table[begin : begin + len(part), : len(part.columns)] = part.X[:]
            begin += len(part)
        return cls(
            X=table,
            grades=np.concatenate([part.grades for part in parts]),
            topics=list(seen),
            offsets=offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
            ids=concatenate_columns([part.ids for part in parts]),
            columns=columns,
            levels=levels_of(np.array([level for part in parts for level in part.levels])),
            name=name or " + ".join(part.name for part in parts),
            categories=categories,
            numbered=all(part.numbered for part in parts),
        )

    @cached_property
    def _keys(self) -> tuple[tuple[Array, Array, Array], Column]:
        """The topic and the document of each row, as columns that the core reads."""
        codes = part_of_row(self.offsets).astype(np.int32)
        ids = self.ids if (np.diff(self.ids[0]) > 0).all() else encode_column(self.docs)
        return (*encode_column(self.topics), codes), ids

    def _select_places(self, places: Array, name: str) -> Self:
        """The topics at some places of ``topics``, which ascend."""
        kept = np.zeros(len(self.topics), bool)
        kept[places] = True
        sizes = np.diff(self.offsets)
        rows = np.flatnonzero(np.repeat(kept, sizes))
        spans = zip(self.offsets[places], self.offsets[places + 1], strict=True)
        return replace(
            self,
            X=self.X[rows],
            grades=self.grades[rows],
            topics=[self.topics[place] for place in places],
            offsets=offsets_of(sizes[places]),
            ids=concatenate_columns([(self.ids[0][begin : end + 1], self.ids[1]) for begin, end in spans]),
            name=name,
        )


def _numbered_on(parts: Sequence[F]) -> list[F]:
    """The parts; one whose topics are known by their sizes alone goes on with the numbers where others have its own,
    unless it has the rows of such a part, as a file that is given twice."""
    taken = {topic for part in parts if not part.numbered for topic in part.topics}
    named: list[F] = []
    for place, part in enumerate(parts):
        twice = any(np.array_equal(part.X[:], other.X[:]) for other in parts[:place])
        if part.numbered and not twice and not taken.isdisjoint(part.topics):
            free = (number for number in map(str, count(len(taken) + 1)) if number not in taken)
            part = replace(part, topics=list(islice(free, len(part.topics))))
        taken.update(part.topics)
        named.append(part)
    return named


def _require_words(parts: Sequence[F], categories: Mapping[str, Sequence[str]]) -> Sequence[F]:
    """The parts; an InputError where a category has words in one and numbers in another."""
    for name in categories:
        of_words, others = (
            [part for part in parts if (name in part.categories) is by_words] for by_words in (True, False)
        )
        if others:
            raise InputError(
                f"{others[0].name}: {name} holds numbers, and {of_words[0].name} words; write all in one way"
            )
    return parts
