"""Names of measures that trackers of experiments take, tried by the trackers' own rules where they are installed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradeval import AP, Measure, P, Scores, evaluate, nDCG, parse_measure
from gradeval.formula.definition import REGISTRY, values_only
from gradeval.formula.spelling import parse_measures
from gradeval.scores.metric_names import name_metrics

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "b": 1}, "3": {"c": 2, "d": 1}}
RUN = {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 2.0, "b": 1.0}, "3": {"d": 1.0}}
OTHER = {"1": {"b": 3.0}, "2": {"b": 2.0}, "3": {"c": 1.0}}

SPELLINGS = """
AP AP(rel=2) AP(rel=0.5)@100 nDCG@10 nDCG@1 nDCG(dcg='exp-log2')@10 P@5 R@1000
RBP RBP(p=0.9) RBP(p=0.09) RBP(p=0.9,rel=1)
GAP(g=[0.5,0.5]) GAP(g=[0.5,0.25,0.25]) Utility(p2=-1) Utility(p2=1) Utility(p2=-0.1) nDCG(gains={1:3,2:9}) IPrec@0.2
nDCG(gains={1:3.2}) AP(judged_only=True) gmAP Q(beta=2) Q(beta=0.2)
"""


def required_rules() -> list[Any]:
    """Each tracker's rule, as a function that refuses a name."""

    def mlflow(name: str) -> None:
        validation = pytest.importorskip("mlflow.utils.validation")
        validation._validate_metric(name, 0.5, 0, 0)

    def wandb(name: str) -> None:  # what its documentation demands
        assert re.fullmatch(r"[_a-zA-Z][_a-zA-Z0-9]*", name)

    def tensorboard(name: str) -> None:
        summary = pytest.importorskip("torch.utils.tensorboard.summary", exc_type=ImportError)
        assert summary.scalar(name, 0.5).value[0].tag == name

    return [mlflow, wandb, tensorboard]


def names_of(measures: list[Measure]) -> list[str]:
    return [f"{name}{end}" for name in name_metrics(measures) for end in ("", "_low", "_high")]


@pytest.mark.parametrize("accept", required_rules(), ids=lambda rule: rule.__name__)
def test_trackers_take_the_names_of_all_measures(accept: Callable[[str], None]) -> None:
    every = [REGISTRY[name] for name in REGISTRY] + parse_measures(SPELLINGS)
    every += [values_only(name) for name in ("11pt", "%", "größe", "a b/c:d", "x" * 400)]
    for name in names_of(every):
        accept(name)


def test_measures_of_gradeval_keep_their_names_whatever_stands_beside_them() -> None:
    every = list(dict.fromkeys([*parse_measures(SPELLINGS), *map(REGISTRY.__getitem__, REGISTRY)]))
    together = name_metrics(every)
    assert together == [name_metrics([measure])[0] for measure in every]
    assert len({name.casefold() for name in names_of(every)}) == 3 * len(every)


def test_names_are_those_that_other_tools_write() -> None:
    spelled = ["nDCG@10", "RR@10", "AP(rel=2)@100", "RBP(p=0.9)", "Utility(p2=-2)", "GAP(g=[0.25,0.75])"]
    names = name_metrics([parse_measure(text) for text in spelled])
    assert names[0] == "nDCG_at_10"
    assert parse_measure(names[0]) == nDCG @ 10
    assert names[1:] == ["RR_at_10", "AP_rel_2_at_100", "RBP_p_0p9", "Utility_p2_minus_2", "GAP_g_0p25_0p75"]


@given(st.lists(st.one_of(st.text("aA_-. @(low)high1é", min_size=1, max_size=9), st.text(min_size=1)), unique=True))
def test_measures_of_any_name_are_told_apart(texts: list[str]) -> None:
    names = names_of([values_only(text) for text in texts])
    assert len({name.casefold() for name in names}) == len(names)
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]{0,249}", name) for name in names)


@pytest.mark.parametrize("clash", [["a b", "a-b"], ["AP", "ap!"], ["x", "x low"], ["x low", "x low_low"]])
def test_measures_that_would_share_a_name_are_all_marked_in_either_order(clash: list[str]) -> None:
    first = name_metrics([values_only(text) for text in clash])
    assert first == name_metrics([values_only(text) for text in reversed(clash)])[::-1]
    assert all(re.search("_[0-9a-f]{8}$", name) for name in first)


def test_one_run_is_flat_and_several_stand_by_their_names() -> None:
    one = evaluate(QRELS, {"mine": RUN}, "AP P@5")
    assert one.to_metrics() == {"AP": one["mine", AP], "P_at_5": one["mine", P @ 5]}
    two = evaluate(QRELS, {"mine": RUN, "yours": OTHER}, "AP P@5")
    assert two.to_metrics() == {run: {"AP": two[run, AP], "P_at_5": two[run, P @ 5]} for run in ("mine", "yours")}
    assert two.sel(runs="yours").to_metrics() == two.to_metrics()["yours"]


@pytest.mark.parametrize("method", [True, "t", "bootstrap"])
def test_ends_of_intervals_stand_beside_the_means(method: Any) -> None:
    scores = evaluate(QRELS, {"mine": OTHER}, "AP P@5")
    ends = scores.ci(method=None if method is True else method, seed=3)[0]
    expected = {"AP": scores["mine", AP], "P_at_5": scores["mine", P @ 5]}
    expected |= {"AP_low": ends[0, 0], "AP_high": ends[0, 1], "P_at_5_low": ends[1, 0], "P_at_5_high": ends[1, 1]}
    assert scores.to_metrics(ci=method, seed=3) == expected


def test_where_there_is_no_interval_there_are_no_ends() -> None:
    values = np.full((1, 3, 1), 0.5)
    scores = Scores(values, np.ones((1, 3), bool), np.zeros((3, 1), bool), ["r"], ["1", "2", "3"], [AP])
    assert np.isnan(scores.ci(method="t")).all()
    assert scores.to_metrics(ci="t") == {"AP": 0.5}
