"""Text with separated columns: tsv and csv, with a header (BEIR's among them) or without; three columns."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Never

from gradeval._core import InputError
from gradeval.collection.missing_grades import is_nothing
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run, come_again, name_file
from gradeval.files.column_choice import Chosen, keys_beside
from gradeval.files.column_names import InputKind, is_segment
from gradeval.files.denials import cells_of_rows
from gradeval.files.given_values import INFINITE, NOT_COUNTED, without_score
from gradeval.files.grade_words import GradeWords
from gradeval.files.header_rows import Head, read_text_rows
from gradeval.files.joined_columns import JoinedRows, join_rows
from gradeval.files.likely_ranks import warn_of_scores
from gradeval.files.likely_runs import find_telling, find_variants
from gradeval.files.line_layouts import LINES, LineLayout, find_first_row, find_wide_columns, lay_out
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.other_columns import look_at_columns
from gradeval.files.padding import PADDING, say_padding
from gradeval.files.pair_columns import IN_ORDER, PAIR_GRADE, PLACE_OF_ROW, find_ordered_pairs, find_relevant_pairs
from gradeval.files.plain_text import (
    EDGES,
    ONCE,
    ValuesByTopic,
    count_columns,
    quote,
    read_decimal,
    read_rank,
    tell_shortened,
)
from gradeval.files.run_columns import RunKey
from gradeval.files.run_tables import (
    TablesByRun,
    TablesOfPart,
    ValuesAndRanks,
    come_back,
    merge_named,
    merge_parts,
    numbers_of,
)
from gradeval.files.separated_rows import Row, TextRows
from gradeval.files.source import Source
from gradeval.files.telling_columns import describe_telling, keep_last
from gradeval.files.unknown_columns import describe_naming, how_to_name, is_index, refuse_list_cells
from gradeval.files.wide_rows import IN_ORDER_OF_COLUMNS, WideColumns, lengthen, refuse_other_lists

THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
"""A number whose comma may stand between thousands and hundreds."""


def read_delimited_qrels(source: Source, name: str | None = None, columns: Columns = GUESSED) -> Qrels:
    """Judgments from separated columns."""
    tables, layout = _read_tables(source, "qrels", columns)
    qrels = Qrels.of_table(tables[""][0], name or source.place, source.repeated)
    column = layout.header[layout.chosen.value] if layout.header else ""
    column = "" if column == columns.grade else column
    leaves_out = bool(layout.pairs and layout.ignored)
    qrels = replace(qrels, joinable=layout.joinable, leaves_out=leaves_out)
    return replace(qrels, read_as=layout.name, grade_column=column, highest=layout.highest)


def read_delimited_runs(source: Source, name: str | None = None, columns: Columns = GUESSED) -> list[Run]:
    """The runs in separated columns, each called by the column that names it, else by ``name``, else by their file."""
    tables, layout = _read_tables(source, "run", columns)
    scores = layout.header[layout.chosen.value] if layout.header else columns.score
    if scores is not None and not layout.chosen.ranks and layout.chosen.rank is None:
        rankings = [documents.values() for values, _ in tables.values() for documents in values.values()]
        warn_of_scores(rankings, scores, source.place)
    runs = [
        replace(Run.of_table(*table, called or name or layout.tag or name_file(source.place)), place=source.place)
        for called, table in tables.items()
    ]
    at_rank = layout.chosen.rank
    rank_column = "" if at_rank is None or not layout.header else layout.header[at_rank]
    told: dict[str, Any] = {"read_as": layout.name, "rank_column": rank_column, "joinable": layout.joinable}
    return [replace(run, **told) for run in runs]


def _read_tables(source: Source, kind: InputKind, columns: Columns) -> tuple[TablesByRun, LineLayout]:
    """The tables by the name of the run, which is empty where nothing names it, and what the lines are like."""
    layout: LineLayout | None = None
    read: list[TablesOfPart] = []
    for part in source.parts:
        tables, other = _read_part(part, kind, columns, layout, source is part)
        if layout is None:
            layout = other
        elif other.of_columns != layout.of_columns:
            raise InputError(
                f"{part.place}: has the columns {other.of_columns}, where {source.parts[0].place} has "
                f"{layout.of_columns}; write all parts of a folder with the same columns"
            )
        else:
            layout = replace(
                layout,
                blank=layout.blank + other.blank,
                words=layout.words or other.words,
                highest=max(layout.highest, other.highest),
                joinable=layout.joinable or other.joinable,
            )
        read.append((part.place, tables))
    assert layout is not None  # there is a part
    merged = merge_parts(read, source, kind)
    if not any(values for values, _ in merged.values()):
        raise InputError(f"{source.place}: holds headers and no {'line with a grade' if layout.blank else 'lines'}")
    everything = [values for values, _ in merged.values()]
    if layout.chosen.guessed:
        grades = {grade for table in everything for documents in table.values() for grade in documents.values()}
        layout.chosen.require_grades(grades, source.place)
    if kind == "run" and not layout.header and layout.width == 3 and columns.of_values(kind) is None:
        layout = _recognise_ranks(everything[0], layout, source.place)
    return merged, layout


def _read_part(
    source: Source, kind: InputKind, columns: Columns, first: LineLayout | None, alone: bool
) -> tuple[TablesByRun, LineLayout]:
    """The tables of one file; ``first``: what the lines of the first part are like, whose header holds for the others;
    ``alone``: is the file no part?"""
    take = partial(_take_rows, kind=kind, columns=columns, source=source, first=first, alone=alone)
    return read_text_rows(source, f"accepted are lines as in {LINES[kind]}, or a header and lines", take)


def _take_rows(
    rows: TextRows, kind: InputKind, columns: Columns, source: Source, first: LineLayout | None, *, alone: bool
) -> tuple[TablesByRun, LineLayout]:
    place = rows.place
    head, data = find_first_row(rows, kind, columns)
    if alone and head.is_header:
        if (wide := find_wide_columns(head.cells, columns, kind)) is not None:
            columns.met.update(dict.fromkeys(head.cells))
            return _take_wide(rows, head, data, wide)
        refuse_other_lists(head.cells, columns, kind, f"{place}:{head.line}")
    header = head.cells if head.is_header else [one for one in (first.header if first else ()) if one != columns.query]
    if (joined := join_rows(rows, head.line * head.is_header, header, columns.query)) is not rows:
        rows = joined
        head, data = find_first_row(rows, kind, columns)
    beside = keys_beside(head.cells, source.keys, kind, columns) if head.is_header or first else {}
    below = partial(_rows_below, rows, head.line - (not head.is_header), beside)
    named = [*head.cells, *beside] if head.is_header else []
    relevant = find_relevant_pairs(named, kind, columns, cells_of_rows(below))
    if relevant is not None:
        refuse_list_cells(named, relevant.query, f"{place}:{head.line}", below)
    pairs = relevant is not None or (not head.is_header and first is not None and first.pairs)
    in_order = kind == "run" and alone and find_ordered_pairs(named, columns, below) is not None
    beside |= PAIR_GRADE if pairs else PLACE_OF_ROW if in_order else {}
    if beside:
        head, data = head._replace(cells=[*head.cells, *beside]), _with_cells(data, beside)
    if first is not None and first.header and not head.is_header and len(head.cells) == first.width:
        layout = replace(first, blank=0)  # as split(1) cuts a file, whose first part has the header
    else:
        layout = lay_out(head, below, rows.delimiter, kind, columns, place)
    layout = replace(layout, comments=head.comments, letters=rows.letters, separator=head.separator)
    layout = replace(
        layout, added=len(beside) + isinstance(rows, JoinedRows), pairs=pairs, order=IN_ORDER if in_order else ""
    )
    layout = layout if relevant is None else replace(layout, ignored=relevant.ignored)
    if layout.numbered:
        next(data)

    def refuse_twice(line: int, row: Sequence[str]) -> Never:
        _refuse_twice(line, row, kind, lambda: _with_cells(rows, beside), head, layout, columns, place)

    at = layout.chosen.value
    words = GradeWords(layout.header[at] if layout.header else "", columns=columns)
    words.cells = lambda: (row[at] for row in below() if len(row) > at)
    filled = _fill_tables(data, kind, layout, place, words, None if source.repeats else refuse_twice)
    tables = filled.tables
    if not tables and alone:
        raise InputError(f"{place}: holds a header and no {'line with a grade' if filled.blank else 'lines'}")
    if filled.comma:
        _require_commas(rows, head.line, layout.chosen.value, filled.comma)
    if layout.numbered == layout.width:
        for values, _ in tables.values():
            _require_names(values, head, layout.chosen, kind, place)
    names = [layout.header[at] if layout.header else str(at + 1) for at in layout.chosen.runs]
    if layout.header:
        used, again = (*layout.chosen[:3], *layout.chosen.runs), come_back(tables.values())
        joinable = look_at_columns(layout.header, used, kind, columns, below, place, again=again)
        layout = replace(layout, joinable=joinable)
    layout = replace(layout, blank=filled.blank, comma=filled.comma)
    layout = replace(layout, words=filled.words.said, highest=filled.words.highest)
    return merge_named(tables, names, kind, place, columns), layout


def _take_wide(rows: TextRows, head: Head, data: Iterator[Row], wide: WideColumns) -> tuple[TablesByRun, LineLayout]:
    """The judgments, or the runs, in rows that hold a list each."""
    place, names, kind = rows.place, head.cells, wide.kind
    located = ((line, f"{place}:{line}", row) for line, row in data)
    cells = lengthen(located, wide, names, place)
    value = wide.tell_values(names) if wide.values else "grade 1 each" if kind == "qrels" else ""
    listed = wide._replace(values=()).tell(names)
    order = "" if value else IN_ORDER_OF_COLUMNS
    runs = () if wide.run is None else (0,)
    layout = LineLayout(
        rows.delimiter,
        4,
        Chosen(1, 2, 3, ranks=bool(order), runs=runs),
        ("run", names[wide.query] or "one without a name", listed, value),
        comments=head.comments,
        letters=rows.letters,
        separator=head.separator,
        order=order,
    )
    long = ((cell.row, [cell.run, cell.topic, cell.document, str(cell.value)]) for cell in cells)
    filled = _fill_tables(long, kind, layout, place, GradeWords(), None)
    if not filled.tables:
        raise InputError(f"{place}: holds a header and no {'line with a grade' if filled.blank else 'lines'}")
    if filled.comma:
        _require_commas(rows, head.line, wide.values[0], filled.comma)
    layout = replace(
        layout, blank=filled.blank, comma=filled.comma, words=filled.words.said, highest=filled.words.highest
    )
    named = [] if wide.run is None else [names[wide.run]]
    return merge_named(filled.tables, named, kind, place), layout


class FilledTables(NamedTuple):
    """The tables by what rows say their run is called, how many rows have no grade, the first line with a decimal
    comma, and the grades in words."""

    tables: dict[RunKey, ValuesAndRanks]
    blank: int
    comma: int
    words: GradeWords


def _fill_tables(
    data: Iterator[Row],
    kind: InputKind,
    layout: LineLayout,
    place: str,
    words: GradeWords,
    refuse_twice: Callable[[int, Sequence[str]], Never] | None,
) -> FilledTables:
    """The tables of all rows. ``refuse_twice`` says that a topic has the document of a row already; None: repeats are
    kept."""
    sign = -1.0 if layout.chosen.ranks else 1.0
    query, doc, at = layout.chosen[:3]
    at_rank, of_runs = layout.chosen.rank, layout.chosen.runs
    width, blank, comma, padding = layout.width, 0, 0, 0
    tables: dict[RunKey, ValuesAndRanks] = {}
    table, ranks = tables.setdefault(("",) * len(of_runs), ({}, {}))
    for line, row in data:
        if len(row) != width:
            _refuse_width(row, layout, f"{place}:{line}")
        if of_runs:
            table, ranks = tables.setdefault(_name_run(row, layout), ({}, {}))
        topic, document, value = row[query].strip(EDGES), row[doc].strip(EDGES), row[at].strip()
        if document == PADDING and kind == "run" and topic:
            padding += 1
            continue
        number = len(table.get(topic, ())) + 1.0 if layout.order else read_decimal(value)
        if number != number:  # NaN: no number; asked once, as nearly all are numbers
            if kind == "qrels" and topic and words.is_missing(value):  # as of what nobody rated
                blank += 1
                continue
            if kind == "qrels":
                number = words.read(value)
            if math.isnan(number) and value.count(",") == 1:
                number = read_decimal(value.replace(",", "."))
                comma = comma or line
            if math.isnan(number):
                if at_rank is not None and layout.header and is_nothing(value) and row[at_rank].strip():
                    order = layout.header[at_rank]
                    raise without_score(value, f"{place}:{line}", "score", how_to_name({"rank": order}), order)
                _refuse_number(value, kind, layout, words, f"{place}:{line}")
        if not topic or not document:
            remedy = (
                "a query without results has no line"
                if kind == "run" and topic
                else "each line names topic and document"
            )
            raise InputError(f"{place}:{line}: the {'document' if topic else 'topic'} is empty; {remedy}")
        documents = table.setdefault(topic, {})
        if document in documents:
            again = come_again(document, number, documents, repeats=refuse_twice is None, graded=kind == "qrels")
            if again is None and refuse_twice is not None:
                refuse_twice(line, row)
            document = again or document
        documents[document] = sign * number
        if at_rank is not None:
            ranks.setdefault(topic, []).append(read_rank(row[at_rank]))
    words.require_one_scale(numbers_of(tables.values()), place)
    words.warn_of_refusals(place)
    say_padding(padding, place)
    return FilledTables({key: table for key, table in tables.items() if table[0]}, blank, comma, words)


def _name_run(row: Sequence[str], layout: LineLayout) -> RunKey:
    """What a row says its run is called."""
    names = [row[at].strip(EDGES) for at in layout.chosen.runs]
    if not layout.header:
        names = [name.split(" ")[0] for name in names]  # as in TREC text, where words may follow the tag
    return tuple(names)


def _with_cells(rows: Iterable[Row], beside: Mapping[str, str]) -> Iterator[Row]:
    """The rows, each with the values that folders say of them all."""
    return ((line, [*row, *beside.values()]) for line, row in rows) if beside else iter(rows)


def _rows_below(rows: TextRows, line: int, beside: Mapping[str, str]) -> Iterator[Sequence[str]]:
    """The rows below a line, read anew."""
    return (row for number, row in _with_cells(rows, beside) if number > line)


def _require_names(table: ValuesByTopic, head: Head, chosen: Chosen, kind: InputKind, place: str) -> None:
    """Refuse 0, 1, 2 above ids that are whole numbers, too: it may be pandas' header, or the first line of data."""
    if all(topic.isdecimal() and all(map(str.isdecimal, documents)) for topic, documents in table.items()):
        query, doc, at = (column + 1 for column in chosen[:3])
        value = "grade" if kind == "qrels" else "score"
        raise InputError(
            f"{place}:{head.line}: {','.join(head.cells)} may be a header that pandas wrote, or data; delete a header, "
            f"or say that it is data: --columns query={query},doc={doc},{value}={at}"
        )


