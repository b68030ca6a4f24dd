"""Draw clicks from the model by which they are read: users with thresholds who look at ranks and click."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradeval import checks
from gradeval._core import InputError
from gradeval.collection.clicks import Clicks
from gradeval.collection.qrels import Qrels
from gradeval.formats.accepted import Judgments, Ranked, as_qrels, as_runs
from gradeval.formula.arithmetic import Array
from gradeval.formula.levels import Levels
from gradeval.measures.curves import Probabilities
from gradeval.measures.gap import GAP
from gradeval.measures.thresholds import thresholds


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
) -> Clicks:
    """Draw sessions of users who click on what they find relevant.

    Each user has a threshold, grade k with probability g_k, and gets the ranking of a topic, drawn uniformly among
    those of the run that are judged. They look at rank r with probability 1/r^bias, and click on what they look at if
    its grade reaches the threshold, else with probability ``slips``. Unjudged documents are of grade 0.

    Parameters
    ----------
    qrels, run : as ``evaluate`` takes them, one run; equal scores are ordered as there.
    g : as that of GAP, default uniform.
    sessions, depth : how many, and how many documents each shows.
    bias : 0: all ranks are looked at alike.
    seed : the same seed draws the same clicks.
    """
    sessions, depth = checks.whole("sessions", sessions, 1), checks.whole("depth", depth, 1, unit="ranks")
    bias = checks.number("bias", bias, least=0)
    slips, seed = checks.number("slips", slips, least=0, most=1), checks.seed(seed)
    judgments, (only, *more) = as_qrels(qrels), as_runs(run)
    if more:
        raise InputError(f"clicks are drawn on one run, not {1 + len(more)}")
    share = thresholds(GAP.definition.read("g", g), judgments.levels)
    known = set(judgments.topics)
    topics = [topic for topic in only.topics if topic in known]
    if not topics:
        raise InputError(f"{only.name}: no topic in common with {judgments.name}; are the ids alike?")
    # Strings compare by code point, which is the order of their UTF-8 bytes.
    pages = [
        [name for name, _ in sorted(only.of(topic).items(), key=lambda line: (line[1], line[0]), reverse=True)[:depth]]
        for topic in topics
    ]
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
    """int64[document]: the level of each document; that of grade 0 for one that is not judged."""
    level_of = _places(qrels.levels)
    grades = qrels.of(topic)
    return np.array([level_of[float(max(grades.get(document, 0), 0))] for document in page])


def _places(levels: Levels) -> dict[float, int]:
    return {level: place for place, level in enumerate(levels)}
