"""Robertson, Kanoulas & Yilmaz (2010), section 4: how much GAP tells of a ranking, and how many runs it tells apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

import numpy as np
from claims import Found, Quantity, least
from orders import SAMPLES, SEED
from public_runs import Collection

from gradeval import AP, GAP, P, eGAP, inform, nDCG, xGAP
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.scores.scoring import score
from gradeval.scores.selection import Top
from gradeval.studies.informativeness.inform import Informativeness
from gradeval.studies.power_differences import power_differences

PAPER = parse_measure("nDCG(dcg='exp-log2')")  # exponential gains, logarithmic discount
LINEAR, RECIPROCAL = parse_measure("nDCG"), nDCG(dcg="exp-log2", discount="linear")
RESAMPLES = 100  # of the topics, for differences of power
BEST = 15
TURNED = (
    "gap-tells-more-than-ndcg-of-key",
    "gap-tells-more-than-ap-of-all",
    "high-g2-tells-of-key",
    "balanced-better-than-strict",
    "balanced-better-than-lenient",
    "balanced-better-than-extremes",
    "log-discount-tells-more",
    "gains-tell-alike",
)
"""The contrasts that have another sign by the letter of the paper, on one collection or on two."""


class Errors:
    """RMS errors of inferred curves, over bootstrap samples of the topics with their rankings."""

    def __init__(self, informativeness: Informativeness) -> None:
        self.measures = informativeness.measures
        self.thresholds = informativeness.thresholds
        counted = informativeness.counted
        self.rankings, self.not_inferred = int(counted.sum()), int((~counted).sum())
        topic = informativeness.topic[counted]
        there, place = np.unique(topic, return_inverse=True)
        drawn = np.random.default_rng(SEED).multinomial(len(there), np.full(len(there), 1 / len(there)), size=SAMPLES)
        weights = np.concatenate([np.ones((1, len(there))), drawn])
        belongs = place[:, None] == np.arange(len(there))
        total = informativeness.errors[:, :, counted] @ belongs
        self.means: Array = np.einsum("mkt,st->mks", total, weights) / (weights @ belongs.sum(0))

    def of(self, measure: Measure, grade: float | None = None) -> Quantity:
        """Mean error of the curve from a grade, or the sum over grades."""
        means = self.means[self.measures.index(measure)]
        chosen = means.sum(0) if grade is None else means[self.thresholds.index(grade)]
        return Quantity(float(chosen[0]), chosen[1:], centred=False)


def informativeness(collections: list[Collection]) -> Iterator[Found]:
    """Figure 2: RMS errors of the curves that are inferred from a measure, over all rankings with 5 documents of each
    positive grade. "All" is the curve of all relevant documents, "key" that of the highest grade alone."""
    for one in collections:
        for claim, quantity in _contrasts(one, _errors(one, "retrieved")).items():
            yield quantity.found(claim, one.name)


def letter(collections: list[Collection]) -> Iterator[Found]:
    """The contrasts of figure 2 that change their sign where inferred lists hold all relevant documents that there are,
    by the letter of the paper: on the collections of which at least a tenth of the rankings allow such lists."""
    for one in collections:
        errors = _errors(one, "pool")
        print(
            f"{one.name}: {errors.rankings} rankings allow lists by the letter, {errors.not_inferred} do not",
            file=sys.stderr,
        )
        if 9 * errors.rankings >= errors.not_inferred:
            contrasts = _contrasts(one, errors)
            for claim in TURNED:
                yield contrasts[claim].found(f"{claim}-by-letter", one.name)


def _errors(one: Collection, counts: Literal["retrieved", "pool"]) -> Errors:
    """Of all measures that are compared."""
    return Errors(
        inform(one.judged, [PAPER, LINEAR, RECIPROCAL, AP, *_users(one)], samples=0, threads=1, counts=counts)
    )


def _users(one: Collection) -> list[Measure]:
    """GAP of equal shares, of strict and of lenient users, and of those who want the highest grade alone."""
    top = (0.0,) * (one.grades - 1) + (1.0,)
    return [GAP(g=g) for g in (one.equal, one.strict, one.strict[::-1], top)]


def _contrasts(one: Collection, errors: Errors) -> dict[str, Quantity]:
    """By claim."""
    equal, strict, lenient, only_top = _users(one)
    of, every, key = errors.of, errors.thresholds[0], errors.thresholds[-1]
    return {
        "gap-tells-more-than-ndcg": of(PAPER) - of(equal),
        "gap-tells-more-than-ndcg-of-all": of(PAPER, every) - of(equal, every),
        "gap-tells-more-than-ndcg-of-key": of(PAPER, key) - of(equal, key),
        "gap-tells-more-than-ap-of-all": of(AP, every) - of(equal, every),
        "high-g1-tells-of-all": of(strict, every) - of(lenient, every),
        "high-g2-tells-of-key": of(lenient, key) - of(strict, key),
        "all-on-key-tells-of-key": of(equal, key) - of(only_top, key),
        "balanced-better-than-strict": of(strict) - of(equal),
        "balanced-better-than-lenient": of(lenient) - of(equal),
        "log-discount-tells-more": of(RECIPROCAL) - of(PAPER),
        "gains-tell-alike": of(PAPER) - of(LINEAR),
        "balanced-better-than-extremes": least([of(AP), of(only_top)]) - of(equal),
        "gains-matter-less-than-discounts": abs(of(PAPER) - of(LINEAR)) - abs(of(RECIPROCAL) - of(PAPER)),
    }


def power(collections: list[Collection]) -> Iterator[Found]:
    """Figure 3: the share of pairs of runs told apart at 0.05, over all runs and over the 15 best by both measures."""
    for one in collections:
        of_paper = [GAP(g=one.equal), PAPER]
        scores = score(one.judged, [*of_paper, xGAP(g=one.equal), eGAP(g=one.equal), AP, P @ 10])
        best = Top(BEST).runs(scores.sel(measures=of_paper))
        for kind, runs in {"all": list(one.judged.runs), "top": best}.items():
            differences = power_differences(scores.sel(runs=runs), resamples=RESAMPLES, seed=SEED, threads=1)
            pairs = dict(zip(map(tuple, differences.pairs.tolist()), range(len(differences.pairs)), strict=True))
            of_others = {(0, 2): "xgap-as-discriminative", (0, 3): "egap-as-discriminative"}
            of_others[4, 5] = "ap-tells-more-pairs-apart-than-p10"
            claims = of_others if kind == "all" else {(0, 1): "gap-more-discriminative-top"}
            for pair, claim in claims.items():
                place = pairs[pair]
                bounds = differences.interval[place, 0].tolist()
                yield Found(claim, one.name, float(differences.difference[place, 0]), *bounds)
