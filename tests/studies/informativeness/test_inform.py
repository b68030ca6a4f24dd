"""Inferred rankings: errors worked out list by list, which lists are studied, and the papers' shape on real runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradeval import InputError, JudgedRuns, Run, judge, read_qrels, read_run
from gradeval.formula.spelling import parse_measure
from gradeval.papers.correlate_users import over_grid, user_grid
from gradeval.studies.informativeness.expected import expected
from gradeval.studies.informativeness.inform import inferred_curve, inform, rms_error
from gradeval.studies.informativeness.maximum_entropy import maximum_entropy
from gradeval.studies.simulate import simulate_collection


def met(lists: dict[str, list[int]], more: list[int] | None = None) -> JudgedRuns:
    """One run: levels by rank for each topic; each pool holds these documents and some more of each level."""
    run = {topic: {f"{topic}-{rank}": -float(rank) for rank in range(len(levels))} for topic, levels in lists.items()}
    qrels = {topic: {f"{topic}-{rank}": level for rank, level in enumerate(levels)} for topic, levels in lists.items()}
    for topic in qrels:
        for level, count in enumerate(more or []):
            qrels[topic] |= {f"{topic}-more-{level}-{place}": level for place in range(count)}
    return judge(qrels, run)


@pytest.fixture(scope="module")
def simulated() -> JudgedRuns:
    drawn = simulate_collection(topics=8, systems=5, levels=3, depth=60, judged_share=0.8, spread=0.8, seed=3)
    return judge(drawn.qrels, [Run.from_dict(run, name) for name, run in drawn.runs.items()])


LIST = [2, 1, 0, 2, 1, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0]
MORE = [9, 2, 1]


def literal_error(spelling: str, threshold: int) -> float:
    """RMS error of LIST in a pool with MORE, rank by rank."""
    pool = np.bincount(LIST) + MORE
    form = expected(parse_measure(spelling), pool, (0.0, 1.0, 2.0), len(LIST))
    value = form.value((np.array(LIST) == np.arange(3)[:, None]).astype(float))
    p = maximum_entropy(form, np.bincount(LIST), value).probability
    base, recall, precision, result, squares = pool[threshold:].sum(), [], [], 0.0, []
    for n in range(len(LIST)):
        result += p[threshold:, n].sum()
        recall.append(result / base)
        precision.append(result / (n + 1))
    hits = 0
    for n, level in enumerate(LIST, 1):
        if level >= threshold:
            hits += 1
            squares.append((float(np.interp(hits / base, recall, precision)) - hits / n) ** 2)
    return float(np.sqrt(np.mean(squares)))


@pytest.mark.parametrize("measure", ["AP", "GAP", "xGAP(g=[0.2,0.8])", "nDCG", "P@5"])
def test_errors_are_those_worked_out_rank_by_rank(measure: str) -> None:
    result = inform(met({"t": LIST}, MORE), measure, least=4, samples=0)
    assert result.converged.all()
    assert result.errors.shape == (1, 2, 1)
    assert result.errors[0, :, 0] == pytest.approx([literal_error(measure, 1), literal_error(measure, 2)], abs=1e-9)


@pytest.mark.parametrize("measure", ["GAP", "xGAP", "eGAP", "nDCG"])
def test_the_value_of_a_perfect_list_tells_all(measure: str) -> None:
    result = inform(met({"t": [2] * 5 + [1] * 6 + [0] * 20}), measure, samples=0)
    assert result.errors.ravel().tolist() == [0, 0]


def test_ap_of_a_perfect_list_tells_all_but_the_grades() -> None:
    result = inform(met({"t": [2] * 5 + [1] * 5 + [0] * 20}), "AP", samples=0)
    assert result.errors[0, 0, 0] == pytest.approx(0)
    assert result.errors[0, 1, 0] == pytest.approx(1 / 2)  # half of what looks relevant is highly relevant


def test_the_number_of_documents_alone_tells_nothing_of_their_order(simulated: JudgedRuns) -> None:
    """SetR and SetP follow from the numbers of documents retrieved."""
    result = inform(simulated, "SetR SetP AP", thresholds=[1])
    assert result.errors[0] == pytest.approx(result.errors[1])
    assert result.mean()[2, 0] < result.mean()[0, 0]


def test_point_masses_of_g_are_average_precision(simulated: JudgedRuns) -> None:
    result = inform(simulated, "AP GAP(g=[1,0]) xGAP(g=[1,0]) AP(rel=2) eGAP(g=[0,1]) GAP(g={2:1})", least=2)
    assert len(result.run) > 10
    assert result.counted.all()
    for same in ([0, 1, 2], [3, 4, 5]):
        for other in same[1:]:
            assert result.errors[other] == pytest.approx(result.errors[same[0]], abs=1e-6)


def test_progress_is_reported_measure_by_measure(simulated: JudgedRuns) -> None:
    reports: list[int] = []
    result = inform(simulated, "AP nDCG P@5", least=2, progress=lambda done, _: reports.append(done))
    assert len(result.run) <= 32  # one portion
    assert reports == [len(result.run) * times for times in (1, 2, 3)]


def test_an_error_in_the_progress_callback_ends_the_study(simulated: JudgedRuns) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        inform(simulated, "AP", least=2, progress=stop)


def test_a_list_needs_documents_of_each_kind() -> None:
    judged = met({"a": [1] * 5 + [2] * 5, "b": [1] * 4 + [2] * 9, "c": [1] * 9 + [2] * 4, "d": [0]})
    assert [judged.topics[topic] for topic in inform(judged, "AP", samples=0).topic] == ["a"]
    assert [judged.topics[topic] for topic in inform(judged, "AP", least=4, samples=0).topic] == ["a", "b", "c"]
    assert [judged.topics[topic] for topic in inform(judged, "AP", thresholds=[2], samples=0).topic] == ["a", "b"]
    assert [judged.topics[topic] for topic in inform(judged, "AP", thresholds=[1], samples=0).topic] == ["a", "b", "c"]


def test_lists_come_in_order_of_run_and_topic(simulated: JudgedRuns) -> None:
    result = inform(simulated, "P@5", least=2)
    places = list(zip(result.run.tolist(), result.topic.tolist(), strict=True))
    assert places == sorted(set(places))
    assert result.runs == simulated.runs
    assert result.thresholds == (1, 2)


def test_documents_without_judgment_are_not_relevant_but_take_a_rank() -> None:
    qrels = {"t": {"a": 1, "b": 1, "c": 0}}
    run = {"t": {"x": 5.0, "a": 4.0, "y": 3.0, "b": 2.0, "c": 1.0}}
    judged_instead = {"t": {"a": 1, "b": 1, "c": 0, "x": 0, "y": 0}}
    assert inform(judge(qrels, run), "AP", least=2, samples=0).errors == pytest.approx(
        inform(judge(judged_instead, run), "AP", least=2, samples=0).errors
    )


def test_all_documents_of_the_pool_may_be_assumed_in_the_list() -> None:
    short, long = [0, *[1] * 5, *[0] * 4], [0, *[1] * 5, *[0] * 20]
    retrieved, pool = (
        inform(met({"t": long}, [0, 2]), "AP", counts=counts, samples=0) for counts in ("retrieved", "pool")
    )
    assert retrieved.converged.all()
    assert pool.converged.all()
    assert retrieved.errors[0, 0, 0] != pytest.approx(pool.errors[0, 0, 0])
    assert not inform(met({"t": short}, [0, 9]), "AP", counts="pool", samples=0).converged.any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "AP ERR@10"}, r"ERR@10 is no sum over documents and pairs .* these have one"),
        ({"thresholds": [3]}, "thresholds=3 is not a positive level of the collection; these are 1,2"),
        ({"thresholds": [0]}, "thresholds=0 is not a positive level"),
        ({"thresholds": []}, "thresholds is empty"),
        ({"least": 0}, "least=0 is not a whole number of documents from 1"),
        ({"least": 1000}, r"no ranking holds 1000 documents from each threshold \(1,2\) to the next"),
        ({"counts": "all"}, "counts='all' is not 'retrieved' or 'pool'"),
    ],
)
def test_what_cannot_be_studied_is_refused(simulated: JudgedRuns, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        inform(simulated, **{"measures": "AP", "least": 2, **options})


def test_intervals_of_too_few_topics_are_refused_before_the_work() -> None:
    judged = met({topic: [1] * 5 for topic in "ab"})
    with pytest.raises(InputError, match=r"2 topics with rankings that hold 5 .* need 3 topics; .* or 0 samples"):
        inform(judged, "AP", progress=lambda *_: pytest.fail("the work was begun"))


def test_scores_are_no_rankings_to_infer() -> None:
    from gradeval import evaluate

    with pytest.raises(InputError, match=r"inform looks at judgments; give judged runs, as judge\(qrels, runs\) gives"):
        inform(evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP"))


def test_a_curve_is_as_far_from_itself_as_nothing() -> None:
    recall, precision = np.array([0.1, 0.4, 0.5]), np.array([1, 0.8, 0.5])
    assert rms_error(recall, precision, recall, precision) == 0


def test_between_its_points_a_curve_is_linear_and_beyond_its_ends_constant() -> None:
    recall, precision = np.array([0.2, 0.4]), np.array([0.8, 0.6])
    for at, there in ((0.1, 0.8), (0.2, 0.8), (0.3, 0.7), (0.35, 0.65), (0.4, 0.6), (0.9, 0.6)):
        assert rms_error(recall, precision, np.array([at]), np.array([0.5])) == pytest.approx(there - 0.5)


def test_where_recall_stands_still_the_highest_precision_counts() -> None:
    recall, precision = np.array([0.5, 1.0, 1.0, 1.0]), np.array([1.0, 1.0, 2 / 3, 2 / 4])
    assert rms_error(recall, precision, np.array([0.5, 1.0]), np.array([1.0, 1.0])) == 0


def test_an_inferred_curve_adds_up_the_relevant_levels() -> None:
    p = np.array([[0.5, 0.5, 0.2], [0.25, 0.5, 0.3], [0.25, 0.0, 0.5]])
    recall, precision = inferred_curve(p, np.array(4), np.array([False, True, True]))
    assert recall == pytest.approx(np.array([0.5, 1.0, 1.8]) / 4)
    assert precision == pytest.approx(np.array([0.5 / 1, 1.0 / 2, 1.8 / 3]))


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["trec-covid-r5", "trec14-robust2005"])
def test_the_more_users_want_grade_1_the_more_gap_tells_of_all_relevant_documents(
    name: str, data: Callable[[str], Path]
) -> None:
    """Robertson et al. (2010), Figure 2, upper row. The lower row, of highly relevant documents, does not come out."""
    folder = data(name)
    paths = sorted((folder / "runs").iterdir())
    judged = judge(read_qrels(folder / "qrels.txt"), [read_run(path) for path in paths[:: len(paths) // 3][:3]])
    result = inform(judged, over_grid(["GAP"], user_grid(2, 0.25)))
    assert len(result.run) > 30
    assert result.converged.all()
    lenient = result.mean()[:, 0]
    assert (np.diff(lenient) < 0).all()
