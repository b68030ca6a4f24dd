"""The grid over g: exact points, the measures on it, and refusals."""

from __future__ import annotations

from math import comb

import pytest

from gradeval import AP, GAP, InputError, eGAP, nDCG, xGAP
from gradeval.papers.correlate_users import lay_out_users, over_grid, user_grid

FOUR = (0.0, 1.0, 2.0, 3.0)


def test_two_levels_give_eleven_points_in_steps_of_a_tenth() -> None:
    assert user_grid(2) == [(k / 10, (10 - k) / 10) for k in range(11)]


def test_three_levels_give_twenty_one_points_in_steps_of_a_fifth_and_equal_shares() -> None:
    points = user_grid(3)
    equal = (1 / 3, 1 / 3, 1 / 3)
    assert points == sorted(set(points))
    others = [point for point in points if point != equal]
    assert (len(points), len(others)) == (22, 21)
    assert all(share * 5 == pytest.approx(round(share * 5)) for point in others for share in point)
    assert all(sum(point) == pytest.approx(1, abs=1e-15) for point in points)


@pytest.mark.parametrize(("levels", "step", "parts"), [(1, None, 1), (2, 0.05, 20), (4, None, 4), (5, "0.5", 2)])
def test_a_grid_has_all_multiples_of_its_step_and_equal_shares(levels: int, step: float | None, parts: int) -> None:
    points = user_grid(levels, step)
    equal = (1 / levels,) * levels
    assert equal in points
    between = parts % levels != 0  # equal shares are no multiples of the step
    assert len(points) == len(set(points)) == comb(parts + levels - 1, levels - 1) + between


@pytest.mark.parametrize("step", [0, -0.1, 0.3, 2, "x", "1/0"])
def test_a_step_that_does_not_divide_one_is_refused(step: float | str) -> None:
    with pytest.raises(InputError, match=r"is not a number that divides 1, as in 0\.1"):
        user_grid(2, step)


def test_a_grid_of_too_many_points_is_refused() -> None:
    with pytest.raises(InputError, match=r"the grid of step 0\.5 over 157 positive levels has more than 1000 points"):
        user_grid(157)


def test_no_level_is_refused() -> None:
    with pytest.raises(InputError, match="must be one at least"):
        user_grid(0)


def test_measures_run_over_the_grid_in_order() -> None:
    assert over_grid(["GAP", "eGAP"], [(0, 1), (0.5, 0.5)]) == [
        GAP(g=(0, 1)),
        GAP(g=(0.5, 0.5)),
        eGAP(g=(0, 1)),
        eGAP(g=(0.5, 0.5)),
    ]


@pytest.mark.parametrize("name", ["AP", "GAPP"])
def test_a_measure_without_g_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} has no parameter g to run over a grid; these have: GAP, eGAP, xGAP"):
        over_grid([name], user_grid(2))


def test_users_on_the_grid_have_three_measures_each_against_their_own_gap() -> None:
    table = lay_out_users(FOUR, [AP, nDCG], "0.5")
    assert table.heads == ("g", "measure")
    assert len(table.rows) == (comb(2 + 2, 2) + 1) * 3  # g: two halves among three levels, and equal shares
    assert ("0.333,0.333,0.333", "GAP") in [labels for labels, _ in table.rows]
    assert table.rows[6:9] == [
        (("0,1,0", "GAP"), GAP(g=[0, 1, 0])),
        (("0,1,0", "xGAP"), xGAP(g=[0, 1, 0])),
        (("0,1,0", "eGAP"), eGAP(g=[0, 1, 0])),
    ]
    (title, own), *others = table.columns
    assert title == "GAP"
    assert own[6:9] == [GAP(g=[0, 1, 0])] * 3
    assert others == [("AP", [AP] * 21), ("nDCG", [nDCG] * 21)]


def test_the_grid_has_the_step_of_the_paper() -> None:
    assert len(lay_out_users(FOUR, [AP]).rows) == 3 * (comb(5 + 2, 2) + 1)  # 0.2 for three positive levels
    assert len(lay_out_users(FOUR[:3], [AP]).rows) == 3 * 11  # 0.1 for two
