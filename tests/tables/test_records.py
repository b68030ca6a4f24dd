"""Records over axes, against loops over their cells."""

from __future__ import annotations

from itertools import product

import numpy as np

from gradeval.tables.records import Coded, Records, values_of


def rows_of(records: Records) -> list[tuple[object, ...]]:
    return list(zip(*map(values_of, records.fields.values()), strict=True))


def test_there_is_a_record_for_each_cell_the_last_axis_fastest() -> None:
    runs, pairs, levels = ["b", "a", "b"], [("AP", "P"), ("AP", "RR")], [0.5, 2.0]
    values = np.arange(12.0).reshape(3, 2, 2)
    records = Records.over({"run": runs, "measure other": pairs, "level": levels}, value=values, seed=7, note=None)
    cells = product(runs, pairs, levels)
    assert rows_of(records) == [(run, *pair, level, n, 7, None) for n, (run, pair, level) in enumerate(cells)]
    assert list(records.fields) == ["run", "measure", "other", "level", "value", "seed", "note"]


def test_arrays_broadcast_and_what_is_masked_has_no_value() -> None:
    masked = np.ma.array([[1.0, 2.0]], mask=[[True, False]])
    records = Records.over({"run": ["a", "b"], "": [0, 1]}, value=masked, by_run=np.array([[5], [6]]))
    assert rows_of(records) == [("a", None, 5), ("a", 2.0, 5), ("b", None, 6), ("b", 2.0, 6)]


def test_records_behind_others_are_empty_where_they_lack_a_field() -> None:
    first = Records({"run": Coded(["x", "y"], np.array([1, 0])), "p": np.array([0.5, 1.0])})
    both = first.then(Records.of(["run", "q"], [["z", "no"]]))
    assert rows_of(both) == [("y", 0.5, None), ("x", 1.0, None), ("z", None, "no")]
    assert len(both) == 3
    assert list(both.ordered(["q", "run"]).fields) == ["q", "run"]
