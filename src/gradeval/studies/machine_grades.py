"""Grades below 0: of a machine they stand for answers without a grade, of a human they are judgments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.formula.arithmetic import Array
from gradeval.messages import list_some
from gradeval.warning_categories import CoverageWarning, Note, NoteWeight


def only_graded(machine: Qrels, name: str) -> tuple[Qrels, list[Note]]:
    """A machine's judgments without grades below 0, and how many these are.

    Their documents count as unjudged, as do topics without other documents. The levels stay.

    Raises
    ------
    InputError : all grades are below 0.
    """
    about = about_no_grades(machine, name)
    if not about:
        return machine, about
    graded = {
        topic: kept
        for topic, grades in machine.to_dict().items()
        if (kept := {document: grade for document, grade in grades.items() if grade >= 0})
    }
    left = Qrels.from_dict(graded, machine.name).without(machine.exclusion)
    return replace(left, levels=machine.levels, read_as=machine.read_as), about


def about_no_grades(machine: Qrels, name: str, treated: str = "") -> list[Note]:
    """How many grades of a machine are below 0, and how they are treated, by default that they are left out.

    Raises
    ------
    InputError : all grades are below 0.
    """
    below = machine.grades[machine.grades < 0]
    if not below.size:
        return []
    values = _descending(below)
    remedy = f"recoding {list_some([f'{value}=0' for value in values])} makes them grade 0"
    if below.size == len(machine):
        error = InputError(f"all {_count_below(machine, values)}, so that it graded nothing; leave it out; {remedy}")
        raise error.within(name)
    treated = treated or f"left out as not judged; {remedy}"
    said = f"{below.size:,} of {_count_below(machine, values)}: answers without a grade; they are {treated}"
    return [Note(said, CoverageWarning, name)]


def about_negative(human: Qrels, name: str) -> Iterator[Note]:
    """How many grades of a human are below 0, which are judged non-relevant."""
    below = human.grades[human.grades < 0]
    if below.size:
        counted = f"{below.size:,} of {_count_below(human, _descending(below))}"
        yield Note(f"{counted}; they count as grade 0, as a human gave them", place=name, own_weight=NoteWeight.MEANING)


def _count_below(judgments: Qrels, values: list[str]) -> str:
    return f"{len(judgments):,} grades are below 0 ({list_some(values)})"


def _descending(grades: Array) -> list[str]:
    return [f"{grade:g}" for grade in np.unique(grades)[::-1].tolist()]
