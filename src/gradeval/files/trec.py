"""TREC text: judgments (topic iteration document grade) and runs (topic Q0 document rank score tag)."""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from gradeval._core import InputError, Lines, Pools
from gradeval.arguments import known_arguments
from gradeval.atomic_files import Path, whole_file
from gradeval.collection.qrels import Qrels, rule_of_judgments
from gradeval.collection.runs import Run, name_file
from gradeval.collection.skipped_lines import SkippedLines
from gradeval.files.column_names import QUERIES, InputKind, normal_name
from gradeval.files.likely_times import refuse_time
from gradeval.files.named_columns import GUESSED, are_mostly_known
from gradeval.files.plain_text import BLANK, LONGEST, require_columns, write_number
from gradeval.files.source import BEGINNING, Buffer, Source, as_source, name_place, open_unpacked

NUMBER = re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


VALUES: Mapping[InputKind, Mapping[int, int]] = {"qrels": {3: 2, 4: 3}, "run": {3: 2, 6: 4}}
"""Where the value stands in a line without names, by the number of columns; the last number is that of TREC text."""
FIRST = 1 << 12
"""Bytes that tell a file of TREC text."""
SECOND = (b"0", b"Q0", b"q0")
"""What stands in the second column of TREC text, which nothing looks at."""


def is_trec(beginning: bytes, kind: InputKind) -> bool:
    """Has the first line the columns of TREC text, with a number where the value stands?

    It is no TREC text where other lines show that tabs, commas or semicolons separate the columns, which hold blanks:
    four words may be a topic of two, a document and a grade. Nor where it names columns, or pandas numbered them 0, 1,
    2, 3.
    """
    width = max(VALUES[kind])
    _, columns = _first_line(beginning)
    if len(columns) != width or NUMBER.fullmatch(columns[VALUES[kind][width]]) is None:
        return False
    if columns == [b"%d" % place for place in range(width)]:
        return False
    names = [column.decode("utf-8", "replace") for column in columns]
    counted = [[b"%d" % (at + first) for at in range(width - 1)] for first in (0, 1)]
    if normal_name(names[0]) in QUERIES and columns[1:] in counted:  # above ranked lists
        return False
    if are_mostly_known(names, GUESSED) or (kind == "qrels" and are_graded_in_words(beginning[:FIRST])):
        return False
    whole = beginning if len(beginning) < BEGINNING else beginning[: beginning.rfind(b"\n") + 1]
    return not is_separated(whole, kind)


def has_grade_in_words(columns: Sequence[str]) -> bool:
    """Are these the columns of a judgment as TREC text has them, except that the grade is a word?"""
    if len(columns) != max(VALUES["qrels"]) or not (columns[1].isdigit() or columns[1].encode() in SECOND):
        return False
    from gradeval.files.given_values import is_number_or_words  # here, as most grades are numbers
    from gradeval.files.grade_words import is_word

    grade = columns[VALUES["qrels"][len(columns)]]
    return NUMBER.fullmatch(grade.encode()) is None and (is_word(grade) or is_number_or_words(grade))


def are_graded_in_words(text: bytes, delimiter: bytes | None = None) -> bool:
    """Have more lines of judgments their grade in words than have not? Of few a word may be a slip."""
    lines = [line.strip() for line in text.removeprefix(BOM_UTF8).splitlines()]
    judged = [line.split(delimiter) for line in lines if line and not line.startswith(b"#")]
    odd = [row for row in judged if len(row) == max(VALUES["qrels"]) and NUMBER.fullmatch(row[-1]) is None]
    if 2 * len(odd) <= len(judged):
        return False
    return all(has_grade_in_words([cell.decode("utf-8", "replace") for cell in row]) for row in odd)


def is_trec_file(place: str, kind: InputKind) -> bool:
    """Does a file begin as ``is_trec`` says? Not where it cannot be read."""
    with suppress(InputError), open_unpacked(place) as file:
        return is_trec(file.read(FIRST), kind)
    return False


def is_separated(text: bytes | bytearray, kind: InputKind) -> bool:
    """Do more lines read as columns between tabs, commas or semicolons than read as TREC text?"""
    if b" " not in text:
        return False
    delimiters = [sign for sign in (b"\t", b",", b";") if sign in text]
    lines = re.findall(rb"[^\n]* [^\n]*", text) if delimiters else []
    return any(_count_separated(lines, sign, kind) > 0 for sign in delimiters)


def _count_separated(lines: Sequence[bytes], delimiter: bytes, kind: InputKind) -> int:
    """How many more lines read as columns between delimiters than as TREC text; others say nothing."""
    values, more = VALUES[kind], 0
    for line in lines:
        words, cells = line.split(), [cell.strip() for cell in line.split(delimiter)]
        while cells and not cells[-1]:  # as behind a column without a name
            cells.pop()
        if line.startswith(b"#") or (delimiter == b"\t" and not any(b" " in cell for cell in cells)):
            continue
        trec = len(words) == max(values) and NUMBER.fullmatch(words[values[len(words)]]) is not None
        between = len(cells) in values and NUMBER.fullmatch(cells[values[len(cells)]]) is not None
        if between and not (trec and delimiter == b"\t" and words[1] in SECOND):
            more += 1
        elif trec:
            more -= 1
    return more


