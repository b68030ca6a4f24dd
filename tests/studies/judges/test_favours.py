from __future__ import annotations

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
from scipy.stats import t
from two_assessors import TwoAssessors, two_assessors

from gradeval import Qrels, evaluate, judges
from gradeval.formula.arithmetic import Array
from gradeval.studies.judges.favours import Favours, measure_shift, shuffle_by_grade
from gradeval.studies.judges.floors import find_bounds

from ...support.score_tables import scores_of

LENIENT = np.array([[0.6, 0.3, 0.1, 0.0], [0.0, 0.5, 0.4, 0.1], [0.0, 0.1, 0.5, 0.4], [0.0, 0.0, 0.1, 0.9]])
"""The share of a judge's grades by human grade: it knows no run."""


def test_the_shift_of_the_means() -> None:
    drawn = two_assessors(2)
    human, judge = (evaluate(one, drawn.runs, "GAP") for one in (drawn.human, drawn.judge))
    weights = np.random.default_rng(0).multinomial(8, np.full(8, 1 / 8), size=60).astype(float)
    shift = measure_shift(human, judge, 0, 0.05, weights)
    assert shift is not None
    moved = (judge.values - human.values)[..., 0].mean(0)
    assert shift.level == pytest.approx(float((judge.mean() - human.mean()).mean()))
    assert shift.human == pytest.approx(float(human.mean().mean()))
    assert shift.interval == pytest.approx(t.interval(0.95, 7, moved.mean(), moved.std(ddof=1) / np.sqrt(8)))
    assert shift.slope == pytest.approx(np.polyfit(human.mean()[:, 0], judge.mean()[:, 0], 1)[0])
    again = [
        np.polyfit(*(one.values[:, np.repeat(np.arange(8), row.astype(int)), 0].mean(-1) for one in (human, judge)), 1)[
            0
        ]
        for row in weights
    ]
    assert shift.slope_bounds == pytest.approx(find_bounds(shift.slope, np.array(again), 8, 0.05, (-9, 9)))


def test_a_judge_whose_values_are_halved_draws_the_runs_together() -> None:
    drawn = two_assessors(5)
    human = evaluate(drawn.human, drawn.runs, "GAP")
    shift = measure_shift(human, replace(human, values=0.2 + 0.5 * human.values), 0, 0.05, np.eye(8))
    assert shift is not None
    assert shift.slope == pytest.approx(0.5)
    assert shift.slope_bounds == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize("topics", range(2, 9))
def test_a_shift_that_is_the_same_on_so_few_topics_has_no_interval(topics: int) -> None:
    """Its signs, heads on all coins, exclude another shift from 6 topics on."""
    human = scores_of(np.stack([np.linspace(0.1, 0.5, topics), np.linspace(0.5, 0.2, topics)]))
    shift = measure_shift(human, replace(human, values=human.values + 0.25), 0, 0.05, np.eye(topics))
    assert shift is not None
    as_far = sum(abs(sum(signs)) == topics for signs in product([1, -1], repeat=topics)) / 2**topics
    assert shift.interval == (pytest.approx((0.25, 0.25)) if as_far < 0.05 else None)


def test_a_drawn_judge_has_the_confusion_matrix_of_the_judge_in_every_topic() -> None:
    rng = np.random.default_rng(0)
    topic = np.repeat(np.arange(4), 50)
    human, judge = rng.integers(0, 4, 200).astype(float), rng.integers(0, 4, 200).astype(float)
    human[::17], judge[::13] = np.nan, np.nan
    both = ~np.isnan(human) & ~np.isnan(judge)

    def matrices(grades: Array) -> Array:
        counts = np.zeros((4, 4, 4), int)
        np.add.at(counts, (topic[both], human[both].astype(int), grades[both].astype(int)), 1)
        return counts

    drawn = list(islice(shuffle_by_grade(human, judge, topic, np.random.default_rng(1)), 20))
    for grades in drawn:
        np.testing.assert_array_equal(matrices(grades), matrices(judge))
        np.testing.assert_array_equal(grades[~both], judge[~both])  # judged by one side alone: as it was
    assert len({grades.tobytes() for grades in drawn}) == 20


def judged_by(drawn: TwoAssessors, matrix: Array, seed: int) -> dict[str, dict[str, float]]:
    """Grades by a judge who knows the human grade of a document, and nothing else."""
    rng = np.random.default_rng(seed)
    return {
        topic: {name: float(rng.choice(4, p=matrix[int(grade)])) for name, grade in grades.items()}
        for topic, grades in drawn.human.items()
    }


def favoured(
    drawn: TwoAssessors,
    judge: dict[str, dict[str, float]],
    measures: str = "GAP",
    by: str = "GAP",
    draws: int = 39,
    **options: object,
) -> Favours:
    found = judges(drawn.human, {"model": judge}, drawn.runs, measures, samples=10, draws=draws, **options)
    runs = found.of("model", by).runs
    assert runs is not None
    return runs


def test_a_merely_lenient_judge_favours_nobody() -> None:
    """12 judges with one confusion matrix for all documents: more than 2 with p < .05 have a probability of .02."""
    drawn = two_assessors(5, topics=10, runs=8)
    flagged = sum(bool(favoured(drawn, judged_by(drawn, LENIENT, seed)).beyond_chance.any()) for seed in range(12))
    assert flagged <= 2


