"""What does it cost to validate over all orders of equal scores? Against validation by one order, in one run.

python benchmarks/expected_validation.py

"value": one validation of 200,000 documents whose scores take 30 values; "training": 60 trees of 7 leaves. The one
order is the order of the rows: scores less a little for each row, so that none are equal.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from unittest.mock import patch

import numpy as np

from gradeval import Features, evaluate, parse_measure
from gradeval.formula.arithmetic import Array
from gradeval.ltr import TreeRanker
from gradeval.ltr.data.validation import Validation

DOCUMENTS = 200_000
PAIRS = 9


def drawn(seed: int, documents: int, length: int) -> Features:
    """Queries of ``length`` documents each, whose grades depend on three of ten features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(documents, 10))
    grades = np.digitize(X[:, :3] @ np.array([1, 0.7, 0.3]) + rng.normal(size=documents), [0.8, 1.6, 2.4])
    return Features.from_arrays(X, grades.astype(float), sizes=[length] * (documents // length))


def apart(scores: Array) -> Array:
    """Scores without equal ones, in the order of the rows where they were equal."""
    single: Array = scores - 1e-9 * np.arange(len(scores))
    return single


def in_pairs(one: Callable[[], object], other: Callable[[], object], pairs: int) -> float:
    """The median of the ratios of processor time of ``one`` to ``other``."""
    ratios = []
    for number in range(pairs):
        taken = {}
        for work in (one, other) if number % 2 else (other, one):
            begin = time.process_time()
            work()
            taken[work] = time.process_time() - begin
        ratios.append(taken[one] / taken[other])
    return statistics.median(ratios)


def value_ratio(features: Features, measure: str) -> float:
    """Of one validation, after its value is compared with ``evaluate``."""
    scores = np.random.default_rng(1).integers(0, 30, len(features)).astype(float)
    mean = Validation.of(features, parse_measure(measure)).mean_function(1)
    small = features.split(0.1, 0.9, seed=0)[0]
    some = np.random.default_rng(2).integers(0, 30, len(small)).astype(float)
    expected = evaluate(small.qrels, small.run(some), measure, ties="expected").mean()[0, 0]
    assert abs(Validation.of(small, parse_measure(measure)).mean_function(1)(some) - expected) < 1e-9
    single = apart(scores)
    return in_pairs(lambda: mean(scores), lambda: mean(single), PAIRS)


def training_ratio(length: int, measure: str) -> float:
    """Of a whole training."""
    train, valid = drawn(2, DOCUMENTS // 4, length), drawn(3, DOCUMENTS // 4, length)
    usual = Validation.mean_function

    def in_order_of_rows(self: Validation, threads: int) -> Callable[[Array], float]:
        mean = usual(self, threads)
        return lambda scores: mean(apart(scores))

    def fit() -> None:
        TreeRanker(f"lambdarank:{measure}", epochs=60, patience=60, leaves=7, threads=1).fit(train, valid)

    def fit_by_one_order() -> None:
        with patch.object(Validation, "mean_function", in_order_of_rows):
            fit()

    fit()
    return in_pairs(fit, fit_by_one_order, 3)


def main() -> None:
    """A line for each length of list and measure."""
    print("documents a query  measure  value  training")
    for length in (10, 100, 1000):
        for measure in ("GAP", "nDCG@10", "ERR"):
            value = value_ratio(drawn(1, DOCUMENTS, length), measure)
            print(f"{length:17}  {measure:7}  {value:5.2f}  {training_ratio(length, measure):8.2f}", flush=True)


if __name__ == "__main__":
    main()
