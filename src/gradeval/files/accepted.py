"""Judgments and runs in whatever form a user has them: objects, files, frames, dictionaries, records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral, Number
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from gradeval import arguments
from gradeval._core import InputError
from gradeval.atomic_files import Path
from gradeval.collection.qrels import OF_DICTIONARY, Qrels, RepeatedGrades
from gradeval.collection.runs import Repeated, RepeatedBoth, Run, rule_of_grades, rule_of_runs
from gradeval.files.column_names import DOCUMENTS, MOST_GRADES, QUERIES, InputKind, is_of_model, normal_name
from gradeval.files.folders import Folder, list_run_files, saying_how_to_leave_out, without_junk
from gradeval.files.named_columns import GUESSED, Columns
from gradeval.files.named_runs import NamedRuns, name_uniquely
from gradeval.files.other_tools import TopicMapping, is_frame, is_record, name_of, names_topic, read_objects
from gradeval.files.plain_text import quote
from gradeval.files.readers import ColumnNames, open_runs, read_features, read_qrels
from gradeval.files.run_columns import several_runs
from gradeval.files.trec import is_trec_file
from gradeval.messages import kind_of, list_some
from gradeval.warning_categories import FilesWarning, warn

if TYPE_CHECKING:
    from gradeval.features.features import Features


MAPPINGS = (dict, Mapping)
"""Mappings for isinstance(), dictionaries first: to find that they are mappings takes several times as long."""


class Frame(Protocol):
    """Anything that speaks Arrow: a table of pyarrow, a frame of pandas or Polars, a relation of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The columns as an Arrow stream."""


Judgments: TypeAlias = Qrels | Path | TopicMapping | Frame
Ranked: TypeAlias = Run | Path | TopicMapping | Frame
Excludes: TypeAlias = Judgments | Ranked | Iterable[Any] | None
GivenTexts: TypeAlias = Path | Mapping[Any, Any] | Frame | Iterable[Any]
By: TypeAlias = Path | Mapping[Any, Any] | Frame | Callable[[str], Any] | None
"""What says of which slice each topic is; None: there are no slices."""
RankedRuns: TypeAlias = Ranked | Mapping[str, Ranked] | Iterable[Ranked] | NamedRuns


RECORDS = "records, which are objects or dictionaries with query_id, doc_id and {}"


def as_qrels(
    judgments: object,
    *,
    format: str | None = None,
    columns: ColumnNames = None,
    encoding: str | None = None,
    repeated: RepeatedBoth = None,
    folder: Folder | None = None,
    name: str = "qrels",
) -> Qrels:
    """Judgments from anything that ``evaluate`` and ``judge`` accept; ``name``: what messages call judgments that have
    no place; ``format``, ``columns``, ``encoding``, ``repeated``, ``folder``: see ``read_qrels``."""
    rule = rule_of_grades(repeated)
    if is_by_topic(judgments):
        judgments = mapping_of_series(judgments, name)
    judgments = _open_hits(judgments, "qrels", name)
    match judgments:
        case Qrels():
            return judgments
        case Mapping():
            table = _numbered(judgments, "qrels", name, repeats=rule is not None)
            qrels = _qrels_of(table, name, rule)
            if len(qrels.levels) > MOST_GRADES:
                from gradeval.files.scored_judgments import question_scores  # here, as most grades are few

                qrels = question_scores(qrels, f"give {OF_DICTIONARY}")
            return replace(qrels, made=OF_DICTIONARY)
        case str() | PathLike():
            how: dict[str, Any] = {"encoding": encoding, "repeated": rule, "folder": folder}
            return read_qrels(judgments, format=format, columns=columns, **how)
    if is_frame(judgments):
        from gradeval.files.frames import qrels_from_frame  # here, as files need none

        return qrels_from_frame(judgments, repeated=rule, name=name)
    judgments = _keep(judgments, name)
    read = read_objects(judgments, "qrels", name, repeats=rule is not None)
    if read is not None:
        qrels = _qrels_of(read.tables[""][0], name, rule)
        known: dict[str, Any] = {"highest": max(qrels.highest, read.highest), "grade_column": read.grade_column}
        known |= {"made": "qrels_from_frame(pandas.DataFrame(RECORDS))", "joinable": read.joinable}
        return replace(qrels, **known)
    accepted = f"Qrels, a file, a frame, {{topic: {{document: grade}}}}, or {RECORDS.format('relevance')}"
    from gradeval.files.unlike_objects import describe_given  # here, as few need it

    raise InputError(f"qrels are {accepted}, not {describe_given(judgments, 'qrels')}")


def _qrels_of(table: Mapping[Any, Any], place: str, repeated: RepeatedGrades | None) -> Qrels:
    """The judgments in ``{topic: {document: grade}}``, whose grades may be text, as in files; a warning says how many
    are missing, and quotes the first in words."""
    try:
        return Qrels.of_table(table, place, repeated)
    except InputError:  # or what follows says the same
        from gradeval.collection.missing_grades import drop_missing, require_grades  # here, as few need them
        from gradeval.files.given_values import with_numbers
        from gradeval.files.grade_words import GradeWords
        from gradeval.files.judgment_lists import describe_blank

    words = GradeWords(of_python="{}[grade]".format)
    known, blank = drop_missing(table, words.is_missing)
    qrels = Qrels.of_table(with_numbers(known, "qrels", words, place), place, repeated)
    require_grades(len(known), blank, place)
    words.warn_of_refusals(place)
    if said := f"{describe_blank(blank)}{words.said}":
        warn(f"{place}: {said.removeprefix('; ')}", FilesWarning)
    return replace(qrels, highest=words.highest)


def as_human_qrels(judgments: Judgments) -> Qrels:
    """Judgments that are taken for human ones; a warning where their column is called as a model's grades are."""
    qrels = as_qrels(judgments)
    if is_of_model(qrels.grade_column):
        warn(
            f"{qrels.name}: the human grades are read from {qrels.grade_column!r}, which is a usual name for a "
            "model's grades; if a human gave them, rename the column",
            FilesWarning,
        )
    return qrels