def _recognise_ranks(table: ValuesByTopic, layout: LineLayout, place: str) -> LineLayout:
    """Whether the third column of a run holds ranks, as MS MARCO has them, or scores; the table becomes scores."""
    values = [list(documents.values()) for documents in table.values()]
    if not all(float(number).is_integer() for numbers in values for number in numbers):
        return layout
    if all(sorted(numbers) in (list(range(len(numbers))), list(range(1, len(numbers) + 1))) for numbers in values):
        for documents in table.values():
            documents.update({document: -rank for document, rank in documents.items()})
        return replace(layout, chosen=layout.chosen._replace(ranks=True))
    raise InputError(
        f"{place}: the third of three columns may hold ranks or scores (whole numbers, not the ranks 1, 2, 3 ... of "
        "each topic); say which: --columns query=1,doc=2,score=3 or --columns query=1,doc=2,rank=3"
    )


def _refuse_width(row: Sequence[str], layout: LineLayout, where: str) -> Never:
    """Refuse a row of another number of columns, and say why it may have them."""
    why = f" (quotes are letters, as line {layout.letters} shows)" if layout.letters else ""
    why = " (comments stand above the first row only)" if row[0].startswith("#") else why
    whole, part, *_ = [cell.strip() for cell in row[layout.chosen.value :]] + ["", ""]
    halves = whole.lstrip("+-").isdecimal() and part.isdecimal()
    if layout.delimiter == "," and len(row) > layout.width and halves:
        why = f"; if {whole},{part} is a number, write {whole}.{part}, or separate columns by semicolons"
    held = count_columns(len(row) - layout.added)
    raise InputError(f"{where}: found {held}, where the first line has {layout.width - layout.added}{why}")


