"""How often do the intervals of ``clicks`` hold the true g? Counted over simulated click logs.

    python benchmarks/click_intervals.py [DRAWS]

Nominally 95% of them hold all shares at once. Prints for each setting how many of the draws did.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from gradeval import Qrels, Run, read_qrels, read_run
from gradeval.studies.clicks import clicks
from gradeval.studies.simulate import simulate_clicks

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SETTINGS: list[dict[str, Any]] = [
    {"g": [0.2, 0.3, 0.5], "sessions": 2000},
    {"g": [0.2, 0.3, 0.5], "sessions": 20000},
    {"g": [0.6, 0.3, 0.1], "sessions": 2000, "slips": 0.1},
    {"g": [0.6, 0.3, 0.1], "sessions": 20000, "slips": 0.1, "bias": 0.5},
    {"g": [0.1, 0.8, 0.1], "sessions": 5000, "bias": 2.0},
    {"g": [0.0, 0.0, 1.0], "sessions": 2000, "slips": 0.05},
    {"g": [1.0, 0.0, 0.0], "sessions": 2000, "bias": 0.0},
    {"g": [0.5, 0.5], "sessions": 300},
    {"g": [0.9, 0.1], "sessions": 1000, "slips": 0.2},
]


def collections() -> dict[int, tuple[Qrels, Run]]:
    """Judgments and a run, by the number of positive grades."""
    qrels, run = read_qrels(EXAMPLES / "qrels.txt"), read_run(EXAMPLES / "runs" / "elm.txt")
    return {3: (qrels, run), 2: (qrels.recoded({3: 2}), run)}


def main(draws: int) -> None:
    """Print a line a setting."""
    judged = collections()
    for setting in SETTINGS:
        truth = np.array(setting["g"])
        qrels, run = judged[len(truth)]
        held, each, width = 0, np.zeros(len(truth), int), []
        for seed in range(draws):
            log = simulate_clicks(qrels, run, seed=seed, **setting)
            users = clicks(log, qrels, seed=seed)
            inside = (users.interval[:, 0] - 1e-9 <= truth) & (truth <= users.interval[:, 1] + 1e-9)
            held, each = held + int(inside.all()), each + inside
            width.append(np.diff(users.interval, axis=1).mean())
        print(f"{setting}: {held} of {draws}; by grade {each.tolist()}; mean width {np.mean(width):.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