def refuse_swapped(
    qrels: object, ranked: object, columns: Columns = GUESSED, command: str = "", called: str = "QRELS"
) -> None:
    """Refuse a run where judgments are expected, if one of the runs is judgments, or the same file.

    Files are looked at, of which those that may be what they are given as pass; dictionaries are warned of.
    ``command``: the words before the files, where a command line was typed; ``called``: what its help calls the place
    of the judgments.
    """
    if isinstance(qrels, Mapping) and _names_runs(qrels):
        raise InputError(f"qrels come first, and hold runs here: {list_some([*map(str, qrels)], 2)}; swap the two")
    if isinstance(qrels, MAPPINGS) and isinstance(ranked, MAPPINGS):
        from gradeval.files.swapped_values import warn_of_swapped_values  # here, as files need none

        warn_of_swapped_values(qrels, ranked)
    runs = [ranked] if isinstance(ranked, str | PathLike) else ranked
    if not isinstance(qrels, str | PathLike) or not isinstance(runs, list | tuple):
        return
    place, files = os.fspath(qrels), [os.fspath(run) for run in runs if isinstance(run, str | PathLike)]
    if files and os.path.isfile(place) and (place in files or not is_trec_file(place, "qrels")):
        from gradeval.files.swapped import refuse_swapped_files  # here, as most judgments are TREC text

        refuse_swapped_files(place, files, columns, command, called)


def _names_runs(named: Mapping[Any, Any]) -> bool:
    """Is it {name: run}, each run as an object or as {topic: {document: score}}?"""
    first = next(iter(named.values()), None)
    return isinstance(first, Run) or (
        isinstance(first, Mapping) and isinstance(next(iter(first.values()), None), Mapping)
    )


