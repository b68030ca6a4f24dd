"""Residuals: between which values every measure would lie, whatever the grades of unjudged documents of a ranking.

Each unjudged document that a ranking retrieved takes any level of the collection, or stays as it is; documents that it
did not retrieve stay as they are. The pool counts those that were graded. There are too many assignments to try all,
so that three kinds of measures are searched, each exactly:

* ``ALONE``: a better grade never lowers the value, or the value is a sum over documents, and the pool does not matter.
  The same level for all of them, tried for each level, gives both ends.
* ``BY_COUNT``: grades count from a threshold on. Of all ways to make t documents relevant the first t are the best, as
  a better document further up never lowers the value (the law "swap"), and the last t the worst; t is 0, 1, 2 ...
* ``BY_STEPS``: sums over thresholds k, in each of which t_k documents are made relevant, t_1 >= t_2 >= ..., the first
  ones or the last. Chains are searched from the highest threshold down; of a quotient of two sums, N / D, by
  Dinkelbach: with the best value x so far the chain with the largest N - x D is sought, until none is above 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from gradeval._core import InputError
from gradeval.collection.meeting import JudgedRuns, Ties
from gradeval.formula.aggregation import blocks
from gradeval.formula.arithmetic import Array, ratio
from gradeval.formula.definition import Measure
from gradeval.formula.judged import NO_DOCUMENT, JudgedRankings
from gradeval.formula.levels import Levels
from gradeval.measures.discount import cumulated_discounts, discounts, reach
from gradeval.measures.gain import worth_of
from gradeval.measures.gainmap import GainMap, gain_map
from gradeval.measures.thresholds import thresholds
from gradeval.messages import Given, list_some
from gradeval.scores.scores import Empty
from gradeval.warning_categories import Note

ALONE = frozenset("P Hits Success RR CG DCG gP RBP SDCG INSQ ERR SetP NumQ NumRet NumRel NumRelRet".split())
BY_COUNT = frozenset("Rprec RelP F IPrec IPrec11 SetR SetF SetAP SetRelP YAAP binG Utility".split())
BY_STEPS = frozenset("AP gmAP R GAP eGAP nDCG gR".split())
OF_JUDGMENTS = frozenset("Judged Unjudged Bpref gmBpref infAP AUC NumNonRelRet RBPresidual".split())
"""Measures that tell unjudged documents from documents of grade 0."""
AT_ONCE = 2**20  # documents, or numbers of documents, that are looked at together
MOST_STEPS = 100  # of the search for a quotient, which takes some five


def why_not(measure: Measure) -> str | None:
    """Why a measure has no residuals; None: it has."""
    name, parameters = measure.name, measure.parameters
    if measure.judged_only:
        return "judged_only leaves unjudged documents out"
    if name in OF_JUDGMENTS:
        return "the value tells unjudged documents from documents of grade 0"
    if "swap" in measure.definition.exempt:
        return "a better document further up can lower the value, so that no short search is exact"
    ours = measure.definition.formula.__module__.startswith("gradeval.")
    if not ours or name not in ALONE | BY_COUNT | BY_STEPS or parameters.get("renormalise"):
        return "no exact search is known"
    return None


def about_residuals(measures: Sequence[Measure], ties: Ties, empty: Empty) -> list[Note]:
    """What residuals are, and which measures have none; refused where no values could have some."""
    asked = Given("residuals", True)
    if ties == "expected":
        raise InputError(asked, " and ", Given("ties", ties), ": tied documents have no order; take ties docid")
    if empty != "zero":
        how = "counts 1 whatever it holds" if empty == "one" else "is left out, though unjudged documents could fill it"
        raise InputError(asked, " and ", Given("empty", empty), f": an empty topic {how}; take zero")
    reasons: dict[str, list[str]] = {}
    for measure in measures:
        if (reason := why_not(measure)) is not None:
            reasons.setdefault(reason, []).append(str(measure))
    left_out = [Note(f"no residuals of {list_some(names)}: {reason}") for reason, names in reasons.items()]
    return [
        Note.method("low and high, in brackets: the values that unjudged documents of the rankings could give"),
        *left_out,
    ]


def find_residuals(judged: JudgedRuns, measures: Sequence[Measure], values: Array) -> Array:
    """float64[run, topic, measure, 2]: the lowest and the highest value that unjudged documents could give.

    NaN for a measure ``why_not`` names. ``values``: float64[run, topic, measure], with the documents as they are.

    Raises
    ------
    InputError : rankings whose tied documents have no order.
    """
    judged.require_order()
    flat = values.reshape(len(judged), len(measures))
    ends = np.stack([flat, flat], axis=-1)
    for place, measure in enumerate(measures):
        if why_not(measure) is not None:
            ends[:, place] = np.nan
    wanted = [place for place, measure in enumerate(measures) if why_not(measure) is None]
    for rows, block in judged.blocks():
        width = int(block.retrieved.max(initial=1))
        for part in blocks(len(rows), AT_ONCE // (width * len(judged.levels))):
            here = rows[part]
            whole = OpenRankings.of(judged.rows(here))
            if whole.unjudged.any():
                for place in wanted:
                    low, high = find_ends(measures[place], whole)
                    ends[here, place, 0] = np.minimum(ends[here, place, 0], low)
                    ends[here, place, 1] = np.maximum(ends[here, place, 1], high)
    return ends.reshape(*values.shape, 2)


def find_ends(measure: Measure, whole: OpenRankings) -> tuple[Array, Array]:
    """float64[row] each: the lowest and the highest value of a measure that has residuals."""
    if measure.name in ALONE:
        return _ends_of(measure(whole.all_of(level)) for level in range(len(whole.levels)))
    if measure.name in BY_COUNT:
        return _by_count(measure, whole)
    return _by_steps(_ladder(measure, whole), whole.number)


@dataclass(frozen=True, eq=False)
class OpenRankings:
    """Rankings with all their documents, those that nobody judged too: [row, n], the document at rank n + 1.

    Attributes
    ----------
    grades : float64[row, n]; 0 where a document is not judged.
    unjudged : bool[row, n]: is there a document that nobody judged?
    retrieved : int64[row]
    pool : int64[row, level]: as it is.
    levels : of the collection.
    """

    grades: Array
    unjudged: Array
    retrieved: Array
    pool: Array
    levels: Levels

    @classmethod
    def of(cls, judged: JudgedRankings) -> OpenRankings:
        """The rankings [row], laid out."""
        shape = len(judged.retrieved), int(judged.retrieved.max(initial=1))
        grades, known = np.zeros(shape), np.zeros(shape, bool)
        row, column = np.nonzero(judged.judged)
        rank = judged.ranks[row, column].astype(np.intp) - 1
        grades[row, rank], known[row, rank] = judged.grades[row, column], True
        there = np.arange(shape[1]) < judged.retrieved[:, None]
        return cls(grades, there & ~known, judged.retrieved, judged.pool, judged.levels)

    @cached_property
    def there(self) -> Array:
        """bool[row, n]: does the ranking reach to there?"""
        return np.asarray(np.arange(self.grades.shape[1]) < self.retrieved[:, None])

    @cached_property
    def number(self) -> Array:
        """int64[row]: u, the unjudged documents."""
        return np.asarray(np.count_nonzero(self.unjudged, axis=-1))

    @cached_property
    def up_to(self) -> Array:
        """int64[row, n]: the unjudged documents down to each rank."""
        return self.unjudged.cumsum(-1)

    @cached_property
    def counts(self) -> Array:
        """int64[t]: 0, 1 ... to the largest u."""
        return np.arange(int(self.number.max(initial=0)) + 1)

    @cached_property
    def ranks(self) -> Array:
        """int64[row, t]: the rank of the t-th unjudged document; of the 0-th 0, beyond the last any."""
        order = np.argsort(~self.unjudged, axis=-1, kind="stable")[:, : len(self.counts) - 1] + 1
        return np.concatenate([np.zeros((len(order), 1), order.dtype), order], axis=-1)

    @cached_property
    def last(self) -> Array:
        """int64[row, t]: u - t, and 0 where there are fewer: how many come before the last t."""
        return np.asarray(np.maximum(self.number[:, None] - self.counts, 0))

    def all_of(self, level: int) -> JudgedRankings:
        """The rankings with this level for all unjudged documents."""
        grades = np.where(self.unjudged, self.levels[level], self.grades)
        more = np.zeros_like(self.pool)
        more[:, level] = self.number
        return self.judged(grades, self.pool + more)

    def judged(self, grades: Array, pool: Array) -> JudgedRankings:
        """The rankings with grades[..., row, n] and pools[..., row, level], all judged."""
        shape, columns = grades.shape, np.arange(grades.shape[-1])
        return JudgedRankings(
            grades=grades,
            ranks=np.broadcast_to(np.where(self.there, columns + 1.0, np.inf), shape),
            judged=np.broadcast_to(self.there, shape),
            document=np.broadcast_to(np.where(self.there, columns, NO_DOCUMENT).astype(np.int32), shape),
            pool=pool,
            levels=self.levels,
            retrieved=np.broadcast_to(self.retrieved, shape[:-1]),
        )

    def sums(self, hits: Array, weights: Array) -> tuple[Array, Array]:
        """float64[row, t] twice: the weights[n] of the hits[row, n] and of t unjudged documents, the first or the last
        ones."""
        before = _from_0(np.where(self.unjudged, weights, 0.0).cumsum(-1))
        added = np.take_along_axis(before, self.ranks, -1)  # by the first t
        known = np.where(hits, weights, 0.0).sum(-1)[:, None]
        every = before[:, -1:]
        return known + added, known + every - np.take_along_axis(added, self.last, -1)

    def summed_precisions(self, hits: Array, inverse: Array) -> tuple[Array, Array]:
        """float64[row, t] twice: sum_n C_n / n over relevant documents, which the hits[row, n] are and t unjudged ones,
        the first or the last; ``inverse``: 1 / n, and 0 where ranks do not count."""
        counts, all_relevant = hits.cumsum(-1), hits | self.unjudged
        as_is = _from_0((hits * counts * inverse).cumsum(-1))
        one_more = _from_0((hits * inverse).cumsum(-1))
        full = _from_0((all_relevant * (counts + self.up_to) * inverse).cumsum(-1))
        one_less = _from_0((all_relevant * inverse).cumsum(-1))

        def at(table: Array, ranks: Array) -> Array:
            return np.take_along_axis(table, ranks, -1)

        def below(table: Array, ranks: Array) -> Array:
            return table[:, -1:] - at(table, ranks)

        # Down to the t-th of them all are relevant; below it each relevant document has t more above it.
        first = at(full, self.ranks) + below(as_is, self.ranks) + self.counts * below(one_more, self.ranks)
        # From the (u - t + 1)-th on all are relevant, of which u - t fewer stand above than if all were.
        start = np.minimum(self.last + 1, len(self.counts) - 1)
        begin = np.where(self.last < self.number[:, None], at(self.ranks, start) - 1, self.grades.shape[1])
        last = at(as_is, begin) + below(full, begin) - self.last * below(one_less, begin)
        return first, last


@dataclass(frozen=True, eq=False)
class _Ladder:
    """A measure as sums over thresholds, with t documents more that are relevant at each.

    Attributes
    ----------
    weights : float64[threshold].
    first, last : float64[threshold, row, t]: what is found, the first t of them or the last being relevant.
    base : float64[threshold, row, t]: what there is to be found.
    of_sums : is the value the quotient of the two weighted sums? Else it is the weighted sum of the quotients.
    """

    weights: Array
    first: Array
    last: Array
    base: Array
    of_sums: bool


def _ladder(measure: Measure, whole: OpenRankings) -> _Ladder:
    """The sums of a measure of ``BY_STEPS``."""
    name, parameters, cutoff = measure.name, measure.parameters, measure.cutoff
    levels = np.array(whole.levels)
    ranks = np.arange(1, whole.grades.shape[1] + 1)
    within = ranks <= (len(ranks) if cutoff is None else cutoff)
    if name in ("GAP", "eGAP"):
        shares = thresholds(parameters["g"], whole.levels)
        steps = {level: share for level, share in zip(whole.levels, shares.tolist(), strict=True) if share}
        gain = levels
    elif name in ("nDCG", "gR"):
        worth = worth_for(measure, whole.levels)
        gain = np.array(worth.gains)
        lower = [0.0, *sorted({one for one in worth.gains if one})]
        steps = {upper: upper - below for below, upper in pairwise(lower)}
    else:
        steps, gain = {parameters["rel"]: 1.0} if parameters["rel"] <= levels[-1] else {}, levels
    by_precision = name in ("AP", "gmAP", "GAP", "eGAP")
    if by_precision:
        weights = np.where(within, 1 / ranks, 0.0)
    elif name == "nDCG":
        table = parameters["discount"], parameters["base"]
        weights = np.where(within, discounts(*table, reach(len(ranks)))[ranks], 0.0)
    else:
        weights = within.astype(float)
    gained = gain[np.searchsorted(levels, whole.grades)]
    judged = whole.there & ~whole.unjudged
    sums, bases = [], []
    for step in steps:
        hits = judged & (gained >= step)
        sums.append((whole.summed_precisions if by_precision else whole.sums)(hits, weights))
        base = whole.pool[:, gain >= step].sum(-1)[:, None] + whole.counts
        if cutoff is not None and (name == "nDCG" or parameters.get("norm") == "min"):
            base = np.minimum(base, cutoff)
        if name == "nDCG":
            base = cumulated_discounts(*table, reach(int(base.max(initial=0))))[base]
        bases.append(base.astype(float))
    shape = (0, len(whole.retrieved), len(whole.counts))
    first, last = (np.array([one[side] for one in sums]).reshape(-1, *shape[1:]) for side in (0, 1))
    return _Ladder(np.array([*steps.values()]), first, last, np.array(bases).reshape(-1, *shape[1:]), name != "eGAP")


def worth_for(measure: Measure, levels: Levels) -> GainMap:
    """The gains of nDCG or gR."""
    gains = measure.parameters["gains"]
    if measure.name == "gR":
        return gain_map(levels, gains)
    return worth_of(JudgedRankings.empty(np.zeros((1, len(levels)), int), levels), measure.parameters["dcg"], gains)


def _by_steps(ladder: _Ladder, number: Array) -> tuple[Array, Array]:
    """float64[row] each: the smallest and the largest value over all chains; ``number``: of the documents of each."""
    weights = ladder.weights[:, None, None]
    if not len(weights):
        return np.zeros(len(number)), np.zeros(len(number))
    if not ladder.of_sums:
        high = _largest(weights * ratio(ladder.first, ladder.base), number)[0]
        return 0.0 - _largest(-weights * ratio(ladder.last, ladder.base), number)[0], high
    low = 0.0 - _largest_quotient(-weights * ladder.last, weights * ladder.base, number)  # 0.0 - 0.0 has no sign
    return low, _largest_quotient(weights * ladder.first, weights * ladder.base, number)


def _largest_quotient(above: Array, below: Array, number: Array) -> Array:
    """float64[row]: the largest N / D over all chains, N and D being sums over [threshold, row, t]; 0 where D is 0."""
    best = ratio(above[..., 0].sum(0), below[..., 0].sum(0))
    for _ in range(MOST_STEPS):
        _, chain = _largest(above - best[:, None] * below, number)
        over, under = (np.take_along_axis(table, chain[..., None], -1)[..., 0].sum(0) for table in (above, below))
        shares = ratio(over, under)
        if not (shares > best).any():
            break
        best = np.maximum(best, shares)
    return best


def _largest(terms: Array, number: Array) -> tuple[Array, Array]:
    """float64[row] and intp[threshold, row]: the largest sum of terms[threshold, row, t] over chains u >= t_1 >= t_2
    >= ..., and such a chain."""
    counts = np.arange(terms.shape[-1])
    possible = counts <= number[:, None]
    total = np.zeros(terms.shape[1:])
    places = []
    for term in terms[::-1]:  # from the highest threshold, at which the fewest are relevant
        sums = np.where(possible, term + total, -np.inf)
        total = np.maximum.accumulate(sums, axis=-1)  # over all t up to this one
        places.append(np.maximum.accumulate(np.where(sums == total, counts, 0), axis=-1))
    best: Array = total[:, -1]
    chain = [np.take_along_axis(places[-1], np.full((len(number), 1), counts[-1]), -1)]
    for place in places[-2::-1]:
        chain.append(np.take_along_axis(place, chain[-1], -1))
    return best, np.stack(chain)[..., 0]


def _by_count(measure: Measure, whole: OpenRankings) -> tuple[Array, Array]:
    """The ends of a measure that counts documents from a threshold on."""
    rel = measure.parameters["rel"]
    level = next((place for place, one in enumerate(whole.levels) if one >= rel), None)
    if level is None:  # no document of the collection is relevant
        return _ends_of([measure(whole.all_of(0))])
    return _ends_of(values for made in _made_relevant(whole) for values in _values_of(measure, whole, level, *made))


def _made_relevant(whole: OpenRankings) -> Iterator[tuple[Array, Array]]:
    """bool[t, row, n] and int64[t, row]: which unjudged documents are made relevant, the first t or the last, for some
    t at a time; and how many these are."""
    for part in blocks(len(whole.counts), AT_ONCE // whole.grades.size):
        number = np.minimum(whole.counts[part, None], whole.number)
        yield whole.unjudged & (whole.up_to <= number[..., None]), number
        yield whole.unjudged & (whole.up_to > (whole.number - number)[..., None]), number


def _values_of(measure: Measure, whole: OpenRankings, level: int, made: Array, number: Array) -> Array:
    """float64[t, row]: the values with this level for some of the unjudged documents, and 0 for the others."""
    grades = np.where(made, whole.levels[level], np.where(whole.unjudged, 0.0, whole.grades))
    more = np.zeros((*number.shape, len(whole.levels)), whole.pool.dtype)
    more[..., 0] = whole.number - number
    more[..., level] += number
    return measure(whole.judged(grades, whole.pool + more))


def _ends_of(values: Iterator[Array] | Sequence[Array]) -> tuple[Array, Array]:
    """The smallest and the largest of each row of several values[row]."""
    first, *others = values
    low = high = first
    for one in others:
        low, high = np.minimum(low, one), np.maximum(high, one)
    return low, high


def _from_0(sums: Array) -> Array:
    """[row, n + 1]: running sums, with 0 before the first."""
    return np.concatenate([np.zeros((len(sums), 1)), sums], axis=-1)
