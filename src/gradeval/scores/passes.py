"""Measures in as few passes as possible: those that differ in one parameter only, such as the cutoff, share one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REQUIRED, Measure
from gradeval.formula.judged import JudgedRankings


@dataclass(frozen=True)
class Pass:
    """A measure with one or several values of the parameter of which it takes many.

    Attributes
    ----------
    measure : with the first of the values.
    places : of the measures among those that are asked for, as an index: NumPy looks up a number or a slice several
        times faster than a list.
    values : of the parameter; empty where all places hold the same measure.
    """

    measure: Measure
    places: int | slice | list[int]
    values: tuple[float, ...] = ()


@lru_cache(maxsize=256)
def plan_passes(measures: tuple[Measure, ...]) -> tuple[Pass, ...]:
    """The passes that score all measures."""
    families: dict[Any, list[int]] = {}
    for place, measure in enumerate(measures):
        families.setdefault(_family(measure), []).append(place)
    passes: list[Pass] = []
    for places in families.values():
        different = {measures[place] for place in places}
        many = measures[places[0]].definition.many or ""
        values = tuple(measures[place].parameters[many] for place in places) if len(different) > 1 else ()
        passes.append(Pass(measures[places[0]], _as_index(places), values))
    return tuple(passes)


def _as_index(places: list[int]) -> int | slice | list[int]:
    """Ascending places as a number or a slice where they are one or neighbours."""
    first, last = places[0], places[-1]
    if first == last:
        return first
    return slice(first, last + 1) if last - first + 1 == len(places) else places


def _family(measure: Measure) -> object:
    """Equal for measures that one pass can score."""
    many = measure.definition.many
    if many is None or measure.parameters[many] in (None, REQUIRED):
        return measure
    others = tuple(pair for pair in measure.changed if pair[0] != many)
    return measure.definition, others, measure.judged_only


def score_block(measures: tuple[Measure, ...], block: JudgedRankings) -> Array:
    """float64[measure, ...]: the value of every measure for every ranking."""
    values = np.empty((len(measures), *block.retrieved.shape))
    for one in plan_passes(measures):
        values[one.places] = _measure_many(one, block) if one.values else measure_each(one.measure, block)
    return values


def _measure_many(one: Pass, block: JudgedRankings) -> Array:
    """[value, ...]: the measure with each of several values of a parameter."""
    measure = one.measure
    formula = measure.definition.formula
    rankings = block.condensed() if measure.judged_only else block
    several = np.array(one.values).reshape(-1, *[1] * block.retrieved.ndim)
    try:
        values: Array = formula(rankings, **{**measure.arguments[formula], str(measure.definition.many): several})
    except InputError as error:
        raise InputError(f"{measure}: {error}") from None
    return values


def measure_each(measure: Measure, block: JudgedRankings) -> Array:
    """The value of each ranking; an error where a user's own formula returns another shape."""
    values = measure(block)
    if getattr(values, "shape", None) != block.retrieved.shape:
        raise InputError(
            f"{measure}: its formula gave shape {list(np.shape(values))} for rankings {list(block.retrieved.shape)}; a "
            "formula keeps the leading axes and sums over the last, as in hits.sum(-1)"
        )
    return values


def require_finite(values: Array, runs: Sequence[str], topics: Sequence[str], measures: Sequence[Measure]) -> None:
    """Refuse values [measure, run x topic] that are NaN or infinite, as from a formula that divides by 0."""
    if np.count_nonzero(np.isfinite(values)) == values.size:
        return
    which, row = np.argwhere(~np.isfinite(values))[0]
    run, topic = divmod(int(row), len(topics))
    raise InputError(
        f"{measures[which]}: its formula gave {values[which, row]} for run {runs[run]}, topic {topics[topic]}; divide "
        "with ratio, which gives 0 where there is nothing to find"
    )
