"""Do the intervals from few human and many model grades cover the mean of all human grades? Counted on real runs.

    python benchmarks/coverage/assisted.py DATA [DRAWS]

DATA holds trec-dl21-passage (qrels.txt, runs/) and trec-dl21-judges (judges/*.txt): human grades of 53 topics and those
of several models for the same documents. Human grades are hidden but for 20 topics drawn at random, or 10, or the first
ten; the model's are seen for all 53, which are "all" topics. Prints the numbers of docs/judges/few-human-grades.md:

    assisted, human alone, model alone    how many 95% intervals, over runs (or pairs of runs) and draws, hold the mean
                                          of the 53 human topics
    worst run                             how many of the intervals of the run that is covered least
    width, worth, limit                   medians: the assisted interval's share of the human one's width; what the
                                          human topics are worth
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from gradeval import GradevalWarning, Qrels, evaluate, read_qrels
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.spelling import parse_measures
from gradeval.studies.assisted_estimates import estimate_means
from gradeval.studies.assisted_means import PairedScores, find_intervals, has_few_values
from judges import shuffled

MEASURES = "AP(rel=2) nDCG@10 GAP Q RBP RR P@1"
JUDGES = ("gpt-4o-p32", "umbrela-gpt4", "exam-gpt4-max", "llama3.2-p20")
LEVELS = (0.0, 1.0, 2.0, 3.0)


def values_of(qrels: Qrels, runs: list[Path], topics: list[str]) -> Array:
    """float64[topic, run, measure]"""
    scores = evaluate(qrels, runs, MEASURES).sel(topics=topics)
    return np.moveaxis(scores.values, 0, 1)


def differences(values: Array) -> Array:
    """float64[topic, pair, measure]: of all pairs of runs."""
    first, second = np.triu_indices(values.shape[1], 1)
    return values[:, first] - values[:, second]


def samples(topics: int, human: int, draws: int) -> Iterator[Array]:
    """Random sets of human topics."""
    rng = np.random.default_rng(0)
    for _ in range(draws):
        yield rng.choice(topics, human, replace=False)


def study(
    human: Array, model: Array, sets: list[Array], measures: Sequence[Measure] = (), *, bounded: bool = True
) -> dict[str, Array]:
    """By measure: coverage of the assisted, the human and the model's intervals, widths, what the topics are worth.

    ``bounded``: the intervals are those of ``assisted_means``; else Student's t, as for differences of runs.
    """
    topics, _, number = human.shape
    flat, beside = (values.reshape(topics, -1) for values in (human, model))
    truth = human.mean(0)
    alone = estimate_means(beside, flat, np.arange(topics), "sample")  # mean and t interval of the model's values
    parts: dict[str, list[Array]] = {}
    for chosen in sets:
        few = np.broadcast_to(has_few_values(human[chosen]) & bounded, human.shape[1:]).ravel()
        found = estimate_means(flat[chosen], beside, chosen, "all", alone=few).reshape(human.shape[1:])
        ends = [np.stack([found.value - found.reach, found.value + found.reach], axis=-1)]
        ends.append(np.stack([found.human - found.human_reach, found.human + found.human_reach], axis=-1))
        if bounded:
            ends = list(find_intervals(found, PairedScores(human[chosen], model, chosen, "all"), measures, 0.05))
        held = [(one[..., 0] <= truth + 1e-12) & (truth - 1e-12 <= one[..., 1]) for one in ends]
        widths = [one[..., 1] - one[..., 0] for one in ends]
        for name, value in {
            "assisted": held[0],
            "human alone": held[1],
            "model alone": (np.abs(alone.human - truth.ravel()) <= alone.human_reach).reshape(truth.shape),
            "width": widths[0] / np.where(widths[1] > 0, widths[1], np.nan),
            "own width": widths[0],
            "worth": found.worth,
            "limit": found.limit,
        }.items():
            parts.setdefault(name, []).append(np.asarray(value, float).reshape(-1, number))
    stacked = {name: np.stack(each) for name, each in parts.items()}
    medians = {name: np.nanmedian(stacked.pop(name), axis=(0, 1)) for name in ("width", "own width", "worth", "limit")}
    mean = {name: each.mean((0, 1)) for name, each in stacked.items()}
    worst = {f"{name}, worst run": each.mean(0).min(0) for name, each in stacked.items() if name != "model alone"}
    return mean | worst | medians


def show(title: str, found: dict[str, Array], names: str) -> None:
    """Print one line a statistic."""
    for name in names.split(";"):
        print(f"{title:38} {name:22} " + " ".join(f"{value:9.3f}" for value in found[name]), flush=True)


def main(data: Path, draws: int) -> None:
    """Print a line a judge, a number of human topics and a statistic."""
    runs = sorted((data / "trec-dl21-passage" / "runs").iterdir())
    qrels = read_qrels(data / "trec-dl21-passage" / "qrels.txt").with_levels(LEVELS)
    judges = {name: read_qrels(data / "trec-dl21-judges" / "judges" / f"{name}.txt") for name in JUDGES}
    judges = {name: grades if max(grades.levels) > 3 else grades.with_levels(LEVELS) for name, grades in judges.items()}
    human, measures = values_of(qrels, runs, qrels.topics), parse_measures(MEASURES)
    print(f"{len(runs)} runs, {len(qrels.topics)} topics, {draws} draws; columns: {MEASURES}")
    first = np.arange(10)
    for name, grades in {**judges, "nothing known": shuffled(qrels, 0)}.items():
        model = values_of(grades, runs, qrels.topics)
        for count in (10, 20):
            sets = list(samples(len(human), count, draws))
            show(
                f"{name}, {count} at random",
                study(human, model, sets, measures),
                "assisted;assisted, worst run;human alone;human alone, worst run;model alone;width;worth;limit",
            )
        fewer = sets[: max(1, draws // 10)]
        pairs = study(differences(human), differences(model), fewer, bounded=False)
        show(f"{name}, 20 at random, pairs of runs", pairs, "assisted;human alone;model alone;width;worth;limit")
        show(f"{name}, the first 10", study(human, model, [first], measures), "assisted;human alone;width;worth")
    truth, early = human.mean((0, 1)), human[first].mean((0, 1))
    print(f"{'mean over runs, all topics':61} " + " ".join(f"{value:9.3f}" for value in truth))
    print(f"{'mean over runs, the first 10':61} " + " ".join(f"{value:9.3f}" for value in early))


if __name__ == "__main__":
    warnings.simplefilter("ignore", GradevalWarning)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
