"""What lines of separated columns are like: which columns they have, by a header, by numbers, or by how many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from gradeval._core import InputError
from gradeval.files.column_choice import Chosen, choose_columns
from gradeval.files.column_names import InputKind, RowsOfTable, is_name_of_column
from gradeval.files.header_rows import (
    DELIMITERS,
    Head,
    count_numbered,
    find_delimiter,
    find_head,
    first_line,
    is_number,
    read_head,
)
from gradeval.files.judgment_lists import describe_blank
from gradeval.files.likely_times import refuse_time, refuse_time_of_pair
from gradeval.files.named_columns import Columns, are_mostly_known
from gradeval.files.pair_columns import are_known, describe_pairs
from gradeval.files.plain_text import count_columns, quote
from gradeval.files.separated_rows import LINE_END, PAIR, Row, TextRows, split_row
from gradeval.files.trec import are_graded_in_words, has_grade_in_words, is_separated
from gradeval.files.wide_rows import KINDS, WideColumns, find_wide

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
    joinable : see ``Qrels``.
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
    joinable: str = ""

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
    head_and_rows = find_head((row for row in rows if row[1]), partial(_is_header, columns=columns), known)
    if head_and_rows is None:
        return False
    head, others = head_and_rows
    first, width = head.cells, len(head.cells)
    if head.is_header:
        below = next(others, None)
        plainly = below is not None and len(below[1]) == width and not _is_header(below[1], columns)
        known_names = are_mostly_known(first, columns) or any(
            find_wide_columns(first, columns, either) for either in KINDS
        )
        return known_names or (plainly and width > 2)
    if count_numbered(first) > 2:
        return True
    if delimiter in (",", ";") and width > 2 and len(line.split()) not in POSITIONS[kind]:
        return True  # whatever is wrong with it: TREC text has no commas between its columns
    if is_separated(beginning[:8192], kind):
        return True  # whatever is wrong with it: it is no TREC text
    if kind == "qrels" and are_graded_in_words(beginning[:8192], delimiter.encode() or None):
        return True  # else TREC text, whose grades are numbers
    positions = _positions(kind, delimiter)
    return width in positions and is_number(first[positions[width].value])


def find_wide_columns(cells: Sequence[str], columns: Columns, kind: InputKind) -> WideColumns | None:
    """The columns of rows with a list each; None for others, and for the columns of TREC text that pandas numbers."""
    wide = find_wide(cells, columns, kind)
    numbered = wide is not None and not wide.named and not cells[wide.query]
    return None if numbered and any(count_numbered(cells) in widths for widths in POSITIONS.values()) else wide


def find_first_row(rows: TextRows, kind: InputKind, columns: Columns) -> tuple[Head, Iterator[Row]]:
    """The first row with what stands above it, and the rows of data."""
    numbered = columns.are_numbers(kind)
    named = columns.of_values(kind) is not None and not numbered
    head_and_rows = read_head(
        rows,
        lambda cells: not numbered and (named or _is_header(cells, columns)),
        lambda cells: not numbered and are_known(cells, kind, columns),
    )
    assert head_and_rows is not None  # there is a first line
    return head_and_rows


def lay_out(head: Head, rows: RowsOfTable, delimiter: str, kind: InputKind, columns: Columns, place: str) -> LineLayout:
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
        try:
            chosen = choose_columns(cells, kind, columns, where, rows=rows)
        except InputError as error:
            raise error.followed_by(_number_columns(cells, kind, columns)) from None
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
            f"{where}: found {count_columns(width)} ({quote(line)}); accepted are {LINES[kind]}, a header that names "
            f"the columns{lists}, or --columns query=1,doc=2,{called}=3{_describe_array(cells, kind)}"
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


def _number_columns(cells: Sequence[str], kind: InputKind, columns: Columns) -> str:
    """How to read a first line that names no known column as a line of data; nothing for other lines. Columns have
    the order of TREC text only where the second is called Q0, as there."""
    if len(cells) not in POSITIONS[kind] or any(map(is_name_of_column, cells)):
        return ""
    width = len(cells) if cells[1].strip() in ("Q0", "q0") else 3
    query, doc, value = (at + 1 for at in POSITIONS[kind][width][:3])
    called, named = ("grade", columns.grade) if kind == "qrels" else ("score", columns.score)
    number = f"; if it is no header, number them: --columns query={query},doc={doc},{called}={value}"
    if named is None:
        return number
    return f"; if another file has {named!r}, write there columns:{called}={named}:FILE; else{number[1:]}"


def _describe_array(cells: Sequence[str], kind: InputKind) -> str:
    """What a line of many numbers lacks, as numpy.savetxt writes the rows of an array; nothing for other lines."""
    if kind == "qrels" or len(cells) <= max(POSITIONS[kind]) or not all(map(is_number, cells)):
        return ""
    return "; rows of ids alone, as numpy.savetxt writes them, lack their topics: write these in the first column"


def _positions(kind: InputKind, delimiter: str) -> dict[int, Chosen]:
    """The columns of lines without a header, by their number."""
    return RATINGS if delimiter == PAIR else POSITIONS[kind]


def _is_header(cells: Sequence[str], columns: Columns) -> bool:
    """Do cells name columns? Two known names do; else names that are no numbers, where data have one. The first may
    be empty, as pandas leaves the name of an index."""
    plainly = len(cells) > 1 and all(cells[1:]) and not any(map(is_number, cells)) and not has_grade_in_words(cells)
    return plainly or are_mostly_known(cells, columns) or any(find_wide_columns(cells, columns, kind) for kind in KINDS)
