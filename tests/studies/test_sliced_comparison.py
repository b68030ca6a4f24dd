"""compare by slices: each slice by itself, slices of few topics without a test, and the tests of interaction."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gradeval import Scores, compare, evaluate
from gradeval.studies.sliced_comparison import SlicedComparison
from gradeval.warning_categories import NoteWeight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUNS = [EXAMPLES / "runs" / f"{name}.txt" for name in ("elm", "oak", "cedar")]
pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(EXAMPLES / "qrels.txt", RUNS, "AP nDCG@10")


def label(topic: str) -> str:
    number = int(topic)
    return "tiny" if number < 405 else "even" if number % 2 == 0 else "odd"


def rows_of(result: Any) -> list[dict[str, Any]]:
    fields = result.to_dict()
    return [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]


@pytest.mark.parametrize("baseline", [None, "oak", ["oak", "elm"]])
def test_a_slice_of_few_topics_is_shown_without_a_test(scores: Scores, baseline: Any) -> None:
    result = compare(scores, by=label, baseline=baseline)
    assert isinstance(result, SlicedComparison)
    topics = [topic for topic in scores.topics if label(topic) == "tiny"]
    means = scores.sel(topics=topics).means()
    tiny = [row for row in rows_of(result) if row["slice"] == "tiny"]
    assert len(tiny) == 2 * len(result.whole.pairs)
    for row in tiny:
        measure = row["measure"]
        assert row["value"] == pytest.approx(means[row["run"]][measure] - means[row["other"]][measure])
        assert [row[field] for field in ("lower", "upper", "p", "corrected", "significant", "effect")] == [None] * 6
        assert row["wins"] + row["ties"] + row["losses"] == row["topics"] == len(topics) == 4
    assert "slice tiny: fewer than 5 topics; it is shown without a test" in map(str, result.notes)
    shown = [row for grid in result.table().grids for row in grid.rows if row[0] == "tiny"]
    assert shown
    assert not any("▲" in str(cell) or "▼" in str(cell) for row in shown for cell in row)


def test_the_tests_stand_below_with_their_slices(scores: Scores) -> None:
    result = compare(scores, by=label, baseline="oak")
    tests = [row for row in rows_of(result) if row["statistic"] == "interaction"]
    assert len(tests) == 2 * 2
    assert {row["slice"] for row in tests} == {"odd, even"}
    assert {(row["test"], row["correction"], row["topics"]) for row in tests} == {("welch", "holm", 26)}
    grid = result.table().grids[-1]
    assert grid.title == "does the difference depend on the slice?"
    assert sorted((row[2], row[1]) for row in grid.rows) == sorted((row["run"], row["measure"]) for row in tests)
    [note] = [note.text for note in result.notes if note.text.startswith("differences depend")]
    assert f"in {sum(row['significant'] for row in tests)} of 4 tests at 0.05" in note
    assert len(result.table(only_means=True).grids) == 1
    assert compare(scores, by=lambda _: "one").interactions == []


def test_an_interaction_is_found_where_a_lead_turns(scores: Scores) -> None:
    turned = scores.sel(runs=["elm", "oak"])
    odd = [int(topic) % 2 == 1 for topic in turned.topics]
    turned.values[:, odd] = turned.values[::-1, odd]
    result = compare(turned, by=lambda topic: "odd" if int(topic) % 2 else "even")
    assert all((one.corrected < 0.001).all() for one in result.interactions)
    assert any("in 2 of 2 tests at 0.05 (slice: AP, oak and elm, slice: nDCG@10" in note.text for note in result.notes)


def test_comparisons_with_the_best_are_not_tested_over_slices(scores: Scores) -> None:
    result = compare(scores, by=label, baseline="best", samples=100)
    assert result.interactions == []
    assert any("the best run can differ from slice to slice" in note.text for note in result.notes)
    tiny = [row for row in rows_of(result) if row["slice"] == "tiny" and row["measure"] == "AP"]
    assert max(row["value"] for row in tiny) == 0.0


def test_too_few_slices_to_test_are_noted(scores: Scores) -> None:
    result = compare(scores, by=lambda topic: "few" if int(topic) < 404 else "many")
    assert any("fewer than 2 slices have 5 topics" in note.text for note in result.notes)


def test_a_slice_where_nothing_counts_is_left_out() -> None:
    scores = evaluate(EXAMPLES / "qrels.txt", RUNS, "AP(rel=3)", empty="skip")
    vacant = [topic for topic, none in zip(scores.topics, scores.vacant[:, 0], strict=True) if none]
    result = compare(scores, by=dict.fromkeys(vacant[:3], "empty"))
    assert "empty" not in result.to_dict()["slice"]
    assert any(note.place == "slice empty" and "it is left out" in note.text for note in result.notes)


def test_slices_of_the_scores_alone_are_not_left_out_in_silence(scores: Scores) -> None:
    sliced = evaluate(EXAMPLES / "qrels.txt", RUNS, "AP nDCG@10", by=label)
    said = "all topics are studied together, as compare takes slices from by= alone; give it the labels, too"
    found = [compare(sliced), compare(scores), compare(sliced, by=label)]
    assert [said in map(str, one.notes) for one in found] == [True, False, False]
    assert found[0].to_pandas().equals(found[1].to_pandas())
    assert found[2].to_pandas().equals(compare(scores, by=label).to_pandas())


@pytest.mark.parametrize("parts", [2, 3, 6])
@pytest.mark.parametrize("runs", [["elm", "oak"], ["elm", "cedar"], ["cedar", "elm"]])
def test_only_all_topics_together_decide_and_slices_add_no_verdicts(
    scores: Scores, runs: list[str], parts: int
) -> None:
    chosen = scores.sel(runs=runs)
    result = compare(chosen, by=lambda topic: str(int(topic) % parts))
    alone = compare(chosen)
    assert alone.decision is not None
    verdicts = [str(note) for note in result.notes if re.search("Ship|Keep|Not decided", str(note))]
    assert verdicts == [alone.decision.sentence]
    answers = [note for note in result.notes if note.weight is NoteWeight.ANSWER]
    assert answers[:-1] == [note for note in alone.notes if note.weight is NoteWeight.ANSWER]
    assert not [note for note in answers if note.place]
    assert f"p values of {parts} slices are not corrected for their number" in "\n".join(map(str, result.notes))


@pytest.mark.parametrize("by", [None, lambda topic: str(int(topic) % 2)])
def test_texts_of_queries_change_nothing_but_a_note(scores: Scores, by: Any) -> None:
    queries = {topic: f"words of {topic}" for topic in scores.topics}
    plain, given = compare(scores, by=by), compare(scores, by=by, queries=queries)
    assert given.to_dict() == plain.to_dict()
    [note] = {*map(str, given.notes)} - {*map(str, plain.notes)}
    assert note == "the texts of queries do nothing here: only slices by length count their words"
