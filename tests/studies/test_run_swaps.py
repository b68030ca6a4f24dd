"""Runs in the order of one measure, and the runs that others swap."""

from __future__ import annotations

import numpy as np
import pytest

from gradeval import InputError, Scores, scores_from_frame
from gradeval.studies.correlation import kendall_tau
from gradeval.studies.run_swaps import run_swaps


def scored(**means: list[float]) -> Scores:
    """Runs a, b, c ... with these means, on three topics each."""
    rows = [
        (name, run, topic, value)
        for name, values in means.items()
        for run, value in zip("abcdef", values, strict=False)
        for topic in ("1", "2", "3")
    ]
    measures, runs, topics, values = zip(*rows, strict=True)
    import pyarrow

    return scores_from_frame(pyarrow.table({"measure": measures, "run": runs, "topic": topics, "value": values}))


def test_runs_are_renamed_in_the_order_of_the_reference() -> None:
    pytest.importorskip("pyarrow")
    swaps = run_swaps(scored(X=[0.1, 0.4, 0.3, 0.2], Y=[0.9, 0.5, 0.6, 0.7]), reference="X")
    assert swaps.runs == ["b", "c", "d", "a"]
    assert swaps.means == pytest.approx(np.array([[0.4, 0.3, 0.2, 0.1], [0.5, 0.6, 0.7, 0.9]]))
    assert swaps.rises.tolist() == [0, 3]
    assert swaps.swaps.tolist() == [[0, 6], [6, 0]]


def test_a_tie_is_no_swap() -> None:
    pytest.importorskip("pyarrow")
    swaps = run_swaps(scored(X=[0.4, 0.4, 0.2], Y=[0.1, 0.3, 0.3]))
    # X ties a and b, Y ties b and c: only a and c are ordered by both.
    assert swaps.swaps.tolist() == [[0, 1], [1, 0]]
    assert swaps.rises.tolist() == [0, 0]


def test_swaps_make_kendalls_tau_where_nothing_is_tied() -> None:
    pytest.importorskip("pyarrow")
    x, y = [0.1, 0.5, 0.4, 0.9, 0.3, 0.2], [0.2, 0.9, 0.1, 0.8, 0.4, 0.3]
    swaps = run_swaps(scored(X=x, Y=y))
    assert float(kendall_tau(x, y)) == pytest.approx(1 - 2 * swaps.swaps[0, 1] / swaps.pairs)


def test_the_reference_is_one_of_the_measures() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="no scores of Z"):
        run_swaps(scored(X=[0.1, 0.2], Y=[0.1, 0.2]), reference="Z")
