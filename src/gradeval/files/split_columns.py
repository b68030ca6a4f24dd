"""A column that says which rows of a log are to train from and which to test with: training rows judge nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradeval._core import InputError
from gradeval.files.column_names import RowsOfTable, find_called, normal_name
from gradeval.files.named_columns import Columns
from gradeval.files.plain_text import quote

WORDS = "split set subset fold partition part phase usage data_split dataset_split split_name".split()
TESTED, TRAINED = "is_test in_test test".split(), "is_train is_training in_train train".split()
"""The usual names of such a column: of words, and of flags that say yes of rows to test with, or to train from."""
SPLITS = {*WORDS, *TESTED, *TRAINED}
TRAINING = frozenset("train training trn".split())
TESTING = "test testing holdout heldout held_out eval evaluation valid validation val dev".split()
"""What it says of a row; the first of TESTING that it says is the one to keep."""
FLAGS = {"true": True, "1": True, "1.0": True, "yes": True, "false": False, "0": False, "0.0": False, "no": False}


def refuse_training_rows(
    names: Sequence[str], chosen: Sequence[int], place: str, rows: RowsOfTable, columns: Columns
) -> None:
    """Refuse judgments of which a topic has rows to train from, too: they would count as relevant.

    A data set whose topics are for one of both each passes: notes say which topics a run lacks. ``chosen``: the columns
    of topics, documents and grades.
    """
    for at in find_called(names, SPLITS, chosen):
        cells: dict[Any, set[str]] = {}
        for row in rows():
            cell = "" if row[at:] == [] or row[at] is None else str(row[at]).strip()
            if _trains(names[at], cell) is None:
                cells = {}
                break
            cells.setdefault(row[chosen[0]], set()).add(cell)
        mixed = (topic for topic, said in cells.items() if len({_trains(names[at], cell) for cell in said}) > 1)
        if (topic := next(mixed, None)) is not None:
            keep = f"df[df[{names[at]!r}] == {_tests(names[at], set().union(*cells.values()))}]"
            how = f"df = {keep}" if columns.in_python else f"{keep}.to_csv('test.csv', index=False)"
            raise InputError(
                f"{place}: by column {names[at]!r} topic {quote(str(topic))} has rows to train from, which would count "
                f"as relevant; keep the rows to test with, in pandas: {how}; to judge by all rows leave the column out"
            )


def _trains(name: str, cell: str) -> bool | None:
    """Is a row with such a cell to train from? None: the cell says something else."""
    called, word = normal_name(name), normal_name(cell)
    if called in WORDS:
        return True if word in TRAINING else False if word in TESTING else None
    flag = FLAGS.get(cell.lower())
    return None if flag is None else flag == (called in TRAINED)


def _tests(name: str, cells: set[str]) -> str:
    """The value of rows to test with, as Python writes it."""
    if normal_name(name) not in WORDS:
        return str(int(normal_name(name) in TESTED))
    return repr(next(cell for word in TESTING for cell in sorted(cells) if normal_name(cell) == word))
