"""Simulated test collections: judgments and runs drawn from a documented model.

The model, per topic:

1. Every candidate document has a latent relevance ``z ~ Exponential(1)``. Grade ``a`` is given where ``z``
   passes ``-log P(grade >= a)``: the thresholds are equally spaced, so each level holds a fixed fraction of
   the one below. How many documents are relevant, and how rare the top level is, differs from topic to topic.
2. A system scores ``z + noise * e``. Its noise is what makes it better or worse: ``2 exp(spread * u)``, with
   ``u`` evenly spaced from -1 to 1 over the systems. Half of the variance of ``e`` is common to all systems
   (they fail on the same documents), and each system finds some topics easier than others.
3. A run keeps the ``depth`` best documents. Its scores are moved to a scale of its own, then rounded to the
   step at which about the share ``ties`` of its lines is tied.
4. Two thirds of the runs contribute to the pool. Documents are judged by the best rank that a contributing
   run gave them until the share ``judged_share`` of all retrieved documents is judged; the rest is the
   unjudged tail.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gradeval import arguments
from gradeval._core import InputError
from gradeval.collection.meeting import ranked
from gradeval.collection.qrels import Qrels
from gradeval.collection.user_clicks import Clicks
from gradeval.files.accepted import Excludes, Judgments, Ranked, as_qrels, as_runs
from gradeval.files.exclusions import exclude_from
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.measures.curves import Probabilities
from gradeval.measures.gap import GAP
from gradeval.measures.thresholds import thresholds
from gradeval.messages import plain
from gradeval.studies.shares import Shares

Indices: TypeAlias = NDArray[np.int64]

_NAMES = "alder aspen beech birch cedar elm hazel larch maple oak rowan willow".split()
_FIRST_TOPIC = 401
_CORPUS = 100_000  # small enough that topics share some documents
_SEGMENTS = 89
_DECIMALS = 6
_TYPICAL_NOISE = 2.0  # of a system in the middle; an nDCG@10 of about 0.5
_SHARED_ERROR = 0.5  # share of the error's variance that all systems have in common


@dataclass(frozen=True)
class SimulatedCollection:
    """Judgments and runs drawn by `simulate_collection`, with the truth behind them.

    Attributes
    ----------
    qrels : {topic: {document: grade}}, documents by id.
    runs : {system: {topic: {document: score}}}, documents in the order in which the system returned them.
    noise : {system: standard deviation of its error}: the smaller, the better the system.
    """

    qrels: dict[str, dict[str, int]]
    runs: dict[str, dict[str, dict[str, float]]]
    noise: dict[str, float]


def simulate_collection(
    *,
    topics: int = 30,
    systems: int = 12,
    levels: int = 4,
    depth: int = 100,
    documents: int = 500,
    ties: float = 0.2,
    judged_share: float = 0.5,
    spread: float = 0.5,
    missing: int = 1,
    shares: Shares | str | Sequence[float] | None = None,
    seed: int,
) -> SimulatedCollection:
    """Draw a test collection: graded judgments of a pool, and the runs of systems of unequal quality.

    Parameters
    ----------
    topics, systems : how many of each.
    levels : number of grades, 0 included: 4 gives the grades 0 to 3.
    depth : documents that a run returns for a topic.
    documents : candidates of a topic, out of which the systems choose.
    ties : share of a run's lines that have their score in common with another line of the topic, approached
        by rounding; 0 rounds to six decimals only.
    judged_share : share of the documents retrieved by any run that are judged.
    spread : how unequal the systems are; at 0 they differ by chance alone.
    missing : number of runs that return nothing for one topic.
    shares : of the grades among the candidates: "uniform", "dirichlet:A" (drawn anew for each topic), or a weight for
        each grade from 0 on; by default rare, each rarer than the one below, by a law of its own for each topic.
    seed : the same seed gives the same collection.

    Without ``shares``, where there are three levels and three topics or more, about a tenth of the topics (two at
    least) have no document of the top grade, or a single one.

    Raises
    ------
    InputError : a number is outside the range named in the message.
    """
    topics, systems = arguments.whole("topics", topics, 1), arguments.whole("systems", systems, 1)
    levels, documents = arguments.whole("levels", levels, 2), arguments.whole("documents", documents, 1)
    depth = arguments.whole("depth", depth, 1, documents, unit="documents")
    ties = arguments.number("ties", ties, least=0, below=1)
    judged_share = arguments.number("judged_share", judged_share, above=0, most=1)
    spread = arguments.number("spread", spread, least=0)
    missing = arguments.whole("missing", missing, 0, systems, unit="systems")
    seed = arguments.seed(seed)
    of_grades = None if shares is None else Shares.of(shares)
    if missing and topics == 1:
        raise InputError(plain("missing", missing), "; accepted: 0 where there is only one topic")
    rng = np.random.default_rng(seed)
    relevance = rng.exponential(size=(topics, documents))
    if of_grades is None:
        grades = _draw_grades(relevance, levels, rng)
    else:
        grades = _grades_by_shares(relevance, of_grades.draw(topics, levels, rng))
    ids = [_ids(rng.choice(max(_CORPUS, 4 * documents), documents, replace=False)) for _ in range(topics)]
    noise = _TYPICAL_NOISE * np.exp(spread * rng.permutation(np.linspace(-1.0, 1.0, systems)))

    raw = _system_scores(relevance, noise, rng)
    order = np.argsort(-raw, axis=-1)[..., :depth]
    judged = _pool(order, documents, judged_share)
    scores = np.stack([_rescale(s, ties, rng) for s in np.take_along_axis(raw, order, axis=-1)])
    absent = set(zip(rng.permutation(systems)[:missing], rng.integers(topics, size=missing), strict=True))

    names = [_name(system) for system in range(systems)]
    labels = [str(_FIRST_TOPIC + topic) for topic in range(topics)]
    qrels = {
        label: {ids[t][d]: int(grades[t, d]) for d in sorted(np.flatnonzero(judged[t]), key=ids[t].__getitem__)}
        for t, label in enumerate(labels)
    }
    runs = {
        name: {
            label: {ids[t][d]: float(x) for d, x in zip(order[s, t], scores[s, t], strict=True)}
            for t, label in enumerate(labels)
            if (s, t) not in absent
        }
        for s, name in enumerate(names)
    }
    return SimulatedCollection(qrels, runs, dict(zip(names, noise.tolist(), strict=True)))


def _draw_grades(relevance: Array, levels: int, rng: np.random.Generator) -> Indices:
    """Grade every candidate: int[topics, documents]."""
    topics, _ = relevance.shape
    relevant = np.exp(rng.uniform(math.log(0.03), math.log(0.15), size=topics))  # P(grade >= 1)
    top = np.exp(rng.uniform(math.log(0.03), math.log(0.3), size=topics))  # P(top grade | grade >= 1)
    share = np.arange(levels - 1) / max(levels - 2, 1)
    thresholds = -(np.log(relevant)[:, None] + share * np.log(top)[:, None])  # [topic, level]
    grades: Indices = (relevance[:, :, None] >= thresholds[:, None, :]).sum(axis=-1)
    if levels >= 3 and topics >= 3:
        for place, topic in enumerate(rng.permutation(topics)[: max(2, topics // 10)]):
            best = np.argsort(-relevance[topic])
            number = place % 2  # none in one such topic, a single one in the next
            grades[topic] = np.minimum(grades[topic], levels - 2)
            grades[topic, best[:number]] = levels - 1
    return grades


def _grades_by_shares(relevance: Array, shares: Array) -> Indices:
    """Grade every candidate where each grade has a share, float64[topic, grade]: int[topics, documents].

    Of an exponential variable, P(z >= -log q) = q: the threshold of a grade is at the shares from that grade on.
    """
    reaching = np.minimum(shares[:, ::-1].cumsum(-1)[:, ::-1], 1.0)[:, 1:]  # P(grade >= 1), P(grade >= 2) ...
    least = np.where(reaching > 0, -np.log(np.maximum(reaching, np.finfo(float).tiny)), np.inf)
    grades: Indices = (relevance[:, :, None] >= least[:, None, :]).sum(axis=-1)
    return grades


def _system_scores(relevance: Array, noise: Array, rng: np.random.Generator) -> Array:
    """Score every candidate by every system: float[systems, topics, documents]."""
    common = rng.standard_normal(relevance.shape)
    scores = np.empty((len(noise), *relevance.shape))
    for system, level in enumerate(noise):
        own = rng.standard_normal(relevance.shape)
        error = math.sqrt(_SHARED_ERROR) * common + math.sqrt(1 - _SHARED_ERROR) * own
        by_topic = np.exp(0.3 * rng.standard_normal((len(relevance), 1)))
        scores[system] = relevance + level * by_topic * error
    return scores


def _pool(order: Indices, documents: int, share: float) -> NDArray[np.bool_]:
    """Choose the judged documents of each topic: bool[topics, documents]."""
    systems, topics, depth = order.shape
    contributing = math.ceil(systems * 2 / 3)
    judged = np.zeros((topics, documents), dtype=bool)
    for topic in range(topics):
        best = np.full(documents, 2 * depth)  # never retrieved
        for system in reversed(range(systems)):
            late = 0 if system < contributing else depth  # what only the others found comes last
            best[order[system, topic]] = np.minimum(best[order[system, topic]], late + np.arange(depth))
        retrieved = int((best < 2 * depth).sum())
        judged[topic, np.argsort(best, kind="stable")[: math.ceil(share * retrieved)]] = True
    return judged


def _rescale(raw: Array, ties: float, rng: np.random.Generator) -> Array:
    """Move a run's scores [topic, rank] to a scale of its own, rounded so that the share `ties` is tied."""
    scores = rng.uniform(-10, 30) + np.exp(rng.uniform(-1, 2)) * raw
    if ties == 0:
        return _round(scores, 10.0**-_DECIMALS)
    low, high = -5.0, 3.0  # log10 of the step: hardly a tie, hardly anything else
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if _tied_share(_round(scores, 10**middle)) < ties else (low, middle)
    # A step of two digits keeps the scores short.
    exponent = math.floor(high) - 1
    return _round(scores, round(10 ** (high - exponent)) * 10.0**exponent)


