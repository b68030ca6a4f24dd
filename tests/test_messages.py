"""What a message is made of: an error has parts, and texts of users are shown as they are."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from gradeval import InputError
from gradeval.messages import Given, Typed, kind_of, list_some, list_topics, nearest, plain, shown, visible


class Unfit(InputError):
    """An error of a kind of its own."""


def test_an_error_is_made_of_parts() -> None:
    error = Unfit(Given("samples", 5), " cannot resolve ", Given("alpha", 0.01), "; give 100").within("b;x=1")
    assert str(error) == "b;x=1: samples=5 cannot resolve alpha=0.01; give 100"
    assert error.write(lambda one: f"--{one.parameter} {one.value}") == (
        "b;x=1: --samples 5 cannot resolve --alpha 0.01; give 100"
    )
    assert [(one.parameter, one.value) for one in error.given] == [("samples", 5), ("alpha", 0.01)]
    assert (error.places, error.sentence) == (("b;x=1",), "samples=5 cannot resolve alpha=0.01; give 100")


def test_what_to_type_is_said_for_the_door_at_hand() -> None:
    error = InputError("has words; leave it out: ", Typed("--leave-out a", "frame.drop(columns='a')"), "; or").within(
        "f"
    )
    for same in (error, copy.copy(error), pickle.loads(pickle.dumps(error)), error.followed_by("")):
        assert str(same) == "f: has words; leave it out: frame.drop(columns='a'); or"
        assert same.write(lambda one: f"--{one.parameter}") == "f: has words; leave it out: --leave-out a; or"
    assert error.given == []


@pytest.mark.parametrize("value", ["samples=5", "a: b; c", "it's", '"x"', "{0}", "%s", "few:2\n"])
def test_a_name_is_repeated_as_it_is(value: str) -> None:
    error = InputError(plain("baseline", value), ": no run of this name")
    assert error.write(lambda one: f"--baseline {one.value}") == f"--baseline {value}: no run of this name"
    assert str(error) == f"baseline={visible(value)}: no run of this name"


def test_an_error_keeps_its_parts_and_its_kind_on_the_way() -> None:
    error = Unfit("no level 3").within(plain("topics", "few:3")).within("TREC")
    for same in (error, copy.copy(error), error.followed_by("")):
        assert type(same) is Unfit
        assert str(same) == "TREC: topics=few:3: no level 3"
    passed = pickle.loads(pickle.dumps(InputError(Given("g", [1, 2]), " is not ...").within("x")))
    assert str(passed) == "x: g=[1, 2] is not ..."
    assert passed.given == [Given("g", [1, 2])]


def test_a_text_moves_no_cursor_and_turns_no_line() -> None:
    assert visible("a\tb\x1b[2J\u202e\ud800é") == r"a\tb\x1b[2J\u202e\ud800é"
    assert visible("a\tb\n", keep="\t") == "a\tb" + r"\n"


@pytest.mark.parametrize(
    ("value", "expected"), [(np.int64(3), "3"), ("x" * 38, repr("x" * 38)), ("x" * 39, "'" + "x" * 39 + "...")]
)
def test_a_value_is_repeated_and_cut_after_40_characters(value: object, expected: str) -> None:
    assert shown(value) == expected


def test_names_are_listed_and_counted() -> None:
    assert list_some([*"abcdef"]) == "a, b, c, d, e, f"
    assert list_some([*"abcdefgh"]) == "a, b, c, d, e, f and 2 more"
    assert nearest("ndcg", ["nDCG", "nDCGrel", "AP"]) == ""
    assert nearest("comparee", ["compare", "curve"]) == " (did you mean compare?)"
    assert [kind_of([]), kind_of(1)] == ["a list", "an int"]


def test_names_with_commas_stand_in_quotes_in_a_list() -> None:
    assert list_topics(["sofa, corner", "lamp", "bed,kids"]) == "'sofa, corner', lamp, bed,kids"
    assert list_topics(["a, b", "c, d", "e, f"], 2) == "'a, b', 'c, d' and 1 more"
    assert list_topics(["'d, e'"]) == "'d, e'"
