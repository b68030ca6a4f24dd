from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.stats import ttest_rel
from two_assessors import two_assessors

from gradeval import compare, evaluate
from gradeval.studies.judges.orders import compare_conclusions


def test_pairs_are_counted_by_who_finds_them_different_and_in_which_direction() -> None:
    drawn = two_assessors(1, topics=10, runs=8)
    backwards = {topic: {one: 3 - grade for one, grade in grades.items()} for topic, grades in drawn.judge.items()}
    for other in (drawn.judge, backwards):
        sides = [evaluate(one, drawn.runs, "AP nDCG") for one in (drawn.human, other)]
        tested = [compare(one, correction="none") for one in sides]
        for place in range(2):
            expected = {"kept": 0, "reversed": 0, "missed": 0, "not_confirmed": 0}
            for first, second in combinations(range(8), 2):
                signs = []
                for one in sides:
                    result = ttest_rel(one.values[first, :, place], one.values[second, :, place])
                    signs.append(np.sign(result.statistic) * (result.pvalue < 0.05))
                expected["kept"] += signs[0] * signs[1] > 0
                expected["reversed"] += signs[0] * signs[1] < 0
                expected["missed"] += signs[0] != 0 and signs[1] == 0
                expected["not_confirmed"] += signs[0] == 0 and signs[1] != 0
            conclusions = compare_conclusions(*tested, place)
            assert vars(conclusions) == expected
            assert conclusions.human == int(tested[0].significant[place].sum())
