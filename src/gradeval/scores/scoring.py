"""From judged runs to scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import find_twice
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.qrels import Identity
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REQUIRED, Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.scores.coverage import TOP, Coverage
from gradeval.scores.scores import Empty, Missing, Scores

if TYPE_CHECKING:
    from gradeval.formula.recording import Recording


def score(
    judged: JudgedRuns,
    measures: Sequence[Measure],
    *,
    missing: Missing = "zero",
    empty: Empty = "zero",
    coverage: Coverage | None = None,
    collection: Identity | None = None,
    seed: int = 0,
    residuals: bool = False,
) -> Scores:
    """Score judged runs; ``coverage``: where it differs from the coverage of these runs; ``seed``: of random orders of
    tied documents (ties="expected"); ``residuals``: find these, too."""
    if (twice := find_twice(judged.runs)) is not None:
        raise InputError(f"two runs are called {twice!r}; give each a name of its own")
    values, errors = score_orders(judged, several := tuple(measures), seed)
    shape = (len(judged.runs), len(judged.topics), len(measures))
    require_finite(values, judged.runs, judged.topics, measures)
    ends = None
    if residuals:
        from gradeval.scores.residuals import find_residuals  # imported where they are asked for

        ends = find_residuals(judged, measures, values.T.reshape(shape))
    return Scores(
        values=values.T.reshape(shape),
        present=judged.present,
        vacant=find_vacant(judged, several),
        runs=judged.runs,
        topics=judged.topics,
        measures=list(measures),
        missing=missing,
        empty=empty,
        coverage=coverage or compute_coverage(judged),
        collection=collection,
        levels=tuple(judged.levels),
        ties=judged.ties,
        errors=None if errors is None else errors.T.reshape(shape),
        residuals=ends,
    )


def score_orders(judged: JudgedRuns, measures: tuple[Measure, ...], seed: int = 0) -> tuple[Array, Array | None]:
    """float64[measure, row]: the value of every measure for every ranking, the mean over all orders of tied documents
    where these have none; the standard errors of those that come from drawn orders, if any."""
    if judged.ties != "expected":
        return score_rows(judged, measures), None
    from gradeval.kernels.tied import expect, tied_blocks  # imported where ties have no order

    values, errors = np.zeros((2, len(measures), len(judged)))
    for rows, tied in tied_blocks(judged, seed):
        expected = expect(measures, tied, score_block(measures, tied.cut))
        values[:, rows], errors[:, rows] = expected.values, expected.errors
    return values, errors if errors.any() else None


def score_rows(judged: JudgedRuns, measures: tuple[Measure, ...]) -> Array:
    """float64[measure, row]: the value of every measure for every ranking."""
    if len(judged.rank) > FEW or not _is_called_again(measures, judged.levels):
        return of_formulas(judged, measures)
    from gradeval.formula.recording import LONGEST, record

    if judged.retrieved.max(initial=0) > LONGEST:
        return of_formulas(judged, measures)
    recording = record(measures, judged.levels)
    if recording.program is None:
        return of_formulas(judged, measures)
    values = np.empty((len(measures), len(judged)))
    values[list(recording.places)] = run(recording, judged)
    if recording.others:
        values[list(recording.others)] = of_formulas(judged, tuple(measures[place] for place in recording.others))
    return values


FEW = 32_768
"""Documents of the pool up to which recorded formulas are run, which are the faster the fewer there are: the values are
the same to the last bit."""


def _is_called_again(measures: tuple[Measure, ...], levels: Levels) -> bool:
    """Were these measures scored before? Recording formulas takes longer than a single small call."""
    known = (measures, levels) in _CALLED
    if not known:
        if len(_CALLED) >= MOST_CALLED:
            _CALLED.clear()
        _CALLED.add((measures, levels))
    return known


_CALLED: set[tuple[tuple[Measure, ...], Levels]] = set()
MOST_CALLED = 256
"""Lists of measures that are remembered."""


def run(recording: Recording, judged: JudgedRuns) -> Array:
    """float64[measure, row]: the values of the measures that were recorded, of rankings up to LONGEST."""
    grading = judged.grading
    values = np.empty((len(judged), len(recording.places)))
    assert recording.program is not None
    recording.program.score_rows(
        judged.rank,
        judged.document,
        judged.offsets,
        judged.retrieved,
        grading.grades,
        grading.judged,
        grading.first,
        recording.of_pools(grading.pools),
        values,
    )
    return values.T


def of_formulas(judged: JudgedRuns, measures: tuple[Measure, ...]) -> Array:
    """float64[measure, row]: the values that formulas give."""
    number = len(judged)
    values = np.empty((len(measures), number))
    for rows, block in judged.blocks():
        if len(rows) == number:  # a single block, which has all rows in their order
            return score_block(measures, block)
        values[:, rows] = score_block(measures, block)
    return values


def compute_coverage(judged: JudgedRuns, deselected: frozenset[str] = frozenset()) -> Coverage:
    """How much of whole runs the judgments cover; ``deselected`` topics do not count as unjudged."""
    known = judged.judged_retrieved
    return Coverage(
        judged.retrieved,
        known,
        judged.count_judged(TOP) if np.count_nonzero(judged.retrieved != known) else None,
        judged.tied,
        judged.contradicting,
        judged.itself,
        [[topic for topic in extra if topic not in deselected] for extra in judged.unjudged_topics],
        judged.skipped,
        judged.excluded,
        judged.repeated,
    )


def find_vacant(judged: JudgedRuns, measures: tuple[Measure, ...]) -> Array:
    """bool[topic, measure]: topics in which nothing is relevant for the measure."""
    pools = judged.grading.pools

    def nothing() -> Array:
        none = np.zeros(len(judged.topics), bool)
        columns: dict[object, Array] = {}
        keys = [_key_of_base(measure) for measure in measures]
        for key, measure in zip(keys, measures, strict=True):
            if key not in columns:
                base = measure.base(pools)
                columns[key] = none if base is None else base == 0
        vacant = np.empty((len(none), len(keys)), bool)
        for place, key in enumerate(keys):
            vacant[:, place] = columns[key]
        return vacant

    return pools.compute_once(("vacancy", measures), nothing)


def _key_of_base(measure: Measure) -> object:
    """Equal for measures whose bases are equal: a cutoff leaves the pool whole."""
    base = measure.definition.base
    return None if base is None else (base, tuple(measure.arguments[base].items()))


class Pass(NamedTuple):
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
        raise error.within(str(measure)) from None
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
