"""Which column of a table holds the topics, the documents and the values: as the user says, else by its usual name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from gradeval._core import InputError
from gradeval.files.column_names import (
    DOCUMENTS,
    GRADES,
    LIKELY_RUNS,
    MOST_GRADES,
    QUERIES,
    RANKS,
    RUNS,
    SCORES,
    InputKind,
    RowsOfTable,
    find_called,
    find_column,
    find_other_grades,
    first_usual,
    normal_name,
    place_among_runs,
    places_by_name,
    show_names,
)
from gradeval.files.likely_clicks import refuse_clicks
from gradeval.files.named_columns import Columns
from gradeval.files.split_columns import refuse_training_rows
from gradeval.files.unknown_columns import absent_column, how_to_name
from gradeval.messages import nearest


class Chosen(NamedTuple):
    """The three needed columns of a table.

    Attributes
    ----------
    query, doc, value : their places.
    ranks : are the values ranks?
    guessed : the name of the column where grades are called scores, as BEIR does: a run may have been meant.
    rank : the place of the ranks that a run gives with its scores, if there are any.
    runs : the places of columns that name the run of each line; of several, the most usual name first.
    telling : do ``runs`` name runs as they tell repeated documents apart?
    """

    query: int
    doc: int
    value: int
    ranks: bool = False
    guessed: str = ""
    rank: int | None = None
    runs: tuple[int, ...] = ()
    telling: bool = False

    def require_grades(self, values: Collection[float], place: str) -> None:
        """Refuse scores of a run as grades: a column called score holds grades where all are whole numbers, and few."""
        whole = all(float(value).is_integer() for value in values)
        if self.guessed and not (whole and len(set(values)) <= MOST_GRADES):
            what = f"more than {MOST_GRADES} different numbers" if whole else "numbers that are not whole"
            raise InputError(
                f"{place}: column {self.guessed!r} holds {what}, as the scores of a run do; "
                f"expected are judgments (if these are grades: --columns grade={self.guessed}, or in Python "
                "read_qrels(FILE, columns=...))"
            )

    def list_names(self, names: Sequence[str]) -> str:
        """The names of the three columns, as messages list them."""
        said = f"; a run by {names[self.runs[0]]}" if self.telling else ""
        return ", ".join(names[place] for place in (self.query, self.doc, self.value)) + said


def choose_columns(
    names: Sequence[str], kind: InputKind, columns: Columns, place: str, rows: RowsOfTable = tuple
) -> Chosen:
    """The columns of a table that hold judgments or a run; an error that says which column is absent.

    The names of columns that the user gives are for several files: a table without such a column is another file's, and
    its columns are guessed. ``rows`` are looked at only to say how to name a column that cannot be guessed.
    """
    columns = columns.spelled_as(names)
    by_name = places_by_name(names)
    named = columns.of_values(kind)
    if any(name is not None for name in (columns.query, columns.doc, columns.grade, columns.run)):
        columns.met.update(dict.fromkeys(names))
    guessable = kind == "qrels" and any(name in by_name for name in GRADES)
    if kind == "run" and columns.in_order_of_lists:
        raise InputError(f"{place}: score=- is for lists of hits, and this is a table; name a column of its scores")
    if named is not None and named not in names and not guessable:
        raise InputError(
            f"{place}: has no column {named!r}{nearest(named, names)} (it has {show_names(names)}); name one of these"
        )
    named = named if named in names else None
    for name in filter(None, (columns.query, columns.doc, named, columns.run)):
        if list(names).count(name) > 1:
            raise InputError(
                f"{place}: has more than one column {name!r} (it has {show_names(names)}); rename one of them"
            )

    taken = {name for name in (columns.query, columns.doc, named) if name is not None}
    free = {one: at for one, at in by_name.items() if names[at] not in taken}

    def find(given: str | None, usual: Sequence[str]) -> int | None:
        if given in names:
            return list(names).index(str(given))
        return first_usual(free, usual)

    query, doc = find(columns.query, QUERIES), find(columns.doc, DOCUMENTS)
    ranks = kind == "run" and columns.rank is not None
    value = find(named, GRADES if kind == "qrels" else SCORES)
    if value is None and kind == "run":
        value = find(None, RANKS)
        ranks = value is not None
    if value is None or (ranks and columns.rank is None):
        refuse_clicks(names, kind, place, (query, doc), rows, columns)
    roles = {"query": query, "doc": doc, ("grade" if kind == "qrels" else "score"): value}
    if None in roles.values():
        from gradeval.files.list_names import find_lists, refuse_text_lists  # here, as names are seldom wrong
        from gradeval.files.record_names import several_lists

        if query is not None and doc is None:
            refuse_text_lists(names, kind, place, rows, columns)
        if columns.doc is None and len(lists := find_lists(names, rows)) > 1:
            raise several_lists(lists, kind, place, columns)
        given = {"query": columns.query, "doc": columns.doc}
        kept = {role: name for role, name in given.items() if name is not None and name in names}
        raise absent_column(names, kind, roles, place, columns, rows, kept)
    assert query is not None  # all three are there
    assert doc is not None
    assert value is not None
    if len({query, doc, value}) < 3:
        raise InputError(f"{place}: topics, documents and values are three columns (it has {show_names(names)})")
    if twice := [names[at] for at in (query, doc, value) if list(names).count(names[at]) > 1]:
        raise InputError(
            f"{place}: has more than one column {twice[0]!r} (it has {show_names(names)}); rename one of them"
        )
    if kind == "qrels":
        refuse_training_rows(names, (query, doc, value), place, rows, columns)
    if kind == "qrels" and named is None:
        _require_sole_grades(names, (query, doc, value), place, columns, rows)
    doubtful = kind == "qrels" and named is None and normal_name(names[value]) in SCORES
    rank = find(None, RANKS) if kind == "run" and not ranks else None
    runs = () if kind == "qrels" else _choose_runs(names, (query, doc, value), columns)
    telling = None if runs or kind == "qrels" else _find_telling(names, (query, doc, value), rows)
    runs = runs if telling is None else (telling,)
    rank = None if rank in (query, doc, value) else rank
    return Chosen(query, doc, value, ranks, names[value] if doubtful else "", rank, runs, telling is not None)


def _choose_runs(names: Sequence[str], chosen: Sequence[int], columns: Columns) -> tuple[int, ...]:
    """The columns that name runs, as the user names one, else by their usual names."""
    if columns.run in names:
        return (list(names).index(str(columns.run)),)
    return tuple(sorted(find_called(names, RUNS, chosen), key=lambda at: place_among_runs(names[at])))


def _find_telling(names: Sequence[str], chosen: tuple[int, int, int], rows: RowsOfTable) -> int | None:
    """The column that may name runs, as it tells rows of the same topic and document apart."""
    likely = find_called(names, LIKELY_RUNS, chosen)
    if not likely:
        return None
    from gradeval.files.likely_runs import find_telling  # here, as few tables have such a column

    return find_telling(rows(), *chosen[:2], likely)


def _require_sole_grades(
    names: Sequence[str], chosen: tuple[int, int, int], place: str, columns: Columns, rows: RowsOfTable
) -> None:
    """Refuse the grades of a model where other columns look like grades, too, as grade_anna: these may be meant."""
    held: dict[int, set[str]] = {at: set() for at in find_other_grades(names, chosen)}
    for row in rows() if held else ():
        for at in [*held]:
            cell = "" if row[at:] == [] or row[at] is None else str(row[at]).strip().removesuffix(".0")
            held[at].add(cell)
            if (cell and not (cell.isdecimal() and len(cell) < 3)) or len(held[at]) > MOST_GRADES:
                del held[at]
    if others := [names[at].strip() for at, cells in held.items() if cells - {""}]:
        given = {"grade": others[0]}
        how = columns.say_remedy(given) or f"name the column that counts: {how_to_name(given, columns=columns)}"
        raise InputError(
            f"{place}: column {names[chosen[2]].strip()!r} holds a model's grades, and {show_names(others)} may hold "
            f"grades, too; {how}"
        )


EXCLUDED = "excluded_ids"
"""The documents of a topic that must not count, as BRIGHT lists them with the id of the topic."""
TOPICS_OR_IDS = ("query_id", "qid", "topic_id", "id", *QUERIES)
"""The usual names of topics where documents have none, so that id is one, too; the first that is there is taken."""


def choose_pair(names: Sequence[str], columns: Columns) -> tuple[int, int] | None:
    """The columns of a table that hold topics and documents, as the user names them, else by their usual names; None
    where one of them is unclear."""
    usual = (TOPICS_OR_IDS, (EXCLUDED,)) if EXCLUDED in places_by_name(names) else (QUERIES, DOCUMENTS)
    pair = find_pair(names, columns, *usual)
    if pair is not None:
        columns.met.update(dict.fromkeys(names))
    return pair


def find_pair(
    names: Sequence[str], columns: Columns, topics: Sequence[str] = QUERIES, documents: Sequence[str] = DOCUMENTS
) -> tuple[int, int] | None:
    """The same by other usual names, whoever looks whether the user's names are met."""
    query, doc = find_column(names, columns.query, topics), find_column(names, columns.doc, documents)
    return None if query is None or doc is None or query == doc else (query, doc)


def number_pair(columns: Columns, width: int) -> tuple[int, int] | None:
    """The columns of topics and documents that the user numbers, from 0 here; None where these are not all there."""
    numbers = [int(one) - 1 for one in (columns.query, columns.doc) if one is not None and one.isdecimal()]
    if len(numbers) < 2 or not all(0 <= number < width for number in numbers) or numbers[0] == numbers[1]:
        return None
    return numbers[0], numbers[1]


def keys_beside(names: Sequence[str], keys: Mapping[str, str], kind: InputKind, columns: Columns) -> dict[str, str]:
    """The keys of folders, as ``topic`` in ``topic=301/part-0.csv``, that hold what no column of a table holds."""
    if not keys:
        return {}
    values = GRADES if kind == "qrels" else (*SCORES, *RANKS)
    beside: dict[str, str] = {}
    roles = ((columns.query, QUERIES), (columns.doc, DOCUMENTS), (columns.of_values(kind), values))
    for given, usual in roles:

        def has_role(name: str, given: str | None = given, usual: Sequence[str] = usual) -> bool:
            return name == given or normal_name(name) in usual

        if not any(map(has_role, names)):
            beside |= {key: value for key, value in keys.items() if has_role(key)}
    return beside
