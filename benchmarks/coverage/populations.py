"""What the bench of coverage draws topics from: real collections, and designs whose truth is known.

Every source of topics is a ``Population``: a name, the true mean of each run, and ``draw``, which gives the values of
some topics for all runs. Real ones are evaluated once; topics are drawn from them with replacement, so that the truth
is the mean over the topics of the collection. GRADEVAL_DATA names the folder of the data, packed or unpacked.
"""

from __future__ import annotations

import getpass
import math
import os
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gradeval import GradevalWarning, Measure, Scores, evaluate, parse_measure, read_qrels, read_scores

Array = NDArray[np.float64]

COLLECTIONS = ("trec-dl21-passage", "trec-covid-r5", "trec14-robust2005")
MATRICES = tuple(f"urbano.web{year}_{name}" for year in (2010, 2011, 2012, 2013) for name in ("err20", "ndcg20"))
NUMBERS_OF_TOPICS = (5, 10, 20, 30, 50)

SMOOTH = ("AP", "AP(rel=2)", "nDCG@10", "nDCG", "GAP", "Q", "RBP", "ERR@20", "P@10", "bpref")
FEW_VALUED = ("RR", "RR(rel=2)", "P@5", "P@1", "P(rel=2)@1", "Success@5", "Success(rel=2)@5", "Success@10")
UNBOUNDED = ("DCG@10", "NumRelRet", "gmAP")
MEASURES = (*SMOOTH, *FEW_VALUED, *UNBOUNDED)


@dataclass(frozen=True)
class Population:
    """What topics are drawn from.

    Attributes
    ----------
    name : of the collection or the design.
    measure : the measure of the values; for designs, one whose range and way of averaging they have.
    truth : float64[run]: the mean of each run over all topics, on the scale on which topics are averaged.
    draw : float64[topic, run] for a number of topics and a generator.
    values : float64[topic, run] of a real collection; None for a design, which has no end of topics.
    """

    name: str
    measure: Measure
    truth: Array
    draw: Callable[[int, np.random.Generator], Array]
    values: Array | None = None

    @property
    def is_bounded(self) -> bool:
        """Do the values lie between 0 and 1? Those of geometric means are logarithms here."""
        definition = self.measure.definition
        return definition.aggregate == "mean" and "bounded" not in definition.exempt

    def samples(self, topics: int, number: int, seed: int = 0) -> Iterator[Array]:
        """float64[topic, run], so many times: draws of so many topics."""
        for sample in range(number):
            yield self.draw(topics, np.random.default_rng([seed, topics, sample]))


def scores_of(values: Array, measure: Measure | None = None) -> Scores:
    """Scores with float64[topic, run] as the values of one measure, for functions that take Scores."""
    topics, runs = values.shape
    return Scores(
        values=np.ascontiguousarray(values.T)[..., None],
        present=np.ones((runs, topics), bool),
        vacant=np.zeros((topics, 1), bool),
        runs=[f"run{run + 1}" for run in range(runs)],
        topics=[str(topic + 1) for topic in range(topics)],
        measures=[measure or parse_measure("AP")],
    )


# Real collections


def real(
    measures: tuple[str, ...] = MEASURES,
    collections: tuple[str, ...] = COLLECTIONS,
    matrices: tuple[str, ...] = MATRICES,
) -> Iterator[Population]:
    """Populations of all measures on all collections, then the ready matrices of scores.

    Runs that score the same as another on every topic appear once, and those that score 0 everywhere not at all: nobody
    needs an interval of these.
    """
    for name in collections:
        scores = evaluated(name, measures)
        for place, measure in enumerate(scores.measures):
            yield finite(name, measure, scores.transformed()[:, :, place].T)
    for name in matrices:
        scores = _quietly_read(folder("system-topic-scores") / f"{name}.csv")
        yield finite(name, parse_measure("ERR@20" if "err20" in name else "nDCG@20"), scores.values[:, :, 0].T)


@cache
def evaluated(name: str, measures: tuple[str, ...] = MEASURES) -> Scores:
    """The scores of all runs of a collection, computed once in a process."""
    place = folder(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GradevalWarning)
        return evaluate(read_qrels(place / "qrels.txt"), place / "runs", " ".join(measures))


def finite(name: str, measure: Measure, values: Array) -> Population:
    """The population of the topics of float64[topic, run]."""
    _, first = np.unique(values, axis=1, return_index=True)
    values = values[:, [run for run in np.sort(first) if values[:, run].any()]]

    def draw(topics: int, rng: np.random.Generator) -> Array:
        return values[rng.integers(len(values), size=topics)]

    return Population(name, measure, values.mean(0), draw, values)


