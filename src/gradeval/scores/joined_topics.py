"""Topics that join two columns, as a user in a fold: several of one user are not independent. And topics that could,
where judgments have a column of folds which is not used."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.files.column_names import is_segment
from gradeval.files.named_columns import JOIN
from gradeval.files.telling_columns import describe_join
from gradeval.messages import join_names, visible


def about_joined_topics(topics: Sequence[str], joins: str) -> Iterator[str]:
    """How many topics share the first of the columns that they join, and what to do. ``joins``: these columns.

    Segments tell queries of one text apart, which are topics of their own.
    """
    first, *others = joins.split(JOIN)
    if not others or any(map(is_segment, (first, *others))):
        return
    split = [topic.rsplit(JOIN, len(others)) for topic in topics]
    groups = {parts[0] for parts in split}
    if len(groups) == len(topics) or any(len(parts) == 1 for parts in split):
        return
    name = visible(first.strip())
    yield (
        f"{len(topics):,} topics ({visible(joins)}) come from {len(groups):,} values of {name}, and tests and "
        f"intervals take them for independent; average the topics of each {name} first: docs/ratings.md, Folds"
    )


def about_folds(qrels: Qrels, runs: Sequence[Run]) -> Iterator[str]:
    """That judgments have rows of a topic in several folds, whose column is not used, and how to join it, or how to
    keep one fold for the runs that have no such rows."""
    from shlex import quote

    split = [run for run in runs if run.joinable]
    if not qrels.joinable:
        return
    if len(split) < len(runs):
        yield _keep_a_fold(qrels)
    if not split:
        return
    places = [*dict.fromkeys([qrels.name, *(run.place or run.name for run in split)])]
    query, _, fold = qrels.joinable.rpartition(JOIN)
    judged, ranked = "" if qrels.made else qrels.name, [run.place * os.path.exists(run.place) for run in split]
    if judged and all(ranked) and {run.joinable.casefold() for run in runs} == {qrels.joinable.casefold()}:
        how, alone = describe_join(fold, query), f"--columns {quote(f'query={query}')}"
    else:
        ways = [_name_topics(qrels.joinable, judged, qrels.made)]
        ways += [
            _name_topics(run.joinable, place, "run_from_frame(FRAME)") for run, place in zip(split, ranked, strict=True)
        ]
        how = f"if {fold!r} tells queries apart, join both columns: {join_names([*dict.fromkeys(ways)])}"
        alone = _name_topics(query, judged, qrels.made)
    yield (
        f"{join_names(places, 4)}: a topic has rows of several folds in column {fold!r}, which is not used; {how}; if "
        f"not, {alone} says so"
    )


def _keep_a_fold(qrels: Qrels) -> str:
    """How to score a run of one fold by the judgments of this fold alone."""
    query, _, fold = qrels.joinable.rpartition(JOIN)
    of_each = f"df.groupby({fold!r})"
    if qrels.made:
        how = f"dict(list({of_each})) has the rows of each"
    else:
        how = f"for fold, rows in {of_each}: rows.to_csv(f'judged_{{fold}}.csv', index=False)"
    all_folds = _name_topics(query, "" if qrels.made else qrels.name, qrels.made)
    return (
        f"{qrels.name}: a topic has rows of several folds in column {fold!r}, which is not used; rows of other "
        f"folds than the run's count as missed; keep the rows of its fold, in pandas: {how}; if runs hold all folds, "
        f"{all_folds} says so"
    )


def _name_topics(column: str, place: str, made: str) -> str:
    """How to name the column of the topics of a file, or of what a call in Python makes."""
    from shlex import quote

    return quote(f"columns:query={column}:{place}") if place else f"{made.removesuffix(')')}, query_id={column!r})"
