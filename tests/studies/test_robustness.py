"""Thinned pools and what they do to the order of runs: against meeting thinned qrels anew."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats
from thinned_collection import MEASURES, thinned_qrels

from gradeval import InputError, JudgedRuns, Qrels, Run, SignificanceWarning, evaluate, judge
from gradeval.collection.thinned import thinned, topic_of
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import REGISTRY
from gradeval.studies.robustness import PoolDepth, Random, Stratified, count_kept, robustness
from gradeval.studies.simulate import simulate_collection


@pytest.fixture(scope="module")
def collection() -> tuple[Qrels, list[Run]]:
    drawn = simulate_collection(topics=6, systems=7, levels=3, depth=60, documents=150, seed=4)
    return Qrels.from_dict(drawn.qrels), [Run.from_dict(run, name) for name, run in drawn.runs.items()]


@pytest.fixture(scope="module")
def judged(collection: tuple[Qrels, list[Run]]) -> JudgedRuns:
    return judge(*collection)


def strata(judged: JudgedRuns, kept: Array) -> Counter[tuple[int, float]]:
    topics, grades = topic_of(judged), judged.grading.grades[:-1]
    return Counter((int(topics[d]), float(grades[d])) for d in np.flatnonzero(kept))


def test_golden_sizes(golden: dict[str, Any]) -> None:
    for case in golden["downsample_sizes"]:
        assert count_kept(np.array(case["n"]), case["percent"], case["minimum"]) == case["kept"], case


def test_stratified_sampling_keeps_so_many_of_each_grade_of_each_topic(judged: JudgedRuns) -> None:
    rates = (100.0, 50.0, 10.0, 3.0, 0.0)
    drawn = Stratified(rates, floor=2, floor_nonrelevant=5).draw(judged, np.random.default_rng(1))
    whole = strata(judged, np.ones(drawn.shape[-1], bool))
    for rate, kept in zip(rates, drawn, strict=True):
        left = strata(judged, kept)
        for (topic, grade), size in whole.items():
            floor = 5 if grade == 0 else 2
            assert left[topic, grade] == min(size, max(floor, math.floor(rate * size / 100 + 0.5)))


@pytest.mark.parametrize("sampling", [Stratified(), Stratified(floor=0, floor_nonrelevant=0), Random(), PoolDepth()])
def test_smaller_pools_lie_within_larger_ones(judged: JudgedRuns, sampling: Any) -> None:
    drawn = sampling.draw(judged, np.random.default_rng(2))
    assert len(drawn) == len(sampling.steps)
    for larger, smaller in pairwise(drawn):
        assert (larger | ~smaller).all()


def test_random_sampling_keeps_so_many_of_each_pool_and_a_relevant_document(judged: JudgedRuns) -> None:
    rates = (60.0, 2.0)
    drawn = Random(rates).draw(judged, np.random.default_rng(3))
    topic = topic_of(judged)
    sizes = np.bincount(topic)
    for rate, kept in zip(rates, drawn, strict=True):
        assert np.bincount(topic[kept]).tolist() == count_kept(sizes, rate, 1).tolist()
    relevant = judged.grading.grades[:-1] > 0
    assert set(topic[drawn[1] & relevant]) == set(topic[relevant])


def test_depth_keeps_what_some_run_has_among_its_first(collection: tuple[Qrels, list[Run]], judged: JudgedRuns) -> None:
    qrels, runs = collection
    kept = PoolDepth((3,)).draw(judged, np.random.default_rng(0))[0]
    place = 0
    for topic in qrels.topics:
        first = set()
        for run in runs:
            if topic in run.topics:
                first |= set(sorted(run.of(topic), key=lambda d: (run.of(topic)[d], d), reverse=True)[:3])
        for document in qrels.of(topic):
            assert kept[place] == (document in first)
            place += 1


def test_an_unjudged_document_of_the_pool_is_never_kept(collection: tuple[Qrels, list[Run]]) -> None:
    qrels, runs = collection
    negative = judge(qrels.recoded({0: -1}), runs, negative="unjudged")
    for sampling in (Stratified(), Random(), PoolDepth()):
        kept = sampling.draw(negative, np.random.default_rng(0))
        assert not kept[:, ~negative.grading.judged[:-1]].any()


def test_infap_is_scored_with_its_unjudged_documents(judged: JudgedRuns) -> None:
    sampling = Stratified((50.0,))
    result = robustness(judged, "infAP AP", method=sampling, samples=2, seed=6)
    full = judged.map(REGISTRY["infAP"]).mean(-1)
    for sample in range(2):
        (kept,) = sampling.draw(judged, np.random.default_rng([6, sample]))
        means = thinned(judged, kept).map(REGISTRY["infAP"]).mean(-1)
        assert result.values[0, sample, 0] == pytest.approx(stats.kendalltau(full, means).statistic)


def test_at_the_full_pool_the_correlation_is_exactly_one(judged: JudgedRuns) -> None:
    for sampling in (Stratified((100.0, 50.0)), Random((100.0, 50.0))):
        for statistic in ("kendall", "spearman"):
            result = robustness(judged, MEASURES, method=sampling, samples=2, statistic=statistic)
            assert (result.values[0] == 1).all()
            assert (result.mean()[0] == 1).all()
            assert (result.spread()[0] == 0).all()


def test_topics_and_runs_are_chosen_on_the_full_pool(collection: tuple[Qrels, list[Run]], judged: JudgedRuns) -> None:
    qrels, runs = collection
    topics, chosen = judged.topics[1:5], [run.name for run in runs[2:]]
    sampling = PoolDepth((4, 2))
    result = robustness(judged, "AP nDCG", method=sampling, topics=topics, runs=chosen)
    assert (result.topics, result.runs) == (topics, chosen)
    full = evaluate(qrels, runs, "AP nDCG").sel(topics=topics, runs=chosen).mean()
    of_topics = np.isin(topic_of(judged), range(1, 5))
    for step, kept in enumerate(sampling.draw(judged, np.random.default_rng(0))):
        assert result.judged_share[step, 0] == kept[of_topics].mean() != kept.mean()
        means = evaluate(thinned_qrels(qrels, kept), runs, "AP nDCG").sel(topics=topics, runs=chosen).mean()
        assert result.values[step, 0] == pytest.approx(
            [stats.kendalltau(full[:, place], means[:, place]).statistic for place in range(2)]
        )


def test_the_answer_depends_on_the_seed_but_not_on_threads_nor_on_the_number_of_samples(judged: JudgedRuns) -> None:
    one = robustness(judged, MEASURES, samples=4, seed=3, threads=1)
    assert np.array_equal(robustness(judged, MEASURES, samples=4, seed=3, threads=3).values, one.values)
    assert np.array_equal(robustness(judged, MEASURES, samples=2, seed=3).values, one.values[:, :2])
    assert not np.array_equal(robustness(judged, MEASURES, samples=4, seed=4).values, one.values)


def test_mean_and_spread_are_over_samples(judged: JudgedRuns) -> None:
    result = robustness(judged, "AP nDCG", method=Stratified((30.0,)), samples=5)
    assert result.mean()[0] == pytest.approx(result.values[0].mean(0))
    assert result.spread()[0] == pytest.approx(result.values[0].std(0, ddof=1))
    assert robustness(judged, "AP", method=Stratified((30.0,)), samples=1).spread().tolist() == [[0.0]]


def test_nothing_is_repeated_where_nothing_is_random(judged: JudgedRuns) -> None:
    assert robustness(judged, "AP", method=PoolDepth(), samples=7).values.shape == (5, 1, 1)


def sparse() -> JudgedRuns:
    """Three topics with a single document of grade 2 each, which the runs find at different ranks."""
    documents = [f"d{n}" for n in range(40)]
    grades = {document: int(document == "d0") * 2 + int(document in ("d1", "d2", "d3")) for document in documents}
    qrels = Qrels.from_dict(dict.fromkeys("123", grades))
    orders = [documents[k:] + documents[:k] for k in (0, 1, 2, 3)]
    runs = [
        Run.from_dict({topic: {d: -place for place, d in enumerate(order)} for topic in "123"}, f"run{k}")
        for k, order in enumerate(orders)
    ]
    return judge(qrels, runs)


def test_a_sample_in_which_all_runs_are_equal_is_counted_and_left_out() -> None:
    result = robustness(sparse(), "AP(rel=2)", method=Random((20.0,)), samples=40)
    gone = result.undefined[0, :, 0]  # the best document of all three topics went: (4/5)^3 of the samples
    assert 0 < gone.sum() < 40
    assert (result.values[0, gone, 0] == 0).all()
    assert result.mean()[0, 0] == pytest.approx(result.values[0, ~gone, 0].mean())
    assert result.spread()[0, 0] == pytest.approx(result.values[0, ~gone, 0].std(ddof=1))


def test_a_few_runs_are_warned_of_once_however_many_tables_there_are(judged: JudgedRuns) -> None:
    for runs, times in ((4, 1), (5, 0)):
        found = robustness(
            judged, "AP", runs=judged.runs[:runs], topics="all,atleast:1:1", floor=(1, 0), samples=1, rates=(100, 50)
        )
        assert len(found.parts) == 4
        few = [note.text for note in found.notes if note.category is SignificanceWarning]
        assert [text.partition(":")[0] for text in few] == ["4 runs"] * times


def test_a_step_in_which_all_runs_are_always_equal_is_an_error() -> None:
    with pytest.raises(InputError, match=r"AP\(rel=2\): at rate 10 all runs are equal in every sample"):
        robustness(sparse(), "AP(rel=2)", method=Stratified((10.0,), floor=0), samples=3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Stratified((50.0, 101.0)), "rate=101.0 is not a percentage from 0 to 100"),
        (lambda: Random((-1.0,)), "rate=-1.0 is not a percentage from 0 to 100"),
        (lambda: Stratified(()), "no rates given"),
        (lambda: Stratified(floor=-1), "floor=-1 is not"),
        (lambda: Stratified(floor_nonrelevant=-1), "floor_nonrelevant=-1 is not"),
        (lambda: Stratified((100.0, 50.0, 100.0)), "rate 100 is given twice"),
        (lambda: Random((math.nan,)), "rate=nan is not a percentage"),
        (lambda: PoolDepth((0,)), "depth=0 is not a whole number of ranks from 1"),
        (lambda: PoolDepth((10.5,)), "depth=10.5 is not a whole number of ranks from 1"),
        (lambda: PoolDepth((math.nan,)), "depth=nan is not a whole number of ranks from 1"),
        (lambda: PoolDepth((math.inf,)), "depth=inf is not a whole number of ranks from 1"),
        (lambda: PoolDepth((20, 10, 20)), "depth 20 is given twice"),
        (lambda: PoolDepth(()), "no depths given"),
        (lambda: robustness(sparse(), "AP", runs=["run9"]), "no run 'run9'"),
        (lambda: robustness(sparse(), "NumRel"), "NumRel: all 4 runs have the same mean"),
    ],
)
def test_what_makes_no_study_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
