"""Words of categories by the codes that a ranker knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradeval._core import InputError
from gradeval.features.categories import warn_of_new_values
from gradeval.features.features import Features


def code_words(features: Features, known: Mapping[str, Sequence[Any]]) -> Features:
    """Features with the codes by which ``known`` has their words; a FeaturesWarning names other words, which are
    missing values. An InputError for words of a feature that is known by numbers."""
    for name in features.categories:
        if not any(isinstance(value, str) for value in known.get(name, ())):
            what = "codes" if name in known else "numbers"
            raise InputError(
                f"{features.name}: feature {name} holds words, and the ranker was trained on {what}; write these"
            )
    for name, words in features.categories.items():
        codes = features.X[:, features.columns.index(name)]
        warn_of_new_values(f"{features.name}: {name}", words, codes, known[name])
    return features.with_categories({name: known[name] for name in features.categories})
