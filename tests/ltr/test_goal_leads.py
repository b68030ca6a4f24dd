"""The tests of benchmarks/training/goal.py: how often do they find a difference where there is none?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval.studies.significance import holm

TRAINING = Path(__file__).resolve().parents[2] / "benchmarks" / "training"
SEEDS, RIVALS, QUERIES = (3, 3, 3, 3, 5, 5), 4, 100


@pytest.fixture
def goal(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TRAINING))
    return pytest.importorskip("goal")


def leads(goal: Any, rng: np.random.Generator, ratio: float, mean: float = 0.0) -> list[list[Any]]:
    """Of rivals and sets, where the variance between seeds is ``ratio`` times what queries explain."""
    spread = np.sqrt((ratio - 1) / QUERIES)
    return [
        [goal.Lead.of([rng.normal(mean + spread * rng.normal(), 1, QUERIES) for _ in range(seeds)]) for seeds in SEEDS]
        for _ in range(RIVALS)
    ]


@pytest.mark.parametrize("ratio", [1.0, 2.0, 4.0])
def test_where_nothing_differs_a_table_rarely_has_a_star(goal: Any, ratio: float) -> None:
    rng, tables = np.random.default_rng(0), 150
    wrong = sum(holm(goal.judge_leads(leads(goal, rng, ratio))[1].ravel()).min() < 0.05 for _ in range(tables))
    assert wrong <= 0.05 * tables + 2 * np.sqrt(0.05 * 0.95 * tables)


def test_the_interval_is_that_of_the_seeds_where_all_sets_vary_alike(goal: Any) -> None:
    rng = np.random.default_rng(1)
    held = []
    for _ in range(100):
        rows = leads(goal, rng, 4.0, mean=0.3)
        halves, _ = goal.judge_leads(rows)
        held.append(np.abs(np.array([[lead.mean for lead in row] for row in rows]) - 0.3) <= halves)
    assert 0.94 <= np.mean(held) <= 0.99
