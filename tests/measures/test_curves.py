from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, golden_cases, share, together, topics, users

from gradeval import (
    AP,
    GAP,
    InputError,
    IPrec,
    JudgedRankings,
    P,
    expected_precision,
    expected_precision_curve,
    graded_precision,
    graded_precision_recall_curve,
    graded_recall,
    interpolated_curve,
    interpolated_graded_curve,
    precision_recall_curve,
)


@st.composite
def judged_by_users(draw: st.DrawFn) -> tuple[Topic, list[Fraction]]:
    topic = draw(topics())
    return topic, draw(users(len(topic.pool) - 1))


def floats(g: list[Fraction]) -> list[float]:
    return [float(p) for p in g]


def reached(g: list[Fraction], grade: int) -> Fraction:
    return sum(g[:grade], Fraction(0))


def graded_points(topic: Topic, g: list[Fraction]) -> list[tuple[float, float]]:
    """(gRec_n, gPrec_n) at the documents that are relevant to some user, as Robertson et al. define them."""
    grades = topic.grades
    expected = sum((p * topic.base(k) for k, p in enumerate(g, 1)), Fraction(0))
    points = []
    for n, pivot in enumerate(grades, 1):
        if reached(g, pivot):
            shared = sum((reached(g, min(other, pivot)) for other in grades[:n]), Fraction(0))
            found = sum((reached(g, other) for other in grades[:n]), Fraction(0))
            points.append((float(found / expected), float(shared / n / reached(g, pivot))))
    return points


def test_golden_graded_recall_and_precision_at_a_rank(golden: dict[str, Any]) -> None:
    for what, judged, case, params, value in golden_cases(golden, "graded_recall"):
        assert graded_recall(judged, shares(case), cutoff=params["n"]) == pytest.approx(value, abs=1e-12), what
    for what, judged, case, params, value in golden_cases(golden, "graded_precision_rank"):
        assert expected_precision(judged, shares(case), cutoff=params["n"]) == pytest.approx(value, abs=1e-12), what


def test_golden_graded_precision_at_a_document(golden: dict[str, Any]) -> None:
    for what, judged, case, params, value in golden_cases(golden, "graded_precision_doc"):
        here = judged.ranks == params["n"]
        assert graded_precision(judged, shares(case))[here] == pytest.approx([value], abs=1e-12), what


def shares(case: dict[str, Any]) -> list[float]:
    return [float(Fraction(p)) for p in case["g"][1:]]


@given(topics(), st.integers(1, 3))
def test_the_curve_has_a_point_at_every_relevant_document(topic: Topic, rel: int) -> None:
    base = topic.base(rel)
    expected = [
        (float(share(topic.count(n, rel), base)), float(topic.precision(n, rel))) for n in topic.relevant_ranks(rel)
    ]
    points = precision_recall_curve(topic.judged, rel).points()
    assert points.shape == (len(expected), 2)
    assert points.ravel().tolist() == pytest.approx([number for point in expected for number in point])


@given(topics(), st.integers(1, 3))
def test_the_area_of_the_curve_is_average_precision(topic: Topic, rel: int) -> None:
    assert precision_recall_curve(topic.judged, rel).area() == pytest.approx(AP(rel=rel)(topic.judged))


@given(topics(), st.integers(1, 3))
def test_the_interpolated_curve_is_interpolated_precision(topic: Topic, rel: int) -> None:
    levels = [tenth / 10 for tenth in range(11)]
    curve = interpolated_curve(topic.judged, rel)
    assert curve.shape == (1, 11)
    for mode in ("exact", "trec9", "trec10"):
        curve = interpolated_curve(topic.judged, rel, mode=mode)
        assert curve[0].tolist() == [(IPrec(rel=rel, mode=mode) @ level)(topic.judged)[0] for level in levels]
    assert interpolated_curve(topic.judged, rel, recalls=[0.5]) == (IPrec(rel=rel) @ 0.5)(topic.judged)
    if rel == 1:
        assert interpolated_curve(topic.judged).tolist() == interpolated_curve(topic.judged, 1).tolist()


