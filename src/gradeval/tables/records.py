"""Tables for programs: exact values under the names of fields, one record a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Value: TypeAlias = str | float | bool | None


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of few different names: ``names[codes[row]]``. Each name is escaped once, not in every line."""

    names: Sequence[str]
    codes: Array

    def __len__(self) -> int:
        return len(self.codes)


Field: TypeAlias = Coded | Array | Sequence[Value]
"""The values of a field, one a record: coded names, an array, or a sequence in which None means no value."""


@dataclass(frozen=True, eq=False)
class Records:
    """Exact values by the names of their fields.

    Attributes
    ----------
    fields : the values by the names of the fields; all have the same length.
    metadata : stored beside the values in Arrow and Parquet, as JSON.
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

    def then(self, others: Records) -> Records:
        """These records and others behind them; a field that some of them lack is empty there."""
        names = dict.fromkeys([*self.fields, *others.fields])
        return Records({name: [*self._values(name), *others._values(name)] for name in names}, self.metadata)

    def _values(self, name: str) -> Sequence[Value]:
        """The values of a field; None in each record where there is no such field."""
        return [None] * len(self) if name not in self.fields else values_of(self.fields[name])


def values_of(field: Field) -> list[Value]:
    """The values of a field as plain Python objects."""
    if isinstance(field, Coded):
        names = list(field.names)
        return [names[code] for code in field.codes.tolist()]
    values: list[Value] = field.tolist() if isinstance(field, np.ndarray) else list(field)
    return values