def test_an_honest_judge_is_not_accused_where_the_humans_err() -> None:
    """A judge who sees the truth better than the humans raises the better run: that is moved beyond chance, and not
    favoured."""
    moved = accused = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        truth = {f"t{t:02}": {f"d{d:02}": float(rng.integers(0, 4)) for d in range(40)} for t in range(30)}
        runs = {
            f"run{skill}": {
                t: {d: skill * g + rng.normal(0, 2) for d, g in known.items()} for t, known in truth.items()
            }
            for skill in (0, 1)
        }
        human, judge = (
            {
                t: {d: g if rng.random() < sure else float(rng.integers(0, 4)) for d, g in known.items()}
                for t, known in truth.items()
            }
            for sure in (0.7, 0.75)
        )
        found = favoured(two_assessors()._replace(human=human, runs=runs), judge, "nDCG@10", "nDCG@10")
        moved += bool(found.beyond_chance.any())
        accused += bool(found.significant.any())
    assert moved >= 8
    assert accused <= 2


def test_the_humans_are_tested_like_a_judge_by_the_grades_of_the_judge() -> None:
    drawn = two_assessors(5, topics=20)
    judge = {
        topic: {name: min(3.0, grade + 1) for name, grade in known.items()} for topic, known in drawn.human.items()
    }
    for topic, scores in drawn.runs["run3"].items():
        judge[topic] |= dict.fromkeys(sorted(scores, key=lambda name: -scores[name])[:5], 3.0)
    judge = {topic: {name: judge[topic][name] for name in known} for topic, known in drawn.human.items()}
    found = favoured(drawn, judge, levels=(0, 1, 2, 3))
    swapped = favoured(drawn._replace(human=judge), drawn.human, levels=(0, 1, 2, 3))
    assert found.humans is not None
    np.testing.assert_allclose(found.humans.value, swapped.value)
    np.testing.assert_allclose(found.humans.p, swapped.p)
    assert found.significant[3]
    assert (
        found.significant.tolist()
        == ((found.p < 0.05) & (swapped.p < 0.05) & (np.sign(found.value) != np.sign(swapped.value))).tolist()
    )


def test_a_favoured_run_is_found_and_its_family_too() -> None:
    """The judge calls what run3 puts first highly relevant."""
    drawn = two_assessors(5, topics=20)
    judge = judged_by(drawn, LENIENT, 1)
    for topic, scores in drawn.runs["run3"].items():
        for name in sorted(scores, key=lambda name: -scores[name])[:5]:
            if name in judge[topic]:
                judge[topic][name] = 3.0
    found = judges(
        drawn.human, {"model": judge}, drawn.runs, "GAP", samples=10, groups={"run3": "ours", "run0": "theirs"}
    ).of("model", "GAP")
    assert found.runs is not None
    assert int(found.runs.value.argmax()) == 3
    assert found.runs.significant[3]
    assert found.runs.interval[3, 0] > 0
    assert found.groups is not None
    assert found.groups.names == ["ours", "theirs"]
    assert found.groups.p[0] < 0.05
    rest = np.delete(found.runs.value, 3).mean()
    assert found.groups.value[0] == pytest.approx(float(found.runs.value[3] - rest))


def test_gains_and_p_are_those_of_drawn_judges() -> None:
    """The definition, written out: gains less those of drawn judges, in standard deviations, largest over the runs, and
    over the measures."""
    drawn = two_assessors(7, topics=6, runs=5)
    results = [favoured(drawn, drawn.judge, "GAP RR", by, draws=30, seed=4) for by in ("GAP", "RR")]
    topics, names = list(drawn.human), list(drawn.human["t00"])
    human, judge = (np.array([one[t][d] for t in topics for d in names]) for one in (drawn.human, drawn.judge))
    shuffled = shuffle_by_grade(human, judge, np.repeat(np.arange(6), len(names)), np.random.default_rng(4))

    def means(grades: Array) -> Array:
        by_topic = dict(zip(topics, grades.reshape(6, -1).tolist(), strict=True))
        qrels = {t: dict(zip(names, row, strict=True)) for t, row in by_topic.items()}
        return evaluate(Qrels.from_dict(qrels).with_levels((0, 1, 2, 3)), drawn.runs, "GAP RR").mean()

    every = np.array([means(judge), *(means(grades) for grades in islice(shuffled, 30))])
    gains = every - every.mean(1, keepdims=True)
    sizes = np.abs(gains - gains.mean(0)) / gains.std(0)
    for place, found in enumerate(results):
        gain = every[0, :, place] - every[1:, :, place].mean(0)
        np.testing.assert_allclose(found.value, gain - gain.mean(), atol=1e-12)
        for run in range(5):
            share, over_all = (
                np.mean([most[one].max() >= sizes[0, run, place] - 1e-9 for one in range(31)])
                for most in (sizes[..., place], sizes)
            )
            assert found.p[run] == pytest.approx(share)
            assert found.p_over_measures[run] == pytest.approx(over_all)


def test_without_draws_nobody_is_said_to_be_favoured() -> None:
    drawn = two_assessors(5)
    found = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "GAP", samples=10, draws=0)
    assert found.of("model", "GAP").runs is None
    assert "shift-run" not in found.to_dict()["statistic"]
    few = judges(drawn.human, {"model": drawn.judge}, drawn.runs, "GAP", samples=10, draws=5)
    assert any(
        "take 20 draws or more; no run can be favoured at 0.05, as p is 0.17 or more" in str(n) for n in few.notes
    )


def test_a_judge_that_is_the_humans_favours_nobody() -> None:
    drawn = two_assessors()
    assert favoured(drawn, drawn.human).p.tolist() == [1.0] * 6
