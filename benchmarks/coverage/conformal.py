"""Conformal intervals beside ``assisted_means`` and ``sampled_means``: how often they hold, and their widths.

    python benchmarks/coverage/conformal.py [--samples 1000]

Oosterhuis et al. (KDD 2024, arXiv 2407.02464) bound the value of each topic by conformal risk control from a model's
distributions of grades. The models here give one grade, so that the bounds come from split conformal prediction:

* topics with human grades: for each run, the model's value of a topic -+ the ceil((n + 1) 0.95)-th smallest of the
  distances of both values on n human topics; beyond n it is the whole range from 0 to 1. The bounds of a mean are the
  means of these, and of the human values where they are known.
* documents with human grades: by the model's grade, the human grades from the floor((n + 1) 0.025)-th smallest to the
  largest but so many of n sampled documents; a measure's bounds are its values by the lower and by the upper grades.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator

import numpy as np
from assisted import JUDGES, LEVELS, MEASURES, samples, study, values_of
from counting import Array, markdown, standard_error
from populations import folder
from sampled import MEASURES as SUMS
from sampled import gain, topics_of

from gradeval import GradevalWarning, read_qrels
from gradeval.formula.spelling import parse_measures
from gradeval.studies.sampled_means import correct_by_model, interval_of_means
from judges import shuffled

SHOWN = 5  # measures whose values are many
NUMBERS = (10, 20)


def by_topic(human: Array, model: Array, sets: list[Array]) -> tuple[Array, Array]:
    """[set, run, measure] of values[topic, run, measure]: do conformal bounds hold the mean, and how wide are they?"""
    truth, topics = human.mean(0), len(human)
    held, width = [], []
    for chosen in sets:
        n = len(chosen)
        rank = math.ceil((n + 1) * 0.95)
        apart = np.sort(np.abs(human[chosen] - model[chosen]), axis=0)
        reach = apart[rank - 1] if rank <= n else np.ones(truth.shape)
        low, high = np.clip(model - reach, 0, 1), np.clip(model + reach, 0, 1)
        low[chosen] = high[chosen] = human[chosen]
        held.append((low.mean(0) <= truth + 1e-12) & (truth - 1e-12 <= high.mean(0)))
        width.append((high.sum(0) - low.sum(0)) / topics)
    return np.array(held), np.array(width)


def of_topics(draws: int) -> Iterator[list[object]]:
    """A row for each judge and number of human topics."""
    collection, places = folder("trec-dl21-passage"), folder("trec-dl21-judges") / "judges"
    runs = sorted((collection / "runs").iterdir())
    qrels = read_qrels(collection / "qrels.txt").with_levels(LEVELS)
    graded = {name: read_qrels(places / f"{name}.txt") for name in JUDGES}
    graded = {name: one if max(one.levels) > 3 else one.with_levels(LEVELS) for name, one in graded.items()}
    human = values_of(qrels, runs, qrels.topics)
    for name, grades in {**graded, "shuffled": shuffled(qrels, 0)}.items():
        model = values_of(grades, runs, qrels.topics)
        for number in NUMBERS:
            sets = list(samples(len(human), number, draws))
            ours = study(human, model, sets, parse_measures(MEASURES))
            held, width = by_topic(human, model, sets)
            wide = np.median(width, axis=(0, 1)) / ours["own width"]
            numbers = (ours["assisted"], ours["assisted, worst run"], held.mean((0, 1)), held.mean(0).min(0), wide)
            yield [name, str(number), *cells(*(one[:SHOWN] for one in numbers))]


def cells(*numbers: Array) -> list[str]:
    """By measure: ours, its worst run, conformal, its worst run, and its width beside ours."""
    return [f"{a:.2f} ({b:.2f}); {c:.2f} ({d:.2f}), {e:.1f}" for a, b, c, d, e in zip(*numbers, strict=True)]


def of_documents(draws: int) -> Iterator[list[object]]:
    """A row for each judge, number of topics and share of the documents."""
    topics, levels = topics_of(), np.array(LEVELS)
    gains = [np.stack([gain(np.full(ranks.shape[1], level), ranks) for level in levels]) for ranks, _ in topics]
    humans = [grades["human"].astype(int) for _, grades in topics]
    truth = np.mean([_total(g, human) for g, human in zip(gains, humans, strict=True)], axis=0)
    most = np.array([1.0, np.inf, 1.0])
    for judge in ("umbrela-gpt4", "llama3.2-p20", "shuffled"):
        models = [grades[judge].astype(int) for _, grades in topics]
        for number in NUMBERS:
            for share in (0.1, 0.3):
                rng, found = np.random.default_rng(0), []
                for draw in range(draws):
                    places = rng.integers(len(topics), size=number).tolist()
                    seen = [_drawn(rng, len(humans[place]), share) for place in places]
                    h, d = np.zeros((2, number, *truth.shape))
                    for row, (place, here) in enumerate(zip(places, seen, strict=True)):
                        times, one = here.size / here.sum(), gains[place][:, :, here]
                        h[row] = times * _total(one, humans[place][here])
                        d[row] = times * _total(one, models[place][here]) - _total(gains[place], models[place])
                    ours = interval_of_means(correct_by_model(h, d, draw)[0], most, 0.05)
                    pairs = [
                        (models[place][here], humans[place][here]) for place, here in zip(places, seen, strict=True)
                    ]
                    low, high = _bound_grades(*(np.concatenate(one) for one in zip(*pairs, strict=True)))
                    ends = []
                    for bound in (low, high):
                        grades = [
                            np.where(here, humans[place], bound[models[place]])
                            for place, here in zip(places, seen, strict=True)
                        ]
                        sums = [_total(gains[place], one) for place, one in zip(places, grades, strict=True)]
                        ends.append(np.mean(sums, axis=0))
                    found.append((ours, np.stack(ends, axis=-1)))
                held = [
                    np.mean(
                        [(ends[..., 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[..., 1]) for ends in each], axis=0
                    )
                    for each in zip(*found, strict=True)
                ]
                wide = np.nanmedian([np.diff(two)[..., 0] / np.diff(one)[..., 0] for one, two in found], axis=(0, 1))
                parts = (held[0].mean(0), held[0].min(0), held[1].mean(0), held[1].min(0), wide)
                yield [judge, str(number), f"{share:.0%}", *cells(*parts)]


def _drawn(rng: np.random.Generator, documents: int, share: float) -> Array:
    """bool[document]: a share of the documents, one at least."""
    seen = np.zeros(documents, bool)
    seen[rng.choice(documents, max(1, round(share * documents)), replace=False)] = True
    return seen


def _total(gains: Array, grades: Array) -> Array:
    """float64[run, measure]: what documents of these grades add, of gains[level, run, document, measure]."""
    return sum((gains[level][:, grades == level].sum(1) for level in range(len(LEVELS))), np.zeros(()))


def _bound_grades(model: Array, human: Array) -> tuple[Array, Array]:
    """int[level], twice: the lowest and the highest human grade, by the model's grade of a document."""
    low, high = np.zeros(len(LEVELS), int), np.full(len(LEVELS), len(LEVELS) - 1)
    for level in range(len(LEVELS)):
        own = np.sort(human[model == level])
        rank = math.floor((len(own) + 1) * 0.025)
        if rank:
            low[level], high[level] = own[rank - 1], own[-rank]
    return low, high


def section(samples: int) -> str:
    """Two tables: topics with human grades, and documents with human grades."""
    warnings.simplefilter("ignore", GradevalWarning)
    draws, fewer = samples // 5, samples // 20
    said = (
        "95% intervals: ours; conformal: the share that holds the mean of all topics (of the worst run), and the width "
        f"as a multiple of ours.\n{draws} draws of topics, {fewer} of documents; standard error of one run's .95 "
        f"{standard_error(0.95, draws):.3f} and {standard_error(0.95, fewer):.3f}."
    )
    parts = [
        said,
        markdown(["judge", "human topics", *MEASURES.split()[:SHOWN]], of_topics(draws)),
        "Documents with human grades, as on [their page](sampled-documents.md):",
        markdown(["judge", "topics", "documents with human grades", *SUMS], of_documents(fewer)),
    ]
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    print(section(parser.parse_args().samples))


if __name__ == "__main__":
    main()