def as_features(features: Features | Path | Iterable[Path]) -> Features:
    """Features as given, or of a file, or of several files that are parts of one collection."""
    from gradeval.features.features import Features  # here, as runs need none

    if isinstance(features, Features):
        return features
    places = [features] if isinstance(features, str | PathLike) else without_junk(features)
    parts = [read_features(place) for place in places]
    return Features.concat(parts, name=parts[0].name + (f" and {len(parts) - 1} more" if parts[1:] else ""))


def as_runs(runs: object, repeated: RepeatedBoth = None, folder: Folder | None = None) -> list[Run]:
    """One or several runs from anything that ``evaluate`` and ``judge`` accept, under distinct names; ``repeated``:
    which line of each document counts; ``folder``: see ``read_qrels``."""
    rule = rule_of_runs(repeated)
    if isinstance(runs, NamedRuns):
        return [run.keeping(rule) for run in runs.runs]
    listed = list_runs(runs, folder)
    read = [run for one in listed for run in read_listed(one, repeated=rule, folder=folder)]
    return read if len(read) == 1 and listed[0].alone else name_uniquely(read).runs


class Listed(NamedTuple):
    """One of several runs, not yet read.

    Attributes
    ----------
    run : a Run, a file, a frame, records or a dictionary.
    name : what it is called, where the user says it.
    number : its place among the runs, from 1.
    alone : was it given by itself, not in a list?
    fault : why its files cannot be listed.
    within : the folder that was given, in which the file lies.
    """

    run: object
    name: str | None = None
    number: int = 1
    alone: bool = False
    fault: InputError | None = None
    within: str = ""


def list_runs(
    runs: object, folder: Folder | None = None, format: str | None = None, columns: Columns = GUESSED
) -> list[Listed]:
    """The runs of anything that ``evaluate`` and ``judge`` accept: the files of folders and patterns, too, without what
    is plainly no run (see ``list_run_files``)."""
    if isinstance(runs, NamedRuns):
        runs = runs.runs
    if isinstance(runs, MAPPINGS):
        from gradeval.files.engine_answers import are_answers, is_answer  # here, as files need none

        if is_answer(runs) or are_answers(runs) or not _holds_runs(runs):
            return [Listed(runs, alone=True)]
        _refuse_inner_table(runs)
        _refuse_unclear_pairs(runs)
        named = [*map(spell_name, runs)]
        if (twice := arguments.find_twice(named)) is not None:
            raise InputError(f"run {twice} is given twice, as {twice} and as {twice!r}; give it once")
        return [Listed(run, name) for name, run in zip(named, runs.values(), strict=True)]
    if is_by_topic(runs):
        return [Listed(runs, alone=True)]
    if isinstance(runs, str | PathLike):
        runs = [runs]
    elif isinstance(runs, Run) or not isinstance(runs, Iterable) or is_frame(runs) or _is_array(runs):
        return [Listed(runs, alone=True)]
    kept = _keep(runs, "runs")
    if is_record(next(iter(kept), None)):
        return [Listed(kept, alone=True)]
    several: list[Listed] = []
    for run in without_junk(kept):
        found = _list_run(run, folder, format, columns)
        several += [one._replace(number=number) for number, one in enumerate(found, len(several) + 1)]
    if not several:
        raise InputError("no run given")
    if len(several) == 1 and several[0].fault is not None:
        raise several[0].fault
    return several


def _refuse_inner_table(runs: Mapping[Any, Any]) -> None:
    """Refuse runs in an object that holds them under a key, as a JSON file may; files stand beside runs."""
    from gradeval.files.other_json import find_inner_table  # here, as files need none

    if len(runs) > 1 and not any(isinstance(value, str | int | float) for value in runs.values()):
        return
    key = find_inner_table(runs)
    others = [value for name, value in runs.items() if name != key]
    if key is None or any(isinstance(value, str) and os.path.exists(value) for value in others):
        return
    missing = f"{quote(str(others[0]))} is no file; if it describes the runs" if others else "runs stand within runs"
    raise InputError(f"runs: {missing}, give RUNS[{key!r}] alone")


