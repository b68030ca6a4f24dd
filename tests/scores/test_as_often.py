"""Values if unjudged documents were relevant as often as judged ones, against a loop over the documents."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from gradeval import Scores, evaluate, parse_measure
from gradeval.collection.meeting import meet
from gradeval.collection.qrels import Qrels
from gradeval.collection.runs import Run
from gradeval.scores.as_often import DEEP, NEAREST, score_as_often, sees_unjudged, values_as_often

pytestmark = pytest.mark.filterwarnings("ignore")

Judgments = dict[str, dict[str, int]]
Lists = dict[str, list[str]]
SHORT = "P@5 P@10 R@10 nDCG@10 nDCG AP GAP Q RBP ERR nERR RR Rprec Bpref SetR SetP".split()


def collection(seed: int, length: int, share: float = 0.6) -> tuple[Judgments, Lists]:
    """Judgments with many documents of each grade, and lists of which a share is judged."""
    draw = random.Random(seed)
    qrels = {str(topic): {f"d{one}": one % 4 for one in range(4 * length)} for topic in range(8)}
    lists = {}
    for topic, grades in qrels.items():
        found = draw.sample([*grades], length)
        lists[topic] = [one if draw.random() < share else f"new{one}" for one in found]
    return qrels, lists


def score(qrels: Judgments, lists: Lists, measures: str) -> Scores:
    run = Run.from_dict({topic: {one: -float(at) for at, one in enumerate(some)} for topic, some in lists.items()})
    return score_as_often(evaluate(qrels, run, measures), meet(Qrels.from_dict(qrels), [run]))


def mean_gains(grades: dict[str, int], ranked: list[str], gain: dict[int, float]) -> list[float]:
    """By rank the gain: its own, or the mean over the draws from the ten judged documents nearest to it."""
    judged = [gain[grades[one]] for one in ranked if one in grades]
    found, above = [], 0
    for one in ranked:
        if one in grades:
            above += 1
            found.append(gain[grades[one]])
            continue
        first = max(0, min(above - NEAREST // 2, len(judged) - NEAREST))
        near = judged[first : first + NEAREST]
        drawn = [near[math.floor((part + 0.5) / NEAREST * len(near))] for part in range(NEAREST)] if near else [0.0]
        found.append(sum(drawn) / len(drawn))
    return found


@pytest.mark.parametrize("length", [3, 10, 30])
@pytest.mark.parametrize("seed", range(5))
def test_measures_that_add_up_gains_have_the_means_of_a_loop(seed: int, length: int) -> None:
    qrels, lists = collection(seed, length)
    found = score(qrels, lists, "P@5 P@10 nDCG@10 DCG@20").as_often
    assert found is not None
    for at, (topic, ranked) in enumerate(lists.items()):
        grades = qrels[topic]
        ideal = sorted(grades.values(), reverse=True)[:10]
        best = sum(grade / math.log2(rank + 1) for rank, grade in enumerate(ideal, 1))

        def gains(depth: int, ranked: list[str] = ranked, grades: dict[str, int] = grades) -> float:
            several = mean_gains(grades, ranked, {grade: float(grade) for grade in range(4)})[:depth]
            return sum(one / math.log2(rank + 1) for rank, one in enumerate(several, 1))

        relevant = {grade: float(grade > 0) for grade in range(4)}
        precision = [sum(mean_gains(grades, ranked, relevant)[:depth]) / depth for depth in (5, 10)]
        assert found[0, at].tolist() == pytest.approx([*precision, gains(10) / best, gains(20)])


def test_a_pool_holds_what_a_ranking_would_hold() -> None:
    """One relevant document is judged, at the first rank: with unjudged ones as relevant, the list is perfect."""
    found = score({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, {"1": ["a", "x", "y"], "2": ["a"]}, "nDCG@3 AP R@3 P@3 RR")
    assert found.as_often is not None
    assert found.as_often[0].tolist() == [[1.0] * 5, found.values[0, 1].tolist()]


@pytest.mark.parametrize("seed", range(4))
def test_values_stay_between_nothing_and_perfect_and_are_more_than_as_scored(seed: int) -> None:
    qrels, lists = collection(seed, 10, share=0.4)
    found = score(qrels, lists, " ".join(SHORT))
    assert found.as_often is not None
    assert (values_as_often(found) <= 1 + 1e-12).all()
    assert (found.as_often.mean(1) > found.values.mean(1)).all()


def test_rankings_of_which_all_or_nothing_is_judged_keep_their_values() -> None:
    qrels, lists = collection(1, 10, share=1.0)
    lists["0"] = [f"new{at}" for at in range(10)]
    found = score(qrels, lists, " ".join(SHORT))
    assert found.as_often is not None
    assert found.as_often.tolist() == found.values.tolist()


def test_a_ranking_has_its_value_whatever_is_scored_with_it() -> None:
    qrels, lists = collection(2, 10)
    long = collection(3, 2 * DEEP)[1]
    alone = [score(qrels, {"1": some["1"]}, "AP nDCG@10 P@5").as_often for some in (lists, long)]
    mixed = score(qrels, {"1": lists["1"], "2": long["1"]}, "P@5 nDCG@10 AP").sel(measures="AP nDCG@10 P@5").as_often
    assert alone[0] is not None
    assert mixed is not None
    assert mixed[0, 1].tolist() == alone[0][0, 1].tolist()


def test_of_long_rankings_judged_documents_alone_are_scored_and_divided_by_the_share_of_the_top(tmp_path: Path) -> None:
    qrels, lists = collection(4, 2 * DEEP, share=0.7)
    found = score(qrels, lists, "AP RR nDCG@1000 P@1000 nDCG@100")
    alone = score(qrels, lists, "AP(judged_only=True) RR(judged_only=True) nDCG(judged_only=True)@1000").values[0]
    share = np.mean([one in qrels[topic] for topic, ranked in lists.items() for one in ranked[:10]])
    assert found.as_often is not None
    assert found.as_often[0, :, :3].tolist() == alone.tolist()
    expected = alone / [share, 1, share]
    assert values_as_often(found)[0, :, :3] == pytest.approx(np.minimum(expected, 1))
    assert values_as_often(found)[0, :, 4].tolist() == found.as_often[0, :, 4].tolist()


def test_evaluate_of_files_knows_them(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"{topic} 0 d{one} {one % 2}\n" for topic in "123" for one in range(4)))
    lines = [f"{topic} Q0 {one} 1 {9 - rank} r\n" for topic in "123" for rank, one in enumerate(("n", "d1", "m", "d0"))]
    (tmp_path / "run.txt").write_text("".join(lines))
    files = tmp_path / "qrels.txt", tmp_path / "run.txt"
    scores = evaluate(*files, "AP P@2 Unjudged@2")
    assert scores.as_often is not None
    assert scores.values[0, 0].tolist() == [0.25, 0.5, 0.5]
    assert scores.as_often[0, 0, 1:].tolist() == pytest.approx([0.75, 0.5])  # n is relevant as often as d1 and d0
    assert evaluate(files[0], {"1": {"d0": 1.0}}, "AP").as_often is None  # no document is unjudged


def test_measures_that_see_unjudged_documents() -> None:
    assert sees_unjudged(parse_measure("AP"))
    assert not sees_unjudged(parse_measure("Unjudged@2"))
    assert not sees_unjudged(parse_measure("AP(judged_only=True)"))
