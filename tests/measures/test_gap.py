from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, golden_cases, share, topics, users

from gradeval import AP, GAP, InputError, JudgedRankings, Measure, eGAP, muAP, xGAP
from gradeval.measures.thresholds import normalise

FAMILY = (GAP, eGAP, xGAP)


class Slow:
    """The definitions of Ferrante et al. (2014), literally, for one topic and one distribution g."""

    def __init__(self, topic: Topic, g: list[Fraction]) -> None:
        self.topic, self.grades, self.g = topic, topic.grades, [Fraction(0), *g]
        self.base = [topic.base(k) for k in range(len(topic.pool))]
        self.tau = max((k for k in range(1, len(self.base)) if self.base[k]), default=0)

    def reached(self, grade: int) -> Fraction:
        """G(a)."""
        return sum(self.g[: grade + 1], Fraction(0))

    @property
    def expected_base(self) -> Fraction:
        """Z = E[RB(K)]."""
        return sum((g * base for g, base in zip(self.g, self.base, strict=True)), Fraction(0))

    def ap(self, k: int) -> Fraction:
        ranks = self.topic.relevant_ranks(k)
        return share(sum((self.topic.precision(n, k) for n in ranks), Fraction(0)), self.base[k])

    def gap(self, best: Fraction | None = None, cutoff: int = 10**6) -> Fraction:
        total = Fraction(0)
        for n, pivot in enumerate(self.grades[:cutoff], 1):
            total += sum((self.reached(min(other, pivot)) for other in self.grades[:n]), Fraction(0)) / n
        return share(total, self.expected_base if best is None else best)

    def egap(self) -> Fraction:
        return sum((self.g[k] * self.ap(k) for k in range(1, self.tau + 1)), Fraction(0))

    def xgap(self) -> Fraction:
        total = Fraction(0)
        for n, pivot in enumerate(self.grades, 1):
            if self.reached(pivot):
                chosen = sum((share(self.g[k], self.base[k]) for k in range(1, pivot + 1)), Fraction(0))
                precision = sum((self.g[h] * self.topic.precision(n, h) for h in range(1, pivot + 1)), Fraction(0))
                total += chosen * precision / self.reached(pivot)
        return total


def floats(g: list[Fraction]) -> list[float]:
    return [float(p) for p in g]


def scored(measure: Measure, topic: Topic) -> float:
    return float(measure(topic.judged)[0])


@st.composite
def judged_by_users(draw: st.DrawFn) -> tuple[Topic, list[Fraction]]:
    topic = draw(topics())
    return topic, draw(users(len(topic.pool) - 1))


def test_golden_graded_average_precision(golden: dict[str, Any]) -> None:
    for measure, name in ((GAP, "gap"), (xGAP, "xgap"), (eGAP, "egap")):
        for what, judged, case, params, value in golden_cases(golden, name):
            g = [float(Fraction(p)) for p in case["g"][1:]]
            configured = measure(g=g, **params)
            assert configured(judged) == pytest.approx(value, abs=1e-12), what


def test_golden_mass_reachable_is_what_the_ideal_list_scores(golden: dict[str, Any]) -> None:
    for what, judged, case, _, value in golden_cases(golden, "mass_reachable"):
        g = [float(Fraction(p)) for p in case["g"][1:]]
        best = [grade for grade in range(len(case["R"]) - 1, 0, -1) for _ in range(case["R"][grade])]
        ideal = JudgedRankings.of(best, pool=case["R"])
        assert eGAP(g=g)(ideal) == pytest.approx(value, abs=1e-12), what
        assert xGAP(g=g)(ideal) == pytest.approx(value, abs=1e-12), what
        if eGAP(g=g)(judged) > 0:
            assert eGAP(g=g, renormalise=True)(judged) == pytest.approx(eGAP(g=g)(judged) / value), what


@given(judged_by_users())
def test_graded_average_precision_follows_its_definitions(given: tuple[Topic, list[Fraction]]) -> None:
    topic, g = given
    slow = Slow(topic, g)
    assert scored(GAP(g=floats(g)), topic) == pytest.approx(float(slow.gap()))
    assert scored(eGAP(g=floats(g)), topic) == pytest.approx(float(slow.egap()))
    assert scored(xGAP(g=floats(g)), topic) == pytest.approx(float(slow.xgap()))


