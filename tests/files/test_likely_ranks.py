"""Columns that look like ranks: what an error offers for them, and what is said where they are named as scores."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from math import factorial, prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gradeval import InputError, evaluate, read_run, run_from_frame
from gradeval.files.accepted import as_runs
from gradeval.files.likely_ranks import look_like_ranks, rise_down, rows_look_like_ranks, rows_rise_down
from gradeval.warning_categories import RanksWarning

WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "semicolons": lambda frame, path: frame.to_csv(path, index=False, sep=";"),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "json": lambda frame, path: frame.to_json(path, orient="records"),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
}
RANKED = pd.DataFrame(
    [("b", "d2", 2), ("a", "d1", 1), ("a", "d4", 3), ("b", "d1", 1), ("a", "d3", 2)], columns=["query", "url", "Platz"]
)
"""Ranks of two topics, in no order."""
VALUES: dict[str, tuple[list[float], bool]] = {
    "any order": ([2, 1, 3, 1, 2], True),
    "from 0": ([1, 0, 2, 0, 1], False),
    "a gap": ([2, 1, 4, 1, 2], False),
    "twice": ([1, 1, 3, 1, 2], False),
    "no whole numbers": ([2, 1, 2.5, 1, 2], False),
    "over all topics": ([4, 1, 3, 5, 2], False),
}


def said_of(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_run(path)
    return str(caught.value)


def warned(read: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        read()
    assert all(one.category is RanksWarning for one in found)
    return [str(one.message) for one in found]


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("name", ["Platz", "pos."])
@pytest.mark.parametrize("values", VALUES)
def test_what_looks_like_ranks_is_offered_as_such_and_asked_about_as_scores(
    form: str, name: str, values: str, tmp_path: Path
) -> None:
    given, ranks = VALUES[values]
    path = tmp_path / "run"
    WRITERS[form](RANKED.assign(Platz=given).rename(columns={"Platz": name}), path)
    first, second = ("rank", "score") if ranks else ("score", "rank")
    error = said_of(path)
    assert f"name it: columns:{first}={name}:FILE, for all files --columns {first}={name}, or" in error
    assert f": {second}={name}" in error
    assert ("; or keep topics and documents alone" in error) != ranks
    assert (f"{name!r} holds 1 to n in each topic" in error) == ranks
    question = f"{path}: the scores in {name!r} are 1 to n in each topic, like ranks; did you mean rank={name}?"
    assert warned(lambda: read_run(path, columns={"score": name})) == [question] * ranks
    assert not warned(lambda: read_run(path, columns={"rank": name}))


@pytest.mark.parametrize("form", WRITERS)
def test_among_several_unknown_columns_the_one_with_ranks_is_offered(form: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    WRITERS[form](RANKED.assign(price=3.5, title="a b")[["query", "url", "price", "Platz", "title"]], path)
    assert "name it: columns:rank=Platz:FILE, for all files" in said_of(path)


def test_frames_are_told_the_parameter() -> None:
    with pytest.raises(InputError, match=r"'Platz' holds 1 to n .*: rank='Platz', or call the column rank; name the"):
        run_from_frame(RANKED)
    question = "run: the scores in 'Platz' are 1 to n in each topic, like ranks; did you mean rank=Platz?"
    assert warned(lambda: run_from_frame(RANKED, score="Platz")) == [question]
    assert not warned(lambda: run_from_frame(RANKED, rank="Platz"))
    assert not warned(lambda: run_from_frame(RANKED.assign(rank=[1, 3, 1, 2, 2]), score="Platz"))


@pytest.mark.parametrize("seed", range(20))
def test_rows_and_topics_are_judged_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 3, 7)
    values = np.empty(7)
    for topic in set(topics.tolist()):
        values[topics == topic] = 1 + rng.permutation((topics == topic).sum())
    values[rng.integers(7)] += rng.integers(2)
    by_topic = [values[topics == topic].tolist() for topic in set(topics.tolist())]
    assert rows_look_like_ranks(topics, values) == look_like_ranks(by_topic)


DISTANCES = pd.DataFrame(
    [(f"q{topic}", f"d{(7 * place + topic) % 5}", 0.5 + topic + place / 4) for place in range(4) for topic in range(3)],
    columns=["query", "doc", "score"],
)
"""Three topics of four documents, the first of each on top, and the least score."""


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("by_topic", [False, True])
def test_scores_that_rise_down_all_topics_are_asked_about(form: str, by_topic: bool, tmp_path: Path) -> None:
    frame = DISTANCES.sort_values("query", kind="stable") if by_topic else DISTANCES
    path = tmp_path / "run"
    WRITERS[form](frame, path)
    question = f"{path}: the scores in 'score' rise down the rows of every topic, as distances do; did you mean "
    assert warned(lambda: read_run(path)) == [f"{question}--columns rank=score?"]
    assert not warned(lambda: read_run(path, columns="rank=score"))
    for other in (frame[::-1], frame.assign(score=1.0), frame.assign(score=[*frame.score[:-1], 0])):
        WRITERS[form](other, path)
        assert not warned(lambda: read_run(path))


def test_frames_with_scores_that_rise_are_asked_about() -> None:
    assert [text.partition("; ")[2] for text in warned(lambda: run_from_frame(DISTANCES))] == [
        "did you mean rank=score?"
    ]
    assert not warned(lambda: run_from_frame(DISTANCES, rank="score"))


def test_two_topics_that_may_rise_by_chance_say_nothing() -> None:
    assert not warned(lambda: run_from_frame(DISTANCES[DISTANCES["query"] < "q2"][:6]))


@pytest.mark.parametrize("seed", range(20))
def test_rows_and_topics_rise_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 3, 15)
    values = rng.integers(0, 6, 15).cumsum().astype(float)
    values[rng.integers(15)] -= rng.integers(2) * 4
    by_topic = [values[topics == topic].tolist() for topic in set(topics.tolist())]
    assert rows_rise_down(topics, values) == rise_down(by_topic)
    assert rows_rise_down(topics, values) == (
        all(sorted(one) == one for one in by_topic) and prod(factorial(len({*one})) for one in by_topic) > 1000
    )


@pytest.mark.parametrize(
    ("numbers", "said"),
    [([1, 2, 3], True), ([3, 1, 2], True), ([0.5, 2, 3], False), ([1, 2, 4], False), ([1, 2], False)],
)
def test_numbers_of_documents_in_a_record_may_be_ranks(numbers: list[float], said: bool, tmp_path: Path) -> None:
    documents = {f"d{place}": number for place, number in enumerate(numbers)}
    (tmp_path / "x.jsonl").write_text(json.dumps({"query": "q", "retrieved": documents}))
    found = warned(lambda: read_run(tmp_path / "x.jsonl"))
    assert ["like ranks; for ranks write lists, the best document first" in text for text in found] == [True] * said
    hits = [{"id": name, "score": documents[name]} for name in sorted(documents, key=lambda name: -documents[name])]
    (tmp_path / "x.jsonl").write_text(json.dumps({"query": "q", "retrieved": hits}))
    assert warned(lambda: read_run(tmp_path / "x.jsonl")) == []  # their order says that they are scores


MAPPED = {
    "rank order": (
        [1, 2, 3],
        "are 1 to n in each topic, like ranks; for ranks write lists, the best document first: {topic",
    ),
    "any order": ([2, 1, 3], "are 1 to n in each topic, like ranks"),
    "scores": ([3, 2, 1], ""),
    "a tie": ([1, 1, 2], ""),
    "distances": ([0.25, 0.5, 0.75, 1, 2, 3, 4, 5], "rise down the documents of every topic, as distances do"),
    "few distances": ([0.25, 0.5], ""),
    "text": (["1", "2", "x"], ""),
}


@pytest.mark.parametrize("name", MAPPED)
@pytest.mark.parametrize("form", ["json", "dict", "named"])
def test_numbers_by_document_may_be_ranks_or_distances(form: str, name: str, tmp_path: Path) -> None:
    numbers, said = MAPPED[name]
    run = {f"q{topic}": {f"d{place}": number for place, number in enumerate(numbers)} for topic in (1, 2)}
    (tmp_path / "run.json").write_text(json.dumps(run))
    given = {"json": str(tmp_path / "run.json"), "dict": run, "named": {"mine": run}}[form]
    judged = {"q1": {"d0": 1}, "q2": {"d0": 1}}
    if name == "text":
        with pytest.raises(InputError, match="score 'x' is not a finite number"):
            evaluate(judged, given, "AP")
        return
    found = warned(lambda: as_runs(given))
    assert [said in text for text in found] == [True] * bool(said)
