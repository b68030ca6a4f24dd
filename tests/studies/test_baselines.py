from __future__ import annotations

import pytest
from score_tables import drawn_scores

from gradeval.studies.compare import compare
from gradeval.studies.significance import CORRECTIONS


def test_several_baselines_are_one_family_of_pairs() -> None:
    scores = drawn_scores(runs=5)
    first, second = scores.runs[1], scores.runs[3]
    result = compare(scores, baseline=[first, second])
    assert result.pairs.tolist() == [[0, 1], [2, 1], [3, 1], [4, 1], [0, 3], [2, 3], [4, 3]]
    assert result.corrected[0] == pytest.approx(CORRECTIONS["holm"](result.p)[0])
    single = {name: compare(scores, baseline=name, correction="none") for name in (first, second)}
    for pair, (_, other) in enumerate(result.pairs.tolist()):
        alone = single[scores.runs[other]]
        place = alone.pairs.tolist().index(result.pairs[pair].tolist())
        assert result.p[0, pair] == alone.p[0, place]
        assert result.interval[0, pair].tolist() == alone.interval[0, place].tolist()
    assert f"against {first} and {second}" in result.description
    titles = [grid.title for grid in result.table().grids]
    assert titles[:2] == [f"means, marked against {first}", f"means, marked against {second}"]


def test_the_first_of_two_baselines_is_marked_against_the_second() -> None:
    scores = drawn_scores(runs=3)
    scores.values[0] += 100
    result = compare(scores, baseline=scores.runs[:2])
    verdicts = [result.verdicts_by_run(name) for name in scores.runs[:2]]
    assert verdicts[0][scores.runs[1]][0] == "worse"
    assert verdicts[1][scores.runs[0]][0] == "better"
