"""What the texts say of the measures themselves: the largest deviation, or the least difference, over random rankings.

There is nothing to sample, so that the interval is the number itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from claims import Found
from public_runs import Collection

from gradeval import (
    AP,
    AWP,
    GAP,
    NDCNG,
    RWP,
    JudgedRankings,
    P,
    Q,
    RMeasure,
    Rprec,
    eGAP,
    graded_precision_recall_curve,
    muAP,
    nDCG,
    precision_recall_curve,
    xGAP,
)
from gradeval.formula.definition import Measure

RANKINGS, SEED, MANY = 300, 0, 20_000
Ranking = tuple[list[int], list[int]]  # grades down the list, and the numbers of documents of each grade


def draw(rng: np.random.Generator, top: int) -> Ranking:
    """A ranking of 4 to 20 documents of grades up to ``top``, at least one relevant, which finds not all of them."""
    grades = rng.integers(0, top + 1, rng.integers(4, 21))
    grades[rng.integers(len(grades))] = rng.integers(1, top + 1)
    return grades.tolist(), (np.bincount(grades, minlength=top + 1) + rng.integers(0, 4, top + 1)).tolist()


def value(measure: Measure, ranking: Ranking) -> float:
    """Of one ranking."""
    return float(measure(JudgedRankings.of(ranking[0], pool=ranking[1]))[0])


def largest(difference: Callable[[Ranking], float], top: int) -> float:
    """The largest deviation from 0."""
    rng = np.random.default_rng(SEED)
    return max(abs(difference(draw(rng, top))) for _ in range(RANKINGS))


def least_loss(measure: Measure, top: int) -> float:
    """The least that is lost where a document changes places with a worse one further down."""
    rng, losses = np.random.default_rng(SEED), []
    for _ in range(RANKINGS):
        grades, pool = draw(rng, top)
        before = value(measure, (grades, pool))
        for i, j in zip(*np.triu_indices(len(grades), 1), strict=True):
            if grades[i] > grades[j]:
                swapped = list(grades)
                swapped[i], swapped[j] = swapped[j], swapped[i]
                losses.append(before - value(measure, (swapped, pool)))
    return min(losses)


def ideal(ranking: Ranking) -> Ranking:
    """The best list that there is, whole."""
    return [grade for grade in reversed(range(1, len(ranking[1]))) for _ in range(ranking[1][grade])], ranking[1]


def within_r(ranking: Ranking) -> Ranking:
    """The list down to the number of relevant documents that there are."""
    return ranking[0][: sum(ranking[1][1:])], ranking[1]


def late(measure: Measure, g2: float) -> float:
    """The value where very many documents of grade 1 come before the only one of grade 2."""
    return value(measure(g=(1 - g2, g2)), ([1] * MANY + [2], [0, MANY, 1]))


def threshold_mean(ranking: Ranking) -> float:
    """The mean of average precision over thresholds."""
    return float(np.mean([value(AP(rel=grade), ranking) for grade in (1, 2)]))


def laws(_: list[Collection]) -> Iterator[Found]:
    """Definitions, limits and properties."""
    users, gains = (0.4, 0.6), {1: 1.0, 2: 2.0}
    tenfold = {1: 1e9, 2: 2e9}
    shares = (0.1, 0.5, 0.9)
    far = ([0] * 999 + [1], [2000, 5]), ([0] * 4 + [1], [2000, 5])
    deviations: dict[str, float] = {
        "gap-reverts-to-ap": largest(lambda r: value(GAP, r) - value(AP, r), 1),
        "gap-is-area": largest(lambda r: value(GAP(g=users), r) - _area(r, users), 2),
        "gap-best-is-1": largest(lambda r: value(GAP(g=users), ideal(r)) - 1, 2),
        "gap-falls-with-swaps": least_loss(GAP(g=users), 2),
        "gap-limit": max(abs(late(GAP, g2) - 1) for g2 in shares[:2]),
        "xgap-limit": max(abs(late(xGAP, g2) - (1 - g2**2)) for g2 in shares),
        "egap-limit": max(abs(late(eGAP, g2) - (1 - g2)) for g2 in shares),
        "egap-is-mean-of-thresholds": largest(lambda r: value(eGAP(g=(0.5, 0.5)), r) - threshold_mean(r), 2),
        "three-are-one-where-g-is-1": largest(
            lambda r: max(abs(value(m(g=g), r) - value(GAP(g=g), r)) for m in (xGAP, eGAP) for g in ((1, 0), (0, 1))), 2
        ),
        "muap-is-ap-with-two-levels": largest(lambda r: value(muAP, r) - value(AP, r), 1),
        "ndcng-free-of-scale": largest(lambda r: value(NDCNG, r) - _doubled(NDCNG, r), 2),
        "q-is-ap-if-binary": largest(lambda r: value(Q, within_r(r)) - value(AP, within_r(r)), 1),
        "r-is-rprec-if-binary": largest(lambda r: value(RMeasure, r) - value(Rprec, r), 1),
        "awp-is-ap-if-binary": largest(lambda r: value(AWP, within_r(r)) - value(AP, within_r(r)), 1),
        "rwp-is-rprec-if-binary": largest(lambda r: value(RWP, r) - value(Rprec, r), 1),
        "awp-cannot-tell-ranks-beyond-r": value(AWP, far[0]) - value(AWP, far[1]),
        "q-tells-ranks-beyond-r": value(Q, far[1]) - value(Q, far[0]),
        "large-gains-make-q-awp": largest(lambda r: value(Q(gains=tenfold), r) - value(AWP(gains=gains), r), 2),
        "q-is-1-only-if-ideal": 1 - value(Q, ([1, 2], [3, 1, 1])),
        "gap-is-a-random-experiment": largest(lambda r: value(GAP(g=users), r) - _experiment(r, users), 2),
        "simple-mean-falls-short": 1 - max(threshold_mean(ideal(_without_top(r))) for r in _drawn(2)),
        "ap-blind-between-grades": largest(lambda r: value(AP, r) - value(AP, _binary(r)), 2),
        "ideal-list-is-1": largest(lambda r: max(abs(value(m, ideal(r)) - 1) for m in (muAP, nDCG, NDCNG)), 2),
        "muap-is-mean-of-thresholds": largest(lambda r: value(muAP, r) - _mean_over_own_grades(r), 2),
        "ap-tells-ranks-beyond-r": value(AP, far[1]) - value(AP, far[0]),
        "r-is-1-where-top-r-is-relevant": largest(
            lambda r: max(abs(value(m(gains=gains), _worst_first(r)) - 1) for m in (RMeasure, RWP)), 2
        ),
        "q-gains-are-beta": largest(
            lambda r: value(Q(gains={1: 10.0, 2: 20.0}), r) - value(Q(gains=gains, beta=10), r), 2
        ),
        "r-of-equal-gains-is-rprec": largest(
            lambda r: max(abs(value(m(gains={1: 1.0, 2: 1.0}), r) - value(Rprec, r)) for m in (RMeasure, RWP)), 2
        ),
        "ap-rises-with-what-is-found": min(_gain_at_the_end(r) for r in _drawn(1)),
        "ap-is-area": largest(lambda r: value(AP, r) - _area(r), 1),
        "ap-falls-with-swaps": least_loss(AP, 1),
        "p10-is-blind-to-ranks": value(P @ 10, ([1] * 4 + [0] * 6, [6, 10]))
        - value(P @ 10, ([0] * 6 + [1] * 4, [6, 10])),
        "dividing-by-retrieved-favours-few": _favour(),
    }
    for claim, deviation in deviations.items():
        yield Found(claim, "random rankings", deviation, deviation, deviation)


def _drawn(top: int) -> list[Ranking]:
    rng = np.random.default_rng(SEED)
    return [draw(rng, top) for _ in range(RANKINGS)]


def _experiment(ranking: Ranking, g: tuple[float, ...]) -> float:
    """A user and a relevant document are drawn; the share of the documents down to it, itself among them, that the user
    finds relevant: over all outcomes. A user whose threshold is the k-th grade is drawn with probability g[k]."""
    grades, pool = ranking
    chance = [(share, place + 1) for place, share in enumerate(g)]
    pairs = sum(share * sum(pool[least:]) for share, least in chance)
    total = 0.0
    for share, least in chance:
        for rank, grade in enumerate(grades, 1):
            if grade >= least:
                total += share * sum(1 for above in grades[:rank] if above >= least) / rank
    return total / pairs


def _without_top(ranking: Ranking) -> Ranking:
    """The topic without documents of the highest grade."""
    grades, pool = ranking
    return [min(grade, 1) for grade in grades], [pool[0], sum(pool[1:]), 0]


def _binary(ranking: Ranking) -> Ranking:
    """All positive grades as one."""
    return [min(grade, 1) for grade in ranking[0]], [ranking[1][0], sum(ranking[1][1:])]


def _mean_over_own_grades(ranking: Ranking) -> float:
    """The mean of average precision over the thresholds at grades that the topic has."""
    own = [grade for grade in (1, 2) if ranking[1][grade]]
    return float(np.mean([value(AP(rel=grade), ranking) for grade in own]))


def _worst_first(ranking: Ranking) -> Ranking:
    """All relevant documents, the lowest grades first."""
    return ideal(ranking)[0][::-1], ranking[1]


def _gain_at_the_end(ranking: Ranking) -> float:
    """What average precision gains where one more relevant document is found, at the end; 1 where none is left."""
    grades, pool = ranking
    if sum(grades) == pool[1]:
        return 1.0
    return value(AP, ([*grades, 1], pool)) - value(AP, ranking)


def _area(ranking: Ranking, g: tuple[float, ...] | None = None) -> float:
    judged = JudgedRankings.of(ranking[0], pool=ranking[1])
    curve = precision_recall_curve(judged) if g is None else graded_precision_recall_curve(judged, list(g))
    return float(curve.area()[0])


def _doubled(measure: Measure, ranking: Ranking) -> float:
    """Of the same list with twice the grades."""
    return float(measure(JudgedRankings.of([2 * grade for grade in ranking[0]], pool=ranking[1], levels=(0, 2, 4)))[0])


def _favour() -> float:
    """By how much a run of one relevant document is ahead of one of ten, seven of them relevant, if the precisions at
    relevant documents were divided by how many were retrieved; less how much average precision has it ahead."""
    short, long = ([1], [6, 10]), ([1, 1, 0, 1, 1, 0, 1, 1, 0, 1], [6, 10])

    def wrong(ranking: Ranking) -> float:
        return value(AP, ranking) * ranking[1][1] / sum(ranking[0])

    return (wrong(short) - wrong(long)) * float(value(AP, short) < value(AP, long))
