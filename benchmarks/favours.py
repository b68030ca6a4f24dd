"""Whom does a judge favour that knows no run? On TREC DL 2021: ``python benchmarks/favours.py RUNS [JUDGES]``.

RUNS is the folder of trec-dl21-passage (qrels.txt, runs/). Each of 48 drawn judges gives a document a grade by its
human grade alone, from one confusion matrix, half of them a lenient one, half a mild one: they favour nobody. Prints
how many of them move any run beyond chance at .05, by each measure; with JUDGES, the folder of the machine judges, how
many runs each of these moves beyond chance, and how many of them it favours or disadvantages.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np

from gradeval import GradevalWarning, Qrels, judges, read_qrels
from gradeval.formula.arithmetic import Array

MEASURES = "GAP AP nDCG@10"
LEVELS = (0, 1, 2, 3)
JUDGES = 24
LENIENT = np.array(
    [[0.60, 0.25, 0.10, 0.05], [0.05, 0.45, 0.35, 0.15], [0.0, 0.10, 0.50, 0.40], [0.0, 0.0, 0.15, 0.85]]
)
MILD = np.array(
    [[0.88, 0.08, 0.03, 0.01], [0.20, 0.60, 0.15, 0.05], [0.05, 0.20, 0.60, 0.15], [0.02, 0.08, 0.25, 0.65]]
)


def drawn(human: Qrels, matrix: Array, seed: int) -> Qrels:
    """A judge with this confusion matrix."""
    rng = np.random.default_rng(seed)
    judged = {
        topic: {name: float(rng.choice(4, p=matrix[int(grade)])) for name, grade in human.of(topic).items()}
        for topic in human.topics
    }
    return Qrels.from_dict(judged, "drawn").with_levels(LEVELS)


def main(runs: Path, folder: Path | None) -> None:
    """Print a line a group of drawn judges, and a line a judge and measure."""
    human = read_qrels(runs / "qrels.txt")
    files = runs / "runs"
    for name, matrix in (("lenient", LENIENT), ("mild", MILD)):
        marked = np.zeros(3, int)
        begin = time.perf_counter()
        for seed in range(JUDGES):
            one = judges(human, {name: drawn(human, matrix, seed)}, files, MEASURES, samples=20, seed=seed)
            found = [one.of(name, measure).runs for measure in MEASURES.split()]
            marked += [bool(each is not None and each.beyond_chance.any()) for each in found]
        seconds = time.perf_counter() - begin
        print(f"{name}: of {JUDGES} judges {marked.tolist()} move a run by {MEASURES}; {seconds:.0f} s", flush=True)
    for place in sorted(folder.iterdir()) if folder else []:
        other = read_qrels(place).recoded(dict.fromkeys(range(4, 10), 3.0))
        one = judges(human, {"it": other}, files, MEASURES, levels=LEVELS, samples=20)
        for measure in MEASURES.split():
            if (runs_of := one.of("it", measure).runs) is not None:
                moved, favoured = int(runs_of.beyond_chance.sum()), int(runs_of.significant.sum())
                largest = float(np.abs(runs_of.value).max())
                print(
                    f"{place.stem:14} {measure:8} moves {moved:3} of {len(one.runs)} runs by {largest:.3f} at most, "
                    f"favours or disadvantages {favoured}",
                    flush=True,
                )


if __name__ == "__main__":
    warnings.simplefilter("ignore", GradevalWarning)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
