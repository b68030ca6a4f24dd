"""Scores that were computed elsewhere, or saved, from files and frames."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.collection.meeting import Ties
from gradeval.collection.qrels import Identity
from gradeval.files.arrow_columns import is_text, read_coded_ids, read_flags, read_numbers, require_frame_columns
from gradeval.files.column_names import LIKELY_RUNS, MEASURES, QUERIES, RUNS, VALUES, first_usual, places_by_name
from gradeval.files.columnar import is_parquet, read_parquet
from gradeval.files.folders import list_files, without_junk
from gradeval.files.frame_columns import index_columns
from gradeval.files.frame_tables import arrow_table
from gradeval.files.header_rows import is_number, names_separator
from gradeval.files.plain_text import decode, read_decimal, read_id
from gradeval.files.separated_rows import LINE_END, Row, TextRows, read_rows
from gradeval.files.source import Source
from gradeval.files.unknown_columns import is_index
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, require_levels
from gradeval.formula.spelling import parse_measure
from gradeval.messages import kind_of, list_some
from gradeval.scores.decimal_commas import with_points
from gradeval.scores.gathering import gather
from gradeval.scores.leaderboards import is_leaderboard, read_leaderboard, require_known_head, split_markdown
from gradeval.scores.means_alone import as_means
from gradeval.scores.measure_columns import PlacedRow, lengthen, refuse_long_means
from gradeval.scores.notes import warn_of
from gradeval.scores.nugget_scores import has_nuggets, read_nugget_scores
from gradeval.scores.published_means import lengthen_means
from gradeval.scores.saved_facts import SAVED, read_columns, read_questions
from gradeval.scores.score_rows import ALL, ScoreLine, ScoreRows, number_names
from gradeval.scores.scores import EMPTY, FORMAT, MISSING, Empty, Missing, Scores, Unit
from gradeval.scores.selection import Named, RunChoice, TopicChoice, choose, run_selection, topic_selection
from gradeval.scores.topic_tables import read_topic_table
from gradeval.tables.arrow import KEY
from gradeval.tables.joined_slices import name_labels
from gradeval.warning_categories import FilesWarning, Note

if TYPE_CHECKING:
    import pyarrow

FIELDS = ("run", "topic", "measure", "value")
FLAGS = ("present", "vacant")
LEVELS = "levels"
SEEDS = "seeds"
COLUMNS = (*FIELDS, *FLAGS, LEVELS, SEEDS)
"""The columns of scores, of which the last four may lack."""
USUAL = dict(zip(FIELDS, ((*RUNS, *LIKELY_RUNS), QUERIES, MEASURES, VALUES), strict=True))
"""What others call the first four, in lower case."""
KEYS = re.compile(r'"([^"\\]*)"\s*:')
"""A name in a record of JSON."""
KNOWN = f"scores have {', '.join(FIELDS)}, or as system, query, metric, score; rename or add it"
ACCEPTED = "--scores takes parquet, tsv, csv, jsonl or trec_eval -q"

Files: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]


@known_arguments()
def read_scores(
    *files: Files,
    topics: TopicChoice = None,
    missing: Missing | None = None,
    empty: Empty | None = None,
    means: bool = False,
) -> Scores:
    """Scores from one or several files, as ``Scores.save``, ``gradeval evaluate -q`` and ``trec_eval -q`` write them.

    A .parquet file that ``save`` wrote gives the same scores back (without coverage). Any table with the columns run,
    topic, measure and value (or usual names as system, query_id, metric and score) is scores, whoever wrote it:
    Parquet, csv, tsv, JSON lines; ``notes`` say what it does not tell. The measure of a csv of topics x systems goes
    by the name of the file, or write ``MEASURE=FILE``.
    So does the measure of a leaderboard: csv, tsv or Markdown with the columns model, taskA, taskB ..., or task,
    modelA, modelB ...; models are its runs, tasks its topics. Averages, ranks, text and properties of models are left
    out, as ``notes`` say; where a column is unclear, name the tasks as ``topics``. Columns of different measures, as
    MRR@10 (dev) and R@1k (dev), are means alone. A task counts where all runs have a value, unless ``missing="skip"``
    leaves out a task of one run alone.
    JSONL of AutoNuggetizer, an answer's nuggets with their assignments or their scores, gives its four scores.
    Of any other file ``SOURCE=FILE`` puts the source before its measures, so that one measure may come from several:
    ``human=a.tsv`` and ``model=b.tsv`` give human:AP and model:AP. Text measures of trec_eval (relstring, runid) are
    left out.
    Several files, also as a list, a folder or a pattern such as ``eval/*.txt``, are put together: other runs, other
    topics, other measures; runs of one name go by their files where both have the same topics. Measures that some file
    lacks are left out, as ``notes`` say. A run that has no value at all for a topic misses it. A measure that gradeval
    does not know keeps its name and its values, but cannot be computed. Two names of one measure, such as trec_eval's
    Rprec and Rprec_mult_1.00, are one where all their values agree; where they do not, both stay, each by its own name.

    Parameters
    ----------
    topics : only these.
    missing, empty : see ``evaluate``. None: as the files count these topics, which saved scores say, and the means of
        other files of ``evaluate -q`` tell; else they count 0.
    means : read means alone, too: tables as papers print them (run,AP,nDCG@10 or run,measure,value), and lines of the
        topic "all", as ``evaluate -o`` writes them. Values of topics in other files are then averaged, as ``notes``
        say. ``correlate`` takes such scores, without intervals, of the runs that have all chosen measures; of other
        runs there is no ``mean()``. Default: means alone are an error, as other studies need single topics.

    Raises
    ------
    InputError : a file of another kind, a value that is no number or is given twice by one name, a run that has
        values of some measures for a topic but not of others; parts by other judgments, ties or levels.

    Warns
    -----
    CollectionWarning : files of different topics do not state the levels on which a measure depends.
    """
    return _hand_over(open_scores(*files, topics=topics, missing=missing, empty=empty, means=means), topics, means)


def open_scores(
    *files: Files,
    topics: TopicChoice = None,
    missing: Missing | None = None,
    empty: Empty | None = None,
    means: bool = False,
    needed: Sequence[str | Measure] = (),
    runs: RunChoice = None,
) -> Scores:
    """What ``read_scores`` gives, of all topics; those that ``topics`` names are the tasks of a leaderboard.

    ``needed``: measures that are asked for, so that runs may lack others; nothing: see ``read_scores``. ``runs``: the
    choice of runs; where it names them, others may lack these measures, too.
    """
    tasks = _named_topics(topics)
    parts = [_read_score_rows(path, tasks, means) for path in list_score_files(files)]
    parts, averaged = as_means(parts, missing, empty) if means else (parts, [])
    scores = gather(parts, missing, empty, needed, run_selection(runs))
    return replace(scores, notes=[*averaged, *scores.notes])


def _named_topics(topics: TopicChoice) -> Collection[str]:
    """The topics that a choice names, which are the tasks of a leaderboard."""
    selection = topic_selection(topics)
    return selection.names if isinstance(selection, Named) else ()


def _hand_over(scores: Scores, topics: TopicChoice, means: bool) -> Scores:
    """The scores of these topics, after warnings of what is probably a mistake."""
    warn_of(scores.notes, stacklevel=4)
    if means and scores.unit == "tasks":
        text = f"read as a leaderboard of tasks ({list_some(scores.topics, 3)}), which are averaged"
        warn_of([Note(f"{text}; if these are measures, write lines of run,measure,value", FilesWarning)], stacklevel=4)
    return scores if topics is None else choose(scores, scores.measures, topics, None, None)[0]


def holds_scores(place: str) -> bool:
    """Is it a file of scores, rather than a run: one that ``save``, ``evaluate -q`` or ``trec_eval -q`` wrote?

    NAME=FILE is scores, too; pipes and standard input are not looked into.
    """
    path, name = _split(place)
    if not os.path.isfile(path):
        return False
    if name:
        return True
    source = Source(path)
    if is_parquet(source.beginning):
        return set(FIELDS) <= set(_as_columns(read_parquet(source, lambda schema: schema.names).column_names))
    first = next((line.strip() for line in source.beginning.decode(errors="replace").splitlines() if line.strip()), "")
    if first.startswith(("{", "[")):
        return set(FIELDS) <= set(_as_columns(KEYS.findall(source.beginning.decode(errors="replace"))))
    delimiter = max("\t;,", key=first.count)
    cells = first.split(delimiter) if delimiter in first else first.split()
    return set(FIELDS) <= set(_as_columns(cells)) or _is_line_of_trec_eval(first.split())


def _is_line_of_trec_eval(words: Sequence[str]) -> bool:
    """Is it a measure, a topic and a value?"""
    if len(words) != 3 or words[0] == "runid":
        return len(words) == 3 and words[1] == ALL
    with suppress(InputError):
        parse_measure(words[0])
        return not np.isnan(read_decimal(words[2]))
    return False


def list_score_files(given: object) -> Iterator[str]:
    """Every file, with what stands before its =, of places, lists of them, folders and patterns."""
    if isinstance(given, str | PathLike):
        path, name = _split(str(os.fspath(given)))
        yield from (f"{name}={file}" if name else file for file in list_files([path], "several"))
    elif isinstance(given, Mapping) or hasattr(type(given), "columns"):
        raise InputError(
            f"read_scores() reads files, and got {kind_of(given)}; give scores_from_frame() its columns; there, too, "
            "means=True takes means alone"
        )
    elif isinstance(given, Iterable):
        for one in without_junk(given):
            yield from list_score_files(one)
    else:
        raise InputError(f"read_scores() got {given!r:.80}; accepted are files, folders, patterns as eval/*.txt")


@known_arguments()
def scores_from_frame(
    frame: Any,
    *,
    topics: TopicChoice = None,
    missing: Missing | None = None,
    empty: Empty | None = None,
    means: bool = False,
) -> Scores:
    """Scores from a table with the columns run, topic, measure, value (and present, vacant, levels,
    seeds), as ``to_frame`` gives.

    Usual names as system, query_id, metric and score are known, too.
    Anything that speaks Arrow (pandas, Polars, DuckDB), or a dict of columns, also several of them joined; a run
    without any value for a topic misses it. Rows of a measure that depends on the levels must have the same ones. The
    index of a frame of pandas is a column where it is called so, or holds the names of runs. Other tables, and
    ``topics``, ``missing``, ``empty`` and ``means``: as ``read_scores`` takes them.
    """
    parts = [_read_table(arrow_table(frame, "frame"), "frame", "", _named_topics(topics), means)]
    parts, averaged = as_means(parts, missing, empty) if means else (parts, [])
    scores = gather(parts, missing, empty)
    return _hand_over(replace(scores, notes=[*averaged, *scores.notes]), topics, means)


def _split(source: str) -> tuple[str, str]:
    """The file of ``FILE`` or ``NAME=FILE``, and the name."""
    if os.path.exists(source) or "=" not in source:
        return source, ""
    name, _, path = source.rpartition("=")
    return path, name


def _read_score_rows(place: str, tasks: Collection[str], means: bool) -> ScoreRows:
    """The values of ``FILE``, ``MEASURE=FILE`` (a csv of topics x systems, a leaderboard) or ``SOURCE=FILE``."""
    path, name = _split(place)
    source = Source(path)
    if not is_parquet(source.beginning):
        return _read_text(source, name, tasks, means)

    known = {*COLUMNS, *SAVED}

    def needed(schema: pyarrow.Schema) -> list[str]:
        names = _as_columns(schema.names)
        called = zip(schema.names, names, strict=True) if set(FIELDS) <= set(names) else ()
        return [name for name, column in called if {column.lower(), name.lower()} & known]

    return replace(_read_table(read_parquet(source, needed), source.place, name, tasks, means), source=name)


def _read_table(table: pyarrow.Table, place: str, name: str, tasks: Collection[str], means: bool) -> ScoreRows:
    """The values in a table with a line for each value, or in a wide one whose index pandas wrote as columns."""
    if set(FIELDS) <= set(_as_columns(table.column_names)):
        return _rows_of_table(table, place)
    index = index_columns(table.schema)
    table = table.select([*index, *(column for column in table.column_names if column not in index)])
    columns = [["" if cell is None else str(cell) for cell in column.to_pylist()] for column in table.columns]
    body = [(f"{place} row {number}", list(row)) for number, row in enumerate(zip(*columns, strict=True), 1)]
    rows = [_without_index((place, table.column_names)), *body]
    if read := _read_columns(place, rows, name, tasks, means):
        return read
    require_known_head(place, rows)
    lacking = next(field for field in FIELDS if field not in _find_fields(table.column_names))
    raise InputError(f"{place}: has no column {lacking!r}; {KNOWN}")


def _rows_of_table(table: pyarrow.Table, place: str) -> ScoreRows:
    """The rows of a table."""
    if (names := _as_columns(table.column_names)) != table.column_names:
        table = table.rename_columns(names).replace_schema_metadata(table.schema.metadata)
    needed = [*FIELDS, *(flag for flag in FLAGS if flag in table.column_names)]
    columns = require_frame_columns(table, needed, place, "name each column once")
    coded = [read_coded_ids(columns[field], field, place) for field in FIELDS[:3]]
    text = is_text(columns["value"])
    values = columns["value"].to_pylist() if text else read_numbers(columns["value"], "value", place)
    flags = {flag: read_flags(columns[flag], flag, place) for flag in FLAGS if flag in columns}
    levels = None
    if LEVELS in table.column_names:
        known = require_frame_columns(table, [LEVELS], place, "name each column once", missing=True)[LEVELS]
        if not is_text(known):
            raise InputError(
                f"{place}: column {LEVELS!r} holds {known.type}, not text as in '0,1,2'; rename or drop it"
            )
        levels = _levels_of(known.to_pylist(), place)
    described = _read_description(table, place)
    beside = {} if described is None else read_columns(table, place)
    rows = ScoreRows.of_columns(place, f"{place} row {{}}".format, coded, values, flags, levels, beside=beside)
    if SEEDS in table.column_names:
        rows.seeds = _most_seeds(table[SEEDS].unique().to_pylist())
    unsaid = [flag for flag in FLAGS if flag not in columns]
    if described is None:
        unsaid += [*([LEVELS] if levels is None else []), "ties", "judgments"]
    rows.notes += [f"{place}: does not say {', '.join(unsaid)}"] if unsaid else []
    return rows if described is None else _with_facts(rows, described)


def _read_description(table: pyarrow.Table, place: str) -> Mapping[str, Any] | None:
    """What ``save`` wrote about scores into the metadata of the schema; None where there is nothing."""
    metadata = table.schema.metadata or {}
    if KEY not in metadata:
        return None
    described: Any = None
    with suppress(ValueError, RecursionError):
        described = json.loads(metadata[KEY])
    if not isinstance(described, dict):
        raise InputError(f"{place}: what it says of its scores is damaged; write it again with save()")
    number = described.get("format")
    if isinstance(number, int) and number > FORMAT:
        raise InputError(
            f"{place}: was written by gradeval {described.get('gradeval')} in its format {number}, this version reads "
            f"format {FORMAT}; update gradeval"
        )
    for name, words in SAID.items():
        if described.get(name) not in words:
            accepted = ", ".join(map(str, words))
            raise InputError(
                f"{place}: says {name}={described.get(name)!r:.40}; accepted: {accepted}; write it again with save()"
            )
    return described


SAID: dict[str, tuple[Any, ...]] = {
    "missing": MISSING,
    "empty": EMPTY,
    "ties": (None, *get_args(Ties)),
    "unit": (None, *get_args(Unit)),
}
"""What the metadata may say of scores."""


def _with_facts(rows: ScoreRows, described: Mapping[str, Any]) -> ScoreRows:
    """The rows with what the metadata say of them; names stand in the order in which they were saved."""
    notes, names, codes = rows.notes.copy(), [], []
    for axis, own, code in zip(("runs", "topics", "measures"), rows.names, rows.codes, strict=True):
        saved, here = _texts(described.get(axis)), set(own)
        if len(saved) > len(here):
            notes.append(f"{rows.place}: has rows of {len(here)} of the {len(saved)} {axis} that were saved")
        ordered = [*(name for name in saved if name in here), *(name for name in own if name not in set(saved))]
        place = {name: at for at, name in enumerate(ordered)}
        names.append(ordered)
        codes.append(np.array([place[name] for name in own], np.intp)[code])
    digest, reading, joins = described.get("collection"), _texts(described.get("reading")), described.get("joins")
    identity = (tuple(reading), joins if isinstance(joins, str) else "")
    return replace(
        rows,
        names=(names[0], names[1], names[2]),
        codes=np.array(codes),
        missing=described.get("missing"),
        empty=described.get("empty"),
        ties=described.get("ties"),
        unit=described.get("unit") or "topics",
        collection=Identity.from_digest(digest, *identity) if isinstance(digest, str) else None,
        questions=read_questions(described, names[0], rows.place),
        notes=notes,
    )


def _texts(value: Any) -> list[str]:
    """A list of different texts; empty where it is none."""
    return list(dict.fromkeys(map(str, value))) if isinstance(value, list) else []


def _levels_of(texts: Sequence[str | None], place: str) -> tuple[list[Levels | None], Array]:
    """The levels of rows, written as 0,1,2, each of them once, and intp[row]: which; None: not known."""
    names, codes = number_names([text or "" for text in texts])
    try:
        known = [require_levels(list(map(read_decimal, name.split(",")))) if name else None for name in names]
        return known, np.array(codes, np.intp)
    except InputError as error:
        raise error.within(f"{place}: column {LEVELS!r}") from None


def _read_text(source: Source, name: str, tasks: Collection[str], means: bool) -> ScoreRows:
    """The values in a text. ``name``: the measure of a csv of topics x systems or of a leaderboard; of any other file
    the source. ``means``: may it hold means alone?"""
    place = source.place
    text = decode(source.data, place)
    lines = [(f"{place}:{number}", line) for number, line in enumerate(LINE_END.split(text), 1) if line.strip()]
    if not lines:
        raise InputError(f"{place}: is empty; {ACCEPTED}")
    skipped = int(names_separator(lines[0][1]) and len(lines) > 1)
    lines = lines[skipped:]
    first, stem = lines[0][1], os.path.splitext(os.path.basename(place))[0]
    if first.lstrip().startswith("{"):
        return replace(_read_json(place, lines, stem), source=name)
    if first.lstrip().startswith("[") and (records := _list_of_records(text)):
        located = [(f"{place}, record {number}", record) for number, record in enumerate(records, 1)]
        return replace(_read_records(place, located, stem), source=name)
    rows = _split_rows(text, place, lines)[skipped:]
    rows[0] = _without_index(rows[0])
    if read := _read_columns(place, rows, name, tasks, means):
        return read
    require_known_head(place, rows)
    if ("," in first or ";" in first) and "\t" not in first:
        notes = list[str]()
        table = read_topic_table(place, rows, name or os.path.basename(place).split(".csv")[0], notes)
        return replace(ScoreRows.of_lines(place, table), notes=notes)
    return replace(ScoreRows.of_lines(place, _read_trec_eval(place, lines, means)), source=name, exact=False)


def _read_columns(
    place: str, rows: Sequence[PlacedRow], name: str, tasks: Collection[str], means: bool
) -> ScoreRows | None:
    """The values in rows of which the first one says what the columns are; None where it does not. ``name``,
    ``tasks``, ``means``: see ``_read_text``."""
    rows = [(rows[0][0], _as_columns(rows[0][1])), *rows[1:]]
    if set(FIELDS) <= set(rows[0][1]):
        return replace(_rows_of_text(place, rows), source=name)
    _require_measures(place, rows)
    fields, notes = _find_fields(rows[0][1]), list[str]()
    if long := lengthen(place, rows, fields, notes):
        of_columns = _rows_of_text(place, [(place, FIELDS), *long])
        return replace(of_columns, source=name, notes=[*of_columns.notes, *notes])
    if means and (of_runs := lengthen_means(place, rows, fields, notes)):
        of_means = _rows_of_text(place, [(place, FIELDS), *of_runs])
        return replace(of_means, source=name, unit="means", notes=[*of_means.notes, *notes])
    refuse_long_means(place, rows, fields)
    if not is_leaderboard(rows):
        return None
    stem = os.path.splitext(os.path.basename(place))[0]
    of_board = ScoreRows.of_lines(place, read_leaderboard(place, rows, name or stem, tasks, notes))
    return replace(of_board, unit="tasks", notes=notes)


def _without_index(row: PlacedRow) -> PlacedRow:
    """The header without the names that pandas makes up for an index without names."""
    return row[0], ["" if is_index(head) else head for head in row[1]]


def _split_rows(text: str, place: str, lines: Sequence[tuple[str, str]]) -> list[PlacedRow]:
    """The rows of a text: of Markdown without its caption, else separated by what separates cells of the first line."""
    first = lines[0][1]
    if first.lstrip().startswith("|"):
        return [(where, split_markdown(line)) for where, line in lines if line.lstrip().startswith("|")]
    delimiter = max("\t;,", key=first.count)
    if delimiter not in first:
        return [(where, line.split()) for where, line in lines]
    rows: list[PlacedRow] = [
        (f"{place}:{number}", cells) for number, cells in read_rows(text, delimiter, place, _take_with_header)
    ]
    return with_points(rows, [LEVELS]) if delimiter == ";" else rows


def _take_with_header(rows: TextRows) -> list[Row]:
    """All rows. A first row without numbers may be a header, and is left out where it stands again."""
    taken = [*rows]
    if not any(map(is_number, taken[0][1])):
        rows.read_header_once(taken[0][0])
    return taken


def _find_slices(labels: Mapping[str, Sequence[Any]], topics: Sequence[Any]) -> Array | None:
    """bool[row]: is a row the mean of a slice rather than of all topics? None: there are no slices."""
    if not labels:
        return None
    of_some = np.array([[str(one) != ALL for one in column] for column in labels.values()]).any(0)
    return np.asarray(of_some & np.array([str(topic) == ALL for topic in topics]))


def _rows_of_text(
    place: str, rows: Sequence[tuple[str, Sequence[Any]]], labels: Sequence[str] | None = None
) -> ScoreRows:
    """One value a row, below a row with the names of the fields; values and flags may be written as in JSON.

    ``labels``: the fields that say of which slice a row is; None: those that the first row shows.
    """
    (_, head), *body = rows
    for where, row in body:
        if len(row) != len(head):
            raise InputError(f"{where}: has {len(row)} fields, not the {len(head)} of the first line")
    places, cells = [where for where, _ in body], {name: [row[at] for _, row in body] for at, name in enumerate(head)}
    flags = {
        flag: np.array([_read_flag(where, flag, cell) for where, cell in zip(places, cells[flag], strict=True)], bool)
        for flag in FLAGS
        if flag in cells
    }
    coded = [number_names(cells[field]) for field in FIELDS[:3]]
    levels = _levels_of(cells[LEVELS], place) if LEVELS in cells else None
    sliced = _find_slices(
        {name: cells[name] for name in (name_labels(head) if labels is None else labels)}, cells["topic"]
    )
    read = ScoreRows.of_columns(place, places.__getitem__, coded, cells["value"], flags, levels, sliced)
    return replace(read, seeds=_most_seeds(cells.get(SEEDS, ())))


def _most_seeds(values: Iterable[Any]) -> int:
    """The largest number of seeds of a column; 0 where it holds something else."""
    texts = {str(value).strip() for value in values}
    return max((int(text) for text in texts if re.fullmatch("[0-9]{1,9}", text)), default=0)


def _as_columns(names: Sequence[str]) -> list[str]:
    """The names of columns; columns of scores by their names here, whatever their case or usual name was."""
    fields = _find_fields(names)
    if len(fields) < len(FIELDS):
        return list(names)
    if not fields.keys() <= {name.strip().lower() for name in names}:
        renamed = {place: field for field, place in fields.items()}
        names = [renamed.get(place, name) for place, name in enumerate(names)]
    lower = [name.strip().lower() for name in names]
    return [
        low if low in COLUMNS and low not in names and lower.count(low) == 1 else name
        for name, low in zip(names, lower, strict=True)
    ]


def _find_fields(names: Sequence[str]) -> dict[str, int]:
    """The columns of runs, topics, measures and values that are there, by their names here or by usual ones."""
    by_name = places_by_name(names)
    found = {field: first_usual(by_name, (field, *usual)) for field, usual in USUAL.items()}
    return {field: place for field, place in found.items() if place is not None}


def _require_measures(place: str, rows: Sequence[PlacedRow]) -> None:
    """Refuse a table with a line for each value that does not say by which measure; its runs are no numbers."""
    (_, heads), *body = rows
    fields = _find_fields(heads)
    if fields.keys() == {*FIELDS} - {"measure"}:
        runs = [row[fields["run"]] for _, row in body if fields["run"] < len(row)]
        if np.isnan([read_decimal(run) for run in runs]).all():
            raise InputError(f"{place}: has no column 'measure'; {KNOWN}")


def _read_flag(where: str, name: str, cell: object) -> bool:
    text = str(cell).lower()
    if text not in ("true", "false", "1", "0"):
        raise InputError(f"{where}: {name} {cell!r:.40} is not true or false; correct it, or drop that column")
    return text in ("true", "1")


def _read_json(place: str, lines: Sequence[tuple[str, str]], run_of_file: str) -> ScoreRows:
    """One object a line: a value, as in a row of a table, or the nuggets of an answer."""
    records: list[tuple[str, Any]] = []
    for where, line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        records.append((where, record))
    return _read_records(place, records, run_of_file)


def _list_of_records(text: str) -> list[Any]:
    """The records of JSON that is a list, as pandas writes one; none where it is no such list."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) and all(isinstance(record, dict) for record in value) else []


def _read_records(place: str, given: Sequence[tuple[str, Any]], run_of_file: str) -> ScoreRows:
    """Values, as in rows of a table, or the nuggets of answers."""
    records: list[tuple[str, dict[str, Any]]] = []
    for where, one in given:
        if isinstance(one, dict):
            one = dict(zip(_as_columns(list(one)), one.values(), strict=True))
        if not isinstance(one, dict) or not (has_nuggets(one) or set(FIELDS) <= set(one)):
            raise InputError(
                f"{where}: is not a JSON object with {', '.join(FIELDS)}, or as system, query, metric, score"
            )
        records.append((where, one))
    if any(has_nuggets(record) for _, record in records):
        return ScoreRows.of_lines(place, _read_answers(records, run_of_file))
    head = [*FIELDS, *(name for name in COLUMNS if name not in FIELDS and any(name in record for _, record in records))]
    labels = name_labels(list(records[0][1])) if records else []
    head += labels
    ids = [(where, [read_id(record[field], field, where) for field in FIELDS[:3]], record) for where, record in records]
    return _rows_of_text(
        place,
        [(place, head), *((where, [*own, *(record.get(name) for name in head[3:])]) for where, own, record in ids)],
        labels,
    )


def _read_answers(records: Sequence[tuple[str, dict[str, Any]]], run_of_file: str) -> Iterator[ScoreLine]:
    for where, record in records:
        if not has_nuggets(record):
            raise InputError(f"{where}: has no nuggets, as the other lines have; give them by themselves")
        for key, value in read_nugget_scores(record, run_of_file, where):
            yield where, key, value


def _read_trec_eval(place: str, lines: Sequence[tuple[str, str]], means: bool) -> Iterator[ScoreLine]:
    """Lines of measure, topic and value; the line ``runid all NAME`` stands behind the topics of its run, or, in files
    that gradeval wrote, before them. ``means``: may it hold means alone?"""
    pending: list[tuple[str, str | None, str, str]] = []
    run, before, topics, named = os.path.basename(place), False, False, False
    for where, line in lines:
        parts = line.split(None, 2) if line.startswith("runid") else line.split()
        if len(parts) != 3:
            hint = {4: "; judgments, it seems", 6: "; a run, it seems"}.get(len(parts), "")
            raise InputError(f"{where}: has {len(parts)} columns{hint}; trec_eval -q prints measure, topic, value")
        measure, topic, value = parts
        if measure == "runid":
            before |= not topics
            yield from _of_run(pending, run if before else value.strip())
            pending, run, named = [], value.strip(), True
        elif topic == ALL and not named:  # whose run the line of its name tells
            pending.append((where, None, measure, value))
        elif topic == ALL:
            yield where, (run, None, measure), value
        else:
            topics = True
            pending.append((where, topic, measure, value))
    if not topics and not means:
        raise InputError(f"{place}: has no values of single topics; take trec_eval -q, or gradeval evaluate -q")
    yield from _of_run(pending, run)


def _of_run(pending: Sequence[tuple[str, str | None, str, str]], run: str) -> Iterator[ScoreLine]:
    return ((where, (run, topic, measure), value) for where, topic, measure, value in pending)
