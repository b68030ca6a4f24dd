"""Pictures of specifications, drawn by Vega-Lite without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gradeval._core import InputError
from gradeval.charts.specification import vegalite_version


class Undrawable(InputError):
    """A picture that could not be drawn; the numbers are not lost by that."""


@contextmanager
def drawing_fails_in_a_line(place: str) -> Iterator[None]:
    """Whatever goes wrong in the block that draws is an ``Undrawable``; ``place``: what the error begins with."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise Undrawable(f"{place}: the chart cannot be drawn ({why}); the numbers are complete without it") from error


def draw(kind: str, drawing: Mapping[str, Any], place: str = "picture", **options: Any) -> Any:
    """The picture of a specification as svg, png or pdf."""
    import vl_convert

    converter: Callable[..., Any] = getattr(vl_convert, f"vegalite_to_{kind}")
    with drawing_fails_in_a_line(place):
        return converter(drawing, vl_version=vegalite_version(), **options)
