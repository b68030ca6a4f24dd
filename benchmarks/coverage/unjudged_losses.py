"""How often is a loss gone once its unjudged documents are judged, where ``compare`` says that it may be?

    python benchmarks/coverage/unjudged_losses.py [--samples 1000]

A few runs of a collection are drawn, and only the judgments of their first documents are kept: all other runs are new
ones against old judgments. The script counts significant losses of a run whose top 10 has 5% more unjudged documents
than the winner's. By all judgments of the collection most of such a loss is gone, or is not.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
from counting import Array, markdown
from populations import folder

from gradeval import GradevalWarning, Run, compare, evaluate, read_qrels, read_run
from gradeval.scores.notes import MUCH_UNJUDGED

COLLECTIONS = {"Robust 2005": "trec14-robust2005", "TREC DL 2021": "trec-dl21-passage", "TREC-COVID": "trec-covid-r5"}
MEASURES = ("AP", "nDCG", "nDCG@10", "P@10")
POOLS = ((8, 10), (8, 30), (15, 30))
"""Of how many runs the pool is, and how deep."""
RUNS = 60
"""Of a collection with more runs so many are drawn."""

Judgments = dict[str, dict[str, float]]


def pool_of(judgments: Judgments, runs: Sequence[Run], depth: int) -> Judgments:
    """The judgments of the first documents of some runs, on topics where one of them is relevant."""
    kept: Judgments = {}
    for topic, grades in judgments.items():
        found = [run.of(topic) for run in runs if topic in run.topics]
        tops = [sorted(scores, key=scores.__getitem__, reverse=True)[:depth] for scores in found]
        pool = {document: grades[document] for top in tops for document in top if document in grades}
        if any(grade > 0 for grade in pool.values()):
            kept[topic] = pool
    return kept


def count_losses(judgments: Judgments, pooled: Judgments, runs: Sequence[Run]) -> Array:
    """int64[measure, said, gone]: significant losses, by whether ``compare`` said so, and most of each is gone."""
    whole = {topic: judgments[topic] for topic in pooled}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GradevalWarning)
        compared = compare(pooled, runs, " ".join(MEASURES), correction="none")
        few, all_of = (evaluate(one, runs, " ".join(MEASURES)) for one in (pooled, whole))
    assert few.coverage is not None
    assert compared.runs == few.runs == all_of.runs
    top, truth = few.coverage.unjudged_top_share, all_of.mean()
    counted = np.zeros((len(MEASURES), 2, 2), int)
    for measure, told in enumerate(compared.unjudged_losses):
        said = {(one.run, one.other) for one in told}
        for pair in np.flatnonzero(compared.significant[measure]):
            gap = compared.difference[measure, pair]
            loser, winner = compared.pairs[pair] if gap < 0 else compared.pairs[pair][::-1]
            if top[loser] - top[winner] >= MUCH_UNJUDGED:
                gone = truth[loser, measure] - truth[winner, measure] > -abs(gap) / 2
                counted[measure, int((few.runs[loser], few.runs[winner]) in said), int(gone)] += 1
    return counted


def section(samples: int = 1000) -> str:
    """The text and the table of the page."""
    draws = max(samples // 50, 1)
    rows = []
    for title, name in COLLECTIONS.items():
        rng = np.random.default_rng(0)
        files = sorted((folder(name) / "runs").iterdir())
        files = [files[place] for place in np.sort(rng.permutation(len(files))[:RUNS])]
        judgments = read_qrels(folder(name) / "qrels.txt").to_dict()
        runs = [read_run(file, name=file.name) for file in files]
        for number, depth in POOLS:
            drawn = [rng.choice(len(runs), number, replace=False) for _ in range(draws)]
            pools = [pool_of(judgments, [runs[place] for place in places], depth) for places in drawn]
            counted = np.sum([count_losses(judgments, pool, runs) for pool in pools], axis=0)
            for measure, cells in zip(MEASURES, counted, strict=True):
                losses, said, gone = cells.sum(), cells[1].sum(), cells[:, 1].sum()
                parts = (said, losses), (gone, losses), (cells[1, 1], said), (cells[1, 1], gone)
                shares = [float(part / whole) if whole else "" for part, whole in parts]
                rows.append([title, f"{number} runs, depth {depth}", measure, losses, *shares])
    titles = ["collection", "pool", "measure", "losses", "said", "gone", "gone of said", "said of gone"]
    return f"{draws} pools of each size; level 0.05.\n\n{markdown(titles, rows)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    print(section(parser.parse_args().samples))
