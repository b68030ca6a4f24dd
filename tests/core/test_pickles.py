"""Judgments and runs go to other processes: by pickle, by copy."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradeval._core import InputError, Lines, Pools, judge

SMALL = {"1": {"a": 1.0, "b": 0.0}, "2": {"c": 3.0}}
WAYS: list[Callable[[Any], Any]] = [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy, copy.copy]

ids = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
numbers = st.floats(allow_nan=False, allow_infinity=False)
collections = st.dictionaries(ids, st.dictionaries(ids, numbers, max_size=6), max_size=5)


def bits(pools: Pools) -> Any:
    """All that is in pools, exactly."""
    documents = [pools.documents(t) for t in range(len(pools.topics))]
    return pools.topics, documents, pools.offsets.tobytes(), pools.grades.tobytes()


def lines_of(lines: Lines) -> Any:
    return [(topic, [(d, s.hex()) for d, s in lines.of(topic).items()]) for topic in lines.topics()]


def met(pools: Pools, lines: Lines) -> Any:
    met = judge(pools, [lines])
    arrays = (met.rank, met.document, met.offsets, met.retrieved, met.tied, met.contradicting)
    return [array.tobytes() for array in arrays], met.tags, met.unjudged_topics


def columns(run: dict[str, dict[str, float]]) -> Lines:
    rows = [(topic, document, score) for topic, lines in run.items() for document, score in lines.items()]

    def column(strings: list[str]) -> Any:
        data = [string.encode() for string in strings]
        return np.cumsum([0, *map(len, data)], dtype=np.int64), np.frombuffer(b"".join(data), np.uint8)

    scores = np.array([row[2] for row in rows], float)
    return Lines.of_columns(
        column([row[0] for row in rows]),
        column([row[1] for row in rows]),
        scores,
        "frame",
        np.arange(len(rows), dtype=float),
    )


@pytest.mark.parametrize("again", WAYS)
@given(qrels=collections, run=collections)
def test_judgments_and_runs_meet_alike_after_a_round_trip(
    again: Callable[[Any], Any], qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]
) -> None:
    pools = Pools.of_mapping(qrels, "qrels")
    assert bits(again(pools)) == bits(pools)
    ranks = np.arange(sum(map(len, run.values())), dtype=float)
    for lines in (Lines.of_mapping(run, "run"), Lines.of_mapping(run, "run", ranks), columns(run)):
        assert lines_of(again(lines)) == lines_of(lines)
        assert met(again(pools), again(lines)) == met(pools, lines)


@pytest.mark.parametrize("again", WAYS)
def test_selected_judgments_survive(again: Callable[[Any], Any]) -> None:
    pools = Pools.of_mapping({"1": {"a": 1}, "2": {}, "3": {"b": 0.5, "c": -2}}, "qrels").select([2, 1])
    assert bits(again(pools)) == bits(pools)


@pytest.mark.parametrize("again", WAYS)
def test_a_run_of_text_survives_with_its_errors(again: Callable[[Any], Any]) -> None:
    pools = Pools.of_mapping({"1": {"a": 1}}, "qrels")
    good = again(Lines.of_bytes(b"1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n", "run.txt"))
    assert (good.tag(), good.of("1")) == ("t", {"b": 2.0, "a": 1.0})
    bad = again(Lines.of_bytes(b"1 Q0 b 1 2 t\n1 Q0 a 2 x t\n", "r\xfcn.txt"))
    with pytest.raises(InputError, match=r"^r\xfcn\.txt:2: score 'x' is not a number"):
        judge(pools, [bad])


@pytest.mark.parametrize("again", WAYS)
def test_a_run_in_a_file_takes_its_text_along(tmp_path: Path, again: Callable[[Any], Any]) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(b"1 Q0 a 1 2 t\n")
    copied = again(Lines.of_file(os.fsencode(path), "run.txt"))
    path.unlink()
    assert copied.of("1") == {"a": 2.0}


@pytest.mark.parametrize("make", [lambda: Pools.of_mapping(SMALL, "q"), lambda: Lines.of_mapping(SMALL, "r")])
def test_a_damaged_state_is_refused_or_another_value(make: Callable[[], Any]) -> None:
    state = make().__getstate__()
    for place, item in enumerate(state):
        if not isinstance(item, bytes) or not item:
            continue
        for damaged in (item[:-1], item + item, b"\xff" * len(item)):
            fresh = type(make()).__new__(type(make()))
            try:
                fresh.__setstate__((*state[:place], damaged, *state[place + 1 :]))
            except (ValueError, RuntimeError):
                continue
            assert len(damaged) >= len(item)  # other ids or numbers in a sound structure
