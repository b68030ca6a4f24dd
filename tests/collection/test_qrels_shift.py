"""Grades moved by the same number, as ratings from 1 to 10 to grades from 0."""

from __future__ import annotations

import pytest

from gradeval import InputError, Qrels, read_qrels


def test_every_grade_moves_and_the_levels_follow() -> None:
    ratings = Qrels.from_dict({"me": {"a": 1, "b": 10}, "you": {"a": 4}})
    shifted = ratings.shifted(-1)
    assert [shifted.of(who) for who in ("me", "you")] == [{"a": 0, "b": 9}, {"a": 3}]
    assert shifted.levels == tuple(range(10))
    assert ratings.of("me") == {"a": 1, "b": 10}  # as before


def test_steps_that_doubles_cannot_hold_are_rounded() -> None:
    assert Qrels.from_dict({"me": {"a": 1.1, "b": 1}}).shifted(-1).levels == (0, 0.1)


def test_no_grade_moves_by_no_number() -> None:
    with pytest.raises(InputError, match="qrels: grades cannot be shifted by nan; give a finite number, as in -1"):
        Qrels.from_dict({"me": {"a": 1}}).shifted(float("nan"))


def test_a_file_is_shifted_before_it_is_recoded(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "ratings.txt").write_text("me 0 a 5\nme 0 b 1\n")
    assert read_qrels(tmp_path / "ratings.txt", shift=-1, recode={4: 1}).of("me") == {"a": 1, "b": 0}
