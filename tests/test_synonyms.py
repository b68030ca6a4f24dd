"""What people call what gradeval does."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import gradeval
from gradeval import InputError
from gradeval.arguments import one_of
from gradeval.cli import main
from gradeval.ltr import TreeRanker
from gradeval.synonyms import PARAMETERS, SYNONYMS, meant_by


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


def test_no_name_of_another_tool_leads_to_two_parameters() -> None:
    words = [word for words in PARAMETERS.values() for word in words.split()]
    assert len(set(words)) == len(words)
    assert not set(words) & {*PARAMETERS}


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("n_estimators", "epochs"),
        ("early_stopping_rounds", "patience"),
        ("num_leaves", "leaves"),
        ("n_jobs", "threads"),
    ],
)
def test_words_of_other_tools_lead_to_options_and_keywords(word: str, meant: str) -> None:
    with pytest.raises(InputError, match=rf"^TreeRanker: there is no '{word}' \(did you mean {meant}\?\); it takes"):
        TreeRanker("GAP", **{word: 3})  # type: ignore[arg-type]  # on purpose
    for typed in (f"--{word}", f"--{word.replace('_', '-')}"):
        said = CliRunner().invoke(main, ["train", "a.txt", "--objective", "GAP", typed, "3", "-o", "m"]).stderr
        assert f"no such option: {typed}; did you mean --{meant}?" in said
