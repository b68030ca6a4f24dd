"""How often do the intervals of ``clicks`` hold the true g? Counted over simulated click logs.

    python benchmarks/coverage/clicks.py [DRAWS]

Nominally 95% of them hold all shares at once. Prints for each setting how many of the draws did, with topics resampled
("sample", what ``clicks`` does) and with sessions ("all"). ``spread``: users differ by topic: the g of each topic is
drawn from a Dirichlet distribution with this sum, and the truth is its mean.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
from counting import markdown, standard_error

from gradeval import Clicks, InputError, Qrels, Run, read_qrels, read_run
from gradeval.studies.clicks import clicks
from gradeval.studies.simulate import simulate_clicks

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WAYS: tuple[Literal["sample", "all"], ...] = ("sample", "all")
"""Whether topics or sessions are resampled."""
SETTINGS: list[dict[str, Any]] = [
    {"g": [0.2, 0.3, 0.5], "sessions": 2000},
    {"g": [0.2, 0.3, 0.5], "sessions": 2000, "spread": 4},
    {"g": [0.2, 0.3, 0.5], "sessions": 10000, "spread": 4},
    {"g": [0.6, 0.3, 0.1], "sessions": 2000, "slips": 0.1},
    {"g": [0.6, 0.3, 0.1], "sessions": 2000, "slips": 0.1, "spread": 4},
    {"g": [0.1, 0.8, 0.1], "sessions": 5000, "bias": 2.0},
    {"g": [0.0, 0.0, 1.0], "sessions": 2000, "slips": 0.05},
    {"g": [1.0, 0.0, 0.0], "sessions": 2000, "bias": 0.0},
    {"g": [0.5, 0.5], "sessions": 300},
    {"g": [0.9, 0.1], "sessions": 1000, "slips": 0.2},
]
SAMPLES = 200


def collections() -> dict[int, tuple[Qrels, Run]]:
    """Judgments and a run, by the number of positive grades."""
    qrels, run = read_qrels(EXAMPLES / "qrels.txt"), read_run(EXAMPLES / "runs" / "elm.txt")
    return {3: (qrels, run), 2: (qrels.recoded({3: 2}), run)}


def draw_log(qrels: Qrels, run: Run, seed: int, setting: dict[str, Any]) -> Clicks:
    """A log of users who are the same for all topics, or differ by topic."""
    how = dict(setting)
    spread = how.pop("spread", None)
    if spread is None:
        return simulate_clicks(qrels, run, seed=seed, **how)
    rng = np.random.default_rng(seed)
    topics, parts = [topic for topic in run.topics if topic in qrels.topics], []
    each = how.pop("sessions") // len(topics)
    mean = np.array(how.pop("g"))
    for number, topic in enumerate(topics):
        own = rng.dirichlet(spread * mean).tolist()
        parts.append(
            simulate_clicks(qrels.select([topic]), run, g=own, sessions=each, seed=1000 * seed + number, **how)
        )
    session = [f"{number} {name}" for number, part in enumerate(parts) for name in part.session]
    topic, document = ([one for part in parts for one in getattr(part, name)] for name in ("topic", "document"))
    rank, click = (np.concatenate([getattr(part, name) for part in parts]) for name in ("rank", "click"))
    return Clicks.of(session, topic, document, rank, click.astype(int))


def section(samples: int) -> str:
    """A row a setting, with topics and with sessions resampled."""
    draws = samples // 10
    titles = ["setting", "topics: held", "width", "sessions: held", "width", "refused"]
    rows = [
        [_named(setting), *(cell for way in WAYS for cell in cells[way][:2]), cells[WAYS[0]][2]]
        for setting in SETTINGS
        for cells in [{way: count(setting, way, draws) for way in WAYS}]
    ]
    error = standard_error(0.95, draws)
    return f"{draws} logs each; standard error of .95 is {error:.3f}.\n\n{markdown(titles, rows)}"


def _named(setting: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in setting.items())


def count(setting: dict[str, Any], topics_are: Literal["sample", "all"], draws: int) -> tuple[str, str, str]:
    """The share of the logs whose intervals hold all shares at once, their mean width, and how many were refused."""
    truth = np.array(setting["g"])
    qrels, run = collections()[len(truth)]
    held, width = [], []
    for seed in range(draws):
        try:
            log = draw_log(qrels, run, seed, setting)
            users = clicks(log, qrels, seed=seed, samples=SAMPLES, topics_are=topics_are)
        except InputError:
            continue
        low, high = users.interval.T
        held.append(((low - 1e-9 <= truth) & (truth <= high + 1e-9)).all())
        width.append(np.diff(users.interval, axis=1).mean())
    means = [f"{np.mean(values):.3f}" if values else "" for values in (held, width)]
    return means[0], means[1], str(draws - len(held))


def main(draws: int) -> None:
    """Print the table."""
    print(section(10 * draws))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
