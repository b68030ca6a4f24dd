"""The texts of topics and documents, by their ids: files of any size are read once, and what is wanted is kept."""

from __future__ import annotations

import csv
import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from os import PathLike
from typing import Any, Literal, NamedTuple, Never, TypeAlias, TypeVar

from gradeval._core import InputError
from gradeval.files.accepted import GivenTexts
from gradeval.files.column_names import DOCUMENTS, QUERIES, first_usual, normal_name, places_by_name
from gradeval.files.folders import files_in
from gradeval.files.json_values import is_json
from gradeval.files.other_tools import PREFIX, is_frame, read_irds_texts
from gradeval.files.plain_text import EDGES, WORD, count_columns, quote, read_id
from gradeval.files.plain_types import with_plain_types
from gradeval.files.separated_rows import allow_long_cells
from gradeval.files.source import BEGINNING, Source, open_unpacked, size_of
from gradeval.messages import kind_of, visible
from gradeval.warning_categories import EncodingGuessWarning, warn

TextKind: TypeAlias = Literal["topic", "document"]
T = TypeVar("T", str, bytes)

LETTERS = 300
"""Letters of a text that are kept, so that what is shown stays small."""
TEXTS = (
    "text query query_text question user_input search_term search_query keyword title contents content body description"
).split()
"""What columns of texts of topics are called; of several that are there the first is taken."""
BODIES = "text contents content body passage passage_text doc_text document doc segment abstract description".split()
TITLES = "title name headline product_title".split()
"""The same of documents, and of their titles."""
IDS: dict[TextKind, list[str]] = {
    "topic": [*(name for name in QUERIES if name not in ("topic", *TEXTS)), "_id", "id"],
    "document": [*(name for name in DOCUMENTS if name not in BODIES), "_id", "id"],
}
FOLDERS: dict[TextKind, tuple[str, ...]] = {
    "topic": ("queries", "query", "topics"),
    "document": ("corpus", "collection", "documents", "docs", "passages"),
}
"""How the files begin that hold them, in a folder that has both."""
ACCEPTED: dict[TextKind, str] = {
    "topic": 'tsv (id, text), JSONL as in {"_id": "q1", "text": "..."}, csv with a header, Parquet',
    "document": 'tsv (id, title, text), JSONL as in {"_id": "d1", "title": "...", "text": "..."}, csv with a header, '
    "Parquet",
}
OTHERS = (b"\xff\xfe", b"\xfe\xff", b"PK\x03\x04")
"""How UTF-16 and zip archives begin."""
ENDS = (b"}\n", b"}\r\n", b"}")
"""How a line ends that is a whole record."""
SOME = 3
"""Ids that a message names."""
ANOTHER = re.compile(rb"^\s*\{.*\}\s*\n\s*\{")
"""A line that is a record, with another below it."""
ROLES: dict[TextKind, tuple[str, str, str]] = {"topic": ("query", "", "text"), "document": ("doc", "title", "text")}
"""How a place names the columns of ids, titles and texts of its file."""
OWN_COLUMNS = re.compile(r"columns:(\w+=.+?):(.+)")
"""Such a place, as in ``columns:doc=sku,title=name:products.csv``."""
QUOTED = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')
"""A cell of tsv that a program enclosed in quotes, as it doubled those within."""


class Text(NamedTuple):
    """The text of a topic or a document, cut, in one line; a topic has no title."""

    title: str
    text: str

    def __str__(self) -> str:
        return " — ".join(filter(None, self))


