"""What to say where no column is known to hold what is needed: the name that may be meant, and what to type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from types import MappingProxyType

from gradeval._core import InputError
from gradeval.files.column_names import (
    DOCUMENTS,
    FOLDS,
    GRADES,
    QUERIES,
    RANKS,
    SCORES,
    InputKind,
    RowsOfTable,
    is_name_of_id,
    is_name_of_judged,
    normal_name,
    show_names,
)
from gradeval.files.named_columns import GUESSED, Columns, find_joined
from gradeval.files.parts_of_files import PART, describe_parts, is_of_whole, join_in_pandas
from gradeval.files.written_lists import is_written, lists_in_pandas
from gradeval.messages import join_names
from gradeval.tables.text import shorten

USUAL: Mapping[str, Sequence[str]] = {
    "query": QUERIES,
    "doc": DOCUMENTS,
    "grade": GRADES,
    "score": SCORES,
    "rank": RANKS,
}
"""The usual names by what they are called in ``--columns``."""
CONTENTS = {"query": "topics", "doc": "documents", "grade": "grades", "score": "scores"}
OF_TEXTS = ("_id", "text")
"""The columns by which the texts of documents and of queries are known in collections of BEIR."""
NO_CELLS = ("", "None", "nan")
"""What stands in cells that hold nothing."""
MOST_ROWS = 100
"""Rows that are looked at to tell what columns hold."""
AS_LISTS = 'write each as a list, as ["d1", "d2"]'
"""What to do with lists in cells of JSON and Parquet."""
AS_LISTS_FILE = "read them as lists:FILE"
"""What to do with lists in cells of text."""
LETTERS = 24
"""Letters of a cell that a message shows."""
MOST_RATERS = 8
"""Columns of small whole numbers up to which each may be of a rater."""
NEAR = 0.75
"""How alike a misspelt name and the usual one are at least, by difflib's ratio."""


def absent_column(
    names: Sequence[str],
    kind: InputKind,
    roles: Mapping[str, int | None],
    place: str,
    columns: Columns,
    rows: RowsOfTable,
    named: Mapping[str, str] = MappingProxyType({}),
) -> InputError:
    """The error for a table without needed columns: the names that may be meant, and what to type; ``named``: the
    columns that the user names."""
    missing = _find_missing(names, roles)
    role = missing[0]
    left = [names[at] for at in _find_free(names, roles)]
    if role == "score" and (distance := next(filter(is_distance, names), None)) is not None:
        return InputError(
            f"{place}: column {distance!r} is no score, as less is better; order the run by it: "
            + (
                f"rank={distance!r}, or call the column rank"
                if columns.in_python
                else how_to_name({"rank": distance}, columns=columns)
            )
        )
    _refuse_means(names, roles, place, columns)
    if {*OF_TEXTS} <= {*names}:
        expected = "a run is" if kind == "run" else "judgments, which BEIR keeps in qrels/test.tsv, are"
        return InputError(f"{place}: holds texts (it has {show_names(names)}), and {expected} expected")
    what = f"no column{'s are' if missing[1:] else ' is'} known to hold "
    what += f"{join_names([f'the {CONTENTS[one]}' for one in missing])} (it has {show_names(names)})"
    if role == "grade" and (swapped := [name for name in left if normal_name(name) in (*SCORES, *RANKS)]):
        given = {**named, role: swapped[0]}
        option = columns.say_remedy(given) or f"if it holds {CONTENTS[role]}: {how_to_name(given, columns=columns)}"
        what += f"; {swapped[0]!r} is usual in a run, and judgments are expected"
        return InputError(f"{place}: {what}; {option}")
    judged = [name for name in left if is_name_of_judged(name)] if "score" in missing else []
    left = [name for name in left if name not in judged]
    if judged:
        what += f"; {judged[0]!r} is usual in judgments, and a run is expected"
    query = roles["query"]
    if role != "grade" and query is not None and (lists := _describe_lists(names, query, columns, rows)):
        return InputError(f"{place}: {lists}")
    given, near = _find_meant(names, left, roles, rows)
    meant = bool(given)
    if not given and (told := _find_by_cells(names, role, roles, columns, rows)) is not None:
        given, near = told
    given = {**named, **_name_missing(names, left, missing, given, rows)}
    near = _join_parts(names, left, roles["doc"], kind, rows) + near
    how = columns.say_remedy(given)
    if not how:
        how = f"name {'them' if missing[1:] else 'it'}: {how_to_name(given, kind, columns)}{_other_order(given)}"
        how += "; lines of a topic and a list of ids are read as lists:FILE" if len(names) == 2 else ""
    if not meant and not judged and "rank" not in given and (callable(columns.remedy) or not columns.in_python):
        how += _describe_without(names, roles, in_memory=columns.in_python)
    return InputError(f"{place}: {what}; {near}{how}")