def _refuse_unclear_pairs(runs: Mapping[Any, Any]) -> None:
    """Refuse users with two arrays each, which would be taken for runs with two rows."""
    if all(isinstance(value, list | tuple) and len(value) == 2 for value in runs.values()):
        from gradeval.files.paired_arrays import refuse_unclear  # here, as files need none

        for user, value in runs.items():
            refuse_unclear(value, "run", f"run: query {quote(str(user))}")


def spell_name(name: object) -> str:
    """The name of a run or judge as text: Polars and pandas put the one value that a frame is split by in a tuple."""
    return str(name[0] if isinstance(name, tuple) and len(name) == 1 else name)


def _list_run(run: object, folder: Folder | None, format: str | None, columns: Columns) -> list[Listed]:
    """The run, or the files of a folder or pattern."""
    if not isinstance(run, str | PathLike):
        return [Listed(run)]
    try:
        return [Listed(file, within=os.fspath(run)) for file in list_run_files([run], folder, format, columns)]
    except InputError as error:
        return [Listed(run, fault=error)]


def read_listed(
    listed: Listed,
    *,
    format: str | None = None,
    columns: ColumnNames = None,
    encoding: str | None = None,
    repeated: Repeated | None = None,
    folder: Folder | None = None,
) -> list[Run]:
    """The run, or all runs of a table whose column names them; ``format``, ``columns``, ``encoding``, ``folder``: see
    ``read_qrels``."""
    if listed.fault is not None:
        raise listed.fault
    name = "run" if listed.number == 1 else f"run {listed.number}"
    if isinstance(listed.run, str | PathLike):
        how: dict[str, Any] = {"encoding": encoding, "repeated": repeated, "folder": folder}
        with saying_how_to_leave_out(listed.run, [listed.within]):
            runs = open_runs(listed.run, format=format, columns=columns, **how)
    else:
        runs = [run.keeping(repeated) for run in _read_runs(listed.run, name, repeated, listed.name)]
    if listed.name is None:
        return runs
    if len(runs) > 1:
        remedy = "give them without a name, or the rows of one under each name"
        raise several_runs([run.name for run in runs], listed.name, remedy)
    return [replace(runs[0], name=listed.name)]


def as_run(listed: Listed) -> Run:
    """The run, where there is one."""
    runs = read_listed(listed)
    if len(runs) > 1:
        raise several_runs([run.name for run in runs], runs[0].place, "give the rows of one")
    return runs[0]


def _holds_runs(mapping: Mapping[object, object]) -> bool:
    """Is it {name: run} rather than {topic: {document: score}}? The first value with content tells; all runs may be
    empty."""
    first = next((value for value in mapping.values() if not _is_empty(value)), None)
    if first is None:
        return len(mapping) > 0
    if isinstance(first, MAPPINGS):
        inner = next((value for value in first.values() if not _is_nothing(value)), None)
        if isinstance(inner, Iterable):
            return not isinstance(inner, str) and not _is_of_listings(mapping)
        from gradeval.files.engine_answers import are_answers  # here, as files need none

        return are_answers(first)
    if isinstance(first, Run | str | PathLike) or is_frame(first) or is_by_topic(first):
        return True
    item = next(iter(first), None) if isinstance(first, list | tuple) else None
    if item is not None and not isinstance(item, str):
        from gradeval.files.paired_arrays import are_paired  # here, as files need none

        if are_paired(first):
            return False
    return (item is not None and (names_topic(item) or _is_row_of_ids(item))) or _is_row_of_ids(first, 2)


def _is_row_of_ids(value: object, dimensions: int = 1) -> bool:
    """Is it a list, or a row of an array, rather than a pair of a document and a number?"""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return (len(shape) == 2 and shape[1] != 2) or len(shape) == dimensions == 1
    return dimensions == 1 and isinstance(value, list) and len(value) != 2