@dataclass
class Texts:
    """Texts by the ids of topics or documents.

    Attributes
    ----------
    kind, place : whose texts they are; how messages call their source.
    wanted : the ids whose texts are kept; None: all of them.
    letters : how many letters of each are kept.
    by_id : the texts that were wanted and are there, by their ids.
    seen : how many texts the source has.
    repeated : how many wanted texts came again; the first counts.
    first : some ids of the source.
    named : the names of columns by their roles, where the place says them.
    in_cp1252 : where the first line stands that is not UTF-8, and its first such word.
    """

    kind: TextKind
    place: str
    wanted: frozenset[str] | None = None
    letters: int = LETTERS
    by_id: dict[str, Text] = field(default_factory=dict)
    seen: int = 0
    repeated: int = 0
    first: list[str] = field(default_factory=list)
    named: Mapping[str, str] = field(default_factory=dict)
    in_cp1252: tuple[str, str] | None = None

    def take(self, identifier: str, title: Any, text: Any, where: str) -> None:
        """Keep a text if it is wanted."""
        self.seen += 1
        if len(self.first) < SOME:
            self.first.append(identifier)
        if self.wanted is not None and identifier not in self.wanted:
            return
        parts = [self._shorten(part, where) for part in (title, text)]
        if identifier in self.by_id:
            self.repeated += 1
        elif any(parts):
            self.by_id[identifier] = Text(*parts)

    def _shorten(self, part: Any, where: str) -> str:
        """The beginning of a text in one line."""
        if part is None or part != part:  # NaN, by which pandas says that there is none
            return ""
        if isinstance(part, bool) or not isinstance(part, str | int | float):
            raise InputError(f"{where}: the text is {kind_of(part)}; texts are strings")
        words = str(part)[: 8 * self.letters].split()
        line = " ".join(words)
        return line if len(line) <= self.letters else f"{line[: self.letters - 1].rstrip()}…"

    def lacking(self, ids: Iterable[str]) -> list[str]:
        """Which of some ids have no text here."""
        return [one for one in ids if one not in self.by_id]


def read_texts(
    given: GivenTexts, kind: TextKind, wanted: Collection[str] | None = None, *, letters: int = LETTERS
) -> Texts:
    """The texts of the wanted topics or documents; of all where ``wanted`` is None.

    Parameters
    ----------
    given : a file, plain or compressed (tsv, csv, JSONL, JSON, Parquet), a folder of files, or ``irds:DATASET``, a data
        set of ir_datasets that is on this machine; ``columns:doc=sku,title=name:FILE`` and, of topics,
        ``columns:query=id,text=words:FILE`` name the columns; in Python also a mapping {id: text}, a frame, or a list
        of records.
    kind : are they texts of topics or of documents?

    A file is read once, from first to last; of texts that are not wanted only the ids are read.

    Raises
    ------
    InputError : a file of another kind, a broken line, no known column of ids or texts.
    """
    place = os.fspath(given) if isinstance(given, str | PathLike) else "queries" if kind == "topic" else "documents"
    texts = Texts(kind, place, None if wanted is None else frozenset(wanted), letters)
    if isinstance(given, str | PathLike):
        file, texts.named = _split_place(place, kind)
        _read_place(file, texts)
    elif isinstance(given, Mapping) and not is_frame(given):
        _take_mapping(given, texts, place)
    elif is_frame(given):
        from gradeval.files.frame_tables import arrow_table  # here, as files need none

        _take_batches(arrow_table(given, place).to_batches(), texts, place)
    elif isinstance(given, Iterable):
        _take_records(((f"{place}: item {number}", one) for number, one in enumerate(given, 1)), texts)
    else:
        raise InputError(f"{place} are a file, a folder, {{id: text}} or a frame, not {kind_of(given)}")
    if texts.in_cp1252 is not None:
        where, word = texts.in_cp1252
        warn(
            f"{where}: is not UTF-8 and read as cp1252, as in {quote(word)}; if that is wrong, save it as UTF-8",
            EncodingGuessWarning,
        )
    return texts


def read_queries(given: GivenTexts, wanted: Collection[str] | None = None, *, letters: int = 10_000) -> dict[str, str]:
    """The texts of topics, {topic: text}, from whatever ``read_texts`` takes."""
    texts = read_texts(given, "topic", wanted, letters=letters).by_id
    return {topic: text.text for topic, text in texts.items()}


def require_some(texts: Texts, ids: Sequence[str]) -> None:
    """Refuse a source that has a text for none of these ids, with ids of both."""
    if ids and not any(one in texts.by_id for one in ids):
        expected, there = (", ".join(map(quote, some[:SOME])) for some in (ids, texts.first))
        has = f"it has {texts.seen:,} texts, of {there} ..." if texts.seen else "it has no texts"
        raise InputError(
            f"{texts.place}: has a text for none of the {len(ids):,} {texts.kind}s ({expected} ...); {has}; "
            f"name the file with the texts of these {texts.kind}s"
        )


def require_place(given: str | PathLike[str]) -> None:
    """Refuse a place that is not there, without reading it."""
    place = os.fspath(given)
    own = None if os.path.exists(place) else OWN_COLUMNS.fullmatch(place)
    place = place if own is None else own[2]
    if not place.startswith(PREFIX) and not os.path.isdir(place):
        size_of(place)


