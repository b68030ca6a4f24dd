"""Tables of means alone, as papers print them: a line a run and a column a measure, the other way round, or a line a
value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradeval.messages import list_some
from gradeval.scores.leaderboards import find_names, read_body, without_markup, without_percent
from gradeval.scores.measure_columns import PlacedRow, are_measures, holds_long_means, is_measure, measure_in
from gradeval.scores.task_columns import is_blank, is_no_task, is_text

MEAN = "mean"
"""The one topic of scores that are means."""


def lengthen_means(
    place: str, rows: Sequence[PlacedRow], fields: Mapping[str, int], notes: list[str]
) -> list[PlacedRow] | None:
    """The lines of run, topic, measure and value that a table of means holds; None: it is none.

    ``fields``: the columns of the usual fields; ``notes`` name the columns that are left out.
    """
    if holds_long_means(rows, fields):
        at = [fields[field] for field in ("run", "measure", "value")]
        lines = [(where, [row[column].strip() for column in at]) for where, row in rows[1:] if len(row) > max(at)]
        return [(where, [run, MEAN, measure, value]) for where, (run, measure, value) in lines if not is_blank(value)]
    if (found := find_names(rows)) is None:
        return None
    at_names, kind = found
    heads = [without_markup(head) for head in rows[0][1]]
    body = read_body(place, rows[1:], len(heads))
    others = [at for at in range(len(heads)) if at != at_names and heads[at] and not is_blank(heads[at])]
    left = [at for at in others if _holds_no_measure(heads[at], [row[at] for _, row in body], kind)]
    others = [at for at in others if at not in left]
    if not are_measures([heads[at] for at in others] if kind == "model" else [row[at_names] for _, row in body]):
        return None
    if left:
        notes.append(f"{place}: left out, as these columns hold no measures: {list_some([heads[at] for at in left])}")
    pairs = [(where, row[at_names], heads[at], row[at]) for where, row in body for at in others]
    named = pairs if kind == "model" else [(where, head, name, value) for where, name, head, value in pairs]
    alike: dict[str, str] = {}
    return [
        (where, [run, MEAN, measure, without_percent(where, measure, value, alike)])
        for where, run, measure, value in named
        if not is_blank(value)
    ]


def _holds_no_measure(head: str, cells: Sequence[str], kind: str) -> bool:
    """Is it a column of text or, where lines are models, of averages, of what runs are like, or of shares, as tables
    of gradeval have of tied lines?"""
    shares = all(cell.endswith("%") for cell in cells) and not measure_in(head)
    unlike = shares or (is_no_task(head) and not is_measure(head))
    return all(map(is_text, cells)) or (kind == "model" and unlike)