def is_separated_below(source: Source, kind: InputKind) -> bool:
    """Beyond a beginning in which only tabs separate columns: do blanks stand within some? Nobody asks a plain run,
    which is not read before it is judged."""
    beginning = source.beginning
    if len(beginning) < BEGINNING or b" " in beginning or b"\t" not in beginning:
        return False
    return (kind == "qrels" or source.plain is None) and is_separated(source.data, kind)


def _first_line(beginning: bytes) -> tuple[int, list[bytes]]:
    """The first line that is neither blank nor a comment: its number from 1, and its columns."""
    lines = enumerate((line.split() for line in beginning.removeprefix(BOM_UTF8).splitlines()), 1)
    return next(((number, line) for number, line in lines if line and not line[0].startswith(b"#")), (0, []))


LOOKED_AT = 20
"""Lines that show whether each is a list."""
WRITE_LINES: Mapping[InputKind, str] = {
    "qrels": """awk '{for (i = 2; i <= NF; i++) print $1, 0, $i, 1}' FILE > NEW""",
    "run": """awk '{for (i = 2; i <= NF; i++) print $1, "Q0", $i, i - 1, 1 - i, "lists"}' FILE > NEW""",
}
"""How to write a line a document of lines that hold lists."""
PAIR_AND_NEGATIVES = re.compile(rb"\(\d+,\d+\)( \d+)+")
WRITE_PAIRS = """awk -F'[(),]' 'BEGIN {print "user,item"} {print $2 "," $3}' FILE > NEW"""
"""How to write the pairs of such lines."""


def _refuse_lists(source: Source, kind: InputKind) -> None:
    """Refuse lines of a user and the items of a list, ``user item item ...``, all of them whole numbers."""
    lines = source.beginning.removeprefix(BOM_UTF8).splitlines()[: 2 * LOOKED_AT]
    rows = [row for line in lines[:-1] or lines if (row := line.split()) and not row[0].startswith(b"#")][:LOOKED_AT]
    if rows and all(PAIR_AND_NEGATIVES.fullmatch(b" ".join(row)) for row in rows):
        raise InputError(
            f"{source.place}: lines have a pair (user,item) and sampled negatives, as of NCF; write the pairs as "
            f"judgments: {WRITE_PAIRS}; docs/coming-from/recommenders.md shows how to score the negatives"
        )
    if len(rows) < 2 or not all(cell.isdigit() for row in rows for cell in row):
        return
    widths = {len(row) for row in rows}
    tagged = widths == {max(VALUES["run"])} and kind == "run" and len({row[-1] for row in rows}) > 1
    if tagged or (not widths <= {*VALUES[kind], 2} and len({row[0] for row in rows}) == len(rows)):
        size = f"{min(widths)} to {max(widths)}" if widths != {max(widths)} else str(max(widths))
        raise InputError(
            f"{source.place}: lines have {size} whole numbers: is each a list, user item item ...? Then write a line "
            f"a document: {WRITE_LINES[kind]}"
        )


def _refuse_short_lines(source: Source) -> None:
    """Refuse a run that lacks one column of TREC text in all lines: which one, and how to read it nevertheless."""
    lines = source.beginning.removeprefix(BOM_UTF8).splitlines()[: 2 * LOOKED_AT]
    rows = [row for line in lines[:-1] or lines if (row := line.split()) and not row[0].startswith(b"#")][:LOOKED_AT]
    if len(rows) < 2 or any(len(row) != 5 or row[1] not in SECOND or not NUMBER.fullmatch(row[3]) for row in rows):
        return
    number, columns = _first_line(source.beginning)
    if len({row[4] for row in rows}) > 1 and all(NUMBER.fullmatch(row[4]) for row in rows):
        lacks, how = "tag", "score=5"
    else:
        lacks, how = ("score", "rank=4") if all(row[3].isdigit() for row in rows) else ("rank", "score=4")
    first = b" ".join(columns).decode("utf-8", "replace")[:LONGEST]
    raise InputError(
        f"{source.place}:{number}: found 5 columns ({first!r}): the {lacks} seems to be missing; a line of a run has 6 "
        f"columns: topic Q0 document rank score tag; to read these: --columns query=1,doc=3,{how}"
    )


def read_trec_qrels(path: Path, name: str | None = None) -> Qrels:
    """Judgments from TREC text."""
    source = as_source(path)
    _refuse_lists(source, "qrels")
    if is_trec(source.beginning, "qrels"):
        number, columns = _first_line(source.beginning)
        refuse_time(columns[2].decode("utf-8", "replace"), columns[3].decode(), f"{source.place}:{number}")
    pools = Pools.of_bytes(source.data, source.place, rule_of_judgments(source.repeated))
    qrels = Qrels.of_pools(pools, name or source.place, source.repeated)
    return replace(qrels, skipped=_skipped_lines(source.data))