def _split_place(place: str, kind: TextKind) -> tuple[str, dict[str, str]]:
    """The file of a place, and the columns that it names."""
    own = None if os.path.exists(place) else OWN_COLUMNS.fullmatch(place)
    if own is None:
        return place, {}
    pairs = [part.partition("=") for part in own[1].split(",")]
    known = [role for role in ROLES[kind] if role]
    wrong = next((role for role, _, name in pairs if role.strip() not in known or not name.strip()), None)
    if wrong is not None:
        raise InputError(f"{place}: {quote(wrong)} names no column; of {kind}s one writes {_spell_columns(kind)}")
    return own[2], {role.strip(): name.strip() for role, _, name in pairs}


def _spell_columns(kind: TextKind) -> str:
    """How a place names its columns."""
    return f"columns:{','.join(f'{role}=NAME' for role in ROLES[kind] if role)}:FILE"


def _read_place(place: str, texts: Texts) -> None:
    if place.startswith(PREFIX) and not os.path.exists(place):
        records = read_irds_texts(place, texts.kind, texts.wanted)
        _take_records(((place, record._asdict()) for record in records), texts)
        return
    for file in _files_of(place, texts.kind):
        _read_file(file, texts)


def _files_of(place: str, kind: TextKind) -> list[str]:
    """The file itself; of a folder the files with usual names for this kind, else all."""
    if not os.path.isdir(place):
        return [place]
    for name in FOLDERS[kind]:
        if os.path.isdir(inner := os.path.join(place, name)):
            return _files_of(inner, kind)
    [other] = (one for one in FOLDERS if one != kind)
    files = [file for file in files_in(place) if not os.path.basename(file).startswith("_")]
    called = [file for file in files if os.path.basename(file).startswith(FOLDERS[kind])]
    chosen = called or [file for file in files if not os.path.basename(file).startswith(FOLDERS[other])]
    if not chosen:
        raise InputError(f"{place}: the folder holds no texts of {kind}s; name the file that does")
    return chosen


def _read_file(place: str, texts: Texts) -> None:
    with open_unpacked(place) as file:
        beginning = bytes(file.peek(BEGINNING)[:BEGINNING])
        if beginning.startswith(b"PAR1"):
            _read_parquet(Source(place), texts)
            return
        head = list(_up_to_text(file))
        if not head or not head[-1].strip():
            raise InputError(f"{place}: the file is empty; accepted are {ACCEPTED[texts.kind]}")
        lines = chain(head, file)
        if beginning.startswith(OTHERS):
            raise InputError(f"{place}: is UTF-16 or a zip archive; accepted are {ACCEPTED[texts.kind]}, in UTF-8")
        first = _decode_line(head[-1], f"{place}:{len(head)}", texts)
        if is_json(beginning):
            if _is_record(first, texts) or ANOTHER.search(beginning):
                _read_json_lines(lines, place, texts)
            else:
                _read_whole_json(b"".join(lines), place, texts)
        elif "\t" in first:
            _read_tsv(lines, beginning, place, texts)
        else:
            _read_csv(lines, place, texts)


def _up_to_text(lines: Iterable[T]) -> Iterator[T]:
    """The lines up to the first that is not blank, with it."""
    for line in lines:
        yield line
        if line.strip():
            return


class TextColumns(NamedTuple):
    """The places of the columns: ids, titles and texts; None: there is none."""

    id: int
    title: int | None
    text: int | None


def _choose(names: Sequence[str], texts: Texts) -> TextColumns | None:
    """The columns with ids and texts; None where one of them is not known."""
    places = places_by_name(names)
    role_of_id, role_of_title, role_of_text = ROLES[texts.kind]
    named = {
        role: next((at for at, one in enumerate(names) if one.strip() == name), -1)
        for role, name in texts.named.items()
    }
    if -1 in named.values():
        return None
    identifier = named.get(role_of_id, first_usual(places, IDS[texts.kind]))
    if identifier is None:  # then the texts have another name than these
        identifier = first_usual(places, QUERIES if texts.kind == "topic" else DOCUMENTS)
    places = {name: place for name, place in places.items() if place not in (identifier, *named.values())}
    if role_of_title in named or role_of_text in named:
        title, text = named.get(role_of_title), named.get(role_of_text)
    else:
        text = first_usual(places, TEXTS if texts.kind == "topic" else BODIES)
        title = None if texts.kind == "topic" else first_usual(places, TITLES)
    if identifier is None or (text is None and title is None):
        return None
    return TextColumns(identifier, title, text)


