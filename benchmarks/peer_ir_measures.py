"""The peer ir_measures, over run files in one process.

python benchmarks/peer_ir_measures.py QRELS "AP nDCG@20 P@20 Bpref" RUN...
"""

from __future__ import annotations

import sys
from pathlib import Path

import ir_measures


def main(qrels_file: str, measures: str, *run_files: str) -> None:
    """Score every run and print its means."""
    parsed = [ir_measures.parse_measure(name) for name in measures.split()]
    evaluator = ir_measures.evaluator(parsed, list(ir_measures.read_trec_qrels(qrels_file)))
    for run_file in run_files:
        means = evaluator.calc_aggregate(ir_measures.read_trec_run(run_file))
        for measure, value in means.items():
            print(f"{Path(run_file).name}\tall\t{measure}\t{value!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
