"""judge_arrays(): grades and scores in arrays, as training loops have them, become judged rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.array_checks import (
    add_up_to,
    number_queries,
    read_array,
    read_flags,
    read_numbers,
    read_queries,
    require_exact,
    require_finite,
)
from gradeval.formula.arithmetic import Array, repeat, spread_to
from gradeval.formula.judged import NO_DOCUMENT, JudgedRankings
from gradeval.formula.levels import Levels, count_grades, count_whole_grades, levels_of, require_levels
from gradeval.formula.ranking import average_orders, group_columns, rank_by_scores, take_in_order
from gradeval.formula.recording import FewRankings
from gradeval.kernels.tied import TiedArrays, TiedRankings

OneOrder: TypeAlias = Literal["order", "average", "best", "worst"]
ExpectedTies: TypeAlias = Literal["expected"]
ArrayTies: TypeAlias = OneOrder | ExpectedTies
TIES = (*get_args(OneOrder), "expected")


@overload
def judge_arrays(
    grades: Any,
    scores: Any,
    *,
    group: Any = ...,
    mask: Any = ...,
    levels: Any = ...,
    ties: ExpectedTies,
    seed: int = ...,
) -> TiedArrays: ...
@overload
def judge_arrays(
    grades: Any,
    scores: Any,
    *,
    group: Any = ...,
    mask: Any = ...,
    levels: Any = ...,
    ties: OneOrder = ...,
    seed: Any = ...,
) -> JudgedRankings: ...
@known_arguments()
def judge_arrays(
    grades: Any,
    scores: Any,
    *,
    group: Any = None,
    mask: Any = None,
    levels: Sequence[float] | None = None,
    ties: ArrayTies = "order",
    seed: int = 0,
) -> JudgedRankings | TiedArrays:
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
    ties : equal scores stay in the order given ("order"), or are ordered by grade, "best" or "worst" first; or measures
        give their expectation over all orders ("expected": exact or from drawn orders as in ``evaluate``, and measures
        are all that takes such rankings); or ("average", for formulas of your own) the rankings get a leading axis of
        orders of the tied documents: the mean of a measure over this axis is its expectation over all orders. It is
        exact for measures that add up over documents (P, R, DCG, nDCG, RBP ...) where the sizes of the tied groups have
        a common multiple up to 128; else, and for other measures, it is estimated from up to 128 orders.
    seed : of the orders.

    Returns
    -------
    JudgedRankings [..., n], [query, j] for flat arrays, with the axis of the orders in front for ties="average".
    ``document`` is the index along the last axis, for flat arrays that inside the query. For ties="expected"
    TiedArrays: ``AP(rankings)`` is the expected value of each, ``rankings.errors(AP)`` its standard error.

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
    arguments.one_of("ties", ties, TIES)
    seed = arguments.seed(seed)
    graded, scored = read_numbers("grades", grades), read_numbers("scores", scores)
    there = None if mask is None else read_flags("mask", mask)
    if group is not None:
        graded, scored, there = _padded(graded, scored, there, read_array("group", group))
    elif graded.ndim == 0 or scored.ndim == 0:
        raise InputError("grades and scores need an axis of documents: give arrays [..., n]")
    shape = _common_shape(graded, scored, there)
    require_exact("grades", graded, there)
    require_exact("scores", scored, there)
    graded = graded if graded.dtype.kind in "fi" else graded.astype(float)
    scored = scored if scored.dtype.kind == "f" else scored.astype(float)
    graded, pool, scale = _graded(graded, there, None if levels is None else require_levels(levels))
    known = spread_to(scored if there is None else np.where(there, scored, -np.inf), shape)
    whole = spread_to(graded, shape)
    if ties in ("order", "expected"):
        order, in_order, finite = rank_by_scores(known, whole)
        if not finite:
            require_finite("scores", scored, there)
    else:
        require_finite("scores", scored, there)
        order, in_order = _order_ties(known, whole, ties, seed)
    ranked = _ranked(in_order, None if there is None else spread_to(there, shape), order, pool, scale)
    return ranked if ties != "expected" else _tied(ranked, np.take_along_axis(known, order, -1), seed)


def _order_ties(scores: Array, grades: Array, ties: ArrayTies, seed: int) -> tuple[Array, Array]:
    """int32[..., n], float64[..., n]: the order of the documents, equal scores by grade, or with a leading axis of
    several orders; and the grades in this order."""
    if ties == "average":
        order = average_orders(-scores, seed)
    else:
        order = np.lexsort(np.stack([-grades if ties == "best" else grades, -scores]), axis=-1).astype(np.int32)
    return order, take_in_order(spread_to(grades, order.shape), order)


def _tied(ranked: JudgedRankings, scores: Array, seed: int) -> TiedArrays:
    """The rankings with the ranks of equal scores[..., n], which are in their order."""
    shape = ranked.ranks.shape[:-1]
    rows, width = math.prod(shape), ranked.ranks.shape[-1]

    def flat(values: Array) -> Array:
        return np.broadcast_to(values, (*shape, values.shape[-1])).reshape(rows, values.shape[-1])

    begin, end = group_columns(flat(scores))
    there = flat(ranked.judged)
    one_order = JudgedRankings(
        grades=flat(ranked.grades),
        ranks=flat(ranked.ranks),
        judged=there,
        document=flat(ranked.document),
        pool=flat(ranked.pool),
        levels=ranked.levels,
        retrieved=np.broadcast_to(ranked.retrieved, shape).reshape(rows),
    )
    first, last = (np.where(there, place + 1.0, np.inf).reshape(rows, width) for place in (begin, end))
    return TiedArrays(TiedRankings(one_order, first, last, np.arange(rows) + (seed << 32)), shape)


def _ranked(grades: Array, there: Array | None, order: Array, pool: Array, levels: Levels) -> JudgedRankings:
    """The rankings of documents in this order[..., n], with these grades; those that are padding come last."""
    shape = order.shape
    whole_ranks, all_judged, width = _whole_ranking(shape[-1])
    ranks = repeat(whole_ranks, shape)
    if there is None:
        judged, length = repeat(all_judged, shape), repeat(width, shape[:-1])
        return FewRankings(grades, ranks, judged, order, pool, levels, length)
    length = spread_to(there.sum(-1), shape[:-1])
    judged = ranks <= length[..., None]
    document = np.where(judged, order, NO_DOCUMENT)
    return FewRankings(grades, np.where(judged, ranks, np.inf), judged, document, pool, levels, length)


@lru_cache(maxsize=16)
def _whole_ranking(documents: int) -> tuple[Array, Array, Array]:
    """float64[n], bool[n], int64[]: the ranks of so many documents, that all are judged, and their number."""
    return np.arange(1.0, documents + 1), np.ones(documents, bool), np.array(documents)


def _row_of_each(group: Array, documents: int) -> Array:
    """intp[n]: the row of each document, from sizes or from the query of each."""
    if group.ndim != 1:
        raise InputError(f"group has the shape {list(group.shape)}; give sizes or one query for each document")
    sizes = add_up_to(group, documents)
    if sizes and len(group) == documents and documents > 1:
        raise InputError(
            "group=[1, 1, ...] may be sizes or one query for all: give arrays of shape [n, 1] or [1, n] instead"
        )
    if sizes:
        return np.repeat(np.arange(len(group)), group.astype(np.int64))
    if len(group) != documents:
        raise InputError(
            f"group has {len(group)} entries for {documents} documents; give sizes that add up to {documents}, or "
            "one query for each document"
        )
    return number_queries("group", read_queries("group", group))


def _padded(graded: Array, scored: Array, there: Array | None, group: Array) -> tuple[Array, Array, Array]:
    """Flat arrays [..., n] as [..., query, j], with the mask of what is there."""
    if graded.ndim != 1 or scored.ndim < 1 or scored.shape[-1] != len(graded):
        raise InputError(
            f"group goes with flat grades[n] and scores[n], not with the shapes {list(graded.shape)} and "
            f"{list(scored.shape)}"
        )
    if there is not None and there.shape != graded.shape:
        raise InputError(f"mask has the shape {list(there.shape)}, grades have {list(graded.shape)}")
    row = _row_of_each(group, len(graded))
    counts = np.bincount(row)
    by_row = np.argsort(row, kind="stable")
    column = np.empty(len(row), np.intp)
    column[by_row] = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)

    def spread(values: Array) -> Array:
        """[..., query, j] of flat values [..., n]; 0 in the padding."""
        padded = np.zeros((*values.shape[:-1], len(counts), int(counts.max(initial=0))), values.dtype)
        padded[..., row, column] = values
        return padded

    return spread(graded), spread(scored), spread(np.ones(len(graded), bool) if there is None else there)


def _common_shape(graded: Array, scored: Array, there: Array | None) -> tuple[int, ...]:
    shapes: list[tuple[int, ...]] = [graded.shape, scored.shape, *([there.shape] if there is not None else [])]
    if len(set(shapes)) == 1:
        return shapes[0]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        shape = ()
    if len({one[-1] if one else 0 for one in shapes}) > 1 or not shape:
        listed = " and ".join(str(list(one)) for one in shapes)
        names = "grades and scores" if there is None else "grades, scores and mask"
        raise InputError(f"{names} have the shapes {listed}; the last axis holds the documents, leading axes broadcast")
    return shape


def _graded(grades: Array, there: Array | None, levels: Levels | None) -> tuple[Array, Array, Levels]:
    """The grades, with 0 for negative ones and padding; int64[..., level]: how many documents of each level there are;
    and the levels, by default those that occur. An error for a grade outside them, or not finite."""
    if there is not None:
        grades, there = map(np.ascontiguousarray, np.broadcast_arrays(grades, there))
    counted = count_whole_grades(grades, there, levels)
    if counted is None:
        require_finite("grades", grades, there)
    if there is not None:
        grades = np.where(there, grades, 0)
    if counted is not None:
        return grades, *counted
    grades = np.maximum(grades, 0)
    levels = levels_of(grades) if levels is None else levels
    return grades, count_grades(grades, there, levels), levels