def _require(names: Sequence[str], texts: Texts, where: str) -> TextColumns:
    chosen = _choose(names, texts)
    if chosen is None:
        there = ", ".join(visible(str(name)) for name in names[:8]) or "none"
        fault = f"no columns are known to hold ids and texts of {texts.kind}s (there are {there})"
        _refuse_columns(names, texts, where, f"there are {there}", fault)
    return chosen


def _refuse_columns(names: Sequence[str], texts: Texts, where: str, there: str, fault: str) -> Never:
    """Refuse a table without known columns, or without those that the place names; ``there``: which it has."""
    if lacking := [name for name in texts.named.values() if name not in names]:
        raise InputError(f"{where}: has no column {quote(lacking[0])}; {there}")
    accepted = f"accepted: {ACCEPTED[texts.kind]}; or name the columns: {_spell_columns(texts.kind)}"
    raise InputError(f"{where}: {fault}; {accepted}")


def _is_record(line: str, texts: Texts) -> bool:
    """Is the line a record, whole or broken, rather than a mapping or the beginning of one?"""
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        return isinstance(record, dict) and (bool(texts.named) or _choose([*record], texts) is not None)
    named = re.match(r'\s*\{\s*"([^"]*)"', line)
    return named is not None and (normal_name(named[1]) in IDS[texts.kind] or named[1] in texts.named.values())


def _parse_json(line: str | bytes, where: str) -> Any:
    try:
        return json.loads(line.rstrip())
    except UnicodeDecodeError:
        raise InputError(f"{where}: is not valid UTF-8; save it as UTF-8") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: is not valid JSON ({error.msg}, column {error.colno}); is it complete?") from None
    except (ValueError, RecursionError):
        raise InputError(f"{where}: holds a number or a depth that cannot be read; shorten it") from None


def _read_json_lines(lines: Iterable[bytes], place: str, texts: Texts) -> None:
    """Records, one a line; of those that are not wanted the id and the end of the line alone are looked at."""
    wanted = _as_bytes(texts.wanted)
    names: tuple[str, ...] = ()
    chosen = TextColumns(0, None, None)
    skips: Callable[[bytes], bool] | None = None
    skipped = 0
    for number, line in enumerate(lines, 1):
        if skips is not None and skips(line):
            skipped += 1
            continue
        if not line.strip():
            continue
        where = f"{place}:{number}"
        record = _parse_json(line.removeprefix(BOM_UTF8), where)
        if not isinstance(record, dict):
            raise InputError(f"{where}: is {kind_of(record)}; accepted: {ACCEPTED[texts.kind]}")
        if tuple(record) != names:
            names = tuple(record)
            chosen = _require(names, texts, where)
        _take_cells([*record.values()], chosen, texts, where)
        if skips is None and wanted is not None and len(texts.first) == SOME:
            skips = _skipper(names[chosen.id], wanted, first=chosen.id == 0)
    texts.seen += skipped


def _as_bytes(wanted: frozenset[str] | None) -> frozenset[bytes] | None:
    """Ids as a file has them, and the empty id, which marks a line that must be parsed."""
    return None if wanted is None else frozenset([b"", *(one.encode("utf-8", "surrogatepass") for one in wanted)])


def _skipper(name: str, wanted: frozenset[bytes], *, first: bool) -> Callable[[bytes], bool]:
    """Tells without parsing whether a line is a whole record that is not wanted, by the ids of this name in it.

    A quote within a string of JSON stands behind a backslash, so that no text looks like a name and its value. A name
    that is not the first of its record may stand in a record within, too: all of them are looked at. An id with escapes
    is read as empty.
    """
    key = re.escape(json.dumps(name).encode())
    value = rb'\s*:\s*(?:"([^"\\]*)"\s*[,}]|(-?\d+)\s*[,}]|)'
    match = re.compile(rb"\s*\{\s*" + key + value).match
    find = re.compile(rb"[{,]\s*" + key + value).findall

    def skips_by_first(line: bytes) -> bool:
        matched = match(line)
        return matched is not None and (matched[1] or matched[2] or b"").strip() not in wanted and line.endswith(ENDS)

    def skips_by_any(line: bytes) -> bool:
        ids = find(line)
        return bool(ids) and line.endswith(ENDS) and not any((text or number).strip() in wanted for text, number in ids)

    return skips_by_first if first else skips_by_any


