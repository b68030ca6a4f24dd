"""What people call what gradeval does."""

from __future__ import annotations

import pytest

import gradeval
from gradeval import InputError
from gradeval.arguments import one_of
from gradeval.cli import main
from gradeval.synonyms import SYNONYMS, meant_by


def test_every_name_that_is_offered_is_a_function_or_a_command() -> None:
    assert {*SYNONYMS} <= {*gradeval.__all__, *main.list_commands(None)}


def test_a_word_of_others_leads_to_names_that_are_known_there_alone() -> None:
    assert meant_by("TTest", ["compare", "ranks"]) == ["compare"]
    assert meant_by("ttest", ["ranks"]) == []
    assert meant_by("compare", ["compare"]) == []


@pytest.mark.parametrize("word", ["leaderboard", "kappa", "predict"])
def test_no_word_leads_to_two_names(word: str) -> None:
    assert len(meant_by(word, SYNONYMS)) == 1


def test_a_word_of_others_leads_to_the_word_that_a_parameter_takes() -> None:
    with pytest.raises(InputError, match=r"is not one of holm, bonferroni, bh, none; did you mean bh\?$"):
        one_of("correction", "fdr", ("holm", "bonferroni", "bh", "none"))
    with pytest.raises(InputError, match=r"is not one of holm, bonferroni, none, best$"):
        one_of("correction", "fdr", ("holm", "bonferroni", "none", "best"))
