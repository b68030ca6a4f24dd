"""Clicks: which documents users were shown at which ranks, and which of them they clicked on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array

COLUMNS = ("session", "topic", "document", "rank", "click")


@dataclass(frozen=True, eq=False)
class Clicks:
    """Documents shown to users: a line for each, clicked on or not.

    Attributes
    ----------
    session, topic, document : texts of each line. All lines of a session are of one user.
    rank : int64[line], from 1.
    click : bool[line].
    place : where the lines come from, for messages.
    systems : the column of a table that names a system for each line, which is not read; empty: there is none.
    from_zero : did the lines count ranks from 0?
    """

    session: Sequence[str]
    topic: Sequence[str]
    document: Sequence[str]
    rank: Array
    click: Array
    place: str = "clicks"
    systems: str = ""
    from_zero: bool = False

    @classmethod
    def of(
        cls,
        session: Sequence[str],
        topic: Sequence[str],
        document: Sequence[str],
        rank: Sequence[int] | Array,
        click: Sequence[int] | Array,
    ) -> Clicks:
        """Clicks from columns of equal length; anything but a click log is an InputError that counts lines from 1.

        Where a rank is 0, ranks are counted from 0, and 1 is added.
        """
        columns = [session, topic, document, rank, click]
        if len({len(column) for column in columns}) != 1:
            sizes = ", ".join(f"{len(column)} {name}s" for name, column in zip(COLUMNS, columns, strict=True))
            raise InputError(f"clicks: the columns differ in length ({sizes}); give a value a line in each")
        ranks, clicked = np.asarray(rank), np.asarray(click)
        if len(session) and (ranks.dtype.kind not in "iu" or ranks.min() < 0):
            raise InputError("clicks: ranks are whole numbers from 1, or from 0")
        if len(session) and (clicked.dtype.kind not in "iub" or not np.isin(clicked, (0, 1)).all()):
            raise InputError("clicks: a click is 0 or 1")
        sessions, topics, documents = (list(map(str, column)) for column in (session, topic, document))
        from_zero = bool(len(session) and ranks.min() == 0)
        first = ranks.astype(np.int64) + from_zero
        clicks = cls(sessions, topics, documents, first, clicked.astype(bool), from_zero=from_zero)
        clicks.require_distinct("clicks: line ", range(1, len(clicks) + 1))
        return clicks

    def __len__(self) -> int:
        """The number of documents shown."""
        return len(self.session)

    def __repr__(self) -> str:
        return f"Clicks({len(self)} documents shown, {int(self.click.sum())} clicks)"

    @property
    def about_ranks(self) -> str:
        """That ranks are counted from 0; empty: from 1."""
        return f"{self.place} counts ranks from 0; 1 is added to each" if self.from_zero else ""

    def require_distinct(self, place: str, lines: Sequence[int], how: str = "") -> None:
        """Refuse a rank or a document that a session has twice for one topic; ``place`` stands before the number of a
        line; ``lines``: these numbers; ``how`` says what to do."""
        if not len(self):
            raise InputError(f"{self.place}: holds no line; accepted: {' '.join(COLUMNS)}, separated by tabs")
        session, topic = encode(self.session)[1], encode(self.topic)[1]
        page = session * (topic.max() + 1) + topic
        for what, codes in (("rank", encode(self.rank.tolist())[1]), ("document", encode(self.document)[1])):
            keys = page * (codes.max() + 1) + codes
            _, first = np.unique(keys, return_index=True)
            if len(first) < len(keys):
                repeated = np.ones(len(keys), bool)
                repeated[first] = False
                line = int(repeated.argmax())
                earlier = int((keys == keys[line]).argmax())
                value = getattr(self, what)[line]
                value = value - self.from_zero if what == "rank" else value
                raise InputError(
                    f"{place}{lines[line]}: session {self.session[line]!r} has {what} {str(value)!r} of topic "
                    f"{self.topic[line]!r} on line {lines[earlier]} already; a session shows each {what} of a topic "
                    f"once{'; ' * bool(how)}{how}"
                )


def encode(values: Sequence[Any]) -> tuple[list[Any], Array]:
    """The distinct values in the order of their first appearance, and int64[line]: which of them each one is."""
    place: dict[Any, int] = {}
    codes = np.fromiter((place.setdefault(value, len(place)) for value in values), np.int64, len(values))
    return list(place), codes