def _read_whole_json(data: bytes, place: str, texts: Texts) -> None:
    """A mapping {id: text}, or a list of records."""
    whole = _parse_json(data.removeprefix(BOM_UTF8), place)
    if isinstance(whole, dict):
        _take_mapping(whole, texts, place)
    elif isinstance(whole, list):
        _take_records(((f"{place}, record {number}", one) for number, one in enumerate(whole, 1)), texts)
    else:
        raise InputError(f"{place}: is {kind_of(whole)}; accepted: {ACCEPTED[texts.kind]}")


def _take_mapping(mapping: Mapping[Any, Any], texts: Texts, place: str) -> None:
    """Texts by their ids, each a string, a record, or a title and a text."""
    for key, value in mapping.items():
        identifier = read_id(key.item() if hasattr(key, "dtype") else key, texts.kind, place)
        where = f"{place}: {quote(identifier)}"
        if isinstance(value, Mapping):
            chosen = _require(["id", *map(str, value)], texts, where)
            _take_cells([identifier, *value.values()], chosen._replace(id=0), texts, where)
        elif isinstance(value, Text):
            texts.take(identifier, value.title, value.text, where)
        else:
            texts.take(identifier, "", value, where)


def _take_records(records: Iterable[tuple[str, Any]], texts: Texts) -> None:
    """Records with an id and a text, each with where it stands."""
    for where, given in records:
        record = given._asdict() if hasattr(given, "_asdict") else given
        if not isinstance(record, Mapping):
            raise InputError(f"{where} is {kind_of(given)}; accepted are records with an id and a text")
        _take_cells([*record.values()], _require([*record], texts, where), texts, where)


def _take_cells(cells: Sequence[Any], chosen: TextColumns, texts: Texts, where: str) -> None:
    title, text = (None if place is None else cells[place] for place in (chosen.title, chosen.text))
    texts.take(read_id(cells[chosen.id], texts.kind, where), title, text, where)


def _read_tsv(lines: Iterable[bytes], beginning: bytes, place: str, texts: Texts) -> None:
    """Rows with tabs between their cells, with or without a header; a quote is a letter, except in quoted cells."""
    wanted = _as_bytes(texts.wanted)
    chosen, width = None, 0
    skipped = 0
    for number, line in enumerate(lines, 1):
        if chosen is not None and wanted is not None and chosen.id == 0 and len(texts.first) == SOME:
            end = line.find(b"\t")
            if end >= 0 and line[:end].strip() not in wanted:
                skipped += 1
                continue
        if not line.strip():
            continue
        where = f"{place}:{number}"
        text = _decode_line(line, where, texts)
        cells = text.rstrip("\r\n").split("\t", width - 1 if width else -1)
        if chosen is None:
            width = len(cells)
            chosen = _choose(cells, texts)
            if chosen is None and (texts.named or normal_name(cells[0]) in IDS[texts.kind]):
                _require(cells, texts, where)
            if chosen is not None:
                continue
            chosen = _number_columns(beginning, width, texts.kind, where)
            cells = text.rstrip("\r\n").split("\t", width - 1)
        if len(cells) < width:
            there = count_columns(len(cells))
            raise InputError(
                f"{where}: found {there} ({quote(cells[0])}), where the first line has {width}; write each text in one "
                "line, or save it as JSONL"
            )
        _take_cells([_unquote(cell.strip(EDGES)) for cell in cells], chosen, texts, where)
    texts.seen += skipped


def _number_columns(beginning: bytes, width: int, kind: TextKind, where: str) -> TextColumns:
    """The columns of lines without a header: an id and a text; of documents also a title, which is the shorter one."""
    if width == 2:
        return TextColumns(0, None, 1)
    if width == 3 and kind == "document":
        rows = [line.split(b"\t") for line in beginning.split(b"\n")[:-1] or [beginning]]
        second, third = (sum(len(row[at]) for row in rows if len(row) == 3) for at in (1, 2))
        return TextColumns(0, 1, 2) if second <= third else TextColumns(0, 2, 1)
    names = "an id and a text" if kind == "topic" else "an id and a text, or an id, a title and a text"
    raise InputError(
        f"{where}: found {width} columns and no header; accepted are {names}; with others name the columns in a first "
        "line, as in id, title, text"
    )


