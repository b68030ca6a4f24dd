"""Pairs of topic and document that must not count, in whatever form a user has them, whatever else there is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from gradeval._core import InputError, Pools
from gradeval.collection.exclusion import SELF, Exclusion
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.accepted import Excludes, is_by_topic, mapping_of_series
from gradeval.files.column_choice import choose_pair, number_pair
from gradeval.files.column_names import find_known
from gradeval.files.header_rows import count_numbered, find_delimiter, find_head, first_line
from gradeval.files.input_formats import format_of, has_prefix
from gradeval.files.json_pairs import pairs_of_mapping, pairs_of_records, read_json_pairs
from gradeval.files.json_values import is_json
from gradeval.files.likely_times import is_rating
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.nested_records import Located
from gradeval.files.other_tools import is_frame, is_record
from gradeval.files.plain_text import EDGES, PairsByTopic, count_columns, decode, quote, read_id
from gradeval.files.readers import read_qrels
from gradeval.files.separated_rows import PAIR, TextRows, read_rows
from gradeval.files.source import COLUMNAR, Source
from gradeval.files.trec import is_trec
from gradeval.messages import kind_of, nearest

ACCEPTED = "'self', a file, a frame, {topic: [document, ...]}, pairs of topic and document, or a list of these"
WIDTHS = {2: (0, 1), 3: (0, 1), 4: (0, 2), 6: (0, 2)}
"""Where topics and documents stand in lines without a header, by the number of columns: four and six are TREC's."""


def as_exclusion(exclude: Excludes, columns: Columns = GUESSED) -> Exclusion:
    """What must not count, from anything that ``evaluate`` and ``judge`` accept as ``exclude``."""
    given: Any = exclude
    if isinstance(given, Iterator):
        given = list(given)
    parts = given if _are_several(given) else [given]
    return Exclusion.of_all([_read_part(part, columns) for part in parts])


def exclude_from(qrels: Qrels, exclude: Excludes) -> Qrels:
    """The judgments without what must not count, which runs that meet them lose, too; None: nothing is excluded."""
    return qrels if exclude is None else qrels.without(as_exclusion(exclude))


def _are_several(given: Any) -> bool:
    """Is it a list of files, frames and mappings, rather than of pairs or records?"""
    return (
        isinstance(given, list | tuple)
        and bool(given)
        and all(
            isinstance(part, str | PathLike | Qrels | Run | Exclusion)
            or is_frame(part)
            or is_by_topic(part)
            or (isinstance(part, Mapping) and not is_record(part))
            or (isinstance(part, list) and _are_pairs(part))
            for part in given
        )
    )


def _are_pairs(given: Any) -> bool:
    return all(isinstance(one, list | tuple) and len(one) > 1 and not isinstance(one[0], list | tuple) for one in given)


def _read_part(part: Any, columns: Columns) -> Exclusion:
    name = "exclude"
    match part:
        case Exclusion():
            return part
        case str() | PathLike():
            if part == SELF:
                return Exclusion(itself=True)
            return Exclusion(pairs=(_read_file(os.fspath(part), columns),))
        case Qrels():
            return Exclusion(pairs=(part.pools,))
        case Run():
            return Exclusion(pairs=(Pools.of_mapping(part.to_dict(), part.name),))
        case Mapping():
            return Exclusion(pairs=(Pools.of_mapping(pairs_of_mapping(part, name), name),))
    if is_by_topic(part) and not _is_column_of_pairs(part):
        return Exclusion(pairs=(Pools.of_mapping(pairs_of_mapping(mapping_of_series(part, name), name), name),))
    if is_frame(part):
        from gradeval.files.frames import pairs_of_frame  # here, as files need none

        return Exclusion(pairs=(pairs_of_frame(part, name, columns),))
    if not isinstance(part, Iterable):
        raise InputError(f"exclude is {ACCEPTED}, not {kind_of(part)}")
    return Exclusion(pairs=(Pools.of_mapping(_read_listed(list(part), columns), name),))


def _is_column_of_pairs(series: Any) -> bool:
    """Are the values of a Series pairs of topic and document, whose index only numbers them?"""
    index = series.index
    numbered = index.name is None and getattr(index.dtype, "kind", "") in "iu"
    if not numbered or not all(isinstance(one, list | tuple) and len(one) == 2 for one in series):
        return False
    if type(index).__name__ == "RangeIndex" and all(isinstance(one, tuple) for one in series):
        return True
    raise InputError(
        "exclude: a Series of twos may hold pairs, or two documents of each topic; give pairs as list(series), or "
        "documents by topic as series.to_dict()"
    )


