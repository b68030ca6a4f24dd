"""Examples that the texts work out on a list of a few items, for a list of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from string import ascii_uppercase
from typing import Annotated

from gradeval._core import InputError
from gradeval.arguments import Number, Several, Whole
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.measures.ap import AP, muAP
from gradeval.measures.gain import DCG, nDCG
from gradeval.studies.study import Result, study
from gradeval.tables.grid import Cell, Column, Grid
from gradeval.tables.records import Records, Value
from gradeval.tables.table import Table
from gradeval.warning_categories import Note

RATINGS = (1, 0, 3, 3, 2, 0, 1, 4)
"""The ratings of the items A to H, in the order of the list: Scheel et al., tables 1 and 2."""
FOUR_OF_TEN = (0, 1, 1, 0, 0, 0, 1, 0, 0, 1)
"""Four relevant documents among ten, the first at rank 2 and the third at rank 7: Zhai & Massung, section 9.3."""
Ratings = Annotated[Sequence[float], Several(Number(least=0), "grades from 0 in the order of the list, as in 3,0,2")]


@dataclass(frozen=True, eq=False, repr=False)
class WorkedExample(Result):
    """An example, worked out.

    Attributes
    ----------
    columns, rows : its table.
    fields, values : its records.
    """

    columns: tuple[str, ...]
    rows: list[list[Cell]]
    fields: tuple[str, ...]
    values: list[list[Value]]

    def table(self, digits: int = 3) -> Table:
        """The table as the text has it."""
        columns = [
            Column(title, "name" if place == 0 else "number", f".{digits}f") for place, title in enumerate(self.columns)
        ]
        return Table([Grid(columns, self.rows)], Records.of(self.fields, self.values))


worked = partial(study, chooses_measures=False)
"""Declares an example: a study that is an item of a text alone, and no command of its own."""


@worked(digits=3)
def threshold_example(*, grades: Ratings = RATINGS) -> WorkedExample:
    """Average precision of a list by the grade from which on its items are relevant, and the means of these.

    Parameters
    ----------
    grades : the grades of the items, in the order of the list.

    Raises
    ------
    InputError : a list without a positive grade, or of more items than there are letters.
    Source: Scheel, Lommatzsch & Albayrak (2011), table 1.
    """
    items = _items(grades)
    levels = sorted({0.0, *map(float, grades)})
    ranking = JudgedRankings.of(list(grades), levels=levels)
    by_threshold = {levels[-1] + 1: 0.0}  # nothing is relevant
    by_threshold |= {level: _value(AP(rel=level), ranking) for level in reversed(levels[1:])}
    by_threshold[0.0] = 1.0  # everything is
    positive = [by_threshold[level] for level in levels[1:]]
    means = {
        "mean": sum(by_threshold.values()) / len(by_threshold),
        "mean of the positive grades": sum(positive) / len(positive),
        "muAP": _value(muAP, ranking),
    }
    rows: list[list[Cell]] = [["grade", *(f"{grade:g}" for grade in grades), None]]
    rows += [
        [f"t = {threshold:g}", *("+" if grade >= threshold else "-" for grade in grades), value]
        for threshold, value in by_threshold.items()
    ]
    rows += [[name, *[None] * len(grades), value] for name, value in means.items()]
    values: list[list[Value]] = [[threshold, "AP", value] for threshold, value in by_threshold.items()]
    values += [[None, name, value] for name, value in means.items()]
    return WorkedExample(("item", *items, "AP"), rows, ("threshold", "statistic", "value"), values)


@worked(digits=2)
def scale_example(*, grades: Ratings = RATINGS) -> WorkedExample:
    """DCG and nDCG at each rank of a list with exponential gains: of its grades, of twice these, and of their shares
    of the highest.

    Parameters
    ----------
    grades : the grades of the items, in the order of the list. Logarithms have the base 10, as in the text.

    Raises
    ------
    InputError : a list without a positive grade, or of more items than there are letters.
    Source: Scheel, Lommatzsch & Albayrak (2011), table 2, equations 3 and 5.
    """
    items, highest = _items(grades), max(grades)
    examples = {
        "gain": list(grades),
        "twice the gain": [2 * grade for grade in grades],
        "normalised gain": [grade / highest for grade in grades],
    }
    rows: list[list[Cell]] = []
    values: list[list[Value]] = []
    for example, gains in examples.items():
        given, best = (JudgedRankings.of(each, levels=sorted({0.0, *gains})) for each in (gains, sorted(gains)[::-1]))
        lines: dict[str, list[float]] = {"gain": gains, "ideal gain": sorted(gains)[::-1]}
        for name, measure, ranking in (("dcg", DCG, given), ("ideal dcg", DCG, best), ("ndcg", nDCG, given)):
            by_rank = measure(dcg="exp-log2", base=10)
            lines[name] = [_value(by_rank @ rank, ranking) for rank in range(1, len(gains) + 1)]
        for name, line in lines.items():
            mean = sum(line) / len(line) if name == "ndcg" else None
            rows.append([f"{example}: {name}", *line, mean])
            values += [[example, name, str(rank), value] for rank, value in enumerate(line, 1)]
            values += [[example, name, "mean", mean]] if mean is not None else []
    return WorkedExample(("item", *items, "mean"), rows, ("example", "row", "rank", "value"), values)


@worked(digits=4)
def precision_example(*, grades: Ratings = FOUR_OF_TEN, relevant: Annotated[int, Whole(1)] = 10) -> WorkedExample:
    """Average precision of a list, rank by rank: the precision at each relevant document, and what their sum is
    divided by.

    Parameters
    ----------
    grades : the grades of the documents, in the order of the list. Positive ones are relevant.
    relevant : documents that there are, retrieved or not.

    Raises
    ------
    InputError : a list without a positive grade, or with more of them than there are relevant documents.
    Source: Zhai & Massung (2016), section 9.3, equation 9.1.
    """
    hits = sum(grade > 0 for grade in grades)
    if not 0 < hits <= relevant:
        raise InputError(
            f"grades: {hits} documents of the list are relevant; give one at least, and {relevant} at most"
        )
    rows: list[list[Cell]] = []
    values: list[list[Value]] = []
    total = seen = 0.0
    for rank, grade in enumerate(grades, 1):
        seen += grade > 0
        precision = seen / rank if grade > 0 else 0.0  # p(i)
        total += precision
        rows.append([str(rank), f"{grade:g}", seen / rank, precision, total])
        values += [[rank, "precision", seen / rank], [rank, "p", precision]]
    means = {"average precision": total / relevant, "divided by what was retrieved (a mistake)": total / hits}
    rows += [[name, None, None, None, value] for name, value in means.items()]
    values += [[None, name, value] for name, value in means.items()]
    return WorkedExample(
        ("rank", "grade", "precision", "p(i)", "sum"),
        rows,
        ("rank", "statistic", "value"),
        values,
        notes=[Note(f"{hits} of {relevant} relevant documents were retrieved")],
    )


def _items(grades: Sequence[float]) -> str:
    """The letters of the items; an InputError where nothing can be worked out."""
    if not any(grades):
        raise InputError("grades: all are 0, so that nothing is relevant; one must be positive")
    if len(grades) > len(ascii_uppercase):
        raise InputError(f"grades: {len(grades)} of them; the example takes up to {len(ascii_uppercase)}")
    return ascii_uppercase[: len(grades)]


def _value(measure: Measure, ranking: JudgedRankings) -> float:
    """The value of a measure for one ranking."""
    return float(measure(ranking)[0])
