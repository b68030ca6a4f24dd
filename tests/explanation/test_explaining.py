"""explain() and help(): the formula of a measure, in Python."""

from __future__ import annotations

import pydoc

import pytest

import gradeval
from gradeval import AP, GAP, InputError, JudgedRankings, explain, nDCG
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


def test_statistics_of_judges_are_explained_as_by_the_command() -> None:
    assert str(explain("kappa")).startswith("kappa\n\nCohen's kappa")
    assert "\nSource: Cohen (1968)" in explain("kappa")._repr_html_()
    with pytest.raises(InputError, match=r"no measure and no statistic of judges is called 'kapa' \(did you mean"):
        explain("kapa")
    with pytest.raises(InputError, match="kappa is a statistic of judges, and no experiment defines it"):
        explain("kappa", experiment=10)


def test_a_measure_is_found_before_a_statistic_of_a_like_name() -> None:
    assert isinstance(explain("g"), Explanation)
    with pytest.raises(InputError, match="unknown measure 'nDGC'"):
        explain("nDGC")
