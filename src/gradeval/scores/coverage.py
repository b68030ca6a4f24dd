"""How much of the runs the judgments cover: retrieved, tied and judged documents, and missing topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np

from gradeval.collection.exclusion import Excluded
from gradeval.collection.skipped_lines import SkippedLines
from gradeval.formula.arithmetic import Array, ratio

TOP = 10
"""The ranks of the top, of which notes say how much is unjudged."""
ALIKE = 5
"""Topics whose rankings end at the same rank, from which a run is taken to be cut there."""


def find_ends(retrieved: Array) -> Array:
    """int64[run]: where most rankings of a run end, which are int64[run, topic] long; 0: they do not end together."""
    longest = retrieved.max(-1, initial=0)
    cut = (retrieved == longest[:, None]).sum(-1)
    return np.where((cut >= ALIKE) & (2 * cut >= (retrieved > 0).sum(-1)), longest, 0)


@dataclass(frozen=True, eq=False, repr=False)
class Judging:
    """How many documents of runs are judged: what verdicts ask of them. Saved scores have a column of each.

    Attributes
    ----------
    retrieved, judged : int64[run, topic]: documents returned; how many of these are judged.
    judged_top : int64[run, topic]: how many of the first ``TOP`` documents are judged; None: all are, in all ranks.
    """

    retrieved: Array
    judged: Array
    judged_top: Array | None

    @classmethod
    def concat(cls, parts: Sequence[Self], axis: int) -> Self:
        """The counts of parts that differ in their runs (axis 0) or in their topics (axis 1)."""
        return cls(**cls._joined(parts, axis))

    @classmethod
    def _joined(cls, parts: Sequence[Self], axis: int) -> dict[str, Any]:
        tops = [part.retrieved_top if part.judged_top is None else part.judged_top for part in parts]
        return {
            "retrieved": np.concatenate([part.retrieved for part in parts], axis),
            "judged": np.concatenate([part.judged for part in parts], axis),
            "judged_top": np.concatenate(tops, axis) if any(part.judged_top is not None for part in parts) else None,
        }

    def select(self, run: Sequence[int], topic: Sequence[int]) -> Self:
        """The counts of the runs and topics at these places."""
        return type(self)(**self._chosen(run, topic))

    def _chosen(self, run: Sequence[int], topic: Sequence[int]) -> dict[str, Any]:
        chosen = np.ix_(run, topic)
        return {
            "retrieved": self.retrieved[chosen],
            "judged": self.judged[chosen],
            "judged_top": None if self.judged_top is None else self.judged_top[chosen],
        }

    def spread(self, at: Sequence[int], topics: int) -> Judging:
        """The counts with topics at these places of more; for the others the runs return nothing."""

        def wider(counts: Array) -> Array:
            more = np.zeros((len(counts), topics), counts.dtype)
            more[:, at] = counts
            return more

        top = None if self.judged_top is None else wider(self.judged_top)
        return Judging(wider(self.retrieved), wider(self.judged), top)

    @cached_property
    def unjudged_share(self) -> Array:
        """float64[run]: share of the run's documents that nobody judged."""
        return ratio((self.retrieved - self.judged).sum(-1), self.retrieved.sum(-1))

    @cached_property
    def retrieved_top(self) -> Array:
        """int64[run, topic]: documents that were returned in the first ``TOP`` ranks."""
        return np.minimum(self.retrieved, TOP)

    @cached_property
    def unjudged_top_share(self) -> Array:
        """float64[run]: share of the documents in the first ``TOP`` ranks that nobody judged."""
        top = self.retrieved_top
        return ratio((top - (top if self.judged_top is None else self.judged_top)).sum(-1), top.sum(-1))


COUNTS = tuple(one.name for one in fields(Judging))
"""The columns of these counts in saved scores."""


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(Judging):
    """How much of the whole runs the judgments cover.

    Attributes
    ----------
    tied : int64[run, topic]: documents that share their score with another.
    contradicting : int64[run, topic]: how often the score rises from one rank to the next.
    itself : bool[run, topic]: has the first document the id of its topic, and no grade?
    unjudged_topics : for each run, its topics that the qrels lack.
    skipped : for each run, the comments of its text that look like lines of a run, where there are some.
    excluded : what was removed from rankings and judgments, if anything.
    repeated : int64[run, topic]: lines left out because another line of the document counts; None: none.
    """

    tied: Array
    contradicting: Array
    itself: Array
    unjudged_topics: list[list[str]]
    skipped: list[SkippedLines | None]
    excluded: Excluded | None = None
    repeated: Array | None = None

    @classmethod
    def _joined(cls, parts: Sequence[Self], axis: int) -> dict[str, Any]:
        if axis == 0:
            unjudged = [topics for part in parts for topics in part.unjudged_topics]
            skipped = [lines for part in parts for lines in part.skipped]
        else:  # a part may name a topic that another scores, or the same as another
            by_run = zip(*(part.unjudged_topics for part in parts), strict=True)
            unjudged = [list(dict.fromkeys(topic for topics in run for topic in topics)) for run in by_run]
            skipped = parts[0].skipped  # of the same files
        excluded = [part.excluded for part in parts if part.excluded is not None]
        repeated = [np.zeros_like(part.retrieved) if part.repeated is None else part.repeated for part in parts]
        return super()._joined(parts, axis) | {
            "tied": np.concatenate([part.tied for part in parts], axis),
            "contradicting": np.concatenate([part.contradicting for part in parts], axis),
            "itself": np.concatenate([part.itself for part in parts], axis),
            "unjudged_topics": unjudged,
            "skipped": skipped,
            "excluded": Excluded.concat(excluded, axis) if len(excluded) == len(parts) else None,
            "repeated": np.concatenate(repeated, axis) if any(part.repeated is not None for part in parts) else None,
        }

    def _chosen(self, run: Sequence[int], topic: Sequence[int]) -> dict[str, Any]:
        chosen = np.ix_(run, topic)
        return super()._chosen(run, topic) | {
            "tied": self.tied[chosen],
            "contradicting": self.contradicting[chosen],
            "itself": self.itself[chosen],
            "unjudged_topics": [self.unjudged_topics[place] for place in run],
            "skipped": [self.skipped[place] for place in run],
            "excluded": None if self.excluded is None else self.excluded.select(run, topic),
            "repeated": None if self.repeated is None else self.repeated[chosen],
        }

    @property
    def missing(self) -> Array:
        """int64[run]: topics of the qrels for which the run returned nothing."""
        return np.asarray((self.retrieved == 0).sum(-1))

    @property
    def tied_share(self) -> Array:
        """float64[run]: share of the run's documents whose score is shared within the topic."""
        return ratio(self.tied.sum(-1), self.retrieved.sum(-1))

    def shares(self) -> dict[str, Array]:
        """float64[run] by title: the shares that tables show."""
        return {"tied lines": self.tied_share, "missing topics": self.missing / self.retrieved.shape[-1]}
