from __future__ import annotations

import re

import numpy as np
import pytest
from two_assessors import two_assessors

from gradeval import InputError, Qrels, evaluate, parse_measure, read_qrels
from gradeval.collection.joint_pool import Regrading, about_other_scale, join_pools
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Negative
from gradeval.files.accepted import as_qrels, as_runs
from gradeval.scores.scoring import score

HUMAN = {"1": {"a": 2, "b": 0}, "2": {"c": 1}, "3": {"e": 1}}


def join(judge: dict[str, dict[str, float]], levels: tuple[float, ...] | None = None, name: str = "judge"):
    return join_pools(Qrels.from_dict(HUMAN), {name: Qrels.from_dict(judge)}, levels)


def test_the_grades_stand_side_by_side_and_what_one_side_lacks_is_no_grade() -> None:
    pool = join({"2": {"d": 2, "c": 0}, "1": {"b": 1}, "9": {"z": 2}})
    assert [pool.qrels.pools.documents(place) for place in range(3)] == [["a", "b"], ["c"], ["e"]]
    np.testing.assert_array_equal(pool.human, [2, 0, 1, 1])
    np.testing.assert_array_equal(pool.judges["judge"], [np.nan, 1, 0, np.nan])
    np.testing.assert_array_equal(pool.topic, [0, 0, 1, 2])
    np.testing.assert_array_equal(pool.common("judge"), [False, True, True, False])
    assert (pool.strangers, pool.extra) == ({"judge": ["9"]}, {"judge": 1})


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            {"1": {"a": 5, "b": 4}, "2": {"c": 0}},
            r"judge: 2 of 3 grades \(4, 5\) outside the levels 0,1,2 of qrels; accepted: .*\.recoded\({4: 2, 5: 2}\)",
        ),
        (
            {"1": {"a": 5, "b": 4}, "2": {"c": 2}},  # a scale from 1
            r"judge: 2 of 3 grades \(4, 5\) outside .*\.recoded\({2: 1, 4: 2, 5: 2}\)",
        ),
        (
            {"1": {f"d{place}": place / 4 for place in range(5)}},
            r"judge: 3 of 5 grades \(0.25, 0.5, 0.75\) outside .*\.recoded\({0.25: 1, 0.5: 1, 0.75: 2, 1: 2}\)",
        ),
        ({"1": {"a": 0.5, "b": 0.25}}, r"\.recoded\({0.25: 1, 0.5: 1}\)"),  # of 1, which nothing has
        ({"1": {"a": 0, "b": 1.5, "c": 2}}, r"\.recoded\({1.5: 1}\)"),  # as a mean of the levels
        (
            {"1": {"a": 0, "b": 1, "c": 5}},
            r"\.recoded\({5: 2}\), or levels=\(0,1,2,5\) if both sides may give these$",
        ),  # in their order
        ({"1": {"a": 2 / 3}}, r"\.recoded\({0.6666666666666666: 1}\)"),  # which reads back
        (
            {"1": {f"d{place}": 5 * place for place in range(21)}},
            r"20 of 21 grades \(5, .* and 14 more\) outside .*; it has 21 grades, put them into classes$",
        ),
        (
            {"1": {f"d{place}": 9.3 - place / 8 for place in range(40)}},
            r"judge: 40 of 40 grades \(4.425, 4.55, 4.675, 4.8, 4.925, 5.05 and 34 more\) outside the levels "
            r"0,1,2 of qrels; accepted: judgments; these look like the scores of a run$",
        ),
        (
            {"1": {"a": 1, "b": 0}},
            r"has no grade above 1, qrels has up to 2: is it binary\? accepted: .*\.recoded\({1: 0, 2: 1}\) \(",
        ),
        ({"7": {"a": 2}}, "judge: no pair of topic and document in common with qrels: 7 a here, 1 a there"),
        ({"1": {"q": 2}}, "no pair of topic and document in common"),
    ],
)
def test_a_judge_that_cannot_be_compared_is_refused(judge: dict[str, dict[str, float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        join(judge)


@pytest.mark.parametrize("levels", [None, (0, 1, 2)])
@pytest.mark.parametrize(
    ("grades", "said"),
    [
        (["0/5", "2/5", "3/5", "5/5"], r"2 of 4 grades \(3, 5\) outside .*\.recoded\({2: 1, 3: 1, 5: 2}\) \("),
        (["0/5", "2/5"], r"judge: its grades are out of 5, and qrels has up to 2; .*\.recoded\({2: 1}\) \("),
        (["0/1", "1/1"], r"judge: its grades are out of 1, .*\.recoded\({1: 2}\) \("),
    ],
)
def test_grades_out_of_another_top_than_the_humans_are_refused_and_their_shares_proposed(
    grades: list[str], said: str, levels: tuple[float, ...] | None
) -> None:
    judge = as_qrels({"1": dict(zip("abcd", grades, strict=False))})
    with pytest.raises(InputError, match=said):
        join_pools(Qrels.from_dict(HUMAN), {"judge": judge}, levels)
    recoded = judge.recoded({grade: round(2 * grade / judge.highest) for grade in (1, 2, 3, 5)})
    assert join_pools(Qrels.from_dict(HUMAN), {"judge": recoded}, (0, 1, 2)).levels == (0, 1, 2)


def test_grades_out_of_the_humans_top_are_compared_as_they_are() -> None:
    for human in (Qrels.from_dict(HUMAN), as_qrels({"1": {"a": "1/2", "b": "0/2"}})):
        judge = as_qrels({"1": {"a": "1/2", "b": "0/2"}})
        assert join_pools(human, {"judge": judge}).judges["judge"].tolist()[:2] == [1, 0]


def test_what_python_is_told_to_type_is_whole_and_makes_the_judge_comparable() -> None:
    human = {"1": {f"d{place}": place % 4 for place in range(11)}}
    fine = {"1": {f"d{place}": place for place in range(11)}}
    for sides in ((human, fine), (fine, human)):  # also where the judge's scale is the shorter one
        with pytest.raises(InputError) as error:
            join_pools(Qrels.from_dict(sides[0]), {"judge": Qrels.from_dict(sides[1])})
        table = {int(old): int(new) for old, new in re.findall(r"(\d+): (\d+)", str(error.value).partition("({")[2])}
        assert table == {1: 0, 2: 1, 3: 1, 4: 1, 5: 2, 6: 2, 7: 2, 8: 2, 9: 3, 10: 3}
        assert "Qrels.from_dict(QRELS).recoded({1: 0, 2: 1, 3: 1, 4: 1, 5: 2, 6: 2, 7: 2, 8: 2, 9: 3, 10: 3})" in str(
            error.value
        )
        both = [Qrels.from_dict(one).recoded(table if one is fine else {}) for one in sides]
        assert join_pools(both[0], {"judge": both[1]}).levels == (0, 1, 2, 3)


@pytest.mark.parametrize("top", [4, 5, 9])
def test_a_judge_whose_top_is_more_than_half_of_the_humans_is_compared_as_it_is(top: int) -> None:
    human = Qrels.from_dict({"1": {f"d{place}": place for place in range(top + 1)}})
    strict = Qrels.from_dict({"1": {f"d{place}": min(place, top // 2 + 1) for place in range(top + 1)}})
    assert join_pools(human, {"judge": strict}).levels == human.levels


def test_declared_levels_over_two_scales_are_told_of_and_over_one_scale_not() -> None:
    human = Qrels.from_dict({"1": {f"d{place}": place % 4 for place in range(11)}}, "human")
    fine = Qrels.from_dict({"1": {f"d{place}": place for place in range(11)}})
    (note,) = about_other_scale("judge", fine, human)
    assert str(note).startswith(
        "judge: has grades to 10, and human to 3; if these are two scales, leave the levels out"
    )
    assert "--recode judge:1=0,2=1,3=1,4=1,5=2,6=2,7=2,8=2,9=3,10=3 (Qrels.from_dict(QRELS).recoded({1: 0, 2: 1" in str(
        note
    )
    assert not [*about_other_scale("judge", Qrels.from_dict({"1": {"a": 0, "b": 1, "c": 2, "d": 4}}), human)]
    assert not [*about_other_scale("judge", human, fine)]


def test_declared_levels_say_that_the_one_of_a_binary_judge_is_the_grade_one() -> None:
    assert join({"1": {"a": 1, "b": 0}}, (0, 1, 2)).levels == (0, 1, 2)


def test_a_grade_outside_the_declared_levels_is_refused_on_both_sides() -> None:
    with pytest.raises(InputError, match="judge: 1 of 1 grades \\(3\\) outside the levels 0,1,2;"):
        join({"1": {"a": 3}}, (0, 1, 2))
    with pytest.raises(InputError, match="grade 2 is not one of the levels 0,1"):
        join({"1": {"a": 1}}, (0, 1))


MEASURES = ["AP", "GAP", "xGAP", "nDCG@5", "Bpref", "infAP", "Judged@10", "NumRel", "RBP"]


@pytest.mark.parametrize("negative", ["nonrelevant", "unjudged"])
@pytest.mark.parametrize("seed", range(3))
def test_runs_that_met_all_assessors_score_as_if_read_for_each(seed: int, negative: Negative) -> None:
    drawn = two_assessors(seed, same_pool=False)
    for topic in drawn.human:
        drawn.human[topic]["d7"] = -1
        drawn.judge[topic]["d9"] = -2
    pool = join_pools(Qrels.from_dict(drawn.human), {"judge": Qrels.from_dict(drawn.judge)})
    met = meet(pool.qrels, as_runs(drawn.runs))
    measures = [parse_measure(name) for name in MEASURES]
    shared = {t: {d: grade for d, grade in drawn.judge[t].items() if d in drawn.human.get(t, {})} for t in drawn.judge}
    for judgments, grades in ((drawn.human, pool.human), (shared, pool.judges["judge"])):
        expected = evaluate(judgments, drawn.runs, measures, negative=negative)
        values = score(Regrading(met, pool.levels, negative).by(grades), measures).values
        np.testing.assert_array_equal(values, expected.values)


def test_every_grade_moves_and_the_levels_follow() -> None:
    ratings = Qrels.from_dict({"me": {"a": 1, "b": 10}, "you": {"a": 4}})
    shifted = ratings.shifted(-1)
    assert [shifted.of(who) for who in ("me", "you")] == [{"a": 0, "b": 9}, {"a": 3}]
    assert shifted.levels == tuple(range(10))
    assert ratings.of("me") == {"a": 1, "b": 10}  # as before


def test_steps_that_doubles_cannot_hold_are_rounded() -> None:
    assert Qrels.from_dict({"me": {"a": 1.1, "b": 1}}).shifted(-1).levels == (0, 0.1)


def test_no_grade_moves_by_no_number() -> None:
    with pytest.raises(InputError, match="qrels: grades cannot be shifted by nan; give a finite number, as in -1"):
        Qrels.from_dict({"me": {"a": 1}}).shifted(float("nan"))


def test_a_file_is_shifted_before_it_is_recoded(tmp_path) -> None:
    (tmp_path / "ratings.txt").write_text("me 0 a 5\nme 0 b 1\n")
    assert read_qrels(tmp_path / "ratings.txt", shift=-1, recode={4: 1}).of("me") == {"a": 1, "b": 0}
