"""Text with separated columns: tsv and csv, with a header (BEIR's among them) or without; three columns."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Never

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Again, Run, name_file
from gradeval.files.column_choice import Chosen, choose_columns, keys_beside
from gradeval.files.column_names import InputKind, RowsOfTable
from gradeval.files.denials import cells_of_rows
from gradeval.files.grade_words import GradeWords
from gradeval.files.header_rows import (
    DELIMITERS,
    Head,
    count_numbered,
    find_delimiter,
    first_line,
    is_number,
    read_head,
)
from gradeval.files.judgment_lists import describe_blank
from gradeval.files.likely_ranks import warn_of_restarts, warn_of_scores
from gradeval.files.likely_runs import find_telling
from gradeval.files.likely_times import refuse_time, refuse_time_of_pair
from gradeval.files.named_columns import GUESSED, Columns, are_mostly_known
from gradeval.files.pair_columns import (
    IN_ORDER,
    PAIR_GRADE,
    PLACE_OF_ROW,
    are_known,
    describe_pairs,
    find_ordered_pairs,
    find_relevant_pairs,
)
from gradeval.files.plain_text import (
    ONCE,
    ValuesByTopic,
    count_columns,
    decode,
    once_of_raters,
    quote,
    read_decimal,
    read_rank,
)
from gradeval.files.run_columns import RunKey
from gradeval.files.run_tables import TablesByRun, TablesOfPart, ValuesAndRanks, merge_named, merge_parts, numbers_of
from gradeval.files.separated_rows import EDGES, LINE_END, PAIR, Row, TextRows, read_rows, split_row
from gradeval.files.source import Source
from gradeval.files.trec import is_separated
from gradeval.files.unknown_columns import describe_naming
from gradeval.files.wide_rows import IN_ORDER_OF_COLUMNS, KINDS, WideColumns, find_wide, lengthen, refuse_other_lists

BEIR = ["query-id", "corpus-id", "score"]
POSITIONS: dict[InputKind, dict[int, Chosen]] = {
    "qrels": {3: Chosen(0, 1, 2), 4: Chosen(0, 2, 3)},
    "run": {3: Chosen(0, 1, 2), 6: Chosen(0, 2, 4, rank=3, runs=(5,))},
}
"""The columns of lines without a header, by their number: three, or as in TREC text."""
RATINGS = {3: Chosen(0, 1, 2), 4: Chosen(0, 1, 2)}
"""The columns of lines with ``::``, which are MovieLens's: user, item, rating, time."""
LINES = {
    "qrels": "query,doc,grade or query,iteration,doc,grade",
    "run": "query,doc,rank or query,Q0,doc,rank,score,tag",
}


@dataclass(frozen=True)
class LineLayout:
    """How the lines of a text are to be read.

    Attributes
    ----------
    delimiter : what separates the columns.
    width : how many columns a line has.
    chosen : which of them are needed.
    header : the names of the columns, in the first line; empty where there is none.
    tag : the first word behind the score, where the columns are TREC's.
    numbered : how many columns pandas numbers in the first line, from 0; 0: it does not.
    blank : how many lines have no grade, once they are read.
    comments : how many lines above the first row are comments.
    letters : a line that shows that quotes are letters; 0: they enclose columns.
    separator : does the first line say ``sep=;``?
    comma : the first line whose value has a decimal comma; 0: there is none.
    added : how many columns of ``header`` do not stand in the lines.
    pairs : is each line a relevant document, without a grade?
    ignored : what is then said of other columns.
    order : which order is the rank order, where there are neither scores nor ranks; empty: they are there.
    words : what is said of grades in words.
    highest : the highest grade that they name, as 3 in 2/3; 0: they name none.
    """

    delimiter: str
    width: int
    chosen: Chosen
    header: Sequence[str] = ()
    tag: str = ""
    numbered: int = 0
    blank: int = 0
    comments: int = 0
    letters: int = 0
    separator: bool = False
    comma: int = 0
    added: int = 0
    pairs: bool = False
    ignored: str = ""
    order: str = ""
    words: str = ""
    highest: float = 0.0

    @property
    def of_columns(self) -> str:
        """The columns that are read, as messages list them."""
        if self.header:
            return self._names
        return ", ".join(str(at + 1) for at in self.chosen[:3]) + f" of {self.width}, without a header"

    @property
    def name(self) -> str:
        """What messages call this format."""
        said = describe_blank(self.blank) + self.words
        said += describe_pairs(self.ignored) if self.pairs else ""
        if self.comments:
            said += f"; {self.comments} {'line' if self.comments == 1 else 'lines'} above, with #, left out"
        if self.separator:
            said += "; the line sep= left out"
        if self.comma:
            said += "; decimal commas"
        if self.letters:
            said += f"; quotes are letters, as line {self.letters} shows"
        return f"{self._columns}{said}"

    @property
    def _names(self) -> str:
        """The names of the columns that are read."""
        if self.pairs:
            return ", ".join(self.header[at] for at in self.chosen[:2])
        return self.chosen.list_names([*self.header[:-1], self.order] if self.order else self.header)

    @property
    def _columns(self) -> str:
        if self.delimiter == "\t" and list(self.header) == BEIR:
            return "BEIR tsv"
        form = DELIMITERS[self.delimiter]
        meaning = "; score = -rank" if self.chosen.ranks and not self.order else ""
        if self.header:
            return f"{form} with a header ({self._names}{meaning})"
        below = f" below the numbers 0 to {self.numbered - 1}" if self.numbered else ""
        places = ", ".join(
            f"{role} {place + 1}"
            for role, place in zip(
                ("query", "doc", "rank" if self.chosen.ranks else "value"), self.chosen[:3], strict=True
            )
        )
        return f"{form} of {self.width} columns ({places}{meaning}){below}"


