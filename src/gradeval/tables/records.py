"""What programs read: exact values under the names of fields, one record a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Value: TypeAlias = str | float | bool | None


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of few different names: ``names[codes[row]]``. Thousands of lines repeat them; they are escaped once."""

    names: Sequence[str]
    codes: Array

    def __len__(self) -> int:
        return len(self.codes)


Field: TypeAlias = Coded | Array | Sequence[Value]
"""The values of a field, one a record: coded names, an array of numbers or truth values, or anything, None for none."""


@dataclass(frozen=True, eq=False)
class Records:
    """Exact values by the names of their fields.

    Attributes
    ----------
    fields : all as long as each other.
    metadata : what stands beside the values in Arrow and Parquet, as JSON has it.
    """

    fields: Mapping[str, Field]
    metadata: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, names: Sequence[str], rows: Iterable[Sequence[Value]]) -> Self:
        """Records from rows of values."""
        columns = list(zip(*rows, strict=True)) or [()] * len(names)
        return cls(dict(zip(names, columns, strict=True)))

    def __len__(self) -> int:
        return len(next(iter(self.fields.values()), ()))
