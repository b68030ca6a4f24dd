"""How fast is one run file, large and middling? Whole processes: time and peak memory.

python benchmarks/one_run.py [FOLDER]        # makes a run of 7 M lines (about 235 MB) in FOLDER
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from results import Row, body, means_agree
from timing import Process, in_turn, seconds

HERE = Path(__file__).parent
MEASURES = "AP nDCG@10 RR"
LARGE = 6_980_000  # lines
PEER = "map,ndcg_cut_10,recip_rank"


def make(folder: Path, topics: int, depth: int, judged: int, seed: int = 1) -> tuple[Path, Path]:
    """A run of topics x depth lines in rank order, and judgments of which most fall into the ranking."""
    rng = np.random.default_rng(seed)
    run, qrels = folder / f"run{topics}.txt", folder / f"qrels{topics}.txt"
    with run.open("w") as lines, qrels.open("w") as judgments:
        for topic in range(1, topics + 1):
            documents = rng.choice(8_800_000, depth, replace=False)
            scores = np.sort(rng.gamma(2.0, 4.0, depth))[::-1]
            lines.writelines(
                f"{topic} Q0 {document} {rank} {score:.6f} made\n"
                for rank, (document, score) in enumerate(zip(documents.tolist(), scores.tolist(), strict=True), 1)
            )
            picked = rng.choice(documents[:100], judged, replace=False)
            judgments.writelines(f"{topic} 0 {document} {rng.integers(0, 4)}\n" for document in picked.tolist())
    return run, qrels


def compare(run: Path, qrels: Path, rounds: int) -> tuple[list[Process], list[Process], list[Process]]:
    """Our process, the peer's, and the bare reading of the file by a process that imports NumPy."""
    ours = [
        sys.executable,
        "-m",
        "gradeval",
        "evaluate",
        str(qrels),
        str(run),
        "--names",
        "file",
        "--format",
        "tsv",
        "-m",
        MEASURES,
    ]
    peer = [sys.executable, str(HERE / "peer_pytrec_eval.py"), str(qrels), PEER, str(run)]
    reading = [sys.executable, "-c", f"import numpy; open({str(run)!r}, 'rb').read()"]
    mine, theirs, bare = in_turn([ours, peer, reading], rounds)
    names = dict(zip(MEASURES.split(), PEER.split(","), strict=True))
    renamed = body(mine[0].output)
    for name, other in names.items():
        renamed = renamed.replace(f"\t{name}\t", f"\t{other}\t")
    # The peer compares in single precision; scores that collide there swap neighbours.
    means_agree(renamed, theirs[0].output, within=1e-4)
    return mine, theirs, bare


def measure(folder: Path) -> tuple[list[Row], float]:
    """Rows for 7 M and for 250 k lines, and for the import; peak memory in MB of the first."""
    rows = []
    peak = 0.0
    for topics, rounds in ((LARGE // 1000, 3), (250, 7)):
        run, qrels = make(folder, topics, 1000, 20)
        mine, theirs, bare = compare(run, qrels, rounds)
        megabytes = run.stat().st_size / 1e6
        size = f"one run of {topics * 1000:,} lines ({megabytes:.0f} MB), 3 measures, whole process"
        rows.append(Row(size, seconds(mine), seconds(theirs), "pytrec_eval-terrier"))
        if topics > 1000:
            rows.append(
                Row(
                    "the same, against importing NumPy and reading the file",
                    seconds(mine),
                    seconds(bare),
                    "bare reading",
                    as_long=True,
                )
            )
            peak = statistics.median(one.peak_mb for one in mine)
            print(f"peak memory: {peak:.0f} MB (peer {statistics.median(one.peak_mb for one in theirs):.0f} MB)")
        run.unlink()
    ours, numpy = in_turn(
        [[sys.executable, "-c", "import gradeval"], [sys.executable, "-c", "import numpy"]], rounds=15
    )
    rows.append(
        Row(
            "import gradeval, against import numpy (whole processes)",
            seconds(ours),
            seconds(numpy),
            "import numpy",
            as_long=True,
        )
    )
    return rows, peak


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        rows, _ = measure(Path(folder))
        for row in rows:
            print(row)
