"""Do the intervals from few human and many model grades cover the mean of all human grades? Counted on real runs.

    python benchmarks/assisted.py DATA [DRAWS]

DATA holds trec-dl21-passage (qrels.txt, runs/) and trec-dl21-judges (judges/*.txt): human grades of 53 topics and those
of several models for the same documents. Human grades are hidden but for 20 topics drawn at random, or 10, or the first
ten; the model's are seen for all 53, which are "all" topics. Prints the numbers of docs/judges.md:

    assisted, human alone, model alone    how many 95% intervals, over runs (or pairs of runs) and draws, hold the mean
                                          of the 53 human topics
    width, worth, limit                   medians: the assisted interval's share of the human one's width; what the
                                          human topics are worth
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gradeval import GradevalWarning, Qrels, evaluate, read_qrels
from gradeval.formula.arithmetic import Array
from gradeval.studies.assisted_means import estimate_means

MEASURES = "AP(rel=2) nDCG@10 nDCG GAP Q RBP ERR@20"
JUDGES = ("gpt-4o-p32", "umbrela-gpt4", "exam-gpt4-max", "llama3.2-p20")
LEVELS = (0.0, 1.0, 2.0, 3.0)


def shuffled(human: Qrels, seed: int = 0) -> Qrels:
    """A judge that knows nothing but how many documents of each grade a topic has."""
    rng = np.random.default_rng(seed)
    judged = {}
    for topic in human.topics:
        grades = human.of(topic)
        judged[topic] = dict(zip(grades, rng.permutation(list(grades.values())).tolist(), strict=True))
    return Qrels.from_dict(judged, "nothing known").with_levels(human.levels)


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


def study(human: Array, model: Array, sets: list[Array]) -> dict[str, Array]:
    """By measure: coverage of the assisted, the human and the model's intervals, widths, what the topics are worth."""
    topics, _, measures = human.shape
    flat, beside = (values.reshape(topics, -1) for values in (human, model))
    truth = flat.mean(0)
    alone = estimate_means(beside, flat, np.arange(topics), "sample")  # mean and t interval of the model's values
    parts: dict[str, list[Array]] = {}
    for chosen in sets:
        found = estimate_means(flat[chosen], beside, chosen, "all")
        for name, value in {
            "assisted": np.abs(found.value - truth) <= found.reach,
            "human alone": np.abs(found.human - truth) <= found.human_reach,
            "model alone": np.abs(alone.human - truth) <= alone.human_reach,
            "width": found.reach / np.where(found.human_reach > 0, found.human_reach, np.nan),
            "worth": found.worth,
            "limit": found.limit,
        }.items():
            parts.setdefault(name, []).append(np.asarray(value, float).reshape(-1, measures))
    stacked = {name: np.stack(each) for name, each in parts.items()}
    medians = {name: np.nanmedian(stacked.pop(name), axis=(0, 1)) for name in ("width", "worth", "limit")}
    mean = {name: each.mean((0, 1)) for name, each in stacked.items()}
    return mean | medians


def show(title: str, found: dict[str, Array], names: str) -> None:
    """Print one line a statistic."""
    for name in names.split(","):
        print(f"{title:38} {name:12} " + " ".join(f"{value:9.3f}" for value in found[name]), flush=True)


def main(data: Path, draws: int) -> None:
    """Print a line a judge, a number of human topics and a statistic."""
    runs = sorted((data / "trec-dl21-passage" / "runs").iterdir())
    qrels = read_qrels(data / "trec-dl21-passage" / "qrels.txt").with_levels(LEVELS)
    judges = {name: read_qrels(data / "trec-dl21-judges" / "judges" / f"{name}.txt") for name in JUDGES}
    judges = {name: grades if max(grades.levels) > 3 else grades.with_levels(LEVELS) for name, grades in judges.items()}
    human = values_of(qrels, runs, qrels.topics)
    print(f"{len(runs)} runs, {len(qrels.topics)} topics, {draws} draws; columns: {MEASURES}")
    first = np.arange(10)
    for name, grades in {**judges, "nothing known": shuffled(qrels)}.items():
        model = values_of(grades, runs, qrels.topics)
        for count in (10, 20):
            sets = list(samples(len(human), count, draws))
            show(
                f"{name}, {count} at random",
                study(human, model, sets),
                "assisted,human alone,model alone,width,worth,limit",
            )
        pairs = study(differences(human), differences(model), sets[: max(1, draws // 10)])
        show(f"{name}, 20 at random, pairs of runs", pairs, "assisted,human alone,model alone,width,worth,limit")
        show(f"{name}, the first 10", study(human, model, [first]), "assisted,human alone,width,worth")
    truth, early = human.mean((0, 1)), human[first].mean((0, 1))
    print(f"{'mean over runs, all topics':51} " + " ".join(f"{value:9.3f}" for value in truth))
    print(f"{'mean over runs, the first 10':51} " + " ".join(f"{value:9.3f}" for value in early))


if __name__ == "__main__":
    warnings.simplefilter("ignore", GradevalWarning)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
