"""Verdicts, and the tables that show them, against the means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from score_tables import scores_of

from gradeval.scores.scores import Scores
from gradeval.studies.compare import compare
from gradeval.tables.records import values_of


def ordered() -> Scores:
    """A is better than B on every topic, B than C by the same amount; D differs from B by chance."""
    base = np.random.default_rng(2).uniform(0.3, 0.5, 20)
    noise = np.random.default_rng(3).normal(0, 0.01, (2, 20))
    return scores_of([base + 0.2 + noise[0], base, base - 0.25, base + noise[1]])


def test_a_verdict_is_about_the_first_run_of_the_pair() -> None:
    against_b, against_a = (compare(ordered(), baseline=baseline) for baseline in "BA")
    assert [against_b.verdict(0, pair) for pair in range(3)] == ["better", "worse", "not told apart"]  # A, C, D
    assert against_a.verdict(0, 0) == "worse"  # B, the same pair the other way round
    pairs = compare(ordered())
    assert {pairs.verdict(0, pair) for pair, (first, _) in enumerate(pairs.pairs) if first == 0} == {"better"}


@pytest.mark.parametrize(
    ("options", "said", "foot"),
    [
        (
            {"baseline": "B"},
            "better and worse than B (two-sided paired t test, Holm's correction for 3 pairs, level 0.05)",
            "▲ better, ▼ worse than B: t test, Holm's correction, level 0.05; 95% intervals of each pair by itself",
        ),
        (
            {"test": "permutation", "samples": 400, "correction": "bh", "alpha": 0.1},
            "(two-sided paired permutation test with 400 samples, the correction of Benjamini and Hochberg for "
            "6 pairs, level 0.1)",
            "beats/loses to, ▲ better, ▼ worse: permutation test with 400 samples, the correction of Benjamini and "
            "Hochberg, level 0.1; 90% intervals of each pair by itself",
        ),
        (
            {"test": "tukey-hsd", "samples": 100},
            "(two-sided paired tukey-hsd test with 100 samples, level 0.05)",
            "beats/loses to, ▲ better, ▼ worse: tukey-hsd test with 100 samples, level 0.05; 95% intervals",
        ),
        (
            {"baseline": "best", "samples": 300},
            "▼: not the best run (300 draws of the signs of the topics, corrected for all runs, level 0.05)",
            "▼ not the best run: 300 draws of the signs of the topics, corrected for all runs, level 0.05; "
            "95% intervals",
        ),
    ],
)
def test_captions_and_one_line_on_the_screen_name_the_test(options: dict[str, Any], said: str, foot: str) -> None:
    compared = compare(ordered(), **options)
    means, differences = compared.table().grids
    assert means.foot == f"{foot}; effect: mean difference over its standard deviation"
    assert (
        "beats/loses to: how many runs are significantly worse and better (" in (means.caption or "")
    ) == foot.startswith("beats")
    assert compared.table(only_means=True).grids[0].foot == foot.rpartition(";")[0].replace(", ▲ better, ▼ worse", "")
    for grid in (means, differences):
        assert said in (grid.caption or "")
        assert "over 20 topics" in (grid.caption or "")
    assert f"{100 * (1 - options.get('alpha', 0.05)):g}% confidence intervals" in (differences.caption or "")
    against = f"{options['baseline']}-" if "baseline" in options else ""
    assert [means.label, differences.label] == [f"tab:compare-{against}AP", f"tab:differences-{against}AP"]
    assert "effect: mean difference over its standard deviation (Cohen's d for pairs); won/tied/lost: topics." in str(
        differences.caption
    )
    named = compared.table(label="tab:mine").grids
    assert [grid.label for grid in named] == ["tab:mine", "tab:mine-AP"]
    assert [grid.label for grid in compared.table(label="").grids] == ["", ""]


def test_intervals_of_one_pair_are_not_said_to_be_of_each() -> None:
    for columns in ([0, 1], [0, 1, 2]):
        compared = compare(scores_of(ordered().values[columns, :, 0]), baseline="B")
        for text in (compared.table().grids[0].foot, compared.table().grids[1].caption):
            assert ("intervals of each pair by itself; " in str(text)) == (len(columns) > 2)


def test_each_table_of_several_baselines_names_its_own() -> None:
    first, second, _ = compare(ordered(), baseline=["A", "B"]).table().grids
    assert ["than A (" in (grid.caption or "") for grid in (first, second)] == [True, False]
    assert ["than B (" in (grid.caption or "") for grid in (first, second)] == [False, True]


def test_captions_and_labels_that_are_left_out_are_left_out_of_all_tables() -> None:
    grids = compare(ordered(), baseline="B").table(caption="", label="").grids
    assert [(grid.caption, grid.label) for grid in grids] == [("", "")] * 2
    own, *_ = compare(ordered(), baseline="B").table(caption="Ours").grids
    assert own.caption == (
        "Ours. ▲, ▼: better and worse than B (two-sided paired t test, Holm's correction for 3 pairs, level 0.05); "
        "bold: best of its column."
    )


def test_records_of_means_alone_are_the_means() -> None:
    scores = ordered()
    records = compare(scores, baseline="B").table(only_means=True).records
    rows = list(zip(*map(values_of, records.fields.values()), strict=True))
    assert [*records.fields] == ["run", "measure", "statistic", "value", "topics"]
    assert rows == [
        (run, str(measure), "mean", float(scores.mean()[at, column]), len(scores.topics))
        for at, run in enumerate(scores.runs)
        for column, measure in enumerate(scores.measures)
    ]
