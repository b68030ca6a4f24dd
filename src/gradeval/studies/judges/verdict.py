"""Is a judge good enough? In one sentence, by stated thresholds.

What is asked of each use, with the source of each threshold (docs/judges.md argues them):

    Order            tau with the humans' order of the runs at least that of a second human assessor, or where there is
                     none ``AS_ONE``, and above what knowing nothing reaches: the interval of skill is above 0.
    absolute scores  the mean by the judge within ``NOTICEABLE`` of that by the humans, with its whole interval, and a
                     slope within ``STEEP`` of 1.
    labels           kappa with the humans at least that of a second assessor, or where there is none ``RELIABLE``.
"""

from __future__ import annotations

from dataclasses import dataclass

from gradeval.studies.judges.favours import Shift
from gradeval.studies.judges.labels import Labels
from gradeval.studies.judges.orders import OrderAgreement
from gradeval.tables.grid import Estimate

AS_ONE = 0.9
"""Tau from which on orders count as the same, as those by two human assessors do: Voorhees (2001), "Evaluation by
highly relevant documents"; the mean of assessors was .94 by AP in Voorhees (2000), "Variations in relevance
judgments"."""
APART = 0.8
"""Tau below which orders differ noticeably: Voorhees (2001)."""
NOTICEABLE = 0.05
"""Share of a mean by which two means differ noticeably: Sparck Jones (1974), "Automatic indexing"."""
STEEP = 0.1
"""A slope that moves a run whose mean is half of the others' mean by the same ``NOTICEABLE`` share of that mean."""
RELIABLE = 0.8
"""Agreement beyond chance from which on labels can be relied upon: Krippendorff (2004), Content Analysis, 11.4."""
TENTATIVE = 0.667
"""Below it not even for tentative conclusions; likewise."""


@dataclass(frozen=True)
class Second:
    """What a second human assessor reaches; None where it is undefined.

    Attributes
    ----------
    name : what the assessor is called.
    tau, kappa : with the first one's order of the runs, and labels.
    """

    name: str
    tau: float | None
    kappa: float | None


def judge_order(orders: OrderAgreement, about: str, second: Second | None = None) -> str:
    """Can the judge's order of the runs stand for that of the humans? ``about``: of which judge and measure."""
    if orders.tau is None:
        return f"Order: unknown ({about}: the judge or the humans tie all runs)"
    tau, skill = orders.tau.value, orders.skill_estimate
    floor = "unknown" if orders.floor is None else _short(orders.floor.value)
    asked, ceiling = AS_ONE, f"ceiling taken as {_short(AS_ONE)}"
    if second is not None and second.tau is not None:
        asked, ceiling = second.tau, f"ceiling of {second.name} {_short(second.tau)}"
    above = skill is not None and (skill.value if skill.bounds is None else skill.bounds[0]) > 0
    if not above:
        verdict = "no, not shown to be better than knowing nothing"
    elif tau >= asked:
        verdict = "as good as a second assessor"
    elif tau >= min(APART, asked):
        verdict = "nearly that of the humans, below a second assessor"
    else:
        verdict = "no"
    return f"Order: {verdict} ({about}: tau {_with_bounds(orders.tau)}, floor {floor}, {ceiling})"


def judge_scores(shift: Shift | None) -> str:
    """Can the judge's means stand for those of the humans?"""
    if shift is None:
        return "absolute scores: unknown (too few topics)"
    margin = NOTICEABLE * abs(shift.human)
    inside = -margin <= shift.interval[0] and shift.interval[1] <= margin
    steep = abs(shift.slope - 1) > STEEP
    if inside and not steep:
        verdict = "yes"
    elif abs(shift.level) > margin or steep:
        verdict = "no"
    else:
        verdict = "not shown"
    slope = f", slope {_short(shift.slope)}" if steep else ""
    level = _with_bounds(Estimate(shift.level, bounds=shift.interval), sign=True)
    return f"absolute scores: {verdict} ({level}{slope}; noticeable from {_short(margin)})"


def judge_labels(labels: Labels, second: Second | None = None) -> str:
    """Can the judge's labels stand for those of the humans?"""
    if labels.kappa is None:
        return "labels: unknown (all grades are the same)"
    kappa = labels.kappa.value
    if second is not None and second.kappa is not None:
        verdict = "as good as a second assessor" if kappa >= second.kappa else "no"
        beside = f"ceiling of {second.name} {_short(second.kappa)}"
    else:
        verdict = "yes" if kappa >= RELIABLE else "tentatively" if kappa >= TENTATIVE else "no"
        beside = f"threshold {_short(RELIABLE)}"
    return f"labels: {verdict} (kappa {_with_bounds(labels.kappa)}, {beside})"


def _with_bounds(figure: Estimate, *, sign: bool = False) -> str:
    bounds = "" if figure.bounds is None else " [" + ", ".join(_short(end, sign=sign) for end in figure.bounds) + "]"
    return _short(figure.value, sign=sign) + bounds


def _short(value: float, *, sign: bool = False) -> str:
    """A number without its leading 0, as in .92 and -.02; three decimals where two would hide a small one."""
    digits = 3 if 0 < abs(value) < 0.095 else 2
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and not text.strip("+-").startswith("1") else text