def is_delimited(beginning: bytes, kind: InputKind, columns: Columns) -> bool:
    """Do the first lines look like columns that this reader tells apart?"""
    text = beginning[:8192].decode("utf-8-sig", "replace")
    line = first_line(text)
    if not line or "\0" in line or line.lstrip().startswith(("{", "[", "<")):
        return False
    if columns.are_numbers(kind):
        return True
    delimiter = find_delimiter(line)
    lines = [(number, one) for number, one in enumerate(LINE_END.split(text), 1) if one.strip()]
    rows = ((number, split_row(one, delimiter)) for number, one in lines)
    known = partial(are_known, kind=kind, columns=columns)
    found = read_head((row for row in rows if row[1]), partial(_is_header, columns=columns), known)
    if found is None:
        return False
    head, others = found
    first, width = head.cells, len(head.cells)
    if head.is_header:
        below = next(others, None)
        plainly = below is not None and len(below[1]) == width and not _is_header(below[1], columns)
        known_names = are_mostly_known(first, columns) or any(_find_wide(first, columns, either) for either in KINDS)
        return known_names or (plainly and width > 2)
    if count_numbered(first) > 2:
        return True
    if delimiter in (",", ";") and width > 2 and len(line.split()) not in POSITIONS[kind]:
        return True  # whatever is wrong with it: TREC text has no commas between its columns
    if is_separated(beginning[:8192], kind):
        return True  # whatever is wrong with it: it is no TREC text
    positions = _positions(kind, delimiter)
    return width in positions and is_number(first[positions[width].value])


def read_delimited_qrels(source: Source, name: str | None = None, columns: Columns = GUESSED) -> Qrels:
    """Judgments from separated columns."""
    tables, layout = _read_tables(source, "qrels", columns)
    qrels = Qrels.of_table(tables[""][0], name or source.place, source.repeated)
    column = layout.header[layout.chosen.value] if layout.header else ""
    column = "" if column == columns.grade else column
    leaves_out = bool(layout.pairs and layout.ignored)
    return replace(qrels, read_as=layout.name, grade_column=column, highest=layout.highest, leaves_out=leaves_out)


def read_delimited_runs(source: Source, name: str | None = None, columns: Columns = GUESSED) -> list[Run]:
    """The runs in separated columns, each called by the column that names it, else by ``name``, else by their file."""
    tables, layout = _read_tables(source, "run", columns)
    scores = layout.header[layout.chosen.value] if layout.header else columns.score
    if scores is not None and not layout.chosen.ranks and layout.chosen.rank is None:
        rankings = [documents.values() for values, _ in tables.values() for documents in values.values()]
        warn_of_scores(rankings, scores, source.place)
    if layout.chosen.ranks and not layout.order:
        column = layout.header[layout.chosen.value] if layout.header else columns.rank
        warn_of_restarts((values for values, _ in tables.values()), column or "the third column", source.place)
    runs = [
        replace(Run.of_table(*table, called or name or layout.tag or name_file(source.place)), place=source.place)
        for called, table in tables.items()
    ]
    at_rank = layout.chosen.rank
    rank_column = "" if at_rank is None or not layout.header else layout.header[at_rank]
    return [replace(run, read_as=layout.name, rank_column=rank_column) for run in runs]


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
    place = source.place
    text = decode(source.data, place)
    line = first_line(text)
    if not line:
        raise InputError(f"{place}: the file is empty; accepted are lines as in {LINES[kind]}, or a header and lines")
    take = partial(_take_rows, kind=kind, columns=columns, source=source, first=first, alone=alone)
    return read_rows(text, find_delimiter(line), place, take)


