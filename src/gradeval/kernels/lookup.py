"""The kernel of a measure for some queries: its registered cascade, or else its pair form."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import TypeAlias

import numpy as np

from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.judged import JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.formula.spelling import parse_measure
from gradeval.kernels.cascade import CASCADES, CascadeKernel
from gradeval.kernels.derived import pair_kernel
from gradeval.kernels.pairs import PairKernel

Kernel: TypeAlias = PairKernel | CascadeKernel


def kernel_of(
    measure: Measure | str, pool: Array, levels: Levels, lengths: Array, width: int | None = None
) -> Kernel | None:
    """The kernel of a measure for queries with pools int[query, level] and list lengths int[query], padded to
    ``width`` documents (default: the longest list). None for a measure without a kernel: see ``kernels.exact``.

    All documents of the lists are judged, so ``judged_only`` has no effect. Whether a kernel exists, whether it has
    pairs, and which tables the queries share depends only on the measure and the levels.
    """
    measure = parse_measure(measure)
    width = max(width or 1, int(lengths.max(initial=1)))
    if measure.definition.formula in CASCADES:
        return _cascade(measure, pool, levels, lengths, width)
    return pair_kernel(measure, pool, levels, lengths, width)


def _cascade(measure: Measure, pool: Array, levels: Levels, lengths: Array, width: int) -> CascadeKernel:
    make = CASCADES[measure.definition.formula]
    arguments = measure.arguments[measure.definition.formula]
    names = [name for name in signature(make).parameters if name in arguments]
    ranks_only = JudgedRankings.full(np.zeros((1, width)), pool, levels, retrieved=lengths)
    try:
        kernel = make(ranks_only, **{name: arguments[name] for name in names})
    except InputError as error:
        raise InputError(f"{measure}: {error}") from None
    if measure.cutoff is None:
        return kernel
    return replace(kernel, weights=kernel.weights * (np.arange(width) < measure.cutoff))
