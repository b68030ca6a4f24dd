"""The categories of warnings, so that each can be silenced or made an error: ``warnings.simplefilter``."""

from __future__ import annotations


class GradevalWarning(UserWarning):
    """What is probably a mistake in the input, but may be meant."""


class CollectionWarning(GradevalWarning):
    """Scores that are merged do not say by which judgments they were computed."""


class CoverageWarning(GradevalWarning):
    """Runs and judgments do not cover each other: missing topics, topics without judgments, nothing judged, nothing to
    be found."""


class IdsWarning(GradevalWarning):
    """Ids of topics or documents are alike but for zeros in front, a prefix or case, so that they do not match."""


class ObjectiveWarning(GradevalWarning):
    """A ranker is trained for a measure by which another objective gives better ones."""


class RanksWarning(GradevalWarning):
    """The ranks in a run say the opposite of its scores, which decide."""


class SignificanceWarning(GradevalWarning):
    """A test can show nothing, whatever the differences, or its intervals are too narrow: too few topics or samples."""


class TiesWarning(GradevalWarning):
    """Most documents of a run share their score with another, so that the ids order them rather than the system."""


class SplitQueriesWarning(GradevalWarning):
    """Rows of a query lie in several partitions of a table, or apart in one, and had to be brought together."""
