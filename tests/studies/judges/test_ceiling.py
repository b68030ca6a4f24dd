from __future__ import annotations

from itertools import permutations, product

import numpy as np

from gradeval import JudgedRankings, evaluate, judges, parse_measure
from gradeval.studies.judges.ceiling import score_ceiling

LEVELS = (0.0, 1.0, 2.0)
MEASURES = [parse_measure(name) for name in ("AP", "GAP", "nDCG@3", "ERR", "RR")]
HUMAN = np.array([2.0, 0, 1, 0, 2, 1, 0, 0])
JUDGE = np.array([1.0, 1, 2, 0, 0, 2, 2, 1])
TOPIC = np.array([0, 0, 0, 0, 0, 1, 1, 1])
POOL = np.array([[4, 1, 2], [3, 1, 0]])


def enumerated(topic: int) -> np.ndarray:
    """The mean over all orders of the documents in which a better grade of the judge comes first."""
    here = [(judge, human) for judge, human, one in zip(JUDGE, HUMAN, TOPIC, strict=True) if one == topic]
    groups = [[human for judge, human in here if judge == grade] for grade in (2, 1, 0)]
    values = []
    for orders in product(*map(permutations, groups)):
        ranking = [int(grade) for group in orders for grade in group]
        judged = JudgedRankings.of(ranking, pool=POOL[topic].tolist(), levels=LEVELS)
        values.append([float(measure(judged)[0]) for measure in MEASURES])
    return np.mean(values, axis=0)


def test_the_ceiling_is_the_mean_over_all_orders_of_tied_documents() -> None:
    expected = score_ceiling(MEASURES, HUMAN, JUDGE, TOPIC, POOL, LEVELS, seeds=np.arange(2))
    assert not expected.errors.any()
    for topic in range(2):
        np.testing.assert_allclose(expected.values[:, topic], enumerated(topic), atol=1e-12)


def test_without_ties_it_is_the_value_of_the_only_order() -> None:
    found = score_ceiling(MEASURES, HUMAN[:3], np.array([0.0, 1, 2]), TOPIC[:3], POOL[:1], LEVELS, seeds=np.arange(1))
    judged = JudgedRankings.of([1, 0, 2], pool=POOL[0].tolist(), levels=LEVELS)
    np.testing.assert_allclose(found.values[:, 0], [measure(judged)[0] for measure in MEASURES], atol=1e-12)


def test_orders_are_cut_as_the_runs_are() -> None:
    seeds = np.arange(2)
    values = score_ceiling([parse_measure("AP")], HUMAN, JUDGE, TOPIC, POOL, LEVELS, seeds, depth=3).values
    cut = score_ceiling([parse_measure("AP@3")], HUMAN, JUDGE, TOPIC, POOL, LEVELS, seeds).values
    np.testing.assert_allclose(values, cut, atol=1e-12)


def draw_assessors() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]], list[dict[str, dict[str, float]]]]:
    """Grades 0 to 2 of 30 documents on 5 topics, by a human and a judge, and two runs in random order."""
    rng = np.random.default_rng(3)
    human, judge = (
        {f"t{topic}": {f"d{place}": int(rng.integers(0, 3)) for place in range(30)} for topic in range(5)}
        for _ in range(2)
    )
    runs = [{topic: {name: rng.random() for name in grades} for topic, grades in human.items()} for _ in range(2)]
    return human, judge, runs


def test_it_is_the_judge_taken_for_a_run_with_expected_ties() -> None:
    human, judge, runs = draw_assessors()
    names = "GAP AP nDCG@10 RR Bpref".split()
    found = [judges(human, {"judge": judge}, runs, name, samples=10).of("judge", name).ceiling for name in names]
    pooled = evaluate(human, [judge], " ".join(names), ties="expected").mean()[0]
    np.testing.assert_allclose([one.mean.value for one in found[:-1]], pooled[:-1], atol=1e-12)
    assert [one.error for one in found[:-1]] == [0.0] * 4
    assert 0 < abs(found[-1].mean.value - pooled[-1]) < 6 * found[-1].error  # no closed form: orders are drawn


def test_its_standard_error_is_over_the_topics_that_count() -> None:
    """A topic without anything relevant is left out: the errors of the others are over one topic less."""
    human, judge, runs = draw_assessors()
    empty = {**human, "t9": {"d0": 0, "d1": 0}}
    more = {**judge, "t9": {"d0": 1, "d1": 0}}
    found = [
        judges(one, {"judge": other}, runs, "Bpref", samples=10, draws=0, empty="skip").of("judge", "Bpref").ceiling
        for one, other in ((human, judge), (empty, more))
    ]
    assert found[0].error > 0
    assert found[1].error == found[0].error
    assert found[1].mean.value == found[0].mean.value