def is_by_topic(value: object) -> bool:
    """Is it a Series of pandas whose index are topics, and whose values are their documents?"""
    if not hasattr(value, "index") or not hasattr(value, "items") or not hasattr(value, "dtype"):
        return False
    from gradeval.collection.missing_grades import is_missing  # here, as files need none

    first = next((one for one in value if not is_missing(one)), None) if isinstance(value, Iterable) else None
    return isinstance(first, list | tuple | set | frozenset | Mapping) or getattr(first, "ndim", 0) == 1


def mapping_of_series(series: Any, place: str) -> dict[Any, Any]:
    """``{topic: documents}`` of such a Series."""
    if (twice := arguments.find_twice(map(str, series.index))) is not None:
        raise InputError(f"{place}: topic {twice} is given twice; give all its documents in one list")
    return dict(series.items())


def _is_array(value: object) -> bool:
    """Is it an array, a tensor or a sparse matrix of numbers, rather than a list of runs?"""
    if isinstance(value, list | tuple):
        return False
    from gradeval.files.unlike_objects import are_numbers  # here, as few need it

    return are_numbers(value) or hasattr(value, "tocoo")


def _is_empty(value: object) -> bool:
    """Is it a mapping or a list without anything, or nothing at all?"""
    return (isinstance(value, (*MAPPINGS, list, tuple)) and not value) or _is_nothing(value)


def _is_nothing(value: object) -> bool:
    """Is it None, or the NaN that pandas makes of it?"""
    return value is None or (isinstance(value, float) and value != value)


def _is_of_listings(mapping: Mapping[Any, Any]) -> bool:
    from gradeval.files.listings import is_of_listings  # here, as few need it

    return is_of_listings(mapping)


def _keep(given: object, what: str) -> Any:
    """The items of an iterator in a list, as they come but once; anything else as it is."""
    if not isinstance(given, Iterator):
        return given
    if not (items := list(given)):
        raise InputError(
            f"{what}: {kind_of(given)} gives nothing: it is empty, or was read before, as iterators are read "
            "but once; give a list"
        )
    return items


def _read_runs(run: object, name: str, repeated: Repeated | None, called: str | None = None) -> list[Run]:
    if is_by_topic(run):
        run = mapping_of_series(run, name)
    if _is_empty(run) and run is not None:
        run = {}
    run = _open_hits(run, "run", name)
    if isinstance(run, MAPPINGS):
        from gradeval.files.engine_answers import about_lost_queries  # here, as files need none
        from gradeval.files.given_values import with_scores
        from gradeval.files.likely_ranks import warn_of_mapped_scores
        from gradeval.files.padding import without_padding_of_topics

        if lost := about_lost_queries(run, python=True):
            raise InputError(f"{name}: {lost}")
        table = _numbered(run, "run", name, repeats=repeated is not None)
        table = without_padding_of_topics(table, name)
        if table is run:
            warn_of_mapped_scores(table, name)
        return [Run.over(table, name, with_scores)]
    if isinstance(run, Run):
        return [run]
    if is_frame(run):
        from gradeval.files.frames import runs_from_frame

        return runs_from_frame(run, name, repeats=repeated is not None)
    run = _keep(run, name)
    read = read_objects(run, "run", name, repeats=repeated is not None)
    if read is not None:
        named = [(called or name_of(run) or name, table) for called, table in read.tables.items()]
        return [replace(_run_of(*table, called), joinable=read.joinable) for called, table in named]
    accepted = f"a Run, a file, a frame, {{topic: {{document: score}}}}, or {RECORDS.format('score')}"
    from gradeval.files.unlike_objects import describe_given  # here, as few need it

    raise InputError(f"a run is {accepted}, or several as in {{name: run}}, not {describe_given(run, 'run', called)}")


