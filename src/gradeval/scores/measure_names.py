"""Find measures by name among those that have values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from gradeval._core import InputError
from gradeval.arguments import nearest
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import measure_of_values, parse_measure, split_measures


def choose_measures(wanted: str | Measure | Iterable[str | Measure], known: Sequence[Measure]) -> list[Measure]:
    """The known measures of these names, in the order of the names, each once.

    A text names one or several (separated by blanks or commas), by our spelling or another tool's, in any case where
    that is unique; values that were computed elsewhere may belong to a measure of any name.
    """
    by_name = {str(measure): measure for measure in known}
    chosen: list[Measure] = []
    for item in [wanted] if isinstance(wanted, str | Measure) else wanted:
        names = [str(item)] if isinstance(item, Measure) or item in by_name else split_measures(item)
        chosen += [_choose(name, by_name) for name in names]
    if not chosen:
        raise InputError(f"no measure given; accepted: {', '.join(by_name)}")
    return list(dict.fromkeys(chosen))


def place_of_measure(wanted: str | Measure, known: Sequence[Measure], what: str = "scores") -> int:
    """The place of a measure among the known ones; ``what``: their values, for the error."""
    return list(known).index(_choose(str(wanted), {str(measure): measure for measure in known}, what))


def _choose(name: str, by_name: dict[str, Measure], what: str = "scores") -> Measure:
    for spelled in _spellings(name):
        if spelled in by_name:
            return by_name[spelled]
    same = [known for known in by_name if known.casefold() == name.casefold()]
    if len(same) != 1:
        raise InputError(f"no {what} of {name}{nearest(name, by_name)}; accepted: {', '.join(by_name)}")
    return by_name[same[0]]


def _spellings(name: str) -> Iterator[str]:
    """What a name may mean: itself, by another tool's names, in another case."""
    yield name
    yield str(measure_of_values(name))
    with suppress(InputError):
        yield str(parse_measure(name))