@given(judged_by_users(), st.integers(1, 8))
def test_a_cutoff_keeps_the_normaliser_or_takes_the_best_short_list(
    given: tuple[Topic, list[Fraction]], cutoff: int
) -> None:
    topic, g = given
    slow = Slow(topic, g)
    best = sum((slow.reached(grade) for grade in topic.ideal().grades[:cutoff]), Fraction(0))
    whole, short = GAP(g=floats(g)) @ cutoff, GAP(g=floats(g), norm="min") @ cutoff
    assert scored(whole, topic) == pytest.approx(float(slow.gap(cutoff=cutoff)))
    assert scored(short, topic) == pytest.approx(float(slow.gap(best, cutoff)))
    cut = Slow(Topic(topic.ranking[:cutoff], topic.pool), g)
    assert scored(xGAP(g=floats(g)) @ cutoff, topic) == pytest.approx(float(cut.xgap()))
    assert scored(eGAP(g=floats(g)) @ cutoff, topic) == pytest.approx(float(cut.egap()))


@given(judged_by_users())
def test_gap_is_the_mean_of_ap_weighted_by_expected_recall_base(given: tuple[Topic, list[Fraction]]) -> None:
    topic, g = given
    slow = Slow(topic, g)
    weighted = sum((p * topic.base(k) * slow.ap(k) for k, p in enumerate(g, 1)), Fraction(0))
    assert scored(GAP(g=floats(g)), topic) == pytest.approx(float(share(weighted, slow.expected_base)))


# The relations of the family, numbered as in the specification (A.5).


@given(topics(), st.data())
def test_relation_1_one_kind_of_user_makes_all_of_them_ap(topic: Topic, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(topic.pool) - 1))
    for measure in FAMILY:
        assert scored(measure(g={k: 1}), topic) == pytest.approx(scored(AP(rel=k), topic))


@given(topics(levels=(2,)))
def test_relation_1_binary_grades_make_all_of_them_ap(topic: Topic) -> None:
    for measure in FAMILY:
        assert scored(measure, topic) == pytest.approx(scored(AP, topic))


@given(judged_by_users())
def test_relation_2_egap_never_exceeds_xgap_nor_xgap_what_users_can_reach(given: tuple[Topic, list[Fraction]]) -> None:
    topic, g = given
    slow = Slow(topic, g)
    lower, upper = scored(eGAP(g=floats(g)), topic), scored(xGAP(g=floats(g)), topic)
    assert 0 <= lower <= upper + 1e-12 <= float(slow.reached(slow.tau)) + 2e-12 <= 1 + 3e-12
    assert 0 <= scored(GAP(g=floats(g)), topic) <= 1 + 1e-12


@given(judged_by_users())
def test_relation_3_the_ideal_list_scores_1_or_the_share_of_users_it_can_serve(
    given: tuple[Topic, list[Fraction]],
) -> None:
    topic, g = given
    slow = Slow(topic, g)
    served = float(slow.reached(slow.tau))
    assert scored(GAP(g=floats(g)), topic.ideal()) == pytest.approx(1 if served else 0)
    for measure in (eGAP, xGAP):
        assert scored(measure(g=floats(g)), topic.ideal()) == pytest.approx(served)
        assert scored(measure(g=floats(g), renormalise=True), topic.ideal()) == pytest.approx(1 if served else 0)


@given(topics(levels=(4,)), st.data())
def test_relation_4_equal_recall_bases_make_all_of_them_equal(topic: Topic, data: st.DataObject) -> None:
    top = Topic(
        tuple(3 if item in (1, 2) else item for item in topic.ranking), (topic.pool[0], 0, 0, sum(topic.pool[1:]))
    )
    g = floats(data.draw(users(3)))
    values = [scored(measure(g=g), top) for measure in FAMILY]
    assert values == pytest.approx(values[:1] * 3)


@given(judged_by_users(), st.integers(0, 3), st.integers(0, 3))
def test_relation_5_non_relevant_documents_behind_the_list_or_in_the_pool_change_nothing(
    given: tuple[Topic, list[Fraction]], judged: int, unpooled: int
) -> None:
    topic, g = given
    pool = (topic.pool[0] + judged, *topic.pool[1:])
    longer = Topic((*topic.ranking, *[0] * judged, *[None] * unpooled), pool)
    for measure in FAMILY:
        assert scored(measure(g=floats(g)), longer) == pytest.approx(scored(measure(g=floats(g)), topic), abs=1e-15)


