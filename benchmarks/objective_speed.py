"""What do objectives cost beside each other, and TreeRanker beside LightGBM with the same objective? Ratios of one run.

    python benchmarks/objective_speed.py [--trees 60]

That the answers are the same is checked first. One thread; medians of ratios of processor time taken in turn.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import lightgbm
import numpy as np
from timing import ratio

from gradeval import Features, GradevalWarning
from gradeval.formula.arithmetic import Array
from gradeval.ltr import LambdaObjective, TreeRanker, feval

ROWS, FEATURES, ROUNDS = 40_000, 30, 5
LEVELS = (0, 1, 2, 3, 4)
BINS = {"min_data_in_bin": 1, "feature_pre_filter": False, "verbosity": -1, "num_threads": 1}
TREES = {
    "num_leaves": 7,
    "min_data_in_leaf": 50,
    "learning_rate": 0.05,
    "deterministic": True,
    "force_row_wise": True,
    "metric": "None",
    "verbosity": -1,
    "num_threads": 1,
}


def seconds(functions: list[Callable[[], object]]) -> list[list[float]]:
    """Processor seconds of functions called in turn, after a round to warm up."""
    times: list[list[float]] = [[] for _ in functions]
    for number in range(ROUNDS + 1):
        for mine, function in zip(times, functions, strict=True):
            begin = time.process_time()
            function()
            if number:
                mine.append(time.process_time() - begin)
    return times


def gradients(measure: str, documents: int, **options: int) -> Callable[[], Array]:
    """A function that computes the gradients for 40,000 documents in lists of so many."""
    rng = np.random.default_rng(0)
    scores, grades = rng.normal(size=ROWS), rng.integers(0, 5, ROWS).astype(float)
    objective = LambdaObjective(measure, LEVELS, threads=1, **options)
    return lambda: objective.gradients(scores, grades, np.arange(0, ROWS + 1, documents))[0]


def compare_gradients() -> None:
    """What a cutoff, a cascade and draws cost."""
    np.testing.assert_array_equal(gradients("nDCG@10", 10_000)(), gradients("nDCG@10", 10_000, truncation=10)())
    for documents in (10, 100, 1_000, 10_000):
        plain, cut, told, cascade, drawn = seconds(
            [
                gradients("nDCG", documents),
                gradients("nDCG@10", documents),
                gradients("nDCG@10", documents, truncation=10),
                gradients("ERR", documents),
                gradients("nDCG", documents, draws=5),
            ]
        )
        print(
            f"lists of {documents:6,}: nDCG@10 {ratio(cut, told):.2f} of it with truncation=10; of nDCG it is "
            f"{ratio(cut, plain):.2f}, ERR {ratio(cascade, plain):.1f}, nDCG with 5 draws {ratio(drawn, plain):.1f}",
            flush=True,
        )


def problem(documents: int, rows: int, seed: int) -> tuple[Array, Array, Array]:
    """Features, grades and the sizes of queries that can be learnt from: a TreeRanker leaves out the others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, FEATURES)).astype(np.float32)
    grades = np.digitize(X[:, :5].sum(1) + 2 * rng.normal(size=rows), [1, 2, 3.5, 5]).astype(float)
    grades[::documents], grades[1::documents] = 4, 0
    return X, grades, np.full(rows // documents, documents)


def compare_trees(documents: int, trees: int) -> None:
    """TreeRanker beside LightGBM, with and without validation."""
    X, grades, sizes = problem(documents, ROWS, 0)
    V, known, others = problem(documents, ROWS // 4, 1)
    train, valid = Features.from_arrays(X, grades, sizes=sizes), Features.from_arrays(V, known, sizes=others)

    def by_ranker(validated: bool) -> TreeRanker:
        ranker = TreeRanker("lambdarank:GAP", epochs=trees, patience=trees, subsample=1.0)
        return ranker.fit(train, valid if validated else None)

    def by_engine(objective: object, validated: bool = False) -> lightgbm.Booster:
        data = lightgbm.Dataset(X, grades, group=sizes, params=BINS)
        watched = [lightgbm.Dataset(V, known, group=others, reference=data)] if validated else None
        return lightgbm.train(
            TREES | {"objective": objective}, data, trees, valid_sets=watched, feval=feval("GAP") if validated else None
        )

    def ours() -> LambdaObjective:
        return LambdaObjective("GAP", LEVELS, threads=1)

    np.testing.assert_allclose(by_ranker(False).score(valid), by_engine(ours()).predict(V), atol=1e-9)
    ranker, engine, own, watching, watched = seconds(
        [
            lambda: by_ranker(False),
            lambda: by_engine(ours()),
            lambda: by_engine("lambdarank"),
            lambda: by_ranker(True),
            lambda: by_engine(ours(), True),
        ]
    )
    print(
        f"lists of {documents:6,}: TreeRanker {ratio(ranker, engine):.2f} of lightgbm.train with its objective, with "
        f"validation {ratio(watching, watched):.2f}; {ratio(ranker, own):.2f} of LightGBM's own lambdarank",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=60)
    trees = parser.parse_args().trees
    warnings.simplefilter("ignore", GradevalWarning)  # of ERR without draws
    compare_gradients()
    for length in (10, 100, 1_000):
        compare_trees(length, trees)
