"""Columns of Arrow tables as ids, numbers and flags, checked: an error names the column and the row."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.collection.missing_grades import NOT_GIVEN
from gradeval.features.categories import are_ids
from gradeval.files.column_names import QUERIES, SESSIONS, is_name_of_id, normal_name, usual_column
from gradeval.files.plain_text import EDGES, read_decimal
from gradeval.formula.arithmetic import Array
from gradeval.messages import LISTED, MessagePart, Typed, join_names, list_some, nearest, shown

if TYPE_CHECKING:
    import pyarrow

Ids: TypeAlias = tuple[Array, Array] | tuple[Array, Array, Array]
"""Ids in Arrow's layout of text: where each ends, and the bytes; of a dictionary also the code of each row."""


def require_frame_columns(
    table: pyarrow.Table, names: Sequence[str], place: str, remedy: str, *, missing: bool = False
) -> dict[str, pyarrow.ChunkedArray]:
    """Some columns of a table; an error where one is absent, occurs twice, or (unless ``missing``) lacks a value."""
    for name in names:
        if name not in table.column_names:
            meant = nearest(name, table.column_names)
            raise InputError(f"{place}: has no column {name!r}{meant}{show_columns(table)}; {remedy}")
        if table.column_names.count(name) > 1:
            raise InputError(f"{place}: has more than one column {name!r}{show_columns(table)}; {remedy}")
    if not len(table):
        raise InputError(f"{place}: the table has no rows")
    columns = {name: _expose_missing(table.column(name)) for name in names}
    if not missing:
        refuse_missing(columns, place)
    return columns


