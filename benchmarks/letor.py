"""How fast are learning-to-rank features read? One file, against scikit-learn's load_svmlight_file and LightGBM.

python benchmarks/letor.py [FOLDER]        # makes a file of 200 MB in FOLDER

LightGBM takes the sizes of queries from a file of their own, so it reads the text without queries and comments. It
keeps bins of features, not numbers: once as it comes, once with two bins made from 1,000 rows, the least it can do.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import lightgbm
import numpy as np
from results import Row
from sklearn.datasets import load_svmlight_file
from timing import calls

from gradeval import Features, read_letor

MEGABYTES = 200
FEATURES = 45


def make(path: Path, seed: int = 1) -> None:
    """A file like those of LETOR: 45 features a document in six decimals, some zero, about 100 documents a query."""
    rng = np.random.default_rng(seed)
    query = 0
    with path.open("w") as lines:
        while lines.tell() < MEGABYTES * 1e6:
            query += 1
            rows = int(rng.integers(50, 150))
            X = np.where(rng.random((rows, FEATURES)) < 0.2, 0, rng.random((rows, FEATURES)))
            grades = rng.choice(4, rows, p=[0.6, 0.2, 0.15, 0.05]).tolist()
            for row, (grade, values) in enumerate(zip(grades, X.tolist(), strict=True)):
                features = " ".join(f"{number}:{value:.6f}" for number, value in enumerate(values, 1))
                lines.write(f"{grade} qid:{query} {features} #docid = GX{query:05}-{row:03}\n")


def require_same(features: Features, path: Path) -> None:
    """Stop the benchmark where the two readers disagree."""
    X, grades, queries = load_svmlight_file(str(path), query_id=True, dtype=np.float32)
    mine = np.repeat(np.array(features.topics, int), np.diff(features.offsets))
    if not (
        np.array_equal(features.X, X.toarray())
        and np.array_equal(features.grades, grades)
        and np.array_equal(mine, queries)
    ):
        raise SystemExit("both readers do not read the same")


def without_queries(path: Path) -> Path:
    """The same rows as LightGBM reads them: grade and features."""
    plain = path.with_suffix(".plain")
    with path.open() as lines, plain.open("w") as out:
        for line in lines:
            grade, _, features = line.partition(" #")[0].split(" ", 2)
            out.write(f"{grade} {features}\n")
    return plain


FEWEST_BINS = {"max_bin": 2, "bin_construct_sample_cnt": 1000}


def read_with_lightgbm(path: Path, **parameters: int) -> lightgbm.Dataset:
    return lightgbm.Dataset(str(path), params={"verbosity": -1, **parameters}).construct()


def measure(folder: Path) -> list[Row]:
    """The rows for one large file."""
    path = folder / "features.txt"
    make(path)
    require_same(read_letor(path), path)
    plain = without_queries(path)
    if read_with_lightgbm(plain).get_label().tolist() != read_letor(path).grades.tolist():
        raise SystemExit("LightGBM does not read the same grades")
    ours, theirs, bins, fewest = calls(
        [
            lambda: read_letor(path),
            lambda: load_svmlight_file(str(path), query_id=True, dtype=np.float32),
            lambda: read_with_lightgbm(plain),
            lambda: read_with_lightgbm(plain, **FEWEST_BINS),
        ],
        rounds=3,
    )
    megabytes = path.stat().st_size / 1e6
    path.unlink()
    plain.unlink()
    work = f"reading features, {megabytes:.0f} MB of SVMlight text into a dense table"
    others = {"scikit-learn (sparse)": theirs, "LightGBM (bins)": bins, "LightGBM (two bins)": fewest}
    return [Row(work, ours, seconds, by) for by, seconds in others.items()]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        for row in measure(Path(folder)):
            print(row)
