"""Rankings on which a pair form is proven, of pools of many kinds: each kind catches measures that the others miss.

A random sample proves nothing about pools that are larger, or rankings that are longer, than those in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels

DOCUMENTS = 24  # about so many in a pool
LARGE = 4 * DOCUMENTS  # and so many in the largest
RANKINGS = 12  # of each pool
PAIRS = 100  # of levels, at most, that have pools to themselves
FEW_PAIRS = 10  # of so many, pools of all small sizes

Example = tuple[Array, Array]  # a ranking int[n] of levels, and its pool int[level]


def example_rankings(levels: Levels) -> tuple[Array, Array, Array]:
    """Rankings int[query, n] of levels (-1: padding), their pools int[query, level], and their lengths."""
    rng = np.random.default_rng(0)
    size = len(levels)
    examples = [*_random_rankings(size, rng), *_single_levels(size), *_pairs_of_levels(size, rng)]
    lengths = np.array([len(ranking) for ranking, _ in examples])
    level = np.full((len(examples), lengths.max()), -1)
    level[np.arange(level.shape[1]) < lengths[:, None]] = np.concatenate([ranking for ranking, _ in examples])
    return level, np.array([pool for _, pool in examples]), lengths


def _random_rankings(levels: int, rng: np.random.Generator) -> Iterator[Example]:
    """Rankings of a pool or a part of it, in any order, and with the relevant documents first, where a cutoff
    sees them."""
    for pool in _pools(levels, rng):
        documents = np.repeat(np.arange(levels), pool)
        for number in range(RANKINGS):
            length = len(documents) if number % 3 else int(rng.integers(1, len(documents) + 1))
            ranking = rng.permutation(documents)[:length]
            yield ranking, pool
            yield (np.sort(ranking)[::-1] if number % 2 else ranking[np.argsort(ranking == 0, kind="stable")]), pool


def _pools(levels: int, rng: np.random.Generator) -> Iterator[Array]:
    """Pools int[level]: rich and poor ones, with and without the highest and the lowest relevant level."""
    each = max(2, DOCUMENTS // levels)
    yield np.full(levels, each)
    for present in (slice(0, 1), slice(-1, None), slice(1, 2), slice(0, -1)):  # and documents of level 0
        pool = np.zeros(levels, int)
        pool[present] = each
        pool[0] = DOCUMENTS // 2
        yield pool
    poor = np.minimum(np.arange(levels)[::-1] < 2, 1).astype(int)  # one of each of the best two
    poor[0] = DOCUMENTS
    yield poor
    for documents in (*[DOCUMENTS] * 4, LARGE):
        yield rng.multinomial(documents, rng.dirichlet(np.ones(levels)))
    yield np.full(levels, -(-LARGE // levels))


def _single_levels(levels: int) -> Iterator[Example]:
    """Pools of one level and nothing else: one document, and many."""
    for level in range(levels):
        for documents in (1, DOCUMENTS):
            yield np.full(documents, level), np.bincount([level], [documents], levels).astype(int)


def _pairs_of_levels(levels: int, rng: np.random.Generator) -> Iterator[Example]:
    """Pools of a few documents of each of two levels, ranked either way, and a ranking of some of them."""
    pairs = [(high, low) for high in range(levels) for low in range(high)]
    if len(pairs) > PAIRS:
        best, worst = [(levels - 1, low) for low in range(levels - 1)], [(high, 1) for high in range(2, levels)]
        pairs = [*(pairs[place] for place in rng.choice(len(pairs), PAIRS, replace=False)), *best, *worst]
    for high, low in pairs:
        counts = product((1, 2, 3), repeat=2) if len(pairs) <= FEW_PAIRS else [tuple(rng.integers(1, 3, 2))]
        for number in counts:
            pool = np.zeros(levels, int)
            pool[[high, low]] = number
            ranking = np.repeat(np.arange(levels), pool)
            yield from ((order, pool) for order in (ranking, ranking[::-1], rng.permutation(ranking)[:2]))