def _round(scores: Array, step: float) -> Array:
    rounded: Array = np.round(np.round(scores / step) * step, _DECIMALS)
    return rounded


def _tied_share(scores: Array) -> float:
    """Share of scores [topic, rank], descending, that equal a neighbour's."""
    same = scores[:, 1:] == scores[:, :-1]
    tied = np.zeros(scores.shape, dtype=bool)
    tied[:, 1:] |= same
    tied[:, :-1] |= same
    return float(tied.mean())


def _ids(numbers: Indices) -> list[str]:
    places = (divmod(number, _SEGMENTS) for number in numbers.tolist())
    return [f"web{segment:02d}-{record // 100:02d}-{record % 100:02d}" for record, segment in places]


def _name(system: int) -> str:
    series, place = divmod(system, len(_NAMES))
    return _NAMES[place] if series == 0 else f"{_NAMES[place]}-{series + 1}"


def simulate_clicks(
    qrels: Judgments,
    run: Ranked,
    *,
    g: Probabilities = None,
    sessions: int = 10_000,
    depth: int = 10,
    bias: float = 1.0,
    slips: float = 0.0,
    seed: int = 0,
    exclude: Excludes = None,
) -> Clicks:
    """Draw sessions of users who click on what they find relevant.

    Each user has a threshold, grade k with probability g_k, and gets the ranking of a topic, drawn uniformly among the
    run's judged topics. They look at rank r with probability 1/r^bias, and click on what they look at if its grade
    reaches the threshold, else with probability ``slips``. Unjudged documents are of grade 0.

    Parameters
    ----------
    qrels, run : as ``evaluate`` takes them, one run; equal scores are ordered as there.
    g : the shares of users by grade, as the g of GAP; default uniform.
    sessions, depth : how many, and how many documents each shows.
    bias : 0: all ranks are looked at alike.
    seed : the same seed draws the same clicks.
    exclude : documents that must not count, as of ``evaluate``: they are not shown.
    """
    sessions, depth = arguments.whole("sessions", sessions, 1), arguments.whole("depth", depth, 1, unit="ranks")
    bias = arguments.number("bias", bias, least=0)
    slips, seed = arguments.number("slips", slips, least=0, most=1), arguments.seed(seed)
    judgments, (only, *more) = exclude_from(as_qrels(qrels), exclude), as_runs(run)
    if more:
        raise InputError(f"clicks are drawn on one run, not {1 + len(more)}")
    share = thresholds(GAP.definition.read("g", g), judgments.levels)
    known = set(judgments.topics)
    topics = [topic for topic in only.topics if topic in known]
    if not topics:
        pair = f"{judgments.topics[0]!r} there, {only.topics[0]!r} here" if only.topics else "the run has none"
        raise InputError(f"{only.name}: no topic in common with {judgments.name}: {pair}; are the ids alike?")
    pages = [ranked(only, topic, depth=depth, excluded=judgments.exclusion.of(topic)) for topic in topics]
    grades = [_levels_of(page, judgments, topic) for page, topic in zip(pages, topics, strict=True)]
    rng = np.random.default_rng(seed)
    topic = rng.integers(len(topics), size=sessions)
    threshold = rng.choice(len(share), sessions, p=share / share.sum())
    length = np.array([len(page) for page in pages])[topic]
    session = np.repeat(np.arange(sessions), length)
    rank = np.arange(len(session)) - np.repeat(length.cumsum() - length, length) + 1
    first = np.append(0, np.cumsum([len(page) for page in pages]))[topic][session]
    place = first + rank - 1
    looked = rng.random(len(session)) < 1.0 / rank.astype(float) ** bias
    relevant = np.concatenate(grades)[place] >= threshold[session]
    slipped = rng.random(len(session)) < slips
    names = [name for page in pages for name in page]
    return Clicks(
        session=[f"s{number + 1}" for number in session.tolist()],
        topic=[topics[number] for number in topic[session].tolist()],
        document=[names[number] for number in place.tolist()],
        rank=rank,
        click=looked & (relevant | slipped),
        place="simulated clicks",
    )


def _levels_of(page: Sequence[str], qrels: Qrels, topic: str) -> Array:
    """int64[document]: the level of each document; for an unjudged one the level of grade 0."""
    level_of = _place_of_level(qrels.levels)
    grades = qrels.of(topic)
    return np.array([level_of[float(max(grades.get(document, 0), 0))] for document in page])


def _place_of_level(levels: Levels) -> dict[float, int]:
    return {level: place for place, level in enumerate(levels)}
