from __future__ import annotations

from pathlib import Path

import pytest

from gradeval import InputError, read_scores
from gradeval.scores.decimal_commas import with_points

TEXTS = [
    "run,topic,measure,value\nelm,1,AP,0.25\nelm,2,AP,5e-05\noak,1,AP,1\noak,2,AP,0\n",
    "run,topic,AP,nDCG@10\nelm,1,0.25,0.5\nelm,2,0.5,0.75\noak,1,0,1\noak,2,0.125,0.5\n",
    "topic,elm,oak\n1,0.5,0.25\n2,0.125,0.75\n",
    "model,NQ,FiQA\nelm,0.5,0.75\noak,0.25,0.5\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_semicolons_and_decimal_commas_are_read_as_commas_and_points(tmp_path: Path, text: str) -> None:
    place = tmp_path / "scores.csv"
    place.write_text(text, encoding="utf-8")
    expected = read_scores(place)
    place.write_text(text.replace(",", ";").replace(".", ","), encoding="utf-8")
    found = read_scores(place)
    assert (found.runs, found.topics, found.measures) == (expected.runs, expected.topics, expected.measures)
    assert found.values.tolist() == expected.values.tolist()


def test_points_and_commas_in_one_column_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "scores.csv"
    place.write_text("run;topic;measure;value\nelm;1;AP;0,5\nelm;2;AP;0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="value '0,5' is not a finite number"):
        read_scores(place)


def test_levels_and_text_keep_their_commas() -> None:
    rows = [("1", ["levels", "run", "value"]), ("2", ["0,1", "a,b", "0,5"]), ("3", ["0,1", "c", "1"])]
    assert with_points(rows, ["levels"])[1:] == [("2", ["0,1", "a,b", "0.5"]), ("3", ["0,1", "c", "1"])]
