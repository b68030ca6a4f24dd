"""What the columns that name runs say: which runs a table holds, and what they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from gradeval._core import InputError
from gradeval.files.column_names import normal_name, show_names
from gradeval.files.named_columns import Columns
from gradeval.warning_categories import FilesWarning, warn

RunKey: TypeAlias = tuple[str, ...]
"""What the columns that name runs say in a line; an empty text where one says nothing."""

MOST_OF_ONE_TOPIC = 10
"""Runs up to which each may have one topic only, where several share topics."""


def name_runs(keys: Collection[RunKey], columns: Sequence[str], place: str) -> dict[RunKey, str]:
    """The names of the runs that a table holds, by what its ``columns`` of names say in each line; an empty one where
    they say nothing.

    The first column that tells the runs apart names them, else all columns that differ do. Columns with gaps count
    where no other is there, and then name one run only.
    """
    places = range(len(columns))
    whole = [at for at in places if all(key[at] for key in keys)]
    if not whole:
        names = dict.fromkeys(cell for key in keys for cell in key if cell)
        if len(names) > 1:
            raise InputError(
                f"{place}: column {columns[0]} names {len(names)} runs ({show_names(list(names), 3)}), and is empty in "
                "some lines; fill it there"
            )
        return dict.fromkeys(keys, next(iter(names), ""))
    runs = dict.fromkeys(tuple(key[at] for at in whole) for key in keys)
    cells = [dict.fromkeys(run[at] for run in runs) for at in range(len(whole))]
    telling = [at for at in range(len(whole)) if len(cells[at]) == len(runs)]
    named = telling[:1] or [at for at in range(len(whole)) if len(cells[at]) > 1]
    return {key: " ".join(key[whole[at]] for at in named) for key in keys}


def drop_ids_of_topics(
    pairs: Iterable[tuple[RunKey, str]], names: Sequence[str], place: str, columns: Columns
) -> tuple[int, ...]:
    """The places of the columns that name runs: all but for ids of requests, as of traces, of which none has a second
    topic. That such a column is left out is said; if topics have several ids, it is refused.

    ``pairs``: what the columns of these ``names`` say, and a topic for which they say it; ``columns``: what the user
    names, of which the column of runs always counts.
    """
    listed = dict.fromkeys(pairs)
    kept = []
    for at, column in enumerate(names):
        known = {(key[at], topic) for key, topic in listed if key[at]}
        values, topics = {value for value, _ in known}, {topic for _, topic in known}
        counts = Counter(topic for _, topic in known)
        single = sum(number == 1 for number in counts.values())
        few = 2 * single <= len(topics) and len(values) <= MOST_OF_ONE_TOPIC
        if _is_named(column, columns.run) or len(values) < len(known) or len(topics) < 2 or few:
            kept.append(at)
            continue
        from gradeval.files.unknown_columns import how_to_name  # here, as few files have ids of requests

        by_name = how_to_name({"run": column}, columns=columns)
        how = "give the rows of each run by themselves" if columns.in_python else by_name
        if len(known) > len(topics):
            most, number = counts.most_common(1)[0]
            raise InputError(
                f"{place}: each {column} is in one topic only, and topic {most} has {number} of them; keep one "
                f"ranking of each topic; if {column} names runs: {how}"
            )
        said = f"{place}: column {column} has another value in each topic, and is not read as names of runs"
        warn(f"{said}; if it names them: {how}", FilesWarning)
    return tuple(kept)


def _is_named(column: str, named: str | None) -> bool:
    """Does the user name it, in this spelling or in another one that reads as the same?"""
    return named is not None and normal_name(column) == normal_name(named)


def require_one_run(values: Collection[str], column: str, place: str) -> None:
    """Refuse a table whose column of the name of the run has several values."""
    if len(values) > 1:
        raise InputError(
            f"{place}: column {column} has {len(values)} values ({show_names(list(values), 3)}); a file or frame holds "
            "one run: make one for each value, or drop the column"
        )


def several_runs(names: Sequence[str], place: str, remedy: str) -> InputError:
    """The error for several runs where one is asked for."""
    return InputError(
        f"{place}: holds {len(names)} runs ({show_names(names, 3)}), by the column that names them; {remedy}"
    )
