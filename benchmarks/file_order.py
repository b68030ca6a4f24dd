"""How much does a ranker owe to the order of the file? The table of ties in docs/learning-to-rank/by-testing.md.

    python benchmarks/file_order.py DATA --work WORK

DATA and WORK are those of rankers.py, whose trainings are reused. LETOR leaves documents of equal score in the order of
the file. Where that order correlates with the grades, it raises the scores of rankers with many ties. So each row is
tested twice, with ties in the order of the file and in random order.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rankers import FOLDERS, GAP, LETOR, METHODS, NDCG, PUBLISHED, TRIALS, cross_validate, read_published_scores, short

from gradeval import Features, evaluate

Array = np.ndarray[Any, np.dtype[Any]]

TESTED = [LETOR, "AP", GAP]
DRAWS = 20  # random orders
ROWS = {
    "linear": [METHODS[2], METHODS[5]],
    "trees": [f"lambdarank:{measure}" for measure in (NDCG, "AP", GAP)],
    "trees-mq2008": [f"lambdarank:{measure}" for measure in (NDCG, "AP", GAP)],
}


def main() -> None:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="the folder of rankers.py")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    for folder, named in FOLDERS.items():
        heads = [f"{short(measure)}, {order}" for measure in TESTED for order in ("file", "random")]
        print(f"\n## {folder}\n\n| ranker | tied | {' | '.join(heads)} |\n|---|{'--:|' * (1 + len(heads))}", flush=True)
        for study, objectives in ROWS.items():
            if TRIALS[study][0] != folder:
                continue
            validation = cross_validate(study, options.data, options.work, options.seeds)
            for objective in objectives:
                scores = validation.predictions[validation.objectives.index(objective)]
                show(f"{study.partition('-')[0]}, {short(objective)}", validation.features, scores)
        for name in PUBLISHED:
            place = options.data / "ltr-system-scores" / named / named
            show(f"{name} (published)", validation.features, [read_published_scores(validation.features, place, name)])
        show("none: all scores equal", validation.features, [np.zeros(len(validation.features))])


def show(name: str, features: Features, scores: Sequence[Array]) -> None:
    """Print a row: the means over several vectors of scores, one for each seed."""
    tied = np.mean([tied_share(features, one) for one in scores])
    by_file = np.mean([means(features, one) for one in scores], axis=0)
    rng = np.random.default_rng(0)
    by_chance = np.mean(
        [means(features, break_ties_at_random(features, one, rng)) for one in scores for _ in range(DRAWS)], axis=0
    )
    cells = [f"{mean:.4f}" for pair in zip(by_file, by_chance, strict=True) for mean in pair]
    print(f"| {name} | {tied:.0%} | {' | '.join(cells)} |", flush=True)


def means(features: Features, scores: Array) -> Array:
    """The means over the topics, float64[measure]."""
    means: Array = evaluate(features.qrels, [features.run(scores)], TESTED, ties="order").mean()[0]
    return means


def topic_of(features: Features) -> Array:
    """int[row]: the topic of each document."""
    return np.repeat(np.arange(len(features.topics)), np.diff(features.offsets))


def tied_share(features: Features, scores: Array) -> float:
    """The share of documents that have a score together with another document of their topic."""
    return features.count_ties(scores) / len(features)


def break_ties_at_random(features: Features, scores: Array, rng: np.random.Generator) -> Array:
    """Distinct scores with the same order, where documents of equal score are put in random order."""
    order = np.lexsort((rng.random(len(scores)), -scores, topic_of(features)))
    ranked = np.empty(len(scores))
    ranked[order] = -np.arange(len(scores))
    return ranked


if __name__ == "__main__":
    main()
