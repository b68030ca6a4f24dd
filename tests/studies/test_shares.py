"""Shares of grades: how they are spelled, and what is drawn by them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from gradeval import InputError, swaps
from gradeval.cli import main
from gradeval.studies.shares import Shares
from gradeval.studies.simulate import simulate_collection

SPELLED = ["uniform", "dirichlet:0.5", "dirichlet:2", "1,2,3", "0,1,1"]


@pytest.mark.parametrize("text", SPELLED)
def test_shares_are_written_as_they_are_spelled(text: str) -> None:
    shares = Shares.of(text)
    assert str(shares) == text
    assert Shares.of(shares) is shares
    drawn = shares.draw(5, 3, np.random.default_rng(0))
    assert drawn.shape == (5, 3)
    assert drawn.sum(-1) == pytest.approx(np.ones(5))


def test_weights_are_shares_and_a_dirichlet_distribution_has_its_variance() -> None:
    assert Shares.of([1, 2, 3]).draw(1, 3, np.random.default_rng(0))[0] == pytest.approx([1 / 6, 2 / 6, 3 / 6])
    drawn = Shares.of("dirichlet:2").draw(20_000, 4, np.random.default_rng(1))
    mean, whole = 1 / 4, 4 * 2
    assert drawn.var(0) == pytest.approx([mean * (1 - mean) / (whole + 1)] * 4, rel=0.05)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("foo", "accepted: uniform"),
        ("1,-2", "accepted: uniform"),
        (7, "accepted: uniform"),
        ("dirichlet:0", "the parameter is no number above 0"),
        ("dirichlet:x", "the parameter is no number above 0"),
        ([1, 0, 0], "two grades or more need a share"),
        ([1, float("inf")], "two grades or more need a share"),
    ],
)
def test_what_is_no_share_is_refused_in_a_line(value: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        Shares.of(value)
    assert str(error.value).startswith("shares=")


def grades_of(shares: Any, levels: int) -> Counter[int]:
    """Grades of all candidates: everything is retrieved and judged."""
    drawn = simulate_collection(
        topics=20, systems=1, levels=levels, depth=400, documents=400, judged_share=1, missing=0, shares=shares, seed=3
    )
    return Counter(grade for grades in drawn.qrels.values() for grade in grades.values())


def test_a_simulated_collection_has_the_shares_that_are_asked_for() -> None:
    counts = grades_of("5,3,0,2", 4)
    assert counts[2] == 0
    for grade, share in ((0, 0.5), (1, 0.3), (3, 0.2)):
        assert abs(counts[grade] / 8000 - share) < 5 * (share * (1 - share) / 8000) ** 0.5
    alike = grades_of("uniform", 4)
    assert max(alike.values()) - min(alike.values()) < 10 * (8000 / 4) ** 0.5
    assert set(grades_of("dirichlet:0.5", 3)) == {0, 1, 2}
    with pytest.raises(InputError, match="shares=1,2,3: 3 weights for 4 grades"):
        grades_of([1, 2, 3], 4)


def test_swaps_draw_items_by_shares() -> None:
    few: dict[str, Any] = {"levels": [3], "items": 30, "swaps": 5, "repetitions": 4}
    assert swaps(nonuniform=True, **few).values.tolist() == swaps(shares="dirichlet:0.5", **few).values.tolist()
    assert swaps(shares="1,2,3", **few).values.tolist() != swaps(**few).values.tolist()
    with pytest.raises(InputError, match="not both"):
        swaps(nonuniform=True, shares="dirichlet:2", **few)


def test_the_command_names_its_option(tmp_path: Any) -> None:
    for text in ("foo", "1,2,3", "dirichlet:0"):
        said = CliRunner().invoke(main, ["simulate", "collection", str(tmp_path / "c"), "--shares", text])
        assert said.exit_code == 2
        assert said.stderr.startswith(f"gradeval: error: --shares {text}: ")
