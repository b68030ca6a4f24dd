from __future__ import annotations

import warnings
from contextlib import suppress
from contextvars import ContextVar

from gradeval import GradevalWarning, evaluate
from gradeval.warning_categories import CoverageWarning, Note, silenced

QRELS = {"401": {"doc-1": 1, "doc-2": 0}, "402": {"doc-1": 1}}

RUN = {"401": {"doc-1": 2.0, "doc-2": 1.0}, "402": {"doc-1": 1.0}}


def test_all_categories_are_silenced_by_one_line() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", GradevalWarning)
        evaluate(QRELS, {"401": {"x": 1.0, "y": 1.0}}, "AP")


def test_a_warning_comes_once_from_a_line() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            evaluate(QRELS, {"401": RUN["401"]}, "AP")
    assert len(caught) == 1


def test_a_note_says_of_what_it_is() -> None:
    note = Note("2 topics ignored", CoverageWarning)
    assert str(note.within("b").within("a")) == "a: b: 2 topics ignored"
    assert note.within("") == note
    assert note.within("b").text == note.text


def test_what_was_asked_is_silent_within_and_asked_again_behind() -> None:
    asked = ContextVar("asked", default=False)
    with suppress(KeyError), silenced(asked):
        with silenced(asked):
            assert asked.get()
        assert asked.get()
        raise KeyError
    assert not asked.get()
