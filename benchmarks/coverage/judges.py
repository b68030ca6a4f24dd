"""Do the intervals of ``judges`` hold what they are intervals of? Counted on a real collection as the population.

    python benchmarks/coverage/judges.py RUNS JUDGES [DRAWS]

RUNS is the folder of trec-dl21-passage (qrels.txt, runs/), JUDGES that of the machine judges. Topics are drawn with
replacement from the 53, n at a time. The truth of a figure (the share of significant differences that a judge keeps,
its tau, floors and skills) at n topics is its mean over 600 such draws; that of each interval is how many of DRAWS
intervals of 95% hold it. Five ways to resample the topics are compared for the share that is kept:

    plain     percentiles over bootstrap samples of the topics
    moved     the same, moved so that their median is the estimate
    printed   moved, and widened for few topics: what ``judges`` prints, here and of all other figures
    halves    half of the topics drawn without replacement, tested as if they were n, moved likewise
    jackknife the estimate -+ t times the standard error from leaving out one topic at a time
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from gradeval import GradevalWarning, Qrels, Scores, evaluate, read_qrels
from gradeval.formula.aggregation import draw, interval
from gradeval.formula.arithmetic import Array
from gradeval.studies.judges.conclusions import (
    Rule,
    compare_shares,
    correlate_means,
    ordered_means,
    resample_correlations,
    resample_signs,
    shares_of,
)
from gradeval.studies.judges.floors import compare_with_floor

MEASURES = "GAP AP nDCG@10 RR"
JUDGES = ("gpt-4o-p32", "umbrela-gpt4", "mistral-p22")
TRUTHS = 600
SAMPLES, FEWER, FLOORS = 200, 100, 10
RULE = Rule("t", "none", 0.05)


def shuffled(human: Qrels, seed: int) -> Qrels:
    """A judge that knows nothing but how many documents of each grade a topic has."""
    rng = np.random.default_rng(seed)
    judged = {}
    for topic in human.topics:
        grades = human.of(topic)
        judged[topic] = dict(zip(grades, rng.permutation(list(grades.values())).tolist(), strict=True))
    return Qrels.from_dict(judged, "nothing known").with_levels(human.levels)


def drawn_topics(scores: Scores, places: Array) -> Scores:
    """The scores of topics as they were drawn, each as often."""
    from dataclasses import replace

    return replace(
        scores,
        values=scores.values[:, places],
        present=scores.present[:, places],
        vacant=scores.vacant[places],
        topics=[f"{number}" for number in range(len(places))],
        coverage=None,
    )


def halves(n: int, samples: int, seed: int) -> Array:
    """float64[sample, topic]: 1 for each of n/2 topics drawn without replacement."""
    rng = np.random.default_rng(seed)
    return (rng.random((samples, n)).argsort(-1) < n // 2).astype(float)


def one_draw(human: Scores, judges: list[Scores], blind: list[Scores], seed: int) -> Iterator[tuple[str, Array]]:
    """The estimates and intervals from the topics of one draw: float64[judge, measure, 3] by name."""
    n = len(human.topics)
    everything = np.ones((1, n))
    weights = draw(n, SAMPLES, seed)
    ways = {"moved": weights, "jackknife": 1 - np.eye(n), "halves": halves(n, SAMPLES, seed)}
    of_human = {way: list(resample_signs(human, some, RULE)) for way, some in (("once", everything), *ways.items())}
    means, of_means = ordered_means(human), lambda sides: np.stack([ordered_means(one) for one in sides])
    taus = correlate_means("kendall", means, of_means(judges))
    blind_taus = correlate_means("kendall", means, of_means(blind))
    resampled = resample_correlations("kendall", human, judges, weights)
    blind_resampled = resample_correlations("kendall", human, blind, weights[:FEWER])
    floors, again = [], []
    for one in blind:
        once = resample_signs(one, everything, RULE)
        floors.append([shares_of(h[0], j[0]) for h, j in zip(of_human["once"], once, strict=True)])
        signs = resample_signs(one, weights[:FEWER], RULE)
        again.append([shares_of(h[:FEWER], j) for h, j in zip(of_human["moved"], signs, strict=True)])
    by_floor, by_floor_again = np.array(floors), np.array(again)  # [floor, measure, (sample,) share]
    found: dict[str, list[list[list[float]]]] = {}
    for place, one in enumerate(judges):
        own = {way: list(resample_signs(one, some, RULE)) for way, some in (("once", everything), *ways.items())}
        for number in range(len(human.measures)):
            shares = {way: shares_of(of_human[way][number], own[way][number]) for way in own}
            value = shares["once"][0]
            low, high = interval(shares["moved"][:, 0], 0.05)
            keep(found, "kept, plain", place, value[0], low, high)
            low, high = np.clip(interval(shares["moved"][:, 0], 0.05, around=value[0]), 0, 1)
            keep(found, "kept, moved", place, value[0], low, high)
            low, high = np.clip(interval(shares["halves"][:, 0], 0.05, around=value[0]), 0, 1)
            keep(found, "kept, halves", place, value[0], low, high)
            left = shares["jackknife"][:, 0]
            error = np.sqrt((n - 1) / n * np.nansum(np.square(left - np.nanmean(left))))
            reach = student.ppf(0.975, n - 1) * error
            keep(found, "kept, jackknife", place, value[0], max(0, value[0] - reach), min(1, value[0] + reach))
            beside = compare_shares(
                value, shares["moved"], by_floor[:, number], np.moveaxis(by_floor_again[:, number], 0, 1), n, 0.05
            )
            tau = compare_with_floor(
                float(taus[place, number]),
                resampled[:, place, number],
                blind_taus[:, number],
                blind_resampled[:, :, number],
                n,
                0.05,
                within=(-1, 1),
            )
            figures = {
                "kept, printed": beside.kept.value,
                "kept-floor": beside.kept.floor,
                "kept-skill": beside.kept.skill,
                "reversed": beside.reversed.value,
                "not-confirmed": beside.not_confirmed.value,
                "not-confirmed-floor": beside.not_confirmed.floor,
                "tau": tau.value,
                "floor": tau.floor,
                "skill": tau.skill,
            }
            for name, figure in figures.items():
                bounds = (np.nan, np.nan) if figure is None or figure.bounds is None else figure.bounds
                keep(found, name, place, np.nan if figure is None else figure.value, *bounds)
    for name, rows in found.items():
        yield name, np.array(rows)


def keep(found: dict[str, list[list[list[float]]]], name: str, place: int, *figures: float) -> None:
    """Put an estimate with its interval beside the others of its name."""
    rows = found.setdefault(name, [])
    if len(rows) <= place:
        rows.append([])
    rows[place].append([float(figure) for figure in figures])


def truths(human: Scores, judges: list[Scores], blind: list[Scores], n: int) -> dict[str, Array]:
    """float64[judge, measure] by name: the means of the figures over many draws of n topics."""
    weights = np.random.default_rng(99).multinomial(n, np.full(len(human.topics), 1 / len(human.topics)), TRUTHS)
    weights = weights.astype(float)
    of_human = list(resample_signs(human, weights, RULE))

    def all_of(sides: list[Scores]) -> tuple[Array, Array]:
        shares = [
            [
                np.nanmean(shares_of(h, j), axis=0)
                for h, j in zip(of_human, resample_signs(one, weights, RULE), strict=True)
            ]
            for one in sides
        ]
        taus = np.stack([np.nanmean(resample_correlations("kendall", human, [one], weights), 0)[0] for one in sides])
        return np.array(shares), taus

    (shares, taus), (floors, floor) = all_of(judges), all_of(blind)
    floors, floor = floors.mean(0), np.broadcast_to(floor.mean(0), taus.shape)
    kept = shares[..., 0]
    found = {f"kept, {way}": kept for way in ("plain", "moved", "printed", "halves", "jackknife")}
    found["kept-floor"] = np.broadcast_to(floors[:, 0], kept.shape)
    found["kept-skill"] = (kept - floors[:, 0]) / (1 - floors[:, 0])
    found["reversed"], found["not-confirmed"] = shares[..., 1], shares[..., 2]
    found["not-confirmed-floor"] = np.broadcast_to(floors[:, 2], kept.shape)
    return found | {"tau": taus, "floor": floor, "skill": (taus - floor) / (1 - floor)}


def main(runs: Path, judges: Path, draws: int, sizes: list[int]) -> None:
    """Print a line a number of topics, figure and measure."""
    qrels = read_qrels(runs / "qrels.txt")
    files = sorted((runs / "runs").iterdir())

    def scored(grades: Qrels) -> Scores:
        return evaluate(grades.with_levels((0, 1, 2, 3)), files, MEASURES).sel(topics=qrels.topics)

    human = scored(qrels)
    others = [scored(read_qrels(judges / f"{name}.txt").recoded(dict.fromkeys(range(4, 10), 3.0))) for name in JUDGES]
    many = [scored(shuffled(qrels, seed)) for seed in range(30)]
    print(f"{len(files)} runs, judges {', '.join(JUDGES)}; {draws} draws; worst: of judges")
    print(f"{'topics':6} {'figure':20} " + " ".join(f"{m:>31}" for m in MEASURES.split()))
    print(f"{'':27} " + " ".join(f"{'truth  cover  worst  width zero':>31}" for _ in MEASURES.split()))
    for n in sizes:
        truth = truths(human, others, many, n)
        rng = np.random.default_rng(n)
        drawn: dict[str, list[Array]] = {}
        for number in range(draws):
            places = rng.integers(len(human.topics), size=n)
            some = rng.choice(len(many), FLOORS, replace=False)
            sides = [drawn_topics(one, places) for one in (human, *others, *(many[place] for place in some))]
            split = 1 + len(others)
            for name, rows in one_draw(sides[0], sides[1:split], sides[split:], number):
                drawn.setdefault(name, []).append(rows)
        for name, rows in drawn.items():
            found = np.stack(rows)  # [draw, judge, measure, 3]
            known = ~np.isnan(found[..., 1])
            held = known & (found[..., 1] <= truth[name] + 1e-9) & (truth[name] - 1e-9 <= found[..., 2])
            with np.errstate(invalid="ignore"):
                cover = held.sum(0) / known.sum(0)
            width = found[..., 2] - found[..., 1]
            cells = [
                f"{truth[name][:, m].mean():6.3f} {np.nanmean(cover[:, m]):6.3f} {np.nanmin(cover[:, m]):6.3f} "
                f"{np.nanmean(width[:, :, m]):6.3f} {(width[:, :, m] == 0).mean():5.2f}"
                for m in range(len(human.measures))
            ]
            print(f"{n:6} {name:20} " + " ".join(f"{cell:>31}" for cell in cells), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", GradevalWarning)
    warnings.simplefilter("ignore", RuntimeWarning)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    main(Path(sys.argv[1]), Path(sys.argv[2]), count, [10, 20, 50])
