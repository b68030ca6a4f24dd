"""Ferrante, Ferro & Maistro (2014), section 6: correlation of GAP, xGAP and eGAP with others, and robustness.

As there: the runs above the first quartile by AP; AP, RBP and bpref count every positive grade as relevant; all topics,
and those with few documents of a higher grade; Kendall's tau.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from claims import Found, Quantity, most
from orders import Orders, draw_topics
from public_runs import Collection

from gradeval import GAP, eGAP, nDCG, xGAP
from gradeval.collection.thinned import thinned
from gradeval.formula.arithmetic import Array, rounded
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.scores.scoring import score
from gradeval.studies.correlation import correlation_matrix, is_constant
from gradeval.studies.robustness import Stratified

POOLS, POOL_SEED = 20, 0
DEEPER, SHALLOW = (90.0, 70.0, 50.0, 30.0), (10.0, 5.0)  # of the pool, percent
TURNED = (
    "xgap-more-robust-than-gap-few",
    "egap-more-robust-than-gap-few",
    "gap-more-robust-than-xgap-all",
    "gap-unstable-with-few-key",
    "ndcg-most-robust",
    "bpref-most-robust",
)
"""The contrasts of robustness that have another sign, on one collection or more, without the floor."""
OTHERS = {"xgap": xGAP, "egap": eGAP}
MATTERS = nDCG(discount="jk", base=10)  # nDCG as the library that the paper names has it by default


def correlation(collections: list[Collection]) -> Iterator[Found]:
    """Tables 2 and 3, as differences of tau."""
    for one in collections:
        for label, topics in one.selections.items():
            where = f"{one.name}, {label}"
            orders = Orders(one.judged, one.upper_runs, topics)
            gap = orders.correlate(GAP(g=one.strict), "AP")
            strictest = orders.correlate(GAP(g=(0.0,) * (one.grades - 1) + (1.0,)), "AP")
            yield (gap - strictest).found("gap-jumps-to-ap-with-g1", where)
            for name, measure in OTHERS.items():
                strict = orders.correlate(measure(g=one.strict), "AP")
                yield (gap - strict).found(f"gap-nearer-ap-than-{name}", where)
                less_strict = orders.correlate(measure(g=one.less_strict), "AP")
                yield (less_strict - strict).found(f"{name}-nearer-ap-with-g1", where)
                yield _growth(one, orders, measure, GAP).found(f"{name}-nearer-gap-with-g1", where)
            for name, measure in {"gap": GAP, **OTHERS}.items():
                yield _growth(one, orders, measure, "nDCG").found(f"{name}-nearer-ndcg-with-g1", where)
                alone = orders.correlate(measure(g=(1.0,) + (0.0,) * (one.grades - 1)), "AP")
                yield alone.found(f"{name}-is-ap-where-g1-is-1", where, highest=1)
            if label != "all":
                yield from _with_few(one, topics, orders, where)


def _growth(one: Collection, orders: Orders, measure: Measure, other: Measure | str) -> Quantity:
    """tau with another measure, of the same users if it has any, at the most lenient users less that at the strict."""

    def tau(g: tuple[float, ...]) -> Quantity:
        return orders.correlate(measure(g=g), other if isinstance(other, str) else other(g=g))

    return tau(one.strict[::-1]) - tau(one.strict)


def _with_few(one: Collection, topics: list[str], orders: Orders, where: str) -> Iterator[Found]:
    """How much further tau with AP falls than for GAP, from all topics to few, in the same samples of all topics; and
    how much nearer GAP is to nDCG there."""
    weights = draw_topics(len(one.judged.topics))
    everything = Orders(one.judged, one.upper_runs, one.judged.topics, weights)
    part = Orders(one.judged, one.upper_runs, topics, weights[:, np.isin(one.judged.topics, topics)])

    def fall(measure: Measure) -> Quantity:
        return everything.correlate(measure, "AP") - part.correlate(measure, "AP")

    of_gap = fall(GAP(g=one.strict))
    for name, measure in OTHERS.items():
        yield (fall(measure(g=one.strict)) - of_gap).found(f"{name}-falls-further-with-few", where)
        for kind, other in {"": nDCG, "-matters": MATTERS}.items():
            lead = orders.correlate(GAP(g=one.strict), other) - orders.correlate(measure(g=one.strict), other)
            yield lead.found(f"gap-nearer-ndcg-with-few-than-{name}{kind}", where)


def robustness(collections: list[Collection]) -> Iterator[Found]:
    """Figures 1 and 2: means over thinned pools, with the floor of the paper; without it what has another sign then."""
    for one in collections:
        for label, topics in one.selections.items():
            for floor, choice in ((1, ""), (0, "-no-floor")):
                _, (taus, spreads) = _thinned_taus(one, topics, floor, SHALLOW)
                for claim, quantity in _contrasts(one, label, taus, spreads).items():
                    if floor or claim in TURNED:
                        yield quantity.found(f"{claim}{choice}", f"{one.name}, {label}")


def _contrasts(one: Collection, label: str, taus: list[Quantity], spreads: list[Quantity]) -> dict[str, Quantity]:
    """By claim."""
    ap, gap, xgap, egap, ndcg, rbp, bpref = taus
    others = most([ap, gap, xgap, egap, rbp])
    found = {"ndcg-most-robust": ndcg - others, "bpref-most-robust": bpref - others}
    for name, tau in {"xgap": xgap, "egap": egap}.items():
        if label == "all" and one.grades == 3:
            found[f"gap-more-robust-than-{name}-all"] = gap - tau
        else:
            found[f"{name}-more-robust-than-gap-{'all' if label == 'all' else 'few'}"] = tau - gap
    if label == "few:3":
        found["gap-unstable-with-few-key"] = spreads[1] - spreads[2]
    return found


def likeness(collections: list[Collection]) -> Iterator[Found]:
    """Figure 1, left: how far xGAP and eGAP are from GAP in the deeper pools, where there are two grades."""
    for one in collections:
        if one.grades != 2:
            continue
        by_rate = _thinned_taus(one, list(one.judged.topics), 1, DEEPER)
        for rate, ((_, gap, xgap, egap, *_), _) in zip(DEEPER, by_rate, strict=True):
            for name, tau in {"xgap": xgap, "egap": egap}.items():
                yield (tau - gap).found(f"{name}-as-robust-as-gap-all", f"{one.name}, {rate:g}%")


def _thinned_taus(
    one: Collection, topics: list[str], floor: int, rates: tuple[float, ...]
) -> list[tuple[list[Quantity], list[Quantity]]]:
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
    taus = np.zeros((len(rates), POOLS, *full.shape[:2]))
    for pool in range(POOLS):
        kept = Stratified(rates, floor=floor).draw(one.judged, np.random.default_rng([POOL_SEED, pool]))
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
