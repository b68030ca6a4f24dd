"""From records to tables of judgments or of runs: each is a document, or all documents of a query."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import nan
from typing import Any, NamedTuple

from gradeval._core import InputError
from gradeval.collection.missing_grades import drop_missing, is_nothing, require_grades
from gradeval.collection.runs import come_again
from gradeval.files.column_choice import Chosen, choose_columns, keys_beside
from gradeval.files.column_names import LIKELY_RUNS, InputKind, is_segment, normal_name, place_among_runs
from gradeval.files.denials import cells_of_rows
from gradeval.files.engine_answers import about_lost_queries
from gradeval.files.failed_searches import about_failed_records, has_partial, warn_of_partial
from gradeval.files.given_values import read_value, with_numbers, without_score
from gradeval.files.grade_words import GradeWords
from gradeval.files.hits_by_topic import open_topics
from gradeval.files.joined_columns import join_records
from gradeval.files.json_values import MAPPING, number_records
from gradeval.files.judgment_lists import describe_blank
from gradeval.files.likely_ranks import look_like_ranks, warn_of_mapped_ranks, warn_of_order, warn_of_scores
from gradeval.files.likely_runs import find_telling, find_variants
from gradeval.files.list_names import refuse_text_lists
from gradeval.files.lists import ReadList, RisingScores, grades_in_lists, read_id_lists, read_lists_by_query
from gradeval.files.lists_again import add_same_list, split_by
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.nested_names import describe_parts, describe_scores, only_met, propose_columns
from gradeval.files.nested_records import Located, LocatedRecords, names_within, unfold
from gradeval.files.nuggets import read_nuggets
from gradeval.files.other_columns import look_at_columns
from gradeval.files.padding import MissingIds, is_padding, say_padding
from gradeval.files.pair_columns import (
    IN_ORDER,
    PAIR_GRADE,
    PLACE_OF_ROW,
    are_known,
    describe_pairs,
    find_ordered_pairs,
    find_relevant_pairs,
)
from gradeval.files.plain_text import ONCE, quote, read_id, read_rank
from gradeval.files.record_names import PARTS, RecordNames, is_of_lists, name_relevant, several_lists
from gradeval.files.run_tables import TablesByRun, ValuesAndRanks, come_back, merge_named, numbers_of
from gradeval.files.telling_columns import describe_telling
from gradeval.files.unknown_columns import AS_LISTS, describe_naming, how_to_name, is_index, refuse_list_cells
from gradeval.messages import kind_of
from gradeval.warning_categories import FilesWarning, warn

TRIED = 20
"""Records on which names are tried before an error proposes them."""
LISTS, RECORDS, NUGGETS = (
    "JSON {topic: [document, ...]}",
    "JSON records with lists of ids",
    "JSON records with nuggets",
)
"""Formats with all of a query in one place."""
LISTS_OF: Mapping[InputKind, str] = {"qrels": LISTS, "run": f"{LISTS}, each list from the top rank down"}
"""Lists of judgments, and of runs, in which their order decides."""


class JsonTables(NamedTuple):
    """The tables by the name of the run, the format, and how many documents have no grade; the column of grades, where
    nobody named it; what else is said of the format, as of grades in words; are the records of a run in rank order,
    without scores or ranks; the highest grade that grades in words name, as 5 in 2/5; are other fields said not to
    count; does each query stand in one place with all of its documents? And which columns topics could join (see
    ``Qrels``)."""

    tables: TablesByRun
    read_as: str
    blank: int = 0
    grade_column: str = ""
    words: str = ""
    in_order: bool = False
    highest: float = 0.0
    leaves_out: bool = False
    whole_queries: bool = False
    joinable: str = ""

    @property
    def said(self) -> str:
        """What is said of documents without a grade, and of words."""
        return f"{describe_blank(self.blank)}{self.words}"


def drop_ungraded(table: dict[str, Any], kind: InputKind, words: GradeWords) -> tuple[dict[str, Any], int]:
    """Judgments without documents that have no grade, and how many these are; runs as they are."""
    return drop_missing(table, words.is_missing) if kind == "qrels" else (table, 0)


def read_records(
    records: Callable[[], Iterable[Any]], kind: InputKind, place: str, *, repeats: bool = False
) -> JsonTables:
    """The values and the ranks in records of Python, by the name of the run; they may be read twice."""
    try:
        columns = Columns(remedy=f"write records as in {_example(kind)}")
        read = fill_tables(lambda: number_records(records(), place), kind, columns, place, {}, repeats=repeats)
    except InputError as error:
        failed = about_failed_records(number_records(records(), place), GUESSED) if kind == "run" else None
        raise failed or error from None
    require_grades(len(next(iter(read.tables.values()))[0]), read.blank, place)
    if read.said:
        warn(f"{place}: {read.said.removeprefix('; ')}", FilesWarning)
    if read.in_order:
        warn_of_order(place)
    return read


def fill_tables(
    records: Callable[[], Iterator[Located]],
    kind: InputKind,
    columns: Columns,
    place: str,
    keys: Mapping[str, str],
    *,
    repeats: bool,
) -> JsonTables:
    """The same of records with their places, as a file has them; ``keys``: what its folders say of all records."""
    records = partial(open_topics, join_records(records, columns.query), kind, columns)
    unfolded = unfold(records, columns)
    names = RecordNames(kind, columns)
    names.words.of_python = "{}[grade]".format if columns.in_python else None
    try:
        read = _add_all(unfolded, names, keys, repeats=repeats)
    except RisingScores:
        raise
    except InputError as error:
        raise _name_parts(records, kind, columns, keys) or error from None
    joinable = read.look_at_columns(place)
    tables = read.tables
    for values, _ in tables.values():
        for topic in read.without_grade:
            if not values.get(topic, True):
                del values[topic]
    _warn_of_ranks(read, kind, place)
    named = sorted({name for key in tables for name, _ in key}, key=place_among_runs)
    by_key = {tuple(dict(key).get(name, "") for name in named): key for key in tables}
    by_cells = {cells: tables[key] for cells, key in by_key.items()}
    merged = merge_named(by_cells, named, kind, place, columns)
    column = read.grade_column if kind == "qrels" else ""
    names.words.require_one_scale(numbers_of(merged.values()), place)
    names.words.warn_of_refusals(place)
    read.missing.say(place)
    say_padding(read.rows_of_padding, place)
    warn_of_partial(read.partial, place)
    words = names.words.said if names.telling is None else f"; a run by {names.telling}"
    words += describe_pairs(read.ignored) if read.are_pairs else ""
    leaves_out = bool(read.are_pairs and read.ignored)
    return JsonTables(
        merged,
        read.read_as,
        read.blank,
        column,
        words,
        read.in_order,
        names.words.highest,
        leaves_out,
        read.whole_queries,
        joinable,
    )


def _warn_of_ranks(read: TablesOfRecords, kind: InputKind, place: str) -> None:
    """Warn of scores that look like ranks."""
    by_topic = [values for values, _ in read.tables.values()]
    if kind == "run" and (read.score is not None or read.mapped):
        rankings = [documents.values() for values in by_topic for documents in values.values()]
        if read.score is not None:
            warn_of_scores(rankings, read.score, place)
        elif look_like_ranks(rankings):
            warn_of_mapped_ranks(place)


def _add_all(records: LocatedRecords, names: RecordNames, keys: Mapping[str, str], *, repeats: bool) -> TablesOfRecords:
    """The tables of all records."""
    read = TablesOfRecords(names, keys, repeats, records)
    try:
        whole = all(read.add(record, where) for where, record in records())
    except InputError:
        whole = False
    if not whole:  # other names may count than in the first records: read again, now that all are known
        with suppress(InputError):
            for _, record in records():
                names.add(record)
            if names.kind == "run":
                names.telling = names.find_telling((record for _, record in records()), LIKELY_RUNS)
        names.words.refusals = 0
        read = TablesOfRecords(names, keys, repeats, records)
        for where, record in records():
            read.add(record, where)
    return read


def _name_parts(
    records: LocatedRecords, kind: InputKind, columns: Columns, keys: Mapping[str, str]
) -> InputError | None:
    """The error for records that hold within objects what is needed, where the first one cannot be read; None: no usual
    names of parts tell."""
    try:
        first = [*islice(records(), TRIED)]
    except InputError:
        return None
    if not first or not isinstance(first[0][1], dict) or _are_read(first[:1], kind, columns, keys):
        return None
    if (met := only_met(columns, first[0][1])) != columns and _are_read(first, kind, met, keys):
        return None  # a name that the user gave is wrong, as the error at hand says
    tried = [record for _, record in first]
    frame = "pandas.DataFrame(records)" if columns.in_python else ""
    reads = partial(_are_read, first, kind, keys=keys, named_alone=bool(frame))
    propose = partial(propose_columns, tried, kind, columns, reads)
    where, record = first[0]
    given = propose()
    if not given and kind == "qrels" and (scored := propose(scores=True)):
        return InputError(f"{where}: {describe_scores(scored, columns, frame=frame)}")
    if not given:
        named = columns.query in {*names_within(record)}
        lost = about_lost_queries(record, python=columns.in_python) if kind == "run" and not named else ""
        return InputError(f"{where}: {lost}") if lost else None
    return InputError(f"{where}: {describe_parts(given, [*record], kind, columns, frame=frame)}")


def _are_read(
    first: Sequence[Located], kind: InputKind, columns: Columns, keys: Mapping[str, str], *, named_alone: bool = False
) -> bool:
    """Are these records read under these names, and not as pairs without grades? ``named_alone``: must parts of traces
    be named, as in frames?"""
    unfolded = unfold(lambda: iter(first), columns)
    if named_alone:
        tops = [(where, {name: one[name] for name in one if name not in PARTS}) for where, one in unfolded()]
        unfolded = partial(iter, tops)
    try:
        with warnings.catch_warnings(action="ignore"):
            read = _add_all(unfolded, RecordNames(kind, columns), keys, repeats=True)
    except InputError:
        return False
    return not read.are_pairs and any(values for values, _ in read.tables.values())


@dataclass
class TablesOfRecords:
    """The tables that records fill one after the other, by what a record says its run is called.

    Attributes
    ----------
    names : which names count in the records of the file.
    keys : what the folders of a part say of all its records.
    repeats : may a topic have a document twice?
    records : gives all records, to look at.
    tables, read_as : the tables, and the format, from the records so far.
    blank : how many documents have no grade.
    without_grade : the topics with such documents in lists.
    missing, rows_of_padding : the ids of lists, and how many records of a run, that stand for no document.
    partial : the queries whose answers have only some hits.
    ignored : what is said of other fields, where each record is a relevant pair.
    mapped : has a record {document: number}?
    whole_queries : has a record all documents of a query, or of several?
    """

    names: RecordNames
    keys: Mapping[str, str]
    repeats: bool
    records: Callable[[], Iterator[Located]]
    tables: dict[tuple[tuple[str, str], ...], ValuesAndRanks] = field(default_factory=dict)
    read_as: str = ""
    blank: int = 0
    missing: MissingIds = field(default_factory=MissingIds)
    rows_of_padding: int = 0
    partial: list[str] = field(default_factory=list)
    without_grade: set[str] = field(default_factory=set)
    ignored: str = ""
    mapped: bool = False
    whole_queries: bool = False
    _columns: ColumnsOfRecords | None = None
    _grades: set[float] = field(default_factory=set)
    _first_spelling: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> InputKind:
        """Are these judgments or a run?"""
        return self.names.kind

    def add(self, record: Any, where: str) -> bool:
        """Add a record: all documents of a query, lists by query, or one document. False: a name in it counts that
        earlier records lacked."""
        if self.names.add(record) and (self.tables or self.blank):
            return False
        self.names.words.cells = self._grades_in_lists
        listed = read_id_lists(record, self.names, where, self.missing, repeats=self.repeats)
        if listed is None and (nuggets := read_nuggets(record, self.kind, where)) is not None:
            listed = ReadList(*nuggets)
        if listed is not None:
            self._add_query(record, listed, where)
        elif is_of_lists(record):
            self._add_lists(record, where)
        else:
            self._require_plain_values(record, where)
            self._add_document(record, where)
        return True

    def _add_query(self, record: Mapping[str, Any], listed: ReadList, where: str) -> None:
        self.whole_queries = True
        table, _ = self._tables_of(_name_run(record, self.names.names_of_runs))
        topic = listed.topic
        if topic not in table:
            table[topic] = listed.documents
        elif self.kind == "run":
            raise InputError(f"{where}: query {quote(topic)} was already given; {self._once_a_query}")
        else:
            add_same_list(table[topic], listed.documents, topic, where, lambda: split_by(self._telling_lists))
        self.mapped = self.mapped or any(isinstance(record.get(name), dict) for name in self.names.known)
        self.blank += listed.blank
        if self.kind == "run" and has_partial(record):
            self.partial.append(topic)
        if listed.blank:
            self.without_grade.add(topic)
        self.read_as = self.read_as or (NUGGETS if "nuggets" in record else RECORDS)

    def _add_lists(self, record: Any, where: str) -> None:
        self.whole_queries = True
        lists = read_lists_by_query(record, self.kind, where, self.missing, repeats=self.repeats)
        lists, blank = drop_ungraded(lists, self.kind, self.names.words)
        self.blank += blank
        table, _ = self._tables_of(())
        twice = sorted(table.keys() & lists.keys())
        if twice and self.kind == "run":
            once = f"write each query once; if {quote(twice[0])} is a run, write query_id in each record"
            raise InputError(f"{where}: query {quote(twice[0])} was already given; {once}")
        lists = with_numbers(lists, self.kind, self.names.words, where)
        for topic in twice:
            add_same_list(table[topic], lists.pop(topic), topic, where, lambda: split_by(None))
        table |= lists
        self.read_as = self.read_as or LISTS_OF[self.kind]

    def _require_plain_values(self, record: Any, where: str) -> None:
        example = _example(self.kind)
        if not isinstance(record, dict):
            raise InputError(f"{where}: is {kind_of(record)}; accepted are records as in {example}")
        nested = next((name for name, value in record.items() if isinstance(value, dict)), None)
        if nested is not None and not are_known([*record], self.kind, self.names.columns):
            raise InputError(
                f"{where}: {quote(nested)} holds an object ({', '.join(record[nested]) or 'empty'}), where a record "
                f"has plain values; write one record a document, as in {example}, or one {MAPPING} for the whole file"
            )
        if record and all(isinstance(value, list) for value in record.values()):
            raise InputError(f"{where}: {quote(next(iter(record)))} has a list; accepted are {MAPPING}, or {example}")
        if self.kind == "qrels" and (name := self.names.find_ungraded(record)) is not None:
            lists = [
                one
                for one, value in record.items()
                if isinstance(value, list) and value and all(isinstance(id, str | int) for id in value)
            ]
            if len(lists) > 1 and not name_relevant(record):
                raise several_lists(lists, self.kind, where, self.names.columns)
            grade = self.names.find_likely_grade(record[name])
            by_name = how_to_name({"grade": grade}, "qrels", self.names.columns)
            how = "call it grade" if self.names.columns.in_python else by_name
            named = f"if {quote(grade)} is the grade" if grade != "NAME" else "or name the grade"
            raise InputError(
                f'{where}: no document in {name!r} has a grade; write {{"id": "d1", "grade": 2}}; {named}: {how}; '
                "or name a list of relevant documents 'relevant'" + name_relevant(record)
            )

    def _add_document(self, record: dict[str, Any], where: str) -> None:
        columns = self._choose_columns(where)
        chosen = columns.chosen
        record = record | columns.added if columns.added else record
        table, ranks = self._tables_of(_name_run(record, columns.runs))
        given = _field(record, columns.query, where)
        topic = read_id(given, "topic", where)
        words = self.names.words
        words.column = columns.value
        words.cells = lambda: (row[0] for row in self._rows([columns.value], {}))
        if self.kind == "qrels" and words.is_missing(_field(record, columns.value, where, "")):
            self.blank += 1
            return
        document = read_id(_field(record, columns.doc, where), "document", where)
        if self.kind == "run" and is_padding(document):
            self.rows_of_padding += 1
            return
        value = len(table.get(topic, ())) + 1 if self.in_order else _field(record, columns.value, where)
        order = columns.rank or ""
        empty = self.kind == "run" and (value is None or is_nothing(value))
        if empty and order and _field(record, order, where, None) is not None:
            how = f"run_from_frame(pandas.DataFrame(records), rank={order!r})" if self.names.columns.in_python else ""
            raise without_score(value, where, columns.value, how or how_to_name({"rank": order}), order)
        number = read_value(value, self.kind, columns.value, words, where)
        if chosen.guessed:
            self._grades.add(number)
            chosen.require_grades(self._grades, where)
        if type(self._first_spelling.setdefault(topic, given)) is not type(given):
            raise InputError(f"{where}: topic {topic} is given as {topic} and as {topic!r}; write it in one way")
        documents = table.setdefault(topic, {})
        if document in documents:
            graded = self.kind == "qrels"
            again = come_again(document, number, documents, repeats=self.repeats, graded=graded)
            if again is None:
                grades = f" (grades {documents[document]:g} and {number:g})" if graded else ""
                raise InputError(
                    f"{where}: document {quote(document)} of topic {quote(topic)} was already given{grades}; "
                    f"{self._once}"
                )
            document = again
        documents[document] = -number if chosen.ranks else number
        if columns.rank is not None and columns.rank in record:
            ranks.setdefault(topic, [nan] * (len(documents) - 1)).append(read_rank(record[columns.rank]))
        elif topic in ranks:
            ranks[topic].append(nan)

    def _tables_of(self, run: tuple[tuple[str, str], ...]) -> ValuesAndRanks:
        return self.tables.setdefault(run, ({}, {}))

    def _rows(self, names: Sequence[str], added: Mapping[str, str]) -> Iterator[list[Any]]:
        """The values of the records by these names."""
        with suppress(InputError):  # in a later record, while an error of this one is told
            for _, record in self.records():
                if isinstance(record, dict):
                    yield [added.get(name, record.get(name)) for name in names]

    def _grades_in_lists(self) -> Iterator[Any]:
        """What stands as grades in the lists of all records."""
        with suppress(InputError):  # in a later record, while an error of this one is told
            for _, record in self.records():
                yield from grades_in_lists(record, self.names)

    @property
    def _once_a_query(self) -> str:
        """What to do about a query that has several lists of a run."""
        telling = self._telling_lists
        return "write one record a query" if telling is None else describe_naming(telling, self.names.columns)

    @property
    def _telling_lists(self) -> str | None:
        """The field that tells apart the lists of a query; None: no field does."""
        with suppress(InputError):  # in a later record, while an error of this one is told
            return self.names.find_telling(record for _, record in self.records())
        return None

    @property
    def _once(self) -> str:
        """What to do about a document that comes twice in a topic."""
        columns = self._columns
        if columns is None or columns.runs:
            return ONCE[self.kind]
        every = [name for name in self.names.fields if name not in self.names.lists]
        roles = (columns.query, columns.doc, columns.value, columns.rank)
        query, doc = every.index(columns.query), every.index(columns.doc)
        likely = [at for at, name in enumerate(every) if name not in roles and not is_index(name)]
        likely.sort(key=lambda at: not is_segment(every[at]))
        telling = find_telling(self._rows(every, columns.added), query, doc, likely) if likely else None
        if telling is None:
            return f"{self._describe_variants(every, (query, doc))}{ONCE[self.kind]}"
        return describe_telling(every[telling], self.kind, columns.query, columns.doc, self.names.columns)

    def _describe_variants(self, names: Sequence[str], chosen: Sequence[int]) -> str:
        """What to do where a field with few values seems to name runs that repeat their documents; empty: none does."""
        if self.kind == "qrels" or self._columns is None:
            return ""
        name, _ = find_variants(names, chosen, partial(self._rows, names, self._columns.added))
        return f"{describe_naming(name, self.names.columns)}; " if name else ""

    def look_at_columns(self, place: str) -> str:
        """What ``look_at_columns`` says of the fields that are not used."""
        if self._columns is None:
            return ""
        added = self._columns.added
        every = [*(name for name in self.names.fields if name not in self.names.lists), *added]
        columns, rows = self.names.columns, partial(self._rows, every, added)
        roles = (self._columns.query, self._columns.doc, self._columns.value)
        used = [*(every.index(name) for name in roles if name in every), *self._columns.chosen.runs]
        again = come_back(self.tables.values())
        return look_at_columns(every, used, self.kind, columns, rows, place, again=again)

    @property
    def are_pairs(self) -> bool:
        """Is each record a relevant document, without a grade?"""
        return self._columns is not None and self._columns.pairs

    @property
    def in_order(self) -> bool:
        """Are the records of a run in rank order, without scores or ranks?"""
        return self._columns is not None and self._columns.in_order

    @property
    def score(self) -> str | None:
        """The name under which the records give scores, where they give no ranks."""
        columns = self._columns
        if columns is None or columns.chosen.ranks or columns.rank is not None or columns.value in columns.added:
            return None
        return columns.value

    @property
    def grade_column(self) -> str:
        """The column of grades, where nobody named it; empty: there is none."""
        column = (self.names.value or "") if self._columns is None else self._columns.value
        return "" if column == self.names.columns.grade else column

    def _choose_columns(self, where: str) -> ColumnsOfRecords:
        """The columns of all records, and what folders add to these."""
        names, kind = self.names, self.kind
        known = (*names.known, *(names.fields if self.are_pairs or self.in_order else ()))
        if self._columns is None or self._columns.known != known:
            added = keys_beside([*names.fields], self.keys, kind, names.columns)
            every = [*names.fields, *added]
            cells = cells_of_rows(partial(self._rows, every, added))
            found = find_relevant_pairs(every, kind, names.columns, cells)
            pairs = found is not None
            if found is not None:
                refuse_list_cells(every, found.query, where, partial(self._rows, every, added), split=AS_LISTS)
                added, self.ignored = added | PAIR_GRADE, found.ignored
            every = [*(name for name in names.fields if name not in names.lists), *added]
            names.require_no_sole_lists(every, where)
            rows = partial(self._rows, every, added)
            if names.columns.doc is None:
                refuse_text_lists(every, kind, where, rows)
            in_order = kind == "run" and find_ordered_pairs(every, names.columns, rows) is not None
            if in_order:
                added, every = added | PLACE_OF_ROW, [*every, *PLACE_OF_ROW]
            chosen = choose_columns(every, kind, names.columns, where, rows)
            query, doc, value = (every[at] for at in chosen[:3])
            shown = chosen.list_names([*every[:-1], IN_ORDER] if in_order else every)
            self.read_as = self.read_as or f"JSONL ({f'{query}, {doc}' if pairs else shown})"
            known = (*names.known, *(names.fields if pairs or in_order else ()))
            rank = None if chosen.rank is None else every[chosen.rank]
            runs = frozenset(normal_name(every[at]) for at in chosen.runs)
            self._columns = ColumnsOfRecords(known, chosen, query, doc, value, rank, added, pairs, runs, in_order)
        return self._columns


class ColumnsOfRecords(NamedTuple):
    """The names of the columns that count, and what is added to all records, where ``known`` names are there; is each
    record a relevant document, without a grade, or the next one of a run in rank order?"""

    known: tuple[str, ...]
    chosen: Chosen
    query: str
    doc: str
    value: str
    rank: str | None
    added: dict[str, str]
    pairs: bool
    runs: frozenset[str]
    in_order: bool


REQUIRED = object()


def _field(record: Mapping[str, Any], name: str, where: str, default: object = REQUIRED) -> Any:
    """The value of a name in a record, which may spell it in another way that reads as the same."""
    if name in record:
        return record[name]
    same = next((value for one, value in record.items() if normal_name(one) == normal_name(name)), default)
    if same is REQUIRED:
        raise InputError(
            f"{where}: has no {name!r}, as other records have (it has {', '.join(map(str, record))}); write it"
        )
    return same


def _name_run(record: Mapping[str, Any], naming: Collection[str]) -> tuple[tuple[str, str], ...]:
    """What the fields of a record say its run is called; ``naming``: the normal names of fields that may say it."""
    if not naming:
        return ()
    named = ((name, str(value)) for name, value in record.items() if isinstance(value, str | int))
    return tuple(sorted((name, value) for name, value in named if value and normal_name(name) in naming))


def _example(kind: InputKind) -> str:
    return '{"query_id": "q1", "doc_id": "d1", "' + ("relevance" if kind == "qrels" else "score") + '": 1}'
