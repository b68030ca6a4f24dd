"""examples/: what its scripts write is what it holds."""

from __future__ import annotations

import runpy
from pathlib import Path

from gradeval import evaluate, read_qrels

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
FOLDER = EXAMPLES / "ratings"


def test_the_script_of_the_ratings_writes_the_ratings(tmp_path: Path) -> None:
    runpy.run_path(str(FOLDER / "simulate.py"))["main"](tmp_path)
    written = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*.txt")}
    assert written == {path.relative_to(FOLDER): path.read_text() for path in FOLDER.rglob("*.txt")}


def test_the_script_of_the_judges_writes_the_judges(tmp_path: Path) -> None:
    runpy.run_path(str(EXAMPLES / "judges" / "simulate.py"))["main"](tmp_path)
    for name in ("lenient.txt", "blind.txt"):
        assert (tmp_path / name).read_bytes() == (EXAMPLES / "judges" / name).read_bytes()


def test_ratings_and_half_stars_say_the_same_by_measures_that_need_no_scale() -> None:
    runs = sorted((FOLDER / "runs").iterdir())
    ratings = evaluate(read_qrels(FOLDER / "ratings.txt", shift=-1), runs, "muAP NDCNG MeanNDCNG AP(rel=6)")
    stars = evaluate(read_qrels(FOLDER / "stars.txt", shift=-0.5), runs, "muAP NDCNG MeanNDCNG AP(rel=3)")
    assert abs(ratings.values - stars.values).max() < 1e-12
