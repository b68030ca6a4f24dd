"""Tables of slices as one: labels in front, numbers of topics, and where tables do not fit together."""

from __future__ import annotations

from gradeval.tables.grid import Column, Grid
from gradeval.tables.joined_slices import SliceTable, join_tables
from gradeval.tables.records import Records
from gradeval.tables.table import Table


def part(label: str, value: float, column: str = "AP", topics: int = 3, **fields: object) -> SliceTable:
    grid = Grid([Column("run", "name"), Column(column, spec=".1f")], [["elm", value]], best=frozenset({(0, 1)}))
    names = ["run", "value", *fields]
    records = Records.of(names, [["elm", value, *fields.values()]])
    return SliceTable(f"segment {label}", {"segment": label}, topics, Table([grid], records))


def test_grids_of_the_same_columns_become_one() -> None:
    joined = join_tables([part("all", 0.5, topics=5), part("head", 0.2)], "topics")
    [grid] = joined.grids
    assert grid.head == ["segment", "run", "topics", "AP"]
    assert grid.texts() == [["all", "elm", "5", "0.5"], ["head", "elm", "3", "0.2"]]
    assert grid.best == {(0, 3), (1, 3)}
    assert joined.to_dict() == {
        "segment": ["all", "head"],
        "run": ["elm", "elm"],
        "value": [0.5, 0.2],
        "topics": [5, 3],
    }


def test_other_columns_stand_below_each_other_under_their_names() -> None:
    joined = join_tables([part("all", 0.5, topics=5), part("head", 0.2, "P@5")], "topics")
    assert [grid.title for grid in joined.grids] == ["segment all (5 topics)", "segment head (3 topics)"]


def test_a_slice_of_all_topics_is_shown_once_under_its_label_and_recorded_twice() -> None:
    joined = join_tables([part("all", 0.5), part("head", 0.5)], "topics")
    [grid] = joined.grids
    assert grid.texts() == [["head", "elm", "3", "0.5"]]
    assert joined.to_dict()["segment"] == ["all", "head"]


def test_a_field_keeps_its_name_and_its_number_of_topics() -> None:
    joined = join_tables([part("all", 0.5, segment="x", topics=7)], "topics")
    assert list(joined.to_dict()) == ["slice segment", "run", "value", "segment", "topics"]
