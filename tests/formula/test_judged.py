from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankings import Topic, together, topics

from gradeval import AP, InputError, JudgedRankings, judge
from gradeval.formula.arithmetic import ratio


def test_a_ranking_typed_by_hand_keeps_ranks_and_grades_of_the_pooled_documents() -> None:
    judged = JudgedRankings.of([0, 3, None, "U", 2], pool=[1, 4, 3, 3])
    assert judged.ranks.tolist() == [[1, 2, 4, 5]]
    assert judged.grades.tolist() == [[0, 3, 0, 2]]
    assert judged.judged.tolist() == [[True, True, False, True]]
    assert judged.document.tolist() == [[0, 1, 2, 3]]
    assert judged.pool.tolist() == [[1, 4, 3, 3]]
    assert judged.levels == (0, 1, 2, 3)
    assert judged.positive == (1, 2, 3)
    assert judged.retrieved.tolist() == [5]
    assert judged.level.tolist() == [[0, 3, 0, 2]]
    assert judged.pooled.all()


def test_the_default_pool_is_the_list_itself_and_gaps_between_whole_grades_are_levels() -> None:
    judged = JudgedRankings.of([3, None, 0, "U", 3])
    assert judged.levels == (0, 1, 2, 3)
    assert judged.pool.tolist() == [[1, 0, 0, 2]]


def test_levels_may_be_declared() -> None:
    judged = JudgedRankings.of([0.5, 0], levels=[0, 0.5, 1.5])
    assert judged.pool.tolist() == [[1, 1, 0]]
    assert judged.recall_base(1).tolist() == [0]
    assert judged.recall_base(0.5).tolist() == judged.recall_base(0.1).tolist() == [1]


def test_an_empty_ranking_is_a_ranking() -> None:
    judged = JudgedRankings.of([], pool=[4, 2])
    assert judged.ranks.shape == (1, 0)
    assert AP(judged) == AP(judged.condensed()) == (AP @ 3)(judged) == 0


