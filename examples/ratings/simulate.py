"""Draws the ratings of this folder: some people, films that they rated, and three recommenders. Needs NumPy alone.

python examples/ratings/simulate.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

PEOPLE = ["ada", "ben", "cleo", "dan", "eve", "finn", "gus", "hana"]
FILMS = 40
RATED = 16  # films that each of them rated
SHOWN = 25  # films that a recommender shows
SEED = 5


def main(folder: Path) -> None:
    """Write ratings.txt (1 to 10), stars.txt (the same in half stars) and the runs."""
    rng = np.random.default_rng(SEED)
    taste, kind = rng.normal(size=(len(PEOPLE), 3)), rng.normal(size=(FILMS, 3))
    quality = rng.normal(size=FILMS)
    liking = quality + taste @ kind.T / 2
    # Cleo finds everything good and Gus nothing: neither uses the whole scale.
    habit = {"cleo": (8.0, 1.0), "gus": (3.0, 1.0)}
    ratings = np.array(
        [
            np.clip(np.round(middle + width * likes), 1, 10)
            for likes, (middle, width) in zip(liking, (habit.get(name, (5.5, 2.5)) for name in PEOPLE), strict=True)
        ]
    )
    rated = [np.sort(rng.choice(FILMS, RATED, replace=False)) for _ in PEOPLE]
    write_ratings(folder / "ratings.txt", ratings, rated)
    write_ratings(folder / "stars.txt", ratings / 2, rated)
    guesses = {
        "neighbours": liking + 0.4 * rng.normal(size=liking.shape),
        "popular": np.broadcast_to(quality, liking.shape),
        "random": rng.normal(size=liking.shape),
    }
    for name, scores in guesses.items():
        write_run(folder / "runs" / f"{name}.txt", name, scores)


def write_ratings(path: Path, ratings: np.ndarray, rated: list[np.ndarray]) -> None:
    """A line a rating: who, 0, film, rating."""
    lines = [
        f"{name} 0 film{film:02d} {ratings[person, film]:g}\n"
        for person, name in enumerate(PEOPLE)
        for film in rated[person]
    ]
    path.write_text("".join(lines))


def write_run(path: Path, name: str, scores: np.ndarray) -> None:
    """A line a recommendation: who, Q0, film, rank, score, recommender."""
    path.parent.mkdir(exist_ok=True)
    lines = []
    for person, who in enumerate(PEOPLE):
        for rank, film in enumerate(np.argsort(-scores[person], kind="stable")[:SHOWN], 1):
            lines.append(f"{who} Q0 film{film:02d} {rank} {scores[person, film]:.3f} {name}\n")
    path.write_text("".join(lines))


if __name__ == "__main__":
    main(Path(__file__).parent)
