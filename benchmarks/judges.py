"""The study of docs/judges/public-runs.md, and its time: ``python benchmarks/judges.py RUNS JUDGES``.

RUNS is the folder of trec-dl21-passage (qrels.txt, runs/), JUDGES that of the machine judges, a file each. Grades above
3 become 3; the binary judge is taken as it is.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np

from gradeval import CoverageWarning, Qrels, judge, judges, parse_measure, read_qrels
from gradeval.scores.scoring import score
from gradeval.studies.grade_weights import grade_weights
from gradeval.studies.judges.labels import quadratic_kappa

LEVELS = (0, 1, 2, 3)
SEVEN = "GAP AP nDCG@10 xGAP eGAP Q RBP"


def read(place: Path) -> Qrels:
    return read_qrels(place).recoded(dict.fromkeys(range(4, 10), 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("judges", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore", CoverageWarning)
    begin, busy = time.perf_counter(), time.process_time()
    human = read_qrels(options.runs / "qrels.txt")
    others = {place.stem: read(place) for place in sorted(options.judges.iterdir())}
    comparison = judges(human, others, options.runs / "runs", SEVEN, levels=LEVELS, draws=0)
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    size = f"{len(comparison.runs)} runs, {len(others)} judges, {len(comparison.measures)} measures"
    print(f"{size}: {seconds:.2f} s, {busy:.2f} s of the processor, without drawn judges")
    begin = time.perf_counter()
    one = {"umbrela-gpt4": others["umbrela-gpt4"]}
    judges(human, one, options.runs / "runs", SEVEN, levels=LEVELS, draws=0)
    alone = time.perf_counter() - begin
    judges(human, one, options.runs / "runs", SEVEN, levels=LEVELS)
    print(f"100 drawn judges for one of them: {time.perf_counter() - begin - 2 * alone:.2f} s")
    sys.stdout.flush()
    comparison.save("-", format="table")
    print("\n".join(sentence for name in others for sentence in comparison.verdicts_of(name)))
    print("\n".join(comparison.answer(name, "GAP") for name in others))
    strict = judges(human, {"umbrela-gpt4": others["umbrela-gpt4"]}, options.runs / "runs", correction="holm", draws=0)
    print(f"with Holm's correction: {strict.answers[0]}")

    whole = [name for name in others if comparison.labels[name].human_only < 0.05 * len(human)]
    print(f"\nrank correlation of kappa and skill over the {len(whole)} judges of nearly the whole pool")
    from scipy.stats import kendalltau

    kappas = [comparison.labels[name].kappa.value for name in whole]
    for measure in comparison.measures:
        skills = [comparison.of(name, measure).orders.skill for name in whole]
        print(f"  {measure}: {kendalltau(kappas, skills).statistic:.2f}")

    print("\nhalf-width of the interval of kappa, over topics and over documents")
    for name in ("gpt-4o-p32", "umbrela-gpt4"):
        labels = comparison.labels[name]
        counts = labels.confusion.ravel()
        drawn = np.random.default_rng(0).multinomial(counts.sum(), counts / counts.sum(), 2000)
        low, high = np.quantile(quadratic_kappa(drawn.reshape(-1, 4, 4).astype(float), LEVELS), [0.025, 0.975])
        over_topics = np.diff(labels.kappa.bounds)[0] / 2
        print(f"  {name}: {over_topics:.3f} and {(high - low) / 2:.3f}")

    print("\ng that brings GAP by the judge's grades nearest to GAP by the humans': RMS difference per run and topic")
    gap = parse_measure("GAP")
    met = {name: judge(qrels.with_levels(LEVELS), options.runs / "runs") for name, qrels in others.items()}
    truth = score(judge(human, options.runs / "runs"), [gap]).values[..., 0]
    steps = 20
    grid = [
        (a / steps, b / steps, 1 - (a + b) / steps) for a, b in product(range(steps + 1), repeat=2) if a + b <= steps
    ]
    for name in ("gpt-4o-p32", "umbrela-gpt4", "llama3.2-p12"):
        weights = grade_weights(met[name], gap)
        errors = [float(np.sqrt(np.mean((weights.values(g) - truth) ** 2))) for g in grid]
        uniform = float(np.sqrt(np.mean((weights.values([1 / 3] * 3) - truth) ** 2)))
        best = int(np.argmin(errors))
        near = [g for g, error in zip(grid, errors, strict=True) if error <= uniform]
        spread = " ".join(f"{min(g[k] for g in near):.2f}..{max(g[k] for g in near):.2f}" for k in range(3))
        shares = comparison.of(name, gap).worth.shares
        print(
            f"  {name}: {errors[best]:.3f} with g {np.round(grid[best], 2).tolist()}, {uniform:.3f} with equal shares"
        )
        print(f"    no worse than equal shares: {len(near)} of {len(grid)} g ({spread})")
        print(f"    in closed form: {shares.round(2).tolist()}")


if __name__ == "__main__":
    main()
