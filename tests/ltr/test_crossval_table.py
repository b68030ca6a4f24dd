"""The table of a cross-validation: means with the marks that ``compare`` gives them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from graded_features import graded_features

from gradeval.ltr import CrossValidation, TreeRanker, crossval
from gradeval.studies.compare import compare
from gradeval.tables.records import values_of
from gradeval.tables.table import Table

pytest.importorskip("lightgbm")

PARTS = [graded_features(8, seed=seed, prefix=f"p{seed}-") for seed in range(4)]
OBJECTIVES = ["lambdarank:AP", "lambdarank:GAP(g=[0.5,0.5])"]
MEASURES = "nDCG@5 AP"


def run(objectives: list[str] = OBJECTIVES, **changes: Any) -> CrossValidation:
    settings: dict[str, Any] = {"epochs": 12, "patience": 4, "min_rows": 3, "learning_rate": 0.2, **changes}
    return crossval(PARTS, objectives, MEASURES, TreeRanker, **settings)


@pytest.fixture(scope="module")
def result() -> CrossValidation:
    return run(seeds=2)


def test_it_shows_means_with_intervals_and_names_its_training(result: CrossValidation) -> None:
    head, _, *rows = str(result).splitlines()
    assert head.split()[:2] == ["trained", "for"]
    for row, name, means in zip(rows[:2], OBJECTIVES, result.scores.mean(), strict=True):
        assert row.split()[0] == name
        assert f"{means[0]:.4f}" in row
    assert set(result.table(baseline=OBJECTIVES[0]).records.fields["baseline"]) == {None, OBJECTIVES[0]}
    assert str(result.trainings[0]).splitlines()[0].split()[:4] == ["objective", "ranker", "epochs", "kept"]


@pytest.fixture(scope="module")
def single() -> CrossValidation:
    """The same with one seed."""
    return run()


def lines_of(table: Table) -> list[dict[str, Any]]:
    fields = table.records.fields
    return [dict(zip(fields, line, strict=True)) for line in zip(*map(values_of, fields.values()), strict=True)]


def test_all_are_compared_with_the_best_whichever_that_is(single: CrossValidation) -> None:
    lines, scores = lines_of(single.table()), single.scores
    for measure in MEASURES.split():
        expected = compare(scores.sel(measures=[measure]), baseline="best")
        by_run = {line["run"]: line for line in lines if line["measure"] == measure}
        for pair, (first, _) in enumerate(expected.pairs.tolist()):
            line = by_run[scores.runs[first]]
            found = [line[name] for name in ("baseline", "correction", "difference", "p", "corrected")]
            values = (expected.difference, expected.p, expected.corrected)
            assert found == ["best", "best", *(value[0, pair] for value in values)]
    assert {(line["folds"], line["seeds"], line["topics"], line["ranker"]) for line in lines} == {(4, 1, 32, "tree")}


def test_a_baseline_and_a_level_may_be_chosen(single: CrossValidation) -> None:
    table = single.table(baseline=OBJECTIVES[0], alpha=0.5)
    expected = compare(single.scores, baseline=OBJECTIVES[0], alpha=0.5)
    marked = [line["significant"] for line in lines_of(table) if line["run"] != OBJECTIVES[0]]
    assert marked == expected.significant.T.ravel().tolist()
    better = int((expected.significant & (expected.difference > 0)).sum())
    worse = int((expected.significant & (expected.difference < 0)).sum())
    marks = str(table).count("▲"), str(table).count("▼")
    assert marks == (2 * better + 1, 2 * worse + 1)  # means, differences, and the foot
    foot = f"▲ better, ▼ worse than {OBJECTIVES[0]}: t test, Holm's correction, level 0.5"
    assert f"{foot}\n" in str(table)
    assert foot in (table.grids[0].caption or "")
    for measure, grid in enumerate(table.grids[1:]):
        assert [grid.title, *(column.title for column in grid.columns)][:6] == [
            MEASURES.split()[measure],
            *("trained for", "difference", "interval", "p", "p (holm)"),
        ]
        shown = {str(row[0]): row for row in grid.rows}
        for pair, (first, _) in enumerate(expected.pairs.tolist()):
            row = shown[single.objectives[first]]
            assert row[1].value == expected.difference[measure, pair]
            assert row[2] == tuple(expected.interval[measure, pair].tolist())
            assert row[3:5] == [f"{one[measure, pair]:.4f}" for one in (expected.p, expected.corrected)]
    assert len(table.grids) == 1 + len(MEASURES.split())
    assert len(single.table().grids) == 1  # no baseline was named
    low, high = single.scores.ci(alpha=0.5)[0, 0]
    assert f"[{low:.4f}, {high:.4f}]" in str(table)


def test_notes_say_what_was_picked_after_looking_and_how_many_seeds_there_were(
    result: CrossValidation, single: CrossValidation
) -> None:
    (several,) = [str(note) for note in result.notes if "picked after looking" in str(note)]
    assert "▼: not the best, as another objective is as good or better" in several
    assert "0.05 for all marks by a measure" in several
    (of_one_seed,) = [str(note) for note in single.notes if "picked after looking" in str(note)]
    assert "0.05 for all marks of these trained rankers by a measure" in of_one_seed
    assert any("as 2 seeds and 4 folds show" in str(note) for note in result.notes)
    assert [str(note) for note in result.notes] == result.table().notes
    one = run(baseline=OBJECTIVES[1])
    assert any(f"against {OBJECTIVES[1]}; Holm's correction over " in str(note) for note in one.notes)
    assert any("these trained rankers only" in str(note) for note in one.notes)
    assert not any("picked after looking" in str(note) for note in one.notes)
    assert not any("marks" in str(note) for note in run(objectives=OBJECTIVES[:1]).notes)


def test_tied_test_documents_are_counted_by_objective(result: CrossValidation) -> None:
    tied = 0
    for scores in result.predictions[0]:
        for begin, end in zip(result.features.offsets, result.features.offsets[1:], strict=False):
            here = scores[begin:end].tolist()
            tied += sum(here.count(score) > 1 for score in here)
    assert result.tied_share()[0] == tied / result.predictions[0].size


def test_topics_without_anything_relevant_are_counted_and_may_be_left_out() -> None:
    tops = [max(part.grades[a:b]) for part in PARTS for a, b in pairwise(part.offsets)]
    none = tops.count(0)
    assert 0 < none < len(tops) == 32
    for empty, over, what in (("zero", 32, "they count 0"), ("skip", 32 - none, "they are left out")):
        said = f"{none} of 32 topics hold nothing to be found for nDCG@5, AP; {what}"
        found = run(epochs=2, empty=empty)
        assert found.notes[0].text.startswith(said)
        assert found.table().notes[0].startswith(said)
        assert {*found.table().records.fields["topics"]} == {over}
        assert f"Means over {over} topics" in (found.table().grids[0].caption or "")
