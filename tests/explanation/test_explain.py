"""explain() and help(): the formula of a measure, in Python."""

from __future__ import annotations

import pydoc
import re
from typing import Any

import pytest
from click.testing import CliRunner

import gradeval
from gradeval import AP, GAP, InputError, JudgedRankings, explain, nDCG
from gradeval.cli import main
from gradeval.explanation.explain import Explanation


def test_the_last_line_of_the_example_is_the_value_of_its_ranking() -> None:
    value = AP(JudgedRankings.of([2, 0, None, 3, 1, 0, 1], pool=[3, 3, 2, 2]))[0]
    assert explain(AP).example[-1] == f"  AP = {value:.4f}"
    assert explain(AP) == explain("map")


def test_an_explanation_shows_formula_parameters_and_example() -> None:
    text = str(explain("GAP(g=[0.1,0.9])"))
    assert text.startswith("GAP(g=[0.1,0.9])\n\nGraded average precision")
    assert "here [0.1,0.9]" in text
    assert explain("GAP")._repr_html_().startswith("<pre>GAP\n")
    assert "sum_{m&lt;=n}" in explain("GAP")._repr_html_()


def test_an_unknown_measure_is_an_input_error() -> None:
    with pytest.raises(InputError, match="did you mean nDCG"):
        explain("nDGC")


@pytest.mark.parametrize("measure", [GAP, nDCG @ 10])
def test_help_shows_the_formula(measure: gradeval.Measure) -> None:
    assert str(measure.definition.formula.__doc__).split("\n")[0] in pydoc.render_doc(measure)
    assert "1/Z" in pydoc.render_doc(GAP)


def test_a_ranking_of_ones_own_is_worked_out_rank_by_rank() -> None:
    explained = explain("GAP(g=[0.2,0.8])", grades=[2, 0, 1, None, 2], pool=[9, 4, 3])
    assert isinstance(explained, Explanation)
    # E[rel] of the pool: 4 of 0.2 and 3 of 1; pivots at ranks 1, 3 and 5
    value = (1 / 1 + (0.2 + 0.2) / 3 + (1 + 0.2 + 1) / 5) / (4 * 0.2 + 3 * 1)
    lines = str(explained).splitlines()
    assert lines[-1] == f"  GAP(g=[0.2,0.8]) = {value:.4f}"
    assert lines[0] == "Example: GAP(g=[0.2,0.8]) of a ranking of 5 documents"
    assert [line.split()[1] for line in lines[4:9]] == ["2", "0", "1", "unjudged", "2"]
    assert "  The pool holds, of the grades 0,1,2: 9, 4, 3 documents." in lines


def test_the_random_experiment_is_made_on_a_ranking_of_ones_own() -> None:
    explained = explain("AP", grades=[0, 1, 1, 0, 0, 0, 1, 0, 0, 1], pool=[6, 10], experiment=4000)
    assert isinstance(explained, Explanation)
    assert explained.acted is not None
    assert explained.acted.exact == pytest.approx((1 / 2 + 2 / 3 + 3 / 7 + 4 / 10) / 10)
    assert abs(explained.acted.estimate.value - explained.acted.exact) < 5 * explained.acted.estimate.error


@pytest.mark.parametrize(
    ("measure", "options", "said"),
    [
        ("AP", {"grades": []}, "grades is empty"),
        ("AP", {"grades": [1, -2]}, "grades=-2 is not a number from 0"),
        ("AP", {"grades": [1, 1], "pool": [3, 1]}, "the ranking holds 2 documents of grade 1, the pool only 1"),
        ("AP", {"grades": [1, 3], "pool": [1, 1, 1]}, "pool has 3 counts for the 4 levels 0,1,2,3"),
        ("AP", {"pool": [1, 1]}, "give its grades="),
        ("kappa", {"grades": [1]}, "kappa is a statistic of judges"),
        ("GAP(g=[0.5,0.5])", {"grades": [3]}, "g has 2 probabilities, the collection has 3 positive levels"),
    ],
)
def test_a_ranking_that_does_not_fit_is_refused_in_a_line(measure: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as error:
        explain(measure, **options)
    assert "\n" not in str(error.value)


def test_the_command_takes_grades_as_they_are_typed() -> None:
    done = CliRunner().invoke(main, ["explain", "nDCG", "--grades", "3,0,2,-,1", "--pool", "2,1,1,1"])
    assert done.stdout == f"{explain('nDCG', grades=[3, 0, 2, None, 1], pool=[2, 1, 1, 1])}\n"
    for words, said in ((["--grades", "0,x"], "'x' is not a grade"), (["--pool", "1,1"], "--pool needs --grades")):
        refused = CliRunner().invoke(main, ["explain", "AP", *words])
        assert refused.exit_code == 2
        assert said in refused.stderr


@pytest.mark.parametrize(
    ("measure", "steps"),
    [
        ("GAP", [1 / (7 / 3), (2 / 3 + 2 / 3) / 3 / (7 / 3), (1 / 3 + 1 / 3 + 1 / 3) / 5 / (7 / 3)]),  # g = 1/3 each
        ("Q", [(1 + 3) / (1 + 3) / 4, (2 + 5) / (3 + 6) / 4, (3 + 6) / (5 + 7) / 4]),
    ],
)
def test_the_steps_of_a_list_of_ones_own_by_hand(measure: str, steps: list[float]) -> None:
    words = ["explain", measure, "--grades", "3,0,2,-,1", "--pool", "2,2,1,1"]
    lines = CliRunner().invoke(main, words).stdout.splitlines()
    changes = [line.split()[-1] for line in lines if line.split()[:1] in (["1"], ["3"], ["5"])]
    assert changes == [f"{step:+.4f}" for step in steps]
    assert lines[-1].split()[-1] == f"{sum(steps):.4f}"


def test_an_explanation_has_the_entries_of_bibtex_of_its_references() -> None:
    explained = explain("nDCG@10")
    assert re.findall(r"^@\w+\{(\w+),", explained.bibtex, re.MULTILINE) == ["jarvelin2002", "burges2005"]
    assert explain("NumRet").bibtex == ""


def test_a_measure_that_others_have_is_no_misspelt_statistic() -> None:
    with pytest.raises(InputError, match=r"'diversity' is not offered: .*not-here.md"):
        explain("diversity")