def _take_rows(
    rows: TextRows, kind: InputKind, columns: Columns, source: Source, first: LineLayout | None, *, alone: bool
) -> tuple[TablesByRun, LineLayout]:
    place = rows.place
    head, data = _read_head(rows, kind, columns)
    if alone and head.is_header:
        if (wide := _find_wide(head.cells, columns, kind)) is not None:
            columns.met.update(dict.fromkeys(head.cells))
            return _take_wide(rows, head, data, wide)
        refuse_other_lists(head.cells, columns, kind, f"{place}:{head.line}")
    beside = keys_beside(head.cells, source.keys, kind, columns) if head.is_header or first else {}
    below = partial(_rows_below, rows, head.line, beside)
    named = [*head.cells, *beside] if head.is_header else []
    found = find_relevant_pairs(named, kind, columns, cells_of_rows(below))
    pairs = found is not None or (not head.is_header and first is not None and first.pairs)
    in_order = kind == "run" and alone and find_ordered_pairs(named, columns, below) is not None
    beside |= PAIR_GRADE if pairs else PLACE_OF_ROW if in_order else {}
    if beside:
        head, data = head._replace(cells=[*head.cells, *beside]), _with_cells(data, beside)
    if first is not None and first.header and not head.is_header and len(head.cells) == first.width:
        layout = replace(first, blank=0)  # as split(1) cuts a file, whose first part has the header
    else:
        layout = _lay_out(head, below, rows.delimiter, kind, columns, place)
    layout = replace(layout, comments=head.comments, letters=rows.letters, separator=head.separator)
    layout = replace(layout, added=len(beside), pairs=pairs, order=IN_ORDER if in_order else "")
    layout = layout if found is None else replace(layout, ignored=found.ignored)
    if layout.numbered:
        next(data)

    def refuse_twice(line: int, row: Sequence[str]) -> Never:
        _refuse_twice(line, row, kind, lambda: _with_cells(rows, beside), head, layout, columns, place)

    filled = _fill_tables(data, kind, layout, place, None if source.repeats else refuse_twice)
    tables = filled.tables
    if not tables and alone:
        raise InputError(f"{place}: holds a header and no {'line with a grade' if filled.blank else 'lines'}")
    if filled.comma:
        _require_commas(rows, head.line, layout.chosen.value, filled.comma)
    if layout.numbered == layout.width:
        for values, _ in tables.values():
            _require_names(values, head, layout.chosen, kind, place)
    names = [layout.header[at] if layout.header else str(at + 1) for at in layout.chosen.runs]
    layout = replace(layout, blank=filled.blank, comma=filled.comma)
    layout = replace(layout, words=filled.words.said, highest=filled.words.highest)
    return merge_named(tables, names, kind, place), layout


def _find_wide(cells: Sequence[str], columns: Columns, kind: InputKind) -> WideColumns | None:
    """The columns of rows with a list each; None for others, and for the columns of TREC text that pandas numbers."""
    wide = find_wide(cells, columns, kind)
    numbered = wide is not None and not wide.named and not cells[wide.query]
    return None if numbered and any(count_numbered(cells) in widths for widths in POSITIONS.values()) else wide


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
    filled = _fill_tables(long, kind, layout, place, None)
    if not filled.tables:
        raise InputError(f"{place}: holds a header and no {'line with a grade' if filled.blank else 'lines'}")
    if filled.comma:
        _require_commas(rows, head.line, wide.values[0], filled.comma)
    layout = replace(
        layout, blank=filled.blank, comma=filled.comma, words=filled.words.said, highest=filled.words.highest
    )
    named = [] if wide.run is None else [names[wide.run]]
    return merge_named(filled.tables, named, kind, place), layout


