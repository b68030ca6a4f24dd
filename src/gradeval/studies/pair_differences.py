"""Which pairs of runs a bootstrap test tells apart, of many resamples of the topics: without the levels themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import SAME, Array, ratio
from gradeval.studies.parallel import product
from gradeval.studies.significance import PAIRS_AT_ONCE, PART, differences_of, resample, standardize


@dataclass(frozen=True, eq=False)
class PairDifferences:
    """Differences of pairs of runs, ready for the tests of many resamples of the topics.

    Attributes
    ----------
    differences : float64[pair, topic].
    squares : float32[pair, topic]: their squares, where the largest value is 1.
    values : float64[run, topic]: the values on this scale, less the mean of all runs.
    pairs : intp[pair, 2]: places of the runs.
    """

    differences: Array
    squares: Array
    values: Array
    pairs: Array

    @classmethod
    def of(cls, values: Array, pairs: Array) -> PairDifferences:
        """The differences of pairs of values[topic, run]."""
        differences, scale = differences_of(values, pairs), np.abs(values).max() or 1.0
        squares = np.square(differences / scale).astype(np.float32)
        return cls(differences, squares, np.ascontiguousarray((values.T - values.mean(1)) / scale), pairs)

    def tell_apart(self, weights: Array, alpha: float, times: Array | None = None) -> Array:
        """bool[pair]: is the ASL of ``bootstrap_tests`` below alpha?

        Most pairs that are not told apart need only part of the samples: a pair is left as soon as so many of them are
        extreme that its ASL cannot be below alpha. Single precision counts between which numbers of samples are
        extreme; pairs for which this leaves the answer open are tested in double precision.

        Parameters
        ----------
        times : int64[topic]: how often each topic stands there, one after another; by default once. weights[sample,
            topic] then have a column each time.
        """
        times = np.ones(self.values.shape[1], int) if times is None else times
        there = np.flatnonzero(times)
        samples, topics = weights.shape
        columns = np.add.reduceat(weights, np.cumsum(times[there]) - times[there], axis=1)
        shares, observed = np.ascontiguousarray(columns.T) / topics, times[there] / topics
        rough_shares, values = shares.astype(np.float32), self.values[:, there]
        means = values @ observed
        parts = [
            (np.ascontiguousarray(rough_shares[:, part]), (values @ shares[:, part]).astype(np.float32))
            for part in blocks(samples, PART)
        ]
        apart = np.ones(len(self.pairs), bool)
        for block in blocks(len(self.pairs), PAIRS_AT_ONCE):
            pairs, squares = self.pairs[block], self.squares[block].take(there, axis=1)
            bounds = _Bounds.of(squares, observed, means[pairs[:, 0]] - means[pairs[:, 1]], np.abs(values).max())
            left = np.arange(len(pairs))
            least, most = np.zeros((2, len(left)), np.int64)
            for of_topics, averages in parts:
                own = averages.take(pairs[left, 0], axis=0)
                own -= averages.take(pairs[left, 1], axis=0)
                surely, perhaps = bounds.take(left).count(own, of_topics)
                least[left] += surely
                most[left] += perhaps
                left = left[least[left] / samples < alpha]
            apart[block][least / samples >= alpha] = False
            open_ = left[most[left] / samples >= alpha]
            if len(open_):
                exact, deviations, _ = standardize(self.differences[block][open_][:, there], times[there])
                extremes = resample(deviations, shares)[1] >= (exact * (1 - SAME))[:, None]
                apart[block.start + open_] = np.count_nonzero(extremes, axis=-1) / samples < alpha
        return apart


@dataclass(frozen=True, eq=False)
class _Bounds:
    """From which averages on a sample of a pair's differences d is surely, or is perhaps, extreme.

    With m = mean(d), o = m^2 / mean(d^2) as observed, A = mean(d_b) and B = mean(d_b^2) of a sample, M = A - m and
    Q = B - 2 m A + m^2 (see ``resample``). So M^2 >= o Q where (A - m (1 - o))^2 + o (1 - o) m^2 >= o B.

    In single precision, of unit u = 2^-24, sums of n squares are wrong by (n + 3) u of themselves at most,
    A - m (1 - o) by e = 16 u times the largest value, and its square, for each h, by h times itself and 2 e^2 / h. With
    h = 8 (n + 3) u, all that is relative to o B is less than 4 h o B, and to m^2 less than 4 h o m^2.

    Attributes
    ----------
    squares : float32[pair, topic]: o (1 - 4 h) d^2.
    centre, further, slack : float32[pair]: m (1 - o); o (1 - o) m^2 and what errors may add; twice these errors.
    relative : (1 + 4 h) / (1 - 4 h).
    """

    squares: Array
    centre: Array
    further: Array
    slack: Array
    relative: float

    @classmethod
    def of(cls, squares: Array, observed: Array, mean: Array, largest: float) -> _Bounds:
        """The bounds for squares[pair, topic] with these shares of the topics, and the means of the differences."""
        whole = (squares @ observed.astype(np.float32)).astype(float)
        level = np.minimum(ratio(np.square(mean), whole), 1.0)
        h = 8 * (squares.shape[1] + 3) * 2.0**-24
        slack = 4 * h * level * np.square(mean) + 2 * (16 * 2.0**-24 * largest + 4 * SAME) ** 2 / h
        further = level * (1 - level) * np.square(mean) + slack
        centre, more, twice = (each.astype(np.float32)[:, None] for each in (mean * (1 - level), further, 2 * slack))
        rough = squares * (level * (1 - 4 * h)).astype(np.float32)[:, None]
        return cls(rough, centre, more, twice, (1 + 4 * h) / (1 - 4 * h))

    def take(self, which: Array) -> _Bounds:
        """The bounds of some pairs."""
        if len(which) == len(self.squares):
            return self
        return _Bounds(self.squares[which], self.centre[which], self.further[which], self.slack[which], self.relative)

    def count(self, averages: Array, shares: Array) -> tuple[Array, Array]:
        """[pair], twice: how many of averages[pair, sample] are surely, and are perhaps, extreme."""
        needed = product(self.squares, shares)
        averages -= self.centre
        np.square(averages, out=averages)
        averages += self.further
        perhaps = _count(averages >= needed)
        some, surely = np.flatnonzero(perhaps), np.zeros(len(perhaps), np.int64)
        needed, averages = needed[some], averages[some]
        needed *= np.float32(self.relative)
        averages -= self.slack[some]
        surely[some] = _count(averages >= needed)
        return surely, perhaps


def _count(flags: Array) -> Array:
    """uint8[pair]: how many of flags[pair, sample] are true, of 255 samples at most."""
    return np.asarray(np.add.reduce(flags.view(np.uint8), axis=-1, dtype=np.uint8))