def folder(name: str) -> Path:
    """The folder of a data set, unpacked into the temporary folder where it is not yet."""
    packed = Path(os.environ.get("GRADEVAL_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
    if not (packed / "unpack").exists():
        return packed / name
    unpacked = Path(tempfile.gettempdir()) / f"gradeval-data-{getpass.getuser()}"
    if not (unpacked / name).is_dir():
        unpacked.mkdir(mode=0o700, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=unpacked))
        subprocess.run(["bash", packed / "unpack", beside, name], check=True, stdout=subprocess.DEVNULL)
        (beside / name).rename(unpacked / name)
        beside.rmdir()
    return unpacked / name


def _quietly_read(place: Path) -> Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GradevalWarning)
        return read_scores(place)


# Designs


def designs(runs: int, worse: float = 0.0) -> list[Population]:
    """The designs with so many runs: all means are equal, or the second half of the runs is worse.

    ``worse``: by how much, in standard deviations of the errors; where values are few, the share of the topics at which
    a worse run fails altogether.
    """
    half = np.where(np.arange(runs) < runs / 2, 0.0, -worse)
    errors = {"normal": _normal, "correlated": _correlated, "families": _families, "skewed": _skewed}
    found = [_shifted(name, draw, half, runs) for name, draw in errors.items()]
    succeeding = {
        "reciprocal ranks": (_reciprocal_ranks, _mean_reciprocal_rank(), "RR"),
        "binary": (_binary, 0.5, "P@1"),
    }
    for name, (draw, mean, measure) in succeeding.items():
        found.append(_failing(name, measure, draw, mean, -half, runs))
    return found


def _normal(topics: int, runs: int, rng: np.random.Generator) -> Array:
    """Independent normal errors of standard deviation 1."""
    return rng.normal(size=(topics, runs))


def _correlated(topics: int, runs: int, rng: np.random.Generator) -> Array:
    """Normal errors, the correlation of runs i and j is 0.9 ** |i - j|."""
    errors = rng.normal(size=(topics, runs))
    for run in range(1, runs):
        errors[:, run] = 0.9 * errors[:, run - 1] + np.sqrt(1 - 0.9**2) * errors[:, run]
    return errors


def _families(topics: int, runs: int, rng: np.random.Generator) -> Array:
    """Families of four runs whose normal errors correlate by 0.96."""
    family: Array = rng.normal(size=(topics, -(-runs // 4))).repeat(4, axis=1)[:, :runs]
    own: Array = rng.normal(size=(topics, runs))
    return math.sqrt(0.96) * family + math.sqrt(0.04) * own


def _skewed(topics: int, runs: int, rng: np.random.Generator) -> Array:
    """Exponential errors of standard deviations from 0.2 to 2."""
    spread: Array = np.linspace(0.2, 2, runs)
    return spread * (rng.exponential(size=(topics, runs)) - 1)


def _reciprocal_ranks(topics: int, runs: int, rng: np.random.Generator) -> Array:
    """1 / the rank of the first relevant document, where each is relevant with a probability of the topic's."""
    easy = rng.uniform(0.05, 0.95, size=(topics, 1))
    ranks: Array = 1 / rng.geometric(easy, size=(topics, runs))
    return ranks


def _mean_reciprocal_rank() -> float:
    """The mean of the above: E[1/rank] = -p ln p / (1 - p) at probability p, averaged over p."""
    ends = np.linspace(0.05, 0.95, 100_001)
    easy = (ends[1:] + ends[:-1]) / 2
    return float(np.mean(-easy * np.log(easy) / (1 - easy)))


def _binary(topics: int, runs: int, rng: np.random.Generator) -> Array:
    """Success or failure, with a probability that the runs share for a topic."""
    return (rng.random((topics, runs)) < rng.beta(0.5, 0.5, size=(topics, 1))).astype(float)


Errors = Callable[[int, int, np.random.Generator], Array]


def _shifted(name: str, errors: Errors, means: Array, runs: int) -> Population:
    """Means, the difficulty of each topic, and errors; the values have no bounds, as DCG has none."""

    def draw(topics: int, rng: np.random.Generator) -> Array:
        return means + 2 * rng.normal(size=(topics, 1)) + errors(topics, runs, rng)

    return Population(name, parse_measure("DCG@10"), means, draw)


def _failing(name: str, measure: str, values: Errors, mean: float, failing: Array, runs: int) -> Population:
    """Values in [0, 1], which become 0 for a share ``failing`` of the topics of each run."""

    def draw(topics: int, rng: np.random.Generator) -> Array:
        return values(topics, runs, rng) * (rng.random((topics, runs)) >= failing)

    return Population(name, parse_measure(measure), mean * (1 - failing), draw)