def _skipped_lines(data: Buffer) -> SkippedLines | None:
    """The comments that have the four columns of judgments."""
    if b"#" not in data:
        return None
    comments = re.finditer(rb"(?m)(?:^|\A\xef\xbb\xbf)[ \t]*(#[^\r\n]*)", data)
    places = [comment.start(1) for comment in comments if len(comment[1].split()) == max(VALUES["qrels"])]
    if not places:
        return None
    first = bytes(data[places[0] : places[0] + 4 * LONGEST]).splitlines()[0].decode("utf-8", "replace")
    return SkippedLines(len(places), data.count(b"\n", 0, places[0]) + 1, first[:LONGEST])


def read_trec_run(path: Path, name: str | None = None) -> Run:
    """A run from TREC text, called by ``name``, else by its tag, else by its file name."""
    source = as_source(path)
    _refuse_lists(source, "run")
    _refuse_short_lines(source)
    lines = Lines.of_bytes(source.data, source.place)
    called = name or lines.tag() or name_file(source.place)
    return Run(lines, called, source.place, header=_read_header(source.data), doubt=_ask_about_ranks(source.beginning))


def open_trec_run(path: Path, name: str | None = None) -> Run:
    """The run of ``read_trec_run``, its lines left in the file where the core can read them from there."""
    source = as_source(path)
    if source.plain is None:
        return read_trec_run(source, name)
    _refuse_lists(source, "run")
    _refuse_short_lines(source)
    place = source.place
    lines = Lines.of_file(os.fsencode(source), place)
    called = name or lines.tag() or name_file(place)
    return Run(lines, called, place, header=_read_header(source.beginning), doubt=_ask_about_ranks(source.beginning))


def _ask_about_ranks(beginning: bytes) -> str:
    """Whether rank and score of a run seem to be swapped: a question, or an empty text."""
    _, columns = _first_line(beginning)
    if len(columns) != max(VALUES["run"]) or columns[3].isdigit():
        return ""
    from gradeval.files.column_order import ask_about_ranks  # here, as ranks are seldom anything else

    return ask_about_ranks(beginning)


def _read_header(data: Buffer) -> tuple[str, ...]:
    """The comments with which a text begins, also between blank lines."""
    header: list[str] = []
    start = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    while (end := data.find(b"\n", start)) >= 0:
        line = bytes(data[start:end]).rstrip(b"\r")
        if line.startswith(b"#"):
            header.append(line.decode("utf-8", "surrogateescape"))
        elif line.strip():
            break
        start = end + 1
    return tuple(header)


@known_arguments()
def write_run(run: Run, path: Path, tag: str | None = None) -> None:
    """Write a run as TREC text: each topic by score descending, then document id descending, ranks from 1.

    Scores are the shortest text that reads back exactly. ``tag`` is the last column; default: the run's name. The
    comments above the first line (``run.header``) are written, too.
    """
    # Strings compare by code point, which is the order of their UTF-8 bytes.
    rankings = (
        (topic, sorted(run.of(topic).items(), key=lambda line: (line[1], line[0]), reverse=True))
        for topic in run.topics
    )
    write_rankings(rankings, path, tag if tag is not None else run.name, header=run.header)


def write_rankings(
    rankings: Iterable[tuple[str, Iterable[tuple[str, float]]]],
    path: Path,
    tag: str,
    spell: Callable[[float], str] = write_number,
    header: Sequence[str] = (),
) -> None:
    """Write rankings as TREC text: topics with their documents and scores, in rank order; ranks from 1.

    ``spell`` makes the text of a score; ``header``: comments that stand above them.
    """
    place = name_place(path)
    if not tag or BLANK.search(tag):
        raise InputError(f"{place}: tag {tag!r} would not be one column; give a tag without blanks: tag=")
    for line in header:
        if not line.startswith("#") or "\n" in line:
            raise InputError(f"{place}: {line!r} is no comment of one line; a line of the header begins with #")
    with whole_file(path) as file:
        file.write("".join(f"{line}\n" for line in header).encode("utf-8", "surrogateescape"))
        for topic, ranking in rankings:
            require_columns([topic], "topic", place)
            ranked = list(ranking)
            require_columns([document for document, _ in ranked], "document", place)
            lines = [
                f"{topic} Q0 {document} {rank} {spell(score)} {tag}\n"
                for rank, (document, score) in enumerate(ranked, start=1)
            ]
            file.write("".join(lines).encode())


@known_arguments()
def write_qrels(qrels: Qrels, path: Path) -> None:
    """Write judgments as TREC text, in their order and with their original grades: read again, they are
    the same."""
    place = name_place(path)
    offsets = qrels.pools.offsets.tolist()
    with whole_file(path) as file:
        for number, topic in enumerate(qrels.topics):
            require_columns([topic], "topic", place)
            documents = qrels.pools.documents(number)
            grades = qrels.grades[offsets[number] : offsets[number + 1]].tolist()
            require_columns(documents, "document", place)
            lines = [
                f"{topic} 0 {document} {write_number(grade)}\n"
                for document, grade in zip(documents, grades, strict=True)
            ]
            file.write("".join(lines).encode())