def _run_of(scores: Mapping[Any, Any], ranks: Mapping[str, Any], name: str) -> Run:
    """The run in a table, whose scores may be text."""
    try:
        return Run.of_table(scores, ranks, name)
    except InputError:  # or what follows says the same
        from gradeval.files.given_values import with_scores  # here, as few need it

    return Run.of_table(with_scores(scores, name), ranks, name)


def _numbered(table: Mapping[Any, Any], kind: InputKind, place: str, *, repeats: bool = False) -> Mapping[Any, Any]:
    """The same table; ``{topic: [document, ...]}`` as ``{topic: {document: number}}``."""
    filled = (value for value in table.values() if not _is_empty(value))
    first = next(filled, next(iter(table.values()), None))
    if kind == "run" and isinstance(first, MAPPINGS) and _is_listing(first) and _is_of_listings(table):
        from gradeval.files.listings import lists_of_listings

        table = lists_of_listings(table, place)
    elif first is None or isinstance(first, MAPPINGS):
        return _without_nothing(table)
    from gradeval.files.lists import as_list, read_mapping_of_lists  # here, as few need it
    from gradeval.files.record_names import SEVERAL, is_of_lists

    lists = {topic: None if _is_nothing(documents) else as_list(documents) for topic, documents in table.items()}
    if any(normal_name(str(name)) in (*QUERIES, *DOCUMENTS) for name in lists):
        function = f"{'qrels' if kind == 'qrels' else 'run'}_from_frame"
        raise InputError(f"{place}: holds columns by their names; give them to {function}()")
    if is_of_lists(lists):
        return read_mapping_of_lists(lists, kind, place, repeats=repeats)
    for topic, documents in lists.items():
        if isinstance(documents, MAPPINGS) and isinstance(as_list(first), list | tuple):
            raise InputError(
                f"{place}: query {topic} has {kind_of(documents)}, and others have lists; give all topics "
                "lists, or all {document: number}"
            )
        if isinstance(documents, str | Number) and any(isinstance(one, SEVERAL) for one in lists.values()):
            raise InputError(
                f"{place}: query {topic} has {quote(str(documents))}, and others have lists; give a list, [] for no "
                "documents"
            )
    if isinstance(first, str | Integral):
        topic = next(topic for topic, documents in table.items() if documents is first)
        mapping = "QRELS" if kind == "qrels" else "RUN"
        raise InputError(
            f"{place}: the value of topic {topic} is {kind_of(first)}; give {{document: number}} or [document]; "
            f"of one item a user make {{user: [item] for user, item in {mapping}.items()}}"
        )
    return table


def _open_hits(given: Any, kind: InputKind, place: str) -> Any:
    """The records in answers of engines by query, and in hits by topic; anything else as it is."""
    if not isinstance(given, dict):
        return given
    first = next((value for value in given.values() if not _is_empty(value)), None)
    if isinstance(first, dict) or "details" in given:
        from gradeval.files.engine_answers import are_answers, lists_of_answers  # here, as few need it

        given = lists_of_answers(given, kind, place) if are_answers(given) else given
        first = next((value for value in given.values() if not _is_empty(value)), None)
    if isinstance(first, list) and isinstance(first[0], dict):
        from gradeval.files.hits_by_topic import holds_hits_by_topic, records_by_topic  # here, as few need it

        return [*records_by_topic(given, kind)] if holds_hits_by_topic(given, GUESSED) else given
    return given


def _is_listing(documents: Mapping[Any, Any]) -> bool:
    """May it be ``{"items": [...]}``, rather than ``{document: number}``?"""
    return isinstance(next(iter(documents.values()), None), Iterable)


def _without_nothing(table: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The same table; topics with None have no documents, as users of whom a model knows nothing."""
    if not any(_is_nothing(documents) for documents in table.values()):
        return table
    return {topic: {} if _is_nothing(documents) else documents for topic, documents in table.items()}