def _unquote(cell: str) -> str:
    """A cell without the quotes that a program put around it."""
    return cell[1:-1].replace('""', '"') if QUOTED.fullmatch(cell) else cell


def _decode_line(line: bytes, where: str, texts: Texts) -> str:
    """The line as text; what is not UTF-8 is read as cp1252, as programs of Windows write western languages."""
    if b"\0" in line:
        raise InputError(f"{where}: control byte '\\x00' found; this is not a text file")
    try:
        return line.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        at = error.start
    try:
        text = line.decode("cp1252")
    except UnicodeDecodeError:
        raise InputError(f"{where}: is not valid UTF-8; save it as UTF-8") from None
    if texts.in_cp1252 is None:
        texts.in_cp1252 = where, next(one for one in WORD.finditer(text) if one.end() > at)[0]
    return text


def _read_csv(lines: Iterator[bytes], place: str, texts: Texts) -> None:
    """Rows with commas or semicolons between their cells, below a header."""
    decoded = (_decode_line(line, f"{place}:{number}", texts) for number, line in enumerate(lines, 1))
    above = list(_up_to_text(decoded))
    heads = [(delimiter, next(csv.reader(above[-1:], delimiter=delimiter))) for delimiter in ",;"]
    known = [(delimiter, names, _choose(names, texts)) for delimiter, names in heads]
    delimiter, names, chosen = next((one for one in known if one[2] is not None), known[0])
    if chosen is None:
        line = quote(above[-1].strip())
        fault = f"{line} is no header with known columns, nor a row of tsv"
        _refuse_columns([name.strip() for name in names], texts, f"{place}:1", f"the line is {line}", fault)
    allow_long_cells()
    reader = csv.reader(decoded, delimiter=delimiter, strict=True)
    where = place
    try:
        begin = len(above) + 1
        where = f"{place}:{begin}"
        for cells in reader:
            if any(cells) and len(cells) != len(names):
                raise InputError(f"{where}: found {len(cells)} columns, where the first line has {len(names)}")
            if any(cells):
                _take_cells([cell.strip(EDGES) for cell in cells], chosen, texts, where)
            where = f"{place}:{begin + reader.line_num}"
    except csv.Error as error:
        raise InputError(f"{where}: cannot be split into columns ({error}); save it as JSONL") from None


def _read_parquet(source: Source, texts: Texts) -> None:
    """A Parquet file, some thousand rows at a time, of which only the needed columns are read."""
    from gradeval.files.columnar import open_parquet  # here, as text needs none

    with open_parquet(source, buffer=1 << 20) as file:
        names = file.schema_arrow.names
        chosen = _require(names, texts, source.place)
        needed = [names[at] for at in chosen if at is not None]
        batches = file.iter_batches(batch_size=8192, columns=needed)
        _take_batches(batches, texts, source.place)


def _take_batches(batches: Iterable[Any], texts: Texts, place: str) -> None:
    """Rows of Arrow's batches of columns."""
    import pyarrow
    from pyarrow import compute

    row = 0
    wanted = None if texts.wanted is None else pyarrow.array(texts.wanted, pyarrow.string())
    for batch in map(with_plain_types, batches):
        chosen = _require(batch.schema.names, texts, place)
        ids = batch.column(chosen.id)
        at: Sequence[int] = range(len(ids))
        if wanted is not None and not pyarrow.types.is_floating(ids.type):
            named = compute.utf8_trim(compute.cast(ids, pyarrow.string()), characters=EDGES)
            kept = compute.indices_nonzero(compute.fill_null(compute.is_in(named, wanted), True)).to_pylist()
            at = kept if texts.first else sorted({*kept, *range(min(SOME, len(ids)))})
            texts.seen += len(ids) - len(at)
        columns = [None if number is None else batch.column(number) for number in chosen]
        for one in at:
            cells = [None if column is None else column[one].as_py() for column in columns]
            where = f"{place}, row {row + one + 1}"
            texts.take(read_id(cells[0], texts.kind, where), cells[1], cells[2], where)
        row += len(ids)
