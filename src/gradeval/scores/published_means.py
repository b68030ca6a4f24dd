"""Tables of means alone, as papers print them: a line a run and a column a measure, the other way round, or a line a
value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradeval.messages import list_some
from gradeval.scores.leaderboards import find_names, read_body, without_markup, without_percent
from gradeval.scores.measure_columns import PlacedRow, are_measures, holds_long_means, is_measure
from gradeval.scores.task_columns import is_blank, is_text

MEAN = "mean"
"""The one topic of scores that are means."""


def lengthen_means(
    place: str, rows: Sequence[PlacedRow], fields: Mapping[str, int], notes: list[str]
) -> list[PlacedRow] | None:
    """The lines of run, topic, measure and value that a table of means holds; None: it is none.

    ``fields``: the columns of the usual fields; ``notes`` name columns of text, which are left out.
    """
    if holds_long_means(rows, fields):
        at = [fields[field] for field in ("run", "measure", "value")]
        lines = [(where, [row[column].strip() for column in at]) for where, row in rows[1:] if len(row) > max(at)]
        return [(where, [run, MEAN, measure, value]) for where, (run, measure, value) in lines]
    if (found := find_names(rows)) is None:
        return None
    at_names, kind = found
    heads = [without_markup(head) for head in rows[0][1]]
    body = read_body(place, rows[1:], len(heads))
    others = [at for at in range(len(heads)) if at != at_names and heads[at] and not is_blank(heads[at])]
    text = [at for at in others if all(is_text(row[at]) for _, row in body)]
    if kind == "model":  # shares stand in tables of ours: of tied lines, of missing topics
        shares = [at for at in others if all(row[at].endswith("%") for _, row in body)]
        text += [at for at in shares if not is_measure(heads[at])]
    others = [at for at in others if at not in text]
    if not are_measures([heads[at] for at in others] if kind == "model" else [row[at_names] for _, row in body]):
        return None
    if text:
        notes.append(
            f"{place}: left out, as these columns hold text or shares of lines: {list_some([heads[at] for at in text])}"
        )
    pairs = [(where, row[at_names], heads[at], row[at]) for where, row in body for at in others]
    named = pairs if kind == "model" else [(where, head, name, value) for where, name, head, value in pairs]
    alike: dict[str, str] = {}
    return [
        (where, [run, MEAN, measure, without_percent(where, measure, value, alike)])
        for where, run, measure, value in named
        if not is_blank(value)
    ]
