"""A batch of queries for objectives in PyTorch: checked grades, and the kernels of measures as tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import torch

from gradeval._core import InputError
from gradeval.array_checks import read_array, read_doubles, read_numbers, require_exact
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, require_levels
from gradeval.kernels.lookup import Kernel, kernel_of
from gradeval.kernels.pairs import PairKernel, level_of, pool_of
from gradeval.messages import kind_of

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Batch:
    """The judgments of some queries, padded to one length: what an objective needs besides the scores.

    Make one with ``Batch.of(grades, levels=...)`` and pass it to an objective in place of the grades. It caches checked
    grades, recall bases and ideals, so make batches once and use them in every epoch.

    Attributes
    ----------
    level : int[query, n]
        The level of each document, as an index into ``levels``; -1 is padding.
    pool : int[query, level]
        How many judged documents of each level the query has.
    levels : the grades of the collection, ascending from 0.
    """

    level: Array
    pool: Array
    levels: Levels
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, grades: Any, *, levels: Sequence[float], mask: Any = None, pool: Any = None) -> Batch:
        """A batch of padded queries.

        Parameters
        ----------
        grades : number[query, n], a tensor or an array.
        levels : the grades of the collection, ascending from 0, as (0, 1, 2). Measures depend on all of them, even on
            grades that do not occur in the batch.
        mask : bool[query, n], False in the padding, whose grades are ignored. Default: no padding.
        pool : int[query, level], the numbers of judged documents, where the list does not hold all of them.

        Raises
        ------
        InputError : a grade is not one of the levels (negative, NaN ...), a shape does not fit, a pool is too small.
        """
        scale = require_levels(levels)
        array = read_doubles("grades", grades)
        if array.ndim != 2:
            raise InputError(f"grades have {array.ndim} axes, not two: [query, document]")
        listed = np.ones(array.shape, bool) if mask is None else read_array("mask", mask)
        if listed.shape != array.shape or listed.dtype != bool:
            raise InputError(
                f"mask is {listed.dtype}{list(listed.shape)}, grades are {list(array.shape)}: give a bool for "
                "each grade, False in the padding"
            )
        level = np.full(array.shape, -1)
        level[listed] = level_of(array[listed], scale)
        counts = pool_of(level, scale)
        whole_pool = counts if pool is None else read_numbers("pool", pool)
        if whole_pool.dtype.kind not in "iu" or whole_pool.shape != counts.shape or (whole_pool < counts).any():
            raise InputError(
                f"pool must be whole numbers [{counts.shape[0]}, {counts.shape[1]}], documents by query and level, at "
                "least as many as the lists hold"
            )
        require_exact("pool", whole_pool)
        return cls(level, whole_pool.astype(np.int64), scale)

    @cached_property
    def lengths(self) -> Array:
        """int[query]: the number of documents of each query."""
        return np.asarray((self.level >= 0).sum(-1))

    def keep(self, key: Any, compute: Callable[[], T]) -> T:
        """The result of ``compute``, which is called once and cached under ``key``."""
        if key not in self._kept:
            self._kept[key] = compute()
        value: T = self._kept[key]
        return value

    def kernel(self, measure: Measure) -> Kernel | None:
        """The kernel of a measure for these queries; None for a measure without one."""
        return self.keep(measure, lambda: kernel_of(measure, self.pool, self.levels, self.lengths, self.level.shape[1]))

    def kernel_like(self, measure: Measure, like: torch.Tensor) -> Kernel | None:
        """The kernel as tensors of the precision and on the device of ``like``."""
        kernel = self.kernel(measure)
        if kernel is None:
            return None
        return self.keep((measure, like.dtype, like.device), lambda: kernel.map_arrays(to_tensors(like)))

    def places(self, measure: Measure) -> Array:
        """int64[query, n]: where the tables of the measure's kernel have the level of each document (-1: padding)."""
        kernel = self.kernel(measure)
        return kernel.places(self.level) if isinstance(kernel, PairKernel) else self.level

    def padding_at(self, device: torch.device) -> torch.Tensor:
        """bool[query, n]: whether a place is padding, as a tensor."""
        return self.keep(("padding", device), lambda: torch.from_numpy(self.level < 0).to(device))

    def levels_at(self, device: torch.device) -> torch.Tensor:
        """int64[query, n]: ``level`` as a tensor."""
        return self.keep(("level", device), lambda: torch.from_numpy(self.level).to(device))


def to_tensors(like: torch.Tensor) -> Callable[[Array], torch.Tensor]:
    """A function that makes tensors from arrays, of the precision and on the device of ``like``; whole numbers stay."""

    def to_tensor(array: Array) -> torch.Tensor:
        whole = array.dtype.kind in "iu"
        return torch.tensor(array, dtype=torch.int64 if whole else like.dtype, device=like.device)

    return to_tensor


def batch_of(grades: Any, levels: Sequence[float] | None, mask: Any, pool: Any) -> Batch:
    """The batch that was passed in place of grades, or one made from these arguments."""
    if isinstance(grades, Batch):
        if not (levels is None and mask is None and pool is None):
            raise InputError("a Batch has its own levels, mask and pool: give them to Batch.of, not again")
        return grades
    if levels is None:
        raise InputError(
            "levels: give the grades of the collection, as in levels=(0, 1, 2); measures depend on them, "
            "and one batch need not have them all"
        )
    return Batch.of(grades, levels=levels, mask=mask, pool=pool)


def check_scores(scores: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
    """Scores [query, n] in single or double precision, 0 where ``padding`` is True."""
    if not isinstance(scores, torch.Tensor):
        raise InputError(f"scores are {kind_of(scores)}: give a tensor of PyTorch, as the model returns it")
    if scores.shape != padding.shape:
        raise InputError(
            f"scores are {list(scores.shape)}, the batch is {list(padding.shape)}: give one score for each document"
        )
    if not scores.dtype.is_floating_point:
        raise InputError(f"scores are {scores.dtype}: give floating-point scores")
    if scores.dtype not in (torch.float32, torch.float64):
        scores = scores.float()
    return scores.masked_fill(padding, 0.0)


def in_full_precision(scores: torch.Tensor) -> AbstractContextManager[object]:
    """Within it, automatic mixed precision leaves the numbers as they are: a loss needs its digits."""
    precision: AbstractContextManager[object] = torch.autocast(scores.device.type, enabled=False)
    return precision


def require_finite(scores: torch.Tensor) -> None:
    """An InputError where a score [query, n] is not finite.

    Only on a CPU, where looking costs nothing: a GPU would have to be waited for, and a compiled graph would be broken.
    There the loss of such a query is not finite.
    """
    if scores.device.type != "cpu" or torch.compiler.is_compiling() or bool(torch.isfinite(scores).all()):
        return
    query = int((~torch.isfinite(scores)).any(1).nonzero()[0])
    raise InputError(
        f"query {query} of the batch has a score that is not finite; take a lower learning rate if the "
        "model diverged, or mend features that are not finite"
    )