def _find_missing(names: Sequence[str], roles: Mapping[str, int | None]) -> list[str]:
    """The roles that no column has, without the values where no column is left for them: pairs need none."""
    missing = [role for role, at in roles.items() if at is None]
    ids = [role for role in missing if role in ("query", "doc")]
    return ids if ids and len(_find_free(names, roles)) <= len(ids) else missing


def _name_missing(
    names: Sequence[str], left: Sequence[str], missing: Sequence[str], given: Mapping[str, str], rows: RowsOfTable
) -> dict[str, str]:
    """A name for each missing role: the ``given`` one; else, where as many columns are ``left``, they in their order,
    of which numbers alone are values; else NAME."""
    open_roles = [role for role in missing if role not in given and not (role == "score" and "rank" in given)]
    left = [name for name in left if name not in given.values()]
    free = [name.strip() for name in left]
    fits = len(free) == len(open_roles) and all(free)
    of_file = bool(free) and is_of_whole(free[-1]) and not is_name_of_judged(free[-1])
    if free and fits and (missing[1:] or of_file) and open_roles[-1:] not in (["query"], ["doc"]):
        fits = _are_numbers(names, names.index(left[-1]), rows)
    guessed = {role: free[at] if fits else "NAME" for at, role in enumerate(open_roles)}
    every = {**guessed, **given}
    return {role: every[role] for role in (*missing, *every) if role in every}


def _join_parts(names: Sequence[str], left: Sequence[str], doc: int | None, kind: InputKind, rows: RowsOfTable) -> str:
    """How to join numbers of chunks with their files, where columns of both are there; ``doc``: the known documents."""
    ids = left if doc is None else [names[doc]]
    part = next((one for one in ids if PART.search(one) and _are_numbers(names, names.index(one), rows)), None)
    whole = next((one for one in left if is_of_whole(one) and not _are_numbers(names, names.index(one), rows)), None)
    if part is None or whole is None:
        return ""
    return f"{describe_parts(whole, part, kind)}: {join_in_pandas(whole, part, 'doc_id' if doc is None else '')}; else "


def _are_numbers(names: Sequence[str], at: int, rows: RowsOfTable) -> bool:
    """Does a column hold numbers alone, and any?"""
    from gradeval.files.plain_text import read_decimal  # here, as names are seldom wrong

    cells = [str(row[at]) for row in islice(rows(), MOST_ROWS) if len(row) == len(names)]
    return bool(cells) and all(read_decimal(cell) == read_decimal(cell) for cell in cells if cell not in NO_CELLS)


def _describe_without(names: Sequence[str], roles: Mapping[str, int | None], *, in_memory: bool) -> str:
    """What else to do about a table of which only the values are unknown: it may need none."""
    query, doc, _ = roles.values()
    if query is None or doc is None:
        return ""
    pair = f"frame[{[names[query], names[doc]]}]"
    if "score" in roles:
        if in_memory:
            return f"; or give {pair}, whose rows are then in rank order"
        return "; or keep topics and documents alone: the rows are then in rank order"
    if _may_be_graded([names[at] for at in _find_free(names, roles)]):
        return ""
    keep = f"give {pair}" if in_memory else "keep the columns of topics, documents and times alone"
    return f"; or, if every row is a relevant document, {keep}"


