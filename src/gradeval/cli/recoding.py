"""Grades that --recode turns into others on reading: in all judgments, or in the judgments of one name alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import click

from gradeval._core import InputError
from gradeval.collection.qrels import Qrels
from gradeval.files.plain_text import read_decimal
from gradeval.messages import list_some, nearest
from gradeval.scores.notes import Note

ACCEPTED = "accepted: as in 4=3 or 4=3,-2=0, for one file alone NAME:4=3"


@dataclass(frozen=True, eq=False)
class Recoding:
    """What --recode says.

    Attributes
    ----------
    by_name : grades and what each becomes, by the name of the judgments; under "" in all of them.
    known : the names of the judgments that were read: of a judge, and of a file with and without its folder and ending.
    """

    by_name: Mapping[str, Mapping[float, float]] = field(default_factory=dict)
    known: dict[str, None] = field(default_factory=dict, init=False)

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Self:
        """The values of the option: 4=3, or 4=3,-2=0, or NAME:4=3; a grade has one replacement."""
        tables: dict[str, dict[float, float]] = {}
        for text in texts:
            name, _, pairs = text.rpartition(":")
            table = tables.setdefault(name, {})
            for part in pairs.split(","):
                grades = [read_decimal(grade) for grade in part.split("=")]
                if len(grades) != 2 or any(map(math.isnan, grades)):
                    raise InputError(f"--recode {text}: {part!r} is no grade and what it becomes; {ACCEPTED}")
                old, new = grades
                if table.setdefault(old, new) != new:
                    raise InputError(
                        f"--recode turns grade {old:g} into {table[old]:g} and into {new:g}; give one of the two"
                    )
        return cls(tables)

    def apply(self, read: Sequence[Qrels], names: Sequence[Sequence[str]]) -> tuple[list[Qrels], list[Note]]:
        """The judgments with other grades, and notes on grades that none of them has; ``names``: what each is called.

        What is said of one name goes before what is said of all.
        """
        for called in names:
            self.known.update(dict.fromkeys(called))
        of_all, recoded = self.by_name.get("", {}), list(read)
        notes = [Note(text) for text in _recoded_in_vain(read, of_all)]
        own: list[dict[float, float]] = [{} for _ in read]
        for name, table in self.by_name.items():
            places = [place for place, called in enumerate(names) if name and name in called]
            if len(places) > 1:
                files = list_some([read[place].name for place in places])
                raise InputError(f"--recode {name}: {files} are all called so; give the path, or name the judges")
            for place in places:
                own[place] |= table
                notes += [Note(text) for text in _recoded_in_vain([read[place]], table, name)]
        tables = [{**of_all, **one} for one in own]
        recoded = [one.recoded(table) if table else one for one, table in zip(read, tables, strict=True)]
        return recoded, notes

    def require_met(self) -> None:
        """Refuse a name that no judgments have; to be called once all are read."""
        for name in self.by_name:
            if name and name not in self.known:
                known = [*self.known]
                raise InputError(
                    f"--recode {name}: no judgments are called so{nearest(name, known)}; they are {list_some(known)}"
                )


def read_recoding(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> Recoding:
    """What the values of --recode say."""
    return Recoding.parse(texts)


def _recoded_in_vain(read: Sequence[Qrels], recode: Mapping[float, float], name: str = "") -> Iterator[str]:
    present = {grade for judgments in read for grade in judgments.grades.tolist()}
    for old, new in recode.items():
        if old in present:
            present = {new if grade == old else grade for grade in present}
        else:
            names = list_some([judgments.name for judgments in read])
            have = f"{names} has no" if len(read) == 1 else f"none of {names} has the"
            yield f"--recode {f'{name}:' if name else ''}{old:g}={new:g}: {have} grade {old:g}"
