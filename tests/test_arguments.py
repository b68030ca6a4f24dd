"""Numbers and words that users pass: what is accepted, and one line about what is not, from every public function."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features
from score_tables import drawn_scores

from gradeval import Features, InputError, Qrels, Run, Scores, arguments, evaluate, judge, read_letor
from gradeval.collection.meeting import JudgedRuns
from gradeval.features.folds import rotate
from gradeval.ltr import LambdaObjective, crossval
from gradeval.ltr.objectives.objective import Objective
from gradeval.ltr.rankers.kinds import KINDS, ranker_class
from gradeval.papers.correlate_users import user_grid
from gradeval.papers.strategies import scale_as_grades
from gradeval.papers.swaps import swaps
from gradeval.papers.virtual_users import virtual_users
from gradeval.studies.compare import compare
from gradeval.studies.informativeness.inform import inform
from gradeval.studies.robustness import PoolDepth, Random, Stratified, robustness
from gradeval.studies.simulate import simulate_collection

BAD: dict[str, Any] = {
    "half": 1.5,
    "negative": -1,
    "text": "3",
    "true": True,
    "nan": math.nan,
    "infinite": math.inf,
    "none": None,
    "list": [1],
    "huge": 10**400,
}
"""What is no whole number from 0 that the library could count with."""

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "b": 1}, "3": {"a": 2}}
RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 1.0}, "3": {"a": 1.0}}


def judged_runs() -> JudgedRuns:
    drawn = simulate_collection(topics=4, systems=3, levels=3, depth=10, documents=30, seed=1)
    return judge(Qrels.from_dict(drawn.qrels), [Run.from_dict(run, name) for name, run in drawn.runs.items()])


def features(**options: Any) -> Features:
    return graded_features(6, seed=1, **options)


def scores() -> Scores:
    return evaluate(QRELS, RUN, "AP")


Call = Callable[..., Any]
CALLS: Mapping[str, tuple[Call, Mapping[str, str]]] = {
    "evaluate": (partial(evaluate, QRELS, RUN, "AP"), {"depth": "none huge", "threads": ""}),
    "judge": (partial(judge, QRELS, RUN), {"threads": ""}),
    "JudgedRuns.top": (lambda depth: judge(QRELS, RUN).top(depth), {"depth": ""}),
    "Scores.ci": (partial(scores().ci, method="bootstrap"), {"alpha": "", "samples": "", "seed": "huge"}),
    "Features.split": (lambda seed: features().split(0.5, 0.5, seed=seed), {"seed": "huge"}),
    "Features.split shares": (lambda share: features().split(share, 0.5, seed=1), {"share": ""}),
    "Features.folds": (lambda **how: list(features().folds(**{"k": 3, "seed": 1, **how})), {"k": "", "seed": "huge"}),
    "compare": (
        partial(compare, drawn_scores(), test="sign"),
        {"alpha": "", "samples": "none", "seed": "huge", "threads": ""},
    ),
    "robustness": (partial(robustness, judged_runs(), "AP"), {"samples": "", "seed": "huge", "threads": ""}),
    "Stratified": (Stratified, {"floor": "", "floor_nonrelevant": ""}),
    "Stratified rates": (lambda rate: Stratified(rates=(rate,)), {"rate": "half"}),
    "Random rates": (lambda rate: Random(rates=(rate,)), {"rate": "half"}),
    "Depth depths": (lambda depth: PoolDepth(depths=(depth,)), {"depth": ""}),
    "user_grid": (user_grid, {"levels": ""}),
    "user_grid step": (partial(user_grid, 2), {"step": "none"}),
    "inform thresholds": (lambda thresholds: inform(judged_runs(), "AP", thresholds=[thresholds]), {"thresholds": ""}),
    "Informativeness.ci": (
        lambda **how: inform(judged_runs(), "AP", least=1, samples=0).ci(**how),
        {"alpha": "", "samples": "", "seed": "huge"},
    ),
    "simulate_collection": (
        lambda **how: simulate_collection(**{"topics": 2, "seed": 1, **how}),
        dict.fromkeys("topics systems levels depth documents ties judged_share missing".split(), "")
        | {"spread": "half", "seed": "huge"},
    ),
    "swaps": (partial(swaps, levels=[2]), {"items": "", "swaps": "", "repetitions": "", "seed": "huge"}),
    "swaps levels": (lambda levels: swaps(levels=[levels]), {"levels": ""}),
    "virtual_users": (
        lambda **how: virtual_users(features(), users=["2"], strategies=["1"], **how),
        {"samples": "", "seed": "huge"},
    ),
    "scale_as_grades": (lambda grades: scale_as_grades(features(), "1", grades), {"grades": ""}),
    "with_levels": (lambda level: Qrels.from_dict(QRELS).with_levels([0, 1, 2, level]), {"level": ""}),
    "crossval": (
        lambda **how: crossval(features().split(0.34, 0.33, 0.33, seed=1), "lambdarank:AP", "AP", "linear", **how),
        {"seeds": "list", "jobs": ""},
    ),
    "Objective": (partial(Objective, "lambdarank", "AP"), {"sigma": "half none", "truncation": "none"}),
    "LambdaObjective": (partial(LambdaObjective, "AP"), {"sigma": "half", "truncation": "none", "threads": ""}),
    **{
        kind: (
            partial(ranker_class(kind), "lambdarank:AP"),
            {"epochs": "", "patience": "", "seed": "", "threads": "", "learning_rate": "half"},
        )
        for kind in KINDS
        if kind != "auto"
    },
    "auto": (partial(ranker_class("auto"), "lambdarank:AP"), {"budget": "", "patience": "", "seed": "", "threads": ""}),
    "trees": (
        partial(ranker_class("tree"), "lambdarank:AP"),
        {"leaves": "none", "min_rows": "none", "l2": "half none"},
    ),
    "neural nets": (partial(ranker_class("neural"), "lambdarank:AP"), {"hidden": "list", "queries": ""}),
}
"""Each public function with numbers among its parameters; behind each parameter the values of BAD that it accepts."""

CASES = [
    pytest.param(call, name, BAD[kind], id=f"{function}-{name}-{kind}")
    for function, (call, parameters) in CALLS.items()
    for name, accepted in parameters.items()
    for kind in BAD
    if kind not in accepted.split()
]


@pytest.mark.parametrize(("call", "name", "value"), CASES)
def test_a_number_that_cannot_be_is_refused_in_one_line(call: Call, name: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"\b{name.rstrip('s')}s?\b") as caught:
        call(**{name: value})
    assert "\n" not in str(caught.value)


def test_a_number_of_features_that_cannot_be_is_refused(tmp_path: Any) -> None:
    (tmp_path / "S1.txt").write_text("1 qid:1 1:1\n")
    for value in (1.5, -1, "3", True, math.nan, math.inf, [1], 10**400):
        with pytest.raises(InputError, match=r"S1\.txt: features=.* is not a whole number from 1"):
            read_letor(tmp_path / "S1.txt", features=value)


@pytest.mark.parametrize("whole", [3, np.int32(3), np.uint8(3)])
def test_numbers_of_numpy_are_numbers(whole: Any) -> None:
    assert evaluate(QRELS, RUN, "AP", depth=whole, threads=whole).values.tolist() == scores().values.tolist()
    assert arguments.whole("n", whole, 0) == 3
    assert type(arguments.whole("n", whole, 0)) is int
    assert arguments.number("x", np.float32(0.5), above=0) == 0.5
    assert arguments.share("alpha", np.float64(0.5), 0.05) == 0.5
    assert arguments.flag("norm", np.bool_(True)) is True
    assert arguments.seed(np.int64(2**40)) == 2**40


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arguments.whole("n", 0, 1), "n=0 is not a whole number from 1"),
        (lambda: arguments.whole("n", 2**31, 1), "n=2147483648 is not a whole number from 1 to 2147483647"),
        (lambda: arguments.whole("n", 9, 1, 5, unit="ranks"), "n=9 is not a whole number of ranks from 1 to 5"),
        (lambda: arguments.number("x", -1, least=0), "x=-1 is not a number from 0"),
        (lambda: arguments.number("x", 0, above=0), "x=0 is not a number above 0"),
        (lambda: arguments.number("x", 2, least=0, most=1), "x=2 is not a number from 0 to 1"),
        (lambda: arguments.number("x", 1, least=0, below=1), "x=1 is not a number from 0 to below 1"),
        (lambda: arguments.number("x", 2, above=0, most=1), "x=2 is not a number above 0, up to 1"),
        (lambda: arguments.number("x", 1, above=0, below=1), "x=1 is not a number above 0 and below 1"),
        (lambda: arguments.number("x", math.inf), "x=inf is not a finite number"),
        (lambda: arguments.share("alpha", 1, 0.05), "alpha=1 is not between 0 and 1, as in 0.05"),
        (lambda: arguments.one_of("w", "c", ("a", "b")), "w='c' is not 'a' or 'b'"),
        (lambda: arguments.one_of("w", ["a"], ("a", "b", None)), "w=['a'] is not 'a', 'b' or None"),
        (lambda: arguments.one_of("w", "e", "abcd"), "w='e' is not one of a, b, c, d"),
        (lambda: arguments.flag("f", "no"), "f='no' is not True or False"),
        (lambda: arguments.flag("f", "x" * 99), f"f='{'x' * 39}... is not True or False"),
        (lambda: arguments.whole("n", np.eye(2), 1), "n=array([[1., 0.], [0., 1.]]) is not a whole number from 1"),
    ],
)
def test_a_message_names_the_parameter_the_value_and_what_is_accepted(call: Call, message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def test_two_parts_make_no_folds() -> None:
    with pytest.raises(InputError, match="folds need 3 or more"):
        next(rotate(features().split(0.5, 0.5, seed=1)))