def _find_free(names: Sequence[str], roles: Mapping[str, int | None]) -> list[int]:
    """The columns that have no role, and that the topics do not join."""
    return [at for at in range(len(names)) if at not in {*roles.values(), *find_joined(names)}]


def _find_by_cells(
    names: Sequence[str], role: str, roles: Mapping[str, int | None], columns: Columns, rows: RowsOfTable
) -> tuple[dict[str, str], str] | None:
    """A column of ranks where scores are needed, or of cells that say no where grades are; and what to say about it."""
    query, unknown = roles["query"], _find_free(names, roles)
    if role == "score" and query is not None:
        from gradeval.files.likely_ranks import find_ranks  # here, as names are seldom wrong

        likely = [at for at in unknown if names[at].strip() and not is_name_of_judged(names[at])]
        if (at := find_ranks(rows(), query, likely)) is not None:
            how = f": rank={names[at]!r}, or call the column rank" if columns.in_python else ""
            return {"rank": names[at].strip()}, f"{names[at]!r} holds 1 to n in each topic, as ranks do{how}; "
    if role == "grade":
        from gradeval.files.denials import find_denying  # here, as names are seldom wrong

        free = [at for at in unknown if not NAMELESS.fullmatch(names[at])]
        if raters := _describe_raters(names, free, roles, rows, in_memory=columns.in_python):
            return raters
        if (denying := find_denying(names, free, rows)) is not None:
            said = f"{denying.column!r} may say which rows are relevant, as it holds {denying.cell!r}; "
            return {"grade": denying.column.strip()}, said
    return None


def _describe_raters(
    names: Sequence[str], free: Sequence[int], roles: Mapping[str, int | None], rows: RowsOfTable, *, in_memory: bool
) -> tuple[dict[str, str], str] | None:
    """The first of several columns that hold grades alone, as where each rater has one, and how to take their mean."""
    from gradeval.files.denials import are_grades, find_cells  # here, as names are seldom wrong

    query, doc, _ = roles.values()
    cells = find_cells(rows, free) if free else {}
    graded = [at for at in free if are_grades(cells[at])]
    flags = all(str(cell).strip() in ("", "0", "1", "0.0", "1.0") for at in graded for cell in cells[at])
    if query is None or doc is None or flags or not 1 < len(graded) <= MOST_RATERS:
        return None
    raters = [names[at] for at in graded]
    long = f"df.melt({[names[query], names[doc]]!r}, {raters!r}, 'rater', 'grade').dropna()"
    mean = f"{long}.to_csv('grades.csv', index=False), then read grades.csv with --repeated mean"
    if in_memory:
        mean = f"qrels_from_frame({long}, repeated='mean')"
    said = f"{join_names([*map(repr, raters)], 4)} may be raters; for their mean, in pandas: {mean}; for one of them, "
    return {"grade": raters[0].strip()}, said


def refuse_list_cells(
    names: Sequence[str],
    query: int,
    place: str,
    rows: RowsOfTable,
    columns: Columns = GUESSED,
    *,
    split: str = "",
    values: str = "grades",
) -> None:
    """Refuse pairs of a topic and a document where the cell of a document is a list: it would be one document.

    ``split``: how to write the lists, where ``lists:FILE`` does not read the file; ``values``: what a column would
    hold if these were ids.
    """
    topics = [str(row[query]) for row in islice(rows(), MOST_ROWS) if len(row) == len(names)]
    if len(set(topics)) == len(topics) and (lists := _describe_lists(names, query, columns, rows, split)):
        raise InputError(f"{place}: {lists}; if these are ids, add a column of {values}")


