"""Tables for people: cells under titles, and how each cell is written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np

from gradeval.messages import capitalised, visible
from gradeval.tables.records import Array, values_of

WORDS = 5
"""Words of a title in a label."""
BOLD = "bold: best of its column"
"""Stands in captions of grids with best values."""

CellKind: TypeAlias = Literal["name", "number", "text"]


@dataclass(frozen=True)
class Estimate:
    """A number with its mark, interval or spread in one cell, as in ``0.4996▲ [0.4281, 0.5720]`` or ``0.945 ±0.012``.

    Attributes
    ----------
    value : the number.
    mark : a sign right behind the number, such as ▲ for a significant difference.
    bounds : lower and upper end of its interval.
    spread : its standard deviation.
    """

    value: float
    mark: str = ""
    bounds: tuple[float, float] | None = None
    spread: float | None = None

    def in_percent(self) -> str:
        """A share with its interval, as in 96.2% [93.1%, 98.0%]."""
        bounds = "" if self.bounds is None else " [" + ", ".join(f"{end:.1%}" for end in self.bounds) + "]"
        return f"{self.value:.1%}{bounds}"


def estimates_of(values: Array, bounds: Array) -> list[Estimate]:
    """Cells of values[row] with the lower and the upper end of their intervals, bounds[row, 2]."""
    both = zip(values.tolist(), bounds.tolist(), strict=True)
    return [Estimate(value, bounds=(low, high)) for value, (low, high) in both]


@dataclass(frozen=True)
class SideBySide:
    """Several numbers in one cell, as in ``0.954 / 0.989``."""

    parts: tuple[float | Estimate, ...]


Cell: TypeAlias = str | float | Estimate | SideBySide | tuple[float, float] | None
"""A text, a number, a number with its interval or mark, several numbers, an interval alone; None: an empty cell."""


class Column(NamedTuple):
    """The title of a column and how its cells are written.

    Attributes
    ----------
    title : stands above the cells.
    kind : "name": the labels of the rows, aligned to the left; "number"; "text".
    spec : how Python formats the numbers: ``.4f`` (decimals), ``+.2f`` (with a sign), ``.1%`` (a share), ``d``.
    """

    title: str
    kind: CellKind = "number"
    spec: str = ""

    def write(self, cell: Cell) -> str:
        """A cell as readers see it, without control characters."""
        match cell:
            case None:
                return ""
            case str():
                return visible(cell)
            case Estimate():
                return self._estimate(cell)
            case SideBySide():
                return " / ".join(map(self.write, cell.parts))
            case (low, high) if math.isnan(low):
                return "none"
            case (low, high):
                return f"[{low:{self.spec}}, {high:{self.spec}}]"
            case _:
                return format(cell, self.spec)

    def _estimate(self, cell: Estimate) -> str:
        interval = "" if cell.bounds is None else " " + self.write(cell.bounds)
        spread = "" if cell.spread is None else f" ±{cell.spread:{self.spec}}"
        return f"{cell.value:{self.spec}}{cell.mark}{interval}{spread}"


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """Columns and rows of cells.

    Attributes
    ----------
    columns : the columns, names first.
    rows : the cells of each row.
    title : shown where there are several grids.
    best : (row, column) of the cells that hold the best value of their column.
    ruled : rows below which a line is drawn.
    caption : what the grid shows, how that was computed and what its marks mean, for LaTeX, Markdown and HTML. None:
        the title, where there are several grids. Empty: there is none.
    label : of the float that LaTeX makes of a grid with a caption. None: from the title. Empty: there is none.
    foot : the same as the caption in a short line, which stands below the grid on the screen.
    legend : what the marks of the cells mean, without a full stop; it stays behind a caption of the user's own.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    best: frozenset[tuple[int, int]] = frozenset()
    ruled: int | None = None
    caption: str | None = None
    label: str | None = None
    foot: str = ""
    legend: str = ""

    @classmethod
    def of_columns(
        cls, *columns: tuple[Column, Iterable[Any]], title: str = "", best: frozenset[tuple[int, int]] = frozenset()
    ) -> Self:
        """A grid from its columns, each with its cells from the first row to the last: an array, or any iterable."""
        cells = [values_of(one) if isinstance(one, np.ndarray) else list(one) for _, one in columns]
        return cls([column for column, _ in columns], [list(row) for row in zip(*cells, strict=True)], title, best)

    @classmethod
    def of_texts(cls, head: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1, title: str = "") -> Self:
        """A grid of texts, the first columns of which hold names."""
        columns = [Column(text, "name" if place < names else "text") for place, text in enumerate(head)]
        return cls(columns, rows, title)

    @property
    def names(self) -> int:
        """How many columns hold names."""
        return sum(column.kind == "name" for column in self.columns)

    @property
    def head(self) -> list[str]:
        """The titles of the columns as readers see them."""
        return [visible(column.title) for column in self.columns]

    def texts(self) -> list[list[str]]:
        """The cells as readers see them."""
        return [[column.write(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def described(self, about: str, marks: str = "", *, label: str | None = None, foot: str = "") -> Self:
        """The grid with a caption that says what it shows, then what its marks mean; bold cells are explained, too.

        ``label`` and ``foot``: in place of the grid's own.
        """
        legend = "; ".join(filter(None, [marks, BOLD * bool(self.best)]))
        caption = f"{'; '.join(filter(None, [about, legend]))}."
        label = self.label if label is None else label
        return replace(self, caption=caption, legend=legend, label=label, foot=foot or self.foot)

    def captioned(self, caption: str) -> Self:
        """The grid under a caption of the user's own, behind which its legend stands; an empty caption stays empty."""
        said = caption.rstrip()
        if said and self.legend:
            said = f"{said}{'' if said[-1] in '.!?' else '.'} {capitalised(self.legend)}."
        return replace(self, caption=said)

    def shortened(self, most: int) -> Grid:
        """The first and the last rows, ``most`` in all, and between them a row that says how many are left out."""
        out = len(self.rows) - most
        if out <= 0:
            return self
        begin = most // 2
        gap: list[Cell] = [f"... {out:,} more", *["..."] * (len(self.columns) - 1)]
        shown = [*range(begin), None, *range(begin + out, len(self.rows))]
        places = {old: new for new, old in enumerate(shown)}
        return replace(
            self,
            rows=[gap if old is None else self.rows[old] for old in shown],
            best=frozenset((places[row], column) for row, column in self.best if row in places),
            ruled=None if self.ruled is None else places.get(self.ruled - 1, begin) + 1,
        )


def as_label(*texts: str) -> str:
    """A label of LaTeX from texts: up to five words of each, of letters and digits; empty where there are none."""
    words = [word for text in texts for word in re.findall("[a-zA-Z0-9.]+", text)[:WORDS]]
    return f"tab:{'-'.join(words)}" if words else ""


def write_p(p: float, digits: int, least: float = 0.0) -> str:
    """A p value with so many decimals, or its upper bound where it is below what they show, or below ``least``."""
    least = max(10.0**-digits, least)
    return f"<{least:.{digits}f}" if digits and p < least else f"{p:.{digits}f}"


def places_of_best(texts: Sequence[str], best: str) -> list[int]:
    """The places of the texts that equal the best one; none where all do, as then none is better."""
    places = [place for place, text in enumerate(texts) if text == best]
    return places if len(places) < len(texts) else []
