"""Robertson, Kanoulas & Yilmaz (2010), section 4: how much GAP tells of a ranking, and how many runs it tells apart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from claims import Quantity, table
from orders import SAMPLES, SEED
from public_runs import Collection, show_users

from gradeval import AP, GAP, discriminate, eGAP, inform, nDCG, xGAP
from gradeval.collection.meeting import JudgedRuns
from gradeval.collection.thinned import only_rows
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measure
from gradeval.papers.correlate_users import user_grid
from gradeval.scores.scoring import score
from gradeval.scores.selection import Top
from gradeval.studies.discriminate import Method
from gradeval.studies.informativeness.inform import Informativeness
from gradeval.studies.power_differences import power_differences

PAPER = parse_measure("nDCG(dcg='exp-log2')")  # exponential gains, logarithmic discount
LINEAR = parse_measure("nDCG")
NDCGS = [PAPER, LINEAR, nDCG(dcg="exp-log2", discount="linear"), nDCG(discount="linear")]
RESAMPLES = 100  # of the topics, for differences of power
METHODS: tuple[Method, Method] = ("bootstrap", "tukey-hsd")
BEST = 15


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

    def least(self, measures: list[Measure]) -> tuple[Measure, Array]:
        """The measure with the least sum, and the place of the one with the least sum in each sample."""
        sums = np.stack([self.means[self.measures.index(measure)].sum(0) for measure in measures])
        places = sums.argmin(0)
        return measures[int(places[0])], places[1:]


def informativeness(collections: list[Collection]) -> Iterator[str]:
    """Figure 2: all rankings with 5 documents of each positive grade."""
    yield from _infer(collections, best=False)


def top(collections: list[Collection]) -> Iterator[str]:
    """The same over the 15 best runs by AP."""
    yield from _infer(collections, best=True)


def _of_best(one: Collection) -> JudgedRuns:
    """Only the rankings of the 15 best runs by AP."""
    names = Top(BEST, AP).runs(score(one.judged, [AP]))
    return only_rows(one.judged, (np.isin(one.judged.runs, names)[:, None] & one.judged.present).ravel())


def _infer(collections: list[Collection], *, best: bool) -> Iterator[str]:
    values: list[list[str]] = []
    claims: list[list[str]] = []
    shares: list[list[str]] = []
    ndcgs: list[list[str]] = []
    strictest: list[list[str]] = []
    for one in collections:
        grid = user_grid(one.grades, 0.1)
        measures = [*NDCGS, AP, *(measure(g=g) for measure in (GAP, xGAP) for g in grid)]
        errors = Errors(inform(_of_best(one) if best else one.judged, measures, samples=0, threads=1))
        equal = GAP(g=one.equal)
        gaps, xgaps = [GAP(g=g) for g in grid], [xGAP(g=g) for g in grid]
        (best_gap, drawn), (best_xgap, _) = errors.least(gaps), errors.least(xgaps)
        named = [PAPER, LINEAR, AP, equal, best_gap, best_xgap]
        for measure in dict.fromkeys(named):
            cells = [errors.of(measure, grade).show(sign="") for grade in errors.thresholds]
            cells += [""] * (3 - len(cells))
            values.append([one.name, _label(measure), *cells, errors.of(measure).show(sign="")])
        for grade in [*errors.thresholds, None]:
            where = [one.name, "sum" if grade is None else f"from {grade:g}"]
            differences = [errors.of(each, grade) - errors.of(equal, grade) for each in (PAPER, LINEAR, AP)]
            ends = [errors.of(GAP(g=g), grade) for g in (one.strict, one.strict[::-1])]
            claims.append([*where, *(each.show() for each in differences), (ends[0] - ends[1]).show()])
            of_ndcgs = [errors.of(each, grade) for each in NDCGS]
            gaps_of_ndcgs = [of_ndcgs[2] - of_ndcgs[0], of_ndcgs[3] - of_ndcgs[1], of_ndcgs[0] - of_ndcgs[1]]
            ndcgs.append([*where, *(f"{each.value:.3f}" for each in of_ndcgs), *(d.show() for d in gaps_of_ndcgs)])
        strictest.append([one.name, *_of_strictest(one, errors)])
        number = f"{errors.rankings}" + (f" ({errors.not_inferred} not)" if errors.not_inferred else "")
        first = np.quantile([grid[place][0] for place in drawn], [0.025, 0.975])
        lead = (errors.of(equal) - errors.of(best_gap)).show()
        shares.append([one.name, number, _label(best_gap), f"{first[0]:g} to {first[1]:g}", lead, _label(best_xgap)])
    yield "RMS error (95% intervals over topics)\n"
    yield table(["collection", "measure", "from 1:", "from 2:", "from 3:", "sum:"], values)
    yield "how much larger the error is than that of GAP at equal shares; and at strict users than at lenient ones\n"
    yield table(["collection", "error", "nDCG (exp):", "nDCG:", "AP:", "GAP strict - lenient:"], claims)
    yield "error at the strictest grade of GAP with all weight on the top grade, and that less others'\n"
    heads = ["collection", "top grade alone:", "- equal shares:", "- strict:", "- lenient:", "- AP:"]
    yield table([*heads, "equal shares - lenient:", "strict - equal shares:"], strictest)
    yield "the best g on a grid of 0.1, by the sum\n"
    heads = ["collection", "rankings inferred", "best GAP", "its g1 in 95% of samples", "equal shares - best:"]
    yield table([*heads, "best xGAP"], shares)
    yield "four nDCGs\n"
    heads = ["exp, log:", "linear, log:", "exp, 1/r:", "linear, 1/r:", "1/r - log (exp):", "1/r - log (linear):"]
    yield table(["collection", "error", *heads, "exp - linear (log):"], ndcgs)


def _of_strictest(one: Collection, errors: Errors) -> list[str]:
    """Does weight on the top grade help with the curve of the top grade? From all of it down to AP, which has none."""
    only = (0.0,) * (one.grades - 1) + (1.0,)
    shares = [only, one.equal, one.strict, one.strict[::-1]]
    top, equal, strict, lenient = (errors.of(GAP(g=g), errors.thresholds[-1]) for g in shares)
    binary = errors.of(AP, errors.thresholds[-1])
    differences = [top - equal, top - strict, top - lenient, top - binary, equal - lenient, strict - equal]
    return [top.show(sign=""), *(each.show() for each in differences)]


def _label(measure: Measure) -> str:
    g = measure.parameters.get("g")
    return f"{measure.name}, g = {show_users(tuple(g))}" if g else str(measure)


def power(collections: list[Collection]) -> Iterator[str]:
    """Figure 3: the share of pairs of runs told apart at 0.05; and the same of xGAP and eGAP."""
    values, claims = [], []
    for one in collections:
        of_paper = [GAP(g=one.equal), PAPER]
        measures = [*of_paper, xGAP(g=one.equal), eGAP(g=one.equal)]
        measures += [measure(g=one.strict) for measure in (GAP, xGAP, eGAP)]
        scores = score(one.judged, [*measures, LINEAR, AP])
        best = Top(BEST).runs(scores.sel(measures=of_paper))  # by both metrics
        for label, runs in {f"all {len(one.judged.runs)}": one.judged.runs, f"top {BEST}": best}.items():
            chosen = scores.sel(runs=runs)
            powers = [discriminate(chosen, method=method, seed=SEED, threads=1).power.tolist() for method in METHODS]
            both = (f"{100 * share:.1f} / {100 * tukey:.1f}" for share, tukey in zip(*powers, strict=True))
            values.append([one.name, label, *both])
            differences = power_differences(chosen.sel(measures=measures), resamples=RESAMPLES, seed=SEED, threads=1)
            shown = {}
            for place, pair in enumerate(map(tuple, differences.pairs.tolist())):
                bounds = differences.interval[place, 0].tolist()
                points = (round(100 * x, 1) + 0.0 for x in (float(differences.difference[place, 0]), *bounds))  # no -0
                shown[pair] = "{:+} [{:+}, {:+}]".format(*points)
            claims.append([one.name, label, shown[0, 1], shown[0, 2], shown[0, 3], shown[4, 5], shown[4, 6]])
    yield "percent of the pairs told apart at 0.05: bootstrap / randomised Tukey HSD, 1,000 samples each\n"
    heads = ["collection", "runs"]
    columns = ["GAP:", "nDCG (exp):", "xGAP:", "eGAP:", "GAP strict:", "xGAP strict:", "eGAP strict:", "nDCG:", "AP:"]
    yield table([*heads, *columns], values)
    yield f"differences by the bootstrap test, in points of percent; 95% intervals, {RESAMPLES} resamples\n"
    columns = ["GAP - nDCG (exp):", "GAP - xGAP:", "GAP - eGAP:", "GAP - xGAP, strict:", "GAP - eGAP, strict:"]
    yield table([*heads, *columns], claims)