DROPPED = re.compile("[.,](?=.*[.,])")
"""Signs between thousands: all before the last one, which is the decimal point or comma."""


def _refuse_number(value: str, kind: InputKind, layout: LineLayout, words: GradeWords, where: str) -> Never:
    what = "grade" if kind == "qrels" else "rank" if layout.chosen.ranks else "score"
    if kind == "qrels":
        raise words.refuse(value, what, where)
    how = f"leave out the line of a document without a {what}" if is_nothing(value) else "write it as in 2 or 0.5"
    if value.strip("+-").lower() in INFINITE:
        how = NOT_COUNTED
    elif {*".,"} <= {*value} and not math.isnan(read_decimal(plain := DROPPED.sub("", value).replace(",", "."))):
        how = f"write it without a sign between thousands, as {plain}"
    raise InputError(f"{where}: {what} {quote(value)} is not a finite number; {how}")


def _require_commas(rows: TextRows, top: int, at: int, comma: int) -> None:
    """Refuse values with a point among values with a decimal comma: one of the two separates thousands. So may every
    comma, except where semicolons separate cells, as commas are decimal commas there."""
    pointed = next((line for line, row in rows if line > top and "." in row[at]), None)
    if pointed is not None:
        raise InputError(
            f"{rows.place}:{pointed}: has a decimal point, and line {comma} a decimal comma; write all in one way"
        )
    cells = (row[at].strip() for line, row in rows if line >= comma and "," in row[at])
    if rows.delimiter != ";" and all(map(THOUSANDS.fullmatch, cells)):
        cell = next(row[at].strip() for line, row in rows if line == comma)
        raise InputError(
            f"{rows.place}:{comma}: {quote(cell)} may have a decimal comma, or one that separates thousands; write "
            f"{cell.replace(',', '.')} or {cell.replace(',', '')}"
        )


