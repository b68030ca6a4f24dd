"""The specification of a chart, and the picture that Vega-Lite draws from it without a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gradeval._core import InputError
from gradeval.messages import visible

NAMED_BY = {
    **dict.fromkeys(["x", "y"], "axis"),
    **dict.fromkeys(["color", "fill", "stroke", "strokeDash", "shape", "size", "opacity"], "legend"),
}
"""The channels of Vega-Lite that tell names apart, and where they say which is which."""
SAID = {"text", "tooltip", "href", "url", "description"}
"""The channels that show what they are given."""
OF_OBJECTS = frozenset(
    "constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf __proto__ "
    "__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__".split()
)
"""The properties that every object of JavaScript has, by its standard."""
MARK = "\N{WORD JOINER}"
"""What stands before names that tell marks apart: nobody sees it, and no reader of screens says it."""
LABEL = "slice(datum.label, 1)"
"""A name without the mark, as an expression of Vega."""


def as_vegalite(chart: Any) -> dict[str, Any]:
    """The specification of a chart, as JSON and XML can hold it.

    Vega keeps what it counts in objects of JavaScript, which have properties of their own: a run that is called
    ``constructor`` would be one of those. So an invisible mark stands before the names that tell marks apart, which
    labels leave out; and a title that is such a word alone ends in a blank.
    """
    import altair

    with altair.data_transformers.enable("default", max_rows=None):
        drawing = chart.to_dict(validate=False)  # tests do, and it takes as long as to draw
    _mark_names(drawing)
    for part in _parts(drawing):
        for name in part.keys() & {"title", "subtitle", "text"}:
            part[name] = _without_property(part[name])
    printable: dict[str, Any] = _printable(drawing)
    return printable


def vegalite_version() -> str:
    """The version of Vega-Lite in which charts are specified."""
    import altair

    return ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])


def _mark_names(drawing: dict[str, Any]) -> None:
    """Put the mark before the values of the fields that tell marks apart; what is shown as text stays without."""
    channels = [
        (channel, one)
        for part in _parts(drawing)
        for channel, given in part.get("encoding", {}).items()
        for one in (given if isinstance(given, list) else [given])
        if isinstance(one, dict) and one.get("type") in ("nominal", "ordinal")
    ]
    told_apart = [(channel, one) for channel, one in channels if channel not in SAID and "field" in one]
    fields = {one["field"] for _, one in told_apart}
    said = fields & {one.get("field") for channel, one in channels if channel in SAID}
    tables = [
        values
        for part in _parts(drawing)
        for values in (part.get("values"), *part.get("datasets", {}).values())
        if isinstance(values, list)
    ]
    records = [record for table in tables for record in table if isinstance(record, dict)]
    for record in records:
        for field in fields & record.keys():
            if field in said:
                record[_text_field(field)] = record[field]
            record[field] = _marked(record[field])
    for channel, one in channels:
        if channel in SAID and one.get("field") in said:
            one.setdefault("title", one["field"])
            one["field"] = _text_field(one["field"])
    for channel, one in told_apart:
        guide = NAMED_BY.get(channel)
        if guide is not None and one.get(guide, {}) is not None:
            one[guide] = {**one.get(guide, {}), "labelExpr": LABEL}
        for part, name in ((one, "sort"), (one.get("scale") or {}, "domain"), (one.get(guide or "") or {}, "values")):
            if isinstance(part.get(name), list):
                part[name] = [_marked(value) for value in part[name]]


def _without_property(title: Any) -> Any:
    """A title, of one line or several, of which no line is a property of an object."""
    if isinstance(title, list):
        return [_without_property(line) for line in title]
    return f"{title} " if isinstance(title, str) and title in OF_OBJECTS else title


def _parts(drawing: Any) -> Iterator[dict[str, Any]]:
    """The objects of a specification, except the records of its data."""
    if isinstance(drawing, dict):
        yield drawing
        for name, part in drawing.items():
            if name not in ("values", "datasets"):
                yield from _parts(part)
    elif isinstance(drawing, list):
        for part in drawing:
            yield from _parts(part)


def _marked(value: Any) -> Any:
    """A name with the mark before it; other values tell themselves apart."""
    return MARK + value if isinstance(value, str) else value


def _text_field(field: str) -> str:
    return f"{field} as text"


def _printable(part: Any) -> Any:
    """A part of a chart as JSON and XML can hold it: names without control characters, null for NaN and infinity."""
    match part:
        case str():
            return visible(part)
        case dict():
            return {key: _printable(value) for key, value in part.items()}
        case list():
            return [_printable(value) for value in part]
        case float() if not math.isfinite(part):
            return None
        case _:
            return part


class Undrawable(InputError):
    """A picture that could not be drawn; the numbers are still written."""


@contextmanager
def drawing_fails_in_a_line(place: str) -> Iterator[None]:
    """Whatever goes wrong in the block that draws is an ``Undrawable``; ``place``: what the error begins with."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:  # whatever a library that draws raises
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise Undrawable(f"{place}: the chart cannot be drawn ({why}); the numbers are complete without it") from error


def draw(kind: str, drawing: Mapping[str, Any], place: str = "picture", **options: Any) -> Any:
    """The picture of a specification as svg, png or pdf."""
    import vl_convert

    converter: Callable[..., Any] = getattr(vl_convert, f"vegalite_to_{kind}")
    with drawing_fails_in_a_line(place):
        return converter(drawing, vl_version=vegalite_version(), **options)