def _read_head(rows: TextRows, kind: InputKind, columns: Columns) -> tuple[Head, Iterator[Row]]:
    """The first row with what stands above it, and the rows of data."""
    numbered = columns.are_numbers(kind)
    named = columns.of_values(kind) is not None and not numbered
    found = read_head(
        iter(rows),
        lambda cells: not numbered and (named or _is_header(cells, columns)),
        lambda cells: not numbered and are_known(cells, kind, columns),
    )
    assert found is not None  # there is a first line
    return found


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
    refuse_twice: Callable[[int, Sequence[str]], Never] | None,
) -> FilledTables:
    """The tables of all rows. ``refuse_twice`` says that a topic has the document of a row already; None: repeats are
    kept."""
    sign = -1.0 if layout.chosen.ranks else 1.0
    query, doc, at = layout.chosen[:3]
    at_rank, of_runs = layout.chosen.rank, layout.chosen.runs
    width, blank, comma = layout.width, 0, 0
    words = GradeWords(layout.header[at] if layout.header else "")
    tables: dict[RunKey, ValuesAndRanks] = {}
    table, ranks = tables.setdefault(("",) * len(of_runs), ({}, {}))
    for line, row in data:
        if len(row) != width:
            _refuse_width(row, layout, f"{place}:{line}")
        if of_runs:
            table, ranks = tables.setdefault(_name_run(row, layout), ({}, {}))
        topic, document, value = row[query].strip(EDGES), row[doc].strip(EDGES), row[at].strip()
        number = len(table.get(topic, ())) + 1.0 if layout.order else read_decimal(value)
        if math.isnan(number) and kind == "qrels" and topic and words.is_missing(value):  # as of what nobody rated
            blank += 1
            continue
        if math.isnan(number) and kind == "qrels":
            number = words.read(value)
        if math.isnan(number) and layout.delimiter == ";" and value.count(",") == 1:
            number = read_decimal(value.replace(",", "."))
            comma = comma or line
        if math.isnan(number):
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
            if refuse_twice is not None and not (kind == "qrels" and documents[document] == number):
                refuse_twice(line, row)
            document = Again(document)
        documents[document] = sign * number
        if at_rank is not None:
            ranks.setdefault(topic, []).append(read_rank(row[at_rank]))
    words.require_one_scale(numbers_of(tables.values()), place)
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


def _lay_out(
    head: Head, rows: RowsOfTable, delimiter: str, kind: InputKind, columns: Columns, place: str
) -> LineLayout:
    """What the lines are like; ``rows``: the rows below, which are read only where names leave doubt."""
    cells, where = head.cells, f"{place}:{head.line}"
    width = len(cells)
    if columns.are_numbers(kind):
        query, doc, value = places = [
            int(str(name)) - 1 for name in (columns.query, columns.doc, columns.of_values(kind))
        ]
        beyond = next((number + 1 for number in places if not 0 <= number < width), None)
        if beyond is not None or len(set(places)) < 3:
            fault = f"there is no column {beyond}" if beyond is not None else "three different columns are needed"
            raise InputError(
                f"{where}: {fault}; read as {DELIMITERS[delimiter]}, the first line has {width}, from 1 on"
            )
        chosen = Chosen(query, doc, value, ranks=kind == "run" and columns.rank is not None)
        if kind == "run" and columns.run is not None and columns.run.isdecimal() and 0 < int(columns.run) <= width:
            return LineLayout(delimiter, width, chosen._replace(runs=(int(columns.run) - 1,)))
        usual = POSITIONS[kind].get(width)
        return LineLayout(delimiter, width, usual if usual and not chosen.ranks and usual[:3] == chosen[:3] else chosen)
    if head.is_header:
        chosen = choose_columns(cells, kind, columns, where, rows=rows)
        return LineLayout(delimiter, width, chosen, cells)
    positions = _positions(kind, delimiter)
    numbered = 0 if delimiter == PAIR else count_numbered(cells)
    if numbered in positions:
        shift = width - numbered
        query, doc, value = (at + shift for at in positions[numbered][:3])
        rank = positions[numbered].rank
        runs = tuple(at + shift for at in positions[numbered].runs)
        chosen = Chosen(query, doc, value, rank=None if rank is None else rank + shift, runs=runs)
        return LineLayout(delimiter, width, chosen, numbered=numbered)
    if width not in positions:
        line = (delimiter or " ").join(cells)
        called, lists = ("grade", "") if kind == "qrels" else ("score", ", as user,rec1,rec2 ... for ranked lists")
        raise InputError(
            f"{where}: found {width} columns ({quote(line)}); accepted are {LINES[kind]}, a header that names the "
            f"columns{lists}, or --columns query=1,doc=2,{called}=3"
        )
    chosen = positions[width]
    if not cells[chosen.value]:
        raise InputError(
            f"{where}: column {chosen.value + 1} of the first line is empty, so that it may be a header or not; name "
            f"the columns there, or number them: --columns query=1,doc=2,{'grade' if kind == 'qrels' else 'score'}=3"
        )
    if kind == "qrels":
        refuse_time(cells[chosen.doc], cells[chosen.value], where)
        refuse_time_of_pair(cells[chosen.value], where)
    tag = cells[5].split()[:1] if width == 6 else []
    return LineLayout(delimiter, width, chosen, tag="".join(tag))


