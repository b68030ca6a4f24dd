"""judge_arrays(): grades and scores in arrays, as training loops have them, become judged rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.formula.arithmetic import Array
from gradeval.formula.judged import NO_DOCUMENT, JudgedRankings
from gradeval.formula.levels import Levels, levels_of, require_levels, show_levels

ArrayTies: TypeAlias = Literal["order", "average"]
ORDERS = 128
"""Orders of tied documents over which values are averaged, at most."""
PART = 8192
"""Documents that are ranked at a time."""
PACKED = 4096
"""Documents of a ranking up to which a key and a place share a number: the key keeps 52 bits or more."""


def judge_arrays(
    grades: Any,
    scores: Any,
    *,
    group: Any = None,
    mask: Any = None,
    levels: Sequence[float] | None = None,
    ties: ArrayTies = "order",
    seed: int = 0,
) -> JudgedRankings:
    """Rank documents by their scores and judge the rankings: what measures take, without ids, files or dictionaries.

    Every document given is in the pool of its ranking and judged; a document that is not given does not exist.
    Negative grades count as grade 0.

    Parameters
    ----------
    grades, scores : numbers[..., n] of NumPy, or of anything that speaks DLPack (a tensor of torch is read without a
        copy where it is on the processor, else copied to it; gradients are left alone) or becomes a NumPy array. The
        last axis holds the documents of one ranking; leading axes broadcast, so that scores[model, topic, n] go with
        grades[topic, n].
    group : for flat grades[n] and scores[n]: the sizes of the groups, which add up to n (LightGBM), or the query of
        each document, any n values (XGBoost, scikit-learn). The rankings are then [query, j], in the order in which
        the queries first appear.
    mask : bool[..., n], False for padding, whose grades and scores may be anything.
    levels : the grades of the collection, ascending from 0; default: those seen in ``grades`` (see ``Qrels.levels``).
        Declare them in a loop: a batch without the best grade has other levels, and GAP, ERR or RBP other values.
    ties : equal scores stay in the order given ("order"), or ("average") the rankings get a leading axis of orders of
        the tied documents: the mean of a measure over this axis is its expectation over all orders. It is exact for
        measures that add up over documents (P, R, DCG, nDCG, RBP ...) where the sizes of the tied groups have a common
        multiple up to 128; else, and for other measures, it is estimated from up to 128 orders.
    seed : of the orders.

    Returns
    -------
    JudgedRankings [..., n], [query, j] for flat arrays, with the axis of the orders in front for ties="average".
    ``document`` is the index along the last axis, for flat arrays that inside the query.

    Raises
    ------
    InputError : shapes that do not go together, a grade or score that is not finite, a grade outside ``levels``, an
        ambiguous ``group``.

    Source of averaged ties: McSherry & Najork (2008), "Computing information retrieval performance measures
    efficiently in the presence of tied scores", ECIR.

    >>> import numpy as np
    >>> from gradeval import AP
    >>> AP(judge_arrays(np.array([[0, 2, 1]]), np.array([[0.3, 0.9, 0.1]])))
    array([0.83333333])
    """
    checks.one_of("ties", ties, get_args(ArrayTies))
    graded, scored = _numbers(grades, "grades", "fi"), _numbers(scores, "scores", "f")
    there = None if mask is None else _flags(mask)
    if group is not None:
        graded, scored, there = _padded(graded, scored, there, _array(group, "group"))
    elif graded.ndim == 0 or scored.ndim == 0:
        raise InputError("grades and scores need an axis of documents: give arrays [..., n]")
    shape = _common_shape(graded, scored, there)
    _require_finite(graded, there, "grades")
    _require_finite(scored, there, "scores")
    whole = graded if there is None else np.where(there, graded, 0)
    if whole.min(initial=0) < 0:
        whole = np.maximum(whole, 0)
    scale = levels_of(whole) if levels is None else require_levels(levels)
    pool = _count(whole, there, scale)
    known = np.broadcast_to(scored if there is None else np.where(there, scored, -np.inf), shape)
    if ties == "average":
        order = _average_orders(-known, checks.seed(seed))
    else:
        order = _in_parts(_stable_order, [known], np.int32)
    return _ranked(np.broadcast_to(whole, shape), there, order, pool, scale)


def _ranked(grades: Array, there: Array | None, order: Array, pool: Array, levels: Levels) -> JudgedRankings:
    """The rankings of documents in this order[..., n], of which those that are padding come last."""
    place = np.arange(order.shape[-1], dtype=np.int32)
    ranked = _in_parts(_take, [np.broadcast_to(grades, order.shape), order], float)
    ranks = np.broadcast_to(place + 1.0, order.shape)
    if there is None:
        judged, length = np.broadcast_to(True, order.shape), np.full(order.shape[:-1], order.shape[-1])
        return JudgedRankings(ranked, ranks, judged, order, pool, levels, length)
    length = np.broadcast_to(np.broadcast_to(there, grades.shape).sum(-1), order.shape[:-1])
    judged = place < length[..., None]
    document = np.where(judged, order, NO_DOCUMENT)
    return JudgedRankings(ranked, np.where(judged, ranks, np.inf), judged, document, pool, levels, length)


def _in_parts(compute: Callable[..., Array], arrays: Sequence[Array], kind: type) -> Array:
    """compute(*arrays), [..., n] from arrays [..., n], some rows at a time.

    The arrays in between then stay in the processor's cache, and the system is not asked for memory for each of them,
    which takes longer than the work.
    """
    shape = arrays[0].shape
    flat = [array.reshape(math.prod(shape[:-1]), shape[-1]) for array in arrays]
    rows = max(1, PART // max(1, shape[-1]))
    result: Array = np.empty(flat[0].shape, kind)
    for begin in range(0, len(result), rows):
        part = slice(begin, begin + rows)
        result[part] = compute(*(array[part] for array in flat))
    return result.reshape(shape)


def _stable_order(scores: Array) -> Array:
    """intp[row, n]: the documents by falling score, equal ones in the order given."""
    if scores.dtype.itemsize <= 8 and scores.shape[-1] <= PACKED:
        keys = np.subtract(0.0, scores, dtype=float)  # not -scores: 0.0 and -0.0 are equal scores
        order = _order_of_packed(keys)
        ranked = _take(keys, order)
        if not np.count_nonzero(ranked[:, 1:] < ranked[:, :-1]):
            return order
    return np.argsort(-scores, axis=-1, kind="stable")


def _order_of_packed(keys: Array) -> Array:
    """int64[row, n]: the documents by rising key, each key and its place packed into one number: NumPy sorts numbers
    several times faster than it finds their order.

    The bits of a float, read as an integer, ascend as the float does, once those of negative ones are turned round. The
    place takes the last bits: keys that differ in these alone may come in the wrong order, equal ones never do.
    """
    last = np.int64((1 << (keys.shape[-1] - 1).bit_length()) - 1)
    packed = keys.view(np.int64)
    packed = packed ^ ((packed >> 63) & np.iinfo(np.int64).max)
    packed &= ~last
    packed |= np.arange(keys.shape[-1])
    packed.sort(axis=-1)
    packed &= last
    return packed


def _take(values: Array, order: Array) -> Array:
    """The values[row, n] in this order[row, n]: what np.take_along_axis returns, in a third of its time."""
    begin = (np.arange(len(values)) * values.shape[-1])[:, None]
    taken: Array = values.ravel().take(order + begin)
    return taken


def _average_orders(keys: Array, seed: int) -> Array:
    """int32[m, ..., n]: m orders that differ among equal keys only, where each document is equally often at each rank.

    The documents of a tied group are shuffled once and then rotated, so that after as many orders as it has documents
    each of them has been everywhere.
    """
    shuffled = np.lexsort(np.stack([np.random.default_rng(seed).random(keys.shape), keys]), axis=-1)
    ranked = np.take_along_axis(keys, shuffled, -1)
    place = np.broadcast_to(np.arange(keys.shape[-1]), keys.shape)
    new = np.ones(keys.shape, bool)
    new[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    begin = np.maximum.accumulate(np.where(new, place, 0), -1)
    last = np.ones(keys.shape, bool)
    last[..., :-1] = new[..., 1:]
    end = np.minimum.accumulate(np.where(last, place, keys.shape[-1])[..., ::-1], -1)[..., ::-1]
    size = end - begin + 1
    sizes = np.unique(size[np.isfinite(ranked)]).tolist() or [1]
    turns = np.arange(min(math.lcm(*sizes), ORDERS)).reshape(-1, *[1] * keys.ndim)
    place = begin + (place - begin + turns) % size
    return np.take_along_axis(np.broadcast_to(shuffled, place.shape), place, -1).astype(np.int32)


@dataclass(frozen=True)
class _Groups:
    """Where each document of flat arrays goes: its row and its column."""

    row: Array
    column: Array
    shape: tuple[int, int]

    @classmethod
    def of(cls, group: Array, documents: int) -> _Groups:
        """From sizes or from the query of each document."""
        if group.ndim != 1:
            raise InputError(f"group has the shape {list(group.shape)}; give sizes or one query for each document")
        sizes = group.dtype.kind in "iu" and bool((group > 0).all()) and int(group.sum()) == documents
        if sizes and len(group) == documents and documents > 1:
            raise InputError(
                "group=[1, 1, ...] may be sizes or one query for all: give arrays of shape [n, 1] or [1, n] instead"
            )
        if sizes:
            return cls._of_rows(np.repeat(np.arange(len(group)), group), len(group))
        if len(group) != documents:
            raise InputError(
                f"group has {len(group)} entries for {documents} documents; give sizes that add up to {documents}, or "
                "one query for each document"
            )
        _, first, code = np.unique(group, return_index=True, return_inverse=True)
        place = np.empty(len(first), np.intp)
        place[np.argsort(first)] = np.arange(len(first))  # queries in the order in which they first appear
        return cls._of_rows(place[code], len(first))

    @classmethod
    def _of_rows(cls, row: Array, rows: int) -> _Groups:
        counts = np.bincount(row, minlength=rows)
        by_row = np.argsort(row, kind="stable")
        column = np.empty(len(row), np.intp)
        column[by_row] = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        return cls(row, column, (rows, int(counts.max(initial=0))))

    def spread(self, values: Array, fill: float | bool) -> Array:
        """[..., query, j] of flat values [..., n]."""
        padded = np.full((*values.shape[:-1], *self.shape), fill, values.dtype)
        padded[..., self.row, self.column] = values
        return padded


def _padded(graded: Array, scored: Array, there: Array | None, group: Array) -> tuple[Array, Array, Array]:
    """Flat arrays [..., n] as [..., query, j], with the mask of what is there."""
    if graded.ndim != 1 or scored.ndim < 1 or scored.shape[-1] != len(graded):
        raise InputError(
            f"group goes with flat grades[n] and scores[n], not with the shapes {list(graded.shape)} and "
            f"{list(scored.shape)}"
        )
    if there is not None and there.shape != graded.shape:
        raise InputError(f"mask has the shape {list(there.shape)}, grades have {list(graded.shape)}")
    groups = _Groups.of(group, len(graded))
    known = np.ones(len(graded), bool) if there is None else there
    return groups.spread(graded, 0), groups.spread(scored, 0), groups.spread(known, False)


def _array(values: Any, what: str) -> Array:
    """An array of NumPy; tensors are detached and taken to the processor, where they are not copied."""
    if isinstance(values, np.ndarray):
        return values
    for step in ("detach", "cpu"):
        values = getattr(values, step)() if hasattr(values, step) else values
    if hasattr(values, "__dlpack__"):
        try:
            return np.from_dlpack(values)
        except (BufferError, RuntimeError, TypeError):  # a type that NumPy has not, such as bfloat16
            values = values.float() if hasattr(values, "float") else values
    try:
        return np.asarray(values)
    except (ValueError, TypeError):
        raise InputError(f"{what} are no array: {checks.shown(values)}; give numbers of one shape") from None


def _numbers(values: Any, what: str, kept: str) -> Array:
    """Numbers of the kinds that are ``kept`` as they are, of other kinds as floats."""
    array = _array(values, what)
    if array.dtype.kind not in "fiub":
        raise InputError(f"{what} are {array.dtype}, not numbers; give an array of integers or floats")
    return array if array.dtype.kind in kept else array.astype(float)


def _flags(values: Any) -> Array:
    mask = _array(values, "mask")
    if mask.dtype != bool and not np.isin(mask, (0, 1)).all():
        raise InputError("mask is neither True nor False everywhere; give True for a document, False for padding")
    return mask.astype(bool, copy=False)


def _common_shape(graded: Array, scored: Array, there: Array | None) -> tuple[int, ...]:
    shapes = [graded.shape, scored.shape, *([there.shape] if there is not None else [])]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        shape = ()
    if len({one[-1] if one else 0 for one in shapes}) > 1 or not shape:
        listed = " and ".join(str(list(one)) for one in shapes)
        names = "grades and scores" if there is None else "grades, scores and mask"
        raise InputError(
            f"{names} have the shapes {listed}; the last axis is that of the documents, leading axes broadcast"
        )
    return shape


def _require_finite(values: Array, there: Array | None, what: str) -> None:
    if values.dtype.kind != "f":
        return
    wrong = ~np.isfinite(values)
    if not np.count_nonzero(wrong):
        return
    if there is not None:
        wrong = wrong & there
        if not wrong.any():
            return
    place = np.argwhere(wrong)[0].tolist()
    kept = np.broadcast_to(values, wrong.shape)[tuple(place)]
    raise InputError(f"{what}{place} is {kept}; give finite numbers, and mask=False for padding")


def _count(grades: Array, there: Array | None, levels: Levels) -> Array:
    """int64[..., level]: how many documents of each level there are; an error for a grade that is none of them."""
    if there is not None:
        grades, there = np.broadcast_arrays(grades, there)
    if levels == tuple(range(len(levels))):  # the grade is its own index: no search
        level = np.minimum(grades, len(levels)).astype(np.intp)
    else:
        level = np.searchsorted(levels, grades)
    known = np.take(levels, level, mode="clip") == grades
    if not known.all():
        outside = grades[~known if there is None else ~known & there]
        raise InputError(
            f"grade {outside.min():g} is not one of the levels {show_levels(levels)}; declare it in levels="
        )
    shape = (*grades.shape[:-1], len(levels))
    row = np.arange(0, math.prod(shape), len(levels)).reshape(*shape[:-1], 1)
    cell = (level + row).ravel() if there is None else (level + row)[there]
    return np.bincount(cell, minlength=math.prod(shape)).reshape(shape)
