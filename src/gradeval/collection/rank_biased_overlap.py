"""Rank-biased overlap: how alike two rankings are at their tops, also where they hold other documents, ends or ties."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal, TypeAlias

import numpy as np

from gradeval import arguments
from gradeval._core import InputError
from gradeval.arguments import known_arguments
from gradeval.collection.runs import Run
from gradeval.formula.arithmetic import Array

OverlapTies: TypeAlias = Literal["a", "b", "w"]
Ranking: TypeAlias = Mapping[str, float] | Sequence[str | Collection[str]]
"""Documents with scores, or documents from the best on, those that tie as a set."""

AT_ONCE = 2**20  # documents times depths that are laid out at a time


@dataclass(frozen=True)
class Overlap:
    """Rank-biased overlap of two rankings of which only the beginnings are known.

    Attributes
    ----------
    extrapolated : the value if what follows agrees as what is known.
    least, most : the values if nothing that follows agrees, and if all does.
    """

    extrapolated: float
    least: float
    most: float


@dataclass(frozen=True)
class _Places:
    """Documents of a ranking, with the first and the last rank of the group that ties with each, from 1."""

    documents: list[str]
    first: Array
    last: Array

    def shares(self, which: Array, depths: Array, ties: OverlapTies) -> Array:
        """float64[document, depth]: how much of each of some documents is among the first ``depth``; of document -1
        nothing is."""
        first, last = (np.append(ranks, np.inf)[which][:, None] for ranks in (self.first, self.last))
        return (depths >= first).astype(float) if ties == "w" else shares_down_to(first, last, depths)


def shares_down_to(first: Array, last: Array, depths: Array) -> Array:
    """float64[...]: which share of the orders of a tied group at the ranks first..last has a document among the first
    ``depths``."""
    with np.errstate(invalid="ignore"):  # of absent documents, at infinity
        share: Array = np.where(np.isinf(first), 0.0, np.clip((depths - first + 1) / (last - first + 1), 0.0, 1.0))
    return share


@known_arguments()
def rbo(first: Ranking | Run, second: Ranking | Run, *, p: float = 0.9, ties: OverlapTies = "a") -> Overlap:
    """Rank-biased overlap of two rankings: their agreement at each depth, for a user who goes on with probability p.

    RBO = (1-p) sum_d p^(d-1) A(d), with A(d) the agreement of the first d documents: X(d) / d where nothing ties, X(d)
    being the documents that both have there. Beyond the known ends, ``extrapolated`` assumes the agreement at the end
    of the shorter ranking; ``least`` and ``most`` are bounds.

    Parameters
    ----------
    first, second : {document: score}, or documents from the best on, those that tie as a set: ["a", {"b", "c"}].
        Two runs give the means over all their topics; a topic that only one of them has counts 0.
    p : how likely the user goes on to the next depth; 0.9 gives the first 10 ranks 86 % of the weight.
    ties : what a tie says. "a": that nobody knows the order; A(d) is the mean over all orders. "b": likewise, but X(d)
        is divided by sqrt(sum c1^2 sum c2^2), c being the share of a document among the first d, so that a ranking
        with ties agrees with itself entirely. "w": that the documents are equal, as in sports; all of a group stand at
        its first rank, and A(d) = 2 X(d) / (documents of the first + of the second at the ranks to d).

    Raises
    ------
    InputError : p not between 0 and 1, an empty ranking, a document twice, a score that is not finite, a run with a
        ranking, runs without a common topic.

    Source: Webber, Moffat & Zobel (2010), ACM TOIS 28(4); with ties Corsi & Urbano (2024), "The treatment of ties in
    rank-biased overlap", SIGIR.
    """
    arguments.one_of("rbo: ties", ties, ("a", "b", "w"))
    p = arguments.share("rbo: p", p, 0.9)
    if isinstance(first, Run) and isinstance(second, Run):
        return _mean_over_topics(first, second, p, ties)
    if isinstance(first, Run) or isinstance(second, Run):
        raise InputError("rbo: one of the two is a run, the other a ranking; give two runs, or run.of(topic)")
    return _overlap(first, second, p, ties)


def _mean_over_topics(first: Run, second: Run, p: float, ties: OverlapTies) -> Overlap:
    """The means over the topics of both runs, to which a topic of one alone adds nothing."""
    topics = dict.fromkeys([*first.topics, *second.topics])
    of_second = frozenset(second.topics)
    common = [topic for topic in first.topics if topic in of_second]
    if not common:
        pair = ", ".join(f"{run.topics[0]!r} in {run.name}" for run in (first, second) if run.topics)
        raise InputError(
            f"rbo: the runs {first.name} and {second.name} have no topic in common: {pair}; are the ids alike?"
        )
    overlaps = [_overlap(first.of(topic), second.of(topic), p, ties) for topic in common]
    names = ("extrapolated", "least", "most")
    return Overlap(*(fsum(getattr(one, name) for one in overlaps) / len(topics) for name in names))


def _overlap(first: Ranking, second: Ranking, p: float, ties: OverlapTies) -> Overlap:
    """The overlap of two rankings."""
    shorter, longer = sorted(
        (_find_places(first, "first"), _find_places(second, "second")), key=lambda one: len(one.documents)
    )
    short, length = len(shorter.documents), len(longer.documents)
    blocks = [_agreements(shorter, longer, depths, ties) for depths in _depths(shorter, longer)]
    seen, unseen, most_unseen, scale = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    at_end = seen[short - 1] / scale[short - 1]
    depths = np.arange(1.0, length + 1)
    missing = np.maximum(depths - short, 0.0)  # documents of the shorter one that are not known
    weights = (1 - p) * p ** (depths - 1)
    common = float(seen[-1])  # X(l), a whole number

    # What follows the end of both: no more in common; as much as at the ends; all that can be.
    harmonic = (weights / depths).sum()
    none = common * ((1 - p) / p * -np.log1p(-p) - harmonic)
    likely = (common + missing[-1] * at_end) / length * p**length
    whole = length + short - common  # the depth from which on everything agrees
    between = np.arange(length + 1, whole + 1)
    all_of_it = ((1 - p) * p ** (between - 1) * (2 * between - length - short + common) / between).sum() + p**whole
    return Overlap(
        extrapolated=float((weights * (seen + missing * at_end * unseen) / scale).sum() + likely),
        least=float((weights * seen / scale).sum() + none),
        most=float((weights * (seen + most_unseen) / scale).sum() + all_of_it),
    )


def _agreements(
    shorter: _Places, longer: _Places, depths: Array, ties: OverlapTies
) -> tuple[Array, Array, Array, Array]:
    """float64[depth] each: X(d); the mean share of those documents of the longer ranking that the shorter one lacks
    and that have one; the sum of the shares of the first of them, as many as the shorter one is short of; and what X
    is divided by."""
    place = {document: number for number, document in enumerate(shorter.documents)}
    in_shorter = np.array([place.get(document, -1) for document in longer.documents])
    of_longer = longer.shares(np.arange(len(longer.documents)), depths, ties)
    of_shorter = shorter.shares(np.arange(len(shorter.documents)), depths, ties)
    seen = (np.append(of_shorter, np.zeros((1, len(depths))), axis=0)[in_shorter] * of_longer).sum(0)
    alone = of_longer[in_shorter < 0]
    begun = np.count_nonzero(alone, axis=0)
    unseen = alone.sum(0) / np.maximum(begun, 1)
    missing = np.maximum(depths - len(shorter.documents), 0)
    most_unseen = (alone * (np.arange(len(alone))[:, None] < missing)).sum(0)
    if ties == "a":
        scale = depths
    elif ties == "w":  # a rank of which nothing is known holds one document
        scale = (of_shorter.sum(0) + missing + of_longer.sum(0)) / 2
    else:
        scale = np.sqrt((np.square(of_shorter).sum(0) + missing) * np.square(of_longer).sum(0))
    return seen, unseen, most_unseen, scale


def _depths(shorter: _Places, longer: _Places) -> Iterator[Array]:
    """The depths 1..l, some at a time."""
    length = len(longer.documents)
    step = max(1, AT_ONCE // (length + len(shorter.documents)))
    for begin in range(1, length + 1, step):
        yield np.arange(begin, min(begin + step, length + 1), dtype=float)


def _find_places(ranking: Ranking, which: str) -> _Places:
    """The documents of a ranking and their groups, or an error."""
    groups = _by_score(ranking, which) if isinstance(ranking, Mapping) else _as_typed(ranking, which)
    documents = [document for group in groups for document in group]
    if not documents:
        raise InputError(f"rbo: the {which} ranking is empty")
    if (twice := arguments.find_twice(documents)) is not None:
        raise InputError(f"rbo: the {which} ranking holds {twice!r} twice; a document stands at one place")
    sizes = np.array([len(group) for group in groups])
    last = np.repeat(sizes.cumsum(), sizes).astype(float)
    return _Places(documents, last - np.repeat(sizes, sizes) + 1, last)


def _by_score(ranking: Mapping[str, float], which: str) -> list[list[str]]:
    groups: dict[float, list[str]] = {}
    for document, score in ranking.items():
        value = arguments.number(f"rbo: the {which} ranking: score of {document!r}", score)
        groups.setdefault(value, []).append(document)
    return [groups[score] for score in sorted(groups, reverse=True)]


def _as_typed(ranking: Sequence[str | Collection[str]], which: str) -> list[list[str]]:
    if isinstance(ranking, str) or not isinstance(ranking, Sequence):
        raise InputError(f"rbo: the {which} ranking is {ranking!r}; give {{document: score}} or a list of documents")
    return [
        [group] if isinstance(group, str) or not isinstance(group, Collection) else sorted(group) for group in ranking
    ]
