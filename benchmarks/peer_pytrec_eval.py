"""The peer pytrec_eval-terrier, over run files in one process, read by its own parser.

python benchmarks/peer_pytrec_eval.py QRELS MEASURES RUN...

Prints run, topic "all", measure and mean, one a line, over the topics of the qrels (a missing one counts 0).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytrec_eval


def main(qrels_file: str, measures: str, *run_files: str) -> None:
    """Score every run and print its means."""
    with open(qrels_file) as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(measures.split(",")))
    for run_file in run_files:
        with open(run_file) as lines:
            run = pytrec_eval.parse_run(lines)
        topics = evaluator.evaluate(run)
        for measure in next(iter(topics.values())):
            mean = sum(values[measure] for values in topics.values()) / len(qrels)
            print(f"{Path(run_file).name}\tall\t{measure}\t{mean!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