def _require_names(table: ValuesByTopic, head: Head, chosen: Chosen, kind: InputKind, place: str) -> None:
    """Refuse 0, 1, 2 above ids that are whole numbers, too: it may be pandas' header, or the first line of data."""
    if all(topic.isdecimal() and all(map(str.isdecimal, documents)) for topic, documents in table.items()):
        query, doc, at = (column + 1 for column in chosen[:3])
        value = "grade" if kind == "qrels" else "score"
        raise InputError(
            f"{place}:{head.line}: {','.join(head.cells)} may be a header that pandas wrote, or data; delete a header, "
            f"or say that it is data: --columns query={query},doc={doc},{value}={at}"
        )


def _positions(kind: InputKind, delimiter: str) -> dict[int, Chosen]:
    """The columns of lines without a header, by their number."""
    return RATINGS if delimiter == PAIR else POSITIONS[kind]


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


def _is_header(cells: Sequence[str], columns: Columns) -> bool:
    """Do cells name columns? Two known names do; else names that are no numbers, where data have one. The first may
    be empty, as pandas leaves the name of an index."""
    plainly = len(cells) > 1 and all(cells[1:]) and not any(map(is_number, cells))
    return plainly or are_mostly_known(cells, columns) or any(_find_wide(cells, columns, kind) for kind in KINDS)


def _refuse_width(row: Sequence[str], layout: LineLayout, where: str) -> Never:
    """Refuse a row of another number of columns, and say why it may have them."""
    why = f" (quotes are letters, as line {layout.letters} shows)" if layout.letters else ""
    why = " (comments stand above the first row only)" if row[0].startswith("#") else why
    found = count_columns(len(row) - layout.added)
    raise InputError(f"{where}: found {found}, where the first line has {layout.width - layout.added}{why}")


def _refuse_number(value: str, kind: InputKind, layout: LineLayout, words: GradeWords, where: str) -> Never:
    what = "grade" if kind == "qrels" else "rank" if layout.chosen.ranks else "score"
    if re.fullmatch(r"[-+]?\d+,\d+", value.strip()):
        raise InputError(f"{where}: {what} {quote(value)} has a comma; write it with a point, as in 0.5")
    if kind == "qrels":
        raise words.refuse(value, what, where)
    raise InputError(f"{where}: {what} {quote(value)} is not a finite number; write it as in 2 or 0.5")


def _require_commas(rows: TextRows, top: int, at: int, comma: int) -> None:
    """Refuse values with a point among values with a decimal comma: one of the two separates thousands."""
    pointed = next((line for line, row in rows if line > top and "." in row[at]), None)
    if pointed is not None:
        raise InputError(
            f"{rows.place}:{pointed}: has a decimal point, and line {comma} a decimal comma; write all in one way"
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
    differ = [names[at] for at in range(layout.width) if at not in values and row[at].strip() != earlier[at].strip()]
    likely = [at for at in range(layout.width) if at not in values and names[at] in differ and not layout.chosen.runs]
    telling = find_telling((other for n, other in rows() if n >= first), query, doc, likely)
    if telling is None or not layout.header:
        how = ONCE[kind]
    else:
        how = describe_naming(names[telling], columns=columns) if kind == "run" else once_of_raters(names[telling])
    apart = [f"the lines differ in {', '.join(differ[:3])}"] if differ else []
    if kind == "qrels":
        apart = [f"grades {earlier[values[0]].strip()} and {row[values[0]].strip()}", *apart]
    told = f" ({'; '.join(apart)})" if apart else ""
    raise InputError(
        f"{place}:{line}: document {quote(document)} of topic {quote(topic)} was already given in line "
        f"{first}{told}; {how}"
    )
