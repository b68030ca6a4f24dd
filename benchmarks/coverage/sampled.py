"""Do the intervals from a model's grades of all documents and human grades of a sample cover the true mean?

    python benchmarks/coverage/sampled.py [SAMPLES]

The human grades of the 53 topics of TREC 2021 Deep Learning, passages, are the population; models graded the same
documents. A draw takes topics with replacement and a share of
their documents, whose human grades are seen. Prints the numbers of docs/judges/few-human-grades.md: how many 95%
intervals hold the mean of the 53 topics, over runs and draws and of the run that is covered least, and the variance
that is left, for models that know something and for one whose grades were shuffled within topics. What a document adds
to a measure is computed here anew, and compared with the package before anything is counted.
"""

from __future__ import annotations

import sys

import numpy as np
from counting import markdown, standard_error
from populations import folder

from gradeval import evaluate, read_qrels, read_run
from gradeval.collection.meeting import ranked
from gradeval.formula.arithmetic import Array
from gradeval.studies.sampled_means import correct_by_model, interval_of_means

MEASURES = ("P(rel=2)@10", "DCG@10", "RBP")
JUDGES = ("umbrela-gpt4", "llama3.2-p20")
TOPICS = (10, 20, 50)
SHARES = (0.1, 0.3)


def gain(grade: Array, rank: Array) -> Array:
    """float64[document, measure]: what documents of these grades add at these ranks (inf: not retrieved)."""
    top, at = rank <= 10, np.where(np.isfinite(rank), rank, 1)
    precision = top * (grade >= 2) / 10
    discounted = top * grade / np.log2(at + 1)
    persistent = np.isfinite(rank) * 0.2 * 0.8 ** (at - 1) * grade / 3
    return np.stack([precision, discounted, persistent], axis=-1)


def topics_of() -> list[tuple[Array, dict[str, Array]]]:
    """By topic the ranks float64[run, document] of the judged documents, and their grades by assessor."""
    collection, judges = folder("trec-dl21-passage"), folder("trec-dl21-judges")
    human = read_qrels(collection / "qrels.txt")
    runs = [read_run(file) for file in files_of_runs()]
    assessors = {"human": human}
    assessors |= {name: read_qrels(judges / "judges" / f"{name}.txt") for name in JUDGES}
    rng, found = np.random.default_rng(0), []
    for topic in human.topics:
        documents = list(human.of(topic))
        places = [{name: rank for rank, name in enumerate(ranked(run, topic), 1)} for run in runs]
        ranks = np.array([[place.get(document, np.inf) for document in documents] for place in places])
        grades = {name: np.array([one.of(topic)[each] for each in documents], float) for name, one in assessors.items()}
        grades["shuffled"] = rng.permutation(grades["human"])
        found.append((ranks, {name: np.maximum(one, 0) for name, one in grades.items()}))
    return found


def files_of_runs() -> list[str]:
    """The runs of the collection."""
    return sorted(map(str, (folder("trec-dl21-passage") / "runs").iterdir()))


def contributions() -> list[dict[str, Array]]:
    """By topic and assessor float64[run, document, measure]."""
    found = [{name: gain(one, ranks) for name, one in grades.items()} for ranks, grades in topics_of()]
    values = np.array([one["human"].sum(1) for one in found])
    qrels = folder("trec-dl21-passage") / "qrels.txt"
    expected = evaluate(read_qrels(qrels), files_of_runs(), list(MEASURES)).values
    assert np.allclose(values, np.moveaxis(expected, 0, 1), atol=1e-12)
    return found


def section(samples: int) -> str:
    """A row for each judge, number of topics and share of the documents."""
    draws = samples // 10
    titles = ["judge", "topics", "documents with human grades", *MEASURES]
    rows = [
        [judge, str(number), f"{share:.0%}", *count(topics, judge, number, share, draws)]
        for topics in [contributions()]
        for judge in (*JUDGES, "shuffled")
        for number in TOPICS
        for share in SHARES
    ]
    error = f"{draws} draws; standard error of .95 for one run is {standard_error(0.95, draws):.3f}."
    return f"{error}\n\n{markdown(titles, rows)}"


def count(topics: list[dict[str, Array]], judge: str, number: int, share: float, draws: int) -> list[str]:
    """By measure: the share of the intervals that hold the truth, that of the worst run, and the variance left."""
    truth = np.mean([one["human"].sum(1) for one in topics], axis=0)
    rng, held, left = np.random.default_rng(0), [], []
    for draw in range(draws):
        h, d = [], []
        for place in rng.integers(len(topics), size=number).tolist():
            one = topics[place]
            size = one["human"].shape[1]
            seen = rng.choice(size, max(1, round(share * size)), replace=False)
            times = size / len(seen)
            h.append(times * one["human"][:, seen].sum(1))
            d.append(times * one[judge][:, seen].sum(1) - one[judge].sum(1))
        y, _ = correct_by_model(np.array(h), np.array(d), draw)
        bounds = interval_of_means(y, np.array([1.0, np.inf, 1.0]), 0.05)
        held.append((bounds[..., 0] <= truth) & (truth <= bounds[..., 1]))
        left.append(y.var(0) / np.array(h).var(0).clip(1e-12))
    covered = np.mean(held, axis=0)
    cells = zip(covered.mean(0), covered.min(0), np.median(left, axis=(0, 1)), strict=True)
    return [f"{mean:.2f} ({worst:.2f}), {kept:.2f}" for mean, worst, kept in cells]


if __name__ == "__main__":
    print(section(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
