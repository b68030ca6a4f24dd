"""How fast is a study of incomplete judgments? TREC-COVID round 5: 126 runs, 7 rates, 10 samples, 7 measures.

python benchmarks/robustness.py DATA        # DATA holds trec-covid-r5, unpacked

The peer is a loop that calls pytrec_eval on every thinned qrels. It is timed on some runs and one thinned pool and
scaled to all of them; both times are per measure (ours has 7, the peer 3). Files are read beforehand by both.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytrec_eval
from results import Row
from scipy.stats import kendalltau

from gradeval import JudgedRuns, Qrels, judge
from gradeval.files.readers import read_qrels, read_runs
from gradeval.studies.robustness import RATES, Stratified, robustness

OURS = "AP GAP(g=[0.1,0.9]) xGAP(g=[0.1,0.9]) eGAP(g=[0.1,0.9]) nDCG RBP Bpref"
PEERS = {"map": "AP", "ndcg": "nDCG", "bpref": "Bpref"}
SAMPLES = 10
SLICE = 12  # runs that the peer is timed on
ROUNDS = 3
SEED = 7
THINNED = Stratified((30.0,))


def measure(data: Path) -> list[Row]:
    """Seconds per measure of the whole study, ours and the peer's, after both gave the same correlations."""
    collection = data / "trec-covid-r5"
    qrels = read_qrels(collection / "qrels.txt")
    runs = read_runs(sorted((collection / "runs").iterdir()), names="file").runs
    # As the peer: scores in single precision, negative grades unjudged.
    judged = judge(qrels, runs, ties="docid-float32", negative="unjudged")
    some = runs[:SLICE]
    peers = {run.name: {topic: run.of(topic) for topic in qrels.topics if topic in run.topics} for run in some}
    agree(judged, qrels, peers)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        robustness(judged, OURS, samples=SAMPLES, seed=SEED)
        ours.append((time.perf_counter() - begin) / len(OURS.split()))
        begin = time.perf_counter()
        loop(thinned_table(qrels, judged), peers)
        scale = len(RATES) * SAMPLES * len(runs) / len(some)
        theirs.append((time.perf_counter() - begin) * scale / len(PEERS))
    work = f"126 runs x 50 topics, {len(RATES)} rates x {SAMPLES} samples of the pool, per measure"
    return [Row(work, ours, theirs, f"a loop over pytrec_eval-terrier, {len(some)} runs and 1 pool scaled")]


def thinned_table(qrels: Qrels, judged: JudgedRuns) -> dict[str, dict[str, int]]:
    """The judgments that sample 0 keeps, as the peer takes them."""
    (remaining,) = THINNED.draw(judged, np.random.default_rng([SEED, 0]))
    table: dict[str, dict[str, int]] = {}
    place = 0
    for topic in qrels.topics:
        grades = qrels.of(topic)
        table[topic] = {document: int(grade) for document, grade in grades.items()}
        for number, document in enumerate(grades):
            if not remaining[place + number]:
                del table[topic][document]
        place += len(grades)
    return table


def loop(table: dict[str, dict[str, int]], runs: dict[str, dict[str, dict[str, float]]]) -> list[list[float]]:
    """Means of each run by the peer's measures."""
    evaluator = pytrec_eval.RelevanceEvaluator(table, set(PEERS))
    means = []
    for run in runs.values():
        values = evaluator.evaluate(run).values()
        means.append([sum(topic[name] for topic in values) / len(table) for name in PEERS])
    return means


def agree(judged: JudgedRuns, qrels: Qrels, peers: dict[str, dict[str, dict[str, float]]]) -> None:
    """Stop where the correlation with the full pool differs between ours and the peer's."""
    whole = {topic: {document: int(grade) for document, grade in qrels.of(topic).items()} for topic in qrels.topics}
    full, thin = (np.array(loop(table, peers)) for table in (whole, thinned_table(qrels, judged)))
    mine = robustness(judged, list(PEERS.values()), method=THINNED, samples=1, runs=list(peers), seed=SEED)
    for place, name in enumerate(PEERS.values()):
        expected = kendalltau(full[:, place], thin[:, place]).statistic
        if abs(mine.values[0, 0, place] - expected) > 1e-9:
            raise SystemExit(f"{name}: tau {mine.values[0, 0, place]} against {expected}")


if __name__ == "__main__":
    for row in measure(Path(sys.argv[1])):
        print(row)
