"""Computed sentences are short, and name the noun where a reader would ask "which?"."""

import pytest

from making.computed_sentences import MOST_WORDS, Text, count_words, read_source, texts
from making.plain_words import UNCLEAR

LONG = {"note": 0, "warning": 0, "page": 0, "column": 0, "help": 2, "error": 0}
"""How many texts of a kind have a longer sentence today; a text may become shorter, and none longer."""
VAGUE = {"note": 0, "warning": 0, "page": 0, "column": 0, "help": 0, "error": 2}
"""How many have a phrase after which a reader asks "which?"."""


def test_texts_are_found_by_kind_with_their_values() -> None:
    source = '''
"""A docstring that is no text of the program."""
def f(runs, n):
    raise InputError(Given("seed", n), f" is {n:g}; give a whole number")
def g(runs):
    yield Note(f"{len(runs)} runs are "
               f"{'left out' if runs else 'here'}" + " today")
    Column(f"mean of {runs}")
    "one two three".split()
'''
    assert read_source(source) == [
        ("error", 4, "{seed} is {n}; give a whole number"),
        ("note", 6, "{len runs} runs are {left out|here} today"),
        ("column", 8, "mean of {runs}"),
    ]


def test_words_are_counted_by_sentence() -> None:
    assert count_words("{len runs} runs are {left out|here} - today") == 6
    assert Text("note", "", "one two; three four five. Six").words == 3


@pytest.fixture(scope="module")
def found() -> list[Text]:
    return list(texts())


@pytest.mark.parametrize("kind", LONG)
def test_sentences_are_short_and_name_what_they_mean(found: list[Text], kind: str) -> None:
    chosen = [text for text in found if text.kind == kind]
    long = [text for text in chosen if text.words > MOST_WORDS]
    vague = [text for text in chosen if UNCLEAR.search(text.text)]
    assert chosen
    assert len(long) <= LONG[kind], "\n".join(map(str, long))
    assert len(vague) <= VAGUE[kind], "\n".join(map(str, vague))
