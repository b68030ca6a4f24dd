"""How much does a ranker owe to the order of the file? The table of ties in docs/learning-to-rank.md.

    python benchmarks/file_order.py DATA --work WORK

DATA and WORK are those of rankers.py, whose trainings are looked up, not done again. LETOR leaves documents of equal
score in the order of the file. Where that order says something about the grades, a ranker with many ties gets credit
for what it does not know: each row is tested twice, with ties in the order of the file and in random order.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rankers import FOLDERS, GAP, LETOR, METHODS, NDCG, PUBLISHED, TRIALS, published, short, tried

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
    """A table for each collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="the folder of rankers.py")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    for folder, named in FOLDERS.items():
        heads = [f"{short(measure)}, {order}" for measure in TESTED for order in ("file", "random")]
        print(f"\n## {folder}\n\n| ranker | tied | {' | '.join(heads)} |\n|---|{'--:|' * (1 + len(heads))}", flush=True)
        for study, objectives in ROWS.items():
            if TRIALS[study][0] != folder:
                continue
            found = tried(study, given.data, given.work, given.seeds)
            for objective in objectives:
                scores = found.predictions[found.objectives.index(objective)]
                show(f"{study.partition('-')[0]}, {short(objective)}", found.features, scores)
        for name in PUBLISHED:
            place = given.data / "ltr-system-scores" / named / named
            show(f"{name} (published)", found.features, [published(found.features, place, name)])
        show("none: all scores equal", found.features, [np.zeros(len(found.features))])


def show(name: str, features: Features, scores: Sequence[Array]) -> None:
    """A row: the mean over score vectors [row], those of several seeds."""
    tied = np.mean([tied_share(features, one) for one in scores])
    by_file = np.mean([means(features, one) for one in scores], axis=0)
    rng = np.random.default_rng(0)
    by_chance = np.mean([means(features, broken(features, one, rng)) for one in scores for _ in range(DRAWS)], axis=0)
    cells = [f"{mean:.4f}" for pair in zip(by_file, by_chance, strict=True) for mean in pair]
    print(f"| {name} | {tied:.0%} | {' | '.join(cells)} |", flush=True)


def means(features: Features, scores: Array) -> Array:
    """The means over the topics, float64[measure]."""
    found: Array = evaluate(features.qrels, [features.run(scores)], TESTED, ties="order").mean()[0]
    return found


def topic_of(features: Features) -> Array:
    """int[row]: the topic of each document."""
    return np.repeat(np.arange(len(features.topics)), np.diff(features.offsets))


def tied_share(features: Features, scores: Array) -> float:
    """The share of documents that have a score together with another document of their topic."""
    pairs = np.stack([topic_of(features), scores], axis=1)
    _, place, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    return float((count[place] > 1).mean())


def broken(features: Features, scores: Array, rng: np.random.Generator) -> Array:
    """Scores in the same order, equal ones in a random one."""
    order = np.lexsort((rng.random(len(scores)), -scores, topic_of(features)))
    ranked = np.empty(len(scores))
    ranked[order] = -np.arange(len(scores))
    return ranked


if __name__ == "__main__":
    main()
