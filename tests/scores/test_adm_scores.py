from __future__ import annotations

import pytest

from gradeval import InputError, Qrels, Run, adm
from gradeval.scores.adm_scores import score_distances

QRELS = {"1": {"a": 2, "b": 0}, "2": {"a": 1, "c": 2}}
NEAR, FAR = {"1": {"a": 1.0}, "2": {"a": 0.5, "c": 0.75}}, {"1": {"b": 1.0}}


def test_scores_are_the_values_of_each_run_and_topic() -> None:
    runs = [Run.from_dict(NEAR, name="near"), Run.from_dict(FAR, name="far")]
    scores = score_distances(Qrels.from_dict(QRELS), runs)
    assert scores.of("ADM").tolist() == [list(adm(QRELS, run).values()) for run in (NEAR, FAR)]
    assert scores["near", "ADM"] == pytest.approx((1 + (1 - (0 + 0.25) / 2)) / 2)
    assert scores.present.tolist() == [[True, True], [True, False]]
    assert [note.text for note in scores.notes][1:] == ["far misses 1 topic: there every score counts as 0"]


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two runs are called 'near'"):
        score_distances(Qrels.from_dict(QRELS), [Run.from_dict(NEAR, name="near")] * 2)
