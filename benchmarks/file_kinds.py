"""How long does the same run take to read and score from csv, TREC text and Parquet? The sentence in docs/scale.md.

    python benchmarks/file_kinds.py [--topics 20000]

Seeded lists of 50 items a user. The three scores are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from gradeval import Qrels, evaluate, read_run

DEPTH = 50
ROUNDS = 5


def main() -> None:
    """Print processor seconds of each kind of file, and how many times as many as Parquet takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=20_000)
    topics = parser.parse_args().topics
    with tempfile.TemporaryDirectory() as folder:
        places = write_run(Path(folder), topics)
        listed = read_run(places[0]).to_dict()
        qrels = Qrels.from_dict({topic: dict.fromkeys(items, 1) for topic, items in listed.items()})
        scores = [evaluate(qrels, read_run(place), "nDCG@10").values for place in places]
        if not all(np.array_equal(scores[0], other) for other in scores[1:]):
            raise SystemExit("the three files gave different scores")
        seconds = {place.suffix: [] for place in places}
        for _ in range(ROUNDS):
            for place in places:
                begin = time.process_time()
                evaluate(qrels, read_run(place), "nDCG@10")
                seconds[place.suffix].append(time.process_time() - begin)
    print(f"{topics * DEPTH:,} lines")
    for kind, took in seconds.items():
        ratio = statistics.median(one / other for one, other in zip(took, seconds[".parquet"], strict=True))
        print(f"{kind:10}{statistics.median(took):8.2f} s  {ratio:6.1f} times as many as Parquet")


def write_run(folder: Path, topics: int) -> list[Path]:
    """The places of one run as csv, TREC text and Parquet."""
    rng = np.random.default_rng(0)
    items = np.concatenate([rng.choice(20_000, DEPTH, replace=False) for _ in range(topics)])
    scores = np.round(rng.random(len(items)), 4)
    frame = pd.DataFrame({"user_id": np.repeat(np.arange(topics), DEPTH), "item_id": items, "score": scores}).astype(
        {"user_id": str, "item_id": str}
    )
    frame.to_csv(folder / "run.csv", index=False)
    frame.to_parquet(folder / "run.parquet")
    trec = frame.assign(q0="Q0", rank=np.tile(np.arange(1, DEPTH + 1), topics), tag="run")
    columns = ["user_id", "q0", "item_id", "rank", "score", "tag"]
    trec[columns].to_csv(folder / "run.txt", sep=" ", header=False, index=False)
    return [folder / "run.csv", folder / "run.txt", folder / "run.parquet"]


if __name__ == "__main__":
    main()