def _expose_missing(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """The column with its missing values marked, which may hide in the dictionary of a dictionary column."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        return decoded(column)
    return column


def decoded(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """A dictionary column as its values; another one as it is."""
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        return column
    return pyarrow.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)


def refuse_missing(
    columns: Mapping[str, pyarrow.ChunkedArray], place: str, remedies: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Refuse missing values; the error names the first row that lacks one. ``remedies``: what to do, by columns."""
    first = {name: int(np.argmax(column.is_null().to_numpy())) for name, column in columns.items() if column.null_count}
    if first:
        name = min(first, key=lambda name: first[name])
        row = first[name]
        others = [other for other in columns if other != name][:2]
        rest = ", ".join(f"{other} {columns[other][row].as_py()!r}" for other in others)
        remedy = remedies.get(name, "fill it or drop the row")
        raise InputError(f"{place}: row {row}: {name} is missing (null or NaN; {rest}); {remedy}")


def read_ids(column: pyarrow.ChunkedArray, name: str, place: str) -> list[str]:
    """The ids in a column as str."""
    ends, data = _text(decoded(column).combine_chunks(), name, place)
    text = data.tobytes()
    return [text[begin:end].decode() for begin, end in pairwise(ends.tolist())]


def read_coded_ids(column: pyarrow.ChunkedArray, name: str, place: str) -> tuple[list[str], Array]:
    """The different ids in a column, in order of appearance, and intp[row]: which of them each row has."""
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    coded = column.unify_dictionaries().combine_chunks()
    known = read_ids(pyarrow.chunked_array([coded.dictionary]), name, place)
    codes = coded.indices.to_numpy()
    first = np.full(len(known), len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of equal places the last one stays
    places: dict[str, int] = {}
    numbers = np.zeros(len(known), np.intp)
    for at in np.argsort(first, kind="stable")[: int((first < len(codes)).sum())].tolist():
        numbers[at] = places.setdefault(known[at], len(places))
    return list(places), numbers[codes]


def read_flags(column: pyarrow.ChunkedArray, name: str, place: str) -> Array:
    """bool[row]: a column that says yes or no."""
    import pyarrow

    try:
        return np.asarray(decoded(column).cast(pyarrow.bool_()).to_numpy(), bool)
    except pyarrow.ArrowException as error:
        kind = column.type
        raise InputError(
            f"{place}: column {name!r} holds {kind}, not true and false ({first_line(error)}); drop or convert it"
        ) from error


def lay_out_ids(column: pyarrow.ChunkedArray, name: str, place: str) -> Ids:
    """Ids in Arrow's layout of text; dictionary columns stay dictionaries."""
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        return _text(column.combine_chunks(), name, place)
    coded = column.unify_dictionaries().combine_chunks()
    return *_text(coded.dictionary, name, place), coded.indices.cast(pyarrow.int32()).to_numpy()


def _text(array: pyarrow.Array, name: str, place: str) -> tuple[Array, Array]:
    """Ids without the blanks around them, as in csv."""
    import pyarrow
    from pyarrow import compute

    kind, types = array.type, pyarrow.types
    if types.is_floating(kind):
        numbers = array.cast(pyarrow.float64()).drop_null().to_numpy()
        whole = (numbers == np.floor(numbers)).all()  # as pandas makes of ids where a merge leaves some out
        how = f"in pandas: df[{name!r}] = df[{name!r}].astype('Int64')" if whole else "give text or whole numbers"
        raise InputError(
            f"{place}: column {name!r} holds floating-point numbers ({kind}), which are no ids: 301 would read 301.0, "
            f"and long ones lose digits; {how}"
        )
    text = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    if not types.is_integer(kind) and not any(is_text(kind) for is_text in text):
        raise InputError(f"{place}: column {name!r} holds {kind}, which are no ids; give text or whole numbers")
    array = array.cast(pyarrow.large_string())
    try:
        array.validate(full=True)
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{place}: column {name!r} is not valid UTF-8 ({first_line(error)})") from error
    if not types.is_integer(kind):
        array = compute.utf8_trim(array, characters=EDGES)
    _, offsets, data = array.buffers()
    nothing = np.empty(0, np.uint8)
    return (
        np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1],
        nothing if data is None or not data.size else np.frombuffer(data, np.uint8),
    )


def read_numbers(column: pyarrow.ChunkedArray, name: str, place: str) -> Array:
    """float64[row]: a column of numbers."""
    import pyarrow

    column = decoded(column)
    if not is_numeric(kind := column.type):
        raise InputError(f"{place}: column {name!r} holds {kind}, not numbers{_first_text(column)}; convert it first")
    try:
        numbers = column.cast(pyarrow.float64())
    except pyarrow.ArrowInvalid as error:
        raise InputError(
            f"{place}: column {name!r} holds a number that no double equals ({first_line(error)}); round it"
        ) from error
    return np.ascontiguousarray(numbers.to_numpy())


def _first_text(column: pyarrow.ChunkedArray) -> str:
    """Which value of a column of text is the first that is no number, and in which row; nothing for other columns."""
    for row, value in enumerate(column.to_pylist()):
        if not isinstance(value, str):
            continue
        try:
            float(value)
        except ValueError:
            return f" (row {row}: {shown(value)})"
    return ""


def without_flags(columns: Mapping[str, pyarrow.ChunkedArray]) -> dict[str, pyarrow.ChunkedArray]:
    """The columns, with 1 for true and 0 for false."""
    import pyarrow

    types = pyarrow.types
    return {
        name: column.cast(pyarrow.int8()) if types.is_boolean(column.type) else column
        for name, column in columns.items()
    }


def with_read_texts(columns: Mapping[str, pyarrow.ChunkedArray]) -> tuple[dict[str, pyarrow.ChunkedArray], list[str]]:
    """The columns, with the numbers that text spells in all of its cells, as csv has them; and which these are.

    A blank cell is a missing value.
    """
    import pyarrow

    read = dict(columns)
    for name, column in columns.items():
        if not is_text(column):
            continue
        coded = decoded(column).dictionary_encode().unify_dictionaries()
        spelled = [text.strip() for text in coded.chunk(0).dictionary.to_pylist()] if coded.num_chunks else []
        numbers = np.array([read_decimal(text) if text else math.nan for text in spelled], float)
        if any(text and math.isnan(number) for text, number in zip(spelled, numbers.tolist(), strict=True)):
            continue
        values = pyarrow.array(numbers, from_pandas=True)  # null for NaN
        chunks = [values.take(chunk.indices) for chunk in coded.chunks]
        read[name] = pyarrow.chunked_array(chunks, pyarrow.float64())
    return read, [name for name, column in columns.items() if read[name] is not column]


def code_words(column: pyarrow.ChunkedArray) -> tuple[list[str], Array]:
    """The different words of a column, sorted, and float64[row]: the place of each row's word; NaN for a blank cell."""
    import pyarrow

    column = decoded(column)
    if not is_text(column):
        column = column.cast(pyarrow.string())
    coded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    spelled = [text.strip() for text in coded.dictionary.to_pylist()]
    words = sorted({*spelled} - {""})
    places = {word: place for place, word in enumerate(words)}
    table = np.array([*(places.get(text, math.nan) for text in spelled), math.nan])
    return words, table[coded.indices.fill_null(len(spelled)).to_numpy()]


class OtherCells(NamedTuple):
    """What a column holds that is no numbers.

    Attributes
    ----------
    said : what it holds, and where that begins.
    cells : how many cells of text are not empty.
    faults : how many of them are no numbers, where most are; else 0.
    told : the first of these, each with its row.
    repeats : do the words repeat, as categories do?
    lists : has each cell a list, as an embedding is?
    """

    said: str
    cells: int = 0
    faults: int = 0
    told: Sequence[str] = ()
    repeats: bool = False
    lists: bool = False


def refuse_no_numbers(
    columns: Mapping[str, pyarrow.ChunkedArray],
    place: str,
    spell_row: Callable[[int], str],
    *,
    documents: bool,
    categorical: Sequence[str] | None = None,
    trained: bool = False,
) -> None:
    """Refuse features that are no numbers, all at once: what each of them holds, and what to do; ``documents``: does
    a column name the documents? ``categorical``: what is named as categories; None where nothing can be. ``trained``:
    are these the features of a ranker, of which none can be left out?"""
    held = {name: other for name, column in columns.items() if (other := _describe_other(column, spell_row))}
    words = {name: other for name, other in held.items() if not other.faults}
    of_words = _say_of_trained(words) if trained else _say_of_words(words, categorical, documents=documents)
    parts = [*(of_words if words else [])]
    for name, other in held.items():
        if other.faults:
            cells = list_some(other.told) + (f" and {other.faults - len(other.told)} more" * (other.faults > TOLD))
            parts += [
                f"{'; ' * bool(parts)}column {name!r} holds no number in {other.faults:,} of {other.cells:,} cells "
                f"({cells}); write a number there or, where the value is missing, ",
                Typed("leave the cell empty", "give None"),
                *(() if trained else ("; or leave the column out: ", _leave_out([name]))),
            ]
    if parts:
        raise InputError(f"{place}: ", *parts)


def _say_of_words(
    held: Mapping[str, OtherCells], categorical: Sequence[str] | None, *, documents: bool
) -> Iterator[MessagePart]:
    """What to do about columns of words, times and alike; ``held``: what each of them holds."""
    names = [*held]
    yield f"{_tell_words(held)}; leave {'them' if len(names) > 1 else 'it'} out: "
    yield _leave_out(names)
    others = [name for name in names if normal_name(name) not in QUERIES]
    if not documents and (ids := next(filter(is_name_of_id, others), None)) is not None:
        yield f", unless {ids!r} names the documents: "
        yield Typed(f"--columns {quote(f'doc={ids}')}", f"features_from_frame(frame, doc_id={ids!r})")
    if (page := usual_column(names, SESSIONS)) is not None:
        yield f"; or, if {page!r} names pages that users were shown, each page is a query: "
        yield Typed(f"--columns {quote(f'query={page}')}", f"features_from_frame(frame, query_id={page!r})")
    kinds = [name for name, other in held.items() if other.repeats]
    if categorical is not None and kinds:
        are = "is a category" if len(kinds) == 1 else "are categories"
        yield f"; or, if {join_names(list(map(repr, kinds)), LISTED)} {are}: "
        yield _name_categories([*categorical, *kinds], [name for name in names if name not in kinds])
    lists = [name for name, other in held.items() if other.lists]
    yield SPREAD.format(repr(lists[0])) if lists else "; or write numbers, and nothing where a value is missing"


def _say_of_trained(held: Mapping[str, OtherCells]) -> Iterator[MessagePart]:
    """What to do about words in columns that a ranker knows as numbers."""
    yield f"{_tell_words(held)}, and the ranker was trained on numbers there; write numbers in place of the words"


def _tell_words(held: Mapping[str, OtherCells]) -> str:
    """Which columns hold no numbers, and what they hold."""
    listed = join_names([f"{name!r} ({other.said})" for name, other in held.items()], LISTED)
    return f"columns {listed} hold no numbers" if len(held) > 1 else f"column {listed} holds no numbers"


def _name_categories(kinds: Sequence[str], others: Sequence[str]) -> Typed:
    """What to type to read the words of columns as categories, and to leave other columns out."""
    options = [f"--categorical {quote(','.join(kinds))}"]
    frame = "frame"
    if others:
        options.append(f"--leave-out {quote(','.join(others))}")
        frame = f"frame.drop(columns={[*others]!r})"
    return Typed(" ".join(options), f"features_from_frame({frame}, categorical={[*kinds]!r})")


def _leave_out(names: Sequence[str]) -> Typed:
    """What to type to leave columns out."""
    dropped = [*names] if len(names) > 1 else names[0]
    return Typed(f"add --leave-out {quote(','.join(names))}", f"frame.drop(columns={dropped!r})")


def _describe_other(column: pyarrow.ChunkedArray, spell_row: Callable[[int], str]) -> OtherCells | None:
    """What a column holds that is no numbers; None: they are numbers."""
    import pyarrow

    column, types = decoded(column), pyarrow.types
    kind = column.type
    if is_numeric(kind) or types.is_null(kind):
        return None
    if hasattr(kind, "value_type") or hasattr(kind, "shape"):  # lists and tensors of any size
        return OtherCells("lists", lists=True)
    if not is_text(column):
        return OtherCells("times" if types.is_temporal(kind) else str(kind), 0, 0, [])
    rows = [row for row, value in enumerate(column.to_pylist()) if value is not None and value.strip()]
    words = [row for row in rows if math.isnan(read_decimal(column[row].as_py().strip()))]
    faults = [row for row in words if column[row].as_py().strip() not in MISSING] or words
    told = [f"{spell_row(row)}: {describe_value(column[row].as_py())}" for row in faults[:TOLD]]
    if 2 * len(words) < len(rows):
        return OtherCells(told[0], len(rows), len(faults), told)
    return OtherCells(told[0], len(rows), repeats=may_be_category([column[row].as_py().strip() for row in rows]))


MISSING = {*NOT_GIVEN, "nan", "NaN"}
"""Words for a missing value, which csv may have among numbers."""
SPREAD = "; or write each number of {} in its own column, or one number, as the similarity to the query"
"""What to do about lists in cells."""
TOLD = 3
"""Cells that a message tells."""
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*")
THOUSANDS = re.compile(r"\s*[-+]?\d{1,3}((,\d{3}){2,}(\.\d*)?|,\d{3}\.\d*)\s*")


def describe_value(value: object) -> str:
    """A value that is no number, as a message has it."""
    if is_list(value):
        return "a list"
    comma = isinstance(value, str) and DECIMAL_COMMA.fullmatch(value)
    between = isinstance(value, str) and THOUSANDS.fullmatch(value)
    said = ", with a decimal comma instead of a point" if comma else ", with commas between thousands" * bool(between)
    return f"{shown(value)}{said}"


def is_list(value: object) -> bool:
    """Has a cell a list in it: an array, a tensor or alike?"""
    apart = isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) == 0
    return not apart and hasattr(value, "__iter__")


