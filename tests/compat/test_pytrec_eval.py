"""gradeval.compat.pytrec_eval answers as pytrec_eval-terrier does: values, keys, errors."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradeval.compat.pytrec_eval as ours
from gradeval import InputError
from gradeval.compat.trec_eval_measures import ALL_OF_9

theirs = pytest.importorskip("pytrec_eval")

NAMES = [*(f"d{i}" for i in range(12)), "FT911-3", "é", "B", "b"]
SCORES = np.array([0.0, -1.5, 2.5, 2.5 + 1e-9, 1 / 3, 1e-20, 16_777_216.0, 16_777_217.0])
COLLECTIONS = {"trec-dl21-passage": 2, "trec-covid-r5": 1, "trec14-robust2005": 1}

SPELLINGS = [
    *ALL_OF_9,
    *("official", "all_trec", "set"),
    *("ndcg_cut_10", "ndcg_cut.10", "ndcg_cut.5,10", "ndcg_cut_1,2,3", "map_cut_3", "P.1,3", "P_2", "recall.2,4"),
    *("relative_P_3", "success.1,2", "iprec_at_recall.0.25,0.5", "iprec_at_recall_0.70", "Rprec_mult.0.5,1.2"),
    *("set_F.0.5", "set_F_2", "utility.1,0,2,3"),
]
"""Nicknames, names, and names with cutoffs in all three spellings."""


def draw(rng: np.random.Generator) -> tuple[Any, Any, list[str], int, bool]:
    """Judgments, a run, names of measures, the lowest relevant grade, and whether only judged documents count.

    One document of each topic has at least the grade below the lowest relevant one: trec_eval reads beyond its table of
    grades without.
    """
    level = int(rng.integers(1, 4))
    topics = [f"q{i}" for i in range(int(rng.integers(1, 5)))]
    qrels = {}
    for topic in topics:
        judged = rng.choice(NAMES, int(rng.integers(0, 12)), replace=False)
        grades = {str(one): int(grade) for one, grade in zip(judged, rng.integers(-2, 4, len(judged)), strict=True)}
        qrels[topic] = {"least": int(rng.integers(level - 1, 4)), **grades} if rng.random() < 0.95 else {}
    run = {}
    for topic in [*topics, "other"]:
        retrieved = rng.choice([*NAMES, "least", "u1", "u2"], int(rng.integers(1, 19)), replace=False)
        drawn = rng.choice(SCORES, len(retrieved)) if rng.random() < 0.5 else rng.normal(size=len(retrieved))
        if rng.random() < 0.9:
            run[topic] = {str(one): float(score) for one, score in zip(retrieved, drawn, strict=True)}
    names = [str(name) for name in rng.choice(SPELLINGS, int(rng.integers(1, 8)), replace=False)]
    return qrels, run, names, level, bool(rng.random() < 0.2)


def require_same(mine: dict[str, dict[str, float]], other: dict[str, dict[str, float]], told: object = "") -> None:
    """The same topics and the same measures in the same order, and values within 1e-12."""
    assert list(mine) == list(other), told
    for topic, values in other.items():
        assert list(mine[topic]) == list(values), told
        for name, value in values.items():
            if math.isnan(value):  # 0/0 there: nothing is relevant, nothing retrieved
                assert name.startswith(("iprec_at_recall_", "11pt_avg"))
                value = 0.0
            assert mine[topic][name] == pytest.approx(value, rel=1e-12, abs=1e-12), (topic, name, told)


@pytest.mark.parametrize(
    ("number", "seed"),
    [(150, 1), pytest.param(400, 3, marks=pytest.mark.slow), pytest.param(20_000, 2, marks=pytest.mark.long)],
)
def test_random_cases(number: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(number):
        case = qrels, run, names, level, judged_only = draw(rng)
        asked = names, level, judged_only
        require_same(
            ours.RelevanceEvaluator(qrels, *asked).evaluate(run),
            theirs.RelevanceEvaluator(qrels, *asked).evaluate(run),
            case,
        )


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize(("collection", "level"), COLLECTIONS.items())
def test_runs_of_three_collections(collection: str, level: int, data: Callable[[str], Path]) -> None:
    folder = data(collection)
    with (folder / "qrels.txt").open() as lines:
        qrels = ours.parse_qrel(lines)
    with (folder / "qrels.txt").open() as lines:
        assert qrels == theirs.parse_qrel(lines)
    asked = ["all_trec", "ndcg_cut_7", "P.1,2"], level
    mine, other = ours.RelevanceEvaluator(qrels, *asked), theirs.RelevanceEvaluator(qrels, *asked)
    paths = sorted((folder / "runs").iterdir())
    for path in paths[:: 1 if os.environ.get("GRADEVAL_LONG") == "1" else 1 + len(paths) // 10]:
        with path.open() as lines:
            run = ours.parse_run(lines)
        with path.open() as lines:
            assert run == theirs.parse_run(lines)
        require_same(mine.evaluate(run), other.evaluate(run), path.name)


QRELS = {"q": {"a": 1, "b": 0, "c": 2}, "empty": {}}
RUN = {"q": {"a": 0.5, "x": 0.4, "c": 0.1}, "other": {"a": 1.0}}


def test_what_is_left_out_is_the_same() -> None:
    runs: list[Any] = [{}, None, {"other": {"a": 1.0}}, {"q": {}}, {"empty": {"a": 1.0}}, RUN]
    for run in runs:
        for qrels in ({}, QRELS, {"empty": {}}):
            for measures in (set(), {"map", "num_q"}, ["runid", "relstring"]):
                mine = ours.RelevanceEvaluator(qrels, measures).evaluate(run)
                assert mine == theirs.RelevanceEvaluator(qrels, measures).evaluate(run)


def test_infinite_scores_and_true_are_read() -> None:
    run: Any = {"q": {"a": -math.inf, "b": 3.0, "c": math.inf, "x": True}}
    qrels: Any = {"q": {"a": True, "b": False, "c": 2}}
    require_same(
        ours.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(run),
        theirs.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(run),
    )


@pytest.mark.parametrize("measures", [{"foo"}, {"P_-5"}, "map", {1}, {"prefs"}, None])
def test_wrong_measures_raise_the_same_types(measures: Any) -> None:
    with pytest.raises((ValueError, TypeError)) as theirs_raise:
        theirs.RelevanceEvaluator(QRELS, measures)
    with pytest.raises(theirs_raise.type):
        ours.RelevanceEvaluator(QRELS, measures)


@pytest.mark.parametrize("qrels", [{"q": [1]}, {1: {"a": 1}}, {"q": {1: 1}}, {"q": {"a": "1"}}, {"q": {"a": None}}])
def test_wrong_judgments_raise_the_same_types(qrels: Any) -> None:
    with pytest.raises(TypeError):
        theirs.RelevanceEvaluator(qrels, {"map"})
    with pytest.raises(TypeError) as ours_raise:
        ours.RelevanceEvaluator(qrels, {"map"})
    assert isinstance(ours_raise.value, InputError)


@pytest.mark.parametrize(
    "scores", [[1], {"q": [1]}, {"q": {"a": "1"}}, {1: {"a": 1}}, {"q": {1: 1}}, {"q": {"a": None}}]
)
def test_wrong_scores_raise_the_same_types(scores: Any) -> None:
    with pytest.raises(TypeError):
        theirs.RelevanceEvaluator(QRELS, {"map"}).evaluate(scores)
    with pytest.raises(TypeError) as ours_raise:
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate(scores)
    assert isinstance(ours_raise.value, InputError)


@pytest.mark.parametrize("level", [0, "1", 1.5])
def test_wrong_levels_raise_the_same_types(level: Any) -> None:
    for module in (theirs, ours):
        with pytest.raises(TypeError):
            module.RelevanceEvaluator(QRELS, {"map"}, level)


@pytest.mark.parametrize(
    "measure", ["P_0", "ndcg_10", "ndcg.1=3", "P.5,05", "iprec_at_recall.0.10,0.1", "P_99999999999"]
)
def test_names_that_end_the_process_there_are_input_errors_here(measure: str) -> None:
    with pytest.raises(InputError, match=measure.split("_")[0].split(".")[0]):
        ours.RelevanceEvaluator(QRELS, {measure})


def test_a_whole_number_too_large_for_a_float_is_no_score() -> None:
    for number in (10**400, -(10**5000)):
        with pytest.raises(InputError, match="too large"):
            ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q": {"a": number}})


def test_dictionaries_are_read_as_they_are_at_each_call() -> None:
    qrels, run = {"q": {"a": 2, "b": 0}, "empty": {}}, {"q": {"a": 1.0, "b": 2.0}}
    evaluators = [module.RelevanceEvaluator(qrels, {"map", "ndcg_cut.1,2"}) for module in (ours, theirs)]
    require_same(*[evaluator.evaluate(run) for evaluator in evaluators])
    qrels["q"].update(a=0, b=1)  # the judgments are those that the evaluator was made with
    run["q"]["a"] = 3.0
    changed = [evaluator.evaluate(run) for evaluator in evaluators]
    assert changed[0]["q"]["map"] == 1
    require_same(*changed)
    changed[0]["q"]["map"] = 0.5  # the caller's own
    assert evaluators[0].evaluate(run)["q"]["map"] == 1


def test_grades_may_have_decimals() -> None:
    qrels = {"q": {"a": 0.5, "b": 2.0, "c": 1, "d": 0.25}}
    run = {"q": {"d": 4.0, "a": 3.0, "b": 2.0, "c": 1.0}}
    found = ours.RelevanceEvaluator(qrels, {"ndcg", "P_2", "map"}).evaluate(run)["q"]
    gained = 0.25 + 0.5 / math.log2(3) + 2 / 2 + 1 / math.log2(5)
    ideal = 2 + 1 / math.log2(3) + 0.5 / 2 + 0.25 / math.log2(5)
    assert found == pytest.approx({"ndcg": gained / ideal, "P_2": 0, "map": (1 / 3 + 2 / 4) / 2})
    whole = {"q": {"a": 1.0, "b": 0.0, "c": np.float32(2)}}
    for measures in ({"all_trec"}, {"map"}):
        mine, theirs_ = ours.RelevanceEvaluator(whole, measures), theirs.RelevanceEvaluator(QRELS, measures)
        require_same(mine.evaluate(RUN), theirs_.evaluate(RUN))
    with pytest.raises(InputError, match="finite"):
        ours.RelevanceEvaluator({"q": {"a": math.inf}}, {"map"})


def test_ties_may_count_as_the_mean_over_all_orders() -> None:
    qrels, names = {"q": {"a": 2, "b": 0, "c": 1}}, ["map", "ndcg", "recip_rank", "P_1", "rbp", "gm_map"]
    orders = [
        ours.RelevanceEvaluator(qrels, names).evaluate({"q": dict(zip(order, (3.0, 2.0, 1.0), strict=True))})["q"]
        for order in permutations("abc")
    ]
    tied = ours.RelevanceEvaluator(qrels, names, ties="expected").evaluate({"q": dict.fromkeys("abc", 1.0)})["q"]
    for name in names[:-1]:
        assert tied[name] == pytest.approx(sum(values[name] for values in orders) / 6)
    with pytest.raises(InputError, match="expected"):
        ours.RelevanceEvaluator(qrels, names, ties="exact")


def test_the_measures_of_version_10_are_known() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1}, "r": {"a": 1}}
    run = {"q": {"a": 3.0, "x": 2.0, "c": 1.0}, "r": {"a": 1.0}}
    found = ours.RelevanceEvaluator(qrels, {"yaap", "rbp", "rbp_resid", "unj", "11pt_avg.1"}).evaluate(run)
    average = 1 + 2 / 3
    assert found["q"] == pytest.approx(
        {
            "11pt_avg": 2 / 3,
            "yaap": math.log((1 + average) / (1 + 2 - average)),
            "rbp": 0.1 * (1 + 0.81),
            "rbp_resid": 0.1 * 0.9 + 0.9**3,
            "unj_5": 1 / 5,
            "unj_10": 1 / 10,
            "unj_20": 1 / 20,
        }
    )
    assert found["r"]["rbp_resid"] == 0  # nothing retrieved is unjudged, and what lies beyond is left out


def test_nan_is_no_score() -> None:
    with pytest.raises(InputError, match="NaN"):
        ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q": {"a": math.nan}})


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (["q Q0 a 1 2 t", "q Q0 a 2 1 t"], AssertionError),
        (["q Q0 a 1 2"], ValueError),
        (["q Q0 a 1 x t"], ValueError),
        ([""], ValueError),
    ],
)
def test_wrong_lines_of_runs_raise_the_same_types(lines: list[str], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        theirs.parse_run(lines)
    with pytest.raises(kind, match=f"line {len(lines)}") as ours_raise:
        ours.parse_run(lines)
    assert isinstance(ours_raise.value, InputError)


@pytest.mark.parametrize(
    ("lines", "kind"), [(["q 0 a 1", "q 0 a 1"], AssertionError), (["q 0 a"], ValueError), (["q 0 a 1.0"], ValueError)]
)
def test_wrong_lines_of_judgments_raise_the_same_types(lines: list[str], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        theirs.parse_qrel(lines)
    with pytest.raises(kind, match=f"line {len(lines)}") as ours_raise:
        ours.parse_qrel(lines)
    assert isinstance(ours_raise.value, InputError)


def test_the_rest_of_the_module() -> None:
    assert ours.supported_measures == theirs.supported_measures
    for nickname in ("official", "all_trec", "set"):
        assert ours.supported_nicknames[nickname] == theirs.supported_nicknames[nickname]
    assert set(theirs.__all__) <= set(ours.__all__)
    assert isinstance(ours.__version__, str)
    for measure in ("map", "num_ret", "gm_map"):
        values = [-0.5, -2.0, 0.25]
        assert ours.compute_aggregated_measure(measure, values) == theirs.compute_aggregated_measure(measure, values)