@pytest.mark.parametrize(
    ("ranking", "given", "message"),
    [
        ([4], {"pool": [1, 1, 1]}, "grade 4 is not one of the levels 0,1,2"),
        ([-1], {}, "grade -1 is not one of the levels 0,1"),
        ([1], {"pool": [1, 1], "levels": [0, 1, 2]}, "pool has 2 counts for the 3 levels 0,1,2"),
        ([1, 1], {"pool": [0, 1]}, "the ranking holds 2 documents of grade 1, the pool only 1"),
        ([1], {"pool": [0, 1.5]}, "the pool has 1.5 documents of grade 1; give a whole number"),
        ([1], {"levels": [1, 2]}, "levels 1,2 must ascend from 0"),
        ([float("nan")], {}, "grade nan is not one of the levels"),
        (["X"], {}, "'X' at rank 1 is neither a grade, None nor 'U'"),
    ],
)
def test_a_ranking_that_cannot_be_is_an_error(ranking: list[float], given: dict[str, list[int]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        JudgedRankings.of(ranking, **given)


@given(topics(), st.integers(1, 3))
def test_hits_counts_and_recall_bases(topic: Topic, rel: int) -> None:
    judged = topic.judged
    assert judged.hits(rel)[0].tolist() == [
        item >= rel if isinstance(item, int) else False for item in topic.ranking if item is not None
    ]
    assert judged.counts(rel)[0].tolist() == [topic.count(int(n), rel) for n in judged.ranks[0]]
    assert judged.relevant_retrieved(rel) == topic.count(len(topic.ranking), rel)
    assert judged.recall_base(rel) == topic.base(rel)


@given(topics(), st.integers(0, 12))
def test_the_ideal_ranking_takes_the_best_grades_first(topic: Topic, length: int) -> None:
    best = topic.ideal().ranking
    whole, short = topic.judged.ideal()[0], topic.judged.ideal(length)[0]
    assert whole.tolist() == [best.count(grade) if grade else 0 for grade in range(len(topic.pool))]
    assert short.tolist() == [best[:length].count(grade) if grade else 0 for grade in range(len(topic.pool))]


@given(topics(unjudged=4), st.integers(1, 12))
def test_the_top_is_the_ranking_cut_and_the_pool_whole(topic: Topic, cutoff: int) -> None:
    assert same(topic.judged.top(cutoff), Topic(topic.ranking[:cutoff], topic.pool).judged)


@given(topics(unjudged=4))
def test_the_condensed_ranking_is_the_ranking_of_the_judged_documents(topic: Topic) -> None:
    judged = tuple(item for item in topic.ranking if isinstance(item, int))
    assert same(topic.judged.condensed(), Topic(judged, topic.pool).judged)


@given(st.lists(topics(levels=(3,), unjudged=4), min_size=1, max_size=5), st.integers(1, 8))
def test_rows_are_cut_and_condensed_each_for_itself(many: list[Topic], cutoff: int) -> None:
    batch = together([topic.judged for topic in many])
    for row, topic in enumerate(many):
        assert same(one_row(batch.top(cutoff), row), topic.judged.top(cutoff))
        assert same(one_row(batch.condensed(), row), topic.judged.condensed())


def one_row(batch: JudgedRankings, row: int) -> JudgedRankings:
    return JudgedRankings(
        grades=batch.grades[row : row + 1],
        ranks=batch.ranks[row : row + 1],
        judged=batch.judged[row : row + 1],
        document=batch.document[row : row + 1],
        pool=batch.pool[row : row + 1],
        levels=batch.levels,
        retrieved=batch.retrieved[row : row + 1],
    )


def same(one: JudgedRankings, other: JudgedRankings) -> bool:
    """Are they the same but for padding and the numbers of documents? And is the padding as it should be?"""
    for rankings in (one, other):
        padding = ~rankings.pooled
        assert (np.sort(padding, axis=-1) == padding).all(), "padding comes last"
        assert (rankings.ranks[padding] == np.inf).all()
        assert not rankings.grades[padding].any()
        assert not rankings.judged[padding].any()
        assert (np.sort(rankings.ranks, axis=-1) == rankings.ranks).all()
    return (
        one.ranks[one.pooled].tolist() == other.ranks[other.pooled].tolist()
        and one.grades[one.pooled].tolist() == other.grades[other.pooled].tolist()
        and one.judged[one.pooled].tolist() == other.judged[other.pooled].tolist()
        and one.pool.tolist() == other.pool.tolist()
        and one.retrieved.tolist() == other.retrieved.tolist()
    )


def test_sums_are_worked_out_once() -> None:
    judged = JudgedRankings.of([1, 0, 2])
    assert judged.counts(1) is judged.counts(1)
    assert judged.top(2) is judged.top(2)
    assert judged.condensed() is judged.condensed()
    assert judged.top(2).counts(1) is not judged.counts(1)


def test_a_ratio_is_0_where_there_is_nothing_to_divide_by() -> None:
    assert ratio(np.array([1, 2, 0]), np.array([2, 0, 0])).tolist() == [0.5, 0, 0]
    assert ratio(np.array(3), np.array([[1], [2]])).tolist() == [[3], [1.5]]


def test_judging_a_run_gives_what_one_would_type_by_hand() -> None:
    qrels = {"1": {"a": 2, "b": 0, "c": 1, "d": -1}, "2": {"e": 1}}
    runs = {"1": {"x": 5.0, "a": 4.0, "d": 3.0, "b": 2.0}}
    typed = JudgedRankings.of([None, 2, 0, 0], pool=[2, 1, 1])
    met = judge(qrels, runs).rectangle
    assert met.ranks[0, 0].tolist() == typed.ranks[0].tolist()
    assert met.grades[0, 0].tolist() == typed.grades[0].tolist()
    assert met.pool[0].tolist() == typed.pool[0].tolist()
    assert met.retrieved[0, 0] == typed.retrieved[0]
    unjudged = judge(qrels, runs, negative="unjudged").rectangle
    assert unjudged.judged[0, 0].tolist() == JudgedRankings.of([None, 2, "U", 0], pool=[1, 1, 1]).judged[0].tolist()
    assert unjudged.pool[0].tolist() == [1, 1, 1]


def test_empty_rankings_have_the_pools_and_no_document() -> None:
    pool = np.array([[3, 1], [0, 2]])
    empty = JudgedRankings.empty(pool, (0.0, 1.0))
    assert empty.recall_base(1).tolist() == [1, 2]
    assert empty.retrieved.tolist() == [0, 0]
    assert AP(empty).tolist() == [0, 0]


def test_full_rankings_are_those_typed_by_hand() -> None:
    full = JudgedRankings.full(np.array([[0, 2, 1]]), np.array([[1, 1, 1]]), (0.0, 1.0, 2.0))
    typed = JudgedRankings.of([0, 2, 1])
    for name in ("grades", "ranks", "judged", "document", "pool", "retrieved"):
        np.testing.assert_array_equal(getattr(full, name), getattr(typed, name))


def test_full_rankings_may_have_gaps_and_padding() -> None:
    grades, ranks = np.array([[2.0, 1.0], [1.0, 5.0]]), np.array([[1.0, 4.0], [2.0, np.inf]])
    full = JudgedRankings.full(grades, np.array([[1, 1, 1]]), (0.0, 1.0, 2.0), ranks)
    assert full.retrieved.tolist() == [4, 2]
    assert full.grades.tolist() == [[2, 1], [1, 0]]
    assert full.judged.tolist() == [[True, True], [True, False]]
    assert full.document.tolist() == [[0, 1], [0, -1]]
