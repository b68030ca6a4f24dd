"""Programs refuse what they cannot run, and never read past what they were given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval._core import Pools, Program

SUM = [("grades", 0, 0, 0), ("sum", 0, 0, 0)]


def rows(program: Program, **changed: Any) -> np.ndarray[Any, Any]:
    """The value of a row with the grades 2 and 1 at the ranks 1 and 3."""
    arrays = {
        "rank": np.array([1.0, 3.0]),
        "document": np.array([1, 0], np.int32),
        "offsets": np.array([0, 2]),
        "retrieved": np.array([3], np.int32),
        "grades": np.array([1.0, 2.0]),
        "judged": np.array([True, True]),
        "first": np.array([0]),
        "of_pool": np.empty((1, 0)),
        "values": np.full((1, 1), np.nan),
    }
    arrays.update(changed)
    program.score_rows(**arrays)
    return arrays["values"]


def test_a_program_gives_what_its_steps_compute() -> None:
    assert rows(Program(SUM, [], [], [1])).tolist() == [[2.0 + 1.0]]
    weighed = [("grades", 0, 0, 0), ("ranks", 0, 0, 0), ("look_up", 0, 1, 0), ("multiply", 0, 2, 0), ("sum", 3, 0, 0)]
    assert rows(Program(weighed, [], [[0.0, 10.0, 20.0, 30.0]], [4])).tolist() == [[2 * 10.0 + 1 * 30.0]]


@pytest.mark.parametrize(
    ("steps", "given"),
    [
        ([("root", 0, 0, 0)], [0]),
        ([("sum", 0, 0, 0)], [0]),
        ([("number", 0, 0, 0)], [0]),
        ([("ranks", 0, 0, 0), ("look_up", 0, 0, 0), ("sum", 1, 0, 0)], [2]),
        ([("retrieved", 0, 0, 0), ("sum", 0, 0, 0)], [1]),
        ([("ranks", 0, 0, 0), ("sum_down_to", 0, 0, 0)], [1]),
        (SUM, [0]),
        (SUM, [2]),
    ],
    ids=["unknown", "itself", "no number", "no table", "of a number", "depth for each", "gives a row", "gives nothing"],
)
def test_steps_that_cannot_be_run_are_refused(steps: list[tuple[str, int, int, int]], given: list[int]) -> None:
    with pytest.raises(ValueError, match="a step of a program"):
        Program(steps, [], [], given)


@pytest.mark.parametrize(
    "changed",
    [
        {"document": np.array([7, 0], np.int32)},
        {"offsets": np.array([0, 9])},
        {"of_pool": np.empty((2, 0))},
        {"values": np.empty((1, 2))},
    ],
    ids=["document", "offsets", "pools", "values"],
)
def test_arrays_that_do_not_go_together_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"rows|pools|pool"):
        rows(Program(SUM, [], [], [1]), **changed)


def test_mappings_that_only_a_copy_can_take_are_left_alone() -> None:
    program, pools = Program(SUM, [], [], [1]), Pools.of_mapping({"q": {"a": 1, "b": 2}}, "qrels")
    known = {"grades": np.array([1.0, 2.0]), "judged": np.array([True, True]), "of_pool": np.empty((1, 0))}

    def score(mapping: Any, longest: int = 9) -> Any:
        return program.score_mapping(
            pools, **known, mapping=mapping, where="run", ties="docid", names=["sum"], longest=longest
        )

    assert score({"q": {"a": 1.0, "b": 1}, "other": {"x": 1.0}}) == {"q": {"sum": 3.0}}
    assert score({"q": {"a": 1.0, "b": 1}}, longest=1) is None
    assert score({"q": {"a": "1"}}) is None
    assert score({1: {"a": 1.0}}) is None
    assert score([]) is None
