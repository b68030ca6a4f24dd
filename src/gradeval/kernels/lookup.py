"""The kernel of a measure for some queries: its registered cascade, or else its pair form."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import parse_measure
from gradeval.kernels.cascade import CASCADES, CascadeKernel
from gradeval.kernels.derived import TooManyLevels, pair_form, pair_kernel, threshold
from gradeval.kernels.pairs import PairKernel

Kernel: TypeAlias = PairKernel | CascadeKernel


@known_arguments()
def kernel_of(
    measure: Measure | str, pool: Array, levels: Levels, lengths: Array, width: int | None = None
) -> Kernel | None:
    """The kernel of a measure for queries with pools int[query, level] and list lengths int[query], padded to
    ``width`` documents (default: the longest list). None for a measure without a kernel: see ``score_swaps``.

    All documents of the lists are judged, so ``judged_only`` has no effect. Whether a kernel exists, whether it has
    pairs, and which tables the queries share depends only on the measure and the levels.
    """
    measure = parse_measure(measure)
    width = max(width or 1, int(lengths.max(initial=1)))
    make = CASCADES.get(measure.definition.formula)
    if make is None:
        return pair_kernel(measure, pool, levels, lengths, width)
    arguments = measure.arguments[measure.definition.formula]
    names = [name for name in signature(make).parameters if name in arguments]
    ranks_only = JudgedRankings.full(np.zeros((1, width)), pool, levels, retrieved=lengths)
    try:
        kernel = make(ranks_only, **{name: arguments[name] for name in names})
    except InputError as error:
        raise error.within(str(measure)) from None
    if measure.cutoff is None:
        return kernel
    return replace(kernel, weights=kernel.weights * (np.arange(width) < measure.cutoff))


def require_few_levels(measure: Measure, pool: Array, levels: Levels, place: str) -> None:
    """A TooManyLevels where queries of the data called ``place``, with pools int[query, level], hold together too many
    different grades for the kernel of a measure."""
    if measure.definition.formula in CASCADES or threshold(measure, levels) is not None:
        return
    form = pair_form(measure, levels)
    try:
        if form is not None:
            form.require_few(pool, len(pool))
    except TooManyLevels as error:
        raise TooManyLevels(f"{place}: {error}") from None


AT_ONCE = 1 << 20  # documents, over all lists that are scored in one call


def score_swaps(measure: Measure, level: Array, pool: Array, levels: Levels, top: int | None = None) -> Array:
    """float64[query, a, b]: the change of a measure when the documents at ranks a < b change places, for rankings
    int[query, n] (-1: padding) and pools int[query, level]; with ``top`` only for a <= top. O(n^3) per query."""
    length = level.shape[1]
    rows = length if top is None else min(top, length)
    change = np.zeros((len(level), rows, length))
    for query, ranking in enumerate(level):
        ranking = ranking[ranking >= 0]
        first, second = np.nonzero(np.triu(ranking[:rows, None] != ranking, 1))  # equal levels change nothing
        before = _score(measure, ranking[None], pool[query], levels)
        step = max(1, AT_ONCE // max(1, len(ranking)))
        for start in range(0, len(first), step):
            a, b = first[start : start + step], second[start : start + step]
            lists = np.repeat(ranking[None], len(a), axis=0)
            swap = np.arange(len(a))
            lists[swap, a], lists[swap, b] = ranking[b], ranking[a]
            change[query, a, b] = _score(measure, lists, pool[query], levels) - before
    return change


def _score(measure: Measure, lists: Array, pool: Array, levels: Levels) -> Array:
    return measure(JudgedRankings.full(np.array(levels)[lists], pool[None], levels))
