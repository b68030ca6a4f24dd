"""Long formats: one value a line, exact, for programs to read. tsv, csv and jsonl carry the same fields.

Lines stand in the order run, topic, measure, those of single topics (on request) first, those of all topics
(topic ``all``) last. The value of a topic is what enters the mean: a topic that does not count has no line.
Numbers are the shortest text that reads back as the same double. Confidence intervals add the fields ``low``
and ``high``, which only the lines of all topics fill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress, product
from operator import add

from gradeval.tables.format import text_format
from gradeval.tables.result import Result


@dataclass(frozen=True)
class Layout:
    """The text of a line, field after field; each piece ends where the next begins."""

    run: Callable[[str], str]
    topic: Callable[[str], str]
    measure: Callable[[str], str]
    bounds: Callable[[str, str], str]
    no_bounds: str
    end: str


def lines(result: Result, layout: Layout) -> Iterator[str]:
    """The lines of a result, some thousand at a time: joined in bulk, for there may be many."""
    scores = result.scores
    starts = [layout.run(run) for run in scores.runs]
    measures = [layout.measure(str(measure)) for measure in scores.measures]
    if result.by_topic:
        names = list(map("".join, product([layout.topic(topic) for topic in scores.topics], measures)))
        counted = scores.counted
        everything = bool(counted.all())
        end = layout.end if result.bounds is None else layout.no_bounds + layout.end
        for start, row, counts in zip(starts, scores.credited, counted, strict=True):
            line = map(add, names, map(repr, row.ravel().tolist()))
            kept = list(line if everything else compress(line, counts.ravel().tolist()))
            if kept:
                yield start + (end + start).join(kept) + end
    totals = [layout.topic("all") + measure for measure in measures]
    for place, (start, row) in enumerate(zip(starts, result.means.tolist(), strict=True)):
        line = map(add, totals, map(repr, row))
        if result.bounds is not None:
            pairs = result.bounds[place].tolist()
            line = map(add, line, [layout.bounds(repr(low), repr(high)) for low, high in pairs])
        yield start + (layout.end + start).join(line) + layout.end


def columns(result: Result) -> list[str]:
    """The names of the fields."""
    intervals = [] if result.bounds is None else ["low", "high"]
    return ["run", "topic", "measure", "value", *intervals]


@text_format(".tsv")
def tsv(result: Result) -> Iterator[str]:
    """Separated by tabs, the names of the fields in the first line."""
    yield "\t".join(columns(result)) + "\n"
    yield from lines(result, _separated("\t", _without_tabs))


@text_format(".csv")
def csv(result: Result) -> Iterator[str]:
    """Separated by commas, quoted where a field holds one (RFC 4180, lines ending in \\n)."""
    yield ",".join(columns(result)) + "\n"
    yield from lines(result, _separated(",", _quoted))


@text_format(".jsonl")
def jsonl(result: Result) -> Iterator[str]:
    """One JSON object a line."""
    layout = Layout(
        run=lambda text: f'{{"run": {_json(text)}, ',
        topic=lambda text: f'"topic": {_json(text)}, ',
        measure=lambda text: f'"measure": {_json(text)}, "value": ',
        bounds=lambda low, high: f', "low": {low}, "high": {high}',
        no_bounds=', "low": null, "high": null',
        end="}\n",
    )
    yield from lines(result, layout)


def _separated(mark: str, escaped: Callable[[str], str]) -> Layout:
    """Fields with a mark between them."""

    def field(text: str) -> str:
        return escaped(text) + mark

    return Layout(field, field, field, lambda low, high: f"{mark}{low}{mark}{high}", 2 * mark, "\n")


def _without_tabs(text: str) -> str:
    """Names of files may hold what separates fields and lines: written as \\t, \\n and \\r."""
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n\r') else text


def _json(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)
