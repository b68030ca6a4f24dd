"""Margins are told by their names and by what they hold; no system or topic is taken for one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gradeval.scores.margins import find_margins, is_called_margin

VALUES = pd.DataFrame({"elm": [0.5, 0.75, 0.1], "oak": [0.25, 0.3, 0.9]}, ["q1", "q2", "q3"])


def written(frame: pd.DataFrame, digits: int) -> list[list[str]]:
    return [[f"{value:.{digits}f}" for value in row] for row in frame.to_numpy().tolist()]


@pytest.mark.parametrize("digits", [2, 4, 15])
@pytest.mark.parametrize("how", ["mean", "sum"])
@pytest.mark.parametrize("name", ["All", "mean", "Average", "Grand Total", "avg.", "OVERALL", "all topics"])
def test_margins_of_pandas_are_found_on_both_axes(name: str, how: str, digits: int) -> None:
    table = VALUES.copy()
    table[name] = table.agg(how, axis=1)
    table.loc[name] = table.agg(how, axis=0)
    found = find_margins(list(table.index), list(table.columns), written(table, digits))
    assert found == ([3], [2])
    turned = find_margins(list(table.columns), list(table.index), written(table.T, digits))
    assert turned == ([2], [3])


@pytest.mark.parametrize("name", ["All", "mean", "Total"])
def test_what_is_called_a_margin_and_holds_something_else_is_none(name: str) -> None:
    table = VALUES.copy()
    table[name] = [0.2, 0.4, 0.6]
    table.loc[name] = 0.31
    assert find_margins(list(table.index), list(table.columns), written(table, 4)) == ([], [])


@pytest.mark.parametrize("name", ["elm-all", "meander", "q-mean", "allen", "mean reciprocal", "301"])
def test_other_names_are_no_margins_whatever_they_hold(name: str) -> None:
    table = VALUES.copy()
    table.loc[name] = table.mean()
    assert not is_called_margin(name)
    assert find_margins(list(table.index), list(table.columns), written(table, 4)) == ([], [])


def test_counts_are_not_rounded_and_cells_without_a_number_are_compared_with_nothing() -> None:
    counts = pd.DataFrame(np.array([[3, 1], [4, 2], [8, 3]]), ["q1", "q2", "Total"], ["elm", "oak"])
    assert find_margins(list(counts.index), list(counts.columns), written(counts, 0)).rows == []
    cells = [["3", "-"], ["4", "2"], ["7", "-"]]
    assert find_margins(["q1", "q2", "Total"], ["elm", "oak"], cells).rows == [2]
