from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from gradeval import InputError, Qrels, adm


def example(golden: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [one for one in golden["examples"] if one["name"].startswith(name)]
    return found


def test_average_distance_worked_example(golden: dict[str, Any]) -> None:
    case = example(golden, "ADM")
    scores = {document: float(Fraction(estimate)) for document, estimate in case["sre"].items()}
    judgments = {"1": {document: int(10 * Fraction(estimate)) for document, estimate in case["ure"].items()}}
    # documents a, b, c (not retrieved), d: 1 - (|.9 - 1| + |.5 - 0| + |0 - .5| + |.2 - .4|) / 4
    value = adm(judgments, {"1": scores})["1"]
    assert value == pytest.approx(1 - (0.1 + 0.5 + 0.5 + 0.2) / 4)
    assert value == pytest.approx(case["expected"]["value"], abs=1e-12)


def test_average_distance_takes_scores_from_0_to_1_or_stretches_them() -> None:
    judgments = {"1": {"a": 2, "b": 0, "c": 1}}
    run = {"1": {"a": 12.0, "b": 4.0, "c": 8.0, "z": 0.0}}
    with pytest.raises(InputError, match=r"score 12 of document a \(topic 1\) does not lie in \[0, 1\].*minmax"):
        adm(judgments, run)
    # stretched over all retrieved documents, judged or not: 1, 1/3, 2/3
    assert adm(judgments, run, scaling="minmax")["1"] == pytest.approx(1 - (0 + 1 / 3 + (2 / 3 - 1 / 2)) / 3)
    assert adm(judgments, {"1": {"a": 7.0, "b": 7.0}}, scaling="minmax")["1"] == pytest.approx(1 - (0 + 1 + 1 / 2) / 3)
    with pytest.raises(InputError, match="scaling='rank' is not 'none' or 'minmax'"):
        adm(judgments, run, scaling="rank")


def test_average_distance_changes_with_the_scores_though_the_ranking_stays() -> None:
    judgments = {"1": {"a": 1, "b": 0}}
    assert adm(judgments, {"1": {"a": 0.9, "b": 0.1}})["1"] == pytest.approx(0.9)
    assert adm(judgments, {"1": {"a": 0.2, "b": 0.1}})["1"] == pytest.approx(1 - (0.8 + 0.1) / 2)


def test_average_distance_reads_grades_on_the_scale_of_the_collection() -> None:
    qrels = Qrels.from_dict({"1": {"a": 1, "b": -2}, "2": {"a": 2}})
    values = adm(qrels.with_levels([0, 1, 2, 4]), {"1": {"a": 0.25}})
    assert list(values.items()) == [("1", 1.0), ("2", 0.5)]  # topic 2 is missed: every estimate is 0


def test_average_distance_takes_grades_from_0_to_1_as_they_are() -> None:
    user = {"1": {"d1": 0.8, "d2": 0.4, "d3": 0.1}}
    assert adm(user, user)["1"] == 1.0
    assert adm(user, {"1": {"d1": 0.9, "d2": 0.5, "d3": 0.2}})["1"] == pytest.approx(0.9)
    # a declared level above 1 makes it a scale of its own
    assert adm(Qrels.from_dict(user).with_levels([0, 0.1, 0.4, 0.8, 2]), {"1": {}})["1"] == pytest.approx(
        1 - (0.8 + 0.4 + 0.1) / 2 / 3
    )
