"""What the columns that name runs say: which runs a table holds, and what they are called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from gradeval._core import InputError
from gradeval.files.column_names import show_names

RunKey: TypeAlias = tuple[str, ...]
"""What the columns that name runs say in a line; an empty text where one says nothing."""


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
