"""Draws the judges of this folder from the judgments of ../qrels.txt. Needs NumPy alone.

python examples/judges/simulate.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

QRELS = Path(__file__).resolve().parents[1] / "qrels.txt"
SEED = 7


def main(folder: Path) -> None:
    """Write lenient.txt (right more often than not, else mostly too high) and blind.txt (knows nothing)."""
    rng = np.random.default_rng(SEED)
    pairs = [line.split() for line in QRELS.read_text(encoding="utf-8").splitlines()]
    topics = np.array([topic for topic, *_ in pairs])
    grades = np.array([int(grade) for *_, grade in pairs])
    change = rng.choice([-1, 0, 1], len(pairs), p=[0.08, 0.62, 0.30])
    blind = grades.copy()
    for topic in np.unique(topics):
        blind[topics == topic] = rng.permutation(grades[topics == topic])
    for name, judged in (("lenient", np.clip(grades + change, 0, 3)), ("blind", blind)):
        lines = [f"{topic} 0 {doc} {grade}\n" for (topic, _, doc, _), grade in zip(pairs, judged.tolist(), strict=True)]
        (folder / f"{name}.txt").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(__file__).resolve().parent)