@given(judged_by_users(), st.data())
def test_relation_6_moving_the_better_document_down_never_raises_gap_egap_and_mu_ap(
    given: tuple[Topic, list[Fraction]], data: st.DataObject
) -> None:
    topic, g = given
    grades = topic.grades
    pairs = [(i, j) for j in range(len(grades)) for i in range(j) if grades[i] > grades[j]]
    if not pairs:
        return
    i, j = data.draw(st.sampled_from(pairs))
    swapped = list(topic.ranking)
    swapped[i], swapped[j] = swapped[j], swapped[i]
    worse = Topic(tuple(swapped), topic.pool)
    for measure in (GAP(g=floats(g)), eGAP(g=floats(g)), muAP):
        assert scored(measure, worse) <= scored(measure, topic) + 1e-12
    if sum(g[grades[j] : grades[i]], Fraction(0)):  # some user tells the two grades apart
        assert Slow(worse, g).gap() < Slow(topic, g).gap()
        assert scored(GAP(g=floats(g)), worse) < scored(GAP(g=floats(g)), topic)
        assert scored(eGAP(g=floats(g)), worse) < scored(eGAP(g=floats(g)), topic)


def test_relation_6_xgap_may_rise_when_the_better_document_moves_down() -> None:
    xgap = xGAP(g=[2 / 3, 1 / 3])
    assert xgap(JudgedRankings.of([0, 0, 2, 1], pool=[3, 2, 1])) == pytest.approx(8 / 27)
    assert xgap(JudgedRankings.of([0, 0, 1, 2], pool=[3, 2, 1])) == pytest.approx(11 / 36)
    xgap = xGAP(g=[3 / 4, 1 / 4])
    before = xgap(JudgedRankings.of([0, 0, 2, 1, 1, 1, 1, 0], pool=[4, 100, 1]))
    after = xgap(JudgedRankings.of([0, 0, 0, 1, 1, 1, 1, 2], pool=[4, 100, 1]))
    assert (before.round(4), after.round(4)) == (0.1042, 0.1415)


@given(judged_by_users(), st.data())
def test_relation_6_exchanging_neighbours_one_of_them_non_relevant_never_raises_xgap(
    given: tuple[Topic, list[Fraction]], data: st.DataObject
) -> None:
    topic, g = given
    grades = topic.grades
    places = [i for i in range(len(grades) - 1) if grades[i] > 0 == grades[i + 1]]
    if not places:
        return
    i = data.draw(st.sampled_from(places))
    swapped = list(topic.ranking)
    swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    assert scored(xGAP(g=floats(g)), Topic(tuple(swapped), topic.pool)) <= scored(xGAP(g=floats(g)), topic) + 1e-12


@given(judged_by_users())
def test_relation_7_the_ideal_list_is_the_best_for_xgap_too(given: tuple[Topic, list[Fraction]]) -> None:
    topic, g = given
    assert scored(xGAP(g=floats(g)), topic) <= scored(xGAP(g=floats(g)), topic.ideal()) + 1e-12


@pytest.mark.parametrize("n", [1, 10, 100, 10_000])
@pytest.mark.parametrize(("g1", "g2"), [(0.5, 0.5), (0.1, 0.9)])
def test_ferro_limits(n: int, g1: float, g2: float) -> None:
    # n documents of grade 1, then the only one of grade 2 (relation 8)
    judged = JudgedRankings.of([1] * n + [2], pool=[0, n, 1])
    gap, xgap, egap = (float(measure(g=[g1, g2])(judged)[0]) for measure in FAMILY[:1] + FAMILY[2:] + FAMILY[1:2])
    assert gap == pytest.approx((n * g1 + (n * g1 + 1) / (n + 1)) / (n * g1 + 1))
    assert xgap == pytest.approx(n * g1 / (n + 1) + (g1 / (n + 1) + g2) * (n * g1 + 1) / (n + 1))
    assert egap == pytest.approx(g1 + g2 / (n + 1))
    if n == 10_000:
        assert (gap, xgap, egap) == (
            pytest.approx(1, abs=2e-3),
            pytest.approx(1 - g2**2, abs=2e-3),
            pytest.approx(1 - g2, abs=2e-3),
        )


def test_ferro_limits_golden(golden: dict[str, Any]) -> None:
    for n in (1, 10, 100):
        [case] = [one for one in golden["examples"] if one["name"] == f"Ferro14 limit, n={n}, g2=9/10"]
        judged = JudgedRankings.of([1] * n + [2], pool=[5, n, 1])
        for measure in FAMILY:
            value = measure(g=[0.1, 0.9])(judged)
            assert value == pytest.approx(case[measure.name.lower()]["value"], abs=1e-12)


