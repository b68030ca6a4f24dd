"""Can a run be scored that is larger than the memory? Time and peak memory of `gradeval evaluate` on one file.

python benchmarks/large_run.py GIGABYTES [FOLDER]     # writes the run to FOLDER, scores it and deletes it

The lines of a topic stand together, 10,000 for each, of which 20 documents are judged.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from timing import run

DEPTH = 10_000  # lines of a topic
JUDGED = 20
TEMPLATES = 20  # distinct rankings, which the topics repeat
PLACEHOLDER = b"@topic@"
MEASURES = "AP nDCG@10 RR"


def make(folder: Path, gigabytes: float, seed: int = 1) -> tuple[Path, Path]:
    """A run of about so many gigabytes, written topic by topic, and its judgments."""
    rng = np.random.default_rng(seed)
    rankings, judgments = zip(*(_template(rng) for _ in range(TEMPLATES)), strict=True)
    run_file, qrels_file = folder / "large.run", folder / "large.qrels"
    with run_file.open("wb") as lines, qrels_file.open("wb") as judged:
        for topic in range(int(gigabytes * 1e9 / len(rankings[0]))):
            name = b"%07d" % topic
            lines.write(rankings[topic % TEMPLATES].replace(PLACEHOLDER, name))
            judged.write(judgments[topic % TEMPLATES].replace(PLACEHOLDER, name))
    return run_file, qrels_file


def _template(rng: np.random.Generator) -> tuple[bytes, bytes]:
    """The lines of one topic, and its judgments, with a placeholder for its name."""
    documents = rng.choice(8_800_000, DEPTH, replace=False).tolist()
    scores = np.sort(rng.gamma(2.0, 4.0, DEPTH))[::-1].tolist()
    ranked = enumerate(zip(documents, scores, strict=True), 1)
    lines = "".join(f"@topic@ Q0 {document} {rank} {score:.6f} made\n" for rank, (document, score) in ranked)
    picked = rng.choice(documents[:100], JUDGED, replace=False).tolist()
    judgments = "".join(f"@topic@ 0 {document} {rng.integers(0, 4)}\n" for document in picked)
    return lines.encode(), judgments.encode()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        run_file, qrels_file = make(Path(folder), float(sys.argv[1]))
        size = run_file.stat().st_size
        command = [sys.executable, "-m", "gradeval", "evaluate", str(qrels_file), str(run_file), "-m", MEASURES]
        process = run(command)
        print(f"{size / 1e9:.1f} GB, {size // len(_template(np.random.default_rng(1))[0]):,} topics:")
        print(f"{process.seconds:.1f} s, {process.peak_mb:.0f} MB\n{process.output}")