@given(topics())
def test_interpolation_takes_the_best_precision_from_a_point_on(topic: Topic) -> None:
    curve = precision_recall_curve(topic.judged)
    raw, best = curve.points()[:, 1], curve.interpolated().points()[:, 1]
    assert best.tolist() == [max(raw[i:]) for i in range(len(raw))]
    assert curve.interpolated().points()[:, 0].tolist() == curve.points()[:, 0].tolist()


@given(judged_by_users())
def test_the_graded_curve_follows_its_definition(given: tuple[Topic, list[Fraction]]) -> None:
    topic, g = given
    points = graded_precision_recall_curve(topic.judged, floats(g)).points()
    expected = graded_points(topic, g)
    assert points.shape == (len(expected), 2)
    assert points.ravel().tolist() == pytest.approx([number for point in expected for number in point])


@given(judged_by_users())
def test_the_area_of_the_graded_curve_is_gap(given: tuple[Topic, list[Fraction]]) -> None:
    topic, g = given
    curve = graded_precision_recall_curve(topic.judged, floats(g))
    assert curve.area() == pytest.approx(GAP(g=floats(g))(topic.judged))


@given(judged_by_users(), st.integers(1, 12))
def test_expected_precision_is_the_mean_of_precision_over_users(given: tuple[Topic, list[Fraction]], n: int) -> None:
    topic, g = given
    mean = sum(float(p) * (P(rel=k) @ n)(topic.judged)[0] for k, p in enumerate(g, 1))
    assert expected_precision(topic.judged, floats(g), cutoff=n) == pytest.approx(mean)


@given(judged_by_users(), st.integers(1, 12))
def test_the_curve_of_expected_precision_has_its_value_at_every_rank(
    given: tuple[Topic, list[Fraction]], depth: int
) -> None:
    topic, g = given
    curve = expected_precision_curve(topic.judged, floats(g), depth=depth)
    means = [sum(reached(g, grade) for grade in topic.grades[:n]) / n for n in range(1, depth + 1)]
    assert curve.shape == (1, depth)
    assert curve[0].tolist() == pytest.approx([float(mean) for mean in means])
    assert expected_precision_curve(topic.judged, floats(g)).shape == (1, len(topic.ranking))


@given(judged_by_users())
def test_the_interpolated_graded_curve_takes_the_best_precision_from_a_level_on(
    given: tuple[Topic, list[Fraction]],
) -> None:
    topic, g = given
    points = graded_points(topic, g)
    best = [max((p for r, p in points if r >= tenth / 10 - 1e-12), default=0) for tenth in range(11)]
    assert interpolated_graded_curve(topic.judged, floats(g))[0].tolist() == pytest.approx(best)
    assert interpolated_graded_curve(topic.judged, floats(g), recalls=[0.3])[0].tolist() == pytest.approx([best[3]])


def test_a_level_of_graded_recall_that_is_reached_but_for_rounding_is_reached() -> None:
    topic, g = Topic((1, 2, 2, 2), (0, 1, 3)), [Fraction(1, 3), Fraction(2, 3)]
    points = graded_points(topic, g)
    assert points[0][0] == 0.1, "the first document is a tenth of what users look for"
    best = [max(p for r, p in points if r >= tenth / 10) for tenth in range(11)]
    assert best[1] > best[2]
    assert interpolated_graded_curve(topic.judged, floats(g))[0].tolist() == pytest.approx(best)


@given(topics(levels=(4,)), st.integers(1, 3))
def test_the_interpolated_graded_curve_of_users_who_agree_is_the_plain_one(topic: Topic, rel: int) -> None:
    graded = interpolated_graded_curve(topic.judged, {rel: 1})
    assert graded[0].tolist() == pytest.approx(interpolated_curve(topic.judged, rel)[0].tolist())


@given(topics(levels=(2,)))
def test_graded_precision_and_recall_of_binary_grades_are_the_plain_ones(topic: Topic) -> None:
    plain, graded = precision_recall_curve(topic.judged), graded_precision_recall_curve(topic.judged)
    assert graded.points() == pytest.approx(plain.points())


