"""Topics that join two columns, as a user in a fold: several of one user are not independent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradeval.collection.qrels import Qrels
from gradeval.files.column_names import is_segment
from gradeval.files.named_columns import JOIN
from gradeval.messages import visible


def about_joined_topics(topics: Sequence[str], qrels: Qrels) -> Iterator[str]:
    """How many topics share the first of the columns that they join, and what to do. Segments tell queries of one text
    apart, which are topics of their own."""
    first, *others = qrels.joins.split(JOIN)
    if not others or any(map(is_segment, (first, *others))):
        return
    split = [topic.rsplit(JOIN, len(others)) for topic in topics]
    groups = {parts[0] for parts in split}
    if len(groups) == len(topics) or any(len(parts) == 1 for parts in split):
        return
    name = visible(first.strip())
    yield (
        f"{len(topics):,} topics ({visible(qrels.joins)}) come from {len(groups):,} values of {name}, and tests and "
        f"intervals take them for independent; average the topics of each {name} first: docs/ratings.md, Folds"
    )
