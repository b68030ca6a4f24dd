"""Gains that contradict the order of grades, found by a literal loop, and thresholds of measures in advice."""

from __future__ import annotations

import warnings
from itertools import product

import pytest

from gradeval import InputError, Qrels, evaluate, parse_measure
from gradeval.warning_categories import GradesWarning, NoteWeight

STARS = {"ann": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}, "bob": {"a": 5, "b": 3, "c": 1}}
RUNS = {"one": {topic: {"a": 2.0, "b": 1.0} for topic in STARS}}


def told(measures: str, shift: float = 0) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = evaluate(Qrels.from_dict(STARS).shifted(shift), RUNS, measures).notes
    return [note.text for note in notes if note.weight >= NoteWeight.MEANING]


@pytest.mark.parametrize("named", [*product([None, 0, 1, 9], repeat=3)], ids=str)
def test_an_unnamed_grade_that_gains_more_than_a_named_higher_one(named: tuple[float | None, ...]) -> None:
    gains = {grade: gain for grade, gain in zip((3, 4, 5), named, strict=True) if gain is not None}
    contradicted = False
    for low in (1, 2, 3, 4, 5):
        for high in gains:
            if low not in gains and low < high and gains[high] < low:
                contradicted = True
    measure = str(parse_measure("nDCG")(gains=gains)) if gains else "nDCG"
    said = [text for text in told(measure) if "is not named" in text]
    assert bool(said) == contradicted
    if contradicted:
        remedy = said[0].partition("; write ")[2].partition(" if ")[0]
        assert [text for text in told(remedy) if "is not named" in text] == []
        zeros = {grade: gains.get(grade, 0) for grade in (1, 2, 3, 4, 5)}
        assert parse_measure(remedy) == parse_measure("nDCG")(gains=zeros)


def test_the_warning_of_gains_says_what_to_write() -> None:
    with pytest.warns(GradesWarning, match="is not named") as caught:
        evaluate(STARS, RUNS, "nDCG(gains={4:1,5:1})@10")
    assert [str(one.message) for one in caught if "named" in str(one.message)] == [
        "by nDCG(gains={4:1,5:1})@10 grade 3 is not named and gains 3, more than 1 for grade 5; write "
        "nDCG(gains={1:0,2:0,3:0,4:1,5:1})@10 if it shall gain nothing"
    ]


def test_advice_to_shift_names_the_new_thresholds() -> None:
    advice = (
        "; write AP(rel=3), or Qrels.from_dict(QRELS).shifted(-1), with R(rel=3)@20 and RR(rel=2) for "
        "R(rel=4)@20 and RR(rel=3), if 1 means not relevant"
    )
    assert any(text.endswith(advice) for text in told("AP R(rel=4)@20 RR(rel=3)"))
    assert told("nDCG R(rel=4)@20 P(rel=4)@5 RR(rel=3)", -1) == [
        "R(rel=4)@20 and P(rel=4)@5 count grades from 4 after shift -1, so from 5 in the file; for 4 in the file write "
        "R(rel=3)@20 and P(rel=3)@5",
        "RR(rel=3) counts grades from 3 after shift -1, so from 4 in the file; for 3 in the file write RR(rel=2)",
    ]


@pytest.mark.parametrize("name", ["nDCG", "DCG", "CG", "NDCNG"])
def test_a_threshold_of_graded_measures_is_written_as_gains_of_all_grades(name: str) -> None:
    with pytest.raises(InputError, match="has no parameter 'rel'") as error:
        parse_measure(f"{name}(rel=4)@10")
    written = str(error.value).rpartition(" or ")[2]
    assert written == f"{name}(gains={{1:0,2:0,3:0,4:1,5:1}})@10"
    assert "--recode 1=0,2=0,3=0,4=1,5=1" in str(error.value)
    recoded = Qrels.from_dict({"ann": {"a": 0, "b": 0, "c": 0, "d": 1, "e": 1}, "bob": {"a": 1, "b": 0, "c": 0}})
    by_gains, by_grades = (
        evaluate(qrels, RUNS, one).values for qrels, one in ((STARS, written), (recoded, f"{name}@10"))
    )
    assert by_gains.tolist() == by_grades.tolist()
