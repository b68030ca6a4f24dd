"""Ferrante, Ferro & Maistro (2014), section 6: correlation of GAP, xGAP and eGAP with others, and robustness.

As there: the runs above the first quartile by AP; AP, RBP and bpref count every positive grade as relevant; all topics,
and those with few documents of a higher grade; Kendall's tau.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from claims import Quantity, count_verdicts, most, table
from orders import Orders, draw_topics
from public_runs import Collection, show_users

from gradeval import GAP, eGAP, xGAP
from gradeval.collection.thinned import thinned
from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.papers.correlate_users import user_grid
from gradeval.scores.scoring import score
from gradeval.studies.correlation import correlation_matrix, is_constant
from gradeval.studies.robustness import Stratified

POOLS, POOL_SEED, RATES = 20, 0, (10.0, 5.0)


def correlation(collections: list[Collection]) -> Iterator[str]:
    """Tables 2 and 3, as differences."""
    values, claims, growth, with_ndcg, with_gap, falls = [], [], [], [], [], []
    for one in collections:
        for label, topics in one.selections.items():
            orders = Orders(one.judged, one.upper_runs, topics)
            where = [f"{one.name}, {label}", f"{len(orders.runs)}", f"{len(topics)}"]

            def tau(measure: Measure, other: str = "AP", orders: Orders = orders) -> Quantity:
                return orders.correlate(measure, other)

            for g in dict.fromkeys([one.strict, one.equal]):
                gap, xgap, egap = tau(GAP(g=g)), tau(xGAP(g=g)), tau(eGAP(g=g))
                taus = [f"{each.value:.3f}" for each in (gap, xgap, egap)]
                differences = [(gap - xgap).show(), (gap - egap).show(), (xgap - egap).show()]
                values.append([where[0], show_users(g), *taus, *differences])
            grid = [(tau(GAP(g=g)), tau(xGAP(g=g)), tau(eGAP(g=g))) for g in one.mixed]
            counted = [[gap - xgap for gap, xgap, _ in grid], [gap - egap for gap, _, egap in grid]]
            counted.append([xgap - egap for _, xgap, egap in grid])
            claims.append([*where, *map(count_verdicts, counted)])
            growth.append([where[0], *(_growth(one, orders, each, "AP", one.less_strict) for each in (xGAP, eGAP))])
            lenient = one.strict[::-1]
            with_ndcg.append([where[0], *(_growth(one, orders, e, "nDCG", lenient) for e in (GAP, xGAP, eGAP))])
            with_gap.append([where[0], *(_growth(one, orders, each, GAP, lenient) for each in (xGAP, eGAP))])
            if label != "all":
                falls.append([where[0], *_falls(one, topics), *_with_ndcg(one, orders)])
    yield "tau with AP (differences with 95% intervals)\n"
    heads = ["collection, topics", "g", "GAP:", "xGAP:", "eGAP:", "GAP - xGAP:", "GAP - eGAP:", "xGAP - eGAP:"]
    yield table(heads, values)
    yield "Points of the grid where users differ: above 0 of all: interval above 0 / around 0 / below 0\n"
    yield table(["collection, topics", "runs:", "topics:", "GAP > xGAP", "GAP > eGAP", "xGAP > eGAP"], claims)
    yield "As g1 grows: tau with AP (to 0.3 or 0.4), with nDCG, and with GAP of the same users (to 0.9 or 0.6)\n"
    yield table(["collection, topics", "xGAP, AP:", "eGAP, AP:"], growth)
    yield table(["collection, topics", "GAP, nDCG:", "xGAP, nDCG:", "eGAP, nDCG:"], with_ndcg)
    yield table(["collection, topics", "xGAP, GAP:", "eGAP, GAP:"], with_gap)
    yield "From all topics to those with few: how much further tau with AP falls than for GAP; then tau with nDCG\n"
    heads = ["collection, topics", "xGAP falls further:", "eGAP falls further:"]
    yield table([*heads, "GAP - xGAP, with nDCG:", "GAP - eGAP, with nDCG:"], falls)


def _growth(one: Collection, orders: Orders, measure: Measure, other: Measure | str, end: tuple[float, ...]) -> str:
    """tau at users of the end minus that at the strict ones; steps down as g1 takes from the last.

    Where the other measure has users, too, they are the same ones. Beside a point at which all users are alike, GAP,
    xGAP and eGAP are one measure, so that steps from and to it say nothing of the correlation between them.
    """

    def tau(g: tuple[float, ...]) -> Quantity:
        return orders.correlate(measure(g=g), other if isinstance(other, str) else other(g=g))

    lines: dict[tuple[float, ...], list[float]] = {}
    for g in user_grid(one.grades) if isinstance(other, str) else one.mixed:
        lines.setdefault(g[1:-1], []).append(tau(g).value)
    steps = [after - before for line in lines.values() for before, after in pairwise(line)]
    down = sum(step < -1e-9 for step in steps)
    return f"{(tau(end) - tau(one.strict)).show()}; down in {down} of {len(steps)} steps"


def _falls(one: Collection, few: list[str]) -> list[str]:
    """How much further tau with AP falls than for GAP, from all topics to few, in the same samples of all topics."""
    topics = one.judged.topics
    weights = draw_topics(len(topics))
    chosen = np.isin(topics, few)
    everything = Orders(one.judged, one.upper_runs, topics, weights)
    part = Orders(one.judged, one.upper_runs, few, weights[:, chosen])

    def fall(measure: Measure) -> Quantity:
        return everything.correlate(measure, "AP") - part.correlate(measure, "AP")

    of_gap = fall(GAP(g=one.strict))
    return [(fall(measure(g=one.strict)) - of_gap).show() for measure in (xGAP, eGAP)]


def _with_ndcg(one: Collection, orders: Orders) -> list[str]:
    of_gap = orders.correlate(GAP(g=one.strict), "nDCG")
    return [(of_gap - orders.correlate(measure(g=one.strict), "nDCG")).show() for measure in (xGAP, eGAP)]


def robustness(collections: list[Collection]) -> Iterator[str]:
    """Figures 1 and 2: means over thinned pools, with the floor of the paper and without, and their differences."""
    values, relatives, leaders, unstable = [], [], [], []
    for one in collections:
        for label, topics in one.selections.items():
            kept, dropped = (_thinned_taus(one, topics, floor) for floor in (1, 0))
            for rate, (with_floor, spread), (without, _) in zip(RATES, kept, dropped, strict=True):
                where = [f"{one.name}, {label}", f"{rate:g}%"]
                both = zip(with_floor, without, strict=True)
                values.append([*where, *(f"{a.value:.3f} / {b.value:.3f}" for a, b in both)])
                leads = [_leads(taus) for taus in (with_floor, without)]
                effect = leads[0][0] - leads[1][0]
                relatives.append([*where, leads[0][0].show(), leads[0][1].show(), leads[1][0].show(), effect.show()])
                leaders.append([*where, *(lead.show() for two in leads for lead in two[2:])])
                _, gap, xgap, egap, *_ = spread
                shown = [f"{each.value:.3f}" for each in (gap, xgap, egap)]
                unstable.append([*where, *shown, (gap - xgap).show(), (gap - egap).show()])
    heads = ["collection, topics", "judged:"]
    yield f"tau with the full pool, mean of {POOLS} thinned pools: with a floor of 1 / without\n"
    yield table([*heads, "AP:", "GAP:", "xGAP:", "eGAP:", "nDCG:", "RBP:", "bpref:"], values)
    yield "differences with 95% intervals; with the floor (1), without (0), and the first less the second\n"
    yield table([*heads, "xGAP - GAP (1):", "eGAP - GAP (1):", "xGAP - GAP (0):", "xGAP - GAP, (1) - (0):"], relatives)
    yield "nDCG and bpref less the best of AP, GAP, xGAP, eGAP and RBP\n"
    yield table([*heads, "nDCG (1):", "bpref (1):", "nDCG (0):", "bpref (0):"], leaders)
    yield "standard deviation of tau from one thinned pool to another, with the floor\n"
    yield table([*heads, "GAP:", "xGAP:", "eGAP:", "GAP - xGAP:", "GAP - eGAP:"], unstable)


def _leads(taus: list[Quantity]) -> list[Quantity]:
    """What xGAP and eGAP have more than GAP, and nDCG and bpref more than the best of the others."""
    ap, gap, xgap, egap, ndcg, rbp, bpref = taus
    others = most([ap, gap, xgap, egap, rbp])
    return [xgap - gap, egap - gap, ndcg - others, bpref - others]


def _thinned_taus(one: Collection, topics: list[str], floor: int) -> list[tuple[list[Quantity], list[Quantity]]]:
    """By rate: of each measure the mean tau with the full pool, as ``gradeval robustness --samples 20`` gives it, and
    its standard deviation between the pools.

    A bootstrap sample draws topics and thinned pools, the same ones for all measures.
    """
    g = list(one.strict)
    written = "[" + ",".join(map(str, g)) + "]"
    measures = parse_measures(f"AP GAP(g={written}) xGAP(g={written}) eGAP(g={written}) nDCG RBP(rel=1) Bpref")
    weights = draw_topics(len(topics))

    def means(kept: Array) -> Array:
        """float64[measure, 1 + sample, run]"""
        scores = score(thinned(one.judged, kept), measures).sel(runs=one.upper_runs, topics=topics)
        return np.ascontiguousarray(rounded(np.moveaxis(scores.aggregate(weights), -1, 0)))

    full = means(one.judged.grading.judged[:-1])
    taus = np.zeros((len(RATES), POOLS, *full.shape[:2]))
    for pool in range(POOLS):
        sampling = Stratified((100.0, 90.0, 70.0, 50.0, 30.0, *RATES), floor=floor)
        kept = sampling.draw(one.judged, np.random.default_rng([POOL_SEED, pool]))[-len(RATES) :]
        for place, judgments in enumerate(kept):
            left = means(judgments)
            tau = correlation_matrix("kendall", full[..., None, :], left[..., None, :])[..., 0, 0]
            taus[place, pool] = np.where(is_constant(full) | is_constant(left), np.nan, tau)
    samples = taus.shape[-1] - 1
    pools = np.random.default_rng(POOL_SEED).multinomial(POOLS, np.full(POOLS, 1 / POOLS), size=samples)
    counted = np.concatenate([np.ones((1, POOLS)), pools]).T[:, None] * ~np.isnan(taus)
    mean = (np.nan_to_num(taus) * counted).sum(1) / counted.sum(1)
    square = (np.nan_to_num((taus - mean[:, None]) ** 2) * counted).sum(1) / counted.sum(1)
    return [(_quantities(middle), _quantities(spread)) for middle, spread in zip(mean, np.sqrt(square), strict=True)]


def _quantities(by_measure: Array) -> list[Quantity]:
    """Of [measure, 1 + sample]."""
    return [Quantity(float(each[0]), each[1:], centred=True) for each in by_measure]
