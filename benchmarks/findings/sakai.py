"""Sakai (2005), tables 1 to 8: Q-measure and R-measure at several gains, correlated with their relatives.

As there: all runs; Relaxed AveP is AP, R-Precision binary, and the columns Q, AWP and R-measure are at his default
gains (3:2:1; 2:1 where there are two positive grades), whatever the gains of the row.
"""

from __future__ import annotations

from collections.abc import Iterator

from claims import Quantity, table
from orders import Orders
from public_runs import Collection

from gradeval import AWP, RWP, Q, RMeasure
from gradeval.formula.definition import Measure
from gradeval.studies.correlation import Statistic

SETTINGS = {
    2: ["2:1", "20:10", "0.2:0.1", "1:1", "5:1"],
    3: ["3:2:1", "30:20:10", "0.3:0.2:0.1", "1:1:1", "10:5:1"],
}
DEFAULT, LARGE, SMALL, EQUAL, TOP = range(5)  # places of the settings
STATISTICS: tuple[Statistic, Statistic] = ("kendall", "spearman")


def at_gains(measure: Measure, one: Collection, place: int) -> Measure:
    """A measure at one of the settings, which list the gain of the highest grade first."""
    gains = map(float, SETTINGS[one.grades][place].split(":"))
    return measure(gains=dict(zip(reversed(one.judged.levels[1:]), gains, strict=True)))


def gains(collections: list[Collection]) -> Iterator[str]:
    """Tables 1 to 3 and 5 to 7, and the differences on which what he says of them rests."""
    tables: list[list[str]] = []
    claims: list[list[str]] = []
    for one in collections:
        orders = Orders(one.judged, one.judged.runs, one.judged.topics)
        q, r = ([at_gains(measure, one, place) for place in range(5)] for measure in (Q, RMeasure))
        awp, rwp = at_gains(AWP, one, DEFAULT), at_gains(RWP, one, DEFAULT)
        rows: dict[str, Measure | str] = {"Relaxed AP": "AP", "Rigid AP": "AP(rel=2)", "AWP": awp}
        columns: dict[str, list[Measure | str]] = {"Q": ["AP", "AP(rel=2)", q[0], awp], "R": ["Rprec", rwp, r[0], q[0]]}
        for label, measure in rows.items():
            tables.append([one.name, label, *_cells(orders, measure, columns["Q"]), *[""] * 4])
        for place, setting in enumerate(SETTINGS[one.grades]):
            cells = [*_cells(orders, q[place], columns["Q"]), *_cells(orders, r[place], columns["R"])]
            tables.append([one.name, f"Q, R-measure {setting}", *cells])
        tables.append([one.name, "R-WP", *[""] * 4, *_cells(orders, rwp, columns["R"])])
        for statistic in STATISTICS:

            def tau(a: Measure | str, b: Measure | str, s: Statistic = statistic, o: Orders = orders) -> Quantity:
                return o.correlate(a, b, s)

            differences = [
                tau(q[DEFAULT], "AP") - tau(awp, "AP"),
                tau(q[DEFAULT], awp) - tau("AP", awp),
                tau(q[EQUAL], "AP") - tau(q[DEFAULT], "AP"),
                tau(q[SMALL], "AP") - tau(q[DEFAULT], "AP"),
                tau(q[LARGE], awp) - tau(q[DEFAULT], awp),
                tau(r[DEFAULT], "Rprec") - tau(rwp, "Rprec"),
            ]
            claims.append([one.name, statistic, *(each.show() for each in differences)])
    yield "Kendall's tau / Spearman's rho; R-measure at equal gains is R-precision\n"
    heads = ["collection", "", "Relaxed AP:", "Rigid AP:", "Q:", "AWP:", "Rprec:", "R-WP:", "R-measure:", "Q:"]
    yield table(heads, tables)
    yield "differences with 95% intervals\n"
    heads = ["Q - AWP, with AP:", "Q - AP, with AWP:", "Q equal - Q, with AP:", "Q small - Q, with AP:"]
    yield table(["collection", "", *heads, "Q large - Q, with AWP:", "R-measure - R-WP, with Rprec:"], claims)


def _cells(orders: Orders, measure: Measure | str, others: list[Measure | str]) -> list[str]:
    """Kendall's tau and Spearman's rho with each other measure; nothing with itself."""
    cells = []
    for other in others:
        both = [f"{orders.correlate(measure, other, statistic).value:.3f}" for statistic in STATISTICS]
        cells.append("" if measure == other else " / ".join(both))
    return cells