def _refuse_twice(
    line: int,
    row: Sequence[str],
    kind: InputKind,
    rows: Callable[[], Iterator[Row]],
    head: Head,
    layout: LineLayout,
    columns: Columns,
    place: str,
) -> Never:
    """Refuse a document that a topic has twice; say where it was first, and in which other columns the rows differ."""
    query, doc, *values = (at for at in (*layout.chosen[:3], layout.chosen.rank) if at is not None)
    topic, document = row[query].strip(EDGES), row[doc].strip(EDGES)
    first, earlier = next(
        (number, other)
        for number, other in rows()
        if number >= head.line
        and (other[query].strip(EDGES), other[doc].strip(EDGES)) == (topic, document)
        and _name_run(other, layout) == _name_run(row, layout)
    )
    names = layout.header or [f"column {number}" for number in range(1, layout.width + 1)]
    others = [at for at in range(layout.width) if at not in values and not is_index(names[at])]
    apart = [at for at in others if row[at].strip() != earlier[at].strip()]
    likely = [] if layout.chosen.runs else sorted(apart, key=lambda at: not is_segment(names[at]))
    telling = find_telling((other for n, other in rows() if n >= first), query, doc, likely)
    how = ONCE[kind]
    if telling is None and kind == "run" and layout.header and not layout.chosen.runs:
        variant, _ = find_variants(names, [query, doc], lambda: (other for n, other in rows() if n >= first))
        how = f"{describe_naming(variant, columns)}; {how}" if variant else how
    if telling is not None and layout.header:
        how = describe_telling(names[telling], kind, names[query], names[doc], columns)
    if shortened := tell_shortened(document):
        how = f"this id {shortened}"
    elif kind == "qrels" and layout.header:
        how += keep_last(names, names[query], names[doc])
    said = [f"the lines differ in {', '.join(names[at] for at in apart[:3])}"] if apart else []
    if kind == "qrels":
        said = [f"grades {earlier[values[0]].strip()} and {row[values[0]].strip()}", *said]
    told = f" ({'; '.join(said)})" if said else ""
    raise InputError(
        f"{place}:{line}: document {quote(document)} of topic {quote(topic)} was already given in line "
        f"{first}{told}; {how}"
    )
