"""How long does a corpus take of which few documents are shown, and how much memory? The answer is asserted first.

python benchmarks/texts.py [LINES] [KINDS]      # default: 10 million lines, "jsonl tsv"; also jsonl.gz, parquet

It writes the corpus to the temporary folder ($TMPDIR), some 300 bytes a line, and removes it.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

WANTED = 5_000
WORDS = "the document of this number says what it says in some words that are not asked for " * 3
READ = """
import resource, sys, time
from gradeval.files.texts import read_texts
place, lines = sys.argv[1], int(sys.argv[2])
wanted = [f"d{number}" for number in range(0, lines, max(1, lines // 5000))]
begin, used = time.perf_counter(), time.process_time()
texts = read_texts(place, "document", wanted)
spent, used = time.perf_counter() - begin, time.process_time() - used
assert texts.seen == lines, texts.seen
assert [*texts.by_id] == wanted
assert all(text.title == f"title {name}" and text.text.startswith("the document") for name, text in texts.by_id.items())
print(spent, used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def rows(lines: int) -> Iterator[tuple[str, str, str]]:
    """Ids, titles and texts."""
    for number in range(lines):
        yield f"d{number}", f"title d{number}", WORDS


def write(place: Path, kind: str, lines: int) -> None:
    """A corpus of so many documents."""
    if kind == "parquet":
        import pyarrow
        from pyarrow import parquet

        schema = pyarrow.schema([(name, pyarrow.string()) for name in ("_id", "title", "text")])
        with parquet.ParquetWriter(place, schema) as file:
            for start in range(0, lines, 100_000):
                ids = [f"d{number}" for number in range(start, min(lines, start + 100_000))]
                columns = [ids, [f"title {name}" for name in ids], [WORDS] * len(ids)]
                file.write_table(pyarrow.table(columns, schema=schema))
        return
    body = json.dumps(WORDS)
    with gzip.open(place, "wt", compresslevel=1) if kind.endswith(".gz") else place.open("w") as file:
        for identifier, title, text in rows(lines):
            if kind == "tsv":
                file.write(f"{identifier}\t{title}\t{text}\n")
            else:
                file.write(f'{{"_id": "{identifier}", "title": "{title}", "text": {body}, "metadata": {{}}}}\n')


def main() -> None:
    """Write each corpus, read it in a process of its own, and say what that took."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    kinds = sys.argv[2].split() if len(sys.argv) > 2 else ["jsonl", "tsv"]
    print(f"{'corpus':10} {'lines':>12} {'MB':>7} {'seconds':>8} {'CPU s':>8} {'peak MB':>8}")
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / f"corpus.{kind}"
            write(place, kind, lines)
            done = subprocess.run(
                [sys.executable, "-c", READ, str(place), str(lines)], capture_output=True, text=True, check=True
            )
            spent, used, peak = map(float, done.stdout.split())
            size = os.path.getsize(place) / 1e6
            print(f"{kind:10} {lines:12,} {size:7,.0f} {spent:8.1f} {used:8.1f} {peak:8.0f}")


if __name__ == "__main__":
    main()
