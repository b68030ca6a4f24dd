"""Sakai (2005), tables 1 to 8: Q-measure and R-measure at several gains, correlated with their relatives.

As there: all runs; Relaxed AveP is AP, R-Precision binary, and the columns Q, AWP and R-measure are at his default
gains (3:2:1; 2:1 where there are two positive grades), whatever the gains of the row.
"""

from __future__ import annotations

from collections.abc import Iterator

from claims import Found, Quantity, least
from orders import Orders
from public_runs import Collection

from gradeval import AWP, RWP, Q, RMeasure
from gradeval.formula.definition import Measure

SETTINGS = {2: ["2:1", "20:10", "0.2:0.1", "1:1", "5:1"], 3: ["3:2:1", "30:20:10", "0.3:0.2:0.1", "1:1:1", "10:5:1"]}
DEFAULT, LARGE, SMALL, EQUAL, TOP = range(5)  # places of the settings


def at_gains(measure: Measure, one: Collection, place: int) -> Measure:
    """A measure at one of the settings, which list the gain of the highest grade first."""
    gains = map(float, SETTINGS[one.grades][place].split(":"))
    return measure(gains=dict(zip(reversed(one.judged.levels[1:]), gains, strict=True)))


def gains(collections: list[Collection]) -> Iterator[Found]:
    """Tables 1 to 3 and 5 to 7."""
    for one in collections:
        tau = Orders(one.judged, one.judged.runs, one.judged.topics).correlate
        q, r = ([at_gains(measure, one, place) for place in range(5)] for measure in (Q, RMeasure))
        awp, rwp = at_gains(AWP, one, DEFAULT), at_gains(RWP, one, DEFAULT)
        contrasts: dict[str, Quantity] = {
            "q-nearer-relaxed-than-awp": tau(q[DEFAULT], "AP") - tau(awp, "AP"),
            "q-nearer-relaxed-than-rigid": tau(q[DEFAULT], "AP") - tau("AP(rel=2)", "AP"),
            "q-nearer-awp-than-relaxed": tau(q[DEFAULT], awp) - tau("AP", awp),
            "q-nearer-rigid-than-awp": tau(q[DEFAULT], "AP(rel=2)") - tau(awp, "AP(rel=2)"),
            "q-equal-is-relaxed": tau(q[EQUAL], "AP"),
            "equal-gains-nearer-relaxed": tau(q[EQUAL], "AP") - tau(q[DEFAULT], "AP"),
            "q-small-gains-nearer-relaxed": tau(q[SMALL], "AP") - tau(q[DEFAULT], "AP"),
            "q-large-gains-nearer-awp": tau(q[LARGE], awp) - tau(q[DEFAULT], awp),
            "q-highly-correlated-with-relaxed": tau(q[DEFAULT], "AP"),
            "q-stable-with-gains": least([tau(each, q[DEFAULT]) for each in q[1:]]),
            "r-highly-correlated": least([tau(r[DEFAULT], rwp), tau(r[DEFAULT], "Rprec"), tau(rwp, "Rprec")]),
            "r-stable-with-gains": least([tau(r[place], r[DEFAULT]) for place in (LARGE, SMALL, TOP)]),
            "r-nearer-rprec-than-rwp": tau(r[DEFAULT], "Rprec") - tau(rwp, "Rprec"),
        }
        for claim, quantity in contrasts.items():
            yield quantity.found(claim, one.name, highest=1)