def test_graded_precision_takes_the_document_for_relevant_expected_precision_does_not() -> None:
    judged = JudgedRankings.of([0, 1, 2])
    # At rank 3 stands a document of grade 2, relevant to all; half of the users accept the one of grade 1.
    assert graded_precision(judged)[0].tolist() == pytest.approx([0, 1 / 2, (1 + 1 / 2) / 3])
    # At rank 2 half of the users see one relevant document in two, the others none.
    assert expected_precision(judged, cutoff=2) == (1 / 2) * (1 / 2)
    assert graded_recall(judged, cutoff=2) == pytest.approx((1 / 2) / (1 / 2 + 1))
    assert graded_recall(judged) == 1


@given(st.lists(topics(levels=(3,)), min_size=2, max_size=5))
def test_curves_of_a_batch_are_those_of_its_rows(many: list[Topic]) -> None:
    batch = together([topic.judged for topic in many])
    for curve_of in (precision_recall_curve, graded_precision_recall_curve):
        curve = curve_of(batch)
        for row, topic in enumerate(many):
            points = np.stack([curve.recall[row], curve.precision[row]], axis=-1)[curve.point[row]]
            assert points.tolist() == curve_of(topic.judged).points().tolist()
        assert curve.area().tolist() == pytest.approx([curve_of(topic.judged).area()[0] for topic in many])


@given(st.lists(topics(levels=(3,)), min_size=2, max_size=5))
def test_curves_to_be_averaged_have_a_row_for_each_ranking(many: list[Topic]) -> None:
    batch = together([topic.judged for topic in many])
    alone = [expected_precision_curve(topic.judged, depth=9)[0].tolist() for topic in many]
    assert expected_precision_curve(batch, depth=9).tolist() == pytest.approx(np.array(alone))
    alone = [interpolated_graded_curve(topic.judged)[0].tolist() for topic in many]
    assert interpolated_graded_curve(batch).tolist() == pytest.approx(np.array(alone))


def test_points_are_those_of_one_ranking() -> None:
    batch = together([JudgedRankings.of([1, 0]), JudgedRankings.of([0, 1])])
    with pytest.raises(InputError, match=r"points\(\) takes one ranking, not \(2,\)"):
        precision_recall_curve(batch).points()


def test_an_empty_topic_has_a_curve_without_points() -> None:
    for ranking in ([], [0, 0, None]):
        judged = JudgedRankings.of(ranking, pool=[3, 0, 0])
        for curve in (precision_recall_curve(judged), graded_precision_recall_curve(judged)):
            assert curve.points().shape == (0, 2)
            assert curve.area() == 0
        assert graded_recall(judged) == expected_precision(judged, cutoff=5) == 0


def test_curves_check_their_arguments() -> None:
    judged = JudgedRankings.of([1, 2])
    with pytest.raises(InputError, match="rel=0 is not a grade above 0"):
        precision_recall_curve(judged, 0)
    with pytest.raises(InputError, match="sum to 1"):
        graded_precision(judged, [0.5, 0.6])
    with pytest.raises(InputError, match="cutoff=0 is not a whole number of ranks from 1"):
        expected_precision(judged, cutoff=0)
    with pytest.raises(InputError, match="recall=2 is not a recall from 0 to 1"):
        interpolated_curve(judged, recalls=[2])
    with pytest.raises(InputError, match="recall=-1 is not a recall from 0 to 1"):
        interpolated_graded_curve(judged, recalls=[-1])
    with pytest.raises(InputError, match="cutoff=0 is not a whole number of ranks from 1"):
        expected_precision_curve(judged, depth=0)


def test_an_interpolated_curve_without_levels_of_recall_is_refused() -> None:
    with pytest.raises(InputError, match="recalls names no level of recall"):
        interpolated_curve(JudgedRankings.of([1, 0]), recalls=[])
    with pytest.raises(InputError, match="recalls names no level of recall"):
        interpolated_graded_curve(JudgedRankings.of([1, 0]), recalls=[])
