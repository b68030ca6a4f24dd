from __future__ import annotations

import pytest

from gradeval.cli.command_groups import BY_HAND, GROUPS, GUESSES, SHORTLY, all_commands, listed
from gradeval.studies import list_studies

from .conftest import Gradeval

STUDIES = {name.replace("_", "-") for name in list_studies()}


def test_every_command_stands_in_one_group() -> None:
    assert sorted(" ".join(GROUPS.values()).split()) == sorted({*BY_HAND} | STUDIES)
    assert {*SHORTLY} < {*all_commands()}


def names_in(help_text: str) -> list[str]:
    """The commands below the headings of a help, in its order."""
    known = {*all_commands(), "-h"}
    return [line.split()[0] for line in help_text.splitlines() if line.startswith("  ") and line.split()[0] in known]


def test_the_help_fits_on_a_screen_with_a_line_for_each_command(gradeval: Gradeval) -> None:
    lines = gradeval("-h").stdout.splitlines()
    assert len(lines) <= 45
    assert names_in("\n".join(lines)) == [*SHORTLY, "-h", "papers", "-h"]


@pytest.mark.parametrize(("word", "named"), [("studies", STUDIES), ("all", {*all_commands()})])
def test_a_list_names_all_of_its_commands_once(gradeval: Gradeval, word: str, named: set[str]) -> None:
    result = gradeval("-h", word)
    assert result.exit_code == 0
    assert sorted(names_in(result.stdout)) == sorted(named)
    assert [name for names in listed(word).values() for name in names] == names_in(result.stdout)


@pytest.mark.parametrize("flag", ["help", "--help", "-h"])
def test_help_of_a_command_may_be_asked_first(gradeval: Gradeval, flag: str) -> None:
    long = gradeval("compare", "-h" if flag == "-h" else "--help")
    assert gradeval(flag, "compare").stdout == long.stdout


def test_words_that_many_programs_know(gradeval: Gradeval) -> None:
    assert gradeval("help").stdout == gradeval("--help").stdout
    assert gradeval("version").stdout == gradeval("--version").stdout


@pytest.mark.parametrize("word", " ".join(GUESSES.values()).split())
def test_guessed_words_lead_to_a_command_that_is_there(gradeval: Gradeval, word: str) -> None:
    result = gradeval(word)
    (words,) = [words for words, names in GUESSES.items() if word in names.split()]
    assert result.exit_code == 2
    assert f"no command '{word}'; gradeval {words} does that" in result.stderr
    assert words.split()[0] in all_commands()


@pytest.mark.parametrize(("word", "meant"), [("significance", "compare"), ("evalute", "evaluate"), ("llm", "judges")])
def test_names_that_are_nearly_right_are_completed(gradeval: Gradeval, word: str, meant: str) -> None:
    assert f"did you mean {meant}?" in gradeval(word).stderr


def test_words_that_mean_nothing_lead_to_the_list(gradeval: Gradeval) -> None:
    assert "gradeval -h all lists the commands" in gradeval("xyzzy").stderr


def test_every_line_is_short_enough_for_a_terminal_of_100_columns() -> None:
    assert [line for line in all_commands().values() if len(line) > 72] == []
