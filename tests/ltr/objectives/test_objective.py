"""Objectives: their spelling, what they refuse, and the loss they make."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graded_features import graded_features

from gradeval import (
    AP,
    AWP,
    ERR,
    GAP,
    RBP,
    RR,
    Bpref,
    InputError,
    ObjectiveWarning,
    Q,
    eGAP,
    muAP,
    nDCG,
    write_letor,
    xGAP,
)

torch = pytest.importorskip("torch")

from gradeval.ltr import (
    AutoRanker,
    Batch,
    LambdaObjective,
    LinearRanker,
    MixedObjective,
    Objective,
    TreeRanker,
    crossval,
    lambda_loss,
    load_ranker,
    prepare_loss,
    soft_measure,
)

GRADED = graded_features(20)

SCORES = torch.tensor([[0.3, -0.2, 0.9, 0.1], [1.0, 2.0, 3.0, 0.0]], dtype=torch.float64)
GRADES = [[2, 0, 0, 1], [1, 1, 1, 1]]


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("lambdarank:GAP(g=[0.5,0.5])", GAP(g=[0.5, 0.5])),
        ("lambdarank:nDCG@10", nDCG @ 10),
        ("softrank:nDCG(dcg='exp-log2')", nDCG(dcg="exp-log2")),
        ("softrank:nDCG@10", nDCG @ 10),
    ],
)
def test_an_objective_reads_back_from_its_spelling(text: str, measure: Any) -> None:
    objective = Objective.parse(text)
    assert (objective.measure, str(objective)) == (measure, text)
    assert Objective.parse(str(objective)) == objective
    assert Objective.parse(objective) == objective


def test_the_parameters_of_an_objective_make_it_again() -> None:
    objective = Objective("lambdarank", AP, sigma=0.5, truncation=10)
    assert Objective(**objective.parameters) == objective
    assert pickle.loads(pickle.dumps(objective)) == objective


def test_numbers_of_numpy_become_plain_ones() -> None:
    objective = Objective("lambdarank", AP, sigma=np.float32(0.5), truncation=np.int64(3))
    assert objective == Objective("lambdarank", AP, sigma=0.5, truncation=3)
    assert json.loads(json.dumps(objective.parameters)) == objective.parameters


@pytest.mark.parametrize("measure", ["AP", "GAP(g=[0.5,0.5])", "nDCG@10"])
def test_a_measure_alone_is_trained_for_by_lambdarank(measure: str) -> None:
    assert Objective.parse(measure, sigma=2.0) == Objective.parse(f"lambdarank:{measure}", sigma=2.0)


def test_a_ready_objective_passes_through_with_what_is_changed() -> None:
    assert Objective.parse(Objective("softrank", AP), sigma=2.0) == Objective("softrank", AP, sigma=2.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("apx", "unknown measure 'apx'.*as an objective, write METHOD:MEASURE"),
        ("lamdarank:AP", r"unknown method 'lamdarank' \(did you mean lambdarank"),
        ("lamdarank:YetiRank", r"unknown method 'lamdarank' \(did you mean lambdarank"),
        ("catboost:YetiRank", "catboost:YetiRank: engines' own objectives are for crossval.*write METHOD:MEASURE"),
        ("lightgbm:lambdarank", "engines' own objectives are for crossval"),
        ("xgboost:rank:ndcg", "xgboost:rank:ndcg: engines' own objectives are for crossval"),
        ("lambdarank:ndgc", "unknown measure 'ndgc'"),
        ("softrank:Bpref", "Bpref has no soft form; train for it with 'lambdarank:Bpref'"),
        ("softrank:AP@10", "leave @10 away, or train for it with 'lambdarank:AP@10'"),
        ("softrank:ERR@20", "leave @20 away, or train for it with 'lambdarank:ERR@20'"),
    ],
)
def test_what_cannot_be_trained_for_is_refused_with_a_remedy(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Objective.parse(text)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sigma": 1e-39}, "sigma=1e-39 is not a number from 1e-06 to 1e\\+06"),
        ({"sigma": 1e7}, "sigma=10000000.0 is not a number from 1e-06"),
        ({"sigma": "9" * 99}, "sigma='9{39}... is not a number"),
        ({"estimator": "best"}, "estimator='best' is not 'plugin' or 'expected'"),
        ({"estimator": "expected"}, "choice of softrank"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Objective("lambdarank", AP, **parameters)


def test_truncation_is_a_choice_of_lambdarank() -> None:
    with pytest.raises(InputError, match="truncation is a choice of lambdarank"):
        Objective("softrank", AP, truncation=5)


def test_a_measure_with_a_cutoff_has_an_expected_soft_form_where_ranks_are_worth_anything() -> None:
    with pytest.raises(InputError, match="no soft form"):
        Objective("softrank", ERR @ 20, estimator="expected")
    assert Objective("softrank", nDCG @ 5, estimator="expected").estimator == "expected"
    for measure in (AP @ 5, GAP @ 5):
        with pytest.raises(InputError, match="no soft form with a cutoff; leave @5 away"):
            Objective("softrank", measure, estimator="expected")


@pytest.mark.parametrize("measure", [Q, AWP, Q(beta=10)], ids=str)
def test_a_measure_that_has_a_plug_in_only_is_refused_before_training(measure: Any) -> None:
    with pytest.raises(InputError, match="has a soft form for estimator='plugin' only, since what a rank is worth"):
        Objective("softrank", measure, estimator="expected")
    assert Objective("softrank", measure).estimator == "plugin"


@pytest.mark.parametrize("measure", [AP, GAP, xGAP, eGAP, muAP, ERR, RR, nDCG, RBP], ids=str)
def test_an_expected_soft_form_that_is_accepted_is_there(measure: Any) -> None:
    objective = Objective("softrank", measure, estimator="expected")
    assert torch.isfinite(prepare_loss(objective, Batch.of(GRADES, levels=(0, 1, 2)), dtype=torch.float64)(SCORES))


def test_the_loss_is_the_mean_over_the_queries_that_can_be_learnt_from() -> None:
    batch = Batch.of(GRADES, levels=(0, 1, 2))  # the second query has one grade only
    lambdarank = Objective("lambdarank", GAP, sigma=2.0, truncation=3)
    expected = lambda_loss(SCORES, batch, GAP, sigma=2.0, truncation=3)[0]
    assert float(prepare_loss(lambdarank, batch, dtype=torch.float64)(SCORES)) == pytest.approx(float(expected))
    softrank = Objective("softrank", nDCG, sigma=0.5)
    assert float(prepare_loss(softrank, batch, dtype=torch.float64)(SCORES)) == pytest.approx(
        -float(soft_measure(SCORES, batch, nDCG, 0.5)[0])
    )


def test_where_no_query_can_be_learnt_from_the_loss_is_zero_and_differentiable() -> None:
    scores = SCORES.clone().requires_grad_()
    for measure in (AP, Bpref):
        batch = Batch.of(np.zeros((2, 4)), levels=(0, 1))
        nothing = prepare_loss(Objective("lambdarank", measure), batch, dtype=torch.float64)(scores)
        nothing.backward()
        assert float(nothing.detach()) == 0
    assert scores.grad is not None
    assert not scores.grad.any()


OF_TREES: dict[str, Any] = {"epochs": 2, "min_rows": 2}
TRAININGS: dict[str, Callable[[str], object]] = {
    "objective of engines": LambdaObjective,
    "loss": lambda name: prepare_loss(f"lambdarank:{name}", Batch.of([[0, 1, 2]], levels=(0, 1, 2))),
    "trees": lambda name: TreeRanker(name, **OF_TREES).fit(GRADED),
    "linear": lambda name: LinearRanker(name, epochs=2).fit(GRADED),
    "cross-validation": lambda name: crossval(GRADED, [name, "lightgbm:lambdarank"], name, folds=3, **OF_TREES),
}
"""What trains for a measure by the present ranking alone."""


@pytest.mark.parametrize("train", TRAININGS.values(), ids=TRAININGS)
def test_training_for_err_is_warned_of_and_names_what_to_train_for(train: Callable[[str], object]) -> None:
    for measure in ("ERR", "ERR@10"):
        with pytest.warns(ObjectiveWarning, match=r"train for \"nDCG\(dcg='exp-log2'\)\", and validate by ERR"):
            train(measure)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ObjectiveWarning)
        train("nDCG")


def test_where_err_is_not_learnt_from_alone_nothing_is_warned_of(tmp_path: Path) -> None:
    drawn = Objective.parse("ERR", draws="auto")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ObjectiveWarning)
        TreeRanker("ERR", **OF_TREES).fit(GRADED).save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ObjectiveWarning)
        LinearRanker("softrank:ERR", epochs=1).fit(GRADED)
        TreeRanker(drawn, **OF_TREES).fit(GRADED, GRADED)
        LinearRanker(drawn, epochs=1).fit(GRADED, GRADED)
        TreeRanker("GAP + ERR", **OF_TREES).fit(GRADED)
        MixedObjective("GAP + ERR", levels=(0, 1, 2))
        AutoRanker("ERR", budget=64).fit(GRADED, GRADED)
        crossval(graded_features(60), "ERR", "ERR", "auto", folds=3, budget=64)
        load_ranker(tmp_path / "model")


def test_training_for_err_is_warned_of_once_in_a_process() -> None:
    program = (
        "from gradeval.ltr import LambdaObjective\nfor _ in range(3): LambdaObjective('ERR')\nLambdaObjective('ERR')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count("ObjectiveWarning") == 1


def test_the_command_warns_of_training_for_err_once_and_as_of_all_else(tmp_path: Path) -> None:
    write_letor(graded_features(20), tmp_path / "S1.txt")
    command = [
        "train",
        str(tmp_path / "S1.txt"),
        "--objective",
        "lambdarank:ERR",
        "--ranker",
        "tree",
        "--epochs",
        "1",
        "--min-rows",
        "2",
    ]
    done = subprocess.run([sys.executable, "-m", "gradeval", *command], capture_output=True, text=True, check=True)
    (said,) = [line for line in done.stderr.splitlines() if "gives worse rankers" in line]
    assert said.startswith("gradeval: warning: lambdarank:ERR")