def _describe_lists(names: Sequence[str], query: int, columns: Columns, rows: RowsOfTable, split: str = "") -> str:
    """What to do where the only other column than the topics holds a list in most cells, as ``a|b``, or line breaks in
    some; else nothing."""
    from gradeval.files.plain_text import SIGNS  # here, as names are seldom wrong

    if len(names) != 2:
        return ""
    name, cells = names[1 - query], [row[1 - query] for row in islice(rows(), MOST_ROWS) if len(row) == 2]
    held = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    if held and all(map(is_written, held)):
        how = f"write df[{name!r}] = {lists_in_pandas(f'df[{name!r}]', cells)}" if columns.in_python else split
        return f"{name!r} holds lists of documents as text, as {shorten(held[0], LETTERS)!r}; {how or AS_LISTS_FILE}"
    for sign in ("\n", *SIGNS):
        lists = [cell for cell in held if sign in cell]
        enough = bool(lists) if sign == "\n" else 2 * len(lists) > len(held)
        if enough and not any(re.search(r"\S\s+\S", one) for one in lists[0].split(sign)):
            said = f"{name!r} holds lists of documents between {sign!r}, as {shorten(lists[0], LETTERS)!r}; "
            in_pandas = f"write df[{name!r}] = df[{name!r}].str.split({sign!r})"
            return said + (in_pandas if columns.in_python else split or AS_LISTS_FILE)
    return ""


def _refuse_means(names: Sequence[str], roles: Mapping[str, int | None], place: str, columns: Columns) -> None:
    """Refuse a file that has columns of measures, as tables of papers have, and neither topics nor documents."""
    if roles["query"] is not None or roles["doc"] is not None or columns.in_python:
        return
    from gradeval.formula.spelling import parse_measure  # here, as names are seldom wrong

    measures = []
    for name in names:
        with suppress(InputError):
            measures.append(str(parse_measure(name.strip())))
    if measures:
        raise InputError(
            f"{place}: its columns are measures ({', '.join(measures[:3])}), so it holds means of runs, no "
            f"documents; for one table with your runs write "
            f"'gradeval evaluate QRELS RUNS -o own.csv', then in Python read_scores('own.csv', FILE, means=True)"
        )


def _may_be_graded(names: Sequence[str]) -> bool:
    """Does one of these names speak of grades, as those of a grading sheet do?"""
    words = {word for name in names for word in re.findall(r"[a-z]+", name.lower())}
    return not words.isdisjoint(GRADES)


def _other_order(given: Mapping[str, str]) -> str:
    """How to name the column of scores or ranks where the numbers run the other way."""
    if "score" in given:
        return f"; if less is better, as of ranks and distances: rank={given['score']}"
    return f"; if more is better: score={given['rank']}" if "rank" in given else ""


def _find_meant(
    names: Sequence[str], left: Sequence[str], roles: Mapping[str, int | None], rows: RowsOfTable
) -> tuple[dict[str, str], str]:
    """Which of the names that are ``left`` may be meant, by the role that nobody has, and why."""
    likely = _find_likely_documents(names, left, roles["query"], rows) if roles["doc"] is None else []
    misspelt = find_misspelt(left, [role for role, at in roles.items() if at is None], likely)
    given = {role: name for role, (name, _) in misspelt.items()}
    near = "".join(f"{name!r} is nearly {usual!r}; " for name, usual in misspelt.values())
    of_topics = [name for name in likely if normal_name(name) in QUERIES]
    ids = [name for name in likely if is_name_of_id(name) and name not in (*given.values(), *of_topics)]
    if not ids or "doc" in given:
        return given, near
    return given | {"doc": ids[0]}, f"{near}{ids[0]!r} is named like an id; "


def _find_likely_documents(
    names: Sequence[str], left: Sequence[str], query: int | None, rows: RowsOfTable
) -> list[str]:
    """Which of the names that are ``left`` have as many different cells as a topic has rows; flags have two."""
    read = [row for row in islice(rows(), MOST_ROWS) if len(row) == len(names)]
    most = max(Counter(str(row[query]) for row in read).values(), default=0) if query is not None else 3
    cells = {name: len({str(row[names.index(name)]) for row in read}) for name in left}
    alike = 1 if read[1:] else 0  # as the id of the only case of an export
    return [name for name, number in cells.items() if number >= min(most, len(read)) and number > alike]


