"""Scheel, Lommatzsch & Albayrak (2011): do measures depend on the number of grades? Figures 4, 5, 7 and 8."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from claims import Found
from public_runs import Collection

import gradeval
from gradeval import papers
from gradeval.papers.swaps import Swaps

REPETITIONS, SEED, AFTER = 1000, 0, 99
CHANGES = {"NDCNG": "ndcng-stays-with-levels", "nDCG": "ndcg-falls-with-levels", "muAP": "muap-stays-with-levels"}
"""The claims that the measures of figures 7 and 8 stand for, by a part of their names, the longest first."""
NAMES = {"muAP": "muap", "NDCNG": "ndcng", "nDCG": "ndcg"}


def swaps(_: list[Collection]) -> Iterator[Found]:
    """A perfect ranking of 100 items, of which two at random change places again and again, after 99 swaps.

    The mean with 2 grades less the mean with 50; and the mean with random shares of the grades less the mean with
    uniform shares of as many grades.
    """
    uniform, random = (gradeval.swaps(nonuniform=each, repetitions=REPETITIONS, seed=SEED) for each in (False, True))
    for place, measure in enumerate(uniform.measures):
        name = NAMES.get(str(measure).partition("(")[0].partition("@")[0])
        if name is None:
            continue
        for study, kind in ((uniform, "uniform shares"), (random, "random shares")):
            claim = "ndcg-depends-on-grades" if name == "ndcg" else f"{name}-free-of-grades"
            yield _less(claim, f"made data, {kind}", _after(study, 0, place), _after(study, -1, place))
        if name != "ndcg":
            for grades, number in enumerate(uniform.levels):
                ends = (_after(study, grades, place) for study in (random, uniform))
                yield _less(f"{name}-free-of-shares", f"made data, {number} grades", *ends)


def _after(study: Swaps, grades: int, measure: int) -> tuple[float, float]:
    """The mean after the last swap, and its standard error."""
    return float(study.values[grades, AFTER, measure]), float(study.error[grades, AFTER, measure])


def _less(claim: str, collection: str, one: tuple[float, float], other: tuple[float, float]) -> Found:
    """The difference of two means of draws that have nothing to do with each other, with its normal interval."""
    difference, within = one[0] - other[0], 1.96 * float(np.hypot(one[1], other[1]))
    return Found(claim, collection, difference, difference - within, difference + within)


def thresholds(_: list[Collection]) -> Iterator[Found]:
    """How many swaps of items of different grades average precision does not notice."""
    study = gradeval.swaps(measures="AP", levels=(10, 50), repetitions=REPETITIONS, seed=SEED)
    for grades, share in zip((10, 50), study.unchanged[:, 0].tolist(), strict=True):
        yield Found("threshold-is-often-constant", f"made data, {grades} grades", share, share, share)


def users(data: Path) -> Iterator[Found]:
    """Figures 7 and 8: eight strategies, measured by a virtual user of nine levels, and by one of very many."""
    files = [data / "ohsumed-letor2" / f"S{part}.txt" for part in range(1, 6)]
    study = papers.run("scheel11", "figure8", files).result
    few, many = (next(place for place, user in enumerate(study.users) if user.feature == name) for name in ("1", "9"))
    shown = list(study.shown)
    by_few = study.judgments[few].mean()[:, shown]
    own, nearest = study.strategies.index("1"), study.strategies.index("9")
    others = np.delete(by_few, [own, nearest], axis=0).max(axis=0)
    for claim, value in {
        "user-is-best-for-itself": float(by_few[own].min()),
        "all-agree-on-the-nearest": float((by_few[nearest] - others).min()),
    }.items():
        yield Found(claim, "OHSUMED", value, value, value)
    change, bounds = study.change(few, many)
    for place, name in study.shown.items():
        claim = next(claim for part, claim in CHANGES.items() if part in name)
        low, high = (-bounds[place]).tolist()[::-1]
        yield Found(claim, "OHSUMED", -float(change[place]), low, high)