def _read_listed(items: list[Any], columns: Columns) -> PairsByTopic:
    """Pairs in a list of pairs, of records or of objects with query_id and doc_id."""
    pairs: PairsByTopic = {}
    records: list[Located] = []
    for number, item in enumerate(items, 1):
        where = f"exclude: item {number}"
        if hasattr(item, "query_id") and hasattr(item, "doc_id"):
            item = (item.query_id, item.doc_id)
        if isinstance(item, Mapping):
            records.append((where, item))
        elif isinstance(item, list | tuple) and len(item) > 1:
            pairs.setdefault(read_id(item[0], "topic", where), {})[read_id(item[1], "document", where)] = 0.0
        else:
            raise InputError(f"{where} is {kind_of(item)}; exclude is {ACCEPTED}")
    for topic, documents in pairs_of_records(records, columns).items():
        pairs.setdefault(topic, {}).update(documents)
    return pairs


def _read_file(place: str, columns: Columns) -> Pools:
    if not os.path.exists(place) and (meant := nearest(place, [SELF])):
        raise InputError(f"exclude: {place}: no such file{meant}")
    format = format_of(place)
    if has_prefix(place):
        if format.name in ("letor", "irds", "lists"):
            return read_qrels(place).pools
        place = place.removeprefix(format.prefix)
    source = Source(place)
    beginning = source.beginning
    if beginning.startswith(COLUMNAR):
        from gradeval.files.columnar import read_columnar_pairs  # here, as text needs none

        return read_columnar_pairs(source, columns)
    if is_json(beginning):
        return Pools.of_mapping(read_json_pairs(source, columns), source.place, "first")
    text = decode(source.data, source.place)
    line = first_line(text)
    if not line:
        raise InputError(f"{source.place}: the file is empty; accepted are lines with a topic and a document")
    trec = is_trec(beginning, "qrels") or is_trec(beginning, "run")
    pairs = read_rows(
        text, "" if trec else find_delimiter(line), source.place, lambda rows: _take_pairs(rows, columns, trec=trec)
    )
    return Pools.of_mapping(pairs, source.place)


def _take_pairs(rows: TextRows, columns: Columns, *, trec: bool) -> PairsByTopic:
    """The pairs in separated rows; ``trec``: in TREC text, where ``#`` begins a comment everywhere."""
    place = rows.place
    given = ((line, row) for line, row in rows if not row[0].startswith("#")) if trec else iter(rows)

    def is_header(cells: Sequence[str]) -> bool:
        return not trec and choose_pair(cells, columns) is not None

    headed = find_head(given, is_header, is_header)
    if headed is None:
        raise InputError(f"{place}: holds comments and no lines; accepted are lines with a topic and a document")
    head, data = headed
    width = len(head.cells)
    if head.is_header:
        rows.read_header_once(head.line)
        chosen = choose_pair(head.cells, columns)
        assert chosen is not None  # so it was found to be a header
        query, doc = chosen
    elif not trec and (known := find_known(head.cells)):
        raise InputError(
            f"{place}:{head.line}: {quote(known)} names a column, and no other is known to hold the topics or the "
            "documents; call them query_id and doc_id"
        )
    else:
        numbered = 0 if rows.delimiter == PAIR or trec else count_numbered(head.cells)
        shift = width - numbered if numbered else 0
        query, doc = number_pair(columns, width) or _find_pair(head.cells[shift:], rows, f"{place}:{head.line}")
        if numbered:  # as pandas calls columns without names
            if not shift:
                raise InputError(
                    f"{place}:{head.line}: {','.join(head.cells)} may be a header that pandas wrote, or data; name the "
                    "columns there, or delete the line"
                )
            query, doc = query + shift, doc + shift
            next(data)
    pairs: PairsByTopic = {}
    for line, row in data:
        if len(row) != width:
            raise InputError(f"{place}:{line}: found {count_columns(len(row))}, where the first line has {width}")
        topic, document = row[query].strip(EDGES), row[doc].strip(EDGES)
        if not topic or not document:
            raise InputError(
                f"{place}:{line}: the {'document' if topic else 'topic'} is empty; each line names topic and document"
            )
        pairs.setdefault(topic, {})[document] = 0.0
    return pairs


def _find_pair(cells: Sequence[str], rows: TextRows, where: str) -> tuple[int, int]:
    """Where topics and documents stand in lines without a header."""
    width = len(cells)
    if rows.delimiter == PAIR and width > 1:
        return 0, 1
    if width == 4 and is_rating(cells[2], cells[3]):
        return 0, 1
    if width not in WIDTHS:
        line = (rows.delimiter or " ").join(cells)
        raise InputError(
            f"{where}: found {count_columns(width)} ({quote(line)}); accepted are lines with a topic and a document, "
            "TREC text, ratings, or a header that names the columns"
        )
    return WIDTHS[width]
