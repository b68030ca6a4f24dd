"""Measures in as few passes as possible: those that differ in their cutoffs only share one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings

LARGEST = 1 << 16
"""Documents of rankings with a leading axis of cutoffs; larger ones would leave the processor's cache."""


@dataclass(frozen=True)
class Pass:
    """A measure at several cutoffs.

    Attributes
    ----------
    measure : with the first of the cutoffs.
    places : of the measures among those that are asked for.
    cutoffs : of these; empty where all places hold the same measure.
    """

    measure: Measure
    places: tuple[int, ...]
    cutoffs: tuple[int, ...] = ()


@lru_cache(maxsize=256)
def plan_passes(measures: tuple[Measure, ...]) -> tuple[Pass, ...]:
    """The passes that score all measures."""
    families: dict[Any, list[int]] = {}
    for place, measure in enumerate(measures):
        families.setdefault(_family(measure), []).append(place)
    passes: list[Pass] = []
    for places in families.values():
        different = {measures[place] for place in places}
        at = measures[places[0]].definition.at or ""
        cutoffs = tuple(measures[place].parameters[at] for place in places) if len(different) > 1 else ()
        passes.append(Pass(measures[places[0]], tuple(places), cutoffs))
    return tuple(passes)


def _family(measure: Measure) -> object:
    """Equal for measures that one pass can score."""
    at = measure.definition.at
    if at is None or not measure.definition.many_cutoffs or not any(name == at for name, _ in measure.changed):
        return measure
    others = tuple(pair for pair in measure.changed if pair[0] != at)
    return measure.definition, others, measure.judged_only


def score_block(measures: tuple[Measure, ...], block: JudgedRankings) -> Array:
    """float64[measure, ...]: the value of every measure for every ranking."""
    values = np.empty((len(measures), *block.retrieved.shape))
    for one in plan_passes(measures):
        if one.cutoffs and len(one.cutoffs) * block.grades.size <= LARGEST:
            _score_cutoffs(one, block, values)
        elif not one.cutoffs:
            values[list(one.places)] = measure_each(one.measure, block)
        else:
            for place in one.places:
                values[place] = measure_each(measures[place], block)
    return values


def _score_cutoffs(one: Pass, block: JudgedRankings, values: Array) -> None:
    measure = one.measure
    formula = measure.definition.formula
    rankings = block.condensed() if measure.judged_only else block
    if measure.cutoff is None:  # recall levels: no rank, so all read the whole rankings
        levels = {str(measure.definition.at): one.cutoffs}
        values[list(one.places)] = formula(rankings, **{**measure.arguments[formula], **levels})
        return
    for places, cut in rankings.tops(one.cutoffs):
        cutoffs = np.array([one.cutoffs[place] for place in places]).reshape(-1, *[1] * block.retrieved.ndim)
        arguments = {**measure.arguments[formula], "cutoff": cutoffs}
        try:
            several = formula(cut, **arguments)
        except InputError as error:
            raise InputError(f"{measure}: {error}") from None
        values[[one.places[place] for place in places]] = several


def measure_each(measure: Measure, block: JudgedRankings) -> Array:
    """The value of each ranking; an error where a user's own formula returns another shape."""
    values = measure(block)
    if np.shape(values) != block.retrieved.shape:
        raise InputError(
            f"{measure}: its formula gave shape {list(np.shape(values))} for rankings {list(block.retrieved.shape)}; a "
            "formula keeps the leading axes and sums over the last, as in hits.sum(-1)"
        )
    return values


def require_finite(values: Array, runs: Sequence[str], topics: Sequence[str], measures: Sequence[Measure]) -> None:
    """Refuse values [measure, run x topic] that are NaN or infinite, as from a formula that divides by 0."""
    if np.isfinite(values).all():
        return
    which, row = np.argwhere(~np.isfinite(values))[0]
    run, topic = divmod(int(row), len(topics))
    raise InputError(
        f"{measures[which]}: its formula gave {values[which, row]} for run {runs[run]}, topic {topics[topic]}; divide "
        "with ratio, which gives 0 where there is nothing to find"
    )
