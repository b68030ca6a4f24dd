"""What a section of a page is: a question, its answer, and what that rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradeval.tables.table import Table


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart: its Vega-Lite specification, what it shows, and its numbers where no table of the section has them."""

    chart: Any
    caption: str
    table: Table | None = None


@dataclass(frozen=True, eq=False)
class Still:
    """A picture as SVG, drawn without scripts."""

    svg: str
    caption: str


@dataclass(frozen=True, eq=False)
class Titled:
    """A table under a title; ``folded``: it is opened by a click."""

    title: str
    table: Table
    folded: bool = False


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a report.

    Attributes
    ----------
    name : in links and in JSON.
    heading : the question.
    answer : the answer in a sentence, computed.
    details : further sentences, on how to read it and what was left out.
    pictures, tables : what the answer rests on.
    redo : commands that compute it anew.
    part : the interactive part of the page that belongs to it, one of those of the template.
    data : what this part needs.
    stills : pictures that need no script; beside an interactive part they stand for it in print and without scripts.
    texts : blocks of text under their titles, such as citations.
    """

    name: str
    heading: str
    answer: str
    details: Sequence[str] = ()
    pictures: Sequence[Picture] = ()
    tables: Sequence[Titled] = ()
    redo: Sequence[str] = ()
    part: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    stills: Sequence[Still] = ()
    texts: Sequence[tuple[str, str]] = ()
