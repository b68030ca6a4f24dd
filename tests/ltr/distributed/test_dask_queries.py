"""Queries whose rows lie on several workers, or apart, are trained on as on one machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dask_tables import ROUNDS, SETTINGS, TRAIN, VALID, dd, fit, frame_of, partitions_of

from gradeval import Features, SplitQueriesWarning
from gradeval.ltr import TreeRanker
from gradeval.ltr.data.validation import Validation
from gradeval.ltr.distributed.parts import Columns
from gradeval.ltr.distributed.placing import place_table
from gradeval.measures import GAP


def test_cut_and_scattered_queries_are_brought_together(clients: Callable[[int], Any], one_machine: TreeRanker) -> None:
    frame = frame_of(TRAIN)
    train = dd.from_pandas(frame, npartitions=7, sort=False)
    valid = partitions_of(VALID, [30])
    with pytest.warns(SplitQueriesWarning, match="queries had rows in several partitions, which were moved into one"):
        ranker = fit(clients(2), train, valid=valid, min_rows=10)
    assert ranker.score(VALID) == pytest.approx(one_machine.score(VALID), abs=1e-12)


def test_rows_in_any_order_make_the_queries_in_the_order_of_their_first_rows(clients: Callable[[int], Any]) -> None:
    frame = frame_of(TRAIN).sample(frac=1, random_state=1)
    topics = list(dict.fromkeys(frame["query"]))
    grouped = pd.concat([frame[frame["query"] == topic] for topic in topics])
    together = Features.from_arrays(
        grouped[list("abcde")].to_numpy(), grouped["grade"].to_numpy(), topics=grouped["query"], columns=list("abcde")
    )
    alone = TreeRanker("lambdarank:GAP", epochs=ROUNDS, min_rows=1, **SETTINGS).fit(together)
    with pytest.warns(SplitQueriesWarning, match="had their rows apart in a partition, which were put together"):
        ranker = fit(clients(2), dd.from_pandas(frame, npartitions=5, sort=False), min_rows=1)
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-12)


def test_rows_in_any_order_are_shared_out_evenly(clients: Callable[[int], Any]) -> None:
    # nearly every query has a row in the first of the parts; not all may end there
    frame = frame_of(TRAIN).sample(frac=1, random_state=1)
    with pytest.warns(SplitQueriesWarning):
        table = place_table(
            clients(2),
            dd.from_pandas(frame, npartitions=4, sort=False),
            Columns("grade", "query"),
            list(clients(2).ncores()),
            "table",
        )
    parts = [part.features for part in clients(2).gather(table.parts)]
    assert [topic for part in parts for topic in part.topics] == list(dict.fromkeys(frame["query"]))
    assert all(abs(len(part) - len(frame) / 4) <= 12 for part in parts)  # at most the rows of a query
    for part in parts:
        for topic in part.topics:
            mine = frame[frame["query"] == topic]
            assert (mine[list("abcde")].to_numpy() == part.select(topic).X).all()
            assert (part.select(topic).grades == mine["grade"].to_numpy()).all()


def test_a_part_with_nothing_but_the_end_of_a_query_is_left_empty(clients: Callable[[int], Any]) -> None:
    frame, end = frame_of(VALID), int(VALID.offsets[10])
    pieces = [frame[: end - 1], frame[end - 1 : end], frame[end:]]
    valid = dd.from_map(lambda piece: piece, pieces, meta=frame[:0])
    with pytest.warns(SplitQueriesWarning, match="1 query had rows in several partitions"):
        ranker = fit(clients(2), partitions_of(TRAIN, [90]), valid=valid)
    best = ranker.curve[ranker.best - 1].valid
    assert Validation.of(VALID, GAP)(ranker.score(VALID)) == pytest.approx(best, abs=1e-12)


def test_several_workers_grow_many_trees_alike_where_rows_in_leaves_are_not_limited(
    clients: Callable[[int], Any],
) -> None:
    alone = TreeRanker("lambdarank:ERR", epochs=40, min_rows=1, **SETTINGS).fit(TRAIN)
    ranker = fit(clients(4), partitions_of(TRAIN, [50, 90, 150]), objective="lambdarank:ERR", min_rows=1, rounds=40)
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-9)


def test_a_cut_query_would_train_another_model(one_machine: TreeRanker) -> None:
    # what the exchange prevents: each query in two halves, as if they were two
    halves = [
        f"{topic}-{row % 2}"
        for topic, size in zip(TRAIN.topics, np.diff(TRAIN.offsets), strict=True)
        for row in sorted(range(size), key=lambda row: row % 2)
    ]
    cut = Features.from_arrays(TRAIN.X, TRAIN.grades, topics=halves, columns=list("abcde"))
    other = TreeRanker("lambdarank:GAP", epochs=ROUNDS, min_rows=10, **SETTINGS).fit(cut, VALID)
    assert np.abs(other.score(VALID) - one_machine.score(VALID)).max() > 0.01


def test_a_worker_without_anything_to_learn_is_left_out(clients: Callable[[int], Any]) -> None:
    flat = TRAIN.select(TRAIN.topics[:30]).with_grades(np.zeros(int(TRAIN.offsets[30])))
    rest = TRAIN.select(TRAIN.topics[30:])
    whole = Features.concat([flat, rest])
    ranker = fit(clients(2), partitions_of(whole, [30]), min_rows=10)
    alone = TreeRanker("lambdarank:GAP", epochs=ROUNDS, min_rows=10, **SETTINGS).fit(whole)
    assert ranker.score(VALID) == pytest.approx(alone.score(VALID), abs=1e-12)
