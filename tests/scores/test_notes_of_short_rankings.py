"""Who is told that rankings end before the ranks that a measure looks at, against runs of known lengths."""

from __future__ import annotations

import warnings

import pytest

from gradeval import Qrels, check, evaluate
from gradeval.warning_categories import CoverageWarning, NoteWeight

TOPICS = [f"u{number}" for number in range(8)]
QRELS = Qrels.from_dict({topic: {"d0": 1, "d7": 0} for topic in TOPICS})


def of(*lengths: int) -> dict[str, dict[str, float]]:
    """A run whose rankings have these lengths, and the last one for all other topics."""
    every = [*lengths, *[lengths[-1]] * (len(TOPICS) - len(lengths))]
    return {
        topic: {f"d{place}": -float(place) for place in range(length)}
        for topic, length in zip(TOPICS, every, strict=True)
    }


CUT = "rankings of a hold at most 10 documents, and R@20 looks at 20; others are longer"
CUT_TWICE = "rankings of a hold at most 10 documents, and R@20 and P@15 look further; others are longer"


@pytest.mark.parametrize(
    ("runs", "measures", "said", "warns"),
    [
        ({"a": of(10), "b": of(20)}, "R@20", CUT, True),
        ({"a": of(3, 10), "b": of(20)}, "R@20", CUT, True),
        ({"a": of(10), "b": of(20)}, "R@20 P@15 P@5", CUT_TWICE, True),
        ({"a": of(10), "b": of(20)}, "R@10 AP", "", False),
        ({"a": of(10), "b": of(10)}, "R@20", "all rankings hold 10 documents, and R@20 looks at 20", False),
        ({"a": of(9, 10), "b": of(10)}, "R@20", "", False),  # as long as there are documents
        ({"a": of(4, 5, 6, 7, 8), "b": of(20)}, "R@20", "", False),
    ],
)
def test_runs_that_are_cut_before_a_cutoff(
    runs: dict[str, dict[str, dict[str, float]]], measures: str, said: str, warns: bool
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        notes = [note for note in evaluate(QRELS, runs, measures).notes if " hold " in note.text]
    assert [note.text for note in notes] == [said] * bool(said)
    assert [str(one.message) for one in caught if one.category is CoverageWarning] == [said] * warns
    assert all(note.weight >= NoteWeight.MEANING for note in notes)


def test_check_remarks_a_run_that_is_cut_where_others_go_on() -> None:
    remarks = check(QRELS, {"a": of(10), "b": of(20), "c": of(4, 5, 6, 7, 8)}).remarks
    assert [one for one in remarks if " hold " in one] == [
        "a: rankings hold at most 10 documents, and other runs up to 20"
    ]
    assert [one for one in check(QRELS, {"a": of(10), "b": of(10)}).remarks if " hold " in one] == []