def test_the_limit_of_gap_is_0_where_no_user_accepts_grade_1() -> None:
    assert GAP(g=[0, 1])(JudgedRankings.of([1] * 999 + [2])) == pytest.approx(1 / 1000)


@pytest.mark.parametrize("name", ["g2=1/2", "g2=9/10"])
def test_ferro_step_one_probabilities(golden: dict[str, Any], name: str) -> None:
    # Ten documents of grade 1, one of grade 2: how likely is each to be picked first (relation 9)? A document
    # at rank 1 has precision 1 and contributes just that, so it is read off a list of this document alone.
    g2 = float(Fraction(name[3:]))
    g = [1 - g2, g2]
    first = {grade: JudgedRankings.of([grade], pool=[0, 10, 1]) for grade in (1, 2)}
    picked = {(m.name, grade): float(m(g=g)(first[grade])[0]) for m in (GAP, xGAP) for grade in (1, 2)}
    assert picked["GAP", 1] == pytest.approx((1 - g2) / (10 * (1 - g2) + 1))
    assert picked["GAP", 2] == pytest.approx(1 / (10 * (1 - g2) + 1))
    assert picked["xGAP", 1] == pytest.approx((1 - g2) / 11)
    assert picked["xGAP", 2] == pytest.approx((1 - g2) / 11 + g2)
    [case] = [one for one in golden["examples"] if one["name"] == f"Ferro14 step-1 probabilities {name}"]
    for measure, grade in picked:
        assert picked[measure, grade] == pytest.approx(case[f"{measure.lower()}_grade{grade}"]["value"], abs=1e-12)


def test_gap_test_list_of_infer_net() -> None:
    assert GAP(JudgedRankings.of([3, 1, 2, 2])) == pytest.approx(89 / 96)


def test_g_must_be_a_distribution() -> None:
    with pytest.raises(InputError, match=r"GAP: g=\[1,2\] is not probabilities that sum to 1"):
        GAP(g=[1, 2])
    with pytest.raises(InputError, match=r"GAP: g=.* is not probabilities that sum to 1"):
        GAP(g=[1.5, -0.5])


def test_weights_become_probabilities() -> None:
    assert normalise([1, 3]) == [0.25, 0.75]
    assert normalise({1: 2, 3: 2}) == {1: 0.5, 3: 0.5}
    with pytest.raises(InputError, match="sum above 0"):
        normalise([0, 0])


def test_g_names_grades_or_lists_all_positive_levels() -> None:
    judged = JudgedRankings.of([2, 0, 3, 1], pool=[2, 2, 2, 2])
    for measure in FAMILY:
        assert measure(g={2: 0.25, 3: 0.75})(judged) == measure(g=[0, 0.25, 0.75])(judged)
        assert measure(judged) == pytest.approx(measure(g=[1 / 3, 1 / 3, 1 / 3])(judged))
        with pytest.raises(InputError, match=r"g has 2 probabilities, the collection has 3 positive levels \(1,2,3\)"):
            measure(g=[0.5, 0.5])(judged)
        with pytest.raises(InputError, match="g names grade 4, the collection has 1,2,3"):
            measure(g={4: 1})(judged)


def test_levels_belong_to_the_collection_not_to_the_topic() -> None:
    # Nothing of grade 3 in this topic: users who want it find nothing, and count for eGAP and xGAP.
    judged = JudgedRankings.of([2, 1], pool=[0, 1, 1, 0])
    assert GAP(judged) == 1
    assert eGAP(judged) == pytest.approx(2 / 3)
    assert xGAP(judged) == pytest.approx(2 / 3)
    assert eGAP(renormalise=True)(judged) == 1


def test_a_topic_is_empty_where_it_holds_nothing_for_any_user() -> None:
    judged = JudgedRankings.of([1, 2], pool=[0, 1, 1, 0])
    for measure in FAMILY:
        assert measure(g={3: 1}).base(judged) == 0
        assert measure(g={3: 1})(judged) == 0
        assert measure(g={2: 1}).base(judged) == 1


def test_many_levels_are_no_obstacle() -> None:
    grades = [float(grade) for grade in range(1, 159)]
    judged = JudgedRankings.of(grades[::-1])
    for measure in (*FAMILY, muAP):
        assert measure(judged) == pytest.approx(1)