def find_misspelt(
    names: Sequence[str], roles: Sequence[str], documents: Sequence[str] | None = None
) -> dict[str, tuple[str, str]]:
    """By role, the first name that is nearly a usual one, and that usual one; ``documents``: the names of columns that
    may hold documents. Default: all."""
    from difflib import get_close_matches  # here, as names are seldom wrong

    by_role: dict[str, tuple[str, str]] = {}
    for role in [*roles, *(["rank"] if "score" in roles else [])]:
        left = [name for name in names if name not in {name for name, _ in by_role.values()}]
        if role == "doc" and documents is not None:
            left = [name for name in left if name in documents]
        near = {name: get_close_matches(normal_name(name), USUAL[role], n=1, cutoff=NEAR) for name in left}
        near = {name: close for name, close in near.items() if close and _begin_alike(normal_name(name), close[0])}
        name = next(filter(near.get, near), None)
        if name is not None and not (role == "rank" and "score" in by_role):
            by_role[role] = (name, near[name][0])
    return by_role


def _begin_alike(name: str, usual: str) -> bool:
    """Are these near each other also without the last word that both have, as the id of prodct_id and product_id?"""
    from difflib import SequenceMatcher  # here, as names are seldom wrong

    (first, _, last), (other, _, end) = name.rpartition("_"), usual.rpartition("_")
    return last != end or not first or not other or SequenceMatcher(None, first, other).ratio() >= NEAR


def how_to_name(
    given: Mapping[str, str], kind: InputKind | None = None, columns: Columns = GUESSED, *, alone: bool = False
) -> str:
    """What to type, on a command line and in Python, where columns of a ``kind`` of file have these names; None: of
    either kind, unless the names tell.

    Of values one file comes first, as all runs, or judges and humans, must have them. ``alone``: of one file alone, as
    the others have other documents there. What is typed for all files keeps the names in ``columns``."""
    from shlex import quote

    text = ",".join(f"{role}={name}" for role, name in given.items())
    python = ", ".join(f"{role!r}: {name if name == 'NAME' else repr(name)}" for role, name in given.items())
    readers = {"run": "read_runs", "grade": "read_qrels", "score": "read_run", "rank": "read_run"}
    of_kind = {"qrels": "read_qrels", "run": "read_run", None: "read_run or read_qrels"}[kind]
    reader = next((readers[role] for role in readers if role in given), of_kind)
    of_file, of_all = quote(f"columns:{text}:FILE"), f"--columns {quote(columns.joined_with(given))}"
    if not alone:
        first = not given.keys().isdisjoint(("grade", "score", "rank"))
        of_file = f"{of_file}, for all files {of_all}" if first else f"{of_all}, for one file {of_file}"
    return f"{of_file}, or in Python {reader}(FILE, columns={{{python}}})"


NAMELESS = re.compile(r"|Unnamed: \d+(_level_\d+)?")
"""The name of a column without one, in csv and as pandas reads it: so it writes its index."""
RESERVED = re.compile(r"__index_level_\d+__|__null_dask_index__")
"""The names of an index without one, as pyarrow and Dask write them: tools that know no index keep them as columns."""


def is_index(name: object) -> bool:
    """Is it how pandas, pyarrow and Dask call an index without a name? Such a column names no runs and no raters."""
    return bool(NAMELESS.fullmatch(str(name)) or RESERVED.fullmatch(str(name)))


def describe_naming(name: str, columns: Columns = GUESSED) -> str:
    """What to do where an unknown column tells apart the documents that a topic has several times;
    ``columns``: the columns that are named."""
    if normal_name(name) in FOLDS:
        return f"if {name!r} names folds, score each with its judgments: docs/ratings.md, Folds"
    if columns.in_python:
        return f"if {name!r} names runs, call it run"
    absent = "" if columns.run is None else f"no column is called {columns.run!r}; "
    how = f"say so: {how_to_name({'run': name}, columns=columns)}"
    return f"{absent}if {name!r} names runs, {how}"


def is_distance(name: str) -> bool:
    """Is it the name of a distance, as in _distance of LanceDB?"""
    return not {"distance", "distances", "dist"}.isdisjoint(normal_name(name).split("_"))
