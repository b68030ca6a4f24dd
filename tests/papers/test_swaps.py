"""The swap experiment of Scheel et al. (2011): its law, its findings, its corners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradeval import InputError, MeannDCG, nDCG
from gradeval.papers.swaps import Swaps, _blocks, _pools, mean_over_ranks, swaps
from gradeval.studies.shares import Shares

MUAP, NDCG, NDCNG, MEAN_NDCG, MEAN_NDCNG = range(5)


@pytest.fixture(scope="module")
def uniform() -> Swaps:
    return swaps(seed=1)


@pytest.fixture(scope="module")
def drawn() -> Swaps:
    return swaps(nonuniform=True, seed=1)


def test_a_perfect_ranking_scores_one_and_swaps_lower_it(uniform: Swaps, drawn: Swaps) -> None:
    for table in (uniform, drawn):
        assert table.values.shape == (4, 100, 5)
        assert table.values[:, 0] == pytest.approx(1)
        assert (table.values[:, 1:] < 1).all()
        assert (np.diff(table.values[:, ::10], axis=1) < 0.02).all()


def test_scheel_figure_4_level_sizes_are_equal(uniform: Swaps) -> None:
    assert uniform.measures == [
        "muAP",
        "nDCG(dcg='exp-log2')@100",
        "NDCNG@100",
        "mean nDCG(dcg='exp-log2')",
        "mean NDCNG",
    ]
    spread = uniform.spread()
    assert (spread[:, MUAP] < 0.05).all()
    assert (spread[20:, NDCG] > 5 * spread[20:, NDCNG]).all()
    assert (np.diff(uniform.values[:, 50, NDCG]) < 0).all()
    assert uniform.values[:, 50, MUAP] == pytest.approx([0.66, 0.66, 0.65, 0.64], abs=0.025)
    assert uniform.values[:, 50, NDCNG] == pytest.approx([0.876, 0.888, 0.878, 0.880], abs=0.025)
    assert uniform.values[:, 50, NDCG] == pytest.approx([0.876, 0.772, 0.677, 0.580], abs=0.025)


def test_scheel_figure_5_level_sizes_are_drawn(drawn: Swaps) -> None:
    spread = drawn.spread()
    assert (spread[50:, NDCG] > 0.15).all()
    assert (spread[:, MUAP] < 0.1).all()
    assert (np.ptp(drawn.values[1:, :, NDCNG], axis=0) < 0.04).all()


def test_with_two_levels_nothing_distinguishes_the_gains(uniform: Swaps, drawn: Swaps) -> None:
    for table in (uniform, drawn):
        assert table.values[0, :, NDCG] == pytest.approx(table.values[0, :, NDCNG])
        assert table.values[0, :, MEAN_NDCG] == pytest.approx(table.values[0, :, MEAN_NDCNG])


def test_each_number_of_levels_has_its_own_random_numbers(uniform: Swaps) -> None:
    alone = swaps(levels=[20], seed=1)
    assert np.array_equal(alone.values[0], uniform.values[2])
    assert not np.array_equal(swaps(levels=[20], seed=2).values, alone.values)


def test_each_step_exchanges_two_items() -> None:
    for uniform in (True, False):
        (block,) = _blocks(5, Shares() if uniform else Shares(0.5), 20, 30, 4, np.random.default_rng(0))
        assert (np.diff(block.grades[:, 0]) <= 0).all()
        changed = (np.diff(block.grades, axis=1) != 0).sum(-1)
        assert set(changed.ravel().tolist()) <= {0, 2}
        counts = np.stack([(block.grades == level).sum(-1) for level in block.levels], axis=-1)
        assert np.array_equal(counts, block.pool)
        assert (uniform is False) or (block.pool == 4).all()
        assert ((block.pool > 0).sum(-1) >= 2).all()


def test_the_mean_over_ranks_is_that_of_the_measure() -> None:
    (block,) = _blocks(4, Shares(), 20, 10, 3, np.random.default_rng(0))
    expected = np.mean([(nDCG(dcg="exp-log2") @ n)(block) for n in range(1, 21)], axis=0)
    assert mean_over_ranks(np.exp2(block.grades) - 1) == pytest.approx(expected)
    assert (MeannDCG(dcg="exp-log2") @ 20)(block) == pytest.approx(expected)


def test_the_error_is_that_of_a_mean() -> None:
    few, many = (swaps(levels=[10], repetitions=n, seed=3).error[0, 50, MUAP] for n in (50, 800))
    assert few / many == pytest.approx((800 / 50) ** 0.5, rel=0.4)


def test_the_error_of_a_spread_is_that_of_the_two_means_at_its_ends() -> None:
    found = swaps(levels=[2, 5, 10], repetitions=20, seed=1)
    means, errors = found.values[:, 30, NDCG], found.error[:, 30, NDCG]
    assert means[0] > means[1] > means[2]
    assert found.spread()[30, NDCG] == means[0] - means[2]
    assert found.spread_error()[30, NDCG] == pytest.approx((errors[0] ** 2 + errors[2] ** 2) ** 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": [1]}, "levels=1 is not a whole number from 2"),
        ({"levels": [200]}, "200 is not a number of levels from 2 to the number of items, 100"),
        ({"levels": [7]}, "100 items cannot be shared evenly among 7 levels"),
        ({"levels": [2], "items": 1}, "items=1 is not a whole number from 2"),
        ({"swaps": -1}, "swaps=-1 is not a whole number from 0"),
        ({"repetitions": 1}, "repetitions=1 is not a whole number from 2"),
    ],
)
def test_numbers_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        swaps(**options)


def test_the_table_shows_some_swaps_and_the_records_all_of_them() -> None:
    study = swaps(levels=(2, 5), items=20, swaps=20, repetitions=4, seed=1)
    table = study.table()
    assert [row[1] for row in table.grids[0].rows][:6] == [0, 1, 2, 4, 10, 20]
    assert len(table.records) == len(study.measures) * 2 * (21 + 1)  # and the share of swaps that change nothing
    assert "uniform grades, 20 items, 4 repetitions, seed 1" in str(study)
    first = table.grids[0].texts()[1]
    assert first[2:4] == [f"{value:.3f}" for value in study.values[:, 1, 0]]
    assert first[4] == f"{study.spread()[1, 0]:.3f} ± {study.spread_error()[1, 0]:.3f}"


def test_a_threshold_does_not_notice_most_swaps_of_many_grades() -> None:
    """Section 4: a threshold "often leads to a constant performance for item lists differing in the order"."""
    study = swaps(levels=(2, 5), measures="AP AP(rel=3) muAP", items=20, swaps=30, repetitions=4, seed=1)
    (block,) = _blocks(5, Shares(), 20, 30, 4, np.random.default_rng([1, 5]))
    moved = np.diff(block.grades, axis=1) != 0
    for place, least in enumerate((1, 3)):
        relevant = np.diff((block.grades >= least).astype(int), axis=1) != 0
        # AP cannot but stay where the order of relevant and other items does; here it changes with every other swap.
        assert study.unchanged[1, place] == pytest.approx(1 - relevant.any(-1).sum() / moved.any(-1).sum())
    assert study.unchanged[:, 2].tolist() == [0, 0]
    assert study.unchanged[0].tolist() == [0, 1, 0]  # of grades 0 and 1, none is 3


def test_shares_at_random_spread_as_their_dirichlet_distribution_does() -> None:
    """Of two levels with parameter a the share has variance 1 / (4 (2a + 1)): 1/8 for a = 1/2."""
    items, number = 1000, 4000
    shares = _pools(number, 2, Shares(0.5), items, np.random.default_rng(0))[:, 0] / items
    assert shares.mean() == pytest.approx(0.5, abs=0.03)
    assert shares.var() == pytest.approx(1 / 8, abs=0.012)
