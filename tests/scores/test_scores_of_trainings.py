"""Scores of trained rankers say so wherever they are kept, and studies warn that trainings vary, too."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import Scores, compare, gate, ranks, read_scores, scores_from_frame
from gradeval.formula.spelling import parse_measure
from gradeval.warning_categories import SignificanceWarning


def trained(seeds: int) -> Scores:
    values = np.random.default_rng(5).random((2, 30, 1))
    return Scores(
        values=values,
        present=np.ones((2, 30), bool),
        vacant=np.zeros((30, 1), bool),
        runs=["lambdarank:GAP", "lightgbm:lambdarank"],
        topics=[f"q{number}" for number in range(30)],
        measures=[parse_measure("GAP")],
        seeds=seeds,
    )


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("seeds", [0, 1, 3])
def test_files_say_how_many_seeds_there_were(tmp_path: Path, ending: str, seeds: int) -> None:
    place = tmp_path / f"scores.{ending}"
    trained(seeds).save(place)
    assert read_scores(place).seeds == seeds


def test_frames_say_how_many_seeds_there_were() -> None:
    assert scores_from_frame(trained(3).to_frame()).seeds == 3
    assert scores_from_frame(trained(3).to_pandas()).seeds == 3
    assert trained(3).sel(runs="lambdarank:GAP").seeds == 3
    assert replace(trained(3), missing="skip").seeds == 3


def test_parts_keep_the_seeds() -> None:
    scores = trained(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they do not say which judgments made them
        joined = Scores.concat([scores.sel(runs=run) for run in scores.runs])
    assert joined.seeds == 3


@pytest.mark.parametrize(
    ("study", "name"),
    [
        (lambda scores: compare(scores, baseline="lightgbm:lambdarank"), "compare"),
        (ranks, "ranks"),
        (lambda scores: gate(*(scores.sel(runs=run) for run in reversed(scores.runs))), "gate"),
    ],
)
def test_studies_warn_that_trainings_vary(study: Any, name: str) -> None:
    with pytest.warns(SignificanceWarning, match=f"with 3 seeds; {name} does not count how trainings vary: 'crossval'"):
        study(trained(3))


def test_other_scores_are_no_trainings(tmp_path: Path) -> None:
    assert not [note for note in compare(trained(0)).notes if "trainings" in str(note)]
    place = tmp_path / "scores.csv"
    place.write_text("run,topic,measure,value,seeds\na,1,AP,.5,12-14\nb,1,AP,.25,none\n")
    assert read_scores(place).seeds == 0
