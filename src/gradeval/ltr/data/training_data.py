"""The data of a training, checked: rows, weights, categories, levels, and the scale of the features."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from gradeval._core import InputError
from gradeval.features.feature_arrays import describe_columns
from gradeval.features.features import Features
from gradeval.features.scaler import Scaler
from gradeval.features.scaling import Scaling
from gradeval.files.feature_cache import folder_of
from gradeval.formula.arithmetic import Array
from gradeval.formula.definition import Measure
from gradeval.formula.levels import Levels, levels_of
from gradeval.ltr.data.rows import Categories
from gradeval.ltr.data.task import (
    FitArguments,
    Progress,
    Task,
    require_plain_numbers,
    require_same_columns,
)
from gradeval.ltr.data.trainable import weights_by_row
from gradeval.ltr.data.validation import Validation
from gradeval.whole import Path


@dataclass(frozen=True, eq=False)
class TrainingData:
    """What a ranker is trained on.

    Attributes
    ----------
    train, valid : the training and the validation data, not scaled; None for no validation.
    categories : the features that are categories, with their values.
    weights : float64[row] of the training data; None for no weights.
    levels : the grades of the collection, from the training and the validation data together.
    scaler : the scale of the features, fitted on the training data; None for no scaling.
    """

    train: Features
    valid: Features | None
    categories: Categories
    weights: Array | None
    levels: Levels
    scaler: Scaler | None

    @classmethod
    def of(
        cls,
        given: FitArguments,
        sample_weight: Any,
        *,
        declared: Categories,
        takes_missing: bool,
        scaling: Scaling | None,
        ranker: str,
    ) -> Self:
        """Check what was given to a ``ranker``, called so in messages; ``declared``: categories by its parameters."""
        train, valid, categories = given.features()
        categories = {**declared, **categories}
        if unknown := [name for name in categories if name not in train.columns]:
            raise InputError(
                f"{train.name}: has no feature {unknown[0]!r} to be a category; {describe_columns(train.columns)}"
            )
        if not takes_missing:
            require_plain_numbers(train, valid, categories, f"a {ranker}")
        if not train.columns or not len(train):
            raise InputError(f"{train.name}: no rows with features to learn from")
        if valid is not None:
            require_same_columns(valid, train.columns, f"{train.name} has")
        return cls(
            train=train,
            valid=valid,
            categories=categories,
            weights=weights_by_row(sample_weight, train),
            levels=train.levels if valid is None else levels_of(np.array([*train.levels, *valid.levels])),
            scaler=None if scaling is None else Scaler.fit(train, scaling),
        )

    def task(
        self,
        measure: Measure | None,
        *,
        progress: Progress | None,
        checkpoint: Path | None,
        resume: bool,
        identity: dict[str, Any],
    ) -> Task:
        """The training on these data; ``measure`` is that of the validation, see ``Task`` for the others."""
        return Task(
            train=replace(self.train, levels=self.levels),
            weights=self.weights,
            categories=tuple(self.train.columns.index(name) for name in self.categories),
            scaler=self.scaler,
            levels=self.levels,
            valid=None if measure is None else self._validation(measure),
            progress=progress,
            checkpoint=checkpoint,
            resume=resume,
            identity=identity,
        )

    def _validation(self, measure: Measure) -> Validation | None:
        """The scaled validation data and a measure; None for no validation."""
        if self.valid is None:
            return None
        scaled = self.valid if self.scaler is None else self.scaler.apply(self.valid)
        return Validation.of(replace(scaled, levels=self.levels), measure)


class DiskTables:
    """Room for so many rows of a mapped table in a file in its folder. The file has no name, and ends with the
    process."""

    def __init__(self, mapped: Array, rows: int) -> None:
        folder = folder_of(mapped)
        shape = (rows, mapped.shape[1])
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                size = rows * mapped.shape[1] * 4
                if hasattr(os, "posix_fallocate"):  # room now, where the system can give it, not a fault later
                    os.posix_fallocate(file.fileno(), 0, size)
                os.ftruncate(file.fileno(), size)
                self.table = np.memmap(file, np.float32, mode="r+", shape=shape)
        except OSError as error:
            raise InputError(
                f"{folder}: training keeps its batches beside the cache, but cannot write there ({error.strerror}); it "
                "needs as much room as the cache"
            ) from error
        self.rows = 0

    def keep(self, table: Array) -> Array:
        """The same table, mapped from the file."""
        begin = self.rows
        self.rows += len(table)
        kept: Array = self.table[begin : self.rows]
        kept[:] = table
        return kept
