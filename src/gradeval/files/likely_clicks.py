"""Tables that look like logs of clicks: of documents shown, of events, or of counts; and what to make of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import NamedTuple

from gradeval._core import InputError
from gradeval.files.column_names import CLICKS, PLACES, RANKS, InputKind, RowsOfTable, first_usual, places_by_name
from gradeval.files.named_columns import Columns
from gradeval.messages import join_names

EVENTS = "event event_type event_name action action_type interaction interaction_type".split()
COUNTS = "clicks click_count num_clicks n_clicks total_clicks".split()
IMPRESSIONS = (
    "impressions impression impression_count num_impressions n_impressions views view_count times_shown shown displays"
).split()
"""The usual names of columns of events, of how often a document was clicked on, and of how often it was shown."""
MOST_EVENTS = 30
"""Different cells up to which a column may name events."""


class LikelyClicks(NamedTuple):
    """What a table says of clicks.

    Attributes
    ----------
    column : the column of clicks, of their number, or of events.
    event : how the column of events calls a click; empty: it has no events.
    others : does it name other events, too?
    impressions : the column of how often a document was shown; empty: the table counts nothing.
    rank : the column of the ranks; empty: there is none.
    """

    column: str
    event: str = ""
    others: bool = False
    impressions: str = ""
    rank: str = ""

    @property
    def is_log(self) -> bool:
        """Is it of documents shown, rather than of items that users took or left?"""
        return bool(self.event or self.impressions or self.rank)


def find_clicks(names: Sequence[str], rows: RowsOfTable = tuple) -> LikelyClicks | None:
    """What a table says of clicks; None: nothing."""
    by_name = places_by_name(names)
    shown, rank = (first_usual(by_name, usual) for usual in (IMPRESSIONS, (*RANKS, *PLACES)))
    clicked = first_usual(by_name, (*CLICKS, *COUNTS))
    impressions, ranks = ("" if at is None else names[at] for at in (shown, rank))
    if clicked is not None:
        return LikelyClicks(names[clicked], impressions=impressions, rank=ranks)
    at = first_usual(by_name, EVENTS)
    if at is None:
        return None
    events: dict[str, None] = {}
    for row in rows():
        events[str(row[at]).strip() if len(row) > at else ""] = None
        if len(events) > MOST_EVENTS:
            return None
    click = next((event for event in events if event.lower().startswith("click")), None)
    return None if click is None else LikelyClicks(names[at], click, len(events) > 1, rank=ranks)


def refuse_clicks(
    names: Sequence[str],
    kind: InputKind,
    place: str,
    pair: tuple[int | None, int | None],
    rows: RowsOfTable,
    columns: Columns,
) -> None:
    """Refuse a table without grades, or without scores, that looks like clicks; say what reads it.

    ``pair``: the columns of topics and documents.
    """
    clicks = find_clicks(names, rows)
    if clicks is None or (kind == "qrels" and not clicks.is_log):
        return
    kinds = "numbers of clicks" if clicks.impressions else "a log of clicks, which 'gradeval clicks LOG QRELS' reads"
    if clicks.event:
        kinds = f"a log of events, {clicks.event} among them; 'gradeval clicks LOG QRELS' says how it reads such a log"
    what = f"{place}: has a column {clicks.column!r} and no {'grades' if kind == 'qrels' else 'scores'}: {kinds}"
    query, doc = pair
    if kind == "run":
        how = "a run has the scores or the ranks of its documents"
        if clicks.rank and not clicks.impressions:
            how = _describe_shown(names, clicks, pair, rows, columns)
    elif query is None or doc is None or clicks.event:
        how = "judgments have a grade of each document"
    elif clicks.impressions:
        how = describe_counts(clicks, names[query], names[doc])
    else:
        typed = f"--columns {quote(f'grade={clicks.column}')} --repeated mean"
        given = f"relevance={clicks.column!r}, repeated='mean'"
        how = f"to grade by click rates, which favour what was shown high: {given if columns.in_python else typed}"
    raise InputError(f"{what}; {how}")


def _describe_shown(
    names: Sequence[str], clicks: LikelyClicks, pair: tuple[int | None, int | None], rows: RowsOfTable, columns: Columns
) -> str:
    """How to read what a log shows as a run, or as several where a column seems to name these."""
    from gradeval.files.likely_runs import find_variants  # here, as few tables are logs

    variant, values = find_variants(names, [at for at in pair if at is not None], rows)
    if not variant:
        return f"if its ranks belong to one run, name their column rank={clicks.rank}"
    how = f"--columns {quote(f'rank={clicks.rank},run={variant}')} --repeated best"
    if columns.in_python:
        how = f"call {clicks.rank!r} rank and {variant!r} run, and keep one row of each document"
    return f"to compare what {join_names(values[:3])} of {variant!r} showed: {how}"


def describe_counts(clicks: LikelyClicks, topic: str, document: str) -> str:
    """How to make grades of the numbers of clicks, in pandas."""
    return (
        f"to grade by click rates, which favour what was shown high, in pandas: "
        f"df.groupby({[topic, document]!r})[{[clicks.column, clicks.impressions]!r}].sum()"
        f".assign(grade=lambda counts: counts[{clicks.column!r}] / counts[{clicks.impressions!r}])"
        "[['grade']].to_csv('grades.csv')"
    )


def describe_events(clicks: LikelyClicks, named: Mapping[str, str]) -> str:
    """How to make a log of what was shown of a log of events, in pandas; ``named``: its columns by their roles."""
    if not clicks.others:
        return f"each line of {clicks.column!r} is a click: log also which documents were shown and passed over"
    if "rank" not in named:
        return (
            f"{clicks.column!r} names events, and no column the ranks: log at which rank each document was shown, in a "
            "column rank"
        )
    keys = [named[role] for role in ("session", "topic", "document", "rank")]
    return (
        f"{clicks.column!r} names events; write a line for each document shown, in pandas: "
        f"df.assign(click=(df[{clicks.column!r}] == {clicks.event!r}).astype(int))"
        f".groupby({keys!r}, as_index=False).click.max().to_csv('clicks.csv', index=False)"
    )