def may_be_category(cells: Sequence[str]) -> bool:
    """May text, a cell a row, be a category: words that repeat, and no numbers in another spelling?"""
    words = {*cells}
    spelled = sum(bool(DECIMAL_COMMA.fullmatch(word) or THOUSANDS.fullmatch(word)) for word in words)
    return bool(words) and not are_ids(len(cells), len(words)) and 2 * spelled < len(words)


def is_text(column: pyarrow.ChunkedArray) -> bool:
    """Does a column hold text, also in a dictionary?"""
    return is_text_type(column.type)


def is_text_type(kind: pyarrow.DataType) -> bool:
    """Is it a type of text, also in a dictionary?"""
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind))


def is_category(kind: pyarrow.DataType) -> bool:
    """Is a column of this type a category of words, as pandas and Polars write them?"""
    from pyarrow import types

    return bool(types.is_dictionary(kind)) and is_text_type(kind)


def is_numeric(kind: pyarrow.DataType) -> bool:
    """Is it a type of numbers?"""
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def show_columns(table: pyarrow.Table) -> str:
    """The names of the columns, as messages list them behind what is wrong."""
    return f" (it has {', '.join(table.column_names)})" if table.column_names else " (it has no columns)"


def first_line(error: BaseException) -> str:
    """The first line of an error of pyarrow, without the details that follow."""
    return str(error).split("\n")[0].rstrip(".")
