"""Four public collections to train rankers on, each in five parts.

OHSUMED and MQ2008 come with their parts and features. For TREC-COVID and the Deep Learning track 2021 the judged
documents are the rows, and the submitted runs are the features: a run's feature is 1 / (60 + rank), and 0 for a
document that the run lacks. Ranking by them is fusion of the runs, which is a real task with long lists.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gradeval import Features, read_letor, read_qrels, read_run
from gradeval.collection.meeting import ranked

PARTS = 5
CONSTANT = 60.0  # of reciprocal-rank fusion


def read_parts(data: Path, collection: str) -> list[Features]:
    """The five parts of a collection, by the name of its folder."""
    folder = data / collection
    if (folder / "S1.txt").exists():
        return [read_letor(folder / f"S{number}.txt") for number in range(1, PARTS + 1)]
    return split_in_order(fuse_runs(folder))


def fuse_runs(folder: Path) -> Features:
    """The judged documents of a track with a feature for each of its runs."""
    qrels = read_qrels(folder / "qrels.txt")
    judged = {topic: qrels.of(topic) for topic in qrels.topics}
    pairs = [(topic, document) for topic, grades in judged.items() for document in grades]
    row_of = {pair: row for row, pair in enumerate(pairs)}
    paths = sorted((folder / "runs").iterdir())
    X = np.zeros((len(pairs), len(paths)), np.float32)
    for column, path in enumerate(paths):
        run = read_run(path)
        for topic in judged.keys() & set(run.topics):
            for rank, document in enumerate(ranked(run, topic), 1):
                row = row_of.get((topic, document))
                if row is not None:
                    X[row, column] = 1 / (CONSTANT + rank)
    return Features.from_arrays(
        X,
        [max(0, judged[topic][document]) for topic, document in pairs],
        topics=[topic for topic, _ in pairs],
        docs=[document for _, document in pairs],
        columns=[path.name for path in paths],
        name=folder.name,
    )


def split_in_order(features: Features) -> list[Features]:
    """Every fifth topic is a part."""
    return [features.select(features.topics[part::PARTS]) for part in range(PARTS)]
