"""Is what rankers are trained for what they are good at? Training by testing objective, on every LETOR set at hand.

    python benchmarks/training/by_testing.py DATA --work WORK [--seeds 5] [--pages PAGE ...]

Tables 1 and 2 of Robertson, Kanoulas & Yilmaz (2010) on OHSUMED (the features of LETOR 2.0 and of 3.0), MQ2008 and
LightGBM's example, with linear rankers and networks by SoftRank and by LambdaRank and with trees by LambdaRank: what
``gradeval papers robertson10 table2`` does with its defaults, GAP and trees besides. WORK keeps every training, so that
a killed study continues. About forty minutes on one core.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # queries are small

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from leads import write_between
from public_collections import split_in_order

import gradeval
from gradeval import Features, Scores, read_letor
from gradeval.ltr import crossval
from gradeval.ltr.training_noise import compare_trained
from gradeval.studies.significance import holm

SETS = {
    "OHSUMED, LETOR 2.0": "ohsumed-letor2",
    "OHSUMED, LETOR 3.0": "ohsumed-letor3",
    "MQ2008": "mq2008",
    "LightGBM's example": "lightgbm-rank",
}
WAYS = {"linear, SoftRank": ("linear", "softrank"), "linear, LambdaRank": ("linear", "lambdarank")}
WAYS |= {"network, SoftRank": ("neural", "softrank"), "network, LambdaRank": ("neural", "lambdarank")}
WAYS |= {"trees, LambdaRank": ("tree", "lambdarank")}
NDCG = "nDCG(dcg='exp-log2')"
TRAINED = {"nDCG": NDCG, "AP": "AP", "GAP": "GAP"}
ALPHA = 0.05
TESTED = {"nDCG": f"{NDCG}@10", "AP": "AP", "P@10": "P@10", "GAP": "GAP"}


def read_parts(folder: Path) -> list[Features]:
    """The five parts of a set; where it has none, every fifth query of its files."""
    parts = sorted(folder.glob("S?.txt"))
    if parts:
        return [read_letor(part) for part in parts]
    files = [read_letor(folder / name) for name in ("rank.train", "rank.test")]
    return split_in_order(Features.concat([_named(one, letter) for one, letter in zip(files, "ab", strict=True)]))


def _named(features: Features, letter: str) -> Features:
    """The same queries with a letter before their names, as both files count from 1."""
    topics = np.repeat([f"{letter}{topic}" for topic in features.topics], np.diff(features.offsets))
    return Features.from_arrays(features.X, features.grades, topics=topics, columns=features.columns)


@dataclass(frozen=True)
class Difference:
    """By how much rankers trained for GAP are ahead of those trained for another measure, by that measure."""

    collection: str
    way: str
    other: str
    value: float
    lower: float
    upper: float
    p: float


def train(parts: list[Features], way: str, seeds: int, work: Path) -> list[Scores]:
    """The test scores of the rankers trained for each measure, for each seed."""
    ranker, method = WAYS[way]
    objectives = [f"{method}:{measure}" for measure in TRAINED.values()]
    study = crossval(parts, objectives, list(TESTED.values()), ranker, seeds=seeds, work=work)
    return [replace(scores, runs=list(TRAINED)) for scores in study.by_seed]


def mean_over_seeds(by_seed: list[Scores]) -> Scores:
    return replace(by_seed[0], values=np.mean([scores.values for scores in by_seed], axis=0))


def means_rows(collection: str, way: str, scores: Scores) -> Iterator[list[str]]:
    """A row for each measure trained for; the best of a column in bold."""
    means = scores.mean()
    for run, name in enumerate(scores.runs):
        cells = [f"**{x:.4f}**" if x == best else f"{x:.4f}" for x, best in zip(means[run], means.max(0), strict=True)]
        yield [collection, way, name, *cells]


def differences(collection: str, way: str, by_seed: list[Scores], parts: list[int]) -> Iterator[Difference]:
    """GAP against nDCG by nDCG, and against AP by AP; with several seeds what trainings vary by counts."""
    for other in ("nDCG", "AP"):
        seeds = [scores.sel(runs=["GAP", other], measures=TESTED[other]) for scores in by_seed]
        found = compare_trained(mean_over_seeds(seeds), seeds, parts, other, ALPHA)
        assert found is not None
        lower, upper = found.interval[0, 0]
        sign = 1 if found.runs[found.pairs[0][0]] == "GAP" else -1
        low, high = sorted((sign * float(lower), sign * float(upper)))
        yield Difference(collection, way, other, sign * float(found.difference[0, 0]), low, high, float(found.p[0, 0]))


def difference_rows(found: list[Difference]) -> Iterator[list[str]]:
    """A row for each difference, with p corrected by Holm over all of them."""
    corrected = holm(np.array([one.p for one in found]))
    for one, p in zip(found, corrected, strict=True):
        mark = "" if p >= ALPHA else "▲" if one.value > 0 else "▼"
        interval = f"[{one.lower:+.4f}, {one.upper:+.4f}]"
        yield [one.collection, one.way, one.other, f"{one.value:+.4f}{mark}", interval, f"{p:.3f}"]


def markdown(head: list[str], texts: int, rows: list[list[str]]) -> str:
    """A table whose first columns are words and the others numbers."""
    lines = [head, ["---"] * texts + ["--:"] * (len(head) - texts), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="a folder that keeps what was trained")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--pages", type=Path, nargs="*", default=[], help="put the tables into these pages")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gradeval.GradevalWarning)
    means: list[list[str]] = []
    found: list[Difference] = []
    for collection, folder in SETS.items():
        parts = read_parts(options.data / folder)
        for way in WAYS:
            by_seed = train(parts, way, options.seeds, options.work / folder / way.replace(", ", "-"))
            means += means_rows(collection, way, mean_over_seeds(by_seed))
            found += differences(collection, way, by_seed, [len(part.topics) for part in parts])
            print(f"{collection}, {way}: {len(by_seed[0].topics)} queries", file=sys.stderr, flush=True)
    tables = {
        "means": markdown(["", "ranker", "trained for", "nDCG@10", "AP", "P@10", "GAP"], 3, means),
        "differences": markdown(
            ["", "ranker", "GAP ahead of", "by that measure", "95 % interval", "p"], 3, list(difference_rows(found))
        ),
    }
    for name, table in tables.items():
        print(f"{table}\n", flush=True)
        for page in options.pages:
            write_between(page, name, f"{table}\n")


if __name__ == "__main__":
    main()
