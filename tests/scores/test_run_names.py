from __future__ import annotations

import pytest

from gradeval.scores.run_names import drop_endings, find_run


@pytest.mark.parametrize(
    ("runs", "short"),
    [
        (["vA.csv", "vB.csv"], ["vA", "vB"]),
        (["vA.csv.gz", "bm25.v2", "x.JSONL"], ["vA", "bm25.v2", "x"]),
        (["a.csv", "a.tsv", "b.csv"], ["a.csv", "a.tsv", "b"]),
        (["a.csv", "a"], ["a.csv", "a"]),
        ([".csv", "txt"], [".csv", "txt"]),
    ],
)
def test_endings_are_dropped_where_names_stay_different(runs: list[str], short: list[str]) -> None:
    assert drop_endings(runs) == short


@pytest.mark.parametrize(
    ("name", "run"),
    [("a", None), ("a.csv", "a.csv"), ("b", "b.csv.gz"), ("b.csv", "b.csv.gz"), ("c.txt", "c"), ("bm25", None)],
)
def test_a_run_is_found_without_its_ending_where_only_one_is_meant(name: str, run: str | None) -> None:
    assert find_run(name, ["a.csv", "a.tsv", "b.csv.gz", "c", "bm25.v2"]) == run
