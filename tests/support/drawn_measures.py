"""Measures with parameters drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradeval import Measure
from gradeval.formula.definition import REQUIRED
from gradeval.formula.levels import Levels


def configured(measure: Measure, levels: Levels, rng: np.random.Generator) -> Measure:
    """The measure with some of its parameters drawn."""
    choices: dict[str, list[Any]] = {
        "rel": [*levels[1:]],
        "cutoff": [1, 3, 10, 100],
        "recall": [0.1, 0.5],
        "beta": [0.5, 1, 4],
        "p": [0.5, 0.95],
        "norm": ["R", "min"],
        "gains": [None, {levels[1]: 3.0}, {0: 0.5, levels[-1]: 4.5}],
        "dcg": ["log2", "exp-log2"],
        "discount": ["ms", "jk"],
        "renormalise": [True, False],
        "g": [None],
        "judged_only": [True, False],
    }
    chosen = {
        name: options[rng.integers(len(options))]
        for name, options in choices.items()
        if name in (*measure.parameters, "judged_only")
        and (measure.parameters.get(name) is REQUIRED or rng.random() < 0.6)
    }
    if chosen.get("gains"):
        chosen.pop("dcg", None)
        chosen.pop("rel", None)
    return measure(**chosen) if chosen else measure
