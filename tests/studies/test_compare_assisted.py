from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from assisted_collection import HUMAN, TOPICS, scored
from scipy import stats

from gradeval import InputError, compare_assisted
from gradeval.studies.assisted_estimates import estimate_means

pytestmark = pytest.mark.filterwarnings("ignore::gradeval.GradevalWarning")


def test_differences_are_the_estimates_of_topics_differences() -> None:
    human, model = scored("AP GAP")
    comparison = compare_assisted(human, model=model, baseline="elm", topics_are="sample", correction="none")
    both = np.array([TOPICS.index(topic) for topic in HUMAN])
    assert comparison.pairs.tolist() == [[1, 0], [2, 0]]
    for pair, (first, second) in enumerate(comparison.pairs.tolist()):
        for measure in range(2):
            by = [(s.values[first] - s.values[second])[:, measure : measure + 1] for s in (human, model)]
            found = estimate_means(*by, both, "sample")
            at = measure, pair
            assert comparison.estimates.value[at] == pytest.approx(found.value[0], rel=1e-12)
            p = 2 * stats.t.sf(abs(found.value[0] / found.error[0]), len(HUMAN) - 2)
            assert comparison.p[at] == pytest.approx(p, rel=1e-9)
            alone = stats.ttest_1samp(by[0][:, 0], 0).pvalue
            assert comparison.human_p[at] == pytest.approx(alone, rel=1e-9)


def test_differences_are_corrected_by_measure() -> None:
    human, model = scored("AP GAP")
    comparison = compare_assisted(human, model=model)
    for measure in range(2):
        ordered = np.sort(comparison.p[measure])
        holm = np.minimum(1, np.maximum.accumulate(ordered * [3, 2, 1]))
        np.testing.assert_allclose(np.sort(comparison.corrected[measure]), holm, rtol=1e-12)


def test_a_run_compared_with_its_copy_differs_by_nothing() -> None:
    human, model = scored("AP")
    twins = [replace(s, values=np.repeat(s.values[:1], 3, axis=0)) for s in (human, model)]
    comparison = compare_assisted(twins[0], model=twins[1])
    assert comparison.p.tolist() == [[1, 1, 1]]
    assert not comparison.estimates.reach.any()


def test_of_human_topics_that_all_differ_alike_only_the_signs_tell() -> None:
    human, model = scored("AP")
    shifted = [
        replace(s, values=np.stack([s.values[0], s.values[0] - 0.125, s.values[0] - 0.25])) for s in (human, model)
    ]
    n = len(HUMAN)
    all_alike = sum(abs(sum(signs)) == n for signs in product([1, -1], repeat=n)) / 2**n
    comparison = compare_assisted(shifted[0], model=shifted[1], correction="none")
    assert comparison.p[0] == pytest.approx([all_alike] * 3, rel=1e-12)
    assert comparison.human_p[0] == pytest.approx([all_alike] * 3, rel=1e-12)


def test_few_runs_and_unknown_baselines_are_refused() -> None:
    human, model = scored("AP")
    with pytest.raises(InputError, match="no run 'fir'"):
        compare_assisted(human, model=model, baseline="fir")
    with pytest.raises(InputError, match="1 run cannot be compared"):
        compare_assisted(human.sel(runs="elm"), model=model)


def test_a_caption_of_ones_own_keeps_what_the_marks_mean() -> None:
    human, model = scored("AP GAP")
    table = compare_assisted(human, model=model, baseline="elm").table().renamed("Ours")
    marked = [grid.caption for grid in table.grids[1:]]
    assert marked == [
        f"{measure}: Ours. ▲ better, ▼ worse than elm: t test, Holm's correction, level 0.05; 95% intervals."
        for measure in ("AP", "GAP")
    ]
