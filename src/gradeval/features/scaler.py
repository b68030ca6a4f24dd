"""Scaler: one scale for each feature, fitted on training data and applied to any."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from gradeval._core import InputError
from gradeval.features.feature_arrays import require_no_missing
from gradeval.features.features import Features
from gradeval.features.scaling import Scaling, apply_scale, fit_scale
from gradeval.formula.arithmetic import Array


@dataclass(frozen=True, eq=False)
class Scaler:
    """A scale for each feature, fitted on training data and applied to any: (x - shift) / width.

    Fit it on the training part of a fold and apply it to all three parts, so that validation and test data do not
    influence the scale.

    Attributes
    ----------
    kind : "min-max": the training data come to lie in 0..1; "z-score": to have mean 0 and standard deviation 1.
    shift, width : float64[feature]: least value and range, or mean and standard deviation. Where the training data
        have one value only, width is 0 and the feature becomes 0 for all data.
    columns : the features that it was fitted on.
    """

    kind: Scaling
    shift: Array
    width: Array
    columns: tuple[str, ...]

    @classmethod
    def fit(cls, train: Features, kind: Scaling) -> Self:
        """The scale of the training data."""
        if not len(train):
            raise InputError(f"{train.name}: no rows to fit a scale on")
        require_no_missing(train.X, train.columns, train.name, "a scale")
        return cls(kind, *fit_scale(train.X, kind), train.columns)

    def apply(self, features: Features) -> Features:
        """The features on this scale; values beyond the training data's may leave 0..1."""
        if features.columns != self.columns:
            raise InputError(
                f"{features.name}: {len(features.columns)} features, the scale was fitted on {len(self.columns)}; "
                "give the same ones in the same order"
            )
        require_no_missing(features.X, features.columns, features.name, "a scale")
        return replace(features, X=self.apply_to_rows(features.X, features.name))

    def apply_to_rows(self, X: Array, place: str) -> Array:
        """float32[row, feature] on this scale; ``place`` is what messages call them."""
        return apply_scale(X, self.shift, self.width, place)
