"""Parameters of LightGBM or CatBoost that a TreeRanker passes on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gradeval._core import InputError
from gradeval.ltr.rankers.forests import read_first_line
from gradeval.ltr.rankers.kinds import require_engine
from gradeval.messages import Given, nearest

OWN = {
    "objective": "objective",
    "num_iterations": "epochs",
    "early_stopping_round": "patience",
    "learning_rate": "learning_rate",
    "num_leaves": "leaves",
    "min_data_in_leaf": "min_rows",
    "lambda_l2": "l2",
    "bagging_fraction": "subsample",
    "num_threads": "threads",
    "categorical_feature": "categorical",
    "seed": "seed",
    "lambdarank_norm": "norm",
    "sigmoid": "sigma of the objective",
    "lambdarank_truncation_level": "truncation of the objective",
    "label_gain": "the measure",
}
"""What of a TreeRanker stands for a parameter of LightGBM."""
REFUSED = {
    "boosting": "a TreeRanker adds trees and leaves those that are there as they are",
    "data_sample_strategy": "a TreeRanker draws queries, by subsample",
    "bagging_freq": "a TreeRanker draws queries for every tree, by subsample",
    "linear_tree": "leaves of a TreeRanker are constants",
    "metric": "a TreeRanker validates by validate_by",
    "num_class": "a ranker has one score",
    "num_machines": "for several machines there is fit_dask",
}
"""Why others are refused."""
CHANCE = ("feature_fraction", "feature_fraction_bynode", "extra_trees")
"""Parameters by which trees depend on random numbers, whose state LightGBM does not keep."""
BINS_OF_CATBOOST = ("border_count", "feature_border_type", "nan_mode")
"""Parameters by which CatBoost makes bins of the features."""
OF_CATBOOST = (*BINS_OF_CATBOOST, "monotone_constraints", "feature_weights", "rsm", "random_strength", "score_function")
"""Parameters of CatBoost that symmetric trees take."""


def check_engine_params(given: object, engine: str) -> dict[str, Any]:
    """Parameters by the own names of an engine, "lightgbm" or "catboost", from any that LightGBM knows them by; else an
    InputError."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InputError(Given("engine_params", given), " are not parameters by name, as in {'feature_fraction': 0.8}")
    try:
        json.dumps(dict(given))
    except (TypeError, ValueError):
        raise InputError(
            "engine_params: give numbers, words, True or False, and lists of them, as a saved model holds them"
        ) from None
    if engine == "catboost":
        for name in given:
            if name not in OF_CATBOOST:
                raise InputError(
                    f"engine_params: symmetric trees take no {name!r}{nearest(name, OF_CATBOOST)}; of CatBoost's they "
                    f"take {', '.join(OF_CATBOOST)}"
                )
        return dict(given)
    known = names_of_engine()
    params: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise InputError(f"engine_params: LightGBM has no parameter {name!r}{nearest(name, list(known))}")
        meant = known[name]
        if meant in OWN:
            raise InputError(f"engine_params: {name} is {OWN[meant]} of a TreeRanker: give that")
        if meant in REFUSED:
            raise InputError(f"engine_params: {name} is not passed on: {REFUSED[meant]}")
        params[meant] = value
    return params


def names_of_engine() -> dict[str, str]:
    """LightGBM's name of each parameter, by that name and by its aliases."""
    with require_engine("TreeRanker"):
        from lightgbm.basic import _ConfigAliases
    aliases: dict[str, list[str]] = _ConfigAliases._get_all_param_aliases()
    return {name: meant for meant, others in aliases.items() for name in (meant, *others)}


@contextmanager
def naming_refused(engine: str, params: Mapping[str, Any] | None, refusal: type[Exception]) -> Iterator[None]:
    """Around a training: where the engine refuses a parameter, an InputError names it, and says in the engine's words
    why; all of them where it names none."""
    try:
        yield
    except refusal as error:
        if not params:
            raise
        said = read_first_line(error).partition(" at /")[0]
        named = [name for name in params if name in said] or list(params)
        given = ", ".join(str(Given(name, params[name])) for name in named)
        raise InputError(f"engine_params: {engine} does not take {given}: {said[:150]}") from error


def require_no_chance(params: Mapping[str, Any]) -> None:
    """An InputError where a training that goes on would not come to the trees of one that was not interrupted."""
    for name in CHANCE:
        if params.get(name, 1.0) not in (1.0, False):
            raise InputError(
                f"engine_params: train from the beginning, without resume; with {name} a resumed training would grow "
                "other trees, as LightGBM does not keep its random numbers"
            )
